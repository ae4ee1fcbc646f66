"""Variants of decodings and of losses."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from refmc.core.records import Record, items, labels, matrix, number
from refmc.oracle.variants.fields import (
    costs_ignored,
    costs_transposed,
    mapped,
    negated,
    rewritten,
    setting,
    without,
)
from refmc.oracle.variants.variant import Neighbours, Variant

CODE, PAIRS, SCORES, NODES = "code.decode", "ovo.decode", "ova.decode", "nodes.decode"
HINGES = ("loss.multiclass_hinge", "loss.multiclass_hinge_sum")


def _sorted_classes(problem: Record, answer: Record) -> list[Record]:
    """The problem with its classes sorted, so that the columns get other labels."""
    if "classes" not in problem:
        return []
    given = labels(problem["classes"], "problem.classes")
    ordered = sorted(given, key=lambda label: (isinstance(label, str), label))
    return [] if ordered == given else [{**problem, "classes": ordered}]


def _pairs_reversed(problem: Record, answer: Record) -> list[Record]:
    name = "w" if "w" in problem else "pairs"
    return [{**problem, name: negated(problem[name])}]


def _zeros_won(value: int) -> Neighbours:
    """Each score of 0 won by the first class of its pair (value 1), or by the second (−1)."""

    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem.get("rule") == "score_sum":  # to a sum a score of 0 adds nothing
            return []
        if "w" not in problem:
            pairs = matrix(problem["pairs"], "problem.pairs")
            won = [[v or Fraction(value) for v in row] for row in pairs]
            return [] if won == pairs else [{**problem, "pairs": won}]
        w = [matrix(rows, "problem.w") for rows in items(problem["w"], "problem.w")]
        sided = [_sided(rows, value) for rows in w]
        return [] if sided == w else [{**problem, "w": sided}]

    return neighbours


def _sided(w: Sequence[Sequence[Fraction]], value: int) -> list[list[Fraction]]:
    size = range(len(w))
    return [[w[r][s] or Fraction(value * ((s > r) - (s < r))) for s in size] for r in size]


def _zeros_left(problem: Record, answer: Record) -> list[Record]:
    f = matrix(problem["f"], "problem.f")
    return [{**problem, "f": [[v or Fraction(1) for v in row] for row in f]}]


def _without_sums(problem: Record, answer: Record) -> Record:
    """The answer without its score sums, which are the same however zeros count."""
    return without(answer, "sums")


def _other_rules(problem: Record, answer: Record) -> list[Record]:
    own = problem.get("rule", "votes")
    rest = without(problem, "bracket")
    return [{**rest, "rule": rule} for rule in ("votes", "score_sum") if rule != own]


def _other_hinge(problem: Record, answer: Record) -> list[Record]:
    return [{**problem, "family": name} for name in HINGES if name != problem["family"]]


def _per_place(problem: Record, answer: Record) -> Record | None:
    """The answer with counts of differing places divided by the length of all codes."""
    codes = items(problem["y"], "problem.y")
    lengths = {len(items(code, "y")) if not isinstance(code, (str, int)) else 1 for code in codes}
    if len(lengths) != 1 or lengths == {1}:
        return None
    share = Fraction(1, lengths.pop())
    return rewritten(answer, lambda value: mapped(value, lambda v: v * share), "values", "mean")


def _summed(problem: Record, answer: Record) -> Record | None:
    """The answer with the sum that it gives for the mean divided by the number of values."""
    if "mean" not in answer:
        return None
    name = next(name for name in ("z", "scores", "y") if name in problem)
    count = len(items(problem[name], f"problem.{name}"))
    return {**answer, "mean": number(answer["mean"], "answer.mean") / count} if count > 1 else None


REVERSED = Variant(
    "ovo.pair_sign",
    (PAIRS,),
    "a positive score of a pair is a vote for the second class",
    "keshet §1.2, karagiannis Note 13: +1 is the first",
    problem=_pairs_reversed,
)
ZERO_FIRST, ZERO_SECOND = (
    Variant(
        f"ovo.zero_for_{side}",
        (PAIRS,),
        f"a score of 0 is a whole vote for the {side} class of its pair",
        "refmc: a score of 0 is half a vote for either",
        problem=_zeros_won(value),
        answer=_without_sums,
    )
    for side, value in (("first", 1), ("second", -1))
)

VARIANTS: tuple[Variant | tuple[Variant, ...], ...] = (
    REVERSED,
    ZERO_FIRST,
    ZERO_SECOND,
    (REVERSED, ZERO_FIRST),
    (REVERSED, ZERO_SECOND),
    Variant(
        "ovo.other_rule",
        (PAIRS,),
        "another rule decides",
        "keshet §1.2 against chang",
        problem=_other_rules,
    ),
    Variant(
        "ova.other_rule",
        (SCORES,),
        "another rule decides",
        "keshet §1.1 against karagiannis Note 10",
        problem=setting("rule", "score", "claim", "score_among_claims"),
    ),
    Variant(
        "nodes.sides_reversed",
        (NODES,),
        "a positive score of a node leads to its right side",
        "refmc: +1 is the left side, and leads there",
        problem=lambda problem, answer: [{**problem, "f": negated(problem["f"])}],
    ),
    Variant(
        "nodes.zero_leads_left",
        (NODES,),
        "a score of 0 leads to the left side alone",
        "refmc: a score of 0 says neither, and leads to both sides",
        problem=_zeros_left,
    ),
    Variant(
        "ova.class_order",
        (CODE, PAIRS, SCORES),
        "columns stand in another order and are read in sorted order",
        "refmc: classes; karagiannis Note 9",
        problem=_sorted_classes,
    ),
    Variant(
        "code.loss_of_minus_z",
        (CODE,),
        "the loss is applied to −M f",
        "keshet (2); the example's summands as printed",
        problem=lambda problem, answer: [{**problem, "f": negated(problem["f"])}],
    ),
    Variant(
        "code.other_decoding",
        (CODE,),
        "another distance decides",
        "keshet (1) against (2)",
        problem=setting("decoding", "hamming", "hinge", "exponential", "logistic"),
    ),
    Variant(
        "loss.other_form",
        HINGES,
        "the loss has the other form, sum for max or max for sum",
        "lecture5 (5) against (12)",
        problem=_other_hinge,
    ),
    Variant(
        "loss.costs_transposed",
        HINGES,
        "costs have a row for what is right",
        "refmc: a row of costs for what is predicted",
        problem=costs_transposed,
    ),
    Variant(
        "loss.costs_ignored",
        HINGES,
        "all mistakes cost 1",
        "lecture5 (10): Δ(j, y)",
        problem=costs_ignored,
    ),
    Variant(
        "loss.hamming_count",
        ("loss.hamming",),
        "differing places are counted, and not divided by their number",
        "lu: (1/k) Σ_l 1[h ≠ c_l]",
        answer=_per_place,
    ),
    Variant(
        "loss.sum_for_mean",
        tuple(f"loss.{name}" for name in ("hinge", "perceptron", "exponential", "logistic"))
        + ("loss.margin", "loss.zero_one", "loss.hamming", *HINGES),
        "the sum is given for the mean",
        "refmc: mean is over the rows",
        answer=_summed,
    ),
)
