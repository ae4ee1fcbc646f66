"""Fields of each kind, ready to be named, and those that every family has."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from types import MappingProxyType
from typing import Any, TypeVar

from refmc.core.records import limit, matrix, number, numbers
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.oracle import forms
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading
from refmc.oracle.forms import NUMBER, TEXT, TRUTH, WHOLE, Fields, Kind
from refmc.oracle.reading import truth_at, whole

T = TypeVar("T")
Name = TypeVar("Name", bound=str)
Read = Callable[[object, str, Reading], T]
"""From a value, its place and the reading of its record, what the value stands for."""


def choice(name: str, says: str, *values: Name, **more: Any) -> Field[Name]:
    """One of several names, the first of which is the default."""
    told: dict[str, Any] = {"default": values[0], "draws": values} | more
    return Field(name, forms.choice(*values), one_of(*values), says, **told)


def one_of(*values: Name) -> Callable[..., Name]:
    """The reader of one of several names."""

    def read(value: object, place: str, reading: Reading | None = None) -> Name:
        for known in values:
            if known == value:
                return known
        raise FormatError(f"{place}: expected one of {', '.join(values)}, got {shown(value)}")

    return read


def truth(name: str, says: str) -> Field[bool]:
    """True or false; false where it is absent."""
    return Field(name, TRUTH, truth_at, says, default=False, draws=(True, False))


def count(
    name: str, says: str, least: int, default: T, draws: Sequence[int] = ()
) -> Field[int | T]:
    """A whole number of at least `least`; where the default is None, null says the same."""
    kind = forms.or_null(WHOLE) if default is None else WHOLE
    return Field(name, kind, whole_from(least), says, default=default, draws=draws)


def whole_from(least: int) -> Read[int]:
    """The reader of a whole number of at least `least`."""
    return lambda value, place, reading: whole(value, place, least)


def positive(name: str, says: str, **more: Any) -> Field[Fraction]:
    """A number above 0, which must be there unless `more` has a default."""
    return Field(name, NUMBER, positive_at, says, **more)


def amount(name: str, says: str, default: T, draws: Sequence[str]) -> Field[Fraction | T]:
    """A number of at least 0; a float is the decimal that it prints."""
    says += "; a plain number is the decimal that it prints"
    kind = forms.or_null(NUMBER) if default is None else NUMBER
    return Field(name, kind, alone(limit), says, default=default, draws=draws)


def required(name: str, says: str, kind: Kind, read: Read[T], **more: Any) -> Field[T]:
    """A field that must be there."""
    return Field(name, kind, read, says, **more)


def alone(read: Callable[[object, str], T]) -> Read[T]:
    """The reader of a value that depends on no other field."""
    return lambda value, place, reading: read(value, place)


def such_that(read: Read[T], holds: Callable[[T], bool], expected: str) -> Read[T]:
    """The reader of values that meet a condition, which a message tells of others."""

    def read_such(value: object, place: str, reading: Reading) -> T:
        found = read(value, place, reading)
        if not holds(found):
            raise FormatError(f"{place}: expected {expected}, got {shown(value)}")
        return found

    return read_such


number_at, numbers_at, matrix_at = alone(number), alone(numbers), alone(matrix)
positive_at = such_that(number_at, lambda v: v > 0, "a positive number")


def claim(name: str, says: str, kind: Kind, read: Read[T], **more: Any) -> Field[T | None]:
    """A field that may be left out, and then stands for None."""
    return Field(name, kind, read, says, default=None, **more)


def part(name: str, kind: Kind, says: str = "", **more: Any) -> Field[object]:
    """A field that the reader of what it is part of reads."""
    told: dict[str, Any] = {"default": None} | more
    return Field(name, kind, lambda value, *_: value, says, **told)


def record_of(required: Fields, optional: Fields = MappingProxyType({})) -> Declared:
    """What an object holds, by the kinds of its fields.

    >>> record_of({"ln": TEXT}).required
    ['ln']
    """
    fields = [part(name, kind, default=REQUIRED) for name, kind in required.items()]
    return Declared((*fields, *(part(name, kind) for name, kind in optional.items())))


def unjudged(name: str, says: str, kind: Kind = forms.ANY) -> Field[object]:
    """A field of answers that nobody reads."""
    return part(name, kind, says, is_judged=False)


FAMILY = part("family", TEXT, "the name of the family", default=REQUIRED)
REMARKS = tuple(
    unjudged(name, "where it comes from; not judged", kind) for name, kind in forms.REMARKS.items()
)
"""What an answer may say beside what is judged."""


def any_of(*judged: Field[object]) -> Declared:
    """What an answer may have, of which it must have something that is judged."""
    return Declared((*judged, *REMARKS), some=judged)


def shuffled(values: Iterable[Any], draws: Choices) -> list[Any]:
    """The values in another order."""
    left, found = list(values), []
    while left:
        found.append(left.pop(draws.below(len(left))))
    return found
