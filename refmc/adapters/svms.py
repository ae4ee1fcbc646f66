"""LinearSVC and SVC of scikit-learn: what they claim to have minimised, and how far they got."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, fsum, inf
from operator import mul
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Held, Training, predicted, product
from refmc.adapters.promises import (
    BEYOND,
    determined_multipliers,
    of_liblinear_dual,
    of_liblinear_primal,
    of_libsvm,
    smaller_share,
)
from refmc.core.scalars import exact_number
from refmc.errors import DataError
from refmc.oracle.svm.searching import check_size
from refmc.theory.grams import gram
from refmc.theory.kernels import Kernel, polynomial, rbf

MOST_SWEEPS = 100_000
"""Where LIBLINEAR's solver for Crammer and Singer's form stops, whatever max_iter says."""

MANY = 1_000
"""Of more rows than that, equal ones of one label are merged into one with the sum of their
weights. The weights w of so many rows are judged with the multipliers that they determine, without
a search for better ones: the gap that is shown is then that of both, ½‖∇P(w)‖²."""

ROUNDING = 2.0**-40
"""How far rounding may put a score off, relative to the sum of the sizes of its terms."""

LEAST = 2.0**-1074
"""The size of a score whose sign rounding leaves open: the least that has a sign."""

Weights = Sequence[Fraction]


def linear_svc(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of a LinearSVC: a binary SVM for each class, or one multi-class SVM.

    The intercept belongs to a column of `intercept_scaling`, which is penalised with the others.
    """
    held.check_rows(training)
    held.only("penalty", "l2")
    joint = held.only("multi_class", "ovr", "crammer_singer") == "crammer_singer"
    squared = held.only("loss", "squared_hinge", "hinge") == "squared_hinge"
    C, tol = held.number("C"), held.number("tol")
    bias = held.number("intercept_scaling") if held.parameter("fit_intercept") else None
    if bias == 0:
        held.refuse("intercept_scaling", "expected another number than 0")
    W = _rows_with_bias(held, bias, training)
    of_class = _of_classes(held, training)
    rows, _ = training.distinct(MANY)
    X = [[*row, *([] if bias is None else [bias])] for row in rows.X]
    of_row = rows.row_weights
    rule, counted = f"tol = {held.parameter('tol')}", held.numbers("n_iter_")
    stopped = _stopped(held, counted, MOST_SWEEPS if joint else None)
    classes = training.classes
    if joint:
        if len(classes) == 2:  # W_0 = −W_1, of which 2 W_1 is shown
            W = [[-v / 2 for v in W[0]], [v / 2 for v in W[0]]]
        weights = [product(of_class[c], w) for c, w in zip(rows.y, of_row)]
        problem = {"family": "svm.multiclass", "X": X, "y": rows.y, "C": C, **_weights(weights)}
        promise = of_liblinear_dual(rule, tol, [C * w for w in weights], X, False, stopped)
        yield Claim("", problem, {"W": W}, promise)
        return
    dual = held.only("dual", "auto", True, False)
    if dual == "auto":
        dual = not squared or len(training.X) < len(training.X[0])
    for label, w in zip(classes[-len(W) :], W):
        # of several classes, only the rows of the positive one have the weight of their class
        rest = of_class[classes[0]] if len(classes) == 2 else 1
        y = [1 if other == label else -1 for other in rows.y]
        weights = [product(of_class[label] if s > 0 else rest, v) for s, v in zip(y, of_row)]
        costs = [C * weight for weight in weights]
        problem = {"family": "svm.binary", "X": X, "y": y, "C": C, "bias": False}
        problem |= _weights(weights) | ({"loss": "squared_hinge"} if squared else {})
        promise = of_liblinear_dual(rule, tol, costs, X, squared, stopped)
        if not dual:
            own = [c == label for c, v in zip(training.y, training.row_weights) if v]
            share = smaller_share(own)
            promise = of_liblinear_primal(rule, tol, costs, X, y, share, w, stopped)
        proof = None
        if squared and len(X) > MANY:
            proof = {"alpha": determined_multipliers(costs, X, y, w)}
            told = f"{promise.rule}; its multipliers are those that its weights determine"
            promise = promise._replace(rule=told)
        part = f"{label} against " + (str(classes[0]) if len(W) == 1 else "the rest")
        yield Claim(part, problem, {"w": w}, promise, proof=proof)


def _rows_with_bias(held: Held, bias: Fraction | None, training: Training) -> list[list[Any]]:
    functions = training.function_count
    coef: list[list[Any]] = held.numbers("coef_", functions, len(training.X[0]))
    if bias is None:
        return coef
    intercept = held.numbers("intercept_", functions)
    return [[*row, Fraction(b) / bias] for row, b in zip(coef, intercept)]


def _of_classes(held: Held, training: Training) -> dict[str | int, Fraction | float]:
    if held.parameter("class_weight") == "balanced" and training.weights is not None:
        held.refuse("class_weight", "beside sample_weight, versions differ in what it counts")
    return held.class_weights(training)


def _weights(weights: Weights) -> dict[str, object]:
    return {} if all(w == 1 for w in weights) else {"weights": list(weights)}


def _stopped(held: Held, counted: Any, own_limit: int | None = None) -> str:
    """That the limit of iterations was met, in words; "" where it wasn't."""
    limit = own_limit or held.whole("max_iter")
    if limit == -1 or counted < limit:
        return ""
    return f"it stopped after {limit} iterations, before its rule"


def svc(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of an SVC: a binary SVM for each two classes, by its multipliers, and the votes.

    Equal rows may share their multipliers in any way: the function is that of the sums.
    """
    known = ("linear", "poly", "rbf", "precomputed")
    held.only("kernel", *known, why="give its matrix as 'precomputed'")
    if held.parameters.get("probability", False) is True:
        held.refuse("probability", "its probabilities come from random folds; fit without them")
    held.check_rows(training)
    rows, place = training.distinct(MANY)
    kernel = _kernel(held, training, rows)
    signed = _summed_multipliers(held, training, place, len(rows.y))
    C, tol, rule = held.number("C"), held.number("tol"), f"tol = {held.parameter('tol')}"
    classes = training.classes
    of_class = _of_classes(held, training)
    duels = comb(len(classes), 2)
    intercepts = held.numbers("intercept_", duels)
    coef = held.numbers("coef_", duels, len(training.X[0])) if kernel.is_linear else None
    iterations = held.numbers("n_iter_", duels)
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
        parts = [(i, float(b), abs(float(b))) for i, b in zip(kept, beta) if b]
        if coef is not None:  # which is a sum of larger terms, too
            K = kernel.values
            parts = [
                (j, v, fsum(abs(size * K[i][j]) for i, _, size in parts))
                for j, v in enumerate(coef[p])
            ]
        scores = kernel.scores(parts, intercepts[p])
        sign = (-1) ** positive
        functions.append([sign * v if abs(v) > ROUNDING * size else 0.0 for v, size in scores])
        margins = [s * scores[i][0] for s, i in zip(y, kept)]
        costs, stopped = [C * weight for weight in weights], _stopped(held, iterations[p])
        yield Claim(
            f"{names[0]} against {names[1]}",
            {"family": "svm.binary", **kernel.fields(kept), "y": y, "C": C, **_weights(weights)},
            answer,
            of_libsvm(rule, tol, costs, alpha, margins, kernel.largest, stopped),
        )
    yield _votes(held, training, rows, place, list(zip(*functions)))


def _summed_multipliers(
    held: Held, training: Training, place: Sequence[int], size: int
) -> list[list[Fraction]]:
    """The rows of dual_coef_, summed over the rows of X that have one place."""
    # LIBSVM sees no rows of weight 0
    counted = [i for i, weight in enumerate(training.row_weights) if weight]
    for label in training.classes:
        if all(training.y[i] != label for i in counted):
            raise DataError(f"sample_weight: SVC was fitted without class {label}, of weight 0")
    positions = held.numbers("support_", None)
    if foreign := set(positions) - set(range(len(counted))):
        raise DataError(
            f"SVC was fitted on other rows: support_ holds {max(foreign)}, but X has {len(counted)}"
        )
    support = [counted[int(s)] for s in positions]
    vectors = held.numbers("support_vectors_", None, None)
    for s, (i, vector) in enumerate(zip(support, vectors)):
        if list(vector) != list(training.X[i]):
            raise DataError(f"SVC was fitted on other rows: support vector {s} isn't row {i} of X")
    sums = []
    for coefficients in held.numbers("dual_coef_", len(training.classes) - 1, len(positions)):
        row = [Fraction(0)] * size
        for i, value in zip(support, coefficients):
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
    """The claim that `predict` gives a class of most votes.

    With break_ties it is that with the largest sum of scores among these. `pairs`: for each
    distinct row its scores, positive for the first class of a pair; 0 where rounding leaves the
    sign open.
    """
    classes = training.classes
    label_of = dict(zip(place, predicted(held.estimator, training, classes)))
    labels = [label_of[i] for i in range(len(rows.y))]
    duels = list(combinations(range(len(classes)), 2))
    by_sums = len(classes) > 2 and bool(held.parameters.get("break_ties"))
    signs = [_settled(row, duels, classes.index(c), by_sums) for row, c in zip(pairs, labels)]
    problem: dict[str, Any] = {"family": "ovo.decode", "classes": classes, "pairs": signs}
    if by_sums:
        if held.parameter("decision_function_shape") != "ovr":
            held.refuse("break_ties", "predict has it with decision_function_shape='ovr' alone")
        sizes = [[abs(score) or LEAST for score in scores] for scores in pairs]
        problem["pairs"] = [list(map(mul, *row)) for row in zip(signs, sizes)]
        problem["rule"] = "votes_then_sums"
    return Claim("the votes", problem, {"labels": labels})


def _settled(
    scores: Sequence[float], duels: Sequence[tuple[int, int]], label: int, by_sums: bool
) -> list[int]:
    """The signs of a row's scores; those that rounding leaves open let the label win if any can.

    It has the votes of all its open duels. Another class may have as many, and one less where it
    has a larger sum of scores. While one has more, a chain of open duels is turned from it to a
    class that may have another vote.
    """
    signs = [1 if v > 0 or (v == 0 and b != label) else -1 for v, (_, b) in zip(scores, duels)]
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for (a, b), score in zip(duels, scores):
        sums[a] += Fraction(score)
        sums[b] -= Fraction(score)
    chain: Sequence[int] | None = ()
    while chain is not None:
        for p in chain:
            signs[p] = -signs[p]
        votes = Counter(duel[sign < 0] for duel, sign in zip(duels, signs))
        beaten = {c: by_sums and sums[c] > sums[label] for c in sums}
        spare = {c: votes[label] - beaten[c] - votes[c] for c in beaten}
        chain = _chain(scores, duels, signs, spare)
    return signs


def _chain(
    scores: Sequence[float],
    duels: Sequence[tuple[int, int]],
    signs: Sequence[int],
    spare: Mapping[int, int],
) -> list[int] | None:
    """Open duels that take a vote from a class with too many to one with some to spare, if any."""
    waiting: list[tuple[int, list[int]]] = [(c, []) for c, left in spare.items() if left < 0]
    met = {c for c, _ in waiting}
    for c, chain in waiting:  # which grows
        if spare[c] > 0:
            return chain
        for p, (duel, sign) in enumerate(zip(duels, signs)):
            loser = duel[sign > 0]
            if not scores[p] and duel[sign < 0] == c and loser in spare.keys() - met:
                met.add(loser)
                waiting.append((loser, [*chain, p]))
    return None


@dataclass(frozen=True)
class _Kernel:
    """The kernel of an SVC on the distinct rows.

    `values`: K in binary64, or the rows themselves where it is linear. `X`: the rows, if a problem
    has them and no matrix; `record`: what it then has of a kernel that isn't linear.
    """

    values: Sequence[Sequence[Any]]
    X: Sequence[Sequence[Any]] | None = None
    record: Mapping[str, object] | None = None

    @property
    def is_linear(self) -> bool:
        """Whether there are weights."""
        return self.X is not None and self.record is None

    def fields(self, kept: Sequence[int]) -> dict[str, object]:
        """The fields of a problem about some of the rows."""
        if self.X is None:
            return {"gram": [[self.values[i][j] for j in kept] for i in kept]}
        return {"X": [self.X[i] for i in kept], **({"kernel": self.record} if self.record else {})}

    @property
    def largest(self) -> float:
        """The largest K(x, x)."""
        if self.is_linear:
            return max(fsum(v * v for v in row) for row in self.values)
        return max(float(row[i]) for i, row in enumerate(self.values))

    def scores(
        self, parts: Sequence[tuple[int, float, float]], b: float
    ) -> list[tuple[float, float]]:
        """Σ β_i K(x_i, x) + b or w·x + b of each row x, and the sum of the sizes of its terms.

        `parts`: of each β_i or w_i the position, the value and the size.
        """
        found = []
        for K in self.values:
            terms = [*(part * K[i] for i, part, _ in parts), float(b)]
            sizes = [*(s * abs(K[i]) for i, _, s in parts), abs(float(b))]
            if not len(terms) * max(map(abs, terms + sizes)) < inf:  # nor are the sums
                raise DataError(BEYOND)
            found.append((fsum(terms), fsum(sizes)))
        return found


def _kernel(held: Held, training: Training, rows: Training) -> _Kernel:
    X, name = rows.X, held.parameter("kernel")
    if name == "linear":
        return _Kernel([[float(v) for v in row] for row in X], X)
    if name == "precomputed":
        if (m := len(training.X)) != len(X[0]):
            raise DataError(f"X: expected the {m} × {m} kernel values of the rows")
        first = [training.X.index(x) for x in X]
        return _Kernel([[x[j] for j in first] for x in X])
    pair = sum(sorted(Counter(rows.y).values())[-2:])
    check_size({"gram": [[0] * pair] * pair})  # before the matrix is made
    gamma = _gamma(held, training.X)
    if name == "rbf":
        return _Kernel(rounded_matrix(rbf(gamma), X))
    degree = held.parameter("degree")
    scale, offset = 1 / Fraction(gamma), held.number("coef0")
    record = {"name": "polynomial", "degree": degree, "scale": scale, "offset": offset}
    return _Kernel(rounded_matrix(polynomial(degree, scale, offset), X), X, record)


def rounded_matrix(kernel: Kernel, X: Sequence[Sequence[Any]]) -> Any:
    """The kernel values of rows that LIBSVM has read, in binary64."""
    return gram(kernel, [[float(v) for v in row] for row in X])


def _gamma(held: Held, X: Sequence[Sequence[Any]]) -> float:
    given = held.parameter("gamma")
    if given == "auto":
        return 1 / len(X[0])
    if given != "scale":
        return float(held.number("gamma")) or held.refuse(
            "gamma", "no kernel tells rows apart then"
        )
    values = [exact_number(v, "X") for row in X for v in row]
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / len(values)
    return float(1 / (len(X[0]) * variance)) if variance else 1.0
