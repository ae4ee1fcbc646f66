"""The command line: reads, calls, prints.

One JSON document (or, for `check` without --json, the verdict in words) goes to standard output;
everything else to standard error. Exit codes: 0 verified or done, 1 refuted, 2 usage or
malformed input, 3 inconclusive, 70 a fault of refmc itself.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from refmc.core.records import parse_json, write_json
from refmc.core.table import Table, read_table
from refmc.errors import FormatError, ParameterError, RefmcError

if TYPE_CHECKING:
    from refmc.theory.kernels import Kernel

DONE, REFUTED, MALFORMED, INCONCLUSIVE, FAULT = 0, 1, 2, 3, 70

EXAMPLES = """\
examples:
  refmc check spec/examples/iris-svm.json spec/examples/iris-svm.liblinear.json
  refmc solve spec/examples/iris-svm.json > answer.json
  refmc fit multiclass-svm iris.csv --label species --C 1 -o model.json
  refmc predict model.json iris.csv

PROBLEM and ANSWER are JSON files, described in spec/format.md; - is standard input.
exit codes: 0 verified or done, 1 refuted, 2 usage or malformed input, 3 inconclusive,
70 a fault of refmc itself
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # silences the exit flush
        return DONE
    except RefmcError as error:
        print(f"refmc: {error}", file=sys.stderr)
        return MALFORMED
    except UnicodeEncodeError as error:
        print(f"refmc: can't be written: {error}", file=sys.stderr)
        return MALFORMED
    except OSError as error:
        print(f"refmc: {error.filename}: {error.strerror}", file=sys.stderr)
        return MALFORMED
    except KeyboardInterrupt:
        print("refmc: interrupted", file=sys.stderr)
        return 130
    except Exception:  # noqa: BLE001  # the last resort: no error path may exit 0
        traceback.print_exc()
        print("refmc: this is a fault of refmc, please report it", file=sys.stderr)
        return FAULT


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="refmc",
        description="The exact, tie-aware referee for multi-class classification.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_check(commands.add_parser("check", help="judge an answer to a problem, with a proof"))
    _add_solve(commands.add_parser("solve", help="print the exact answer with its certificate"))
    _add_fit(commands.add_parser("fit", help="train a model on a CSV file"))
    _add_predict(commands.add_parser("predict", help="label the rows of a CSV file"))
    return parser


def _add_check(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Judge an answer to a problem: VERIFIED, REFUTED or INCONCLUSIVE, with the exact gap to "
        "the optimum. The answer may be weights (W), scores, multipliers (lam) or labels."
    )
    parser.add_argument("problem", metavar="PROBLEM", help="JSON file, or -")
    parser.add_argument("answer", metavar="ANSWER", help="JSON file, or -")
    parser.add_argument(
        "--gap", default="1e-6", help="how far above the optimum is allowed (default: %(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.epilog = (
        'A problem: {"family": "svm.multiclass", "X": [["5.1", "3.5"], ["4.9", "3"]], '
        '"y": ["a", "b"], "C": "1"}. An answer: {"W": [["0.1", "0.2"], ["-0.1", "-0.2"]]}, '
        "one row a class in sorted order. Strings are exact decimals or ratios, plain numbers "
        "the binary64 they denote. Exit code: 0 verified, 1 refuted, 3 inconclusive, "
        "2 malformed input."
    )
    parser.set_defaults(run=_check)


def _check(arguments: argparse.Namespace) -> int:
    from refmc.oracle.answers import check

    problem, answer = _read_text(arguments.problem), _read_text(arguments.answer)
    with _clock("searching the exact optimum"):
        verdict = check(problem, answer, gap=arguments.gap)
    print(write_json(verdict.to_json()) if arguments.json else verdict.explain())
    return {"VERIFIED": DONE, "REFUTED": REFUTED, "INCONCLUSIVE": INCONCLUSIVE}[verdict.status]


def _add_solve(parser: argparse.ArgumentParser) -> None:
    parser.description = "Print the exact answer to a problem, with the certificate, as JSON."
    parser.add_argument("problem", metavar="PROBLEM", help="JSON file, or -")
    parser.set_defaults(run=_solve)


def _solve(arguments: argparse.Namespace) -> int:
    from refmc.oracle.answers import solve_problem

    problem = _read_text(arguments.problem)
    with _clock("solving exactly"):
        answer = solve_problem(problem)
    print(write_json(answer))
    return DONE


def _add_fit(parser: argparse.ArgumentParser) -> None:
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

    table = _read_table(arguments.data)
    y = table.labels(arguments.label)
    columns = arguments.columns.split(",") if arguments.columns else table.without(arguments.label)
    X = table.floats(columns) if not arguments.exact else table.fractions(columns)
    with _clock("training"):
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
    _write(write_json(record), arguments.output)
    return DONE


def _kernel(arguments: argparse.Namespace) -> Kernel:
    from refmc.theory.kernels import linear, polynomial, rbf

    if arguments.kernel == "polynomial":
        return polynomial(arguments.degree, arguments.scale, arguments.offset)
    if arguments.kernel == "rbf" and arguments.exact:
        raise ParameterError("--exact: the rbf kernel has no exact values; leave out --exact")
    return rbf(arguments.gamma) if arguments.kernel == "rbf" else linear


def _add_predict(parser: argparse.ArgumentParser) -> None:
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

    text = _read_text(arguments.model)
    model, record = load_model(text), parse_json(text, "model")
    columns, label = record.get("columns"), record.get("label")
    if not isinstance(columns, list):
        raise FormatError("model.columns: missing; only models of `refmc fit` name their columns")
    table = _read_table(arguments.data)
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
    return DONE


def _read_text(path: str) -> str:
    data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(f"{path}: not UTF-8 text: {error.reason}, byte {error.start}") from None


def _read_table(path: str) -> Table:
    return read_table(_read_text(path), "standard input" if path == "-" else path)


def _write(text: str, path: str | None) -> None:
    if path is None:
        print(text)
    else:
        data = (text + "\n").encode()  # fails before the file is opened
        Path(path).write_bytes(data)


@contextlib.contextmanager
def _clock(what: str) -> Iterator[None]:
    """Elapsed seconds on standard error while the body runs, if that is a terminal."""
    if not sys.stderr.isatty():
        yield
        return
    done = threading.Event()
    start = time.monotonic()

    def tick() -> None:
        while not done.wait(1):
            print(f"\rrefmc: {what}, {time.monotonic() - start:.0f} s", end="", file=sys.stderr)
            sys.stderr.flush()

    ticker = threading.Thread(target=tick, daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        print("\r\033[K", end="", file=sys.stderr, flush=True)
