"""What values of losses and their subgradients get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import e, exp, fsum, log1p
from statistics import median
from typing import Any, NamedTuple

from refmc.core.linalg import dot
from refmc.core.records import Record, items, number, numbers
from refmc.mistakes.fields import (
    LN_2,
    costs_ignored,
    costs_transposed,
    dropping,
    each_number,
    mapped,
    negating,
    of_unit,
    rewritten,
    times,
    to_whole,
    without,
)
from refmc.mistakes.generic_rows import single
from refmc.mistakes.mistake import Mistake, Neighbours, Wrong, of_answer, of_program, step_of
from refmc.mistakes.plain_runs import plain_run
from refmc.mistakes.transport import Program, Rewriting, solved
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


class Row(NamedTuple):
    """Of a row: Δ(j, y) and s_j − s_y of every class j, y, whether every mistake costs 1, and the
    classes that some row has."""

    costs: Vector
    above: Vector
    y: int
    is_plain: bool
    present: set[int]

    @property
    def others(self) -> list[int]:
        return [j for j in range(len(self.above)) if j != self.y]

    def term(self, j: int) -> Fraction:
        """What the class exceeds its margin by."""
        return self.costs[j] + self.above[j]

    def is_best_rival(self, j: int) -> bool:
        """Whether the class scores most of all but y, and is the first of these."""
        return j == max(self.others, key=lambda r: self.above[r], default=None)


def _rows(problem: Record) -> Iterator[Row]:
    read: Any = read_problem(problem)
    for i, (scores, y) in enumerate(zip(read.scores, read.y)):
        costs = [Fraction(j != y) for j in range(len(scores))]
        above = [v - scores[y] for v in scores]
        yield Row(read.costs[i] if read.costs else costs, above, y, not read.costs, {*read.y})


TERMS: dict[str, tuple[tuple[str, ...], Callable[[Row, int], Fraction]]] = {
    "right": (HINGES, lambda row, j: row.term(j)),
    "cost_on_truth": (HINGES, lambda row, j: row.term(j) + (row.is_plain and j == row.y)),
    "absent_class": (HINGES, lambda row, j: row.term(j) * (j in row.present)),
    "first_class_no_rival": (HINGES, lambda row, j: row.term(j) * (j > 0)),
    "last_class_no_rival": (HINGES, lambda row, j: row.term(j) * (j < len(row.above) - 1)),
    "scaled_by_cost": (HINGES, lambda row, j: row.costs[j] * (1 + row.above[j])),
    "at_predicted": (HINGES, lambda row, j: row.term(j) * (j == row.above.index(max(row.above)))),
    "rival_by_score": ((MAX_FORM,), lambda row, j: row.term(j) * row.is_best_rival(j)),
}
"""The term of each class, of which what is below 0 doesn't count."""

OWN_SLOPES: dict[str, tuple[tuple[str, ...], Callable[[Fraction], Fraction]]] = {
    "right": (HINGES, lambda own: own),
    "own_row_once": ((SUM_FORM, "sgd.multiclass"), lambda own: max(own, -ONE)),
    "own_slope_missing": (HINGES, lambda own: ZERO),
}
"""The slope by the score of the own class, from what it should be."""


def _hinges(problem: Record, wrong: Wrong = (), power: int = 1) -> Record:
    """For each row the largest of its positive terms, or in the sum form all of them together.

    The terms, one for each class, may be raised to a power. The slopes follow from them, by which a
    descent goes.
    """
    if problem["family"] == "sgd.multiclass":
        return plain_run(problem, wrong) or {}  # there is a run, as no states are told
    read: Any = read_problem(problem)
    (_, term), (_, of_own) = step_of(TERMS, wrong), step_of(OWN_SLOPES, wrong)
    values, slopes = list[Fraction](), list[object]()
    for i, row in enumerate(_rows(problem)):
        positive = [max(term(row, j), ZERO) for j in range(len(row.above))]
        if problem["family"] == MAX_FORM:
            worst = positive.index(max(positive))
            positive = [v * (j == worst) for j, v in enumerate(positive)]
        values.append(sum((v**power for v in positive), ZERO))
        g = [power * v ** (power - 1) if v else ZERO for v in positive]
        g[row.y] = of_own(g[row.y] - sum(g, ZERO))
        slopes.append(_of_weights(read, i, g))
    return {**_with_mean(values), "subgradients": slopes}


def _values_alone(problem: Record, wrong: Wrong) -> Record:
    """The same without the slopes, which another part of the program may give right."""
    return without(_hinges(problem, wrong), "subgradients")


def _of_weights(read: Any, i: int, g: Sequence[Fraction]) -> object:
    """The slope by the weights, where there are rows or features, from the one by the scores."""
    if read.features is not None:
        return [dot(g, column, ZERO) for column in zip(*read.features[i])]
    return g if read.X is None else [[c * v for v in read.X[i]] for c in g]


def _one_sided(problem: Record) -> Record:
    """The share of places where +1 is missing, and not those where it is too much."""
    read: Any = read_problem(problem)
    pairs = [[*zip(mine, right)] for mine, right in zip(read.predicted, read.y)]
    return _with_mean([Fraction(sum(p != 1 == q for p, q in pair), len(pair)) for pair in pairs])


OF_MARGIN: dict[str, tuple[str, Callable[[Fraction, Fraction], Fraction]]] = {
    "absolute": ("hinge", lambda z, rho: abs(1 - z)),
    "hinge_not_cut": ("hinge", lambda z, rho: 1 - z),
    "perceptron_not_cut": ("perceptron", lambda z, rho: -z),
    "power_of_two": ("exponential", lambda z, rho: _float(2, -z)),
    "sigmoid": ("logistic", lambda z, rho: 1 / (1 + _float(e, z))),
    "line_missing": ("logistic", lambda z, rho: Fraction(log1p(exp(-abs(z))))),
    "margin_not_capped": ("margin", lambda z, rho: max(ZERO, 1 - z / rho)),
    "rho_not_divided": ("margin", lambda z, rho: min(ONE, max(ZERO, rho - z))),
    "step_at_rho": ("margin", lambda z, rho: Fraction(z < rho)),
}
"""The loss of a margin z, and of ρ, in the place of that of a family."""


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


def _one_label(problem: Record, answer: Record) -> list[Record]:
    """The problems whose rows all have the label of the first, or of the last."""
    y = items(problem["y"], "problem.y")
    return [{**problem, "y": [one] * len(y)} for one in (y[0], y[-1]) if any(v != one for v in y)]


def single_number(value: Fraction) -> Fraction:
    """The number rounded to the nearest binary32."""
    return single([value])[0]


def _of_both(problem: Record, answer: Record) -> Record | None:
    """The answer, unless it has only slopes, of which too many are right at whole margins."""
    return answer if "values" in answer else None


def _complement(*names: str) -> Rewriting:
    """One minus every number of some fields."""
    return lambda problem, answer: rewritten(
        answer, lambda value: mapped(value, lambda v: 1 - v), *names
    )


def _any_place(problem: Record) -> Record:
    """1 for a code with any wrong place."""
    return _with_mean([Fraction(v != 0) for v in numbers(solved(problem)["values"], "values")])


def _of_family(name: str) -> Program:
    """The values of another family's loss."""
    return lambda problem: {**solved({**problem, "family": name}), "family": problem["family"]}


OF_MEANS: dict[str, Callable[[list[Fraction]], Fraction]] = {
    "mean_over_one_less": lambda values: sum(values) / Fraction(len(values) - 1),
    "mean_over_one_more": lambda values: sum(values) / Fraction(len(values) + 1),
    "sum_for_mean": lambda values: sum(values, ZERO),
    "first_not_averaged": lambda values: sum(values[1:]) / Fraction(len(values) - 1),
    "last_not_averaged": lambda values: sum(values[:-1]) / Fraction(len(values) - 1),
    "first_not_added": lambda values: sum(values[1:], ZERO) / len(values),
    "last_not_added": lambda values: sum(values[:-1], ZERO) / len(values),
    "equal_values_once": lambda values: sum({*values}, ZERO) / len({*values}),
    "mean_cut": lambda values: Fraction(int(sum(values) / Fraction(len(values)))),
    "mean_of_positive": lambda values: sum(values) / Fraction(sum(v > 0 for v in values)),
    "median_for_mean": median,
    "largest_for_mean": max,
    "last_for_mean": lambda values: values[-1],
    "last_over_m": lambda values: values[-1] / len(values),
}
"""What is given for the mean of the values."""


OVER_CLASSES: dict[str, Callable[[int, int], int]] = {
    "mean_over_entries": lambda m, k: m * k,
    "mean_over_rivals": lambda m, k: m * (k - 1),
    "mean_over_classes": lambda m, k: k,
}
"""By what the sum of the losses of m rows with k classes is divided."""


def _of_values(mean: Callable[[list[Fraction]], Fraction]) -> Program:
    def program(problem: Record) -> Record:
        right = solved(problem)
        return {**right, "mean": mean(numbers(right["values"], "values"))}

    return program


def _over_classes(over: Callable[[int, int], int]) -> Program:
    def program(problem: Record) -> Record:
        size, right = sizes(problem), solved(problem)
        total = sum(numbers(right["values"], "values"), ZERO)
        return {**right, "mean": total / over(size["rows"], size["classes"])}

    return program


def _places(problem: Record) -> int | None:
    """The length of the codes, if all have the same."""
    read: Any = read_problem(problem)
    lengths = {*map(len, read.y)}
    return lengths.pop() if len(lengths) == 1 else None


def _squares(problem: Record, share: Fraction = ONE) -> dict[str, object]:
    """Shares of the squares of the values, in the sum form of its terms, with their slopes."""
    if problem["family"] in HINGES:
        found = _hinges(problem, power=2)
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
        rows = ((row, row.others) for row in _rows(problem))
        parts = ((map(row.term, js), map(row.above.__getitem__, js)) for row, js in rows)
        return _with_mean([value([*terms], [*above]) for terms, above in parts])

    return program


def _float(base: float, power: Fraction) -> Fraction:
    return Fraction(base ** float(power))


def _slopes(more: int) -> Program:
    """So much more than the slopes of the logistic loss."""
    return lambda problem: {
        "subgradients": [more - 1 / (1 + _float(e, z)) for z in numbers(problem["z"], "z")]
    }


def _of_step(name: str, families: tuple[str, ...]) -> Mistake:
    """The mistake of a term or a slope, with which the program may give the slopes or not."""
    programs = (partial(of, wrong={name}) for of in (_hinges, _values_alone))
    return of_program(f"loss.{name}", families, *programs)


MISTAKES: tuple[Mistake, ...] = (
    *(_of_step(n, table[n][0]) for table in (TERMS, OWN_SLOPES) for n in table if n != "right"),
    *(of_program(f"loss.{n}", (f"loss.{of}",), _each(f)) for n, (of, f) in OF_MARGIN.items()),
    of_program("loss.hamming_one_sided", ("loss.hamming",), _one_sided),
    of_program("loss.margin_missing", ("loss.hinge", *HINGES), _margin_missing),
    of_program("loss.capped", ("loss.hinge",), _of_family("loss.margin")),
    of_program("loss.margin_added", ("loss.perceptron",), _of_family("loss.hinge")),
    of_program("loss.slope_of_sigmoid", ("loss.logistic",), _slopes(1), right=_slopes(0)),
    Mistake(
        "loss.reversed_margin", (*OF_MARGINS, "loss.zero_one", *HINGES), negating("scores", "z")
    ),
    Mistake("loss.whole_scores", (*OF_MARGINS, *HINGES), to_whole("scores", "z"), _of_both),
    Mistake(
        "loss.single_precision", (*OF_MARGINS, *HINGES), each_number(single_number, "scores", "z")
    ),
    Mistake("loss.first_label", ("loss.hamming", "loss.zero_one", *HINGES), _one_label),
    Mistake("loss.margin_scaled", ("loss.exponential", "loss.logistic"), _scaled),
    of_answer("loss.slope_sign", OF_SLOPES, times(lambda problem: -1, "subgradients")),
    of_unit(
        "loss.slope_over_m", OF_SLOPES, lambda p: Fraction(1, sizes(p)["rows"]), "subgradients"
    ),
    of_unit("loss.base_two", ("loss.logistic",), lambda problem: 1 / LN_2, *NUMBERS),
    Mistake("loss.rho_ignored", ("loss.margin",), dropping("rho")),
    Mistake("loss.other_form", HINGES, _other_of(HINGES)),
    Mistake("loss.other_of_margins", OF_MARGINS, _other_of(OF_MARGINS, "rho")),
    Mistake("loss.costs_transposed", HINGES, costs_transposed),
    Mistake("loss.costs_ignored", HINGES, costs_ignored),
    of_program("loss.squared", SQUARED, _squares),
    of_program("loss.half_squared", SQUARED, partial(_squares, share=Fraction(1, 2))),
    *(of_program(f"loss.{n}", families, _of_rows(of)) for n, (families, of) in OF_ROWS.items()),
    replace(
        of_answer("loss.accuracy", OF_SHARES, _complement("values", "mean")),
        if_tied=(_complement("mean"),),
    ),
    of_program("loss.any_place", ("loss.hamming",), _any_place),
    of_unit("loss.hamming_count", ("loss.hamming",), _places, "values", "mean"),
    *(of_program(f"loss.{name}", OF_VALUES, _of_values(of)) for name, of in OF_MEANS.items()),
    *(of_program(f"loss.{n}", HINGES, _over_classes(over)) for n, over in OVER_CLASSES.items()),
)

CONVENTIONS: tuple[Mistake, ...] = ()
