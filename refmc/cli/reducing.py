"""refmc fit: the reductions of many classes to two, over any of the binary learners."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from typing import Any

from refmc.cli.binary_learners import LEARNERS, PARAMETERS, required_flags
from refmc.cli.files import clock
from refmc.cli.tables import (
    add_data,
    add_exact,
    add_jobs,
    add_weights,
    counted,
    finish,
    processes,
    read_data,
    read_rows,
    read_weights,
    refuse_idle,
)
from refmc.errors import ParameterError

DECISIONS = {
    "votes": "by_votes",
    "score-sum": "by_score_sum",
    "votes-then-sums": "by_votes_then_sums",
    "tournament": "",
}
"""The ways to decide one-vs-one, by their names in Python."""

Reduce = Callable[[argparse.Namespace, list[str]], Callable[..., Any]]
"""From the arguments and the labels in order to the reduction, which is given X, y, learner."""


def _add_reduction(parser: argparse.ArgumentParser, reduce: Reduce) -> None:
    add_data(parser)
    parser.add_argument(
        "--binary", choices=list(LEARNERS), required=True, help="the learner of two classes"
    )
    for add in PARAMETERS.values():
        add(parser)
    add_weights(parser)
    add_exact(parser)
    add_jobs(parser)
    parser.set_defaults(run=partial(_fit, reduce))


def _fit(reduce: Reduce, arguments: argparse.Namespace) -> int:
    learner = LEARNERS[arguments.binary]
    required_flags(learner, arguments, f"--binary {arguments.binary}")
    table, columns, y = read_data(arguments)
    X = read_rows(arguments, table, columns)
    weights = read_weights(arguments, table, columns, y, arguments.exact)
    fit = reduce(arguments, sorted(set(y)))
    with clock("training"), processes(arguments) as executor:
        model = fit(X, y, learner.make(arguments), executor=executor, **weights)
    said = counted(len(model.models), "binary problem", "binary problems")
    finish(arguments, model, columns, model.predict(X), y, said)
    return 0


def add_one_vs_all(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit one-vs-all`."""
    parser.description = "One-vs-all: each class against the rest."
    parser.add_argument(
        "--decide", choices=["score", "claim"], default="score", help="claim: by signs alone"
    )
    _add_reduction(parser, _one_vs_all)


def _one_vs_all(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions.one_vs_all import by_claim, by_score, fit_one_vs_all

    decide = by_claim if arguments.decide == "claim" else by_score
    return partial(fit_one_vs_all, decide=decide)


def add_one_vs_one(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit one-vs-one`."""
    parser.description = "One-vs-one: a binary classifier for each pair of classes."
    parser.add_argument("--decide", choices=list(DECISIONS), default="votes")
    parser.add_argument(
        "--bracket", metavar="A,B,…", help="labels in the order of the tournament (default: sorted)"
    )
    _add_reduction(parser, _one_vs_one)


def _one_vs_one(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions import one_vs_one

    if arguments.decide != "tournament":
        refuse_idle(arguments, ["bracket"], "--decide tournament")
        decide = one_vs_one.DECISIONS[DECISIONS[arguments.decide]]
        return partial(one_vs_one.fit_one_vs_one, decide=decide)
    drawn = labels if arguments.bracket is None else arguments.bracket.split(",")
    if sorted(drawn) != labels:
        raise ParameterError(f"--bracket: expected each label once: {', '.join(labels)}")
    tournament = one_vs_one.Tournament(tuple(map(labels.index, drawn)))
    return partial(one_vs_one.fit_one_vs_one, decide=tournament)


def add_output_code(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit output-code`."""
    parser.description = "Output code: a binary classifier for each column, decoded by distance."
    parser.add_argument(
        "--code", choices=["one-vs-all", "all-pairs", "exhaustive", "random"], required=True
    )
    parser.add_argument("--bits", type=int, metavar="N", help="columns of a random code")
    parser.add_argument("--code-seed", type=int, metavar="N", help="draws of a random code")
    parser.add_argument("--sparse", action="store_true", help="a random code with zeros")
    parser.add_argument(
        "--decoding", choices=["hamming", "hinge", "exponential", "logistic"], default="hamming"
    )
    _add_reduction(parser, _output_code)


def _output_code(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions.output_model import LOSSES, fit_output_code

    code = _code(arguments, len(labels))
    return partial(fit_output_code, code=code, loss=LOSSES.get(arguments.decoding))


def add_tournament(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit error-correcting-tournament`."""
    parser.description = "Error-correcting tournament: matches of two classes, losers go on."
    parser.add_argument("--m", type=int, default=1, metavar="N", help="eliminations (default: 1)")
    _add_reduction(parser, _tournament)


def _tournament(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions.papers.error_correcting_tournament import (
        fit_error_correcting_tournament,
    )

    return partial(fit_error_correcting_tournament, m=arguments.m)


def add_one_against_some(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit one-against-some`."""
    parser.description = "One-against-some: a tree of routers, then a few candidates compete."
    parser.add_argument(
        "--candidates", type=int, required=True, metavar="N", help="classes that compete at a node"
    )
    _add_reduction(parser, _one_against_some)


def _one_against_some(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions.papers.one_against_some import fit_one_against_some

    return partial(fit_one_against_some, candidates=arguments.candidates)


def add_label_tree(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit label-tree`."""
    parser.description = "Label tree: classes are halved where one-vs-all confuses them least."
    parser.add_argument(
        "--partition",
        choices=["balanced", "swapped"],
        default="balanced",
        help="the best of all halvings, of up to 20 classes; or one that no swap makes better",
    )
    _add_reduction(parser, _label_tree)


def _label_tree(arguments: argparse.Namespace, labels: list[str]) -> Callable[..., Any]:
    from refmc.learn.reductions.papers import label_tree

    partitions = {
        "balanced": label_tree.balanced_partitions,
        "swapped": label_tree.swapped_partition,
    }
    return partial(label_tree.fit_label_tree, partition=partitions[arguments.partition])


def _code(arguments: argparse.Namespace, k: int) -> tuple[tuple[int, ...], ...]:
    from random import Random

    from refmc.learn.reductions import output_codes

    if arguments.code != "random":
        refuse_idle(arguments, ["bits", "code-seed", "sparse"], "--code random")
    else:
        for flag, value in (("bits", arguments.bits), ("code-seed", arguments.code_seed)):
            if value is None:
                raise ParameterError(f"--{flag}: missing; --code random needs it")
        draws = Random(arguments.code_seed)
        return output_codes.random_code(k, arguments.bits, draws, sparse=arguments.sparse)
    named = {
        "one-vs-all": output_codes.one_vs_all_code,
        "all-pairs": output_codes.all_pairs_code,
        "exhaustive": output_codes.exhaustive_code,
    }
    return named[arguments.code](k)
