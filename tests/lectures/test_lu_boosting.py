"""AdaBoost.MH: `learn` and the lecture make the same rounds."""

import math
from collections.abc import Sequence
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from refmc import Log, first, fit_adaboost, fit_adaboost_mh, last
from refmc.lectures import lu


def stump(q: lu.Question | None, signs: Sequence[int]) -> lu.Base:
    """h(ω, l) = v_l for yes and −v_l for no; without a question the answer is yes."""
    return lambda x, l: signs[l] if q is None or lu.answer(q, x) else -signs[l]


def stumps(X: Sequence[Any], k: int) -> list[lu.Base]:
    """All stumps in the order of columns, then of thresholds or sets, the constants last."""
    questions = lu.questions(tuple(range(len(X))), [(x, 0) for x in X])
    signs = list(product((1, -1), repeat=k))
    return [stump(q, v) for q in [*questions, None] for v in signs]


def table(h: Any, X: Sequence[Any], k: int) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(h(x, l) for l in range(k)) for x in X)


def behaviours(tied: Sequence[Any], X: Sequence[Any], k: int) -> set[Any]:
    """What the tied stumps answer on the rows, with either sign where both are as good."""
    found = set()
    for one in tied:
        for flips in product((1, -1), repeat=len(one.free)):
            flip = dict(zip(one.free, flips))
            rows = [enumerate(one.answer(x)) for x in X]
            found.add(tuple(tuple(sign * flip.get(l, 1) for l, sign in row) for row in rows))
    return found


numbers = st.tuples(st.integers(0, 3), st.integers(0, 2))
mixed = st.tuples(st.integers(0, 3), st.sampled_from("abc"))


@st.composite
def samples(
    draw: st.DrawFn, cells: st.SearchStrategy[Any], k: int
) -> tuple[list[Any], list[tuple[int, ...]]]:
    m = draw(st.integers(1, 6))
    X = draw(st.lists(cells, min_size=m, max_size=m))
    return X, draw(st.lists(st.tuples(*[st.sampled_from((-1, 1))] * k), min_size=m, max_size=m))


def assert_same_rounds(rounds: Sequence[lu.Round], steps: Sequence[Any], S: lu.Sample) -> None:
    """D_t, ε_t, α_t and Z_t of each round, and the loss after it."""
    k = len(S[0][1])
    for t, (turn, step) in enumerate(zip(rounds, steps, strict=True), 1):
        D, eps, alpha = turn.D, turn.eps, turn.alpha
        assert [[D[i, l] for l in range(k)] for i in range(len(S))] == [[*row] for row in step.D]
        assert (eps, turn.Z_squared) == (step.epsilon, step.Z_squared)
        assert step.alpha == (Log([(alpha.a, alpha.n)]) if eps else None)
        assert lu.epsilon(turn.h, S, D) == eps
        wrong = [lu.h_S(rounds[:t], x, l) != c[l] for x, c in S for l in range(k)]
        assert lu.mean([int(w) for w in wrong]) == step.loss


def signs_of(values: Sequence[Any]) -> list[int]:
    return [(value > 0) - (value < 0) for value in values]


PAGE: Any = [(0, 0), (1, 0), (2, 0), (3, 0)], [(1, -1), (1, -1), (-1, 1), (-1, -1)]


@given(samples(numbers, 2), st.integers(0, 4))
@example(PAGE, 4)
def test_stumps_are_boosted_as_in_the_lecture(sample: Any, T: int) -> None:
    X, Y = sample
    S, H, steps = list(zip(X, Y)), stumps(X, 2), list[Any]()
    model: Any = fit_adaboost_mh(X, Y, rounds=T, on_step=steps.append, weights=[F(1)] * len(X))
    rounds = lu.adaboost_mh(S, H, T)
    assert_same_rounds(rounds, steps, S)
    for turn, step in zip(rounds, steps):
        assert behaviours(step.tied, X, 2) == {table(H[j], X, 2) for j in turn.tied}
        assert table(turn.h, X, 2) == tuple(map(step.base.answer, X))
    for x in [*X, (9, 1), (-1, 5)]:
        assert [lu.h_S(rounds, x, l) for l in range(2)] == signs_of(model.scores(x))


@given(samples(mixed, 2), st.sampled_from([first, last]))
def test_every_choice_among_stumps_is_one_that_the_lecture_admits(sample: Any, policy: Any) -> None:
    X, Y = sample
    S, H, steps = list(zip(X, Y)), stumps(X, 2), list[Any]()
    fit_adaboost_mh(X, Y, rounds=3, choose=policy, on_step=steps.append, weights=[F(1)] * len(X))
    for step in steps:
        D = {(i, l): d for i, row in enumerate(step.D) for l, d in enumerate(row)}
        errors = [lu.epsilon(h, S, D) for h in H]
        best = {table(H[j], X, 2) for j in lu.arg_min(errors)}
        assert step.epsilon == min(errors)
        assert best == behaviours(step.tied, X, 2)
        assert tuple(map(step.base.answer, X)) in best


@given(samples(numbers, 1), st.integers(1, 4))
def test_with_one_sign_it_is_adaboost(sample: Any, T: int) -> None:
    X, Y = sample
    S, steps, weights = list(zip(X, Y)), list[Any](), [F(1)] * len(X)
    fitted: Any = fit_adaboost(
        X, [v for (v,) in Y], rounds=T, classes=(-1, 1), on_step=steps.append, weights=weights
    )
    rounds = lu.adaboost_mh(S, stumps(X, 1), T)
    assert_same_rounds(rounds, steps, S)
    for x in X:
        assert [lu.h_S(rounds, x, 0)] == signs_of([fitted.decision(x)])


class Table:
    """Any base classifier of k signs, by the number of the row."""

    def __init__(self, signs: Sequence[tuple[int, ...]]) -> None:
        self.signs = signs

    def predict(self, rows: Sequence[Any]) -> list[tuple[int, ...]]:
        return [self.signs[row[0]] for row in rows]

    def __call__(self, x: Any, l: int) -> int:
        sign: int = self.signs[x[0]][l]
        return sign


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], list[Table], int]:
    m, k = draw(st.integers(1, 3)), draw(st.integers(2, 3))
    rows = st.lists(st.tuples(*[st.sampled_from((-1, 1))] * k), min_size=m, max_size=m)
    H = [Table(signs) for signs in draw(st.lists(rows, min_size=1, max_size=5))]
    return draw(rows), H, draw(st.integers(1, 5))


@given(tables())
def test_any_finite_set_of_base_classifiers_is_boosted_as_in_the_lecture(drawn: Any) -> None:
    Y, H, T = drawn
    X = [(i,) for i in range(len(Y))]
    S, steps = list(zip(X, Y)), list[Any]()

    def weak(X: Any, Y: Any, *, weights: Any) -> Any:
        D = {(i, l): d for i, row in enumerate(weights) for l, d in enumerate(row)}
        return H[lu.arg_min([lu.epsilon(h, S, D) for h in H])[0]]

    fit_adaboost_mh(X, Y, rounds=T, weak=weak, on_step=steps.append, weights=[F(1)] * len(X))
    rounds = lu.adaboost_mh(S, H, T)
    assert_same_rounds(rounds, steps, S)
    assert [step.base for step in steps] == [turn.h for turn in rounds]


def test_line_10_is_the_printed_quotient_of_exponential_and_root() -> None:
    S = [((i,), signs) for i, signs in enumerate([(1, -1), (1, -1), (-1, 1), (-1, -1)])]
    H = stumps([x for x, _ in S], 2)
    rounds = lu.adaboost_mh(S, H, 4)
    assert len(rounds) > 2
    for turn, following in pairwise(rounds):
        alpha, Z = math.log((1 - turn.eps) / turn.eps) / 2, math.sqrt(turn.Z_squared)
        for (i, l), d in turn.D.items():
            printed = d * math.exp(-alpha * turn.h(S[i][0], l) * S[i][1][l]) / Z
            assert math.isclose(following.D[i, l], printed, rel_tol=1e-12)
        assert sum(following.D.values()) == 1
        assert math.isclose(float(turn.alpha.n) * math.log(turn.alpha.a), alpha)
