"""What output codes, one-vs-one and one-vs-all decide."""

from math import exp, log
from typing import Any

SUPPORTS = {
    "code.decode": ["decoding", "classes"],
    "ovo.decode": ["rule", "classes", "bracket"],
    "ova.decode": ["rule", "classes"],
}

THEN_FIRST = ("nobody_then_first", "negative_then_first")


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    if bug == "rounded":
        read = ("f", "pairs", "scores")
        p = {n: [[float(round(v)) for v in row] for row in p[n]] if n in read else p[n] for n in p}
    if bug == "negated":
        read = ("f", "pairs", "scores")
        p = {n: [[-v for v in row] for row in p[n]] if n in read else p[n] for n in p}
    if p["family"] == "code.decode":
        return code(p, bug)
    return ovo(p, bug) if p["family"] == "ovo.decode" else ova(p, bug)


def code(p: dict[str, Any], bug: str) -> dict[str, Any]:
    def sign(v: float) -> int:
        if bug == "zero_is_minus":
            return 1 if v > 0 else -1
        return (v > 0) - (v < 0)

    def term(c: float, f: float) -> float:
        if bug == "clipped":
            f = max(-1.0, min(1.0, f))
        if bug == "euclidean":
            return (c - f) ** 2
        if bug == "signs_decoded" or (bug == "hinge_of_signs" and p["decoding"] == "hinge"):
            f = float(sign(f))
        z = c * f
        if bug == "product":
            return -z
        if bug == "absolute_distance":
            return abs(c - f)
        if bug == "margin_reversed":
            z = -z
        name = p["decoding"]
        if name == "hamming":
            if bug == "zero_free" and c == 0:
                return 0.0
            if bug == "zero_disagrees":
                return float(sign(c) != sign(f))
            if bug == "zero_is_plus":
                f = f or 1.0
            if bug == "hamming_doubled":
                return 1.0 - sign(c) * sign(f)
            if bug == "scores_not_signs":
                return (1 - z) / 2
            return (1 - (-1 if bug == "margin_reversed" else 1) * sign(c) * sign(f)) / 2
        if name == "hinge":
            loss = max(0.0, -z if bug == "no_margin" else 1 - z)
            if bug == "half_hinge":
                return loss / 2
            return loss * loss if bug == "squared_hinge" else loss
        if name == "exponential":
            return exp(-z / 2) if bug == "half_exponent" else exp(-z)
        if bug == "half_logit":
            return log(1 + exp(-2 * z)) / (2 * log(2))
        if bug == "margin_doubled":
            return log(1 + exp(-2 * z))
        if bug == "sigmoid":
            return 1 / (1 + exp(z))
        return log(1 + exp(-z)) / (log(2) if bug == "base_two" else 1)

    M = p["code"]
    if bug == "zero_bit_minus":
        M = [[c or -1.0 for c in row] for row in M]
    if bug == "last_bit_missing":
        M = [row[:-1] for row in M]
    if bug == "bits_reversed":
        M = [row[::-1] for row in M]
    F = [p["f"][0] if bug == "first_row_for_all" else x for x in p["f"]]
    free = bug in ("nonzero_alone", "zero_bit_unheard")
    d = [[sum(term(c, f) for c, f in zip(row, x) if c or not free) for row in M] for x in F]
    if bug == "mean_distance":
        d = [[v / len(M[0]) for v in row] for row in d]
    if bug in ("mean_of_nonzero", "nonzero_alone"):
        d = [[v / (sum(map(bool, M[r])) or 1) for r, v in enumerate(row)] for row in d]
    best = [[r for r, v in enumerate(row) if v <= min(row) + 1e-12] for row in d]
    if bug == "farthest":
        best = [[r for r, v in enumerate(row) if v >= max(row) - 1e-12] for row in d]
    return told(p, best, bug, distances=d)


def ovo(p: dict[str, Any], bug: str) -> dict[str, Any]:
    k = len(p["classes"])
    votes, sums, best = [], [], []
    if bug == "undefeated":
        return told(p, [undefeated(scores, k) for scores in p["pairs"]], bug)
    for scores in p["pairs"]:
        v, s, duels = [0.0] * k, [0.0] * k, dict[tuple[int, int], float]()
        pairs = [(r, t) for r in range(k) for t in range(r + 1, k)]
        if bug == "pairs_of_lower":
            pairs = [(t, r) for t in range(k) for r in range(t)]
        if bug == "pairs_by_column":
            pairs = [(r, t) for t in range(k) for r in range(t)]
        if bug == "pairs_backwards":
            scores = scores[::-1]
        for (r, t), score in zip(pairs, scores):
            if (r, t) == {"first_pair": pairs[0], "last_pair": pairs[-1]}.get(bug):
                duels[r, t], duels[t, r] = 0.0, 0.0
                continue
            if bug == "second_is_positive":
                score = -score
            s[r], s[t] = s[r] + score, s[t] - score
            if bug == "one_sided_sum":
                s[t] += score
            if bug == "sums_of_wins":
                s[r], s[t] = s[r] - min(score, 0), s[t] + max(score, 0)
            duels[r, t], duels[t, r] = score, -score
            if bug.startswith("mirror"):
                mine = {"mirror_kept": score, "mirror_zero": 0.0}.get(bug, 1 - score)
                s[t] += score + mine
                v[r] += (1 + (score > 0) - (score < 0)) / 2
                v[t] += (1 + (mine > 0) - (mine < 0)) / 2
                continue
            if score == 0 and bug != "zero_for_first":
                half = 0.0 if bug in ("zero_for_none", "lost_subtracted") else 0.5
                half = 1.0 if bug == "zero_for_both" else 0.0 if bug == "votes_by_score" else half
                v[r], v[t] = v[r] + half, v[t] + half
            else:
                winner, loser = (r, t) if score >= 0 else (t, r)
                v[winner] += abs(score) if bug == "votes_by_score" else 1
                v[loser] -= bug == "lost_subtracted"
        votes.append(v)
        sums.append(s)
        if bug == "mean_sums":
            sums[-1] = s = [x / (k - 1) for x in s]
        rule = p["rule"]
        if bug == "always_votes":
            rule = rule if rule == "tournament" else "votes"
        if bug in ("votes_alone", "ties_by_sums"):
            known = {"votes_then_sums": "votes"}
            known = known if bug == "votes_alone" else {"votes": "votes_then_sums"}
            rule = known.get(rule, rule)
        if bug == "other_rule":
            rule = "votes" if rule == "score_sum" else "score_sum"
        if rule == "tournament" and bug.endswith("_meet"):
            best.append(tournament(p["bracket"], duels, bug))
            continue
        if rule == "tournament":
            return {"skip": "no tournaments"}
        key = s if rule == "score_sum" else v
        tops = [r for r in range(k) if key[r] >= max(key) - 1e-12]
        if rule == "votes_then_sums" and bug != "no_second_key":
            key = [sum(duels[r, t] for t in tops if t != r) for r in range(k)]
            key = key if bug == "sums_of_tied" else s
            key = [-x for x in s] if bug == "smallest_sum" else key
            tops = [r for r in tops if key[r] >= max(key[t] for t in tops) - 1e-12]
        best.append(tops)
    return told(p, best, bug, votes=votes, sums=sums)


def tournament(bracket: list[int], duels: dict[tuple[int, int], float], bug: str) -> list[int]:
    sides = [{r} for r in bracket]
    while len(sides) > 1:
        half, left = len(sides) // 2, sides[: len(sides) // 2]
        right = sides[half : 2 * half] if bug == "halves_meet" else sides[::-1][:half]
        middle = [sides[-1 if bug == "halves_meet" else half]] if len(sides) % 2 else []
        if bug == "neighbours_alone_meet":
            left, right, middle = sides[::2], sides[1::2], []
        sides = [
            {r for r in a if any(duels[r, t] >= 0 for t in b)}
            | {t for t in b if any(duels[t, r] >= 0 for r in a)}
            for a, b in zip(left, right)
        ] + middle
    return sorted(sides[0])


def undefeated(scores: list[float], k: int) -> list[int]:
    at = {(r, t): i for i, (r, t) in enumerate((r, t) for r in range(k) for t in range(r + 1, k))}
    best = 0
    for t in range(1, k):
        best = t if scores[at[best, t]] < 0 else best
    return [best]


def ova(p: dict[str, Any], bug: str) -> dict[str, Any]:
    best = []
    for row in p["scores"]:
        rule = "score" if bug == "always_score" else p["rule"]
        if bug == "whole_scores":
            row = [float(int(v)) for v in row]
        if bug == "above_half":
            row = [v - 0.5 for v in row]
        if bug == "absolute":
            row = [abs(v) for v in row]
        if bug == "smallest":
            row = [-v for v in row]
        claims = [r for r, v in enumerate(row) if (v >= 0 if bug == "zero_claims" else v > 0)]
        top = [r for r, v in enumerate(row) if v == max(row)]
        if bug == "nobody_then_all" and rule == "claim" and max(row) <= 0:
            best.append([*range(len(row))])
            continue
        if bug == "none_then_best" and rule == "each" and max(row) <= 0:
            best.append(top)
            continue
        is_none = max(row) < 0 if bug == "negative_then_first" else max(row) <= 0
        if bug in THEN_FIRST and rule != "each" and rule != "score" and is_none:
            best.append([0])
            continue
        compared = rule == "score" or (rule == "score_among_claims" and max(row) < 0)
        if bug == "compared_absolute" and compared:
            top = [r for r, v in enumerate(row) if abs(v) == max(map(abs, row))]
        if rule == "each":
            best.append(claims)
        elif rule == "claim":
            signs = [(v > 0) - (v < 0) for v in row]
            best.append([r for r, s in enumerate(signs) if s == max(signs)])
        else:
            best.append(top)
    return told(p, best, bug)


def told(p: dict[str, Any], best: Any, bug: str, **more: Any) -> dict[str, Any]:
    if bug == "first_of_tied":
        best = [tied[:1] for tied in best]
    if bug == "last_of_tied":
        best = [tied[-1:] for tied in best]
    if bug == "class_before":
        best = [[(r - 1) % len(p["classes"]) for r in tied] for tied in best]
    if bug == "class_after":
        best = [[(r + 1) % len(p["classes"]) for r in tied] for tied in best]
    sets = [[p["classes"][r] for r in tied] for tied in best]
    if p.get("rule") == "each":
        return {"label_sets": sets}
    return {**more, "label_sets": sets, "labels": [tied[0] for tied in sets]}
