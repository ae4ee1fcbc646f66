"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from math import sqrt

from refmc.core.records import Record, matrix, number
from refmc.mistakes.fields import (
    costs_ignored,
    costs_transposed,
    in_order_of_appearance,
    mapped,
    rewritten,
    row_count,
    scaled,
    setting,
    sorted_again,
    weights_ignored,
    without,
)
from refmc.mistakes.generic_answers import in_unit
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_run
from refmc.mistakes.plain_runs import Wrong, descent, perceptron_run
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.visits import orders_of

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

SGD = "sgd.binary"
PERCEPTRONS, DESCENTS = (BINARY, KERNEL, MULTICLASS), (SGD, "sgd.multiclass")
RUNS = (*PERCEPTRONS, *DESCENTS)

STATES = ("trace", "w", "b", "W", "alpha")


def _averages(problem: Record, answer: Record) -> list[Record]:
    """The problem with another mean of the states on the way as the end, or with the last state."""
    own = problem.get("average")
    others: list[Record] = [
        {**problem, "average": mean} for mean in ("equally", "by_age") if mean != own
    ]
    return others if own is None else [without(problem, "average"), *others]


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


def _rate_without_lam(problem: Record, answer: Record) -> list[Record]:
    """The problem with step sizes 1/t, if it has the usual ones."""
    if "eta" in problem:
        return []
    T = len(sgd.read_problem(problem).etas)
    return [{**problem, "eta": [Fraction(1, t) for t in range(1, T + 1)]}]


def _falling(problem: Record, answer: Record) -> list[Record]:
    """The problem with every step size divided by the number of its step."""
    etas = sgd.read_problem(problem).etas
    falling = [eta / t for t, eta in enumerate(etas, 1)]
    return [] if falling == list(etas) else [{**problem, "eta": falling}]


def _half_rate(problem: Record, answer: Record) -> Record | None:
    return rewritten(answer, lambda value: mapped(value, lambda v: v / 2), *STATES)


def _first_row_twice(problem: Record, answer: Record) -> list[Record]:
    """Every epoch begins with its first row, once more, and leaves out its last."""
    if problem["family"] == "sgd.multiclass":
        rows = [visit.row for visit in sgd.read_problem(problem).visits]
        other = [rows[0], *rows[:-1]]
        kept = {name: value for name, value in problem.items() if name != "T"}
        return [] if other == rows else [{**kept, "draws": other}]
    read = sgd if problem["family"] == "sgd.binary" else perceptron
    orders = orders_of(read.read_problem(problem).visits)
    other_orders = [[order[0], *order[:-1]] for order in orders]
    return [] if other_orders == orders else [{**problem, "order": other_orders}]


def _ones(problem: Record, answer: Record) -> list[Record]:
    """The problem with weights that begin at 1, and a bias at 0."""
    if "start" in problem:
        return []
    start = [1] * len(matrix(problem["X"], "X")[0])
    return [{**problem, "start": start + [0] * bool(problem.get("bias", False))}]


def _plain_run(problem: Record, wrong: Wrong = ()) -> dict[str, object]:
    run = descent if problem["family"] in DESCENTS else perceptron_run
    return run(problem, wrong)


TIES = ("last_of_tied", "rival_of_tied")
_descent = partial(of_run, descent, ties=TIES)


SWITCHES: dict[tuple[str, ...], tuple[str, ...]] = {
    (BINARY, KERNEL): (
        "strict_at_zero", "margin_one", "no_label", "label_untested", "forgotten_each_epoch",
    ),
    (BINARY, KERNEL, SGD): ("every_row",),
    (BINARY, SGD): ("bias_forgotten", "bias_untested"),
    (BINARY,): ("bias_no_label", "minus"),
    (KERNEL,): ("alpha_signed", "counted_once"),
    RUNS: ("average_miscounted", "average_from_second"),
    PERCEPTRONS: ("average_over_updates",),
    (BINARY, MULTICLASS): ("average_learns",),
    (MULTICLASS,): (
        "rivals_full_share", "rivals_strict", "rivals_left_alone", "own_left_alone",
        "own_for_each", "all_others_lose",
    ),
}  # fmt: skip
"""What may be wrong in one line of a plain perceptron, some of it in a descent, too."""

MISTAKES: tuple[Mistake, ...] = (
    *(
        of_run(_plain_run, f"perceptron.{name}", families, ties=TIES)
        for families, names in SWITCHES.items()
        for name in names
    ),
    of_run(_plain_run, "run.summed", RUNS),
    Mistake("perceptron.starts_at_ones", (BINARY,), problem=_ones),
    Mistake(
        "perceptron.other_tau",
        (MULTICLASS,),
        problem=setting("tau", "chosen_rival", "all_rivals", "any"),
    ),
    Mistake(
        "perceptron.bias_toggled",
        (KERNEL,),
        problem=lambda problem, answer: [{**problem, "bias": not problem.get("bias", False)}],
    ),
    of_answer("perceptron.learning_rate", PERCEPTRONS, answer=in_unit(STATES, 1), spoil=_half_rate),
    of_answer(
        "perceptron.class_order",
        (MULTICLASS, "sgd.multiclass"),
        answer=sorted_again,
        spoil=in_order_of_appearance,
    ),
    Mistake("run.averaged", RUNS, problem=_averages),
    Mistake("run.first_row_twice", RUNS, problem=_first_row_twice),
    Mistake("run.weights_ignored", RUNS, problem=weights_ignored),
    _descent("sgd.plus_sign", DESCENTS),
    _descent("sgd.shrink_with_loss_only", DESCENTS),
    _descent("sgd.no_shrink", DESCENTS),
    _descent("sgd.shrink_by_C", (SGD,)),
    _descent("sgd.margin_forgotten", (SGD,)),
    _descent("sgd.without_x", (SGD,)),
    Mistake(
        "sgd.C_forgotten",
        (SGD,),
        problem=lambda problem, answer: (
            [{**problem, "C": 1}] if problem["C"] not in (1, "1") else []
        ),
    ),
    Mistake("sgd.rate_falls", (SGD,), problem=_falling),
    Mistake(
        "sgd.root_rate",
        ("sgd.multiclass",),
        problem=_step_sizes(lambda t, T: Fraction(1 / sqrt(t))),
    ),
    Mistake("sgd.rate_without_lam", ("sgd.multiclass",), problem=_rate_without_lam),
    Mistake(
        "sgd.loss_without_rate", (SGD,), problem=scaled("C", lambda p: 1 / number(p["eta"], "eta"))
    ),
    _descent("sgd.shrink_after", DESCENTS),
    _descent("sgd.shrunk_before_test", DESCENTS),
    _descent("sgd.argmax_without_cost", ("sgd.multiclass",)),
    _descent("sgd.intercept_other_rate", (SGD,)),
    Mistake(
        "sgd.slope_at_kink",
        (SGD,),
        problem=setting("at_kink", "print", "either"),
        program=lambda problem: descent(problem, {"slope_at_kink"}),
        run=descent,
    ),
    Mistake(
        "sgd.norm_per_row",
        (SGD,),
        problem=scaled("C", lambda problem: Fraction(1, row_count(problem))),
    ),
    Mistake(
        "sgd.norm_share", (SGD,), problem=scaled("C", lambda problem: Fraction(row_count(problem)))
    ),
    Mistake("sgd.other_form", ("sgd.multiclass",), problem=setting("loss", "max_form", "sum_form")),
    Mistake("sgd.costs_ignored", ("sgd.multiclass",), problem=costs_ignored),
    Mistake("sgd.costs_transposed", ("sgd.multiclass",), problem=costs_transposed),
    Mistake(
        "sgd.regulariser_doubled",
        ("sgd.multiclass",),
        problem=lambda problem, answer: [_etas(problem, Fraction(2))],
    ),
    Mistake(
        "sgd.regulariser_halved",
        ("sgd.multiclass",),
        problem=lambda problem, answer: [_etas(problem, Fraction(1, 2))],
    ),
    Mistake(
        "sgd.t_from_zero", ("sgd.multiclass",), problem=_step_sizes(lambda t, T: Fraction(1, t + 1))
    ),
    Mistake(
        "sgd.constant_step", ("sgd.multiclass",), problem=_step_sizes(lambda t, T: Fraction(1, T))
    ),
)

CONVENTIONS: tuple[Mistake, ...] = (
    Mistake(
        "perceptron.zero_either", (BINARY, KERNEL), problem=setting("at_zero", "update", "either")
    ),
    Mistake(
        "sgd.other_shrink", DESCENTS, problem=setting("shrink", "always", "with_loss", "never")
    ),
)
"""What is only recognised."""

HINTS = (
    "perceptron.strict_at_zero",
    "perceptron.zero_either",
    "perceptron.bias_toggled",
    "perceptron.other_tau",
    "perceptron.class_order",
    "run.averaged",
    "perceptron.learning_rate",
    "sgd.plus_sign",
    "sgd.slope_at_kink",
    "sgd.norm_per_row",
    "sgd.norm_share",
    "sgd.other_form",
    "sgd.costs_ignored",
    "sgd.costs_transposed",
    "sgd.other_shrink",
    "sgd.regulariser_doubled",
    "sgd.regulariser_halved",
    "sgd.t_from_zero",
    "sgd.constant_step",
)
"""What `check` tries, in this order; those that stand together are tried as one."""
