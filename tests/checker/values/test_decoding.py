"""The judge of decoding, against the lectures' examples, brute force and every changed entry."""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction as F
from itertools import combinations, permutations
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict
from refmc.checker.values import decoding
from refmc.checker.values.decoding import (
    CodeProblem,
    CodeRule,
    PairsProblem,
    ScoresProblem,
    Submission,
    judge,
)
from refmc.lectures import chang

EXACT, MICRO = F(0), F(1, 10**6)
H = F(1, 2)
FORTY = Context(prec=40)

KESHET_F = [H, F(-7), F(-1), F(-2), F(-10), F(-12), F(9)]
KESHET_M = [
    [-1, 0, -1, -1, +1, -1, -1],
    [+1, -1, 0, +1, +1, +1, -1],
    [+1, 0, -1, -1, -1, +1, +1],
    [-1, -1, +1, 0, -1, -1, +1],
]
halves = st.integers(-3, 3).map(lambda n: F(n, 2))


def judged(problem: Any, allowed: F = EXACT, **submitted: Any) -> Verdict:
    return judge(problem, Submission(**submitted), allowed=allowed)


def sign(value: F) -> int:
    return (value > 0) - (value < 0)


def best(values: Sequence[Any]) -> list[int]:
    return [r for r, value in enumerate(values) if value == max(values)]


def assert_only_these(problem: Any, tied: Sequence[int], k: int) -> None:
    """Of all labels and of all sets of labels just the tied ones are right."""
    for r in range(k):
        assert judged(problem, labels=[r]).status == ("VERIFIED" if r in tied else "REFUTED")
    for size in range(1, k + 1):
        for chosen in combinations(range(k), size):
            right = set(chosen) == set(tied)
            assert bool(judged(problem, label_sets=[chosen[::-1]])) == right


# --- Output codes


def test_the_lectures_example_has_its_eight_distances() -> None:
    by_sign = CodeProblem(code=KESHET_M, f=[KESHET_F])
    assert judged(by_sign, values={"distances": [[F(7, 2), F(9, 2), F(3, 2), F(5, 2)]]}).gap == 0
    assert_only_these(by_sign, [2], 4)
    by_loss = CodeProblem(code=KESHET_M, f=[KESHET_F], rule="exponential")
    printed = [F(3013270, 100), F(19289334, 100), F(16275690, 100), F(537, 100)]
    assert judged(by_loss, F(1, 200), values={"distances": [printed]})
    assert judged(by_loss, F(1, 10**4), values={"distances": [printed]}).status == "REFUTED"
    assert_only_these(by_loss, [3], 4)


def test_hamming_ties_where_losses_decide() -> None:
    f, code = [[F(3), F(-1)]], [[1, 1], [-1, -1]]
    expected: list[tuple[CodeRule, list[int]]] = [
        ("hamming", [0, 1]), ("hinge", [0]), ("exponential", [0]), ("logistic", [0]),
    ]  # fmt: skip
    for rule, tied in expected:
        assert_only_these(CodeProblem(code=code, f=f, rule=rule), tied, 2)
    assert judged(CodeProblem(code=code, f=f), values={"distances": [[1, 1]]})
    hinge = CodeProblem(code=code, f=f, rule="hinge")
    assert judged(hinge, values={"distances": [[2, 4]]})
    for wrong in ([2, 3], [1, 4], [2, 4 + F(1, 10**9)]):
        assert judged(hinge, values={"distances": [wrong]}).status == "REFUTED"


def loss_of(rule: str, z: F) -> Any:
    """One column's part of a distance, another way: by cases and by decimals."""
    if rule == "hamming":
        return F(1) if z < 0 else H if z == 0 else F(0)
    if rule == "hinge":
        return 1 - z if z < 1 else F(0)
    power = FORTY.exp(FORTY.divide(Decimal(-z.numerator), Decimal(z.denominator)))
    return F(power if rule == "exponential" else FORTY.ln(FORTY.add(1, power)))


@given(
    st.sampled_from(get_args(CodeRule)),
    st.lists(st.lists(st.sampled_from([-1, 0, 1]), min_size=3, max_size=3), min_size=1, max_size=4),
    st.lists(halves, min_size=3, max_size=3),
)
def test_distances_and_ties_follow_their_definitions(
    rule: CodeRule, code: list[list[int]], f: list[F]
) -> None:
    problem = CodeProblem(code=code, f=[f], rule=rule)
    rows = [sum(loss_of(rule, c * s) for c, s in zip(row, f, strict=True)) for row in code]
    off = F(1, 10**30) if rule in ("exponential", "logistic") else EXACT
    assert judged(problem, off, values={"distances": [rows]})
    for r in range(len(rows)):
        wrong = [v + (F(1, 10**20) if s == r else 0) for s, v in enumerate(rows)]
        verdict = judged(problem, off, values={"distances": [wrong]})
        assert verdict.status == "REFUTED"
        assert verdict.violations[0].place == f"row 0, distances of class {r}"
    # sums of the same terms in another order round differently: ties are those of sorted terms
    keys = [
        sorted(c * s for c, s in zip(row, f, strict=True)) if off else [v]
        for row, v in zip(code, rows, strict=True)
    ]
    least = min(range(len(rows)), key=lambda r: rows[r])
    tied = [r for r, key in enumerate(keys) if abs(rows[r] - rows[least]) <= off]
    assert all(rule == "logistic" or keys[r] == keys[least] for r in tied)
    assert_only_these(problem, tied, len(code))


@pytest.mark.parametrize("rule", ["exponential", "logistic"])
def test_ties_are_told_from_near_ties_beyond_all_floats(rule: Any) -> None:
    close = F(1) + F(1, 10**30)
    code = [[1, -1], [-1, 1]]
    assert_only_these(CodeProblem(code=code, f=[[F(1), F(1)]], rule=rule), [0, 1], 2)
    assert_only_these(CodeProblem(code=code, f=[[F(1), close]], rule=rule), [1], 2)
    # exponents 1 and -1 beside 0 and 0, in any order of the columns
    zero = CodeProblem(code=[[1, -1, 0], [0, 1, -1], [0, 0, 0]], f=[[F(2)] * 3], rule=rule)
    assert_only_these(zero, [2], 3)


def test_scores_beyond_the_range_of_exponentials_are_decided_and_their_distances_left() -> None:
    code, f = [[1, 1], [1, -1], [-1, -1]], [[F(10) ** 300, F(-2)]]
    for rule in ("exponential", "logistic"):
        problem = CodeProblem(code=code, f=f, rule=rule)
        assert_only_these(problem, [1], 3)
    loud = CodeProblem(code=code, f=f, rule="exponential")
    assert judged(loud, MICRO, values={"distances": [[0, 0, 1]]}).status == "REFUTED"
    near = F(FORTY.exp(Decimal(-2)))
    verdict = judged(loud, MICRO, values={"distances": [[F(FORTY.exp(Decimal(2))), near, 1]]})
    assert verdict.status == "INCONCLUSIVE" and "too many digits" in verdict.hint


def test_distances_that_lie_well_apart_are_not_compared_in_pairs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(decoding, "compare", None)
    for f, nearest in (F(3), 2), (F(-3), 0):
        apart = CodeProblem(code=[[-1], [0], [1]], f=[[f]], rule="exponential")
        assert judged(apart, labels=[nearest])


def test_distances_that_differ_by_too_little_are_inconclusive() -> None:
    tiny = F(1, 10**1000)
    problem = CodeProblem(
        code=[[1, 1, 0], [0, -1, 1]], f=[[F(0), tiny, 2 * tiny]], rule="exponential"
    )
    verdict = judged(problem, labels=[0])
    assert verdict.status == "INCONCLUSIVE"
    assert "row 0: two distances that differ agree in 4096 binary digits" in verdict.hint
    assert judged(problem, F(1, 10**9), values={"distances": [[3, 3]]})  # which asks for no label


def test_a_label_whose_distance_is_larger_by_what_is_allowed_is_right_with_that_gap() -> None:
    # e^-1 + e^-1 against e^-1 + e^-0.999: the margins may be off by a share, and so the distances
    for rule in get_args(CodeRule):
        if rule in ("exponential", "logistic"):
            problem = CodeProblem(code=[[1, 1], [1, -1]], f=[[F(1), F(1, 1000)]], rule=rule)
            verdict = judged(problem, F(1, 100), labels=[1])
            assert verdict and verdict.gap is not None and 0 < verdict.gap < F(3, 1000)
            assert verdict.scale is not None and verdict.scale > 1
            assert judged(problem, F(1, 10**6), labels=[1]).status == "REFUTED"


def test_a_label_is_left_open_where_no_digits_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = CodeProblem(code=[[1], [-1]], f=[[F(1)]], rule="exponential")
    monkeypatch.setattr(decoding, "compare", lambda *more: None)
    verdict = judged(problem, labels=[1])
    assert verdict.status == "INCONCLUSIVE" and "agree in 4096 binary digits" in verdict.hint


# --- One-vs-one


def matrix(scores: Sequence[F], k: int) -> list[list[F]]:
    w = [[F(0)] * k for _ in range(k)]
    for (i, j), value in zip(combinations(range(k), 2), scores, strict=True):
        w[i][j], w[j][i] = value, -value
    return w


EXAMPLE = matrix([F(1), F(-2), F(3)], 3)  # d01, d02, d12


def test_a_cycle_ties_three_votes_and_its_score_sums_choose_class_one() -> None:
    by_votes = PairsProblem(w=[EXAMPLE])
    assert judged(by_votes, values={"votes": [[1, 1, 1]], "sums": [[-1, 2, -1]]}).gap == 0
    assert_only_these(by_votes, [0, 1, 2], 3)
    assert_only_these(PairsProblem(w=[EXAMPLE], rule="score_sum"), [1], 3)
    for name, right in (("votes", [1, 1, 1]), ("sums", [-1, 2, -1])):
        for r in range(3):
            wrong = [v + H * (s == r) for s, v in enumerate(right)]
            assert judged(by_votes, values={name: [wrong]}).status == "REFUTED"


def duels(w: list[list[F]]) -> dict[tuple[int, int], int | F]:
    """The same scores as the lecture has them, one for each ordered pair."""
    return {(i, j): w[i][j] for i, j in permutations(range(len(w)), 2)}


@given(st.integers(1, 4), st.data())
def test_votes_sums_and_tournaments_follow_their_definitions(k: int, data: Any) -> None:
    n = k * (k - 1) // 2
    w = matrix(data.draw(st.lists(st.integers(-1, 1).map(F), min_size=n, max_size=n)), k)
    s = duels(w)
    votes = [chang.wins(s, i, k) for i in range(k)]
    sums = [sum((w[i][j] for j in range(k) if j != i), F(0)) for i in range(k)]
    assert judged(PairsProblem(w=[w]), values={"votes": [votes], "sums": [sums]}).gap == 0
    assert_only_these(PairsProblem(w=[w]), chang.majority(s, k), k)
    assert_only_these(PairsProblem(w=[w], rule="score_sum"), best(sums), k)
    bracket = data.draw(st.permutations(range(k)))
    cup = PairsProblem(w=[w], rule="tournament", bracket=bracket)
    assert_only_these(cup, sorted(chang.tournament(s, bracket)), k)


def test_the_order_of_the_bracket_decides_a_cycle() -> None:
    for bracket in permutations(range(3)):
        cup = PairsProblem(w=[EXAMPLE], rule="tournament", bracket=bracket)
        assert_only_these(cup, sorted(chang.tournament(duels(EXAMPLE), bracket)), 3)


# --- One-vs-all


def test_three_times_no_is_a_tie_of_all_by_every_rule() -> None:
    for rule in ("score", "claim", "score_among_claims"):
        assert_only_these(ScoresProblem(scores=[[F(-1)] * 3], rule=rule), [0, 1, 2], 3)


@given(st.lists(halves, min_size=1, max_size=4))
def test_claims_are_signs_and_scores_settle_them(scores: list[F]) -> None:
    some = [r for r, s in enumerate(scores) if s > 0]
    level = [r for r, s in enumerate(scores) if s == 0]
    claimed = some or level or list(range(len(scores)))
    assert_only_these(ScoresProblem(scores=[scores], rule="claim"), claimed, len(scores))
    for rule in ("score", "score_among_claims"):
        problem = ScoresProblem(scores=[scores], rule=rule)
        assert_only_these(problem, best(scores), len(scores))


@given(st.lists(halves, min_size=1, max_size=4))
def test_each_class_of_a_positive_score_is_chosen_and_none_of_a_negative_one(
    scores: list[F],
) -> None:
    # a score of 0 may claim the row or not; no set of labels is too small or too large but by signs
    problem = ScoresProblem(scores=[scores], rule="each")
    for size in range(len(scores) + 1):
        for chosen in combinations(range(len(scores)), size):
            off = sum((s > 0) != (r in chosen) for r, s in enumerate(scores) if s)
            for allowed in (EXACT, F(2)):
                verdict = judged(problem, allowed, label_sets=[chosen])
                assert verdict.status == ("REFUTED" if off else "VERIFIED")
                assert [v.amount for v in verdict.violations] == [off] * bool(off)


def test_the_labels_of_each_class_are_named_beside_those_that_claim_the_row() -> None:
    problem = ScoresProblem(scores=[[F(1), F(-1), F(0), F(2)]], rule="each", classes=[*"abcd"])
    for chosen, text in (
        ([1], "labels b, but those that claim the row are a, d"),
        ([], "labels none, but those that claim the row are a, d"),
        ([0, 1, 3], "labels a, b, d, but those that claim the row are a, d"),
    ):
        assert judged(problem, label_sets=[chosen]).violations[0].text == text
    nobody = ScoresProblem(scores=[[F(-1), F(-1)]], rule="each")
    assert judged(nobody, label_sets=[[1]]).violations[0].text == (
        "labels 1, but those that claim the row are none"
    )


# --- Verdicts


def test_a_wrong_label_is_named_with_the_best() -> None:
    problem = PairsProblem(w=[EXAMPLE, EXAMPLE], rule="score_sum", classes=["a", "b", "c"])
    verdict = judged(problem, labels=[1, 0], label_sets=[[1], [0, 1, 2]])
    assert [(v.place, v.text, v.amount) for v in verdict.violations] == [
        ("row 1", "labels a, b, c, but the best is b", F(2)),
        ("row 1", "label a, but the best is b", F(1)),
    ]
    assert verdict.summary == "2 rows, 3 classes, score_sum" and verdict.hint == ""


def test_many_tied_classes_are_named_in_their_order() -> None:
    code = [[-1], [1], *[[-1]] * 6, [1]]
    verdict = judged(CodeProblem(code=code, f=[[F(1)]], rule="hamming"), labels=[0])
    assert verdict.violations[0].text == "label 0, but the best are 1, 8"


def test_a_hinge_distance_may_be_off_by_the_share_of_1_and_of_its_margin() -> None:
    # the margins are 3 and -3: the hinge of the first stays 0, that of the second is 4 from 1 and 3
    far = CodeProblem(code=[[1], [-1]], f=[[F(3)]], rule="hinge")
    for claim, status in ((F(9, 2), "VERIFIED"), (F(9, 2) + F(1, 10**30), "REFUTED")):
        given = Submission(values={"distances": [[F(0), claim]]})
        assert judge(far, given, allowed=F(1, 8)).status == status


def test_a_claim_is_a_sign_which_no_allowance_changes() -> None:
    claimed = ScoresProblem(scores=[[F(1, 1000), F(0)]], rule="score_among_claims")
    assert judged(claimed, F(2), labels=[1]).status == "REFUTED"
    assert judged(claimed, F(2), labels=[0]).status == "VERIFIED"


def test_a_score_below_0_may_be_off_by_a_share_of_its_size() -> None:
    # -1 - a and -2 + 2a meet at a = 1/3
    below = ScoresProblem(scores=[[F(-1), F(-2)]], rule="score")
    for allowed, status in ((F(1, 3), "VERIFIED"), (F(1, 3) - F(1, 10**30), "REFUTED")):
        assert judged(below, allowed, labels=[1]).status == status


def test_a_label_and_the_labels_beside_it_contradict_each_other_whatever_is_allowed() -> None:
    problem = ScoresProblem(scores=[[F(1), F(9, 10)]])
    assert judged(problem, F(1, 2), labels=[1])
    assert judged(problem, F(1, 2), labels=[1], label_sets=[[0, 1]])
    verdict = judged(problem, F(1, 2), labels=[1], label_sets=[[0]])
    assert verdict.violations[0].text == "label 1, but the labels are 0"


def test_distances_too_long_to_be_written_out_are_compared_by_their_ratio() -> None:
    # 1 + e^(10^9) and 1 + e^(10^9 + 10^-6), of which the first is less by a millionth of itself
    problem = CodeProblem(
        code=[[1, 0], [0, 1]], f=[[F(-(10**9)), F(-(10**9)) - F(1, 10**6)]], rule="exponential"
    )
    for allowed, status in ((F(1, 100), "VERIFIED"), (F(1, 10**7), "REFUTED")):
        assert judged(problem, labels=[0]) and not judged(problem, labels=[1])
        assert judged(problem, allowed, labels=[1]).status == status
