"""What near enough means for losses, decisions and bounds, and what all parts of an answer must
share.
"""

import math
import re
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem
from refmc.checker.values import bounds
from refmc.core.records import Record
from refmc.oracle.forms import REMARKS
from refmc.theory import rademacher, training_bounds

pytestmark = pytest.mark.usefixtures("without_hints")


def status(problem: Record, answer: Record, gap: Any = None) -> str:
    return check(problem, answer, gap=gap).status


# --- One choice at every tie explains all parts


@pytest.mark.parametrize(
    ("values", "mean", "right"), [([0], 0, True), ([1], 1, True), ([0], 1, False), ([1], 0, False)]
)
def test_the_mean_of_a_tied_zero_one_loss_is_that_of_the_values_beside_it(
    values: list[int], mean: int, right: bool
) -> None:
    tied: Record = {"family": "loss.zero_one", "scores": [[1, 1]], "y": [0]}
    assert status(tied, {"values": values, "mean": mean}) == ("VERIFIED" if right else "REFUTED")
    assert status(tied, {"mean": mean}) == status(tied, {"values": values}) == "VERIFIED"
    assert status(tied, {"mean": "1/2"}) == "REFUTED"


def test_a_refuted_zero_one_loss_names_all_values_that_its_ties_admit() -> None:
    scores = [[1, 1]] * 4 + [[1, 0]]

    def text(answer: Record, rows: int = 5) -> str:
        problem = {"family": "loss.zero_one", "scores": scores[-rows:], "y": [0] * rows}
        return check(problem, answer).violations[0].text

    assert text({"values": ["1/2", 0, 0, 0, 0]}) == "1/2, needs 0 or 1"
    assert text({"values": [0, 0, 0, 0, 1]}) == "1, needs 0"  # where nothing ties
    assert text({"mean": "1/7"}) == "1/7, needs 0, 1/5, … or 4/5"
    assert text({"mean": "1/7"}, 4) == "1/7, needs 0, 1/4, … or 3/4"
    assert text({"mean": "1/7"}, 3) == "1/7, needs 0, 1/3 or 2/3"
    assert text({"mean": "1/7"}, 2) == "1/7, needs 0 or 1/2"
    # the values beside it settle the mean
    assert text({"values": [0, 1, 1, 0, 0], "mean": "3/5"}) == "3/5, needs 2/5"


def test_a_label_beside_a_set_is_one_of_the_set() -> None:
    near: Record = {"family": "ova.decode", "scores": [[0.3, 0.1 + 0.2]]}
    for label, chosen, right in (
        (0, [0, 1], True), (1, [0, 1], True), (1, [1], True), (0, [1], False), (0, [0], False),
    ):  # fmt: skip
        answer = {"labels": [label], "label_sets": [chosen]}
        assert status(near, answer) == ("VERIFIED" if right else "REFUTED")
        assert status(near, answer, 0) == (
            "VERIFIED" if label == 1 and chosen == [1] else "REFUTED"
        )


def test_a_bound_that_may_be_1_is_called_vacuous_as_the_total_beside_it_says() -> None:
    # (1/4)² is the square of the confidence's complement: the total is 1 up to the digits given
    half: Record = {
        "family": "bound.margin", "empirical": "1/2", "k": 2, "rho": 1, "m": 100, "delta": "0.05",
        "expected_complexity": 0,
    }  # fmt: skip
    confidence = F(str(solve_problem(half)["confidence"]))
    for change in (F(1, 10**12), F(-1, 10**12)):
        problem = {**half, "empirical": str(1 - confidence + change)}
        for vacuous in (True, False):
            exact = "VERIFIED" if vacuous == (change > 0) else "REFUTED"
            assert status(problem, {"vacuous": vacuous}, 0) == exact
            assert status(problem, {"vacuous": vacuous}) == "VERIFIED"
            for total in (1, "0.9999999999"):
                together = {"vacuous": vacuous, "total": total}
                right = vacuous == (total == 1)
                assert status(problem, together) == ("VERIFIED" if right else "REFUTED")
        assert status({**half, "empirical": "0.8"}, {"vacuous": True}) == "REFUTED"


# --- Ties of floats

THREE_TENTHS = [0.3, 0.1 + 0.2]  # 0.1 + 0.2 is above 0.3 by 2^-54


@pytest.mark.parametrize(
    "problem",
    [
        {"family": "ova.decode", "scores": [THREE_TENTHS]},
        {"family": "ova.decode", "scores": [THREE_TENTHS], "rule": "score_among_claims"},
        {"family": "ovo.decode", "rule": "score_sum",
         "w": [[[0, 0, 0.3], [0, 0, 0.1 + 0.2], [-0.3, -0.1 - 0.2, 0]]]},
        *({"family": "code.decode", "code": [[1, 0], [0, 1]], "f": [THREE_TENTHS], "decoding": loss}
          for loss in ("hinge", "exponential", "logistic")),
    ],
)  # fmt: skip
def test_classes_that_rounding_ties_are_admitted_but_not_exactly(problem: Record) -> None:
    assert solve_problem(problem)["label_sets"] == [[1]]
    assert status(problem, {"labels": [0]}) == "VERIFIED"
    assert status(problem, {"label_sets": [[0, 1]]}) == status(problem, {"labels": [1]})
    assert status(problem, {"label_sets": [[0]]}) == "REFUTED"  # the best is missing
    assert status(problem, {"labels": [0]}, 0) == "REFUTED"
    assert status(problem, {"label_sets": [[0, 1]]}, 0) == "REFUTED"
    verdict = check(problem, {"labels": [0]})
    assert verdict.gap is not None and verdict.relative is not None
    assert 0 < verdict.gap < F(1, 10**15) and 0 < verdict.relative < F(1, 10**15)


def test_only_the_scores_that_are_compared_say_what_is_near() -> None:
    for scores in ([-(10**9), 0, "-1/2"], [-(10**30), "1e-9", 0], [10**9, 10**9 + 3, 0]):
        problem: Record = {"family": "ova.decode", "scores": [scores]}
        solved: Any = solve_problem(problem)["labels"]
        for label in {0, 1, 2} - {*solved}:
            assert status(problem, {"labels": [label]}) == "REFUTED"


def test_signs_have_no_tolerance() -> None:
    for problem in (
        {"family": "ova.decode", "scores": [[1e-300, 0]], "rule": "claim"},
        {"family": "ovo.decode", "pairs": [[1e-300]]},
        {"family": "ovo.decode", "pairs": [[1e-300]], "rule": "tournament", "bracket": [1, 0]},
        {"family": "code.decode", "code": [[1], [-1]], "f": [[1e-300]]},
    ):
        assert status(problem, {"label_sets": [[0]]}) == "VERIFIED"
        assert status(problem, {"label_sets": [[0, 1]]}) == "REFUTED"
        assert status(problem, {"labels": [1]}) == "REFUTED"


@pytest.mark.parametrize("loss", ["multiclass_hinge", "multiclass_hinge_sum"])
def test_a_margin_that_rounding_violates_has_either_slope(loss: str) -> None:
    # 1 + 0.1 - 1.1 is 0, of binary64 2^-53 off
    problem: Record = {
        "family": f"loss.{loss}", "scores": [[0.1, 1.1]], "y": [1], "X": [[2, 3]],
    }  # fmt: skip
    for slope in ([[0, 0], [0, 0]], [[2, 3], [-2, -3]], [[1, "3/2"], [-1, "-3/2"]]):
        assert status(problem, {"subgradients": [slope]}) == "VERIFIED"
    assert status(problem, {"subgradients": [[[3, 4], [-3, -4]]]}) == "REFUTED"
    exact = solve_problem(problem)["subgradients"]
    assert status(problem, {"subgradients": exact}, 0) == "VERIFIED"
    for value, right in ((0, True), (2.2e-16, True), (1e-8, False), (-1e-16, False)):
        assert status(problem, {"values": [value]}) == ("VERIFIED" if right else "REFUTED")


# --- Worthless values are refuted however small or large the numbers are


@pytest.mark.parametrize(
    ("problem", "field", "worthless"),
    [
        ({"family": "loss.exponential", "z": [30]}, "values", [0]),
        ({"family": "loss.logistic", "z": [30]}, "values", [0]),
        ({"family": "loss.hinge", "z": [10**12]}, "values", [1]),
        ({"family": "loss.perceptron", "z": ["-1e-9"]}, "values", [0]),
        ({"family": "loss.perceptron", "z": [10**12]}, "values", [1]),
        ({"family": "loss.margin", "z": [10**12], "rho": "1e-3"}, "values", ["1e-9"]),
        ({"family": "loss.multiclass_hinge", "scores": [[10**12, -5, 0]], "y": [0]}, "values", [1]),
        ({"family": "loss.multiclass_hinge", "scores": [["1e-9", 0]], "y": [1],
          "cost": [[0, 0]] * 2},
         "values", [0]),
        ({"family": "code.decode", "code": [[1], [-1]], "f": [[40]], "decoding": "exponential"},
         "distances", [[0, "235385266837019985.40789991"]]),
        ({"family": "ovo.decode", "pairs": [["1e-9"]]}, "sums", [[0, 0]]),
        ({"family": "bound.kernel_rademacher", "r_squared": "1e-20", "Lambda_squared": 1, "m": 1},
         "value", 0),
        ({"family": "bound.rademacher", "values": [["1e-9"], ["-1e-9"]]}, "value", 0),
        ({"family": "bound.perceptron", "X": [["1e-9"]], "y": [1], "w": [1]}, "margin_squared", 0),
        ({"family": "bound.adaboost", "epsilons": ["1e-20"]}, "product", 0),
    ],
)  # fmt: skip
def test_a_value_is_judged_by_its_own_terms(problem: Record, field: str, worthless: Any) -> None:
    assert status(problem, {field: worthless}) == "REFUTED"
    assert status(problem, {field: solve_problem(problem)[field]}) == "VERIFIED"


def test_a_number_too_small_for_binary64_may_be_given_as_none() -> None:
    for family in ("loss.exponential", "loss.logistic"):
        problem: Record = {"family": family, "z": [800]}  # e^-800 is about 4e-348
        assert status(problem, {"values": [0.0]}) == "VERIFIED"
        assert status(problem, {"values": [0]}, 0) == status(problem, {"values": [-1e-300]})
        assert status(problem, {"values": [1e-300]}) == "REFUTED"


def test_a_perceptrons_bound_knows_how_much_of_the_margin_has_cancelled() -> None:
    # w·x = 1e-6 of terms of size 1: γ² = 1e-12/2 may be off by 2e-3 of itself where terms are by
    # 1e-9
    problem: Record = {
        "family": "bound.perceptron", "X": [[1, 1]], "y": [1], "w": [1, "-0.999999"],
    }  # fmt: skip
    right = F(str(solve_problem(problem)["bound"]))
    for change, outcome in (
        (F(3, 1000), "VERIFIED"),
        (F(-1, 100), "REFUTED"),
        (F(1, 100), "REFUTED"),
    ):
        assert status(problem, {"bound": right * (1 + change)}) == outcome
        assert status(problem, {"bound": right * (1 + change)}, 0) == "REFUTED"
    vanishing = {**problem, "w": [1, "-0.9999999999"]}
    right = F(str(solve_problem(vanishing)["bound"]))
    assert status(vanishing, {"bound": 9 * right}) == "INCONCLUSIVE"
    assert status(vanishing, {"bound": right}) == "VERIFIED"
    assert status(vanishing, {"bound": 0}) == "REFUTED"


# --- Scaling a problem changes no verdict

SCALED: list[tuple[Record, dict[str, int], dict[str, int]]] = [
    ({"family": "loss.perceptron", "z": ["-7/3", 2, "-1/9"]}, {"z": 1}, {"values": 1, "mean": 1}),
    ({"family": "loss.margin", "z": ["1/3", 2], "rho": "5/7"}, {"z": 1, "rho": 1},
     {"values": 0, "mean": 0}),
    ({"family": "loss.multiclass_hinge", "scores": [["1/3", 2, 1]], "y": [2], "X": [[3, "1/7"]],
      "cost": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
     {"scores": 1, "cost": 1, "X": 2}, {"values": 1, "mean": 1, "subgradients": 2}),
    ({"family": "loss.multiclass_hinge_sum", "scores": [["1/3", 2, 1]], "y": [2],
      "features": [[[3, 1], ["1/7", 0], [5, 5]]], "cost": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
     {"scores": 1, "cost": 1, "features": 2}, {"values": 1, "mean": 1, "subgradients": 2}),
    ({"family": "loss.zero_one", "scores": [["1/3", 2], [1, 0]], "y": [0, 0]}, {"scores": 1},
     {"values": 0, "mean": 0}),
    ({"family": "ova.decode", "scores": [["1/3", 2, 1]]}, {"scores": 1}, {}),
    ({"family": "ova.decode", "scores": [["1/3", 2, -1]], "rule": "claim"}, {"scores": 1}, {}),
    ({"family": "nodes.decode", "classes": ["a", "b", "c"], "f": [["1/3", -2]]}, {"f": 1}, {}),
    ({"family": "ovo.decode", "pairs": [["1/3", -2, 1]], "rule": "score_sum"}, {"pairs": 1},
     {"sums": 1, "votes": 0}),
    ({"family": "code.decode", "code": [[1, -1], [1, 1]], "f": [["1/3", 2]]}, {"f": 1},
     {"distances": 0}),
    ({"family": "bound.rademacher", "values": [[1, "1/3", 2], [0, -1, 5]]}, {"values": 1},
     {"value": 1}),
    ({"family": "bound.kernel_rademacher", "r_squared": 3, "Lambda_squared": 1, "m": 2},
     {"r_squared": 2}, {"value": 1}),
    ({"family": "bound.margin", "empirical": "1/9", "k": 3, "rho": "1/7", "m": 9, "delta": "1/3",
      "expected_complexity": "1/99"}, {"rho": 1, "expected_complexity": 1},
     {"complexity": 0, "total": 0}),
    ({"family": "bound.perceptron", "X": [[1, 2], [-3, -1]], "y": [1, -1], "w": [2, "-1/3"]},
     {"X": 1}, {"R_squared": 2, "margin_squared": 2, "bound": 0}),
    ({"family": "bound.perceptron", "X": [[1, 2], [-3, -1]], "y": [1, -1], "w": [2, "-1/3"]},
     {"w": 1}, {"R_squared": 0, "margin_squared": 0, "bound": 0}),
]  # fmt: skip


def times(value: Any, factor: F) -> Any:
    if isinstance(value, (list, tuple)):
        return [times(entry, factor) for entry in value]
    return F(str(value)) * factor


@pytest.mark.parametrize(("problem", "powers", "parts"), SCALED)
def test_scaling_a_problem_changes_no_verdict(
    problem: Record, powers: dict[str, int], parts: dict[str, int]
) -> None:
    answer = solve_problem(problem)
    labels = {"labels": answer["labels"]} if "labels" in answer else {}
    assert set(parts) <= set(answer)
    for off, outcome in ((F(0), "VERIFIED"), (F(1, 10**10), "VERIFIED"), (F(1, 10**4), "REFUTED")):
        changed = {name: times(answer[name], 1 + off) for name in parts}
        if not changed:
            outcome = "VERIFIED"
        for exponent in (0, 40, -40):
            scale = F(2) ** exponent
            scaled = {n: times(problem[n], scale**power) for n, power in powers.items()}
            given = {name: times(changed[name], scale**power) for name, power in parts.items()}
            verdict = check({**problem, **scaled}, {**given, **labels})
            assert verdict.status == outcome, verdict.explain()


# --- Every field of every answer counts

PLAIN: list[Record] = [
    {"family": "loss.hinge", "z": ["1/2", 2]},
    {"family": "loss.perceptron", "z": ["-1/2", 3]},
    {"family": "loss.exponential", "z": ["1/2", 2]},
    {"family": "loss.logistic", "z": ["1/2", 2]},
    {"family": "loss.margin", "z": ["1/2"], "rho": 2},
    {"family": "loss.multiclass_hinge", "scores": [[2, "1/2", 0]], "y": [1], "X": [[1, 3]]},
    {"family": "loss.multiclass_hinge_sum", "scores": [[2, "1/2", 0]], "y": [1]},
    {"family": "loss.zero_one", "scores": [[2, 1], [0, 1]], "y": [0, 0]},
    {"family": "loss.zero_one", "predicted": ["a", "b"], "y": ["a", "a"]},
    {"family": "loss.hamming", "predicted": [[1, -1, 1]], "y": [[1, 1, 1]]},
    {"family": "code.decode", "code": [[1, 1], [-1, -1]], "f": [[3, 1]]},
    {"family": "code.decode", "code": [[1, 1], [-1, -1]], "f": [[3, 1]], "decoding": "logistic"},
    {"family": "ovo.decode", "pairs": [[1, 2, 3]]},
    {"family": "ova.decode", "scores": [[1, 2, 3]]},
    {"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]},
    {"family": "bound.margin", "empirical": "1/20", "k": 3, "rho": 1, "m": 100, "delta": "1/20",
     "expected_complexity": "1/100"},
    {"family": "bound.kernel_rademacher", "r_squared": 2, "Lambda_squared": 1, "m": 3},
    {"family": "bound.kernel_margin", "empirical": 0, "k": 2, "rho": 2, "m": 9, "delta": "0.05",
     "r_squared": 1, "Lambda_squared": 1},
    {"family": "bound.perceptron", "X": [[3, 4], [-5, 0]], "y": [1, -1], "w": [1, 0]},
    {"family": "bound.adaboost", "epsilons": ["1/10", "1/4"]},
]  # fmt: skip

NONE = {
    "loss.margin": ["subgradients"], "loss.zero_one": ["subgradients"],
    "loss.hamming": ["subgradients"],
}  # fmt: skip

BY_HAND: dict[tuple[str, str], Any] = {
    ("loss.exponential", "subgradients"): ["-0.60653065971263342360", "-0.13533528323661269189"],
    ("loss.logistic", "subgradients"): ["-0.37754066879814543536", "-0.11920292202211755594"],
    ("bound.adaboost", "error"): "0.5196152422706632",  # √0.27, 3√3/10
}


def leaves(value: Any, path: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    if not isinstance(value, list):
        return [path]
    return [leaf for t, entry in enumerate(value) for leaf in leaves(entry, (*path, t))]


def changed_at(value: Any, path: tuple[int, ...], change: Any) -> Any:
    if not path:
        return change(value)
    return [changed_at(v, path[1:], change) if t == path[0] else v for t, v in enumerate(value)]


@pytest.mark.parametrize("problem", PLAIN)
def test_every_field_of_an_answer_that_is_changed_alone_is_refuted(problem: Record) -> None:
    answer: dict[str, Any] = solve_problem(problem)
    family = str(problem["family"])
    with pytest.raises(FormatError, match="unknown field") as refusal:
        check(problem, {"no such field": 1})
    known = set(re.findall(r"\w+", str(refusal.value).split("known: ")[1])) - set(REMARKS)
    for field in known - set(NONE.get(family, [])):
        value = BY_HAND.get((family, field), answer.get(field))
        assert value is not None, f"{family} needs an example of {field}"
        assert status(problem, {**answer, field: value}) == "VERIFIED"
        for path in leaves(value):
            for change in changes(field, value):
                wrong = changed_at(value, path, change)
                verdict = check(problem, {**answer, field: wrong})
                assert verdict.status == "REFUTED", (field, wrong, verdict.explain())


def changes(field: str, value: Any) -> list[Any]:
    if isinstance(value, bool):
        return [lambda v: not v]
    if field in ("labels", "label_sets"):
        return [lambda v: (v + 1) % 2]
    share = [lambda v: F(str(v)) * F(10001, 10000) + F(1, 10**6)]
    return share if field == "error" else [*share, lambda v: F(str(v)) - F(1, 1000)]


# --- Bounds of work


def test_the_checker_answers_wherever_the_solver_does_and_both_refuse_the_same() -> None:
    assert (bounds.MOST_SUMS, bounds.MOST_DIGITS) == (
        rademacher.MAX_SUMS, training_bounds.MOST_BITS,
    )  # fmt: skip
    huge: list[tuple[Record, Record, str]] = [
        ({"family": "bound.rademacher", "values": [[1] * 40]}, {"value": 0}, "too many"),
        ({"family": "bound.rademacher", "values": [[1]] * 9}, {"value": 1}, ""),
        ({"family": "bound.adaboost", "epsilons": ["1/" + "3" * 3999] * 50}, {"product": 0},
         "binary digits"),
    ]  # fmt: skip
    for problem, answer, reason in huge:
        if reason:
            with pytest.raises(FormatError, match=reason):
                solve_problem(problem)
            verdict = check(problem, answer)
            assert verdict.status == "INCONCLUSIVE" and reason in verdict.hint
        else:
            assert check(problem, solve_problem(problem)).status == "VERIFIED"


def test_a_subgradient_by_many_weights_is_judged_entry_by_entry() -> None:
    d = 600  # as linear programs these had 1,800 rows
    x = [F(n % 7 - 3, 1 + n % 5) for n in range(d)]
    for loss in ("multiclass_hinge", "multiclass_hinge_sum"):
        problem: Record = {"family": f"loss.{loss}", "scores": [[0, 0, 1]], "y": [2], "X": [x]}
        third = [v / 3 for v in x]
        minus = [-2 * v / 3 for v in x]
        assert status(problem, {"subgradients": [[third, third, minus]]}, 0) == "VERIFIED"
        off = [third[0] + 1, *third[1:]]
        verdict = check(problem, {"subgradients": [[off, third, minus]]}, gap=0)
        assert verdict.status == "REFUTED" and verdict.gap == 1


EXPONENTIAL = {"family": "loss.exponential", "z": [800]}
PRODUCT = {"family": "bound.adaboost", "epsilons": ["1e-700"]}
TINY_ERROR = {
    "family": "boost.ada", "X": [[0]] * 2, "y": [1, -1], "base": "any", "rounds": 1,
    "weights": [1, "1e-400"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "answer"),
    [
        ({"family": "loss.zero_one", "scores": [[1, 0]], "y": [0]}, lambda v: {"values": [v]}),
        ({"family": "loss.zero_one", "scores": [[1, 0]], "y": [0]}, lambda v: {"mean": v}),
        ({"family": "loss.hamming", "predicted": [[1]], "y": [[1]]}, lambda v: {"mean": v}),
        ({"family": "loss.hinge", "z": [2]}, lambda v: {"values": [v]}),
        ({"family": "bound.rademacher", "values": [[0]]}, lambda v: {"value": v}),
        (EXPONENTIAL, lambda v: {"values": [v]}),
        (EXPONENTIAL, lambda v: {"mean": v}),
        (EXPONENTIAL, lambda v: {"subgradients": [v]}),
        ({**EXPONENTIAL, "z": [10**5]}, lambda v: {"values": [v]}),
        ({"family": "loss.logistic", "z": [800]}, lambda v: {"values": [v]}),
        (PRODUCT, lambda v: {"product": v}),
        (
            {"family": "code.decode", "code": [[1], [-1]], "f": [[800]], "decoding": "exponential"},
            lambda v: {"distances": [[v, "2.7263745721125665673647795463672697579e347"]]},
        ),
        (TINY_ERROR, lambda v: {"rounds": [{"base": [1, 1], "Z_squared": v}]}),
        (TINY_ERROR, lambda v: {"rounds": [{"base": [1, 1], "epsilon": v}]}),
    ],
)  # fmt: skip
def test_below_the_smallest_normal_float_0_alone_is_near_enough(problem: Any, answer: Any) -> None:
    assert status(problem, answer(0)) == "VERIFIED"
    for wrong in ("1e-310", "-1e-310", "2e-308", "-2e-308", 5e-324, "1e-700"):
        assert status(problem, answer(wrong)) == "REFUTED"


def test_a_float_below_the_smallest_normal_one_is_right_where_it_is_the_nearest() -> None:
    for z in (709, 720, 740, 745):
        value = math.exp(-z)
        problem = {**EXPONENTIAL, "z": [z]}
        right = {"values": [value], "mean": value, "subgradients": [-value]}
        assert status(problem, right) == "VERIFIED"
        assert status(problem, {"values": [1.01 * value + 1e-323]}) == "REFUTED"
