"""What decodings of output codes, of one-vs-one, of one-vs-all and of trees of nodes get wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from refmc.core.records import Record, matrix
from refmc.core.sample import Label
from refmc.oracle.values.decoding import read_problem
from refmc.oracle.variants.transport import Program, solved
from refmc.suite.catalogue.mistake import Mistake, of_known, of_program

CODE, PAIRS, SCORES = "code.decode", "ovo.decode", "ova.decode"

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
    of_program(
        "code.euclidean",
        (CODE,),
        "the row nearest in Euclidean distance is taken",
        "keshet (1), (2): the Hamming or the loss distance",
        _by_distance(_euclidean),
    ),
    of_program(
        "code.zero_costs_nothing",
        (CODE,),
        "a 0 in the code, or a score of 0, counts 0 and not ½",
        'keshet (1): "contributes 1/2"',
        _of_hamming(_by_distance(_zero_costs_nothing)),
    ),
    of_known("code.loss_of_minus_z"),
    of_known("code.other_decoding"),
    of_program(
        "code.label_order",
        (CODE,),
        "ties in decoding go to the first label, which is presented as the answer",
        "keshet: arg min is a set",
        _first_only,
    ),
    of_known("ovo.pair_sign"),
    of_known("ovo.zero_for_first"),
    of_known("ovo.zero_for_second"),
    of_known("ovo.other_rule"),
    of_program(
        "ovo.ties_to_first",
        (PAIRS,),
        "tied votes always go to the first class, and this is presented as the rule",
        'chang, "Majority"; karagiannis Note 14',
        _first_only,
    ),
    of_program(
        "ovo.scores_not_votes",
        (PAIRS,),
        "votes are counted, but the labels come from the sums of scores",
        "keshet §1.2 against chang",
        _sums_for_votes,
    ),
    of_program(
        "ovo.batch_scaling",
        (PAIRS,),
        "ties are broken by scores scaled by the largest of the batch",
        "a decision is a function of x",
        _scaled_by_the_batch,
    ),
    of_known("nodes.sides_reversed"),
    of_known("nodes.zero_leads_left"),
    of_known("ova.other_rule"),
    of_known("ova.class_order"),
    of_program(
        "ova.ties_to_first",
        (SCORES,),
        "of tied classes the first is presented as the only one",
        "karagiannis Note 9: arg max is a set",
        _first_only,
    ),
)
