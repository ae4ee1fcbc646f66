"""Mistakes that no family of problems shows: cross-validation, training of codes, claims of ties.

No problem asks for what these mistakes change. So each entry is a pair of functions, the right one
and the mistaken one, with arguments on which the two differ, and others on which they don't.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from operator import add
from random import Random
from typing import Any

from refmc.core.ties import argmin_set
from refmc.learn.boosting.adaboost_mh import fit_adaboost
from refmc.learn.boosting.stumps import fit_stump
from refmc.learn.online.perceptron_multiclass import fit_multiclass_perceptron
from refmc.learn.reductions.output_codes import random_code
from refmc.learn.reductions.output_model import fit_output_code
from refmc.learn.selection import cross_validate, folds
from refmc.learn.trees.grow import grow_tree


@dataclass(frozen=True)
class FunctionMistake:
    """A mistake that no family of problems can show: `right` and `wrong` give different values.

    `why`: why no problem shows it. `arguments` are those on which the two differ.
    """

    id: str
    sentence: str
    breaks: str
    why: str
    right: Callable[..., object]
    wrong: Callable[..., object]
    arguments: tuple[Any, ...]
    silent: tuple[Any, ...]


Rows = Sequence[Sequence[Any]]

NO_RECORD = "no problem is about cross-validation, only about what is trained and judged once"


def _signs_of_votes(X: Rows, y: Sequence[int], x: Sequence[Any]) -> list[Any]:
    return sorted(fit_adaboost(X, y, rounds=2).predict_set(x))


def _zero_is_plus(X: Rows, y: Sequence[int], x: Sequence[Any]) -> list[Any]:
    labels = _signs_of_votes(X, y, x)
    return labels if len(labels) == 1 else [1]


def _trained_rows(y: Sequence[str], code: Rows) -> list[int]:
    """How many rows each column is trained on."""
    seen: list[int] = []

    def binary(rows: Any, signs: Any) -> Any:
        seen.append(len(signs))
        return lambda x: Fraction(0)

    fit_output_code([[Fraction(i)] for i in range(len(y))], y, binary, code)
    return seen


def _rows_as_drawn(k: int, bits: int, seed: int) -> int:
    draws = Random(seed)
    return len({tuple(draws.choice((-1, 1)) for _ in range(bits)) for _ in range(k)})


def _stump_error(X: Rows, y: Sequence[int], parts: int) -> Fraction:
    """The stump's column is chosen anew without each fold."""
    found = cross_validate(X, y, _fit_stump, folds(len(y), parts))
    return Fraction(found.score)


def _fit_stump(X: Any, y: Any, classes: Any) -> Any:
    return fit_adaboost(X, y, rounds=1, classes=classes)


def _error_of_chosen_column(X: Rows, y: Sequence[int], parts: int) -> Fraction:
    """The column that is best on all rows is chosen first, and then validated."""
    question = fit_stump(X, y).stump.question
    column = 0 if question is None else question.column
    return _stump_error([[x[column]] for x in X], y, parts)


def _columns_of_scores(y: Sequence[str], fold: Sequence[int]) -> int:
    """Score columns of a model trained without a fold."""
    found: list[int] = []

    def fit(X: Any, labels: Any, classes: Any) -> Any:
        model = fit_multiclass_perceptron(X, labels, classes=classes)
        found.append(len(model.classes))
        return model

    rest = tuple(i for i in range(len(y)) if i not in fold)
    cross_validate([[Fraction(i)] for i in range(len(y))], y, fit, (tuple(fold), rest))
    return found[0]


def _exact_choice(errors: Sequence[Sequence[str]]) -> tuple[int, ...]:
    """All parameters of the least mean error."""
    return argmin_set([sum(map(Fraction, row)) / len(row) for row in errors])


def _rounded_choice(errors: Sequence[Sequence[str]]) -> tuple[int, ...]:
    # one after another, as a loop adds them up
    return argmin_set([reduce(add, map(float, row)) / len(row) for row in errors])


def _validated(wrong: Sequence[bool], parts: int, average: str) -> Fraction:
    """The error of a model that errs on the given rows, as an average over rows or over folds."""
    X, y = [[Fraction(i)] for i in range(len(wrong))], ["a"] * len(wrong)
    fit: Any = partial(_ErrsOn, wrong)
    found = cross_validate(X, y, fit, folds(len(wrong), parts), average=average, classes=["a", "b"])
    return Fraction(found.score)


class _ErrsOn:
    """A model that predicts b for the rows on which it is to err."""

    def __init__(self, wrong: Sequence[bool], X: Any, y: Any, classes: Any) -> None:
        self.wrong = wrong

    def predict(self, X: Any) -> list[str]:
        return ["b" if self.wrong[int(x[0])] else "a" for x in X]


XOR = [[Fraction(i), Fraction(j)] for i in (0, 1) for j in (0, 1)]

FUNCTIONS = (
    FunctionMistake(
        "tree.tie_called_unique",
        "one of several equally good questions is presented, or tested for, as the only one",
        "lu: arg max is a set",
        "what an answer says of ties isn't judged: any of the tied questions is right",
        lambda X, y: len(grow_tree(X, y).root.tied),
        lambda X, y: 1,
        (XOR, ["a", "b", "b", "c"]),
        ([[Fraction(1)], [Fraction(2)]], ["a", "b"]),
    ),
    FunctionMistake(
        "boost.zero_is_plus",
        "sgn(0) silently counts as +1",
        "lu, AdaBoost.MH, line 12",
        "where votes tie either label is right",
        _signs_of_votes,
        _zero_is_plus,
        (XOR, [1, -1, -1, 1], [Fraction(0), Fraction(0)]),
        ([[Fraction(1)], [Fraction(2)]], [1, -1], [Fraction(1)]),
    ),
    FunctionMistake(
        "code.zero_rows_trained",
        "rows whose class has a 0 in the column are trained on as negatives",
        'keshet §1.3 "omitting all examples"',
        "problems of decoding hold scores; how these were trained isn't judged",
        _trained_rows,
        lambda y, code: [len(y)] * len(code[0]),
        (["a", "b", "c"], [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]),
        (["a", "b"], [[1], [-1]]),
    ),
    FunctionMistake(
        "code.equal_rows",
        "two classes share a row of the code",
        "keshet: each class its row",
        "the code is given by the problem of decoding, whose answer says truly that its rows tie",
        lambda k, bits, seed: len(set(random_code(k, bits, Random(seed)))),
        _rows_as_drawn,
        (8, 4, 0),
        (4, 6, 0),
    ),
    FunctionMistake(
        "cv.remainders_first",
        "all remainders fall into one fold, whose size differs by up to k",
        "refmc: sizes differ by at most 1",
        NO_RECORD,
        lambda m, n: sorted(map(len, folds(m, n))),
        lambda m, n: sorted([m - (n - 1) * (m // n), *[m // n] * (n - 1)]),
        (11, 4),
        (12, 4),
    ),
    FunctionMistake(
        "cv.selection_outside",
        "features are chosen on all rows before the folds",
        "refmc: train without the fold",
        NO_RECORD,
        _stump_error,
        _error_of_chosen_column,
        ([[0, 0], [0, 0], [0, 1], [1, 1]], [-1, -1, 1, 1], 2),
        ([[1], [2], [3], [4]], [1, 1, -1, -1], 2),
    ),
    FunctionMistake(
        "cv.class_missing",
        "a class is absent from a training part and its column is lost",
        "refmc: classes=",
        NO_RECORD,
        _columns_of_scores,
        lambda y, fold: len({label for i, label in enumerate(y) if i not in fold}),
        (["a", "b", "c"], (2,)),
        (["a", "b", "a", "b"], (0, 1)),
    ),
    FunctionMistake(
        "cv.tie_by_rounding",
        "equal errors are told apart by a last digit, and the choice of C or λ follows it",
        "refmc: ties are data",
        NO_RECORD,
        _exact_choice,
        _rounded_choice,
        ([["0.1", "0.2", "0.3"], ["0.3", "0.2", "0.1"]],),
        ([["0.5", "0.25"], ["0.25", "0.5"]],),
    ),
    FunctionMistake(
        "cv.mean_of_means",
        "errors are averaged over folds of unequal size as if they were equal",
        "refmc: every row counts the same",
        NO_RECORD,
        partial(_validated, average="rows"),
        partial(_validated, average="folds"),
        ([True, False, False], 2),
        ([True, False, False, True], 2),
    ),
)
