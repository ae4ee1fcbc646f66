"""Trained perceptrons: what they know, how they predict, how they are saved.

Legend: w, b, or W with a row w^r for each class r, the weights; α_i the mistakes made on row i,
y_i its sign; η the step size. A voter is a state that a voted training passed through; it has one
vote for each visit that it lasted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import Any, Generic

from refmc.core.linalg import dot, total
from refmc.core.predicting import ByDecision, ByScores
from refmc.core.records import Record
from refmc.core.sample import Label, check_count
from refmc.core.saving import model_text, read_saved
from refmc.core.scalars import S, sign
from refmc.core.ties import TiePolicy, argmax_set, first
from refmc.drawn import Exported
from refmc.errors import FormatError
from refmc.learn.online.perceptron_course import COURSE, Course, expect_votes, read_course
from refmc.theory.grams import kernel_values
from refmc.theory.kernel_saving import read_kernel_and_rows, saved_kernel
from refmc.theory.kernels import Kernel

BINARY, KERNEL, MULTICLASS = "perceptron", "kernel-perceptron", "multiclass-perceptron"
VERSION, KERNEL_VERSION = 1, 3


@dataclass(frozen=True)
class Voter(Generic[S]):
    """A weight vector that a training passed through, its bias, and its votes."""

    w: tuple[S, ...]
    b: S
    votes: int


@dataclass(frozen=True)
class MulticlassVoter(Generic[S]):
    """A weight matrix that a training passed through, with its votes."""

    W: tuple[tuple[S, ...], ...]
    votes: int


@dataclass(frozen=True)
class Perceptron(Exported, ByDecision[S]):
    """A trained binary perceptron; see `fit_perceptron`.

    `classes`: (negative, positive). `w`, `b`: the last weights, or the averaged ones. `voters`:
    all weight vectors with their votes if training was `voted`, else none. `decision(x)` is
    w·x + b, or the votes for the positive class minus those for the negative one.
    """

    classes: tuple[Label, ...]
    w: tuple[S, ...]
    b: S
    voters: tuple[Voter[S], ...]
    course: Course
    zero: S
    tie: TiePolicy

    def _decision(self, x: Sequence[S]) -> S:
        check_count(x, len(self.w))
        if not self.voters:
            return dot(self.w, x, self.zero) + self.b
        signs = [sign(dot(voter.w, x, self.zero) + voter.b) for voter in self.voters]
        return self.zero + sum(s * voter.votes for s, voter in zip(signs, self.voters))

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved."""
        voters = list(map(vars, self.voters))
        parts = {"w": self.w, "b": self.b, "voters": voters} | vars(self.course)
        return model_text(BINARY, VERSION, self.zero, self.classes, parts)


@dataclass(frozen=True)
class KernelPerceptron(Exported, ByDecision[S]):
    """A trained kernel perceptron; see `fit_kernel_perceptron`.

    `alpha`: for each row `start` plus `eta` times the number of mistakes on it, or the average of
    that over the visits. `b`: the bias, 0 unless one was asked for. `y`: the training labels as ±1.
    `rows`: the training rows, None if a Gram matrix was given. `voted`: whether all states on the
    way vote.
    `decision(x)` is Σ α_i y_i K(x_i, x) + b, or the votes for the positive class minus those for
    the negative one; x has d numbers, or is the row of the values K(x_i, x) if the model came from
    a Gram matrix.
    """

    classes: tuple[Label, ...]
    start: tuple[S, ...]
    eta: S
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

    def _decision(self, x: Sequence[S]) -> S:
        check_count(x, len(self.y) if self.rows is None else len(self.rows[0]))
        changed = {visit.row for visit in self.course.mistakes}
        begun = zip(self.start, self.alpha)
        used = [i for i, weights in enumerate(begun) if any(weights) or i in changed]
        values = kernel_values(self.kernel, self.rows, used, x, self.zero)
        if self.voted:
            return self._votes(dict(zip(used, values)))
        return dot([self.alpha[i] * self.y[i] for i in used], values, self.zero) + self.b

    def _votes(self, value: dict[int, S]) -> S:
        """The votes of all states, from the kernel value K(x_i, x) of each row i that is used.

        Each mistake adds ηy_i K(x_i, x) to the score of x, so that the scores by all states are the
        running sums over the mistakes: one pass, where a state by itself would take O(m).
        """
        score = {i: self.y[i] * (K + self.bias) for i, K in value.items()}
        first_score = dot([self.start[i] for i in score], list(score.values()), self.zero)
        changes = [self.eta * score[visit.row] for visit in self.course.mistakes]
        scores = accumulate(changes, initial=first_score)
        return self.zero + sum(sign(s) * votes for s, votes in zip(scores, self.course.survivals()))

    def to_json(self) -> str:
        """The model as readable JSON; the kernel must be one of refmc's, else `ParameterError`.
        The tie policy is not saved.
        """
        names = ("start", "eta", "alpha", "b", "y", "bias", "voted", "rows")
        parts = {"kernel": saved_kernel(self.kernel)} | {n: getattr(self, n) for n in names}
        parts |= vars(self.course)
        return model_text(KERNEL, KERNEL_VERSION, self.zero, self.classes, parts)


@dataclass(frozen=True)
class MulticlassPerceptron(Exported, ByScores[S]):
    """A trained multi-class perceptron; see `fit_multiclass_perceptron`.

    `W`: a weight vector for each class, the last or the averaged one. `voters`: all weight
    matrices with their votes if training was `voted`, else none. `scores(x)` are w^r·x for each
    class r, or its votes; a voter for which several classes are tied gives each an equal part.
    """

    classes: tuple[Label, ...]
    W: tuple[tuple[S, ...], ...]
    voters: tuple[MulticlassVoter[S], ...]
    course: Course
    zero: S
    tie: TiePolicy

    def _scores(self, x: Sequence[S]) -> tuple[S, ...]:
        check_count(x, len(self.W[0]))
        if not self.voters:
            return tuple(dot(w, x, self.zero) for w in self.W)
        shares: list[list[S]] = [[] for _ in self.classes]
        for voter in self.voters:
            tied = argmax_set([dot(w, x, self.zero) for w in voter.W])
            for r in tied:
                shares[r].append((self.zero + voter.votes) / len(tied))
        return tuple(total(parts, self.zero) for parts in shares)

    def to_json(self) -> str:
        """The model as readable JSON; the tie policy is not saved."""
        parts = {"W": self.W, "voters": list(map(vars, self.voters))} | vars(self.course)
        return model_text(MULTICLASS, VERSION, self.zero, self.classes, parts)


def perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> Perceptron[float] | Perceptron[Fraction]:
    """The model that `Perceptron.to_json` wrote; `FormatError` names the field that is wrong."""
    fields = read_saved(record, BINARY, VERSION, ["w", "b", "voters", *COURSE])
    classes, course = fields.two_classes(), read_course(fields, None)
    w = fields.row("w")
    voters: list[Voter[Any]] = []
    for entry in fields.entries("voters"):
        inner = fields.inner("voters", entry, ["w", "b", "votes"])
        voters.append(Voter(inner.row("w"), inner.number("b"), inner.whole("votes")))
    if any(len(voter.w) != len(w) for voter in voters):
        raise FormatError(f"model.voters: expected weights of {len(w)} numbers, as w has")
    expect_votes([voter.votes for voter in voters], course)
    return Perceptron(classes, w, fields.number("b"), tuple(voters), course, fields.zero, tie)


def kernel_perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> KernelPerceptron[float] | KernelPerceptron[Fraction]:
    """The model that `KernelPerceptron.to_json` wrote; `FormatError` names the wrong field."""
    names = ["kernel", "alpha", "b", "y", "bias", "voted", "rows", *COURSE]
    names += ["eta"] * (record.get("version") == KERNEL_VERSION)
    fields = read_saved(record, KERNEL, KERNEL_VERSION, names, added=["start"])
    classes = fields.two_classes()
    alpha, y = fields.row("alpha"), fields.entries("y")
    fields = fields.completed(start=[0] * len(alpha), eta=1)
    start = fields.row("start")
    if len(start) != len(alpha):
        raise FormatError(f"model.start: expected {len(alpha)} numbers, as alpha has")
    if any(type(sign) is not int or sign not in (-1, 1) for sign in y) or len(y) != len(alpha):
        raise FormatError(f"model.y: expected {len(alpha)} signs, -1 or 1, as alpha has numbers")
    kernel, rows = read_kernel_and_rows(fields)
    if rows is not None and len(rows) != len(y):
        raise FormatError(f"model.rows: expected {len(y)} rows, one for each y, got {len(rows)}")
    return KernelPerceptron(
        classes=classes,
        start=start,
        eta=fields.positive("eta"),
        alpha=alpha,
        b=fields.number("b"),
        y=tuple(y),
        kernel=kernel,
        rows=rows,
        bias=fields.flag("bias"),
        voted=fields.flag("voted"),
        course=read_course(fields, len(y)),
        zero=fields.zero,
        tie=tie,
    )


def multiclass_perceptron_from_record(
    record: Record, tie: TiePolicy = first
) -> MulticlassPerceptron[float] | MulticlassPerceptron[Fraction]:
    """The model that `MulticlassPerceptron.to_json` wrote; `FormatError` names the wrong field."""
    fields = read_saved(record, MULTICLASS, VERSION, ["W", "voters", *COURSE])
    course = read_course(fields, None)
    W = fields.rows("W")
    voters: list[MulticlassVoter[Any]] = []
    for entry in fields.entries("voters"):
        inner = fields.inner("voters", entry, ["W", "votes"])
        voters.append(MulticlassVoter(inner.rows("W"), inner.whole("votes")))
    for V in (W, *(voter.W for voter in voters)):
        if len(V) != len(fields.classes) or len(V[0]) != len(W[0]):
            raise FormatError("model: expected weights of one length, a row for each class")
    expect_votes([voter.votes for voter in voters], course)
    return MulticlassPerceptron(fields.classes, W, tuple(voters), course, fields.zero, tie)
