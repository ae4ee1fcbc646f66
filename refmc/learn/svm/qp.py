"""Convex quadratic programs: minimise ½xᵀQx + cᵀx subject to Ax = b, Gx ≤ h.

Q may be positive semi-definite only; the constraints may be dependent. Exact where the numbers
are Fractions. The method is `active_set`, on the face of `matrix_face`.

[lu, "Lagrangian Dual Problem for Multi-Class SVM"]: its dual is such a program.

Legend: ν the multipliers of Ax = b, μ ≥ 0 those of Gx ≤ h.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Any, Generic

from refmc.core.definiteness import negative_direction, negative_direction_of_floats
from refmc.core.linalg import dot
from refmc.core.sample import Matrix, Row, read_together
from refmc.core.scalars import Number, S, exact, exact_parameter, listed, shown
from refmc.errors import (
    DataError,
    InfeasibleError,
    NotPositiveSemidefiniteError,
    ParameterError,
    UnboundedError,
)
from refmc.learn.svm.active_set import ActiveSet, Pivot
from refmc.learn.svm.matrix_face import MatrixFace, QuadraticProgram
from refmc.theory.grams import asymmetry


@dataclass(frozen=True)
class QPSolution(Generic[S]):
    """An optimal point x with the multipliers that prove it.

    Qx + c + Aᵀν + Gᵀμ = 0 with ν = `equality_multipliers`, μ = `inequality_multipliers` ≥ 0 and
    μ_i (h − Gx)_i = 0; exactly so for Fractions, up to roundings in float. `working_set`: the
    inequalities held at the end (a linearly independent choice of those that are tight).
    `iterations`: steps taken, the search for a start included. `residual`: the largest amount by
    which a condition of optimality is missed, computed exactly also from floats. The amounts are
    the entries of Ax − b, of Qx + c + Aᵀν + Gᵀμ and the μ_i (h − Gx)_i, all in absolute value, and
    the positive entries of Gx − h. A residual of 0 proves the optimum.
    """

    x: tuple[S, ...]
    objective: S
    equality_multipliers: tuple[S, ...]
    inequality_multipliers: tuple[S, ...]
    working_set: tuple[int, ...]
    iterations: int
    residual: Fraction


def solve_qp(
    Q: Matrix,
    c: Row,
    *,
    A: Matrix = (),
    b: Row = (),
    G: Matrix = (),
    h: Row = (),
    start: Row | None = None,
    on_step: Callable[[Pivot[Any]], None] | None = None,
    tolerance: Number = "1e-12",
) -> QPSolution[float] | QPSolution[Fraction]:
    """Minimise ½xᵀQx + cᵀx subject to Ax = b and Gx ≤ h, Q symmetric positive semi-definite.

    Q: n rows of n. c: n numbers. A, G: rows of n; b, h: one number for each row. `start`: a
    feasible point. Without one the same method finds it: from a point with Ax = b it minimises t
    subject to Ax = b, Gx − t ≤ h and t ≥ 0 (in float, t is multiplied by the size of each row).
    `on_step` receives each `Pivot`. Those of the search for a start come first: their objective is
    t, the constraint t ≥ 0 counts as a row after the last one of G, and `iteration` begins again
    after them. A coordinate that is released for the first time has as its index its number plus
    the number of inequalities. `tolerance` is used in float only, and is relative: a number counts
    as 0 if it is at most `tolerance` times the sum of the absolute values of the terms that it is
    added up from. A float search also ends when the objective no longer falls: where the data need
    more digits than floats have, lift them with `exact`.

    Ties: of several optimal points the first that the search reaches. The steepest edge enters, and
    of the constraints that block the one of least index leaves; after many steps without a move the
    edge of least index enters. The objective and Qx are the same for all optimal points. Raises
    `InfeasibleError`, `UnboundedError` and `NotPositiveSemidefiniteError`, each with its proof;
    `DataError`, `MixedArithmeticError`, `ParameterError` for a start that isn't feasible, and
    `ExactnessLimitError` beyond `MAX_DIGITS`. Cost: O(n³) before the first step, then O(n² + n·rows
    of G) for each step; memory O(n² + n·rows).

    >>> one, zero = Fraction(1), Fraction(0)
    >>> solution = solve_qp([[one, zero], [zero, one]], [-one, -one], G=[[one, one]], h=[one])
    >>> solution.x, solution.objective
    ((Fraction(1, 2), Fraction(1, 2)), Fraction(-3, 4))
    """
    parts = {"Q": Q, "c": [c], "A": A, "b": [b], "G": G, "h": [h]}
    numbers, zero = read_together(parts if start is None else {**parts, "start": [start]})
    problem = QuadraticProgram(
        Q=numbers["Q"],
        c=numbers["c"][0],
        A=numbers["A"],
        b=numbers["b"][0],
        G=numbers["G"],
        h=numbers["h"][0],
        zero=zero,
        tolerance=_read_tolerance(tolerance) if isinstance(zero, float) else zero,
    )
    _check_shapes(problem)
    find = negative_direction_of_floats if isinstance(zero, float) else negative_direction
    if (witness := find(problem.Q)) is not None:
        raise NotPositiveSemidefiniteError(
            f"Q is not positive semi-definite: vᵀQv < 0 for v = {listed(witness)}", witness
        )
    try:
        if start is None:
            x, spent = _feasible_point(problem, on_step)
        else:
            x, spent = numbers["start"][0], 0
            _check_start(problem, x)
        return _descend(problem, x, on_step, spent)
    except ZeroDivisionError:  # in float a product of tiny numbers may be 0, and is divided by
        if isinstance(zero, Fraction):
            raise
        raise DataError(
            "a product is below the range of floats; lift the data with exact()"
        ) from None


def _read_tolerance(tolerance: Number) -> float:
    value = exact_parameter(tolerance, "tolerance")
    if not 0 <= value < 1:
        raise ParameterError(f"tolerance: expected at least 0 and less than 1, got {shown(value)}")
    return float(value)


def _check_shapes(problem: QuadraticProgram[S]) -> None:
    n = len(problem.c)
    if n == 0:
        raise DataError("c: expected at least one number, got none")
    if len(problem.Q) != n or len(problem.Q[0]) != n:
        columns = len(problem.Q[0]) if problem.Q else 0
        raise DataError(
            f"Q: expected {n} rows of {n} numbers, as many as c has, "
            f"got {len(problem.Q)} rows of {columns}"
        )
    if (pair := asymmetry(problem.Q)) is not None:
        i, j = pair
        raise DataError(
            f"Q: row {i}, column {j} is {shown(problem.Q[i][j])} but row {j}, column {i} is "
            f"{shown(problem.Q[j][i])}; Q must be symmetric: (Q + Qᵀ)/2 has the same objective"
        )
    for name, rows, of_bounds, bounds in (
        ("A", problem.A, "b", problem.b),
        ("G", problem.G, "h", problem.h),
    ):
        if rows and len(rows[0]) != n:
            raise DataError(
                f"{name}: expected rows of {n} numbers, as many as c has, got {len(rows[0])}"
            )
        if len(rows) != len(bounds):
            raise DataError(
                f"{of_bounds}: expected {len(rows)} numbers, one a row of {name}, got {len(bounds)}"
            )


def _check_start(problem: QuadraticProgram[S], start: Sequence[S]) -> None:
    n = len(problem.c)
    if len(start) != n:
        raise ParameterError(f"start: expected {n} numbers, as many as c has, got {len(start)}")
    for i, (row, bound) in enumerate(zip(problem.A, problem.b)):
        missing = problem.gap(row, bound, start)
        if abs(missing) > problem.gap_noise(row, bound, start):
            raise ParameterError(f"start: misses row {i} of Ax = b by {shown(missing)}")
    i_worst = MatrixFace(problem, start).violated()
    if i_worst is not None:
        excess = -problem.gap(problem.G[i_worst], problem.h[i_worst], start)
        raise ParameterError(f"start: violates row {i_worst} of Gx <= h by {shown(excess)}")


def _descend(
    problem: QuadraticProgram[S],
    x: Sequence[S],
    on_step: Callable[[Pivot[S]], None] | None,
    spent: int,
) -> QPSolution[S]:
    """The optimum, from the feasible point x that took `spent` steps to find."""
    face = MatrixFace(problem, x)
    search = ActiveSet(face, on_step)
    endless = search.run()
    if endless is not None:
        ray = endless.direction
        raise UnboundedError(f"the objective falls for ever along {listed(ray)}", face.x, ray)
    nu, mu = face.multipliers()
    return QPSolution(
        x=tuple(face.x),
        objective=face.objective(),
        equality_multipliers=tuple(nu),
        inequality_multipliers=tuple(mu),
        working_set=face.working_set(),
        iterations=spent + search.iterations,
        residual=_residual(problem, face.x, nu, mu),
    )


def _residual(
    problem: QuadraticProgram[S], x: Sequence[S], nu: Sequence[S], mu: Sequence[S]
) -> Fraction:
    """The largest amount by which a condition of optimality is missed."""
    zero = Fraction(0)
    X, N, M, c, b, h = (exact(vector) for vector in (x, nu, mu, problem.c, problem.b, problem.h))
    Q, A, G = (exact(rows) for rows in (problem.Q, problem.A, problem.G))
    # Every float is a rational, so these sums are exact, whatever roundings the answer has.
    balance = [dot(row, X, zero) + c_j for row, c_j in zip(Q, c)]
    for multiplier, row in zip(list(N) + list(M), list(A) + list(G)):
        balance = [sum_j + multiplier * a for sum_j, a in zip(balance, row)]
    missing = [dot(row, X, zero) - b_i for row, b_i in zip(A, b)]
    slack = [h_i - dot(row, X, zero) for row, h_i in zip(G, h)]
    complementarity = [m * s for m, s in zip(M, slack)]
    amounts = balance + missing + complementarity
    return max([abs(amount) for amount in amounts] + [-s for s in slack])


def _feasible_point(
    problem: QuadraticProgram[S], on_step: Callable[[Pivot[S]], None] | None
) -> tuple[Sequence[S], int]:
    """A point that meets all constraints, and the steps that the search for it took."""
    face = MatrixFace(problem, [problem.zero] * len(problem.c))
    face.meet_held()
    if face.violated() is None:
        return face.x, 0
    units = _units(problem, face.x)
    # At this t the inequality that is missed most holds with equality, and so (x, t) is feasible.
    t = max(-slack / unit for slack, unit in zip(face.slack, units))
    found = _descend(_relaxed(problem, units), face.x + [t], on_step, 0)
    # By duality the least t is −(bᵀν + hᵀμ), with the multipliers of the optimum.
    nu, mu = found.equality_multipliers, found.inequality_multipliers[:-1]
    multipliers, bounds = list(nu + mu), list(problem.b) + list(problem.h)
    amount = problem.dot(multipliers, bounds)
    if amount < -problem.noise(map(mul, multipliers, bounds)):
        raise InfeasibleError(
            f"no point meets Ax = b and Gx <= h: the rows of A times {listed(nu)} and those of "
            f"G times {listed(mu)} add up to 0 <= {shown(amount)}",
            nu,
            mu,
        )
    return found.x[:-1], found.iterations


def _units(problem: QuadraticProgram[S], x: Sequence[S]) -> list[S]:
    """What to measure violations in: 1 if exact, else each row's own size at x.

    Where that is 0 (a bound of 0 at x = 0), it is estimated from the sizes that the other rows
    imply for the unknowns, so that the answer doesn't depend on the units of the unknowns.
    """
    zero, one = problem.zero, problem.zero + 1
    if isinstance(one, Fraction):
        return [one] * len(problem.G)
    sizes = [problem.gap_size(row, bound, x) for row, bound in zip(problem.G, problem.h)]
    reach = [
        min((size / abs(a) for a, size in zip(column, sizes) if a and size), default=zero)
        for column in zip(*problem.G)
    ]
    by_others = [problem.size(map(mul, row, reach)) for row in problem.G]
    return [
        size or other or max(map(abs, row)) or one
        for size, other, row in zip(sizes, by_others, problem.G)
    ]


def _relaxed(problem: QuadraticProgram[S], units: Sequence[S]) -> QuadraticProgram[S]:
    """Minimise t subject to Ax = b, Gx − t·units ≤ h, t ≥ 0.

    The minimum is 0 just where the problem is feasible.
    """
    zero, one = problem.zero, problem.zero + 1
    n = len(problem.c)
    return QuadraticProgram(
        Q=[[zero] * (n + 1)] * (n + 1),
        c=[zero] * n + [one],
        A=[list(row) + [zero] for row in problem.A],
        b=problem.b,
        G=[list(row) + [-unit] for row, unit in zip(problem.G, units)] + [[zero] * n + [-one]],
        h=list(problem.h) + [zero],
        zero=zero,
        tolerance=problem.tolerance,
    )
