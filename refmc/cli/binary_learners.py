"""Binary learners of `refmc fit`: by themselves, and as what a reduction trains."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.cli.files import clock
from refmc.cli.tables import (
    add_categorical,
    add_data,
    add_exact,
    add_weights,
    counted,
    finish,
    read_data,
    read_rows,
    read_weights,
    refuse_idle,
)
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from random import Random

    from refmc.theory.kernels import Kernel


class BinaryLearner(NamedTuple):
    """A `fit_…` on the command line.

    `flags`: the names of its parameters among `PARAMETERS`, the first `required` of which have no
    default. `make`: the learner with the parameters that were given. `said`: what is worth saying
    of its model.
    """

    what: str
    flags: Sequence[str]
    required: int
    make: Callable[[argparse.Namespace], Callable[..., Any]]
    said: Callable[[Any], str]


def add_kernel(parser: argparse.ArgumentParser) -> None:
    """--kernel with the parameters of each."""
    parser.add_argument("--kernel", choices=["linear", "polynomial", "rbf"], help="default: linear")
    parser.add_argument(
        "--degree", type=int, help="(x·x′/scale + offset)^degree of polynomial (default: 2)"
    )
    parser.add_argument("--scale", metavar="NUMBER", help="default: 1")
    parser.add_argument("--offset", metavar="NUMBER", help="default: 1")
    parser.add_argument(
        "--gamma", metavar="NUMBER", help="e^(-gamma ‖x − x′‖²) of rbf (default: 1)"
    )


OF_KERNEL = {"polynomial": ("degree", "scale", "offset"), "rbf": ("gamma",)}
"""The flags that belong to a kernel."""


def kernel_of(arguments: argparse.Namespace) -> Kernel:
    """The kernel that was named; the linear one by default."""
    from refmc.theory.kernels import linear, polynomial, rbf

    for name, flags in OF_KERNEL.items():
        if name != arguments.kernel:
            refuse_idle(arguments, flags, f"--kernel {name}")
    if arguments.kernel == "polynomial":
        degree, scale, offset = (getattr(arguments, flag) for flag in OF_KERNEL["polynomial"])
        return polynomial(2 if degree is None else degree, scale or "1", offset or "1")
    if arguments.kernel == "rbf":
        if arguments.exact:
            raise ParameterError("--exact: the rbf kernel has no exact values; leave out --exact")
        return rbf(arguments.gamma or "1")
    return linear


def add_C(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """--C."""
    parser.add_argument(
        "--C", required=required, metavar="NUMBER", help="weight of the slacks, above 0"
    )


def add_epochs(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """--epochs."""
    parser.add_argument(
        "--epochs", type=int, required=required, metavar="N", help="times through all rows"
    )


def add_rounds(parser: argparse.ArgumentParser, required: bool = False) -> None:
    """--rounds."""
    parser.add_argument(
        "--rounds", type=int, required=required, metavar="T", help="base classifiers, at most"
    )


def add_seed(parser: argparse.ArgumentParser) -> None:
    """--seed."""
    parser.add_argument(
        "--seed", type=int, metavar="N", help="rows in drawn order (default: as in the file)"
    )


def order_of(arguments: argparse.Namespace) -> Random | None:
    """What draws the order of rows; None for that of the file."""
    from random import Random

    return None if arguments.seed is None else Random(arguments.seed)  # not a secret


def _add_eta(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--eta", metavar="NUMBER", help="the step size, above 0")


def _add_bias(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bias",
        action=argparse.BooleanOptionalAction,
        help="a constant b in the scores (default: for the SVM alone)",
    )


PARAMETERS: Mapping[str, Callable[[argparse.ArgumentParser], None]] = {
    "C": add_C,
    "epochs": add_epochs,
    "eta": _add_eta,
    "rounds": add_rounds,
    "kernel": add_kernel,
    "bias": _add_bias,
    "seed": add_seed,
}


def _svm(arguments: argparse.Namespace) -> Callable[..., Any]:
    from refmc.learn.svm.binary import fit_binary_svm

    bias = arguments.bias is not False
    return partial(fit_binary_svm, C=arguments.C, kernel=kernel_of(arguments), bias=bias)


def _perceptron(arguments: argparse.Namespace) -> Callable[..., Any]:
    from refmc.learn.online.perceptron import fit_perceptron

    order, bias = order_of(arguments), bool(arguments.bias)
    return partial(fit_perceptron, epochs=arguments.epochs, order=order, bias=bias)


def _svm_sgd(arguments: argparse.Namespace) -> Callable[..., Any]:
    from refmc.learn.online.sgd_binary import fit_svm_sgd

    order, bias = order_of(arguments), bool(arguments.bias)
    C, eta, epochs = arguments.C, arguments.eta, arguments.epochs
    return partial(fit_svm_sgd, C=C, eta=eta, epochs=epochs, order=order, bias=bias)


def _adaboost(arguments: argparse.Namespace) -> Callable[..., Any]:
    from refmc.core.cells import categorical_columns
    from refmc.learn.boosting.adaboost_mh import fit_adaboost

    def fit(X: Any, y: Any, **options: Any) -> Any:
        categorical = categorical_columns(X)
        return fit_adaboost(X, y, rounds=arguments.rounds, categorical=categorical, **options)

    return fit


def said_of_optimum(model: Any) -> str:
    """The objective and the proved gap of an SVM."""
    certificate = model.certificate
    reached = f"objective {float(model.objective):.10g}, gap {float(certificate.gap):.1e}"
    if certificate.rounded_kernel:
        return reached + " for the rounded kernel matrix"
    return reached + " (exactly 0)" if certificate.gap == 0 else reached


def said_of_course(model: Any) -> str:
    """The mistakes of a perceptron."""
    course = model.course
    mistakes = counted(len(course.mistakes), "mistake", "mistakes")
    epochs = counted(course.epochs, "epoch", "epochs")
    return f"{mistakes} in {epochs}{', none in the last' if course.converged else ''}"


def said_of_steps(model: Any) -> str:
    """The steps and the objective of a descent."""
    return f"{counted(model.T, 'step', 'steps')}, objective {float(model.objective):.10g}"


def said_of_rounds(model: Any) -> str:
    """The rounds of boosting, and why they stopped."""
    bound = f", training loss at most {model.rounds[-1].bound:.4g}" if model.rounds else ""
    return f"{model.stopped}{bound}"


LEARNERS: Mapping[str, BinaryLearner] = {
    "svm": BinaryLearner(
        "½ wᵀw + C Σ hinge, with bias", ["C", "kernel", "bias"], 1, _svm, said_of_optimum
    ),
    "perceptron": BinaryLearner(
        "perceptron", ["epochs", "bias", "seed"], 1, _perceptron, said_of_course
    ),
    "svm-sgd": BinaryLearner(
        "SGD on ½ wᵀw + (C/m) Σ hinge",
        ["C", "eta", "epochs", "bias", "seed"],
        3,
        _svm_sgd,
        said_of_steps,
    ),
    "adaboost": BinaryLearner(
        "AdaBoost of decision stumps", ["rounds"], 1, _adaboost, said_of_rounds
    ),
}


def required_flags(learner: BinaryLearner, arguments: argparse.Namespace, place: str) -> None:
    """`ParameterError` where a flag is missing, or doesn't belong to the learner."""
    of_kernels = [flag for flags in OF_KERNEL.values() for flag in flags]
    for name in [*PARAMETERS, *of_kernels]:
        given = getattr(arguments, name, None) is not None
        if given and ("kernel" if name in of_kernels else name) not in learner.flags:
            raise ParameterError(f"--{name}: does not belong to {place}")
        if not given and name in learner.flags[: learner.required]:
            raise ParameterError(f"--{name}: missing; {place} needs it")


def add_binary(parser: argparse.ArgumentParser, name: str) -> None:
    """The arguments of a binary learner by itself."""
    learner = LEARNERS[name]
    parser.description = f"Two classes: {learner.what}."
    add_data(parser)
    add_weights(parser)
    parser.add_argument(
        "--positive", metavar="LABEL", help="the class of scores above 0 (default: the last)"
    )
    for flag in learner.flags:
        PARAMETERS[flag](parser)
    if name == "adaboost":
        add_categorical(parser)
    add_exact(parser)
    parser.set_defaults(run=partial(_fit_binary, learner))


def _fit_binary(learner: BinaryLearner, arguments: argparse.Namespace) -> int:
    required_flags(learner, arguments, "the algorithm")
    table, columns, y = read_data(arguments)
    X = read_rows(arguments, table, columns)
    weights = read_weights(arguments, table, columns, y, arguments.exact)
    classes = _two_labels(arguments, y)
    with clock("training"):
        model = learner.make(arguments)(X, y, classes=classes, **weights)
    finish(arguments, model, columns, model.predict(X), y, learner.said(model))
    return 0


def _two_labels(arguments: argparse.Namespace, y: list[str]) -> tuple[str, str]:
    found = sorted(set(y))
    if len(found) != 2:
        raise ParameterError(
            f"--label: expected two labels in column {arguments.label!r}, found {len(found)}; "
            "more are for multiclass-svm, one-vs-all and others"
        )
    positive = found[1] if arguments.positive is None else arguments.positive
    if positive not in found:
        raise ParameterError(f"--positive: no label {positive!r}; labels: {', '.join(found)}")
    return (found[0], found[1]) if positive == found[1] else (found[1], found[0])
