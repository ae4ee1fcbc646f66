"""Bounds on risks and errors, in floats."""

from itertools import product
from math import exp, log, log10, sqrt
from typing import Any

SUPPORTS: dict[str, list[str]] = {
    "bound.margin": ["expected_complexity", "empirical_complexity"],
    "bound.kernel_margin": ["on_sample"], "bound.kernel_rademacher": [], "bound.adaboost": [],
    "bound.rademacher": [], "bound.perceptron": ["W", "w", "b"],
}  # fmt: skip


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    if p["family"] == "bound.adaboost":
        return adaboost(p["epsilons"], bug)
    if p["family"] == "bound.rademacher":
        return {"value": rademacher(p["values"], bug)}
    if p["family"] == "bound.perceptron":
        return perceptron(p, bug)
    if p["family"] == "bound.kernel_rademacher":
        return {"value": of_ball(p, bug)}
    on_sample = "empirical_complexity" in p or p.get("on_sample", False)
    if p["family"] == "bound.kernel_margin":
        complexity = of_ball(p, bug)
    else:
        complexity = p["empirical_complexity" if on_sample else "expected_complexity"]
    k, m = p["k"], p["m"] if bug == "rows_not_doubled" else 2 * p["m"]
    complexity *= {"k_once": 2 * k, "ordered_pairs": k * (k - 1)}.get(bug, 2 * k * k)
    complexity = complexity * p["rho"] if bug == "times_rho" else complexity / p["rho"]
    chances = 2 if on_sample and bug != "one_chance" else 1
    spread = (log10 if bug == "log_ten" else log)(chances / p["delta"]) / m
    spread = spread if bug == "no_root" else sqrt(spread)
    spread *= 3 if on_sample and bug != "three_missing" else 1
    total = p["empirical"] + complexity + spread
    return {"complexity": complexity, "confidence": spread, "total": total, "vacuous": total >= 1}


def of_ball(p: dict[str, Any], bug: str) -> float:
    if bug == "squares_for_radii":
        return float(p["r_squared"] * p["Lambda_squared"] / sqrt(p["m"]))
    return sqrt(p["r_squared"] * p["Lambda_squared"] / p["m"])


def rademacher(H: list[list[float]], bug: str) -> float:
    size = abs if bug == "absolute" else float
    m = len(H[0])
    sups = [
        max(size(sum(a * b for a, b in zip(signs, h))) for h in H)
        for signs in product((-1, 1), repeat=m)
    ]
    return sum(sups) / len(sups) / (1 if bug == "not_over_m" else m) * (1 + (bug == "twice"))


def perceptron(p: dict[str, Any], bug: str) -> dict[str, float]:
    X = [[*x, 1.0] for x in p["X"]] if "b" in p else p["X"]
    if "w" in p:  # the weights of the two classes, so that the margin is their difference
        w = [*p["w"], p["b"]] if "b" in p else p["w"]
        W, two = [[-v / 2 for v in w], [v / 2 for v in w]], 1
    else:
        W, two = p["W"], 2
    scores = [[sum(a * b for a, b in zip(w, x)) for w in W] for x in X]
    names = p.get("classes") or sorted(set(p["y"]))
    own = [names.index(label) for label in p["y"]]
    gap = min(s[c] - v for s, c in zip(scores, own) for j, v in enumerate(s) if j != c)
    norm = sum(v * v for w in W for v in w) * (3 - two)
    radius = max(sum(v * v for v in x) for x in X)
    if bug == "mean_radius":
        radius = sum(v * v for x in X for v in x) / len(X)
    margin = gap * gap / (1 if bug == "not_over_norm" else norm)
    counted = sqrt(margin) if bug == "margin_not_squared" else margin
    return {"R_squared": radius, "margin_squared": margin, "bound": two * radius / counted}


def adaboost(epsilons: list[float], bug: str) -> dict[str, Any]:
    whole, total = 1.0, 0.0
    for e in epsilons:
        whole *= 4 * e * (1 - e) if bug == "squared" else 2 * sqrt(e * (1 - e))
        total += abs(0.5 - e) if bug == "edge_not_squared" else (0.5 - e) ** 2
    return {
        "product": whole,
        "exponential": exp(-total if bug == "exponent_halved" else -2 * total),
    }
