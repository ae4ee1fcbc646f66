"""When witnesses are asked for, and whose digits are counted."""

from collections.abc import Sequence
from fractions import Fraction as F
from functools import partial

import pytest

from refmc.checker.parts import Part
from refmc.checker.svm.duality import (
    SHARP,
    Bounds,
    Inquiry,
    Weighed,
    as_submitted,
    conclude,
    with_witnesses,
)
from refmc.checker.verdict import Place, Status, Verdict

ZERO, ONE = F(0), F(1)


def asked(
    status: Status, gap: F | None, width: F, thorough: bool = True, decided_by: int = 9
) -> list[int]:
    """Which of three witnesses are asked; the second finds nothing, and `decided_by` as many make
    an open verdict VERIFIED."""
    calls: list[int] = []

    def find(n: int) -> str | None:
        calls.append(n)
        return None if n == 1 else f"witness {n}"

    def weigh(known: Sequence[str]) -> Weighed:
        now: Status = "VERIFIED" if len(known) >= decided_by else status
        return Weighed([Part(now, gap, scale=ONE)], Bounds(1 - width, ONE, ZERO))

    inquiry = Inquiry("f", "", ZERO, ZERO, False)
    with_witnesses(inquiry, weigh, [partial(find, n) for n in range(3)], thorough)
    return calls


@pytest.mark.parametrize(("thorough", "first"), [(True, [0]), (False, [])])
def test_one_witness_sharpens_what_stands(thorough: bool, first: list[int]) -> None:
    width = F(1, 10)
    assert asked("REFUTED", ONE, width, thorough) == [0]
    assert asked("VERIFIED", ONE, width, thorough) == first
    # not where the gap is much larger than the width, or there is none, or the optimum is known
    for gap, narrow in (SHARP * width, width), (None, width), (ONE, ZERO):
        assert asked("REFUTED", gap, narrow, thorough) == []
        assert asked("VERIFIED", gap, narrow, thorough) == []


def test_what_is_open_asks_for_one_witness_after_another() -> None:
    for thorough in (True, False):
        assert asked("INCONCLUSIVE", ONE, F(1, 10), thorough) == [0, 1, 2]
        assert asked("INCONCLUSIVE", None, F(1, 10), thorough, decided_by=2) == [0, 1, 2]
        assert asked("INCONCLUSIVE", None, F(1, 10), thorough, decided_by=1) == [0]
        assert asked("INCONCLUSIVE", ONE, ZERO, thorough) == []


def test_what_is_right_counts_relative_to_the_least_that_the_optimum_may_be() -> None:
    assert Bounds(ONE, F(2), ONE).part(ZERO, F(1, 2)).scale == 1
    assert Bounds(ONE, F(2), ZERO).part(ONE, ONE).scale == 2


def test_digits_are_those_of_the_worst_gap_of_the_objective() -> None:
    bounds = Bounds(ONE, F(2), ONE)
    low, high = (Part("VERIFIED", F(1, n), scale=ONE) for n in (200, 100))
    other = Part("VERIFIED", F(1, 2), scale=F(3))
    for parts, counts, digits in (
        ([low, high], True, 2.3),  # 2 : 1/100
        ([low, high], False, None),
        ([low, high, other], True, None),
    ):
        inquiry = Inquiry("f", "", ONE, ZERO, counts)
        assert conclude(inquiry, Weighed(parts, bounds)).digits == digits
        assert conclude(inquiry, Weighed(parts, None)).digits is None


def test_up_to_a_hundredth_nothing_may_be_worse_than_no_weights() -> None:
    # w = 0 costs 1, an answer 1 + 10⁻⁹, which is within what is allowed of an optimum of 1 − 10⁻⁹
    tiny = F(1, 10**9)
    for allowed, told in (F(1, 100), ["REFUTED"]), (F(1, 99), []):
        bounds = Bounds(1 - tiny, 1 - tiny, allowed, ONE)
        assert [p.status for p in bounds.against_none(Place("w"), 1 + tiny)] == told


def test_rounding_explains_as_much_as_it_lessens_the_gap() -> None:
    for read, given, explained in (F(1, 4), F(1, 2), F(1, 4)), (F(1, 2), F(1, 4), ZERO):
        verdict = Verdict("VERIFIED", "f", "", read, ONE, None)
        assert as_submitted(verdict, [Part("VERIFIED", given)]).explained == explained


def test_what_may_cost_no_more_than_no_weights_is_left_open() -> None:
    tiny = F(1, 10**9)
    none, value, place = ONE + tiny, ONE + 2 * tiny, Place("weights")
    known = Bounds(ONE, ONE, F(1, 10**6), none)
    for least, status in ((None, "REFUTED"), (none, "INCONCLUSIVE"), (none + tiny / 2, "REFUTED")):
        assert [part.status for part in known.against_none(place, value, least)] == [status]
    assert not list(known.against_none(place, none))
    open_ = Bounds(ONE, none, F(1, 10**6), none)  # which may be the optimum themselves
    assert [part.status for part in open_.against_none(place, value)] == ["INCONCLUSIVE"]


def test_what_is_open_says_how_near_the_optimum_is_known() -> None:
    third, tiny = F(2, 3**100), F(1, 3**200)
    open_ = "a closer witness is needed: the optimum lies"
    of_shift = "judged for K + 1.0e-3 I; the optimum lies between 0 and 1: no more is known up to"
    for low, high, shift, hint in (
        (ZERO, ONE, ZERO, f"{open_} between 0 and 1"),
        (third, third + tiny, ZERO, f"{open_} within 3.8e-96 of ~3.88065e-48"),
        (ZERO, ONE, F(1, 1000), f"{of_shift} the rounding of K"),
    ):
        weighed = Weighed([Part("INCONCLUSIVE")], Bounds(low, high, ZERO))
        found = conclude(Inquiry("f", "", ZERO, shift, False), weighed).hint
        start = "the matrix of kernel values K is positive semi-definite up to rounding: "
        assert found == start * bool(shift) + hint


def test_digits_are_those_of_what_was_submitted() -> None:
    read, given = Part("VERIFIED", ZERO, scale=ONE), Part("REFUTED", F(1, 100), scale=ONE)
    weighed = Weighed([read], Bounds(ONE, ONE, ZERO), submitted=[given])
    found = conclude(Inquiry("f", "", ONE, ZERO, True), weighed)
    assert found and found.digits == 2


def test_rounding_explains_nothing_of_what_has_no_gap() -> None:
    for gap, given in (None, None), (None, ONE), (ONE, None):
        verdict = Verdict("INCONCLUSIVE", "f", "", gap, ONE, None)
        found = as_submitted(verdict, [Part("INCONCLUSIVE", given)])
        assert found.explained is None and found.gap == given
