"""AdaBoost with decision stumps, for two classes; AdaBoost.MH is in a file of its own."""

from math import exp, log
from typing import Any

from tests.mistakes.programs import adaboost_mh, equal_rows

SUPPORTS = {"boost.ada": ["X", "classes", "weights"], "boost.mh": adaboost_mh.SUPPORTS}


def stumps(X: list[list[float]], bug: str) -> Any:
    """Every question, with the answers of its stump on the rows."""
    if bug != "no_constant" or all(x == X[0] for x in X):
        yield None, [1] * len(X)
    for column in range(len(X[0]) - (bug == "last_column_unseen")):
        values = sorted({x[column] for x in X})
        if bug == "first_threshold_missed":
            values = values[1:]
        for threshold in values[:-1]:
            yes = [x[column] < threshold if bug == "strict" else x[column] <= threshold for x in X]
            yield (column, threshold), [1 if a else -1 for a in yes]


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    p = equal_rows.kept(p, bug)
    if bug in ("standardised", "centred"):
        m = len(p["X"])
        means = [sum(column) / m for column in zip(*p["X"])]
        deviations = [
            sum((x[j] - mean) ** 2 for x in p["X"]) / m if bug == "standardised" else 1.0
            for j, mean in enumerate(means)
        ]
        X = [[(v - u) / (s**0.5 or 1.0) for v, u, s in zip(x, means, deviations)] for x in p["X"]]
        p = {**p, "X": X}
    if bug.endswith("_digits"):
        digits, _, told = bug.partition("_")
        answer = solve(p, " with Z" * told.startswith("Z"))
        found: dict[str, Any] = rounded(answer, {"two": 2, "four": 4, "six": 6}[digits])
        return found
    if p["family"] == "boost.mh":
        return adaboost_mh.solve(p, bug)
    bug, _, told_Z = bug.partition(" with ")
    X, y, m = p["X"], p["y"], len(p["X"])
    weights = p.get("weights", [1.0] * m)
    if bug == "weights_ignored":
        weights = [1.0] * m
    D = [w / (m if bug == "begun_over_rows" else sum(weights)) for w in weights]
    begun = D
    scores, rounds, stopped = [0.0] * m, [], "rounds"
    T = p["rounds"] + {"round_more": 1, "round_less": -1}.get(bug, 0)
    previous, alphas, best, heard = 0.0, list[float](), None, list[list[int]]()
    for t in range(1, T + 1):
        tried = []
        for question, answers in stumps(X, bug):
            for sign in (1,) if bug == "one_sided" else (1, -1):
                h = [sign * a for a in answers]
                rows = list(zip(D, h, y))
                if bug == "last_row_unseen":
                    rows = rows[:-1]
                eps = sum(d for d, a, c in rows if a != c)
                if bug == "unweighted_error":
                    eps = sum(a != c for a, c in zip(h, y)) / m
                tried.append((eps, question, sign, h))
        least = min(tried, key=lambda s: s[0])[0]
        if bug == "chosen_by_count":
            least = min(sum(a != c for a, c in zip(s[3], y)) for s in tried)
            tried = [s for s in tried if sum(a != c for a, c in zip(s[3], y)) == least]
            least = tried[0][0]
        tied = [s for s in tried if s[0] <= least + 1e-12]
        eps, question, sign, h = tied[0]
        if bug == "best_kept":
            best = min(best or tied[0], tied[0], key=lambda s: s[0] + (s is not best) * 1e-12)
            eps, question, sign, h = best
        if bug == "second_best":
            eps, question, sign, h = ([s for s in tried if s not in tied] or tied)[0]
        wanted = {"t": t, "epsilon": eps, "D": D}
        asked = question and {"column": question[0], "threshold": question[1]}
        wanted["stump"] = {"question": asked, "signs": [sign]}
        if bug == "strict":
            wanted["base"] = h
            del wanted["stump"]
        if bug == "floored":
            eps = max(eps, 1e-10)
        if eps < 1e-12:
            rounds = [{**wanted, "alpha": None}]
            return {"rounds": rounds, "stopped": "perfect", "labels": h}
        if eps >= 0.5 - 1e-12:
            stopped = "no_edge"
            if bug != "no_edge_told":
                break
        alpha = 0.5 * log((1 - eps) / eps)
        if bug == "alpha_without_half":
            alpha *= 2
        if bug == "log_ten":
            alpha /= log(10)
        if bug == "log_two":
            alpha /= log(2)
        due = alpha
        if bug.startswith("alpha_of_before"):
            alpha, previous = previous, alpha
            if bug.endswith("or_own") and t == 1:
                alpha = due
        if bug == "alpha_error":
            alpha = 0.5 * log(eps / (1 - eps))
        if bug == "alpha_is_half_edge":
            alpha = 0.5 - eps
        if bug == "alpha_is_edge":
            alpha = 1 - 2 * eps
        if bug == "learning_rate":
            alpha *= 0.1
        rounds.append({**wanted, "alpha": alpha})
        alphas.append(alpha)
        heard.append(h)
        before = scores
        vote = {"one_vote": 1.0, "vote_of_before": alphas[-2:][0], "vote_of_first": alphas[0]}
        scores = [s + vote.get(bug, alpha) * a for s, a in zip(scores, h)]
        if bug == "accuracy_told":
            rounds[-1]["epsilon"] = 1 - eps
        if bug == "wrong_only_raised":
            D = [d * exp(alpha) if a != c else d for d, a, c in zip(D, h, y)]
        elif bug == "right_raised":
            D = [d * exp(alpha * a * c) for d, a, c in zip(D, h, y)]
        elif bug == "raised_linearly":
            D = [d * (1 + alpha) if a != c else d for d, a, c in zip(D, h, y)]
        elif bug == "raised_by_error":
            D = [d * (1 + eps) if a != c else d for d, a, c in zip(D, h, y)]
        elif bug == "wrong_doubled":
            D = [2 * d if a != c else d for d, a, c in zip(D, h, y)]
        elif bug == "updated_twice":
            D = [d * exp(-2 * alpha * a * c) for d, a, c in zip(D, h, y)]
        elif bug == "logistic":
            first = [w / sum(weights) for w in weights]
            D = [d / (1 + exp(s * c)) for d, s, c in zip(first, scores, y)]
        elif bug == "whole_vote":
            D = [d * exp(-s * c) for d, s, c in zip(D, scores, y)]
        elif bug == "from_first_D":
            first = [w / sum(weights) for w in weights]
            D = [d * exp(-alpha * a * c) for d, a, c in zip(first, h, y)]
        elif bug.startswith("update_of_before"):
            step = alphas[-2] if t > 1 else alpha * bug.endswith("own")
            D = [d * exp(-step * a * c) for d, a, c in zip(D, h, y)]
        elif bug in ("alpha_of_before_updated", "alpha_of_before_updated_or_own"):
            D = [d * exp(-due * a * c) for d, a, c in zip(D, h, y)]
        elif bug.startswith("wrong_over_error"):
            D = [d / (2 * eps) if a != c else d for d, a, c in zip(D, h, y)]
        elif bug == "answers_shifted":
            D = [d * exp(-alpha * h[i - 1] * c) for i, (d, c) in enumerate(zip(D, y))]
        elif bug == "labels_zero_one":
            D = [d * exp(-alpha * a * (c > 0)) for d, a, c in zip(D, h, y)]
        elif bug != "never_reweighted":
            D = [d * exp(-alpha * a * c) for d, a, c in zip(D, h, y)]
        if told_Z:
            rounds[-1]["Z"] = sum(D)
            lost = (w for w, s, c in zip(weights, scores, y) if s * c <= 0)
            rounds[-1]["loss"] = sum(lost) / sum(weights)
            if bug == "loss_of_stump":
                lost = (w for w, a, c in zip(weights, h, y) if a != c)
                rounds[-1]["loss"] = sum(lost) / sum(weights)
            if bug == "loss_counted":
                rounds[-1]["loss"] = sum(s * c <= 0 for s, c in zip(scores, y)) / m
            if bug == "loss_of_before":
                lost = (w for w, s, c in zip(weights, before, y) if s * c <= 0)
                rounds[-1]["loss"] = sum(lost) / sum(weights)
            if bug == "begun_over_rows":
                lost = (d for d, s, c in zip(begun, scores, y) if s * c <= 0)
                rounds[-1]["loss"] = sum(lost)
            if bug == "Z_multiplied" and len(rounds) > 1:
                rounds[-1]["Z"] *= rounds[-2]["Z"]
        if told_Z == "largest as Z":
            rounds[-1]["Z"] = max(D)
        if bug == "divided_by_largest":
            D = [d / max(D) for d in D]
        elif bug == "divided_by_length":
            D = [d / sum(d * d for d in D) ** 0.5 for d in D]
        elif bug not in ("not_normalised", "wrong_over_error_alone"):
            D = [d / sum(D) for d in D]
        if bug == "ends_without_loss" and all(s * c > 0 for s, c in zip(scores, y)):
            break
        if stopped == "no_edge":
            break
        if bug == "D_of_next":
            rounds[-1]["D"] = D
        if bug == "epsilon_after":
            rounds[-1]["epsilon"] = sum(d for d, a, c in zip(D, h, y) if a != c)
    if bug == "one_list_for_D":
        rounds = [{**told, "D": D} for told in rounds]
    if bug == "labels_of_last" and rounds:
        scores = [float(a) for a in h]
    labels = [1 if s > 0 else -1 for s in scores]
    if bug == "one_vote_untold":
        labels = [1 if sum(hs) > 0 else -1 for hs in zip(*heard)] if heard else labels
        return {"rounds": rounds, "stopped": stopped, "labels": labels}
    if bug == "only_labels_of_last" and rounds:
        labels = h
    if bug == "labels_reversed":
        labels = [-a for a in labels]
    answer = {"rounds": rounds, "labels": labels, "scores": scores}
    if bug == "labels_as_scores":
        answer["scores"] = [float(a) for a in labels]
    return {**answer, "stopped": stopped} if bug != "round_less" else answer


def rounded(value: Any, digits: int) -> Any:
    """All numbers of an answer with so many digits behind the point."""
    if isinstance(value, dict):
        return {name: rounded(v, digits) if name != "stump" else v for name, v in value.items()}
    if isinstance(value, list):
        return [rounded(v, digits) for v in value]
    return round(value, digits) if isinstance(value, float) else value
