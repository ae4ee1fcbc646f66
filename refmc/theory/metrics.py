"""How good predictions are: the confusion matrix, accuracy, precision, recall, Hamming loss.

Covers the error rates of [lu, "Multi-Class Classification Problem"] on a sample. The measures of
each class are not in the lectures, but their remark on unbalanced classes asks for them.

Everything is counted, so everything is exact: a whole number or a Fraction. A measure that would
divide by zero is None: the precision of a class that is never predicted, the recall of a class
without rows.

Legend: y the right label of each row; predicted the label that was predicted for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any

from refmc.core.labels import LabelSets, read_both
from refmc.core.parameters import check_function
from refmc.core.printing import aligned
from refmc.core.sample import Label, Labels, is_label_of, label_list, read_labels, row_weights
from refmc.core.scalars import ArrayLike, number_text, shown
from refmc.errors import ParameterError
from refmc.theory.averages import mean
from refmc.theory.costs import Cost, RowCosts, cost_column

Count = int | Fraction


@dataclass(frozen=True)
class ClassReport:
    """One class: `size` rows are of it, `predicted` were predicted to be of it, `right` are both.

    A row with a weight counts as that many rows.
    """

    label: Label
    size: Count
    predicted: Count
    right: Count

    @property
    def precision(self) -> Fraction | None:
        """Of the rows predicted to be of the class, the share that is; None if there are none."""
        return Fraction(self.right, self.predicted) if self.predicted else None

    @property
    def recall(self) -> Fraction | None:
        """Of the rows of the class, the share predicted to be; None if there are none."""
        return Fraction(self.right, self.size) if self.size else None


@dataclass(frozen=True)
class Confusion:
    """The confusion matrix; `str` of it is a table with precision, recall and accuracy.

    `counts`: counts[y][j] rows of the class at position y were predicted to be of that at j: a
    row of the matrix for each right class, a column for each predicted one. A row of the sample
    with a weight counts as that many rows.
    """

    classes: tuple[Label, ...]
    counts: tuple[tuple[Count, ...], ...]

    @property
    def size(self) -> Count:
        """The number of rows predicted, or the sum of their weights."""
        return sum(map(sum, self.counts))

    @property
    def accuracy(self) -> Fraction:
        """The share of rows predicted rightly; 1 minus it is the mean 0-1 loss."""
        return Fraction(sum(row[y] for y, row in enumerate(self.counts)), self.size)

    @property
    def by_class(self) -> tuple[ClassReport, ...]:
        """The reports of all classes, in the order of `classes`."""
        return tuple(
            ClassReport(label, sum(row), sum(column), row[y])
            for y, (label, row, column) in enumerate(
                zip(self.classes, self.counts, zip(*self.counts))
            )
        )

    def report(self, label: Label) -> ClassReport:
        """The report of one class; `ParameterError` for an unknown label."""
        if not is_label_of(label, self.classes):
            raise ParameterError(f"label {shown(label)} is not in classes={shown(self.classes)}")
        return self.by_class[self.classes.index(label)]

    def mean_cost(self, cost: Cost) -> float | Fraction:
        """The mean of Δ(j, y) over the rows: in the arithmetic of the costs, whole ones exact.

        `ParameterError` for `row_costs`, as the counts don't tell the rows.

        >>> from refmc.theory.costs import matrix_cost
        >>> table = confusion_matrix(predicted=["a", "b", "b"], y=["a", "a", "b"])
        >>> table.mean_cost(matrix_cost([[0, 1], [5, 0]]))
        Fraction(5, 3)
        """
        if isinstance(cost, RowCosts):
            raise ParameterError(
                "cost: a table of counts doesn't tell the rows that row costs belong to; take the "
                "mean of rows[i][j] over the rows i instead, j the position of the predicted class"
            )
        check_function(
            cost, "cost", "a table, or a function of the predicted and the right position"
        )
        k = len(self.classes)
        zero: Any = Fraction(0)
        if any(isinstance(cost(j, y), float) for y in range(k) for j in range(k)):
            zero = 0.0
        columns = [cost_column(cost, y, k, zero) for y in range(k)]
        return mean(list(chain(*columns)), list(chain(*self.counts)))

    def __str__(self) -> str:
        reports = self.by_class
        head = ["right \\ predicted", *map(str, self.classes), "recall"]
        body = [
            [str(report.label), *map(number_text, row), _measure(report.recall, "no rows")]
            for report, row in zip(reports, self.counts)
        ]
        foot = ["precision", *(_measure(report.precision, "never") for report in reports)]
        lines = aligned([head, *body, [*foot, ""]], right_from=1)
        right = sum(report.right for report in reports)
        share, of = number_text(self.accuracy), number_text(self.size)
        said = f"accuracy {share}: {number_text(right)} of {of} rows are right"
        return "\n".join([*lines, said])


def _measure(value: Fraction | None, missing: str) -> str:
    return missing if value is None else number_text(value)


def confusion_matrix(
    *,
    predicted: Labels,
    y: Labels,
    classes: Labels | None = None,
    weights: Sequence[Any] | ArrayLike | None = None,
) -> Confusion:
    """Count how often rows of each class were predicted to be of each class.

    predicted, y: m labels each, given by name since their order differs from library to library.
    `classes` fixes the order, and admits classes that occur in neither; without it they are the
    sorted labels of both, which are of one type: labels are names, and 1.0 is not the class 1.
    `weights`: one number ≥ 0 a row, as if the row stood there so many times; floats count as the
    binary fractions that they are. Raises `DataError`. Cost: O(m k + k²).

    >>> predicted, y = ["a", "b", "b"], ["a", "a", "b"]
    >>> print(confusion_matrix(predicted=predicted, y=y, classes=["a", "b", "c"]))
    right \\ predicted  a    b      c   recall
    a                  1    1      0      1/2
    b                  0    1      0        1
    c                  0    0      0  no rows
    precision          1  1/2  never
    accuracy 2/3: 2 of 3 rows are right
    """
    guesses, labels = label_list(predicted, "predicted"), label_list(y, "y")
    if classes is None:
        one_kind = type(guesses[0]) is type(labels[0])
        seen = [*labels, *guesses] if one_kind else labels
        _, classes = read_labels(seen, None, len(seen))
    codes, order = read_labels(labels, classes, len(labels))
    guessed, _ = read_labels(guesses, order, len(labels), "predicted")
    heavy = [1] * len(codes) if weights is None else row_weights(weights, len(codes))
    counts: list[list[Count]] = [[0] * len(order) for _ in order]
    for code, guess, weight in zip(codes, guessed, heavy):
        counts[code][guess] += weight if type(weight) is int else Fraction(weight)
    return Confusion(order, tuple(map(tuple, counts)))


def accuracy(
    predicted: Labels, y: Labels, *, weights: Sequence[Any] | ArrayLike | None = None
) -> Fraction:
    """The share of rows whose label was predicted: exact, either order of arguments.

    `weights`: as in `confusion_matrix`.

    >>> accuracy(["a", "b", "b"], ["a", "a", "b"])
    Fraction(2, 3)
    >>> accuracy(["a", "b", "b"], ["a", "a", "b"], weights=[1, 2, 1])
    Fraction(1, 2)
    """
    return confusion_matrix(predicted=predicted, y=y, weights=weights).accuracy


def hamming_loss(predicted: LabelSets, Y: LabelSets, *, classes: Labels | None = None) -> Fraction:
    """The mean over the rows of (1/k) times the number of labels in just one of the two sets.

    predicted, Y: m entries each: sets of labels, lists of text labels, rows of −1 and +1 or of 0
    and 1, or single labels; the two may have different forms. k counts `classes`; without them
    the columns of rows of signs, or else the labels that occur, so give them where a class may be
    absent. Raises `DataError`. Cost: O(m k). [lu, "Multi-Class Classification Problem"]

    >>> hamming_loss([{"a"}, {"a", "c"}], [{"a", "b"}, {"c"}])
    Fraction(1, 3)
    >>> hamming_loss([[1, -1, -1]], [[1, 1, -1]])
    Fraction(1, 3)
    """
    given, right = read_both(predicted, Y, classes)
    wrong = (a != b for rows in zip(given.rows, right.rows) for a, b in zip(*rows))
    return Fraction(sum(wrong), len(right.classes) * len(right.rows))
