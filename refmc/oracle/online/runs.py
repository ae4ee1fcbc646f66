"""What all families of runs share: how states are written, what is submitted, what is answered.

"trace": the state after each step    "w" with "b", "alpha" or "W": the end
"mistakes": the count of each epoch   "labels": that of each row, predicted after the run
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import chain
from typing import Any

from refmc.checker.online.perceptron import PerceptronProblem
from refmc.checker.online.replay import Submission
from refmc.checker.online.sgd import SGDProblem
from refmc.checker.online.states import Average, State
from refmc.core.records import Record, number
from refmc.core.sample import Label
from refmc.errors import FormatError
from refmc.learn.online.runs import by_age, equally
from refmc.oracle.declaring import REMARKS, Read, claim, one_of, part
from refmc.oracle.fields import Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import LABELS, MATRICES, MATRIX, NUMBER, NUMBERS, WHOLES, either
from refmc.oracle.forms import choice as names
from refmc.oracle.reading import (
    each,
    label_positions,
    matrix_of,
    read_codes,
    read_signs,
    row_of,
    whole,
)

Run = PerceptronProblem | SGDProblem

AVERAGES = {"equally": equally, "by_age": by_age}

STATE = {"w": ("columns+",), "alpha": ("rows",), "W": ("classes", "columns")}
"""The axes of the states of a run, by the field of an answer that holds the last one."""

POWERS = {"perceptron.kernel": 0, "perceptron.binary": 1, "perceptron.multiclass": 1}
"""The power by which states grow with the features; those of descents shrink with them."""


def _start_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    if problem["family"].endswith("binary"):
        d = sizes["columns"] + bool(problem.get("bias"))
        return {"start": draws.row(d, sizes.numbers)}
    if "features" in problem:
        return {"start": draws.row(sizes["features"], sizes.numbers)}
    if problem["family"] == "perceptron.kernel":
        return {"start": draws.row(sizes["rows"], ["0", "1", "2", "1/2"])}
    return {"start": draws.rows(sizes["classes"], sizes["columns"], sizes.numbers)}


def start_of(family: str, name: str) -> Field[object]:
    """The field of the state that a run begins at."""
    return part(
        "start", either(NUMBERS, MATRIX), "the state before the first visit, 0 if absent",
        axes=STATE[name], axes_beside={"features": ("features",)}, draws=_start_drawn,
        power=POWERS.get(family, -1),
    )  # fmt: skip


_average: Read[Average] = one_of("equally", "by_age")
AVERAGE = claim(
    "average",
    "the end is the mean of the states after all visits, of which that after visit t counts 1 "
    "(`equally`) or t (`by_age`); without it the end is the last state",
    names(*AVERAGES), _average, draws=[*AVERAGES],
)  # fmt: skip
WEIGHTS = part(
    "weights", NUMBERS, "m whole numbers ≥ 0: how often each row is visited at its turn",
    axes=("rows",), draws=["1", "2", "3"],
)  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """How the states of a run, which are its weights after each step, are written in records.

    A state is `blocks` rows of `width` numbers; with 0 blocks it is a single row. `name` is the
    field of an answer that holds the last state. With `bias` a state has one more number at its
    end; of the last state this number is the field b.
    """

    name: str
    width: int
    blocks: int = 0
    bias: bool = False

    @property
    def entries(self) -> int:
        """How many numbers a state has."""
        return self.width * max(self.blocks, 1) + self.bias

    def read(self, value: object, place: str) -> State:
        """A state as the checker takes it: all its numbers in one row.

        >>> Shape("W", 1, blocks=2).read([[1], [2]], "answer.W")
        (Fraction(1, 1), Fraction(2, 1))
        """
        rows = value if self.blocks else [value]
        width = self.width + self.bias
        return tuple(chain(*matrix_of(rows, place, self.blocks or 1, width)))

    def read_start(self, record: Record) -> State | None:
        """The state that a run begins at; None is 0."""
        return self.read(record["start"], "problem.start") if "start" in record else None

    def read_end(self, record: Record) -> State | None:
        """The last state in an answer, if it is there."""
        if self.bias and (self.name in record) != ("b" in record):
            raise FormatError(f"answer: {self.name} and b belong together")
        if self.name not in record:
            return None
        value, place = record[self.name], f"answer.{self.name}"
        if self.blocks:
            return self.read(value, place)
        bias = [number(record["b"], "answer.b")] if self.bias else []
        return (*row_of(value, place, self.width), *bias)

    def held(self, holder: Any) -> dict[str, Any]:
        """The state that a step or a model of a learner holds, by its fields in an answer."""
        if self.name == "w" and hasattr(holder, "W"):  # of a feature map: W is a single row
            return {"w": holder.W[0]}
        bias = {"b": holder.b} if self.bias else {}
        return {self.name: getattr(holder, self.name), **bias}

    def rows(
        self, steps: Iterable[Any], row: Callable[[Any], dict[str, Any]], start: State | None
    ) -> Iterator[dict[str, Any]]:
        """The rows of a trace: the start of the run at t = 0, and what `row` makes of each step."""
        name = "α" if self.name == "alpha" else self.name
        for t, made in enumerate(map(row, steps)):
            if t == 0:
                state = self.written(start or (Fraction(0),) * self.entries)
                own: dict[str, Any] = {name: state[: self.width]}
                if isinstance(made[name], dict):
                    own = {name: dict(zip(made[name], state, strict=True))}
                elif self.bias:
                    own["b"] = state[-1]
                yield dict.fromkeys(made) | {"t": 0} | own
            yield made

    def written(self, state: State) -> list[object]:
        """The reverse of `read`: a state of the checker as rows, or as one row.

        >>> Shape("W", 1, blocks=2).written((1, 2))
        [[1], [2]]
        """
        width = self.width
        if not self.blocks:
            return list(state)
        return [list(state[r * width : (r + 1) * width]) for r in range(self.blocks)]

    def declared(self, family: str) -> Declared:
        """What an answer may hold."""
        return _declared(family, self.name, bool(self.blocks), self.bias)


@cache
def _declared(family: str, name: str, has_blocks: bool, bias: bool) -> Declared:
    power, of_features = POWERS.get(family, -1), {"features": ("features",)}
    axes = STATE["W" if family.endswith("multiclass") else name]
    end = tuple(axis.removesuffix("+") for axis in axes)
    judged: list[Field[object]] = [
        claim(
            "trace", "the state after each step", MATRICES if has_blocks else MATRIX,
            lambda value, place, reading: each(shape_of(reading.about[0]).read, value, place),
            axes=("steps", *axes), axes_beside={"features": ("steps", "features")}, power=power,
        ),
        part(
            name, MATRIX if has_blocks else NUMBERS, "the end", axes=end, power=power,
            axes_beside=of_features,
        ),
    ]  # fmt: skip
    judged += [part("b", NUMBER, "beside `w`: its bias")] if bias else []
    judged += [MISTAKES] if family.startswith("perceptron") else []
    judged.append(PREDICTED)
    return Declared(fields=(*judged, *REMARKS), some=tuple(judged))


def _labels(value: object, place: str, reading: Reading) -> list[int]:
    run, classes = reading.about
    return label_positions(value, place, classes, len(run.y))


MISTAKES = claim(
    "mistakes", "how many there are in each epoch", WHOLES,
    lambda value, place, reading: tuple(each(whole, value, place)),
)  # fmt: skip
PREDICTED = claim("labels", "what is predicted after the run", LABELS, _labels, axes=("rows",))


def shape_of(run: Run) -> Shape:
    """How the states of a run are written."""
    if run.family == "perceptron.kernel":
        return Shape("alpha", len(run.y))
    if isinstance(run, SGDProblem) and run.features is not None:
        return Shape("w", len(run.features[0][0]))
    assert run.X is not None
    if run.family.endswith(".multiclass"):
        return Shape("W", len(run.X[0]), run.k)
    return Shape("w", len(run.X[0]), bias=run.bias)


def labels_of(record: Record, m: int) -> Sequence[Label]:
    """The labels of the classes of a run on m rows, in their order."""
    read = read_codes if str(record["family"]).endswith(".multiclass") else read_signs
    return read(record, m)[1]


def read_submission(problem: Record, run: Run, answer: Record) -> Submission:
    """What is submitted of a run; `FormatError` names the field that is wrong."""
    shape = shape_of(run)
    declared = shape.declared(run.family)
    about = run, labels_of(problem, len(run.y))
    reading = declared.read_answer(answer, run.family, about)
    given = [declared.by_name["trace"], MISTAKES, PREDICTED]
    return Submission(end=shape.read_end(answer), **reading.settings(*given))


def answer_of(
    problem: Record,
    run: Run,
    end: Any,
    predicted: Sequence[int],
    steps: Sequence[Any],
    **claims: object,
) -> dict[str, object]:
    """The end of a run, which a step or a model holds, the labels, and the states as proof.

    `predicted`: for each row the position of its label in the order of the classes.
    """
    shape, classes = shape_of(run), labels_of(problem, len(run.y))
    return {
        "family": run.family,
        **shape.held(end),
        **claims,
        "labels": [classes[position] for position in predicted],
        # the bias is the last number of a row
        "trace": [[*vector, *bias] for vector, *bias in (shape.held(s).values() for s in steps)],
    }
