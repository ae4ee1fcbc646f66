"""What decodings of output codes, of one-vs-one, of one-vs-all and of trees of nodes get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp, log1p
from typing import Any

from refmc.core.records import Record, items, labels, matrix
from refmc.core.sample import Label
from refmc.mistakes.explanation import class_count
from refmc.mistakes.fields import (
    LN_2,
    changing,
    cut,
    mapped,
    negating,
    of_unit,
    rewriting,
    setting,
    without,
)
from refmc.mistakes.mistake import Mistake, Neighbours, of_program
from refmc.mistakes.transport import Program, by_program, solved
from refmc.oracle.axes import sizes
from refmc.oracle.values.decoding import read_problem

ZERO = Fraction(0)

RULES = ("score", "claim", "score_among_claims")

OF_PAIRS = ("votes", "score_sum", "votes_then_sums")

CLAIMS = ("claim", "score_among_claims", "each")

LEAST = Fraction(1, 2**60)
"""A score that claims, and changes no order."""

CODE, PAIRS, SCORES, NODES = "code.decode", "ovo.decode", "ova.decode", "nodes.decode"


_sorted_classes = changing(
    "classes",
    labels,
    lambda given: sorted(given, key=lambda label: (isinstance(label, str), label)),
)
"""The problem with its classes sorted, so that the columns get other labels."""


def _pairs_by_column(sign: int) -> Neighbours:
    """The problem whose scores are taken for those of (0, 1), (0, 2), (1, 2), (0, 3) and so on, or
    (sign −1) of (1, 0), (2, 0), (2, 1), (3, 0) and so on."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if "w" in problem:
            return []
        k, pairs = class_count(problem), matrix(problem["pairs"], "problem.pairs")
        mistaken = [(r, s) for s in range(k) for r in range(s)]
        at = [mistaken.index(pair) for pair in sorted(mistaken)]
        return [{**problem, "pairs": [[sign * row[i] for i in at] for row in pairs]}]

    return neighbours


def _met(bracket: Sequence[int], partner: Callable[[int, int], int]) -> list[int]:
    """The order in which those who meet stand side by side, by the partner of the i-th of n.

    Where five or seven begin, who meets whom later may differ.
    """
    groups = [[at] for at in bracket]
    while (n := len(groups)) > 1:
        met = [(i, partner(i, n)) for i in range(n // 2)]
        waits = {*range(n)}.difference(*met)
        groups = [groups[i] + groups[j] for i, j in met] + [groups[i] for i in waits]
    return groups[0]


BRACKETS: dict[str, Callable[[list[int]], list[int]]] = {
    "first_waits": lambda bracket: bracket[::-1],
    "ends_meet": lambda bracket: _met(bracket, lambda i, n: n - 1 - i),
    "halves_meet": lambda bracket: _met(bracket, lambda i, n: n // 2 + i),
}
"""The bracket of the tournament that is played instead."""


def _in_bracket(change: Callable[[list[int]], list[int]]) -> Neighbours:
    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem.get("rule") != "tournament":
            return []
        bracket: Any = problem["bracket"]
        return [{**problem, "bracket": change(bracket)}]

    return neighbours


def _zeros_left(problem: Record, answer: Record) -> list[Record]:
    """The problem with scores of 0 taken for positive ones, where signs decide."""
    if problem.get("decoding", "hamming") != "hamming":
        return []
    return changing("f", matrix, lambda f: [[v or Fraction(1) for v in row] for row in f])(
        problem, answer
    )


def _other_rules(problem: Record, answer: Record) -> list[Record]:
    own = problem.get("rule", "votes")
    rest = without(problem, "bracket")
    return [{**rest, "rule": rule} for rule in OF_PAIRS if rule != own]


def _changed_scores(change: Callable[[Fraction], Fraction], rules: Sequence[str]) -> Neighbours:
    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem.get("rule", "score") not in rules:
            return []
        changed = changing("scores", matrix, lambda scores: [[*map(change, row)] for row in scores])
        return changed(problem, answer)

    return neighbours


NOBODY: dict[str, tuple[Sequence[str], Callable[[Sequence[Fraction]], Sequence[int]]]] = {
    "nobody_then_best": (CLAIMS[:2], lambda row: [r for r, v in enumerate(row) if v == max(row)]),
    "none_then_best": (CLAIMS[2:], lambda row: [r for r, v in enumerate(row) if v == max(row)]),
    "nobody_then_first": (CLAIMS[:2], lambda row: [0]),
    "nobody_then_all": (CLAIMS[:1], lambda row: range(len(row))),
}
"""By some rules, the classes that are taken where no class claims a row."""


def _nobody_then(
    rules: Sequence[str], taken: Callable[[Sequence[Fraction]], Sequence[int]]
) -> Program:
    def program(problem: Record) -> Record | None:
        if problem.get("rule", "score") not in rules:
            return None
        right, classes = solved(problem), read_problem(problem)[1]
        sets = [
            own if any(v > 0 for v in row) else [classes[r] for r in taken(row)]
            for own, row in zip(right["label_sets"], matrix(problem["scores"], "scores"))
        ]
        return {
            "label_sets": sets,
            **({"labels": [s[0] for s in sets]} if "labels" in right else {}),
        }

    return program


def _compared_absolute(problem: Record, answer: Record) -> list[Record]:
    """The problem with the scores compared by size, where they are compared."""
    scores, rule = matrix(problem["scores"], "scores"), problem.get("rule", "score")
    if rule not in ("score", "score_among_claims"):
        return []
    sized = [[*map(abs, row)] if rule == "score" or max(row) < 0 else row for row in scores]
    return [] if sized == scores else [{**problem, "rule": "score", "scores": sized}]


Row = Sequence[Fraction]


def _decided(classes: Sequence[Label], scores: Sequence[Sequence[Any]]) -> dict[str, object]:
    """The classes of the largest score of each row: all of them, and the first."""
    sets = [[classes[r] for r, v in enumerate(row) if v == max(row)] for row in scores]
    return {"labels": [tied[0] for tied in sets], "label_sets": sets}


TERMS: dict[str, tuple[str | None, Callable[[Fraction, Fraction], Fraction | int]]] = {
    "euclidean": (None, lambda m, f: (m - f) ** 2),
    "zero_costs_nothing": ("hamming", lambda m, f: m * f < 0),
    "zero_is_minus": ("hamming", lambda m, f: (m > 0) != (f > 0)),
    "zero_disagrees": ("hamming", lambda m, f: _sign(m) != _sign(f)),
    "scores_not_signs": ("hamming", lambda m, f: (1 - m * f) / 2),
    "absolute": (None, lambda m, f: abs(m - f)),
    "product": (None, lambda m, f: -m * f),
    "squared_hinge": ("hinge", lambda m, f: max(1 - m * f, ZERO) ** 2),
    "sigmoid": ("logistic", lambda m, f: Fraction(1 / (1 + exp(float(m * f))))),
    "margin_doubled": ("logistic", lambda m, f: Fraction(log1p(exp(-2 * float(m * f))))),
    "hinge_of_signs": ("hinge", lambda m, f: max(1 - m * _sign(f), ZERO)),
    "half_hinge": ("hinge", lambda m, f: max(1 - m * f, ZERO) / 2),
    "half_logit": ("logistic", lambda m, f: Fraction(log1p(exp(-2 * float(m * f)))) / (2 * LN_2)),
    "no_margin": ("hinge", lambda m, f: max(-m * f, ZERO)),
}
"""What an entry m of the code and a score f add to a distance, of some decoding or of any."""


def _sign(value: Fraction) -> Fraction:
    return Fraction((value > 0) - (value < 0))


def _by_terms(
    decoding: str | None, term: Callable[[Fraction, Fraction], Fraction | int]
) -> Program:
    """A decoding by another distance of a row of the code from the scores."""

    def program(problem: Record) -> Record | None:
        if decoding not in (None, problem.get("decoding", "hamming")):
            return None
        code, f = matrix(problem["code"], "code"), matrix(problem["f"], "f")
        distances = [[Fraction(sum(map(term, row, scores))) for row in code] for scores in f]
        nearest = _decided(read_problem(problem)[1], [[-d for d in row] for row in distances])
        return {**nearest, "distances": distances}

    return program


def _bits(problem: Record) -> Fraction:
    return Fraction(sizes(problem)["bits"])


def _base_two(problem: Record) -> Fraction | None:
    return 1 / LN_2 if problem.get("decoding") == "logistic" else None


AT_0: dict[str, Fraction] = {
    "hamming": Fraction(1, 2),
    "hinge": Fraction(1),
    "exponential": Fraction(1),
    "logistic": LN_2,
}
"""What an entry 0 of the code adds to a distance."""


def _of_nonzero(is_mean: bool, is_free: bool) -> Program:
    """Distances divided by the nonzero entries of each row of the code, or of these alone."""

    def program(problem: Record) -> Record:
        counts = [sum(map(bool, row)) for row in matrix(problem["code"], "code")]
        free = AT_0[str(problem.get("decoding", "hamming"))] if is_free else ZERO
        distances = [
            [
                (d - free * (_bits(problem) - n)) / (n if n and is_mean else 1)
                for d, n in zip(row, counts)
            ]
            for row in matrix(solved(problem)["distances"], "distances")
        ]
        decided = _decided(read_problem(problem)[1], [[-d for d in row] for row in distances])
        return {**decided, "distances": distances}

    return program


def _farthest(problem: Record) -> Record | None:
    """The row of the largest distance."""
    right = solved(problem)
    decided = _decided(read_problem(problem)[1], matrix(right["distances"], "distances"))
    return {**right, **decided}


def _first_only(problem: Record) -> Record | None:
    """The first of the tied labels for all of them."""
    right = solved(problem)
    if "labels" not in right:  # sets are the decisions, not ties
        return None
    return {**right, "label_sets": [[label] for label in right["labels"]]}


def _sums_for_votes(problem: Record) -> Record | None:
    """Votes as they should be, and labels by the sums of scores."""
    if problem.get("rule", "votes") != "votes":
        return None
    right = solved(problem)
    by_sums = solved({**problem, "rule": "score_sum"})
    return {**right, "labels": by_sums["labels"], "label_sets": by_sums["label_sets"]}


Duel = Callable[[Fraction, bool], Fraction | int]
"""What a class gets of its score against a rival; whether it is the first of the pair."""


def _vote(v: Fraction, is_first: bool) -> Fraction:
    return (1 + _sign(v)) / 2


def _score(v: Fraction, is_first: bool) -> Fraction:
    return v


DUELS: dict[str, tuple[Duel, Duel]] = {
    "zero_for_first": (lambda v, is_first: v > 0 or (not v and is_first), _score),
    "zero_for_second": (lambda v, is_first: v > 0 or not (v or is_first), _score),
    "zero_for_none": (lambda v, is_first: v > 0, _score),
    "zero_for_both": (lambda v, is_first: v >= 0, _score),
    "votes_by_score": (lambda v, is_first: max(v, ZERO), _score),
    "sums_of_first": (_vote, lambda v, is_first: v if is_first else ZERO),
    "sums_of_wins": (_vote, lambda v, is_first: max(v, ZERO)),
}
"""Votes and sums that a class gets otherwise from its duels."""


MIRRORS: dict[str, Callable[[Fraction], Fraction]] = {
    "mirror_not_negated": lambda v: v,
    "mirror_forgotten": lambda v: ZERO,
    "mirror_complement": lambda v: 1 - v,
}
"""What the second class of a pair has, in the place of minus the score of the first."""


def _mirrored(mirror: Callable[[Fraction], Fraction]) -> Program:
    """One-vs-one with other scores of the second classes, where those of the first are given."""

    def score(v: Fraction, is_first: bool) -> Fraction:
        return v if is_first else mirror(-v)

    by = _by_duels(lambda v, is_first: _vote(score(v, is_first), is_first), score)
    return lambda problem: None if "w" in problem else by(problem)


def _by_duels(vote: Duel, score: Duel = _score, last: int = 1, of_tied: bool = False) -> Program:
    """One-vs-one by other votes or sums; what is tied goes to the largest sum, or (last −1) to the
    smallest, or to that of the scores against what is tied."""

    def program(problem: Record) -> Record | None:
        rule = str(problem.get("rule", "votes"))
        if (last < 0 or of_tied) and rule != OF_PAIRS[2]:
            return None
        read: Any = read_problem(problem)

        def got(duel: Duel, w: Sequence[Row], rivals: Sequence[bool]) -> list[Fraction]:
            size = range(len(w))
            return [
                sum((Fraction(duel(w[r][s], r < s)) for s in size if s != r and rivals[s]), ZERO)
                for r in size
            ]

        votes, sums, keys = list[Row](), list[Row](), list[Sequence[Any]]()
        for w in read[0].w:
            votes.append(got(vote, w, [True] * len(w)))
            sums.append(got(score, w, [True] * len(w)))
            tied = [not of_tied or v == max(votes[-1]) for v in votes[-1]]
            seconds = [last * v for v in got(score, w, tied)]
            both = [*zip(votes[-1], seconds)]
            keys.append(votes[-1] if rule == "votes" else sums[-1] if rule == "score_sum" else both)
        decided = solved(problem) if rule == "tournament" else _decided(read[1], keys)
        return {**decided, "votes": votes, "sums": sums}

    return program


def _undefeated(either: bool) -> Program:
    """The class that is left when each in turn is beaten by the next or stays; a score of 0 can end
    either way, or the class stays."""

    def program(problem: Record) -> Record:
        read: Any = read_problem(problem)
        found = []
        for w in read[0].w:
            order: Any = problem.get("bracket") or range(len(w))
            best = {order[0]}
            for other in order[1:]:
                lost = [r for r in best if w[r][other] < 0 or (either and not w[r][other])]
                kept = {r for r in best if w[r][other] >= 0}
                best = kept | {other} if lost else kept
            found.append([read[1][r] for r in sorted(best)])
        return {"labels": [tied[0] for tied in found], "label_sets": found}

    return program


def _scaled_by_the_batch(problem: Record) -> Record | None:
    """Votes with the sums of scores added, as a share of the largest sum of all rows."""
    if problem.get("rule", "votes") != "votes":
        return None
    right = solved(problem)
    votes, sums = matrix(right["votes"], "votes"), matrix(right["sums"], "sums")
    largest = max((abs(v) for row in sums for v in row), default=Fraction(0))
    if not largest:
        return None
    scores = [
        [v + s / (4 * largest) for v, s in zip(*rows)] for rows in zip(votes, sums, strict=True)
    ]
    return {**_decided(read_problem(problem)[1], scores), "votes": scores}


def _first_for_all(rows: object) -> object:
    given = items(rows, "rows")
    return [given[0]] * len(given)


def _clipped(value: Fraction) -> Fraction:
    return max(Fraction(-1), min(Fraction(1), value))


MISTAKES: tuple[Mistake, ...] = (
    *(of_program(f"code.{name}", (CODE,), _by_terms(*of)) for name, of in TERMS.items()),
    Mistake("code.zero_is_plus", (CODE,), problem=_zeros_left),
    of_program("code.mean_of_nonzero", (CODE,), _of_nonzero(True, False)),
    of_program("code.zero_bit_free", (CODE,), _of_nonzero(False, True)),
    of_program("code.nonzero_alone", (CODE,), _of_nonzero(True, True)),
    of_program("code.farthest", (CODE,), _farthest),
    of_unit("code.distances_doubled", (CODE,), lambda problem: 2, "distances"),
    of_unit("code.mean_distance", (CODE,), lambda problem: 1 / _bits(problem), "distances"),
    of_unit("code.base_two", (CODE,), _base_two, "distances"),
    Mistake("code.loss_of_minus_z", (CODE,), problem=negating("f")),
    Mistake(
        "code.other_decoding",
        (CODE,),
        problem=setting("decoding", "hamming", "hinge", "exponential", "logistic"),
    ),
    of_program("code.label_order", (CODE,), _first_only),
    Mistake("ovo.pair_sign", (PAIRS,), problem=negating("w", "pairs")),
    Mistake("ovo.pairs_by_column", (PAIRS,), problem=_pairs_by_column(1)),
    Mistake("ovo.pairs_of_lower", (PAIRS,), problem=_pairs_by_column(-1)),
    Mistake("ovo.w_transposed", (PAIRS,), problem=negating("w")),
    *(Mistake(f"ovo.{n}", (PAIRS,), problem=_in_bracket(of)) for n, of in BRACKETS.items()),
    Mistake("ovo.other_rule", (PAIRS,), problem=_other_rules),
    *(of_program(f"ovo.{name}", (PAIRS,), _by_duels(*of)) for name, of in DUELS.items()),
    *(of_program(f"ovo.{name}", (PAIRS,), _mirrored(of)) for name, of in MIRRORS.items()),
    of_program("ovo.smallest_sum", (PAIRS,), _by_duels(_vote, last=-1)),
    of_program("ovo.sums_of_tied", (PAIRS,), _by_duels(_vote, of_tied=True)),
    of_unit(
        "ovo.mean_sums", (PAIRS,), lambda problem: Fraction(1, class_count(problem) - 1), "sums"
    ),
    replace(
        of_program("ovo.undefeated", (PAIRS,), _undefeated(False)),
        if_tied=(by_program(_undefeated(True)),),
    ),
    replace(
        of_program("ovo.lost_subtracted", (PAIRS,), _by_duels(lambda v, is_first: _sign(v))),
        if_tied=(by_program(_by_duels(lambda v, is_first: _sign(v) or Fraction(1, 2))),),
    ),
    of_program("ovo.ties_to_first", (PAIRS,), _first_only),
    of_program("ovo.scores_not_votes", (PAIRS,), _sums_for_votes),
    of_program("ovo.batch_scaling", (PAIRS,), _scaled_by_the_batch),
    Mistake("nodes.sides_reversed", (NODES,), problem=negating("f")),
    Mistake("nodes.zero_leads_left", (NODES,), problem=_zeros_left),
    Mistake("nodes.smallest", (NODES,), problem=negating("scores")),
    of_program("nodes.ties_to_first", (NODES,), _first_only),
    Mistake(
        "code.first_row_for_all",
        (CODE, PAIRS, SCORES, NODES),
        problem=rewriting(_first_for_all, "f", "pairs", "w", "scores"),
    ),
    Mistake("code.clipped", (CODE,), problem=rewriting(lambda f: mapped(f, _clipped), "f")),
    Mistake("ova.other_rule", (SCORES,), problem=setting("rule", *RULES)),
    Mistake("ova.zero_claims", (SCORES,), problem=_changed_scores(lambda v: v or LEAST, CLAIMS)),
    Mistake(
        "ova.threshold_half",
        (SCORES,),
        problem=_changed_scores(lambda v: v - Fraction(1, 2), CLAIMS),
    ),
    Mistake(
        "ova.whole_scores", (CODE, PAIRS, SCORES), problem=rewriting(cut, "scores", "f", "pairs")
    ),
    *(of_program(f"ova.{name}", (SCORES,), _nobody_then(*of)) for name, of in NOBODY.items()),
    Mistake("ova.compared_absolute", (SCORES,), problem=_compared_absolute),
    Mistake("ova.smallest", (SCORES,), problem=_changed_scores(lambda v: -v, RULES)),
    Mistake("ova.absolute", (SCORES,), problem=_changed_scores(abs, (*RULES, "each"))),
    Mistake("code.loss_of_signs", (CODE,), problem=rewriting(lambda f: mapped(f, _sign), "f")),
    Mistake("ova.class_order", (CODE, PAIRS, SCORES), problem=_sorted_classes),
    of_program("ova.ties_to_first", (SCORES,), _first_only),
)

CONVENTIONS: tuple[Mistake, ...] = ()

HINTS = (
    "ovo.pair_sign", "ovo.zero_for_first", "ovo.zero_for_second",
    "ovo.pair_sign ovo.zero_for_first", "ovo.pair_sign ovo.zero_for_second", "ovo.other_rule",
    "ova.other_rule", "nodes.sides_reversed", "nodes.zero_leads_left", "ova.class_order",
    "code.loss_of_minus_z", "code.other_decoding",
)  # fmt: skip
"""What `check` tries, in this order; those that stand together are tried as one."""
