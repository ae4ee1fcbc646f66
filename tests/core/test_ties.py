"""Sets of optimal choices and the policies that pick from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.core.ties import Values, argmax_set, argmin_set, first, last, refuse
from refmc.errors import DataError, TieError
from tests.support import Array

FEW = st.integers(-2, 2).map(lambda n: Fraction(n, 2))
POSITIONS = st.sets(st.integers(0, 9), min_size=1).map(lambda s: tuple(sorted(s)))


def by_sorting(values: Sequence[float] | Sequence[Fraction], sign: int) -> tuple[int, ...]:
    """The definition by the whole order: positions of the values equal to the sorted first."""
    ranked = sorted(range(len(values)), key=lambda i: sign * values[i])
    return tuple(sorted(i for i in ranked if values[i] == values[ranked[0]]))


@given(st.lists(FEW, min_size=1))
def test_the_sets_are_those_of_the_sorted_definition(values: list[Fraction]) -> None:
    assert argmax_set(values) == by_sorting(values, -1)
    assert argmin_set(values) == by_sorting(values, 1)


@given(st.lists(st.floats(allow_nan=False), min_size=1))
def test_floats_with_infinities_and_signed_zeros_have_exact_ties(values: list[float]) -> None:
    assert argmax_set(values) == by_sorting(values, -1)
    assert argmax_set([-value for value in values]) == argmin_set(values)


@given(st.lists(FEW, min_size=1), st.randoms(use_true_random=False))
def test_reordering_the_values_reorders_the_set(values: list[Fraction], random: Random) -> None:
    order = list(range(len(values)))
    random.shuffle(order)
    moved = argmax_set([values[i] for i in order])
    assert tuple(sorted(order[i] for i in moved)) == argmax_set(values)


def test_zeros_of_both_signs_tie() -> None:
    assert argmax_set([-0.0, 0.0]) == (0, 1)


def test_neighbouring_floats_do_not_tie() -> None:
    assert argmax_set([1.0, math.nextafter(1.0, 2.0)]) == (1,)


def test_a_fraction_beside_a_float_is_compared_exactly() -> None:
    mixed = cast("Sequence[float]", [Fraction(1, 10), 0.1])
    assert argmax_set(mixed) == (1,)  # 0.1 is a little more than a tenth
    assert argmax_set(cast("Sequence[float]", [Fraction(1, 2), 0.5])) == (0, 1)


@dataclass(frozen=True)
class Weight:
    """A value that knows == and < only."""

    grams: int

    def __lt__(self, other: Weight, /) -> bool:
        return self.grams < other.grams


def test_values_need_no_more_than_equality_and_less_than() -> None:
    weights = [Weight(2), Weight(1), Weight(2)]
    assert argmax_set(weights) == (0, 2)
    assert argmin_set(weights) == (1,)


def test_arrays_are_read_as_lists() -> None:
    assert argmax_set(Array([1.0, 3.0, 3.0])) == (1, 2)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ([], "at least one"),
        ([0.0, math.nan], "position 1: NaN"),
        ([math.nan], "position 0: NaN"),
        ([Decimal("sNaN"), 1], "position 0: NaN"),
        ([[Decimal("NaN"), 1], [1, 2]], "the values have no order"),
        ("ab", "sequence"),
        ({1, 2}, "sequence"),
        (iter([1]), "sequence"),
        (3, "sequence"),
        ([1j, 2j], "no order"),
        ([1, "a"], "no order"),
    ],
)
def test_values_without_an_order_are_refused(bad: object, reason: str) -> None:
    for choose in (argmax_set, argmin_set):
        with pytest.raises(DataError, match=reason):
            choose(cast(Values, bad))


@given(POSITIONS)
def test_policies_pick_one_of_the_tied(tied: tuple[int, ...]) -> None:
    assert first(tied) == min(tied)
    assert last(tied) == max(tied)


@given(POSITIONS)
def test_refuse_raises_with_the_tied_positions_unless_there_is_one(tied: tuple[int, ...]) -> None:
    if len(tied) == 1:
        assert refuse(tied) == tied[0]
        return
    with pytest.raises(TieError) as tie:
        refuse(tied)
    assert tie.value.tied == tied
    assert ", ".join(map(str, tied)) in str(tie.value)
