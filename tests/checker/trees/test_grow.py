"""The judge of grown trees, on trees that are grown by hand.

Rows 1 … 5 of classes 0, 0, 1, 0, 1 have the Gini impurity 12/25.  Cutting after 2 leaves the right
child 2/3 * 2 * 1/3 = 4/9 at weight 3/5: 4/15, a decrease of 16/75.  Cutting after 4 leaves 3/8 at
weight 4/5: 3/10, a decrease of 9/50.  Then 1, 0, 1 is cut after 3 or after 4: both leave a pair of
Gini 1/2 at weight 2/3, a decrease of 4/9 - 1/3 = 1/9.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict
from refmc.checker.trees import subsets
from refmc.checker.trees.data import (
    Linear,
    Membership,
    Node,
    Question,
    Sample,
    Sphere,
    Threshold,
    Value,
    prepare,
    shape_fault,
)
from refmc.checker.trees.grow import GrowthProblem as Problem
from refmc.checker.trees.grow import judge
from refmc.checker.trees.words import place, question_text, value_text

LEAF = Node()
FIVE = Sample(X=[[1], [2], [3], [4], [5]], y=(0, 0, 1, 0, 1), k=2)
XOR = Sample(X=[[0, 0], [0, 1], [1, 0], [1, 1]], y=(0, 1, 1, 0), k=2)
AND_OR = Sample(X=[[0, 0], [0, 1], [1, 0], [1, 1]], y=(0, 1, 1, 2), k=3)
THREE_BITS = Sample(
    X=[[int(b) for b in bits] for bits in ["010", "011", "110", "111", "000", "001", "101", "100"]],
    y=(0, 0, 0, 0, 0, 1, 1, 1),
    k=2,
)


def split(column: int, threshold: F | int, negative: int, positive: int) -> Node:
    return Node(Threshold(column, threshold), negative, positive)


def stump(column: int, threshold: F | int) -> list[Node]:
    return [split(column, threshold, 1, 2), LEAF, LEAF]


def worst(verdict: Verdict) -> str:
    assert verdict.status == "REFUTED"
    return f"{verdict.violations[0].place}: {verdict.violations[0].text}"


# 1, 2 | 3 | 4 | 5
FIVE_TREE = [
    split(0, 2, 1, 2),
    split(0, 3, 3, 4),
    Node(label=0),
    split(0, 4, 5, 6),
    Node(label=1),
    Node(label=1),
    Node(label=0),
]


def test_every_tied_root_is_accepted_as_the_partition_it_makes() -> None:
    sample = Sample(X=[[1, 0], [1, 2], [1, 1], [0, 3]], y=(0, 0, 0, 1), k=2)
    for weights in (None, [7] * 4, [F(1, 3)] * 4, [F(10**40)] * 4):
        problem = Problem(sample=replace(sample, weights=weights))
        for tree in (stump(0, 0), stump(0, F(1, 2)), stump(1, 2), stump(1, F(5, 2))):
            assert judge(problem, tree)
        wrong = stump(1, 1)
        words = "the root: x1 <= 1 decreases by 1/8, but x0 <= 0 by 3/8 (1/4 more)"
        assert worst(judge(problem, wrong)) == words


def test_values_that_floats_can_hardly_tell_apart_are_split() -> None:
    sample = Sample(X=[[0], [F("1e-7")]], y=(0, 1), k=2)
    assert judge(Problem(sample=sample), stump(0, F("5e-8")))
    assert judge(Problem(sample=sample), stump(0, 0))
    text = "the root: is a leaf, but x0 <= 0 decreases by 1/2"
    assert worst(judge(Problem(sample=sample), [LEAF])) == text


def test_equal_rows_have_no_question_and_tied_labels() -> None:
    sample = Sample(X=[[5], [5]], y=(0, 1), k=2)
    for label in (0, 1):
        assert judge(Problem(sample=sample), [Node(label=label)])
    text = "the root: x0 <= 5 separates nothing, all of its 2 rows answer yes; "
    found = judge(Problem(sample=sample), stump(0, 5))
    assert worst(found) == text + "no question is admitted" and found.violations[0].amount == 0


def test_xor_is_grown_through_splits_that_gain_nothing() -> None:
    def tree(first: int) -> list[Node]:
        other = 1 - first
        return [split(first, 0, 1, 2), split(other, 0, 3, 4), split(other, 0, 5, 6), *[LEAF] * 4]

    assert judge(Problem(sample=XOR), tree(0)) and judge(Problem(sample=XOR), tree(1))
    assert judge(Problem(sample=XOR, min_decrease=F(0)), [LEAF])
    idle = worst(judge(Problem(sample=XOR, min_decrease=F(0)), tree(0)))
    assert idle == "the root: x0 <= 0 decreases by 0, and more is needed"
    some = Problem(sample=XOR, min_decrease=F(1, 10**9))
    assert judge(some, [Node(label=0)]) and judge(some, [Node(label=1)])
    assert not judge(some, tree(0))
    text = "the root: is a leaf, but x0 <= 0 decreases by 0"
    assert worst(judge(Problem(sample=XOR), [LEAF])) == text


def test_children_count_by_their_weight() -> None:
    one = Problem(sample=FIVE, max_splits=1)
    assert judge(one, stump(0, 2)) and judge(one, stump(0, F(5, 2)))
    text = "the root: x0 <= 4 decreases by 9/50, but x0 <= 2 by 16/75 (1/30 more)"
    assert worst(judge(one, stump(0, 4))) == text


def test_a_tie_below_the_root_is_settled_either_way() -> None:
    # x1 = 1 is pure; at x1 = 0 both x0 and x2 part a pure pair from a mixed one, by 1/8
    for first, second in ((0, 2), (2, 0)):
        below = [split(first, 0, 3, 4), LEAF, split(second, 0, 5, 6), LEAF, LEAF]
        assert judge(Problem(sample=THREE_BITS), [split(1, 0, 1, 2), LEAF, *below])
    text = "the root: x0 <= 0 decreases by 1/32, but x1 <= 0 by 9/32 (1/4 more)"
    assert worst(judge(Problem(sample=THREE_BITS, max_splits=1), stump(0, 0))) == text


def test_both_features_of_the_three_class_square_are_tied() -> None:
    for first in (0, 1):
        other = 1 - first
        tree = [split(first, 0, 1, 2), split(other, 0, 3, 4), split(other, 0, 5, 6), *[LEAF] * 4]
        assert judge(Problem(sample=AND_OR), tree)


def test_gini_gains_where_misclassification_does_not() -> None:
    X = [[1], [0], [1], [1], *([0] for _ in range(6))]
    sample = Sample(X=X, y=(1, 1, *(0,) * 8), k=2)
    gini = Problem(sample=sample, max_splits=1)
    assert worst(judge(gini, [LEAF])).endswith("x0 <= 0 decreases by 8/525")
    errors = Problem(sample=sample, impurity="misclassification")
    assert worst(judge(errors, [LEAF])).endswith("x0 <= 0 decreases by 0")
    assert judge(replace(errors, min_decrease=F(1, 1000)), [Node(label=0)])


def test_entropies_are_shown_exactly() -> None:
    problem = Problem(sample=FIVE, impurity="entropy", max_splits=1)
    text = worst(judge(problem, stump(0, 1)))
    assert text.startswith("the root: x0 <= 1 decreases by ")
    assert "3/5 log2 3" in text and "but x0 <= 2 by " in text


def test_best_first_growth_must_take_the_node_with_the_most() -> None:
    # after the root, the pair decreases by 1/2 alone, and by 1/2 * 2/10 of all rows; the left
    # eight rows by 3/32 alone, and by 3/32 * 8/10 of all rows
    X = [[0, i] for i in range(8)] + [[1, 0], [1, 1]]
    sample = Sample(X=X, y=(0, 0, 0, 0, 0, 0, 0, 1, 2, 3), k=4)
    pair_first = [split(0, 0, 1, 2), split(1, 0, 3, 4), LEAF, LEAF, LEAF]
    problem = Problem(sample=sample, max_splits=2)
    assert judge(problem, pair_first)
    left_first = [split(0, 0, 1, 2), LEAF, split(1, 6, 3, 4), LEAF, LEAF]
    assert "is a leaf, but decreases by 1/2" in worst(judge(problem, left_first))
    weighted = replace(problem, weighted=True)
    assert judge(weighted, left_first)
    assert "is a leaf, but decreases by 7/40" in worst(judge(weighted, pair_first))


def test_more_splits_than_allowed_are_refuted_and_fewer_need_a_stop() -> None:
    assert judge(Problem(sample=FIVE, max_splits=3), FIVE_TREE)
    assert judge(Problem(sample=FIVE, max_splits=9), FIVE_TREE)
    beyond = judge(Problem(sample=FIVE, max_splits=1), FIVE_TREE)
    assert worst(beyond) == "the root: has 3 splits below and with it, more than 1"
    assert beyond.violations[0].amount == 2
    assert beyond.gap is None and beyond.allowed == 0  # choices have no tolerance
    assert "is a leaf, but" in worst(judge(Problem(sample=FIVE, max_splits=2), stump(0, 2)))
    assert judge(Problem(sample=FIVE, max_splits=0), [LEAF])


def test_every_stop_makes_a_leaf_and_forbids_the_split() -> None:
    assert judge(Problem(sample=FIVE, max_depth=1), stump(0, 2))
    deep = judge(Problem(sample=FIVE, max_depth=1), FIVE_TREE)
    assert "it has depth 1" in worst(deep) and deep.violations[0].amount == 0
    assert judge(Problem(sample=FIVE, min_leaf=2), stump(0, 2))
    few = worst(judge(Problem(sample=FIVE, min_leaf=2), FIVE_TREE))
    assert "leaves a child of 1 row, fewer than 2; no question is admitted" in few
    heavy = replace(FIVE, weights=[F(1, 2)] * 5)
    light = worst(judge(Problem(sample=heavy, min_leaf_weight=F(3, 4)), FIVE_TREE))
    assert "leaves a child of weight 1/2, less than 3/4; no question is admitted" in light
    pure = [split(0, 0, 1, 2), LEAF, LEAF]
    same = Sample(X=[[0], [1]], y=(0, 0), k=2)
    assert worst(judge(Problem(sample=same), pure)).endswith("is split by x0 <= 0, but it is pure")


def test_a_decrease_that_equals_the_least_is_enough() -> None:
    # after the root's 16/75 the right child has 1/9
    assert judge(Problem(sample=FIVE, min_decrease=F(1, 9)), FIVE_TREE)
    at_root = Problem(sample=FIVE, min_decrease=F(16, 75))
    assert judge(at_root, stump(0, 2))
    above = replace(at_root, min_decrease=F(17, 75))
    assert judge(above, [LEAF])
    text = "the root: x0 <= 2 decreases by 16/75, less than the 17/75 that is needed"
    assert worst(judge(above, stump(0, 2))) == text
    assert worst(judge(replace(at_root, min_decrease=F(1, 9)), stump(0, 2))) == (
        "node 1 (x0 <= 2: no): is a leaf, but x0 <= 3 decreases by 1/9"
    )


def test_categories_may_be_asked_for_by_a_set_or_its_complement() -> None:
    sample = Sample(X=[[v] for v in "aabbcc"], y=(0, 0, 1, 1, 0, 0), k=2, columns=("colour",))
    problem = Problem(sample=sample)

    def ask(*values: str) -> list[Node]:
        return [Node(Membership(0, frozenset(values)), 1, 2), LEAF, LEAF]

    assert judge(problem, ask("b")) and judge(problem, ask("a", "c"))
    assert judge(problem, ask("a", "c", "never seen"))
    text = "the root: colour in {a} decreases by 1/9, but colour in {b} by 4/9 (1/3 more)"
    assert worst(judge(problem, ask("a"))).replace("{a, c}", "{b}") == text


def test_labels_must_have_the_largest_weight() -> None:
    sample = replace(FIVE, weights=[1, 1, F(3, 2), 1, F(3, 2)], classes=("no", "yes"))
    leaf = Problem(sample=sample, max_splits=0)
    assert judge(leaf, [Node(label=0)]) and judge(leaf, [Node(label=1)])
    leaf = Problem(sample=replace(FIVE, classes=("no", "yes")), max_splits=0)
    text = "the root: label yes has weight 2, but no has 3"
    assert worst(judge(leaf, [Node(label=1)])) == text


def test_labels_must_cost_least_where_there_are_costs() -> None:
    # to predict 0 where 1 is right costs 4, so two rows of 1 weigh more than three of 0
    def dear(zero: int, one: int) -> list[list[F]]:  # where class 0 is right, and class 1
        return [[F(one), F(0)] if c else [F(0), F(zero)] for c in FIVE.y]

    sample = replace(FIVE, classes=("no", "yes"), costs=dear(1, 4))
    leaf = Problem(sample=sample, max_splits=0)
    assert judge(leaf, [Node(label=1)])
    text = "the root: label no costs 8, but yes costs 3"
    assert worst(judge(leaf, [Node(label=0)])) == text
    even = replace(sample, costs=dear(2, 3))
    assert all(judge(Problem(sample=even, max_splits=0), [Node(label=c)]) for c in (0, 1))


def test_a_strict_question_counts_by_the_rows_that_it_parts() -> None:
    one = Problem(sample=FIVE, max_splits=1)
    assert judge(one, [Node(Threshold(0, 3, strict=True), 1, 2), LEAF, LEAF])
    text = "the root: x0 < 2 decreases by 2/25, but x0 <= 2 by 16/75 (2/15 more)"
    assert worst(judge(one, [Node(Threshold(0, 2, strict=True), 1, 2), LEAF, LEAF])) == text
    edge = [Node(Threshold(0, 1, strict=True), 1, 2), LEAF, LEAF]
    assert "x0 < 1 separates nothing, all of its 5 rows answer no" in worst(judge(one, edge))


def test_thresholds_that_differ_are_shown_apart() -> None:
    above = F(1.0000000000000002)
    sample = Sample(X=[[1], [above], [2]], y=(0, 0, 1), k=2)
    text = "the root: x0 <= 1 decreases by 1/9, but x0 <= 1.0000000000000002 by 4/9 (1/3 more)"
    assert worst(judge(Problem(sample=sample), stump(0, 1))) == text
    # of numbers too long to be shown, all digits
    low, high = F(1, 3) + F(1, 10**30), F(1, 3) + F(2, 10**30)
    sample = Sample(X=[[low], [high], [2]], y=(0, 0, 1), k=2)
    place, _, rest = worst(judge(Problem(sample=sample), stump(0, low))).partition(" decreases by")
    assert place == f"the root: x0 <= {low}" and f"but x0 <= {high} by 4/9" in rest


def test_a_linear_or_sphere_question_must_be_asked_by_somebody() -> None:
    sample = Sample(X=[(0, 0), (1, 1), (2, 0), (0, 2), (2, 2)], y=(1, 1, 0, 0, 0), k=2)
    ball = Sphere((F(1, 2), F(1, 2)), F(1))
    tree = [Node(ball, 1, 2), LEAF, LEAF]
    assert judge(Problem(sample=sample, candidates=(ball,)), tree)
    other = [Node(Sphere((F(1, 2), F(1, 2)), F(9, 10)), 1, 2), LEAF, LEAF]
    assert judge(Problem(sample=sample, candidates=(ball,)), other)  # the same rows
    unasked = worst(judge(Problem(sample=sample, max_splits=1), tree))
    assert unasked == (
        "the root: |x - (0.5, 0.5)| <= 1 parts the rows as no candidate and no column does; "
        "x0 <= 1 decreases by 16/75"
    )
    # that of a column may be asked in other words
    line = [Node(Linear((F(2), F(0)), F(3)), 1, 2), LEAF, LEAF]
    assert judge(Problem(sample=sample, max_splits=1), line)
    turned = [Node(Linear((F(-2), F(0)), F(-3)), 1, 2), LEAF, LEAF]
    assert judge(Problem(sample=sample, max_splits=1), turned)


def test_a_partition_by_other_words_is_that_of_neighbours_or_of_categories() -> None:
    # of 0, 1, 2 a ball may cut off 0 or 2, but not 1
    for centre, y, status in (
        (0, (1, 0, 0), "VERIFIED"), (1, (0, 1, 0), "REFUTED"), (2, (0, 0, 1), "VERIFIED"),
    ):  # fmt: skip
        line = Problem(sample=Sample(X=[[0], [1], [2]], y=y, k=2), max_splits=1)
        assert judge(line, [Node(Sphere((F(centre),), F(1, 2)), 1, 2), LEAF, LEAF]).status == status
    # (2, 2) is beyond a line, though neither column tells it from the others; its category may
    slant = [Node(Linear((F(1), F(1), F(0)), F(7, 2)), 1, 2), LEAF, LEAF]
    for own, status in ("b", "VERIFIED"), ("a", "REFUTED"):
        X: list[list[Value]] = [[2, 2, own], [3, 0, "a"], [0, 3, "a"]]
        plane = Problem(sample=Sample(X=X, y=(1, 0, 0), k=2), max_splits=1)
        assert judge(plane, slant).status == status


def test_what_a_node_misses_counts_by_its_share_of_the_rows() -> None:
    # each half of two classes could decrease by ½ more, which is ¼ of all
    for weighted in (False, True):
        verdict = judge(Problem(sample=AND_OR, weighted=weighted), stump(0, 0))
        assert [v.amount for v in verdict.violations] == [F(1, 4)] * 2


def test_the_order_of_splits_is_judged_only_where_nothing_else_is_wrong() -> None:
    # as above, where the pair comes first; here the eight are split instead, and not by their best
    X = [[0, i] for i in range(8)] + [[1, 0], [1, 1]]
    sample = Sample(X=X, y=(0, 0, 0, 0, 0, 0, 0, 1, 2, 3), k=4)
    tree = [split(0, 0, 1, 2), LEAF, split(1, 5, 3, 4), LEAF, LEAF]
    [only] = judge(Problem(sample=sample, max_splits=2), tree).violations
    assert "x1 <= 5 decreases by 3/32, but x1 <= 6 by 7/32" in only.text


def test_small_and_nearly_pure_nodes_are_leaves() -> None:
    # the right child of the root has 3 rows and the impurity 4/9
    for stop, words in (
        ({"min_split": 4}, "but it has 3 rows, fewer than 4"),
        ({"min_impurity": F(9, 20)}, "but its impurity is 4/9, less than 9/20"),
    ):
        problem = Problem(sample=FIVE, **stop)
        assert judge(problem, stump(0, 2))
        assert words in worst(judge(problem, FIVE_TREE))
    for stop in ({"min_split": 3}, {"min_impurity": F(4, 9)}):
        problem = Problem(sample=FIVE, **stop)
        assert "is a leaf, but" in worst(judge(problem, stump(0, 2)))


def test_look_ahead_is_judged_by_what_it_sees() -> None:
    # XOR with a third column that is right in three rows of four: greedily best, and no help
    sample = Sample(X=[[0, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 1]], y=(0, 1, 1, 0), k=2)
    errors = Problem(sample=sample, impurity="misclassification", lookahead=1)
    both = [split(0, 0, 1, 2), split(1, 0, 3, 4), split(1, 0, 5, 6), *[LEAF] * 4]
    greedy = [split(2, 0, 1, 2), LEAF, split(0, 0, 3, 4), split(1, 0, 5, 6), *[LEAF] * 3]
    assert judge(errors, both) and not judge(replace(errors, lookahead=0), both)
    text = "the root: x2 <= 0 decreases by 1/4, but x0 <= 0 by 1/2 (1/4 more)"
    assert worst(judge(errors, greedy)) == text
    assert judge(replace(errors, max_depth=1), stump(2, 0))


def test_entropies_of_weights_far_apart_are_left_open() -> None:
    weights = [F(10) ** 4000, F(1), F(10) ** -4000, F(1), F(1)]
    problem = Problem(sample=replace(FIVE, weights=weights), impurity="entropy")
    verdict = judge(problem, FIVE_TREE)
    assert verdict.status == "INCONCLUSIVE" and "entropies are judged up to 4400" in verdict.hint
    for impurity in ("gini", "misclassification"):
        assert judge(replace(problem, impurity=impurity), FIVE_TREE).status != "INCONCLUSIVE"


def test_weights_of_rows_are_repetitions_of_rows() -> None:
    thrice = Sample(X=[[1], [1], [1], [2], [3]], y=(0, 0, 0, 1, 0), k=2)
    weighed = Sample(X=[[1], [2], [3]], y=(0, 1, 0), k=2, weights=[F(3, 5), F(1, 5), F(1, 5)])
    for tree in (stump(0, 1), stump(0, 2)):
        one, other = (judge(Problem(sample=s, max_splits=1), tree) for s in (thrice, weighed))
        assert one.status == other.status and one.violations == other.violations


def test_rows_of_weight_0_count_as_absent() -> None:
    sample = Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2, weights=[1, 0, 1])
    assert judge(Problem(sample=sample), stump(0, 1)) and judge(Problem(sample=sample), stump(0, 2))
    assert not judge(Problem(sample=replace(sample, weights=None)), stump(0, 2))
    alone = Problem(sample=replace(sample, weights=[0, 1, 0]))
    assert "is pure" in worst(judge(alone, stump(0, 1)))


def test_what_was_not_tried_is_inconclusive(monkeypatch: pytest.MonkeyPatch) -> None:
    # the values a … f hold n of class 0, 1 of class 1 and some of class 2: no two are proportional
    counts = {"a": (1, 1, 9), "b": (2, 1, 7), "c": (3, 1, 5), "d": (9, 1, 1), "e": (9, 1, 0)}
    rows = [(v, c) for v, us in counts.items() for c, n in enumerate(us) for _ in range(n)]
    sample = Sample(X=[[v] for v, _ in rows], y=[c for _, c in rows], k=3)
    tree = [Node(Membership(0, frozenset("de")), 1, 2), LEAF, LEAF]
    problem = Problem(sample=sample, max_splits=1)
    assert judge(problem, tree)
    monkeypatch.setattr(subsets, "MOST_SUBSETS", 2)
    verdict = judge(problem, tree)
    assert verdict.status == "INCONCLUSIVE"
    assert verdict.hint == "not all sets of x0 were tried at the root: too many values"
    wrong = judge(problem, [tree[0], LEAF, Node(label=2)])  # of 18, 2 and 1 rows
    assert wrong.status == "REFUTED" and not wrong.hint


def questions(sample: Sample) -> Iterator[Question]:
    for j in range(len(sample.X[0])):
        values: list[Value] = sorted({row[j] for row in sample.X}, key=str)
        for v in values:
            if isinstance(v, str):
                yield Membership(j, frozenset([v]))
            else:
                yield Threshold(j, v)
                yield Threshold(j, v + F(1, 2))
                yield Threshold(j, v - 1)


def groups(sample: Sample, tree: Sequence[Node]) -> dict[int, frozenset[int]]:
    """The rows of every node, found by walking down with each row."""
    reached: dict[int, set[int]] = {}
    for i, row in enumerate(sample.X):
        at = 0
        while True:
            reached.setdefault(at, set()).add(i)
            question = tree[at].question
            if question is None:
                break
            assert isinstance(question, (Threshold, Membership))
            value = row[question.column]
            if isinstance(question, Threshold):
                assert not isinstance(value, str)
                yes = value <= question.threshold
            else:
                yes = value in question.values
            at = tree[at].positive if yes else tree[at].negative
    return {n: frozenset(rows) for n, rows in reached.items()}


@pytest.mark.parametrize(
    ("sample", "tree"),
    [
        (FIVE, FIVE_TREE),
        (XOR, [split(0, 0, 1, 2), split(1, 0, 3, 4), split(1, 0, 5, 6), *[LEAF] * 4]),
        (AND_OR, [split(1, 0, 1, 2), split(0, 0, 3, 4), split(0, 0, 5, 6), *[LEAF] * 4]),
    ],
)
def test_any_other_question_is_refuted_or_makes_a_partition_that_is_tied(
    sample: Sample, tree: list[Node]
) -> None:
    problem = Problem(sample=sample)
    assert judge(problem, tree)
    before = groups(sample, tree)
    changed = 0
    for n, node in enumerate(tree):
        if node.question is None:
            continue
        for question in questions(sample):
            other = [*tree[:n], replace(node, question=question), *tree[n + 1 :]]
            after = groups(sample, other)
            if judge(problem, other):
                # the same partition of each node, or children exchanged with all below them
                assert set(after.values()) == set(before.values())
            else:
                assert after != before
                changed += 1
    assert changed > 3


def test_exchanged_children_and_other_labels_are_refuted() -> None:
    problem = Problem(sample=FIVE)
    for n, node in enumerate(FIVE_TREE):
        if node.question is not None:
            turned = replace(node, negative=node.positive, positive=node.negative)
            assert not judge(problem, [*FIVE_TREE[:n], turned, *FIVE_TREE[n + 1 :]])
        else:
            assert node.label is not None
            wrong = replace(node, label=1 - node.label)
            assert not judge(problem, [*FIVE_TREE[:n], wrong, *FIVE_TREE[n + 1 :]])


def test_nodes_that_are_no_tree_are_refused() -> None:
    for tree, words in (
        ([], "node 0 is missing"),
        ([split(0, 2, 0, 1), LEAF], "node 0 is the root and a child"),
        ([split(0, 2, 1, 1), LEAF], "node 1 is a child twice"),
        ([split(0, 2, 1, 9), LEAF], "node 0 child 9 is not among the 2 nodes"),
        ([split(0, 2, -1, 1), LEAF], "node 0 child -1 is not among the 2 nodes"),
        ([LEAF, LEAF], "node 1 is not below the root"),
        ([LEAF, split(0, 2, 2, 3), split(0, 2, 1, 4), LEAF, LEAF], "node 1 is not below the root"),
        (stump(1, 2), "node 0 column 1 is not among the 1 columns"),
        ([Node(label=2)], "node 0 class position 2 is not among the 2 classes"),
        ([Node(Membership(0, frozenset("a")), 1, 2), LEAF, LEAF], "which holds numbers"),
    ):
        fault = shape_fault(tree, FIVE)
        assert fault is not None and words in "node {} {}".format(*fault)


def test_surfaces_have_a_number_for_each_column_and_none_for_categories() -> None:
    named, one = Sample(X=[["a"], ["b"]], y=(0, 1), k=2), F(1)
    wrong = "a number for column 0, which holds categories"
    for sample, question, text in (
        (FIVE, Linear((one, one), one), "2 numbers for the 1 columns"),
        (FIVE, Sphere((one, one), one), "2 numbers for the 1 columns"),
        (named, Linear((one,), one), wrong), (named, Sphere((F(0),), one), wrong),
    ):  # fmt: skip
        assert shape_fault([Node(question, 1, 2), LEAF, LEAF], sample) == (0, text)
    assert shape_fault([Node(Linear((F(0),), one), 1, 2), LEAF, LEAF], named) is None


@given(st.permutations(range(5)), st.booleans())
def test_the_order_of_rows_and_the_names_of_classes_do_not_matter(
    order: list[int], exchanged: bool
) -> None:
    y = [FIVE.y[i] ^ exchanged for i in order]
    sample = Sample(X=[FIVE.X[i] for i in order], y=y, k=2)
    tree = [replace(n, label=None) for n in FIVE_TREE]
    assert judge(Problem(sample=sample), tree)
    assert judge(Problem(sample=sample, max_splits=1), stump(0, 4)).violations == (
        judge(Problem(sample=FIVE, max_splits=1), stump(0, 4)).violations
    )


def test_places_are_named_for_programs_too() -> None:
    data = prepare(FIVE)
    assert [place(data, FIVE_TREE, at).at for at in (0, 2)] == [{"node": 0}, {"node": 2}]


def test_a_long_path_is_shortened() -> None:
    m = 12
    sample = Sample(X=[[i] for i in range(m)], y=[i % 2 for i in range(m)], k=2)
    chain: list[Node] = []
    for n in range(m - 2):
        chain += [split(0, n, 2 * n + 2, 2 * n + 1), LEAF]
    verdict = judge(Problem(sample=sample), [*chain, LEAF])
    places = [v.place for v in verdict.violations]
    assert "node 20 (x0 <= 0: no, x0 <= 1: no, 6 more, x0 <= 8: no, x0 <= 9: no)" in places


@pytest.mark.parametrize(
    ("threshold", "text"),
    [
        (F(1, 5), "0.2"),
        (F(-1, 25), "-0.04"),
        (F(7, 2), "3.5"),
        (F(1, 10**9), "0.000000001"),
        (F(1, 10**10), "0.0000000001"),
        (F(3, 10**17), "0.00000000000000003"),
        (F(1, 10**18), "1e-18"),
        (F(3), "3"),
        (F(-2, 3), "-2/3"),
        (F(10**8, 3 * 10**8 + 1), "0.333333"),
        (F(1001, 33331), "1001/33331"),
        (F(1001, 333331), "0.00300302"),
        (F(10) ** 60 + F(1, 10), "1.00000e60"),
    ],
)
def test_a_threshold_is_shown_as_people_write_it(threshold: F, text: str) -> None:
    assert value_text(threshold) == text


def test_a_set_is_shown_in_sorted_order_and_cut_short() -> None:
    data = prepare(Sample(X=[["a"], ["b"]], y=(0, 1), k=2, columns=("letter",)))
    assert question_text(data, Membership(0, frozenset("fedcba"))) == "letter in {a, b, c, d, e, f}"
    many = Membership(0, frozenset("hgfedcba"))
    assert question_text(data, many) == "letter in {a, b, c, d, e, f, 2 more}"


def test_a_linear_question_is_shown_without_its_zeros() -> None:
    data = prepare(Sample(X=[[1, 2, 3]], y=(0,), k=1))
    assert question_text(data, Linear((F(0), F(-1, 2), F(3)), F(1))) == "-0.5*x1 + 3*x2 <= 1"
    assert question_text(data, Linear((F(0),) * 3, F(1))) == "0 <= 1"


def test_two_nodes_that_would_both_have_to_be_the_last_are_named() -> None:
    """Two squares, each of two classes in its diagonals, side by side: a question of a square
    decreases nothing, and each half of one by 1/2, so that its halves come before the other square.
    """
    X = [[g, a, b] for g in (0, 1) for a in (0, 1) for b in (0, 1)]
    sample = Sample(X=X, y=[2 * g + (a != b) for g, a, b in X], k=4)
    tree = [split(0, 0, 1, 2), split(1, 0, 3, 4), split(1, 0, 5, 6), *[LEAF] * 4]
    verdict = judge(Problem(sample=sample, max_splits=3), tree)
    assert worst(verdict) == (
        "node 1 (x0 <= 0: no): and node 2 decrease by 0 both, and each has a leaf below it that "
        "had to be split before the other, so round 2 can be neither's"
    )
    assert verdict.violations[0].amount == 0
    # with one of the two alone, and its halves, the order is right
    one = [
        split(0, 0, 1, 2),
        split(1, 0, 3, 4),
        LEAF,
        split(2, 0, 5, 6),
        split(2, 0, 7, 8),
        *[LEAF] * 4,
    ]
    assert judge(Problem(sample=sample, max_splits=4), one)


def test_more_tied_splits_than_are_kept_waiting_are_all_right() -> None:
    # of 240 rows of alternating classes every cut after an odd number of them saves one error
    sample = Sample(X=[[i] for i in range(240)], y=[i % 2 for i in range(240)], k=2)
    problem = Problem(sample=sample, impurity="misclassification", max_splits=1)
    for threshold in (0, 118, 238):
        assert judge(problem, stump(0, threshold))
    assert judge(problem, stump(0, 117)).status == "REFUTED"


def test_rows_whose_denominators_have_nothing_in_common_are_ordered_all_the_same() -> None:
    low, high = F(1, 2**1500), F(1, 3**900)  # 2^-1500 < 2^-1426
    sample = Sample(X=[[high], [low], [1]], y=(1, 0, 1), k=2)
    assert judge(Problem(sample=sample), stump(0, low))
    assert judge(Problem(sample=sample), stump(0, high)).status == "REFUTED"


def test_two_tied_nodes_of_which_one_has_a_run_below_it_come_in_either_order() -> None:
    X = [[3, 2], [2, 0], [1, 2], [0, 1], [3, 1], [2, 2], [0, 0], [0, 2]]
    sample = Sample(X=X, y=(0, 1, 0, 0, 1, 1, 0, 1), k=2)
    # nodes 1 and 2 decrease by 1/8 each, and node 3, below the first, by more
    tree = [split(0, 1, 1, 2), split(1, 1, 3, 4), split(1, 1, 7, 8), split(0, 2, 5, 6), *[LEAF] * 5]
    assert judge(Problem(sample=sample, max_splits=4), tree)


def test_look_ahead_tries_the_cuts_between_rows_of_one_class() -> None:
    rows = [
        ([x0, r if x0 else x1, x1 if x0 else r], x1)
        for x0 in (0, 3)
        for x1 in (0, 1)
        for r in (0, 1)
    ]
    sample = Sample(
        X=[*(x for x, _ in rows), [1, 0, 1], [2, 1, 0]], y=[*(c for _, c in rows), 0, 0], k=2
    )
    # in the middle, between the two rows of one class, each half is parted by one more question
    problem = Problem(sample=sample, lookahead=1, max_splits=1)
    assert judge(problem, stump(0, 1))
    for cut in (0, 2):
        verdict = judge(problem, stump(0, cut))
        assert verdict.status == "REFUTED" and "but x0 <= 1 by" in verdict.violations[0].text


def test_rows_on_a_line_or_a_sphere_answer_yes() -> None:
    for question in (Sphere((F(0), F(0)), F(5)), Linear((F(1), F(2)), F(11))):
        sample = Sample(X=[(3, 4), (3, 5)], y=(0, 1), k=2)
        problem = Problem(sample=sample, candidates=(question,))
        assert judge(problem, [Node(question, 1, 2, label=0), Node(label=1), Node(label=0)])


def test_a_set_may_not_leave_too_little_to_either_side() -> None:
    for light in (0, 2):
        weights = [F(1, 2) if i == light else F(1) for i in range(3)]
        values = [["b" if i == light else "a"] for i in range(3)]
        for names in (values, [["b" if v == ["a"] else "a"] for v in values]):
            sample = Sample(X=names, y=[int(i == light) for i in range(3)], k=2, weights=weights)
            assert judge(Problem(sample=sample, min_leaf_weight=F(1)), [LEAF])
            assert not judge(Problem(sample=sample, min_leaf_weight=F(1, 2)), [LEAF])
