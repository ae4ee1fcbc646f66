"""Replaying a run of boosting round by round, from the submitter's own state; see `boosting`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from refmc.checker.boosting.amounts import Amount, alpha_claim, exponential_of, natural_log, root_of
from refmc.checker.boosting.stumps import Kind, is_stump, largest_edge
from refmc.checker.boosting.votes import Votes, loss_claim, no_votes
from refmc.checker.boosting.weights import Table, weights_of
from refmc.checker.numbers.enclosures import Enclosure
from refmc.checker.parts import Part, status_of, value_claim
from refmc.checker.printing import short_text
from refmc.checker.trees.data import Sample, Value, prepare
from refmc.checker.verdict import Violation

Family = Literal["boost.ada", "boost.mh"]
Rule = Literal["half_log", "samme"]
Stopped = Literal["rounds", "perfect", "no_edge"]

ZERO, HALF, ONE = Fraction(0), Fraction(1, 2), Fraction(1)


@dataclass(frozen=True, kw_only=True)
class Problem:
    """What was to be boosted.

    `truth`: m rows of one class position (boost.ada) or of k signs (boost.mh).  `kind`: which stumps
    are the base classifiers, None for any base classifiers.  `single`: labels are predicted by the
    largest vote, not each by the sign of its own.  `weights`: of rows, equal if None.
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
        return self.family == "boost.ada" and self.rule == "samme"

    @property
    def edge_limit(self) -> Fraction:
        """What an error must be below."""
        return 1 - Fraction(1, max(self.k, 2)) if self.by_class else HALF

    def marks(self, answers: Table) -> Table:
        """For each row what multiples of alpha its votes get."""
        if self.by_class:
            return [[int(h == c) for c in range(self.k)] for (h,) in answers]
        return [[2 * h - 1] for (h,) in answers] if self.family == "boost.ada" else answers


@dataclass(frozen=True)
class Round:
    """One round: answers of the base classifier, in the form of the truth, and what is claimed.

    `alpha`: None if it isn't submitted or infinite.  `claims`: of epsilon, Z, Z_squared, loss, bound
    and bound_squared, the last three after this round.
    """

    answers: Table
    alpha: Amount | None = None
    infinite: bool = False
    D: Sequence[Sequence[Fraction]] | None = None
    claims: Mapping[str, Fraction] = field(default_factory=dict)


@dataclass(frozen=True)
class Submission:
    """The rounds, why there are no more, and predictions on the rows of the problem."""

    rounds: Sequence[Round]
    stopped: Stopped | None = None
    labels: Table | None = None
    scores: Sequence[Sequence[Fraction]] | None = None


def wrong_items(problem: Problem, r: Round) -> list[list[bool]]:
    """For each item whether the base classifier of the round is wrong."""
    pairs = zip(r.answers, problem.truth, strict=True)
    return [[h != c for h, c in zip(*pair, strict=True)] for pair in pairs]


class Run:
    """The submitter's state: D, the votes, and the product of Z² so far."""

    def __init__(self, problem: Problem, allowed: Fraction) -> None:
        m, n = len(problem.truth), len(problem.truth[0])
        given = problem.weights or [ONE] * m
        self.problem, self.allowed = problem, allowed
        self.first = self.weights = weights_of([[w] * n for w in given])
        self.votes: Votes | None = no_votes(m, len(problem.marks(problem.truth)[0]))
        self.bound_squared = Enclosure(ONE, ONE)
        self.perfect = 0
        if problem.kind is not None:
            X = problem.X or ()
            self.data = prepare(Sample(X=X, y=(0,) * m, k=1, columns=problem.columns))

    def step(self, t: int, r: Round) -> list[Part]:
        """The verdicts on round t, from the state before it, which it changes."""
        place = f"round {t}"
        if self.perfect:
            return [_fault(place, f"round {self.perfect} errs nowhere and is the last")]
        parts = []
        if r.D is not None:
            parts.append(self._judge_D(place, r.D))
            if any(v > 0 for row in r.D for v in row):
                self.weights = weights_of(r.D)
        wrong = wrong_items(self.problem, r)
        epsilon = self.weights.share(wrong)
        parts += [self._judge_base(place, r, epsilon), self._judge_edge(place, epsilon)]
        if epsilon.high == 0:
            self.perfect = t
        needed = self._needed(epsilon)
        parts += self._judge_alpha(place, r, epsilon, needed)
        self._vote(r, needed)
        parts += self._judge_claims(place, r, epsilon)
        if needed is not None:
            self.weights = self.weights.reweighted(wrong, self._factor(r, epsilon, needed))
        return parts

    def _judge_D(self, place: str, D: Sequence[Sequence[Fraction]]) -> Part:
        low, wide = self.weights.total, 1 + self.weights.doubt
        gap, wrong, unclear = ZERO, [], False
        for i, row in enumerate(zip(self.weights.rows, D, strict=True)):
            for l, (v, claim) in enumerate(zip(*row, strict=True)):
                least, most = v / (low * wide), v * wide / low
                off = max(most - claim, claim - least)
                outside = max(least - claim, claim - most)
                gap, unclear = max(gap, off), unclear or off > self.allowed
                if outside > self.allowed:
                    where = f"{place}, D of row {i}" + (self._name(l) if len(row[0]) > 1 else "")
                    text = f"{short_text(claim)}, needs {short_text(least)}"
                    wrong.append(Violation(where, text, outside))
        return Part(status_of(not unclear, bool(wrong)), gap, tuple(wrong))

    def _name(self, l: int) -> str:
        return f", label {self.problem.classes[l] if self.problem.classes else l}"

    def _judge_base(self, place: str, r: Round, epsilon: Enclosure) -> Part:
        """The base classifier is a stump of the kind, if there is one, and no other errs less."""
        kind = self.problem.kind
        if kind is None:
            return Part("VERIFIED")
        if not is_stump(self.data, kind, r.answers):
            return _fault(place, "no stump gives these answers on the rows")
        least, question = self._least_error()
        low, high = max(ZERO, epsilon.low - least.high), epsilon.high - least.low
        if low <= self.allowed:
            return Part(status_of(high <= self.allowed, False), high)
        text = f"errs on {short_text(epsilon.low)}, "
        text += f"but a stump errs on {short_text(least.high)}: {question}"
        return Part("REFUTED", high, (Violation(place, text, low),))

    def _judge_edge(self, place: str, epsilon: Enclosure) -> Part:
        limit = self.problem.edge_limit + self.allowed
        if epsilon.high < limit or epsilon.low < limit:
            return Part(status_of(epsilon.high < limit, False))
        text = f"errs on {short_text(epsilon.low)}, so it has no edge"
        amount = epsilon.low - self.problem.edge_limit
        return Part("REFUTED", None, (Violation(place, text, amount),))

    def _least_error(self) -> tuple[Enclosure, str]:
        """The least error of a stump, (1 - edge)/2, and its question."""
        p = self.problem
        assert p.kind is not None
        edge, question = largest_edge(self.data, p.kind, p.k, p.truth, self.weights)
        share = self.weights.edge(edge)
        return Enclosure((1 - share.high) / 2, (1 - share.low) / 2), question

    def _needed(self, epsilon: Enclosure) -> tuple[Amount, Amount] | None:
        """Bounds of the right alpha, one number where D is exact; None where it is infinite."""
        if epsilon.high == 0 or epsilon.low == 1:
            return None
        factor, more = (
            (ONE, natural_log(Fraction(self._others))) if self._is_samme else (HALF, Amount())
        )
        lower = natural_log(1 / epsilon.high - 1).times(factor).plus(more)
        if epsilon.low == epsilon.high:
            return lower, lower
        return lower, natural_log(1 / epsilon.low - 1).times(factor).plus(more)

    @property
    def _is_samme(self) -> bool:
        return self.problem.rule == "samme"

    @property
    def _others(self) -> int:
        """The classes beside the right one."""
        return self.problem.k - 1 if self.problem.by_class else 1

    def _judge_alpha(
        self, place: str, r: Round, epsilon: Enclosure, needed: tuple[Amount, Amount] | None
    ) -> list[Part]:
        if r.infinite:
            is_right = epsilon.high == 0
            text = f"infinite, but epsilon is {short_text(epsilon.low)}"
            return [Part("VERIFIED") if is_right else _fault(f"{place}, alpha", text)]
        if r.alpha is None:
            return []
        if needed is None:
            text = f"finite, but epsilon is {short_text(epsilon.low)}"
            return [_fault(f"{place}, alpha", text)]
        odds = short_text((1 - epsilon.low) / epsilon.low)
        subject = f"ln({odds}) + ln({self._others})" if self._is_samme else f"1/2 ln({odds})"
        return [alpha_claim(f"{place}, alpha", r.alpha, needed, self.allowed, subject)]

    def _vote(self, r: Round, needed: tuple[Amount, Amount] | None) -> None:
        """Add the votes of a round; they are lost where its alpha is neither given nor exact."""
        marks = self.problem.marks(r.answers)
        if self.perfect:
            self.votes = no_votes(len(marks), len(marks[0])).added(Amount(ONE), marks)
            return
        alpha = r.alpha
        if alpha is None and needed is not None and needed[0] is needed[1]:
            alpha = needed[0]
        self.votes = None if self.votes is None or alpha is None else self.votes.added(alpha, marks)

    def _factor(self, r: Round, epsilon: Enclosure, needed: tuple[Amount, Amount]) -> Enclosure:
        """What the weights of wrong items are multiplied by, from the submitter's alpha if given."""
        is_exact = needed[0] is needed[1]
        if r.alpha is not None and not (is_exact and not r.alpha.minus(needed[0]).sign()):
            power = exponential_of(r.alpha.times(1 if self._is_samme else 2))
            if power is not None:
                return power
        others = self._others
        return Enclosure(others * (1 / epsilon.high - 1), others * (1 / epsilon.low - 1))

    def _judge_claims(self, place: str, r: Round, epsilon: Enclosure) -> list[Part]:
        ends = [4 * e * (1 - e) for e in (epsilon.low, epsilon.high)]
        top = ONE if epsilon.low < HALF < epsilon.high else max(ends)
        Z_squared, before = Enclosure(min(ends), top), self.bound_squared
        self.bound_squared = after = Enclosure(before.low * min(ends), before.high * top)
        found = {"epsilon": epsilon, "Z_squared": Z_squared, "bound_squared": after}
        found |= {"Z": root_of(Z_squared)} if "Z" in r.claims else {}
        found |= {"bound": root_of(after)} if "bound" in r.claims else {}
        parts = [
            value_claim(
                f"{place}, {name}", claim, found[name].low, found[name].high, self.allowed, "it"
            )
            for name, claim in r.claims.items()
            if name in found
        ]
        if "loss" not in r.claims:
            return parts
        if self.votes is None:
            return [*parts, lost_votes()]
        right = _is_right(self.problem, self.votes, self.allowed)
        where = f"{place}, loss"
        return [*parts, loss_claim(where, r.claims["loss"], self.first, right, self.allowed)]

    def end(self, made: int, stopped: Stopped | None) -> list[Part]:
        """Whether there are as many rounds as there should be, and the reason that is claimed."""
        T, parts = self.problem.rounds, []
        reasons: list[Stopped] = ["perfect"] if self.perfect else []
        if made > T:
            parts.append(_fault("rounds", f"{made}, but {T} were asked for"))
        if made >= T:
            reasons.append("rounds")
        elif not self.perfect:
            reasons.append("no_edge")
            parts.append(self._judge_no_edge(made))
        if stopped is not None and stopped not in reasons:
            parts.append(_fault("stopped", f"{stopped}, but it is {' or '.join(reasons)}"))
        return parts

    def _judge_no_edge(self, made: int) -> Part:
        if self.problem.kind is None:
            hint = "which base classifiers there are isn't known, so an early end can't be judged"
            return Part("INCONCLUSIVE", hint=hint)
        least, question = self._least_error()
        limit = self.problem.edge_limit - self.allowed
        if least.high >= limit:
            return Part(status_of(least.low >= limit, False))
        text = f"ended after {made} of {short_text(self.problem.rounds)} rounds, "
        text += f"but a stump errs on {short_text(least.high)}: {question}"
        return Part("REFUTED", None, (Violation("rounds", text, limit - least.high),))


def _fault(place: str, text: str) -> Part:
    return Part("REFUTED", None, (Violation(place, text, ONE),))


def lost_votes() -> Part:
    """The verdict on what votes would decide."""
    return Part("INCONCLUSIVE", hint="votes need the alpha of every round: its digits are too many")


def _is_right(problem: Problem, votes: Votes, allowed: Fraction) -> list[list[bool | None]]:
    """For each item whether the votes are right; None where they tie."""
    if problem.by_class:
        rows = zip(votes.best(allowed), problem.truth, strict=True)
        return [[None if c in best and len(best) > 1 else c in best] for best, (c,) in rows]
    signs = zip(votes.signs(allowed), problem.marks(problem.truth), strict=True)
    return [[s == c if s else None for s, c in zip(*pair, strict=True)] for pair in signs]
