"""Training with an output code: a binary classifier for each column, the nearest row wins.

Covers the scheme of [keshet §1.3]. Legend: see `output_codes` and `output_decoding`.

Differs from the lecture:
- codes that can't work (equal rows, a row of zeros, a column with one sign) are refused;
- columns that are equal, or opposite, are one binary problem, which is trained once;
- a column that has rows on one side only, because classes are missing from the sample, is skipped:
  its score is 0, which adds the same to the distance of every class that the column doesn't leave
  out; a class without rows is never predicted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from refmc.core.parameters import check_function
from refmc.core.records import Record, at
from refmc.core.sample import Labels, Matrix, Row
from refmc.core.saving import read_saved, saved_choice
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError, ParameterError
from refmc.learn.reductions.members import (
    BinaryLearner,
    BinaryStep,
    Reduction,
    Signs,
    ask,
    train_by_code,
)
from refmc.learn.reductions.output_codes import (
    Code,
    Rows,
    code_faults,
    different_columns,
    read_code,
)
from refmc.learn.reductions.output_decoding import Loss, hamming_decoding, loss_decoding, nearest
from refmc.learn.reductions.saving import SHARED, LoadBinary, loaded_reduction, saved_reduction
from refmc.theory.losses import exponential, hinge, logistic, perceptron_loss

if TYPE_CHECKING:
    from concurrent.futures import Executor

KIND = "output-code"
VERSION = 1

LOSSES: dict[str, Loss] = {f.__name__: f for f in (hinge, exponential, logistic, perceptron_loss)}


@dataclass(frozen=True)
class OutputCode(Reduction):
    """A trained output code; see `fit_output_code`.

    `code`: k rows of l entries. `models`: a binary model for each column that is neither equal nor
    opposite to an earlier one, or None where it was skipped. `loss`: that of loss-based decoding,
    None for Hamming decoding.
    """

    code: Rows
    loss: Loss | None

    @property
    def skipped(self) -> tuple[int, ...]:
        """The columns that were skipped, as one of their sides has no rows."""
        columns = enumerate(different_columns(self.code))
        return tuple(s for s, (n, _) in columns if self.models[n] is None)

    def answers(self, x: Row) -> tuple[Any, ...]:
        """f(x): the score of each column, 0 where it was skipped. [keshet §1.3]"""
        return tuple(self._answers(self._read(x)))

    def _answers(self, x: tuple[Any, ...]) -> list[Any]:
        found = ask(self.models, x, self.zero)
        return [found[n] if side > 0 else -found[n] for n, side in different_columns(self.code)]

    def distances(self, x: Row) -> tuple[Any, ...]:
        """d(M(r), f(x)) for each class r. [keshet (1), (2)]"""
        f = self.answers(x)
        if self.loss is None:
            return hamming_decoding(self.code, f)
        return loss_decoding(self.code, f, self.loss)

    def scores(self, x: Row) -> tuple[Any, ...]:
        """Minus the distances, so that the highest is the nearest; −∞ for a class without rows.

        With `exponential` and `logistic` they are rounded, which `predict` and `predict_set` are
        not.
        """
        return self._with_absent(-d for d in self.distances(x))

    def _tied(self, x: tuple[Any, ...]) -> tuple[int, ...]:
        code = tuple(self.code[r] for r in self.present)
        return tuple(self.present[t] for t in nearest(code, self._answers(x), self.loss))

    def to_json(self) -> str:
        """The model as readable JSON, its binary models within; the tie policy is not saved.

        `ParameterError` where a binary model has no `to_json`, or the loss is none of refmc's.
        """
        loss = saved_choice(self.loss, LOSSES, "loss")
        return saved_reduction(self, KIND, VERSION, {"loss": loss, "code": self.code})


def fit_output_code(
    X: Matrix,
    y: Labels,
    binary: BinaryLearner,
    code: Code,
    *,
    loss: Loss | None = None,
    weights: Row | None = None,
    classes: Labels | None = None,
    tie: TiePolicy = first,
    executor: Executor | None = None,
    on_step: Callable[[BinaryStep], None] | None = None,
) -> OutputCode:
    """Train one binary classifier for each column of the code, on the rows that it doesn't omit.

    X: m rows of d numbers; y: m labels; `code`: a row of −1, 0, +1 for each of the classes, in
    their order (`classes` fixes it). In column s a row of class c has the sign M(c, s), and is left
    out where that is 0. `binary(rows, signs)` gives a model that has `decision(x)`, or a function
    of x. `loss`: that of loss-based decoding, `hinge`, `exponential`, `logistic` or another
    function of a margin; None is Hamming decoding. `weights`: a number ≥ 0 for each row, given to
    `binary` as weights=; a row of weight 0 counts as absent. `executor`: one of
    `concurrent.futures` or like it, to train side by side. `on_step` receives a `BinaryStep` for
    each training; its model is None if it is skipped. Columns that are equal or opposite are
    trained once.

    Ties: all nearest rows, one of them by `tie`. Raises `ParameterError` for a code with other
    faults (see `code_faults`) or of other than k rows, `DataError`, and what `binary` raises, with
    a note naming the problem. Cost: l trainings; a prediction asks l models and adds up O(kl)
    distances, O(k³) for the pairs of `all_pairs_code`. [keshet §1.3]

    >>> from fractions import Fraction
    >>> from refmc import fit_hard_svm
    >>> X = [[Fraction(0)], [Fraction(2)], [Fraction(4)]]
    >>> code = [[1, 1], [-1, 1], [-1, -1]]
    >>> model = fit_output_code(X, ["a", "b", "c"], fit_hard_svm, code)
    >>> model.answers([Fraction(3)]), model.predict_set([Fraction(3)])
    ((Fraction(-2, 1), Fraction(0, 1)), ('b', 'c'))
    """
    M = read_code(code)
    faults = replace(code_faults(M), equal_columns=(), opposite_columns=())
    if faults:
        raise ParameterError(f"code: {faults.explain()}")
    if loss is not None:
        check_function(loss, "loss", "a function of a margin, such as hinge, or None")

    def code_of(k: int) -> Iterable[Signs]:
        if len(M) != k:
            raise ParameterError(f"code: expected {k} rows, one a class, got {len(M)}")
        columns: dict[int, tuple[int, ...]] = {}
        for (n, _), column in zip(different_columns(M), zip(*M)):
            columns.setdefault(n, column)
        return columns.values()

    trained = train_by_code(X, y, binary, code_of, weights, classes, tie, executor, on_step)
    return OutputCode(**vars(trained), code=M, loss=loss)


def output_code_from_record(record: Record, tie: TiePolicy, load: LoadBinary) -> OutputCode:
    """The model that `to_json` wrote; `load` reads a binary model from its record."""
    saved = read_saved(record, KIND, VERSION, ["loss", "code", *SHARED])
    M: Rows = at("model.code", lambda: read_code(saved.entries("code")))
    if len(M) != len(saved.classes):
        raise FormatError(
            f"model.code: expected {len(saved.classes)} rows, one a class, got {len(M)}"
        )
    trainings = len({n for n, _ in different_columns(M)})
    loss = saved.unless_null(saved.choice, "loss", LOSSES)
    return OutputCode(**vars(loaded_reduction(saved, trainings, tie, load)), code=M, loss=loss)
