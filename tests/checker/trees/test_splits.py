"""The best question of a node, against all partitions one by one."""

from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import combinations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc.checker.numbers.logarithms import weighted_logs
from refmc.checker.trees import splits as tree_splits
from refmc.checker.trees.data import Sample, Threshold, Value, prepare
from refmc.checker.trees.impurity import ENTROPY, GINI, IMPURITIES, MISCLASSIFICATION, ImpurityName
from refmc.checker.trees.splits import best_split, parts_of

names = st.sampled_from(sorted(IMPURITIES))


@st.composite
def samples(draw: st.DrawFn) -> Sample:
    m = draw(st.integers(1, 8))
    numeric = st.lists(st.integers(0, 3), min_size=m, max_size=m)
    category = st.lists(st.sampled_from("abcde"), min_size=m, max_size=m)
    columns = [draw(numeric), draw(category), draw(category)][: draw(st.integers(1, 3))]
    weights = draw(st.none() | st.lists(st.integers(1, 3), min_size=m, max_size=m))
    k = draw(st.integers(1, 3))
    y = draw(st.lists(st.integers(0, k - 1), min_size=m, max_size=m))
    return Sample(X=list(zip(*columns, strict=True)), y=y, k=k, weights=weights)


def partitions(rows: Sequence[Sequence[Value]]) -> Iterator[set[int]]:
    """The rows on one side, for every question of every column."""
    for j in range(len(rows[0])):
        values = sorted({row[j] for row in rows}, key=str)
        if isinstance(values[0], str):
            sides = [set(c) for n in range(1, len(values)) for c in combinations(values, n)]
        else:
            sides = [{v for v in values if str(v) <= str(a)} for a in values[:-1]]
        for side in sides:
            yield {i for i, row in enumerate(rows) if row[j] in side}


def risk(name: ImpurityName, u: Sequence[int]) -> F:
    """|u| F(u), for the entropy 2 to this power: products then stand for sums."""
    n = sum(u)
    if name == "entropy":
        return F(n**n, prod(c**c for c in u))
    if name == "misclassification" or n == 0:
        return F(n - max(u))
    return n * sum((F(c, n) * (1 - F(c, n)) for c in u), F(0))


def left(name: ImpurityName, sample: Sample, side: set[int]) -> F:
    weights = sample.weights or [1] * len(sample.y)
    sides = side, set(range(len(sample.y))) - side
    risks = [
        risk(name, [sum(int(weights[i]) for i in s if sample.y[i] == c) for c in range(sample.k)])
        for s in sides
    ]
    return risks[0] * risks[1] if name == "entropy" else risks[0] + risks[1]


@given(samples(), names, st.integers(1, 3))
def test_no_partition_leaves_less_than_the_best_split(
    sample: Sample, name: ImpurityName, min_leaf: int
) -> None:
    m = len(sample.y)
    admitted = [s for s in partitions(sample.X) if min_leaf <= len(s) <= m - min_leaf]
    data = prepare(sample)
    search = best_split(data, range(m), IMPURITIES[name], min_leaf)
    assert not search.untried and (search.best is None) == (not admitted)
    if search.best is None:
        return
    no, yes = data.split(search.best.question, range(m))
    least = min(left(name, sample, side) for side in admitted)
    assert left(name, sample, set(yes)) == least
    assert parts_of(data, no, yes) == search.best.parts
    if name != "entropy":
        assert search.best.risk.rational == least and not search.best.risk.logs


@given(samples())
def test_the_entropy_left_is_the_logarithm_of_the_product(sample: Sample) -> None:
    search = best_split(prepare(sample), range(len(sample.y)), ENTROPY, 1)
    if search.best is not None:
        least = min(left("entropy", sample, side) for side in partitions(sample.X))
        terms = [(1, least.numerator), (-1, least.denominator)]
        assert search.best.risk == weighted_logs(terms)


def test_a_constant_column_has_no_question() -> None:
    data = prepare(Sample(X=[[5, "a"], [5, "a"]], y=(0, 1), k=2))
    assert best_split(data, range(2), GINI, 1).best is None


def test_only_values_of_the_nodes_own_rows_make_questions() -> None:
    data = prepare(Sample(X=[[1], [2], [3], [4]], y=(0, 1, 0, 1), k=2))
    assert best_split(data, [0], GINI, 1).best is None
    found = best_split(data, [1, 3], GINI, 1).best
    assert found is not None and found.question == Threshold(0, 2)


def test_a_threshold_is_worded_as_the_middle_on_request() -> None:
    data = prepare(Sample(X=[[1], [4]], y=(0, 1), k=2))
    found = best_split(data, range(2), GINI, 1, midpoints=True).best
    assert found is not None and found.question == Threshold(0, F(5, 2))


def test_thirty_values_of_two_classes_are_all_tried_by_their_order() -> None:
    X = [[f"v{i % 30:02}"] for i in range(300)]
    y = [int(i * i % 30 < i // 30 * 3) for i in range(300)]
    search = best_split(prepare(Sample(X=X, y=y, k=2)), range(300), GINI, 1)
    assert search.best is not None and not search.untried


def test_thirty_values_that_are_pure_come_down_to_their_classes() -> None:
    X = [[f"v{i:02}"] for i in range(30)]
    sample = Sample(X=X, y=[i % 3 for i in range(30)], k=3)
    search = best_split(prepare(sample), range(30), GINI, 1)
    assert not search.untried and search.best is not None
    assert search.best.parts == ((10,), (10, 10))


def test_too_many_sets_are_named_as_untried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_splits, "MOST_SUBSETS", 8)
    rows = [
        (v, c)
        for g, v in enumerate("abcdefgh")
        for c, n in enumerate((g + 1, 1, g * g % 7 + 1))
        for _ in range(n)
    ]
    sample = Sample(X=[[v] for v, _ in rows], y=[c for _, c in rows], k=3)
    search = best_split(prepare(sample), range(len(rows)), GINI, 1)
    assert search.untried == "x0" and search.best is not None


def test_splits_that_gain_nothing_by_misclassification_are_all_tied() -> None:
    X = [[1], [0], [1], [1], *([0] for _ in range(6))]
    sample = Sample(X=X, y=(1, 1, *(0,) * 8), k=2)
    found = best_split(prepare(sample), range(10), MISCLASSIFICATION, 1).best
    assert found is not None and found.risk.rational == 2
