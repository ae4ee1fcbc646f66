"""Several binary problems made from one multi-class problem: training them, asking them.

Covers [keshet §1], [karagiannis §2], [chang, "Reducing multiclass to binary"]. The binary learner
is handed over as a function of (rows, signs); what it returns answers a row with a number.

`train_by_code` makes a problem of each column of a code, and `train_problems` trains a model for
each problem, by `_train`, which an executor may run. `Reduction` is the base of all trained models.

Legend: m rows, k classes, l binary problems; M the code, M(r, s) the sign of class r in problem s.
The column of a problem has a number for each row: its sign is the row's side, 0 leaves the row out.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from refmc.core.labelled import Sample
from refmc.core.linalg import total
from refmc.core.logs import Log
from refmc.core.parameters import check_function, map_of
from refmc.core.sample import (
    Label,
    Labels,
    Matrix,
    ReadRows,
    Row,
    check_count,
    read_row,
    read_rows_as,
)
from refmc.core.scalars import as_float, is_exact, plain, shown
from refmc.core.ties import TiePolicy, argmax_set, check_policy
from refmc.drawn import Exported
from refmc.errors import MixedArithmeticError, ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor

Signs = Sequence[int]

ABSENT = float("-inf")
"""The score of a class that has no row to learn from: below every other."""


class BinaryLearner(Protocol):
    """Any `fit_…` for labels −1 and +1, its parameters given by `functools.partial`.

    Where rows have weights, it is given those of its rows as `weights=`. What it returns has a
    `decision(x)`, or is itself a function of x; the number that this gives is positive for +1.
    [karagiannis, 6–7], [chang, "Two key ideas to solve multiclass"]
    """

    def __call__(self, X: Any, y: Any, /) -> Any: ...


@dataclass(frozen=True)
class BinaryStep:
    """One binary problem: its number, the labels on its two sides, how many rows it has, its model.

    `model` is None where the problem was skipped because one of its sides has no row.
    """

    problem: int
    positive: tuple[Label, ...]
    negative: tuple[Label, ...]
    rows: int
    model: Any


class BinaryProblem(NamedTuple):
    """One binary problem: its number, its column, and the labels on its two sides."""

    number: int
    column: Signs
    positive: tuple[Label, ...]
    negative: tuple[Label, ...]


@dataclass(frozen=True)
class Reduction(Exported):
    """Several trained binary models, and the labels that they give to a row.

    `classes`: the labels in their order. `models`: a binary model for each problem, None where it
    was skipped. `present`: the positions of the classes that had rows to learn from. `width`: how
    many numbers a row has. `zero`: that of the arithmetic. `tie`: the policy.
    """

    classes: tuple[Label, ...]
    models: tuple[Any, ...]
    present: tuple[int, ...]
    width: int
    zero: Any
    tie: TiePolicy

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        """The positions of all best classes for a validated row."""
        raise NotImplementedError

    def _read(self, x: Row) -> tuple[Any, ...]:
        """A validated row, in the arithmetic of the training rows."""
        item: tuple[Any, ...] = read_row(x, self.zero, "x")
        check_count(item, self.width)
        return item

    def _with_absent(self, scores: Iterable[Any]) -> tuple[Any, ...]:
        """The scores of the classes, −∞ for those without rows."""
        return tuple(s if c in self.present else ABSENT for c, s in enumerate(scores))

    def predict_set(self, x: Row) -> tuple[Label, ...]:
        """The labels of all best classes for x."""
        return tuple(self.classes[c] for c in self._tied(self._read(x)))

    def predict(self, X: Matrix) -> list[Label]:
        """A label for each row; ties by the policy the model was made with."""
        rows = read_rows_as(X, self.zero)
        for i, x in enumerate(rows):
            check_count(x, self.width, f"X: row {i}")
        return [self.classes[self.tie(self._tied(x))] for x in rows]


def train_by_code(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    code: Callable[[int], Iterable[Signs]],
    weights: Row | None,
    classes: Labels | None,
    tie: TiePolicy,
    executor: Executor | None,
    on_step: Callable[[BinaryStep], None] | None,
) -> Reduction:
    """Validate rows and labels, and train a binary model for each column of a code.

    The result has the fields that all reductions share; each reduction adds how it decides.
    `code`: a function from the number k of classes to the columns of the code M, which have a sign
    for each class; they are taken one after the other, since all of them at once may be large. It
    may raise an error for a k that it has no code for. In problem s the sign of row i is M(y_i, s).
    [keshet §1.3]
    """
    check_policy(tie, "tie")
    sample = read_weighted(X, y, classes, weights)
    columns = code(len(sample.classes))

    def problem(s: int, signs: Signs) -> BinaryProblem:
        sides = [[c for c, sign in zip(sample.classes, signs) if sign == side] for side in (1, -1)]
        return BinaryProblem(s, [signs[own] for own in sample.y], *map(tuple, sides))

    problems = starmap(problem, enumerate(columns))
    models = train_problems(binary, sample.rows, sample.weights, problems, executor, on_step)
    return reduction(sample, models, tie)


def reduction(sample: Sample[Any], models: tuple[Any, ...], tie: TiePolicy) -> Reduction:
    """The fields that all reductions of a sample share."""
    present, width = tuple(sorted(set(sample.y))), len(sample.rows[0])
    return Reduction(sample.classes, models, present, width, sample.zero, tie)


def read_weighted(X: Matrix, y: Labels, classes: Labels | None, weights: Row | None) -> Sample[Any]:
    """The sample without its rows of weight 0. They count as absent, but their labels stay classes.

    >>> read_weighted([[0.5], [2.0]], ["a", "b"], None, [0, 3]).weights
    (3.0,)
    """
    sample: Sample[Any] = Sample.read(X, y, classes=classes, weights=weights)
    if sample.weights is None:
        return sample
    kept = [i for i, weight in enumerate(sample.weights) if weight]
    return replace(
        sample,
        rows=ReadRows(sample.rows[i] for i in kept),
        y=tuple(sample.y[i] for i in kept),
        weights=tuple(sample.weights[i] for i in kept),
    )


def train_problems(
    binary: BinaryLearner,
    rows: Sequence[tuple[Any, ...]],
    weights: Sequence[Any] | None,
    problems: Iterable[BinaryProblem],
    executor: Executor | None,
    on_step: Callable[[BinaryStep], None] | None,
) -> tuple[Any, ...]:
    """One model for each problem, None for those that have rows on one side only.

    A row stands in a problem as often as the absolute number in its column says, each time with the
    row's own weight. The `executor` trains the problems side by side; `on_step` sees them in their
    order. What `binary` raises comes with a note that names the problem.
    """
    check_function(binary, "binary", "a learner of rows and signs, such as fit_perceptron")

    sent: deque[tuple[BinaryProblem, int]] = deque()

    def jobs() -> Iterator[tuple[int, ReadRows, list[int], dict[str, list[Any]]]]:
        for problem in problems:
            copies = [i for i, count in enumerate(problem.column) for _ in range(abs(count))]
            signs = [1 if problem.column[i] > 0 else -1 for i in copies]
            options = {} if weights is None else {"weights": [weights[i] for i in copies]}
            sent.append((problem, len(copies)))
            yield problem.number, ReadRows(rows[i] for i in copies), signs, options

    models = []
    # without an executor each job is made when its turn comes, and forgotten after it
    for model in map_of(executor)(partial(_train, binary), jobs()):
        models.append(model)
        problem, count = sent.popleft()
        if on_step is not None:
            sides = problem.positive, problem.negative
            on_step(BinaryStep(problem.number, *sides, count, model))
    return tuple(models)


def _train(binary: Any, job: tuple[int, ReadRows, list[int], dict[str, list[Any]]]) -> Any:
    """The model of a problem; None where rows on one side only leave nothing to tell apart.

    `job`: the number of the problem, its rows, their signs, and what else the learner is given.
    """
    problem, rows, signs, options = job
    if len(set(signs)) < 2:
        return None
    try:
        model = binary(rows, signs, **options)
    except Exception as error:
        error.add_note(f"in binary problem {problem}")
        raise
    if not callable(getattr(model, "decision", model)):
        raise ParameterError(
            f"binary: expected a model with decision(x), or a function of x, got {shown(model)}"
        )
    return model


def ask(models: Sequence[Any], x: tuple[Any, ...], zero: Any, start: int = 0) -> list[Any]:
    """The score of each model for x, 0 for those that were skipped; see `read_scores`.

    Errors name the binary problem; the first model is that of the problem number `start`.
    """
    answers = [0 if model is None else getattr(model, "decision", model)(x) for model in models]
    return read_scores(answers, zero, start=start)


def read_scores(
    answers: Sequence[Any], zero: Any, name: str = "binary problem", start: int = 0
) -> list[Any]:
    """The scores, validated and in one arithmetic.

    Whole numbers follow the others, or the data if all are whole. Exact logarithms, which the votes
    of boosting are, stay as they are; exact numbers may stand beside them, floats may not.

    >>> read_scores([Fraction(1, 2), 3], 0.0)
    [Fraction(1, 2), Fraction(3, 1)]
    """
    values: list[Any] = [plain(answer) for answer in answers]
    numbers = [(f"{name} {s}", v) for s, v in enumerate(values, start) if not isinstance(v, Log)]
    exact = is_exact(numbers) or len(numbers) < len(values)
    for place, value in numbers:
        if exact and isinstance(value, float):
            raise MixedArithmeticError(
                f"{place}: the float {shown(value)} beside an exact logarithm; "
                "lift it with exact(), or give float(score) for all"
            )
    if exact or (isinstance(zero, Fraction) and all(isinstance(v, int) for _, v in numbers)):
        return [v if isinstance(v, Log) else Fraction(v) for v in values]
    return [
        as_float(value, f"{name} {s}") if isinstance(value, int) else value
        for s, value in enumerate(values, start)
    ]


def best_among(values: Sequence[Any], places: Sequence[int]) -> tuple[int, ...]:
    """Those of the places that have the largest of the values.

    >>> best_among([9, 3, 3], (1, 2))
    (1, 2)
    """
    return tuple(places[t] for t in argmax_set([values[i] for i in places]))


def unrounded(value: Any) -> Any:
    """A float as the Fraction that it is; anything else as it is."""
    return Fraction(value) if isinstance(value, float) else value


def added(values: Iterable[Any]) -> Any:
    """The sum in the arithmetic of the values, in float rounded once; 0 if there are none.

    `MixedArithmeticError` where an exact logarithm meets a number other than 0: the two can be
    compared, but their sum has no exact form here.

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
