"""Which splits may come when: the rule against all orders one by one."""

from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Node, Threshold
from refmc.checker.trees.order import OutOfOrder, out_of_order


@st.composite
def valued_trees(draw: st.DrawFn) -> tuple[list[Node], list[int | None]]:
    tree = [Node()]
    for _ in range(draw(st.integers(0, 7))):
        leaves = [n for n, node in enumerate(tree) if node.question is None]
        n = draw(st.sampled_from(leaves))
        tree[n] = Node(Threshold(0, 0), len(tree), len(tree) + 1)
        tree += [Node(), Node()]
    few = st.integers(0, 3)
    return tree, [draw(few if node.question else st.none() | few) for node in tree]


def some_order_is_right(tree: list[Node], v: list[int | None]) -> bool:
    inner = frozenset(n for n, node in enumerate(tree) if node.question)

    def goes_on(opened: frozenset[int], left: frozenset[int]) -> bool:
        if not left:
            return True
        top = max(v[n] or 0 for n in opened if v[n] is not None)
        return any(
            goes_on(opened - {n} | {tree[n].negative, tree[n].positive}, left - {n})
            for n in opened & left
            if v[n] == top
        )

    return goes_on(frozenset({0}), inner)


@given(valued_trees())
def test_the_rule_agrees_with_trying_all_orders(case: tuple[list[Node], list[int | None]]) -> None:
    tree, v = case
    found = out_of_order(tree, [None if w is None else LogSum(w) for w in v])
    assert (found is None) == some_order_is_right(tree, v)


def split(negative: int, positive: int) -> Node:
    return Node(Threshold(0, 0), negative, positive)


def test_tied_nodes_are_split_in_whichever_order_lets_the_last_run_be_cut_short() -> None:
    # nodes 1 and 2 are tied; below 1 waits a leaf of more, so 2 must come first
    tree = [split(1, 2), split(3, 4), split(5, 6), *[Node()] * 4]
    v = [LogSum(5), LogSum(1), LogSum(1), LogSum(2), None, None, None]
    assert out_of_order(tree, v) is None


def test_two_tied_nodes_cannot_both_be_the_last() -> None:
    tree = [split(1, 2), split(3, 4), split(5, 6), *[Node()] * 4]
    v = [LogSum(5), LogSum(1), LogSum(1), LogSum(2), None, None, LogSum(2)]
    assert out_of_order(tree, v) == OutOfOrder(2, 1, 2)


def test_a_leaf_that_ties_with_a_split_may_stay_a_leaf() -> None:
    tree = [split(1, 2), split(3, 4), *[Node()] * 3]
    v = [LogSum(5), LogSum(1), LogSum(1), None, None]
    assert out_of_order(tree, v) is None


def test_five_thousand_nodes_in_a_chain_are_no_matter() -> None:
    tree = [node for n in range(0, 10_000, 2) for node in (split(n + 1, n + 2), Node())] + [Node()]
    v = [LogSum(n) if node.question else None for n, node in enumerate(tree)]
    assert out_of_order(tree, v) is None


def test_the_other_last_node_is_found_beside_a_node_of_less() -> None:
    # below each of the tied nodes 3 and 4 waits a leaf of more; node 2 is open too, with less
    tree = [split(1, 2), split(3, 4), split(9, 10), split(5, 6), split(7, 8), *[Node()] * 6]
    v = [LogSum(5), LogSum(4), LogSum(0), LogSum(1), LogSum(1), LogSum(2), None, LogSum(2)]
    assert out_of_order(tree, [*v, *[None] * 3]) == OutOfOrder(3, 3, 4)


def test_a_leaf_of_more_is_named_beside_the_best_split_that_is_left() -> None:
    # below node 2 wait leaves of 7 and 6, before node 1 of value 1 is split
    tree = [split(1, 2), split(5, 6), split(3, 4), *[Node()] * 4]
    v = [LogSum(9), LogSum(1), LogSum(8), LogSum(7), LogSum(6), None, None]
    assert out_of_order(tree, v) == OutOfOrder(3, 3, 1)


def test_runs_that_are_split_to_their_ends_may_come_in_any_order() -> None:
    # below each of the tied nodes 1 and 2 stands one of more, which is split, too
    tree = [split(1, 2), split(3, 4), split(5, 6), split(7, 8), Node(), split(9, 10)]
    v = [LogSum(n) if n else None for n in (5, 1, 1, 3, 0, 3, 0, 0, 0, 0, 0)]
    assert out_of_order([*tree, *[Node()] * 5], v) is None


def test_a_run_does_not_pass_a_node_of_less() -> None:
    # below each of the tied nodes 1 and 2 stands one of less before a leaf of more, so that only
    # these two, 3 and 5, would both have to be the last
    tree = [split(1, 2), split(3, 4), split(5, 6), split(7, 8), Node(), split(9, 10)]
    v = [LogSum(n) if n else None for n in (5, 3, 3, 1, 0, 1, 0, 4, 0, 4, 0)]
    assert out_of_order([*tree, *[Node()] * 5], v) == OutOfOrder(4, 3, 5)


def test_a_run_passes_through_whichever_child_has_more() -> None:
    # below each of the tied nodes 1 and 2 stands one of more, of whose leaves one is worth more
    tree = [split(1, 2), split(3, 4), split(5, 6), split(7, 8), Node(), split(9, 10)]
    v = [LogSum(n) if n else None for n in (5, 1, 1, 3, 0, 3, 0, 0, 2, 0, 2)]
    assert out_of_order([*tree, *[Node()] * 5], v) == OutOfOrder(2, 1, 2)
