"""Variants of the SVMs and of quadratic programs.

C       the weight of the losses; other scales of it are those of other lectures and programs
b       the bias; a column of ones makes it a weight that is shrunk with the others
alpha   multipliers of at least 0; y·alpha are what some programs store
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from refmc.core.records import Record, items, labels, matrix, number, numbers
from refmc.core.scalars import plain
from refmc.oracle.reading import read_codes, read_signs, truth
from refmc.oracle.variants.fields import (
    mapped,
    negated,
    order_of_appearance,
    rewritten,
    row_count,
    scaled,
    without,
)
from refmc.oracle.variants.variant import Variant, class_count

BINARY, MULTICLASS, HARD = "svm.binary", "svm.multiclass", "svm.hard"
TWO_CLASSES, SOFT = (BINARY, HARD), (BINARY, MULTICLASS)

FLOAT_DIGITS = 15
"""Decimals of fewer digits than that are hardly floats that were printed."""

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


def _bias_reversed(problem: Record, answer: Record) -> Record | None:
    return rewritten(answer, negated, "b")


def _signed(problem: Record, answer: Record) -> Record | None:
    """The answer with each alpha multiplied by the sign of its row."""
    if "alpha" not in answer:
        return None
    signs = read_signs(problem, row_count(problem))[0]
    alpha = numbers(answer["alpha"], "answer.alpha")
    if len(alpha) != len(signs):  # a hard margin whose rows of weight 0 are left out
        return None
    return {**answer, "alpha": [sign * a for sign, a in zip(signs, alpha)]}


def _as_floats(problem: Record, answer: Record) -> Record | None:
    """The answer with decimals of at least `FLOAT_DIGITS` digits as the floats nearest to them."""
    found = {name: value for name, value in answer.items() if name not in ("labels", "classes")}
    changed = {name: _floats(value) for name, value in found.items()}
    return {**answer, **changed} if changed != found else None


def _floats(value: object) -> object:
    value = plain(value)
    if isinstance(value, (list, tuple)):
        return [_floats(entry) for entry in value]
    digits = (
        re.fullmatch(r"-?(\d*)\.(\d+)(?:[eE][-+]?\d{1,3})?", value)
        if isinstance(value, str)
        else None
    )
    is_long = digits and len((digits[1] + digits[2]).strip("0")) >= FLOAT_DIGITS
    return float(str(value)) if is_long else value


def _best_bias(problem: Record, answer: Record) -> Record | None:
    """The answer without its bias, which is then judged with the best bias that there is."""
    return without(answer, "b") if "b" in answer else None


def _in_order_of_appearance(problem: Record, answer: Record) -> Record | None:
    """The answer with its classes given in the order in which the labels come."""
    seen = order_of_appearance(problem)
    if "classes" in answer or seen == sorted(seen):
        return None
    _, classes = read_codes(problem, row_count(problem))
    return {**answer, "classes": [classes[code] for code in seen]}


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
    """Only the bias itself, as a penalised one is a single number that weights need beside them."""
    kept = without(answer, "b_interval", "margin_squared")
    return kept if "b" in kept or "w" not in kept else None


def _squared(problem: Record, answer: Record) -> list[Record]:
    is_plain = problem.get("loss", "hinge") == "hinge"
    return [{**problem, "loss": "squared_hinge"}] if is_plain else []


def _bias_toggled(problem: Record, answer: Record) -> list[Record]:
    return [{**problem, "bias": not truth(problem, "bias", True)}]


def _without_bias(problem: Record, answer: Record) -> Record | None:
    """The answer without its bias, which must be 0, where the neighbouring problem has none."""
    if truth(problem, "bias", True):
        kept = without(answer, "b", "b_interval")
        return kept if not any(numbers([answer.get("b", 0)], "answer.b")) else None
    return answer


def _other_C(
    id: str,
    sentence: str,
    breaks: str,
    factor: Callable[[Record], Fraction],
    families: tuple[str, ...] = SOFT,
) -> Variant:
    """The variant that multiplies C by a factor."""
    scales = scaled("C", factor)

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        found = list(scales(problem, answer))
        bounds_mass = problem.get("loss", "hinge") in ("hinge", "max_form")
        if bounds_mass and "weights" not in problem:
            # multipliers far beyond a C are no answer to it, and that needs no search
            mass = _largest_mass(problem, answer)
            found = [p for p in found if mass <= BEYOND * number(p["C"], "problem.C")]
        return found

    return Variant(id, families, sentence, breaks, problem=neighbours)


SIGN_REVERSED = Variant(
    "svm.sign_reversed",
    (*TWO_CLASSES, MULTICLASS),
    "every score has the opposite sign",
    "chang: y in {-1, +1}, sgn(w·x + b); lu, Kuhn-Tucker conditions (the final print)",
    answer=_reversed,
)

BIAS_SIGN = Variant(
    "svm.bias_sign",
    TWO_CLASSES,
    "the bias is subtracted where it must be added",
    "chang: w·φ(x) + b",
    answer=_bias_reversed,
)

COLUMN_OF_ONES = Variant(
    "svm.bias_regularised",
    TWO_CLASSES,
    "the bias is a column of ones and is shrunk with w",
    'chang, "Soft SVM": ½ wᵀw holds no b',
    problem=_bias_penalised,
    answer=_with_one_bias,
)

SQUARED_HINGE = Variant(
    "svm.squared_hinge",
    (BINARY,),
    "the loss is the squared hinge",
    'chang, "Soft SVM": C Σ max(0, 1 - y f)',
    problem=_squared,
)

VARIANTS: tuple[Variant | tuple[Variant, ...], ...] = (
    Variant(
        "svm.floats_as_text",
        (*TWO_CLASSES, MULTICLASS, "qp.convex"),
        "its long decimals are JSON numbers, each of which stands for all that round to it",
        "refmc: a string stands for itself",
        answer=_as_floats,
    ),
    SIGN_REVERSED,
    BIAS_SIGN,
    Variant(
        "svm.signed_alpha",
        TWO_CLASSES,
        "y·α is given for α",
        'chang, "Dual SVM problem": 0 ≤ α_i ≤ C',
        answer=_signed,
    ),
    Variant(
        "svm.class_order",
        (MULTICLASS,),
        "the classes stand in order of appearance",
        "refmc: classes are sorted",
        answer=_in_order_of_appearance,
    ),
    Variant(
        "svm.bias_off",
        TWO_CLASSES,
        "the bias is replaced by the best one for the same weights",
        'chang, "Soft SVM": the minimum over w and b',
        answer=_best_bias,
    ),
    _other_C(
        "svm.C_over_m",
        "C is divided by the number of rows",
        "lu primal: C Σ η_i",
        lambda problem: Fraction(1, row_count(problem)),
    ),
    _other_C(
        "svm.C_times_m",
        "C is multiplied by the number of rows",
        "lu primal: C Σ η_i",
        lambda problem: Fraction(row_count(problem)),
    ),
    _other_C(
        "svm.half_dropped",
        "the norm enters as ‖w‖² where ½‖w‖² is meant",
        "lecture5 (7) against karagiannis (3.4)",
        lambda problem: Fraction(1, 2),
    ),
    _other_C(
        "svm.half_added",
        "the norm enters as ¼‖w‖² where ½‖w‖² is meant",
        "lecture5 (7) against karagiannis (3.4)",
        lambda problem: Fraction(2),
    ),
    _other_C(
        "svm.C_on_the_norm",
        "C multiplies the norm and not the losses",
        'chang, "Soft SVM": C Σ ξ_i',
        lambda problem: 1 / number(problem["C"], "problem.C") ** 2,
    ),
    _other_C(
        "svm.C_over_k",
        "C is divided by the number of classes",
        "lu primal: C Σ η_i",
        lambda problem: Fraction(1, class_count(problem)),
        (MULTICLASS,),
    ),
    COLUMN_OF_ONES,
    Variant(
        "svm.bias_toggled",
        TWO_CLASSES,
        "there is no bias, or one that was not asked for",
        "chang: w·φ(x) + b",
        problem=_bias_toggled,
        answer=_without_bias,
    ),
    SQUARED_HINGE,
    (COLUMN_OF_ONES, SQUARED_HINGE),  # what LIBLINEAR does unless told otherwise
    Variant(
        "svm.other_C",
        SOFT,
        "C is what the multipliers say",
        'lu, "Lagrangian Dual Problem for Multi-Class SVM": multipliers are at most C',
        problem=_least_C,
    ),
    (SIGN_REVERSED, BIAS_SIGN),
    Variant(
        "qp.half_missing",
        ("qp.convex",),
        "xᵀQx enters without its half",
        "lu: the dual is a convex program ½xᵀQx + cᵀx",
        problem=lambda problem, answer: [{**problem, "Q": mapped(problem["Q"], lambda v: 2 * v)}],
    ),
    Variant(
        "qp.linear_sign",
        ("qp.convex",),
        "the linear part has the opposite sign, as for a maximum",
        "lu: the dual is a convex program ½xᵀQx + cᵀx",
        problem=lambda problem, answer: [{**problem, "c": negated(problem["c"])}],
    ),
    Variant(
        "qp.equality_sign",
        ("qp.convex",),
        "multipliers of equations have the opposite sign",
        "refmc: Qx + c + Aᵀν + Gᵀμ = 0",
        answer=lambda problem, answer: rewritten(answer, negated, "equality_multipliers"),
    ),
)
