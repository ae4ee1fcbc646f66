"""refmc: the exact, tie-aware referee for multi-class classification.

Public names, in reading order; each is imported when it is first used.
"""

from __future__ import annotations

import sys
from importlib import import_module

from refmc.drawn import Drawn, Exported

if sys.version_info < (3, 11):  # noqa: UP036  # whoever has a checkout hasn't installed it
    told = "refmc needs Python 3.11 or later, and this is {}.{}".format(*sys.version_info)
    if sys.argv[:1] != ["-m"]:
        raise ImportError(told)
    print("refmc: " + told, file=sys.stderr)  # for `python -m refmc`, without a trace of the import
    raise SystemExit(2)

__version__ = "0.1.0"

TYPE_CHECKING = False  # type checkers take it for true; typing takes longer to import than all else
if TYPE_CHECKING:  # for programs that don't follow `__getattr__`; a test compares the two lists
    from collections.abc import Sequence
    from typing import Any

    from refmc.adapters.claims import Judged as Judged
    from refmc.adapters.data_files import DataRows as DataRows
    from refmc.adapters.data_files import read_csv as read_csv
    from refmc.adapters.estimators import assert_judged as assert_judged
    from refmc.adapters.estimators import judge as judge
    from refmc.adapters.model_files import judge_model as judge_model
    from refmc.adapters.model_files import read_model as read_model
    from refmc.answers import OracleFailure as OracleFailure
    from refmc.answers import assert_certified as assert_certified
    from refmc.answers import check as check
    from refmc.answers import solve_problem as solve_problem
    from refmc.answers import trace_problem as trace_problem
    from refmc.checker import Verdict as Verdict
    from refmc.checker import Violation as Violation
    from refmc.core.labelled import Sample as Sample
    from refmc.core.logs import Log as Log
    from refmc.core.scalars import exact as exact
    from refmc.core.ties import argmax_set as argmax_set
    from refmc.core.ties import argmin_set as argmin_set
    from refmc.core.ties import first as first
    from refmc.core.ties import last as last
    from refmc.core.ties import refuse as refuse
    from refmc.draw.fitted import draw_model as draw_model
    from refmc.draw.pictures import draw_problem as draw_problem
    from refmc.errors import DataError as DataError
    from refmc.errors import ExactnessLimitError as ExactnessLimitError
    from refmc.errors import FormatError as FormatError
    from refmc.errors import InfeasibleError as InfeasibleError
    from refmc.errors import MixedArithmeticError as MixedArithmeticError
    from refmc.errors import NotPositiveSemidefiniteError as NotPositiveSemidefiniteError
    from refmc.errors import NotSeparableError as NotSeparableError
    from refmc.errors import ParameterError as ParameterError
    from refmc.errors import RefmcError as RefmcError
    from refmc.errors import TieError as TieError
    from refmc.errors import UnboundedError as UnboundedError
    from refmc.export.exporting import export_model as export_model
    from refmc.learn.boosting.adaboost_mh import fit_adaboost as fit_adaboost
    from refmc.learn.boosting.adaboost_mh import fit_adaboost_mh as fit_adaboost_mh
    from refmc.learn.boosting.models import AdaBoost as AdaBoost
    from refmc.learn.boosting.models import AdaBoostMH as AdaBoostMH
    from refmc.learn.boosting.stumps import FittedStump as FittedStump
    from refmc.learn.boosting.stumps import fit_stump as fit_stump
    from refmc.learn.boosting.weak import on_items as on_items
    from refmc.learn.online.perceptron import fit_kernel_perceptron as fit_kernel_perceptron
    from refmc.learn.online.perceptron import fit_perceptron as fit_perceptron
    from refmc.learn.online.perceptron_models import KernelPerceptron as KernelPerceptron
    from refmc.learn.online.perceptron_models import MulticlassPerceptron as MulticlassPerceptron
    from refmc.learn.online.perceptron_models import Perceptron as Perceptron
    from refmc.learn.online.perceptron_multiclass import all_rivals as all_rivals
    from refmc.learn.online.perceptron_multiclass import chosen_rival as chosen_rival
    from refmc.learn.online.perceptron_multiclass import (
        fit_multiclass_perceptron as fit_multiclass_perceptron,
    )
    from refmc.learn.online.perceptron_multiclass import rivals as rivals
    from refmc.learn.online.runs import ball as ball
    from refmc.learn.online.runs import by_age as by_age
    from refmc.learn.online.runs import equally as equally
    from refmc.learn.online.runs import shrink_always as shrink_always
    from refmc.learn.online.runs import shrink_never as shrink_never
    from refmc.learn.online.runs import shrink_with_loss as shrink_with_loss
    from refmc.learn.online.sgd_binary import fit_svm_sgd as fit_svm_sgd
    from refmc.learn.online.sgd_models import BinarySGD as BinarySGD
    from refmc.learn.online.sgd_models import MulticlassSGD as MulticlassSGD
    from refmc.learn.online.sgd_multiclass import fit_multiclass_svm_sgd as fit_multiclass_svm_sgd
    from refmc.learn.reductions.members import BinaryStep as BinaryStep
    from refmc.learn.reductions.one_vs_all import OneVsAll as OneVsAll
    from refmc.learn.reductions.one_vs_all import by_claim as by_claim
    from refmc.learn.reductions.one_vs_all import by_score as by_score
    from refmc.learn.reductions.one_vs_all import by_score_among_claims as by_score_among_claims
    from refmc.learn.reductions.one_vs_all import fit_one_vs_all as fit_one_vs_all
    from refmc.learn.reductions.one_vs_one import OneVsOne as OneVsOne
    from refmc.learn.reductions.one_vs_one import Tournament as Tournament
    from refmc.learn.reductions.one_vs_one import by_score_sum as by_score_sum
    from refmc.learn.reductions.one_vs_one import by_votes as by_votes
    from refmc.learn.reductions.one_vs_one import by_votes_then_sums as by_votes_then_sums
    from refmc.learn.reductions.one_vs_one import duels as duels
    from refmc.learn.reductions.one_vs_one import fit_one_vs_one as fit_one_vs_one
    from refmc.learn.reductions.one_vs_one import score_sums as score_sums
    from refmc.learn.reductions.one_vs_one import votes as votes
    from refmc.learn.reductions.output_codes import all_pairs_code as all_pairs_code
    from refmc.learn.reductions.output_codes import code_faults as code_faults
    from refmc.learn.reductions.output_codes import exhaustive_code as exhaustive_code
    from refmc.learn.reductions.output_codes import minimum_distance as minimum_distance
    from refmc.learn.reductions.output_codes import one_vs_all_code as one_vs_all_code
    from refmc.learn.reductions.output_codes import random_code as random_code
    from refmc.learn.reductions.output_decoding import hamming_decoding as hamming_decoding
    from refmc.learn.reductions.output_decoding import loss_decoding as loss_decoding
    from refmc.learn.reductions.output_decoding import nearest_rows as nearest_rows
    from refmc.learn.reductions.output_model import OutputCode as OutputCode
    from refmc.learn.reductions.output_model import fit_output_code as fit_output_code
    from refmc.learn.reductions.papers.error_correcting_tournament import (
        ErrorCorrectingTournament as ErrorCorrectingTournament,
    )
    from refmc.learn.reductions.papers.error_correcting_tournament import (
        fit_error_correcting_tournament as fit_error_correcting_tournament,
    )
    from refmc.learn.reductions.papers.label_tree import LabelTree as LabelTree
    from refmc.learn.reductions.papers.label_tree import balanced_partitions as balanced_partitions
    from refmc.learn.reductions.papers.label_tree import fit_label_tree as fit_label_tree
    from refmc.learn.reductions.papers.label_tree import swapped_partition as swapped_partition
    from refmc.learn.reductions.papers.one_against_some import OneAgainstSome as OneAgainstSome
    from refmc.learn.reductions.papers.one_against_some import (
        fit_one_against_some as fit_one_against_some,
    )
    from refmc.learn.selection import ScoreLoss as ScoreLoss
    from refmc.learn.selection import choose_C as choose_C
    from refmc.learn.selection import choose_parameter as choose_parameter
    from refmc.learn.selection import cross_validate as cross_validate
    from refmc.learn.selection import folds as folds
    from refmc.learn.svm.active_set import Pivot as Pivot
    from refmc.learn.svm.binary import fit_binary_svm as fit_binary_svm
    from refmc.learn.svm.binary import fit_hard_svm as fit_hard_svm
    from refmc.learn.svm.binary_model import BinarySVM as BinarySVM
    from refmc.learn.svm.dual import Certificate as Certificate
    from refmc.learn.svm.multiclass import fit_multiclass_svm as fit_multiclass_svm
    from refmc.learn.svm.multiclass_model import MulticlassSVM as MulticlassSVM
    from refmc.learn.svm.qp import QPSolution as QPSolution
    from refmc.learn.svm.qp import solve_qp as solve_qp
    from refmc.learn.trees.choose_lam import LamChoice as LamChoice
    from refmc.learn.trees.choose_lam import choose_lam as choose_lam
    from refmc.learn.trees.grow import grow_tree as grow_tree
    from refmc.learn.trees.model import DecisionTree as DecisionTree
    from refmc.learn.trees.nodes import Node as Node
    from refmc.learn.trees.prune import PruningStep as PruningStep
    from refmc.learn.trees.prune import prune as prune
    from refmc.learn.trees.prune import pruning_sequence as pruning_sequence
    from refmc.learn.trees.questions import CategoricalQuestion as CategoricalQuestion
    from refmc.learn.trees.questions import NumericQuestion as NumericQuestion
    from refmc.learn.trees.rounds import TreeRound as TreeRound
    from refmc.learn.trees.surfaces import LinearQuestion as LinearQuestion
    from refmc.learn.trees.surfaces import SphereQuestion as SphereQuestion
    from refmc.oracle.models import load_model as load_model
    from refmc.theory.bounds import KernelComplexity as KernelComplexity
    from refmc.theory.bounds import MarginBound as MarginBound
    from refmc.theory.bounds import kernel_margin_bound as kernel_margin_bound
    from refmc.theory.bounds import kernel_rademacher_bound as kernel_rademacher_bound
    from refmc.theory.bounds import margin_bound as margin_bound
    from refmc.theory.bounds import smallest_margin_bound as smallest_margin_bound
    from refmc.theory.cost_graphs import dag_cost as dag_cost
    from refmc.theory.cost_graphs import graph_cost as graph_cost
    from refmc.theory.cost_graphs import tree_cost as tree_cost
    from refmc.theory.costs import balanced_weights as balanced_weights
    from refmc.theory.costs import expected_costs as expected_costs
    from refmc.theory.costs import least_cost_set as least_cost_set
    from refmc.theory.costs import matrix_cost as matrix_cost
    from refmc.theory.costs import row_costs as row_costs
    from refmc.theory.costs import uniform_cost as uniform_cost
    from refmc.theory.features import class_features as class_features
    from refmc.theory.features import feature_scores as feature_scores
    from refmc.theory.features import lipschitz_squared as lipschitz_squared
    from refmc.theory.grams import gram as gram
    from refmc.theory.grams import psd_witness as psd_witness
    from refmc.theory.impurity import entropy as entropy
    from refmc.theory.impurity import gini as gini
    from refmc.theory.impurity import misclassification as misclassification
    from refmc.theory.kernels import linear as linear
    from refmc.theory.kernels import polynomial as polynomial
    from refmc.theory.kernels import rbf as rbf
    from refmc.theory.kernels import rbf_features as rbf_features
    from refmc.theory.losses import empirical_margin_loss as empirical_margin_loss
    from refmc.theory.losses import exponential as exponential
    from refmc.theory.losses import hamming as hamming
    from refmc.theory.losses import hinge as hinge
    from refmc.theory.losses import logistic as logistic
    from refmc.theory.losses import margin as margin
    from refmc.theory.losses import margin_loss as margin_loss
    from refmc.theory.losses import multiclass_hinge as multiclass_hinge
    from refmc.theory.losses import multiclass_hinge_set as multiclass_hinge_set
    from refmc.theory.losses import multiclass_hinge_sum as multiclass_hinge_sum
    from refmc.theory.losses import perceptron_loss as perceptron_loss
    from refmc.theory.losses import squared_hinge as squared_hinge
    from refmc.theory.losses import zero_one as zero_one
    from refmc.theory.metrics import Confusion as Confusion
    from refmc.theory.metrics import accuracy as accuracy
    from refmc.theory.metrics import confusion_matrix as confusion_matrix
    from refmc.theory.metrics import hamming_loss as hamming_loss
    from refmc.theory.rademacher import RademacherEstimate as RademacherEstimate
    from refmc.theory.rademacher import rademacher as rademacher
    from refmc.theory.rademacher import rademacher_estimate as rademacher_estimate
    from refmc.theory.subgradients import HingeSubgradients as HingeSubgradients
    from refmc.theory.subgradients import exponential_subgradient as exponential_subgradient
    from refmc.theory.subgradients import hinge_subgradient as hinge_subgradient
    from refmc.theory.subgradients import logistic_subgradient as logistic_subgradient
    from refmc.theory.subgradients import max_form as max_form
    from refmc.theory.subgradients import (
        multiclass_hinge_subgradient as multiclass_hinge_subgradient,
    )
    from refmc.theory.subgradients import (
        multiclass_hinge_sum_subgradient as multiclass_hinge_sum_subgradient,
    )
    from refmc.theory.subgradients import perceptron_loss_subgradient as perceptron_loss_subgradient
    from refmc.theory.subgradients import squared_hinge_subgradient as squared_hinge_subgradient
    from refmc.theory.subgradients import sum_form as sum_form
    from refmc.theory.training_bounds import AdaBoostBound as AdaBoostBound
    from refmc.theory.training_bounds import MistakeBound as MistakeBound
    from refmc.theory.training_bounds import adaboost_error_bound as adaboost_error_bound
    from refmc.theory.training_bounds import multiclass_mistake_bound as multiclass_mistake_bound
    from refmc.theory.training_bounds import perceptron_mistake_bound as perceptron_mistake_bound

_HOMES = {  # the module of each public name
    "core.scalars": "exact",
    "core.logs": "Log",
    "core.ties": "argmax_set argmin_set first last refuse",
    "core.labelled": "Sample",
    "learn.reductions.members": "BinaryStep",
    "theory.losses": (
        "zero_one hamming hinge squared_hinge perceptron_loss exponential logistic margin "
        "margin_loss "
        "empirical_margin_loss multiclass_hinge multiclass_hinge_set multiclass_hinge_sum"
    ),
    "theory.features": "class_features feature_scores lipschitz_squared",
    "theory.subgradients": (
        "hinge_subgradient squared_hinge_subgradient perceptron_loss_subgradient "
        "exponential_subgradient logistic_subgradient multiclass_hinge_subgradient "
        "multiclass_hinge_sum_subgradient "
        "HingeSubgradients max_form sum_form"
    ),
    "theory.costs": (
        "uniform_cost matrix_cost row_costs expected_costs least_cost_set balanced_weights"
    ),
    "theory.cost_graphs": "tree_cost dag_cost graph_cost",
    "theory.metrics": "confusion_matrix accuracy hamming_loss Confusion",
    "theory.kernels": "linear polynomial rbf rbf_features",
    "theory.grams": "gram psd_witness",
    "theory.impurity": "gini entropy misclassification",
    "theory.rademacher": "rademacher rademacher_estimate RademacherEstimate",
    "theory.bounds": (
        "margin_bound kernel_rademacher_bound kernel_margin_bound smallest_margin_bound "
        "MarginBound KernelComplexity"
    ),
    "theory.training_bounds": (
        "perceptron_mistake_bound multiclass_mistake_bound MistakeBound adaboost_error_bound "
        "AdaBoostBound"
    ),
    "learn.svm.active_set": "Pivot",
    "learn.svm.qp": "solve_qp QPSolution",
    "learn.svm.multiclass": "fit_multiclass_svm",
    "learn.svm.dual": "Certificate",
    "learn.svm.multiclass_model": "MulticlassSVM",
    "learn.svm.binary": "fit_hard_svm fit_binary_svm",
    "learn.svm.binary_model": "BinarySVM",
    "learn.online.perceptron": "fit_perceptron fit_kernel_perceptron",
    "learn.online.perceptron_multiclass": (
        "fit_multiclass_perceptron chosen_rival all_rivals rivals"
    ),
    "learn.online.perceptron_models": "Perceptron KernelPerceptron MulticlassPerceptron",
    "learn.online.sgd_binary": "fit_svm_sgd",
    "learn.online.sgd_multiclass": "fit_multiclass_svm_sgd",
    "learn.online.runs": "equally by_age shrink_always shrink_with_loss shrink_never ball",
    "learn.online.sgd_models": "BinarySGD MulticlassSGD",
    "learn.boosting.stumps": "fit_stump FittedStump",
    "learn.boosting.adaboost_mh": "fit_adaboost fit_adaboost_mh",
    "learn.boosting.weak": "on_items",
    "learn.boosting.models": "AdaBoost AdaBoostMH",
    "learn.trees.grow": "grow_tree",
    "learn.trees.rounds": "TreeRound",
    "learn.trees.nodes": "Node",
    "learn.trees.model": "DecisionTree",
    "learn.trees.questions": "NumericQuestion CategoricalQuestion",
    "learn.trees.surfaces": "LinearQuestion SphereQuestion",
    "learn.trees.prune": "pruning_sequence prune PruningStep",
    "learn.trees.choose_lam": "choose_lam LamChoice",
    "learn.reductions.one_vs_all": (
        "fit_one_vs_all OneVsAll by_score by_claim by_score_among_claims"
    ),
    "learn.reductions.one_vs_one": (
        "fit_one_vs_one OneVsOne by_votes by_score_sum by_votes_then_sums Tournament duels votes "
        "score_sums"
    ),
    "learn.reductions.output_codes": (
        "one_vs_all_code all_pairs_code exhaustive_code random_code minimum_distance code_faults"
    ),
    "learn.reductions.output_decoding": "hamming_decoding loss_decoding nearest_rows",
    "learn.reductions.output_model": "fit_output_code OutputCode",
    "learn.reductions.papers.error_correcting_tournament": (
        "fit_error_correcting_tournament ErrorCorrectingTournament"
    ),
    "learn.reductions.papers.one_against_some": "fit_one_against_some OneAgainstSome",
    "learn.reductions.papers.label_tree": (
        "fit_label_tree LabelTree balanced_partitions swapped_partition"
    ),
    "learn.selection": "folds cross_validate choose_parameter choose_C ScoreLoss",
    "oracle.models": "load_model",
    "answers": "solve_problem trace_problem check assert_certified OracleFailure",
    "adapters.claims": "Judged",
    "adapters.data_files": "read_csv DataRows",
    "adapters.estimators": "judge assert_judged",
    "adapters.model_files": "judge_model read_model",
    "draw.fitted": "draw_model",
    "draw.pictures": "draw_problem",
    "export.exporting": "export_model",
    "checker": "Verdict Violation",
    "errors": (
        "RefmcError DataError ParameterError MixedArithmeticError FormatError "
        "ExactnessLimitError TieError NotPositiveSemidefiniteError InfeasibleError "
        "UnboundedError NotSeparableError"
    ),
}

__all__ = [name for names in _HOMES.values() for name in names.split()]


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"refmc.{home}"), name)
    raise AttributeError(f"module 'refmc' has no attribute {name!r}")


def _picture(model: Any, columns: Sequence[str] | None) -> str:
    from refmc.draw.fitted import draw_model  # it loads much, and few programs draw

    return draw_model(model, columns)


def _exporter(model: Any, to: str, **settings: Any) -> str:
    from refmc.export.exporting import export_model

    return export_model(model, to, **settings)


Drawn.picture, Exported.exporter = _picture, _exporter


def __dir__() -> list[str]:
    return sorted(__all__)
