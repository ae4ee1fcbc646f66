"""LinearSVC and SVC of scikit-learn: what they claim to have minimised, and how far they got.

What a stopping rule promises, as a bound of the gap P − D:

- LIBSVM (`SVC`) stops where no two multipliers violate the Kuhn-Tucker conditions by more than tol.
  With a bias between the two, a row has y_i f(x_i) − 1 =: u_i ≤ tol if α_i > 0, and u_i ≥ −tol if
  α_i < C_i. The gap is Σ α_i max(0, u_i) + (C_i − α_i) max(0, −u_i), hence at most tol · Σ C_i.
- LIBLINEAR's primal method (`LinearSVC`, squared hinge) stops where ‖∇P(w)‖ is at most
  tol · min(n₊, n₋)/n of ‖∇P(0)‖. P grows by ½‖v‖² at least, so that the gap is ½‖∇P(w)‖² at most.
- LIBLINEAR's dual methods stop where the gradients that a sweep over all rows has met differ by at
  most tol. Had all been met at its end, the same sum would be at most tol · Σ C_i; C_i tol² a row
  for squared hinges; and for Crammer and Singer's form, which is `svm.multiclass`, tol · Σ C_i.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from refmc.adapters.held import Claim, Held, Training, product
from refmc.core.scalars import exact_number
from refmc.errors import DataError
from refmc.theory.grams import gram
from refmc.theory.kernels import Kernel, rbf

MOST_SWEEPS = 100_000
"""Where LIBLINEAR's solver for Crammer and Singer's form stops, whatever max_iter says."""

MANY = 1_000
"""Rows beyond which weights are judged beside the multipliers that they determine, without a search
for better ones: the gap that is shown is then that of both, ½‖∇P(w)‖²."""

STOPPED = "it stopped"

SINGLE_PRECISION = "LIBSVM keeps kernel values in single precision, and stalls near their rounding"

Weights = Sequence[Fraction]


def linear_svc(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of a LinearSVC: a binary SVM for each class, or one multi-class SVM.

    The intercept belongs to a column of `intercept_scaling`, which is penalised with the others.
    """
    held.check_rows(training)
    held.only("penalty", "l2")
    joint = held.only("multi_class", "ovr", "crammer_singer") == "crammer_singer"
    squared = held.only("loss", "squared_hinge", "hinge") == "squared_hinge"
    C, tol = Fraction(held.parameter("C")), Fraction(held.parameter("tol"))
    bias = (
        Fraction(held.parameter("intercept_scaling")) if held.parameter("fit_intercept") else None
    )
    X = [[*row, *([] if bias is None else [bias])] for row in training.X]
    W = _rows_with_bias(held, bias)
    of_class = _of_classes(held, training)
    of_row = training.row_weights
    rule = _limited(held, f"tol = {held.parameter('tol')}", MOST_SWEEPS if joint else None)
    classes = training.classes
    if joint:
        if len(classes) == 2:  # W_0 = −W_1, of which 2 W_1 is shown
            W = [[-v / 2 for v in W[0]], [v / 2 for v in W[0]]]
        weights = [product(of_class[c], w) for c, w in zip(training.y, of_row)]
        problem = {"family": "svm.multiclass", "X": X, "y": training.y, "C": C}
        yield Claim(
            "", problem | _weights(weights), {"W": W}, tol * C * sum(weights), f"{rule} · Σ C_i"
        )
        return
    dual = held.only("dual", "auto", True, False)
    if dual == "auto":
        dual = not squared or len(X) < len(training.X[0])
    for c, (label, w) in enumerate(zip(classes[-len(W) :], W)):
        # of several classes, only the rows of the positive one have the weight of their class
        others: Any = classes[0] if len(classes) == 2 else None
        y = [1 if other == label else -1 for other in training.y]
        rest = of_class[others] if len(classes) == 2 else 1
        weights = [product(of_class[label] if s > 0 else rest, v) for s, v in zip(y, of_row)]
        problem = {"family": "svm.binary", "X": X, "y": y, "C": C, "bias": False}
        problem |= {"loss": "squared_hinge"} if squared else {}
        if not dual:
            promise, how = _of_gradient(X, y, weights, C, tol), " · min(n₊, n₋)/n of ‖∇P(0)‖"
        elif squared:
            promise, how = tol**2 * C * sum(weights), ", squared, · Σ C_i"
        else:
            promise, how = tol * C * sum(weights), " · Σ C_i"
        part = f"{label} against {classes[0]}" if len(W) == 1 else f"{label} against the rest"
        proof = None
        if squared and len(X) > MANY:
            proof = {"alpha": _multipliers(X, y, weights, C, w)}
            how += "; its multipliers are those that its weights determine"
        problem |= _weights(weights)
        yield Claim(part, problem, {"w": w}, promise, rule + how, proof=proof)


def _rows_with_bias(held: Held, bias: Fraction | None) -> list[list[Any]]:
    coef, intercept = held.fitted("coef_"), held.fitted("intercept_")
    if bias is None:
        return [list(row) for row in coef]
    return [[*row, Fraction(b) / bias] for row, b in zip(coef, intercept, strict=True)]


def _of_classes(held: Held, training: Training) -> dict[str | int, Fraction | float]:
    if held.parameter("class_weight") == "balanced" and training.weights is not None:
        held.refuse("class_weight", "beside sample_weight, versions differ in what it counts")
    return held.class_weights(training)


def _weights(weights: Weights) -> dict[str, object]:
    return {} if all(w == 1 for w in weights) else {"weights": list(weights)}


def _limited(held: Held, rule: str, own_limit: int | None = None) -> str:
    limit, counted = own_limit or held.parameter("max_iter"), held.fitted("n_iter_")
    most = max(counted) if isinstance(counted, list) else counted
    stopped = limit != -1 and most >= limit
    return f"{STOPPED} after {limit} iterations, before {rule}" if stopped else rule


def _of_gradient(
    X: Sequence[Sequence[Any]], y: Sequence[int], weights: Weights, C: Fraction, tol: Fraction
) -> Fraction:
    """½‖∇P(w)‖² where the primal method stops."""
    counted = [(x, s, w) for x, s, w in zip(X, y, weights) if w]
    columns = zip(*(x for x, _, _ in counted))
    at_0 = [
        2 * C * sum(product(v, s * w) for v, (_, s, w) in zip(column, counted))
        for column in columns
    ]
    positive = sum(s > 0 for _, s, _ in counted)
    share = Fraction(max(1, min(positive, len(counted) - positive)), len(counted))
    return (tol * share) ** 2 * sum(g * g for g in at_0) / 2


def _multipliers(
    X: Sequence[Sequence[Any]], y: Sequence[int], weights: Weights, C: Fraction, w: Sequence[Any]
) -> list[Fraction]:
    """2 C_i (1 − y_i w·x_i)⁺, for which P(w) − D is ½‖∇P(w)‖² where hinges are squared."""
    v = list(map(Fraction, w))
    margins = (s * sum(product(a, b) for a, b in zip(v, x)) for x, s in zip(X, y))
    return [2 * C * c * max(Fraction(0), 1 - margin) for c, margin in zip(weights, margins)]


def svc(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of an SVC: a binary SVM for each two classes, by its multipliers."""
    held.check_rows(training)
    if held.parameters.get("probability", False) is True:
        held.refuse("probability", "its probabilities come from random folds; fit without them")
    rows = _kernel_rows(held, training)
    C, tol = Fraction(held.parameter("C")), Fraction(held.parameter("tol"))
    classes, m = training.classes, len(training.y)
    of_row = training.row_weights
    counted = [i for i, weight in enumerate(of_row) if weight]  # LIBSVM sees no others
    positions = held.fitted("support_")
    if max(positions) >= len(counted):
        raise DataError(f"SVC was fitted on more rows than X has: {max(positions)} supports it")
    support = [counted[s] for s in positions]
    _check_support(held, training, support)
    column = {i: s for s, i in enumerate(support)}
    coefficients = held.fitted("dual_coef_")
    of_class = dict(zip(classes, held.fitted("class_weight_")))
    intercepts = held.fitted("intercept_")
    coef = held.fitted("coef_") if held.parameter("kernel") == "linear" else None
    rule = _limited(held, f"tol = {held.parameter('tol')} · Σ C_i")
    flip = -1 if len(classes) == 2 else 1  # of two classes the second is the positive one
    for p, (a, b) in enumerate(combinations(range(len(classes)), 2)):
        kept = [i for i in range(m) if training.y[i] in (classes[a], classes[b])]
        y = [flip if training.y[i] == classes[a] else -flip for i in kept]
        alpha = []
        for i, s in zip(kept, y):
            row = b - 1 if training.y[i] == classes[a] else a
            alpha.append(s * coefficients[row][column[i]] if i in column else 0)
        if min(alpha) < 0:
            raise DataError("SVC was fitted on other labels: dual_coef_ has the signs of those")
        weights = [product(of_class[training.y[i]], of_row[i]) for i in kept]
        answer: dict[str, object] = {"alpha": alpha, "b": intercepts[p]}
        if coef is not None:
            answer["w"] = coef[p]
        yield Claim(
            f"{classes[a]} against {classes[b]}",
            {"family": "svm.binary", **rows(kept), "y": y, "C": C, **_weights(weights)},
            answer,
            tol * C * sum(weights),
            rule,
            "" if rule.startswith(STOPPED) else SINGLE_PRECISION,
        )


def _kernel_rows(held: Held, training: Training) -> Any:
    """From positions to the fields of a problem for these rows."""
    X, kernel = (
        training.X,
        held.only(
            "kernel", "linear", "poly", "rbf", "precomputed", why="give its matrix as 'precomputed'"
        ),
    )
    if kernel == "linear":
        return lambda kept: {"X": [X[i] for i in kept]}
    if kernel == "precomputed":
        if len(X) != len(X[0]):
            raise DataError(f"X: expected the {len(X)} × {len(X)} kernel values of the rows")
        return lambda kept: {"gram": [[X[i][j] for j in kept] for i in kept]}
    gamma = _gamma(held, X)
    if kernel == "rbf":
        K: Any = rounded_matrix(rbf(gamma), X)
        return lambda kept: {"gram": [[K[i][j] for j in kept] for i in kept]}
    scaled = {"name": "polynomial", "degree": held.parameter("degree")}
    scaled |= {"scale": 1 / Fraction(gamma), "offset": Fraction(held.parameter("coef0"))}
    return lambda kept: {"X": [X[i] for i in kept], "kernel": scaled}


def rounded_matrix(kernel: Kernel, X: Sequence[Sequence[Any]]) -> Any:
    """The kernel values of rows that LIBSVM has read, in binary64."""
    return gram(kernel, [[float(v) for v in row] for row in X])


def _gamma(held: Held, X: Sequence[Sequence[Any]]) -> float:
    given = held.parameter("gamma")
    if given == "auto":
        return 1 / len(X[0])
    if given != "scale":
        return float(given)
    values = [exact_number(v, "X") for row in X for v in row]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    return float(1 / (len(X[0]) * variance)) if variance else 1.0


def _check_support(held: Held, training: Training, support: Sequence[int]) -> None:
    vectors = held.fitted("support_vectors_")
    for s, (i, vector) in enumerate(zip(support, vectors)):
        if vector and list(vector) != list(training.X[i]):
            raise DataError(f"SVC was fitted on other rows: support vector {s} isn't row {i} of X")
