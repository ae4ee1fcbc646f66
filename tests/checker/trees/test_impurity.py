"""Merits of cuts where all counts are powers of two, whose logarithms are whole numbers."""

from math import log2

import pytest

from refmc.checker.trees.impurity import Cut, ImpurityName, SortedRows, impurity_of
from refmc.checker.trees.splits import _highest

ONE = 1 << 32  # merits have 32 binary digits behind the point


def rows(*blocks: tuple[int, ...], min_leaf: int = 1) -> SortedRows:
    """For each block the weights of its rows, of the two classes in turn; 0 for none."""
    found = [(b, c % 2, w) for b, block in enumerate(blocks) for c, w in enumerate(block) if w]
    b, y, weights = zip(*found)
    counts = [sum(w for _, c, w in found if c == own) for own in (0, 1)]
    return SortedRows(range(len(found)), b, y, weights, counts, min_leaf, len(found) - min_leaf)


def cuts(name: ImpurityName, sample: SortedRows, slack: int | None) -> list[Cut]:
    return _highest(impurity_of(name).cuts(sample), slack)


def test_the_merit_of_a_cut_is_that_of_both_its_children() -> None:
    # (1, 1) and (4, 4): −2 and 8 + 8 − 24; 2/2 and 32/8; 1 and 4
    sample = rows((1, 1), (4, 4))
    assert cuts("entropy", sample, None) == [(-10 * ONE, 2)]
    assert cuts("gini", sample, None) == [(5 * ONE, 2)]
    assert cuts("misclassification", sample, None) == [(5, 2)]
    # (2, 2) of two rows each and (0, 4)
    sample = rows((1, 1, 1, 1), (0, 4))
    assert cuts("entropy", sample, None) == [(-4 * ONE, 4)]
    assert cuts("gini", sample, None) == [(6 * ONE, 4)]


# A cut after the first of the blocks (4, 0), (0, 4), (0, 4) leaves pure children, one after the
# second (4, 4): 0 and −8 for entropies; 4 + 8 and 4 + 4 for Gini
@pytest.mark.parametrize(("name", "best", "other"), [("entropy", 0, -8), ("gini", 12, 8)])
def test_cuts_within_the_slack_of_the_best_are_kept(
    name: ImpurityName, best: int, other: int
) -> None:
    for sample, first, second in (
        (rows((4, 0), (0, 4), (0, 4)), best, other), (rows((4, 0), (4, 0), (0, 4)), other, best),
    ):  # fmt: skip
        both = [(first * ONE, 1), (second * ONE, 2)]
        apart = (best - other) * ONE
        assert cuts(name, sample, None) == cuts(name, sample, apart) == both
        alone = [pair for pair in both if pair[0] == best * ONE]
        assert cuts(name, sample, apart - 1) == cuts(name, sample, 0) == alone


@pytest.mark.parametrize("name", ["entropy", "gini", "misclassification"])
def test_both_sides_of_a_cut_have_as_many_rows_as_a_leaf_needs(name: ImpurityName) -> None:
    blocks = [(1, 0)] * 5
    for min_leaf, kept in (1, [1, 2, 3, 4]), (2, [2, 3]), (3, []):
        assert [cut for _, cut in cuts(name, rows(*blocks, min_leaf=min_leaf), None)] == kept


def test_rounding_may_explain_a_difference_of_so_much() -> None:
    # a merit of Gini adds two numbers rounded down; one of entropies is off by 2 for each row
    slacks = [impurity_of(name).slack(8) for name in ("gini", "entropy", "misclassification")]
    assert slacks == [2, 32, 0]


@pytest.mark.parametrize("counts", [(3, 5), (6, 12), (7, 1)])
def test_the_merit_of_other_counts_is_near_that_of_floats(counts: tuple[int, int]) -> None:
    u, v = counts
    sample = rows((u, v), (1, 1))
    [(merit, _)] = cuts("entropy", sample, None)
    expected = u * log2(u) + v * log2(v) - (u + v) * log2(u + v) - 2
    assert merit / ONE == pytest.approx(expected, abs=1e-7)
