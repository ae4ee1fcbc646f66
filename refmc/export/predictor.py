"""What any model comes down to: questions with three answers, and a decision about them.

Every number here is exact. A back end writes the same with whole numbers alone.

Legend: d columns, k classes; an answer is +1 for yes, −1 for no, and 0 where neither is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple

from refmc.core.logs import Log
from refmc.core.sample import Label
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, argmax_set

Monomial = tuple[int, ...]
"""The columns whose product it is, in order; () is the constant 1."""

Form = tuple[tuple[Monomial, Fraction], ...]
"""A polynomial: its monomials with their coefficients, none of them 0."""

Categories = tuple[tuple[str, ...] | None, ...]
"""For each column the categories that a row may name, None for numbers."""


class Cut(NamedTuple):
    """Whether a number is at most the threshold, or below it if `strict`; None is infinite."""

    column: int
    threshold: Fraction | None
    strict: bool = False


class Member(NamedTuple):
    """Whether a category is one of the values; `unseen` is the answer for one that isn't known."""

    column: int
    values: tuple[str, ...]
    unseen: int = 0


class Side(NamedTuple):
    """The sign of a form; `at_zero` is the answer where it is 0."""

    form: Form
    at_zero: int = 0


class Majority(NamedTuple):
    """The sign of a sum of votes."""

    voters: tuple[Voter, ...]


Question = Cut | Member | Side | Majority

ALWAYS = Cut(0, None)
"""The answer is yes."""


class Voter(NamedTuple):
    """A question whose answer times `weight` times a small number counts for each target.

    Targets are the k classes; of a `Majority` there is one.
    """

    question: Question
    weight: Fraction | Log
    counts: tuple[int, ...]


class Node(NamedTuple):
    """A node of a graph without circles, or an end with its classes where there is no question.

    `no`, `yes`: the numbers of the nodes where the answers lead; 0 leads to both.
    """

    question: Question | None
    no: int = 0
    yes: int = 0
    classes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Graph:
    """The classes at all ends that a row reaches from the node `start`."""

    nodes: tuple[Node, ...]
    start: int = 0


@dataclass(frozen=True)
class Best:
    """Of the classes in `present` those with the most votes, of these the ones of largest form.

    Either may be missing: no voters, or no forms, else one a class.
    """

    present: tuple[int, ...]
    voters: tuple[Voter, ...] = ()
    forms: tuple[Form, ...] = ()


@dataclass(frozen=True)
class Predictor:
    """A decision, and what rows it takes.

    `source`: what it was made from, in words. `categories`: as in rows; a category of a row that is
    none of them is unseen. `columns`: their names. `floats`: whether the model's own arithmetic
    rounds. `single`: whether it rounds rows to single precision.
    """

    source: str
    classes: tuple[Label, ...]
    categories: Categories
    columns: tuple[str, ...]
    decision: Graph | Best
    tie: TiePolicy
    floats: bool = False
    single: bool = False

    @property
    def questions(self) -> list[Question]:
        """All that is asked, by voters of majorities too."""
        asked: list[Any] = (
            [voter.question for voter in self.decision.voters]
            if isinstance(self.decision, Best)
            else [node.question for node in self.decision.nodes if node.question is not None]
        )
        inner = [q.voters for q in asked if isinstance(q, Majority)]
        return [*asked, *(voter.question for voters in inner for voter in voters)]

    @property
    def adds_columns(self) -> bool:
        """Whether forms decide, and not questions about single columns alone."""
        forms = [q.form for q in self.questions if isinstance(q, Side)]
        return any([*forms, *(self.decision.forms if isinstance(self.decision, Best) else ())])

    def positions(self, x: Sequence[Any]) -> tuple[int, ...]:
        """The positions of all classes that may be predicted for a row of Fractions and strings."""
        decision = self.decision
        if isinstance(decision, Best):
            return _best(decision, x, self.categories)
        found: set[int] = set()
        seen, waiting = {decision.start}, [decision.start]
        while waiting:
            node = decision.nodes[waiting.pop()]
            found.update(node.classes)
            if node.question is None:
                continue
            said = answer(node.question, x, self.categories)
            ways = {node.no} if said < 0 else {node.yes} if said > 0 else {node.no, node.yes}
            waiting += ways - seen
            seen |= ways
        return tuple(sorted(found))


def _best(decision: Best, x: Sequence[Any], categories: Categories) -> tuple[int, ...]:
    best = decision.present
    if decision.voters:
        said = [answer(voter.question, x, categories) for voter in decision.voters]
        votes = [tally(decision.voters, said, c) for c in best]
        best = tuple(best[t] for t in argmax_set(votes))
    if decision.forms:
        best = tuple(best[t] for t in argmax_set([value(decision.forms[c], x) for c in best]))
    return best


def answer(question: Question, x: Sequence[Any], categories: Categories) -> int:
    """What a row of Fractions and strings answers.

    >>> answer(Cut(0, Fraction(2)), [Fraction(2)], (None,)), answer(ALWAYS, ["a"], (("a",),))
    (1, 1)
    """
    match question:
        case Cut(column, threshold, strict):
            below = threshold is None or (x[column], strict) <= (threshold, False)
            return 1 if below else -1
        case Member(column, values, unseen):
            if x[column] not in (categories[column] or ()):
                return unseen
            return 1 if x[column] in values else -1
        case Side(form, at_zero):
            return sign(value(form, x)) or at_zero
        case Majority(voters):
            return sign(tally(voters, [answer(v.question, x, categories) for v in voters], 0))


def tally(voters: Sequence[Voter], answers: Sequence[int], target: int) -> Any:
    """The votes for a target.

    >>> tally([Voter(ALWAYS, Fraction(1, 2), (1, -3))], [1], 1)
    Fraction(-3, 2)
    """
    return sum(
        (v.weight * (said * v.counts[target]) for v, said in zip(voters, answers)), Fraction(0)
    )


def value(form: Form, x: Sequence[Any]) -> Fraction:
    """The value of a form for a row of Fractions.

    >>> value(form_of({(0, 1): Fraction(2), (): Fraction(1)}), [Fraction(3), Fraction(5)])
    Fraction(31, 1)
    """
    return sum((a * prod(x[j] for j in monomial) for monomial, a in form), Fraction(0))


def form_of(coefficients: Mapping[Monomial, Fraction]) -> Form:
    """The form with these coefficients.

    >>> form_of({(1,): Fraction(2), (): Fraction(0)})
    (((1,), Fraction(2, 1)),)
    """
    return tuple(sorted((monomial, a) for monomial, a in coefficients.items() if a))


def linear_form(w: Sequence[Any], b: Any = 0) -> Form:
    """w·x + b, of floats as the rationals that they are.

    >>> linear_form([0.5, 0])
    (((0,), Fraction(1, 2)),)
    """
    return form_of({(j,): Fraction(a) for j, a in enumerate(w)} | {(): Fraction(b)})


def combined(parts: Iterable[tuple[Form, int]]) -> Form:
    """The sum of forms, each times a whole number.

    >>> combined([(linear_form([1, 2]), 1), (linear_form([1, 0], 3), -1)])
    (((), Fraction(-3, 1)), ((1,), Fraction(2, 1)))
    """
    found: dict[Monomial, Fraction] = {}
    for form, times in parts:
        for monomial, a in form:
            found[monomial] = found.get(monomial, Fraction(0)) + a * times
    return form_of(found)
