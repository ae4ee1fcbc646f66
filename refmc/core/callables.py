"""Functions and executors that the caller hands over, checked before they are called."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from refmc.core.scalars import shown
from refmc.errors import ParameterError

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
