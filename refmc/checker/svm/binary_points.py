"""Functions, biases and multipliers of the binary SVM, evaluated exactly.

Covers [chang, "Soft SVM"], [chang, "Dual SVM problem"] and [chang, "Max-margin classifiers"].

    m, y_i     rows; the label of row i, −1 or +1
    w, g_i     the weights, and the score w·x_i without the bias; f_i = g_i + b
    C_i        C·ω_i, the cost of row i with its weight ω_i (1 where none is given)
    η_i        hinge: the larger of 0 and 1 − y_i f_i
    α_i        multiplier of row i
    w(α)       Σ α_i y_i x_i

The pairs of problems, for which P(w, b) ≥ θ(α) whatever is feasible:

    hinge           P = ½‖w‖² + Σ C_i η_i       θ = Σ α_i − ½‖w(α)‖²,             0 ≤ α_i ≤ C_i
    squared hinge   P = ½‖w‖² + Σ C_i η_i²      θ = Σ α_i − ½‖w(α)‖² − Σ α_i²/(4C_i),  0 ≤ α_i
    hard            P = ½‖w‖² where all η_i = 0  θ = Σ α_i − ½‖w(α)‖²,             0 ≤ α_i

With a free bias α is feasible only if Σ y_i α_i = 0 as well. A penalised bias is the weight of a
column of ones: it is part of w and counts in ‖w‖², every K_ij is 1 larger, and there is no other
bias. A row of weight 0 costs nothing and has α_i = 0. For any feasible α, by expanding the squared
distance,

    P(w, b) − θ(α) = ½‖w − w(α)‖² + Σ (C_i η_i − α_i (1 − y_i f_i))                    hinge
                     ½‖w − w(α)‖² + Σ (C_i η_i² − α_i (1 − y_i f_i) + α_i²/(4C_i))    squared

No term is negative: η_i ≥ 1 − y_i f_i and 0 ≤ α_i ≤ C_i for the hinge, and the term of a squared
hinge is at least (√C_i η_i − α_i/(2√C_i))². With a kernel, w is in the feature space, and only its
scores and its norm are known.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Literal, NamedTuple

from refmc.checker.kernels import OnRows, Prepared
from refmc.checker.numbers.arithmetic import (
    Matrix,
    Numbers,
    dot,
    rational_dot,
    sum_of,
    to_matrix,
    transpose,
)
from refmc.checker.numbers.intervals import Interval
from refmc.checker.numbers.rounding import Box
from refmc.checker.printing import short_text
from refmc.checker.verdict import Place, Violation

ZERO = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class BinaryProblem(OnRows):
    """One training problem: rows X with a kernel, or a Gram matrix alone.

    `y` holds −1 or +1 for each row; `C` is None for the hard margin; `weights` are the ω_i;
    `squared` says that hinges are squared; `classes` are the texts of the negative and the positive
    label.

    >>> BinaryProblem(X=[[1]], y=(1,), C=Fraction(1)).label(-1)
    '-1'
    """

    y: tuple[int, ...]
    C: Fraction | None = None
    weights: Numbers | None = None
    squared: bool = False
    bias: bool | Literal["penalised"] = True
    classes: tuple[str, str] = ("-1", "+1")

    @property
    def costs(self) -> tuple[Fraction, ...]:
        """C_i of each row, 1 for the hard margin.

        >>> BinaryProblem(y=(1, 1), C=Fraction(2), weights=(1, 3)).costs
        (Fraction(2, 1), Fraction(6, 1))
        """
        C = Fraction(1) if self.C is None else self.C
        return tuple(C * v for v in self.weights) if self.weights else (C,) * len(self.y)

    def label(self, sign: int) -> str:
        """The text of a label.

        >>> BinaryProblem(y=(), classes=("no", "yes")).label(1)
        'yes'
        """
        return self.classes[sign > 0]


Data = Prepared[BinaryProblem]


@dataclass(frozen=True, eq=False)
class Function:
    """Weights without a free bias: the scores g_i, ‖w‖², and w itself where the kernel is linear.

    A penalised bias is part of all three, and the last entry of w.
    """

    problem: BinaryProblem
    scores: tuple[Fraction, ...]
    norm: Fraction
    weights: tuple[Fraction, ...] | None

    @cached_property
    def biases(self) -> Interval:
        """All b with the least loss."""
        return biases(self.problem, self.scores)

    @cached_property
    def primal(self) -> Fraction:
        """P(w, b) with any of these."""
        return primal(self.problem, self, self.biases.middle())


@dataclass(frozen=True, kw_only=True)
class BinaryAnswer:
    """What was submitted of an answer, at least one of the first six, and claims about it.

    `w` (linear kernel only) is judged with `b`, or with its best b where none is given; without
    `w`, `b` belongs to w(α). `scores` hold the bias, `labels` are −1 and +1. `separable` and
    `combination` are for the hard margin. `slack` is that of w, else of α, else of the scores.
    `values` are claimed optimal values by the names of their fields. `margin_squared` is a number
    or "inf". `rounded` gives, for all that is there except scores and combination, what its numbers
    may stand for, finite ends of b_interval alone; without it they stand for themselves.

    >>> BinaryAnswer(w=[1], b=Fraction(0)).alpha is None
    True
    """

    w: Numbers | None = None
    alpha: Numbers | None = None
    scores: Numbers | None = None
    labels: Sequence[int] | None = None
    separable: bool | None = None
    combination: Numbers | None = None
    b: Fraction | None = None
    values: Mapping[str, Fraction] = field(default_factory=dict)
    slack: Numbers | None = None
    b_interval: Interval | None = None
    margin_squared: Fraction | str | None = None
    rounded: Callable[[], Box] | None = None


class Multipliers(NamedTuple):
    """Feasible multipliers, w(α) and θ(α); `moved` is what a repair changed, in all."""

    alpha: tuple[Fraction, ...]
    function: Function
    dual: Fraction
    moved: Fraction
    faults: tuple[Violation, ...]


def with_column_of_ones(data: Data) -> Data:
    """The points of a penalised bias, whose weight is that of one more column.

    >>> from refmc.checker.kernels import prepare
    >>> with_column_of_ones(prepare(BinaryProblem(X=[[2]], y=(1,), bias="penalised"))).rows
    Matrix(rows=((2, 1),), den=1)
    """
    rows, gram = data.rows, data.gram
    if rows is not None:
        rows = Matrix(tuple((*row, rows.den) for row in rows.rows), rows.den)
    if gram is not None:
        gram = Matrix(tuple(tuple(v + gram.den for v in row) for row in gram.rows), gram.den)
    norms = tuple(n + 1 for n in data.squared_norms)
    return data._replace(rows=rows, gram=gram, squared_norms=norms)


def of_weights(data: Data, w: Numbers) -> Function:
    """The function of given weights, for the linear kernel.

    >>> from refmc.checker.kernels import prepare
    >>> of_weights(prepare(BinaryProblem(X=[[1, 2]], y=(1,))), [3, Fraction(1, 2)]).scores
    (Fraction(4, 1),)
    """
    assert data.rows is not None
    line = to_matrix([w])
    den = line.den * data.rows.den
    scores = tuple(Fraction(dot(row, line.rows[0]), den) for row in data.rows.rows)
    norm = Fraction(dot(line.rows[0], line.rows[0]), line.den * line.den)
    return Function(data.problem, scores, norm, tuple(map(Fraction, w)))


def of_multipliers(data: Data, alpha: Numbers) -> Function:
    """w(α), the sum of α_i y_i x_i.

    >>> from refmc.checker.kernels import prepare
    >>> of_multipliers(prepare(BinaryProblem(X=[[1], [2]], y=(1, -1))), [3, 1]).weights
    (Fraction(1, 1),)
    """
    line = to_matrix([alpha])
    signed = [a * sign for a, sign in zip(line.rows[0], data.problem.y, strict=True)]
    if data.rows is not None:
        columns, den = transpose(data.rows).rows, line.den * data.rows.den
        return of_weights(data, [Fraction(dot(column, signed), den) for column in columns])
    assert data.gram is not None
    products = [dot(row, signed) for row in data.gram.rows]
    den = line.den * data.gram.den
    norm = Fraction(dot(signed, products), line.den * den)
    return Function(data.problem, tuple(Fraction(p, den) for p in products), norm, None)


def hinges(y: Sequence[int], scores: Sequence[Fraction], b: Fraction) -> list[Fraction]:
    """η_i of each row.

    >>> hinges((1, -1), (Fraction(0), Fraction(0)), Fraction(1, 2))
    [Fraction(1, 2), Fraction(3, 2)]
    """
    below, above = 1 - b, 1 + b  # adding is fast, multiplying by a sign is not
    margins = zip(y, scores, strict=True)
    short = [below - g if sign > 0 else above + g for sign, g in margins]
    return [eta if eta.numerator > 0 else ZERO for eta in short]  # faster than to compare Fractions


def loss_of(problem: BinaryProblem, cost: Fraction, hinge: Fraction | int) -> Fraction:
    """What a row of this cost pays for its hinge, or for a slack.

    A slack below 0 is infeasible; it pays a negative amount, which counts as too little.

    >>> loss_of(BinaryProblem(y=(), squared=True), Fraction(2), Fraction(3))
    Fraction(18, 1)
    """
    return cost * hinge * max(hinge, -hinge) if problem.squared else cost * hinge


def primal(problem: BinaryProblem, function: Function, b: Fraction) -> Fraction:
    """P(w, b) of a soft problem.

    >>> from refmc.checker.kernels import prepare
    >>> problem = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=Fraction(1))
    >>> primal(problem, of_weights(prepare(problem), [Fraction(1, 2)]), Fraction(0))
    Fraction(9, 8)
    """
    paid = hinges(problem.y, function.scores, b)
    losses = (loss_of(problem, cost, eta) for cost, eta in zip(problem.costs, paid, strict=True))
    return function.norm / 2 + sum_of(losses)


def biases(
    problem: BinaryProblem, scores: Sequence[Fraction], slack: Numbers | None = None
) -> Interval:
    """All b with the least loss for given scores; 0 alone where no bias is free.

    With `slack`, a row pays only what the loss of its hinge exceeds that of its slack by. With one
    class alone the interval has only one end. For the hard margin these are the feasible b, if
    there are any.

    >>> biases(BinaryProblem(y=(1, -1)), (Fraction(3), Fraction(0)))
    Interval(low=Fraction(-2, 1), high=Fraction(-1, 1))
    """
    if problem.bias is not True:
        return Interval(ZERO, ZERO)
    one, rows = Fraction(1), []
    needs = [one] * len(scores) if slack is None else [one - eta for eta in slack]
    for sign, g, cost, need in zip(problem.y, scores, problem.costs, needs, strict=True):
        at = need - g if sign > 0 else -need - g
        if cost and problem.squared:
            rows.append((at, sign, 2 * cost, -2 * cost * (sign - g)))
        elif cost:
            rows.append((at, sign, ZERO, -cost if sign > 0 else cost))
    return _lowest(rows)


def _lowest(rows: Sequence[tuple[Fraction, int, Fraction, Fraction]]) -> Interval:
    """All b where the loss is least: from where it no longer falls to where it begins to rise.

    Each row has the b where it turns, its sign, and the rise and slope of rise·b + slope, the
    derivative of what it pays: below its b if it is positive, above if it is negative. The loss is
    convex in b, so its derivative never falls as b grows; between two turns it is linear in b.
    Below all turns exactly the positive rows pay. If there are any, the loss falls there; if there
    are none, it is least there, and the interval has no lower end.
    """
    (ends,), unit = to_matrix([[at for at, *_ in rows]])
    lines, _ = to_matrix([(rise, slope) for *_, rise, slope in rows])
    signs = [sign for _, sign, *_ in rows]
    whole = sorted((end, y, rise, by * unit) for end, y, (rise, by) in zip(ends, signs, lines))
    rise, slope = (sum(turn[i] for turn in whole if turn[1] > 0) for i in (2, 3))
    low, falls = None, 1 in signs
    # Rows that turn at one b turn together: between two of them no piece of the line is left.
    for end, turning in groupby(whole, key=itemgetter(0)):
        if falls and rise * end + slope > 0:
            b = Fraction(-slope, rise * unit)
            return Interval(b, b)
        for _, sign, steeper, more in turning:
            rise -= sign * steeper
            slope -= sign * more
        derivative, at = rise * end + slope, Fraction(end, unit)
        if falls and derivative >= 0:
            low, falls = at, False
        if not falls and (derivative > 0 or rise):
            return Interval(low, at)
    return Interval(low, None)


def repaired(data: Data, given: Numbers) -> Multipliers:
    """The multipliers, moved to a near feasible point where they aren't feasible.

    Entries below 0 become 0 and those above C_i become C_i. If there is a free bias and the sums of
    the two labels differ, the difference is taken off the largest entries of the larger sum.

    >>> from refmc.checker.kernels import prepare
    >>> problem = BinaryProblem(X=[[1], [2]], y=(1, -1), C=Fraction(1))
    >>> found = repaired(prepare(problem), [2, 0])
    >>> found.alpha, found.moved
    ((Fraction(0, 1), Fraction(0, 1)), Fraction(2, 1))
    """
    problem = data.problem
    old = list(map(Fraction, given))
    new = [max(ZERO, a) for a in old]
    caps = problem.costs
    if problem.C is not None:
        new = [a if problem.squared and C else min(a, C) for a, C in zip(new, caps, strict=True)]
    if problem.bias is True:
        excess = rational_dot(new, problem.y)
        heavier = [i for i, sign in enumerate(problem.y) if sign * excess > 0]
        rest = abs(excess)
        for i in sorted(heavier, key=lambda i: -new[i]):
            cut = min(rest, new[i])
            new[i] -= cut
            rest -= cut
    function = of_multipliers(data, new)
    dual = sum_of(new) - function.norm / 2
    if problem.squared:
        dual -= sum_of(a * a / (4 * C) for a, C in zip(new, caps, strict=True) if a)
    moved = sum_of(abs(a - b) for a, b in zip(old, new, strict=True))
    faults = tuple(_faults(problem, old)) if moved else ()
    return Multipliers(tuple(new), function, dual, moved, faults)


def _faults(problem: BinaryProblem, alpha: Sequence[Fraction]) -> Iterator[Violation]:
    for i, (a, cap) in enumerate(zip(alpha, problem.costs, strict=True)):
        if a < 0:
            yield Violation(Place.of("row", i), f"multiplier {short_text(a)} is negative", -a)
        elif problem.C is not None and a > cap and not (problem.squared and cap):
            name = "C" if cap == problem.C else f"C_{i}"
            text = f"multiplier {short_text(a)} is more than {name} = {short_text(cap)}"
            yield Violation(Place.of("row", i), text, a - cap)
    balance = rational_dot(alpha, problem.y)
    if problem.bias is True and balance:
        text = f"the sum of y_i α_i is {short_text(balance)}, needs 0 for the bias"
        yield Violation("all rows", text, abs(balance))
