"""Binary perceptrons, with weights and with a kernel.

Covers [chang, "Recap: The Perceptron Algorithm"] and [chang, "Kernel Perceptron Algorithm"].

Differs from the lecture:
- it tests y(w·x + b) ≤ 0 and never updates b, so that b stays 0; here b is left out, and
  `bias=True` updates it as the weight of a constant feature 1;
- it visits every row once; here that is one of several epochs, the first of which without
  a mistake is the last.

Legend: m rows x_i of d numbers with labels y_i; t counts the visits to rows, T in all; w, b the
weights; α_i the mistakes made on row i.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic

from refmc.core.linalg import dot, total
from refmc.core.sample import Labels, Matrix, read_rows
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.core.two_classes import read_two_classes
from refmc.errors import DataError, MixedArithmeticError
from refmc.learn.online.course import Course, combination, kept_shares
from refmc.learn.online.draws import Average, Order, Visit, epoch_orders, visits
from refmc.learn.online.perceptron_models import KernelPerceptron, Perceptron, Voter
from refmc.theory.grams import check_gram, check_source, kernel_row
from refmc.theory.kernels import Kernel, linear


@dataclass(frozen=True)
class PerceptronStep(Generic[S]):
    """Visit t, in the given epoch, to row i: its score w·x + b before, and w, b after it."""

    t: int
    epoch: int
    i: int
    y: int
    score: S
    mistake: bool
    w: tuple[S, ...]
    b: S


@dataclass(frozen=True)
class KernelPerceptronStep(Generic[S]):
    """Visit t, in the given epoch, to row j: its score before, and all α after it."""

    t: int
    epoch: int
    j: int
    y: int
    score: S
    mistake: bool
    alpha: tuple[int, ...]


def fit_perceptron(
    X: Matrix,
    y: Labels,
    *,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    average: Average | None = None,
    voted: bool = False,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[PerceptronStep[Any]], None] | None = None,
) -> Perceptron[float] | Perceptron[Fraction]:
    """Train a binary perceptron: wherever y(w·x + b) ≤ 0, add yx to w.

    X: m rows of d numbers; y: labels −1 and +1, or any two named by classes=(negative, positive).
    At most `epochs` times through the rows in `order` (see `epoch_orders`), ending with the first
    epoch without a mistake; a score of 0 is one. `average`: `equally`, `by_age` or another weight
    of what visit t leaves; None keeps the last weights. `voted`: every weight vector votes once
    for each visit it outlasted, which keeps one of them a mistake.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(d) a visit; averaging
    O(T + d·mistakes). [chang, "Recap: The Perceptron Algorithm"],
    [chang, "Example: The Perceptron Algorithm"], [keshet §2.1]

    >>> model = fit_perceptron([[Fraction(1), 0], [2, 1]], [1, 1], epochs=5)
    >>> model.w, model.course.mistakes, model.course.converged
    ((Fraction(1, 1), Fraction(0, 1)), (Visit(t=1, epoch=1, row=0),), True)
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    signs, order_of_classes = read_two_classes(y, classes, len(rows))
    orders = epoch_orders(order, len(rows), epochs)
    trail, course = _perceptron(rows, signs, orders, bias, voted, zero, on_step)
    w, b = trail[-1]
    if average is not None:
        kept = kept_shares(course, average, zero)
        updates = [(a * signs[v.row], rows[v.row]) for a, v in zip(kept, course.mistakes)]
        w = combination(updates, len(w), zero)
        b = total((a for a, _ in updates), zero) if bias else zero
    voters = tuple(Voter(*weights, votes) for weights, votes in zip(trail, course.survivals()))
    model: Perceptron[Any] = Perceptron(
        order_of_classes, w, b, voters if voted else (), course, zero, tie
    )
    return model


def _perceptron(
    rows: Sequence[tuple[S, ...]],
    signs: Sequence[int],
    orders: Iterable[tuple[int, ...]],
    bias: bool,
    voted: bool,
    zero: S,
    on_step: Callable[[PerceptronStep[Any]], None] | None,
) -> tuple[list[tuple[tuple[S, ...], S]], Course]:
    """[chang, "Recap: The Perceptron Algorithm"]: the weights (all of them if `voted`)."""
    w, b = (zero,) * len(rows[0]), zero
    trail = [(w, b)]
    mistakes: list[Visit] = []
    visit = Visit(0, 0, 0)
    for visit in visits(orders, mistakes):
        x, y = rows[visit.row], signs[visit.row]
        score = dot(w, x, zero) + b
        mistake = y * score <= 0
        if mistake:
            w = tuple([a + y * c for a, c in zip(w, x)])
            if bias:
                b = b + y
            mistakes.append(visit)
            if not voted:
                trail.clear()
            trail.append((w, b))
        if on_step is not None:
            on_step(PerceptronStep(visit.t, visit.epoch, visit.row, y, score, mistake, w, b))
    return trail, Course(tuple(mistakes), visit.t, visit.epoch)


def fit_kernel_perceptron(
    X: Matrix | None,
    y: Labels,
    *,
    kernel: Kernel = linear,
    gram: Matrix | None = None,
    epochs: int = 1,
    order: Order = None,
    bias: bool = False,
    average: Average | None = None,
    voted: bool = False,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[KernelPerceptronStep[Any]], None] | None = None,
) -> KernelPerceptron[float] | KernelPerceptron[Fraction]:
    """Train a kernel perceptron: wherever y_j Σ α_i y_i K(x_i, x_j) ≤ 0, add 1 to α_j.

    `kernel`: K(x, x′); or `gram`: the m×m matrix of its values instead (X may then be None),
    symmetric, which needn't be positive semi-definite. Everything else as `fit_perceptron`, which
    it equals with the linear kernel; `bias=True` adds 1 to every kernel value.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError` (a kernel of floats with exact
    rows; lift its Gram matrix). Cost: O(1) a visit, for the score of every row is kept; an update
    O(m), and m kernel values at the first one of a row; memory O(m·rows with a mistake).
    [chang, "Example: Perceptron Algorithm with Mapping"], [chang, "Kernel Perceptron Algorithm"]

    >>> model = fit_kernel_perceptron([[Fraction(1), 0], [2, 1]], [1, 1], epochs=5)
    >>> model.alpha, model.predict([[1, 1], [-1, 0]])
    ((Fraction(1, 1), Fraction(0, 1)), [1, -1])
    """
    check_policy(tie, "tie")
    rows, m, zero, kernel_values = _read_kernel(X, kernel, gram)
    signs, order_of_classes = read_two_classes(y, classes, m)
    orders = epoch_orders(order, m, epochs)
    counts, course = _kernel_perceptron(signs, kernel_values, orders, bias, zero, on_step)
    alpha: list[Any] = [zero + count for count in counts]
    if average is not None:
        alpha = [zero] * m
        for a, visit in zip(kept_shares(course, average, zero), course.mistakes):
            alpha[visit.row] += a
    model: KernelPerceptron[Any] = KernelPerceptron(
        classes=order_of_classes,
        alpha=tuple(alpha),
        b=dot(alpha, signs, zero) if bias else zero,
        y=signs,
        kernel=kernel if gram is None else None,
        rows=rows,
        bias=bias,
        voted=voted,
        course=course,
        zero=zero,
        tie=tie,
    )
    return model


def _kernel_perceptron(
    signs: Sequence[int],
    kernel_values: Callable[[int], Sequence[S]],
    orders: Iterable[tuple[int, ...]],
    bias: bool,
    zero: S,
    on_step: Callable[[KernelPerceptronStep[Any]], None] | None,
) -> tuple[list[int], Course]:
    """[chang, "Kernel Perceptron Algorithm"], with Σ_i α_i y_i K(x_i, x_j) kept for every j."""
    m = len(signs)
    alpha, scores = [0] * m, [zero] * m
    constant = zero + bool(bias)
    mistakes: list[Visit] = []
    visit = Visit(0, 0, 0)
    for visit in visits(orders, mistakes):
        j = visit.row
        y, score = signs[j], scores[j]
        mistake = y * score <= 0
        if mistake:
            alpha[j] += 1
            scores = [s + y * (K_ij + constant) for s, K_ij in zip(scores, kernel_values(j))]
            mistakes.append(visit)
        if on_step is not None:
            step = KernelPerceptronStep(visit.t, visit.epoch, j, y, score, mistake, tuple(alpha))
            on_step(step)
    total(scores, zero)  # raises where they left the range of floats
    return alpha, Course(tuple(mistakes), visit.t, visit.epoch)


def _read_kernel(
    X: Matrix | None, kernel: Kernel, gram: Matrix | None
) -> tuple[tuple[tuple[Any, ...], ...] | None, int, Any, Callable[[int], Sequence[Any]]]:
    """The rows (None beside a Gram matrix), their number, the zero, and K(x_j, ·) for each j."""
    check_source(X, kernel, gram)
    if gram is not None:
        K, zero = check_gram(gram)
        if X is not None and len(read_rows(X)[0]) != len(K):
            raise DataError(f"gram: expected as many rows as X has, got {len(K)}")
        return None, len(K), zero, K.__getitem__
    assert X is not None  # by check_source
    rows, zero = read_rows(X)
    known: dict[int, Sequence[Any]] = {}

    def kernel_values(j: int) -> Sequence[Any]:
        if j not in known:
            known[j] = _kernel_values(kernel, rows, j, zero)
        return known[j]

    return rows, len(rows), zero, kernel_values


def _kernel_values(kernel: Kernel, rows: Sequence[Sequence[S]], j: int, zero: S) -> Sequence[S]:
    try:
        return kernel_row(kernel, rows, rows[j], zero)
    except MixedArithmeticError as error:
        raise MixedArithmeticError(
            f"{error}; decide on the matrix to be trained with, such as gram=exact(gram(kernel, X))"
        ) from None
