"""Smaller problems: what is taken from one along its axes, and how far failures come down."""

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from refmc.answers import check, solve_problem
from refmc.core.records import Record
from refmc.core.scalars import exact
from refmc.errors import RefmcError
from refmc.oracle.axes import sizes, taken
from refmc.oracle.families import FAMILIES, declared
from refmc.suite import shrinking
from refmc.suite.corpus import vector_from
from refmc.suite.generating import drawn_problem, tiny_problems
from refmc.suite.process import Fault
from refmc.suite.protocol import Reply, Session
from refmc.suite.running import Case, judged
from refmc.suite.shrinking import Shrinker, as_vector
from tests.suite.programs.toy import divided
from tests.support import EXAMPLES, run


class Stand(Session):
    """A session with a function."""

    def ask(self, problem: Record) -> Reply:
        if problem["family"] != "svm.multiclass":
            return Reply(fault=Fault("hangs" if problem.get("epochs", 1) == 1 else "signal"))
        try:
            answer = divided(json.loads(json.dumps(problem)))
        except (RefmcError, KeyError):
            return Reply(fault=Fault("failed"))
        return Reply({name: answer[name] for name in ("classes", "W") if name in answer})


def shrunk(problem: Record) -> dict[str, Any]:
    search = Shrinker(problem, Stand())
    search.shrink()
    return json.loads(json.dumps(as_vector(search.result)))  # type: ignore[no-any-return]  # JSON


FOUR = {
    "family": "svm.multiclass",
    "X": [["5.1", "3.5"], ["4.9", "3"], ["6.4", "3.2"], ["5.8", "2"]],
    "y": [*"aabc"],
    "C": "1.5",
    "weights": ["1", "2", "1", "1"],
}


def test_a_failure_comes_down_to_two_rows_and_whole_numbers() -> None:
    vector = shrunk(FOUR)
    problem = vector["problem"]
    assert len(problem["X"]) == 2 and problem.keys() == {"family", "X", "y", "C"}
    assert problem["C"] == "1" and {v for x in problem["X"] for v in x} <= {"0", "1", "-1"}
    assert vector["wrong"][0]["mistakes"] == vector["catches"] == ["svm.C_over_m"]
    read = vector_from(vector)
    assert check(read.problem, read.answer, gap=0)
    assert check(read.problem, read.wrong[0].answer).status == "REFUTED"
    assert judged(Case("", problem), Stand().ask(problem)).outcome == "refuted"


def test_as_many_problems_are_tried_as_the_help_says() -> None:
    assert (
        f"problems to try (default: {Shrinker(FOUR, Stand()).left})" in run("shrink", "-h").stdout
    )


def test_a_crash_stays_the_same_crash() -> None:
    rows = {"X": [["1"], ["2"], ["-1"]], "y": [1, 1, -1]}
    vector = shrunk({"family": "perceptron.binary", **rows, "epochs": 3, "order": [2, 0, 1]})
    assert vector["problem"]["epochs"] == 2 and vector["problem"]["X"] == [["0"]]
    assert vector["wrong"] == []


class OfTwins(Stand):
    """A session with a program that crashes where there are two numbers, which are equal."""

    def ask(self, problem: Record) -> Reply:
        z: Any = problem.get("z", [])
        return Reply(fault=Fault("signal" if len(z) == 2 and z[0] == z[1] else "failed"))


class OfLarge(Stand):
    """A session with a program that crashes where a number is 1,000 or more."""

    def ask(self, problem: Record) -> Reply:
        z: Any = problem.get("z", [0])
        return Reply(fault=Fault("failed" if max(map(exact, z)) >= 1000 else "signal"))


def test_a_number_that_must_stay_large_is_halved_before_it_is_made_smaller_by_one() -> None:
    search = Shrinker({"family": "loss.hinge", "z": ["2001"]}, OfLarge())
    search.shrink()
    assert search.problem["z"] == ["1000"]


class Counted(Stand):
    """A session that counts what it is asked."""

    asked = 0

    def ask(self, problem: Record) -> Reply:
        self.asked += 1
        return super().ask(problem)


def test_no_more_problems_are_tried_than_are_asked_for() -> None:
    whole, three = Counted(), Counted()
    Shrinker(FOUR, whole).shrink()
    search = Shrinker(FOUR, three, 3)
    search.shrink()
    assert three.asked == 1 + 3 < whole.asked and search.left == 0


class Once(Stand):
    """A session that is never asked the same twice."""

    def __init__(self) -> None:
        super().__init__()
        self.known: set[str] = set()

    def ask(self, problem: Record) -> Reply:
        text = json.dumps(problem)
        assert text not in self.known
        self.known.add(text)
        return super().ask(problem)


def test_no_problem_is_tried_twice() -> None:
    program = Once()
    Shrinker(FOUR, program).shrink()
    assert len(program.known) > 20


def test_what_was_no_problem_from_the_start_stays_as_it_is() -> None:
    problem = {"family": "loss.hinge", "z": ["7"], "unknown": "1", "nor this": "2"}
    search = Shrinker(problem, Stand())
    search.shrink()
    assert search.problem == problem


class OfSeven(Stand):
    """A session with a program that fails where the first number of X is 7."""

    def ask(self, problem: Record) -> Reply:
        X: Any = problem.get("X", [["0"]])
        return Reply(fault=Fault("failed" if X[0][0] == "7" else "signal"))


def test_what_is_no_problem_is_passed_by_on_the_way_to_a_smaller_one() -> None:
    search = Shrinker({"family": "svm.binary", "X": [["7"]], "y": [1], "C": "5"}, OfSeven())
    search.shrink()
    assert search.problem["C"] == "1"  # C = 0 is refused


class OfKernels(Stand):
    """A session with a program that fails where there is a kernel."""

    def ask(self, problem: Record) -> Reply:
        return Reply(fault=Fault("failed" if "kernel" in problem else "signal"))


def test_the_name_of_a_kernel_stays_when_its_numbers_become_smaller() -> None:
    kernel = {"name": "polynomial", "degree": 3, "scale": "5/2", "offset": "7"}
    rows = {"X": [["7"], ["1/2"]], "y": [1, -1], "C": "5", "kernel": kernel}
    search = Shrinker({"family": "svm.binary", **rows}, OfKernels())
    search.shrink()
    least = {"name": "polynomial", "degree": 1, "scale": "1", "offset": "0"}
    rows = {"X": [["0"]], "y": [-1], "C": "1", "kernel": least}
    assert search.problem == {"family": "svm.binary", **rows}


@pytest.mark.parametrize(
    ("number", "simpler"),
    [
        ("7/3", ["0", "1", "-1", "2", "4/3"]),
        ("-7/3", ["0", "1", "-1", "-2"]),
        ("0.25", ["0", "1", "-1", "1/5"]),
        (25, [0, 1, -1, 12, 24]),
        ("1", ["0"]),
        (0, []),
    ],
)
def test_of_a_number_those_are_tried_that_are_shorter_or_nearer_to_0(
    number: object, simpler: list[object]
) -> None:
    assert shrinking._candidates(number) == simpler


def test_numbers_that_must_stay_equal_become_smaller_together() -> None:
    for number, smaller in (("7/3", "1"), ("-7/3", "-1"), (25, 1)):
        search = Shrinker({"family": "loss.hinge", "z": [number, number]}, OfTwins())
        search.shrink()
        assert search.problem["z"] == [smaller, smaller]


@pytest.mark.campaign
def test_150_rows_come_down_to_three_at_most() -> None:
    problem = json.loads((EXAMPLES / "iris-svm.json").read_text(encoding="utf-8"))
    assert len(problem["X"]) == 150 and len(shrunk(problem)["problem"]["X"]) <= 3


def test_from_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text('{"family": "loss.zero_one", "predicted": [1, 2, 1, 2], "y": [1, 1, 1, 2]}')
    done = run("shrink", path, "--", "sh", "-c", """echo '{"mean": 1}'""")
    vector = json.loads(done.stdout)
    assert done.returncode == 0 and "from 4 rows to 1 row;" in done.stderr
    assert vector["problem"] == {"family": "loss.zero_one", "predicted": [2], "y": [2]}
    assert vector["wrong"][0]["answer"] == {"mean": 1}
    done = run("shrink", path, "--", "sh", "-c", """echo '{"mean": "1/4"}'""")
    assert done.returncode == 5 and done.stdout == ""
    assert done.stderr == "refmc: the answer is verified, there is nothing to shrink\n"


CLOSED = """
import json, sys
asked = json.load(sys.stdin)
assert all(isinstance(v, float) for v in asked["z"]) and asked["rho"] >= 0.5
print(json.dumps({"values": [min(1, max(0, 1 - z)) for z in asked["z"]]}))
"""
"""It reads doubles and defaults alone, and is deaf to ρ."""


def test_plain_problems_are_shrunk_as_the_program_is_asked_them(tmp_path: Path) -> None:
    path = tmp_path / "problem.json"
    path.write_text('{"family": "loss.margin", "z": ["1/3", "2", "-1"], "rho": "2/3"}')
    program = ("--", sys.executable, "-S", "-c", CLOSED)
    done = run("shrink", path, "--plain", *program)
    vector = json.loads(done.stdout)
    # ρ = 1 would be right, ρ = 0 isn't valid; what is left of ρ is a double, as it was sent
    assert vector["problem"]["family"] == "loss.margin" and len(vector["problem"]["z"]) == 1
    assert vector["wrong"][0]["mistakes"] == ["loss.rho_ignored"]
    (z,), rho = vector["problem"]["z"], vector["problem"]["rho"]
    assert {type(v) for v in (z, rho)} == {str} and exact(rho) not in (0, 1)
    assert check(vector["problem"], vector["wrong"][0]["answer"]).status == "REFUTED"
    texts = json.loads(run("shrink", path, *program).stdout)  # on which it crashes
    assert texts["problem"] == {"family": "loss.margin", "z": ["0"]} and texts["wrong"] == []
    path.write_text('{"family": "svm.hard", "gram": [[1]], "y": [1]}')
    done = run("shrink", path, "--plain", *program)
    assert done.returncode == 5 and "gram: left out of plain problems" in done.stderr


def test_rows_leave_with_all_that_belongs_to_them() -> None:
    problem = {
        "family": "perceptron.kernel", "gram": [[1, 2, 3], [2, 4, 5], [3, 5, 6]], "y": [1, -1, 1],
        "order": [[2, 0, 1], [0, 0, 2]], "classes": [-1, 1],
    }  # fmt: skip
    assert sizes(problem) == {"rows": 3, "classes": 2}
    assert taken(problem, "rows", [2, 0]) == {
        "family": "perceptron.kernel", "gram": [[6, 3], [3, 1]], "y": [1, 1],
        "order": [[0, 1], [1, 1, 0]], "classes": [-1, 1],
    }  # fmt: skip


def test_three_classes_have_three_pairs() -> None:
    # each of the scores -1, 0 and 1 for each pair
    assert len({*map(str, tiny_problems("ovo.decode", 1))}) == 27
    drawn = [drawn_problem("ovo.decode", str(seed)) for seed in range(20)]
    assert {len(problem["pairs"][0]) for problem in drawn if "pairs" in problem} == {3}


def test_classes_are_drawn_where_they_are_asked_for_or_labels_need_not_name_all() -> None:
    drawn = [drawn_problem("loss.zero_one", str(seed)) for seed in range(30)]
    assert {"classes" in problem for problem in drawn if "scores" in problem} == {True, False}
    costs = [drawn_problem("svm.multiclass", str(seed), ["cost"]) for seed in range(30)]
    assert {"classes" in problem for problem in costs if "cost" in problem} == {True}


def test_every_family_has_problems_that_a_seed_draws_and_tiny_ones() -> None:
    for family in FAMILIES:
        problem = drawn_problem(family, "2")
        assert check(problem, solve_problem(problem)), problem
        tiny = [json.dumps(problem) for _, problem in zip(range(40), tiny_problems(family, 1))]
        assert len(set(tiny)) == len(tiny) > 1
    assert len([*tiny_problems("svm.hard", 2)]) == 3 * 2 + 3**2 * 2**2


def test_tiny_problems_have_the_first_form_of_their_family() -> None:
    several = [family for family in FAMILIES if len(declared(family)[0]) > 1]
    assert several
    for family in several:
        first = declared(family)[0][0]
        assert all(first.fits(p) for _, p in zip(range(200), tiny_problems(family, 1))), family


def test_problems_of_a_seed_stay_what_they_are() -> None:
    assert drawn_problem("loss.hinge", "1") == {"family": "loss.hinge", "z": ["2", "0", "1"]}
    done = run("tiny", "loss.hinge", "--rows", 1)
    assert [json.loads(line)["z"] for line in done.stdout.splitlines()] == [["-1"], ["0"], ["1"]]
    assert (
        run("gen", "loss.hing").returncode == run("tiny", "loss.hinge", "--rows", 0).returncode == 2
    )


def test_columns_and_classes_leave_with_all_that_belongs_to_them() -> None:
    run_of_two = {
        "family": "perceptron.multiclass", "X": [[1, 2]], "y": ["a"], "classes": ["a", "b"],
        "start": [[1, 2], [3, 4]],
    }  # fmt: skip
    assert taken(run_of_two, "columns", [1])["start"] == [[2], [4]]
    assert taken(run_of_two, "classes", [0])["start"] == [[1, 2]]
    with_bias = {"family": "sgd.binary", "X": [[1, 2]], "y": [1], "start": [5, 6, 7], "bias": True}
    assert taken(with_bias, "columns", [1])["start"] == [6, 7]
    pairs = {"family": "ovo.decode", "pairs": [["1", "2", "3"]]}  # (0, 1), (0, 2), (1, 2)
    assert taken(pairs, "classes", [2, 0])["pairs"] == [["-2"]]
    assert taken(pairs, "classes", [0, 1, 2]) == pairs


def test_all_numbers_may_become_their_signs_whole_numbers_or_tenths() -> None:
    number = Fraction(-266, 100)
    assert [smaller(number) for smaller in shrinking.SMALLER] == [-1, -3, Fraction(-27, 10)]
