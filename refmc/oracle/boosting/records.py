"""The families `boost.ada` and `boost.mh`: problems, read from records.

{"family": "boost.ada", "X": m rows, "y": m labels, "rounds": T, "classes": [negative, positive],
 "columns", "categorical", "weights": as for trees, "base": "stumps" or "any",
 "rule": "half_log", "samme" or "m1"}

{"family": "boost.mh", "X", "Y": m labels, label lists or rows of signs, "rounds", "classes", …,
 "base": "stumps", "two_sided" or "any"}
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Any, Final

from refmc.checker.boosting import judge
from refmc.checker.boosting.run import Rule
from refmc.checker.boosting.stumps import MAX_CATEGORIES, Kind
from refmc.core.labels import SINGLE, Codes
from refmc.core.labels import read_codes as read_label_sets
from refmc.core.records import Record, at, label, labels, numbers
from refmc.core.sample import Label
from refmc.core.scalars import plain
from refmc.errors import FormatError
from refmc.oracle.columns import CATEGORICAL, COLUMNS, Cells, cells
from refmc.oracle.columns import X as TABLE
from refmc.oracle.declaring import FAMILY, choice, part, required, such_that, whole_from
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import LABEL, LABELS, NUMBER, WHOLE, either, list_of
from refmc.oracle.reading import each, given_classes
from refmc.oracle.samples import CLASSES, WEIGHTS, codes, row_count, signs

ADA: Final = "boost.ada"
MH: Final = "boost.mh"

MAX_ROUNDS = 100_000
"""The most rounds of a problem."""


def _label_sets(reading: Reading) -> Codes:
    """The class positions of each row."""
    record, m = reading.record, reading.of(row_count)
    if Y_SETS in reading:
        Y, classes = each(_entry, record["Y"], "problem.Y"), given_classes(record)
        return at("problem", lambda: read_label_sets(Y, classes, m))
    if reading[RULE] != "half_log":
        found, order = reading.of(codes)
        return Codes(tuple((c,) for c in found), order, SINGLE)
    plus_or_minus, pair = reading.of(signs)  # the negative class first
    return Codes(tuple(((sign + 1) // 2,) for sign in plus_or_minus), pair, SINGLE)


def _entry(value: object, place: str) -> object:
    """A label, a set of labels, or a row of signs."""
    value = plain(value)
    if isinstance(value, AbstractSet):
        return {label(v, place) for v in value}
    if not isinstance(value, (list, tuple)):
        return label(value, place)
    if not value:
        return []
    of_labels = any(isinstance(plain(v), str) for v in value)
    return labels(value, place) if of_labels else numbers(value, place)


def _signs_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    X = draws.rows(sizes["rows"], sizes["columns"], sizes.numbers)
    return {"X": X, "y": draws.row(sizes["rows"], (-1, 1))}


def _sets_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    Y: list[Any] = draws.row(sizes["rows"], sizes.labels)
    if draws.below(2):
        Y = [[c for c in sizes.labels if draws.below(2)] for _ in Y]
    X = draws.rows(sizes["rows"], sizes["columns"], sizes.numbers)
    return {"X": X, "Y": Y, "classes": [*sizes.labels]}


def _letters_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """A rule; with another one than the first several classes."""
    rule, y = draws.one_of(["samme", "m1", "half_log"]), draws.row(sizes["rows"], sizes.labels)
    if rule == "half_log":
        return {"rule": rule}
    return {"rule": rule, "y": y, "classes": [*sizes.labels]}


X = TABLE._replace(
    says="m rows of numbers and categories; needed unless `base` is `any`", default=None
)
Y = part("y", LABELS, "m labels", axes=("rows",), draws=_signs_drawn, default=REQUIRED)
_LABEL_SET = either(LABEL, list_of(either(LABEL, NUMBER), 0))
Y_SETS = part(
    "Y", list_of(_LABEL_SET),
    "m labels; or m lists of labels (strings); or m rows of k signs, −1 and 1 or 0 and 1",
    axes=("rows",), draws=_sets_drawn, default=REQUIRED,
)  # fmt: skip
_rounds = such_that(whole_from(0), lambda T: T <= MAX_ROUNDS, f"at most {MAX_ROUNDS}")
ROUNDS = required("rounds", "T, the most rounds, up to 100,000", WHOLE, _rounds, draws=[2, 1, 3])
_ANY = "`any`: of any kind, so that their choice isn't judged"
_TWO_SIDED = "the base classifiers; `two_sided`: stumps with a sign for each label and side"
BASES: dict[str, Field[str]] = {
    ADA: choice("base", f"the base classifiers; {_ANY}", "stumps", "any", draws=["stumps"]),
    MH: choice(
        "base", f"{_TWO_SIDED}; {_ANY}", "stumps", "two_sided", "any", draws=["two_sided", "stumps"]
    ),
}
RULE: Field[Rule] = choice(
    "rule",
    "`half_log`: α = ½ ln((1 − ε)/ε). `samme`: α = ln((1 − ε)/ε) + ln(k − 1) for base classifiers "
    "that name one of k classes, acting on D as exp(α) where they are wrong; an edge is then "
    "ε < 1 − 1/k. `m1`: AdaBoost.M1, the same without ln(k − 1), where an edge is ε < 1/2. Runs of "
    "these two with stumps have a reference answer, but no trace",
    "half_log", "samme", "m1", draws=_letters_drawn,
)  # fmt: skip
_OPTIONS = (CLASSES, COLUMNS, CATEGORICAL, WEIGHTS)
PROBLEM = {
    ADA: Declared(
        fields=(FAMILY, X, Y, ROUNDS, *_OPTIONS, BASES[ADA], RULE),
        unless={"X": (BASES[ADA], "any")}, is_reordered=False,
    ),
    MH: Declared(
        fields=(FAMILY, X, Y_SETS, ROUNDS, *_OPTIONS, BASES[MH]),
        unless={"X": (BASES[MH], "any")},
    ),
}  # fmt: skip


@dataclass(frozen=True)
class LabelledProblem:
    """The checker's problem, and the labels that its positions stand for."""

    asked: judge.BoostingProblem
    classes: tuple[Label, ...]

    @property
    def m(self) -> int:
        return len(self.asked.truth)


def read_problem(record: Record) -> LabelledProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> problem = {"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 3}
    >>> read_problem(problem).asked.truth
    ((1,), (0,))
    """
    family: Any = record["family"]
    reading = PROBLEM[family].read(record)
    table = reading.of(cells) if X in reading else None
    if table is None and (COLUMNS in reading or CATEGORICAL in reading):
        raise FormatError("problem: columns and categorical belong to X")
    kinds: dict[str, Kind | None] = {"any": None, "two_sided": "two_sided"}
    kind = kinds.get(reading[BASES[family]], "one_sign" if family == MH else "classes")
    if kind is not None and table is not None:
        _check_categories(table)
    truth = reading.of(_label_sets)
    problem = judge.BoostingProblem(
        family=family,
        truth=truth.rows,
        k=len(truth.classes),
        X=table.X if table else None,
        columns=table.columns if table else (),
        kind=kind,
        rule=reading[RULE],
        single=truth.target == SINGLE,
        classes=tuple(map(str, truth.classes)),
        **reading.settings(ROUNDS, WEIGHTS),
    )
    return LabelledProblem(problem, truth.classes)


def _check_categories(cells: Cells) -> None:
    for j, column in enumerate(zip(*cells.X)):
        count = len(set(column))
        if isinstance(column[0], str) and count > MAX_CATEGORIES:
            raise FormatError(
                f"problem.X: column {j} has {count} categories, more than {MAX_CATEGORIES}; give "
                'one column of 0 and 1 for each, or "base": "any"'
            )
