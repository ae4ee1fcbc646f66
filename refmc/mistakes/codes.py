"""What decodings of output codes, of one-vs-one, of one-vs-all and of trees of nodes get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Context
from fractions import Fraction
from typing import Any

from refmc.core.records import Record, items, labels, matrix
from refmc.core.sample import Label
from refmc.mistakes.explanation import class_count
from refmc.mistakes.fields import mapped, negated, rewritten, setting, without
from refmc.mistakes.mistake import Mistake, Neighbours, of_answer, of_program
from refmc.mistakes.transport import Program, Rewriting, solved
from refmc.oracle.values.decoding import read_problem

ZERO, LN_2 = Fraction(0), Fraction(Context(prec=40).ln(2))

RULES = ("score", "claim", "score_among_claims")

CODE, PAIRS, SCORES, NODES = "code.decode", "ovo.decode", "ova.decode", "nodes.decode"


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
    """The problem with scores of 0 taken for positive ones, where signs decide."""
    if problem.get("decoding", "hamming") != "hamming":
        return []
    f = matrix(problem["f"], "problem.f")
    return [{**problem, "f": [[v or Fraction(1) for v in row] for row in f]}]


def _zero_won(id: str, value: int) -> Mistake:
    """The mistake of a score of 0 that is won; the sums stay what they are."""
    zeros_won = _zeros_won(value)

    def program(problem: Record) -> Record | None:
        neighbour = next(iter(zeros_won(problem, {})), None)
        own = {name: v for name, v in solved(problem).items() if name == "sums"}
        return neighbour and {**solved(neighbour), **own}

    return Mistake(id, (PAIRS,), problem=zeros_won, program=program)


def _other_rules(problem: Record, answer: Record) -> list[Record]:
    own = problem.get("rule", "votes")
    rest = without(problem, "bracket")
    return [{**rest, "rule": rule} for rule in ("votes", "score_sum") if rule != own]


def _changed_scores(change: Callable[[Fraction], Fraction], rules: Sequence[str]) -> Neighbours:
    def neighbours(problem: Record, answer: Record) -> list[Record]:
        if problem.get("rule", "score") not in rules:
            return []
        scores = matrix(problem["scores"], "problem.scores")
        changed = [[change(v) for v in row] for row in scores]
        return [] if changed == scores else [{**problem, "scores": changed}]

    return neighbours


Row = Sequence[Fraction]


def _decided(classes: Sequence[Label], scores: Sequence[Row]) -> dict[str, object]:
    """The classes of the largest score of each row: all of them, and the first."""
    sets = [[classes[r] for r, v in enumerate(row) if v == max(row)] for row in scores]
    return {"labels": [tied[0] for tied in sets], "label_sets": sets}


def _by_distance(of: Callable[[Row, Row], Fraction]) -> Program:
    """A decoding of codes by another distance of a row of the code from the scores."""

    def program(problem: Record) -> Record | None:
        classes = read_problem(problem)[1]
        code, f = matrix(problem["code"], "code"), matrix(problem["f"], "f")
        distances = [[of(row, scores) for row in code] for scores in f]
        nearest = _decided(classes, [[-d for d in row] for row in distances])
        return {**nearest, "distances": distances}

    return program


def _euclidean(row: Row, f: Row) -> Fraction:
    return sum(((m - s) ** 2 for m, s in zip(row, f)), Fraction(0))


def _zero_costs_nothing(row: Row, f: Row) -> Fraction:
    return Fraction(sum(m * s < 0 for m, s in zip(row, f)))


def _disagree(row: Row, f: Row) -> list[Fraction]:
    """(1 − sgn(m) sgn(s))/2 of each column."""
    return [Fraction(1 - _sign(m) * _sign(s), 2) for m, s in zip(row, f)]


def _sign(value: Fraction) -> int:
    return (value > 0) - (value < 0)


def _zero_disagrees(row: Row, f: Row) -> Fraction:
    return Fraction(sum(_sign(m) != _sign(s) for m, s in zip(row, f)))


def _zero_is_minus(row: Row, f: Row) -> Fraction:
    return Fraction(sum((m > 0) != (s > 0) for m, s in zip(row, f)))


def _zero_bit_free(row: Row, f: Row) -> Fraction:
    return sum((v for v, m in zip(_disagree(row, f), row) if m), Fraction(0))


def _distances_times(factor: Callable[[Record], Fraction | None]) -> Rewriting:
    """The answer with its distances multiplied; None where the factor is."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        by = factor(problem)
        if by is None:
            return None
        return rewritten(answer, lambda value: mapped(value, lambda v: v * by), "distances")

    return rewriting


def _unit(id: str, factor: Callable[[Record], Fraction | None]) -> Mistake:
    """The mistake of distances in another unit, which a factor brings back."""
    back = _distances_times(lambda problem: (by := factor(problem)) and 1 / by)
    return of_answer(id, (CODE,), answer=_distances_times(factor), spoil=back)


def _bits(problem: Record) -> Fraction:
    return Fraction(len(matrix(problem["code"], "problem.code")[0]))


def _without_margin(problem: Record) -> Record | None:
    """The sums of max(0, −z) where they should be hinges."""
    if problem.get("decoding") != "hinge":
        return None
    terms = _by_distance(lambda row, f: sum((max(-m * s, ZERO) for m, s in zip(row, f)), ZERO))
    return terms(problem)


def _mean_of_nonzero(problem: Record) -> Record:
    """Distances divided by the nonzero entries of each row of the code."""
    shares = [sum(map(bool, row)) or 1 for row in matrix(problem["code"], "code")]
    distances = matrix(solved(problem)["distances"], "distances")
    means = [[d / n for d, n in zip(row, shares, strict=True)] for row in distances]
    decided = _decided(read_problem(problem)[1], [[-d for d in row] for row in means])
    return {**decided, "distances": means}


def _farthest(problem: Record) -> Record | None:
    """The row of the largest distance."""
    right = solved(problem)
    decided = _decided(read_problem(problem)[1], matrix(right["distances"], "distances"))
    return {**right, **decided}


def _of_hamming(program: Program) -> Program:
    def only(problem: Record) -> Record | None:
        return program(problem) if problem.get("decoding", "hamming") == "hamming" else None

    return only


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


def _zero_for_none(problem: Record) -> Record | None:
    """Votes of the scores that are not 0 alone."""
    if problem.get("rule", "votes") != "votes":
        return None
    read: Any = read_problem(problem)
    votes = [[Fraction(sum(v > 0 for v in row)) for row in w] for w in read[0].w]
    return {**_decided(read[1], votes), "votes": votes}


def _sums_of_first(problem: Record) -> Record:
    """Sums of scores that only the first class of each pair gets."""
    read: Any = read_problem(problem)
    return {"sums": [[sum(row[r:], ZERO) for r, row in enumerate(w)] for w in read[0].w]}


def _votes_moved(change: Callable[[Fraction, int], Fraction]) -> Rewriting:
    """The answer with its votes changed, which the number of rivals may decide."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        rivals = class_count(problem) - 1
        return rewritten(answer, lambda v: mapped(v, lambda u: change(u, rivals)), "votes")

    return rewriting


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


MISTAKES: tuple[Mistake, ...] = (
    of_program("code.euclidean", (CODE,), _by_distance(_euclidean)),
    of_program("code.zero_costs_nothing", (CODE,), _of_hamming(_by_distance(_zero_costs_nothing))),
    of_program("code.zero_is_minus", (CODE,), _of_hamming(_by_distance(_zero_is_minus))),
    of_program("code.zero_bit_free", (CODE,), _of_hamming(_by_distance(_zero_bit_free))),
    of_program("code.zero_disagrees", (CODE,), _of_hamming(_by_distance(_zero_disagrees))),
    Mistake("code.zero_is_plus", (CODE,), problem=_zeros_left),
    of_program("code.mean_of_nonzero", (CODE,), _mean_of_nonzero),
    of_program("code.farthest", (CODE,), _farthest),
    _unit("code.distances_doubled", lambda problem: Fraction(1, 2)),
    _unit("code.mean_distance", _bits),
    _unit("code.base_two", lambda problem: LN_2 if problem.get("decoding") == "logistic" else None),
    of_program("code.no_margin", (CODE,), _without_margin),
    Mistake(
        "code.loss_of_minus_z",
        (CODE,),
        problem=lambda problem, answer: [{**problem, "f": negated(problem["f"])}],
    ),
    Mistake(
        "code.other_decoding",
        (CODE,),
        problem=setting("decoding", "hamming", "hinge", "exponential", "logistic"),
    ),
    of_program("code.label_order", (CODE,), _first_only),
    Mistake("ovo.pair_sign", (PAIRS,), problem=_pairs_reversed),
    _zero_won("ovo.zero_for_first", 1),
    _zero_won("ovo.zero_for_second", -1),
    Mistake("ovo.other_rule", (PAIRS,), problem=_other_rules),
    of_program("ovo.zero_for_none", (PAIRS,), _zero_for_none),
    of_program("ovo.sums_of_first", (PAIRS,), _sums_of_first),
    of_answer(
        "ovo.lost_subtracted",
        (PAIRS,),
        answer=_votes_moved(lambda v, rivals: (v + rivals) / 2),
        spoil=_votes_moved(lambda v, rivals: 2 * v - rivals),
    ),
    of_program("ovo.ties_to_first", (PAIRS,), _first_only),
    of_program("ovo.scores_not_votes", (PAIRS,), _sums_for_votes),
    of_program("ovo.batch_scaling", (PAIRS,), _scaled_by_the_batch),
    Mistake(
        "nodes.sides_reversed",
        (NODES,),
        problem=lambda problem, answer: [{**problem, "f": negated(problem["f"])}],
    ),
    Mistake("nodes.zero_leads_left", (NODES,), problem=_zeros_left),
    Mistake("ova.other_rule", (SCORES,), problem=setting("rule", *RULES)),
    Mistake("ova.smallest", (SCORES,), problem=_changed_scores(lambda v: -v, RULES)),
    Mistake("ova.absolute", (SCORES,), problem=_changed_scores(abs, RULES[:1])),
    Mistake("ova.class_order", (CODE, PAIRS, SCORES), problem=_sorted_classes),
    of_program("ova.ties_to_first", (SCORES,), _first_only),
)

CONVENTIONS: tuple[Mistake, ...] = ()

HINTS = (
    "ovo.pair_sign",
    "ovo.zero_for_first",
    "ovo.zero_for_second",
    "ovo.pair_sign ovo.zero_for_first",
    "ovo.pair_sign ovo.zero_for_second",
    "ovo.other_rule",
    "ova.other_rule",
    "nodes.sides_reversed",
    "nodes.zero_leads_left",
    "ova.class_order",
    "code.loss_of_minus_z",
    "code.other_decoding",
)
"""What `check` tries, in this order; those that stand together are tried as one."""
