"""refmc check and refmc solve."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from refmc.cli.files import OF_A_PROBLEM, clock, read_problem, read_text, refuse_two_inputs
from refmc.cli.problems import OF_CSV, add_making, problem_of
from refmc.cli.tables import COLUMNS, DELIMITER, LABEL, add_flags, refuse_idle
from refmc.core.records import Record, write_json
from refmc.errors import ParameterError

EXIT_CODES = {"VERIFIED": 0, "REFUTED": 1, "INCONCLUSIVE": 3}


def add_check(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Judge an answer to a problem: VERIFIED, REFUTED or INCONCLUSIVE, with what proves it. The
    answer of an SVM may be weights, scores, multipliers or labels; of a decision tree the grown
    tree, or pruned ones; of a perceptron or SGD the weights after each step; of decoding labels, or
    sets of all that tie.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    parser.add_argument(
        "answer",
        metavar="ANSWER",
        nargs="?",
        help="JSON file, model file of LIBSVM, LIBLINEAR or rpart, or -; with --csv the only file",
    )
    parser.add_argument(
        "--csv",
        dest="data",
        metavar="DATA.csv",
        help="take the problem that `refmc problem DATA.csv` makes with the same options",
    )
    add_flags(parser, {**LABEL, **COLUMNS, **DELIMITER})
    add_making(parser, words, required=False)
    parser.add_argument(
        "--gap",
        help="what an answer may be off, relative to the problem's own scale; 0 judges exactly "
        "(default: 1e-6 of an optimum, 1e-9 for what is computed; of a model file what its "
        "program's stopping rule promises)",
    )
    parser.add_argument(
        "--tolerance",
        help="where the program of a model file stopped, its -e (default: the program's own)",
    )
    parser.add_argument("--json", action="store_true", help="print the verdict as JSON")
    parser.epilog = (
        'A problem: {"family": "svm.multiclass", "X": [["5.1", "3.5"], ["4.9", "3"]], '
        '"y": ["a", "b"], "C": "1"}. An answer: {"W": [["0.1", "0.2"], ["-0.1", "-0.2"]]}, '
        "one row a class in sorted order. Strings are exact decimals or ratios, plain numbers "
        "the binary64 they denote. Exit code: 0 verified, 1 refuted, 3 inconclusive, "
        "2 malformed input."
    )


def do_check(arguments: argparse.Namespace) -> int:
    """Run `refmc check`; the exit code."""
    from refmc.answers import check

    problem, answer = _both(arguments)
    is_model = answer.lstrip()[:1] not in ("{", "[", "")
    if not is_model and arguments.tolerance is not None:
        raise ParameterError("--tolerance: belongs to a model file; of an answer give --gap")
    problem, told = _sized(problem)
    with clock(f"searching the exact optimum{told}"):
        if not is_model:
            verdict = check(problem, answer, gap=arguments.gap)
        else:
            from refmc.adapters.model_files import judge_model, read_model

            arguments.model = arguments.answer  # messages about its text name this file
            promise = {"gap": arguments.gap, "tolerance": arguments.tolerance}
            verdict = judge_model(read_model(answer), problem, **promise)
    print(write_json(verdict.to_json()) if arguments.json else verdict.explain())
    return EXIT_CODES[verdict.status]


def _both(arguments: argparse.Namespace) -> tuple[Record | str, str]:
    """The problem and the text of the answer, which may be that of a model file."""
    problem: Record | str
    if arguments.data is not None:
        if arguments.answer is not None or None in (arguments.label, arguments.family):
            raise ParameterError(
                "--csv: needs --label and --family, and takes the place of PROBLEM"
            )
        arguments.output, arguments.answer, arguments.problem = None, arguments.problem, None
        refuse_two_inputs(arguments.data, arguments.answer)
        problem = problem_of(arguments)
    else:
        refuse_idle(arguments, OF_CSV, "--csv")
        if arguments.answer is None:
            raise ParameterError("ANSWER: is missing beside PROBLEM")
        refuse_two_inputs(arguments.problem, arguments.answer)
        problem, _ = read_problem(arguments.problem)
    return problem, read_text(arguments.answer)


def _sized(problem: Record | str) -> tuple[Record | str, str]:
    """The problem, and the lengths of its axes where a terminal shows them."""
    if not sys.stderr.isatty():
        return problem, ""
    from refmc.oracle.axes import sizes
    from refmc.oracle.families import read_record

    record, _ = read_record(problem)
    return record, f" ({', '.join(f'{axis}: {n}' for axis, n in sizes(record).items())})"


def add_solve(parser: argparse.ArgumentParser) -> None:
    """Print the exact answer to a problem, with the certificate, as JSON."""
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)


def do_solve(arguments: argparse.Namespace) -> int:
    """Run `refmc solve`; the exit code."""
    from refmc.answers import solve_problem

    problem, told = _sized(read_problem(arguments.problem)[0])
    with clock(f"solving exactly{told}"):
        answer = solve_problem(problem)
    print(write_json(answer))
    return 0
