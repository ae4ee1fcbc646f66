"""The judge of losses, against values that are worked out by hand or by a second route."""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction as F
from itertools import product
from random import Random
from typing import Any, Literal

import pytest

from refmc.checker import Verdict
from refmc.checker.numbers import hulls
from refmc.checker.numbers.enclosures import (
    exponential,
    logarithm_of_one_plus,
    logistic,
    logistic_slope,
    point,
)
from refmc.checker.numbers.hulls import (
    distance_to_hull,
    distance_to_outer_products,
    distance_to_segments,
)
from refmc.checker.values import losses
from refmc.checker.values.losses import Claims, LabelProblem, MarginProblem, ScoreProblem, judge
from refmc.checker.verdict import Place

H, T = F(1, 2), F(1, 3)
EXACT, MICRO = F(0), F(1, 10**6)
WIDE = Context(prec=160)
GRID = [F(n, 8) for n in (-800, -37, -8, -1, 0, 1, 8, 13, 800)]


def judged(problem: Any, allowed: F = EXACT, **submitted: Any) -> Verdict:
    return judge(problem, Claims(**submitted), allowed=allowed)


def margin(loss: Any, *z: F | int, rho: F = F(1)) -> MarginProblem:
    return MarginProblem(loss=loss, z=z, rho=rho)


def decimal(q: F) -> Decimal:
    return WIDE.divide(Decimal(q.numerator), Decimal(q.denominator))


# --- Losses of a margin


@pytest.mark.parametrize(
    ("loss", "values"),
    [
        ("hinge", (3, 1, H, 0, 0)),
        ("perceptron", (2, 0, 0, 0, 0)),
        ("margin", (1, 1, F(3, 4), H, 0)),
    ],
)
def test_piecewise_linear_values(loss: str, values: tuple[F, ...]) -> None:
    problem = margin(loss, -2, 0, H, 1, 2, rho=F(2))  # rho belongs to the last alone
    assert judged(problem, values=values, mean=sum(values, F(0)) / 5).gap == 0
    for i in range(5):
        for change in (F(1), F(-1, 10**30)):
            wrong = [v + change * (i == j) for j, v in enumerate(values)]
            verdict = judged(problem, values=wrong)
            assert verdict.status == "REFUTED" and verdict.violations[0].place == f"row {i}"
    assert judged(problem, mean=F(7)).status == "REFUTED"


def test_the_mean_of_margin_losses_of_0_and_1_may_be_rounded() -> None:
    problem, allowed = margin("margin", -9, 9, 9, 9, 9), F(1, 10**9)
    assert judged(problem, allowed, values=[1, 0, 0, 0, 0], mean=F(0.2)).status == "VERIFIED"
    assert judged(problem, mean=F(0.2)).status == "REFUTED"
    for wrong in (F("0.2000000003"), F("0.1999999997")):
        assert judged(problem, allowed, mean=wrong).status == "REFUTED"
    for value in (F(1.0) - F(1, 10**12), F(1) + F(1, 10**12)):  # one loss needs no rounding
        assert judged(problem, allowed, values=[value, 0, 0, 0, 0]).status == "REFUTED"
    assert judged(margin("margin", 9, 9), allowed, mean=F(1, 10**12)).status == "REFUTED"


@pytest.mark.parametrize(("loss", "kink"), [("hinge", 1), ("perceptron", 0)])
def test_subgradients_at_a_kink_are_an_interval(loss: str, kink: int) -> None:
    problem = margin(loss, kink - 1, kink, kink + 1)
    for slope in (F(-1), F(-1, 3), F(0)):
        found = judged(problem, subgradients=[[-1], [slope], [0]])
        assert found and found.gap == 0
    for wrong in ([[-1], [H], [0]], [[-1], [-2], [0]], [[0], [0], [0]], [[-1], [0], [-1]]):
        assert judged(problem, subgradients=wrong).status == "REFUTED"


@pytest.mark.parametrize("z", GRID)
def test_exponential_and_logistic_values_are_enclosed(z: F) -> None:
    power = WIDE.exp(decimal(-z))
    values = {"exponential": power, "logistic": WIDE.ln(WIDE.add(1, power))}
    slopes = {
        "exponential": power.copy_negate(),
        "logistic": WIDE.divide(Decimal(-1), WIDE.add(1, WIDE.exp(decimal(z)))),
    }
    for loss, value in values.items():
        near, slope, off = F(value), F(slopes[loss]), F(1, 10**40)
        assert judged(margin(loss, z), off, values=[near], mean=near, subgradients=[[slope]])
        for factor in (1 + 3 * off, 1 - 3 * off):
            for wrong in ({"values": [near * factor]}, {"mean": near * factor}):
                assert judged(margin(loss, z), off, **wrong).status == "REFUTED"
            assert judged(margin(loss, z), off, subgradients=[[slope * factor]]).status == "REFUTED"


def test_no_rational_is_exactly_an_irrational_value() -> None:
    near = F(WIDE.exp(Decimal(-1)))
    assert judged(margin("exponential", 1), values=[near]).status == "REFUTED"
    assert judged(margin("exponential", 0), values=[1], subgradients=[[-1]])
    assert judged(margin("logistic", 0), subgradients=[[-H]])


def test_values_too_long_to_be_written_out_are_inconclusive() -> None:
    assert judged(margin("exponential", -(10**9)), values=[1]).status == "INCONCLUSIVE"
    assert judged(margin("logistic", -(10**9)), MICRO, values=[10**9], subgradients=[[-1]])
    assert judged(margin("logistic", 10**9), MICRO, values=[0], subgradients=[[0]])


def test_losses_without_subgradients_are_inconclusive() -> None:
    assert judged(margin("margin", 0), subgradients=[[0]]).status == "INCONCLUSIVE"
    wrong = ScoreProblem(loss="zero_one", scores=[[1, 0]], y=(0,))
    assert judged(wrong, subgradients=[[0, 0]]).status == "INCONCLUSIVE"


@pytest.mark.parametrize("bits", [8, 64, 500])
def test_enclosures_are_narrow_and_nested(bits: int) -> None:
    for z in [z for z in GRID if z]:
        narrow = exponential(z, bits)
        wide = exponential(z, bits // 2)
        assert narrow is not None and wide is not None
        assert 0 < wide.low <= narrow.low < narrow.high <= wide.high
        assert narrow.high - narrow.low < narrow.low / 2 ** (bits - 3)
        for function in (logistic, logistic_slope):
            inner, outer = function(z, bits), function(z, bits // 2)
            assert outer.low <= inner.low <= inner.high <= outer.high
            assert inner.high - inner.low < F(1, 2 ** (bits - 3))


def test_the_logarithm_agrees_with_decimal_arithmetic() -> None:
    for u in (F(0), F(1, 10**9), F(1, 3), F(1)):
        found = logarithm_of_one_plus(point(u), 150)
        value = F(WIDE.ln(WIDE.add(1, decimal(u))))
        assert found.low - F(1, 10**45) <= value <= found.high + F(1, 10**45)


# --- Losses of scores


def scored(loss: Any, scores: Sequence[F | int], y: int, **other: Any) -> ScoreProblem:
    return ScoreProblem(loss=loss, scores=[scores], y=(y,), **other)


def test_the_two_forms_of_the_hinge() -> None:
    scores = [F(2, 10), F(5, 10), F(1, 10)]  # v = 7/10, 0, 6/10
    assert judged(scored("multiclass_hinge", scores, 1), values=[F(7, 10)])
    assert judged(scored("multiclass_hinge_sum", scores, 1), values=[F(13, 10)])
    for loss in ("multiclass_hinge", "multiclass_hinge_sum"):
        assert judged(scored(loss, scores, 1), values=[F(6, 10)]).status == "REFUTED"


def test_costs_are_those_of_predicting_each_class_at_the_row() -> None:
    assert judged(scored("multiclass_hinge", [0, 0], 0, costs=[[0, 2]]), values=[2])
    assert judged(scored("multiclass_hinge", [0, 0], 1, costs=[[5, 0]]), values=[5])


def test_a_tied_arg_max_admits_both_zero_one_losses() -> None:
    for value in (0, 1):
        assert judged(scored("zero_one", [1, 1, 0], 0), values=[value])
    assert judged(scored("zero_one", [1, 1, 0], 0), values=[H]).status == "REFUTED"
    assert judged(scored("zero_one", [1, 1, 0], 2), values=[0]).status == "REFUTED"
    two = ScoreProblem(loss="zero_one", scores=[[1, 1], [0, 1]], y=(0, 0))
    assert judged(two, mean=H) and judged(two, mean=F(1))
    assert judged(two, mean=F(3, 4)).status == "REFUTED"


def test_losses_of_labels_and_codes() -> None:
    codes = {"predicted": [[1, -1, -1, 1]], "y": [[1, 1, -1, 1]]}
    assert judged(LabelProblem(loss="hamming", **codes), values=[F(1, 4)])
    assert judged(LabelProblem(loss="zero_one", **codes), values=[1])
    labels = LabelProblem(loss="zero_one", predicted=[["a"], ["b"]], y=[["a"], ["a"]])
    assert judged(labels, values=[0, 1], mean=H)
    assert judged(labels, values=[1, 1]).status == "REFUTED"


# --- Subgradients


def test_any_mixture_of_tied_slopes_is_a_subgradient_of_the_max_form() -> None:
    # v = (1, 1, 0) for y = 2 and scores 0
    problem = scored("multiclass_hinge", [0, 0, 0], 2)
    for share in (F(0), T, F(1)):
        assert judged(problem, subgradients=[[share, 1 - share, -1]])
    for wrong in ([0, 0, 0], [1, 1, -2], [F(-1), F(2), F(-1)], [H, H, -H]):
        assert judged(problem, subgradients=[wrong]).status == "REFUTED"
    at_zero = scored("multiclass_hinge", [0, 0, 1], 2)  # v = (0, 0, 0)
    for right in ([0, 0, 0], [T, T, -2 * T], [1, 0, -1]):
        assert judged(at_zero, subgradients=[right])
    assert judged(at_zero, subgradients=[[1, 1, -2]]).status == "REFUTED"


def test_tied_slopes_of_the_sum_form_are_taken_by_themselves() -> None:
    problem = scored("multiclass_hinge_sum", [0, H, 1], 2)  # v = (0, 1/2, 0)
    for share in (F(0), T, F(1)):
        assert judged(problem, subgradients=[[share, 1, -1 - share]])
    for wrong in ([0, 0, 0], [1, 0, -1], [2, 1, -3], [H, 1, -1]):
        assert judged(problem, subgradients=[wrong]).status == "REFUTED"


def test_subgradients_by_weights_have_the_row_in_each_block() -> None:
    problem = scored("multiclass_hinge", [0, 0, 0], 2, X=[[2, 3]])
    assert judged(problem, subgradients=[[1, F(3, 2), 1, F(3, 2), -2, -3]])
    verdict = judged(problem, subgradients=[[1, 2, 1, F(3, 2), -2, -3]])
    assert verdict.status == "REFUTED" and verdict.gap == H  # one entry back by 1/2


def test_subgradients_by_features_lie_in_the_hull_of_their_differences() -> None:
    features = [[[1, 0], [0, 1], [1, 1]]]
    problem = scored("multiclass_hinge", [0, 0, 0], 2, features=features)
    assert judged(problem, subgradients=[[-H, -H]]) and judged(problem, subgradients=[[0, -1]])
    verdict = judged(problem, subgradients=[[0, 0]])
    assert verdict.status == "REFUTED" and verdict.gap == 1


def test_the_right_class_alone_has_no_slope_whose_size_counts() -> None:
    # class 1 reaches the maximum 0, with the slope 0; of (5, 5) − (5, 5) nothing is lost
    features = [[[1, 0], [5, 5]]]
    for form in ("multiclass_hinge", "multiclass_hinge_sum"):
        problem = scored(form, [-3, 0], 1, features=features)
        assert judged(problem, subgradients=[[0, 0]])
        verdict = judged(problem, F(1, 50), subgradients=[[F(1, 10), 0]])
        assert verdict.status == "REFUTED" and verdict.scale == 0


def test_subgradients_of_the_sum_by_features_are_a_sum_of_segments() -> None:
    # v = (2, 1, 0, 0) for class 3: classes 0 and 1 make a step, class 2 a share of one
    features = [[[1, 0], [0, 1], [2, 0], [0, 0]]]
    scores = [1, 0, -1, 0]
    problem = scored("multiclass_hinge_sum", scores, 3, features=features)
    for share in (0, H, 1):
        assert judged(problem, subgradients=[[1 + 2 * share, 1]])
    # below the segment by ½, beyond it by 1, beside it by 1/8; all relative to 1 + 1 + 2
    for wrong, gap in (([H, 1], H), ([4, 1], F(1)), ([2, F(9, 8)], F(1, 8))):
        verdict = judged(problem, subgradients=[wrong])
        assert verdict.status == "REFUTED" and verdict.gap == gap and verdict.scale == 4
        assert judged(problem, gap / 4, subgradients=[wrong])


def test_a_subgradient_too_long_to_be_measured_is_left_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    features = [[[1, 0], [0, 1], [2, 2], [1, 1]]]
    problem = scored("multiclass_hinge", [0, 0, 0, 0], 3, features=features)
    assert judged(problem, subgradients=[[5, -7]]).status == "REFUTED"

    def too_long(*more: object) -> F:
        raise hulls.TooLong

    monkeypatch.setattr(losses, "distance_to_hull", too_long)
    verdict = judged(problem, subgradients=[[5, -7]])
    assert verdict.status == "INCONCLUSIVE" and "too many entries to tell" in verdict.hint


def test_a_subgradient_supports_the_loss_everywhere() -> None:
    # the definition as the second route: f(v) >= f(u) + g.(v - u) for all v of a grid
    grid = [F(n, 2) for n in range(-3, 4)]
    coarse = [F(n, 2) for n in (-2, -1, 0, 1, 2)]

    def value(form: str, s: Sequence[F], y: int) -> F:
        v = [F(j != y) + s_j - s[y] for j, s_j in enumerate(s)]
        return max(v) if form == "multiclass_hinge" else sum((max(F(0), x) for x in v), F(0))

    forms: tuple[Literal["multiclass_hinge", "multiclass_hinge_sum"], ...] = (
        "multiclass_hinge", "multiclass_hinge_sum",
    )  # fmt: skip
    for form in forms:
        for u in ((F(0), F(0), F(0)), (F(1), F(0), F(0)), (F(1), F(0), F(1, 2))):
            loss = value(form, u, 0)
            for free in product(coarse, repeat=2):
                g = (-sum(free), *free)
                supported = all(
                    value(form, (F(0), *w), 0) - loss
                    >= sum(c * (a - b) for c, a, b in zip(g, (F(0), *w), u, strict=True))
                    for w in product(grid, repeat=2)
                )
                assert bool(judged(scored(form, u, 0), subgradients=[g])) == supported


def test_the_allowed_distance_is_the_sum_of_the_changes() -> None:
    problem = scored("multiclass_hinge", [1, 0, 0], 1)  # v = (2, 0, 1): e_0 - e_1
    g = [1 + F(1, 10**7), -1 - F(1, 10**7), 0]
    assert judged(problem, F(1, 10**7), subgradients=[g])  # relative to |1| + |-1|
    assert judged(problem, F(9, 10**8), subgradients=[g]).status == "REFUTED"


# --- The linear programme


def test_mixtures_are_in_the_hull_and_points_beyond_a_face_are_not() -> None:
    random = Random(7)
    for _ in range(40):
        d, n = random.randint(1, 4), random.randint(1, 5)
        vertices = [[F(random.randint(-3, 3)) for _ in range(d)] for _ in range(n)]
        shares = [F(random.randint(0, 3)) for _ in range(n - 1)] + [F(1)]
        inside = [
            sum((c * v[j] for c, v in zip(shares, vertices, strict=True)), F(0)) / sum(shares)
            for j in range(d)
        ]
        assert distance_to_hull(inside, vertices) == 0
        beyond = list(inside)
        beyond[0] = max(v[0] for v in vertices) + 2
        assert distance_to_hull(beyond, vertices) >= 2


def test_distances_on_a_line_are_those_to_the_ends() -> None:
    for x in range(-4, 5):
        expected = max(0, -1 - x, x - 2)
        assert distance_to_hull([x], [[2], [-1], [0]]) == expected
        assert distance_to_segments([x], [-1], [[1], [2]]) == expected


def test_degenerate_generators_end_the_search() -> None:
    assert distance_to_hull([0, 0], [[0, 0]] * 4) == 0
    assert distance_to_hull([1, 0], [[0, 0], [0, 0], [2, 0], [2, 0]]) == 0
    assert distance_to_segments([0, 1], [0, 0], [[0, 0], [0, 0]]) == 1
    assert distance_to_segments([3], [1], []) == 2


def test_shares_of_one_row_are_dealt_out_as_the_linear_programme_does() -> None:
    random = Random(3)
    for _ in range(150):
        d, k = random.randint(1, 3), random.randint(2, 4)
        x = [F(random.randint(-2, 2)) for _ in range(d)]
        y, (point, *_) = random.randrange(k), [[F(random.randint(-4, 4), 2) for _ in range(k * d)]]
        others = [j for j in range(k) if j != y]
        steps = {j: [c * ((r == j) - (r == y)) for r in range(k) for c in x] for j in range(k)}
        free = [j for j in others if random.random() < 0.7]
        sure = [j for j in others if j not in free and random.random() < 0.7]
        start = [sum((steps[j][t] for j in sure), F(0)) for t in range(k * d)]
        expected = distance_to_segments(point, start, [steps[j] for j in free])
        assert distance_to_outer_products(point, x, y, sure, free, (0, len(free))) == expected
        for corner in (0, 1):  # 1: the shares sum to 1
            vertices = [steps[j] for j in free] + [steps[y]] * (not corner)
            if vertices:
                expected = distance_to_hull(point, vertices)
                found = distance_to_outer_products(point, x, y, [], free, (corner, 1))
                assert found == expected


def test_shares_of_short_rows_are_dealt_out_as_well() -> None:
    short = [F(1, 4)]
    assert distance_to_outer_products([F(1, 8), F(-1, 8)], short, 1, [], [0], (0, 1)) == 0


def test_no_share_of_a_row_is_more_than_1() -> None:
    # block 0 would take five times x, of which it gets one: ½ + 4 + 4, and 3·4 for the right class;
    # block 2 would lose as much as the right class gains
    point: list[F | int] = [F(1, 2), 5, 5, -5, -5, -5, 0, 0, 0]
    found = distance_to_outer_products(point, [F(1)] * 3, 1, [], [0, 2], (0, 2))
    assert found == F(41, 2)


def test_the_distance_to_a_segment_is_that_of_a_weighted_median() -> None:
    # |p - c v| summed over the entries is least at one of the c where an entry vanishes, or at an
    # end
    random = Random(4)
    for _ in range(60):
        size = random.randint(1, 12)
        p, v = ([F(random.randint(-9, 9)) for _ in range(size)] for _ in range(2))
        ends = [F(0), F(1), *(a / b for a, b in zip(p, v) if b and 0 <= a / b <= 1)]
        least = min(sum(abs(a - c * b) for a, b in zip(p, v)) for c in ends)
        assert distance_to_segments(p, [0] * size, [v]) == least
        assert distance_to_hull(p, [[0] * size, v, v]) == least


def test_what_is_made_of_a_value_too_long_to_be_written_out_is_inconclusive() -> None:
    assert judged(margin("exponential", 0, -60_000), mean=F(1)).status == "INCONCLUSIVE"
    steep = judged(margin("exponential", -60_000), subgradients=[[F(-1)]])
    assert steep.status == "INCONCLUSIVE"
    assert judged(margin("exponential", 0, 0), mean=F(1))


def test_the_margin_loss_falls_on_an_interval_of_length_1_if_none_is_named() -> None:
    assert judged(MarginProblem(loss="margin", z=[F(1, 4)]), values=[F(3, 4)])


def test_the_values_that_ties_admit_are_named_up_to_three_of_them() -> None:
    for rows, text in (
        (1, "1/7, needs 0 or 1"), (2, "1/7, needs 0, 1/2 or 1"),
        (3, "1/7, needs 0, 1/3, … or 1"), (9, "1/7, needs 0, 1/9, … or 1"),
    ):  # fmt: skip
        tied = ScoreProblem(loss="zero_one", scores=[[1, 1]] * rows, y=[0] * rows)
        assert judged(tied, mean=F(1, 7)).violations[0].text == text


def test_of_many_right_counts_the_first_two_and_the_last_are_named() -> None:
    for right, needs in (([0, 1], "0 or 1"), ([0, 1, 2, 3, 4], "0, 1, … or 4")):
        part = losses._count_claim(Place("mean"), [F(v) for v in right], F(9), F(0))
        assert [v.text for v in part.violations] == [f"9, needs {needs}"]
