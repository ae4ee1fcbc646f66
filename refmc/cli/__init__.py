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
import re
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any, NoReturn

from refmc import __version__
from refmc.core.printing import printable
from refmc.errors import RefmcError

MALFORMED, FAULT, INTERRUPTED, CUT_OFF = 2, 70, 130, 141

LONGEST = 500
"""Characters that a message may have; of a longer one the middle is left out."""

POSITIONAL = ("problem", "answer", "model", "data", "program", "known", "a", "b", "id")
"""Arguments that messages don't call by a flag."""

COMMANDS = {
    "check": ("judging", "judge an answer to a problem, with a proof"),
    "solve": ("judging", "print the exact answer with its certificate"),
    "problem": ("problems", "make a problem of a CSV file"),
    "trace": ("tracing", "print the steps of the exact solution"),
    "book": ("tracing", "write pages that step through the lectures' algorithms"),
    "draw": ("drawing", "draw the exact solution as SVG"),
    "fit": ("training", "train a model on a CSV file"),
    "predict": ("predicting", "label the rows of a CSV file"),
    "show": ("predicting", "print a saved decision tree"),
    "export": ("predicting", "write a model as C, JavaScript or Python"),
    "run": ("running", "judge a program over the suite of problems"),
    "explain": ("explaining", "name the mistakes that make an answer"),
    "compare": ("explaining", "judge two answers to one problem"),
    "vectors": ("listing", "list, show or copy the suite's problems"),
    "mistakes": ("listing", "list the named mistakes"),
    "families": ("listing", "list the families of problems, or the fields of one"),
    "serve": ("running", "answer checks and solves as JSON Lines"),
    "shrink": ("shrinking", "look for the smallest problem that fails"),
    "scramble": ("shrinking", "print a problem in another guise"),
    "gen": ("generating", "print a problem that a seed draws"),
    "tiny": ("generating", "print all problems of a tiny size"),
}
"""The module of each command, which is imported when it is called, and what the command does.

It has `add_COMMAND`, which adds the arguments and whose docstring is the description that --help
prints, and `do_COMMAND`, which runs it.
"""

EXAMPLES = """\
examples:
  refmc check spec/examples/iris-svm.json spec/examples/iris-svm.liblinear.json
  refmc solve spec/examples/iris-svm.json > answer.json
  refmc fit multiclass-svm iris.csv --label species --C 1 -o model.json
  refmc fit tree iris.csv --label species --prune cv -o tree.json
  refmc fit one-vs-one iris.csv --label species --binary svm --C 1 -o pairs.json
  refmc predict model.json iris.csv
  refmc show tree.json
  refmc export tree.json --to c --test iris.csv -o tree.c
  refmc problem iris.csv --label species --family tree.grow | refmc draw -
  refmc trace spec/examples/three-points.json
  refmc trace spec/examples/three-points.json --html page.html
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
    if _open_streams() is None:
        _say("standard output is closed; /dev/null takes what nobody reads")
        return MALFORMED
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors=stream.errors)
    words = sys.argv[1:] if argv is None else argv
    arguments = argparse.Namespace()
    try:
        parser = _parser(words)
        _, unknown = parser.parse_known_args(words, arguments)
        if unknown or not hasattr(arguments, "run"):  # something stands before the command
            known = f"; {arguments.beside}" if hasattr(arguments, "beside") else ""
            told = f"unrecognized arguments: {' '.join(unknown or words[:1])}{known}"
            getattr(arguments, "parser", parser).error(told)
        code: int = arguments.run(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # silences the exit flush
        return CUT_OFF
    except RefmcError as error:
        _say(_with_file(_as_written(str(error), arguments), arguments))
        return MALFORMED
    except UnicodeEncodeError as error:
        _say(f"can't be written: {error}")
        return MALFORMED
    except OSError as error:
        place = "" if error.filename is None else f"{error.filename or repr('')}: "
        _say(f"{place}{error.strerror}")
        return MALFORMED
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    except Exception:  # noqa: BLE001  # the last resort: no error path may exit 0
        import traceback

        _say("this is a fault of refmc, please report it", traceback.format_exc())
        return FAULT


def _say(message: str, traced: str = "") -> None:
    """One line on standard error, whatever labels and names of files are in it."""
    lines = [*map(printable, traced.splitlines()), f"refmc: {_short(message)}"]
    with suppress(OSError):  # a disk that is full of messages; the exit code says enough
        print("\n".join(lines), file=sys.stderr)


def _short(message: str) -> str:
    told = printable(message)
    return told if len(told) <= LONGEST else f"{told[:350]} … {told[-140:]}"


class _Parser(argparse.ArgumentParser):
    """A parser, and those of its commands, whose messages are short and on one line."""

    def error(self, message: str) -> NoReturn:
        super().error(_short(message))

    def _print_message(self, message: str, file: Any = None) -> None:
        print(message, end="", file=file, flush=True)  # argparse would hide that a disk is full


def _open_streams() -> object:
    """Open /dev/null for each standard stream that is closed; standard output as it was before.

    The next file to be opened would get the number of a closed one, and be printed into.
    """
    output = sys.stdout
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115  # for good
    return output


_AS_WRITTEN = (
    (r"classes=\(([^()]*?),?\)", r'"classes": [\1]'),
    (r"classes=$", '"classes"'),
    (r"(?<!['\w])True(?!['\w])", "true"),
    (r"(?<!['\w])False(?!['\w])", "false"),
    (r"(?<!['\w])None(?!['\w])", "null"),
    (r"lift the data with exact\(\)", "add --exact"),
    (r"give partition=swapped_partition", "give --partition swapped"),
    (r"give more draws, or another number of bits", "give another --bits or --code-seed"),
    (r"use random_code", "give --code random"),
    (r"rademacher_estimate takes the draws that you give", "give fewer values of each hypothesis"),
)
"""Patterns of what messages say to callers from Python, and how files and commands write that."""


def _as_written(message: str, arguments: argparse.Namespace) -> str:
    """A message in the words of files and commands, columns of a table by their titles."""
    for pattern, words in _AS_WRITTEN:
        message = re.sub(pattern, words, message)
    floats = ", or leave out --exact" if hasattr(arguments, "exact") else ""
    message = message.replace(", or give floats", floats)
    if hasattr(arguments, "missing"):
        message = re.sub("drop (the row|missing values)", r"\g<0>, as --missing does", message)
        message = re.sub("make it columns of 0 and 1", r"\g<0> by --one-hot", message)
    flag = re.match(r"(\w+): ", message)
    if flag and flag[1] in vars(arguments) and flag[1] not in POSITIONAL:
        message = f"--{flag[1].replace('_', '-')}{message[flag.end(1) :]}"
    titles = getattr(arguments, "titles", None)
    if titles is not None and message.startswith("X: "):
        parts = re.split(r"\bcolumn (\d+)\b", message)
        parts[1::2] = [f"column {titles[int(j)]!r}" for j in parts[1::2]]
        message = "".join(parts)
    return message


def _with_file(message: str, arguments: argparse.Namespace) -> str:
    """A message about one of the files of a command, with the name of the file."""
    if message.startswith(f"{getattr(arguments, 'data', None)}: "):
        return message  # it names the file already, which may be called model.csv
    for role in ("problem", "answer", "model", "known"):
        path = getattr(arguments, role, None)
        if path not in (None, "-") and message.startswith(role):
            return f"{path}: {message}"
    for role in ("a", "b"):
        if hasattr(arguments, role) and message.startswith(f"{role}: "):
            return f"{getattr(arguments, role)}{message[1:]}"
    return message


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    """The parser of the command that comes first; without one, a parser that lists all commands."""
    # Without a width argparse asks for the terminal's at every argument, and imports much for it.
    width = None if {"-h", "--help"} & {*words} else 78
    parser = _Parser(
        prog="refmc",
        description="The exact, tie-aware referee for multi-class classification.",
        epilog=EXAMPLES,
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
    )
    parser.add_argument("--version", action="version", version=f"refmc {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    if words and words[0] in COMMANDS:  # importing all takes as long as a small check
        name = words[0]
        module = import_module(f"refmc.cli.{COMMANDS[name][0]}")
        command = commands.add_parser(
            name, formatter_class=partial(argparse.HelpFormatter, width=width)
        )
        add: Callable[..., None] = getattr(module, f"add_{name}")
        command.description = add.__doc__
        command.set_defaults(parser=command)
        if hasattr(module, f"do_{name}"):  # others have actions, each with a function of its own
            command.set_defaults(run=getattr(module, f"do_{name}"))
        if name in ("fit", "problem", "check"):
            add(command, words)  # options of the algorithm, or the family, that is named
        else:
            add(command)
        return parser
    for name, (_, purpose) in COMMANDS.items():
        commands.add_parser(name, help=purpose)
    return parser
