"""refmc draw."""

from __future__ import annotations

import argparse

from refmc.cli.files import OF_A_PROBLEM, add_output, check_output, clock, read_problem, write


def add_draw(parser: argparse.ArgumentParser) -> None:
    """Draw the exact solution of a problem as SVG: decision regions of SVMs, perceptrons and SGD
    with the training rows, support vectors ringed and ties hatched; a grown tree and its partition;
    a pruning sequence; the rounds of boosting; the curve of a loss. The picture goes to standard
    output, or into the file of -o.
    """
    parser.add_argument("problem", metavar="PROBLEM", help=OF_A_PROBLEM)
    add_output(parser, "picture")
    parser.add_argument(
        "--columns",
        metavar="A,B",
        help="the two columns of the plane, by name or position from 0: the model is trained on "
        "these alone (default: all, if there are two)",
    )
    parser.add_argument(
        "--gap",
        action="store_true",
        help="of multi-class SGD: how far the run is from the certified optimum, and the bound",
    )


def do_draw(arguments: argparse.Namespace) -> int:
    """Run `refmc draw`; the exit code."""
    from refmc.draw.pictures import draw_problem

    check_output(arguments.output, arguments.problem)
    problem, _ = read_problem(arguments.problem)
    columns = None if arguments.columns is None else arguments.columns.split(",")
    with clock("solving exactly"):
        picture = draw_problem(problem, columns, gap=arguments.gap)
    write(picture, arguments.output)
    return 0
