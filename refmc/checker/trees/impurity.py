"""Three impurities of class weights, exactly and in whole numbers that settle most comparisons.

Covers [lu, "Three Most Commonly Used Measures of Node Impurity"].

    u        the weights of the classes at a node, whole numbers; |u| their sum
    risk     |u| F(u), where F is the impurity; it is concave, so a split never raises the sum

Comparing two splits of one node is comparing the sums of their children's risks, for all the rest
of the decrease is the node's own.  `merit` is minus the risk, up to a multiple of |u| and scaled to
whole numbers; splits whose merits are further apart than `slack` are ordered as their merits are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from operator import mul
from typing import Literal

from refmc.checker.numbers.logarithms import FIRST_BITS, LogSum, floor_log2, weighted_logs

ImpurityName = Literal["gini", "entropy", "misclassification"]


@dataclass(frozen=True)
class Impurity:
    """`merit(u, |u|)`, `slack(|node|)` for the merits of its children, and the exact risk."""

    name: ImpurityName
    merit: Callable[[Sequence[int], int], int]
    slack: Callable[[int], int]
    risk: Callable[[Sequence[int]], LogSum]


def _gini_merit(u: Sequence[int], size: int) -> int:
    squares: int = sum(map(mul, u, u))
    return (squares << FIRST_BITS) // size


def _gini_risk(u: Sequence[int]) -> LogSum:
    size = sum(u)
    return LogSum(size - Fraction(sum(map(mul, u, u)), size) if size else 0)


def _misclassification_merit(u: Sequence[int], size: int) -> int:
    return max(u)


def _misclassification_risk(u: Sequence[int]) -> LogSum:
    return LogSum(sum(u) - max(u))


def _entropy_merit(u: Sequence[int], size: int) -> int:
    logs = sum([c * floor_log2(c, FIRST_BITS) for c in u if c])
    return logs - size * floor_log2(size, FIRST_BITS)


def _entropy_risk(u: Sequence[int]) -> LogSum:
    size = sum(u)
    return weighted_logs([(size, size), *((-c, c) for c in u if c)] if size else [])


GINI = Impurity("gini", _gini_merit, lambda size: 2, _gini_risk)
MISCLASSIFICATION = Impurity(
    "misclassification", _misclassification_merit, lambda size: 0, _misclassification_risk
)
# each logarithm is short by less than 2 units, so each child's merit is off by less than 2 |u|
ENTROPY = Impurity("entropy", _entropy_merit, lambda size: 4 * size, _entropy_risk)

IMPURITIES = {each.name: each for each in (GINI, MISCLASSIFICATION, ENTROPY)}
