"""Runs of estimators in floats, and rounds that are perfect."""

from math import log
from typing import Any

import pytest

import refmc
from refmc.adapters.runs import _replay
from tests.support import stand_in

PARAMETERS = {
    "penalty": None, "eta0": 0.1, "fit_intercept": False, "shuffle": False, "class_weight": None,
    "early_stopping": False, "warm_start": False, "tol": None,
}  # fmt: skip


def run_of(
    X: list[list[float]], y: list[int], epochs: int, kind: str = "Perceptron", **parameters: Any
) -> Any:
    """An honest run, its dot products summed from left to right."""
    settings = PARAMETERS | parameters
    w, b, total, step = [0.0] * len(X[0]), 0.0, [0.0] * (len(X[0]) + 1), 0
    for _ in range(epochs):
        for x, label in zip(X, y):
            s = 1 if label else -1
            score = 0.0
            for v, u in zip(w, x):
                score += v * u
            if s * (score + b) <= 0:
                w = [v + settings["eta0"] * s * u for v, u in zip(w, x)]
                b += settings["eta0"] * s * settings["fit_intercept"]
            step += 1
            total = [before + now for before, now in zip(total, [*w, b])]
    end = [v / step for v in total] if settings.get("average") else [*w, b]
    fitted = {
        "n_features_in_": len(X[0]), "classes_": [0, 1], "coef_": [end[:-1]],
        "intercept_": end[-1:], "n_iter_": epochs,
    }  # fmt: skip
    return stand_in(kind, settings, fitted)


def test_a_run_whose_ties_rounding_decides_is_right() -> None:
    X, y = [[-2.0], [3.0], [1.0], [2.0]], [0, 0, 1, 0]
    verdict = refmc.judge(run_of(X, y, 1), X, y)
    assert verdict and verdict.claims[0].problem["eta"] == 0.1
    wrong = run_of(X, y, 1)
    wrong.coef_ = [[0.25]]
    assert refmc.judge(wrong, X, y).status == "REFUTED"


def test_a_run_of_two_classes_may_have_ended_early() -> None:
    X, y = [[-2.0], [1.0]], [0, 1]
    assert refmc.judge(run_of(X, y, 1, tol=0.001), X, y)


def test_several_calls_of_partial_fit_are_one_run() -> None:
    X, y = [[1.0], [3.0]], [0, 1]  # in tenths w is −1, 2; 1, 1; 0, 0
    run = run_of(X, y, 3)
    run.n_iter_, run.t_ = 1, 7.0  # of the last call, and one more than the steps of all calls
    verdict = refmc.judge(run, X, y)
    assert verdict and verdict.claims[0].problem["epochs"] == 3
    run.t_ = 5.0
    assert refmc.judge(run, X, y).status == "REFUTED"
    run.t_ = 1.0  # before any step
    with pytest.raises(refmc.DataError, match="took 0.* steps, but X has"):
        refmc.judge(run, X, y)
    run.t_ = 6.0
    with pytest.raises(refmc.DataError, match="Perceptron took 5.0 steps, but X has 2 rows"):
        refmc.judge(run, X, y)
    own: dict[str, Any] = {"loss": "perceptron", "learning_rate": "constant", "average": True}
    mean = run_of(X, y, 2, "SGDClassifier", **own)
    mean.n_iter_, mean.t_ = 1, 5.0
    with pytest.raises(refmc.ParameterError, match="starts at the mean of the intercepts"):
        refmc.judge(mean, X, y)


def test_an_intercept_of_sparse_rows_is_refused_by_its_hundredths() -> None:
    X, y = [[1.0], [-1.0], [3.0]], [0, 0, 1]
    sparse = run_of(X, y, 1, fit_intercept=True, eta0=1.0)  # three mistakes: w = −1 + 1 + 3
    assert (sparse.coef_, sparse.intercept_) == ([[3.0]], [-1.0]) and refmc.judge(sparse, X, y)
    sparse.intercept_ = [-0.01 - 0.01 + 0.01]
    with pytest.raises(refmc.ParameterError, match="the intercept takes a hundredth of each step"):
        refmc.judge(sparse, X, y)
    sparse.intercept_ = [-0.02]
    assert refmc.judge(sparse, X, y).status == "REFUTED"


class Sparse:
    """A step of a pipeline whose rows are sparse."""

    def transform(self, rows: Any) -> Any:
        return type("Rows", (), {"toarray": lambda self: rows})()


@pytest.mark.parametrize("kind", ["Perceptron", "SGDClassifier"])
def test_a_pipeline_shows_that_the_rows_of_a_run_are_sparse(kind: str) -> None:
    X, y = [[1.0], [-1.0], [3.0]], [0, 0, 1]
    own: dict[str, Any] = {"loss": "perceptron", "learning_rate": "constant", "average": False}
    for bias in (True, False):
        last = run_of(X, y, 1, kind, **own, fit_intercept=bias)
        found = stand_in("Pipeline", {"steps": [("sparse", Sparse()), ("run", last)]}, {})
        type(found).__getitem__ = lambda *_: Sparse()
        if not bias:
            assert refmc.judge(found, X, y)
            continue
        with pytest.raises(refmc.ParameterError, match=f"{kind}.fit_intercept=True.: of sparse"):
            refmc.judge(found, X, y)


@pytest.mark.parametrize("kind", ["Perceptron", "SGDClassifier"])
def test_runs_take_no_weights_of_rows(kind: str) -> None:
    X, y = [[-2.0], [1.0]], [0, 1]
    own = {"average": False, "loss": "perceptron", "learning_rate": "constant"}
    run = run_of(X, y, 1, kind, **(own if kind == "SGDClassifier" else {}))
    assert refmc.judge(run, X, y)
    with pytest.raises(refmc.ParameterError, match="sample_weight: no family weighs the rows of"):
        refmc.judge(run, X, y, [1.0, 1.0])


def test_steps_that_would_turn_the_weights_are_refused() -> None:
    # scikit-learn multiplies weights by max(0, 1 − eta·alpha); of the first step they are 0
    own = {"loss": "hinge", "penalty": "l2", "learning_rate": "constant", "average": False}
    fitted = {
        "n_features_in_": 1, "classes_": [0, 1], "coef_": [[-1.0]], "intercept_": [0.0],
        "n_iter_": 1,
    }  # fmt: skip
    run = stand_in("SGDClassifier", PARAMETERS | own | {"alpha": 2.0, "eta0": 1.0}, fitted)
    with pytest.raises(refmc.ParameterError, match="steps above 1/alpha leave no weights"):
        refmc.judge(run, [[1.0], [2.0]], [0, 1])
    slow = stand_in("SGDClassifier", PARAMETERS | own | {"alpha": 1.0, "eta0": 1.0}, fitted)
    slow.coef_ = [[2.0]]  # a step of 1/alpha leaves none in any run: −1, then 0 + 2
    assert refmc.judge(slow, [[1.0], [2.0]], [0, 1])
    falling = PARAMETERS | own | {"learning_rate": "invscaling", "power_t": 1.0, "alpha": 1.0}
    first = stand_in("SGDClassifier", falling | {"eta0": 1.5}, fitted)
    first.coef_ = [[0.25 * -1.5 + 0.75 * 2]]  # steps of 3/2 and 3/4
    assert refmc.judge(first, [[1.0], [2.0]], [0, 1])
    run = stand_in("SGDClassifier", falling | {"eta0": 4.0}, fitted)  # the fifth step is 4/5
    with pytest.raises(refmc.ParameterError, match="steps above 1/alpha leave no weights"):
        refmc.judge(run, [[1.0]] * 5, [0, 1, 0, 1, 0])


GRID = [[-2.0, 1.0], [3.0, -1.0], [1.0, 2.0], [2.0, 2.0], [-1.0, -1.0], [0.0, 3.0], [1.0, 1.0]]
SIDES = [0, 0, 1, 0, 1, 1, 0]


@pytest.mark.parametrize("bias", [False, True])
def test_a_long_run_is_judged_by_its_replay(bias: bool) -> None:
    estimator = run_of(GRID, SIDES, 6, fit_intercept=bias, eta0=0.3)
    verdict = refmc.judge(estimator, GRID, SIDES)
    proof: Any = verdict.claims[0].proof
    end = [*estimator.coef_[0], *estimator.intercept_[: int(bias)]]
    assert verdict and proof["trace"][-1] == end and len(proof["trace"]) == 6 * 7
    estimator.coef_[0][0] += 0.01
    changed = refmc.judge(estimator, GRID, SIDES)
    assert not changed and changed.claims[0].proof is None


def test_a_replay_rounds_each_product_and_each_sum_in_order() -> None:
    """−1 + 2⁻⁵⁴ + 1 is 0 from left to right, where a mistake is made, and above 0 exactly."""
    tiny = 2.0**-54
    states = _replay([[1.0, 1.0, 1.0], [-1.0, tiny, 1.0]], [1, 1], refmc.exact(1.0), bias=False)
    assert states == [[1.0, 1.0, 1.0], [0.0, 1.0, 2.0]]


def test_averaged_perceptrons_of_sgd_are_judged() -> None:
    settings = {"loss": "perceptron", "learning_rate": "constant", "average": True}
    estimator = run_of(GRID, SIDES, 3, "SGDClassifier", **settings)
    verdict = refmc.judge(estimator, GRID, SIDES)
    assert verdict and verdict.claims[0].problem["average"] == "equally"
    assert verdict.claims[0].proof is not None  # its states, of which the answer is the mean
    estimator.parameters = {**estimator.parameters, "average": 1}  # from the first step on
    assert refmc.judge(estimator, GRID, SIDES)
    estimator.parameters = {**estimator.parameters, "average": False}
    assert refmc.judge(estimator, GRID, SIDES).status == "REFUTED"
    for setting, value in (("average", 10), ("learning_rate", "optimal"), ("penalty", "l2")):
        other = stand_in("SGDClassifier", {**PARAMETERS, **settings, setting: value}, {})
        with pytest.raises(refmc.ParameterError, match=rf"SGDClassifier\({setting}="):
            refmc.judge(other, GRID, SIDES)


def boosted(bases: list[list[str]], errors: list[float], labels: list[str]) -> Any:
    """A run of members that are no trees, after whose last, perfect round there are none."""
    members = [stand_in("Anything", {}, {}, {"predict": base}) for base in bases]
    alphas = [log((1 - error) / error) if error else 1.0 for error in errors]
    fitted = {
        "n_features_in_": 1, "classes_": ["a", "b"], "estimators_": members,
        "estimator_weights_": [*alphas, 0.0], "estimator_errors_": [*errors, 1.0],
    }  # fmt: skip
    return stand_in("AdaBoostClassifier", {"learning_rate": 1.0}, fitted, {"predict": labels})


def test_a_perfect_round_of_adaboost_votes_with_weight_1() -> None:
    """The first round has the weight ln 4 > 1, so that it outvotes the perfect one."""
    rows, y = [[float(v)] for v in range(5)], list("aabbb")
    first = list("abbbb")
    honest = refmc.judge(boosted([first, y], [0.2, 0.0], first), rows, y)
    assert honest, honest.explain()
    assert [claim.part for claim in honest.claims] == [
        "the run",
        "the votes, of which a perfect round has weight 1",
    ]
    other = refmc.judge(boosted([first, y], [0.2, 0.0], y), rows, y)
    assert other.status == "REFUTED" and other.family == "ova.decode"
    assert "of which a perfect round has weight 1" in other.explain()
    assert "opposite" not in other.explain()
    assert refmc.judge(boosted([y], [0.0], y), rows, y)
    ordinary = refmc.judge(boosted([first], [0.2], first), rows, y)
    assert ordinary and len(ordinary.claims) == 1


@pytest.mark.parametrize(
    ("schedule", "etas"),
    [
        ("constant", [0.25, 0.25, 0.25, 0.25]),
        ("invscaling", [0.25, 0.125, 0.25 / 3, 0.0625]),
        ("optimal", [1, 1 / 2, 1 / 3, 1 / 4]),  # of alpha 1, whose first size is 1
    ],
)
def test_steps_of_sgd_are_those_of_its_schedule(schedule: str, etas: list[float]) -> None:
    """½w² + hinges of 1 and −1: w + η(s x − w) where the margin is below 1."""
    X, y = [[1.0], [-1.0]], [1, 0]
    w = 0.0
    for eta in etas:
        w = (1 - eta) * w + eta * (w <= 1)
    parameters = PARAMETERS | {
        "loss": "hinge", "penalty": "l2", "alpha": 1.0, "learning_rate": schedule, "eta0": 0.25,
        "power_t": 1.0, "average": False,
    }  # fmt: skip
    fitted = {
        "n_features_in_": 1, "classes_": [0, 1], "coef_": [[w]], "intercept_": [0.0], "n_iter_": 2,
    }  # fmt: skip
    assert refmc.judge(stand_in("SGDClassifier", parameters, fitted), X, y)
    fitted["coef_"] = [[w + 0.01]]
    assert refmc.judge(stand_in("SGDClassifier", parameters, fitted), X, y).status == "REFUTED"
