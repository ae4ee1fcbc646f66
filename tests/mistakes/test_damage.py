"""Right answers with a few numbers changed at random: hardly any of them has a cause."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import pytest

from refmc.core.records import Record
from refmc.core.scalars import plain
from refmc.errors import RefmcError
from refmc.mistakes.explaining import explain
from refmc.mistakes.weights import belong_together
from refmc.suite import vectors

COUNTS = {"t", "leaves", "collapsed", "leaf_nodes", "number", "negative", "positive", "column"}
"""Fields of answers whose numbers are positions and counts, which no amount can be added to."""

NAMES = {"family", "classes", "labels", "label_sets", "label", "tied", "counts", "thresholds"}
"""Fields of answers that hold labels, or that nobody judges."""


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The paths of all numbers in nested lists and objects."""
    if isinstance(value, dict):
        inner = [(k, v) for k, v in value.items() if k not in COUNTS | NAMES]
    elif isinstance(value, list):
        inner = list(enumerate(value))
    else:
        return [path] if _number(value) is not None else []
    return [found for key, entry in inner for found in places(entry, (*path, key))]


def _number(value: object) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Fraction)):
        return None
    try:
        return Fraction(value)
    except (ValueError, OverflowError):
        return None


def damaged(answer: Any, draws: Random) -> Any:
    """The answer with one to three of its numbers changed by random amounts; None without any."""
    answer = plain(answer)
    numbers = places(answer)
    if not numbers:
        return None
    for path in draws.sample(numbers, min(len(numbers), draws.randint(1, 3))):
        by = Fraction(10) ** draws.randint(-5, 0) * Fraction(draws.uniform(-2, 2))
        answer = _with(answer, path, partial(_moved, by))
    return answer


def _moved(by: Fraction, value: Fraction) -> Fraction:
    return value + (abs(value) or 1) * by


def _with(value: Any, path: tuple[Any, ...], change: Callable[[Fraction], Fraction]) -> Any:
    if not path:
        return str(change(Fraction(value)))
    entry = _with(value[path[0]], path[1:], change)
    if isinstance(value, dict):
        return {**value, path[0]: entry}
    return [entry if i == path[0] else old for i, old in enumerate(value)]


def meant(answer: Any, draws: Random) -> Any:
    """The answer with one number doubled or negated, or a label exchanged, as people mean it."""
    answer = plain(answer)
    labels = answer.get("labels")
    if labels and draws.random() < 1 / 3 and len({*map(str, labels)}) > 1:
        i, j = draws.sample(range(len(labels)), 2)
        exchanged = [labels[j] if at == i else label for at, label in enumerate(labels)]
        return {**answer, "labels": exchanged}
    numbers = places(answer)
    if not numbers:
        return None
    factor = draws.choice((2, -1))
    return _with(answer, draws.choice(numbers), lambda value: value * factor)


def caused(
    count: int, seed: int, damaged: Callable[[Any, Random], Any] = damaged
) -> tuple[int, list[tuple[str, Record, str]]]:
    """So many damaged answers that are refuted: how many, and those that have a cause."""
    draws, known = Random(seed), [*vectors()]
    refuted, found = 0, []
    while refuted < count:
        vector = draws.choice(known)
        answer = damaged(vector.answer, draws)
        if answer is None or len(str(vector.problem)) > 800:
            continue
        try:
            diagnosis = explain(vector.problem, answer, stated=vector.stated)
        except RefmcError:  # no answer in the format any more
            continue
        if diagnosis.verdict.status == "REFUTED":
            refuted += 1
            if diagnosis.explanations:
                found.append((vector.id, answer, diagnosis.explanations[0].text()))
    return refuted, found


@pytest.mark.parametrize("count", [pytest.param(5_000, marks=pytest.mark.campaign)])
def test_at_most_one_in_a_hundred_damaged_answers_has_a_cause(count: int) -> None:
    refuted, found = caused(count, seed=1)
    told = "\n".join(f"{id}: {text}" for id, _, text in found)
    assert len(found) <= refuted / 100, told


@pytest.mark.parametrize("count", [pytest.param(1_000, marks=pytest.mark.campaign)])
def test_damage_that_people_could_have_meant_is_counted_apart(count: int) -> None:
    # many of these are answers that a named mistake gives, too: a negated threshold, a doubled rate
    refuted, found = caused(count, seed=1, damaged=meant)
    told = "\n".join(f"{id}: {text}" for id, _, text in found)
    assert len(found) <= refuted / 5, told


LINE: Record = {"X": [["1"], ["-1"]], "y": [1, -1]}


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        # without a bias these multipliers would be optimal, but for other weights
        ({"family": "svm.hard", **LINE}, {"w": ["1"], "b": "0", "alpha": ["1/2", "2047/4096"]}),
        (
            {"family": "svm.binary", **LINE, "C": "1"},
            {"w": ["1"], "b": "0", "alpha": ["1/2", "2049/4096"]},
        ),
    ],
)
def test_weights_and_multipliers_that_do_not_belong_together_have_no_cause(
    problem: Record, answer: Record
) -> None:
    diagnosis = explain(problem, answer)
    assert diagnosis.verdict.status == "REFUTED"
    assert diagnosis.explanations == ()


def test_weights_that_cancel_belong_to_their_multipliers_up_to_the_rounding_of_the_terms() -> None:
    problem: Record = {"family": "svm.multiclass", "X": [["1"], ["1"]], "y": [0, 1], "C": "1"}
    lam = [["1", "1"], ["1", "1"]]
    for W, belong in (("1/10000000000000", True), ("1/10000000000", False)):
        answer = {"W": [[W], ["0"]], "lam": lam}
        assert belong_together(problem, answer) is belong


def test_rows_that_weigh_nothing_have_no_multipliers_to_compare() -> None:
    vector = next(v for v in vectors() if v.id == "svm.hard/weights")
    by_name = {id: wrong.answer for wrong in vector.wrong for id in wrong.mistakes}
    for id in ("svm.bias_regularised", "svm.bias_toggled"):
        assert explain(vector.problem, by_name[id]).explanations[0].mistakes[0].id == id


def test_an_iterate_has_the_weights_that_its_multipliers_make() -> None:
    vector = next(v for v in vectors() if v.id == "svm.multiclass/three-points")
    right: Any = plain(vector.answer)
    W = [["2/3", "-1/3"], ["-1/3", "2/3"], ["-1/3", "-333/1000"]]
    diagnosis = explain(vector.problem, {**right, "W": W})
    assert diagnosis.verdict.status == "REFUTED"
    assert not any("svm.unfinished" in e.text() for e in diagnosis.explanations)


@pytest.mark.campaign
def test_a_run_is_followed_or_it_is_not() -> None:
    # the end is nearly the mean of these states
    vector = next(v for v in vectors() if v.id == "sgd.binary/classes")
    right: Any = plain(vector.answer)
    nearly = {**right, "w": ["2487/10000"], "trace": [["0"], ["4991/10000"]]}
    diagnosis = explain(vector.problem, nearly)
    assert diagnosis.verdict.status == "REFUTED"
    assert diagnosis.explanations == ()


def test_a_long_fraction_is_not_printed_with_few_digits() -> None:
    vector = next(v for v in vectors() if v.id == "bound.kernel_margin/two-classes")
    right: Any = plain(vector.answer)
    moved = {n: str(Fraction(right[n]) + Fraction(1, 99991)) for n in ("confidence", "total")}
    diagnosis = explain(vector.problem, {**right, "complexity": "0.8", **moved})
    assert diagnosis.verdict.status == "REFUTED"
    assert diagnosis.explanations == ()


def test_sides_are_exchanged_only_at_thresholds_that_somebody_puts() -> None:
    problem: Record = {"family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": [*"aab"]}
    for threshold, is_told in (("2", True), ("5/2", True), ("9/4", False)):
        root = {"question": {"column": 0, "threshold": threshold}, "positive": 2, "negative": 1}
        tree = {"nodes": [root, {"label": "a"}, {"label": "b"}]}
        told = [m.id for e in explain(problem, {"tree": tree}).explanations for m in e.mistakes]
        assert ("tree.sides_swapped" in told) is is_told
