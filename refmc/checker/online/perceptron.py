"""Is this a run of a perceptron? Decided by replaying it; see `replay` for what is right.

Covers [chang, "Recap: The Perceptron Algorithm"], [chang, "Kernel Perceptron Algorithm"] and
[keshet §2.1].

    state   w (and b after it) of the binary perceptron; α of the kernel perceptron; the k rows of W
            of the multi-class perceptron, one after the other
    binary  wherever y(w·x + b) ≤ 0, w becomes w + yx (and b becomes b + y)
    kernel  wherever y_j Σ α_i y_i K(x_i, x_j) ≤ 0, α_j becomes α_j + 1; with a bias 1 is added to
            every K
    multi   wherever some arg max r of the scores is not y, W_r becomes W_r + τ_r x; τ is +1 for y,
            and for the others one of the two printed rules or any of the family around them
    E_y     the classes other than y that score more than y, or at least as much: the print has the
            former, which can be empty at a mistake; both are right where they differ

Ties: every arg max may be the predicted class. A binary score of 0 is a mistake, as printed;
`at_zero="either"` also admits a sign(0) that happens to be y.

A run visits the rows of each epoch in turn and may end with any epoch without mistakes. It begins
at 0, or at a given `start`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from refmc.checker.kernels import LINEAR, Kernel, gram_of
from refmc.checker.numbers.arithmetic import Rows, rational_dot
from refmc.checker.online.replay import Course, Submission, judge_run, summary_of
from refmc.checker.online.states import (
    Average,
    Choice,
    Point,
    Rule,
    State,
    Visit,
    doubt,
    sized_dot,
    start_of,
)
from refmc.checker.parts import combined
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict

__all__ = ["PerceptronProblem", "Submission", "Visit", "course_of", "judge", "rule_of"]

Family = Literal["perceptron.binary", "perceptron.kernel", "perceptron.multiclass"]
Tau = Literal["chosen_rival", "all_rivals", "any"]


@dataclass(frozen=True, kw_only=True)
class PerceptronProblem:
    """One run: rows or a Gram matrix, labels, and the visits to rows in their order.

    `average`: the end is the mean of the states after all visits. `voted`: labels are predicted by
    the votes of these states.

    `y`: −1 or +1 for the binary families, 0-based classes of `k` otherwise. `tau`: the update of
    the multi-class perceptron: "chosen_rival" (−1 for the predicted class), "all_rivals" (−1/|E_y|
    for each of E_y) or "any" (not above 0, only in E_y with ≥, and −1 in all).

    >>> PerceptronProblem(family="perceptron.binary", X=[[1]], y=(1,), visits=(Visit(1, 1, 0),)).tau
    'chosen_rival'
    """

    family: Family
    X: Rows | None = None
    gram: Rows | None = None
    kernel: Kernel = LINEAR
    y: tuple[int, ...]
    k: int = 2
    visits: tuple[Visit, ...]
    bias: bool = False
    at_zero: Literal["update", "either"] = "update"
    tau: Tau = "chosen_rival"
    start: State | None = None
    average: Average | None = None
    voted: bool = False
    classes: tuple[str, ...] = ()


def judge(problem: PerceptronProblem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge a trace (a state after each step), an end, the mistakes of each epoch, or labels.

    An end, mistakes or labels without a trace are compared with those of the reference run, and
    then with those of all runs that the ties admit; with too many of them, or for `tau` "any",
    INCONCLUSIVE. The reference run predicts the first of tied classes, takes a score of 0 for a
    mistake, and for the `tau` "any" that of "chosen_rival".

    >>> run = PerceptronProblem(family="perceptron.binary", X=[[1, 0], [2, 1]], y=(1, 1),
    ...               visits=(Visit(1, 1, 0), Visit(2, 1, 1)))
    >>> w = (Fraction(1), Fraction(0))
    >>> print(judge(run, Submission(trace=[w, w], mistakes=(1,)), allowed=Fraction(0)).explain())
    VERIFIED  perceptron.binary  2 rows, 2 steps
      gap      0 (exactly right); allowed 0
    >>> wrong = (Fraction(3), Fraction(1))
    >>> print(judge(run, Submission(trace=[w, wrong]), allowed=Fraction(0)).explain())
    REFUTED  perceptron.binary  2 rows, 2 steps
      gap      1, relative none to an optimum of 0; allowed 0
      worst    step 2, row 1: w[1] is 1, needs 0 (margin 2: no update)
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    k = problem.k if problem.family.endswith(".multiclass") else None
    parts = judge_run(rule_of(problem), course_of(problem), given, allowed)
    summary = summary_of(len(problem.y), k, len(problem.visits))
    return combined(problem.family, summary, parts, allowed)


def course_of(problem: PerceptronProblem) -> Course:
    """The visits of a problem, and what its run comes to."""
    return Course(problem.visits, True, problem.average, problem.voted)


def rule_of(problem: PerceptronProblem) -> Rule:
    """What the algorithm of a problem allows at each visit."""
    if problem.family == "perceptron.multiclass":
        if problem.X is None:
            raise ValueError("a multi-class run needs X")
        rows = tuple(tuple(map(Fraction, row)) for row in problem.X)
        return _Multiclass(problem, rows)
    if problem.family == "perceptron.binary":
        if problem.X is None:
            raise ValueError("a binary run needs X")
        signed = zip(problem.X, problem.y, strict=True)
        probes = [[sign * Fraction(v) for v in (*row, *[1] * problem.bias)] for row, sign in signed]
        return _Binary(problem, tuple(map(tuple, probes)), None)
    return _Binary(problem, _kernel_probes(problem), "alpha")


def _kernel_probes(problem: PerceptronProblem) -> tuple[State, ...]:
    """For each row j the numbers y_j y_i K(x_i, x_j), of which α takes the inner product."""
    gram, one = gram_of(problem), int(problem.bias)
    return tuple(
        tuple(own * sign * (gram.entry(j, i) + one) for i, sign in enumerate(problem.y))
        for j, own in enumerate(problem.y)
    )


@dataclass(frozen=True)
class _Binary:
    """The margin of a row is the inner product of the state with its probe."""

    problem: PerceptronProblem
    probes: tuple[State, ...]
    name: str | None  # None: the weights, to which the probe itself is added

    @property
    def start(self) -> Point:
        return start_of(self.problem.start, len(self.probes[0]))

    def first(self, before: Point, visit: Visit) -> Choice:
        margin = rational_dot(before.state, self.probes[visit.row])
        return self._choice(before, visit, margin, margin <= 0)

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> list[Choice]:
        margin, reach = self._margin(before, visit.row, allowed)
        either = self.problem.at_zero == "either"
        admitted = [True] * (margin <= reach)
        admitted += [False] * (margin > -reach or (either and margin == -reach))
        return [self._choice(before, visit, margin, mistake) for mistake in admitted]

    def winners(self, point: Point, row: int, allowed: Fraction) -> tuple[int, ...]:
        margin, reach = self._margin(point, row, allowed)
        own = int(self.problem.y[row] > 0)
        if abs(margin) <= reach:
            return 0, 1
        return (own if margin > 0 else 1 - own,)

    def _margin(self, point: Point, row: int, allowed: Fraction) -> tuple[Fraction, Fraction]:
        """The margin of a row, and what it may be off."""
        probe = self.probes[row]
        margin = rational_dot(point.state, probe)
        reach = allowed * sized_dot(point.sizes, probe)
        if abs(margin) <= reach:
            reach = doubt(point, list(zip(point.state, probe, strict=True)), reach)
        return margin, reach

    def _choice(self, before: Point, visit: Visit, margin: Fraction, mistake: bool) -> Choice:
        def why() -> str:
            return f"margin {short_text(margin)}: {'an' if mistake else 'no'} update"

        if not mistake:
            return Choice(before.state, before.sizes, False, why)
        step = self.probes[visit.row]
        if self.name is not None:
            step = tuple(Fraction(i == visit.row) for i in range(len(step)))
        after = tuple(v + u for v, u in zip(before.state, step, strict=True))
        sizes = tuple(v + abs(u) for v, u in zip(before.sizes, step, strict=True))
        return Choice(after, sizes, True, why)

    def entry(self, position: int) -> str:
        if self.name is None and self.problem.bias and position == len(self.probes[0]) - 1:
            return "b"
        return f"{self.name or 'w'}[{position}]"

    def class_name(self, r: int) -> str:
        return self.problem.classes[r] if self.problem.classes else str(2 * r - 1)


Shares = dict[int, Fraction]
"""τ of the classes that it changes."""


@dataclass(frozen=True)
class _Multiclass:
    """The state holds k rows of d numbers."""

    problem: PerceptronProblem
    rows: tuple[State, ...]

    @property
    def start(self) -> Point:
        return start_of(self.problem.start, self.problem.k * len(self.rows[0]))

    def first(self, before: Point, visit: Visit) -> Choice:
        y = self.problem.y[visit.row]
        scores = self._scores(before, visit.row)
        y_hat = scores.index(max(scores))
        if y_hat == y:
            return self._right(before)
        E = tuple(r for r, score in enumerate(scores) if r != y and score >= scores[y])
        shared = self.problem.tau == "all_rivals"
        return self._update(before, visit.row, _shared(y, E if shared else (y_hat,)))

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> list[Choice] | None:
        y, classes = self.problem.y[visit.row], range(self.problem.k)
        scores = self._scores(before, visit.row)
        below = self._below(before, visit.row, scores, allowed)
        tied = _largest(scores, below)
        found = [self._right(before)] if y in tied else []
        rivals = [r for r in tied if r != y]
        if not rivals:
            return found
        level = tuple(r for r in classes if r != y and not below(r, y))
        if self.problem.tau == "any":
            if claimed is None:
                return None
            taus = [self._nearest_member(before.state, visit.row, level, claimed)]
        elif self.problem.tau == "chosen_rival":
            taus = [_shared(y, (r,)) for r in rivals]
        else:
            above = tuple(r for r in level if below(y, r))
            sets = [level, above]
            if claimed is not None and allowed:
                kept = self._rows_kept(before, claimed, allowed)
                sets.append(tuple(r for r in level if r in above or r not in kept))
            taus = [_shared(y, E) for E in dict.fromkeys(sets) if E]
        return [*found, *(self._update(before, visit.row, tau) for tau in taus)]

    def winners(self, point: Point, row: int, allowed: Fraction) -> tuple[int, ...]:
        scores = self._scores(point, row)
        return _largest(scores, self._below(point, row, scores, allowed))

    def _scores(self, before: Point, row: int) -> list[Fraction]:
        x, d = self.rows[row], len(self.rows[row])
        rows = (before.state[r * d : (r + 1) * d] for r in range(self.problem.k))
        return [rational_dot(w, x) for w in rows]

    def _below(
        self, before: Point, row: int, scores: Sequence[Fraction], allowed: Fraction
    ) -> Callable[[int, int], bool]:
        """Whether a first class scores less than a second one, beyond doubt."""
        x, d = self.rows[row], len(self.rows[row])
        sizes = [sized_dot(before.sizes[r * d : (r + 1) * d], x) for r in range(self.problem.k)]

        def terms(r: int) -> list[tuple[Fraction, Fraction]]:
            return list(zip(before.state[r * d : (r + 1) * d], x, strict=True))

        def below(r: int, q: int) -> bool:
            apart = scores[q] - scores[r]
            reach = allowed * (sizes[r] + sizes[q])
            if abs(apart) <= reach:
                reach = doubt(before, [*terms(r), *terms(q)], reach)
            return apart > reach

        return below

    def _rows_kept(self, before: Point, claimed: State, allowed: Fraction) -> set[int]:
        """The classes whose weights did not change, as far as can be told."""
        d = len(self.rows[0])
        return {
            r
            for r in range(self.problem.k)
            if all(
                abs(claimed[j] - before.state[j]) <= allowed * before.sizes[j]
                for j in range(r * d, (r + 1) * d)
            )
        }

    def _nearest_member(
        self, state: State, row: int, level: Sequence[int], claimed: State
    ) -> Shares:
        """A member of the family close to what was done: what was done itself, if it is one."""
        x, d = self.rows[row], len(self.rows[row])
        share = {}
        for r in level:
            change = [claimed[j] - state[j] for j in range(r * d, (r + 1) * d)]
            share[r] = max(Fraction(0), -rational_dot(change, x))  # in proportion is enough
        total = sum(share.values(), Fraction(0))
        if not total:
            share, total = dict.fromkeys(share, Fraction(1)), Fraction(len(share))
        return {self.problem.y[row]: Fraction(1)} | {r: -v / total for r, v in share.items()}

    def _right(self, before: Point) -> Choice:
        return Choice(before.state, before.sizes, False, lambda: "the class is predicted rightly")

    def _update(self, before: Point, row: int, tau: Shares) -> Choice:
        x, y, d = self.rows[row], self.problem.y[row], len(self.rows[row])
        state, sizes = list(before.state), list(before.sizes)
        for r, factor in tau.items():
            for j, v in enumerate(x, r * d):
                state[j] += factor * v
                sizes[j] += abs(factor * v)

        def why() -> str:
            against = ", ".join(self.class_name(r) for r in sorted(tau) if r != y)
            return f"an update of class {self.class_name(y)} against {against}"

        return Choice(tuple(state), tuple(sizes), True, why)

    def class_name(self, r: int) -> str:
        return self.problem.classes[r] if self.problem.classes else str(r)

    def entry(self, position: int) -> str:
        r, j = divmod(position, len(self.rows[0]))
        return f"W[{r}][{j}]"


def _largest(scores: Sequence[Fraction], below: Callable[[int, int], bool]) -> tuple[int, ...]:
    """The positions that are below no other beyond doubt."""
    best = scores.index(max(scores))
    near = [r for r in range(len(scores)) if not below(r, best)]
    return tuple(r for r in near if not any(below(r, q) for q in near))


def _shared(y: int, rivals: Sequence[int]) -> Shares:
    """+1 for y, and −1 shared equally by its rivals."""
    return {y: Fraction(1)} | dict.fromkeys(rivals, Fraction(-1, len(rivals)))
