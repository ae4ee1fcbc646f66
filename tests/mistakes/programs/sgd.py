"""Stochastic subgradient descent for binary and multi-class SVMs."""

from math import exp
from typing import Any

from tests.mistakes.programs import equal_rows

SUPPORTS = {
    "sgd.binary": ["epochs", "bias", "shrink=always", "average=equally", "classes", "start"],
    "sgd.multiclass": ["loss", "cost", "eta", "classes", "average=equally", "draws", "start"],
}


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    p = equal_rows.kept(p, bug)
    return binary(p, bug) if p["family"] == "sgd.binary" else multiclass(p, bug)


def binary(p: dict[str, Any], bug: str) -> dict[str, Any]:
    X, y, C = p["X"], p["y"], p["C"]
    epochs = p["epochs"] + {"epoch_more": 1, "epoch_less": -1}.get(bug, 0)
    w, b = [0.0] * len(X[0]), 0.0
    if "start" in p:
        w = list(p["start"])
        if p["bias"]:
            b = w.pop()
    total, visits, scale = [0.0] * (len(w) + 1), epochs * len(X), 1.0
    for t in range(visits):
        i = t % len(X)
        etas = p["eta"]
        at = t // len(X) if bug == "eta_of_epoch" else t
        eta = etas if isinstance(etas, float) else etas[min(at, len(etas) - 1)]
        if bug == "eta_halves":
            eta /= 1 + t
        if bug == "eta_by_root":
            eta /= (1 + t) ** 0.5
        seen = [u * (1 - eta) for u in w] if bug == "shrunk_first" else w
        tested = 0.0 if bug == "bias_untested" else b
        margin = y[i] * (sum(u * v for u, v in zip(seen, X[i])) + tested)
        if bug == "last_term_assigned":
            margin = y[i] * (seen[-1] * X[i][-1] + tested)
        shrink = 1 - eta
        if bug == "no_shrink":
            shrink = 1.0
        if bug == "shrink_by_C":
            shrink = 1 - eta * C
        if bug == "divided":
            shrink = 1 / (1 + eta)
        if bug in ("norm_doubled", "norm_halved"):
            shrink = 1 - eta * (2 if bug == "norm_doubled" else 0.5)
        if bug == "shrink_over_m":
            shrink = 1 - eta / len(X)
        violated = margin < 0 if bug == "perceptron_test" else margin < 1
        if bug == "tested_as_perceptron":
            violated = margin <= 0
        if bug == "size_tested":
            violated = abs(margin) < 1
        violated = violated or bug in ("every_row", "logistic")
        gain = eta * y[i] * (1.0 if bug == "C_forgotten" else C)
        if bug == "loss_without_rate":
            gain /= eta
        if bug == "loss_over_m":
            gain /= len(X)
        if bug == "logistic":
            gain /= 1 + exp(min(margin, 700.0))
        if bug == "squared_hinge":
            gain *= 2 * (1 - margin)
        if not violated:
            gain = 0.0
        scale *= shrink
        if bug == "shrink_after":
            w = [(u + gain * v) * shrink for u, v in zip(w, X[i])]
        elif bug == "step_unscaled":
            w = [u * shrink + scale * gain * v for u, v in zip(w, X[i])]
        elif bug == "without_x":
            w = [u * shrink + gain for u in w]
        else:
            w = [u * shrink + gain * v for u, v in zip(w, X[i])]
        if p["bias"] and bug != "bias_fixed":
            b = (b * shrink if bug == "bias_shrunk" else b) + gain
            if bug == "bias_slow":
                b -= 0.99 * gain
            if bug == "bias_without_C":
                b += gain / C - gain
            if bug == "bias_without_eta":
                b += gain / eta - gain
            if bug == "bias_no_label":
                b += gain * y[i] - gain
        norm = sum(u * u for u in w) ** 0.5
        if bug == "projected" and norm > 1:
            w = [u / norm for u in w]
        total = [s + v for s, v in zip(total, [*w, b])]
        if bug == "first_twice" and t == 0:
            total, visits = [2 * s for s in total], visits + 1
    if p.get("average") and bug != "last_weights":
        *w, b = [s / max(1, visits) for s in total]
    return {"w": w, "b": b} if p["bias"] else {"w": w}


def multiclass(p: dict[str, Any], bug: str) -> dict[str, Any]:
    X, y, k = p["X"], p["y"], len(p["classes"])
    lam = p["lam"] if "lam" in p else 2 * p["ridge"]
    draws = p["draws"] if "draws" in p else [t % len(X) for t in range(p["T"])]
    if bug == "epoch_more":
        draws = [*draws, *range(len(X))]
    if bug == "step_less":
        draws = draws[:-1]
    cost = p.get("cost", [[float(r != s) for s in range(k)] for r in range(k)])
    if bug == "cost_transposed":
        cost = [list(column) for column in zip(*cost)]
    if bug == "lam_doubled":
        lam *= 2
    if bug == "second_row_first":
        draws = [*draws[1:], len(draws) % len(X) if "T" in p else draws[0]]
    W = [list(w) for w in p.get("start", [[0.0] * len(X[0])] * k)]
    total = [[0.0] * len(X[0]) for _ in W]
    for t, i in enumerate(draws, 1):
        eta = 1 / (lam * t)
        if "eta" in p and bug != "own_rate":
            eta = p["eta"] if isinstance(p["eta"], float) else p["eta"][t - 1]
        if bug == "root_rate":
            eta = 1 / (lam * t**0.5)
        if bug == "rate_without_lam" and "eta" not in p:
            eta = 1 / t
        if bug == "rate_from_two":
            eta = 1 / (lam * (t + 1))
        if "eta" not in p:
            rounds = (t - 1) // len(X) + 1
            eta = {
                "rate_late": 1 / (lam * max(1, t - 1)), "rate_of_round": 1 / (lam * rounds),
                "rate_over_m": 1 / (lam * len(X) * t), "one_added": 1 / (1 + lam * t),
                "rate_from_one": 1 / (1 + lam * (t - 1)),
                "rate_from_two_and_worst": 1 / (lam * (t + 1)),
            }.get(bug, eta)  # fmt: skip
        own = y[draws[t - 2] if t > 1 and bug == "label_of_before" else i]
        scores = [sum(a * b for a, b in zip(w, X[i])) for w in W]
        terms = [cost[r][own] + scores[r] - scores[own] for r in range(k)]
        if bug == "no_margin":
            terms = [s - scores[own] for s in scores]
        if p["loss"] == "max_form":
            worst = terms.index(max(terms))
            if bug == "rival_by_score":
                worst = max((r for r in range(k) if r != own), key=lambda r: scores[r])
                worst = worst if terms[worst] > 0 else own
            if bug == "own_no_candidate":
                worst = max((r for r in range(k) if r != own), key=lambda r: terms[r], default=own)
            rivals = [worst] if worst != own else []
        else:
            rivals = [r for r in range(k) if r != own and terms[r] > 0]
        if bug in ("worst_only", "rate_from_two_and_worst") and rivals:
            rivals = [max(rivals, key=lambda r: terms[r])]
        shrink = 1.0 if bug == "no_shrink" else 1 - eta * lam
        if bug == "shrink_without_rate":
            shrink = 1 - lam
        times = max(1, len(rivals))
        if bug == "shrink_each_rival":
            shrink **= times
        if bug == "norm_each_rival":
            shrink = 1 - times * eta * lam
        if bug == "shrink_each_class":
            shrink **= k
        if bug == "shrink_with_loss" and not rivals:
            shrink = 1.0
        W = [[a * shrink for a in w] for w in W]
        powers = [exp(min(s, 700.0)) for s in scores]
        if bug == "softmax":
            gains = [(r == own) - power / sum(powers) for r, power in enumerate(powers)]
            W = [[a + eta * g * b for a, b in zip(w, X[i])] for w, g in zip(W, gains)]
            rivals = []
        if bug == "terms_averaged" and p["loss"] != "max_form":
            eta /= max(1, k - 1)
        x = [1.0] * len(X[0]) if bug == "without_x" else X[i]
        for n, r in enumerate(rivals):
            W[r] = [a - eta * b for a, b in zip(W[r], x)]
            if (n == 0 or bug != "own_row_once") and bug != "own_left_alone":
                W[own] = [a + eta * b for a, b in zip(W[own], x)]
        norm = sum(a * a for w in W for a in w) ** 0.5
        if bug == "projected" and norm * lam**0.5 > 1:
            W = [[a / (norm * lam**0.5) for a in w] for w in W]
        total = [[a + b for a, b in zip(s, w)] for s, w in zip(total, W)]
    if p.get("average") and bug != "last_weights":
        W = [[a / len(draws) for a in w] for w in total]
    return {"W": W}
