"""Boosted classifiers: their rounds, how they vote, how they are saved.

Legend: see `adaboost_mh`, which trains them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any, Generic

from refmc.core.cells import Categories, Table, read_cells, read_row_of_cells
from refmc.core.labels import SETS, SINGLE
from refmc.core.logs import Log
from refmc.core.records import Record, text
from refmc.core.sample import Label
from refmc.core.saving import SavedFields, model_text, read_saved
from refmc.core.scalars import S
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.drawn import Drawn, Exported
from refmc.errors import FormatError, ParameterError
from refmc.learn.boosting.stumps import Stump, read_stump, saved_stump
from refmc.learn.boosting.weak import base_answers

BINARY, MH, VERSION = "adaboost", "adaboost-mh", 2

_FIELDS = ("kinds", "stopped", "rounds")
_ROUND = ("t", "epsilon", "stump", "tied", "undecided", "loss")


@dataclass(frozen=True)
class BoostingRound(Generic[S]):
    """Round t: the base classifier h_t, its error and its weight.

    `epsilon`: ε_t under D_t. `alpha`: α_t = ½ ln((1 − ε_t)/ε_t), None where ε_t = 0. `base`: a
    `Stump`, or what the caller's weak learner gave. `tied`: all stumps that are as good, the base
    among them. `undecided`: whether another stump answers otherwise on some row, and floats can't
    tell the two errors apart. `loss`: the share of D_1 on which sgn(g) is wrong after this round,
    where g = 0 counts as wrong. `bound_squared`: Π Z_s² over s ≤ t, whose root bounds the loss.
    """

    t: int
    epsilon: S
    alpha: Log | None
    base: Any
    tied: tuple[Stump, ...]
    undecided: bool
    loss: S
    bound_squared: S

    @cached_property
    def weight(self) -> Any:
        """α_t as votes count it: a `Log` in exact runs, else the nearest float; 1 where ε_t = 0."""
        if self.alpha is None:
            return self.epsilon + 1
        return float(self.alpha) if isinstance(self.epsilon, float) else self.alpha

    @property
    def Z_squared(self) -> S:
        """Z_t² = 4ε_t(1 − ε_t), which is rational."""
        return 4 * self.epsilon * (1 - self.epsilon)

    @property
    def Z(self) -> float:
        """Z_t = 2√(ε_t(1 − ε_t)), irrational and so rounded."""
        return math.sqrt(self.Z_squared)

    @property
    def bound(self) -> float:
        """Π Z_s over s ≤ t, rounded."""
        return math.sqrt(self.bound_squared)


def vote_weight(epsilon: float | Fraction) -> Log | None:
    """α = ½ ln((1 − ε)/ε), exactly for the ε given; None, which is infinite, for ε = 0.

    [lu, "The AdaBoost.MH Algorithm"]

    >>> str(vote_weight(Fraction(1, 10)))
    'ln(3)'
    """
    if not epsilon:
        return None
    lifted = Fraction(epsilon)
    return Log([((1 - lifted) / lifted, Fraction(1, 2))])


def _votes(
    model: AdaBoost[S] | AdaBoostMH[S], rows: Sequence[Sequence[Any]], k: int | None
) -> list[tuple[Any, ...]]:
    """g(x, l) for each row x and label l; a base of ε = 0 stands alone and has the weight 1."""
    answers = [
        base_answers(r.base, rows, k, f"round {r.t}", model.categories) for r in model.rounds
    ]
    weights = [r.weight for r in model.rounds]

    # Many items are answered alike in all rounds, and sums of logarithms take their time.
    @cache
    def vote(signs: tuple[int, ...]) -> Any:
        terms = [w * h for w, h in zip(weights, signs)]
        if isinstance(model.zero, float):
            return math.fsum(terms)
        return terms[0] if len(terms) == 1 else sum(terms, Log())

    if not answers:
        return [(vote(()),) * (k or 1)] * len(rows)
    return [tuple([vote(signs) for signs in zip(*of_row)]) for of_row in zip(*answers)]


@dataclass(frozen=True)
class AdaBoost(Drawn, Exported, Generic[S]):
    """A boosted binary classifier; see `fit_adaboost`.

    `classes`: (negative, positive). `stopped`: why no further round was made. `categories`: for
    each column those that the training rows had; a stump has no vote about another one.
    """

    classes: tuple[Label, Label]
    rounds: tuple[BoostingRound[S], ...]
    stopped: str
    kinds: tuple[str, ...]
    categories: Categories
    zero: S
    tie: TiePolicy

    def decision(self, x: Sequence[Any]) -> Any:
        """g(x) = Σ α_t h_t(x): a `Log` in exact runs, else a float; ±1 of a perfect base."""
        return _votes(self, [read_row_of_cells(x, self.kinds)], None)[0][0]

    def scores(self, x: Sequence[Any]) -> tuple[Any, Any]:
        """(−g/2, g/2): their margin is y g."""
        g = self.decision(x)
        return (-g / 2, g / 2)

    def predict_set(self, x: Sequence[Any]) -> tuple[Label, ...]:
        """The label on x's side, or both where g(x) = 0."""
        return tuple(self.classes[r] for r in argmax_set(self.scores(x)))

    def predict(self, X: Table) -> list[Label]:
        """One label for each row; ties by the policy the model was made with."""
        votes = _votes(self, read_cells(X, self.kinds), None)
        return [self.classes[self.tie(argmax_set((-g, g)))] for (g,) in votes]

    def to_json(self) -> str:
        """The model as readable JSON, if its bases are stumps; the tie policy is not saved."""
        return model_text(BINARY, VERSION, self.zero, self.classes, _parts(self))


@dataclass(frozen=True)
class AdaBoostMH(Drawn, Exported, Generic[S]):
    """A boosted classifier of label sets or single labels; see `fit_adaboost_mh`.

    `target`: "single" or "sets", what it was trained on and predicts. `stopped`: why no further
    round was made. `categories`: for each column those that the training rows had; a stump has
    no vote about another one.
    """

    classes: tuple[Label, ...]
    rounds: tuple[BoostingRound[S], ...]
    stopped: str
    target: str
    kinds: tuple[str, ...]
    categories: Categories
    zero: S
    tie: TiePolicy

    def scores(self, x: Sequence[Any]) -> tuple[Any, ...]:
        """g(x, l) for each label l: `Log`s in exact runs, else floats; ±1 of a perfect base."""
        return _votes(self, [read_row_of_cells(x, self.kinds)], len(self.classes))[0]

    def predict_set(self, x: Sequence[Any]) -> tuple[Label, ...]:
        """Single: the labels of the largest vote. Sets: all that may be in x's, g(x, l) ≥ 0."""
        scores = self.scores(x)
        if self.target == SINGLE:
            return tuple(self.classes[l] for l in argmax_set(scores))
        return tuple(label for label, g in zip(self.classes, scores) if g >= 0)

    def predict(self, X: Table) -> list[Any]:
        """A row's label, or its set of labels with g(x, l) > 0, a frozenset.

        Ties by the policy the model was made with; for g(x, l) = 0 it chooses between position 0,
        to leave l out, and 1, to take it in.
        """
        rows = read_cells(X, self.kinds)
        votes = _votes(self, rows, len(self.classes))
        if self.target == SINGLE:
            return [self.classes[self.tie(argmax_set(scores))] for scores in votes]
        return [
            frozenset(
                label for label, g in zip(self.classes, scores) if self.tie(argmax_set((-g, g)))
            )
            for scores in votes
        ]

    def to_json(self) -> str:
        """The model as readable JSON, if its bases are stumps; the tie policy is not saved."""
        parts = {"target": self.target} | _parts(self)
        return model_text(MH, VERSION, self.zero, self.classes, parts)


def _parts(model: AdaBoost[S] | AdaBoostMH[S]) -> dict[str, Any]:
    """The parts of a saved model that both have."""
    return {
        "kinds": model.kinds,
        "categories": model.categories,
        "stopped": model.stopped,
        "rounds": [_round(r) for r in model.rounds],
    }


def _round(r: BoostingRound[S]) -> dict[str, object]:
    if not isinstance(r.base, Stump):
        raise ParameterError(
            f"round {r.t}: a base of type {type(r.base).__name__} can't be saved; only stumps can"
        )
    return {
        "t": r.t,
        "epsilon": r.epsilon,
        "stump": saved_stump(r.base),
        "tied": [saved_stump(stump) for stump in r.tied],
        "undecided": r.undecided,
        "loss": r.loss,
    }


def adaboost_from_record(
    record: Record, tie: TiePolicy = first
) -> AdaBoost[float] | AdaBoost[Fraction]:
    """The model that `AdaBoost.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, BINARY, VERSION, _FIELDS, optional=["categories"])
    return AdaBoost(classes=fields.two_classes(), tie=tie, **_read_parts(fields, 1))


def adaboost_mh_from_record(
    record: Record, tie: TiePolicy = first
) -> AdaBoostMH[float] | AdaBoostMH[Fraction]:
    """The model that `AdaBoostMH.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, MH, VERSION, ["target", *_FIELDS], optional=["categories"])
    target = fields.choice("target", {SINGLE: SINGLE, SETS: SETS})
    parts = _read_parts(fields, len(fields.classes))
    return AdaBoostMH(classes=fields.classes, target=target, tie=tie, **parts)


def _read_parts(fields: SavedFields, k: int) -> dict[str, Any]:
    """The parts of a model that `_parts` wrote, and its zero."""
    kinds, categories = fields.columns()
    return {
        "kinds": kinds,
        "categories": categories,
        "stopped": text(fields.record["stopped"], "model.stopped"),
        "rounds": _read_rounds(fields, kinds, k),
        "zero": fields.zero,
    }


def _read_rounds(
    fields: SavedFields, kinds: Sequence[str], k: int
) -> tuple[BoostingRound[Any], ...]:
    rounds: list[BoostingRound[Any]] = []
    bound_squared = fields.zero + 1
    saved = fields.entries("rounds")
    for entry in saved:
        inner = fields.inner("rounds", entry, _ROUND)
        t, epsilon, loss = inner.whole("t", 1), inner.number("epsilon"), inner.number("loss")
        if not 0 <= 2 * epsilon < 1 or (not epsilon and len(saved) > 1):
            raise FormatError("model.rounds.epsilon: expected 0 < ε < 1/2, or a single one of 0")
        if epsilon and t != len(rounds) + 1:
            raise FormatError(f"model.rounds.t: expected {len(rounds) + 1}, got {t}")
        bound_squared = bound_squared * (4 * epsilon * (1 - epsilon))
        base = read_stump(inner, "stump", inner.record["stump"], kinds, k)
        tied = tuple(read_stump(inner, "tied", s, kinds, k) for s in inner.entries("tied"))
        alpha, undecided = vote_weight(epsilon), inner.flag("undecided")
        rounds.append(BoostingRound(t, epsilon, alpha, base, tied, undecided, loss, bound_squared))
    return tuple(rounds)
