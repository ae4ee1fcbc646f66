"""Replaying a run of boosting round by round, from the submitted states; see the module `judge`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple

from refmc.checker.boosting.amounts import (
    BITS,
    Amount,
    alpha_claim,
    exponential_of,
    natural_log,
    root_of,
)
from refmc.checker.boosting.stumps import Kind, is_stump, largest_edge, stumps_of
from refmc.checker.boosting.votes import Votes, loss_claim, no_votes
from refmc.checker.boosting.weights import Table, weights_of
from refmc.checker.numbers.enclosures import Enclosure
from refmc.checker.parts import LEAST, Part, bounded_claim, refuted, status_of, underflows
from refmc.checker.printing import short_text
from refmc.checker.trees.data import Sample, Value, prepare
from refmc.checker.verdict import Place, Violation

Family = Literal["boost.ada", "boost.mh"]
Rule = Literal["half_log", "samme", "m1"]
Stopped = Literal["rounds", "perfect", "no_edge"]

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)

LEAST_ALPHA = Fraction(1, 1 << 55)
"""No α of floats lies between 0 and twice this: half the least difference of two logarithms."""

SHORT_BITS = 4_096
"""Binary digits of D up to which a rounded α is followed as the exact one that it stands for."""


@dataclass(frozen=True, kw_only=True)
class BoostingProblem:
    """What was to be boosted.

    `truth`: m rows of one class position (boost.ada) or of k signs (boost.mh). `kind`: which stumps
    are the base classifiers, None for any base classifiers. `single`: labels are predicted by the
    largest vote, not each by the sign of its own. `weights`: of rows, equal if None.
    """

    family: Family
    truth: Table
    k: int
    rounds: int
    X: Sequence[Sequence[Value]] | None = None
    columns: tuple[str, ...] = ()
    kind: Kind | None = None
    rule: Rule = "half_log"
    single: bool = True
    weights: Sequence[Fraction] | None = None
    classes: tuple[str, ...] = ()

    @property
    def by_class(self) -> bool:
        """Whether votes are counted for each class that base classifiers name."""
        return self.family == "boost.ada" and self.rule != "half_log"

    @property
    def others(self) -> int:
        """Factor of the odds (1 − ε)/ε in α: for samme the number of wrong classes, else 1."""
        return max(self.k, 2) - 1 if self.rule == "samme" else 1

    @property
    def edge_limit(self) -> Fraction:
        """The error below which a base classifier has an edge."""
        return Fraction(self.others, self.others + 1)

    def marks(self, answers: Table) -> Table:
        """For each row the marks of its votes: the multiples of α that the round adds to them."""
        if self.by_class:
            return [[int(h == c) for c in range(self.k)] for (h,) in answers]
        return [[2 * h - 1] for (h,) in answers] if self.family == "boost.ada" else answers


@dataclass(frozen=True)
class Round:
    """One round: answers of the base classifier, in the form of the truth, and what is claimed.

    `alpha`: None if it isn't submitted or infinite. `claims`: of epsilon, Z, Z_squared, loss, bound
    and bound_squared, the last three after this round.
    """

    answers: Table
    alpha: Amount | None = None
    infinite: bool = False
    D: Sequence[Sequence[Fraction]] | None = None
    claims: Mapping[str, Fraction] = field(default_factory=dict)


class Submission(NamedTuple):
    """The rounds, why there are no more, and predictions on the rows of the problem."""

    rounds: Sequence[Round]
    stopped: Stopped | None = None
    labels: Table | None = None
    scores: Sequence[Sequence[Fraction]] | None = None


class Run:
    """The submitter's state: D, the votes, and the product of Z² so far.

    `is_rounded`: a submitted number that is right, but rounded, has come into it. `has_given_D`: D
    comes from submitted numbers, and not from the exact replay alone. `rounded_edges`: how many
    rounds have an edge by rounding alone.
    """

    def __init__(self, problem: BoostingProblem, allowed: Fraction) -> None:
        m, n = len(problem.truth), len(problem.truth[0])
        given = problem.weights or [ONE] * m
        self.problem, self.allowed = problem, allowed
        self.first_weights = self.weights = weights_of([[w] * n for w in given])
        self.votes: Votes | None = no_votes(m, len(problem.marks(problem.truth)[0]))
        self.bound_squared = Enclosure(ONE, ONE)
        self.perfect = self.rounded_edges = 0
        self.is_rounded = self.has_given_D = False
        if problem.kind is not None:
            sample = Sample(X=problem.X or (), y=(0,) * m, k=1, columns=problem.columns)
            self.stumps = stumps_of(prepare(sample))

    @property
    def near(self) -> Fraction:
        """What two numbers may differ by, relative to their sizes, and still be confused.

        Nothing, where all of them are computed exactly from the base classifiers.
        """
        return self.allowed if self.is_rounded or self.has_given_D or self.weights.error else ZERO

    @property
    def apart(self) -> Fraction:
        """What votes may differ by and still be confused."""
        if self.votes is None or not self.is_rounded:
            return ZERO
        return self.allowed * self.votes.size.enclosure(BITS).high

    def step(self, t: int, r: Round) -> list[Part]:
        """The verdicts on round t, from the state before it, which it changes."""
        place = Place.of("round", t)
        if self.perfect:
            return [refuted(place, f"round {self.perfect} errs nowhere and is the last")]
        parts = [] if r.D is None else self._take_D(place, r.D)
        pairs = zip(r.answers, self.problem.truth, strict=True)
        wrong = [[h != c for h, c in zip(*pair, strict=True)] for pair in pairs]
        epsilon = self.weights.share(wrong)
        edge = self._judge_edge(place, epsilon)
        if edge.status == "REFUTED" and self._has_rounded_edge(t, r, epsilon):
            edge = Part("VERIFIED")
            self.rounded_edges += 1
        parts += [self._judge_base(place, r, epsilon), edge]
        if epsilon.high == 0:
            self.perfect = t
        # α is judged by the ε of the base classifier that was submitted, whatever ε is claimed
        needed = self._needed(epsilon)
        of_alpha = self._judge_alpha(place, r, epsilon, needed)
        # the claims are of the votes and the bound after this round, so the round votes first
        self._vote(r, needed)
        parts += [*of_alpha, *self._judge_claims(place, r, epsilon)]
        if needed is not None:
            is_right = all(part.status == "VERIFIED" for part in of_alpha)
            factor = self._factor(r, epsilon, needed, is_right)
            self.weights = self.weights.reweighted(wrong, factor)
        return parts

    def _take_D(self, place: Place, D: Sequence[Sequence[Fraction]]) -> list[Part]:
        """Judge a submitted D, which takes the place of one that is wrong or only enclosed."""
        parts = self._judge_D(place, D)
        self.is_rounded |= any(part.gap for part in parts)
        takes_its_place = self.weights.error or any(part.status == "REFUTED" for part in parts)
        if takes_its_place and any(v > 0 for row in D for v in row):
            self.weights, self.has_given_D = weights_of(D), True
        return parts

    def _judge_D(self, place: Place, D: Sequence[Sequence[Fraction]]) -> list[Part]:
        low, wide = self.weights.total, 1 + self.weights.error
        parts = [Part("VERIFIED", ZERO, scale=ONE)]
        for i, row in enumerate(zip(self.weights.rows, D, strict=True)):
            for l, (v, claim) in enumerate(zip(*row, strict=True)):
                least, most = v / (low * wide), v * wide / low
                if least == claim == most:
                    continue
                where = place.then(f"D of row {i}", {"field": "D", "row": i})
                if len(row[0]) > 1:
                    where = where.then(f"label {self._name(l)}", {"class": self._name(l)})
                scales = (most, most)
                parts.append(bounded_claim(where, claim, least, most, self.allowed, scales))
        return parts

    def _name(self, l: int) -> str:
        return self.problem.classes[l] if self.problem.classes else str(l)

    def _judge_base(self, place: Place, r: Round, epsilon: Enclosure) -> Part:
        """The base classifier is a stump of the kind, if there is one, and no other errs less."""
        kind = self.problem.kind
        if kind is None:
            return Part("VERIFIED")
        if not is_stump(self.stumps.data, kind, r.answers):
            text = "no stump gives these answers on the rows"
            if is_stump(self.stumps.data, "two_sided", r.answers):
                text += ', but one with a sign for each answer does: that is "base": "two_sided"'
            return refuted(place, text)
        least, question = self._least_error()
        low, high = max(ZERO, epsilon.low - least.high), epsilon.high - least.low
        scale = epsilon.low + least.low
        if low <= self.near * scale:
            return Part(status_of(high <= self.near * scale, False), high, scale=scale)
        text = f"errs on {short_text(epsilon.low)}, "
        text += f"but a stump errs on {short_text(least.high)}: {question}"
        return Part("REFUTED", high, (Violation(place, text, low),), scale=scale)

    def _judge_edge(self, place: Place, epsilon: Enclosure) -> Part:
        """The error is below its limit; where D is exactly known, no rounding is to blame at it."""
        limit = self.problem.edge_limit
        if epsilon.high < limit:
            return Part("VERIFIED")
        near = self.near if self.has_given_D or self.weights.error else ZERO
        amount = epsilon.low - limit
        if amount < 0 or (near and amount <= near * limit):
            return Part(status_of(near > 0, False))
        text = f"errs on {short_text(epsilon.low)}, so it has no edge"
        return refuted(place, text, amount)

    def _has_rounded_edge(self, t: int, r: Round, epsilon: Enclosure) -> bool:
        """Whether an error at its limit may have come out below it in binary64, with an α above 0.

        A round multiplies the relative errors of D by at most 3 and adds few roundings to them. The
        α is a few times as large, and no logarithms of floats differ by less than 2^-53. A D whose
        least whole numbers add up to a power of 2 has no rounding before the first rounded α.
        """
        total, items = self.weights.total, len(r.answers) * len(r.answers[0])
        is_exact = not self.is_rounded and total & (total - 1) == 0
        if is_exact or r.alpha is None:
            return False
        drift = Fraction(3**t * (items + 12), 1 << 53)
        is_near = epsilon.low - self.problem.edge_limit <= min(self.allowed, drift)
        return is_near and r.alpha.side(LEAST_ALPHA) > 0 == r.alpha.side(8 * drift)

    def _least_error(self) -> tuple[Enclosure, str]:
        """The least error of a stump, (1 − edge)/2, and its question."""
        p = self.problem
        assert p.kind is not None
        edge, question = largest_edge(self.stumps, p.kind, p.k, p.truth, self.weights)
        share = self.weights.edge(edge)
        return Enclosure((1 - share.high) / 2, (1 - share.low) / 2), question

    def _needed(self, epsilon: Enclosure) -> tuple[Amount, Amount] | None:
        """Bounds of the right α, one number where D is exact; None where it is infinite."""
        if epsilon.high == 0 or epsilon.low == 1:
            return None
        factor, more = self._half, natural_log(Fraction(self.problem.others))
        lower = natural_log(1 / epsilon.high - 1).times(factor).plus(more)
        if epsilon.low == epsilon.high:
            return lower, lower
        return lower, natural_log(1 / epsilon.low - 1).times(factor).plus(more)

    @property
    def _half(self) -> Fraction:
        return HALF if self.problem.rule == "half_log" else ONE

    def _judge_alpha(
        self, place: Place, r: Round, epsilon: Enclosure, needed: tuple[Amount, Amount] | None
    ) -> list[Part]:
        if r.infinite:
            is_right = epsilon.high == 0
            text = f"infinite, but epsilon is {short_text(epsilon.low)}"
            return [Part("VERIFIED") if is_right else refuted(place.field("alpha"), text)]
        if r.alpha is None:
            return []
        if needed is None:
            text = f"finite, but epsilon is {short_text(epsilon.low)}"
            return [refuted(place.field("alpha"), text)]
        e, others = epsilon.low, Fraction(self.problem.others)
        subject = f"{'1/2 ' * (self._half == HALF)}ln({short_text((1 - e) / e)})"
        subject += f" + ln({others})" * (self.problem.rule == "samme")
        # α is a difference of logarithms: about 0 at ½, where each of them is not
        terms = natural_log(1 / e).plus(natural_log(1 / (1 - e))).times(self._half)
        scale = terms.plus(natural_log(others)).enclosure(BITS).low
        return [alpha_claim(place.field("alpha"), r.alpha, needed, self.allowed, scale, subject)]

    def _vote(self, r: Round, needed: tuple[Amount, Amount] | None) -> None:
        """Add the votes of a round; they are lost where its α is neither given nor exact."""
        marks = self.problem.marks(r.answers)
        if self.perfect:
            self.votes = no_votes(len(marks), len(marks[0])).added(Amount(ONE), marks)
            return
        alpha = r.alpha
        if alpha is None and needed is not None and needed[0] is needed[1]:
            alpha = needed[0]
        elif alpha is not None and not _is_exactly(alpha, needed):
            self.is_rounded = True
        self.votes = None if self.votes is None or alpha is None else self.votes.added(alpha, marks)

    def _factor(
        self, r: Round, epsilon: Enclosure, needed: tuple[Amount, Amount], is_right: bool
    ) -> Enclosure:
        """What the weights of wrong items are multiplied by.

        The exact odds stand for an α that is right up to rounding, as long as they are short; so a
        base classifier that errs on exactly ½ after that is known to. Else the α that was
        submitted is taken as it is.
        """
        follows = self.weights.bits <= SHORT_BITS and not self.weights.error and is_right
        if r.alpha is not None and not follows and not _is_exactly(r.alpha, needed):
            power = exponential_of(r.alpha.times(1 / self._half))
            if power is not None:
                self.has_given_D = True
                return power
        others = self.problem.others
        return Enclosure(others * (1 / epsilon.high - 1), others * (1 / epsilon.low - 1))

    def _judge_claims(self, place: Place, r: Round, epsilon: Enclosure) -> list[Part]:
        ends = [4 * e * (1 - e) for e in (epsilon.low, epsilon.high)]
        top = ONE if epsilon.low < HALF < epsilon.high else max(ends)
        Z_squared, before = Enclosure(min(ends), top), self.bound_squared
        self.bound_squared = Enclosure(before.low * min(ends), before.high * top)
        found = {"epsilon": epsilon, "Z_squared": Z_squared, "bound_squared": self.bound_squared}
        parts = []
        for name, claim in r.claims.items():
            if name != "loss":
                # roots take their time, so that only those are taken that are asked for
                right = found[name] if name in found else root_of(found[f"{name}_squared"])
                is_tiny, where = underflows(claim, right, self.allowed), place.field(name)
                scales = (LEAST / self.allowed if is_tiny else right.high,) * 2
                parts.append(bounded_claim(where, claim, *right, self.allowed, scales))
        if "loss" in r.claims:
            parts.append(self._judge_loss(place, r.claims["loss"]))
        return parts

    def _judge_loss(self, place: Place, claim: Fraction) -> Part:
        if self.votes is None:
            return lost_votes()
        right = _is_right(self.problem, self.votes, self.apart)
        return loss_claim(place.field("loss"), claim, self.first_weights, right, self.allowed)

    def end(self, made: int, stopped: Stopped | None) -> list[Part]:
        """Whether there are as many rounds as there should be, and the reason that is claimed."""
        T, parts = self.problem.rounds, []
        reasons: list[Stopped] = ["perfect"] if self.perfect else []
        if made > T:
            text = f"{made}, but {short_text(T)} were asked for"
            parts.append(refuted(Place.whole("rounds"), text))
        if made >= T:
            reasons.append("rounds")
        elif not self.perfect:
            parts.append(self._judge_no_edge(made))
            if parts[0].status != "REFUTED":
                reasons.append("no_edge")
        if stopped is not None and stopped not in reasons:
            right = f"it is {' or '.join(reasons)}" if reasons else "nothing ends the run here"
            parts.append(refuted(Place.whole("stopped"), f"{stopped}, but {right}"))
        return parts

    def _judge_no_edge(self, made: int) -> Part:
        if self.problem.kind is None:
            hint = "which base classifiers there are isn't known, so an early end can't be judged"
            return Part("INCONCLUSIVE", hint=hint)
        least, question = self._least_error()
        limit = self.problem.edge_limit
        if limit - least.high <= self.near * limit:
            return Part(status_of(limit - least.low <= self.near * limit, False))
        text = f"ended after {made} of {short_text(self.problem.rounds)} rounds, "
        text += f"but a stump errs on {short_text(least.high)}: {question}"
        return refuted(Place.whole("rounds"), text, limit - least.high)


def _is_exactly(alpha: Amount, needed: tuple[Amount, Amount] | None) -> bool:
    """Whether an α is the right one, known exactly.

    >>> from refmc.checker.boosting.amounts import natural_log
    >>> two, three = natural_log(Fraction(2)), natural_log(Fraction(3))
    >>> _is_exactly(two, (two, two)), _is_exactly(two, (two, three))
    (True, False)
    """
    return needed is not None and needed[0] is needed[1] and not alpha.minus(needed[0]).sign()


def lost_votes() -> Part:
    """The verdict on what votes would decide."""
    return Part("INCONCLUSIVE", hint="votes need the alpha of every round: its digits are too many")


def _is_right(problem: BoostingProblem, votes: Votes, apart: Fraction) -> list[list[bool | None]]:
    """For each item whether the votes are right; None where they tie."""
    if problem.by_class:
        rows = zip(votes.best(apart), problem.truth, strict=True)
        return [[None if c in best and len(best) > 1 else c in best] for best, (c,) in rows]
    signs = zip(votes.signs(apart), problem.marks(problem.truth), strict=True)
    return [[s == c if s else None for s, c in zip(*pair, strict=True)] for pair in signs]
