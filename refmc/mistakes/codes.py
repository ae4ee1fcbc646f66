"""What decodings of output codes, of one-vs-all and of trees of nodes get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from math import exp, log1p
from operator import ge, gt

from refmc.core.records import Record, items, labels, matrix
from refmc.core.scalars import sign
from refmc.mistakes.fields import (
    LN_2,
    changing,
    each_number,
    negating,
    of_unit,
    rewriting,
    setting,
    to_whole,
)
from refmc.mistakes.mistake import Mistake, Neighbours, of_program
from refmc.mistakes.one_vs_one import MISTAKES as OF_ONE_VS_ONE
from refmc.mistakes.one_vs_one import PAIRS, ZERO, by_largest, first_only, last_only
from refmc.mistakes.transport import Program, solved
from refmc.oracle.axes import sizes
from refmc.oracle.values.decoding import read_problem

RULES = ("score", "claim", "score_among_claims")

CLAIMS = ("claim", "score_among_claims", "each")

LEAST = Fraction(1, 2**60)
"""A score that claims, and changes no order."""

CODE, SCORES, NODES = "code.decode", "ova.decode", "nodes.decode"

_sorted_classes = changing(
    "classes", labels, partial(sorted, key=lambda label: (isinstance(label, str), label))
)
"""The problem with its classes sorted, so that the columns get other labels."""


def _zeros_left(problem: Record, answer: Record) -> list[Record]:
    """The problem with scores of 0 taken for positive ones, where signs decide."""
    if problem.get("decoding", "hamming") != "hamming":
        return []
    positive = changing("f", matrix, lambda f: [[v or Fraction(1) for v in row] for row in f])
    return positive(problem, answer)


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
    rules: Sequence[str],
    taken: Callable[[Sequence[Fraction]], Sequence[int]],
    claims: Callable[[Fraction, int], bool] = gt,
) -> Program:
    """Other decisions on the rows of which no score `claims` its class, compared with 0."""

    def program(problem: Record) -> Record | None:
        if problem.get("rule", "score") not in rules:
            return None
        right, classes = solved(problem), read_problem(problem)[1]
        sets = [
            own if any(claims(v, 0) for v in row) else [classes[r] for r in taken(row)]
            for own, row in zip(right["label_sets"], matrix(problem["scores"], "scores"))
        ]
        first = {"labels": [own[0] for own in sets]} if "labels" in right else {}
        return {"label_sets": sets, **first}

    return program


def _compared_absolute(problem: Record, answer: Record) -> list[Record]:
    """The problem with the scores compared by size, where they are compared."""
    scores, rule = matrix(problem["scores"], "scores"), problem.get("rule", "score")
    if rule not in ("score", "score_among_claims"):
        return []
    sized = [[*map(abs, row)] if rule == "score" or max(row) < 0 else row for row in scores]
    return [] if sized == scores else [{**problem, "rule": "score", "scores": sized}]


TERMS: dict[str, tuple[str | None, Callable[[Fraction, Fraction], Fraction | int]]] = {
    "euclidean": (None, lambda m, f: (m - f) ** 2),
    "zero_costs_nothing": ("hamming", lambda m, f: m * f < 0),
    "zero_is_minus": ("hamming", lambda m, f: (m > 0) != (f > 0)),
    "zero_disagrees": ("hamming", lambda m, f: sign(m) != sign(f)),
    "scores_not_signs": ("hamming", lambda m, f: (1 - m * f) / 2),
    "absolute": (None, lambda m, f: abs(m - f)),
    "product": (None, lambda m, f: -m * f),
    "squared_hinge": ("hinge", lambda m, f: max(1 - m * f, ZERO) ** 2),
    "sigmoid": ("logistic", lambda m, f: Fraction(1 / (1 + exp(float(m * f))))),
    "margin_doubled": ("logistic", lambda m, f: Fraction(log1p(exp(-2 * float(m * f))))),
    "hinge_of_signs": ("hinge", lambda m, f: max(1 - m * sign(f), ZERO)),
    "half_hinge": ("hinge", lambda m, f: max(1 - m * f, ZERO) / 2),
    "half_logit": ("logistic", lambda m, f: Fraction(log1p(exp(-2 * float(m * f)))) / (2 * LN_2)),
    "no_margin": ("hinge", lambda m, f: max(-m * f, ZERO)),
}
"""What an entry m of the code and a score f add to a distance, of some decoding or of any."""


def _nearest(problem: Record, distances: list[list[Fraction]]) -> Record:
    """The decoding by the least distance."""
    decided = by_largest(read_problem(problem)[1], [[-d for d in row] for row in distances])
    return {**decided, "distances": distances}


def _by_terms(
    decoding: str | None, term: Callable[[Fraction, Fraction], Fraction | int]
) -> Program:
    """A decoding by another distance of a row of the code from the scores."""

    def program(problem: Record) -> Record | None:
        if decoding not in (None, problem.get("decoding", "hamming")):
            return None
        code, f = matrix(problem["code"], "code"), matrix(problem["f"], "f")
        distances = [[Fraction(sum(map(term, row, scores))) for row in code] for scores in f]
        return _nearest(problem, distances)

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
        less = [free * (_bits(problem) - n) for n in counts]
        by = [n if n and is_mean else 1 for n in counts]
        right = matrix(solved(problem)["distances"], "distances")
        distances = [[(d - v) / n for d, v, n in zip(row, less, by)] for row in right]
        return _nearest(problem, distances)

    return program


def _farthest(problem: Record) -> Record | None:
    """The row of the largest distance."""
    right = solved(problem)
    decided = by_largest(read_problem(problem)[1], matrix(right["distances"], "distances"))
    return {**right, **decided}


def _first_for_all(rows: object) -> object:
    given = items(rows, "rows")
    return [given[0]] * len(given)


def _clipped(value: Fraction) -> Fraction:
    return max(Fraction(-1), min(Fraction(1), value))


MISTAKES: tuple[Mistake, ...] = (
    *(of_program(f"code.{name}", (CODE,), _by_terms(*of)) for name, of in TERMS.items()),
    Mistake("code.zero_is_plus", (CODE,), _zeros_left),
    Mistake("code.zero_bit_minus", (CODE,), each_number(lambda v: v or Fraction(-1), "code")),
    of_program("code.mean_of_nonzero", (CODE,), _of_nonzero(True, False)),
    of_program("code.zero_bit_free", (CODE,), _of_nonzero(False, True)),
    of_program("code.nonzero_alone", (CODE,), _of_nonzero(True, True)),
    of_program("code.farthest", (CODE,), _farthest),
    of_unit("code.distances_doubled", (CODE,), lambda problem: 2, "distances"),
    of_unit("code.mean_distance", (CODE,), lambda problem: 1 / _bits(problem), "distances"),
    of_unit("code.base_two", (CODE,), _base_two, "distances"),
    Mistake("code.loss_of_minus_z", (CODE,), negating("f")),
    Mistake(
        "code.other_decoding",
        (CODE,),
        setting("decoding", "hamming", "hinge", "exponential", "logistic"),
    ),
    of_program("code.label_order", (CODE,), first_only, last_only),
    *OF_ONE_VS_ONE,
    Mistake("nodes.sides_reversed", (NODES,), negating("f")),
    Mistake("nodes.zero_leads_left", (NODES,), _zeros_left),
    Mistake("nodes.smallest", (NODES,), negating("scores")),
    of_program("nodes.ties_to_first", (NODES,), first_only, last_only),
    Mistake(
        "code.first_row_for_all",
        (CODE, PAIRS, SCORES, NODES),
        rewriting(_first_for_all, "f", "pairs", "w", "scores"),
    ),
    Mistake("code.clipped", (CODE,), each_number(_clipped, "f")),
    Mistake("ova.other_rule", (SCORES,), setting("rule", *RULES)),
    Mistake("ova.zero_claims", (SCORES,), _changed_scores(lambda v: v or LEAST, CLAIMS)),
    Mistake("ova.threshold_half", (SCORES,), _changed_scores(lambda v: v - Fraction(1, 2), CLAIMS)),
    Mistake("ova.whole_scores", (CODE, PAIRS, SCORES), to_whole("scores", "f", "pairs")),
    *(
        of_program(f"ova.{name}", (SCORES,), _nobody_then(*of), _nobody_then(*of, ge))
        for name, of in NOBODY.items()
    ),
    Mistake("ova.compared_absolute", (SCORES,), _compared_absolute),
    Mistake("ova.smallest", (SCORES,), _changed_scores(lambda v: -v, (*RULES, "each"))),
    Mistake("ova.absolute", (SCORES,), _changed_scores(abs, (*RULES, "each"))),
    Mistake("code.loss_of_signs", (CODE,), each_number(lambda v: Fraction(sign(v)), "f")),
    Mistake("ova.class_order", (CODE, PAIRS, SCORES), _sorted_classes),
    of_program("ova.ties_to_first", (SCORES,), first_only, last_only),
)

CONVENTIONS: tuple[Mistake, ...] = ()
