"""What programs for SVMs and quadratic programs get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, matrix, number, numbers
from refmc.errors import FormatError
from refmc.oracle.reading import read_codes, read_rows_or_gram, read_signs, truth
from refmc.oracle.variants.fields import (
    costs_ignored,
    costs_transposed,
    order_of_appearance,
    row_count,
    weights_ignored,
    without,
)
from refmc.oracle.variants.transport import solved
from refmc.oracle.variants.variant import Neighbours, Variant
from refmc.suite.catalogue.mistake import (
    KNOWN,
    Mistake,
    neighbour_of,
    of_answer,
    of_known,
    of_neighbour,
    of_problem,
    of_program,
)
from refmc.theory.grams import gram

ZERO = Fraction(0)
BINARY, HARD, MULTICLASS = "svm.binary", "svm.hard", "svm.multiclass"


def _kernel(problem: Record) -> list[list[Fraction]]:
    rows = read_rows_or_gram(problem)
    given: Any = rows.gram if rows.gram is not None else gram(rows.kernel, rows.X or [])
    return [list(row) for row in given]


def _products(problem: Record, alpha: Sequence[Fraction]) -> list[Fraction]:
    """w·x_i of the weights that multipliers make."""
    signs, K = read_signs(problem, row_count(problem))[0], _kernel(problem)
    return [sum((a * s * v for a, s, v in zip(alpha, signs, row)), ZERO) for row in K]


def _alpha(problem: Record) -> list[Fraction]:
    """The right multipliers; `FormatError` where there are none."""
    found = solved(problem)
    if "alpha" not in found:
        raise FormatError("rows that no hyperplane separates")
    return numbers(found["alpha"], "alpha")


def _weights(problem: Record, alpha: Sequence[Fraction]) -> dict[str, Any]:
    """w, where there is one, of multipliers."""
    rows = read_rows_or_gram(problem)
    if not rows.is_linear or rows.X is None:
        return {}
    signs = read_signs(problem, row_count(problem))[0]
    columns = zip(*([a * s * v for v in x] for a, s, x in zip(alpha, signs, rows.X)))
    return {"w": [sum(column, ZERO) for column in columns]}


def _with_bias(bias: Callable[[int, Fraction], Fraction]) -> Callable[[Record], Record | None]:
    """The right weights with the mean of a term, by sign and score, over all support vectors."""

    def program(problem: Record) -> Record | None:
        if not truth(problem, "bias", True):
            return None
        alpha = _alpha(problem)
        signs = read_signs(problem, row_count(problem))[0]
        scores = _products(problem, alpha)
        terms = [bias(s, f) for s, f, a in zip(signs, scores, alpha) if a > 0]
        if not terms:
            return None
        b = sum(terms, ZERO) / len(terms)
        return {"alpha": alpha, **_weights(problem, alpha), "b": b}

    return program


def _right_scores(problem: Record) -> Record | None:
    """The scores and labels of the optimum."""
    found = solved(problem)
    if problem["family"] == MULTICLASS:
        return {"scores": _class_scores(problem, found["lam"])}
    return _scored(problem, number(found.get("b", 0), "b"))


def _scored(problem: Record, b: Fraction) -> Record:
    """The scores of the right weights with a bias, and the labels that these make."""
    scores = [f + b for f in _products(problem, _alpha(problem))]
    classes = read_signs(problem, row_count(problem))[1]
    return {"scores": scores, "labels": [classes[f > 0] for f in scores]}


def _class_scores(problem: Record, lam: object, own_sign: int = 1) -> list[list[Fraction]]:
    """f_y(x_i): the rows of y with their own λ, less the others with theirs."""
    codes, K = read_codes(problem, row_count(problem))[0], _kernel(problem)
    rows = zip(matrix(lam, "lam"), codes)
    signed = [[a * own_sign if y == c else -a for y, a in enumerate(row)] for row, c in rows]
    columns = list(zip(*signed))
    return [[sum((a * v for a, v in zip(column, row)), ZERO) for column in columns] for row in K]


def _stalled(problem: Record) -> Record | None:
    """Weights of multipliers that were rounded to four binary digits, beside the exact ones."""
    alpha = _alpha(problem)
    rough = [_rounded(a) for a in alpha]
    right = solved(problem)
    scores = [f + number(right.get("b", 0), "b") for f in _products(problem, rough)]
    return {
        "alpha": alpha,
        **(_weights(problem, rough) or {"scores": scores}),
        **({"b": right["b"]} if problem.get("bias") == "penalised" else {}),
        "dual": right["dual"],
    }


def _rounded(value: Fraction) -> Fraction:
    unit = Fraction(1)
    while unit * 16 > value > 0:
        unit /= 2
    return Fraction(value // unit) * unit


def _with_setting(name: str, own: object, other: object) -> Neighbours:
    """The problem with one setting for another, where it has that."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        return [{**problem, name: other}] if problem.get(name) == own else []

    return neighbours


def _bias_toggled(problem: Record) -> Record | None:
    neighbour = neighbour_of(KNOWN["svm.bias_toggled"], problem)
    assert neighbour is not None
    found = solved(neighbour)
    return without(found, "b", "b_interval") if truth(neighbour, "bias", True) else found


def _own_class_sign(problem: Record) -> Record | None:
    """f_y = −Σ λ_iy K over all rows, those of the class too."""
    if "features" in problem:
        return None
    return {"scores": _class_scores(problem, solved(problem)["lam"], own_sign=-1)}


def _appearing(problem: Record, answer: Record) -> Record | None:
    """Rows of W and columns of λ in the order in which the labels come."""
    seen = order_of_appearance(problem)
    if seen == sorted(seen):
        return None
    kept: dict[str, object] = dict(without(answer, "classes"))
    if "W" in answer:
        W = matrix(answer["W"], "W")
        kept["W"] = [W[c] for c in seen]
    kept["lam"] = [[row[c] for c in seen] for row in matrix(answer["lam"], "lam")]
    return kept


BIAS_FREE = Variant(
    "svm.bias_free",
    (BINARY, HARD),
    "the bias is free where a penalised one was asked for",
    "refmc: bias",
    problem=_with_setting("bias", "penalised", True),
)


def _bias_free(problem: Record) -> Record | None:
    neighbour = neighbour_of(BIAS_FREE, problem)
    return neighbour and without(solved(neighbour), "b_interval", "margin_squared")


def _mirrored(id: str) -> Mistake:
    """The mistake of a convention whose change is its own reverse: it spoils what it mends."""
    variant = KNOWN[id]
    assert variant.answer is not None
    return of_answer(variant, variant.answer)


MISTAKES = (
    of_known("svm.squared_hinge"),
    of_neighbour(
        "svm.plain_hinge",
        (BINARY,),
        "the loss is the hinge where its square was asked for",
        "refmc: loss",
        problem=_with_setting("loss", "squared_hinge", "hinge"),
    ),
    of_known("svm.bias_regularised"),
    Mistake(BIAS_FREE, _bias_free),
    of_neighbour(
        "svm.zero_weight_rows",
        (BINARY, MULTICLASS),
        "weights of rows are ignored, so that rows of weight 0 move the answer, too",
        "refmc: weight 0 is absent, weight 2 is twice",
        problem=weights_ignored,
    ),
    of_neighbour(
        "svm.slack_per_rival",
        (MULTICLASS,),
        "every rival class has a slack of its own, the sum form for the max form",
        "lu primal: one η_i a row; lecture5 (12) against (5)",
        problem=lambda problem, answer: (
            [{**problem, "loss": "sum_form"}]
            if problem.get("loss", "max_form") == "max_form"
            else []
        ),
    ),
    of_neighbour(
        "svm.costs_ignored",
        (MULTICLASS,),
        "all mistakes cost 1",
        "lecture5 (10): Δ(j, y)",
        problem=costs_ignored,
    ),
    of_neighbour(
        "svm.costs_transposed",
        (MULTICLASS,),
        "costs have a row for what is right",
        "refmc: a row of costs for what is predicted",
        problem=costs_transposed,
    ),
    of_known("svm.C_on_the_norm"),
    of_known("svm.C_over_m"),
    of_problem(
        replace(
            KNOWN["svm.C_over_m"],
            id="svm.mean_for_sum",
            sentence="C multiplies the mean of the losses and not their sum",
            breaks="lu, the primal, against lecture5 (7): C = 1/(nλ)",
        )
    ),
    of_known("svm.C_times_m"),
    of_known("svm.C_over_k"),
    of_known("svm.half_dropped"),
    of_known("svm.half_added"),
    _mirrored("svm.sign_reversed"),
    _mirrored("svm.bias_sign"),
    _mirrored("svm.signed_alpha"),
    Mistake(KNOWN["svm.bias_toggled"], _bias_toggled),
    of_program(
        "svm.bias_from_bounded",
        (BINARY,),
        "the bias is the mean over all support vectors, those with α = C too",
        "chang, the dual: only 0 < α_i < C lie on the margin",
        _with_bias(lambda sign, score: sign - score),
    ),
    of_program(
        "svm.bias_from_signs",
        (BINARY, HARD),
        "the bias is computed from the signs of the scores",
        "chang: y_i (w·x_i + b) = 1 on the margin",
        _with_bias(lambda sign, score: Fraction(sign - (score > 0) + (score < 0))),
    ),
    of_program(
        "svm.no_bias_in_decision",
        (BINARY, HARD),
        "the bias is learned but left out of the decision",
        'chang, "Decision function in Kernel SVM" as printed',
        lambda problem: _scored(problem, ZERO) if truth(problem, "bias", True) else None,
        _right_scores,
    ),
    of_program(
        "svm.missing_one",
        (BINARY,),
        "the loss is max(0, −y f), without the margin of 1",
        'chang, "The Hinge Loss"',
        lambda problem: {"scores": [ZERO] * row_count(problem)},  # which then costs nothing
        _right_scores,
    ),
    of_program(
        "svm.stalled",
        (BINARY, HARD),
        "the multipliers are good, but the weights stay short of the optimum",
        "chang, the primal; weak duality",
        _stalled,
        lambda problem: {**solved(problem), **(_right_scores(problem) or {})},
    ),
    of_program(
        "svm.own_class_sign",
        (MULTICLASS,),
        "the rows of a class enter its own f_y with the sign of the others",
        "lu, Kuhn-Tucker conditions (the final print has it reversed)",
        _own_class_sign,
        _right_scores,
    ),
    of_answer(KNOWN["svm.class_order"], _appearing),
    of_neighbour(
        "svm.hard_by_large_C",
        (HARD,),
        "the hard margin is a soft one with C = 1024, separable or not",
        'chang, "Max-margin classifiers": every margin is at least 1',
        problem=lambda problem, answer: [{**problem, "family": BINARY, "C": 1024}],
        answer=lambda problem, answer: without(answer, "family"),
    ),
    of_neighbour(
        "qp.bounds_ignored",
        ("qp.convex",),
        "the inequalities are ignored",
        "lu: the dual has bounds 0 ≤ λ",
        problem=lambda problem, answer: [without(problem, "G", "h")] if "G" in problem else [],
        answer=lambda problem, answer: without(answer, "inequality_multipliers"),
    ),
    of_known("qp.half_missing"),
    of_known("qp.linear_sign"),
    _mirrored("qp.equality_sign"),
)
