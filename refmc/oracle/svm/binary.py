"""The families `svm.binary` and `svm.hard`: their records, reference answers and verdicts.

{"family": "svm.binary", "X": m rows of d numbers, "y": m labels -1 and +1, "C": a positive number,
 "bias": true (the default), false or "penalised", "classes": [negative, positive] (optional),
 "kernel": (optional), "loss": "hinge" (the default) or "squared_hinge", "weights": m numbers (all
 1)}

"gram" may stand in the place of "X" and "kernel"; "svm.hard" is the same without "C" and "loss",
and rows of weight 0 are left out, of answers too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from operator import mul
from typing import TYPE_CHECKING, Any, Literal

from refmc.checker import Verdict
from refmc.checker.svm import binary
from refmc.checker.svm.hard import Witness
from refmc.checker.svm.hard import judge as judge_hard
from refmc.core.records import Record, items, number
from refmc.errors import FormatError, NotSeparableError
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from refmc.oracle.declaring import FAMILY, REMARKS, alone, choice, claim, number_at
from refmc.oracle.fields import Declared, Field, Reading
from refmc.oracle.forms import LABELS, NUMBER, NUMBERS, TRUTH, either, list_of
from refmc.oracle.forms import choice as names
from refmc.oracle.reading import Rows, gram_of, label_positions, row_of, truth_at
from refmc.oracle.rounded import rounded
from refmc.oracle.samples import GRAM, KERNEL, SIGNS, TWO_CLASSES, WEIGHTS, X, rows, signs
from refmc.oracle.svm.claims import VALUES, C, SVMProblem, per_row, values_of
from refmc.oracle.svm.searching import (
    MOST_STEPPED,
    FloatRows,
    are_few,
    check_size,
    check_work,
    fitted,
    in_floats,
    witnesses,
)
from refmc.theory.losses import hinge, squared_hinge

if TYPE_CHECKING:
    from refmc.oracle.rows import OnStep, Row

SOFT, HARD = "svm.binary", "svm.hard"


def _bias(value: object, place: str, reading: Reading) -> bool | Literal["penalised"]:
    return "penalised" if value == "penalised" else truth_at(value, place, reading)


BIAS: Field[bool | Literal["penalised"]] = Field(
    name="bias", kind=either(TRUTH, names("penalised")), default=True, read=_bias,
    says="whether the scores have a bias b; `penalised`: the norm counts b, as that of a column "
    "of ones in X",
    draws=[False, "penalised", True],
)  # fmt: skip
LOSS = choice("loss", "the hinge, or its square", "hinge", "squared_hinge")
_ROWS = (FAMILY, GRAM, X, SIGNS)
_OPTIONS = (KERNEL, BIAS, TWO_CLASSES, WEIGHTS)
PROBLEM = {
    family: Declared(fields, instead=((GRAM, X),), beside={"kernel": "X"}, is_reordered=False)
    for family, fields in ((SOFT, (*_ROWS, C, *_OPTIONS, LOSS)), (HARD, (*_ROWS, *_OPTIONS)))
}


def _w(value: object, place: str, reading: Reading) -> list[Fraction]:
    problem: BinarySVMProblem = reading.about
    if not problem.rows.is_linear or problem.rows.X is None:
        raise FormatError(f"{place}: weights need the linear kernel; submit alpha or scores")
    return row_of(value, place, len(problem.rows.X[0]))


def _signs(value: object, place: str, reading: Reading) -> list[int]:
    about: BinarySVMProblem = reading.about
    return [2 * c - 1 for c in label_positions(value, place, about.classes, about.rows.m)]


def _interval(value: object, place: str) -> binary.Interval:
    ends = items(value, place)
    if len(ends) != 2:
        raise FormatError(f"{place}: expected two numbers, got {len(ends)}")
    low = None if ends[0] == "-inf" else number(ends[0], f"{place}[0]")
    high = None if ends[1] == "inf" else number(ends[1], f"{place}[1]")
    return binary.Interval(low, high)


W = claim("w", "d weights (linear kernel)", NUMBERS, _w, axes=("columns",), power=-1)
ALPHA = claim("alpha", "m multipliers α ≥ 0", NUMBERS, per_row, axes=("rows",), power=-2)
SCORES = claim("scores", "m scores, the bias included", NUMBERS, per_row, axes=("rows",))
PREDICTED = claim("labels", "m predicted labels", LABELS, _signs, axes=("rows",))
B = claim("b", "the bias, beside w or alpha", NUMBER, number_at)
SLACK = claim("slack", "ξ, beside w, alpha or scores", NUMBERS, per_row, axes=("rows",))
INTERVAL = claim(
    "b_interval", "all biases that are optimal", list_of(either(NUMBER, names("-inf", "inf"))),
    alone(_interval),
)  # fmt: skip
MARGIN_SQUARED = claim(
    "margin_squared", "1/‖w‖²", either(NUMBER, names("inf")),
    lambda value, place, reading: "inf" if value == "inf" else number(value, place), power=2,
)  # fmt: skip
SEPARABLE = claim("separable", "whether a hyperplane separates the rows", TRUTH, truth_at)
COMBINATION = claim("combination", "weights that prove none does", NUMBERS, per_row, axes=("rows",))
_SUBMITTED = (W, ALPHA, SCORES, PREDICTED)
_JUDGED = (*_SUBMITTED, B, SLACK, INTERVAL, MARGIN_SQUARED, *VALUES)
_OF_HARD = tuple(  # rows of weight 0 are left out of answers, too
    field._replace(axes_beside={"weights": ("weighted rows",)} if field.axes == ("rows",) else {})
    for field in (SEPARABLE, COMBINATION, *_JUDGED)
)
ANSWER = {
    SOFT: Declared(fields=(*_JUDGED, *REMARKS), some=_SUBMITTED),
    HARD: Declared(fields=(*_OF_HARD, *REMARKS), some=(*_SUBMITTED, SEPARABLE, COMBINATION)),
}
DECLARED = {family: ([PROBLEM[family]], [ANSWER[family]]) for family in (SOFT, HARD)}


class BinarySVMProblem(SVMProblem[binary.BinaryProblem]):
    """A problem of either family."""


def read_problem(record: Record) -> BinarySVMProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "svm.binary", "X": [[1]], "y": [1], "C": "1/2"}).asked.C
    Fraction(1, 2)
    """
    hard = record["family"] == HARD
    declared = PROBLEM[HARD if hard else SOFT]
    reading = declared.read(weighted(record) if hard else record)
    check_size(record)
    given = reading.of(rows)
    y, classes = reading.of(signs)
    check_work(given)
    asked = binary.BinaryProblem(
        y=y,
        C=None if hard else reading[C],
        squared=reading[LOSS] == "squared_hinge",
        classes=(str(classes[0]), str(classes[1])),
        **given.checked,
        **reading.settings(WEIGHTS, BIAS),
    )
    return BinarySVMProblem(asked, given, classes, [classes[sign > 0] for sign in y])


def weighted(record: Record) -> Record:
    """A hard margin's record without the rows of weight 0; no other weight changes anything."""
    reading = PROBLEM[HARD].read(record)
    if WEIGHTS not in reading:
        return record
    for derive in (rows, signs):  # rows of weight 0 are well-formed, too
        reading.of(derive)
    weights = reading[WEIGHTS] or []
    kept = [i for i, weight in enumerate(weights) if weight]
    found = {name: value for name, value in record.items() if name != "weights"}
    for name in {"X", "gram", "y"} & found.keys():
        found[name] = of_kept = [items(record[name], name)[i] for i in kept]
        if name == "gram":
            found[name] = [[items(row, name)[i] for i in kept] for row in of_kept]
    return found


def solve(problem: Record, on_step: OnStep | None, tie: object = None) -> dict[str, object]:
    """The exact answer; or, for rows that no hyperplane separates, the weights that prove it."""
    read = read_problem(problem)
    record: dict[str, object] = {"family": HARD if read.asked.C is None else SOFT}
    try:
        model = optimum(read, on_step)
    except NotSeparableError as error:
        return record | {"separable": False, "combination": error.combination}
    if model.w is not None:
        record["w"] = model.w
    record |= {"b": model.b, "alpha": model.alpha, **values_of(model)}
    if model.bias != "penalised":
        ends = zip(("-inf", "inf"), model.b_interval)
        record["b_interval"] = [text if end is None else end for text, end in ends]
    if model.C is not None:
        record["slack"] = model.slack
    return record


def optimum(
    read: BinarySVMProblem, on_step: OnStep | None, guess: bool = True
) -> BinarySVM[Fraction]:
    """The exact model; for a Gram matrix K that is semi-definite up to rounding, that of K + εI."""
    return fitted(lambda rows: _fit(read, rows, on_step=on_step, guess=guess), read.rows)


def _fit(read: BinarySVMProblem, rows: Rows | FloatRows, **options: Any) -> BinarySVM[Any]:
    """The learner's model, in floats where the rows are."""
    kind: Any = float if isinstance(rows, FloatRows) else Fraction
    asked = read.asked
    options |= {"kernel": rows.kernel, "gram": rows.gram}
    options |= {"bias": asked.bias, "classes": read.classes}
    if asked.C is None:
        return fit_hard_svm(rows.X, read.labels, **options)
    if asked.weights is not None:
        options["weights"] = list(map(kind, asked.weights))
    options["loss"] = squared_hinge if asked.squared else hinge
    return fit_binary_svm(rows.X, read.labels, C=kind(asked.C), **options)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: OnStep | None) -> Verdict:
    """The checker's verdict; multipliers that the learner finds are its witnesses.

    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
    >>> judge(problem, {"w": [1], "b": 0}, Fraction(0), None).status
    'VERIFIED'
    """
    read = read_problem(problem)
    submitted = _read_answer(answer, read)
    # Squared hinges leave all support vectors free, and an exact search takes longer for these.
    few = are_few(read.rows, 16 if read.asked.squared else 2)

    def near() -> Sequence[Fraction]:
        return _fit(read, in_floats(read.rows)).certificate.multipliers

    def exact() -> Sequence[Fraction]:
        return optimum(read, on_step).alpha

    def proof() -> Witness:
        try:
            return Witness(alpha=exact())
        except NotSeparableError as error:
            return Witness(combination=error.combination)

    if read.asked.C is not None:
        found = witnesses(read.rows, few, near, exact)
        return binary.judge(read.asked, submitted, witnesses=found, thorough=few, allowed=allowed)
    proofs = witnesses(read.rows, few, lambda: Witness(alpha=near()), proof)
    return judge_hard(read.asked, submitted, witnesses=proofs, thorough=few, allowed=allowed)


def _read_answer(record: Record, problem: BinarySVMProblem) -> binary.BinaryAnswer:
    family = HARD if problem.asked.C is None else SOFT
    reading = ANSWER[family].read_answer(record, family, problem)
    _refuse_unfit_fields(reading, problem.asked.bias)
    return binary.BinaryAnswer(
        values=reading.given(*VALUES),
        **reading.settings(*_SUBMITTED, SEPARABLE, COMBINATION, B, SLACK, INTERVAL, MARGIN_SQUARED),
        rounded=rounded(record, W, B, ALPHA, SLACK, INTERVAL, MARGIN_SQUARED, *VALUES),
    )


def _refuse_unfit_fields(reading: Reading, bias: bool | str) -> None:
    """Refuse fields that don't fit the bias, or that lack another one beside them."""
    if SLACK in reading and not any(field in reading for field in (W, ALPHA, SCORES)):
        raise FormatError("answer.slack: needs w, alpha or scores beside it")
    if B in reading and not any(field in reading for field in (W, ALPHA)):
        raise FormatError("answer.b: needs w or alpha beside it; scores include the bias")
    if reading[B] and not bias:
        raise FormatError("answer.b: the problem has no bias")
    if bias != "penalised":
        return
    if W in reading and B not in reading:
        raise FormatError("answer.b: is missing beside w, for the bias is penalised")
    for field in (INTERVAL, MARGIN_SQUARED):
        if field in reading:
            raise FormatError(f"answer.{field.name}: a penalised bias is one number; submit b")


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for the start and each pivot of the exact search, which ends where no hyperplane
    separates. A soft margin of more than `MOST_STEPPED` rows begins near the optimum."""
    from refmc.oracle.rows import each_step, pivot_row  # for nothing but traces

    read = read_problem(problem)
    m, gram = read.rows.m, gram_of(read.rows)
    guess = m > MOST_STEPPED and read.asked.C is not None
    with suppress(NotSeparableError):
        for pivot in each_step(lambda report: optimum(read, report, guess)):
            value = {"dual": -pivot.objective, **_state(pivot.point, read, gram)}
            yield pivot_row(pivot, lambda i: f"α_{i} ≥ 0" if i < m else f"α_{i - m} ≤ C", value)


def _state(
    alpha: Sequence[Fraction], read: BinarySVMProblem, gram: list[list[Fraction]] | None
) -> dict[str, object]:
    """α, the w that it makes, and the bounds that the Kuhn-Tucker conditions put on b, by rows.

    α is optimal where some b meets them all: b = 0 unless it is free. [chang, "Support vectors"]
    """
    asked, zero = read.asked, Fraction(0)
    signed = [a * y for a, y in zip(alpha, asked.y)]
    X = read.rows.X or ()
    w = None if gram else [sum(map(mul, signed, column), zero) for column in zip(*X)]
    scores = [sum(map(mul, w or signed, row), zero) for row in gram or X]
    column = sum(signed) if asked.bias == "penalised" else 0  # the weight of the ones
    lower, upper = dict[int, Fraction](), dict[int, Fraction]()
    for i, (a, y, score) in enumerate(zip(alpha, asked.y, scores)):
        cap = asked.C and asked.C * (1 if asked.weights is None else asked.weights[i])
        slack = a / (2 * cap) if asked.squared and cap else 0
        end = y * (1 - slack) - score - column
        if asked.squared or cap is None or a < cap:
            (lower if y == 1 else upper)[i] = end
        if a > 0:
            (upper if y == 1 else lower)[i] = end
    return {"α": list(alpha), "w": w, "b ≥": lower, "b ≤": upper}
