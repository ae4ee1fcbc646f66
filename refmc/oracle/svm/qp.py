"""The family `qp.convex`: convex quadratic programs.

{"family": "qp.convex", "Q": n rows of n numbers, "c": n numbers, "A": rows of n numbers and "b",
"G": rows of n numbers and "h" (each pair optional)}

Minimise ½xᵀQx + cᵀx subject to Ax = b and Gx ≤ h.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

from refmc.checker import Verdict
from refmc.checker.numbers.rounding import Box
from refmc.checker.svm import qp
from refmc.core.records import Record, entries, numbers
from refmc.core.scalars import number_text, plain
from refmc.errors import (
    DataError,
    FormatError,
    InfeasibleError,
    NotPositiveSemidefiniteError,
    UnboundedError,
)
from refmc.learn.svm.active_set import Pivot
from refmc.learn.svm.qp import QPSolution, solve_qp
from refmc.oracle.declaring import FAMILY as FAMILY_NAME
from refmc.oracle.declaring import REMARKS, claim, number_at, numbers_at, required
from refmc.oracle.fields import Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import MATRIX, NUMBER, NUMBERS, TRUTH, list_of
from refmc.oracle.reading import matrix_of, row_of, truth_at
from refmc.oracle.rounded import rounded
from refmc.oracle.rows import OnStep, Row, each_step, pivot_row

FAMILY = "qp.convex"
MOST_UNKNOWNS = 1_000
"""The most unknowns and constraints together; a step takes the square of that many products."""


def _Q_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """Q = VᵀV."""
    n = range(sizes["unknowns"])
    V = [numbers(row, "V") for row in draws.rows(len(n), len(n), sizes.numbers)]
    return {"Q": [[number_text(sum((r[i] * r[j] for r in V), Fraction(0))) for j in n] for i in n]}


def _constraints(
    left: str, right: str, axis: str, says: str
) -> tuple[Field[list[list[Fraction]] | None], Field[list[Fraction] | None]]:
    """The fields of a matrix with a column for each unknown, and of the numbers beside its rows."""

    def draw(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
        m = sizes[axis]
        rows = draws.rows(m, sizes["unknowns"], sizes.numbers)
        return {left: rows, right: draws.row(m, sizes.numbers)}

    def read(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
        return matrix_of(value, place, len(reading[side] or ()), len(reading[C]))

    axes, told = (axis, "unknowns"), f"rows of n numbers, beside `{right}`"
    side = claim(right, says, NUMBERS, numbers_at, axes=(axis,), draws=draw)
    return claim(left, told, MATRIX, read, axes=axes, draws=draw), side


C = required("c", "n numbers", NUMBERS, numbers_at, axes=("unknowns",), power=1)
Q = required(
    "Q", "n rows of n numbers, symmetric and positive semi-definite", MATRIX,
    lambda value, place, reading: matrix_of(value, place, len(reading[C]), len(reading[C])),
    axes=("unknowns", "unknowns"), power=1, draws=_Q_drawn,
)  # fmt: skip
A, B = _constraints("A", "b", "equations", "beside `A`: Ax = b")
G, H = _constraints("G", "h", "inequalities", "beside `G`: Gx ≤ h")
PROBLEM = Declared(
    fields=(FAMILY_NAME, Q, C, A, B, G, H), beside={"A": "b", "b": "A", "G": "h", "h": "G"}
)


def _point(value: object, place: str, reading: Reading) -> list[Fraction]:
    return row_of(value, place, len(reading.about.c))


def _multipliers_of(
    side: Field[list[Fraction] | None], name: str, says: str
) -> Field[list[Fraction] | None]:
    """The field of a multiplier for each row of a side of the problem."""

    def read(value: object, place: str, reading: Reading) -> list[Fraction]:
        size = len(getattr(reading.about, side.name))
        if len(entries(value, place)) != size:
            expected = f"expected {size} numbers" if size else "the problem has no such rows"
            raise FormatError(f"{place}: {expected}")
        return numbers(value, place) if size else []

    return claim(name, says, list_of(NUMBER, 0), read, axes=side.axes, power=1)


X = claim("x", "n numbers", NUMBERS, _point, axes=("unknowns",))
RAY = claim("ray", "beside `bounded`", NUMBERS, _point, axes=("unknowns",))
NU = _multipliers_of(B, "equality_multipliers", "ν, one for each row of `A`")
MU = _multipliers_of(H, "inequality_multipliers", "μ, one for each row of `G`")
MULTIPLIERS = (NU, MU)
OBJECTIVE = claim("objective", "its value", NUMBER, number_at, power=1)
FEASIBLE = claim("feasible", "false: no x is feasible", TRUTH, truth_at)
BOUNDED = claim("bounded", "false: the objective has no lower bound", TRUTH, truth_at)
_CLAIMS = (X, *MULTIPLIERS, OBJECTIVE, FEASIBLE, BOUNDED, RAY)
ANSWER = Declared(fields=(*_CLAIMS, *REMARKS), some=_CLAIMS)
DECLARED = {FAMILY: ([PROBLEM], [ANSWER])}


def read_problem(record: Record) -> qp.QPProblem:
    """The program of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "qp.convex", "Q": [[1]], "c": ["1/2"]}).c
    [Fraction(1, 2)]
    """
    reading = PROBLEM.read(record)
    check_size(record)
    given = [field for field in (B, H, A, G) if field in reading]
    return qp.QPProblem(Q=reading[Q], c=reading[C], **reading.settings(*given))


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


def solve(problem: Record, on_step: OnStep | None, tie: object = None) -> dict[str, object]:
    """The optimum with its multipliers; or the proof that there is none.

    >>> program = {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": [1]}
    >>> str(solve(program, None)["objective"])
    '-3/2'
    """
    outcome, objective = _outcome(read_problem(problem), on_step)
    found: dict[str, object] = {"family": FAMILY}
    if isinstance(outcome, qp.Unbounded):
        return found | {"bounded": False, "x": outcome.x, "ray": outcome.r}
    if isinstance(outcome, qp.Infeasible):
        found["feasible"] = False
    else:
        found |= {"x": outcome.x, "objective": objective}
    proof = zip(MULTIPLIERS, (outcome.nu, outcome.mu))
    return found | {field.name: values for field, values in proof if values}


def _outcome(program: qp.QPProblem, on_step: OnStep | None) -> tuple[qp.Outcome, Fraction | None]:
    """What the learner finds, and the objective there."""
    try:
        found = _solved(program, on_step)
    except (InfeasibleError, UnboundedError) as error:
        told: Any = error  # problems hold Fractions only
        if isinstance(error, UnboundedError):
            return qp.Unbounded(told.point, told.ray), None
        return qp.Infeasible(told.equality_multipliers, told.inequality_multipliers), None
    multipliers = found.equality_multipliers, found.inequality_multipliers
    return qp.Optimum(found.x, *multipliers), found.objective


def _solved(program: qp.QPProblem, on_step: OnStep | None, **options: Any) -> QPSolution[Fraction]:
    try:
        found = solve_qp(
            program.Q, program.c, A=program.A, b=program.b, G=program.G, h=program.h,
            on_step=on_step, **options,
        )  # fmt: skip
    except DataError as error:
        raise FormatError(f"problem.{error}") from None
    except NotPositiveSemidefiniteError as error:
        convex = qp.lifted(program)
        if not isinstance(convex, qp.QPProblem) or not convex.shift:
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
    reading = ANSWER.read_answer(answer, FAMILY, read)
    given = qp.Answer(_claimed(reading), reading[OBJECTIVE], _rounded(answer))
    witness, _ = _outcome(read, on_step)
    return qp.judge(read, given, witness=witness, allowed=allowed)


def _rounded(answer: Record) -> Callable[[], Box] | None:
    """What the numbers of an optimum may stand for."""
    found = rounded(answer, X, *MULTIPLIERS, OBJECTIVE)
    if found is None:
        return None
    symbols = {NU.name: "nu", MU.name: "mu"}
    nothing: Box = {"nu": [[]], "mu": [[]]}  # multipliers of no rows may be left out
    return lambda: {**nothing, **{symbols.get(name, name): rows for name, rows in found().items()}}


def _claimed(reading: Reading) -> qp.Outcome | None:
    if reading[FEASIBLE] is False:
        _refuse(reading, (X, RAY, OBJECTIVE, BOUNDED), FEASIBLE)
        return qp.Infeasible(*_multipliers(reading))
    x = reading[X]
    if reading[BOUNDED] is False:
        _refuse(reading, (OBJECTIVE, *MULTIPLIERS), BOUNDED)
        return qp.Unbounded(x, reading[RAY])
    if RAY in reading:
        raise FormatError("answer.ray: belongs to bounded: false")
    nu, mu = _multipliers(reading)
    if x is not None:
        return qp.Optimum(x, nu, mu)
    if nu is not None:
        raise FormatError("answer: multipliers of an optimum need x beside them")
    if OBJECTIVE not in reading:
        raise FormatError("answer: expected x or objective, or feasible or bounded: false")
    return None


def _refuse(reading: Reading, fields: Sequence[Field[object]], claim: Field[object]) -> None:
    for field in filter(reading.__contains__, fields):
        raise FormatError(f"answer.{field.name}: does not go with {claim.name}: false")


def _multipliers(reading: Reading) -> tuple[list[Fraction] | None, list[Fraction] | None]:
    """ν and μ, or neither; those of no rows may be left out, or be an empty list."""
    if NU not in reading and MU not in reading:
        return None, None
    nu, mu = (
        reading[field] if field in reading else field.read([], f"answer.{field.name}", reading)
        for field in MULTIPLIERS
    )
    return nu, mu


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for each pivot: of the search for a feasible point, and of the descent from there.

    The search lowers t subject to Ax = b, Gx − t ≤ h, t ≥ 0. The rows end
    where it is proved that there is no such point, or no optimum.
    """
    read = read_problem(problem)
    n, zero = len(read.c), Fraction(0)
    _solved(qp.QPProblem(Q=read.Q, c=[zero] * n), None)  # refuses Q before there is any row
    start: list[Fraction] = []

    def search(report: OnStep) -> None:
        flat = replace(read, Q=[[zero] * n] * n, c=[zero] * n)
        start.extend(_solved(flat, report).x)

    with suppress(InfeasibleError, UnboundedError):
        for pivot in each_step(search):
            yield {"phase": "search", **_pivot_row(pivot, read, 1)}
        for pivot in each_step(lambda report: _solved(read, report, start=start)):
            yield {"phase": "descent", **_pivot_row(pivot, read, 0)}


def _pivot_row(pivot: Pivot[Any], program: qp.QPProblem, more: int) -> Row:
    """`more`: 1 in the search for a feasible point, which has the inequality t ≥ 0, too; else 0."""
    inequalities, n = len(program.h), len(program.c)

    def name(index: int) -> str:
        if index < inequalities:
            return f"G_{index}"
        column = index - inequalities - more
        return "t" if column < 0 or column == n else f"x_{column}"

    return pivot_row(pivot, name, {"objective": pivot.objective})
