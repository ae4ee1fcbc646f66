"""What the problems and the rules of perceptrons and of descent have in common."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from refmc.checker.numbers.arithmetic import Rows
from refmc.checker.online.replay import Submission, judge_run
from refmc.checker.online.states import (
    Choice,
    Point,
    Rule,
    RunProblem,
    Score,
    State,
    Visit,
    leaders,
    reach,
    sides,
    start_of,
)
from refmc.checker.parts import Part, combined, counted
from refmc.checker.verdict import Verdict

LEAST_NORMAL = Fraction(1, 2**1022)

UNDERFLOW = "a product below 2^-1022 loses digits in floats; multiply the rows, or judge with gap 0"


def judge_problem(
    rule: Rule, given: Submission, allowed: Fraction, rows: Rows, step: Fraction
) -> Verdict:
    """The verdict on what was submitted of a run whose smallest step is `step` times a row.

    The reach is relative, so that it doesn't hold what underflows: then nothing is refuted, unless
    nothing is allowed.
    """
    problem = rule.problem
    sizes = [counted(len(problem.y), "row"), counted(len(problem.visits), "step")]
    if problem.family.endswith(".multiclass"):
        sizes.insert(1, counted(problem.k, "class", "classes"))
    parts = judge_run(rule, given, allowed)
    least = Fraction(min((v if v > 0 else -v for row in rows for v in row if v), default=1))
    if allowed and 0 < step * least * min(least, Fraction(1)) < LEAST_NORMAL:
        parts = [
            p if p.status == "VERIFIED" else Part("INCONCLUSIVE", hint=UNDERFLOW) for p in parts
        ]
    return combined(problem.family, ", ".join(sizes), parts, allowed)


def probes_of(problem: RunProblem) -> list[list[Fraction | int]]:
    """For each row yx, or (yx, y) with a bias: its inner product with the state is the margin."""
    assert problem.X is not None
    signed = zip(problem.X, problem.y, strict=True)
    rows = (((*row, 1) if problem.bias else row, sign) for row, sign in signed)
    return [[v if sign > 0 else -v for v in row] for row, sign in rows]


Vectors = Sequence[Sequence[tuple[int, Sequence[Fraction | int]]]]
"""For each row and class a vector, and the position in the state where it begins: its inner product
with the state from there on is the score of the class."""


def blocks_of(problem: RunProblem) -> Vectors:
    """The vectors of a state that has a block of weights for each class, one after the other."""
    assert problem.X is not None
    return [[(r * len(x), x) for r in range(problem.k)] for x in problem.X]


@dataclass(frozen=True)
class MarginRule:
    """A rule of two labels: at each visit the margin of the row decides between two choices.

    The margin is the inner product of the state with the row's probe. Below the `threshold` the
    state is pushed towards the row, above it is not. `pushes_at`: what the print does at the
    threshold itself; `either`: whether the opposite is admitted there as well.
    """

    problem: RunProblem
    probes: Sequence[Sequence[Fraction | int]]
    threshold: int
    pushes_at: bool
    either: bool

    @property
    def start(self) -> Point:
        return start_of(self.problem.start, len(self.probes[0]), self.problem.are_dyadic)

    def first(self, before: Point, visit: Visit) -> Choice:
        margin = Score(before, self.probes[visit.row]).value
        pushes = self.pushes_at if margin == self.threshold else margin < self.threshold
        return self._choice(before, visit, margin, pushes)

    def choices(
        self, before: Point, visit: Visit, allowed: Fraction, claimed: State | None
    ) -> list[Choice]:
        score = Score(before, self.probes[visit.row])
        apart = score.value - self.threshold
        off = reach(allowed, apart, score)
        # how far the margin lies on the side that the threshold itself belongs to
        inside = -apart if self.pushes_at else apart
        admitted = [self.pushes_at] * (inside >= -off)
        admitted += [not self.pushes_at] * (inside < off or (self.either and inside == off))
        return [self._choice(before, visit, score.value, pushes) for pushes in admitted]

    def winners(self, point: Point, row: int, allowed: Fraction) -> tuple[int, ...]:
        return sides(Score(point, self.probes[row]), self.problem.y[row], allowed)

    def _choice(self, before: Point, visit: Visit, margin: Fraction, pushes: bool) -> Choice:
        raise NotImplementedError

    def entry(self, position: int) -> str:
        is_bias = self.problem.bias and position == len(self.probes[0]) - 1
        return "b" if is_bias else f"w[{position}]"

    def class_name(self, r: int) -> str:
        return self.problem.classes[r] if self.problem.classes else str(2 * r - 1)


@dataclass(frozen=True)
class ClassRule:
    """A rule of k classes, which their scores decide.

    `block`: how many entries of the state belong to each class, 0 where all belong to all classes.
    """

    problem: RunProblem
    vectors: Vectors
    block: int

    @property
    def start(self) -> Point:
        width = self.problem.k * self.block or len(self.vectors[0][0][1])
        return start_of(self.problem.start, width, self.problem.are_dyadic)

    def winners(self, point: Point, row: int, allowed: Fraction) -> tuple[int, ...]:
        return leaders(self._scores(point, row), allowed)

    def _scores(self, point: Point, row: int) -> list[Score]:
        return [Score(point, vector, begin) for begin, vector in self.vectors[row]]

    def entry(self, position: int) -> str:
        if not self.block:
            return f"w[{position}]"
        r, j = divmod(position, self.block)
        return f"W[{r}][{j}]"

    def class_name(self, r: int) -> str:
        return self.problem.classes[r] if self.problem.classes else str(r)
