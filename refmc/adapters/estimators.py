"""Is a fitted estimator's answer right for the problem that its settings state?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from refmc.adapters import composed, runs, svms, trees
from refmc.adapters.claims import Claim, Judged, judge_claims
from refmc.adapters.held import Held, Training, held, read_training
from refmc.answers import OracleFailure
from refmc.core.scalars import Number
from refmc.errors import plainly

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

UNKNOWN = (
    "no estimator that is judged; submit its answer, as 'An estimator of your own' in "
    "spec/python-tools.md shows"
)


@plainly
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
    """The verdict on a fitted estimator of scikit-learn, or on one whose class has such a name.

    `X`, `y`, `sample_weight`: what it was fitted on, in any shape that it takes but sparse ones.
    `path`: what its `cost_complexity_pruning_path` gave for them, if that is to be judged, too.
    `gap`: as for `check`; without it what the estimator's own stopping rule promises, which the
    verdict shows, else the family's default. `executor`: any of `concurrent.futures` or like it,
    for the parts. Known are LinearSVC, SVC, DecisionTreeClassifier,
    AdaBoostClassifier, Perceptron and SGDClassifier in the order of rows, OneVsOneClassifier,
    OneVsRestClassifier, OutputCodeClassifier with these inside, searches and pipelines that end in
    one. Raises `ParameterError` naming any other estimator and a setting that can't be judged,
    `FormatError` for what isn't fitted or of an unknown version, and `DataError` for rows and
    labels other than it was fitted on. Cost: that of `check` for each part.

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
    return judge_claims(_held(estimator).kind, claims, gap, executor)


def claims_of(estimator: object, training: Training) -> Iterator[Claim]:
    """The problems that an estimator says it has solved, with its answers."""
    found = _held(estimator)
    if found.kind in COMPOSED:
        return COMPOSED[found.kind](found, training, claims_of)
    return KNOWN[found.kind](found, training)


def _held(estimator: object) -> Held:
    return held(estimator, [*KNOWN, *COMPOSED], UNKNOWN)


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
    refmc.errors.ParameterError: object: no estimator that is judged; submit its answer...
    """
    __tracebackhide__ = True
    verdict = judge(estimator, X, y, sample_weight, gap=gap)
    if not verdict:
        raise OracleFailure(verdict)
