"""Impurities against their definitions, and concavity."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.logs import Log
from refmc.errors import ParameterError
from refmc.lectures import lu
from refmc.theory.impurity import Impurity, entropy, gini, misclassification
from tests.drawn import ratios

F = Fraction

COUNTS = st.lists(st.integers(0, 9), min_size=1, max_size=4).filter(any)
TWO_NODES = st.integers(1, 4).flatmap(
    lambda k: st.tuples(*[st.lists(st.integers(0, 9), min_size=k, max_size=k).filter(any)] * 2)
)
MEASURES = st.sampled_from([gini, entropy, misclassification])


@given(COUNTS)
def test_each_measure_follows_its_definition(counts: list[int]) -> None:
    p = [F(n, sum(counts)) for n in counts]
    assert gini(counts) == lu.gini(p)
    assert misclassification(counts) == lu.misclassification(p)
    assert entropy(counts) == Log([(lu.entropy(p).a, lu.entropy(p).n)], base=2)
    assert math.isclose(
        float(entropy(counts)), -sum(x * math.log2(x) for x in p if x), abs_tol=1e-12
    )


@given(COUNTS, MEASURES)
def test_a_measure_is_zero_for_one_class_only(counts: list[int], measure: Impurity) -> None:
    assert (measure(counts) == 0) == (sum(map(bool, counts)) == 1)
    assert measure(counts) >= 0


@given(COUNTS)
def test_gini_and_entropy_bound_misclassification_from_above(counts: list[int]) -> None:
    assert misclassification(counts) <= gini(counts)
    assert entropy(counts) >= misclassification(counts)


@given(TWO_NODES)
def test_strict_concavity_holds_exactly_where_the_children_differ(
    children: tuple[list[int], list[int]],
) -> None:
    left, right = children
    both = [a + b for a, b in zip(left, right)]
    eta = F(sum(left), sum(both))
    alike = all(a * sum(right) == b * sum(left) for a, b in zip(left, right))
    for measure in (gini, entropy):
        decrease = measure(both) - (measure(left) * eta + measure(right) * (1 - eta))
        assert decrease == 0 if alike else decrease > 0
    assert misclassification(both) >= misclassification(left) * eta + misclassification(right) * (
        1 - eta
    )


@given(COUNTS, ratios(F(1, 9), 9, 9), MEASURES)
def test_only_proportions_matter(counts: list[int], scale: Fraction, measure: Impurity) -> None:
    assert measure([n * scale for n in counts]) == measure(counts)


@pytest.mark.parametrize("measure", [gini, entropy, misclassification])
def test_weights_that_make_no_node_are_refused(measure: Impurity) -> None:
    with pytest.raises(ParameterError, match="at least one above 0"):
        measure([0, 0])
    with pytest.raises(ParameterError, match="position 1"):
        measure([1, -1])
    with pytest.raises(ParameterError, match="position 0"):
        measure([math.nan, 1])


def test_float_weights_are_the_binary_fractions_that_they_are() -> None:
    assert gini([0.5, 1.5]) == F(3, 8)
    assert gini([0.1, 0.3]) != F(3, 8)
