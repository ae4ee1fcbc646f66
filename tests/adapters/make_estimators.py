"""Fit the estimators of tests/data/estimators.json anew, where scikit-learn is installed.

python tests/adapters/make_estimators.py > tests/data/estimators.json
"""

import csv
import json
import sys
import warnings
from importlib import import_module
from pathlib import Path
from typing import Any

IRIS = Path(__file__).parent.parent / "data" / "iris.csv"

FITTED = [
    "n_features_in_",
    "classes_",
    "coef_",
    "intercept_",
    "n_iter_",
    "support_",
    "support_vectors_",
    "dual_coef_",
    "class_weight_",
    "tree_",
    "estimators_",
    "estimator_weights_",
    "estimator_errors_",
    "code_book_",
    "best_estimator_",
]
OF_TREES = ["children_left", "children_right", "feature", "threshold", "value", "n_node_samples"]
METHODS = ("predict", "decision_function", "predict_proba", "cost_complexity_pruning_path")
PATH = METHODS[-1]


def rows() -> tuple[list[list[float]], list[str]]:
    """Length and width of the petals of every twelfth iris."""
    with IRIS.open(encoding="utf-8") as file:
        table = list(csv.reader(file))[1::12]
    return [list(map(float, row[2:4])) for row in table], [row[4] for row in table]


def dumped(value: Any, X: Any, y: Any) -> Any:
    """In JSON types: arrays are marked as such, estimators have parts."""
    if hasattr(value, "get_params"):
        fitted = [name for name in FITTED if hasattr(value, name)]
        is_fitted = hasattr(value, "classes_") or hasattr(value, "y_")
        methods = [name for name in METHODS if is_fitted and hasattr(value, name)]
        is_grown = hasattr(value, "tree_") and not value.ccp_alpha
        answers = {}
        for method in methods:
            if method != PATH or is_grown:
                answers[method] = getattr(value, method)(*([X, y] if method == PATH else [X]))
        return {
            "class": type(value).__name__,
            "parameters": dumped(value.get_params(deep=False), X, y),
            "fitted": dumped({name: getattr(value, name) for name in fitted}, X, y),
            "answers": dumped(answers, X, y),
        }
    if hasattr(value, "children_left"):
        tree = {name: getattr(value, name) for name in OF_TREES}
        return {"class": "Tree", "parameters": {}, "fitted": dumped(tree, X, y), "answers": {}}
    if hasattr(value, "tolist"):
        return {"array": value.tolist()}
    if isinstance(value, dict):
        return {str(name): dumped(entry, X, y) for name, entry in value.items()}
    return [dumped(entry, X, y) for entry in value] if isinstance(value, (list, tuple)) else value


def estimators() -> list[Any]:
    """One of each kind and of each way in which it says what it did."""
    names = ("ensemble", "linear_model", "model_selection", "multiclass", "svm", "tree")
    ensemble, linear, selection, multiclass, svm, trees = (
        import_module(f"sklearn.{name}") for name in names
    )
    DecisionTreeClassifier, SVC = trees.DecisionTreeClassifier, svm.SVC
    same: dict[str, Any] = {"random_state": 0}
    tree, shallow = DecisionTreeClassifier(**same), DecisionTreeClassifier(max_depth=1, **same)
    in_turn: dict[str, Any] = {"shuffle": False, "tol": None, "max_iter": 3}
    return [
        svm.LinearSVC(**same),
        svm.LinearSVC(loss="hinge", max_iter=10**6, **same, class_weight={"setosa": 2}),
        svm.LinearSVC(multi_class="crammer_singer", max_iter=10**6, fit_intercept=False, **same),
        SVC(kernel="linear"),
        SVC(class_weight="balanced"),
        SVC(kernel="poly", degree=2),
        tree,
        DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=3, **same),
        DecisionTreeClassifier(ccp_alpha=0.1, **same),
        ensemble.AdaBoostClassifier(shallow, n_estimators=3, **same),
        ensemble.AdaBoostClassifier(tree, **same),
        linear.Perceptron(**in_turn),
        linear.SGDClassifier(**in_turn),
        multiclass.OneVsOneClassifier(shallow),
        multiclass.OneVsRestClassifier(linear.SGDClassifier(**in_turn)),
        multiclass.OutputCodeClassifier(shallow, **same),
        selection.GridSearchCV(shallow, {"max_depth": [1, 2]}, cv=2),
    ]


def of_frames() -> list[tuple[Any, Any, Any]]:
    """Estimators of data frames, with their rows and labels: names of columns, text, floats."""
    compose, linear, preprocess, multiclass = (
        import_module(f"sklearn.{name}")
        for name in ("compose", "linear_model", "preprocessing", "multiclass")
    )
    pipeline = import_module("sklearn.pipeline").make_pipeline
    kinds = {type(one).__name__: one for one in estimators()}
    svm, tree = kinds["LinearSVC"], kinds["DecisionTreeClassifier"]
    frame = import_module("pandas").DataFrame
    X, y = rows()
    numbers, whole = frame(X, columns=["length", "width"]), [float(len(label) % 3) for label in y]
    words = numbers.assign(size=["long" if x > 4 else "short" for x, _ in X])
    encode = compose.ColumnTransformer(
        [("size", preprocess.OneHotEncoder(), ["size"]), ("rest", "passthrough", ["width"])],
        sparse_threshold=1,
    )
    return [
        *((kinds[name], numbers, y) for name in ("AdaBoostClassifier", "OneVsOneClassifier")),
        *((one, numbers, whole) for one in kinds.values()),
        *((pipeline(encode, one), words, y) for one in (svm, kinds["SVC"], tree)),
        (multiclass.OneVsRestClassifier(pipeline(encode, svm)), words, y),
        (pipeline(preprocess.StandardScaler(), linear.Perceptron(shuffle=False, tol=None)), X, y),
    ]


def made() -> dict[str, Any]:
    """What the file has."""
    warnings.simplefilter("ignore")
    X, y = rows()
    found = [dumped(estimator.fit(X, y), X, y) for estimator in estimators()]
    return {
        "program": "scikit-learn",
        "version": import_module("sklearn").__version__,
        "estimators": found,
    }


if __name__ == "__main__":
    record = made()
    head = {name: record[name] for name in ("program", "version")}
    lines = ",\n".join(json.dumps(estimator) for estimator in record["estimators"])
    sys.stdout.write(json.dumps(head)[:-1] + ', "estimators": [\n' + lines + "\n]}\n")
