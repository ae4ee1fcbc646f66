"""One-vs-all: for each of k classes a binary classifier that tells it from all the others.

The plain programs are `refmc.lectures.keshet.one_against_all` and `refmc.lectures.karagiannis.ova`.
Beyond them: any binary learner, training side by side, and saving.

Covers [keshet §1.1], [karagiannis §2.1, 8–11], [chang, "One against all strategy"].

Differs from the lectures:
- the prediction is a set. Where several classifiers say yes, or none does, a row lies in an
  ambiguous region of [karagiannis, Note 11], and all of the best classes are tied;
- a score of 0 is neither yes nor no: its sign is 0, between −1 and +1;
- of two classes only the first has a classifier, of score s; the score of the second is −s;
- a class that has no rows can't be learnt: no classifier is trained for it, its score is −∞, and it
  is never predicted. A single class needs no classifier.

Legend: k classes; w^j·x the score of class j against the rest, and h^[j] its sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refmc.core.parameters import check_function
from refmc.core.records import Record
from refmc.core.sample import Label, Labels, Matrix, Row
from refmc.core.saving import read_saved, saved_choice
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.learn.reductions.members import (
    BinaryLearner,
    BinaryStep,
    Reduction,
    Signs,
    ask,
    best_among,
    train_by_code,
)
from refmc.learn.reductions.output_codes import one_vs_all_code
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "one-vs-all"
VERSION = 1

Decide = Callable[[Sequence[Any]], tuple[int, ...]]
"""From the scores of the classes to the positions of all best ones."""


def by_score(scores: Sequence[Any]) -> tuple[int, ...]:
    """All classes of the highest score.

    [keshet §1.1], [chang, "One-again-All Inference"]

    >>> by_score([-1, -1, -1]), by_score([2, 3, -1])
    ((0, 1, 2), (1,))
    """
    return argmax_set(scores)


def by_claim(scores: Sequence[Any]) -> tuple[int, ...]:
    """All classes whose classifier says yes; if none does, those of score 0; else all classes.

    This is arg max_j h^[j](x), in which a score counts by its sign alone.
    [karagiannis, Notes 9(3) and 11]

    >>> by_claim([2, 3, -1]), by_claim([-1, -5, -2])
    ((0, 1), (0, 1, 2))
    """
    return argmax_set([sign(score) for score in scores])


def by_score_among_claims(scores: Sequence[Any]) -> tuple[int, ...]:
    """Of the classes that `by_claim` leaves tied, those of the highest score.

    They are the classes that `by_score` gives, since a higher score never has a lower sign.
    [karagiannis, Note 10]

    >>> by_score_among_claims([2, 3, -1])
    (1,)
    """
    return best_among(scores, by_claim(scores))


DECISIONS = {f.__name__: f for f in (by_score, by_claim, by_score_among_claims)}


@dataclass(frozen=True)
class OneVsAll(Reduction):
    """A trained one-vs-all classifier; see `fit_one_vs_all`.

    `models`: the binary model of each class, None for a class without rows. Of two classes only
    the first has one; a single class has none.
    """

    decide: Decide

    @property
    def skipped(self) -> tuple[Label, ...]:
        """The labels of the classes without rows, for which nothing was trained."""
        return tuple(c for j, c in enumerate(self.classes) if j not in self.present)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """w^j·x for each class j, −∞ for a class without rows; a single class has the score 0."""
        return self._scores(self._read(x))

    def _scores(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        found = ask(self.models, x, self.zero)
        if len(self.classes) == 1:
            found = [self.zero]
        elif len(self.classes) == 2:
            found.append(-found[0])
        return self._with_absent(found)

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        scores = self._scores(x)
        tied = self.decide([scores[j] for j in self.present])
        return tuple(self.present[t] for t in tied)

    def to_json(self) -> str:
        """The model with its binary models as readable JSON; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`, or `decide` is a function of the
        caller's.
        """
        decide = saved_choice(self.decide, DECISIONS, "decide")
        return saved_reduction(self, KIND, VERSION, {"decide": decide})


def fit_one_vs_all(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    *,
    weights: Row | None = None,
    classes: Labels | None = None,
    decide: Decide = by_score,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> OneVsAll:
    """Train a binary classifier for each class, whose rows are +1, and all others −1.

    X: m rows of d numbers; y: m labels, `classes` fixes their order. `binary`: a learner such as
    `functools.partial(fit_binary_svm, C=1)`; called with rows and signs, it gives a model that has
    `decision(x)`, or a function of x. `weights`: a number ≥ 0 for each row, given to `binary` as
    weights=; a row of weight 0 counts as absent. `decide`: `by_score`, `by_claim`,
    `by_score_among_claims`, or another function from the scores to the positions of the best.
    `executor`: one of `concurrent.futures` or like it, to train side by side. `on_step` receives a
    `BinaryStep` for each class; its model is None for a class without rows.

    Ties: all best classes, one of them by `tie`. Raises `DataError`, `ParameterError` and what
    `binary` raises, with a note that names the problem. Cost: k trainings on m rows.
    [keshet §1.1], [karagiannis, Note 9], [chang, "One-again-All learning algorithm"],
    [chang, "One-again-All analysis"]

    >>> from fractions import Fraction
    >>> from functools import partial
    >>> from refmc import fit_binary_svm
    >>> X = [[Fraction(a), Fraction(b)] for a, b in [(1, 0), (0, 1), (-1, -1)]]
    >>> model = fit_one_vs_all(X, ["a", "b", "c"], partial(fit_binary_svm, C=1))
    >>> model.scores([Fraction(2), Fraction(0)])[0], model.predict(X)
    (Fraction(2, 1), ['a', 'b', 'c'])
    """
    check_function(decide, "decide", "a function of the scores, such as by_score")

    def code(k: int) -> Iterator[Signs]:
        return zip(*one_vs_all_code(k))

    trained = train_by_code(X, y, binary, code, weights, classes, tie, executor, on_step)
    return OneVsAll(**vars(trained), decide=decide)


def one_vs_all_from_record(record: Record, tie: TiePolicy, load: LoadBinary) -> OneVsAll:
    """The model that `to_json` wrote; `load` makes a binary model of its record."""
    saved = read_saved(record, KIND, VERSION, ["decide", *SHARED])
    decide, k = saved.choice("decide", DECISIONS), len(saved.classes)
    trained = loaded_reduction(saved, k if k > 2 else k - 1, tie, load)
    return OneVsAll(**vars(trained), decide=decide)
