"""What the stopping rules of LIBSVM and LIBLINEAR promise, as a bound of the gap P − D.

- LIBSVM stops where no two multipliers violate the Kuhn-Tucker conditions by more than tol. With a
  bias between the two, a row has y_i f(x_i) − 1 =: u_i ≤ tol if α_i > 0, and u_i ≥ −tol if
  α_i < C_i. The gap is Σ α_i max(0, u_i) + (C_i − α_i) max(0, −u_i), hence at most tol · Σ C_i.
- LIBLINEAR's primal method, of squared hinges, stops where ‖∇P(w)‖ is at most
  tol · min(n₊, n₋)/n of ‖∇P(0)‖. P(w + v) ≥ P(w) + ∇P(w)·v + ½‖v‖², so that the gap is at most
  ½‖∇P(w)‖².
- LIBLINEAR's dual methods stop where the gradients that a sweep over all rows has met differ by at
  most tol. If all had been computed at the end of the sweep, the same sum would be at most tol · Σ
  C_i; for squared hinges Σ C_i tol²; and for Crammer and Singer's form, which is `svm.multiclass`,
  tol · Σ C_i.

Each takes the rule in words, such as "tol = 0.001", the costs C_i of the rows, and in `stopped`
that the limit of iterations was met: whether the rule was, too, the answer may show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import isfinite
from typing import Any

from refmc.adapters.claims import Promise
from refmc.checker.printing import decimal_text
from refmc.errors import DataError

SINGLE_PRECISION = "LIBSVM keeps kernel values in single precision, and stalls near their rounding"

SWEEP = "LIBLINEAR looks at a row's gradient before the rows after it move the weights"

BEYOND = "X: kernel values and scores are beyond binary64, in which LIBSVM has them"

SINGLE = 2.0**-22
"""How far single precision may put the score of a row off, relative to Σ α_j times the largest
K(x, x): each kernel value by 2⁻²⁴, on both sides of a comparison, and half of that for the rest."""

ROUNDING = Fraction(1, 2**40)
"""A multiplier so near to its C_i, relative to it, is at this bound: C_i is a rounded product."""

Costs = Sequence[Fraction]
Rows = Sequence[Sequence[Any]]
Signs = Sequence[int]


def of_libsvm(
    rule: str,
    tol: Fraction,
    costs: Costs,
    alpha: Sequence[Fraction],
    margins: Sequence[float],
    largest: float,
    stopped: str = "",
) -> Promise:
    """tol · Σ C_i, unless the margins y_i f(x_i) of multipliers α show that it hasn't stopped so.

    `largest`: the largest K(x, x) of the rows.

    >>> half, whole = Fraction(1, 2), Fraction(1)
    >>> of_libsvm("tol = 1/2", half, [whole] * 2, [half] * 2, [1.5, 1.0], 1.0)[:3]
    (Fraction(1, 1), 'tol = 1/2 · Σ C_i', '')
    >>> of_libsvm("tol = 1/2", half, [whole] * 2, [half] * 2, [2.0, 1.0], 1.0).broken
    'a violation of 1.0e0 remains'
    """
    violated = [margin - 1 for a, margin in zip(alpha, margins) if a > 0]
    violated += [1 - v for a, v, C in zip(alpha, margins, costs) if a < (1 - ROUNDING) * C]
    if not all(map(isfinite, [largest, *margins])):
        raise DataError(BEYOND)
    worst, every = Fraction(max(violated, default=0.0)), sum(costs)
    bound = tol + Fraction(SINGLE * largest) * sum(alpha)
    broken = f"a violation of {decimal_text(worst)} remains" if worst > bound else ""
    told = f"{rule} · Σ C_i"
    return Promise(tol * every, told, stopped, broken, SINGLE_PRECISION, bound * every)


def of_liblinear_dual(
    rule: str, tol: Fraction, costs: Costs, X: Rows, squared: bool, stopped: str = ""
) -> Promise:
    """tol · Σ C_i, for squared hinges tol² · Σ C_i.

    After the sweep a gradient may be off by tol and by what the later rows moved it: of row i at
    most |x_k·x_i| times the change of α_i, which is at most tol/‖x_i‖², and C_i or 2 C_i tol.

    >>> of_liblinear_dual("tol = 1/10", Fraction(1, 10), [Fraction(1)] * 2, [[1]] * 2, True).gap
    Fraction(1, 50)
    """
    sizes = [sum((abs(Fraction(v)) for v in x), Fraction(0)) for x in X]
    moved = Fraction(0)
    for size, x, cost in zip(sizes, X, costs):
        if size:
            most = 2 * cost * tol if squared else cost
            moved += size * min(tol / sum(Fraction(v) ** 2 for v in x), most)
    bound, every = tol + max(sizes) * moved, sum(costs)
    told = f"{rule}, squared, · Σ C_i" if squared else f"{rule} · Σ C_i"
    power = 2 if squared else 1
    return Promise(tol**power * every, told, stopped, "", SWEEP, bound**power * every)


def of_liblinear_primal(
    rule: str,
    tol: Fraction,
    costs: Costs,
    X: Rows,
    y: Signs,
    share: Fraction,
    w: Sequence[Any],
    stopped: str = "",
) -> Promise:
    """½‖∇P(w)‖² where it stops, unless ‖∇P(w)‖ of these weights w is larger.

    `share` is min(n₊, n₋)/n of the rows that count.

    >>> one = Fraction(1)
    >>> of_liblinear_primal("tol = 1/2", one / 2, [one], [[3]], [1], one, [0]).gap
    Fraction(9, 2)
    """
    at_0, here = (norm_of_gradient(costs, X, y, v) for v in ([0] * len(w), w))
    bound = (tol * share) ** 2 * at_0
    broken = f"½‖∇P(w)‖² is {decimal_text(here / 2)}" if here > bound else ""
    return Promise(bound / 2, f"{rule} · min(n₊, n₋)/n of ‖∇P(0)‖", stopped, broken)


def determined_multipliers(costs: Costs, X: Rows, y: Signs, w: Sequence[Any]) -> list[Fraction]:
    """2 C_i (1 − y_i w·x_i)⁺, for which P(w) − D is ½‖∇P(w)‖² where hinges are squared.

    >>> determined_multipliers([Fraction(1)], [[1]], [1], [0.5])
    [Fraction(1, 1)]
    """
    v = list(map(Fraction, w))
    margins = (s * sum(a * Fraction(b) for a, b in zip(v, x)) for x, s in zip(X, y))
    return [2 * cost * max(Fraction(0), 1 - margin) for cost, margin in zip(costs, margins)]


def norm_of_gradient(costs: Costs, X: Rows, y: Signs, w: Sequence[Any]) -> Fraction:
    """‖∇P(w)‖², where ∇P(w) = w − Σ α_i y_i x_i with the multipliers that w determines.

    >>> norm_of_gradient([Fraction(1)], [[3]], [1], [0])
    Fraction(36, 1)
    """
    signed = [s * a for s, a in zip(y, determined_multipliers(costs, X, y, w))]
    columns = (sum(Fraction(v) * s for v, s in zip(column, signed)) for column in zip(*X))
    return sum(((Fraction(v) - at) ** 2 for v, at in zip(w, columns)), Fraction(0))


def smaller_share(y: Sequence[object]) -> Fraction:
    """min(n₊, n₋)/n of rows with these labels; 1/n where all have one.

    >>> smaller_share([1, -1, 1])
    Fraction(1, 3)
    """
    counts = Counter(y).values()
    return Fraction(min(counts) if len(counts) > 1 else 1, len(y))
