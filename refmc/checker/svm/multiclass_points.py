"""Points of the multi-class SVM and of its dual, evaluated exactly.

Covers [lu, "The Primal Problem for Multi-Class Kernel-Based SVM"], [lu, "Lagrangian Dual Problem
for Multi-Class SVM"], [lecture5, "Homework"] and [karagiannis (3.4)].

    m, k      rows, classes                 c_i      the class of row i
    C_i       C·ω_i, the cost of row i with its weight ω_i (1 where none is given)
    Δ(j, y)   what the label j costs where y is right, 1 for j ≠ y where no costs are given
    Ψ(x, j)   the features of row x with label j: those of x in the block of class j, so that w
              holds a vector f_j a class (W where the kernel is linear), or the given ones
    s_ij      score ⟨w, Ψ(x_i, j)⟩, f_j(x_i) for blocks
    m_ij      excess Δ(j, c_i) + s_ij − s_ic of a wrong class; the margin s_ic − s_ij needs to be Δ
    η_i       loss: the largest of 0 and m_ij, or in the sum form the sum of the max(0, m_ij)
    λ_ij      m rows of k multipliers; that of the own class is the sum of the others
    w(λ)      Σ_ij λ_ij (Ψ(x_i, c_i) − Ψ(x_i, j)) over the wrong classes j of each row

The pairs of problems, for which P(w) ≥ θ(λ) whatever is feasible:

    max form   P = ½‖w‖² + Σ C_i max(0, max_j m_ij)   λ ≥ 0, Σ_j λ_ij ≤ C_i
    sum form   P = ½‖w‖² + Σ C_i Σ_j max(0, m_ij)     0 ≤ λ_ij ≤ C_i
    both       θ = Σ λ_ij Δ(j, c_i) − ½‖w(λ)‖²

Both forms are judged as one: in the max form all wrong classes of a row are one group, whose
multipliers share the bound C_i; in the sum form each of them is a group of its own. Let h be the
largest of 0 and the m_ij of a group, and S the sum of its multipliers. By expanding the squares,

    P(w) − θ(λ) = ½‖w − w(λ)‖² + Σ over the groups of ((C_i − S) h + Σ λ_ij (h − m_ij))

and no term is negative, as S ≤ C_i, h ≥ 0 and h ≥ m_ij.

Differs from the lecture: in the last print of f_y of `lu` the exponent of −1 reverses every sign;
here rows of the own class count positively, as the Kuhn-Tucker conditions say.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from math import lcm
from typing import NamedTuple

from refmc.checker.kernels import OnRows, Prepared, prepare, squared_distance
from refmc.checker.numbers.arithmetic import (
    Matrix,
    Rows,
    dot,
    rational_dot,
    rows_times_rows,
    sum_of,
    sum_of_squares,
    to_matrix,
    transpose,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Violation

ZERO = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class MulticlassProblem(OnRows):
    """One training problem: rows X with a kernel, or a Gram matrix alone, or features.

    `features` holds for each row and class a vector. `y` holds the 0-based class of each row, `k`
    counts the classes, and `classes` are their texts for messages, the positions themselves where
    none are given. `weights` are the ω_i. `costs` are m rows of k numbers Δ(j, c_i).

    >>> MulticlassProblem(X=[[1]], y=(0,), k=2, C=Fraction(1)).against(0, 1)
    'row 0 against class 1'
    """

    y: tuple[int, ...]
    k: int
    C: Fraction
    features: Sequence[Rows] | None = None
    weights: Sequence[Fraction | int] | None = None
    costs: Rows | None = None
    sum_form: bool = False
    classes: tuple[str, ...] = ()

    @property
    def caps(self) -> tuple[Fraction, ...]:
        """C_i of each row.

        >>> MulticlassProblem(y=(0, 0), k=2, C=Fraction(2), weights=(1, 3)).caps
        (Fraction(2, 1), Fraction(6, 1))
        """
        return tuple(self.C * weight for weight in self.weights or [1] * len(self.y))

    def groups(self, row: int) -> list[tuple[int, ...]]:
        """The wrong classes of a row, in groups that share the bound of their multipliers.

        >>> MulticlassProblem(y=(1,), k=3, C=Fraction(1), sum_form=True).groups(0)
        [(0,), (2,)]
        """
        others = tuple(z for z in range(self.k) if z != self.y[row])
        return [(z,) for z in others] if self.sum_form else [others] * bool(others)

    def class_text(self, position: int) -> str:
        """The text of a class.

        >>> MulticlassProblem(y=(), k=2, C=Fraction(1), classes=("no", "yes")).class_text(1)
        'yes'
        """
        return self.classes[position] if self.classes else str(position)

    def place(self, row: int, position: int) -> Place:
        """A row and one of the classes."""
        name = self.class_text(position)
        return Place.of("row", row).then(f"class {name}", {"class": name})

    def against(self, row: int, position: int) -> Place:
        """The place of a violation: a row and one of its wrong classes.

        >>> MulticlassProblem(y=(), k=2, C=Fraction(1), classes=("no", "yes")).against(7, 0)
        'row 7 against class no'
        """
        name = self.class_text(position)
        return Place(f"row {row} against class {name}", {"row": row, "class": name})


class Data(NamedTuple):
    """A problem in integers: its points, with given features the m·k vectors Ψ(x_i, j), and
    Δ(j, c_i) as m rows of k."""

    problem: MulticlassProblem
    points: Prepared[MulticlassProblem]
    costs: Matrix
    caps: tuple[Fraction, ...]

    @property
    def largest_cost(self) -> Fraction:
        """The largest Δ(j, c_i): what a multiplier counts at most in the dual value."""
        return Fraction(max(map(max, self.costs.rows), default=0), self.costs.den)

    def at(self, row: int, position: int) -> int:
        """Which of the points has the features of a row and class."""
        return row if self.problem.features is None else row * self.problem.k + position

    def norm(self, row: int, position: int) -> Fraction:
        """‖Ψ(x_i, j)‖²."""
        return self.points.squared_norms[self.at(row, position)]

    def norm_between(self, row: int, one: int, other: int) -> Fraction:
        """‖Ψ(x_i, j) − Ψ(x_i, z)‖² of two different classes."""
        if self.problem.features is None:
            return 2 * self.points.squared_norms[row]
        return squared_distance(self.points, self.at(row, one), self.at(row, other))


def prepare_multiclass(problem: MulticlassProblem) -> Data:
    """The problem in integers.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> data.costs, data.norm(0, 1), data.norm_between(0, 0, 1)
    (Matrix(rows=((0, 1),), den=1), Fraction(4, 1), Fraction(8, 1))
    """
    costs, points = problem.costs, problem
    if costs is None:
        costs = [[int(z != own) for z in range(problem.k)] for own in problem.y]
    if problem.features is not None:
        points = replace(problem, X=[psi for rows in problem.features for psi in rows])
    return Data(problem, prepare(points), to_matrix(costs), problem.caps)


class Point(NamedTuple):
    """Weights w: their scores on the training rows, ‖w‖², the excesses and the losses.

    The losses η_i are over the denominator of the excesses. `weights` are the k weight vectors, or
    the one of given features, where the kernel is linear.
    """

    scores: Matrix
    norm: Fraction
    excesses: Matrix
    losses: tuple[int, ...]
    weights: Matrix | None

    def primal(self, caps: Sequence[Fraction]) -> Fraction:
        """P(w).

        >>> Point(Matrix(((1, 0),), 2), Fraction(1, 2), Matrix(((0, 1),), 2), (1,), None).primal(
        ...     [Fraction(3)])
        Fraction(7, 4)
        """
        paid = rational_dot(caps, self.losses)
        return self.norm / 2 + paid / self.excesses.den


class Multipliers(NamedTuple):
    """Feasible multipliers, w(λ) and θ(λ); `moved` is what a repair changed, in all."""

    lam: Matrix
    point: Point
    dual: Fraction
    moved: Fraction
    faults: tuple[Violation, ...]


class GroupGap(NamedTuple):
    """What a group of wrong classes adds to P(w) − θ(λ), and the class that adds most of it.

    `short`: most of it is (C_i − S)h, a loss that λ does not fully charge; else it is a λ_ij > 0 of
    a class whose excess is below h.
    """

    row: int
    other: int
    amount: Fraction
    short: bool


def point_of(data: Data, scores: Matrix, norm: Fraction, weights: Matrix | None) -> Point:
    """The point with these scores.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=3, C=Fraction(1)))
    >>> point_of(data, Matrix(((3, 2, 0),), 4), Fraction(0), None).losses
    (3,)
    """
    den = lcm(scores.den, data.costs.den)
    p, q = den // scores.den, den // data.costs.den
    rows = (
        tuple(cost * q + (s - row[own]) * p for cost, s in zip(costs, row, strict=True))
        for costs, row, own in zip(data.costs.rows, scores.rows, data.problem.y, strict=True)
    )
    excesses = Matrix(tuple(rows), den)
    if data.problem.sum_form:
        losses = tuple(sum(v for v in row if v > 0) for row in excesses.rows)
    else:
        losses = tuple(map(max, excesses.rows))  # the excess of the own class is 0
    return Point(scores, norm, excesses, losses, weights)


def primal_point(data: Data, weights: Matrix) -> Point:
    """The point of k weight vectors, or of the one vector of given features.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> weights = to_matrix([[Fraction(1, 8)], [Fraction(-1, 8)]])
    >>> primal_point(data, weights).primal(data.caps)
    Fraction(33, 64)
    """
    return point_of(data, scores_of(data, weights), sum_of_squares(weights), weights)


def scores_of(
    data: Data, weights: Matrix, of_rows: Callable[[Matrix], Matrix] = lambda rows: rows
) -> Matrix:
    """The scores of weights on the training rows, or on what a function makes of these.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> scores_of(data, to_matrix([[3], [-1]])).rows
    ((6, -2),)
    """
    assert data.points.rows is not None  # weights are those of the linear kernel
    scores, k = rows_times_rows(of_rows(data.points.rows), weights), data.problem.k
    if data.problem.features is None:
        return scores
    values = [row[0] for row in scores.rows]
    return Matrix(tuple(tuple(values[i : i + k]) for i in range(0, len(values), k)), scores.den)


def dual_point(data: Data, lam: Matrix) -> Point:
    """w(λ).

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> dual_point(data, to_matrix([[Fraction(1, 8), Fraction(1, 8)]])).weights
    Matrix(rows=((2,), (-2,)), den=8)
    """
    signed = tuple(
        tuple(v if z == own else -v for z, v in enumerate(row))
        for row, own in zip(lam.rows, data.problem.y, strict=True)
    )
    by_class = transpose(Matrix(signed, lam.den))
    if data.problem.features is not None:
        by_class = Matrix((tuple(chain.from_iterable(signed)),), lam.den)
    if data.points.rows is not None:
        return primal_point(data, rows_times_rows(by_class, transpose(data.points.rows)))
    assert data.points.gram is not None
    scores = rows_times_rows(data.points.gram, by_class)
    products = sum(map(dot, by_class.rows, transpose(scores).rows))
    return point_of(data, scores, Fraction(products, by_class.den * scores.den), None)


def repaired(data: Data, rows: Rows) -> Multipliers:
    """The multipliers, moved to a near feasible point where they aren't feasible.

    Negative entries become 0, what a group sums to above its bound is taken off its largest
    entries, and the own-class entry is recomputed. Denominators don't grow by this, as they would
    if rows were scaled.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> found = repaired(data, [[2, 2]])
    >>> found.lam, found.dual, found.faults[0].text
    (Matrix(rows=((1, 1),), den=1), Fraction(-3, 1), 'entries sum to 2, more than C = 1')
    """
    given = to_matrix(rows)
    den = lcm(given.den, *(cap.denominator for cap in data.caps))
    fixed: list[tuple[int, ...]] = []
    all_moved = 0
    faults: list[Violation] = []
    for i, cap in enumerate(data.caps):
        old = [v * (den // given.den) for v in given.rows[i]]
        new = _feasible_row(data.problem, i, old, cap.numerator * (den // cap.denominator))
        fixed.append(new)
        moved = sum(abs(a - b) for a, b in zip(old, new, strict=True))
        if moved:
            all_moved += moved
            faults.extend(_row_faults(data.problem, i, list(map(Fraction, rows[i])), cap))
    lam = Matrix(tuple(fixed), den)
    point = dual_point(data, lam)
    gain = Fraction(sum(map(dot, lam.rows, data.costs.rows)), den * data.costs.den)
    return Multipliers(lam, point, gain - point.norm / 2, Fraction(all_moved, den), tuple(faults))


def _feasible_row(problem: MulticlassProblem, i: int, row: list[int], cap: int) -> tuple[int, ...]:
    own = problem.y[i]
    new = [max(0, v) for v in row]
    for group in problem.groups(i):
        excess = sum(new[z] for z in group) - cap
        for z in sorted(group, key=lambda z: -new[z]):
            cut = min(max(excess, 0), new[z])
            new[z] -= cut
            excess -= cut
    new[own] = 0
    new[own] = sum(new)
    return tuple(new)


def _row_faults(
    problem: MulticlassProblem, i: int, entries: Sequence[Fraction], cap: Fraction
) -> Iterator[Violation]:
    own, bound = problem.y[i], f"{'C' if cap == problem.C else f'C_{i}'} = {short_text(cap)}"
    for z, v in enumerate(entries):
        if z != own and v < 0:
            yield Violation(problem.against(i, z), f"entry {short_text(v)} is negative", -v)
    for group in problem.groups(i):
        total = sum_of(entries[z] for z in group)
        if total <= cap:
            continue
        if problem.sum_form:
            text, place = f"entry {short_text(total)} is more than", problem.against(i, group[0])
        else:
            text, place = f"entries sum to {short_text(total)}, more than", Place.of("row", i)
        yield Violation(place, f"{text} {bound}", total - cap)
    others = sum_of(entries) - entries[own]
    if entries[own] != others:
        text = f"entry {short_text(entries[own])}, but the others sum to {short_text(others)}"
        name = problem.class_text(own)
        place = Place.of("row", i).then(f"own class {name}", {"class": name})
        yield Violation(place, text, abs(entries[own] - others))


def group_gaps(data: Data, point: Point, lam: Matrix) -> list[GroupGap]:
    """What each group adds to P(w) − θ(λ), largest first; no addition is negative.

    >>> data = prepare_multiclass(MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1)))
    >>> lam = to_matrix([[Fraction(1, 8), Fraction(1, 8)]])
    >>> group_gaps(data, primal_point(data, to_matrix([[0], [0]])), lam)
    [GroupGap(row=0, other=1, amount=Fraction(7, 8), short=True)]
    """
    found = []
    for i, cap in enumerate(data.caps):
        excesses, multipliers = point.excesses.rows[i], lam.rows[i]
        den = point.excesses.den * lam.den
        for group in data.problem.groups(i):
            most = max(excesses[z] for z in group)
            loss = max(0, most)
            spare = cap * lam.den - sum(multipliers[z] for z in group)
            loose = {z: multipliers[z] * (loss - excesses[z]) for z in group}
            paid, top = spare * loss, max(group, key=lambda z: loose[z])
            short = paid >= loose[top]
            other = max(group, key=lambda z: excesses[z]) if short else top
            found.append(GroupGap(i, other, Fraction(paid + sum(loose.values())) / den, short))
    return sorted((g for g in found if g.amount > 0), key=lambda g: -g.amount)
