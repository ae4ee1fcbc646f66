"""The rows of a trace: steps as they happen, and their values exactly or short enough to read.

A value of a row is a number (whole, Fraction, `Log`, `Root`, `Rounded`), a text, a truth value,
None, or a sequence or mapping of these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import isqrt, prod
from typing import TYPE_CHECKING, Any

from refmc.checker.printing import LONG, short_text
from refmc.core.logs import Log
from refmc.core.scalars import number_text

if TYPE_CHECKING:
    from refmc.learn.svm.active_set import Pivot

Row = Mapping[str, object]

OnStep = Callable[[Any], None]
"""Receives one frozen record for each step: a `Pivot`, a `TreeRound`, …"""

WIDEST = 40
"""Characters that the text of a sequence or mapping may have, unless its line has more room."""

LONG_ENTRY = 9
"""Characters that an entry of a sequence may have; a longer one is rounded."""


@dataclass(frozen=True)
class Root:
    """The square root of a number that is at least 0."""

    square: Fraction


@dataclass(frozen=True)
class Rounded:
    """A number that a value is near to: the value itself is irrational."""

    value: Fraction


class _Stopped(BaseException):
    """Raised inside a run to end it, when its steps are no longer asked for."""


def each_step(run: Callable[[Callable[[Any], None]], object]) -> Iterator[Any]:
    """The steps of a run, one by one as they happen; `run` hands each to the function it is given.

    The run has a thread of its own, which waits while the caller looks at a step, so that only one
    step is kept. An error of the run is raised here, after the steps before it.

    >>> list(each_step(lambda report: [report(t) for t in (1, 2)]))
    [1, 2]
    """
    from queue import SimpleQueue  # only traces need threads
    from threading import Semaphore, Thread

    steps: SimpleQueue[tuple[Any, ...]] = SimpleQueue()  # (step,), or (error or None, "over")
    go_on, stopped = Semaphore(0), False

    def report(step: object) -> None:
        steps.put((step,))
        go_on.acquire()
        if stopped:
            raise _Stopped

    def work() -> None:
        error = None
        try:
            run(report)
        except BaseException as raised:  # noqa: BLE001  # the caller's thread raises it
            error = raised
        steps.put((error, "over"))

    Thread(target=work, daemon=True).start()
    try:
        while True:
            step, *over = steps.get()
            if over and step is not None:
                raise step
            if over:
                return
            yield step
            go_on.release()
    finally:
        stopped = True
        go_on.release()


def keeping(on_step: OnStep | None) -> tuple[OnStep, list[Any]]:
    """A function that keeps each step in the list, and shows it to `on_step`.

    >>> keep, steps = keeping(None)
    >>> keep(1), steps
    (None, [1])
    """
    steps: list[Any] = []

    def keep(step: object) -> None:
        steps.append(step)
        if on_step is not None:
            on_step(step)

    return keep, steps


def pivot_row(
    pivot: Pivot[Any], name: Callable[[int], str], value: Mapping[str, object]
) -> dict[str, object]:
    """The row of a step of the active-set method, with the constraints by their names.

    `released`: the constraint that leaves the working set before the step; None where it stays the
    same. `step`: the length of the step in units of its direction, None for the start. `blocks`:
    the constraint at which the step ends and which enters the working set; None where the step
    reaches the minimiser on the face. `free`: the dimension of the face. `value`: further fields,
    after the step.
    """
    return {
        "t": pivot.iteration,
        "released": None if pivot.entering is None else name(pivot.entering),
        "step": pivot.step if pivot.iteration else None,
        "blocks": None if pivot.leaving is None else name(pivot.leaving),
        "free": pivot.free,
        **value,
        "working set": [name(index) for index in pivot.working_set],
    }


def recorded(value: object) -> object:
    """The value in JSON types, exactly: Fractions are texts, logarithms objects.

    >>> recorded({"F̃": Fraction(1, 3), "λ": Log([(3, 2)], base=2), "tied": (0, None)})
    {'F̃': '1/3', 'λ': {'log2': {'3': '2'}}, 'tied': [0, None]}
    """
    if isinstance(value, Log):
        rational = value.rational()
        if rational is not None:
            return number_text(rational)
        terms = {number_text(n): number_text(c) for n, c in value.terms}
        return {"ln" if value.base is None else f"log{value.base}": terms}
    if isinstance(value, Root):
        return {"sqrt": number_text(value.square)}
    if isinstance(value, Rounded):
        return {"near": number_text(value.value)}
    if isinstance(value, Fraction):
        return number_text(value)
    if isinstance(value, Mapping):
        return {str(name): recorded(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [recorded(entry) for entry in value]
    return value


def readable(value: object, widest: int = WIDEST, whole: int = 0) -> str:
    """The value on one line; ~ marks a number that is rounded, … what is left out.

    A text that is longer than both `widest` and `whole` is cut at `widest`.

    >>> readable([[Fraction(1), Fraction(22, 7)], [0, Fraction(1, 3**40)]])
    '(1, 22/7) (0, ~8.22526e-20)'
    >>> readable({"n0": Fraction(2, 3), "n1": 1}), readable(True), readable(())
    ('n0 2/3; n1 1', 'yes', '-')
    >>> readable({"a": (Fraction(1, 2), 0), "b": (1, 2)})
    'a (1/2, 0); b (1, 2)'
    """
    limits = max(widest, whole), widest
    if isinstance(value, Mapping):
        entries = [f"{name} {_entry(entry, *limits)}" for name, entry in value.items()]
        return _cut(entries, "; ", *limits)
    if not isinstance(value, (list, tuple)):
        return _text(value, LONG)
    if value and all(isinstance(entry, (list, tuple)) for entry in value):
        return _cut([_vector(entry, *limits) for entry in value], " ", *limits)
    if any(isinstance(entry, str) for entry in value):
        return _cut([_text(entry, LONG) for entry in value], "; ", *limits)
    return _vector(value, *limits) if value else "-"


def _entry(value: object, whole: int, widest: int) -> str:
    if isinstance(value, (list, tuple)):
        return _vector(value, whole, widest)
    return _text(value, LONG_ENTRY)


def _vector(entries: Iterable[object], whole: int, widest: int) -> str:
    return f"({_cut([_text(entry, LONG_ENTRY) for entry in entries], ', ', whole - 2, widest - 2)})"


def _cut(parts: list[str], separator: str, whole: int, widest: int) -> str:
    """All parts, if they fit or if there is just one; else those that fit, and how many there are.

    They fit if they are at most `whole` characters long; otherwise they are cut to `widest`.
    """
    text = separator.join(parts)
    if len(text) <= whole or len(parts) == 1:
        return text or "-"
    kept: list[str] = []
    room = widest - len(f"… {len(parts)} in all")
    for part in parts:
        room -= len(part) + len(separator)
        if room < 0 and kept:
            break
        kept.append(part)
    return separator.join([*kept, f"… {len(parts)} in all"])


def _text(value: object, longest: int) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Root):
        p, q = value.square.as_integer_ratio()
        root = Fraction(isqrt(p), isqrt(q))
        if root**2 == value.square:
            return short_text(root, longest)
        context = Context(prec=20, Emax=MAX_EMAX, Emin=MIN_EMIN)
        value = Rounded(Fraction(context.sqrt(context.divide(Decimal(p), Decimal(q)))))
    if isinstance(value, Rounded):
        return "~" + short_text(value.value, 0).removeprefix("~")
    if isinstance(value, Log):
        return _log_text(value, longest)
    if isinstance(value, (int, Fraction)):
        return short_text(value, longest)
    return "".join(c if c.isprintable() else "?" for c in str(value))


def _log_text(value: Log, longest: int) -> str:
    """The exact text, if it is a short rational or one short natural logarithm; else rounded."""
    rational = value.rational()
    if rational is not None:
        return short_text(rational, longest)
    sizes = {abs(c) for _, c in value.terms}
    if value.base is None and len(sizes) == 1:
        (c,) = sizes
        odds = prod(Fraction(n) if c_n > 0 else Fraction(1, n) for n, c_n in value.terms)
        factor = {Fraction(1): "", Fraction(1, 2): "½ "}.get(c, f"{c} ")
        text = f"{factor}ln({number_text(odds)})"
        if len(text) <= longest:
            return text
    return f"~{float(value):.6g}"
