"""The judge of pruned trees, against all pruned trees one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction as F
from itertools import pairwise
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict
from refmc.checker.numbers.logarithms import LogSum, log2
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.trees import prune
from refmc.checker.trees.data import Node, Sample, Threshold
from refmc.checker.trees.impurity import NAMES, impurity_of
from refmc.checker.trees.minimisers import collapse_points, stages
from refmc.checker.trees.prune import Claim, Step, judge_at, judge_sequence
from refmc.checker.trees.prune import PruningProblem as Problem

LEAF = Node()
EXACT = F(0)


def split(column: int, threshold: F | int, negative: int, positive: int) -> Node:
    return Node(Threshold(column, threshold), negative, positive)


SQUARE = Problem(
    sample=Sample(X=[[0, 0], [0, 1], [1, 0], [1, 1]], y=(0, 1, 1, 2), k=3),
    tree=[split(0, 0, 1, 2), split(1, 0, 3, 4), split(1, 0, 5, 6), *[LEAF] * 4],
)
# y = 1 1 0 0 0 0 0 0 0 0 with x = 1 0 1 1 0 0 0 0 0 0: no split helps the number of errors
IDLE = Problem(
    sample=Sample(X=[[1], [0], [1], [1], *([0] for _ in range(6))], y=(1, 1, *(0,) * 8), k=2),
    tree=[split(0, 0, 1, 2), LEAF, LEAF],
)


def steps(*pairs: tuple[F | int | str, int]) -> list[Step]:
    return [Step(F(lam), Claim(leaves=leaves)) for lam, leaves in pairs]


def worst(verdict: Verdict) -> str:
    assert verdict.status == "REFUTED"
    return f"{verdict.violations[0].place}: {verdict.violations[0].text}"


def test_the_three_class_square_collapses_at_once() -> None:
    # each half holds one error as a leaf; the root two, saved by three more leaves
    assert judge_sequence(SQUARE, steps((0, 4), ("2/3", 1)), EXACT).gap == 0
    shared = replace(SQUARE, per_row=True)
    assert judge_sequence(shared, steps((0, 4), ("1/6", 1)), EXACT)
    text = "step 1: lam = 1/6, but G is equal for this tree and the one before at 2/3"
    assert worst(judge_sequence(SQUARE, steps((0, 4), ("1/6", 1)), EXACT)) == text
    halves = judge_sequence(SQUARE, steps((0, 4), ("2/3", 2), (1, 1)), EXACT)
    assert worst(halves).startswith("step 1: has 2 leaves, but the smallest minimiser, with G =")


def test_the_square_at_one_lambda() -> None:
    assert judge_at(SQUARE, F(2, 3), Claim(leaf_nodes=frozenset({0})))
    below = F(2, 3) - F(1, 10**30)
    assert judge_at(SQUARE, below, Claim(leaf_nodes=frozenset({3, 4, 5, 6})))
    assert not judge_at(SQUARE, below, Claim(leaves=1))
    assert not judge_at(SQUARE, F(2, 3), Claim(leaves=4))
    half = judge_at(SQUARE, F(1), Claim(leaf_nodes=frozenset({1, 5, 6})))
    assert worst(half) == (
        "the pruned tree: G = 4 with its 3 leaves, but 3 with the 1 of the smallest minimiser, "
        "such as the root"
    )


def test_splits_that_gain_nothing_may_collapse_in_the_first_step_or_before_it() -> None:
    assert judge_at(IDLE, F(0), Claim(leaves=1))
    assert not judge_at(IDLE, F(0), Claim(leaves=2))
    assert judge_sequence(IDLE, steps((0, 1)), EXACT)
    assert judge_sequence(IDLE, steps((0, 2), (0, 1)), EXACT)
    assert not judge_sequence(IDLE, steps((0, 2)), EXACT)
    assert not judge_sequence(IDLE, steps((0, 2), (1, 1)), EXACT)
    assert judge_sequence(IDLE, [Step(None, Claim(leaves=2)), *steps((0, 1))], EXACT)
    gini = replace(IDLE, risk="gini")
    # 10 times the decrease 8/525 of the Gini impurity
    assert judge_sequence(gini, steps((0, 2), ("16/105", 1)), EXACT)


def test_a_root_alone_is_a_sequence_of_one() -> None:
    alone = Problem(sample=SQUARE.sample, tree=[LEAF])
    assert judge_sequence(alone, steps((0, 1)), EXACT)
    assert "there are 1" in worst(judge_sequence(alone, steps((0, 1), (1, 1)), EXACT))


def test_a_node_without_rows_has_no_risk() -> None:
    """The second split sends no row to its positive side, so it collapses at 0, and the first at
    what the root's counts 1 and 2 risk: 3 - 5/3, 3 log2(3) - 2, or 1 error."""
    three = Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2)
    tree = [split(0, 1, 1, 2), LEAF, split(0, 5, 3, 4), LEAF, LEAF]
    for risk, lam in zip(NAMES, (LogSum(F(4, 3)), log2(3) * 3 - LogSum(2), LogSum(1)), strict=True):
        problem = Problem(sample=three, tree=tree, risk=risk)
        last = Step(lam, Claim(leaves=1))
        assert judge_sequence(problem, [*steps((0, 3), (0, 2)), last], EXACT).gap == 0


def test_rounded_lambdas_need_an_allowance_and_show_it_as_the_gap() -> None:
    rounded = steps((0, 4), (F(2 / 3), 1))
    assert not judge_sequence(SQUARE, rounded, EXACT)
    verdict = judge_sequence(SQUARE, rounded, F(1, 10**6))
    assert verdict and verdict.gap == abs(F(2 / 3) - F(2, 3))


def rounded(low: F, high: F, closed: bool = True) -> Rounded:
    """Numbers of which the one in the middle was submitted."""
    return Rounded((low + high) / 2, low, high, closed)


def test_a_rounded_lambda_is_right_on_either_side_of_the_critical_one() -> None:
    # the float next to 2/3 is below it, and stands for all that rounds to it
    near, lam = F(1, 10**9), Rounded.of_float(2 / 3)
    for leaves in (1, 4):
        verdict = judge_at(SQUARE, lam, Claim(leaves=leaves), near)
        assert verdict and verdict.gap == (F(2, 3) - lam.value if leaves == 1 else 0)
    assert not judge_at(SQUARE, lam, Claim(leaves=2), near)
    assert not judge_at(SQUARE, lam, Claim(leaves=1), EXACT)
    assert not judge_at(SQUARE, lam, Claim(leaves=1))
    assert not judge_at(SQUARE, Rounded.of(F(2, 3)), Claim(leaves=4), near)
    tiny, half, above = F(1, 2**70), F(1, 2), F(3, 4)
    for low, high, leaves in (
        (F(2, 3) + tiny, above, 4), (half, F(2, 3) - tiny, 1), (half, half + tiny, 1),
    ):  # fmt: skip
        assert not judge_at(SQUARE, rounded(low, high), Claim(leaves=leaves), near)
    # the ends belong to it where the float is even
    for low, high, leaves in ((F(2, 3), above, 4), (half, F(2, 3), 1)):
        for closed in (False, True):
            lam = rounded(low, high, closed)
            assert bool(judge_at(SQUARE, lam, Claim(leaves=leaves), near)) == closed


def test_an_exact_lambda_is_on_one_side_whatever_a_risk_may_be_off() -> None:
    below, near = F(2, 3) - F(1, 10**20), F(1, 10**6)
    assert judge_at(SQUARE, F(2, 3), Claim(leaves=1), near)
    assert not judge_at(SQUARE, F(2, 3), Claim(leaves=4), near)
    assert judge_at(SQUARE, below, Claim(leaves=4), near)
    assert not judge_at(SQUARE, below, Claim(leaves=1), near)


def test_no_lambda_is_just_below_0() -> None:
    near, lam = F(1, 10**9), Rounded.of_float(0.0)
    assert judge_at(IDLE, lam, Claim(leaves=1), near)
    assert not judge_at(IDLE, lam, Claim(leaves=2), near)


def test_irrational_lambdas_are_accepted_within_the_allowance_only() -> None:
    entropy = replace(SQUARE, risk="entropy")
    # each half keeps 2 bits, saved by one leaf more; the root has 6, and two leaves leave 4
    assert judge_sequence(entropy, steps((0, 4), (2, 1)), EXACT)
    skewed = replace(entropy, sample=replace(SQUARE.sample, weights=[1, 2, 3, 4]))
    found = judge_sequence(skewed, steps((0, 4), (3, 1)), F(1, 10**6))
    assert "log2" in worst(found)


def test_the_risk_of_a_step_is_judged_too() -> None:
    def claimed(risk: F) -> list[Step]:
        return [Step(F(0), Claim(leaves=4, risk=F(0))), Step(F(2, 3), Claim(leaves=1, risk=risk))]

    assert judge_sequence(SQUARE, claimed(F(2)), EXACT)
    text = "step 1: risk 2.5, but its leaves have 2"
    assert worst(judge_sequence(SQUARE, claimed(F(5, 2)), EXACT)) == text
    # each leaf of IDLE errs on one row, and so does the root on both of them
    idle = [Step(F(0), Claim(leaves=n, risk=F(2))) for n in (2, 1)]
    assert judge_sequence(IDLE, idle, EXACT)


def test_collapsed_nodes_may_include_those_below_others() -> None:
    def claimed(*nodes: int) -> list[Step]:
        return [*steps((0, 4)), Step(F(2, 3), Claim(collapsed=frozenset(nodes)))]

    for nodes in ((0,), (0, 1), (0, 1, 2)):
        assert judge_sequence(SQUARE, claimed(*nodes), EXACT)
    text = "step 1: has to collapse the root"
    assert worst(judge_sequence(SQUARE, claimed(1, 2), EXACT)) == text
    early = [Step(F(0), Claim(collapsed=frozenset({2}))), *steps(("2/3", 1))]
    text = "step 0: must not collapse node 2 (x0 <= 0: yes)"
    assert worst(judge_sequence(SQUARE, early, EXACT)) == text


def test_a_pruned_tree_by_its_own_nodes_is_matched_by_partitions() -> None:
    assert judge_at(SQUARE, F(1), Claim(tree=[LEAF]))
    renumbered = [split(0, F(1, 2), 2, 1), split(1, F(1, 3), 4, 3), split(1, 0, 5, 6), *[LEAF] * 4]
    assert judge_at(SQUARE, F(1, 2), Claim(tree=renumbered))
    strange = [split(1, 0, 1, 2), LEAF, LEAF]
    text = "the pruned tree: asks x1 <= 0 at the root, and the grown tree x0 <= 0"
    assert worst(judge_at(SQUARE, F(1), Claim(tree=strange))) == text
    assert "with its 1 leaf, but" in worst(judge_at(SQUARE, F(1, 2), Claim(tree=[LEAF])))
    larger = [*renumbered[:3], split(0, 7, 7, 8), *[LEAF] * 5]
    assert "a leaf of the grown tree" in worst(judge_at(SQUARE, F(1, 2), Claim(tree=larger)))


def test_labels_of_a_pruned_tree_are_judged_at_every_node() -> None:
    # rows 1 | 2, 3 of classes 0 | 1, 1
    grown = Problem(
        sample=Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2, classes=("a", "b")),
        tree=[split(0, 1, 1, 2), LEAF, LEAF],
    )
    assert judge_at(grown, F(5), Claim(tree=[Node(label=1)]))
    text = "the pruned tree, the root: label a has weight 1, but b has 2"
    assert worst(judge_at(grown, F(5), Claim(tree=[Node(label=0)]))) == text

    def whole(*labels: int) -> Claim:
        tree = [replace(split(0, 1, 1, 2), label=labels[0]), Node(label=labels[1])]
        return Claim(tree=[*tree, Node(label=labels[2])])

    assert judge_at(grown, F(1, 2), whole(1, 1, 0))
    for labels in ((0, 1, 0), (1, 0, 0), (1, 1, 1)):
        assert "label" in worst(judge_at(grown, F(1, 2), whole(*labels)))
    steps_ = [Step(F(0), whole(1, 1, 0)), Step(F(1), Claim(tree=[Node(label=0)]))]
    assert worst(judge_sequence(grown, steps_, EXACT)).startswith("step 1, the root: label a")
    # weights of 2 for the row of class a make a tie at the root, and costs another order
    tied = replace(grown, sample=replace(grown.sample, weights=[2, 1, 1]))
    assert all(judge_at(tied, F(5), Claim(tree=[Node(label=c)])) for c in (0, 1))
    costs = [[F(0), F(9)] if c == 0 else [F(1), F(0)] for c in grown.sample.y]
    dear = replace(grown, sample=replace(grown.sample, costs=costs))
    assert judge_at(dear, F(5), Claim(tree=[Node(label=0)]))
    text = "the pruned tree, the root: label b costs 9, but a costs 2"
    assert worst(judge_at(dear, F(5), Claim(tree=[Node(label=1)]))) == text


def test_costs_may_be_the_risk() -> None:
    # 0 | 1, 1: the root costs 5 as 1, or 2 as 0, so it collapses at 2 for the one leaf that it
    # saves
    dear = Problem(
        sample=Sample(
            X=[[1], [2], [3]],
            y=(0, 1, 1),
            k=2,
            costs=[[F(0), F(5)], [F(1), F(0)], [F(1), F(0)]],
            weights=[2] * 3,
        ),
        tree=[split(0, 1, 1, 2), LEAF, LEAF],
        risk="cost",
    )
    assert judge_sequence(dear, steps((0, 2), (4, 1)), EXACT)
    assert judge_sequence(replace(dear, per_row=True), steps((0, 2), ("2/3", 1)), EXACT)
    assert judge_sequence(replace(dear, risk="misclassification"), steps((0, 2), (2, 1)), EXACT)


def test_what_a_lambda_of_a_sequence_may_be_off_follows_the_weights_of_rows() -> None:
    near = F(1, 10**9)
    for scale in (F(2) ** 40, F(1), F(2) ** -40):
        problem = replace(SQUARE, sample=replace(SQUARE.sample, weights=[scale] * 4))
        for off, right in ((F(1, 10**10), True), (F(1, 10**8), False)):
            # the terms of 2/3 are the risks 2 of the root and 0 of the leaves, for three leaves
            # saved
            lam, risk = F(2, 3) * (1 + off) * scale, 2 * (1 + off) * scale
            claimed = [Step(F(0), Claim(leaves=4)), Step(lam, Claim(leaves=1))]
            verdict = judge_sequence(problem, claimed, near)
            assert bool(verdict) == right and verdict.relative == off
            assert verdict.scale == F(2, 3) * scale
            assert bool(judge_at(problem, F(1) * scale, Claim(risk=risk), near)) == right
    # a step without a risk is a sum of nothing: only 0 will do
    first = [Step(F(1, 10**20), Claim(leaves=4)), Step(F(2, 3), Claim(leaves=1))]
    assert not judge_sequence(SQUARE, first, near)
    none = judge_at(SQUARE, F(1, 2), Claim(risk=F(1, 10**20)), near)
    assert none.status == "REFUTED" and none.scale == 0 and none.relative is None


def test_one_lambda_must_explain_all_that_is_claimed() -> None:
    lam, near = rounded(F(1, 2), F(3, 4)), F(1, 10**9)
    for claim in (Claim(leaves=1, risk=F(2)), Claim(leaves=4, risk=F(0))):
        assert judge_at(SQUARE, lam, claim, near)
    for claim in (Claim(leaves=1, risk=F(0)), Claim(leaves=4, risk=F(2))):
        assert not judge_at(SQUARE, lam, claim, near)


def test_leaves_that_cut_no_tree_off_are_refuted() -> None:
    for nodes in ({0, 1}, {1}, {3, 4, 5}, {1, 2, 3}):
        text = worst(judge_at(SQUARE, F(1, 2), Claim(leaf_nodes=frozenset(nodes))))
        assert text.startswith("the pruned tree: has no leaf on, or two leaves on, one path")
    for nodes, fault in ({0, 1}, "node 1 (x0 <= 0: no) is below another of its leaves"), (
        {1, 5}, "node 6 (x0 <= 0: yes, x1 <= 0: yes) is left without one",
    ):  # fmt: skip
        assert worst(judge_at(SQUARE, F(1, 2), Claim(leaf_nodes=frozenset(nodes)))).endswith(fault)


def test_the_first_of_several_stray_leaves_is_named() -> None:
    text = worst(judge_at(SQUARE, F(1, 2), Claim(leaf_nodes=frozenset({1, 3}))))
    assert text.endswith("node 3 (x0 <= 0: no, x1 <= 0: no) is below another of its leaves")


def test_a_wrong_tree_has_no_gap_whatever_is_off_beside_it() -> None:
    near, lam = F(1, 10**6), F(2, 3) + F(1, 10**9)
    wrong = judge_sequence(SQUARE, [Step(F(0), Claim(leaves=4)), Step(lam, Claim(leaves=2))], near)
    assert wrong.status == "REFUTED" and wrong.gap is None
    right = judge_sequence(SQUARE, [Step(F(0), Claim(leaves=4)), Step(lam, Claim(leaves=1))], near)
    assert right and right.gap == F(1, 10**9)


def test_each_fault_counts_by_what_it_misses() -> None:
    # one step too many, and one too few
    for extra in [*steps((0, 4), ("2/3", 1), (1, 1))], steps((0, 4)):
        [wrong] = judge_sequence(SQUARE, extra, EXACT).violations
        assert wrong.place == "the sequence" and wrong.amount == 1
    # G = 2 + ½ for the root alone, and ½ · 4 for the whole tree
    [wrong] = judge_at(SQUARE, F(1, 2), Claim(leaf_nodes=frozenset({0}))).violations
    assert wrong.amount == F(1, 2)
    [wrong] = judge_at(SQUARE, F(1), Claim(tree=[split(1, 0, 1, 2), LEAF, LEAF])).violations
    assert wrong.amount == 0
    # three rows of four: a label of none of their weight misses all of it, which is ¾ of the tree's
    grown = Problem(
        sample=Sample(X=[[0], [1], [1], [1]], y=(0, 1, 1, 1), k=2),
        tree=[split(0, 0, 1, 2), LEAF, LEAF],
    )
    whole = Claim(tree=[split(0, 0, 1, 2), Node(label=0), Node(label=0)])
    [wrong] = judge_at(grown, F(0), whole, EXACT).violations
    assert wrong.amount == F(3, 4)


@st.composite
def grown(draw: st.DrawFn, most_splits: int = 6) -> Problem:
    """Any tree at all on up to ten rows: pruning doesn't ask how it was grown."""
    m = draw(st.integers(1, 10))
    y = draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=m, max_size=m))
    groups: list[list[int]] = [list(range(m))]
    tree = [LEAF]
    for _ in range(draw(st.integers(0, most_splits))):
        wide = [n for n, node in enumerate(tree) if not node.question and len(groups[n]) > 1]
        if not wide:
            break
        n = draw(st.sampled_from(wide))
        cut = draw(st.integers(1, len(groups[n]) - 1))
        tree[n] = split(0, groups[n][cut - 1], len(tree), len(tree) + 1)
        tree += [LEAF, LEAF]
        groups += [groups[n][cut:], groups[n][:cut]]
    return Problem(
        sample=Sample(X=[[i] for i in range(m)], y=y, k=3, weights=weights),
        tree=tree,
        risk=draw(st.sampled_from(NAMES)),
        per_row=draw(st.booleans()),
    )


def risks(problem: Problem) -> list[LogSum]:
    """The risk of each node, with its rows found by walking down."""
    sample = problem.sample
    weights = sample.weights or [1] * len(sample.y)
    counts = [[0] * sample.k for _ in problem.tree]
    for row, c, w in zip(sample.X, sample.y, weights, strict=True):
        at = 0
        while True:
            counts[at][c] += int(w)
            question = problem.tree[at].question
            if question is None:
                break
            assert isinstance(question, Threshold) and not isinstance(row[0], str)
            node = problem.tree[at]
            at = node.positive if row[0] <= question.threshold else node.negative
    per = F(1, sum(map(int, weights))) if problem.per_row else F(1)
    assert problem.risk != "cost"
    return [impurity_of(problem.risk).risk(u) * per for u in counts]


def pruned_trees(tree: Sequence[Node], n: int = 0) -> Iterator[frozenset[int]]:
    yield frozenset({n})
    node = tree[n]
    if node.question is not None:
        for one in pruned_trees(tree, node.negative):
            for other in pruned_trees(tree, node.positive):
                yield one | other


def total(risk: Sequence[LogSum], leaf_nodes: frozenset[int]) -> LogSum:
    found = LogSum()
    for n in leaf_nodes:
        found = found + risk[n]
    return found


def smallest_minimiser(problem: Problem, lam: LogSum) -> frozenset[int]:
    risk = risks(problem)
    best: tuple[LogSum, frozenset[int]] | None = None
    for leaf_nodes in pruned_trees(problem.tree):
        G = total(risk, leaf_nodes) + lam * len(leaf_nodes)
        if best is None or G < best[0] or (G == best[0] and len(leaf_nodes) < len(best[1])):
            best = G, leaf_nodes
    assert best is not None
    return best[1]


def breakpoints(problem: Problem) -> list[LogSum]:
    """Where some two pruned trees have an equal G, and the smallest minimiser changes."""
    risk = risks(problem)
    least: dict[int, LogSum] = {}
    for leaf_nodes in pruned_trees(problem.tree):
        size, own = len(leaf_nodes), total(risk, leaf_nodes)
        least[size] = min(own, least.get(size, own))
    crossings: list[LogSum] = []
    for a, more in least.items():
        for b, less in least.items():
            if a < b and not more < less:
                lam = (more - less) * F(1, b - a)
                if lam not in crossings:
                    crossings.append(lam)
    found = [LogSum()]
    for lam in sorted(crossings):
        if found[-1] < lam and smallest_minimiser(problem, lam) != smallest_minimiser(
            problem, found[-1]
        ):
            found.append(lam)
    return found


@given(grown(), st.integers(0, 12), st.integers(1, 6))
def test_one_tree_is_right_at_each_lambda(problem: Problem, top: int, bottom: int) -> None:
    lam = F(top, bottom)
    best = smallest_minimiser(problem, LogSum(lam))
    for leaf_nodes in pruned_trees(problem.tree):
        verdict = judge_at(problem, lam, Claim(leaf_nodes=leaf_nodes))
        assert verdict.status == ("VERIFIED" if leaf_nodes == best else "REFUTED")


@given(grown(most_splits=4))
def test_the_sequence_is_that_of_all_pruned_trees(problem: Problem) -> None:
    lams = breakpoints(problem)
    trees = [smallest_minimiser(problem, lam) for lam in lams]
    assert all(len(b) < len(a) for a, b in pairwise(trees))
    near = F(1, 10**9)
    right = [
        Step(lam.near(), Claim(leaf_nodes=tree, leaves=len(tree)))
        for lam, tree in zip(lams, trees, strict=True)
    ]
    allowed = EXACT if problem.risk != "entropy" else near
    assert judge_sequence(problem, right, allowed)
    full = frozenset(n for n, node in enumerate(problem.tree) if node.question is None)
    with_full = [Step(None, Claim(leaf_nodes=full)), *right]
    assert bool(judge_sequence(problem, with_full, allowed)) == (full != trees[0])
    for i, step in enumerate(right):
        assert isinstance(step.lam, F)
        off = [*right[:i], step._replace(lam=step.lam + F(1, 10**6)), *right[i + 1 :]]
        assert not judge_sequence(problem, off, allowed)
        assert not judge_sequence(problem, [*right[:i], *right[i + 1 :]], allowed)
        for leaf_nodes in pruned_trees(problem.tree):
            other = Step(step.lam, Claim(leaf_nodes=leaf_nodes))
            verdict = judge_sequence(problem, [*right[:i], other, *right[i + 1 :]], allowed)
            assert bool(verdict) == (leaf_nodes == trees[i])


def test_a_thousand_splits_below_each_other_collapse_one_by_one() -> None:
    # the last n rows weigh n², …, 4, 1 with two classes in turn; as a leaf they err by
    # C(n+1, 3), so the split of these rows collapses at C(n+1, 3) - C(n, 3) = C(n, 2)
    m = 1_000
    weights = [(m - i) ** 2 for i in range(m)]
    sample = Sample(X=[[i] for i in range(m)], y=[i % 2 for i in range(m)], k=2, weights=weights)
    tree = [n for i in range(m - 1) for n in (split(0, i, 2 * i + 2, 2 * i + 1), LEAF)]
    problem = Problem(sample=sample, tree=[*tree, LEAF])
    right = steps((0, m), *((comb(n, 2), m - n + 1) for n in range(2, m + 1)))
    assert judge_sequence(problem, right, EXACT)


def test_the_first_missing_leaf_of_a_wrong_tree_is_named() -> None:
    # rows 1 to 5 of five classes, parted one by one: nodes 7 and 8 hold the rows 4 and 5
    five = Problem(
        sample=Sample(X=[[5 - i] for i in range(5)], y=(0, 1, 2, 3, 4), k=5),
        tree=[node for n in range(0, 8, 2) for node in (split(0, 4 - n // 2, n + 1, n + 2), LEAF)]
        + [LEAF],
    )
    found = judge_at(five, F(1, 8), Claim(leaf_nodes=frozenset({1, 3, 5, 6})))
    assert worst(found) == (
        "the pruned tree: G = 3/2 with its 4 leaves, but 5/8 with the 5 of the smallest minimiser, "
        "such as node 7 (x0 <= 4: yes, x0 <= 3: yes, x0 <= 2: yes, x0 <= 1: no)"
    )


def test_only_the_first_step_needs_no_lambda() -> None:
    assert judge_sequence(SQUARE, [Step(None, Claim(leaves=4)), *steps(("2/3", 1))], EXACT)
    verdict = judge_sequence(SQUARE, [*steps((0, 4)), Step(None, Claim(leaves=1))], EXACT)
    assert worst(verdict) == "step 1: has no lam; only the first needs none"
    assert verdict.violations[0].amount == 0


def test_nodes_that_collapse_together_count_by_the_largest_terms_of_any() -> None:
    # 1 − 0 and 5 − 4 save a leaf each at λ = 1; then the root, 20 − 6, saves one at 14
    risk = [LogSum(r) for r in (20, 1, 5, 0, 0, 2, 2)]
    found = list(stages(SQUARE.tree, risk, collapse_points(SQUARE.tree, risk)))
    terms = [(s.lam.rational, s.terms.rational, sorted(s.collapsed)) for s in found]
    assert terms == [(F(0), F(0), []), (F(1), F(9), [1, 2]), (F(14), F(26), [0])]


def test_a_sequence_is_blamed_where_it_leaves_the_way_that_it_has_begun() -> None:
    # 1, 1 beside 0, 0: the split at 1 parts rows of one class, and the root's saves two errors
    idle = Problem(
        sample=Sample(X=[[1], [2], [3], [4]], y=(1, 1, 0, 0), k=2),
        tree=[split(0, 2, 1, 2), split(0, 1, 3, 4), *[LEAF] * 3],
    )
    assert judge_sequence(idle, steps((0, 2), (2, 1)), EXACT)
    assert judge_sequence(idle, steps((0, 3), (0, 2), (2, 1)), EXACT)
    again = worst(judge_sequence(idle, steps((0, 2), (2, 2)), EXACT))
    assert again == "step 1: has 2 leaves, but the smallest minimiser, with G = 4, has 1"
    missing = judge_sequence(idle, steps((0, 3), (2, 1)), EXACT)
    assert {violation.place for violation in missing.violations} == {"step 1", "the sequence"}
    twice = [Step(F(0), Claim(leaves=2)), Step(F(2), Claim(leaves=2, risk=F(0)))]
    found = [violation.text for violation in judge_sequence(idle, twice, EXACT).violations]
    assert "risk 0, but the leaves of the smallest minimiser have 2" in found


def test_of_a_sequence_of_another_length_only_the_first_fault_is_kept() -> None:
    # rows of the weights 3, 2, 1 and a class each: 1 more error without the lower split, then 2
    three = Problem(
        sample=Sample(X=[[0], [1], [2]], y=(0, 1, 2), k=3, weights=[3, 2, 1]),
        tree=[split(0, 0, 1, 2), split(0, 1, 3, 4), *[LEAF] * 3],
    )
    assert judge_sequence(three, steps((0, 3), (1, 2), (2, 1)), EXACT)
    for short, place in (steps((0, 2), (1, 1)), "step 0"), (steps((0, 3), (1, 1)), "step 1"):
        wrong = judge_sequence(three, short, EXACT).violations
        assert sorted(v.place for v in wrong) == [place, "the sequence"]


def test_trees_whose_numbers_are_too_long_are_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prune, "too_long", lambda *_: "too many digits")
    claim = Claim(leaves=4)
    for verdict in (
        judge_sequence(SQUARE, [Step(F(0), claim)], EXACT),
        judge_at(SQUARE, F(0), claim),
    ):
        assert (verdict.status, verdict.hint) == ("INCONCLUSIVE", "too many digits")


def test_of_several_critical_lambdas_the_nearest_counts() -> None:
    # the right half collapses at 2, the root at (8 − 2)/2: three leaves are left in between
    sample = Sample(X=[[0], [1], [2], [3]], y=(0, 1, 2, 3), k=4, weights=[4, 40, 2, 2])
    tree = [split(0, 1, 1, 2), split(0, 2, 3, 4), split(0, 0, 5, 6), *[LEAF] * 4]
    lam = Rounded(F(7, 4), F(3, 2), F(4))
    verdict = judge_at(Problem(sample=sample, tree=tree), lam, Claim(leaves=3), F(1))
    assert verdict and verdict.gap == F(1, 4)
