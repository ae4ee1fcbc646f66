"""refmc: the exact, tie-aware referee for multi-class classification.

Public names, in reading order; each is imported when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from refmc.checker import Verdict as Verdict
    from refmc.checker import Violation as Violation
    from refmc.core.logs import Log as Log
    from refmc.core.sample import Sample as Sample
    from refmc.core.scalars import exact as exact
    from refmc.core.ties import argmax_set as argmax_set
    from refmc.core.ties import argmin_set as argmin_set
    from refmc.core.ties import first as first
    from refmc.core.ties import last as last
    from refmc.core.ties import refuse as refuse
    from refmc.errors import DataError as DataError
    from refmc.errors import ExactnessLimitError as ExactnessLimitError
    from refmc.errors import FormatError as FormatError
    from refmc.errors import InfeasibleError as InfeasibleError
    from refmc.errors import MixedArithmeticError as MixedArithmeticError
    from refmc.errors import NotPositiveSemidefiniteError as NotPositiveSemidefiniteError
    from refmc.errors import ParameterError as ParameterError
    from refmc.errors import RefmcError as RefmcError
    from refmc.errors import TieError as TieError
    from refmc.errors import UnboundedError as UnboundedError
    from refmc.learn.active_set import Pivot as Pivot
    from refmc.learn.multiclass_model import Certificate as Certificate
    from refmc.learn.multiclass_model import MulticlassSVM as MulticlassSVM
    from refmc.learn.multiclass_svm import fit_multiclass_svm as fit_multiclass_svm
    from refmc.learn.pruning import PruningStep as PruningStep
    from refmc.learn.pruning import prune as prune
    from refmc.learn.pruning import pruning_sequence as pruning_sequence
    from refmc.learn.pruning_choice import LamChoice as LamChoice
    from refmc.learn.pruning_choice import choose_lam as choose_lam
    from refmc.learn.qp import QPSolution as QPSolution
    from refmc.learn.qp import solve_qp as solve_qp
    from refmc.learn.trees import TreeRound as TreeRound
    from refmc.learn.trees import grow_tree as grow_tree
    from refmc.learn.trees_model import DecisionTree as DecisionTree
    from refmc.learn.trees_model import Node as Node
    from refmc.learn.trees_questions import CategoricalQuestion as CategoricalQuestion
    from refmc.learn.trees_questions import LinearQuestion as LinearQuestion
    from refmc.learn.trees_questions import NumericQuestion as NumericQuestion
    from refmc.learn.trees_questions import SphereQuestion as SphereQuestion
    from refmc.oracle.answers import OracleFailure as OracleFailure
    from refmc.oracle.answers import assert_certified as assert_certified
    from refmc.oracle.answers import check as check
    from refmc.oracle.answers import solve_problem as solve_problem
    from refmc.oracle.answers import trace_problem as trace_problem
    from refmc.oracle.models import load_model as load_model
    from refmc.theory.impurity import entropy as entropy
    from refmc.theory.impurity import gini as gini
    from refmc.theory.impurity import misclassification as misclassification
    from refmc.theory.kernels import gram as gram
    from refmc.theory.kernels import linear as linear
    from refmc.theory.kernels import polynomial as polynomial
    from refmc.theory.kernels import psd_witness as psd_witness
    from refmc.theory.kernels import rbf as rbf
    from refmc.theory.kernels import rbf_features as rbf_features
    from refmc.theory.losses import empirical_margin_loss as empirical_margin_loss
    from refmc.theory.losses import margin as margin
    from refmc.theory.losses import margin_loss as margin_loss
    from refmc.theory.losses import multiclass_hinge as multiclass_hinge

_HOMES = {
    "core.scalars": ["exact"],
    "core.logs": ["Log"],
    "core.ties": ["argmax_set", "argmin_set", "first", "last", "refuse"],
    "core.sample": ["Sample"],
    "theory.losses": ["margin", "margin_loss", "empirical_margin_loss", "multiclass_hinge"],
    "theory.kernels": ["linear", "polynomial", "rbf", "gram", "rbf_features", "psd_witness"],
    "theory.impurity": ["gini", "entropy", "misclassification"],
    "learn.active_set": ["Pivot"],
    "learn.qp": ["solve_qp", "QPSolution"],
    "learn.multiclass_svm": ["fit_multiclass_svm"],
    "learn.multiclass_model": ["MulticlassSVM", "Certificate"],
    "learn.trees": ["grow_tree", "TreeRound"],
    "learn.trees_model": ["DecisionTree", "Node"],
    "learn.trees_questions": [
        "NumericQuestion",
        "CategoricalQuestion",
        "LinearQuestion",
        "SphereQuestion",
    ],
    "learn.pruning": ["pruning_sequence", "prune", "PruningStep"],
    "learn.pruning_choice": ["choose_lam", "LamChoice"],
    "oracle.models": ["load_model"],
    "oracle.answers": [
        "solve_problem",
        "trace_problem",
        "check",
        "assert_certified",
        "OracleFailure",
    ],
    "checker": ["Verdict", "Violation"],
    "errors": [
        "RefmcError",
        "DataError",
        "ParameterError",
        "MixedArithmeticError",
        "FormatError",
        "ExactnessLimitError",
        "TieError",
        "NotPositiveSemidefiniteError",
        "InfeasibleError",
        "UnboundedError",
    ],
}

__all__ = [name for names in _HOMES.values() for name in names]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"refmc.{home}"), name)
    raise AttributeError(f"module 'refmc' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
