"""Decision stumps: one question, a sign for each label, and all stumps of the least error.

Covers the boosting stumps of [lu, "AdaBoost.MH : Multi-Class Hamming Loss"] and the choice of
the base classifier in line 5 of [lu, "The AdaBoost.MH Algorithm"].

Differs from the lecture: base classifiers of label sets are h(x, l) = v_l φ(x), with one question
φ for all labels and one sign v_l each; φ ≡ +1 gives the constants. Two-sided stumps have a sign
for each label and answer, free of each other, as the two leaves of a tree do.

Tie rule: candidates stand in the order of columns, within one by threshold or set, the constant
last; a sign that makes no difference is +1 and listed as free.

Legend: m rows x_i; k labels l; D(i, l) the weights; c_il = ±1 what is right; φ(x) = +1 where
the answer is yes, else −1; r_l = Σ_i D(i, l) c_il φ(x_i). The error of the best signs is
ε = ½ (Σ D − Σ_l |r_l|), so the largest edge Σ_l |r_l| wins.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, chain, pairwise
from typing import Any

from refmc.core.cells import (
    NUMBER,
    Categories,
    Column,
    SortedColumns,
    Table,
    is_unseen,
    read_cells,
    read_row_of_cells,
    sort_columns,
)
from refmc.core.labels import read_two_classes
from refmc.core.linalg import total
from refmc.core.records import Record
from refmc.core.sample import Label, Labels, in_whole_numbers, row_weights
from refmc.core.saving import SavedFields, model_text, read_saved
from refmc.core.scalars import is_exact
from refmc.core.ties import TiePolicy, argmax_set, check_policy, first
from refmc.drawn import Exported
from refmc.errors import DataError, FormatError
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion

KIND, VERSION = "stump", 2

MAX_CATEGORIES = 12
"""The most categories of one column: q of them have 2^(q−1) − 1 sets to ask for."""

Question = NumericQuestion | CategoricalQuestion

ROUNDOFF = 2.0**-53
"""The unit roundoff: the largest relative error of one rounding to a float."""


@dataclass(frozen=True, slots=True)
class Stump:
    """h(x, l) = v_l φ(x): `question` φ (None is φ ≡ +1), and `signs` v, one for each label.

    `free`: the labels l whose sign makes no difference to the error. `otherwise`: the signs of rows
    that answer no; None stands for −v.

    >>> Stump(NumericQuestion(0, 2), (1, -1)).answer([3])
    (-1, 1)
    """

    question: Question | None
    signs: tuple[int, ...]
    free: tuple[int, ...] = ()
    otherwise: tuple[int, ...] | None = None

    def answer(self, x: Sequence[Any], categories: Categories = ()) -> tuple[int, ...]:
        """The k signs h(x, ·), or zeros if the stump asks about a category that is unseen.

        `categories`: those that the training rows had in each column; without them none is unseen.
        """
        question = self.question
        if (
            isinstance(question, CategoricalQuestion)
            and categories
            and is_unseen(x, question.column, categories)
        ):
            return (0,) * len(self.signs)
        if question is None or question.ask(x):
            return self.signs
        return self.otherwise or tuple(-v for v in self.signs)


@dataclass(frozen=True)
class FittedStump(Exported):
    """A stump of two classes; see `fit_stump`.

    `classes`: (negative, positive). `epsilon`: the weighted error over the sum of weights.
    `tied`: all stumps of that error, one for each question. `categories`: for each column the
    categories that the training rows had in it, None for numbers; for any other category both
    labels tie, as they do in trees.
    """

    classes: tuple[Label, Label]
    stump: Stump
    epsilon: float | Fraction
    tied: tuple[Stump, ...]
    kinds: tuple[str, ...]
    categories: Categories

    def scores(self, x: Sequence[Any]) -> tuple[int, int]:
        """(−1, 1) on the positive side, (1, −1) on the negative, (0, 0) for an unseen category."""
        (sign,) = self.stump.answer(read_row_of_cells(x, self.kinds), self.categories)
        return (-sign, sign)

    def predict_set(self, x: Sequence[Any]) -> tuple[Label, ...]:
        """The label on x's side, or both for an unseen category.

        >>> fit_stump([["p"], ["q"]], [-1, 1]).predict_set(["never seen"])
        (-1, 1)
        """
        return tuple(self.classes[c] for c in argmax_set(self.scores(x)))

    def predict(self, X: Table) -> list[Label]:
        """One label for each row, the negative one for an unseen category."""
        return [self.predict_set(row)[0] for row in read_cells(X, self.kinds)]

    def to_json(self) -> str:
        """The model as readable JSON."""
        parts = {
            "kinds": self.kinds,
            "categories": self.categories,
            "stump": saved_stump(self.stump),
            "epsilon": self.epsilon,
            "tied": [saved_stump(stump) for stump in self.tied],
        }
        return model_text(KIND, VERSION, self.epsilon, self.classes, parts)


def fit_stump(
    X: Table | SortedColumns,
    y: Labels,
    *,
    weights: Any = None,
    classes: Labels | None = None,
    categorical: Sequence[int] = (),
    tie: TiePolicy = first,
) -> FittedStump:
    """The decision stump of least weighted error, and all that tie with it.

    X: m rows of numbers and categories, or `sort_columns(X)`, which sorts them once for many
    calls; y: −1 and +1, or any two labels named by classes=(negative, positive); weights: one a
    row, at least 0; `categorical`: positions of columns of strings that are names although all
    of them are numbers. Nothing is rounded: float weights count as the rationals that they are, and
    only ε becomes a float again. `tie` picks among `tied`, which stand in the module's order.

    Raises `DataError`, `ParameterError`, `MixedArithmeticError`. Cost: O(Nm) once sorted.
    [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]

    >>> X = [[Fraction(v)] for v in (0, 1, 2, 3)]
    >>> model = fit_stump(X, [1, 1, -1, 1])
    >>> model.epsilon, [stump.question for stump in model.tied]
    (Fraction(1, 4), [NumericQuestion(column=0, threshold=Fraction(1, 1)), None])
    """
    check_policy(tie, "tie")
    data = X if isinstance(X, SortedColumns) else sort_columns(X, categorical)
    signs, order = read_two_classes(y, classes, len(data.rows))
    given, exact = stump_weights(weights, data)
    whole, _ = in_whole_numbers(given)
    tied = best_stumps(data, [list(map(operator.mul, whole, signs))])
    stump = tied[tie(tuple(range(len(tied))))]
    answers = [stump.answer(x)[0] for x in data.rows]
    wrong = sum(w for w, h, c in zip(whole, answers, signs) if h != c)
    share = Fraction(wrong, sum(whole))
    epsilon = share if exact else float(share)
    return FittedStump(order, stump, epsilon, tied, data.kinds, data.categories())


def stump_weights(weights: object, data: SortedColumns) -> tuple[tuple[Any, ...], bool]:
    """The weight of each row, 1 for None, and whether all is to be computed exactly."""
    m = len(data.rows)
    found = (1,) * m if weights is None else row_weights(weights, m)
    named = ((f"weights: row {i}", weight) for i, weight in enumerate(found))
    return found, is_exact([*data.numbers(), *named])


def best_stumps(
    data: SortedColumns, signed: Sequence[Sequence[Any]], doubt: float = 0, two_sided: bool = False
) -> tuple[Stump, ...]:
    """All stumps of the largest edge, one for each question, in the module's order.

    signed: for each label the m numbers D(i, l) c_il, all whole numbers (then exact) or all floats.
    Edges at most `doubt` below the largest are kept too. `two_sided`: a sign for each label and
    answer instead of v_l φ; r_l then splits into the sum over the rows of either answer, and both
    count in absolute value. Running sums in float only choose candidates, by a proven bound on
    their roundings; the r_l of these are computed exactly and rounded once. Cost: O(Nmk), however
    many stumps tie. [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]

    >>> best_stumps(sort_columns([[0], [1]]), [[-2, 1], [2, -1]])[0].question
    NumericQuestion(column=0, threshold=0)
    """
    m, k = len(data.rows), len(signed)
    columns = [_ColumnQuestions(j, *pair) for j, pair in enumerate(zip(data.kinds, data.columns))]
    rough = [column.edges(signed, two_sided) for column in columns]
    least = max((max(edges) for edges in rough if edges), default=0) - doubt
    whole, unit = signed, None
    if isinstance(signed[0][0], float):
        flat, unit = in_whole_numbers([v for c in signed for v in c])
        whole = [flat[i : i + m] for i in range(0, m * k, m)]
        # The largest edge and another one are compared: each is a Σ_l |2P_l − total_l|, off by at
        # most 4m + 2k + 8 roundings.
        size = float(sum(map(abs, flat)) * unit)
        least -= 2 * (4 * m + 2 * k + 8) * ROUNDOFF * size
    totals = [sum(c) for c in whole]
    candidates = []
    for column, edges in zip(columns, rough):
        positions = [position for position, edge in enumerate(edges) if edge >= least]
        sums = list(zip(*map(column.sums, whole))) if positions else []
        for position in positions:
            yes, no = sums[position], list(map(operator.sub, totals, sums[position]))
            question = column.question(position)
            candidates.append(_with_signs(question, yes, no, unit, doubt, two_sided))
    candidates.append(_with_signs(None, totals, [0] * k, unit, doubt, False))
    best = max(edge for _, edge in candidates)
    return tuple(stump for stump, edge in candidates if edge >= best - doubt)


def _with_signs(
    question: Question | None,
    yes: Sequence[int],
    no: Sequence[int],
    unit: Fraction | None,
    doubt: float,
    two_sided: bool,
) -> tuple[Stump, Any]:
    """The stump of the question with the best signs, and its edge.

    yes, no: for each label the sum of the signed weights of the rows with that answer. unit: what
    these sums are multiples of, if the weights are floats; None for whole numbers.
    """

    def size(r_l: int) -> Any:
        """|r_l| in the arithmetic of the weights: exact, or the nearest float."""
        return abs(r_l) if unit is None else abs(r_l) * unit.numerator / unit.denominator

    sides = [yes, no] if two_sided else [list(map(operator.sub, yes, no))]
    sizes = [list(map(size, side)) for side in sides]
    signs = [tuple(1 if r_l >= 0 else -1 for r_l in side) for side in sides]
    free = tuple(l for l, own in enumerate(zip(*sizes)) if 2 * min(own) <= doubt)
    edge = (sum if unit is None else math.fsum)(chain.from_iterable(sizes))
    return Stump(question, signs[0], free, signs[1] if two_sided else None), edge


class _ColumnQuestions:
    """The questions that a stump can ask about a column, each with the rows that answer yes.

    The largest value is no threshold, as every row would answer yes. Of a set of categories and its
    complement only the one without the first category is asked: the other needs just other signs.
    """

    def __init__(self, j: int, kind: str, column: Column) -> None:
        self._j, self._column, self._is_number = j, column, kind == NUMBER
        if not self._is_number and len(column.values) > MAX_CATEGORIES:
            raise DataError(
                f"X: column {j} has {len(column.values)} categories, more than {MAX_CATEGORIES}; "
                "merge some, or give one column of 0 and 1 for each"
            )

    def edges(self, signed: Sequence[Sequence[Any]], two_sided: bool) -> list[Any]:
        """For each question Σ_l |r_l|: r_l = P − (whole_l − P), where P sums the rows of yes."""
        edges: list[Any] = []
        for c in signed:
            whole = total(c, c[0] * 0)
            if two_sided:
                own = [abs(P) + abs(whole - P) for P in self.sums(c)]
            else:
                own = [abs(P + P - whole) for P in self.sums(c)]
            edges = list(map(operator.add, edges, own)) if edges else own
        return edges

    def sums(self, values: Sequence[Any]) -> list[Any]:
        """For each question the sum of `values` over the rows that answer yes."""
        order, ends = self._column.order, self._column.ends
        if self._is_number:
            running = list(accumulate(map(values.__getitem__, order)))
            return [running[end - 1] for end in ends[:-1]]
        over_sets: list[Any] = [0]
        for start, end in pairwise(ends):
            own = total((values[i] for i in order[start:end]), values[0] * 0)
            over_sets += [before + own for before in over_sets]
        return over_sets[1:]

    def question(self, position: int) -> Question:
        """The question whose sum stands at this position in `sums`."""
        values = self._column.values
        if self._is_number:
            return NumericQuestion(self._j, values[position])
        chosen = position + 1
        names = (name for bit, name in enumerate(values[1:]) if chosen >> bit & 1)
        return CategoricalQuestion(self._j, tuple(map(str, names)))


def saved_stump(stump: Stump) -> dict[str, object]:
    """A stump as plain JSON values."""
    from refmc.learn.trees.saving import question_to_record  # few stumps are saved

    question = None if stump.question is None else question_to_record(stump.question)
    signs = {"signs": stump.signs, "free": stump.free, "otherwise": stump.otherwise}
    return {"question": question, **signs}


def read_stump(
    fields: SavedFields, name: str, record: object, kinds: Sequence[str], k: int
) -> Stump:
    """The stump that `saved_stump` wrote, for k labels."""
    from refmc.learn.trees.saving import question_from_record

    inner = fields.inner(name, record, ["question", "signs", "free", "otherwise"])
    signs, free = inner.entries("signs"), inner.entries("free")
    two_sided = inner.record["otherwise"] is not None
    otherwise = inner.entries("otherwise") if two_sided else signs
    for side in (signs, otherwise):
        if len(side) != k or any(type(v) is not int or v not in (-1, 1) for v in side):
            raise FormatError(f"model.{name}: expected {k} signs, -1 or 1, for each answer")
    if any(type(l) is not int or not 0 <= l < k for l in free):
        raise FormatError(f"model.{name}.free: expected labels from 0 to {k - 1}")
    given, place = inner.record["question"], f"model.{name}.question"
    question = None if given is None else question_from_record(given, place, kinds)
    if not isinstance(question, NumericQuestion | CategoricalQuestion | None):
        raise FormatError(f"{place}: expected a question about one column")
    return Stump(question, tuple(signs), tuple(free), tuple(otherwise) if two_sided else None)


def stump_from_record(record: Record, tie: TiePolicy = first) -> FittedStump:
    """The model that `FittedStump.to_json` wrote; `FormatError` names the field that is wrong."""
    names = ["kinds", "stump", "epsilon", "tied"]
    fields = read_saved(record, KIND, VERSION, names, optional=["categories"])
    classes, (kinds, categories) = fields.two_classes(), fields.columns()
    tied = tuple(read_stump(fields, "tied", one, kinds, 1) for one in fields.entries("tied"))
    stump = read_stump(fields, "stump", record["stump"], kinds, 1)
    if stump not in tied:
        raise FormatError("model.tied: expected the stump among those tied with it")
    return FittedStump(classes, stump, fields.number("epsilon"), tied, kinds, categories)
