"""Data frames and sparse matrices, known by what they can do and never by an import."""

from fractions import Fraction as F
from typing import Any

import pytest

from refmc import (
    DataError,
    DecisionTree,
    FormatError,
    ParameterError,
    Sample,
    check,
    exact,
    fit_multiclass_svm,
    grow_tree,
    load_model,
    multiclass_hinge,
    pruning_sequence,
    solve_problem,
)
from refmc.core.scalars import column_names, plain
from tests.support import Array, Frame, PlainFrame, Sparse

FRAME = Frame(["p", "q"], [[2**53 + 1, 0.5], [0, 1.0]])


def test_a_data_frame_is_its_rows_and_its_whole_numbers_keep_their_digits() -> None:
    rows: Any = exact(FRAME)
    assert rows == [[2**53 + 1, F(1, 2)], [0, 1]]
    assert exact(PlainFrame([["1/3"], ["0.1"]])) == [[F(1, 3)], [F(1, 10)]]


class PolarsFrame:
    """A data frame whose `to_numpy` takes no type, and whose columns have no `tolist`."""

    columns = ("p",)

    def to_numpy(self) -> Array:
        return Array([[1], [2]])


class PolarsSeries:
    def to_numpy(self) -> Array:
        return Array(["a", "b"])


def test_frames_of_other_libraries_are_read_too() -> None:
    frame: Any = PolarsFrame()
    series: Any = PolarsSeries()
    assert Sample.read(frame, series).rows == ((1.0,), (2.0,))
    assert Sample.read(frame, series).classes == ("a", "b")
    assert column_names(frame) == ("p",)


@pytest.mark.parametrize("X", [Frame(["p", "q"], [[1.0, 0.0], [-1.0, 0.0]])])
def test_learners_and_models_take_data_frames(X: Frame) -> None:
    lists, y = [[1.0, 0.0], [-1.0, 0.0]], Array(["a", "b"])
    model = fit_multiclass_svm(X, y, C=1)
    assert model == fit_multiclass_svm(lists, ["a", "b"], C=1)
    assert model.predict(X) == ["a", "b"]
    tree = grow_tree(X, y)
    assert tree == grow_tree(lists, ["a", "b"]) and tree.predict(X) == ["a", "b"]
    for same in (tree, load_model(tree.to_json()), pruning_sequence(tree)[0].tree):
        assert isinstance(same, DecisionTree) and same.to_text().startswith("p ≤ -1.0?")
    assert multiclass_hinge(Array([1.0, 0.0]), 1) == 2


def test_of_a_frame_of_labels_the_column_is_asked_for() -> None:
    y: Any = Frame(["y"], [["a"], ["b"]])
    with pytest.raises(DataError, match=r"y: row 0: \['a'\] .* with one column give the column"):
        grow_tree(FRAME, y)


def test_a_problem_may_hold_data_frames_whose_names_are_its_columns() -> None:
    frame = Frame(["size", "kind"], [["1/2", "x"], ["1/2", "y"]])
    problem = {"family": "tree.grow", "X": frame, "y": Array(["a", "b"]), "categorical": ["kind"]}
    answer = solve_problem(problem)
    assert check(problem, answer)
    split = {"question": {"column": "kind", "values": ["x"]}, "negative": 1, "positive": 2}
    assert check(problem, {"tree": {"nodes": [split, {"label": "b"}, {"label": "a"}]}})
    svm = {"family": "svm.multiclass", "X": FRAME, "y": ["a", "b"], "C": 1}
    assert check(svm, solve_problem({**svm, "X": [[2**53 + 1, 0.5], [0, 1.0]]}))


def test_only_names_that_are_text_are_names_of_columns() -> None:
    assert column_names(FRAME) == ("p", "q")
    assert column_names(PlainFrame([[1, 2]])) == column_names([[1]]) == ()
    assert column_names({"columns": ["p"]}) == ()
    assert plain(PlainFrame([[1, 2]])) == [[1, 2]]


def test_of_a_sparse_matrix_the_array_is_asked_for() -> None:
    sparse: Any = Sparse()
    with pytest.raises(ParameterError, match=r"got Sparse; of a sparse matrix give \.toarray\(\)"):
        exact(sparse)
    with pytest.raises(DataError, match=r"X: .*got Sparse; .*toarray"):
        Sample.read(sparse, ["a"])
    with pytest.raises(DataError, match=r"X: row 0: .*got Sparse; .*toarray"):
        grow_tree([sparse], ["a"])
    with pytest.raises(FormatError, match=r"problem\.X: .*got Sparse; .*toarray"):
        solve_problem({"family": "svm.multiclass", "X": sparse, "y": ["a"], "C": 1})


@pytest.mark.parametrize("family", ["tree.grow", "boost.ada"])
def test_two_columns_of_a_frame_of_one_name_are_refused_by_their_name(family: str) -> None:
    frame = Frame(["p", "q", "p"], [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(DataError, match="X: two columns are called 'p'"):
        grow_tree(frame, ["a", "b"])
    problem = {"family": family, "X": frame, "y": [1, -1], "rounds": 1}
    if family == "tree.grow":
        del problem["rounds"]
    with pytest.raises(FormatError, match="problem: X: two columns are called 'p'"):
        solve_problem(problem)
    assert solve_problem({**problem, "columns": ["p", "q", "r"]})
