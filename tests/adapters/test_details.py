"""Single functions of the adapters: bounds, scales, weights and messages to the letter."""

from dataclasses import replace
from fractions import Fraction as F
from math import inf, nan
from pathlib import Path
from sys import float_info
from types import SimpleNamespace
from typing import Any

import pytest

import refmc
from refmc.adapters import claims, estimators, svmlight, svms, trees
from refmc.adapters.data_files import table_of
from refmc.adapters.held import Held, in_shape, read_training
from refmc.adapters.preparing import (
    Preparation,
    PreparedColumn,
    filling,
    missing_rows,
    prepare,
    read_preparation,
    scaling,
)
from refmc.adapters.promises import (
    determined_multipliers,
    of_liblinear_dual,
    of_libsvm,
    smaller_share,
)
from refmc.adapters.svmlight import is_svmlight, read_svmlight
from refmc.adapters.table import read_table
from refmc.checker import Verdict
from refmc.errors import DataError
from tests.adapters.make_estimators import rows
from tests.adapters.test_estimators import DUMPS, LABELS, ROWS, dump_of, svc
from tests.support import DATA, restored, stand_in

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

X, Y = rows()


@pytest.mark.parametrize(
    ("x", "squared", "explained"),
    [
        # tol + max |x_k|₁ · Σ |x_i|₁ min(tol/‖x_i‖², C_i) = 0.1 + 2 (0.1 + 0.05), for two rows
        ([[1], [2]], False, F(4, 5)),
        # the square of that, where the other bound is 2 C_i tol = 0.2
        ([[1], [2]], True, F(8, 25)),
        ([[0], [2]], False, F(2, 5)),  # a row of zeros moves nothing: 2 (0.1 + 2 · 2 · 0.1/4)
        ([[F(1, 10)]], False, F(1, 10) + F(1, 10) * F(1, 10)),
        ([[F(1, 10)]], True, (F(1, 10) + F(1, 10) * F(1, 10) * F(1, 5)) ** 2),
    ],
)
def test_what_a_sweep_explains(x: Any, squared: bool, explained: F) -> None:
    promise = of_liblinear_dual("tol = 0.1", F(1, 10), [F(1)] * len(x), x, squared)
    assert promise.explained == explained


@pytest.mark.parametrize(
    ("margins", "is_broken"),
    [
        ([1.5 + 2.0**-22, 1.0], False),  # tol and what single precision explains
        ([1.5 + 2.0**-21, 1.0], True),
        ([1.0, 0.5 - 2.0**-22], False),
        ([1.0, 0.5 - 2.0**-21], True),
    ],
)
def test_what_is_as_much_as_rounding_and_tol_breaks_no_promise(
    margins: list[float], is_broken: bool
) -> None:
    given = F(1, 2), [F(1)] * 2, [F(1, 2)] * 2, margins, 1.0
    assert bool(of_libsvm("tol", *given).broken) == is_broken


def test_rows_that_cost_nothing_violate_nothing_and_no_multiplier_is_negative() -> None:
    assert not of_libsvm("tol", F(1, 2), [F(0)] * 2, [F(0)] * 2, [5.0, -3.0], 1.0).broken
    assert determined_multipliers([F(1)] * 2, [[1], [-1]], [1, 1], [3]) == [0, 8]


def test_the_smaller_share_is_one_row_at_least() -> None:
    assert smaller_share([True] * 3) == smaller_share([False] * 3) == F(1, 3)
    assert smaller_share([True] * 3 + [False] * 2) == F(2, 5)


@pytest.mark.parametrize(("relative", "is_weak"), [(F(1, 100), False), (F(1001, 10**5), True)])
def test_a_promise_is_weak_above_a_hundredth(relative: F, is_weak: bool) -> None:
    claim = claims.Claim("", {}, {}, claims.Promise(F(1), "tol"))
    verdict = Verdict("VERIFIED", "svm.binary", "", relative, F(1), None, scale=F(1))
    assert ("; weak: up to" in claims._kept(claim, verdict, None)) == is_weak
    wrong = replace(verdict, status="REFUTED")  # by something else than its gap
    assert claims._kept(claim, wrong, None) == "kept: tol bounds the gap by 1.0e0"


def test_the_worst_part_is_the_farthest_beyond_what_is_allowed() -> None:
    def verdict(status: Any, gap: F | None, allowed: F, scale: F | None = None) -> Verdict:
        return Verdict(status, "svm.binary", "", gap, allowed, None, scale=scale)

    better_first = [
        verdict("VERIFIED", F(9), F(0)),
        verdict("INCONCLUSIVE", None, F(1)),
        verdict("INCONCLUSIVE", F(1, 10), F(1)),
        verdict("INCONCLUSIVE", F(1), F(1), F(4)),  # a quarter of the optimum
        verdict("INCONCLUSIVE", F(3, 10), F(0)),
        verdict("INCONCLUSIVE", F(1, 100), F(1, 1000)),
        verdict("REFUTED", None, F(0)),
    ]
    mixed = [better_first[i] for i in (3, 0, 6, 2, 5, 1, 4)]
    assert sorted(mixed, key=claims._badness) == better_first


def test_scores_come_with_the_sizes_of_their_terms() -> None:
    assert svms._Kernel([[4.0]]).scores([(0, 0.5, 3.0)], -1.0) == [(1.0, 13.0)]


def test_gamma_has_two_names_and_refuses_0() -> None:
    def gamma(value: object, X: Any) -> float:
        return svms._gamma(Held("SVC", None, {"gamma": value}), X)

    assert gamma("auto", [[1, 2], [3, 4]]) == 0.5
    assert gamma("scale", [[1, 2], [3, 4]]) == 0.4  # 1/(2 · 5/4)
    assert gamma("scale", [[2, 2], [2, 2]]) == 1.0
    assert gamma(0.25, [[1]]) == 0.25
    with pytest.raises(refmc.ParameterError, match="no kernel tells rows apart then"):
        gamma(0, [[1]])


def test_two_classes_have_no_ties_of_votes_to_break() -> None:
    for shape in ("ovr", "ovo"):
        assert refmc.judge(svc(break_ties=True, decision_function_shape=shape), ROWS, LABELS)


def test_the_votes_of_pairs_are_for_one_class_each() -> None:
    verdict = refmc.judge(restored(dump_of("OneVsOneClassifier")), X, Y)
    pairs: Any = verdict.claims[-1].problem["pairs"]
    assert {v for row in pairs for v in row} == {1, -1}


def test_weights_of_a_round_without_an_error_stay() -> None:
    assert trees._next_weights([3.0, 1.0, 0.0], [False, False, True], 2) == [0.75, 0.25, 0.0]
    # ε = 1/4: a wrong row counts (1 − ε)(k − 1)/ε = 6 times as much
    assert (
        trees._next_weights([1, 1, 1, 1], [True, False, False, False], 3) == [2 / 3] + [1 / 9] * 3
    )


def test_nodes_that_are_grown_again_have_numbers_of_their_own() -> None:
    problem = {
        "X": [[0.0], [1.0], [2.0], [3.0]], "y": [*"abab"], "impurity": "gini",
        "min_leaf": 1, "min_split": 2,
    }  # fmt: skip
    tree = {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [1.5, -2.0, -2.0], "labels": [*"aaa"],
    }  # fmt: skip
    grown, _ = trees._regrown(problem, tree)
    nodes = {node["number"]: node for node in grown["nodes"]}
    assert len(nodes) == len(grown["nodes"]) == 7
    named = [
        node[side] for node in nodes.values() for side in ("positive", "negative") if side in node
    ]
    assert sorted(named) == sorted(nodes.keys() - {0})


def test_a_tree_that_saw_more_rows_is_refused() -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0))
    with pytest.raises(DataError, match="was fitted on other rows: their number isn't that of X"):
        refmc.judge(tree, [*X, X[0]], [*Y, Y[0]])


def test_a_part_is_called_by_its_classes() -> None:
    parts = [c.part for c in refmc.judge(svc(), ROWS, LABELS).claims]
    assert parts == ["a against b", "the votes"]
    assert ", the worst of 2 parts: " in refmc.judge(svc(), ROWS, LABELS).summary
    several = refmc.judge(restored(dump_of("LinearSVC", multi_class="ovr")), X, Y).claims
    assert [c.part for c in several] == [f"{c} against the rest" for c in sorted(set(Y))]


def test_a_row_at_a_threshold_goes_left() -> None:
    problem = {"X": [[5.0, 1.0], [5.0, 2.0], [5.0, 3.0]]}
    tree: Any = {"feature": [1], "threshold": [2.0]}
    assert trees._sides(problem, tree, 0, [2, 1, 0]) == ([1, 0], [2])


@pytest.mark.parametrize(("weight", "nodes"), [(0, 1), (1, 3)])
def test_a_node_is_pure_whatever_the_rows_without_weight_are(weight: int, nodes: int) -> None:
    problem = {"X": [[0.0], [1.0], [2.0]], "y": [*"aab"], "weights": [1, 1, weight]}
    tree = {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [1.5, -2.0, -2.0], "labels": [*"aab"],
    }  # fmt: skip
    found = trees._without_pure_splits(problem, tree)
    assert sorted(found["labels"]) == [*"aab"][:nodes]
    assert found["children_left"].count(-1) == (nodes + 1) // 2


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: str(dump["class"]))
def test_an_estimator_of_any_kind_is_refused_rows_of_another_width(dump: Any) -> None:
    if dump["class"] == "Pipeline":  # whose steps refuse them
        return
    is_alone = dump["class"] in estimators.KNOWN
    told = f"{dump['class'] if is_alone else ''} was fitted on 2 columns, but X has 3"
    with pytest.raises(DataError, match=told):
        refmc.judge(restored(dump), [[*x, 1.0] for x in X], Y)


def test_a_path_may_be_an_object() -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini"))
    path = SimpleNamespace(**tree.cost_complexity_pruning_path())
    assert refmc.judge(tree, X, Y, path=path)
    with pytest.raises(refmc.FormatError, match="path: expected ccp_alphas and impurities"):
        refmc.judge(tree, X, Y, path=[0.0])


def test_what_stopped_before_its_rule_is_judged_by_the_usual_gap() -> None:
    kept, stopped = svc(), svc(max_iter=3)
    assert refmc.judge(kept, ROWS, LABELS).scale is None
    verdict = refmc.judge(stopped, ROWS, LABELS)
    assert verdict.allowed == F(1, 10**6) and verdict.scale == F(1, 2)


def linear_svc(w: list[float], **parameters: object) -> Any:
    """A LinearSVC of squared hinges and two classes."""
    known = {
        "penalty": "l2", "multi_class": "ovr", "loss": "squared_hinge", "C": 1.0, "tol": 0.25,
        "fit_intercept": False, "intercept_scaling": 1, "dual": "auto", "max_iter": 10,
        "class_weight": None,
    }  # fmt: skip
    fitted = {"n_features_in_": len(w), "classes_": LABELS, "coef_": [w], "intercept_": 0.0}
    return stand_in("LinearSVC", known | parameters, fitted | {"n_iter_": 4})


@pytest.mark.parametrize(("width", "is_dual"), [(1, False), (2, False), (3, True)])
def test_fewer_rows_than_columns_are_solved_by_the_dual_method(width: int, is_dual: bool) -> None:
    rows = [[v] * width for v in (-1.0, 1.0)]
    claim = refmc.judge(linear_svc([0.25] * width), rows, LABELS).claims[0]
    assert claim.part == "b against a" and claim.promise is not None
    assert claim.promise.rule.startswith("tol = 0.25, squared" if is_dual else "tol = 0.25 · min(")


@pytest.mark.parametrize(("width", "is_dual"), [(1, True), (3, False)])
def test_the_method_may_be_chosen_whatever_the_rows_are(width: int, is_dual: bool) -> None:
    rows = [[v] * width for v in (-1.0, 1.0)]
    claim = refmc.judge(linear_svc([0.25] * width, dual=is_dual), rows, LABELS).claims[0]
    assert claim.promise is not None
    assert claim.promise.rule.startswith("tol = 0.25, squared" if is_dual else "tol = 0.25 · min(")


def test_an_intercept_belongs_to_a_column_of_its_scaling() -> None:
    parameters = {"fit_intercept": True, "intercept_scaling": 4, "dual": True}
    estimator = linear_svc([0.5], **parameters)
    estimator.intercept_ = [0.5]  # 1/8 of a column of 4
    claim = refmc.judge(estimator, [[-1.0], [1.0]], LABELS).claims[0]
    assert claim.problem["X"] == [[-1, 4], [1, 4]] and claim.answer["w"] == [0.5, 0.125]


@pytest.mark.parametrize(("count", "size"), [(1_000, 1_000), (1_001, 2)])
def test_equal_rows_are_merged_where_there_are_more_than_a_thousand(count: int, size: int) -> None:
    rows, labels = [[-1.0]] * 500 + [[1.0]] * (count - 500), ["a"] * 500 + ["b"] * (count - 500)
    training = read_training(rows, labels, None)
    [claim] = estimators.claims_of(linear_svc([0.5]), training)
    problem: Any = claim.problem
    assert len(problem["X"]) == len(problem["y"]) == size
    assert problem.get("weights") == ([500, 501] if size == 2 else None)


def test_of_two_classes_each_has_its_weight() -> None:
    weighed = linear_svc([0.5], class_weight={"a": 2.0, "b": 3})
    claim = refmc.judge(weighed, [[-1.0], [1.0]], LABELS).claims[0]
    assert claim.problem["weights"] == [2, 3]


def test_weights_determine_the_multipliers_of_squared_hinges_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for loss, many, alpha in (
        ("squared_hinge", 1, [F(1, 2)] * 2),
        ("squared_hinge", 2, None),
        ("hinge", 1, None),
    ):
        monkeypatch.setattr(svms, "MANY", many)
        estimator = linear_svc([0.75], loss=loss, dual=True)
        proof = refmc.judge(estimator, [[-1.0], [1.0]], LABELS).claims[0].proof
        assert (proof and proof["alpha"]) == alpha


def test_multipliers_prove_a_promise_however_far_from_the_optimum_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """α = 2 of both rows has the dual value 4 − 2 − 8, which is 32/5 below the optimum 2/5."""
    monkeypatch.setattr(svms, "MANY", 1)
    verdict = refmc.judge(linear_svc([0.0], tol=2.0, dual=False), [[-1.0], [1.0]], LABELS)
    assert verdict and verdict.gap == F(32, 5) and verdict.claims[0].promise is not None
    assert verdict.claims[0].promise.gap == 8


def test_rows_without_weight_have_no_share_of_a_class() -> None:
    # ∇P(0) = −2 Σ C_i = −4 for the two rows that count, of which either class has a half
    rows, labels = [[-1.0], [1.0], [1.0], [1.0]], ["a", "b", "b", "b"]
    verdict = refmc.judge(linear_svc([0.75]), rows, labels, sample_weight=[1, 1, 0, 0])
    assert verdict.claims[0].promise is not None
    assert verdict.claims[0].promise.gap == F(1, 2) * (F(1, 4) * F(1, 2) * 4) ** 2


def test_labels_alone_are_no_lines_of_svmlight() -> None:
    assert is_svmlight("1\n-1\n") is False


def test_indices_of_svmlight_increase_and_its_lines_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = read_svmlight("1 1:2 3:x # first\n\n2 1:5\n", "d")
    assert table.columns == {"label": ["1", "2"], "1": ["2", "5"], "2": ["0"] * 2, "3": ["x", "0"]}
    assert list(table.lines) == [1, 3]
    with pytest.raises(DataError, match="line 1: expected index:value, .* got '2:5'"):
        read_svmlight("1 1:1 3:2 2:5", "d")
    monkeypatch.setattr(svmlight, "MOST_CELLS", 6)
    assert read_svmlight("1 1:2 3:x\n2 1:5", "d") and len(table.columns) == 4
    with pytest.raises(DataError, match="2 rows of 4 columns are more than 6"):
        read_svmlight("1 1:2 4:x\n2 1:5", "d")


def test_the_largest_table_of_svmlight_is_told_before_it_is_made() -> None:
    for nothing in ("", "# no rows\n"):
        with pytest.raises(DataError):
            read_svmlight(nothing, "data")
    rows = ["1 3000:1"] * 3_334
    with pytest.raises(DataError, match="are more than 10000000"):
        read_svmlight("\n".join(rows), "data")


TABLE = "n,c,k,y\n1,NA,2,a\n3,,2,b\n,b,2,a\n5,b,2,b\n"


def test_na_is_missing_among_numbers_alone_and_a_constant_column_has_the_half_width_1() -> None:
    table = read_table(TABLE, "t")
    assert missing_rows(table, "n") == [2] and missing_rows(table, "c") == [1]
    assert missing_rows(table, "k") == []
    assert scaling(table, "k") == (F(2), F(1))
    scaled = prepare(table, ["n", "c", "k"], missing="median", scale=True)
    assert scaled == Preparation(
        (
            PreparedColumn("n", "3", scale=(F(3), F(2))),
            PreparedColumn("c", "b"),
            PreparedColumn("k", scale=(F(2), F(1))),
        )
    )
    assert scaled.forms() == [((0,), F(1, 2), F(-3, 2)), ((1,), F(1), F(0)), ((2,), F(1), F(-2))]
    hot = prepare(table, ["n", "c"], missing="median", one_hot=True)
    assert hot is not None and hot.columns[1].categories == ("NA", "b")
    letters = read_table("\n".join(["c,y", *(f"{c},1" for c in "hbgdaecf")]), "t")
    sorted_ones = prepare(letters, ["c"], one_hot=True)
    assert sorted_ones is not None and sorted_ones.columns[0].categories == (*"abcdefgh",)
    for ones in (False, True):
        plain = prepare(table, ["k"], ones=ones)
        assert (plain is not None) == ones
        made = plain or Preparation((PreparedColumn("k"),))
        assert list(made.table(table).columns) == [*"ncky", *("1" * ones)]
    assert hot.forms() == [
        ((0,), F(1), F(0)), (((1, "NA"),), F(1), F(0)), (((1, "b"),), F(1), F(0)),
    ]  # fmt: skip


def test_features_that_are_the_columns_have_no_forms_of_their_own() -> None:
    columns = (PreparedColumn("n", "3"), PreparedColumn("m"))
    assert Preparation(columns).forms() == []
    assert Preparation(columns, ones=True).forms() == [
        ((0,), F(1), F(0)), ((1,), F(1), F(0)), ((), F(0), F(1)),
    ]  # fmt: skip


def test_an_empty_cell_is_a_category_that_was_never_seen_unless_it_is_filled() -> None:
    table = read_table("c,y\n,a\nx,a\ny,b\n", "t")
    for fill, unseen in ((None, {"": 1, "y": 1}), ("x", {"y": 1})):
        made = Preparation((PreparedColumn("c", fill, categories=("x",)),))
        assert made.unseen(table) == {"c": unseen}


@pytest.mark.parametrize("scale", [["1"], ["1", "2", "3"], ["1", "0"]])
def test_a_scale_is_a_center_and_a_half_width(scale: list[str]) -> None:
    made: Any = {"columns": [{"column": "c", "scale": scale}], "ones": False}
    with pytest.raises(refmc.FormatError, match=r"columns\[0\]\.scale: expected a center and a"):
        read_preparation({"preparation": made})
    made["columns"][0]["scale"] = ["1", "1/2"]
    assert read_preparation({"preparation": made}) == Preparation(
        (PreparedColumn("c", scale=(F(1), F(1, 2))),)
    )


def test_a_column_without_cells_is_filled_by_nothing_and_na_alone_is_a_word() -> None:
    table = read_table("c,k,y\n,NA,a\n,NA,\n,NA,\n", "t")
    assert missing_rows(table, "c") == [0, 1, 2] and missing_rows(table, "k") == []
    with pytest.raises(DataError, match="t: column 'c' has missing cells alone; leave it out"):
        filling(table, "c", "median")
    with pytest.raises(DataError, match="t: line 3, column 'y': nothing there; .* 'y' 2"):
        table.labels("y")


def test_words_beside_words_are_categories_and_half_of_lookalikes_are_not() -> None:
    assert read_table("u,v\nabc,a\nd,b\n50 %,a\n", "t").kinds(["u"]) == ["category"]
    with pytest.raises(DataError, match="'50 %' with a percent sign"):
        read_table("u,v\nabc,a\n50 %,b\n", "t").kinds(["u"])
    mixed = read_table("u,v\nNA,a\n1,b\nx,a\n", "t")
    assert missing_rows(mixed, "u") == []


def test_a_number_stands_for_no_text_and_the_first_of_the_most_frequent_for_all() -> None:
    table = read_table("c,y\nx,a\n,a\n1,b\n", "t")
    assert filling(table, "c", "median") == filling(table, "c", "most-frequent") == "1"
    assert filling(table, "c", "gone") == "gone"
    with pytest.raises(DataError, match="column 'c' has categories, beside which '0' can't stand"):
        filling(table, "c", "0")


@pytest.mark.parametrize(
    "kind", ["OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
)
def test_classifiers_made_of_others_take_no_weights(kind: str) -> None:
    with pytest.raises(refmc.ParameterError, match="sample_weight: classifiers made of others"):
        refmc.judge(restored(dump_of(kind)), X, Y, sample_weight=[1.0] * len(X))


def test_a_field_that_stands_twice_or_is_the_end_with_a_value_is_named() -> None:
    with pytest.raises(refmc.FormatError, match="line 3: 'svm_type' stands twice"):
        refmc.read_model("svm_type c_svc\nkernel_type linear\nsvm_type c_svc\nSV")
    linear = (DATA / "models" / "linear.libsvm").read_text(encoding="utf-8")
    with pytest.raises(refmc.FormatError, match="a line 'SV' is nothing that can be judged"):
        refmc.read_model(linear.replace("\nSV\n", "\nSV 1\nSV\n"))


def test_an_answer_may_be_right_beside_a_proof_that_fails() -> None:
    problem = {"family": "perceptron.binary", "X": [[1]], "y": [1]}
    for w, right in ((1, True), (2, False)):
        claim = claims.Claim("", problem, {"w": [w]}, proof={"trace": [[5]]})
        assert bool(claims._judged(claim, None)) == right


def test_a_bias_of_a_half_is_a_line_of_weights() -> None:
    lines = ["solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1"]
    problem = {"family": "svm.binary", "X": [[1, "1/2"], [-1, "1/2"]], "y": [1, -1], "C": 1}
    model: Any = refmc.read_model("\n".join([*lines, "bias 0.5", "w", "1", "0"]))
    assert model.answer(problem | {"bias": False}) == {"w": [1, 0]}
    with pytest.raises(refmc.FormatError, match="expected 2 lines of weights, got 1"):
        refmc.read_model("\n".join([*lines, "bias 0.5", "w", "1"]))


def test_a_support_vector_may_be_0() -> None:
    lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 1"]
    lines += ["label 1 -1", "nr_sv 1 1", "SV", "2 1:1 ", "-2 "]
    problem = {"family": "svm.binary", "X": [[1], [0]], "y": [1, -1], "C": 2}
    model: Any = refmc.read_model("\n".join(lines))
    assert refmc.check(problem, model.answer(problem), gap=0)


def test_numbers_of_rows_and_rates_are_whole_or_shares() -> None:
    def count(value: object) -> int:
        return trees._count(Held("Tree", None, {"rows": value}), "rows", 10)

    assert [count(v) for v in (3, 0.25, 1.0)] == [3, 3, 10]
    for share in (0.0, -0.5, 1.5):
        with pytest.raises(refmc.ParameterError, match="expected a share of the rows"):
            count(share)
    boosted = restored(dump_of("AdaBoostClassifier", n_estimators=3))
    for rate in (1, 1.0):
        boosted.parameters = {**boosted.parameters, "learning_rate": rate}
        assert refmc.judge(boosted, X, Y)
    for rate in (2, 0.5):
        boosted.parameters = {**boosted.parameters, "learning_rate": rate}
        with pytest.raises(refmc.ParameterError, match="learning_rate"):
            refmc.judge(boosted, X, Y)


def test_rows_of_trees_are_within_single_precision() -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0))
    with pytest.raises(DataError, match="row 0, column 1: is beyond the range of single precision"):
        refmc.judge(tree, [[1.0, 1e39], *X[1:]], Y)


def test_the_largest_float_is_a_number_and_no_larger_one_is() -> None:
    assert in_shape([-float_info.max], "x", 1) == [-float_info.max]
    for beyond in (inf, nan, 2 * F(float_info.max)):
        with pytest.raises(refmc.FormatError, match="no finite number of binary64"):
            in_shape([beyond], "x", None)


def test_what_stands_between_cells_is_told_by_the_header() -> None:
    assert read_table("a;b\n1,5;2\n", "t").columns == {"a": ["1,5"], "b": ["2"]}
    assert read_table("a,b\n1;5,2\n", "t").columns == {"a": ["1;5"], "b": ["2"]}


@pytest.mark.parametrize(("given", "is_known"), [(1, False), (2, True), (1.0, True), (0.5, False)])
def test_a_tree_looks_at_all_columns(given: float, is_known: bool) -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0))
    tree.parameters = {**tree.parameters, "max_features": given}
    if is_known:
        assert refmc.judge(tree, X, Y)
        return
    with pytest.raises(refmc.ParameterError, match=r"max_features=.*: the columns of each node"):
        refmc.judge(tree, X, Y)


def test_bad_cells_are_counted_in_five_columns() -> None:
    names = [*"abcdefg"]
    table = read_table("\n".join([",".join(names), ",".join("x" * 7)]) + "\n", "t")
    for many, more in ((5, ""), (6, ", …")):
        told = ", ".join(f"'{name}' 1" for name in names[:5])
        with pytest.raises(DataError) as error:
            table.cells(names[:many], ["number"] * many)
        assert str(error.value).endswith(f" ({many} such cells: {told}{more})")


def test_a_delimiter_makes_a_table_of_any_text_and_columns_may_be_chosen(tmp_path: Path) -> None:
    lines = "1 2:3\n4 5:6\n"
    assert table_of(lines, "t", None).columns["2"] == ["3", "0"]
    assert table_of(lines, "t", "tab").columns == {"1 2:3": ["4 5:6"]}
    file = tmp_path / "data.csv"
    file.write_text("u,v,y\n1,2,a\n3,4,b\n", encoding="utf-8")
    assert refmc.read_csv(file, "y").X == [(1, 2), (3, 4)]
    assert refmc.read_csv(file, "y", columns=["v"]).X == [(2,), (4,)]


def test_bad_cells_are_counted_in_columns_of_numbers() -> None:
    table = read_table("n,c,y\na,u,1\nb,v,2\n", "t")
    with pytest.raises(DataError, match=r"\(2 such cells: 'n' 2\)$"):
        table.cells(["n", "c"], ["number", "category"])


def test_a_number_beyond_floats_is_no_plain_number() -> None:
    long = "9" * 400
    table = read_table(f"u,v\n1,a\n{long},b\n", "t")
    assert table._no_numbers("u") == [1]
    assert read_table("u,v\n1,a\n\n2,b\n", "t").columns == {"u": ["1", "2"], "v": ["a", "b"]}
    for end in ("\r\n", "\r"):
        text = end.join(["u,v", "1,a", "2,b", ""])
        assert read_table(text, "t").columns == {"u": ["1", "2"], "v": ["a", "b"]}
