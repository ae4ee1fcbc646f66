"""Bounds on risks and errors, in floats."""

from math import exp, log, log10, sqrt
from typing import Any

SUPPORTS: dict[str, list[str]] = {
    "bound.margin": ["expected_complexity", "empirical_complexity"],
    "bound.kernel_margin": ["on_sample"], "bound.kernel_rademacher": [], "bound.adaboost": [],
}  # fmt: skip


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    if p["family"] == "bound.adaboost":
        return adaboost(p["epsilons"], bug)
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


def adaboost(epsilons: list[float], bug: str) -> dict[str, Any]:
    product, total = 1.0, 0.0
    for e in epsilons:
        product *= 4 * e * (1 - e) if bug == "squared" else 2 * sqrt(e * (1 - e))
        total += abs(0.5 - e) if bug == "edge_not_squared" else (0.5 - e) ** 2
    return {
        "product": product,
        "exponential": exp(-total if bug == "exponent_halved" else -2 * total),
    }
