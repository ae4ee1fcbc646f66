"""A thousand fits of scikit-learn, where it is installed: none refuted that keeps its own rule.

Their data are small, so that rounding decides much: ties, features of very different sizes, and
solvers that stop early.
"""

from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from random import Random
from typing import Any

import pytest

import refmc

pytestmark = [pytest.mark.campaign, pytest.mark.usefixtures("without_hints")]

Data = tuple[list[list[float]], list[int], list[float] | None]


def data(rng: Random, classes: int, most: int = 24) -> Data:
    """Rows on a grid or not, of sizes from 10⁻³ to 10³, with each label, perhaps with weights."""
    m, d = rng.randint(classes + 1, most), rng.randint(1, 3)
    sizes = [rng.choice([1.0, 1.0, 1.0, 1e-3, 1e3]) for _ in range(d)]
    is_grid = rng.random() < 0.5
    X = [
        [size * (rng.randint(-3, 3) if is_grid else rng.gauss(0, 1)) for size in sizes]
        for _ in range(m)
    ]
    y = [*range(classes), *(rng.randrange(classes) for _ in range(m - classes))]
    rng.shuffle(y)
    weights = [rng.choice([0.1, 0.5, 1.0, 3.0]) for _ in range(m)] if rng.random() < 0.3 else None
    return X, y, weights


def perceptrons(rng: Random) -> tuple[Any, Data]:
    linear = import_module("sklearn.linear_model")
    settings: dict[str, Any] = {
        "eta0": rng.choice([0.1, 0.3, 1 / 3, 1.0, 0.01]),
        "fit_intercept": rng.random() < 0.5,
        "shuffle": False,
        "tol": None,
        "max_iter": rng.choice([1, 2, 5, 20]),
    }
    X, y, _ = data(rng, rng.choice([2, 2, 3]), most=12)
    if rng.random() < 0.5:
        return linear.Perceptron(**settings), (X, y, None)
    settings |= {"loss": "perceptron", "penalty": None, "learning_rate": "constant"}
    return linear.SGDClassifier(**settings, average=rng.random() < 0.3), (X, y, None)


def descents(rng: Random) -> tuple[Any, Data]:
    linear = import_module("sklearn.linear_model")
    rate = rng.choice(["optimal", "constant", "invscaling"])
    X, y, _ = data(rng, rng.choice([2, 2, 3]), most=12)
    settings: dict[str, Any] = {
        "alpha": rng.choice([0.001, 0.1, 1.0]),
        "learning_rate": rate,
        "eta0": rng.choice([0.1, 0.25]),
        "fit_intercept": rng.random() < 0.5,
        "average": rng.random() < 0.3,
    }
    return linear.SGDClassifier(
        shuffle=False, tol=None, max_iter=rng.choice([1, 2, 4]), **settings
    ), (X, y, None)


def trees(rng: Random) -> tuple[Any, Data]:
    tree = import_module("sklearn.tree")
    settings: dict[str, Any] = {"criterion": rng.choice(["gini", "entropy"])}
    options: dict[str, list[Any]] = {
        "max_depth": [1, 2, 3], "min_samples_leaf": [2, 3], "min_samples_split": [3, 0.4],
        "max_leaf_nodes": [2, 3, 5], "min_impurity_decrease": [0.01, 0.1], "ccp_alpha": [0.01, 0.1],
    }  # fmt: skip
    for name in rng.sample(sorted(options), rng.randint(0, 2)):
        settings[name] = rng.choice(options[name])
    if "ccp_alpha" in settings:
        settings.pop("max_leaf_nodes", None)
    found = tree.DecisionTreeClassifier(**settings, random_state=rng.randrange(1000))
    return found, data(rng, rng.choice([2, 2, 3]))


def boosting(rng: Random) -> tuple[Any, Data]:
    ensemble, tree = import_module("sklearn.ensemble"), import_module("sklearn.tree")
    base = tree.DecisionTreeClassifier(max_depth=rng.choice([1, 1, 2, None]))
    rounds = rng.choice([1, 3, 8, 20])
    found = ensemble.AdaBoostClassifier(base, n_estimators=rounds, random_state=rng.randrange(99))
    return found, data(rng, rng.choice([2, 2, 3]), most=14)


def svms(rng: Random) -> tuple[Any, Data]:
    svm = import_module("sklearn.svm")
    sample = data(rng, rng.choice([2, 2, 3]), most=16)
    settings: dict[str, Any] = {"C": rng.choice([0.01, 1.0, 100.0])}
    settings |= {"tol": rng.choice([1e-1, 1e-3, 1e-5]), "class_weight": None}
    if rng.random() < 0.3 and sample[2] is None:
        settings["class_weight"] = "balanced"
    if rng.random() < 0.5:
        settings["max_iter"] = rng.choice([*[200_000] * 3, 2, 10, 50])
        kernel = rng.choice(["linear", "rbf", "poly"])
        return svm.SVC(kernel=kernel, degree=2, coef0=1.0, **settings), sample
    loss = rng.choice(["hinge", "squared_hinge"])
    settings["dual"] = loss == "hinge" or rng.random() < 0.5
    if rng.random() < 0.2:
        settings |= {"multi_class": "crammer_singer", "dual": True}
    settings |= {"loss": loss, "max_iter": rng.choice([1000, 100_000, 2, 10, 50])}
    settings["fit_intercept"] = rng.random() < 0.5
    return svm.LinearSVC(**settings, random_state=0), sample


KINDS = {
    "perceptrons": (perceptrons, 200),
    "descents": (descents, 150),
    "trees": (trees, 250),
    "boosting": (boosting, 150),
    "svms": (svms, 250),
}


def beyond(verdict: refmc.Judged) -> Iterator[str]:
    """What a verdict says against an honest fit, or for it beyond its promise."""
    for claim, part in zip(verdict.claims, verdict.verdicts, strict=True):
        promise = claim.promise
        if promise is None or part.gap is None:
            if part.status == "REFUTED":
                yield part.explain()
            continue
        is_within = part.gap <= promise.gap
        if part.status == "REFUTED" and is_within and not promise.broken:
            yield f"within {promise.gap}: {part.explain()}"
        is_near = part.relative is not None and part.relative <= refmc.exact("1e-6")
        if part and not is_near and (promise.unkept or not is_within):
            yield f"beyond {promise.gap}: {part.explain()}"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", KINDS)
def test_honest_fits_are_not_refuted_nor_verified_beyond_their_promise(kind: str) -> None:
    pytest.importorskip("sklearn")
    make, number = KINDS[kind]
    rng, found, wrong = Random(kind), Counter[str](), []  # no secret
    while found.total() < number:
        estimator, (X, y, weights) = make(rng)
        try:
            estimator.fit(X, y) if weights is None else estimator.fit(X, y, sample_weight=weights)
        except ValueError:  # boosting no better than chance
            continue
        verdict = refmc.judge(estimator, X, y, weights)
        found[verdict.status] += 1
        wrong += [f"{estimator} {X} {y} {weights}: {text}" for text in beyond(verdict)]
    print(kind, dict(found))
    assert not wrong, f"{len(wrong)}: {wrong[0]}"
