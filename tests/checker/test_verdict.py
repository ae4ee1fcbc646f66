"""Verdicts and the printing of exact numbers."""

import json
import pickle
from copy import deepcopy
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction as F
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker import Verdict, Violation
from refmc.checker.parts import Ranged, bounded_claim, ranged_claim
from refmc.checker.printing import (
    allowed_text,
    decimal_text,
    digits_correct,
    gap_text,
    is_long,
    number_text,
    short_text,
)
from refmc.checker.verdict import Place, Status

ratios = st.builds(F, st.integers(), st.integers(1, 10**6))


def example(
    gap: F | None = F(11, 24), digits: float | None = None, status: Status = "REFUTED"
) -> Verdict:
    place = Place("row 0 against class 1", {"row": 0, "class": "1"})
    wrong = Violation(place, "margin 3/4, needs 1", F(1, 4))
    hint = "an answer to C = 1/3 fits with gap 0"
    summary = "3 rows, 3 classes, C = 1"
    return Verdict(status, "svm.multiclass", summary, gap, F(1, 10**6), digits, (wrong,), hint)


def test_a_refutation_reads_exactly_as_designed() -> None:
    assert example().explain() == (
        "REFUTED  svm.multiclass  3 rows, 3 classes, C = 1\n"
        "  gap      11/24 (4.6e-1); allowed 1e-6\n"
        "  worst    row 0 against class 1: margin 3/4, needs 1\n"
        "  hint     an answer to C = 1/3 fits with gap 0"
    )


def test_digits_stand_below_the_gap() -> None:
    lines = example(digits=0.3).explain().splitlines()
    assert lines[2] == "  digits   0.3 correct in the objective"


def test_a_gap_of_zero_has_all_digits() -> None:
    right = replace(example(gap=F(0), digits=inf), status="VERIFIED")
    lines = right.explain().splitlines()
    assert lines[1:3] == [
        "  gap      0 (exactly right); allowed 1e-6",
        "  digits   all (the gap is exactly 0)",
    ]


def test_lines_that_do_not_apply_are_left_out() -> None:
    bare = Verdict("VERIFIED", "svm.multiclass", "1 row", None, F(0), None)
    assert bare.explain() == "VERIFIED  svm.multiclass  1 row"


def test_a_line_that_is_too_long_is_cut() -> None:
    wrong = Violation("Gram matrix", "1, " * 5000, F(1))
    text = Verdict("INCONCLUSIVE", "f", "s", None, F(0), None, (wrong,)).explain()
    assert text.endswith("1, ...") and len(text) < 450


@pytest.mark.parametrize("status", ["VERIFIED", "REFUTED", "INCONCLUSIVE"])
def test_only_a_verified_verdict_is_true(status: Status) -> None:
    assert bool(example(status=status)) is (status == "VERIFIED")


def test_json_survives_a_round_trip() -> None:
    plain = example(digits=0.3).to_json()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["gap"] == "11/24" and plain["gap_decimal"] == "4.6e-1"
    assert plain["allowed"] == "1/1000000" and plain["digits"] == 0.3
    assert plain["violations"] == [
        {
            "place": "row 0 against class 1",
            "at": {"row": 0, "class": "1"},
            "text": "margin 3/4, needs 1",
            "amount": "1/4",
        }
    ]


def test_a_place_is_words_with_the_same_for_programs_even_when_copied() -> None:
    place = Place("row 0 against class 1", {"row": 0, "class": "1"})
    for copied in (deepcopy(place), pickle.loads(pickle.dumps(place))):
        assert copied == "row 0 against class 1" and copied.at == {"row": 0, "class": "1"}
    assert Violation("all rows", "sum to 1", F(1)).at == {}


def test_json_of_infinite_digits_and_of_no_gap_is_legal() -> None:
    assert json.loads(json.dumps(example(digits=inf).to_json(), allow_nan=False))["digits"] == "all"
    none = json.loads(json.dumps(example(gap=None).to_json(), allow_nan=False))
    assert none["gap"] is None and none["gap_decimal"] is None and none["digits"] is None


def test_numbers_of_thousands_of_digits_are_printed() -> None:
    q = F(10**5000 + 1, 3)
    assert number_text(q) == "1" + "0" * 4999 + "1/3"
    assert decimal_text(q) == "3.3e4999" == gap_text(q)
    assert short_text(q) == "~3.33333e4999"
    huge = example(gap=q, digits=digits_correct(1 / q, q))
    assert "3.3e4999; allowed 1e-6" in huge.explain()
    assert huge.to_json()["gap"] == number_text(q)
    assert huge.digits == 9999.0


@given(ratios)
def test_the_exact_text_is_read_back_as_the_same_number(q: F) -> None:
    assert F(number_text(q)) == q


@given(ratios, st.integers(-400, 400))
def test_the_decimal_text_is_within_half_a_unit_of_its_last_digit(q: F, power: int) -> None:
    q *= F(10) ** power
    printed = F(decimal_text(q))
    if q == 0:
        assert decimal_text(q) == "0"
    else:
        unit = F(10) ** (Decimal(decimal_text(q)).adjusted() - 1)
        assert abs(printed - q) <= unit / 2


@pytest.mark.parametrize(
    ("q", "text"),
    [
        (F(0), "0"),
        (F(1), "1"),
        (F(1, 10), "1e-1"),
        (F(1, 1000), "1e-3"),
        (F(3, 1000), "3/1000"),
        (F(1, 101), "1/101"),
        (F(10), "10"),
        (F(1, 10**6000), "1e-6000"),
    ],
)
def test_allowed_gaps_print_as_powers_of_ten_where_they_are(q: F, text: str) -> None:
    assert allowed_text(q) == text


def test_digits_are_counted_relative_to_the_objective() -> None:
    assert digits_correct(F(1, 10**6), F(1)) == 6.0
    assert digits_correct(F(1, 10**6), F(1000)) == 9.0
    assert digits_correct(F(0), F(0)) == inf
    assert digits_correct(F(1), F(0)) is None
    assert digits_correct(F(5), F(1)) == 0.0


def test_a_number_known_between_bounds_is_refuted_by_the_most_its_scale_can_be() -> None:
    low, high, scales = F(3, 2), F(2), (F(1), F(2))
    part = bounded_claim("objective", F(1), low, high, F(1, 5), scales, "the optimum")
    assert part.status == "REFUTED" and part.gap == F(1) and part.scale == F(2)
    assert part.violations[0].text == "1, but the optimum is between 3/2 and 2"
    assert bounded_claim("objective", F(1), low, high, F(1, 4), scales).status == "INCONCLUSIVE"
    assert bounded_claim("objective", F(1), low, high, F(99, 100), scales).status == "INCONCLUSIVE"
    assert bounded_claim("objective", F(1), low, high, F(1), scales).status == "VERIFIED"


def test_a_claim_may_be_anywhere_in_the_range_that_its_terms_leave() -> None:
    ranged = Ranged.of(F(1), F(2), F(1, 4))  # 1/2 to 3/2
    for claim in (F(1, 2), F(1), F(3, 2)):
        assert ranged_claim("sum", claim, ranged).status == "VERIFIED"
    for claim in (F(1, 2) - F(1, 10**30), F(3, 2) + F(1, 10**30)):
        assert ranged_claim("sum", claim, ranged).status == "REFUTED"


def test_the_distance_of_weights_is_the_root_of_twice_its_half_square() -> None:
    near = Verdict("VERIFIED", "f", "", F(2), F(2), None, apart=F(2))
    assert near.to_json()["distance"] == "2.1e0"  # just above the root of 4
    assert "within 2.1e0 of the optimal ones" in near.explain()


def test_a_long_integer_that_floats_can_hold_is_printed_as_others_are() -> None:
    assert not is_long(10**19) and is_long(10**20)
    assert short_text(10**22) == "1e22" and short_text(10**23) == "1e23"


@pytest.mark.parametrize(("least", "told"), [(F(0), ""), (F(1, 8), ", relative at least 6.2e-2")])
def test_a_gap_whose_least_amount_is_known_is_told_by_that(least: F, told: str) -> None:
    verdict = Verdict("REFUTED", "svm.binary", "", F(1), F(1, 10**6), None, scale=F(2), least=least)
    assert f"gap      1{told}; allowed 1e-6" in verdict.explain()


@pytest.mark.parametrize(("explained", "is_told"), [(F(1, 1000), True), (F(1, 1001), False)])
def test_rounding_is_told_from_a_thousandth_of_the_gap_on(explained: F, is_told: bool) -> None:
    verdict = Verdict("REFUTED", "svm.binary", "", F(1), F(1), None, explained=explained)
    assert ("  rounding explains " in verdict.explain()) == is_told


def test_a_double_is_written_as_the_decimal_that_denotes_it() -> None:
    assert short_text(F(1_234_567, 2), longest=8) == "617283.5"
    assert short_text(F(0.1)) == "0.1" and short_text(F(0.1) + F(1, 10**30)).startswith("~")


def test_no_gap_has_no_relative_size() -> None:
    assert Verdict("INCONCLUSIVE", "f", "", None, F(0), None, scale=F(1)).relative is None


def test_texts_of_400_characters_are_shown_whole_and_longer_ones_up_to_a_word() -> None:
    words = "nine more " * 40
    for text, shown in ((words[:-1] + "!", words[:-1] + "!"), (words + "!", words[:-1] + " ...")):
        verdict = Verdict("INCONCLUSIVE", "f", "", None, F(0), None, hint=text)
        assert verdict.explain().endswith("  hint     " + shown)
