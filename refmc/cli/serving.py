"""refmc serve."""

from __future__ import annotations

import argparse
import sys
from functools import partial


def add_serve(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc serve`."""
    parser.description = (
        "Answer JSON Lines from standard input, in order, until the input ends: "
        '{"cmd": "check", "problem": …, "answer": …} with {"verdict": …}, '
        '{"cmd": "solve", "problem": …} with {"answer": …}; a seq comes back beside them. '
        "A test in another language keeps one such process."
    )
    parser.epilog = (
        "Exit code: 0 every line was answered, 2 one wasn't understood, 5 there was none, 70 a "
        "fault of refmc. The verdicts are in the answers."
    )
    parser.set_defaults(run=_serve)


def _serve(arguments: argparse.Namespace) -> int:
    from refmc.suite.serving import serve

    return serve(sys.stdin.buffer, partial(print, flush=True))
