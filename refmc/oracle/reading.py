"""What the records of several families have in common: rows, labels, and the visits of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import cycle, islice
from typing import Any

from refmc.checker.kernels import KERNELS as REFEREE_KERNELS
from refmc.checker.kernels import Kernel as RefereeKernel
from refmc.checker.numbers.logarithms import LogSum, log2
from refmc.checker.online.states import Visit
from refmc.core import sample
from refmc.core.labels import read_two_classes
from refmc.core.records import Record, at, items, label, labels, matrix, number, numbers, text
from refmc.core.sample import Label, read_labels
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.forms import Form
from refmc.theory.kernels import Kernel, is_rational, kernel_from_json, linear

MAX_STEPS = 200_000
"""The most steps of a run: epochs of few rows would else be written out without end."""

MAX_ENTRIES = 5_000_000
"""The most numbers in all the states of a run."""


@dataclass(frozen=True)
class Rows:
    """m rows of d numbers with a kernel, or the Gram matrix instead of both."""

    X: list[list[Fraction]] | None
    gram: list[list[Fraction]] | None
    kernel: Kernel

    @property
    def m(self) -> int:
        """The number of rows."""
        return len(self.X or self.gram or ())

    @property
    def referee_kernel(self) -> RefereeKernel:
        """The kernel as the checker takes it."""
        if self.kernel == linear:
            return RefereeKernel("linear", {})
        from refmc.theory.kernel_saving import saved_kernel

        record = saved_kernel(self.kernel) or {}
        parameters = {key: number(record[key], key) for key in record if key != "name"}
        return RefereeKernel(str(record["name"]), parameters)

    @property
    def is_linear(self) -> bool:
        """Whether weight vectors exist as numbers."""
        return self.X is not None and self.kernel == linear


def read_rows_or_gram(record: Record) -> Rows:
    """`X` with an optional `kernel`, or `gram`.

    >>> read_rows_or_gram({"X": [[1]], "kernel": "linear"}).is_linear
    True
    """
    if "gram" in record:
        from refmc.theory.grams import check_gram  # few problems have one

        gram = matrix(record["gram"], "problem.gram")
        at("problem.gram", lambda: check_gram(gram))
        return Rows(None, gram, linear)
    return Rows(
        matrix(record["X"], "problem.X"), None, _exact_kernel(record.get("kernel", "linear"))
    )


def read_kernel(value: object) -> Kernel:
    """The kernel of a record or a name, whether or not its values are exact.

    >>> read_kernel({"name": "rbf", "gamma": "1/2"})
    RBF(gamma=Fraction(1, 2))
    """
    record = value if isinstance(value, Mapping) else {"name": text(value, "problem.kernel")}
    for name, parameter in record.items():
        if isinstance(parameter, bool):  # which Python counts among the numbers
            number(parameter, f"problem.kernel.{name}")
    try:
        return kernel_from_json(record)
    except FormatError as error:
        raise FormatError(f"problem.{error}") from None


def _exact_kernel(value: object) -> Kernel:
    kernel = read_kernel(value)
    name = value["name"] if isinstance(value, Mapping) else value
    if name not in REFEREE_KERNELS or not is_rational(kernel):
        known = " and ".join(REFEREE_KERNELS)
        raise FormatError(
            f"problem.kernel: only {known} kernels have exact values that are judged; decide on "
            "the matrix of kernel values and give it as 'gram'"
        )
    return kernel


def read_signs(record: Record, m: int) -> tuple[tuple[int, ...], tuple[Label, Label]]:
    """−1 or +1 for each row, and the two labels; `classes` names other ones than −1 and +1.

    >>> read_signs({"y": ["no", "yes"], "classes": ["no", "yes"]}, 2)
    ((-1, 1), ('no', 'yes'))
    """
    y, classes = _label_lists(record)
    signs, order = at("problem", lambda: read_two_classes(y, classes, m))
    return signs, order


def read_codes(record: Record, m: int) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    """The class position of each row, and the labels in the order of `classes`, else sorted.

    >>> read_codes({"y": ["b", "a"]}, 2)
    ((1, 0), ('a', 'b'))
    """
    y, classes = _label_lists(record)
    codes, order = at("problem", lambda: read_labels(y, classes, m))
    return codes, order


def read_classes(record: Record, k: int) -> tuple[Label, ...]:
    """The k labels of a problem without `y`: `classes`, or the positions from 0.

    >>> read_classes({}, 3), read_classes({"classes": ["b", "a"]}, 2)
    ((0, 1, 2), ('b', 'a'))
    """
    if "classes" not in record:
        return tuple(range(k))
    given = labels(record["classes"], "problem.classes")
    order: tuple[Label, ...] = at("problem.classes", lambda: sample.read_classes(given))
    if len(order) != k:
        raise FormatError(f"problem.classes: expected {k} labels, got {len(order)}")
    return order


def _label_lists(record: Record) -> tuple[list[Any], list[Any] | None]:
    classes = labels(record["classes"], "problem.classes") if "classes" in record else None
    return labels(record["y"], "problem.y"), classes


def label_signs(value: object, place: str, classes: tuple[Label, Label], m: int) -> list[int]:
    """−1 or +1 for each of m submitted labels.

    >>> label_signs(["yes", "no"], "answer.labels", ("no", "yes"), 2)
    [1, -1]
    """
    return [2 * position - 1 for position in label_positions(value, place, classes, m)]


def label_positions(value: object, place: str, classes: Sequence[Label], m: int) -> list[int]:
    """The position in `classes` of each of m submitted labels.

    >>> label_positions(["b", "a"], "answer.labels", ["a", "b"], 2)
    [1, 0]
    """
    given = items(value, place)
    if len(given) != m:
        raise FormatError(f"{place}: expected {m}, one a row, got {len(given)}")
    return [label_position(entry, f"{place}[{i}]", classes) for i, entry in enumerate(given)]


def label_position(value: object, place: str, classes: Sequence[Label]) -> int:
    """The position of a submitted label in `classes`.

    >>> label_position("b", "answer.label", ["a", "b"])
    1
    """
    given = label(value, place)
    if not sample.is_label_of(given, classes):
        raise FormatError(
            f"{place}: {shown(given)} is no class of the problem{sample.unlike(given, classes)}"
        )
    return classes.index(given)


def one_of(record: Record, name: str, known: Sequence[str], place: str = "problem") -> Any:
    """A field that names one of several choices, the first of which is the default.

    >>> one_of({}, "at_zero", ["update", "either"])
    'update'
    """
    value = record.get(name, known[0])
    if value not in known:
        raise FormatError(f"{place}.{name}: expected one of {', '.join(known)}, got {shown(value)}")
    return value


def truth(record: Record, name: str, default: bool, place: str = "problem") -> bool:
    """A field that is true or false.

    >>> truth({"bias": False}, "bias", True)
    False
    """
    value = record.get(name, default)
    if not isinstance(value, bool):
        raise FormatError(f"{place}.{name}: expected true or false, got {shown(value)}")
    return value


def positive(record: Record, name: str) -> Fraction:
    """A number above 0.

    >>> positive({"C": "1/2"}, "C")
    Fraction(1, 2)
    """
    value = number(record[name], f"problem.{name}")
    if value <= 0:
        raise FormatError(f"problem.{name}: expected a positive number, got {shown(record[name])}")
    return value


def read_features(record: Record, k: int, m: int | None = None) -> list[list[list[Fraction]]]:
    """For each of m rows the k rows Ψ(x, j), all of one length.

    >>> read_features({"features": [[[1, 0], [0, 1]]]}, 2)[0][1]
    [Fraction(0, 1), Fraction(1, 1)]
    """
    given = items(record["features"], "problem.features")
    if m is not None and len(given) != m:
        raise FormatError(f"problem.features: expected {m} matrices, one a row, got {len(given)}")
    found = [matrix(psi, f"problem.features[{i}]") for i, psi in enumerate(given)]
    width = len(found[0][0])
    for i, psi in enumerate(found):
        if len(psi) != k or len(psi[0]) != width:
            raise FormatError(
                f"problem.features[{i}]: expected {k} rows of {width} numbers, one a class"
            )
    return found


def row_of(record: Record, name: str, length: int) -> list[Fraction]:
    """A submitted row of so many numbers.

    >>> row_of({"w": [1, "1/2"]}, "w", 2)
    [Fraction(1, 1), Fraction(1, 2)]
    """
    found = numbers(record[name], f"answer.{name}")
    if len(found) != length:
        raise FormatError(f"answer.{name}: expected {length} numbers, got {len(found)}")
    return found


def matrix_of(value: object, place: str, rows: int, columns: int) -> list[list[Fraction]]:
    """A submitted matrix of so many rows and columns.

    >>> matrix_of([[1, 2]], "answer.W", 1, 2)
    [[Fraction(1, 1), Fraction(2, 1)]]
    """
    found = matrix(value, place)
    if len(found) != rows or len(found[0]) != columns:
        raise FormatError(
            f"{place}: expected {rows} rows of {columns} numbers, "
            f"got {len(found)} of {len(found[0])}"
        )
    return found


def whole_numbers(value: object, place: str) -> list[int]:
    """Whole numbers of at least 0.

    >>> whole_numbers([1, 0], "problem.order")
    [1, 0]
    """
    return [whole(entry, f"{place}[{i}]") for i, entry in enumerate(items(value, place))]


def read_object(value: object, place: str) -> Record:
    """A record inside a record.

    >>> read_object({"nodes": []}, "answer.tree")
    {'nodes': []}
    """
    if not isinstance(value, Mapping):
        raise FormatError(f"{place}: expected an object, got {shown(value)}")
    return value


def log_terms(value: object, place: str) -> LogSum:
    """The sum of coefficients times log2 of whole numbers, from {"3": "1/2", …}.

    >>> log_terms({"3": "1/2", "2": 1}, "answer.lam.log2").text()
    '1 + 1/2 log2 3 (about 1.79248)'
    """
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
    if found.denominator != 1 or found < least:
        raise FormatError(
            f"{place}: expected a whole number of at least {least}, got {shown(found)}"
        )
    return int(found)


def epoch_visits(record: Record, m: int, width: int) -> tuple[Visit, ...]:
    """The visits of `epochs` (1 if absent) in the `order` of rows, each in turn if absent.

    Refuses runs of more than `MAX_STEPS` steps, or whose states, of `width` numbers each, have more
    than `MAX_ENTRIES` in all.

    `order` is a list of positions for all epochs, or a list of such lists, one an epoch. With
    `weights`, whole numbers, each turn of a row has as many visits as its weight.

    >>> [visit.row for visit in epoch_visits({"epochs": 2, "order": [1, 0]}, 2, 1)]
    [1, 0, 1, 0]
    >>> [visit.row for visit in epoch_visits({"weights": [1, 2]}, 2, 1)]
    [0, 1, 1]
    """
    counts = _counts(record, m)
    (epochs,) = whole_numbers([record.get("epochs", 1)], "problem.epochs")
    if epochs < 1:
        raise FormatError("problem.epochs: expected at least 1")
    given = items(record.get("order", range(m)), "problem.order")
    if isinstance(plain(given[0]), Sequence) and not isinstance(given[0], str):
        if len(given) != epochs:
            raise FormatError(
                f"problem.order: expected {shown(epochs)} lists, one an epoch, got {len(given)}"
            )
        lists = [items(order, f"problem.order[{e}]") for e, order in enumerate(given)]
        _check_steps(sum(map(len, lists)), width, "problem.order")
        orders = [_positions(order, f"problem.order[{e}]", m) for e, order in enumerate(lists)]
    else:
        _check_steps(epochs * len(given), width, "problem.epochs")
        orders = [_positions(given, "problem.order", m)] * epochs
    if counts is not None:
        _check_steps(sum(counts[i] for order in orders for i in order), width, "problem.weights")
        orders = [[i for i in order for _ in range(counts[i])] for order in orders]
        if not all(orders):
            raise FormatError("problem.weights: the rows of an epoch have no weight")
    rows = [(epoch, row) for epoch, order in enumerate(orders, 1) for row in order]
    return tuple(Visit(t, epoch, row) for t, (epoch, row) in enumerate(rows, 1))


def _check_steps(steps: int, width: int, place: str) -> None:
    """Before any of them is written out."""
    if steps > MAX_STEPS:
        raise FormatError(f"{place}: {shown(steps)} steps; expected at most {MAX_STEPS}")
    if steps * width > MAX_ENTRIES:
        raise FormatError(
            f"{place}: {steps} steps of {width} numbers; expected at most {MAX_ENTRIES} in all"
        )


def orders_of(visits: Sequence[Visit]) -> list[list[int]]:
    """The rows of each epoch in the order of their visits.

    >>> orders_of((Visit(1, 1, 4), Visit(2, 2, 0)))
    [[4], [0]]
    """
    orders: list[list[int]] = [[] for _ in range(visits[-1].epoch)]
    for visit in visits:
        orders[visit.epoch - 1].append(visit.row)
    return orders


def drawn_visits(record: Record, m: int, width: int) -> tuple[Visit, ...]:
    """The visits of `draws`, or of `T` draws of each row in turn; refuses as `epoch_visits`.

    With `weights`, whole numbers, each row is drawn so often at its turn.

    >>> [visit.row for visit in drawn_visits({"T": 3}, 2, 1)]
    [0, 1, 0]
    """
    counts = _counts(record, m)
    if "draws" in record:
        rows = _positions(record["draws"], "problem.draws", m)
        _check_steps(len(rows), width, "problem.draws")
    else:
        T = whole(record["T"], "problem.T", 1)
        _check_steps(T, width, "problem.T")
        turns = range(m) if counts is None else (i for i in range(m) for _ in range(counts[i]))
        rows = list(islice(cycle(turns), T))
    return tuple(Visit(t, 1, row) for t, row in enumerate(rows, 1))


def _counts(record: Record, m: int) -> tuple[int, ...] | None:
    """How often each row is seen at its turn; None where it is once."""
    if "weights" not in record:
        return None
    given = numbers(record["weights"], "problem.weights")
    found: tuple[int, ...] = at("problem", lambda: sample.row_counts(given, m))
    return found


def _positions(value: object, place: str, m: int) -> list[int]:
    found = whole_numbers(value, place)
    for i, row in enumerate(found):
        if row >= m:
            raise FormatError(f"{place}[{i}]: expected a row from 0 to {m - 1}, got {shown(row)}")
    return found


def read_answer(record: Record, family: str, form: Form) -> None:
    """Refuse an answer with unknown fields, with none that is judged, or of another family."""
    form.check(record, "answer")
    check_family(record, family)
    if form.some and not any(name in record for name in form.some):
        raise FormatError(f"answer: expected at least one of {', '.join(form.some)}")


def check_family(record: Record, family: str) -> None:
    """Refuse an answer that says it is of another family."""
    if record.get("family", family) != family:
        raise FormatError(
            f"answer.family: {shown(record['family'])}, but the problem's is '{family}'"
        )
