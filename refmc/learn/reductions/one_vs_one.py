"""One-vs-one: a binary classifier for every pair of classes, and the ways to decide by them.

The plain programs are `refmc.lectures.keshet.all_pairs`, `refmc.lectures.karagiannis.ovo`,
`refmc.lectures.chang.majority` and `refmc.lectures.chang.tournament`. Beyond them: any binary
learner, training side by side, and saving.

Covers [keshet §1.2], [karagiannis §2.2, 12–14], [chang, "One v.s. One (All against All)
strategy"].

Differs from the lectures:
- only pairs i < j are trained, and the score of j over i is minus that of i over j; the sums of
  [keshet §1.2] and [karagiannis, Note 13] need it, and leave it unsaid;
- a score of 0 is half a vote for each side;
- decisions are sets: a three-way cycle is a three-way tie of votes, and a tied match of a
  tournament can end either way;
- a class without rows has no pairs to learn from: they are skipped, its score is −∞ and it is
  never predicted.

Legend: k classes; w[i][j] = w^{ij}·x the score of class i over class j, w[j][i] = −w[i][j], and
w[i][i] = 0; h^[i,j] the sign of w[i][j].
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any

from refmc.core.parameters import check_function
from refmc.core.records import Record, at
from refmc.core.sample import Label, Labels, Matrix, Row
from refmc.core.saving import read_saved, saved_choice
from refmc.core.scalars import plain, shown, sign
from refmc.core.ties import TiePolicy, first
from refmc.errors import DataError, ParameterError
from refmc.learn.reductions.members import (
    BinaryLearner,
    BinaryStep,
    Reduction,
    added,
    ask,
    best_among,
    read_scores,
    train_by_code,
    unrounded,
)
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "one-vs-one"
VERSION = 1

Duels = Sequence[Sequence[Any]]
"""k rows of k scores, antisymmetric: the entry (i, j) is the score of class i over class j."""

Decide = Callable[[Duels, Sequence[int]], tuple[int, ...]]
"""From the duels, and the classes that take part, to the positions of all best ones."""


def duels(scores: Sequence[Any], k: int) -> tuple[tuple[Any, ...], ...]:
    """The antisymmetric matrix w of the scores of all pairs (0, 1), (0, 2), …, (k − 2, k − 1).

    w[j][i] = −w[i][j] is the convention that the sums over all other classes need. Raises
    `DataError` for other than k(k − 1)/2 scores. [keshet §1.2], [karagiannis, Note 13]

    >>> duels([1.0, -2.0, 3.0], 3)[2]
    (2.0, -3.0, 0.0)
    """
    listed: Any = plain(scores)
    if not isinstance(listed, Sequence) or len(listed) != k * (k - 1) // 2:
        raise DataError(
            f"scores: expected {k * (k - 1) // 2}, one for each pair of {k} classes, "
            f"got {shown(listed)}"
        )
    return _antisymmetric(read_scores(listed, 0.0, "scores: position"), k, 0.0)


def _antisymmetric(values: Sequence[Any], k: int, zero: Any) -> tuple[tuple[Any, ...], ...]:
    w = [[values[0] * 0 if values else zero] * k for _ in range(k)]
    for (i, j), value in zip(combinations(range(k), 2), values):
        w[i][j], w[j][i] = value, -value
    return tuple(map(tuple, w))


def votes(w: Duels, among: Sequence[int] | None = None) -> tuple[Fraction, ...]:
    """For each class how many duels it wins, a score of 0 counting half.

    `among`: the classes that take part, all by default; the others have no votes. The sum of signs
    of [karagiannis, Note 13] is twice this minus the number of a class's duels.
    [chang, "One-v.s-One Inference algorithm"]

    >>> [str(n) for n in votes(duels([1, -2, 0], 3))]
    ['1', '1/2', '3/2']
    """
    places = range(len(w)) if among is None else among
    halves = [0] * len(w)
    for i in places:
        halves[i] = sum(1 + sign(w[i][j]) for j in places if j != i)
    return tuple(Fraction(n, 2) for n in halves)


def score_sums(w: Duels, among: Sequence[int] | None = None) -> tuple[Any, ...]:
    """For each class y the sum of its scores over the others, Σ_{r ≠ y} w^{yr}·x.

    In float each sum is rounded once. `among`: the classes that take part, all by default; the sum
    of the others is 0. [keshet §1.2], [keshet §3]

    >>> score_sums(duels([1, -2, 3], 3))
    (-1.0, 2.0, -1.0)
    """
    places = range(len(w)) if among is None else among
    sums = [w[i][i] for i in range(len(w))]  # the zero of the scores' arithmetic
    for i in places:
        sums[i] = added([sums[i], *(w[i][j] for j in places if j != i)])
    return tuple(sums)


def by_votes(w: Duels, among: Sequence[int]) -> tuple[int, ...]:
    """All classes that win the most duels.

    [karagiannis, Note 13], [chang, "Majority Vote"]

    >>> by_votes(duels([1, -2, 3], 3), range(3))
    (0, 1, 2)
    """
    return best_among(votes(w, among), among)


def by_score_sum(w: Duels, among: Sequence[int]) -> tuple[int, ...]:
    """All classes of the largest sum of scores; floats are added without rounding.

    [keshet §1.2]

    >>> by_score_sum(duels([1, -2, 3], 3), range(3))
    (1,)
    """
    return best_among(_unrounded_sums(w, among), among)


def _unrounded_sums(w: Duels, among: Sequence[int]) -> tuple[Any, ...]:
    """The score sums of the very numbers that the scores are: rounded sums could tie by chance."""
    return score_sums([[unrounded(value) for value in row] for row in w], among)


def by_votes_then_sums(w: Duels, among: Sequence[int]) -> tuple[int, ...]:
    """Of the classes that win the most duels, those of the largest sum of scores over all others.

    [chang, "Majority Vote"] settled by [keshet §1.2]

    >>> by_votes_then_sums(duels([1, -2, 3], 3), range(3))
    (1,)
    """
    return best_among(_unrounded_sums(w, among), by_votes(w, among))


@dataclass(frozen=True)
class Tournament:
    """A single-elimination tournament among the classes, as a way to decide.

    `bracket`: class positions in the order in which they are drawn. The first meets the second, the
    third the fourth, and so on; the last of an odd number goes on without a match. The winners meet
    in the same way until one is left. A match of score 0 can end either way, and every class that
    can win the tournament is among the best. Classes that don't take part are left out.
    [chang, "Tournament"]

    >>> w = duels([1, -2, 3], 3)
    >>> Tournament((0, 1, 2))(w, range(3)), Tournament((0, 2, 1))(w, range(3))
    ((2,), (1,))
    """

    bracket: tuple[int, ...]

    def __post_init__(self) -> None:
        drawn: Any = plain(self.bracket)
        listed = tuple(drawn) if isinstance(drawn, (list, tuple)) else ()
        whole = all(type(c) is int for c in listed)
        if not listed or not whole or sorted(listed) != list(range(len(listed))):
            raise ParameterError(
                f"bracket: expected each class position 0, …, k − 1 once, got {shown(self.bracket)}"
            )
        object.__setattr__(self, "bracket", listed)

    def check_classes(self, k: int) -> None:
        """`ParameterError` unless the bracket is one of k classes."""
        if len(self.bracket) != k:
            raise ParameterError(
                f"bracket: expected {k} positions, one a class, got {len(self.bracket)}"
            )

    def __call__(self, w: Duels, among: Sequence[int]) -> tuple[int, ...]:
        self.check_classes(len(w))
        # The matches of one round lie in separate parts of the bracket, so that a tie in one says
        # nothing of a tie in another: it is enough to keep the set of possible winners of each.
        winners = [{c} for c in self.bracket if c in among]
        while len(winners) > 1:
            byes = winners[len(winners) // 2 * 2 :]
            winners = [_match(w, a, b) for a, b in zip(winners[::2], winners[1::2])] + byes
        return tuple(sorted(winners[0]))


def _match(w: Duels, a: set[int], b: set[int]) -> set[int]:
    """Who can win a match in which any one of a may meet any one of b."""
    left = {i for i in a if any(sign(w[i][j]) >= 0 for j in b)}
    return left | {j for j in b if any(sign(w[j][i]) >= 0 for i in a)}


DECISIONS: dict[str, Decide] = {f.__name__: f for f in (by_votes, by_score_sum, by_votes_then_sums)}


@dataclass(frozen=True)
class OneVsOne(Reduction):
    """A trained one-vs-one classifier; see `fit_one_vs_one`.

    `models`: for each of the `pairs` its binary model, positive for the first of the pair, or None
    where it was skipped.
    """

    decide: Decide

    @property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs i < j of class positions, in the order of `models`."""
        return tuple(combinations(range(len(self.classes)), 2))

    @property
    def skipped(self) -> tuple[tuple[Label, Label], ...]:
        """The pairs of labels that were skipped, as one of the two has no rows."""
        return tuple(
            (self.classes[i], self.classes[j])
            for (i, j), model in zip(self.pairs, self.models)
            if model is None
        )

    def duels(self, x: Row) -> tuple[tuple[Any, ...], ...]:
        """w: the score of each class over each other, 0 for skipped pairs."""
        return self._duels(self._read(x))

    def _duels(self, x: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
        return _antisymmetric(ask(self.models, x, self.zero), len(self.classes), self.zero)

    def votes(self, x: Row) -> tuple[Fraction, ...]:
        """The duels that each class wins against the others that have rows."""
        return votes(self.duels(x), self.present)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """The score sums, whatever way to `decide` the model has; −∞ for a class without rows."""
        return self._with_absent(score_sums(self.duels(x), self.present))

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        return self.decide(self._duels(x), self.present)

    def to_json(self) -> str:
        """The model with its binary models as readable JSON; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`, or `decide` is a function of the
        caller's.
        """
        decide = (
            self.decide.bracket
            if isinstance(self.decide, Tournament)
            else saved_choice(self.decide, DECISIONS, "decide")
        )
        return saved_reduction(self, KIND, VERSION, {"decide": decide})


def fit_one_vs_one(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    *,
    weights: Row | None = None,
    classes: Labels | None = None,
    decide: Decide = by_votes,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> OneVsOne:
    """Train one binary classifier for each pair of classes, on their rows alone.

    X: m rows of d numbers; y: m labels, `classes` fixes their order. For the pair i < j rows of i
    are +1, those of j −1. `binary(rows, signs)` gives a model that has `decision(x)`, or a function
    of x. `weights`: a number ≥ 0 for each row, given to `binary` as weights=; a row of weight 0
    counts as absent. `decide`: `by_votes`, `by_score_sum`, `by_votes_then_sums`, a `Tournament`, or
    another function from the duels and the classes that take part to the best ones. `executor`: one
    of `concurrent.futures` or like it, to train side by side. `on_step` receives a `BinaryStep` for
    each pair; its model is None for a pair that is skipped.

    Ties: all best classes, one of them by `tie`. Raises `DataError`, `ParameterError` and what
    `binary` raises, with a note naming the problem. Cost: k(k − 1)/2 trainings, a row in k − 1; a
    prediction asks all models, where `fit_label_tree` and `fit_error_correcting_tournament` ask
    about log2 k of them.
    [keshet §1.2], [karagiannis, Note 13], [chang, "One-v.s-One learning algorithm"],
    [chang, "One-v.s.-one Assumption"], [chang, "Comparisons"]

    >>> from refmc import fit_hard_svm
    >>> X = [[Fraction(0)], [Fraction(2)], [Fraction(4)]]
    >>> model = fit_one_vs_one(X, ["a", "b", "c"], fit_hard_svm)
    >>> model.predict_set([Fraction(1)]), model.predict_set([Fraction(3, 2)])
    (('a', 'b'), ('b',))
    """
    check_function(decide, "decide", "a function of the duels, such as by_votes")

    def code(k: int) -> Iterator[list[int]]:
        if isinstance(decide, Tournament):
            decide.check_classes(k)
        return ([(r == i) - (r == j) for r in range(k)] for i, j in combinations(range(k), 2))

    trained = train_by_code(X, y, binary, code, weights, classes, tie, executor, on_step)
    return OneVsOne(**vars(trained), decide=decide)


def one_vs_one_from_record(record: Record, tie: TiePolicy, load: LoadBinary) -> OneVsOne:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["decide", *SHARED])
    k = len(saved.classes)
    trained = loaded_reduction(saved, k * (k - 1) // 2, tie, load)
    value = record["decide"]
    if not isinstance(value, list):
        return OneVsOne(**vars(trained), decide=saved.choice("decide", DECISIONS))
    decide: Tournament = at("model.decide", lambda: Tournament(tuple(value)))
    at("model.decide", lambda: decide.check_classes(k))
    return OneVsOne(**vars(trained), decide=decide)
