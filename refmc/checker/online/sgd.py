"""Is this a run of stochastic subgradient descent? Decided by replaying it; see `replay`.

Covers [chang, "Stochastic gradient Descent"], [lecture5, "Algorithm 1"] and the homework on
[lecture5 (13)], [keshet §2.2] and [karagiannis, Example 29].

    state     w (and b after it); the k rows of W, one after the other; or w for a feature map Ψ
    η_t       the step size; σ and c: a step is for (σ/2)‖w‖² + c·loss of the drawn row
    binary    w becomes (1 − ησ)w, and + ηcyx wherever y(w·x + b) < 1; there b becomes b + ηcy, if
              it is updated at all
    max       some j in arg max of v_j = Δ(j, y) + s_j − s_y: w becomes
              (1 − ησ)w − ηc(Ψ(x, j) − Ψ(x, y)); nothing is taken off where j = y
    sum       the same for every j other than y with v_j > 0
    shrink    "always"; "with_loss": a step without a positive loss changes nothing, as
              [keshet §2.2] prints; "never": the factor 1 − ησ is left out, as
              [karagiannis, Example 29] prints

Ties: every j of the arg max, and in the sum form either slope where v_j = 0. At the kink
y(w·x + b) = 1 the print takes the flat slope; `at_kink="either"` admits both.

Differs from the lecture: [chang] tests with b and never updates it, so that b stays 0; on its first
slide the sign of Cyx is reversed.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

from refmc.checker.numbers.arithmetic import Rows
from refmc.checker.online.replay import Submission
from refmc.checker.online.rules import ClassRule, MarginRule, blocks_of, judge_problem, probes_of
from refmc.checker.online.states import (
    Choice,
    Point,
    Rule,
    RunProblem,
    Score,
    State,
    Visit,
    changed,
    is_dyadic,
    leaders,
    leads,
    reach,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict

__all__ = ["SGDProblem", "Submission", "Visit", "judge", "rule_of"]

MOST_SUBSETS = 256

Shrink = Literal["always", "with_loss", "never"]


@dataclass(frozen=True, kw_only=True)
class SGDProblem(RunProblem):
    """One run of sgd.binary or sgd.multiclass, with the step size of each draw.

    `features`: in the place of `X`, for each row the k rows Ψ(x, j). `costs`: for each row those of
    predicting each class, None for 0 and 1.

    >>> SGDProblem(family="sgd.binary", X=[[1]], y=(1,), visits=(Visit(1, 1, 0),),
    ...         etas=(Fraction(1),), sigma=Fraction(1), c=Fraction(1)).form
    'max'
    """

    features: Sequence[Rows] | None = None
    etas: tuple[Fraction, ...]
    sigma: Fraction
    c: Fraction
    form: Literal["max", "sum"] = "max"
    costs: Rows | None = None
    shrink: Shrink = "always"
    at_kink: Literal["print", "either"] = "print"

    @property
    def are_dyadic(self) -> bool:
        return all(map(is_dyadic, {*self.etas, self.sigma, self.c}))

    def factor(self, eta: Fraction) -> Fraction:
        """What a step of this size multiplies the weights by."""
        return Fraction(1) if self.shrink == "never" else 1 - eta * self.sigma


def judge(problem: SGDProblem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge a trace (a state after each step), an end, or labels.

    An end or labels without a trace are compared with that of the reference run, and then with
    those of all runs that the ties admit; with too many of them, or with numbers too long to
    follow, INCONCLUSIVE. The reference run takes the first class of the arg max, and the flat slope
    where either is right.

    >>> one = Fraction(1)
    >>> run = SGDProblem(family="sgd.binary", X=[[2]], y=(1,), visits=(Visit(1, 1, 0),),
    ...               etas=(Fraction(1, 2),), sigma=one, c=one)
    >>> print(judge(run, Submission(trace=[(one,)], end=(one,)), allowed=Fraction(0)).explain())
    VERIFIED  sgd.binary  1 row, 1 step
      gap      0 (exactly right); allowed 0
    >>> print(judge(run, Submission(end=(-one,)), allowed=Fraction(0)).explain())
    REFUTED  sgd.binary  1 row, 1 step
      gap      2, relative 2.0e0; allowed 0
      worst    end: w[0] is -1, needs 1 (the only end)
    """
    rows = problem.X or [psi for own in problem.features or () for psi in own]
    step = min(problem.etas) * problem.c
    return judge_problem(rule_of(problem), given, allowed, rows, step)


def rule_of(problem: SGDProblem) -> Rule:
    """What the algorithm of a problem allows at each visit."""
    if problem.features is not None:
        return _Multiclass(problem, [[(0, psi) for psi in own] for own in problem.features], 0)
    if problem.family == "sgd.multiclass":
        blocks = blocks_of(problem)
        return _Multiclass(problem, blocks, len(blocks[0][0][1]))
    return _Binary(problem, probes_of(problem), 1, False, problem.at_kink == "either")


class _Binary(MarginRule):
    """A step adds ηc times the probe of the row wherever the margin is below 1."""

    problem: SGDProblem

    def _choice(self, before: Point, visit: Visit, margin: Fraction, pushes: bool) -> Choice:
        def why() -> str:
            slope = "has a slope" if pushes else "is flat"
            return f"margin {short_text(margin)}: the loss {slope}"

        if not pushes and self.problem.shrink == "with_loss":
            return Choice(before.state, before.sizes, False, why)
        eta, bias = self.problem.etas[visit.t - 1], self.problem.bias
        changes = [(0, eta * self.problem.c, self.probes[visit.row])] if pushes else []
        after = changed(before, changes, self.problem.factor(eta), kept=int(bias))
        return Choice(*after, False, why)


class _Multiclass(ClassRule):
    """Ψ(x, j) is the row itself in block j of the state, or, with features, as long as the state.

    The values of the classes are Δ(j, y) + s_j: they are compared with each other only, so that s_y
    need not be taken off.
    """

    problem: SGDProblem

    def first(self, before: Point, visit: Visit) -> Choice:
        y = self.problem.y[visit.row]
        v = [value.value for value in self._values(before, visit.row)]
        chosen = tuple(j for j, value in enumerate(v) if value > v[y])
        if self.problem.form == "max":
            largest = v.index(max(v))
            chosen = () if largest == y else (largest,)
        if self.problem.shrink == "with_loss" and max(v) <= v[y]:
            chosen = ()
        return self._step(before, visit, chosen)

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> list[Choice] | None:
        y, v = self.problem.y[visit.row], self._values(before, visit.row)
        sets: list[tuple[int, ...]]
        if self.problem.form == "max":
            sets = [() if j == y else (j,) for j in leaders(v, allowed)]
        else:
            sure = [j for j in range(self.problem.k) if leads(v[j], v[y], allowed)]
            others = [j for j in range(self.problem.k) if j != y and j not in sure]
            level = [j for j in others if not leads(v[y], v[j], allowed)]
            if 1 << len(level) > MOST_SUBSETS:
                return None
            sets = [(*sure, *A) for n in range(len(level) + 1) for A in combinations(level, n)]
        if self.problem.shrink == "with_loss":  # only what may have a loss makes a step
            sets = [A for A in sets if not A or any(self._may_lose(v[j], v[y], allowed) for j in A)]
        return [self._step(before, visit, chosen) for chosen in sets]

    def _may_lose(self, mine: Score, own: Score, allowed: Fraction) -> bool:
        apart = mine.value - own.value
        return apart + reach(allowed, apart, mine, own) > 0

    def _values(self, point: Point, row: int) -> list[Score]:
        """Δ(j, y) + s_j of each class."""
        y, costs = self.problem.y[row], self.problem.costs
        delta = [int(j != y) for j in range(self.problem.k)] if costs is None else costs[row]
        return [
            Score(point, psi, begin, c)
            for (begin, psi), c in zip(self.vectors[row], delta, strict=True)
        ]

    def _step(self, before: Point, visit: Visit, chosen: tuple[int, ...]) -> Choice:
        if not chosen and self.problem.shrink == "with_loss":
            return Choice(before.state, before.sizes, False, lambda: "the loss is 0: no step")
        row, y, eta = visit.row, self.problem.y[visit.row], self.problem.etas[visit.t - 1]
        changes = []
        for j in chosen:
            for r, step in ((j, -eta * self.problem.c), (y, eta * self.problem.c)):
                begin, psi = self.vectors[row][r]
                changes.append((begin, step, psi))

        def why() -> str:
            against = ", ".join(map(self.class_name, chosen))
            return f"class {self.class_name(y)} against {against}" if chosen else "the loss is flat"

        return Choice(*changed(before, changes, self.problem.factor(eta)), False, why)
