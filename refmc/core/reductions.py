"""Several binary problems made from one multi-class problem: training them, asking them.

Covers [keshet §1], [karagiannis §2], [chang, "Reducing multiclass to binary"]. What is trained is
handed over as a function of (rows, signs); what it returns answers a row with a number.

Legend: m rows, k classes, l binary problems; a column holds one sign a row: −1, +1, or 0 where
the row is left out.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any, Protocol

from refmc.core.linalg import total
from refmc.core.logs import Log
from refmc.core.sample import Label, Matrix, Row, read_row, read_rows_as
from refmc.core.scalars import as_float, is_exact, plain, shown
from refmc.errors import DataError, FormatError, MixedArithmeticError, ParameterError

Signs = Sequence[int]

ABSENT = float("-inf")
"""The score of a class that has no row to learn from: below every other."""


class BinaryLearner(Protocol):
    """Any `fit_…` for labels −1 and +1, its parameters given by `functools.partial`.

    What it returns has a `decision(x)`, or is itself a function of x: positive for +1.
    """

    def __call__(self, X: Any, y: Any, /) -> Any: ...


@dataclass(frozen=True)
class BinaryStep:
    """One binary problem: its number, the labels on its two sides, its rows, what was trained.

    `model` is None where the problem was skipped: one of its sides has no row.
    """

    problem: int
    positive: tuple[Label, ...]
    negative: tuple[Label, ...]
    rows: int
    model: Any


@dataclass(frozen=True)
class _Job:
    """What one problem needs, as plain data for any process."""

    problem: int
    rows: list[tuple[Any, ...]]
    signs: list[int]


def one_vs_all_signs(k: int) -> tuple[tuple[int, ...], ...]:
    """+1 on the diagonal, −1 elsewhere; one column for two classes, none for one.

    >>> one_vs_all_signs(3)
    ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))
    """
    columns = k if k > 2 else k - 1
    return tuple(tuple(1 if r == s else -1 for s in range(columns)) for r in range(k))


def all_pairs_signs(k: int) -> tuple[tuple[int, ...], ...]:
    """A column for each pair of classes: +1 for the first, −1 for the second, 0 for the others.

    >>> all_pairs_signs(3)
    ((1, 1, 0), (-1, 0, 1), (0, -1, -1))
    """
    pairs = list(combinations(range(k), 2))
    return tuple(tuple((r == i) - (r == j) for i, j in pairs) for r in range(k))


def code_columns(code: Sequence[Signs], y: Sequence[int]) -> list[list[int]]:
    """For each column s of the code the signs M(y_i, s) of the m rows. [keshet §1.3]

    >>> code_columns([[1], [-1], [0]], [2, 0, 1, 1])
    [[0, 1, -1, -1]]
    """
    return [[code[own][s] for own in y] for s in range(len(code[0]))]


def train_problems(
    binary: BinaryLearner,
    rows: Sequence[tuple[Any, ...]],
    y: Sequence[int],
    classes: Sequence[Label],
    code: Sequence[Signs],
    executor: Executor | None,
    on_step: Callable[[BinaryStep], None] | None,
) -> tuple[Any, ...]:
    """One model for each column of the code, None for those with rows on one side alone.

    Rows of sign 0 are left out. Problems are trained side by side by the `executor`, and shown to
    `on_step` in their order. What `binary` raises comes with a note naming the problem.
    """
    jobs = [_job(s, rows, column) for s, column in enumerate(code_columns(code, y))]
    run = map if executor is None else executor.map
    models = run(partial(_train, binary), [job for job in jobs if len(set(job.signs)) == 2])
    found = []
    for job in jobs:
        found.append(next(models) if len(set(job.signs)) == 2 else None)
        if on_step is not None:
            on_step(_step(job, classes, code, found[-1]))
    return tuple(found)


def _job(problem: int, rows: Sequence[tuple[Any, ...]], column: Signs) -> _Job:
    kept = [i for i, sign in enumerate(column) if sign]
    return _Job(problem, [rows[i] for i in kept], [column[i] for i in kept])


def _step(job: _Job, classes: Sequence[Label], code: Sequence[Signs], model: Any) -> BinaryStep:
    s = job.problem
    positive, negative = (
        tuple(label for label, row in zip(classes, code) if row[s] == side) for side in (1, -1)
    )
    return BinaryStep(s, positive, negative, len(job.rows), model)


def _train(binary: BinaryLearner, job: _Job) -> Any:
    try:
        model = binary(job.rows, job.signs)
    except Exception as error:
        error.add_note(f"in binary problem {job.problem}")
        raise
    if not callable(model) and not callable(getattr(model, "decision", None)):
        raise ParameterError(
            f"binary: expected a model with decision(x), or a function of x, got {shown(model)}"
        )
    return model


def read_item(x: Row, width: int, zero: Any) -> tuple[Any, ...]:
    """One validated row of `width` numbers in the arithmetic of the training rows."""
    return _of_width(read_row(x, zero, "x"), width, "x")


def read_items(X: Matrix, width: int, zero: Any) -> list[tuple[Any, ...]]:
    """Validated rows of `width` numbers in the arithmetic of the training rows."""
    return [_of_width(x, width, f"X: row {i}") for i, x in enumerate(read_rows_as(X, zero))]


def _of_width(row: tuple[Any, ...], width: int, place: str) -> tuple[Any, ...]:
    if len(row) != width:
        raise DataError(f"{place}: expected {width} numbers, got {len(row)}")
    return row


def ask(models: Sequence[Any], x: tuple[Any, ...], zero: Any) -> list[Any]:
    """The score of each model for x, 0 for those that were skipped; all of one arithmetic.

    Whole numbers follow the data; exact logarithms, the votes of boosting, stay themselves, and
    Fractions may stand beside them.
    """
    answers = [None if model is None else _answer(model, x) for model in models]
    return read_scores(answers, zero)


def _answer(model: Any, x: tuple[Any, ...]) -> Any:
    return model.decision(x) if hasattr(model, "decision") else model(x)


def read_scores(answers: Sequence[Any], zero: Any, name: str = "binary problem") -> list[Any]:
    """Validated scores of one arithmetic, that of the numbers among them; None becomes 0.

    >>> read_scores([Fraction(1, 2), None, 3], 0.0)
    [Fraction(1, 2), Fraction(0, 1), Fraction(3, 1)]
    """
    values: list[Any] = [plain(answer) for answer in answers]
    logs = [value for value in values if isinstance(value, Log)]
    numbers = [
        (f"{name} {s}", v) for s, v in enumerate(values) if v is not None and not isinstance(v, Log)
    ]
    exact = is_exact(numbers)
    if logs:
        for place, value in numbers:
            if isinstance(value, float):
                raise MixedArithmeticError(
                    f"{place}: the float {shown(value)} beside an exact logarithm; "
                    "lift it with exact(), or give float(score) for all"
                )
        return [v if isinstance(v, Log) else Fraction(v or 0) for v in values]
    if exact or (isinstance(zero, Fraction) and all(isinstance(v, int) for _, v in numbers)):
        return [Fraction(value or 0) for value in values]
    return [
        as_float(value or 0, f"{name} {s}") if isinstance(value or 0, int) else value
        for s, value in enumerate(values)
    ]


def sign(value: Any) -> int:
    """−1, 0 or +1.

    >>> sign(Fraction(-1, 3)), sign(0.0), sign(Log([(9, 1)]))
    (-1, 0, 1)
    """
    return int(value > 0) - int(value < 0)


def unrounded(value: Any) -> Any:
    """A float as the Fraction that it is; anything else as it is."""
    return Fraction(value) if isinstance(value, float) else value


def added(values: Iterable[Any]) -> Any:
    """The sum in the arithmetic of the values, in float rounded once; of none, 0.

    `MixedArithmeticError` where a natural logarithm meets a number other than 0: they have an
    order, but no common sum.

    >>> added([Fraction(1, 2), Fraction(1, 3)]), str(added([Log([(2, 1)]), Log([(5, 1)])]))
    (Fraction(5, 6), 'ln(2) + ln(5)')
    """
    listed = list(values)
    if listed and isinstance(listed[0], float):
        return total(listed, 0.0)
    try:
        return sum((value for value in listed if value), Fraction(0))
    except TypeError:
        raise MixedArithmeticError(
            "a sum of exact logarithms and other numbers; give scores of one kind"
        ) from None


def represented(y: Sequence[int], k: int) -> tuple[int, ...]:
    """The classes that have rows: those that can be predicted.

    >>> represented([2, 0, 2], 3)
    (0, 2)
    """
    found = set(y)
    return tuple(c for c in range(k) if c in found)


def saved_models(models: Sequence[Any]) -> list[object]:
    """Each model's own saved form, None for a problem that was skipped.

    `ParameterError` for a model without `to_json`.
    """
    records: list[object] = []
    for problem, model in enumerate(models):
        if model is not None and not hasattr(model, "to_json"):
            raise ParameterError(
                f"binary problem {problem}: {shown(model)} can't be saved; only models that have "
                "to_json can"
            )
        records.append(None if model is None else json.loads(model.to_json()))
    return records


def saved_choice(choice: Any, known: Mapping[str, Any], name: str) -> str | None:
    """The name under which a function is known, None for None; else `ParameterError`."""
    if choice is None:
        return None
    for text, function in known.items():
        if function is choice:
            return text
    raise ParameterError(f"{name}: {shown(choice)} can't be saved; known: {', '.join(known)}")


def loaded_choice(text: object, known: Mapping[str, Any], name: str) -> Any:
    """The function known under that name; else `FormatError`."""
    if not isinstance(text, str) or text not in known:
        raise FormatError(f"model.{name}: unknown {shown(text)}; known: {', '.join(known)}")
    return known[text]


LoadBinary = Callable[[Any], Any]
"""From the record of a saved binary model to the model."""


def loaded_models(records: Sequence[Any], count: int, load: LoadBinary) -> tuple[Any, ...]:
    """The binary models of a saved reduction, `count` of them."""
    if len(records) != count:
        raise FormatError(f"model.binary: expected {count} models, got {len(records)}")
    return tuple(None if record is None else load(record) for record in records)


def loaded_positions(values: Sequence[Any], k: int, name: str) -> tuple[int, ...]:
    """Increasing positions below k, at least one; else `FormatError`."""
    places = list(values)
    if not places or any(type(p) is not int or not 0 <= p < k for p in places):
        raise FormatError(
            f"model.{name}: expected positions among {k} classes, got {shown(values)}"
        )
    if sorted(set(places)) != places:
        raise FormatError(f"model.{name}: expected increasing positions, got {shown(values)}")
    return tuple(places)
