"""What the four kinds of questions answer, how they read, and how they are saved."""

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

import pytest

from refmc.errors import FormatError, ParameterError
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion, Question
from refmc.learn.trees.saving import question_from_record, question_to_record
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion

NAMES = ("size", "age", "colour")
KINDS = ("number", "number", "category")


@pytest.mark.parametrize(
    ("question", "text", "named"),
    [
        (NumericQuestion(1, F(5, 2)), "x1 ≤ 2.5", "age ≤ 2.5"),
        (NumericQuestion(0, F(1, 3)), "x0 ≤ 1/3", "size ≤ 1/3"),
        (NumericQuestion(0, F(1, 10**9)), "x0 ≤ 0.000000001", "size ≤ 0.000000001"),
        (NumericQuestion(0, F(1, 10**10)), "x0 ≤ 1/10000000000", "size ≤ 1/10000000000"),
        (NumericQuestion(0, F(0.1)), "x0 ≤ 0.1", "size ≤ 0.1"),
        (NumericQuestion(0, F(10**9)), "x0 ≤ 1000000000", "size ≤ 1000000000"),
        (CategoricalQuestion(2, ("red",)), "x2 = red", "colour = red"),
        (CategoricalQuestion(2, ("blue", "red")), "x2 in {blue, red}", "colour in {blue, red}"),
        (LinearQuestion((1, F(-1, 2), 0), 2), "1·x0 + -0.5·x1 ≤ 2", "1·size + -0.5·age ≤ 2"),
        (LinearQuestion((0, 0, 0), F(-1, 4)), "0 ≤ -0.25", "0 ≤ -0.25"),
        (SphereQuestion((1, F(1, 2)), 3), "|x - (1, 0.5)| ≤ 3", "|x - (1, 0.5)| ≤ 3"),
    ],
)
def test_a_question_reads_as_its_formula(question: Question, text: str, named: str) -> None:
    assert question.text() == text and question.text(NAMES) == named


@pytest.mark.parametrize(
    ("question", "yes", "no"),
    [
        (NumericQuestion(1, F(1, 2)), [9, F(1, 2)], [0, F(1, 2) + F(1, 10**30)]),
        (CategoricalQuestion(1, ("a", "b")), [0, "b"], [0, "c"]),
        (LinearQuestion((2, F(-1, 2)), 1), [1, 2], [1, F(2) - F(1, 10**30)]),
        (LinearQuestion((0.5, 0), 1), [2.0, "red"], [2.5, "red"]),
        (SphereQuestion((1, 1), 0), [1, F(1)], [1, 1 + F(1, 10**30)]),
        (SphereQuestion((1, 1), F(5, 2)), [F(5, 2), 3], [F(5, 2), 3 + F(1, 10**30)]),
    ],
)  # the distances from (1, 1) are those of 3/2 and 2: 5/2
def test_a_question_is_answered_exactly_on_its_border(
    question: Question, yes: Sequence[Any], no: Sequence[Any]
) -> None:
    assert question.ask(yes) and not question.ask(no)


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (3, "q: expected an object"),
        ({"column": 2, "threshold": 1}, "q.column: column 2 holds a category, not a number"),
        ({"column": 0, "values": ["a"]}, "q.column: column 0 holds a number, not a category"),
        ({"column": 3, "threshold": 1}, "q.column: expected a column from 0 to 2"),
        ({"column": True, "threshold": 1}, "q.column: expected a column from 0 to 2"),
        ({"coefficients": [1, 2], "bound": 0}, "q.coefficients: expected 3 numbers, got 2"),
        ({"center": [1, 2], "radius": 0}, "q.center: expected 3 numbers, got 2"),
        ({"center": [1, 2, 3], "radius": -1}, "q.radius: expected at least 0"),
        ({"column": 0, "threshold": 1, "bound": 2}, "q: unknown field 'bound'"),
    ],
)
def test_a_damaged_question_is_refused(record: Any, message: str) -> None:
    with pytest.raises(FormatError) as refusal:
        question_from_record(record, "q", KINDS)
    assert str(refusal.value).startswith(message)


def test_what_is_no_question_of_these_is_refused() -> None:
    with pytest.raises(ParameterError, match="radius: expected at least 0, got -1"):
        SphereQuestion((0,), -1)

    class Odd:
        def ask(self, x: Sequence[Any]) -> bool:
            return bool(x[0] % 2)

        def text(self, columns: Any = None) -> str:
            return "is odd"

    with pytest.raises(ParameterError, match="can't be saved; only refmc's own kinds can"):
        question_to_record(Odd())
