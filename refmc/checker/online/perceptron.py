"""Is this a run of a perceptron? Decided by replaying it; see `replay` for what is right.

Covers [chang, "Recap: The Perceptron Algorithm"], [chang, "Kernel Perceptron Algorithm"] and
[keshet §2.1].

    state   w (and b after it) of the binary perceptron; α of the kernel perceptron; the k rows of W
            of the multi-class perceptron, one after the other
    η       the step size
    binary  wherever y(w·x + b) ≤ 0, w becomes w + ηyx (and b becomes b + ηy)
    kernel  wherever y_j Σ α_i y_i K(x_i, x_j) ≤ 0, α_j becomes α_j + η; with a bias 1 is added to
            every K
    multi   wherever some arg max r of the scores is not y, W_r becomes W_r + ητ_r x; τ is +1 for y,
            and for the others one of the two printed rules or any of the family around them
    E_y     the classes other than y that score more than y, or at least as much: the print has the
            former, which can be empty at a mistake; both are right where they differ

Ties: every arg max may be the predicted class. A binary score of 0 is a mistake, as printed;
`at_zero="either"` also admits a sign(0) that happens to be y.

A run visits the rows of each epoch in turn and may end with any epoch without mistakes. It begins
at 0, or at a given `start`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from refmc.checker.kernels import OnRows, gram_of
from refmc.checker.numbers.arithmetic import rational_dot, sum_of
from refmc.checker.online.replay import Submission
from refmc.checker.online.rules import ClassRule, MarginRule, blocks_of, judge_problem, probes_of
from refmc.checker.online.states import (
    Choice,
    Point,
    Rule,
    RunProblem,
    State,
    Visit,
    changed,
    leaders,
    leads,
)
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict

__all__ = ["PerceptronProblem", "Submission", "Visit", "judge", "rule_of"]

Tau = Literal["chosen_rival", "all_rivals", "any"]


@dataclass(frozen=True, kw_only=True)
class PerceptronProblem(RunProblem, OnRows):
    """One run of perceptron.binary, perceptron.kernel or perceptron.multiclass.

    `gram`, or `kernel` of `X`: for the kernel perceptron. `tau`: the update of the multi-class
    perceptron: "chosen_rival" (−1 for the predicted class), "all_rivals" (−1/|E_y| for each of E_y)
    or "any" (not above 0, only in E_y with ≥, and −1 in all).

    >>> PerceptronProblem(family="perceptron.binary", X=[[1]], y=(1,), visits=(Visit(1, 1, 0),)).tau
    'chosen_rival'
    """

    at_zero: Literal["update", "either"] = "update"
    tau: Tau = "chosen_rival"
    eta: Fraction = Fraction(1)


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
      gap      1, relative none to a scale of 0; allowed 0
      worst    step 2, row 1: w[1] is 1, needs 0 (margin 2: no update)
    """
    rows = problem.X or problem.gram or ()
    return judge_problem(rule_of(problem), given, allowed, rows, problem.eta)


def rule_of(problem: PerceptronProblem) -> Rule:
    """What the algorithm of a problem allows at each visit."""
    if problem.family == "perceptron.multiclass":
        blocks = blocks_of(problem)
        return _Multiclass(problem, blocks, len(blocks[0][0][1]))
    is_kernel = problem.family == "perceptron.kernel"
    probes = _kernel_probes(problem) if is_kernel else probes_of(problem)
    return _Binary(problem, probes, 0, True, problem.at_zero == "either", is_kernel)


def _kernel_probes(problem: PerceptronProblem) -> list[list[Fraction]]:
    """For each row j the numbers y_j y_i K(x_i, x_j), whose inner product with α is the margin."""
    gram, y = gram_of(problem), problem.y
    one = gram.den * problem.bias
    return [
        [Fraction(own * sign * (v + one), gram.den) for v, sign in zip(row, y, strict=True)]
        for row, own in zip(gram.rows, y, strict=True)
    ]


@dataclass(frozen=True)
class _Binary(MarginRule):
    """An update adds ηyx to w, where yx is the row's probe; of α it raises one entry by η."""

    problem: PerceptronProblem
    is_kernel: bool

    def _choice(self, before: Point, visit: Visit, margin: Fraction, pushes: bool) -> Choice:
        def why() -> str:
            return f"margin {short_text(margin)}: {'an' if pushes else 'no'} update"

        if not pushes:
            return Choice(before.state, before.sizes, False, why)
        begin, step = (visit.row, [1]) if self.is_kernel else (0, self.probes[visit.row])
        return Choice(*changed(before, [(begin, self.problem.eta, step)]), True, why, is_sum=True)

    def entry(self, position: int) -> str:
        return f"alpha[{position}]" if self.is_kernel else super().entry(position)


Shares = dict[int, Fraction]
"""τ of the classes that it changes."""


class _Multiclass(ClassRule):
    """An update adds ητ_r x to the block of each class r."""

    problem: PerceptronProblem

    def first(self, before: Point, visit: Visit) -> Choice:
        y = self.problem.y[visit.row]
        scores = [score.value for score in self._scores(before, visit.row)]
        y_hat = scores.index(max(scores))
        if y_hat == y:
            return self._right(before)
        E = [r for r, score in enumerate(scores) if r != y and score >= scores[y]]
        shared = self.problem.tau == "all_rivals"
        return self._update(before, visit.row, _shared(y, E if shared else [y_hat]))

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> list[Choice] | None:
        y, scores = self.problem.y[visit.row], self._scores(before, visit.row)
        tied = leaders(scores, allowed)
        found = [self._right(before)] if y in tied else []
        rivals = [r for r in tied if r != y]
        if not rivals:
            return found
        level = [r for r in range(self.problem.k) if r != y]
        level = [r for r in level if not leads(scores[y], scores[r], allowed)]
        if self.problem.tau == "any":
            if claimed is None:
                return None
            taus = [self._nearest_member(before.state, visit.row, level, claimed)]
        elif self.problem.tau == "chosen_rival":
            taus = [_shared(y, [r]) for r in rivals]
        else:
            # E_y by either print; and E_y as rounding may have changed it for the submitter, which
            # shows in the rows of W that did not change
            above = [r for r in level if leads(scores[r], scores[y], allowed)]
            sets = [tuple(level), tuple(above)]
            if claimed is not None and allowed:
                moved = self._classes_moved(before, claimed, allowed)
                sets.append(tuple(r for r in level if r in above or r in moved))
            taus = [_shared(y, E) for E in dict.fromkeys(sets) if E]
        return [*found, *(self._update(before, visit.row, tau) for tau in taus)]

    def _classes_moved(self, before: Point, claimed: State, allowed: Fraction) -> set[int]:
        """The classes whose weights changed by more than rounding."""
        entries = enumerate(zip(claimed, before.state, before.sizes, strict=True))
        return {j // self.block for j, (a, b, size) in entries if abs(a - b) > allowed * size}

    def _nearest_member(
        self, state: State, row: int, level: Sequence[int], claimed: State
    ) -> Shares:
        """A member of the family close to what was done: what was done itself, if it is one."""
        share = {}
        for r in level:
            begin, x = self.vectors[row][r]
            change = [claimed[j] - state[j] for j in range(begin, begin + len(x))]
            share[r] = max(Fraction(0), -rational_dot(change, x))  # in proportion is enough
        total = sum_of(share.values())
        if not total:
            return _shared(self.problem.y[row], level)
        return {self.problem.y[row]: Fraction(1)} | {r: -v / total for r, v in share.items()}

    def _right(self, before: Point) -> Choice:
        return Choice(before.state, before.sizes, False, lambda: "the class is predicted rightly")

    def _update(self, before: Point, row: int, tau: Shares) -> Choice:
        y, vectors = self.problem.y[row], self.vectors[row]

        def why() -> str:
            against = ", ".join(self.class_name(r) for r in tau if r != y)
            return f"an update of class {self.class_name(y)} against {against}"

        eta = self.problem.eta
        changes = [(vectors[r][0], eta * share, vectors[r][1]) for r, share in tau.items()]
        is_sum = all(abs(share) == 1 for share in tau.values())
        return Choice(*changed(before, changes), True, why, is_sum)


def _shared(y: int, rivals: Sequence[int]) -> Shares:
    """+1 for y, and −1 shared equally by its rivals."""
    return {y: Fraction(1)} | dict.fromkeys(rivals, Fraction(-1, len(rivals)))
