"""refmc fit and refmc predict."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

from refmc.cli.files import clock, load_table, read_text, write
from refmc.core.records import parse_json, write_json
from refmc.errors import FormatError, ParameterError

if TYPE_CHECKING:
    from refmc.theory.kernels import Kernel


def add_fit(parser: argparse.ArgumentParser) -> None:
    parser.description = "Train a model on a CSV file with a header line; print it as JSON."
    algorithms = parser.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    svm = algorithms.add_parser("multiclass-svm", help="multi-class kernel SVM")
    svm.description = "Multi-class kernel SVM: ½ Σ‖f_y‖² + C Σ η_i, no bias."
    svm.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    svm.add_argument("--label", required=True, metavar="COLUMN", help="the column of labels")
    svm.add_argument("--columns", metavar="A,B,…", help="the features (default: all others)")
    svm.add_argument("--C", required=True, metavar="NUMBER", help="weight of the slacks, above 0")
    svm.add_argument("--kernel", choices=["linear", "polynomial", "rbf"], default="linear")
    svm.add_argument(
        "--degree", type=int, default=2, help="polynomial (x·x′/scale + offset)^degree"
    )
    svm.add_argument("--scale", default="1", metavar="NUMBER")
    svm.add_argument("--offset", default="1", metavar="NUMBER")
    svm.add_argument("--gamma", default="1", metavar="NUMBER", help="rbf e^(-gamma ‖x − x′‖²)")
    svm.add_argument("--exact", action="store_true", help="decimals as written, exact optimum")
    svm.add_argument("-o", "--output", metavar="FILE", help="write the model there instead")
    svm.set_defaults(run=_fit)


def _fit(arguments: argparse.Namespace) -> int:
    from refmc.learn.multiclass_svm import fit_multiclass_svm

    table = load_table(arguments.data)
    y = table.labels(arguments.label)
    columns = arguments.columns.split(",") if arguments.columns else table.without(arguments.label)
    X = table.floats(columns) if not arguments.exact else table.fractions(columns)
    with clock("training"):
        model = fit_multiclass_svm(X, y, C=arguments.C, kernel=_kernel(arguments))
    wrong = sum(guess != label for guess, label in zip(model.predict(X), y))
    gap = model.certificate.gap
    print(
        f"refmc: {len(y)} rows, {len(columns)} columns, {len(model.classes)} classes; objective "
        f"{float(model.objective):.10g}, gap {float(gap):.1e}{' (exactly 0)' if gap == 0 else ''}; "
        f"{wrong} of {len(y)} training rows wrong",
        file=sys.stderr,
    )
    record = {**parse_json(model.to_json(), "model"), "columns": columns, "label": arguments.label}
    write(write_json(record), arguments.output)
    return 0


def _kernel(arguments: argparse.Namespace) -> Kernel:
    from refmc.theory.kernels import linear, polynomial, rbf

    if arguments.kernel == "polynomial":
        return polynomial(arguments.degree, arguments.scale, arguments.offset)
    if arguments.kernel == "rbf" and arguments.exact:
        raise ParameterError("--exact: the rbf kernel has no exact values; leave out --exact")
    return rbf(arguments.gamma) if arguments.kernel == "rbf" else linear


def add_predict(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Label the rows of a CSV file by a model that `refmc fit` saved. Prints JSON: the label "
        "of each row, all tied labels of the rows that have several, and, where the file has the "
        "label column, the number of errors."
    )
    parser.add_argument("model", metavar="MODEL", help="JSON file that refmc fit wrote")
    parser.add_argument("data", metavar="DATA.csv", help="CSV file with a header line, or -")
    parser.set_defaults(run=_predict)


def _predict(arguments: argparse.Namespace) -> int:
    from refmc.oracle.models import load_model

    text = read_text(arguments.model)
    model, record = load_model(text), parse_json(text, "model")
    columns, label = record.get("columns"), record.get("label")
    if not isinstance(columns, list):
        raise FormatError("model.columns: missing; only models of `refmc fit` name their columns")
    table = load_table(arguments.data)
    exactly = isinstance(model.zero, Fraction)
    X = table.fractions(columns) if exactly else table.floats(columns)
    sets = [model.predict_set(x) for x in X]
    labels = model.predict(X)
    answer: dict[str, object] = {
        "labels": labels,
        "tied": {str(i): list(tied) for i, tied in enumerate(sets) if len(tied) > 1},
    }
    if label in table.header:
        truth = table.labels(str(label))
        answer["errors"] = sum(a != b for a, b in zip(labels, truth))
    print(write_json(answer))
    return 0
