"""Explaining refuted answers by named mistakes, and comparing two answers."""

from fractions import Fraction as F
from math import log
from typing import Any

import pytest

from refmc.answers import check, solve_problem
from refmc.core.records import Record
from refmc.mistakes.all import MISTAKES
from refmc.mistakes.boosting import rounds_of
from refmc.mistakes.explaining import explain
from refmc.mistakes.generic import generic
from refmc.mistakes.weights import given_by_weights
from refmc.suite import vectors
from refmc.suite.comparing import compare

pytestmark = pytest.mark.usefixtures("kept_optima")

EVERY = pytest.mark.parametrize("step", [1000, pytest.param(1, marks=pytest.mark.campaign)])

LINE: Record = {
    "family": "svm.binary", "X": [["4"], ["5"], ["7"], ["9"]], "y": [-1, -1, 1, 1], "C": "1/2",
}  # fmt: skip
"""5 and 7 are on the margin: w = 1, b = −6. For C/4 these two are at C, and 4 and 9 on it."""


@EVERY
def test_all_mistakes_that_make_an_answer_are_named(step: int) -> None:
    pairs = [(vector, wrong) for vector in vectors() for wrong in vector.wrong]
    pairs = [pair for pair in pairs if step == 1 or len(str(pair[0].problem)) < 160]
    for vector, wrong in pairs[::step]:
        found = explain(vector.problem, wrong.answer, stated=vector.stated)
        alone = [e for e in found.explanations if e.verdict and len(e.mistakes) == 1]
        assert {*wrong.mistakes} <= {e.mistakes[0].id for e in alone}
        # What is left below 10⁻¹² is a rounding, of which none is smaller than another.
        first = {e.mistakes[0].id for e in alone if e.left <= max(alone[0].left, F(1, 10**12))}
        assert {*wrong.mistakes} <= first


@EVERY
def test_nothing_explains_a_right_answer(step: int) -> None:
    for vector in [*vectors()][::step]:
        for answer in (vector.answer, *vector.accept):
            assert explain(vector.problem, answer).explanations == ()


def named(problem: Record, answer: Record) -> list[str]:
    found = explain(problem, answer)
    best = [e for e in found.explanations if e.verdict and e.left == found.explanations[0].left]
    return [", ".join(variant.id for variant in e.mistakes) for e in best]


@pytest.mark.parametrize(
    ("x", "multiplier", "objective", "id"),
    [
        (["0", "1"], "2", "1", "qp.value_without_linear"),
        (["0", "1"], "2", "-2", "qp.value_without_half"),
        (["-1/2", "1/2"], "3", "-1/2", "qp.b_of_0"),
    ],
)
def test_parts_of_quadratic_programs_that_are_forgotten_are_named(
    x: list[str], multiplier: str, objective: str, id: str
) -> None:
    # x² + y² − 2x − 4y is least at (0, 1) where x + y = 1, and at (−½, ½) where x + y = 0
    problem: Record = {"family": "qp.convex", "Q": [["2", "0"], ["0", "2"]], "c": ["-2", "-4"]}
    problem = {**problem, "A": [["1", "1"]], "b": ["1"]}
    answer = {"x": x, "objective": objective, "equality_multipliers": [multiplier]}
    assert named(problem, answer) == [id]


@pytest.mark.parametrize("multiplier", ["1", "-1"])
def test_inequalities_read_the_other_way_may_give_either_sign_of_multipliers(
    multiplier: str,
) -> None:
    # ½x² is least at 0 where x ≤ 1, and where x ≥ 1 it is at 1, with a multiplier of 1 for −x ≤ −1
    problem = {"family": "qp.convex", "Q": [["1"]], "c": ["0"], "G": [["1"]], "h": ["1"]}
    answer = {"x": ["1"], "objective": "1/2", "inequality_multipliers": [multiplier]}
    assert "qp.inequality_sign" in named(problem, answer)


def test_a_threshold_of_too_few_digits_is_named_where_all_rows_change_to_one_side() -> None:
    # x ≤ 16777217 tells a from b; written as 1.68e7 it is above all values, and b is never said
    X, y = [["16777217"], ["16777218"], ["16777219"]], ["a", "b", "b"]
    root = {"question": {"column": 0, "threshold": 1.68e7}, "negative": 1, "positive": 2}
    tree = {"nodes": [{**root, "label": "b"}, {"label": "b"}, {"label": "a"}]}
    problem = {"family": "tree.grow", "X": X, "y": y}
    assert named(problem, {"tree": tree}) == ["tree.threshold_rounded", "digits.few"]


@pytest.mark.campaign
def test_two_mistakes_at_once_are_no_cause_of_a_run_that_they_nearly_make() -> None:
    # without η and with the step divided by the length of x the first weight would be 1
    (kink,) = (v for v in vectors(only="sgd.binary/at-kink-print"))
    near = {**kink.answer, "trace": [["2247594910218248447/2251799813685248000"], ["1/2"]]}
    assert check(kink.problem, near).status == "REFUTED"
    assert {len(e.mistakes) for e in explain(kink.problem, near).explanations} <= {1}


def test_only_what_must_be_given_is_taken_for_1() -> None:
    ones = {m.id for f in ("svm.binary", "tree.grow") for m in generic(f) if m.id[:4] == "one."}
    assert ones == {"one.C"}


@pytest.mark.campaign
def test_two_mistakes_at_once_are_found_where_none_alone_is() -> None:
    assert named(LINE, {"w": ["1"], "b": "-6"}) == []
    assert named(LINE, {"w": ["2/5"], "b": "-13/5"}) == ["svm.C_over_m", "svm.mean_for_sum"]
    two = {**LINE, "X": [["5"], ["7"]], "y": [-1, 1], "C": "1/4"}
    assert named(two, {"w": ["1/2"], "b": "-3"}) == []  # for half of C any b of −9/4 to −3/4
    assert "svm.C_over_m" in named(two, {"w": ["1/4"], "b": "-2"})
    assert named(two, {"w": ["1/4"], "b": "2"}) == []  # the sign of b alone leaves less than half
    # ½w² + Σξ²/8 is least at w = 4/13, b = −5/13, where ξ = 12/13, 10/13 and 2/13
    three = {**LINE, "X": [["1"], ["2"], ["4"]], "y": [-1, 1, 1], "C": "1/8"}
    squared = "svm.squared_hinge, svm.bias_sign"
    assert named(three, {"w": ["4/13"], "b": "5/13"}) == [squared]
    step = {"family": "sgd.binary", "X": [["2"]], "y": [1], "C": "1", "eta": "1/4"}
    start = {**step, "start": ["1/4"]}
    assert named(start, {"w": ["11/16"]}) == []  # 1/4 · 3/4 + 1/4 · 2
    assert named(start, {"w": ["-5/16"]}) == ["sgd.plus_sign"]
    assert named(start, {"w": ["-1/4"]}) == []  # the sign alone leaves less than half
    # −4 · 3/4 + 1/4 · 2 is right; the only row has a loss, so that either never shrinks
    far = {**step, "start": ["-4"]}
    shrunk = ("sgd.no_shrink", "sgd.shrink_without_loss")
    assert named(far, {"w": ["-9/2"]}) == [f"sgd.plus_sign, {other}" for other in shrunk]
    assert named(start, {"w": ["17/16"]}) == []  # nothing that anybody is known to do


def test_two_answers_are_compared() -> None:
    tied: Record = {"family": "ova.decode", "scores": [["1", "1"], ["2", "0"]]}
    text = compare(tied, {"labels": [0, 0]}, {"labels": [1, 0]}).text()
    assert text == "both are exactly right, a tie; they differ in\n  labels[0]: 0 and 1"
    rounded = compare(LINE, {"w": [1.0000001], "b": -6.0000006}, {"w": ["1"], "b": "-6"}).text()
    assert rounded.startswith("both are right within what is allowed; they differ in\n  w[0]: 1.")
    same = compare(LINE, {"w": ["1"]}, {"w": [1.0], "b": -6}).text()
    assert same == "both are right, and say the same in all that both say"
    text = compare(LINE, {"w": ["1"], "b": "-6"}, {"w": ["2/5"], "b": "-13/5"}).text()
    assert text.startswith("A is right\nB is wrong\n\nB: REFUTED  svm.binary")
    assert "cause    exactly right if C is divided by the number of rows" in text


@pytest.mark.parametrize(
    ("problem", "wrong"),
    [
        ({"family": "boost.ada", "y": [1, -1, 1]}, {"base": [1, 1, 1], "epsilon": "1/2"}),
        (
            {"family": "boost.ada", "y": ["a", "b", "c"], "rule": "samme", "weights": [1, 2, 1]},
            {"base": ["b", "b", "b"], "epsilon": "1/3"},
        ),
        pytest.param(
            {"family": "boost.mh", "Y": [["a"], ["b"], ["a", "b"]]},
            {"base": [[1, 1]] * 3, "epsilon": "1/2"},
            marks=pytest.mark.campaign,
        ),
    ],
)
def test_a_run_of_given_base_classifiers_needs_no_rows_to_be_explained(
    problem: Record, wrong: Record
) -> None:
    given: Record = {**problem, "rounds": 2, "base": "any"}
    answer: Record = {"rounds": [wrong]}
    assert explain(given, answer).verdict.status == "REFUTED"
    assert compare(given, answer, answer)


def test_features_of_pairs_of_a_row_and_a_class_need_no_rows_to_be_explained() -> None:
    features = [[[1, 0], [0, 1]], [[0, 1], [1, 0]]]
    problem: Record = {"family": "svm.multiclass", "C": 1, "y": ["a", "b"], "features": features}
    found = explain(problem, {"w": [5, 5]})
    assert found.verdict.status == "REFUTED" and found.explanations == ()


ROOT = {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2}
PRUNE: Record = {
    "family": "tree.prune", "X": [[1], [2], [3]], "y": ["a", "b", "b"], "risk": "misclassification",
    "tree": {"nodes": [ROOT, {}, {}]},
}  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [
        {"risk": "cost", "cost": [[0, 3], [1, 0]]},
        {"risk": "cost", "cost": [[0, 3], [1, 0]], "scale": "mean"},
        {"weights": [0, 1, 1]},
        {"X": [["1e400"], [1], ["-1e400"]]},
        {"weights": ["1e400", "1e400", 1]},
    ],
)
def test_every_pruning_problem_that_is_judged_is_explained(change: Record) -> None:
    problem = {**PRUNE, **change}
    for answer in (
        {"lam": 0, "leaves": 1},
        {"lam": "1/9", "leaves": 2},
        {"steps": [{"leaves": 2}]},
    ):
        found = explain(problem, answer)
        assert found.verdict.status == check(problem, answer).status
        assert found.text().startswith(found.verdict.status)


@pytest.mark.parametrize(
    ("family", "given", "state", "labels", "named"),
    [
        # w stays 0 as 0 counts as right, and predicts either class of any row
        ("perceptron.binary", {"y": [1, 1]}, {"w": [0], "mistakes": [0]}, [-1, 1], True),
        # −x is added, so that w is −1
        ("perceptron.binary", {"y": [1, 1]}, {"w": [-1]}, [-1, -1], True),
        ("perceptron.binary", {"y": [1, 1]}, {"w": [-1]}, [-1, 1], False),
        # both states are 0, and may vote for either class
        (
            "perceptron.kernel",
            {"y": [1, 1], "voted": True},
            {"trace": [[0, 0], [0, 0]], "alpha": [0, 0]},
            [1, -1],
            True,
        ),
        # b gains x, and a loses nothing
        ("perceptron.multiclass", {"y": ["b", "b"]}, {"W": [[0], [1]]}, ["b", "b"], True),
        ("perceptron.multiclass", {"y": ["b", "b"]}, {"W": [[0], [1]]}, ["b", "a"], False),
    ],
)
def test_labels_beside_the_states_of_a_mistaken_run_are_those_that_it_predicts(
    family: str, given: Record, state: Record, labels: list[object], named: bool
) -> None:
    problem: Record = {"family": family, "X": [[1], [2]], **given}
    if family.endswith("multiclass"):
        problem = {**problem, "classes": ["a", "b"]}
    told = explain(problem, {**state, "labels": labels}).explanations
    assert bool([e for e in told if e.left == 0 and e.verdict]) is named


def test_what_takes_an_answer_just_below_the_allowed_gap_is_no_cause() -> None:
    # ½ is right; of the squared hinge with C = 2²⁰ the optimum is 2.4·10⁻⁷ less, which leaves most
    problem: Record = {"family": "svm.binary", "X": [["1"], ["-1"]], "y": [1, -1], "C": "1"}
    answer: Record = {"w": ["1"], "b": "0", "objective": "0.49999944"}
    assert check(problem, answer).status == "REFUTED"
    assert explain(problem, answer).explanations == ()


def test_what_follows_from_a_wrong_Z_needs_no_cause_of_its_own() -> None:
    # one of three rows is wrong: ε = ⅓ and Z² = 4 · ⅓ · ⅔; without the 2 it is 2/9
    problem: Record = {"family": "boost.ada", "X": [[1], [3], [3]], "y": [1, 1, -1], "rounds": 1}
    round_ = {"t": 1, "base": [1, 1, 1], "epsilon": "1/3", "Z": 2**0.5 / 3}
    answer: Record = {"rounds": [{**round_, "Z_squared": "2/9", "bound_squared": "2/9"}]}
    told = [e.mistakes[0].id for e in explain(problem, answer).explanations]
    assert "boost.Z_halved" in told  # as are others that end with one round


def test_an_average_of_the_states_before_is_named_beside_right_states() -> None:
    # the states are 2, 1 and −3; before them stood 0, 2 and 1, whose mean is 1
    problem: Record = {"family": "perceptron.binary", "X": [[2], [1], [-4]], "y": [1, -1, 1]}
    answer: Record = {"trace": [[2], [1], [-3]], "w": [1]}
    assert named({**problem, "average": "equally"}, answer) == ["run.recorded_before"]


@pytest.mark.parametrize(
    ("beside", "named"),
    [
        ({"scores": [3, 1], "labels": [1, 1]}, True),
        ({"labels": [1, -1]}, True),  # right, though not those of the weights
        ({"labels": [-1, -1]}, False),
        ({"scores": [3, 2]}, False),
    ],
)
def test_scores_and_labels_of_wrong_weights_need_no_cause_of_their_own(
    beside: Record, named: bool
) -> None:
    # w = ½ and b = −1 part 4 from 0; the bias has the other sign
    problem: Record = {"family": "svm.hard", "X": [[4], [0]], "y": [1, -1]}
    told = explain(problem, {"w": ["1/2"], "b": 1, **beside}).explanations
    assert bool(told and told[0].mistakes[0].id == "svm.bias_sign") is named


def test_slack_of_wrong_weights_needs_no_cause_of_its_own() -> None:
    # of 4 and 0 the margins by f = x/2 + 1 are 3 and −1; of three classes that score 0, 2 and 1 the
    # second exceeds its margin of 1 to the first by 3, and the third by 2
    binary: Record = {"family": "svm.binary", "X": [[4], [0]], "y": [1, -1], "C": 1}
    assert given_by_weights(binary, {"w": ["1/2"], "b": 1, "slack": [0, 2]}) == ["slack"]
    assert given_by_weights(binary, {"w": ["1/2"], "b": 1, "slack": [0, 1]}) == []
    assert given_by_weights(binary, {"w": ["1/2"], "b": 1, "slack": [0]}) == []
    several: Record = {
        "family": "svm.multiclass",
        "X": [[1]],
        "y": ["a"],
        "classes": ["a", "b", "c"],
    }
    for loss, slack in (("max_form", 3), ("sum_form", 5)):
        answer: Record = {"W": [[0], [2], [1]], "slack": [slack]}
        assert given_by_weights({**several, "C": 1, "loss": loss}, answer) == ["slack"]


def test_labels_of_a_kernel_follow_from_the_scores_beside_them() -> None:
    answer: Record = {"scores": [-3, "1/2"], "labels": [-1, 1]}
    kernel = {"name": "polynomial", "degree": 3}
    problem: Record = {"family": "svm.hard", "X": [[4], [0]], "y": [1, -1], "kernel": kernel}
    assert given_by_weights(problem, answer) == ["labels"]


def test_the_larger_of_two_tied_trees_is_told_only_at_a_breakpoint() -> None:
    larger = "prune.larger_of_the_tied"
    for lam, leaves, told in (("1", 2, True), ("2", 2, False), ("0", 1, False)):
        found = explain(PRUNE, {"lam": lam, "leaves": leaves})
        assert found.verdict.status == "REFUTED"
        assert (larger in [v.id for e in found.explanations for v in e.mistakes]) == told
    dear = {**PRUNE, "risk": "cost", "cost": [[0, 3], [1, 0]]}  # the root costs 1, to say b
    assert explain(dear, {"lam": 1, "leaves": 2}).explanations[0].mistakes[0].id == larger


def test_trees_on_values_beyond_binary64_are_explained() -> None:
    problem = {"family": "tree.grow", "X": [["1e400"], ["2e400"], [0]], "y": ["a", "b", "b"]}
    found = explain(problem, {"tree": {"nodes": [{}]}})
    assert found.verdict.status == "REFUTED"
    assert found.explanations[0].mistakes[0].id == "tree.pure_child_refused"


def test_an_answer_that_nothing_explains_says_so_and_a_right_one_says_nothing() -> None:
    problem = {"family": "loss.hinge", "z": ["1/2", "3"]}
    told = explain(problem, {"values": ["7/9", "5/7"]}).text()
    assert told.splitlines()[-1] == "  cause    no named mistake, and no two, explain it"
    assert "cause" not in explain(problem, {"values": ["1/2", "0"]}).text()
    unclear = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    told = explain(unclear, {"labels": ["b", "a"]}, gap=10).text()
    assert told.startswith("INCONCLUSIVE") and "cause" not in told


def test_right_answers_without_the_last_row_explain_nothing_that_is_wrong_there_alone() -> None:
    """Every answer that is wrong in its last row alone would otherwise be explained."""
    problem = {"family": "loss.hinge", "z": ["2", "0", "1/2"]}
    wrong = {"values": ["0", "1", "7"]}
    assert not explain(problem, wrong).explanations


@pytest.mark.campaign  # some seconds: each answer is explained by whole runs
def test_one_alpha_that_is_off_is_no_learning_rate() -> None:
    """ε is 1/4 and 1/6, α ½ ln 3 and ½ ln 5; a rate would multiply both."""
    (vector,) = [v for v in vectors() if v.id == "boost.ada/single-precision"]
    right = rounds_of(vector.answer)

    def with_rates(*rates: str) -> list[str]:
        rounds = [
            {**r, "alpha": {"ln": {str(n): rate}}} for r, n, rate in zip(right, (3, 5), rates)
        ]
        return named(vector.problem, {"rounds": rounds})

    assert "boost.alpha_scaled" not in with_rates("2/3", "1/2")
    assert "boost.alpha_scaled" not in with_rates("1/2", "2/3")


def test_a_float_where_the_right_value_is_exact_is_known_up_to_its_rounding() -> None:
    problem = {"family": "loss.margin", "z": ["-1/3"], "rho": "2"}  # 7/6, of which 1 remains
    found = explain(problem, {"values": [1.1666666666666667]}).explanations
    assert [e.mistakes[0].id for e in found] == ["loss.margin_not_capped"]


def test_a_run_is_recognised_whichever_of_the_tied_classes_it_takes() -> None:
    # of three scores of 0 the first, the last or a rival may be the largest; a's row takes it all
    first: Record = {"family": "perceptron.multiclass", "X": [[1]], "classes": [*"abc"]}
    for y in "abc":
        W = [[int(c == y)] for c in "abc"]
        found = explain({**first, "y": [y]}, {"W": W}).explanations
        assert "perceptron.rivals_left_alone" in [e.mistakes[0].id for e in found]


@pytest.mark.campaign  # some seconds: each answer is explained by whole runs
def test_a_part_of_a_round_of_which_a_mistake_says_nothing_stays_wrong() -> None:
    (vector,) = [v for v in vectors() if v.id == "boost.ada/drawn-003"]
    first, *others = rounds_of(vector.answer)
    assert not explain(vector.problem, vector.answer).explanations
    wrong = {**vector.answer, "rounds": [{**first, "Z_squared": "5/8"}, *others]}
    assert explain(vector.problem, wrong).explanations == ()


@pytest.mark.parametrize(
    "epsilon", [0.49999999999999994, "0.49999999999999994", f"1/{2 * 10**400 + 1}", "1e-400", "1/2"]
)
@pytest.mark.parametrize("alpha", [0.1, "1e400", "1/10"])
def test_any_error_of_a_round_may_stand_beside_any_alpha(epsilon: object, alpha: object) -> None:
    problem = {"family": "boost.ada", "X": [[1], [2], [3]], "y": [1, -1, 1], "rounds": 2}
    bases = {"base": [1, -1, -1]}, {"base": [-1, -1, 1]}
    rounds = [{"t": t, "epsilon": epsilon, "alpha": alpha, **b} for t, b in enumerate(bases, 1)]
    list(MISTAKES["boost.alpha_scaled"].changed(problem, {"rounds": rounds}))  # and no error


FAR: Record = {"X": [["1e400"], ["1"]], "y": [1, -1]}
HEAVY: Record = {"X": [["1"], ["2"], ["3"]], "weights": ["1e-400", "1", "1e400"]}


@pytest.mark.parametrize(
    ("problem", "answer", "id"),
    [
        ({"family": "perceptron.binary", **FAR}, {"w": ["1"]}, "perceptron.step_over_length"),
        (
            {"family": "sgd.binary", **FAR, "C": 1, "eta": 1},
            {"w": ["1"]},
            "perceptron.step_over_length",
        ),
        (
            {"family": "sgd.multiclass", **FAR, "lam": "1", "T": 2},
            {"W": [["1"], ["2"]]},
            "sgd.projected",
        ),
        ({"family": "loss.logistic", "z": ["-1e400"]}, {"values": ["1"]}, "loss.sigmoid"),
        (
            {"family": "tree.grow", "y": ["a", "b", "a"], "impurity": "entropy", **HEAVY},
            {"tree": {"nodes": [{}]}},
            "tree.gain_ratio",
        ),
    ],
)
def test_what_floats_do_not_reach_is_no_mistake_of_floats(
    problem: Record, answer: Record, id: str
) -> None:
    assert list(MISTAKES[id].changed(problem, answer)) == []
    assert MISTAKES[id].made(problem) is None


@pytest.mark.parametrize("counts", [[2, 2], [2, 2, 0]])
def test_counts_left_out_at_the_end_are_0(counts: list[int]) -> None:
    # each epoch makes two mistakes or more: 1 and then −1 count twice where one w is asked
    problem: Record = {"family": "perceptron.binary", "X": [[1], [1]], "y": [1, -1], "epochs": 3}
    assert "one_less.epochs" in named(problem, {"w": [0], "mistakes": counts})


def test_an_epoch_that_comes_without_mistakes_may_be_counted_or_not() -> None:
    problem: Record = {"family": "perceptron.binary", "X": [[1, 0]], "y": [1], "epochs": 2}
    for counts in ([0], [0, 0]):  # of weights 0, whose score of 0 counts as right
        found = named(problem, {"w": [0, 0], "mistakes": counts})
        assert "perceptron.strict_at_zero" in found


def test_rows_with_the_labels_of_the_next_ones_are_named() -> None:
    problem: Record = {"family": "tree.grow", "X": [[1], [2], [3], [4], [5], [6]], "y": [*"abcabb"]}
    answer = solve_problem({**problem, "y": [*"bcabba"]})
    assert "labels.of_next_row" in named(problem, answer)


@pytest.mark.parametrize("bias", [0, 1])
def test_weights_that_begin_at_1_are_named_whatever_the_bias_begins_at(bias: int) -> None:
    problem: Record = {
        "family": "perceptron.binary", "X": [[1, 2], [-3, 1], [2, -5]], "y": [1, -1, -1],
        "bias": True,
    }  # fmt: skip
    answer = solve_problem({**problem, "start": [1, 1, bias]})
    assert named(problem, answer)[0] == "perceptron.starts_at_ones"


def test_what_stands_in_another_order_is_called_once() -> None:
    sentences = {m.id: m.sentence for m in generic("ova.decode")}
    assert sentences["order.reversed_classes_of_classes"] == "the classes stand in reversed order"
    assert sentences["order.reversed_classes_of_scores"].startswith("the classes of scores stand")


ONE_CLASS: list[Any] = [
    ({"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1}, {"W": [[1]]}),
    ({"family": "perceptron.multiclass", "X": [[1]], "y": ["a"], "start": [[3]]}, {"W": [[4]]}),
    ({"family": "sgd.multiclass", "X": [[1]], "y": ["a"], "lam": 1, "T": 1}, {"W": [[4]]}),
    ({"family": "loss.multiclass_hinge", "scores": [[0], [-1]], "y": [0, 0]}, {"mean": 1}),
    ({"family": "loss.multiclass_hinge_sum", "scores": [[0], [-1]], "y": [0, 0]}, {"mean": 1}),
    ({"family": "loss.zero_one", "predicted": ["a"], "y": ["a"]}, {"values": [1]}),
    ({"family": "boost.ada", "X": [[1]], "y": ["a"], "rounds": 1, "classes": ["a", "b"]},
     {"rounds": [{"base": ["a"], "epsilon": "1/2"}]}),
    pytest.param(
        {"family": "boost.mh", "X": [[1]], "Y": ["a"], "rounds": 1},
        {"rounds": [{"base": [[1]], "epsilon": "1/2"}]}, marks=pytest.mark.campaign),
    ({"family": "tree.prune", "X": [[1]], "y": ["a"], "risk": "gini", "tree": {"nodes": [{}]}},
     {"steps": [{"lam": 1, "leaves": 1}]}),
    ({"family": "code.decode", "code": [[1]], "f": [[1]]}, {"distances": [[3]]}),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answer"), ONE_CLASS, ids=lambda r: r.get("family", ""))
def test_a_wrong_answer_about_a_single_class_is_explained_or_not(
    problem: Record, answer: Record
) -> None:
    verdict = explain(problem, answer).verdict
    assert verdict.status == "REFUTED"
    assert verdict.violations == check(problem, answer).violations


THREE_ROWS: Record = {"family": "svm.binary", "X": [[0], [1], [3]], "y": [-1, -1, 1], "C": 1}
FOUR_ROWS: Record = {
    "family": "svm.multiclass", "X": [[2, 0], [1, 0], [0, 1], [0, 3]], "y": [*"aabb"], "C": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "answer", "id"),
    [
        (THREE_ROWS, {"w": ["1/2"], "b": -1}, "method.squares"),  # of a ridge of 2
        (
            THREE_ROWS,
            {"w": ["5/2"], "b": "-35/8"},
            "method.means",
        ),  # of -1 from 1/2 and of 1 from 3
        (THREE_ROWS, {"w": [0], "b": 0}, "method.none"),
        (FOUR_ROWS, {"W": [["3/2", 0], [0, 2]]}, "method.means"),
        (FOUR_ROWS, {"W": [[0, 0], [0, 0]]}, "method.none"),
        (THREE_ROWS, {"w": [1], "b": -2, "objective": 1}, "value.norm_whole"),
        (THREE_ROWS, {"w": [1], "b": -2, "objective": "-1/2"}, "value.negated"),
    ],
)
def test_other_methods_and_other_values_of_an_svm_are_named(
    problem: Record, answer: Record, id: str
) -> None:
    found = explain(problem, answer).explanations
    assert id in {mistake.id for cause in found for mistake in cause.mistakes}
    right = {name: value for name, value in answer.items() if name != "objective"}
    damaged = {**right, "b": "-9/7"} if "b" in right else {"W": [["3/2", 0], [0, "17/9"]]}
    assert not any("method." in cause.text() for cause in explain(problem, damaged).explanations)


PAIR: Record = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "1/8"}
"""w = 1/4, so that ½w² = 1/32, and each of the two rows loses 3/4."""

PRUNED: Record = {
    "family": "tree.prune", "risk": "misclassification", "X": [[i] for i in range(8)],
    "y": [*"aaaaabbb"], "tree": {"nodes": [
        {"question": {"column": 0, "threshold": 2}, "negative": 1, "positive": 2}, {}, {},
    ]},
}  # fmt: skip
"""The root errs on 3 of 8, and its leaves on 2 of 5 and none of 3."""

ALTERNATING: Record = {"family": "tree.grow", "X": [[1], [2], [3], [4]], "y": [*"abab"]}

UNITS: Record = {
    "family": "svm.multiclass", "X": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "y": [*"abc"], "C": 1,
}  # fmt: skip


TWICE_HALF: Record = {
    "family": "tree.prune", "X": [[0], [0], [0], [1], [1], [2], [2]], "y": [*"aaacdcd"],
    "risk": "misclassification",
    "tree": {"nodes": [
        {"question": {"column": 0, "threshold": 0}, "negative": 1, "positive": 2},
        {"question": {"column": 0, "threshold": 1}, "negative": 3, "positive": 4},
        {}, {}, {},
    ]},
}  # fmt: skip

BOOSTED: Record = {"family": "boost.ada", "X": [[1], [2], [3]], "y": [1, -1, 1], "rounds": 2}

HALF_LN_2 = {"ln": {"2": "1/2"}}


def _rounds(*told: object) -> list[Record]:
    """The two rounds of `BOOSTED`, each with this ε and α."""
    rows = zip(([1, -1, -1], [-1, -1, 1]), told[::2], told[1::2])
    return [
        {"t": t, "base": base, "epsilon": epsilon, "alpha": alpha}
        for t, (base, epsilon, alpha) in enumerate(rows, 1)
    ]


@pytest.mark.parametrize(
    ("problem", "answer", "id"),
    [
        (PAIR, {"w": ["1/4"], "b": 0, "objective": "3/16"}, "value.norm_missing"),
        (PAIR, {"w": ["1/4"], "b": 0, "objective": "5/32"}, "value.norm_subtracted"),
        (PAIR, {"w": ["1/4"], "b": 0, "objective": "1/32"}, "value.losses_missing"),
        (PAIR, {"w": ["1/4"], "b": 0, "objective": "49/32"}, "value.losses_without_C"),
        (PAIR, {"w": ["1/4"], "b": 0, "objective": "1/8"}, "value.losses_averaged"),
        ({**PAIR, "C": "1/4"}, {"w": ["1/4"], "b": 0, "objective": "7/16"}, "svm.half_dropped"),
        (  # w is right, and 51/200 is the value of both
            {**LINE, "C": "1/8"},
            {"w": ["2/5"], "b": "-12/5", "objective": "51/200"},
            "svm.bias_of_hard_margin",
        ),
        (
            {**LINE, "C": "1/8"},
            {"alpha": ["3/100", "1/8", "1/8", "3/100"], "w": ["3/20"], "b": "-13/5"},
            "svm.free_rows_alone",
        ),
        (
            UNITS,
            {"W": [["1/3" if i == j else "-1/6" for i in range(3)] for j in range(3)]},
            "costs.over_rivals",
        ),
        (
            ALTERNATING,
            solve_problem({**ALTERNATING, "y": [*"baba"]}),
            "labels.of_row_before",
        ),
        (  # 1/18 is gained at the root, and nothing below
            ALTERNATING,
            {"tree": {"nodes": [
                {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2},
                {"label": "b"}, {"label": "a"},
            ]}},
            "tree.children_summed",
        ),
        (PRUNED, {"steps": [{"lam": 0, "leaves": 1}]}, "prune.impurity_alone"),
        # 4/7 of the root's rows are wrong, ½ below, and ½ in each leaf: two are more than either
        (TWICE_HALF, {"steps": [{"lam": 0, "leaves": 1}]}, "prune.impurity_alone"),
        (
            {**TWICE_HALF, "scale": "mean"},
            {"steps": [
                {"lam": 0.0, "leaves": 2, "leaf_nodes": [2, 1], "risk": 0.29},
                {"lam": 0.29, "leaves": 1, "leaf_nodes": [0], "risk": 0.57},
            ]},
            "digits.few",
        ),
        (BOOSTED, {"rounds": _rounds(0.333, 0.347, 0.25, 0.549)}, "digits.few"),
        (
            BOOSTED,
            {"rounds": _rounds("1/3", HALF_LN_2, "1/4", HALF_LN_2), "scores": [0, -log(2), 0]},
            "boost.alpha_told_late",
        ),
        (
            BOOSTED,
            {
                "rounds": _rounds("1/3", 0, "1/4", HALF_LN_2),
                "scores": [-log(2) / 2, -log(2) / 2, log(2) / 2],
            },
            "boost.alpha_told_late",
        ),
        (
            {"family": "loss.hinge", "z": ["1/3", "-2/3"]},
            {"values": [0, 3], "mean": "3/2"},
            "numbers.numerators",
        ),
    ],
)  # fmt: skip
def test_an_answer_that_fits_a_mistake_in_all_its_parts_is_named(
    problem: Record, answer: Record, id: str
) -> None:
    found = explain(problem, answer).explanations
    assert id in {mistake.id for cause in found if cause.verdict for mistake in cause.mistakes}


def test_an_objective_of_no_weights_is_explained_by_none() -> None:
    answer = {"w": ["2/5"], "b": "-12/5", "objective": "52/200"}
    assert explain({**LINE, "C": "1/8"}, answer).explanations == ()


def test_multipliers_are_not_tried_at_more_places_than_anybody_waits_for() -> None:
    # 11 of 22 active inequalities: 705,432 ways
    G, h = [["1"]] * 22, ["0"] * 22
    problem: Record = {"family": "qp.convex", "Q": [["1"]], "c": ["-1"], "G": G, "h": h}
    answer = {"x": ["0"], "inequality_multipliers": ["1"] * 11 + ["0"] * 11}
    diagnosis = explain(problem, answer)
    assert diagnosis.verdict.status == "REFUTED"
    assert not any("multipliers.first" in e.text() for e in diagnosis.explanations)


def test_a_common_mistake_is_told_before_a_rare_one_that_explains_as_much() -> None:
    problem: Record = {"family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": [*"aab"]}
    first, *others = explain(problem, {"tree": {"nodes": [{"label": "a"}]}}).explanations
    assert not first.mistakes[0].is_rare
    rare = [e for e in others if e.mistakes[0].is_rare]
    assert rare and all(e.left == first.left for e in rare)


def test_no_row_that_is_left_out_is_no_mistake() -> None:
    # all rows differ, so that counting equal ones once leaves none out, and changes no multiplier
    vector = next(v for v in vectors() if v.id == "svm.multiclass/sixteen")
    wrong = next(w for w in vector.wrong if "svm.class_order" in w.mistakes)
    assert named(vector.problem, wrong.answer) == ["svm.class_order"]


def test_the_nodes_of_a_step_are_a_set_and_have_no_order() -> None:
    # divided by two leaves, and not by one
    left, right = ({"label": label} for label in "ab")
    root = {"question": {"column": 0, "threshold": "1"}, "negative": 2, "positive": 1}
    problem: Record = {
        "family": "tree.prune", "X": [["1"], ["2"]], "y": [*"ab"], "risk": "misclassification",
        "tree": {"nodes": [root, left, right]},
    }  # fmt: skip
    steps = [{"lam": "0", "leaves": 2, "leaf_nodes": [2, 1]}, {"lam": "1/2", "leaves": 1}]
    assert "prune.leaves_not_less_one" in named(problem, {"steps": steps})


def test_a_threshold_beside_a_standardised_value_is_that_value() -> None:
    # the values are ±√(3/2) and 0; as floats some are less than the numbers nearest to them
    problem: Record = {"family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": [*"aab"]}
    for at in ("1e-17", "-1e-17"):
        root = {"question": {"column": 0, "threshold": at}, "negative": 1, "positive": 2}
        tree = {"nodes": [root, {"label": "b"}, {"label": "a"}]}
        assert "features.standardised" in named(problem, {"tree": tree})
        boosted = {**problem, "family": "boost.ada", "y": [1, 1, -1], "rounds": 1}
        stump = {"question": root["question"], "signs": [1]}
        perfect = {"t": 1, "stump": stump, "epsilon": 0, "alpha": None}
        assert "features.standardised" in named(boosted, {"rounds": [perfect]})


def test_two_mistakes_may_leave_no_round_to_a_bound() -> None:
    # until chance no round counts, of which the least edge is none: both bounds are 1
    problem: Record = {"family": "bound.adaboost", "epsilons": ["1/2", "1/5", "3/10"]}
    found = explain(problem, {"product": "7/10", "exponential": "9/10"})
    assert found.verdict.status == "REFUTED"
    assert found.explanations == ()
