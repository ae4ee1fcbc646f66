"""From scores to labels, as all linear models do it.

Public methods validate a row once; those with an underscore take it validated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic

from refmc.core.sample import Label, Matrix, Row, read_row, read_rows_as
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, argmax_set


class ByScores(Generic[S]):
    """Labels from the scores of a model's classes: the largest wins."""

    classes: tuple[Label, ...]
    zero: S
    tie: TiePolicy

    def _scores(self, x: Sequence[S]) -> tuple[S, ...]:
        """The score of each class for a validated row."""
        raise NotImplementedError

    def scores(self, x: Row) -> tuple[S, ...]:
        """One number for each class, in the order of `classes`; the largest wins."""
        return self._scores(read_row(x, self.zero, "x"))

    def predict_set(self, x: Row) -> tuple[Label, ...]:
        """All labels of the largest score. [lecture5 (3)]"""
        scores = self._scores(read_row(x, self.zero, "x"))
        return tuple(self.classes[r] for r in argmax_set(scores))

    def predict(self, X: Matrix) -> list[Label]:
        """One label for each row; ties by the policy the model was made with."""
        rows = read_rows_as(X, self.zero)
        return [self.classes[self.tie(argmax_set(self._scores(x)))] for x in rows]


class ByDecision(ByScores[S]):
    """Labels of a model of two classes: the sign of one number decides, and 0 is a tie.

    The scores are −s/2 and s/2 with s = `decision(x)`, so that their margin is y·s.
    """

    def _decision(self, x: Sequence[S]) -> S:
        """The number for a validated row."""
        raise NotImplementedError

    def decision(self, x: Row) -> S:
        """A number that is positive for the second class, negative for the first."""
        return self._decision(read_row(x, self.zero, "x"))

    def _scores(self, x: Sequence[S]) -> tuple[S, S]:
        s = self._decision(x)
        return (-s / 2, s / 2)
