"""Reference answers, and verdicts on the answers of others."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from refmc.checker import Verdict
from refmc.core.records import Record, limit
from refmc.core.scalars import Number, plain
from refmc.core.ties import TiePolicy, first, taking
from refmc.errors import plainly
from refmc.oracle.families import as_record, default_gap, read_record

if TYPE_CHECKING:
    from refmc.oracle.rows import OnStep, Row


class OracleFailure(AssertionError):
    """`assert_certified` got an answer that isn't VERIFIED; `verdict` says why."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.explain())
        self.verdict = verdict


@plainly
def solve_problem(
    problem: Record | str, *, on_step: OnStep | None = None, tie: TiePolicy | Sequence[int] = first
) -> dict[str, object]:
    """The exact reference answer to a problem, as a record for JSON; numbers are strings.

    `problem`: a record or JSON text, see spec/format.md. The answer carries its certificate, and
    `check` accepts it. Where several answers are right it is one of them: `tie` chooses as in
    `trace_problem`. `on_step` receives the steps. Raises `FormatError` naming the field. Cost:
    that of the family's learner.

    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> answer = solve_problem(problem)
    >>> answer["W"], answer["objective"]
    ([['1/2'], ['-1/2']], '1/4')
    """
    record, family = read_record(problem)
    return family.solve(record, on_step, _policy(tie))


@plainly
def trace_problem(
    problem: Record | str, *, tie: TiePolicy | Sequence[int] = first
) -> Iterator[Row]:
    """The steps of the exact solution as they happen, each a row of values by their names.

    The names are the lecture's variables, the values exact; see spec/format.md. `tie`: a policy
    that chooses where choices tie, or the positions to take, one for each tie in turn. Raises
    `FormatError` naming the field at the first row. Cost: that of the family's learner.

    >>> problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}
    >>> [row["question"] for row in trace_problem(problem)]
    ['x0 ≤ 1']
    """
    record, family = read_record(problem)
    return family.trace(record, _policy(tie))


def _policy(tie: TiePolicy | Sequence[int]) -> TiePolicy:
    return tie if callable(tie) else taking(tie)


@plainly
def check(
    problem: Record | str,
    answer: Record | str,
    *,
    gap: Number | None = None,
    on_step: OnStep | None = None,
) -> Verdict:
    """Whether an answer is right, with a proof: VERIFIED, REFUTED or INCONCLUSIVE.

    `problem` and `answer`: records (mappings, whose numbers may be Fractions and whose matrices
    arrays) or JSON text, see spec/format.md. `gap`: how far an answer may be off, relative to the
    problem's own scale, see spec/numbers.md; 0 judges exactly, and a float is the decimal that it
    prints. By default it is 1e-6 for SVMs and quadratic programs, whose optima are approached by
    iteration, and 1e-9 for all other families. `on_step` receives the steps of the reference
    answer's search.

    A wrong answer never raises; a malformed one raises `FormatError` naming the field. Cost: the
    exact reference answer is computed.

    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> print(check(problem, {"W": [["1/2"], ["-1/4"]]}).explain())
    REFUTED  svm.multiclass  2 rows, 2 classes, C = 1
      gap      13/32 (4.1e-1), relative 1.6e0; allowed 1e-6
      digits   0.0 correct in the objective
      weights  within 9.1e-1 of the optimal ones, since ½‖w − w*‖² ≤ the gap
      worst    row 1 against class a: margin 3/4, needs 1
    """
    record, family = read_record(problem)
    submitted = as_record(answer, "answer")
    allowed = default_gap(str(record["family"])) if gap is None else limit(gap, "gap")
    verdict = family.judge(record, submitted, allowed, on_step)
    if verdict.status != "REFUTED":
        return verdict
    digits = written_digits(submitted)
    coarse = Fraction(10, 10**digits) if digits in A_FEW else allowed
    if coarse <= allowed:
        return with_hint(verdict, record, submitted)
    rougher = family.judge(record, submitted, coarse, on_step)
    if rougher:
        told = f"right to {digits - 1} digits, as numbers of {digits} decimals can be"
        return replace(verdict, hint=f"{told}: --gap 1e-{digits - 1} asks for no more")
    verdict = with_hint(verdict, record, submitted)
    first = min(rougher.violations, key=lambda v: _step(v.at), default=None)
    if first is None or not _step(first.at):
        return verdict
    told = f"the first step that is wrong beyond rounding is {first.place}: {first.text}"
    return replace(verdict, hint="; ".join(filter(None, [verdict.hint, told])))


A_FEW = range(4, 9)
"""As many decimals as people write who compute by hand."""


def written_digits(answer: object) -> int:
    """The most decimals of a number with a point in an answer.

    >>> written_digits({"w": [[0.125, 1]], "b": "-0.3333"})
    4
    """
    most, waiting = 0, [answer]
    while waiting:
        value = plain(waiting.pop())
        if isinstance(value, Mapping):
            waiting += value.values()
        elif isinstance(value, (list, tuple)):
            waiting += value
        elif isinstance(value, (float, str)):
            number = re.fullmatch(r"-?\d+\.(\d+)", str(value))
            most = max(most, len(number[1]) if number else 0)
    return most


def _step(at: Mapping[str, int | str]) -> int:
    """The step or round of a place; 0 where it has none."""
    return int(at.get("step", at.get("round", 0)))


def with_hint(verdict: Verdict, problem: Record, answer: Record) -> Verdict:
    """The verdict, with a hint for which problem the answer is right instead."""
    from refmc.mistakes.known import hint  # most answers need none

    hints = [verdict.hint, hint(problem, answer, verdict)]
    return replace(verdict, hint="; ".join(filter(None, hints)))


def assert_certified(
    problem: Record | str, answer: Record | str, *, gap: Number | None = None
) -> None:
    """Raise `OracleFailure` with the verdict's message unless the answer is VERIFIED.

    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> assert_certified(problem, {"W": [["1/2"], ["-1/2"]]})
    """
    __tracebackhide__ = True  # pytest shows the test that failed, not this
    verdict = check(problem, answer, gap=gap)
    if not verdict:
        raise OracleFailure(verdict)
