"""AdaBoost.MH with one question a round and a sign for each label."""

from math import exp, log, sqrt
from typing import Any

SUPPORTS = ["X", "classes", "weights", "base", "columns"]


def stump(
    D: list[list[float]], phi: list[int], Y: list[list[int]], bug: str, two_sided: bool
) -> tuple[float, list[list[int]]]:
    """The error of a question, and its answers with a sign for each label, or each and side."""
    m, k = len(Y), len(Y[0])
    h, errors = [[0] * k for _ in Y], [0.0] * k
    edge = sum(D[i][c] * phi[i] * Y[i][c] for i in range(m) for c in range(k))
    for c in range(k):
        sides = ([i for i in range(m) if phi[i] == s] for s in (1, -1))
        for rows in sides if two_sided else ([*range(m)],):
            good = sum(D[i][c] for i in rows if phi[i] == Y[i][c])
            bad = sum(D[i][c] for i in rows if phi[i] != Y[i][c])
            is_up = edge >= 0 if bug == "one_sign" and not two_sided else good >= bad
            errors[c] += bad if is_up else good
            for i in rows:
                h[i][c] = phi[i] if is_up else -phi[i]
    if bug == "worst_label":
        return max(errors), h
    return (errors[-1] if bug == "last_label" else sum(errors)), h


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    if p["base"] == "any":
        return {"skip": "base"}
    X, m = p["X"], len(p["X"])
    classes = p.get("classes") or sorted({*p["Y"]} if not isinstance(p["Y"][0], list) else ())
    Y = [
        row if isinstance(row, list) else [1 if c == row else -1 for c in classes] for row in p["Y"]
    ]
    Y = [[1 if v > 0 else -1 for v in row] for row in Y]
    k, weights = len(Y[0]), p.get("weights", [1.0] * m)
    D = [[w / sum(weights) / (1 if bug == "labels_uncounted" else k)] * k for w in weights]
    votes, rounds, stopped = [[0.0] * k for _ in X], [], "rounds"
    alphas = list[float]()
    for t in range(1, p["rounds"] + 1):
        tried = list[tuple[float, int, float, list[list[int]]]]()
        for j in range(len(X[0])):
            for a in sorted({x[j] for x in X}):
                phi = [1 if x[j] <= a else -1 for x in X]
                eps, h = stump(D, phi, Y, bug, p["base"] == "two_sided")
                tried.append((round(eps, 12), len(tried), eps, h))
        _, _, eps, h = min(tried)
        if eps >= 0.5 - 1e-12:
            stopped = "no_edge"
            break
        if eps < 1e-12:
            rounds = [{"t": 1, "base": h, "epsilon": 0, "alpha": None}]
            return {"rounds": rounds, "stopped": "perfect"}
        odds = (1 - eps) / eps * (max(k - 1, 1) if bug == "half_samme" else 1)
        alpha = log(odds) / 2
        alphas.append(alpha)
        if bug == "alpha_of_before":
            alpha = alphas[-2] if t > 1 else 0.0
        told = [row[::-1] for row in h] if bug == "classes_reversed" else h
        rounds.append({"t": t, "base": told, "D": D, "epsilon": eps, "alpha": alpha})
        votes = [[g + alpha * v for g, v in zip(*row)] for row in zip(votes, h)]
        hits = [[v * y for v, y in zip(*row)] for row in zip(h, Y)]
        if bug == "whole_score":
            hits = [[g * y / alpha for g, y in zip(*row)] for row in zip(votes, Y)]
        if bug == "by_first_label":
            hits = [[row[0]] * k for row in hits]
        if bug == "by_row":
            hits = [[sum(row) / k] * k for row in hits]
        if bug == "own_alone":
            hits = [[v * (y > 0) for v, y in zip(*row)] for row in zip(hits, Y)]
        step = alpha
        if bug.startswith("update_of_before"):
            step = alphas[-2] if t > 1 else alpha * bug.endswith("own")
        D = [[d * exp(-step * v) for d, v in zip(*row)] for row in zip(D, hits)]
        if bug == "row_sums":
            D = [[d / sum(row) / m for d in row] for row in D]
        Z = 2 * sqrt(eps * (1 - eps)) if bug == "whole_score" else sum(map(sum, D))
        D = [[d / Z for d in row] for row in D]
    answer: dict[str, Any] = {"rounds": rounds, "stopped": stopped, "scores": votes}
    best = [max(range(k), key=lambda c: row[c]) for row in votes]
    names = classes or range(k)
    if bug == "largest_alone" and isinstance(p["Y"][0], list):
        answer["labels"] = [[names[c]] for c in best]
    if bug == "signs_of_sums" and isinstance(p["Y"][0], list):
        answer["labels"] = [[*names] if sum(row) >= 0 else [] for row in votes]
    if not isinstance(p["Y"][0], list):
        size = abs if bug == "absolute" else float
        best = [max(range(k), key=lambda c: size(row[c])) for row in votes]
        answer["labels"] = [classes[c] for c in best]
    return answer
