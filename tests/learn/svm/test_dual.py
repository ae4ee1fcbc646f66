"""The duals of all SVMs as one form: their geometry, values, edges and steps, by the definitions.

`dense` writes a dual out: the matrix of all D_u·D_v + ridge, from feature vectors spelled out here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from refmc.learn.svm.active_set import ActiveSet, Edge
from refmc.learn.svm.binary import binary_dual
from refmc.learn.svm.dual import Dual
from refmc.learn.svm.dual_face import DualFace
from refmc.learn.svm.multiclass import multiclass_dual
from refmc.learn.svm.optimum import nearest_feasible
from refmc.learn.svm.points import read_points
from refmc.theory.kernels import linear
from refmc.theory.losses import hinge, squared_hinge
from refmc.theory.subgradients import max_form, sum_form
from tests.support import inner

ZERO = F(0)
X = [[F(1), F(1, 2)], [F(0), F(-1)], [F(2, 3), F(0)], [F(0), F(0)]]
K = [[sum((a * b for a, b in zip(u, v)), ZERO) for v in X] for u in X]
Y = (0, 2, 1, 2)
SIGNS = (1, -1, -1, 1)
BY_CLASS = [[F(0), F(1), F(2)], [F(1, 2), F(0), F(0)], [F(1), F(3), F(0)]]  # the right one
COSTS = [BY_CLASS[c] for c in Y]
MASS = (F(3, 4), F(1, 2), F(2), F(0))


@dataclass(frozen=True)
class Case:
    """A dual, and the vectors D_v that it has."""

    dual: Dual[F]
    vectors: list[list[F]]


def block(x: Sequence[F], z: int) -> list[F]:
    return [a if y == z else ZERO for y in range(3) for a in x]


def skew(x: Sequence[F], z: int) -> list[F]:
    return [x[0] * z + x[1], F(z * z), x[0] - x[1] if z else ZERO]


def differences(features: Any) -> list[list[F]]:
    return [
        [a - b for a, b in zip(features(x, c), features(x, z))]
        for x, c in zip(X, Y)
        for z in range(3)
    ]


def multiclass_cases() -> list[Case]:
    cases = []
    for loss in (max_form, sum_form):
        for points in (read_points(X, linear, None), read_points(None, linear, K)):
            dual = multiclass_dual(points, Y, COSTS, MASS, loss, blocks=True)
            cases.append(Case(dual, differences(block)))
        listed = read_points([skew(x, z) for x in X for z in range(3)], linear, None)
        dual = multiclass_dual(listed, Y, COSTS, MASS, loss, blocks=False)
        cases.append(Case(dual, differences(skew)))
    return cases


def binary_cases() -> list[Case]:
    cases = []
    weights = [F(3), F(1), F(2), F(0)]
    for loss, C in ((hinge, F(1, 2)), (squared_hinge, F(1, 2)), (None, None)):
        for bias in (True, False, "penalised"):
            constant = F(bias == "penalised")
            vectors = [[sign * a for a in (*x, constant)] for x, sign in zip(X, SIGNS)]
            for points in (read_points(X, linear, None), read_points(None, linear, K)):
                dual = binary_dual(points, SIGNS, C, loss, weights, bias)
                cases.append(Case(dual, vectors))
    return cases


CASES = multiclass_cases() + binary_cases()
each_case = st.sampled_from(CASES)
shares = st.integers(0, 4).map(lambda n: F(n, 4))


def dense(case: Case) -> list[list[F]]:
    """The matrix of the quadratic: D_u·D_v, and the ridge on the diagonal."""
    ridge = case.dual.ridge
    return [
        [inner(a, b) + (ridge[u] if u == v else ZERO) for v, b in enumerate(case.vectors)]
        for u, a in enumerate(case.vectors)
    ]


@st.composite
def feasible(draw: st.DrawFn) -> tuple[Case, list[F]]:
    """Multipliers between their bounds that meet the equalities, many of them at a bound."""
    case = draw(each_case)
    dual = case.dual
    x = [draw(shares) * (2 if bound is None else bound) for bound in dual.upper]
    for members in dual.groups:
        total = sum((dual.sign[v] * dual.start[v] for v in members), ZERO)
        sums = {s: sum((x[v] for v in members if dual.sign[v] == s), ZERO) for s in (1, -1)}
        if total:  # a simplex: all signs are +1
            if not sums[1]:
                x[members[0]] = sums[1] = F(1)
            for v in members:
                x[v] *= total / sums[1]
        elif min(sums.values()) == 0:
            x = [ZERO if v in members else a for v, a in enumerate(x)]
        else:
            larger = max((1, -1), key=lambda s: sums[s])
            for v in members:
                if dual.sign[v] == larger:
                    x[v] *= sums[-larger] / sums[larger]
    return case, x


def is_feasible(dual: Dual[F], x: Sequence[F]) -> bool:
    return all(
        0 <= a and (bound is None or a <= bound) for a, bound in zip(x, dual.upper, strict=True)
    ) and all(
        sum((dual.sign[v] * (x[v] - dual.start[v]) for v in members), ZERO) == 0
        for members in dual.groups
    )


def edges_between_bounds(face: DualFace[F]) -> list[Edge[F]]:
    """One for each multiplier that is neither at a bound nor basic."""
    inside = [v for v, a in enumerate(face.x) if face.dual.clearance(v, a) > 0]
    return [Edge(v, 1, ZERO) for v in inside if v not in face.basic]


def value(case: Case, x: Sequence[F]) -> F:
    """The dual objective."""
    return inner(case.dual.gain, x) - inner(x, [inner(row, x) for row in dense(case)]) / 2


@given(each_case, st.data())
def test_geometries_give_the_products_of_their_vectors(case: Case, data: Any) -> None:
    dual, geometry, n = case.dual, case.dual.points.geometry, len(case.vectors)
    x = data.draw(st.lists(shares, min_size=n, max_size=n))
    other = data.draw(st.lists(shares, min_size=n, max_size=n))
    w, v = (
        [sum((a * b for a, b in zip(y, column)), ZERO) for column in zip(*case.vectors)]
        for y in (x, other)
    )
    image = dual.image({i: a for i, a in enumerate(x) if a})
    way = dual.image({i: a for i, a in enumerate(other) if a})
    assert dual.products(image, range(n)) == [inner(w, D) for D in case.vectors]
    assert dual.products(image, [n - 1, 0]) == [inner(w, case.vectors[i]) for i in (-1, 0)]
    assert geometry.square(image) == inner(w, w)
    ridges = zip(case.vectors, dual.ridge)
    assert dual.curvatures == [inner(D, D) + ridge for D, ridge in ridges]
    moved = geometry.moved(image, F(1, 3), way)
    ahead = [a + b / 3 for a, b in zip(w, v)]
    assert dual.products(moved, range(n)) == [inner(ahead, D) for D in case.vectors]
    rough = dual.rounded(dual.points)
    floats = rough.image({i: float(a) for i, a in enumerate(x) if a})
    for found, expected in zip(rough.products(floats, range(n)), case.vectors):
        assert abs(found - float(inner(w, expected))) < 1e-13


@given(feasible())
def test_changes_that_keep_each_groups_sum_have_one_image_by_both_sums_of_points(
    drawn: tuple[Case, list[F]],
) -> None:
    case, x = drawn
    dual = case.dual
    change = {v: a - b for v, (a, b) in enumerate(zip(x, dual.start))}
    image = dual.added(dual.image(dict(enumerate(dual.start))), change)
    w = [inner(x, column) for column in zip(*case.vectors)]
    assert dual.products(image) == [inner(D, w) for D in case.vectors]
    # By the terms that are left a group's products are off by one amount.
    off = [
        a - b
        for a, b in zip(dual.products(image, relative=True), dual.products(image), strict=True)
    ]
    assert all(len({off[v] for v in group}) == 1 for group in dual.groups)


@given(feasible())
def test_the_values_of_multipliers_are_those_of_the_written_dual(
    drawn: tuple[Case, list[F]],
) -> None:
    case, x = drawn
    values = case.dual.at(x)
    w = [inner(x, column) for column in zip(*case.vectors)]
    assert values.norm == inner(w, w) and values.dual == value(case, x)
    assert values.products == [inner(D, w) for D in case.vectors]
    if values.primal is not None:
        assert values.primal >= values.dual  # weak duality


@given(feasible())
def test_an_edge_descends_at_the_slope_and_curvature_that_it_states(
    drawn: tuple[Case, list[F]],
) -> None:
    case, x = drawn
    face = DualFace(case.dual, x, 0.0)
    edge = face.price(least_index=False)
    if edge is None or not edge.slope:
        return
    path = face.path([F(1)], [edge])
    assert face.curvatures(edge, [edge]) == [path.curvature] and edge.slope < 0
    assert path.curvature >= 0
    step = F(1, 1000)
    face.move(step, path)
    fall = value(case, x) - value(case, face.x)
    assert fall == step * edge.slope + step * step * path.curvature / 2
    assert face.objective() == -value(case, face.x)
    at_bound = path.blocker is not None and path.limit < step
    assert is_feasible(case.dual, face.x) or at_bound


@given(feasible(), st.booleans())
def test_no_edge_descends_exactly_where_the_multipliers_are_optimal(
    drawn: tuple[Case, list[F]], least_index: bool
) -> None:
    case, x = drawn
    descends = False
    n, H, dual = len(x), dense(case), case.dual
    g = [inner(row, x) - gain for row, gain in zip(H, dual.gain)]
    up = [bound is None or a < bound for a, bound in zip(x, dual.upper)]
    down = [a > 0 for a in x]
    for u in range(n):
        if dual.group[u] is None:
            descends |= (g[u] < 0 and up[u]) or (g[u] > 0 and down[u])
        for v in range(n):
            if u != v and dual.group[u] is not None and dual.group[u] == dual.group[v]:
                side = -dual.sign[u] * dual.sign[v]  # of v as u rises
                slope = g[u] + side * g[v]
                descends |= slope < 0 and up[u] and (up[v] if side > 0 else down[v])
                descends |= slope > 0 and down[u] and (down[v] if side > 0 else up[v])
    found = DualFace(dual, x, 0.0).price(least_index)
    if descends:
        assert found is not None and found.slope < 0
    else:  # a basic multiplier at its bound may hide that the point is optimal, not the converse
        flat = (
            found is not None
            and not found.slope
            and dual.clearance(found.constraint, x[found.constraint]) > 0
        )
        assert found is None or flat or DualFace(dual, x, 0.0).path([F(1)], [found]).limit == 0


@given(feasible())
def test_from_everywhere_the_search_comes_to_the_same_value_with_k_the_inverse(
    drawn: tuple[Case, list[F]],
) -> None:
    case, x = drawn
    ends = []
    for start in (case.dual.start, x):
        face = DualFace(case.dual, start, 0.0)
        search: ActiveSet[F, Any] = ActiveSet(face)
        search.begin(edges_between_bounds(face))
        if search.run() is not None:
            assert not any(case.dual.mass)  # only the hard SVM can be endless
            return
        assert is_feasible(case.dual, face.x)
        search.rebuild()
        H = [face.curvatures(z, face.free) for z in face.free]
        product = [[inner(k, column) for column in zip(*H)] for k in search.K]
        assert product == [[F(i == j) for j in range(len(H))] for i in range(len(H))]
        assert not any(face.slopes())
        ends.append(value(case, face.x))
    assert ends[0] == ends[1] >= value(case, x)
    values = case.dual.at(face.x)
    assert values.primal == values.dual == ends[0]  # strong duality


@given(feasible())
def test_the_bounds_that_hold_multipliers_are_the_working_set(drawn: tuple[Case, list[F]]) -> None:
    case, x = drawn
    face = DualFace(case.dual, x, 0.0)
    for edge in edges_between_bounds(face):
        face.release(edge)
    n, upper = len(x), case.dual.upper
    held = [v for v in range(n) if x[v] == 0 or x[v] == upper[v]]
    expected = {v if x[v] == 0 else n + v for v in held if v not in face.basic}
    assert set(face.working_set()) == expected
    assert {edge.constraint for edge in face.free} == set(range(n)) - set(held) - set(face.basic)


@given(each_case, st.data())
def test_rounding_errors_move_until_multipliers_are_feasible(case: Case, data: Any) -> None:
    n = len(case.vectors)
    x = data.draw(st.lists(st.floats(-1, 3), min_size=n, max_size=n))
    assert is_feasible(case.dual, nearest_feasible(case.dual, x))


@given(feasible())
def test_feasible_multipliers_stay_as_they_are(drawn: tuple[Case, list[F]]) -> None:
    case, x = drawn
    rounded = [F(float(a)) for a in x]
    if is_feasible(case.dual, rounded):
        assert nearest_feasible(case.dual, [float(a) for a in rounded]) == rounded


def test_a_price_counts_and_far_more_of_them_than_a_search_takes_end_patience() -> None:
    dual = binary_dual(read_points(X, linear, None), SIGNS, F(1), hinge, None, True)
    face = DualFace(dual, dual.start, 0.0)
    face.prices = 1000 + 5 * len(X)
    assert face.patience == 20
    face.price(False)
    assert face.patience == -1


def test_held_multipliers_make_way_and_a_basic_one_is_replaced() -> None:
    dual = binary_dual(read_points(X, linear, None), SIGNS, F(1), hinge, None, True)
    face = DualFace(dual, [F(1, 2), F(1, 4), F(1, 4), F(0)], 0.0)
    assert face.basic == [0]
    for edge in edges_between_bounds(face):
        face.release(edge)
    assert face.hold(0, Edge(3, 1, F(-1))) == (0, [F(1), F(1), F(-1)])
    assert face.basic == [1] and [edge.constraint for edge in face.free] == [2, 3]
    assert face.x[0] == 0


def test_in_float_a_slope_that_roundings_leave_is_no_slope() -> None:
    """α = 1/x² is optimal, where 1 − αx·x is 0 but for roundings."""
    x = 0.7
    points = read_points([[x]], linear, None)
    dual = binary_dual(points.lifted(), (1,), F(10), hinge, None, False).rounded(points)
    optimal = DualFace(dual, [1 / (x * x)], 0.0)
    assert 0 < abs(1 - optimal.x[0] * x * x) < 1e-15
    assert optimal.price(False) == Edge(0, -1, 0.0)  # the edge of a stray
    near = DualFace(dual, [(1 - 1e-12) / (x * x)], 0.0).price(False)
    assert near is not None and near.side == 1 and -2e-12 < near.slope < 0
