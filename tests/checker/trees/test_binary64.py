"""Thresholds that came as floats: compared as programs in binary64 do, and only so."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from math import nextafter

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from refmc.checker.trees.binary64 import allowing_for_binary64, as_floats, has_floats
from refmc.checker.trees.data import Linear, Node, Sample, Threshold, in_binary64, prepare, says_yes
from refmc.checker.trees.grow import GrowthProblem, judge
from refmc.checker.verdict import Verdict

LEAF = Node()


def grown(threshold: Threshold) -> list[Node]:
    return [Node(threshold, 1, 2), LEAF, LEAF]


def verdict(X: Sequence[str], tree: Sequence[Node]) -> Verdict:
    problem = GrowthProblem(
        sample=Sample(X=[[F(v)] for v in X], y=tuple(range(len(X))), k=len(X)), max_splits=1
    )

    def judged(X: Sequence[Sequence[F | int | str]]) -> Verdict:
        return judge(replace(problem, sample=replace(problem.sample, X=X)), tree)

    return allowing_for_binary64(judged, problem.sample.X, has_floats(tree))


def asked(t: float, strict: bool = False) -> list[Node]:
    return grown(Threshold(0, F(t), strict, is_float=True))


def test_a_float_threshold_is_compared_with_the_float_of_each_value() -> None:
    # 0.3 as a binary64 is below 3/10, and 0.1 is above 1/10
    assert verdict(["0.3", "0.4"], asked(0.3))
    assert not verdict(["0.3", "0.4"], grown(Threshold(0, F(0.3))))
    assert verdict(["0.2", "0.3"], asked(0.3)).status == "REFUTED"  # both answer yes
    assert verdict(["0.2", "0.3"], grown(Threshold(0, F(0.3))))
    assert verdict(["0.2", "0.3"], asked(0.3, strict=True))
    assert verdict(["0.1", "0.2"], asked(0.1, strict=True)).status == "REFUTED"
    assert verdict(["0.1", "0.2"], asked(nextafter(0.1, 1), strict=True))


@given(st.floats(-1e308, 1e308), st.integers(-3, 3), st.booleans())
def test_a_row_and_a_column_answer_as_floats_compare(t: float, off: int, strict: bool) -> None:
    half = (F(t) - F(nextafter(t, 0.0))) / 4
    values = [F(t) + half * n for n in range(off - 2, off + 3)]
    question = Threshold(0, F(t), strict, is_float=True)
    data = prepare(Sample(X=[[v] for v in values], y=(0,) * 5, k=1))
    right = [i for i, v in enumerate(values) if (float(v) < t if strict else float(v) <= t)]
    assert data.split(question, range(5))[1] == right
    assert [i for i, v in enumerate(values) if says_yes(question, [v])] == right


def test_beyond_binary64_every_value_is_infinite() -> None:
    assert verdict(["-1e400", "1e400"], asked(1.7e308))
    assert verdict(["1.7e308", "1e400"], asked(1.7e308))
    assert in_binary64(F(10) ** 400) == in_binary64(F(10) ** 500) == 2**1024
    assert in_binary64(F(-1, 10**400)) == 0


def test_values_that_are_one_float_are_noted_and_leave_open_what_only_they_make_wrong() -> None:
    twins = ["0.3", "0.30000000000000001", "0.4"]  # of three labels: the first two can't be parted
    note = "rows 0 and 1 have one value of column 0 in binary64"
    found = verdict(twins, asked(0.3))
    assert found and found.hint == note  # as good as the other question
    deep = [Node(Threshold(0, F(0.3), is_float=True), 1, 2), LEAF, LEAF]
    problem = GrowthProblem(sample=Sample(X=[[F(v)] for v in twins], y=(0, 1, 2), k=3))

    def judged(X: Sequence[Sequence[F | int | str]]) -> Verdict:
        return judge(replace(problem, sample=replace(problem.sample, X=X)), deep)

    found = allowing_for_binary64(judged, problem.sample.X, True)
    assert found.status == "INCONCLUSIVE" and found.hint == note
    assert "is a leaf" in found.violations[0].text
    assert allowing_for_binary64(judged, problem.sample.X, False).status == "REFUTED"
    wrong = verdict(twins, asked(0.4))
    assert wrong.status == "REFUTED" and wrong.hint == note


def test_other_columns_and_equal_values_are_not_noted() -> None:
    X: list[list[F | int | str]] = [["a", F(1)], ["b", F(1)], ["a", F("0.3")]]
    right = Verdict("VERIFIED", "f", "", None, F(0), None)
    assert allowing_for_binary64(lambda rows: right, X, True) == right
    X[1][1] = F("1.00000000000000000001")
    hint = allowing_for_binary64(lambda rows: right, X, True).hint
    assert hint == "rows 0 and 1 have one value of column 1 in binary64"
    X = [[F("1.00000000000000000001")], [F(3)], [F(1)]]  # the smaller of the two stands last
    hint = allowing_for_binary64(lambda rows: right, X, True).hint
    assert hint == "rows 0 and 2 have one value of column 0 in binary64"


def test_the_trees_of_a_program_in_floats_have_floats_alone() -> None:
    linear = Node(Linear((F(1),), F("0.1")), 1, 2)
    tree = [Node(Threshold(0, F("0.1"), strict=True), 1, 2), linear, LEAF]
    assert as_floats(tree) == [
        Node(Threshold(0, F(0.1), strict=True, is_float=True), 1, 2), linear, LEAF,
    ]  # fmt: skip
    assert has_floats(as_floats(tree)) and not has_floats(tree)


@given(st.integers(-(2**70), 2**70), st.integers(1, 2**70), st.integers(-1150, 1030))
@example(2**53 + 1, 1, 0)  # midway between two: the even one
@example(2**53 + 3, 1, 0)
@example(2**54 - 1, 1, 970)  # midway between the largest and infinity
@example(2**55 - 3, 1, 969)  # next to it, below
@example(1, 1, -1075)  # midway between 0 and the least
@example(3, 1, -1075)
@example(0, 1, 0)
def test_the_binary64_of_a_number_is_that_of_python(n: int, d: int, power: int) -> None:
    number = F(n, d) * F(2) ** power
    try:
        right = F(float(number))
    except OverflowError:
        right = F(2**1024 if n > 0 else -(2**1024))
    assert in_binary64(number) == right


@pytest.mark.parametrize("value", ["0.1", "0.3", "1e-400", "-7", "123456789.123456789"])
def test_the_binary64_of_a_decimal_is_that_of_its_text(value: str) -> None:
    assert in_binary64(F(value)) == F(float(value))


def test_an_exact_threshold_beside_a_float_one_is_compared_exactly() -> None:
    # x ≤ 1/10 parts 0.05 from 0.1 as doubles only, of which the second is above 1/10
    tree = [Node(Threshold(0, F(1), is_float=True), 1, 2), Node(Threshold(0, F(1, 10)), 3, 4)]
    problem = GrowthProblem(sample=Sample(X=[["0.05"], ["0.1"], [3]], y=(0, 1, 2), k=3))
    X: list[list[F | int | str]] = [[F("0.05")], [F("0.1")], [F(3)]]

    def judged(X: Sequence[Sequence[F | int | str]]) -> Verdict:
        sample = replace(problem.sample, X=X)
        return judge(replace(problem, sample=sample), [*tree, LEAF, LEAF, LEAF])

    assert allowing_for_binary64(judged, X, True).status == "REFUTED"


def test_a_third_is_no_binary64_and_rows_without_weight_are_none() -> None:
    for number in (F(1, 3), F(1, 7), F(5, 3)):
        assert in_binary64(number) == F(float(number)) != number
    assert in_binary64(F(4, 3 * 2**1074)) == F(1, 2**1074)  # no float is between
    sample = Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2, weights=[1, 0, 2])
    assert list(prepare(sample).sample.X) == [[1], [3]]
