"""Error-correcting tournaments: small ones by hand, and played forward over all outcomes."""

import json
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import product
from math import ceil, log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.core.ties import argmax_set, first, last, refuse
from refmc.errors import DataError, FormatError, ParameterError, TieError
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions.members import ABSENT, BinaryStep
from refmc.learn.reductions.papers.error_correcting_tournament import (
    Entrant,
    ErrorCorrectingTournament,
    Match,
    bracket,
    fit_error_correcting_tournament,
)
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.oracle.models import load_model
from tests.support import InTurn, of_first_column, reloaded, table

FOUR = [[F(t)] for t in range(7)]
LABELS = ["a", "a", "b", "b", "c", "c", "d"]


def seen(binary: InTurn) -> list[tuple[list[Any], list[int]]]:
    """The first numbers of the rows that the learner was shown, and the signs."""
    return [([x[0] for x in X], y) for X, y in binary.seen]


def constants(values: Sequence[Any]) -> InTurn:
    return InTurn(*values)


def test_a_filter_tree_trains_each_match_on_the_rows_whose_class_arrived() -> None:
    # at the first match the row 1 is tied and goes on, at the second 4 is tied and 6 lost
    binary = of_first_column(lambda t: 1 - t, lambda t: t - 4, lambda t: 2 - t)
    model = fit_error_correcting_tournament(FOUR, LABELS, binary)
    assert seen(binary) == [
        ([0, 1, 2, 3], [1, 1, -1, -1]),
        ([4, 5, 6], [1, 1, -1]),
        ([0, 1, 2, 3, 4, 5], [1, 1, 1, 1, -1, -1]),
    ]
    # at 0 the left half wins, and in it a; at 1 a or b; at 2 the halves tie: b, or of c and d the d
    assert [model.predict_set([F(t)]) for t in (0, 1, 2, 3, 4, 5)] == [
        ("a",),
        ("a", "b"),
        ("b", "d"),
        ("d",),
        ("c", "d"),
        ("c",),
    ]
    # the narrowest match: a wins by 1 - t, then by 2 - t
    assert model.scores([F(0)]) == (1, -1, -4, -2)


def test_a_double_elimination_is_the_one_drawn_by_hand() -> None:
    class_0, class_1, class_2 = map(Entrant, range(3))
    assert bracket(range(3), 2) == [
        [Match(class_0, class_1)],
        [Match(Entrant(0, True), class_2)],  # the first tournament is over
        [Match(Entrant(1, False), Entrant(0, False))],  # both have lost once
        [Match(Entrant(2, True), Entrant(1, True))],  # and meet the winner of the first
        [Match(Entrant(1, True), Entrant(3, True))],  # the final phase
    ]


def test_losers_are_trained_further_in_the_next_tournament() -> None:
    binary = constants([F(1)] * 9)
    binary.waiting[:2] = [lambda x: 1 - x[0], lambda x: x[0] - 4]
    steps: list[BinaryStep] = []
    fit_error_correcting_tournament(FOUR, LABELS, binary, m=2, on_step=steps.append)
    assert steps[3].positive == ("a",) and steps[3].negative == ("c", "d")
    assert seen(binary)[3] == ([1, 4, 6], [1, -1, -1])  # the two tied rows, and the one that lost


def test_a_row_whose_class_stands_on_both_sides_is_left_out() -> None:
    # the row of 0 wins all its matches, the row of 1 none: at the end 0 meets itself
    steps: list[BinaryStep] = []
    binary = of_first_column(lambda t: F(1), lambda t: F(-1))
    model = fit_error_correcting_tournament(
        [[F(0)], [F(1)]], ["a", "b"], binary, m=2, on_step=steps.append
    )
    assert seen(binary) == [([0, 1], [1, -1]), ([0, 1], [-1, 1])]
    assert steps[2] == BinaryStep(2, (), (), 0, None)
    assert (model.models[2], model.sides) == (None, (0, 0, 0))
    assert model.predict_set([F(0)]) == ("a",)


def test_in_the_final_phase_rows_count_as_often_as_their_side_has_winners() -> None:
    # a wins the first two tournaments, b the third; a meets itself, then b with a charge of 2
    binary = constants([F(1), F(-1), F(1), F(1)])
    model = fit_error_correcting_tournament([[F(0)], [F(1)]], ["a", "b"], binary, m=3)
    assert [match.charges for match in model.matches] == [(1, 1)] * 4 + [(2, 1)]
    assert seen(binary)[3:] == [([0, 0, 1], [1, 1, -1])]
    assert model.models[3] is None
    assert model.predict([[F(0)]]) == ["a"]
    # a wins all three, and meets itself with unequal charges: nothing to learn
    alone = fit_error_correcting_tournament(
        [[F(0)], [F(1)]], ["a", "b"], constants([F(1), F(-1), F(-1)]), m=3
    )
    assert (alone.models[3:], alone.sides) == ((None, None), (0,) * 5)


def forward(
    matches: Sequence[Match], present: Sequence[int], outcomes: Sequence[int]
) -> dict[Entrant, int]:
    """Play all matches in their order: +1 where the left side wins."""
    places = {Entrant(c): c for c in present}
    for n, (match, left_wins) in enumerate(zip(matches, outcomes, strict=True)):
        a, b = places[match.left], places[match.right]
        places[Entrant(n, True)], places[Entrant(n, False)] = (a, b) if left_wins > 0 else (b, a)
    return places


@given(st.integers(1, 5), st.integers(1, 3), st.data())
def test_all_that_can_win_is_found_by_playing_forward(k: int, m: int, data: Any) -> None:
    if m * k > 10:
        return
    count = m * k - 1 if k > 1 else 0
    answers = data.draw(st.lists(st.integers(-2, 2).map(F), min_size=count, max_size=count))
    X, y = [[F(i)] for i in range(2 * k)], [i // 2 for i in range(2 * k)]
    model = fit_error_correcting_tournament(X, y, constants(answers), m=m)
    assert len(model.matches) == count
    trained = iter(answers)
    values = [next(trained) if model.models[n] else model.sides[n] for n in range(count)]
    options = [(1, -1) if value == 0 else (value,) for value in values]
    end = Entrant(count - 1, True) if count else Entrant(0)
    possible = {forward(model.matches, range(k), outcomes)[end] for outcomes in product(*options)}
    assert model.predict_set([F(0)]) == tuple(sorted(possible))
    assert model.predict([[F(0)]]) == [min(possible)]
    scores = model.scores([F(0)])
    assert argmax_set(scores) == tuple(sorted(possible))
    assert {c for c, score in enumerate(scores) if score >= 0} == possible


def regrets(D: Sequence[int], match: Match, a: int, b: int, left_wins: int) -> int:
    """What an answer at a match of the classes a and b loses of the weight of their rows."""
    if a == b:
        return 0
    ahead = match.charges[0] * D[a] - match.charges[1] * D[b]
    return max(0, -ahead if left_wins > 0 else ahead)


def worst_ratio(k: int, m: int, highest: int, swapped: bool) -> F:
    """m times the regret of the winner, over that of all matches: its maximum for all outcomes."""
    matches = [match for played in bracket(range(k), m) for match in played]
    if swapped:
        matches = [match._replace(charges=match.charges[::-1]) for match in matches]
    worst = F(0)
    for outcomes in product((1, -1), repeat=len(matches)):
        places = forward(matches, range(k), outcomes)
        pairs = [(places[match.left], places[match.right]) for match in matches]
        for D in product(range(highest + 1), repeat=k):
            lost = max(D) - D[places[Entrant(len(matches) - 1, True)]]
            if lost:
                of_matches = zip(matches, pairs, outcomes)
                worst = max(
                    worst, F(m * lost, sum(regrets(D, n, a, b, s) for n, (a, b), s in of_matches))
                )
    return worst


def test_an_error_of_the_winner_costs_half_of_m_errors_of_matches() -> None:
    for k, m in ((2, 1), (3, 1), (4, 1), (2, 2), (3, 2)):
        assert worst_ratio(k, m, 3, swapped=False) == 1
    assert worst_ratio(2, 3, 6, swapped=False) == F(3, 2)
    assert worst_ratio(2, 5, 4, swapped=False) <= 2
    assert worst_ratio(2, 3, 6, swapped=True) == 3  # charges of the other side break the bound


def test_a_filter_tree_asks_a_logarithm_of_the_classes() -> None:
    for k in range(1, 12):
        asked = [0]

        def binary(X: Any, y: Any, asked: list[int] = asked) -> Callable[[Any], F]:
            def score(x: Any) -> F:
                asked[0] += 1
                return F(1)

            return score

        X, y = [[F(i)] for i in range(k)], list(range(k))
        model = fit_error_correcting_tournament(X, y, binary)
        asked[0] = 0
        assert model.predict([[F(0)]]) == [0]
        assert asked[0] == ceil(log2(k))


def test_one_class_is_constant_and_two_make_the_bare_classifier() -> None:
    X = [[F(1)], [F(3)], [F(-1)]]
    one = fit_error_correcting_tournament(X, ["a"] * 3, fit_hard_svm, m=3)
    assert (one.models, one.predict([[F(9)]]), one.scores([F(9)])) == ((), ["a"], (0,))
    two = fit_error_correcting_tournament(X, ["a", "a", "b"], fit_hard_svm)
    alone = fit_hard_svm(X, [1, 1, -1])
    assert two.models == (alone,)
    for t in range(-3, 4):
        s = alone.decision([F(t)])
        assert two.scores([F(t)]) == (s, -s)


def test_a_class_without_rows_does_not_take_part() -> None:
    X, y = [[F(0)], [F(2)], [F(4)]], ["a", "c", "d"]
    with_absent = fit_error_correcting_tournament(
        X, y, fit_hard_svm, m=2, classes=["a", "b", "c", "d"]
    )
    without = fit_error_correcting_tournament(X, y, fit_hard_svm, m=2)
    assert with_absent.models == without.models
    for t in range(-2, 7):
        assert with_absent.predict_set([F(t)]) == without.predict_set([F(t)])
        assert with_absent.scores([F(t)])[1] == ABSENT
    alone = fit_error_correcting_tournament([[F(0)]], ["b"], fit_hard_svm, classes=["a", "b"])
    assert (alone.predict([[F(5)]]), alone.scores([F(5)])) == (["b"], (ABSENT, 0))


def test_a_match_with_rows_of_one_side_is_won_by_it() -> None:
    # all rows of a and b are answered wrongly, so that only those of c arrive at the end
    steps: list[BinaryStep] = []
    binary = of_first_column(lambda t: t - F(1, 2))
    X, y = [[F(0)], [F(1)], [F(2)]], ["a", "b", "c"]
    model = fit_error_correcting_tournament(X, y, binary, on_step=steps.append)
    assert steps[1] == BinaryStep(1, (), ("c",), 1, None)
    assert model.sides == (0, -1)
    assert model.predict(X) == ["c", "c", "c"]
    assert model.scores([F(1)]) == (-1, -1, 1)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_names_of_the_labels_make_no_difference(data: list[tuple[int, int]]) -> None:
    X, y = [[F(t), F(1)] for t, _ in data], [c for _, c in data]
    numbered = fit_error_correcting_tournament(X, y, fit_perceptron, m=2)
    named = fit_error_correcting_tournament(X, ["wxyz"[c] for c in y], fit_perceptron, m=2)
    assert named.models == numbered.models
    for x in X:
        assert named.predict_set(x) == tuple("wxyz"[int(str(c))] for c in numbered.predict_set(x))


def test_arguments_are_not_modified_and_may_be_tuples() -> None:
    X, y = [list(x) for x in FOUR], list(LABELS)
    model = fit_error_correcting_tournament(X, y, fit_perceptron, m=2)
    assert (X, y) == (FOUR, LABELS)
    again = fit_error_correcting_tournament(
        tuple(map(tuple, X)), tuple(y), fit_perceptron, m=2, classes=tuple("abcd")
    )
    assert again == model


def test_threads_and_processes_train_the_same_matches() -> None:
    alone = fit_error_correcting_tournament(FOUR, LABELS, fit_perceptron, m=2)
    for pool in (ThreadPoolExecutor(2), ProcessPoolExecutor(1)):
        with pool:
            assert alone == fit_error_correcting_tournament(
                FOUR, LABELS, fit_perceptron, m=2, executor=pool
            )


def test_ties_follow_the_policy() -> None:
    for tie, label in ((first, "a"), (last, "d")):
        tied = fit_error_correcting_tournament(FOUR, LABELS, constants([F(0)] * 3), tie=tie)
        assert tied.predict([[F(0)]]) == [label]
        assert tied.predict_set([F(0)]) == ("a", "b", "c", "d")
    with pytest.raises(TieError):
        fit_error_correcting_tournament(FOUR, LABELS, constants([F(0)] * 3), tie=refuse).predict(
            FOUR
        )


def test_scores_keep_their_arithmetic_and_may_be_exact_logarithms() -> None:
    whole = [[float(t)] for t in range(3)]
    floats = fit_error_correcting_tournament(whole, ["a", "b", "c"], constants([1, 0.5]))
    assert [type(score) for score in floats.scores([0.0])] == [float] * 3
    logs = fit_error_correcting_tournament(
        FOUR[:3], ["a", "b", "c"], constants([Log([(9, 1)]), 2 * Log([(3, 1)])])
    )
    assert logs.scores([F(0)])[0] == Log([(9, 1)])
    assert logs.predict_set([F(0)]) == ("a",)


def test_bad_input_is_refused_with_its_place() -> None:
    bad: Any
    for bad in (0, -1, True, 1.5, "2", None):
        with pytest.raises(ParameterError, match="m: expected a whole number of at least 1"):
            fit_error_correcting_tournament(FOUR, LABELS, fit_perceptron, m=bad)
    with pytest.raises(DataError, match="binary problem 2: expected a number"):
        fit_error_correcting_tournament(FOUR, LABELS, constants([F(1), F(1), "no number"]))
    model = fit_error_correcting_tournament(FOUR, LABELS, fit_perceptron)
    with pytest.raises(DataError, match="x: expected 1 numbers, got 2"):
        model.scores([F(1), F(2)])
    with pytest.raises(DataError, match="y: expected 7 labels"):
        fit_error_correcting_tournament(FOUR, ["a"], fit_perceptron)

    def failing(X: Any, y: Any) -> Any:
        raise DataError("no")

    with pytest.raises(DataError) as caught:
        fit_error_correcting_tournament(FOUR, LABELS, failing)
    assert caught.value.__notes__ == ["in binary problem 0"]


def test_a_saved_tournament_comes_back_equal() -> None:
    for labels, m in ((LABELS, 3), (["a"] * 7, 2), ([1, 2, 3] * 2 + [5], 1)):
        model = fit_error_correcting_tournament(FOUR, labels, fit_perceptron, m=m)
        assert reloaded(model) == model
        again = load_model(model.to_json(), tie=last)
        assert isinstance(again, ErrorCorrectingTournament) and again.tie is last


def test_what_does_not_fit_a_saved_tournament_is_named() -> None:
    record = json.loads(fit_error_correcting_tournament(FOUR, LABELS, fit_perceptron).to_json())
    for name, value, match in [
        ("m", 0, "m: expected a whole number"),
        ("m", 2, "model.binary: expected 7 models, got 3"),
        ("sides", [0, 0], "model.sides: expected -1, 0 or 1 for each of 3"),
        ("sides", [0, 0, 2], "model.sides"),
        ("sides", [0, 0, True], "model.sides: expected -1, 0 or 1"),
        ("sides", [0, 0, 1], "model.sides: a node with a model"),
        ("present", [], "model"),
        ("present", [0, 1, 2, 4], "model.present"),
    ]:
        with pytest.raises(FormatError, match=match):
            load_model(json.dumps(record | {name: value}))
    with pytest.raises(ParameterError, match="can't be saved"):
        fit_error_correcting_tournament(FOUR, LABELS, constants([F(1)] * 3)).to_json()


def test_three_irises_are_told_apart_with_two_answers_at_most() -> None:
    X, y = table("iris.csv")
    svm = partial(fit_binary_svm, C=1)
    model = fit_error_correcting_tournament(X, y, svm)
    assert len(model.models) == 2
    wrong = sum(a != b for a, b in zip(model.predict(X), y, strict=True))
    assert wrong <= 6
