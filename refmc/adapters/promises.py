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

Each takes the rule in words, such as "tol = 0.001", and the costs C_i of the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.adapters.claims import Promise
from refmc.core.scalars import exact_number

STOPPED = "it stopped"
"""How a rule begins if the limit of iterations came before it."""

SINGLE_PRECISION = "LIBSVM keeps kernel values in single precision, and stalls near their rounding"

Costs = Sequence[Fraction]


def of_libsvm(rule: str, tol: Fraction, costs: Costs) -> Promise:
    """tol · Σ C_i.

    >>> of_libsvm("tol = 1/10", Fraction(1, 10), [Fraction(1)] * 2).gap
    Fraction(1, 5)
    """
    obstacle = "" if rule.startswith(STOPPED) else SINGLE_PRECISION
    return Promise(tol * sum(costs), f"{rule} · Σ C_i", obstacle)


def of_liblinear_dual(rule: str, tol: Fraction, costs: Costs, squared: bool) -> Promise:
    """tol · Σ C_i, for squared hinges tol² · Σ C_i.

    >>> of_liblinear_dual("tol = 1/10", Fraction(1, 10), [Fraction(1)] * 2, True).gap
    Fraction(1, 50)
    """
    if squared:
        return Promise(tol**2 * sum(costs), f"{rule}, squared, · Σ C_i")
    return Promise(tol * sum(costs), f"{rule} · Σ C_i")


def of_liblinear_primal(
    rule: str,
    tol: Fraction,
    costs: Costs,
    X: Sequence[Sequence[Any]],
    y: Sequence[int],
    share: Fraction,
) -> Promise:
    """½‖∇P(w)‖² where it stops; `share` is min(n₊, n₋)/n of the rows that count.

    >>> one = Fraction(1)
    >>> of_liblinear_primal("tol = 1/2", one / 2, [one], [[3]], [1], one).gap
    Fraction(9, 2)
    """
    signed = [s * cost for s, cost in zip(y, costs)]
    at_0 = [2 * sum(exact_number(v, "X") * s for v, s in zip(column, signed)) for column in zip(*X)]
    gap = (tol * share) ** 2 * sum(g * g for g in at_0) / 2
    return Promise(Fraction(gap), f"{rule} · min(n₊, n₋)/n of ‖∇P(0)‖")


def smaller_share(own: Sequence[bool]) -> Fraction:
    """min(n₊, n₋)/n, where `own` says which rows are of the one class; 1/n at least.

    >>> smaller_share([True, False, True])
    Fraction(1, 3)
    """
    return Fraction(max(1, min(sum(own), len(own) - sum(own))), len(own))
