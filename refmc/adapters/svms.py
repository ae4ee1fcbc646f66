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

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import fsum
from typing import Any

from refmc.adapters.held import Claim, Held, Training, product
from refmc.core.scalars import exact_number, plain
from refmc.errors import DataError
from refmc.theory.grams import gram
from refmc.theory.kernels import Kernel, linear, polynomial, rbf

MOST_SWEEPS = 100_000
"""Where LIBLINEAR's solver for Crammer and Singer's form stops, whatever max_iter says."""

MANY = 1_000
"""Rows beyond which equal ones of one label are one, which weighs as much; and beyond which weights
are judged beside the multipliers that they determine, without a search for better ones: the gap
that is shown is then that of both, ½‖∇P(w)‖²."""

ROUNDING = 2.0**-40
"""What a score may be off for its rounding, relative to the terms that it is a sum of."""

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
    W = _rows_with_bias(held, bias)
    of_class = _of_classes(held, training)
    rows, _ = training.distinct(MANY)
    X = [[*row, *([] if bias is None else [bias])] for row in rows.X]
    of_row = rows.row_weights
    rule = _limited(held, f"tol = {held.parameter('tol')}", MOST_SWEEPS if joint else None)
    classes = training.classes
    if joint:
        if len(classes) == 2:  # W_0 = −W_1, of which 2 W_1 is shown
            W = [[-v / 2 for v in W[0]], [v / 2 for v in W[0]]]
        weights = [product(of_class[c], w) for c, w in zip(rows.y, of_row)]
        problem = {"family": "svm.multiclass", "X": X, "y": rows.y, "C": C}
        yield Claim(
            "", problem | _weights(weights), {"W": W}, tol * C * sum(weights), f"{rule} · Σ C_i"
        )
        return
    dual = held.only("dual", "auto", True, False)
    if dual == "auto":
        dual = not squared or len(training.X) < len(training.X[0])
    for c, (label, w) in enumerate(zip(classes[-len(W) :], W)):
        # of several classes, only the rows of the positive one have the weight of their class
        others: Any = classes[0] if len(classes) == 2 else None
        y = [1 if other == label else -1 for other in rows.y]
        rest = of_class[others] if len(classes) == 2 else 1
        weights = [product(of_class[label] if s > 0 else rest, v) for s, v in zip(y, of_row)]
        problem = {"family": "svm.binary", "X": X, "y": y, "C": C, "bias": False}
        problem |= {"loss": "squared_hinge"} if squared else {}
        if not dual:
            promise = _of_gradient(X, y, weights, C, tol * _smaller_share(training, label))
            how = " · min(n₊, n₋)/n of ‖∇P(0)‖"
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
    X: Sequence[Sequence[Any]], y: Sequence[int], weights: Weights, C: Fraction, share: Fraction
) -> Fraction:
    """½‖∇P(w)‖² where ‖∇P(w)‖ is this share of ‖∇P(0)‖."""
    signed = [s * w for s, w in zip(y, weights)]
    at_0 = [2 * C * sum(product(v, s) for v, s in zip(column, signed)) for column in zip(*X)]
    return share**2 * sum(g * g for g in at_0) / 2


def _smaller_share(training: Training, label: str | int) -> Fraction:
    """The rows of the label, or those of the others if these are fewer, among all that count."""
    own = [c == label for c, w in zip(training.y, training.row_weights) if w]
    return Fraction(max(1, min(sum(own), len(own) - sum(own))), len(own))


def _multipliers(
    X: Sequence[Sequence[Any]], y: Sequence[int], weights: Weights, C: Fraction, w: Sequence[Any]
) -> list[Fraction]:
    """2 C_i (1 − y_i w·x_i)⁺, for which P(w) − D is ½‖∇P(w)‖² where hinges are squared."""
    v = list(map(Fraction, w))
    margins = (s * sum(product(a, b) for a, b in zip(v, x)) for x, s in zip(X, y))
    return [2 * C * c * max(Fraction(0), 1 - margin) for c, margin in zip(weights, margins)]


def svc(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of an SVC: a binary SVM for each two classes, by its multipliers, and the votes.

    Equal rows may share their multipliers in any way: the function is that of the sums.
    """
    held.check_rows(training)
    if held.parameters.get("probability", False) is True:
        held.refuse("probability", "its probabilities come from random folds; fit without them")
    rows, place = training.distinct(MANY)
    kernel = _kernel(held, training, rows)
    signed = _summed_multipliers(held, training, place, len(rows.y))
    C, tol = Fraction(held.parameter("C")), Fraction(held.parameter("tol"))
    classes = training.classes
    of_class = dict(zip(classes, held.fitted("class_weight_")))
    intercepts = held.fitted("intercept_")
    coef = held.fitted("coef_") if kernel.is_linear else None
    rule = _limited(held, f"tol = {held.parameter('tol')} · Σ C_i")
    positive = 1 if len(classes) == 2 else 0  # which of a pair's two classes has the sign +1
    functions = []
    for p, pair in enumerate(combinations(range(len(classes)), 2)):
        names = [classes[c] for c in pair]
        kept = [i for i, label in enumerate(rows.y) if label in names]
        y = [1 if rows.y[i] == names[positive] else -1 for i in kept]
        # the row of dual_coef_ that a class has for another one leaves out the class itself
        beta = [signed[pair[1] - 1 if rows.y[i] == names[0] else pair[0]][i] for i in kept]
        alpha = [s * b for s, b in zip(y, beta)]
        if min(alpha) < 0:
            raise DataError("SVC was fitted on other labels: dual_coef_ has the signs of those")
        weights = [product(of_class[rows.y[i]], rows.row_weights[i]) for i in kept]
        answer: dict[str, object] = {"alpha": alpha, "b": intercepts[p]}
        if coef is not None:
            answer["w"] = coef[p]
        yield Claim(
            f"{names[0]} against {names[1]}",
            {"family": "svm.binary", **kernel.fields(kept), "y": y, "C": C, **_weights(weights)},
            answer,
            tol * C * sum(weights),
            rule,
            "" if rule.startswith(STOPPED) else SINGLE_PRECISION,
        )
        used = [(i, float(b)) for i, b in zip(kept, beta) if b]
        functions.append(kernel.scores(used, intercepts[p], (-1) ** positive))
    yield _votes(held, training, rows, place, list(zip(*functions)))


def _summed_multipliers(
    held: Held, training: Training, place: Sequence[int], size: int
) -> list[list[Fraction]]:
    """The rows of dual_coef_, summed over the rows of X that have one place."""
    counted = [
        i for i, weight in enumerate(training.row_weights) if weight
    ]  # LIBSVM sees no others
    positions = held.fitted("support_")
    if max(positions) >= len(counted):
        raise DataError(f"SVC was fitted on more rows than X has: {max(positions)} supports it")
    support = [counted[s] for s in positions]
    for s, (i, vector) in enumerate(zip(support, held.fitted("support_vectors_"))):
        if vector and list(vector) != list(training.X[i]):
            raise DataError(f"SVC was fitted on other rows: support vector {s} isn't row {i} of X")
    sums = []
    for coefficients in held.fitted("dual_coef_"):
        row = [Fraction(0)] * size
        for i, value in zip(support, coefficients, strict=True):
            row[place[i]] += Fraction(value)
        sums.append(row)
    return sums


def _votes(
    held: Held,
    training: Training,
    rows: Training,
    place: Sequence[int],
    pairs: Sequence[Sequence[float]],
) -> Claim:
    """The claim that `predict` gives the class of most votes, or with break_ties of the largest
    votes_c + s_c/(3(|s_c| + 1)), where s_c is the sum of the scores that are for c.

    `pairs`: for each distinct row its scores, positive for the first class of a pair; 0 where
    rounding leaves the sign open.
    """
    predicted: Any = plain(held.estimator.predict(training.given))
    label_of = dict(zip(place, predicted, strict=True))
    labels = [label_of[i] for i in range(len(rows.y))]
    classes = training.classes
    duels = list(combinations(range(len(classes)), 2))
    break_ties = len(classes) > 2 and held.parameters.get("break_ties", False)
    if break_ties and held.parameter("decision_function_shape") != "ovr":
        held.refuse("break_ties", "predict has it with decision_function_shape='ovr' alone")
    problem: dict[str, Any] = {"classes": classes}
    if not break_ties:
        for_label = [_settled(scores, duels, classes.index(c)) for scores, c in zip(pairs, labels)]
        problem |= {"family": "ovo.decode", "pairs": for_label}
        return Claim("the votes", problem, {"labels": labels})
    table = []
    for scores, label in zip(pairs, labels):
        sums, votes = [0.0] * len(classes), [0] * len(classes)
        for (a, b), score in zip(duels, scores):
            sums[a], sums[b] = sums[a] + score, sums[b] - score
            votes[a if score > 0 else b] += 1
        row = [v + s / (3 * (abs(s) + 1)) for v, s in zip(votes, sums)]
        own, most = classes.index(label), max(row)
        row[own] = most if most - row[own] <= ROUNDING * len(classes) else row[own]
        table.append(row)
    problem |= {"family": "ova.decode", "scores": table}
    return Claim("the votes", problem, {"labels": labels})


def _settled(scores: Sequence[float], duels: Sequence[tuple[int, int]], label: int) -> list[int]:
    """The signs of a row's scores; of those that rounding leaves open, as the label needs them."""
    votes: Counter[int] = Counter()
    for (a, b), score in zip(duels, scores):
        votes[a if score > 0 else b] += score != 0
    signs = []
    for (a, b), score in zip(duels, scores):
        for_first = score > 0 or (score == 0 and b != label and (a == label or votes[a] < votes[b]))
        votes[a if for_first else b] += score == 0
        signs.append(1 if for_first else -1)
    return signs


@dataclass(frozen=True)
class _Kernel:
    """The kernel of an SVC on the distinct rows.

    `fields`: from positions to what a problem about these rows has; `values`: K in binary64.
    """

    fields: Callable[[Sequence[int]], dict[str, object]]
    values: Sequence[Sequence[float]]
    is_linear: bool = False

    def scores(self, used: Sequence[tuple[int, float]], b: float, sign: int) -> list[float]:
        """sign · (Σ β_i K(x_i, x) + b) of each row x, as 0 where rounding leaves its sign open."""
        found = []
        for K in self.values:
            terms = [beta * K[i] for i, beta in used] + [float(b)]
            score = sign * fsum(terms)
            found.append(score if abs(score) > ROUNDING * fsum(map(abs, terms)) else 0.0)
        return found


def _kernel(held: Held, training: Training, rows: Training) -> _Kernel:
    X, name = (
        rows.X,
        held.only(
            "kernel", "linear", "poly", "rbf", "precomputed", why="give its matrix as 'precomputed'"
        ),
    )
    if name == "linear":
        return _Kernel(lambda kept: {"X": [X[i] for i in kept]}, rounded_matrix(linear, X), True)
    if name == "precomputed":
        if len(training.X) != len(X[0]):
            raise DataError(f"X: expected the {len(X)} × {len(X)} kernel values of the rows")
        first = [training.X.index(x) for x in X]
        return _of_matrix([[x[j] for j in first] for x in X])
    gamma = _gamma(held, training.X)
    if name == "rbf":
        return _of_matrix(rounded_matrix(rbf(gamma), X))
    degree = held.parameter("degree")
    scale, offset = 1 / Fraction(gamma), Fraction(held.parameter("coef0"))
    scaled = {"name": "polynomial", "degree": degree, "scale": scale, "offset": offset}
    return _Kernel(
        lambda kept: {"X": [X[i] for i in kept], "kernel": scaled},
        rounded_matrix(polynomial(degree, scale, offset), X),
    )


def _of_matrix(K: Sequence[Sequence[Any]]) -> _Kernel:
    return _Kernel(lambda kept: {"gram": [[K[i][j] for j in kept] for i in kept]}, K)


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
