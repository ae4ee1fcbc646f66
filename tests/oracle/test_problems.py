"""Problem records: every form that is read, and the field that is named when one is wrong."""

import json
from decimal import Decimal
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import FormatError, NotPositiveSemidefiniteError, RefmcError, solve_problem
from refmc.oracle.svm.multiclass import read_problem
from refmc.theory.kernels import linear, polynomial
from tests.support import Array

RECORD: dict[str, Any] = {
    "family": "svm.multiclass",
    "X": [["1", "0"], ["0", "1"], ["-1", "-1"]],
    "y": ["a", "b", "c"],
    "C": "1",
}
ABSENT = object()


def changed(**fields: Any) -> dict[str, Any]:
    return {key: value for key, value in {**RECORD, **fields}.items() if value is not ABSENT}


def by_gram(K: Any, **fields: Any) -> dict[str, Any]:
    return changed(X=ABSENT, gram=K, **fields)


@pytest.mark.parametrize(
    "X",
    [
        [[1, 0], [0, 1], [-1, -1]],
        [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]],
        [[F(1), F(0)], [F(0), F(1)], [F(-1), F(-1)]],
        [["1", "0/3"], ["0", "1.0"], ["-0x1p0", "-1e0"]],
        ((Decimal(1), 0), ("0", F(1)), (-1.0, "-1")),
        Array([[1, 0], [0, 1], [-1, -1]]),
        [Array([1, 0]), (0, 1), Array([-1, -1])],
        [[Array(1), 0], [0, 1], [-1, -1]],
    ],
)
def test_rows_may_be_of_any_form_that_denotes_numbers(X: Any) -> None:
    assert read_problem(changed(X=X)) == read_problem(RECORD)


def test_json_text_reads_as_the_record_does() -> None:
    assert solve_problem(json.dumps(RECORD)) == solve_problem(RECORD)
    for C in (0.1, "0.1", "1/3", 7):
        assert solve_problem(json.dumps(changed(C=C))) == solve_problem(changed(C=C))


def test_a_float_is_the_binary_fraction_and_text_the_decimal() -> None:
    assert read_problem(changed(C=0.1)).asked.C == F(0.1) != F(1, 10)
    assert read_problem(changed(C="0.1")).asked.C == F(1, 10)


def test_labels_may_be_an_array_and_stay_what_they_are() -> None:
    problem = read_problem(changed(y=Array([7, 5, 7])))
    assert (
        problem.asked.y == (1, 0, 1) and problem.classes == (5, 7) and problem.labels == [7, 5, 7]
    )


def test_classes_fix_the_order_and_admit_an_absent_class() -> None:
    problem = read_problem(changed(classes=["c", "z", "b", "a"]))
    assert problem.classes == ("c", "z", "b", "a") and problem.asked.y == (3, 2, 0)


def test_the_kernel_is_linear_unless_it_is_given() -> None:
    assert (
        read_problem(RECORD).rows.kernel
        == linear
        == read_problem(changed(kernel="linear")).rows.kernel
    )
    record = {"name": "polynomial", "degree": 2, "scale": "1/2", "offset": 1}
    assert read_problem(changed(kernel=record)).rows.kernel == polynomial(2, F(1, 2), 1)
    assert read_problem(changed(kernel={"name": "linear"})).rows.kernel == linear


def test_a_gram_matrix_stands_in_the_place_of_rows() -> None:
    rows = read_problem(by_gram([["1", 0, 0], [0, 1.0, 0], [0, 0, F(1)]])).rows
    assert rows.X is None and rows.gram == [[F(i == j) for j in range(3)] for i in range(3)]


@pytest.mark.parametrize("field", ["family", "X", "y", "C"])
def test_a_missing_field_is_named(field: str) -> None:
    with pytest.raises(FormatError, match=f"'{field}' is missing"):
        solve_problem(changed(**{field: ABSENT}))


POLYNOMIAL = {"name": "polynomial", "degree": 2, "scale": 1, "offset": 0}


@pytest.mark.parametrize(
    ("record", "place"),
    [
        (changed(foo=1), "unknown field 'foo'"),
        (changed(family="svm.unknown"), r"problem\.family: unknown 'svm\.unknown'"),
        (changed(family=[]), r"problem\.family"),
        (changed(X=3), r"problem\.X: expected a list, got a number"),
        (changed(X="ab"), r"problem\.X: expected a list, got a string"),
        (changed(X=None), r"problem\.X: expected a list, got null"),
        (changed(X={}), r"problem\.X: expected a list, got an object"),
        (changed(X=[]), r"problem\.X: .* isn't empty"),
        (changed(X=[[]]), r"problem\.X\[0\]: .* isn't empty"),
        (changed(X=[[1, 2], [3], [4, 5]]), r"problem\.X\[1\]: 1 numbers"),
        (changed(X=[["c0", 2], [3, 4], [5, 6]]), r"X\[0\]\[0\]: 'c0' is not a number: [^;]+$"),
        (changed(X=[[1, 2], 3, [4, 5]]), r"problem\.X\[1\]: expected a list"),
        (changed(X=[[1, 2], [3, None], [4, 5]]), r"problem\.X\[1\]\[1\]: .* null"),
        (changed(X=[[1, True], [3, 4], [4, 5]]), r"problem\.X\[0\]\[1\]: .* a truth value"),
        (changed(X=[["nan"], [1], [2]]), r"problem\.X\[0\]\[0\]: 'nan'"),
        (changed(X=[["inf"], [1], [2]]), r"problem\.X\[0\]\[0\]: 'inf'"),
        (changed(X=[[float("nan")], [1], [2]]), r"problem\.X\[0\]\[0\]: .* nan"),
        (changed(X=[[float("inf")], [1], [2]]), r"problem\.X\[0\]\[0\]: .* inf"),
        (changed(X=[[1], ["1e999999999"], [2]]), r"problem\.X\[1\]\[0\]: .*digits"),
        (changed(X=[[1], [Decimal("1e999999999")], [2]]), r"problem\.X\[1\]\[0\]: .*digits"),
        (changed(X=[[1], ["1/0"], [2]]), r"problem\.X\[1\]\[0\]: .*zero"),
        (changed(X=[[1], [[[2]]], [2]]), r"problem\.X\[1\]\[0\]: .* a list"),
        (changed(C=0), r"problem\.C: expected a positive number, got 0"),
        (changed(C="-1/2"), r"problem\.C: expected a positive number, got '-1/2'"),
        (changed(C=[1]), r"problem\.C: .* a list"),
        (changed(C="x"), r"problem\.C: 'x'"),
        (changed(C=float("nan")), r"problem\.C: .* nan"),
        (changed(C="1e999999999"), r"problem\.C: .*digits"),
        (changed(C=True), r"problem\.C: .* a truth value"),
        (changed(y=["a", "b"]), "y: expected 3 labels"),
        (changed(y=[]), r"problem\.y: .* isn't empty"),
        (changed(y="abc"), r"problem\.y: expected a list"),
        (changed(y=["a", None, "c"]), r"problem\.y\[1\]: expected a label, .*, got null"),
        (changed(y=[None] * 3), r"problem\.y\[0\]: expected a label, .*, got null"),
        (changed(y=["a", 1, "c"]), "y: row 1: .* of one type"),
        (changed(y=["a", ["b"], "c"]), r"problem\.y\[1\]: expected a label, .*, got a list"),
        (changed(classes=["a", "b"]), "y: row 2: label 'c'"),
        (changed(classes=["a", "b", "c", "a"]), "classes: 'a' stands twice"),
        (changed(classes=[]), r"problem\.classes: .* isn't empty"),
        (changed(classes=3), r"problem\.classes: expected a list"),
        (changed(kernel="rbf"), r"problem\.kernel: "),
        (changed(kernel={"name": "rbf", "gamma": 1}), r"problem\.kernel: .* give it as 'gram'"),
        (changed(kernel="unknown"), r"problem\.kernel: name: "),
        (changed(kernel=3), r"problem\.kernel: expected a string"),
        (changed(kernel=None), r"problem\.kernel: null says nothing"),
        (changed(kernel={}), r"problem\.kernel: name"),
        (changed(kernel="polynomial"), r"problem\.kernel: missing field 'degree'"),
        (changed(kernel={**POLYNOMIAL, "degree": 0}), r"problem\.kernel: degree"),
        (changed(kernel={**POLYNOMIAL, "degree": 1.5}), r"problem\.kernel: degree"),
        (changed(kernel={**POLYNOMIAL, "degree": 10**9}), r"problem\.kernel: degree"),
        (changed(kernel={**POLYNOMIAL, "scale": 0}), r"problem\.kernel: scale"),
        (changed(kernel={**POLYNOMIAL, "offset": -1}), r"problem\.kernel: offset"),
        (changed(kernel={**POLYNOMIAL, "offset": [1]}), r"problem\.kernel: offset"),
        (changed(kernel={**POLYNOMIAL, "scale": True}), r"problem\.kernel\.scale: expected a num"),
        (changed(kernel={**POLYNOMIAL, "gamma": 1}), r"problem\.kernel: unknown field 'gamma'"),
        (changed(gram=[[1]]), "expected one of gram and X"),
        (by_gram([[1, 0], [0, 1]], kernel="linear", y=["a", "b"]), "kernel and X belong together"),
        (by_gram([[1, 0]], y=["a"]), r"problem\.gram: .* square"),
        (by_gram([[1, 0], [2, 1]], y=["a", "b"]), r"problem\.gram: .* row 1, column 0"),
        (by_gram([[1, 0], [0]], y=["a", "b"]), r"problem\.gram\[1\]"),
        (by_gram([], y=["a", "b"]), r"problem\.gram: .* isn't empty"),
    ],
)
def test_a_wrong_field_is_named(record: dict[str, Any], place: str) -> None:
    with pytest.raises(FormatError, match=place):
        solve_problem(record)


def test_a_gram_matrix_that_is_not_semidefinite_is_refused_with_its_witness() -> None:
    with pytest.raises(NotPositiveSemidefiniteError) as caught:
        solve_problem(by_gram([["1", "2"], ["2", "1"]], y=["a", "b"]))
    witness: Any = caught.value.witness
    a, b = witness
    assert a * a + 4 * a * b + b * b < 0


TEXT = json.dumps(RECORD)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("x", "not JSON"),
        (TEXT + "x", "not JSON"),
        (TEXT[:-1], "not JSON"),
        ("[]", "expected a JSON object, got a list"),
        ("3", "expected a JSON object, got a number"),
        ("null", "expected a JSON object, got null"),
        (TEXT.replace('"1"', "NaN", 1), "NaN"),
        (TEXT.replace('"1"', "-Infinity", 1), "-Infinity"),
        (TEXT.replace('"1"', "1e999999999", 1), "1e999999999 is beyond binary64"),
        (TEXT[:-1] + ', "C": "2"}', "'C' is given twice"),
    ],
)
def test_text_that_is_no_problem_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=rf"^problem(: |\.X\[0\]\[0\]: ).*{reason}"):
        solve_problem(text)


@pytest.mark.parametrize(
    ("opening", "size"),
    [("[", 10**8), ('{"a":', 2 * 10**7), ('{"family": "svm.multiclass", "X": ' + "[" * 99, 10**6)],
)
def test_a_hundred_megabytes_of_nesting_are_refused_at_once(opening: str, size: int) -> None:
    with pytest.raises(FormatError, match="nested too deeply"):
        solve_problem(opening * size)


def test_nesting_that_json_can_read_is_no_number() -> None:
    with pytest.raises(FormatError, match=r"problem\.X\[0\]\[0\]"):
        read_problem(changed(X=json.loads("[" * 500 + "]" * 500)))


def test_a_whole_number_beyond_binary64_is_refused_where_a_number_is_read() -> None:
    with pytest.raises(FormatError, match=r"^problem\.X\[0\]\[0\]: 1+… is beyond binary64"):
        solve_problem(TEXT.replace('"1"', "1" * 400, 1))


def test_a_huge_whole_number_is_refused_before_it_is_expanded() -> None:
    with pytest.raises(FormatError, match="more than 4000 digits"):
        solve_problem('{"C": ' + "1" * 10**7 + "}")


@pytest.mark.parametrize("source", [None, 3, b"{}", []])
def test_what_is_neither_record_nor_text_is_refused(source: Any) -> None:
    with pytest.raises(FormatError, match="problem: expected an object"):
        solve_problem(source)


def test_every_error_is_a_value_error() -> None:
    assert issubclass(FormatError, RefmcError) and issubclass(RefmcError, ValueError)
