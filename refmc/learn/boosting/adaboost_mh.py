"""AdaBoost, and AdaBoost.MH for label sets.

The plain program is `refmc.lectures.lu.adaboost_mh`. Beyond it: floats, any weak learner, label
sets in every form, and the set of all tied stumps of each round.

Covers [lu, "AdaBoost.MH : Multi-Class Hamming Loss"] and [lu, "The AdaBoost.MH Algorithm"].

Differs from the lecture:
- ε = 0 makes α infinite: that base classifier is kept alone and training stops; with ε ≥ ½
  no base classifier has an edge, and training stops with the rounds before;
- D_{t+1} is D_t/(2(1 − ε)) where h is right and D_t/(2ε) where it is wrong: the same number, but
  rational, without exp and Z; in exact runs D is kept as whole numbers in its ratios, without a
  common factor, and Z² beside the rounded Z;
- sgn(0) is undefined: both answers tie, and count as wrong on the training sample, for which the
  bound Π Z holds all the same;
- g is a non-negative combination of the base classifiers, convex only after dividing by Σ α;
- row weights other than equal ones are admitted in D_1, and then weigh the loss too.

Tie rule: `choose` picks among the tied base classifiers, which stand in the order of `stumps`,
and `tie` among tied labels. In float mode two stumps can't be told apart where their errors
differ by less than the roundings of D_t and of the sums can make up; both are then tied, and the
round is marked as undecided unless they answer alike on all rows.

Legend: m items, k labels, N columns; t = 1, …, T the rounds; D_t the distribution on items and
labels; h_t the base classifier; R and E the weights of what it gets right and wrong;
ε_t = E/(R + E) its error; α_t = ½ ln((1 − ε_t)/ε_t); Z_t = 2√(ε_t(1 − ε_t)); `votes` the margins
c_il Σ α_s h_s(x_i, l) so far; `doubt` what the roundings of floats can add up to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import chain, compress
from operator import eq, not_
from typing import Any

from refmc.core.cells import SortedColumns, Table, sort_columns
from refmc.core.labels import LabelSets, read_codes, read_two_classes
from refmc.core.logs import Log
from refmc.core.sample import Labels, in_whole_numbers
from refmc.core.scalars import check_digits, shown, whole_number
from refmc.core.ties import TiePolicy, check_policy, first
from refmc.errors import DataError, ParameterError
from refmc.learn.boosting.models import AdaBoost, AdaBoostMH, BoostingRound, vote_weight
from refmc.learn.boosting.stumps import (
    ROUNDOFF,
    FittedStump,
    Stump,
    best_stumps,
    fit_stump,
    stump_weights,
)
from refmc.learn.boosting.weak import Answers, Weak, base_answers

Weights = Sequence[Sequence[Any]]
"""For each label m weights in the ratios of D: whole numbers, or floats of sum 1."""

Right = Sequence[Sequence[bool]]
"""For each label and row whether h(x_i, l) = c_il."""

_SCALE = 2**1074
"""Every float is a whole multiple of 1/_SCALE, so that running sums of them are exact."""

_LEAST = 2.0**-1022
"""The smallest float with all its digits: still smaller ones are less precise."""


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
class _Found:
    """A base classifier, what ties with it, and its answers on the rows."""

    base: Any
    answers: Answers
    tied: tuple[Stump, ...] = ()
    undecided: bool = False


Find = Callable[[Weights, int, float], _Found]
"""From D_t, t and the doubt about edges to the base classifier of the round."""


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
    classes=(negative, positive). weak: a function, which is called as weak(X, y, weights=D) with y
    as ±1, where D has the sum 1. What it returns gives ±1 for each row by `predict(X)`. weights:
    one number of at least 0 for each row. Fractions in X or `weights` make the run exact, for some
    14 rounds or more. categorical: as for `fit_stump`.

    Raises `DataError`, `MixedArithmeticError`, `ParameterError` (a base that answers otherwise),
    `ExactnessLimitError` (beyond `MAX_DIGITS`). Cost: O(Nm ln m + NmT) with stumps.
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
    targets = [(sign,) for sign in signs]
    find: Find = partial(_best_stump, data, targets, choose, False)
    if weak is not fit_stump:
        find = _weak_learner(weak, data.rows, signs, None)
    made, stopped = _adaboost_mh(find, targets, given, exact, rounds, on_step)
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
    (see `read_codes`). weak: None for stumps h(x, l) = v_l φ(x), or a function, which is called as
    weak(X, Y, weights=D) with Y and D as m rows of k, where D has the sum 1. What it returns gives
    k signs for each row by `predict(X)`. `on_items` makes such a function of a binary learner.
    two_sided: stumps have a sign for each label and answer, so that a label may also be constant.
    weights: one number of at least 0 for each row.

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
    find: Find = partial(_best_stump, data, codes.rows, choose, two_sided)
    if weak is not None:
        find = _weak_learner(weak, data.rows, codes.rows, len(codes.classes))
    made, stopped = _adaboost_mh(find, codes.rows, given, exact, rounds, on_step)
    zero: Any = Fraction(0) if exact else 0.0
    return AdaBoostMH(
        codes.classes, made, stopped, codes.target, data.kinds, data.categories(), zero, tie
    )


def _adaboost_mh(
    find: Find,
    signs: Sequence[tuple[int, ...]],
    given: Sequence[Any],
    exact: bool,
    rounds: int,
    on_step: Callable[[BoostingStep], None] | None,
) -> tuple[tuple[BoostingRound[Any], ...], str]:
    """[lu, "The AdaBoost.MH Algorithm"]: the rounds, and why there are no more.

    `signs`: for each row the k signs c_il; `given`: the weight of each row. The lecture's lines are
    marked; line 12, the sum of the votes, is left to the model.
    """
    T = whole_number(rounds, "rounds", 0)
    m, k = len(signs), len(signs[0])
    D = D_1 = _first_weights(given, k, exact)  # 1-3
    votes, bound_squared = _Votes(m, k, exact), Fraction(1) if exact else 1.0
    made: list[BoostingRound[Any]] = []
    for t in range(1, T + 1):  # 4
        # A float of D_t has t roundings behind it, its part of an edge has as many again, and the
        # sums add k + 2, all relative to Σ D = 1. Two edges surely differ only beyond twice that.
        doubt = 0 if exact else (4 * t + 2 * k + 4) * ROUNDOFF
        found = find(D, t, doubt)  # 5
        right = [list(map(eq, *pair)) for pair in zip(zip(*found.answers), zip(*signs))]
        wrong = [list(map(not_, row)) for row in right]
        R, E = _weight_where(D, right), _weight_where(D, wrong)
        if R - E <= doubt:
            return tuple(made), f"round {t}: no base classifier errs on less than 1/2 of the weight"
        epsilon = Fraction(E, E + R) if exact else E
        alpha = vote_weight(epsilon)  # 6
        bound_squared = bound_squared * (4 * epsilon * (1 - epsilon))  # 7, squared: Π Z²
        if alpha is not None:
            wrong = votes.wrong_after(alpha, right)  # 11
        lost = _weight_where(D_1, wrong)
        loss = Fraction(lost, sum(map(sum, D_1))) if exact else lost
        base, tied, undecided = found.base, found.tied, found.undecided
        made.append(BoostingRound(t, epsilon, alpha, base, tied, undecided, loss, bound_squared))
        if on_step is not None:
            on_step(BoostingStep(**vars(made[-1]), weights=tuple(map(tuple, D))))
        if alpha is None:
            return (made[-1],), f"round {t}: the base classifier errs nowhere and is kept alone"
        if t < T:
            D = reweighted(D, right, E, R, t)  # 8-10
            # A round at most halves a weight, so none gets to 0 without being seen here.
            if not exact and any(0 < d < _LEAST for row in D for d in row):
                return tuple(made), f"round {t}: a weight fell below the range of floats"
    return tuple(made), f"all {T} rounds were made"


def _first_weights(given: Sequence[Any], k: int, exact: bool) -> list[list[Any]]:
    """D_1, for each of k labels: the row weights over k times their sum."""
    whole, _ = in_whole_numbers(given)
    if exact:
        return [whole] * k
    total = sum(whole) * k
    shares = [w / total for w in whole]
    for i, w in enumerate(whole):
        if w and shares[i] < _LEAST:
            raise DataError(
                f"weights: row {i}: too small beside the others for floats; "
                "set it to 0, or lift all of it with exact()"
            )
    return [shares] * k


def _weight_where(D: Weights, chosen: Right) -> Any:
    """Σ D over the chosen items; in float rounded once."""
    values = chain.from_iterable(compress(d, c) for d, c in zip(D, chosen))
    return math.fsum(values) if isinstance(D[0][0], float) else sum(values)


def reweighted(D: Weights, right: Right, E: Any, R: Any, t: int) -> Any:
    """D_{t+1}, from the weights E of the wrong and R of the right items, both above 0.

    Raises `ExactnessLimitError` where whole numbers grow beyond `MAX_DIGITS`.
    [lu, "The AdaBoost.MH Algorithm"]

    >>> reweighted([[3, 1]], [[True, False]], E=1, R=3, t=1)
    [[1, 1]]
    """
    if isinstance(D[0][0], float):
        return [[d / (2 * R if ok else 2 * E) for d, ok in zip(*pair)] for pair in zip(D, right)]
    grown = [[d * (E if ok else R) for d, ok in zip(*pair)] for pair in zip(D, right)]
    distinct = set(chain.from_iterable(grown))
    common = math.gcd(*distinct)
    mend = f"take at most {t} rounds, or give floats"
    check_digits(max(distinct) // common, f"round {t}: a weight needs", mend)
    return [[d // common for d in row] for row in grown]


class _Votes:
    """The margins c_il Σ α_s h_s(x_i, l) of all items, round after round.

    In exact runs they are logarithms. In float each α is rounded once, and their sums are exact.
    Items that were right and wrong in the same rounds have the same margin, which is kept once.
    """

    def __init__(self, m: int, k: int, exact: bool) -> None:
        self._exact = exact
        self._group = [[0] * m for _ in range(k)]
        self._margins: list[Any] = [Log() if exact else 0]

    def wrong_after(self, alpha: Log, right: Right) -> list[list[bool]]:
        """Add a round; returns for each item whether its margin is now 0 or less."""
        vote: Any = alpha if self._exact else int(Fraction(float(alpha)) * _SCALE)
        parts: dict[tuple[int, bool], int] = {}  # of each group those now right, and those wrong
        self._group = [
            [parts.setdefault(part, len(parts)) for part in zip(*pair)]
            for pair in zip(self._group, right)
        ]
        self._margins = [self._margins[g] + (vote if ok else -vote) for g, ok in parts]
        is_wrong = [margin <= 0 for margin in self._margins]
        return [[is_wrong[g] for g in row] for row in self._group]


def as_shares(D: Weights) -> tuple[tuple[Any, ...], ...]:
    """D as m rows of k weights of sum 1: Fractions, or the floats that it consists of."""
    if isinstance(D[0][0], float):
        return tuple(zip(*D))
    total = sum(map(sum, D))
    return tuple(tuple(Fraction(d, total) for d in row) for row in zip(*D))


def _best_stump(
    data: SortedColumns,
    signs: Sequence[tuple[int, ...]],
    choose: TiePolicy,
    two_sided: bool,
    D: Weights,
    t: int,
    doubt: float,
) -> _Found:
    """The stump of least error under D_t, one of those that tie by the policy."""
    columns = zip(D, zip(*signs))
    signed = [[d if c > 0 else -d for d, c in zip(d_l, c_l)] for d_l, c_l in columns]
    tied = best_stumps(data, signed, doubt, two_sided)
    stump = tied[choose(tuple(range(len(tied))))]
    answers = [stump.answer(x) for x in data.rows]
    others = ([other.answer(x) for x in data.rows] for other in tied)
    is_float = isinstance(D[0][0], float)
    undecided = is_float and (bool(stump.free) or any(h != answers for h in others))
    return _Found(stump, answers, tied, undecided)


def _weak_learner(weak: Weak, rows: Sequence[Sequence[Any]], target: Any, k: int | None) -> Find:
    """The caller's learner, which gets k signs and k weights for each row, or one of both for None.

    `target`: these signs.
    """
    if not callable(weak):
        raise ParameterError(f"weak: expected a function weak(X, y, weights), got {shown(weak)}")

    def find(D: Weights, t: int, doubt: float) -> _Found:
        shares: Any = as_shares(D)
        weights = shares if k is not None else [d for (d,) in shares]
        base = weak(rows, target, weights=weights)
        place = f"weak: round {t}"
        if isinstance(base, FittedStump):
            return _Found(base.stump, base_answers(base.stump, rows, k, place), base.tied)
        if not hasattr(base, "predict"):
            raise ParameterError(f"{place}: expected something with predict(X), got {shown(base)}")
        return _Found(base, base_answers(base, rows, k, place))

    return find
