"""Settings: what a problem may ask for beside what every problem of its family has.

A setting is an optional field, a field that takes the place of another one, or a value that has a
name, which is told with its field: "max_depth", "gram", "impurity=entropy". Defaults are none.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from refmc.core.records import Record
from refmc.errors import ParameterError
from refmc.oracle.families import FAMILIES, declared, declared_for
from refmc.oracle.fields import Declared, Field
from refmc.oracle.forms import TRUTH
from refmc.suite.scrambling import default_classes


def settings(problem: Record) -> list[str]:
    """The settings of a valid problem.

    >>> settings({"family": "tree.grow", "X": [[1]], "y": [2], "impurity": "gini", "max_depth": 1})
    ['max_depth']
    """
    about = declared_for(problem)
    reading = about.read(problem)
    return [
        _told(field, problem[field.name])
        for field in _fields(about)
        if problem.get(field.name) is not None
        and reading[field] != field.default
        and (field.name != "classes" or problem["classes"] != default_classes(problem))
    ]


def settings_of(family: str) -> list[str]:
    """All settings that problems of a family may have.

    >>> settings_of("svm.hard")
    ['kernel', 'bias=false', 'bias=penalised', 'classes', 'weights', 'gram']
    """
    fields = (field for about in declared(family)[0] for field in _fields(about))
    told = (_told(f, value) for f in fields for value in _values(f) if value != f.default)
    return [*dict.fromkeys(told)]


def field_of(setting: str) -> str:
    """The field of a setting."""
    return setting.partition("=")[0]


def lacking(problem: Record, known: Collection[str]) -> list[str]:
    """The settings of a problem of which neither the field nor the setting itself is known."""
    return [told for told in settings(problem) if not {told, field_of(told)} & {*known}]


def shows(problem: Record, name: str) -> bool:
    """Whether a problem has a setting, or any value of a field."""
    return any(name in (told, field_of(told)) for told in settings(problem))


def check_settings(names: Iterable[str], family: str | None = None) -> None:
    """`ParameterError` for a name that is no setting and no field, of one family or of any."""
    if family not in (None, *FAMILIES):
        raise ParameterError(f"unknown family {family!r}; known: {', '.join(FAMILIES)}")
    names = [*names]
    families = [family] if family else [*FAMILIES] if names else []
    told = {setting for name in families for setting in settings_of(name)}
    fields = {f.name for name in families for about in declared(name)[0] for f in about.fields}
    for name in names:
        if name not in told | fields:
            alike = [setting for setting in sorted(told) if field_of(setting) == field_of(name)]
            known = ", ".join(alike or (settings_of(family) if family else ()))
            more = f"known: {known}" if known else "`refmc families NAME` lists those of a family"
            raise ParameterError(f"{family or 'refmc'} has no setting {name!r}; {more}")


def _fields(about: Declared) -> Iterator[Field[object]]:
    yield from about.optional
    yield from (field for group in about.instead for field in group[:-1])
    yield from (f for f in about.fields if f.named and f.name in about.required)


def _values(field: Field[object]) -> Iterator[object]:
    """The values that are told with the field, and ... for all others."""
    is_truth = TRUTH in (field.kind, *field.kind.get("anyOf", ()))
    yield from (False, True) if is_truth else ()
    yield from field.named or (() if is_truth else (...,))


def _told(field: Field[object], value: object) -> str:
    if value is False or value in field.named:
        return f"{field.name}={str(value).lower() if value is False else value}"
    return field.name


def outcomes_of(outcomes: Iterable[tuple[Record, str]]) -> dict[str, dict[str, list[str]]]:
    """By family the settings of what was run, from problems with what came of them.

    "verified" are those with a right answer; of the others "unverified" those that were answered,
    "skipped" those that never were, and "unasked" those that no problem has.
    """
    found: dict[str, dict[str, set[str]]] = {}
    for problem, outcome in outcomes:
        family = str(problem["family"])
        own = found.setdefault(family, {told: set() for told in settings_of(family)})
        for told in settings(problem):
            own[told].add(outcome)
    return {family: _grouped(own) for family, own in found.items() if own}


GROUPS = ("verified", "unverified", "skipped", "unasked")


def _grouped(own: Mapping[str, set[str]]) -> dict[str, list[str]]:
    return {group: [told for told in own if _group(own[told]) == group] for group in GROUPS}


def _group(outcomes: set[str]) -> str:
    if outcomes & {"verified", "fixed"}:
        return "verified"
    if not outcomes:
        return "unasked"
    return "skipped" if outcomes == {"skipped"} else "unverified"
