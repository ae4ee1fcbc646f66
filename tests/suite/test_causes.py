"""Why the answers of a run are wrong: which mistakes are told, and what is common otherwise."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import comb, inf
from types import SimpleNamespace
from typing import Any

import pytest

from refmc.answers import solve_problem
from refmc.core.records import Record, number
from refmc.core.scalars import exact
from refmc.errors import RefmcError
from refmc.mistakes.all import MISTAKES
from refmc.oracle.axes import sizes, taken
from refmc.suite import causes as module
from refmc.suite import vector_of, vectors
from refmc.suite.causes import Cause, causes, explain_all
from refmc.suite.common import KINDS, common, wrong_places
from refmc.suite.process import Fault
from refmc.suite.protocol import About, Reply
from refmc.suite.running import Case, Result, judged, plain_cases, suite_cases
from tests.mistakes.programs.binary_svm import solve as stopped_early

pytestmark = pytest.mark.usefixtures("kept_optima")

Answered = tuple[Record, Mapping[str, Any]]


def results(*answers: Answered) -> list[Result]:
    return [
        judged(Case(f"{problem['family']}/{i}", problem), Reply(answer=dict(answer)))
        for i, (problem, answer) in enumerate(answers)
    ]


def explained(*answers: Answered) -> list[Cause]:
    return explain_all(results(*answers))


def names(found: list[Cause]) -> list[str]:
    return [", ".join(mistake.id for mistake in cause.mistakes) for cause in found]


def made(name: str, problem: Record) -> Record:
    answer = MISTAKES[name].made(problem)
    assert answer is not None
    return answer


LINE: Record = {
    "family": "svm.binary", "X": [["4"], ["5"], ["7"], ["9"]], "y": [-1, -1, 1, 1], "C": "1/2",
}  # fmt: skip


def test_a_mistake_of_a_whole_run_is_told_once_and_under_one_name() -> None:
    right = [
        (v.problem, v.answer) for v in vectors(only=["svm.*/conflict", "svm.binary/two-rows*"])
    ]
    assert explained(*right) == [] == causes(results(*right))
    found = explained(*((p, MISTAKES["svm.C_over_m"].made(p) or a) for p, a in right))
    (told,) = (cause.text() for cause in found)
    assert told == (
        "explains 3 of the 3 refuted answers of svm.multiclass, svm.binary: "
        "C is divided by the number of rows [svm.C_over_m]"
    )


def test_the_gap_that_a_mistake_leaves_by_rounding_is_none() -> None:
    rounded = {"w": [0.4], "b": -2.6000000000000001}
    assert names(explained((LINE, rounded))) == ["svm.C_over_m"]


def test_as_many_answers_against_a_mistake_as_for_it_are_too_many() -> None:
    two = vector_of("svm.binary/two-rows-bounded")
    wrong = made("svm.C_over_m", two.problem)
    assert names(explained((two.problem, wrong))) == ["svm.C_over_m"]
    assert "svm.C_over_m" not in names(explained((two.problem, wrong), (two.problem, two.answer)))
    other = {**LINE, "C": "1/3"}
    lines = [(LINE, made("svm.C_over_m", LINE)), (other, made("svm.C_over_m", other))]
    [cause] = explained(*lines, (two.problem, two.answer))
    assert (cause.explained, cause.wrong) == (2, 2)
    assert "svm.C_over_m" not in names(explained(*lines, *[(two.problem, two.answer)] * 2))


def test_right_answers_where_one_class_would_be_left_say_nothing_of_a_row_left_out() -> None:
    line = {**LINE, "X": [["4"], ["5"], ["9"], ["6"]], "C": "3"}
    wrong = {n: v for n, v in solve_problem(taken(line, "rows", range(3))).items() if n in "wb"}
    assert names(explained((line, wrong))) == ["left_out.last_row"]
    pairs = [(v.problem, v.answer) for v in vectors(only="svm.binary/two-rows*")]
    assert len(pairs) > 1  # of which programs keep both rows
    assert names(explained((line, wrong), *pairs)) == ["left_out.last_row"]


def test_of_trees_that_differ_in_one_node_each_the_cause_is_only_possible() -> None:
    small: Record = {"family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": [*"abb"]}
    five = {**small, "X": [["1"], ["2"], ["3"], ["4"], ["5"]], "y": [*"abbba"]}
    one: Record = {**small, "max_splits": 0}
    # the only node a for b; both leaves; the leaf a; the leaves a at both ends
    told = {
        "tree.label_of_first_row": ("; it may be that the label of a node is that of", [one]),
        "tree.sides_swapped": (": the child for yes is taken for", [small]),
        "tree.label_of_parent": (": a node has the label of its parent", [small, five]),
    }
    for name, (clause, problems) in told.items():
        [cause, *_] = explained(*((problem, made(name, problem)) for problem in problems))
        assert names([cause]) == [name] and f"tree.grow{clause}" in cause.text()
        assert cause.text().startswith("fits " if "may be" in clause else "explains ")


SIGNS: Record = {"family": "loss.hinge", "z": ["1/2", "3"]}


def test_a_mistake_is_told_of_half_of_the_refuted_answers_of_its_families() -> None:
    still: Record = {"family": "loss.hinge", "z": ["0"]}  # which has no sign
    other = still, {"values": ["7"]}
    [cause] = explained((SIGNS, made("loss.reversed_margin", SIGNS)), other)
    # one answer may be so by another mistake
    told = "fits 1 of the 2 refuted answers of loss.hinge; it may be that "
    assert cause.text().startswith(told)
    small = {"family": "loss.hinge", "z": ["-1", "1"]}  # whose answer is of 2 and 0
    least = {"values": ["0", "2"]}
    assert names(explained((small, least), other)) == ["loss.reversed_margin"]
    assert explained((small, least), other, other) == []


def test_wrong_answers_that_are_not_those_of_a_mistake_speak_against_it() -> None:
    signs = [
        (problem, made("loss.reversed_margin", problem))
        for problem in (SIGNS, *({**SIGNS, "z": ["1/3", z]} for z in ("-2", "-3", "-4")))
    ]
    nonsense = SIGNS, {"values": ["7/9", "5/7"]}
    assert explained(signs[0], nonsense) == []
    assert explained(*signs[:3], nonsense) == []
    assert names(explained(*signs, nonsense)) == ["loss.reversed_margin"]
    assert explained(*signs, nonsense, nonsense) == []


def test_wrong_answers_with_a_setting_of_their_own_may_have_another_mistake_too() -> None:
    draws: Record = {
        "family": "sgd.multiclass", "X": [["7/5"], ["-11/3"]], "y": [0, 1], "lam": "3/7",
        "draws": [0, 1],
    }  # fmt: skip
    plain, sums, small = draws, {**draws, "loss": "sum_form"}, {**draws, "lam": "1/7"}

    def is_told(mine: list[Record], others: list[Record], is_sure: bool = True) -> bool:
        wrong = [about("sgd.multiclass", p, made("sgd.t_from_zero", p)) for p in (*mine, *others)]
        found = module._Suspect(
            [(MISTAKES["sgd.t_from_zero"],)], {*range(len(mine))}, {"sgd.multiclass": None}
        )
        found.is_sure = is_sure
        return found.is_borne_out(wrong, [], {*range(len(wrong))})

    assert is_told([plain, plain], [sums]) and is_told([plain, plain], [sums, sums])
    assert not is_told([plain, plain], [sums], is_sure=False)
    assert not is_told([plain], [sums, sums])  # which is less than half
    assert not is_told([plain, plain], [plain]) and not is_told([plain, plain], [sums, plain])
    assert not is_told([plain, sums], [sums])  # of which one has the mistake alone
    assert not is_told([plain, plain], [small])  # for numbers are no settings


def test_right_slopes_speak_against_a_mistake_of_slopes() -> None:
    wrong = {"family": "loss.hinge", "z": ["1/2"]}, {"values": ["1/2"], "subgradients": ["1"]}
    right = [
        ({"family": "loss.hinge", "z": [z]}, {"values": [value], "subgradients": ["-1"]})
        for z, value in (("-1", "2"), ("-2", "3"))
    ]
    assert names(explained(wrong)) == ["loss.slope_sign"]
    assert explained(wrong, *right) == []


def test_the_setting_that_explains_what_is_wrong_would_have_spoiled_what_is_right() -> None:
    # two classes claim each row, of which the score takes the second; the best of those that claim
    # would be right, too
    rows = [["1", "2", "-1"], ["1", "3", "-1"], ["2", "3", "-1"], ["1", "4", "-1"]]
    claims: Record = {"family": "ova.decode", "scores": rows}
    wrong, right = (claims, {"labels": [0] * 4}), (claims, {"labels": [1] * 4})
    assert "ova.other_rule" in names(explained(wrong))
    assert "ova.other_rule" not in names(explained(wrong, right, right))


@pytest.mark.parametrize(
    ("rows", "is_told"), [([3], True), ([2], False), ([2, 2, 2], True), ([2, 2, 1], False)]
)
def test_labels_tell_enough_by_three_bits_alone_or_by_six_together(
    rows: list[int], is_told: bool
) -> None:
    # with two classes each row tells a bit; both claim it
    scores = [["1", "2"], ["1", "3"], ["2", "3"]]
    answers = [
        ({"family": "ova.decode", "scores": scores[:count]}, {"labels": [0] * count})
        for count in rows
    ]
    assert ("ova.other_rule" in names(explained(*answers))) == is_told


def test_a_cause_is_told_if_half_of_what_it_explains_is_told_by_no_other() -> None:
    # right is max(0, 1 − z), the reversed margin max(0, 1 + z), a missing one max(0, −z)
    reversed_margin, both, missing = (
        ({"family": "loss.hinge", "z": [z]}, {"values": [value]})
        for z, value in (("1", "2"), ("-1/2", "1/2"), ("0", "0"))
    )
    found = explained(*[reversed_margin] * 2, both, missing)
    assert names(found) == ["loss.reversed_margin", "loss.margin_missing"]
    found = explained(*[reversed_margin] * 2, both, both, missing)
    assert names(found) == ["loss.reversed_margin"]


def test_other_settings_than_that_of_the_mistake_may_be_what_they_are() -> None:
    # the states are (2, 0) and (1, 1); with a bias the same beside 1 and 2
    plain: Record = {"family": "perceptron.binary", "X": [["2", "0"], ["-1", "1"]], "y": [1, 1]}
    wrong = plain, {"w": ["3/2", "1/2"]}
    right = {**plain, "bias": True}, {"w": ["1", "1"], "b": "2"}
    assert "run.averaged" in names(explained(wrong))
    assert "run.averaged" not in names(explained(wrong, right, right))


def test_half_of_what_is_left_is_not_enough_where_it_is_little_of_all() -> None:
    reversed_margins = [{"family": "loss.hinge", "z": ["1", str(z)]} for z in range(2, 18)]
    missing = [{"family": "loss.hinge", "z": [z]} for z in ("-1", "-2", "-3")]
    others = [(problem, made("loss.margin_missing", problem)) for problem in missing]
    found = [(problem, made("loss.reversed_margin", problem)) for problem in reversed_margins]
    assert names(explained(*found, *others)) == ["loss.reversed_margin"]
    assert names(explained(*others)) == ["loss.margin_missing"]


def test_a_mistake_is_told_of_one_answer_that_nobody_gives_by_chance() -> None:
    still: Record = {"family": "loss.hinge", "z": ["0"]}  # which has no sign
    others = [(still, {"values": ["7"]})] * 2
    exactly = {"family": "loss.hinge", "z": ["35/36", "-77/50"]}, {"values": ["71/36", "0"]}
    assert names(explained(exactly, *others)) == ["loss.reversed_margin"]
    simple = {"family": "loss.hinge", "z": ["-1", "1"]}, {"values": ["0", "2"]}
    assert explained(simple, *others) == []
    shown = SIGNS, {"values": ["7/9", "5/7"]}
    assert explained(exactly, *others, shown) == []
    assert explained(exactly, *others, (SIGNS, {"values": ["1/2", "0"]})) == []


@pytest.mark.parametrize(
    ("z", "value", "is_told"),
    [
        ("31/32", "63/32", True),  # 6 + 6 binary digits
        ("30/31", "61/31", False),  # 6 + 5
        ("4/97", "101/97", True),
        ("4/97", 101 / 97, True),
        ("1/200003", "200004/200003", True),
        ("1/3000000", "3000001/3000000", False),  # which is near 1, as a rounded 1 would be
    ],
)
def test_chance_gives_no_answer_of_twelve_digits(z: str, value: object, is_told: bool) -> None:
    still = {"family": "loss.hinge", "z": ["0"]}, {"values": ["7"]}
    found = explained(({"family": "loss.hinge", "z": [z]}, {"values": [value]}), still, still)
    assert names(found) == ["loss.reversed_margin"] * is_told


@pytest.mark.parametrize(("off", "is_told"), [("3e-10", True), ("4e-10", False)])
def test_an_answer_is_as_good_as_exact_up_to_a_billionth(off: str, is_told: bool) -> None:
    # of (2/5 + off, −13/5) the relative gap to C/4 is 65/23 off; the others don't hear of C
    near = {"w": [str(Fraction(2, 5) + Fraction(off))], "b": "-13/5"}
    still = {**LINE, "X": [["1"], ["-1"]], "y": [1, -1], "C": "100"}, {"w": ["7"], "b": "3"}
    assert names(explained((LINE, near), still, still)) == ["svm.C_over_m"] * is_told


def test_a_part_that_is_off_is_no_cause_and_what_was_not_judged_no_evidence() -> None:
    assert explained((LINE, {"w": ["1"], "b": "-5"})) == []  # right but for the bias
    wrong = made("svm.C_over_m", LINE)
    limit = Result(Case("svm.binary/limit", LINE), "inconclusive", "too long", answer=wrong)
    assert explain_all([limit]) == []
    [cause] = explain_all([*results((LINE, wrong)), limit])
    assert (cause.explained, cause.wrong) == (1, 1)


def test_the_rounding_of_a_simple_answer_has_many_bits_that_tell_nothing() -> None:
    # with the plain hinge w = 0 and b = -1 are right, whose errors of a float's size are no bits
    rows: Record = {
        "family": "svm.binary", "X": [["1"], ["1"], ["-1"]], "y": [1, -1, -1], "C": "2",
        "loss": "squared_hinge",
    }  # fmt: skip
    near = {"w": [1.999955000930446e-05], "b": -0.9999800003999051}
    other = {**rows, "C": "1"}, {"w": [7], "b": 0}
    assert explained((rows, near), other, other) == []


@pytest.mark.campaign
def test_of_two_that_explain_as_much_the_one_is_told_that_spoils_fewer_right_answers() -> None:
    # the first question gains 0.92 bits or 0.64 nats, and with another impurity too little, too
    grow: Record = {
        "family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": ["a", "b", "b"],
        "impurity": "entropy",
    }  # fmt: skip
    stopped = {**grow, "min_decrease": "7/10"}
    found = explained(
        (stopped, made("tree.log_base", stopped)),
        *(
            (v.problem, v.answer)
            for v in vectors(family="tree.grow")
            if "min_decrease" not in v.problem
        ),
    )
    assert names(found)[0] == "tree.log_base"


def test_two_mistakes_of_two_families_are_both_told() -> None:
    sign = SIGNS, made("loss.reversed_margin", SIGNS)
    lines = [({**LINE, "C": C}, made("svm.C_over_m", {**LINE, "C": C})) for C in ("1/2", "1/3")]
    assert names(explained(lines[0], sign, sign)) == ["loss.reversed_margin", "svm.C_over_m"]
    # two other names of what explains the lines come before what explains one answer
    assert names(explained(*lines, sign)) == ["svm.C_over_m", "loss.reversed_margin"]


def test_a_solver_that_stopped_early_is_told_of_five_answers() -> None:
    ids = [f"svm.binary/{name}" for name in ("corner", "tiny", "big", "sixteen", "seventeen")]
    ran = [
        judged(case, Reply(answer=stopped_early(dict(case.sent), "few_steps")))
        for case in plain_cases(suite_cases(only=ids), About())
        if case.sent is not None
    ]
    assert [result.outcome for result in ran] == ["refuted"] * 5
    assert names(explain_all(ran)) == ["svm.unfinished"]
    [cause] = explain_all([*ran, *results((LINE, {"w": [1, 2], "b": 0}))])  # malformed
    assert names([cause]) == ["svm.unfinished"] and (cause.explained, cause.wrong) == (5, 6)


def test_two_mistakes_at_once_are_told_of_a_run() -> None:
    step: Record = {"family": "sgd.binary", "X": [["2"]], "y": [1], "C": "1", "eta": "1/4"}
    start = {**step, "start": ["-4"]}
    wrong = start, {"w": ["-9/2"]}
    assert names(explained(wrong)) == ["sgd.plus_sign, sgd.no_shrink"]
    # with the sign of the first the step from 0, w = 1/4 · 2, would go the other way
    assert explained(wrong, (step, {"w": ["1/2"]})) == []


def test_a_mistake_whose_answer_lacks_multipliers_would_have_spoiled_what_is_right() -> None:
    # ½x² − 2x with x ≤ ¼ is least at ¼, without the bound at 2; and −2x with x = 0 and x ≤ 1 at 0,
    # whose multipliers are 2 and 0: where the bound is ignored, 2 alone
    bounded: Record = {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": ["1/4"]}
    fixed = {**bounded, "Q": [[0]], "A": [[1]], "b": [0], "h": [1]}
    right = {"x": [0], "equality_multipliers": [2], "inequality_multipliers": [0]}
    assert names(explained((bounded, {"x": [2]}))) == ["qp.bounds_ignored"]
    assert explained((bounded, {"x": [2]}), (fixed, right)) == []


def test_two_mistakes_are_not_looked_for_in_what_is_malformed() -> None:
    program: Record = {
        "family": "qp.convex", "Q": [[1]], "c": [-4], "A": [[1]], "b": [1], "G": [[1]], "h": [2],
    }  # fmt: skip
    free = {"x": [4], "equality_multipliers": [], "inequality_multipliers": []}
    assert explained((program, free)) == []


def cut(family: str, change: Callable[[Record], Any]) -> list[Answered]:
    """The problems of the suite, with right answers to what a program makes of them."""
    found: list[Answered] = []
    for vector in vectors(family=family):
        try:
            answer = solve_problem(change(vector.problem))
        except RefmcError:
            continue
        found.append((vector.problem, answer))
    return found


@pytest.mark.parametrize(
    ("family", "name"),
    [
        pytest.param("tree.grow", "min_leaf", marks=pytest.mark.campaign),
        ("sgd.binary", "shrink"),
        ("ova.decode", "rule"),
    ],
)
def test_a_setting_that_is_left_out_is_named(family: str, name: str) -> None:
    found = explained(*cut(family, lambda p: {n: v for n, v in p.items() if n != name}))
    assert found[0].text().endswith(f": {name} is ignored [deaf.{name}]")


@pytest.mark.campaign
def test_a_setting_that_always_has_one_value_is_named_though_it_is_right_where_it_is_asked() -> (
    None
):
    found = explained(*cut("perceptron.multiclass", lambda p: {**p, "tau": "all_rivals"})[::2])
    assert names(found)[0] == "perceptron.other_tau"
    assert found[0].explained == found[0].wrong >= 5


def test_the_last_inequality_that_is_left_out_is_named() -> None:
    def short(problem: Record) -> Record:
        m = sizes(problem).get("inequalities", 0)
        return taken(problem, "inequalities", range(m - 1)) if m > 1 else problem

    assert names(explained(*cut("qp.convex", short)))[0] == "left_out.last_inequality"


@pytest.mark.parametrize(
    "family",
    ["svm.binary", "svm.multiclass", pytest.param("sgd.multiclass", marks=pytest.mark.campaign)],
)
@pytest.mark.parametrize("end", ["first", "last"])
def test_answers_without_an_entry_for_a_column_are_evidence_that_it_is_left_out(
    family: str, end: str
) -> None:
    def short(problem: Record) -> Record:
        d = sizes(problem).get("columns", 0)
        kept = range(d - 1) if end == "last" else range(1, d)
        return taken(problem, "columns", kept) if d > 1 else problem

    found = explained(*cut(family, short))
    assert names(found) == [f"left_out.{end}_column"]
    assert found[0].explained == found[0].wrong > 5 and found[0].malformed


def without_the_margin(problem: Record) -> Answered:
    z: Any = problem["z"]
    values = [max(Fraction(0), -exact(v)) for v in z]
    mean = sum(values, Fraction(0)) / len(values)
    return problem, {"values": [*map(str, values)], "mean": str(mean)}


def test_of_rows_that_are_judged_one_by_one_none_is_named_as_left_out() -> None:
    [cause] = explained(without_the_margin(vector_of("loss.hinge/two").problem))
    assert names([cause]) == ["loss.margin_missing"]
    assert cause.text().startswith("explains the refuted answer of loss.hinge: the loss is")


def test_a_malformed_answer_of_a_deaf_program_is_evidence() -> None:
    rows = {"X": [["1"], ["-1"], ["0"]], "y": [*"abb"], "C": "1"}
    asked = {"family": "svm.multiclass", **rows, "classes": [*"cab"]}  # which has three rows of W
    answer = solve_problem({"family": "svm.multiclass", **rows})
    (cause,) = explained((asked, {"W": answer["W"]}))
    assert cause.text() == (
        "explains the refuted or malformed answer of svm.multiclass: classes is ignored "
        "[deaf.classes]"
    )


def test_a_cause_of_refuted_and_malformed_answers_says_so() -> None:
    rows = {"family": "svm.multiclass", "X": [["1"], ["-1"], ["-2"]], "y": [*"abb"], "C": "1"}
    answer = {"W": solve_problem(rows)["W"]}
    (cause,) = explained(
        ({**rows, "classes": [*"ba"]}, answer), ({**rows, "classes": [*"cab"]}, answer)
    )
    assert cause.text() == (
        "explains 2 of the 2 refuted or malformed answers of svm.multiclass: classes is ignored "
        "[deaf.classes]"
    )


def test_a_malformed_run_is_explained_by_nothing_that_it_can_not_be() -> None:
    run: Record = {
        "family": "sgd.multiclass", "X": [["1"], ["2"]], "y": ["a", "b"], "lam": "1", "T": 1,
        "classes": [*"bac"],
    }  # fmt: skip
    assert explained((run, {"W": [["1"]], "labels": ["a", "a"]})) == []


def test_a_generic_mistake_in_two_families_is_counted_in_both() -> None:
    rows = {"X": [[1], [-1]], "y": [1, -1]}
    binary = {"family": "perceptron.binary", **rows, "start": [-3]}
    kernel = {"family": "perceptron.kernel", **rows, "start": [0, 5]}
    [deaf] = explained((binary, {"w": [1]}), (kernel, {"alpha": [1, 0]}))
    assert names([deaf]) == ["deaf.start"]
    assert (deaf.explained, deaf.wrong) == (2, 2)
    assert deaf.families == ("perceptron.binary", "perceptron.kernel")


def outcomes(wrong: int, right: int, change: Callable[[bool, int], Record]) -> list[Result]:
    """Failures and right answers to problems that `change` makes of ordinary ones."""
    found = []
    for i in range(wrong + right):
        is_right = i >= wrong
        problem = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": "2"}
        case = Case(f"svm.binary/{i}", {**problem, **change(is_right, i)}, flags=())
        if is_right:
            found.append(Result(case, "verified"))
        else:
            found.append(Result(case, "crashed", str(Fault("prints_nothing"))))
    return found


def test_what_is_common_to_the_failures_is_told_where_nothing_explains_them() -> None:
    def weighted(is_right: bool, i: int) -> Record:
        return {} if is_right else {"weights": [1, 2]}

    ran = outcomes(12, 40, weighted)
    nothing, told = causes(ran)
    assert nothing == "every failure is a crash, for the reason that its line gives"
    of_right = "and 0 of the 40 right answers of their families"
    assert told == f"12 of the 12 failures have the setting weights, {of_right}"
    unexplained = results((LINE, {"w": ["9"], "b": "7"}))
    nothing = "no named mistake, and no two, explain the run"
    assert causes([*ran, *unexplained])[0] == nothing
    two = vector_of("svm.binary/two-rows-bounded")
    shown = results((LINE, made("svm.C_over_m", LINE)), *[(two.problem, two.answer)] * 2)
    denied, *_ = causes([*unexplained * 2, *shown])
    assert denied == f"{nothing}; what single answers look like stands beside them"


@pytest.mark.parametrize(
    ("wrong", "right", "have", "too", "is_told"),
    [
        (12, 40, 12, 0, True),
        (4, 100, 4, 0, False),  # four are too few, though 1 of 4,598,126 is little
        (5, 100, 5, 0, True),
        (5, 40, 5, 0, True),  # 1 of 1,221,759
        (5, 36, 5, 0, True),  # 1 of 749,398 is more than 1e-6
        (40, 100, 40, 30, True),
        (40, 100, 40, 31, False),  # too many right ones
        (40, 100, 39, 30, False),  # not all
        (40, 100, 20, 0, True),
        (40, 100, 19, 0, False),  # less than half
        (40, 100, 20, 1, False),
        (12, 83, 6, 0, True),  # 924 of 869,107,785 is more than 1e-6
        (12, 84, 6, 0, True),  # 924 of 927,048,304
        (5, 10, 5, 3, True),  # 56 of 3,003 is far more than 1e-6
        (11, 11, 11, 0, True),  # 1 of 705,432
        (12, 12, 12, 0, True),  # 1 of 2,704,156
        (20, 20, 20, 6, True),
        (20, 20, 20, 5, True),
    ],
)
def test_common_is_what_chance_does_not_make(
    wrong: int, right: int, have: int, too: int, is_told: bool
) -> None:
    def weighted(is_right: bool, i: int) -> Record:
        has = i - wrong < too if is_right else i < have
        return {"weights": [1, 2]} if has else {}

    ways = sum(
        comb(wrong, x) * comb(right, have + too - x)
        for x in range(have, min(wrong, have + too) + 1)
    )
    likely = Fraction(ways, comb(wrong + right, have + too)) <= Fraction(1, 10**6)
    assert bool(common(outcomes(wrong, right, weighted))) == (is_told and likely)


@pytest.mark.parametrize(
    ("X", "kind"),
    [
        ([["4/2"], [-1]], "a number written as a fraction"),
        ([["5.0"], [-1]], "a number written as a decimal"),
        ([["0x1.8p3"], [-1]], "a number written in hexadecimal"),
        ([[2**41], [-1]], "a number of 2^40 or more"),
        ([[1e-20], [-1]], "a number of 2^-40 or less, but not 0"),
    ],
)
def test_kinds_of_numbers_can_be_common(X: list[list[object]], kind: str) -> None:
    told = common(outcomes(12, 40, lambda is_right, i: {} if is_right else {"X": X}))
    assert len(told) == 1
    assert f"have {kind}, and 0 of the 40" in told[0]


def test_labels_that_look_like_numbers_are_no_kind_of_number() -> None:
    assert (
        common(outcomes(12, 40, lambda is_right, i: {} if is_right else {"y": ["7/2", "a"]})) == []
    )


@pytest.mark.parametrize(
    ("kind", "has", "not_quite"),
    [
        ("a number written as a fraction", "4/2", "2"),
        ("a number written as a decimal", "5.0", "0x1.8p3"),
        ("a number written in hexadecimal", "0x1p3", "8"),
        ("a negative number", "-1/9", "0"),
        ("a number that is not whole", "1/2", "4/2"),
        ("a number of 2^40 or more", str(-(2**40)), str(2**40 - 1)),
        ("a number of 2^-40 or less, but not 0", "-0x1p-40", "0"),
        ("a number of 2^-40 or less, but not 0", "0x1p-40", "0x1.8p-40"),
    ],
)
def test_each_kind_of_number_has_an_end(kind: str, has: str, not_quite: str) -> None:
    found = [KINDS[kind](text, number(text, "")) for text in (has, not_quite)]
    assert found == [True, False]


def test_five_causes_are_told_those_first_that_explain_most() -> None:
    several = {
        "loss.hinge": "loss.reversed_margin", "svm.binary": "svm.C_over_m",
        "ovo.decode": "ovo.pair_sign", "svm.multiclass": "svm.sign_reversed",
        "loss.hamming": "loss.hamming_count", "code.decode": "code.loss_of_minus_z",
    }  # fmt: skip
    ran: list[Answered] = []
    for family, name in several.items():
        made = [(v.problem, MISTAKES[name].made(v.problem)) for v in vectors(family=family)]
        ran += [(problem, answer) for problem, answer in made if answer][:3]
    told = causes(results(*ran))
    assert len(told) == 5 < len(explain_all(results(*ran)))
    counts = [int(text.split()[1]) for text in told]
    assert counts == sorted(counts, reverse=True)


def test_of_what_is_as_common_the_first_by_name_is_told() -> None:
    kernel = {"name": "polynomial", "degree": 2, "scale": "1", "offset": 0}
    given = {"bias": False, "kernel": kernel, "loss": "squared_hinge", "weights": [1, 2]}
    for pair in combinations(given, 2):
        own = {name: given[name] for name in pair}

        def changed(is_right: bool, i: int, own: Record = own) -> Record:
            return {} if is_right else own

        told = common(outcomes(12, 40, changed))
        assert f"have the setting {pair[0]}" in told[0]


def test_names_beside_numbers_are_no_numbers() -> None:
    kernel = {"name": "polynomial", "degree": 2, "scale": "1", "offset": 0}
    ran = outcomes(12, 40, lambda is_right, i: {} if is_right else {"kernel": kernel})
    assert "have the setting kernel, and 0 of the 40" in common(ran)[0]


def test_flags_can_be_common_and_those_of_fresh_problems_are_not_known() -> None:
    ran = outcomes(12, 40, lambda is_right, i: {})
    tied = [Result(Case(r.case.id, r.case.problem, flags=("tie",)), r.outcome) for r in ran[:12]]
    assert "12 of the 12 failures have the flag 'tie', and 0 of" in common([*tied, *ran[12:]])[0]
    fresh = [Result(Case(r.case.id, r.case.problem), "verified") for r in ran[12:]]
    assert common([*tied, *fresh]) == []
    failed = [Result(Case(r.case.id, r.case.problem), r.outcome) for r in ran[:12]]
    assert common([*failed, *ran[12:]]) == []


def test_other_families_than_those_of_the_failures_tell_nothing() -> None:
    ran = outcomes(12, 0, lambda is_right, i: {"weights": [1, 2]})
    other = [Result(Case("loss.hinge/x", SIGNS, flags=()), "verified")] * 99
    assert common([*ran, *other]) == []
    ran = outcomes(12, 40, lambda is_right, i: {} if is_right else {"weights": [1, 2]})
    assert "and 0 of the 40 right answers" in common([*ran, *other])[0]
    skipped = [Result(result.case, "skipped") for result in ran[12:]]
    assert common([*ran, *skipped]) == common(ran)


WEIGHTED: Record = {
    "family": "svm.hard", "X": [[2], [1], [-1], [-2]], "y": [1, 1, -1, -1], "weights": [1, 1, 0, 1],
}  # fmt: skip


@pytest.mark.parametrize(
    "answer",
    [
        {"w": ["1"], "b": "0", "alpha": ["1"]},
        {"alpha": ["1", "0", "0", "1"], "b": 0},
        {"labels": [1]},
        {"labels": {"1": 1}},
        {"labels": [{"1": 1}, 1, 1]},
        {"labels": [[1], [1], [-1]]},
    ],
)
def test_an_answer_of_a_wrong_shape_is_explained_by_nothing(answer: Record) -> None:
    (result,) = results((WEIGHTED, answer))
    assert result.outcome == "crashed" and explain_all([result]) == []


def about(family: str, problem: Record, answer: Record) -> Any:
    verdict = SimpleNamespace(family=family)
    return SimpleNamespace(
        problem=problem, answer=answer, verdict=verdict, is_malformed=False, label_bits=inf
    )


def suspect(made: Mapping[str, Any], explained: set[int]) -> Any:
    """A suspect of one mistake, which answers a problem of one number in each of these ways."""
    mistake: Any = SimpleNamespace(
        all_made=lambda problem: [(problem, answer) for answer in made[problem["z"][0]]],
        is_told_by_remark=False,
    )
    return module._Suspect([(mistake,)], explained, {"loss.hinge": None})


def test_a_mistake_that_may_spoil_an_answer_has_those_against_it_that_it_surely_spoils() -> None:
    # the losses at 0 and 2 are 1 and 0
    one, two = ({"family": "loss.hinge", "z": [z]} for z in ("0", "2"))
    wrong = [about("loss.hinge", one, {"values": ["0"]})]
    right = [about("loss.hinge", two, {"values": ["0"]})]
    made = {"0": [{"values": ["0"]}, {"values": ["1"]}], "2": [{"values": ["5"]}]}
    found = suspect(made, {0})
    assert not found.spoils(wrong[0]) and found.spoils(wrong[0], surely=False)
    assert found.spoils(right[0])
    assert found.is_borne_out(wrong, [], {0}) and not found.is_borne_out(wrong, right, {0})


def test_half_of_what_is_left_must_be_explained_as_well() -> None:
    wrong = [about("loss.hinge", {"family": "loss.hinge", "z": ["0"]}, {})] * 6
    found = suspect({}, {0, 1, 2})
    assert found.is_half(wrong, {1, 2, 3, 4}) and not found.is_half(wrong, {2, 3, 4, 5})


def test_what_is_known_as_malformed_is_refuted_where_it_has_been_judged() -> None:
    [result] = results((LINE, made("svm.C_over_m", LINE)))
    known = replace(result, outcome="known", reason="malformed in an old version")
    [cause] = explain_all([known])
    assert not cause.malformed and cause == explain_all([result])[0]


def test_no_two_mistakes_are_looked_for_where_one_explains(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[str]()

    def none_together(family: str) -> tuple[()]:
        asked.append(family)
        return ()

    monkeypatch.setattr(module, "tried_together", none_together)
    assert names(explained((LINE, made("svm.C_over_m", LINE)))) == ["svm.C_over_m"]
    assert not asked
    assert not explained((LINE, {"w": ["1/7"], "b": "3/11"})) and asked == ["svm.binary"]


@pytest.mark.parametrize(("family", "least"), [("loss.hinge", 5), ("tree.grow", 9)])
def test_a_mistake_explains_half_of_a_run_and_of_trees_nine_in_ten(family: str, least: int) -> None:
    wrong = [about(family, {}, {})] * 10
    for explained in (least - 1, least):
        found = module._Suspect([], {*range(explained)}, {family: None})
        assert found.is_half(wrong, {*range(10)}) is (explained == least)


def remarked_suspect(explained: set[int], remarked: int) -> Any:
    found = suspect({"0": [{"values": ["0"]}]}, explained)
    mistake = found.mistakes[0][0]
    mistake.is_told_by_remark, mistake.at_least, mistake.one_in = True, 3, 2
    found.remarked, found.bits = remarked, inf
    return found


def test_what_a_remark_tells_is_borne_out_by_half_of_them_or_by_as_many_right_answers() -> None:
    case = about("loss.hinge", {"family": "loss.hinge", "z": ["0"]}, {"values": ["0"]})
    other = about("loss.ramp", {"family": "loss.ramp", "z": ["0"]}, {"values": ["0"]})
    for wrong, remarked, right, is_borne_out in (
        (2, 1, 0, True), (3, 1, 0, False), (3, 1, 3, True), (3, 1, 2, False), (3, 0, 5, False),
        (3, 2, 0, True),
    ):  # fmt: skip
        found = remarked_suspect({*range(wrong)}, remarked)
        told = found.is_borne_out([case] * wrong, [*[case] * right, *[other] * 9], {*range(wrong)})
        assert told is is_borne_out
    assert not remarked_suspect({0}, 1).is_borne_out([case] * 3, [case] * 3, {0, 1, 2})


def test_what_explains_all_wrong_answers_may_be_shown_by_fewer() -> None:
    case = about("loss.hinge", {"family": "loss.hinge", "z": ["0"]}, {"values": ["0"]})
    for explained, remarked, is_borne_out in ((4, 1, True), (4, 0, False), (3, 1, False)):
        found = remarked_suspect({*range(explained)}, remarked)
        found.mistakes[0][0].one_in = 4
        assert found.is_borne_out([case] * 4, [], {0, 1, 2, 3}) is is_borne_out


def test_what_a_remark_tells_comes_last_and_needs_enough_wrong_answers() -> None:
    case = about("loss.hinge", {"family": "loss.hinge", "z": ["0"]}, {"values": ["0"]})
    found = remarked_suspect({0, 1}, 1)
    assert found.may_be_told([case] * 3, {0, 1, 2}) and not found.may_be_told([case] * 2, {0, 1})
    ranks = [suspect({}, {0}).rank(), suspect({}, {0, 1}).rank(), remarked_suspect({0}, 1).rank()]
    assert sorted(ranks) == [ranks[1], ranks[0], ranks[2]]


def test_only_a_neighbour_of_one_class_where_there_were_several_lacks_classes() -> None:
    for own, left, lacks in (
        ([0, 1], [0, 0], True), ([0, 1, 2], [0, 1], False), ([0, 0], [1], False), ([], [], False),
        ([0, 1], [], False),
    ):  # fmt: skip
        assert module._lacks_classes({"y": own}, {"y": left}) is lacks
    assert not module._lacks_classes({}, {})


def test_one_node_is_one_violation_of_a_tree() -> None:
    for family, many, is_one in (
        ("tree.grow", 1, True),
        ("tree.grow", 0, False),
        ("tree.grow", 2, False),
        ("tree.prune", 1, False),
    ):
        case: Any = SimpleNamespace(verdict=SimpleNamespace(family=family, violations=[()] * many))
        assert module._is_one_node(case) is is_one


def test_two_mistakes_that_explain_none_of_the_smallest_are_tried_no_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = list[int]()

    def tries(suspect: object, together: object, i: int, case: object) -> bool:
        tried.append(i)
        return False

    monkeypatch.setattr(module, "SMALLEST", 2)
    monkeypatch.setattr(module, "tried_together", lambda family: [()])
    monkeypatch.setattr(module, "_alone", lambda case: ())
    monkeypatch.setattr(module._Suspect, "tries", tries)
    wrong = [about("loss.hinge", {"z": ["0"] * n}, {}) for n in (3, 1, 2)]
    assert not module._suspects(wrong) and tried == [1, 2]


def test_a_setting_that_a_right_answer_shows_to_be_heard_is_not_ignored() -> None:
    pairs = [["3", "1/2", "-1"], ["1", "-2", "3"], ["-1", "1/2", "1/3"], ["2", "-1", "4"]]
    by_votes, by_sums, both = (
        {"family": "ovo.decode", "pairs": pairs, "rule": rule}
        for rule in ("votes", "score_sum", "votes_then_sums")
    )
    votes, sums = ({"label_sets": solve_problem(p)["label_sets"]} for p in (by_votes, by_sums))
    assert "deaf.rule" in names(explained((by_votes, votes), (both, votes), (by_sums, votes)))
    [first, *others] = explained((by_votes, votes), *[(both, votes)] * 2, (by_sums, sums))
    assert first.mistakes[0].id in ("other.rule", "ovo.other_rule") and not others
    assert "(rule = votes)" in first.text()


def test_what_is_right_when_it_is_asked_for_alone_is_kept_from_before() -> None:
    ran = results(*[(LINE, {"w": ["9"], "b": "7"})] * 7)
    asked: list[Case] = []

    def alone(right: int) -> Callable[[Case], Result]:
        def ask(case: Case) -> Result:
            asked.append(case)
            answer = solve_problem(LINE) if len(asked) <= right else {"w": ["9"], "b": "7"}
            return judged(case, Reply(answer=answer))

        asked.clear()
        return ask

    [told] = causes(ran, alone(9))
    assert told.startswith("5 wrong answers of svm.binary were asked for again, each of a ")
    assert [case.id for case in asked] == [f"svm.binary/{i}" for i in (6, 5, 4, 3, 2)]
    assert causes(ran, alone(4)) == causes(ran)
    assert len(asked) == 5


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ([{"values": ["1/2", 0, 0], "mean": "1/6", "subgradients": [1, 0, 9]}] * 9, 9),
        ([{"values": ["1/2", 0, 0], "mean": 5, "subgradients": [-1, 0, 0]}], 0),  # one says little
        ([{"values": ["1/2", 0, 0], "mean": "1/6", "subgradients": [1, 0, 9]}] * 8
         + [{"values": [5, 0, 0], "mean": "1/6", "subgradients": [-1, 0, 0]}], 0),
        ([{"values": ["1/2", 0, 0], "mean": "1/6", "subgradients": [1, 0, 9]}] * 9
         + [{"values": [5, 0, 0], "mean": "1/6", "subgradients": [-1, 0, 0]}], 9),
        ([{"values": [3, 4, 5], "mean": 7, "subgradients": [1, 0, 9]}] * 9, 0),  # nothing is right
    ],
)  # fmt: skip
def test_what_alone_is_wrong_in_nearly_all_answers_is_told(
    answers: list[Record], told: int
) -> None:
    problem: Record = {"family": "loss.hinge", "z": ["1/2", "3", "4"]}
    found = [*wrong_places(results(*((problem, answer) for answer in answers)))]
    words = "all is right but subgradients"
    whole = f"in {told} of the {len(answers)} refuted answers of loss.hinge {words}"
    assert found == ([whole] if told else [])


def test_what_is_wrong_first_of_what_has_steps_is_told() -> None:
    leaf: Record = {"tree": {"nodes": [{"label": "a"}]}}
    stump = {"question": {"column": 0, "threshold": "1"}, "positive": 1, "negative": 2}
    small: Record = {"family": "tree.grow", "X": [["1"], ["2"], ["3"]], "y": [*"abb"]}
    other = {"tree": {"nodes": [{**stump, "label": "b"}, {"label": "b"}, {"label": "a"}]}}
    words = (
        "in 2 of the 2 refuted answers of tree.grow what does not fit, in the first such node, is"
    )
    assert [*wrong_places(results((small, leaf), (small, leaf)))] == [
        f"{words} label and that it is a leaf"
    ]
    assert [*wrong_places(results((small, other), (small, other)))] == [f"{words} label"]


def test_all_that_is_told_of_steps_of_trees_says_what_does_not_fit() -> None:
    whole = {"question": {"column": 0, "threshold": "1"}, "positive": 1, "negative": 2}
    tree = {"nodes": [whole, {"label": "a"}, {"label": "b"}]}
    X = [["1"], ["2"], ["3"]]
    problem: Record = {
        "family": "tree.prune", "X": X, "y": [*"abb"], "risk": "gini", "tree": tree,
    }  # fmt: skip
    right: Any = solve_problem(problem)
    first, *others = right["steps"]
    for change, what in (
        ({"leaves": 2}, "the number of leaves or splits"),
        ({"collapsed": []}, "what is collapsed"),
        ({"risk": "9"}, "risk"),
        ({"lam": "9"}, "lam"),
    ):
        wrong = {"steps": [first, *({**step, **change} for step in others)]}
        [told] = wrong_places(results((problem, wrong), (problem, wrong)))
        assert told.endswith(f"what does not fit, in the first such step, is {what}")


@pytest.mark.parametrize("answer", [{}, {"labels": ["a"]}, {"tree": None}])
def test_an_answer_without_a_tree_is_explained_by_nothing(answer: Record) -> None:
    small: Record = {"family": "tree.grow", "X": [["1"], ["2"]], "y": [*"ab"], "max_depth": 1}
    assert explained((small, answer), (small, answer)) == []


def test_a_mistake_leaves_a_problem_that_has_no_such_neighbour() -> None:
    assert MISTAKES["svm.C_over_m"].leaves({**LINE, "C": "1"}) is False
    assert MISTAKES["qp.b_of_0"].leaves({"family": "qp.convex", "Q": [["1"]], "c": ["0"]})
    assert MISTAKES["svm.costs_transposed"].leaves({**LINE, "cost": "not a matrix"})
    assert not MISTAKES["svm.sign_reversed"].leaves(LINE)  # which changes answers alone
