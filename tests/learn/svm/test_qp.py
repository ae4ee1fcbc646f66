"""Every outcome of `solve_qp` is proved here by its own multipliers, ray or witness."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from refmc.errors import (
    DataError,
    InfeasibleError,
    MixedArithmeticError,
    NotPositiveSemidefiniteError,
    ParameterError,
    RefmcError,
    UnboundedError,
)
from refmc.learn.svm.active_set import Pivot
from refmc.learn.svm.qp import QPSolution, solve_qp
from refmc.lectures import lu
from tests.support import Array, inner

F = Fraction
Vector = list[Fraction]
Matrix = list[list[Fraction]]


class Program(NamedTuple):
    """Minimise ½xᵀQx + cᵀx subject to Ax = b, Gx ≤ h."""

    Q: Matrix
    c: Vector
    A: Matrix
    b: Vector
    G: Matrix
    h: Vector


def lifted(values: Iterable[Any]) -> Vector:
    return [F(a) for a in values]


def times(rows: Sequence[Sequence[Fraction]], v: Sequence[Fraction]) -> Vector:
    return [inner(row, v) for row in rows]


def combination(weights: Sequence[Fraction], rows: Sequence[Sequence[Fraction]], n: int) -> Vector:
    return [sum((w * row[j] for w, row in zip(weights, rows)), F(0)) for j in range(n)]


def value(p: Program, x: Sequence[Fraction]) -> Fraction:
    return inner(x, times(p.Q, x)) / 2 + inner(p.c, x)


def is_feasible(p: Program, x: Sequence[Fraction]) -> bool:
    return times(p.A, x) == p.b and all(a <= h for a, h in zip(times(p.G, x), p.h))


def solve(p: Program, **options: Any) -> QPSolution[Any]:
    return solve_qp(p.Q, p.c, A=p.A, b=p.b, G=p.G, h=p.h, **options)


def outcome(p: Program, **options: Any) -> QPSolution[Any] | RefmcError:
    """The solution, or the error that proves there is none; each proved before it is returned."""
    try:
        solution = solve(p, **options)
    except InfeasibleError as error:
        prove_infeasible(p, error)
        return error
    except UnboundedError as error:
        prove_unbounded(p, error)
        return error
    except NotPositiveSemidefiniteError as error:
        v = lifted(error.witness)
        assert inner(v, times(p.Q, v)) < 0
        return error
    prove_optimal(p, solution)
    return solution


def prove_optimal(p: Program, solution: QPSolution[Fraction]) -> None:
    x, nu, mu = solution.x, solution.equality_multipliers, solution.inequality_multipliers
    assert all(isinstance(number, Fraction) for number in (*x, *nu, *mu, solution.objective))
    assert (len(nu), len(mu)) == (len(p.A), len(p.G))
    assert is_feasible(p, x)
    assert all(m >= 0 for m in mu)
    assert all(m == 0 or inner(row, x) == h for m, row, h in zip(mu, p.G, p.h))
    n = len(p.c)
    terms = (times(p.Q, x), p.c, combination(nu, p.A, n), combination(mu, p.G, n))
    assert [sum(column) for column in zip(*terms)] == [0] * n
    assert solution.objective == value(p, x)
    assert solution.residual == 0
    assert all(inner(p.G[i], x) == p.h[i] for i in solution.working_set)
    held = [p.G[i] for i in solution.working_set]
    assert rank(p.A + held) == rank(p.A) + len(held)
    assert {i for i, m in enumerate(mu) if m} <= set(solution.working_set)


def prove_infeasible(p: Program, error: InfeasibleError) -> None:
    nu, mu = lifted(error.equality_multipliers), lifted(error.inequality_multipliers)
    n = len(p.c)
    assert all(m >= 0 for m in mu)
    both = zip(combination(nu, p.A, n), combination(mu, p.G, n))
    assert [a + g for a, g in both] == [0] * n
    assert inner(nu, p.b) + inner(mu, p.h) < 0


def prove_unbounded(p: Program, error: UnboundedError) -> None:
    point, ray = lifted(error.point), lifted(error.ray)
    assert is_feasible(p, point)
    assert times(p.Q, ray) == [0] * len(p.c)
    assert times(p.A, ray) == [0] * len(p.A)
    assert all(a <= 0 for a in times(p.G, ray))
    assert inner(p.c, ray) < 0


def rank(rows: Sequence[Sequence[Fraction]]) -> int:
    return len(lu.reduced(rows)[1]) if rows else 0


def candidates(p: Program) -> list[Vector]:
    """For each set of inequalities: some point where the gradient is normal to its face.

    If there is an optimum, there is one whose face has no direction of zero curvature that would
    meet another inequality; on that face every solution is optimal, so the least of them is.
    """
    n, found = len(p.c), []
    for size in range(len(p.G) + 1):
        for chosen in itertools.combinations(range(len(p.G)), size):
            rows = p.A + [p.G[i] for i in chosen]
            zeros = [F(0)] * len(rows)
            M = [q + [row[i] for row in rows] for i, q in enumerate(p.Q)]
            M += [row + zeros for row in rows]
            z, is_solution = lu.solve(M, [-a for a in p.c] + p.b + [p.h[i] for i in chosen])
            if is_solution and is_feasible(p, z[:n]):
                found.append(z[:n])
    return found


def program(
    Q: Sequence[Sequence[Any]],
    c: Sequence[Any],
    A: Sequence[Sequence[Any]] = (),
    b: Sequence[Any] = (),
    G: Sequence[Sequence[Any]] = (),
    h: Sequence[Any] = (),
) -> Program:
    Q, A, G = ([lifted(row) for row in rows] for rows in (Q, A, G))
    return Program(Q, lifted(c), A, lifted(b), G, lifted(h))


ENTRY = st.sampled_from([0, 0, 1, -1, 2, -2])
MISS = st.sampled_from([0, 0, 0, 0, 0, 0, 1])
ROOM = st.sampled_from([0, 0, 0, 1, 2, -1])


@st.composite
def programs(draw: st.DrawFn, size: int = 5, rows: int = 8) -> Program:
    """Degenerate on purpose: small whole numbers, rows through one point, repeated rows."""
    n = draw(st.integers(1, size))
    vector = st.lists(ENTRY, min_size=n, max_size=n)
    B = draw(st.lists(vector, max_size=n))
    Q = [[sum(row[i] * row[j] for row in B) for j in range(n)] for i in range(n)]
    point = draw(vector)
    A, G = draw(st.lists(vector, max_size=3)), draw(st.lists(vector, max_size=rows))
    G += draw(st.lists(st.sampled_from(G), max_size=2)) if G else []
    if draw(st.booleans()):
        unit = [[int(i == j) for i in range(n)] for j in range(n)]
        G = (G + unit + [[-a for a in row] for row in unit])[:rows]
    b = [sum(map(int.__mul__, row, point)) + draw(MISS) for row in A]
    h = [sum(map(int.__mul__, row, point)) + draw(ROOM) for row in G]
    return program(Q, draw(vector), A, b, G, h)


def as_floats(p: Program) -> Program:
    """The same program in float; its numbers are small dyadic fractions, so none is rounded."""
    cast: Any = [
        [[float(a) for a in row] for row in part]
        if part and isinstance(part[0], list)
        else [float(a) for a in part]  # type: ignore[arg-type]  # a vector, as the line above says
        for part in p
    ]
    return Program(*cast)


class Units(NamedTuple):
    """What the unknowns, the equalities and the inequalities of a program are measured in."""

    unknowns: Vector
    equalities: Vector
    inequalities: Vector


def in_units(p: Program, units: Units) -> Program:
    """The same program for x_j / unit_j, with every row times its unit."""
    u, v, w = units
    return Program(
        [[q * a * b for q, b in zip(row, u)] for row, a in zip(p.Q, u)],
        [c * a for c, a in zip(p.c, u)],
        [[g * a * s for g, a in zip(row, u)] for row, s in zip(p.A, v)],
        [b * s for b, s in zip(p.b, v)],
        [[g * a * s for g, a in zip(row, u)] for row, s in zip(p.G, w)],
        [h * s for h, s in zip(p.h, w)],
    )


def residual(
    p: Program, x: Sequence[Fraction], nu: Sequence[Fraction], mu: Sequence[Fraction]
) -> Fraction:
    """The worst KKT residual, each divided by 1 + the sizes of its terms; no rounding here."""
    assert all(m >= 0 for m in mu)
    sums = [
        [p.c[j], *(q * a for q, a in zip(row, x))]
        + [m * g[j] for m, g in zip((*nu, *mu), p.A + p.G)]
        for j, row in enumerate(p.Q)
    ]
    sums += [[bound, *(-a * b for a, b in zip(row, x))] for row, bound in zip(p.A, p.b)]
    for m, row, bound in zip(mu, p.G, p.h):
        gap = bound - inner(row, x)
        sums += [[min(gap, m) if gap > 0 else gap]]
    return max(abs(sum(terms, F(0))) / sum(map(abs, terms), F(1)) for terms in sums)


# Proofs and brute force


@given(programs())
def test_every_outcome_is_proved_exactly(p: Program) -> None:
    outcome(p)


@given(programs(size=3, rows=5))
def test_the_optimum_is_the_least_of_all_faces(p: Program) -> None:
    found, points = outcome(p), candidates(p)
    if isinstance(found, QPSolution):
        assert found.objective == min(value(p, x) for x in points)
    if isinstance(found, InfeasibleError):
        assert not points


@given(programs(), st.data())
def test_symmetric_matrices_are_judged_convex_or_refuted_by_a_witness(
    p: Program, data: st.DataObject
) -> None:
    n = len(p.c)
    entry = st.sampled_from([F(a, 2) for a in (-1, 0, 0, 1, 2, 4)])
    lower = [[data.draw(entry) for _ in range(i + 1)] for i in range(n)]
    Q = [[lower[max(i, j)][min(i, j)] for j in range(n)] for i in range(n)]
    outcome(p._replace(Q=Q))


@given(programs(), st.randoms(use_true_random=False))
def test_the_order_of_unknowns_and_rows_changes_no_objective(p: Program, shuffle: Any) -> None:
    columns, rows = list(range(len(p.c))), list(range(len(p.G)))
    shuffle.shuffle(columns)
    shuffle.shuffle(rows)
    permuted = Program(
        [[p.Q[i][j] for j in columns] for i in columns],
        [p.c[j] for j in columns],
        [[row[j] for j in columns] for row in p.A],
        p.b,
        [[p.G[i][j] for j in columns] for i in rows],
        [p.h[i] for i in rows],
    )
    one, other = outcome(p), outcome(permuted)
    assert type(one) is type(other)
    if isinstance(one, QPSolution) and isinstance(other, QPSolution):
        assert one.objective == other.objective
        assert [times(p.Q, one.x)[j] for j in columns] == times(permuted.Q, other.x)


# Hand examples


def test_an_inequality_that_pushes_up_has_a_positive_multiplier() -> None:
    solution = solve(program([[1]], [0], G=[[-1]], h=[-1]))
    assert solution == QPSolution((F(1),), F(1, 2), (), (F(1),), (0,), solution.iterations, F(0))


def test_an_equality_multiplier_is_minus_the_gradient_along_its_row() -> None:
    solution = solve(program([[1]], [0], A=[[1]], b=[1]))
    assert (solution.x, solution.equality_multipliers) == ((F(1),), (F(-1),))


def test_without_constraints_the_stationary_point_is_found() -> None:
    solution = solve(program([[2, 1], [1, 2]], [-3, -3]))
    assert (solution.x, solution.objective) == ((F(1), F(1)), F(-3))
    assert solution.working_set == ()


def test_one_unknown_between_two_bounds() -> None:
    p = program([[1]], [-5], G=[[1], [-1]], h=[2, 3])
    assert (solve(p).x, solve(p).inequality_multipliers) == ((F(2),), (F(3), F(0)))


def test_the_projection_on_a_simplex_is_rational() -> None:
    identity = [[int(i == j) for j in range(3)] for i in range(3)]
    p = program(
        identity,
        [F(-1, 2), F(-2, 3), 1],
        A=[[1, 1, 1]],
        b=[1],
        G=[[-a for a in row] for row in identity],
        h=[0, 0, 0],
    )
    assert solve(p).x == (F(5, 12), F(7, 12), F(0))


def test_redundant_equalities_get_the_multiplier_zero() -> None:
    p = program([[1, 0], [0, 1]], [0, 0], A=[[1, 1], [2, 2], [0, 0]], b=[1, 2, 0])
    solution = solve(p)
    assert solution.x == (F(1, 2), F(1, 2))
    assert solution.equality_multipliers == (F(-1, 2), F(0), F(0))


@pytest.mark.parametrize("b", [[1, 3], [1, 1], [-1, 2]])
def test_contradictory_equalities_are_refuted_by_a_combination(b: list[int]) -> None:
    p = program([[1, 0], [0, 1]], [0, 0], A=[[1, 1], [2, 2]], b=b)
    with pytest.raises(InfeasibleError, match="row 1 depends on earlier rows") as caught:
        solve(p)
    prove_infeasible(p, caught.value)


def test_a_row_of_zeros_with_another_right_side_is_a_contradiction() -> None:
    for p in (program([[1]], [0], A=[[0]], b=[1]), program([[1]], [0], G=[[0]], h=[-1])):
        assert isinstance(outcome(p), InfeasibleError)


def test_equalities_may_leave_a_single_point() -> None:
    p = program([[0, 0], [0, 0]], [1, 1], A=[[1, 0], [1, 1]], b=[3, 5], G=[[1, 1]], h=[5])
    assert solve(p).x == (F(3), F(2))


def test_equalities_may_leave_a_single_point_that_is_infeasible() -> None:
    p = program([[0, 0], [0, 0]], [1, 1], A=[[1, 0], [1, 1]], b=[3, 5], G=[[1, 1]], h=[4])
    assert isinstance(outcome(p), InfeasibleError)


def test_a_direction_without_curvature_is_followed_to_its_end() -> None:
    p = program([[1, -1], [-1, 1]], [-1, 0], G=[[1, 0], [0, 1]], h=[3, 3])
    assert (solve(p).x, solve(p).objective) == ((F(3), F(3)), F(-3))
    assert isinstance(outcome(p._replace(G=[], h=[])), UnboundedError)


# Linear programs that make the simplex method cycle, all at a degenerate vertex

NONNEGATIVE = [[-int(i == j) for j in range(4)] for i in range(4)]
BEALE = program(
    [[0] * 4] * 4,
    [F(-3, 4), 150, F(-1, 50), 6],
    G=[[F(1, 4), -60, F(-1, 25), 9], [F(1, 2), -90, F(-1, 50), 3], [0, 0, 1, 0], *NONNEGATIVE],
    h=[0, 0, 1, 0, 0, 0, 0],
)
KUHN = program(
    [[0] * 4] * 4,
    [-2, -3, 1, 12],
    G=[[-2, -9, 1, 9], [F(1, 3), 1, F(-1, 3), -2], [2, 3, -1, -12], *NONNEGATIVE],
    h=[0, 0, 2, 0, 0, 0, 0],
)
MARSHALL_SUURBALLE = program(
    [[0] * 4] * 4,
    [-10, 57, 9, 24],
    G=[
        [F(1, 2), F(-11, 2), F(-5, 2), 9],
        [F(1, 2), F(-3, 2), F(-1, 2), 1],
        [1, 0, 0, 0],
        *NONNEGATIVE,
    ],
    h=[0, 0, 1, 0, 0, 0, 0],
)
CYCLING = [(BEALE, F(-1, 20)), (KUHN, F(-2)), (MARSHALL_SUURBALLE, F(-1))]


@pytest.mark.parametrize(("p", "optimum"), CYCLING)
def test_classic_cycling_programs_end(p: Program, optimum: Fraction) -> None:
    for start in (None, [0, 0, 0, 0]):
        found = outcome(p, start=start)
        assert isinstance(found, QPSolution) and found.objective == optimum


@pytest.mark.parametrize("p", [p for p, _ in CYCLING])
def test_classic_cycling_programs_end_in_any_order_of_rows(p: Program) -> None:
    optimum = solve(p).objective
    for shift in range(len(p.G)):
        order = [*range(shift, len(p.G)), *range(shift)][::-1]
        turned = p._replace(G=[p.G[i] for i in order], h=[p.h[i] for i in order])
        found = outcome(turned, start=[0, 0, 0, 0])
        assert isinstance(found, QPSolution) and found.objective == optimum


@pytest.mark.parametrize(("p", "optimum"), CYCLING)
def test_classic_cycling_programs_end_in_float(p: Program, optimum: Fraction) -> None:
    solution = solve(as_floats(p))
    assert math.isclose(solution.objective, float(optimum), rel_tol=1e-12)


def test_a_klee_minty_cube_is_descended() -> None:
    n = 6
    rows = [[2 ** (i - j + 1) if j < i else int(i == j) for j in range(n)] for i in range(n)]
    signs = [[-int(i == j) for j in range(n)] for i in range(n)]
    p = program(
        [[0] * n] * n,
        [-(2 ** (n - 1 - j)) for j in range(n)],
        G=rows + signs,
        h=[5 ** (i + 1) for i in range(n)] + [0] * n,
    )
    found = outcome(p, start=[0] * n)
    assert isinstance(found, QPSolution) and found.objective == -(5**n)


def test_an_assignment_problem_ends_at_a_permutation() -> None:
    k = 3
    cells = list(itertools.product(range(k), range(k)))
    cost = [[4, 1, 3], [2, 0, 5], [3, 2, 2]]
    A = [[int(i == row) for i, _ in cells] for row in range(k)]
    A += [[int(j == column) for _, j in cells] for column in range(k)]
    p = program(
        [[0] * 9] * 9,
        [cost[i][j] for i, j in cells],
        A=A,
        b=[1] * 6,
        G=[[-int(i == j) for j in range(9)] for i in range(9)],
        h=[0] * 9,
    )
    found = outcome(p)
    assert isinstance(found, QPSolution)
    best = min(
        sum(cost[i][j] for i, j in enumerate(order)) for order in itertools.permutations(range(k))
    )
    assert found.objective == best and set(found.x) == {F(0), F(1)}


# Starts


@given(programs())
def test_a_start_at_any_feasible_point_leads_to_the_same_optimum(p: Program) -> None:
    found = outcome(p)
    assume(isinstance(found, QPSolution))
    assert isinstance(found, QPSolution)
    for start in [found.x, *candidates(p._replace(G=p.G[:4], h=p.h[:4]))]:
        if is_feasible(p, start):
            again = outcome(p, start=start)
            assert isinstance(again, QPSolution) and again.objective == found.objective


def test_a_start_in_the_interior_reaches_a_vertex() -> None:
    p = program([[0, 0], [0, 0]], [-1, -2], G=[[1, 1], [0, 1], [-1, 0], [0, -1]], h=[4, 3, 0, 0])
    found = outcome(p, start=[F(1), F(1)])
    assert isinstance(found, QPSolution) and found.x == (F(1), F(3))


def test_a_start_at_the_optimum_needs_no_move() -> None:
    p = program([[1, 0], [0, 1]], [-2, -2], G=[[1, 0], [0, 1]], h=[1, 1])
    steps: list[Pivot[Fraction]] = []
    assert solve(p, start=[1, 1], on_step=steps.append).x == (F(1), F(1))
    assert all(pivot.step == 0 for pivot in steps)


def test_an_infeasible_start_is_refused_with_its_worst_row() -> None:
    p = program([[1, 0], [0, 1]], [0, 0], A=[[1, 1]], b=[2], G=[[1, 0], [2, 0]], h=[1, 1])
    with pytest.raises(ParameterError, match=r"start: misses row 0 of Ax = b by 1"):
        solve(p, start=[1, 0])
    with pytest.raises(ParameterError, match=r"start: violates row 1 of Gx <= h by 3"):
        solve(p, start=[2, 0])
    with pytest.raises(ParameterError, match="start: expected 2 numbers, as many as c has, got 1"):
        solve(p, start=[2])


def test_a_start_cannot_hide_a_contradiction() -> None:
    p = program([[1]], [0], A=[[1], [1]], b=[1, 2])
    with pytest.raises(ParameterError, match="start: misses row 1 of Ax = b"):
        solve(p, start=[1])


# Steps


def phases(steps: list[Pivot[Fraction]]) -> list[list[Pivot[Fraction]]]:
    split: list[list[Pivot[Fraction]]] = []
    for pivot in steps:
        if pivot.iteration == 1:
            split.append([])
        split[-1].append(pivot)
    return split


@given(programs())
def test_the_objective_never_rises_and_falls_with_every_step_of_some_length(p: Program) -> None:
    steps: list[Pivot[Fraction]] = []
    outcome(p, on_step=steps.append)
    for phase in phases(steps):
        assert [pivot.iteration for pivot in phase] == list(range(1, len(phase) + 1))
        for before, after in itertools.pairwise(phase):
            if after.step == 0:
                assert after.objective == before.objective
            else:
                assert after.step > 0 and after.objective < before.objective


@given(programs())
def test_steps_tell_how_the_working_set_changes(p: Program) -> None:
    steps: list[Pivot[Fraction]] = []
    outcome(p, on_step=steps.append)
    for phase in phases(steps):
        for before, after in itertools.pairwise(phase):
            expected = set(before.working_set) - {after.entering}
            expected |= set() if after.leaving is None else {after.leaving}
            assert set(after.working_set) == expected
            assert after.leaving not in before.working_set
            change = (before.leaving is None) - (after.entering is None)
            assert after.leaving is None or change <= 1


@given(programs())
def test_iterations_count_the_steps_that_were_reported(p: Program) -> None:
    steps: list[Pivot[Fraction]] = []
    found = outcome(p, on_step=steps.append)
    if isinstance(found, QPSolution):
        assert found.iterations == len(steps)


# Data in and out


def numbers_like(p: Program, convert: Callable[[Any], Any]) -> dict[str, Any]:
    parts = {name: convert(part) for name, part in p._asdict().items()}
    return {"Q": parts.pop("Q"), "c": parts.pop("c"), **parts}


def as_tuples(part: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(a) if isinstance(a, list) else a for a in part)


def test_lists_tuples_and_arrays_give_the_same_solution() -> None:
    solutions = [solve_qp(**numbers_like(BEALE, kind)) for kind in (list, as_tuples, Array)]
    assert solutions[0] == solutions[1] == solutions[2]


@given(programs())
def test_inputs_are_not_modified(p: Program) -> None:
    before = copy.deepcopy(p)
    outcome(p)
    assert p == before


def test_whole_numbers_alone_are_computed_in_float() -> None:
    solution = solve_qp([[2]], [-3])
    assert solution.x == (1.5,) and isinstance(solution.x[0], float)


def test_one_fraction_makes_the_whole_program_exact() -> None:
    solution = solve_qp([[3]], [-1], G=[[1]], h=[F(1)])
    assert solution.x == (F(1, 3),) and isinstance(solution.x[0], Fraction)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"c": []}, DataError, "c: expected at least one number, got none"),
        (
            {"Q": []},
            DataError,
            "Q: expected 2 rows of 2 numbers, as many as c has, got 0 rows of 0",
        ),
        ({"Q": [[1.0]]}, DataError, "Q: expected 2 rows of 2 .* got 1 rows of 1"),
        ({"Q": [[1.0, 0.0]]}, DataError, "Q: expected 2 rows of 2 .* got 1 rows of 2"),
        ({"Q": [[1.0], [0.0]]}, DataError, "Q: expected 2 rows of 2 .* got 2 rows of 1"),
        ({"Q": [[1.0, 0.0]] * 3}, DataError, "Q: expected 2 rows of 2 .* got 3 rows of 2"),
        ({"Q": [[1.0, 0.0], [0.0]]}, DataError, "Q: row 1 has 1 values, row 0 has 2"),
        ({"Q": [[1, 2], [3, 1]]}, DataError, r"Q: row 1, column 0 is 3.0 but .* \(Q \+ Qᵀ\)/2"),
        ({"Q": [[1, 2], [math.nan, 1]]}, DataError, "Q: row 1, column 0: expected a finite number"),
        ({"c": [1.0, math.inf]}, DataError, "c: .*1: expected a finite number"),
        ({"c": 1.0}, DataError, "c: .*expected a sequence of numbers, got float"),
        ({"A": [[1.0]], "b": [1.0]}, DataError, "A: expected rows of 2 numbers.* got 1"),
        ({"A": [[1.0, 1.0]]}, DataError, "b: expected 1 numbers, one a row of A, got 0"),
        ({"G": [[1.0, 1.0]], "h": [1.0, 2.0]}, DataError, "h: expected 1 numbers.* of G, got 2"),
        ({"h": [1.0]}, DataError, "h: expected 0 numbers, one a row of G, got 1"),
        ({"G": [[1.0, "1"]], "h": [1.0]}, DataError, "G: row 0, column 1: expected a number"),
        ({"G": [[F(1), 0.5]], "h": [1]}, MixedArithmeticError, "G: row 0, column 0.* beside"),
        ({"start": [F(1), F(1)]}, MixedArithmeticError, "start"),
        ({"Q": [[0.0, 1.0], [1.0, 0.0]]}, NotPositiveSemidefiniteError, "vᵀQv < 0 for v = "),
        ({"tolerance": 1}, ParameterError, "tolerance: expected at least 0 and less than 1, got 1"),
        ({"tolerance": -0.5}, ParameterError, "tolerance: expected at least 0"),
        ({"tolerance": "abc"}, ParameterError, "tolerance: 'abc' is not a number"),
    ],
)
def test_what_is_wrong_is_named_with_its_place(
    arguments: dict[str, Any], kind: type[RefmcError], message: str
) -> None:
    with pytest.raises(kind, match=message):
        solve_qp(**{"Q": [[1.0, 0.0], [0.0, 1.0]], "c": [1.0, 1.0], **arguments})


def test_messages_with_endless_digits_and_rows_stay_short() -> None:
    huge = F(10**5000 + 1, 3)
    p = program([[0]], [1], G=[[1], [-1]] * 10, h=[-huge, huge - 1] * 10)
    with pytest.raises(InfeasibleError) as caught:
        solve(p)
    prove_infeasible(p, caught.value)
    assert len(str(caught.value)) < 300
    with pytest.raises(ParameterError) as refused:
        solve(p, start=[1])
    assert len(str(refused.value)) < 150


# Float


def compare_with_exact(p: Program, units: Units) -> None:
    """Float data in these units against the exact program in its own small numbers."""
    found = outcome(p)
    try:
        solution = solve(as_floats(in_units(p, units)))
    except RefmcError as error:
        assert type(error) is type(found)
        return
    assert isinstance(found, QPSolution)
    x = [F(a) * u for a, u in zip(solution.x, units.unknowns)]
    nu = [F(a) * s for a, s in zip(solution.equality_multipliers, units.equalities)]
    mu = [F(a) * s for a, s in zip(solution.inequality_multipliers, units.inequalities)]
    assert residual(p, x, nu, mu) < F(1, 10**9)
    size = sum((abs(c * a) for c, a in zip(p.c, x)), F(1))
    assert abs(F(solution.objective) - found.objective) < F(1, 10**9) * size


@st.composite
def programs_in_units(draw: st.DrawFn) -> tuple[Program, Units]:
    """Units that differ by up to 2⁸⁰; floats hold every number exactly."""
    p = draw(programs())
    unit = st.integers(-40, 40).map(lambda k: F(2) ** k)
    units = (st.lists(unit, min_size=len(part), max_size=len(part)) for part in (p.c, p.A, p.G))
    return p, Units(*map(draw, units))


@given(programs())
def test_floats_come_to_the_exact_outcome(p: Program) -> None:
    compare_with_exact(p, Units(*([F(1)] * len(part) for part in (p.c, p.A, p.G))))


@given(programs_in_units())
def test_floats_come_to_the_exact_outcome_in_any_units(case: tuple[Program, Units]) -> None:
    compare_with_exact(*case)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(1, 4), st.data())
def test_float_runs_end_whatever_the_numbers(n: int, data: st.DataObject) -> None:
    number = st.floats(allow_nan=False, allow_infinity=False) | st.floats(-4, 4)
    vector = st.lists(number, min_size=n, max_size=n)
    B = data.draw(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=n, max_size=n), max_size=n))
    Q = [[math.fsum(r[i] * r[j] for r in B) for j in range(n)] for i in range(n)]
    G, A = data.draw(st.lists(vector, max_size=6)), data.draw(st.lists(vector, max_size=2))
    h = data.draw(st.lists(number, min_size=len(G), max_size=len(G)))
    b = data.draw(st.lists(number, min_size=len(A), max_size=len(A)))
    try:
        solution = solve_qp(Q, data.draw(vector), A=A, b=b, G=G, h=h)
    except RefmcError:
        return
    assert all(map(math.isfinite, solution.x))


def test_zero_curvature_that_rounding_hides_is_still_unbounded() -> None:
    direction = [0.1, 0.7, -0.3]  # Q is of rank one, but for the roundings of its entries
    Q = [[a * b for b in direction] for a in direction]
    with pytest.raises(UnboundedError):
        solve_qp(Q, [1.0, 2.0, -0.4])


def test_a_slope_that_is_only_rounding_does_not_make_a_bounded_program_unbounded() -> None:
    Q = [[1, 0, 0, 1], [0, 8, 2, 4], [0, 2, 1, 0], [1, 4, 0, 5]]
    assert math.isclose(solve_qp(Q, [0, 2, 0, 2]).objective, -0.5)


def test_curvature_that_is_only_the_rounding_of_a_direction_does_not_end_a_ray() -> None:
    Q = [[1.0, -1.0, 0.0, 1.0], [-1.0, 2.0, 0.0, -1.0], [0.0] * 4, [1.0, -1.0, 0.0, 1.0]]
    with pytest.raises(UnboundedError):
        solve_qp(Q, [0.0, 0.0, 1.0, 0.0], G=[[1.0, 0.5, 0.5, 0.0]], h=[-1.0])


def test_a_coordinate_of_a_direction_that_is_only_rounding_blocks_nothing() -> None:
    Q = [[0, 0, 0, 0, 0], [0, 2, -2, 1, 0], [0, -2, 5, -2, -2], [0, 1, -2, 1, 0], [0, 0, -2, 0, 4]]
    G = [[0, 1, 1, 0, -2], [-1, 0, 1, 0, 1], [1, 0, 0, 0, 0], [0, 1, 0, 0, 0]]
    with pytest.raises(UnboundedError):
        solve_qp(Q, [1, 0, 0, 0, 0], G=G, h=[0] * 4)


def test_the_residual_of_a_float_answer_is_the_exact_violation() -> None:
    # 0.1·3 = 0.3 has no exact float: x is the nearest, and misses 3x = 0.9 or 0.3 = x by a rounding
    solution = solve_qp([[1.0]], [0.0], A=[[3.0]], b=[0.9])
    x, nu = F(solution.x[0]), F(solution.equality_multipliers[0])
    assert solution.residual == max(abs(3 * x - F(0.9)), abs(x + 3 * nu))
    assert 0 < solution.residual < F(1, 10**15)


def test_an_unknown_fixed_by_rounding_makes_no_direction_of_its_own() -> None:
    """Entries of E that cancel must be 0: beside a unit row they would look significant."""
    p = program(
        [[0] * 3] * 3,
        [1, 1, -1],
        A=[[1, 3, 1], [3, 9, 3]],
        b=[F(1, 2), F(3, 2)],
        G=[[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, 0, 0], [0, -1, 0], [0, 0, -1]],
        h=[1] * 6,
    )
    found, solution = outcome(p), solve(as_floats(p))
    assert isinstance(found, QPSolution) and solution.objective == float(found.objective)


def test_an_edge_that_descends_by_gathered_roundings_only_is_not_taken() -> None:
    """Along it the search for a start would run far away and call the program feasible."""
    unit = F(2) ** 19
    p = program(
        [[0] * 4] * 4,
        [0] * 4,
        G=[[0, 0, 0, 0], [0, 0, 1, -unit], [-1, 0, -2, unit], [2, 2, 0, 0], [0, -1, 0, unit]],
        h=[0, 0, 0, 0, -1],
    )
    assert isinstance(outcome(p), InfeasibleError)
    with pytest.raises(InfeasibleError):
        solve(as_floats(p))


def test_rows_without_a_size_of_their_own_are_measured_in_the_units_of_their_unknowns() -> None:
    unit = 2.0**40
    with pytest.raises(InfeasibleError):
        solve_qp([[0.0]], [0.0], G=[[unit], [-unit]], h=[0.0, -1.0])


def test_a_large_bound_elsewhere_does_not_hide_a_violated_row() -> None:
    with pytest.raises(InfeasibleError):
        solve_qp([[1.0]], [0.0], G=[[1.0], [-1.0], [1.0]], h=[-1.0, 0.5, 1e13])
    with pytest.raises(ParameterError, match="start: violates row 0"):
        solve_qp([[1.0]], [0.0], G=[[1.0], [1.0]], h=[1.0, 1e13], start=[1.5])


def test_numbers_beyond_floats_are_refused_with_the_mend() -> None:
    with pytest.raises(DataError, match=r"lift the data with exact\(\)"):
        solve_qp([[1e200]], [1e300])
    tiny = 1e-200
    with pytest.raises(DataError, match=r"lift the data with exact\(\)"):
        solve_qp(
            [[tiny, 0.0], [0.0, tiny]],
            [-tiny, -tiny],
            G=[[tiny, tiny], [tiny, 0.0]],
            h=[tiny, tiny / 10],
        )


@pytest.mark.parametrize("tolerance", [0, "1e-9", 1e-6, Decimal("1e-3")])
def test_the_tolerance_may_be_any_number_below_one(tolerance: Any) -> None:
    solution = solve_qp([[2.0]], [-3.0], G=[[1.0]], h=[1.0], tolerance=tolerance)
    assert (solution.x, solution.inequality_multipliers) == ((1.0,), (1.0,))


def test_exact_programs_ignore_the_tolerance() -> None:
    assert solve(KUHN, tolerance="1e-3") == solve(KUHN)


@pytest.mark.campaign
@settings(max_examples=8_000, deadline=None)
@given(programs(size=7, rows=14))
def test_campaign_every_outcome_is_proved_exactly(p: Program) -> None:
    outcome(p)


@pytest.mark.campaign
@settings(max_examples=8_000, deadline=None)
@given(programs_in_units())
def test_campaign_floats_come_to_the_exact_outcome_in_any_units(
    case: tuple[Program, Units],
) -> None:
    compare_with_exact(*case)


def test_steps_are_counted_from_a_given_start_and_with_the_search_for_one() -> None:
    steps: list[Pivot[Any]] = []
    given = solve_qp([[F(2)]], [-2], start=[0], on_step=steps.append)
    assert given.x == (1,) and given.iterations == len(steps) == 1
    steps.clear()
    searched = solve_qp([[F(2)]], [-2], G=[[-1]], h=[-3], on_step=steps.append)
    assert searched.x == (3,) and searched.iterations == len(steps)


def test_a_condition_that_is_missed_from_below_counts_as_much() -> None:
    # the float nearest to 1/3 is 1/3 - 1/(3 2^54), so that 3x - 1 misses 0 by -1/2^54
    solution = solve_qp([[3.0]], [-1.0])
    assert solution.x == (1 / 3,) and solution.residual == F(1, 2**54)
