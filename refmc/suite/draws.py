"""Choices that problems and answers are made of: drawn from a seed, or all of them in turn."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any


class Draws:
    """Choices that are drawn the same under every version of Python: by whole numbers only."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, n: int) -> int:
        """One of 0, …, n − 1."""
        return self._random.randrange(n)

    def one_of(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return values[self.below(len(values))]

    def rows(self, m: int, d: int, values: Sequence[Any]) -> list[list[Any]]:
        """m rows of d values."""
        return [[self.one_of(values) for _ in range(d)] for _ in range(m)]


class EveryChoice(Draws):
    """Makes the first choice everywhere; after each `next`, the next combination of choices."""

    def __init__(self) -> None:
        self._made: list[list[int]] = []  # what was chosen, and of how many
        self._at = 0

    def below(self, n: int) -> int:
        if self._at == len(self._made):
            self._made.append([0, n])
        self._at += 1
        return self._made[self._at - 1][0]

    def next(self) -> bool:
        """Go on to the next choices; false where all have been made."""
        self._at = 0
        while self._made and self._made[-1][0] + 1 == self._made[-1][1]:
            self._made.pop()
        if self._made:
            self._made[-1][0] += 1
        return bool(self._made)
