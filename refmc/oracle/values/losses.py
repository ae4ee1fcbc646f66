"""The families `loss.*`: values and subgradients.

{"family": "loss.hinge", "z": m margins}; the same for perceptron, exponential, logistic, and for
margin with "rho"

{"family": "loss.multiclass_hinge", "scores": m rows of k, "y": m positions, or labels of "classes",
 "cost": k rows of k (0 and 1), "X" or "features" (optional)}; the same for multiclass_hinge_sum,
and without cost, X and features for zero_one. Subgradients are with respect to W where there is X,
to w where there are features, and else to the scores.

{"family": "loss.hamming", "predicted": m codes, "y": m codes}; the same for zero_one, with labels

Where several subgradients are right, the reference answer has the first of the tied ones; a 0-1
loss of tied scores is that of the first. Exponential and logistic losses are decimals of `DIGITS`
significant digits, without subgradients.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import losses as referee
from refmc.core.records import Record, items, label, labels, matrix, number, numbers
from refmc.core.scalars import plain, shown
from refmc.core.ties import argmax_set
from refmc.errors import ExactnessLimitError, FormatError
from refmc.oracle.costs import COST_FIELDS, read_costs
from refmc.oracle.decimals import near, writable
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
    if_given,
    matrix_of,
    one_a_row,
    positive,
    read_answer,
    read_classes,
    read_codes,
    read_features,
    row_of,
    whole_numbers,
)
from refmc.oracle.rows import Row
from refmc.theory import losses, subgradients
from refmc.theory.costs import row_costs

MARGIN_LOSSES = ("hinge", "perceptron", "exponential", "logistic", "margin")
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
    for loss in (*HINGES, "zero_one")
}
_ROW = either(NUMBER, NUMBERS, MATRIX)
ANSWER = answer_form({"values": NUMBERS, "mean": NUMBER, "subgradients": list_of(_ROW)})
FORMS = {
    **{f"loss.{loss}": ([form], [ANSWER]) for loss, form in MARGINS.items()},
    **{f"loss.{loss}": ([SCORES[loss]], [ANSWER]) for loss in HINGES},
    "loss.zero_one": ([CODES, SCORES["zero_one"]], [ANSWER]),
    "loss.hamming": ([CODES], [ANSWER]),
}

PIECES: dict[str, Any] = {
    "hinge": (losses.hinge, subgradients.hinge_subgradient),
    "perceptron": (losses.perceptron_loss, subgradients.perceptron_loss_subgradient),
}
IRRATIONAL: dict[str, Any] = {"exponential": losses.exponential, "logistic": losses.logistic}


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


def solve(problem: Record, on_step: object = None) -> dict[str, object]:
    """The values, their mean and, where they are rational, subgradients.

    >>> solve({"family": "loss.hinge", "z": ["1/2", 3]})["subgradients"]
    [Fraction(-1, 1), Fraction(0, 1)]
    """
    rows: list[Any] = list(_rows(read_problem(problem)))
    values = [row["loss"] for row in rows]
    answer: dict[str, object] = {
        "family": problem["family"],
        "values": values,
        "mean": sum(values, Fraction(0)) / len(values),
    }
    if "subgradient" in rows[0]:
        answer["subgradients"] = [row["subgradient"] for row in rows]
    return answer


def _rows(read: referee.Problem) -> Iterator[dict[str, Any]]:
    if isinstance(read, referee.MarginProblem):
        for i, z in enumerate(read.z):
            yield {"row": i, "z": z, **_of_margin(read, i, Fraction(z))}
    elif isinstance(read, referee.LabelProblem):
        for i, (predicted, code) in enumerate(zip(read.predicted, read.y)):
            share = losses.hamming(predicted, code)
            loss = share if read.loss == "hamming" else Fraction(share > 0)
            yield {"row": i, "predicted": predicted, "y": code, "loss": loss}
    else:
        for i, (scores, y) in enumerate(zip(read.scores, read.y)):
            yield {"row": i, "scores": scores, "y": y, **_of_scores(read, i)}


def _of_margin(problem: referee.MarginProblem, i: int, z: Fraction) -> Row:
    if problem.loss == "margin":
        return {"loss": losses.margin_loss(z, problem.rho)}
    if problem.loss in PIECES:
        value, slopes = PIECES[problem.loss]
        return {"loss": value(z), "tied": slopes(z), "subgradient": slopes(z)[0]}
    if not writable(z):
        raise ExactnessLimitError(f"row {i}: the {problem.loss} loss has too many digits to write")
    return {"loss": near([z], IRRATIONAL[problem.loss])}


def _of_scores(problem: referee.ScoreProblem, i: int) -> Row:
    scores, y = [Fraction(s) for s in problem.scores[i]], problem.y[i]
    if problem.loss == "zero_one":
        tied = argmax_set(scores)
        return {"tied": tied, "loss": Fraction(losses.zero_one(tied[0], y))}
    found = _slopes(problem, i)
    if problem.loss == "multiclass_hinge":
        (tied,) = found.maximisers
    else:
        tied = tuple(j for pair in found.maximisers for j in pair if len(pair) == 2 and j != y)
    return {"loss": found.loss, "tied": tied, "subgradient": next(_of_slopes(problem, i, found))}


def _slopes(problem: referee.ScoreProblem, i: int) -> Any:
    """The subgradients of the hinge loss of row i, by the classes that reach its maxima."""
    cost = None if problem.costs is None else row_costs([problem.costs[i]])
    of_form: Any = subgradients.multiclass_hinge_sum_subgradient
    if problem.loss == "multiclass_hinge":
        of_form = subgradients.multiclass_hinge_subgradient
    return of_form([Fraction(s) for s in problem.scores[i]], problem.y[i], cost)


def _of_slopes(problem: referee.ScoreProblem, i: int, found: Any) -> Iterator[Any]:
    """Subgradients by scores, by W or by w, as the problem has rows or features."""
    if problem.features is not None:
        Psi = problem.features[i]
        yield from found.by_features(lambda row, j: Psi[j], i)
    elif problem.X is not None:
        yield from found.by_weights(problem.X[i])
    else:
        yield from found.by_scores()


def all_subgradients(problem: referee.MarginProblem | referee.ScoreProblem, i: int) -> list[Any]:
    """The subgradients of the hinge loss of row i, of which all others are convex combinations.

    >>> all_subgradients(read_problem({"family": "loss.hinge", "z": [1]}), 0)
    [Fraction(-1, 1), Fraction(0, 1)]
    """
    if isinstance(problem, referee.ScoreProblem):
        return list(_of_slopes(problem, i, _slopes(problem, i)))
    return list(PIECES[problem.loss][1](Fraction(problem.z[i])))


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is how far a value, or a whole subgradient, may be off.

    >>> problem = {"family": "loss.multiclass_hinge_sum", "scores": [[".2", ".5", ".1"]], "y": [1]}
    >>> judge(problem, {"values": ["13/10"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    m = len(read.z) if isinstance(read, referee.MarginProblem) else len(read.y)
    read_answer(answer, read.family, ANSWER)
    return referee.judge(
        read,
        values=if_given(answer, "values", partial(row_of, length=m)),
        mean=if_given(answer, "mean", number),
        subgradients=if_given(answer, "subgradients", partial(_subgradients, problem=read, m=m)),
        allowed=allowed,
    )


def _subgradients(
    value: object, place: str, problem: referee.Problem, m: int
) -> list[list[Fraction]]:
    """The subgradient of each row: one number for losses of a margin.

    For losses of scores it has k numbers, with `X` k rows of d, with `features` as many as w.
    """
    if isinstance(problem, referee.MarginProblem):
        return [[slope] for slope in row_of(value, place, m)]
    if isinstance(problem, referee.LabelProblem):
        raise FormatError(f"{place}: {problem.family} of labels has none")
    k, found = len(problem.scores[0]), []
    for i, slope in enumerate(one_a_row(value, place, m)):
        if problem.X is not None:
            rows = matrix_of(slope, f"{place}[{i}]", k, len(problem.X[0]))
            found.append([entry for row in rows for entry in row])
        else:
            width = k if problem.features is None else len(problem.features[0][0])
            found.append(matrix_of([slope], f"{place}[{i}]", 1, width)[0])
    return found


def trace(problem: Record) -> Iterator[Row]:
    """One row for each row: what the loss is of, its value, what was tied, and a subgradient.

    Where the problem has `classes`, scores, positions and slopes stand by their names.
    """
    read = read_problem(problem)
    if not isinstance(read, referee.ScoreProblem) or "classes" not in problem:
        yield from _rows(read)
        return
    names = read_classes(problem, len(read.scores[0]))
    for row in _rows(read):
        row |= {"scores": dict(zip(names, row["scores"])), "y": names[row["y"]]}
        row["tied"] = [names[position] for position in row["tied"]]
        if read.X is None and read.features is None and "subgradient" in row:
            row["subgradient"] = dict(zip(names, row["subgradient"]))
        yield row
