"""Flags of `refmc fit`, and the parameters of public functions that they set."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import refmc
from refmc.cli.tables import CATEGORICAL, Flags, refuse_idle
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from refmc.theory.kernels import Kernel


class Learner(NamedTuple):
    """A public function that trains, the parameters that flags set, and further flags."""

    fit: str
    parameters: str
    more: Flags = MappingProxyType({})

    def flags(self, required: bool) -> Flags:
        """The flags that must be given, or those that may be."""
        names = [FLAGS_OF.get(name, name).split() for name in self.parameters.split()]
        own = {name: FLAGS[name] for name in chain(*names) if (name in REQUIRED) == required}
        return own if required else {**own, **self.more}

    def ready(self, arguments: argparse.Namespace, labels: Sequence[str]) -> partial[Any]:
        """The function with the parameters that were given; `labels`: those of the table."""
        given = {
            name: VALUES[name](arguments, labels) if name in VALUES else getattr(arguments, name)
            for name in self.parameters.split()
        }
        set_ = {name: value for name, value in given.items() if value is not None}
        return partial(getattr(refmc, self.fit), **set_)


BINARY: Mapping[str, Learner] = {
    "svm": Learner("fit_binary_svm", "C kernel bias"),
    "perceptron": Learner("fit_perceptron", "epochs bias order"),
    "svm-sgd": Learner("fit_svm_sgd", "C eta epochs bias order"),
    "adaboost": Learner("fit_adaboost", "rounds", CATEGORICAL),
}
"""The learners of two classes."""

FLAGS: Flags = {
    "C": {"metavar": "NUMBER", "help": "weight of the slacks, above 0"},
    "epochs": {"type": int, "metavar": "N", "help": "times through all rows"},
    "rounds": {"type": int, "metavar": "T", "help": "base classifiers, at most"},
    "eta": {"metavar": "NUMBER", "help": "the step size, above 0"},
    "lam": {"metavar": "λ", "help": "above 0"},
    "T": {"type": int, "metavar": "STEPS", "help": "rows looked at"},
    "seed": {"type": int, "metavar": "N", "help": "rows in drawn order (default: as in the file)"},
    "bias": {
        "action": argparse.BooleanOptionalAction,
        "help": "a constant b in the scores (default: yes)",
    },
    "kernel": {"choices": ["linear", "polynomial", "rbf"], "help": "default: linear"},
    "degree": {"type": int, "help": "(x·x′/scale + offset)^degree of polynomial (default: 2)"},
    "scale": {"metavar": "NUMBER", "help": "default: 1"},
    "offset": {"metavar": "NUMBER", "help": "default: 1"},
    "gamma": {"metavar": "NUMBER", "help": "e^(-gamma ‖x − x′‖²) of rbf (default: 1)"},
    "code": {"choices": ["one-vs-all", "all-pairs", "exhaustive", "random"], "help": "the columns"},
    "bits": {"type": int, "metavar": "N", "help": "columns of a random code"},
    "code-seed": {"type": int, "metavar": "N", "help": "draws of a random code"},
    "sparse": {"action": "store_true", "help": "a random code with zeros"},
    "decoding": {
        "choices": ["hamming", "hinge", "exponential", "logistic"],
        "default": "hamming",
        "help": "default: hamming",
    },
    "m": {"type": int, "default": 1, "metavar": "N", "help": "eliminations (default: 1)"},
    "candidates": {"type": int, "metavar": "N", "help": "classes that compete at a node"},
    "partition": {
        "choices": ["balanced", "swapped"],
        "default": "balanced",
        "help": "the best of all halvings, of up to 20 classes; or one that no swap makes better",
    },
    "positive": {"metavar": "LABEL", "help": "the class of scores above 0 (default: the last)"},
    "binary": {"choices": list(BINARY), "help": "the learner of two classes"},
}
REQUIRED = {"C", "epochs", "rounds", "eta", "lam", "T", "code", "candidates", "binary"}

FLAGS_OF = {
    "kernel": "kernel degree scale offset gamma",
    "code": "code bits code-seed sparse",
    "classes": "positive",
    "order": "seed",
    "draws": "seed",
    "loss": "decoding",
    "decide": "",
}
"""The flags of parameters that have others than the one of their name; those of "decide" differ."""

BY_SCORE: Flags = {
    "decide": {"choices": ["score", "claim"], "default": "score", "help": "claim: by signs alone"}
}
BY_PAIRS: Flags = {
    "decide": {
        "choices": ["votes", "score-sum", "votes-then-sums", "tournament"],
        "default": "votes",
        "help": "default: votes",
    },
    "bracket": {
        "metavar": "A,B,…",
        "help": "labels in the order of the tournament (default: sorted)",
    },
}
OF_BINARY: Flags = {
    name: told
    for learner in BINARY.values()
    for name, told in {**learner.flags(True), **learner.flags(False)}.items()
    if name not in CATEGORICAL
}
"""The flags of all of these, but for columns of categories, which only adaboost by itself takes."""


def _kernel(arguments: argparse.Namespace, labels: Sequence[str]) -> Kernel:
    """The kernel that was named; the linear one by default."""
    for name, flags in (("polynomial", ("degree", "scale", "offset")), ("rbf", ("gamma",))):
        if name != arguments.kernel:
            refuse_idle(arguments, flags, f"--kernel {name}")
    if arguments.kernel == "polynomial":
        degree = 2 if arguments.degree is None else arguments.degree
        return refmc.polynomial(degree, arguments.scale or "1", arguments.offset or "1")
    if arguments.kernel == "rbf":
        if arguments.exact:
            raise ParameterError("--exact: the rbf kernel has no exact values; leave out --exact")
        return refmc.rbf(arguments.gamma or "1")
    return refmc.linear


def _bias(arguments: argparse.Namespace, labels: Sequence[str]) -> bool:
    return arguments.bias is not False


def _order(arguments: argparse.Namespace, labels: Sequence[str]) -> Random | None:
    """What draws the order of the rows; None keeps the order of the file."""
    return None if arguments.seed is None else Random(arguments.seed)  # not a secret


def _two_classes(arguments: argparse.Namespace, labels: Sequence[str]) -> tuple[str, str]:
    if len(labels) != 2:
        raise ParameterError(
            f"--label: expected two labels in column {arguments.label!r}, found {len(labels)}; "
            "more are for multiclass-svm, one-vs-all and others"
        )
    positive = labels[1] if arguments.positive is None else arguments.positive
    if positive not in labels:
        raise ParameterError(f"--positive: no label {positive!r}; labels: {', '.join(labels)}")
    negative = next(label for label in labels if label != positive)
    return negative, positive


def _binary(arguments: argparse.Namespace, labels: Sequence[str]) -> Callable[..., Any]:
    """The learner of --binary, whose flags the parser can't require."""
    learner = BINARY[arguments.binary]
    for flag in OF_BINARY:
        given = getattr(arguments, flag) is not None
        if given and flag not in {**learner.flags(True), **learner.flags(False)}:
            raise ParameterError(f"--{flag}: does not belong to --binary {arguments.binary}")
        if not given and flag in learner.flags(True):
            raise ParameterError(f"--{flag}: missing; --binary {arguments.binary} needs it")
    return learner.ready(arguments, labels)


def _rule(arguments: argparse.Namespace, labels: Sequence[str]) -> Any:
    """How the scores of one-vs-all, or the answers of pairs, are decided on."""
    if arguments.decide != "tournament":
        refuse_idle(arguments, ["bracket"], "--decide tournament")
        return getattr(refmc, f"by_{arguments.decide.replace('-', '_')}")
    drawn = labels if arguments.bracket is None else arguments.bracket.split(",")
    if sorted(drawn) != sorted(labels):
        raise ParameterError(f"--bracket: expected each label once: {', '.join(labels)}")
    return refmc.Tournament(tuple(map(labels.index, drawn)))


def _code(arguments: argparse.Namespace, labels: Sequence[str]) -> Any:
    make = getattr(refmc, f"{arguments.code.replace('-', '_')}_code")
    k = len(labels)
    if arguments.code != "random":
        refuse_idle(arguments, ["bits", "code-seed", "sparse"], "--code random")
        return make(k)
    for flag, value in (("bits", arguments.bits), ("code-seed", arguments.code_seed)):
        if value is None:
            raise ParameterError(f"--{flag}: missing; --code random needs it")
    return make(k, arguments.bits, Random(arguments.code_seed), sparse=arguments.sparse)


def _loss(arguments: argparse.Namespace, labels: Sequence[str]) -> Any:
    """The loss that decodes; None is the Hamming distance."""
    return None if arguments.decoding == "hamming" else getattr(refmc, arguments.decoding)


def _partition(arguments: argparse.Namespace, labels: Sequence[str]) -> Any:
    if arguments.partition == "balanced":
        return refmc.balanced_partitions
    return refmc.swapped_partition


VALUES: Mapping[str, Callable[[argparse.Namespace, Sequence[str]], Any]] = {
    "kernel": _kernel,
    "bias": _bias,
    "order": _order,
    "draws": _order,
    "classes": _two_classes,
    "binary": _binary,
    "decide": _rule,
    "code": _code,
    "loss": _loss,
    "partition": _partition,
}
"""What computes the parameters that are not simply the value of the flag of their name."""
