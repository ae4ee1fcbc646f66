"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from refmc.core.records import Record, items, matrix
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.visits import orders_of
from refmc.oracle.variants.fields import mapped, order_of_appearance, rewritten, weights_ignored
from refmc.oracle.variants.plain_runs import Wrong, descent, perceptron_run
from refmc.oracle.variants.runs import DESCENTS, PERCEPTRONS, STATES
from refmc.suite.catalogue.mistake import (
    KNOWN,
    of_answer,
    of_known,
    of_known_run,
    of_neighbour,
    of_run,
)

BINARY, KERNEL, MULTICLASS = PERCEPTRONS


def _half_rate(problem: Record, answer: Record) -> Record | None:
    return rewritten(answer, lambda value: mapped(value, lambda v: v / 2), *STATES)


def _appearing(problem: Record, answer: Record) -> Record | None:
    """Rows of weights in the order in which the labels come."""
    seen = order_of_appearance(problem)
    if seen == sorted(seen) or "W" not in answer:
        return None

    def moved(value: object) -> list[list[Fraction]]:
        rows = matrix(value, "W")
        return [rows[c] for c in seen]

    trace = [moved(W) for W in items(answer["trace"], "trace")]
    return {**answer, "W": moved(answer["W"]), "trace": trace}


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


def _plain_run(problem: Record, wrong: Wrong = ()) -> dict[str, object]:
    run = descent if problem["family"] in DESCENTS else perceptron_run
    return run(problem, wrong)


_perceptron = partial(of_run, perceptron_run)
_descent = partial(of_run, descent)

MISTAKES = (
    _perceptron(
        "perceptron.strict_at_zero",
        (BINARY, KERNEL),
        "a score of exactly 0 counts as right",
        'chang, "Perceptron", line 3: y f ≤ 0',
    ),
    _perceptron(
        "perceptron.margin_one",
        (BINARY, KERNEL),
        "it updates whenever y f < 1, which is the hinge's rule",
        'chang, "Perceptron vs. SVM"',
    ),
    _perceptron(
        "perceptron.bias_forgotten",
        (BINARY,),
        "the bias is tested but never updated",
        'chang, "Perceptron", lines 3-4 as printed',
    ),
    of_run(
        _plain_run,
        "perceptron.average_miscounted",
        (*PERCEPTRONS, *DESCENTS),
        "the average leaves out the last weights",
        "the averaged perceptron: a mean over all visits",
    ),
    _perceptron(
        "perceptron.average_over_updates",
        PERCEPTRONS,
        "the average is over the updates and not over the visits",
        "the averaged perceptron: a mean over all visits",
    ),
    _perceptron(
        "perceptron.rivals_full_share",
        (MULTICLASS,),
        "every rival loses a whole x where they share it",
        "keshet §2.1, the second τ: −1/|E_y|",
    ),
    _perceptron(
        "perceptron.rivals_strict",
        (MULTICLASS,),
        "rivals are those that score strictly more, so that a lost tie moves the true class alone",
        "keshet §2.1: E_y as printed",
    ),
    of_known("perceptron.other_tau"),
    of_known("perceptron.bias_toggled"),
    of_answer(KNOWN["perceptron.learning_rate"], _half_rate),
    of_answer(KNOWN["perceptron.class_order"], _appearing),
    of_known("run.averaged"),
    of_neighbour(
        "run.first_row_twice",
        (*PERCEPTRONS, *DESCENTS),
        "the first row is drawn twice and the last one never",
        "chang: each row in its turn",
        problem=_first_row_twice,
    ),
    of_neighbour(
        "run.weights_ignored",
        (*PERCEPTRONS, *DESCENTS),
        "every row is visited once at its turn, whatever its weight",
        "refmc: weight 0 is absent, weight 2 is twice",
        problem=weights_ignored,
    ),
    _descent(
        "sgd.plus_sign",
        DESCENTS,
        "the step goes up the loss and not down",
        "chang, the first slide of SGD as printed",
    ),
    _descent(
        "sgd.shrink_with_loss_only",
        DESCENTS,
        "w shrinks only when there is a loss",
        "lecture5 Algorithm 1, the else-branch; as in keshet §2.2 as printed",
    ),
    _descent(
        "sgd.no_shrink",
        DESCENTS,
        "the regulariser is never applied",
        "lecture5 Algorithm 1; as in karagiannis Example 29 as printed",
    ),
    _descent(
        "sgd.shrink_after",
        DESCENTS,
        "the shrinking is applied to the weights that were moved already",
        "lecture5 Algorithm 1: both from W_t",
    ),
    _descent(
        "sgd.argmax_without_cost",
        ("sgd.multiclass",),
        "j* maximises the scores alone, without 1{j ≠ y}",
        "lecture5 (8)",
    ),
    _descent(
        "sgd.intercept_other_rate",
        ("sgd.binary",),
        "the intercept is shrunk like a weight",
        "chang: the norm holds no b",
    ),
    of_known_run(descent, KNOWN["sgd.slope_at_kink"]),
    of_known("sgd.norm_per_row"),
    of_known("sgd.norm_share"),
    of_known("sgd.other_form"),
    of_known("sgd.costs_ignored"),
    of_known("sgd.costs_transposed"),
    of_known("sgd.regulariser_doubled"),
    of_known("sgd.regulariser_halved"),
    of_known("sgd.t_from_zero"),
    of_known("sgd.constant_step"),
)
