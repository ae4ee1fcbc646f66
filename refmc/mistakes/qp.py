"""What programs for quadratic programs get wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

from refmc.core.definiteness import quadratic_form
from refmc.core.linalg import dot
from refmc.core.records import Record, items, matrix, number, numbers
from refmc.mistakes.fields import (
    changing,
    dropping,
    each_number,
    negating,
    rewritten,
    times,
    without,
)
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_program
from refmc.mistakes.svm import FLOATS_AS_TEXT
from refmc.mistakes.transport import Program, Rewriting, same, solved

QP = ("qp.convex",)

INEQUALITY, EQUALITY = "inequality_multipliers", "equality_multipliers"


def _ignored(id: str, left: str, right: str, multipliers: str) -> Mistake:
    """The mistake of ignoring inequalities or equations, whose multipliers must be 0."""

    def answered(problem: Record, answer: Record) -> Record | None:
        is_0 = not any(numbers(answer.get(multipliers) or [0], f"answer.{multipliers}"))
        return without(answer, multipliers) if is_0 else None

    return Mistake(id, QP, dropping(left, right), answered)


def _beside_diagonal(factor: Fraction) -> Neighbours:
    """The problem with the entries of Q that are not on its diagonal times a factor."""

    def changed(Q: list[list[Fraction]]) -> object:
        return [[v if i == j else factor * v for j, v in enumerate(r)] for i, r in enumerate(Q)]

    return changing("Q", matrix, changed)


def _slope(problem: Record, answer: Record) -> list[Fraction]:
    """Qx + c + Aᵀν + Gᵀμ of an answer."""
    x = numbers(answer["x"], "answer.x")
    found = [dot(row, x, Fraction(0)) for row in matrix(problem["Q"], "problem.Q")]
    found = [s + v for s, v in zip(found, numbers(problem["c"], "problem.c"))]
    for rows, name in (("A", EQUALITY), ("G", INEQUALITY)):
        for row, v in zip(_rows(problem, rows), _multipliers(answer, name)):
            found = [s + v * g for s, g in zip(found, row)]
    return found


def _rows(problem: Record, name: str) -> list[list[Fraction]]:
    return matrix(problem[name], f"problem.{name}") if problem.get(name) else []


def _multipliers(answer: Record, name: str) -> list[Fraction]:
    return numbers(answer[name], f"answer.{name}") if answer.get(name) else []


def _by_a_triangle(problem: Record, answer: Record) -> Record | None:
    """The right answer in the place of one whose slope is 0 with a triangle of Q in its place."""
    rows = list(enumerate(matrix(problem["Q"], "problem.Q")))
    triangles = [
        [[v * (i <= j) for j, v in enumerate(r)] for i, r in rows],
        [[v * (i >= j) for j, v in enumerate(r)] for i, r in rows],
    ]
    if "x" not in answer or not any(_slope(problem, answer)):
        return None
    is_it = any(not any(_slope({**problem, "Q": Q}, answer)) for Q in triangles)
    return solved(problem) if is_it else None


def _ridged(problem: Record, answer: Record) -> list[Record]:
    """The problem with a small multiple of the unit matrix in Q, that by which the answer fits."""
    x = numbers(answer.get("x") or [0], "answer.x")
    square, Q = dot(x, x, Fraction(0)), matrix(problem["Q"], "problem.Q")
    if not square:
        return []
    ridge = -dot(x, _slope(problem, answer), Fraction(0)) / square
    if not 0 < ridge <= SMALL * max(row[i] for i, row in enumerate(Q)):
        return []
    return [
        {**problem, "Q": [[v + ridge * (i == j) for j, v in enumerate(r)] for i, r in enumerate(Q)]}
    ]


def _backwards(x: object) -> object:
    return items(x, "answer.x")[::-1]


def _at_least_0(problem: Record, answer: Record) -> list[Record]:
    """The problem whose x may not be negative."""
    n = len(numbers(problem["c"], "problem.c"))
    G = [[Fraction(-(i == j)) for j in range(n)] for i in range(n)]
    h = numbers(problem["h"], "problem.h") if problem.get("h") else []
    return [{**problem, "G": [*_rows(problem, "G"), *G], "h": [*h, *[0] * n]}]


def _with_bounds(problem: Record, answer: Record) -> Record | None:
    """The answer with the multipliers of x ≥ 0, which it doesn't tell."""
    if "x" not in answer or not answer.keys() & {EQUALITY, INEQUALITY}:
        return answer
    found = [*_multipliers(answer, INEQUALITY), *_slope(problem, answer)]
    return {**answer, INEQUALITY: found}


def _at_least_0_made(problem: Record) -> Record | None:
    """The answer with x ≥ 0, which tells no multipliers of that."""
    (neighbour,) = _at_least_0(problem, {})
    found = solved(neighbour)
    own = len(_rows(problem, "G"))
    return {**found, INEQUALITY: _multipliers(found, INEQUALITY)[:own]}


def _misplaced(place: Callable[[list[Fraction], list[Fraction]], list[Fraction]]) -> Program:
    """The right answer with all multipliers in other places, from those of A and of G."""

    def program(problem: Record) -> Record | None:
        right = solved(problem)
        nu = _multipliers(right, EQUALITY)
        found = place(nu, _multipliers(right, INEQUALITY))
        return {**right, EQUALITY: found[: len(nu)], INEQUALITY: found[len(nu) :]}

    return program


def _in_place(problem: Record, answer: Record) -> Record | None:
    """The answer with its multipliers that aren't 0 at those active inequalities where they fit."""
    mu, G = _multipliers(answer, INEQUALITY), _rows(problem, "G")
    given = [v for v in mu if v]
    if "x" not in answer or not mu or mu[: len(given)] != given:
        return None
    x, h = numbers(answer["x"], "answer.x"), numbers(problem["h"], "problem.h")
    active = [i for i, row in enumerate(G) if same(dot(row, x, Fraction(0)), h[i], "Gx")]
    if comb(len(active), len(given)) > MOST_PLACES:
        return None
    placed = (dict(zip(at, given)) for at in combinations(active, len(given)))
    found = [
        {**answer, INEQUALITY: [by.get(i, Fraction(0)) for i in range(len(G))]} for by in placed
    ]
    return min(found, key=lambda other: max(map(abs, _slope(problem, other))), default=None)


def of_programs(family: str) -> Iterator[Mistake]:
    """More mistakes about quadratic programs, from a table each."""
    if family != "qp.convex":
        return
    for id, (problem, answer) in OF_PROBLEMS.items():
        program = _at_least_0_made if problem is _at_least_0 else None
        yield Mistake(f"program.{id}", (family,), problem, answer, program)
    for id, place in PLACES.items():
        yield of_program(f"multipliers.{id}", (family,), _misplaced(place))
    first = _misplaced(lambda nu, mu: [*nu, *sorted(mu, key=lambda v: not v)])
    yield Mistake("multipliers.first", (family,), answer=_in_place, program=first)


MOST_PLACES = 1000
"""In so many ways multipliers are tried at active inequalities."""

SMALL = Fraction(1, 10)
"""The share of the largest diagonal entry of Q that may be added to all of them for stability."""

OF_PROBLEMS: dict[str, tuple[Neighbours | None, Rewriting | None]] = {
    "ridge": (_ridged, None),
    "Q_halved": (each_number(lambda v: v / 2, "Q"), None),
    "x_reversed": (None, lambda problem, answer: rewritten(answer, _backwards, "x")),
    "pairs_twice": (_beside_diagonal(Fraction(2)), None),
    "pairs_once": (_beside_diagonal(Fraction(1, 2)), None),
    "triangle": (None, _by_a_triangle),
    "x_at_least_0": (_at_least_0, _with_bounds),
}
"""What is done to the problem, and to an answer that says nothing about it."""

PLACES: dict[str, Callable[[list[Fraction], list[Fraction]], list[Fraction]]] = {
    "exchanged": lambda nu, mu: [*mu, *nu],
    "negated": lambda nu, mu: [-v for v in (*nu, *mu)],
    "halved": lambda nu, mu: [v / 2 for v in (*nu, *mu)],
    "doubled": lambda nu, mu: [v * 2 for v in (*nu, *mu)],
}
"""What is told of the multipliers."""

PARTS: dict[str, Callable[[Record, list[Fraction]], Fraction]] = {
    "half": lambda problem, x: -quadratic_form(matrix(problem["Q"], "problem.Q"), x) / 2,
    "linear": lambda problem, x: dot(numbers(problem["c"], "problem.c"), x, Fraction(0)),
}
"""What an objective lacks that is told without its half, or without cᵀx; by the problem and x."""


def _value_without(part: str) -> Mistake:
    """The mistake of an objective that lacks a part."""

    def program(problem: Record) -> Record | None:
        right = solved(problem)
        if "objective" not in right:  # there is no optimum
            return None
        lack = PARTS[part](problem, numbers(right["x"], "x"))
        return {**right, "objective": number(right["objective"], "objective") - lack}

    return of_program(f"qp.value_without_{part}", QP, program)


def _of_0(values: list[Fraction]) -> list[int]:
    return [0] * len(values)


MISTAKES: tuple[Mistake, ...] = (
    _ignored("qp.bounds_ignored", "G", "h", INEQUALITY),
    _ignored("qp.equations_ignored", "A", "b", EQUALITY),
    Mistake("qp.diagonal_alone", QP, _beside_diagonal(Fraction(0))),
    *map(_value_without, PARTS),
    *(Mistake(f"qp.{n}_of_0", QP, changing(n, numbers, _of_0)) for n in ("b", "c", "h")),
    Mistake("qp.half_missing", QP, each_number(lambda v: 2 * v, "Q")),
    Mistake("qp.linear_sign", QP, negating("c")),
    Mistake(
        "qp.inequality_sign",
        QP,
        negating("G", "h"),
        answer=lambda problem, answer: answer,
        if_tied=(times(lambda problem: -1, INEQUALITY),),
    ),
    of_answer("qp.equality_sign", QP, times(lambda problem: -1, EQUALITY)),
    of_answer("qp.multiplier_sign", QP, times(lambda problem: -1, INEQUALITY)),
    of_answer("qp.value_negated", QP, times(lambda problem: -1, "objective")),
)

CONVENTIONS = (FLOATS_AS_TEXT,)
