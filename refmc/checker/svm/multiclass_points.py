"""Points of the multi-class SVM and of its dual, evaluated exactly.

Covers [lu, "The Primal Problem for Multi-Class Kernel-Based SVM"] and
[lu, "Lagrangian Dual Problem for Multi-Class SVM"].

    m, k      rows, classes                 c_i      the class of row i
    f, W      the k functions; their weight vectors where the kernel is linear
    s_iy      score f_y(x_i)                margin   s_ic - s_iy, for y other than c = c_i
    eta_i     hinge: the largest of 0 and 1 - margin over the other classes
    P(f)      primal value  1/2 sum |f_y|^2 + C sum eta_i
    lam       m rows of k multipliers, theta(lam) the dual value, a lower bound of every P(f)
    f(lam)    sum of +lam_ic x_i over the rows of class y, and -lam_iy x_i over the others

Differs from the lecture: in its last print of f_y the exponent of -1 reverses every sign; here
rows of the own class count positively, as the Kuhn-Tucker conditions say.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from refmc.checker.kernels import Kernel, Prepared
from refmc.checker.numbers.arithmetic import (
    Matrix,
    Rows,
    dot,
    rows_times_rows,
    sum_of_squares,
    to_matrix,
    transpose,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Violation


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One training problem: rows X with a kernel, or a Gram matrix alone.

    `y` holds the 0-based class of each row, `k` counts the classes, and `classes` are their texts
    for messages, the positions themselves where none are given.

    >>> Problem(X=[[1]], y=(0,), k=2, C=Fraction(1)).against(0, 1)
    'row 0 against class 1'
    """

    X: Rows | None = None
    gram: Rows | None = None
    kernel: Kernel = None
    y: tuple[int, ...]
    k: int
    C: Fraction
    classes: tuple[str, ...] = ()

    def class_text(self, position: int) -> str:
        """The text of a class.

        >>> Problem(y=(), k=2, C=Fraction(1), classes=("no", "yes")).class_text(1)
        'yes'
        """
        return self.classes[position] if self.classes else str(position)

    def against(self, row: int, position: int) -> str:
        """The place of a violation: a row and one of its wrong classes.

        >>> Problem(y=(), k=2, C=Fraction(1), classes=("no", "yes")).against(7, 0)
        'row 7 against class no'
        """
        return f"row {row} against class {self.class_text(position)}"


Data = Prepared[Problem]


@dataclass(frozen=True)
class Point:
    """Functions f: their scores on the training rows, sum |f_y|^2, and the hinges over scores.den.

    `weights` are the k weight vectors where the kernel is linear.
    """

    scores: Matrix
    norm: Fraction
    hinges: tuple[int, ...]
    weights: Matrix | None

    def primal(self, C: Fraction) -> Fraction:
        """P(f).

        >>> Point(Matrix(((1, 0),), 2), Fraction(1, 2), (1,), None).primal(Fraction(3))
        Fraction(7, 4)
        """
        return self.norm / 2 + C * Fraction(sum(self.hinges), self.scores.den)


@dataclass(frozen=True)
class DualPoint:
    """Feasible multipliers, f(lam), and theta(lam)."""

    lam: Matrix
    point: Point
    dual: Fraction


@dataclass(frozen=True)
class Repair:
    """A near feasible point, the sum of the changes of all entries, and their reasons."""

    lam: Matrix
    moved: Fraction
    faults: tuple[Violation, ...]


@dataclass(frozen=True)
class Mended:
    """Multipliers as judged: the point that they were repaired to, and what that took."""

    at: DualPoint
    moved: Fraction
    faults: tuple[Violation, ...]


@dataclass(frozen=True)
class RowGap:
    """What one row adds to a gap, and the class that adds most of it."""

    row: int
    other: int
    amount: Fraction
    short: bool  # the hinge is paid while lam says it need not be; otherwise lam_iy is slack


def hinges(scores: Matrix, y: tuple[int, ...]) -> tuple[int, ...]:
    """eta_i of each row, over the denominator of the scores.

    >>> hinges(Matrix(((3, 2, 0),), 4), (0,))
    (3,)
    """

    def hinge(row: tuple[int, ...], own: int) -> int:
        rivals = (v for z, v in enumerate(row) if z != own)
        return max(0, max(rivals, default=row[own] - scores.den) - row[own] + scores.den)

    return tuple(map(hinge, scores.rows, y))


def primal_point(data: Data, weights: Matrix) -> Point:
    """The point of k weight vectors, for the linear kernel.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> primal_point(data, to_matrix([[Fraction(1, 8)], [Fraction(-1, 8)]])).primal(Fraction(1))
    Fraction(33, 64)
    """
    if data.rows is None:
        raise ValueError("weight vectors need the linear kernel")
    scores = rows_times_rows(data.rows, weights)
    return Point(scores, sum_of_squares(weights), hinges(scores, data.problem.y), weights)


def dual_point(data: Data, lam: Matrix) -> DualPoint:
    """f(lam) and theta(lam) of feasible multipliers.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> dual_point(data, to_matrix([[Fraction(1, 8), Fraction(1, 8)]])).dual
    Fraction(1, 16)
    """
    y, k = data.problem.y, data.problem.k
    signed = tuple(
        tuple(v if z == own else -v for z, v in enumerate(row))
        for row, own in zip(lam.rows, y, strict=True)
    )
    by_class = transpose(Matrix(signed, lam.den), k)
    if data.rows is not None:
        width = len(data.rows.rows[0]) if data.rows.rows else 0
        point = primal_point(data, rows_times_rows(by_class, transpose(data.rows, width)))
    else:
        point = _kernel_point(data, by_class)
    total = Fraction(sum(row[own] for row, own in zip(lam.rows, y, strict=True)), lam.den)
    return DualPoint(lam, point, total - point.norm / 2)


def _kernel_point(data: Data, by_class: Matrix) -> Point:
    assert data.gram is not None
    scores = rows_times_rows(data.gram, by_class)
    columns = transpose(scores, data.problem.k)
    products = sum(map(dot, by_class.rows, columns.rows))
    norm = Fraction(products, by_class.den * scores.den)
    return Point(scores, norm, hinges(scores, data.problem.y), None)


def repair(problem: Problem, rows: Rows, C: Fraction) -> Repair:
    """Move multipliers to a near feasible point, and say what was infeasible.

    Negative entries become 0, what a row sums to above C is taken off its largest entries, and
    the own-class entry is recomputed.  Denominators don't grow by this, as they would if rows were
    scaled.

    >>> problem = Problem(X=[[1]], y=(0,), k=2, C=Fraction(1))
    >>> repair(problem, [[2, 2]], Fraction(1)).lam
    Matrix(rows=((1, 1),), den=1)
    >>> repair(problem, [[2, 2]], Fraction(1)).faults[0].text
    'entries sum to 2, more than C = 1'
    """
    given = to_matrix(rows)
    den = lcm(given.den, C.denominator)
    cap = C.numerator * (den // C.denominator)
    fixed: list[tuple[int, ...]] = []
    all_moved = 0
    faults: list[Violation] = []
    for i, own in enumerate(problem.y):
        old = [v * (den // given.den) for v in given.rows[i]]
        new = _feasible_row(old, own, cap)
        fixed.append(new)
        moved = sum(abs(a - b) for a, b in zip(old, new, strict=True))
        if moved:
            all_moved += moved
            faults.extend(_row_faults(problem, i, Matrix((tuple(old),), den), C))
    return Repair(Matrix(tuple(fixed), den), Fraction(all_moved, den), tuple(faults))


def mended(data: Data, rows: Rows, C: Fraction) -> Mended:
    """The repaired multipliers with their dual value.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1, 8)))
    >>> mended(data, [[1, 1]], Fraction(1, 8)).at.dual
    Fraction(1, 16)
    """
    found = repair(data.problem, rows, C)
    return Mended(dual_point(data, found.lam), found.moved, found.faults)


def _feasible_row(row: list[int], own: int, cap: int) -> tuple[int, ...]:
    new = [max(0, v) for v in row]
    new[own] = 0
    excess = sum(new) - cap
    for z in sorted(range(len(row)), key=lambda z: -new[z]):
        cut = min(max(excess, 0), new[z])
        new[z] -= cut
        excess -= cut
    new[own] = sum(new)
    return tuple(new)


def _row_faults(problem: Problem, i: int, row: Matrix, C: Fraction) -> list[Violation]:
    own = problem.y[i]
    entries = [row.entry(0, z) for z in range(problem.k)]
    others = sum((v for z, v in enumerate(entries) if z != own), Fraction(0))
    faults = [
        Violation(problem.against(i, z), f"entry {short_text(v)} is negative", -v)
        for z, v in enumerate(entries)
        if z != own and v < 0
    ]
    if others > C:
        text = f"entries sum to {short_text(others)}, more than C = {short_text(C)}"
        faults.append(Violation(f"row {i}", text, others - C))
    if entries[own] != others:
        text = f"entry {short_text(entries[own])}, but the others sum to {short_text(others)}"
        place = f"row {i}, own class {problem.class_text(own)}"
        faults.append(Violation(place, text, abs(entries[own] - others)))
    return faults


def row_gaps(data: Data, point: Point, lam: Matrix) -> list[RowGap]:
    """What each row adds to P(f) - theta(lam), largest first; no addition is negative.

    P(f) - theta(lam) is the sum over the rows of
    (C - lam_ic) eta_i + sum over y of lam_iy (eta_i - 1 + margin_iy), and 1/2 |f - f(lam)|^2.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> lam = to_matrix([[Fraction(1, 8), Fraction(1, 8)]])
    >>> row_gaps(data, primal_point(data, to_matrix([[0], [0]])), lam)
    [RowGap(row=0, other=1, amount=Fraction(7, 8), short=True)]
    """
    C, s, found = data.problem.C, point.scores, []
    den = s.den * lam.den * C.denominator
    for i, own in enumerate(data.problem.y):
        others = [z for z in range(data.problem.k) if z != own]
        if not others:
            continue
        spare = C.numerator * lam.den - lam.rows[i][own] * C.denominator
        hinge, mine = point.hinges[i], s.rows[i][own]
        loose = {
            z: lam.rows[i][z] * C.denominator * (hinge - s.den + mine - s.rows[i][z])
            for z in others
        }
        paid = spare * hinge
        top = max(others, key=lambda z: loose[z])
        short = paid >= loose[top]
        other = max(others, key=lambda z: s.rows[i][z]) if short else top
        found.append(RowGap(i, other, Fraction(paid + sum(loose.values()), den), short))
    return sorted((g for g in found if g.amount > 0), key=lambda g: -g.amount)
