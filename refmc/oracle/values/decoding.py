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
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import isqrt
from typing import Any

from refmc.checker import Verdict
from refmc.checker.values import decoding as referee
from refmc.core.records import Record, at, entries, items, matrix
from refmc.core.sample import Label
from refmc.core.scalars import number_text, sign
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
from refmc.oracle.forms import (
    LABELS,
    MATRICES,
    MATRIX,
    NULL,
    TEXT,
    WHOLES,
    Fields,
    Form,
    Kind,
    answer_form,
    choice,
    either,
    list_of,
)
from refmc.oracle.reading import (
    if_given,
    label_positions,
    matrix_of,
    one_a_row,
    one_of,
    read_answer,
    read_classes,
    whole_numbers,
)
from refmc.oracle.rows import Row
from refmc.theory.losses import exponential, hinge, logistic

CODE, PAIRS, SCORES = "code.decode", "ovo.decode", "ova.decode"
EACH = "each"

VALUES: dict[str, list[str]] = {
    CODE: ["distances"], PAIRS: ["votes", "sums"], SCORES: [], "nodes.decode": [],
}  # fmt: skip
"""The numbers of each family that may be submitted beside labels, k for each row."""

HEADS = {"distances": "d(M(r), f)", "votes": "votes", "sums": "Σ w^yr"}
"""The same in the lectures' words."""

LOSSES: Mapping[str, Loss | None] = {
    "hamming": None,
    "hinge": hinge,
    "exponential": exponential,
    "logistic": logistic,
}

BY_SCORES: Mapping[str, Callable[[Any], tuple[int, ...]]] = {
    "score": one_vs_all.by_score,
    "claim": one_vs_all.by_claim,
    "score_among_claims": one_vs_all.by_score_among_claims,
    EACH: lambda scores: tuple(r for r, score in enumerate(scores) if score > 0),
}
BY_PAIRS: Mapping[str, Callable[..., tuple[int, ...]]] = {
    "votes": one_vs_one.by_votes,
    "score_sum": one_vs_one.by_score_sum,
    "votes_then_sums": one_vs_one.by_votes_then_sums,
}
RULES = {SCORES: choice(*BY_SCORES), PAIRS: choice(*BY_PAIRS, "tournament"), CODE: choice(*LOSSES)}
_FAMILY: Fields = {"family": TEXT}
_TOURNAMENT: Kind = {
    "properties": {"rule": {"const": "tournament"}},
    "required": ["rule", "bracket"],
}
PROBLEM = {
    SCORES: Form({**_FAMILY, "scores": MATRIX}, {"rule": RULES[SCORES], "classes": LABELS}),
    CODE: Form(
        {**_FAMILY, "code": MATRIX, "f": MATRIX}, {"decoding": RULES[CODE], "classes": LABELS}
    ),
    PAIRS: Form(
        _FAMILY,
        {"rule": RULES[PAIRS], "bracket": WHOLES, "classes": LABELS},
        instead=[{"w": MATRICES, "pairs": MATRIX}],
        more=[either(_TOURNAMENT, {"properties": {"rule": choice(*BY_PAIRS), "bracket": NULL}})],
    ),
}
ANSWER = {
    family: answer_form(
        {"labels": LABELS, "label_sets": list_of(LABELS), **dict.fromkeys(names, MATRIX)}
    )
    for family, names in VALUES.items()
}
ANSWER_OF_EACH = answer_form({"label_sets": list_of(LABELS)})
FORMS = {family: ([form], [ANSWER[family]]) for family, form in PROBLEM.items()}


def read_problem(record: Record) -> tuple[referee.ScoredProblem, tuple[Label, ...]]:
    """The problem of a record, and its labels; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "ova.decode", "scores": [[1, 2]], "classes": ["a", "b"]})[1]
    ('a', 'b')
    """
    family = str(record["family"])
    PROBLEM[family].check(record, "problem")
    problem: referee.ScoredProblem
    if family == CODE:
        problem = _read_code(record)
    elif family == PAIRS:
        problem = _read_pairs(record)
    else:
        scores = matrix(record["scores"], "problem.scores")
        problem = referee.ScoresProblem(scores=scores, rule=one_of(record, "rule", RULES[SCORES]))
    classes = read_classes(record, problem.shape[1])
    return replace(problem, classes=tuple(map(str, classes))), classes


def _read_code(record: Record) -> referee.CodeProblem:
    rows: Any = matrix(record["code"], "problem.code")
    code = at("problem", lambda: read_code(rows))
    f = matrix(record["f"], "problem.f")
    if len(f[0]) != len(code[0]):
        raise FormatError(
            f"problem.f[0]: expected {len(code[0])} scores, one a column of code, got {len(f[0])}"
        )
    return referee.CodeProblem(code=code, f=f, rule=one_of(record, "decoding", RULES[CODE]))


def _read_pairs(record: Record) -> referee.PairsProblem:
    w = _read_matrices(record) if "w" in record else _read_pair_scores(record)
    rule = one_of(record, "rule", RULES[PAIRS])
    if (rule == "tournament") != ("bracket" in record):
        raise FormatError("problem.bracket: belongs to the rule 'tournament', which needs it")
    bracket = None
    if "bracket" in record:
        bracket = whole_numbers(record["bracket"], "problem.bracket")
        if sorted(bracket) != list(range(len(w[0]))):
            raise FormatError(
                f"problem.bracket: expected each position from 0 to {len(w[0]) - 1} once"
            )
    return referee.PairsProblem(w=w, rule=rule, bracket=bracket)


def _read_matrices(record: Record) -> list[list[list[Fraction]]]:
    found: list[list[list[Fraction]]] = []
    for i, value in enumerate(items(record["w"], "problem.w")):
        place = f"problem.w[{i}]"
        w = matrix(value, place)
        k = len(found[0]) if found else len(w)
        if (len(w), len(w[0])) != (k, k):
            raise FormatError(f"{place}: expected {k} rows of {k} numbers, one a class")
        for r in range(k):
            for s in range(r + 1):
                if w[r][s] != -w[s][r]:
                    raise FormatError(
                        f"{place}[{r}][{s}]: expected {number_text(-w[s][r])}, minus the entry at "
                        f"[{s}][{r}], got {number_text(w[r][s])}"
                    )
        found.append(w)
    return found


def _read_pair_scores(record: Record) -> list[list[list[Fraction]]]:
    rows = matrix(record["pairs"], "problem.pairs")
    n = len(rows[0])
    k = (1 + isqrt(1 + 8 * n)) // 2
    if k * (k - 1) // 2 != n:
        raise FormatError(f"problem.pairs[0]: expected k(k - 1)/2 scores of pairs, got {n}")
    return [[list(row) for row in one_vs_one.duels(scores, k)] for scores in rows]


def solve(problem: Record, on_step: object = None) -> dict[str, object]:
    """All tied labels of each row, the first of them, and the distances, or votes and sums.

    Distances of the exponential and the logistic loss are decimals of `DIGITS` significant
    digits; they are left out where one has too many digits before the point.

    >>> solve({"family": "ovo.decode", "pairs": [[1, -2, 3]]})["sums"]
    [(Fraction(-1, 1), Fraction(2, 1), Fraction(-1, 1))]
    """
    read, classes = read_problem(problem)
    sets = [[classes[r] for r in tied] for tied in _tied_sets(read)]
    single = {} if read.rule == EACH else {"labels": [tied[0] for tied in sets]}
    return {"family": read.family, **single, "label_sets": sets, **_values(read)}


def _tied_sets(problem: referee.ScoredProblem) -> list[tuple[int, ...]]:
    """For each row the positions of all classes that can be chosen."""
    if isinstance(problem, referee.CodeProblem):
        return [nearest_rows(problem.code, f, LOSSES[problem.rule]) for f in problem.f]
    if isinstance(problem, referee.ScoresProblem):
        return [BY_SCORES[problem.rule](scores) for scores in problem.scores]
    if problem.bracket is None:
        return [BY_PAIRS[problem.rule](w, range(len(w))) for w in problem.w]
    play = one_vs_one.Tournament(tuple(problem.bracket))
    return [play(w, range(len(w))) for w in problem.w]


def _values(problem: referee.ScoredProblem) -> dict[str, Sequence[Sequence[Any]]]:
    """The numbers of each row and class, by their names."""
    if isinstance(problem, referee.ScoresProblem):
        return {}
    if isinstance(problem, referee.PairsProblem):
        counts, sums = map(one_vs_one.votes, problem.w), map(one_vs_one.score_sums, problem.w)
        return {"votes": list(counts), "sums": list(sums)}
    loss = LOSSES[problem.rule]
    if loss is None:
        return {"distances": [hamming_decoding(problem.code, f) for f in problem.f]}
    if loss is hinge:
        return {"distances": [loss_decoding(problem.code, f, loss) for f in problem.f]}
    if not all(writable(s) and writable(-s) for f in problem.f for s in f):
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
    return referee.judge(read, read_submission(answer, read, classes), allowed=allowed)


def read_submission(
    record: Record, problem: referee.Problem, classes: tuple[Label, ...]
) -> referee.Submission:
    """What an answer of a decoding family holds; `FormatError` names the field that is wrong."""
    form = ANSWER_OF_EACH if problem.rule == EACH else ANSWER[problem.family]
    read_answer(record, problem.family, form)
    m, k = problem.shape

    def label_set(value: object, place: str) -> list[int]:
        if problem.rule == EACH and not entries(value, place):
            return []
        found = label_positions(value, place, classes)
        if len(set(found)) != len(found):
            raise FormatError(f"{place}: a label stands twice")
        return found

    def label_sets(value: object, place: str) -> list[list[int]]:
        return [label_set(v, f"{place}[{i}]") for i, v in enumerate(one_a_row(value, place, m))]

    return referee.Submission(
        labels=if_given(record, "labels", partial(label_positions, classes=classes, m=m)),
        label_sets=if_given(record, "label_sets", label_sets),
        values={
            name: matrix_of(record[name], f"answer.{name}", m, k)
            for name in VALUES[problem.family]
            if name in record
        },
    )


def trace(problem: Record) -> Iterator[Row]:
    """One row for each row and class of the problem: what decides, and whether the class is best.

    >>> [str(line["votes"]) for line in trace({"family": "ovo.decode", "pairs": [[1, -2, 3]]})]
    ['1', '1', '1']
    """
    read, classes = read_problem(problem)
    sets, values = _tied_sets(read), _values(read)
    for i, tied in enumerate(sets):
        for r, label in enumerate(classes):
            yield {
                "row": i,
                "class": str(label),
                **_given(read, i, r),
                **{HEADS[name]: rows[i][r] for name, rows in values.items()},
                "best": r in tied,
            }


def _given(problem: referee.ScoredProblem, i: int, r: int) -> Row:
    """The numbers of the problem that the class is decided by, under the lecture's names."""
    if isinstance(problem, referee.CodeProblem):
        row, f = problem.code[r], problem.f[i]
        return {"M(r)": row, "M(r,s) f_s": [entry * s for entry, s in zip(row, f)]}
    if isinstance(problem, referee.PairsProblem):
        return {"w^yr": problem.w[i][r]}
    score = problem.scores[i][r]
    return {"w^y": score, "h^y": sign(score)}
