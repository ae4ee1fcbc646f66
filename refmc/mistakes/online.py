"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import sqrt

from refmc.core.records import Record, matrix, number
from refmc.mistakes.fields import (
    costs_ignored,
    costs_transposed,
    in_order_of_appearance,
    row_count,
    scaled,
    setting,
    sorted_again,
    times,
    weights_ignored,
    without,
)
from refmc.mistakes.generic_answers import in_unit
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_run
from refmc.mistakes.plain_runs import DESCENTS, plain_run
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.visits import orders_of

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

SGD = "sgd.binary"
PERCEPTRONS = (BINARY, KERNEL, MULTICLASS)
RUNS = (*PERCEPTRONS, *DESCENTS)

STATES = ("trace", "w", "b", "W", "alpha")


def _averages(problem: Record, answer: Record) -> list[Record]:
    """The problem with another mean of the states on the way as the end, or with the last state."""
    own = problem.get("average")
    others: list[Record] = [
        {**problem, "average": mean} for mean in ("equally", "by_age") if mean != own
    ]
    return others if own is None else [without(problem, "average"), *others]


def _regularised(factor: Fraction) -> Neighbours:
    """The problem with its regulariser multiplied, and the step sizes that it had before."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        name = "ridge" if "ridge" in problem else "lam"
        etas = list(sgd.read_problem(problem).etas)
        return [{**problem, name: number(problem[name], "problem.lam") * factor, "eta": etas}]

    return neighbours


STEP_SIZES: dict[str, Callable[[Fraction, int, int], Fraction]] = {
    "root_rate": lambda eta, t, T: eta * Fraction(1 / sqrt(t)),
    "rate_without_lam": lambda eta, t, T: Fraction(1, t),
    "t_from_zero": lambda eta, t, T: eta / (t + 1),
    "constant_step": lambda eta, t, T: eta / T,
}
"""Step sizes from the first one, 1/λ, where they should be 1/(λt)."""


def _step_sizes(size: Callable[[Fraction, int, int], Fraction]) -> Neighbours:
    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if "eta" in problem:
            return []
        etas = sgd.read_problem(problem).etas
        return [{**problem, "eta": [size(etas[0], t, len(etas)) for t in range(1, len(etas) + 1)]}]

    return neighbours


def _falling(problem: Record, answer: Record) -> list[Record]:
    """The problem with every step size divided by the number of its step."""
    etas = sgd.read_problem(problem).etas
    falling = [eta / t for t, eta in enumerate(etas, 1)]
    return [] if falling == list(etas) else [{**problem, "eta": falling}]


def _visited(change: Callable[[int, list[int]], list[int]]) -> Neighbours:
    """The problem whose epochs visit their rows otherwise, by the number of each epoch."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem["family"] == "sgd.multiclass":
            own = without(problem, "eta")
            rows = [visit.row for visit in sgd.read_problem(own).visits]
            if "T" in problem:  # and the row that would follow
                rows = [v.row for v in sgd.read_problem({**own, "T": len(rows) + 1}).visits]
            other = change(0, rows)[: len(rows) - ("T" in problem)]
            return (
                [] if other == rows[: len(other)] else [{**without(problem, "T"), "draws": other}]
            )
        read = sgd if problem["family"] == SGD else perceptron
        orders = orders_of(read.read_problem(problem).visits)
        others = [change(epoch, order) for epoch, order in enumerate(orders)]
        return [] if others == orders else [{**problem, "order": others}]

    return neighbours


def _ones(problem: Record, answer: Record) -> list[Record]:
    """The problem with weights that begin at 1, and a bias at 0 or 1."""
    if "start" in problem:
        return []
    start = [1] * len(matrix(problem["X"], "X")[0])
    biases = ([0], [1]) if problem.get("bias", False) else ([],)
    return [{**problem, "start": start + bias} for bias in biases]


SWITCHES: dict[tuple[str, ...], str] = {
    (BINARY, KERNEL): """
        perceptron.strict_at_zero perceptron.no_label perceptron.label_untested
        perceptron.forgotten_each_epoch""",
    PERCEPTRONS: """
        perceptron.margin_one perceptron.average_over_updates perceptron.stops_at_one_mistake""",
    (BINARY, KERNEL, SGD): "perceptron.every_row perceptron.whole_batch",
    (BINARY, SGD): """
        perceptron.bias_forgotten perceptron.bias_untested perceptron.bias_down
        perceptron.bias_times_norm perceptron.by_difference perceptron.rate_by_epoch
        perceptron.step_over_length perceptron.clipped""",
    (BINARY,): """
        perceptron.bias_no_label perceptron.minus perceptron.labels_zero_one
        perceptron.x_without_label""",
    (KERNEL,): "perceptron.alpha_signed perceptron.counted_once perceptron.itself_left_out",
    RUNS: """
        perceptron.average_miscounted perceptron.average_from_second run.summed
        run.average_of_second_half run.age_reversed""",
    (BINARY, MULTICLASS): "perceptron.average_learns",
    (MULTICLASS,): """
        perceptron.rivals_full_share perceptron.rivals_strict perceptron.own_for_each
        perceptron.all_others_lose perceptron.least_rival perceptron.passive_aggressive
        perceptron.plus_sign""",
    (MULTICLASS, "sgd.multiclass"): "perceptron.rivals_left_alone perceptron.own_left_alone",
    DESCENTS: """
        sgd.plus_sign sgd.shrink_with_loss_only sgd.no_shrink sgd.shrink_without_loss
        sgd.shrink_divides sgd.shrink_after sgd.shrunk_before_test""",
    (SGD,): """
        sgd.shrink_by_C sgd.margin_forgotten sgd.without_x sgd.squared_slope sgd.bias_without_C
        sgd.intercept_other_rate""",
    ("sgd.multiclass",): """
        sgd.argmax_without_cost sgd.slope_times_cost sgd.projected sgd.shrinks_touched_only
        sgd.shrink_without_lam""",
}
"""What may be wrong in one step of a plain run."""

MISTAKES: tuple[Mistake, ...] = (
    *(
        of_run(plain_run, id, families, ties=("last_of_tied", "rival_of_tied"))
        for families, ids in SWITCHES.items()
        for id in ids.split()
    ),
    Mistake("perceptron.starts_at_ones", (BINARY,), problem=_ones),
    Mistake(
        "perceptron.other_tau",
        (MULTICLASS,),
        problem=setting("tau", "chosen_rival", "all_rivals", "any"),
    ),
    Mistake("perceptron.bias_toggled", (KERNEL,), problem=setting("bias", False, True)),
    of_answer(
        "perceptron.learning_rate",
        PERCEPTRONS,
        answer=in_unit(STATES, 1),
        spoil=times(lambda problem: Fraction(1, 2), *STATES),
    ),
    of_answer(
        "perceptron.class_order",
        (MULTICLASS, "sgd.multiclass"),
        answer=sorted_again,
        spoil=in_order_of_appearance,
    ),
    Mistake("run.averaged", RUNS, problem=_averages),
    Mistake("run.first_row_twice", RUNS, _visited(lambda epoch, rows: [rows[0], *rows[:-1]])),
    Mistake("run.second_row_first", RUNS, _visited(lambda epoch, rows: [*rows[1:], rows[0]])),
    Mistake(
        "run.every_other_back", RUNS, _visited(lambda epoch, rows: rows[:: -1 if epoch % 2 else 1])
    ),
    Mistake("run.weights_ignored", RUNS, problem=weights_ignored),
    *(
        Mistake(f"sgd.{name}", ("sgd.multiclass",), problem=_step_sizes(size))
        for name, size in STEP_SIZES.items()
    ),
    *(
        Mistake(f"sgd.regulariser_{name}", ("sgd.multiclass",), problem=_regularised(factor))
        for name, factor in (("doubled", Fraction(2)), ("halved", Fraction(1, 2)))
    ),
    Mistake("sgd.rate_falls", (SGD,), problem=_falling),
    Mistake(
        "sgd.loss_without_rate", (SGD,), problem=scaled("C", lambda p: 1 / number(p["eta"], "eta"))
    ),
    Mistake(
        "sgd.slope_at_kink",
        (SGD,),
        problem=setting("at_kink", "print", "either"),
        program=lambda problem: plain_run(problem, {"slope_at_kink"}),
        run=plain_run,
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
    "perceptron.strict_at_zero", "perceptron.zero_either", "perceptron.bias_toggled",
    "perceptron.other_tau", "perceptron.class_order", "run.averaged", "perceptron.learning_rate",
    "sgd.plus_sign", "sgd.slope_at_kink", "sgd.norm_per_row", "sgd.norm_share", "sgd.other_form",
    "sgd.costs_ignored", "sgd.costs_transposed", "sgd.other_shrink", "sgd.regulariser_doubled",
    "sgd.regulariser_halved", "sgd.t_from_zero", "sgd.constant_step",
)  # fmt: skip
"""What `check` tries, in this order; those that stand together are tried as one."""
