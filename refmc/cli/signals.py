"""Commands that start programs or processes end these when a signal ends them."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator, Sequence
from threading import current_thread, main_thread

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""What ends a program from outside, beside Ctrl-C."""


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP interrupt the body as Ctrl-C does, so that it ends what it has started."""

    def interrupt(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    numbers = SIGNALS if current_thread() is main_thread() else []  # no other may change them
    kept = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in kept:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        plain_signals(kept)


def plain_signals(numbers: Sequence[int]) -> None:
    """Signals end this process at once."""
    for number in numbers:
        signal.signal(number, signal.SIG_DFL)
