"""Error-correcting tournaments: matches of two classes, each decided by a binary classifier.

Covers the first method named in [chang, "Still an ongoing research direction"]: A. Beygelzimer,
J. Langford, P. Ravikumar, Error-Correcting Tournaments, 2009 (arXiv 0902.3176), the filter tree
(m = 1) and the tournaments of m eliminations, with their final elimination phase.

A match is trained on the rows whose own class arrives at it, +1 for its left side and −1 for its
right: a row of another class says nothing about the two. Whether the class arrives is what the
matches before have answered for this very row, so that a match learns from the rows that the
earlier ones got right. In the first phase, the loser of a match goes on from the t-th of m
single-elimination tournaments to the next, and is out after m lost matches. In the final phase the
m winners meet. There a row counts as many times as winners of the first phase are united on its
side: an error nearer the end costs more.

Differs from the paper:
- it leaves the pairing open: here the classes that have rows meet in their order, round by round,
  the first with the second, and the last of an odd number waits; the winner of a tournament enters
  the next as well, so that every class plays in all m;
- importance weights are copies of a row, each with the row's own weight if it has one, so that any
  binary learner will do;
- a match whose rows are all of one side is not trained: that side wins it;
- a score of 0 can end a match either way: in training the row goes on as winner and as loser, and
  what is predicted is the set of all classes that can win.

Legend: k classes; m eliminations; a match is positive for its left side; its charges c are how
often the rows of its left and of its right side count.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.core.records import Record
from refmc.core.sample import Labels, Matrix, Row
from refmc.core.saving import read_saved
from refmc.core.scalars import sign, whole_number
from refmc.core.ties import TiePolicy, first
from refmc.learn.reductions.members import (
    ABSENT,
    BinaryLearner,
    BinaryStep,
    Reduction,
    read_weighted,
)
from refmc.learn.reductions.papers.nodes import Nodes, Training, loaded_sides
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "error-correcting-tournament"
VERSION = 1


class Entrant(NamedTuple):
    """Who comes to a match: the winner (`wins` is True) or the loser (False) of match number `of`.

    Where `wins` is None, it is the class at the position `of`.
    """

    of: int
    wins: bool | None = None


class Match(NamedTuple):
    """Two entrants, and for how many winners of the first phase each of them stands."""

    left: Entrant
    right: Entrant
    charges: tuple[int, int] = (1, 1)

    def of_winner(self, score: Any) -> tuple[tuple[Entrant, Any], tuple[Entrant, Any]]:
        """Each entrant with the score by which it wins."""
        return (self.left, score), (self.right, -score)


def bracket(places: Sequence[int], m: int) -> list[list[Match]]:
    """The rounds of the tournament among the classes at these positions.

    The matches are numbered through all rounds; those of one round need only those of rounds
    before. There are m(k − 1) in the first phase and m − 1 in the final; none for a single class.

    >>> [len(matches) for matches in bracket(range(4), 1)]
    [2, 1]
    """
    if len(places) == 1:
        return []
    rounds: list[list[Match]] = []
    # For each of the m tournaments of the first phase, who waits for a match in it.
    waiting = [[Entrant(c) for c in places], *([] for _ in range(m - 1))]
    winners: list[Entrant] = []
    count = 0
    while len(winners) < m:
        coming: list[list[Entrant]] = [[] for _ in range(m + 1)]  # those in the last are out
        rounds.append([])
        for t, queue in enumerate(waiting):
            for left, right in zip(queue[::2], queue[1::2]):
                rounds[-1].append(Match(left, right))
                coming[t].append(Entrant(count, True))
                coming[t + 1].append(Entrant(count, False))
                count += 1
            coming[t].extend(queue[len(queue) // 2 * 2 :])
        waiting = coming[:m]
        t = len(winners)
        if len(waiting[t]) == 1:
            # All others have lost in tournament t and gone on to the next one. Its winner follows.
            (winner,) = waiting[t]
            winners.append(winner)
            waiting[t] = []
            if t + 1 < m:
                waiting[t + 1].append(winner)
    return rounds + _final_phase(winners, count)


def _final_phase(winners: Sequence[Entrant], count: int) -> list[list[Match]]:
    """The rounds in which the m winners meet; `count` is the number of the first match."""
    rounds = []
    queue = [(winner, 1) for winner in winners]
    while len(queue) > 1:
        pairs = list(zip(queue[::2], queue[1::2]))
        rounds.append([Match(left, right, (c, d)) for (left, c), (right, d) in pairs])
        rest = queue[len(pairs) * 2 :]
        queue = [
            (Entrant(n, True), c + d) for n, ((_, c), (_, d)) in enumerate(pairs, count)
        ] + rest
        count += len(pairs)
    return rounds


@dataclass(frozen=True)
class ErrorCorrectingTournament(Reduction):
    """A trained tournament; see `fit_error_correcting_tournament`.

    `models`: for each of the `matches` its binary model, positive for the left side, or None where
    none was trained. `sides`: +1 or −1 for a match that its left or right side always wins, else 0.
    `m`: the eliminations. The winner of the last match is predicted.
    """

    sides: tuple[int, ...]
    m: int
    matches: tuple[Match, ...]

    def scores(self, x: Row) -> tuple[Any, ...]:
        """For each class the value of its best path through the tournament.

        A path leads from the class through matches that it wins or loses to a victory in the last
        match. Its value is the least score of these matches, where a score is positive for the
        outcome that the path takes. A class that can win has a value of at least 0, and of exactly
        0 where several can; all others have less than 0. A match that one side always wins has the
        score ±1. A class without rows has −∞, and the only class that has rows has 0. All matches
        are asked.
        """
        return self._scores(self._read(x))

    def _scores(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.models:
            return self._with_absent([self.zero] * len(self.classes))
        nodes = Nodes(self.models, self.sides)
        last = len(self.models) - 1
        # From the last match back: for each entrant the value of its best path from there on. The
        # loser of the last match has none.
        best: dict[Entrant, Any] = {}
        for n, match in reversed(list(enumerate(self.matches))):
            for entrant, score in match.of_winner(nodes.score(n, x, self.zero)):
                ways = [score] if n == last else []
                for wins, needed in ((True, score), (False, -score)):
                    if Entrant(n, wins) in best:
                        ways.append(min(needed, best[Entrant(n, wins)]))
                if ways:
                    best[entrant] = max([*ways, best.get(entrant, ways[0])])
        return tuple(best.get(Entrant(c), ABSENT) for c in range(len(self.classes)))

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        """The classes that can win, found from the last match back: only matches that matter are
        asked.
        """
        if not self.matches:
            return self.present
        nodes = Nodes(self.models, self.sides)
        end = Entrant(len(self.matches) - 1, True)
        found, waiting = {end}, [end]  # who can be the winner in the end
        while waiting:
            n, wins = waiting.pop()
            if wins is None:
                continue
            ahead = sign(nodes.score(n, x, self.zero)) * (1 if wins else -1)
            for entrant, score in self.matches[n].of_winner(ahead):
                if score >= 0 and entrant not in found:
                    found.add(entrant)
                    waiting.append(entrant)
        return tuple(sorted(entrant.of for entrant in found if entrant.wins is None))

    def to_json(self) -> str:
        """The model as readable JSON, its binary models within; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`.
        """
        return saved_reduction(self, KIND, VERSION, {"m": self.m, "sides": self.sides})


def fit_error_correcting_tournament(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    *,
    m: int = 1,
    weights: Row | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> ErrorCorrectingTournament:
    """Train the matches of a tournament of m eliminations, round by round.

    X: n rows of d numbers; y: n labels; `classes` fixes their order, in which the classes meet.
    `binary(rows, signs)` gives a model that has `decision(x)`, or a function of x. `m`: how often a
    class may lose; 1 is the filter tree. `weights`: a number ≥ 0 for each row, given to `binary` as
    weights=; a row of weight 0 counts as absent. `executor`: one of `concurrent.futures` or like
    it, to train the matches of a round side by side. `on_step` receives a `BinaryStep` for each
    match: the labels and rows that arrived at it; its model is None where all are of one side.

    Ties: all classes that can win, one of them by `tie`. Raises `DataError`, `ParameterError` and
    what `binary` raises, with a note naming the match. Cost: mk − 1 trainings; to predict, the
    matches on one path back from the last, ⌈log2 k⌉ of them for m = 1. The multi-class regret is at
    most 2/m times the regret of all binary answers together, each weighted by its charge; for m = 1
    it is at most the binary regret itself.
    [chang, "Still an ongoing research direction"]

    >>> from fractions import Fraction
    >>> from refmc import fit_hard_svm
    >>> X = [[Fraction(0)], [Fraction(2)], [Fraction(4)]]
    >>> model = fit_error_correcting_tournament(X, ["a", "b", "c"], fit_hard_svm)
    >>> model.scores([Fraction(1)]), model.predict_set([Fraction(1)])
    ((Fraction(0, 1), Fraction(0, 1), Fraction(-2, 1)), ('a', 'b'))
    """
    m = whole_number(m, "m", 1)
    training = Training(read_weighted(X, y, classes, weights), binary, tie, executor, on_step)
    present, own = training.present, training.sample.y
    # For each entrant the rows whose own class can be it, as the matches so far have answered.
    rows = {Entrant(c): {i for i, c_i in enumerate(own) if c_i == c} for c in present}
    nodes = Nodes()
    rounds = bracket(present, m)
    for matches in rounds:
        done = len(nodes.models)
        columns = [_column(match, rows, len(own)) for match in matches]
        nodes = nodes.joined(training.nodes(columns))
        for n, match in enumerate(matches, done):
            _play(n, match, rows, nodes, training.sample)
    trained, played = training.trained(nodes.models), tuple(chain(*rounds))
    return ErrorCorrectingTournament(**vars(trained), sides=nodes.sides, m=m, matches=played)


def _column(match: Match, rows: Mapping[Entrant, set[int]], n: int) -> list[int]:
    """For each of the n rows the signed charge of the side at which its own class arrives.

    It is 0 if the class doesn't arrive, or if ties let it arrive at both sides: such a row doesn't
    tell which side should win.
    """
    left, right = rows[match.left], rows[match.right]
    c, d = match.charges
    return [0 if i in left and i in right else c * (i in left) - d * (i in right) for i in range(n)]


def _play(n: int, match: Match, rows: dict[Entrant, set[int]], nodes: Nodes, sample: Any) -> None:
    """Let the own classes of the rows go on as winner or loser of match n, as it answers."""
    winners, losers = set(), set()
    for i in rows[match.left] | rows[match.right]:
        score = nodes.score(n, sample.rows[i], sample.zero)
        for entrant, ahead in match.of_winner(sign(score)):
            if i in rows[entrant] and ahead >= 0:
                winners.add(i)
            if i in rows[entrant] and ahead <= 0:
                losers.add(i)
    rows[Entrant(n, True)], rows[Entrant(n, False)] = winners, losers


def tournament_from_record(
    record: Record, tie: TiePolicy, load: LoadBinary
) -> ErrorCorrectingTournament:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["m", "sides", *SHARED])
    m = saved.whole("m", 1)
    k = len(saved.entries("present"))
    trained = loaded_reduction(saved, m * k - 1 if k > 1 else 0, tie, load)
    sides = loaded_sides(saved.entries("sides"), trained.models)
    matches = tuple(chain(*bracket(trained.present, m)))
    return ErrorCorrectingTournament(**vars(trained), sides=sides, m=m, matches=matches)
