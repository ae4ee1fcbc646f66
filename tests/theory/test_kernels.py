"""Kernels, Gram matrices, their exact semi-definiteness, and the explicit RBF map."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product
from typing import Any, cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refmc import check, fit_binary_svm, fit_kernel_perceptron, fit_multiclass_svm, solve_problem
from refmc.core.sample import Matrix
from refmc.core.scalars import Number, exact, number_text
from refmc.errors import (
    DataError,
    ExactnessLimitError,
    FormatError,
    MixedArithmeticError,
    ParameterError,
)
from refmc.lectures import chang
from refmc.theory.grams import FloatRows, FractionRows, check_gram, gram, kernel_row, psd_witness
from refmc.theory.kernels import (
    RBF,
    Kernel,
    Linear,
    Polynomial,
    is_known,
    kernel_from_json,
    linear,
    polynomial,
    rbf,
    rbf_features,
)
from tests.drawn import ratios
from tests.support import Array

HALF = Fraction(1, 2)
DYADIC = st.integers(-6, 6).map(lambda n: Fraction(n, 4))
MODERATE = st.floats(-2, 2)
KERNELS = st.sampled_from(
    [linear, polynomial(2), polynomial(3, "1/2", 1), polynomial(1, 2, HALF), rbf("1/3"), rbf(0.7)]
)


@st.composite
def points(draw: st.DrawFn, most: int = 5) -> list[list[Fraction]]:
    """A few rows on a coarse grid, so that equal and opposite rows are frequent."""
    width = draw(st.integers(1, 3))
    row = st.lists(DYADIC, min_size=width, max_size=width)
    return draw(st.lists(row, min_size=1, max_size=most))


def exp_to_thirty_digits(exponent: Fraction) -> Decimal:
    with localcontext() as context:
        context.prec = 30
        return (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()


def form(K: FloatRows | FractionRows, v: Sequence[Fraction]) -> Fraction:
    """vᵀKv by the definition."""
    value = Fraction(0)
    for i, j in product(range(len(K)), repeat=2):
        value += v[i] * Fraction(K[i][j]) * v[j]
    return value


@given(points(), DYADIC.map(abs), DYADIC.map(lambda q: abs(q) + HALF), st.integers(1, 4))
def test_the_polynomial_kernel_is_the_formula_of_the_lecture(
    X: list[list[Fraction]], b: Fraction, a: Fraction, d: int
) -> None:
    K = polynomial(d, scale=a, offset=b)
    for u, v in product(X, repeat=2):
        inner = Fraction(0)
        for u_i, v_i in zip(u, v):
            inner += u_i * v_i
        value = Fraction(1)
        for _ in range(d):
            value *= inner / a + b
        found = K(u, v)
        assert type(found) is Fraction and found == value
        assert linear(u, v) == inner


@given(points())
def test_dyadic_rows_give_the_same_kernel_values_in_both_arithmetics(
    X: list[list[Fraction]],
) -> None:
    for kernel in (linear, polynomial(3, 2, "1/2")):
        rounded = gram(kernel, [[float(entry) for entry in row] for row in X])
        assert rounded == gram(kernel, X)
        assert all(type(value) is float for row in rounded for value in row)


@given(points(), ratios(Fraction(1, 9), 3, 9))
def test_the_rbf_kernel_is_within_two_units_of_the_true_exponential(
    X: list[list[Fraction]], gamma: Fraction
) -> None:
    for u, v in product(X, repeat=2):
        distance = Fraction(0)
        for u_i, v_i in zip(u, v):
            distance += (u_i - v_i) ** 2
        found = rbf(gamma)(u, v)
        true = exp_to_thirty_digits(-gamma * distance)
        # the exponent is rounded once: relative error gamma·distance·u in the value
        allowed = (2 + float(gamma * distance)) * math.ulp(found)
        assert type(found) is float
        assert abs(Decimal(found) - true) <= Decimal(allowed)


def test_exact_rows_are_not_rounded_before_they_are_subtracted() -> None:
    u, v = [10**20 + HALF], [Fraction(10**20)]
    assert float(u[0]) == float(v[0])
    assert rbf(1)(u, v) == math.exp(-0.25)


@pytest.mark.parametrize(
    ("gamma", "u", "v", "value"),
    [
        (1, [1e200], [0.0], 0.0),
        (1, [1e308], [-1e308], 0.0),
        (1, [1e308, 1e308], [0.0, 0.0], 0.0),
        (f"1/{2**1200}", [2.0**600], [0.0], math.exp(-1)),
        ("1e400", [1.0], [1.0], 1.0),
        ("1e400", [1.0], [0.5], 0.0),
        (1, [Fraction(10) ** 400], [Fraction(0)], 0.0),
        (0.25, [Fraction(2)], [Fraction(0)], math.exp(-1)),
    ],
)
def test_the_rbf_kernel_survives_distances_beyond_floats(
    gamma: Number, u: list[float] | list[Fraction], v: list[float] | list[Fraction], value: float
) -> None:
    assert rbf(gamma)(cast("list[float]", u), cast("list[float]", v)) == value


@pytest.mark.parametrize("kernel", [linear, polynomial(2), rbf(1)])
def test_called_by_themselves_kernels_follow_the_rules_of_data(
    kernel: Linear | Polynomial | RBF,
) -> None:
    assert type(kernel([1, 2], [3, 4])) is float
    whole = cast("list[Fraction]", [1, 2])
    assert kernel(whole, [HALF, HALF]) == kernel([Fraction(1), Fraction(2)], [HALF, HALF])
    with pytest.raises(MixedArithmeticError):
        kernel(cast("list[float]", [HALF]), [0.5])
    with pytest.raises(DataError, match="equal length, got 1 and 2"):
        kernel([1.0], [1.0, 2.0])
    with pytest.raises(DataError):
        kernel(cast("list[float]", ["a"]), [1.0])


@pytest.mark.parametrize("scale", [2, "2", "4/2", Decimal("2.0"), Fraction(2), 2.0])
def test_float_data_take_parameters_of_every_kind(scale: Number) -> None:
    assert polynomial(2, scale=scale)([1.0], [3.0]) == 2.25


@pytest.mark.parametrize("offset", [2, "2", "4/2", Decimal("2.0"), Fraction(2)])
def test_exact_data_take_every_parameter_but_floats(offset: Number) -> None:
    assert polynomial(2, offset=offset)([HALF], [HALF]) == Fraction(81, 16)
    with pytest.raises(MixedArithmeticError, match="offset=2.0 is a float"):
        polynomial(2, offset=2.0)([HALF], [HALF])


@pytest.mark.parametrize(
    ("degree", "scale", "offset", "message"),
    [
        (0, 1, 0, "degree: expected a whole number of at least 1, got 0"),
        (1.0, 1, 0, "degree: expected a whole number"),
        (True, 1, 0, "degree: expected a whole number"),
        (2, 0, 0, "scale: expected a positive number, got 0"),
        (2, "-1/2", 0, "scale: expected a positive number, got -1/2"),
        (2, math.nan, 0, "scale: expected a finite number"),
        (2, "x", 0, "scale: 'x' is not a number"),
        (2, 1, -0.5, "offset: expected at least 0, got -0.5; .* not positive semi-definite"),
        (2, 1, [1], "offset: expected one number, got list"),
    ],
)
def test_polynomial_parameters_out_of_range_are_refused(
    degree: object, scale: object, offset: object, message: str
) -> None:
    with pytest.raises(ParameterError, match=f"^{message}"):
        polynomial(cast(int, degree), cast(float, scale), cast(float, offset))


def test_values_that_are_too_long_are_refused_before_they_are_computed() -> None:
    for x, degree in ((10**50, 100), (10**9_000, 1), (Fraction(1, 10**50), 100)):
        assert polynomial(degree)([Fraction(x)], [Fraction(x)]) == Fraction(x) ** (2 * degree)
    for x, degree in ((10**50, 1000), (10**11_000, 1), (Fraction(1, 10**50), 1000)):
        with pytest.raises(ExactnessLimitError, match="more than 20000 digits; give a lower deg"):
            polynomial(degree)([Fraction(x)], [Fraction(x)])
        kernel = {"name": "polynomial", "degree": degree, "scale": 1, "offset": 0}
        problem: dict[str, Any] = {"family": "perceptron.kernel", "y": [1, -1], "kernel": kernel}
        problem["X"] = [[1], [number_text(Fraction(x))]]
        with pytest.raises(FormatError, match="problem.kernel: a kernel value has more than"):
            solve_problem(problem)
        with pytest.raises(FormatError, match="problem.kernel: a kernel value has more than"):
            check(problem, {"alpha": [1, 1]})


def test_a_degree_of_another_whole_type_becomes_an_int() -> None:
    class Two:  # as the whole numbers of arrays are
        def __index__(self) -> int:
            return 2

    assert polynomial(cast(int, Two())) == polynomial(2)


def test_a_negative_offset_would_not_be_positive_semi_definite() -> None:
    def refused(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
        return u[0] * v[0] - 1

    K = gram(refused, [[Fraction(0)], [Fraction(1)]])
    witness = psd_witness(K)
    assert witness is not None and form(K, witness) < 0


@pytest.mark.parametrize("gamma", [0, -1, "-1/2", math.inf, "x", None])
def test_rbf_parameters_out_of_range_are_refused(gamma: object) -> None:
    with pytest.raises(ParameterError, match="^gamma: "):
        rbf(cast(float, gamma))
    with pytest.raises(ParameterError, match="^gamma: "):
        rbf_features([1.0], cast(float, gamma), 2)


@given(KERNELS)
def test_kernels_are_saved_by_name_and_come_back_equal(kernel: Linear | Polynomial | RBF) -> None:
    assert is_known(kernel)
    loaded = kernel_from_json(json.loads(json.dumps(kernel.to_json())))
    assert loaded == kernel and type(loaded) is type(kernel)
    assert repr(loaded) == repr(kernel)  # float parameters come back as floats


def test_the_record_of_a_kernel_is_readable() -> None:
    assert linear.to_json() == {"name": "linear"}
    record = {"name": "polynomial", "degree": 2, "scale": "1", "offset": "1/2"}
    assert polynomial(2, offset="0.5").to_json() == record
    assert rbf(0.1).to_json() == {"name": "rbf", "gamma": 0.1}


def test_kernels_of_equal_parameters_are_equal_however_they_were_written() -> None:
    assert polynomial(2, "1/2") == polynomial(2, Fraction(1, 2)) == polynomial(2, Decimal("0.5"))
    assert linear == Linear()
    assert len({polynomial(1), linear, rbf(1), rbf("1.0"), rbf(2)}) == 4


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ([], "kernel: expected an object, got a list"),
        ("rbf", "kernel: expected an object, got a string"),
        ({}, "kernel: name: expected one of linear, polynomial, rbf; got None"),
        ({"name": "sigmoid"}, "kernel: name: expected one of linear, polynomial, rbf"),
        ({"name": ["rbf"]}, "kernel: name: expected one of"),
        ({"name": "rbf"}, "kernel: missing field 'gamma' for rbf"),
        ({"name": "linear", "gamma": 1}, "kernel: unknown field 'gamma' for linear"),
        ({"name": "rbf", "gamma": 1, "degree": 2}, "kernel: unknown field 'degree' for rbf"),
        ({"name": "rbf", "gamma": "0"}, "kernel: gamma: expected a positive number"),
        ({"name": "rbf", "gamma": None}, "kernel: gamma: "),
        ({"name": "rbf", "gamma": [1]}, "kernel: gamma: expected one number"),
        ({"name": "rbf", "gamma": math.nan}, "kernel: gamma: expected a finite number"),
        (
            {"name": "polynomial", "degree": "2", "scale": 1, "offset": 0},
            "kernel: degree: expected a whole number",
        ),
    ],
)
def test_records_that_name_no_kernel_are_refused_by_field(record: object, message: str) -> None:
    with pytest.raises(FormatError) as refusal:
        kernel_from_json(record)
    assert str(refusal.value).startswith(message)


@given(KERNELS, points(), points())
def test_gram_holds_the_kernel_of_each_pair(
    kernel: Linear | Polynomial | RBF, X: list[list[Fraction]], Z: list[list[Fraction]]
) -> None:
    K = gram(kernel, X)
    assert K == tuple(tuple(kernel(u, v) for v in X) for u in X)
    assert gram(kernel, X, X) == K
    width = min(len(X[0]), len(Z[0]))
    X, Z = [row[:width] for row in X], [row[:width] for row in Z]
    assert gram(kernel, X, Z) == tuple(tuple(kernel(u, v) for v in Z) for u in X)


def test_a_function_of_the_callers_is_asked_for_both_orders_of_each_pair() -> None:
    seen: list[tuple[Fraction, Fraction]] = []

    def recorded(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
        seen.append((u[0], v[0]))
        return u[0] * v[0]

    X = [[Fraction(i)] for i in range(4)]
    assert gram(recorded, X) == gram(linear, X)
    assert len(seen) == len(set(seen)) == 16


def test_lists_tuples_and_arrays_have_the_same_gram_matrix() -> None:
    X = [[1.0, 2.0], [3.0, 4.0]]
    expected = ((5.0, 11.0), (11.0, 25.0))
    assert gram(linear, X) == gram(linear, Array(X)) == expected
    assert gram(linear, tuple(map(tuple, X)), cast(Matrix, [Array(row) for row in X])) == expected


def test_whole_numbers_from_a_kernel_follow_the_data() -> None:
    def count(u: Sequence[float | Fraction], v: Sequence[float | Fraction]) -> int:
        return sum(a == b for a, b in zip(u, v))

    assert type(gram(count, [[HALF]])[0][0]) is Fraction
    assert type(gram(count, [[0.5]])[0][0]) is float


@pytest.mark.parametrize("bad", ["x", None, math.nan, math.inf, 1j, [1.0]])
def test_kernel_values_that_are_no_numbers_are_refused_by_place(bad: object) -> None:
    def broken(u: Sequence[float], v: Sequence[float]) -> float:
        return cast(float, bad) if u != v else 1.0

    with pytest.raises(DataError, match="^K of rows 0 and 1: expected a"):
        gram(broken, [[1.0], [2.0]])


def test_a_kernel_that_mixes_arithmetics_is_refused() -> None:
    def mixed(u: Sequence[Fraction], v: Sequence[Fraction]) -> float | Fraction:
        return u[0] if u == v else 1.0

    with pytest.raises(MixedArithmeticError, match="K of rows 0 and 0.*K of rows 0 and 1"):
        gram(mixed, [[HALF], [HALF + 1]])


@pytest.mark.parametrize(
    ("X", "Z", "message"),
    [
        ([], None, "X: expected at least one row"),
        ([[1.0]], [], "Z: expected at least one row"),
        ([[1.0]], [[1.0, 2.0]], "Z: row 0: expected 1 numbers, as X has, got 2"),
        ([[1.0], [1.0, 2.0]], None, "X: row 1 has 2 values"),
        ([[1.0]], [[math.nan]], "Z: row 0, column 0: expected a finite number"),
        ([[1e200]], None, "a sum is beyond the range of floats"),
    ],
)
def test_rows_that_cannot_be_used_are_refused(X: object, Z: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        gram(linear, cast(Matrix, X), cast("Matrix | None", Z))
    assert str(refusal.value).startswith(message)


@pytest.mark.parametrize("one", [Fraction(1), 1.0])
def test_a_function_that_is_not_symmetric_is_refused_with_its_two_values(one: Any) -> None:
    def skew(a: Any, b: Any) -> Any:
        return (a[0] * b[0] + 1) ** 2 + (a[0] - b[0]) / 100

    values = r"K of rows 1 and 0 is (9.01|901/100), but K of rows 0 and 1 is (8.99|899/100)"
    X: Any = [[one], [2 * one]]
    for use in (
        lambda: gram(skew, X),
        lambda: fit_multiclass_svm(X, [0, 1], C=1, kernel=skew),
        lambda: fit_binary_svm(X, [-1, 1], C=1, kernel=skew),
        lambda: fit_kernel_perceptron(X, [-1, 1], kernel=skew),  # both rows have a mistake
    ):
        with pytest.raises(DataError, match=f"^kernel: {values}; expected a symmetric function"):
            use()
    # a matrix of two sets of rows has no mirror image
    assert len(gram(skew, X[:1], X)[0]) == 2


@pytest.mark.parametrize(("x", "scale"), [(1e100, 1), (1e100, "1e-290")])
def test_polynomial_values_beyond_floats_are_refused(x: float, scale: Number) -> None:
    with pytest.raises(DataError, match="beyond the range of floats"):
        gram(polynomial(4, scale), [[x]])


@pytest.mark.parametrize("kernel", [linear, polynomial(2), rbf(1)])
def test_a_row_has_no_kernel_values_with_no_rows(kernel: Kernel) -> None:
    assert kernel_row(kernel, [], [1.0], 0.0) == ()


def test_a_row_far_from_all_but_one_has_its_kernel_values_with_each() -> None:
    rows = [[1e200], [0.0], [-1e200]]
    assert kernel_row(rbf(1), rows, [1e200], 0.0) == (1.0, 0.0, 0.0)


def test_a_row_of_kernel_values_has_the_arithmetic_of_the_data() -> None:
    rows, x = [[HALF], [Fraction(3)]], [Fraction(2)]
    assert kernel_row(linear, rows, x, Fraction(0)) == (Fraction(1), Fraction(6))
    with pytest.raises(MixedArithmeticError, match="kernel values: floats where"):
        kernel_row(rbf(1), rows, x, Fraction(0))


@pytest.mark.parametrize(
    ("K", "message"),
    [
        ([], "gram: expected at least one row"),
        ([[1.0, 2.0]], "gram: expected a square matrix, got 1 rows of 2"),
        ([[1.0], [2.0]], "gram: expected a square matrix, got 2 rows of 1"),
        (
            [[1, 2, 3], [2, 1, 4], [3, 5, 1]],
            "gram: row 2, column 1 is 5.0, but row 1, column 2 is 4.0",
        ),
        ([[0.0, 1.0], [math.nextafter(1, 2), 0.0]], "gram: row 1, column 0 is 1.0000000000000002"),
    ],
)
def test_matrices_that_are_not_square_and_symmetric_are_refused(K: object, message: str) -> None:
    with pytest.raises(DataError) as refusal:
        check_gram(cast(Matrix, K))
    assert str(refusal.value).startswith(message)


def test_a_gram_matrix_is_read_in_its_own_arithmetic() -> None:
    assert check_gram([[HALF, 1], [1, 2]]) == (((HALF, 1), (1, 2)), Fraction(0))
    rows, zero = check_gram(Array([[1, 0], [0, 1]]))
    assert rows == ((1.0, 0.0), (0.0, 1.0)) and type(rows[0][0]) is type(zero) is float


@given(points(), st.sampled_from([linear, polynomial(2), polynomial(3, "2/3", "1/5")]))
def test_exact_gram_matrices_of_rational_kernels_are_positive_semi_definite(
    X: list[list[Fraction]], kernel: Kernel
) -> None:
    assert psd_witness(gram(kernel, X)) is None


@given(points(3), st.integers(0, 2), st.integers(1, 50))
def test_a_witness_proves_a_gram_matrix_negative_that_was_lowered(
    X: list[list[Fraction]], i: int, digits: int
) -> None:
    singular = cast(FractionRows, gram(linear, [*X, *X]))  # each row stands twice
    K = [list(row) for row in singular]
    K[i % len(X)][i % len(X)] -= Fraction(1, 10**digits)
    witness = psd_witness(K)
    assert witness is not None and form(tuple(map(tuple, K)), witness) < 0


def test_a_rounded_rbf_gram_matrix_of_near_points_is_not_positive_semi_definite() -> None:
    K = gram(rbf(1), [[0.0], [2.0**-27], [2.0**-26]])
    u = 2.0**-53
    assert K[0] == (1.0, 1.0, 1 - 2 * u)  # true values: 1 − u/2 + …, 1 − 2u + …
    assert form(K, [Fraction(1), Fraction(-2), Fraction(1)]) == Fraction(-4 * u)
    witness = psd_witness(K)
    assert witness is not None and form(K, witness) < 0
    assert psd_witness(cast(Matrix, exact(K))) == witness


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5))
@example([0.0, 2.0**-27, 2.0**-26])
def test_the_decision_on_rounded_rbf_matrices_comes_with_a_proof(xs: list[float]) -> None:
    K = gram(rbf(1), [[x] for x in xs])
    witness = psd_witness(K)
    if witness is not None:
        assert form(K, witness) < 0
    # a symmetric matrix is positive semi-definite if and only if no principal minor is negative
    lifted = [[Fraction(value) for value in row] for row in K]
    sizes = range(1, len(xs) + 1)
    chosen = [rows for size in sizes for rows in combinations(range(len(xs)), size)]
    minors = [determinant([[lifted[i][j] for j in rows] for i in rows]) for rows in chosen]
    assert (witness is None) == (min(minors) >= 0)


def determinant(rows: list[list[Fraction]]) -> Fraction:
    """By the first row, over and over."""
    if not rows:
        return Fraction(1)
    first, rest = rows[0], rows[1:]
    return sum(
        (
            (-1) ** j * a * determinant([row[:j] + row[j + 1 :] for row in rest])
            for j, a in enumerate(first)
        ),
        Fraction(0),
    )


@given(MODERATE, st.floats(0.1, 2), st.integers(0, 8))
def test_of_a_number_the_map_is_the_lecture_s(x: float, gamma: float, order: int) -> None:
    found = rbf_features(x, gamma, order)
    assert found == pytest.approx(chang.phi_rbf(x, gamma, order), rel=1e-13, abs=1e-290)
    assert found == rbf_features([x], gamma, order)


def test_coordinates_stand_by_degree_with_higher_powers_of_earlier_variables_first() -> None:
    x, y = 0.5, 0.25
    scale = math.exp(-(x**2 + y**2) / 2)  # gamma = 1/2, so that (2·gamma)^|a| = 1
    monomials = [1, x, y, x**2, x * y, y**2, x**3, x**2 * y, x * y**2, y**3]
    factorials = [1, 1, 1, 2, 1, 2, 6, 2, 2, 6]
    expected = [scale * m / math.sqrt(f) for m, f in zip(monomials, factorials)]
    assert rbf_features([x, y], "1/2", 3) == pytest.approx(expected, rel=1e-14)
    assert rbf_features([HALF, Fraction(1, 4)], "1/2", 3) == rbf_features([x, y], "1/2", 3)


@given(st.integers(1, 4), st.integers(0, 4))
def test_the_coordinates_number_as_the_monomials(d: int, order: int) -> None:
    by_enumeration = sum(sum(a) <= order for a in product(range(order + 1), repeat=d))
    assert len(rbf_features([1.0] * d, 1, order)) == by_enumeration == math.comb(d + order, d)


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.lists(st.tuples(MODERATE, MODERATE), min_size=d, max_size=d)
    ),
    st.floats(0.05, 1),
    st.integers(0, 7),
)
@example([(1.0, 1.0)], 1.0, 0)
@example([(2.0, -2.0)], 1.0, 3)
def test_inner_products_of_the_map_miss_the_kernel_by_less_than_the_taylor_remainder(
    pairs: list[tuple[float, float]], gamma: float, order: int
) -> None:
    x, z = [a for a, _ in pairs], [b for _, b in pairs]
    found = math.fsum(
        a * b for a, b in zip(rbf_features(x, gamma, order), rbf_features(z, gamma, order))
    )
    t = 2 * gamma * math.fsum(a * b for a, b in pairs)
    norms = math.fsum(a * a + b * b for a, b in pairs)
    remainder = (
        math.exp(-gamma * norms + max(t, 0.0)) * abs(t) ** (order + 1) / math.factorial(order + 1)
    )
    rounding = 1e-13  # coordinates have relative errors below 100 roundings, and norms up to 1
    assert abs(found - rbf(gamma)(x, z)) <= remainder * (1 + 1e-12) + rounding


def test_the_map_reaches_the_kernel_and_no_cut_of_low_order_does() -> None:
    x, z, kernel = [1.0, -0.5], [0.75, 0.5], rbf(1)

    def gap(order: int) -> float:
        pairs = zip(rbf_features(x, 1, order), rbf_features(z, 1, order))
        return abs(math.fsum(a * b for a, b in pairs) - kernel(x, z))

    assert gap(0) > 1e-2 and gap(20) < 1e-15
    assert gap(0) > gap(2) > gap(4) > gap(8)


@pytest.mark.parametrize("x", [1e200, -1e308])
def test_far_points_have_features_of_zero_and_no_nan(x: float) -> None:
    assert rbf_features(x, "1e300", 3) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("x", "order", "error"),
    [
        ([], 1, DataError),
        ("1", 1, DataError),
        ([math.nan], 1, DataError),
        ([[1.0]], 1, DataError),
        ([1.0], -1, ParameterError),
        ([1.0], 1.5, ParameterError),
    ],
)
def test_features_of_what_is_no_row_are_refused(
    x: object, order: object, error: type[Exception]
) -> None:
    with pytest.raises(error):
        rbf_features(cast("list[float]", x), 1, cast(int, order))
