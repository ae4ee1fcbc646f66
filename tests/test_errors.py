"""Errors as values: their family, and that they pass between processes whole."""

import pickle
from fractions import Fraction

import pytest

from refmc import (
    DataError,
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
