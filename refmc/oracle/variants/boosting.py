"""Variants of runs of AdaBoost and of AdaBoost.MH."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import log

from refmc.core.records import Record, entries, number
from refmc.core.scalars import plain
from refmc.oracle.boosting.records import ADA, MH, LabelledProblem, base_answers, read_problem
from refmc.oracle.reading import read_object
from refmc.oracle.variants.fields import mapped
from refmc.oracle.variants.variant import Variant

Answers = Sequence[Sequence[int]]

MOST_BITS = 2_048
"""Of an error's denominator, up to which runs are replayed; the digits double every round."""


def rounds_of(answer: Record) -> list[Record]:
    """The rounds of an answer."""
    return [read_object(r, "round") for r in entries(answer.get("rounds", []), "answer.rounds")]


def signs_of(read: LabelledProblem, round_: Record) -> Answers:
    """What the base classifier of a round answers on each row, as signs."""
    return _signs(read, base_answers(round_, "round", read))


def truth_of(read: LabelledProblem) -> Answers:
    """The labels of the rows as signs: one for each row of two classes, else one for each label."""
    return _signs(read, read.asked.truth)


def _signs(read: LabelledProblem, answers: Answers) -> Answers:
    return [[2 * c - 1] for (c,) in answers] if read.asked.family == ADA else answers


def first_weights(read: LabelledProblem) -> list[list[Fraction]]:
    """D_1: shares of the rows' weights, the same for each label."""
    width = len(truth_of(read)[0])
    given = read.asked.weights or [Fraction(1)] * read.m
    total = sum(map(Fraction, given)) * width
    return [[Fraction(weight) / total] * width for weight in given]


def error_of(D: Sequence[Sequence[Fraction]], truth: Answers, h: Answers) -> Fraction:
    """The sum of the weights at which the answers h are wrong."""
    rows = zip(D, truth, h, strict=True)
    wrong = (d for row in rows for d, c, v in zip(*row, strict=True) if c != v)
    return sum(wrong, Fraction(0))


def _alpha_times(factor: Fraction, alpha: object) -> object:
    alpha = plain(alpha)
    if isinstance(alpha, Mapping):
        terms = read_object(alpha["ln"], "alpha.ln")
        return {"ln": {base: number(c, "alpha") * factor for base, c in terms.items()}}
    return None if alpha is None else number(alpha, "alpha") * factor


def alphas_times(factor: Fraction, answer: Record) -> Record | None:
    """The answer with every α, and the scores, multiplied by the factor."""
    rounds = rounds_of(answer)
    if not any("alpha" in r for r in rounds):
        return None
    changed: dict[str, object] = {
        "rounds": [
            {**r, "alpha": _alpha_times(factor, r["alpha"])} if "alpha" in r else r for r in rounds
        ]
    }
    if "scores" in answer:
        changed["scores"] = mapped(answer["scores"], lambda v: v * factor)
    return {**answer, **changed}


def alpha_value(alpha: object) -> Fraction:
    """α as a number, that of a logarithm up to its float."""
    alpha = plain(alpha)
    if not isinstance(alpha, Mapping):
        return number(alpha, "alpha")
    terms = read_object(alpha["ln"], "alpha.ln")
    return sum(
        (Fraction(log(int(base))) * number(c, "alpha") for base, c in terms.items()), Fraction(0)
    )


def _total(answer: Record) -> Fraction | None:
    """Σ α_t, if every round has a finite α, and there are scores."""
    rounds = rounds_of(answer)
    if "scores" not in answer or any(r.get("alpha") is None for r in rounds):
        return None
    return sum((alpha_value(r["alpha"]) for r in rounds), Fraction(0)) or None


def _uncentred(problem: Record, answer: Record) -> Record | None:
    """The answer with scores Σ α_t 1[h_t = c], if its own count −1/(k − 1) for any other vote."""
    total, k = _total(answer), read_problem(problem).asked.k
    if total is None or problem.get("rule", "half_log") == "half_log":
        return None
    scores = mapped(answer["scores"], lambda s: ((k - 1) * s + total) / k)
    return {**answer, "scores": scores}


def _undivided(problem: Record, answer: Record) -> Record | None:
    """The answer with its scores multiplied by Σ α_t, by which they were divided."""
    total = _total(answer)
    if total is None:
        return None
    return {**answer, "scores": mapped(answer["scores"], lambda s: s * total)}


def _weighted_errors(problem: Record, answer: Record) -> Record | None:
    """The answer with each ε moved from the share of errors to the error under D_t.

    D_t is computed from the answer's own base classifiers.
    """
    read = read_problem(problem)
    truth, D = truth_of(read), first_weights(read)
    k = (
        read.asked.k if read.asked.rule == "samme" else 2
    )  # the next weights of right rows sum to 1/k
    changed, moved = [], False
    for r in rounds_of(answer):
        h = signs_of(read, r)
        share, epsilon = error_of(first_weights(read), truth, h), error_of(D, truth, h)
        if "epsilon" in r:
            moved = moved or share != epsilon
            r = {**r, "epsilon": number(r["epsilon"], "epsilon") - share + epsilon}
        changed.append(r)
        if not 0 < epsilon < 1:
            break
        if epsilon.denominator.bit_length() > MOST_BITS:
            return None
        rows = zip(D, truth, h, strict=True)
        D = [
            [
                d / (1 - epsilon) / k if c == v else d / epsilon * (k - 1) / k
                for d, c, v in zip(*row, strict=True)
            ]
            for row in rows
        ]
    changed += rounds_of(answer)[len(changed) :]
    return {**answer, "rounds": changed} if moved else None


CENTRED = Variant(
    "boost.centred_scores",
    (ADA,),
    "a vote for another class counts −1/(k − 1)",
    "refmc: scores are Σ α_t 1[h_t = c]",
    answer=_uncentred,
)
DIVIDED = Variant(
    "boost.divided_scores",
    (ADA, MH),
    "scores are divided by Σ α",
    "lu, AdaBoost.MH, line 11",
    answer=_undivided,
)

VARIANTS: tuple[Variant | tuple[Variant, ...], ...] = (
    Variant(
        "boost.alpha_doubled",
        (ADA, MH),
        "α is twice that of the rule, ln((1 − ε)/ε) for its half",
        "lu, AdaBoost.MH, line 6, against SAMME",
        answer=lambda problem, answer: alphas_times(Fraction(1, 2), answer),
    ),
    Variant(
        "boost.alpha_halved",
        (ADA,),
        "α is half that of the rule, ½ ln((1 − ε)/ε) for the whole",
        "lu, AdaBoost.MH, line 6, against SAMME",
        answer=lambda problem, answer: alphas_times(Fraction(2), answer),
    ),
    Variant(
        "boost.epsilon_unweighted",
        (ADA, MH),
        "every ε is the share of errors without weights",
        "lu, AdaBoost.MH, line 5: under D_t",
        answer=_weighted_errors,
    ),
    CENTRED,
    DIVIDED,
    (DIVIDED, CENTRED),  # what scikit-learn's decision function is
)
