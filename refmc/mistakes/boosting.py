"""What runs of AdaBoost and AdaBoost.MH get wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import exp, log, log1p

from refmc.checker.trees.data import Threshold
from refmc.core.records import Record, entries, items, number, read_object
from refmc.mistakes.boosting_steps import DECIDED, LOSSES, VOTES, ZS, Answers, error_of, normalised
from refmc.mistakes.fields import (
    flat,
    in_order_of_appearance,
    mapped,
    negated,
    rewritten,
    setting,
    sorted_again,
    weights_ignored,
    without,
)
from refmc.mistakes.mistake import Mistake, by_switch, of_answer, of_run, steps_of
from refmc.mistakes.plain_boosting import (
    Told,
    base_as,
    boosting,
    boosting_with_state,
    first_weights,
    signs_as,
    truth_of,
)
from refmc.mistakes.transport import CLOSE, Program, Rewriting, is_far, kept, transported
from refmc.mistakes.tree_parts import value_at
from refmc.oracle.boosting.records import ADA, MH, LabelledProblem, read_problem
from refmc.oracle.boosting.submitted_rounds import base_answers
from refmc.oracle.columns import check_fits, read_question

MOST_BITS = 2_048
"""Of an error's denominator, up to which runs are replayed; the digits double every round."""


def rounds_of(answer: Record) -> list[Record]:
    """The rounds of an answer."""
    return [read_object(r, "round") for r in entries(answer.get("rounds", []), "answer.rounds")]


def signs_of(read: LabelledProblem, round_: Record) -> Answers:
    """What the base classifier of a round answers on each row, as signs."""
    return signs_as(read, base_answers(round_, "round", read))


def _alphas_times(*factor: int) -> Rewriting:
    """The answer with every α, and the scores, multiplied by a number, or by a fraction."""
    multiplied = partial(mapped, change=lambda v: v * Fraction(*factor))

    def rewriting(problem: Record, answer: Record) -> Record:
        rounds = [rewritten(r, multiplied, "alpha") or r for r in rounds_of(answer)]
        return {**(rewritten(answer, multiplied, "scores") or answer), "rounds": rounds}

    return rewriting


def alpha_value(alpha: object) -> Fraction:
    """α as a number, that of a logarithm up to its float."""
    if not isinstance(alpha, Mapping):
        return number(alpha, "alpha")
    terms = read_object(alpha["ln"], "alpha.ln")
    found = (Fraction(log(int(base))) * number(c, "alpha") for base, c in terms.items())
    return sum(found, Fraction(0))


def _epsilon_of(round_: Record) -> Fraction:
    """The ε that is told, or that of a finite α where it is 0 or isn't told."""
    epsilon, alpha = number(round_.get("epsilon", 0), "epsilon"), round_.get("alpha")
    return epsilon if epsilon or alpha is None else Fraction(1 / (1 + exp(2 * alpha_value(alpha))))


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
    return {**answer, "scores": mapped(answer["scores"], lambda s: ((k - 1) * s + total) / k)}


def _weighted_errors(problem: Record, answer: Record) -> Record | None:
    """The answer with each ε moved from the share of errors to the error under D_t.

    D_t is computed from the answer's own base classifiers.
    """
    read = read_problem(problem)
    truth, D = truth_of(read), first_weights(read)
    k = read.asked.k if read.asked.rule == "samme" else 2
    changed = []
    for r in rounds_of(answer):
        h = signs_of(read, r)
        share, epsilon = error_of(first_weights(read), truth, h), error_of(D, truth, h)
        if "epsilon" in r:
            r = {**r, "epsilon": number(r["epsilon"], "epsilon") - share + epsilon}
        changed.append(r)
        if not 0 < epsilon < 1:
            break
        if epsilon.denominator.bit_length() > MOST_BITS:
            return None
        odds = (1 - epsilon) / epsilon * (k - 1)
        rows = zip(D, truth, h, strict=True)
        D = normalised([[d * odds ** (c != v) for d, c, v in zip(*row)] for row in rows])
    changed += rounds_of(answer)[len(changed) :]
    return {**answer, "rounds": changed}


BOTH = (ADA, MH)


def in_one_form(problem: Record, answer: Record) -> Record:
    """The answer with what its base classifiers answer on the rows, and with α as numbers."""
    read = read_problem(problem)
    told = ((without(r, "stump"), signs_of(read, r)) for r in rounds_of(answer))
    rounds = [{**r, "base": base_as(read, signs)} for r, signs in told]
    return _in_numbers({**answer, "rounds": rounds})


def _in_numbers(answer: Record) -> Record:
    """The answer with α as numbers, and the ε that belong to them."""
    rounds = list[Record]()
    for r in rounds_of(answer):
        told = {"epsilon": _epsilon_of(r)} if "epsilon" in r else {}
        infinite = r.get("alpha") is None
        rounds.append(r if infinite else {**r, "alpha": alpha_value(r["alpha"]), **told})
    return {**answer, "rounds": rounds}


def _right_run(problem: Record) -> Record | None:
    found = boosting_with_state(problem)
    return None if found is None else _in_numbers(found)


@kept
def _submitted(problem: Record, answer: Record) -> tuple[Record, list[Told], bool]:
    """The answer in one form, what it tells of each round, and whether some D don't sum to 1."""
    read, rounds = read_problem(problem), rounds_of(answer)
    told = [(signs_of(read, r), number(r.get("Z", 0), "Z"), _epsilon_of(r)) for r in rounds]
    return in_one_form(problem, answer), told, any(map(_is_unnormalised, rounds[1:]))


def right_run_as(problem: Record, answer: Record) -> Record | None:
    """The right run with the base classifiers of an answer, where these tie, and α as numbers."""
    found = boosting_with_state(problem, (), 1, _submitted(problem, answer)[1])
    return None if found is None else _in_numbers(found)


def _is_other(mine: Record, made: Record) -> bool:
    """Whether a round has other numbers than a mistaken run, so that nobody needs to judge it."""
    names = (name for name in ("epsilon", "alpha", "D", "Z") if name in mine and name in made)
    pairs = ((mine[name], made[name]) for name in names)
    return any(None not in pair and is_far(*pair) for pair in pairs)


def _by_rounds(switches: Collection[str], right: Program, rate: float = 1) -> Rewriting:
    """Recognises a mistaken run, whatever it takes of tied stumps and labels, and however α is
    written."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        mine, told, is_unnormalised = _submitted(problem, answer)
        ways = {"divided_by_Z"} if is_unnormalised else set()
        wrong = boosting_with_state(problem, {*switches, *ways}, rate, told)
        if wrong is None:
            return None
        made = _in_numbers(wrong)
        if any(map(_is_other, rounds_of(mine), rounds_of(made))):
            return None
        if problem["family"] == ADA and {"labels", "scores"} <= {*wrong} and "labels" in answer:
            named = (entries(record["labels"], "labels") for record in (answer, wrong))
            rows = zip(*named, entries(wrong["scores"], "scores"))
            made = {**made, "labels": [own if score else mine for mine, own, score in rows]}
        due = right(problem)
        if due is None:
            return None
        return transported(mine, _with_bounds(made), _with_bounds(due))

    return rewriting


def _with_bounds(run: Record) -> Record:
    """The run with the square of each Z, and the product of those so far."""
    rounds, bound = list[Record](), Fraction(1)
    for r in rounds_of(run):
        if "Z" in r:
            Z = number(r["Z"], "Z")
            bound *= Z
            r = {**r, "Z_squared": Z**2, "bound": bound, "bound_squared": bound**2}
        rounds.append(r)
    return {**run, "rounds": rounds}


def _is_unnormalised(round_: Record) -> bool:
    """Whether the weights of a round are told and don't sum to 1."""
    D = flat(round_.get("D", []))
    return bool(D) and abs(sum(D, Fraction(0)) - 1) > CLOSE


STATED = {
    *VOTES, *ZS, *LOSSES, *DECIDED, "only_labels_of_last", "labels_as_scores",
    "own_labels_heavier", "Z_multiplied", "D_of_next", "D_of_end",
}  # fmt: skip
"""Mistakes in what is told of a state alone."""


TIES = {
    "weights_unused": ("D_goes_on",),
    "votes_unweighted": ("last_of_tied",),
    "perfect_left_out": ("last_of_tied",),
    "update_of_before": ("first_with_own",),
    "alpha_told_late": ("vote_of_before", "late_from_0"),
    "wrong_over_error": ("error_unnormalised",),
}
"""What programs with a mistake may do otherwise."""


def _of_step(id: str, families: tuple[str, ...]) -> Mistake:
    switch = id.removeprefix("boost.")
    found = of_run(boosting_with_state, id, families, _by_rounds, TIES.get(switch, ()), _right_run)
    made = boosting_with_state if switch in STATED else boosting
    return replace(found, program=partial(made, wrong={switch}))


def _rate_of(round_: Record) -> float | None:
    """What the α of a round is multiplied by; None where it isn't told beside its ε."""
    if round_.get("alpha") is None or "epsilon" not in round_:
        return None
    epsilon, alpha = number(round_["epsilon"], "epsilon"), alpha_value(round_["alpha"])
    if not 0 < epsilon < Fraction(1, 2):
        return None
    return 2 * float(alpha) / log1p((1 - 2 * epsilon) / epsilon)


def _scaled(problem: Record, answer: Record) -> Record | None:
    """The answer of a run whose α are all multiplied by the rate of the first one."""
    rates = [rate for round_ in rounds_of(answer) if (rate := _rate_of(round_)) is not None]
    if len(rates) < 2:  # one fits any rate
        return None
    rate = rates[0]
    if any(abs(other - rate) >= abs(other - 1) for other in rates):
        return None  # one of them has its α as it ought to be
    return _by_rounds({"alpha_scaled"}, _right_run, rate)(problem, answer)


def _at_a_tenth(problem: Record) -> Record | None:
    found = boosting_with_state(problem, {"alpha_scaled"}, 0.1)
    return found if found is not None and len(rounds_of(found)) > 1 else None


def _votes(of: Callable[[Fraction, Fraction], Fraction]) -> Rewriting:
    """The answer with each vote computed from itself and from Σ α_t."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        total = _total(answer)
        if total is None:
            return None
        return {**answer, "scores": mapped(answer["scores"], lambda v: of(v, total))}

    return rewriting


_balanced = _votes(lambda v, total: 2 * v - total)


def _half_votes(problem: Record) -> Record | None:
    """Σ α_t over the rounds that vote for a label, and nothing for those against it."""
    right = boosting_with_state(problem)
    return right and _votes(lambda v, total: (v + total) / 2)(problem, right)


def _with_rounds(answer: Record, name: str, change: Callable[[object], object]) -> Record | None:
    """The answer with a field of every round changed; None where that changes nothing."""
    rounds = [rewritten(r, change, name) or r for r in rounds_of(answer)]
    return {**answer, "rounds": rounds} if rounds != rounds_of(answer) else None


def _with_stumps(
    answer: Record, change: Callable[[object], object], name: str = "signs"
) -> Record | None:
    """The answer with a field of the stump of every round changed."""

    def changed(stump: object) -> object:
        return rewritten(read_object(stump, "stump"), change, name) or stump

    return _with_rounds(answer, "stump", changed)


def _signs_reversed(problem: Record, answer: Record) -> Record | None:
    """The answer with the sign of every stump reversed."""
    return _with_stumps(answer, negated)


def _from_last(row: object) -> Sequence[object]:
    return items(row, "row")[::-1]


def _classes_reversed(problem: Record, answer: Record) -> Record | None:
    """The answer whose base classifiers have their classes from the last to the first."""
    turned = _with_stumps(answer, _from_last)
    told = _with_rounds(
        turned or answer, "base", lambda base: [*map(_from_last, items(base, "base"))]
    )
    return told or turned


def _with_thresholds(other: Callable[[list[Fraction], Fraction], Fraction | None]) -> Rewriting:
    """The answer with another threshold for each, given the values of its column, if there is one.

    FormatError for a column that the problem hasn't.
    """

    def rewriting(problem: Record, answer: Record) -> Record | None:
        p = read_problem(problem).asked

        def change(given: object) -> object:
            if not p.X or given is None:
                return given
            asked = read_question(given, "question", p.columns, len(p.X[0]))
            check_fits(asked, "question", p.X)
            if not isinstance(asked, Threshold):
                return given
            column = [Fraction(x[asked.column]) for x in p.X]
            threshold = other(column, Fraction(asked.threshold))
            changed = {**read_object(given, "question"), "threshold": threshold}
            return given if threshold is None else changed

        return _with_stumps(answer, change, "question")

    return rewriting


def _moved(end: Callable[[Iterable[Fraction]], Fraction], is_up: bool) -> Rewriting:
    """The answer with each threshold at the next value of its column below or above it."""

    def moved(column: list[Fraction], at: Fraction) -> Fraction:
        beyond = [v for v in column if (v > at if is_up else v < at)]
        return end(beyond) if beyond else at

    return _with_thresholds(moved)


with_values_of_stumps = _with_thresholds(value_at)
"""The answer with the values themselves for thresholds that are values up to rounding."""

MISTAKES: tuple[Mistake, ...] = (
    *(_of_step(*step) for step in steps_of("boost.")),
    Mistake("boost.alpha_scaled", BOTH, answer=_scaled, program=_at_a_tenth),
    Mistake("boost.votes_unbalanced", BOTH, answer=_balanced, program=_half_votes),
    of_answer("boost.alpha_doubled", BOTH, _alphas_times(1, 2), _alphas_times(2)),
    by_switch(boosting, "boost.epsilon_unweighted", BOTH, answer=_weighted_errors),
    Mistake("boost.row_weights_ignored", BOTH, weights_ignored),
    of_answer("boost.signs_reversed", BOTH, _signs_reversed),
    of_answer("boost.classes_reversed", (MH,), _classes_reversed),
    of_answer("boost.class_order", (MH,), answer=sorted_again, spoil=in_order_of_appearance),
    of_answer("boost.strict_stumps", BOTH, _moved(max, False), _moved(min, True)),
    by_switch(boosting, "boost.not_the_least", BOTH, setting("base", "stumps", "any")),
)

CONVENTIONS: tuple[Mistake, ...] = (
    Mistake("boost.alpha_halved", (ADA,), answer=_alphas_times(2)),
    Mistake("boost.centred_scores", (ADA,), answer=_uncentred),
    Mistake("boost.divided_scores", BOTH, answer=_votes(lambda v, total: v * total)),
)
"""What is only recognised."""
