"""Remakes the vectors and the page about mistakes, byte for byte: `python -m refmc.suite.build`.

A vector is written by hand as far as its problem: `id`, `why`, `flags`, `problem`, and where they
apply `stated` and `withdrawn`. A new one stands like that in the file of its family; all else is
computed here. With `--check` nothing is written, and the exit code is 1 where a file differs.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from refmc import __version__
from refmc.core.records import Record
from refmc.core.scalars import shown
from refmc.errors import FormatError, ParameterError
from refmc.mistakes.all import MISTAKES
from refmc.mistakes.kernels import of_squares, rbf_gram
from refmc.mistakes.plain_boosting import boosting as boosted
from refmc.mistakes.plain_runs import plain_run
from refmc.mistakes.plain_trees import growth
from refmc.oracle.families import FAMILIES, default_gap, family_of
from refmc.oracle.rows import recorded
from refmc.suite.corpus import pretty, records_of, vectors_of
from refmc.suite.pages import caught_by, mistakes_file, mistakes_page
from refmc.suite.schemas import json_schema

FOLDER = Path(__file__).parent / "vectors"

PAGE = Path(__file__).parent.parent.parent / "spec" / "mistakes.md"

PLAIN: dict[str, Any] = {
    **dict.fromkeys(("perceptron.multiclass", "sgd.multiclass"), plain_run),
    **dict.fromkeys(("boost.ada", "boost.mh"), boosted),
    "tree.grow": growth,
}
"""Plain programs of the families whose choices tie, which can take the last of the tied, too."""


def remade(record: Record) -> dict[str, Any]:
    """The whole record of a vector, computed from those fields that are written by hand."""
    problem: Any = record["problem"]
    stated: Any = record.get("stated")
    if stated is not None:
        problem = {**problem, "gram": rbf_gram(stated, of_squares)}
    family = family_of(problem["family"])
    allowed = default_gap(problem["family"])
    answer = family.solve(problem, None)
    wrong: dict[str, tuple[list[str], object]] = {}
    for mistake in MISTAKES.values():
        made = mistake.made(problem, stated)
        if made is None:
            continue
        shown = _plain(made)
        try:
            verdict = family.judge(problem, shown, allowed, None)
        except FormatError:  # it is about rows or classes that the problem hasn't
            continue
        if verdict.status == "REFUTED":
            names, _ = wrong.setdefault(json.dumps(shown), ([], shown))
            names.append(mistake.id)
    found: dict[str, Any] = {"id": record["id"], "since": record.get("since", __version__)}
    found |= {"why": record["why"], "flags": record["flags"], "problem": problem}
    found |= {name: record[name] for name in ("withdrawn", "stated") if name in record}
    found |= {"answer": answer, "accept": list(_others(problem, answer))}
    found["wrong"] = [{"mistakes": names, "answer": made} for names, made in wrong.values()]
    found["catches"] = sorted(name for names, _ in wrong.values() for name in names)
    return found


def _plain(answer: Record) -> dict[str, Any]:
    """The answer in JSON types, without the name of the family that the problem has already."""
    return {name: recorded(value) for name, value in answer.items() if name != "family"}


def _others(problem: Record, answer: Record) -> Iterator[object]:
    """Further right answers: the other ends of intervals, the last of tied choices."""
    found: list[Record] = []
    ends = answer.get("b_interval")
    if isinstance(ends, list):
        kept = {name: answer[name] for name in ("w", "alpha") if name in answer}
        found += [{**kept, "b": end} for end in ends if end not in ("inf", "-inf", answer["b"])]
    sets = answer.get("label_sets")
    if isinstance(sets, list) and "labels" in answer:
        found.append({"labels": [tied[-1] for tied in sets]})
    plain_program = PLAIN.get(str(problem["family"]))
    if plain_program is not None:
        other = plain_program(problem, {"last_of_tied"})
        first = plain_program(problem, ())
        found += [other] if other is not None and other != first else []
    judge = family_of(str(problem["family"])).judge
    for record in found:
        other_answer = _plain(record)
        if all(answer.get(name) == value for name, value in other_answer.items()):
            continue
        verdict = judge(problem, other_answer, default_gap(str(problem["family"])), None)
        assert verdict, f"{problem}: {verdict.explain()}"
        yield other_answer


def file_of(family: str) -> str:
    """The text of the file of a family; `ParameterError` where an id that was published is gone."""
    records = records_of(family)
    catalogue = json.loads((FOLDER / "mistakes.json").read_text(encoding="utf-8"))["mistakes"]
    known = {id for mistake in catalogue for id in mistake["caught_by"]}
    gone = {id for id in known if id.startswith(f"{family}/")} - {r["id"] for r in records}
    if gone:
        raise ParameterError(f"{', '.join(sorted(gone))}: withdraw a vector, don't remove it")
    return pretty({"family": family, "vectors": [remade(record) for record in records]}) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Write all files, or the vectors of the families that are named; the exit code."""
    parser = ArgumentParser("python -m refmc.suite.build", description=main.__doc__)
    parser.add_argument("families", metavar="FAMILY", nargs="*")
    parser.add_argument("--check", action="store_true", help="only tell which files differ")
    told = parser.parse_args(arguments)
    for name in told.families:
        if name not in FAMILIES:  # choices= of a list that may be empty fails in Python 3.11
            parser.error(f"there is no family {shown(name)}; `refmc families` lists them")
    check, different = told.check, list[Path]()
    for family in told.families or FAMILIES:
        different += _put(FOLDER / f"{family}.json", file_of(family), check)
    vectors_of.cache_clear()
    caught_by.cache_clear()
    if not (check and different):  # the page is made of the vectors
        different += _put(FOLDER / "mistakes.json", mistakes_file(), check)
        different += _put(FOLDER / "schema.json", pretty(json_schema()) + "\n", check)
        if PAGE.parent.is_dir():
            different += _put(PAGE, mistakes_page(), check)
    for path in different:
        print(f"{'differs' if check else 'written'}: {path.name}")
    return int(check and bool(different))


def _put(path: Path, text: str, check: bool) -> list[Path]:
    if path.exists() and path.read_text(encoding="utf-8") == text:
        return []
    if not check:
        path.write_text(text, encoding="utf-8")
    return [path]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
