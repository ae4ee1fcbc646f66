"""Fresh problems of every family: drawn from a seed, or all the tiny ones.

For each family one function says what its problems are made of, and asks for each choice. `Draws`
chooses at random; `EveryChoice` goes through all combinations of choices, one after another.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from refmc.core.records import Record
from refmc.errors import ParameterError, RefmcError
from refmc.oracle.axes import PAIRS
from refmc.oracle.declaring import shuffled
from refmc.oracle.families import FAMILIES, declared, family_of
from refmc.oracle.fields import Declared, Field, Sizes
from refmc.suite.settings import field_of, lacking

Problem = dict[str, Any]


class Draws:
    """Random choices. They are made by whole numbers alone, so that every Python draws the same."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)

    def below(self, n: int) -> int:
        """One of 0, …, n − 1."""
        return self._random.randrange(n)

    def one_of(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return values[self.below(len(values))]

    def row(self, d: int, values: Sequence[Any]) -> list[Any]:
        """d of the values, any of them repeatedly."""
        return [self.one_of(values) for _ in range(d)]

    def rows(self, m: int, d: int, values: Sequence[Any]) -> list[list[Any]]:
        """m rows of d values."""
        return [self.row(d, values) for _ in range(m)]


class EveryChoice(Draws):
    """Takes the first choice everywhere; after each `next`, the next combination of choices."""

    def __init__(self) -> None:
        self._made: list[list[int]] = []  # each choice, and how many there were to choose from
        self._at = 0

    def below(self, n: int) -> int:
        if self._at == len(self._made):
            self._made.append([0, n])
        self._at += 1
        return self._made[self._at - 1][0]

    def next(self) -> bool:
        """Go on to the next combination of choices; false where there is no further one."""
        self._at = 0
        while self._made and self._made[-1][0] + 1 == self._made[-1][1]:
            self._made.pop()
        if self._made:
            self._made[-1][0] += 1
        return bool(self._made)


@dataclass(frozen=True)
class Size:
    """How large a problem may be, which numbers and labels it has, and whether settings vary."""

    rows: int
    columns: int
    numbers: tuple[str, ...]
    settings: bool
    labels: str = "abc"


DRAWN = Size(6, 2, ("-3", "-1", "-1/2", "0", "0", "1/3", "1", "1", "2", "4"), True)


MOST_SETTINGS = 3
"""The most settings of a problem; more of them hide one another."""

MOST_TRIES = 100
"""How many problems are drawn until one is valid."""


class _Sizes:
    """The lengths of the axes of a problem, each drawn when it is first asked for."""

    def __init__(self, draws: Draws, size: Size) -> None:
        self._draws, self._size = draws, size
        self._drawn: dict[str, int] = {}
        self.numbers, self.labels = size.numbers, size.labels

    def __getitem__(self, axis: str) -> int:
        axis = axis.removesuffix("+")
        if axis not in self._drawn:
            self._drawn[axis] = self._draw(axis)
        return self._drawn[axis]

    def _draw(self, axis: str) -> int:
        size = self._size
        if axis == "classes":
            return len(size.labels)
        if axis == PAIRS:
            return self["classes"] * (self["classes"] - 1) // 2
        if axis in ("rows", "rounds", "inequalities"):
            return 1 + self._draws.below(size.rows)
        return 1 + self._draws.below(size.columns + (axis == "bits"))


def drawn_problem(family: str, seed: str, known: Collection[str] | None = None) -> Problem:
    """The problem of a family that a seed draws; the same on every Python.

    `known`: the settings that it may have, as `settings` tells them or by their fields; by default
    all. The number at the end of the seed deals them in turn, so that each comes as often as the
    others. Raises `ParameterError` where the family has no problem of these alone.

    >>> drawn_problem("loss.hinge", "1") == drawn_problem("loss.hinge", "1")
    True
    """
    draws = Draws(f"{family}/{seed}")
    fields = None if known is None else {field_of(told) for told in known}
    last = re.search(r"[0-9]{1,9}\Z", seed)
    for tried in range(MOST_TRIES):
        turn = int(last[0]) if last and 2 * tried < MOST_TRIES else None
        problem = drawn_by(draws, family, DRAWN, fields, turn)
        if is_valid(problem) and (known is None or not lacking(problem, known)):
            return problem
    assert known is not None, f"no problem of {family}"
    raise ParameterError(f"no problem of {family} was found with no other settings")


def tiny_problems(family: str, rows: int) -> Iterator[Problem]:
    """Every valid problem of a family with at most so many rows, one column, the numbers −1, 0 and
    1, and every setting at its default, each once.

    >>> [problem["z"] for problem in tiny_problems("loss.hinge", 1)]
    [['-1'], ['0'], ['1']]
    """
    every, seen, size = EveryChoice(), set(), Size(rows, 1, ("-1", "0", "1"), False)
    while True:
        problem = drawn_by(every, family, size)
        if str(problem) not in seen and is_valid(problem):  # choices may differ in what isn't used
            seen.add(str(problem))
            yield problem
        if not every.next():
            return


def is_valid(problem: Record) -> bool:
    """Whether the family's reader takes a problem."""
    try:
        family_of(str(problem["family"])).read(problem)
    except RefmcError:
        return False
    return True


def drawn_by(
    draws: Draws,
    family: str,
    size: Size,
    known: Collection[str] | None = None,
    turn: int | None = None,
) -> Problem:
    """A problem of the fields that its family declares, which its reader may still refuse.

    `turn`: the number of the problem among those that the settings are dealt to in turn.
    """
    if family not in FAMILIES:
        raise ParameterError(f"unknown family {family!r}; known: {', '.join(FAMILIES)}")
    forms = declared(family)[0]
    about = draws.one_of(forms) if size.settings and len(forms) > 1 else forms[0]
    sizes, problem = _Sizes(draws, size), {"family": family}
    chosen = _settings(draws, about, known, turn) if size.settings else {}
    for group in about.instead:
        if not any(field.name in chosen for field in group):
            chosen[group[-1].name] = None
    others = {field.name for group in about.instead for field in group}
    wanted = {*about.required, *chosen}
    drawn = [field for field in about.fields if field.name in wanted]
    if _run_over_classes(drawn):
        drawn.append(about.by_name["classes"])
    for field in sorted(drawn, key=lambda field: callable(field.draws)):  # these ask for the others
        if field.name not in problem:
            value = chosen.get(field.name)
            own = _drawn(field, draws, problem, sizes) if value is None else {field.name: value}
            problem |= own
    return {n: v for n, v in problem.items() if n not in others or n in chosen}


def _settings(
    draws: Draws, about: Declared, known: Collection[str] | None, turn: int | None
) -> Problem:
    """Up to `MOST_SETTINGS` of the optional fields and the alternatives, with their values.

    None stands for a value that is still to be drawn.
    """
    alternatives = [field for group in about.instead for field in group[:-1]]
    fields = [f for f in (*about.optional, *alternatives) if known is None or f.name in known]
    count = draws.below(MOST_SETTINGS + 1) if fields else 0
    chosen = draws.row(count, fields)
    if turn is not None:
        dealt = [*([field] for field in fields), []][turn % (len(fields) + 1)]
        chosen = dealt and [*dealt, *chosen[1:]]
    return {field.name: draws.one_of(_named_values(field)) for field in chosen}


def _named_values(field: Field[object]) -> Sequence[Any]:
    return [None] if callable(field.draws) or field.axes else field.draws


def _run_over_classes(drawn: Sequence[Field[object]]) -> bool:
    """Whether a field has an entry for each class, of problems whose labels needn't name all."""
    labelled = any(f.holds_labels and not f.draws for f in drawn)
    return labelled and any("classes" in field.axes for field in drawn)


def _drawn(field: Field[object], draws: Draws, problem: Problem, sizes: Sizes) -> Problem:
    """The field, and those that are drawn with it."""
    if callable(field.draws):
        return field.draws(draws, problem, sizes)
    if field.name == "classes":
        return {field.name: shuffled(sizes.labels, draws)}
    values = field.draws or (sizes.labels if field.holds_labels else sizes.numbers)
    return {field.name: _along(field.axes, draws, values, sizes)}


def _along(axes: Sequence[str], draws: Draws, values: Sequence[Any], sizes: Sizes) -> Any:
    if not axes:
        return draws.one_of(values)
    return [_along(axes[1:], draws, values, sizes) for _ in range(sizes[axes[0]])]
