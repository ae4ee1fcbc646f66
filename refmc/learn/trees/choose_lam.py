"""Choosing λ by cross-validation.

[lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"], which says no more than
that λ is determined by n-fold cross-validation. Differs from the lecture: the candidates, the
scale of λ, the one-standard-error rule and the settling of ties are taken from Breiman, Friedman,
Olshen and Stone, "Classification and Regression Trees", with arithmetic means of neighbouring λ's
in place of geometric ones, which aren't rational.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from refmc.core.cells import Table
from refmc.core.logs import Log
from refmc.core.parameters import map_of
from refmc.core.sample import Label, Labels, row_weights
from refmc.core.scalars import ArrayLike, Number, as_sequence, shown
from refmc.errors import DataError, ParameterError
from refmc.learn.folds import check_folds
from refmc.learn.trees.measures import at_least_0
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.prune import Lam, PruningStep, prune, pruning_sequence, step_at
from refmc.theory.averages import ROWS, check_average, mean
from refmc.theory.costs import RowCosts
from refmc.theory.impurity import Impurity

if TYPE_CHECKING:
    from concurrent.futures import Executor

Grow = Callable[..., DecisionTree]
"""Grows a tree from rows and labels, and from weights= where there are any."""

SUM, MEAN = "sum", "mean"


@dataclass(frozen=True)
class LamChoice:
    """The λ that cross-validation chose, and what it was chosen by.

    `lam`: λ on the `scale` that was asked for; `prune_at`: the same for `prune`, on the scale of
    |n|F(n). `tree`: the tree of the whole sample, pruned so. `sequence`: the whole sample's pruning
    sequence. `lams`: the candidates in increasing order; `errors`: the mean held-out loss of each;
    `squared_standard_errors`: the squares of the standard errors of those means.
    """

    lam: Lam
    scale: str
    prune_at: Lam
    tree: DecisionTree
    sequence: tuple[PruningStep, ...]
    lams: tuple[Lam, ...]
    errors: tuple[Fraction, ...]
    squared_standard_errors: tuple[Fraction, ...]


def choose_lam(
    X: Table,
    y: Labels,
    *,
    grow: Grow,
    folds: Iterable[Sequence[int]],
    risk: Impurity | None = None,
    lams: Sequence[Number | Log] | None = None,
    scale: str = MEAN,
    average: str = ROWS,
    weights: Sequence[Any] | ArrayLike | None = None,
    cost: RowCosts | None = None,
    one_standard_error: bool = False,
    executor: Executor | None = None,
) -> LamChoice:
    """Choose λ by n-fold cross-validation: the candidate with the least held-out loss.

    X, y: the sample. `grow`: a function of rows and labels that grows a tree, such as
    `partial(grow_tree, impurity=entropy)`; with costs fix its `classes` too. `folds`: for each
    fold the positions of the rows that are held out; no row twice. `risk`: as for
    `pruning_sequence`. `lams`: the candidates; by default the middle of each interval of λ in
    which the whole sample's tree stays the same, and the λ that leaves the root alone.

    `scale`: "mean", λ is for each unit of the weight of all rows, so that the trees of the folds,
    which have fewer rows, are pruned as the whole sample's is; or "sum", as `pruning_sequence` has
    it, the same λ beside sums over fewer rows.

    The loss of a row is 1 for a wrong label, or the label's cost if there are costs.
    `average`: "rows", each row counts the same in the mean, or "folds", each fold does. `weights`:
    one non-negative number for each row, as if the row stood there so many times: they are given to
    `grow` as weights=, and weigh the losses. `cost`: `row_costs`; `grow` is given those of its rows
    as cost=. Costs of any other kind are fixed in `grow`.

    Ties go to the largest λ, so to the smaller tree. `one_standard_error` takes the largest λ whose
    mean loss is at most one standard error above the least; the comparison is of squares, exactly.
    `executor`: any of `concurrent.futures` or like it, for the folds; as for `cross_validate`.
    Raises `DataError` and `ParameterError`. Cost: for each fold a tree is grown and pruned, and
    each distinct pruned tree predicts.

    >>> from refmc.learn.trees.grow import grow_tree
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["a", "a", "a", "b", "b", "b"]
    >>> choice = choose_lam(X, y, grow=grow_tree, folds=[[0, 3], [1, 4], [2, 5]])
    >>> choice.lams, choice.errors
    ((Fraction(1, 4), Fraction(1, 2)), (Fraction(1, 6), Fraction(1, 2)))
    >>> print(choice.tree.to_text())
    x0 ≤ 3? [3, 3]
      no: b [0, 3]
      yes: a [3, 0]
    """
    rows = as_sequence(X, "X: expected a sequence")
    labels = as_sequence(y, "y: expected a sequence")
    _check(rows, labels, cost, scale)
    check_average(average)
    own = None if weights is None else row_weights(weights, len(rows))
    held_out = check_folds(list(folds), len(rows), cover=False)

    def grower(part: Sequence[int]) -> partial[DecisionTree]:
        """Grows the tree of these rows; unlike a closure it can be sent to another process."""
        options: dict[str, Any] = {} if own is None else {"weights": [own[i] for i in part]}
        if cost is not None:
            options["cost"] = cost.of(part)
        return partial(grow, [rows[i] for i in part], [labels[i] for i in part], **options)

    sequence = pruning_sequence(grower(range(len(rows)))(), risk=risk)
    unit = _unit(sequence, scale)
    given = None if lams is None else sorted(at_least_0(lam, "lams") for lam in lams)
    candidates = _candidates(sequence, unit) if given is None else given
    if not candidates:
        raise ParameterError("lams: expected at least one candidate, got none")
    kept = [[i for i in range(len(rows)) if i not in held] for held in map(set, held_out)]
    tests = [
        ([rows[i] for i in fold], [labels[i] for i in fold], cost and cost.of(fold))
        for fold in held_out
    ]
    of_fold = partial(_losses_of_fold, risk, scale, candidates)
    # For each fold, and for each candidate, the losses of the rows that were held out.
    losses = list(map_of(executor)(of_fold, map(grower, kept), tests))
    own_weights = [1] * len(rows) if own is None else own
    shares = [[Fraction(own_weights[i]) for i in fold] for fold in held_out]
    errors, squares = zip(*(_mean_and_square(of_lam, shares, average) for of_lam in zip(*losses)))
    lam = candidates[_choice(errors, squares, one_standard_error)]
    tree = prune(sequence, lam * unit)
    return LamChoice(lam, scale, lam * unit, tree, sequence, tuple(candidates), errors, squares)


def _check(X: Sequence[Any], y: Sequence[Any], cost: RowCosts | None, scale: str) -> None:
    if len(X) != len(y):
        raise DataError(f"y: expected {len(X)} labels, one a row, got {len(y)}")
    if cost is not None and not isinstance(cost, RowCosts):
        raise ParameterError("cost: expected row_costs; costs of any other kind are fixed in grow")
    if cost is not None and len(cost.rows) != len(X):
        raise ParameterError(f"cost: expected {len(X)} rows, one a row of X, got {len(cost.rows)}")
    if scale not in (SUM, MEAN):
        raise ParameterError(
            f"scale: expected 'mean', λ for each unit of weight, or 'sum', got {shown(scale)}"
        )


def _losses_of_fold(
    risk: Impurity | None,
    scale: str,
    candidates: Sequence[Any],
    grow: Callable[[], DecisionTree],
    test: tuple[Sequence[Any], Sequence[Any], RowCosts | None],
) -> list[list[Fraction]]:
    """For each λ the losses of the rows that are held out, by the tree of the others."""
    steps = pruning_sequence(grow(), risk=risk)
    unit = _unit(steps, scale)
    chosen = [step_at(steps, lam * unit) for lam in candidates]
    # Many candidates have the same tree, which predicts once.
    known = {size: _losses(step, *test) for size, step in {s.size: s for s in chosen}.items()}
    return [known[step.size] for step in chosen]


def _unit(sequence: Sequence[PruningStep], scale: str) -> Fraction:
    """The factor that takes λ from its `scale` to the scale of |n|F(n)."""
    return Fraction(sequence[0].whole.root.size) if scale == MEAN else Fraction(1)


def _candidates(sequence: Sequence[PruningStep], unit: Fraction) -> list[Lam]:
    middles: list[Any] = [(a.lam + b.lam) / 2 for a, b in pairwise(sequence)]
    return [lam / unit for lam in (*middles, sequence[-1].lam)]


def _losses(
    step: PruningStep, X: Sequence[Any], y: Sequence[Label], cost: RowCosts | None
) -> list[Fraction]:
    tree = step.tree
    predicted = tree.predict(X)
    if cost is not None:
        positions = map(tree.classes.index, predicted)
        return [Fraction(row[j]) for row, j in zip(cost.rows, positions)]
    if tree.cost is None:
        return [Fraction(label != true) for label, true in zip(predicted, y)]
    at = {label: position for position, label in enumerate(tree.classes)}
    for true in y:
        if true not in at:
            raise ParameterError(f"grow: with costs give classes=; {shown(true)} is in no row")
    return [tree.cost[at[label]][at[true]] for label, true in zip(predicted, y)]


def _mean_and_square(
    losses: Sequence[Sequence[Fraction]], shares: Sequence[Sequence[Fraction]], average: str
) -> tuple[Fraction, Fraction]:
    """The mean loss, and the squared standard error of that mean.

    losses, shares: for each fold the losses of its rows, and what each of them weighs. The square
    is the variance of what is averaged divided by its number; of 0-1 losses p(1 − p)/m.
    """
    if average == ROWS:
        values, weights = list(chain(*losses)), list(chain(*shares))
    else:
        values = [Fraction(mean(*fold)) for fold in zip(losses, shares) if any(fold[1])]
        weights = [Fraction(1)] * len(values)
    error, squares = Fraction(mean(values, weights)), mean([v * v for v in values], weights)
    return error, (Fraction(squares) - error * error) / sum(weights)


def _choice(errors: Sequence[Fraction], squares: Sequence[Fraction], one_error: bool) -> int:
    """The position of the chosen candidate; of several that will do the last one.

    >>> errors, squares = [Fraction(0), Fraction(1, 2), Fraction(1)], [Fraction(1, 4)] * 3
    >>> _choice(errors, squares, False), _choice(errors, squares, True)
    (0, 1)
    """
    least = max(i for i, error in enumerate(errors) if error == min(errors))
    if not one_error:
        return least
    above = (error - errors[least] for error in errors)
    return max(i for i, rise in enumerate(above) if rise * rise <= squares[least])
