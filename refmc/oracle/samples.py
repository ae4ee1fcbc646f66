"""Fields that families share: rows, labels, costs, weights, kernels."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from refmc.checker.kernels import LINEAR, Kernel
from refmc.core.records import Record, at_least_0, items
from refmc.core.sample import Label
from refmc.errors import FormatError
from refmc.oracle import forms
from refmc.oracle.costs import read_costs
from refmc.oracle.declaring import claim, part, required
from refmc.oracle.fields import REQUIRED, Choices, Field, Reading, Sizes
from refmc.oracle.reading import (
    Rows,
    one_a_row,
    read_codes,
    read_features,
    read_kernel,
    read_rows_or_gram,
    read_signs,
)


def row_count(reading: Reading) -> int:
    """How many rows a record has, by the field that has them."""
    name = next(name for name in ("features", "gram", "X", "Y", "y") if name in reading.record)
    return len(items(reading.record[name], f"{reading.place}.{name}"))


def rows(reading: Reading) -> Rows:
    """Rows with a kernel, or the Gram matrix; of features the positions of rows stand for them."""
    if "features" in reading.record:
        return Rows([[Fraction(i)] for i in range(reading.of(row_count))], None)
    return read_rows_or_gram(reading.record)


def codes(reading: Reading) -> tuple[tuple[int, ...], tuple[Label, ...]]:
    """The class position of each row, and the labels in order."""
    return read_codes(reading.record, reading.of(row_count))


def signs(reading: Reading) -> tuple[tuple[int, ...], tuple[Label, Label]]:
    """−1 or +1 for each row, and the two labels."""
    return read_signs(reading.record, reading.of(row_count))


def costs(reading: Reading) -> list[list[Fraction]] | None:
    """For each row the cost of predicting each class; None where every mistake costs 1."""
    y, classes = reading.of(codes)
    return read_costs(reading.record, y, len(classes))


def _cost_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    k = range(sizes["classes"])
    costs = ["0", "1", "2", "1/2"]
    return {"cost": [[draws.one_of(costs) if i != j else "0" for j in k] for i in k]}


def _row_costs_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    order, costs = problem.get("classes") or range(sizes["classes"]), ["1", "2", "0", "1/2"]
    return {
        "row_costs": [
            ["0" if c == label else draws.one_of(costs) for c in order] for label in problem["y"]
        ]
    }


def _gram_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    V = draws.rows(sizes["rows"], 2, [-2, -1, 0, 0, 1, 3])
    return {"gram": [[str(sum(a * b for a, b in zip(v, w))) for w in V] for v in V]}


def _signed_names_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    names = draws.one_of([["yes", "no"], ["no", "yes"]])
    return {"classes": names, "y": [names[label == 1] for label in problem["y"]]}


def uniform_cost(problem: Record, sizes: Mapping[str, int]) -> Any:
    """The costs that change nothing: every mistake costs 1."""
    k = range(sizes["classes"])
    return [[int(i != j) for j in k] for i in k]


def uniform_row_costs(problem: Mapping[str, Any], sizes: Mapping[str, int]) -> Any:
    """The same for each row."""
    order = problem.get("classes") or sorted(set(problem["y"]))
    return [[int(c != label) for c in order] for label in problem["y"]]


Y = part("y", forms.LABELS, "m labels", axes=("rows",), default=REQUIRED)
SIGNS = Y._replace(says="m labels, −1 and 1 unless `classes` names others", draws=(-1, 1))
CLASSES = part(
    "classes", forms.LABELS, "the labels in the order that the answer follows; sorted if absent",
    axes=("classes",),
)  # fmt: skip
TWO_CLASSES = CLASSES._replace(says="the negative and the positive label; −1 and 1 if absent",
    draws=_signed_names_drawn,
)  # fmt: skip
COST = part(
    "cost", forms.MATRIX,
    "Δ, k rows of k numbers ≥ 0; a row for what is predicted, a column for what is right",
    axes=("classes", "classes"), draws=_cost_drawn,
)  # fmt: skip
ROW_COSTS = part(
    "row_costs", forms.MATRIX,
    "instead of `cost`: for each row k numbers, what predicting each class costs there, 0 for its "
    "own", axes=("rows", "classes"), draws=_row_costs_drawn,
)  # fmt: skip
X: Field[list[list[Fraction]] | None] = required(
    "X", "m rows of d numbers", forms.MATRIX, lambda value, place, reading: reading.of(rows).X,
    axes=("rows", "columns"), power=1,
)  # fmt: skip
GRAM = part(
    "gram", forms.MATRIX,
    "instead of `X`: m rows of m kernel values, symmetric and positive semi-definite",
    axes=("rows", "rows"), power=2, draws=_gram_drawn,
)  # fmt: skip
FEATURES = claim(
    "features", "instead of `X`: Ψ, for each row and each class a vector, all of one length",
    forms.MATRICES,
    lambda value, place, reading: read_features(reading.record, len(reading.of(codes)[1])),
    axes=("rows", "classes", "features"), power=1,
)  # fmt: skip


def _kernel(value: object, place: str, reading: Reading) -> Kernel | None:
    kernel = read_kernel(value)
    return None if kernel == LINEAR else kernel


KERNEL = claim(
    "kernel", 'beside `X`: `"linear"` or `{"name": "polynomial", "degree": 2, "scale": "1", '
    '"offset": "1"}`, (x·x′/scale + offset)^degree', forms.KERNEL, _kernel,
    draws=[
        {"name": "polynomial", "degree": 3, "scale": "2", "offset": "1"},
        {"name": "polynomial", "degree": 2, "scale": "1", "offset": "0"},
        "linear",
    ],
)  # fmt: skip


def _weights(value: object, place: str, reading: Reading) -> list[Fraction]:
    given = one_a_row(value, place, reading.of(row_count))
    weights = [at_least_0(weight, f"{place}[{i}]") for i, weight in enumerate(given)]
    if not any(weights):
        raise FormatError(f"{place}: all are 0")
    return weights


WEIGHTS = claim(
    "weights", "ω, m numbers ≥ 0, not all 0; a row of weight 0 counts as absent", forms.NUMBERS,
    _weights, axes=("rows",),
    draws=lambda draws, problem, sizes: {
        "weights": [*draws.row(sizes["rows"] - 1, ["1", "1", "1/2", "3", "0"]), "2"]
    },
)  # fmt: skip
