"""The parts that saved models of kernel methods have in common: the kernel and its rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from refmc.core.sample import Rows
from refmc.core.saving import SavedFields
from refmc.errors import FormatError, ParameterError
from refmc.theory.kernels import Kernel, is_known, kernel_from_json, linear


def saved_kernel(kernel: Kernel | None) -> dict[str, object] | None:
    """A kernel of refmc's as its record, none as null; else `ParameterError`.

    >>> saved_kernel(linear)
    {'name': 'linear'}
    """
    if kernel is None:
        return None
    if not is_known(kernel):
        raise ParameterError(f"kernel: {kernel!r} can't be saved; only refmc's own kernels can")
    record: dict[str, object] = cast("Any", kernel).to_json()  # the known kernels have it
    return record


def read_kernel_and_rows(fields: SavedFields) -> tuple[Kernel | None, Rows | None]:
    """`kernel` and `rows` of a saved model; both are null where a Gram matrix was given.

    The rows may be left out where the model has weights, since these predict.
    """
    kernel = None
    if fields.record["kernel"] is not None:
        try:
            kernel = kernel_from_json(fields.record["kernel"])
        except FormatError as error:
            raise FormatError(f"model.{error}") from None
    rows = fields.unless_null(fields.rows, "rows")
    has_weights = "w" in fields.record or "W" in fields.record
    if (kernel is None) != (rows is None) and not (kernel == linear and has_weights):
        raise FormatError("model.rows: expected rows with a kernel, null without")
    return kernel, rows


def check_weights(
    name: str,
    weights: Sequence[Sequence[Any]] | None,
    kernel: Kernel | None,
    rows: Sequence[Sequence[Any]] | None,
) -> None:
    """Refuse weight vectors but for the linear kernel, or of another length than the rows."""
    if (weights is None) != (kernel != linear) or (
        weights and rows and len(weights[0]) != len(rows[0])
    ):
        raise FormatError(
            f"model.{name}: expected weights as long as the rows, for the linear kernel"
        )
