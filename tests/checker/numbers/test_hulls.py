"""Points as combinations of others."""

from fractions import Fraction as F

from refmc.checker.numbers.hulls import _exact_shares


def test_shares_that_are_determined_are_found_and_no_others() -> None:
    one, two, third = (F(1), F(1), F(0)), (F(1), F(2), F(0)), (F(0), F(3), F(1))
    target = [F(a + b * 3 + c * 5) for a, b, c in ((2, 1, 0), (2, 2, 3), (0, 0, 1))]
    assert _exact_shares(target, [one, two, third]) == [F(2), F(3), F(5)]
    assert _exact_shares(target, [one, two]) is None  # there are none
    assert _exact_shares([F(2), F(2), F(0)], [one, one]) is None  # there are several
