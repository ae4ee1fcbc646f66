"""One-against-some: a tree leads a row to a few candidate classes, and their scores decide.

Covers the second method named in [chang, "Still an ongoing research direction"]: H. Daumé III,
N. Karampatziakis, J. Langford, P. Mineiro, Logarithmic Time One-Against-Some, 2016 (arXiv
1606.04988): the Recall Tree.

The candidates of a node are the F most frequent classes of the rows that reach it, its recall the
fraction of those rows that have one of them. A router at the node learns to send rows where their
class already is, by the entropies of the two children; a row goes down only where the recall is
surely higher. Where it ends, one classifier a candidate gives it a score, and the highest wins.
These classifiers are shared by all nodes: that of a class is trained on the rows that end where it
is a candidate, if their own class is one too. To each row, its way is added as features, 1 for each
node below the root that it came through.

Differs from the paper:
- the paper learns online, router and counts in turn, row by row; here a node learns in batches.
  First its rows, in their order, are told a side: the one whose total entropy rises less by the
  row's class, the left if both rise equally. The router is trained on that, all rows with the same
  importance. In the next pass, its own answers give the counts by which the classes are told their
  sides again. The last router sends the rows down;
- the entropies are exact logarithms, and bounds are compared without rounding. The lower bound of a
  recall r of n rows is that of the authors' program, Vowpal Wabbit, r − √(λ r(1 − r)/n) − 15λ/(√18
  n) but at least 0, with 15/√18 rounded to 7/2;
- rows may have weights, whole numbers: each then stands so often, one after the other;
- a score of 0 leads to both children, in training and afterwards;
- a class whose classifier has rows of one side alone has the score ±1 of that side.

Legend: k classes; F candidates a node; λ the caution of the bound; r the recall, n the rows of a
node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.logs import Log
from refmc.core.records import Record
from refmc.core.sample import Labels, Matrix, Row
from refmc.core.saving import read_saved
from refmc.core.scalars import Number, exact_parameter, shown, whole_number
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import ABSENT, BinaryLearner, BinaryStep, Reduction, read_item
from refmc.learn.reductions.papers.nodes import Nodes, Training, loaded_sides, reachable
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

KIND = "one-against-some"
VERSION = 1

Way = tuple[int, ...]


class RecallNode(NamedTuple):
    """A node: how many rows of each class reach it, and the numbers of its children.

    `candidates`: the positions of its most frequent classes, of equals the first; `tied`: those
    that are as frequent as the last of them and were left out. `router`: the number of its binary
    model, None for a leaf. `below`: left and right child, None where the recall is not surely
    higher, so that a row stays.
    """

    counts: tuple[int, ...]
    candidates: tuple[int, ...]
    tied: tuple[int, ...]
    router: int | None = None
    below: tuple[int | None, int | None] = (None, None)

    @staticmethod
    def of(counts: Iterable[int], F: int) -> RecallNode:
        """A node without children, with F candidates if there are as many.

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
    return _exceeds(p, q, Fraction(0), Fraction(0)) and _exceeds(p, q, *_bound(parent, lam))


def _bound(node: RecallNode, lam: Fraction) -> tuple[Fraction, Fraction]:
    """p and q of the lower bound p − √q."""
    r, n = node.recall, sum(node.counts)
    return r - lam * Fraction(7, 2 * n), lam * r * (1 - r) / n


def _exceeds(p: Fraction, q: Fraction, s: Fraction, t: Fraction) -> bool:
    """Whether p − √q > s − √t."""
    d = p - s
    if d >= 0:  # (d + √t)² > q
        rest = q - d * d - t
        return rest < 0 or 4 * d * d * t > rest * rest
    rest = t - q - d * d  # t > (√q − d)²
    return rest > 0 and rest * rest > 4 * d * d * q


def sides_by_entropy(y: Sequence[int], k: int) -> list[int]:
    """For each row, by its class, +1 for the left or −1 for the right: where entropy rises less.

    Rows come in their order, each counted where it is told to go.

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
    """The side where a row more of a class raises the total entropy n·H less; the left if equally.

    Of n rows with c of the class it rises by g(n) − g(c), where g(t) = (t + 1) ln(t + 1) − t ln t.
    """
    rises = [_step(sum(counts)) - _step(counts[own]) for counts in (left, right)]
    return 1 if rises[0] <= rises[1] else -1


def _step(t: int) -> Log:
    return Log([(t + 1, t + 1), (t, -t)]) if t else Log()


@dataclass(frozen=True)
class OneAgainstSome(Reduction):
    """A trained recall tree with its classifiers; see `fit_one_against_some`.

    `nodes`: the tree, the root first, then level by level. `models`: the routers, positive for the
    left; then for each class its classifier, of rows with a column more for each node below the
    root. None where there was nothing to train; `sides`: ±1 for such a model that had rows of one
    side, else 0.
    """

    sides: tuple[int, ...]
    nodes: tuple[RecallNode, ...]

    def ways(self, x: Row) -> tuple[Way, ...]:
        """The numbers of the nodes that x comes through; several ways where a router gives 0."""
        item = read_item(x, self.width, self.zero)
        return _ways(self.nodes, Nodes(self.models, self.sides), item, self.zero)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """The score of each class where x ends; −∞ for a class that is no candidate there.

        If a router gives 0, x can end at several nodes: a class has its highest score there, and
        one that is best at any of them the highest of all, as the best of them are tied.
        """
        found: list[Any] = [ABSENT] * len(self.classes)
        ends = self._at_ends(read_item(x, self.width, self.zero))
        top = max(max(scores.values()) for scores in ends)
        for scores in ends:
            best = max(scores.values())
            for c, score in scores.items():
                found[c] = max(found[c], top if score == best else score)
        return tuple(found)

    def _at_ends(self, x: tuple[Any, ...]) -> list[dict[int, Any]]:
        """For each node where x can end the scores of its candidates."""
        binary = Nodes(self.models, self.sides)
        routers = len(self.models) - len(self.classes)
        found = []
        for way in _ways(self.nodes, binary, x, self.zero):
            item = _with_way(x, way, len(self.nodes), self.zero)
            candidates = self.nodes[way[-1]].candidates
            found.append({c: binary.score(routers + c, item, self.zero) for c in candidates})
        return found

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        best: set[int] = set()
        for scores in self._at_ends(x):
            candidates = tuple(scores)
            best |= {candidates[t] for t in argmax_set(tuple(scores.values()))}
        return tuple(sorted(best))

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

    X: m rows of d numbers; y: m labels. `binary(rows, signs)` gives a model with `decision(x)`, or
    a function of x. `candidates`: F, how many classes compete at a node; as many as there are make
    it one-vs-all. `depth`: of the tree, ⌈log2 k⌉ by default. `lam`: λ, at least 0; 0 compares the
    recalls alone. `passes`: how often a router is trained at most. `weights`: how often each row
    stands, whole numbers ≥ 0. `classes` fixes the order. `executor`: any of `concurrent.futures` or
    like it, for the routers of a level and for the classifiers. `on_step` receives a `BinaryStep` a
    training, those of routers that lead nowhere better too.

    Ties: all labels of the highest score where a row can end, one of them by `tie`. Raises
    `DataError`, `ParameterError` and what `binary` raises, with a note naming the problem. Cost: a
    row is in one router a level and pass, and in F classifiers; to predict, O(F + log k) answers.
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
    training = Training.read(
        X, y, binary, weights=weights, classes=classes, tie=tie, executor=executor, on_step=on_step
    ).repeated()
    balanced = (len(training.present) - 1).bit_length()
    levels = balanced if depth is None else whole_number(depth, "depth", 0)
    nodes, routers, trained = _grow(training, F, levels, caution, passes)
    models, sides = routers.joined(_train_some(training, nodes, routers, trained))
    return OneAgainstSome(*training.trained(models), sides, nodes)


def _grow(
    training: Training, F: int, levels: int, lam: Fraction, passes: int
) -> tuple[tuple[RecallNode, ...], Nodes, int]:
    """The nodes, the routers of those with children, and how many routers were trained."""
    sample = training.sample
    k = len(sample.classes)
    nodes = [RecallNode.of(_counts(sample.y, range(len(sample.y)), k), F)]
    level: list[tuple[int, Sequence[int]]] = [(0, range(len(sample.y)))]  # nodes and their rows
    routers, trained = Nodes(), 0
    for _ in range(levels):
        parents = [(n, rows) for n, rows in level if nodes[n].recall < 1]
        routed, trained = _route(training, [rows for _, rows in parents], trained, passes)
        level = []
        for t, (n, rows) in enumerate(parents):
            below: list[int | None] = []
            for half in _halves(routed.at(t), sample, rows):
                child = RecallNode.of(_counts(sample.y, half, k), F) if half else None
                if child is None or not recall_surely_rises(child, nodes[n], lam):
                    below.append(None)
                    continue
                below.append(len(nodes))
                level.append((len(nodes), half))
                nodes.append(child)
            if below != [None, None]:
                router = len(routers.models)
                nodes[n] = nodes[n]._replace(router=router, below=(below[0], below[1]))
                routers = routers.joined(routed.at(t))
    return tuple(nodes), routers, trained


def _route(
    training: Training, parts: Sequence[Sequence[int]], trained: int, passes: int
) -> tuple[Nodes, int]:
    """A router for each part of the rows, and how many have been trained with them.

    After the first pass each class is told its side anew, by where the router sends the rows,
    unless that would be one side for all. It ends when nothing changes.
    """
    y, k = training.sample.y, len(training.sample.classes)
    told, routed = [sides_by_entropy([y[i] for i in rows], k) for rows in parts], Nodes()
    for turn in range(passes):
        if turn:
            parted = enumerate(zip(parts, told))
            anew = [_told_again(training.sample, routed.at(t), *part) for t, part in parted]
            if anew == told:
                break
            told = anew
        routed = training.nodes(trained, [_column(len(y), *part) for part in zip(parts, told)])
        trained += len(parts)
    return routed, trained


def _told_again(sample: Any, router: Nodes, rows: Sequence[int], told: list[int]) -> list[int]:
    halves = _halves(router, sample, rows)
    left, right = (_counts(sample.y, half, len(sample.classes)) for half in halves)
    anew = [_side(left, right, sample.y[i]) for i in rows]
    return anew if len(set(anew)) > 1 else told


def _column(m: int, rows: Sequence[int], sides: Sequence[int]) -> list[int]:
    side_of = dict(zip(rows, sides))
    return [side_of.get(i, 0) for i in range(m)]


def _counts(y: Sequence[int], rows: Sequence[int], k: int) -> list[int]:
    counts = [0] * k
    for i in rows:
        counts[y[i]] += 1
    return counts


def _halves(router: Nodes, sample: Any, rows: Sequence[int]) -> tuple[list[int], list[int]]:
    """The rows that go left, and those that go right; with a score of 0 both."""
    scores = [(i, router.score(0, sample.rows[i], sample.zero)) for i in rows]
    return [i for i, s in scores if s >= 0], [i for i, s in scores if s <= 0]


def _ways(
    nodes: Sequence[RecallNode], binary: Nodes, x: tuple[Any, ...], zero: Any
) -> tuple[Way, ...]:
    """All ways of a row from the root to a node where it can end."""

    def further(place: tuple[Way, bool]) -> list[tuple[Way, bool]]:
        way, ended = place
        node = nodes[way[-1]]
        if ended or node.router is None:
            return [(way, True)]
        s = binary.score(node.router, x, zero)
        return [
            (way, True) if child is None else ((*way, child), False)
            for child, ahead in zip(node.below, (s, -s))
            if ahead >= 0
        ]

    root: tuple[Way, bool] = ((0,), False)
    return tuple(sorted(way for way, ended in reachable(root, further) if ended))


def _with_way(x: tuple[Any, ...], way: Way, nodes: int, zero: Any) -> tuple[Any, ...]:
    """The row, and 1 for each node below the root that is on its way, else 0."""
    return x + tuple(zero + (n in way) for n in range(1, nodes))


def _train_some(
    training: Training, nodes: Sequence[RecallNode], routers: Nodes, trained: int
) -> Nodes:
    """For each class its classifier, from the rows that end among its rivals."""
    sample, k = training.sample, len(training.sample.classes)
    items, own, rivals = [], [], []
    for x, c in zip(sample.rows, sample.y):
        for way in _ways(nodes, routers, x, sample.zero):
            if c in nodes[way[-1]].candidates:
                items.append(_with_way(x, way, len(nodes), sample.zero))
                own.append(c)
                rivals.append(nodes[way[-1]].candidates)
    columns = [
        [(1 if c == right else -1) if c in some else 0 for right, some in zip(own, rivals)]
        for c in range(k)
    ]
    return training.nodes_of(items, own, None, trained, columns)


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
    trained = loaded_reduction(saved, routers + k, tie, load)
    sides = loaded_sides(saved.entries("sides"), trained.models)
    return OneAgainstSome(*trained, sides, tuple(nodes))
