"""The judge of quadratic programs, on programs whose optimum is found by hand."""

from dataclasses import replace
from fractions import Fraction as F

import pytest

from refmc.checker.numbers.rounding import Box, Rounded
from refmc.checker.svm import qp
from refmc.checker.svm.qp import (
    Answer,
    Infeasible,
    Optimum,
    Outcome,
    QPProblem,
    Unbounded,
    judge,
    value,
)
from refmc.checker.verdict import Verdict

ZERO, ONE = F(0), F(1)


def row(*values: int | F | str) -> list[F]:
    return [F(v) for v in values]


# ‖x − (1, 5/2)‖² − 29/4 over a polygon: only −x_0 + 2x_1 ≤ 2 holds with equality, where
# (2x_0 − 2, 2x_1 − 5) = μ(1, −2) gives x = (7/5, 17/10), μ = 4/5.
POLYGON = QPProblem(
    Q=[row(2, 0), row(0, 2)],
    c=row(-2, -5),
    G=[row(-1, 2), row(1, 2), row(1, -2), row(-1, 0), row(0, -1)],
    h=row(2, 6, 2, 0, 0),
)
CORNER = Optimum(row("7/5", "17/10"), [], row("4/5", 0, 0, 0, 0))
# x_0 + x_1 = 2 with ½‖x‖²: x = (1, 1), ν = −1
LINE = QPProblem(Q=[row(1, 0), row(0, 1)], c=row(0, 0), A=[row(1, 1)], b=row(2))
MIDDLE = Optimum(row(1, 1), row(-1), [])
# x ≤ −1 and −x ≤ −1
NOWHERE = QPProblem(Q=[row(1)], c=row(0), G=[row(1), row(-1)], h=row(-1, -1))
APART = Infeasible([], row(1, 1))
# −x_0 + ½x_1² with x_1 ≤ −3
FALLING = QPProblem(Q=[row(0, 0), row(0, 1)], c=row(-1, 0), G=[row(0, 1)], h=row(-3))
DOWN = Unbounded(row(0, -3), row(1, 0))

RIGHT: list[tuple[QPProblem, Outcome]] = [
    (POLYGON, CORNER),
    (LINE, MIDDLE),
    (NOWHERE, APART),
    (FALLING, DOWN),
]
each = pytest.mark.parametrize(("problem", "right"), RIGHT, ids=["corner", "line", "none", "ray"])


def judged(
    problem: QPProblem, outcome: Outcome | None, witness: Outcome, allowed: F = ZERO
) -> Verdict:
    return judge(problem, Answer(outcome), witness=witness, allowed=allowed)


@each
def test_what_is_right_is_verified_with_gap_0(problem: QPProblem, right: Outcome) -> None:
    verdict = judged(problem, right, right)
    assert verdict.status == "VERIFIED" and verdict.gap == 0 and not verdict.violations


@each
def test_another_kind_of_outcome_is_refuted(problem: QPProblem, right: Outcome) -> None:
    others: list[Outcome] = [Optimum(row(*[0] * len(problem.c))), Infeasible(), DOWN]
    for other in others:
        if type(other) is not type(right):
            verdict = judged(problem, other, right)
            assert verdict.status == "REFUTED" and verdict.violations[0].place == "program"


@pytest.mark.parametrize(("problem", "right"), [(POLYGON, CORNER), (LINE, MIDDLE)])
def test_any_change_of_one_number_of_an_optimum_is_refuted(
    problem: QPProblem, right: Optimum
) -> None:
    for name in ("x", "nu", "mu"):
        values = list(getattr(right, name))
        for i in range(len(values)):
            for change in (F(1, 10**30), F(-1, 3)):
                wrong = right._replace(
                    **{name: [*values[:i], values[i] + change, *values[i + 1 :]]}
                )
                assert judged(problem, wrong, right).status == "REFUTED", (name, i)
                assert judged(problem, right, wrong).status == "INCONCLUSIVE", (name, i)


def test_each_condition_is_named_with_its_amount() -> None:
    beyond = judged(POLYGON, Optimum(row(0, 3)), CORNER)
    # −x_0 + 2x_1 = 6; f = 9 − 15 = −6, and the optimum is −129/20
    assert [(v.place, v.amount) for v in beyond.violations] == [
        ("row 0 of Gx ≤ h", 4),
        ("objective at x", F(9, 20)),
    ]
    off = judged(LINE, Optimum(row(1, 2)), MIDDLE)
    assert {(v.place, v.text) for v in off.violations} == {
        ("row 0 of Ax = b", "3, needs 2"),
        ("objective at x", "3/2 above the optimum 1"),
    }
    negative = judged(POLYGON, CORNER._replace(mu=row("4/5", 0, 0, 0, -1)), CORNER)
    assert {v.place for v in negative.violations} == {
        "μ_4",
        "entry 1 of Qx + c + Aᵀν + Gᵀμ",
        "μ_4 (h − Gx)_4",
    }


def test_the_allowed_gap_is_for_conditions_and_for_the_height() -> None:
    # at (1, 1 + t): t beyond the line, and 1/2 ((1 + t)² − 1) = t + t²/2 above the optimum
    t = F(1, 100)
    near = Optimum(row(1, 1 + t))
    assert judged(LINE, near, MIDDLE, t + t * t / 2).status == "VERIFIED"
    assert judged(LINE, near, MIDDLE, t).status == "REFUTED"
    assert judged(LINE, near, MIDDLE, t).gap == t + t * t / 2


def test_a_point_below_the_optimum_misses_a_constraint() -> None:
    below = judged(LINE, Optimum(row(0, 0)), MIDDLE)
    assert [(v.place, v.text) for v in below.violations] == [
        ("row 0 of Ax = b", "0, needs 2"),
        ("objective at x", "1 below the optimum 1"),
    ]


def test_certificates_of_no_optimum_are_checked_number_by_number() -> None:
    for mu, place in ((row(1, 2), "column 0 of Aᵀν + Gᵀμ"), (row(-1, -1), "μ_0")):
        verdict = judged(NOWHERE, Infeasible([], mu), APART)
        assert verdict.status == "REFUTED" and place in {v.place for v in verdict.violations}
    nothing = judged(NOWHERE, Infeasible([], row(0, 0)), APART, ONE)
    assert nothing.status == "REFUTED" and nothing.violations[0].place == "b·ν + h·μ"
    for r, place in (
        (row(1, 1), "row 1 of Qr"),
        (row(1, F(1, 2)), "row 0 of Gr"),
        (row(-1, 0), "c·r"),
    ):
        verdict = judged(FALLING, Unbounded(row(0, -3), r), DOWN)
        assert verdict.status == "REFUTED" and place in {v.place for v in verdict.violations}
    outside = judged(FALLING, Unbounded(row(0, 0), row(1, 0)), DOWN)
    assert outside.violations[0].place == "row 0 of Gx ≤ h"
    assert judged(NOWHERE, Infeasible(), APART).status == "VERIFIED"


def test_a_claimed_objective_is_judged_alone_and_beside_a_point() -> None:
    for outcome in (None, CORNER):
        for claim, status in ((F(-129, 20), "VERIFIED"), (F(-129, 20) + F(1, 9), "REFUTED")):
            verdict = judge(POLYGON, Answer(outcome, claim), witness=CORNER, allowed=ZERO)
            assert verdict.status == status
    found = judge(NOWHERE, Answer(None, ONE), witness=APART, allowed=ONE)
    assert found.status == "REFUTED"


def test_without_a_proof_nothing_is_said() -> None:
    assert judged(POLYGON, CORNER, Optimum(CORNER.x)).status == "INCONCLUSIVE"
    assert judged(NOWHERE, APART, Infeasible()).status == "INCONCLUSIVE"
    assert judged(FALLING, DOWN, Unbounded(DOWN.x, row(-1, 0))).status == "INCONCLUSIVE"
    # x_0 x_1 has a saddle at 0, where the conditions hold
    saddle = QPProblem(Q=[row(0, 1), row(1, 0)], c=row(0, 0))
    verdict = judged(saddle, Optimum(row(0, 0), [], []), Optimum(row(0, 0), [], []))
    assert verdict.status == "INCONCLUSIVE"
    assert verdict.hint.startswith("no proof of what is right: Q: vᵀKv = -4 for v = (-1, 2)")


def test_the_objective_is_half_a_square_and_a_line() -> None:
    assert value(POLYGON, CORNER.x) == F(-129, 20) and value(LINE, row(3, 4)) == F(25, 2)


def test_a_ray_may_be_off_relative_to_the_witness_per_unit_of_its_fall() -> None:
    # the witness (2, 0) falls by 2, so that the size of a ray which falls by 1 is 1
    witness = Unbounded(row(0, -3), row(2, 0))
    for rise, status in (("1/10", "VERIFIED"), ("3/10", "REFUTED")):
        claim = Unbounded(row(0, -3), row(1, rise))
        assert judged(FALLING, claim, witness, F(1, 10)).status == status


def test_a_multiplier_below_0_counts_by_the_largest_entry_of_its_row() -> None:
    # ½x² − 3x with 3x ≤ 3 twice: x = 1 and 3(μ_0 + μ_1) = 2; the terms at x are 1, 3 and 2
    twice = QPProblem(Q=[row(1)], c=row(-3), G=[row(3), row(3)], h=row(3, 3))
    witness = Optimum(row(1), [], row("2/3", 0))
    for below, status in (("1/5", "VERIFIED"), ("3/10", "REFUTED")):
        claim = Optimum(row(1), [], [F(2, 3) + F(below), -F(below)])
        assert judged(twice, claim, witness, F(1, 10)).status == status
    free = replace(twice, G=[row(3), row(0)])
    claim = Optimum(row(1), [], row("2/3", -1))
    assert judged(free, claim, witness, F(10**6)).status == "REFUTED"


def test_what_a_lifted_matrix_adds_is_no_fault_of_the_answer_whatever_the_sign_of_x() -> None:
    for sign in (1, -1):
        program = QPProblem(Q=[row(1)], c=row(-sign), shift=F(1, 10))
        witness, claim = (Optimum([sign * x], [], []) for x in (ONE, F(21, 20)))
        assert judged(program, claim, witness).status == "INCONCLUSIVE"


def test_a_ray_may_cross_a_constraint_by_the_share_of_its_row_and_of_the_largest_entry() -> None:
    # -x_0 falls along (1, 3), which x_1 >= 0 admits: the row is of size 1 and the ray of size 3
    zero, one = F(0), F(1)
    program = QPProblem(Q=[[zero, zero], [zero, zero]], c=[-one, zero], G=[[zero, -one]], h=[zero])
    origin, witness = [zero, zero], Unbounded([zero, zero], [one, F(3)])
    for below, status in ((F(3, 10), "VERIFIED"), (F(7, 20), "REFUTED")):
        ray = Unbounded(origin, [one, -below])
        assert judge(program, Answer(ray), witness=witness, allowed=F(1, 10)).status == status


def test_a_proof_with_a_part_missing_is_none() -> None:
    lacking: list[tuple[QPProblem, Outcome]] = [
        (FALLING, Unbounded(row(0, -3))), (FALLING, Unbounded(None, row(1, 0))),
        (POLYGON, Optimum(CORNER.x, [])), (POLYGON, Optimum(CORNER.x, None, CORNER.mu)),
        (NOWHERE, Infeasible([])), (NOWHERE, Infeasible(None, row(1, 1))),
    ]  # fmt: skip
    for problem, witness in lacking:
        verdict = judged(problem, witness, witness)
        assert verdict.status == "INCONCLUSIVE" and "a part of it is missing" in verdict.hint


def test_a_shift_may_have_raised_both_heights() -> None:
    # ½·½·(2² + 1²)
    problem = QPProblem(Q=[row(1)], c=row(0), shift=F(1, 2))
    [height] = qp._height(problem, row(2), row(1))
    assert height.rounding == F(5, 4) and height.off == F(3, 2) and height.scale == F(1, 2)


def test_a_product_counts_by_the_terms_of_the_objective_and_of_its_constraint() -> None:
    # x ≥ 1 as −2x ≤ −2: 1 + 3 = 2μ at x = 1, where ½ + 3 and 2·(2·1 + 2) are the terms
    problem = QPProblem(Q=[row(1)], c=row(3), G=[row(-2)], h=row(-2))
    right = Optimum(row(1), [], row(2))
    [product] = [c for c in qp._conditions(problem, right, right) if c.place.startswith("μ_0 (")]
    assert product.off == 0 and product.scale == F(23, 2)


def test_a_contradiction_and_a_ray_count_by_their_largest_entries() -> None:
    # the columns have the terms 1, 1 and 3, 3 where the bound is −2
    problem = QPProblem(Q=[row(0, 0)] * 2, c=row(0, 0), G=[row(1, 3), row(-1, -3)], h=row(-1, -1))
    columns = list(qp._contradiction(problem, [], row(1, 1), APART))[2:]
    assert [c.scale for c in columns] == [3, 3] and [c.off for c in columns] == [0, 0]
    # per unit of its fall the ray (2, 0) is (1, 0) as well; the rows have the sizes 0, 1 and 5
    problem = replace(FALLING, G=[row(-2, 3)], h=row(0))
    scales = [c.scale for c in qp._fall(problem, row(2, 0), row(2, 0))]
    assert scales == [0, 1, 5]
    problem = replace(FALLING, c=row(F(-1, 2), 0))
    assert [c.scale for c in qp._fall(problem, row(1, 0), row(1, 0))] == [0, 2, 2]


def test_a_direction_along_which_nothing_falls_is_off_by_its_slope_or_by_1() -> None:
    for ray, off in (row(0, 1), ONE), (row(-3, 0), F(3)):
        [only] = qp._fall(FALLING, ray, row(1, 0))
        assert only.place == "c·r" and only.off == off and only.scale is None


def test_a_shift_is_added_on_the_diagonal_alone() -> None:
    tiny = F(1, 2**54)
    found = qp.lifted(QPProblem(Q=[[ONE, ONE], [ONE, 1 - tiny]], c=row(0, 0)))
    assert isinstance(found, QPProblem) and found.shift > 0
    assert found.Q == [[1 + found.shift, ONE], [ONE, 1 - tiny + found.shift]]


@pytest.mark.parametrize(("c", "scale"), [(0, F(9)), (1, F(3, 4))])
def test_an_optimum_at_0_has_the_scale_of_the_least_length(c: int, scale: F) -> None:
    # ½ 2 ℓ² + |c| ℓ, where ℓ is 3 by the bound, or ½ by |c|/Q
    problem = QPProblem(Q=[[F(2)]], c=[F(c)], G=[[F(1)]], h=[F(3)])
    assert qp._scale(problem, [F(0)]) == scale


def test_a_rounded_point_raises_the_height_by_its_slopes_and_half_its_own_spread() -> None:
    # f = ½x² + 3x at 2, of which numbers 1/10 apart are meant: 1/10 · (2 + 3 + ½ · 1/10)
    problem = QPProblem(Q=[row(1)], c=row(3))
    [height] = qp._height(problem, row(2), row(-3), row("1/10"))
    assert height.rounding == F("505/1000")


def test_what_rounding_explains_of_a_point_is_told() -> None:
    # ½x² − x/10 is least at 1/10, which the double next to it stands for
    problem, right = QPProblem(Q=[row(1)], c=row("-1/10")), Optimum(row("1/10"), [], [])
    near = F(0.1)
    box: Box = {"x": [[Rounded.of_float(0.1)]], "nu": [[]], "mu": [[]]}
    given = Answer(Optimum([near]), rounded=lambda: box)
    found = judge(problem, given, witness=right, allowed=F(1, 10**40))
    assert found and found.gap == found.explained == (near - F(1, 10)) ** 2 / 2
    point = {"x": [[Rounded.of_float(1.0)]], **box}
    given = Answer(Optimum([ONE]), rounded=lambda: point)
    assert not judge(NOWHERE, given, witness=APART, allowed=near)


def test_rounded_multipliers_reach_as_far_as_their_products_and_rows_do() -> None:
    # at x = 1 of ½x² + 3x with −2x ≤ −2, where numbers 1/10 and 1/5 apart are meant
    problem = QPProblem(Q=[row(1)], c=row(3), G=[row(-2)], h=row(-2))
    right, spread = Optimum(row(1), [], row(2)), Optimum(row("1/10"), [], row("1/5"))
    found = {c.place: c.rounding for c in qp._conditions(problem, right, right, spread)}
    assert found["entry 0 of Qx + c + Aᵀν + Gᵀμ"] == F(1, 10) + 2 * F(1, 5)
    assert found["μ_0 (h − Gx)_0"] == 2 * F(1, 5) + F(1, 5) * F(1, 5)


def test_halves_of_proofs_are_judged_by_what_they_say_alone() -> None:
    for problem, half, witness in (
        (POLYGON, Optimum(CORNER.x, []), CORNER),
        (POLYGON, Optimum(CORNER.x, None, row(7)), CORNER),
        (NOWHERE, Infeasible([]), APART), (NOWHERE, Infeasible(None, row(7)), APART),
        (FALLING, Unbounded(row(0, -4)), DOWN), (FALLING, Unbounded(None, row(2, 0)), DOWN),
    ):  # fmt: skip
        assert judged(problem, half, witness)
    for half in Unbounded(row(0, -2)), Unbounded(None, row(2, 1)):
        assert judged(FALLING, half, DOWN).status == "REFUTED"


def test_a_shift_is_told() -> None:
    found = judged(
        QPProblem(Q=[[ONE, ONE], [ONE, 1 - F(1, 2**54)]], c=row(0, 0)),
        None,
        Optimum(row(0, 0), [], []),
    )
    assert found.hint.startswith("Q is positive semi-definite up to rounding: judged for Q + ")
    assert not judged(LINE, MIDDLE, MIDDLE).hint


def test_a_shift_may_bound_what_falls_for_ever_and_makes_no_point_admissible() -> None:
    problem = QPProblem(Q=[[ONE, ONE], [ONE, 1 - F(1, 2**54)]], c=row(0, 0))
    right = Optimum(row(0, 0), [], [])
    assert judged(problem, Unbounded(), right).status == "INCONCLUSIVE"
    assert judged(problem, Infeasible(), right).status == "REFUTED"
    assert (
        judged(replace(problem, Q=[row(1, 0), row(0, 1)]), Unbounded(), right).status == "REFUTED"
    )


def test_a_column_that_does_not_vanish_is_told_with_its_sign() -> None:
    # (1 − 2)/3 of x ≤ −1 and −x ≤ −1, where −1 − 2 is the bound
    [wrong] = judged(NOWHERE, Infeasible([], row(1, 2)), APART).violations
    assert wrong.place == "column 0 of Aᵀν + Gᵀμ" and "-1/3" in wrong.text
