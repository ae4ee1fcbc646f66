"""A decision tree, grown greedily with Gini impurity or entropy, in floats."""

import itertools
from fractions import Fraction
from math import log, log2
from operator import mul
from typing import Any

from tests.mistakes.programs import equal_rows

SUPPORTS = {
    "tree.grow": [
        "classes", "max_depth", "max_splits", "min_leaf", "min_decrease", "min_split", "weighted",
        "thresholds=midpoints", "impurity", "weights", "min_impurity", "cost",
    ]
}  # fmt: skip
ROUNDING = 1e-12


def impurity(totals: list[float], name: str, bug: str) -> float:
    if bug == "other_impurity":
        name = "entropy" if name == "gini" else "gini"
    if bug == "gini_of_first":
        totals = [totals[0], sum(totals[1:])]
    if bug == "gini_of_majority":
        totals = [max(totals), sum(totals) - max(totals)]
    if bug == "gini_smoothed" and name == "gini":
        totals = [t + 1 for t in totals]
    if bug == "half_gini_of_first" and name == "gini":
        return totals[0] / sum(totals) * (1 - totals[0] / sum(totals))
    n = sum(totals)
    shares = [t / n for t in totals if t]
    if name == "entropy":
        if bug == "entropy_of_present" and len(shares) > 1:
            return float(-sum(s * log2(s) for s in shares) / log2(len(shares)))
        return -sum(s * (log(s) if bug == "natural_log" else log2(s)) for s in shares)
    if name == "misclassification":
        return 1 - (totals[0] / n if bug == "errors_of_first" else max(shares))
    if bug == "gini_of_largest":
        return 1 - max(shares) ** 2
    if bug == "gini_rooted":
        return float((1 - sum(s * s for s in shares)) ** 0.5)
    return 1 - sum(s * s for s in shares)


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    p = equal_rows.kept(p, bug)
    X, y, k = p["X"], p["y"], len(p["classes"])
    m = len(X)
    if bug == "standardised":
        means = [sum(column) / m for column in zip(*X)]
        squares = [sum((x[j] - mean) ** 2 for x in X) / m for j, mean in enumerate(means)]
        X = [[(v - u) / (s**0.5 or 1.0) for v, u, s in zip(x, means, squares)] for x in X]
    if bug == "integer_features":
        X = [[float(int(v)) for v in x] for x in X]
    if bug == "last_column":
        X = [x[:-1] or x for x in X]
    if bug == "first_column":
        X = [[float("inf"), *x[1:]] if len(x) > 1 else x for x in X]
    weights = p.get("weights", [1.0] * m)
    if bug == "weights_ignored":
        weights = [1.0] * m
    max_depth, min_leaf = p.get("max_depth"), p["min_leaf"]
    if max_depth is None and bug in ("root_alone", "one_split", "depth_of_two"):
        max_depth = {"root_alone": 0, "one_split": 1, "depth_of_two": 2}[bug]
    if max_depth is not None:
        max_depth += {"depth_one_more": 1, "depth_one_less": -1}.get(bug, 0)
    if bug == "min_leaf_more":
        min_leaf += 1
    max_splits = p.get("max_splits")
    if max_splits is not None:
        max_splits += {"split_more": 1, "leaves_not_splits": -1}.get(bug, 0)
    total = sum(weights)
    nodes: list[dict[str, Any]] = []

    def totals(rows: list[int]) -> list[float]:
        return [sum(weights[i] for i in rows if y[i] == c) for c in range(k)]

    def over_rows(rows: list[int]) -> float:
        shares = [t / len(rows) for t in totals(rows)]
        if p["impurity"] == "entropy":
            return -sum(s * log2(s) for s in shares if s)
        if p["impurity"] == "misclassification":
            return 1 - max(shares)
        return sum(s * (1 - s) for s in shares)

    def best(rows: list[int], depth: int) -> Any:
        here = impurity(totals(rows), p["impurity"], bug)
        if bug == "classes_over_rows":
            here = over_rows(rows)
        smallest = p["min_split"] + (bug == "min_split_strict") - (bug == "min_split_less")
        size = sum(totals(rows)) if bug == "min_split_by_weight" else len(rows)
        is_pure = sum(t > 0 for t in totals(rows)) == 1
        if bug == "half_gini_of_first":
            is_pure = here == 0
        is_tested = bug != "root_untested" or len(rows) < m
        stops = is_pure and bug != "pure_split" or depth == max_depth or size < smallest
        if stops and is_tested:
            return None
        needed = float(Fraction(str(p["min_impurity"])))
        if bug == "min_impurity_doubled":
            needed *= 2
        if bug == "min_impurity_of_root":
            needed *= impurity(totals(list(range(m))), p["impurity"], bug)
        share = sum(totals(rows)) / total if bug == "min_impurity_of_all" else 1
        if here * share < needed - ROUNDING and is_tested:
            return None
        if bug == "min_impurity_exclusive" and here <= needed + ROUNDING:
            return None
        found = second = None
        moved = [0.0] * k
        columns = range(len(X[0]))
        for column in reversed(columns) if bug == "columns_backwards" else columns:
            if bug == "first_column_that_gains" and found is not None and found[0] > ROUNDING:
                break
            values = sorted({X[i][column] for i in rows})
            if bug == "values_unsorted":
                values = list({X[i][column]: 0 for i in rows})
            if bug == "sorted_as_text":
                values.sort(key=str)
            cuts = list(itertools.pairwise(values))
            if bug == "first_cut_missed":
                cuts = cuts[1:]
            if bug in ("last_cut_missed", "less_for_at_most"):
                cuts = cuts[:-1]
            if bug == "both_ends_missed":
                cuts = cuts[1:-1]
            if bug.startswith("cuts_between_equal"):
                order = sorted(rows, key=lambda i: X[i][column])
                if bug.endswith("with_labels"):
                    order.sort(key=lambda i: (X[i][column], y[i]))
                cuts = [(X[i][column], X[j][column]) for i, j in itertools.pairwise(order)]
            if bug == "last_of_several_cuts_missed":
                cuts = cuts[:-1] or cuts
            if bug == "every_second_cut":
                cuts = cuts[::2]
            if bug == "between_labels_alone":
                order = sorted(rows, key=lambda i: X[i][column])
                steps = [(i, j) for i, j in itertools.pairwise(order) if y[i] != y[j]]
                cuts = [(X[i][column], X[j][column]) for i, j in steps]
                cuts = [(low, high) for low, high in cuts if low < high]
            if bug == "median_alone":
                cuts = cuts[len(cuts) // 2 :][:1]
            for n_yes, (low, high) in enumerate(cuts, 1):
                if bug == "first_that_gains" and found is not None and found[0] > ROUNDING:
                    break
                at = (low + high) / 2 if p["thresholds"] == "midpoints" else low
                if bug == "less_for_at_most":
                    at = high
                yes = [i for i in rows if X[i][column] <= low]
                no = [i for i in rows if X[i][column] > low]
                if bug == "sorted_as_text":
                    yes = [i for i in rows if str(X[i][column]) <= str(low)]
                    no = [i for i in rows if i not in yes]
                asked = no, yes
                if bug.startswith("cuts_between_equal"):
                    yes, no = order[:n_yes], order[n_yes:]
                sizes = [len(yes), len(no)]
                if bug == "min_leaf_by_weight":
                    sizes = [int(sum(totals(part))) for part in (yes, no)]
                if (max if bug == "min_leaf_of_either" else min)(sizes) < min_leaf:
                    continue
                n, a, b = (sum(totals(part)) for part in (rows, no, yes))
                if a == 0 or b == 0:
                    continue
                mean = a / n * impurity(totals(no), p["impurity"], bug)
                mean += b / n * impurity(totals(yes), p["impurity"], bug)
                if bug == "classes_over_rows":
                    mean = a / n * over_rows(no) + b / n * over_rows(yes)
                if bug == "counts_kept":
                    left = [t + before for t, before in zip(totals(yes), moved)]
                    mean = a / n * impurity(totals(no), p["impurity"], bug)
                    mean += sum(left) / n * impurity(left, p["impurity"], bug)
                if bug == "yes_share_alone":
                    mean = b / n * impurity(totals(yes), p["impurity"], bug)
                if bug == "unweighted_children":
                    mean = impurity(totals(no), p["impurity"], bug) / 2
                    mean += impurity(totals(yes), p["impurity"], bug) / 2
                if bug == "children_added":
                    mean = sum(impurity(totals(r), p["impurity"], bug) for r in (no, yes))
                if bug == "purest_child":
                    mean = min(impurity(totals(r), p["impurity"], bug) for r in (no, yes))
                if bug == "shares_swapped":
                    mean = b / n * impurity(totals(no), p["impurity"], bug)
                    mean += a / n * impurity(totals(yes), p["impurity"], bug)
                if bug == "shares_of_rows":
                    mean = sum(
                        len(part) / len(rows) * impurity(totals(part), p["impurity"], bug)
                        for part in (no, yes)
                    )
                if bug == "shares_of_all":
                    mean *= n / total
                if bug == "errors_of_parents_label" and p["impurity"] == "misclassification":
                    top = max(range(k), key=lambda c: totals(rows)[c])
                    mean = sum(part[c] for part in map(totals, (no, yes)) for c in range(k))
                    mean = (mean - totals(rows)[top]) / n
                gain = here - mean
                if bug == "twoing":
                    apart = sum(abs(u / a - v / b) for u, v in zip(totals(no), totals(yes)))
                    gain = a * b / n**2 / 4 * apart**2
                if bug == "values_sorted_alone":
                    parts = rows[len(yes) :], rows[: len(yes)]
                    shares = len(parts[0]) / len(rows), len(parts[1]) / len(rows)
                    sides = [impurity(totals(part), p["impurity"], bug) for part in parts]
                    gain = here - sum(share * side for share, side in zip(shares, sides))
                if bug == "from_root":
                    everything = list(range(m))
                    gain = impurity(totals(everything), p["impurity"], bug) - mean
                if bug == "gain_ratio":
                    gain /= -(a / n * log2(a / n) + b / n * log2(b / n))
                if bug == "worst_gain":
                    gain = -gain
                gain *= n / total if p["weighted"] != (bug == "weighted_flipped") else 1
                later = bug == "last_column_wins" and found is not None and found[1] != column
                if found is None or gain > found[0] + ROUNDING or later:
                    if gain < -ROUNDING and bug not in ("worst_gain", "counts_kept"):
                        continue
                    second, found = found, (gain, column, at, *asked)
                elif bug == "second_best" and (second is None or gain > second[0] + ROUNDING):
                    second = gain, column, at, *asked
            but_one = sorted(rows, key=lambda i: X[i][column])[:-1]
            moved = [t + before for t, before in zip(totals(but_one), moved)]
        if bug == "second_best":
            found = second or found
        if found is not None and not (found[3] and found[4]):
            return None
        least = p.get("min_decrease")
        if bug in ("share_of_root", "share_of_node") and least is not None:
            of = rows if bug == "share_of_node" else list(range(m))
            least *= impurity(totals(of), p["impurity"], bug)
        if found is not None and least is not None:
            if bug == "min_decrease_per_row" and not p["weighted"]:
                least *= total / sum(totals(rows))
            if bug == "decrease_strict":
                return found if found[0] > least + ROUNDING else None
            if found[0] <= ROUNDING or found[0] < least - ROUNDING:
                return None
        if bug == "zero_gain_stops" and found and found[0] <= ROUNDING:
            return None
        return found

    def label(rows: list[int]) -> int:
        t = totals(rows)
        if "cost" in p:
            cost = [*zip(*p["cost"])] if bug == "cost_transposed" else p["cost"]
            return min(range(k), key=lambda c: sum(map(mul, cost[c], t)))
        if bug == "label_by_rows":
            return max(range(k), key=lambda c: sum(y[i] == c for i in rows))
        if bug == "first_label":
            return int(y[rows[0]])
        if bug == "first_class":
            return next(c for c in range(k) if t[c])
        if bug == "last_class":
            return max(c for c in range(k) if t[c])
        if bug == "minority":
            return min((c for c in range(k) if t[c]), key=lambda c: t[c])
        if bug == "last_label":
            return int(y[rows[-1]])
        return t.index(max(t))

    def add(rows: list[int], depth: int) -> None:
        nodes.append({"label": label(rows)})
        found = best(rows, depth)
        if found:
            open_nodes.append((len(nodes) - 1, depth, found))

    open_nodes: list[Any] = []
    add(list(range(m)), 0)
    splits = 0
    while open_nodes and splits != max_splits:
        at = 0
        if bug == "deepest_first":
            at = -1
        elif max_splits is not None and bug != "first_node_first":
            gains = [found[0] for _, _, found in open_nodes]
            if bug == "impurest_first":
                gains = [
                    impurity(totals(f[3] + f[4]), p["impurity"], bug) for _, _, f in open_nodes
                ]
            at = next(i for i, g in enumerate(gains) if g > max(gains) - ROUNDING)
        node, depth, (_, column, threshold, no, yes) = open_nodes.pop(at)
        splits += 1
        question: dict[str, Any] = {"column": column, "threshold": threshold}
        if bug == "strict":
            question["strict"] = True
        if bug == "rounded_threshold":
            question["threshold"] = round(threshold, 1)
        nodes[node].update(question=question, negative=len(nodes))
        add(no, depth + (bug != "depth_of_yes_alone"))
        nodes[node]["positive"] = len(nodes)
        add(yes, depth + 1)
        if bug == "children_swapped":
            a, b = nodes[node]["negative"], nodes[node]["positive"]
            nodes[node].update(negative=b, positive=a)
        if bug == "labels_swapped":
            a, b = nodes[nodes[node]["negative"]], nodes[nodes[node]["positive"]]
            a["label"], b["label"] = b["label"], a["label"]
    if bug == "leaf_like_parent":
        for node in [dict(node) for node in nodes if "question" in node]:
            for child in (nodes[node["negative"]], nodes[node["positive"]]):
                if "question" not in child:
                    child["label"] = node["label"]
    return {"tree": {"nodes": nodes}}
