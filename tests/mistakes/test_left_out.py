"""Every end of every axis of every family: a program that leaves it out is named.

Generic mistakes follow from the declared fields; they explain, and are never hints of a check.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

import pytest

from refmc.answers import check
from refmc.checker import Verdict
from refmc.errors import RefmcError
from refmc.mistakes.explanation import BEYOND_CHANCE, Judged, explained_by
from refmc.mistakes.generic import generic
from refmc.mistakes.generic_axes import ONE_OF
from refmc.mistakes.known import hints_of
from refmc.oracle.axes import axes_of, sizes, taken
from refmc.oracle.families import FAMILIES, answer_fields, declared, family_of, problem_fields
from refmc.suite import vectors
from refmc.suite.generating import drawn_problem

Record = dict[str, Any]

DRAWN = 150
"""The drawn problems that are tried where no vector names an end."""

TWO = "without one of two classes there is no problem"
UNNAMED = {
    "bound.perceptron, class": TWO,
    "perceptron.binary, class": TWO,
    "perceptron.kernel, class": TWO,
    "sgd.binary, class": TWO,
    "svm.binary, class": TWO,
    "svm.hard, class": TWO,
    "boost.mh, last class": "stumps have a sign for each class, and with fewer are malformed",
    "nodes.decode, class": "every class is among the candidates of a node",
    "tree.grow, class": "a class without rows changes no tree",
    "tree.prune, first class": "the same",
    "tree.prune, column": "with zeros the tree is malformed, or its pruned trees are the same",
}
"""Ends that no problem names, with the reason."""


NAMELESS = {
    "columns+": "of a state, whose last number may be the bias",
    "pairs of classes": "a class is left out with all its pairs",
    "nodes": "nodes that ask one another can't do without one",
}
"""Axes whose ends have no name, with the reason."""

ROWS_ALONE = ("loss.", "code.", "ovo.", "ova.", "nodes.")
"""Families whose rows are judged one by one: nothing of a row left out shows in the others."""


def axes_of_problems(family: str) -> set[str]:
    axes = {axis for known in declared(family)[0] for f in known.fields for axis in f.axes}
    without_rows = {"rows"} if family.startswith(ROWS_ALONE) else set()
    return axes - NAMELESS.keys() - without_rows


def with_rest(kept: Any, right: Any, axes: Sequence[str], axis: str, at: int) -> Any:
    """A value without a position along an axis, with the right value in that place."""
    if not axes or not isinstance(kept, list) or right is None:
        return kept
    if axes[0].removesuffix("+") == axis:
        kept = [*kept[:at], right[at], *kept[at:]]
    return [with_rest(k, r, axes[1:], axis, at) for k, r in zip(kept, right)]


def with_zeros(value: Any, axes: Sequence[str], axis: str, at: int) -> Any:
    """A value with zeros at a position along an axis."""
    if not axes or not isinstance(value, list):
        return value
    if axes[0] == axis:
        return [v if i != at else zeros(v) for i, v in enumerate(value)]
    return [with_zeros(v, axes[1:], axis, at) for v in value]


def zeros(value: Any) -> Any:
    return [*map(zeros, value)] if isinstance(value, list) else 0


def wrong_answers(problem: Record, axis: str, at: int) -> Iterator[Record]:
    """What a program may say that solves the problem without a position: of the model alone, or
    of everything, what it left out as it should be."""
    family = family_of(problem["family"])
    if axis in ("columns", "features"):  # as a program does whose loop ends one short
        zeroed = {n: with_zeros(v, problem_fields(problem)[n].axes, axis, at)
                  for n, v in problem.items() if n != "columns"}  # fmt: skip
        with suppress(RefmcError):
            yield dict(family.solve(zeroed, None))
        return
    left = taken(problem, axis, [i for i in range(sizes(problem)[axis]) if i != at])
    try:
        found, right = dict(family.solve(left, None)), dict(family.solve(problem, None))
    except RefmcError:
        return
    axes = {name: axes_of(field, problem) for name, field in answer_fields(problem).items()}
    yield {name: v for name, v in found.items() if axis not in str(axes.get(name))}
    yield {name: with_rest(v, right.get(name), axes.get(name, ()), axis, at)
           for name, v in found.items()}  # fmt: skip


def refuted(problem: Record, answer: Record) -> Verdict | None:
    try:
        verdict = check(problem, answer)
    except RefmcError:
        return None
    tells = Judged(problem, answer, verdict).label_bits >= BEYOND_CHANCE
    is_wrong = verdict.status == "REFUTED" and tells
    return verdict if is_wrong else None


def problems_of(family: str) -> Iterator[Record]:
    yield from (dict(vector.problem) for vector in vectors(family=family))
    yield from (drawn_problem(family, str(seed)) for seed in range(DRAWN))


def is_named(family: str, axis: str, end: str) -> bool:
    (mistake,) = [m for m in generic(family) if m.id == f"left_out.{end}_{ONE_OF[axis]}"]
    for problem in problems_of(family):
        length = sizes(problem).get(axis, 0)
        if length < 2:
            continue
        for answer in wrong_answers(problem, axis, length - 1 if end == "last" else 0):
            verdict = refuted(problem, answer)
            if verdict is not None:
                assert mistake.id not in verdict.hint
                told = explained_by((mistake,), Judged(problem, answer, verdict))
                if any(e and e.verdict for e in told):
                    return True
    return False


@pytest.mark.parametrize("end", ["first", "last"])
@pytest.mark.parametrize(
    ("family", "axis"),
    [(name, axis) for name in FAMILIES for axis in sorted(axes_of_problems(name))],
)
def test_a_program_that_leaves_out_an_end_of_an_axis_is_named(
    family: str, axis: str, end: str
) -> None:
    one = ONE_OF[axis]
    excepted = {f"{family}, {one}", f"{family}, {end} {one}"} & UNNAMED.keys()
    assert is_named(family, axis, end) != bool(excepted)


@pytest.mark.parametrize("family", FAMILIES)
def test_generic_mistakes_are_no_hints(family: str) -> None:
    hints = {mistake.id for tried in hints_of(family) for mistake in tried}
    assert not hints & {mistake.id for mistake in generic(family)}
