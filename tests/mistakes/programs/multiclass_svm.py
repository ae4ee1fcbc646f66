"""A linear or polynomial multi-class SVM, by coordinate descent on its dual, one row at a time."""

from typing import Any

from tests.mistakes.programs import equal_rows
from tests.mistakes.programs.scores import told_scores

SUPPORTS = {"svm.multiclass": ["cost", "loss", "weights", "kernel", "classes"]}


def gram(X: list[list[float]], kernel: Any, bug: str) -> list[list[float]]:
    def value(x: list[float], z: list[float]) -> float:
        s = sum(a * b for a, b in zip(x, z))
        if kernel == "linear":
            return s
        offset = 0.0 if bug == "no_offset" else kernel["offset"]
        return float((s / kernel["scale"] + offset) ** kernel["degree"])

    return [[value(x, z) for z in X] for x in X]


def standardised(X: list[list[float]], less: int) -> list[list[float]]:
    columns = []
    for column in zip(*X):
        mean = sum(column) / len(column)
        deviation = (
            sum((v - mean) ** 2 for v in column) / max(1, len(column) - less)
        ) ** 0.5 or 1.0
        columns.append([(v - mean) / deviation for v in column])
    return [list(x) for x in zip(*columns)]


def capped(D: list[float], cap: float, A: float, own: int, bug: str) -> list[float]:
    """The minimiser of A/2 |t|² + D·t with sum 0 and t ≤ cap for the own class, ≤ 0 for others."""
    E = [d + A * cap * (r == own and bug != "own_bound") for r, d in enumerate(D)]
    E.sort(reverse=True)
    beta, r = E[0] - A * cap, 1
    while r < len(E) - (bug == "last_class") and beta < r * E[r]:
        beta += E[r]
        r += 1
    beta /= r
    return [min(cap if r == own else 0.0, (beta - d) / A) for r, d in enumerate(D)]


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    p = equal_rows.kept(p, bug)
    X, y, k, C = p["X"], p["y"], len(p["classes"]), p["C"]
    if bug == "unit_rows":
        X = [[v / (sum(u * u for u in x) ** 0.5 or 1) for v in x] for x in X]
    if bug in ("standardised", "standardised_by_rest"):
        X = standardised(X, int(bug != "standardised"))
    if bug == "centred":
        means = [sum(column) / len(X) for column in zip(*X)]
        X = [[v - mean for v, mean in zip(x, means)] for x in X]
    if bug in ("scaled_01", "scaled_both"):
        low, high = [min(c) for c in zip(*X)], [max(c) for c in zip(*X)]
        X = [[(v - a) / ((b - a) or 1) for v, a, b in zip(x, low, high)] for x in X]
    if bug == "scaled_both":
        X = [[2 * v - 1 for v in x] for x in X]
    if bug in ("ones_column", "ones_in_all"):
        X = [[*x, 1.0] for x in X]
    if bug == "labels_as_seen":
        seen = list(dict.fromkeys([*y, *range(k)]))
        y = [seen.index(label) for label in y]
    m = len(X)
    weights = p.get("weights", [1.0] * m)
    if bug == "weights_squared":
        weights = [w * w for w in weights]
    if bug == "weights_normalised":
        weights = [w / sum(weights) for w in weights]
    cost = p.get("cost", [[float(r != s) for s in range(k)] for r in range(k)])
    if bug == "cost_transposed":
        cost = [list(column) for column in zip(*cost)]
    if bug == "cost_backwards":
        cost = [row[::-1] for row in cost[::-1]]
    if bug == "cost_as_seen":
        seen = list(dict.fromkeys([*y, *range(k)]))
        cost = [[cost[seen.index(r)][seen.index(s)] for s in range(k)] for r in range(k)]
    if bug == "cost_squared":
        cost = [[c * c for c in row] for row in cost]
    if bug == "margin_two":
        cost = [[2 * c for c in row] for row in cost]
    if bug == "margin_over_k":
        cost = [[c / k for c in row] for row in cost]
    if bug == "mean_loss":
        C /= m
    if bug == "C_over_classes":
        C /= k
    if bug == "C_over_rivals":
        C /= max(1, k - 1)
    if bug == "C_is_lambda":
        C = 1 / C
    if bug == "norm_not_halved":
        C /= 2
    if bug == "integer_C":
        C = float(int(C))
    if bug == "no_cap":
        C = 1e6
    loss = p["loss"]
    if bug == "other_loss":
        loss = "sum_form" if loss == "max_form" else "max_form"
    if bug == "last_row":
        weights = [*weights[:-1], 0.0] if m > 1 else weights
    K = gram(X, p.get("kernel", "linear"), bug)
    t = [[0.0] * k for _ in X]
    sweeps = 3 if bug == "few_sweeps" else 20_000
    for _ in range(sweeps):
        moved = 0.0
        for i in range(m):
            if bug == "first_row_skipped" and i == 0 and m > 1:
                continue
            A, cap, own = K[i][i], C * weights[i], y[i]
            if A == 0 or cap == 0:
                continue
            f = [sum(K[i][j] * t[j][r] for j in range(m)) for r in range(k)]
            if loss == "max_form":
                D = [cost[r][own] + f[r] - A * t[i][r] for r in range(k)]
                new = capped(D, cap, A, own, bug)
            else:
                new = list(t[i])
                for r in range(own if bug == "earlier_rivals" else k):
                    if r != own:
                        step = (cost[r][own] - f[own] + f[r]) / (2 * A)
                        step = min(cap, max(0.0, step - new[r])) + new[r]
                        new[own], new[r] = new[own] + step, new[r] - step
                        f[own], f[r] = f[own] + A * step, f[r] - A * step
            moved = max(moved, *(abs(a - b) for a, b in zip(new, t[i])))
            t[i] = new
        if bug == "loose" and moved <= 1e-2 * p["C"]:
            break
        if moved <= 1e-14 * p["C"]:
            break
    lam = [[-v for v in row] for row in t]
    for row, own in zip(lam, y):
        row[own] = sum(v for r, v in enumerate(row) if r != own)
    for row, own, weight in zip(lam, y, weights):
        if bug == "own_of_0":
            row[own] = 0.0
        if bug == "own_of_rest":
            row[own] = C * weight - row[own]
    for row, own in zip(lam, y):
        for r in range(k):
            if bug == "lam_negated" or (bug == "lam_as_in_W" and r != own):
                row[r] = -row[r]
    if bug.startswith("scores"):
        columns = list(zip(*t))
        made = [[float(sum(a * v for a, v in zip(row, c))) for c in columns] for row in K]
        return {"scores": told_scores(made, bug)}
    if bug.startswith("descent") and "kernel" not in p:
        return {"W": descended(X, y, [C * w for w in weights], cost, loss, bug)}
    if "kernel" in p or bug.startswith("lam_"):
        return {"lam": lam}
    W = [[sum(t[i][r] * X[i][j] for i in range(m)) for j in range(len(X[0]))] for r in range(k)]
    if bug in ("ones_in_all", "whole_norm_in_dual"):
        shares = [lam[i][r] * cost[r][y[i]] for i in range(m) for r in range(k) if r != y[i]]
        value = sum(shares) - sum(v * v for w in W for v in w) * (1 if bug[0] == "w" else 0.5)
        return {"W": [w[: len(p["X"][0])] for w in W], "lam": lam, "dual": value}
    if bug in ("rivals_shared", "rivals_added", "own_left_out", "rivals_left_out"):
        rival = {"rivals_shared": -1 / max(1, k - 1), "rivals_added": 1.0, "own_left_out": -1.0}
        share = [bug != "own_left_out", rival.get(bug, 0.0)]
        signed = [[v * share[r != c] for r, v in enumerate(row)] for row, c in zip(lam, y)]
        W = [
            [sum(s[r] * x[j] for s, x in zip(signed, X)) for j in range(len(X[0]))]
            for r in range(k)
        ]
        return {"W": W, "lam": lam}
    if bug == "ones_column":
        W = [w[:-1] for w in W]
    if bug == "negated":
        W = [[-v for v in w] for w in W]
    if bug == "two_digits":
        W = [[round(v, 2) for v in w] for w in W]
    if form := {"short": "%.6f", "shorter": "%.3g", "two_figures": "%.2g"}.get(bug):
        W = [[float(form % v) for v in w] for w in W]
    if bug == "columns_swapped":
        W = [w[::-1] for w in W]
    if bug == "relative_to_last":
        W = [[v - u for v, u in zip(w, W[-1])] for w in W]
    if bug == "unit_W":
        W = [[v / (sum(u * u for u in w) ** 0.5 or 1.0) for v in w] for w in W]
    if bug == "untrained":
        W = [[0.0 for v in w] for w in W]
    if bug == "class_means":
        own = [[x for x, c in zip(X, y) if c == r] for r in range(k)]
        W = [[sum(v) / len(rows) for v in zip(*rows)] or [0.0] * len(X[0]) for rows in own]
    if bug == "averaged":
        W = [[v / m for v in w] for w in W]
    if bug in ("own_of_0", "own_of_rest"):
        return {"W": W, "lam": lam}
    if bug.startswith("losses_"):
        told = []
        for x, own in zip(X, y):
            f = [sum(v * u for v, u in zip(w, x)) for w in W]
            rivals = [max(0.0, cost[r][own] + f[r] - f[own]) for r in range(k) if r != own]
            due = max(rivals, default=0.0) if loss == "max_form" else sum(rivals)
            told.append(sum(rivals) if bug == "losses_of_rivals" else due**2)
            if bug == "losses_weighted":
                told[-1] = due * weights[len(told) - 1]
        return {"W": W, "slack": told}
    return {"W": W}


def descended(
    X: list[list[float]], y: list[int], caps: list[float], cost: Any, loss: str, bug: str
) -> list[list[float]]:
    """Weights after some subgradient steps: of all rows at once, or of one row after another."""
    W, m, k = [[0.0] * len(X[0]) for _ in cost], len(X), len(cost)
    total, T = [list(w) for w in W], 1000
    for t in range(1, T + 1):
        eta = 1 / t
        rows = [(t - 1) % m] if bug == "descent_by_row" else range(m)
        times = m if bug == "descent_by_row" else 1
        step = [[-v for v in w] for w in W]
        for i in rows:
            f = [sum(a * b for a, b in zip(w, X[i])) for w in W]
            terms = [cost[r][y[i]] + v - f[y[i]] for r, v in enumerate(f)]
            worst = [max(range(k), key=lambda r: terms[r])]
            for r in worst if loss == "max_form" else [r for r in range(k) if terms[r] > 0]:
                if r != y[i] and terms[r] > 0:
                    up = [times * caps[i] * v for v in X[i]]
                    step[r] = [a - b for a, b in zip(step[r], up)]
                    step[y[i]] = [a + b for a, b in zip(step[y[i]], up)]
        W = [[v + eta * s for v, s in zip(w, move)] for w, move in zip(W, step)]
        total = [[a + b / T for a, b in zip(s, w)] for s, w in zip(total, W)]
    return total if bug == "descent_averaged" else W
