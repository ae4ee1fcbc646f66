"""The family `qp.convex`: convex quadratic programs.

{"family": "qp.convex", "Q": n rows of n numbers, "c": n numbers, "A": rows of n numbers and "b",
"G": rows of n numbers and "h" (each pair optional)}

Minimise ½xᵀQx + cᵀx subject to Ax = b and Gx ≤ h.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, cast

from refmc.checker import Verdict
from refmc.checker.svm import qp as referee
from refmc.core.records import Record, entries, number, numbers
from refmc.core.scalars import plain
from refmc.errors import (
    DataError,
    FormatError,
    InfeasibleError,
    NotPositiveSemidefiniteError,
    UnboundedError,
)
from refmc.learn.svm.active_set import Pivot
from refmc.learn.svm.qp import QPSolution, solve_qp
from refmc.oracle.forms import MATRIX, NUMBER, NUMBERS, TEXT, TRUTH, Form, answer_form, list_of
from refmc.oracle.reading import if_given, matrix_of, read_answer, row_of, truth
from refmc.oracle.rows import OnStep, Row, each_step, pivot_row

FAMILY = "qp.convex"
MOST_UNKNOWNS = 1_000
"""The most unknowns and constraints together; a step takes the square of that many products."""

MULTIPLIERS = {"equality_multipliers": "b", "inequality_multipliers": "h"}

PROBLEM = Form(
    required={"family": TEXT, "Q": MATRIX, "c": NUMBERS},
    optional={"A": MATRIX, "b": NUMBERS, "G": MATRIX, "h": NUMBERS},
    beside={"A": "b", "b": "A", "G": "h", "h": "G"},
)
ANSWER = answer_form(
    {
        "x": NUMBERS,
        **dict.fromkeys(MULTIPLIERS, list_of(NUMBER, 0)),
        "objective": NUMBER,
        "feasible": TRUTH,
        "bounded": TRUTH,
        "ray": NUMBERS,
    }
)
FORMS = {FAMILY: ([PROBLEM], [ANSWER])}


def read_problem(record: Record) -> referee.QPProblem:
    """The program of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "qp.convex", "Q": [[1]], "c": ["1/2"]}).c
    [Fraction(1, 2)]
    """
    PROBLEM.check(record, "problem")
    check_size(record)
    c = numbers(record["c"], "problem.c")
    sides: dict[str, Any] = {}
    for left, right in ("Ab", "Gh"):
        if left in record:
            sides[right] = numbers(record[right], f"problem.{right}")
            sides[left] = matrix_of(record[left], f"problem.{left}", len(sides[right]), len(c))
    Q = matrix_of(record["Q"], "problem.Q", len(c), len(c))
    return referee.QPProblem(Q=Q, c=c, **sides)


def check_size(record: Record) -> None:
    """Refuse a program of too many unknowns and constraints before its numbers are read.

    >>> check_size({"c": [0] * 1000})
    """
    sizes = {}
    for name in ("c", "b", "h"):
        values = plain(record.get(name, ()))
        sizes[name] = len(values) if isinstance(values, (list, tuple)) else 0
    if sum(sizes.values()) > MOST_UNKNOWNS:
        raise FormatError(
            f"problem: {sizes['c']} unknowns and {sizes['b'] + sizes['h']} constraints are more "
            f"than the {MOST_UNKNOWNS} of both that are taken on"
        )


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The optimum with its multipliers; or the proof that there is none.

    >>> program = {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": [1]}
    >>> str(solve(program, None)["objective"])
    '-3/2'
    """
    outcome, objective = _outcome(read_problem(problem), on_step)
    found: dict[str, object] = {"family": FAMILY}
    if isinstance(outcome, referee.Unbounded):
        return found | {"bounded": False, "x": outcome.x, "ray": outcome.r}
    if isinstance(outcome, referee.Infeasible):
        found["feasible"] = False
    else:
        found |= {"x": outcome.x, "objective": objective}
    proof = zip(MULTIPLIERS, (outcome.nu, outcome.mu))
    return found | {name: values for name, values in proof if values}


def _outcome(
    program: referee.QPProblem, on_step: OnStep | None
) -> tuple[referee.Outcome, Fraction | None]:
    """What the learner finds, and the objective there."""
    try:
        found = _solved(program, on_step)
    except InfeasibleError as error:
        proof = error.equality_multipliers, error.inequality_multipliers
        return referee.Infeasible(*map(_row, proof)), None
    except UnboundedError as error:
        return referee.Unbounded(_row(error.point), _row(error.ray)), None
    multipliers = found.equality_multipliers, found.inequality_multipliers
    return referee.Optimum(found.x, *multipliers), found.objective


def _row(values: Any) -> tuple[Fraction, ...]:
    return tuple(values)  # problems hold Fractions only


def _solved(
    program: referee.QPProblem, on_step: OnStep | None, **options: Any
) -> QPSolution[Fraction]:
    try:
        found = solve_qp(
            program.Q, program.c, A=program.A, b=program.b, G=program.G, h=program.h,
            on_step=on_step, **options,
        )  # fmt: skip
    except DataError as error:
        raise FormatError(f"problem.{error}") from None
    except NotPositiveSemidefiniteError as error:
        convex = referee.lifted(program)
        if not isinstance(convex, referee.QPProblem) or not convex.shift:
            raise FormatError(f"problem.{error}") from None
        return _solved(convex, on_step, **options)
    return cast("QPSolution[Fraction]", found)  # problems hold Fractions only


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: OnStep | None) -> Verdict:
    """The checker's verdict; what the learner finds and proves is its witness.

    >>> problem = {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": [1]}
    >>> judge(problem, {"x": [1], "inequality_multipliers": [1]}, Fraction(0), None).status
    'VERIFIED'
    """
    read = read_problem(problem)
    outcome = _read_answer(answer, read)
    objective = if_given(answer, "objective", number)
    witness, _ = _outcome(read, on_step)
    return referee.judge(read, outcome, objective=objective, witness=witness, allowed=allowed)


def _read_answer(record: Record, problem: referee.QPProblem) -> referee.Outcome | None:
    read_answer(record, FAMILY, ANSWER)
    if not truth(record, "feasible", True, "answer"):
        _refuse(record, ("x", "ray", "objective", "bounded"), "feasible")
        return referee.Infeasible(*_multipliers(record, problem))
    row = partial(row_of, length=len(problem.c))
    x = if_given(record, "x", row)
    if not truth(record, "bounded", True, "answer"):
        _refuse(record, ("objective", *MULTIPLIERS), "bounded")
        return referee.Unbounded(x, if_given(record, "ray", row))
    if "ray" in record:
        raise FormatError("answer.ray: belongs to bounded: false")
    nu, mu = _multipliers(record, problem)
    if x is not None:
        return referee.Optimum(x, nu, mu)
    if nu is not None:
        raise FormatError("answer: multipliers of an optimum need x beside them")
    if "objective" not in record:
        raise FormatError("answer: expected x or objective, or feasible or bounded: false")
    return None


def _refuse(record: Record, names: Sequence[str], claim: str) -> None:
    for name in names:
        if name in record:
            raise FormatError(f"answer.{name}: does not go with {claim}: false")


def _multipliers(
    record: Record, problem: referee.QPProblem
) -> tuple[list[Fraction] | None, list[Fraction] | None]:
    """ν and μ, or neither; those of no rows may be left out, or be an empty list."""
    sizes = {name: len(getattr(problem, side)) for name, side in MULTIPLIERS.items()}
    if not any(name in record for name in sizes):
        return None, None
    found = []
    for name, size in sizes.items():
        values = entries(record.get(name, ()), f"answer.{name}")
        if len(values) != size:
            expected = f"expected {size} numbers" if size else "the problem has no such rows"
            raise FormatError(f"answer.{name}: {expected}")
        found.append([number(value, f"answer.{name}[{i}]") for i, value in enumerate(values)])
    nu, mu = found
    return nu, mu


def trace(problem: Record) -> Iterator[Row]:
    """One row for each pivot: of the search for a feasible point, and of the descent from there.

    The search lowers t subject to Ax = b, Gx − t ≤ h, t ≥ 0. The rows end
    where it is proved that there is no such point, or no optimum.
    """
    read = read_problem(problem)
    n, zero = len(read.c), Fraction(0)
    _solved(referee.QPProblem(Q=read.Q, c=[zero] * n), None)  # refuses Q before there is any row
    start: list[Fraction] = []

    def search(report: OnStep) -> None:
        flat = replace(read, Q=[[zero] * n] * n, c=[zero] * n)
        start.extend(_solved(flat, report).x)

    try:
        for pivot in each_step(search):
            yield {"phase": "search", **_pivot_row(pivot, read, 1)}
        for pivot in each_step(lambda report: _solved(read, report, start=start)):
            yield {"phase": "descent", **_pivot_row(pivot, read, 0)}
    except (InfeasibleError, UnboundedError):
        return


def _pivot_row(pivot: Pivot[Any], program: referee.QPProblem, more: int) -> Row:
    """`more`: 1 in the search for a feasible point, which has the inequality t ≥ 0, too; else 0."""
    inequalities, n = len(program.h), len(program.c)

    def name(index: int) -> str:
        if index < inequalities:
            return f"G_{index}"
        column = index - inequalities - more
        if column < 0 or column == n:
            return "t"
        return f"x_{column}"

    return pivot_row(pivot, name, {"objective": pivot.objective})
