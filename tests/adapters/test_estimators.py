"""Fitted estimators: real ones of scikit-learn from a dump, and some that are made by hand."""

import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction as F
from math import log
from typing import Any

import pytest

import refmc
from refmc.adapters import composed, svms, trees
from refmc.adapters.held import Held, read_training
from refmc.adapters.promises import SINGLE
from refmc.core.scalars import plain
from refmc.errors import RefmcError
from tests.adapters import make_estimators
from tests.support import DATA, SPEC, Array, Frame, Sparse, restored, stand_in

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

X, y = make_estimators.rows()
DUMPS = json.loads((DATA / "estimators.json").read_text(encoding="utf-8"))["estimators"]


def dump_of(kind: str, **parameters: object) -> Any:
    """The first dump of a kind with these parameters, to be changed."""
    for dump in DUMPS:
        if dump["class"] == kind and parameters.items() <= dump["parameters"].items():
            return json.loads(json.dumps(dump))
    raise LookupError(kind)


GROWN = dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini")["parameters"]


def two_leaves() -> dict[str, list[Any]]:
    """The arrays of a tree that parts 0, which is a, from 1, which is b."""
    return {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [0.5, -2, -2], "value": [[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]],
        "n_node_samples": [2, 1, 1],
    }  # fmt: skip


def one_column(arrays: dict[str, list[Any]]) -> dict[str, Any]:
    """What a tree of one column and two classes has after fitting."""
    tree = stand_in("Tree", {}, arrays)
    return {"n_features_in_": 1, "classes_": ["a", "b"], "tree_": tree}


@pytest.mark.parametrize("dump", DUMPS, ids=lambda dump: str(dump["class"]))
def test_real_estimators_keep_what_their_stopping_rules_promise(dump: Any) -> None:
    verdict = refmc.judge(restored(dump), X, y)
    assert verdict, verdict.explain()
    assert verdict.claims and verdict.summary.startswith(dump["class"])


CORRUPTIONS: list[tuple[str, dict[str, object], Callable[[Any], None]]] = [
    ("LinearSVC", {}, lambda e: e["coef_"]["array"][1].__setitem__(0, 0.5)),
    ("LinearSVC", {"multi_class": "crammer_singer"}, lambda e: e["coef_"]["array"].reverse()),
    ("SVC", {"kernel": "linear"}, lambda e: e["intercept_"]["array"].__setitem__(2, 0.0)),
    ("SVC", {"kernel": "rbf"}, lambda e: e["dual_coef_"]["array"][0].__setitem__(0, 0.0)),
    ("SVC", {"kernel": "poly"}, lambda e: e["intercept_"]["array"].__setitem__(0, 9.0)),
    ("Perceptron", {}, lambda e: e["intercept_"]["array"].__setitem__(2, 5.0)),
    ("SGDClassifier", {}, lambda e: e["coef_"]["array"][0].__setitem__(1, 5.0)),
    ("AdaBoostClassifier", {}, lambda e: e["estimator_errors_"]["array"].__setitem__(1, 0.25)),
    (
        "DecisionTreeClassifier",
        {"criterion": "gini"},
        lambda e: e["tree_"]["fitted"]["threshold"]["array"].__setitem__(0, 4.0),
    ),
]


@pytest.mark.parametrize(("kind", "parameters", "corrupt"), CORRUPTIONS)
def test_a_changed_number_is_refuted(
    kind: str, parameters: dict[str, object], corrupt: Callable[[Any], None]
) -> None:
    dump = dump_of(kind, **parameters)
    corrupt(dump["fitted"])
    assert refmc.judge(restored(dump), X, y).status == "REFUTED"


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths to all that the dump of an estimator holds."""
    found = []
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if key not in ("class", "parameters", "fitted", "answers"):
            found.append((*path, key))
        if key not in ("class", "parameters") and isinstance(inner, (dict, list)):
            found += places(inner, (*path, key))
    return found


NONSENSE: list[object] = [
    None,
    "x",
    True,
    [],
    [1.0],
    [[1.0]],
    {},
    -1,
    2.5,
    99,
    10**400,
    float("nan"),
]


@pytest.mark.parametrize(
    "turn", [0, *(pytest.param(t, marks=pytest.mark.campaign) for t in (1, 2))]
)
@pytest.mark.parametrize("at", range(len(DUMPS)), ids=lambda at: str(DUMPS[at]["class"]))
def test_whatever_stands_in_an_attribute_is_judged_or_refused_by_name(at: int, turn: int) -> None:
    draw = random.Random(100 * turn + at)
    whole = places({name: DUMPS[at][name] for name in ("fitted", "answers")})
    for _ in range(30):
        dump = json.loads(json.dumps(DUMPS[at]))
        *path, last = draw.choice(whole)
        holder = dump
        for key in path:
            holder = holder[key]
        if draw.random() < 0.2 and isinstance(holder[last], list):
            holder[last].pop()
        else:
            holder[last] = draw.choice(NONSENSE)
        try:
            refmc.judge(restored(dump), X, y)
        except RefmcError as error:
            assert len(str(error)) < 400


SETTINGS = [*NONSENSE, "1", 0, 0.0, 1e308, -1.5, {"setosa": "x"}, {"setosa": float("nan")}]


@pytest.mark.parametrize("at", range(len(DUMPS)), ids=lambda at: str(DUMPS[at]["class"]))
def test_whatever_stands_in_a_setting_is_judged_or_refused_by_name(at: int) -> None:
    draw = random.Random(at)
    for name in DUMPS[at]["parameters"]:
        for value in draw.sample(SETTINGS, 4):
            dump = json.loads(json.dumps(DUMPS[at]))
            dump["parameters"][name] = value
            try:
                refmc.judge(restored(dump), X, y)
            except RefmcError as error:
                assert len(str(error)) < 400


@pytest.mark.parametrize(
    ("kind", "setting", "value", "message"),
    [
        ("Perceptron", "max_iter", None, "expected a whole number"),
        ("Perceptron", "eta0", 10**400, "expected a finite number"),
        ("SGDClassifier", "alpha", 0, "no family leaves the norm out"),
        ("SGDClassifier", "alpha", -1.0, "no family leaves the norm out"),
        ("LinearSVC", "max_iter", None, "expected a whole number"),
        ("LinearSVC", "intercept_scaling", 0, "expected another number than 0"),
        ("LinearSVC", "class_weight", {"setosa": 10**400}, "expected finite numbers"),
        ("DecisionTreeClassifier", "class_weight", {"setosa": "x"}, "expected finite numbers"),
        ("DecisionTreeClassifier", "max_leaf_nodes", "x", "expected a whole number"),
        ("DecisionTreeClassifier", "max_depth", "1", "expected a whole number"),
        ("DecisionTreeClassifier", "min_samples_leaf", True, "expected a whole number"),
        ("DecisionTreeClassifier", "min_samples_leaf", None, "expected a finite number"),
        ("DecisionTreeClassifier", "min_samples_leaf", 1e308, "expected a share of the rows"),
        ("DecisionTreeClassifier", "min_samples_split", float("nan"), "expected a finite number"),
    ],
)
def test_a_setting_that_is_no_number_is_named(
    kind: str, setting: str, value: object, message: str
) -> None:
    dump = dump_of(kind)
    dump["parameters"][setting] = value
    with pytest.raises(refmc.ParameterError, match=rf"{kind}\({setting}=.*\): {message}"):
        refmc.judge(restored(dump), X, y)


@pytest.mark.parametrize("power", [1e4, -1e4])
def test_steps_beyond_floats_are_refused(power: float) -> None:
    dump = dump_of("SGDClassifier")
    dump["parameters"] |= {"learning_rate": "invscaling", "eta0": 0.1, "power_t": power}
    with pytest.raises(refmc.ParameterError, match="its steps are beyond binary64"):
        refmc.judge(restored(dump), X, y)


@pytest.mark.parametrize(
    ("kind", "attribute", "value", "message"),
    [
        ("LinearSVC", "coef_", [[1.0]], r"LinearSVC\.coef_: .* in the shape \(3, 2\)"),
        ("LinearSVC", "coef_", None, r"LinearSVC\.coef_: .* in the shape \(3, 2\)"),
        ("LinearSVC", "n_iter_", [1], r"LinearSVC\.n_iter_: expected a number"),
        ("SVC", "intercept_", [1.0, "x", 0.0], r"SVC\.intercept_: .* in the shape \(3\)"),
        ("SVC", "intercept_", [1.0, 10**400, 0.0], r"SVC\.intercept_: has 10.*no finite number"),
        ("SVC", "dual_coef_", [[1.0], [1.0]], r"SVC\.dual_coef_: .* in the shape \(2, \d+\)"),
        ("SVC", "support_", [-1], "support_ holds -1, but X has 13"),
        ("SVC", "support_", [0.5], "support_ holds 0.5, but X has 13"),
        ("Perceptron", "n_iter_", 0, r"n_iter_: expected a whole number of 1 to max_iter, got 0"),
        ("Perceptron", "n_iter_", 10**9, r"n_iter_: expected a whole number of 1 to max_iter"),
        ("Perceptron", "n_iter_", 2.0, r"n_iter_: expected a whole number of 1 to max_iter"),
        ("Perceptron", "classes_", 3, "fitted on the classes 3"),
        ("OneVsOneClassifier", "estimators_", [], "estimators_: expected 3 estimators"),
        ("OneVsRestClassifier", "estimators_", [1], "estimators_: expected 3 estimators"),
        ("AdaBoostClassifier", "estimators_", [], "estimators_: expected some estimators"),
        ("AdaBoostClassifier", "estimators_", [None], "predict: expected one of"),
        ("AdaBoostClassifier", "estimator_errors_", [], r"errors_: .* in the shape \(\d\)"),
        ("OutputCodeClassifier", "code_book_", [[1]] * 3, r"code_book_: .* in the shape \(3, 4\)"),
    ],
)
def test_an_attribute_of_another_form_is_named(
    kind: str, attribute: str, value: object, message: str
) -> None:
    dump = dump_of(kind)
    dump["fitted"][attribute] = value
    with pytest.raises(RefmcError, match=message):
        refmc.judge(restored(dump), X, y)


def test_members_come_in_a_list_or_as_the_tuple_that_scikit_learn_has() -> None:
    for kind in ("OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"):
        estimator = restored(dump_of(kind))
        for made in (list, tuple):
            estimator.estimators_ = made(estimator.estimators_)
            assert refmc.judge(estimator, X, y)


@pytest.mark.parametrize("value", [["setosa"], ["no"] * 13, None, "setosa"])
def test_predictions_that_are_no_labels_of_the_rows_are_named(value: object) -> None:
    for kind in ("SVC", "AdaBoostClassifier", "OneVsRestClassifier"):
        dump = dump_of(kind)
        dump["answers"]["predict"] = value
        with pytest.raises(
            RefmcError, match=rf"{kind}\.predict: expected one of .* for each of 13"
        ):
            refmc.judge(restored(dump), X, y)


@pytest.mark.parametrize(
    "kind", ["SVC", "OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
)
def test_labels_that_the_members_do_not_decide_are_refuted(kind: str) -> None:
    dump = dump_of(kind)
    labels = dump["answers"]["predict"]["array"]
    labels[0] = "versicolor" if labels[0] == "virginica" else "virginica"
    verdict = refmc.judge(restored(dump), X, y)
    assert [part.status for part in verdict.verdicts].count("REFUTED") == 1
    assert verdict.family.endswith(".decode")


@pytest.mark.parametrize("kind", ["LinearSVC", "SVC"])
def test_balanced_classes_are_weighed_by_their_rows_alone(kind: str) -> None:
    """setosa has 4 of the 13 rows: 13/12; with weights of rows versions differ."""
    dump = dump_of(kind, **({"kernel": "rbf", "class_weight": "balanced"} if kind == "SVC" else {}))
    dump["parameters"]["class_weight"] = "balanced"
    verdict = refmc.judge(restored(dump), X, y)
    weights: Any = verdict.claims[0].problem["weights"]
    assert weights[0] == F(len(y), 3 * y.count("setosa"))
    with pytest.raises(refmc.ParameterError, match="beside sample_weight, versions differ"):
        refmc.judge(restored(dump), X, y, [1.0] * len(y))


def test_the_parts_of_an_estimator_are_counted_by_what_was_found() -> None:
    dump = dump_of("OneVsOneClassifier")
    assert "  parts    4 VERIFIED" in refmc.judge(restored(dump), X, y).explain()
    dump["answers"]["predict"]["array"][0] = "virginica"
    assert "  parts    3 VERIFIED, 1 REFUTED" in refmc.judge(restored(dump), X, y).explain()


@pytest.mark.parametrize(("given", "least"), [(5, 5), (2, 2), (0.01, 2), (0.5, 7)])
def test_a_share_of_the_rows_is_split_from_two_rows_on(given: float, least: int) -> None:
    dump = dump_of("DecisionTreeClassifier", criterion="gini", ccp_alpha=0.0)
    dump["parameters"]["min_samples_split"] = given
    dump["parameters"]["min_samples_leaf"] = given / 2 if given == 0.5 else 1
    problem = refmc.judge(restored(dump), X, y).claims[0].problem
    assert problem["min_split"] == least and problem["min_leaf"] == (4 if given == 0.5 else 1)


def test_leaves_of_a_least_weight_are_refused_and_a_0_of_any_type_is_none() -> None:
    dump = dump_of("DecisionTreeClassifier", criterion="gini", ccp_alpha=0.0)
    for share in (0, 0.0):
        dump["parameters"]["min_weight_fraction_leaf"] = share
        assert refmc.judge(restored(dump), X, y)
    for share in (0.1, 1, False):  # no truth value is a number
        dump["parameters"]["min_weight_fraction_leaf"] = share
        with pytest.raises(refmc.ParameterError, match="min_weight_fraction_leaf"):
            refmc.judge(restored(dump), X, y)


def test_a_pruning_path_is_judged_with_the_tree_that_it_prunes() -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini"))
    path = tree.cost_complexity_pruning_path()
    assert refmc.judge(tree, X, y, path=path)
    path["impurities"].value[1] += 0.01
    assert refmc.judge(tree, X, y, path=path).family == "tree.prune"
    assert not refmc.judge(tree, X, y, path=path)


def test_a_path_may_begin_with_a_little_for_0() -> None:
    # scikit-learn gives such amounts where weights are added with rounding; the root has 8/25
    rows, labels = [[v] for v in range(5)], [1, 0, 1, 1, 1]
    tree = weighted_chain(0.5, 1.5, 9.5)
    for name, values in vars(tree.tree_).items():
        setattr(tree.tree_, name, values[:5] if isinstance(values, list) else values)
    tree.tree_.children_left, tree.tree_.children_right = [1, -1, 3, -1, -1], [2, -1, 4, -1, -1]
    for little, right in ((0.0, True), (2e-16, True), (-2e-16, True), (1e-9, False), (-1.0, False)):
        for lam, risk in ((little, 0.0), (0.0, little)):
            path = {"ccp_alphas": [lam, 0.16], "impurities": [risk, 0.32]}
            try:
                found = refmc.judge(tree, rows, labels, path=path).verdicts[-1]
                assert bool(found) == right, found.explain()
            except refmc.FormatError as error:
                assert not right and "expected at least 0" in str(error)


def test_what_a_path_may_begin_with_is_relative_to_the_root() -> None:
    tree = stand_in("DecisionTreeClassifier", GROWN, one_column(two_leaves()))
    for risk, right in ((2.0**-47, True), (2.0**-47 + 2.0**-99, False)):  # the root has 1/2
        path = {"ccp_alphas": [0.0, 0.5], "impurities": [risk, 0.5]}
        assert bool(refmc.judge(tree, [[0], [1]], LABELS, path=path)) == right


def test_a_path_may_begin_with_a_little_that_is_not_0() -> None:
    # one row of another label leaves the heavy leaf an impurity of 2 · w₁ w₂/(w₁ + w₂) of all
    heavy, arrays = 10**15, two_leaves()
    arrays["n_node_samples"] = [3, 1, 2]
    tree = stand_in("DecisionTreeClassifier", GROWN, one_column(arrays))
    total = 2 * heavy + 1
    risk = F(2 * heavy, (heavy + 1) * total)
    whole = F(2 * heavy * (heavy + 1), total**2)
    path = {
        "ccp_alphas": [0.0, float(whole - risk)], "impurities": [float(risk), float(whole)],
    }  # fmt: skip
    weights = [float(heavy), float(heavy), 1.0]
    assert refmc.judge(tree, [[0], [1], [1]], [*"aba"], weights, path=path)
    path["impurities"][0] *= 2
    assert not refmc.judge(tree, [[0], [1], [1]], [*"aba"], weights, path=path)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "log_loss"])
def test_the_logarithmic_loss_is_the_entropy(criterion: str) -> None:
    tree = stand_in(
        "DecisionTreeClassifier", GROWN | {"criterion": criterion}, one_column(two_leaves())
    )
    verdict = refmc.judge(tree, [[0], [1]], LABELS)
    impurity = "gini" if criterion == "gini" else "entropy"
    assert verdict and verdict.claims[0].problem["impurity"] == impurity


def test_signs_of_columns_are_refused_and_older_versions_have_none() -> None:
    older = {name: value for name, value in GROWN.items() if name != "monotonic_cst"}
    for signs in ({}, {"monotonic_cst": None}):
        tree = stand_in("DecisionTreeClassifier", older | signs, one_column(two_leaves()))
        assert refmc.judge(tree, [[0], [1]], LABELS)
    tree = stand_in(
        "DecisionTreeClassifier", older | {"monotonic_cst": [1]}, one_column(two_leaves())
    )
    with pytest.raises(refmc.ParameterError, match="monotonic_cst"):
        refmc.judge(tree, [[0], [1]], LABELS)


def test_a_pruned_tree_of_the_best_splits_is_refused() -> None:
    many = GROWN | {"ccp_alpha": 0.1, "max_leaf_nodes": 2}
    tree = stand_in("DecisionTreeClassifier", many, one_column(two_leaves()))
    with pytest.raises(refmc.ParameterError, match="the tree before pruning isn't known"):
        refmc.judge(tree, [[0], [1]], LABELS)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ({"ccp_alphas": [], "impurities": []}, "path.ccp_alphas: expected a number for each"),
        ({"ccp_alphas": [0.0, 0.1], "impurities": [0.0]}, r"path.impurities: .*shape \(2\)"),
        ({"ccp_alphas": [], "impurities": [0.0]}, r"path.impurities: .*shape \(0\)"),
        ({"ccp_alphas": ["x"], "impurities": [0.0]}, r"path.ccp_alphas: .*shape \(any\)"),
        ({}, "expected ccp_alphas and impurities"),
        ([], "expected ccp_alphas and impurities"),
        (5, "expected ccp_alphas and impurities"),
    ],
)
def test_a_path_of_another_form_is_named(path: object, message: str) -> None:
    tree = restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini"))
    with pytest.raises(refmc.FormatError, match=message):
        refmc.judge(tree, X, y, path=path)


@pytest.mark.parametrize(
    ("weights", "lams", "risks"),
    [
        # risks of a 3, b 1: 3/2; of a 1, b 6: 12/7; of both, a 4, b 7: 56/11
        ((3, 1, 1, 6), [F(3, 2), F(12, 7), F(289, 154)], [F(3, 2), F(45, 14), F(56, 11)]),
        # two of a 10, b 1 tie with a risk of 20/11; both have 11
        ((10, 1, 1, 10), [F(20, 11), F(20, 11), F(81, 11)], [F(20, 11), F(40, 11), F(11)]),
    ],
)
@pytest.mark.parametrize("unit", [F(1, 8), F(1, 2**45)])
def test_the_lams_of_a_path_are_told_apart_on_any_scale(
    unit: F, weights: tuple[int, ...], lams: list[F], risks: list[F]
) -> None:
    """Two splits and the one above them, of so light rows that all their λ are near 0."""
    rows = [[float(v)] for v in (0, 1, 2, 3, 4, 5)]
    of_rows = [*(w * unit for w in weights), F(100), F(100)]
    arrays = {
        "children_left": [1, 2, 3, -1, -1, 6, -1, -1, 9, -1, -1],
        "children_right": [8, 5, 4, -1, -1, 7, -1, -1, 10, -1, -1],
        "feature": [0, 0, 0, -2, -2, 0, -2, -2, 0, -2, -2],
        "threshold": [3.5, 1.5, 0.5, -2, -2, 2.5, -2, -2, 4.5, -2, -2],
        "value": [[[0.5, 0.5]]] * 11, "n_node_samples": [6] + [1] * 10,
    }  # fmt: skip
    parameters = dump_of("DecisionTreeClassifier", criterion="gini")["parameters"]
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "tree_": stand_in("Tree", {}, arrays)}
    tree = stand_in("DecisionTreeClassifier", parameters, fitted)
    total = sum(of_rows)
    a, b = (100 + unit * (weights[i] + weights[i + 2]) for i in (0, 1))
    whole = total - (a * a + b * b) / total  # the risk of the root
    path = {
        "ccp_alphas": [0.0, *(float(lam * unit / total) for lam in lams)],
        "impurities": [0.0, *(float(risk * unit / total) for risk in risks)],
    }
    path["ccp_alphas"].append(float((whole - risks[-1] * unit) / 2 / total))
    path["impurities"].append(float(whole / total))
    verdict = refmc.judge(tree, rows, list("ababab"), list(map(float, of_rows)), path=path)
    assert verdict.verdicts[-1], verdict.verdicts[-1].explain()
    path["ccp_alphas"][1] *= 1.001
    changed = refmc.judge(tree, rows, list("ababab"), list(map(float, of_rows)), path=path)
    assert bool(changed.verdicts[-1]) == (lams[0] == lams[1])  # the last of a tie counts


def weighted_chain(*thresholds: float, labels: str = "1011101", **parameters: object) -> Any:
    """A tree that parts off the least of five rows, of the rest again the least, and once more."""
    arrays = {
        "children_left": [1, -1, 3, -1, 5, -1, -1], "children_right": [2, -1, 4, -1, 6, -1, -1],
        "feature": [0, -2, 0, -2, 0, -2, -2],
        "threshold": [thresholds[0], -2, thresholds[1], -2, thresholds[2], -2, -2],
        "value": [[[float(c == label) for c in "01"]] for label in labels],
        "n_node_samples": [5, 1, 4, 1, 3, 1, 2],
    }  # fmt: skip
    own = dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini")["parameters"]
    fitted = {"n_features_in_": 1, "classes_": [0, 1], "tree_": stand_in("Tree", {}, arrays)}
    return stand_in("DecisionTreeClassifier", own | parameters, fitted)


def test_what_rounding_may_have_chosen_is_relative_to_the_node() -> None:
    rows, labels = [[v] for v in range(5)], [0, 1, 0, 1, 1]
    heavy = [1e14, 1e14, 1.0, 1.0, 1.0]  # of which the last node has hardly any
    assert refmc.judge(weighted_chain(0.5, 1.5, 2.5), rows, labels, heavy)
    for wrong in ((0.5, 1.5, 3.5), (0.5, 1.5, 9.5), (0.5, 1.5, -1.0), (0.5, 0.7, 2.5)):
        found = refmc.judge(weighted_chain(*wrong), rows, labels, heavy)
        assert found.status == "REFUTED" and "rounding" not in found.hint
    # of the last node's questions the second is better, by as little as its last row is heavier
    tree = weighted_chain(0.5, 1.5, 2.5, labels="0011000", max_depth=3)
    for more, right in ((2.0**-45, True), (2.0**-30, False)):
        weights = [1e14, 1e14, 1.0, 1.0, 1.0 + more]
        found = refmc.judge(tree, rows, [0, 1, 0, 1, 0], weights)
        assert bool(found) == right and ("right but for rounding" in found.hint) == right
    wrong_label = weighted_chain(0.5, 1.5, 2.5, labels="0011010", max_depth=3)
    assert not refmc.judge(wrong_label, rows, [0, 1, 0, 1, 0], weights)


@pytest.mark.parametrize(("more", "right"), [(2.0**-38, True), (1.5 * 2.0**-38, False)])
def test_rounded_weights_may_make_a_choice_worse_by_so_little(more: float, right: bool) -> None:
    # below the root the labels have the weights 2 and 2 + more, of which the first was chosen
    tree = weighted_chain(0.5, 1.5, 2.5, labels="0011000", max_depth=3)
    verdict = refmc.judge(tree, [[v] for v in range(5)], [0, 1, 0, 1, 0], [1.0] * 4 + [1.0 + more])
    assert bool(verdict) == right


@pytest.mark.parametrize(("more", "right"), [(2.0**-52, True), (1.5 * 2.0**-52, False)])
def test_a_limit_of_the_decrease_is_compared_with_a_little_more(more: float, right: bool) -> None:
    own = GROWN | {"min_impurity_decrease": 0.5 + more}
    tree = stand_in("DecisionTreeClassifier", own, one_column(two_leaves()))
    assert bool(refmc.judge(tree, [[0], [1]], LABELS)) == right


@pytest.mark.parametrize(("least", "right"), [(0.0, True), (2.0**-52, True), (2.0**-51, False)])
def test_a_split_that_gains_nothing_is_admitted_by_a_limit_of_what_is_added(
    least: float, right: bool
) -> None:
    # whether two bits differ: neither alone tells anything
    arrays: dict[str, list[Any]] = {
        "children_left": [1, 2, -1, -1, 5, -1, -1], "children_right": [4, 3, -1, -1, 6, -1, -1],
        "feature": [0, 1, -2, -2, 1, -2, -2], "threshold": [0.5, 0.5, -2, -2, 0.5, -2, -2],
        "value": [[[float(c == label) for c in "ab"]] for label in "aaabbba"],
        "n_node_samples": [4, 2, 1, 1, 2, 1, 1],
    }  # fmt: skip
    own = GROWN | {"min_impurity_decrease": least}
    tree = stand_in("DecisionTreeClassifier", own, one_column(arrays) | {"n_features_in_": 2})
    verdict = refmc.judge(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], [*"abba"])
    assert bool(verdict) == right


@pytest.mark.parametrize(
    ("least", "is_split", "right"),
    [
        (16 / 75, True, True),  # which is above 16/75, and would refuse the split
        (16 / 75, False, False),
        (16 / 75 + 2.0**-51, True, False),
        (16 / 75 + 2.0**-51, False, True),
        (2.0**-52, True, False),  # a limit of 0: the second node has a split, too
    ],
)
def test_the_least_decrease_is_as_scikit_learn_compares_it(
    least: float, is_split: bool, right: bool
) -> None:
    # of the Gini impurity 12/25 the question x ≤ 3/2 leaves 3/5 · 4/9
    arrays: dict[str, list[Any]] = {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [1.5, -2, -2], "value": [[[3.0, 2.0]], [[2.0, 0.0]], [[1.0, 2.0]]],
        "n_node_samples": [5, 2, 3],
    }  # fmt: skip
    if not is_split:
        arrays = {name: values[:1] for name, values in arrays.items()}
        arrays |= {"children_left": [-1], "children_right": [-1]}
    own = dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini")["parameters"]
    fitted = {"n_features_in_": 1, "classes_": [0, 1], "tree_": stand_in("Tree", {}, arrays)}
    tree = stand_in("DecisionTreeClassifier", own | {"min_impurity_decrease": least}, fitted)
    assert bool(refmc.judge(tree, [[v] for v in range(5)], [0, 0, 1, 0, 1])) == right


def test_a_class_that_weighs_nothing_has_no_rows_in_a_tree() -> None:
    leaf = {"children_left": [-1], "children_right": [-1], "feature": [-2], "threshold": [-2]}
    own = dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini")["parameters"]
    for count, weights in ((1, None), (2, [1.0, 2.0, 1.0, 1.0]), (1, [1.0, 2.0, 1.0, 0.0])):
        arrays = leaf | {"value": [[[0.0, 1.0]]], "n_node_samples": [count]}
        fitted = {"n_features_in_": 1, "classes_": [0, 1], "tree_": stand_in("Tree", {}, arrays)}
        tree = stand_in("DecisionTreeClassifier", own | {"class_weight": {0: 0}}, fitted)
        rows, labels = [[0], [1], [2], [3]], [0, 1, 0, 1]
        if weights is None:
            rows, labels = rows[:3], labels[:3]
        assert refmc.judge(tree, rows, labels, weights)


def test_a_light_node_that_was_pruned_too_early_is_no_rounding() -> None:
    leaves = {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2]}
    values = {"threshold": [0.5, -2, -2], "value": [[[1.0, 0.0]]] * 3, "n_node_samples": [3, 1, 2]}
    tree = stand_in("Tree", {}, leaves | values)
    parameters = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)["parameters"]
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "tree_": tree}
    # what was pruned away saves one of 10¹³ + 2, of which its node has 2
    for alpha, right in ((1.1e-13, True), (5e-14, False)):
        pruned = stand_in("DecisionTreeClassifier", parameters | {"ccp_alpha": alpha}, fitted)
        assert bool(refmc.judge(pruned, [[0], [1], [2]], ["a", "b", "a"], [1e13, 1, 1])) == right


def test_a_tree_pruned_by_another_lam_is_refuted() -> None:
    dump = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)
    dump["parameters"]["ccp_alpha"] = 0.4  # where the root alone is left
    assert refmc.judge(restored(dump), X, y).status == "REFUTED"


TWINS = [x * 2 for x in X]  # two copies of each column, which tie in every question


def pruned_twins(alpha: float) -> tuple[Any, dict[str, list[Any]]]:
    """A tree of one split, which is right for λ from 0.308 to 0.355, and its arrays."""
    dump = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)
    fitted = dump["fitted"]["tree_"]["fitted"]
    arrays: dict[str, list[Any]] = {name: value["array"][:3] for name, value in fitted.items()}
    arrays |= {"children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [1, -2, -2]}
    dump["fitted"]["tree_"]["fitted"] = {name: {"array": v} for name, v in arrays.items()}
    dump["fitted"]["n_features_in_"] = 4
    dump["parameters"]["ccp_alpha"] = alpha
    return dump, arrays


def test_another_choice_of_what_was_pruned_away_leaves_a_pruned_tree_open() -> None:
    found = refmc.judge(restored(pruned_twins(0.4)[0]), TWINS, y)
    assert found.status == "INCONCLUSIVE" and "what was pruned away" in found.hint


DAMAGE = [
    *(("threshold", 0, a) for a in (-9.0, 0.15, 1.65, 99.0)),
    *(("value", n, c) for n, c in ((0, 1), (0, 2), (1, 1), (1, 2), (2, 0))),
]


@pytest.mark.parametrize(("name", "n", "new"), DAMAGE)
def test_a_pruned_tree_with_a_wrong_entry_is_refuted_whatever_was_pruned_away(
    name: str, n: int, new: float
) -> None:
    dump, arrays = pruned_twins(0.33)
    assert refmc.judge(restored(dump), TWINS, y)
    of_class = [[float(c == new) for c in range(3)]]
    arrays[name][n] = of_class if name == "value" else new
    assert refmc.judge(restored(dump), TWINS, y).status == "REFUTED"


def test_arrays_that_are_no_tree_are_refused_before_anything_is_grown_again() -> None:
    dump = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)
    dump["fitted"]["tree_"]["fitted"]["children_left"]["array"][2] = 0
    with pytest.raises(refmc.FormatError, match=r"node 0 is the root and a child"):
        refmc.judge(restored(dump), X, y)


def test_what_was_pruned_away_is_grown_again_below_each_leaf() -> None:
    """Of a tree of four leaves first two are left, then, for a λ of at least 9/10 of a row, one."""
    rows, labels = [[float(v)] for v in range(1, 6)], list("abbab")
    leaf = {"children_left": [-1], "children_right": [-1], "feature": [-2], "threshold": [-2.0]}
    tree = stand_in("Tree", {}, leaf | {"value": [[[0.4, 0.6]]], "n_node_samples": [5]})
    parameters = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)["parameters"]
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "tree_": tree}
    for alpha, right in ((0.19, True), (0.17, False)):
        root = stand_in("DecisionTreeClassifier", parameters | {"ccp_alpha": alpha}, fitted)
        found = refmc.judge(root, rows, labels)
        grown: Any = found.claims[0].answer["tree"]
        assert found.verdicts[0] and len(grown["nodes"]) == 7
        assert sorted(node["number"] for node in grown["nodes"]) == [0, *range(2, 8)]
        assert found.status == ("VERIFIED" if right else "REFUTED")  # no two questions tie


@pytest.mark.parametrize("sign", [1, -1])
def test_what_was_pruned_away_is_grown_again_as_far_as_the_settings_let_it(sign: int) -> None:
    """Left of 15/2 are a, b, a, a; parting off a, b lessens the impurity of all rows by 1/20, and
    these two by 1/10. λ = 1/10 prunes both, as they save 3/2 of 10 rows."""
    rows = [[sign * float(v)] for v in (1, 2, 3, 4, *range(11, 17))]
    root: dict[str, Any] = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
    }
    leaves = [[[0.75, 0.25]], [[0.0, 1.0]]][::sign]
    root |= {"threshold": [sign * 7.5, -2, -2], "value": [[[0.3, 0.7]], *leaves]}
    tree = stand_in("Tree", {}, root | {"n_node_samples": [10, 4, 6]})
    own = dump_of("DecisionTreeClassifier", ccp_alpha=0.1)["parameters"] | {"ccp_alpha": 0.1}
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "tree_": tree}
    for settings, count in (
        ({}, 7),
        ({"max_depth": 3}, 7),
        ({"max_depth": 2}, 5),
        ({"max_depth": 1}, 3),
        ({"min_impurity_decrease": 0.04}, 7),
        ({"min_impurity_decrease": 0.06}, 3),
    ):
        pruned = stand_in("DecisionTreeClassifier", own | settings, fitted)
        found = refmc.judge(pruned, rows, list("abaabbbbbb"))
        assert found and len(found.claims[0].answer["tree"]["nodes"]) == count, settings  # type: ignore[index]  # it is a tree


def root_alone(alpha: float, **settings: object) -> Any:
    """A tree of one column that was pruned to its root, which is a."""
    arrays: dict[str, list[Any]] = {
        "children_left": [-1], "children_right": [-1], "feature": [-2], "threshold": [-2.0],
        "value": [[[0.75, 0.25]]], "n_node_samples": [8],
    }  # fmt: skip
    own = GROWN | {"ccp_alpha": alpha} | settings
    return stand_in("DecisionTreeClassifier", own, one_column(arrays))


@pytest.mark.parametrize(("least", "count"), [(0.18, 5), (0.25, 3)])
def test_the_least_decrease_of_a_node_that_is_grown_again_is_of_all_rows(
    least: float, count: int
) -> None:
    # of 15/32 the first question leaves 3/16; the node below it, of half of the rows, has 3/8
    tree = root_alone(0.29, min_impurity_decrease=least)
    verdict = refmc.judge(tree, [[float(v)] for v in range(8)], [*"aaaabbba"])
    grown: Any = verdict.claims[0].answer["tree"]
    assert verdict and len(grown["nodes"]) == count


def test_two_tied_questions_leave_open_what_was_pruned_away() -> None:
    arrays = {"value": [[[2 / 3, 1 / 3]]], "n_node_samples": [3]}
    for labels, status in (("aba", "INCONCLUSIVE"), ("aab", "REFUTED")):
        tree = root_alone(0.1)  # which is right from 2/9 or 4/9 on
        vars(tree.tree_).update(arrays)
        assert refmc.judge(tree, [[0.0], [1.0], [2.0]], [*labels]).status == status


def test_a_tree_that_is_deeper_than_its_setting_is_refuted() -> None:
    own = GROWN | {"ccp_alpha": 0.1, "max_depth": 0}
    tree = stand_in("DecisionTreeClassifier", own, one_column(two_leaves()))
    assert refmc.judge(tree, [[0], [1]], LABELS).status == "REFUTED"


SVC = {
    "C": 1.0, "kernel": "linear", "tol": 0.001, "max_iter": -1, "class_weight": None,
}  # fmt: skip


def svc(alpha: float = 0.5, **parameters: object) -> Any:
    """Two rows, 1 and −1: the optimum has α = ½, w = 1 and b = 0."""
    fitted = {
        "n_features_in_": 1, "classes_": ["a", "b"], "n_iter_": Array([3]), "support_": [0, 1],
        "support_vectors_": [[-1.0], [1.0]], "dual_coef_": Array([[-alpha, alpha]]),
        "intercept_": Array([0.0]), "class_weight_": [1.0, 1.0], "coef_": [[2 * alpha]],
    }  # fmt: skip
    estimator = stand_in("SVC", SVC | parameters, fitted)

    def predict(rows: object) -> list[str]:
        found: Any = plain(rows)
        return ["b" if x > 0 else "a" for (x,) in found]

    estimator.predict = predict
    return estimator


ROWS, LABELS = [[-1.0], [1.0]], ["a", "b"]


def promised(verdict: refmc.Judged) -> F | None:
    """The gap that the first part has promised."""
    promise = verdict.claims[0].promise
    return promise and promise.gap


def test_libsvm_promises_tol_times_the_sum_of_all_C() -> None:
    """α = ½ − δ: ½w² + 2(1 − w) at w = 1 − 2δ is ½ + 2δ + 2δ², the optimum ½."""
    delta = F(1, 2**11)
    kept = refmc.judge(svc(float(F(1, 2) - delta)), ROWS, LABELS)
    assert kept and kept.gap == 2 * delta + 2 * delta**2
    assert promised(kept) == kept.allowed == F(0.001) * 2 and kept.scale is None
    # rows are short of a margin of 1 by 2δ, which no rounding of kernel values explains
    broken = refmc.judge(svc(float(F(1, 2) - delta), tol=0.0009), ROWS, LABELS)
    assert broken.status == "REFUTED" and broken.gap == kept.gap
    assert "promise  not kept: tol = 0.0009 · Σ C_i" in broken.explain()
    assert "a violation of 9.8e-4 remains" in broken.promise
    assert "single precision" not in broken.explain()
    rounded = refmc.judge(svc(0.5 - 1.5 * 2.0**-30, tol=2.0**-30), ROWS, LABELS)
    assert rounded.status == "INCONCLUSIVE" and "in single precision" in rounded.hint
    assert rounded.promise.startswith("not kept")
    assert refmc.judge(svc(float(F(1, 2) - delta)), ROWS, LABELS, gap=0).status == "REFUTED"
    weighed = refmc.judge(svc(), ROWS, LABELS, sample_weight=Array([2.0, 2.0]))
    assert promised(weighed) == F(0.001) * 4


@pytest.mark.parametrize("signs", [[0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]])
def test_multipliers_have_the_signs_of_their_labels(signs: list[float]) -> None:
    estimator = svc()
    estimator.dual_coef_ = Array([signs])
    with pytest.raises(refmc.DataError, match="fitted on other labels: dual_coef_ has the signs"):
        refmc.judge(estimator, ROWS, LABELS)


def test_the_weights_of_an_svc_are_judged_beside_its_multipliers() -> None:
    estimator = svc()
    assert refmc.judge(estimator, ROWS, LABELS).claims[0].answer["w"] == [1.0]
    estimator.coef_ = [[1.25]]
    verdict = refmc.judge(estimator, ROWS, LABELS)
    assert [part.status for part in verdict.verdicts] == ["REFUTED", "VERIFIED"]


def test_single_precision_is_that_of_the_largest_kernel_value() -> None:
    # the largest K(x, x) is 2, Σ α is 1 and Σ C_i 2
    estimator = svc(kernel="precomputed")
    estimator.n_features_in_, estimator.support_vectors_ = 2, []
    estimator.predict = lambda rows: LABELS
    promise = refmc.judge(estimator, [[2.0, 0.0], [0.0, 0.5]], LABELS).claims[0].promise
    assert promise is not None and promise.stopped == ""
    assert promise.explained == (F(0.001) + F(2, 2**22)) * 2


def test_an_svc_that_stops_where_it_starts_has_no_support_vectors() -> None:
    """α = 0 costs 2, and the optimum is ½. The two rows violate the conditions by 2 together."""
    for tol, status in ((3.0, "VERIFIED"), (0.001, "REFUTED")):
        estimator = svc(tol=tol)
        estimator.support_, estimator.support_vectors_ = [], []
        estimator.dual_coef_, estimator.coef_ = Array([[]]), [[0.0]]
        estimator.predict = lambda rows: ["b", "b"]
        found = refmc.judge(estimator, ROWS, LABELS)
        assert (found.status, found.gap) == (status, F(3, 2))


@pytest.mark.parametrize(("share", "status"), [(F(3, 4), "INCONCLUSIVE"), (F(3, 2), "REFUTED")])
def test_single_precision_is_relative_to_the_largest_square_of_a_row(share: F, status: str) -> None:
    """With rows of 8 and both α = 1/128 the size of a score is 2 · 64/128, and its rounding SINGLE:
    margins may be short of 1 by as much."""
    estimator = svc(float((1 - share * F(SINGLE)) / 128), tol=2.0**-60)
    estimator.support_vectors_ = [[-8.0], [8.0]]
    estimator.coef_ = [[8 * v for v in row] for row in estimator.coef_]
    found = refmc.judge(estimator, [[-8.0], [8.0]], LABELS, gap=None)
    assert found.status == status and ("in single precision" in found.hint) == (share < 1)
    rows, labels = [[-8.0], [8.0], [0.5]], [*LABELS, "b"]  # the last is no row, but a short one
    assert refmc.judge(estimator, rows, labels, [1, 1, 0]).status == status


def test_a_path_belongs_to_a_tree_that_is_not_pruned() -> None:
    path = {"ccp_alphas": [0.0], "impurities": [0.0]}
    with pytest.raises(refmc.FormatError, match="SVC: a path belongs to an unpruned"):
        refmc.judge(svc(), ROWS, LABELS, path=path)
    with pytest.raises(refmc.FormatError, match="Classifier: a path belongs to an unpruned"):
        refmc.judge(restored(dump_of("DecisionTreeClassifier", ccp_alpha=0.1)), X, y, path=path)
    for short in ({"ccp_alphas": [0.0]}, {"impurities": [0.0]}):
        with pytest.raises(refmc.FormatError, match="path: expected ccp_alphas and impurities"):
            refmc.judge(restored(dump_of("DecisionTreeClassifier")), X, y, path=short)


def test_each_column_of_a_code_is_judged_that_has_two_classes() -> None:
    dump = dump_of("OutputCodeClassifier")
    parts = [claim.part for claim in refmc.judge(restored(dump), X, y).claims]
    columns = zip(*dump["fitted"]["code_book_"]["array"])
    told = [f"column {s}" for s, column in enumerate(columns) if len(set(column)) > 1]
    assert parts == [*told, "the nearest row of the code"] and told


def test_the_nearest_row_of_a_code_is_that_of_least_distance() -> None:
    """f = 2/5 is nearer to 0 than to 1: 2 · 2/5 − 1 is less than 0. Of the codes 1 and 3, f = 7/3
    is nearer to 3, as 2 · 7/3 · 3 − 9 is more than 2 · 7/3 − 1, and f = 3/2 to 1."""
    for code, f, label in (
        ((0, 1), 0.4, "a"),
        ((0, 1), 0.6, "b"),
        ((1, 3), 7 / 3, "b"),
        ((1, 3), 1.5, "a"),
    ):
        member = stand_in("Any", {}, {}, {"decision_function": [f, f]})
        fitted = {
            "n_features_in_": 1, "classes_": LABELS, "estimators_": [member],
            "code_book_": [[c] for c in code],
        }  # fmt: skip
        for said in LABELS:
            whole = stand_in("OutputCodeClassifier", {}, fitted, {"predict": [said] * 2})
            held = Held("OutputCodeClassifier", whole, {})
            *_, last = composed.output_code(held, read_training(ROWS, LABELS, None), no_claims)
            assert bool(refmc.check(last.problem, last.answer)) == (said == label)


def no_claims(*_: object) -> Any:
    return iter(())


def test_a_row_without_weight_stays_without_in_all_rounds() -> None:
    dump = dump_of("AdaBoostClassifier", n_estimators=3)
    weights = [0.0] + [1.0] * (len(y) - 1)
    for member in dump["fitted"]["estimators_"]:
        member["fitted"]["tree_"]["fitted"]["n_node_samples"]["array"][0] = len(y) - 1
    claims: Any = tuple(
        trees.adaboost(
            Held("AdaBoostClassifier", restored(dump), dump["parameters"]),
            read_training(X, y, weights),
        )
    )
    assert [claim.problem["weights"][0] for claim in claims[:3]] == [0, 0, 0]


def test_only_what_is_not_verified_fails_an_assertion() -> None:
    refmc.assert_judged(svc(), ROWS, LABELS)
    with pytest.raises(refmc.OracleFailure, match="REFUTED") as failure:
        refmc.assert_judged(svc(0.25), ROWS, LABELS)
    assert failure.traceback[-1].ishidden(failure)  # pytest shows the line of the test


def test_an_unknown_estimator_is_called_by_its_class() -> None:
    with pytest.raises(refmc.ParameterError, match="^Ridge: no estimator that is judged"):
        refmc.judge(stand_in("Ridge", {}, {}), ROWS, LABELS)


def test_what_stops_by_no_rule_has_no_promise() -> None:
    tree = stand_in("DecisionTreeClassifier", GROWN, one_column(two_leaves()))
    verdict = refmc.judge(tree, [[0], [1]], LABELS)
    assert verdict.promise == verdict.to_json()["promise"] == ""
    assert verdict.claims[0].rounding is None  # and its weights are whole


def test_one_score_of_two_classes_is_against_the_rest_and_for_it() -> None:
    member = svc()
    member.classes_, member.decision_function = [0, 1], lambda rows: [-1.0, 1.0]
    member.predict = lambda rows: [0, 1]
    fitted = {"n_features_in_": 1, "classes_": LABELS, "estimators_": [member]}
    for labels, right in ((LABELS, True), (LABELS[::-1], False)):
        whole = stand_in("OneVsRestClassifier", {}, fitted, {"predict": labels})
        verdict = refmc.judge(whole, ROWS, LABELS)
        assert bool(verdict) == right
        scores: Any = verdict.claims[-1].problem["scores"]
        assert [[*row] for row in scores] == [[1, -1], [-1, 1]]


def test_of_two_classes_a_probability_above_a_half_is_for_the_positive_one() -> None:
    arrays = {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [0.0, -2, -2], "value": [[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]],
        "n_node_samples": [2, 1, 1],
    }  # fmt: skip
    own = dump_of("DecisionTreeClassifier", ccp_alpha=0.0, criterion="gini")["parameters"]
    fitted = {"n_features_in_": 1, "classes_": [0, 1], "tree_": stand_in("Tree", {}, arrays)}
    for shares, right in (([0.625, 0.375], True), ([0.375, 0.625], False)):
        said = {"predict_proba": [shares, shares[::-1]]}
        member = stand_in("DecisionTreeClassifier", own, fitted, said)
        whole = {"n_features_in_": 1, "classes_": LABELS, "estimators_": [member]}
        rest = stand_in("OneVsRestClassifier", {}, whole, {"predict": LABELS})
        assert bool(refmc.judge(rest, ROWS, LABELS)) == right
    silent = stand_in("DecisionTreeClassifier", own, fitted)
    whole = {"n_features_in_": 1, "classes_": LABELS, "estimators_": [silent]}
    rest = stand_in("OneVsRestClassifier", {}, whole, {"predict": LABELS})
    with pytest.raises(refmc.FormatError, match="DecisionTreeClassifier: has neither decisions"):
        refmc.judge(rest, ROWS, LABELS)


def test_a_given_matrix_has_a_value_for_each_two_rows() -> None:
    estimator = svc(kernel="precomputed")
    estimator.support_vectors_, estimator.n_features_in_ = [], 2
    estimator.predict = lambda _: LABELS
    assert refmc.judge(estimator, [[1.0, -1.0], [-1.0, 1.0]], LABELS).verdicts[0]
    estimator.n_features_in_ = 3
    with pytest.raises(refmc.DataError, match="X: expected the 2 × 2 kernel values of the rows"):
        refmc.judge(estimator, [[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0]], LABELS)


def test_support_vectors_are_counted_among_the_rows_that_weigh_something() -> None:
    rows, labels, weights = [[5.0], *ROWS], ["a", *LABELS], [0, 1, 1]
    verdict = refmc.judge(svc(), rows, labels, sample_weight=weights)
    assert verdict and verdict.claims[0].answer["alpha"] == [0, 0.5, 0.5]
    with pytest.raises(refmc.DataError, match="support vector 0 isn't row 0 of X"):
        refmc.judge(svc(), rows, labels)


def test_equal_rows_of_one_label_are_one_that_weighs_as_much_where_there_are_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of −1 and twice 1 the optimum has w = 1 and b = 0, too: the two share the multiplier ½."""
    estimator = svc()
    estimator.support_, estimator.support_vectors_ = [0, 1, 2], [[-1.0], [1.0], [1.0]]
    estimator.dual_coef_ = [[-0.5, 0.125, 0.375]]
    rows, labels = [[-1.0], [1.0], [1.0]], ["a", "b", "b"]
    for many, size in ((3, 3), (2, 2)):
        monkeypatch.setattr(svms, "MANY", many)
        verdict = refmc.judge(estimator, rows, labels)
        assert verdict and verdict.verdicts[0].gap == 0
        problem: Any = verdict.claims[0].problem
        answer = verdict.claims[0].answer
        assert len(problem["X"]) == len(problem["y"]) == size
        assert promised(verdict) == 3 * F(0.001)
    assert problem["weights"] == [1, 2] and answer["alpha"] == [F(1, 2), F(1, 2)]


def test_the_votes_of_all_pairs_decide_what_an_svc_predicts() -> None:
    """The pairs' scores are 2, −1/2 and 1 everywhere: a beats b, c beats a, and b beats c.

    With 1/8, 1/8 and 5, a has two votes, and b the largest sum.
    """
    fitted = {
        "n_features_in_": 1, "classes_": ["a", "b", "c"], "n_iter_": [1] * 3, "support_": [0],
        "support_vectors_": [[1.0]], "dual_coef_": [[0.0], [0.0]], "class_weight_": [1.0] * 3,
        "coef_": [[0.0]] * 3,
    }  # fmt: skip
    shape = {"decision_function_shape": "ovr"}
    circle, led = [2.0, -0.5, 1.0], [0.125, 0.125, 5.0]
    for intercepts, broken, label, status in (
        (circle, False, "a", "VERIFIED"),
        (circle, False, "c", "VERIFIED"),
        (circle, True, "a", "VERIFIED"),  # the sums are 3/2, −1 and −1/2
        (circle, True, "c", "REFUTED"),
        (led, True, "a", "VERIFIED"),
        (led, True, "b", "REFUTED"),
        (led, False, "b", "REFUTED"),
    ):
        fitted["intercept_"] = intercepts
        parameters = SVC | shape | {"break_ties": broken}
        estimator = stand_in("SVC", parameters, fitted, {"predict": [label] * 3})
        verdict = refmc.judge(estimator, [[1.0], [2.0], [3.0]], ["a", "b", "c"])
        assert (verdict.claims[-1].part, verdict.verdicts[-1].status) == ("the votes", status)
    fitted["intercept_"] = [0.0, -0.5, 1.0]  # the first is open, and b has the largest sum
    for label, sign, status in (("b", -1, "VERIFIED"), ("a", 1, "REFUTED")):
        estimator = stand_in(
            "SVC", SVC | shape | {"break_ties": True}, fitted, {"predict": [label] * 3}
        )
        verdict = refmc.judge(estimator, [[1.0], [2.0], [3.0]], ["a", "b", "c"])
        assert verdict.claims[-1].problem["pairs"] == [[sign * 5e-324, -0.5, 1.0]] * 3
        assert verdict.verdicts[-1].status == status
    other = stand_in("SVC", SVC | {"break_ties": True, **shape} | {
        "decision_function_shape": "ovo"}, fitted, {"predict": ["a"] * 3})  # fmt: skip
    with pytest.raises(refmc.ParameterError, match=r"SVC\(break_ties=True\): predict has it"):
        refmc.judge(other, [[1.0], [2.0], [3.0]], ["a", "b", "c"])


def test_a_matrix_that_no_judge_takes_on_is_not_made() -> None:
    rows = [[float(v)] for v in range(1001)]
    with pytest.raises(refmc.FormatError, match="1001 by 1001 numbers are more than"):
        refmc.judge(svc(kernel="rbf", gamma=1.0), rows, ["a", *["b"] * 1000])
    estimator = svc(kernel="rbf", gamma=1.0)
    estimator.classes_ = ["a", "b", "c"]
    with pytest.raises(refmc.FormatError, match="1001 by 1001 numbers are more than"):
        refmc.judge(estimator, [*rows, [0.0]], [*["a"] * 600, *["b"] * 401, "c"])


def test_a_score_that_rounding_leaves_open_is_a_vote_for_either() -> None:
    """The score of x is x − 1, of which rounding leaves nothing at 1 + 2⁻⁵⁰."""
    estimator = svc()
    estimator.intercept_ = [-1.0]
    for x, label, is_right in (
        (1 + 2.0**-50, "a", True),
        (1 + 2.0**-50, "b", True),
        (1 + 2.0**-30, "a", False),
        (1 + 2.0**-30, "b", True),
    ):
        estimator.predict = lambda _, third=label: ["a", "a", third]
        verdict = refmc.judge(estimator, [*ROWS, [x]], ["a", "b", "a"])
        assert bool(verdict.verdicts[-1]) == is_right


def test_a_score_of_just_the_rounding_is_open() -> None:
    estimator = svc(0.0)  # without multipliers the bias −1 alone has a size
    estimator.intercept_ = [-1.0]
    for more, is_open in ((2.0**-40, True), (1.5 * 2.0**-40, False)):
        estimator.coef_ = [[1 + more]]
        for label in LABELS:
            estimator.predict = lambda _, second=label: ["a", second]
            verdict = refmc.judge(estimator, ROWS, LABELS)
            assert bool(verdict.verdicts[-1]) == (is_open or label == "b")


def test_the_largest_row_that_is_none_is_named() -> None:
    estimator = svc()
    estimator.support_ = [7, 9]
    with pytest.raises(refmc.DataError, match="support_ holds 9, but X has 2"):
        refmc.judge(estimator, ROWS, LABELS)


def test_a_score_of_weights_is_as_open_as_the_sum_of_multipliers_that_it_stands_for() -> None:
    """w = 4 is what is left of 10¹² 2²⁰ − 10¹² 2²⁰, beside which 4 · 1 is nothing."""
    far = 2.0**20
    for size, status in ((1e12, "VERIFIED"), (1.0, "REFUTED")):
        fitted = {
            "n_features_in_": 1, "classes_": ["a", "b"], "n_iter_": [3], "support_": [0, 1],
            "support_vectors_": [[far], [far]], "dual_coef_": [[-size, size]],
            "intercept_": [0.0], "coef_": [[4.0]],
        }  # fmt: skip
        estimator = stand_in("SVC", SVC, fitted, {"predict": ["b", "b", "a"]})
        verdict = refmc.judge(estimator, [[far], [far], [1.0]], ["a", "b", "b"])
        assert verdict.verdicts[-1].status == status


def test_liblinear_promises_half_the_square_of_the_gradient_where_it_stops(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """½w² + Σ(1 − y w x)² over 1 and −1 has ∇P(0) = −4; half of the rows are of either class."""
    parameters = {
        "penalty": "l2", "multi_class": "ovr", "loss": "squared_hinge", "C": 1.0, "tol": 0.25,
        "fit_intercept": False, "intercept_scaling": 1, "dual": False, "max_iter": 10,
        "class_weight": None,
    }  # fmt: skip
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "coef_": [[0.75]], "intercept_": 0.0}
    verdict = refmc.judge(stand_in("LinearSVC", parameters, fitted | {"n_iter_": 4}), ROWS, LABELS)
    assert promised(verdict) == F(1, 2) * (F(1, 4) * F(1, 2) * 4) ** 2
    assert "worst of" not in verdict.summary  # there is one part
    # P(w) = ½w² + 2(1 − w)² is least at 4/5, with 2/5
    assert verdict and verdict.gap == F(3, 4) ** 2 / 2 + 2 * F(1, 16) - F(2, 5)
    far = fitted | {"n_iter_": 10, "coef_": [[0.5]]}  # 1/8 + 1/2 − 2/5 is above the promised 1/8
    assert refmc.judge(stand_in("LinearSVC", parameters, far), ROWS, LABELS).status == "REFUTED"
    monkeypatch.setattr(svms, "MANY", 1)  # α = 2(1 − 3/4) of both rows has the dual value 3/8
    many = refmc.judge(stand_in("LinearSVC", parameters, fitted | {"n_iter_": 4}), ROWS, LABELS)
    assert many and many.gap == F(2, 5) - F(3, 8)
    stopped = stand_in("LinearSVC", parameters, fitted | {"n_iter_": 10})
    assert "it stopped after 10 iterations, before" in refmc.judge(stopped, ROWS, LABELS).promise


@pytest.mark.parametrize(("w", "status"), [(1.0, "VERIFIED"), (1.5, "REFUTED"), (-1.0, "REFUTED")])
def test_the_one_row_of_two_joint_classes_is_the_difference_of_theirs(
    w: float, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """½(w/2)² + ½(w/2)² + 2(1 − w) is least at w = 1, which leaves half of it to each class."""
    parameters = {
        "penalty": "l2", "multi_class": "crammer_singer", "loss": "squared_hinge", "C": 1.0,
        "tol": 1e-4, "fit_intercept": False, "dual": True, "max_iter": 10, "class_weight": None,
    }  # fmt: skip
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "coef_": [[w]], "intercept_": 0.0}
    estimator = stand_in("LinearSVC", parameters, fitted | {"n_iter_": 3})
    verdict = refmc.judge(estimator, ROWS, LABELS)
    assert verdict.status == status
    assert verdict.claims[0].answer["W"] == [[-w / 2], [w / 2]]
    half = refmc.judge(
        stand_in("LinearSVC", parameters | {"C": 0.5}, fitted | {"n_iter_": 3}), ROWS, LABELS
    )
    assert promised(half) == F(1e-4) * 2 * F(1, 2)
    monkeypatch.setattr("refmc.mistakes.known.hint", lambda problem, answer, found: "a mistake")
    # its solver knows no max_iter
    for count, stopped in ((10, False), (99_999, False), (100_000, True)):
        ended = refmc.judge(
            stand_in("LinearSVC", parameters, fitted | {"n_iter_": count}), ROWS, LABELS
        )
        assert ("it stopped after" in ended.promise) == stopped
        # that it stopped is the reason then, whatever else its weights may look like
        assert ended.hint == "a mistake" * (status == "REFUTED" and not stopped)


def boosted(
    width: int, arrays: dict[str, Any], base: list[str], error: float, **parameters: object
) -> Any:
    """An AdaBoostClassifier of one tree for a and b, which predicts what the tree does."""
    fitted = {"classes_": ["a", "b"], "n_features_in_": width}
    tree = stand_in("Tree", {}, arrays | {"n_node_samples": [len(base)]})
    grown = dump_of("DecisionTreeClassifier", criterion="gini")["parameters"] | parameters
    member = stand_in("DecisionTreeClassifier", grown, fitted | {"tree_": tree}, {"predict": base})
    alpha = log((1 - error) / error) if error else 1.0
    weights = {"estimators_": [member], "estimator_weights_": [alpha], "estimator_errors_": [error]}
    return stand_in(
        "AdaBoostClassifier", {"learning_rate": 1.0}, fitted | weights, {"predict": base}
    )


def test_each_tree_of_a_boosted_run_is_judged_for_the_weights_of_its_round() -> None:
    dump = dump_of("AdaBoostClassifier", n_estimators=3)
    claims: Any = refmc.judge(restored(dump), X, y).claims
    assert [claim.part for claim in claims] == ["tree 1", "tree 2", "tree 3", "the run"]
    wrong = sum(h != c for h, c in zip(claims[3].answer["rounds"][0]["base"], y))
    light, heavy = sorted({float(w) for w in claims[1].problem["weights"]})
    assert heavy / light == pytest.approx(2 * (len(y) - wrong) / wrong)  # (k − 1)(1 − ε)/ε
    weighed: Any = refmc.judge(restored(dump), X, y, [1e-20] + [1.0] * (len(y) - 1)).claims
    assert min(weighed[1].problem["weights"]) == F(1, 2**52)  # what smaller ones are raised to
    second, third = dump["fitted"]["estimators_"][1:]
    second["fitted"]["tree_"], third["fitted"]["tree_"] = (
        third["fitted"]["tree_"],
        second["fitted"]["tree_"],
    )  # each would be right for the other's weights
    found = [verdict.status for verdict in refmc.judge(restored(dump), X, y).verdicts]
    assert found == ["VERIFIED", "REFUTED", "REFUTED", "VERIFIED"]


def test_rounded_weights_settle_ties_of_boosted_trees() -> None:
    """Each column tells one of the two rows of a; better the heavier, if that is more than
    rounding."""
    rows, labels = [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [0.0, 0.0]], ["a", "a", "b", "b"]
    arrays = {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
        "threshold": [0.5, -2.0, -2.0], "value": [[[0.3, 0.7]], [[0.2, 0.8]], [[1.0, 0.0]]],
    }  # fmt: skip
    for heavier, status in (
        (2.0**-45, "VERIFIED"),
        (2.0**-30, "REFUTED"),
        (-(2.0**-30), "VERIFIED"),
    ):
        weights = [1.0, 1 + heavier, 2.0, 2.0]
        error = weights[1] / sum(weights)
        estimator = boosted(2, arrays, ["a", "b", "b", "b"], error, max_leaf_nodes=2)
        verdict = refmc.judge(estimator, rows, labels, weights)
        assert [part.status for part in verdict.verdicts] == [status, "VERIFIED"]
    assert not refmc.judge(estimator, rows, labels, [1, 1, 2, 3]).verdicts[1]
    with_hint = boosted(2, arrays, ["a", "b", "b", "b"], 1 / 6, max_leaf_nodes=2)
    near = refmc.judge(with_hint, rows, labels, [1.0, 1 + 2.0**-45, 2.0, 2.0]).verdicts[0]
    assert near.hint.startswith("right but for rounding; the root: x0 <= 0.5 decreases")


def test_a_pure_node_that_rounded_weights_split_is_a_leaf() -> None:
    rows, labels = [[1.0], [2.0], [3.0]], ["a", "a", "b"]
    arrays: dict[str, Any] = {
        "children_left": [1, 2, -1, -1, -1], "children_right": [4, 3, -1, -1, -1],
        "feature": [0, 0, -2, -2, -2], "threshold": [2.5, 1.5, -2.0, -2.0, -2.0],
        "value": [[[0.6, 0.4]], *[[[1.0, 0.0]]] * 3, [[0.0, 1.0]]],
    }  # fmt: skip
    estimator = boosted(1, arrays, labels, 0.0)
    assert refmc.judge(estimator, rows, labels)
    of_numbers = boosted(1, arrays, labels, 0.0)
    for held in (of_numbers, of_numbers.estimators_[0]):
        held.classes_, held.predict = [0, 1], lambda _: [0, 0, 1]
    assert refmc.judge(of_numbers, rows, [0, 0, 1])  # a label of 0 is no weight of 0
    alone = refmc.judge(estimator.estimators_[0], rows, labels)
    assert "is split by x0 <= 1.5, but it is pure" in alone.explain()
    assert refmc.judge(estimator.estimators_[0], rows, labels, [0.1] * 3)
    two_levels = arrays | {"value": [[[v, 1 - v]] for v in (0.6, 0.5, 1.0, 0.0, 1.0)]}
    deep = boosted(1, two_levels, list("aba"), 0.0, max_depth=1)
    too_deep = refmc.judge(deep, rows, list("aba"))  # whatever was rounded
    assert not too_deep and "is split by x0 <= 1.5" in too_deep.explain()
    arrays["threshold"][0] = 1.5  # which isn't right for any rounding
    assert not refmc.judge(boosted(1, arrays, labels, 0.0), rows, labels)


def test_rows_labels_and_weights_come_in_their_natural_shapes() -> None:
    tree = restored(dump_of("DecisionTreeClassifier", criterion="gini"))
    verdict = refmc.judge(tree, Frame(["length", "width"], X), Array(y), Array([1.0] * len(y)))
    assert verdict and verdict.claims[0].problem["columns"] == ("length", "width")
    dump = dump_of("DecisionTreeClassifier", criterion="gini")
    dump["fitted"]["tree_"]["fitted"]["threshold"]["array"][0] = 4.0
    wrong = refmc.judge(restored(dump), Frame(["length", "width"], X), y)
    assert "width <= 4" in wrong.explain()
    with pytest.raises(refmc.OracleFailure, match="width <= 4"):
        refmc.assert_judged(restored(dump), Frame(["length", "width"], X), y)


def test_parts_may_be_judged_side_by_side() -> None:
    estimator = restored(dump_of("OneVsRestClassifier"))
    with ThreadPoolExecutor(2) as pool:
        assert refmc.judge(estimator, X, y, executor=pool) == refmc.judge(estimator, X, y)


def test_a_pipeline_is_judged_by_its_last_step_on_the_rows_that_the_others_make() -> None:
    class Doubling:
        def transform(self, rows: list[list[float]]) -> Array:
            return Array([[2 * v for v in row] for row in rows])

    last = svc()
    steps = [("double", Doubling()), ("pass", Doubling()), ("svc", last)]
    pipeline = stand_in("Pipeline", {"steps": steps}, {})
    before = {"double, pass": Doubling()}
    type(pipeline).__getitem__ = lambda _, some: before[", ".join(str(s[0]) for s in steps[some])]
    assert refmc.judge(pipeline, [[-0.5], [0.5]], LABELS)
    alone = stand_in("Pipeline", {"steps": [("svc", last)]}, {})  # nothing is before it
    assert refmc.judge(alone, ROWS, LABELS)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kernel": "sigmoid"}, "SVC(kernel='sigmoid'): give its matrix as 'precomputed'"),
        ({"probability": True}, "SVC(probability=True): its probabilities come from random folds"),
        ({"kernel": "rbf"}, "SVC: get_params() has no 'gamma'"),
        ({"kernel": max}, "SVC(kernel=<built-in function max>): give its matrix as 'precomputed'"),
        ({"C": "a"}, "SVC(C='a'): expected a finite number"),
        ({"tol": None}, "SVC(tol=None): expected a finite number"),
        ({"kernel": "poly", "gamma": 0.0}, "SVC(gamma=0.0): no kernel tells rows apart then"),
        ({"kernel": "rbf", "gamma": 0}, "SVC(gamma=0): no kernel tells rows apart then"),
        ({"kernel": "rbf", "gamma": "auto_"}, "SVC(gamma='auto_'): expected a finite number"),
    ],
)
def test_a_setting_that_cannot_be_judged_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(refmc.RefmcError) as error:
        refmc.judge(svc(**change), ROWS, LABELS)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("kind", "setting", "value"),
    [
        ("LinearSVC", "penalty", "l1"),
        ("DecisionTreeClassifier", "splitter", "random"),
        ("DecisionTreeClassifier", "max_features", "sqrt"),
        ("DecisionTreeClassifier", "max_features", 1),
        ("AdaBoostClassifier", "algorithm", "SAMME.R"),
        ("LinearSVC", "loss", "log_loss"),
        ("AdaBoostClassifier", "learning_rate", 0.5),
        ("Perceptron", "shuffle", True),
        ("Perceptron", "tol", 0.001),
        ("Perceptron", "penalty", "l2"),
        ("Perceptron", "class_weight", "balanced"),
        ("SGDClassifier", "penalty", "l1"),
        ("SGDClassifier", "class_weight", {"setosa": 2}),
        ("DecisionTreeClassifier", "min_weight_fraction_leaf", 0.1),
        ("DecisionTreeClassifier", "monotonic_cst", [1, 0]),
        ("SGDClassifier", "loss", "log_loss"),
        ("SGDClassifier", "learning_rate", "adaptive"),
        ("SGDClassifier", "shuffle", True),
        ("SGDClassifier", "early_stopping", True),
        ("SGDClassifier", "warm_start", True),
        ("SGDClassifier", "average", 10),
    ],
)
def test_random_draws_and_what_has_no_family_are_refused(
    kind: str, setting: str, value: object
) -> None:
    dump = dump_of(kind)
    dump["parameters"][setting] = value
    with pytest.raises(refmc.ParameterError, match=rf"{kind}\({setting}="):
        refmc.judge(restored(dump), X, y)


@pytest.mark.parametrize(
    ("rows", "labels", "error", "message"),
    [
        (
            [1.0, 2.0],
            LABELS,
            refmc.DataError,
            "X: row 0: expected a sequence of numbers, got float",
        ),
        ((row for row in ROWS), LABELS, refmc.DataError, "X: expected a sequence of rows, got gen"),
        (Sparse(), LABELS, refmc.DataError, "of a sparse matrix give .toarray()"),
        (
            [[float("nan")], [1.0]],
            LABELS,
            refmc.DataError,
            "X: row 0, column 0: expected a finite number",
        ),
        ([["one"], [1.0]], LABELS, refmc.DataError, "X: row 0, column 0: expected a number"),
        ([[1.0, 2.0]] * 2, LABELS, refmc.DataError, "fitted on 1 columns, but X has 2"),
        (ROWS, ["a", "c"], refmc.DataError, "fitted on the classes ['a', 'b'], but y has"),
        (ROWS, ["b", "a"], refmc.DataError, "dual_coef_ has the signs of those"),
        ([[-1.0], [2.0]], LABELS, refmc.DataError, "support vector 1 isn't row 1 of X"),
        ([[-1.0]], ["a"], refmc.DataError, "but y has ['a']"),
        (ROWS, ["a", 1], refmc.DataError, "y: labels of several types, int and str"),
        (ROWS, ["a"], refmc.DataError, "y: expected 2 labels, one a row, got 1"),
        (ROWS, [], refmc.DataError, "y: expected 2 labels, one a row, got 0"),
        (ROWS, [["a"], ["b"]], refmc.DataError, "several outputs a row, isn't"),
        (ROWS, [0.0, 1.0], refmc.DataError, "the classes ['a', 'b'], but y has [0, 1]"),
        (ROWS, [0.5, 1.0], refmc.DataError, "y[0]: the label 0.5 is no whole number; labels are"),
        (ROWS, [float("nan")] * 2, refmc.DataError, "y[0]: the label nan is no whole number"),
    ],
)
def test_other_rows_and_labels_than_it_was_fitted_on_are_named(
    rows: Any, labels: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as found:
        refmc.judge(svc(), rows, labels)
    assert message in str(found.value)


def test_what_is_not_fitted_or_unknown_is_named() -> None:
    with pytest.raises(refmc.FormatError, match="SVC: there is no 'n_features_in_'; it isn't fit"):
        refmc.judge(stand_in("SVC", SVC, {}), ROWS, LABELS)
    for unknown in (stand_in("LogisticRegression", {}, {}), type("Perceptron", (), {})()):
        with pytest.raises(refmc.ParameterError, match="'An estimator of your own' in spec"):
            refmc.judge(unknown, ROWS, LABELS)
    page = (SPEC / "python-tools.md").read_text(encoding="utf-8")
    assert "\n## An estimator of your own\n" in page
    one = read_training(ROWS, LABELS, None)
    assert Held("SVC", stand_in("SVC", {}, {"coef_": Sparse()}), {}).fitted("coef_") == [[1, 0]]
    assert one.of([1], [1]).X == one.of([1], [1]).given == [[1.0]]
    assert one.of([0, 1], [1, 0]).given is one.given


@pytest.mark.parametrize("name", ["dual_coef_", "intercept_", "coef_", "n_iter_"])
def test_numbers_that_are_not_finite_are_named(name: str) -> None:
    for value in (float("nan"), float("inf"), -float("inf")):
        estimator = svc()
        forms = {"dual_coef_": [[value, 1.0]], "coef_": [[value]]}
        setattr(estimator, name, forms.get(name, [value]))
        with pytest.raises(refmc.FormatError, match=rf"SVC.{name}: has -?(nan|inf), which is no"):
            refmc.judge(estimator, ROWS, LABELS)


def test_scores_beyond_binary64_are_refused() -> None:
    for w, b in ((1e308, 0.0), (8e307, 1e308)):  # 2w, and 2w + b
        estimator = svc()
        estimator.coef_, estimator.intercept_ = [[w]], [b]
        estimator.support_vectors_ = rows = [[-1.0], [2.0]]
        with pytest.raises(refmc.DataError, match="scores are beyond binary64"):
            refmc.judge(estimator, rows, LABELS)


def test_parts_that_cannot_be_judged_are_named() -> None:
    with pytest.raises(refmc.DataError, match="SVC was fitted without class a, of weight 0"):
        refmc.judge(svc(), ROWS, LABELS, sample_weight=[0, 1])
    whole = restored(dump_of("OneVsOneClassifier"))
    whole.estimators_[0].kernel = "precomputed"
    with pytest.raises(refmc.ParameterError, match=r"OneVsOneClassifier\(estimator=.*the matrix"):
        refmc.judge(whole, X, y)

    class Unfitted:
        def transform(self, rows: object) -> object:
            raise ValueError("This scaler is not fitted yet.")

    pipeline = stand_in("Pipeline", {"steps": [("scale", Unfitted()), ("svc", svc())]}, {})
    type(pipeline).__getitem__ = lambda self, steps: Unfitted()
    with pytest.raises(refmc.FormatError, match="Pipeline: This scaler is not fitted yet"):
        refmc.judge(pipeline, ROWS, LABELS)


@pytest.mark.parametrize(
    "steps", [None, "x", 1, [], {}, [()], [("svc",)], [1], ["ab"], [("svc", 1), 2]]
)
def test_steps_of_a_pipeline_that_are_none_are_named(steps: object) -> None:
    with pytest.raises(refmc.ParameterError, match="expected pairs of a name and an estimator"):
        refmc.judge(stand_in("Pipeline", {"steps": steps}, {}), ROWS, LABELS)


def test_labels_that_are_whole_floats_are_the_whole_numbers() -> None:
    for dump in (d for d in DUMPS if d["class"] in ("SVC", "AdaBoostClassifier")):
        numbered = json.loads(json.dumps(dump), object_hook=_with_numbers)
        labels = [float(sorted(set(y)).index(label)) for label in y]
        verdict = refmc.judge(restored(numbered), X, labels)
        assert verdict, verdict.explain()
        classes = verdict.claims[-1].problem.get("classes", [0])
        assert isinstance(classes, list) and {type(c) for c in classes} == {int}


def _with_numbers(part: dict[str, Any]) -> dict[str, Any]:
    """The part of a dump with the numbers 0.0, 1.0, … as labels."""
    for name, value in part.items():
        if isinstance(value, list) and value and set(map(str, value)) <= set(y):
            part[name] = [float(sorted(set(y)).index(str(label))) for label in value]
    return part


class Encoder:
    """The first step of a pipeline, which makes numbers of text."""

    def transform(self, rows: Any) -> Array:
        words: Any = plain(rows)
        return Array([[{"low": -1.0, "high": 1.0}[word]] for (word,) in words])


@pytest.mark.parametrize("rows", [[["low"], ["high"]], Frame(["size"], [["low"], ["high"]])])
def test_rows_of_text_are_what_a_pipeline_takes(rows: Any) -> None:
    pipeline = stand_in("Pipeline", {"steps": [("encode", Encoder()), ("svc", svc())]}, {})
    type(pipeline).__getitem__ = lambda self, steps: Encoder()
    assert refmc.judge(pipeline, rows, LABELS)
    search = stand_in("GridSearchCV", {}, {"best_estimator_": pipeline})
    assert refmc.judge(search, rows, LABELS)
    with pytest.raises(refmc.DataError, match="expected a number, got 'low'"):
        refmc.judge(svc(), rows, LABELS)


def test_rows_of_a_pipeline_may_be_sparse_on_their_way() -> None:
    class Dense:
        def toarray(self) -> Array:
            return Array(ROWS)

    class Sparsely:
        def transform(self, rows: object) -> Dense:
            return Dense()

    pipeline = stand_in("Pipeline", {"steps": [("encode", Sparsely()), ("svc", svc())]}, {})
    type(pipeline).__getitem__ = lambda self, steps: Sparsely()
    assert refmc.judge(pipeline, [["low"], ["high"]], LABELS)


@pytest.mark.parametrize(
    "kind", ["OneVsOneClassifier", "OneVsRestClassifier", "OutputCodeClassifier"]
)
def test_classifiers_made_of_others_have_rows_and_classes_of_their_own(kind: str) -> None:
    for name, value, told in (
        ("n_features_in_", 3, "3 columns, but X has 2"),
        ("classes_", ["a", "b", "c"], "the classes"),
    ):
        dump = dump_of(kind)
        dump["fitted"][name] = value
        with pytest.raises(refmc.DataError, match=f"{kind} was fitted on {told}"):
            refmc.judge(restored(dump), X, y)


def test_each_class_against_the_rest_is_a_part() -> None:
    for kind, more in (("OneVsRestClassifier", ["the largest score"]), ("Perceptron", [])):
        parts = [c.part for c in refmc.judge(restored(dump_of(kind)), X, y).claims]
        assert parts == [*(f"{c} against the rest" for c in sorted(set(y))), *more]


@pytest.mark.parametrize("kind", ["AdaBoostClassifier", "OneVsOneClassifier"])
def test_members_that_saw_no_names_are_asked_without(kind: str) -> None:
    named = Frame(["length", "width"], X)
    whole = restored(dump_of(kind))
    for member in whole.estimators_:
        member.predict = lambda rows, said=member.predict: said(rows.tolist())  # no frame has that
    assert refmc.judge(whole, named, y)


@pytest.mark.filterwarnings("error")
def test_real_pipelines_and_frames_are_judged_without_a_warning() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    for estimator, rows, labels in make_estimators.of_frames():
        verdict = refmc.judge(estimator.fit(rows, labels), rows, labels)
        assert verdict, verdict.explain()


@pytest.mark.campaign
def test_the_dump_is_what_scikit_learn_makes_today() -> None:
    pytest.importorskip("sklearn")
    for dump, estimator in zip(DUMPS, make_estimators.estimators(), strict=True):
        assert dump["class"] == type(estimator).__name__
        assert refmc.judge(estimator.fit(X, y), X, y)
