"""A named mistake: what makes it, and what recognises it.

Recognising is a `Variant`, which changes the problem or the answer so that the family's own judge
finds the answer right. Making is a program, which gives the answer that somebody who makes the
mistake would give.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.oracle.variants.transport import Program, by_program, solved
from refmc.oracle.variants.variant import Neighbours, Rewriting, Variant

Run = Callable[[Record, Collection[str]], Record | None]
"""A plain program with switches: from a problem and the names of the mistakes it makes."""


@dataclass(frozen=True)
class Mistake:
    """One entry of the catalogue.

    `program` gives the answer of somebody who makes the mistake, None where the mistake can't be
    made. A program that is a plain run with one line changed is given by `run`, too, with the
    `switch` that changes the line, so that two mistakes can be made at once; then `finding` makes
    of the program with both a function that recognises its answers. `of_stated`: whether the
    mistake is made with the rows and the kernel of a Gram matrix, which the problem then holds as
    `stated`.
    """

    variant: Variant
    program: Program
    run: Run | None = None
    switch: str = ""
    finding: Callable[[Program], Rewriting] = by_program
    of_stated: bool = False

    @property
    def id(self) -> str:
        """The name, which never changes."""
        return self.variant.id

    def together(self, other: Mistake) -> Variant | None:
        """The variant that recognises both at once; None unless they are lines of the same run."""
        run = self.run
        if run is None or run is not other.run:
            return None
        switches = {self.switch, other.switch}
        families = [f for f in self.variant.families if f in other.variant.families]
        found = self.finding(lambda problem: run(problem, switches))
        return Variant(f"{self.id}, {other.id}", tuple(families), "", "", answer=found)

    def answer(self, problem: Record, stated: Record | None = None) -> Record | None:
        """What a program with this mistake answers; None for problems that it isn't about."""
        if problem["family"] not in self.variant.families:
            return None
        given = {**problem, "stated": stated} if self.of_stated and stated is not None else problem
        try:
            return self.program(given)
        except RefmcError:  # the neighbouring problem has no answer
            return None


@dataclass(frozen=True)
class FunctionMistake:
    """A mistake that no family of problems can show: `right` and `wrong` give different values.

    `why`: why no problem shows it. `arguments` are those on which the two differ.
    """

    id: str
    sentence: str
    breaks: str
    why: str
    right: Callable[..., object]
    wrong: Callable[..., object]
    arguments: tuple[Any, ...]
    silent: tuple[Any, ...]


def of_neighbour(
    id: str,
    families: Sequence[str],
    sentence: str,
    breaks: str,
    problem: Neighbours,
    answer: Rewriting | None = None,
) -> Mistake:
    """The mistake of solving one of the problems that `problem` gives.

    `answer` turns an answer to the given problem into one to its neighbour.
    """
    variant = Variant(id, tuple(families), sentence, breaks, problem=problem, answer=answer)
    return of_problem(variant)


def of_problem(variant: Variant) -> Mistake:
    """The mistake of solving the first of the neighbouring problems."""

    def program(problem: Record) -> Record | None:
        neighbour = neighbour_of(variant, problem)
        return None if neighbour is None else {**solved(neighbour), "family": problem["family"]}

    return Mistake(variant, program)


def neighbour_of(variant: Variant, problem: Record) -> Record | None:
    """The first neighbouring problem, if there is one."""
    assert variant.problem is not None
    return next(iter(variant.problem(problem, {})), None)


def of_answer(variant: Variant, spoil: Rewriting) -> Mistake:
    """The mistake of giving the right answer in another convention: `spoil` converts it."""
    return Mistake(variant, lambda problem: spoil(problem, solved(problem)))


def of_program(
    id: str,
    families: Sequence[str],
    sentence: str,
    breaks: str,
    program: Program,
    right: Program = solved,
) -> Mistake:
    """The mistake of a program whose answers are right for no neighbouring problem.

    `right` gives what it should have answered.
    """
    variant = Variant(id, tuple(families), sentence, breaks, answer=by_program(program, right))
    return Mistake(variant, program)


def of_run(
    run: Run,
    id: str,
    families: Sequence[str],
    sentence: str,
    breaks: str,
    finding: Callable[[Program], Rewriting] = by_program,
) -> Mistake:
    """The mistake of a plain run with one line changed; the last part of the id is its switch."""
    switch = id.rpartition(".")[2]

    def program(problem: Record) -> Record | None:
        return run(problem, {switch})

    variant = Variant(id, tuple(families), sentence, breaks, answer=finding(program))
    return Mistake(variant, program, run, switch, finding)


def of_known_run(run: Run, variant: Variant) -> Mistake:
    """The same as `of_run`, with a variant of `check` that recognises the mistake."""
    switch = variant.id.rpartition(".")[2]
    return Mistake(variant, lambda problem: run(problem, {switch}), run, switch)


def named(variants: Sequence[Variant | tuple[Variant, ...]]) -> Mapping[str, Variant]:
    """The variants by their ids, without those that stand together in tuples."""
    return {variant.id: variant for variant in variants if isinstance(variant, Variant)}
