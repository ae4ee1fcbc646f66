"""The judge of boosting where weights are only enclosed, with intervals as wide as by hand."""

from fractions import Fraction as F

import pytest

from refmc.checker.boosting import weights as boosting_weights
from refmc.checker.boosting.judge import BoostingProblem, Round, Submission, judge
from refmc.checker.boosting.run import Run
from refmc.checker.boosting.stumps import Kind, is_stump, largest_edge, stumps_of
from refmc.checker.boosting.weights import Weights, weights_of
from refmc.checker.numbers.enclosures import Enclosure
from refmc.checker.parts import Part, combined
from refmc.checker.trees.data import Sample, prepare
from refmc.checker.verdict import Place, Verdict

H = F(1, 2)
ROUND = Place.of("round", 1)
OPEN = BoostingProblem(
    family="boost.ada", truth=[(1,), (1,), (0,), (1,)], k=2, rounds=1, classes=("no", "yes")
)
# no stump tells one row from the other
SAME = BoostingProblem(
    family="boost.ada", truth=[(1,), (0,)], k=2, rounds=1, X=[[0], [0]], kind="classes"
)


def of_error(problem: BoostingProblem, error: F, allowed: F = F(0)) -> Run:
    """A run whose weights are equal, up to the error."""
    run = Run(problem, allowed)
    run.weights = Weights(run.weights.rows, error)
    return run


def judged(r: Round, allowed: F = F(0)) -> Verdict:
    return judge(OPEN, Submission([r]), allowed=allowed)


def test_shares_and_edges_are_as_wide_as_the_weights() -> None:
    weights = Weights(((1,), (2,)), H)  # 1 to 3/2, and 2 to 3
    assert weights.share([[True], [False]]) == Enclosure(F(1, 4), F(3, 7))
    # the weights with signs are 1 − 3/2 to 1 + 3/2, or 3 − 3/2 to 3 + 3/2; all are 3 to 9/2
    assert weights.edge(1) == Enclosure(F(-1, 6), F(5, 6))
    assert weights.edge(3) == Enclosure(F(1, 3), F(3, 2))


def test_weights_that_are_cut_keep_the_digits_of_the_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boosting_weights, "MAX_BITS", 8)
    monkeypatch.setattr(boosting_weights, "KEPT_BITS", 4)
    # 1000 is too long: one digit of 17 is cut, and 2/2^4 covers it; of 7 none is
    assert weights_of([[F(1000)], [F(17)]]) == Weights(((500,), (8,)), F(1, 8))
    assert weights_of([[F(1000)], [F(7)]]) == Weights(((1000,), (7,)))
    assert weights_of([[F(200)], [F(100)]]) == Weights(((2,), (1,)))
    assert weights_of([[F(-1, 2)], [F(3)], [F(1)]]) == Weights(((0,), (3,), (1,)))
    # a weight of 0 has no digits to keep
    assert weights_of([[F(1000)], [F(0)], [F(17)]]) == Weights(((500,), (0,), (8,)), F(1, 8))


def test_a_factor_is_rounded_outwards() -> None:
    third = F(1, 3)
    found = Weights(((1,), (1,))).reweighted([[True], [False]], Enclosure(third, third + H**600))
    (times,), (one,) = found.rows
    assert F(times, one) < third < F(times, one) * (1 + found.error) < third * (1 + H**500)


def whole(parts: list[Part]) -> Verdict:
    return combined("boost.ada", "", parts, F(0))


def test_a_claimed_weight_is_judged_by_both_ends_of_its_interval() -> None:
    run = of_error(OPEN, F(1, 4))  # each weight is 1 to 5/4, of 4 to 5
    low, high = F(1, 5), F(5, 16)
    for claim in low, high:
        part = whole(run._judge_D(ROUND, [[claim]] * 4))
        assert part.status == "INCONCLUSIVE" and (part.gap, part.scale) == (high - low, high)
    for claim, off in (low - F(1, 100), F(1, 100)), (high + F(1, 50), F(1, 50)):
        part = whole(run._judge_D(ROUND, [[claim], [low], [low], [low]]))
        assert [(v.place, v.amount) for v in part.violations] == [("round 1, D of row 0", off)]


@pytest.mark.parametrize("rows", [(0, 1, 2, 3), (3, 2, 1, 0)])
def test_the_worst_weight_is_the_one_that_is_off_by_most_of_itself(rows: tuple[int, ...]) -> None:
    weights, off = [F(1), F(3), F(1), F(1)], [F(1, 12), F(1, 10), F(0), F(1, 20)]
    problem = BoostingProblem(
        family="boost.ada", truth=[(0,)] * 4, k=2, rounds=1, weights=[weights[i] for i in rows]
    )
    part = whole(Run(problem, F(0))._judge_D(ROUND, [[weights[i] / 6 + off[i]] for i in rows]))
    assert (part.gap, part.scale) == (F(1, 12), F(1, 6))
    # nothing is as far off as a weight of 0 that is another
    weights[2] = F(0)
    problem = BoostingProblem(
        family="boost.ada", truth=[(0,)] * 4, k=2, rounds=1, weights=[weights[i] for i in rows]
    )
    off[2] = F(1, 100)
    part = whole(Run(problem, F(0))._judge_D(ROUND, [[weights[i] / 5 + off[i]] for i in rows]))
    assert (part.gap, part.scale) == (F(1, 100), F(0))


def test_claims_of_a_round_are_judged_by_both_ends_of_its_error() -> None:
    # for ε from 1/4 to 1/3, Z² = 4ε(1 − ε) is 3/4 to 8/9, and so is the bound after one round
    ends = {"epsilon": (F(1, 4), F(1, 3)), "Z_squared": (F(3, 4), F(8, 9))}
    ends["bound_squared"] = ends["Z_squared"]
    for name, (low, high) in ends.items():
        for claim, status in (
            (low, "INCONCLUSIVE"), (high, "INCONCLUSIVE"),
            (low - F(1, 99), "REFUTED"), (high + F(1, 99), "REFUTED"),
        ):  # fmt: skip
            run = Run(OPEN, F(0))
            [part] = run._judge_claims(
                ROUND, Round([], claims={name: claim}), Enclosure(*ends["epsilon"])
            )
            assert part.status == status and part.gap == max(high - claim, claim - low)
            assert part.scale == high


def test_an_early_end_is_right_where_a_stump_may_have_no_edge_to_speak_of() -> None:
    # the edge is −1/4 to 1/4, so that the least error is at least 3/8, an eighth below ½
    for allowed, status in (F(1, 4), "VERIFIED"), (F(6, 25), "INCONCLUSIVE"):
        assert of_error(SAME, F(1, 4), allowed)._judge_no_edge(0).status == status
    told = BoostingProblem(
        family="boost.ada", truth=OPEN.truth, k=2, rounds=1, X=[[0], [1], [2], [3]], kind="classes"
    )
    [wrong] = Run(told, F(0))._judge_no_edge(0).violations
    assert wrong.place == "rounds" and wrong.amount == F(1, 4)


def test_an_error_by_submitted_weights_has_no_edge_beyond_what_is_allowed() -> None:
    # D is wrong, but is what the round is judged by: the constant errs on the third row alone
    for error, places in (H, []), (F(11, 20), []), (F(14, 25), ["round 1"]):
        D = [[(1 - error) / 2], [F(0)], [error], [(1 - error) / 2]]
        verdict = judged(Round([(1,)] * 4, D=D), F(1, 10))
        assert [v.place for v in verdict.violations if "D" not in v.place] == places
        assert verdict.status == "REFUTED"
    exact = judged(Round([(1,)] * 4, D=[[F(1, 4)], [F(0)], [H], [F(1, 4)]]))
    assert "round 1" in [v.place for v in exact.violations]


def test_submitted_scores_of_any_size_decide_by_their_signs() -> None:
    scores = [[H], [F(0)], [-H], [F(0)]]
    for labels, wrong in ([1, 0, 0, 1], []), ([0, 1, 1, 0], ["labels: row 0", "labels: row 2"]):
        given = Submission([Round([(1,)] * 4)], labels=[(l,) for l in labels], scores=scores)
        found = judge(OPEN, given, allowed=F(0)).violations
        assert [v.place for v in found if "submitted scores" in v.text] == wrong


def test_a_wrong_loss_names_the_right_one() -> None:
    verdict = judged(Round([(1,)] * 4, claims={"loss": H}))
    assert verdict.violations[0].text == "1/2, but the votes are wrong on 1/4 of the weight"


# --- Stumps


@pytest.mark.parametrize("width", [1, 2])
def test_leading_digits_do_not_hide_the_best_stump(width: int) -> None:
    # x_0 errs on one light row and x_1 on ten, which together weigh more by what is cut off
    unit = 2**13
    light, one, heavy = 2**10 * unit + unit - 1, (10 * 2**10 + 9) * unit, 2**40
    assert one < 10 * light and one // unit > 10 * (light // unit)
    rows = [one, *[light] * 10, heavy, heavy]
    truth = [1] * 12 + [-1]
    X = [[-t if i == 0 else t, -t if 0 < i < 11 else t] for i, t in enumerate(truth)]
    stumps = stumps_of(prepare(Sample(X=X, y=(0,) * 13, k=1)))
    weights = Weights(tuple((v,) * width for v in rows))
    found = largest_edge(stumps, "one_sign", width, [(t,) * width for t in truth], weights)
    assert found == (width * (sum(rows) - 2 * one), "x0 <= -1")


def test_rows_of_one_value_get_one_answer() -> None:
    data = prepare(Sample(X=[[0], [1], [1], [2]], y=(0,) * 4, k=1))
    for answers in [(1, 1, 0, 0), (0, 0, 1, 1), (0, 1, 0, 0)]:
        assert not is_stump(data, "classes", [(v,) for v in answers])
    for answers in [(1, 0, 0, 0), (0, 0, 0, 1)]:
        assert is_stump(data, "classes", [(v,) for v in answers])


def test_a_set_of_categories_is_found_by_the_sums_of_its_rows() -> None:
    X = [[name] for name in "abcd" for _ in range(2)]
    stumps = stumps_of(prepare(Sample(X=X, y=(0,) * 8, k=1)))
    weights = Weights(((1,), (2,), (1,), (1,), (3,), (1,), (1,), (1,)))
    truth = [(1,), (1,), (0,), (0,), (1,), (0,), (0,), (0,)]
    # a and c have class 1 but for a weight of 1, of 11
    assert largest_edge(stumps, "classes", 2, truth, weights) == (9, "x0 in {a, c}")
    # of signed weights 1, −2 and 4 the second against the others
    signed = stumps_of(prepare(Sample(X=[["a"], ["b"], ["c"]], y=(0,) * 3, k=1)))
    kinds: tuple[Kind, Kind] = ("one_sign", "two_sided")
    for kind in kinds:
        found = largest_edge(signed, kind, 1, [(1,), (-1,), (1,)], Weights(((1,), (2,), (4,))))
        assert found == (7, "x0 in {b}")


def test_what_is_cut_off_weights_is_less_than_the_last_digit_that_the_least_one_keeps() -> None:
    tiny, least = F(1, 2**600), (1 << 601) - 1
    found = boosting_weights._shortened(Weights(((least, 1 << 700),), tiny))
    [(kept, _)] = found.rows
    assert kept.bit_length() == boosting_weights.KEPT_BITS == 512
    lost = F(least, kept << (601 - 512)) - 1
    assert lost < found.error < F(1, 2**511) + 2 * tiny
