"""Reference answers, verdicts and traces of the families `boost.ada` and `boost.mh`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from operator import itemgetter, mul
from typing import Any

from refmc.checker import Verdict
from refmc.checker.boosting.judge import BoostingProblem
from refmc.checker.boosting.judge import judge as judge_rounds
from refmc.checker.printing import short_text
from refmc.checker.trees.binary64 import Rows, allowing_for_binary64
from refmc.core.cells import SortedColumns, categorical_columns, sort_columns
from refmc.core.records import Record
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.boosting.adaboost_mh import BoostingStep, fit_adaboost, fit_adaboost_mh
from refmc.learn.boosting.models import AdaBoost, AdaBoostMH
from refmc.learn.boosting.stumps import Stump, best_stumps, saved_stump
from refmc.learn.boosting.weak import Weak
from refmc.learn.trees.questions import CategoricalQuestion
from refmc.oracle.boosting.records import ADA, LabelledProblem, read_problem
from refmc.oracle.boosting.several import boosted_classes, voted
from refmc.oracle.boosting.submitted_rounds import DECLARED, has_float_stumps, read_submission
from refmc.oracle.rows import OnStep, Root, Row, each_step, keeping

__all__ = ["DECLARED", "judge", "read_problem", "solve", "trace"]

Model = AdaBoost[Any] | AdaBoostMH[Any]


def solve(
    problem: Record, on_step: OnStep | None, tie: TiePolicy = first, weak: Weak | None = None
) -> dict[str, object]:
    """All rounds of an exact run with stumps, and what the votes predict for the rows.

    `weak` chooses the stumps of runs of two classes and of "boost.mh"; None takes the first.

    >>> problem = {"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 3}
    >>> solve(problem, None)["stopped"], solve(problem, None)["labels"]
    ('perfect', [1, -1])
    """
    read = read_problem(problem)
    if read.asked.rule != "half_log":
        rounds, stopped = boosted_classes(_with_stumps(read), tie)
        told, labels = [one._asdict() for one in rounds], voted(rounds, read, tie)
    else:
        model, steps = boosted(read, on_step, tie, weak)
        stopped = "rounds" if len(steps) == read.asked.rounds else "no_edge"
        stopped = "perfect" if steps and not steps[-1].epsilon else stopped
        told = [_round(step) for step in steps]
        labels = [_label(label, read) for label in model.predict(_rows(read.asked))]
    family = read.asked.family
    return {"family": family, "rounds": told, "stopped": stopped, "labels": labels}


def _with_stumps(read: LabelledProblem) -> LabelledProblem:
    """The problem; `FormatError` if its base classifiers may be of any kind, not stumps alone."""
    if read.asked.kind is None:
        raise FormatError(
            "problem: only runs with stumps have a reference answer; give yours to check"
        )
    return read


def boosted(
    read: LabelledProblem, on_step: OnStep | None, tie: TiePolicy = first, weak: Weak | None = None
) -> tuple[Model, list[BoostingStep]]:
    """The exact model, and all rounds of the run: a perfect base classifier makes a model alone."""
    p = _with_stumps(read).asked
    if p.rule != "half_log":
        raise FormatError(f"problem.rule: {p.rule} has no trace and no picture; solve it")
    keep, steps = keeping(on_step)
    X = _rows(p)
    options: dict[str, Any] = {
        "rounds": p.rounds,
        "weights": p.weights or [Fraction(1)] * read.m,
        "classes": read.classes,
        "categorical": categorical_columns(X),
        "tie": tie,
        "choose": tie,
        "on_step": keep,
    } | ({} if weak is None else {"weak": weak})
    if p.family == ADA:
        return fit_adaboost(X, [read.classes[c] for (c,) in p.truth], **options), steps
    Y: Any = [read.classes[row.index(1)] for row in p.truth] if p.single else p.truth
    two_sided = p.kind == "two_sided" and weak is None
    return fit_adaboost_mh(X, Y, two_sided=two_sided, **options), steps


def _rows(p: BoostingProblem) -> Sequence[Sequence[Any]]:
    assert p.X is not None  # which stumps need
    return p.X


def _round(step: BoostingStep) -> dict[str, object]:
    stump = saved_stump(step.base)
    del stump["free"]
    claimed = ("epsilon", "alpha", "Z_squared", "loss", "bound_squared")
    return {"t": step.t, "stump": stump, **{name: getattr(step, name) for name in claimed}}


def _label(label: Any, read: LabelledProblem) -> object:
    """A label as it is, a set of labels as a list in the order of the classes."""
    if isinstance(label, frozenset):
        return [name for name in read.classes if name in label]
    return label


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what a number may be off, relative to its own size.

    >>> problem = {"family": "boost.ada", "X": [[1], [2]], "y": [1, -1], "rounds": 3}
    >>> perfect = {"base": [1, -1], "epsilon": 0, "alpha": None}
    >>> judge(problem, {"rounds": [perfect], "stopped": "perfect"}, Fraction(0)).status
    'VERIFIED'
    """
    read = read_problem(problem)
    p, submitted = read.asked, read_submission(answer, read)

    def judged(X: Rows) -> Verdict:
        if X is rows:
            return judge_rounds(p, submitted, allowed=allowed)
        seen = replace(read, asked=replace(p, X=X))
        return judge_rounds(seen.asked, read_submission(answer, seen), allowed=allowed)

    rows = p.X or ()
    return allowing_for_binary64(judged, rows, has_float_stumps(answer))


def trace(problem: Record, tie: TiePolicy = first) -> Iterator[Row]:
    """One row for each round, in the lecture's variables. D has a number for each row and label."""
    read = read_problem(problem)
    X = _rows(_with_stumps(read).asked)
    data = sort_columns(X, categorical_columns(X))
    for step in each_step(lambda report: boosted(read, report, tie)):
        ranked = _ranked(step, read, data)
        yield {
            "t": step.t,
            "h": _stump_text(step.base, read),
            "tied": [_stump_text(stump, read) for stump in step.tied],
            "taken": step.tied.index(step.base),
            "line": 6 if step.alpha is None else 10,
            "answers": [step.base.answer(x) for x in _rows(read.asked)],
            "considered": dict(ranked[:MOST_STUMPS]),
            "more": len(ranked[MOST_STUMPS:]),
            "ε": step.epsilon,
            "α": "inf" if step.alpha is None else step.alpha,
            "Z": Root(step.Z_squared),
            "loss": step.loss,
            "Π Z": Root(step.bound_squared),
            "D": _by_label(step.D, read),
        }


MOST_STUMPS = 6
"""The most stumps of a round that a trace lists with their errors."""


def _ranked(
    step: BoostingStep, read: LabelledProblem, data: SortedColumns
) -> list[tuple[str, Fraction]]:
    """The best stump of each question with its error, the least first."""
    columns = zip(step.weights, zip(*read.asked.truth))
    signed = [[d if c > 0 else -d for d, c in zip(*pair)] for pair in columns]
    whole = sum(map(sum, step.weights))  # no edge is beyond
    found = []
    for stump in best_stumps(data, signed, whole, read.asked.kind == "two_sided"):
        answers = zip(*map(stump.answer, data.rows))
        edge = sum(sum(map(mul, s, signs)) for s, signs in zip(signed, answers))
        found.append((_stump_text(stump, read), Fraction(whole - edge, 2 * whole)))
    return sorted(found, key=itemgetter(1))


def _by_label(D: Sequence[Sequence[Any]], read: LabelledProblem) -> object:
    """The weights of the rows, or for each label by its name those of the rows at this label."""
    if read.asked.family == ADA:
        return [row[0] for row in D]
    return dict(zip(read.asked.classes, zip(*D), strict=True))


def _stump_text(stump: Stump, read: LabelledProblem) -> str:
    signs = _signs(stump.signs, read)
    question = stump.question
    if question is None:
        return f"always {signs}"
    columns = read.asked.columns
    name = columns[question.column] if columns else f"x{question.column}"
    if isinstance(question, CategoricalQuestion):
        text = f"{name} ∈ {{{', '.join(question.values)}}}"
    else:
        text = f"{name} ≤ {short_text(Fraction(question.threshold))}"
    otherwise = stump.otherwise or tuple(-v for v in stump.signs)
    return f"{text}: {signs} else {_signs(otherwise, read)}"


def _signs(signs: Sequence[int], read: LabelledProblem) -> str:
    """The class that is answered, of two classes; or every label with its sign."""
    names = read.asked.classes
    if read.asked.family == ADA:
        return names[signs[0] > 0]
    return " ".join(f"{name}{'+' if v > 0 else '−'}" for name, v in zip(names, signs))
