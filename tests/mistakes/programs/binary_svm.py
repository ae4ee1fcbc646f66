"""A soft-margin SVM by SMO: the pair that violates the conditions most moves first."""

from typing import Any

from tests.mistakes.programs import equal_rows
from tests.mistakes.programs.scores import told_scores

SUPPORTS = {"svm.binary": ["weights", "kernel", "bias", "loss", "classes"]}


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    p = equal_rows.kept(p, bug)
    X, y, C, bias = p["X"], p["y"], p["C"], p["bias"]
    m, kernel = len(X), p.get("kernel", "linear")
    if bug == "first_is_positive":
        y = [c * y[0] for c in y]
    if bug == "standardised":
        columns = []
        for column in zip(*X):
            mean = sum(column) / m
            deviation = (sum((v - mean) ** 2 for v in column) / m) ** 0.5 or 1.0
            columns.append([(v - mean) / deviation for v in column])
        X = [list(x) for x in zip(*columns)]
    if bug == "last_column":
        X = [[*x[:-1], 0.0] for x in X]
    if bug == "divided":
        largest = [max(map(abs, column)) or 1.0 for column in zip(*X)]
        X = [[v / most for v, most in zip(x, largest)] for x in X]
    if bug == "always_penalised" and bias is True:
        bias = "penalised"
    if bug == "never_bias":
        bias = False
    weights = p.get("weights", [1.0] * m)
    if bug == "weights_inverse":
        weights = [1 / w if w else 0.0 for w in weights]
    if bug == "weights_ignored":
        weights = [1.0] * m
    if bug == "balanced":
        weights = [w * m / (2 * y.count(c)) for w, c in zip(weights, y)]
    if bug == "weights_over_largest":
        weights = [w / max(weights) for w in weights]
    if bug == "weights_over_mean":
        weights = [w * m / sum(weights) for w in weights]
    if bug == "weights_of_positives":
        weights = [w if sign > 0 else 1.0 for w, sign in zip(weights, y)]
    if bug == "weights_on_rows":
        X, weights = [[w * v for v in x] for w, x in zip(weights, X)], [1.0] * m
    if bug == "C_of_1":
        C = 1.0
    if bug == "C_cut":
        C = float(int(C))
    if bug == "C_squared":
        C *= C
    if bug == "C_over_m":
        C /= m
    if bug == "norm_whole":
        C /= 2
    if bug == "C_is_lambda":
        C = 1 / C
    if bug == "lambda_of_mean":
        C = 1 / (C * m)
    if bug == "hard":
        C = 1e5
    caps = [C * w for w in weights]
    if bug == "C_for_positives_only":
        caps = [c if sign > 0 else 1e5 for c, sign in zip(caps, y)]

    def k(a: list[float], b: list[float]) -> float:
        s = sum(u * v for u, v in zip(a, b))
        if kernel != "linear":
            if bug == "scale_multiplies":
                s *= kernel["scale"] ** 2
            degree = kernel["degree"] + (bug == "degree_plus_one")
            offset = kernel["offset"]
            if bug == "offset_divided":
                offset /= kernel["scale"]
            s = (s / kernel["scale"] + offset) ** degree
        return float(s + (bias == "penalised"))

    K = [[k(a, b) for b in X] for a in X]
    squared = (p["loss"] == "squared_hinge") != (bug == "other_loss")
    ridge = [1 / (2 * c) if squared and c else 0.0 for c in caps]  # of the squared hinge
    if squared:
        caps = [1e12 if c else 0.0 for c in caps]
    if bug == "half_squared":
        ridge = [2 * r for r in ridge]
    alpha, grad = [0.0] * m, [-1.0] * m
    steps = {"clipped_alone": 2_000, "loose_kernel": 400_000}.get(bug, 400_000)
    for _ in range(20 if bug.startswith("few_steps") else steps):
        up = [i for i in range(m) if (alpha[i] < caps[i] if y[i] > 0 else alpha[i] > 0)]
        low = [i for i in range(m) if (alpha[i] > 0 if y[i] > 0 else alpha[i] < caps[i])]
        if bias is True:
            if not up or not low:
                break
            i, j = max(up, key=lambda i: -y[i] * grad[i]), min(low, key=lambda i: -y[i] * grad[i])
            gap = y[j] * grad[j] - y[i] * grad[i]
            if gap < (1e-2 if bug == "loose" else 1e-12):
                break
            curve = K[i][i] + K[j][j] - 2 * K[i][j] + ridge[i] + ridge[j]
            step = min(
                gap / curve if curve > 0 else 1e300,
                caps[i] - alpha[i] if y[i] > 0 else alpha[i],
                alpha[j] if y[j] > 0 else caps[j] - alpha[j],
            )
            moves = [(i, y[i] * step), (j, -y[j] * step)]
            if bug == "clipped_alone":
                step = gap / curve if curve > 0 else 1e3
                moves = [
                    (r, min(caps[r], max(0.0, alpha[r] + s * step)) - alpha[r])
                    for r, s in ((i, y[i]), (j, -y[j]))
                ]
        else:

            def slope(i: int) -> float:
                at_end = alpha[i] <= 0 if grad[i] > 0 else alpha[i] >= caps[i]
                return 0.0 if at_end else abs(grad[i])

            i = max(range(m), key=slope)
            if slope(i) < 1e-13:
                break
            curve = K[i][i] + ridge[i]
            to = alpha[i] - grad[i] / curve if curve > 0 else (caps[i] if grad[i] < 0 else 0.0)
            moves = [(i, min(caps[i], max(0.0, to)) - alpha[i])]
        for i, change in moves:
            alpha[i] += change
            for j in range(m):
                grad[j] += y[i] * y[j] * change * K[i][j] + (ridge[i] * change if i == j else 0.0)
    if bias is not True:
        b = 0.0
    else:
        free = [i for i in range(m) if 1e-9 < alpha[i] < caps[i] - 1e-9]
        ups, lows = [-y[i] * grad[i] for i in up], [-y[i] * grad[i] for i in low]
        ends = [max(ups)] if ups else [], [min(lows)] if lows else []
        b = sum(ends[0] + ends[1]) / (len(ends[0] + ends[1]) or 1)
        if bug in ("b_from_all", "b_and_losses_from_all") and max(alpha) > 1e-9:
            at = [i for i in range(m) if alpha[i] > 1e-9]
            b = sum(-y[i] * grad[i] for i in at) / len(at)
        if bug == "b_of_first_support" and max(alpha) > 0:
            b = next(-y[i] * grad[i] for i in range(m) if alpha[i] > 0)
        if bug == "b_summed":
            b = sum(-y[i] * grad[i] for i in free)
        if bug == "b_of_first" and free:
            b = y[free[0]] * (1 + grad[free[0]])
        if bug in ("b_from_rows", "b_from_means"):
            f = [y[i] * (1 + grad[i]) - ridge[i] * alpha[i] * y[i] for i in range(m)]
            b = sum(c - v for c, v in zip(y, f)) / m
        if bug == "b_from_means" and len(set(y)) == 2:
            sides = [[v for v, c in zip(f, y) if c == side] for side in (1, -1)]
            b = -sum(sum(side) / len(side) for side in sides) / 2
        if bug == "b_of_hard_margin" and len(set(y)) == 2:
            f = [y[i] * (1 + grad[i]) - ridge[i] * alpha[i] * y[i] for i in range(m)]
            positive = min(v for v, c in zip(f, y) if c > 0)
            b = -(positive + max(v for v, c in zip(f, y) if c < 0)) / 2
        if bug == "b_wrong_sign":
            b = -b
        if bug == "b_missing":
            b = 0.0
        if bug == "b_rho":
            b = -sum(-y[i] * grad[i] for i in free) / len(free) if free else -b
    if bug == "b_of_linear" and kernel != "linear" and free and p["bias"] is True:
        mine = [sum(alpha[j] * y[j] * dot(X[i], X[j]) for j in range(m)) for i in free]
        b = sum(y[i] - v for i, v in zip(free, mine)) / len(free)
    if bug.startswith("scores"):
        f = [y[i] * (1 + grad[i]) - ridge[i] * alpha[i] * y[i] + b for i in range(m)]
        return {"scores": told_scores(f, bug)}
    if kernel != "linear":
        told = [a * c for a, c in zip(alpha, y)] if bug == "signed" else alpha
        return {"alpha": told, "b": b}
    w = [sum(alpha[i] * y[i] * X[i][j] for i in range(m)) for j in range(len(X[0]))]
    if bug.startswith("descent") and not squared and p["bias"] != "penalised":
        w, b = descended(X, y, caps, p["bias"], bug)
        return {"w": w, "b": b} if p["bias"] else {"w": w}
    scores = [sum(u * v for u, v in zip(w, x)) + b for x in X]
    told_losses = "b_and_losses_from_all", "losses_without_b", "losses_minus_b", "losses_absolute"
    if bug in told_losses and not squared and p["bias"] is True:
        less = {"losses_without_b": b, "losses_minus_b": 2 * b}.get(bug, 0.0)
        excess = [1 - s * (v - less) for s, v in zip(y, scores)]
        told = [abs(v) if bug == "losses_absolute" else max(0.0, v) for v in excess]
        return {"w": w, "b": b, "slack": told}
    slacks = [c * max(0.0, 1 - s * v) for c, s, v in zip(caps, y, scores)]
    factor = {"norm_whole": 2, "b_of_hard_margin": 1, "minus_objective": -1}.get(bug)
    if factor is not None and not squared and p["bias"] is True:
        value = sum(v * v for v in w) / 2 + sum(slacks)
        return {"w": w, "b": b, "objective": value * factor}
    if bug == "free_rows_alone":
        told = [a * c if a < cap - 1e-9 else 0.0 for a, c, cap in zip(alpha, y, caps)]
        w = [sum(a * x[j] for a, x in zip(told, X)) for j in range(len(w))]
    if bug == "whole_norm" and not squared and p["bias"] is True:
        return {"w": w, "b": b, "objective": sum(v * v for v in w) + sum(slacks)}
    if bug == "nearest_mean" and len(set(y)) == 2 and p["bias"] is True:
        sides = [[x for x, c in zip(X, y) if c == side] for side in (-1, 1)]
        low, high = ([sum(v) / len(side) for v in zip(*side)] for side in sides)
        w = [u - v for u, v in zip(high, low)]
        return {"w": w, "b": -sum(d * (u + v) / 2 for d, u, v in zip(w, high, low))}
    if bug == "ridge" and p["bias"] is True:
        w, b = [0.0] * len(w), 0.0
        rate = 1 / (1 + max(sum(v * v for v in x) for x in X))
        for _ in range(3000):
            off = [sum(u * v for u, v in zip(w, x)) + b - c for x, c in zip(X, y)]
            down = [sum(e * x[j] for e, x in zip(off, X)) / m for j in range(len(w))]
            w = [v - rate * (v / m + s) for v, s in zip(w, down)]
            b -= rate * sum(off) / m
        return {"w": w, "b": b}
    if bug == "few_steps_of_alpha" and not squared and p["bias"] is True:
        return {"w": w, "b": b, "alpha": alpha}
    if bug == "unsigned":
        w = [sum(alpha[i] * X[i][j] for i in range(m)) for j in range(len(X[0]))]
    if bug == "unit_w":
        norm = sum(v * v for v in w) ** 0.5 or 1.0
        w, b = [v / norm for v in w], b / norm
    if bug == "three_digits":
        w, b = [round(v, 3) for v in w], round(b, 3)
    if bug == "minus_alpha" and bias != "penalised":
        signed = {"w": w, "alpha": [-a * c for a, c in zip(alpha, y)]}
        return {**signed, "b": b} if p["bias"] is True else signed
    if bias == "penalised":
        if p["bias"] is True:
            b = sum(a * c for a, c in zip(alpha, y))
            return {"w": w, "b": b}
        return {"w": w, "b": sum(a * c for a, c in zip(alpha, y))}
    return {"w": w, "b": b} if p["bias"] is True else {"w": w}


def dot(u: list[float], v: list[float]) -> float:
    return sum(a * b for a, b in zip(u, v))


def descended(
    X: list[list[float]], y: list[float], caps: list[float], bias: bool, bug: str
) -> tuple[list[float], float]:
    """Weights after some subgradient steps: of all rows at once, or of one row after another."""
    w, b, m = [0.0] * len(X[0]), 0.0, len(X)
    mean, T = [0.0] * (len(w) + 1), 1000
    for t in range(1, T + 1):
        rows = [(t - 1) % m] if bug == "descent_by_row" else range(m)
        times = m if bug == "descent_by_row" else 1
        due = [i for i in rows if y[i] * (dot(w, X[i]) + b) < 1]
        w = [
            v * (1 - 1 / t) + (1 / t) * times * sum(caps[i] * y[i] * X[i][j] for i in due)
            for j, v in enumerate(w)
        ]
        b += bias * (1 / t) * times * sum(caps[i] * y[i] for i in due)
        mean = [s + v / T for s, v in zip(mean, [*w, b])]
    return (mean[:-1], mean[-1]) if bug == "descent_averaged" else (w, b)
