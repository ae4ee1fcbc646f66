"""AdaBoost, and AdaBoost.MH for label sets.

Covers [lu, "AdaBoost.MH : Multi-Class Hamming Loss"] and [lu, "The AdaBoost.MH Algorithm"].

Differs from the lecture:
- ε = 0 makes α infinite: that base classifier is kept alone and training stops; with ε ≥ ½
  no base classifier has an edge, and training stops with the rounds before;
- D_{t+1} is computed without exp and without Z, which makes it rational (see
  `boosting_weights`), and Z² is kept beside the rounded Z;
- sgn(0) is undefined: both answers tie, and count as wrong on the training sample, for which the
  bound Π Z holds all the same;
- g is a non-negative combination of the base classifiers, convex only after dividing by Σ α;
- row weights other than equal ones are admitted in D_1, and then weigh the loss too.

Tie rule: `choose` picks among the tied base classifiers, which stand in the order of `stumps`,
and `tie` among tied labels. In float mode two stumps can't be told apart where their errors
differ by less than the roundings of D_t and of the sums can make up; both are then tied, and the
round is marked as undecided unless they answer alike on all rows.

Legend: m items, k labels, N columns; t = 1, …, T the rounds; D_t the distribution on items and
labels; h_t the base classifier; ε_t its error; α_t = ½ ln((1 − ε_t)/ε_t); Z_t = 2√(ε_t(1 − ε_t)).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from refmc.core.cells import SortedColumns, Table, sort_columns
from refmc.core.label_sets import LabelSets, read_codes
from refmc.core.logs import Log
from refmc.core.sample import Label, Labels
from refmc.core.scalars import shown, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.core.two_classes import read_two_classes
from refmc.errors import ParameterError
from refmc.learn.boosting.models import (
    AdaBoost,
    AdaBoostMH,
    Answers,
    BoostingRound,
    base_answers,
    vote_weight,
)
from refmc.learn.boosting.stumps import FittedStump, Stump, best_stumps, fit_stump, stump_weights
from refmc.learn.boosting.weights import (
    ExactVotes,
    FloatVotes,
    Votes,
    as_shares,
    first_weights,
    is_subnormal,
    reweighted,
    share,
    weight_where,
)

Weak = Callable[..., Any]
"""weak(X, y, weights=D) → a base classifier, whose predict(X) gives ±1, or k of them, a row."""

_ROUNDOFF = 2.0**-53


@dataclass(frozen=True)
class BoostingStep(BoostingRound[Any]):
    """A finished round, with the distribution that it was trained on.

    `weights`: for each label m numbers in the ratios of D_t.
    """

    weights: tuple[tuple[Any, ...], ...]

    @property
    def D(self) -> tuple[tuple[Any, ...], ...]:
        """D_t: m rows of k weights, which add up to 1."""
        return as_shares(self.weights)


@dataclass(frozen=True)
class _Task:
    """What a run is given: sorted rows, their signs, k of them a row, and how bases are found.

    `is_binary`: a weak learner is given one sign a row, not a list of them.
    """

    data: SortedColumns
    signs: Sequence[tuple[int, ...]]
    is_binary: bool
    weak: Weak | None
    choose: TiePolicy
    two_sided: bool = False


@dataclass(frozen=True)
class _Found:
    base: Any
    tied: tuple[Stump, ...]
    undecided: bool
    answers: Answers


def fit_adaboost(
    X: Table,
    y: Labels,
    *,
    rounds: int,
    weak: Weak = fit_stump,
    weights: Any = None,
    classes: Labels | None = None,
    categorical: Sequence[int] = (),
    choose: TiePolicy = first,
    tie: TiePolicy = first,
    on_step: Callable[[BoostingStep], None] | None = None,
) -> AdaBoost[float] | AdaBoost[Fraction]:
    """Boost a weak learner of two classes for at most `rounds` rounds.

    X: m rows of numbers and categories; y: labels −1 and +1, or any two named by
    classes=(negative, positive). weak: called as weak(X, y, weights=D) with y as ±1 and D of sum
    1; what it gives answers ±1 for each row by `predict(X)`. weights: one a row, at least 0.
    Fractions in X or `weights` make the run exact, for some 12 to 16 rounds. categorical: as for
    `fit_stump`.

    Raises `DataError`, `MixedArithmeticError`, `ParameterError` (a base that answers otherwise),
    `ExactnessLimitError` (see `boosting_weights.MAX_DIGITS`). Cost: O(Nm ln m + NmT) with stumps.
    [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]

    >>> X = [[Fraction(v)] for v in (0, 1, 2, 3)]
    >>> model = fit_adaboost(X, [1, 1, -1, 1], rounds=2)
    >>> [(r.epsilon, str(r.alpha)) for r in model.rounds]
    [(Fraction(1, 4), '1/2·ln(3)'), (Fraction(1, 6), '1/2·ln(5)')]
    """
    check_policy(tie, "tie")
    check_policy(choose, "choose")
    data = sort_columns(X, categorical)
    signs, order = read_two_classes(y, classes, len(data.rows))
    given, exact = stump_weights(weights, data)
    is_default = weak is fit_stump
    rows = [(sign,) for sign in signs]
    task = _Task(data, rows, True, None if is_default else _weak(weak), choose)
    made, stopped = _adaboost_mh(task, given, rounds, exact, on_step)
    zero: Any = Fraction(0) if exact else 0.0
    return AdaBoost(order, made, stopped, data.kinds, data.categories(), zero, tie)


def fit_adaboost_mh(
    X: Table,
    Y: LabelSets,
    *,
    rounds: int,
    weak: Weak | None = None,
    two_sided: bool = False,
    weights: Any = None,
    classes: Labels | None = None,
    categorical: Sequence[int] = (),
    choose: TiePolicy = first,
    tie: TiePolicy = first,
    on_step: Callable[[BoostingStep], None] | None = None,
) -> AdaBoostMH[float] | AdaBoostMH[Fraction]:
    """Boost base classifiers of k labels for at most `rounds` rounds.

    X: m rows of numbers and categories; Y: single labels, label sets, or rows of ±1 or of 0 and 1
    (see `read_codes`). weak: None for stumps h(x, l) = v_l φ(x); else called as
    weak(X, Y, weights=D) with Y and D as m rows of k, D of sum 1; what it gives answers k signs a
    row by `predict(X)`; `on_items` makes one of a binary learner. two_sided: stumps with a sign
    for each label and answer, so that a label may also be constant. weights: one a row, at least 0.

    Raises as `fit_adaboost`. Cost: O(Nm ln m + mkNT) with stumps.
    [lu, "The AdaBoost.MH Algorithm"]

    >>> X = [[Fraction(v)] for v in (0, 1, 2, 3)]
    >>> model = fit_adaboost_mh(X, [0, 0, 1, 2], rounds=1)
    >>> (round_1,) = model.rounds
    >>> round_1.epsilon, str(round_1.alpha), [s.question for s in round_1.tied]
    (Fraction(1, 6), '1/2·ln(5)', [NumericQuestion(column=0, threshold=Fraction(1, 1))])
    """
    check_policy(tie, "tie")
    check_policy(choose, "choose")
    data = sort_columns(X, categorical)
    codes = read_codes(Y, classes, len(data.rows))
    if weak is not None and two_sided:
        raise ParameterError("two_sided: a matter of the stumps; give it or weak=, not both")
    given, exact = stump_weights(weights, data)
    task = _Task(data, codes.rows, False, None if weak is None else _weak(weak), choose, two_sided)
    made, stopped = _adaboost_mh(task, given, rounds, exact, on_step)
    zero: Any = Fraction(0) if exact else 0.0
    return AdaBoostMH(
        codes.classes, made, stopped, codes.target, data.kinds, data.categories(), zero, tie
    )


def _weak(weak: Weak) -> Weak:
    if not callable(weak):
        raise ParameterError(f"weak: expected a function weak(X, y, weights), got {shown(weak)}")
    return weak


def _adaboost_mh(
    task: _Task,
    given: Sequence[Any],
    rounds: int,
    exact: bool,
    on_step: Callable[[BoostingStep], None] | None,
) -> tuple[tuple[BoostingRound[Any], ...], str]:
    """[lu, "The AdaBoost.MH Algorithm"]: the rounds, and why there are no more."""
    T = whole_number(rounds, "rounds", 0)
    m, k = len(task.signs), len(task.signs[0])
    D = D_1 = first_weights(given, k, exact)
    votes: Votes = ExactVotes(m, k) if exact else FloatVotes(m, k)
    made: list[BoostingRound[Any]] = []

    for t in range(1, T + 1):
        # A float of D_t has t roundings behind it, its part of an edge as many and k + 2 more of
        # the sums: two edges are known to differ only beyond twice that, over Σ D = 1.
        doubt = 0 if exact else (4 * t + 2 * k + 4) * _ROUNDOFF
        found = _find(task, D, t, doubt)
        right = _right(found.answers, task.signs)
        R = weight_where(D, right)
        E = weight_where(D, [[not ok for ok in row] for row in right])
        if R - E <= doubt:
            return tuple(made), f"round {t}: no base classifier errs on less than 1/2 of the weight"
        epsilon = Fraction(E, E + R) if exact else E
        alpha = vote_weight(epsilon)
        if alpha is not None:
            votes.add(alpha, right)
        wrong = votes.wrong() if alpha is not None else [[False] * m] * k
        made.append(_finished(t, epsilon, alpha, found, share(D_1, wrong), made))
        if on_step is not None:
            on_step(BoostingStep(**vars(made[-1]), weights=tuple(map(tuple, D))))
        if alpha is None:
            return (made[-1],), f"round {t}: the base classifier errs nowhere and is kept alone"
        if t < T:
            D = reweighted(D, right, E, R, t)
            if not exact and is_subnormal(D):
                return tuple(made), f"round {t}: a weight fell below the range of floats"
    return tuple(made), f"all {T} rounds were made"


def _right(answers: Answers, signs: Sequence[tuple[int, ...]]) -> list[list[bool]]:
    """For each label and row whether h(x_i, l) = c_il."""
    pairs = zip(zip(*answers), zip(*signs))
    return [[h == c for h, c in zip(h_l, c_l)] for h_l, c_l in pairs]


def _finished(
    t: int,
    epsilon: Any,
    alpha: Log | None,
    found: _Found,
    loss: Any,
    made: Sequence[BoostingRound[Any]],
) -> BoostingRound[Any]:
    Z_squared = 4 * epsilon * (1 - epsilon)
    return BoostingRound(
        t=t,
        epsilon=epsilon,
        alpha=alpha,
        base=found.base,
        tied=found.tied,
        undecided=found.undecided,
        loss=loss,
        bound_squared=made[-1].bound_squared * Z_squared if made else Z_squared,
    )


def _find(task: _Task, D: Sequence[Sequence[Any]], t: int, doubt: float) -> _Found:
    """The base classifier of round t: the best stump, or what the caller's learner gives."""
    if task.weak is None:
        return _find_stump(task, D, doubt)
    shares = as_shares(D)
    if task.is_binary:
        y: Any = [sign for (sign,) in task.signs]
        base = task.weak(task.data.rows, y, weights=[d for (d,) in shares])
    else:
        base = task.weak(task.data.rows, task.signs, weights=shares)
    tied: tuple[Stump, ...] = ()
    if isinstance(base, FittedStump):
        tied = base.tied
        base = base.stump
    elif not hasattr(base, "predict"):
        raise ParameterError(
            f"weak: round {t}: expected something with predict(X), got {shown(base)}"
        )
    width = None if task.is_binary else len(task.signs[0])
    return _Found(base, tied, False, base_answers(base, task.data.rows, width, f"weak: round {t}"))


def _find_stump(task: _Task, D: Sequence[Sequence[Any]], doubt: float) -> _Found:
    columns = zip(D, zip(*task.signs))
    signed = [[d if c > 0 else -d for d, c in zip(d_l, c_l)] for d_l, c_l in columns]
    tied = best_stumps(task.data, signed, doubt, task.two_sided)
    stump = tied[task.choose(tuple(range(len(tied))))]
    answers = [stump.answer(x) for x in task.data.rows]
    is_float = isinstance(D[0][0], float)
    undecided = is_float and (
        bool(stump.free)
        or any(answers != [other.answer(x) for x in task.data.rows] for other in tied)
    )
    return _Found(stump, tied, undecided, answers)


@dataclass(frozen=True)
class ItemClassifier:
    """h(x, l) = base(x, l), where the label's position l stands behind x as a category."""

    base: Any
    k: int

    def predict(self, X: Sequence[Sequence[Any]]) -> list[tuple[Any, ...]]:
        """k signs for each row."""
        signs = list(self.base.predict(_items(X, self.k)))
        return [tuple(signs[i : i + self.k]) for i in range(0, len(signs), self.k)]


def on_items(weak: Weak) -> Weak:
    """A weak learner of k labels, made of a binary one that is trained on the m·k items (x_i, l).

    Each item is the row with one more cell, the label's position as a category: "label 0", … A
    stump, which asks of x or of l but not of both, rarely has an edge there; trees do.
    [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]

    >>> from refmc import grow_tree
    >>> X, y = [[0], [1], [2]], ["a", "b", "a"]
    >>> fit_adaboost_mh(X, y, rounds=9, weak=on_items(grow_tree)).stopped
    'round 1: the base classifier errs nowhere and is kept alone'
    >>> fit_adaboost_mh([[0], [1]], ["a", "b"], rounds=9, weak=on_items(fit_stump)).stopped
    'round 1: no base classifier errs on less than 1/2 of the weight'
    """

    def fit(
        X: Sequence[Sequence[Any]], Y: Sequence[Sequence[int]], *, weights: Sequence[Sequence[Any]]
    ) -> ItemClassifier:
        k = len(Y[0])
        y: list[Label] = [sign for row in Y for sign in row]
        D = [d for row in weights for d in row]
        return ItemClassifier(weak(_items(X, k), y, weights=D), k)

    return fit


def _items(X: Sequence[Sequence[Any]], k: int) -> list[tuple[Any, ...]]:
    return [(*x, f"label {l}") for x in X for l in range(k)]
