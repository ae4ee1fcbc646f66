"""`check` and `solve` refuse what is too large by name before anything long begins."""

from collections.abc import Callable
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem
from refmc.core.records import Record

POLYNOMIAL = {"name": "polynomial", "degree": 900, "scale": 1, "offset": 1}
MANY: list[tuple[Record, Record, str]] = [
    ({"family": "svm.binary", "X": [[0]] * 10_000_001, "y": [1], "C": 1}, {"labels": [1]},
     r"problem\.X: 10000001 by 1 numbers are more than"),
    ({"family": "svm.hard", "X": [[0] * 5_000] * 5_000, "y": [1]}, {"labels": [1]}, r"problem\.X"),
    ({"family": "svm.binary", "gram": [[0] * 1_001] * 1_001, "y": [1], "C": 1}, {"labels": [1]},
     r"problem\.gram: 1001 by 1001 numbers are more than"),
    ({"family": "svm.multiclass", "X": [[0]] * 4_000, "y": list(range(4_000)), "C": 1},
     {"labels": [1]}, r"problem\.X: 4000 rows of 1 numbers with 4000 classes are more than"),
    ({"family": "svm.multiclass", "X": [[0]] * 1_001, "y": [0] * 1_001, "C": 1,
      "kernel": {**POLYNOMIAL, "degree": 1}}, {"labels": [1]}, r"problem\.kernel: the values"),
    ({"family": "svm.binary", "X": [["1e5000"]] * 200, "y": [1] * 200, "C": 1,
      "kernel": {**POLYNOMIAL, "degree": 1}}, {"labels": [1]},
     r"problem\.kernel: the values for all pairs of 200"),
    ({"family": "svm.binary", "X": [["1e5000"]] * 2, "y": [1] * 2, "C": 1,
      "kernel": POLYNOMIAL}, {"labels": [1]}, r"problem\.kernel: a kernel value has more than"),
    ({"family": "qp.convex", "Q": [[0] * 1_001] * 1_001, "c": [0] * 1_001}, {"objective": 0},
     r"problem: 1001 unknowns and 0 constraints"),
    ({"family": "qp.convex", "Q": [[0]], "c": [0], "G": [[1]] * 1_000, "h": [0] * 1_000},
     {"objective": 0}, r"problem: 1 unknowns and 1000 constraints"),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answer", "message"), MANY, ids=range(len(MANY)))
def test_an_oversized_problem_is_refused(problem: Record, answer: Record, message: str) -> None:
    for take in (solve_problem, lambda record: check(record, answer)):
        refuse: Callable[[Record], Any] = take
        with pytest.raises(FormatError, match=message):
            refuse(problem)


def test_what_is_as_large_as_it_may_be_is_read() -> None:
    few: Record = {"family": "qp.convex", "Q": [[0]], "c": [0], "G": [[0]] * 999, "h": [0] * 999}
    assert check(few, {"x": [3], "objective": 0}, gap=0).status == "VERIFIED"
