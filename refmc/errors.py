"""What can go wrong, each with the place and the mend in its message.

Every error that a caller can cause is a `RefmcError`, which is a `ValueError`.
Errors that rest on a proof carry it: a witness, a ray, a combination, a tie set.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

Vector = Sequence[Fraction] | Sequence[float]


class RefmcError(ValueError):
    """The parent of every error that refmc raises on purpose."""

    def __reduce__(self) -> tuple[object, ...]:
        """Errors pass between processes whole, whatever their children carry beside a message."""
        return _restored, (type(self), self.args, dict(self.__dict__))


class DataError(RefmcError):
    """Rows or labels that can't be used; the message names the row and the column."""


class ParameterError(RefmcError):
    """A parameter outside its range, or of the wrong kind."""


class MixedArithmeticError(RefmcError):
    """Fractions and floats met; refmc converts neither behind the caller's back."""


class FormatError(RefmcError):
    """A file or record that doesn't follow the format; the message names the field."""


class ExactnessLimitError(RefmcError):
    """The exact answer would need more digits than the stated limit."""


class TieError(RefmcError):
    """The policy `refuse` met a tie; `tied` holds the tied positions."""

    def __init__(self, message: str, tied: tuple[int, ...]) -> None:
        super().__init__(message)
        self.tied = tied


class NotPositiveSemidefiniteError(RefmcError):
    """A matrix that must be positive semi-definite has `witness` v with vᵀQv < 0."""

    def __init__(self, message: str, witness: Vector) -> None:
        super().__init__(message)
        self.witness: tuple[float | Fraction, ...] = tuple(witness)


class InfeasibleError(RefmcError):
    """No point meets the constraints Ax = b, Gx ≤ h.

    The proof: multipliers ν (of the equalities) and μ ≥ 0 (of the inequalities) with
    Aᵀν + Gᵀμ = 0 and bᵀν + hᵀμ < 0.
    """

    def __init__(
        self, message: str, equality_multipliers: Vector, inequality_multipliers: Vector
    ) -> None:
        super().__init__(message)
        self.equality_multipliers: tuple[float | Fraction, ...] = tuple(equality_multipliers)
        self.inequality_multipliers: tuple[float | Fraction, ...] = tuple(inequality_multipliers)


class UnboundedError(RefmcError):
    """The objective falls for ever along `ray` from the feasible `point`.

    The proof: Qr = 0, cᵀr < 0, Ar = 0 and Gr ≤ 0.
    """

    def __init__(self, message: str, point: Vector, ray: Vector) -> None:
        super().__init__(message)
        self.point: tuple[float | Fraction, ...] = tuple(point)
        self.ray: tuple[float | Fraction, ...] = tuple(ray)


class NotSeparableError(RefmcError):
    """No hyperplane has the two classes on its two sides.

    The proof: `combination`, one weight ≥ 0 a row. With a bias it is a common point of the two
    convex hulls: the weights of each class add up to 1, and Σ_i y_i weight_i Φ(x_i) = 0. Without
    one the same sum is 0, and all weights together add up to 1.
    """

    def __init__(self, message: str, combination: Sequence[Fraction]) -> None:
        super().__init__(message)
        self.combination = tuple(combination)


def plainly(function: Callable[P, R]) -> Callable[P, R]:
    """The function, whose `RefmcError`s show the caller's line and the message, not how they came.

    >>> @plainly
    ... def refuse():
    ...     raise ParameterError("C: missing")
    >>> try:
    ...     refuse()
    ... except ParameterError as error:
    ...     error.__traceback__.tb_next.tb_next is None
    True
    """

    @wraps(function)
    def called(*arguments: P.args, **options: P.kwargs) -> R:
        try:
            return function(*arguments, **options)
        except RefmcError as error:
            raise error.with_traceback(None) from None

    return called


def _restored(kind: type[RefmcError], arguments: tuple[object, ...], proof: object) -> RefmcError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(proof)  # type: ignore[call-overload]  # it is another error's __dict__
    return error
