"""What is submitted of a run, in all families alike: states, the end, the mistakes, labels.

"trace": the state after each step    "w" with "b", "alpha" or "W": the end
"mistakes": one count an epoch        "labels": one label a row, predicted after the run
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.online.replay import Submission
from refmc.checker.online.states import Average, State
from refmc.core.records import Record, items, number
from refmc.core.sample import Label
from refmc.errors import FormatError
from refmc.oracle.forms import (
    LABELS,
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    WHOLE,
    WHOLES,
    Fields,
    Form,
    answer_form,
    choice,
    either,
    list_of,
)
from refmc.oracle.reading import (
    label_positions,
    matrix_of,
    one_of,
    read_answer,
    read_codes,
    read_signs,
    row_of,
    whole_numbers,
)


def labels_of(record: Record, m: int) -> Sequence[Label]:
    """The labels of the classes of a run on m rows, in their order."""
    read = read_codes if str(record["family"]).endswith(".multiclass") else read_signs
    return read(record, m)[1]


@dataclass(frozen=True)
class Shape:
    """How a state is written: `blocks` rows of `width` numbers; or, for 0 blocks, one row.

    `name`: the field of the end. `bias`: one more number after the row, by itself in the end as b.
    """

    name: str
    width: int
    blocks: int = 0
    bias: bool = False

    @property
    def entries(self) -> int:
        """The numbers of a state."""
        return self.width * max(self.blocks, 1) + self.bias

    def read(self, value: object, place: str) -> State:
        """A state as the checker counts its entries.

        >>> Shape("W", 1, blocks=2).read([[1], [2]], "answer.W")
        (Fraction(1, 1), Fraction(2, 1))
        """
        if not self.blocks:
            return tuple(matrix_of([value], place, 1, self.width + self.bias)[0])
        return tuple(
            entry for row in matrix_of(value, place, self.blocks, self.width) for entry in row
        )

    def read_end(self, record: Record) -> State | None:
        """The end in an answer, if it is there."""
        if self.bias and (self.name in record) != ("b" in record):
            raise FormatError(f"answer: {self.name} and b belong together")
        if self.name not in record:
            return None
        if self.blocks:
            return self.read(record[self.name], f"answer.{self.name}")
        bias = [number(record["b"], "answer.b")] if self.bias else []
        return (*row_of(record, self.name, self.width), *bias)

    def form(self, family: str) -> Form:
        """What an answer may hold."""
        judged: Fields = {
            "trace": MATRICES if self.blocks else MATRIX,
            self.name: MATRIX if self.blocks else NUMBERS,
            **({"b": NUMBER} if self.bias else {}),
            **({"mistakes": WHOLES} if family.startswith("perceptron") else {}),
            "labels": LABELS,
        }
        return answer_form(judged)


RUN: Fields = {
    "start": either(NUMBERS, MATRIX),
    "average": choice("equally", "by_age"),
    "weights": NUMBERS,
    "classes": LABELS,
}
"""Options of every run."""

EPOCHS: Fields = {"epochs": WHOLE, "order": either(WHOLES, list_of(WHOLES))}
"""How often a run goes over the rows, and in what order."""


def read_submission(
    record: Record, family: str, shape: Shape, classes: Sequence[Label], m: int
) -> Submission:
    """What is submitted of a run on m rows; `FormatError` names the field that is wrong."""
    read_answer(record, family, shape.form(family))
    trace = mistakes = labels = None
    if "trace" in record:
        steps = items(record["trace"], "answer.trace")
        trace = [shape.read(step, f"answer.trace[{t}]") for t, step in enumerate(steps)]
    if "mistakes" in record:
        mistakes = tuple(whole_numbers(record["mistakes"], "answer.mistakes"))
    if "labels" in record:
        labels = label_positions(record["labels"], "answer.labels", classes, m)
    return Submission(trace, shape.read_end(record), mistakes, labels)


def read_start(record: Record, shape: Shape) -> State | None:
    """The state that a run begins at; None is 0.

    >>> read_start({"start": [1, 2]}, Shape("w", 1, bias=True))
    (Fraction(1, 1), Fraction(2, 1))
    """
    return shape.read(record["start"], "problem.start") if "start" in record else None


def read_average(record: Record) -> Average | None:
    """By what the states of a run are averaged, if they are."""
    average: Average | None = None
    if "average" in record:
        average = one_of(record, "average", ["equally", "by_age"])
    return average


def written(state: Sequence[Fraction], shape: Shape) -> list[object]:
    """A state of the checker's as a learner takes it: rows, or one row."""
    width = shape.width
    if not shape.blocks:
        return list(state)
    return [list(state[r * width : (r + 1) * width]) for r in range(shape.blocks)]
