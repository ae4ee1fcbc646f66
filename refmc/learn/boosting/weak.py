"""Weak learners that the caller brings: how they answer, and how a binary one learns label sets.

[lu, "AdaBoost.MH : Multi-Class Hamming Loss"]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from refmc.core.cells import Categories
from refmc.core.sample import Label
from refmc.core.scalars import plain, shown
from refmc.errors import ParameterError
from refmc.learn.boosting.stumps import Stump

Weak = Callable[..., Any]
"""weak(X, y, weights=D) → a base classifier; its predict(X) gives ±1 for each row, or k of them."""

Answers = Sequence[tuple[int, ...]]
"""For each row the k signs of a base classifier."""


def base_answers(
    base: Any, rows: Sequence[Sequence[Any]], k: int | None, place: str, categories: Categories = ()
) -> Answers:
    """For each row the k signs of the base classifier; for k = None one sign, not in a list.

    `categories`: as for `Stump.answer`. Raises `ParameterError` for another number of rows, and for
    what is neither −1 nor +1.
    """
    if isinstance(base, Stump):
        return [base.answer(x, categories) for x in rows]
    given: Any = plain(base.predict(rows))
    if not isinstance(given, Sequence) or isinstance(given, (str, bytes)):
        raise ParameterError(f"{place}: expected a list from predict, got {type(given).__name__}")
    if len(given) != len(rows):
        raise ParameterError(f"{place}: expected {len(rows)} answers, one a row, got {len(given)}")
    return [_signs(plain(one), k, f"{place}: row {i}") for i, one in enumerate(given)]


def _signs(answer: Any, k: int | None, place: str) -> tuple[int, ...]:
    if k is None:
        answer = [answer]
    if not isinstance(answer, (list, tuple)) or len(answer) != (k or 1):
        raise ParameterError(f"{place}: expected {k} signs, one a label, got {shown(answer)}")
    signs = [plain(v) for v in answer]
    if any(isinstance(v, str) or v not in (-1, 1) for v in signs):
        raise ParameterError(f"{place}: expected -1 or 1, got {shown(answer)}")
    return tuple(1 if v == 1 else -1 for v in signs)


@dataclass(frozen=True)
class ItemClassifier:
    """h(x, l) = base(x, l), where the position l of the label is one more category behind x."""

    base: Any
    k: int

    def predict(self, X: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """k signs for each row."""
        signs = list(self.base.predict(_items(X, self.k)))
        return [tuple(signs[i : i + self.k]) for i in range(0, len(signs), self.k)]


def on_items(weak: Weak) -> Weak:
    """A weak learner of k labels, made of a binary one that is trained on the m·k items (x_i, l).

    Each item is the row with one more cell, the label's position as a category: "label 0", … A
    stump, which asks of x or of l but not of both, rarely has an edge there; trees do.
    [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]

    >>> from refmc import fit_adaboost_mh, fit_stump, grow_tree
    >>> X, y = [[0], [1], [2]], ["a", "b", "a"]
    >>> fit_adaboost_mh(X, y, rounds=9, weak=on_items(grow_tree)).stopped
    'round 1: the base classifier errs nowhere and is kept alone'
    >>> fit_adaboost_mh([[0], [1]], ["a", "b"], rounds=9, weak=on_items(fit_stump)).stopped
    'round 1: no base classifier errs on less than 1/2 of the weight'
    """

    def fit(
        X: Sequence[Sequence[Any]], Y: Sequence[Sequence[int]], *, weights: Sequence[Sequence[Any]]
    ) -> ItemClassifier:
        k = len(Y[0])
        y: list[Label] = [sign for row in Y for sign in row]
        D = [d for row in weights for d in row]
        return ItemClassifier(weak(_items(X, k), y, weights=D), k)

    return fit


def _items(X: Sequence[Sequence[Any]], k: int) -> list[tuple[Any, ...]]:
    return [(*x, f"label {l}") for x in X for l in range(k)]
