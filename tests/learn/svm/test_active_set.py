"""The method of `active_set` by itself: seeds, standing points, and the end of float searches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from refmc.learn.svm.active_set import FEW, ActiveSet, Edge, Path, Pivot
from refmc.learn.svm.matrix_face import MatrixFace, QuadraticProgram

F = Fraction
ZERO = F(0)


def face_at(
    Q: list[list[int]], c: list[int], G: list[list[int]], h: list[int], x: list[int]
) -> MatrixFace[Fraction]:
    lifted = [[F(a) for a in row] for row in (*Q, c, *G, h, x)]
    n = len(Q)
    program = QuadraticProgram(
        lifted[:n], lifted[n], [], [], lifted[n + 1 : -2], lifted[-2], ZERO, ZERO
    )
    return MatrixFace(program, lifted[-1])


@st.composite
def boxed_faces(draw: st.DrawFn) -> MatrixFace[Fraction]:
    """A bounded program at a feasible point, many of its constraints tight there."""
    n = draw(st.integers(1, 4))
    vector = st.lists(st.integers(-2, 2), min_size=n, max_size=n)
    B = draw(st.lists(vector, max_size=n))
    Q = [[sum(row[i] * row[j] for row in B) for j in range(n)] for i in range(n)]
    x = draw(vector)
    unit = [[int(i == j) for j in range(n)] for i in range(n)]
    G = draw(st.lists(vector, max_size=5)) + unit + [[-a for a in row] for row in unit]
    tight = [sum(a * b for a, b in zip(row, x)) for row in G]
    room = draw(st.lists(st.integers(0, 1), min_size=len(G), max_size=len(G)))
    return face_at(Q, draw(vector), G, [a + b for a, b in zip(tight, room)], x)


def edges_of_coordinates(face: MatrixFace[Fraction]) -> list[Edge[Fraction]]:
    return [Edge(owner, 1, ZERO) for owner in face.owner]


@given(boxed_faces())
def test_any_directions_to_begin_with_lead_to_the_optimum_without_them(
    face: MatrixFace[Fraction],
) -> None:
    seeded = MatrixFace(face.problem, face.x)
    search, other = ActiveSet(seeded), ActiveSet(face)
    search.begin(edges_of_coordinates(seeded))
    assert search.run() is None and other.run() is None
    assert seeded.objective() == face.objective()


def test_of_the_directions_to_begin_with_independent_ones_stay_free() -> None:
    face = face_at([[1, 1, 0], [1, 1, 0], [0, 0, 0]], [0, 0, 0], [], [], [0, 0, 0])
    search = ActiveSet(face)
    search.begin(edges_of_coordinates(face))
    assert (face.free, search.K) == ([Edge(0, 1, F(0))], [[F(1)]])


def test_one_step_along_all_directions_needs_no_inverse_where_it_ends_the_search() -> None:
    for n, is_tried in ((FEW, False), (FEW + 1, True)):
        Q = [[1 + (i == j) for j in range(n)] for i in range(n)]
        face = face_at(Q, [-n - 1] * n, [[1] + [0] * (n - 1)], [5], [0] * n)
        search = ActiveSet(face)
        search.begin(edges_of_coordinates(face))
        assert (face.x == [F(1)] * n, search.K == [], search.iterations == 1) == (is_tried,) * 3
        assert search.run() is None and search.iterations == 1 and face.x == [F(1)] * n


def test_the_least_index_rule_holds_after_patience_and_until_the_point_moves() -> None:
    face = face_at([[0, 0]] * 2, [-1, -2], [[1, 1], [1, 0], [0, 1]], [0, 5, 5], [0, 0])
    stood: list[int] = []
    lengths: list[Fraction] = []

    def record(pivot: Pivot[Fraction]) -> None:
        lengths.append(pivot.step)
        stood.append(search.standing)

    search = ActiveSet(face, record)
    assert search.run() is None
    count = 0
    for length, standing in zip(lengths, stood, strict=True):
        count = 0 if length > 0 else count + 1
        assert standing == count
    assert 0 in lengths and max(lengths) > 0


def test_prices_ask_for_the_least_index_once_the_point_has_stood_longer_than_patience() -> None:
    face = RestlessFace()
    ActiveSet(face).run()
    assert face.rules == [False] * (face.patience + 1) + [True] * face.patience


class RestlessFace:
    """A face of one unknown whose price never ends, and whose objective never falls."""

    zero = 0.0
    patience = 7

    def __init__(self) -> None:
        self.prices = 0
        self.rules: list[bool] = []
        self.x = [0.0]
        self.free: list[Edge[float]] = []
        self.product: Callable[[Sequence[float], Sequence[float]], float] = lambda a, b: 0.0

    def objective(self) -> float:
        return 1.0

    def working_set(self) -> tuple[int, ...]:
        return ()

    def price(self, least_index: bool) -> Edge[float] | None:
        self.prices += 1
        self.rules.append(least_index)
        return Edge(0, 1, -1.0)

    def slopes(self) -> list[float]:
        return []

    def curvatures(self, edge: Edge[float], directions: Sequence[Edge[float]]) -> list[float]:
        return [1.0] * len(directions)

    def path(
        self, amounts: Sequence[float], directions: Sequence[Edge[float]]
    ) -> Path[float, None]:
        return Path(None, 1.0, 0.0, 1)

    def is_ray(self, path: Path[float, None], edge: Edge[float]) -> bool:
        return True

    def move(self, step: float, path: Path[float, None]) -> None:
        assert step == 0

    def release(self, edge: Edge[float]) -> None:
        raise AssertionError("a blocked edge is not released")

    def hold(self, blocker: int, edge: Edge[float] | None) -> tuple[int, list[float]]:
        return 0, [1.0]

    def refresh(self) -> None:
        pass


class SecondThoughts(RestlessFace):
    """A face that finds an edge only when it is asked again, and then none any more."""

    def price(self, least_index: bool) -> Edge[float] | None:
        edge = super().price(least_index)
        return edge if self.prices == 2 else None


def test_an_edge_that_is_found_after_the_last_polish_is_taken_and_followed_by_another() -> None:
    face = SecondThoughts()
    search = ActiveSet(face)
    assert search.run() is None
    assert (face.prices, search.iterations) == (4, 1)


class Impatient(MatrixFace[Fraction]):
    @property
    def patience(self) -> int:
        return -1


def test_an_exact_search_goes_on_to_the_optimum_when_patience_has_ended() -> None:
    face = face_at([[2, 1], [1, 2]], [-3, -3], [], [], [0, 0])
    impatient = Impatient(face.problem, face.x)
    assert ActiveSet(impatient).run() is None
    assert impatient.x == [F(1), F(1)]


def test_a_float_search_ends_when_the_objective_no_longer_falls() -> None:
    face = RestlessFace()
    assert ActiveSet(face).run() is None
    assert face.prices == 2 * face.patience + 1
