"""Parts of an answer beside its weights or scores, answers that are worse than none, and the scale
of an optimum of 0.

TINY: w = 2C = 2e-8 by hand, since both rows stay within the margin; P(0) = 2e-8, and weights of any
sign are within 1e-6 of that. CLOSE: λ = 1/100 each gives W = ±(1/1000)·(2/100) = ±1/50000.
"""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

TINY: Record = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "1e-8"}
CLOSE: Record = {
    "family": "svm.multiclass", "X": [["0.001"], ["-0.001"]], "y": ["a", "b"], "C": "1/100",
}  # fmt: skip
W = [["1/50000"], ["-1/50000"]]
SCORES = [["2e-8", "-2e-8"], ["-2e-8", "2e-8"]]


def status(problem: Record, answer: Record, gap: Any = None) -> str:
    return check(problem, answer, gap=gap).status


@pytest.mark.parametrize("bias", [True, False, "penalised"])
def test_labels_are_the_signs_of_the_scores_beside_them(bias: object) -> None:
    problem = {**TINY, "bias": bias}
    w: dict[str, Any] = {"w": ["2e-8"], **({} if bias is False else {"b": 0})}
    assert status(problem, w) == "VERIFIED"
    for numbers in (w, {"scores": ["2e-8", "-2e-8"]}, {**w, "scores": ["2e-8", "-2e-8"]}):
        for gap in (None, 0):
            assert status(problem, {**numbers, "labels": [1, -1]}, gap) == "VERIFIED"
            for wrong in ([-1, 1], [1, 1], [-1, -1]):
                assert status(problem, {**numbers, "labels": wrong}, gap) == "REFUTED"


def test_labels_beside_weights_without_a_bias_need_one_that_gives_them_all() -> None:
    for labels, found in (([1, -1], "VERIFIED"), ([1, 1], "VERIFIED"), ([-1, 1], "REFUTED")):
        assert status(TINY, {"w": ["2e-8"], "labels": labels}) == found
    alpha = {"alpha": ["1e-8", "1e-8"], "b": 0}
    for labels, found in (([1, -1], "VERIFIED"), ([1, 1], "REFUTED"), ([-1, 1], "REFUTED")):
        assert status(TINY, {**alpha, "labels": labels}) == found


def test_labels_have_the_largest_of_the_scores_beside_them() -> None:
    for numbers in ({"W": W}, {"scores": SCORES}, {"W": W, "scores": SCORES}):
        for gap in (None, 0):
            assert status(CLOSE, {**numbers, "labels": ["a", "b"]}, gap) == "VERIFIED"
            assert status(CLOSE, {**numbers, "labels": ["b", "a"]}, gap) == "REFUTED"
            assert status(CLOSE, {**numbers, "labels": ["a", "a"]}, gap) == "REFUTED"
    lam = [["1/100", "1/100"]] * 2
    assert status(CLOSE, {"lam": lam, "labels": ["a", "b"]}) == "VERIFIED"
    assert status(CLOSE, {"lam": lam, "labels": ["b", "a"]}) == "INCONCLUSIVE"


def test_scores_beside_weights_are_theirs() -> None:
    # the scores are within 1e-6 of the optimum for themselves, but w has others
    assert status(TINY, {"w": ["2e-8"], "b": 0, "scores": ["2e-8", "-2e-8"]}) == "VERIFIED"
    assert status(TINY, {"w": ["2e-8"], "b": 0, "scores": ["1e-8", "-1e-8"]}) == "REFUTED"
    assert status(TINY, {"scores": ["1e-8", "-1e-8"]}) == "VERIFIED"
    half = [[F(v) / 2 for v in row] for row in SCORES]
    assert status(CLOSE, {"W": W, "scores": SCORES}) == "VERIFIED"
    assert status(CLOSE, {"scores": half}) == "VERIFIED"
    assert status(CLOSE, {"W": W, "scores": half}) == "REFUTED"


def test_what_floats_round_is_no_contradiction() -> None:
    problem = {"family": "svm.binary", "X": [[0.1, 0.2], [-0.3, 0.7]], "y": [1, -1], "C": "1e-8"}
    exact: Any = solve_problem(problem)
    w, b = [float(F(v)) for v in exact["w"]], float(F(exact["b"]))
    rows = ((0.1, 0.2), (-0.3, 0.7))
    scores = [x[0] * w[0] + x[1] * w[1] + b for x in rows]
    assert status(problem, {"w": w, "b": b, "scores": scores}) == "VERIFIED"
    off = [scores[0], scores[1] * (1 + 1e-9)]
    assert status(problem, {"w": w, "b": b, "scores": off}) == "REFUTED"


def test_scores_beside_weights_without_a_bias_round_as_the_scores_do() -> None:
    """α = (0, C, C) gives w = -C; the margins are at least 1, at most 1 and at most 1 where b is
    from 0.97 to 0.98. The scores are 3C + b, C + b and 2C + b: far larger than w·x."""
    problem = {"family": "svm.binary", "X": [[-3], [-1], [-2]], "y": [1, -1, 1], "C": "1/100"}
    scores = [1.005, 0.985, 0.995]  # b = 0.975
    for w in (-0.01, "-0.01"):
        assert status(problem, {"w": [w], "scores": scores}) == "VERIFIED"
        assert status(problem, {"w": [w], "scores": scores}, 0) == "REFUTED"
        for nth in range(3):
            off = [s + 1e-14 * (i == nth) for i, s in enumerate(scores)]
            assert status(problem, {"w": [w], "scores": off}) == "REFUTED"


@pytest.mark.parametrize(
    ("problem", "right", "wrong"),
    [
        (TINY, {"w": ["2e-8"], "b": 0}, {"w": ["-2e-8"], "b": 0}),
        (TINY, {"scores": ["2e-8", "-2e-8"]}, {"scores": ["-2e-8", "2e-8"]}),
        (CLOSE, {"W": W}, {"W": W[::-1]}),
        (CLOSE, {"scores": SCORES}, {"scores": SCORES[::-1]}),
    ],
)
def test_nothing_passes_that_is_worse_than_no_weights_at_all(
    problem: Record, right: Record, wrong: Record
) -> None:
    assert status(problem, right) == "VERIFIED"
    verdict = check(problem, wrong)
    assert verdict.status == "REFUTED"
    assert "more than no weights at all" in verdict.violations[0].text
    # whoever allows more than a hundredth doesn't mean the optimal weights
    assert (
        status(problem, wrong, "1/100") == "REFUTED" and status(problem, wrong, "1/50") != "REFUTED"
    )


def test_weights_near_an_optimum_of_0_are_not_worse_than_none() -> None:
    # equal rows of both classes: w = 0 is optimal, and costs 2
    problem = {"family": "svm.binary", "X": [[1], [1]], "y": [1, -1], "C": 1}
    assert status(problem, {"w": ["1e-9"], "b": 0}) == "VERIFIED"


# --- Scales


def test_the_terms_of_a_program_may_cancel() -> None:
    """x ≥ 1/5: at 1/5 the terms are 1/5 and −1/5, so the scale is 2/5, and the slope there is 1."""
    problem = {"family": "qp.convex", "Q": [[10]], "c": [-1], "G": [[-5]], "h": [-1]}
    assert status(problem, {"x": [0.2]}) == "VERIFIED"
    assert status(problem, {"x": ["1/5"], "objective": 0}, 0) == "VERIFIED"
    # f(1/5 + t) = t + 5 t²
    for t, right in (("3.9e-7", "VERIFIED"), ("4.1e-7", "REFUTED")):
        verdict = check(problem, {"x": [F(1, 5) + F(t)]})
        assert verdict.status == right and verdict.scale == F(2, 5)
        assert verdict.gap == F(t) + 5 * F(t) ** 2
    # cᵀx cancels in itself: x = y = 1 for x − y
    flat = {
        "family": "qp.convex", "Q": [[0, 0], [0, 0]], "c": [1, -1], "G": [[-1, 0], [0, 1]],
        "h": [-1, 1],
    }  # fmt: skip
    assert check(flat, {"x": [1, "0.99999999"]}).scale == 2


def test_an_optimum_at_0_counts_by_the_least_length_of_the_program() -> None:
    """x ≥ 0 and x ≤ 7: the lengths are 2/1 = 2 and 7, and the terms at 2 are 2 + 4."""
    problem = {"family": "qp.convex", "Q": [[1]], "c": [2], "G": [[-1], [1]], "h": [0, 7]}
    assert status(problem, {"x": ["1e-6"], "objective": "1e-6"}) == "VERIFIED"
    assert check(problem, {"x": ["1e-6"]}).scale == 6
    for t in ("1e-5", "-3e-6"):
        assert status(problem, {"x": [t]}) == "REFUTED"
    assert status(problem, {"x": ["1e-30"]}, 0) == "REFUTED"
    # no length at all: nothing but 0
    assert status({"family": "qp.convex", "Q": [[1]], "c": [0]}, {"x": ["1e-30"]}) == "REFUTED"


def test_where_no_cost_counts_weights_count_by_those_of_a_margin_of_1() -> None:
    """Rows of at most 7: ½w² = 1/98 gives them a margin of 1 at least."""
    free: Record = {
        "family": "svm.multiclass", "X": [[3], [-7]], "y": ["a", "b"], "C": 1,
        "cost": [[0, 0], [0, 0]],
    }  # fmt: skip
    assert check(free, {"W": [["1e-4"], [0]]}).scale == F(1, 98)
    for w, found in (("1e-4", "VERIFIED"), ("1.5e-4", "REFUTED"), ("-1.5e-4", "REFUTED")):
        assert status(free, {"W": [[w], [0]]}) == found
    assert status(free, {"W": [["1e-4"], [0]]}, 0) == "REFUTED"
    assert status(free, {"objective": "1e-9", "W": [[0], [0]]}) == "VERIFIED"
    assert status(free, {"objective": "1e-7", "W": [[0], [0]]}) == "REFUTED"


def test_an_infeasible_multiplier_counts_even_where_no_cost_does() -> None:
    free: Record = {
        "family": "svm.multiclass", "X": [[0], [0]], "y": ["a", "b"], "C": 1,
        "cost": [[0, 0], [0, 0]],
    }  # fmt: skip
    verdict = check(free, {"lam": [["-1/4", "-1/4"], [0, 0]]})  # both entries move to 0
    assert verdict.status == "REFUTED" and verdict.gap == F(1, 2)


# --- What a verdict says


def test_a_relative_gap_is_told_as_far_as_it_is_known() -> None:
    """X = ±1000: w = 1/1000 is optimal, P* = 5e-7; w = 100 costs 5000, 10^10 times as much."""
    problem = {"family": "svm.binary", "X": [[1000], [-1000]], "y": [1, -1], "C": 1}
    verdict = check(problem, {"w": [100], "b": 0})
    assert "relative at least 2.5e3;" in verdict.explain()
    assert verdict.to_json()["relative"] == "at least 2.5e3"
    sharp = check(problem, {"w": [100], "b": 0, "alpha": ["5e-7", "5e-7"]})
    assert "relative 1.0e10;" in sharp.explain() and sharp.to_json()["relative"] == "1.0e10"


def test_a_wrong_answer_is_never_called_exactly_right() -> None:
    verdict = check(TINY, {"w": ["2e-8"], "b": 0, "labels": [-1, 1]})
    assert verdict.status == "REFUTED" and verdict.gap == 0
    assert "0 (of the parts that have one);" in verdict.explain()
    code = {"family": "code.decode", "code": [[1], [-1]], "f": [[1]]}
    found: Any = solve_problem(code)
    wrong = check(code, {**found, "label_sets": [[1]], "labels": [1]})
    assert wrong.status == "REFUTED" and "exactly right" not in wrong.explain()
