"""What is given beside data: numbers, functions and executors, checked before they are used.

The data decide about the arithmetic (see `scalars`), and numbers such as costs and scales follow.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from refmc.core.scalars import (
    Number,
    S,
    as_float,
    exact_number,
    exact_parameter,
    number_text,
    shown,
)
from refmc.errors import DataError, MixedArithmeticError, ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor


def parameter(value: Number, name: str, zero: S) -> S:
    """`value` in the arithmetic of `zero`: ints, text and Decimals fit both.

    A float beside exact data, or a Fraction beside floats, raises `MixedArithmeticError`; what is
    no single finite number, or beyond the range of floats, `ParameterError`.

    >>> parameter("0.1", "C", Fraction(0)), parameter("0.1", "C", 0.0)
    (Fraction(1, 10), 0.1)
    """
    if isinstance(zero, Fraction) and isinstance(value, float):
        raise MixedArithmeticError(
            f"{name}={number_text(value)} is a float but the data are Fractions; "
            f"give a Fraction, an int or text such as {name}='{number_text(value)}'"
        )
    if isinstance(zero, float) and isinstance(value, Fraction):
        raise MixedArithmeticError(
            f"{name}={shown(value)} is a Fraction but the data are floats; "
            "give a float, or lift the data with exact()"
        )
    lifted = exact_parameter(value, name)
    if isinstance(zero, Fraction):
        return lifted
    try:
        near = float(lifted)
    except OverflowError:
        near = 0.0
    if lifted and not near:
        raise ParameterError(f"{name}={shown(value)} is beyond the range of floats")
    return near


def positive_parameter(value: Number, name: str, zero: S) -> S:
    """A parameter above 0, as `parameter`.

    >>> positive_parameter("1/2", "C", Fraction(0))
    Fraction(1, 2)
    """
    found = parameter(value, name, zero)
    if not found > 0:
        raise ParameterError(f"{name}: expected a positive number, got {shown(value)}")
    return found


def as_given(value: Number, name: str) -> float | Fraction:
    """A number that is kept until its data are known: a float as it is, all else as a Fraction.

    >>> as_given(0.5, "scale"), as_given("1/2", "scale")
    (0.5, Fraction(1, 2))
    """
    lifted = exact_number(value, name)
    return float(value) if isinstance(value, float) else lifted


def in_arithmetic_of_data(value: float | Fraction, name: str, zero: S) -> S:
    """A number that was kept, in the arithmetic of `zero`; a float beside Fractions is refused.

    >>> in_arithmetic_of_data(Fraction(1, 2), "scale", 0.0)
    0.5
    """
    if isinstance(zero, Fraction):
        return parameter(value, name, zero)
    near = value if isinstance(value, float) else as_float(value, name)
    if value and not near:
        raise DataError(f"{name}: nearer to 0 than any float; lift the data with exact()")
    return near


def check_function(value: object, name: str, expected: str) -> None:
    """Raise `ParameterError` unless the value can be called.

    >>> check_function(max, "decide", "a function of the scores")
    """
    if not callable(value):
        raise ParameterError(f"{name}: expected {expected}, got {shown(value)}")


def map_of(executor: Executor | None) -> Callable[..., Any]:
    """The map of an executor, the built-in one for None; else `ParameterError`.

    >>> list(map_of(None)(abs, [-1, 2]))
    [1, 2]
    """
    if executor is None:
        return map
    run: object = getattr(executor, "map", None)
    if not callable(run):
        raise ParameterError(
            f"executor: expected one of concurrent.futures, or None, got {shown(executor)}"
        )
    return run
