"""refmc fit, refmc predict and refmc show."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from refmc.cli.files import clock, load_table, read_text, refuse_two_inputs, write
from refmc.core.records import Record, parse_json, write_json
from refmc.core.table import Table
from refmc.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from refmc.learn.trees_model import DecisionTree
    from refmc.theory.kernels import Kernel


def add_fit(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit`, an algorithm each."""
    parser.description = "Train a model on a CSV file with a header line; print it as JSON."
    algorithms = parser.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    _add_svm(algorithms.add_parser("multiclass-svm", help="multi-class kernel SVM"))
    _add_tree(algorithms.add_parser("tree", help="decision tree, grown and pruned"))


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    parser.add_argument("--label", required=True, metavar="COLUMN", help="the column of labels")
    parser.add_argument("--columns", metavar="A,B,…", help="the features (default: all others)")
    parser.add_argument("-o", "--output", metavar="FILE", help="write the model there instead")


def _add_svm(parser: argparse.ArgumentParser) -> None:
    parser.description = "Multi-class kernel SVM: ½ Σ‖f_y‖² + C Σ η_i, no bias."
    _add_data(parser)
    parser.add_argument(
        "--C", required=True, metavar="NUMBER", help="weight of the slacks, above 0"
    )
    parser.add_argument("--kernel", choices=["linear", "polynomial", "rbf"], default="linear")
    parser.add_argument("--degree", type=int, default=2, help="(x·x′/scale + offset)^degree")
    parser.add_argument("--scale", default="1", metavar="NUMBER")
    parser.add_argument("--offset", default="1", metavar="NUMBER")
    parser.add_argument("--gamma", default="1", metavar="NUMBER", help="rbf e^(-gamma ‖x − x′‖²)")
    parser.add_argument("--exact", action="store_true", help="decimals as written, exact optimum")
    parser.set_defaults(run=_fit_svm)


def _fit_svm(arguments: argparse.Namespace) -> int:
    from refmc.learn.multiclass_svm import fit_multiclass_svm

    table, columns, y = _data(arguments)
    X = table.fractions(columns) if arguments.exact else table.floats(columns)
    with clock("training"):
        model = fit_multiclass_svm(X, y, C=arguments.C, kernel=_kernel(arguments))
    gap = model.certificate.gap
    reached = f"objective {float(model.objective):.10g}, gap {float(gap):.1e}"
    if model.certificate.rounded_kernel:
        reached += " for the rounded kernel matrix"
    elif gap == 0:
        reached += " (exactly 0)"
    _finish(arguments, model, columns, model.predict(X), y, reached)
    return 0


def _kernel(arguments: argparse.Namespace) -> Kernel:
    from refmc.theory.kernels import linear, polynomial, rbf

    if arguments.kernel == "polynomial":
        return polynomial(arguments.degree, arguments.scale, arguments.offset)
    if arguments.kernel == "rbf" and arguments.exact:
        raise ParameterError("--exact: the rbf kernel has no exact values; leave out --exact")
    return rbf(arguments.gamma) if arguments.kernel == "rbf" else linear


def _add_tree(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Decision tree. Columns whose cells are all numbers ask ≤, others ask ∈; nothing is "
        "rounded. Pruning collapses nodes as λ grows; λ is given, or chosen by cross-validation."
    )
    _add_data(parser)
    measures = ["gini", "entropy", "misclassification"]
    parser.add_argument("--impurity", choices=measures, default="gini")
    parser.add_argument("--categorical", metavar="A,B,…", help="columns to read as categories")
    parser.add_argument("--max-splits", type=int, metavar="T", help="rounds (default: no limit)")
    parser.add_argument("--min-leaf", type=int, default=1, metavar="ROWS")
    parser.add_argument("--max-depth", type=int, metavar="LEVELS")
    parser.add_argument("--min-decrease", metavar="NUMBER", help="least decrease of a split")
    parser.add_argument("--thresholds", choices=["values", "midpoints"], default="values")
    parser.add_argument(
        "--weighted", action="store_true", help="weigh decreases by the node's size"
    )
    parser.add_argument("--prune", metavar="cv|λ", help="cv chooses λ by cross-validation")
    parser.add_argument(
        "--risk", choices=measures, help="node risk when pruning (default: impurity)"
    )
    parser.add_argument(
        "--folds", type=int, default=10, metavar="N", help="for --prune cv; stratified"
    )
    parser.add_argument("--one-standard-error", action="store_true", help="for --prune cv")
    parser.set_defaults(run=_fit_tree)


def _fit_tree(arguments: argparse.Namespace) -> int:
    from refmc.learn.trees import grow_tree
    from refmc.learn.trees_saved import IMPURITIES

    table, columns, y = _data(arguments)
    categorical = arguments.categorical.split(",") if arguments.categorical else []
    for title in categorical:
        if title not in columns:
            raise ParameterError(f"--categorical: no column {title!r} among {', '.join(columns)}")
    kinds = table.kinds(columns, categorical)
    X = table.cells(columns, kinds)
    grow = partial(
        grow_tree,
        impurity=IMPURITIES[arguments.impurity],
        max_splits=arguments.max_splits,
        min_leaf=arguments.min_leaf,
        max_depth=arguments.max_depth,
        min_decrease=arguments.min_decrease,
        thresholds=arguments.thresholds,
        weighted=arguments.weighted,
        classes=sorted(set(y)),
    )
    with clock("growing"):
        tree, chosen = _pruned(arguments, grow, X, y)
    leaves = _counted(len(tree.leaves()), "leaf", "leaves")
    size = f"{leaves}, depth {tree.depth}{chosen}"
    _finish(arguments, tree, columns, tree.predict(X), y, size)
    return 0


def _pruned(
    arguments: argparse.Namespace, grow: Callable[..., DecisionTree], X: list[Any], y: list[str]
) -> tuple[DecisionTree, str]:
    """The tree that was asked for, and what is to be said about its λ."""
    from refmc.learn.pruning import prune, pruning_sequence
    from refmc.learn.pruning_choice import choose_lam
    from refmc.learn.selection import folds
    from refmc.learn.trees_saved import IMPURITIES

    risk = IMPURITIES[arguments.risk] if arguments.risk else None
    if arguments.prune is None:
        return grow(X, y), ""
    if arguments.prune != "cv":
        return prune(pruning_sequence(grow(X, y), risk=risk), arguments.prune), ""
    choice = choose_lam(
        X,
        y,
        grow=grow,
        folds=folds(len(y), arguments.folds, y),
        risk=risk,
        one_standard_error=arguments.one_standard_error,
    )
    error = choice.errors[choice.lams.index(choice.lam)]
    return choice.tree, f", λ ≈ {float(choice.lam):.6g}, cross-validated error {float(error):.6g}"


def _data(arguments: argparse.Namespace) -> tuple[Table, list[str], list[str]]:
    """The table, the titles of the features, and the labels."""
    table = load_table(arguments.data)
    y = table.labels(arguments.label)
    columns = arguments.columns.split(",") if arguments.columns else table.without(arguments.label)
    for title in columns:
        if title == arguments.label or columns.count(title) > 1:
            why = "is the label" if title == arguments.label else "stands twice"
            raise ParameterError(f"--columns: {title!r} {why}")
    return table, columns, y


def _finish(
    arguments: argparse.Namespace,
    model: Any,
    columns: list[str],
    labels: list[Any],
    y: list[str],
    summary: str,
) -> None:
    """Write the model with its column names, and say what it is."""
    wrong = sum(guess != label for guess, label in zip(labels, y))
    record = {**parse_json(model.to_json(), "model"), "columns": columns, "label": arguments.label}
    write(write_json(record), arguments.output)
    print(
        f"refmc: {_counted(len(y), 'row', 'rows')}, {_counted(len(columns), 'column', 'columns')}, "
        f"{_counted(len(model.classes), 'class', 'classes')}; {summary}; "
        f"{wrong} of {len(y)} training rows wrong",
        file=sys.stderr,
    )


def _counted(n: int, one: str, several: str) -> str:
    return f"{n} {one if n == 1 else several}"


def add_predict(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc predict`."""
    parser.description = (
        "Label the rows of a CSV file by a model that `refmc fit` saved. Prints JSON: the label "
        "of each row, all tied labels of the rows that have several, and, where the file has the "
        "label column, the number of errors."
    )
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    parser.set_defaults(run=_predict)


def _predict(arguments: argparse.Namespace) -> int:
    refuse_two_inputs(arguments.model, arguments.data)
    model, record = _saved(arguments.model)
    columns, label = record["columns"], record.get("label")
    assert isinstance(columns, list)
    table = load_table(arguments.data)
    if hasattr(model, "kinds"):
        X: list[Any] = table.cells(columns, model.kinds)
    else:
        exactly = isinstance(model.zero, Fraction)
        X = table.fractions(columns) if exactly else table.floats(columns)
    labels, sets = model.predict(X), [model.predict_set(x) for x in X]
    answer: dict[str, object] = {
        "labels": labels,
        "tied": {str(i): list(tied) for i, tied in enumerate(sets) if len(tied) > 1},
    }
    if label in table.header:
        truth = table.labels(str(label))
        answer["errors"] = sum(a != b for a, b in zip(labels, truth))
    print(write_json(answer))
    return 0


def add_show(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc show`."""
    parser.description = "Print a saved decision tree as text, Graphviz DOT or Mermaid."
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("--as", dest="form", choices=["text", "dot", "mermaid"], default="text")
    parser.set_defaults(run=_show)


def _show(arguments: argparse.Namespace) -> int:
    model, record = _saved(arguments.model)
    if not hasattr(model, "to_text"):
        raise ParameterError(f"{arguments.model}: only decision trees can be shown")
    forms = {"text": model.to_text, "dot": model.to_dot, "mermaid": model.to_mermaid}
    picture = forms[arguments.form](record["columns"]).rstrip("\n")
    if arguments.form == "text":
        print(f"rows of {', '.join(map(str, model.classes))} in brackets")
    print(picture)
    return 0


def _saved(path: str) -> tuple[Any, Record]:
    """The model in a file that `refmc fit` wrote, and its record."""
    from refmc.learn.trees_model import DecisionTree
    from refmc.oracle.models import load_model

    text = read_text(path)
    model: Any = load_model(text)
    record = parse_json(text, "model")
    columns = record.get("columns")
    if columns is None:
        raise FormatError("model.columns: missing; only models of `refmc fit` name their columns")
    width = len(model.kinds) if isinstance(model, DecisionTree) else len(model.rows[0])
    if not isinstance(columns, list) or not all(isinstance(title, str) for title in columns):
        raise FormatError("model.columns: expected a list of strings")
    if len(columns) != width or len(set(columns)) != width:
        raise FormatError(f"model.columns: expected {width} different titles, one a feature")
    return model, record
