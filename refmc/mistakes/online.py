"""What perceptrons and stochastic subgradient descents get wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from functools import partial

from refmc.core.records import Record, items, matrix, number
from refmc.core.scalars import plain
from refmc.mistakes.fields import (
    costs_ignored,
    costs_transposed,
    mapped,
    order_of_appearance,
    rewritten,
    row_count,
    scaled,
    setting,
    weights_ignored,
    without,
)
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_run
from refmc.mistakes.plain_runs import Wrong, descent, perceptron_run
from refmc.mistakes.transport import solved
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.visits import orders_of

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


MISTAKES: tuple[Mistake, ...] = (
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
    Mistake(
        "perceptron.other_tau",
        (MULTICLASS,),
        "another of the printed rules shares the update",
        "keshet §2.1: two rules for τ",
        problem=setting("tau", "chosen_rival", "all_rivals", "any"),
    ),
    Mistake(
        "perceptron.bias_toggled",
        (KERNEL,),
        "there is no bias, or one that was not asked for",
        'chang, "Kernel Perceptron Algorithm"',
        problem=lambda problem, answer: [{**problem, "bias": not problem.get("bias", False)}],
    ),
    of_answer(
        "perceptron.learning_rate",
        PERCEPTRONS,
        "all weights are multiplied by a learning rate, which changes no decision",
        'chang, "Perceptron": w + y x',
        answer=_at_unit_rate,
        spoil=_half_rate,
    ),
    of_answer(
        "perceptron.class_order",
        (MULTICLASS, "sgd.multiclass"),
        "the classes stand in order of appearance",
        "refmc: classes are sorted",
        answer=_in_order_of_appearance,
        spoil=_appearing,
    ),
    Mistake(
        "run.averaged",
        (*PERCEPTRONS, *DESCENTS),
        "the end is another mean of the weights on the way, or the last of them",
        "chang: the run returns its last weights",
        problem=_averages,
    ),
    Mistake(
        "run.first_row_twice",
        (*PERCEPTRONS, *DESCENTS),
        "the first row is drawn twice and the last one never",
        "chang: each row in its turn",
        problem=_first_row_twice,
    ),
    Mistake(
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
    Mistake(
        "sgd.slope_at_kink",
        ("sgd.binary",),
        "a margin of exactly 1 makes a step",
        'chang, "Stochastic gradient Descent": only where y f < 1',
        problem=setting("at_kink", "print", "either"),
        program=lambda problem: descent(problem, {"slope_at_kink"}),
        run=descent,
    ),
    Mistake(
        "sgd.norm_per_row",
        ("sgd.binary",),
        "the whole norm counts once for every row",
        "chang: ½‖w‖² + C loss for the row that is drawn",
        problem=scaled("C", lambda problem: Fraction(1, row_count(problem))),
    ),
    Mistake(
        "sgd.norm_share",
        ("sgd.binary",),
        "a share of the norm counts for every row",
        "chang: ½‖w‖² + C loss for the row that is drawn",
        problem=scaled("C", lambda problem: Fraction(row_count(problem))),
    ),
    Mistake(
        "sgd.other_form",
        ("sgd.multiclass",),
        "the loss has the other form, sum for max or max for sum",
        "lecture5 (5) against (12)",
        problem=setting("loss", "max_form", "sum_form"),
    ),
    Mistake(
        "sgd.costs_ignored",
        ("sgd.multiclass",),
        "all mistakes cost 1",
        "lecture5 (10): Δ(j, y)",
        problem=costs_ignored,
    ),
    Mistake(
        "sgd.costs_transposed",
        ("sgd.multiclass",),
        "costs have a row for what is right",
        "refmc: a row of costs for what is predicted",
        problem=costs_transposed,
    ),
    Mistake(
        "sgd.regulariser_doubled",
        ("sgd.multiclass",),
        "the norm enters twice as much beside the same step sizes",
        "lecture5 (7) against karagiannis (3.4)",
        problem=lambda problem, answer: [_etas(problem, Fraction(2))],
    ),
    Mistake(
        "sgd.regulariser_halved",
        ("sgd.multiclass",),
        "the norm enters half as much beside the same step sizes",
        "lecture5 (7) against karagiannis (3.4)",
        problem=lambda problem, answer: [_etas(problem, Fraction(1, 2))],
    ),
    Mistake(
        "sgd.t_from_zero",
        ("sgd.multiclass",),
        "the step size is 1/(λ(t + 1))",
        "lecture5 Algorithm 1: η_t = 1/(λt)",
        problem=_step_sizes(lambda t, T: Fraction(1, t + 1)),
    ),
    Mistake(
        "sgd.constant_step",
        ("sgd.multiclass",),
        "the step size is 1/(λT) throughout",
        "lecture5 Algorithm 1: η_t = 1/(λt)",
        problem=_step_sizes(lambda t, T: Fraction(1, T)),
    ),
)

CONVENTIONS: tuple[Mistake, ...] = (
    Mistake(
        "perceptron.zero_either",
        (BINARY, KERNEL),
        "a score of 0 counts as either sign",
        'chang, "Perceptron", line 3: y f ≤ 0',
        problem=setting("at_zero", "update", "either"),
    ),
    Mistake(
        "sgd.other_shrink",
        DESCENTS,
        "the weights shrink at other steps, or never",
        "lecture5 Algorithm 1 against keshet §2.2 and karagiannis Example 29",
        problem=setting("shrink", "always", "with_loss", "never"),
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
