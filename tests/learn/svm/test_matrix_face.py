"""The columns E, the point and the ratio test of `MatrixFace`, looked at from inside."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from refmc.core.scalars import listed
from refmc.learn.svm.active_set import ActiveSet, Edge
from refmc.learn.svm.matrix_face import MatrixFace, QuadraticProgram
from tests.support import inner

F = Fraction
ZERO = F(0)


def exact_program(
    Q: list[list[int]], c: list[int], A: list[list[int]], G: list[list[int]], x: list[int]
) -> QuadraticProgram[Fraction]:
    """A program whose constraints are all tight at x, but for the last inequality."""

    def lifted(rows: list[list[int]]) -> list[list[Fraction]]:
        return [[F(a) for a in row] for row in rows]

    def bounds(rows: list[list[int]]) -> list[Fraction]:
        return [F(sum(map(int.__mul__, row, x))) for row in rows]

    h = bounds(G)
    if h:
        h[-1] += 1
    return QuadraticProgram(
        lifted(Q), lifted([c])[0], lifted(A), bounds(A), lifted(G), h, ZERO, ZERO
    )


@st.composite
def faces(draw: st.DrawFn) -> MatrixFace[Fraction]:
    n = draw(st.integers(1, 4))
    vector = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    B = draw(st.lists(vector, max_size=n))
    Q = [[sum(row[i] * row[j] for row in B) for j in range(n)] for i in range(n)]
    A, G = draw(st.lists(vector, max_size=2)), draw(st.lists(vector, max_size=6))
    x = draw(vector)
    return MatrixFace(exact_program(Q, draw(vector), A, G, x), [F(a) for a in x])


def held_rows(face: MatrixFace[Fraction]) -> dict[int, Sequence[Fraction]]:
    rows = face.problem.A, face.problem.G
    return {
        j: rows[0][-1 - owner] if owner < 0 else rows[1][owner]
        for j, owner in enumerate(face.owner)
        if owner < len(face.problem.G)
    }


def check_face(face: MatrixFace[Fraction]) -> None:
    for j, row in held_rows(face).items():
        assert [inner(row, column) for column in face.E] == [
            int(i == j) for i in range(len(face.E))
        ]
    assert not {face.column(z) for z in face.free} & set(held_rows(face))
    assert all(slack >= 0 for slack in face.slack)
    assert all(face.slack[i] == 0 for i in face.working_set())


def check_inverse(search: ActiveSet[Fraction, list[Fraction]], face: MatrixFace[Fraction]) -> None:
    """K is the inverse of ZᵀQZ, and the point is optimal on its face."""
    Z = [face.vector(z) for z in face.free]
    H = [[inner(z, [inner(row, w) for row in face.problem.Q]) for w in Z] for z in Z]
    product = [[inner(k, column) for column in zip(*H)] for k in search.K]
    assert product == [[int(i == j) for j in range(len(Z))] for i in range(len(Z))]
    assert face.slopes() == [0] * len(Z)


@given(faces())
def test_columns_invert_the_held_rows_and_k_the_reduced_hessian_at_every_price(
    face: MatrixFace[Fraction],
) -> None:
    search = ActiveSet(face)
    check_face(face)
    while (edge := face.price(search.standing > 0)) is not None:
        before, search.fallen = face.objective(), ZERO
        if search.leave(edge) is not None:
            return
        assert search.fallen == before - face.objective()
        check_face(face)
        check_inverse(search, face)


@given(faces())
def test_a_rebuilt_inverse_is_the_same_inverse(face: MatrixFace[Fraction]) -> None:
    search = ActiveSet(face)
    if search.run() is None:
        before, x = search.K, face.x
        search.rebuild()
        assert (search.K, face.x) == (before, x)


def flat_face(G: list[list[int]], n: int = 2) -> MatrixFace[Fraction]:
    x = [0] * n
    return MatrixFace(exact_program([[0] * n] * n, [-1] + [0] * (n - 1), [], G, x), [ZERO] * n)


def test_of_several_blocking_constraints_the_least_index_leaves() -> None:
    face = flat_face([[0, 1], [1, 0], [2, 0], [1, 1], [1, -1]])
    edge = face.price(False)
    assert edge is not None
    path = face.path([F(1)], [edge])
    assert (path.limit, path.blocker, path.curvature) == (F(0), 1, F(0))


def test_of_several_steepest_edges_the_least_index_enters() -> None:
    p = exact_program([[0, 0], [0, 0]], [-1, -1], [], [[1, 0], [0, 1]], [0, 0])
    edge = MatrixFace(p, [ZERO, ZERO]).price(False)
    assert edge is not None and (edge.constraint, edge.side, edge.slope) == (2, 1, F(-1))


def test_the_least_index_enters_at_a_standing_point_although_another_is_steeper() -> None:
    p = exact_program([[0, 0], [0, 0]], [-1, -5], [], [], [0, 0])
    face = MatrixFace(p, [ZERO, ZERO])
    edges = face.price(True), face.price(False)
    assert [edge.constraint for edge in edges if edge is not None] == [0, 1]


def test_independent_equalities_get_a_column_and_dependent_ones_do_not() -> None:
    p = exact_program([[0, 0, 0]] * 3, [0, 0, 0], [[1, 1, 0], [2, 2, 0], [0, 1, 1]], [], [1, 2, 3])
    face = MatrixFace(p, [ZERO] * 3)
    assert sorted(owner for owner in face.owner if owner < 0) == [-3, -1]
    face.meet_held()
    assert [inner(row, face.x) for row in p.A] == list(p.b)


def float_face(
    G: list[list[float]], h: list[float], x: list[float], A: Sequence[list[float]] = ()
) -> MatrixFace[float]:
    n = len(x)
    p = QuadraticProgram([[0.0] * n] * n, [1.0] * n, A, [0.0] * len(A), G, h, 0.0, 1e-12)
    return MatrixFace(p, x)


def test_violations_are_measured_by_the_numbers_of_their_own_row() -> None:
    face = float_face([[1.0], [1e13]], [1.0, 1e14], [1.5])
    assert face.violated() == 0
    assert float_face([[1.0], [1e13]], [1.0, 1.5e13], [1.0 + 1e-14]).violated() is None


def test_in_float_an_entry_that_cancels_is_zero() -> None:
    face = float_face([], [], [0.0, 0.0])
    assert face.without([0.3, 1.0], 1.0, [0.1 + 0.2, 0.5]) == [0.0, 0.5]


def test_in_float_the_row_met_most_squarely_blocks_among_those_met_at_once() -> None:
    face = float_face([[1.0, -0.999999], [1.0, 0.0]], [1 - 0.999999, 1.0], [1.0, 1.0])
    for owner in list(face.owner):
        face.release(Edge(owner, 1, 0.0))
    assert face.path([1.0, 1.0], face.free).blocker == 1


def test_in_float_curvature_that_cancelling_directions_leave_of_their_own_is_noise() -> None:
    """(1, δ) − (1, 0) = (0, δ) has the curvature δ² = 10⁻¹⁴, its two directions have 1 each."""
    p = QuadraticProgram([[1.0, 0.0], [0.0, 1.0]], [1.0] * 2, [], [], [], [], 0.0, 1e-12)
    for delta, curvature in ((1e-7, 0.0), (0.5, 0.25)):
        face = MatrixFace(p, [0.0, 0.0])
        face.E = [[1.0, 0.0], [1.0, delta]]
        face.release(Edge(0, 1, 0.0))
        path = face.path([-1.0, 1.0], [*face.free, Edge(1, 1, -1.0)])
        assert (path.direction, path.curvature) == ([0.0, delta], curvature)


def test_sharpening_squares_the_errors_of_the_columns_away() -> None:
    face = float_face([], [], [0.0, 0.0, 0.0], A=[[1.0, 1.0, 0.0], [0.0, 3.0, 1.0]])
    face.E = [[entry + 1e-7 * (i - j) for i, entry in enumerate(e)] for j, e in enumerate(face.E)]
    for j in range(3):
        face.sharpen(j)
    for j, row, _ in face.held():
        products = [sum(map(float.__mul__, row, column)) for column in face.E]
        assert all(abs(v - (i == j)) < 1e-12 for i, v in enumerate(products))


def test_long_vectors_are_cut_in_messages() -> None:
    assert listed([F(1, 2)] * 8) == "(1/2, 1/2, 1/2, 1/2, 1/2, 1/2, …)"
    assert len(listed([F(10**5000)] * 2)) < 100
