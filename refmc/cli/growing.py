"""refmc fit tree."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import refmc
from refmc.cli.files import clock
from refmc.cli.tables import (
    MEASURES,
    Flags,
    Rows,
    counted,
    finish,
    processes,
    read_rows,
    refuse_idle,
)
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from refmc.learn.trees.choose_lam import LamChoice
    from refmc.learn.trees.model import DecisionTree

GROWTH: Flags = {
    "impurity": {"choices": MEASURES, "default": "gini", "help": "(default: gini)"},
    "max-splits": {"type": int, "metavar": "T", "help": "rounds (default: no limit)"},
    "min-leaf": {"type": int, "default": 1, "metavar": "ROWS", "help": "(default: 1)"},
    "max-depth": {"type": int, "metavar": "LEVELS", "help": "(default: no limit)"},
    "min-decrease": {"metavar": "NUMBER", "help": "least decrease of a split"},
    "thresholds": {
        "choices": ["values", "midpoints"],
        "default": "values",
        "help": "cuts at values of the column, or halfway to the next (default: values)",
    },
    "weighted": {"action": "store_true", "help": "weigh decreases by the node's size"},
}
PRUNING: Flags = {
    "prune": {"metavar": "cv|λ", "help": "cv chooses λ by cross-validation"},
    "risk": {"choices": MEASURES, "help": "node risk when pruning (default: impurity)"},
    "folds": {"type": int, "metavar": "N", "help": "for --prune cv; stratified (default: 10)"},
    "one-standard-error": {"action": "store_true", "help": "for --prune cv"},
}


def fit_tree(arguments: argparse.Namespace) -> int:
    """Grow a tree on the rows of a table, and prune it if that is asked for."""
    from refmc.core.cells import categorical_columns

    rows = read_rows(arguments)
    settings = {
        name: getattr(arguments, name) for name in (flag.replace("-", "_") for flag in GROWTH)
    }
    settings["impurity"] = getattr(refmc, arguments.impurity)
    categorical = categorical_columns(rows.X)
    grow = partial(refmc.grow_tree, classes=rows.classes, categorical=categorical, **settings)
    with clock("growing"):
        tree, chosen = _pruned(arguments, grow, rows)
    leaves = counted(len(tree.leaves()), "leaf", "leaves")
    return finish(arguments, rows, tree, f"{leaves}, depth {tree.depth}{chosen}")


def _pruned(
    arguments: argparse.Namespace, grow: Callable[..., DecisionTree], rows: Rows
) -> tuple[DecisionTree, str]:
    """The pruned tree that was asked for, and a summary of its λ."""
    X, y, weights = rows.X, rows.y, rows.weights
    if arguments.prune is None:
        refuse_idle(arguments, ["risk", "folds", "one-standard-error", "jobs"], "--prune")
        return grow(X, y, **weights), ""
    risk = getattr(refmc, arguments.risk) if arguments.risk else None
    if arguments.prune != "cv":
        refuse_idle(arguments, ["folds", "one-standard-error", "jobs"], "--prune cv")
        lam = _lam(arguments.prune)
        return refmc.prune(refmc.pruning_sequence(grow(X, y, **weights), risk=risk), lam), ""
    with processes(arguments) as executor:
        choice = refmc.choose_lam(
            X,
            y,
            grow=grow,
            folds=_folds(arguments.folds, y),
            risk=risk,
            one_standard_error=arguments.one_standard_error,
            executor=executor,
            **weights,
        )
    return choice.tree, f"; {_summary_of_choice(choice)}"


def _lam(text: str) -> Fraction:
    try:
        lam = refmc.exact(text)
    except ParameterError:
        lam = Fraction(-1)
    if lam < 0:
        raise ParameterError(f"--prune: expected cv, or a number λ of at least 0, got {text!r}")
    return lam


def _folds(given: int | None, y: list[str]) -> Sequence[Sequence[int]]:
    n = 10 if given is None else given
    if not 2 <= n <= len(y):
        default = ", the default" if given is None else ""
        raise ParameterError(
            f"--folds: expected a number from 2 to {len(y)}, the rows, got {n}{default}"
        )
    return refmc.folds(len(y), n, y)


def _summary_of_choice(choice: LamChoice) -> str:
    """Which λ was chosen, from what, and what it did."""
    error = choice.errors[choice.lams.index(choice.lam)]
    kept = choice.sequence[0]
    pruned = ""
    if len(choice.tree.leaves()) == kept.size:
        pruned = "; " + ("nothing is pruned" if not kept.collapsed else "pruned as at λ = 0")
    candidates = counted(len(choice.lams), "candidate")
    return (
        f"λ ≈ {float(choice.prune_at):.6g} of {candidates} between the steps of the unpruned "
        f"tree's sequence, which `refmc show --sequence` prints of a tree without --prune, "
        f"cross-validated error {float(error):.6g}{pruned}"
    )
