"""refmc fit: the algorithms, how all but trees are trained, and what is said of their models."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from refmc.cli.files import clock
from refmc.cli.growing import GROWTH, PRUNING, fit_tree
from refmc.cli.parameters import BINARY, BY_PAIRS, BY_SCORE, OF_BINARY, Learner
from refmc.cli.tables import (
    CATEGORICAL,
    EXACT,
    JOBS,
    MISSING,
    PREPARED,
    WEIGHTS,
    WEIGHTS_ONLY,
    Flags,
    add_data,
    add_flags,
    counted,
    finish,
    processes,
    read_rows,
)


class Algorithm(NamedTuple):
    """An algorithm of `refmc fit`."""

    title: str
    description: str
    learner: Learner


def add_fit(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Train a model on a CSV file with a header line; print it as JSON."""
    commands = parser.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    for name in [word for word in words[1:2] if word in ALGORITHMS] or ALGORITHMS:
        algorithm = ALGORITHMS[name]
        command = commands.add_parser(
            name, help=algorithm.title, formatter_class=parser.formatter_class
        )
        command.description = algorithm.description
        command.set_defaults(run=partial(_fit, algorithm), parser=command)
        add_data(command)
        add_flags(command, algorithm.learner.flags(True), required=True)
        optional = algorithm.learner.flags(False)
        prepared = MISSING if "categorical" in optional else PREPARED
        kept = {n: told for n, told in prepared.items() if n != "ones" or "bias" not in optional}
        add_flags(command, {**optional, **WEIGHTS, **kept})
        if "kernel" in optional:
            add_flags(command, WEIGHTS_ONLY)
        if name == "tree":  # which is grown, pruned, and λ chosen: more than one call
            command.set_defaults(run=fit_tree)
        else:
            add_flags(command, EXACT)


def _fit(algorithm: Algorithm, arguments: argparse.Namespace) -> int:
    from refmc.core.cells import categorical_columns

    rows = read_rows(arguments)
    train = algorithm.learner.ready(arguments, rows.classes)
    # the order of two classes, if the learner has it, says which is positive
    options: dict[str, Any] = {"classes": rows.classes, **train.keywords, **rows.weights}
    if hasattr(arguments, "categorical"):
        options["categorical"] = categorical_columns(rows.X)
    with clock("training"), processes(arguments) as executor:
        if hasattr(arguments, "jobs"):
            options["executor"] = executor
        model = train(rows.X, rows.y, **options)
    return finish(arguments, rows, model, _summary(model))


def _summary(model: Any) -> str:
    """What is said of a trained model: its proved optimum, or what its training did."""
    if hasattr(model, "certificate"):  # SVMs
        certificate = model.certificate
        reached = f"objective {_short(model.objective)}, gap {float(certificate.gap):.1e}"
        if certificate.rounded_kernel:
            return reached + " for the rounded kernel matrix"
        return reached + " (exactly 0)" if certificate.gap == 0 else reached
    if hasattr(model, "course"):  # perceptrons
        course = model.course
        mistakes, epochs = counted(len(course.mistakes), "mistake"), counted(course.epochs, "epoch")
        return f"{mistakes} in {epochs}{', none in the last' if course.converged else ''}"
    if hasattr(model, "objective"):  # descents
        return f"{counted(model.T, 'step')}, objective {_short(model.objective)}"
    if hasattr(model, "models"):  # reductions
        return counted(len(model.models), "binary problem")
    bound = f", training loss at most {model.rounds[-1].bound:.4g}" if model.rounds else ""
    return f"{model.stopped}{bound}"


def _short(value: float | Fraction) -> str:
    """A number to ten digits, or shortly as in tables where it is beyond the range of floats."""
    try:
        near = float(value)
    except OverflowError:
        near = 0.0
    if near or not value:
        return f"{near:.10g}"
    from refmc.oracle.rows import readable

    return readable(value)


def _alone(title: str, what: str, name: str) -> Algorithm:
    """A learner of two classes by itself."""
    learner = BINARY[name]._replace(parameters=f"classes {BINARY[name].parameters}")
    return Algorithm(f"two classes: {title}", f"Two classes: {what}.", learner)


def _reduction(
    title: str, description: str, fit: str, parameters: str, more: Flags = MappingProxyType({})
) -> Algorithm:
    """A reduction over a learner of two classes, with the flags of any."""
    learner = Learner(fit, f"{parameters} binary", {**more, **OF_BINARY, **JOBS})
    return Algorithm(title, description, learner)


ALGORITHMS = {
    "multiclass-svm": Algorithm(
        "multi-class kernel SVM",
        "Multi-class kernel SVM: ½ Σ‖f_y‖² + C Σ η_i, no bias.",
        Learner("fit_multiclass_svm", "C kernel"),
    ),
    "tree": Algorithm(
        "decision tree, grown and pruned",
        "Decision tree. Columns whose cells are all numbers ask ≤, others ask ∈; nothing is "
        "rounded. Pruning collapses nodes as λ grows; λ is given, or chosen by cross-validation.",
        Learner("grow_tree", "", {**CATEGORICAL, **GROWTH, **PRUNING, **JOBS}),
    ),
    "adaboost-mh": Algorithm(
        "boosted decision stumps",
        "AdaBoost.MH: decision stumps with a sign for each label.",
        Learner("fit_adaboost_mh", "rounds", CATEGORICAL),
    ),
    "multiclass-perceptron": Algorithm(
        "multi-class perceptron",
        "Multi-class perceptron: a weight vector for each class, no bias.",
        Learner("fit_multiclass_perceptron", "epochs order"),
    ),
    "multiclass-svm-sgd": Algorithm(
        "multi-class SVM by stochastic descent",
        "SGD on (1/m) Σ hinge + (λ/2) Σ‖w_y‖² with steps 1/(λt), no bias.",
        Learner("fit_multiclass_svm_sgd", "lam T draws"),
    ),
    "one-vs-all": _reduction(
        "a binary learner for each class",
        "One-vs-all: each class against the rest.",
        "fit_one_vs_all", "decide", BY_SCORE,
    ),
    "one-vs-one": _reduction(
        "a binary learner for each pair of classes",
        "One-vs-one: a binary classifier for each pair of classes.",
        "fit_one_vs_one", "decide", BY_PAIRS,
    ),
    "output-code": _reduction(
        "a binary learner for each column of a code",
        "Output code: a binary classifier for each column, decoded by distance.",
        "fit_output_code", "code loss",
    ),
    "error-correcting-tournament": _reduction(
        "a binary learner for each match",
        "Error-correcting tournament: matches of two classes, losers go on.",
        "fit_error_correcting_tournament", "m",
    ),
    "one-against-some": _reduction(
        "routers to a few classes that compete",
        "One-against-some: a tree of routers, then a few candidates compete.",
        "fit_one_against_some", "candidates",
    ),
    "label-tree": _reduction(
        "a binary learner for each halving of the classes",
        "Label tree: classes are halved where one-vs-all confuses them least.",
        "fit_label_tree", "partition",
    ),
    "binary-svm": _alone("kernel SVM", "½ wᵀw + C Σ hinge, with bias", "svm"),
    "perceptron": _alone("perceptron", "perceptron", "perceptron"),
    "svm-sgd": _alone("SVM by stochastic descent", "SGD on ½ wᵀw + (C/m) Σ hinge", "svm-sgd"),
    "adaboost": _alone("boosted stumps", "AdaBoost of decision stumps", "adaboost"),
}  # fmt: skip
