"""One-vs-one: votes, score sums and tournaments against the lectures."""

import gc
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import combinations, permutations
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.records import parse_json
from refmc.core.sample import ReadRows
from refmc.core.ties import first, last
from refmc.errors import (
    DataError,
    FormatError,
    MixedArithmeticError,
    NotSeparableError,
    ParameterError,
)
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.members import ABSENT, BinaryStep
from refmc.learn.reductions.one_vs_all import fit_one_vs_all
from refmc.learn.reductions.one_vs_one import (
    Decide,
    OneVsOne,
    Tournament,
    by_score_sum,
    by_votes,
    by_votes_then_sums,
    duels,
    fit_one_vs_one,
    one_vs_one_from_record,
    score_sums,
    votes,
)
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import model_from_record
from refmc.lectures import chang
from tests.support import Array, InTurn

svm = partial(fit_binary_svm, C=1)
halves = st.integers(-3, 3).map(lambda n: F(n, 2))
THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]


def matrices(k: int) -> st.SearchStrategy[Any]:
    n = k * (k - 1) // 2
    return st.lists(halves, min_size=n, max_size=n).map(lambda scores: duels(scores, k))


def decided(scores: Sequence[Any], k: int, **choices: Any) -> OneVsOne:
    return fit_one_vs_one([[F(i)] for i in range(k)], range(k), InTurn(*scores), **choices)


def test_the_example_ties_three_votes_and_its_score_sums_choose_class_one() -> None:
    scores = [F(1), F(-2), F(3)]  # d01, d02, d12
    model = decided(scores, 3)
    assert list(model.votes([F(0)])) == [1, 1, 1]
    assert model.predict_set([F(0)]) == (0, 1, 2)
    assert model.scores([F(0)]) == (-1, 2, -1)
    assert decided(scores, 3, decide=by_score_sum).predict_set([F(0)]) == (1,)
    assert decided(scores, 3, tie=last).predict([[F(0)]]) == [2]


def test_the_order_of_the_bracket_decides_a_cycle() -> None:
    scores = [F(1), F(-2), F(3)]  # 0 beats 1, 2 beats 0, 1 beats 2
    winners = {
        bracket: decided(scores, 3, decide=Tournament(bracket)).predict_set([F(0)])
        for bracket in permutations(range(3))
    }
    # who is drawn last enters the final and beats the one who beat the third
    assert winners[0, 1, 2] == winners[1, 0, 2] == (2,)
    assert winners[0, 2, 1] == winners[2, 0, 1] == (1,)
    assert winners[1, 2, 0] == winners[2, 1, 0] == (0,)


def test_the_sum_of_scores_needs_the_antisymmetric_convention() -> None:
    d = {(0, 1): F(-1), (0, 2): F(-1), (1, 2): F(-5)}  # class 2 beats both, 0 loses to both
    as_trained = [sum((v for (y, _), v in d.items() if y == c), F(0)) for c in range(3)]
    symmetric = [sum((v for pair, v in d.items() if c in pair), F(0)) for c in range(3)]
    w = duels(list(d.values()), 3)
    assert as_trained == [-2, -5, 0]  # class 2 has no term at all
    assert symmetric == [-2, -6, -6]  # class 0, which loses to both others, ranks first
    assert [list(row) for row in w] == [[0, -1, -1], [1, 0, -5], [1, 5, 0]]
    assert list(score_sums(w)) == [-2, -4, 6]
    assert by_score_sum(w, range(3)) == (2,)


def test_the_sum_of_signs_needs_the_pairs_in_reverse_order_too() -> None:
    h = {(0, 1): 1, (0, 2): -1, (0, 3): -1, (1, 2): 1, (1, 3): -1, (2, 3): 1}
    w = duels([F(v) for v in h.values()], 4)
    as_trained = [sum(h.get((i, j), 0) for j in range(4)) for i in range(4)]
    same_classifier, mirrored = (
        [
            sum(h[i, j] for j in range(i + 1, 4)) - sum(back * h[j, i] for j in range(i))
            for i in range(4)
        ]
        for back in (1, -1)  # h^[j,i] = back·h^[i,j]; sign(j − i) is the minus
    )
    assert list(votes(w)) == [1, 1, 2, 2]
    assert as_trained == [-1, 0, 1, 0]  # class 3 wins as often as class 2, and is passed over
    assert mirrored == [-1, 1, 1, -1]  # class 1 wins once, and is tied for the first place
    assert same_classifier == [2 * n - 3 for n in votes(w)]
    assert by_votes(w, range(4)) == (2, 3)


@given(matrices(4))
def test_votes_are_wins_and_half_of_the_draws(w: Any) -> None:
    scores = {(i, j): w[i][j] for i, j in permutations(range(4), 2)}
    assert votes(w) == tuple(chang.wins(scores, i, 4) for i in range(4))
    assert sum(votes(w)) == 6
    assert sum(score_sums(w)) == 0


@given(st.integers(1, 5).flatmap(matrices), st.randoms(use_true_random=False))
def test_a_tournament_finds_all_possible_champions(w: Any, random: Any) -> None:
    k = len(w)
    bracket = list(range(k))
    random.shuffle(bracket)
    scores = {(i, j): w[i][j] for i, j in permutations(range(k), 2)}
    champions = chang.tournament(scores, bracket)
    assert Tournament(tuple(bracket))(w, range(k)) == tuple(sorted(champions))


@given(matrices(4), st.integers(0, 3))
def test_a_class_that_beats_all_others_wins_by_votes_and_in_every_bracket(w: Any, c: int) -> None:
    if any(w[c][j] <= 0 for j in range(4) if j != c):
        return
    assert by_votes(w, range(4)) == (c,)
    for bracket in permutations(range(4)):
        assert Tournament(bracket)(w, range(4)) == (c,)


def test_a_label_has_from_no_vote_to_k_minus_1() -> None:
    assert list(votes(duels([F(1), F(1), F(1)], 3))) == [2, 1, 0]


def test_five_votes_are_too_few_for_four_classes_and_too_many_for_three() -> None:
    for k in (3, 4):
        assert sum(votes(duels([F(1)] * (k * (k - 1) // 2), k))) == (3, 6)[k - 3]
    # red 1, yellow 2, green 2, and a fourth class with the vote that is not printed
    red, yellow, green, other = range(4)
    wins = {(red, other), (yellow, red), (yellow, green), (green, red), (green, other)}
    wins |= {(other, yellow)}
    w = duels([F(1) if pair in wins else F(-1) for pair in combinations(range(4), 2)], 4)
    assert list(votes(w)) == [1, 2, 2, 1]
    assert by_votes(w, range(4)) == (yellow, green)


def test_an_odd_number_of_classes_has_one_that_goes_on_without_a_match() -> None:
    w = duels([F(1), F(-1), F(-1)], 3)  # class 2 beats both others
    assert Tournament((0, 1, 2))(w, range(3)) == Tournament((2, 0, 1))(w, range(3)) == (2,)


@given(st.lists(st.tuples(halves, halves), min_size=2, max_size=6, unique=True), st.data())
def test_where_every_pair_is_separable_votes_and_tournaments_make_no_error(
    points: list[tuple[F, F]], data: st.DataObject
) -> None:
    y = [data.draw(st.integers(0, 3)) for _ in points]
    y[:2] = [0, 1]
    try:
        model = fit_one_vs_one(points, y, fit_hard_svm)
    except NotSeparableError:
        assume(False)
    assert [model.predict_set(x) for x in points] == [(label,) for label in y]
    bracket = Tournament(tuple(range(len(model.classes))))
    by_matches = fit_one_vs_one(points, y, fit_hard_svm, decide=bracket)
    assert [by_matches.predict_set(x) for x in points] == [(label,) for label in y]


@given(st.lists(st.tuples(halves, halves), min_size=1, max_size=4), halves, halves)
def test_differences_of_class_weights_as_pairs_predict_as_the_classes(
    W: list[tuple[F, F]], a: F, b: F
) -> None:
    scores = [u * a + v * b for u, v in W]
    pairs = [scores[i] - scores[j] for i, j in combinations(range(len(W)), 2)]
    best = tuple(i for i, s in enumerate(scores) if s == max(scores))
    assert by_score_sum(duels(pairs, len(W)), range(len(W))) == best


def test_all_pairs_train_on_fewer_rows_in_all_than_one_vs_all() -> None:
    X, y = [[F(i)] for i in range(6)], [0, 0, 1, 1, 1, 2]
    counts: list[list[int]] = [[], []]
    fit_one_vs_all(X, y, svm, on_step=lambda step: counts[0].append(step.rows))
    fit_one_vs_one(X, y, svm, on_step=lambda step: counts[1].append(step.rows))
    assert counts == [[6, 6, 6], [5, 3, 4]]  # km against (k − 1)m


def test_each_pair_is_trained_on_its_own_rows() -> None:
    steps: list[BinaryStep] = []
    X, y = [[F(t)] for t in range(5)], ["a", "b", "c", "b", "a"]
    seen: list[tuple[list[Any], list[int]]] = []

    def binary(X: Any, y: Any) -> Callable[[Any], F]:
        seen.append(([row[0] for row in X], list(y)))
        return lambda x: F(1)

    model = fit_one_vs_one(X, y, binary, on_step=steps.append)
    assert seen == [
        ([0, 1, 3, 4], [1, -1, -1, 1]),
        ([0, 2, 4], [1, -1, 1]),
        ([1, 2, 3], [1, -1, 1]),
    ]
    assert [(s.problem, s.positive, s.negative, s.rows) for s in steps] == [
        (0, ("a",), ("b",), 4),
        (1, ("a",), ("c",), 3),
        (2, ("b",), ("c",), 3),
    ]
    assert model.pairs == ((0, 1), (0, 2), (1, 2))


def test_one_class_is_constant_and_two_make_one_pair() -> None:
    one = fit_one_vs_one([[F(1)], [F(2)]], ["a", "a"], svm)
    assert (one.predict([[F(5)]]), one.models, one.scores([F(5)])) == (["a"], (), (0,))
    two = fit_one_vs_one([[F(1)], [F(-1)]], ["a", "b"], svm)
    assert len(two.models) == 1
    assert two.duels([F(1)]) == ((0, 1), (-1, 0))
    assert two.predict_set([F(0)]) == ("a", "b")
    assert two.votes([F(0)]) == (F(1, 2), F(1, 2))


def test_tied_votes_are_settled_by_the_unrounded_sums_over_all_other_classes() -> None:
    # 0 beats 1, 1 beats 2 and 2 beats 0, each by 1; all beat 3, and 1 does it most clearly
    w = duels([F(v) for v in (1, -1, 1, 1, 5, 1)], 4)
    assert by_votes(w, range(4)) == (0, 1, 2) and by_votes_then_sums(w, range(4)) == (1,)
    # the sums of 0 and 1 are 1 - 2^-60 and 1, and equal if they are rounded
    near = duels([1.0, -(2.0**-60), 2.0], 3)
    assert score_sums(near)[:2] == (1.0, 1.0) and by_votes_then_sums(near, range(3)) == (1,)


@pytest.mark.parametrize("decide", [by_votes, by_score_sum, Tournament((3, 1, 0, 2))])
def test_pairs_of_a_class_without_rows_are_skipped(decide: Decide) -> None:
    steps: list[BinaryStep] = []
    model = fit_one_vs_one(
        [[F(1)], [F(-1)], [F(0)]],
        ["a", "c", "d"],
        svm,
        classes=["a", "b", "c", "d"],
        decide=decide,
        on_step=steps.append,
    )
    assert model.skipped == (("a", "b"), ("b", "c"), ("b", "d"))
    assert [s.model is None for s in steps] == [True, False, False, True, True, False]
    assert model.scores([F(0)])[1] == ABSENT
    assert model.votes([F(0)])[1] == 0
    for t in range(-3, 4):
        assert "b" not in model.predict_set([F(t)])
    alone = fit_one_vs_one([[F(1)]], ["c"], svm, classes=["a", "b", "c", "d"], decide=decide)
    assert alone.predict_set([F(9)]) == ("c",)
    assert alone.skipped == tuple(combinations("abcd", 2))


def test_sums_of_floats_are_compared_without_rounding() -> None:
    scores = [1e16, 1.0, -1e16, 0.0, 0.0, 0.0]  # class 0: exactly 1, though 1e16 + 1 rounds
    model = decided(scores, 4, decide=by_score_sum)
    assert model.scores([F(0)])[0] == 1.0
    tied = duels([0.1, 0.2, -0.3, 0.0, 0.0, 0.0], 4)
    exact = [sum((F(v) for v in row), F(0)) for row in tied]
    assert by_score_sum(tied, range(4)) == tuple(i for i, v in enumerate(exact) if v == max(exact))


def test_scores_may_be_exact_logarithms() -> None:
    nine, three = Log([(9, 1)]), Log([(3, 1)])
    model = decided([nine, -2 * three, Log()], 3, decide=by_score_sum)
    assert model.scores([F(0)])[0] == 0
    assert model.predict_set([F(0)]) == (2,)
    assert list(model.votes([F(0)])) == [1, F(1, 2), F(3, 2)]


def test_logarithms_vote_beside_fractions_but_have_no_sum_with_them() -> None:
    model = decided([Log([(9, 1)]), F(-1), F(0)], 3)
    assert list(model.votes([F(0)])) == [1, F(1, 2), F(3, 2)]
    assert model.predict_set([F(0)]) == (2,)
    with pytest.raises(MixedArithmeticError, match="sum of exact logarithms"):
        model.scores([F(0)])


def test_bad_input_is_refused_with_its_place() -> None:
    with pytest.raises(DataError, match="expected 3, one for each pair of 3 classes"):
        duels([1, 2], 3)
    with pytest.raises(DataError, match="scores: position 1"):
        duels([1.0, float("nan"), 2.0], 3)
    bad: Any
    for bad in ((), (0, 0), (1, 2), (0.0, 1.0), "01", 3, (True, False)):
        with pytest.raises(ParameterError, match="bracket"):
            Tournament(bad)
    with pytest.raises(ParameterError, match="bracket: expected 3 positions"):
        fit_one_vs_one(THREE, [1, 2, 3], svm, decide=Tournament((0, 1)))
    with pytest.raises(ParameterError, match="bracket: expected 3 positions"):
        Tournament((0, 1))(duels([1, 2, 3], 3), range(3))
    with pytest.raises(DataError, match="X: row 0: expected 2 numbers"):
        fit_one_vs_one(THREE, [1, 2, 3], svm).predict([[F(1)]])


def test_threads_train_the_same_models() -> None:
    with ThreadPoolExecutor(2) as pool:
        side_by_side = fit_one_vs_one(THREE, ["a", "b", "c"], fit_perceptron, executor=pool)
    assert side_by_side == fit_one_vs_one(THREE, ["a", "b", "c"], fit_perceptron)


def test_a_saved_model_comes_back_equal() -> None:
    for decide in (by_votes, by_score_sum, Tournament((2, 0, 1))):
        model = fit_one_vs_one(THREE, ["a", "b", "c"], svm, decide=decide)
        record = parse_json(model.to_json(), "model")
        assert one_vs_one_from_record(record, first, model_from_record) == model
    alone = fit_one_vs_one(THREE, ["a"] * 3, svm)
    record = parse_json(alone.to_json(), "model")
    assert one_vs_one_from_record(record, first, model_from_record) == alone


def test_what_does_not_fit_a_saved_model_is_named() -> None:
    record = dict(parse_json(fit_one_vs_one(THREE, [1, 2, 3], svm).to_json(), "model"))
    for name, value, match in [
        ("decide", [0, 1], "model.decide: bracket: expected 3 positions"),
        ("decide", [0, 0, 1], "model.decide: bracket"),
        ("decide", "by_luck", "model.decide"),
        ("binary", [], "model.binary: expected 3 models"),
        ("present", [], "model.present"),
    ]:
        with pytest.raises(FormatError, match=match):
            one_vs_one_from_record(record | {name: value}, first, model_from_record)
    with pytest.raises(ParameterError, match="can't be saved"):
        decided([F(1)], 2).to_json()


def test_a_decision_that_is_no_function_is_refused() -> None:
    with pytest.raises(ParameterError, match="decide: expected a function .* got 'votes'"):
        decided([F(1)], 2, decide="votes")


def test_a_bracket_may_be_a_list_or_an_array_and_is_kept_as_a_tuple() -> None:
    drawn: list[Any] = [(1, 0, 2), [1, 0, 2], Array([1, 0, 2])]
    assert {Tournament(bracket) for bracket in drawn} == {Tournament((1, 0, 2))}


def test_the_rows_of_a_pair_are_made_when_its_turn_comes_and_forgotten_after_it() -> None:
    # many classes have so many pairs that all their rows at once, or all columns, would fill memory
    def count() -> int:
        return sum(isinstance(kept, ReadRows) for kept in gc.get_objects())

    alive, before = list[int](), count()

    def binary(rows: Any, signs: Any) -> Callable[[Any], float]:
        alive.append(count())
        return lambda x: 1.0

    classes = range(6)
    fit_one_vs_one([[float(c)] for c in classes], list(classes), binary)
    assert len(alive) == 15 and max(alive) <= before + 2
