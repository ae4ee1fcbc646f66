"""Fresh problems of every family: drawn from a seed, or all the tiny ones.

For each family one function says what its problems are made of, and asks for each choice. `Draws`
chooses at random; `EveryChoice` goes through all combinations of choices, one after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

from refmc.errors import ParameterError
from refmc.oracle.answers import solve_problem
from refmc.oracle.families import FAMILIES

Problem = dict[str, Any]

COSTS = [["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]]


class Draws:
    """Random choices. They are made by whole numbers alone, so that every Python draws the same."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, n: int) -> int:
        """One of 0, …, n − 1."""
        return self._random.randrange(n)

    def one_of(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return values[self.below(len(values))]

    def row(self, d: int, values: Sequence[Any]) -> list[Any]:
        """d of the values, any of them repeatedly."""
        return [self.one_of(values) for _ in range(d)]

    def rows(self, m: int, d: int, values: Sequence[Any]) -> list[list[Any]]:
        """m rows of d values."""
        return [self.row(d, values) for _ in range(m)]


class EveryChoice(Draws):
    """Takes the first choice everywhere; after each `next`, the next combination of choices."""

    def __init__(self) -> None:
        self._made: list[list[int]] = []  # each choice, and how many there were to choose from
        self._at = 0

    def below(self, n: int) -> int:
        if self._at == len(self._made):
            self._made.append([0, n])
        self._at += 1
        return self._made[self._at - 1][0]

    def next(self) -> bool:
        """Go on to the next combination of choices; false where there is no further one."""
        self._at = 0
        while self._made and self._made[-1][0] + 1 == self._made[-1][1]:
            self._made.pop()
        if self._made:
            self._made[-1][0] += 1
        return bool(self._made)


@dataclass(frozen=True)
class Size:
    """How large a problem may be, which numbers and labels it has, and whether settings vary."""

    rows: int
    columns: int
    numbers: tuple[str, ...]
    settings: bool
    labels: str = "abc"


DRAWN = Size(6, 2, ("-3", "-1", "-1/2", "0", "0", "1/3", "1", "1", "2", "4"), True)


def tiny_size(rows: int) -> Size:
    """One column, the numbers −1, 0 and 1, and every setting at its default.

    >>> tiny_size(2).numbers
    ('-1', '0', '1')
    """
    return Size(rows, 1, ("-1", "0", "1"), False)


def drawn_problem(family: str, seed: str) -> Problem:
    """The problem of a family that a seed draws; the same on every Python.

    >>> drawn_problem("loss.hinge", "1") == drawn_problem("loss.hinge", "1")
    True
    """
    return {"family": family, **_maker(family)(Draws(f"{family}/{seed}"), DRAWN)}


def tiny_problems(family: str, rows: int) -> Iterator[Problem]:
    """Every valid problem of a family that has `tiny_size`, each once.

    >>> [problem["z"] for problem in tiny_problems("loss.hinge", 1)]
    [['-1'], ['0'], ['1']]
    """
    every, seen = EveryChoice(), set()
    while True:
        problem = {"family": family, **_maker(family)(every, tiny_size(rows))}
        if str(problem) not in seen:  # choices may differ in what isn't used
            seen.add(str(problem))
            yield problem
        if not every.next():
            return


def _maker(family: str) -> Callable[[Draws, Size], Problem]:
    if family not in FAMILIES:
        raise ParameterError(f"unknown family {family!r}; known: {', '.join(FAMILIES)}")
    return MAKERS[family]


def _rows(draws: Draws, size: Size, least: int = 1) -> list[list[str]]:
    m = least + draws.below(max(1, size.rows + 1 - least))
    return draws.rows(m, 1 + draws.below(size.columns), size.numbers)


def _vary(draws: Draws, size: Size, problem: Problem, **settings: Sequence[Any]) -> Problem:
    """The problem with some of the settings; about half of them are left at their defaults."""
    if size.settings:
        for name, values in settings.items():
            if draws.below(2):
                problem[name] = draws.one_of(values)
    return problem


def _binary(draws: Draws, size: Size) -> Problem:
    """Rows with the labels −1 and 1."""
    X = _rows(draws, size)
    return {"X": X, "y": draws.row(len(X), (-1, 1))}


def _letters(draws: Draws, size: Size) -> Problem:
    """Rows with letters for labels; `classes` names also those that no row has."""
    X = _rows(draws, size)
    return {"X": X, "y": draws.row(len(X), size.labels), "classes": [*size.labels]}


def _costs(size: Size) -> list[list[str]]:
    k = len(size.labels)
    return [row[:k] for row in COSTS[:k]]


def _kernel(draws: Draws, size: Size, problem: Problem) -> Problem:
    """The problem, perhaps with a kernel."""
    cubic = {"name": "polynomial", "degree": 3, "scale": "2", "offset": "1"}
    return _vary(draws, size, problem, kernel=["linear", cubic])


def _weights(draws: Draws, size: Size, problem: Problem) -> Problem:
    """The problem, perhaps with weights of its rows, of which the last is not 0."""
    weights = [*draws.row(len(problem["X"]) - 1, ["1", "1", "1/2", "3", "0"]), "2"]
    return _vary(draws, size, problem, weights=[weights]) if size.settings else problem


def _svm_binary(draws: Draws, size: Size) -> Problem:
    problem = _binary(draws, size) | {"C": draws.one_of(["1", "1/4", "10"])}
    problem = _weights(draws, size, _kernel(draws, size, problem))
    return _vary(
        draws, size, problem, bias=[True, False, "penalised"], loss=["hinge", "squared_hinge"]
    )


def _svm_hard(draws: Draws, size: Size) -> Problem:
    return _vary(draws, size, _kernel(draws, size, _binary(draws, size)), bias=[True, False])


def _svm_multiclass(draws: Draws, size: Size) -> Problem:
    problem = _letters(draws, size) | {"C": draws.one_of(["1", "1/4", "10"])}
    problem = _weights(draws, size, _kernel(draws, size, problem))
    return _vary(draws, size, problem, loss=["max_form", "sum_form"], cost=[_costs(size)])


def _qp(draws: Draws, size: Size) -> Problem:
    """A convex program: Q = VᵀV, at most one equation, and some inequalities."""
    n = 1 + draws.below(size.columns)
    V = draws.rows(n, n, size.numbers)
    Q = [[str(sum(Fraction(r[i]) * Fraction(r[j]) for r in V)) for j in range(n)] for i in range(n)]
    problem: Problem = {"Q": Q, "c": draws.row(n, size.numbers)}
    for rows, sides in (("A", "b"), ("G", "h")):
        count = draws.below(size.rows if rows == "G" else 2)
        if count:
            problem[rows] = draws.rows(count, n, size.numbers)
            problem[sides] = draws.row(count, size.numbers)
    return problem


def _grow(draws: Draws, size: Size) -> Problem:
    X = _rows(draws, size)
    problem = _weights(draws, size, {"X": X, "y": draws.row(len(X), size.labels)})
    problem = _vary(draws, size, problem, impurity=["gini", "entropy", "misclassification"])
    problem = _vary(draws, size, problem, weighted=[True, False], max_depth=[1, 2], min_leaf=[2])
    return _vary(draws, size, problem, max_splits=[1, 2, 3], min_decrease=["1/10", "1/4"])


def _prune(draws: Draws, size: Size) -> Problem:
    X = _rows(draws, size)
    problem: Problem = {"X": X, "y": draws.row(len(X), size.labels)}
    tree: Any = solve_problem({"family": "tree.grow", **problem})["tree"]
    kept = ("question", "negative", "positive")
    nodes = [{name: node[name] for name in kept if name in node} for node in tree["nodes"]]
    problem |= {"tree": {"nodes": nodes}, "risk": "misclassification"}
    return _vary(draws, size, problem, risk=["gini", "misclassification"], scale=["sum", "mean"])


def _ada(draws: Draws, size: Size) -> Problem:
    return _weights(draws, size, _binary(draws, size) | {"rounds": 1 + draws.below(3)})


def _mh(draws: Draws, size: Size) -> Problem:
    problem = _letters(draws, size) | {"rounds": 1 + draws.below(2)}
    problem["Y"] = problem.pop("y")
    if draws.below(2):
        problem["Y"] = [[c for c in size.labels if draws.below(2)] for _ in problem["X"]]
    return _vary(draws, size, problem, base=["stumps", "two_sided"])


def _perceptron(draws: Draws, size: Size, kernel: bool = False) -> Problem:
    problem = _binary(draws, size) | {"epochs": 1 + draws.below(3)}
    problem = _kernel(draws, size, problem) if kernel else problem
    return _vary(draws, size, problem, bias=[True, False], average=["equally", "by_age"])


def _perceptron_multiclass(draws: Draws, size: Size) -> Problem:
    problem = _letters(draws, size) | {"epochs": 1 + draws.below(2)}
    taus = ["chosen_rival", "all_rivals"]
    return _vary(draws, size, problem, tau=taus, average=["equally", "by_age"])


def _sgd(draws: Draws, size: Size) -> Problem:
    problem = _binary(draws, size) | {"C": draws.one_of(["1", "1/2", "2"])}
    problem |= {"eta": draws.one_of(["1/4", "1/2"]), "epochs": 1 + draws.below(2)}
    return _vary(draws, size, problem, bias=[True, False], shrink=["always", "with_loss"])


def _sgd_multiclass(draws: Draws, size: Size) -> Problem:
    problem = _letters(draws, size) | {"lam": draws.one_of(["1", "1/2"]), "T": 1 + draws.below(4)}
    return _vary(
        draws, size, problem, loss=["max_form", "sum_form"], cost=[_costs(size)], eta=["1/4"]
    )


def _margins(draws: Draws, size: Size, rho: bool = False) -> Problem:
    problem: Problem = {"z": draws.row(1 + draws.below(size.rows), size.numbers)}
    return _vary(draws, size, problem, rho=["1/2", "2"]) if rho else problem


def _scores(draws: Draws, size: Size) -> Problem:
    scores = draws.rows(1 + draws.below(size.rows), 3, size.numbers)
    return {"scores": scores, "y": draws.row(len(scores), range(3))}


def _hinge(draws: Draws, size: Size) -> Problem:
    return _vary(draws, size, _scores(draws, size), cost=[COSTS])


def _hamming(draws: Draws, size: Size) -> Problem:
    m, k = 1 + draws.below(size.rows), 1 + draws.below(3)
    return {"predicted": draws.rows(m, k, [1, -1]), "y": draws.rows(m, k, [1, -1])}


def _code(draws: Draws, size: Size) -> Problem:
    k, bits = 2 + draws.below(2), 1 + draws.below(size.columns + 1)
    code, f = draws.rows(k, bits, ["-1", "0", "1"]), draws.rows(1, bits, size.numbers)
    losses = ["hamming", "hinge", "exponential", "logistic"]
    return _vary(draws, size, {"code": code, "f": f}, decoding=losses)


def _pairs(draws: Draws, size: Size) -> Problem:
    problem: Problem = {"pairs": draws.rows(1 + draws.below(size.columns), 3, size.numbers)}
    return _vary(draws, size, problem, rule=["votes", "score_sum"])


def _ova(draws: Draws, size: Size) -> Problem:
    problem: Problem = {"scores": draws.rows(1 + draws.below(size.columns), 3, size.numbers)}
    return _vary(draws, size, problem, rule=["claim", "score_among_claims"])


def _nodes(draws: Draws, size: Size) -> Problem:
    k = 2 + draws.below(3)
    problem: Problem = {"classes": [*"abcd"][:k]}
    eliminations = 1 + draws.below(2)
    f = draws.rows(1 + draws.below(size.columns), eliminations * k - 1, size.numbers)
    return problem | {"eliminations": eliminations, "f": f}


def _rademacher(draws: Draws, size: Size) -> Problem:
    return {"values": draws.rows(1 + draws.below(3), 1 + draws.below(size.rows), size.numbers)}


def _margin_bound(draws: Draws, size: Size, kernel: bool = False) -> Problem:
    found: Problem = {"empirical": draws.one_of(["0", "1/20"]), "k": 2 + draws.below(3)}
    found |= {"rho": draws.one_of(["1", "1/2", "3"]), "m": draws.one_of([10, 400])}
    found["delta"] = draws.one_of(["1/20", "1/100"])
    if kernel:
        return found | {"r_squared": draws.one_of("12"), "Lambda_squared": draws.one_of("14")}
    return found | {draws.one_of(["expected_complexity", "empirical_complexity"]): "1/100"}


def _kernel_rademacher(draws: Draws, size: Size) -> Problem:
    found: Problem = {name: draws.one_of("124") for name in ("r_squared", "Lambda_squared")}
    return found | {"m": 1 + draws.below(size.rows)}


def _separated(draws: Draws, size: Size) -> Problem:
    """Rows with the labels that a separator w gives them; w itself stands for a row of score 0."""
    X = _rows(draws, size)
    w = draws.row(len(X[0]), ["1", "-2", "1/2"])
    scores = [sum(Fraction(a) * Fraction(b) for a, b in zip(w, x)) for x in X]
    rows = [x if score else w for x, score in zip(X, scores)]
    return {"X": rows, "y": [-1 if score < 0 else 1 for score in scores], "w": w}


def _errors(draws: Draws, size: Size) -> Problem:
    rounds = 1 + draws.below(size.rows)
    return {"epsilons": draws.row(rounds, ["1/10", "1/3", "0x1.fp-2"])}


MAKERS: dict[str, Callable[[Draws, Size], Problem]] = {
    "svm.multiclass": _svm_multiclass,
    "svm.binary": _svm_binary,
    "svm.hard": _svm_hard,
    "qp.convex": _qp,
    "tree.grow": _grow,
    "tree.prune": _prune,
    "boost.ada": _ada,
    "boost.mh": _mh,
    "perceptron.binary": _perceptron,
    "perceptron.kernel": partial(_perceptron, kernel=True),
    "perceptron.multiclass": _perceptron_multiclass,
    "sgd.binary": _sgd,
    "sgd.multiclass": _sgd_multiclass,
    "loss.hinge": _margins,
    "loss.perceptron": _margins,
    "loss.exponential": _margins,
    "loss.logistic": _margins,
    "loss.margin": partial(_margins, rho=True),
    "loss.multiclass_hinge": _hinge,
    "loss.multiclass_hinge_sum": _hinge,
    "loss.zero_one": _scores,
    "loss.hamming": _hamming,
    "code.decode": _code,
    "ovo.decode": _pairs,
    "ova.decode": _ova,
    "nodes.decode": _nodes,
    "bound.rademacher": _rademacher,
    "bound.margin": _margin_bound,
    "bound.kernel_rademacher": _kernel_rademacher,
    "bound.kernel_margin": partial(_margin_bound, kernel=True),
    "bound.perceptron": _separated,
    "bound.adaboost": _errors,
}
"""The function that makes the problems of each family."""
