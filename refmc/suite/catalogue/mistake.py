"""A named mistake: what makes it, and what recognises it.

Recognising is a `Variant`, which changes the problem or the answer so that the family's own judge
finds the answer right. Making is a program, which gives the answer that somebody who makes the
mistake would give.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any

from refmc.core.records import Record
from refmc.errors import RefmcError
from refmc.oracle.variants import boosting, runs, svm, trees, values
from refmc.oracle.variants.transport import Program, by_program, solved
from refmc.oracle.variants.variant import Neighbours, Rewriting, Variant

Run = Callable[[Record, Collection[str]], Record | None]
"""A plain program with switches: from a problem and the names of the mistakes it makes."""

KNOWN: dict[str, Variant] = {
    variant.id: variant
    for topic in (svm, runs, trees, boosting, values)
    for variant in topic.VARIANTS
    if isinstance(variant, Variant)
}
"""The variants that `check` tries, by their ids, without those that stand together in tuples."""


@dataclass(frozen=True)
class Mistake:
    """One entry of the catalogue.

    `program` gives the answer of somebody who makes the mistake, None where the mistake can't be
    made. If the program is a plain run with one line changed, `run` is that run, so that two
    mistakes of it can be made at once; `finding` turns the program that makes both into a function
    that recognises its answers. `of_stated`: whether the mistake is made with the rows and the
    kernel of a Gram matrix, which the problem then holds as `stated`.
    """

    variant: Variant
    program: Program
    run: Run | None = None
    finding: Callable[[Program], Rewriting] = by_program
    of_stated: bool = False

    @property
    def id(self) -> str:
        """The name, which never changes."""
        return self.variant.id

    @property
    def switch(self) -> str:
        """The last part of the name, by which a run is told to make the mistake."""
        return self.id.rpartition(".")[2]

    def together(self, other: Mistake) -> Variant | None:
        """The variant that recognises both at once; None unless they are lines of the same run."""
        run = self.run
        if run is None or run is not other.run:
            return None
        switches = {self.switch, other.switch}
        families = tuple(f for f in self.variant.families if f in other.variant.families)
        found = self.finding(lambda problem: run(problem, switches))
        return Variant(f"{self.id}, {other.id}", families, "", "", answer=found)

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
    families: tuple[str, ...],
    sentence: str,
    breaks: str,
    problem: Neighbours,
    answer: Rewriting | None = None,
) -> Mistake:
    """The mistake of solving the first of the problems that `problem` gives.

    `answer` turns an answer to the given problem into one to its neighbour.
    """
    return of_problem(Variant(id, families, sentence, breaks, problem=problem, answer=answer))


def of_known(id: str) -> Mistake:
    """The mistake that a variant of `check` recognises, of solving its first problem."""
    return of_problem(KNOWN[id])


def of_problem(variant: Variant) -> Mistake:
    """The mistake of solving the first of the variant's neighbouring problems."""

    def program(problem: Record) -> Record | None:
        neighbour = neighbour_of(variant, problem)
        return None if neighbour is None else {**solved(neighbour), "family": problem["family"]}

    return Mistake(variant, program)


def neighbour_of(variant: Variant, problem: Record) -> Record | None:
    """The first neighbouring problem, if there is one."""
    assert variant.problem is not None
    return next(iter(variant.problem(problem, {})), None)


def of_answer(variant: Variant, spoil: Rewriting) -> Mistake:
    """The mistake of giving the right answer in another convention, to which `spoil` brings it."""
    return Mistake(variant, lambda problem: spoil(problem, solved(problem)))


def of_program(
    id: str,
    families: tuple[str, ...],
    sentence: str,
    breaks: str,
    program: Program,
    right: Program = solved,
) -> Mistake:
    """The mistake of a program whose answers are right for no neighbouring problem.

    `right` gives what it should have answered.
    """
    variant = Variant(id, families, sentence, breaks, answer=by_program(program, right))
    return Mistake(variant, program)


def of_run(
    run: Run,
    id: str,
    families: tuple[str, ...],
    sentence: str,
    breaks: str,
    finding: Callable[[Program], Rewriting] = by_program,
) -> Mistake:
    """The mistake of a plain run with one line changed; the last part of the id is its switch."""
    made = of_known_run(run, Variant(id, families, sentence, breaks))
    variant = replace(made.variant, answer=finding(made.program))
    return replace(made, variant=variant, finding=finding)


def of_known_run(run: Run, variant: Variant) -> Mistake:
    """The same as `of_run`, with a variant of `check` that recognises the mistake."""
    switch = variant.id.rpartition(".")[2]
    return Mistake(variant, lambda problem: run(problem, {switch}), run)
