"""Model files of LIBSVM and LIBLINEAR, and trees of rpart, as answers to a problem.

A file has no training rows and no C: both are the problem's. Features are counted from 1, and
labels are numbers there, which are compared with those of the problem as they are written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.adapters.svms import rounded_matrix
from refmc.core.records import Record, items, matrix
from refmc.core.scalars import exact, number_text, shown
from refmc.errors import FormatError, RefmcError
from refmc.oracle.answers import read_record
from refmc.oracle.columns import read_cells
from refmc.oracle.reading import Rows, read_codes, read_kernel, read_rows_or_gram
from refmc.theory.kernels import RBF, rbf

TREE = "rpart"
"""The first line of a tree that the snippet of spec/python-tools.md has written."""

SPARSE_DIGITS = 8
"""Significant digits with which LIBSVM writes support vectors."""


@dataclass(frozen=True)
class LibsvmModel:
    """A model of C-SVC: for each support vector its coefficients, one for each other class."""

    header: Mapping[str, Sequence[str]]
    coefficients: list[list[Fraction]]
    vectors: list[dict[int, Fraction]]

    def answer(self, problem: Record | str) -> dict[str, object]:
        """α and b for an `svm.binary` problem over two of the classes and the rows of both.

        Of an RBF kernel the problem has rows and {"name": "rbf", "gamma": …}, and what is to be
        checked is `self.problem(problem)`. Raises `FormatError` for another kernel, and a support
        vector that is no row.
        """
        record, _ = _problem(problem, "svm.binary")
        rows = _of_rbf(record) or read_rows_or_gram(record)
        self._check_kernel(rows)
        y = _texts(record["y"], "problem.y")
        labels = list(self.header["label"])
        pair = _classes(record, y)
        for label in pair:
            if label not in labels:
                raise FormatError(f"model: no label {label!r} in {' '.join(labels)}")
        negative, positive = (labels.index(label) for label in pair)
        a, b = sorted((negative, positive))
        flip = 1 if a == positive else -1
        counts = list(map(int, self.header["nr_sv"]))
        alpha = [Fraction(0)] * len(y)
        for c, other in ((a, b - 1), (b, a)):
            for s in range(sum(counts[:c]), sum(counts[: c + 1])):
                value = self.coefficients[s][other]
                if value:
                    sign = 1 if c == a else -1
                    alpha[self._row(s, rows, y, labels[c], alpha)] = sign * value
        pairs = [(i, j) for i in range(len(labels)) for j in range(i + 1, len(labels))]
        rho = _number(self.header["rho"][pairs.index((a, b))], "model: rho")
        return {"alpha": list(map(number_text, alpha)), "b": number_text(-flip * rho)}

    def problem(self, problem: Record | str) -> Record:
        """The problem as it is judged: of an RBF kernel by its matrix, rounded to binary64."""
        record, _ = _problem(problem, "svm.binary")
        rows = _of_rbf(record)
        if rows is None or not isinstance(rows.kernel, RBF):
            return record
        rest = {name: value for name, value in record.items() if name not in ("X", "kernel")}
        return rest | {"gram": rounded_matrix(rbf(float(rows.kernel.gamma)), rows.X or ())}

    def _check_kernel(self, rows: Rows) -> None:
        kind = self.header["kernel_type"][0]
        if kind not in ("linear", "polynomial", "rbf", "precomputed"):
            raise FormatError(
                f"model: kernel_type {kind} has no exact values; decide on its matrix, and train "
                "with -t 4, on which 'gram' and this model agree"
            )
        if kind == "rbf":
            gamma = _number(self.header.get("gamma", [""])[0], "model: gamma")
            if not isinstance(rows.kernel, RBF) or float(rows.kernel.gamma) != gamma:
                raise FormatError(
                    "model: kernel_type rbf: expected a problem with rows X and the kernel "
                    f'{{"name": "rbf", "gamma": "{float(gamma)!r}"}}, which has another one'
                )
            return
        if (
            isinstance(rows.kernel, RBF)
            or (kind == "precomputed") != (rows.gram is not None)
            or (kind == "linear") != rows.is_linear
        ):
            raise FormatError(f"model: kernel_type {kind}, but the problem has another kernel")
        if kind == "polynomial":
            kernel: Any = rows.kernel
            gamma, offset, degree = (
                _number(self.header[name][0], f"model: {name}")
                for name in ("gamma", "coef0", "degree")
            )
            if (1 / Fraction(kernel.scale), kernel.offset, kernel.degree) != (
                gamma,
                offset,
                degree,
            ):
                raise FormatError(
                    f"model: polynomial kernel with gamma {shown(gamma)}, coef0 {shown(offset)} "
                    f"and degree {shown(degree)}, but the problem has another one"
                )

    def _row(
        self, s: int, rows: Rows, y: Sequence[str], label: str, alpha: Sequence[Fraction]
    ) -> int:
        """The first row of the label that the support vector is, and that isn't taken."""
        vector = self.vectors[s]
        if rows.X is None:
            i = int(vector.get(0, 0)) - 1  # of a precomputed kernel the number of the row
            if 0 <= i < len(y) and y[i] == label:
                return i
        for i, x in enumerate(rows.X or ()):
            free = y[i] == label and not alpha[i]
            if free and all(_same(v, vector.get(j, Fraction(0))) for j, v in enumerate(x, 1)):
                return i
        raise FormatError(
            f"model: support vector {s + 1} is no row of label {label} in the problem"
        )


@dataclass(frozen=True)
class LiblinearModel:
    """A model of LIBLINEAR: a row of weights for each feature, and for the bias if it has one."""

    header: Mapping[str, Sequence[str]]
    weights: list[list[Fraction]]

    def answer(self, problem: Record | str) -> dict[str, object]:
        """W for `svm.multiclass`, w (and b of a penalised bias) for `svm.binary`.

        A bias other than that of a penalised column of ones is the last column of the problem.
        """
        solver = self.header["solver_type"][0]
        family = "svm.multiclass" if solver == "MCSVM_CS" else "svm.binary"
        record, _ = _problem(problem, family)
        y = _texts(record["y"], "problem.y")
        labels = list(self.header["label"])
        columns = [list(column) for column in zip(*self.weights)]
        width, bias = len(items(items(record["X"], "problem.X")[0], "problem.X[0]")), False
        if family == "svm.binary" and record.get("bias", True) is not False:
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
        if family == "svm.multiclass":
            if len(columns) == 1:
                columns = [[v / 2 for v in columns[0]], [-v / 2 for v in columns[0]]]
            order = _classes(record, y)
            if sorted(order) != sorted(labels):
                raise FormatError(f"model: labels {' '.join(labels)}, the problem has {order}")
            W = [columns[labels.index(label)] for label in order]
            return {"W": [list(map(number_text, w)) for w in W]}
        negative, positive = _classes(record, y)
        if positive not in labels or (len(labels) == 2 and negative not in labels):
            raise FormatError(f"model: no label {positive!r} in {' '.join(labels)}")
        flip = -1 if len(labels) == 2 and positive == labels[1] else 1
        w = columns[0 if len(labels) == 2 else labels.index(positive)]
        found = [number_text(flip * v) for v in w]
        return {"w": found[:-1], "b": found[-1]} if bias else {"w": found}


@dataclass(frozen=True)
class RpartTree:
    """A tree of rpart: its nodes by number, of which the children are 2n and 2n + 1."""

    nodes: Mapping[int, tuple[str, ...]]

    def answer(self, problem: Record | str) -> dict[str, object]:
        """The tree for `tree.grow`; the problem's `columns` have the names that rpart saw."""
        record, _ = _problem(problem, "tree.grow")
        names = read_cells(record).columns
        nodes = []
        for n, (label, column, direction, split) in self.nodes.items():
            node: dict[str, object] = {"number": n, "label": label}
            if column != "<leaf>":
                if column not in names:
                    raise FormatError(f"model: node {n}: {column!r} is none of the columns")
                yes, no = 2 * n, 2 * n + 1
                question: dict[str, object] = {"column": column}
                if direction in ("-1", "1"):  # those below go left for −1, right for 1
                    question |= {"threshold": split, "strict": True}
                    yes, no = (yes, no) if direction == "-1" else (no, yes)
                else:
                    question |= {"values": split.split("|")}
                node |= {"question": question, "positive": yes, "negative": no}
            nodes.append(node)
        return {"tree": {"nodes": nodes}}


Model = LibsvmModel | LiblinearModel | RpartTree


def read_model(text: str) -> Model:
    """The model of LIBSVM, LIBLINEAR or rpart in a text; its `answer(problem)` is what to check.

    Raises `FormatError` naming the line where the file is cut or isn't understood.

    >>> lines = "solver_type L2R_L1LOSS_SVC_DUAL", "nr_class 2", "label 1 -1", "nr_feature 1"
    >>> file = "\\n".join([*lines, "bias -1", "w", "1"])
    >>> problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1, "bias": False}
    >>> read_model(file).answer(problem)
    {'w': ['1']}
    """
    if not isinstance(text, str):
        raise FormatError(f"model: expected text, got {type(text).__name__}")
    lines = text.rstrip("\n").split("\n")
    first = lines[0].split(" ")[0].strip()
    if first == TREE:
        return _tree(lines[1:])
    if first == "svm_type":
        return _libsvm(lines)
    if first == "solver_type":
        return _liblinear(lines)
    raise FormatError(
        f"model: neither of LIBSVM (svm_type …), LIBLINEAR (solver_type …) nor rpart: {first!r}"
    )


def _libsvm(lines: Sequence[str]) -> LibsvmModel:
    header, rest = _header(
        lines, "SV", ("kernel_type", "nr_class", "total_sv", "rho", "label", "nr_sv")
    )
    if header["svm_type"] != ["c_svc"]:
        raise FormatError(f"model: svm_type {' '.join(header['svm_type'])}; only c_svc is judged")
    k, total = int(header["nr_class"][0]), int(header["total_sv"][0])
    _check_counts(header, {"label": k, "nr_sv": k, "rho": k * (k - 1) // 2})
    if len(rest) != total or sum(map(int, header["nr_sv"])) != total:
        raise FormatError(f"model: total_sv is {total}, but {len(rest)} support vectors follow")
    coefficients, vectors = [], []
    for i, line in enumerate(rest, len(lines) - len(rest) + 1):
        words = line.split()
        pairs = [word.partition(":") for word in words[k - 1 :]]
        if len(words) < k - 1 or not all(colon and key.isdigit() for key, colon, _ in pairs):
            raise FormatError(f"model: line {i}: expected {k - 1} numbers, then index:value")
        coefficients.append([_number(word, f"model: line {i}") for word in words[: k - 1]])
        vectors.append({int(key): _number(v, f"model: line {i}") for key, _, v in pairs})
    return LibsvmModel(header, coefficients, vectors)


def _liblinear(lines: Sequence[str]) -> LiblinearModel:
    known = {"L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL", "MCSVM_CS"}
    header, rest = _header(lines, "w", ("nr_class", "label", "nr_feature", "bias"))
    if header["solver_type"][0] not in known:
        raise FormatError(f"model: solver_type {header['solver_type'][0]} has no family")
    k, d = int(header["nr_class"][0]), int(header["nr_feature"][0])
    _check_counts(header, {"label": k})
    d += _number(header["bias"][0], "model: bias") >= 0
    if len(rest) != d:
        raise FormatError(f"model: expected {d} lines of weights, got {len(rest)}")
    start = len(lines) - len(rest) + 1
    weights = [
        [_number(word, f"model: line {i}") for word in line.split()]
        for i, line in enumerate(rest, start)
    ]
    wide = 1 if k == 2 and len(weights[0]) == 1 else k
    for i, row in enumerate(weights, start):
        if len(row) != wide:
            raise FormatError(f"model: line {i}: expected {wide} weights, got {len(row)}")
    return LiblinearModel(header, weights)


def _tree(lines: Sequence[str]) -> RpartTree:
    nodes: dict[int, tuple[str, ...]] = {}
    for i, line in enumerate(lines, 2):
        number, *cells = line.split("\t")
        if not number.isdigit() or len(cells) not in (3, 4):
            raise FormatError(f"model: line {i}: expected node, label, column, direction and split")
        nodes[int(number)] = (*cells, *[""] * (4 - len(cells)))
    for n, (_, column, *_) in nodes.items():
        if column != "<leaf>" and not {2 * n, 2 * n + 1} <= nodes.keys():
            raise FormatError(f"model: node {n} has no children {2 * n} and {2 * n + 1}")
    return RpartTree(nodes)


def _header(
    lines: Sequence[str], last: str, required: Sequence[str]
) -> tuple[dict[str, list[str]], Sequence[str]]:
    """The fields up to the line that begins the numbers, and the lines after it."""
    header: dict[str, list[str]] = {}
    for i, line in enumerate(lines):
        name, *values = line.split()
        if name == last and not values:
            missing = [field for field in required if not header.get(field)]
            if missing:
                raise FormatError(f"model: no line {missing[0]!r} before {last!r}")
            return header, lines[i + 1 :]
        header[name] = values
    raise FormatError(f"model: cut off after line {len(lines)}; there is no line {last!r}")


def _check_counts(header: Mapping[str, Sequence[str]], counts: Mapping[str, int]) -> None:
    for name, count in counts.items():
        if len(header[name]) != count:
            raise FormatError(f"model: {name}: expected {count} values, got {len(header[name])}")


def _number(word: str, place: str) -> Fraction:
    """A number of 17 digits, which is the binary64 that it was written from."""
    try:
        return Fraction(float(exact(word)))
    except (RefmcError, OverflowError):
        raise FormatError(f"{place}: expected a number, got {shown(word)}") from None


def _of_rbf(record: Record) -> Rows | None:
    """The rows and the kernel of a problem with an RBF kernel, which no judge takes."""
    given = record.get("kernel")
    if not isinstance(given, Mapping) or given.get("name") != "rbf" or "gram" in record:
        return None
    return Rows(matrix(record.get("X"), "problem.X"), None, read_kernel(given))


def _same(value: Fraction, written: Fraction) -> bool:
    return written == value or written == Fraction(float(f"{float(value):.{SPARSE_DIGITS}g}"))


def _problem(problem: Record | str, family: str) -> tuple[Record, object]:
    record, found = read_record(problem)
    if record["family"] != family:
        raise FormatError(f"model: answers {family}, but the problem is {record['family']}")
    return record, found


def _texts(labels: object, place: str) -> list[str]:
    return [str(label) for label in items(labels, place)]


def _classes(record: Record, y: Sequence[str]) -> list[str]:
    """The labels in the order of the problem's classes."""
    if "classes" in record:
        return _texts(record["classes"], "problem.classes")
    _, order = read_codes(record, len(y))
    return list(map(str, order))
