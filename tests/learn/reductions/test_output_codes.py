"""Output codes: matrices, decoding and training against the lecture's example and direct rules."""

import math
import random
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from functools import partial
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import fit_hard_svm
from refmc.core.logs import Log
from refmc.core.records import parse_json
from refmc.core.ties import argmin_set, first, last
from refmc.errors import DataError, FormatError, MixedArithmeticError, ParameterError
from refmc.learn.online.perceptron import fit_perceptron
from refmc.learn.reductions import one_vs_all, one_vs_one
from refmc.learn.reductions.members import ABSENT, BinaryStep
from refmc.learn.reductions.one_vs_all import fit_one_vs_all
from refmc.learn.reductions.one_vs_one import fit_one_vs_one
from refmc.learn.reductions.output_codes import (
    Rows,
    all_pairs_code,
    code_faults,
    exhaustive_code,
    minimum_distance,
    one_vs_all_code,
    random_code,
    read_code,
)
from refmc.learn.reductions.output_decoding import hamming_decoding, loss_decoding, nearest_rows
from refmc.learn.reductions.output_model import OutputCode, fit_output_code, output_code_from_record
from refmc.learn.svm.binary import fit_binary_svm
from refmc.learn.svm.binary_model import model_from_record
from refmc.lectures import keshet
from refmc.theory.losses import exponential, hinge, logistic, perceptron_loss
from tests.support import Array, reloaded, table

svm = partial(fit_binary_svm, C=1)
halves = st.integers(-4, 4).map(lambda n: F(n, 2))
THREE = [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]]

KESHET_F = [F(1, 2), F(-7), F(-1), F(-2), F(-10), F(-12), F(9)]
KESHET_M = [
    [-1, 0, -1, -1, +1, -1, -1],
    [+1, -1, 0, +1, +1, +1, -1],
    [+1, 0, -1, -1, -1, +1, +1],
    [-1, -1, +1, 0, -1, -1, +1],
]


def mean_difference(X: Sequence[Sequence[F]], y: Sequence[int]) -> Callable[[Sequence[F]], F]:
    """A learner of a few lines: w is the mean of the rows of +1 minus that of −1, without bias."""
    means = []
    for side in (1, -1):
        rows = [x for x, s in zip(X, y, strict=True) if s == side]
        means.append([sum(column, F(0)) / len(rows) for column in zip(*rows)])
    w = [a - b for a, b in zip(*means, strict=True)]
    return lambda x: sum((a * b for a, b in zip(w, x, strict=True)), F(0))


def negated(z: F) -> F:
    """The loss −z, whose sums over the pairs of a class are minus its score sum."""
    return -z


@st.composite
def labelled(draw: Any) -> tuple[list[list[F]], list[str]]:
    """Rows of two columns with every label of abcd at least once."""
    y = [*"abcd", *draw(st.lists(st.sampled_from("abcd"), max_size=3))]
    return [[draw(halves), draw(halves)] for _ in y], y


def test_the_lectures_example_has_its_eight_distances() -> None:
    assert hamming_decoding(KESHET_M, KESHET_F) == (F(7, 2), F(9, 2), F(3, 2), F(5, 2))
    distances = loss_decoding(KESHET_M, KESHET_F, exponential)
    assert [f"{d:.2f}" for d in distances] == ["30132.70", "192893.34", "162756.90", "5.37"]
    assert nearest_rows(KESHET_M, KESHET_F) == (2,)
    assert nearest_rows(KESHET_M, KESHET_F, exponential) == (3,)


def test_the_lectures_example_cannot_be_trained() -> None:
    faults = code_faults(KESHET_M)
    assert faults.one_sided == (1,)  # no class is +1 in the second column
    assert faults.equal_columns == ((0, 5),)
    assert not faults.equal_rows
    with pytest.raises(ParameterError, match="column 1 lacks"):
        fit_output_code([[F(i)] for i in range(4)], range(4), svm, KESHET_M)


def test_the_minimum_is_over_the_rows_that_the_distance_contains() -> None:
    # printed under the arg min is y, but d(M(r), f) varies with r alone
    by_rows = [hamming_decoding([row], KESHET_F)[0] for row in KESHET_M]
    assert tuple(by_rows) == hamming_decoding(KESHET_M, KESHET_F)
    for fixed in range(4):
        over_y = [by_rows[fixed] for _ in range(4)]
        assert argmin_set(over_y) == (0, 1, 2, 3)  # as printed every class is a minimiser
    assert argmin_set(by_rows) == (2,)


def test_the_summands_printed_for_the_example_lack_the_minus_of_the_loss() -> None:
    def distance(row: Sequence[int], sign: int) -> str:
        return f"{sum(math.exp(sign * m * f) for m, f in zip(row, KESHET_F)):.2f}"

    # exp(−1 · 0.5) + exp(0 · −7) + …: 0.61 + 1 + 2.72 + 7.39 + 0.00 + 162754.79 + 0.00
    assert distance(KESHET_M[0], +1) == "162766.51"
    of_the_loss = [distance(row, -1) for row in KESHET_M]
    assert of_the_loss == ["30132.70", "192893.34", "162756.90", "5.37"]  # the printed totals


def test_hamming_ties_where_losses_decide() -> None:
    code, f = [[1, 1], [-1, -1]], [F(3), F(-1)]
    assert list(hamming_decoding(code, f)) == [1, 1]
    assert list(loss_decoding(code, f, hinge)) == [2, 4]
    assert nearest_rows(code, f) == (0, 1)
    assert nearest_rows(code, f, hinge) == nearest_rows(code, f, exponential) == (0,)
    assert nearest_rows(code, f, logistic) == (0,)


def test_zeros_of_code_and_score_count_half() -> None:
    assert hamming_decoding([[0, 1], [1, -1]], [2.0, 0.0]) == (F(1), F(1, 2))
    assert hamming_decoding([[0], [1], [-1]], [F(0)]) == (F(1, 2),) * 3


@given(st.lists(halves, min_size=6, max_size=6))
def test_exponential_ties_are_equal_multisets_of_exponents(f: list[F]) -> None:
    code = all_pairs_code(4)
    expected = tuple(keshet.loss_based_decoding(code, f, "boosting"))
    assert nearest_rows(code, f, exponential) == expected
    assert nearest_rows(code, [float(v) for v in f], exponential) == expected


def test_exponential_sums_that_floats_make_equal_are_told_apart() -> None:
    tiny = F(1, 10**30)
    f = [F(1), F(1) + tiny]
    code = [[1, -1], [-1, 1]]
    assert len(set(loss_decoding(code, f, exponential))) == 1
    assert nearest_rows(code, f, exponential) == (1,)
    assert nearest_rows(code, f, logistic) == (1,)
    assert nearest_rows(code, f, hinge) == (1,)
    assert nearest_rows(code, [F(1), F(1)], logistic) == (0, 1)


def test_sums_of_float_hinges_are_compared_without_rounding() -> None:
    # 1 - 2^-60 rounds to 1: the losses are equal in floats, and the numbers are not
    code, f = [[1], [-1]], [2.0**-60]
    assert loss_decoding(code, f, hinge) == (1.0, 1.0)
    assert nearest_rows(code, f, hinge) == (0,)


def test_scores_beyond_the_range_of_exponentials_are_decided() -> None:
    code, f = [[1, 1], [1, -1], [-1, -1]], [1e300, -2.0]
    with pytest.raises(DataError, match="range of floats"):
        loss_decoding(code, f, exponential)
    assert nearest_rows(code, f, exponential) == nearest_rows(code, f, logistic) == (1,)
    assert nearest_rows(code, [F(10) ** 400, F(1)], exponential) == (0,)


def test_decoding_refuses_what_it_cannot_read() -> None:
    code = [[1, 0], [-1, 1]]
    cases: list[tuple[Any, type[Exception], str]] = [
        ([1.0], DataError, "f: expected 2 scores, one a column, got 1"),
        ([1.0, float("nan")], DataError, "f: position 1"),
        ([1.0, "2"], DataError, "f: position 1"),
        ([1.0, None], DataError, "f: position 1"),
        ([1.0, F(1)], MixedArithmeticError, "f: position"),
        ("12", DataError, "f: expected a sequence of scores"),
    ]
    for f, error, match in cases:
        for decode in (hamming_decoding, partial(nearest_rows, loss=hinge)):
            with pytest.raises(error, match=match):
                decode(code, f)
    with pytest.raises(DataError, match="exact logarithms"):
        loss_decoding(code, [Log([(2, 1)]), Log()], hinge)
    assert hamming_decoding(code, [Log([(2, 1)]), Log()]) == (F(1, 2), F(3, 2))
    for bad, match in [
        ([[1, 2]], "code: row 0, column 1"),
        ([[1], [1, -1]], "code: row 1 has 2 entries"),
        ([], "code: expected a sequence of rows"),
        ([7], "code: row 0"),
        ([["1"]], "code: row 0, column 0"),
    ]:
        with pytest.raises(DataError, match=match):
            read_code(bad)  # type: ignore[arg-type]  # refused


def test_the_named_codes_are_valid_and_have_their_distances() -> None:
    for k in range(2, 8):
        pairs = k * (k - 1) // 2
        for code in (one_vs_all_code(k), all_pairs_code(k), exhaustive_code(k)):
            assert code_faults(code).explain() == ""
            assert len(code) == k
        assert len(all_pairs_code(k)[0]) == pairs
        assert len(exhaustive_code(k)[0]) == 2 ** (k - 1) - 1
        assert minimum_distance(all_pairs_code(k)) == F(pairs - 1, 2) + 1
        assert minimum_distance(exhaustive_code(k)) == max(1, 2 ** (k - 2))
        assert minimum_distance(one_vs_all_code(k)) == (2 if k > 2 else 1)
    assert one_vs_all_code(2) == all_pairs_code(2) == exhaustive_code(2) == ((1,), (-1,))
    assert one_vs_all_code(1) == all_pairs_code(1) == exhaustive_code(1) == ((),)


def test_fewer_wrong_signs_than_half_the_distance_leave_the_right_row_alone_the_nearest() -> None:
    code = exhaustive_code(4)
    assert minimum_distance(code) == 4
    for r, row in enumerate(code):
        for wrong in range(len(row)):
            f = [F(-m if s == wrong else m) for s, m in enumerate(row)]
            assert nearest_rows(code, f) == (r,)
    # two wrong signs, in columns where rows 0 and 1 differ, lie half way between them
    apart = [s for s in range(len(code[0])) if code[0][s] != code[1][s]][:2]
    f = [F(code[1][s] if s in apart else m) for s, m in enumerate(code[0])]
    assert {0, 1} <= set(nearest_rows(code, f))


def test_the_exhaustive_code_has_every_partition_once() -> None:
    columns = set(zip(*exhaustive_code(4)))
    everything = set(product((-1, 1), repeat=4)) - {(1,) * 4, (-1,) * 4}
    assert columns | {tuple(-v for v in c) for c in columns} == everything
    assert len(columns) == len(everything) // 2


def test_faults_name_rows_and_columns() -> None:
    faults = code_faults([[1, -1, 1, 1], [1, -1, 1, 1], [-1, 1, -1, 0], [0, 0, 0, 0]])
    assert faults.equal_rows == ((0, 1),)
    assert faults.zero_rows == (3,)
    assert faults.one_sided == (3,)
    assert faults.equal_columns == ((0, 2),)
    assert faults.opposite_columns == ((0, 1), (1, 2))
    assert faults
    assert "rows 0 and 1 are equal" in faults.explain()
    with pytest.raises(DataError, match="single row"):
        minimum_distance([[1, -1]])


def test_a_random_code_of_four_classes_and_two_bits_has_all_four_rows() -> None:
    for seed in range(30):
        code = random_code(4, 2, random.Random(seed))
        assert set(code) == set(product((-1, 1), repeat=2))
        assert code == random_code(4, 2, random.Random(seed))
    with pytest.raises(ParameterError, match="ran out"):
        random_code(4, 2, [1, 1, -1, 1] * 5)


@given(st.integers(2, 6), st.integers(1, 8), st.booleans(), st.integers(0, 9))
def test_a_random_code_is_valid_or_a_clear_error(
    k: int, bits: int, sparse: bool, seed: int
) -> None:
    try:
        code = random_code(k, bits, random.Random(seed), sparse=sparse)
    except ParameterError as error:
        assert str(error).startswith(("bits:", "draws: ran out"))
        return
    assert (len(code), {len(row) for row in code}) == (k, {bits})
    assert not code_faults(code)
    assert sparse or all(entry for row in code for entry in row)


def test_random_codes_that_cannot_exist_are_refused_before_any_draw() -> None:
    never: Any = iter(())
    with pytest.raises(ParameterError, match="bits: 2 give 4 different rows"):
        random_code(5, 2, never)
    with pytest.raises(ParameterError, match="bits: 1 give 2 different rows"):
        random_code(3, 1, never, sparse=True)
    with pytest.raises(ParameterError, match="3 classes have 3 different columns; got 4"):
        random_code(3, 4, never)
    with pytest.raises(ParameterError, match="k: expected"):
        random_code(1, 1, never)
    with pytest.raises(ParameterError, match="draws: position 1"):
        random_code(2, 1, [1, 0])
    with pytest.raises(ParameterError, match="draws: expected entries"):
        random_code(2, 1, 5)  # type: ignore[arg-type]  # refused
    with pytest.raises(ParameterError, match="k: an exhaustive code of 1000"):
        exhaustive_code(10**5000)
    with pytest.raises(ParameterError, match="2\\^16 - 1 columns"):
        exhaustive_code(17)
    for code in (one_vs_all_code, all_pairs_code, exhaustive_code):
        with pytest.raises(ParameterError, match="k: expected a whole number of at least 1, got 0"):
            code(0)
    with pytest.raises(ParameterError, match="bits: expected a whole number of at least 1, got 0"):
        random_code(2, 0, never)


def test_the_rooms_for_columns_are_counted_right() -> None:
    for k, values in product((2, 3, 4), ((-1, 1), (-1, 0, 1))):
        usable = {column for column in product(values, repeat=k) if {1, -1} <= set(column)}
        count = len(usable) // 2  # opposite columns are the same problem
        with pytest.raises(ParameterError, match=f"{k} classes have {count} different columns"):
            random_code(k, count + 1, [], sparse=0 in values)
        with pytest.raises(ParameterError, match="draws: ran out"):
            random_code(k, count, [], sparse=0 in values)


@given(labelled())
def test_one_vs_all_as_a_code_predicts_as_the_direct_one(data: Any) -> None:
    X, y = data
    by_code = partial(fit_output_code, X, y, mean_difference, one_vs_all_code(4))
    by_score = fit_one_vs_all(X, y, mean_difference)
    by_claim = fit_one_vs_all(X, y, mean_difference, decide=one_vs_all.by_claim)
    for x in X:
        assert by_code().predict_set(x) == by_claim.predict_set(x)
        for loss in (hinge, exponential, logistic):
            assert by_code(loss=loss).predict_set(x) == by_score.predict_set(x)


@given(labelled())
def test_all_pairs_as_a_code_predicts_as_the_direct_one(data: Any) -> None:
    X, y = data
    by_code = partial(fit_output_code, X, y, mean_difference, all_pairs_code(4))
    by_votes = fit_one_vs_one(X, y, mean_difference)
    by_sum = fit_one_vs_one(X, y, mean_difference, decide=one_vs_one.by_score_sum)
    for x in X:
        assert by_code().predict_set(x) == by_votes.predict_set(x)
        assert by_code(loss=negated).predict_set(x) == by_sum.predict_set(x)
        assert by_code(loss=negated).scores(x) == by_sum.scores(x)


def test_a_column_is_trained_without_the_rows_it_omits() -> None:
    seen: list[Any] = []
    steps: list[BinaryStep] = []

    def binary(X: Any, y: Any) -> Callable[[Any], F]:
        seen.append(([row[0] for row in X], list(y)))
        return lambda x: F(1)

    code = [[1, 1], [0, -1], [-1, -1]]
    fit_output_code(
        [[F(t)] for t in range(4)], ["c", "a", "b", "c"], binary, code, on_step=steps.append
    )
    assert seen == [([0, 1, 3], [-1, 1, -1]), ([0, 1, 2, 3], [-1, 1, -1, -1])]
    assert [(s.positive, s.negative, s.rows) for s in steps] == [
        (("a",), ("c",), 3),
        (("a",), ("b", "c"), 4),
    ]


def test_bad_codes_are_refused() -> None:
    fit = partial(fit_output_code, THREE, ["a", "b", "c"], svm)
    cases: list[tuple[list[list[int]], str]] = [
        ([[1], [-1], [-1]], "rows 1 and 2 are equal"),
        ([[1, -1], [-1, 1], [0, 0]], "row 2 has only zeros"),
        ([[1, 1], [-1, 1], [0, 1]], "column 1 lacks"),
        ([[1, 1], [-1, -1], [0, 0]], "row 2 has only zeros"),
        ([[1], [-1]], "expected 3 rows, one a class, got 2"),
        ([[]], "expected 3 rows, one a class, got 1"),
    ]
    for code, match in cases:
        with pytest.raises(ParameterError, match=match):
            fit(code)


def test_a_loss_that_is_no_function_is_refused() -> None:
    named: Any = "hinge"
    with pytest.raises(ParameterError, match="loss: expected a function .* got 'hinge'"):
        fit_output_code(THREE, ["a", "b", "c"], svm, exhaustive_code(3), loss=named)
    with pytest.raises(ParameterError, match="loss: expected a function .* got 'hinge'"):
        loss_decoding(exhaustive_code(3), [F(1)] * 3, named)


def test_one_class_is_constant_and_two_make_one_column() -> None:
    one = fit_output_code([[F(1)]], ["a"], svm, one_vs_all_code(1))
    assert (one.predict([[F(3)]]), one.predict_set([F(3)])) == (["a"], ("a",))
    for loss in (None, hinge, exponential, logistic):
        two = fit_output_code([[F(1)], [F(-1)]], ["a", "b"], svm, one_vs_all_code(2), loss=loss)
        assert two.predict([[F(1)], [F(-1)]]) == ["a", "b"]
        assert two.predict_set([F(0)]) == ("a", "b")
        assert len(two.models) == 1


@pytest.mark.parametrize("loss", [None, hinge, exponential, logistic])
def test_a_class_without_rows_skips_columns_and_is_never_predicted(loss: Any) -> None:
    steps: list[BinaryStep] = []
    code = all_pairs_code(3)
    model = fit_output_code(
        [[F(1)], [F(-1)]],
        ["a", "c"],
        svm,
        code,
        classes=["a", "b", "c"],
        loss=loss,
        on_step=steps.append,
    )
    assert model.skipped == (0, 2)
    assert [step.model is None for step in steps] == [True, False, True]
    assert model.answers([F(1, 2)]) == (0, F(1, 2), 0)
    assert model.scores([F(1, 2)])[1] == ABSENT
    for t in range(-3, 4):
        assert "b" not in model.predict_set([F(t)])


def test_scores_are_minus_the_distances_and_ties_follow_the_policy() -> None:
    def fit(**choices: Any) -> OutputCode:
        return fit_output_code(
            [[F(0)], [F(2)], [F(4)]],
            ["a", "b", "c"],
            fit_hard,
            [[1, 1], [-1, 1], [-1, -1]],
            **choices,
        )

    fit_hard = partial(fit_binary_svm, C=9)
    model = fit()
    assert model.scores([F(1)]) == tuple(-d for d in model.distances([F(1)]))
    assert model.predict_set([F(1)]) == ("a", "b")
    assert model.predict([[F(1)]]) == ["a"]
    assert fit(tie=last).predict([[F(1)]]) == ["b"]
    assert fit(loss=hinge).predict_set([F(1)]) == ("a", "b")


def test_floats_predict_as_their_fractions() -> None:
    floats = [[float(v) for v in row] for row in THREE]
    for loss in (None, hinge, exponential, logistic):
        fit = partial(fit_output_code, y=["a", "b", "c"], binary=svm, code=one_vs_all_code(3))
        exact_one, float_one = fit(X=THREE, loss=loss), fit(X=floats, loss=loss)
        assert exact_one.predict(THREE) == float_one.predict(floats) == ["a", "b", "c"]


def test_iris_is_decoded_as_it_is_decided_directly() -> None:
    X, y = table("iris.csv")
    learner = partial(fit_perceptron, epochs=20, bias=True)
    pairs = fit_one_vs_one(X, y, learner)
    coded = fit_output_code(X, y, learner, all_pairs_code(3))
    assert coded.models == pairs.models
    assert [coded.predict_set(x) for x in X] == [pairs.predict_set(x) for x in X]
    alone = fit_one_vs_all(X, y, learner)
    for loss in (hinge, exponential, logistic):
        coded = fit_output_code(X, y, learner, one_vs_all_code(3), loss=loss)
        assert [coded.predict_set(x) for x in X] == [alone.predict_set(x) for x in X]
    setosa = [label == "setosa" for label in y]
    assert [label == "setosa" for label in pairs.predict(X)] == setosa


def test_lists_tuples_and_arrays_give_the_same_models() -> None:
    y = ["a", "b", "c"]
    code = exhaustive_code(3)
    turned = [tuple(row) for row in THREE]
    others: list[Any] = [(turned, tuple(y), code), (Array(THREE), Array(y), Array(code))]
    for X, labels, M in others:
        assert fit_output_code(X, labels, svm, M) == fit_output_code(THREE, y, svm, code)
        assert fit_one_vs_one(X, labels, svm) == fit_one_vs_one(THREE, y, svm)
        assert fit_one_vs_all(X, labels, svm) == fit_one_vs_all(THREE, y, svm)
    found = hamming_decoding(Array(KESHET_M), Array([float(v) for v in KESHET_F]))
    assert found == hamming_decoding(KESHET_M, KESHET_F)


def test_threads_train_the_same_models() -> None:
    fit = partial(fit_output_code, THREE, ["a", "b", "c"], svm, exhaustive_code(3))
    with ThreadPoolExecutor(2) as pool:
        assert fit(executor=pool) == fit()


def test_a_saved_model_comes_back_equal() -> None:
    for loss in (None, hinge, exponential, logistic, perceptron_loss):
        model = fit_output_code(THREE, ["a", "b", "c"], svm, exhaustive_code(3), loss=loss)
        record = parse_json(model.to_json(), "model")
        assert output_code_from_record(record, first, model_from_record) == model
    single: Rows = one_vs_all_code(1)
    alone = fit_output_code(THREE, ["a"] * 3, svm, single)
    record = parse_json(alone.to_json(), "model")
    assert output_code_from_record(record, first, model_from_record) == alone


def test_what_cannot_be_saved_or_loaded_is_named() -> None:
    fit = partial(fit_output_code, THREE, ["a", "b", "c"])
    with pytest.raises(ParameterError, match="loss: .* can't be saved"):
        fit(svm, exhaustive_code(3), loss=negated).to_json()
    with pytest.raises(ParameterError, match="binary problem 0: .* can't be saved"):
        fit(mean_difference, exhaustive_code(3)).to_json()
    record = dict(parse_json(fit(svm, exhaustive_code(3)).to_json(), "model"))
    for name, value, match in [
        ("code", [[1], [-1]], "model.code: expected 3 rows"),
        ("code", [[1], [-1], [2]], "model.code: code: row 2, column 0"),
        ("binary", [None], "model.binary: expected 3 models, got 1"),
        ("loss", "squared", "model.loss: unknown"),
        ("present", [5], "model.present"),
    ]:
        with pytest.raises(FormatError, match=match):
            output_code_from_record(record | {name: value}, first, model_from_record)


def test_equal_columns_of_exhaustive_codes_are_found_without_comparing_all_pairs() -> None:
    code = exhaustive_code(12)
    assert not code_faults(code)
    assert minimum_distance(code) == 2**10
    assert len(list(combinations(code, 2))) == 66


def test_all_rows_of_signs_make_a_code_and_one_more_class_does_not() -> None:
    code = random_code(8, 3, random.Random(1))
    assert sorted(code) == list(product((-1, 1), repeat=3))
    with pytest.raises(ParameterError, match="bits: 3 give 8 different rows, fewer than k=9"):
        random_code(9, 3, random.Random(1))


def test_the_lectures_code_of_two_classes_trains_one_classifier_for_its_opposite_columns() -> None:
    # one against all, k = 2: h_1 and h_2 are mirror images, and a third column repeats the first
    code = [[1, -1, 1], [-1, 1, -1]]
    steps: list[BinaryStep] = []
    X, y = [[F(0)], [F(2)]], ["a", "b"]
    model = fit_output_code(X, y, fit_hard_svm, code, on_step=steps.append)
    assert len(steps) == len(model.models) == 1 and model.skipped == ()
    score = fit_hard_svm(X, [1, -1]).decision([F(3, 2)])  # (1 - x) at 3/2
    assert score == F(-1, 2) and model.answers([F(3, 2)]) == (score, -score, score)
    assert model.distances([F(3, 2)]) == (3, 0) and model.predict_set([F(1)]) == ("a", "b")
    again: Any = reloaded(model)
    assert again == model and again.answers([F(3, 2)]) == model.answers([F(3, 2)])


def test_repeated_columns_count_as_often_as_they_stand_in_the_code() -> None:
    # the second column twice weighs its answer double: distances are those of the whole code
    X, y = [[F(0)], [F(2)], [F(4)]], ["a", "b", "c"]
    code = [[1, 1, 1], [-1, 1, 1], [-1, -1, -1]]
    model = fit_output_code(X, y, fit_hard_svm, code, loss=hinge)
    assert len(model.models) == 2
    for t in range(-2, 12):
        f = model.answers([F(t, 2)])
        expected = [sum(max(F(0), 1 - c * s) for c, s in zip(row, f)) for row in code]
        assert list(model.distances([F(t, 2)])) == expected


def test_half_of_the_entries_of_a_sparse_random_code_are_0() -> None:
    code = random_code(12, 40, random.Random(7), sparse=True)
    zeros = sum(entry == 0 for row in code for entry in row)
    assert 200 < zeros < 280  # of 480
