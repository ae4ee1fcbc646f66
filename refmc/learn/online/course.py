"""How a perceptron's training went, and the averages of the weights that it passed through.

The weights are a sum of what was added at mistakes, so an average of them over all visits is the
same sum with each addend scaled by the share of the average that came after it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from refmc.core.callables import check_function
from refmc.core.linalg import dot, total
from refmc.core.scalars import S
from refmc.errors import ParameterError
from refmc.learn.online.draws import Average, Visit, average_weight


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


def kept_shares(course: Course, average: Average, zero: S) -> list[S]:
    """For each mistake the share of the average that what it added has: of all visits since."""
    check_function(average, "average", "a function of t, such as equally, or None")
    weights = [average_weight(average, t, zero) for t in range(1, course.visits + 1)]
    if not course.mistakes:
        return []
    whole = total(weights, zero)
    if not whole > 0:
        raise ParameterError("average: expected a positive weight for one visit at least")
    later, since = zero, [zero] * len(weights)
    for t in range(len(weights) - 1, -1, -1):
        later += weights[t]
        since[t] = later
    return [since[visit.t - 1] / whole for visit in course.mistakes]


def combination(terms: Sequence[tuple[S, tuple[S, ...]]], d: int, zero: S) -> tuple[S, ...]:
    """Σ a·x over the pairs (a, x), x of d numbers."""
    coefficients = [a for a, _ in terms]
    return tuple(dot(coefficients, [x[j] for _, x in terms], zero) for j in range(d))
