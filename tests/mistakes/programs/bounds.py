"""Bounds on risks and errors, in floats."""

from itertools import product
from math import exp, floor, log, log2, log10, sqrt
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
    k = p["k"] + {"k_less": -1, "k_more": 1}.get(bug, 0)
    m = p["m"] if bug == "rows_not_doubled" else 2 * p["m"]
    complexity *= {
        "k_once": 2 * k,
        "ordered_pairs": k * (k - 1),
        "four_k": 4 * k,
        "k_squared": k * k,
        "rivals_twice": 2 * k * (k - 1),
    }.get(bug, 2 * k * k)
    rho = {"times_rho": 1 / p["rho"], "no_rho": 1, "root_of_rho": sqrt(p["rho"])}.get(bug, p["rho"])
    complexity /= rho
    chances = 2 if (on_sample and bug != "one_chance") or bug == "two_chances" else 1
    delta = 1 - p["delta"] if bug == "success" else p["delta"]
    logarithm = {"log_ten": log10, "log_two": log2}.get(bug, log)(chances / delta)
    spread = logarithm / m if bug == "no_root" else sqrt(logarithm / m)
    spread = sqrt(logarithm) / m if bug == "root_of_log" else spread
    spread *= 3 if on_sample and bug != "three_missing" else 1
    spread /= sqrt(3) if on_sample and bug == "three_in_root" else 1
    total = complexity + spread + (bug != "no_loss") * p["empirical"]
    total = min(1.0, total) if bug == "capped" else total
    says_nothing = complexity if bug == "vacuous_early" else total
    return {
        "complexity": complexity,
        "confidence": spread,
        "total": total,
        "vacuous": says_nothing >= 1,
    }


def of_ball(p: dict[str, Any], bug: str) -> float:
    if bug == "squares_for_radii":
        return float(p["r_squared"] * p["Lambda_squared"] / sqrt(p["m"]))
    square = p["r_squared"] * p["Lambda_squared"]
    found = {"no_root_of_ball": square / p["m"], "rows_outside": sqrt(square) / p["m"]}
    return float(found.get(bug, sqrt(square / p["m"])))


def rademacher(H: list[list[float]], bug: str) -> float:
    size = abs if bug == "absolute" else float
    m = len(H[0])
    taken: Any = {"least": min, "averaged": mean_size}.get(bug, max)
    vectors = product((0, 1) if bug == "zero_one" else (-1, 1), repeat=m)
    sups: list[float] = [
        taken([size(sum(a * b for a, b in zip(signs, h))) for h in H]) for signs in vectors
    ]
    if bug == "half_of_signs":
        return sum(sups[len(sups) // 2 :]) / len(sups) / m
    if bug == "half_averaged":
        return sum(sups[len(sups) // 2 :]) / (len(sups) // 2) / m
    if bug == "largest":
        return max(sups) / m
    return sum(sups) / len(sups) / (1 if bug == "not_over_m" else m) * (1 + (bug == "twice"))


def mean_size(sums: list[float]) -> float:
    return sum(map(abs, sums)) / len(sums)


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
    gaps = [[s[c] - v for j, v in enumerate(s) if j != c] for s, c in zip(scores, own)]
    if bug == "first_rival":
        gaps = [row[:1] for row in gaps]
    of_rows = [min(row) for row in gaps]
    gap = sum(of_rows) / len(of_rows) if bug == "mean_margin" else min(of_rows)
    norm = sum(v * v for w in W for v in w) * (3 - two)
    if bug == "longest_weights":
        norm = max(sum(v * v for v in w) for w in W) * (1 if two == 2 else 4)
    if bug == "norm_without_b" and "b" in p:
        norm -= p["b"] * p["b"]
    radius = max(sum(v * v for v in x) for x in X)
    if bug == "mean_radius":
        radius = sum(v * v for x in X for v in x) / len(X)
    margin = gap * gap / (1 if bug == "not_over_norm" else norm)
    counted = sqrt(margin) if bug == "margin_not_squared" else margin
    bound = (1 if bug == "as_two_classes" else two) * radius / counted
    bound = floor(bound) if bug == "cut" else bound
    return {"R_squared": radius, "margin_squared": margin, "bound": bound}


def adaboost(epsilons: list[float], bug: str) -> dict[str, Any]:
    whole, total = 1.0, 0.0
    T = len(epsilons)
    edges = [0.5 - e for e in epsilons]
    for e in epsilons:
        if e >= 0.5 and bug == "stops_at_chance":
            break
        whole *= 4 * e * (1 - e) if bug == "squared" else 2 * sqrt(e * (1 - e))
        total += abs(0.5 - e) if bug == "edge_not_squared" else (0.5 - e) ** 2
        if bug == "returns_at_once":
            break
    squares = {"sum_squared": sum(edges) ** 2, "least_edge": T * min(v * v for v in edges)}
    exponential = exp((-1 if bug == "exponent_halved" else -2) * squares.get(bug, total))
    if bug == "exchanged":
        whole, exponential = exponential, whole
    return {"product": whole, "exponential": exponential}
