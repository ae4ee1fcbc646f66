"""A hard-margin SVM by SMO, whose multipliers grow without end where nothing separates the rows."""

from typing import Any

from tests.mistakes.programs.scores import told_scores

SUPPORTS = {"svm.hard": ["kernel", "bias", "weights", "classes", "gram"]}


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    if bug and not {"separable", "skip"}.isdisjoint(found := solve(p)):
        return found
    kept = [i for i, weight in enumerate(p.get("weights", [1.0] * len(p["y"]))) if weight]
    y, kernel, free = [p["y"][i] for i in kept], p.get("kernel", "linear"), p["bias"] is True
    X = [p["X"][i] for i in kept] if "X" in p else None
    m = len(y)

    def k(a: list[float], b: list[float]) -> float:
        s = sum(u * v for u, v in zip(a, b))
        if kernel != "linear":
            s = (s / kernel["scale"] + kernel["offset"]) ** kernel["degree"]
        return float(s)

    K = [[k(a, b) for b in X] for a in X] if X else [[p["gram"][i][j] for j in kept] for i in kept]
    if p["bias"] == "penalised":
        K = [[v + 1 for v in row] for row in K]
    steps = {"few_steps": 3, "few_sweeps": 3, "more_steps": 20, "dual_ascent": 200}.get(bug, 20_000)
    alpha, grad = [0.0] * m, [-1.0] * m  # of ½ Σ α α y y K − Σ α
    largest = max(K[i][i] for i in range(m)) or 1.0
    for t in range(steps):
        if bug == "dual_ascent":  # along the gradient, and back to the bounds and the equality
            mean = sum(c * g for c, g in zip(y, grad)) / m if free else 0.0
            moved = [a - (g - c * mean) / (m * largest) for a, g, c in zip(alpha, grad, y)]
            alpha = [max(0.0, a) for a in moved]
            grad = [y[i] * sum(a * c * v for a, c, v in zip(alpha, y, K[i])) - 1 for i in range(m)]
            continue
        up = [i for i in range(m) if y[i] > 0 or alpha[i] > 0]
        low = [i for i in range(m) if y[i] < 0 or alpha[i] > 0]
        if free:
            if not up or not low:
                break
            i, j = max(up, key=lambda i: -y[i] * grad[i]), min(low, key=lambda i: -y[i] * grad[i])
            gap = y[j] * grad[j] - y[i] * grad[i]
            if gap < (1e-2 if bug == "loose" else 1e-13):
                break
            curve = K[i][i] + K[j][j] - 2 * K[i][j]
            if curve <= 0:
                small = X is not None and X[i] != X[j]
                return {"skip": "beyond floats"} if small else {"separable": False}
            step = gap / curve
            step = min(step, 1e20 if y[i] > 0 else alpha[i], alpha[j] if y[j] > 0 else 1e20)
            moves = [(i, y[i] * step), (j, -y[j] * step)]
        else:
            i = t % m
            if bug != "few_sweeps":
                i = max(range(m), key=lambda i: 0.0 if alpha[i] <= 0 < grad[i] else abs(grad[i]))
            if K[i][i] == 0:
                break
            moves = [(i, max(0.0, alpha[i] - grad[i] / K[i][i]) - alpha[i])]
        for i, change in moves:
            alpha[i] += change
            for j in range(m):
                grad[j] += y[i] * y[j] * change * K[i][j]
    f = [sum(a * c * v for a, c, v in zip(alpha, y, row)) for row in K]
    if kernel == "linear" and X and p["bias"] != "penalised":
        w = [sum(a * c * x[j] for a, c, x in zip(alpha, y, X)) for j in range(len(X[0]))]
        f = [sum(u * v for u, v in zip(w, x)) for x in X]
    sides = [[v for v, c in zip(f, y) if c == side] for side in (1, -1)]
    b = float(y[0])
    if all(sides):
        b = -(min(sides[0]) + max(sides[1])) / 2
    if bug != "dual_ascent" and bug.startswith(("few", "more", "loose")):
        at = [c * g for c, g, a in zip(y, grad, alpha) if a > 1e-9 / largest]
        b = -sum(at) / len(at) if at else b
    b = b if free else 0.0
    scores = [v + b for v in f]
    if not bug and min(c * f for c, f in zip(y, scores)) < 1 - 1e-6:
        few = max(alpha) * largest < 1e15
        return {"separable": False} if few else {"skip": "the margin is too small for floats"}
    if bug.startswith("scores"):
        return {"scores": told_scores(scores, bug)}
    if kernel != "linear" or X is None:
        return {"alpha": alpha, "b": b} if free else {"alpha": alpha}
    w = [sum(a * c * x[j] for a, c, x in zip(alpha, y, X)) for j in range(len(X[0]))]
    if p["bias"] == "penalised":
        b = sum(a * c for a, c in zip(alpha, y))
    return {"w": w, "b": b} if p["bias"] else {"w": w}
