"""The family `svm.multiclass`: its records, reference answers and verdicts.

{"family": "svm.multiclass", "X": m rows of d numbers, "y": m labels, "C": a positive number,
 "classes": labels in order (optional), "kernel": "linear" or an object (optional), "cost": k rows
 of k numbers (0 and 1), "loss": "max_form" (the default) or "sum_form", "weights": m numbers (all
 1)}

or, in the place of "X" and "kernel", "gram": the m rows of m kernel values; or "features": for each
row and each class a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import lcm
from operator import mul
from typing import TYPE_CHECKING, Any

from refmc.checker import Verdict
from refmc.checker.numbers.rounding import Box
from refmc.checker.svm import multiclass
from refmc.core.records import Record
from refmc.core.sample import Label, in_whole_numbers
from refmc.errors import FormatError
from refmc.oracle.declaring import FAMILY as NAME
from refmc.oracle.declaring import REMARKS, choice, claim
from refmc.oracle.fields import Declared, Reading
from refmc.oracle.forms import LABELS, MATRIX, NUMBERS
from refmc.oracle.reading import Rows, gram_of, label_positions, matrix_of, row_of
from refmc.oracle.rounded import rounded
from refmc.oracle.samples import (
    CLASSES,
    COST,
    FEATURES,
    GRAM,
    KERNEL,
    ROW_COSTS,
    WEIGHTS,
    X,
    Y,
    codes,
    costs,
    rows,
)
from refmc.oracle.svm.claims import VALUES, C, SVMProblem, per_row, values_of
from refmc.oracle.svm.searching import (
    MOST_MULTIPLIERS,
    MOST_STEPPED,
    FloatRows,
    are_few,
    check_size,
    check_work,
    fitted,
    in_floats,
    witnesses,
)

if TYPE_CHECKING:
    from refmc.learn.svm.multiclass_model import MulticlassSVM
    from refmc.oracle.rows import OnStep, Row

FAMILY = "svm.multiclass"

LOSS = choice("loss", "of which of the two hinge losses", "max_form", "sum_form")
PROBLEM = Declared(
    fields=(NAME, FEATURES, GRAM, X, Y, C, KERNEL, CLASSES, COST, ROW_COSTS, LOSS, WEIGHTS),
    instead=((FEATURES, GRAM, X),),
    beside={"kernel": "X"},
    apart=((COST, ROW_COSTS),),
)


def _order(reading: Reading) -> list[int]:
    """For each class of the problem its position in the answer."""
    classes = reading.about.classes
    given = reading[ORDER] or range(len(classes))
    return [given.index(c) for c in range(len(classes))]


def _classes(value: object, place: str, reading: Reading) -> list[int]:
    classes = reading.about.classes
    given = label_positions(value, place, classes)
    if sorted(given) != list(range(len(classes))):
        raise FormatError(f"{place}: expected the problem's classes {list(classes)!r} in any order")
    return given


def _by_class(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    """A number for each row and each class, in the problem's order of the classes."""
    order = reading.of(_order)
    given = matrix_of(value, place, reading.about.rows.m, len(order))
    return [[row[position] for position in order] for row in given]


def _weights(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    """W in the problem's order of the classes."""
    problem: MulticlassSVMProblem = reading.about
    X = problem.rows.X
    if X is None or not problem.rows.is_linear:
        raise FormatError(f"{place}: weights need the linear kernel; submit scores or lam")
    if problem.asked.features is not None:
        raise FormatError(f"{place}: weights of given features are one vector; submit it as w")
    k, d = problem.asked.k, len(X[0])
    hints = {(k, d + 1): "; a bias is a column of ones in X, its weight is part of the norm"}
    if k == 2:
        hints[1, d] = "; one weight vector w for two classes stands for (-w/2, w/2)"
    given = matrix_of(value, place, k, d, hints)
    return [given[position] for position in reading.of(_order)]


def _vector(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    """Of given features w, as a single row."""
    features = reading.about.asked.features
    if features is None:
        raise FormatError(f"{place}: one vector belongs to given features; submit W, k of them")
    return [row_of(value, place, len(features[0][0]))]


def _labels(value: object, place: str, reading: Reading) -> list[int]:
    return label_positions(value, place, reading.about.classes, reading.about.rows.m)


W = claim(
    "W", "k weight vectors of d numbers (linear kernel)", MATRIX, _weights,
    axes=("classes", "columns"), power=-1,
)  # fmt: skip
ONE = claim(
    "w", "instead of `W`, with `features`: one vector", NUMBERS, _vector, axes=("features",),
    power=-1,
)  # fmt: skip
SCORES = claim("scores", "f_y(x_i), or ⟨w, Ψ(x_i, y)⟩", MATRIX, _by_class, axes=("rows", "classes"))
LAM = claim("lam", "multipliers λ", MATRIX, _by_class, axes=("rows", "classes"), power=-2)
PREDICTED = claim("labels", "m predicted labels", LABELS, _labels, axes=("rows",))
SLACK = claim("slack", "η, beside one of the first four", NUMBERS, per_row, axes=("rows",))
ORDER = claim("classes", "the order of the answer's classes", LABELS, _classes, axes=("classes",))
SUBMITTED = (W, ONE, SCORES, LAM, PREDICTED)
ANSWER = Declared(fields=(*SUBMITTED, *VALUES, SLACK, ORDER, *REMARKS), some=SUBMITTED)
DECLARED = {FAMILY: ([PROBLEM], [ANSWER])}


class MulticlassSVMProblem(SVMProblem[multiclass.MulticlassProblem]):
    """A problem of the family."""


def read_problem(record: Record) -> MulticlassSVMProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": "1/2"}).asked.C
    Fraction(1, 2)
    """
    reading = PROBLEM.read(record)
    check_size(record)
    given = reading.of(rows)
    y, classes = reading.of(codes)
    features = reading[FEATURES]
    check_work(given, len(classes) if features is None else len(classes) * len(features[0][0]))
    if given.m * len(classes) > MOST_MULTIPLIERS:
        raise FormatError(
            f"problem.y: {given.m} rows with {len(classes)} classes have more than the "
            f"{MOST_MULTIPLIERS} multipliers that are taken on"
        )
    asked = multiclass.MulticlassProblem(
        features=features,
        y=y,
        k=len(classes),
        costs=reading.of(costs),
        sum_form=reading[LOSS] == "sum_form",
        classes=tuple(map(str, classes)),
        **given.checked | ({} if features is None else {"X": None}),
        **reading.settings(C, WEIGHTS),
    )
    return MulticlassSVMProblem(asked, given, classes, [classes[c] for c in y])


def solve(problem: Record, on_step: OnStep | None, tie: object = None) -> dict[str, object]:
    """The exact answer: classes, W (linear kernel only), lam, slack, objective, primal, dual."""
    read = read_problem(problem)
    model = optimum(read, on_step)
    record: dict[str, object] = {"family": FAMILY, "classes": list(model.classes)}
    if model.W is not None:
        record |= {"W": model.W} if read.asked.features is None else {"w": model.W[0]}
    return record | {"lam": model.lam, "slack": model.slack, **values_of(model)}


def optimum(
    problem: MulticlassSVMProblem, on_step: OnStep | None, guess: bool = True
) -> MulticlassSVM[Fraction]:
    """The exact model; for a Gram matrix K that is semi-definite up to rounding, that of K + εI."""
    return fitted(lambda rows: _fit(problem, rows, on_step=on_step, guess=guess), problem.rows)


def _fit(
    problem: MulticlassSVMProblem, rows: Rows | FloatRows, **options: Any
) -> MulticlassSVM[Any]:
    """The learner's model, in floats where the rows are."""
    from refmc.learn.svm.multiclass import fit_multiclass_svm  # many answers prove themselves
    from refmc.theory.costs import row_costs
    from refmc.theory.subgradients import max_form, sum_form

    kind: Any = float if isinstance(rows, FloatRows) else Fraction
    options |= {"kernel": rows.kernel, "gram": rows.gram, "classes": problem.classes}
    asked = problem.asked
    options["loss"] = sum_form if asked.sum_form else max_form
    if asked.costs is not None:
        options["cost"] = row_costs([list(map(kind, row)) for row in asked.costs])
    if asked.weights is not None:
        options["weights"] = list(map(kind, asked.weights))
    if asked.features is not None:
        psi = [[list(map(kind, vector)) for vector in row] for row in asked.features]
        options["features"] = lambda x, j: psi[int(x[0])][j]
    return fit_multiclass_svm(rows.X, problem.labels, C=kind(asked.C), **options)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: OnStep | None) -> Verdict:
    """The checker's verdict; multipliers that the learner finds are its witnesses.

    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> judge(problem, {"W": [["1/2"], ["-1/2"]]}, Fraction(0), None).status
    'VERIFIED'
    """
    read = read_problem(problem)
    submitted = _read_answer(answer, read)
    few = are_few(read.rows, len(read.classes))

    def near() -> Sequence[Sequence[Fraction]]:
        return _fit(read, in_floats(read.rows)).certificate.multipliers

    def exact() -> Sequence[Sequence[Fraction]]:
        return optimum(read, on_step).lam

    found = witnesses(read.rows, few, near, exact)
    return multiclass.judge(read.asked, submitted, witnesses=found, thorough=few, allowed=allowed)


def _read_answer(record: Record, problem: MulticlassSVMProblem) -> multiclass.MulticlassAnswer:
    reading = ANSWER.read_answer(record, FAMILY, problem)
    if SLACK in reading and not any(field in reading for field in SUBMITTED[:4]):
        raise FormatError("answer.slack: needs W, w, scores or lam beside it")
    return multiclass.MulticlassAnswer(
        W=reading[W] or reading[ONE],  # which are never both of the problem's kind
        values=reading.given(*VALUES),
        **reading.settings(SCORES, LAM, PREDICTED, SLACK),
        rounded=_rounded(record, reading.of(_order)),
    )


def _rounded(record: Record, order: Sequence[int]) -> Callable[[], Box] | None:
    """What the numbers may stand for, in the problem's order of the classes."""
    read = rounded(record, W, ONE, LAM, SLACK, *VALUES)

    def in_order() -> Box:
        box = dict(read() if read else {})
        if "W" in box:
            box["W"] = [box["W"][position] for position in order]
        if "lam" in box:
            box["lam"] = [[row[position] for position in order] for row in box["lam"]]
        return {"W": box.pop("w"), **box} if "w" in box else box

    return in_order if read else None


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for the start, λ = 0 up to `MOST_STEPPED` rows, and one for each pivot of the exact
    search from there, with the constraints that change.

    They are λ_iy ≥ 0 for the classes y other than the row's own, and μ_i = C − Σ_y λ_iy ≥ 0.
    """
    from refmc.oracle.rows import each_step, pivot_row  # for nothing but traces

    read = read_problem(problem)
    with_gram = read._replace(rows=read.rows._replace(gram=gram_of(read.rows)))
    guess = read.rows.m > MOST_STEPPED
    for pivot in each_step(lambda report: optimum(read, report, guess)):
        value = {"dual": -pivot.objective, **_state(pivot.point, with_gram)}
        yield pivot_row(pivot, lambda i: _multiplier(i, read), value)


def _state(point: Sequence[Fraction], read: MulticlassSVMProblem) -> dict[str, object]:
    """λ, and in the max form of the block map w, η and the Kuhn-Tucker conditions that fail.

    All others hold at every step, as λ is feasible, w is that of λ, and η that of w. [lu,
    "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"]
    """
    asked, k, names, zero = read.asked, read.asked.k, read.classes, Fraction(0)
    lam = [list(point[i * k : i * k + k]) for i in range(read.rows.m)]
    for row, c in zip(lam, asked.y):
        row[c] = zero if asked.sum_form else sum(filter(None, row), -row[c])
    found: dict[str, object] = {"λ": lam}
    if asked.sum_form or asked.features is not None:
        return found | {"w": None, "η": None, "fails": None}
    W, scores, unit = _scores(lam, read)
    costs: Sequence[Sequence[int | Fraction]] = asked.costs or [[1] * k] * len(lam)
    # Whole numbers of one unit, so that only the largest of a row becomes a Fraction.
    below = lcm(unit.denominator, *(v.denominator for row in costs for v in row))
    step = unit.numerator * (below // unit.denominator)
    whole = [[v.numerator * (below // v.denominator) for v in row] for row in costs]
    eta, fails = list[Fraction](), list[str]()
    for i, (row, c, f) in enumerate(zip(lam, asked.y, scores)):
        excess = [0 if y == c else whole[i][y] + (f[y] - f[c]) * step for y in range(k)]
        largest = max(excess)
        eta.append(Fraction(largest, below))
        short = [y for y in range(k) if y != c and row[y] and excess[y] < largest]
        fails += [f"λ_{i},{names[y]}" for y in short]
        mass = asked.C * (1 if asked.weights is None else asked.weights[i])
        fails += [f"μ_{i}"] if largest and row[c] < mass else []
    return found | {"w": W, "η": eta, "fails": fails}


def _scores(
    lam: Sequence[Sequence[Fraction]], read: MulticlassSVMProblem
) -> tuple[dict[Label, list[Fraction]] | None, list[list[int]], Fraction]:
    """w by its classes, of the linear kernel; each row's scores in whole numbers; their unit."""
    m, k, rows = read.rows.m, read.asked.k, read.rows
    whole, unit = in_whole_numbers([v for row in lam for v in row])
    signs = [1 if y == c else -1 for c in read.asked.y for y in range(k)]
    columns = [[s * v for s, v in zip(signs[y::k], whole[y::k])] for y in range(k)]
    used = [i for i in range(m) if any(whole[i * k : i * k + k])]
    matrix = rows.gram or rows.X or []
    flat, step = in_whole_numbers([v for row in matrix for v in row])
    d = len(matrix[0])
    X = [flat[i * d : i * d + d] for i in range(m)]
    if matrix is rows.gram:
        kept = [[x[i] for i in used] for x in X]
        parts = [[column[i] for i in used] for column in columns]
        return None, [[sum(map(mul, part, x)) for part in parts] for x in kept], unit * step
    W = [[sum(column[i] * X[i][j] for i in used) for j in range(d)] for column in columns]
    scores = [[sum(map(mul, w, x)) for w in W] for x in X]
    named = {read.classes[y]: [v * unit * step for v in w] for y, w in enumerate(W)}
    return named, scores, unit * step * step


def _multiplier(index: int, problem: MulticlassSVMProblem) -> str:
    """The name of a constraint, from the number that the learner gives it."""
    k = problem.asked.k
    upper, place = divmod(index, problem.rows.m * k)
    row, position = divmod(place, k)
    if position == problem.asked.y[row]:
        return f"μ_{row}"
    name = f"λ_{row},{problem.classes[position]}"
    return f"{name} ≤ C_{row}" if upper else name
