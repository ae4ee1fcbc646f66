"""Verdicts on submitted answers: every form of answer, every fault of one.

The answers are found by hand: three points, for which W is unique and λ is not; see the tests of
the learner and of the checker.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction as F
from random import Random
from typing import Any, cast

import pytest

from refmc import (
    FormatError,
    OracleFailure,
    ParameterError,
    TieError,
    assert_certified,
    check,
    last,
    refuse,
    solve_problem,
)  # fmt: skip
from refmc.lectures import lu
from refmc.oracle.families import FAMILIES, family_of
from refmc.oracle.values import bounds, losses
from tests.support import EXAMPLES, ROOT, Array, table

pytestmark = pytest.mark.usefixtures("without_hints", "kept_optima")

Record = dict[str, Any]

PROBLEM: Record = {
    "family": "svm.multiclass",
    "X": [["1", "0"], ["0", "1"], ["-1", "-1"]],
    "y": ["a", "b", "c"],
    "C": "1",
}
GRAM: Record = {
    "family": "svm.multiclass",
    "gram": [[1, 0, -1], [0, 1, -1], [-1, -1, 2]],
    "y": ["a", "b", "c"],
    "C": "1",
}
W = [["2/3", "-1/3"], ["-1/3", "2/3"], ["-1/3", "-1/3"]]
SCORES = [["2/3", "-1/3", "-1/3"], ["-1/3", "2/3", "-1/3"], ["-1/3", "-1/3", "2/3"]]
LAM = [["2/3", "1/3", "1/3"], ["1/3", "2/3", "1/3"], ["0", "0", "0"]]
OTHER_LAM = [["1/2", "1/2", "0"], ["1/2", "1/2", "0"], ["1/6", "1/6", "1/3"]]
ANSWERS: dict[str, Record] = {
    "W": {"W": W},
    "scores": {"scores": SCORES},
    "lam": {"lam": LAM},
    "labels": {"labels": ["a", "b", "c"]},
    "all": {
        "W": W,
        "scores": SCORES,
        "lam": LAM,
        "labels": ["a", "b", "c"],
        "slack": [0, 0, 0],
        "objective": "2/3",
        "primal": "2/3",
        "dual": "2/3",
    },
}
each_answer = pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)


def lifted(value: Any) -> Any:
    """The same nesting with Fractions in the place of text."""
    return [lifted(v) for v in value] if isinstance(value, list) else F(value)


# --- Right answers


@each_answer
def test_a_right_answer_is_verified_without_any_gap(answer: Record) -> None:
    verdict = check(PROBLEM, answer, gap=0)
    assert verdict and verdict.status == "VERIFIED" and not verdict.gap
    assert_certified(PROBLEM, answer, gap=0)


@each_answer
def test_json_text_is_judged_as_the_record_is(answer: Record) -> None:
    assert check(json.dumps(PROBLEM), json.dumps(answer), gap="0") == check(PROBLEM, answer, gap=0)
    assert check(PROBLEM, answer, gap=0.1).allowed == F(1, 10)  # the decimal that it prints


@pytest.mark.parametrize("name", ["W", "scores", "lam"])
def test_matrices_may_be_arrays_or_hold_fractions(name: str) -> None:
    expected = check(PROBLEM, ANSWERS[name], gap=0)
    rows = ANSWERS[name][name]
    for form in (lifted(rows), Array(rows), [Array(row) for row in lifted(rows)]):
        assert check(PROBLEM, {name: form}, gap=0) == expected
    assert check({**PROBLEM, "X": Array(PROBLEM["X"])}, {name: tuple(rows)}, gap=0)


def test_floats_are_judged_as_the_binary_fractions_they_are() -> None:
    answer = {"W": [[float(F(a)) for a in row] for row in W]}
    assert check(PROBLEM, answer, gap="1e-15")
    assert check(PROBLEM, answer, gap=0).status == "REFUTED"


def test_several_lam_are_right() -> None:
    assert check(PROBLEM, {"lam": OTHER_LAM}, gap=0) and check(PROBLEM, {"lam": LAM}, gap=0)


@pytest.mark.parametrize("name", ["scores", "lam", "labels"])
def test_answers_to_a_gram_matrix_are_verified(name: str) -> None:
    assert check(GRAM, ANSWERS[name], gap=0)


def test_classes_of_an_answer_may_stand_in_another_order() -> None:
    order, names = [2, 0, 1], ["c", "a", "b"]
    turned: Record = {
        "W": [W[c] for c in order],
        "scores": [[row[c] for c in order] for row in SCORES],
        "lam": [[row[c] for c in order] for row in LAM],
    }
    for name, rows in turned.items():
        assert check(PROBLEM, {"classes": names, name: rows}, gap=0)
        assert check(PROBLEM, {name: rows}, gap=0).status == "REFUTED"
    assert check({**PROBLEM, "classes": names}, {"W": turned["W"]}, gap=0)


def test_remarks_of_an_answer_are_read_over() -> None:
    remarks = {"program": "p", "version": "1", "settings": "s", "remark": {"any": ["thing"]}}
    assert check(PROBLEM, {"family": "svm.multiclass", **remarks, "W": W}, gap=0)


def test_the_allowed_gap_decides() -> None:
    # Twice the weights: P = 4 · 2/3, and the optimum is 2/3.
    answer = {"W": [[2 * a for a in row] for row in lifted(W)]}
    assert check(PROBLEM, answer, gap=3)
    verdict = check(PROBLEM, answer, gap=F(3) - F(1, 10**30))
    assert verdict.status == "REFUTED" and verdict.gap == 2 and verdict.relative == 3


def test_the_pivots_of_the_reference_answer_are_reported() -> None:
    steps: list[Any] = []
    check({**PROBLEM, "C": "1/7"}, {"W": W}, on_step=steps.append)
    solve_problem({**PROBLEM, "C": "1/7"}, on_step=steps.append)
    assert all(hasattr(step, "objective") for step in steps)


# --- The reference answer


SMALL: dict[str, Record] = {
    "three points": PROBLEM,
    "at the bounds": {**PROBLEM, "C": "1/3"},
    "gram": GRAM,
    "collinear": {**PROBLEM, "X": [[t, t] for t in range(6)], "y": [0, 0, 1, 1, 2, 2], "C": "1/5"},
    "conflict and zero row": {**PROBLEM, "X": [[1], [1], [0], [-2]], "y": [0, 1, 0, 2], "C": "3"},
    "one class": {**PROBLEM, "y": ["a", "a", "a"]},
    "absent class": {**PROBLEM, "y": ["a", "c", "c"], "classes": ["c", "b", "a"]},
    "polynomial": {
        **PROBLEM,
        "kernel": {"name": "polynomial", "degree": 2, "scale": "1/2", "offset": 1},
    },
}


@pytest.mark.parametrize("name", SMALL)
def test_the_reference_answer_is_verified_as_a_whole_and_in_parts(name: str) -> None:
    answer = solve_problem(SMALL[name])
    assert answer["primal"] == answer["dual"] == answer["objective"]
    assert check(SMALL[name], answer, gap=0)
    assert check(json.dumps(SMALL[name]), json.dumps(answer), gap=0)
    for part in ("W", "lam"):
        if part in answer:
            assert check(SMALL[name], {part: answer[part], "classes": answer["classes"]}, gap=0)


def test_the_reference_answer_to_three_points_is_the_one_found_by_hand() -> None:
    answer = solve_problem(PROBLEM)
    assert answer["W"] == W and answer["classes"] == ["a", "b", "c"]
    assert answer["slack"] == ["0", "0", "0"] and answer["objective"] == "2/3"


# --- Corruption: no wrong number gets through


def places(answer: Record) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Where the numbers of a record are."""
    for name in ("W", "lam"):
        for i, row in enumerate(answer.get(name, [])):
            yield from ((name, (i, j)) for j in range(len(row)))
    yield from (("slack", (i,)) for i in range(len(answer["slack"])))
    yield from ((name, ()) for name in ("objective", "primal", "dual"))


def corrupted(answer: Record, name: str, place: tuple[int, ...], change: F) -> Record:
    copy: Record = deepcopy(answer)
    if not place:
        copy[name] = F(copy[name]) + change
        return copy
    target = copy[name]
    for index in place[:-1]:
        target = target[index]
    target[place[-1]] = F(target[place[-1]]) + change
    return copy


def kernel_values(problem: Record) -> list[list[F]]:
    if "gram" in problem:
        return [[F(a) for a in row] for row in problem["gram"]]
    X = [[F(a) for a in row] for row in problem["X"]]
    K = [[sum((a * b for a, b in zip(u, v)), F(0)) for v in X] for u in X]
    if "kernel" in problem:
        kernel = problem["kernel"]
        a, b, d = F(kernel["scale"]), F(kernel["offset"]), kernel["degree"]
        K = [[(v / a + b) ** d for v in row] for row in K]
    return K


def dual_value(problem: Record, answer: Record) -> F | None:
    """The dual objective at an answer's λ as the lecture has it, or None if λ is infeasible."""
    C, K = F(problem["C"]), kernel_values(problem)
    own = [answer["classes"].index(label) for label in problem["y"]]
    lam = [[F(v) for v in row] for row in answer["lam"]]
    for row, c in zip(lam, own, strict=True):
        if min(row) < 0 or row[c] > C or 2 * row[c] != sum(row):
            return None
    return F(lu.theta(lam, K, own))


CHANGES = [F(1), F(-1), F(1, 10**12), F(-1, 10**12)]


@pytest.mark.parametrize("name", SMALL)
def test_any_changed_number_is_refuted_or_proved_still_right(name: str) -> None:
    problem, answer = SMALL[name], solve_problem(SMALL[name])
    assert dual_value(problem, answer) == F(str(answer["objective"]))
    for field, place in places(answer):
        for change in CHANGES:
            wrong = corrupted(answer, field, place, change)
            if field == "lam" and dual_value(problem, wrong) == dual_value(problem, answer):
                assert check(problem, wrong, gap=0)
            else:
                assert check(problem, wrong, gap=0).status == "REFUTED", (field, place, change)


@pytest.mark.parametrize("name", SMALL)
def test_mass_that_moves_within_a_row_of_lam_is_judged_by_its_dual_value(name: str) -> None:
    # Both numbers change, so that λ can stay feasible.
    problem, answer = SMALL[name], solve_problem(SMALL[name])
    optimum = dual_value(problem, answer)
    for i, label in enumerate(problem["y"]):
        own = cast("list[object]", answer["classes"]).index(label)
        for z in range(len(cast("list[object]", answer["classes"]))):
            for change in (F(1, 100), F(-1, 100)):
                moved = corrupted(corrupted(answer, "lam", (i, z), change), "lam", (i, own), change)
                is_right = z != own and dual_value(problem, moved) == optimum
                status = check(problem, moved, gap=0).status
                assert status == ("VERIFIED" if is_right else "REFUTED")


def test_a_changed_number_of_the_answer_to_iris_is_refuted() -> None:
    problem = json.loads((EXAMPLES / "iris-svm.json").read_text(encoding="utf-8"))
    answer = solve_problem(problem)
    assert check(problem, answer, gap=0)
    random = Random(1)
    for field, place in random.sample(list(places(answer)), 5):
        wrong = corrupted(answer, field, place, random.choice(CHANGES))
        assert check(problem, wrong, gap=0).status == "REFUTED", (field, place)


# --- Wrong answers: refuted, never an exception


@pytest.mark.parametrize(
    "answer",
    [
        {"W": [[0, 0]] * 3},
        {"W": [["1e9000", 0], [0, "-1e9000"], [1e308, -1e308]]},
        {"W": [[5e-324, 0], [0, -5e-324], [0, 0]]},
        {"scores": [[0, 0, 0]] * 3},
        {"scores": [["1e9000", 0, 0]] * 3},
        {"lam": [[0, 0, 0]] * 3},
        {"lam": [[-1, -1, -1]] * 3},
        {"lam": [[5, 5, 5]] * 3},
        {"lam": [["1e9000", "-1e9000", 0]] * 3},
        {"labels": ["c", "a", "b"]},
        {"W": W, "objective": 1},
        {"W": W, "dual": "-1e9000"},
        {"W": W, "slack": [1, 0, 0]},
        {"W": W, "slack": [-1, 0, 0]},
        {"lam": LAM, "labels": ["a", "b", "a"]},
        {"labels": ["a", "b", "c"], "primal": 0},
    ],
)
def test_a_wrong_answer_is_refuted_and_never_raises(answer: Record) -> None:
    verdict = check(PROBLEM, answer)
    assert verdict.status == "REFUTED" and not verdict
    assert verdict.violations and verdict.explain().startswith("REFUTED  svm.multiclass  3 rows")
    json.dumps(verdict.to_json())


def test_a_failure_carries_the_message_of_the_verdict() -> None:
    answer = {"W": [[0, 0]] * 3}
    with pytest.raises(OracleFailure) as caught:
        assert_certified(PROBLEM, answer)
    verdict = check(PROBLEM, answer)
    assert isinstance(caught.value, AssertionError)
    assert str(caught.value) == verdict.explain() and caught.value.verdict == verdict


def test_labels_that_are_tied_at_the_optimum_are_both_right() -> None:
    # The rows are equal, so the optimum is 0 and every label has a largest score.
    tied = {**PROBLEM, "X": [[1], [1]], "y": ["a", "b"]}
    for labels in (["a", "a"], ["b", "a"], ["a", "b"]):
        assert check(tied, {"labels": labels}).status != "REFUTED"


# --- Malformed answers


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ({}, "expected at least one of W, w, scores, lam, labels"),
        ({"objective": 1}, "expected at least one of"),
        ({"W": W, "foo": 1}, "unknown field 'foo'"),
        ({"W": W, "family": "svm.binary"}, r"answer\.family"),
        ({"W": None}, r"answer\.W: null says nothing"),
        ({"W": []}, r"answer\.W: .* isn't empty"),
        ({"W": [[]] * 3}, r"answer\.W\[0\]: .* isn't empty"),
        ({"W": W[:2]}, r"answer\.W: expected 3 rows of 2 numbers, got 2 of 2"),
        ({"W": [[1, 2, 3]] * 3}, r"answer\.W: .* got 3 of 3; a bias"),
        ({"W": [[1, 2], [3], [4, 5]]}, r"answer\.W\[1\]: 1 numbers"),
        ({"W": [[1, "nan"], [3, 4], [4, 5]]}, r"answer\.W\[0\]\[1\]: 'nan'"),
        ({"W": [[1, 2], [3, float("nan")], [4, 5]]}, r"answer\.W\[1\]\[1\]: .* nan"),
        ({"W": [[1, 2], [3, float("-inf")], [4, 5]]}, r"answer\.W\[1\]\[1\]: .* -inf"),
        ({"W": [[1, 2], [3, "1e999999999"], [4, 5]]}, r"answer\.W\[1\]\[1\]: .*digits"),
        ({"W": [[1, 2], [3, {}], [4, 5]]}, r"answer\.W\[1\]\[1\]: .* an object"),
        ({"scores": SCORES[:2]}, r"answer\.scores: expected 3 rows of 3 numbers, got 2 of 3"),
        ({"scores": "x"}, r"answer\.scores: expected a list, got a string"),
        ({"lam": [[1, 2]] * 3}, r"answer\.lam: expected 3 rows of 3 numbers, got 3 of 2"),
        ({"lam": LAM, "slack": [0, 0]}, r"answer\.slack: expected 3"),
        ({"lam": LAM, "slack": 0}, r"answer\.slack: expected a list"),
        ({"labels": ["a", "b", "c"], "slack": [0, 0, 0]}, r"answer\.slack: needs"),
        ({"labels": ["a", "b"]}, r"answer\.labels: expected 3"),
        ({"labels": "abc"}, r"answer\.labels: expected a list"),
        ({"labels": ["a", "z", "c"]}, r"answer\.labels\[1\]: 'z'"),
        ({"labels": ["a", ["b"], "c"]}, r"answer\.labels\[1\]"),
        ({"W": W, "classes": ["a", "b"]}, r"answer\.classes"),
        ({"W": W, "classes": ["a", "b", "b"]}, r"answer\.classes"),
        ({"W": W, "classes": ["a", "b", ["c"]]}, r"answer\.classes"),
        ({"W": W, "classes": "abc"}, r"answer\.classes: expected a list"),
        ({"W": W, "objective": "x"}, r"answer\.objective: 'x'"),
        ({"W": W, "dual": float("inf")}, r"answer\.dual: .* inf"),
        ({"W": W, "primal": [1]}, r"answer\.primal: .* a list"),
    ],
)
def test_a_malformed_answer_names_the_field(answer: Record, place: str) -> None:
    with pytest.raises(FormatError, match=place):
        check(PROBLEM, answer)


LONG = 10**5000  # more digits than Python prints
LEAF = {"family": "tree.prune", "X": [[1]], "y": ["a"], "tree": {"nodes": [{}]}, "risk": "gini"}
DECODE = {"family": "code.decode", "code": [[1], [-1]], "f": [[1]]}
PERCEPTRON = {"family": "perceptron.binary", "X": [[1]], "y": [1]}


@pytest.mark.parametrize(
    ("problem", "answer", "text"),
    [
        (LEAF, {"steps": [{"lam": 0, "leaves": LONG}]}, "1e5000 leaves"),
        (PERCEPTRON, {"trace": [[1]], "mistakes": [LONG]}, "1e5000 mistakes"),
        (PERCEPTRON, {"mistakes": [LONG]}, "mistakes"),
    ],
)
def test_a_claim_of_any_length_is_refuted(problem: Record, answer: Record, text: str) -> None:
    verdict = check(problem, answer)
    assert verdict.status == "REFUTED" and text in verdict.explain()


def test_a_bound_of_a_sample_of_any_size_is_judged() -> None:
    numbers = {"empirical": "1/10", "k": 2, "rho": 1, "delta": "1/20", "expected_complexity": 0}
    problem = {"family": "bound.margin", "m": LONG, **numbers}
    assert check(problem, {"total": "1/10"}) and not check(problem, {"total": "2/10"})


@pytest.mark.parametrize(
    ("problem", "answer", "place"),
    [
        (DECODE, {"labels": [LONG]}, "answer.labels"),
        (LEAF, {"lam": 0, "collapsed": [LONG]}, "answer.collapsed"),
        (LEAF | {"risk": LONG}, {"lam": 0, "leaves": 1}, "problem.risk"),
        (LEAF | {"family": LONG}, {"lam": 0}, "problem.family"),
        (LEAF, {"family": LONG, "lam": 0}, "answer.family"),
        (PERCEPTRON | {"bias": LONG}, {"w": [1]}, "problem.bias"),
        (PERCEPTRON, {"w": [1], "mistakes": [-LONG]}, "answer.mistakes"),
    ],
)
def test_a_malformed_field_of_any_length_is_named_shortly(
    problem: Record, answer: Record, place: str
) -> None:
    with pytest.raises(FormatError) as caught:
        check(problem, answer)
    assert place in str(caught.value) and len(str(caught.value)) < 900


def test_weights_need_the_linear_kernel() -> None:
    for problem in (GRAM, SMALL["polynomial"]):
        with pytest.raises(FormatError, match=r"answer\.W: weights need the linear kernel"):
            check(problem, {"W": W})


def test_one_weight_vector_for_two_classes_is_explained() -> None:
    two = {**PROBLEM, "X": [[1, 2], [3, 4]], "y": [0, 1]}
    with pytest.raises(FormatError, match=r"stands for \(-w/2, w/2\)"):
        check(two, {"W": [[1, 2]]})


@pytest.mark.parametrize("answer", [None, 3, [], b"{}"])
def test_an_answer_is_a_record_or_text(answer: Any) -> None:
    with pytest.raises(FormatError, match="answer: expected an object"):
        check(PROBLEM, answer)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not JSON"),
        ("[1]", "expected a JSON object"),
        ('{"W": [[NaN]]}', "NaN"),
        ('{"W": [[1e999999999]]}', "beyond binary64"),
        ('{"W": [], "W": []}', "'W' is given twice"),
        ('{"W": ' + "[" * 10**8, "nested too deeply"),
    ],
)
def test_text_that_is_no_answer_is_refused(text: str, reason: str) -> None:
    with pytest.raises(FormatError, match=rf"^answer(: |\.W\[0\]\[0\]: ).*{reason}"):
        check(PROBLEM, text)


@pytest.mark.parametrize("gap", [-1, "x", float("nan"), "inf", [1], "1e999999999"])
def test_the_gap_is_a_number_of_at_least_zero(gap: Any) -> None:
    with pytest.raises(FormatError, match="^gap: "):
        check(PROBLEM, {"W": W}, gap=gap)


# --- The examples


def example(name: str) -> str:
    return (EXAMPLES / name).read_text(encoding="utf-8")


def test_the_iris_example_is_the_data_that_the_tests_have() -> None:
    problem = json.loads(example("iris-svm.json"))
    assert (problem["X"], problem["y"]) == table("iris.csv", str)


def objective(problem: Record, answer: Record) -> F:
    """½ Σ ‖w‖² + C Σ η at an answer's weights."""
    weights = {c: [F(a) for a in w] for c, w in zip(answer["classes"], answer["W"], strict=True)}
    value = sum((a * a for w in weights.values() for a in w), F(0)) / 2
    for row, label in zip(problem["X"], problem["y"], strict=True):
        x = [F(a) for a in row]
        scores = {c: sum((a * b for a, b in zip(w, x)), F(0)) for c, w in weights.items()}
        best = max(s for c, s in scores.items() if c != label)
        value += F(problem["C"]) * max(F(0), 1 - scores[label] + best)
    return value


def test_the_iris_answer_at_default_tolerance_has_two_digits() -> None:
    # The answer at a tight tolerance bounds the optimum from above, within 1e-8.
    problem, answer, tight = (
        json.loads(example(f"iris-svm{part}.json"))
        for part in ("", ".liblinear", ".liblinear-tight")
    )
    above = objective(problem, answer) - objective(problem, tight)
    verdict = check(example("iris-svm.json"), example("iris-svm.liblinear.json"))
    assert verdict.status == "REFUTED" and verdict.digits == 2.1
    assert verdict.gap is not None and above <= verdict.gap <= above + F(1, 10**8)
    assert check(problem, {**answer, "lam": solve_problem(problem)["lam"]}).gap == verdict.gap


def test_the_iris_answer_at_a_tight_tolerance_is_verified() -> None:
    verdict = check(example("iris-svm.json"), example("iris-svm.liblinear-tight.json"))
    assert verdict and verdict.digits is not None and verdict.digits > 9


def test_the_three_points_example_has_the_answer_found_by_hand() -> None:
    assert json.loads(example("three-points.json")) == PROBLEM
    answer = json.loads(example("three-points.exact.json"))
    assert answer["W"] == W and answer["objective"] == "2/3"
    assert check(PROBLEM, answer, gap=0)


def test_every_family_has_a_checker_a_reference_answer_and_steps() -> None:
    assert all(all(map(callable, family_of(name))) for name in FAMILIES)
    assert {name for name in FAMILIES if name.startswith("loss.")} == set(losses.DECLARED)
    assert {name for name in FAMILIES if name.startswith("bound.")} == set(bounds.TERMS)
    assert {name for name in FAMILIES if name.startswith("bound.")} == set(bounds.TERMS)


def test_a_problem_loads_the_modules_of_its_own_family_only() -> None:
    code = (
        "import sys; from refmc import check\n"
        "check({'family': 'loss.hinge', 'z': [0]}, {'values': [1]})\n"
        "print([m for m in sys.modules if m.startswith('refmc.learn.')])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_check_that_needs_no_search_loads_no_learner_kernel_or_mistake() -> None:
    code = (
        "import sys; from refmc import check\n"
        "problem = {'family': 'svm.multiclass', 'X': [[1], [-1]], 'y': ['a', 'b'], 'C': 1}\n"
        "answer = {'W': [['1/2'], ['-1/2']], 'lam': [['1/4', '1/4'], ['1/4', '1/4']]}\n"
        "print(check(problem, answer).status)\n"
        "rooms = ('refmc.learn.', 'refmc.theory.', 'refmc.mistakes.', 'refmc.suite.')\n"
        "print([m for m in sys.modules if m.startswith(rooms)])"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["VERIFIED", "[]"]


TIED: list[tuple[dict[str, Any], str]] = [
    ({"family": "tree.grow", "X": [[0, 0], [1, 1]], "y": ["a", "b"]}, "tree"),
    (
        {"family": "sgd.multiclass", "X": [[1]], "y": [0], "classes": [0, 1, 2], "lam": 1, "T": 1},
        "W",
    ),
    ({"family": "perceptron.multiclass", "X": [[1]], "y": [0], "classes": [0, 1, 2]}, "W"),
    ({"family": "boost.ada", "X": [[0, 0], [1, 1]], "y": [1, -1], "rounds": 1}, "rounds"),
    ({"family": "ova.decode", "scores": [[1, 1]]}, "labels"),
    ({"family": "nodes.decode", "classes": ["a", "b"], "f": [[0]]}, "labels"),
]


@pytest.mark.parametrize(("problem", "field"), TIED, ids=[p["family"] for p, _ in TIED])
def test_another_choice_at_a_tie_is_another_right_answer(
    problem: dict[str, Any], field: str
) -> None:
    usual, other = solve_problem(problem), solve_problem(problem, tie=[1])
    assert usual[field] != other[field] and solve_problem(problem, tie=last)[field] != usual[field]
    assert check(problem, other, gap=0)
    with pytest.raises(TieError):
        solve_problem(problem, tie=refuse)
    with pytest.raises(ParameterError, match="tie: position 9 of"):
        solve_problem(problem, tie=[9])
