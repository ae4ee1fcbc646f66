"""refmc fit: the algorithms, and those of them that have one form only."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any

from refmc.cli.binary_learners import (
    add_binary,
    add_C,
    add_epochs,
    add_kernel,
    add_rounds,
    add_seed,
    kernel_of,
    order_of,
    said_of_course,
    said_of_optimum,
    said_of_rounds,
    said_of_steps,
)
from refmc.cli.files import clock
from refmc.cli.reducing import (
    add_label_tree,
    add_one_against_some,
    add_one_vs_all,
    add_one_vs_one,
    add_output_code,
    add_tournament,
)
from refmc.cli.tables import (
    MEASURES,
    add_categorical,
    add_data,
    add_exact,
    add_jobs,
    add_weights,
    counted,
    finish,
    processes,
    read_data,
    read_kinds,
    read_rows,
    read_weights,
    refuse_idle,
)
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from refmc.learn.trees.choose_lam import LamChoice
    from refmc.learn.trees.model import DecisionTree


def add_fit(parser: argparse.ArgumentParser) -> None:
    """The arguments of `refmc fit`, an algorithm each."""
    parser.description = "Train a model on a CSV file with a header line; print it as JSON."
    algorithms = parser.add_subparsers(title="algorithms", required=True, metavar="ALGORITHM")
    for name, what, add in (
        ("multiclass-svm", "multi-class kernel SVM", _add_svm),
        ("tree", "decision tree, grown and pruned", _add_tree),
        ("adaboost-mh", "boosted decision stumps", _add_mh),
        ("multiclass-perceptron", "multi-class perceptron", _add_perceptron),
        ("multiclass-svm-sgd", "multi-class SVM by stochastic descent", _add_sgd),
        ("one-vs-all", "a binary learner for each class", add_one_vs_all),
        ("one-vs-one", "a binary learner for each pair of classes", add_one_vs_one),
        ("output-code", "a binary learner for each column of a code", add_output_code),
        ("error-correcting-tournament", "a binary learner for each match", add_tournament),
        ("one-against-some", "routers to a few classes that compete", add_one_against_some),
        ("label-tree", "a binary learner for each halving of the classes", add_label_tree),
        ("binary-svm", "two classes: kernel SVM", partial(add_binary, name="svm")),
        ("perceptron", "two classes: perceptron", partial(add_binary, name="perceptron")),
        ("svm-sgd", "two classes: SVM by stochastic descent", partial(add_binary, name="svm-sgd")),
        ("adaboost", "two classes: boosted stumps", partial(add_binary, name="adaboost")),
    ):
        add(algorithms.add_parser(name, help=what))


def _fit(fit: Callable[..., Any], said: Callable[[Any], str], arguments: argparse.Namespace) -> int:
    table, columns, y = read_data(arguments)
    X = read_rows(arguments, table, columns)
    weights = read_weights(arguments, table, columns, y, arguments.exact)
    with clock("training"):
        model = fit(arguments, X, y, **weights)
    finish(arguments, model, columns, model.predict(X), y, said(model))
    return 0


def _add_svm(parser: argparse.ArgumentParser) -> None:
    parser.description = "Multi-class kernel SVM: ½ Σ‖f_y‖² + C Σ η_i, no bias."
    add_data(parser)
    add_weights(parser)
    add_C(parser, required=True)
    add_kernel(parser)
    add_exact(parser)
    parser.set_defaults(run=partial(_fit, _svm, said_of_optimum))


def _svm(arguments: argparse.Namespace, X: list[Any], y: list[str], **weights: Any) -> Any:
    from refmc.learn.svm.multiclass import fit_multiclass_svm

    return fit_multiclass_svm(X, y, C=arguments.C, kernel=kernel_of(arguments), **weights)


def _add_mh(parser: argparse.ArgumentParser) -> None:
    parser.description = "AdaBoost.MH: decision stumps with a sign for each label."
    add_data(parser)
    add_weights(parser)
    add_rounds(parser, required=True)
    add_categorical(parser)
    add_exact(parser)
    parser.set_defaults(run=partial(_fit, _mh, said_of_rounds))


def _mh(arguments: argparse.Namespace, X: list[Any], y: list[str], **weights: Any) -> Any:
    from refmc.core.cells import categorical_columns
    from refmc.learn.boosting.adaboost_mh import fit_adaboost_mh

    return fit_adaboost_mh(
        X, y, rounds=arguments.rounds, categorical=categorical_columns(X), **weights
    )


def _add_perceptron(parser: argparse.ArgumentParser) -> None:
    parser.description = "Multi-class perceptron: a weight vector for each class, no bias."
    add_data(parser)
    add_weights(parser)
    add_epochs(parser, required=True)
    add_seed(parser)
    add_exact(parser)
    parser.set_defaults(run=partial(_fit, _perceptron, said_of_course))


def _perceptron(arguments: argparse.Namespace, X: list[Any], y: list[str], **weights: Any) -> Any:
    from refmc.learn.online.perceptron_multiclass import fit_multiclass_perceptron

    return fit_multiclass_perceptron(
        X, y, epochs=arguments.epochs, order=order_of(arguments), **weights
    )


def _add_sgd(parser: argparse.ArgumentParser) -> None:
    parser.description = "SGD on (1/m) Σ hinge + (λ/2) Σ‖w_y‖² with steps 1/(λt), no bias."
    add_data(parser)
    add_weights(parser)
    parser.add_argument("--lam", required=True, metavar="λ", help="above 0")
    parser.add_argument("--T", type=int, required=True, metavar="STEPS", help="rows looked at")
    add_seed(parser)
    add_exact(parser)
    parser.set_defaults(run=partial(_fit, _sgd, said_of_steps))


def _sgd(arguments: argparse.Namespace, X: list[Any], y: list[str], **weights: Any) -> Any:
    from refmc.learn.online.sgd_multiclass import fit_multiclass_svm_sgd

    draws = order_of(arguments)
    return fit_multiclass_svm_sgd(X, y, T=arguments.T, lam=arguments.lam, draws=draws, **weights)


def _add_tree(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Decision tree. Columns whose cells are all numbers ask ≤, others ask ∈; nothing is "
        "rounded. Pruning collapses nodes as λ grows; λ is given, or chosen by cross-validation."
    )
    add_data(parser)
    add_weights(parser)
    parser.add_argument("--impurity", choices=MEASURES, default="gini")
    add_categorical(parser)
    parser.add_argument("--max-splits", type=int, metavar="T", help="rounds (default: no limit)")
    parser.add_argument("--min-leaf", type=int, default=1, metavar="ROWS")
    parser.add_argument("--max-depth", type=int, metavar="LEVELS")
    parser.add_argument("--min-decrease", metavar="NUMBER", help="least decrease of a split")
    parser.add_argument("--thresholds", choices=["values", "midpoints"], default="values")
    parser.add_argument(
        "--weighted", action="store_true", help="weigh decreases by the node's size"
    )
    parser.add_argument("--prune", metavar="cv|λ", help="cv chooses λ by cross-validation")
    parser.add_argument(
        "--risk", choices=MEASURES, help="node risk when pruning (default: impurity)"
    )
    parser.add_argument(
        "--folds", type=int, metavar="N", help="for --prune cv; stratified (default: 10)"
    )
    parser.add_argument("--one-standard-error", action="store_true", help="for --prune cv")
    add_jobs(parser)
    parser.set_defaults(run=_fit_tree)


def _fit_tree(arguments: argparse.Namespace) -> int:
    from refmc.core.cells import categorical_columns
    from refmc.learn.trees.grow import grow_tree
    from refmc.learn.trees.model import IMPURITIES

    table, columns, y = read_data(arguments)
    X = table.cells(columns, read_kinds(arguments, table, columns))
    grow = partial(
        grow_tree,
        impurity=IMPURITIES[arguments.impurity],
        max_splits=arguments.max_splits,
        min_leaf=arguments.min_leaf,
        max_depth=arguments.max_depth,
        min_decrease=arguments.min_decrease,
        thresholds=arguments.thresholds,
        weighted=arguments.weighted,
        classes=sorted(set(y)),
        categorical=categorical_columns(X),
    )
    weights = read_weights(arguments, table, columns, y, exactly=True)
    del table  # its text takes as much memory as the numbers
    with clock("growing"):
        tree, chosen = _pruned(arguments, grow, X, y, weights)
    leaves = counted(len(tree.leaves()), "leaf", "leaves")
    size = f"{leaves}, depth {tree.depth}{chosen}"
    finish(arguments, tree, columns, tree.predict(X), y, size)
    return 0


def _pruned(
    arguments: argparse.Namespace,
    grow: Callable[..., DecisionTree],
    X: list[Any],
    y: list[str],
    weights: dict[str, Any],
) -> tuple[DecisionTree, str]:
    """The tree that was asked for, and what is to be said about its λ."""
    from refmc.learn.trees.choose_lam import choose_lam
    from refmc.learn.trees.model import IMPURITIES
    from refmc.learn.trees.prune import prune, pruning_sequence

    if arguments.prune is None:
        refuse_idle(arguments, ["risk", "folds", "one-standard-error", "jobs"], "--prune")
        return grow(X, y, **weights), ""
    risk = IMPURITIES[arguments.risk] if arguments.risk else None
    if arguments.prune != "cv":
        refuse_idle(arguments, ["folds", "one-standard-error", "jobs"], "--prune cv")
        lam = _lam(arguments.prune)
        return prune(pruning_sequence(grow(X, y, **weights), risk=risk), lam), ""
    with processes(arguments) as executor:
        choice = choose_lam(
            X,
            y,
            grow=grow,
            folds=_folds(arguments.folds, y),
            risk=risk,
            one_standard_error=arguments.one_standard_error,
            executor=executor,
            **weights,
        )
    return choice.tree, f"; {_said_of_choice(choice)}"


def _lam(text: str) -> Fraction:
    from refmc.core.scalars import exact

    try:
        lam = exact(text)
    except ParameterError:
        lam = Fraction(-1)
    if lam < 0:
        raise ParameterError(f"--prune: expected cv, or a number λ of at least 0, got {text!r}")
    return lam


def _folds(given: int | None, y: list[str]) -> Sequence[Sequence[int]]:
    from refmc.learn.selection import folds

    n = 10 if given is None else given
    if not 2 <= n <= len(y):
        default = ", the default" if given is None else ""
        raise ParameterError(
            f"--folds: expected a number from 2 to {len(y)}, the rows, got {n}{default}"
        )
    return folds(len(y), n, y)


def _said_of_choice(choice: LamChoice) -> str:
    """Which λ was chosen, from what, and what it did."""
    error = choice.errors[choice.lams.index(choice.lam)]
    kept = choice.sequence[0]
    pruned = ""
    if len(choice.tree.leaves()) == kept.size:
        pruned = "; " + ("nothing is pruned" if not kept.collapsed else "pruned as at λ = 0")
    candidates = counted(len(choice.lams), "candidate", "candidates")
    return (
        f"λ ≈ {float(choice.prune_at):.6g} of {candidates} between the steps of the unpruned "
        f"tree's sequence, which `refmc show --sequence` prints, cross-validated error "
        f"{float(error):.6g}{pruned}"
    )
