"""What any model comes down to: questions with three answers, and a decision about them.

Every number here is exact. A back end writes the same with whole numbers alone.

Legend: d columns, k classes; an answer is +1 for yes, −1 for no, and 0 where neither is said.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import prod
from typing import Any, NamedTuple

from refmc.core.logs import Log
from refmc.core.sample import Label
from refmc.core.scalars import sign
from refmc.core.ties import TiePolicy, argmax_set
from refmc.learn.reductions.members import added

Factor = int | tuple[int, str]
"""A column of numbers, or one that is 1 for a category of a column, else 0."""

Monomial = tuple[Factor, ...]
"""The factors whose product it is, in order; () is the constant 1."""

Weight = Fraction | Log

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


class Sign(NamedTuple):
    """The sign of a score; `at_zero` is the answer where it is 0."""

    score: Score
    at_zero: int = 0


Question = Cut | Member | Sign

Score = tuple[tuple[Monomial | Question, Weight], ...]
"""A sum of monomials, or of answers, each with its weight, which isn't 0."""

ALWAYS = Cut(0, None)
"""The answer is yes."""


class Node(NamedTuple):
    """A node of a graph without circles, or an end with its classes where there is no question.

    `no`, `yes`: the names of the nodes where the answers lead; 0 leads to both.
    """

    question: Question | None
    no: Hashable = None
    yes: Hashable = None
    classes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Graph:
    """The classes at all ends that a row reaches from the node `start`; nodes by any names."""

    nodes: Mapping[Any, Node]
    start: Hashable


@dataclass(frozen=True)
class Best:
    """Of the classes in `present` those of the highest score, decided stage after stage.

    `stages`: each has a score for each of the k classes, all of answers or all of monomials.
    """

    present: tuple[int, ...]
    stages: tuple[tuple[Score, ...], ...]


@dataclass(frozen=True)
class Predictor:
    """A decision, and what rows it takes.

    `source`: what it was made from. `categories`: as in rows; a category of a row that is none of
    them is unseen. `columns`: their names. `floats`: whether the model's own arithmetic rounds.
    `single`: whether it rounds rows to single precision.
    """

    source: str
    classes: tuple[Label, ...]
    categories: Categories
    columns: tuple[str, ...]
    decision: Graph | Best
    tie: TiePolicy
    floats: bool = False
    single: bool = False

    def positions(self, x: Sequence[Any]) -> tuple[int, ...]:
        """The positions of all classes that may be predicted for a row of Fractions and strings."""
        decision = self.decision
        if isinstance(decision, Best):
            best = decision.present
            for stage in decision.stages:
                scores = [value(stage[c], x, self.categories) for c in best]
                best = tuple(best[t] for t in argmax_set(scores))
            return best
        found: set[int] = set()
        seen, waiting = {decision.start}, [decision.start]
        while waiting:
            node = decision.nodes[waiting.pop()]
            found.update(node.classes)
            if node.question is not None:
                said = answer(node.question, x, self.categories)
                ways = {node.no} if said < 0 else {node.yes} if said > 0 else {node.no, node.yes}
                waiting += ways - seen
                seen |= ways
        return tuple(sorted(found))


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
        case Sign(score, at_zero):
            return sign(value(score, x, categories)) or at_zero


def value(score: Score, x: Sequence[Any], categories: Categories) -> Any:
    """The value of a score for a row of Fractions and strings.

    >>> value(((((0, 1), Fraction(2)), ((), Fraction(1)))), [Fraction(3), Fraction(5)], ())
    Fraction(31, 1)
    """
    terms = (
        weight * answer(term, x, categories)
        if isinstance(term, Question)
        else weight * prod(x[f] if isinstance(f, int) else int(x[f[0]] == f[1]) for f in term)
        for term, weight in score
    )
    return sum(terms, Fraction(0))


def linear(w: Sequence[Any], b: Any = 0) -> Score:
    """w·x + b, of floats as the rationals that they are.

    >>> linear([0.5, 0])
    (((0,), Fraction(1, 2)),)
    """
    terms: list[tuple[Monomial, Fraction]] = [((j,), Fraction(a)) for j, a in enumerate(w)]
    return tuple((term, a) for term, a in [*terms, ((), Fraction(b))] if a)


def combined(parts: Iterable[tuple[Score, Any]]) -> Score:
    """The sum of scores, each times a number; errors as `added`.

    >>> combined([(linear([1, 2]), 1), (linear([1, 0], 3), -1)])
    (((1,), Fraction(2, 1)), ((), Fraction(-3, 1)))
    """
    found: dict[Any, list[Any]] = {}
    for score, times in parts:
        for term, weight in score:
            found.setdefault(term, []).append(weight * Fraction(times))
    sums = ((term, added(weights)) for term, weights in found.items())
    return tuple((term, weight) for term, weight in sums if weight)


def product(a: Score, b: Score) -> Score:
    """The product of two sums of monomials.

    >>> product(linear([2], 1), linear([2], -1))
    (((0, 0), Fraction(4, 1)), ((), Fraction(-1, 1)))
    """
    terms: list[tuple[Any, Any]] = [((*m, *n), v * w) for m, v in a for n, w in b]  # type: ignore[operator]  # numbers
    return combined((((tuple(sorted(term, key=_order)), weight),), 1) for term, weight in terms)


def _order(factor: Any) -> tuple[bool, Factor]:
    """Categories first, then numbers in the order of columns."""
    return isinstance(factor, int), factor


Form = tuple[Monomial, Fraction, Fraction]
"""A column as a times a factor of another row, plus c; or () with 0 and c."""


def rewritten(part: Any, forms: Sequence[Form], categories: Categories) -> Any:
    """The same question, score or decision about other rows; `forms`: each old column, a > 0.

    >>> rewritten((((0, 1), Fraction(2)),), [((0,), Fraction(3), ONE), ((), ZERO, ONE)], [None])
    (((), Fraction(2, 1)), ((0,), Fraction(6, 1)))
    """

    def again(inner: Any) -> Any:
        return rewritten(inner, forms, categories)

    match part:
        case None | Cut(_, None):
            return part
        case Graph(nodes, start):
            found = {n: node._replace(question=again(node.question)) for n, node in nodes.items()}
            return Graph(found, start)
        case Best(present, stages):
            return Best(present, tuple(tuple(map(again, one)) for one in stages))
        case Cut(column, threshold, strict) if threshold is not None:
            (factor,), a, c = forms[column]
            if isinstance(factor, int):
                return Cut(factor, (threshold - c) / a, strict)
            j, own = factor
            zero, one = ((value, strict) <= (threshold, False) for value in (ZERO, ONE))
            names = (name for name in categories[j] or () if (one if name == own else zero))
            return Member(j, tuple(names), 1 if zero else -1)
        case Member(column):
            return part._replace(column=int(forms[column][0][0]))  # type: ignore[arg-type]  # a column
        case Sign(score, at_zero):
            return Sign(again(score), at_zero)
    columns = [combined([((((), c), (factors, a)), 1)]) for factors, a, c in forms]
    return combined(
        (((again(term), weight),), 1)
        if isinstance(term, Question)
        else (reduce(product, (columns[j] for j in term), ONLY), weight)
        for term, weight in part
    )


ZERO, ONE = Fraction(0), Fraction(1)
ONLY: Score = (((), ONE),)
"""The number 1."""
