"""Solvers that were stopped early, and neighbours that an answer can't belong to."""

from fractions import Fraction

import pytest

from refmc.answers import check, solve_problem
from refmc.core.records import Record
from refmc.mistakes.all import MISTAKES
from refmc.mistakes.explaining import explain
from refmc.mistakes.explanation import Judged
from refmc.mistakes.ruled_out import Screen
from refmc.mistakes.unfinished import UNFINISHED, unfinished
from refmc.suite.corpus import vectors
from tests.mistakes.programs import binary_svm, multiclass_svm
from tests.mistakes.test_planted import diagnosed, results
from tests.support import table

THREE: Record = {
    "family": "svm.multiclass", "X": [[1, 0], [0, 1], [-1, -1]], "y": ["a", "b", "c"], "C": 1,
}  # fmt: skip
TINY = Fraction(1, 10**9)


def is_ruled_out(problem: Record, answer: Record, limit: Fraction) -> bool:
    return Screen().rules_out(problem, answer, limit)


def test_the_example_of_the_first_page_looks_unfinished() -> None:
    assert check(THREE, {"W": [[0.6, -0.3], [-0.3, 0.6], [-0.3, -0.3]]}).hint == (
        "looks unfinished: made by multipliers within their bounds, but 0 rows lie on the margin "
        "where the optimum has 3; ask for more iterations or a smaller tolerance [svm.unfinished]"
    )


def test_weights_that_no_multipliers_make_do_not_look_unfinished() -> None:
    # W of the optimum sums to 0 in each column, as all that multipliers make does
    assert check(THREE, {"W": [[0.6, -0.3], [-0.3, 0.6], [-0.2, -0.3]]}).hint == ""


def test_answers_to_another_problem_are_told_as_such() -> None:
    small = {**THREE, "C": "1/4"}
    answer = {"W": solve_problem({**THREE, "C": "1/12"})["W"]}
    assert "[svm.C_over_m]" in check(small, answer).hint


@pytest.mark.parametrize("sweeps", [1, 3])
def test_sweeps_of_a_solver_over_real_rows_look_unfinished(
    sweeps: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = table("iris.csv", float)
    classes = sorted(set(y))
    rows = [*range(0, 150, 10)]
    asked = {"X": [X[i] for i in rows], "y": [classes.index(y[i]) for i in rows], "C": 10.0}
    told = {**asked, "classes": [0, 1, 2], "loss": "max_form"}
    monkeypatch.setattr(multiclass_svm, "range", lambda *n: range(*n) if n != (20_000,) else range(sweeps), raising=False)  # fmt: skip  # noqa: E501
    W = multiclass_svm.solve(told)["W"]
    problem = {"family": "svm.multiclass", **asked}
    assert "looks unfinished" in check(problem, {"W": W}).hint


def test_rows_between_classes_tell_where_few_lie_on_the_margin() -> None:
    ran = results("multiclass_svm", "few_sweeps", longest=2500)
    (sixteen,) = (result for result in ran if result.case.id == "svm.multiclass/sixteen")
    told = "but 1 row has two classes of the largest loss where 9 have at the optimum"
    assert told in sixteen.text


def test_class_means_that_are_next_to_nothing_do_not_look_unfinished() -> None:
    (tiny,) = vectors(only="svm.multiclass/tiny")
    W = tiny.problem["X"]  # a row for each class, so far from the optimum that it is no iterate
    assert check(tiny.problem, {"W": W}).status == "REFUTED"
    assert "unfinished" not in check(tiny.problem, {"W": W}).hint


@pytest.mark.parametrize(("w", "is_told"), [(0.222, False), (0.22246913578, True)])
def test_weights_of_few_figures_are_not_those_of_a_solver_that_stops_early(
    w: float, is_told: bool
) -> None:
    (drawn,) = vectors(only="svm.multiclass/drawn-020")  # the best is 2/9, and −1/9 twice
    change = unfinished("svm.multiclass").answer
    assert change is not None
    told = change(drawn.problem, {"W": [[-w / 2], [w], [-w / 2]]})
    assert (told is not None and "remark" in told) is is_told


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("name", "bug"), [("multiclass_svm", "few_sweeps"), ("binary_svm", "loose")]
)
def test_a_run_is_told_that_its_solver_stops_early(name: str, bug: str) -> None:
    found = diagnosed(name, bug, longest=2500)
    assert found.told == [{"svm.unfinished"}], found.causes


def test_two_classes_are_told_of_a_run_alone() -> None:
    of_two = (unfinished(family) for family in UNFINISHED if family != "svm.multiclass")
    assert [mistake.at_least for mistake in of_two] == [5, 5]
    problem: Record = {"family": "svm.binary", "X": [[4], [5], [7], [9], [6]], "y": [-1, -1, 1, 1, -1], "C": 1}  # fmt: skip  # noqa: E501
    answer = binary_svm.solve({**problem, "loss": "hinge", "bias": True}, "few_steps")
    assert "svm.unfinished" not in explain(problem, answer).text()


def test_no_right_answer_is_ruled_out() -> None:
    tried = 0
    for vector in vectors(family="svm.*"):
        for answer in (vector.answer, *vector.accept):
            assert not is_ruled_out(vector.problem, answer, TINY), vector.id
            tried += bool({"w", "W"} & answer.keys())
    assert tried >= 70


@pytest.mark.campaign
def test_weights_without_a_bias_are_judged_with_the_best_one() -> None:
    tried = 0
    for vector in vectors(family="svm.binary"):
        for answer in (vector.answer, *(wrong.answer for wrong in vector.wrong)):
            kept = {name: v for name, v in answer.items() if name == "w"}
            if kept and vector.problem.get("bias", True) is True:
                is_right = check(vector.problem, kept, gap=TINY)
                assert not (is_right and is_ruled_out(vector.problem, kept, TINY)), vector.id
                tried += bool(is_right)
    assert tried >= 20
    line: Record = {"family": "svm.binary", "X": [[4], [5], [7], [9]], "y": [-1, -1, 1, 1], "C": 1}
    assert is_ruled_out(line, {"w": [3]}, TINY)
    squared = {**line, "loss": "squared_hinge"}
    assert is_ruled_out(squared, {"w": [3]}, TINY)
    assert not is_ruled_out(squared, {"w": solve_problem(squared)["w"]}, TINY)


def test_rows_beyond_floats_rule_out_nothing_at_any_look() -> None:
    near = {"family": "svm.binary", "X": [[1], [-1], [2]], "y": [1, -1, 1], "C": "1/4"}
    far, wrong, screen = {**near, "X": [["1e400"], [-1], [2]]}, {"w": [9], "b": 0}, Screen()
    limit = Fraction(1, 100)
    assert screen.rules_out(near, wrong, limit)
    for _ in range(2):  # where the rows of the problem before must not be taken for them
        assert not screen.rules_out(far, {"w": [9]}, limit)
    assert screen.rules_out(near, wrong, limit)
    assert check(far, {"w": ["1/8"]}).status == "REFUTED"


def test_a_neighbour_to_which_an_answer_is_right_is_not_ruled_out() -> None:
    scaled = [m for id, m in MISTAKES.items() if id in ("svm.C_over_m", "svm.squared_hinge")]
    tried = 0
    for vector in vectors(family=("svm.binary", "svm.multiclass")):
        for mistake in scaled:
            neighbour, made = next(iter(mistake.changed(vector.problem, {})), None), None
            if vector.family in mistake.families and neighbour is not None:
                made = mistake.made(vector.problem)
            if made is not None and neighbour is not None:
                assert not is_ruled_out(neighbour[0], made, TINY), vector.id
                tried += 1
    assert tried >= 90


def test_of_a_single_class_other_weights_than_0_are_ruled_out() -> None:
    alone: Record = {"family": "svm.multiclass", "X": [[1]], "y": ["a"], "C": 1}
    assert is_ruled_out(alone, {"W": [[1]]}, TINY) and not is_ruled_out(alone, {"W": [[0]]}, TINY)
    assert check(alone, {"W": [[1]]}).hint == ""


def test_beside_an_optimum_of_0_the_limit_is_an_absolute_one() -> None:
    one: Record = {"family": "svm.binary", "X": [[1]], "y": [1], "C": 1}
    near: Record = {"w": [0], "b": "3/5"}  # its loss is 2/5, and every b of at least 1 has none
    for screen in (Screen(), Screen(one, Fraction(0))):
        assert screen.rules_out(one, near, Fraction(1, 3))
        assert not screen.rules_out(one, near, Fraction(1, 2))


def test_of_two_mistakes_one_of_which_leaves_a_quarter_none_is_told() -> None:
    one: Record = {"family": "svm.binary", "X": [[1]], "y": [1], "C": 1}
    # -b misses 1 by 2/5 where b misses it by 8/5; the slack of 1/500000 is damage beside it
    answer: Record = {"w": [0], "b": "-3/5", "alpha": [0], "slack": ["1/500000"]}
    assert explain(one, answer).explanations == ()


def test_of_values_beyond_floats_nothing_is_known() -> None:
    two = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
    assert not is_ruled_out(two, {"w": [1e300]}, TINY)
    assert not is_ruled_out(two, {"w": [2]}, Fraction(10**400))
    assert check(two, {"w": [1e300]}).status == check(two, {"w": ["1e400"]}).status == "REFUTED"


def test_doubled_weights_are_ruled_out() -> None:
    W = [[2 * Fraction(v) for v in w] for w in solve_problem(THREE)["W"]]  # type: ignore[attr-defined]
    assert is_ruled_out(THREE, {"W": W}, Fraction(1, 100))
    assert not is_ruled_out(THREE, {"W": W, "classes": ["c", "b", "a"]}, Fraction(1, 100))


def test_of_a_hard_margin_the_rows_alone_tell() -> None:
    line: Record = {"family": "svm.hard", "X": [[0], [3], [5]], "y": [-1, 1, 1]}
    assert is_ruled_out(line, {"w": ["1/3"], "b": "-1/2"}, Fraction(1, 100))  # a margin of 1/2
    assert not is_ruled_out(line, {"w": [9], "b": "-27/2"}, Fraction(1, 100))  # no margin tells
    assert is_ruled_out(
        line, {"w": ["1/3"]}, Fraction(1, 3)
    )  # the best bias leaves 1/2 on each side
    assert not is_ruled_out(line, {"w": ["1/3"]}, Fraction(1, 2))
    assert not is_ruled_out({**line, "y": [1, 1, 1]}, {"w": ["1/3"]}, TINY)
    weighted = {**line, "X": [[9], [3], [5]], "weights": [0, 1, 1]}
    assert not is_ruled_out(weighted, {"w": [1], "b": 0}, TINY)  # its first row is left out


def test_where_the_optimum_is_known_weights_are_measured_by_it() -> None:
    right, wrong = ({"W": [[f * Fraction(v) for v in w] for w in solve_problem(THREE)["W"]]} for f in (1, 2))  # type: ignore[attr-defined]  # fmt: skip  # noqa: E501
    refuted = Judged(THREE, wrong, check(THREE, wrong))
    assert refuted.verdict.relative is not None and refuted.verdict.scale is not None
    assert refuted.screen.optimum == refuted.verdict.scale
    for share, is_out in ((Fraction(9, 10), True), (Fraction(11, 10), False)):
        limit = share * refuted.verdict.relative
        assert refuted.screen.rules_out(THREE, wrong, limit) is is_out
    assert not refuted.screen.rules_out(THREE, right, TINY)


def test_a_refuted_verdict_holds_the_multipliers_that_prove_the_optimum() -> None:
    found = check(THREE, {"W": [[1, 0], [0, 1], [-1, -1]]})
    assert found.witness is not None and "witness" not in found.to_json()
    assert check(THREE, {"lam": found.witness}, gap=0)
