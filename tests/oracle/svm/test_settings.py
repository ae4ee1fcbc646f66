"""Costs, losses, features, weights and biases in records: read, solved, judged, and refused by
name.
"""

import json
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import FormatError, check, solve_problem, solve_qp
from refmc.answers import trace_problem
from refmc.core.records import Record

GRID = [F(-1), F(0), F(1)]


def multiclass_problem(random: Random) -> dict[str, Any]:
    m, k = random.randint(1, 3), random.randint(2, 3)
    record: dict[str, Any] = {
        "family": "svm.multiclass", "y": [random.randrange(k) for _ in range(m)],
        "classes": list(range(k)), "C": random.choice(["1/3", 2]),
        "loss": random.choice(["max_form", "sum_form"]),
    }  # fmt: skip
    if random.random() < 0.5:
        record["features"] = [[[random.choice(GRID)] * 2 for _ in range(k)] for _ in range(m)]
    else:
        record["X"] = [[random.choice(GRID) for _ in range(2)] for _ in range(m)]
    if random.random() < 0.7:
        record["cost"] = [
            [0 if j == c else random.choice([0, 1, 2]) for c in range(k)] for j in range(k)
        ]
    if random.random() < 0.5:
        record["weights"] = [1, *(random.choice([0, 1, 3]) for _ in range(m - 1))]
    return record


def dual_as_printed(record: Record) -> F:
    """The largest Σ λ_ij Δ(j, y_i) − ½‖w(λ)‖² by the general solver of programs."""
    y: Any = record["y"]
    k, C = len(record["classes"]), F(str(record["C"]))  # type: ignore[arg-type]
    cost: Any = record.get("cost") or [[int(j != c) for c in range(k)] for j in range(k)]
    weights: Any = record.get("weights") or [1] * len(y)
    if "features" in record:
        psi: Any = record["features"]
    else:
        rows: Any = record["X"]
        psi = [[[v * (z == j) for z in range(k) for v in x] for j in range(k)] for x in rows]
    pairs = [(i, j) for i, own in enumerate(y) for j in range(k) if j != own]
    ways = [[F(p) - F(q) for p, q in zip(psi[i][y[i]], psi[i][j])] for i, j in pairs]
    Q = [[sum((a * b for a, b in zip(u, v)), F(0)) for v in ways] for u in ways]
    gains = [F(-cost[j][y[i]]) for i, j in pairs]
    G = [[F(-(p == q)) for q in pairs] for p in pairs]
    h = [F(0)] * len(pairs)
    if record["loss"] == "sum_form":
        G += [[F(p == q) for q in pairs] for p in pairs]
        h += [C * weights[i] for i, _ in pairs]
    else:
        G += [[F(i == row) for i, _ in pairs] for row in range(len(y))]
        h += [C * weight for weight in weights]
    return -F(solve_qp(Q, gains, G=G, h=h).objective)


def test_every_setting_of_the_multiclass_svm_is_solved_and_proves_itself() -> None:
    random, met = Random(12), set()
    for _ in range(30):
        problem = multiclass_problem(random)
        answer = json.loads(json.dumps(solve_problem(json.loads(json.dumps(problem, default=str)))))
        verdict = check(problem, answer, gap=0)
        assert verdict.status == "VERIFIED" and verdict.gap == 0, (problem, verdict.explain())
        optimum = dual_as_printed(problem)
        assert F(answer["objective"]) == optimum, problem
        nearly = str(optimum + F(1, 10**20))
        assert check(problem, {**answer, "objective": nearly}, gap=0).status == "REFUTED"
        met.add((problem["loss"], "features" in problem, "cost" in problem, "weights" in problem))
    assert len(met) >= 12


def test_every_setting_of_the_binary_svm_is_solved_and_proves_itself() -> None:
    random, met = Random(5), set()
    for _ in range(40):
        m = random.randint(2, 4)
        problem: dict[str, Any] = {
            "family": "svm.binary", "X": [[random.choice(GRID)] * 2 for _ in range(m)],
            "y": [random.choice([-1, 1]) for _ in range(m)], "C": random.choice(["1/3", 2]),
            "bias": random.choice([True, False, "penalised"]),
            "loss": random.choice(["hinge", "squared_hinge"]),
        }  # fmt: skip
        if random.random() < 0.5:
            problem["weights"] = [1, *(random.choice([0, 1, 3]) for _ in range(m - 1))]
        answer: Any = json.loads(json.dumps(solve_problem(problem)))
        verdict = check(problem, answer, gap=0)
        assert verdict.status == "VERIFIED" and verdict.gap == 0, (problem, verdict.explain())
        wrong = {**answer, "b": str(F(answer["b"]) + 50)}
        one_class = (
            len({s for s, w in zip(problem["y"], problem.get("weights", [1] * m)) if w}) == 1
        )
        if problem["bias"] and not (one_class and problem["bias"] is True):
            assert check(problem, wrong, gap=0).status == "REFUTED"
        met.add((problem["bias"], problem["loss"], "weights" in problem))
    assert len(met) == 12


def test_weights_are_as_good_as_repeated_rows() -> None:
    X, y, weights = [[0], [6], [5]], [-1, -1, 1], [3, 3, 6]
    weighted: Record = {"family": "svm.binary", "X": X, "y": y, "C": 1, "weights": weights}
    repeated: Record = {
        "family": "svm.binary", "C": 1,
        "X": [x for x, n in zip(X, weights) for _ in range(n)],
        "y": [s for s, n in zip(y, weights) for _ in range(n)],
    }  # fmt: skip
    one, other = solve_problem(weighted), solve_problem(repeated)
    assert (one["w"], one["b"], one["objective"]) == (other["w"], other["b"], other["objective"])
    assert (one["w"], one["b"]) == (["2/5"], "-1")


def test_the_two_forms_agree_with_the_binary_svm_for_two_classes() -> None:
    X, y = [[F(1)], [F(-1, 2)], [F(-2)]], [1, 1, 0]
    for form in ("max_form", "sum_form"):
        record: Record = {"family": "svm.multiclass", "X": X, "y": y, "C": "1/6", "loss": form}
        binary: Record = {
            "family": "svm.binary", "X": X, "y": y, "classes": [0, 1], "C": "1/3", "bias": False,
        }  # fmt: skip
        ours: Any = solve_problem(record)
        theirs: Any = solve_problem(binary)
        assert F(ours["W"][1][0]) == F(theirs["w"][0]) / 2


def test_a_hard_margin_with_a_penalised_bias_is_solved() -> None:
    problem: Record = {"family": "svm.hard", "X": [[0], [2]], "y": [-1, 1], "bias": "penalised"}
    answer = solve_problem(problem)
    assert (answer["w"], answer["b"], answer["alpha"]) == (["1"], "-1", ["3/2", "1/2"])
    assert check(problem, answer, gap=0).status == "VERIFIED"
    same: Record = {**problem, "X": [[1], [1]]}
    assert check(same, solve_problem(same), gap=0).status == "VERIFIED"
    assert solve_problem(same)["separable"] is False


def test_rows_without_weight_are_left_out_of_a_hard_margin() -> None:
    rows: Record = {"family": "svm.hard", "X": [[1], [5], [-1]], "y": [1, -1, -1]}
    answer = solve_problem({**rows, "weights": [2, 0, "1/3"]})
    assert answer["w"] == ["1"] and answer["alpha"] == ["1/2", "1/2"]
    two = {"family": "svm.hard", "X": [[1], [-1]], "y": [1, -1]}
    assert answer == solve_problem(two)
    gram = [[1, 5, -1], [5, 25, -5], [-1, -5, 1]]
    by_gram = {"family": "svm.hard", "gram": gram, "y": rows["y"], "weights": [1, 0, 1]}
    assert check(by_gram, {"alpha": answer["alpha"], "labels": [1, -1]}, gap=0)
    assert check(rows, {"w": answer["w"], "b": 0}).status == "REFUTED"
    for weights, message in (([0, 0, 0], "all are 0"), ([1, 1], "expected 3, one a row")):
        with pytest.raises(FormatError, match=message):
            solve_problem({**rows, "weights": weights})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"X": [[1], [{"no": 1}], [-1]]}, r"problem\.X\[1\]\[0\]"),
        ({"X": [[1], [], [-1]]}, r"problem\.X\[1\]: expected a list that isn't empty"),
        ({"X": [[1], [1, 2], [-1]]}, r"problem\.X\[1\]: 2 numbers, but problem\.X\[0\] has 1"),
        ({"y": [1, 7, -1]}, "expected labels -1 and \\+1, found -1, 1, 7"),
        ({"gram": [[1, 0, -1], [5, 1, 0], [-1, 0, 1]]}, "expected a symmetric matrix"),
    ],
)
def test_a_malformed_row_without_weight_is_refused_of_a_hard_margin(
    change: Record, message: str
) -> None:
    rows = {} if "gram" in change else {"X": [[1], [5], [-1]]}
    problem = {"family": "svm.hard", **rows, "y": [1, -1, -1], "weights": [1, 0, 1], **change}
    with pytest.raises(FormatError, match=message):
        solve_problem(problem)


def test_a_trace_names_the_bounds_of_the_sum_form() -> None:
    # one row x = 1, C = 1/4: both entries go to 1/4, where the margins 3/4 are still short
    problem: Record = {
        "family": "svm.multiclass", "X": [[1]], "y": ["a"], "classes": ["a", "b", "c"], "C": "1/4",
        "loss": "sum_form",
    }  # fmt: skip
    _, *rows = trace_problem(problem)
    assert {row["blocks"] for row in rows} == {"λ_0,b ≤ C_0", "λ_0,c ≤ C_0"}
    assert {row["released"] for row in rows} == {"λ_0,b", "λ_0,c"}


@pytest.mark.parametrize(
    "part", [{"w": [5]}, {"lam": [[3, 3], [0, 0]]}, {"scores": [[4, 5], [0, 1]]}]
)
def test_wrong_answers_of_features_are_refuted_with_their_hints(part: Record) -> None:
    assert check(PSI, part).status == "REFUTED"


PLAIN: Record = {"family": "svm.multiclass", "X": [[1], [2]], "y": ["a", "b"], "C": 1}
PSI: Record = {
    "family": "svm.multiclass", "features": [[[1], [0]], [[0], [1]]], "y": ["a", "b"], "C": 1,
}  # fmt: skip
SOFT: Record = {"family": "svm.binary", "X": [[1], [2]], "y": [-1, 1], "C": 1}
BAD: list[tuple[Record, str]] = [
    ({**PLAIN, "cost": [[0, -1], [1, 0]]}, r"problem\.cost\[0\]\[1\]: expected at least 0"),
    ({**PLAIN, "cost": [[1, 1], [1, 0]]}, r"problem\.cost\[0\]\[0\]: expected 0"),
    ({**PLAIN, "cost": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, r"problem\.cost: expected 2 rows of 2"),
    ({**PLAIN, "cost": [[0, "NaN"], [1, 0]]}, r"problem\.cost"),
    ({**PLAIN, "cost": None}, r"problem\.cost"),
    ({**PLAIN, "weights": [1, -1]}, r"problem\.weights\[1\]: expected at least 0"),
    ({**PLAIN, "weights": [0, 0]}, r"problem\.weights: all are 0"),
    ({**PLAIN, "weights": [1]}, r"problem\.weights: expected 2, one a row"),
    ({**PLAIN, "weights": [1, float("nan")]}, r"problem\.weights\[1\]"),
    ({**PLAIN, "loss": "hinge"}, r"problem\.loss: expected one of max_form, sum_form"),
    ({**PLAIN, "bias": True}, r"unknown field 'bias'"),
    ({**PSI, "features": [[[1], [0]], [[0]]]}, r"problem\.features\[1\]: expected 2 rows"),
    ({**PSI, "features": [[[1], [0]], [[0], [1, 2]]]}, r"problem\.features\[1\]"),
    ({**PSI, "features": [[[1, 2], [0, 1]], [[0], [1]]]}, r"problem\.features\[1\]"),
    ({**PSI, "X": [[1], [2]]}, r"expected one of features and X"),
    ({**PSI, "kernel": "linear"}, r"kernel and X belong together"),
    ({**PSI, "cost": [[0, 1, 1]] * 3}, r"problem\.cost: expected 2 rows of 2"),
    ({**SOFT, "loss": "sum_form"}, r"problem\.loss: expected one of hinge, squared_hinge"),
    ({**SOFT, "bias": "penalized"}, r"problem\.bias: expected true or false"),
    ({**SOFT, "weights": [0, 0]}, r"problem\.weights: all are 0"),
    ({**SOFT, "cost": [[0, 1], [1, 0]]}, r"unknown field 'cost'"),
    ({"family": "svm.hard", "X": [[1]], "y": [1], "C": 1}, r"unknown field 'C'"),
    ({"family": "svm.hard", "X": [[1]], "y": [1], "loss": "hinge"}, r"unknown field 'loss'"),
]


@pytest.mark.parametrize(("problem", "message"), BAD, ids=lambda value: str(value)[-40:])
def test_what_is_no_setting_is_refused_by_name(problem: Record, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        solve_problem(problem)


@pytest.mark.parametrize(
    ("problem", "answer", "message"),
    [
        (PSI, {"W": [[1], [0]]}, r"answer\.W: weights of given features are one vector"),
        (PLAIN, {"w": [1]}, r"answer\.w: one vector belongs to given features"),
        (PSI, {"w": [1, 2]}, r"answer\.w: expected 1 number,"),
        ({**SOFT, "bias": "penalised"}, {"w": [1]}, r"answer\.b: is missing beside w"),
        ({**SOFT, "bias": "penalised"}, {"labels": [1, 1], "b_interval": [0, 0]},
         r"answer\.b_interval"),
        ({**SOFT, "bias": "penalised"}, {"labels": [1, 1], "margin_squared": 1}, r"answer\.margin"),
    ],
    ids=lambda value: str(value)[-30:],
)  # fmt: skip
def test_an_answer_of_another_setting_is_refused_by_name(
    problem: Record, answer: Record, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        check(problem, answer)


LEGAL: list[tuple[Record, str]] = [
    # one class alone; a single row of weight; equal features of two classes; costs of 0
    ({**PLAIN, "y": ["a", "a"]}, "0"),
    ({**PLAIN, "weights": [0, 1], "X": [[9], [1]]}, "1/4"),
    ({**PSI, "features": [[[1], [1]], [[0], [0]]]}, "2"),
    ({**PLAIN, "cost": [[0, 0], [0, 0]]}, "0"),
]


@pytest.mark.parametrize(("problem", "objective"), LEGAL)
def test_what_looks_degenerate_has_its_optimum(problem: Record, objective: str) -> None:
    """The second has one row x = 1 and S − S² at S = 1/2; in the third each row pays its cost."""
    answer = solve_problem(problem)
    assert answer["objective"] == objective
    assert check(problem, answer, gap=0).status == "VERIFIED"
