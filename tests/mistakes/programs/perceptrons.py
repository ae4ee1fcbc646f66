"""Binary and multi-class perceptrons that return their last or their mean weights."""

from collections.abc import Callable
from operator import mul
from typing import Any

from tests.mistakes.programs import equal_rows

SUPPORTS = {
    "perceptron.binary": [
        "epochs", "bias", "average=equally", "average=by_age", "eta", "classes", "order", "start",
        "weights",
    ],
    "perceptron.kernel": ["gram", "kernel", "bias", "epochs", "eta", "classes"],
    "perceptron.multiclass": ["epochs", "tau", "average=equally", "eta", "classes", "start"],
}  # fmt: skip


ZERO_IS_PLUS, ZERO_IS_MINUS = ("zero_is_plus", "less_class"), ("zero_is_minus", "less_class_0")
"""The bugs by what is predicted at a score of 0."""

AGES = {"ages_from_0": 0, "average_with_start": 2}
"""How much the first weights count by their age."""

OVER: dict[str, Callable[[int, int, int, int], int]] = {
    "over_one_less": lambda count, m, epochs, visits: max(1, count - 1),
    "over_one_more": lambda count, m, epochs, visits: count + 1,
    "over_rows": lambda count, m, epochs, visits: m,
    "over_epochs": lambda count, m, epochs, visits: epochs,
    "ages_over_visits": lambda count, m, epochs, visits: visits,
}
"""By what the sum of the weights is divided in the place of their count."""


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    bug, _, more = bug.partition(" with ")
    answer = run(equal_rows.kept(p, bug), bug)
    if more:
        answer["labels"] = labels(p, answer)
    return answer


def labels(p: dict[str, Any], answer: dict[str, Any]) -> list[Any]:
    low, *_, high = p["classes"]
    if "W" in answer:
        scores = [[sum(map(mul, w, x)) for w in answer["W"]] for x in p["X"]]
        return [p["classes"][row.index(max(row))] for row in scores]
    if "w" in answer:
        f = [sum(map(mul, answer["w"], x)) + answer.get("b", 0) for x in p["X"]]
    else:
        K = kernel_of(p)
        signed = [a * (1 if label == high else -1) for a, label in zip(answer["alpha"], p["y"])]
        f = [sum(a * (v + p["bias"]) for a, v in zip(signed, row)) for row in K]
    return [high if v > 0 else low for v in f]


def run(p: dict[str, Any], bug: str) -> dict[str, Any]:
    X, y, eta = p.get("X", p["y"]), p["y"], p["eta"]
    if bug == "eta_one":
        eta = 1.0
    epochs = p["epochs"] + {"epoch_more": 1, "epoch_less": -1}.get(bug, 0)
    visits = [i for _ in range(epochs) for i in range(len(X))]
    if "order" in p:
        order = p["order"] if isinstance(p["order"][0], list) else [p["order"]] * epochs
        visits = [i for epoch in order for i in epoch]
        if bug == "order_ignored":
            visits = [i for _ in range(epochs) for i in range(len(X))]
    if bug == "row_0_skipped":
        visits = [i for i in visits if i > 0]
    weights = p.get("weights", [1] * len(y))
    if bug == "heavy_once":
        visits = [i for i in visits if weights[i]]
    elif bug != "weights_multiply":
        visits = [i for i in visits for _ in range(int(weights[i]))]
    if bug == "backwards":
        visits = visits[::-1]
    if bug == "one_based":
        visits = [(i + 1) % len(X) for i in visits]
    with_bias = p.get("bias") is True
    if p["family"] == "perceptron.kernel":
        return kernel_run(p, eta, visits, with_bias, bug)
    if p["family"] == "perceptron.binary":
        return binary_run({**p, "epochs": epochs}, X, y, eta, visits, with_bias, bug)
    return multiclass_run(p, X, y, eta, visits, bug)


def kernel_of(p: dict[str, Any]) -> list[list[float]]:
    if "gram" in p:
        return [list(row) for row in p["gram"]]
    K = [[sum(a * b for a, b in zip(u, v)) for v in p["X"]] for u in p["X"]]
    kernel = p.get("kernel", "linear")
    if kernel != "linear":
        K = [[(v / kernel["scale"] + kernel["offset"]) ** kernel["degree"] for v in r] for r in K]
    return K


def kernel_run(
    p: dict[str, Any], eta: float, visits: list[int], with_bias: bool, bug: str
) -> dict[str, Any]:
    y, K = p["y"], kernel_of(p)
    alpha = [0.0] * len(y)
    for n, i in enumerate(visits):
        if bug == "forgotten_each_epoch" and n % len(y) == 0:
            alpha = [0.0] * len(y)
        signs = [1] * len(y) if bug == "no_label" else y
        if bug == "label_of_visited":
            signs = [y[i]] * len(y)
        terms = [a * s * (k + with_bias) for a, s, k in zip(alpha, signs, K[i])]
        if bug == "own_row_left_out":
            terms[i] = 0.0
        if bug == "last_term_missing":
            terms[-1] = 0.0
        if bug == "later_rows_left_out":
            terms = terms[: i + 1]
        score = sum(terms)
        if bug == "bias_outside":
            score = sum(t - a * s * with_bias for t, a, s in zip(terms, alpha, signs)) + with_bias
        if (score if bug == "label_untested" else y[i] * score) <= 0 or bug == "always_updates":
            step = eta * y[i] if bug == "alpha_signed" else eta
            alpha[i] = eta if bug == "counted_once" else alpha[i] + step
    if bug == "alpha_told_signed":
        alpha = [a * s for a, s in zip(alpha, y)]
    return {"alpha": alpha}


def binary_run(
    p: dict[str, Any], X: Any, y: Any, eta: float, visits: list[int], with_bias: bool, bug: str
) -> dict[str, Any]:
    rows = [[*x, 1.0] for x in X] if with_bias else X
    w = list(p.get("start", [0.0] * len(rows[0])))
    if bug == "start_ignored":
        w = [0.0] * len(rows[0])
    if bug == "starts_at_ones" and "start" not in p:
        w = [1.0] * len(X[0]) + [0.0] * with_bias
    total, count = [0.0] * len(w), 0
    if bug == "average_with_start":
        total, count = list(w), 1
    mistakes, seen_states, states = [0] * p["epochs"], 0, []
    length = len(visits) // max(1, p["epochs"]) or 1
    for n, i in enumerate(visits):
        x = rows[visits[n - 1] if n and bug == "x_of_before" else i]
        epoch = min(n // length, p["epochs"] - 1)
        if bug == "epoch_ends" and mistakes[epoch]:
            continue
        before = w
        if n % length == 0:
            begun = w
        if bug == "forgotten_each_epoch" and n % len(X) == 0:
            w = [0.0] * len(w)
        seen = begun if bug == "epoch_tested" else w
        score = sum(a * b for a, b in zip(seen, x))
        if bug == "bias_untested" and with_bias:
            score -= w[-1]
        if bug in ("last_term_assigned", "last_term_without_bias"):
            score = seen[len(X[0]) - 1] * x[len(X[0]) - 1]
            if bug == "last_term_assigned" and with_bias:
                score += seen[-1]
        if bug == "last_term_missing":
            score -= seen[len(X[0]) - 1] * x[len(X[0]) - 1]
        if bug == "first_term_missing":
            score -= seen[0] * x[0]
        missed = y[i] * score < 0 if bug == "zero_is_right" else y[i] * score <= 0
        if bug == "one_is_near":
            missed = y[i] * score <= 1
        if bug == "always_updates":
            missed = True
        if bug == "sign_confused":
            missed = y[i] * score >= 0
        if bug == "labels_zero_one":
            missed = missed or y[i] < 0
        predicted = -1 if score < 0 or (score == 0 and bug in ZERO_IS_MINUS) else 1
        if bug in ZERO_IS_PLUS + ZERO_IS_MINUS:
            missed = predicted != y[i]
        mistakes[epoch] += missed
        if missed:
            step = eta * y[i]
            if bug.startswith("less_class"):
                step = eta * (y[i] - predicted)
            if bug == "less_sign":
                step = eta * (y[i] - (score > 0) + (score < 0))
            if bug == "by_visit":
                step /= n + 1
            if bug == "by_update":
                step /= sum(mistakes)
            if bug in ("weights_multiply", "heavy_once"):
                step *= p.get("weights", [1] * len(X))[i]
            if bug == "passive_aggressive":
                step = (y[i] - score) / (sum(b * b for b in rows[i]) or 1.0)
            if bug == "no_label":
                step = eta
            if bug == "minus":
                step = -step
            if bug == "prediction_added":
                step = eta if score >= 0 else -eta
            if bug == "labels_zero_one":
                step = eta * (y[i] > 0)
            if bug == "delta_rule":
                step = eta * (y[i] - score)
            kept = eta if bug == "rate_on_all" else 1.0
            w = [kept * a + step * b for a, b in zip(w, x)]
            if bug == "bias_times_largest" and with_bias:
                w[-1] += step * (max(sum(v * v for v in row) for row in X) - 1)
            if bug == "bias_forgotten" and with_bias:
                w[-1] -= step
            if bug == "bias_no_label" and with_bias:
                w[-1] += eta - step
            if bug == "bias_down" and with_bias:
                w[-1] -= 2 * step
            if bug == "clipped":
                end = len(X[0])
                w = [max(-1.0, min(1.0, v)) for v in w[:end]] + w[end:]
            if bug == "normalised_step":
                norm = sum(b * b for b in rows[i]) ** 0.5 or 1.0
                w = [a - step * b + step * b / norm for a, b in zip(w, rows[i])]
        states.append(w)
        counted = missed or bug != "average_of_updates"
        if bug == "ends_averaged":
            counted = (n + 1) % length == 0
        if bug == "last_epoch_averaged":
            counted = epoch == p["epochs"] - 1
        if bug == "first_weights_left_out":
            counted = n > 0
        if counted:
            age = seen_states + AGES.get(bug, 1) if p.get("average") == "by_age" else 1
            seen_states += 1
            seen = before if bug == "averaged_before" else w
            total = [a + age * b for a, b in zip(total, seen)]
            count += age
            if bug == "first_twice" and n == 0 and p.get("average") == "equally":
                total, count = [2 * a for a in total], 2
            if bug == "halved_average":
                total = w if n == 0 else [(a - age * b + b) / 2 for a, b in zip(total, w)]
                count = 1
    if bug == "pocket":
        w = min(states, key=lambda u: sum(s * sum(map(mul, u, v)) <= 0 for v, s in zip(rows, y)))
    last = w[-1]
    if bug in OVER:
        count = OVER[bug](count, length, p["epochs"], len(visits))
    if p.get("average") and bug != "not_averaged" and count:
        w = total if bug == "sum_not_mean" else [a / count for a in total]
    if bug == "last_bias":
        w[-1] = last if with_bias else w[-1]
    if bug == "count_goes_on":
        mistakes = [sum(mistakes[: e + 1]) for e in range(len(mistakes))]
    if bug == "ones_first" and with_bias:
        w = [w[-1], *w[:-1]]
    told = {"w": w[:-1], "b": w[-1]} if with_bias else {"w": w}
    if bug == "threshold_told" and with_bias:
        told["b"] = -w[-1]
    return {**told, "mistakes": mistakes}


def multiclass_run(
    p: dict[str, Any], X: Any, y: Any, eta: float, visits: list[int], bug: str
) -> dict[str, Any]:
    k = len(p["classes"])
    W = [list(w) for w in p.get("start", [[0.0] * len(X[0])] * k)]
    if bug == "rows_shared" and "start" not in p:
        W = [[0.0] * len(X[0])] * k
    if bug == "start_ignored":
        W = [[0.0] * len(X[0]) for _ in W]
    total, trace = [[0.0] * len(X[0]) for _ in W], []
    mistakes, length = [0] * p["epochs"], len(visits) // p["epochs"] or 1
    for n, i in enumerate(visits):
        x = X[i][:-1] if bug == "last_term_missing" else X[i]
        scores = [sum(a * b for a, b in zip(w, x)) for w in W]
        own, others = y[i], [r for r in range(k) if r != y[i]]
        rivals = [r for r in others if scores[r] >= scores[own]]
        if bug == "ties_are_right":
            rivals = [r for r in others if scores[r] > scores[own]]
        epoch = min(n // length, p["epochs"] - 1)
        mistakes[epoch] += len(rivals) if bug == "rivals_counted" else rivals != []
        if rivals:
            top = max(rivals, key=lambda r: scores[r])
            if p["tau"] == "chosen_rival" and bug != "all_rivals":
                rivals = rivals[:1] if bug == "first_rival" else [top]
            if p["tau"] == "all_rivals" and bug == "worst_rival":
                rivals = [top]
            share = 1.0 if bug == "full_share" else 1 / len(rivals)
            gain = 0.5 * eta if bug == "half_step" else eta
            if bug == "share_more":
                share = 1 / (len(rivals) + 1)
            if bug == "share_of_others":
                share = 1 / len(others)
            if bug == "others_lose":
                rivals, share = others, 1 / len(others)
            if bug == "passive_aggressive":
                square = sum(b * b for b in X[i]) or 1.0
                gain *= (1 + scores[top] - scores[own]) / (2 * square)
            lift = {"own_left_alone": 0, "own_for_each": len(rivals), "own_share": share}.get(
                bug, 1
            )
            share = 1.0 if bug == "own_for_each" else share
            if bug == "rival_after_step" and p["tau"] == "chosen_rival":
                scores[own] += eta * sum(b * b for b in X[i])
                rivals = [scores.index(max(scores))]
            W[own] = [a + lift * gain * b for a, b in zip(W[own], X[i])]
            if bug == "rows_shared" and "start" not in p:
                W = [W[own]] * k
            for r in rivals:
                if bug != "rivals_left_alone":
                    W[r] = [a - gain * share * b for a, b in zip(W[r], X[i])]
                if bug == "rows_shared" and "start" not in p:
                    W = [W[r]] * k
        total = [[a + b for a, b in zip(t, w)] for t, w in zip(total, W)]
        trace.append(W)
    if bug == "shared_copies":
        return {"W": W, "trace": trace}
    told = {"mistakes": mistakes} if bug in ("rivals_counted", "rows_shared") else {}
    if p.get("average") and bug != "not_averaged":
        over = 1 if bug == "sum_not_mean" else len(visits) or 1
        W = [[a / over for a in w] for w in total]
    return {"W": W, **told}
