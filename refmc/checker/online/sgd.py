"""Is this a run of stochastic subgradient descent?  Decided by replaying it; see `replay`.

Covers [chang, "Stochastic gradient Descent"], [lecture5, "Algorithm 1"] and the homework on
[lecture5 (13)], [keshet §2.2] and [karagiannis, Example 29].

    state     w (and b after it); the k rows of W, one after the other; or w for a feature map Psi
    eta_t     the step size; sigma and c: a step is for  sigma/2 |w|^2 + c loss  of the drawn row
    binary    w becomes (1 - eta sigma) w, and + eta c y x wherever y (w.x + b) < 1; there b becomes
              b + eta c y, if it is updated at all
    max       some j in arg max of v_j = Delta(j, y) + s_j - s_y:  (1 - eta sigma) w
              - eta c (Psi(x, j) - Psi(x, y)); nothing is taken off where j = y
    sum       the same for every j other than y with v_j > 0
    shrink    "always"; "with_loss": a step without a positive loss changes nothing, as [keshet §2.2]
              prints; "never": the factor 1 - eta sigma is left out, as [karagiannis] prints

Ties: every j of the arg max, and in the sum form either slope where v_j = 0.  At the kink
y (w.x + b) = 1 the print takes the flat slope; `at_kink="either"` admits both.

Differs from the lecture: [chang] tests with b and never updates it, so that b stays 0; on its first
slide the sign of C y x is reversed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from typing import Literal

from refmc.checker.numbers.arithmetic import Rows, rational_dot
from refmc.checker.online.replay import Choice, Rule, State, Submission, Visit, judge_run
from refmc.checker.parts import combined, counted
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict

__all__ = ["Problem", "Submission", "Visit", "judge"]

MOST_SUBSETS = 256

Family = Literal["sgd.binary", "sgd.multiclass"]
Shrink = Literal["always", "with_loss", "never"]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One run: rows or features, labels, draws in their order, and the step size of each draw.

    `y`: -1 or +1 for "sgd.binary", 0-based classes of `k` otherwise.  `X`: m rows of d numbers; or
    `features`: for each row the k rows Psi(x, j).  `cost`: the rows Delta(j, .) of predicted classes

    >>> Problem(family="sgd.binary", X=[[1]], y=(1,), visits=(Visit(1, 1, 0),),
    ...         etas=(Fraction(1),), sigma=Fraction(1), c=Fraction(1)).form
    'max'
    """

    family: Family
    X: Rows | None = None
    features: Sequence[Rows] | None = None
    y: tuple[int, ...]
    k: int = 2
    visits: tuple[Visit, ...]
    etas: tuple[Fraction, ...]
    sigma: Fraction
    c: Fraction
    bias: bool = False
    form: Literal["max", "sum"] = "max"
    cost: Rows | None = None
    shrink: Shrink = "always"
    at_kink: Literal["print", "either"] = "print"
    classes: tuple[str, ...] = ()


def judge(problem: Problem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge a trace (a state after each step) or an end.

    An end alone is compared with those of all runs that the ties admit; with too many of them, or
    with numbers too long to follow, INCONCLUSIVE.

    >>> one = Fraction(1)
    >>> run = Problem(family="sgd.binary", X=[[2]], y=(1,), visits=(Visit(1, 1, 0),),
    ...               etas=(Fraction(1, 2),), sigma=one, c=one)
    >>> print(judge(run, Submission(trace=[(one,)], end=(one,)), allowed=Fraction(0)).explain())
    VERIFIED  sgd.binary  1 row, 1 step
      gap      0 (exactly right); allowed 0
    >>> print(judge(run, Submission(end=(-one,)), allowed=Fraction(0)).explain())
    REFUTED  sgd.binary  1 row, 1 step
      gap      2; allowed 0
      worst    end: w[0] is -1, needs 1 (the only end)
      hint     the run fits with the sign of the loss reversed
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    if given.mistakes is not None:
        raise ValueError("descent counts no mistakes")
    summary = counted(len(problem.y), "row") + ", "
    if problem.family == "sgd.multiclass":
        summary += counted(problem.k, "class", "classes") + ", "
    summary += counted(len(problem.visits), "step")
    parts = judge_run(_rule(problem), problem.visits, given, False, allowed)
    verdict = combined(problem.family, summary, parts, allowed)
    if verdict.status != "REFUTED":
        return verdict
    for text, other in _variants(problem):
        others = judge_run(_rule(other), other.visits, given, False, allowed)
        if {part.status for part in others} == {"VERIFIED"}:
            hint = f"the run fits with {text}"
            return replace(verdict, hint="; ".join(filter(None, [verdict.hint, hint])))
    return verdict


def _variants(problem: Problem) -> Iterator[tuple[str, Problem]]:
    """Runs that are easily confused with this one, most of them printed somewhere."""
    m = len(problem.y)
    yield "the sign of the loss reversed", replace(problem, c=-problem.c)
    if problem.family == "sgd.binary":
        yield "either slope at the kink", replace(problem, at_kink="either")
        if m > 1:
            text = f"the loss weighed by {short_text(problem.c * m)} for {short_text(problem.c)}"
            yield text, replace(problem, c=problem.c * m)
            text = f"the loss weighed by {short_text(problem.c / m)} for {short_text(problem.c)}"
            yield text, replace(problem, c=problem.c / m)
        return
    other: Literal["max", "sum"] = "sum" if problem.form == "max" else "max"
    yield f"the {other} form", replace(problem, form=other)
    if problem.cost is not None:
        yield "costs 0 and 1", replace(problem, cost=None)
        transposed = [list(column) for column in zip(*problem.cost, strict=True)]
        yield "the costs transposed", replace(problem, cost=transposed)
    shrinks: tuple[Shrink, ...] = ("always", "with_loss", "never")
    for shrink in shrinks:
        if shrink != problem.shrink:
            yield f"shrink = {shrink}", replace(problem, shrink=shrink)
    yield "twice the regulariser", replace(problem, sigma=2 * problem.sigma)
    yield "half of the regulariser", replace(problem, sigma=problem.sigma / 2)


def _rule(problem: Problem) -> Rule:
    if problem.family == "sgd.binary":
        if problem.X is None:
            raise ValueError("a binary run needs X")
        return _Binary(problem, tuple(tuple(map(Fraction, row)) for row in problem.X))
    if problem.features is not None:
        return _Multiclass(problem, len(problem.features[0][0]), 0)
    if problem.X is None:
        raise ValueError("a multi-class run needs X or features")
    return _Multiclass(problem, len(problem.X[0]) * problem.k, len(problem.X[0]))


@dataclass(frozen=True)
class _Binary:
    problem: Problem
    rows: tuple[State, ...]

    @property
    def start(self) -> State:
        return (Fraction(0),) * (len(self.rows[0]) + self.problem.bias)

    def choices(
        self, state: State, visit: Visit, a: Fraction, claimed: State | None
    ) -> list[Choice]:
        sign, d = self.problem.y[visit.row], len(self.rows[0])
        row = (*self.rows[visit.row], *[Fraction(1)] * self.problem.bias)
        margin, reach = sign * rational_dot(state, row), a * sum(map(abs, row))
        eta = self.problem.etas[visit.t - 1]
        factor = _factor(self.problem, eta)
        shrunk = [v * factor if j < d else v for j, v in enumerate(state)]
        either = self.problem.at_kink == "either"
        why, found = f"margin {short_text(margin)}", []
        if margin - reach < 1 or (either and margin - reach == 1):
            step = eta * self.problem.c * sign
            after = tuple(v + step * u for v, u in zip(shrunk, row, strict=True))
            found.append(Choice(after, False, f"{why}: the loss has a slope"))
        if margin + reach >= 1:
            after = state if self.problem.shrink == "with_loss" else tuple(shrunk)
            found.append(Choice(after, False, f"{why}: the loss is flat"))
        return found

    def entry(self, position: int) -> str:
        return f"w[{position}]" if position < len(self.rows[0]) else "b"


def _factor(problem: Problem, eta: Fraction) -> Fraction:
    return Fraction(1) if problem.shrink == "never" else 1 - eta * problem.sigma


def _absolute_sum(v: Sequence[Fraction | int]) -> Fraction:
    return sum((abs(Fraction(entry)) for entry in v), Fraction(0))


@dataclass(frozen=True)
class _Multiclass:
    """Psi(x, j) is the row itself in block j of the state, or, with features, as long as the state.

    `block`: the length of a row, 0 with features.
    """

    problem: Problem
    width: int
    block: int

    @property
    def start(self) -> State:
        return (Fraction(0),) * self.width

    def _psi(self, row: int, j: int) -> tuple[int, Sequence[Fraction | int]]:
        """Where Psi(x, j) begins in the state, and its numbers from there."""
        if self.problem.features is not None:
            return 0, self.problem.features[row][j]
        assert self.problem.X is not None
        return j * self.block, self.problem.X[row]

    def _score(self, state: State, row: int, j: int) -> Fraction:
        begin, psi = self._psi(row, j)
        return rational_dot(state[begin : begin + len(psi)], psi)

    def _reach(self, row: int, j: int, q: int, a: Fraction) -> Fraction:
        """How far a score of j minus one of q is off, if the entries of the state are by a."""
        if a == 0 or j == q:
            return Fraction(0)
        (_, u), (_, v) = self._psi(row, j), self._psi(row, q)
        if self.block:
            return 2 * a * _absolute_sum(u)
        return a * _absolute_sum([p - r for p, r in zip(u, v, strict=True)])

    def choices(
        self, state: State, visit: Visit, a: Fraction, claimed: State | None
    ) -> list[Choice] | None:
        row, y, k = visit.row, self.problem.y[visit.row], self.problem.k
        cost = self.problem.cost
        scores = [self._score(state, row, j) for j in range(k)]
        v = [
            (Fraction(j != y) if cost is None else cost[j][y]) + scores[j] - scores[y]
            for j in range(k)
        ]
        sets = self._max_sets(row, y, v, a)
        if self.problem.form == "sum":
            sets = self._sum_sets(row, y, v, a)
        if sets is None:
            return None
        eta = self.problem.etas[visit.t - 1]
        return [self._step(state, row, y, eta, chosen) for chosen in sets]

    def _max_sets(
        self, row: int, y: int, v: Sequence[Fraction], a: Fraction
    ) -> list[tuple[int, ...]] | None:
        """The classes j of the arg max, each alone; none where j = y."""
        classes = range(self.problem.k)
        tied = [
            j for j in classes if all(v[j] + self._reach(row, j, q, a) >= v[q] for q in classes)
        ]
        if self.problem.shrink == "with_loss":
            tied = [j for j in tied if j == y or v[j] + self._reach(row, j, y, a) > 0]
        return [() if j == y else (j,) for j in tied]

    def _sum_sets(
        self, row: int, y: int, v: Sequence[Fraction], a: Fraction
    ) -> list[tuple[int, ...]] | None:
        """The classes with v_j > 0, with any of those with v_j = 0; None: too many."""
        others = [j for j in range(self.problem.k) if j != y]
        reach = {j: self._reach(row, j, y, a) for j in others}
        sure = [j for j in others if v[j] > reach[j]]
        level = [j for j in others if -reach[j] <= v[j] <= reach[j]]
        if 1 << len(level) > MOST_SUBSETS:
            return None
        subsets = product((False, True), repeat=len(level))
        found = [
            (*sure, *(j for j, taken in zip(level, subset, strict=True) if taken))
            for subset in subsets
        ]
        if self.problem.shrink == "with_loss":
            found = [A for A in found if not A or any(v[j] + reach[j] > 0 for j in A)]
        return found

    def _step(
        self, state: State, row: int, y: int, eta: Fraction, chosen: tuple[int, ...]
    ) -> Choice:
        if not chosen and self.problem.shrink == "with_loss":
            return Choice(state, False, "the loss is 0: no step")
        factor = _factor(self.problem, eta)
        after = [value * factor for value in state]
        for j in chosen:
            for direction, sign in ((j, -1), (y, 1)):
                begin, psi = self._psi(row, direction)
                for at, value in enumerate(psi, begin):
                    after[at] += sign * eta * self.problem.c * value
        if not chosen:
            return Choice(tuple(after), False, "the loss is flat")
        names = self.problem.classes or tuple(map(str, range(self.problem.k)))
        against = ", ".join(names[j] for j in chosen)
        return Choice(tuple(after), False, f"class {names[y]} against {against}")

    def entry(self, position: int) -> str:
        if not self.block:
            return f"w[{position}]"
        r, j = divmod(position, self.block)
        return f"W[{r}][{j}]"
