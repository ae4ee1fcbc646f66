"""The smallest problem on which a program is still wrong.

Rows, columns, classes and settings are left out, and then numbers are made smaller. A change is
kept if the changed problem is still valid and the program has the same fault on it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from refmc import __version__
from refmc.answers import solve_problem
from refmc.core.records import Record, number
from refmc.core.scalars import number_text
from refmc.errors import RefmcError
from refmc.mistakes.explaining import explain
from refmc.oracle.axes import sizes, taken
from refmc.oracle.families import problem_fields
from refmc.suite.protocol import Session
from refmc.suite.running import Case, Result, asked, plain_cases

Problem = dict[str, Any]

MOST_TRIES = 500
"""How many problems are tried."""


class Shrinker:
    """A search for a smaller problem with the same fault.

    `problem` is the smallest so far, and `result` what came of it, asked in plain numbers where
    that is asked for.
    """

    def __init__(
        self, problem: Record, session: Session, tries: int = MOST_TRIES, *, plain: bool = False
    ) -> None:
        self.session, self.left, self.plain = session, tries, plain
        if plain:
            session.start()  # which may tell what it supports
        self.problem: Problem = dict(problem)
        self.result = self._result(self.problem)
        self._tried = {json.dumps(self.problem)}

    def _result(self, problem: Problem) -> Result:
        case = Case(f"{problem['family']}/shrunk", problem)
        if self.plain:
            (case,) = plain_cases([case], self.session.about)
        return asked(case, self.session)

    def accepts(self, problem: Problem) -> bool:
        """Whether the program has the same fault here; then this is the smallest problem so far."""
        text = json.dumps(problem)
        if text in self._tried or not self.left:
            return False
        self._tried.add(text)
        self.left -= 1
        found = self._result(problem)
        kinds = {(r.outcome, r.reason.partition(":")[0]) for r in (found, self.result)}
        if len(kinds) > 1:
            return False
        if found.verdict is None and not _is_problem(problem):
            return False
        self.problem, self.result = problem, found
        return True

    def shrink(self) -> None:
        """Try all ways to make the problem smaller, again and again until none is accepted."""
        before = None
        while before != self.problem:
            before = self.problem
            for axis in sizes(before):
                self._fewer(axis)
            for name in [name for name in before if name != "family"]:
                self.accepts({field: v for field, v in self.problem.items() if field != name})
            for smaller in SMALLER:
                made = [_like(old, smaller(_exact(old))) for old in _numbers(self.problem)]
                self.accepts(_with(self.problem, made))
            for i in range(len(_numbers(self.problem))):
                old = _numbers(self.problem)
                for new in _candidates(old[i]):
                    if self.accepts(_with(self.problem, [*old[:i], new, *old[i + 1 :]])):
                        break

    def _fewer(self, axis: str) -> None:
        """Leave out neighbouring positions: first half of all at a time, in the end single ones."""
        step = sizes(self.problem).get(axis, 0)
        while step := step // 2:
            at = 0
            while at < (length := sizes(self.problem).get(axis, 0)):
                rest = [i for i in range(length) if not at <= i < at + step]
                if not rest or not self.accepts(taken(self.problem, axis, rest)):
                    at += step


def _is_problem(problem: Problem) -> bool:
    """Whether refmc itself can answer: that a program fails on what is no problem is no fault."""
    try:
        solve_problem(problem)
    except RefmcError:
        return False
    return True


def _changed(problem: Problem, change: Callable[[Any], Any]) -> Problem:
    """The problem with each number changed that is no label, name or position."""
    known = problem_fields(problem)

    def inside(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: inside(entry) for name, entry in value.items()}
        if isinstance(value, list):
            return [inside(entry) for entry in value]
        return change(value) if _is_number(value) else value

    return {
        name: inside(value) if name in known and known[name].holds_numbers else value
        for name, value in problem.items()
    }


def _numbers(problem: Problem) -> list[Any]:
    """These numbers, in the order in which they stand."""
    found = list[Any]()
    _changed(problem, found.append)
    return found


def _with(problem: Problem, numbers: Iterable[Any]) -> Problem:
    """The problem with others in their places."""
    left = iter(numbers)
    return _changed(problem, lambda _: next(left))


def _is_number(value: Any) -> bool:
    try:
        _exact(value)
    except RefmcError:  # null, a truth value, a name such as that of a loss
        return False
    return True


def _exact(value: Any) -> Fraction:
    return number(value, "a number")


def _like(old: Any, value: Fraction) -> Any:
    """A number as text, or a whole one, as another stood."""
    return number_text(value) if isinstance(old, str) else int(value)


SMALLER: list[Callable[[Fraction], Fraction]] = [
    lambda v: Fraction((v > 0) - (v < 0)),
    lambda v: Fraction(round(v)),
    lambda v: Fraction(round(v * 10), 10),
]
"""What all numbers may become at once: their signs, whole numbers, tenths."""


def _candidates(old: Any) -> list[Any]:
    """Simpler numbers for one, the simplest first."""
    value = _exact(old)
    tried = [Fraction(0), Fraction(1), Fraction(-1), *(smaller(value) for smaller in SMALLER)]
    tried += [Fraction(value // 2), value - 1]
    length = len(number_text(value))
    shorter = [v for v in tried if (len(number_text(v)), abs(v)) < (length, abs(value))]
    return [_like(old, v) for v in dict.fromkeys(shorter)]


def as_vector(result: Result) -> dict[str, object]:
    """The vector of a wrong result as a record: the right answer, the wrong one, its mistakes."""
    problem = result.case.problem
    wrong, names = [], []
    if result.answer is not None and result.outcome == "refuted":
        found = [e for e in explain(problem, result.answer).explanations if e.verdict]
        names = [variant.id for variant in found[0].mistakes] if found else []
        wrong = [{"mistakes": names, "answer": result.answer}]
    why = "Shrunk from a larger problem on which a program was wrong."
    record = {"id": result.case.id, "since": __version__, "why": why, "flags": []}
    answers = {"answer": solve_problem(problem), "accept": [], "wrong": wrong}
    return {**record, "problem": problem, **answers, "catches": names}
