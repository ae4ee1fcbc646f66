"""What the records of several families have in common: rows, labels, numbers of a known shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from refmc.checker.kernels import KERNELS as CHECKED_KERNELS
from refmc.checker.kernels import LINEAR
from refmc.checker.kernels import Kernel as CheckedKernel
from refmc.checker.parts import counted
from refmc.core import sample
from refmc.core.labels import read_two_classes
from refmc.core.records import (
    Record,
    at,
    items,
    label,
    labels,
    matrix,
    number,
    numbers,
    read_object,
    text,
)
from refmc.core.sample import Label, read_labels
from refmc.core.scalars import shown
from refmc.errors import FormatError

if TYPE_CHECKING:
    from refmc.checker.numbers.logarithms import LogSum
    from refmc.theory.kernels import Kernel

T = TypeVar("T")


class Rows(NamedTuple):
    """m rows of d numbers with a kernel, or the Gram matrix instead of both.

    `asked`: the kernel by its name and parameters, as the checker takes it.
    """

    X: list[list[Fraction]] | None
    gram: list[list[Fraction]] | None
    asked: CheckedKernel = LINEAR

    @property
    def m(self) -> int:
        """The number of rows."""
        return len(self.X or self.gram or ())

    @property
    def checked(self) -> dict[str, Any]:
        """What the checker takes of them, by its names."""
        return {"X": self.X, "gram": self.gram, "kernel": self.asked}

    @property
    def kernel(self) -> Kernel:
        """The kernel as the learner takes it."""
        return kernel_of(self.asked)

    @property
    def is_linear(self) -> bool:
        """Whether weight vectors exist as numbers."""
        return self.X is not None and self.asked == LINEAR


def gram_of(rows: Rows) -> list[list[Fraction]] | None:
    """The values of the kernel; None for the linear one, whose scores come from weights."""
    if rows.X is None or rows.is_linear:
        return rows.gram
    kernel: Any = rows.kernel
    return [[kernel(x, z) for z in rows.X] for x in rows.X]


def kernel_of(asked: CheckedKernel) -> Kernel:
    """The learner's kernel of a name and parameters.

    >>> kernel_of(LINEAR)
    Linear()
    """
    from refmc.theory.kernels import kernel_from_json  # checks of linear kernels need none

    parameters = asked.parameters.items()
    given = {n: int(v) if v.denominator == 1 else v for n, v in parameters}  # a degree is whole
    return kernel_from_json({"name": asked.name, **given})


def read_rows_or_gram(record: Record) -> Rows:
    """`X` with an optional `kernel`, or `gram`.

    >>> read_rows_or_gram({"X": [[1]], "kernel": "linear"}).is_linear
    True
    """
    if "gram" in record:
        from refmc.theory.grams import check_gram  # few problems have one

        gram = matrix(record["gram"], "problem.gram")
        at("problem.gram", lambda: check_gram(gram))
        return Rows(None, gram)
    X = matrix(record["X"], "problem.X")
    rows = Rows(X, None, read_kernel(record.get("kernel", "linear")))
    if rows.asked.name not in CHECKED_KERNELS:
        known = " and ".join(CHECKED_KERNELS)
        raise FormatError(
            f"problem.kernel: only {known} kernels have exact values that are judged; decide on "
            "the matrix of kernel values and give it as 'gram'"
        )
    if not rows.is_linear:
        kernel: Any = rows.kernel
        at("problem.kernel", lambda: [kernel(x, x) for x in X])  # or they are too long
    return rows


def read_kernel(value: object) -> CheckedKernel:
    """The kernel of a record or a name, whether or not its values are exact.

    A float is the binary64 that it denotes.

    >>> read_kernel({"name": "rbf", "gamma": 0.5})
    Kernel(name='rbf', parameters={'gamma': Fraction(1, 2)})
    """
    if value == "linear":
        return LINEAR
    from refmc.theory.kernels import kernel_from_json

    given = value if isinstance(value, Mapping) else {"name": text(value, "problem.kernel")}
    place = "problem.kernel."
    record = {  # number() refuses a bool, which Python counts among the numbers
        n: number(v, place + n) if isinstance(v, (bool, float)) else v for n, v in given.items()
    }
    try:
        kernel_from_json(record)
    except FormatError as error:
        raise FormatError(f"problem.{error}") from None
    return CheckedKernel(
        str(record["name"]), {n: number(v, place + n) for n, v in record.items() if n != "name"}
    )


def read_signs(record: Record, m: int) -> tuple[tuple[int, ...], tuple[Label, Label]]:
    """−1 or +1 for each row, and the two labels; `classes` names other ones than −1 and +1.

    >>> read_signs({"y": ["no", "yes"], "classes": ["no", "yes"]}, 2)
    ((-1, 1), ('no', 'yes'))
    """
    y, classes = labels(record["y"], "problem.y"), given_classes(record)
    return at("problem", lambda: read_two_classes(y, classes, m))


def read_codes(record: Record, m: int) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    """The class position of each row, and the labels in the order of `classes`, else sorted.

    >>> read_codes({"y": ["b", "a"]}, 2)
    ((1, 0), ('a', 'b'))
    """
    y, classes = labels(record["y"], "problem.y"), given_classes(record)
    return at("problem", lambda: read_labels(y, classes, m))


def read_classes(record: Record, k: int) -> tuple[Label, ...]:
    """The k labels of a problem without `y`: `classes`, or the positions from 0.

    >>> read_classes({}, 3), read_classes({"classes": ["b", "a"]}, 2)
    ((0, 1, 2), ('b', 'a'))
    """
    given = given_classes(record)
    if given is None:
        return tuple(range(k))
    order = at("problem.classes", lambda: sample.read_classes(given))
    if len(order) != k:
        raise FormatError(f"problem.classes: expected {k} labels, got {len(order)}")
    return order


def given_classes(record: Record) -> list[str | int] | None:
    """The labels of the field `classes`, if it is there.

    >>> given_classes({"classes": ["b", "a"]})
    ['b', 'a']
    """
    return labels(record["classes"], "problem.classes") if "classes" in record else None


def label_positions(
    value: object, place: str, classes: Sequence[Label], m: int | None = None
) -> list[int]:
    """The position in `classes` of each of m labels, or of any number of labels where m is None.

    >>> label_positions(["b", "a"], "answer.labels", ["a", "b"], 2)
    [1, 0]
    """
    given = items(value, place) if m is None else one_a_row(value, place, m)
    return each(lambda entry, where: label_position(entry, where, classes), given, place)


def label_position(value: object, place: str, classes: Sequence[Label]) -> int:
    """The position of a label in `classes`.

    >>> label_position("b", "answer.label", ["a", "b"])
    1
    """
    given = label(value, place)
    if not sample.is_label_of(given, classes):
        raise FormatError(
            f"{place}: {shown(given)} is no class of the problem{sample.unlike(given, classes)}"
        )
    return classes.index(given)


def truth(record: Record, name: str, default: bool) -> bool:
    """A field of a problem that is true or false.

    >>> truth({"bias": False}, "bias", True)
    False
    """
    return truth_at(record.get(name, default), f"problem.{name}")


def truth_at(value: object, place: str, reading: object = None) -> bool:
    """A value that is true or false."""
    if not isinstance(value, bool):
        raise FormatError(f"{place}: expected true or false, got {shown(value)}")
    return value


def read_features(record: Record, k: int, m: int | None = None) -> list[list[list[Fraction]]]:
    """For each of m rows the k rows Ψ(x, j), all of one length.

    >>> read_features({"features": [[[1, 0], [0, 1]]]}, 2)[0][1]
    [Fraction(0, 1), Fraction(1, 1)]
    """
    place = "problem.features"
    given = items(record["features"], place)
    if m is not None:
        one_a_row(given, place, m, " matrices")
    found = each(matrix, given, place)
    width = len(found[0][0])
    for i, psi in enumerate(found):
        if len(psi) != k or len(psi[0]) != width:
            raise FormatError(f"{place}[{i}]: expected {k} rows of {width} numbers, one a class")
    return found


def one_a_row(value: object, place: str, m: int, what: str = "") -> Sequence[object]:
    """The m entries of a list, one for each row.

    >>> one_a_row(["yes", "no"], "answer.labels", 2)
    ['yes', 'no']
    """
    given = items(value, place)
    if len(given) != m:
        raise FormatError(f"{place}: expected {m}{what}, one a row, got {len(given)}")
    return given


def row_of(value: object, place: str, length: int) -> list[Fraction]:
    """A submitted row of `length` numbers.

    >>> row_of([1, "1/2"], "answer.w", 2)
    [Fraction(1, 1), Fraction(1, 2)]
    """
    found = numbers(value, place)
    if len(found) != length:
        raise FormatError(f"{place}: expected {counted(length, 'number')}, got {len(found)}")
    return found


def matrix_of(
    value: object,
    place: str,
    rows: int,
    columns: int,
    hints: Mapping[tuple[int, int], str] | None = None,
) -> list[list[Fraction]]:
    """A submitted matrix of so many rows and columns; `hints` say what another shape may mean.

    >>> matrix_of([[1, 2]], "answer.W", 1, 2)
    [[Fraction(1, 1), Fraction(2, 1)]]
    """
    found = matrix(value, place)
    shape = len(found), len(found[0])
    if shape != (rows, columns):
        raise FormatError(
            f"{place}: expected {counted(rows, 'row')} of {counted(columns, 'number')}, "
            f"got {shape[0]} of {shape[1]}{(hints or {}).get(shape, '')}"
        )
    return found


def each(read: Callable[[object, str], T], value: object, place: str) -> list[T]:
    """The entries of a list that isn't empty, each read at its own place.

    >>> each(whole, [1, 0], "problem.order")
    [1, 0]
    """
    return [read(entry, f"{place}[{i}]") for i, entry in enumerate(items(value, place))]


def log_terms(value: object, place: str) -> LogSum:
    """The sum of coefficients times log2 of whole numbers, from {"3": "1/2", …}.

    >>> log_terms({"3": "1/2", "2": 1}, "answer.lam.log2").text()
    '1 + 1/2 log2 3 (about 1.79248)'
    """
    from refmc.checker.numbers.logarithms import LogSum, log2  # few answers have one

    total = LogSum()
    for base, c in read_object(value, place).items():
        where = f"{place}[{base}]"
        total = total + log2(whole(base, where, 1)) * number(c, where)
    return total


def whole(value: object, place: str, least: int = 0) -> int:
    """A whole number of at least `least`.

    >>> whole("3", "answer.leaves", 1)
    3
    """
    found = number(value, place)
    if found.denominator != 1 or found.numerator < least:
        raise FormatError(
            f"{place}: expected a whole number of at least {least}, got {shown(found)}"
        )
    return int(found)
