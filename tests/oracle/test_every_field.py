"""Every field of every answer is judged: changed alone it changes VERIFIED, or is harmless.

The answers are the format's examples and the reference answers to its problems, and the fields are
those that the readers know, so that no new field escapes.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction
from typing import Any

import pytest

from refmc import FormatError, RefmcError, check, exact, solve_problem
from refmc.oracle.families import FAMILIES, family_of
from refmc.oracle.forms import REMARKS
from tests.oracle.test_fields import known_fields
from tests.support import format_examples

Record = dict[str, Any]
Path = tuple[str | int, ...]

HARMLESS = {
    "boost.ada": {"question.threshold"},  # where it parts the rows alike
    "tree.grow": {"nodes.counts", "nodes.number", "tied.column", "tied.threshold", "nodes.label"},
    "code.decode": {"labels"},  # the examples tie
    "nodes.decode": {"labels"},
    "ova.decode": {"labels"},
    "ovo.decode": {"labels"},
}
"""What needn't change a verdict: fields that aren't judged, and ties."""

ELSEWHERE = {
    "svm.multiclass": {"w", "scores", "labels"},
    "svm.binary": {"scores", "labels", "margin_squared"},
    "svm.hard": {
        "w", "b", "b_interval", "alpha", "scores", "labels", "slack", "margin_squared", "objective",
        "primal", "dual",
    },
    "boost.ada": {"scores"},
    "boost.mh": {"scores"},
    "loss.margin": {"subgradients"},
    "loss.zero_one": {"subgradients"},  # refused: it has none
    "loss.hamming": {"subgradients"},
    "tree.prune": {"lam", "leaves", "leaf_nodes", "collapsed", "tree", "risk"},
    "qp.convex": {"bounded", "ray"},
}  # fmt: skip
"""Fields that neither have, which the tests of these families change."""


def right_answers() -> dict[str, list[tuple[Record, Record]]]:
    pairs: dict[str, list[tuple[Record, Record]]] = defaultdict(list)
    problem: Record = {}
    for text in format_examples():
        record = json.loads(text)
        if "family" in record:
            problem = record
            solved = json.loads(json.dumps(solve_problem(problem)))
            pairs[problem["family"]].append((problem, solved))
        else:
            pairs[problem["family"]].append((problem, record))
    return pairs


PAIRS = right_answers()


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    if isinstance(value, (dict, list)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, entry in entries:
            yield from leaves(entry, (*path, key))
    else:
        yield path, value


def changed(problem: Record, value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    try:
        return str(exact(value) + 1)
    except RefmcError:
        named = problem.get("classes") or problem.get("y") or []
        return next(name for name in [*named, "no such name"] if name != value)


def names_of(path: Path) -> str:
    return ".".join([key for key in path if isinstance(key, str)][-2:])


@pytest.mark.parametrize("family", FAMILIES)
def test_every_field_of_a_right_answer_that_is_changed_alone_is_found(family: str) -> None:
    for problem, answer in PAIRS[family]:
        assert check(problem, answer)
        for path, value in leaves({k: v for k, v in answer.items() if k not in REMARKS}):
            wrong = deepcopy(answer)
            place: Any = wrong
            for key in path[:-1]:
                place = place[key]
            place[path[-1]] = changed(problem, value)
            try:
                verdict = family_of(family).judge(problem, wrong, Fraction(0), None)
            except FormatError:
                continue
            assert not verdict or names_of(path) in HARMLESS.get(family, ()), (path, wrong)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_field_that_a_reader_knows_is_changed_there_or_elsewhere(family: str) -> None:
    problem, answer = PAIRS[family][0]
    known = set(known_fields(lambda record: check(problem, record), answer)) - set(REMARKS)
    has = {name for _, right in PAIRS[family] for name in right}
    assert known - has <= ELSEWHERE.get(family, set())
