"""Records of the linear families: what is read, what is refused, and what the learners give.

The runs and optima are those that the tests of the checkers work out by hand; the learners' answers
to real and random data are judged by the checkers, which share no code with them.
"""

import json
from collections.abc import Callable, Sequence
from fractions import Fraction as F
from operator import mul
from random import Random
from typing import Any

import pytest

from refmc.answers import check
from refmc.checker import Verdict
from refmc.core.records import Record
from refmc.errors import FormatError, NotSeparableError
from refmc.learn.online.perceptron import fit_kernel_perceptron, fit_perceptron
from refmc.learn.online.perceptron_multiclass import all_rivals, fit_multiclass_perceptron
from refmc.learn.online.sgd_binary import fit_svm_sgd
from refmc.learn.online.sgd_multiclass import fit_multiclass_svm_sgd
from refmc.learn.svm.binary import fit_binary_svm, fit_hard_svm
from refmc.learn.svm.binary_model import BinarySVM
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.svm import binary as svm_binary
from refmc.oracle.svm.binary import BinarySVMProblem
from refmc.oracle.values import losses
from refmc.theory.subgradients import (
    max_form,
    multiclass_hinge_subgradient,
    multiclass_hinge_sum_subgradient,
    sum_form,
)
from tests.support import table

EXACT, MICRO = F(0), F(1, 10**6)

CORNER: Record = {
    "family": "svm.binary",
    "X": [["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]],
    "y": [1, 1, -1],
    "C": 1,
}
HARD: Record = {k: v for k, v in CORNER.items() if k != "C"} | {"family": "svm.hard"}
MIXED: Record = {"family": "svm.hard", "X": [[0], [2], [1]], "y": [1, 1, -1]}
TWO: Record = {"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1], "epochs": 2}
THREE: Record = {
    "family": "perceptron.multiclass",
    "X": [[1, 0], [0, 1], [-1, -1]],
    "y": ["a", "b", "c"],
}
DESCENT: Record = {
    "family": "sgd.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1, "eta": "1/4", "epochs": 2,
}  # fmt: skip
ALGORITHM_1: Record = {**THREE, "family": "sgd.multiclass", "lam": 1, "T": 3}
HINGE: Record = {
    "family": "loss.multiclass_hinge", "scores": [[".2", ".5", ".1"]], "y": [1], "X": [[1, 2]],
}  # fmt: skip

QUADRATIC = {"name": "polynomial", "degree": 2, "scale": "1", "offset": "1"}

ROOMS = {"svm": svm_binary, "perceptron": perceptron, "sgd": sgd, "loss": losses}


def judged(problem: Record, answer: Record, allowed: F = EXACT) -> Verdict:
    room: Any = ROOMS[str(problem["family"]).split(".")[0]]
    verdict: Verdict = room.judge(problem, answer, allowed, None)
    return verdict


def fitted(problem: BinarySVMProblem) -> BinarySVM[F]:
    same: dict[str, Any] = {
        "gram": problem.rows.gram,
        "kernel": problem.rows.kernel,
        "bias": problem.asked.bias,
        "classes": problem.classes,
    }
    if problem.asked.C is None:
        model = fit_hard_svm(problem.rows.X, problem.labels, **same)
    else:
        model = fit_binary_svm(problem.rows.X, problem.labels, C=problem.asked.C, **same)
    return model  # type: ignore[return-value]  # problems hold Fractions only


def nested(rows: Any) -> Any:
    return [nested(row) for row in rows] if isinstance(rows, (list, tuple)) else str(rows)


RIGHT: list[tuple[Record, Record]] = [
    (CORNER, {"alpha": ["1/2", "1/2", 1], "b": 3, "w": ["-1/2", "-1/2"], "objective": "7/4"}),
    (CORNER, {"alpha": ["1/2", "1/2", 1], "b_interval": [3, 3], "margin_squared": 2}),
    (CORNER, {"alpha": ["1/2", "1/2", 1], "scores": [1, 1, "1/2"], "slack": [0, 0, "3/2"]}),
    ({**CORNER, "bias": False, "X": [[2], [2], [-2]]},
     {"w": ["1/2"], "alpha": ["1/12", "1/12", "1/12"], "labels": [1, 1, -1]}),
    (HARD, {"w": [-2, -2], "b": 9, "alpha": [2, 2, 4], "margin_squared": "1/8"}),
    (HARD, {"alpha": [2, 2, 4], "separable": True}),
    (MIXED, {"combination": ["1/2", "1/2", 1], "separable": False}),
    ({**MIXED, "X": [[0], [2], [3]], "y": ["n", "n", "p"], "classes": ["n", "p"]},
     {"w": [2], "b": -5, "alpha": [0, 2, 2], "labels": ["n", "n", "p"]}),
    ({**MIXED, "X": [[0], [2]], "y": [1, 1]},
     {"w": [0], "b": 1, "b_interval": [1, "inf"], "margin_squared": "inf"}),
    (TWO, {"w": [1, 0], "mistakes": [1, 0]}),
    (TWO, {"trace": [[1, 0]] * 4, "program": "p"}),
    ({**TWO, "bias": True}, {"w": [1, 0], "b": 1, "mistakes": [1]}),
    ({**TWO, "order": [1, 0]}, {"w": [2, 1]}),
    ({**TWO, "order": [[1, 0], [0, 1]]}, {"mistakes": [1, 0]}),
    ({**TWO, "at_zero": "either"}, {"w": [0, 0]}),
    ({**TWO, "family": "perceptron.kernel"}, {"alpha": [1, 0], "mistakes": [1]}),
    ({"family": "perceptron.kernel", "gram": [[1, 2], [2, 5]], "y": [1, 1]},
     {"trace": [[1, 0]] * 2}),
    (THREE, {"W": [[2, 0], [-1, 1], [-1, -1]]}),
    ({**THREE, "tau": "all_rivals", "order": [0]}, {"W": [[1, 0], ["-1/2", 0], ["-1/2", 0]]}),
    (DESCENT, {"w": ["175/256"]}),
    (DESCENT, {"trace": [["1/4"], ["7/16"], ["37/64"], ["175/256"]]}),
    ({**DESCENT, "eta": [1, "1/2", "1/2", "1/2"], "order": [0], "epochs": 4, "bias": True},
     {"trace": [[1, 1], ["1/2", 1], ["1/4", 1], ["1/8", 1]]}),
    (ALGORITHM_1, {"W": [["2/3", 0], ["-1/3", "1/3"], ["-1/3", "-1/3"]]}),
    ({k: v for k, v in ALGORITHM_1.items() if k != "T"} | {"draws": [0]},
     {"W": [[1, 0], [0, 0], [-1, 0]]}),
    (HINGE, {"values": ["7/10"], "mean": "7/10", "subgradients": [[[1, 2], [-1, -2], [0, 0]]]}),
    ({"family": "loss.hinge", "z": [1, 2]}, {"values": [0, 0], "subgradients": ["-1/3", 0]}),
    ({"family": "loss.margin", "z": [1], "rho": 2}, {"values": ["1/2"]}),
    ({"family": "loss.zero_one", "predicted": ["a", "b"], "y": ["a", "a"]}, {"values": [0, 1]}),
    ({"family": "loss.zero_one", "scores": [[1, 1]], "y": ["q"], "classes": ["p", "q"]},
     {"mean": 1}),
    ({"family": "loss.hamming", "predicted": [[1, -1]], "y": [[1, 1]]}, {"values": ["1/2"]}),
]  # fmt: skip


@pytest.mark.parametrize(("problem", "answer"), RIGHT)
def test_right_answers_are_verified_from_records_and_from_json(
    problem: Record, answer: Record
) -> None:
    verdict = judged(problem, answer)
    assert verdict, verdict.explain()
    assert judged(json.loads(json.dumps(problem)), json.loads(json.dumps(answer))) == verdict
    assert verdict.family == problem["family"]


def without(problem: Record, *names: str, **other: Any) -> Record:
    return {k: v for k, v in {**problem, **other}.items() if k not in names}


MALFORMED_PROBLEMS: list[tuple[Record, str]] = [
    (without(CORNER, "C"), "'C' is missing"),
    (without(CORNER, C=0), "problem.C: expected a positive number"),
    (without(CORNER, y=[1, 1, 2]), "labels -1 and"),
    (without(CORNER, y=["a", "b", "c"], classes=["a", "b", "c"]), "two labels"),
    (without(CORNER, bias="yes"), "problem.bias: expected true or false"),
    (without(CORNER, kernel={"name": "rbf", "gamma": 1}), "problem.kernel"),
    (without(CORNER, "X", gram=[[1, 2], [3, 4]]), "problem.gram"),
    (without(HARD, C=1), "unknown field 'C'"),
    (without(TWO, order=[0, 2]), "problem.order[1]: expected a row from 0 to 1"),
    (without(TWO, order=[0, "1/2"]), "problem.order[1]: expected a whole number"),
    (without(TWO, order=[[0, 1]]), "problem.order: expected 2 lists"),
    (without(TWO, epochs=0), "problem.epochs"),
    (without(TWO, epochs=10**9), "problem.epochs"),
    (without(TWO, at_zero="no"), "problem.at_zero: expected one of update, either"),
    (without(TWO, gram=[[1, 1], [1, 1]]), "unknown field 'gram'"),
    (without(THREE, tau="none"), "problem.tau"),
    (without(DESCENT, eta=0), "problem.eta: expected positive"),
    (without(DESCENT, eta=[1, 1]), "problem.eta: expected one number, or 4"),
    (without(ALGORITHM_1, "T"), "'T' is missing"),
    (without(ALGORITHM_1, T=0), "problem.T"),
    (without(ALGORITHM_1, lam=-1), "problem.lam"),
    (without(ALGORITHM_1, ridge=1), "expected one of ridge and lam"),
    (
        without(ALGORITHM_1, cost=[[0, 1, 1], [1, 1, 1], [1, 1, 0]]),
        "problem.cost[1][1]: expected 0",
    ),
    (without(ALGORITHM_1, cost=[[0, -1, 1], [1, 0, 1], [1, 1, 0]]), "problem.cost[0][1]"),
    (without(ALGORITHM_1, "X", features=[[[1], [2]]] * 3), "problem.features[0]: expected 3 rows"),
    (
        without(HINGE, "X", features=[[[1], [2], [3]]] * 2),
        "problem.features: expected 1 matrices, one a row, got 2",
    ),
    (
        without(HINGE, y=["a"], classes=["a", "b"]),
        "problem.classes: expected 3 labels, one a score",
    ),
    (without(HINGE, y=[3]), "problem.y: expected 1 positions from 0 to 2"),
    (without(HINGE, X=[[1], [2]]), "problem.X: expected 1 rows"),
    (without(HINGE, features=[[[1]] * 3]), "X or features, not both"),
    ({"family": "loss.hinge", "z": [1], "rho": 1}, "unknown field 'rho'"),
    ({"family": "loss.hamming", "predicted": [[1]], "y": [[1, 1]]}, "problem.predicted[0]"),
    ({"family": "loss.hamming", "predicted": [[1]], "y": [[1], [1]]}, "problem.predicted"),
]


@pytest.mark.parametrize(("problem", "message"), MALFORMED_PROBLEMS)
def test_a_malformed_problem_names_its_field(problem: Record, message: str) -> None:
    with pytest.raises(FormatError) as error:
        judged(problem, {"w": [1], "W": [[1]], "values": [1]})
    assert message in str(error.value)


MALFORMED_ANSWERS: list[tuple[Record, Record, str]] = [
    (CORNER, {}, "answer: expected at least one of"),
    (CORNER, {"b": 1}, "answer: expected at least one of w, alpha, scores, labels"),
    (CORNER, {"labels": [1, 1, 1], "b": 1}, "answer.b: needs w or alpha"),
    (CORNER, {"labels": [1, 1, 1], "slack": [0, 0, 0]}, "answer.slack"),
    (CORNER, {"labels": [1, 1, 0]}, "answer.labels[2]: 0 is no class"),
    (CORNER, {"w": [1]}, "answer.w: expected 2 numbers, got 1"),
    (CORNER, {"alpha": [1, 1]}, "answer.alpha: expected 3 numbers"),
    (CORNER, {"w": [1, 1], "b_interval": [1]}, "answer.b_interval: expected two"),
    (CORNER, {"w": [1, "x"]}, "answer.w[1]"),
    (CORNER, {"w": [1, 1], "separable": True}, "unknown field 'separable'"),
    (without(CORNER, bias=False), {"w": [1, 1], "b": 1}, "answer.b: the problem has no bias"),
    (without(CORNER, kernel=QUADRATIC), {"w": [1, 1]}, "linear kernel"),
    (HARD, {"separable": 1}, "answer.separable: expected true or false"),
    (HARD, {"w": [1, 1], "family": "svm.binary"}, "answer.family"),
    (TWO, {"w": [1, 0], "b": 1}, "unknown field 'b'"),
    (without(TWO, bias=True), {"w": [1, 0]}, "w and b belong together"),
    (TWO, {"trace": [[1]]}, "answer.trace[0]: expected 1 row of 2"),
    (TWO, {"mistakes": [-1]}, "answer.mistakes[0]: expected a whole number"),
    (THREE, {"W": [[1, 0]]}, "answer.W: expected 3 rows of 2"),
    (DESCENT, {"mistakes": [1]}, "unknown field 'mistakes'"),
    (HINGE, {"values": [1, 2]}, "answer.values: expected 1 number,"),
    (HINGE, {"subgradients": [[1, 2, 3]]}, "answer.subgradients[0]"),
    (
        HINGE,
        {"subgradients": [[[1, 2]] * 3] * 2},
        "answer.subgradients: expected 1, one a row, got 2",
    ),
    (without(DESCENT, bias=True), {"w": [1]}, "w and b belong together"),
    ({"family": "loss.hamming", "predicted": [[1]], "y": [[1]]}, {"subgradients": [0]}, "has none"),
]


@pytest.mark.parametrize(("problem", "answer", "message"), MALFORMED_ANSWERS)
def test_a_malformed_answer_names_its_field(problem: Record, answer: Record, message: str) -> None:
    with pytest.raises(FormatError) as error:
        judged(problem, answer)
    assert message in str(error.value)


# --- The learners' answers


def random_rows(random: Random, m: int, d: int) -> list[list[F]]:
    return [[F(random.randint(-4, 4), 2) for _ in range(d)] for _ in range(m)]


def model_answer(model: BinarySVM[F]) -> Record:
    low, high = model.b_interval
    return {
        "alpha": nested(model.alpha),
        "b": str(model.b),
        "b_interval": ["-inf" if low is None else str(low), "inf" if high is None else str(high)],
        "slack": nested(model.slack),
        "objective": str(model.objective),
        "margin_squared": "inf" if model.margin_squared is None else str(model.margin_squared),
        **({} if model.w is None else {"w": nested(model.w)}),
    }


def test_binary_svms_of_random_rows_are_verified_and_every_change_is_judged() -> None:
    random, kinds = Random(11), {"soft": 0, "separable": 0, "not separable": 0}
    for _ in range(40):
        m, d = random.randint(2, 5), random.randint(1, 2)
        record: dict[str, Any] = {
            "family": random.choice(["svm.binary", "svm.hard"]),
            "X": nested(random_rows(random, m, d)),
            "y": [random.choice([-1, 1]) for _ in range(m)],
            "bias": random.choice([True, False]),
        }
        if random.random() < 0.3:
            record["kernel"] = QUADRATIC
        if record["family"] == "svm.binary":
            record["C"] = random.choice(["1/3", "1", "5"])
        try:
            model = fitted(svm_binary.read_problem(record))
        except NotSeparableError as error:
            weights = nested(error.combination)
            assert judged(record, {"combination": weights, "separable": False})
            assert judged(record, {"separable": True}).status == "REFUTED"
            assert judged(record, {"alpha": [1] * m}).status == "REFUTED"
            kinds["not separable"] += 1
            continue
        kinds["soft" if "C" in record else "separable"] += 1
        answer = model_answer(model)
        verdict = judged(record, answer)
        assert verdict and verdict.gap == 0, verdict.explain()
        labels = [1 if s > 0 else -1 if s < 0 else 1 for s in model_scores(model, record)]
        assert judged(record, {"labels": labels})
        low, high = model.b_interval
        for name in ("b", "objective"):
            if name == "objective" or (record["bias"] and low is not None and high is not None):
                changed = {**answer, name: str(F(str(answer[name])) + 50)}
                assert judged(record, changed).status == "REFUTED"
    assert min(kinds.values()) >= 5


def model_scores(model: BinarySVM[F], record: Record) -> list[F]:
    return [y * margin for y, margin in zip(record["y"], model.margins, strict=True)]  # type: ignore[call-overload]


def iris(rows: Sequence[int]) -> tuple[list[list[str]], list[str]]:
    X, y = table("iris.csv", str)
    return [X[i] for i in rows], [y[i] for i in rows]


def test_two_species_of_iris_are_separable_and_two_are_not() -> None:
    X, y = iris(range(0, 100, 5))
    names = sorted(set(y))
    record: Record = {"family": "svm.hard", "X": X, "y": y, "classes": names}
    model = fitted(svm_binary.read_problem(record))
    assert judged(record, model_answer(model))
    assert model.w is not None
    floats = {"w": [float(v) for v in model.w], "b": float(model.b)}
    assert judged(record, floats, MICRO)
    assert judged(record, {"separable": False}).status == "REFUTED"
    X, y = iris([*range(50, 150, 2)])
    record = {"family": "svm.hard", "X": X, "y": y, "classes": sorted(set(y)), "bias": False}
    zeros = {**record, "X": [[0] * 4, *X[1:]]}  # the origin has margin 0 without a bias
    assert judged(zeros, {"separable": False})


def test_a_wrong_scale_of_C_is_named() -> None:
    X, y = iris(range(40, 60))
    record: dict[str, Any] = {
        "family": "svm.binary", "X": X, "y": y, "classes": sorted(set(y)), "C": "1/40",
    }  # fmt: skip
    other = fitted(svm_binary.read_problem({**record, "C": "1/20"}))
    verdict = check(record, {"w": nested(other.w), "b": str(other.b)}, gap="0")
    assert verdict.status == "REFUTED"
    assert "(C = 1/20) [svm.half_added]" in verdict.hint


def test_runs_of_the_perceptrons_are_verified_and_changes_of_their_ends_refuted() -> None:
    random = Random(5)
    for _ in range(25):
        m, d = random.randint(1, 5), random.randint(1, 3)
        X, y = random_rows(random, m, d), [random.choice([-1, 1]) for _ in range(m)]
        order = [random.randrange(m) for _ in range(m + 2)]
        record = {"X": nested(X), "y": y, "epochs": 3, "order": order, "bias": True}
        steps: list[Any] = []
        model = fit_perceptron(X, y, epochs=3, order=order, bias=True, on_step=steps.append)
        binary = {"family": "perceptron.binary", **record}
        answer: Record = {
            "trace": [nested([*s.w, s.b]) for s in steps],
            "w": nested(model.w),
            "b": str(model.b),
            "mistakes": [
                sum(v.epoch == e for v in model.course.mistakes)
                for e in range(1, model.course.epochs + 1)
            ],
        }
        assert judged(binary, answer)
        assert judged(binary, {k: v for k, v in answer.items() if k != "trace"})
        changed = {"w": nested([model.w[0] + F(1, 9), *model.w[1:]]), "b": str(model.b)}
        assert judged(binary, changed).status == "REFUTED"
        kernel = {"family": "perceptron.kernel", **record}
        alpha = fit_kernel_perceptron(X, y, epochs=3, order=order, bias=True).alpha
        assert judged(kernel, {"alpha": nested(alpha)})
        bare = {k: v for k, v in kernel.items() if k != "X"}
        gram = [[sum(map(mul, u, v), F(0)) for v in X] for u in X]
        assert judged({**bare, "gram": nested(gram)}, {"alpha": nested(alpha)})


@pytest.mark.parametrize("tau", ["chosen_rival", "all_rivals"])
@pytest.mark.parametrize("ties_are_mistakes", [False, True])
@pytest.mark.parametrize("policy", [min, max])
def test_multiclass_runs_are_verified_whatever_the_policy(
    tau: str, ties_are_mistakes: bool, policy: Callable[[tuple[int, ...]], int]
) -> None:
    random = Random(9)
    for _ in range(4):
        X = random_rows(random, 4, 2)
        y = [random.choice("abc") for _ in X]
        rule = all_rivals if tau == "all_rivals" else None
        steps: list[Any] = []
        model = fit_multiclass_perceptron(
            X, y, tau=rule, ties_are_mistakes=ties_are_mistakes, epochs=2, classes=["a", "b", "c"],
            tie=policy, on_step=steps.append,
        )  # fmt: skip
        record: Record = {
            "family": "perceptron.multiclass", "X": nested(X), "y": y, "epochs": 2, "tau": tau,
            "classes": ["a", "b", "c"],
        }  # fmt: skip
        assert judged(record, {"trace": [nested(s.W) for s in steps]})
        assert judged(record, {"W": nested(model.W)}).status != "REFUTED"
        assert judged({**record, "tau": "any"}, {"trace": [nested(s.W) for s in steps]})


def test_float_runs_are_verified_within_their_rounding() -> None:
    X, y = iris(range(0, 150, 3))
    rows = [[float(v) for v in row] for row in X]
    steps: list[Any] = []
    fit_multiclass_svm_sgd(rows, y, T=300, lam="1/10", on_step=steps.append)
    record = {"family": "sgd.multiclass", "X": rows, "y": y, "T": 300, "lam": "1/10"}
    trace = [[list(row) for row in s.W] for s in steps]
    assert judged(record, {"trace": trace}, F(1, 10**12))
    assert judged(record, {"trace": trace}).status == "REFUTED"
    trace[150][1][2] += 1e-6
    verdict = judged(record, {"trace": trace}, F(1, 10**9))
    # the step that led there, and the one that no longer follows from it
    assert {v.place.split(",")[0] for v in verdict.violations} == {"step 151", "step 152"}


def test_runs_of_descent_are_verified_and_changes_of_their_ends_refuted() -> None:
    random = Random(3)
    cost = [[F(0), F(1), F(2)], [F(1), F(0), F(1, 2)], [F(3), F(1), F(0)]]
    for form, costly in (("max_form", False), ("sum_form", False), ("sum_form", True)):
        X, y = random_rows(random, 5, 2), [0, 1, 2, 0, 1]
        model = fit_multiclass_svm_sgd(
            X, y, T=9, ridge="1/3", loss=sum_form if form == "sum_form" else max_form,
            cost=(lambda j, own: cost[j][own]) if costly else None,
        )  # fmt: skip
        record: dict[str, Any] = {
            "family": "sgd.multiclass", "X": nested(X), "y": y, "T": 9, "ridge": "1/3",
            "loss": form,
        }  # fmt: skip
        if costly:
            record["cost"] = nested(cost)
        assert judged(record, {"W": nested(model.W)})
        changed = nested(model.W)
        changed[0][0] = str(F(changed[0][0]) + F(1, 10**20))
        assert judged(record, {"W": changed}).status == "REFUTED"
    X, signs = random_rows(random, 4, 2), [1, -1, 1, -1]
    for bias in (False, True):
        binary = fit_svm_sgd(X, signs, C=2, eta="1/8", epochs=3, bias=bias)
        record = {
            "family": "sgd.binary", "X": nested(X), "y": signs, "C": 2, "eta": "1/8", "epochs": 3,
            "bias": bias,
        }  # fmt: skip
        end = {"w": nested(binary.w), **({"b": str(binary.b)} if bias else {})}
        assert judged(record, end)
        assert judged(record, {**end, "w": ["1", "1"]}).status == "REFUTED"


def test_every_subgradient_of_the_losses_is_in_the_subdifferential() -> None:
    random = Random(2)
    for _ in range(30):
        k = random.randint(2, 4)
        scores = [F(random.randint(-2, 2), 2) for _ in range(k)]
        y = random.randrange(k)
        found = (
            ("multiclass_hinge", multiclass_hinge_subgradient(scores, y)),
            ("multiclass_hinge_sum", multiclass_hinge_sum_subgradient(scores, y)),
        )
        for name, subgradients in found:
            record: Record = {"family": f"loss.{name}", "scores": [nested(scores)], "y": [y]}
            x = random_rows(random, 1, 2)
            for g, G in zip(subgradients.by_scores(), subgradients.by_weights(x[0]), strict=True):
                value = {"values": [str(subgradients.loss)]}
                assert judged(record, {**value, "subgradients": [nested(g)]})
                assert judged({**record, "X": nested(x)}, {**value, "subgradients": [nested(G)]})
                wrong = nested(g)
                wrong[0] = str(F(wrong[0]) + F(1, 7))
                assert judged(record, {"subgradients": [wrong]}).status == "REFUTED"
