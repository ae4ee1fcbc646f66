"""Reference losses: rows by hand, and values and subgradients that the checker accepts."""

import math
from decimal import Context, Decimal
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import check, exact, solve_problem
from refmc.answers import trace_problem
from refmc.core.records import Record
from refmc.errors import ExactnessLimitError, FormatError
from refmc.oracle.rows import Rounded

pytestmark = pytest.mark.usefixtures("without_hints")

SCORES: Record = {"family": "loss.multiclass_hinge", "scores": [[0, 0, 1]], "y": [2]}


def test_a_row_of_a_margin_shows_the_slopes_of_all_pieces() -> None:
    below, kink, above = trace_problem({"family": "loss.hinge", "z": ["1/4", 1, 3]})
    assert below == {"row": 0, "z": F(1, 4), "loss": F(3, 4), "tied": (-1,), "subgradient": -1}
    assert kink == {"row": 1, "z": 1, "loss": 0, "tied": (-1, 0), "subgradient": -1}
    assert above == {"row": 2, "z": 3, "loss": 0, "tied": (0,), "subgradient": 0}


def test_a_row_of_scores_shows_the_positions_that_reach_the_maximum() -> None:
    # 1 + 0 − 1 = 0 for either wrong class: all three positions reach the loss 0
    (row,) = trace_problem(SCORES)
    assert row == {
        "row": 0, "scores": [0, 0, 1], "y": 2, "loss": 0, "tied": (0, 1, 2),
        "subgradient": (1, 0, -1),
    }  # fmt: skip
    (row,) = trace_problem({**SCORES, "family": "loss.multiclass_hinge_sum", "X": [[3]]})
    assert row["tied"] == (0, 1) and row["loss"] == 0
    assert row["subgradient"] in [((a,), (b,), (-a - b,)) for a in (0, 3) for b in (0, 3)]


def test_zero_one_and_hamming_count_the_places_that_differ() -> None:
    codes: Record = {"predicted": [[1, -1], [1, 1]], "y": [[1, 1], [1, 1]]}
    for name, first in (("hamming", "1/2"), ("zero_one", "1")):
        problem = {**codes, "family": f"loss.{name}"}
        assert solve_problem(problem)["values"] == [first, "0"]
    tied: Record = {"family": "loss.zero_one", "scores": [[1, 1], [0, 2]], "y": [1, 1]}
    assert [row["tied"] for row in trace_problem(tied)] == [(0, 1), (1,)]
    assert solve_problem(tied)["values"] == ["1", "0"] and check(tied, solve_problem(tied), gap=0)


@pytest.mark.parametrize(
    ("predicted", "y"),
    [(["1"], [1]), ([True], [1]), ([None], [None]), ([[1, "1"]], [[1, 1]]), ([float("nan")], [1])],
)
def test_labels_of_unlike_types_are_not_compared(predicted: Any, y: Any) -> None:
    for name in ("zero_one", "hamming"):
        with pytest.raises(
            FormatError, match=r"predicted\[0\].*: (.* of one type|expected a label)"
        ):
            solve_problem({"family": f"loss.{name}", "predicted": predicted, "y": y})


def test_irrational_losses_are_decimals_near_enough_for_any_gap_above_them() -> None:
    z = ["0", "-3/2", "7", "-100", "1e30"]
    for name, of in (("exponential", exponential), ("logistic", logistic)):
        problem = {"family": f"loss.{name}", "z": z}
        answer: Any = solve_problem(problem)
        assert check(problem, answer, gap="1e-29") and "subgradients" not in answer
        for text, mine in zip(z, answer["values"], strict=True):
            assert math.isclose(F(mine), of(float(F(text))), rel_tol=1e-14)


def test_a_logistic_loss_below_0_is_right_to_thirty_digits() -> None:
    # ln(1 + e^(1/3)) by a series of its own: 60 digits of exp and ln of the decimal module
    sixty = Context(prec=60)
    for z in ("1/3", "-1/3", "-2/7"):
        power = sixty.exp(sixty.divide(Decimal(-F(z).numerator), Decimal(F(z).denominator)))
        right = F(sixty.ln(sixty.add(1, power)))
        answer: Any = solve_problem({"family": "loss.logistic", "z": [z]})
        (value,) = exact(answer["values"])
        assert abs(value - right) <= right / 10**29


def test_losses_far_from_0_are_solved_and_traced_without_their_powers() -> None:
    for name, z, right in (
        ("exponential", "1e7", 0), ("logistic", "1e7", 0), ("logistic", "-1e7", 10**7),
        ("logistic", "1e4000", 0), ("logistic", "-1e4000", F(10) ** 4000),
    ):  # fmt: skip
        problem = {"family": f"loss.{name}", "z": [z, 0]}
        answer: Any = solve_problem(problem)
        assert exact(answer["values"])[0] == right and check(problem, answer)
        assert next(trace_problem(problem))["loss"] == Rounded(F(right))
    far: dict[str, Any] = {"family": "code.decode", "code": [[1], [-1]], "decoding": "logistic"}
    far["f"] = [["1e7"]]
    found: Any = solve_problem(far)
    assert exact(found["distances"]) == [[0, 10**7]] and check(far, found)


def exponential(z: float) -> float:
    return math.exp(-z)


def logistic(z: float) -> float:
    return math.log1p(math.exp(-z))


def test_a_loss_with_too_many_digits_is_refused_by_row() -> None:
    problem = {"family": "loss.exponential", "z": [0, "-1e30"]}
    with pytest.raises(ExactnessLimitError, match="row 1: the exponential loss"):
        solve_problem(problem)
    assert check(problem, {"values": [1, 2]}).status == "INCONCLUSIVE"


COST = [[0, "1/2", 2], [1, 0, 1], [3, 1, 0]]


FORMS = ["multiclass_hinge", "multiclass_hinge_sum"]
OPTIONS = ["", "cost", "X", "features"]


@pytest.mark.parametrize(
    ("name", "option"), [("zero_one", ""), *((form, name) for form in FORMS for name in OPTIONS)]
)
def test_what_is_solved_is_verified_and_no_value_can_change(name: str, option: str) -> None:
    random = Random(f"{name}{option}")
    for _ in range(20):
        m = random.randint(1, 4)
        problem: dict[str, Any] = {
            "family": f"loss.{name}", "scores": grid(random, m, 3),
            "y": [random.randrange(3) for _ in range(m)],
        }  # fmt: skip
        problem |= {"cost": COST} if option == "cost" else {}
        problem |= {"X": grid(random, m, 2)} if option == "X" else {}
        if option == "features":
            problem["features"] = [grid(random, 3, 2) for _ in range(m)]
        answer: Any = solve_problem(problem)
        assert check(problem, answer, gap=0).status == "VERIFIED"
        assert ("subgradients" in answer) == (name != "zero_one")
        wrong = [str(F(answer["values"][0]) + 2), *answer["values"][1:]]
        assert check(problem, {"values": wrong}, gap=0).status == "REFUTED"


def grid(random: Random, m: int, d: int) -> list[list[str]]:
    return [[str(F(random.randint(-2, 2), 2)) for _ in range(d)] for _ in range(m)]


@pytest.mark.parametrize("name", ["hinge", "perceptron", "margin"])
def test_losses_of_margins_are_verified(name: str) -> None:
    z = [str(F(n, 4)) for n in range(-6, 7)]
    problem = {"family": f"loss.{name}", "z": z, **({"rho": "3/4"} if name == "margin" else {})}
    answer = solve_problem(problem)
    assert check(problem, answer, gap=0).status == "VERIFIED"
    assert ("subgradients" in answer) == (name != "margin")


def test_a_trace_names_the_classes_that_the_problem_names() -> None:
    problem = {"family": "loss.multiclass_hinge", "scores": [[0, 2]], "y": ["b"]}
    (row,) = trace_problem({**problem, "classes": ["b", "a"]})
    assert (row["scores"], row["y"], row["tied"]) == ({"b": 0, "a": 2}, "b", ["a"])
    assert (row["loss"], row["subgradient"]) == (3, {"b": -1, "a": 1})
    (row,) = trace_problem({**problem, "y": [0]})
    assert (row["scores"], row["y"], row["tied"]) == ([0, 2], 0, (1,))


def test_labels_without_classes_are_no_positions() -> None:
    problem = {"family": "loss.multiclass_hinge", "scores": [[0, 2]], "y": ["b"]}
    with pytest.raises(FormatError, match=r"problem\.y: labels need classes"):
        solve_problem(problem)
