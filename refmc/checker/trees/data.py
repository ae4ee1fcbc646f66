"""Trees, the rows that they were grown on, and what makes a sequence of nodes a tree.

Covers [lu, "Label Prediction by a Binary Decision Tree"] and
[lu, "Node Questions for Binary Decision Trees"].

A tree is a sequence of nodes. The first one is the root, and children are named by their position.
A row goes to the positive (right) child where the answer is yes, and to the negative (left) child
otherwise. Values are replaced by their ranks in the column, so that a threshold is nothing but the
set of ranks that it says yes to.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

from refmc.checker.numbers.arithmetic import sum_of
from refmc.checker.printing import short_text

MOST_BITS = 4_400
"""The most binary digits of the weight of all rows, in their common unit, for entropies."""

_LONGEST_UNIT = 2_000  # binary digits of the common denominator of a column's keys

_BEYOND = Fraction(2**1024)  # stands for infinity

Value = Fraction | int | str


@dataclass(frozen=True)
class Threshold:
    """The question whether X_column ≤ threshold, or X_column < threshold if it is strict.

    `is_float`: whether the binary64 nearest to X_column is compared in its place.
    """

    column: int
    threshold: Fraction | int
    strict: bool = False
    is_float: bool = False


@dataclass(frozen=True)
class Membership:
    """The question whether X_column is among the values."""

    column: int
    values: frozenset[str]


@dataclass(frozen=True)
class Linear:
    """The question whether Σ_j a_j X_j is at most the bound."""

    coefficients: tuple[Fraction, ...]
    bound: Fraction


@dataclass(frozen=True)
class Sphere:
    """The question whether the distance from the centre is at most the radius."""

    center: tuple[Fraction, ...]
    radius: Fraction


ColumnQuestion = Threshold | Membership
Question = ColumnQuestion | Linear | Sphere


@dataclass(frozen=True)
class Node:
    """An inner node with its question and the positions of its children, or a leaf without them.

    `label`: the class position that is claimed for the node, inner or leaf.
    """

    question: Question | None = None
    negative: int = -1
    positive: int = -1
    label: int | None = None

    @property
    def children(self) -> tuple[int, ...]:
        """The positions of the negative and the positive child; nothing at a leaf."""
        return () if self.question is None else (self.negative, self.positive)


Tree = Sequence[Node]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows of numbers and categories, their class positions, and weights, which default to 1.

    A row of weight 0 counts as absent. A column holds only numbers or only strings. `costs`: for
    each row what it costs to predict each class.
    """

    X: Sequence[Sequence[Value]]
    y: Sequence[int]
    k: int
    weights: Sequence[Fraction | int] | None = None
    costs: Sequence[Sequence[Fraction]] | None = None
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def class_text(self, position: int) -> str:
        """The text of a class.

        >>> Sample(X=[], y=(), k=2, classes=("no", "yes")).class_text(1)
        'yes'
        """
        return self.classes[position] if self.classes else str(position)


class Column(NamedTuple):
    """The distinct values in order, and the position of each row's value among them."""

    name: str
    distinct: tuple[Value, ...]
    ranks: tuple[int, ...]

    @property
    def is_numeric(self) -> bool:
        return not isinstance(self.distinct[0], str)

    def separates(self, some: Iterable[int], others: Iterable[int]) -> bool:
        """Whether a question about this column has one answer for some rows, another for others.

        >>> column = Column("x0", (1, 2), (0, 1, 0))
        >>> column.separates([0, 2], [1]), column.separates([0], [1, 2])
        (True, False)
        """
        own, rest = ({self.ranks[i] for i in rows} for rows in (some, others))
        if self.is_numeric:
            return max(own) < min(rest) or max(rest) < min(own)
        return not own & rest

    def yes(self, question: ColumnQuestion) -> Container[int]:
        """The ranks for which the answer is yes.

        >>> column = Column("x0", (1, 2, 4), (0, 1, 2))
        >>> column.yes(Threshold(0, 2)), column.yes(Threshold(0, 2, strict=True))
        (range(0, 2), range(0, 1))
        """
        if isinstance(question, Threshold):
            bisect = bisect_left if question.strict else bisect_right
            if question.is_float:
                return range(bisect(self.distinct, question.threshold, key=in_binary64))
            return range(bisect(self.distinct, question.threshold))
        return {rank for rank, value in enumerate(self.distinct) if value in question.values}


@dataclass(frozen=True)
class Data:
    """The sample by ranks; row i weighs the whole number `weights[i]` times `unit`."""

    sample: Sample
    columns: tuple[Column, ...]
    weights: tuple[int, ...]
    unit: Fraction

    @property
    def total(self) -> int:
        return sum(self.weights)

    @cached_property
    def blocks(self) -> list[list[int]]:
        """For each column a number for each row, equal for neighbours that no best cut separates.

        These are the rows of one value, and the rows of neighbouring values if all of them have the
        same class; in the second case the number is the position of that class.

        >>> prepare(Sample(X=[[1], [2], [3], [3]], y=(0, 0, 0, 1), k=2)).blocks
        [[0, 0, -3, -3]]
        """
        found = []
        for column in self.columns:
            own: dict[int, int] = {}
            for rank, c in zip(column.ranks, self.sample.y):
                own[rank] = c if own.get(rank, c) == c else -1 - rank
            found.append([own[rank] for rank in column.ranks])
        return found

    def counts(self, rows: Sequence[int]) -> list[int]:
        """The weight of each class among the rows.

        >>> prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2)).counts([0, 2])
        [1, 1]
        """
        counts = [0] * self.sample.k
        for i in rows:
            counts[self.sample.y[i]] += self.weights[i]
        return counts

    def costs(self, rows: Sequence[int]) -> list[Fraction]:
        """What each class costs as the prediction for all the rows; 0 where there are no costs.

        >>> dear = [[Fraction(0), Fraction(1)], [Fraction(4), Fraction(0)]]
        >>> data = prepare(Sample(X=[[1], [2]], y=(0, 1), k=2, weights=[3, 1], costs=dear))
        >>> data.costs([0, 1])
        [Fraction(4, 1), Fraction(3, 1)]
        """
        total = [Fraction(0)] * self.sample.k
        for i in rows if self.sample.costs is not None else ():
            assert self.sample.costs is not None
            total = [t + self.weights[i] * cost for t, cost in zip(total, self.sample.costs[i])]
        return total

    def split(self, question: Question, rows: Sequence[int]) -> tuple[list[int], list[int]]:
        """The rows that answer no, and those that answer yes.

        >>> data = prepare(Sample(X=[[0, 3], [2, 3]], y=(0, 1), k=2))
        >>> data.split(Linear((Fraction(1), Fraction(1)), Fraction(4)), [0, 1])
        ([1], [0])
        >>> data.split(Sphere((Fraction(2), Fraction(0)), Fraction(3)), [0, 1])
        ([0], [1])
        """
        if isinstance(question, ColumnQuestion):
            column = self.columns[question.column]
            ranks, yes = column.ranks, column.yes(question)
            return [i for i in rows if ranks[i] not in yes], [i for i in rows if ranks[i] in yes]
        answers = {i: says_yes(question, self.sample.X[i]) for i in rows}
        return [i for i in rows if not answers[i]], [i for i in rows if answers[i]]


def says_yes(question: Question, x: Sequence[Value]) -> bool:
    """Whether a row answers yes; the question must fit the columns.

    >>> says_yes(Threshold(0, 1, strict=True), [1]), says_yes(Membership(0, frozenset("a")), ["a"])
    (False, True)
    """
    if isinstance(question, Membership):
        return x[question.column] in question.values
    if isinstance(question, Threshold):
        value = _number(x[question.column])
        value = in_binary64(value) if question.is_float else value
        return value < question.threshold if question.strict else value <= question.threshold
    if isinstance(question, Linear):
        terms = (a * _number(x[j]) for j, a in enumerate(question.coefficients) if a)
        return sum_of(terms) <= question.bound
    squares = ((_number(v) - a) ** 2 for v, a in zip(x, question.center, strict=True))
    return sum_of(squares) <= question.radius**2


def in_binary64(value: Value) -> Fraction:
    """The binary64 next to a number, of two the even one; ±2^1024 stands for infinity.

    >>> in_binary64(Fraction(1, 10)) == Fraction(0.1), in_binary64(-(10**400)) == -(2**1024)
    (True, True)
    """
    number = Fraction(_number(value))
    n, d = abs(number).as_integer_ratio()
    if n.bit_length() <= 53 and d.bit_length() <= 1075 and not d & (d - 1):
        return number
    bits = n.bit_length() - d.bit_length()
    bits -= n << max(-bits, 0) < d << max(bits, 0)  # 2^bits ≤ n/d < 2^(bits + 1)
    unit = Fraction(2) ** max(bits - 52, -1074)
    return max(-_BEYOND, min(_BEYOND, round(number / unit) * unit))


def _number(value: Value) -> Fraction | int:
    assert not isinstance(value, str)
    return value


def too_long(data: Data, impurity: str) -> str:
    """Why entropies of these weights can't be judged; nothing for short ones, or without entropies.

    >>> too_long(prepare(Sample(X=[[1]], y=(0,), k=1, weights=[2**4400])), "entropy")
    'the weights add up to 4401 binary digits in their common unit; entropies are judged up to 4400'
    """
    bits = data.total.bit_length()
    if impurity != "entropy" or bits <= MOST_BITS:
        return ""
    return (
        f"the weights add up to {bits} binary digits in their common unit; entropies are judged up "
        f"to {MOST_BITS}"
    )


def prepare(sample: Sample) -> Data:
    """The sample with ranks for values and whole numbers for weights, without rows of weight 0.

    >>> data = prepare(Sample(X=[[5], [1]], y=(0, 1), k=2, weights=[Fraction(1, 2), 3]))
    >>> data.columns[0].ranks, data.weights, data.unit
    ((1, 0), (1, 6), Fraction(1, 2))
    """
    sample = _of_positive_weight(sample)
    columns = []
    for j in range(len(sample.X[0])):
        name = sample.columns[j] if sample.columns else f"x{j}"
        columns.append(Column(name, *_ranked([row[j] for row in sample.X])))
    given = sample.weights if sample.weights is not None else [1] * len(sample.y)
    den = lcm(*(w.denominator for w in given))
    weights = tuple(w.numerator * (den // w.denominator) for w in given)
    return Data(sample, tuple(columns), weights, Fraction(1, den))


def _ranked(values: Sequence[Value]) -> tuple[tuple[Value, ...], tuple[int, ...]]:
    """The distinct values in order, and the position of each value among them."""
    keys = _sorting_keys(values)
    value_of = dict(zip(keys, values, strict=True))
    distinct = sorted(value_of)
    rank = {key: r for r, key in enumerate(distinct)}
    return tuple(map(value_of.__getitem__, distinct)), tuple(map(rank.__getitem__, keys))


def _sorting_keys(values: Sequence[Value]) -> Sequence[Any]:
    """Keys that compare as the values do; whole numbers where possible, which compare fastest."""
    numbers = [v.as_integer_ratio() for v in values if not isinstance(v, str)]
    if not numbers:
        return values
    den = lcm(*{below for _, below in numbers})
    if den.bit_length() > _LONGEST_UNIT:
        return values
    return [above * (den // below) for above, below in numbers]


def _of_positive_weight(sample: Sample) -> Sample:
    if sample.weights is None or all(sample.weights):
        return sample
    present = [i for i, weight in enumerate(sample.weights) if weight]
    X, y, weights = ([part[i] for i in present] for part in (sample.X, sample.y, sample.weights))
    costs = None if sample.costs is None else [sample.costs[i] for i in present]
    # the parts have three types
    return replace(sample, X=X, y=y, weights=weights, costs=costs)  # type: ignore[arg-type]  # as said


def shape_fault(tree: Tree, sample: Sample) -> tuple[int, str] | None:
    """The first node because of which this is no tree that asks about the sample, and why.

    >>> sample = Sample(X=[[1]], y=(0,), k=1)
    >>> shape_fault([Node(Threshold(0, 1), 1, 1), Node()], sample)
    (1, 'is a child twice')
    """
    reached = {0}
    for at, node in enumerate(tree):
        if node.label is not None and not 0 <= node.label < sample.k:
            return at, f"class position {node.label} is not among the {sample.k} classes"
        if node.question is not None and (fault := _question_fault(node.question, sample)):
            return at, fault
        for child in node.children:
            if not 0 <= child < len(tree):
                return at, f"child {short_text(child)} is not among the {len(tree)} nodes"
            if child in reached:
                return child, "is a child twice" if child else "is the root and a child"
            reached.add(child)
    if not tree:
        return 0, "is missing; expected at least the root"
    # As no node is a child twice, a node that the root doesn't lead to is in a cycle.
    found = set(top_down(tree))
    return next(((at, "is not below the root") for at in range(len(tree)) if at not in found), None)


def _question_fault(question: Question, sample: Sample) -> str:
    row = sample.X[0]
    if isinstance(question, (Linear, Sphere)):
        numbers = question.coefficients if isinstance(question, Linear) else question.center
        if len(numbers) != len(row):
            return f"{len(numbers)} numbers for the {len(row)} columns"
        for j, (a, value) in enumerate(zip(numbers, row)):
            if isinstance(value, str) and (a or isinstance(question, Sphere)):
                return f"a number for column {j}, which holds categories"
        return ""
    if not 0 <= question.column < len(row):
        return f"column {short_text(question.column)} is not among the {len(row)} columns"
    is_categorical = isinstance(row[question.column], str)
    if is_categorical == isinstance(question, Threshold):
        kinds = ("a threshold", "categories") if is_categorical else ("a set of values", "numbers")
        return f"{kinds[0]} for column {question.column}, which holds {kinds[1]}"
    return ""


def top_down(tree: Tree, roots: Iterable[int] = (0,)) -> list[int]:
    """Positions of these nodes and of all nodes below them, parents before children.

    >>> top_down([Node(Threshold(0, 1), 2, 1), Node(), Node()])
    [0, 1, 2]
    """
    order, waiting = [], list(roots)
    while waiting:
        n = waiting.pop()
        order.append(n)
        waiting += tree[n].children
    return order
