"""The dual as moves of mass: its geometry, its gap formula, its edges, by the definitions."""

from collections.abc import Sequence
from fractions import Fraction as F
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from refmc.learn.svm.geometry import GramGeometry, LinearGeometry
from refmc.learn.svm.multiclass_dual import SimplexFace, by_class, coefficients_of, image
from refmc.lectures import lu

ZERO = F(0)
X = [[F(1), F(1, 2)], [F(0), F(-1)], [F(2, 3), F(0)], [F(0), F(0)]]
K = [[sum((a * b for a, b in zip(u, v)), ZERO) for v in X] for u in X]
Y = [0, 2, 1, 2]
C = F(3, 4)

parts = st.lists(st.integers(0, 4), min_size=3, max_size=3).filter(any)


@st.composite
def masses(draw: st.DrawFn) -> list[list[F]]:
    """Four rows of three masses that sum to C."""
    rows = [draw(parts) for _ in Y]
    return [[C * n / sum(row) for n in row] for row in rows]


def tau_of(p: Sequence[Sequence[F]]) -> list[list[lu.Number]]:
    lam = [[C - mass if z == c else mass for z, mass in enumerate(row)] for row, c in zip(p, Y)]
    return lu.f_of(lam, Y)


def scores_of(p: Sequence[Sequence[F]]) -> list[list[lu.Number]]:
    return [lu.f(tau_of(p), K_i) for K_i in K]


def face_at(p: Sequence[Sequence[F]]) -> SimplexFace[F]:
    face = SimplexFace(LinearGeometry(X, ZERO), Y, 3, C, 0.0, ZERO)
    face.start(p)
    return face


@given(masses())
def test_coefficients_are_the_own_class_mass_that_is_missing_less_the_masses(
    p: list[list[F]],
) -> None:
    tau, found = tau_of(p), coefficients_of(p, Y, F(0))
    assert found == {i: {z: a for z, a in enumerate(row) if a} for i, row in enumerate(tau)}


@settings(deadline=None)
@given(masses())
def test_rows_and_their_gram_matrix_give_the_same_scores(p: list[list[F]]) -> None:
    coefficients = coefficients_of(p, Y, F(0))
    expected = scores_of(p)
    assert image(LinearGeometry(X, ZERO), coefficients, 3) == expected
    assert image(GramGeometry(K, ZERO), coefficients, 3) == expected
    floats: Any = [[float(a) for a in row] for row in X], [[float(a) for a in row] for row in K]
    rough = {i: {z: float(a) for z, a in row.items()} for i, row in coefficients.items()}
    geometries: Any = LinearGeometry(floats[0], 0.0), GramGeometry(floats[1], 0.0)
    for geometry in geometries:
        for row, exact_row in zip(image(geometry, rough, 3), expected):
            assert all(abs(a - float(b)) < 1e-14 for a, b in zip(row, exact_row))


def test_both_geometries_know_the_inner_products() -> None:
    for i in range(4):
        for j in range(4):
            assert LinearGeometry(X, ZERO).entry(i, j) == GramGeometry(K, ZERO).entry(i, j)


def test_no_coefficients_give_weights_and_scores_of_zero() -> None:
    assert image(LinearGeometry(X, ZERO), {}, 3) == [[ZERO] * 3] * 4
    assert image(GramGeometry(K, ZERO), {}, 3) == [[ZERO] * 3] * 4
    assert LinearGeometry(X, ZERO).weights({}) == [ZERO] * 2
    assert by_class(coefficients_of([], [], ZERO), 3) == [{}] * 3


@given(masses())
def test_the_objective_is_minus_the_dual(p: list[list[F]]) -> None:
    tau, scores = tau_of(p), scores_of(p)
    norms = sum((tau[i][z] * scores[i][z] for i in range(4) for z in range(3)), ZERO)
    total = sum((C - row[c] for row, c in zip(p, Y)), ZERO)
    assert face_at(p).objective() == norms / 2 - total


@given(masses())
def test_the_duality_gap_is_the_mass_that_lies_below_the_largest_augmented_score(
    p: list[list[F]],
) -> None:
    face, tau, scores = face_at(p), tau_of(p), scores_of(p)
    norms = sum((tau[i][z] * scores[i][z] for i in range(4) for z in range(3)), ZERO)
    hinges = [
        max([ZERO] + [1 - s[c] + s[z] for z in range(3) if z != c]) for s, c in zip(scores, Y)
    ]
    below = ZERO
    for i, row in enumerate(p):
        G = face.augmented(i)
        assert G == [s + (z != Y[i]) for z, s in enumerate(scores[i])]
        below += sum((mass * (max(G) - g) for mass, g in zip(row, G)), ZERO)
    assert norms / 2 + C * sum(hinges, ZERO) + face.objective() == below


@given(masses())
def test_an_edge_descends_at_the_slope_and_curvature_that_it_states(p: list[list[F]]) -> None:
    face = face_at(p)
    edge = face.price(least_index=False)
    if edge is None:
        return
    before = face.objective()
    h, curvature = face.curvatures(edge)
    assert h == [] and edge.slope < 0 and curvature >= 0
    step = F(1, 1000)
    face.move(step, [], edge)
    assert face.objective() - before == step * edge.slope + step * step * curvature / 2
    assert all(sum(row) == C for row in face.p) and face.scores == scores_of(face.p)


@given(masses())
def test_no_edge_descends_exactly_where_all_mass_lies_at_the_largest_augmented_score(
    p: list[list[F]],
) -> None:
    face = face_at(p)
    at_top = all(
        not mass or g == max(face.augmented(i))
        for i, row in enumerate(p)
        for mass, g in zip(row, face.augmented(i))
    )
    assert (face.price(least_index=False) is None) == at_top
    assert (face.price(least_index=True) is None) == at_top


def test_the_working_set_is_what_has_no_mass_by_row_and_class() -> None:
    # the basic classes are 0, 2, 1 (the first largest), 1; row 1 has mass of class 0 beside it
    half = C / 2
    face = face_at([[C, ZERO, ZERO], [C / 3, ZERO, 2 * C / 3], [ZERO, half, half], [ZERO, C, ZERO]])
    assert face.working_set() == (1, 2, 4, 6, 9, 11)
