"""Error-correcting tournaments: matches of two classes, each decided by a binary classifier.

Covers the first method named in [chang, "Still an ongoing research direction"]: A. Beygelzimer,
J. Langford, P. Ravikumar, Error-Correcting Tournaments, 2009 (arXiv 0902.3176), the filter tree
(m = 1) and the tournaments of m eliminations, with their final elimination phase.

A match is trained on the rows whose own class arrives at it, +1 for its left side and −1 for its
right: a row of another class says nothing about the two. Whether it arrives is what the matches
before it have answered for that very row, so the training filters its own errors. In the first
phase, the loser of a match goes from the t-th of m single-elimination tournaments to the next, and
after m lost matches is out. In the final phase the m winners meet, and a row counts as often as its
side has winners of the first phase beneath: the nearer the end, the dearer an error.

Differs from the paper:
- a pairing is left open there: here the classes that have rows meet in their order, round by round,
  the first with the second, the last of an odd number waiting; the winner of a tournament enters
  the next as well, so that every class plays in all m;
- importance weights are copies of a row, each with the row's own weight if it has one, so that
  binary learners that take rows alone will do;
- a match whose rows are all of one side is won by that side without training;
- a score of 0 can end a match either way: in training the row goes on as winner and as loser, and
  what is predicted is the set of all classes that can win.

Legend: k classes; m eliminations; a match is positive for its left side; c its charges.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from refmc.core.records import Record
from refmc.core.sample import Labels, Matrix, Row
from refmc.core.saving import read_saved
from refmc.core.scalars import sign, whole_number
from refmc.core.ties import TiePolicy, first
from refmc.learn.reductions.members import ABSENT, BinaryLearner, BinaryStep, Reduction, read_item
from refmc.learn.reductions.papers.nodes import Nodes, Training, loaded_sides, reachable
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

KIND = "error-correcting-tournament"
VERSION = 1


class Entrant(NamedTuple):
    """Who comes to a match: winner or loser of match `of`; if `wins` is None, the class `of`."""

    of: int
    wins: bool | None = None


class Match(NamedTuple):
    """Two entrants, and their charges c: how many winners of the first phase each stands for."""

    left: Entrant
    right: Entrant
    charges: tuple[int, int] = (1, 1)

    def of_winner(self, score: Any) -> tuple[tuple[Entrant, Any], tuple[Entrant, Any]]:
        """Each entrant with the score by which it wins."""
        return (self.left, score), (self.right, -score)


def bracket(places: Sequence[int], m: int) -> list[list[Match]]:
    """The rounds of the tournament among the classes at these positions.

    Matches are numbered through; those of one round need only those of rounds before. m(k − 1)
    matches in the first phase and m − 1 in the final; none for one class.

    >>> [len(matches) for matches in bracket(range(4), 1)]
    [2, 1]
    """
    if len(places) == 1:
        return []
    rounds: list[list[Match]] = []
    waiting = [[Entrant(c) for c in places], *([] for _ in range(m - 1))]
    winners: list[Entrant] = []
    count = 0
    while len(winners) < m:
        coming: list[list[Entrant]] = [[] for _ in range(m + 1)]  # the last: those who are out
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
            # who has won a tournament has not lost there, and plays on in the next one
            (winner,) = waiting[t]
            winners.append(winner)
            waiting[t] = []
            if t + 1 < m:
                waiting[t + 1].append(winner)
    return rounds + _final_phase(winners, count)


def _final_phase(winners: Sequence[Entrant], count: int) -> list[list[Match]]:
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
    it was not trained; `sides`: +1 or −1 for a match that its left or right side wins without
    training, else 0. `m`: the eliminations. The last match decides.
    """

    sides: tuple[int, ...]
    m: int
    matches: tuple[Match, ...]

    def scores(self, x: Row) -> tuple[Any, ...]:
        """By how much each class wins its narrowest match, on its best way through the tournament.

        A way leads from the class to the last match, each match won or lost as the way goes on; its
        value is the least of the scores for going on so. The classes that can win have 0 or more,
        where they are several 0, and all others less. Settled matches count ±1. −∞ for a class
        without rows, 0 for the only one. All matches are asked.
        """
        return self._scores(read_item(x, self.width, self.zero))

    def _scores(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        if not self.models:
            return tuple(
                self.zero if c in self.present else ABSENT for c in range(len(self.classes))
            )
        nodes = Nodes(self.models, self.sides)
        last = len(self.models) - 1
        best: dict[Entrant, Any] = {}  # from here on; losing the last match leads nowhere
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
        """From the end to the classes, asking the matches on the way alone."""
        nodes = Nodes(self.models, self.sides)

        def before(entrant: Entrant) -> list[Entrant]:
            if entrant.wins is None:
                return []
            match = self.matches[entrant.of]
            ahead = sign(nodes.score(entrant.of, x, self.zero)) * (1 if entrant.wins else -1)
            return [one for one, s in match.of_winner(ahead) if s >= 0]

        last = len(self.matches) - 1
        end = Entrant(last, True) if self.matches else Entrant(self.present[0])
        return tuple(sorted(e.of for e in reachable(end, before) if e.wins is None))

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

    X: n rows of d numbers; y: n labels. `binary(rows, signs)` gives a model with `decision(x)`, or
    a function of x. `m`: how often a class may lose; 1 is the filter tree. `weights`: one number ≥
    0 a row, handed to `binary` as weights= with the rows; 0 counts as absent. `classes` fixes the
    order, in which the classes meet. `executor`: any of `concurrent.futures` or like it, for the
    matches of a round. `on_step` receives a `BinaryStep` a match: the labels and rows that arrived
    at it, and model None where they are all of one side.

    Ties: all classes that can win, one of them by `tie`. Raises `DataError`, `ParameterError` and
    what `binary` raises, with a note naming the match. Cost: mk − 1 trainings; to predict, the
    matches on one way back from the last, ⌈log2 k⌉ of them for m = 1. By how much another class is
    likelier than the one that wins is at most 2/m of what all answers together, weighted by the
    charges, lose against the best ones, and at most that loss itself for m = 1.
    [chang, "Still an ongoing research direction"]

    >>> from fractions import Fraction
    >>> from refmc import fit_hard_svm
    >>> X = [[Fraction(0)], [Fraction(2)], [Fraction(4)]]
    >>> model = fit_error_correcting_tournament(X, ["a", "b", "c"], fit_hard_svm)
    >>> model.scores([Fraction(1)]), model.predict_set([Fraction(1)])
    ((Fraction(0, 1), Fraction(0, 1), Fraction(-2, 1)), ('a', 'b'))
    """
    m = whole_number(m, "m", 1)
    training = Training.read(
        X, y, binary, weights=weights, classes=classes, tie=tie, executor=executor, on_step=on_step
    )
    present = training.present
    rows: dict[Entrant, set[int]] = {Entrant(c): set() for c in present}
    for i, own in enumerate(training.sample.y):
        rows[Entrant(own)].add(i)
    nodes = Nodes()
    rounds = bracket(present, m)
    for matches in rounds:
        done = len(nodes.models)
        columns = [_column(match, rows, len(training.sample.y)) for match in matches]
        nodes = nodes.joined(training.nodes(done, columns))
        for n, match in enumerate(matches, done):
            _play(n, match, rows, nodes, training.sample)
    return ErrorCorrectingTournament(
        *training.trained(nodes.models), nodes.sides, m, tuple(chain(*rounds))
    )


def _column(match: Match, rows: Mapping[Entrant, set[int]], n: int) -> list[int]:
    """The charge of the side at which a row's own class arrives, and its sign; 0 if at both."""
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
    return ErrorCorrectingTournament(*trained, sides, m, matches)
