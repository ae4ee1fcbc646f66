"""What values of losses and their subgradients get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Context
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, items, number, numbers
from refmc.mistakes.fields import (
    costs_ignored,
    costs_transposed,
    mapped,
    negated,
    rewritten,
    without,
)
from refmc.mistakes.mistake import Mistake, of_answer, of_program
from refmc.mistakes.plain_runs import descent
from refmc.mistakes.transport import Program, Rewriting, solved
from refmc.oracle.values.losses import read_problem

HINGES = ("loss.multiclass_hinge", "loss.multiclass_hinge_sum")


def _other_hinge(problem: Record, answer: Record) -> list[Record]:
    return [{**problem, "family": name} for name in HINGES if name != problem["family"]]


MAX_FORM, SUM_FORM = HINGES


ZERO, ONE = Fraction(0), Fraction(1)


LN_2 = Fraction(Context(prec=40).ln(2))


OF_MARGINS = tuple(
    f"loss.{name}" for name in ("hinge", "perceptron", "exponential", "logistic", "margin")
)


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


def _hinges(problem: Record, rows: Iterable[Iterable[Fraction]]) -> Record:
    """For each row the largest of its positive terms, or in the sum form all of them together."""
    positive = [[max(v, ZERO) for v in terms] for terms in rows]
    return _with_mean([max(v) if problem["family"] == MAX_FORM else sum(v, ZERO) for v in positive])


def _cost_on_truth(problem: Record) -> Record | None:
    """The margin of 1 asked of the true class, too."""
    if "cost" in problem or "row_costs" in problem:
        return None
    return _hinges(problem, ([v + (j == y) for j, v in enumerate(t)] for t, y in _terms(problem)))


def _absent_class(problem: Record) -> Record | None:
    """The maximum over the classes that some row has."""
    present = {y for _, y in _terms(problem)}
    return _hinges(problem, ([terms[j] for j in present] for terms, _ in _terms(problem)))


def _own_row_once(problem: Record) -> Record | None:
    """Subgradients of the sum form with −1 for the true class, however many rivals have a loss."""
    if problem["family"] == "sgd.multiclass":
        return descent(problem, {"own_row_once"}) if problem.get("loss") == "sum_form" else None
    if "X" in problem or "features" in problem:
        return None
    slopes = []
    for terms, y in _terms(problem):
        rivals = [j for j, v in enumerate(terms) if j != y and v > 0]
        slopes.append([ONE * (j in rivals) - (j == y and bool(rivals)) for j in range(len(terms))])
    return {"subgradients": slopes}


def _one_sided(problem: Record) -> Record | None:
    """The share of places where +1 is missing, and not those where it is too much."""
    pairs = zip(items(problem["predicted"], "predicted"), items(problem["y"], "y"))
    codes = [
        (items(p, "predicted"), items(q, "y")) for p, q in pairs if not isinstance(p, (str, int))
    ]
    if not codes:
        return None
    lengths = [len(right) for _, right in codes]
    missing = [sum(q == 1 and p != 1 for p, q in zip(mine, right)) for mine, right in codes]
    return _with_mean([Fraction(count, length) for count, length in zip(missing, lengths)])


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


def _reversed(problem: Record, answer: Record) -> list[Record]:
    """The problem with its margins or scores negated."""
    name = "scores" if "scores" in problem else "z"
    return [{**problem, name: negated(problem[name])}]


def _scaled(problem: Record, answer: Record) -> list[Record]:
    """The problem with its margins doubled, and with them halved."""
    z = numbers(problem["z"], "z")
    return [{**problem, "z": [v * by for v in z]} for by in (2, Fraction(1, 2))]


def _complement(problem: Record, answer: Record) -> Record | None:
    """One minus every value, and minus the mean."""
    return rewritten(answer, lambda value: mapped(value, lambda v: 1 - v), "values", "mean")


def _any_place(problem: Record) -> Record:
    """1 for a code with any wrong place."""
    return _with_mean([Fraction(v != 0) for v in numbers(solved(problem)["values"], "values")])


def _of_family(name: str) -> Program:
    """The values of another family's loss."""
    return lambda problem: {**solved({**problem, "family": name}), "family": problem["family"]}


def _times(factor: Fraction) -> Rewriting:
    """Every value and slope times a factor."""
    fields = ("values", "mean", "subgradients")
    return lambda problem, answer: rewritten(
        answer, lambda value: mapped(value, lambda v: v * factor), *fields
    )


def _places(power: int) -> Rewriting:
    """The answer multiplied by this power of the length of all codes."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        read: Any = read_problem(problem)
        lengths = [*map(len, read.y)]
        if lengths != lengths[:1] * len(lengths):
            return None
        by = Fraction(lengths[0]) ** power
        return rewritten(answer, lambda value: mapped(value, lambda v: v * by), "values", "mean")

    return rewriting


def _mean_times(factor: Callable[[int], Fraction]) -> Rewriting:
    """The answer with its mean multiplied by a factor of the number of rows."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        name = next(name for name in ("z", "scores", "y") if name in problem)
        count = len(items(problem[name], f"problem.{name}"))
        if "mean" not in answer or count < 2:
            return None
        return {**answer, "mean": number(answer["mean"], "answer.mean") * factor(count)}

    return rewriting


def _squares(problem: Record) -> Record:
    """The squares of the values, in the sum form of its terms."""
    if problem["family"] in HINGES:
        return _hinges(
            problem, ([max(v, ZERO) ** 2 for v in terms] for terms, _ in _terms(problem))
        )
    values = numbers(solved(problem)["values"], "values")
    return _with_mean([v * v for v in values])


def _mean_of_rivals(problem: Record) -> Record:
    """The terms of the rivals averaged, where they are added."""
    rows = [[max(v, ZERO) for j, v in enumerate(t) if j != y] for t, y in _terms(problem)]
    return _with_mean([sum(terms, ZERO) / max(1, len(terms)) for terms in rows])


MISTAKES: tuple[Mistake, ...] = (
    of_program("loss.cost_on_truth", HINGES, _cost_on_truth),
    of_program("loss.own_row_once", (SUM_FORM, "sgd.multiclass"), _own_row_once),
    of_program("loss.absent_class", HINGES, _absent_class),
    of_program("loss.hamming_one_sided", ("loss.hamming",), _one_sided),
    of_program("loss.margin_missing", ("loss.hinge", *HINGES), _margin_missing),
    of_program("loss.capped", ("loss.hinge",), _of_family("loss.margin")),
    of_program("loss.hinge_not_cut", ("loss.hinge",), _each(lambda z, rho: 1 - z)),
    of_program("loss.perceptron_not_cut", ("loss.perceptron",), _each(lambda z, rho: -z)),
    of_program("loss.margin_added", ("loss.perceptron",), _of_family("loss.hinge")),
    Mistake("loss.reversed_margin", (*OF_MARGINS, *HINGES), problem=_reversed),
    Mistake("loss.margin_scaled", ("loss.exponential", "loss.logistic"), problem=_scaled),
    of_answer(
        "loss.slope_sign",
        ("loss.hinge", "loss.perceptron", *HINGES),
        answer=lambda problem, answer: rewritten(answer, negated, "subgradients"),
    ),
    of_answer("loss.base_two", ("loss.logistic",), answer=_times(LN_2), spoil=_times(1 / LN_2)),
    of_program(
        "loss.rho_ignored",
        ("loss.margin",),
        lambda problem: solved({**problem, "rho": 1}) if "rho" in problem else None,
    ),
    of_program(
        "loss.margin_not_capped", ("loss.margin",), _each(lambda z, rho: max(ZERO, 1 - z / rho))
    ),
    of_program(
        "loss.rho_not_divided", ("loss.margin",), _each(lambda z, rho: min(ONE, max(ZERO, rho - z)))
    ),
    of_program("loss.step_at_rho", ("loss.margin",), _each(lambda z, rho: Fraction(z < rho))),
    Mistake("loss.other_form", HINGES, problem=_other_hinge),
    Mistake("loss.costs_transposed", HINGES, problem=costs_transposed),
    Mistake("loss.costs_ignored", HINGES, problem=costs_ignored),
    of_answer(
        "loss.mean_over_one_less",
        OF_VALUES,
        answer=_mean_times(lambda n: Fraction(n - 1, n)),
        spoil=_mean_times(lambda n: Fraction(n, n - 1)),
    ),
    of_program("loss.squared", ("loss.hinge", "loss.perceptron", *HINGES), _squares),
    of_program("loss.mean_of_rivals", (SUM_FORM,), _mean_of_rivals),
    of_answer("loss.accuracy", ("loss.zero_one", "loss.hamming"), answer=_complement),
    of_program("loss.any_place", ("loss.hamming",), _any_place),
    of_answer("loss.hamming_count", ("loss.hamming",), answer=_places(-1), spoil=_places(1)),
    of_answer(
        "loss.sum_for_mean",
        OF_VALUES,
        answer=_mean_times(lambda n: Fraction(1, n)),
        spoil=_mean_times(Fraction),
    ),
)

CONVENTIONS: tuple[Mistake, ...] = ()

HINTS = (
    "loss.other_form",
    "loss.costs_transposed",
    "loss.costs_ignored",
    "loss.hamming_count",
    "loss.sum_for_mean",
)
"""What `check` tries, in this order; those that stand together are tried as one."""
