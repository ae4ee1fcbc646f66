"""What is given in the place of an SVM, or of what it says: other methods, other sums, other signs.

Ridge regression is recognised by that its weights are a multiple of the sum of the rows times what
their scores lack, whatever the factor of its norm is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import fsum, hypot
from operator import mul

from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.fields import flat, mapped, row_count
from refmc.mistakes.mistake import Mistake, of_program
from refmc.mistakes.plain_svm import ZERO
from refmc.mistakes.transport import Program, same, solved
from refmc.mistakes.weights import HARD, Points, costs_of, points_of, rows_of_weights
from refmc.oracle.reading import read_codes

FAMILIES = ("svm.binary", "svm.hard", "svm.multiclass")

Value = Callable[[Fraction, Fraction, Fraction, int], Fraction]
"""From ½‖w‖² and the losses, which C multiplies, of m rows."""

VALUES: dict[str, Value] = {
    "norm_whole": lambda half, loss, C, m: 2 * half + loss,
    "norm_missing": lambda half, loss, C, m: loss,
    "norm_subtracted": lambda half, loss, C, m: loss - half,
    "losses_missing": lambda half, loss, C, m: half,
    "losses_without_C": lambda half, loss, C, m: half + loss / C,
    "losses_averaged": lambda half, loss, C, m: half + loss / m,
    "negated": lambda half, loss, C, m: -half - loss,
}
"""What is told for the sum of ½‖w‖² and the losses."""

DUALS: dict[str, Value] = {
    "norm_whole": lambda half, loss, C, m: loss,
    "norm_missing": lambda half, loss, C, m: 2 * half + loss,
    "norm_added": lambda half, loss, C, m: 3 * half + loss,
    "negated": lambda half, loss, C, m: -half - loss,
}
"""What is told for the multipliers' sum less ½‖w‖², which at the optimum is that of the primal."""

Matrix = Sequence[Sequence[float]]

Making = Callable[[Points, Matrix], Matrix]
"""From the rows and an answer's weights: those that a method makes, or a multiple of them."""


def _least_squares(points: Points, W: Matrix, own: float, other: float) -> Matrix:
    """All rows, times what the scores of each lack to what they should be for its class and others.

    Where these add up to 0 for the constant, as they do for a free bias, it is left out.
    """
    X = [[float(v) for v in x] for x in points.X]
    scores = [[fsum(map(mul, w, x)) for w in W] for x in X]
    lacks = [
        [(own if j == c else other) - v for j, v in enumerate(f)] for f, c in zip(scores, points.y)
    ]
    made = [[fsum(map(mul, lack, column)) for column in zip(*X)] for lack in zip(*lacks)]
    largest = max(abs(v) for lack in made for v in lack)
    is_free = all(abs(lack[-1]) <= NEAR * largest for lack in made)
    return [lack[:-1] for lack in made] if is_free else made


def _means(points: Points, W: Matrix) -> Matrix:
    """The means of the classes."""
    own = [[x for x, c in zip(points.X, points.y) if c == r] for r in range(len(W))]
    return [[float(sum(v)) / len(rows) for v in zip(*rows)] or [0.0] * len(W[0]) for rows in own]


def _nearest_mean(points: Points, W: Matrix) -> Matrix:
    """The difference of the means of two classes, and the boundary halfway between them."""
    if len(W) != 2:
        return []
    minus, plus = _means(points, W)
    w = [p - q for p, q in zip(plus, minus)]
    w[-1] = -fsum(v * (p + q) / 2 for v, p, q in zip(w, plus, minus))
    return [[-v for v in w], w]


SOLUTION = ("w", "W", "alpha", "lam")
"""What answers hold that is 0 where C is."""

METHODS: dict[str, tuple[Making, ...]] = {
    "none": (),
    "squares": tuple(
        partial(_least_squares, own=p, other=q) for p, q in ((0.5, -0.5), (1, 0), (1, -1))
    ),
    "means": (_nearest_mean, _means),
}
"""Other methods; of two classes the scores are half of f, and minus that."""

DISTINCT = 2
"""So many sizes the weights must have to tell a method by themselves: symmetry makes one."""

ONE_IN = 4
"""One in so many wrong answers of a program must have them, if all may be the method's."""

NEAR = 1e-6
"""By how much weights may miss a minimum, relative to their length."""


def of_svms(family: str) -> Iterator[Mistake]:
    """The mistakes about answers to problems of a family of SVMs."""
    if family not in FAMILIES:
        return
    for name, values in (("value", VALUES), ("dual", DUALS)):
        for id, value in values.items():
            yield of_program(f"{name}.{id}", (family,), _told(value, name))
    for id, makings in METHODS.items():
        yield _method(f"method.{id}", family, makings)
    if family != HARD:
        words = "C is cut to a whole number", "the fields"
        yield Mistake("whole.C", (family,), _cut, _trained, _with_C_cut, words=words)


def _cut(problem: Record, answer: Record) -> list[Record]:
    """The problem with a whole C; the same where that is 0, for which it has no optimum."""
    C = number(problem["C"], "problem.C")
    return [{**problem, "C": int(C) or C}] if C != int(C) else []


def _trained(problem: Record, answer: Record) -> Record | None:
    """The answer, and the right one for zeros where C is cut to 0."""
    if number(problem["C"], "problem.C") >= 1:
        return answer
    solution = [name for name in SOLUTION if name in answer]
    if not solution or any(v for name in solution for v in flat(answer[name])):
        return None
    right = solved(problem)
    return {n: right.get(n, v) if n in (*SOLUTION, "b") else v for n, v in answer.items()}


def _with_C_cut(problem: Record) -> Record | None:
    made = [solved(other) for other in _cut(problem, {})]
    if made and number(problem["C"], "problem.C") < 1:
        return {n: mapped(v, lambda _: ZERO) for n, v in made[0].items() if n in (*SOLUTION, "b")}
    return made[0] if made else None


def _told(value: Value, name: str) -> Program:
    """The right answer with another value; that of the dual, and so of its parts, is the same."""
    told = "dual" if name == "dual" else "objective"

    def program(problem: Record) -> Record | None:
        right = solved(problem)
        if problem.get("loss") == "squared_hinge" or not {told, "objective"} <= right.keys():
            return None
        m, due = row_count(problem), ZERO
        if "lam" in right:
            y, classes = read_codes(problem, m)
            rows = zip(matrix(right["lam"], "lam"), costs_of(problem, y, len(classes)), y)
            for lam, costs, c in rows:
                due += sum((a * d for j, (a, d) in enumerate(zip(lam, costs)) if j != c), ZERO)
        else:
            due = sum(numbers(right["alpha"], "alpha"), ZERO)
        optimum = number(right["objective"], "objective")
        half, C = due - optimum, number(problem.get("C", 1), "problem.C")
        return {**right, told: value(half, optimum - half, C, m)}

    return program


def _method(id: str, family: str, makings: Sequence[Making]) -> Mistake:
    """The mistake of weights of another method, of which an answer holds nothing else but zeros."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        points = points_of(problem)
        W = None if points is None else rows_of_weights(problem, {"b": 0, **answer}, points)
        if points is None or W is None:
            return None
        right, name = solved(problem), "W" if "W" in answer else "w"
        floats = [[float(v) for v in w] for w in W]
        sizes = {abs(v) for w in floats for v in w}
        is_it = not makings and sizes == {0}
        if {*answer} <= {"family", "w", "b", "W"}:
            is_it = is_it or any(_is_multiple(floats, of(points, floats)) for of in makings)
        if not is_it or same(answer[name], right.get(name), name):
            return None
        found = {n: v for n, v in right.items() if n in answer}
        return (
            {**found, "remark": made.sentence}
            if not makings or len(sizes - {0}) >= DISTINCT
            else found
        )

    # one answer may have small weights that were rounded to 0
    made = Mistake(
        id, (family,), answer=rewriting, is_told_by_remark=True, one_in=ONE_IN, at_least=3
    )
    return made


def _is_multiple(W: Matrix, made: Matrix) -> bool:
    """Whether weights are a positive multiple of others, in the columns that these have."""
    m = [v for row in made for v in row]
    w = [v for row, others in zip(W, made) for v in row[: len(others)]]
    size = hypot(*m)
    rate = fsum(map(mul, w, m)) / size**2 if size else 0
    return rate > 0 and hypot(*(p - rate * q for p, q in zip(w, m))) <= NEAR * hypot(*w)
