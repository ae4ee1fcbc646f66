"""Moving an answer by the difference between what a mistaken program gives and what is right.

If an answer is that of the mistaken program plus some error, then the right answer plus the same
error is right up to that error. So the judge of the problem itself, given this moved answer,
measures how well the mistake explains the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import is_
from typing import Any, TypeVar, TypeVarTuple

from refmc.core.records import Record, items, number
from refmc.errors import FormatError
from refmc.oracle.families import family_of
from refmc.oracle.forms import REMARKS

Program = Callable[[Record], Record | None]
"""What a program answers to a problem; None where it can't."""

Rewriting = Callable[[Record, Record], Record | None]
"""From a problem and an answer: the answer in the judge's convention; None where it doesn't apply.
"""

Given = TypeVarTuple("Given")
Found = TypeVar("Found")

NAMES = {"labels", "label_sets", "classes", "stopped", "base", "stump", "tree", "label", "question"}
"""Fields that hold names and choices: these are equal or different, never near to one another."""

BY_ROW = {"labels", "label_sets", "base"}
"""Those of them with an entry for each row, which are compared one by one."""

CLOSE = Fraction(1, 10**9)
"""By how much numbers that floats computed may differ, relative to the largest of them."""

ROUNDED = Fraction(1, 2**48)
"""By how much a few roundings of binary64 change a number, relative to it."""

FAR = Fraction(1, 100)
"""By how much no rounding changes a number, relative to it or to 1, whatever gap is allowed."""


def solved(problem: Record) -> dict[str, Any]:
    """The reference answer to a problem."""
    return family_of(str(problem["family"])).solve(problem, None)


def kept(program: Callable[[*Given], Found]) -> Callable[[*Given], Found]:
    """The program, which solves a problem that it gets again only once."""
    last = list[tuple[tuple[*Given], Found]]()

    def answer(*given: *Given) -> Found:
        found = last[0] if last else None  # read once: another thread may replace it
        if found is None or not all(map(is_, found[0], given)):
            found = (given, program(*given))
            last[:] = [found]
        return found[1]

    return answer


solved_once = kept(solved)
"""The reference answer, which all mistakes that are tried for a problem share."""


def by_program(program: Program, right: Program = solved_once) -> Rewriting:
    """Moves an answer by what `right` gives in the place of what a mistaken program does."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        wrong = program(problem)
        due = None if wrong is None else right(problem)
        return None if wrong is None or due is None else transported(answer, wrong, due)

    return rewriting


def transported(answer: Record, wrong: Record, right: Record) -> Record | None:
    """The answer with every number moved by right − wrong.

    Where the three have no numbers in common, such as trees of different shapes, the answer becomes
    `right` if it is `wrong`. None where the answer says nothing in which the two differ.
    `FormatError` for a name or a choice that is right where the mistake would make it wrong.

    >>> transported({"w": [3.5, 1]}, {"w": [3, 1]}, {"w": [-3, 2]})
    {'w': [Fraction(-5, 2), Fraction(2, 1)]}
    """
    answer, wrong, right = _counted_alike(answer, wrong, right)
    fields = [name for name in answer if name in wrong and name in right and name not in REMARKS]
    if all(same(wrong[name], right[name], name, Fraction(0)) for name in fields):
        return None
    moved = {name: _moved(answer[name], wrong[name], right[name], name) for name in fields}
    return {**answer, **moved}


def is_far(told: object, own: object) -> bool:
    """Whether an answer tells a number that no rounding makes of a run's own, in nested lists."""
    if isinstance(told, (list, tuple)) and isinstance(own, (list, tuple)):
        return any(map(is_far, told, own))
    p, q = number(told, "a number"), number(own, "a number")
    return p != q and abs(p - q) > FAR * max(abs(p), abs(q), Fraction(1))


def _counted_alike(*answers: Record) -> list[Record]:
    """The answers with equally many counts of mistakes: what is left out at the end is 0."""
    if not all("mistakes" in answer for answer in answers):
        return [*answers]
    given = [list(items(answer["mistakes"], "mistakes")) for answer in answers]
    longest = max(map(len, given))
    padded = [counts + [0] * (longest - len(counts)) for counts in given]
    return [{**answer, "mistakes": counts} for answer, counts in zip(answers, padded)]


def _moved(answer: object, wrong: object, right: object, name: str) -> object:
    if (name not in NAMES or name in BY_ROW) and all(map(_is_list, (answer, wrong, right))):
        lists = [list(v) for v in (answer, wrong, right) if isinstance(v, (list, tuple))]
        if len(set(map(len, lists))) == 1:
            entry = "label" if name in BY_ROW else name
            return [_moved(a, w, r, entry) for a, w, r in zip(*lists, strict=True)]
    if all(isinstance(v, Mapping) for v in (answer, wrong, right)):
        records = [v for v in (answer, wrong, right) if isinstance(v, Mapping)]
        a, w, r = records
        known = [key for key in a if key in w]
        if known and all(key in r for key in known):  # what the programs don't say stays as it is
            return {**a, **{key: _moved(a[key], w[key], r[key], str(key)) for key in known}}
    if name not in NAMES and all(map(_is_number, (answer, wrong, right))):
        mine, other, own = (number(v, name) for v in (answer, wrong, right))
        is_rounded = abs(mine - other) <= ROUNDED * max(abs(mine), abs(other))
        return own if is_rounded else own + (mine - other)
    if same(answer, wrong, name):
        return right
    if same(answer, right, name):
        raise FormatError(f"{name}: a right choice where the mistake makes a wrong one")
    return answer


def same(u: object, v: object, name: str, close: Fraction = CLOSE) -> bool:
    """Whether two parts of answers are the same, numbers up to `close`, relative to the larger.

    >>> same(["1/2", 1], [0.5, "1"], "w", Fraction(0)), same(["1"], [1], "labels")
    (True, False)
    """
    if isinstance(u, (list, tuple)) and isinstance(v, (list, tuple)):
        return len(u) == len(v) and all(same(a, b, name, close) for a, b in zip(u, v))
    if isinstance(u, Mapping) and isinstance(v, Mapping):
        shared = [key for key in u if key in v]
        return bool(shared) and all(same(u[key], v[key], str(key), close) for key in shared)
    if name not in NAMES and _is_number(u) and _is_number(v):
        p, q = number(u, name), number(v, name)
        return abs(p - q) <= close * max(abs(p), abs(q))
    return type(u) is type(v) and u == v


def _is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def _is_number(value: object) -> bool:
    if value is None or isinstance(value, (bool, list, tuple, Mapping)):
        return False
    try:
        number(value, "a number")
    except FormatError:
        return False
    return True
