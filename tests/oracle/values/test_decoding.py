"""Records of the decoding families: what is read, what is refused, and what `solve` gives."""

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import FormatError, check, solve_problem
from refmc.answers import trace_problem

pytestmark = pytest.mark.usefixtures("without_hints")

Record = dict[str, Any]

KESHET: Record = {
    "family": "code.decode",
    "code": [
        [-1, 0, -1, -1, 1, -1, -1],
        [1, -1, 0, 1, 1, 1, -1],
        [1, 0, -1, -1, -1, 1, 1],
        [-1, -1, 1, 0, -1, -1, 1],
    ],
    "f": [["1/2", -7, -1, -2, -10, -12, 9]],
}
TWO: Record = {"family": "code.decode", "code": [[1, 1], [-1, -1]], "f": [[3, -1]]}
CYCLE: Record = {"family": "ovo.decode", "pairs": [[1, -2, 3]]}
NOS: Record = {"family": "ova.decode", "scores": [[-1, -1, -1]], "classes": ["a", "b", "c"]}

halves = st.integers(-3, 3).map(lambda n: F(n, 2))


def test_the_lectures_example_through_the_checker() -> None:
    by_sign = solve_problem(KESHET)
    assert by_sign["distances"] == [["7/2", "9/2", "3/2", "5/2"]]
    assert by_sign["label_sets"] == [[2]]
    by_loss: Record = solve_problem({**KESHET, "decoding": "exponential"})
    (found,) = by_loss["distances"]
    assert [f"{float(F(d)):.2f}" for d in found] == ["30132.70", "192893.34", "162756.90", "5.37"]
    assert by_loss["labels"] == [3]
    printed = {"distances": [["30132.70", "192893.34", "162756.90", "5.37"]]}
    assert check({**KESHET, "decoding": "exponential"}, printed, gap="0.005")
    assert check({**KESHET, "decoding": "exponential"}, printed).status == "REFUTED"


def test_ties_that_one_decoding_leaves_another_settles() -> None:
    assert check(TWO, {"label_sets": [[0, 1]], "distances": [[1, 1]]}, gap=0)
    assert check({**TWO, "decoding": "hinge"}, {"labels": [0], "distances": [[2, 4]]}, gap=0)
    assert check({**TWO, "decoding": "exponential"}, {"label_sets": [[0]]}, gap=0)
    verdict = check({**TWO, "decoding": "exponential"}, {"labels": [1]})
    assert verdict.explain().splitlines() == [
        "REFUTED  code.decode  1 row, 2 classes, exponential",
        "  worst    row 0: label 1, but the best is 0",
    ]


def test_a_cycle_and_three_times_no_through_the_checker() -> None:
    votes = {"votes": [[1, 1, 1]], "label_sets": [[0, 1, 2]], "labels": [2]}
    assert check(CYCLE, votes, gap=0)
    sums = {"sums": [[-1, 2, -1]], "label_sets": [[1]]}
    assert check({**CYCLE, "rule": "score_sum"}, sums, gap=0)
    cup = {**CYCLE, "rule": "tournament", "bracket": [0, 1, 2]}
    assert check(cup, {"label_sets": [[2]]}) and solve_problem(cup)["labels"] == [2]
    w = [[[0, 1, -2], [-1, 0, 3], [2, -3, 0]]]
    assert check({"family": "ovo.decode", "w": w}, votes, gap=0)
    assert check(NOS, {"label_sets": [["c", "a", "b"]]}, gap=0)
    assert check({**NOS, "rule": "claim"}, {"labels": ["b"]}, gap=0)
    assert check(NOS, {"label_sets": [["a"]]}).status == "REFUTED"


@st.composite
def problems(draw: Any) -> Record:
    k, l, m = draw(st.integers(1, 4)), draw(st.integers(1, 3)), draw(st.integers(1, 2))
    family = draw(st.sampled_from(["code.decode", "ovo.decode", "ova.decode"]))

    def rows(n: int, length: int, of: Any = halves) -> list[list[Any]]:
        row = st.lists(of, min_size=length, max_size=length)
        return draw(st.lists(row, min_size=n, max_size=n))  # type: ignore[no-any-return]  # rows

    problem: Record = {"family": family}
    if family == "code.decode":
        rule = draw(st.sampled_from(["hamming", "hinge", "exponential", "logistic"]))
        code = rows(k, l, st.integers(-1, 1))
        return problem | {"code": code, "f": rows(m, l), "decoding": rule}
    if family == "ova.decode":
        rule = draw(st.sampled_from(["score", "claim", "score_among_claims"]))
        return problem | {"scores": rows(m, k), "rule": rule}
    rule = draw(st.sampled_from(["votes", "score_sum", "votes_then_sums", "tournament"]))
    k = max(k, 2)
    if rule == "tournament":
        problem["bracket"] = draw(st.permutations(range(k)))
    return problem | {"pairs": rows(m, k * (k - 1) // 2), "rule": rule}


@given(problems())
def test_what_solve_gives_is_verified_and_any_other_set_refuted(problem: Record) -> None:
    answer: Record = solve_problem(problem)
    tolerance = "1e-29" if problem.get("decoding") in ("exponential", "logistic") else 0
    assert check(problem, answer, gap=tolerance)
    first, *others = answer["label_sets"]
    k = len(list(trace_problem(problem))) // (1 + len(others))
    missing = sorted(set(range(k)) - set(first))
    for wrong in (first[1:], [*first, *missing[:1]]):
        if wrong and wrong != first:
            assert check(problem, {"label_sets": [wrong, *others]}).status == "REFUTED"
    for label in missing:
        labels = [label, *(tied[0] for tied in others)]
        assert check(problem, {"labels": labels}).status == "REFUTED"


def test_a_cycle_of_votes_may_be_settled_by_the_sums() -> None:
    # 0 beats 1, 1 beats 2, 2 beats 0; class 3 wins no duel, and its sum is the largest of all
    loses = [[1, -2, "1/9", 3, "1/9", "1/9"]]
    problem = {"family": "ovo.decode", "pairs": loses, "rule": "votes_then_sums"}
    assert check(problem, {"label_sets": [[1]], "labels": [1]}, gap=0)
    for other in (0, 2, 3):
        assert check(problem, {"labels": [other]}).status == "REFUTED"
    near = {**problem, "pairs": [["1", "-1", "1"]]}  # three sums of 0
    assert check(near, {"label_sets": [[0, 1, 2]]}, gap=0)


def test_the_labels_of_an_item_may_be_any_set() -> None:
    problem = {"family": "ova.decode", "rule": "each", "scores": [[1, -1, 0], [-1, -2, -3]],
               "classes": ["a", "b", "c"]}  # fmt: skip
    assert solve_problem(problem)["label_sets"] == [["a"], []]
    for first in (["a"], ["c", "a"]):
        assert check(problem, {"label_sets": [first, []]}, gap=0)
    for first, second in ((["b"], []), (["a", "b"], []), ([], []), (["a"], ["c"])):
        assert check(problem, {"label_sets": [first, second]}).status == "REFUTED"
    found = check(problem, {"label_sets": [["a"], ["b"]]}).explain()
    assert "row 1: labels b, but those that claim the row are none" in found
    with pytest.raises(FormatError, match="unknown field 'labels'"):
        check(problem, {"labels": ["a", "b"]})


def test_distances_with_too_many_digits_are_left_out_but_labels_are_not() -> None:
    problem = {**TWO, "f": [["1e300", -2]], "decoding": "exponential"}
    answer = solve_problem(problem)
    assert answer["labels"] == [0] and "distances" not in answer
    assert check(problem, answer)


def test_a_trace_has_a_line_for_each_row_and_class() -> None:
    assert list(trace_problem({**TWO, "decoding": "hinge", "classes": ["a", "b"]})) == [
        {"row": 0, "class": "a", "M(r)": (1, 1), "M(r,s) f_s": [3, -1],
         "d(M(r), f)": 2, "best": True},
        {"row": 0, "class": "b", "M(r)": (-1, -1), "M(r,s) f_s": [-3, 1],
         "d(M(r), f)": 4, "best": False},
    ]  # fmt: skip
    cycle = list(trace_problem({**CYCLE, "rule": "score_sum"}))
    assert cycle[1] == {
        "row": 0, "class": "1", "w^yr": [-1, 0, 3], "votes": 1, "Σ w^yr": 2, "best": True,
    }  # fmt: skip
    first = next(trace_problem({"family": "ova.decode", "scores": [["1/3", -1]]}))
    assert first == {"row": 0, "class": "0", "w^y": F(1, 3), "h^y": 1, "best": True}


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        ({**TWO, "code": [[1, 2], [0, 0]]}, r"problem: code: row 0, column 1: expected -1, 0 or"),
        ({**TWO, "code": [[1, 1], [0]]}, r"problem.code\[1\]: 1 numbers, but"),
        ({**TWO, "f": [[1]]}, r"problem.f\[0\]: expected 2 scores, one a column of code, got 1"),
        ({**TWO, "f": [["nan", 1]]}, r"problem.f\[0\]\[0\]"),
        ({**TWO, "f": []}, "problem.f: expected a list that isn't empty"),
        ({**TWO, "decoding": "squared"}, "problem.decoding: expected one of hamming, hinge"),
        ({**TWO, "classes": ["a"]}, "problem.classes: expected 2 labels, got 1"),
        ({**TWO, "classes": ["a", "a"]}, "problem.classes: classes: 'a' stands twice"),
        ({**CYCLE, "pairs": [[1, 2]]}, r"problem.pairs\[0\]: expected k\(k - 1\)/2 scores"),
        ({**CYCLE, "rule": "tournament"}, "problem.bracket: belongs to the rule 'tournament'"),
        ({**CYCLE, "bracket": [0, 1, 2]}, "problem.bracket: belongs to the rule 'tournament'"),
        (
            {**CYCLE, "rule": "tournament", "bracket": [0, 1, 1]},
            "problem.bracket: expected each position from 0 to 2 once",
        ),
        ({**CYCLE, "w": [[[0]]]}, "problem: expected one of w and pairs"),
        (
            {"family": "ovo.decode", "w": [[[0, 1], [1, 0]]]},
            r"problem.w\[0\]\[1\]\[0\]: expected -1, minus the entry at \[0\]\[1\], got 1",
        ),
        ({"family": "ovo.decode", "w": [[[1]]]}, r"problem.w\[0\]\[0\]\[0\]: expected -1"),
        ({"family": "ovo.decode", "w": [[[0, 1]]]}, r"problem.w\[0\]: expected 1 row of 1 number,"),
        ({"family": "ovo.decode"}, "problem: field 'pairs' is missing"),
        ({**NOS, "rule": "votes"}, "problem.rule: expected one of score, claim"),
    ],
)
def test_a_malformed_problem_is_refused_with_its_place(problem: Record, message: str) -> None:
    for command in (solve_problem, lambda p: check(p, {"labels": [0]})):
        with pytest.raises(FormatError, match=message):
            command(problem)


@pytest.mark.parametrize(
    ("problem", "answer", "message"),
    [
        (TWO, {}, "answer: expected at least one of labels, label_sets, distances"),
        (TWO, {"votes": [[1, 1]]}, "answer: unknown field 'votes'"),
        (TWO, {"labels": [0, 1]}, "answer.labels: expected 1, one a row, got 2"),
        (TWO, {"labels": [2]}, r"answer.labels\[0\]: 2 is no class of the problem"),
        (TWO, {"label_sets": [[0], [1]]}, "answer.label_sets: expected 1, one a row, got 2"),
        (TWO, {"label_sets": [[]]}, r"answer.label_sets\[0\]: expected a list that isn't empty"),
        (TWO, {"label_sets": [[0, 0]]}, r"answer.label_sets\[0\]: a label stands twice"),
        (TWO, {"distances": [[1]]}, "answer.distances: expected 1 row of 2 numbers"),
        (NOS, {"label_sets": [["a", "d"]]}, r"answer.label_sets\[0\]\[1\]: 'd' is no class"),
        (NOS, {"labels": ["a"], "family": "svm.hard"}, "answer.family"),
    ],
)
def test_a_malformed_answer_is_refused_with_its_place(
    problem: Record, answer: Record, message: str
) -> None:
    with pytest.raises(FormatError, match=message):
        check(problem, answer)
