"""Fields of problems and answers, each declared once.

A family declares its fields. Forms, readers, axes, powers, draws, options of the command line, the
tables of the format and the mistakes that every family can make follow from the declaration.

A `Reading` reads a field when it is asked for, and once, so that a reader may ask for the fields
that its own depends on: `reading[Y]`, `reading.of(codes)`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

from refmc.core.records import Record, check_fields
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.oracle.forms import NULL, TEXT, TRUTH, Kind

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Absent:
    """What stands for no default."""


REQUIRED: Final = Absent()


class Choices(Protocol):
    """What makes choices: a seed, Hypothesis, or all of them in turn."""

    def below(self, n: int, /) -> int: ...
    def one_of(self, values: Sequence[Any], /) -> Any: ...
    def row(self, d: int, values: Sequence[Any], /) -> list[Any]: ...
    def rows(self, m: int, d: int, values: Sequence[Any], /) -> list[list[Any]]: ...


class Sizes(Protocol):
    """How large a problem is to be along each axis, and of which numbers and labels it is made."""

    @property
    def numbers(self) -> Sequence[str]: ...
    @property
    def labels(self) -> str: ...
    def __getitem__(self, axis: str, /) -> int: ...


Draw = Callable[[Choices, Mapping[str, Any], Sizes], dict[str, Any]]
"""From choices, the problem so far and its sizes: the field, and those that go with it."""

Neutral = Callable[[Mapping[str, Any], Mapping[str, int]], Any]
"""From a problem and the sizes of its axes: the value that changes nothing."""


class Field(NamedTuple, Generic[T_co]):
    """One field.

    `kind`: the JSON Schema of its values. `read`: from the value, its place and the reading of the
    record, what it stands for. `says`: its sentence in the format. `default`: what an absent field
    stands for, and null where it may be null. `axes`: what its nested lists run over, the outermost
    first; an axis such as "columns+" may have entries behind those of the axis. `axes_beside`: the
    axes that it has instead where the problem has another field. `points`: the axis whose positions
    its whole numbers are. `power`: by which power of a factor it grows if the features grow by the
    factor. `draws`: the values that tests draw; of a field with axes, those of its entries.
    `parts`: the fields of the objects in it. `is_judged`: whether an answer's field is looked at.
    `neutral`: what a program that is deaf to the field takes in its place, where it can't just be
    left out.
    """

    name: str
    kind: Kind
    read: "Callable[[object, str, Reading], T_co]"
    says: str = ""
    default: T_co | Absent = REQUIRED
    axes: tuple[str, ...] = ()
    axes_beside: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    points: str = ""
    power: int = 0
    draws: Sequence[object] | Draw = ()
    parts: "tuple[Field[object], ...]" = ()
    is_judged: bool = True
    neutral: Neutral | None = None

    @property
    def is_setting(self) -> bool:
        """Whether it is a single value, which an option of the command line can give."""
        return not (self.axes or self.axes_beside or self.points or self.parts)

    @property
    def holds_labels(self) -> bool:
        """Whether its texts are names of classes."""
        return not self.parts and "/$defs/label" in str(self.kind)

    @property
    def holds_numbers(self) -> bool:
        """Whether its numbers are quantities, which may be made smaller."""
        return not (self.points or self.holds_labels or self.kind in (TEXT, TRUTH))

    @property
    def named(self) -> tuple[str, ...]:
        """The values that it can have, where these are names."""
        kinds = (self.kind, *self.kind.get("anyOf", ()))
        return tuple(
            name for kind in kinds for name in kind.get("enum", (kind.get("const"),)) if name
        )

    @property
    def known_parts(self) -> "dict[str, Field[object]]":
        """The parts by their names."""
        return {part.name: part for part in self.parts}


class _Rules(NamedTuple):  # which is imported faster than a dataclass
    """The fields of problems, or of answers, of one form.

    `instead`: alternatives, of which exactly one must be present; the last is the one that messages
    ask for. `apart`: fields of which at most one may be present. `beside`: fields that need another
    one. `unless`: fields that must be present unless a setting has a value. `together`: fields that
    are left out together. `some`: at least one must be present. `more`: rules for the schema that
    readers check. `is_reordered`: whether the order of the classes is nothing but an order.
    """

    fields: tuple[Field[object], ...]
    instead: tuple[tuple[Field[object], ...], ...] = ()
    apart: tuple[tuple[Field[object], ...], ...] = ()
    beside: Mapping[str, str] = MappingProxyType({})
    unless: Mapping[str, tuple[Field[object], str]] = MappingProxyType({})
    together: tuple[Field[object], ...] = ()
    some: tuple[Field[object], ...] = ()
    more: Sequence[Kind] = ()
    is_reordered: bool = True


class Declared(_Rules):
    """The same, with what follows from it."""

    @cached_property
    def by_name(self) -> dict[str, Field[object]]:
        """The fields by their names."""
        return {field.name: field for field in self.fields}

    @cached_property
    def _alone(self) -> list[Field[object]]:
        """The fields that no others stand in for."""
        others = {field.name for group in self.instead for field in group}
        return [field for field in self.fields if field.name not in others]

    @cached_property
    def required(self) -> list[str]:
        """The names of those that must be there."""
        return [field.name for field in self._alone if field.default is REQUIRED]

    @cached_property
    def optional(self) -> list[Field[object]]:
        """Those that may be left out."""
        return [field for field in self._alone if field.default is not REQUIRED]

    def fits(self, record: Record) -> bool:
        """Whether a record has no other fields than these, and all that it must have."""
        required = all(name in record for name in self.required)
        return required and all(name in self.by_name for name in record)

    def check(self, record: Record, place: str) -> None:
        """`FormatError` for a field that is missing or unknown, or null where it may not be.

        >>> number = Field("C", TEXT, lambda value, place, reading: value)
        >>> Declared((number,)).check({"C": "1"}, "problem")
        """
        taken = []
        for group in self.instead:
            given = [field.name for field in group if field.name in record]
            *others, last = [field.name for field in group]
            if not given:
                told = " or ".join(others)
                raise FormatError(f"{place}: field {last!r} is missing, or {told} in its place")
            if given[1:]:
                raise FormatError(f"{place}: expected one of {' and '.join(given)}")
            taken += given
        check_fields(
            record,
            place,
            required=[*self.required, *taken],
            optional=[field.name for field in self.optional],
            may_be_null=[f.name for f in self.optional if NULL in f.kind.get("anyOf", ())],
        )
        for mine, other in self.beside.items():
            if mine in record and other not in record:
                raise FormatError(f"{place}: {mine} and {other} belong together")

    def schema(self) -> Kind:
        """The JSON Schema of the records.

        >>> Declared((Field("C", TEXT, lambda value, place, reading: value),)).schema()["required"]
        ['C']
        """
        rules = [
            *self.more,
            *(
                {
                    "if": {"properties": {s.name: {"const": value}}, "required": [s.name]},
                    "else": {"required": [name]},
                }
                for name, (s, value) in self.unless.items()
            ),
            *({"oneOf": [{"required": [f.name]} for f in group]} for group in self.instead),
        ]
        if self.some:
            rules.append({"anyOf": [{"required": [field.name]} for field in self.some]})
        required = [self.by_name[name] for name in self.required]
        known = [*required, *self.optional, *(field for group in self.instead for field in group)]
        found: dict[str, Any] = {"type": "object", "properties": {f.name: f.kind for f in known}}
        if self.required:
            found["required"] = self.required
        if self.beside:
            found["dependentRequired"] = {name: [other] for name, other in self.beside.items()}
        if rules:
            found["allOf"] = rules
        return {**found, "additionalProperties": False}

    def read(self, record: Record, place: str = "problem", about: Any = None) -> "Reading":
        """The reading of a record that has the form.

        `about`: of an answer, the problem as it was read.
        """
        self.check(record, place)
        for group in self.apart:
            if sum(field.name in record for field in group) > 1:
                raise FormatError(f"{place}: {' or '.join(f.name for f in group)}, not both")
        null = any(record[name] is None for name in self.required)  # refused when it is read
        if self.some and not (null or any(field.name in record for field in self.some)):
            names = ", ".join(field.name for field in self.some)
            raise FormatError(f"{place}: expected at least one of {names}")
        reading = Reading(self, record, place, about)
        for name, (setting, value) in self.unless.items():
            if name not in record and reading[setting] != value:
                told = f"field {name!r} is missing, or {setting.name} {value!r} in its place"
                raise FormatError(f"{place}: {told}")
        return reading

    def read_answer(self, record: Record, family: str, about: Any) -> "Reading":
        """The reading of an answer to a problem of a family, which was read as `about`."""
        if "model" in record and "version" in record:
            fields = ", ".join([*self.required, *(field.name for field in self.some)])
            raise FormatError(f"answer: a saved model is no answer; give what it says as {fields}")
        if record.get("family", family) != family:
            raise FormatError(
                f"answer.family: {shown(record['family'])}, but the problem's is '{family}'"
            )
        return self.read(record, "answer", about)


class Reading:
    """The values of the fields of a record, each read when it is first asked for."""

    def __init__(self, declared: Declared, record: Record, place: str, about: Any) -> None:
        self.declared, self.record, self.place, self.about = declared, record, place, about
        self._values: dict[object, Any] = {}

    def __getitem__(self, field: Field[T]) -> T:
        if field.name not in self._values:
            value, known = self.record.get(field.name), field.default
            is_wrong_null = field in self and NULL not in field.kind.get("anyOf", ())
            if value is not None or known is REQUIRED or is_wrong_null:
                known = field.read(value, f"{self.place}.{field.name}", self)
            self._values[field.name] = known
        found: T = self._values[field.name]
        return found

    def __contains__(self, field: Field[object]) -> bool:
        return field.name in self.record

    def of(self, derive: "Callable[[Reading], T]") -> T:
        """What follows from several fields, computed once."""
        if derive not in self._values:
            self._values[derive] = derive(self)
        found: T = self._values[derive]
        return found

    def settings(self, *fields: Field[object]) -> dict[str, Any]:
        """The values of fields by their names: keywords of what takes them under these names."""
        return {field.name: self[field] for field in fields}

    def given(self, *fields: Field[object]) -> dict[str, Any]:
        """The same without those that are None."""
        return {name: value for name, value in self.settings(*fields).items() if value is not None}


def parts_of(fields: Sequence[Field[object]]) -> Iterator[Field[object]]:
    """The fields and those of the objects in them, however deep."""
    for own in fields:
        yield own
        yield from parts_of(own.parts)
