"""n-fold cross-validation, and the choice of a parameter by it.

The plain program is `refmc.lectures.lu.n_fold`. Beyond it: folds of every kind, any parameter and
loss, and training side by side.

Covers [lu, "Multi-Class Kernel-Based SVMs"], which names n-fold cross-validation for C without
its steps. They are: split the m rows into n folds; train n times, each time without the rows of
one fold. The score of the learner is its mean loss on the rows that were held out: the mean over
all rows, or, if asked for, the mean of the folds' mean losses. They differ where folds have unequal
sizes.

Legend: m rows, n folds; a fold is the tuple of the rows held out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from refmc.core.parameters import map_of
from refmc.core.sample import Label, Labels, Matrix, Row, raw_rows, read_labels, row_weights
from refmc.core.scalars import (
    ArrayLike,
    Number,
    as_sequence,
    exact_parameter,
    plain,
    shown,
    whole_number,
)
from refmc.core.ties import TiePolicy, argmin_set, first
from refmc.errors import DataError, ParameterError
from refmc.learn.folds import Folds, check_folds, row_numbers
from refmc.theory.averages import ROWS, check_average, mean, mean_over
from refmc.theory.losses import zero_one

if TYPE_CHECKING:
    from concurrent.futures import Executor

P = TypeVar("P")


class Model(Protocol):
    """What a learner returns."""

    @property
    def classes(self) -> tuple[Label, ...]: ...

    def scores(self, x: Row, /) -> Row: ...

    def predict(self, X: Matrix, /) -> Sequence[Label]: ...


class Learner(Protocol):
    """Any `fit_…`, its parameters given by `functools.partial`."""

    def __call__(self, X: Matrix, y: Labels, /, *, classes: Labels | None) -> Model: ...


LabelLoss = Callable[[Any, Any], float | Fraction]  # of whatever type the labels have
"""A loss of (predicted label, right label), as `zero_one`."""


@dataclass(frozen=True)
class ScoreLoss:
    """A loss of (scores, position of the right class), to be given instead of a loss of labels.

    >>> from refmc import multiclass_hinge
    >>> ScoreLoss(multiclass_hinge).loss([1.0, 0.5], 0)
    0.5
    """

    loss: Callable[[Row, int], float | Fraction]


@dataclass(frozen=True)
class FoldScore:
    """One fold: the rows held out, what was predicted for them, their losses and the mean loss.

    `weights`: those of the rows held out, None where each counts once.
    """

    fold: int
    rows: tuple[int, ...]
    predicted: tuple[Label, ...]
    losses: tuple[float | Fraction, ...]
    score: float | Fraction
    weights: tuple[float | Fraction, ...] | None = None


@dataclass(frozen=True)
class CrossValidation:
    """All folds, in their order; `average`: "rows" or "folds", as in `cross_validate`."""

    folds: tuple[FoldScore, ...]
    average: str = ROWS

    @property
    def score(self) -> float | Fraction:
        """The mean loss over the rows by their weights, or over the folds if `average` says so."""
        heavy = [fold.weights for fold in self.folds if fold.weights is not None]
        return mean_over(self.average, [fold.losses for fold in self.folds], heavy or None)

    @property
    def predicted(self) -> tuple[Label, ...]:
        """For each row of the data the label predicted when it was held out."""
        found = {row: label for f in self.folds for row, label in zip(f.rows, f.predicted)}
        return tuple(found[row] for row in range(len(found)))


def folds(
    m: int, n: int, y: Labels | None = None, *, order: Iterable[int] | ArrayLike | None = None
) -> tuple[tuple[int, ...], ...]:
    """Split the rows 0, …, m − 1 into n folds whose sizes differ by one at most.

    Rows are dealt out in turn, like cards, in the given order (0, …, m − 1 if None), so that data
    sorted by class are spread. With m labels y the split is stratified: the rows of a class are
    dealt before those of the next, so that each class, too, is spread over the folds evenly, up to
    one row. Nothing is random; for a random split give a shuffled `order`. Raises `ParameterError`
    (n below 2 or above m, an order that is none), `DataError` (y). Cost: O(m).
    [lu, "Multi-Class Kernel-Based SVMs"]

    >>> folds(5, 2)
    ((0, 2, 4), (1, 3))
    >>> folds(6, 2, ["a", "b", "a", "b", "a", "a"])
    ((0, 4, 1), (2, 5, 3))
    """
    rows, parts = whole_number(m, "m", 1), whole_number(n, "n", 2)
    if parts > rows:
        raise ParameterError(f"n: {shown(parts)} folds of {rows} rows; expected at most one a row")
    deck = row_numbers(range(rows) if order is None else order, "order")
    if sorted(deck) != list(range(rows)):
        raise ParameterError(f"order: expected each of 0, …, {rows - 1} once, got {shown(deck)}")
    if y is not None:
        codes, _ = read_labels(y, _distinct(y), rows)
        deck.sort(key=codes.__getitem__)  # stable: within a class the order stays
    return tuple(tuple(deck[part::parts]) for part in range(parts))


def _distinct(y: Labels) -> list[Label]:
    """The labels in the order of their appearance, for labels that have no order of their own."""
    labels = as_sequence(y, "y: expected a sequence of labels")
    try:
        return list(dict.fromkeys(map(plain, labels)))
    except TypeError:
        raise DataError("y: a label that is not hashable") from None


def cross_validate(
    X: Matrix,
    y: Labels,
    fit: Learner,
    folds: Folds,
    loss: LabelLoss | ScoreLoss = zero_one,
    *,
    average: str = ROWS,
    weights: Sequence[Any] | ArrayLike | None = None,
    classes: Labels | None = None,
    executor: Executor | None = None,
    on_step: Callable[[FoldScore], None] | None = None,
) -> CrossValidation:
    """Train without each fold in turn, and score the model on it.

    X: m rows of what `fit` takes; y: m labels. `fit(X, y, classes=…)` is called with the rows and
    labels of all other folds, and with all classes, of which some may have no row there. `folds`:
    those of `folds(m, n)`, or other tuples of held-out rows in which each row stands once. `loss`:
    a loss of labels, or a `ScoreLoss`; its values are of one arithmetic, and whole numbers count as
    exact. `average`: "rows" if each row shall count the same in the score, or "folds" if each fold
    shall. `weights`: a number ≥ 0 for each row, as if the row stood there so many times: they are
    given to `fit` as weights=, and weigh the losses; each fold needs one above 0. `classes` fixes
    the order. `executor`: one of `concurrent.futures` or like it, to train the folds side by side;
    for processes `fit` and `loss` must be picklable, as functions of modules and `partial` of them
    are. `on_step` receives each `FoldScore`, in the order of the folds.

    Where any row holds Fractions, all rows are exact, so that a fold of whole numbers alone is not
    trained in float. Raises `ParameterError` (folds), `DataError`, and whatever `fit` raises, with
    a note naming the fold. Cost: n trainings.
    [lu, "Multi-Class Kernel-Based SVMs"]

    >>> from refmc import fit_multiclass_svm
    >>> fit = partial(fit_multiclass_svm, C=1)
    >>> X, y = [[Fraction(t)] for t in (-3, -2, -1, 1, 2, -1)], ["a", "a", "a", "b", "b", "b"]
    >>> found = cross_validate(X, y, fit, folds(6, 3, y))
    >>> [fold.score for fold in found.folds], found.score
    ([Fraction(0, 1), Fraction(0, 1), Fraction(1, 2)], Fraction(1, 6))
    """
    check_average(average)
    rows = _read_rows(X)
    codes, order = read_labels(y, classes, len(rows))
    heavy = None if weights is None else row_weights(weights, len(rows))
    parts = check_folds(folds, len(rows))
    for f, fold in enumerate(parts):
        if heavy is not None and not any(heavy[i] for i in fold):
            raise DataError(f"weights: the rows of fold {f} have no weight")
    labels = [order[c] for c in codes]  # as plain labels, whatever held them
    score_fold = partial(_score_fold, fit, loss, rows, labels, order, heavy)
    scores = []
    for score in map_of(executor)(score_fold, range(len(parts)), parts):
        scores.append(score)
        if on_step is not None:
            on_step(score)
    return CrossValidation(tuple(scores), average)


def _read_rows(X: Matrix) -> Sequence[Sequence[Any]]:
    """The rows, with whole numbers as Fractions where any number is a Fraction.

    The arithmetic is that of all rows: a fold of whole numbers alone would be trained in float.
    """
    rows = raw_rows(X, "X", "values")
    if any(isinstance(entry, Fraction) for row in rows for entry in row):
        return [[Fraction(e) if isinstance(e, int) else e for e in row] for row in rows]
    return rows


def _score_fold(
    fit: Any,
    loss: LabelLoss | ScoreLoss,
    rows: Sequence[Sequence[Any]],
    y: list[Label],
    classes: tuple[Label, ...],
    heavy: Sequence[Any] | None,
    f: int,
    held_out: tuple[int, ...],
) -> FoldScore:
    """Train without the rows of fold f, and score the model on them."""
    out = set(held_out)
    kept = [i for i in range(len(rows)) if i not in out]
    options = {} if heavy is None else {"weights": [heavy[i] for i in kept]}
    weights = None if heavy is None else tuple(heavy[i] for i in held_out)
    test, labels = [rows[i] for i in held_out], [y[i] for i in held_out]
    try:
        model = fit([rows[i] for i in kept], [y[i] for i in kept], classes=classes, **options)
        predicted = tuple(model.predict(test))
        if isinstance(loss, ScoreLoss):
            position = {label: c for c, label in enumerate(model.classes)}
            losses = [loss.loss(model.scores(x), position[c]) for x, c in zip(test, labels)]
        else:
            losses = [loss(guess, label) for guess, label in zip(predicted, labels)]
        score = mean(losses, weights)
    except Exception as error:
        error.add_note(f"fold {f} was held out")
        raise
    return FoldScore(f, held_out, predicted, tuple(losses), score, weights)


@dataclass(frozen=True)
class Trial(Generic[P]):
    """One value of the grid, and its cross-validation."""

    value: P
    validation: CrossValidation


@dataclass(frozen=True)
class Choice(Generic[P]):
    """The value chosen, all values of the least score, and all trials in the order of the grid."""

    value: P
    tied: tuple[P, ...]
    trials: tuple[Trial[P], ...]


def choose_parameter(
    X: Matrix,
    y: Labels,
    fit: Callable[..., Model],
    name: str,
    grid: Sequence[P],
    folds: Folds,
    loss: LabelLoss | ScoreLoss = zero_one,
    *,
    average: str = ROWS,
    weights: Sequence[Any] | ArrayLike | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[Trial[P]], None] | None = None,
) -> Choice[P]:
    """The value of least cross-validated loss in the grid, for the parameter called `name`.

    `fit(X, y, classes=…, name=value)` is called for every value and fold. `grid`: values in order
    of preference, the one that `tie` = `first` settles ties by; scores are compared exactly.
    `on_step` receives each `Trial`. The rest as `cross_validate`. Train on all rows afterwards.
    Cost: n trainings for each value. [lu, "Multi-Class Kernel-Based SVMs"]

    >>> from refmc import fit_multiclass_svm, linear, polynomial
    >>> X, y = [[Fraction(t)] for t in (-3, -2, -1, 0, 0, 1, 2, 3)], [1, 1, 0, 0, 0, 0, 1, 1]
    >>> kernels = [linear, polynomial(2, offset=1)]
    >>> fit = partial(fit_multiclass_svm, C=9)
    >>> choose_parameter(X, y, fit, "kernel", kernels, folds(8, 4)).value.degree
    2
    """
    if not isinstance(grid, Sequence) or isinstance(grid, (str, bytes)) or not grid:
        raise ParameterError(f"grid: expected a sequence of values, got {shown(grid)}")
    trials = []
    for value in grid:
        learner: Any = partial(fit, **{name: value})
        options: Any = {"average": average, "weights": weights, "classes": classes}
        found = cross_validate(X, y, learner, folds, loss, executor=executor, **options)
        trials.append(Trial(value, found))
        if on_step is not None:
            on_step(trials[-1])
    tied = argmin_set([trial.validation.score for trial in trials])
    return Choice(grid[tie(tied)], tuple(grid[t] for t in tied), tuple(trials))


def choose_C(
    X: Matrix,
    y: Labels,
    fit: Callable[..., Model],
    grid: Sequence[Number],
    folds: Folds,
    loss: LabelLoss | ScoreLoss = zero_one,
    *,
    average: str = ROWS,
    weights: Sequence[Any] | ArrayLike | None = None,
    classes: Labels | None = None,
    executor: Executor | None = None,
    on_step: Callable[[Trial[Number]], None] | None = None,
) -> Choice[Number]:
    """The C of least cross-validated loss; of several the smallest, which regularises most.

    `fit(X, y, classes=…, C=value)`, such as `fit_multiclass_svm`. `grid`: numbers or text, in any
    order; they are tried by increasing C. All else as `choose_parameter`.
    [lu, "Multi-Class Kernel-Based SVMs"]

    >>> from refmc import fit_multiclass_svm
    >>> X, y = [[Fraction(t)] for t in (-2, -1, 1, 2)], ["a", "a", "b", "b"]
    >>> found = choose_C(X, y, fit_multiclass_svm, [10, 1, "1/10"], folds(4, 2))
    >>> found.value, found.tied
    ('1/10', ('1/10', 1, 10))
    """
    listed: Any = plain(grid)
    if not isinstance(listed, Sequence) or isinstance(listed, (str, bytes)):
        raise ParameterError(f"grid: expected a sequence of numbers, got {shown(listed)}")
    places = range(len(listed))
    by_size = sorted(places, key=lambda g: exact_parameter(listed[g], f"grid: position {g}"))
    increasing = [listed[g] for g in by_size]
    options: Any = {"average": average, "weights": weights, "classes": classes}
    options |= {"executor": executor, "on_step": on_step}
    return choose_parameter(X, y, fit, "C", increasing, folds, loss, **options)
