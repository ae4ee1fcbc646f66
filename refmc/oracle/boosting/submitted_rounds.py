"""The rounds of boosting that are submitted, read from records.

An answer is {"rounds": [{"base": answers on the rows, or "stump": …, "epsilon", "alpha", …}, …]}.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from refmc.checker.boosting import judge
from refmc.checker.boosting.amounts import Amount
from refmc.checker.boosting.run import Stopped
from refmc.checker.trees.data import says_yes
from refmc.core.records import Record, entries, number, numbers, read_object
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.boosting.records import ADA, MH, PROBLEM, LabelledProblem
from refmc.oracle.columns import MEMBERSHIP, QUESTION_PARTS, THRESHOLD, check_fits, read_question
from refmc.oracle.declaring import (
    REMARKS,
    alone,
    claim,
    number_at,
    one_of,
    part,
    record_of,
    unjudged,
    whole_from,
)
from refmc.oracle.fields import REQUIRED, Declared, Field, Reading
from refmc.oracle.forms import (
    ANY,
    LABEL,
    LABELS,
    LOGARITHMS,
    MATRIX,
    NUMBER,
    NUMBERS,
    WHOLE,
    either,
    list_of,
    or_null,
)
from refmc.oracle.forms import choice as names
from refmc.oracle.reading import label_position, label_positions, log_terms, matrix_of, one_a_row
from refmc.oracle.rounded import is_float

MAX_LOOKS = 1_000_000_000
"""The most weights that stumps add up: those of all rounds, rows, labels and columns."""

STUMP = record_of(
    {"question": or_null(either(MEMBERSHIP.schema(), THRESHOLD.schema())), "signs": NUMBERS},
    {"otherwise": or_null(NUMBERS), "free": ANY},
)
LN = record_of({"ln": LOGARITHMS})


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
            STUMP.by_name["question"]._replace(parts=QUESTION_PARTS),
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
                "rounds", list_of(one.schema(), 0), "the rounds in their order",
                default=REQUIRED, parts=one.fields,
            ),
            STOPPED, PREDICTED, SCORES, *REMARKS,
        )
    )
    for family, one in ROUND.items()
}  # fmt: skip
DECLARED = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in (ADA, MH)}


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

    >>> from refmc.oracle.boosting.records import read_problem
    >>> read = read_problem({"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 1})
    >>> stump = {"question": {"column": 0, "threshold": 1}, "signs": [1]}
    >>> base_answers({"stump": stump}, "round", read)
    [(1,), (0,)]
    """
    family = read.asked.family
    return _answers(Reading(ROUND[family], record, place, read), family)
