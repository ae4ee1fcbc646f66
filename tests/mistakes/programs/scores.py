"""What programs print of right scores."""

from collections.abc import Callable
from typing import Any

PRINTED: dict[str, Callable[[float], float]] = {
    "scores_cut": lambda v: float(int(v)),
    "scores_negated": lambda v: -v,
    "scores_rounded": lambda v: float(round(v)),
    "scores_short": lambda v: round(v, 2),
    "scores_of_0": lambda v: 0.0,
}


def told_scores(scores: list[Any], bug: str) -> list[Any]:
    """The scores of rows, or of rows and classes, as the program prints them."""
    if scores and isinstance(scores[0], list):
        if bug == "scores_reversed":
            return [row[::-1] for row in scores]
        return [told_scores(row, bug) for row in scores]
    return [PRINTED[bug](v) if bug in PRINTED else v for v in scores]
