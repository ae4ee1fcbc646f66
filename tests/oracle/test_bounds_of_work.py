"""What is too large ends in a named error, or is left open with the reason, before much is done."""

import json
import sys
from collections.abc import Callable
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import (
    FormatError,
    ParameterError,
    RefmcError,
    check,
    fit_kernel_perceptron,
    grow_tree,
    load_model,
    polynomial,
    solve_problem,
)
from refmc.checker.numbers import hulls
from refmc.checker.online import replay
from refmc.core.records import Record
from refmc.oracle.families import FAMILIES

LONG = "9" * 20_001
SQUARE = [[0] * 1_001] * 1_001
BOUND = {"empirical": 0, "k": 2, "rho": 1, "m": 100, "delta": "1/20"}
SPLIT = {"question": {"column": 0, "threshold": 0}, "negative": 1, "positive": 2}
FAR: Record = {"X": [[0], [1]], "y": ["a", "b"], "weights": ["1e-4000", "1e4000"]}
GROWN: Record = {**FAR, "tree": {"nodes": [SPLIT, {}, {}]}, "risk": "entropy"}

OVERSIZED: dict[str, tuple[Record, Record]] = {
    "svm.multiclass": ({"X": [[0] * 5_000] * 5_000, "y": [1], "C": 1}, {"labels": [1]}),
    "svm.binary": ({"gram": SQUARE, "y": [1], "C": 1}, {"labels": [1]}),
    "svm.hard": ({"X": [[0] * 5_000] * 5_000, "y": [1]}, {"labels": [1]}),
    "qp.convex": ({"Q": SQUARE, "c": [0] * 1_001}, {"objective": 0}),
    "tree.grow": ({**FAR, "impurity": "entropy"}, {"tree": {"nodes": [{}]}}),
    "tree.prune": (GROWN, {"lam": 1, "risk": "1/3"}),
    "boost.ada": ({"X": [[0]], "y": [1], "rounds": 10**7}, {"rounds": []}),
    "boost.mh": ({"X": [[0]], "Y": [1], "rounds": 10**7}, {"rounds": []}),
    "perceptron.binary": ({"X": [[0]], "y": [1], "epochs": 10**9}, {"w": [0]}),
    "perceptron.kernel": ({"gram": [[0]], "y": [1], "epochs": 10**9}, {"alpha": [0]}),
    "perceptron.multiclass": ({"X": [[0]], "y": [1], "epochs": 10**9}, {"W": [[0]]}),
    "sgd.binary": ({"X": [[0]], "y": [1], "C": 1, "eta": 1, "epochs": 10**9}, {"w": [0]}),
    "sgd.multiclass": ({"X": [[0]], "y": [1], "lam": 1, "T": 10**9}, {"W": [[0]]}),
    "loss.hinge": ({"z": [LONG]}, {"values": [0]}),
    "loss.perceptron": ({"z": [LONG]}, {"values": [0]}),
    "loss.exponential": ({"z": ["-1e5000"]}, {"values": [1]}),
    "loss.logistic": ({"z": [LONG]}, {"values": [1]}),
    "loss.margin": ({"z": [LONG]}, {"values": [0]}),
    "loss.multiclass_hinge": ({"scores": [[LONG, 0]], "y": [0]}, {"values": [0]}),
    "loss.multiclass_hinge_sum": ({"scores": [[LONG, 0]], "y": [0]}, {"values": [0]}),
    "loss.zero_one": ({"scores": [[LONG, 0]], "y": [0]}, {"values": [0]}),
    "loss.hamming": ({"predicted": [[10**5000]], "y": [[1]]}, {"values": [1]}),
    "code.decode": ({"code": [[1], [-1]], "f": [[LONG]]}, {"labels": [0]}),
    "ovo.decode": ({"pairs": [[LONG]]}, {"labels": [0]}),
    "ova.decode": ({"scores": [[LONG, 0]]}, {"labels": [0]}),
    "nodes.decode": (
        {"classes": ["a", "b"], "f": [[1]], "eliminations": 10**9}, {"labels": ["a"]},
    ),
    "bound.rademacher": ({"values": [[1] * 40]}, {"value": 1}),
    "bound.margin": ({**BOUND, "k": LONG, "expected_complexity": 1}, {"vacuous": True}),
    "bound.kernel_rademacher": ({"r_squared": LONG, "Lambda_squared": 1, "m": 4}, {"value": 1}),
    "bound.kernel_margin": ({**BOUND, "r_squared": LONG, "Lambda_squared": 1}, {"vacuous": True}),
    "bound.perceptron": ({"X": [[LONG]], "y": [1], "w": [1]}, {"bound": 1}),
    "bound.adaboost": ({"epsilons": [f"1/{10**4000 + i}" for i in range(99)]}, {"product": "1e-9"}),
}  # fmt: skip


def in_few_steps(run: Callable[[], object], most: int = 100_000) -> object:
    """What a function gives, or the error of refmc that it raises, after at most so many calls."""
    calls = 0

    def count(*event: object) -> None:
        nonlocal calls
        calls += 1
        if calls > most:
            raise TimeoutError(f"more than {most} calls")

    sys.setprofile(count)
    try:
        return run()
    except RefmcError as error:
        return error
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_family_refuses_an_oversized_problem_at_once(family: str) -> None:
    fields, answer = OVERSIZED[family]
    problem = {"family": family, **fields}
    found: Any = in_few_steps(lambda: check(problem, answer))
    assert isinstance(found, FormatError) or (found.status == "INCONCLUSIVE" and found.hint)
    assert isinstance(in_few_steps(lambda: solve_problem(problem)), RefmcError)


def test_a_run_that_ties_at_every_step_is_searched_through_no_further_than_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(replay, "MAX_SEARCHED", 500)
    problem = {"family": "sgd.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"],
               "lam": "1", "T": 300}  # fmt: skip
    found: Any = in_few_steps(lambda: check(problem, {"W": [[0, 0]] * 3}), 1_000_000)
    assert found.status == "INCONCLUSIVE" and "too many states" in found.hint


def test_a_wrong_subgradient_of_many_entries_is_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hulls, "MOST_PRODUCTS", 1_000)
    features = [[[(i * j) % 7 - 3 for i in range(40)] for j in range(4)]]
    problem = {"family": "loss.multiclass_hinge", "scores": [[0] * 4], "y": [0],
               "cost": [[0] * 4] * 4, "features": features}  # fmt: skip
    found = check(problem, {"subgradients": [[i % 5 for i in range(40)]]})
    assert found.status == "INCONCLUSIVE" and "row 0: its subgradient" in found.hint
    right = [F(a - b) for a, b in zip(features[0][1], features[0][0])]
    assert check(problem, {"subgradients": [right]}, gap=0)


def test_a_look_ahead_without_end_is_refused_in_python_too() -> None:
    X = [[i, -i] for i in range(30)]
    with pytest.raises(ParameterError, match=r"lookahead: 3 levels of 60 questions look at more"):
        grow_tree(X, [i % 2 for i in range(30)], lookahead=10**6)


def test_a_saved_model_cannot_ask_for_a_power_without_end() -> None:
    model = fit_kernel_perceptron([[F(1)], [F(-1)]], [1, -1], kernel=polynomial(3, 1, 1))
    record = json.loads(model.to_json())
    record["kernel"]["degree"] = 10**9
    with pytest.raises(FormatError, match="kernel: degree: at most 1000, got 1000000000"):
        load_model(json.dumps(record))
