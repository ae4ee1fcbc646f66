"""How the parts of a verdict are judged and put together."""

from fractions import Fraction as F

import pytest

from refmc.checker.numbers.enclosures import Enclosure
from refmc.checker.parts import (
    LEAST,
    MOST_VIOLATIONS,
    UNIT,
    Part,
    Ranged,
    bounded_claim,
    combined,
    enclosed_claim,
    exactly,
    ranged_claim,
    relative,
    worst_first,
)
from refmc.checker.verdict import Violation

ZERO, H, ONE, MICRO = F(0), F(1, 2), F(1), F(1, 10**6)


def test_a_claim_between_bounds_counts_by_the_least_scale_if_right_and_by_the_most_if_not() -> None:
    # the number is between 2 and 3, which are its scales, too
    two, three = F(2), F(3)
    for allowed, status, scale in (
        (F(1, 2), "VERIFIED", two), (F(1, 4), "INCONCLUSIVE", three), (F(0), "INCONCLUSIVE", three),
    ):  # fmt: skip
        part = bounded_claim("value", F(9, 4), two, three, allowed, (two, three))
        assert (part.status, part.gap, part.scale) == (status, F(3, 4), scale)
    # 4 is at least 1 off, and 2 at most
    for allowed, status in (F(1, 4), "REFUTED"), (F(1, 3), "INCONCLUSIVE"), (ONE, "VERIFIED"):
        part = bounded_claim("value", F(4), two, three, allowed, (two, three))
        assert part.status == status and part.gap == 2
        assert [v.amount for v in part.violations] == [1] * (status == "REFUTED")


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_below_the_smallest_normal_float_may_be_0_unless_nothing_is_allowed(
    sign: int,
) -> None:
    tiny = exactly(sign * LEAST / 2)
    part = enclosed_claim("value", tiny, ZERO, H)
    assert part.status == "VERIFIED" and part.gap == LEAST / 2 and part.scale == 2 * LEAST
    assert enclosed_claim("value", tiny, ZERO, ZERO).status == "REFUTED"
    for claim in LEAST, -LEAST:
        assert enclosed_claim("value", tiny, claim, H).status == "REFUTED"
    assert enclosed_claim("value", exactly(sign * LEAST), ZERO, H).status == "REFUTED"
    # the scale must be as small, and the value, whatever the scale is
    assert enclosed_claim("value", tiny, ZERO, F(1, 4), exactly(LEAST)).status == "REFUTED"
    assert (
        enclosed_claim("value", exactly(F(sign)), ZERO, H, exactly(LEAST / 2)).status == "REFUTED"
    )


def test_what_underflows_is_0_or_the_float_next_to_it_and_nothing_else() -> None:
    for sign in (1, -1):
        value = sign * (100 * UNIT + UNIT / 3)
        for claim, status in (
            (ZERO, "VERIFIED"), (100 * UNIT, "VERIFIED"), (101 * UNIT, "VERIFIED"),
            (99 * UNIT, "REFUTED"), (102 * UNIT, "REFUTED"), (100 * UNIT + UNIT / 2, "REFUTED"),
            (-100 * UNIT, "REFUTED"), (LEAST, "REFUTED"),
        ):  # fmt: skip
            part = enclosed_claim("value", exactly(value), sign * claim, MICRO)
            assert part.status == status, claim
            assert enclosed_claim("value", exactly(value), sign * claim, ZERO).status == "REFUTED"
    assert enclosed_claim("value", exactly(ZERO), ZERO, MICRO).scale == 0
    # what is 0 doesn't underflow, and no number so near to 0 that its float is 0 is another float
    for claim in (UNIT, -UNIT, LEAST / 2, F(1, 10**310)):
        assert enclosed_claim("value", exactly(ZERO), claim, MICRO).status == "REFUTED"
        assert enclosed_claim("value", exactly(UNIT / 5), claim, MICRO).status == "REFUTED"
    assert enclosed_claim("value", exactly(UNIT / 2), UNIT, MICRO).status == "VERIFIED"


def test_only_numbers_below_the_least_normal_float_underflow() -> None:
    for number, status in ((F(1, 2**1023), "VERIFIED"), (F(3, 2**1023), "REFUTED")):
        assert enclosed_claim("value", exactly(number), ZERO, MICRO).status == status


def test_a_scale_that_is_too_long_leaves_a_claim_open() -> None:
    part = enclosed_claim("value", exactly(H), H, MICRO, lambda bits: None)
    assert part.status == "INCONCLUSIVE" and "too many digits" in part.hint


def test_a_number_is_enclosed_until_it_decides() -> None:
    def third(bits: int) -> Enclosure:
        return Enclosure(F(1, 3) - F(1, 2**bits), F(1, 3) + F(1, 2**bits))

    for claim, status in (
        (F(1, 3), "INCONCLUSIVE"), (F(1, 3) + F(1, 2**4000), "REFUTED"),
        (F(1, 3) + F(1, 2**5000), "INCONCLUSIVE"),
    ):  # fmt: skip
        assert enclosed_claim("value", third, claim, ZERO).status == status
    # the first 64 digits are enough for what is allowed; the gap is that of the further end
    part = enclosed_claim("value", third, F(1, 3), F(1, 10**9))
    assert part.status == "VERIFIED" and part.gap == F(1, 2**64)
    assert part.scale == F(1, 3) - F(1, 2**64)
    wrong = enclosed_claim("value", third, F(1, 2), ZERO)
    assert wrong.violations[0].amount == F(1, 6) - F(1, 2**64)


def test_a_range_holds_both_of_its_ends() -> None:
    right = Ranged.of(F(3), F(8), F(1, 4))
    assert right == Ranged(F(3), ONE, F(5), F(8))
    for claim, status in (
        (ONE, "VERIFIED"), (F(5), "VERIFIED"), (F(99, 100), "REFUTED"), (F(501, 100), "REFUTED"),
    ):  # fmt: skip
        part = ranged_claim("value", claim, right)
        assert part.status == status and part.gap == abs(claim - 3) and part.scale == 8


def test_hinges_that_rounding_may_reach_count_and_others_do_not() -> None:
    # −1 of size 4 may just reach 0 at a quarter, and ½ of size 1 is there in any case
    for allowed, hinges in (
        (F(1, 4), Ranged(H, F(1, 4), F(3, 4), F(5))), (F(1, 5), Ranged(H, F(3, 10), F(7, 10), ONE)),
    ):  # fmt: skip
        terms = [Ranged.of(F(-1), F(4), allowed), Ranged.of(H, ONE, allowed)]
        assert Ranged.of_hinges(terms) == hinges


def test_gaps_are_ordered_relative_to_their_scales() -> None:
    ordered = [(ZERO, ZERO), (H, F(2)), (H, None), (ONE, ONE), (F(1, 9), ZERO), (ONE, ZERO)]
    keys = [relative(*pair) for pair in ordered]
    assert keys == sorted(keys) and relative(ZERO, ZERO) == relative(ZERO, ONE)


def test_a_verdict_has_the_worst_of_its_parts() -> None:
    wrong = [Violation(f"row {i}", "no", F(i % 4)) for i in range(7)]
    parts = [
        Part("VERIFIED", ONE, scale=F(4), apart=H),
        Part("INCONCLUSIVE", H, hint="why", scale=ONE),
        Part("REFUTED", None, tuple(wrong), "how", apart=F(1, 4)),
        Part("VERIFIED", hint="why"),
    ]
    verdict = combined("f", "", parts, ZERO, notes=["note"])
    assert verdict.status == "REFUTED" and (verdict.gap, verdict.scale) == (H, ONE)
    # what leaves a part open isn't told beside a refutation, unless another part says so
    assert verdict.hint == "how; why; note" and verdict.apart == H
    assert combined("f", "", parts[:3], ZERO).hint == "how"
    assert combined("f", "", parts[:2], ZERO).hint == "why"
    assert [v.amount for v in verdict.violations] == [3, 2, 2, 1, 1] and MOST_VIOLATIONS == 5
    assert combined("f", "", parts[:2], ZERO).status == "INCONCLUSIVE"
    assert combined("f", "", [parts[0], parts[3]], ZERO).status == "VERIFIED"
    nothing = combined("f", "", [parts[3]], ZERO)
    assert nothing.gap is nothing.scale is nothing.apart is None


def test_the_last_of_the_faults_shown_is_what_rounding_explains_least() -> None:
    shares = [None, F(1, 8), F(1, 8), None, F(1, 8), F(1, 4), None, F(1, 2), ZERO]
    faults = [Violation(f"row {i}", "no", F(9 - i), share) for i, share in enumerate(shares)]
    assert [v.place for v in worst_first(faults)] == ["row 0", "row 1", "row 2", "row 3", "row 6"]
    rounded = [fault for fault in faults if fault.relative is not None]
    assert worst_first(rounded) == [*rounded[:4], faults[7]]
    assert worst_first(faults[:5]) == faults[:5] and worst_first(faults[:0]) == []
