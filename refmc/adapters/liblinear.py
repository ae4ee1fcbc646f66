"""Model files of LIBLINEAR's support vector classifiers, as answers to a problem.

A file has no training rows and no C: both are the problem's. Labels are numbers there, which are
compared with those of the problem as they are written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.adapters.claims import Claim, Promise
from refmc.adapters.model_text import (
    Header,
    check_counts,
    classes_of,
    read_counts,
    read_header,
    read_number,
    record_of,
    texts,
)
from refmc.adapters.promises import of_liblinear_dual, of_liblinear_primal, smaller_share
from refmc.core.records import Record, items
from refmc.core.scalars import number_text
from refmc.errors import FormatError
from refmc.oracle.svm import binary, multiclass

PRIMAL, CRAMMER_SINGER = "L2R_L2LOSS_SVC", "MCSVM_CS"

TOLERANCES = {
    PRIMAL: Fraction(1, 100),
    "L2R_L2LOSS_SVC_DUAL": Fraction(1, 10),
    "L2R_L1LOSS_SVC_DUAL": Fraction(1, 10),
    CRAMMER_SINGER: Fraction(1, 10),
}
"""The solvers that have a family, and where they stop if -e says nothing else."""


@dataclass(frozen=True)
class LiblinearModel:
    """A model of LIBLINEAR: a row of weights for each feature, and for the bias if it has one."""

    header: Header
    weights: list[list[Fraction]]

    @property
    def solver(self) -> str:
        """The name of LIBLINEAR's solver."""
        return self.header["solver_type"][0]

    @property
    def family(self) -> str:
        """The family of the problems that it answers."""
        return "svm.multiclass" if self.solver == CRAMMER_SINGER else "svm.binary"

    def answer(self, problem: Record | str) -> dict[str, object]:
        """W for `svm.multiclass`, w (and b of a penalised bias) for `svm.binary`.

        A bias other than that of a penalised column of ones is the last column of the problem.
        """
        record = record_of(problem, self.family)
        y = texts(record["y"], "problem.y")
        labels = list(self.header["label"])
        columns = [list(column) for column in zip(*self.weights)]
        width, bias = len(items(items(record["X"], "problem.X")[0], "problem.X[0]")), False
        if self.family == "svm.binary" and record.get("bias", True) is not False:
            bias = True
            if record.get("bias") != "penalised" or self.header["bias"] != ["1"]:
                raise FormatError(
                    f"model: bias {self.header['bias'][0]}: 1 is a penalised bias of the problem; "
                    "any other belongs to a column of its rows, beside a bias of false"
                )
        if len(self.weights) != width + bias:
            raise FormatError(
                f"model: {len(self.weights)} weights a class, but the problem has {width} columns"
                f"{' and a bias' if bias else ''}; a bias is a column of the problem, too"
            )
        if self.family == "svm.multiclass":
            if len(columns) == 1:
                columns = [[v / 2 for v in columns[0]], [-v / 2 for v in columns[0]]]
            order = classes_of(record, y)
            if sorted(order) != sorted(labels):
                raise FormatError(f"model: labels {' '.join(labels)}, the problem has {order}")
            W = [columns[labels.index(label)] for label in order]
            return {"W": [list(map(number_text, w)) for w in W]}
        negative, positive = classes_of(record, y)
        if positive not in labels or (len(labels) == 2 and negative not in labels):
            raise FormatError(f"model: no label {positive!r} in {' '.join(labels)}")
        flip = -1 if len(labels) == 2 and positive == labels[1] else 1
        w = columns[0 if len(labels) == 2 else labels.index(positive)]
        found = [number_text(flip * v) for v in w]
        return {"w": found[:-1], "b": found[-1]} if bias else {"w": found}

    def claim(self, problem: Record | str, tolerance: Fraction | None = None) -> Claim:
        """The answer to the problem, and what stopping at the tolerance promises."""
        answer, record = self.answer(problem), record_of(problem, self.family)
        return Claim("", record, answer, self._promise(record, tolerance))

    def _promise(self, record: Record, tolerance: Fraction | None) -> Promise:
        tol = TOLERANCES[self.solver] if tolerance is None else tolerance
        rule = f"-e {float(tol)}"
        if self.family == "svm.multiclass":
            caps = multiclass.read_problem(record).asked.caps
            return of_liblinear_dual(rule, tol, caps, False)
        read = binary.read_problem(record)
        asked = read.asked
        if self.solver != PRIMAL:
            return of_liblinear_dual(rule, tol, asked.costs, asked.squared)
        assert read.rows.X is not None  # by `answer`
        X = [[*x, *[Fraction(1)] * (asked.bias == "penalised")] for x in read.rows.X]
        share = smaller_share([s > 0 for s, cost in zip(asked.y, asked.costs) if cost])
        return of_liblinear_primal(rule, tol, asked.costs, X, asked.y, share)


def read_liblinear(lines: Sequence[str]) -> LiblinearModel:
    """The model in the lines of a file of LIBLINEAR."""
    header, rest = read_header(lines, "w", ("nr_class", "label", "nr_feature", "bias"))
    if header["solver_type"][0] not in TOLERANCES:
        raise FormatError(f"model: solver_type {header['solver_type'][0]} has no family")
    k, d = read_counts(header, "nr_class")[0], read_counts(header, "nr_feature")[0]
    check_counts(header, {"label": k})
    d += read_number(header["bias"][0], "model: bias") >= 0
    if len(rest) != d:
        raise FormatError(f"model: expected {d} lines of weights, got {len(rest)}")
    start = len(lines) - len(rest) + 1
    weights = [
        [read_number(word, f"model: line {i}") for word in line.split()]
        for i, line in enumerate(rest, start)
    ]
    wide = 1 if k == 2 and len(weights[0]) == 1 else k
    for i, row in enumerate(weights, start):
        if len(row) != wide:
            raise FormatError(f"model: line {i}: expected {wide} weights, got {len(row)}")
    return LiblinearModel(header, weights)
