"""Points as combinations of others."""

from fractions import Fraction as F

from refmc.checker.numbers.hulls import _exact_shares, _least_residual


def test_shares_that_are_determined_are_found_and_no_others() -> None:
    one, two, third = (F(1), F(1), F(0)), (F(1), F(2), F(0)), (F(0), F(3), F(1))
    target = [F(a + b * 3 + c * 5) for a, b, c in ((2, 1, 0), (2, 2, 3), (0, 0, 1))]
    assert _exact_shares(target, [one, two, third]) == [F(2), F(3), F(5)]
    assert _exact_shares(target, [one, two]) is None  # there are none
    assert _exact_shares([F(2), F(2), F(0)], [one, one]) is None  # there are several


def test_a_step_goes_on_only_while_the_residuals_fall() -> None:
    """a = 3/7 and b = 9/7 of two generators leave 40/7 of the target; and no less can be left, as
    u = (2/7, −4/7, 1) has entries of at most 1, u·target = 40/7 and u·g = 0 for both."""
    target, generators = [F(0), F(-3), F(4)], [[-3, 2, 2], [1, -3, -2]]
    assert _least_residual(target, generators, []) == F(40, 7)
