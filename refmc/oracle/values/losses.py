"""The families `loss.*`: values and subgradients.

{"family": "loss.hinge", "z": m margins}; the same for perceptron, exponential, logistic, and for
margin with "rho"

{"family": "loss.multiclass_hinge", "scores": m rows of k, "y": m positions, or labels of "classes",
 "cost": k rows of k (0 and 1), "X" or "features": with respect to what subgradients are}; the same
for multiclass_hinge_sum, and without the last two for zero_one

{"family": "loss.hamming", "predicted": m codes, "y": m codes}; the same for zero_one, with labels
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import losses as referee
from refmc.core.records import Record, items, label, labels, matrix, number, numbers
from refmc.core.scalars import plain, shown
from refmc.errors import FormatError
from refmc.oracle.costs import COST_FIELDS, read_costs
from refmc.oracle.forms import (
    LABEL,
    LABELS,
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    TEXT,
    Fields,
    Form,
    answer_form,
    either,
    list_of,
)
from refmc.oracle.reading import (
    matrix_of,
    positive,
    read_answer,
    read_codes,
    read_features,
    row_of,
    whole_numbers,
)

MARGIN_LOSSES = ("hinge", "perceptron", "exponential", "logistic", "margin")
SCORE_LOSSES = ("multiclass_hinge", "multiclass_hinge_sum", "zero_one")
HINGES = ("multiclass_hinge", "multiclass_hinge_sum")

_FAMILY: Fields = {"family": TEXT}
_CODES = list_of(either(LABEL, NUMBERS, LABELS))
MARGINS = {
    loss: Form({**_FAMILY, "z": NUMBERS}, {"rho": NUMBER} if loss == "margin" else {})
    for loss in MARGIN_LOSSES
}
CODES = Form({**_FAMILY, "predicted": _CODES, "y": _CODES})
_OF_HINGES: Fields = {**COST_FIELDS, "X": MATRIX, "features": MATRICES}
SCORES = {
    loss: Form(
        {**_FAMILY, "scores": MATRIX, "y": LABELS},
        {"classes": LABELS, **(_OF_HINGES if loss in HINGES else {})},
    )
    for loss in SCORE_LOSSES
}
_ROW = either(NUMBER, NUMBERS, MATRIX)
ANSWER = answer_form({"values": NUMBERS, "mean": NUMBER, "subgradients": list_of(_ROW)})
FORMS = {
    **{f"loss.{loss}": ([form], [ANSWER]) for loss, form in MARGINS.items()},
    **{f"loss.{loss}": ([SCORES[loss]], [ANSWER]) for loss in HINGES},
    "loss.zero_one": ([CODES, SCORES["zero_one"]], [ANSWER]),
    "loss.hamming": ([CODES], [ANSWER]),
}
FAMILIES = tuple(FORMS)


def read_problem(record: Record) -> referee.Problem:
    """The losses of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "loss.hinge", "z": ["1/2"]}).z
    [Fraction(1, 2)]
    """
    loss: Any = str(record["family"]).removeprefix("loss.")
    if loss in MARGIN_LOSSES:
        MARGINS[loss].check(record, "problem")
        rho = positive(record, "rho") if "rho" in record else Fraction(1)
        return referee.MarginProblem(loss=loss, z=numbers(record["z"], "problem.z"), rho=rho)
    if loss == "hamming" or (loss == "zero_one" and "scores" not in record):
        return _read_labels(record, loss)
    return _read_scores(record, loss)


def _read_labels(record: Record, loss: Any) -> referee.LabelProblem:
    CODES.check(record, "problem")
    codes = [_codes(record[name], f"problem.{name}") for name in ("predicted", "y")]
    if len(codes[0]) != len(codes[1]):
        raise FormatError(f"problem.predicted: expected {len(codes[1])} entries, as y has")
    for i, (mine, right) in enumerate(zip(*codes, strict=True)):
        if len(mine) != len(right):
            raise FormatError(f"problem.predicted[{i}]: expected {len(right)} entries, as y[{i}]")
        if len({type(entry) for entry in (*mine, *right)}) > 1:
            raise FormatError(
                f"problem.predicted[{i}]: {shown(mine)} beside {shown(right)} of y; expected "
                "labels of one type"
            )
    return referee.LabelProblem(loss=loss, predicted=codes[0], y=codes[1])


def _codes(value: object, place: str) -> list[Sequence[object]]:
    """Rows of labels; a single label is a row of one."""
    found: list[Sequence[object]] = []
    for i, entry in enumerate(map(plain, items(value, place))):
        where = f"{place}[{i}]"
        is_row = isinstance(entry, (list, tuple))
        found.append(labels(entry, where) if is_row else [label(entry, where)])
    return found


def _read_scores(record: Record, loss: Any) -> referee.ScoreProblem:
    SCORES[loss].check(record, "problem")
    scores = matrix(record["scores"], "problem.scores")
    m, k = len(scores), len(scores[0])
    if "classes" in record:
        y, classes = read_codes(record, m)
        if len(classes) != k:
            raise FormatError(f"problem.classes: expected {k} labels, one a score")
    else:
        if any(isinstance(plain(v), str) for v in items(record["y"], "problem.y")):
            raise FormatError("problem.y: labels need classes, the labels in the order of scores")
        y = tuple(whole_numbers(record["y"], "problem.y"))
        if len(y) != m or max(y) >= k:
            raise FormatError(f"problem.y: expected {m} positions from 0 to {k - 1}")
    if "X" in record and "features" in record:
        raise FormatError("problem: X or features, not both")
    X = matrix(record["X"], "problem.X") if "X" in record else None
    if X is not None and len(X) != m:
        raise FormatError(f"problem.X: expected {m} rows, as many as scores has")
    return referee.ScoreProblem(
        loss=loss,
        scores=scores,
        y=y,
        costs=read_costs(record, y, k),
        X=X,
        features=read_features(record, k, m) if "features" in record else None,
    )


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is the distance of a value, or of all entries together.

    >>> problem = {"family": "loss.multiclass_hinge_sum", "scores": [[".2", ".5", ".1"]], "y": [1]}
    >>> judge(problem, {"values": ["13/10"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    m = len(read.z) if isinstance(read, referee.MarginProblem) else len(read.y)
    read_answer(answer, read.family, ANSWER)
    return referee.judge(
        read,
        values=row_of(answer, "values", m) if "values" in answer else None,
        mean=number(answer["mean"], "answer.mean") if "mean" in answer else None,
        subgradients=_subgradients(answer, read, m) if "subgradients" in answer else None,
        allowed=allowed,
    )


def _subgradients(record: Record, problem: referee.Problem, m: int) -> list[list[Fraction]]:
    """A number a row for losses of a margin; else k numbers, k rows of d, or as many as w has."""
    if isinstance(problem, referee.MarginProblem):
        return [[value] for value in row_of(record, "subgradients", m)]
    if isinstance(problem, referee.LabelProblem):
        raise FormatError(f"answer.subgradients: {problem.family} of labels has none")
    given = items(record["subgradients"], "answer.subgradients")
    if len(given) != m:
        raise FormatError(f"answer.subgradients: expected {m}, one a row, got {len(given)}")
    k, found = len(problem.scores[0]), []
    for i, value in enumerate(given):
        place = f"answer.subgradients[{i}]"
        if problem.X is not None:
            rows = matrix_of(value, place, k, len(problem.X[0]))
            found.append([entry for row in rows for entry in row])
        else:
            width = k if problem.features is None else len(problem.features[0][0])
            found.append(matrix_of([value], place, 1, width)[0])
    return found
