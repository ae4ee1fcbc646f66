"""What values of losses and their subgradients get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import e, exp, fsum, log1p
from typing import Any

from refmc.core.linalg import dot
from refmc.core.records import Record, items, matrix, number, numbers
from refmc.mistakes.fields import (
    LN_2,
    changing,
    costs_ignored,
    costs_transposed,
    cut,
    dropping,
    mapped,
    negating,
    of_unit,
    rewriting,
    rewritten,
    times,
    without,
)
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_program
from refmc.mistakes.plain_runs import plain_run
from refmc.mistakes.transport import Program, solved
from refmc.oracle.axes import sizes
from refmc.oracle.values.losses import read_problem

HINGES = ("loss.multiclass_hinge", "loss.multiclass_hinge_sum")


def _other_of(families: Sequence[str], *dropped: str) -> Neighbours:
    """The problem of each of the other families, without some fields."""
    return lambda problem, answer: [
        {**without(problem, *dropped), "family": name}
        for name in families
        if name != problem["family"]
    ]


MAX_FORM, SUM_FORM = HINGES


ZERO, ONE = Fraction(0), Fraction(1)


Vector = Sequence[Fraction]
"""Numbers of a row, such as its terms."""

NUMBERS = ("values", "mean", "subgradients")


OF_MARGINS = tuple(
    f"loss.{name}" for name in ("hinge", "perceptron", "exponential", "logistic", "margin")
)


OF_SLOPES = (*OF_MARGINS[:4], *HINGES)
OF_SHARES = ("loss.zero_one", "loss.hamming", "loss.margin")
SQUARED = ("loss.hinge", "loss.perceptron", *HINGES)


OF_VALUES = (*OF_MARGINS, "loss.zero_one", "loss.hamming", *HINGES)


def _with_mean(values: list[Fraction]) -> dict[str, object]:
    return {"values": values, "mean": sum(values, ZERO) / len(values)}


def _terms(problem: Record) -> list[tuple[list[Fraction], int]]:
    """For each row Δ(j, y) + s_j − s_y of every class j, and y."""
    read: Any = read_problem(problem)
    found = []
    for i, (scores, y) in enumerate(zip(read.scores, read.y)):
        costs = [j != y for j in range(len(scores))] if read.costs is None else read.costs[i]
        found.append(([d + s - scores[y] for d, s in zip(costs, scores)], y))
    return found


def _hinges(problem: Record, rows: Iterable[Iterable[Fraction]], power: int = 1) -> Record:
    """For each row the largest of its positive terms, or in the sum form all of them together.

    The terms, one for each class, may be raised to a power. The slopes follow from them.
    """
    read: Any = read_problem(problem)
    values, slopes = list[Fraction](), list[object]()
    for i, (terms, y) in enumerate(zip(rows, read.y)):
        positive = [max(v, ZERO) for v in terms]
        if problem["family"] == MAX_FORM:
            worst = positive.index(max(positive))
            positive = [v * (j == worst) for j, v in enumerate(positive)]
        values.append(sum((v**power for v in positive), ZERO))
        g = [power * v ** (power - 1) if v else ZERO for v in positive]
        g[y] -= sum(g, ZERO)
        slopes.append(_of_weights(read, i, g))
    return {**_with_mean(values), "subgradients": slopes}


def _of_weights(read: Any, i: int, g: Sequence[Fraction]) -> object:
    """The slope by the weights, where there are rows or features, from the one by the scores."""
    if read.features is not None:
        return [dot(g, column, ZERO) for column in zip(*read.features[i])]
    return g if read.X is None else [[c * v for v in read.X[i]] for c in g]


def _cost_on_truth(problem: Record) -> Record | None:
    """The margin of 1 asked of the true class, too."""
    if "cost" in problem or "row_costs" in problem:
        return None
    return _hinges(problem, ([v + (j == y) for j, v in enumerate(t)] for t, y in _terms(problem)))


def _absent_class(problem: Record) -> Record | None:
    """The maximum over the classes that some row has."""
    present = {y for _, y in _terms(problem)}
    rows = ([v * (j in present) for j, v in enumerate(terms)] for terms, _ in _terms(problem))
    return _hinges(problem, rows)


def _own_row_once(problem: Record) -> Record | None:
    """Subgradients of the sum form with −1 for the true class, however many rivals have a loss."""
    if problem["family"] == "sgd.multiclass":
        return plain_run(problem, {"own_row_once"}) if problem.get("loss") == "sum_form" else None
    if "X" in problem or "features" in problem:
        return None
    slopes = matrix(solved(problem)["subgradients"], "subgradients")
    return {"subgradients": [[max(g, -ONE) for g in row] for row in slopes]}


def _one_sided(problem: Record) -> Record:
    """The share of places where +1 is missing, and not those where it is too much."""
    read: Any = read_problem(problem)
    pairs = [[*zip(mine, right)] for mine, right in zip(read.predicted, read.y)]
    return _with_mean([Fraction(sum(p != 1 == q for p, q in pair), len(pair)) for pair in pairs])


def _each(value: Callable[[Fraction, Fraction], Fraction]) -> Program:
    """A loss of each margin, and of ρ, with their mean."""

    def program(problem: Record) -> Record:
        rho = number(problem.get("rho", 1), "rho")
        return _with_mean([value(z, rho) for z in numbers(problem["z"], "z")])

    return program


def _margin_missing(problem: Record) -> Record | None:
    """max(0, −z) for max(0, 1 − z); hinges without their costs."""
    if problem["family"] == "loss.hinge":
        return _of_family("loss.perceptron")(problem)
    k = len(items(items(problem["scores"], "scores")[0], "scores"))
    return solved({**without(problem, "row_costs"), "cost": [[0] * k] * k})


def _scaled(problem: Record, answer: Record) -> list[Record]:
    """The problem with its margins doubled, and with them halved."""
    z = numbers(problem["z"], "z")
    return [{**problem, "z": [v * by for v in z]} for by in (2, Fraction(1, 2))]


_first_label = changing("y", items, lambda y: [y[0]] * len(y))
"""The problem whose rows all have the label of the first."""


def _of_both(problem: Record, answer: Record) -> Record | None:
    """The answer, unless it has only slopes, of which too many are right at whole margins."""
    return answer if "values" in answer else None


def _complement(problem: Record, answer: Record) -> Record | None:
    """One minus every value, and minus the mean."""
    return rewritten(answer, lambda value: mapped(value, lambda v: 1 - v), "values", "mean")


def _any_place(problem: Record) -> Record:
    """1 for a code with any wrong place."""
    return _with_mean([Fraction(v != 0) for v in numbers(solved(problem)["values"], "values")])


def _of_family(name: str) -> Program:
    """The values of another family's loss."""
    return lambda problem: {**solved({**problem, "family": name}), "family": problem["family"]}


OF_MEANS: dict[str, Callable[[Vector], Fraction]] = {
    "mean_over_one_less": lambda values: Fraction(len(values), len(values) - 1),
    "sum_for_mean": lambda values: Fraction(len(values)),
    "mean_of_positive": lambda values: Fraction(len(values), sum(v > 0 for v in values)),
}
"""What the mean is multiplied by."""


def _of_values(factor: Callable[[Vector], Fraction]) -> Callable[[Record], Fraction]:
    return lambda problem: factor(numbers(solved(problem)["values"], "values"))


def _places(problem: Record) -> int | None:
    """The length of the codes, if all have the same."""
    read: Any = read_problem(problem)
    lengths = {*map(len, read.y)}
    return lengths.pop() if len(lengths) == 1 else None


def _squares(problem: Record, share: Fraction = ONE) -> dict[str, object]:
    """Shares of the squares of the values, in the sum form of its terms, with their slopes."""
    if problem["family"] in HINGES:
        found = _hinges(problem, (terms for terms, _ in _terms(problem)), power=2)
    else:
        right = solved(problem)
        values, slopes = (numbers(right[name], name) for name in ("values", "subgradients"))
        found = _with_mean([v * v for v in values])
        found |= {"subgradients": [2 * v * g for v, g in zip(values, slopes)]}
    return {name: mapped(value, lambda v: v * share) for name, value in found.items()}


OF_ROWS: dict[str, tuple[tuple[str, ...], Callable[[Vector, Vector], Fraction]]] = {
    "mean_of_rivals": ((SUM_FORM,), lambda terms, s: _positive(terms) / max(1, len(s))),
    "mean_of_classes": ((SUM_FORM,), lambda terms, s: _positive(terms) / (len(s) + 1)),
    "softmax": (HINGES, lambda terms, s: Fraction(log1p(fsum(map(exp, s))))),
}
"""The loss of a row, from the terms of its rivals, and from what these score above its class."""


def _positive(terms: Vector) -> Fraction:
    return sum((max(v, ZERO) for v in terms), ZERO)


def _of_rows(value: Callable[[Vector, Vector], Fraction]) -> Program:
    def program(problem: Record) -> Record:
        read: Any = read_problem(problem)
        found = []
        for (terms, y), s in zip(_terms(problem), read.scores):
            others = [j for j in range(len(s)) if j != y]
            found.append(value([terms[j] for j in others], [s[j] - s[y] for j in others]))
        return _with_mean(found)

    return program


def _scaled_by_cost(problem: Record) -> Record:
    """Terms Δ(j, y) max(0, 1 + s_j − s_y): the cost scales what it should shift."""
    read: Any = read_problem(problem)
    costs = read.costs or [[ONE] * len(row) for row in read.scores]
    rows = zip(read.scores, read.y, costs)
    return _hinges(
        problem,
        ([d * (1 + s - scores[y]) * (j != y) for j, (d, s) in enumerate(zip(own, scores))]
         for scores, y, own in rows),
    )  # fmt: skip


def _rival_by_score(problem: Record) -> Record:
    """The term of the rival of the largest score, which is not that of the largest sum with Δ."""
    read: Any = read_problem(problem)
    chosen = []
    for (terms, y), scores in zip(_terms(problem), read.scores):
        others = (j for j in range(len(scores)) if j != y)
        rival = max(others, key=lambda j: scores[j], default=y)
        chosen.append([v * (j == rival) for j, v in enumerate(terms)])
    return _hinges(problem, chosen)


def _float(base: float, power: Fraction) -> Fraction:
    return Fraction(base ** float(power))


def _slopes(more: int) -> Program:
    """So much more than the slopes of the logistic loss."""
    return lambda problem: {
        "subgradients": [more - 1 / (1 + _float(e, z)) for z in numbers(problem["z"], "z")]
    }


MISTAKES: tuple[Mistake, ...] = (
    of_program("loss.cost_on_truth", HINGES, _cost_on_truth),
    of_program("loss.own_row_once", (SUM_FORM, "sgd.multiclass"), _own_row_once),
    of_program("loss.absent_class", HINGES, _absent_class),
    of_program("loss.hamming_one_sided", ("loss.hamming",), _one_sided),
    of_program("loss.margin_missing", ("loss.hinge", *HINGES), _margin_missing),
    of_program("loss.capped", ("loss.hinge",), _of_family("loss.margin")),
    of_program("loss.absolute", ("loss.hinge",), _each(lambda z, rho: abs(1 - z))),
    of_program("loss.hinge_not_cut", ("loss.hinge",), _each(lambda z, rho: 1 - z)),
    of_program("loss.perceptron_not_cut", ("loss.perceptron",), _each(lambda z, rho: -z)),
    of_program("loss.margin_added", ("loss.perceptron",), _of_family("loss.hinge")),
    of_program("loss.power_of_two", ("loss.exponential",), _each(lambda z, rho: _float(2, -z))),
    of_program("loss.sigmoid", ("loss.logistic",), _each(lambda z, rho: 1 / (1 + _float(e, z)))),
    of_program("loss.slope_of_sigmoid", ("loss.logistic",), _slopes(1), right=_slopes(0)),
    of_program("loss.scaled_by_cost", HINGES, _scaled_by_cost),
    of_program("loss.rival_by_score", (MAX_FORM,), _rival_by_score),
    Mistake(
        "loss.reversed_margin",
        (*OF_MARGINS, "loss.zero_one", *HINGES),
        problem=negating("scores", "z"),
    ),
    Mistake("loss.whole_scores", (*OF_MARGINS, *HINGES), rewriting(cut, "scores", "z"), _of_both),
    Mistake("loss.first_label", ("loss.hamming", "loss.zero_one", *HINGES), problem=_first_label),
    Mistake("loss.margin_scaled", ("loss.exponential", "loss.logistic"), problem=_scaled),
    of_answer("loss.slope_sign", OF_SLOPES, times(lambda problem: -1, "subgradients")),
    of_unit(
        "loss.slope_over_m", OF_SLOPES, lambda p: Fraction(1, sizes(p)["rows"]), "subgradients"
    ),
    of_unit("loss.base_two", ("loss.logistic",), lambda problem: 1 / LN_2, *NUMBERS),
    Mistake("loss.rho_ignored", ("loss.margin",), problem=dropping("rho")),
    of_program(
        "loss.margin_not_capped", ("loss.margin",), _each(lambda z, rho: max(ZERO, 1 - z / rho))
    ),
    of_program(
        "loss.rho_not_divided", ("loss.margin",), _each(lambda z, rho: min(ONE, max(ZERO, rho - z)))
    ),
    of_program("loss.step_at_rho", ("loss.margin",), _each(lambda z, rho: Fraction(z < rho))),
    Mistake("loss.other_form", HINGES, problem=_other_of(HINGES)),
    Mistake("loss.other_of_margins", OF_MARGINS, problem=_other_of(OF_MARGINS, "rho")),
    Mistake("loss.costs_transposed", HINGES, problem=costs_transposed),
    Mistake("loss.costs_ignored", HINGES, problem=costs_ignored),
    of_program("loss.squared", SQUARED, _squares),
    of_program("loss.half_squared", SQUARED, partial(_squares, share=Fraction(1, 2))),
    *(
        of_program(f"loss.{name}", families, _of_rows(of))
        for name, (families, of) in OF_ROWS.items()
    ),
    of_answer("loss.accuracy", OF_SHARES, answer=_complement),
    of_program("loss.any_place", ("loss.hamming",), _any_place),
    of_unit("loss.hamming_count", ("loss.hamming",), _places, "values", "mean"),
    *(of_unit(f"loss.{name}", OF_VALUES, _of_values(of), "mean") for name, of in OF_MEANS.items()),
)

CONVENTIONS: tuple[Mistake, ...] = ()

HINTS = (
    "loss.other_form", "loss.costs_transposed", "loss.costs_ignored", "loss.hamming_count",
    "loss.sum_for_mean",
)  # fmt: skip
"""What `check` tries, in this order; those that stand together are tried as one."""
