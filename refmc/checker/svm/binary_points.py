"""Functions, biases and multipliers of the binary SVM, evaluated exactly.

Covers [chang, "Soft SVM"], [chang, "Dual SVM problem"] and [chang, "Max-margin classifiers"].

    m, y_i      rows; the label of row i, -1 or +1
    w, g_i      the weights, and the score w.x_i without the bias; f_i = g_i + b
    eta_i       hinge: the larger of 0 and 1 - y_i f_i
    alpha       m multipliers >= 0 (and <= C in the soft problem), with y'alpha = 0 if there is a bias
    w(alpha)    the sum of alpha_i y_i x_i; its dual value is the sum of alpha - 1/2 |w(alpha)|^2

With a kernel, w lives in the feature space and only its scores and its norm are known.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from refmc.checker.kernels import Kernel, Prepared
from refmc.checker.numbers.arithmetic import Rows, dot, to_matrix, transpose
from refmc.checker.printing import short_text
from refmc.checker.verdict import Violation

Numbers = Sequence[Fraction | int]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One training problem: rows X with a kernel, or a Gram matrix alone.

    `y` holds -1 or +1 for each row; `C` is None for the hard margin; `classes` are the texts of
    the negative and the positive label.

    >>> Problem(X=[[1]], y=(1,), C=Fraction(1)).label(-1)
    '-1'
    """

    X: Rows | None = None
    gram: Rows | None = None
    kernel: Kernel = None
    y: tuple[int, ...]
    C: Fraction | None = None
    bias: bool = True
    classes: tuple[str, str] = ("-1", "+1")

    def label(self, sign: int) -> str:
        """The text of a label.

        >>> Problem(y=(), classes=("no", "yes")).label(1)
        'yes'
        """
        return self.classes[sign > 0]


Data = Prepared[Problem]


@dataclass(frozen=True)
class Function:
    """Weights without a bias: the scores g_i, |w|^2, and w itself where the kernel is linear."""

    scores: tuple[Fraction, ...]
    norm: Fraction
    weights: tuple[Fraction, ...] | None


@dataclass(frozen=True)
class Interval:
    """All numbers from low to high; None is infinite."""

    low: Fraction | None
    high: Fraction | None

    def closest(self, b: Fraction) -> Fraction:
        """The member that is nearest to b.

        >>> Interval(None, Fraction(2)).closest(Fraction(5))
        Fraction(2, 1)
        """
        if self.low is not None and b < self.low:
            return self.low
        return self.high if self.high is not None and b > self.high else b


@dataclass(frozen=True, kw_only=True)
class Submission:
    """What was submitted of an answer, at least one of the first six, and claims about it.

    `w` (linear kernel only) is judged with `b`, or with its best b where none is given; without
    `w`, `b` belongs to w(alpha).  `scores` hold the bias, `labels` are -1 and +1.  `separable` and
    `combination` are for the hard margin.  `slack` is that of w, else of alpha, else of the scores.
    `values` are claimed optimal values by the names of their fields.  `margin_squared` is a number
    or "inf".

    >>> Submission(w=[1], b=Fraction(0)).alpha is None
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


@dataclass(frozen=True)
class Mended:
    """Multipliers as judged, w(alpha), the dual value, and what a repair took."""

    alpha: tuple[Fraction, ...]
    function: Function
    dual: Fraction
    moved: Fraction
    faults: tuple[Violation, ...]


@dataclass(frozen=True)
class Evidence:
    """The bounds lower <= P* <= upper, and what gives them.

    `duals` are all feasible multipliers that are known; `upper` is the primal value of the centre
    with any of its best `biases`.
    """

    duals: tuple[Mended, ...]
    centre: Function
    biases: Interval
    lower: Fraction
    upper: Fraction

    @property
    def best_dual(self) -> Mended:
        """The multipliers with the largest dual value."""
        return max(self.duals, key=lambda d: d.dual)

    @property
    def width(self) -> Fraction:
        """How far apart the bounds are."""
        return self.upper - self.lower


def refuse_misuse(problem: Problem, given: Submission, allowed: Fraction) -> None:
    """Raise `ValueError` where the parts of a submission don't fit together or the problem.

    >>> refuse_misuse(Problem(gram=[[1]], y=(1,)), Submission(w=[1]), Fraction(0))
    Traceback (most recent call last):
      ...
    ValueError: w needs the linear kernel; submit alpha or scores
    """
    if given.w is not None and (problem.gram is not None or isinstance(problem.kernel, tuple)):
        raise ValueError("w needs the linear kernel; submit alpha or scores")
    if given.b is not None and given.w is None and given.alpha is None:
        raise ValueError("b needs w or alpha beside it")
    if given.b and not problem.bias:
        raise ValueError("the problem has no bias")
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")


def squared_distance(data: Data, i: int, j: int) -> Fraction:
    """|x_i - x_j|^2, in the feature space.

    >>> from refmc.checker.kernels import prepare
    >>> squared_distance(prepare(Problem(X=[[1], [3]], y=(1, 1))), 0, 1)
    Fraction(4, 1)
    """
    if data.gram is not None:
        product = data.gram.entry(i, j)
    else:
        assert data.rows is not None
        rows = data.rows
        product = Fraction(dot(rows.rows[i], rows.rows[j]), rows.den * rows.den)
    return data.squared_norms[i] + data.squared_norms[j] - 2 * product


def of_weights(data: Data, w: Numbers) -> Function:
    """The function of given weights, for the linear kernel.

    >>> from refmc.checker.kernels import prepare
    >>> of_weights(prepare(Problem(X=[[1, 2]], y=(1,))), [3, Fraction(1, 2)]).scores
    (Fraction(4, 1),)
    """
    if data.rows is None:
        raise ValueError("weights need the linear kernel")
    line = to_matrix([w])
    den = line.den * data.rows.den
    scores = tuple(Fraction(dot(row, line.rows[0]), den) for row in data.rows.rows)
    norm = Fraction(dot(line.rows[0], line.rows[0]), line.den * line.den)
    return Function(scores, norm, tuple(map(Fraction, w)))


def of_multipliers(data: Data, alpha: Numbers) -> Function:
    """w(alpha), the sum of alpha_i y_i x_i.

    >>> from refmc.checker.kernels import prepare
    >>> of_multipliers(prepare(Problem(X=[[1], [2]], y=(1, -1))), [3, 1]).weights
    (Fraction(1, 1),)
    """
    line = to_matrix([alpha])
    signed = [a * sign for a, sign in zip(line.rows[0], data.problem.y, strict=True)]
    if data.rows is not None:
        columns = transpose(data.rows, len(data.rows.rows[0]))
        den = line.den * data.rows.den
        return of_weights(data, [Fraction(dot(column, signed), den) for column in columns.rows])
    assert data.gram is not None
    products = [dot(row, signed) for row in data.gram.rows]
    den = line.den * data.gram.den
    norm = Fraction(dot(signed, products), line.den * den)
    return Function(tuple(Fraction(p, den) for p in products), norm, None)


def hinges(y: Sequence[int], scores: Sequence[Fraction], b: Fraction) -> list[Fraction]:
    """eta_i of each row.

    >>> hinges((1, -1), (Fraction(0), Fraction(0)), Fraction(1, 2))
    [Fraction(1, 2), Fraction(3, 2)]
    """
    nothing = Fraction(0)
    return [max(nothing, 1 - sign * (g + b)) for sign, g in zip(y, scores, strict=True)]


def primal(data: Data, function: Function, b: Fraction, C: Fraction | None = None) -> Fraction:
    """P(w, b), with the C of the problem or another one.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> primal(data, of_weights(data, [Fraction(1, 2)]), Fraction(0))
    Fraction(9, 8)
    """
    C = data.problem.C if C is None else C
    if C is None:
        raise ValueError("the hard margin has no hinges")
    return function.norm / 2 + C * sum(hinges(data.problem.y, function.scores, b), Fraction(0))


def biases(problem: Problem, scores: Sequence[Fraction]) -> Interval:
    """All b with the least sum of hinges for given scores; without a bias 0 alone.

    As b grows, the slope of that sum starts at minus the number of positive rows and rises by 1 at
    each y_i - g_i: it is 0 between two neighbours of their sorted list.  One class alone leaves b
    without an end.  For the hard margin these are the feasible b, where there are any.

    >>> biases(Problem(y=(1, -1)), (Fraction(3), Fraction(0)))
    Interval(low=Fraction(-2, 1), high=Fraction(-1, 1))
    """
    if not problem.bias:
        return Interval(Fraction(0), Fraction(0))
    turns = sorted(sign - g for sign, g in zip(problem.y, scores, strict=True))
    positive = sum(sign > 0 for sign in problem.y)
    low = turns[positive - 1] if positive else None
    return Interval(low, turns[positive] if positive < len(turns) else None)


def best_bias(data: Data, function: Function) -> Fraction:
    """One b with the least sum of hinges: the middle of all of them, or their only end.

    >>> data = Prepared(Problem(y=(1,)), None, None, ())
    >>> best_bias(data, Function((Fraction(3),), Fraction(0), None))
    Fraction(-2, 1)
    """
    best = biases(data.problem, function.scores)
    if best.low is None or best.high is None:
        return best.low or best.high or Fraction(0)
    return (best.low + best.high) / 2


def mended(data: Data, given: Numbers) -> Mended:
    """The multipliers, moved to a near feasible point where they aren't feasible.

    Entries below 0 become 0, those above C become C, and what the multipliers of one label sum to
    above those of the other is taken off the largest of them if there is a bias.

    >>> from refmc.checker.kernels import prepare
    >>> found = mended(prepare(Problem(X=[[1], [2]], y=(1, -1), C=Fraction(1))), [2, 0])
    >>> found.alpha, found.moved
    ((Fraction(0, 1), Fraction(0, 1)), Fraction(2, 1))
    """
    old = list(map(Fraction, given))
    new = [max(Fraction(0), a) for a in old]
    if data.problem.C is not None:
        new = [min(a, data.problem.C) for a in new]
    if data.problem.bias:
        excess = sum((a * s for a, s in zip(new, data.problem.y, strict=True)), Fraction(0))
        heavier = [i for i, sign in enumerate(data.problem.y) if sign * excess > 0]
        rest = abs(excess)
        for i in sorted(heavier, key=lambda i: -new[i]):
            cut = min(rest, new[i])
            new[i] -= cut
            rest -= cut
    function = of_multipliers(data, new)
    dual = sum(new, Fraction(0)) - function.norm / 2
    moved = sum((abs(a - b) for a, b in zip(old, new, strict=True)), Fraction(0))
    return Mended(tuple(new), function, dual, moved, _faults(data.problem, old) if moved else ())


def evidence_of(data: Data, function: Function | None, *known: Mended | None) -> Evidence:
    """The best bounds of a soft problem; alpha = 0 always gives D = 0, and w = 0 some P.

    >>> from refmc.checker.kernels import prepare
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2)).width
    Fraction(0, 1)
    """
    duals = [mended(data, [0] * len(data.problem.y)), *(d for d in known if d is not None)]
    functions = [d.function for d in duals] + ([] if function is None else [function])
    values = [primal(data, f, best_bias(data, f)) for f in functions]
    upper, lower = min(values), max(d.dual for d in duals)
    centre = functions[values.index(upper)]
    return Evidence(tuple(duals), centre, biases(data.problem, centre.scores), lower, upper)


def _faults(problem: Problem, alpha: Sequence[Fraction]) -> tuple[Violation, ...]:
    faults = []
    for i, a in enumerate(alpha):
        if a < 0:
            faults.append(Violation(f"row {i}", f"multiplier {short_text(a)} is negative", -a))
        elif problem.C is not None and a > problem.C:
            text = f"multiplier {short_text(a)} is more than C = {short_text(problem.C)}"
            faults.append(Violation(f"row {i}", text, a - problem.C))
    balance = sum((a * sign for a, sign in zip(alpha, problem.y, strict=True)), Fraction(0))
    if problem.bias and balance:
        text = f"the sum of y_i alpha_i is {short_text(balance)}, needs 0 for the bias"
        faults.append(Violation("all rows", text, abs(balance)))
    return tuple(faults)
