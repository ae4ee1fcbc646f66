"""The families `code.decode`, `ovo.decode` and `ova.decode`: labels against exact tie sets.

{"family": "code.decode", "code": k rows of l entries -1, 0, 1, "f": m rows of l scores,
 "decoding": "hamming" (the default), "hinge", "exponential" or "logistic"}

{"family": "ovo.decode", "pairs": m rows of k(k-1)/2 scores of the pairs (0, 1), (0, 2), …, or
 "w": m matrices, "rule": "votes" (the default), "score_sum", "votes_then_sums" or "tournament" with
 "bracket": k positions}

{"family": "ova.decode", "scores": m rows of k, "rule": "score" (the default), "claim",
 "score_among_claims" or "each", where every class decides for itself, so that a label set may be
 empty}

Each admits "classes": k labels; without them labels are positions from 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Any, Final

from refmc.checker import Verdict
from refmc.checker.values import decoding
from refmc.core.records import Record, at, entries, items, matrix
from refmc.core.sample import Label
from refmc.core.scalars import number_text, sign
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.reductions import one_vs_all, one_vs_one
from refmc.learn.reductions.output_codes import read_code
from refmc.learn.reductions.output_decoding import (
    Loss,
    hamming_decoding,
    loss_decoding,
    nearest_rows,
)
from refmc.oracle.decimals import near, writable
from refmc.oracle.declaring import (
    FAMILY,
    alone,
    any_of,
    choice,
    claim,
    matrix_at,
    required,
    shuffled,
)
from refmc.oracle.fields import Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import LABEL, LABELS, MATRICES, MATRIX, NULL, WHOLES, Kind, either, list_of
from refmc.oracle.reading import each, label_positions, matrix_of, one_a_row, read_classes, whole
from refmc.oracle.rows import Rounded, Row
from refmc.oracle.samples import CLASSES as OF_SAMPLES
from refmc.theory.losses import exponential, hinge, logistic

CODE, PAIRS, SCORES = "code.decode", "ovo.decode", "ova.decode"
EACH: Final = "each"

HEADS = {"distances": "d(M(r), f)", "votes": "votes", "sums": "Σ w^yr"}
"""The numbers of a row and class in the lectures' words."""

IRRATIONAL = "exponential", "logistic"
"""The rules whose distances are rounded."""

LOSSES: Mapping[decoding.CodeRule, Loss | None] = {
    "hamming": None,
    "hinge": hinge,
    "exponential": exponential,
    "logistic": logistic,
}

BY_SCORES: Mapping[decoding.ScoresRule, Callable[[Any], tuple[int, ...]]] = {
    "score": one_vs_all.by_score,
    "claim": one_vs_all.by_claim,
    "score_among_claims": one_vs_all.by_score_among_claims,
    EACH: lambda scores: tuple(r for r, score in enumerate(scores) if score > 0),
}
BY_PAIRS: Mapping[decoding.PairsRule, Callable[..., tuple[int, ...]]] = {
    "votes": one_vs_one.by_votes,
    "score_sum": one_vs_one.by_score_sum,
    "votes_then_sums": one_vs_one.by_votes_then_sums,
}
_TOURNAMENT: Kind = {
    "properties": {"rule": {"const": "tournament"}},
    "required": ["rule", "bracket"],
}
_NO_TOURNAMENT: Kind = {"properties": {"rule": {"enum": [*BY_PAIRS]}, "bracket": NULL}}


def class_labels(reading: Reading) -> tuple[Label, ...]:
    """The labels: `classes`, or the positions from 0."""
    if CODE_ROWS in reading:
        return read_classes(reading.record, len(reading[CODE_ROWS]))
    k = len(reading[SCORE_ROWS][0] if SCORE_ROWS in reading else reading.of(_duels)[0])
    return read_classes(reading.record, k)


def _f(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    bits, f = len(reading[CODE_ROWS][0]), matrix(value, place)
    if len(f[0]) != bits:
        raise FormatError(
            f"{place}[0]: expected {bits} scores, one a column of code, got {len(f[0])}"
        )
    return f


def _duels(reading: Reading) -> list[list[list[Fraction]]]:
    return reading[W if W in reading else PAIR_SCORES]


def _bracket(value: object, place: str, reading: Reading) -> list[int]:
    bracket, k = each(whole, value, place), len(reading.of(_duels)[0])
    if sorted(bracket) != list(range(k)):
        raise FormatError(f"{place}: expected each position from 0 to {k - 1} once")
    return bracket


def _duels_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    k, scores = sizes["classes"], list(map(Fraction, range(-2, 3)))
    pairs = draws.rows(sizes["rows"], k * (k - 1) // 2, scores)
    return {"w": [[list(map(number_text, r)) for r in one_vs_one.duels(p, k)] for p in pairs]}


def _code(value: object, place: str) -> Any:
    rows: Any = matrix(value, place)
    return at("problem", lambda: read_code(rows))


def _matrices(value: object, place: str) -> list[list[list[Fraction]]]:
    found: list[list[list[Fraction]]] = []
    for i, entry in enumerate(items(value, place)):
        where = f"{place}[{i}]"
        k = len(found[0]) if found else len(items(entry, where))
        w = matrix_of(entry, where, k, k)
        for r in range(k):
            for s in range(r + 1):
                if w[r][s] != -w[s][r]:
                    raise FormatError(
                        f"{where}[{r}][{s}]: expected {number_text(-w[s][r])}, minus the entry at "
                        f"[{s}][{r}], got {number_text(w[r][s])}"
                    )
        found.append(w)
    return found


def _pair_scores(value: object, place: str) -> list[list[list[Fraction]]]:
    rows = matrix(value, place)
    n = len(rows[0])
    k = (1 + isqrt(1 + 8 * n)) // 2
    if k * (k - 1) // 2 != n:
        raise FormatError(f"{place}[0]: expected k(k - 1)/2 scores of pairs, got {n}")
    return [[list(row) for row in one_vs_one.duels(scores, k)] for scores in rows]


CLASSES = OF_SAMPLES._replace(says="k labels; positions from 0 if absent")
SCORE_ROWS = required(
    "scores", "m rows of k scores", MATRIX, matrix_at, axes=("rows", "classes"), power=1,
)  # fmt: skip
CODE_ROWS: Field[Sequence[Sequence[int]]] = required(
    "code", "k rows of l entries −1, 0, 1", MATRIX,
    alone(_code), axes=("classes", "bits"), draws=["-1", "0", "1"],
)  # fmt: skip
F = required("f", "m rows of l scores", MATRIX, _f, axes=("rows", "bits"), power=1)
W = required(
    "w", "instead of `pairs`: m matrices, antisymmetric", MATRICES,
    alone(_matrices), axes=("rows", "classes", "classes"), power=1, draws=_duels_drawn,
)  # fmt: skip
PAIR_SCORES = required(
    "pairs", "m rows of k(k−1)/2 scores of the pairs (0, 1), (0, 2), …, positive for the first",
    MATRIX, alone(_pair_scores), axes=("rows", "pairs of classes"), power=1,
)  # fmt: skip
DECODING: Field[decoding.CodeRule] = choice(
    "decoding", "Hamming distance, in which a zero of either counts half, or a loss", *LOSSES
)
BY_SCORE: Field[decoding.ScoresRule] = choice(
    "rule",
    "which scores win; `claim`: by their signs; `each`, for items of several labels: each class of "
    "a positive score, none of a negative one, those of score 0 at will",
    *BY_SCORES,
)
BY_PAIR: Field[decoding.PairsRule] = choice(
    "rule",
    "what decides: a score of 0 is half a vote; `votes_then_sums`: of the classes of most votes "
    "those of the largest score sum; `tournament` goes with `bracket`",
    *BY_PAIRS, "tournament", draws=[*BY_PAIRS],
)  # fmt: skip
BRACKET = claim(
    "bracket",
    "the k positions: the first meets the second, the third the fourth, the last of an odd number "
    "waits, and the winners meet in the same way; a score of 0 can end either way",
    WHOLES, _bracket, points="classes",
    draws=lambda draws, problem, sizes: {
        "rule": "tournament", "bracket": shuffled(range(sizes["classes"]), draws)
    },
    neutral=lambda problem, sizes: list(range(sizes["classes"])),
)  # fmt: skip
PROBLEM = {
    SCORES: Declared(fields=(FAMILY, SCORE_ROWS, BY_SCORE, CLASSES)),
    CODE: Declared(fields=(FAMILY, CODE_ROWS, F, DECODING, CLASSES)),
    PAIRS: Declared(
        fields=(FAMILY, W, PAIR_SCORES, BY_PAIR, BRACKET, CLASSES),
        instead=((W, PAIR_SCORES),), together=(BY_PAIR, BRACKET),
        more=[either(_TOURNAMENT, _NO_TOURNAMENT)],
        is_reordered=False,
    ),
}  # fmt: skip


def _shape(reading: Reading) -> tuple[int, int]:
    m, k = reading.about[0].shape
    return m, k


def _labels(value: object, place: str, reading: Reading) -> list[int]:
    return label_positions(value, place, reading.about[1], reading.of(_shape)[0])


def _label_sets(value: object, place: str, reading: Reading) -> list[list[int]]:
    problem, classes = reading.about

    def label_set(value: object, place: str) -> list[int]:
        if problem.rule == EACH and not entries(value, place):
            return []
        found = label_positions(value, place, classes)
        if len(set(found)) != len(found):
            raise FormatError(f"{place}: a label stands twice")
        return found

    given = one_a_row(value, place, reading.of(_shape)[0])
    return [label_set(v, f"{place}[{i}]") for i, v in enumerate(given)]


PREDICTED = claim("labels", "a best label of each row", LABELS, _labels, axes=("rows",))
SETS = claim("label_sets", "all of them", list_of(LABELS), _label_sets, axes=("rows",))
SETS_OF_EACH = SETS._replace(kind=list_of(list_of(LABEL, 0)))  # a set may be empty
DISTANCES, VOTES, SUMS = (
    claim(
        name, "", MATRIX,
        lambda value, place, reading: matrix_of(value, place, *reading.of(_shape)),
        axes=("rows", "classes"), power=int(name == "sums"),
    )
    for name in HEADS
)  # fmt: skip
NUMBERS = {CODE: [DISTANCES], PAIRS: [VOTES, SUMS], SCORES: [], "nodes.decode": []}
"""The numbers of each family that may be submitted beside labels, k for each row."""

ANSWER = {
    family: any_of(PREDICTED, SETS_OF_EACH if family == SCORES else SETS, *numbers)
    for family, numbers in NUMBERS.items()
}
ANSWER_OF_EACH = any_of(SETS_OF_EACH)
DECLARED = {family: ([problem], [ANSWER[family]]) for family, problem in PROBLEM.items()}


def read_problem(record: Record) -> tuple[decoding.ScoredProblem, tuple[Label, ...]]:
    """The problem of a record, and its labels; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "ova.decode", "scores": [[1, 2]], "classes": ["a", "b"]})[1]
    ('a', 'b')
    """
    family = str(record["family"])
    reading = PROBLEM[family].read(record)
    labels = reading.of(class_labels)
    classes = tuple(map(str, labels))
    if family == CODE:
        given = reading.settings(CODE_ROWS, F)
        return decoding.CodeProblem(rule=reading[DECODING], classes=classes, **given), labels
    if family == SCORES:
        given = reading.settings(SCORE_ROWS, BY_SCORE)
        return decoding.ScoresProblem(classes=classes, **given), labels
    if (reading[BY_PAIR] == "tournament") != (BRACKET in reading):
        raise FormatError("problem.bracket: belongs to the rule 'tournament', which needs it")
    given = reading.settings(BY_PAIR, BRACKET)
    return decoding.PairsProblem(w=reading.of(_duels), classes=classes, **given), labels


def solve(problem: Record, on_step: object = None, tie: TiePolicy = first) -> dict[str, object]:
    """All tied labels of each row, one of them, and the distances, or votes and sums.

    Distances of the exponential and the logistic loss are decimals of `DIGITS` significant
    digits; they are left out where one has too many digits before the point.

    >>> solve({"family": "ovo.decode", "pairs": [[1, -2, 3]]})["sums"]
    [(Fraction(-1, 1), Fraction(2, 1), Fraction(-1, 1))]
    """
    read, classes = read_problem(problem)
    found = _tied_sets(read)
    sets = [[classes[r] for r in tied] for tied in found]
    single = {} if read.rule == EACH else {"labels": [classes[tie(tied)] for tied in found]}
    return {"family": read.family, **single, "label_sets": sets, **_values(read)}


def _tied_sets(problem: decoding.ScoredProblem) -> list[tuple[int, ...]]:
    """For each row the positions of all classes that can be chosen."""
    if isinstance(problem, decoding.CodeProblem):
        return [nearest_rows(problem.code, f, LOSSES[problem.rule]) for f in problem.f]
    if isinstance(problem, decoding.ScoresProblem):
        return [BY_SCORES[problem.rule](scores) for scores in problem.scores]
    if problem.bracket is None:
        return [BY_PAIRS[problem.rule](w, range(len(w))) for w in problem.w]
    play = one_vs_one.Tournament(tuple(problem.bracket))
    return [play(w, range(len(w))) for w in problem.w]


def _values(problem: decoding.ScoredProblem) -> dict[str, Sequence[Sequence[Any]]]:
    """The numbers of each row and class, by their names."""
    if isinstance(problem, decoding.ScoresProblem):
        return {}
    if isinstance(problem, decoding.PairsProblem):
        counts, sums = map(one_vs_one.votes, problem.w), map(one_vs_one.score_sums, problem.w)
        return {"votes": list(counts), "sums": list(sums)}
    loss = LOSSES[problem.rule]
    if loss is None:
        return {"distances": [hamming_decoding(problem.code, f) for f in problem.f]}
    if loss is hinge:
        return {"distances": [loss_decoding(problem.code, f, loss) for f in problem.f]}
    if not all(writable(s, loss) and writable(-s, loss) for f in problem.f for s in f):
        return {}
    found: list[Sequence[Fraction]] = [
        [near([entry * s for entry, s in zip(row, f)], loss) for row in problem.code]
        for f in problem.f
    ]
    return {"distances": found}


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is for distances, votes and sums, labels are exact.

    >>> problem = {"family": "ova.decode", "scores": [[-1, -1, -1]]}
    >>> judge(problem, {"label_sets": [[0, 1, 2]]}, Fraction(0)).status
    'VERIFIED'
    """
    read, classes = read_problem(problem)
    return decoding.judge(read, read_submission(answer, read, classes), allowed=allowed)


def read_submission(
    record: Record, problem: decoding.Problem, classes: tuple[Label, ...]
) -> decoding.Submission:
    """What an answer of a decoding family holds; `FormatError` names the field that is wrong."""
    declared = ANSWER_OF_EACH if problem.rule == EACH else ANSWER[problem.family]
    reading = declared.read_answer(record, problem.family, (problem, classes))
    values = reading.given(*NUMBERS[problem.family])
    return decoding.Submission(**reading.settings(PREDICTED, SETS), values=values)


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for each row and class of the problem: what decides, and whether the class is best.

    >>> [str(line["votes"]) for line in trace({"family": "ovo.decode", "pairs": [[1, -2, 3]]})]
    ['1', '1', '1']
    """
    read, classes = read_problem(problem)
    sets, values = _tied_sets(read), _values(read)
    of_kind: Callable[[Any], object] = Rounded if read.rule in IRRATIONAL else lambda value: value
    for i, tied in enumerate(sets):
        for r, label in enumerate(classes):
            yield {
                "row": i,
                "class": str(label),
                **_given(read, i, r),
                **{HEADS[name]: of_kind(rows[i][r]) for name, rows in values.items()},
                "best": r in tied,
            }


def _given(problem: decoding.ScoredProblem, i: int, r: int) -> Row:
    """The numbers of the problem that the class is decided by, under the lecture's names."""
    if isinstance(problem, decoding.CodeProblem):
        row, f = problem.code[r], problem.f[i]
        return {"M(r)": row, "M(r,s) f_s": [entry * s for entry, s in zip(row, f)]}
    if isinstance(problem, decoding.PairsProblem):
        return {"w^yr": problem.w[i][r]}
    score = problem.scores[i][r]
    return {"w^y": score, "h^y": sign(score)}
