"""Is a label one of those that are right most often at a node, or one of the cheapest?

Covers [lu, "Training a Binary Decision Tree with a Greedy Algorithm"] and the costs of mistakes of
[lu, "Multi-Class Classification Problem"].
"""

from collections.abc import Sequence
from fractions import Fraction

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.trees.data import Data


def label_fault(
    data: Data, label: int, counts: Sequence[int], costs: Sequence[Fraction]
) -> tuple[str, Fraction] | None:
    """What is wrong about a label, and what it loses for each row of the node; None if it is right.

    `counts`, `costs`: what `Data.counts` and `Data.costs` give for the rows of the node.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2))
    >>> label_fault(data, 0, [1, 2], [])
    ('label 0 has weight 1, but 1 has 2', Fraction(1, 3))
    """
    name = data.sample.class_text
    if data.sample.costs is None:
        most = counts.index(max(counts))
        if counts[label] == counts[most]:
            return None
        own, other = (LogSum(counts[c] * data.unit).text() for c in (label, most))
        text = f"label {name(label)} has weight {own}, but {name(most)} has {other}"
        return text, Fraction(counts[most] - counts[label], sum(counts))
    least = costs.index(min(costs))
    if costs[label] == costs[least]:
        return None
    own, other = (LogSum(costs[c] * data.unit).text() for c in (label, least))
    text = f"label {name(label)} costs {own}, but {name(least)} costs {other}"
    return text, (costs[label] - costs[least]) / sum(counts)
