"""Trees, the rows that they were grown on, and the words in which verdicts name nodes.

Covers [lu, "Label Prediction by a Binary Decision Tree"] and
[lu, "Node Questions for Binary Decision Trees"].

A tree is a sequence of nodes; the first one is the root, and children are named by position.  A row
goes to the positive (right) child where the answer is yes, and to the negative (left) one otherwise.
Values are replaced by their ranks in the column, so a threshold is only ever the set of ranks that
it says yes to.
"""

from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from refmc.checker.numbers.logarithms import six_digits
from refmc.checker.printing import LONG, number_text, short_text

_SHOWN_QUESTIONS = 4  # of a longer path, the first and the last half of these are shown
_SHOWN_VALUES = 6
_MOST_DECIMALS = 9

Value = Fraction | int | str


@dataclass(frozen=True)
class Threshold:
    """The question X_column <= threshold."""

    column: int
    threshold: Fraction | int


@dataclass(frozen=True)
class Membership:
    """The question X_column in values."""

    column: int
    values: frozenset[str]


Question = Threshold | Membership


@dataclass(frozen=True)
class Node:
    """An inner node with its question and the positions of its children, or a leaf without.

    `label` is a claimed class position, at any node.
    """

    question: Question | None = None
    negative: int = -1
    positive: int = -1
    label: int | None = None


Tree = Sequence[Node]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Rows of numbers and categories, class positions, and weights that default to 1.

    A row of weight 0 counts as absent.  A column holds numbers only or strings only.
    """

    X: Sequence[Sequence[Value]]
    y: Sequence[int]
    k: int
    weights: Sequence[Fraction | int] | None = None
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    def class_text(self, position: int) -> str:
        """The text of a class.

        >>> Sample(X=[], y=(), k=2, classes=("no", "yes")).class_text(1)
        'yes'
        """
        return self.classes[position] if self.classes else str(position)


@dataclass(frozen=True)
class Column:
    """The distinct values in order, and the position of each row's value among them."""

    name: str
    distinct: tuple[Value, ...]
    ranks: tuple[int, ...]

    @property
    def is_numeric(self) -> bool:
        return not isinstance(self.distinct[0], str)

    def yes(self, question: Question) -> Container[int]:
        """The ranks for which the answer is yes.

        >>> column = Column("x0", (1, 2, 4), (0, 1, 2))
        >>> column.yes(Threshold(0, 3)), column.yes(Threshold(0, Fraction(5, 2)))
        (range(0, 2), range(0, 2))
        """
        if isinstance(question, Threshold):
            return range(bisect_right(self.distinct, question.threshold))
        return {rank for rank, value in enumerate(self.distinct) if value in question.values}


@dataclass(frozen=True)
class Data:
    """The sample by ranks; a row weighs `weights[i]`, a whole number, times `unit`."""

    sample: Sample
    columns: tuple[Column, ...]
    weights: tuple[int, ...]
    unit: Fraction

    @property
    def total(self) -> int:
        return sum(self.weights)

    def counts(self, rows: Sequence[int]) -> list[int]:
        """The weight of each class among the rows.

        >>> prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2)).counts([0, 2])
        [1, 1]
        """
        counts = [0] * self.sample.k
        for i in rows:
            counts[self.sample.y[i]] += self.weights[i]
        return counts

    def split(self, question: Question, rows: Sequence[int]) -> tuple[list[int], list[int]]:
        """The rows that answer no, and those that answer yes.

        >>> prepare(Sample(X=[["a"], ["b"]], y=(0, 1), k=2)).split(
        ...     Membership(0, frozenset("a")), [0, 1])
        ([1], [0])
        """
        column = self.columns[question.column]
        ranks, yes = column.ranks, column.yes(question)
        return [i for i in rows if ranks[i] not in yes], [i for i in rows if ranks[i] in yes]


def prepare(sample: Sample) -> Data:
    """Ranks for values, whole numbers for weights; rows of weight 0 are left out.

    >>> data = prepare(Sample(X=[[5], [1]], y=(0, 1), k=2, weights=[Fraction(1, 2), 3]))
    >>> data.columns[0].ranks, data.weights, data.unit
    ((1, 0), (1, 6), Fraction(1, 2))
    """
    sample = _of_positive_weight(sample)
    columns = []
    for j in range(len(sample.X[0])):
        values = [row[j] for row in sample.X]
        distinct = tuple(sorted(set(values)))
        rank = {value: r for r, value in enumerate(distinct)}
        name = sample.columns[j] if sample.columns else f"x{j}"
        columns.append(Column(name, distinct, tuple(rank[value] for value in values)))
    given = sample.weights if sample.weights is not None else [1] * len(sample.y)
    den = lcm(*(w.denominator for w in given))
    weights = tuple(w.numerator * (den // w.denominator) for w in given)
    return Data(sample, tuple(columns), weights, Fraction(1, den))


def _of_positive_weight(sample: Sample) -> Sample:
    if sample.weights is None or all(sample.weights):
        return sample
    present = [i for i, weight in enumerate(sample.weights) if weight]
    if not present:
        raise ValueError("all weights are 0")
    X, y, weights = ([part[i] for i in present] for part in (sample.X, sample.y, sample.weights))
    return replace(sample, X=X, y=y, weights=weights)  # type: ignore[arg-type]  # three types of parts


@dataclass(frozen=True)
class Visit:
    """A node with the rows that reach it, and those of its negative and positive child."""

    at: int
    depth: int
    rows: Sequence[int]
    no: Sequence[int]
    yes: Sequence[int]


def visits(data: Data, tree: Tree) -> Iterator[Visit]:
    """Every node, parents before children, with its rows; a leaf's `no` and `yes` are empty.

    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2))
    >>> tree = [Node(Threshold(0, 1), 1, 2), Node(), Node()]
    >>> [(v.at, v.depth, list(v.rows)) for v in visits(data, tree)]
    [(0, 0, [0, 1, 2]), (2, 1, [0]), (1, 1, [1, 2])]
    """
    waiting: list[tuple[int, int, Sequence[int]]] = [(0, 0, range(len(data.sample.y)))]
    while waiting:
        at, depth, rows = waiting.pop()
        node = tree[at]
        if node.question is None:
            yield Visit(at, depth, rows, (), ())
            continue
        no, yes = data.split(node.question, rows)
        yield Visit(at, depth, rows, no, yes)
        waiting += [(node.negative, depth + 1, no), (node.positive, depth + 1, yes)]


def shape_fault(tree: Tree, sample: Sample) -> tuple[int, str] | None:
    """A node that keeps the nodes from being a tree that asks about this sample, and why.

    >>> sample = Sample(X=[[1]], y=(0,), k=1)
    >>> shape_fault([Node(Threshold(0, 1), 1, 1), Node()], sample)
    (1, 'is a child twice')
    """
    reached = {0}
    for at, node in enumerate(tree):
        if node.label is not None and not 0 <= node.label < sample.k:
            return at, f"class position {node.label} is not among the {sample.k} classes"
        if node.question is None:
            continue
        fault = _question_fault(node.question, sample)
        if fault:
            return at, fault
        for child in (node.negative, node.positive):
            if not 0 <= child < len(tree):
                return at, f"child {short_text(child)} is not among the {len(tree)} nodes"
            if child in reached:
                return child, "is a child twice" if child else "is the root and a child"
            reached.add(child)
    return _unreached(tree)


def _question_fault(question: Question, sample: Sample) -> str:
    width = len(sample.X[0])
    if not 0 <= question.column < width:
        return f"column {short_text(question.column)} is not among the {width} columns"
    is_categorical = isinstance(sample.X[0][question.column], str)
    if is_categorical == isinstance(question, Threshold):
        kinds = ("a threshold", "categories") if is_categorical else ("a set of values", "numbers")
        return f"{kinds[0]} for column {question.column}, which holds {kinds[1]}"
    return ""


def _unreached(tree: Tree) -> tuple[int, str] | None:
    """Every node but the root is one child's; what the root doesn't lead to is in a circle."""
    if not tree:
        return 0, "is missing; expected at least the root"
    found, waiting = set[int](), [0]
    while waiting:
        at = waiting.pop()
        found.add(at)
        if tree[at].question is not None:
            waiting += [tree[at].negative, tree[at].positive]
    return next(((at, "is not below the root") for at in range(len(tree)) if at not in found), None)


def place(data: Data, tree: Tree, at: int) -> str:
    """A node, by the path of questions that leads to it.

    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2))
    >>> place(data, [Node(Threshold(0, Fraction(3, 2)), 1, 2), Node(), Node()], 1)
    'node 1 (x0 <= 1.5: no)'
    """
    if at == 0:
        return "the root"
    parent = {c: p for p, n in enumerate(tree) if n.question for c in (n.negative, n.positive)}
    path: list[tuple[int, int]] = []
    step = at
    while step:
        path.append((parent[step], step))
        step = parent[step]
    half = _SHOWN_QUESTIONS // 2
    if len(path) > _SHOWN_QUESTIONS:
        words = [_step(data, tree, *edge) for edge in path[: -half - 1 : -1]]
        words.append(f"{len(path) - 2 * half} more")
        words += [_step(data, tree, *edge) for edge in reversed(path[:half])]
    else:
        words = [_step(data, tree, *edge) for edge in reversed(path)]
    return f"node {at} ({', '.join(words)})"


def _step(data: Data, tree: Tree, parent: int, child: int) -> str:
    question = tree[parent].question
    assert question is not None
    answer = "yes" if child == tree[parent].positive else "no"
    return f"{question_text(data, question)}: {answer}"


def question_text(data: Data, question: Question) -> str:
    """A question in words.

    >>> data = prepare(Sample(X=[["a"], ["b"]], y=(0, 1), k=2, columns=("colour",)))
    >>> question_text(data, Membership(0, frozenset("a")))
    'colour in {a}'
    """
    name = data.columns[question.column].name
    if isinstance(question, Threshold):
        return f"{name} <= {value_text(question.threshold)}"
    values = sorted(question.values)
    shown = values[:_SHOWN_VALUES]
    if len(values) > len(shown):
        shown.append(f"{len(values) - len(shown)} more")
    return f"{name} in {{{', '.join(shown)}}}"


def value_text(q: Fraction | int) -> str:
    """A threshold: as a decimal if that ends soon, as a ratio if it has no end, else six digits.

    >>> value_text(Fraction(1, 40)), value_text(Fraction(1, 3)), value_text(Fraction(2.45))
    ('0.025', '1/3', '2.45')
    """
    digits = _decimal_digits(q.denominator)
    if digits is not None and digits <= _MOST_DECIMALS:
        scaled = number_text(abs(q) * 10**digits).zfill(digits + 1)
        whole, part = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :]
        text = ("-" if q < 0 else "") + whole + ("." + part if part else "")
        return text if len(text) <= LONG else six_digits(q)
    text = number_text(q)
    return text if digits is None and len(text) <= LONG // 2 else six_digits(q)


def _decimal_digits(den: int) -> int | None:
    """How many decimals a fraction with this denominator has, if it ends."""
    twos = (den & -den).bit_length() - 1
    rest, fives = den >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None
