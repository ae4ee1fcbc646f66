"""A problem that becomes a vector, and the draws that some come from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

from refmc.core.records import Record
from refmc.core.scalars import number_text

Problem = dict[str, Any]


@dataclass(frozen=True)
class Draft:
    """A problem with its name in the family, and why it is there.

    `stated`: of which rows and which kernel a Gram matrix is, where that has no exact values.
    `withdrawn`: why nobody should use it any more, for it is never removed.
    """

    name: str
    problem: Problem
    why: str
    flags: tuple[str, ...] = ()
    stated: Record | None = None
    withdrawn: str = ""

    @property
    def id(self) -> str:
        """The name that is never used again."""
        return f"{self.problem['family']}/{self.name}"


class Draws:
    """Numbers that are drawn the same under every version of Python: by whole numbers only."""

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

    def labels(self, m: int, values: Sequence[Any]) -> list[Any]:
        """m labels, the first of which is the first value and, if there is one, the second another."""
        return [values[0], *(self.one_of(values) for _ in range(m - 2)), values[1]][:m]


def drawn(
    family: str,
    draw: Callable[[Draws], Problem],
    seeds: Iterable[int],
    flags: tuple[str, ...] = ("drawn",),
) -> list[Draft]:
    """The problems of some seeds, of those that were found to tell mistakes from the truth."""
    return [
        Draft(
            f"drawn-{seed:03d}",
            {"family": family, **draw(Draws(f"{family}/{seed}"))},
            "Drawn, and kept since it tells more mistakes from the truth than its neighbours.",
            flags,
        )
        for seed in seeds
    ]


def texts(rows: Iterable[Iterable[Any]], factor: Fraction | int = 1) -> list[list[str]]:
    """Rows of numbers as texts, multiplied by a factor."""
    return [[number_text(Fraction(v) * factor) for v in row] for row in rows]
