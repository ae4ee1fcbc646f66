"""Decision trees: `learn` and the lecture grow, prune and choose alike."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction as F
from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from refmc import (
    CategoricalQuestion,
    DecisionTree,
    LinearQuestion,
    Log,
    Node,
    NumericQuestion,
    SphereQuestion,
    TreeRound,
    choose_lam,
    entropy,
    folds,
    gini,
    grow_tree,
    misclassification,
    prune,
    pruning_sequence,
)
from refmc.lectures import lu
from tests.support import table

Measure = tuple[Callable[[Sequence[F]], Any], Callable[[Sequence[Any]], Any]]
MEASURES: list[Measure] = [
    (lu.misclassification, misclassification),
    (lu.entropy, entropy),
    (lu.gini, gini),
]
measures = st.sampled_from(MEASURES)


def plain(value: Any) -> Any:
    """A value of the lecture as one of `learn`."""
    return Log([(value.a, value.n)], base=2) if isinstance(value, lu.Log) else value


def question(q: Any) -> lu.Question:
    """A question of `learn` as one of the lecture."""
    if isinstance(q, Asked):
        return q.q
    if isinstance(q, CategoricalQuestion):
        return "in", q.column, tuple(q.values)
    assert isinstance(q, NumericQuestion)
    return "at most", q.column, q.threshold


def regions(tree: DecisionTree, m: int, X: Sequence[Any]) -> Iterator[tuple[Node, lu.Node]]:
    """Each node with the items in it, in the order of numbers."""
    waiting = {0: (tree.root, tuple(range(m)))}
    for number in range(len(list(tree.nodes()))):
        node, items = waiting[number]
        yield node, items
        if node.question is not None:
            assert node.negative is not None and node.positive is not None
            yes = tuple(i for i in items if node.question.ask(X[i]))
            waiting[node.positive.number] = node.positive, yes
            waiting[node.negative.number] = node.negative, tuple(i for i in items if i not in yes)


def in_the_lecture(tree: DecisionTree, X: Sequence[Any]) -> lu.Tree:
    found = {node.number: items for node, items in regions(tree, len(X), X)}
    splits: lu.Tree = {}
    for node, items in regions(tree, len(X), X):
        splits[items] = None
        if node.question is not None:
            assert node.negative is not None and node.positive is not None
            below = found[node.negative.number], found[node.positive.number]
            splits[items] = (question(node.question), *below)
    return splits


cells = st.tuples(st.integers(0, 2), st.integers(0, 1), st.sampled_from("abcd"))


@st.composite
def samples(draw: st.DrawFn) -> tuple[list[Any], list[int]]:
    """Up to 8 rows of two numbers and a category, three classes; equal rows are likely."""
    m = draw(st.integers(1, 8))
    X = draw(st.lists(cells, min_size=m, max_size=m))
    return X, draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))


XOR: Any = ([(0, 0, "a"), (0, 1, "a"), (1, 0, "a"), (1, 1, "a")], [0, 1, 1, 0])


def assert_grown_as_in_the_lecture(sample: Any, measure: Measure) -> None:
    """In every round the decrease, the tied pairs and the first of them; at the end the tree."""
    X, y = sample
    S = list(zip(X, y))
    rounds: list[TreeRound] = []
    whole = grow_tree(X, y, impurity=measure[1], on_step=rounds.append)
    for t, record in enumerate(rounds):
        tree = lu.greedy_decision_tree(S, t, measure[0])
        items = list(tree)  # by the numbers of the nodes
        pairs = lu.pairs(tree, S)
        decreases = [lu.decrease(n, q, S, measure[0]) for n, q in pairs]
        best = lu.arg_max(decreases)
        assert record.t == t + 1 and record.decrease == plain(decreases[best[0]])
        assert [(items[n.number], question(q)) for n, q in record.tied] == [pairs[i] for i in best]
        assert (items[record.node.number], question(record.question)) == pairs[best[0]]
    grown = lu.greedy_decision_tree(S, len(S), measure[0])
    assert list(grown.items()) == list(in_the_lecture(whole, X).items())
    assert not lu.pairs(grown, S)


@given(samples(), measures)
@example(XOR, MEASURES[1])
def test_every_round_of_growing_is_that_of_the_lecture(sample: Any, measure: Measure) -> None:
    assert_grown_as_in_the_lecture(sample, measure)


@pytest.mark.campaign
@given(samples(), measures)
@settings(max_examples=20_000, deadline=None)
def test_every_round_of_many_trees_is_that_of_the_lecture(sample: Any, measure: Measure) -> None:
    assert_grown_as_in_the_lecture(sample, measure)


@given(samples(), measures)
def test_nodes_have_the_impurities_the_labels_and_the_leaves_of_the_lecture(
    sample: Any, measure: Measure
) -> None:
    X, y = sample
    S = list(zip(X, y))
    whole = grow_tree(X, y, impurity=measure[1])
    tree = lu.greedy_decision_tree(S, len(S), measure[0])
    for node, items in regions(whole, len(X), X):
        assert list(node.fractions) == lu.class_fractions(items, S)
        assert node.impurity == plain(measure[0](lu.class_fractions(items, S)))
        assert list(node.labels) == lu.labels(items, S)
    for x in [*X, (5, -1, "a"), (1, 1, "d")]:
        assert whole.leaf(x).labels == tuple(lu.labels(lu.leaf(tree, x), S))
    assert len(whole.leaves()) == len(lu.leaves(tree))


def test_the_lecture_follows_another_choice_among_the_tied_ones() -> None:
    """Each split that `learn` makes by another policy is among the best of the lecture."""
    X, y = XOR
    S = list(zip(X, y))
    rounds: list[TreeRound] = []
    tree = grow_tree(X, y, tie=lambda tied: tied[-1], on_step=rounds.append)
    assert any(record.question != record.tied[0][1] for record in rounds)
    part: lu.Tree = {tuple(range(4)): None}
    for record in rounds:
        pairs = lu.pairs(part, S)
        best = lu.arg_max([lu.decrease(n, q, S, lu.gini) for n, q in pairs])
        n, q = list(part)[record.node.number], question(record.question)
        assert (n, q) in [pairs[i] for i in best]
        minus, plus = lu.children(n, q, S)
        part = part | {n: (q, minus, plus), minus: None, plus: None}
    assert part == in_the_lecture(tree, X)


def test_all_four_kinds_of_questions_have_the_answers_of_the_lecture() -> None:
    rows = [(F(a), F(b)) for a in range(-2, 3) for b in range(-2, 3)]
    for x in rows:
        kinds: list[tuple[lu.Question, Any]] = [
            (("at most", 1, F(1)), NumericQuestion(1, F(1))),
            (("BSP", (F(1), F(-2)), F(1)), LinearQuestion((F(1), F(-2)), F(1))),
            (("sphere", (F(1), F(0)), F(4)), SphereQuestion((F(1), F(0)), F(2))),
        ]
        for q, other in kinds:
            assert lu.answer(q, x) == other.ask(x)
    for color in ("red", "blue", "grey"):
        other = CategoricalQuestion(0, ("blue", "red"))
        assert lu.answer(("in", 0, ("blue", "red")), [color]) == other.ask([color])


def test_a_logarithm_is_compared_where_floats_would_lose_the_tie() -> None:
    # log₂ 3 three thirds at a time, and 2·log₂ 3 beside a number that is larger by less than 2^−200
    third = lu.Log(3, F(1, 3))
    assert third + third + third == lu.Log(3) and not third * 3 < lu.Log(3)
    assert lu.Log(9) < lu.Log(9 + F(1, 2**200)) and lu.Log(9) != lu.Log(9 + F(1, 2**200))
    assert lu.Log(8) == 3 and 3 - lu.Log(8) == 0 and 1 - lu.Log(8) < -1


def test_logarithms_and_numbers_have_one_order() -> None:
    ordered: list[Any] = [
        lu.Log(F(1, 3)),
        -1,
        0,
        lu.Log(3, F(1, 2)),
        1,
        F(3, 2),
        lu.Log(3),
        lu.Log(5, 2),
    ]
    for (i, a), (j, b) in product(enumerate(ordered), repeat=2):
        assert ((a < b), (a <= b), (a > b), (a >= b), (a == b)) == (
            *((i < j), (i <= j), (i > j), (i >= j), (i == j)),
        )


@dataclass(frozen=True)
class Asked:
    """A question of the lecture as a candidate of `grow_tree`."""

    q: lu.Question

    def ask(self, x: Sequence[Any]) -> bool:
        return lu.answer(self.q, x)


def with_surfaces(n: lu.Node, S: lu.Sample) -> list[lu.Question]:
    return lu.questions(n, S) + lu.surface_questions(
        n, S, directions=[(1, 1), (2, -1)], centers=[(0, 0), (3, -1)]
    )


def surfaces(rows: Sequence[Any]) -> list[Any]:
    S, n = [(x, 0) for x in rows], tuple(range(len(rows)))
    return [Asked(q) for q in with_surfaces(n, S)[len(lu.questions(n, S)) :]]


numbers = st.tuples(st.integers(0, 3), st.integers(0, 2))


@st.composite
def planes(draw: st.DrawFn, most: int) -> tuple[list[Any], list[int]]:
    m = draw(st.integers(1, most))
    X = draw(st.lists(numbers, min_size=m, max_size=m))
    return X, draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))


@given(planes(7), measures)
def test_trees_with_lines_and_circles_are_grown_as_in_the_lecture(
    sample: Any, measure: Measure
) -> None:
    X, y = sample
    whole = grow_tree(X, y, impurity=measure[1], candidates=surfaces)
    grown = lu.greedy_decision_tree(list(zip(X, y)), len(X), measure[0], with_surfaces)
    assert list(grown.items()) == list(in_the_lecture(whole, X).items())


def test_a_line_and_a_circle_part_what_one_column_cannot() -> None:
    square = [((a, b), int(a + b > 1)) for a in (0, 1) for b in (0, 1)]
    grown = lu.greedy_decision_tree(square, 1, lu.gini, with_surfaces)
    assert grown[0, 1, 2, 3] == (("BSP", (1, 1), 1), (3,), (0, 1, 2))

    def circles(n: lu.Node, S: lu.Sample) -> list[lu.Question]:
        return lu.surface_questions(n, S, centers=[(1, 1)])

    ring = [((a, b), int((a, b) == (1, 1))) for a in range(3) for b in range(3)]
    whole = tuple(range(9))
    assert circles(whole, ring) == [("sphere", (1, 1), 0), ("sphere", (1, 1), 1)]
    grown = lu.greedy_decision_tree(ring, 9, lu.gini, circles)
    assert grown[whole] == (("sphere", (1, 1), 0), (0, 1, 2, 3, 5, 6, 7, 8), (4,))
    assert len(grown) == 3


@given(planes(5), measures, st.integers(1, 2))
@example(XOR, MEASURES[0], 1)
def test_a_look_ahead_grows_the_same_trees(sample: Any, measure: Measure, d: int) -> None:
    X, y = sample
    whole = grow_tree(X, y, impurity=measure[1], lookahead=d)
    grown = lu.greedy_decision_tree(list(zip(X, y)), len(X), measure[0], d=d)
    assert list(grown.items()) == list(in_the_lecture(whole, X).items())


def test_a_look_ahead_sees_what_the_next_question_will_gain() -> None:
    X, y = XOR
    S, n = list(zip(X, y)), (0, 1, 2, 3)
    q = ("at most", 0, 0)
    assert [lu.decrease(n, q, S, lu.gini, d=d) for d in (0, 1, 2)] == [0, F(1, 2), F(1, 2)]
    assert lu.least_impurity(n, S, lu.gini, lu.questions, 1) == F(1, 2)
    assert lu.least_impurity(n, S, lu.gini, lu.questions, 2) == 0


# --- Pruning


def of_the_lecture(tree: DecisionTree, X: Sequence[Any]) -> set[lu.Node]:
    """The regions of the leaves."""
    reached = [tree.leaf(x) for x in X]
    return {tuple(i for i, leaf in enumerate(reached) if leaf is n) for n in tree.leaves()}


def assert_pruned_as_in_the_lecture(
    whole: DecisionTree, S: lu.Sample, risk: Measure
) -> list[tuple[Any, lu.Tree]]:
    """λ, leaves and collapsed nodes of each step; gives the lecture's, from λ = 0 on.

    What costs nothing to collapse is collapsed in `learn` from the start.
    """
    X = [x for x, _ in S]
    steps = lu.pruning_sequence(in_the_lecture(whole, X), S, risk[0])
    free = sum(plain(lam) == 0 for lam, _ in steps)
    kept: list[tuple[Any, lu.Tree]] = [(F(0), steps[free - 1][1]), *steps[free:]]
    sequence = pruning_sequence(whole, risk=None if risk[1] is whole.impurity else risk[1])
    assert [step.lam for step in sequence] == [plain(lam) for lam, _ in kept]
    for step, (_, pruned) in zip(sequence, kept):
        assert of_the_lecture(step.tree, X) == set(lu.leaves(pruned))
        assert step.size == len(lu.leaves(pruned))
    for step, (_, before), (_, after) in zip(sequence[1:], kept, kept[1:]):
        assert len(step.collapsed) == sum(before[n] is not None for n in lu.leaves(after))
    return kept


@given(samples(), measures, measures)
@example(XOR, MEASURES[2], MEASURES[0])
def test_pruning_is_the_procedure_of_the_lecture_and_each_tree_its_smallest_minimiser(
    sample: Any, grown_by: Measure, risk: Measure
) -> None:
    X, y = sample
    S, F_n = list(zip(X, y)), risk[0]
    whole = grow_tree(X, y, impurity=grown_by[1])
    kept = assert_pruned_as_in_the_lecture(whole, S, risk)
    sequence = pruning_sequence(whole, risk=risk[1])
    parts = [(lu.R_hat(part, S, F_n), part) for part in sub_trees(in_the_lecture(whole, X))]
    lams = [lam for lam, _ in kept]
    for lam in [*lams, *[(a + b) * F(1, 2) for a, b in pairwise(lams)], lams[-1] + 1]:
        values = [(lu.G_lambda(part, lam, S, F_n), part) for _, part in parts]
        least = min(value for value, _ in values)
        best = sorted((part for value, part in values if value == least), key=len)
        assert all(len(best[0]) < len(other) for other in best[1:])  # the smallest is unique
        assert lu.tree_lambda(kept, lam, S, F_n) == best[0]
        assert of_the_lecture(prune(sequence, plain(lam)), X) == set(lu.leaves(best[0]))
    for _, pruned in kept:  # no tree of as many leaves or fewer has a smaller risk
        fewer = [R for R, part in parts if len(part) <= len(pruned)]
        assert min(fewer) == lu.R_hat(pruned, S, F_n)


@pytest.mark.campaign
@given(samples(), measures, measures)
@settings(max_examples=20_000, deadline=None)
def test_many_trees_are_pruned_as_in_the_lecture(
    sample: Any, grown_by: Measure, risk: Measure
) -> None:
    X, y = sample
    assert_pruned_as_in_the_lecture(grow_tree(X, y, impurity=grown_by[1]), list(zip(X, y)), risk)


@pytest.mark.parametrize("name", ["iris.csv", "wine.csv", "digits-500.csv"])
@pytest.mark.parametrize("risk", [MEASURES[0], MEASURES[2]], ids=["misclassification", "gini"])
def test_real_trees_are_pruned_as_in_the_lecture(name: str, risk: Measure) -> None:
    rows, labels = table(name)
    X, y = [tuple(x) for x in rows[:150]], labels[:150]
    assert_pruned_as_in_the_lecture(grow_tree(X, y), list(zip(X, y)), risk)


def sub_trees(tree: lu.Tree) -> Iterator[lu.Tree]:
    """The tree and all that pruning can make of it."""
    found = {frozenset(tree): tree}
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        for n, split in part.items():
            if split is not None:
                less = lu.collapse(part, [n])
                if frozenset(less) not in found:
                    found[frozenset(less)] = less
                    waiting.append(less)
    yield from found.values()


def test_tied_nodes_collapse_at_once_even_where_one_hangs_on_another() -> None:
    X, y = [(0, 0), (0, 1), (1, 0), (1, 1)], [0, 1, 1, 2]
    S = list(zip(X, y))
    tree = lu.greedy_decision_tree(S, 9, lu.gini)
    (zero, whole), (lam, root) = lu.pruning_sequence(tree, S, lu.misclassification)
    assert (zero, len(lu.leaves(whole)), lam, len(root)) == (0, 4, F(2, 3), 1)


def test_r_counts_the_leaves_that_collapsing_saves() -> None:
    # a row of three inner nodes: the last has r = 1, those above it (1 − 0)/2 and (2 − 0)/3
    S = [((i,), i % 2) for i in range(4)]
    row = lu.greedy_decision_tree(S, 9, lu.gini)
    inner = [n for n in row if n not in lu.leaves(row)]
    assert [lu.rise_per_leaf(row, n, S, lu.misclassification) for n in inner] == [
        F(2, 3),
        F(1, 2),
        F(1),
    ]


@pytest.mark.parametrize("measure", MEASURES)
def test_lam_is_chosen_among_those_that_the_lecture_admits(measure: Measure) -> None:
    X = [(0, 1, "a"), (1, 0, "b"), (2, 1, "a"), (0, 0, "b"), (2, 0, "a"), (1, 1, "b"), (2, 1, "b")]
    y = [0, 1, 1, 0, 1, 2, 1]
    grid, parts = [F(0), F(1, 2), F(1), F(3)], list(folds(7, 3))

    def train(S: lu.Sample, lam: lu.Number) -> lu.Hypothesis:
        tree = lu.greedy_decision_tree(S, len(S), measure[0])
        pruned = lu.tree_lambda(
            lu.pruning_sequence(tree, S, lu.misclassification), lam, S, lu.misclassification
        )
        return lambda x: lu.labels(lu.leaf(pruned, x), S)[0]

    best = lu.n_fold(train, list(zip(X, y)), parts, grid)

    def grow(rows: Any, labels: Any) -> DecisionTree:
        return grow_tree(rows, labels, impurity=measure[1])

    choice = choose_lam(
        X, y, grow=grow, folds=parts, risk=misclassification, lams=grid, scale="sum"
    )
    least = min(choice.errors)
    assert [lam for lam, error in zip(choice.lams, choice.errors) if error == least] == best
    assert choice.lam in best and len(best) < len(grid)


def test_the_majority_of_a_node_is_a_label_and_not_its_place_in_a_set() -> None:
    S = [([0], 8), ([0], 1), ([0], 1)]  # the set of both labels lists 8 before 1
    assert lu.labels((0, 1, 2), S) == [1] and lu.labels((0, 1), S) == [1, 8]
