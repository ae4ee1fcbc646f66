"""What verdicts on runs depend on: every field of an answer, no unit of the data, bounded work.

The references are refmc's own; what is judged of them is changed here in ways whose verdict is
known beforehand: a scaled run is as right as the run, and one with a changed number is wrong.
"""

from collections.abc import Iterator
from copy import deepcopy
from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.core.records import Record
from refmc.core.scalars import number_text
from refmc.errors import FormatError
from refmc.oracle.forms import REMARKS
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.runs import shape_of
from refmc.oracle.online.visits import MAX_ENTRIES, MAX_STEPS

pytestmark = pytest.mark.usefixtures("without_hints")

TWO: Record = {"family": "perceptron.binary", "X": [[1, 0], [-2, -1]], "y": [1, -1], "epochs": 3}
THREE: Record = {
    "family": "perceptron.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"],
}  # fmt: skip
KERNEL: Record = {"family": "perceptron.kernel", "gram": [[1, 2], [2, 5]], "y": [1, -1]}
DESCENT: Record = {
    "family": "sgd.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1, "eta": "1/4", "epochs": 2,
}  # fmt: skip
ALGORITHM_1: Record = {**THREE, "family": "sgd.multiclass", "lam": 1, "T": 3}
FEATURES: Record = {
    "family": "sgd.multiclass", "features": [[[-1], [1]], [[1], [-1]]], "y": [1, 0], "lam": 1,
    "T": 3,
}  # fmt: skip

PROBLEMS: list[Record] = [
    TWO,
    {**TWO, "bias": True},
    KERNEL,
    THREE,
    {**THREE, "tau": "all_rivals"},
    {**THREE, "tau": "any"},
    DESCENT,
    {**DESCENT, "bias": True},
    ALGORITHM_1,
    {**ALGORITHM_1, "loss": "sum_form"},
    FEATURES,
    {**TWO, "start": ["-1/2", 3], "average": "by_age", "voted": True},
    {**KERNEL, "start": [0, "1/3"], "average": "equally", "epochs": 2},
    {**THREE, "start": [[1, 1], [0, 1], [0, 0]], "voted": True, "epochs": 2},
    {**DESCENT, "start": [2], "average": "equally", "shrink": "with_loss"},
    {**FEATURES, "start": [1], "average": "by_age", "eta": "1/3"},
]


def fields_of(problem: Record) -> list[str]:
    room: Any = sgd if str(problem["family"]).startswith("sgd") else perceptron
    declared = shape_of(room.read_problem(problem)).declared(str(problem["family"]))
    return [field.name for field in declared.optional if field.name not in REMARKS]


def corrupted(value: Any, change: F) -> Iterator[Any]:
    """The value with one of its numbers changed, for each of its numbers."""
    if not isinstance(value, list):
        yield number_text(F(value) + change) if isinstance(value, str) else value + 10
        return
    for i, entry in enumerate(value):
        for other in corrupted(entry, change):
            yield [*value[:i], other, *value[i + 1 :]]


def exchanged(problem: Record, solved: dict[str, Any]) -> Iterator[list[Any]]:
    """The labels with one of them exchanged for that of another row, where that is another one."""
    y: Any = problem["y"]
    for i, own in enumerate(solved["labels"]):
        for other in {*y} - {own}:
            yield [*solved["labels"][:i], other, *solved["labels"][i + 1 :]]


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_every_number_of_every_field_is_judged(problem: Record) -> None:
    solved: dict[str, Any] = solve_problem(problem)
    fields = fields_of(problem)
    assert set(fields) == set(solved) - {"family"} and check(problem, solved, gap=0)
    for name in fields:
        # w and b are one answer, the end
        alone = {
            other: solved[other] for other in fields if other == name or {name, other} <= {"w", "b"}
        }
        assert check(problem, alone, gap=0) and check(problem, alone)
        # another run of the ties may predict other labels, so that these are not judged alone
        answers = [solved] if name == "labels" else [solved, alone]
        values = (
            exchanged(problem, solved) if name == "labels" else corrupted(solved[name], F(1, 7))
        )
        for value in values:
            for answer in answers:
                assert check(problem, {**answer, name: value}).status != "VERIFIED"
        with pytest.raises(FormatError, match=f"answer.*{name}"):
            check(problem, {**solved, name: None})


UNITS = (F(1), F(2) ** 40, F(2) ** -40)


def in_units(problem: Any, s: F) -> tuple[Record, F]:
    """The problem with X in other units, and what its states are multiplied by."""
    scaled = deepcopy(problem)
    name = "features" if "features" in problem else "gram" if "gram" in problem else "X"
    scaled[name] = times(problem[name], s)
    by = 1 / s
    if problem["family"].startswith("perceptron"):
        by = F(1) if name == "gram" else s
    elif "C" in problem:  # w becomes w/s where the steps eta C y x do
        scaled["C"] = number_text(F(problem["C"]) / s**2)
    else:  # eta lam stays as it is, and so does eta x in units of W, which are 1/s
        scaled["lam"] = number_text(F(problem["lam"]) * s**2)
        if "eta" in problem:
            scaled["eta"] = number_text(F(problem["eta"]) / s**2)
    if "start" in problem:
        scaled["start"] = times(problem["start"], by)
    return scaled, by


def times(value: Any, s: F) -> Any:
    return [times(v, s) for v in value] if isinstance(value, list) else number_text(F(value) * s)


def rounded(value: Any) -> Any:
    """What a program that computes in floats would write."""
    return (
        [rounded(v) for v in value] if isinstance(value, list) else number_text(F(float(F(value))))
    )


@pytest.mark.parametrize("problem", [p for p in PROBLEMS if "bias" not in p], ids=str)
def test_units_never_change_a_verdict(problem: Record) -> None:
    random, states = Random(str(problem)), ("trace", "w", "W", "alpha")
    data: Any = problem
    if "X" in problem:  # tenths, which no float holds, on few points
        X = [[number_text(F(random.randint(-3, 3), 10)) for _ in row] for row in data["X"]]
        data = {**problem, "X": X}
    solved: dict[str, Any] = solve_problem(data)
    answers = [solved, {k: rounded(v) if k in states else v for k, v in solved.items()}]
    for name in states:
        for change in (F(1, 10**8), F(1, 10**3)) if name in solved else ():
            wrong = list(corrupted(solved[name], change))
            answers += [
                {**solved, name: value} for value in random.sample(wrong, min(3, len(wrong)))
            ]
    found: list[list[str]] = []
    for s in UNITS:
        scaled, by = in_units(data, s)
        found.append([])
        for answer in answers:
            other = {k: times(v, by) if k in states else v for k, v in answer.items()}
            found[-1].append(check(scaled, other).status)
    assert found[0] == found[1] == found[2]
    assert found[0][:2] == ["VERIFIED"] * 2 and set(found[0][2:]) != {"VERIFIED"}


def test_a_list_of_orders_may_have_as_many_epochs_as_one_order() -> None:
    problem = {**TWO, "X": [[1, 0], [0, 0]], "epochs": 1_001, "order": [[0]] * 1_001}
    answer = solve_problem(problem)
    assert answer["w"] == ["1", "0"] and check(problem, answer, gap=0)


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({**TWO, "epochs": 10**7}, "20000000 steps; expected at most 200000"),
        ({**TWO, "epochs": 10**400}, r"steps; expected at most 200000"),
        ({**TWO, "epochs": 3, "order": [[0] * 400_000] * 3}, "1200000 steps"),
        ({**DESCENT, "epochs": 10**7}, "steps"),
        ({**ALGORITHM_1, "T": 10**7}, "problem.T"),
        ({**THREE, "X": [[0] * 400] * 3, "epochs": 3_000}, "9000 steps of 1200 numbers"),
        ({**KERNEL, "gram": [[1] * 40] * 40, "y": [1] * 40, "epochs": 4_000},
         "steps of 40 numbers"),
        ({**ALGORITHM_1, "X": [[0] * 400] * 3, "T": 9_000}, "9000 steps of 1200 numbers"),
    ],
    ids=range(8),
)  # fmt: skip
def test_a_run_of_too_much_work_is_refused_by_name(problem: Record, message: str) -> None:
    assert MAX_STEPS == 200_000 and MAX_ENTRIES == 5_000_000
    for judge_or_solve in (
        lambda: check(problem, {"mistakes": [1]}),
        lambda: solve_problem(problem),
    ):
        with pytest.raises(FormatError, match=message):
            judge_or_solve()
