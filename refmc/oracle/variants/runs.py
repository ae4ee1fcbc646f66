"""Variants of perceptrons and of stochastic subgradient descent."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from refmc.core.records import Record, items, matrix, number
from refmc.core.scalars import plain
from refmc.oracle.online import sgd
from refmc.oracle.variants.fields import (
    costs_ignored,
    costs_transposed,
    mapped,
    order_of_appearance,
    row_count,
    scaled,
    setting,
    without,
)
from refmc.oracle.variants.plain_runs import descent, perceptron_run
from refmc.oracle.variants.transport import by_program, solved
from refmc.oracle.variants.variant import Neighbours, Rewriting, Variant

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"
PERCEPTRONS, DESCENTS = (BINARY, KERNEL, MULTICLASS), ("sgd.binary", "sgd.multiclass")
Run = Callable[[Record, Collection[str]], Record]

STATES = ("trace", "w", "b", "W", "alpha")


def _averages(problem: Record, answer: Record) -> list[Record]:
    """The problem with another mean of the states on the way as the end, or with the last state."""
    own = problem.get("average")
    others: list[Record] = [
        {**problem, "average": mean} for mean in ("equally", "by_age") if mean != own
    ]
    return others if own is None else [without(problem, "average"), *others]


def _flat(value: object) -> list[Fraction]:
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return [v for entry in value for v in _flat(entry)]
    return [number(value, "a state")]


def _at_unit_rate(problem: Record, answer: Record) -> Record | None:
    """The answer with its states divided by the factor between them and the reference run's."""
    right = solved(problem)
    given = [name for name in STATES if name in answer and name in right]
    mine = [v for name in given for v in _flat(answer[name])]
    own = [v for name in given for v in _flat(right[name])]
    rate = next((p / q for p, q in zip(mine, own) if p and q), Fraction(1))
    if rate == 1 or rate <= 0:
        return None
    return {**answer, **{name: mapped(answer[name], lambda v: v / rate) for name in given}}


def _in_order_of_appearance(problem: Record, answer: Record) -> Record | None:
    """The answer with rows of weights sorted that stand in the order in which the labels come."""
    seen = order_of_appearance(problem)
    if seen == sorted(seen) or not {"W", "trace"} & set(answer):
        return None

    def sorted_rows(value: object) -> list[list[Fraction]]:
        rows = matrix(value, "answer.W")
        return [rows[seen.index(c)] for c in range(len(seen))]

    found = dict(answer)
    if "W" in answer:
        found["W"] = sorted_rows(answer["W"])
    if "trace" in answer:
        found["trace"] = [sorted_rows(W) for W in items(answer["trace"], "answer.trace")]
    return found


def _etas(problem: Record, factor: Fraction) -> Record:
    """The problem with its regulariser multiplied, and the step sizes that it had before."""
    name = "ridge" if "ridge" in problem else "lam"
    etas = list(sgd.read_problem(problem).etas)
    return {**problem, name: number(problem[name], "problem.lam") * factor, "eta": etas}


def _step_sizes(share: Callable[[int, int], Fraction]) -> Neighbours:
    """The problem with shares of 1/lam as step sizes, if it has the usual ones, 1/(lam t)."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if "eta" in problem:
            return []
        etas = sgd.read_problem(problem).etas
        T = len(etas)
        return [{**problem, "eta": [etas[0] * share(t, T) for t in range(1, T + 1)]}]

    return neighbours


def _by(run: Run, mistake: str) -> Rewriting:
    return by_program(lambda problem: run(problem, {mistake}))


VARIANTS = (
    Variant(
        "perceptron.strict_at_zero",
        (BINARY, KERNEL),
        "a score of exactly 0 counts as right",
        'chang, "Perceptron", line 3: y f ≤ 0',
        answer=_by(perceptron_run, "strict_at_zero"),
    ),
    Variant(
        "perceptron.zero_either",
        (BINARY, KERNEL),
        "a score of 0 counts as either sign",
        'chang, "Perceptron", line 3: y f ≤ 0',
        problem=setting("at_zero", "update", "either"),
    ),
    Variant(
        "perceptron.bias_toggled",
        (KERNEL,),
        "there is no bias, or one that was not asked for",
        'chang, "Kernel Perceptron Algorithm"',
        problem=lambda problem, answer: [{**problem, "bias": not problem.get("bias", False)}],
    ),
    Variant(
        "perceptron.other_tau",
        (MULTICLASS,),
        "another of the printed rules shares the update",
        "keshet §2.1: two rules for τ",
        problem=setting("tau", "chosen_rival", "all_rivals", "any"),
    ),
    Variant(
        "perceptron.class_order",
        (MULTICLASS, "sgd.multiclass"),
        "the classes stand in order of appearance",
        "refmc: classes are sorted",
        answer=_in_order_of_appearance,
    ),
    Variant(
        "run.averaged",
        (*PERCEPTRONS, *DESCENTS),
        "the end is another mean of the weights on the way, or the last of them",
        "chang: the run returns its last weights",
        problem=_averages,
    ),
    Variant(
        "perceptron.learning_rate",
        PERCEPTRONS,
        "all weights are multiplied by a learning rate, which changes no decision",
        'chang, "Perceptron": w + y x',
        answer=_at_unit_rate,
    ),
    Variant(
        "sgd.plus_sign",
        DESCENTS,
        "the step goes up the loss and not down",
        "chang, the first slide of SGD as printed",
        answer=_by(descent, "plus_sign"),
    ),
    Variant(
        "sgd.slope_at_kink",
        ("sgd.binary",),
        "a margin of exactly 1 makes a step",
        'chang, "Stochastic gradient Descent": only where y f < 1',
        problem=setting("at_kink", "print", "either"),
    ),
    Variant(
        "sgd.norm_per_row",
        ("sgd.binary",),
        "the whole norm counts once for every row",
        "chang: ½‖w‖² + C loss for the row that is drawn",
        problem=scaled("C", lambda problem: Fraction(1, row_count(problem))),
    ),
    Variant(
        "sgd.norm_share",
        ("sgd.binary",),
        "a share of the norm counts for every row",
        "chang: ½‖w‖² + C loss for the row that is drawn",
        problem=scaled("C", lambda problem: Fraction(row_count(problem))),
    ),
    Variant(
        "sgd.other_form",
        ("sgd.multiclass",),
        "the loss has the other form, sum for max or max for sum",
        "lecture5 (5) against (12)",
        problem=setting("loss", "max_form", "sum_form"),
    ),
    Variant(
        "sgd.costs_ignored",
        ("sgd.multiclass",),
        "all mistakes cost 1",
        "lecture5 (10): Δ(j, y)",
        problem=costs_ignored,
    ),
    Variant(
        "sgd.costs_transposed",
        ("sgd.multiclass",),
        "costs have a row for what is right",
        "refmc: a row of costs for what is predicted",
        problem=costs_transposed,
    ),
    Variant(
        "sgd.other_shrink",
        DESCENTS,
        "the weights shrink at other steps, or never",
        "lecture5 Algorithm 1 against keshet §2.2 and karagiannis Example 29",
        problem=setting("shrink", "always", "with_loss", "never"),
    ),
    Variant(
        "sgd.regulariser_doubled",
        ("sgd.multiclass",),
        "the norm enters twice as much beside the same step sizes",
        "lecture5 (7) against karagiannis (3.4)",
        problem=lambda problem, answer: [_etas(problem, Fraction(2))],
    ),
    Variant(
        "sgd.regulariser_halved",
        ("sgd.multiclass",),
        "the norm enters half as much beside the same step sizes",
        "lecture5 (7) against karagiannis (3.4)",
        problem=lambda problem, answer: [_etas(problem, Fraction(1, 2))],
    ),
    Variant(
        "sgd.t_from_zero",
        ("sgd.multiclass",),
        "the step size is 1/(λ(t + 1))",
        "lecture5 Algorithm 1: η_t = 1/(λt)",
        problem=_step_sizes(lambda t, T: Fraction(1, t + 1)),
    ),
    Variant(
        "sgd.constant_step",
        ("sgd.multiclass",),
        "the step size is 1/(λT) throughout",
        "lecture5 Algorithm 1: η_t = 1/(λt)",
        problem=_step_sizes(lambda t, T: Fraction(1, T)),
    ),
)
