"""Classifiers of scikit-learn that are made of others: reductions, searches and pipelines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Held, Training, in_shape, predicted
from refmc.core.scalars import column_names, plain
from refmc.errors import FormatError, ParameterError

Claims = Callable[[object, Training], Iterator[Claim]]
"""The function that gives the claims of any estimator, for the estimators inside others."""


def one_vs_one(held: Held, training: Training, claims: Claims) -> Iterator[Claim]:
    """The claims of each pair, and that of the votes; the second class of a pair is positive."""
    _refuse_weights(training)
    classes, pairs = training.classes, list(combinations(training.classes, 2))
    answers, seen = [], training.unnamed()
    for member, (a, b) in zip(held.members(len(pairs)), pairs):
        if getattr(member, "kernel", "") == "precomputed":
            held.refuse("estimator", "its members saw parts of the matrix; give the SVC alone")
        kept = [i for i, label in enumerate(training.y) if label in (a, b)]
        y = [int(training.y[i] == b) for i in kept]
        yield from _named(f"{a} against {b}", claims(member, seen.of(kept, y)))
        answers.append([1 - 2 * v for v in predicted(member, seen, (0, 1))])
    problem = {"family": "ovo.decode", "pairs": list(zip(*answers)), "classes": classes}
    yield Claim("the votes", problem, {"labels": _labels(held, training)})


def one_vs_rest(held: Held, training: Training, claims: Claims) -> Iterator[Claim]:
    """The claims of each class against the rest, and that of the largest score."""
    _refuse_weights(training)
    classes, members = training.classes, held.members(training.function_count)
    scores = []
    for member, label in zip(members, classes[-len(members) :]):
        y = [int(other == label) for other in training.y]
        yield from _named(
            f"{label} against the rest", claims(member, training.of(range(len(y)), y))
        )
        scores.append(_scores(member, training, Fraction(1, 2)))
    if len(members) == 1:
        scores.insert(0, [-v for v in scores[0]])
    problem = {"family": "ova.decode", "scores": list(zip(*scores)), "classes": classes}
    yield Claim("the largest score", problem, {"labels": _labels(held, training)})


def output_code(held: Held, training: Training, claims: Claims) -> Iterator[Claim]:
    """The claims of each column, and that of the nearest row of the code.

    ‖M(r) − f‖² is least where 2 Σ_s M(r, s) f_s − Σ_s M(r, s)² is largest.
    """
    _refuse_weights(training)
    classes, members = training.classes, held.members()
    code = held.numbers("code_book_", len(classes), len(members))
    row_of = dict(zip(classes, code))
    f = []
    for s, member in enumerate(members):
        y = [int(row_of[label][s]) for label in training.y]
        if len(set(y)) > 1:
            yield from _named(f"column {s}", claims(member, training.of(range(len(y)), y)))
        f.append(_scores(member, training, Fraction(0)))
    scores = [
        [sum(2 * Fraction(c) * v - Fraction(c) ** 2 for c, v in zip(row, x)) for row in code]
        for x in zip(*f)
    ]
    problem = {"family": "ova.decode", "scores": scores, "classes": classes}
    yield Claim("the nearest row of the code", problem, {"labels": _labels(held, training)})


def search(held: Held, training: Training, claims: Claims) -> Iterator[Claim]:
    """The claims of the best estimator, which was fitted on all rows."""
    yield from claims(held.fitted("best_estimator_"), training)


def pipeline(held: Held, training: Training, claims: Claims) -> Iterator[Claim]:
    """The claims of the last step, about the rows that the steps before it make."""
    steps: Any = held.parameter("steps")
    listed = isinstance(steps, (list, tuple)) and steps
    if not listed or not all(isinstance(s, (list, tuple)) and len(s) == 2 for s in steps):
        held.refuse("steps", "expected pairs of a name and an estimator")
    rows, sparse = training.given, training.sparse
    if len(steps) > 1:
        try:
            rows = held.estimator[:-1].transform(rows)
            sparse = hasattr(rows, "toarray")
            rows = rows.toarray() if sparse else rows
        except ValueError as error:  # such as that it isn't fitted, or other columns
            raise FormatError(f"Pipeline: {error}") from None
    training = replace(training, given=rows, columns=column_names(rows), sparse=sparse)
    yield from claims(steps[-1][1], training)


def _scores(member: Any, training: Training, threshold: Fraction) -> list[Fraction]:
    """Decision values; without these, the probabilities of the positive class less `threshold`."""
    name, m = type(member).__name__, len(training.y)
    if hasattr(member, "decision_function"):
        found = plain(member.decision_function(training.given))
        return [Fraction(v) for v in in_shape(found, f"{name}.decision_function", m)]
    if not hasattr(member, "predict_proba"):
        raise FormatError(f"{name}: has neither decisions nor probabilities")
    found = plain(member.predict_proba(training.given))
    return [Fraction(p) - threshold for _, p in in_shape(found, f"{name}.predict_proba", m, 2)]


def _named(part: str, claims: Iterator[Claim]) -> Iterator[Claim]:
    for claim in claims:
        yield replace(claim, part=part)


def _labels(held: Held, training: Training) -> Sequence[object]:
    held.check_rows(training)
    return predicted(held.estimator, training, training.classes)


def _refuse_weights(training: Training) -> None:
    if training.weights is not None:
        raise ParameterError("sample_weight: classifiers made of others are fitted without")
