"""Random tiny problems with optima that are known by closed forms."""

from fractions import Fraction as F
from itertools import combinations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict
from refmc.checker.numbers.arithmetic import to_matrix
from refmc.checker.svm import multiclass
from refmc.checker.svm.multiclass import MulticlassAnswer, MulticlassProblem
from refmc.checker.svm.multiclass_points import (
    group_gaps,
    prepare_multiclass,
    primal_point,
    repaired,
)
from refmc.lectures import lu
from tests.support import inner

Rows = list[list[F]]

grid = st.integers(-4, 4).map(lambda n: F(n, 2))
positive = st.sampled_from([F(1, 16), F(1, 3), F(1), F(4)])
gaps = st.sampled_from([F(0), F(1, 100), F(1, 4), F(2)])


def judge(
    problem: MulticlassProblem, *, witness: Any = None, allowed: F, **submitted: Any
) -> Verdict:
    return multiclass.judge(
        problem, MulticlassAnswer(**submitted), witnesses=[lambda: witness], allowed=allowed
    )


@st.composite
def problems(draw: st.DrawFn, max_rows: int = 4) -> MulticlassProblem:
    m, d, k = draw(st.integers(1, max_rows)), draw(st.integers(1, 2)), draw(st.integers(1, 4))
    X = [[draw(grid) for _ in range(d)] for _ in range(m)]
    y = tuple(draw(st.integers(0, k - 1)) for _ in range(m))
    return MulticlassProblem(X=X, y=y, k=k, C=draw(positive))


@st.composite
def weights(draw: st.DrawFn, problem: MulticlassProblem) -> Rows:
    assert problem.X is not None
    return [[draw(grid) for _ in problem.X[0]] for _ in range(problem.k)]


@st.composite
def multipliers(draw: st.DrawFn, problem: MulticlassProblem) -> Rows:
    """Feasible: C times a simplex point of sixths, spread over the other classes."""
    lam = []
    for own in problem.y:
        row, left = [F(0)] * problem.k, 6
        for z in range(problem.k):
            if z != own:
                share = draw(st.integers(0, left))
                left -= share
                row[z] = problem.C * F(share, 6)
        row[own] = sum(row, F(0))
        lam.append(row)
    return lam


def primal_of_the_lecture(problem: MulticlassProblem, W: Rows) -> F:
    """The weights are sums of unit vectors: these stand for items here, with K = I."""
    assert problem.X is not None
    alpha, d = list(zip(*W)), len(W[0])
    scores = [lu.f(alpha, [F(v) for v in x]) for x in problem.X]
    eta = [lu.slack(row, c) if problem.k > 1 else 0 for row, c in zip(scores, problem.y)]
    return F(lu.F(alpha, eta, [[int(i == j) for j in range(d)] for i in range(d)], problem.C))


def dual_of_the_lecture(problem: MulticlassProblem, lam: Rows) -> F:
    assert problem.X is not None
    X = [[F(v) for v in x] for x in problem.X]
    return F(lu.theta(lam, [[inner(u, v) for v in X] for u in X], problem.y))


@st.composite
def problems_with_points(draw: st.DrawFn) -> tuple[MulticlassProblem, Rows, Rows]:
    problem = draw(problems())
    return problem, draw(weights(problem)), draw(multipliers(problem))


@given(problems_with_points())
def test_values_are_those_of_the_lecture_and_weak_duality_holds(
    case: tuple[MulticlassProblem, Rows, Rows],
) -> None:
    problem, W, lam = case
    data = prepare_multiclass(problem)
    primal = primal_point(data, to_matrix(W)).primal(data.caps)
    dual = repaired(data, lam).dual
    assert primal == primal_of_the_lecture(problem, W)
    assert dual == dual_of_the_lecture(problem, lam)
    assert primal >= dual


@given(problems_with_points())
def test_the_rows_and_the_distance_account_for_the_whole_gap(
    case: tuple[MulticlassProblem, Rows, Rows],
) -> None:
    problem, W, lam = case
    data = prepare_multiclass(problem)
    point, dual = primal_point(data, to_matrix(W)), repaired(data, lam)
    found = dual.point.weights
    assert found is not None
    f = [[found.entry(z, j) for j in range(len(W[0]))] for z in range(problem.k)]
    apart = [[a - b for a, b in zip(u, v, strict=True)] for u, v in zip(W, f, strict=True)]
    distance = sum((inner(u, u) for u in apart), F(0)) / 2
    rows = group_gaps(data, point, dual.lam)
    assert all(g.amount > 0 for g in rows)
    assert sum((g.amount for g in rows), distance) == point.primal(data.caps) - dual.dual


@given(problems(), st.data())
def test_repaired_multipliers_are_feasible_and_feasible_ones_stay(
    problem: MulticlassProblem, data: st.DataObject
) -> None:
    lam = [[data.draw(grid) for _ in range(problem.k)] for _ in problem.y]
    result = repaired(prepare_multiclass(problem), lam)
    again = [[result.lam.entry(i, z) for z in range(problem.k)] for i in range(len(lam))]
    for row, own in zip(again, problem.y, strict=True):
        others = [v for z, v in enumerate(row) if z != own]
        assert min(row) >= 0 and row[own] == sum(others) <= problem.C
    assert (result.moved == 0) == (again == lam)
    assert bool(result.faults) == (result.moved > 0)


# Two routes to exact optima: rows that are orthogonal separate, and each solves S - 1/2 S^2 K
# k/(k-1) over S <= C; two classes on a line are a piecewise quadratic of one variable.


@st.composite
def orthogonal(draw: st.DrawFn) -> tuple[MulticlassProblem, Rows, F]:
    m, k = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    lengths = [draw(st.sampled_from([F(0), F(1), F(-2), F(1, 2)])) for _ in range(m)]
    X = [[length if i == j else F(0) for j in range(m)] for i, length in enumerate(lengths)]
    y = tuple(draw(st.integers(0, k - 1)) for _ in range(m))
    problem = MulticlassProblem(X=X, y=y, k=k, C=draw(positive))
    lam, optimum, C = [], F(0), problem.C
    for length, own in zip(lengths, y, strict=True):
        spread = length * length * F(k, k - 1)
        S = min(C, 1 / spread) if spread else C
        lam.append([S if z == own else S / (k - 1) for z in range(k)])
        optimum += S - S * S * spread / 2
    return problem, lam, optimum


@st.composite
def on_a_line(draw: st.DrawFn) -> tuple[MulticlassProblem, Rows, F]:
    m = draw(st.integers(1, 4))
    xs = [draw(grid) for _ in range(m)]
    y = tuple(draw(st.integers(0, 1)) for _ in range(m))
    problem = MulticlassProblem(X=[[x] for x in xs], y=y, k=2, C=draw(positive))
    signed = [x if own == 0 else -x for x, own in zip(xs, y, strict=True)]
    candidates = {1 / x for x in signed if x != 0}
    for size in range(m + 1):
        candidates |= {2 * problem.C * sum(s, F(0)) for s in combinations(signed, size)}
    best = min(candidates, key=lambda v: primal_of_the_lecture(problem, [[v / 2], [-v / 2]]))
    W = [[best / 2], [-best / 2]]
    return problem, W, primal_of_the_lecture(problem, W)


def assert_sound(
    problem: MulticlassProblem, W: Rows, witness: Rows, optimum: F, allowed: F
) -> None:
    verdict = judge(problem, W=W, witness=witness, allowed=allowed)
    excess = primal_of_the_lecture(problem, W) - optimum
    assert excess >= 0
    assert verdict.status != "VERIFIED" or excess <= allowed * optimum
    assert verdict.status != "REFUTED" or excess > allowed * optimum
    assert verdict.gap is not None and verdict.gap >= excess


@given(orthogonal(), gaps, st.data())
def test_orthogonal_rows_are_judged_soundly(
    case: tuple[MulticlassProblem, Rows, F], allowed: F, data: st.DataObject
) -> None:
    problem, lam, optimum = case
    assert judge(problem, lam=lam, values={"objective": optimum}, allowed=F(0)).gap == 0
    W = data.draw(weights(problem))
    assert_sound(problem, W, lam, optimum, allowed)
    assert_sound(problem, W, data.draw(multipliers(problem)), optimum, allowed)
    decided = judge(problem, W=W, witness=lam, allowed=allowed).status
    good = primal_of_the_lecture(problem, W) <= optimum * (1 + allowed)
    assert decided == ("VERIFIED" if good else "REFUTED")


@given(on_a_line(), gaps, st.data())
def test_two_classes_on_a_line_are_judged_soundly(
    case: tuple[MulticlassProblem, Rows, F], allowed: F, data: st.DataObject
) -> None:
    problem, best, optimum = case
    witness = data.draw(multipliers(problem))
    assert_sound(problem, best, witness, optimum, allowed)
    assert_sound(problem, data.draw(weights(problem)), witness, optimum, allowed)
    assert dual_of_the_lecture(problem, witness) <= optimum
    near = judge(problem, lam=witness, values={"objective": optimum}, allowed=allowed)
    if optimum - dual_of_the_lecture(problem, witness) <= allowed * optimum:
        assert near.status != "REFUTED"
    else:
        assert near.status != "VERIFIED"


@given(on_a_line(), gaps, st.data())
def test_scores_and_labels_of_good_weights_are_never_refuted(
    case: tuple[MulticlassProblem, Rows, F], allowed: F, data: st.DataObject
) -> None:
    problem, best, optimum = case
    assert problem.X is not None
    for W in (best, data.draw(weights(problem))):
        if primal_of_the_lecture(problem, W) > optimum * (1 + allowed):
            continue
        scores = [[w[0] * x[0] for w in W] for x in problem.X]
        labels = [row.index(max(row)) for row in scores]
        witness = data.draw(multipliers(problem))
        verdict = judge(problem, scores=scores, labels=labels, witness=witness, allowed=allowed)
        assert verdict.status != "REFUTED"


@given(on_a_line(), gaps, st.data())
def test_verified_labels_are_those_of_the_optimum(
    case: tuple[MulticlassProblem, Rows, F], allowed: F, data: st.DataObject
) -> None:
    problem, best, _ = case
    assert problem.X is not None
    labels = [data.draw(st.integers(0, 1)) for _ in problem.y]
    witness = data.draw(multipliers(problem))
    if judge(problem, labels=labels, witness=witness, allowed=allowed):
        for x, label in zip(problem.X, labels, strict=True):
            scores = [w[0] * x[0] for w in best]
            assert scores[label] == max(scores)


@given(problems_with_points(), gaps)
def test_an_explicit_gram_matrix_gives_the_verdict_of_its_rows(
    case: tuple[MulticlassProblem, Rows, Rows], allowed: F
) -> None:
    problem, _, lam = case
    assert problem.X is not None
    X = [[F(v) for v in x] for x in problem.X]
    gram = [[inner(u, v) for v in X] for u in X]
    same = MulticlassProblem(gram=gram, y=problem.y, k=problem.k, C=problem.C)
    labels = [0] * len(X)
    one = judge(problem, lam=lam, labels=labels, values={"objective": F(1)}, allowed=allowed)
    assert one == judge(same, lam=lam, labels=labels, values={"objective": F(1)}, allowed=allowed)
