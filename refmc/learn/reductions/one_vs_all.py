"""One-vs-all: k binary classifiers, each of one class against all others.

The plain programs are `refmc.lectures.keshet.one_against_all` and `refmc.lectures.karagiannis.ova`.
Beyond them: any binary learner, training side by side, and saving.

Covers [keshet §1.1], [karagiannis §2.1, 8–11], [chang, "One against all strategy"].

Differs from the lectures:
- arg max is a set: where several classes claim a row, or none does, all of the best are tied
  (the ambiguous regions of [karagiannis, Note 11]);
- a score of 0 says neither yes nor no: its sign is 0, between −1 and +1;
- two classes make one problem, not two that are mirror images: the scores are s and −s;
- a class without rows has nothing to learn from: its problem is skipped, its score is −∞ and it is
  never predicted; a single class has no problem at all.

Legend: k classes; h^[j] the sign, and w^j·x the score, of class j against the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refmc.core.callables import check_function
from refmc.core.records import Record
from refmc.core.sample import Label, Labels, Matrix, Row
from refmc.core.saving import read_saved, saved_choice
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.learn.reductions.members import (
    ABSENT,
    BinaryLearner,
    BinaryStep,
    Reduction,
    ask,
    read_item,
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
    """All classes of the highest score: the winner takes all.

    [keshet §1.1], [chang, "One-again-All Inference"]

    >>> by_score([-1, -1, -1]), by_score([2, 3, -1])
    ((0, 1, 2), (1,))
    """
    return argmax_set(scores)


def by_claim(scores: Sequence[Any]) -> tuple[int, ...]:
    """All classes whose classifier says yes; if none does, those of score 0, or else all.

    This is arg max_j h^[j](x), where h is the sign of the score alone. A row with several yes, or
    with no yes, lies in an ambiguous region, where several classes are tied.
    [karagiannis, Notes 9(3) and 11]

    >>> by_claim([2, 3, -1]), by_claim([-1, -5, -2])
    ((0, 1), (0, 1, 2))
    """
    return argmax_set([sign(score) for score in scores])


def by_score_among_claims(scores: Sequence[Any]) -> tuple[int, ...]:
    """Of the classes that are tied by their claims, those of the highest score.

    These are always the classes of the highest score of all, as a higher score never has a lower
    sign.
    [karagiannis, Note 10]

    >>> by_score_among_claims([2, 3, -1])
    (1,)
    """
    tied = by_claim(scores)
    return tuple(tied[t] for t in argmax_set([scores[j] for j in tied]))


DECISIONS = {f.__name__: f for f in (by_score, by_claim, by_score_among_claims)}


@dataclass(frozen=True)
class OneVsAll(Reduction):
    """A trained one-vs-all classifier; see `fit_one_vs_all`.

    `models`: for each class its binary model, or None where it was skipped; with two classes the
    one model of the first, with one class none.
    """

    decide: Decide

    @property
    def skipped(self) -> tuple[Label, ...]:
        """The labels of the classes without rows, whose problems were skipped."""
        return tuple(c for j, c in enumerate(self.classes) if j not in self.present)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """w^j·x for each class j; −∞ for a class without rows, 0 for a class that is alone."""
        return self._scores(read_item(x, self.width, self.zero))

    def _scores(self, x: tuple[Any, ...]) -> tuple[Any, ...]:
        found = ask(self.models, x, self.zero)
        if len(self.classes) == 1:
            found = [self.zero]
        elif len(self.classes) == 2:
            found.append(-found[0])
        return tuple(s if j in self.present else ABSENT for j, s in enumerate(found))

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        scores = self._scores(x)
        tied = self.decide([scores[j] for j in self.present])
        return tuple(self.present[t] for t in tied)

    def to_json(self) -> str:
        """The model as readable JSON, its binary models within; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`, or `decide` is not one of this
        module's.
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
    """Train one binary classifier a class: its rows are +1, all others −1.

    X: m rows of d numbers; y: m labels. `binary(rows, signs)` gives a model with `decision(x)`,
    or a function of x: `functools.partial(fit_binary_svm, C=1)`. `weights`: one number ≥ 0 a row,
    handed to `binary` as weights= with the rows; 0 counts as absent. `classes` fixes the order.
    `decide`: `by_score`, `by_claim`, `by_score_among_claims`, or a function from scores to tied
    positions. `executor`: any of `concurrent.futures` or like it, for the k trainings. `on_step`
    receives a `BinaryStep` a problem, with model None for a class without rows, which is skipped.

    Ties: all best classes, one of them by `tie`. Raises `DataError`, `ParameterError` and what
    `binary` raises, with a note naming the problem. Cost: k trainings on m rows.
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
    trained = train_by_code(X, y, binary, one_vs_all_code, weights, classes, tie, executor, on_step)
    return OneVsAll(**vars(trained), decide=decide)


def one_vs_all_from_record(record: Record, tie: TiePolicy, load: LoadBinary) -> OneVsAll:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["decide", *SHARED])
    decide, k = saved.choice("decide", DECISIONS), len(saved.classes)
    trained = loaded_reduction(saved, k if k > 2 else k - 1, tie, load)
    return OneVsAll(**vars(trained), decide=decide)
