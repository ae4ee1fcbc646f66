"""Steps as they happen, and the values of a row for programs and for people."""

import itertools
import threading
import time
from collections.abc import Callable
from fractions import Fraction as F
from typing import cast

import pytest

from refmc.core.logs import Log
from refmc.oracle.rows import WIDEST, Root, each_step, readable, recorded

Report = Callable[[object], None]


def test_steps_are_looked_at_before_the_next_one_is_made() -> None:
    made = []

    def run(report: Report) -> None:
        for t in range(5):
            made.append(t)
            report(t)

    for t in each_step(run):
        assert made == list(range(t + 1))


def test_a_step_may_be_none_or_an_error() -> None:
    def run(report: Report) -> None:
        report(None)
        report(problem)

    problem = ValueError("a step, not raised")
    assert list(each_step(run)) == [None, problem]


def test_an_error_of_the_run_is_raised_after_its_steps() -> None:
    def run(report: Report) -> None:
        report(1)
        raise KeyError("late")

    steps = each_step(run)
    assert next(steps) == 1
    with pytest.raises(KeyError, match="late"):
        next(steps)


def test_a_run_that_nobody_watches_any_longer_ends() -> None:
    ended = threading.Event()

    def run(report: Report) -> None:
        try:
            for t in itertools.count():
                report(t)
        finally:
            ended.set()

    before = threading.active_count()
    assert list(itertools.islice(each_step(run), 3)) == [0, 1, 2]
    assert ended.wait(5)
    for _ in range(100):
        time.sleep(0.01 * (threading.active_count() > before))
    assert threading.active_count() == before


def test_what_is_recorded_is_exact_whatever_its_length() -> None:
    (text,) = cast("list[str]", recorded([F(1, 10**5_000)]))
    assert text == "1/1" + "0" * 5_000
    value = {"λ": Log([(3, F(1, 2))], base=2), "α": Log([(9, F(1, 2))]), "b": True, "n": None}
    assert recorded(value) == {
        "λ": {"log2": {"3": "1/2"}}, "α": {"ln": {"9": "1/2"}}, "b": True, "n": None,
    }  # fmt: skip
    assert recorded(Root(F(1, 2))) == {"sqrt": "1/2"}
    assert recorded((Log([(8, 1)], base=2), ((1, "a"),))) == ["3", [[1, "a"]]]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (F(1, 3), "1/3"),
        (F(864324319, 1851623844), "864324319/1851623844"),
        ((F(864324319, 1851623844),), "(~0.466793)"),
        (F(1, 3**40), "~8.22526e-20"),
        (F(0.1), "0.1"),  # the binary64 that a plain number denotes, as it was given
        (F(0.1) + F(1, 2**60), "~0.1"),
        (F(0.30000000000000004), "0.30000000000000004"),
        ((F(0.30000000000000004), F(0.1), F(1, 10)), "(~0.3, 0.1, 1/10)"),
        (F(2**80), "~1.20893e24"),
        (Log([(3, 1)], base=2), "~1.58496"),
        (Log([(4, F(1, 2))], base=2), "1"),
        (Log([(17, F(1, 2)), (3, F(-1, 2))]), "½ ln(17/3)"),
        (Log([(7, 3)]), "3 ln(7)"),
        (Log([(7, 1)]), "ln(7)"),
        (Log([(7, 3), (2, 1)]), "~6.53088"),
        (Log([(10**30 + 1, 1)]), "~69.0776"),
        (Root(F(9, 25)), "3/5"),
        (Root(F(1, 2)), "~0.707107"),
        (Root(F(1, 10**1_000 + 1)), "~1e-500"),
        ([], "-"),
        (None, "-"),
        (False, "no"),
        (["n0 x0 ≤ 1", "n0 x1 ≤ 2"], "n0 x0 ≤ 1; n0 x1 ≤ 2"),
        ({"a": 1, "b": F(-1, 2)}, "a 1; b -1/2"),
        ({}, "-"),
        ("a\nb\x1b[2J", "a?b?[2J"),
        (["x" * 100], "x" * 100),
        ([(F(1), F(2)), (F(0), F(0))], "(1, 2) (0, 0)"),
    ],
)
def test_what_people_read(value: object, text: str) -> None:
    assert readable(value) == text


def test_what_does_not_fit_is_counted() -> None:
    assert readable(list(range(100))) == "(0, 1, 2, 3, 4, 5, 6, 7, … 100 in all)"
    names = [f"λ_{i},a" for i in range(7)]
    assert readable(names) == "λ_0,a; λ_1,a; λ_2,a; λ_3,a; … 7 in all"
    assert readable(names[:5]) == "; ".join(names[:5])
    assert all(len(readable(list(range(n)))) <= WIDEST for n in range(60))
    assert readable(names, whole=100) == "; ".join(names)
    assert readable(names * 9, whole=100) == "λ_0,a; λ_1,a; λ_2,a; λ_3,a; … 63 in all"
    # seven places of room: "0, 0, " takes three a number, and the third would need nine
    assert readable([0] * 30, 7 + len("(… 30 in all)")) == "(0, 0, … 30 in all)"
    assert readable([0] * 30, 6 + len("(… 30 in all)")) == "(0, 0, … 30 in all)"
    assert readable([0] * 30, 5 + len("(… 30 in all)")) == "(0, … 30 in all)"
    assert readable([[0] * 30] * 2, 12) == "(0, … 30 in all) … 2 in all"
