"""Where the lectures' print fails or leaves a case open, shown on the lectures' own programs."""

import re
from fractions import Fraction as F
from math import inf
from typing import Any

import pytest

from refmc.lectures import chang, karagiannis, keshet, lecture5, lu
from tests.support import ROOT, SPEC

MARK = re.compile(r"#(?: \d+)? !")
ERRATUM = re.compile(MARK.pattern + r".* see ((?:lu|lecture5|keshet|karagiannis|chang)\b.*)")


def test_every_mark_in_the_lectures_names_an_erratum_and_every_erratum_has_a_mark() -> None:
    errata = (SPEC / "errata.md").read_text(encoding="utf-8").partition("## Between")[0]
    entries = re.findall(r"^\| ((?!entry|--)[^|]*) \|", errata, re.MULTILINE)
    assert len(entries) > 60
    marked = set()
    for file in sorted((ROOT / "refmc" / "lectures").glob("*.py")):
        text = file.read_text(encoding="utf-8")
        names = ERRATUM.findall(text)
        assert len(names) == len(MARK.findall(text)), f"{file.name}: a mark that names no erratum"
        marked |= set(names)
    assert marked == set(entries)


def test_without_a_finite_objective_solutions_need_not_be_sums_of_the_rows() -> None:
    def objective(f: list[int]) -> float:
        return lu.dot(f, f) + inf  # G strictly increasing, L = ∞ at every f

    row, orthogonal = [1, 0], [0, 1]
    assert lu.dot(row, orthogonal) == 0
    assert objective(orthogonal) == objective([0, 0]) == objective(row)


def test_a_score_is_no_margin() -> None:
    scores: list[lu.Number] = [3, F(5, 2)]
    assert lu.margin(scores, 0) == F(1, 2)
    assert lu.slack(scores, 0) == F(1, 2) > 1 - scores[0]


def test_a_row_of_lambda_has_k_minus_1_free_entries_and_is_written_with_k() -> None:
    K, c = [[1, 0], [0, 1]], [0, 2]
    _, q, A, _, _ = lu.dual_program(K, c, k=3, C=1)
    assert len(q) == 2 * 3 and len(A) == 2
    for row in lu.svm(K, c, k=3, C=1):
        assert max(row) == F(sum(row), 2)  # the own-class entry is the sum of the other two


def test_a_base_classifier_can_answer_for_labels_in_more_ways_than_one() -> None:
    S = [([0], [1, -1]), ([1], [-1, -1])]

    def one_sign_a_label(v: list[int]) -> lu.Base:
        return lambda x, l: v[l] * (1 if x[0] <= 0 else -1)

    def two_signs_a_label(x: Any, l: int) -> int:
        return 1 if (x[0], l) == (0, 0) else -1

    D = lu.adaboost_mh(S, [two_signs_a_label], 1)[0].D
    errors = [lu.epsilon(one_sign_a_label([a, b]), S, D) for a in (-1, 1) for b in (-1, 1)]
    assert min(errors) == F(1, 4) and lu.epsilon(two_signs_a_label, S, D) == 0


def test_the_number_of_rounds_and_the_base_classifiers_decide_what_comes_out() -> None:
    S = [("a", [1]), ("b", [1]), ("c", [-1])]
    always: lu.Base = lambda x, l: 1
    only_a: lu.Base = lambda x, l: 1 if x == "a" else -1
    assert [len(lu.adaboost_mh(S, [always, only_a], T)) for T in (1, 2)] == [1, 2]
    assert [lu.adaboost_mh(S, [h], 1)[0].eps for h in (only_a, always)] == [F(1, 3), F(1, 3)]
    assert lu.adaboost_mh(S, [lambda x, l: -1], 1) == []
    rows = [([1], "a"), ([2], "b"), ([3], "a")]
    assert [len(lu.leaves(lu.greedy_decision_tree(rows, T, lu.gini))) for T in (1, 2)] == [2, 3]


def test_the_arg_max_of_line_3_splits_pure_nodes_for_nothing() -> None:
    S = [([1], "a"), ([2], "a")]
    whole, question = (0, 1), ("at most", 0, 1)
    assert lu.questions(whole, S) == [question]
    assert lu.decrease(whole, question, S, lu.gini) == 0
    assert lu.greedy_decision_tree(S, 1, lu.gini) == {whole: None}


def test_a_node_of_equal_rows_leaves_line_3_no_pair() -> None:
    S = [([1], "a"), ([1], "b")]
    assert lu.pairs({(0, 1): None}, S) == []
    with pytest.raises(ValueError):
        lu.arg_max([])
    assert lu.greedy_decision_tree(S, 5, lu.gini) == {(0, 1): None}


def test_half_of_the_categories_of_the_feature_repeats_the_partitions_of_a_node() -> None:
    S = [([x], x) for x in ("p", "q", "r", "s")]
    node = (0, 1, 2)  # s is not in it

    def partition(A: set[str]) -> frozenset[lu.Node]:
        return frozenset(lu.children(node, ("in", 0, A), S))

    of_the_node = [partition(A) for _, _, A in lu.questions(node, S)]
    sets = [set(A) for A in ("p", "q", "r", "s", "pq", "pr", "ps", "qr", "qs", "rs")]
    of_the_feature = [partition(A) for A in sets]
    assert len(of_the_node) == len({*of_the_node}) == 3
    assert {*of_the_node} < {*of_the_feature} and len({*of_the_feature}) == 4
    assert partition({"s"}) == frozenset(
        {(), node}
    )  # an empty child, which no set of the node's gives


def test_the_mean_over_folds_is_not_the_mean_over_rows() -> None:
    S, folds = [([0], "a"), ([1], "b"), ([2], "c")], [(0, 1), (2,)]
    wrong = {1: {"a"}, 2: {"c"}}  # of which labels a machine of each parameter is not sure

    def train(part: lu.Sample, parameter: lu.Number) -> lu.Hypothesis:
        return lambda x: "?" if S[x[0]][1] in wrong[int(parameter)] else S[x[0]][1]

    assert lu.n_fold(train, S, folds, [1, 2]) == [1, 2]  # one row of three, either way

    def over_folds(parameter: int) -> F:
        h = train(S, parameter)
        shares = [lu.mean([lu.zero_one(h(S[i][0]), S[i][1]) for i in fold]) for fold in folds]
        return lu.mean(shares)

    assert (over_folds(1), over_folds(2)) == (F(1, 4), F(1, 2))


def test_the_perceptron_depends_on_where_it_begins() -> None:
    x, y = [1], 1
    (_, from_zero) = keshet.multiclass_perceptron([(x, y)], 2, keshet.first_option)
    assert from_zero == [[-1], [1]]
    other = [[0], [1]]
    assert keshet.one_against_all(other, x) == [y]  # from there nothing changes
    again = keshet.multiclass_perceptron([(x, y)] * 2, 2, keshet.first_option)
    assert len(again) == 3 and again[2] == from_zero  # nor does a second pass


def test_rows_of_one_class_have_no_hyperplane_with_a_margin() -> None:
    D = [([0], 1), ([2], 1)]
    assert chang.hard_svm([0], 1, D) == (F(0), True)  # nothing is shorter
    with pytest.raises(ZeroDivisionError):
        chang.gamma_squared([0], 1, D)


def test_two_bounded_rows_leave_an_interval_for_b() -> None:
    D = [([0], -1), ([1], 1)]
    below, above = chang.bounds_of_b([F(1, 2), F(1, 2)], D, chang.dot, F(1, 2))
    assert (max(below), min(above)) == (-1, F(1, 2))
    for b in (F(-1), F(0), F(1, 2)):
        xi = [max(F(0), 1 - y * (F(1, 2) * x[0] + b)) for x, y in D]
        value, feasible = chang.soft_svm([F(1, 2)], b, xi, D, F(1, 2))
        assert feasible and value == F(1, 8) + F(1, 2) * F(3, 2)


def test_two_orders_of_drawn_examples_end_at_different_weights() -> None:
    S, Psi = [([1], 0), ([1], 1)], karagiannis.block_features(2)
    ends = [karagiannis.sgd(S, 0, [1, 1], draws, Psi, 2)[-1] for draws in ([0, 0], [0, 1])]
    assert ends == [[1, -1], [0, 0]]


def test_features_in_the_block_of_a_class_are_a_product_from_the_left() -> None:
    def kronecker(u: list[int], v: list[int]) -> list[int]:
        return [a * b for a in u for b in v]

    phi, e_1 = [2, 3], [0, 1, 0]
    assert kronecker(e_1, phi) == lecture5.block_features(phi, 1, k=3) == [0, 0, 2, 3, 0, 0]
    assert kronecker(phi, e_1) == [0, 2, 0, 0, 3, 0]


def test_the_gradient_of_the_lagrangian_has_the_class_of_each_item() -> None:
    K, lam = [[1, 0], [0, 1]], [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]]
    mu, eta = [F(1, 2)] * 2, [F(0)] * 2

    def slope(alpha: Any, c: list[int]) -> F:
        """How L of the labels 0, 1 changes along f_0 = e_1, from the f_y that are made with c."""
        there = lu.f_of(lam, c)
        moved = [there[0], [there[1][0] + alpha, there[1][1]]]
        one, other = (lu.L(f, eta, lam, mu, K, [0, 1], 1) for f in (moved, there))
        return F(one - other) - F(alpha * alpha, 2)

    assert slope(1, [0, 1]) == 0 != slope(1, [0, 0])


def test_a_node_has_a_fraction_for_each_class() -> None:
    S = [([1], "a"), ([2], "b"), ([3], "c"), ([4], "c")]
    assert lu.class_fractions((0, 2, 3), S) == [F(1, 3), 0, F(2, 3)]  # three classes, three items
    assert lu.class_fractions((2, 3), S) == [0, 0, 1]


def test_a_node_counts_its_items() -> None:
    near, far = ([([t], t % 2) for t in (0, 1, 2)], [([100 * t], t % 2) for t in (0, 1, 2)])
    for S in (near, far):  # regions of different lengths, the same counts
        tree = lu.greedy_decision_tree(S, 9, lu.gini)
        assert lu.rise_per_leaf(tree, (0, 1, 2), S, lu.misclassification) == F(1, 2)


def test_the_error_is_a_probability_and_no_sum_of_probabilities() -> None:
    S = [("a", [1]), ("b", [1]), ("c", [-1])]
    D = lu.adaboost_mh(S, [lambda x, l: 1], 1)[0].D
    drawn = lu.epsilon(lambda x, l: 1, S, D)
    assert drawn == F(1, 3) and sum(drawn for _ in D) == 1


def test_delta_counts_what_is_wrong() -> None:
    P: Any = [([1], 0, F(3, 4)), ([1], 1, F(1, 4))]
    assert keshet.error_probability([[1], [0]], P) == F(1, 4)  # Kronecker's delta would give 3/4
    assert keshet.regularised_error([[1], [0]], [([1], 0), ([1], 0)], 0) == 0


def test_the_risk_is_a_mean_over_the_examples() -> None:
    S, Psi = [([1, 0], 0), ([0, 1], 1), ([0, 0], 1)], karagiannis.block_features(2)
    assert karagiannis.risk([0] * 4, S, Psi, 2) == 1  # each has the loss 1, and 3/2 is no mean
    assert len(karagiannis.ova_set(S, 0)) == len(karagiannis.ovo_set(S, 0, 1)) == 3


def test_features_score_nothing_without_weights() -> None:
    x, Psi = [2, 3], karagiannis.block_features(2)
    assert (Psi(x, 0), Psi(x, 1)) == ([2, 3, 0, 0], [0, 0, 2, 3])
    for w, best in (([1, 0, 0, 0], [0]), ([0, 0, 0, 1], [1])):
        assert karagiannis.h_w(w, x, Psi, 2) == best


def test_at_ties_the_hinge_has_the_slopes_of_all_maximisers_and_their_means() -> None:
    x, y, Psi = [1], 0, karagiannis.block_features(3)
    zero = [0, 0, 0]

    def loss(w: Any) -> Any:
        return karagiannis.hinge(w, x, y, Psi, 3)

    assert karagiannis.y_hats(zero, x, y, Psi, 3) == [1, 2]
    others = [[a, b, c] for a in (-2, 0, 2) for b in (-2, 0, 2) for c in (-2, 0, 2)]
    of_1, of_2 = (karagiannis.plus(Psi(x, y_hat), -1, Psi(x, y)) for y_hat in (1, 2))
    mean = [F(a + b, 2) for a, b in zip(of_1, of_2)]
    for g in (of_1, of_2, mean):
        assert chang.is_subgradient(loss, g, zero, others)
    assert not chang.is_subgradient(loss, [0, 0, 0], zero, others)


def test_the_hinge_of_the_objective_has_b() -> None:
    assert (chang.hinge([1], 2, [1], -1), chang.hinge([1], 0, [1], -1)) == (4, 2)
    assert chang.svm_objective([1], 2, [([1], -1)], C=1) == F(1, 2) + 4
    assert chang.grad_J([1], 2, [-1], 1, C=1) == [1]  # y(w·x + b) = 1, where y w·x is −1


def test_the_dual_has_a_multiplier_for_each_row() -> None:
    D = [([0], -1), ([2], 1), ([3], 1)]
    alpha, b = chang.kernel_svm(D, chang.dot, C=1)
    assert alpha == [F(1, 2), F(1, 2), 0] and chang.weights(alpha, D) == [1] and b == -1
    assert len(chang.kernel_perceptron(D, chang.dot)) == 3
