"""The command line: reads, calls, prints.

One JSON document (or the verdict of `check` in words, or a picture) goes to standard output;
everything else to standard error. Exit codes: 0 verified or done, 1 refuted, 2 usage or
malformed input, 3 inconclusive, 4 a program crashed, 5 nothing was judged, 70 a fault of refmc
itself.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
import traceback
from collections.abc import Sequence

from refmc import __version__
from refmc.cli.drawing import add_draw
from refmc.cli.explaining import add_compare, add_explain
from refmc.cli.generating import add_gen, add_tiny
from refmc.cli.judging import add_check, add_solve
from refmc.cli.listing import add_mistakes, add_vectors
from refmc.cli.predicting import add_predict, add_show
from refmc.cli.problems import add_problem
from refmc.cli.running import add_run
from refmc.cli.serving import add_serve
from refmc.cli.shrinking import add_shrink
from refmc.cli.tracing import add_trace
from refmc.cli.training import add_fit
from refmc.errors import RefmcError

MALFORMED, FAULT, INTERRUPTED, CUT_OFF = 2, 70, 130, 141

EXAMPLES = """\
examples:
  refmc check spec/examples/iris-svm.json spec/examples/iris-svm.liblinear.json
  refmc solve spec/examples/iris-svm.json > answer.json
  refmc fit multiclass-svm iris.csv --label species --C 1 -o model.json
  refmc fit tree iris.csv --label species --prune cv -o tree.json
  refmc fit one-vs-one iris.csv --label species --binary svm --C 1 -o pairs.json
  refmc predict model.json iris.csv
  refmc show tree.json
  refmc problem iris.csv --label species --family tree.grow | refmc draw -
  refmc trace spec/examples/three-points.json
  refmc draw spec/examples/iris-svm.json --columns 2,3 -o picture.svg
  refmc run -- ./my-svm
  refmc vectors copy DIR
  refmc explain svm.binary/two-rows answer.json

PROBLEM and ANSWER are JSON files; - is standard input. spec/ is part of the source: spec/format.md
describes the files, spec/examples holds some.
exit codes: 0 verified or done, 1 refuted, 2 usage or malformed input, 3 inconclusive,
4 a program crashed, 5 nothing was judged, 70 a fault of refmc itself
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8")
    arguments = _parser().parse_args(argv)
    try:
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # silences the exit flush
        return CUT_OFF
    except RefmcError as error:
        print(f"refmc: {_with_file(str(error), arguments)}", file=sys.stderr)
        return MALFORMED
    except UnicodeEncodeError as error:
        print(f"refmc: can't be written: {error}", file=sys.stderr)
        return MALFORMED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"refmc: {place}{error.strerror}", file=sys.stderr)
        return MALFORMED
    except KeyboardInterrupt:
        print("refmc: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception:  # noqa: BLE001  # the last resort: no error path may exit 0
        traceback.print_exc()
        print("refmc: this is a fault of refmc, please report it", file=sys.stderr)
        return FAULT


def _with_file(message: str, arguments: argparse.Namespace) -> str:
    """A message about the problem, the answer or the model, with the name of its file."""
    for role in ("problem", "answer", "model"):
        path = getattr(arguments, role, None)
        if path not in (None, "-") and message.startswith(role):
            return f"{path}: {message}"
    return message


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="refmc",
        description="The exact, tie-aware referee for multi-class classification.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"refmc {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    add_check(commands.add_parser("check", help="judge an answer to a problem, with a proof"))
    add_solve(commands.add_parser("solve", help="print the exact answer with its certificate"))
    add_problem(commands.add_parser("problem", help="make a problem of a CSV file"))
    add_trace(commands.add_parser("trace", help="print the steps of the exact solution"))
    add_draw(commands.add_parser("draw", help="draw the exact solution as SVG"))
    add_fit(commands.add_parser("fit", help="train a model on a CSV file"))
    add_predict(commands.add_parser("predict", help="label the rows of a CSV file"))
    add_show(commands.add_parser("show", help="print a saved decision tree"))
    add_run(commands.add_parser("run", help="judge a program over the suite of problems"))
    add_explain(commands.add_parser("explain", help="name the mistakes that make an answer"))
    add_compare(commands.add_parser("compare", help="judge two answers to one problem"))
    add_vectors(commands.add_parser("vectors", help="list, show or copy the suite's problems"))
    add_mistakes(commands.add_parser("mistakes", help="list the named mistakes"))
    add_serve(commands.add_parser("serve", help="answer checks and solves as JSON Lines"))
    add_shrink(commands.add_parser("shrink", help="look for the smallest problem that fails"))
    add_gen(commands.add_parser("gen", help="print a problem that a seed draws"))
    add_tiny(commands.add_parser("tiny", help="print all problems of a tiny size"))
    return parser
