"""What verdicts on boosting depend on: every field, no unit of the weights, bounded work."""

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import check, fit_adaboost, fit_adaboost_mh, solve_problem
from refmc.core.scalars import number_text
from refmc.errors import FormatError
from refmc.learn.boosting.stumps import saved_stump
from refmc.oracle.boosting import records
from refmc.oracle.boosting.submitted_rounds import OF_Z, ROUND, base_answers

pytestmark = pytest.mark.usefixtures("without_hints")

Record = dict[str, Any]

# Rows of different weights, so that no other stump ties, and no label or loss is open.
ADA: Record = {
    "family": "boost.ada", "X": [[0, 1], [1, 0], [2, 1], [3, 2], [4, 0]], "y": [1, 1, -1, 1, -1],
    "weights": [3, 1, 2, 4, 1], "rounds": 3,
}  # fmt: skip
MH: Record = {
    "family": "boost.mh", "X": [[0], [1], [2], [3], [4]], "Y": ["a", "b", "a", "c", "c"],
    "weights": [3, 1, 2, 4, 1], "rounds": 2,
}  # fmt: skip
SETS: Record = {**MH, "Y": [["a"], ["a", "b"], [], ["b"], ["c"]]}
PERFECT: Record = {"family": "boost.ada", "X": [[0], [1], [2]], "y": [1, 1, -1], "rounds": 5}
PROBLEMS = [ADA, MH, {**MH, "base": "two_sided"}, SETS, PERFECT]


def full_answer(problem: Record) -> Record:
    """Everything that can be said of the reference run, from the steps of the learner."""
    solved: Any = solve_problem(problem)
    read = records.read_problem(problem)
    steps: list[Any] = []
    weights = [F(w) for w in problem.get("weights", [1] * read.m)]
    options: Record = {"weights": weights, "rounds": problem["rounds"], "on_step": steps.append}
    X = [[F(v) for v in row] for row in problem["X"]]
    if problem["family"] == "boost.ada":
        model: Any = fit_adaboost(X, problem["y"], **options)
        scores: list[Any] = [model.decision(x) for x in X]
    else:
        two_sided = problem.get("base") == "two_sided"
        model = fit_adaboost_mh(X, problem["Y"], two_sided=two_sided, **options)
        scores = [model.scores(x) for x in X]
    for given, step in zip(solved["rounds"], steps, strict=True):
        D = [[number_text(v) for v in row] for row in step.D]
        given["D"] = [d for (d,) in D] if problem["family"] == "boost.ada" else D
        if step.epsilon == 0:
            given |= {"Z": 0, "bound": 0}
        else:
            given |= {"Z": step.Z, "bound": step.bound}
    return {**solved, "scores": floats(scores)}


def floats(value: Any) -> Any:
    return [floats(v) for v in value] if isinstance(value, (list, tuple)) else float(value)


def corrupted(name: str, value: Any) -> Iterator[Any]:
    """The value of a field with one thing changed, in every place."""
    if name in ("labels", "base") and not isinstance(value, list):
        yield {1: -1, -1: 1, "a": "b", "b": "c", "c": "a"}[value]
    elif name == "labels" and (not value or isinstance(value[0], str)) and len(value) < 4:
        yield [label for label in value if label != "a"] if "a" in value else [*value, "a"]
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            for other in corrupted(name, entry):
                yield [*value[:i], other, *value[i + 1 :]]
    elif name == "stopped":
        yield from {"rounds", "perfect", "no_edge"} - {value}
    elif name == "stump":
        for i in range(len(value["signs"])):
            signs = [-v if i == l else v for l, v in enumerate(value["signs"])]
            yield {**value, "signs": signs}
        if value["question"] is not None:
            yield {**value, "question": None}
            below = number_text(F(value["question"]["threshold"]) - 1)
            yield {**value, "question": {**value["question"], "threshold": below}}
    elif name == "alpha":
        yield 20 if value is None else None
        if value is not None:
            yield {"ln": {base: number_text(F(c) + F(1, 7)) for base, c in value["ln"].items()}}
    else:
        yield number_text(F(value) + F(1, 7)) if name != "t" else value + 1


@pytest.mark.parametrize("problem", PROBLEMS, ids=range(5))
def test_every_number_of_every_field_is_judged(problem: Record) -> None:
    answer = full_answer(problem)
    assert check(problem, answer)
    assert set(answer) - {"family"} == {"rounds", "stopped", "labels", "scores"}
    fields = {"stump", *(field.name for field in ROUND[problem["family"]].optional)}
    fields -= {"tied", "undecided"}
    fields -= set((f.name for f in OF_Z) if records.read_problem(problem).asked.by_class else ())
    for name in ("stopped", "labels", "scores"):
        for value in corrupted(name, answer[name]):
            assert check(problem, {**answer, name: value}).status == "REFUTED", (name, value)
    for t, given in enumerate(answer["rounds"]):
        assert set(given) == fields
        for name in fields:
            for value in corrupted(name, given[name]):
                rounds = [*answer["rounds"][:t], {**given, name: value}, *answer["rounds"][t + 1 :]]
                if name == "t":
                    with pytest.raises(FormatError, match=r"rounds\[\d\]\.t"):
                        check(problem, {"rounds": rounds})
                else:
                    verdict = check(problem, {"rounds": rounds})
                    assert verdict.status == "REFUTED", (t, name, value)


def as_base(problem: Record, rounds: list[Any]) -> list[Any]:
    """The rounds with the answers of their stumps on the rows."""
    read = records.read_problem(problem)
    found = []
    for given in rounds:
        stump = base_answers({"stump": given["stump"]}, "round", read)
        by_label = [[-1, 1][h] for (h,) in stump] if problem["family"] == "boost.ada" else stump
        rest = {name: value for name, value in given.items() if name != "stump"}
        found.append({**rest, "base": [list(h) if isinstance(h, tuple) else h for h in by_label]})
    return found


@pytest.mark.parametrize("problem", PROBLEMS[:3], ids=range(3))
def test_every_answer_of_a_base_classifier_is_judged(problem: Record) -> None:
    answer = full_answer(problem)
    rounds = as_base(problem, answer["rounds"])
    assert check(problem, {**answer, "rounds": rounds})
    for t, given in enumerate(rounds):
        for i, h in enumerate(given["base"]):
            changed = -h if isinstance(h, int) else [-h[0], *h[1:]]
            base = [*given["base"][:i], changed, *given["base"][i + 1 :]]
            wrong = [*rounds[:t], {**given, "base": base}, *rounds[t + 1 :]]
            assert check(problem, {**answer, "rounds": wrong}).status == "REFUTED"


@pytest.mark.parametrize("problem", [ADA, MH, SETS], ids=range(3))
def test_units_of_weights_never_change_a_verdict(problem: Record) -> None:
    answer = full_answer(problem)
    answers = [answer]
    for change in (F(1, 10**8), F(1, 10**10)):
        for name in ("epsilon", "Z_squared", "loss"):
            first = {**answer["rounds"][0], name: F(answer["rounds"][0][name]) * (1 + change)}
            answers.append({**answer, "rounds": [first, *answer["rounds"][1:]]})
    found = []
    for s in (F(1), F(2) ** 40, F(2) ** -40):
        scaled = {**problem, "weights": [number_text(w * s) for w in problem["weights"]]}
        found.append([check(scaled, given).status for given in answers])
    assert found[0] == found[1] == found[2] == ["VERIFIED", *["REFUTED"] * 3, *["VERIFIED"] * 3]


def test_a_run_in_floats_is_verified_by_default_and_a_skipped_end_is_not() -> None:
    X, y = [[0.1], [0.2], [0.3], [0.4]], [1, 1, -1, 1]
    model = fit_adaboost(X, y, rounds=3)
    rounds = []
    for r in model.rounds:
        assert r.alpha is not None
        stump = {name: v for name, v in saved_stump(r.base).items() if name != "free"}
        rounds.append({"stump": stump, "alpha": float(r.alpha), "epsilon": r.epsilon, "Z": r.Z})
    problem: Record = {"family": "boost.ada", "X": X, "y": y, "rounds": 3}
    scores = [model.decision(x) for x in X]
    assert check(problem, {"rounds": rounds, "scores": scores, "labels": model.predict(X)})
    # XOR: the best stump errs on 1/2, and whoever goes on after it has no edge
    xor: Record = {"family": "boost.ada", "X": [[0, 0], [0, 1], [1, 0], [1, 1]],
                   "y": [1, -1, -1, 1],
                   "rounds": 2}  # fmt: skip
    idle = {"base": [1, 1, -1, -1], "epsilon": 0.5, "alpha": 0}
    verdict = check(xor, {"rounds": [idle, idle]})
    assert verdict.status == "REFUTED" and "so it has no edge" in verdict.violations[0].text
    assert check(xor, {"rounds": [], "stopped": "no_edge"})


def test_too_many_rounds_are_refused_by_name() -> None:
    for problem in ({**ADA, "rounds": 10**7}, {**MH, "rounds": "1" + "0" * 400}):
        for act in (lambda p: check(p, {"rounds": []}), solve_problem):
            with pytest.raises(FormatError, match="problem.rounds: expected at most 100000"):
                act(problem)
    wide = {**ADA, "X": [[0] * 3_000] * 5, "rounds": 50_000}
    with pytest.raises(FormatError, match="expected at most 1000000000"):
        check(wide, {"rounds": [{"base": [1] * 5}] * 40_000})
