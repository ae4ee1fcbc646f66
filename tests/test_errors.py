"""Errors as values: their family, and that they pass between processes whole."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import refmc
from refmc import (
    DataError,
    FormatError,
    InfeasibleError,
    NotPositiveSemidefiniteError,
    RefmcError,
    TieError,
    UnboundedError,
)

ERRORS = [
    DataError("row 3"),
    TieError("tied", (1, 2)),
    NotPositiveSemidefiniteError("not", [Fraction(1), Fraction(-1)]),
    InfeasibleError("none", [Fraction(1)], [Fraction(0), Fraction(2)]),
    UnboundedError("falls", [0.0], [1.0]),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_an_error_is_a_value_error_and_survives_pickling_with_its_proof(error: RefmcError) -> None:
    assert isinstance(error, ValueError)
    twin = pickle.loads(pickle.dumps(error))  # made in this test
    assert type(twin) is type(error)
    assert str(twin) == str(error)
    assert vars(twin) == vars(error)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: refmc.check({"family": "svm.hard", "X": [["x"]], "y": [1]}, {"w": [1]}),
        lambda: refmc.check({"family": "loss.hinge", "z": [1]}, {"values": ["x"]}),
        lambda: refmc.check("{", "{"),
        lambda: refmc.solve_problem({"family": "svm.hard", "X": [[1], [1, 2]], "y": [1, -1]}),
        lambda: refmc.trace_problem({"family": "nope"}),
        lambda: refmc.load_model('{"model": "tree"}'),
        lambda: refmc.assert_certified({"family": "loss.hinge", "z": [1]}, {"value": [1]}),
    ],
)
def test_a_malformed_problem_shows_the_message_and_hardly_a_frame(ask: Callable[[], Any]) -> None:
    with pytest.raises(FormatError) as caught:
        ask()
    _, lambda_, *of_refmc = [entry.name for entry in caught.traceback]
    assert (lambda_, of_refmc[-1]) == ("<lambda>", "called") and len(of_refmc) <= 2
    assert caught.value.__cause__ is None and caught.value.__suppress_context__
