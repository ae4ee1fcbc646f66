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
from typing import Any, Final

from refmc.checker.boosting import judge
from refmc.checker.boosting.amounts import Amount
from refmc.checker.boosting.run import Rule, Stopped
from refmc.checker.boosting.stumps import MAX_CATEGORIES, Kind
from refmc.checker.trees.data import says_yes
from refmc.core.labels import SINGLE, Codes
from refmc.core.labels import read_codes as read_label_sets
from refmc.core.records import Record, at, entries, items, label, labels, number, numbers
from refmc.core.sample import Label
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.columns import (
    CATEGORICAL,
    COLUMNS,
    MEMBERSHIP,
    QUESTION_PARTS,
    THRESHOLD,
    Cells,
    cells,
    check_fits,
    read_question,
)
from refmc.oracle.columns import X as TABLE
from refmc.oracle.declaring import (
    FAMILY,
    REMARKS,
    alone,
    choice,
    claim,
    number_at,
    one_of,
    part,
    required,
    unjudged,
    whole_from,
)
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import (
    ANY,
    LABEL,
    LABELS,
    LOGARITHMS,
    MATRIX,
    NUMBER,
    NUMBERS,
    WHOLE,
    Form,
    either,
    list_of,
    or_null,
)
from refmc.oracle.forms import choice as names
from refmc.oracle.reading import (
    label_position,
    label_positions,
    log_terms,
    matrix_of,
    one_a_row,
    read_codes,
    read_object,
    read_signs,
    whole,
)
from refmc.oracle.rounded import is_float
from refmc.oracle.samples import CLASSES, WEIGHTS, row_count

ADA: Final = "boost.ada"
MH: Final = "boost.mh"

MAX_ROUNDS = 100_000
"""The most rounds of a problem."""

MAX_LOOKS = 1_000_000_000
"""The most weights that stumps add up: those of all rounds, rows, labels and columns."""


def _label_sets(reading: Reading) -> Codes:
    """The class positions of each row."""
    record, m = reading.record, reading.of(row_count)
    if Y_SETS in reading:
        Y = [_entry(v, f"problem.Y[{i}]") for i, v in enumerate(items(record["Y"], "problem.Y"))]
        classes = labels(record["classes"], "problem.classes") if "classes" in record else None
        codes: Codes = at("problem", lambda: read_label_sets(Y, classes, m))
        return codes
    if reading[RULE] != "half_log":
        found, order = read_codes(record, m)
        return Codes(tuple((c,) for c in found), order, SINGLE)
    signs, pair = read_signs(record, m)  # the negative class first
    return Codes(tuple(((sign + 1) // 2,) for sign in signs), pair, SINGLE)


def _entry(value: object, place: str) -> object:
    """A label, a set of labels, or a row of signs."""
    value = plain(value)
    if isinstance(value, AbstractSet):
        return {label(v, place) for v in value}
    if not isinstance(value, (list, tuple)) or not value:
        return value if value == [] else label(value, place)
    of_labels = any(isinstance(plain(v), str) for v in value)
    return labels(value, place) if of_labels else numbers(value, place)


def _rounds(value: object, place: str, reading: Reading) -> int:
    rounds = whole(value, place)
    if rounds > MAX_ROUNDS:
        raise FormatError(f"{place}: expected at most {MAX_ROUNDS}, got {shown(rounds)}")
    return rounds


def _rows_drawn(draws: Choices, sizes: Sizes) -> list[list[Any]]:
    return draws.rows(sizes["rows"], sizes["columns"], sizes.numbers)


def _signs_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    return {"X": _rows_drawn(draws, sizes), "y": draws.row(sizes["rows"], (-1, 1))}


def _sets_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    Y: list[Any] = draws.row(sizes["rows"], sizes.labels)
    if draws.below(2):
        Y = [[c for c in sizes.labels if draws.below(2)] for _ in Y]
    return {"X": _rows_drawn(draws, sizes), "Y": Y, "classes": [*sizes.labels]}


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

STUMP = Form(
    {"question": or_null(either(MEMBERSHIP.schema(), THRESHOLD.schema())), "signs": NUMBERS},
    {"otherwise": or_null(NUMBERS), "free": ANY},
)
LN = Form({"ln": LOGARITHMS})


def _table(value: object, place: str, read: LabelledProblem, by_row: bool) -> list[list[Fraction]]:
    """m rows of k numbers, or m numbers as rows of one."""
    if by_row:
        return matrix_of(value, place, read.m, read.asked.k)
    return [[v] for v in numbers(one_a_row(value, place, read.m, " numbers"), place)]


def _weights_before(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    return _table(value, place, reading.about, reading.about.asked.family == MH)


def _scores(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    asked = reading.about.asked
    return _table(value, place, reading.about, asked.by_class or asked.family == MH)


def _of_z(value: object, place: str, reading: Reading) -> Fraction:
    if reading.about.asked.by_class:
        raise FormatError(f"{place}: belongs to two classes under the rule half_log")
    return number(value, place)


def _base(value: object, place: str, reading: Reading) -> list[tuple[int, ...]]:
    read: LabelledProblem = reading.about
    if read.asked.family == ADA:
        return _positions(value, place, read)
    rows = matrix_of(value, place, read.m, read.asked.k)
    return [_signs(row, f"{place}[{i}]", read.asked.k) for i, row in enumerate(rows)]


def _positions(value: object, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    return [(position,) for position in label_positions(value, place, read.classes, read.m)]


def _labels(value: object, place: str, reading: Reading) -> list[tuple[int, ...]]:
    """The predicted labels as positions; or, of sets of labels, as a sign for each class."""
    read: LabelledProblem = reading.about
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


def _signs(value: object, place: str, k: int) -> tuple[int, ...]:
    found = numbers(value, place)
    if len(found) != k or any(v not in (-1, 1) for v in found):
        raise FormatError(f"{place}: expected {k} signs, -1 or 1, got {shown(value)}")
    return tuple(map(int, found))


def _stump(value: object, place: str, reading: Reading) -> list[tuple[int, ...]]:
    """The answers of a stump: `signs` where its question is answered yes, else `otherwise`."""
    record, read = read_object(value, place), reading.about
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


def _amount(value: object, place: str) -> Amount:
    """A number, or {"ln": {"9": "1/2"}}, coefficients times natural logarithms."""
    if not isinstance(value, Mapping):
        return Amount(number(value, place))
    LN.check(value, place)
    return Amount(logs=log_terms(value["ln"], f"{place}.ln"))


T = claim("t", "the number of the round, from 1", WHOLE, whole_from(0))
ALPHA = claim(
    "alpha", "α; null is infinite", or_null(either(NUMBER, LN.schema())),
    alone(_amount),
)  # fmt: skip
D = claim(
    "D", "the weights before the round", either(NUMBERS, MATRIX), _weights_before,
    axes=("rows", "classes"),
)  # fmt: skip
CLAIMS = [claim(name, "", NUMBER, number_at) for name in ("epsilon", "loss")]
OF_Z = [claim(name, "", NUMBER, _of_z) for name in ("Z", "Z_squared", "bound", "bound_squared")]
_ANSWERED = "what the base classifier answers on the rows"
BASE = {
    ADA: claim("base", _ANSWERED, LABELS, _base, axes=("rows",)),
    MH: claim("base", _ANSWERED, MATRIX, _base, axes=("rows", "classes")),
}


def _stump_of(family: str) -> Field[list[tuple[int, ...]] | None]:
    by_class = ("classes",) if family == MH else ()
    return claim(
        "stump", "instead of `base`: a question, with the signs where it is answered yes",
        STUMP.schema(), _stump,
        parts=(
            part("question", STUMP.required["question"], parts=QUESTION_PARTS),
            part("signs", NUMBERS, axes=by_class),
            part("otherwise", NUMBERS, axes=by_class),
        ),
    )  # fmt: skip


STUMPS = {family: _stump_of(family) for family in (ADA, MH)}
_OTHERS = (unjudged("tied", "not judged"), unjudged("undecided", "not judged"))
ROUND = {
    family: Declared(
        fields=(BASE[family], STUMPS[family], T, ALPHA, D, *CLAIMS, *OF_Z, *_OTHERS),
        instead=((BASE[family], STUMPS[family]),),
    )
    for family in (ADA, MH)
}
_ENDS: tuple[Stopped, ...] = ("rounds", "perfect", "no_edge")
STOPPED = claim("stopped", "why the run ended", names(*_ENDS), one_of(*_ENDS))
PREDICTED = claim(
    "labels", "what the votes predict", either(LABELS, list_of(list_of(LABEL, 0))),
    _labels, axes=("rows",),
)  # fmt: skip
SCORES = claim("scores", "the votes", either(NUMBERS, MATRIX), _scores, axes=("rows", "classes"))
ANSWER = {
    family: Declared(
        fields=(
            part(
                "rounds", list_of(one.form.schema(), 0), "the rounds in their order",
                default=REQUIRED, parts=one.fields,
            ),
            STOPPED, PREDICTED, SCORES, *REMARKS,
        )
    )
    for family, one in ROUND.items()
}  # fmt: skip
DECLARED = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in (ADA, MH)}


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
    codes = reading.of(_label_sets)
    problem = judge.BoostingProblem(
        family=family,
        truth=codes.rows,
        k=len(codes.classes),
        X=table.X if table else None,
        columns=table.columns if table else (),
        kind=kind,
        rule=reading[RULE],
        single=codes.target == SINGLE,
        classes=tuple(map(str, codes.classes)),
        **reading.settings(ROUNDS, WEIGHTS),
    )
    return LabelledProblem(problem, codes.classes)


def _check_categories(cells: Cells) -> None:
    for j, column in enumerate(zip(*cells.X)):
        count = len(set(column))
        if isinstance(column[0], str) and count > MAX_CATEGORIES:
            raise FormatError(
                f"problem.X: column {j} has {count} categories, more than {MAX_CATEGORIES}; give "
                'one column of 0 and 1 for each, or "base": "any"'
            )


def read_submission(record: Record, read: LabelledProblem) -> judge.Submission:
    """What an answer holds of a run; `FormatError` names the field that is wrong."""
    p = read.asked
    reading = ANSWER[p.family].read_answer(record, p.family, read)
    rounds = entries(record["rounds"], "answer.rounds")
    looks = len(rounds) * read.m * p.k * len(p.X[0]) if p.kind is not None and p.X else 0
    if looks > MAX_LOOKS:
        raise FormatError(
            f"answer.rounds: {len(rounds)} rounds of stumps add up {looks} weights; "
            f"expected at most {MAX_LOOKS}"
        )
    return judge.Submission(
        rounds=[_round(r, t, f"answer.rounds[{t}]", read) for t, r in enumerate(rounds)],
        **reading.settings(STOPPED, PREDICTED, SCORES),
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


def _round(value: object, position: int, place: str, read: LabelledProblem) -> judge.Round:
    reading = ROUND[read.asked.family].read(read_object(value, place), place, read)
    if reading[T] not in (None, position + 1):
        raise FormatError(f"{place}.t: expected {position + 1}; all rounds are judged, in order")
    alpha = reading[ALPHA]
    return judge.Round(
        answers=_answers(reading, read.asked.family),
        alpha=alpha,
        infinite=ALPHA in reading and alpha is None,
        D=reading[D],
        claims=reading.given(*CLAIMS, *OF_Z),
    )


def _answers(reading: Reading, family: str) -> list[tuple[int, ...]]:
    field = BASE[family] if BASE[family] in reading else STUMPS[family]
    return reading[field] or []


def base_answers(record: Record, place: str, read: LabelledProblem) -> list[tuple[int, ...]]:
    """What the base classifier of a round answers on each row: a class position, or k signs.

    >>> read = read_problem({"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 1})
    >>> stump = {"question": {"column": 0, "threshold": 1}, "signs": [1]}
    >>> base_answers({"stump": stump}, "round", read)
    [(1,), (0,)]
    """
    family = read.asked.family
    return _answers(Reading(ROUND[family], record, place, read), family)
