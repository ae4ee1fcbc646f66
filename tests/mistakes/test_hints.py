"""What a refuted answer is right for instead: each mistake on an input that shows it."""

import json
from fractions import Fraction as F
from math import log
from typing import Any

import pytest

from refmc.answers import check, solve_problem
from refmc.mistakes import explanation
from refmc.mistakes.explaining import explain
from refmc.mistakes.explanation import LEAST_WORK, MOST_WORK, work
from tests.support import DATA, Array, table

pytestmark = pytest.mark.usefixtures("kept_optima")

Record = dict[str, Any]

FOUR = {"family": "svm.binary", "X": [[4], [5], [7], [9]], "y": [-1, -1, 1, 1], "C": 1}
TWO = {"family": "svm.binary", "X": [[1], [-1]], "y": [-1, 1], "C": 1}


def hint(problem: Record, answer: Record, gap: str | None = None) -> str:
    verdict = check(problem, answer, gap=gap)
    assert verdict.status == "REFUTED"
    return verdict.hint


# --- answers of other programs, which carry the error of their own solver


def iris() -> Record:
    X, y = table("iris.csv", str)
    return {
        "family": "svm.binary",
        "X": X[50:],
        "y": y[50:],
        "C": 1,
        "classes": ["versicolor", "virginica"],
    }


def fitted(position: int, *names: str) -> Record:
    answers = json.loads((DATA / "iris-svc.json").read_text())["answers"]
    return {name: answers[position][name] for name in names}


@pytest.mark.campaign
def test_weights_of_a_library_are_nearly_right_with_every_sign_reversed() -> None:
    svc = fitted(0, "w", "b")
    assert hint(iris(), svc) == ""  # its own error is above what is allowed, and nothing else
    reversed_ = {"w": [-v for v in svc["w"]], "b": -svc["b"]}
    assert hint(iris(), reversed_) == (
        "nearly right if every score has the opposite sign [svm.sign_reversed]; "
        "of the gap 2.6e2 it leaves 6.7e-4"
    )


@pytest.mark.campaign
def test_weights_of_a_library_are_nearly_right_with_the_other_sign_of_the_bias() -> None:
    svc = fitted(0, "w", "b")
    assert hint(iris(), {**svc, "b": -svc["b"]}).startswith(
        "nearly right if the bias is subtracted where it must be added [svm.bias_sign]; "
    )


@pytest.mark.campaign
def test_weights_of_a_library_are_nearly_right_for_half_of_C() -> None:
    assert hint({**iris(), "C": 2}, fitted(0, "w", "b")).startswith(
        "nearly right if the norm enters as ‖w‖² where ½‖w‖² is meant (C = 1) [svm.half_dropped]"
    )


@pytest.mark.campaign
def test_signed_multipliers_of_a_library() -> None:
    problem, alpha = iris(), fitted(0, "alpha")["alpha"]
    signs = [1 if label == "virginica" else -1 for label in problem["y"]]
    signed = [sign * a for sign, a in zip(signs, alpha)]
    assert "[svm.signed_alpha]" in hint(problem, {"alpha": signed})


def test_weights_of_a_library_with_a_penalised_bias() -> None:
    assert hint(iris(), fitted(1, "w", "b")) == (
        "right if the bias is a column of ones and is shrunk with w (bias = penalised) "
        "[svm.bias_regularised], then with a gap of 7.4e-11"
    )


@pytest.mark.campaign
def test_weights_of_a_library_with_a_penalised_bias_and_the_squared_hinge() -> None:
    assert hint(iris(), fitted(2, "w", "b")).startswith(
        "right if the bias is a column of ones and is shrunk with w and the loss is the squared "
        "hinge (bias = penalised, loss = squared_hinge) [svm.bias_regularised, svm.squared_hinge]; "
    )


# --- small inputs


def test_a_penalised_bias_is_named_even_if_the_answer_has_three_digits() -> None:
    w, b = F(8, 41), F(-31, 41)  # of LinearSVC: 0.19512195, -0.75609756
    exact = hint(FOUR, {"w": [w], "b": b})
    assert exact == (
        "exactly right if the bias is a column of ones and is shrunk with w (bias = penalised) "
        "[svm.bias_regularised]"
    )
    assert "[svm.bias_regularised]; of the gap 2.2e0" in hint(FOUR, {"w": ["0.195"], "b": "-0.756"})


def test_signed_multipliers() -> None:
    assert hint(TWO, {"alpha": ["-1/2", "1/2"]}) == (
        "exactly right if y·α is given for α [svm.signed_alpha]"
    )


def test_reversed_scores_and_labels() -> None:
    for answer in ({"scores": [1, -1]}, {"w": [1]}, {"w": [1], "b": 0, "labels": [1, -1]}):
        assert hint(TWO, answer) == (
            "exactly right if every score has the opposite sign [svm.sign_reversed]"
        )


def test_the_other_sign_of_the_bias() -> None:
    # between 0 and 2, w = 1 and b = -1 have both margins 1
    assert hint({**TWO, "X": [[0], [2]]}, {"w": [1], "b": 1}) == (
        "exactly right if the bias is subtracted where it must be added [svm.bias_sign]"
    )


def test_the_squared_hinge() -> None:
    # ½w² + 2C(1 − w)² is least at w = 4C/(1 + 4C)
    eighth = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "1/8"}
    assert hint(eighth, {"w": ["1/3"], "b": 0}) == (
        "exactly right if the loss is the squared hinge (loss = squared_hinge) [svm.squared_hinge]"
    )


def test_two_at_once() -> None:
    # ½(w² + b²) + (1 + b)² + (1 − w − b)² is least where 3w + 2b = 2 and 2w + 5b = 0
    assert hint({**TWO, "X": [[0], [1]]}, {"w": ["10/11"], "b": "-4/11"}) == (
        "exactly right if the bias is a column of ones and is shrunk with w and the loss is the "
        "squared hinge (bias = penalised, loss = squared_hinge) "
        "[svm.bias_regularised, svm.squared_hinge]"
    )


def test_another_C() -> None:
    # one row at 2 and k = 2: λ = min(C, 1/8)
    small = {"family": "svm.multiclass", "X": [[2]], "y": [0], "classes": [0, 1], "C": "1/32"}
    assert hint(small, {"W": [["1/8"], ["-1/8"]]}) == (
        "exactly right if the norm enters as ¼‖w‖² where ½‖w‖² is meant (C = 1/16) [svm.half_added]"
    )
    assert hint(small, {"lam": [["1/24", "1/24"]]}) == (
        "exactly right if C is what the multipliers say (C = 1/24) [svm.other_C]"
    )


def test_weights_in_order_of_appearance() -> None:
    rows = [[1, 0], [0, 1], [-1, -1]]
    problem = {"family": "svm.multiclass", "X": rows, "y": ["c", "a", "b"], "C": 1}
    of_c, of_a, of_b = ["2/3", "-1/3"], ["-1/3", "2/3"], ["-1/3", "-1/3"]
    assert check(problem, {"W": [of_a, of_b, of_c]}, gap="0")
    assert hint(problem, {"W": [of_c, of_a, of_b]}) == (
        "exactly right if the classes stand in order of appearance [svm.class_order]"
    )


def test_a_bias_alone_that_is_off() -> None:
    assert hint({**TWO, "y": [1, -1]}, {"w": [1], "b": 3}) == (
        "exactly right if the bias is replaced by the best one for the same weights [svm.bias_off]"
    )


def test_a_bias_that_is_left_at_0() -> None:
    # between 0 and 2, w = 1 and b = -1 have both margins 1
    assert hint({**TWO, "X": [[0], [2]]}, {"w": [1], "b": 0}) == (
        "exactly right if the bias is left at 0 [svm.bias_of_0]"
    )


def test_an_interval_of_biases_that_is_off_is_no_other_bias() -> None:
    problem = {**TWO, "y": [1, -1]}
    assert check(problem, {"w": [1], "b": 0, "b_interval": [0, 0]}, gap="0")
    wrong = {"w": [1], "b": 0, "b_interval": [1, 2]}
    assert not check(problem, wrong) and hint(problem, wrong) == ""
    assert explain(problem, wrong).explanations == ()


def test_only_the_bias_is_no_cause() -> None:
    found = explain({**TWO, "y": [1, -1]}, {"w": [1], "b": 3})
    assert found.explanations == ()
    right = "exactly right if the bias is replaced by the best one for the same weights"
    remark, cause = found.text().splitlines()[-2:]
    assert remark == f"  remark   {right} [svm.bias_off]"
    assert cause == "  cause    no named mistake, and no two, explain it"


def test_a_tree_of_rows_in_single_precision() -> None:
    problem = {"family": "tree.grow", "X": [[16777218], [16777219]], "y": ["a", "b"]}
    tree = {
        "children_left": [1, -1, -1],
        "children_right": [2, -1, -1],
        "feature": [0, -2, -2],
        "threshold": [16777219.0, -2.0, -2.0],
        "labels": ["a", "a", "b"],
    }
    assert hint(problem, {"tree": tree}) == (
        "right if features are rounded to single precision [tree.single_precision]"
    )


CHAIN = {
    "children_left": [1, -1, 3, -1, 5, -1, 7, -1, 9, -1, -1],
    "children_right": [2, -1, 4, -1, 6, -1, 8, -1, 10, -1, -1],
    "feature": [0, -2, 0, -2, 0, -2, 0, -2, 0, -2, -2],
    "threshold": [0.5, -2.0, 1.5, -2.0, 2.5, -2.0, 3.5, -2.0, 4.5, -2.0, -2.0],
}

PRUNED: Record = {
    "family": "tree.prune",
    "X": [[0], [1], [2], [3], [4], [5]],
    "y": ["a", "b", "a", "b", "a", "b"],
    "risk": "gini",
    "scale": "mean",
    "tree": CHAIN,
}


def test_a_pruning_path_that_collapses_tied_nodes_one_by_one() -> None:
    # the nodes of 6, 5, 4, 3 and 2 rows have risks of 3, 12/5, 2, 4/3 and 1, and 6, 5, 4, 3 and 2
    # leaves: each increase is 3/5 a leaf, or 1/10 of all rows, for the root and for the next
    one_by_one = [
        {"lam": 0.0, "leaves": 6, "risk": 0.0},
        {"lam": 0.09999999999999999, "leaves": 2, "risk": 0.39999999999999997},
        {"lam": 0.10000000000000003, "leaves": 1, "risk": 0.5},
    ]  # scikit-learn's cost_complexity_pruning_path
    assert check(PRUNED, {"steps": [one_by_one[0], one_by_one[2]]})
    assert "[prune.one_of_the_tied]" in hint(PRUNED, {"steps": one_by_one})
    again = {"lam": 0.1, "leaves": 6, "risk": 0.0}  # a step that collapses nothing
    assert "[prune." not in hint(PRUNED, {"steps": [one_by_one[0], again, one_by_one[2]]})
    per_row = {**PRUNED, "scale": "sum"}
    assert "[prune.risk_scale]" in hint(per_row, {"lam": "0.2", "leaves": 1})


def test_the_other_weighting_of_splits() -> None:
    # the root decreases by 3/8, its child of a and b by 1/2, or by 1/4 of all rows
    problem = {"family": "tree.grow", "X": [[0], [1], [2], [3]], "y": ["a", "b", "c", "c"]}
    stop = {**problem, "min_decrease": "3/10"}
    nodes: list[Record] = [
        {"question": {"column": 0, "threshold": 1}, "negative": 1, "positive": 2},
        {},
        {},
    ]
    assert hint(stop, {"tree": {"nodes": nodes}}) == (
        "one node differs: it may be that "
        "decreases are weighed by the rows of their nodes, or not, the other way "
        "(weighted = true) [tree.decrease_per_node]"
    )


def test_a_tree_that_is_not_split_where_nothing_is_gained() -> None:
    # exclusive or: no first question decreases the impurity 1/2, and the second ones make it 0
    xor = {"family": "tree.grow", "X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": ["a", "b", "b", "a"]}
    leaf = {"tree": {"nodes": [{"label": "a"}]}}
    assert hint(xor, leaf) == (
        "one node differs: it may be that "
        "a node whose best question decreases nothing is left a leaf (min_decrease = 0) "
        "[tree.no_gain_no_split]"
    )
    assert "no_gain" not in hint({**xor, "y": ["a", "a", "b", "b"]}, leaf)


def test_averaged_weights_of_a_run() -> None:
    run = {"family": "perceptron.binary", "X": [[1, 0], [-1, 1]], "y": [1, 1], "epochs": 3}
    right = [[1, 0], [0, 1], [1, 1], [0, 2], [1, 2], [1, 2]]
    assert check(run, {"trace": right, "w": [1, 2]}, gap="0")
    assert "[run.averaged]" in hint(run, {"w": ["2/3", "4/3"]})


def test_what_perceptrons_are_mistaken_for() -> None:
    # with sign(0) = +1 the first row is right, and the second, and so on
    zero = {"family": "perceptron.binary", "X": [[1, 1], [1, 0]], "y": [1, 1]}
    assert "[perceptron.strict_at_zero]" in hint(zero, {"w": [0, 0]})
    # K + 1 of the rows is 1/2: a mistake on the second; without the bias K is -1/2
    kernel = {"family": "perceptron.kernel", "X": [[1], ["-1/2"]], "y": [1, -1], "bias": True}
    assert "[perceptron.bias_toggled]" in hint(kernel, {"alpha": [1, 0]})
    shared = {
        "family": "perceptron.multiclass", "X": [[1, 0]], "y": [1], "classes": [0, 1, 2],
        "tau": "all_rivals",
    }  # fmt: skip
    assert "(tau = chosen_rival)" in hint(shared, {"W": [[-1, 0], [1, 0], [0, 0]]})
    # the states of (1, 0), (0, 1), … times 1/10
    two = {"family": "perceptron.binary", "X": [[1, 0], [-1, 1]], "y": [1, 1]}
    assert "[perceptron.learning_rate]" in hint(two, {"trace": [["0.1", 0], [0, "0.1"]]})
    assert "learning_rate" not in hint(two, {"trace": [["-0.1", 0], [0, "-0.1"]]})


def test_what_descents_are_mistaken_for() -> None:
    one = {"family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": "1/2", "epochs": 2}
    # w - eta (w + C y x) = 0 - 1/2 2, then 1/2 (-1) - 1
    assert "[sgd.plus_sign]" in hint(one, {"trace": [[-1], ["-3/2"]]})
    # C = 1/2: w = 1/2 after one step, whose margin is exactly 1
    assert "[sgd.slope_at_kink]" in hint({**one, "C": "1/2"}, {"trace": [["1/2"], ["3/4"]]})
    pair = {"family": "sgd.binary", "X": [[1], [-1]], "y": [1, -1], "eta": "1/4", "C": 1}
    # m C = 2 for C: 1/4 2 = 1/2, then 3/4 1/2 + 1/2
    assert "(C = 2) [sgd.norm_share]" in hint(pair, {"trace": [["1/2"], ["7/8"]]})
    assert "(C = 1/2) [sgd.norm_per_row]" in hint(pair, {"trace": [["1/8"], ["7/32"]]})


def test_what_multi_class_descents_are_mistaken_for() -> None:
    twice = {
        "family": "sgd.multiclass", "X": [[4]], "y": [0], "classes": [0, 1], "lam": 1,
        "draws": [0, 0], "eta": "1/4",
    }  # fmt: skip
    # W = (1), (-1); then the margin 8 is enough
    assert "(shrink = with_loss)" in hint(twice, {"trace": [[[1], [-1]], [[1], [-1]]]})
    assert "[sgd.regulariser_doubled]" in hint(twice, {"trace": [[[1], [-1]], [["1/2"], ["-1/2"]]]})
    three = {
        "family": "sgd.multiclass",
        "X": [[1]],
        "y": [0],
        "classes": [0, 1, 2],
        "lam": 1,
        "T": 1,
    }
    assert "(loss = sum_form)" in hint(three, {"W": [[2], [-1], [-1]]})
    assert "[sgd.t_from_zero]" in hint(three, {"W": [["1/2"], ["-1/2"], [0]]})


LINE: Record = {"family": "boost.ada", "X": [[1], [2], [3], [4]], "y": [1, -1, 1, -1], "rounds": 2}
"""First x ≤ 1 errs on row 2 alone; then that row weighs 1/2, and x ≤ 3 errs on row 1: 1/6."""


def test_what_boosting_is_mistaken_for() -> None:
    first = {"base": [1, -1, -1, -1], "epsilon": "1/4", "alpha": {"ln": {"3": "1/2"}}}
    second = {"base": [1, 1, 1, -1], "epsilon": "1/6", "alpha": {"ln": {"5": "1/2"}}}
    assert check(LINE, {"rounds": [first, second]}, gap="0")
    doubled = [{**first, "alpha": {"ln": {"3": 1}}}, {**second, "alpha": {"ln": {"5": 1}}}]
    assert "[boost.alpha_doubled]" in hint(LINE, {"rounds": doubled})
    assert "[boost.epsilon_unweighted]" in hint(
        LINE, {"rounds": [first, {**second, "epsilon": "1/4"}]}
    )


@pytest.mark.parametrize("rule", ["m1", "samme"])
def test_errors_without_weights_are_named_for_several_classes(rule: str) -> None:
    # after the first round row 3 weighs 1/2 or 2/3: the second errs on rows 1 and 2, 1/3 or 2/9
    problem = {"family": "boost.ada", "y": [*"caab"], "rounds": 2, "base": "any", "rule": rule}
    epsilon = {"m1": "1/3", "samme": "2/9"}[rule]
    bases = [[*"caaa"], [*"cbbb"]]
    right, wrong = (
        {"rounds": [{"base": h, "epsilon": e} for h, e in zip(bases, ("1/4", last))]}
        for last in (epsilon, "1/2")
    )
    assert check(problem, right, gap="0")
    assert "[boost.epsilon_unweighted]" in hint(problem, wrong)


def test_the_decision_function_of_a_library_is_centred_samme() -> None:
    # votes for the classes of five rows each; ε of 1/3, 1/6, 1/15, and α = ln(1/ε - 1) + ln 2
    bases = [[0] * 5 + [1] * 10, [0] * 10 + [2] * 5, [1] * 10 + [2] * 5]
    alphas = [log(4), log(10), log(28)]
    total = sum(alphas)
    votes = [
        [sum(a for a, base in zip(alphas, bases) if base[i] == c) for c in range(3)]
        for i in range(15)
    ]
    scores = [[(v - (total - v) / 2) / total for v in row] for row in votes]
    assert [round(v, 8) for v in scores[0]] == [0.28810041, 0.21189959, -0.5]  # scikit-learn's
    problem = {
        "family": "boost.ada", "y": [0] * 5 + [1] * 5 + [2] * 5, "rounds": 3, "base": "any",
        "rule": "samme",
    }  # fmt: skip
    rounds = [{"base": base, "alpha": alpha} for base, alpha in zip(bases, alphas)]
    assert check(problem, {"rounds": rounds, "scores": votes})
    assert "[boost.divided_scores, boost.centred_scores]" in hint(
        problem, {"rounds": rounds, "scores": scores}
    )


def test_a_zero_that_counts_for_one_side_and_pairs_of_the_other_sign() -> None:
    # the pairs (0, 1), (0, 2), (1, 2): a score of 0 between 0 and 1, 0 beats 2, 1 beats 2
    problem = {"family": "ovo.decode", "pairs": [[0, 1, 1], [2, -1, -1]]}
    assert check(problem, {"votes": [["3/2", "3/2", 0], [1, 0, 2]]})
    assert hint(problem, {"votes": [[1, 2, 0], [1, 0, 2]]}) == (
        "exactly right if a score of 0 is a whole vote for the second class of its pair "
        "[ovo.zero_for_second]"
    )
    assert "[ovo.pair_sign]" in hint(problem, {"votes": [["1/2", "1/2", 2], [1, 2, 0]]})
    assert hint(problem, {"votes": [[1, 0, 2], [1, 2, 0]]}) == (
        "exactly right if a positive score of a pair is a vote for the second class and a score "
        "of 0 is a whole vote for the first class of its pair [ovo.pair_sign, ovo.zero_for_first]"
    )


@pytest.mark.parametrize(
    "rule", [{"rule": "votes_then_sums"}, {"rule": "tournament", "bracket": [2, 1, 0]}]
)
def test_a_zero_that_counts_for_one_side_is_named_under_each_rule_of_votes(rule: Record) -> None:
    # 0 and 1 beat 2, and have 3/2 votes each
    problem = {"family": "ovo.decode", "pairs": [[0, 2, 3]] * 4} | rule
    for label, side, votes in ((0, "first", [2, 1, 0]), (1, "second", [1, 2, 0])):
        answer = {"labels": [label] * 4, "votes": [votes] * 4, "sums": [[2, 3, -5]] * 4}
        assert f"[ovo.zero_for_{side}]" in hint(problem, answer)


def test_to_a_sum_of_scores_a_zero_counts_for_no_side() -> None:
    problem = {"family": "ovo.decode", "pairs": [[0, "1/2", 1]] * 4, "rule": "score_sum"}
    assert "zero_for" not in hint(problem, {"labels": [0] * 4})


def test_a_zero_that_counts_for_the_first_shows_by_labels_alone() -> None:
    problem = {"family": "ovo.decode", "pairs": [[0, 2, 3]] * 4, "rule": "votes_then_sums"}
    assert "[ovo.zero_for_first]" in hint(problem, {"labels": [0] * 4})


def test_one_label_that_another_rule_gives_by_chance_is_no_hint() -> None:
    # hinge distances 2, 4, 3 and Hamming distances 1, 1, 3/2
    code = {"family": "code.decode", "code": [[1, 1], [-1, -1], [-1, 0]], "decoding": "hinge"}
    one, two = {**code, "f": [["3", "-1"]]}, {**code, "f": [["3", "-1"], ["3", "-2"]]}
    assert check({**one, "decoding": "hamming"}, {"labels": [1]})
    assert hint(one, {"labels": [1]}) == ""
    assert "decoding = hamming" in hint(two, {"labels": [1, 1]})
    assert "decoding = hamming" in hint(one, {"label_sets": [[0, 1]]})
    assert "decoding = hamming" in hint(one, {"distances": [["1", "1", "3/2"]]})


# --- how many are tried


def test_large_problems_are_refuted_without_a_search() -> None:
    rows = [[i, j] for i in range(40) for j in range(40)]
    problem = {
        "family": "svm.binary",
        "X": rows,
        "y": [1 if a > b else -1 for a, b in rows],
        "C": 1,
    }
    assert work(problem, {}) > MOST_WORK
    run = {"family": "sgd.binary", "X": [[1, 0]], "y": [1], "C": 1, "eta": 1, "epochs": 20_000}
    assert work(run, {}) > MOST_WORK > work({**run, "epochs": 1_000}, {})
    few = {"family": "svm.binary", "X": rows[:150], "y": [1] * 150, "C": 1}
    assert work({**few, "kernel": {"name": "polynomial"}}, {}) > MOST_WORK > work(few, {})


STOPPED = "looking for a cause stopped, as it takes much work; `refmc explain` looks on"


def test_a_search_that_takes_much_work_stops_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    halved = {"w": ["1/8"], "b": 0}
    problem = {"family": "svm.binary", "X": [["1"], ["-1"]], "y": [1, -1], "C": "1/4"}
    known = "exactly right if C is divided by the number of rows (C = 1/8) [svm.C_over_m]"
    wrong = {"w": ["1/4"], "b": 0}
    assert hint(problem, wrong) == known and hint(problem, halved) != STOPPED
    for tries, told in ((0, STOPPED), (2, STOPPED), (20, known)):
        monkeypatch.setattr(explanation, "MOST_WORK", tries * (LEAST_WORK + work(problem, wrong)))
        assert hint(problem, wrong) == told
    monkeypatch.setattr(explanation, "MOST_WORK", 0)
    bound = {"family": "bound.rademacher", "values": [[1, -1]]}  # of which nothing is known
    assert hint(bound, {"value": 7}) == ""


def test_whether_rows_are_separable_is_one_bit_which_chance_makes() -> None:
    rows = {"family": "svm.hard", "X": [[1], [2]], "y": [1, -1]}
    assert solve_problem({**rows, "bias": False})["separable"] is False
    assert "bias_toggled" not in hint(rows, {"separable": False})


def test_rows_that_weigh_nothing_in_a_hard_margin_are_in_no_hint() -> None:
    problem = {"family": "svm.hard", "X": [[1], [0], [-1]], "y": [1, 1, -1], "weights": [1, 0, 1]}
    assert check(problem, {"alpha": ["1/2", "1/2"]})
    assert check(problem, {"alpha": ["-1/2", "1/2"]}).status == "REFUTED"


def test_nothing_is_nearly_right_where_no_gap_was_left() -> None:
    rows = {"family": "svm.hard", "X": [[1], [-1]], "y": [1, -1]}
    assert hint(rows, {"separable": False, "w": [1]}) == "the rows are separable"


def test_a_margin_that_the_neighbour_would_not_admit_keeps_it_from_being_named() -> None:
    problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, 1], "C": 1}
    assert hint(problem, {"w": [0], "b": 1, "margin_squared": 5}) == ""
    far = {"family": "svm.binary", "X": [[5], [-1]], "y": [1, -1], "C": 9}
    regularised = "the bias is a column of ones"
    right = solve_problem({**far, "bias": "penalised"})
    named = {name: right[name] for name in ("w", "b")}
    assert regularised in hint(far, named)
    assert regularised not in hint(far, {**named, "margin_squared": 5})


@pytest.mark.parametrize(
    ("problem", "wrong"),
    [
        (TWO, {"w": [0.5], "b": 0.0}),
        ({"family": "ova.decode", "scores": [[1, 2], [2, 1]] * 3}, {"labels": [0, 1] * 3}),
        ({"family": "loss.hinge", "z": [1.0, 3.0]}, {"values": [1.0, 0.0]}),
        ({"family": "perceptron.binary", "X": [[1], [2]], "y": [1, -1]}, {"w": [1.0]}),
        ({"family": "qp.convex", "Q": [[1, 0], [0, 1]], "c": [1.0, 1.0]}, {"x": [1.0, 1.0]}),
    ],
)
def test_arrays_are_told_what_lists_are_told(problem: Record, wrong: Record) -> None:
    def held(record: Record) -> Record:
        return {n: Array(v) if isinstance(v, list) else v for n, v in record.items()}

    assert hint(held(problem), held(wrong)) == hint(problem, wrong)
    first, second = explain(held(problem), held(wrong)), explain(problem, wrong)
    assert [e.text() for e in first.explanations] == [e.text() for e in second.explanations]


@pytest.mark.campaign
def test_features_may_be_fewer_than_the_classes() -> None:
    features = [[[1], [0], [-1]], [[2], [1], [0]]]
    own = {"y": [0, 2], "classes": [0, 1, 2], "lam": 1, "T": 2}
    problem = {"family": "sgd.multiclass", "features": features, **own}
    assert check(problem, solve_problem(problem))
    assert check(problem, {"w": [99]}).status == "REFUTED"
    assert explain(problem, {"w": [99]}).verdict.status == "REFUTED"
