"""Hypothesis strategies: problems of every family with right and wrong answers.

Problems are made of the same choices as by `refmc gen`, but Hypothesis makes the choices. So a
failing problem shrinks to few rows of small numbers, which can be checked by hand.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from refmc.answers import check
from refmc.core.scalars import without_arrays
from refmc.errors import FormatError, ParameterError
from refmc.oracle.boosting import records
from refmc.oracle.families import FAMILIES
from refmc.oracle.svm import binary, multiclass
from refmc.oracle.trees.records import TreeProblem, read_problem
from refmc.suite import mistakes
from refmc.suite.answering import right_answer
from refmc.suite.generating import Draws, Size, drawn_by, is_valid

NUMBERS = ("0", "1", "-1", "1/2", "2", "-1/2", "3", "-3/2")
"""A small dyadic grid, so that rows coincide and choices tie; the simplest first."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


class _Drawn(Draws):
    """The choices of `Draws`, made by Hypothesis."""

    def __init__(self, draw: Draw) -> None:
        self._draw = draw

    def below(self, n: int) -> int:
        found: int = self._draw(st.integers(0, n - 1))
        return found


@st.composite
def problems(
    draw: Draw,
    family: str,
    *,
    max_rows: int = 6,
    max_columns: int = 2,
    classes: str = "abc",
    settings: bool = True,
) -> dict[str, Any]:
    """Problems of a family, as records; with `settings=False` without optional settings.

    `classes`: the labels of families of several classes, one character each, at most three.

    >>> from hypothesis import find
    >>> found = find(problems("svm.binary"), lambda problem: len({*problem["y"]}) == 2)
    >>> found["X"], found["C"]
    ([['0'], ['0']], '1')
    """
    if family not in FAMILIES:
        raise ParameterError(f"unknown family {family!r}; known: {', '.join(FAMILIES)}")
    if not 1 <= len(set(classes)) == len(classes) <= 3:
        raise ParameterError(f"classes: expected at most three characters, got {classes!r}")
    size = Size(max_rows, max_columns, NUMBERS, settings, classes)
    problem = drawn_by(_Drawn(draw), family, size)
    assume(is_valid(problem))
    return problem


@st.composite
def answers(draw: Draw, problem: dict[str, Any]) -> dict[str, Any]:
    """Right answers: the reference one, and all others that tie with it, see `suite.answering`.

    >>> from hypothesis import find
    >>> problem = {"family": "ova.decode", "scores": [[1, 1]], "classes": ["a", "b"]}
    >>> find(answers(problem), lambda answer: answer["labels"] == ["b"])["label_sets"]
    [['a', 'b']]
    """
    return right_answer(problem, _Drawn(draw))


@st.composite
def near_misses(draw: Draw, problem: dict[str, Any]) -> dict[str, Any]:
    """Wrong answers, each made by a named mistake.

    The mistake's id is the answer's `remark`. If no mistake makes a wrong answer to the problem,
    nothing can be drawn.

    >>> from hypothesis import Phase, find, settings
    >>> problem = {"family": "svm.binary", "X": [[1], [0]], "y": [1, -1], "C": 1}
    >>> first = settings(phases=[Phase.generate])
    >>> bool(check(problem, find(near_misses(problem), lambda answer: True, settings=first)))
    False
    """
    problem = without_arrays(problem)
    for mistake in draw(st.permutations(mistakes(str(problem["family"])))):
        answer = mistake.made(problem)
        try:
            if answer is not None and check(problem, answer).status == "REFUTED":
                return {**answer, "remark": mistake.id}
        except FormatError:  # such as a multiplier too few
            continue
    assume(False)
    raise AssertionError("assume has raised")


def matrices(rows: int, columns: int) -> st.SearchStrategy[list[list[Fraction]]]:
    """As many rows of as many numbers, which are from `NUMBERS`.

    >>> matrices(1, 2).validate()
    """
    row = st.lists(st.sampled_from(NUMBERS).map(Fraction), min_size=columns, max_size=columns)
    return st.lists(row, min_size=rows, max_size=rows)


@st.composite
def rows(draw: Draw, *, max_rows: int = 6, max_columns: int = 2) -> list[list[Fraction]]:
    """From one to `max_rows` rows of one to `max_columns` numbers, all of one length.

    >>> rows().validate()
    """
    m, d = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    found: list[list[Fraction]] = draw(matrices(m, d))
    return found


def labels(m: int, classes: str = "abc") -> st.SearchStrategy[list[str]]:
    """A label for each of m rows.

    >>> labels(2).validate()
    """
    return st.lists(st.sampled_from(classes), min_size=m, max_size=m)


for problem_type, read, read_families in (
    (multiclass.MulticlassSVMProblem, multiclass.read_problem, ["svm.multiclass"]),
    (binary.BinarySVMProblem, binary.read_problem, ["svm.binary", "svm.hard"]),
    (TreeProblem, read_problem, ["tree.grow", "tree.prune"]),
    (records.LabelledProblem, records.read_problem, ["boost.ada", "boost.mh"]),
):  # so that `st.from_type` knows them
    st.register_type_strategy(problem_type, st.one_of(*map(problems, read_families)).map(read))
