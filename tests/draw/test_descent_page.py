"""The gap of SGD to the certified optimum, with costs and the sum form, beside its bound."""

import math
from fractions import Fraction
from functools import cache
from itertools import pairwise
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest

from refmc import FormatError, ParameterError, check, draw_problem, solve_problem
from refmc.draw.descent_page import descent

# Rows of three classes, of which the last is told apart from neither
DRAWN = Random(5)
RUN: dict[str, Any] = {
    "family": "sgd.multiclass",
    "X": [[2, 0, 1], [1, 1, 1], [0, 2, 1], [-1, 1, 1], [1, 0, 1], [0, 1, 1]],
    "y": ["a", "a", "b", "b", "c", "c"],
    "lam": "1/4",
    "draws": [DRAWN.randrange(6) for _ in range(4096)],
    "loss": "sum_form",
    "cost": [["0", "1", "2"], ["1", "0", "1"], ["3", "2", "0"]],
}


@cache
def places_of_the_run() -> list[Any]:
    return descent(RUN)


def test_the_gap_stays_below_the_bound_and_falls_as_it_does() -> None:
    places = places_of_the_run()
    assert [p.t for p in places] == [2**e for e in range(13)]
    # ‖x‖² is 5 at most, so that L² = 2·3·5; the bound at T = 1 is 2L²/λ
    assert places[0].bound == pytest.approx(2 * 30 * 4)
    for p in places:
        assert 0 < p.mean <= p.bound and p.last > 0
        assert p.bound == pytest.approx(240 * (1 + math.log(p.t)) / p.t)
    late = places[4:]
    slope = math.log(late[-1].mean / late[0].mean) / math.log(late[-1].t / late[0].t)
    assert slope < -0.8  # the bound's is −0.83 here, that of 1/T is −1
    assert all(b.bound < a.bound for a, b in pairwise(places[1:]))


def test_the_optimum_is_that_of_the_checker() -> None:
    # one step from W = 0 leaves W = −∇/λ: its gap by hand from the certified optimum
    svm = {name: RUN[name] for name in ("X", "y", "loss", "cost")}
    problem = {"family": "svm.multiclass", **svm, "C": "2/3"}  # 1/(nλ)
    answer: Any = solve_problem(problem)
    assert check(problem, answer, gap=0)
    least = float(Fraction(answer["objective"])) / 4
    W: Any = solve_problem({**RUN, "draws": RUN["draws"][:1]})["W"]
    rows = [[float(v) for v in w] for w in W]
    cost = [[float(v) for v in row] for row in RUN["cost"]]
    losses = 0.0
    for x, label in zip(RUN["X"], RUN["y"], strict=True):
        s, own = [sum(a * b for a, b in zip(w, x, strict=True)) for w in rows], "abc".index(label)
        losses += sum(max(0.0, cost[j][own] + s[j] - s[own]) for j in range(3) if j != own)
    f = losses / 6 + sum(v * v for w in rows for v in w) / 8
    assert places_of_the_run()[0].last == pytest.approx(f - least, rel=1e-6)


def test_the_picture_has_both_gaps_and_the_bound() -> None:
    root = ElementTree.fromstring(draw_problem({**RUN, "draws": RUN["draws"][:64]}, gap=True))
    words = [part.text or "" for part in root.iter("{http://www.w3.org/2000/svg}text")]
    for name in ("f(W) − f* of the last W", "f − f* of the mean of all W"):
        assert name in words
    assert any(word.startswith("bound 2L²") for word in words)


def test_runs_without_that_bound_are_refused() -> None:
    short = {**RUN, "draws": [0]}
    for other in ({"eta": "1/2"}, {"shrink": "never"}):
        with pytest.raises(FormatError, match="the bound is for sgd.multiclass with η"):
            draw_problem({**short, **other}, gap=True)
    with pytest.raises(ParameterError, match="no plane"):
        draw_problem(short, ["0", "1"], gap=True)
