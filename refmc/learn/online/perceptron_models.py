"""Trained perceptrons: what they know, how they predict, how they are saved.

Legend: see `perceptron`, which trains them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any, Generic

from refmc.core.linalg import dot, total
from refmc.core.predicting import ByDecision, ByScores, check_width
from refmc.core.records import Record
from refmc.core.sample import Label, Row, read_row
from refmc.core.saving import SavedFields, model_text, read_saved
from refmc.core.scalars import S, sign
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.errors import FormatError
from refmc.learn.online.runs import Average, RunningMean, Vectors, Visit
from refmc.theory.grams import kernel_values
from refmc.theory.kernel_saving import read_kernel_and_rows, saved_kernel
from refmc.theory.kernels import Kernel

BINARY, KERNEL, MULTICLASS = "perceptron", "kernel-perceptron", "multiclass-perceptron"
VERSION, KERNEL_VERSION = 1, 2


@dataclass(frozen=True)
class Course:
    """How a perceptron's training went.

    `mistakes`: the visits that led to an update, in order. `visits`: T, all looks at a row.
    `epochs`: how many were begun. `converged`: the last of them made no mistake.
    """

    mistakes: tuple[Visit, ...]
    visits: int
    epochs: int

    @property
    def converged(self) -> bool:
        """Whether the last epoch made no mistake; without any epoch, no."""
        last = self.mistakes[-1].epoch if self.mistakes else 0
        return last < self.epochs

    def survivals(self) -> tuple[int, ...]:
        """How many visits each weight vector outlasted: first that of the start, then one a
        mistake, each beginning with the visit that made it. They sum to T.

        >>> Course((Visit(2, 1, 1),), visits=5, epochs=2).survivals()
        (1, 4)
        """
        times = [1, *(visit.t for visit in self.mistakes), self.visits + 1]
        return tuple(after - before for before, after in pairwise(times))

    def parts(self) -> dict[str, Any]:
        """The course as parts of a saved model."""
        mistakes = [(visit.t, visit.epoch, visit.row) for visit in self.mistakes]
        return {"mistakes": mistakes, "visits": self.visits, "epochs": self.epochs}


class Training(Generic[S]):
    """What is kept of a training while it goes on: its course, and the states that it passed.

    `start` is the state before the first visit; its average and all states are kept if wanted.
    """

    def __init__(self, start: Vectors[S], average: Average | None, voted: bool, zero: S) -> None:
        self._state: Vectors[S] = start
        self._voted = voted
        self._mean: RunningMean[S] | None = None if average is None else RunningMean(average, zero)
        self._mistakes: list[Visit] = []
        self._last = Visit(0, 0, 0)
        self.voters: list[Vectors[S]] = [start] if voted else []

    def see(self, visit: Visit, changed: Vectors[S] | None) -> None:
        """Keep a visit, and the state that it led to if it was a mistake."""
        self._last = visit
        if changed is not None:
            self._state = changed
            self._mistakes.append(visit)
            if self._voted:
                self.voters.append(changed)
        if self._mean is not None:
            self._mean.count(visit.t, self._state)

    def course(self) -> Course:
        return Course(tuple(self._mistakes), self._last.t, self._last.epoch)

    def result(self) -> Vectors[S]:
        """The last state, or the average of all."""
        if self._mean is None or not self._last.t:
            return self._state
        return self._mean.value()


@dataclass(frozen=True)
class Voter(Generic[S]):
    """One of the weight vectors that a training passed through, with its votes."""

    w: tuple[S, ...]
    b: S
    votes: int


@dataclass(frozen=True)
class MulticlassVoter(Generic[S]):
    """One of the weight matrices that a training passed through, with its votes."""

    W: tuple[tuple[S, ...], ...]
    votes: int


@dataclass(frozen=True)
class Perceptron(ByDecision[S]):
    """A trained binary perceptron; see `fit_perceptron`.

    `classes`: (negative, positive). `w`, `b`: the last or averaged weights. `voters`: all weight
    vectors with their votes if training was `voted`, else none.
    """

    classes: tuple[Label, ...]
    w: tuple[S, ...]
    b: S
    voters: tuple[Voter[S], ...]
    course: Course
    zero: S
    tie: TiePolicy

    def decision(self, x: Row) -> S:
        """w·x + b, or the votes for positive minus those against."""
        return self._decision(read_row(x, self.zero, "x"))

    def _decision(self, x: Sequence[S]) -> S:
        check_width(x, len(self.w))
        if not self.voters:
            return dot(self.w, x, self.zero) + self.b
        signs = [sign(dot(voter.w, x, self.zero) + voter.b) for voter in self.voters]
        return self.zero + sum(s * voter.votes for s, voter in zip(signs, self.voters))

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved."""
        voters = [{"w": v.w, "b": v.b, "votes": v.votes} for v in self.voters]
        parts = {"w": self.w, "b": self.b, "voters": voters} | self.course.parts()
        return model_text(BINARY, VERSION, self.zero, self.classes, parts)


@dataclass(frozen=True)
class KernelPerceptron(ByDecision[S]):
    """A trained kernel perceptron; see `fit_kernel_perceptron`.

    `alpha`: for each row the number of its mistakes, added to `start`, or that averaged. `b`: the
    bias, 0 unless it was asked for. `y`: the training labels as ±1. `rows`: the training rows, None
    if a Gram matrix was given. `voted`: every weight vector on the way votes.
    """

    classes: tuple[Label, ...]
    start: tuple[S, ...]
    alpha: tuple[S, ...]
    b: S
    y: tuple[int, ...]
    kernel: Kernel | None
    rows: tuple[tuple[S, ...], ...] | None
    bias: bool
    voted: bool
    course: Course
    zero: S
    tie: TiePolicy

    def decision(self, x: Row) -> S:
        """Σ α_i y_i K(x_i, x) + b, or the votes for positive minus those against.

        x: d numbers, or K(x_i, x) for each row i if the model came from a Gram matrix.
        """
        return self._decision(read_row(x, self.zero, "x"))

    def _decision(self, x: Sequence[S]) -> S:
        check_width(x, len(self.y) if self.rows is None else len(self.rows[0]))
        changed = {visit.row for visit in self.course.mistakes}
        used = [i for i, begun in enumerate(self.start) if begun or i in changed]
        values = kernel_values(self.kernel, self.rows, used, x, self.zero)
        if self.voted:
            return self._votes(dict(zip(used, values)))
        return dot([self.alpha[i] * self.y[i] for i in used], values, self.zero) + self.b

    def _votes(self, value: dict[int, S]) -> S:
        """The votes, from the scores of all weight vectors: running sums over the mistakes."""
        score = {i: self.y[i] * (K + self.zero + self.bias) for i, K in value.items()}
        first_score = dot([self.start[i] for i in score], list(score.values()), self.zero)
        changes = [score[visit.row] for visit in self.course.mistakes]
        scores = accumulate(changes, initial=first_score)
        return self.zero + sum(sign(s) * votes for s, votes in zip(scores, self.course.survivals()))

    def to_json(self) -> str:
        """The model as readable JSON; the kernel must be one of refmc's, else `ParameterError`.
        The tie policy is not saved.
        """
        parts = {
            "kernel": saved_kernel(self.kernel),
            "start": self.start,
            "alpha": self.alpha,
            "b": self.b,
            "y": self.y,
            "bias": self.bias,
            "voted": self.voted,
            "rows": self.rows,
        }
        parts |= self.course.parts()
        return model_text(KERNEL, KERNEL_VERSION, self.zero, self.classes, parts)


@dataclass(frozen=True)
class MulticlassPerceptron(ByScores[S]):
    """A trained multi-class perceptron; see `fit_multiclass_perceptron`.

    `W`: one weight vector a class, the last or averaged ones. `voters`: all weight matrices with
    their votes if training was `voted`, else none.
    """

    classes: tuple[Label, ...]
    W: tuple[tuple[S, ...], ...]
    voters: tuple[MulticlassVoter[S], ...]
    course: Course
    zero: S
    tie: TiePolicy

    def scores(self, x: Row) -> tuple[S, ...]:
        """w^r·x for each class r, or its votes; a voter with tied classes splits its votes."""
        return self._scores(read_row(x, self.zero, "x"))

    def _scores(self, x: Sequence[S]) -> tuple[S, ...]:
        check_width(x, len(self.W[0]))
        if not self.voters:
            return tuple(dot(w, x, self.zero) for w in self.W)
        ballots = [
            (argmax_set(tuple(dot(w, x, self.zero) for w in voter.W)), voter.votes)
            for voter in self.voters
        ]
        return tuple(
            total(
                ((self.zero + votes) / len(tied) for tied, votes in ballots if r in tied), self.zero
            )
            for r in range(len(self.classes))
        )

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved."""
        voters = [{"W": v.W, "votes": v.votes} for v in self.voters]
        parts = {"W": self.W, "voters": voters} | self.course.parts()
        return model_text(MULTICLASS, VERSION, self.zero, self.classes, parts)


_COURSE = ("mistakes", "visits", "epochs")


def _course(fields: SavedFields, rows: int | None) -> Course:
    """The course of a saved model, whose mistakes must lie in order, in `rows` rows if known."""
    course = Course(
        tuple(_visit(entry) for entry in fields.entries("mistakes")),
        fields.whole("visits"),
        fields.whole("epochs"),
    )
    times = [0, *(visit.t for visit in course.mistakes), course.visits + 1]
    epochs = [visit.epoch for visit in course.mistakes]
    fits = all(1 <= epoch <= course.epochs for epoch in epochs) and epochs == sorted(epochs)
    if times != sorted(set(times)) or not fits or course.visits < course.epochs:
        raise FormatError("model.mistakes: expected visits in order, within visits and epochs")
    if rows is not None and any(visit.row >= rows for visit in course.mistakes):
        raise FormatError(f"model.mistakes: expected rows below {rows}")
    return course


def _visit(entry: object) -> Visit:
    if not (
        isinstance(entry, list)
        and len(entry) == 3
        and all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in entry)
    ):
        raise FormatError("model.mistakes: expected lists of three whole numbers: t, epoch, row")
    return Visit(*entry)


def perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> Perceptron[float] | Perceptron[Fraction]:
    """The model that `Perceptron.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, BINARY, VERSION, ["w", "b", "voters", *_COURSE])
    classes, course = fields.two_classes(), _course(fields, None)
    w = fields.row("w")
    voters: list[Voter[Any]] = []
    for entry in fields.entries("voters"):
        inner = fields.inner("voters", entry, ["w", "b", "votes"])
        voters.append(Voter(inner.row("w"), inner.number("b"), inner.whole("votes")))
    if any(len(voter.w) != len(w) for voter in voters):
        raise FormatError(f"model.voters: expected weights of {len(w)} numbers, as w has")
    _expect_votes([voter.votes for voter in voters], course)
    model: Perceptron[Any] = Perceptron(
        classes, w, fields.number("b"), tuple(voters), course, fields.zero, tie
    )
    return model


def kernel_perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> KernelPerceptron[float] | KernelPerceptron[Fraction]:
    """The model that `KernelPerceptron.to_json` wrote; `FormatError` names the wrong field."""
    names = ["kernel", "alpha", "b", "y", "bias", "voted", "rows", *_COURSE]
    fields = read_saved(record, KERNEL, KERNEL_VERSION, names, added=["start"])
    classes = fields.two_classes()
    alpha, y = fields.row("alpha"), fields.entries("y")
    start = fields.completed(start=[0] * len(alpha)).row("start")
    if len(start) != len(alpha):
        raise FormatError(f"model.start: expected {len(alpha)} numbers, as alpha has")
    if any(type(sign) is not int or sign not in (-1, 1) for sign in y) or len(y) != len(alpha):
        raise FormatError(f"model.y: expected {len(alpha)} signs, -1 or 1, as alpha has numbers")
    kernel, rows = read_kernel_and_rows(fields)
    if rows is not None and len(rows) != len(y):
        raise FormatError(f"model.rows: expected {len(y)} rows, one for each y, got {len(rows)}")
    model: KernelPerceptron[Any] = KernelPerceptron(
        classes=classes,
        start=start,
        alpha=alpha,
        b=fields.number("b"),
        y=tuple(y),
        kernel=kernel,
        rows=rows,
        bias=fields.flag("bias"),
        voted=fields.flag("voted"),
        course=_course(fields, len(y)),
        zero=fields.zero,
        tie=tie,
    )
    return model


def multiclass_perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> MulticlassPerceptron[float] | MulticlassPerceptron[Fraction]:
    """The model that `MulticlassPerceptron.to_json` wrote; `FormatError` names the wrong field."""
    fields = read_saved(record, MULTICLASS, VERSION, ["W", "voters", *_COURSE])
    course = _course(fields, None)
    W = fields.rows("W")
    voters: list[MulticlassVoter[Any]] = []
    for entry in fields.entries("voters"):
        inner = fields.inner("voters", entry, ["W", "votes"])
        voters.append(MulticlassVoter(inner.rows("W"), inner.whole("votes")))
    for V in (W, *(voter.W for voter in voters)):
        if len(V) != len(fields.classes) or len(V[0]) != len(W[0]):
            raise FormatError("model: expected weights of one length, a row for each class")
    _expect_votes([voter.votes for voter in voters], course)
    model: MulticlassPerceptron[Any] = MulticlassPerceptron(
        fields.classes, W, tuple(voters), course, fields.zero, tie
    )
    return model


def _expect_votes(votes: list[int], course: Course) -> None:
    if votes and tuple(votes) != course.survivals():
        raise FormatError("model.voters: expected the votes that mistakes and visits give")
