"""Every number of every field of an answer, changed alone, makes a right answer wrong.

The problems have one answer only, so nothing that is changed can be harmless, and the fields are
those that the readers know: a new one has to join a right answer here. All answers are by hand.

CORNER, from its own tests: w = (-1/2, -1/2), b = 3 and alpha = (1/2, 1/2, 1) where C = 1, and
four times that, b = 9 and alpha = (2, 2, 4), for the hard margin. MIXED: 1 is the middle of 0 and
2. ROWS of three classes: every margin is 1 with W, and lam has one free number, which its own
fields fix.
"""

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import check
from refmc.core.records import Record
from refmc.oracle.forms import REMARKS
from refmc.oracle.svm import binary, multiclass, qp

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

CORNER: Record = {"X": [["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], "y": [1, 1, -1]}
SOFT = {"family": "svm.binary", **CORNER, "C": 1}
SOFT_ANSWER: Record = {
    "w": ["-1/2", "-1/2"], "alpha": ["1/2", "1/2", 1], "scores": [1, 1, "1/2"], "labels": [1, 1, 1],
    "b": 3, "slack": [0, 0, "3/2"], "b_interval": [3, 3], "margin_squared": 2,
    "objective": "7/4", "primal": "7/4", "dual": "7/4",
}  # fmt: skip
HARD = {"family": "svm.hard", **CORNER}
HARD_ANSWER: Record = {
    "w": [-2, -2], "alpha": [2, 2, 4], "scores": [1, 1, -1], "labels": [1, 1, -1],
    "separable": True,
    "b": 9, "slack": [0, 0, 0], "b_interval": [9, 9], "margin_squared": "1/8",
    "objective": 4, "primal": 4, "dual": 4,
}  # fmt: skip
MIXED = {"family": "svm.hard", "X": [[0], [2], [1], [1]], "y": [1, 1, -1, -1]}
MIXED_ANSWER: Record = {"separable": False, "combination": [1, 1, 1, 1]}
THREE = {
    "family": "svm.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"], "C": 1,
}  # fmt: skip
T = F(1, 3)
THREE_ANSWER: Record = {
    "W": [[2 * T, -T], [-T, 2 * T], [-T, -T]],
    "scores": [[2 * T, -T, -T], [-T, 2 * T, -T], [-T, -T, 2 * T]],
    "lam": [[2 * T, T, T], [T, 2 * T, T], [0, 0, 0]], "labels": ["a", "b", "c"], "slack": [0, 0, 0],
    "objective": 2 * T, "primal": 2 * T, "dual": 2 * T, "classes": ["a", "b", "c"],
}  # fmt: skip
# Ψ = ½yx of one row x = 1, y = + with C = 2: w = 1 has the margin 1, P = 1/2, lam = 1
FEATURES = {
    "family": "svm.multiclass", "features": [[["-1/2"], ["1/2"]]], "y": ["b"],
    "classes": ["a", "b"],
    "C": 2,
}  # fmt: skip
FEATURES_ANSWER: Record = {
    "w": [1], "scores": [["-1/2", "1/2"]], "lam": [[1, 1]], "labels": ["b"], "slack": [0],
    "objective": "1/2", "primal": "1/2", "dual": "1/2", "classes": ["a", "b"],
}  # fmt: skip
# one row x = 1 of class a, each of the others a loss of its own: entries 1/3 make all margins 1
SUMS = {
    "family": "svm.multiclass", "X": [[1]], "y": ["a"], "classes": ["a", "b", "c"], "C": 1,
    "loss": "sum_form",
}  # fmt: skip
SUMS_ANSWER: Record = {
    "W": [[2 * T], [-T], [-T]], "scores": [[2 * T, -T, -T]], "lam": [[2 * T, T, T]],
    "labels": ["a"],
    "slack": [0], "objective": T, "primal": T, "dual": T,
}  # fmt: skip
# three settings of the binary SVM, solved in the tests of the checker
WEIGHTED = {
    "family": "svm.binary",
    "X": [[0], [6], [5]],
    "y": [-1, -1, 1],
    "C": 1,
    "weights": [3, 3, 6],
}
WEIGHTED_ANSWER: Record = {
    "w": ["2/5"], "b": -1, "alpha": ["17/25", 3, "92/25"], "scores": [-1, "7/5", 1],
    "labels": [-1, 1, 1], "slack": [0, "12/5", 0], "objective": "182/25", "margin_squared": "25/4",
}  # fmt: skip
SQUARED = {
    "family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "1/2", "loss": "squared_hinge",
}  # fmt: skip
SQUARED_ANSWER: Record = {
    "w": [2 * T], "b": 0, "alpha": [T, T], "scores": [2 * T, -2 * T], "slack": [T, T],
    "labels": [1, -1], "b_interval": [0, 0], "margin_squared": "9/4", "objective": T,
}  # fmt: skip
PENALISED = {
    "family": "svm.binary", "X": [[4], [5], [7], [9]], "y": [-1, -1, 1, 1], "C": 1,
    "bias": "penalised",
}  # fmt: skip
PENALISED_ANSWER: Record = {
    "w": ["8/41"], "b": "-31/41", "alpha": [1, 1, 1, "10/41"], "labels": [1, 1, 1, 1],
    "scores": ["1/41", "9/41", "25/41", 1], "slack": ["42/41", "50/41", "16/41", 0],
    "objective": F(1025, 2 * 41**2) + F(108, 41),
}  # fmt: skip
# 1/2 |x|^2 - x_0 + x_1 with x_0 + x_1 = 1, x_1 >= 1/4: x = (3/4, 1/4), nu = 1/4, mu = 5/4 + 1/4
PROGRAM = {
    "family": "qp.convex", "Q": [[1, 0], [0, 1]], "c": [-1, 1], "A": [[1, 1]], "b": [1],
    "G": [[0, -1]], "h": ["-1/4"],
}  # fmt: skip
PROGRAM_ANSWER: Record = {
    "x": ["3/4", "1/4"], "equality_multipliers": ["1/4"], "inequality_multipliers": ["3/2"],
    "objective": "-3/16", "feasible": True, "bounded": True,
}  # fmt: skip
NOWHERE = {"family": "qp.convex", "Q": [[1]], "c": [0], "A": [[1]], "b": [0], "G": [[1]], "h": [-1]}
NOWHERE_ANSWER: Record = {
    "feasible": False, "equality_multipliers": [-1], "inequality_multipliers": [1],
}  # fmt: skip
FALLING = {"family": "qp.convex", "Q": [[1, 0], [0, 0]], "c": [0, -1], "A": [[1, 0]], "b": [2]}
FALLING_ANSWER: Record = {"bounded": False, "x": [2, 0], "ray": [0, 1]}

CASES: list[tuple[Record, Record]] = [
    (SOFT, SOFT_ANSWER), (HARD, HARD_ANSWER), (MIXED, MIXED_ANSWER), (THREE, THREE_ANSWER),
    (FEATURES, FEATURES_ANSWER), (SUMS, SUMS_ANSWER), (WEIGHTED, WEIGHTED_ANSWER),
    (SQUARED, SQUARED_ANSWER), (PENALISED, PENALISED_ANSWER), (PROGRAM, PROGRAM_ANSWER),
    (NOWHERE, NOWHERE_ANSWER), (FALLING, FALLING_ANSWER),
]  # fmt: skip
KNOWN = {
    family: [field.name for field in answer.optional if field.name not in REMARKS]
    for room in (multiclass, binary, qp)
    for family, (_, (answer,)) in room.DECLARED.items()
}
each = pytest.mark.parametrize(("problem", "answer"), CASES, ids=lambda r: str(r.get("family")))


def corrupted(value: Any) -> Iterator[tuple[int | None, Any]]:
    """The value with one entry changed, by its position in the outermost list."""
    if isinstance(value, list):
        for i, entry in enumerate(value):
            for _, changed in corrupted(entry):
                yield i, [*value[:i], changed, *value[i + 1 :]]
    elif isinstance(value, bool):
        yield None, not value
    elif value in ("a", "b", "c"):
        yield from ((None, other) for other in "abc" if other != value)
    else:
        for change in (F(1, 7), F(-1), F(1, 10**30)):
            yield None, str(F(value) + change)


def test_every_field_that_a_reader_knows_is_in_a_right_answer() -> None:
    for family, fields in KNOWN.items():
        answered = {name for p, answer in CASES if p["family"] == family for name in answer}
        assert answered == set(fields)


@each
def test_the_answers_are_right(problem: Record, answer: Record) -> None:
    verdict = check(problem, answer, gap=0)
    assert verdict.status == "VERIFIED", verdict.explain()


def wrong(problem: Record, answer: Record) -> str:
    """The status, or the message of a malformed record."""
    try:
        return check(problem, answer, gap=0).status
    except ValueError as error:
        return str(error)


@each
def test_every_change_of_one_entry_is_found(problem: Record, answer: Record) -> None:
    signs = str(problem["family"]).startswith("svm") and 1 in problem["y"]  # type: ignore[operator]
    for name, value in answer.items():
        for at, changed in corrupted(value):
            if name == "labels" and signs:
                entry: Any = value
                changed = [-v if i == at else v for i, v in enumerate(entry)]
            if name == "combination" or (
                problem is FALLING and (name, at) in (("x", 1), ("ray", 1))
            ):
                continue
            found = wrong(problem, {**answer, name: changed})
            assert found != "VERIFIED", (name, changed)


def test_what_may_change_without_harm_is_told_from_what_may_not() -> None:
    """A common point needs equal weights of 0 and 2, and of the rows 1 any; a ray any length."""
    for combination, right in (
        ([1, 1, 5, 0], "VERIFIED"), ([2, 2, 1, 1], "VERIFIED"), ([1, 2, 1, 1], "REFUTED"),
        ([1, 1, 1, -1], "REFUTED"), ([1, 1, 0, 0], "REFUTED"),
    ):  # fmt: skip
        assert wrong(MIXED, {**MIXED_ANSWER, "combination": combination}) == right
    for change, right in (
        ({"x": [2, 9]}, "VERIFIED"), ({"ray": [0, "1/9"]}, "VERIFIED"),
        ({"ray": [0, -1]}, "REFUTED"),
    ):  # fmt: skip
        assert wrong(FALLING, {**FALLING_ANSWER, **change}) == right


@each
def test_nothing_in_the_place_of_a_claim_is_malformed(problem: Record, answer: Record) -> None:
    for name in answer:
        assert f"answer.{name}" in wrong(problem, {**answer, name: None}), name
    for name in ("b_interval", "margin_squared", "scores", "w"):
        value = answer.get(name)
        if isinstance(value, list):
            assert f"answer.{name}" in wrong(problem, {**answer, name: [None, *value[1:]]})
