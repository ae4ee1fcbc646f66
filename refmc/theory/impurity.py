"""Measures of node impurity: Gini index, entropy, misclassification.

[lu, "Three Most Commonly Used Measures of Node Impurity"]. Each takes the class weights of a
node, whole numbers of rows or sums of row weights; only their proportions matter. Nothing is
rounded: Gini index and misclassification are Fractions, entropies are `Log`s in bits.

Differs from the lecture: 0·log 0 is 0, which the lecture leaves open. The lecture calls Gini
index and entropy strictly convex; they are strictly concave, and a split lowers them strictly
only when the class distributions of the children differ.

Legend: k classes, p_l = w_l/Σw the fraction of class l.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from refmc.core.logs import Log
from refmc.core.sample import in_whole_numbers
from refmc.core.scalars import exact_number, shown
from refmc.errors import ParameterError

Impurity = Callable[[Sequence[Any]], Any]
"""A function of the class weights of a node: a number or a `Log`."""


def gini(weights: Sequence[Any]) -> Fraction:
    """The Gini index Σ p_l (1 − p_l) of k class weights, exactly.

    Weights are non-negative and not all 0, else `ParameterError`. Between 0, for one class, and
    1 − 1/k. Cost: O(k). [lu, "Three Most Commonly Used Measures of Node Impurity"]

    >>> gini([1, 3])
    Fraction(3, 8)
    """
    exactly = _lifted(weights)
    size = sum(exactly)
    return Fraction(sum(w * (size - w) for w in exactly), size * size)


def misclassification(weights: Sequence[Any]) -> Fraction:
    """The fraction 1 − max p_l that the majority label gets wrong, exactly.

    Weights, errors and cost as for `gini`.
    [lu, "Three Most Commonly Used Measures of Node Impurity"]

    >>> misclassification([1, 3])
    Fraction(1, 4)
    """
    exactly = _lifted(weights)
    size = sum(exactly)
    return Fraction(size - max(exactly), size)


def entropy(weights: Sequence[Any]) -> Log:
    """The entropy −Σ p_l log2 p_l in bits, as an exact logarithm.

    Classes of weight 0 add nothing. Weights, errors and cost as for `gini`.
    [lu, "Three Most Commonly Used Measures of Node Impurity"]

    >>> print(entropy([1, 3]), "=", float(entropy([1, 3])))
    2 - 3/4·log2(3) = 0.8112781244591328
    """
    counts, _ = in_whole_numbers(_lifted(weights))
    size = sum(counts)
    shares = [(n, Fraction(-n, size)) for n in counts if n]
    return Log([(size, 1), *shares], base=2)


def _lifted(weights: Sequence[Any]) -> Sequence[int | Fraction]:
    """The weights, exactly."""
    lifted: Sequence[int | Fraction] = weights
    if not all(type(w) is int for w in weights):
        lifted = [exact_number(w, f"weights: position {i}") for i, w in enumerate(weights)]
    for position, weight in enumerate(lifted):
        if weight < 0:
            raise ParameterError(
                f"weights: position {position}: expected at least 0, got {shown(weight)}"
            )
    if not any(lifted):
        raise ParameterError("weights: expected at least one above 0, got none")
    return lifted
