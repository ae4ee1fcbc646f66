"""The families `boost.ada` and `boost.mh`: problems and runs, read from records.

{"family": "boost.ada", "X": m rows, "y": m labels, "rounds": T, "classes": [negative, positive],
 "columns", "categorical", "weights": as for trees, "base": "stumps" or "any",
 "rule": "half_log", "samme" or "m1"}

{"family": "boost.mh", "X", "Y": m labels, label lists or rows of signs, "rounds", "classes", …,
 "base": "stumps", "two_sided" or "any"}

An answer is {"rounds": [{"base": answers on the rows, or "stump": …, "epsilon", "alpha", …}, …]}.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from refmc.checker.boosting import judge as referee
from refmc.checker.boosting.amounts import Amount
from refmc.checker.boosting.stumps import MAX_CATEGORIES, Kind
from refmc.checker.trees.data import says_yes
from refmc.core.labels import SINGLE, Codes
from refmc.core.labels import read_codes as read_label_sets
from refmc.core.records import Record, at, entries, items, label, labels, number, numbers
from refmc.core.sample import Label
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.columns import (
    CELLS,
    MEMBERSHIP,
    TABLE,
    THRESHOLD,
    Cells,
    check_fits,
    is_float,
    read_cells,
    read_question,
)
from refmc.oracle.costs import read_weights
from refmc.oracle.forms import (
    ANY,
    LABEL,
    LABELS,
    LOGARITHMS,
    MATRIX,
    NUMBER,
    NUMBERS,
    REMARKS,
    TEXT,
    WHOLE,
    Fields,
    Form,
    choice,
    either,
    list_of,
    or_null,
)
from refmc.oracle.reading import (
    if_given,
    label_position,
    label_positions,
    log_terms,
    matrix_of,
    numbers_in,
    one_a_row,
    one_of,
    read_answer,
    read_codes,
    read_object,
    read_signs,
    whole,
)

ADA: Final = "boost.ada"
MH: Final = "boost.mh"

CLAIMS = ("epsilon", "loss")
OF_Z = ("Z", "Z_squared", "bound", "bound_squared")
RULES = choice("half_log", "samme", "m1")
BASES = {ADA: choice("stumps", "any"), MH: choice("stumps", "two_sided", "any")}
ENDS = choice("rounds", "perfect", "no_edge")

_OPTIONS: Fields = {"X": TABLE, "classes": LABELS, **CELLS, "weights": NUMBERS}
_LABEL_SET = either(LABEL, list_of(either(LABEL, NUMBER), 0))
_UNLESS_ANY: Fields = {
    "if": {"properties": {"base": {"const": "any"}}, "required": ["base"]},
    "else": {"required": ["X"]},
}
PROBLEM = {
    ADA: Form(
        {"family": TEXT, "y": LABELS, "rounds": WHOLE},
        {**_OPTIONS, "base": BASES[ADA], "rule": RULES},
        more=[_UNLESS_ANY],
    ),
    MH: Form(
        {"family": TEXT, "Y": list_of(_LABEL_SET), "rounds": WHOLE},
        {**_OPTIONS, "base": BASES[MH]},
        more=[_UNLESS_ANY],
    ),
}
STUMP = Form(
    {"question": or_null(either(MEMBERSHIP.schema(), THRESHOLD.schema())), "signs": NUMBERS},
    {"otherwise": or_null(NUMBERS), "free": ANY},
)
LN = Form({"ln": LOGARITHMS})
_STUMP: Fields = {"stump": STUMP.schema()}
_ROUND: Fields = {
    "t": WHOLE,
    "alpha": or_null(either(NUMBER, LN.schema())),
    "D": either(NUMBERS, MATRIX),
    **dict.fromkeys((*CLAIMS, *OF_Z), NUMBER),
    "tied": ANY,
    "undecided": ANY,
}
ROUND = {
    ADA: Form(optional=_ROUND, instead=[{"base": LABELS, **_STUMP}]),
    MH: Form(optional=_ROUND, instead=[{"base": MATRIX, **_STUMP}]),
}
ANSWER = {
    family: Form(
        {"rounds": list_of(form.schema(), 0)},
        {
            "stopped": ENDS,
            "labels": either(LABELS, list_of(list_of(LABEL, 0))),
            "scores": either(NUMBERS, MATRIX),
            **REMARKS,
        },
    )
    for family, form in ROUND.items()
}
FORMS = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in (ADA, MH)}

MAX_ROUNDS = 100_000
"""The most rounds of a problem."""

MAX_LOOKS = 1_000_000_000
"""The most weights that stumps add up: those of all rounds, rows, labels and columns."""


@dataclass(frozen=True)
class LabelledProblem:
    """The checker's problem, and the labels that its positions stand for."""

    asked: referee.BoostingProblem
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
    is_mh = family == MH
    base = one_of(record, "base", BASES[family])
    PROBLEM[family].check(record, "problem")
    if base != "any" and "X" not in record:
        raise FormatError("problem: field 'X' is missing")
    cells = read_cells(record) if "X" in record else None
    if cells is None and ("columns" in record or "categorical" in record):
        raise FormatError("problem: columns and categorical belong to X")
    right = "Y" if is_mh else "y"
    m = len(cells.X if cells else items(record[right], f"problem.{right}"))
    kinds: dict[str, Kind | None] = {"any": None, "two_sided": "two_sided"}
    kind = kinds.get(base, "one_sign" if is_mh else "classes")
    if kind is not None and cells is not None:
        _check_categories(cells)
    rule: referee.Rule = "half_log" if is_mh else one_of(record, "rule", RULES)
    codes = _label_sets(record, m) if is_mh else _classes(record, rule, m)
    rounds = whole(record["rounds"], "problem.rounds")
    if rounds > MAX_ROUNDS:
        raise FormatError(f"problem.rounds: expected at most {MAX_ROUNDS}, got {shown(rounds)}")
    problem = referee.BoostingProblem(
        family=family,
        truth=codes.rows,
        k=len(codes.classes),
        rounds=rounds,
        X=cells.X if cells else None,
        columns=cells.columns if cells else (),
        kind=kind,
        rule=rule,
        single=codes.target == SINGLE,
        weights=read_weights(record, m),
        classes=tuple(map(str, codes.classes)),
    )
    return LabelledProblem(problem, codes.classes)


def _classes(record: Record, rule: str, m: int) -> Codes:
    """The class position of each row. The rule half_log has two classes, the negative one first."""
    if rule != "half_log":
        found, order = read_codes(record, m)
        return Codes(tuple((c,) for c in found), order, SINGLE)
    signs, pair = read_signs(record, m)
    return Codes(tuple(((sign + 1) // 2,) for sign in signs), pair, SINGLE)


def _label_sets(record: Record, m: int) -> Codes:
    Y = [_entry(v, f"problem.Y[{i}]") for i, v in enumerate(items(record["Y"], "problem.Y"))]
    classes = labels(record["classes"], "problem.classes") if "classes" in record else None
    codes: Codes = at("problem", lambda: read_label_sets(Y, classes, m))
    return codes


def _entry(value: object, place: str) -> object:
    """A label, a set of labels, or a row of signs."""
    value = plain(value)
    if isinstance(value, AbstractSet):
        return {label(v, place) for v in value}
    if not isinstance(value, (list, tuple)) or not value:
        return value if value == [] else label(value, place)
    of_labels = any(isinstance(plain(v), str) for v in value)
    return labels(value, place) if of_labels else numbers(value, place)


def _check_categories(cells: Cells) -> None:
    for j, column in enumerate(zip(*cells.X)):
        count = len(set(column))
        if isinstance(column[0], str) and count > MAX_CATEGORIES:
            raise FormatError(
                f"problem.X: column {j} has {count} categories, more than {MAX_CATEGORIES}; give "
                'one column of 0 and 1 for each, or "base": "any"'
            )


def read_submission(record: Record, read: LabelledProblem) -> referee.Submission:
    """What an answer holds of a run; `FormatError` names the field that is wrong."""
    p = read.asked
    read_answer(record, p.family, ANSWER[p.family])
    rounds = entries(record["rounds"], "answer.rounds")
    looks = len(rounds) * read.m * p.k * len(p.X[0]) if p.kind is not None and p.X else 0
    if looks > MAX_LOOKS:
        raise FormatError(
            f"answer.rounds: {len(rounds)} rounds of stumps add up {looks} weights; "
            f"expected at most {MAX_LOOKS}"
        )
    by_row = p.by_class or p.family == MH
    return referee.Submission(
        rounds=[_round(r, t, f"answer.rounds[{t}]", read) for t, r in enumerate(rounds)],
        stopped=one_of(record, "stopped", ENDS, "answer") if "stopped" in record else None,
        labels=if_given(record, "labels", partial(_labels, read=read)),
        scores=if_given(record, "scores", partial(_table, read=read, by_row=by_row)),
    )


def has_float_stumps(record: Record) -> bool:
    """Whether a stump of an answer that was read has a threshold which came as a float.

    >>> stump = {"question": {"column": 0, "threshold": 0.5}, "signs": [1]}
    >>> has_float_stumps({"rounds": [{"stump": stump}]})
    True
    """
    rounds: Any = record["rounds"]
    asked = (r["stump"]["question"] for r in rounds if "stump" in r)
    return any(question is not None and is_float(question.get("threshold")) for question in asked)


def _round(value: object, position: int, place: str, read: LabelledProblem) -> referee.Round:
    record = read_object(value, place)
    ROUND[read.asked.family].check(record, place)
    for name in OF_Z if read.asked.by_class else ():
        if name in record:
            raise FormatError(f"{place}.{name}: belongs to two classes under the rule half_log")
    if "t" in record and whole(record["t"], f"{place}.t") != position + 1:
        raise FormatError(f"{place}.t: expected {position + 1}; all rounds are judged, in order")
    alpha = record.get("alpha")
    by_row = read.asked.family == MH
    return referee.Round(
        answers=base_answers(record, place, read),
        alpha=None if alpha is None else _amount(alpha, f"{place}.alpha"),
        infinite="alpha" in record and alpha is None,
        D=if_given(record, "D", partial(_table, read=read, by_row=by_row), place),
        claims=numbers_in(record, (*CLAIMS, *OF_Z), place),
    )


def _amount(value: object, place: str) -> Amount:
    """A number, or {"ln": {"9": "1/2"}}, coefficients times natural logarithms."""
    if not isinstance(value, Mapping):
        return Amount(number(value, place))
    LN.check(value, place)
    return Amount(logs=log_terms(value["ln"], f"{place}.ln"))


def _table(value: object, place: str, read: LabelledProblem, by_row: bool) -> list[list[Fraction]]:
    """m rows of k numbers, or m numbers as rows of one."""
    if by_row:
        return matrix_of(value, place, read.m, read.asked.k)
    return [[v] for v in numbers(one_a_row(value, place, read.m, " numbers"), place)]


def base_answers(record: Record, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    """What the base classifier of a round answers on each row: a class position, or k signs.

    >>> read = read_problem({"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 1})
    >>> stump = {"question": {"column": 0, "threshold": 1}, "signs": [1]}
    >>> base_answers({"stump": stump}, "round", read)
    [(1,), (0,)]
    """
    if "base" not in record:
        return _stump(record["stump"], f"{place}.stump", read)
    value, place = record["base"], f"{place}.base"
    if read.asked.family == ADA:
        return _positions(value, place, read)
    rows = matrix_of(value, place, read.m, read.asked.k)
    return [_signs(row, f"{place}[{i}]", read.asked.k) for i, row in enumerate(rows)]


def _signs(value: object, place: str, k: int) -> tuple[int, ...]:
    found = numbers(value, place)
    if len(found) != k or any(v not in (-1, 1) for v in found):
        raise FormatError(f"{place}: expected {k} signs, -1 or 1, got {shown(value)}")
    return tuple(map(int, found))


def _positions(value: object, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    return [(position,) for position in label_positions(value, place, read.classes, read.m)]


def _labels(value: object, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    """The predicted labels as positions; or, of sets of labels, as a sign for each class."""
    if read.asked.single:
        return _positions(value, place, read)
    rows = one_a_row(value, place, read.m, " lists")
    found = []
    for i, row in enumerate(map(plain, rows)):
        if not isinstance(row, (list, tuple)):
            raise FormatError(f"{place}[{i}]: expected a list of labels, got {shown(row)}")
        inside = {label_position(v, f"{place}[{i}][{j}]", read.classes) for j, v in enumerate(row)}
        found.append(tuple(1 if l in inside else -1 for l in range(read.asked.k)))
    return found


def _stump(value: object, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    """The answers of a stump: `signs` where its question is answered yes, else `otherwise`."""
    record = read_object(value, place)
    STUMP.check(record, place)
    p, is_ada = read.asked, read.asked.family == ADA
    if p.X is None or (is_ada and p.k != 2):
        raise FormatError(f"{place}: signs need X, and two classes; give the answers as base")
    k = 1 if is_ada else p.k
    signs = _signs(record["signs"], f"{place}.signs", k)
    otherwise = tuple(-v for v in signs)
    if record.get("otherwise") is not None:
        otherwise = _signs(record["otherwise"], f"{place}.otherwise", k)
    rows = [signs] * read.m  # the question null is always answered yes
    if record["question"] is not None:
        place = f"{place}.question"
        question = read_question(record["question"], place, p.columns, len(p.X[0]))
        check_fits(question, place, p.X)
        rows = [signs if says_yes(question, x) else otherwise for x in p.X]
    return [((v + 1) // 2,) for (v,) in rows] if is_ada else rows
