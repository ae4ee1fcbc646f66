"""Model files of LIBLINEAR's support vector classifiers, as answers to a problem.

A file has no training rows and no C: both are the problem's. Labels are numbers there, which those
of the problem may write otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Fields
from refmc.adapters.model_text import (
    Header,
    check_counts,
    check_loss,
    classes_of,
    positions_of,
    read_counts,
    read_header,
    read_number,
    record_of,
)
from refmc.adapters.promises import of_liblinear_dual, of_liblinear_primal, smaller_share
from refmc.checker.kernels import LINEAR
from refmc.core.records import Record, items, matrix
from refmc.core.scalars import as_float, shown
from refmc.errors import FormatError
from refmc.oracle.reading import read_kernel
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
    weights: list[list[float]]

    @property
    def solver(self) -> str:
        """The name of LIBLINEAR's solver."""
        return self.header["solver_type"][0]

    @property
    def family(self) -> str:
        """The family of the problems that it answers."""
        return "svm.multiclass" if self.solver == CRAMMER_SINGER else "svm.binary"

    def answer(self, problem: Record | str) -> Fields:
        """W for `svm.multiclass`, w (and b of a penalised bias) for `svm.binary`.

        A bias other than that of a penalised column of ones is the last column of the problem.
        """
        record = record_of(problem, self.family)
        loss = "squared_hinge" if "L2LOSS" in self.solver else "hinge"
        check_loss(record, f"solver_type {self.solver}", loss)
        if read_kernel(record.get("kernel", "linear")) != LINEAR:
            raise FormatError("model: LIBLINEAR has the linear kernel, but the problem another one")
        labels, classes = self.header["label"], classes_of(record)
        columns, bias = list(zip(*self.weights)), self._check_columns(record)
        if self.family == "svm.multiclass":
            if len(classes) != len(labels):
                raise FormatError(f"model: labels {' '.join(labels)}, the problem has {classes}")
            return {"W": [list(columns[l]) for l in positions_of(classes, labels)]}
        # of two classes there is one column, for the first one; of others one against the rest, and
        # of a single one it is that of all rows
        own = classes[1:]
        if len(labels) == 2:
            own = classes[::-1]
        elif len(labels) == 1:
            own = [c for c in classes if c in map(str, items(record.get("y"), "problem.y"))]
        l = positions_of(own, labels)[0]
        turned = l == len(columns) or own == classes[:1]
        w = [-v if turned else v for v in columns[l % len(columns)]]
        return {"w": w[:-1], "b": w[-1]} if bias else {"w": w}

    def _check_columns(self, record: Record) -> bool:
        """Whether the last weight is that of the problem's penalised bias.

        Else the bias is a column of its rows, which must be that of the file.
        """
        bias = read_number(self.header["bias"][0], "model: bias")
        penalised = self.family == "svm.binary" and record.get("bias", True) is not False
        if penalised and (record.get("bias") != "penalised" or bias != 1):
            raise FormatError(
                f"model: bias {self.header['bias'][0]}: 1 is a penalised bias of the problem; "
                "any other belongs to a column of its rows, beside a bias of false"
            )
        columns = list(zip(*matrix(record.get("X"), "problem.X")))
        if len(self.weights) != len(columns) + penalised:
            raise FormatError(
                f"model: {len(self.weights)} weights a class, but the problem has {len(columns)} "
                f"columns{' and a bias' if penalised else ''}; a bias is a column of the problem, "
                "too"
            )
        last = [as_float(value, "problem.X") for value in columns[-1]]
        if bias >= 0 and not penalised and set(last) != {bias}:
            i = next(i for i, value in enumerate(last) if value != bias)
            raise FormatError(
                f"model: bias {bias!r} is the last column of all rows, but problem.X[{i}] ends "
                f"with {last[i]!r}"
            )
        return penalised

    def claim(self, problem: Record | str, tolerance: Fraction | None = None) -> Claim:
        """The answer to the problem, and what stopping at the tolerance promises."""
        answer, record = self.answer(problem), record_of(problem, self.family)
        tol = TOLERANCES[self.solver] if tolerance is None else tolerance
        rule = f"-e {as_float(tol, 'tolerance')}"
        asked: Any
        if self.family == "svm.multiclass":
            asked = multiclass.read_problem(record).asked
            promise = of_liblinear_dual(rule, tol, asked.caps, asked.X, False)
            return Claim("", record, answer, promise)
        asked = binary.read_problem(record).asked
        X = [[*x, *[Fraction(1)] * (asked.bias == "penalised")] for x in asked.X]
        promise = of_liblinear_dual(rule, tol, asked.costs, X, asked.squared)
        if self.solver == PRIMAL:
            share = smaller_share([s for s, cost in zip(asked.y, asked.costs) if cost])
            w = [*answer["w"], *([answer["b"]] if "b" in answer else [])]
            promise = of_liblinear_primal(rule, tol, asked.costs, X, asked.y, share, w)
        return Claim("", record, answer, promise)


def read_liblinear(lines: Sequence[str]) -> LiblinearModel:
    """The model in the lines of a file of LIBLINEAR."""
    header, rest = read_header(
        lines, "w", ("solver_type", "nr_class", "label", "nr_feature", "bias")
    )
    if (solver := " ".join(header["solver_type"])) not in TOLERANCES:
        raise FormatError(f"model: solver_type {solver} has no family")
    k, d = read_counts(header, "nr_class")[0], read_counts(header, "nr_feature")[0]
    check_counts(header, {name: k if name == "label" else 1 for name in header})
    d += read_number(header["bias"][0], "model: bias") >= 0
    if len(rest) != d:
        raise FormatError(f"model: expected {shown(d)} lines of weights, got {len(rest)}")
    start = len(lines) - len(rest) + 1
    weights = [
        [read_number(word, f"model: line {i}") for word in line.split()]
        for i, line in enumerate(rest, start)
    ]
    wide = 1 if k == 2 and solver != CRAMMER_SINGER else k
    for i, row in enumerate(weights, start):
        if len(row) != wide:
            raise FormatError(f"model: line {i}: expected {wide} weights, got {len(row)}")
    return LiblinearModel(header, weights)
