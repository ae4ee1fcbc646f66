"""What near enough means for SVMs and quadratic programs, and what all parts of an answer must
share.

Every optimum is by hand. FAR: the rows 0 and 20000 are separated by w = 1/10000, b = -1 with the
norm 1/10^8, alpha = 1/(2 10^8) each. THOUSAND: W = (v/2, -v/2) has margins 1000 v, so v = 1/1000
and the optimum is v^2/4 = 1/(4 10^6). FREE: alpha = 1/4 each gives w = 1/2, and P = 1/8 + 1/4 for
every b from -1/2 to 1/2.
"""

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.checker import Verdict
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

FAR: Record = {"family": "svm.hard", "X": [[0], [20000]], "y": [-1, 1]}
THOUSAND: Record = {
    "family": "svm.multiclass", "X": [[1000], [-1000]], "y": ["a", "b"], "C": 1,
}  # fmt: skip
FREE: Record = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "1/4"}
MICRO = F(1, 10**6)


def status(problem: Record, answer: Record, gap: Any = None) -> str:
    return check(problem, answer, gap=gap).status


# --- The gap is relative to the optimum


@pytest.mark.parametrize("answer", [{"alpha": [0, 0]}, {"w": ["1/1000"], "b": -10}])
def test_worthless_hard_margins_are_refuted_however_small_the_norms(answer: Record) -> None:
    assert status(FAR, answer) == "REFUTED"


def test_a_hard_margin_is_right_up_to_a_share_of_its_optimum() -> None:
    assert status(FAR, {"w": ["1/10000"], "b": -1}, 0) == "VERIFIED"
    # w grows by t: the norm by 2t and t^2
    for t, right in (("4e-7", "VERIFIED"), ("6e-7", "REFUTED")):
        w = F(1, 10**4) * (1 + F(t))
        verdict = check(FAR, {"w": [w], "b": -1})
        assert verdict.status == right and verdict.relative == 2 * F(t) + F(t) ** 2
        assert verdict.gap == F(1, 2 * 10**8) * verdict.relative


def test_multipliers_of_zero_and_exchanged_labels_are_refuted() -> None:
    verdict = check(THOUSAND, {"lam": [[0, 0], [0, 0]]})
    assert verdict.status == "REFUTED" and verdict.relative == 1
    verdict = check(THOUSAND, {"labels": ["b", "a"]})
    # to score 0 both ways v must fall to 0, which costs the whole optimum
    assert verdict.status == "REFUTED" and verdict.gap == F(1, 4 * 10**6)


def test_labels_within_the_gap_ask_for_no_witness() -> None:
    verdict = check(THOUSAND, {"labels": ["b", "a"]}, gap=2)
    assert verdict.status == "INCONCLUSIVE" and "no witness can decide" in verdict.hint
    verdict = check(FREE, {"labels": [-1, 1]}, gap=9)
    assert verdict.status == "INCONCLUSIVE" and "witness is needed" not in verdict.hint


def test_an_optimum_of_zero_allows_nothing() -> None:
    alone: Record = {"family": "svm.binary", "X": [[1], [3]], "y": [1, 1], "C": 1}
    assert status(alone, {"w": [0], "b": 1}) == "VERIFIED"
    assert status(alone, {"w": ["1e-30"], "b": 1}) == "REFUTED"
    flat: Record = {"family": "qp.convex", "Q": [[1]], "c": [0]}
    assert status(flat, {"x": [0]}) == "VERIFIED" and status(flat, {"x": ["1e-30"]}) == "REFUTED"


def test_what_a_repair_moved_belongs_to_the_gap() -> None:
    # three rows of three classes: lam_20 = 0 is optimal, and -1/1000 is moved to it, the own entry
    # too
    problem: Record = {
        "family": "svm.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": [0, 1, 2], "C": 1,
    }  # fmt: skip
    third = "1/3"
    lam = [["2/3", third, third], [third, "2/3", third], ["-1/1000", 0, "-1/1000"]]
    verdict = check(problem, {"lam": lam}, gap="4e-3")
    assert verdict.status == "VERIFIED" and verdict.gap == F(2, 1000)
    assert verdict.relative == F(2, 1000) / F(2, 3)
    assert status(problem, {"lam": lam}, "2e-3") == "REFUTED"
    # FREE: 1/4 + 1/1000 is cut to C = 1/4
    verdict = check(FREE, {"alpha": ["0.251", "0.25"]}, gap="3e-3")
    assert verdict.status == "VERIFIED" and verdict.gap == F(1, 1000)
    assert status(FREE, {"alpha": ["0.251", "0.25"]}, "2e-3") == "REFUTED"
    verdict = check(FAR, {"alpha": [F(1, 2 * 10**8), F(1, 2 * 10**8) + F(1, 10**12)]}, gap="2e-3")
    assert verdict.status == "VERIFIED" and verdict.gap == F(1, 10**12)


# --- Proofs that stay proofs when they are multiplied


@pytest.mark.parametrize("factor", [F(1, 10**12), F(1), F(10**12)])
def test_a_proof_of_infeasibility_may_have_any_size(factor: F) -> None:
    problem: Record = {
        "family": "qp.convex", "Q": [[1]], "c": [0], "G": [[3], [-1]], "h": [-1, -1],
    }  # fmt: skip

    def judged(*mu: F | float) -> str:
        return status(problem, {"feasible": False, "inequality_multipliers": list(mu)})

    assert judged(factor / 3, factor) == "VERIFIED"
    assert judged(float(factor) / 3, float(factor)) == "VERIFIED"
    assert judged(factor / 3, F(0)) == "REFUTED"
    assert judged(factor, -factor / 10**9) == "REFUTED"  # a sign is exact
    assert judged(factor / 3, factor * (1 + F(1, 10**5))) == "REFUTED"


def test_multipliers_that_prove_nothing_are_refuted() -> None:
    problem: Record = {
        "family": "qp.convex", "Q": [[1]], "c": [0], "G": [[1], [-1]], "h": [-1, -1],
    }  # fmt: skip
    for mu in (["1e-7", 0], ["2e-7", "-1e-7"], [0, 0]):
        answer = {"feasible": False, "inequality_multipliers": mu}
        assert status(problem, answer) == "REFUTED"


def test_a_ray_may_have_any_size() -> None:
    problem: Record = {"family": "qp.convex", "Q": [[1, 0], [0, 0]], "c": [-1, -1]}
    for ray, right in (
        (["1e-7", 0], "REFUTED"), ([0, "1e-7"], "VERIFIED"), ([0, "1e9"], "VERIFIED"),
        (["1e-7", 1], "VERIFIED"), (["1e-5", 1], "REFUTED"), ([0, "-1e-7"], "REFUTED"),
    ):  # fmt: skip
        assert status(problem, {"bounded": False, "x": [0, 0], "ray": ray}) == right
        assert status(problem, {"bounded": False, "ray": ray}) == right
    assert status(problem, {"bounded": False}) == "VERIFIED"
    assert status(problem, {"bounded": False, "x": [7, -7]}) == "VERIFIED"
    assert status({**problem, "Q": [[1, 0], [0, 1]]}, {"bounded": False}) == "REFUTED"


def test_a_common_point_is_one_up_to_a_share_of_the_rows() -> None:
    problem: Record = {
        "family": "svm.hard", "X": [[0], ["0.0008"], ["0.0004"]], "y": [1, 1, -1],
    }  # fmt: skip
    for combination, right in (
        ([1, 0, 1], "REFUTED"), ([1, 1, 2], "VERIFIED"), (["1e-9", "1e-9", 7], "VERIFIED"),
        ([1, "1.000001", 2], "VERIFIED"), ([1, "1.00001", 2], "REFUTED"),
    ):  # fmt: skip
        assert status(problem, {"combination": combination}) == right


def test_a_program_is_judged_by_the_terms_of_each_condition() -> None:
    # 1/2 x^2 - 10^9 x, x <= 1: x = 1, mu = 10^9 - 1, the optimum 1/2 - 10^9
    problem: Record = {"family": "qp.convex", "Q": [[1]], "c": ["-1e9"], "G": [[1]], "h": [1]}
    right = F(10**9 - 1)
    for mu, found in ((right, "VERIFIED"), (right + 100, "VERIFIED"), (right + 10**5, "REFUTED")):
        assert status(problem, {"x": [1], "inequality_multipliers": [mu]}) == found
    assert status(problem, {"x": [1 + F(1, 10**7)]}) == "VERIFIED"
    assert status(problem, {"x": [1 + F(3, 10**6)]}) == "REFUTED"  # its row is of size 2
    assert status(problem, {"objective": F(1, 2) - 10**9 + 900}) == "VERIFIED"
    assert status(problem, {"objective": F(1, 2) - 10**9 + 1100}) == "REFUTED"


# --- One bias for all parts


def free(answer: Record) -> Verdict:
    return check(FREE, answer, gap=0)


@pytest.mark.parametrize(
    "answer",
    [
        {"w": ["1/2"], "slack": [0, 1]},
        {"w": ["1/2"], "slack": [1, 0]},
        {"w": ["1/2"], "slack": ["1/4", "3/4"]},
        {"alpha": ["1/4", "1/4"], "slack": [0, 1]},
        {"w": ["1/2"], "b": "-1/2", "scores": [0, -1]},
        {"w": ["1/2"], "scores": [0, -1], "labels": [1, -1]},
        {"w": ["1/2"], "scores": [0, -1], "labels": [-1, -1]},
        {"w": ["1/2"], "slack": [0, 1], "scores": [1, 0], "labels": [1, 1]},
        {"scores": [0, -1], "slack": [1, 0], "labels": [-1, -1]},
        {"w": ["1/2"], "labels": [1, 1]},
        {"w": ["1/2"], "b": "1/2", "labels": [1, 1], "slack": [0, 1]},
        {"alpha": ["1/4", "1/4"], "labels": [-1, -1], "scores": [0, -1]},
    ],
)
def test_every_bias_that_explains_all_parts_will_do(answer: Record) -> None:
    verdict = free(answer)
    assert verdict.status == "VERIFIED" and verdict.gap == 0, verdict.explain()


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"w": ["1/2"], "b": "1/2", "scores": [0, -1]},
         "must be at least 1/2 for b as given, at most -1/2 for the scores"),
        ({"w": ["1/2"], "scores": [0, -1], "slack": [0, 1]},
         "must be at least 1/2 for the slack, at most -1/2 for the scores"),
        ({"w": ["1/2"], "b": "-1/2", "labels": [1, 1]},
         "must be at least 1/2 for the labels, at most -1/2 for b as given"),
        ({"scores": [0, -1], "labels": [1, 1]},
         "must be at least 1/2 for the labels, at most -1/2 for the scores"),
        ({"alpha": ["1/4", "1/4"], "b": 0, "scores": [1, 0]},
         "must be at least 1/2 for the scores, at most 0 for b as given"),
        ({"w": ["1/2"], "slack": [0, 1], "labels": [-1, -1]},
         "must be at least 1/2 for the slack, at most -1/2 for the labels"),
    ],
)  # fmt: skip
def test_parts_that_need_different_biases_are_refuted_together(answer: Record, text: str) -> None:
    for gap in (0, None):
        verdict = check(FREE, answer, gap=gap)
        assert verdict.status == "REFUTED"
        assert ("bias", text) in [(v.place, v.text) for v in verdict.violations]


def test_a_single_class_of_hard_margin_leaves_a_bias_to_agree_on() -> None:
    alone: Record = {"family": "svm.hard", "X": [[1], [2]], "y": [1, 1]}
    assert status(alone, {"w": [0], "b": 5, "scores": [5, 5]}, 0) == "VERIFIED"
    assert status(alone, {"w": [0], "scores": [5, 5]}, 0) == "VERIFIED"
    assert status(alone, {"w": [0], "b": 1, "scores": [5, 5]}) == "REFUTED"
    assert status(alone, {"scores": [5, 6]}) == "REFUTED"
    # b = 1 is the end: a larger one that is given widens nothing
    far = {"w": [0], "b": 10**9}
    assert status(alone, {**far, "scores": [10**9] * 2}) == "VERIFIED"
    assert status(alone, {**far, "scores": [10**9 + 1] * 2}) == "REFUTED"


def test_floats_of_one_bias_agree_with_each_other() -> None:
    # rows 0.1 and 0.7 as binary64: w = 10/3 and b = -4/3 in exact decimals, rounded here
    problem: Record = {"family": "svm.binary", "X": [[0.1], [0.7]], "y": [-1, 1], "C": 100}
    w, b = 2 / (0.7 - 0.1), -(0.7 + 0.1) / (0.7 - 0.1)
    scores = [w * 0.1 + b, w * 0.7 + b]
    answer = {"w": [w], "b": b, "scores": scores, "labels": [-1, 1], "slack": [1e-16, 0.0]}
    assert status(problem, answer) == "VERIFIED"
    assert status(problem, {**answer, "b": b + 1e-2}) == "REFUTED"


def test_labels_beside_numbers_may_be_those_of_the_numbers() -> None:
    # x = 1 alone scores 1/2 and -1/2; the zero row scores 0 with any W, so both labels are right
    problem: Record = {"family": "svm.multiclass", "X": [[0], [1]], "y": ["a", "b"], "C": 1}
    for label in ("a", "b"):
        assert status(problem, {"W": [["-1/2"], ["1/2"]], "labels": [label, "b"]}, 0) == "VERIFIED"
    assert status(problem, {"W": [["-1/2"], ["1/2"]], "labels": ["a", "a"]}) == "REFUTED"


# --- Matrices that are semi-definite up to rounding


def rounded_gram() -> list[list[float]]:
    x = [0.6000000000000001, -0.15, 1.75]
    return [[u * v + 0.5 for v in x] for u in x]


def test_a_matrix_of_kernel_values_may_be_semidefinite_up_to_rounding() -> None:
    """K = x x' + 1/2 in floats: the eigenvalue that should be 0 is near -1e-16."""
    problem: Record = {"family": "svm.binary", "gram": rounded_gram(), "y": [1, -1, 1], "C": 1}
    # rows x, -0.15 negative: with exact values w = (x_0 + 0.15) a_0 ... is found by the learner for
    # the rows themselves, whose kernel is the same up to rounding
    rows: Record = {
        "family": "svm.binary", "X": [["0.6"], ["-0.15"], ["1.75"]], "y": [1, -1, 1], "C": 1,
    }  # fmt: skip
    alpha = solve_problem(rows)["alpha"]
    verdict = check(problem, {"alpha": alpha})
    assert verdict.status == "VERIFIED", verdict.explain()
    assert "semi-definite up to rounding: judged for K + " in verdict.hint
    assert status(problem, {"alpha": ["1/2", "1/2", 0]}) == "REFUTED"
    exact = check(problem, {"alpha": alpha}, gap=0)
    assert exact.status == "INCONCLUSIVE" and "no more is known" in exact.hint


def test_beyond_rounding_a_matrix_proves_nothing() -> None:
    problem: Record = {"family": "svm.binary", "gram": [[1, 2], [2, 1]], "y": [1, -1], "C": 1}
    verdict = check(problem, {"alpha": [1, 1]})
    assert verdict.status == "INCONCLUSIVE" and "vᵀKv = -3" in verdict.explain()


def explained(parts: Record, g: list[F], y: list[int], low: F, high: F) -> bool:
    """Whether one optimal bias gives all parts, by trying every b that could be the only one."""
    slack: Any = [F(str(v)) for v in parts.get("slack", ())]  # type: ignore[attr-defined]
    tries = {low, high, *(-s for s in g), *(sign - s for sign, s in zip(y, g))}
    tries |= {sign * (1 - eta) - s for sign, s, eta in zip(y, g, slack)}
    tries |= {F(str(v)) - s for v, s in zip(parts.get("scores", ()), g)}  # type: ignore[call-overload]
    tries |= {F(str(parts["b"]))} if "b" in parts else set()
    tries |= {(p + q) / 2 for p in tries for q in tries}

    def gives_all(b: F) -> bool:
        f = [s + b for s in g]
        right: dict[str, Any] = {
            "b": b, "scores": f, "slack": [max(F(0), 1 - sign * v) for sign, v in zip(y, f)],
        }  # fmt: skip
        signs: Any = parts.get("labels", [0] * len(y))
        return all(parts.get(name, value) == value for name, value in right.items()) and all(
            sign * v >= 0 for sign, v in zip(signs, f)
        )

    return any(low <= b <= high and gives_all(b) for b in tries)


def test_parts_of_any_biases_are_judged_as_brute_force_explains_them() -> None:
    """Rows x = 0, 1, 3 of many signs and costs have intervals of optimal biases."""
    random, met = Random(4), {"VERIFIED": 0, "REFUTED": 0}
    for _ in range(60):
        X = [[F(v)] for v in random.sample([-2, -1, 0, 1, 3], 3)]
        y = [1, -1, random.choice([-1, 1])]
        problem: Record = {
            "family": "svm.binary",
            "X": X,
            "y": y,
            "C": random.choice(["1/9", "1/2"]),
        }
        solved: Any = solve_problem(problem)
        w, (low, high) = F(solved["w"][0]), map(F, solved["b_interval"])
        g = [w * x for [x] in X]

        def some_bias(low: F = low, high: F = high) -> F:
            return random.choice([low, high, (low + high) / 2, (low + 3 * high) / 4])

        b, parts = some_bias(), dict[str, Any]()
        for name in random.sample(["b", "scores", "slack", "labels"], random.randint(1, 3)):
            at = b if random.random() < 0.7 else some_bias()
            f = [s + at for s in g]
            made: dict[str, Any] = {
                "b": at,
                "scores": f,
                "slack": [max(F(0), 1 - sign * v) for sign, v in zip(y, f)],
                "labels": [1 if v > 0 else -1 if v < 0 else random.choice([1, -1]) for v in f],
            }
            parts[name] = made[name]
        with_numbers = random.choice([{"w": [w]}, {"alpha": solved["alpha"]}])
        verdict = check(problem, {**parts, **with_numbers}, gap=0)
        assert verdict.status == ("VERIFIED" if explained(parts, g, y, low, high) else "REFUTED"), (
            problem, parts, with_numbers, verdict.explain(),
        )  # fmt: skip
        met[verdict.status] += 1
    assert min(met.values()) > 5
