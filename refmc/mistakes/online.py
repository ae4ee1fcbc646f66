"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from refmc.core.records import Record, items, labels, matrix, number, numbers
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
from refmc.mistakes.mistake import (
    Mistake,
    Neighbours,
    Wrong,
    by_switch,
    of_answer,
    of_run,
    steps_of,
)
from refmc.mistakes.plain_runs import DESCENTS, plain_run, predicted
from refmc.mistakes.transport import Program, Rewriting, by_program, is_far
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.visits import orders_of

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"

SGD = "sgd.binary"
PERCEPTRONS = (BINARY, KERNEL, MULTICLASS)
RUNS, OF_SEVERAL = (*PERCEPTRONS, *DESCENTS), (MULTICLASS, "sgd.multiclass")

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


def _by_states(wrong: Wrong, right: Program) -> Rewriting:
    """Recognises a run, which is left where it is at another state than the answer."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if "trace" not in answer and "one_state_kept" in wrong:  # it looks like the last for a mean
            return None
        told = items(answer["trace"], "trace") if "trace" in answer else ()
        made = plain_run(problem, wrong, told) or {}
        states = [name for name in STATES if name in answer and name in made]
        if not made or any(is_far(answer[name], made[name]) for name in states):
            return None
        if states and "labels" in answer:
            told = labels(answer["labels"], "labels")
            made = {**made, "labels": predicted(problem, made, told)}
        return by_program(lambda problem: made, right)(problem, answer)

    return rewriting


TIES = ("goes_on", "last_of_tied", "rival_of_tied")
"""What is as right: epochs after one without mistakes, and other choices of tied classes."""

OWN_TIES = {
    "run.weights_multiply": ("absent_visited",),
    "run.recorded_before": ("told_after",),
    "perceptron.margin_one": ("one_moves",),
}
"""What a program that makes a mistake may do besides: count steps of rows of weight 0 where these
are multiplied by weights, tell other states than those that it averages, move where y f is 1."""


def _of_step(id: str, families: tuple[str, ...]) -> Mistake:
    ties = TIES if families[-1].endswith("multiclass") else TIES[:1]
    return of_run(plain_run, id, families, _by_states, (*ties, *OWN_TIES.get(id, ())))


_halved = times(lambda problem: Fraction(1, 2), *STATES)

OF_C: dict[str, Callable[[Record], Fraction]] = {
    "loss_without_rate": lambda problem: 1 / number(problem["eta"], "eta"),
    "norm_per_row": lambda problem: Fraction(1, row_count(problem)),
    "norm_share": lambda problem: Fraction(row_count(problem)),
}
"""What C is multiplied by."""

MISTAKES: tuple[Mistake, ...] = (
    Mistake("perceptron.starts_at_ones", (BINARY,), _ones),
    Mistake(
        "perceptron.other_tau", (MULTICLASS,), setting("tau", "chosen_rival", "all_rivals", "any")
    ),
    Mistake("perceptron.bias_toggled", (KERNEL,), setting("bias", False, True)),
    of_answer("perceptron.learning_rate", PERCEPTRONS, in_unit(STATES, 1), _halved),
    of_answer("perceptron.class_order", OF_SEVERAL, sorted_again, in_order_of_appearance),
    of_answer("run.ones_first", (BINARY, SGD), _turned(-1), _turned(1)),
    Mistake("run.averaged", RUNS, _averages),
    Mistake("run.first_row_twice", RUNS, _visited(lambda epoch, rows: [rows[0], *rows[:-1]])),
    Mistake("run.second_row_first", RUNS, _visited(lambda epoch, rows: [*rows[1:], rows[0]])),
    Mistake(
        "run.every_other_back", RUNS, _visited(lambda epoch, rows: rows[:: -1 if epoch % 2 else 1])
    ),
    Mistake("run.weights_ignored", RUNS, weights_ignored),
    *(Mistake(f"sgd.{name}", (SGD,), scaled("C", factor)) for name, factor in OF_C.items()),
    replace(
        by_switch(plain_run, "sgd.slope_at_kink", (SGD,), setting("at_kink", "print", "either")),
        run=plain_run,
    ),
    Mistake("sgd.other_form", ("sgd.multiclass",), setting("loss", "max_form", "sum_form")),
    Mistake("sgd.costs_ignored", ("sgd.multiclass",), costs_ignored),
    Mistake("sgd.costs_transposed", ("sgd.multiclass",), costs_transposed),
    *(_of_step(*step) for step in steps_of("perceptron.", "sgd.")),
)

CONVENTIONS: tuple[Mistake, ...] = (
    Mistake("perceptron.zero_either", (BINARY, KERNEL), setting("at_zero", "update", "either")),
    Mistake("sgd.other_shrink", DESCENTS, setting("shrink", "always", "with_loss", "never")),
)
"""What is only recognised."""
