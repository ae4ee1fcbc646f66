"""refmc vectors, refmc mistakes and refmc families."""

from __future__ import annotations

import argparse
import os

from refmc.cli.files import check_output, replace_file
from refmc.core.printing import aligned, printable
from refmc.errors import ParameterError


def add_vectors(parser: argparse.ArgumentParser) -> None:
    """The suite's vectors: problems with right answers, wrong ones, and the named mistakes that
    make these.
    """
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="ids, flags and why each vector is there")
    listing.add_argument(
        "only", metavar="PATTERN", nargs="*", default=["*"], help="ids, such as 'svm.*/two-*'"
    )
    listing.add_argument("--flags", metavar="A,B", default="", help="those that have these flags")
    listing.set_defaults(run=_list)
    show = actions.add_parser("show", help="a vector as JSON")
    show.add_argument("id", metavar="ID", help="such as svm.binary/two-rows")
    show.add_argument("--field", metavar="NAME", help="only this, such as problem or answer")
    show.set_defaults(run=_show)
    copy = actions.add_parser("copy", help="all vectors, mistakes and the JSON Schema as files")
    copy.add_argument("folder", metavar="DIR", help="a folder, which is made where it is missing")
    copy.set_defaults(run=_copy)


def add_mistakes(parser: argparse.ArgumentParser) -> None:
    """The catalogue of named mistakes: what each does, what it breaks, and the smallest vector that
    shows it.
    """
    parser.add_argument(
        "pattern", metavar="PATTERN", nargs="?", default="*", help="ids, such as 'svm.*'"
    )


def add_families(parser: argparse.ArgumentParser) -> None:
    """The families of problems; of one of them the fields."""
    parser.add_argument("name", metavar="NAME", nargs="?", help="such as tree.grow")


def do_families(arguments: argparse.Namespace) -> int:
    """Run `refmc families`; the exit code."""
    from refmc.oracle.families import FAMILIES
    from refmc.suite.schemas import fields_in_words

    if arguments.name is None:
        print("\n".join(FAMILIES))
        return 0
    if arguments.name not in FAMILIES:
        raise ParameterError(f"unknown family {arguments.name!r}; known: {', '.join(FAMILIES)}")
    print("\n".join(aligned(fields_in_words(arguments.name))))
    return 0


def _list(arguments: argparse.Namespace) -> int:
    from refmc.suite import vectors

    flags = [flag for flag in arguments.flags.split(",") if flag]
    found = [(v.id, ", ".join(v.flags), v.why) for v in vectors(only=arguments.only, flags=flags)]
    if not found:
        asked = " ".join(arguments.only)
        raise ParameterError(f"no vector fits {asked}; `refmc vectors list` names them all")
    print("\n".join(aligned(found)))
    return 0


def _show(arguments: argparse.Namespace) -> int:
    from refmc.suite.corpus import pretty, record_of

    record = record_of(arguments.id)
    if arguments.field is not None and arguments.field not in record:
        raise ParameterError(f"--field {arguments.field}: expected one of {', '.join(record)}")
    print(pretty(record if arguments.field is None else record[arguments.field]))
    return 0


def _copy(arguments: argparse.Namespace) -> int:
    from refmc.suite.corpus import FOLDER

    os.makedirs(arguments.folder, exist_ok=True)
    for file in sorted(FOLDER.iterdir(), key=lambda file: file.name):
        target = os.path.join(arguments.folder, file.name)
        check_output(target)
        replace_file(file.read_bytes(), target)
        print(printable(target))
    return 0


def do_mistakes(arguments: argparse.Namespace) -> int:
    """Run `refmc mistakes`; the exit code."""
    from refmc.suite.pages import mistake_lines

    lines = mistake_lines(arguments.pattern)
    if not lines:
        raise ParameterError(
            f"no mistake fits {arguments.pattern}; `refmc mistakes` lists them all"
        )
    print("\n".join(lines))
    return 0
