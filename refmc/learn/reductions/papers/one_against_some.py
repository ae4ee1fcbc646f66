"""One-against-some: a tree leads a row to a few candidate classes, and their scores decide.

Covers the second method named in [chang, "Still an ongoing research direction"]: H. Daumé III,
N. Karampatziakis, J. Langford, P. Mineiro, Logarithmic Time One-Against-Some, 2016 (arXiv
1606.04988): the Recall Tree.

The candidates of a node are the F most frequent classes of the rows that reach it; its recall is
the fraction of those rows whose class is a candidate. A router at the node learns to send the rows
of a class to the same child, and a row goes down only to a child whose recall is surely higher.
Where the row ends, the classifiers of the candidates give their scores, and the highest wins. There
is one classifier for each class, whatever the node. It is trained on the rows that end at a node
where both this class and their own are candidates. For the classifiers a row has one more column
for each node below the root: 1 if the row came through the node, else 0.

Differs from the paper:
- the paper learns online, row by row; here a node learns from all its rows at once. First each row,
  in order, is assigned the side whose total entropy rises less by the row's class, or the left if
  both rise equally. The router is trained on these sides, all rows with the same importance. Before
  each further pass the rows are assigned sides again, by the class counts of the rows that the
  router sends to either side. The last router is the one that sends the rows down;
- the entropies are exact logarithms, and bounds are compared without rounding. The lower bound of a
  recall r of n rows is that of the authors' program, Vowpal Wabbit, r − √(λ r(1 − r)/n) − 15λ/(√18
  n) but at least 0, with 15/√18 rounded to 7/2;
- rows may have weights, whole numbers: a row of weight n counts as n equal rows in succession;
- a score of 0 leads to both children, in training and in prediction;
- a classifier whose rows are all of one side is not trained: its score is ±1, that side.

Legend: k classes; F candidates at each node; λ how cautious the bound is; r the recall and n the
number of rows of a node; the way of a row is its path: the numbers of its nodes, from the root on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.logs import Log
from refmc.core.records import Record
from refmc.core.sample import Labels, Matrix, Row
from refmc.core.saving import read_saved
from refmc.core.scalars import Number, exact_parameter, shown, whole_number
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import (
    ABSENT,
    BinaryLearner,
    BinaryStep,
    Reduction,
    read_weighted,
)
from refmc.learn.reductions.papers.nodes import Nodes, Training, loaded_sides
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction
from refmc.theory.roots import compare_with_roots

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "one-against-some"
VERSION = 1

Way = tuple[int, ...]


class RecallNode(NamedTuple):
    """A node: how many rows of each class reach it, its candidates, and its children.

    `candidates`: its F most frequent classes, the first of equals. `tied`: the classes that are as
    frequent as the last candidate and were left out. `router`: the number of its binary model, None
    for a leaf. `below`: the numbers of its left and right child, None where the recall is not
    surely higher, so that a row stays at the node.
    """

    counts: tuple[int, ...]
    candidates: tuple[int, ...]
    tied: tuple[int, ...]
    router: int | None = None
    below: tuple[int | None, int | None] = (None, None)

    @staticmethod
    def of(counts: Iterable[int], F: int) -> RecallNode:
        """A node without children, with F candidates if so many classes reach it.

        >>> RecallNode.of([2, 0, 5, 2, 2], 2)[1:3]
        ((2, 0), (3, 4))
        """
        read = tuple(counts)
        order = sorted((c for c, n in enumerate(read) if n), key=lambda c: -read[c])
        best = tuple(order[:F])
        return RecallNode(read, best, tuple(c for c in order[F:] if read[c] == read[best[-1]]))

    @property
    def recall(self) -> Fraction:
        """The fraction of the rows whose class is a candidate."""
        return Fraction(sum(self.counts[c] for c in self.candidates), sum(self.counts))


def recall_surely_rises(child: RecallNode, parent: RecallNode, lam: Fraction) -> bool:
    """Whether the lower bound of the child's recall is above that of its parent, and above 0.

    >>> small, large = RecallNode.of([1, 0], 1), RecallNode.of([25, 0], 1)
    >>> both = RecallNode.of([30, 30], 1)
    >>> [recall_surely_rises(child, both, Fraction(1)) for child in (small, large)]
    [False, True]
    """
    p, q = _bound(child, lam)
    s, t = _bound(parent, lam)
    zero = Fraction(0)
    # p − √q > 0, and p − √q > s − √t, with each root on the side where it is added
    return compare_with_roots(p, zero, zero, q) > 0 and compare_with_roots(p, t, s, q) > 0


def _bound(node: RecallNode, lam: Fraction) -> tuple[Fraction, Fraction]:
    """p and q of the lower bound p − √q of a node's recall."""
    r, n = node.recall, sum(node.counts)
    return r - lam * Fraction(7, 2 * n), lam * r * (1 - r) / n


def sides_by_entropy(y: Sequence[int], k: int) -> list[int]:
    """The side of each row, +1 for left or −1 for right, where its class adds less entropy.

    The rows are assigned in order, and each then counts on its side for the rows after it.

    >>> sides_by_entropy([0, 1, 0, 2, 2], 3)
    [1, -1, 1, -1, -1]
    """
    left, right = [0] * k, [0] * k
    sides = []
    for own in y:
        sides.append(_side(left, right, own))
        (left if sides[-1] > 0 else right)[own] += 1
    return sides


def _side(left: Sequence[int], right: Sequence[int], own: int) -> int:
    """The side whose total entropy rises less by one more row of a class; left if equal.

    The total entropy of n rows is n ln n − Σ c ln c over the counts c of the classes. One row more
    of a class with c rows raises it by g(n) − g(c), where g(t) = (t + 1) ln(t + 1) − t ln t.
    """
    rises = [_g(sum(counts)) - _g(counts[own]) for counts in (left, right)]
    return 1 if rises[0] <= rises[1] else -1


def _g(t: int) -> Log:
    return Log([(t + 1, t + 1), (t, -t)]) if t else Log()


@dataclass(frozen=True)
class OneAgainstSome(Reduction):
    """A trained recall tree with its classifiers; see `fit_one_against_some`.

    `nodes`: the tree, the root first, then level by level. `models`: the routers, positive for the
    left; then the classifiers, whose rows have the further columns. None stands where nothing was
    trained. `sides`: ±1 where that is because all rows were on that side, else 0.
    """

    sides: tuple[int, ...]
    nodes: tuple[RecallNode, ...]

    def ways(self, x: Row) -> tuple[Way, ...]:
        """The numbers of the nodes that x comes through; several ways where a router gives 0."""
        return _ways(self.nodes, Nodes(self.models, self.sides), self._read(x), self.zero)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """The score of each class where x ends; −∞ for a class that is no candidate there.

        If a router gives 0, x can end at several nodes, and the best classes of all these nodes are
        tied: they all get the highest score of all, any other class its own highest.
        """
        return self._scores(self._read(x))

    def _scores(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        found: list[Any] = [ABSENT] * len(self.classes)
        ends = self._at_ends(x)
        top = max(max(scores.values()) for scores in ends)
        for scores in ends:
            best = max(scores.values())
            for c, score in scores.items():
                found[c] = max(found[c], top if score == best else score)
        return tuple(found)

    def _at_ends(self, x: tuple[Any, ...]) -> list[dict[int, Any]]:
        """For each node where x can end, the scores of its candidates."""
        binary = Nodes(self.models, self.sides)
        routers = len(self.models) - len(self.classes)
        found = []
        for way in _ways(self.nodes, binary, x, self.zero):
            item = _with_way(x, way, len(self.nodes), self.zero)
            candidates = self.nodes[way[-1]].candidates
            found.append({c: binary.score(routers + c, item, self.zero) for c in candidates})
        return found

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        return argmax_set(self._scores(x))

    def to_json(self) -> str:
        """The model as readable JSON, its binary models within; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`.
        """
        nodes = [{"counts": node.counts, "below": node.below} for node in self.nodes]
        F = len(self.nodes[0].candidates)
        own = {"candidates": F, "sides": self.sides, "nodes": nodes}
        return saved_reduction(self, KIND, VERSION, own)


def fit_one_against_some(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    *,
    candidates: int,
    depth: int | None = None,
    lam: Number = 1,
    passes: int = 3,
    weights: Row | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> OneAgainstSome:
    """Grow a recall tree, level by level, and train a classifier for each class.

    X: m rows of d numbers; y: m labels, `classes` fixes their order. `binary(rows, signs)` gives a
    model that has `decision(x)`, or a function of x. `candidates`: F, how many classes compete at a
    node; with all of them it is one-vs-all. `depth`: the greatest depth of the tree, ⌈log2 k⌉ by
    default. `lam`: λ, at least 0; 0 compares the recalls alone. `passes`: how often a router is
    trained at most. `weights`: how many times each row counts, whole numbers ≥ 0. `executor`: one
    of `concurrent.futures` or like it, to train side by side. `on_step` receives a `BinaryStep` for
    each training, even where a router is dropped because no child has a higher recall.

    Ties: all labels of the highest score where a row can end, one of them by `tie`. Raises
    `DataError`, `ParameterError` and what `binary` raises, with a note naming the problem. Cost: a
    row trains one router in each pass of each level, and F classifiers; a prediction asks O(F +
    log k) models.
    [chang, "Still an ongoing research direction"]

    >>> from refmc import fit_perceptron
    >>> X = [[Fraction(a), Fraction(b)] for a, b in [(2, 1), (-2, 1), (2, -1), (-2, -1)]]
    >>> model = fit_one_against_some(X, [*"abcd"], fit_perceptron, candidates=2, lam=0)
    >>> [node.candidates for node in model.nodes], model.predict(X)
    ([(0, 1), (0, 2), (1, 3)], ['a', 'b', 'c', 'd'])
    """
    F = whole_number(candidates, "candidates", 1)
    passes = whole_number(passes, "passes", 1)
    caution = exact_parameter(lam, "lam")
    if caution < 0:
        raise ParameterError(f"lam: expected at least 0, got {shown(lam)}")
    read = Training(read_weighted(X, y, classes, weights), binary, tie, executor, on_step)
    training = read.repeated()
    balanced = (len(training.present) - 1).bit_length()
    levels = balanced if depth is None else whole_number(depth, "depth", 0)
    nodes, routers = _grow(training, F, levels, caution, passes)
    models, sides = routers.joined(_train_classifiers(training, nodes, routers))
    return OneAgainstSome(**vars(training.trained(models)), sides=sides, nodes=nodes)


def _grow(
    training: Training, F: int, levels: int, lam: Fraction, passes: int
) -> tuple[tuple[RecallNode, ...], Nodes]:
    """The nodes, level by level, and the routers of those that have children."""
    y, k = training.sample.y, len(training.sample.classes)
    everyone: Sequence[int] = range(len(y))
    nodes = [RecallNode.of(_counts(y, everyone, k), F)]
    level = [(0, everyone)]  # the numbers of the nodes at the bottom, with the rows that reach them
    routers = Nodes()
    for _ in range(levels):
        # No recall is higher than 1, so that nothing is gained below a node that has it.
        parents = [(n, rows) for n, rows in level if nodes[n].recall < 1]
        level = []
        found = _train_routers(training, [rows for _, rows in parents], passes)
        for (n, _), (router, left, right) in zip(parents, found):
            below: list[int | None] = []
            for half in (left, right):
                child = RecallNode.of(_counts(y, half, k), F) if half else None
                if child is None or not recall_surely_rises(child, nodes[n], lam):
                    below.append(None)
                else:
                    below.append(len(nodes))
                    level.append((len(nodes), half))
                    nodes.append(child)
            if below != [None, None]:  # else the router leads nowhere, and is not kept
                number = len(routers.models)
                nodes[n] = nodes[n]._replace(router=number, below=(below[0], below[1]))
                routers = routers.joined(router)
    return tuple(nodes), routers


class Routed(NamedTuple):
    """A router by itself, and the rows that it sends left and right; with a score of 0 both."""

    router: Nodes
    left: list[int]
    right: list[int]


def _train_routers(training: Training, parts: Sequence[Sequence[int]], passes: int) -> list[Routed]:
    """A router for each part of the rows, trained at most so many times.

    After each pass, all rows of a part are assigned sides again, by how many rows of each class its
    router sends to either side. Training ends when no row's side changes.
    """
    sample = training.sample
    y, k = sample.y, len(sample.classes)
    assigned = [sides_by_entropy([y[i] for i in rows], k) for rows in parts]
    for _ in range(passes):
        columns = []
        for rows, sides in zip(parts, assigned):
            side_of = dict(zip(rows, sides))
            columns.append([side_of.get(i, 0) for i in range(len(y))])
        routers = training.nodes(columns)
        found, anew = [], []
        for t, rows in enumerate(parts):
            router = routers.at(t)
            scores = [(i, router.score(0, sample.rows[i], sample.zero)) for i in rows]
            left, right = [i for i, s in scores if s >= 0], [i for i, s in scores if s <= 0]
            found.append(Routed(router, left, right))
            counts = _counts(y, left, k), _counts(y, right, k)
            sides = [_side(*counts, y[i]) for i in rows]
            # A router can't be trained on one side alone; such a part keeps the sides that it had.
            anew.append(sides if len(set(sides)) > 1 else assigned[t])
        if anew == assigned:
            break
        assigned = anew
    return found


def _counts(y: Sequence[int], rows: Sequence[int], k: int) -> list[int]:
    """How many of the rows are of each class."""
    counts = [0] * k
    for i in rows:
        counts[y[i]] += 1
    return counts


def _ways(
    nodes: Sequence[RecallNode], routers: Nodes, x: tuple[Any, ...], zero: Any
) -> tuple[Way, ...]:
    """All ways of a row from the root to a node where it can end."""
    ended: list[Way] = []
    going: list[Way] = [(0,)]
    while going:
        way = going.pop()
        node = nodes[way[-1]]
        if node.router is None:
            ended.append(way)
            continue
        s = routers.score(node.router, x, zero)
        for child, ahead in zip(node.below, (s, -s)):
            if ahead < 0:
                continue
            if child is None:
                ended.append(way)
            else:
                going.append((*way, child))
    return tuple(sorted(ended))


def _with_way(x: tuple[Any, ...], way: Way, nodes: int, zero: Any) -> tuple[Any, ...]:
    """The row, and 1 for each node below the root that is on its way, else 0."""
    return x + tuple(zero + (n in way) for n in range(1, nodes))


def _train_classifiers(training: Training, nodes: Sequence[RecallNode], routers: Nodes) -> Nodes:
    """For each class its classifier, from the rows that end where it competes with their class."""
    sample = training.sample
    items, own, rivals = [], [], []
    for x, c in zip(sample.rows, sample.y):
        for way in _ways(nodes, routers, x, sample.zero):
            candidates = nodes[way[-1]].candidates
            if c in candidates:
                items.append(_with_way(x, way, len(nodes), sample.zero))
                own.append(c)
                rivals.append(candidates)
    columns = [
        [(1 if c == right else -1) if c in some else 0 for right, some in zip(own, rivals)]
        for c in range(len(sample.classes))
    ]
    return training.on(items, own).nodes(columns)


def one_against_some_from_record(
    record: Record, tie: TiePolicy, load: LoadBinary
) -> OneAgainstSome:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["candidates", "sides", "nodes", *SHARED])
    k = len(saved.classes)
    F, nodes, routers = saved.whole("candidates", 1), [], 0
    entries = [saved.inner("nodes", node, ["counts", "below"]) for node in saved.entries("nodes")]
    children = 1
    for entry in entries:
        counts, below = list(entry.entries("counts")), tuple(entry.entries("below"))
        if len(counts) != k or any(type(n) is not int or n < 0 for n in counts) or not any(counts):
            raise FormatError(f"model.nodes: expected counts of {k} classes, got {shown(counts)}")
        numbers = [child for child in below if child is not None]
        if len(below) != 2 or numbers != list(range(children, children + len(numbers))):
            raise FormatError(f"model.nodes: expected two children or null, got {shown(below)}")
        children += len(numbers)
        node = RecallNode.of(counts, F)
        nodes.append(node._replace(router=routers, below=below) if numbers else node)
        routers += bool(numbers)
    if len(nodes) != children:
        raise FormatError(f"model.nodes: expected {children} nodes, got {len(nodes)}")
    trained = loaded_reduction(saved, routers + k, tie, load, longer=True)
    sides = loaded_sides(saved.entries("sides"), trained.models)
    return OneAgainstSome(**vars(trained), sides=sides, nodes=tuple(nodes))
