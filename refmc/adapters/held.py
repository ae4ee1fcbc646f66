"""What somebody else's estimator shows of itself.

Nothing of another library is imported: a class is known by its name, parameters by `get_params()`,
and what was fitted by its documented attributes, whose arrays turn themselves into lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import prod
from sys import float_info
from typing import Any, NoReturn

from refmc.core.records import label
from refmc.core.sample import check_count, raw_rows, read_rows, row_weights
from refmc.core.scalars import as_sequence, column_names, plain, shown
from refmc.errors import DataError, FormatError, ParameterError
from refmc.theory.costs import balanced_weights

Fields = dict[str, Any]
"""Those of a problem, of an answer or of a tree in arrays."""


@dataclass(frozen=True)
class Training:
    """The rows, labels and row weights that an estimator was fitted on, validated once.

    `given`: the rows as they came, for what an estimator says about them; `sparse`: whether an
    earlier step of a pipeline made them so.
    """

    given: Any
    y: list[str | int]
    weights: list[float | Fraction] | None
    columns: tuple[str, ...] = ()
    sparse: bool = False

    @cached_property
    def X(self) -> list[list[Any]]:
        """The rows of numbers. They are read when needed: those of a pipeline may hold text."""
        rows = [list(row) for row in read_rows(self.given)[0]]
        check_count(self.y, len(rows), "y", "labels, one a row")
        return rows

    def unnamed(self) -> Training:
        """The rows without the columns' names, as estimators pass them on to members."""
        named = hasattr(self.given, "to_numpy")
        return replace(self, given=self.given.to_numpy()) if named else self

    @property
    def classes(self) -> list[str | int]:
        """The labels in the order in which estimators have them."""
        return sorted(set(self.y))

    @property
    def function_count(self) -> int:
        """How many functions tell the classes apart, one against the rest: of two classes one."""
        return len(self.classes) if len(self.classes) > 2 else 1

    @property
    def row_weights(self) -> Sequence[float | Fraction]:
        """A weight for each row, 1 where none were given."""
        return self.weights or [1] * len(self.X)

    def of(self, kept: Iterable[int], y: Sequence[str | int]) -> Training:
        """Some of the rows, which have no weights, under other labels."""
        rows = list(kept)
        if len(rows) == len(self.y):
            return replace(self, y=list(y))
        return Training([self.X[i] for i in rows], list(y), None, self.columns, self.sparse)

    def distinct(self, many: int) -> tuple[Training, list[int]]:
        """The sample with equal rows of one label merged into one, which has the sum of their
        weights.

        Nothing is merged where there are at most `many` rows. With it comes the position of each
        row in the merged sample."""
        if len(self.y) <= many:
            return self, list(range(len(self.y)))
        places: dict[tuple[Any, ...], int] = {}
        place = [places.setdefault((c, *x), len(places)) for x, c in zip(self.X, self.y)]
        weights = [Fraction(0)] * len(places)
        for p, weight in zip(place, self.row_weights):
            weights[p] += Fraction(weight)
        X, y = [x for _, *x in places], [c for c, *_ in places]
        return Training(X, y, list(weights), self.columns), place


def read_training(X: object, y: object, sample_weight: object) -> Training:
    """Rows, labels and weights in any of their natural shapes.

    >>> read_training([[1, 2]], ("a",), None).y
    ['a']
    """
    listed = as_sequence(y, "y: expected a sequence of labels")
    if listed and isinstance(listed[0], (list, tuple)):
        raise DataError("y: a table, or several outputs a row, isn't judged; give a list of labels")
    labels = [read_label(entry, f"y[{i}]") for i, entry in enumerate(listed)]
    if len(kinds := {type(entry).__name__ for entry in labels}) > 1:
        raise DataError(f"y: labels of several types, {' and '.join(sorted(kinds))}")
    weights = None if sample_weight is None else list(row_weights(sample_weight, len(labels)))
    return Training(X, labels, weights, column_names(X))


def read_label(value: object, place: str) -> str | int:
    """A label; a float is the whole number that it equals, else it is refused.

    >>> read_label(2.0, "y[0]")
    2
    """
    found = plain(value)
    if not isinstance(found, float):
        return label(found, place)
    if not found.is_integer():
        raise DataError(
            f"{place}: the label {found!r} is no whole number; labels are names, so fit on text "
            f"such as {str(found)!r}, or on whole numbers"
        )
    return label(int(found), place)


@dataclass(frozen=True)
class Held:
    """An estimator, and the name under which its class is known here."""

    kind: str
    estimator: Any
    parameters: Mapping[str, Any]

    def parameter(self, name: str) -> Any:
        """A parameter; `FormatError` where this version has none of the name."""
        if name not in self.parameters:
            raise FormatError(
                f"{self.kind}: get_params() has no {name!r}; a version of it that isn't known here"
            )
        return plain(self.parameters[name])

    def number(self, name: str) -> Fraction:
        """A parameter that must be a finite number."""
        value = self.parameter(name)
        if not _is_finite(value):
            self.refuse(name, "expected a finite number")
        return Fraction(value)

    def whole(self, name: str) -> int:
        """A parameter that must be a whole number."""
        value = self.parameter(name)
        if type(value) is not int:
            self.refuse(name, "expected a whole number")
        return value

    def fitted(self, name: str) -> Any:
        """What training left in an attribute, arrays as lists."""
        try:
            value = getattr(self.estimator, name)
        except AttributeError:
            raise FormatError(
                f"{self.kind}: there is no {name!r}; it isn't fitted, or a version that isn't "
                "known here"
            ) from None
        if hasattr(value, "toarray"):  # it was fitted on sparse rows
            value = value.toarray()
        return plain(value)

    def numbers(self, name: str, *shape: int | None) -> Any:
        """The same of numbers in lists of this shape, in which None is any length."""
        return in_shape(self.fitted(name), f"{self.kind}.{name}", *shape)

    def epochs(self, rows: int) -> int:
        """How often a run went through its rows, in all calls of `partial_fit` together."""
        found: Any = self.fitted("n_iter_")
        most = self.whole("max_iter") if "max_iter" in self.parameters else found
        if type(found) is not int or not 1 <= found <= most:
            raise FormatError(
                f"{self.kind}.n_iter_: expected a whole number of 1 to max_iter, got {shown(found)}"
            )
        after = plain(getattr(self.estimator, "t_", found * rows + 1))
        steps = in_shape(after, f"{self.kind}.t_") - 1
        if steps < rows or steps % rows:
            raise DataError(f"{self.kind} took {shown(steps)} steps, but X has {rows} rows")
        return int(steps) // rows

    def members(self, count: int | None = None) -> list[Any]:
        """The estimators that this one is made of."""
        found = self.fitted("estimators_")
        if not isinstance(found, (list, tuple)) or not found or count not in (None, len(found)):
            raise FormatError(f"{self.kind}.estimators_: expected {count or 'some'} estimators")
        return list(found)

    def refuse(self, setting: str, why: str) -> NoReturn:
        """`ParameterError` that names the setting."""
        raise ParameterError(f"{self.kind}({setting}={shown(self.parameters.get(setting))}): {why}")

    def only(self, setting: str, *known: object, why: str = "no family has that") -> Any:
        """A parameter's value, which must be one of these."""
        value = self.parameter(setting)
        if not any(type(value) is type(one) and value == one for one in known):
            self.refuse(setting, why)
        return value

    def check_rows(self, training: Training) -> None:
        """`DataError` unless it was fitted on rows of this width and these classes."""
        fitted, rows = self.fitted("n_features_in_"), raw_rows(training.given, "X")
        check_count(training.y, len(rows), "y", "labels, one a row")
        if fitted != (width := len(rows[0])):
            raise DataError(f"{self.kind} was fitted on {shown(fitted)} columns, but X has {width}")
        classes = self.fitted("classes_")
        named = isinstance(classes, (list, tuple)) and [
            read_label(c, f"{self.kind}.classes_") for c in classes
        ]
        if named != training.classes:
            raise DataError(
                f"{self.kind} was fitted on the classes {shown(classes)}, but y has "
                f"{shown(training.classes)}"
            )

    def class_weights(self, training: Training) -> dict[str | int, Fraction | float]:
        """What `class_weight` makes each class count."""
        given = self.parameter("class_weight")
        if given is None:
            return dict.fromkeys(training.classes, Fraction(1))
        if given == "balanced":
            # counts of rows, whatever these weigh
            return dict(zip(training.classes, balanced_weights(training.y)))
        if not isinstance(given, Mapping):
            self.refuse("class_weight", "expected None, 'balanced' or a mapping of classes")
        weights: dict[str | int, Any] = {c: plain(given.get(c, 1)) for c in training.classes}
        if not all(map(_is_finite, weights.values())):
            self.refuse("class_weight", "expected finite numbers")
        return weights


def held(estimator: object, kinds: Iterable[str], refusal: str) -> Held:
    """The estimator under the first name of its class or of a parent that is among the kinds."""
    names = [parent.__name__ for parent in type(estimator).__mro__]
    kind = next((name for name in names if name in kinds), None)
    get_params = getattr(estimator, "get_params", None)
    if kind is None or not callable(get_params):
        raise ParameterError(f"{names[0]}: {refusal}; known are {', '.join(kinds)}")
    return Held(kind, estimator, get_params(deep=False))


def in_shape(found: object, place: str, *shape: int | None) -> Any:
    """Numbers in lists of this shape, in which None is any length.

    >>> in_shape([[1, 2.5]], "coef_", None, 3)
    Traceback (most recent call last):
    ...
    refmc.errors.FormatError: coef_: expected numbers in the shape (any, 3)
    """
    entries: list[Any] = [found]
    for length in shape:
        fit = all(isinstance(e, (list, tuple)) and length in (None, len(e)) for e in entries)
        entries = [v for entry in entries for v in entry] if fit else [None]
    if not all(isinstance(v, (int, float, Fraction)) for v in entries):
        sizes = ", ".join("any" if length is None else str(length) for length in shape)
        raise FormatError(
            f"{place}: expected " + (f"numbers in the shape ({sizes})" if shape else "a number")
        )
    for v in entries:
        if not _is_finite(v):
            raise FormatError(f"{place}: has {shown(v)}, which is no finite number of binary64")
    return found


def _is_finite(value: Any) -> bool:
    """Whether it is a number within the range of binary64."""
    is_number = isinstance(value, (int, float, Fraction))
    return is_number and bool(abs(value) <= float_info.max)


def predicted(estimator: Any, training: Training, classes: Sequence[str | int]) -> list[Any]:
    """What an estimator predicts for each row, which must be one of these classes."""
    predict = getattr(estimator, "predict", None)
    found: Any = plain(predict(training.given)) if callable(predict) else None
    is_listed = isinstance(found, (list, tuple)) and len(found) == len(training.y)
    if not is_listed or any(v not in classes for v in found):
        raise FormatError(
            f"{type(estimator).__name__}.predict: expected one of {shown(classes)} for each of "
            f"{len(training.y)} rows"
        )
    own = dict(zip(classes, classes))  # of 1.0 it is 1
    return [own[v] for v in found]


def product(*factors: float | Fraction) -> Fraction:
    """The product of floats and Fractions, exactly."""
    return prod((Fraction(factor) for factor in factors), start=Fraction(1))
