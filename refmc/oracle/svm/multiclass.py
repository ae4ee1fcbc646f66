"""The family `svm.multiclass`: its records, reference answers and verdicts.

{"family": "svm.multiclass", "X": m rows of d numbers, "y": m labels, "C": a positive number,
 "classes": labels in order (optional), "kernel": "linear" or an object (optional), "cost": k rows
 of k numbers (0 and 1), "loss": "max_form" (the default) or "sum_form", "weights": m numbers (all
 1)}

or, in the place of "X" and "kernel", "gram": the m rows of m kernel values; or "features": for each
row and each class a vector.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from refmc.checker import Verdict
from refmc.checker.svm import multiclass as referee
from refmc.core.records import Record, items
from refmc.core.sample import Label
from refmc.errors import FormatError
from refmc.oracle.costs import COST_FIELDS, read_costs, read_weights
from refmc.oracle.forms import (
    KERNEL,
    LABELS,
    LOSS_FORM,
    MATRICES,
    MATRIX,
    NUMBER,
    NUMBERS,
    ROWS,
    TEXT,
    Form,
    answer_form,
)
from refmc.oracle.reading import (
    Rows,
    if_given,
    label_positions,
    matrix_of,
    numbers_in,
    one_of,
    positive,
    read_answer,
    read_codes,
    read_features,
    read_rows_or_gram,
    row_of,
)
from refmc.oracle.svm.searching import (
    FloatRows,
    are_few,
    check_size,
    check_work,
    fitted,
    in_floats,
    witnesses,
)
from refmc.theory.kernels import linear

if TYPE_CHECKING:
    from refmc.learn.svm.multiclass_model import MulticlassSVM
    from refmc.oracle.rows import OnStep, Row

SUBMISSIONS = ("W", "w", "scores", "lam", "labels")
CLAIMS = ("objective", "primal", "dual")
FAMILY = "svm.multiclass"

PROBLEM = Form(
    required={"family": TEXT, "y": LABELS, "C": NUMBER},
    instead=[{"features": MATRICES, **ROWS}],
    optional={
        "kernel": KERNEL,
        "classes": LABELS,
        **COST_FIELDS,
        "loss": LOSS_FORM,
        "weights": NUMBERS,
    },
    beside={"kernel": "X"},
)
ANSWER = answer_form(
    {
        "W": MATRIX,
        "w": NUMBERS,
        "scores": MATRIX,
        "lam": MATRIX,
        "labels": LABELS,
        **dict.fromkeys(CLAIMS, NUMBER),
        "slack": NUMBERS,
        "classes": LABELS,
    },
    SUBMISSIONS,
)
FORMS = {FAMILY: ([PROBLEM], [ANSWER])}


class MulticlassSVMProblem(NamedTuple):
    """The checker's problem, and the rows and labels as the learner takes them.

    Where the problem gives features, each of the `rows` holds only its own position, by which the
    learner's Ψ finds its vectors.
    """

    asked: referee.MulticlassProblem
    rows: Rows
    classes: tuple[Label, ...]

    @property
    def labels(self) -> list[Label]:
        """The label of each row."""
        return [self.classes[c] for c in self.asked.y]


def read_problem(record: Record) -> MulticlassSVMProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": "1/2"}).asked.C
    Fraction(1, 2)
    """
    PROBLEM.check(record, "problem")
    given = "features" in record
    check_size(record)
    if given:
        m = len(items(record["features"], "problem.features"))
        rows = Rows([[Fraction(i)] for i in range(m)], None, linear)
    else:
        rows = read_rows_or_gram(record)
    y, classes = read_codes(record, rows.m)
    features = read_features(record, len(classes)) if given else None
    check_work(rows, len(classes) if features is None else len(classes) * len(features[0][0]))
    asked = referee.MulticlassProblem(
        X=None if given else rows.X,
        gram=rows.gram,
        kernel=rows.referee_kernel,
        features=features,
        y=y,
        k=len(classes),
        C=positive(record, "C"),
        costs=read_costs(record, y, len(classes)),
        weights=read_weights(record, rows.m),
        sum_form=one_of(record, "loss", LOSS_FORM) == "sum_form",
        classes=tuple(map(str, classes)),
    )
    return MulticlassSVMProblem(asked, rows, classes)


def solve(problem: Record, on_step: OnStep | None) -> dict[str, object]:
    """The exact answer: classes, W (linear kernel only), lam, slack, objective, primal, dual."""
    read = read_problem(problem)
    model = optimum(read, on_step)
    record: dict[str, object] = {"family": FAMILY, "classes": list(model.classes)}
    if model.W is not None:
        record |= {"W": model.W} if read.asked.features is None else {"w": model.W[0]}
    return record | {
        "lam": model.lam,
        "slack": model.slack,
        "objective": model.objective,
        "primal": model.certificate.primal,
        "dual": model.certificate.dual,
    }


def optimum(
    problem: MulticlassSVMProblem, on_step: OnStep | None, guess: bool = True
) -> MulticlassSVM[Fraction]:
    """The exact model; for a Gram matrix K that is semi-definite up to rounding, that of K + εI."""
    model: MulticlassSVM[Fraction] = fitted(
        lambda rows: _fit(problem, rows, on_step=on_step, guess=guess), problem.rows
    )
    return model


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

    return referee.judge(
        read.asked,
        submitted,
        witnesses=witnesses(read.rows, few, near, exact),
        thorough=few,
        allowed=allowed,
    )


def _read_answer(record: Record, problem: MulticlassSVMProblem) -> referee.MulticlassAnswer:
    read_answer(record, FAMILY, ANSWER)
    m, k = problem.rows.m, problem.asked.k
    if "slack" in record and not {"W", "w", "scores", "lam"} & set(record):
        raise FormatError("answer.slack: needs W, w, scores or lam beside it")
    order = _class_order(record, problem)

    def by_class(value: object, place: str) -> list[list[Fraction]]:
        rows = matrix_of(value, place, m, k)
        return [[row[position] for position in order] for row in rows]

    return referee.MulticlassAnswer(
        W=_weights(record, problem, order),
        scores=if_given(record, "scores", by_class),
        lam=if_given(record, "lam", by_class),
        labels=if_given(record, "labels", partial(label_positions, classes=problem.classes, m=m)),
        values=numbers_in(record, CLAIMS),
        slack=if_given(record, "slack", partial(row_of, length=m)),
    )


def _weights(
    record: Record, problem: MulticlassSVMProblem, order: Sequence[int]
) -> list[list[Fraction]] | None:
    """W in the problem's order of the classes; of given features w, as a single row."""
    features = problem.asked.features
    if "w" in record:
        if features is None:
            raise FormatError("answer.w: one vector belongs to given features; submit W, k of them")
        return [row_of(record["w"], "answer.w", len(features[0][0]))]
    if "W" not in record:
        return None
    X = problem.rows.X
    if X is None or not problem.rows.is_linear:
        raise FormatError("answer.W: weights need the linear kernel; submit scores or lam")
    if features is not None:
        raise FormatError("answer.W: weights of given features are one vector; submit it as w")
    k, d = len(problem.classes), len(X[0])
    hints = {(k, d + 1): "; a bias is a column of ones in X, its weight is part of the norm"}
    if k == 2:
        hints[1, d] = "; one weight vector w for two classes stands for (-w/2, w/2)"
    rows = matrix_of(record["W"], "answer.W", k, d, hints)
    return [rows[position] for position in order]


def _class_order(record: Record, problem: MulticlassSVMProblem) -> list[int]:
    """For each class of the problem its position in the answer."""
    if "classes" not in record:
        return list(range(len(problem.classes)))
    given = label_positions(record["classes"], "answer.classes", problem.classes)
    if sorted(given) != list(range(len(problem.classes))):
        raise FormatError(
            f"answer.classes: expected the problem's classes {list(problem.classes)!r} in any order"
        )
    return [given.index(c) for c in range(len(problem.classes))]


def trace(problem: Record) -> Iterator[Row]:
    """One row for each pivot of the exact search from λ = 0, with the constraints that change.

    They are λ_iy ≥ 0 for the classes y other than the row's own, and μ_i = C − Σ_y λ_iy ≥ 0.
    """
    from refmc.oracle.rows import each_step, pivot_row  # for nothing but traces

    read = read_problem(problem)
    for pivot in each_step(lambda report: optimum(read, report, guess=False)):
        yield pivot_row(pivot, lambda i: _multiplier(i, read), {"dual": -pivot.objective})


def _multiplier(index: int, problem: MulticlassSVMProblem) -> str:
    """The name of a constraint, from the number that the learner gives it."""
    k = problem.asked.k
    upper, place = divmod(index, problem.rows.m * k)
    row, position = divmod(place, k)
    if position == problem.asked.y[row]:
        return f"μ_{row}"
    name = f"λ_{row},{problem.classes[position]}"
    return f"{name} ≤ C_{row}" if upper else name
