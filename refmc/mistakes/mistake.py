"""A mistake: one thing that programs get wrong, under a name that never changes.

A wrong answer is recognised by a change of the problem or of the answer, for which the family's own
judge finds it right. A program makes it: the answer that somebody who makes the mistake would give.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TypeVar

from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.mistakes.transport import Program, Rewriting, by_program, solved, solved_once

Neighbours = Callable[[Record, Record], Iterable[Record]]
"""From a problem and an answer: the problems that the answer may belong to."""

Wrong = Collection[str]
"""The names of the mistakes that a plain program makes."""

Step = TypeVar("Step")

Run = Callable[[Record, Wrong], Record | None]
"""A plain program with switches: from a problem and the names of the mistakes it makes."""

Finding = Callable[[Wrong, Program], Rewriting]
"""From the names of mistakes made at once, and the right run: what recognises a run that makes
them."""


@dataclass(frozen=True)
class Mistake:
    """One mistake, or another convention.

    `problem` gives the problems that are solved instead; without it the problem stays as it is.
    `answer` brings an answer into the judge's convention; without it the answer stays as it is.
    `program` gives the answer of somebody who makes the mistake, None where it can't be made. If it
    is a plain run with one line changed, `run` is that run, so that two mistakes of it can be made
    at once; `finding` turns the names of both into what recognises such a run, beside what `right`
    gives. `ties` names what else that run may choose, such as the last of what ties, and `if_tied`
    recognises these as `answer` does the first. `of_stated`: whether the mistake is made with the
    rows and the kernel of a Gram matrix, which the problem then holds as `stated`. `is_remark`: it
    says only which part is off, not why, so that it is no cause. `is_told_by_remark`: the rewritten
    answer has a remark that says it better than "right if"; `one_in`: one in so many wrong
    answers of a run must have it, if the mistake explains them all. `at_least`: so many answers of
    a run must show the mistake before it is told, or so many be wrong where a remark tells it.
    `words`: what is done and what that departs from, if no file says it under the id.
    """

    id: str
    families: tuple[str, ...]
    problem: Neighbours | None = None
    answer: Rewriting | None = None
    program: Program | None = None
    run: Run | None = None
    finding: Finding | None = None
    right: Program = solved_once
    ties: tuple[str, ...] = ()
    if_tied: tuple[Rewriting, ...] = ()
    of_stated: bool = False
    is_remark: bool = False
    is_told_by_remark: bool = False
    one_in: int = 2
    at_least: int = 1
    words: tuple[str, ...] | None = None

    @property
    def sentence(self) -> str:
        """What is done, in a clause."""
        return (self.words or _all_words()[self.id])[0]

    @property
    def breaks(self) -> str:
        """What it departs from: a place of a lecture, or a convention of refmc."""
        return (self.words or _all_words()[self.id])[1]

    @property
    def is_rare(self) -> bool:
        """Whether nobody makes it beside another one, and what explains as much is told before."""
        return "rare" in (self.words or _all_words()[self.id])[2:]

    @property
    def is_generic(self) -> bool:
        """Whether it follows from declared fields, or from a right answer, as many do."""
        return self.words is not None or self.id in _by_id("generic.toml")

    @property
    def switch(self) -> str:
        """The last part of the name, by which a run is told to make the mistake."""
        return self.id.rpartition(".")[2]

    def changed(self, problem: Record, answer: Record) -> Iterator[tuple[Record, Record]]:
        """The neighbouring problems, each with the answer as their judge takes it."""
        for rewritten in self._rewritten(problem, answer):
            for neighbour in [problem] if self.problem is None else self.problem(problem, answer):
                kept = rewritten
                if neighbour["family"] != problem["family"]:
                    kept = {name: value for name, value in rewritten.items() if name != "family"}
                yield neighbour, kept

    def _rewritten(self, problem: Record, answer: Record) -> list[Record]:
        """The answer in the judge's convention: one for each choice of what ties."""
        if self.answer is None:
            return [answer]
        found = list[Record]()
        for change in (self.answer, *self.if_tied):
            with suppress(RefmcError, ArithmeticError):  # not from these choices, or not in floats
                rewritten = change(problem, answer)
                if rewritten is not None and rewritten not in found:
                    found.append(rewritten)
        return found

    def made(self, problem: Record, stated: Record | None = None) -> Record | None:
        """What a program with this mistake answers; None for problems that it isn't about."""
        return next((answer for _, answer in self.all_made(problem, stated)), None)

    def leaves(self, problem: Record) -> bool:
        """Whether it is solved in the place of another problem, and there is none for this one."""
        if self.problem is None:
            return False
        with suppress(RefmcError, ArithmeticError):  # this problem has no such neighbour
            return not any(True for _ in self.problem(problem, {}))
        return True

    def all_made(
        self, problem: Record, stated: Record | None = None
    ) -> Iterator[tuple[Record, Record]]:
        """The same for each of the neighbouring problems that may be solved instead, with it."""
        if problem["family"] not in self.families:
            return
        given = {**problem, "stated": stated} if self.of_stated and stated is not None else problem
        try:
            if self.program is not None:
                of_ties = (self.run(given, {self.switch, tie}) for tie in self.ties if self.run)
                for made in (self.program(given), *of_ties):
                    yield from () if made is None else ((problem, made),)
                return
            for neighbour in self.problem(given, {}) if self.problem else ():
                yield neighbour, {**solved(neighbour), "family": problem["family"]}
        except (RefmcError, ArithmeticError):  # the neighbour has no answer, or none in floats
            return

    def together(self, other: Mistake, right: Program) -> Mistake | None:
        """What recognises both at once; None unless they are lines of the same run."""
        run = self.run
        if run is None or run is not other.run:
            return None
        switches = {self.switch, other.switch}
        choices = [switches, *(switches | {tie} for tie in self.ties)]
        find = self.finding or (
            lambda wrong, right: by_program(lambda problem: run(problem, wrong), right)
        )
        found, *if_tied = [find(wrong, right) for wrong in choices]
        families = tuple(f for f in self.families if f in other.families)
        return Mistake(f"{self.id}, {other.id}", families, answer=found, if_tied=(*if_tied,))


@cache
def from_file(name: str) -> dict[str, dict[str, Sequence[str]]]:
    """The tables of a file of words beside this one."""
    return tomllib.loads(files("refmc.mistakes").joinpath(name).read_text("utf-8"))


@cache
def _by_id(name: str) -> dict[str, Sequence[str]]:
    return {
        f"{topic}.{n}": words for topic, own in from_file(name).items() for n, words in own.items()
    }


@cache
def _all_words() -> dict[str, Sequence[str]]:
    """What each mistake does and what it departs from, by its id; that of a step may be rare."""
    found = {id: words for own in from_file("steps.toml").values() for id, words in own.items()}
    return found | _by_id("words.toml") | _by_id("generic.toml")


def steps_of(*kinds: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The mistakes in a step of the plain runs of some kinds of families, each with its families.

    >>> next(steps_of("sgd."))
    ('sgd.without_x', ('sgd.binary', 'sgd.multiclass'))
    """
    for families, own in from_file("steps.toml").items():
        if families.startswith(kinds):
            yield from ((id, (*families.split(),)) for id in own)


def of_fields(
    id: str,
    family: str,
    clause: str,
    problem: Neighbours | None = None,
    answer: Rewriting | None = None,
) -> Mistake:
    """A mistake that follows from the declared fields of a family."""
    return Mistake(id, (family,), problem, answer, words=(clause, "the fields"))


def of_answer(
    id: str, families: tuple[str, ...], answer: Rewriting, spoil: Rewriting | None = None
) -> Mistake:
    """The mistake of giving the right answer in another convention, to which `spoil` brings it.

    Without `spoil`, `answer` is its own reverse.
    """
    wrong = spoil or answer
    program: Program = lambda problem: wrong(problem, solved(problem))
    return Mistake(id, families, answer=answer, program=program)


def of_program(
    id: str, families: tuple[str, ...], *programs: Program, right: Program = solved_once
) -> Mistake:
    """The mistake of a program whose answers are right for no neighbouring problem.

    `right` gives what it should have answered; the programs after the first one answer more or less
    of it otherwise.
    """
    found, *if_tied = (by_program(made, right) for made in programs)
    return Mistake(id, families, answer=found, program=programs[0], if_tied=(*if_tied,))


def of_run(
    run: Run,
    id: str,
    families: tuple[str, ...],
    finding: Finding | None = None,
    ties: tuple[str, ...] = ("last_of_tied",),
    right: Program = solved_once,
) -> Mistake:
    """The mistake of a plain run with one line changed; the last part of the id is its switch.

    It is recognised by its answers.
    """
    made = Mistake(id, families, run=run, finding=finding, right=right, ties=ties)
    switches, found = {made.switch}, made.together(made, right)
    assert found is not None  # for both are of its run
    return replace(
        made, answer=found.answer, if_tied=found.if_tied, program=lambda given: run(given, switches)
    )


def by_switch(
    run: Run,
    id: str,
    families: tuple[str, ...],
    problem: Neighbours | None = None,
    answer: Rewriting | None = None,
) -> Mistake:
    """The same where the problem or the answer tells the mistake, and not what the run answers."""
    made = Mistake(id, families, problem, answer)
    return replace(made, program=lambda given: run(given, {made.switch}))


def step_of(table: Mapping[str, Step], wrong: Wrong, right: str = "right") -> Step:
    """The step of a plain program: that of the first mistake that is made in it, or the right one.

    >>> step_of({"right": 1, "doubled": 2}, {"doubled"}), step_of({"right": 1, "doubled": 2}, ())
    (2, 1)
    """
    return table[next((name for name in table if name in wrong), right)]
