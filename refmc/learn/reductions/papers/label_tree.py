"""Label trees: a tree over the classes that keeps together what is easily confused.

Covers the third method named in [chang, "Still an ongoing research direction"]: S. Bengio,
J. Weston, D. Grangier, Label Embedding Trees for Large Multi-Class Tasks, 2010: the prediction
along a tree of label sets, and the learning of the tree from the confusion matrix of one-vs-all
classifiers (Algorithms 1 and 2 there).

Every node splits its classes in two, so that the confusion A_pq between the two sets is as small as
it can be: what is easily confused stays together. A classifier at the node tells the two sets
apart, and the class that is left at the end of the way down is predicted.

Differs from the paper:
- the paper relaxes this cut to an eigenproblem and clusters its vectors; here all cuts are tried,
  exactly, and all of the best are kept. The sizes of the two sets differ by at most 1, which
  prevents trivial cuts and makes the tree ⌈log2 k⌉ deep. The price is an exponential number of
  cuts: beyond `MOST_LABELS` classes another `partition` is asked for, such as `swapped_partition`,
  a search that ends where no swap of two classes of different sides makes the cut better (B. W.
  Kernighan, S. Lin, An Efficient Heuristic Procedure for Partitioning Graphs, 1970, with single
  swaps);
- a node has two children, told apart by one binary classifier that is trained on the rows of the
  node's classes; in the paper every child has a classifier, and all of them are fitted together to
  the loss of the tree;
- the confusion is that of the training rows, unless another is given; a row whose arg max is tied
  counts in equal parts;
- the paper also learns a linear map of the rows, which is no binary problem and is left out.

Legend: k classes, h of them at a node; A the affinity of two classes, how often one is taken for
the other: the confusion matrix plus its transpose (twice the paper's, with the same best cuts).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count
from math import comb, lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.records import Record
from refmc.core.sample import Labels, Matrix, Row, read_rows
from refmc.core.saving import read_saved
from refmc.core.scalars import plain, shown, sign
from refmc.core.ties import TiePolicy, argmax_set, argmin_set, first
from refmc.errors import ExactnessLimitError, FormatError, ParameterError
from refmc.learn.reductions.members import (
    ABSENT,
    BinaryLearner,
    BinaryStep,
    Reduction,
    ask,
    read_weighted,
)
from refmc.learn.reductions.papers.nodes import Training
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "label-tree"
VERSION = 1

MOST_LABELS = 20
"""`balanced_partitions` refuses more classes than these, which have 92,378 partitions to try."""

Places = tuple[int, ...]
"""Increasing positions of classes."""

Partition = Callable[[Sequence[Sequence[Any]], Places], Sequence[Places]]
"""A function of A and the classes of a node, which gives one side of each best partition."""


class Split(NamedTuple):
    """A node: the classes on its two sides, and the nodes below it.

    `below`: for each side the number of the node that splits it, None for a single class. `tied`:
    one side of each of the best partitions; that of the partition that was taken comes first.
    """

    left: Places
    right: Places
    below: tuple[int | None, int | None]
    tied: tuple[Places, ...]


def balanced_partitions(affinity: Sequence[Sequence[Any]], places: Places) -> tuple[Places, ...]:
    """All halvings of the classes with the least affinity between the halves.

    `affinity`: k rows of k numbers, symmetric. Of each partition the side that has the first class
    is given; the sizes of the two sides differ by at most 1. Raises `ExactnessLimitError` for more
    than `MOST_LABELS` classes. Cost: up to 2^(h − 1) partitions of h classes, h²/4 additions each.
    [chang, "Still an ongoing research direction"]

    >>> balanced_partitions([[9, 0, 2], [0, 9, 1], [2, 1, 9]], (0, 1, 2))
    ((0, 2),)
    """
    h = len(places)
    if h > MOST_LABELS:
        raise ExactnessLimitError(
            f"{h} classes have {comb(h, h // 2) // (1 + (h % 2 == 0))} balanced partitions, too "
            f"many to try; give partition=swapped_partition for more than {MOST_LABELS}"
        )
    sides = [
        (places[0], *others)
        for size in sorted({h // 2, h - h // 2})
        for others in combinations(places[1:], size - 1)
    ]
    cuts = []
    for side in sides:
        rest = [q for q in places if q not in side]
        cuts.append(sum(affinity[p][q] for p in side for q in rest))
    return tuple(sides[t] for t in argmin_set(cuts))


def swapped_partition(affinity: Sequence[Sequence[Any]], places: Places) -> tuple[Places, ...]:
    """A halving of the classes that no swap of two makes better, for any number of classes.

    One side starts with the first class and takes the class with the most affinity to it, the first
    of equals, until it holds half of them. Then two classes on different sides are swapped, as long
    as some swap lowers the affinity across the cut: the one that lowers it most, the first of
    equals. The result need not be the best of all halvings. Cost: O(h²) a swap for h classes.
    [chang, "Still an ongoing research direction"]

    >>> alike = [[9, 0, 2, 0], [0, 9, 1, 3], [2, 1, 9, 1], [0, 3, 1, 9]]
    >>> swapped_partition(alike, (0, 1, 2, 3))
    ((0, 2),)
    >>> swapped_partition([[9, 5, 0, 0], [5, 9, 0, 0], [0, 0, 9, 1], [0, 0, 1, 9]], (0, 1, 2, 3))
    ((0, 1),)
    """
    side, rest = [places[0]], list(places[1:])
    while len(side) < len(places) // 2:
        near = [sum(affinity[p][q] for p in side) for q in rest]
        side.append(rest.pop(argmax_set(near)[0]))
    while True:
        # By how much the cut falls if one class alone changes sides. If p and q change together,
        # they stay on different sides, so their own affinity, which both gains count, comes off.
        gain = {
            p: sum(affinity[p][q] for q in other) - sum(affinity[p][q] for q in own if q != p)
            for own, other in ((side, rest), (rest, side))
            for p in own
        }
        swaps = [(p, q) for p in side for q in rest]
        gains = [gain[p] + gain[q] - 2 * affinity[p][q] for p, q in swaps]
        best = argmax_set(gains)[0]
        if gains[best] <= 0:
            return (tuple(sorted(side if places[0] in side else rest)),)
        p, q = swaps[best]
        side[side.index(p)], rest[rest.index(q)] = q, p


@dataclass(frozen=True)
class LabelTree(Reduction):
    """A trained label tree; see `fit_label_tree`.

    `splits`: the nodes, the root first, then level by level. `models`: the binary model of each,
    positive for its left side.
    """

    splits: tuple[Split, ...]

    def scores(self, x: Row) -> tuple[Any, ...]:
        """For each class the least score that speaks for it on its way down from the root.

        Where one class is predicted, its score alone is positive; where several are tied, they have
        0; all others have less. A class without rows has −∞, the only class that has rows 0. All
        nodes are asked.
        """
        item = self._read(x)
        found = [[] if c in self.present else [ABSENT] for c in range(len(self.classes))]
        for n, split in enumerate(self.splits):
            s = ask([self.models[n]], item, self.zero, n)[0]
            for side, score in ((split.left, s), (split.right, -s)):
                for c in side:
                    found[c].append(score)
        return tuple(min(scores, default=self.zero) for scores in found)

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        """The classes at the ends of all ways down; a score of 0 leads both ways. (Algorithm 1)"""
        if not self.splits:
            return self.present
        reached: set[int] = set()
        waiting = [0]
        while waiting:
            n = waiting.pop()
            left, right, below, _ = self.splits[n]
            s = sign(ask([self.models[n]], x, self.zero, n)[0])
            for side, node, ahead in ((left, below[0], s), (right, below[1], -s)):
                if ahead < 0:
                    continue
                if node is None:
                    reached.add(side[0])
                else:
                    waiting.append(node)
        return tuple(sorted(reached))

    def to_json(self) -> str:
        """The model as readable JSON, its binary models within; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`.
        """
        tied = [split.tied for split in self.splits]
        return saved_reduction(self, KIND, VERSION, {"tied": tied})


def fit_label_tree(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    *,
    confusion: Matrix | None = None,
    partition: Partition = balanced_partitions,
    weights: Row | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> LabelTree:
    """Learn a tree over the classes from their confusion, and train a classifier at each node.

    X: m rows of d numbers; y: m labels. `binary(rows, signs)` gives a model with `decision(x)`, or
    a function of x. `confusion`: for each right class how often each class was predicted, such as
    `confusion_matrix(…).counts` of held-out rows; without it, one-vs-all classifiers are trained
    and their predictions of the training rows are counted. `partition`: a function of A, in whole
    numbers, and of the positions of a node's classes. It gives one side of each best partition, and
    the first is taken: `balanced_partitions`, `swapped_partition` for more than 20 classes, or
    another. `weights`: a number ≥ 0 for each row, given to `binary` as weights= and counted in the
    confusion; a row of weight 0 counts as absent. `classes` fixes the order. `executor`: one of
    `concurrent.futures` or like it, to train side by side. `on_step` receives a `BinaryStep` for
    each classifier, those of one-vs-all first.

    Ties: all labels reached, one of them by `tie`. Raises `DataError`, `ParameterError`,
    `ExactnessLimitError` and what `binary` raises, with a note naming the problem. Cost: k − 1
    trainings, a row in ⌈log2 k⌉, which is what a prediction asks, and k of one-vs-all; and the
    partitions, whose time `balanced_partitions` doubles with each class: half a second for 20.
    [chang, "Still an ongoing research direction"]

    >>> from refmc import fit_hard_svm
    >>> X = [[Fraction(t)] for t in (0, 2, 4, 6)]
    >>> alike = [[2, 1, 0, 0], [1, 2, 0, 0], [0, 0, 2, 1], [0, 0, 1, 2]]
    >>> model = fit_label_tree(X, [*"abcd"], fit_hard_svm, confusion=alike)
    >>> model.splits[0].left, model.predict_set([Fraction(3)])
    ((0, 1), ('b', 'c'))
    """
    training = Training(read_weighted(X, y, classes, weights), binary, tie, executor, on_step)
    present, k = training.present, len(training.sample.classes)
    if confusion is not None:
        C = _read_confusion(confusion, k)
    elif len(present) > 2:
        C = _confusion(training)
    else:  # two classes can be split in one way only, whatever their confusion is
        C = [[Fraction(0)] * k] * k
    A = _affinity(C)
    splits = _grow(present, lambda places: _read_sides(partition(A, places), places, "partition"))
    sides = [dict.fromkeys(left, 1) | dict.fromkeys(right, -1) for left, right, *_ in splits]
    columns = [[side.get(c, 0) for c in training.sample.y] for side in sides]
    trained = training.trained(training.nodes(columns).models)
    return LabelTree(**vars(trained), splits=splits)


def _confusion(training: Training) -> list[list[Fraction]]:
    """How often one-vs-all classifiers give rows of one class to another; a tie in equal parts."""
    sample, present = training.sample, training.present
    columns = [[1 if c == own else -1 for own in sample.y] for c in present]
    models = training.nodes(columns).models
    C = [[Fraction(0)] * len(sample.classes) for _ in sample.classes]
    weights = sample.weights or [1] * len(sample.y)
    for x, own, weight in zip(sample.rows, sample.y, weights):
        tied = argmax_set(ask(models, x, sample.zero))
        for t in tied:
            C[own][present[t]] += Fraction(weight) / len(tied)
    return C


def _affinity(C: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """C plus its transpose, times the common denominator: the same best cuts, in whole numbers."""
    scale = lcm(*(value.denominator for row in C for value in row))
    return [[int(scale * (C[p][q] + C[q][p])) for q in range(len(C))] for p in range(len(C))]


def _read_confusion(confusion: Matrix, k: int) -> list[list[Fraction]]:
    rows, _ = read_rows(confusion, "confusion")
    if [len(row) for row in rows] != [k] * k:
        raise ParameterError(f"confusion: expected {k} rows of {k} numbers, one a class")
    if any(value < 0 for row in rows for value in row):
        raise ParameterError("confusion: expected numbers of at least 0")
    return [[Fraction(value) for value in row] for row in rows]


def _read_sides(sides: Any, places: Places, name: str) -> tuple[Places, ...]:
    """The sides, each in increasing order; `ParameterError` where one is no part of the places."""
    listed: Any = plain(sides)
    try:
        read: tuple[Places, ...] = tuple(map(tuple, listed))
    except TypeError:
        read = ()
    if not read or not all(
        0 < len(side) < len(places)
        and all(type(c) is int and c in places for c in side)
        and len(set(side)) == len(side)
        for side in read
    ):
        raise ParameterError(f"{name}: expected sides of {shown(places)}, got {shown(sides)}")
    return tuple(tuple(sorted(side)) for side in read)


def _grow(present: Places, sides: Callable[[Places], tuple[Places, ...]]) -> tuple[Split, ...]:
    """Split the classes, and then each side that has more than one, level by level.

    `sides`: from the classes of a node to one side of each of its best partitions.
    """
    splits: list[Split] = []
    waiting, numbered = deque([present] if len(present) > 1 else []), count(1)
    while waiting:
        places = waiting.popleft()
        tied = sides(places)
        left, right = tied[0], tuple(c for c in places if c not in tied[0])
        below = [next(numbered) if len(side) > 1 else None for side in (left, right)]
        waiting += [side for side in (left, right) if len(side) > 1]
        splits.append(Split(left, right, (below[0], below[1]), tied))
    return tuple(splits)


def label_tree_from_record(record: Record, tie: TiePolicy, load: LoadBinary) -> LabelTree:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["tied", *SHARED])
    nodes = max(len(saved.entries("present")) - 1, 0)
    trained = loaded_reduction(saved, nodes, tie, load)
    tied = saved.entries("tied")
    if len(tied) != nodes or any(model is None for model in trained.models):
        raise FormatError(f"model: expected binary models and tied partitions of {nodes} nodes")
    following = iter(tied)
    try:
        splits = _grow(trained.present, lambda places: _read_sides(next(following), places, "tied"))
    except ParameterError as error:
        raise FormatError(f"model.{error}") from None
    return LabelTree(**vars(trained), splits=splits)
