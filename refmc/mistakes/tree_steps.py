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


def _twoing(at: Split) -> Fraction:
    """A quarter of p q (Σ |p_c − q_c|)², by the shares of the children and of their classes."""
    shares = zip(*([Fraction(v, sum(part)) for v in part] for part in at.parts))
    apart = sum((abs(p - q) for p, q in shares), Fraction(0))
    return at.shares[0] * at.shares[1] * apart**2 / 4


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
    "twoing": _twoing,
}
"""By how much a question decreases the impurity."""


def text(value: Fraction) -> str:
    """A number as a program prints it by whose texts values are sorted."""
    return str(float(value)) if abs(value) <= float_info.max else str(value)


Candidates = list[tuple[int, int]]


class Asked(NamedTuple):
    """The values of a column among the rows of a node, each but the largest with the one that
    follows, by their ranks; the ranks and the classes of the rows, and the values.
    """

    pairs: Candidates
    column: list[int]
    y: list[int]
    values: Sequence[Fraction]


def _between_labels(at: Asked) -> Candidates:
    """Those between the last row of one value and the first of the next that differ in class."""
    ends = dict(zip(at.column, at.y))
    return [(a, b) for a, b in at.pairs if ends[a] != at.y[at.column.index(b)]]


def _up_to_mean(at: Asked) -> Candidates:
    total = sum(at.values[r] for r in at.column)
    return [(a, b) for a, b in at.pairs if at.values[a] * len(at.column) <= total][-1:]


THRESHOLDS: dict[str, Callable[[Asked], Candidates]] = {
    "right": lambda at: at.pairs,
    "first_threshold_missed": lambda at: at.pairs[1:],
    "last_threshold_missed": lambda at: at.pairs[:-1],
    "ends_missed": lambda at: at.pairs[1:-1],
    "less_for_at_most": lambda at: at.pairs[:-1],
    "tied_values_cut": lambda at: [*pairwise(sorted(at.column))],
    "every_second_threshold": lambda at: at.pairs[::2],
    "tied_values_skipped": lambda at: [p for p in at.pairs if at.column.count(p[0]) == 1],
    "median_alone": lambda at: at.pairs[len(at.pairs) // 2 :][:1],
    "mean_alone": _up_to_mean,
    "text_order": lambda at: [*pairwise(sorted({*at.column}, key=lambda r: text(at.values[r])))],
    "values_unsorted": lambda at: [*pairwise(dict.fromkeys(at.column))],
    "between_labels_alone": _between_labels,
}
"""Which values of a column a question may have, each with the one that follows."""


SMALLEST: dict[str, Callable[[Sequence[Any]], Any]] = {
    "right": min,
    "min_leaf_of_yes": lambda sizes: sizes[0],
    "min_leaf_of_either": max,
    "min_leaf_exclusive": lambda sizes: min(sizes) - 1,
}
"""What of the sizes of two children, yes first, must be that of a leaf."""
