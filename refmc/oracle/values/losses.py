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

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any, Literal

from refmc.checker import Verdict
from refmc.checker.values.losses import (
    Claims,
    LabelProblem,
    MarginProblem,
    Problem,
    ScoreProblem,
    family_of,
)
from refmc.checker.values.losses import judge as judge_losses
from refmc.core.records import Record, items, label, labels, matrix
from refmc.core.sample import Label
from refmc.core.scalars import plain, shown
from refmc.core.ties import argmax_set
from refmc.errors import ExactnessLimitError, FormatError
from refmc.oracle.costs import read_costs
from refmc.oracle.decimals import near, writable
from refmc.oracle.declaring import (
    FAMILY,
    alone,
    any_of,
    claim,
    matrix_at,
    number_at,
    numbers_at,
    positive,
    required,
    shuffled,
)
from refmc.oracle.fields import Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import (
    LABEL,
    LABELS,
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    Kind,
    either,
    list_of,
)
from refmc.oracle.reading import (
    each,
    matrix_of,
    one_a_row,
    read_classes,
    read_codes,
    read_features,
    row_of,
    whole,
)
from refmc.oracle.rows import Rounded, Row
from refmc.oracle.samples import CLASSES as OF_SAMPLES
from refmc.oracle.samples import COST, ROW_COSTS
from refmc.theory import losses, subgradients
from refmc.theory.costs import row_costs

Loss = Literal["multiclass_hinge", "multiclass_hinge_sum", "zero_one"]
MarginLoss = Literal["hinge", "perceptron", "exponential", "logistic", "margin"]
HINGES: tuple[Loss, ...] = ("multiclass_hinge", "multiclass_hinge_sum")


def _scored(reading: Reading) -> tuple[Sequence[int], tuple[Label, ...]]:
    """The class position of each row, and the labels: `classes`, or positions from 0."""
    record, place = reading.record, f"{reading.place}.y"
    m, k = len(reading[SCORES]), len(reading[SCORES][0])
    if "classes" in record:
        codes, classes = read_codes(record, m)
        if len(classes) != k:
            raise FormatError(f"{reading.place}.classes: expected {k} labels, one a score")
        return codes, classes
    if any(isinstance(plain(v), str) for v in items(record["y"], place)):
        raise FormatError(f"{place}: labels need classes, the labels in the order of scores")
    y = each(whole, record["y"], place)
    if len(y) != m or max(y) >= k:
        raise FormatError(f"{place}: expected {m} positions from 0 to {k - 1}")
    return y, tuple(range(k))


def _costs(reading: Reading) -> list[list[Fraction]] | None:
    return read_costs(reading.record, reading[Y], len(reading[SCORES][0]))


def _read_rows(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    X, m = matrix(value, place), len(reading[SCORES])
    if len(X) != m:
        raise FormatError(f"{place}: expected {m} rows, as many as scores has")
    return X


def _classes_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    names = shuffled(sizes.labels, draws)
    return {"classes": names, "y": [names[position] for position in problem["y"]]}


def _codes(value: object, place: str) -> list[Sequence[object]]:
    """Rows of labels; a single label is a row of one."""

    def row(entry: object, where: str) -> Sequence[object]:
        is_row = isinstance(plain(entry), (list, tuple))
        return labels(entry, where) if is_row else [label(entry, where)]

    return each(row, value, place)


Z = required("z", "m margins y·s", NUMBERS, numbers_at, axes=("rows",))
RHO = positive("rho", "ρ, above 0", default=Fraction(1), draws=["1/2", "2"], power=1)
_CODES: Kind = list_of(either(LABEL, NUMBERS, LABELS))
PREDICTED, RIGHT = (
    required(name, says, _CODES, alone(_codes), axes=("rows", "places"), draws=[1, -1])
    for name, says in (("predicted", "m codes or labels"), ("y", "the right ones"))
)  # fmt: skip
SCORES = required("scores", "m rows of k scores", MATRIX, matrix_at, axes=("rows", "classes"))
Y: Field[Sequence[int]] = required(
    "y", "m positions from 0, or labels of `classes`", LABELS,
    lambda value, place, reading: reading.of(_scored)[0], axes=("rows",),
    draws=lambda draws, problem, sizes: {"y": draws.row(sizes["rows"], range(sizes["classes"]))},
)  # fmt: skip
CLASSES = OF_SAMPLES._replace(says="the labels in the order of the scores", draws=_classes_drawn)
X = claim(
    "X", "m rows of d numbers; subgradients are then with respect to W", MATRIX, _read_rows,
    axes=("rows", "columns"),
)  # fmt: skip
FEATURES = claim(
    "features",
    "instead of `X`: Ψ, for each row and each class a vector; subgradients are with respect to w",
    MATRICES,
    lambda value, place, reading: read_features(
        reading.record, len(reading[SCORES][0]), len(reading[SCORES])
    ),
    axes=("rows", "classes", "features"),
)

_MARGINS = Declared(fields=(FAMILY, Z))
_SCORES = Declared(fields=(FAMILY, SCORES, Y, CLASSES))
_HINGES = Declared(
    fields=(*_SCORES.fields, COST, ROW_COSTS, X, FEATURES), apart=((COST, ROW_COSTS), (X, FEATURES))
)
_OF_LABELS = tuple(field._replace(draws=[1, 2, 3], axes=("rows",)) for field in (PREDICTED, RIGHT))
_SCALED_Z = Z._replace(power=1)
PROBLEMS = {
    "hinge": [_MARGINS],
    "perceptron": [Declared(fields=(FAMILY, _SCALED_Z))],
    "exponential": [_MARGINS],
    "logistic": [_MARGINS],
    "margin": [Declared(fields=(FAMILY, _SCALED_Z, RHO))],
    "multiclass_hinge": [_HINGES],
    "multiclass_hinge_sum": [_HINGES],
    "zero_one": [Declared(fields=(FAMILY, *_OF_LABELS)), _SCORES],
    "hamming": [Declared(fields=(FAMILY, PREDICTED, RIGHT))],
}


def _m(reading: Reading) -> int:
    problem = reading.about
    return len(problem.z if isinstance(problem, MarginProblem) else problem.y)


def _subgradients(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    """The subgradient of each row: one number for losses of a margin.

    For losses of scores it has k numbers, with `X` k rows of d, with `features` as many as w.
    """
    problem, m = reading.about, reading.of(_m)
    if isinstance(problem, MarginProblem):
        return [[slope] for slope in row_of(value, place, m)]
    if isinstance(problem, LabelProblem):
        raise FormatError(f"{place}: {family_of(problem)} of labels has none")
    vectors = problem.features[0] if problem.features else problem.X or problem.scores
    k, width = len(problem.scores[0]), len(vectors[0])

    def slope(entry: object, where: str) -> list[Fraction]:
        if problem.X is None:
            return matrix_of([entry], where, 1, width)[0]
        return list(chain(*matrix_of(entry, where, k, width)))

    return each(slope, one_a_row(value, place, m), place)


VALUES = claim(
    "values", "the loss of each row", NUMBERS,
    lambda value, place, reading: row_of(value, place, reading.of(_m)), axes=("rows",),
)  # fmt: skip
MEAN = claim("mean", "their mean", NUMBER, number_at)
SUBGRADIENTS = claim(
    "subgradients", "one for each row", list_of(either(NUMBER, NUMBERS, MATRIX)),
    _subgradients, axes=("rows", "classes", "columns"),
    axes_beside={"features": ("rows", "features")},
)  # fmt: skip


def _answer(by: int = 0, slope: int = 0) -> Declared:
    """`by`, `slope`: the powers by which values and subgradients grow with the margins."""
    of_values = (VALUES._replace(power=by), MEAN._replace(power=by))
    return any_of(*of_values, SUBGRADIENTS._replace(power=slope))


ANSWERS = {"perceptron": _answer(by=1), "margin": _answer(slope=-1)}
DECLARED = {
    f"loss.{loss}": (problems, [ANSWERS.get(loss, _answer())])
    for loss, problems in PROBLEMS.items()
}

PIECES: dict[str, Any] = {
    "hinge": (losses.hinge, subgradients.hinge_subgradient),
    "perceptron": (losses.perceptron_loss, subgradients.perceptron_loss_subgradient),
}
IRRATIONAL: dict[str, Any] = {"exponential": losses.exponential, "logistic": losses.logistic}


def read_problem(record: Record) -> Problem:
    """The losses of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "loss.hinge", "z": ["1/2"]}).z
    [Fraction(1, 2)]
    """
    loss: Any = str(record["family"]).removeprefix("loss.")
    reading = PROBLEMS[loss]["scores" in record and loss == "zero_one"].read(record)
    if Z in reading:
        rho = reading[RHO] if loss == "margin" else Fraction(1)
        return MarginProblem(loss=loss, z=reading[Z], rho=rho)
    if PREDICTED in reading:
        return _read_labels(reading, loss)
    given = reading.settings(SCORES, Y, X, FEATURES)
    return ScoreProblem(loss=loss, costs=reading.of(_costs), **given)


def _read_labels(reading: Reading, loss: Any) -> LabelProblem:
    predicted, y = reading[PREDICTED], reading[RIGHT]
    if len(predicted) != len(y):
        raise FormatError(f"problem.predicted: expected {len(y)} entries, as y has")
    for i, (mine, right) in enumerate(zip(predicted, y, strict=True)):
        if len(mine) != len(right):
            raise FormatError(f"problem.predicted[{i}]: expected {len(right)} entries, as y[{i}]")
        if len({type(entry) for entry in (*mine, *right)}) > 1:
            raise FormatError(
                f"problem.predicted[{i}]: {shown(mine)} beside {shown(right)} of y; expected "
                "labels of one type"
            )
    return LabelProblem(loss=loss, predicted=predicted, y=y)


def solve(problem: Record, on_step: object = None, tie: object = None) -> dict[str, object]:
    """The values, their mean and, where they are rational, subgradients.

    >>> solve({"family": "loss.hinge", "z": ["1/2", 3]})["subgradients"]
    [Fraction(-1, 1), Fraction(0, 1)]
    """
    rows = list(_rows(read_problem(problem)))
    values = [row["loss"] for row in rows]
    slopes = [row["subgradient"] for row in rows if "subgradient" in row]
    mean = sum(values, Fraction(0)) / len(values)
    found = {"family": problem["family"], "values": values, "mean": mean}
    return found | ({"subgradients": slopes} if slopes else {})


def _rows(read: Problem) -> Iterator[dict[str, Any]]:
    if isinstance(read, MarginProblem):
        for i, z in enumerate(read.z):
            yield {"row": i, "z": z, **_of_margin(read, i, Fraction(z))}
    elif isinstance(read, LabelProblem):
        for i, (predicted, code) in enumerate(zip(read.predicted, read.y)):
            share = losses.hamming(predicted, code)
            loss = share if read.loss == "hamming" else Fraction(share > 0)
            yield {"row": i, "predicted": predicted, "y": code, "loss": loss}
    else:
        for i, (scores, y) in enumerate(zip(read.scores, read.y)):
            yield {"row": i, "scores": scores, "y": y, **_of_scores(read, i)}


def _of_margin(problem: MarginProblem, i: int, z: Fraction) -> Row:
    if problem.loss == "margin":
        return {"loss": losses.margin_loss(z, problem.rho)}
    if problem.loss in PIECES:
        value, slopes = PIECES[problem.loss]
        return {"loss": value(z), "tied": slopes(z), "subgradient": slopes(z)[0]}
    loss = IRRATIONAL[problem.loss]
    if not writable(z, loss):
        raise ExactnessLimitError(f"row {i}: the {problem.loss} loss has too many digits to write")
    return {"loss": near([z], loss)}


def _of_scores(problem: ScoreProblem, i: int) -> Row:
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


def _slopes(problem: ScoreProblem, i: int) -> Any:
    """The subgradients of the hinge loss of row i, by the classes that reach its maxima."""
    cost = None if problem.costs is None else row_costs([problem.costs[i]])
    of_form = getattr(subgradients, f"{problem.loss}_subgradient")
    return of_form([Fraction(s) for s in problem.scores[i]], problem.y[i], cost)


def _of_slopes(problem: ScoreProblem, i: int, found: Any) -> Iterator[Any]:
    """Subgradients by scores, by W or by w, as the problem has rows or features."""
    if problem.features is not None:
        Psi = problem.features[i]
        return iter(found.by_features(lambda row, j: Psi[j], i))
    return iter(found.by_scores() if problem.X is None else found.by_weights(problem.X[i]))


def all_subgradients(problem: MarginProblem | ScoreProblem, i: int) -> list[Any]:
    """The subgradients of the hinge loss of row i, of which all others are convex combinations.

    >>> all_subgradients(read_problem({"family": "loss.hinge", "z": [1]}), 0)
    [Fraction(-1, 1), Fraction(0, 1)]
    """
    if isinstance(problem, ScoreProblem):
        return list(_of_slopes(problem, i, _slopes(problem, i)))
    return list(PIECES[problem.loss][1](Fraction(problem.z[i])))


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is how far a value, or a whole subgradient, may be off.

    >>> problem = {"family": "loss.multiclass_hinge_sum", "scores": [[".2", ".5", ".1"]], "y": [1]}
    >>> judge(problem, {"values": ["13/10"]}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    family = family_of(read)
    ((declared,),) = DECLARED[family][1:]
    reading = declared.read_answer(answer, family, read)
    given = Claims(**reading.settings(VALUES, MEAN, SUBGRADIENTS))
    return judge_losses(read, given, allowed=allowed)


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for each row: what the loss is of, its value, what was tied, and a subgradient.

    Where the problem has `classes`, scores, positions and slopes stand by their names.
    """
    read = read_problem(problem)
    if not isinstance(read, ScoreProblem) or "classes" not in problem:
        for row in _rows(read):
            yield {**row, "loss": Rounded(row["loss"])} if read.loss in IRRATIONAL else row
        return
    names = read_classes(problem, len(read.scores[0]))
    by_class = ["scores"] if read.X or read.features else ["scores", "subgradient"]
    for row in _rows(read):
        row |= {"y": names[row["y"]], "tied": [names[position] for position in row["tied"]]}
        yield row | {name: dict(zip(names, row[name])) for name in by_class if name in row}
