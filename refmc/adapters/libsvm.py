"""Model files of LIBSVM's C-SVC, as answers to a problem over two of their classes.

A file has no training rows and no C: both are the problem's. Features are counted from 1, and
labels are numbers there, which those of the problem may write otherwise.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import fsum, inf
from operator import mul
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Fields
from refmc.adapters.model_text import (
    Header,
    check_counts,
    check_fields,
    check_loss,
    classes_of,
    positions_of,
    read_counts,
    read_header,
    read_number,
    record_of,
)
from refmc.adapters.promises import of_libsvm
from refmc.adapters.svms import rounded_matrix
from refmc.core.records import Record, items, matrix, number, position_of
from refmc.core.scalars import as_float, shown
from refmc.errors import FormatError
from refmc.oracle.reading import Rows, one_a_row, read_kernel, read_rows_or_gram
from refmc.oracle.svm.binary import read_problem
from refmc.theory.kernels import RBF, Polynomial, rbf

TOLERANCE = Fraction(1, 1000)
"""Where LIBSVM stops if -e says nothing else."""

PARAMETERS: dict[str, Sequence[str]] = {
    "linear": (),
    "polynomial": ("gamma", "coef0", "degree"),
    "rbf": ("gamma",),
    "precomputed": (),
}
"""The kernels that can be judged, and the fields that a file has for their parameters."""

SPARSE_DIGITS = 8
"""Significant digits with which LIBSVM writes support vectors."""


@dataclass(frozen=True)
class LibsvmModel:
    """A model of C-SVC: for each support vector its coefficients, one for each other class."""

    header: Header
    coefficients: list[list[float]]
    vectors: list[dict[int, float]]

    def answer(self, problem: Record | str) -> Fields:
        """α and b for an `svm.binary` problem over two of the classes and the rows of both.

        Of an RBF kernel the problem has rows and {"name": "rbf", "gamma": …}, and what is to be
        checked is `self.problem(problem)`. Raises `FormatError` for another kernel, and a support
        vector that is no row.
        """
        record = record_of(problem, "svm.binary")
        if not {"X", "gram"} & set(record):
            raise FormatError("problem: field 'X' is missing")
        rows = _of_rbf(record) or read_rows_or_gram(record)
        self._check_kernel(rows)
        y, pair = list(map(str, items(record.get("y"), "problem.y"))), classes_of(record)
        check_loss(record, "svm_type c_svc", "hinge")
        if record.get("bias", True) is not True:
            raise FormatError(
                "model: svm_type c_svc has a bias that costs nothing, but the problem's is "
                f"{shown(record['bias'])}"
            )
        labels = self.header["label"]
        names = dict(zip(positions_of(pair, labels), pair))
        a, b = sorted(names)
        flip = 1 if names[a] == pair[1] else -1
        counts = read_counts(self.header, "nr_sv")
        alpha = dict.fromkeys(range(rows.m), 0.0)
        most = _most(record, rows.m)
        for c, other in ((a, b - 1), (b, a)):
            free = {i: most[i] for i, own in enumerate(y) if own == names[c]}
            for s in range(sum(counts[:c]), sum(counts[: c + 1])):
                found = self.coefficients[s][other] * (1 if c == a else -1)
                i = _row_of(self.vectors[s], rows, free, found)
                if i is None:
                    raise FormatError(
                        f"model: support vector {s + 1} is no row of label {names[c]} in the "
                        "problem, or that of one before"
                    )
                alpha[i] = found
                del free[i]
        pairs = list(combinations(range(len(labels)), 2))
        rho = read_number(self.header["rho"][pairs.index((a, b))], "model: rho")
        return {"alpha": list(alpha.values()), "b": -flip * rho}

    def problem(self, problem: Record | str) -> Record:
        """The problem as it is judged: of an RBF kernel by its matrix, rounded to binary64."""
        record = record_of(problem, "svm.binary")
        match _of_rbf(record):
            case Rows(X=list() as X, kernel=RBF(gamma)):
                rest = {name: v for name, v in record.items() if name not in ("X", "kernel")}
                return rest | {"gram": rounded_matrix(rbf(float(gamma)), X)}
        return record

    def claim(self, problem: Record | str, tolerance: Fraction | None = None) -> Claim:
        """The answer to the problem as it is judged, and the promise that the tolerance makes."""
        judged, answer = self.problem(problem), self.answer(problem)
        read, tol = read_problem(judged), TOLERANCE if tolerance is None else tolerance
        alpha, b = answer["alpha"], answer["b"]
        rows, y = read.rows, read.asked.y
        K: Any = rows.gram if rows.X is None else rounded_matrix(rows.kernel, rows.X)
        K = [[as_float(v, "problem.gram") for v in row] for row in K]
        beta = [s * a for s, a in zip(y, alpha)]
        margins = [s * fsum([b, *map(mul, beta, row)]) for s, row in zip(y, K)]
        largest = max(row[i] for i, row in enumerate(K))
        rule, costs = f"-e {as_float(tol, 'tolerance')}", read.asked.costs
        promise = of_libsvm(rule, tol, costs, list(map(Fraction, alpha)), margins, largest)
        return Claim("", judged, answer, promise)

    def _check_kernel(self, rows: Rows) -> None:
        kind = self.header["kernel_type"][0]
        if kind not in PARAMETERS:
            raise FormatError(
                f"model: kernel_type {kind} has no exact values; decide on its matrix, and train "
                "with -t 4, on which 'gram' and this model agree"
            )
        names = PARAMETERS[kind]
        check_fields(self.header, names, "SV")
        for name in ("degree", "gamma", "coef0"):
            if name in self.header and name not in names:
                raise FormatError(f"model: {name}: the {kind} kernel has none")
        if kind == "precomputed" and len(self.header["label"]) > 2:
            raise FormatError(
                "model: kernel_type precomputed: its numbers of rows count those of all "
                f"{len(self.header['label'])} classes; train on the two of the problem"
            )
        written = [read_number(self.header[name][0], f"model: {name}") for name in names]
        if _kernel_of(rows) != (kind, written):
            told = [f" with {name} {v:.17g}" for name, v in zip(names, written)]
            raise FormatError(
                f"model: kernel_type {kind}{','.join(told)}, but the problem has another kernel"
            )


def read_libsvm(lines: Sequence[str]) -> LibsvmModel:
    """The model in the lines of a file of LIBSVM."""
    header, rest = read_header(
        lines,
        "SV",
        ("svm_type", "kernel_type", "nr_class", "total_sv", "rho", "label", "nr_sv"),
        ("degree", "gamma", "coef0"),
    )
    if header["svm_type"] != ["c_svc"]:
        raise FormatError(f"model: svm_type {' '.join(header['svm_type'])}; only c_svc is judged")
    k, total = read_counts(header, "nr_class")[0], read_counts(header, "total_sv")[0]
    single = {name: 1 for name in header if name not in ("label", "nr_sv", "rho")}
    check_counts(header, {"label": k, "nr_sv": k, "rho": k * (k - 1) // 2, **single})
    if len(rest) != total or sum(read_counts(header, "nr_sv")) != total:
        raise FormatError(
            f"model: total_sv is {shown(total)}, but {len(rest)} support vectors follow, and nr_sv "
            f"has {shown(sum(read_counts(header, 'nr_sv')))}"
        )
    coefficients, vectors = [], []
    for i, line in enumerate(rest, len(lines) - len(rest) + 1):
        words = line.split()
        pairs = [word.partition(":") for word in words[k - 1 :]]
        vector = {position_of(key): value for key, colon, value in pairs if colon}
        if len(words) < k - 1 or len(vector) < len(pairs) or None in vector:
            raise FormatError(f"model: line {i}: expected {k - 1} numbers, then index:value")
        coefficients.append([read_number(word, f"model: line {i}") for word in words[: k - 1]])
        vectors.append(
            {j: read_number(v, f"model: line {i}") for j, v in vector.items() if j is not None}
        )
    return LibsvmModel(header, coefficients, vectors)


def _most(record: Record, m: int) -> list[float]:
    """The most that the multiplier of each row can be in binary64; equal rows without weights share
    theirs in any way."""
    if "weights" not in record:
        return [inf] * m
    C = number(record.get("C"), "problem.C")
    weights = one_a_row(record["weights"], "problem.weights", m)
    return [as_float(C * number(w, "problem.weights"), "problem.C") for w in weights]


def _of_rbf(record: Record) -> Rows | None:
    """The rows and the kernel of a problem with an RBF kernel, which no judge takes."""
    given = record.get("kernel")
    if not isinstance(given, Mapping) or given.get("name") != "rbf" or "gram" in record:
        return None
    return Rows(matrix(record.get("X"), "problem.X"), None, read_kernel(given))


def _kernel_of(rows: Rows) -> tuple[str, list[float]]:
    """The kernel of a problem as a file has it: its name and its parameters in binary64."""
    match rows.kernel:
        case RBF(gamma):
            return "rbf", [as_float(Fraction(gamma), "problem.kernel")]
        case Polynomial(degree, scale, offset) if rows.X is not None:
            parameters = (1 / Fraction(scale), Fraction(offset), degree)
            return "polynomial", [as_float(v, "problem.kernel") for v in parameters]
    return "precomputed" if rows.X is None else "linear", []


def _row_of(
    vector: Mapping[int, float], rows: Rows, free: Mapping[int, float], alpha: float
) -> int | None:
    """The first of the rows that equals the support vector, rather one that may have so large a
    multiplier: the file leaves out those of 0."""
    equal = (  # of a precomputed kernel the vector is the number of the row
        i
        for i in free
        if (vector == {0: i + 1} if rows.X is None else _is_written(rows.X[i], vector))
    )
    first = next(equal, None)
    if first is None or alpha <= free[first]:
        return first
    return next((i for i in equal if alpha <= free[i]), first)


def _is_written(x: Sequence[Fraction], vector: Mapping[int, float]) -> bool:
    """Whether a row is what a file has of a support vector, which may leave zeros out."""
    has_others = any(v and not 1 <= j <= len(x) for j, v in vector.items())
    return not has_others and all(_same(v, vector.get(j, 0.0)) for j, v in enumerate(x, 1))


def _same(value: Fraction, written: float) -> bool:
    near = as_float(value, "problem.X")
    return written == value or written == float(f"{near:.{SPARSE_DIGITS}g}")
