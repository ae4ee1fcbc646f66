"""Losses of margins and of scores, and their means."""

from math import exp, log
from statistics import median
from struct import pack, unpack
from typing import Any

SUPPORTS: dict[str, list[str]] = {
    "loss.hinge": [], "loss.perceptron": [], "loss.exponential": [], "loss.logistic": [],
    "loss.margin": ["rho"], "loss.hamming": [], "loss.zero_one": ["scores", "classes"],
    "loss.multiclass_hinge": ["cost", "classes"], "loss.multiclass_hinge_sum": ["cost", "classes"],
}  # fmt: skip


MEANS: dict[str, Any] = {
    "median": median, "largest": max, "last_over_m": lambda values: values[-1] / len(values),
    "first_not_averaged": lambda values: sum(values[1:]) / max(1, len(values) - 1),
    "last_not_averaged": lambda values: sum(values[:-1]) / max(1, len(values) - 1),
    "first_not_added": lambda values: sum(values[1:]) / len(values),
    "last_not_added": lambda values: sum(values[:-1]) / len(values),
    "equal_values_once": lambda values: sum({*values}) / len({*values}),
    "cut": lambda values: sum(values) // len(values),
    "one_more": lambda values: sum(values) / (len(values) + 1), "sum_and_sign": sum,
}  # fmt: skip


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    name = p["family"].partition(".")[2]
    if bug == "whole":
        p = {n: rounded(v) if n in ("z", "scores") else v for n, v in p.items()}
    if bug in ("rounded", "single"):
        p = {n: changed(v, bug) if n in ("z", "scores") else v for n, v in p.items()}
    if bug in ("first_label", "last_label") and "y" in p:
        p = {**p, "y": [p["y"][-(bug == "last_label")]] * len(p["y"])}
    if bug == "next_label" and "y" in p:
        p = {**p, "y": [*p["y"][1:], p["y"][0]]}
    if name == "zero_one":
        best = min if bug == "least_score" else max
        guessed = [s.index(best(s)) for s in p["scores"]] if "scores" in p else p["predicted"]
        values = [float(a != b) for a, b in zip(guessed, p["y"])]
    elif name == "hamming":
        values = [hamming(a, b, bug) for a, b in zip(p["predicted"], p["y"])]
    elif name.startswith("multiclass"):
        values = [multiclass(p, name, s, c, bug) for s, c in zip(p["scores"], p["y"])]
    else:
        other = "logistic" if bug == "other_loss" and name == "exponential" else name
        values = [of_margin(other, z, p.get("rho", 1.0), bug) for z in p["z"]]
    if bug == "two_digits":
        values = [round(v, 2) for v in values]
    if bug == "six_figures":
        values = [float(f"{v:g}") for v in values]
    mean = sum(values) / (1 if bug == "sum_not_mean" else len(values))
    if bug == "equal_once":
        fields = ("z", "scores", "predicted", "y")
        of_rows = dict(zip(map(str, zip(*(p[n] for n in fields if n in p))), values))
        mean = sum(of_rows.values()) / len(of_rows)
    if bug == "mean_less_one":
        mean = sum(values) / max(1, len(values) - 1)
    if bug == "mean_of_positive":
        mean = sum(values) / max(1, sum(v > 0 for v in values))
    if bug.startswith("over_") and name.startswith("multiclass"):
        m, k = len(values), len(p["scores"][0])
        over = {"over_entries": m * k, "over_rivals": m * (k - 1), "over_classes": k}
        mean = sum(values) / over[bug]
    if bug == "mean_right" and name in ("zero_one", "hamming"):
        mean = 1 - mean
    if bug in MEANS:
        mean = MEANS[bug](values)
    told = {"values": values, "mean": mean}
    if name in ("hinge", "perceptron"):
        told["subgradients"] = [-float(z < (name == "hinge")) for z in p["z"]]
    if bug == "slope_of_sigmoid" and name == "logistic":
        told["subgradients"] = [1 / (1 + exp(-z)) for z in p["z"]]
    if name.startswith("multiclass") and not {"X", "features", "row_costs"} & {*p}:
        told["subgradients"] = [slopes(p, name, s, c, bug) for s, c in zip(p["scores"], p["y"])]
    if bug == "slopes_over_m" and "subgradients" in told:
        told["subgradients"] = divided(told["subgradients"], len(values))
    if bug == "sum_and_sign" and "subgradients" in told:
        told["subgradients"] = divided(told["subgradients"], -1)
    return told


def divided(v: Any, by: int) -> Any:
    return [divided(entry, by) for entry in v] if isinstance(v, list) else v / by


def slopes(p: dict[str, Any], name: str, s: list[float], own: int, bug: str) -> list[float]:
    k = len(s)
    cost = p.get("cost", [[float(r != c) for c in range(k)] for r in range(k)])
    terms = [cost[r][own] + s[r] - s[own] if r != own else 0.0 for r in range(k)]
    hit = [v > 0 for v in terms]
    if not name.endswith("sum"):
        hit = [h and r == terms.index(max(terms)) for r, h in enumerate(hit)]
    found = [float(h) for h in hit]
    if bug == "own_row_once":
        found[own] -= any(hit)
    elif bug != "own_slope_missing":
        found[own] -= sum(hit)
    return found


def changed(v: Any, bug: str) -> Any:
    if isinstance(v, list):
        return [changed(entry, bug) for entry in v]
    return float(round(v)) if bug == "rounded" else unpack("f", pack("f", v))[0]


def rounded(v: Any) -> Any:
    return [rounded(entry) for entry in v] if isinstance(v, list) else float(int(v))


def of_margin(name: str, z: float, rho: float, bug: str) -> float:
    if bug == "sign":
        z = -z
    if name in ("hinge", "perceptron"):
        v = (0 if bug == "no_one" or name == "perceptron" else 1) - z
        v = v if bug == "uncut" else max(0.0, v)
        if bug == "hinge_capped" and name == "hinge":
            v = min(1.0, v)
        if bug == "half_squared" and name == "hinge":
            return v * v / 2
        return v * v if bug == "squared" and name == "hinge" else v
    if bug == "margin_doubled" and name != "margin":
        z *= 2
    if name == "exponential":
        return float(2**-z) if bug == "power_of_two" else exp(-z)
    if name == "logistic" and bug == "sigmoid":
        return 1 / (1 + exp(z))
    if name == "logistic":
        z = abs(z) if bug == "line_missing" else z
        return log(1 + exp(-z)) / (log(2) if bug == "base_two" else 1)
    if bug == "step_at_rho":
        return float(z < rho)
    if bug == "rho_not_divided":
        return min(1.0, max(0.0, rho - z))
    v = max(0.0, 1 - z if bug == "no_rho" else 1 - z * rho if bug == "times_rho" else 1 - z / rho)
    return v if bug == "uncapped" else min(1.0, v)


def hamming(a: list[int], b: list[int], bug: str) -> float:
    wrong = sum(u != v for u, v in zip(a, b))
    if bug == "any_place":
        return float(wrong > 0)
    if bug == "places_right":
        wrong = len(a) - wrong
    return float(wrong) if bug == "count" else wrong / len(a)


def multiclass(p: dict[str, Any], name: str, s: list[float], own: int, bug: str) -> float:
    k = len(s)
    cost = p.get("cost", [[float(r != c) for c in range(k)] for r in range(k)])
    if bug == "sign":
        s = [-v for v in s]
    if bug == "cost_transposed":
        cost = [list(column) for column in zip(*cost)]
    if bug == "cost_unheard":
        cost = [[float(r != c) for c in range(k)] for r in range(k)]
    rivals = [r for r in range(k) if r != own]
    if bug == "first_class_missing":
        rivals = [r for r in rivals if r]
    if bug == "last_class_missing":
        rivals = [r for r in rivals if r != k - 1]
    if bug == "softmax":
        return log(sum(exp(v - s[own]) for v in s))
    terms = [max(0.0, cost[r][own] + s[r] - s[own]) for r in rivals] or [0.0]
    if bug == "no_one":
        terms = [max(0.0, s[r] - s[own]) for r in rivals] or [0.0]
    if bug == "scaled_by_cost":
        terms = [cost[r][own] * max(0.0, 1 + s[r] - s[own]) for r in rivals] or [0.0]
    if bug == "rival_by_score" and rivals and not name.endswith("sum"):
        worst = max(rivals, key=lambda r: s[r])
        terms = [max(0.0, cost[worst][own] + s[worst] - s[own])]
    if bug == "at_predicted" and rivals:
        best = max(range(k), key=lambda r: s[r])
        terms = [cost[best][own] + s[best] - s[own] if best != own else 0.0]
    if bug == "squared":
        terms = [v * v for v in terms]
    if bug == "own_counted":
        terms.append(1.0)
    summed = name.endswith("sum") != (bug == "other_form")
    if bug == "mean_of_rivals" and summed:
        return float(sum(terms) / len(terms))
    if bug == "mean_of_classes" and summed:
        return float(sum(terms) / k)
    return float(sum(terms) if summed else max(terms))
