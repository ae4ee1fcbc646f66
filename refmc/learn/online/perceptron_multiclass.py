"""The multi-class perceptron, with the two update rules of the lecture or any other.

The plain program is `refmc.lectures.keshet.multiclass_perceptron`. Beyond it: epochs, the set of
all tied predictions, any τ, a step size, weights of rows, and averaged and voted states.

Covers [keshet §2.1].

Differs from the lecture:
- E_y is defined by a strict >. At w = 0, and wherever the row's own class loses a tie, that set
  is empty and 1/|E_y| undefined; here E_y = {r ≠ y | w^r·x ≥ w^y·x}, never empty at a mistake;
- it leaves open which arg max ŷ is; here the policy `tie` chooses it, or, with
  `ties_are_mistakes`, a tie goes against the row, as in the binary test ≤ 0. Then the algorithm
  with two classes is the binary one: w^{+1} = −w^{−1} = w, so w^{+1} − w^{−1} = 2w.

Legend: m rows x_i of d numbers with labels y_i, k classes; t counts the visits to rows, T in all;
w^r the weights of class r, a row of W; ŷ the predicted class, y_hat in the code; τ_r how much of x
is added to w^r; E_y the classes other than y that score at least as much as y.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, Generic, NamedTuple

from refmc.core.linalg import dot
from refmc.core.parameters import check_function, positive_parameter
from refmc.core.sample import Labels, Matrix, Row, read_labels, read_row, read_rows, row_counts
from refmc.core.scalars import Number, S
from refmc.core.ties import TiePolicy, argmax_set, check_policy, first
from refmc.errors import ParameterError
from refmc.learn.online.perceptron_course import Training
from refmc.learn.online.perceptron_models import MulticlassPerceptron, MulticlassVoter
from refmc.learn.online.runs import (
    Average,
    Order,
    Vectors,
    check_state,
    epoch_orders,
    read_start_rows,
)

Tau = Callable[[tuple[Any, ...], int, int], Sequence[float] | Sequence[Fraction]]
"""An update rule: from the scores of a row, its class y and the predicted class ŷ ≠ y to τ, which
has one number for each class."""


class MulticlassPerceptronStep(NamedTuple, Generic[S]):
    """Visit t, in the given epoch, to row i of class y: what was predicted, and W after it.

    `tied`: all classes of the highest score. `y_hat`: the predicted one. `tau`: τ, None where there
    was no mistake. Classes are given by their positions.
    """

    t: int
    epoch: int
    i: int
    y: int
    scores: tuple[S, ...]
    tied: tuple[int, ...]
    y_hat: int
    tau: tuple[S, ...] | None
    W: Vectors[S]

    @property
    def E(self) -> tuple[int, ...]:
        """The other classes that score at least as much as y."""
        return rivals(self.scores, self.y)


def fit_multiclass_perceptron(
    X: Matrix,
    y: Labels,
    *,
    tau: Tau | None = None,
    ties_are_mistakes: bool = False,
    eta: Number = 1,
    epochs: int = 1,
    order: Order = None,
    start: Matrix | None = None,
    weights: Row | None = None,
    average: Average | None = None,
    voted: bool = False,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    on_step: Callable[[MulticlassPerceptronStep[Any]], None] | None = None,
) -> MulticlassPerceptron[float] | MulticlassPerceptron[Fraction]:
    """Train a multi-class perceptron: wherever ŷ ≠ y, add ητ_r x to the weights of each class r.

    X: m rows of d numbers; y: m labels; `classes` fixes their order, and admits classes that no
    row has. `tau`: the update rule `chosen_rival` (if None), `all_rivals`, or a function of
    (scores, y, ŷ) that gives τ in the data's arithmetic. ŷ is chosen from the arg max
    by `tie`; with `ties_are_mistakes` from the arg max without y, if another class is in it.
    `eta`: η > 0. `start`: W before the first visit, 0 if None. The other parameters as
    `fit_perceptron`.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`, and `ExactnessLimitError` where a
    τ that divides by data makes the digits of exact weights grow past `MAX_DIGITS`. Cost: O(kd) a
    visit; averaging O(T + kd·mistakes). [keshet §2.1], [keshet §3, "Example"]

    >>> X = [[Fraction(1), 0], [0, 1], [-1, -1]]
    >>> model = fit_multiclass_perceptron(X, ["a", "b", "c"], tau=all_rivals, epochs=9)
    >>> model.W[2], model.predict(X)
    ((Fraction(-1, 1), Fraction(-3, 2)), ['a', 'b', 'c'])
    """
    check_policy(tie, "tie")
    rows, zero = read_rows(X)
    codes, order_of_classes = read_labels(y, classes, len(rows))
    k = len(order_of_classes)
    rule = chosen_rival if tau is None else tau
    check_function(rule, "tau", "a function of the scores, y and the prediction, or None")
    orders = epoch_orders(order, row_counts(weights, len(rows)), epochs)
    W = read_start_rows(start, k, len(rows[0]), zero)
    rate = positive_parameter(eta, "eta", zero)
    training = Training(W, average, voted, zero)
    for visit in training.visits(orders):
        x, own = rows[visit.row], codes[visit.row]
        scores = tuple([dot(w, x, zero) for w in W])
        tied = argmax_set(scores)
        # where ties are mistakes, the own class wins only if no other class is tied with it
        choices = tuple([r for r in tied if r != own]) if ties_are_mistakes else tied
        y_hat = tie(choices) if choices else own
        shares = None
        if y_hat != own:
            shares = read_row(rule(scores, own, y_hat), zero, "tau")
            if len(shares) != k:
                raise ParameterError(f"tau: expected {k} numbers, one a class, got {len(shares)}")
            W = tuple([_plus(w, rate * tau_r, x) if tau_r else w for w, tau_r in zip(W, shares)])
            check_state(W, visit.t)
        training.see(None if shares is None else W)
        if on_step is not None:
            on_step(MulticlassPerceptronStep(*visit, own, scores, tied, y_hat, shares, W))
    course = training.course()
    voters = tuple(map(MulticlassVoter, training.voters, course.survivals()))
    return MulticlassPerceptron(order_of_classes, training.result(), voters, course, zero, tie)


def rivals(scores: Sequence[S], y: int) -> tuple[int, ...]:
    """E_y: the positions of the other classes that score at least as much as y.

    Printed with a strict >, E_y can be empty at a mistake, where ŷ wins a tie with y. [keshet §2.1]

    >>> rivals([Fraction(0), Fraction(0), Fraction(-1)], 1)
    (0,)
    """
    return tuple(r for r, score in enumerate(scores) if r != y and score >= scores[y])


def chosen_rival(scores: Sequence[S], y: int, y_hat: int) -> tuple[S, ...]:
    """τ of the first printed rule: +1 for y, −1 for ŷ, 0 for the others. [keshet §2.1]

    >>> chosen_rival([Fraction(0), Fraction(0), Fraction(0)], 2, 0)
    (Fraction(-1, 1), Fraction(0, 1), Fraction(1, 1))
    """
    zero = scores[y] * 0
    return tuple(zero + (r == y) - (r == y_hat) for r in range(len(scores)))


def all_rivals(scores: Sequence[S], y: int, y_hat: int) -> tuple[S, ...]:
    """τ of the second printed rule: +1 for y, −1/|E_y| for each of E_y, 0 for the others.

    E_y is that of `rivals`, so it is defined at every mistake. [keshet §2.1]

    >>> all_rivals([Fraction(0), Fraction(0), Fraction(0)], 2, 0)
    (Fraction(-1, 2), Fraction(-1, 2), Fraction(1, 1))
    """
    zero = scores[y] * 0
    E = rivals(scores, y)
    return tuple(
        zero + 1 if r == y else (zero - 1) / len(E) if r in E else zero for r in range(len(scores))
    )


def _plus(w: tuple[S, ...], c: S, x: tuple[S, ...]) -> tuple[S, ...]:
    """w + c·x."""
    return tuple([a + c * b for a, b in zip(w, x)])
