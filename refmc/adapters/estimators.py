"""Is a fitted estimator's answer right for the problem that its settings state?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from refmc.adapters import composed, runs, svms, trees
from refmc.adapters.held import Claim, Held, Training, held, read_training
from refmc.checker import Verdict
from refmc.checker.printing import decimal_text
from refmc.core.callables import map_of
from refmc.core.records import limit
from refmc.core.scalars import Number
from refmc.oracle.answers import OracleFailure, default_gap, read_record, with_hint

if TYPE_CHECKING:
    from concurrent.futures import Executor

KNOWN: dict[str, Callable[[Held, Training], Iterator[Claim]]] = {
    "LinearSVC": svms.linear_svc,
    "SVC": svms.svc,
    "DecisionTreeClassifier": trees.decision_tree,
    "AdaBoostClassifier": trees.adaboost,
    "Perceptron": runs.perceptron,
    "SGDClassifier": runs.sgd_classifier,
}

COMPOSED: dict[str, Callable[[Held, Training, composed.Claims], Iterator[Claim]]] = {
    "OneVsOneClassifier": composed.one_vs_one,
    "OneVsRestClassifier": composed.one_vs_rest,
    "OutputCodeClassifier": composed.output_code,
    "GridSearchCV": composed.search,
    "RandomizedSearchCV": composed.search,
    "Pipeline": composed.pipeline,
}


ROUNDED = Fraction(1, 2**45)
"""A relative gap below which numbers in binary64 can't be expected to come any closer."""

ANYTHING = Fraction(2**64)
"""A relative gap that no estimator's answer is off by."""


@dataclass(frozen=True)
class Judged(Verdict):
    """The verdict on an estimator: that on the worst of its `claims`, and what it promised.

    `verdicts`: one a claim. `promise`: in words, "" where its settings make none.
    """

    claims: tuple[Claim, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    promise: str = ""

    def explain(self) -> str:
        """The message for people."""
        lines = [super().explain()]
        if len(self.verdicts) > 1:
            found = [verdict.status for verdict in self.verdicts]
            counts = [f"{found.count(status)} {status}" for status in dict.fromkeys(found)]
            lines.append(f"  parts    {', '.join(counts)}")
        if self.promise:
            lines.append(f"  promise  {self.promise}")
        return "\n".join(lines)


def judge(
    estimator: object,
    X: object,
    y: object,
    sample_weight: object = None,
    *,
    gap: Number | None = None,
    path: object = None,
    executor: Executor | None = None,
) -> Judged:
    """The verdict on a fitted estimator of scikit-learn, or of what has its names.

    `X`, `y`, `sample_weight`: what it was fitted on, in any shape that it takes but sparse ones.
    `path`: what its `cost_complexity_pruning_path` gave for them, if that is to be judged, too.
    `gap`: as for `check`; without it what the estimator's own stopping rule promises, which the
    verdict shows, else the family's default. `executor`: any of `concurrent.futures` or like it,
    for the parts. Known are LinearSVC, SVC, DecisionTreeClassifier,
    AdaBoostClassifier, Perceptron and SGDClassifier in the order of rows, OneVsOneClassifier,
    OneVsRestClassifier, OutputCodeClassifier with these inside, searches and pipelines that end in
    one. Raises `ParameterError` naming a setting that can't be judged, `FormatError` for what isn't
    fitted or unknown, and `DataError` for rows and labels other than it was fitted on. Cost: that
    of `check` for each part.

    >>> class Perceptron:
    ...     coef_, intercept_, n_iter_, classes_, n_features_in_ = [[2.0]], [0.0], 2, ["a", "b"], 1
    ...     def get_params(self, deep):
    ...         names = ["penalty", "class_weight", "tol", "early_stopping", "warm_start"]
    ...         return dict.fromkeys(names[:3]) | dict.fromkeys([*names[3:], "shuffle"], False) | {
    ...             "eta0": 1.0, "fit_intercept": False}
    >>> print(judge(Perceptron(), [[2.0], [-1.0]], ["b", "a"]).explain())
    VERIFIED  perceptron.binary  Perceptron, b against a: 2 rows, 4 steps
      gap      0 (exactly right); allowed 1e-9
    """
    training = read_training(X, y, sample_weight)
    claims = tuple(claims_of(estimator, training))
    if path is not None:
        claims += (trees.pruning_path(_held(estimator), training, path),)
    judged = tuple(map_of(executor)(partial(_verdict, gap=gap), claims))
    worst = max(range(len(claims)), key=lambda i: _badness(judged[i]))
    claim, verdict = claims[worst], judged[worst]
    if verdict.status == "REFUTED":
        verdict = with_hint(verdict, claim.problem, claim.answer)
    which = claim.part and f", {claim.part}"
    if len(claims) > 1:
        which += f", the worst of {len(claims)} parts"
    own = {field.name: getattr(verdict, field.name) for field in fields(Verdict)}
    own["summary"] = f"{_held(estimator).kind}{which}: {verdict.summary}"
    return Judged(**own, claims=claims, verdicts=judged, promise=_promise(claim, verdict))


def claims_of(estimator: object, training: Training) -> Iterator[Claim]:
    """The problems that an estimator says it has solved, with its answers."""
    found = _held(estimator)
    if found.kind in COMPOSED:
        return COMPOSED[found.kind](found, training, claims_of)
    return KNOWN[found.kind](found, training)


def _held(estimator: object) -> Held:
    return held(estimator, [*KNOWN, *COMPOSED])


def assert_judged(
    estimator: object,
    X: object,
    y: object,
    sample_weight: object = None,
    *,
    gap: Number | None = None,
) -> None:
    """Raise `OracleFailure` with the message of `judge` unless the estimator is VERIFIED.

    >>> assert_judged(object(), [[1]], ["a"])  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    refmc.errors.ParameterError: object: no estimator that is judged; known are LinearSVC, SVC, ...
    """
    __tracebackhide__ = True
    verdict = judge(estimator, X, y, sample_weight, gap=gap)
    if not verdict:
        raise OracleFailure(verdict)


def _badness(verdict: Verdict) -> tuple[int, Fraction]:
    status = ("VERIFIED", "INCONCLUSIVE", "REFUTED").index(verdict.status)
    return status, (verdict.relative or verdict.gap or Fraction(0)) / (verdict.allowed or 1)


def _verdict(claim: Claim, gap: Number | None) -> Verdict:
    verdict = _judged(claim, gap)
    if claim.rounding is not None and verdict.status == "REFUTED":
        wrong = verdict.violations
        if all(0 < violation.amount <= claim.rounding for violation in wrong):
            hint = f"right but for rounding; {wrong[0].place}: {wrong[0].text}"
            return replace(verdict, status="VERIFIED", violations=(), hint=hint)
    if claim.doubt and verdict.status == "REFUTED":
        return replace(verdict, status="INCONCLUSIVE", hint=claim.doubt)
    return verdict


def _judged(claim: Claim, gap: Number | None) -> Verdict:
    """The verdict on a claim, with the gap that was given, the one that was promised, or the usual.

    A promise is a gap itself, not relative to the problem's scale, which a first judgement finds
    that allows anything: its own numbers prove a gap that may be within the promise already, and
    without it nothing need be searched.
    """
    record, family = read_record(claim.problem)
    if gap is not None or claim.promise is None:
        allowed = default_gap(str(record["family"])) if gap is None else limit(gap, "gap")
        return family.judge(record, claim.answer, allowed, None)
    more = {**claim.answer, **(claim.proof or {})}
    first = family.judge(record, more, ANYTHING, None)
    if not first.scale or first.gap is None:
        return family.judge(record, claim.answer, default_gap(str(record["family"])), None)
    allowed = claim.promise / first.scale
    if first and first.gap <= claim.promise:
        return replace(first, allowed=allowed)
    # without the proof, which may be less than the answer itself deserves
    return family.judge(record, claim.answer, allowed, None)


def _promise(claim: Claim, verdict: Verdict) -> str:
    """Whether a claim's promise was kept, in words."""
    if claim.promise is None or verdict.gap is None:
        return ""
    kept = verdict.gap <= claim.promise
    told = f"{claim.rule} bounds the gap by {decimal_text(claim.promise)}"
    limit = f"; {claim.limit}" if claim.limit and not kept else ""
    if not kept and (verdict.relative or 1) < ROUNDED:
        limit = "; binary64 has no more digits"
    return f"{'kept' if kept else 'not kept'}: {told}{limit}"
