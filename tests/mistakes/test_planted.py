"""Mistakes planted into programs that share nothing with refmc: which are named, which wrongly.

Each program of `programs/` answers right, or with the mistake that `bug` names. `PLANTED` says by
hand what is true of each: the names under which refmc should tell it first, and after a semicolon
other causes that are true; nothing where refmc has no name for it, and so must not give it one.
"""

import json
from collections import Counter
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest

from refmc.suite import running
from refmc.suite.causes import causes
from refmc.suite.protocol import About, Reply

PLANTED: dict[str, dict[str, str]] = {
    "multiclass_svm": {
        "no_offset": "kernel.offset_forgotten",
        "ones_column": "svm.ones_column",
        "standardised": "features.standardised",
        "centred": "features.centred",
        "scaled_01": "features.scaled",
        "unit_rows": "features.unit",
        "labels_as_seen": "svm.class_order",
        "weights_squared": "weights.squared",
        "weights_normalised": "svm.C_over_m svm.mean_for_sum weights.normalised; svm.other_C",
        "cost_transposed": "svm.costs_transposed",
        "cost_squared": "costs.squared",
        "margin_two": "costs.doubled",
        "margin_over_k": "costs.over_k",
        "mean_loss": "svm.C_over_m svm.mean_for_sum; svm.other_C",
        "C_over_classes": "svm.C_over_k; svm.other_C",
        "C_over_rivals": "svm.C_over_rivals; svm.other_C",
        "C_is_lambda": "svm.C_on_the_norm; svm.other_C",
        "norm_not_halved": "svm.half_dropped; svm.other_C",
        "no_cap": "svm.no_cap",
        "other_loss": "svm.slack_per_rival other.loss deaf.loss",
        "no_duplicates": "rows.once",
        "last_row": "left_out.last_row",
        "first_row_skipped": "left_out.first_row",
        "few_sweeps": "svm.unfinished",
        "negated": "svm.sign_reversed",
        "two_digits": "digits.few",
        "columns_swapped": "order.reversed_columns_of_X order.first_two_columns_of_X",
        "relative_to_last": "svm.relative_to_last",
        "averaged": "unit.W_scores",
        "unit_W": "svm.unit_weights",
        "untrained": "method.none",
        "class_means": "method.means",
    },
    "binary_svm": {
        "always_penalised": "svm.bias_regularised",
        "never_bias": "svm.bias_toggled deaf.bias",
        "weights_inverse": "weights.inverse",
        "weights_ignored": "svm.zero_weight_rows deaf.weights",
        "C_squared": "squared.C; svm.other_C",
        "C_over_m": "svm.C_over_m svm.mean_for_sum; svm.other_C",
        "C_for_positives_only": "svm.C_of_one_class",
        "hard": "svm.no_cap",
        "scale_multiplies": "kernel.scale_multiplied",
        "degree_plus_one": "kernel.degree_one_more",
        "other_loss": "other.loss svm.squared_hinge svm.plain_hinge deaf.loss",
        "few_steps": "svm.unfinished",
        "loose": "svm.unfinished",
        "b_wrong_sign": "svm.bias_sign",
        "b_missing": "svm.bias_of_0 svm.no_bias_in_decision",
        "b_from_all": "svm.bias_from_bounded",
        "unsigned": "svm.labels_forgotten",
        "unit_w": "svm.unit_weights unit.w_b_scores",
        "three_digits": "digits.few",
        "divided": "features.divided",
        "C_of_1": "one.C",
        "balanced": "weights.balanced",
        "b_from_rows": "svm.bias_from_all_rows",
        "b_from_means": "svm.bias_midway_of_means",
        "b_of_hard_margin": "svm.bias_of_hard_margin",
        "norm_whole": "svm.half_dropped; svm.other_C",
        "free_rows_alone": "svm.free_rows_alone",
        "whole_norm": "value.norm_whole",
        "nearest_mean": "method.means",
        "ridge": "method.squares",
    },
    "tree": {
        "weights_ignored": "tree.weights_ignored deaf.weights",
        "integer_features": "features.whole",
        "last_column": "left_out.last_column",
        "first_column": "left_out.first_column",
        "depth_one_more": "one_more.max_depth",
        "depth_one_less": "tree.depth_counts_nodes",
        "min_leaf_more": "tree.min_leaf_exclusive one_more.min_leaf",
        "split_more": "one_more.max_splits",
        "min_split_strict": "one_more.min_split",
        "other_impurity": "tree.other_impurity",
        "natural_log": "tree.log_base",
        "gini_rooted": "tree.gini_rooted",
        "first_cut_missed": "tree.first_threshold_missed",
        "last_cut_missed": "tree.last_threshold_missed",
        "every_second_cut": "tree.every_second_threshold",
        "unweighted_children": "tree.children_unweighted",
        "gain_ratio": "tree.gain_ratio",
        "from_root": "tree.from_root",
        "weighted_flipped": "tree.decrease_per_node deaf.weighted",
        "decrease_strict": "tree.min_decrease_exclusive",
        "zero_gain_stops": "tree.no_gain_no_split",
        "first_label": "tree.label_of_first_row",
        "last_label": "tree.label_of_last_row",
        "minority": "tree.label_of_minority",
        "strict": "tree.strict_threshold",
        "children_swapped": "tree.sides_swapped",
        "labels_swapped": "tree.label_of_sibling",
        "worst_gain": "tree.worst_question",
        "first_that_gains": "tree.first_that_gains",
        "median_alone": "tree.median_alone",
        "children_added": "tree.children_summed",
        "purest_child": "tree.purest_child",
        "shares_swapped": "tree.shares_swapped",
        "gini_of_first": "tree.gini_of_first",
        "gini_of_majority": "tree.gini_of_majority",
        "less_for_at_most": "tree.less_for_at_most",
        "share_of_root": "tree.decrease_of_root",
        "first_column_that_gains": "tree.first_column_that_gains",
        "values_sorted_alone": "tree.values_sorted_alone",
        "deepest_first": "tree.depth_first",
        "depth_of_yes_alone": "tree.depth_of_yes_alone",
        "leaf_like_parent": "tree.label_of_parent",
        "root_alone": "tree.root_alone",
        "one_split": "tree.one_split_alone",
        "depth_of_two": "tree.depth_of_two",
    },
    "perceptrons": {
        "eta_one": "deaf.eta",
        "epoch_more": "one_more.epochs",
        "epoch_less": "one_less.epochs",
        "row_0_skipped": "left_out.first_row",
        "backwards": "order.reversed_rows",
        "zero_is_right": "perceptron.strict_at_zero",
        "no_label": "perceptron.no_label",
        "minus": "perceptron.minus",
        "bias_forgotten": "perceptron.bias_forgotten",
        "normalised_step": "perceptron.step_over_length",
        "average_of_updates": "perceptron.average_over_updates",
        "not_averaged": "deaf.average run.averaged",
        "sum_not_mean": "run.summed",
        "all_rivals": "perceptron.other_tau",
        "full_share": "perceptron.rivals_full_share",
        "rivals_left_alone": "perceptron.rivals_left_alone",
        "half_step": "perceptron.learning_rate halved.eta",
        "start_ignored": "deaf.start",
        "always_updates": "perceptron.every_row",
        "forgotten_each_epoch": "perceptron.forgotten_each_epoch",
        "bias_untested": "perceptron.bias_untested",
        "bias_no_label": "perceptron.bias_no_label",
        "starts_at_ones": "perceptron.starts_at_ones",
        "first_weights_left_out": "perceptron.average_from_second",
        "own_left_alone": "perceptron.own_left_alone",
        "own_for_each": "perceptron.own_for_each",
        "others_lose": "perceptron.all_others_lose",
        "label_untested": "perceptron.label_untested",
        "alpha_signed": "perceptron.alpha_signed",
        "counted_once": "perceptron.counted_once",
        "labels_zero_one": "perceptron.labels_zero_one",
        "delta_rule": "perceptron.by_difference",
        "bias_down": "perceptron.bias_down",
        "clipped": "perceptron.clipped",
        "own_row_left_out": "perceptron.itself_left_out",
        "passive_aggressive": "perceptron.passive_aggressive",
        "by_visit": "sgd.rate_falls",
        "by_update": "perceptron.rate_by_update",
        "weights_multiply": "run.weights_multiply",
        "epoch_ends": "perceptron.epoch_ends_at_mistake",
        "ends_averaged": "run.average_of_epochs",
        "last_epoch_averaged": "run.average_of_last_epoch",
        "ages_from_0": "run.age_from_zero",
        "averaged_before": "run.recorded_before",
        "average_with_start": "run.start_recorded",
        "last_bias": "perceptron.bias_not_averaged",
        "count_goes_on": "perceptron.mistakes_added_up",
        "threshold_told": "svm.bias_sign",
        "later_rows_left_out": "perceptron.later_left_out",
        "alpha_told_signed": "svm.signed_alpha",
        "first_rival": "perceptron.first_rival",
        "share_of_others": "perceptron.shares_of_all",
        "own_share": "perceptron.own_share",
        "share_more": "perceptron.share_more",
        "label_of_visited": "perceptron.label_of_visited",
        "epoch_tested": "run.tested_at_start",
        "rate_on_all": "perceptron.rate_on_all",
        "shared_copies": "run.one_state_kept",
    },
    "sgd": {
        "epoch_more": "one_more.epochs",
        "eta_halves": "sgd.rate_falls",
        "no_shrink": "sgd.no_shrink sgd.other_shrink",
        "shrink_by_C": "sgd.shrink_by_C",
        "perceptron_test": "sgd.margin_forgotten",
        "C_forgotten": "one.C",
        "shrink_after": "sgd.shrink_after",
        "without_x": "sgd.without_x",
        "bias_shrunk": "sgd.intercept_other_rate",
        "last_weights": "run.averaged deaf.average",
        "step_less": "one_less.T",
        "cost_transposed": "sgd.costs_transposed",
        "lam_doubled": "doubled.lam",
        "root_rate": "sgd.root_rate",
        "rate_from_two": "sgd.t_from_zero",
        "no_margin": "sgd.argmax_without_cost",
        "worst_only": "sgd.other_form deaf.loss",
        "bias_fixed": "perceptron.bias_forgotten",
        "bias_untested": "perceptron.bias_untested",
        "every_row": "perceptron.every_row; sgd.slope_at_kink",
        "shrunk_first": "sgd.shrunk_before_test",
        "loss_over_m": "sgd.norm_per_row",
        "loss_without_rate": "sgd.loss_without_rate",
        "rate_without_lam": "sgd.rate_without_lam",
        "squared_hinge": "sgd.squared_slope",
        "divided": "sgd.shrink_divides",
        "bias_without_C": "sgd.bias_without_C",
        "second_row_first": "run.second_row_first",
        "own_left_alone": "perceptron.own_left_alone",
        "projected": "sgd.projected",
        "eta_by_root": "perceptron.rate_by_root",
        "norm_doubled": "sgd.regulariser_doubled",
        "norm_halved": "sgd.regulariser_halved",
        "shrink_over_m": "sgd.shrink_over_m",
        "size_tested": "sgd.size_tested",
        "logistic": "sgd.logistic_slope",
        "bias_without_eta": "perceptron.bias_without_rate",
        "bias_no_label": "perceptron.bias_no_label",
        "rate_late": "sgd.t_late",
        "rate_of_round": "sgd.rate_of_round",
        "rate_over_m": "sgd.rate_over_m",
        "softmax": "sgd.softmax_slope",
        "terms_averaged": "sgd.terms_averaged",
    },
    "adaboost": {
        "weights_ignored": "boost.row_weights_ignored deaf.weights",
        "round_more": "one_more.rounds",
        "round_less": "one_less.rounds",
        "unweighted_error": "boost.epsilon_unweighted boost.weights_unused; boost.not_the_least",
        "one_sided": "boost.one_sided; boost.not_the_least",
        "second_best": "boost.not_the_least",
        "alpha_without_half": "boost.half_missing boost.alpha_doubled",
        "log_ten": "boost.alpha_scaled",
        "alpha_of_before": "boost.alpha_of_before",
        "alpha_is_edge": "boost.alpha_is_edge",
        "learning_rate": "boost.alpha_scaled",
        "wrong_only_raised": "boost.wrong_raised_by_root",
        "right_raised": "boost.alpha_signed_weights",
        "never_reweighted": "boost.weights_unused; boost.not_the_least",
        "not_normalised": "boost.weights_unnormalised",
        "epsilon_after": "boost.epsilon_after",
        "labels_of_last": "boost.labels_of_last",
        "labels_reversed": "labels.reversed labels.next labels.as_seen",
        "labels_as_scores": "boost.labels_as_scores",
        "only_labels_of_last": "boost.only_labels_of_last",
        "raised_by_error": "boost.wrong_raised_by_error",
        "strict": "boost.last_threshold_missed",
        "first_threshold_missed": "boost.first_threshold_missed",
        "last_row_unseen": "boost.last_row_unseen",
        "not_normalised with Z": "boost.weights_unnormalised",
        "wrong_only_raised with Z": "boost.wrong_raised_by_root",
        "raised_by_error with Z": "boost.wrong_raised_by_error",
        "alpha_without_half with Z": "boost.half_missing",
        "raised_linearly": "boost.wrong_raised_linearly",
        "from_first_D": "boost.weights_from_first",
        "chosen_by_count": "boost.choice_unweighted",
        "alpha_is_half_edge": "boost.alpha_is_half_edge",
        "wrong_doubled": "boost.wrong_doubled",
        "updated_twice": "boost.updated_twice",
        "divided_by_largest": "boost.divided_by_largest",
        "divided_by_length": "boost.divided_by_length",
        "one_vote": "boost.votes_unweighted",
        "accuracy_told": "boost.accuracy_told",
        "logistic": "boost.weights_logistic",
        "loss_of_stump with Z": "boost.loss_of_stump",
        "Z_multiplied with Z": "boost.Z_multiplied",
        "D_of_next": "boost.D_of_next",
        "no_constant": "boost.no_constants",
        "whole_vote": "boost.whole_vote_multiplied",
        "whole_vote with Z": "boost.whole_vote_multiplied",
        "ends_without_loss": "boost.ends_without_loss",
        "last_column_unseen": "boost.last_column_unseen left_out.last_column; boost.not_the_least",
        "begun_over_rows": "boost.begun_over_rows",
        "best_kept": "boost.best_kept",
        "no_edge_told": "boost.no_edge_told",
        "vote_of_before": "boost.vote_of_before",
        "vote_of_first": "boost.vote_of_first",
        "update_of_before": "boost.update_of_before",
        "answers_shifted": "boost.answers_shifted",
        "labels_zero_one": "boost.own_labels_updated",
        "loss_counted with Z": "boost.loss_counted",
        "loss_of_before with Z": "boost.loss_of_before",
        "one_list_for_D": "boost.D_of_end",
    },
    "decoding": {
        "zero_is_minus": "code.zero_is_minus",
        "zero_free": "code.zero_bit_free code.zero_costs_nothing",
        "hamming_doubled": "code.distances_doubled",
        "margin_reversed": "code.loss_of_minus_z",
        "no_margin": "code.no_margin",
        "base_two": "code.base_two unit.distances",
        "last_bit_missing": "left_out.last_bit",
        "bits_reversed": "order.reversed_bits_of_code",
        "signs_decoded": "code.loss_of_signs",
        "mean_distance": "code.mean_distance",
        "farthest": "code.farthest",
        "second_is_positive": "ovo.pair_sign",
        "zero_for_first": "ovo.zero_for_first",
        "other_rule": "ovo.other_rule ovo.scores_not_votes",
        "always_score": "ova.other_rule deaf.rule",
        "absolute": "ova.absolute",
        "smallest": "ova.smallest",
        "first_of_tied": "ovo.ties_to_first code.label_order ova.ties_to_first",
        "class_after": "labels.next; order.reversed_classes_of_scores",
        "zero_is_plus": "code.zero_is_plus",
        "zero_disagrees": "code.zero_disagrees",
        "mean_of_nonzero": "code.mean_of_nonzero; code.mean_distance",
        "zero_for_none": "ovo.zero_for_none",
        "lost_subtracted": "ovo.lost_subtracted",
        "one_sided_sum": "ovo.sums_of_first",
        "undefeated": "ovo.undefeated",
        "whole_scores": "ova.whole_scores digits.none",
        "above_half": "ova.threshold_half",
        "zero_for_both": "ovo.zero_for_both",
        "pairs_by_column": "ovo.pairs_by_column",
        "scores_not_signs": "code.scores_not_signs",
        "product": "code.product",
        "absolute_distance": "code.absolute",
        "squared_hinge": "code.squared_hinge",
        "sigmoid": "code.sigmoid",
        "margin_doubled": "code.margin_doubled",
        "votes_by_score": "ovo.votes_by_score",
        "hinge_of_signs": "code.hinge_of_signs code.loss_of_signs",
        "half_hinge": "code.half_hinge",
        "half_logit": "code.half_logit",
        "clipped": "code.clipped",
        "euclidean": "code.euclidean",
        "first_row_for_all": "code.first_row_for_all",
        "nonzero_alone": "code.nonzero_alone",
        "zero_bit_unheard": "code.zero_bit_free",
        "pairs_of_lower": "ovo.pairs_of_lower",
        "sums_of_wins": "ovo.sums_of_wins",
        "mean_sums": "ovo.mean_sums",
        "votes_alone": "ovo.other_rule other.rule",
        "ties_by_sums": "ovo.other_rule other.rule",
        "sums_of_tied": "ovo.sums_of_tied",
        "smallest_sum": "ovo.smallest_sum",
        "nobody_then_first": "ova.nobody_then_first",
        "compared_absolute": "ova.compared_absolute",
        "class_before": "labels.before; order.reversed_classes_of_scores",
    },
    "losses": {
        "sum_not_mean": "loss.sum_for_mean",
        "mean_less_one": "loss.mean_over_one_less",
        "sign": "loss.reversed_margin",
        "no_one": "loss.margin_missing",
        "squared": "loss.squared",
        "base_two": "loss.base_two",
        "no_rho": "loss.rho_ignored deaf.rho",
        "times_rho": "inverse.rho",
        "uncapped": "loss.margin_not_capped",
        "count": "loss.hamming_count",
        "whole": "loss.whole_scores",
        "first_label": "loss.first_label",
        "cost_transposed": "loss.costs_transposed",
        "cost_unheard": "loss.costs_ignored deaf.cost",
        "last_class_missing": "left_out.last_class",
        "own_counted": "loss.cost_on_truth",
        "other_form": "loss.other_form",
        "mean_of_rivals": "loss.mean_of_rivals",
        "uncut": "loss.hinge_not_cut loss.perceptron_not_cut",
        "hinge_capped": "loss.capped",
        "margin_doubled": "loss.margin_scaled",
        "step_at_rho": "loss.step_at_rho",
        "rho_not_divided": "loss.rho_not_divided",
        "any_place": "loss.any_place",
        "places_right": "loss.accuracy",
        "power_of_two": "loss.power_of_two",
        "sigmoid": "loss.sigmoid",
        "scaled_by_cost": "loss.scaled_by_cost",
        "rival_by_score": "loss.rival_by_score",
        "next_label": "labels.of_next_row",
        "least_score": "loss.reversed_margin",
        "other_loss": "loss.other_of_margins",
        "mean_of_positive": "loss.mean_of_positive",
        "slopes_over_m": "loss.slope_over_m",
        "half_squared": "loss.half_squared",
        "softmax": "loss.softmax",
        "two_digits": "digits.few",
        "slope_of_sigmoid": "loss.slope_of_sigmoid",
        "mean_of_classes": "loss.mean_of_classes",
    },
    "pruning": {
        "leaves_not_less_one": "prune.leaves_not_less_one",
        "rates_of_grown": "prune.rates_of_grown",
        "lam_of_before": "prune.lam_of_before",
        "impurity_alone": "prune.impurity_alone",
        "sides_swapped": "prune.sides_swapped",
    },
    "bounds": {
        "k_once": "bound.classes_power",
        "ordered_pairs": "bound.ordered_pairs",
        "times_rho": "inverse.rho",
        "rows_not_doubled": "bound.rows_not_doubled; squared.delta",
        "one_chance": "bound.one_chance doubled.delta",
        "log_ten": "bound.log_ten",
        "no_root": "bound.no_root",
        "three_missing": "bound.three_missing",
        "squares_for_radii": "bound.radius_squared",
        "squared": "bound.squared",
        "edge_not_squared": "bound.edge_not_squared",
        "exponent_halved": "bound.exponent_halved",
        "absolute": "bound.absolute_value",
        "not_over_m": "bound.not_over_m",
        "twice": "bound.twice",
        "not_over_norm": "bound.unit_separator",
        "mean_radius": "bound.mean_radius",
        "margin_not_squared": "bound.margin_not_squared",
        "four_k": "bound.classes_fourfold",
        "k_squared": "bound.classes_squared_once",
        "rivals_twice": "bound.rivals_counted",
        "no_rho": "bound.rho_forgotten one.rho",
        "root_of_rho": "bound.rho_rooted",
        "two_chances": "bound.two_chances",
        "success": "bound.chance_of_success",
        "log_two": "bound.log_two",
        "root_of_log": "bound.root_of_logarithm",
        "three_in_root": "bound.three_in_root",
        "no_loss": "bound.loss_left_out",
        "capped": "bound.total_capped",
        "vacuous_early": "bound.vacuous_by_complexity",
        "no_root_of_ball": "bound.root_forgotten",
        "rows_outside": "bound.rows_outside_root squared.m",
        "least": "bound.infimum",
        "averaged": "bound.mean_of_hypotheses",
        "zero_one": "bound.signs_zero_one",
        "half_of_signs": "bound.first_sign_fixed",
        "largest": "bound.largest_of_signs",
        "first_rival": "bound.first_rival",
        "mean_margin": "bound.mean_margin",
        "longest_weights": "bound.longest_weights",
        "norm_without_b": "bound.bias_not_in_norm",
        "as_two_classes": "bound.several_as_two",
        "cut": "bound.ratio_cut",
        "sum_squared": "bound.sum_of_edges_squared",
        "least_edge": "bound.least_edge",
        "stops_at_chance": "bound.until_chance",
        "returns_at_once": "bound.first_round_alone",
        "exchanged": "bound.product_and_exponential",
    },
}  # fmt: skip


@dataclass(frozen=True)
class Found:
    """What a run with one planted mistake made of it: refuted answers, and the causes told."""

    plant: str
    names: frozenset[str]
    also: frozenset[str]
    refuted: int
    causes: tuple[str, ...]

    @property
    def told(self) -> list[set[str]]:
        """The names of the mistakes that each cause tells."""
        ids = [cause.rpartition("[")[2] for cause in self.causes if cause.endswith("]")]
        return [set(names.rstrip("]").split(", ")) for names in ids]

    @property
    def kind(self) -> str:
        """What became of it: right, true, unnamed, false where any cause is, or unnoticed."""
        if any(not names <= self.names | self.also for names in self.told):
            return "false"
        if not self.told:
            return "unnamed" if self.refuted else "unnoticed"
        return "right" if self.told[0] <= self.names else "true"


def results(name: str, bug: str, longest: int) -> list[running.Result]:
    """What the judge makes of the program's answers to the suite's problems of some length."""
    module: Any = import_module(f"tests.mistakes.programs.{name}")
    about = About(supports=module.SUPPORTS)
    cases = running.suite_cases(families=[*module.SUPPORTS])
    cases = [case for case in cases if len(str(case.problem)) <= longest]
    found = []
    for case in running.plain_cases(cases, about):
        if case.unasked or about.unsupported(case.problem):
            continue
        answer = json.loads(json.dumps(module.solve(case.sent, bug)))
        reply = Reply(skip=answer["skip"]) if "skip" in answer else Reply(answer=answer)
        found.append(running.judged(case, reply))
    return found


def diagnosed(name: str, bug: str, longest: int = 10**6) -> Found:
    """Plant a mistake and say which causes the run is given."""
    ran = results(name, bug, longest)
    refuted = sum(result.outcome in ("refuted", "crashed") for result in ran)
    names, _, also = PLANTED[name][bug].partition(";")
    true = frozenset(names.split()), frozenset(also.split())
    return Found(f"{name}.{bug}", *true, refuted, (*causes(ran),))


@pytest.mark.parametrize("name", PLANTED)
def test_without_a_mistake_each_program_is_right(name: str) -> None:
    outcomes = Counter(result.outcome for result in results(name, "", longest=10**6))
    assert outcomes["verified"] >= 20
    assert not {"refuted", "crashed"} & {*outcomes}


@pytest.mark.parametrize(
    "plant",
    [
        "multiclass_svm.cost_transposed", "losses.no_one", "losses.base_two",
        "decoding.second_is_positive", "perceptrons.eta_one", "adaboost.weights_ignored",
        "losses.whole", "losses.first_label",
        "decoding.signs_decoded", "pruning.rates_of_grown",
        "pruning.lam_of_before", "decoding.product", "losses.two_digits",
        "losses.slope_of_sigmoid", "sgd.last_weights", "decoding.margin_doubled",
        "pruning.sides_swapped",
    ],
)  # fmt: skip
def test_a_planted_mistake_is_named_first(plant: str) -> None:
    name, _, bug = plant.partition(".")
    found = diagnosed(name, bug, longest=400)
    assert found.told[0] <= found.names


@pytest.mark.campaign
def test_planted_mistakes_are_named_and_none_is_named_falsely() -> None:
    found = [diagnosed(name, bug) for name in PLANTED for bug in PLANTED[name]]
    counts = Counter(plant.kind for plant in found)
    lines = (f"{plant.kind} {plant.plant}: {'; '.join(plant.causes)}" for plant in found)
    told = f"{counts}\n" + "\n".join(lines)
    assert counts["unnoticed"] == counts["false"] == 0, told
    assert counts["right"] >= 0.85 * len(found), told
