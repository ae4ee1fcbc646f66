"""The judge of tournaments, label trees and one-against-some, against games and walks one by one.

The other route settles every score of 0 in both ways, and then plays or walks with single classes.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product

import pytest

from refmc.checker import Verdict
from refmc.checker.values.decoding import Submission, judge
from refmc.checker.values.nodes import NodesProblem, RecallNode

EXACT = F(0)
SIGNS = (F(-1), F(0), F(1))


def judged(problem: NodesProblem, allowed: F = EXACT, **submitted: Sequence[object]) -> Verdict:
    return judge(problem, Submission(**submitted), allowed=allowed)  # type: ignore[arg-type]  # of one of its fields


def settled(f: Sequence[F]) -> Iterator[list[F]]:
    """The scores with each 0 settled in every way."""
    yield from map(list, product(*([s] if s else [F(-1), F(1)] for s in f)))


def played(f: Sequence[F], k: int, eliminations: int) -> int:
    """The winner of a tournament without draws, in which every class counts its defeats."""
    scores = iter(f)
    rounds: list[list[int]] = [[*range(k)]] + [[] for _ in range(eliminations - 1)]
    champions: list[int] = []
    while len(champions) < eliminations:
        after: list[list[int]] = [[] for _ in range(eliminations + 1)]
        for defeats, players in enumerate(rounds):
            while len(players) > 1:
                one, other, *players = players
                won, lost = (one, other) if next(scores) > 0 else (other, one)
                after[defeats].append(won)
                after[defeats + 1].append(lost)
            after[defeats] += players
        rounds, t = after[:-1], len(champions)
        if len(rounds[t]) == 1:
            champions += rounds[t]
            rounds[t] = []
            if t + 1 < eliminations:
                rounds[t + 1].append(champions[-1])
    while len(champions) > 1:
        met, champions = champions, []
        while len(met) > 1:
            one, other, *met = met
            champions.append(one if next(scores) > 0 else other)
        champions += met
    return champions[0]


def assert_only_these(problem: NodesProblem, right: set[int]) -> None:
    for r in range(problem.k):
        status = judged(problem, labels=[r]).status
        assert status == ("VERIFIED" if r in right else "REFUTED")
    assert judged(problem, label_sets=[sorted(right)])
    assert not judged(problem, label_sets=[sorted(right)[1:]])
    for other in set(range(problem.k)) - right:
        assert not judged(problem, label_sets=[[*right, other]])


@pytest.mark.parametrize(("k", "times"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (2, 3)])
def test_a_tournament_is_won_by_those_who_win_some_game(k: int, times: int) -> None:
    for f in product(SIGNS, repeat=times * k - 1):
        problem = NodesProblem(f=[f], k=k, eliminations=times)
        assert_only_these(problem, {played(game, k, times) for game in settled(f)})


def test_several_tournaments_of_more_classes_are_won_as_played() -> None:
    for k, times in ((3, 2), (5, 1), (3, 3)):
        games = list(product((F(-1), F(1)), repeat=times * k - 1))
        problem = NodesProblem(f=games, k=k, eliminations=times)
        winners = [played(game, k, times) for game in games]
        assert judged(problem, label_sets=[[winner] for winner in winners])
        wrong = [(winner + 1) % k for winner in winners]
        assert len(judged(problem, labels=wrong).violations) == 5  # the most that are kept


def test_a_label_tree_is_walked_down_to_single_classes() -> None:
    splits = [
        (frozenset({0, 3}), frozenset({1, 2})), (frozenset({3}), frozenset({0})),
        (frozenset({1}), frozenset({2})),
    ]  # fmt: skip
    for f in product(SIGNS, repeat=3):
        found = set()
        for root, left, right in settled(f):
            found |= {(3 if left > 0 else 0) if root > 0 else (1 if right > 0 else 2)}
        problem = NodesProblem(f=[f], k=4, rule="label_tree", splits=splits)
        assert_only_these(problem, found)
    alone = NodesProblem(f=[[]], k=1, rule="label_tree")
    assert judged(alone, label_sets=[[0]])


def some(f: Sequence[F], scores: Sequence[Sequence[F]]) -> NodesProblem:
    """A root with routers to a left child and, over a node without a right one, to two leaves."""
    nodes = [
        RecallNode((0, 1), 0, (1, 2)), RecallNode((2, 0)), RecallNode((1, 3), 1, (3, None)),
        RecallNode((3, 2)),
    ]  # fmt: skip
    return NodesProblem(f=[f], k=4, rule="one_against_some", nodes=nodes, scores=[scores])


def test_one_against_some_ends_where_its_routers_lead_and_takes_the_best_candidate() -> None:
    scores = [[F(9), F(9)], [F(1), F(0)], [F(2), F(1)], [F(1), F(1)]]
    best = {1: {2}, 2: {1}, 3: {3, 2}}
    for f in product(SIGNS, repeat=2):
        ends = {1 if root > 0 else 3 if below > 0 else 2 for root, below in settled(f)}
        assert_only_these(some(f, scores), set().union(*(best[end] for end in ends)))


def test_scores_of_candidates_may_be_off_by_a_share_of_themselves_and_signs_may_not() -> None:
    # 3 and 2 at the only end: 3 − 3a and 2 + 2a meet at a = 1/5, and the gap counts by their sum
    problem = some([F(1), F(1)], [[], [F(3), F(2)], [], []])
    for allowed, status in ((F(1, 5), "VERIFIED"), (F(1, 5) - F(1, 10**30), "REFUTED")):
        verdict = judged(problem, allowed, labels=[0])
        assert verdict.status == status
        assert (verdict.gap, verdict.scale) == ((1, 5) if verdict else (None, None))
    for r in (1, 3):  # no candidates of that end
        assert judged(problem, F(2), labels=[r]).status == "REFUTED"
    negative = some([F(1), F(1)], [[], [F(-2), F(-3)], [], []])
    assert judged(negative, F(1, 5), labels=[0]) and not judged(negative, F(1, 6), labels=[0])
    tree = NodesProblem(
        f=[[F(1, 10**9)]], k=2, rule="label_tree", splits=[(frozenset({0}), frozenset({1}))]
    )
    assert judged(tree, F(1), labels=[1]).status == "REFUTED"
    # among three candidates the best of all is to be reached, not the next
    three = NodesProblem(
        f=[[]], k=3, rule="one_against_some", nodes=[RecallNode((0, 1, 2))],
        scores=[[[F(5), F(1), F(2)]]],
    )  # fmt: skip
    assert judged(three, F(1, 4), labels=[2]).status == "REFUTED"
    assert judged(three, F(3, 7), labels=[2]).gap == 3
