"""Models of every kind that can be exported, drawn at random, with their training rows."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import refmc
from refmc.learn.trees.questions import Question
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion

Made = tuple[Any, Sequence[Any]]
"""A model and its training rows."""


def rows_of(draws: Random, m: int, width: int, exact: bool = True) -> list[list[Any]]:
    """Numbers of few digits, with ties, or floats."""
    if not exact:
        return [[draws.gauss(0, 3) for _ in range(width)] for _ in range(m)]
    scale = draws.choice([1, 2, 10, 100])
    return [[Fraction(draws.randrange(-30, 31), scale) for _ in range(width)] for _ in range(m)]


def labelled(draws: Random, k: int = 3, exact: bool = True, m: int = 14, width: int = 3) -> Any:
    X = rows_of(draws, m, width, exact)
    names = ["a", "b", "c", "d", "e"][:k]
    return X, [*names, *(draws.choice(names) for _ in range(m - k))]


def signed(draws: Random, exact: bool = True, m: int = 14) -> Any:
    X = rows_of(draws, m, 3, exact)
    return X, [-1, 1, *(draws.choice([-1, 1]) for _ in range(m - 2))]


def mixed(draws: Random, k: int = 3, m: int = 20) -> Any:
    X, y = labelled(draws, k, m=m)
    return [[row[0], draws.choice("pqrs"), row[1], draws.choice("uv")] for row in X], y


def tree(draws: Random, exact: bool = True, **settings: Any) -> Made:
    X, y = labelled(draws, exact=exact)
    thresholds = draws.choice(["values", "midpoints"])
    return refmc.grow_tree(X, y, thresholds=thresholds, **settings), X


def mixed_tree(draws: Random) -> Made:
    X, y = mixed(draws)
    cost = draws.choice([None, [[0, 2, 1], [1, 0, 3], [2, 1, 0]]])
    return refmc.grow_tree(X, y, cost=cost, tie=draws.choice([refmc.first, refmc.last])), X


def pruned(draws: Random) -> Made:
    X, y = mixed(draws)
    steps = refmc.pruning_sequence(refmc.grow_tree(X, y))
    return draws.choice(list(steps)).tree, X


def surfaces(draws: Random) -> Made:
    X, y = labelled(draws)
    asked: list[Question] = []
    for _ in range(3):
        asked.append(LinearQuestion(tuple(rows_of(draws, 1, 3)[0]), Fraction(draws.randrange(5))))
        asked.append(SphereQuestion(tuple(draws.choice(X)), Fraction(draws.randrange(9), 2)))
    return refmc.grow_tree(X, y, candidates=lambda rows: asked, max_depth=4), X


def stump(draws: Random) -> Made:
    X, y = mixed(draws, 2)
    return refmc.fit_stump(X, y, classes=("a", "b")), X


def ada(draws: Random, exact: bool = True) -> Made:
    X, y = mixed(draws, 2) if exact and draws.random() < 0.5 else labelled(draws, 2, exact)
    rounds = draws.randrange(1, 7)
    return refmc.fit_adaboost(X, y, classes=("b", "a"), rounds=rounds), X


def mh(draws: Random, exact: bool = True) -> Made:
    X, y = mixed(draws) if exact and draws.random() < 0.5 else labelled(draws, 3, exact)
    two_sided, rounds = draws.random() < 0.4, draws.randrange(1, 7)
    return refmc.fit_adaboost_mh(X, y, rounds=rounds, two_sided=two_sided), X


def kernels(draws: Random) -> Any:
    return refmc.polynomial(draws.choice([2, 3]), draws.choice([1, 2]), draws.choice([0, 1]))


def multiclass(draws: Random, exact: bool = True, kernel: Any = None) -> Made:
    X, y = labelled(draws, exact=exact, m=9)
    given = {} if kernel is None else {"kernel": kernel(draws)}
    tie = draws.choice([refmc.first, refmc.last, refmc.refuse])
    return refmc.fit_multiclass_svm(X, y, C=draws.choice([1, 10]), tie=tie, **given), X


def binary(draws: Random, exact: bool = True, kernel: Any = None) -> Made:
    X, y = signed(draws, exact, 9)
    given = {} if kernel is None else {"kernel": kernel(draws)}
    return refmc.fit_binary_svm(X, y, C=1, bias=draws.random() < 0.7, **given), X


def of_signed(draws: Random, fit: Callable[..., Any], exact: bool = True) -> Made:
    X, y = signed(draws, exact)
    return fit(X, y), X


def of_labelled(draws: Random, fit: Callable[..., Any], exact: bool = True, k: int = 3) -> Made:
    X, y = labelled(draws, k, exact)
    return fit(X, y), X


def kernel_perceptron(draws: Random) -> Made:
    X, y = signed(draws)
    voted, bias = draws.random() < 0.5, draws.random() < 0.5
    return refmc.fit_kernel_perceptron(X, y, kernel=kernels(draws), voted=voted, bias=bias), X


def multiclass_sgd(draws: Random) -> Made:
    fit = partial(refmc.fit_multiclass_svm_sgd, lam=1, T=6, draws=Random(draws.random()))
    return of_labelled(draws, fit)


def members(draws: Random) -> Any:
    """A binary learner: of forms, of votes, or of boosting."""
    return draws.choice(
        [
            partial(refmc.fit_perceptron, bias=True, epochs=2),
            partial(refmc.fit_perceptron, voted=True),
            partial(refmc.fit_binary_svm, C=1),
            partial(refmc.fit_adaboost, rounds=3),
            partial(refmc.fit_kernel_perceptron, kernel=refmc.polynomial(2, 1, 1)),
        ]
    )


def one_vs_all(draws: Random) -> Made:
    decide = draws.choice([refmc.by_score, refmc.by_claim, refmc.by_score_among_claims])
    k = draws.choice([2, 3, 4])
    return of_labelled(
        draws, lambda X, y: refmc.fit_one_vs_all(X, y, members(draws), decide=decide), k=k
    )


def one_vs_one(draws: Random) -> Made:
    bracket = [0, 1, 2, 3]
    draws.shuffle(bracket)
    ways: list[Any] = [refmc.by_votes, refmc.by_score_sum, refmc.Tournament(tuple(bracket))]
    decide = draws.choice(ways)
    return of_labelled(
        draws, lambda X, y: refmc.fit_one_vs_one(X, y, members(draws), decide=decide), k=4
    )


def votes_then_sums(draws: Random) -> Made:
    fit = partial(refmc.fit_perceptron, bias=True)
    return of_labelled(
        draws, lambda X, y: refmc.fit_one_vs_one(X, y, fit, decide=refmc.by_votes_then_sums), k=4
    )


def absent(draws: Random) -> Made:
    fits: list[Any] = [refmc.fit_one_vs_all, refmc.fit_one_vs_one]
    fit = draws.choice(fits)
    return of_labelled(
        draws, lambda X, y: fit(X, y, members(draws), classes=["z", "a", "b", "q", "c"])
    )


def code(draws: Random) -> Made:
    codes = [
        refmc.exhaustive_code(4), refmc.all_pairs_code(4), refmc.one_vs_all_code(4),
        refmc.random_code(4, 5, draws, sparse=True),
    ]  # fmt: skip
    chosen = draws.choice(codes)
    return of_labelled(draws, lambda X, y: refmc.fit_output_code(X, y, members(draws), chosen), k=4)


def label_tree(draws: Random) -> Made:
    return of_labelled(draws, lambda X, y: refmc.fit_label_tree(X, y, members(draws)), k=5)


def tournament(draws: Random) -> Made:
    m = draws.choice([1, 2, 3])
    return of_labelled(
        draws,
        lambda X, y: refmc.fit_error_correcting_tournament(X, y, members(draws), m=m),
        k=draws.choice([3, 4, 5]),
    )


KINDS: dict[str, Callable[[Random], Made]] = {
    "tree": tree,
    "float tree": partial(tree, exact=False),
    "mixed tree": mixed_tree,
    "pruned": pruned,
    "surfaces": surfaces,
    "stump": stump,
    "adaboost": ada,
    "float adaboost": partial(ada, exact=False),
    "adaboost-mh": mh,
    "float adaboost-mh": partial(mh, exact=False),
    "multiclass svm": multiclass,
    "float multiclass svm": partial(multiclass, exact=False),
    "polynomial multiclass svm": partial(multiclass, kernel=kernels),
    "binary svm": binary,
    "float binary svm": partial(binary, exact=False),
    "polynomial binary svm": partial(binary, kernel=kernels),
    "perceptron": partial(of_signed, fit=partial(refmc.fit_perceptron, bias=True, epochs=2)),
    "float perceptron": partial(of_signed, fit=refmc.fit_perceptron, exact=False),
    "voted perceptron": partial(of_signed, fit=partial(refmc.fit_perceptron, voted=True)),
    "kernel perceptron": kernel_perceptron,
    "multiclass perceptron": partial(of_labelled, fit=refmc.fit_multiclass_perceptron),
    "sgd": partial(of_signed, fit=partial(refmc.fit_svm_sgd, C=1, eta="1/10", bias=True)),
    "multiclass sgd": multiclass_sgd,
    "one-vs-all": one_vs_all,
    "one-vs-one": one_vs_one,
    "votes then sums": votes_then_sums,
    "absent classes": absent,
    "output code": code,
    "label tree": label_tree,
    "tournament": tournament,
}


def drawn(kind: str, seed: int) -> Made:
    """A model of the kind and its training rows."""
    return KINDS[kind](Random(f"{kind} {seed}"))
