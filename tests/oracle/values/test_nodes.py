"""Decisions of tournaments, label trees and one-against-some, against games played out one by one.

The other route plays every game that the scores of 0 leave open, from the first match or the root
on, with classes alone in the place of sets.
"""

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refmc import FormatError, check, solve_problem
from refmc.answers import trace_problem

Record = dict[str, Any]
ABCD = ["a", "b", "c", "d"]

# a beats b, c and d draw, and the winner of the first match loses against any other
CUP: Record = {"family": "nodes.decode", "classes": ABCD, "f": [[1, 0, -1]]}
TREE: Record = {
    "family": "nodes.decode",
    "classes": ABCD,
    "method": "label_tree",
    "splits": [[["a", "d"], ["b", "c"]], [["d"], ["a"]], [["b"], ["c"]]],
    "f": [["1/2", 0, -1], [-1, 3, -2]],
}
NODE_C: Record = {"candidates": ["c", "a"]}
SOME: Record = {
    "family": "nodes.decode",
    "classes": ["a", "b", "c"],
    "method": "one_against_some",
    "nodes": [{"candidates": ["a", "b"], "below": [1, None]}, NODE_C],
    "f": [[1], [-1], [0]],
    "scores": [[[], [1, 2]], [[3, 3], []], [[4, -1], ["1/2", "1/3"]]],
}


def played(f: list[F], k: int, eliminations: int) -> str:
    """The class that wins where no score is 0: every class keeps the number of its defeats."""
    scores = iter(f)
    alive = [[*range(k)]] + [[] for _ in range(eliminations - 1)]
    champions: list[int] = []
    while len(champions) < eliminations:
        after: list[list[int]] = [[] for _ in range(eliminations + 1)]
        for defeats, players in enumerate(alive):
            while len(players) > 1:
                one, other, *players = players
                won = one if next(scores) > 0 else other
                after[defeats].append(won)
                after[defeats + 1].append(other if won == one else one)
            after[defeats] += players
        alive = after[:-1]
        t = len(champions)
        if len(alive[t]) == 1:
            champions += alive[t]
            alive[t] = []
            if t + 1 < eliminations:
                alive[t + 1].append(champions[-1])
    while len(champions) > 1:
        met, champions = champions, []
        while len(met) > 1:
            one, other, *met = met
            champions.append(one if next(scores) > 0 else other)
        champions += met
    return ABCD[champions[0]]


def games(f: list[F]) -> Iterator[list[F]]:
    """The scores with each 0 settled in every way."""
    yield from map(list, product(*([s] if s else [F(-1), F(1)] for s in f)))


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_all_that_can_win_a_tournament_are_found_by_playing_every_game(data: Any) -> None:
    k, eliminations = data.draw(st.integers(2, 4)), data.draw(st.integers(1, 2))
    n = eliminations * k - 1
    f = data.draw(st.lists(st.integers(-1, 1).map(F), min_size=n, max_size=n))
    problem = {**CUP, "classes": ABCD[:k], "f": [f], "eliminations": eliminations}
    winners = sorted({played(game, k, eliminations) for game in games(f)})
    assert solve_problem(problem)["label_sets"] == [winners]
    assert check(problem, {"label_sets": [winners]}, gap=0)
    for label in ABCD[:k]:
        verdict = check(problem, {"labels": [label]}, gap=0)
        assert verdict.status == ("VERIFIED" if label in winners else "REFUTED")
    if len(winners) > 1:
        assert check(problem, {"label_sets": [winners[1:]]}).status == "REFUTED"


@pytest.mark.parametrize(("k", "times"), [(2, 4), (3, 3)])
def test_several_tournaments_are_won_as_played_game_by_game(k: int, times: int) -> None:
    games_of_signs = [list(map(F, signs)) for signs in product((-1, 1), repeat=times * k - 1)]
    problem = {**CUP, "classes": ABCD[:k], "f": games_of_signs, "eliminations": times}
    winners = [[played(game, k, times)] for game in games_of_signs]
    assert check(problem, {"label_sets": winners}, gap=0)


def test_the_examples_by_hand() -> None:
    assert solve_problem(CUP)["label_sets"] == [["c", "d"]]
    assert solve_problem(TREE)["label_sets"] == [["a", "d"], ["c"]]
    # ends at node 1 with b worse than a; at the root; at both: a at the root, c at node 1
    assert solve_problem(SOME)["label_sets"] == [["a"], ["a", "b"], ["a", "c"]]
    for problem in (CUP, TREE, SOME):
        answer: Any = solve_problem(problem)
        assert check(problem, answer, gap=0)
        for i, labels in enumerate(answer["label_sets"]):
            for label in set(problem["classes"]) - set(labels):
                wrong = [*answer["labels"]]
                wrong[i] = label
                assert check(problem, {"labels": wrong}).status == "REFUTED"
                more = [*answer["label_sets"]]
                more[i] = [*labels, label]
                assert check(problem, {"label_sets": more}).status == "REFUTED"
    assert next(trace_problem(TREE)) == {"row": 0, "class": "a", "best": True}


def test_scores_of_candidates_may_be_rounded_and_signs_may_not() -> None:
    near = {**SOME, "f": [[1]], "scores": [[[], [1, "1.0000000001"]]]}
    assert check(near, {"labels": ["c"]}) and check(near, {"label_sets": [["a", "c"]]})
    assert check(near, {"labels": ["c"]}, gap=0).status == "REFUTED"
    assert check({**TREE, "f": [["1e-300", 1, 1]]}, {"labels": ["b"]}).status == "REFUTED"


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({**CUP, "classes": ["a"]}, "problem.classes: expected at least 2, got 1"),
        ({**CUP, "f": [[1]]}, r"problem.f\[0\]: expected 3 scores, one a node, got 1"),
        ({**CUP, "eliminations": 10**9}, "problem.eliminations: more than 1000000 matches"),
        ({**CUP, "splits": []}, "problem: unknown field 'splits'"),
        ({**TREE, "splits": TREE["splits"][:2]}, "a side of several classes is not split"),
        (
            {**TREE, "splits": TREE["splits"][1:]},
            r"problem.splits\[0\]: expected the labels of two",
        ),
        ({**SOME, "nodes": SOME["nodes"][:1]}, "problem.nodes: expected 2 nodes, got 1"),
        ({**SOME, "nodes": [{"candidates": ["a"]}]}, "problem.nodes: one node asks nothing"),
        (
            {**SOME, "nodes": [{"candidates": ["a", "a"], "below": [1, None]}]},
            r"problem.nodes\[0\].candidates: a label stands twice",
        ),
        (
            {**SOME, "nodes": [{"candidates": ["a"], "below": [0, None]}]},
            r"problem.nodes\[0\].below: expected the numbers of two children",
        ),
        (
            {**SOME, "nodes": [{"candidates": ["a", "b"], "below": [True, None]}, NODE_C]},
            r"problem.nodes\[0\].below: expected a number, got a truth value",
        ),
        ({**SOME, "scores": [[[1], [1, 2]]] * 3}, r"problem.scores\[0\]\[0\]: expected 2 scores"),
        ({**SOME, "scores": [[[], []]] * 3}, r"problem.scores\[0\]\[1\]: expected 2 scores"),
        ({**SOME, "scores": [[[], []]]}, "problem.scores: expected 3, one a row, got 1"),
    ],
)
def test_problems_that_are_none_are_refused(problem: Record, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        solve_problem(problem)
