"""Steps of growing and pruning trees, with what people take for them.

Each table has the right step and those of the mistakes, by name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import log, log2
from sys import float_info
from typing import Any, NamedTuple

from refmc.core.records import Record
from refmc.learn.trees.saving import IMPURITIES
from refmc.mistakes.mistake import Wrong, step_of
from refmc.oracle.families import declared_for
from refmc.theory.impurity import entropy, gini

MISREAD: dict[str, dict[str, Callable[[Sequence[Any]], Any]]] = {
    "gini": {
        "gini_rooted": lambda counts: Fraction(float(gini(counts)) ** 0.5),
        "gini_of_first": lambda counts: gini([counts[0], sum(counts[1:])]),
        "half_gini_of_first": lambda counts: gini([counts[0], sum(counts[1:])]) / 2,
        "gini_of_majority": lambda counts: gini([max(counts), sum(counts) - max(counts)]),
        "gini_of_largest": lambda counts: 1 - (Fraction(max(counts)) / sum(counts)) ** 2,
        "gini_smoothed": lambda counts: gini([count + 1 for count in counts]),
    },
    "entropy": {
        "log_base": lambda counts: near(float(entropy(counts)) * log(2)),
        "entropy_of_present": lambda counts: near(
            float(entropy(counts)) / max(1, log2(sum(map(bool, counts))))
        ),
    },
    "misclassification": {"errors_of_rarest": lambda counts: Fraction(min(counts)) / sum(counts)},
}
"""What is taken for an impurity."""

OVER_ROWS: dict[str, Callable[[Any, Fraction], Any]] = {
    "gini": lambda F, mean: 1 - (1 - F) * mean * mean,
    "entropy": lambda F, mean: near(float(mean) * (float(F) - log2(mean))),
    "misclassification": lambda F, mean: 1 - (1 - F) * mean,
}
"""An impurity if classes are divided by rows that weigh this on average, not by their weight."""


def near(value: float) -> Fraction:
    """A number of which floats that differ by rounding alone make the same."""
    return Fraction(round(value, 12))


def impurity_of(name: str, wrong: Wrong) -> Callable[[Sequence[Any]], Any]:
    """An impurity, or what is taken for it."""
    return step_of({**MISREAD.get(name, {}), "right": IMPURITIES[name]}, wrong)


KNOWN = {
    *("classes", "columns", "categorical", "weights", "impurity", "weighted", "thresholds"),
    *("max_splits", "min_leaf", "min_split", "max_depth", "min_decrease", "min_impurity"),
    *("min_leaf_weight", "risk", "scale"),
}
"""The settings that the programs here know; asked for another one, they say nothing."""


def asks_for_more(problem: Record) -> bool:
    """Whether a problem has settings that these programs don't know."""
    about = declared_for(problem)
    reading = about.read(problem)
    others = [field for field in about.optional if field.name not in KNOWN]
    return any(reading[field] != field.default for field in others)


class Split(NamedTuple):
    """The impurities of a node, the root and two children, yes first; what the classes in these
    weigh, how many rows they have, and what the rows of the node and all rows weigh.
    """

    F: Any
    of_root: Any
    of: list[Any]
    parts: list[list[Fraction]]
    rows: list[int]
    size: Any
    total: Any

    def fall(self, *shares: Fraction | int) -> Any:
        """By how much the children, of these shares, are purer."""
        return self.F - (self.of[0] * shares[0] + self.of[1] * shares[1])

    def over(self, size: Fraction | int) -> list[Fraction]:
        """The weights of the children, divided by something."""
        return [sum(part, Fraction(0)) / size for part in self.parts]

    @property
    def shares(self) -> list[Fraction]:
        """Those of the children in the weight of the node."""
        return self.over(self.size)


DECREASES: dict[str, Callable[[Split], Any]] = {
    "right": lambda at: at.fall(*at.shares),
    "children_unweighted": lambda at: at.fall(Fraction(1, 2), Fraction(1, 2)),
    "children_summed": lambda at: at.fall(1, 1),
    "shares_swapped": lambda at: at.fall(*at.shares[::-1]),
    "shares_of_rows": lambda at: at.fall(*(Fraction(n, sum(at.rows)) for n in at.rows)),
    "shares_by_rows": lambda at: at.fall(*at.over(sum(at.rows))),
    "shares_of_all": lambda at: at.fall(*at.over(at.total)),
    "purest_child": lambda at: at.F - min(at.of),
    "less_pure_child": lambda at: at.F - max(at.of),
    "yes_child_alone": lambda at: at.fall(1, 0),
    "yes_share_alone": lambda at: at.fall(at.shares[0], 0),
    "from_root": lambda at: at.of_root - at.F + at.fall(*at.shares),
    "parent_left_out": lambda at: at.fall(*at.shares) - at.F,
    "decrease_negated": lambda at: at.fall(*at.shares) * -1,
    "decrease_lost": lambda at: Fraction(0),
    "gain_ratio": lambda at: Fraction(float(at.fall(*at.shares)) / float(entropy([*at.shares]))),
    "twoing": lambda at: (
        at.shares[0]
        * at.shares[1]
        * sum(
            abs(Fraction(p, sum(at.parts[0])) - Fraction(q, sum(at.parts[1])))
            for p, q in zip(*at.parts)
        )
        ** 2
        / 4
    ),
}
"""By how much a question decreases the impurity."""


def text(value: Fraction) -> str:
    """A number as a program prints it by whose texts values are sorted."""
    return str(float(value)) if abs(value) <= float_info.max else str(value)


Candidates = list[tuple[int, int]]

THRESHOLDS: dict[
    str, Callable[[Candidates, list[int], list[int], Sequence[Fraction]], Candidates]
] = {
    "right": lambda pairs, column, y, values: pairs,
    "first_threshold_missed": lambda pairs, column, y, values: pairs[1:],
    "last_threshold_missed": lambda pairs, column, y, values: pairs[:-1],
    "less_for_at_most": lambda pairs, column, y, values: pairs[:-1],
    "every_second_threshold": lambda pairs, column, y, values: pairs[::2],
    "tied_values_skipped": lambda pairs, column, y, values: [
        pair for pair in pairs if column.count(pair[0]) == 1
    ],
    "median_alone": lambda pairs, column, y, values: pairs[len(pairs) // 2 :][:1],
    "mean_alone": lambda pairs, column, y, values: [
        (a, b) for a, b in pairs if values[a] * len(column) <= sum(values[r] for r in column)
    ][-1:],
    "text_order": lambda pairs, column, y, values: [
        *pairwise(sorted({*column}, key=lambda rank: text(values[rank])))
    ],
    "values_unsorted": lambda pairs, column, y, values: [*pairwise(dict.fromkeys(column))],
    "between_labels_alone": lambda pairs, column, y, values: [
        (a, b) for a, b in pairs if y[::-1][column[::-1].index(a)] != y[column.index(b)]
    ],
}
"""Which values of a column a question may have, each with the one that follows. Values are given by
their ranks.
"""


SMALLEST: dict[str, Callable[[Sequence[Any]], Any]] = {
    "right": min,
    "min_leaf_of_yes": lambda sizes: sizes[0],
    "min_leaf_of_either": max,
    "min_leaf_exclusive": lambda sizes: min(sizes) - 1,
}
"""What of the sizes of two children, yes first, must be that of a leaf."""
