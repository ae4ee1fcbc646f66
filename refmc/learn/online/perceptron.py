"""The binary perceptron, and the kernel perceptron.

The plain programs are `refmc.lectures.chang.perceptron` and
`refmc.lectures.chang.kernel_perceptron`. Beyond them: epochs until one has no mistake, a bias that
is updated, a step size, weights of rows, and predictions by the average or the vote of all states.

Covers [chang, "Recap: The Perceptron Algorithm"] and [chang, "Kernel Perceptron Algorithm"].

Differs from the lecture:
- it tests y(w·x + b) ≤ 0 and never updates b, so that b stays 0; here b is left out, and
  `bias=True` updates it as the weight of a constant feature 1;
- it visits every row once; here that is one epoch of several, and the training ends after the
  first epoch without a mistake.

Legend: m rows x_i of d numbers with signs y_i = ±1; t counts the visits to rows, T in all; w, b
the weights; α_i the number of mistakes made on row i; η the step size.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any, Generic, NamedTuple

from refmc.core.labels import read_two_classes
from refmc.core.linalg import common_denominator, dot, total
from refmc.core.parameters import positive_parameter
from refmc.core.sample import Labels, Matrix, Row, read_rows, row_counts
from refmc.core.scalars import Number, S
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import MixedArithmeticError
from refmc.learn.online.perceptron_course import Training
from refmc.learn.online.perceptron_models import KernelPerceptron, Perceptron, Voter
from refmc.learn.online.runs import Average, Order, epoch_orders, read_start
from refmc.theory.grams import kernel_row, read_source, refuse_unlike
from refmc.theory.kernels import Kernel, is_rational, linear, whole_values


class PerceptronStep(NamedTuple, Generic[S]):
    """Visit t, in the given epoch, to row i of sign y: the score w·x + b before it, w, b after."""

    t: int
    epoch: int
    i: int
    y: int
    score: S
    mistake: bool
    w: tuple[S, ...]
    b: S


class KernelPerceptronStep(NamedTuple, Generic[S]):
    """Visit t, in the given epoch, to row j of sign y: its score before, and α after it."""

    t: int
    epoch: int
    j: int
    y: int
    score: S
    mistake: bool
    alpha: tuple[S, ...]


def fit_perceptron(
    X: Matrix,
    y: Labels,
    *,
    eta: Number = 1,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    start: Row | None = None,
    weights: Row | None = None,
    average: Average | None = None,
    voted: bool = False,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[PerceptronStep[Any]], None] | None = None,
) -> Perceptron[float] | Perceptron[Fraction]:
    """Train a binary perceptron: wherever y(w·x + b) ≤ 0, add ηyx to w.

    X: m rows of d numbers; y: labels −1 and +1, or any two named by classes=(negative, positive).
    `eta`: η > 0; where the run begins at 0, it multiplies w and b and changes no prediction.
    `epochs`: how many times the rows are visited at most, each time in `order` (0, 1, …, m − 1 if
    None; see `epoch_orders`); the first epoch without a mistake is the last. A score of 0 is a
    mistake. `bias`: update b too; it stays 0 otherwise. `start`: w before the first visit, with b
    after it where there is a `bias`; 0 if None. `weights`: how often each row is visited at its
    turn, whole numbers, so that the run is that on the sample in which each row stands so often.
    `average`: predict by the mean of w, b over the visits, with the weights `equally`, `by_age` or
    another function of t; None predicts by the last w, b. `voted`: predict by the vote of all
    states, each with a vote for every visit that it lasted.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(d) for a visit; averaging
    O(T + d·mistakes). [chang, "Recap: The Perceptron Algorithm"],
    [chang, "Example: The Perceptron Algorithm"], [keshet §2.1]

    >>> model = fit_perceptron([[Fraction(1), 0], [2, 1]], [1, 1], epochs=5)
    >>> model.w, model.course.mistakes, model.course.converged
    ((Fraction(1, 1), Fraction(0, 1)), (Visit(t=1, epoch=1, row=0),), True)
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    signs, order_of_classes = read_two_classes(y, classes, len(rows))
    orders = epoch_orders(order, row_counts(weights, len(rows)), epochs)
    w, b = read_start(start, len(rows[0]), bias, zero)
    rate = positive_parameter(eta, "eta", zero)
    training = Training((w, (b,)), average, voted, zero)
    for visit in training.visits(orders):
        x, own = rows[visit.row], signs[visit.row]
        score = dot(w, x, zero) + b
        mistake = own * score <= 0
        if mistake:
            step = own * rate
            w = tuple([a + step * c for a, c in zip(w, x)])
            b = b + step if bias else b
        training.see((w, (b,)) if mistake else None)
        if on_step is not None:
            on_step(PerceptronStep(*visit, own, score, mistake, w, b))
    course, (w, (b,)) = training.course(), training.result()
    states = zip(training.voters, course.survivals())
    voters = tuple(Voter(w, b, votes) for (w, (b,)), votes in states)
    return Perceptron(order_of_classes, w, b, voters, course, zero, tie)


def fit_kernel_perceptron(
    X: Matrix | None,
    y: Labels,
    *,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    eta: Number = 1,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    start: Row | None = None,
    weights: Row | None = None,
    average: Average | None = None,
    voted: bool = False,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[KernelPerceptronStep[Any]], None] | None = None,
) -> KernelPerceptron[float] | KernelPerceptron[Fraction]:
    """Train a kernel perceptron: wherever y_j Σ α_i y_i K(x_i, x_j) ≤ 0, add η to α_j.

    `kernel`: K(x, x′); or `gram`: the m×m matrix of its values instead (X may then be None),
    symmetric, which needn't be positive semi-definite. `start`: α before the first visit; 0 if
    None. Everything else is as in `fit_perceptron`, and with the linear kernel both make the same
    predictions; `bias=True` adds 1 to every kernel value.

    Raises `DataError` (also where two rows that both have a mistake show that K is not symmetric),
    `ParameterError`, `MixedArithmeticError` (a kernel of floats with exact rows; lift its Gram
    matrix). Cost: O(1) for a visit, since the score of every row is kept; O(m) for an update, and m
    kernel values for the first update of each row; memory O(m·rows with a mistake).
    [chang, "Example: Perceptron Algorithm with Mapping"], [chang, "Kernel Perceptron Algorithm"]

    >>> model = fit_kernel_perceptron([[Fraction(1), 0], [2, 1]], [1, 1], epochs=5)
    >>> model.alpha, model.predict([[1, 1], [-1, 0]])
    ((Fraction(1, 1), Fraction(0, 1)), [1, -1])
    """
    check_policy(tie, "tie")
    rows, m, zero, row_of_kernel = _read_kernel(X, kernel, gram)
    signs, order_of_classes = read_two_classes(y, classes, m)
    orders = epoch_orders(order, row_counts(weights, m), epochs)
    begun, _ = read_start(start, m, False, zero)
    rate = positive_parameter(eta, "eta", zero)
    training = Training((begun,), average, voted, zero)
    scores = _Scores(signs, row_of_kernel, bias, zero)
    # Whole numbers are shorter and faster than Fractions where α only counts mistakes.
    alpha: Any = (0,) * m if start is None else begun
    step: Any = 1 if rate == 1 else rate
    for i, times in enumerate(alpha):
        if times:
            scores.add(i, times)
    for visit in training.visits(orders):
        j, score = visit.row, scores[visit.row]
        mistake = signs[j] * score <= 0
        if mistake:
            alpha = (*alpha[:j], alpha[j] + step, *alpha[j + 1 :])
            scores.add(j, step)
        training.see((alpha,) if mistake else None)
        if on_step is not None:
            on_step(KernelPerceptronStep(*visit, signs[j], score, mistake, alpha))
    alpha = tuple([zero + a for a in training.result()[0]])
    return KernelPerceptron(
        classes=order_of_classes,
        start=begun,
        eta=rate,
        alpha=alpha,
        b=dot(alpha, signs, zero) if bias else zero,
        y=signs,
        kernel=kernel if gram is None else None,
        rows=rows,
        bias=bias,
        voted=voted,
        course=training.course(),
        zero=zero,
        tie=tie,
    )


class _Scores:
    """The score Σ_i α_i y_i K(x_i, x_j) of every row j.

    All are kept. A mistake changes all of them by one term, so that a visit costs O(1) and only a
    mistake O(m). Exact ones are whole numbers over one denominator, `unit`, which is 1 for floats.
    """

    def __init__(
        self,
        signs: Sequence[int],
        row_of_kernel: Callable[[int], tuple[Sequence[Any], int]],
        bias: bool,
        zero: Any,
    ) -> None:
        self._signs, self._row_of_kernel, self._zero = signs, row_of_kernel, zero
        self._constant = int(bool(bias))  # b is the weight of a feature that is 1 in all rows
        self._sums: list[Any] = [zero if isinstance(zero, float) else 0] * len(signs)
        self._unit = 1

    def __getitem__(self, j: int) -> Any:
        found = self._sums[j]
        return found if isinstance(self._zero, float) else Fraction(found, self._unit)

    def add(self, i: int, times: Any) -> None:
        """Let α_i grow by `times`."""
        values, over = self._row_of_kernel(i)
        change = times * self._signs[i]
        constant, kept = self._constant * over, 1
        if not isinstance(self._zero, float):
            over *= change.denominator
            unit = lcm(self._unit, over)
            kept, change = unit // self._unit, change.numerator * (unit // over)
            self._unit = unit
        self._sums = [kept * s + change * (K + constant) for s, K in zip(self._sums, values)]
        if isinstance(self._zero, float):
            total(self._sums, self._zero)  # raises where they have left the range of floats


def _read_kernel(
    X: Matrix | None, kernel: Kernel, gram: Matrix | None
) -> tuple[
    tuple[tuple[Any, ...], ...] | None, int, Any, Callable[[int], tuple[Sequence[Any], int]]
]:
    """The rows (None beside a Gram matrix), their number m, the zero of their arithmetic, and a
    function from j to the kernel values K(x_j, x_i) of all rows i: floats over 1, or whole numbers
    over a common denominator.
    """
    rows, zero = read_source(X, kernel, gram)
    known: dict[int, Sequence[Any]] = {}

    def values(j: int) -> Sequence[Any]:
        if gram is not None:
            return rows[j]
        try:
            known[j] = kernel_row(kernel, rows, rows[j], zero)
        except MixedArithmeticError as error:
            raise MixedArithmeticError(
                f"{error}; decide on the matrix to be trained with, such as "
                "gram=exact(gram(kernel, X))"
            ) from None
        # Two rows that both have a mistake have their kernel value in both orders, so that an
        # asymmetric function is found there without computing anything more.
        for i in known:
            refuse_unlike(j, i, known[j][i], known[i][j])
        return known[j]

    is_whole = not isinstance(zero, float) and gram is None and is_rational(kernel)
    # A parameter that is a float is left to the kernel itself, which refuses it.
    is_whole = is_whole and float not in map(type, vars(kernel).values())
    exact_rows, unit = common_denominator(rows if is_whole else [])

    @cache
    def over_one_unit(j: int) -> tuple[Sequence[Any], int]:
        if isinstance(zero, float):
            return values(j), 1
        if is_whole:
            return whole_values(kernel, exact_rows, exact_rows[j], unit)
        (whole,), over = common_denominator([values(j)])
        return whole, over

    return None if gram is not None else rows, len(rows), zero, over_one_unit
