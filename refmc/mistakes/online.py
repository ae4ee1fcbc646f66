"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from refmc.core.records import Record, matrix, number, numbers
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
from refmc.mistakes.mistake import Finding, Mistake, Neighbours, Wrong, of_answer, of_run
from refmc.mistakes.plain_runs import DESCENTS, plain_run
from refmc.mistakes.transport import Program, Rewriting, by_program
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


def _turned(by: int) -> Rewriting:
    """w and b in one row, turned by so many places."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if not {"w", "b"} <= answer.keys():
            return None
        row = [*numbers(answer["w"], "w"), number(answer["b"], "b")]
        *w, b = row[-by:] + row[:-by]
        return {**answer, "w": w, "b": b}

    return rewriting


SWITCHES: dict[tuple[str, ...], str] = {
    (BINARY, KERNEL): """
        perceptron.strict_at_zero perceptron.zero_is_plus perceptron.zero_is_minus
        perceptron.no_label perceptron.label_untested perceptron.forgotten_each_epoch""",
    PERCEPTRONS: """
        perceptron.margin_one perceptron.average_over_updates perceptron.stops_at_one_mistake
        perceptron.rate_by_update perceptron.mistakes_added_up perceptron.epoch_ends_at_mistake""",
    (BINARY, KERNEL, SGD): "perceptron.every_row perceptron.whole_batch run.pocket",
    (*PERCEPTRONS, SGD): "run.tested_at_start",
    (BINARY, MULTICLASS, *DESCENTS): """
        run.x_of_before run.x_of_next run.label_of_before run.label_of_next""",
    (BINARY, SGD): """
        perceptron.bias_forgotten perceptron.bias_untested perceptron.bias_down
        perceptron.bias_times_norm perceptron.bias_times_largest perceptron.bias_slow
        perceptron.bias_no_label perceptron.by_difference perceptron.rate_by_epoch
        perceptron.step_over_length perceptron.clipped""",
    (BINARY,): """
        perceptron.minus perceptron.prediction_added perceptron.labels_zero_one perceptron.less_sign
        perceptron.less_class_plus perceptron.less_class_minus perceptron.x_without_label
        perceptron.bias_not_averaged""",
    (KERNEL,): """
        perceptron.alpha_signed perceptron.counted_once perceptron.itself_left_out
        perceptron.later_left_out perceptron.bias_outside perceptron.label_of_visited""",
    (BINARY, SGD, KERNEL): "run.last_without_bias",
    (BINARY, KERNEL, SGD, MULTICLASS): "run.weights_multiply sgd.rate_falls",
    RUNS: """
        perceptron.average_miscounted perceptron.average_from_second run.summed
        run.average_of_second_half run.age_reversed run.age_from_zero run.average_of_epochs
        run.average_of_last_epoch run.recorded_before run.start_recorded run.one_state_kept
        run.halved_with_each run.tested_before run.first_counted_twice run.average_over_one_less
        run.average_over_one_more run.average_over_rows run.average_over_epochs
        run.ages_over_visits run.first_untested run.last_untested run.last_tested_alone""",
    (BINARY, MULTICLASS): """
        perceptron.average_learns perceptron.passive_aggressive perceptron.rate_on_all""",
    (MULTICLASS,): """
        perceptron.rivals_full_share perceptron.rivals_strict perceptron.own_for_each
        perceptron.all_others_lose perceptron.least_rival perceptron.plus_sign
        perceptron.own_share perceptron.shares_of_all perceptron.share_more
        perceptron.first_rival perceptron.rivals_counted
        perceptron.rows_shared""",
    (MULTICLASS, "sgd.multiclass"): "perceptron.rivals_left_alone perceptron.own_left_alone",
    DESCENTS: """
        sgd.plus_sign sgd.shrink_with_loss_only sgd.no_shrink sgd.shrink_without_loss
        sgd.shrink_divides sgd.shrink_after sgd.shrunk_before_test sgd.projected
        sgd.regulariser_doubled sgd.regulariser_halved sgd.eta_of_epoch sgd.eta_of_first
        sgd.eta_of_next""",
    (SGD,): """
        perceptron.rate_by_root sgd.logistic_slope sgd.size_tested sgd.shrink_over_m
        sgd.shrink_by_C sgd.margin_forgotten sgd.tested_as_perceptron sgd.without_x
        sgd.squared_slope sgd.step_unscaled sgd.bias_without_C sgd.intercept_other_rate
        perceptron.bias_without_rate""",
    ("sgd.multiclass",): """
        sgd.root_rate sgd.rate_without_lam sgd.t_from_zero sgd.t_late sgd.constant_step
        sgd.rate_of_round sgd.rate_over_m sgd.one_added sgd.rate_from_one sgd.rival_by_score
        sgd.argmax_without_cost sgd.slope_times_cost sgd.shrinks_touched_only
        sgd.shrink_without_rate sgd.shrink_without_lam sgd.terms_averaged sgd.softmax_slope
        sgd.norm_for_each_rival sgd.shrink_for_each_rival sgd.shrink_for_each_class""",
}
"""What may be wrong in one step of a plain run."""


def _by_trace(wrong: Wrong, right: Program) -> Rewriting:
    """Recognises only by the states on the way what looks like the last for the mean otherwise."""
    found = by_program(lambda problem: plain_run(problem, wrong), right)
    return lambda problem, answer: found(problem, answer) if "trace" in answer else None


FINDINGS: dict[str, Finding] = {"run.one_state_kept": _by_trace}
"""What recognises a run otherwise than by all of its answer."""

RARE = """
    run.average_over_one_less run.average_over_one_more run.average_over_rows
    run.average_over_epochs run.ages_over_visits run.first_counted_twice run.first_untested
    run.last_untested run.last_tested_alone run.last_without_bias perceptron.rows_shared
    sgd.norm_for_each_rival sgd.shrink_for_each_rival sgd.shrink_for_each_class"""
"""What nobody does beside something else."""

TIES = ("goes_on", "last_of_tied", "rival_of_tied")
"""What is as right: epochs after one without mistakes, and other choices of tied classes."""

OF_C: dict[str, Callable[[Record], Fraction]] = {
    "loss_without_rate": lambda problem: 1 / number(problem["eta"], "eta"),
    "norm_per_row": lambda problem: Fraction(1, row_count(problem)),
    "norm_share": lambda problem: Fraction(row_count(problem)),
}
"""What C is multiplied by."""

MISTAKES: tuple[Mistake, ...] = (
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
    of_answer("run.ones_first", (BINARY, SGD), answer=_turned(-1), spoil=_turned(1)),
    Mistake("run.averaged", RUNS, problem=_averages),
    Mistake("run.first_row_twice", RUNS, _visited(lambda epoch, rows: [rows[0], *rows[:-1]])),
    Mistake("run.second_row_first", RUNS, _visited(lambda epoch, rows: [*rows[1:], rows[0]])),
    Mistake(
        "run.every_other_back", RUNS, _visited(lambda epoch, rows: rows[:: -1 if epoch % 2 else 1])
    ),
    Mistake("run.weights_ignored", RUNS, problem=weights_ignored),
    *(Mistake(f"sgd.{name}", (SGD,), scaled("C", factor)) for name, factor in OF_C.items()),
    Mistake(
        "sgd.slope_at_kink",
        (SGD,),
        problem=setting("at_kink", "print", "either"),
        program=lambda problem: plain_run(problem, {"slope_at_kink"}),
        run=plain_run,
    ),
    Mistake("sgd.other_form", ("sgd.multiclass",), problem=setting("loss", "max_form", "sum_form")),
    Mistake("sgd.costs_ignored", ("sgd.multiclass",), problem=costs_ignored),
    Mistake("sgd.costs_transposed", ("sgd.multiclass",), problem=costs_transposed),
    *(
        replace(
            of_run(
                plain_run,
                id,
                families,
                FINDINGS.get(id),
                TIES[: 3 if "multi" in families[-1] else 1],
            ),
            is_rare=id in RARE.split(),
        )
        for families, ids in SWITCHES.items()
        for id in ids.split()
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
    "perceptron.strict_at_zero", "perceptron.zero_either", "perceptron.bias_toggled",
    "perceptron.other_tau", "perceptron.class_order", "run.averaged", "perceptron.learning_rate",
    "sgd.plus_sign", "sgd.slope_at_kink", "sgd.norm_per_row", "sgd.norm_share", "sgd.other_form",
    "sgd.costs_ignored", "sgd.costs_transposed", "sgd.other_shrink", "sgd.regulariser_doubled",
    "sgd.regulariser_halved", "sgd.t_from_zero", "sgd.constant_step",
)  # fmt: skip
"""What `check` tries, in this order; those that stand together are tried as one."""
