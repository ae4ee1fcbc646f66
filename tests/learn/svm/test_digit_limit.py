"""Exact searches stop with a named error where their numbers grow without measure."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import pytest

from refmc import (
    ExactnessLimitError,
    exact,
    fit_binary_svm,
    fit_hard_svm,
    fit_multiclass_svm,
    polynomial,
    solve_qp,
)

FITS = {
    "multi-class": partial(fit_multiclass_svm, C=1),
    "soft": partial(fit_binary_svm, C=1),
    "hard": fit_hard_svm,
}
each_fit = pytest.mark.parametrize("fit", FITS.values(), ids=FITS)
Fit = Callable[..., object]


@each_fit
def test_rows_of_very_many_digits_are_refused_at_once(fit: Fit) -> None:
    X = [[Fraction(1, 3**60_000)], [Fraction(1, 2)]]
    with pytest.raises(ExactnessLimitError, match="more than 20000 digits"):
        fit(X, [-1, 1])


@each_fit
def test_a_kernel_of_high_degree_is_refused_where_its_values_get_too_long(fit: Fit) -> None:
    X = exact([[3**60], [5**60], [7**60], [8**60]])
    with pytest.raises(ExactnessLimitError, match="fewer digits"):
        fit(X, [-1, 1, -1, 1], kernel=polynomial(1000, offset=1), guess=False)
    fit(X, [-1, 1, -1, 1], kernel=polynomial(4, offset=1), guess=False)


def test_a_program_of_very_long_numbers_is_refused() -> None:
    long = Fraction(10) ** 24_000
    with pytest.raises(ExactnessLimitError):
        solve_qp([[long]], [Fraction(1)])
    assert solve_qp([[1 + 1 / Fraction(10) ** 9_000]], [Fraction(0)]).x == (0,)
