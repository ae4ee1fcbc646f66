"""The sequence of pruned trees, for Gini impurity and misclassification, exactly."""

from fractions import Fraction
from typing import Any

SUPPORTS = {"tree.prune": ["classes", "risk", "scale", "weights"]}


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    nodes, X, y = p["tree"]["nodes"], p["X"], p["y"]
    if p["risk"] not in ("gini", "misclassification"):
        return {"skip": "another risk"}
    weights = [Fraction(w) for w in p.get("weights", [1] * len(y))]
    if bug == "weights_counted":
        weights = [Fraction(w > 0) for w in weights]
    rows: list[list[int]] = [[] for _ in nodes]
    for i, x in enumerate(X):
        n = 0
        rows[n].append(i)
        while "question" in nodes[n]:
            asked = nodes[n]["question"]
            if "threshold" not in asked or "strict" in asked:
                return {"skip": "another question"}
            is_yes = (x[asked["column"]] <= asked["threshold"]) != (bug == "sides_swapped")
            if bug == "less_for_at_most":
                is_yes = x[asked["column"]] < asked["threshold"]
            n = nodes[n]["positive" if is_yes else "negative"]
            rows[n].append(i)

    def risk(n: int) -> Fraction:
        totals = [sum((weights[i] for i in rows[n] if y[i] == c), Fraction(0)) for c in {*y}]
        if bug == "first_counted_twice":
            for c in {y[i] for i in rows[n]}:
                first = next(i for i in rows[n] if y[i] == c)
                totals[[*{*y}].index(c)] += weights[first]
        size = sum(totals)
        if not size:
            return Fraction(0)
        lost = size - max(totals)
        if bug == "errors_of_rarest":
            lost = min(totals)
        if p["risk"] == "gini":
            lost = size - sum(t * t for t in totals) / size
            if bug == "gini_of_majority":
                lost = 2 * max(totals) * (1 - max(totals) / size)
        if bug == "size_squared":
            lost *= size
        if bug == "impurity_over_all":
            lost /= size
        if bug == "impurity_alone":
            return lost / size
        if p["scale"] != "mean":
            return lost
        return lost / (len(y) if bug == "mean_of_rows" else sum(weights))

    cut: set[int] = set()

    def leaves(n: int, of_grown: bool = False) -> list[int]:
        if "question" not in nodes[n] or (n in cut and not of_grown):
            return [n]
        return [
            leaf for child in ("negative", "positive") for leaf in leaves(nodes[n][child], of_grown)
        ]

    def rate(n: int) -> Fraction:
        below = leaves(n, bug == "rates_of_grown")
        rise = risk(n) - sum(map(risk, below))
        if bug == "rise_relative":
            rise /= risk(n) or 1
        if bug == "rate_doubled":
            rise *= 2
        return rise / (len(below) - (bug != "leaves_not_less_one"))

    steps: list[dict[str, Any]] = []
    lam = Fraction(0)
    while True:
        inner = [n for n in path(nodes, cut) if "question" in nodes[n] and n not in cut]
        rates = {n: rate(n) for n in inner}
        if inner and not steps and min(rates.values()) <= 0:
            cut |= {n for n in inner if rates[n] <= 0}
            continue
        told = {"lam": str(lam), "leaves": len(leaves(0)), "leaf_nodes": leaves(0)}
        told["risk"] = str(sum(map(risk, leaves(0))))
        steps.append(told)
        if not inner:
            break
        lam = min(rates.values())
        cut |= {n for n in inner if rates[n] == lam}
    at = [Fraction(step["lam"]) for step in steps]
    for i, step in enumerate(steps):
        if bug == "lam_of_root":
            step["lam"] = str(at[i] / (risk(0) or 1))
        if bug == "lam_of_sum" and p["scale"] == "mean":
            step["lam"] = str(at[i] * sum(weights))
        if bug == "lam_times_leaves":
            step["lam"] = str(at[i] * step["leaves"])
        if bug == "lam_between" and i + 1 < len(at):
            step["lam"] = float(at[i] * at[i + 1]) ** 0.5
        if bug == "nodes_for_leaves":
            step["leaves"] = 2 * step["leaves"] - 1
    if bug == "risk_of_before":
        risks = [step["risk"] for step in steps]
        steps = [{**step, "risk": before} for step, before in zip(steps, [risks[0], *risks])]
    if bug == "lam_of_before":
        lams = [step["lam"] for step in steps]
        steps = [{**step, "lam": at} for step, at in zip(steps, ["0", *lams])]
    if bug == "lam_doubled":
        steps = [{**step, "lam": str(2 * lam)} for step, lam in zip(steps, at)]
    if bug.endswith("_digits"):
        n = {"two": 2, "four": 4, "six": 6}[bug.partition("_")[0]]
        steps = [
            {**step, **{f: round(float(Fraction(step[f])), n) for f in ("lam", "risk")}}
            for step in steps
        ]
    return {"steps": (steps[1:] or steps) if bug == "first_step_missing" else steps}


def path(nodes: list[dict[str, Any]], cut: set[int]) -> list[int]:
    """The nodes of the tree as it is now."""
    found, waiting = [], [0]
    while waiting:
        n = waiting.pop()
        found.append(n)
        if "question" in nodes[n] and n not in cut:
            waiting += [nodes[n]["negative"], nodes[n]["positive"]]
    return found
