"""The vectors: problems with right answers, wrong ones, and the mistakes that make these.

The folder `vectors` has one JSON file for each family; `python -m refmc.suite.build` remakes them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from typing import Any

from refmc.core.printing import json_line
from refmc.core.records import Record
from refmc.errors import ParameterError
from refmc.oracle.families import FAMILIES

FOLDER = files("refmc.suite") / "vectors"
"""Where the files are, which may be in an archive."""

WIDTH = 98
"""The columns that a line of JSON for people should have at most."""

FLAGS: dict[str, str] = json.loads((FOLDER / "flags.json").read_text(encoding="utf-8"))["flags"]
"""What vectors are flagged with."""


@dataclass(frozen=True)
class WrongAnswer:
    """An answer that must be refuted, and the named mistakes that all make it."""

    mistakes: tuple[str, ...]
    answer: Record


@dataclass(frozen=True)
class Vector:
    """One problem of the suite; its fields are those of its record in the file.

    `id` is never given to another problem; `since` is the version that brought it. `answer` is
    right and carries its certificate; `accept` are further right answers, where choices tie.
    `catches`: the mistakes that the problem tells from the truth, those of `wrong`. `flags` are
    some of `FLAGS`. `stated`: of which rows and kernel a Gram matrix is, where that has no exact
    values. `why`: one sentence. `withdrawn`: the reason why nobody should use it any more, else "".
    """

    id: str
    since: str
    why: str
    flags: tuple[str, ...]
    problem: Record
    answer: Record
    accept: tuple[Record, ...]
    wrong: tuple[WrongAnswer, ...]
    catches: tuple[str, ...]
    stated: Record | None = None
    withdrawn: str = ""

    @property
    def family(self) -> str:
        """The family of its problem."""
        return str(self.problem["family"])


def vectors(
    *,
    only: str | Sequence[str] = (),
    family: str | Sequence[str] = (),
    flags: str | Sequence[str] = (),
) -> Iterator[Vector]:
    """The vectors, family by family; none that is withdrawn.

    `only` and `family` are patterns of ids and of families, such as `svm.*/two-rows`, of which one
    has to fit if there are any; all of the `flags` have to be there. Raises `ParameterError` for a
    flag that doesn't exist, and a family pattern that fits none.

    >>> [vector.id for vector in vectors(only=["tree.prune/ch*"])]
    ['tree.prune/chain', 'tree.prune/chain-mean']
    >>> [vector.id for vector in vectors(family="svm.*", flags=["tie", "duplicate"])]
    ['svm.binary/duplicates', 'svm.hard/duplicates']
    """
    ids, families, wanted = (
        [given] if isinstance(given, str) else given for given in (only, family, flags)
    )
    for flag in wanted:
        if flag not in FLAGS:
            raise ParameterError(f"no flag is called {flag!r}; there are {', '.join(FLAGS)}")
    for pattern in families:
        if not any(fnmatchcase(name, pattern) for name in FAMILIES):
            raise ParameterError(f"no family fits {pattern!r}; there are {', '.join(FAMILIES)}")
    known = (v for name in FAMILIES if fits(name, families) for v in vectors_of(name))
    chosen = (v for v in known if not v.withdrawn and fits(v.id, ids))
    return (vector for vector in chosen if {*wanted} <= {*vector.flags})


def vector_of(id: str) -> Vector:
    """The vector of an id, also if it is withdrawn.

    >>> vector_of("tree.grow/xor").flags
    ('tie',)
    """
    family = id.partition("/")[0]
    for vector in vectors_of(family) if family in FAMILIES else ():
        if vector.id == id:
            return vector
    raise ParameterError(f"no vector is called {id!r}; `refmc vectors list` names them all")


@cache
def vectors_of(family: str) -> tuple[Vector, ...]:
    """All vectors of a family.

    >>> vectors_of("svm.binary")[0].id
    'svm.binary/one-row'
    """
    return tuple(vector_from(record) for record in records_of(family))


def records_of(family: str) -> list[dict[str, Any]]:
    """The records of all vectors of a family, as they stand in its file."""
    text = (FOLDER / f"{family}.json").read_text(encoding="utf-8")
    found: list[dict[str, Any]] = json.loads(text)["vectors"]
    return found


def record_of(id: str) -> dict[str, Any]:
    """The record of a vector, as it stands in the file.

    >>> record_of("tree.grow/xor")["since"]
    '0.1.0'
    """
    return next(record for record in records_of(vector_of(id).family) if record["id"] == id)


def vector_from(record: dict[str, Any]) -> Vector:
    """A vector of its record."""
    wrong = tuple(WrongAnswer(tuple(w["mistakes"]), w["answer"]) for w in record["wrong"])
    lists = {name: tuple(record[name]) for name in ("flags", "accept", "catches")}
    return Vector(**{**record, **lists, "wrong": wrong})


def pretty(value: object, indent: int = 0, taken: int = 0) -> str:
    """Readable JSON: what fits into a line stays on one, and so do rows of numbers.

    >>> print(pretty({"X": [["1", "2"], ["3", "4"]]}, 4, 80))
    {
         "X": [["1", "2"], ["3", "4"]]
        }
    """
    line = json_line(value)
    if not isinstance(value, (list, dict)) or taken + len(line) <= WIDTH:
        return line
    if isinstance(value, list) and not any(isinstance(v, (list, dict)) for v in value):
        return line
    inner = indent + 1
    parts = [("", v) for v in value]
    if isinstance(value, dict):
        parts = [(f"{json.dumps(key)}: ", v) for key, v in value.items()]
    entries = [key + pretty(v, inner, inner + len(key)) for key, v in parts]
    begin, end = "{}" if isinstance(value, dict) else "[]"
    gap = "\n" + " " * inner
    return f"{begin}{gap}{f',{gap}'.join(entries)}\n{' ' * indent}{end}"


def fits(name: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns fits a name; where there is none, all do."""
    return not patterns or any(fnmatchcase(name, pattern) for pattern in patterns)
