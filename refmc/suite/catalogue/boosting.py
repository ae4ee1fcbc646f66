"""What runs of AdaBoost and AdaBoost.MH get wrong."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from refmc.core.records import Record
from refmc.oracle.boosting.records import ADA, MH, read_problem
from refmc.oracle.variants.boosting import (
    alpha_value,
    alphas_times,
    error_of,
    first_weights,
    rounds_of,
    signs_of,
    truth_of,
)
from refmc.oracle.variants.fields import mapped, weights_ignored
from refmc.oracle.variants.transport import Program, solved, transported
from refmc.oracle.variants.variant import Rewriting, Variant
from refmc.suite.catalogue.mistake import KNOWN, Mistake, of_answer, of_neighbour, of_run
from refmc.suite.catalogue.plain_boosting import boosting

BOTH = (ADA, MH)


def in_one_form(problem: Record, answer: Record) -> Record:
    """The answer with what its base classifiers answer on the rows, and with α as numbers."""
    read = read_problem(problem)
    rounds = []
    for r in rounds_of(answer):
        kept: dict[str, object] = {
            name: v for name, v in r.items() if name not in ("stump", "base")
        }
        h = signs_of(read, r)
        single = read.asked.family == ADA
        kept["base"] = [read.classes[v > 0] for (v,) in h] if single else [list(row) for row in h]
        if kept.get("alpha") is not None:
            kept["alpha"] = alpha_value(kept["alpha"])
        rounds.append(kept)
    return {**answer, "rounds": rounds}


def _by_rounds(program: Program) -> Rewriting:
    """Recognises the run of a mistaken program, also where stumps or α are written otherwise."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        wrong = program(problem)
        if wrong is None:
            return None
        forms = (in_one_form(problem, record) for record in (answer, wrong, solved(problem)))
        return transported(*forms)

    return rewriting


_run = partial(of_run, boosting, finding=_by_rounds)


def _unweighted(problem: Record) -> Record | None:
    """The right rounds, with ε as the share of errors."""
    right = solved(problem)
    read = read_problem(problem)
    truth, D = truth_of(read), first_weights(read)
    rounds = [
        {name: v for name, v in r.items() if name in ("t", "stump", "base")}
        | {"epsilon": error_of(D, truth, signs_of(read, r))}
        for r in rounds_of(right)
    ]
    return {**right, "rounds": rounds}


def _half_votes(problem: Record) -> Record | None:
    """Σ α_t over the rounds that vote for a label, and nothing for those against it."""
    right = solved(problem)
    read = read_problem(problem)
    rounds = rounds_of(right)
    if any(r["alpha"] is None for r in rounds) or not rounds:
        return None
    alphas = [alpha_value(r["alpha"]) for r in rounds]
    bases = [signs_of(read, r) for r in rounds]
    rows = [
        [
            sum((a for a, h in zip(alphas, bases) if h[i][l] > 0), Fraction(0))
            for l in range(len(bases[0][0]))
        ]
        for i in range(read.m)
    ]
    scores = mapped(rows, lambda v: round(v, 12))
    assert isinstance(scores, list)
    return {**right, "scores": [row[0] for row in scores] if problem["family"] == ADA else scores}


def _whole_votes(problem: Record, answer: Record) -> Record | None:
    """Σ α_t h_t of scores that count only the votes for a label."""
    rounds = rounds_of(answer)
    if "scores" not in answer or any(r.get("alpha") is None for r in rounds):
        return None
    total = sum((alpha_value(r["alpha"]) for r in rounds), Fraction(0))
    return {**answer, "scores": mapped(answer["scores"], lambda v: 2 * v - total)}


MISTAKES = (
    _run(
        "boost.half_missing",
        BOTH,
        "α is ln((1 − ε)/ε) without the half, and the weights are squared",
        "lu, AdaBoost.MH, line 6",
    ),
    _run(
        "boost.error_unnormalised",
        BOTH,
        "ε is a sum of weights that no longer sum to 1",
        "lu, AdaBoost.MH, lines 5 and 10",
    ),
    _run(
        "boost.perfect_round",
        BOTH,
        "a round without errors gets a finite α, and the run goes on",
        "lu, AdaBoost.MH, line 6; α = ∞",
    ),
    _run(
        "boost.no_better_than_chance",
        BOTH,
        "rounds with ε ≥ ½ are kept, with α ≤ 0",
        "lu, the weak learning condition",
    ),
    _run(
        "boost.reversed_stump_boundary",
        BOTH,
        "the reversed stump says yes at the threshold, where the stump says yes, too",
        "lu: h and −h differ everywhere",
    ),
    _run(
        "boost.weights_unused",
        BOTH,
        "the base classifier ignores the distribution",
        "lu: it minimises the error under D_t",
    ),
    _run(
        "boost.tiny_weights_cut",
        BOTH,
        "weights below half of the mean are set to 0",
        "lu, AdaBoost.MH, line 10",
    ),
    _run(
        "boost.alpha_signed_weights",
        BOTH,
        "weights are multiplied by exp(+α) where right",
        "lu, AdaBoost.MH, line 10",
    ),
    Mistake(
        Variant(
            "boost.votes_unbalanced",
            BOTH,
            "a vote against a label counts 0 where the lecture has −1",
            "lu: h(ω, l) ∈ {−1, +1}",
            answer=_whole_votes,
        ),
        _half_votes,
    ),
    of_answer(
        KNOWN["boost.alpha_doubled"], lambda problem, answer: alphas_times(Fraction(2), answer)
    ),
    Mistake(KNOWN["boost.epsilon_unweighted"], _unweighted),
    of_neighbour(
        "boost.row_weights_ignored",
        BOTH,
        "the first round has equal weights, whatever those of the rows",
        "refmc: D_1 is in the ratios of weights",
        problem=weights_ignored,
    ),
)
