"""What programs for SVMs get wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from refmc.core.records import Record, items, labels, matrix, number, numbers
from refmc.mistakes.explanation import class_count
from refmc.mistakes.fields import (
    costs_ignored,
    costs_transposed,
    in_order_of_appearance,
    negated,
    replaced,
    reversed_again,
    rewritten,
    row_count,
    row_weights,
    scaled,
    sorted_again,
    times,
    weights_ignored,
    without,
)
from refmc.mistakes.mistake import Mistake, of_answer, of_program
from refmc.mistakes.plain_svm import (
    BIASES,
    ZERO,
    of_length_one,
    one_vs_rest,
    own_class_sign,
    right_scores,
    scored,
    solved_with_scores,
    stalled,
    summed,
    with_bias,
    with_losses,
    with_ones,
)
from refmc.mistakes.transport import kept, solved
from refmc.mistakes.weights import BINARY, FAMILIES, HARD, MULTICLASS
from refmc.oracle.reading import read_codes, read_signs, truth

TWO_CLASSES, SOFT = (BINARY, HARD), (BINARY, MULTICLASS)


DECIMAL = re.compile(r"-?(\d*)\.(\d+)(?:[eE][-+]?\d{1,3})?")
"""A float as it is printed."""

FLOAT_DIGITS = 15
"""Decimals of fewer digits than that are hardly floats that were printed."""


UNBOUNDED = 2**20
"""A C that bounds no multipliers of rows which a hard margin separates."""

BEYOND = Fraction(3, 2)
"""How many times C a multiplier may be at most, if it comes from a solver that stops early."""


def _reversed(problem: Record, answer: Record) -> Record | None:
    """The answer with the sign of every score reversed; multipliers have none, and stay."""
    found = rewritten(answer, negated, "w", "b", "scores", "W")
    if "labels" in answer and problem["family"] != MULTICLASS:
        classes = read_signs(problem, row_count(problem))[1]
        other = dict(zip(classes, classes[::-1]))
        given = labels(answer["labels"], "answer.labels")
        found = {**(found or answer), "labels": [other[label] for label in given]}
    if found is not None and "b_interval" in found:
        ends = items(negated(answer["b_interval"]), "answer.b_interval")
        found = {**found, "b_interval": ends[::-1]}
    return found


def _reversed_by_first(problem: Record, answer: Record) -> Record | None:
    """The same where the class of the first row is not the positive one."""
    is_positive = read_signs(problem, row_count(problem))[0][0] > 0
    return None if is_positive else _reversed(problem, answer)


def _signed(factor: int, problem: Record, answer: Record) -> Record | None:
    """The answer with each alpha multiplied by the sign of its row, and by a factor."""
    if "alpha" not in answer:
        return None
    signs = read_signs(problem, row_count(problem))[0]
    alpha = numbers(answer["alpha"], "answer.alpha")
    if len(alpha) != len(signs):  # a hard margin whose rows of weight 0 are left out
        return None
    return {**answer, "alpha": [factor * sign * a for sign, a in zip(signs, alpha)]}


def _as_floats(problem: Record, answer: Record) -> Record | None:
    """The answer with decimals of at least `FLOAT_DIGITS` digits as the floats nearest to them."""
    found = {name: value for name, value in answer.items() if name not in ("labels", "classes")}
    changed = {name: _floats(value) for name, value in found.items()}
    return {**answer, **changed} if changed != found else None


def _floats(value: object) -> object:
    if isinstance(value, (list, tuple)):
        return [_floats(entry) for entry in value]
    digits = DECIMAL.fullmatch(value) if isinstance(value, str) else None
    is_long = digits and len((digits[1] + digits[2]).strip("0")) >= FLOAT_DIGITS
    return float(str(value)) if is_long else value


def _bias_of_0(problem: Record, answer: Record) -> Record | None:
    """The answer without a bias of 0, where a free one was asked for."""
    is_0 = "b" in answer and not number(answer["b"], "answer.b")
    return without(answer, "b") if is_0 and problem.get("bias", True) is True else None


def _best_bias(problem: Record, answer: Record) -> Record | None:
    """The answer without its bias, which is then judged with the best bias that there is."""
    return without(answer, "b") if "b" in answer else None


def _largest_mass(problem: Record, answer: Record) -> Fraction:
    """The largest alpha; or in lam the largest sum over the wrong classes of a row."""
    if "lam" in answer:
        codes = read_codes(problem, row_count(problem))[0]
        rows = matrix(answer["lam"], "answer.lam")
        others = [[v for z, v in enumerate(row) if z != c] for row, c in zip(rows, codes)]
        masses = [sum((v for v in row if v > 0), Fraction(0)) for row in others]
    else:
        masses = [abs(a) for a in numbers(answer.get("alpha", [0]), "answer.alpha")]
    return max(masses)


def _least_C(problem: Record, answer: Record) -> list[Record]:
    """The problem of the least C that the multipliers can belong to, where their gap is least."""
    C = _largest_mass(problem, answer)
    return [{**problem, "C": C}] if C > 0 and C != number(problem["C"], "problem.C") else []


def _bias_penalised(problem: Record, answer: Record) -> list[Record]:
    return [{**problem, "bias": "penalised"}] if truth(problem, "bias", True) else []


def _with_one_bias(problem: Record, answer: Record) -> Record | None:
    """Only the bias itself, as a penalised one is a single number that weights need beside them.

    Its interval may say nothing else, and of the margin it can't be said what is meant.
    """
    if not _is_interval_of(answer, answer.get("b")):
        return None
    kept = without(answer, "b_interval")
    return kept if "b" in kept or "w" not in kept else None


def _bias_toggled(problem: Record, answer: Record) -> list[Record]:
    return [{**problem, "bias": not truth(problem, "bias", True)}]


def _without_bias(problem: Record, answer: Record) -> Record | None:
    """The answer without its bias, which must be 0, where the neighbouring problem has none."""
    if truth(problem, "bias", True):
        says_0 = not any(numbers([answer.get("b", 0)], "answer.b")) and _is_interval_of(answer, 0)
        return without(answer, "b", "b_interval") if says_0 else None
    return answer


def _is_interval_of(answer: Record, b: object) -> bool:
    """Whether both ends of the interval of biases, where it is given, are this bias."""
    ends = answer.get("b_interval")
    if ends is None:
        return True
    given = numbers(ends, "answer.b_interval")
    return b is not None and given == [number(b, "answer.b")] * 2


def _other_C(
    id: str, factor: Callable[[Record], Fraction], families: tuple[str, ...] = SOFT
) -> Mistake:
    """The mistake that multiplies C by a factor, or the norm and so the value by its inverse."""
    scales = scaled("C", factor)

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        found = list(scales(problem, answer))
        bounds_mass = problem.get("loss", "hinge") in ("hinge", "max_form")
        if bounds_mass and "weights" not in problem:
            # multipliers far beyond a C are no answer to it, and that needs no search
            mass = _largest_mass(problem, answer)
            found = [p for p in found if mass <= BEYOND * number(p["C"], "problem.C")]
        return found

    if_tied = (times(factor, "objective"),) if "half" in id else ()
    return Mistake(id, families, neighbours, lambda problem, answer: answer, if_tied=if_tied)


Factor = Callable[[Record], Fraction]

OF_C: dict[str, Factor] = {
    "C_on_the_norm": lambda problem: 1 / number(problem["C"], "problem.C") ** 2,
    "C_over_m": lambda problem: Fraction(1, row_count(problem)),
    "mean_for_sum": lambda problem: Fraction(1, row_count(problem)),
    "C_times_m": lambda problem: Fraction(row_count(problem)),
    "half_dropped": lambda problem: Fraction(1, 2),
    "half_added": lambda problem: Fraction(2),
}
"""By what C is multiplied."""

OF_CLASSES: dict[str, Factor] = {
    "C_over_k": lambda problem: Fraction(1, class_count(problem)),
    "C_over_rivals": lambda problem: Fraction(1, max(1, class_count(problem) - 1)),
}
"""The same, where it depends on the number of classes."""


def _bias_toggled_made(problem: Record) -> Record | None:
    (neighbour,) = _bias_toggled(problem, {})
    found = solved(neighbour)
    return without(found, "b", "b_interval") if truth(neighbour, "bias", True) else found


_freed = replaced("bias", "penalised", True)


def _bias_free(problem: Record) -> Record | None:
    found = map(solved, _freed(problem, {}))
    return next((without(free, "b_interval", "margin_squared") for free in found), None)


def _less(column: Callable[[Sequence[Fraction]], Fraction], W: object) -> object:
    """Rows of weights less, in each column, a number that is computed from the column."""
    columns = [[v - column(vs) for v in vs] for vs in zip(*matrix(W, "answer.W"))]
    return [list(w) for w in zip(*columns)]


def _centred(problem: Record, answer: Record) -> Record | None:
    """The answer with the mean of its rows of weights taken from each; at the optimum it is 0."""
    return rewritten(answer, partial(_less, lambda vs: sum(vs, ZERO) / len(vs)), "W")


def _less_last(problem: Record, answer: Record) -> Record | None:
    return {"W": _less(lambda vs: vs[-1], answer["W"])} if "W" in answer else None


def _without_b(problem: Record) -> Record | None:
    """The right scores but for the bias, if there is one."""
    return scored(problem, ZERO) if truth(problem, "bias", True) else None


def _scores_of_0(problem: Record) -> Record:
    """What costs nothing by the wrong loss."""
    return {"scores": [ZERO] * row_count(problem)}


def _softened(id: str, *Cs: int) -> Mistake:
    """The mistake of a soft margin in the place of a hard one, with one of some C."""
    return Mistake(
        id,
        (HARD,),
        problem=lambda problem, answer: [{**problem, "family": BINARY, "C": C} for C in Cs],
        answer=lambda problem, answer: without(answer, "family"),
    )


def _uncapped(problem: Record) -> Record | None:
    """The answer without a bound; None where rows overlap, as multipliers then grow forever."""
    found = solved({**problem, "C": UNBOUNDED})
    is_bound = problem.get("loss") == "squared_hinge"
    is_bound = is_bound or 16 * _largest_mass(problem, found) >= UNBOUNDED
    return None if is_bound else {**found, "family": problem["family"]}


def _C_of_one_class(problem: Record, answer: Record) -> list[Record]:
    """The problem whose rows of one class have hardly a bound, for either class."""
    signs = read_signs(problem, row_count(problem))[0]
    weights = row_weights(problem)
    return [
        {**problem, "weights": [w * 2**20 if s == one else w for w, s in zip(weights, signs)]}
        for one in (1, -1)
    ]


def _of_biases() -> Iterator[Mistake]:
    """The mistakes about the bias; all look at the same right answer, which is found once."""
    right = kept(with_losses)
    doubled = {"multipliers_doubled": with_bias(BIASES["bias_from_bounded"], 2, right)}
    others = {name: with_bias(bias, right=right) for name, bias in BIASES.items()}
    for name, (alone, _) in (others | doubled).items():  # with the losses pairs take long
        yield of_program(f"svm.{name}", TWO_CLASSES, alone, right=right)


def _minus_one(problem: Record) -> int:
    return -1


WITH_BIAS = (*TWO_CLASSES, "perceptron.binary", "sgd.binary")

MISTAKES: tuple[Mistake, ...] = (
    Mistake("svm.squared_hinge", (BINARY,), replaced("loss", "hinge", "squared_hinge", "hinge")),
    Mistake("svm.plain_hinge", (BINARY,), replaced("loss", "squared_hinge", "hinge")),
    Mistake("svm.bias_regularised", TWO_CLASSES, _bias_penalised, _with_one_bias),
    Mistake("svm.bias_free", TWO_CLASSES, _freed, program=_bias_free),
    Mistake("svm.zero_weight_rows", SOFT, weights_ignored),
    Mistake(
        "svm.slack_per_rival", (MULTICLASS,), replaced("loss", "max_form", "sum_form", "max_form")
    ),
    Mistake("svm.costs_ignored", (MULTICLASS,), costs_ignored),
    Mistake("svm.costs_transposed", (MULTICLASS,), costs_transposed),
    *(_other_C(f"svm.{name}", factor) for name, factor in OF_C.items()),
    *(_other_C(f"svm.{name}", factor, (MULTICLASS,)) for name, factor in OF_CLASSES.items()),
    of_answer("svm.sign_reversed", (*TWO_CLASSES, MULTICLASS), _reversed),
    of_answer("svm.first_is_positive", TWO_CLASSES, _reversed_by_first),
    replace(
        of_answer("svm.value_negated", FAMILIES, times(_minus_one, "objective", "dual")),
        if_tied=(times(_minus_one, "objective"), times(_minus_one, "dual")),
    ),
    of_answer("svm.bias_sign", WITH_BIAS, times(_minus_one, "b")),
    of_answer("svm.signed_alpha", (*TWO_CLASSES, "perceptron.kernel"), partial(_signed, 1)),
    of_answer("svm.minus_signed_alpha", (*TWO_CLASSES, "perceptron.kernel"), partial(_signed, -1)),
    Mistake(
        "svm.bias_toggled", TWO_CLASSES, _bias_toggled, _without_bias, program=_bias_toggled_made
    ),
    *_of_biases(),
    of_program("svm.no_bias_in_decision", TWO_CLASSES, _without_b, right=right_scores),
    of_program("svm.missing_one", (BINARY,), _scores_of_0, right=right_scores),
    of_program("svm.stalled", TWO_CLASSES, stalled, right=solved_with_scores),
    of_program("svm.own_class_sign", (MULTICLASS,), own_class_sign, right=right_scores),
    of_program("svm.labels_forgotten", TWO_CLASSES, summed(lambda s, a, cap: a)),
    of_program("svm.free_rows_alone", (BINARY,), summed(lambda s, a, cap: s * a * (a < cap))),
    of_program("svm.unit_weights", (*TWO_CLASSES, MULTICLASS), of_length_one),
    of_program("svm.one_vs_rest", (MULTICLASS,), one_vs_rest),
    Mistake("svm.C_of_one_class", (BINARY,), _C_of_one_class),
    of_answer("svm.class_order", (MULTICLASS,), answer=sorted_again, spoil=in_order_of_appearance),
    of_answer(
        "svm.classes_reversed",
        (MULTICLASS,),
        answer=reversed_again,
        spoil=lambda problem, answer: reversed_again(problem, without(answer, "classes")),
    ),
    _softened("svm.hard_by_large_C", 1024),
    _softened("svm.soft_for_hard", 1, 10, 100),
    of_program("svm.ones_column", (MULTICLASS,), with_ones),
    of_answer("svm.relative_to_last", (MULTICLASS,), _centred, _less_last),
    Mistake(
        "svm.no_cap", SOFT, lambda problem, answer: [{**problem, "C": UNBOUNDED}], program=_uncapped
    ),
)

FLOATS_AS_TEXT = Mistake(
    "svm.floats_as_text", (*TWO_CLASSES, MULTICLASS, "qp.convex"), answer=_as_floats
)

CONVENTIONS: tuple[Mistake, ...] = (
    of_answer(
        "svm.bias_of_0",
        TWO_CLASSES,
        _bias_of_0,
        spoil=lambda problem, answer: {**without(answer, "b_interval"), "b": 0},
    ),
    FLOATS_AS_TEXT,
    Mistake("svm.bias_off", TWO_CLASSES, answer=_best_bias, is_remark=True),
    Mistake("svm.other_C", SOFT, _least_C),
)
"""What is only recognised."""
