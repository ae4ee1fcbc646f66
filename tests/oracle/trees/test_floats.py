"""Numbers of tree answers that came as floats: thresholds, surfaces and λ."""

import json
from collections.abc import Sequence
from fractions import Fraction as F
from math import nextafter
from typing import Any

import pytest

from refmc.answers import check, solve_problem
from refmc.checker import Verdict
from refmc.checker.trees.data import Threshold
from refmc.errors import FormatError
from refmc.oracle.columns import plain_threshold
from refmc.oracle.trees.records import read_problem

LEAF: dict[str, object] = {}


def inner(question: object) -> dict[str, object]:
    return {"question": question, "negative": 1, "positive": 2}


def tree(question: object) -> dict[str, object]:
    return {"nodes": [inner(question), LEAF, LEAF]}


def at(threshold: object, **more: object) -> dict[str, object]:
    return {"column": 0, "threshold": threshold, **more}


def arrays(threshold: object, **more: object) -> dict[str, object]:
    return {
        "children_left": [1, -1, -1], "children_right": [2, -1, -1],
        "feature": [0, -2, -2], "threshold": [threshold, -2.0, -2.0], **more,
    }  # fmt: skip


def grow(X: Sequence[object], **more: object) -> dict[str, object]:
    labels = [f"c{i}" for i in range(len(X))]
    return {"family": "tree.grow", "X": [[v] for v in X], "y": labels, "max_splits": 1, **more}


@pytest.mark.parametrize("asked", [lambda t: tree(at(t)), arrays])
def test_the_tree_of_a_program_in_doubles_is_judged_as_it_compares(asked: Any) -> None:
    for X, t, right in (
        (["0.3", "0.4"], 0.3, True),
        (["0.2", "0.3"], 0.3, False),
        (["0.1", "0.2"], nextafter(0.1, 0), False),
        (["0.1", "0.2"], 0.1, True),
        (["9007199254740993", "9007199254740999"], 2**53 + 1, True),
    ):
        answer = json.dumps({"tree": asked(t)})
        for gap in (None, 0):
            verdict = check(grow(X), answer, gap=gap)
            assert verdict.status == ("VERIFIED" if right else "REFUTED")
            assert "digits" not in verdict.hint
        # texts and whole numbers of Python are exact
        exact = check(grow(X), {"tree": asked(str(F(t)))})
        assert bool(exact) == (F(X[0]) <= F(t) < F(X[1]))


def test_strict_questions_compare_floats_too() -> None:
    for answer in ({"tree": tree(at(0.3, strict=True))}, {"tree": arrays(0.3, strict=True)}):
        assert check(grow(["0.2", "0.3"]), answer)
        assert check(grow(["0.3", "0.4"]), answer).status == "REFUTED"


def test_a_mistaken_strict_program_is_told_in_doubles() -> None:
    # x < 0.57 was meant: 0.57 as a binary64 is above 57/100
    verdict = check(grow(["0.1", "0.57", "0.9"], y=["a", "b", "b"]), {"tree": tree(at(0.57))})
    assert verdict.status == "REFUTED" and "the questions are x < a" in verdict.hint
    # x < 0.1 would part nothing, so that it can't be what was meant
    verdict = check(grow(["0.1", "0.2"]), {"tree": tree(at("0.05"))})
    assert verdict.status == "REFUTED" and "x < a" not in verdict.hint


def test_rows_that_are_alike_in_doubles_leave_a_tree_open() -> None:
    X = ["0.3", "0.30000000000000001", "0.4"]
    problem = {k: v for k, v in grow(X).items() if k != "max_splits"}
    verdict = check(problem, {"tree": tree(at(0.3))})
    assert verdict.status == "INCONCLUSIVE"
    assert verdict.hint == "rows 0 and 1 have one value of column 0 in binary64"
    assert check(problem, {"tree": tree(at("0.3"))}).status == "REFUTED"
    assert check(problem, {"tree": tree(at(0.2))}).status == "REFUTED"
    assert check(problem, solve_problem(problem))


def test_a_surface_of_floats_is_the_candidate_that_it_rounds() -> None:
    X = [[0, 1], [1, 1], [2, 1]]
    plane = {"coefficients": ["0.1", "0.2"], "bound": "0.3"}
    ball = {"center": ["0.3", 1], "radius": "0.7"}
    problem = {"family": "tree.grow", "X": X, "y": ["a", "a", "b"], "candidates": [plane, ball]}
    surfaces: list[dict[str, Any]] = [
        {"coefficients": [0.1, 0.2], "bound": 0.3}, {"center": [0.3, 1.0], "radius": 0.7},
    ]  # fmt: skip
    for near in surfaces:
        assert check(problem, {"tree": tree(near)})
        # row 1 lies on the surface, and outside of that of the floats by themselves
        exact = {k: [*map(F, v)] if isinstance(v, list) else F(v) for k, v in near.items()}
        assert check(problem, {"tree": tree(exact)}).status == "REFUTED"
    for other in (
        {"coefficients": [0.1, 0.2], "bound": nextafter(0.3, 0)},
        {"coefficients": ["0.1", 0.2], "bound": F(0.3)},
        {"center": [nextafter(0.3, 0), 1.0], "radius": 0.7},
    ):
        assert check(problem, {"tree": tree(other)}).status == "REFUTED"


def pruning(question: object, X: Sequence[object]) -> dict[str, object]:
    return {
        "family": "tree.prune", "X": [v if isinstance(v, list) else [v] for v in X],
        "y": [f"c{i}" for i in range(len(X))], "tree": tree(question), "risk": "misclassification",
    }  # fmt: skip


def test_the_tree_that_is_pruned_may_have_floats() -> None:
    # as a leaf the root errs on one of two rows, which the split saves unless both say yes
    assert check(pruning(at(0.3), ["0.3", "0.4"]), {"lam": "1/2", "leaves": 2})
    both = pruning(at(0.3), ["0.2", "0.3"])
    assert check(both, {"lam": 0, "leaves": 1}) and not check(both, {"lam": 0, "leaves": 2})
    three = pruning(at(0.3), ["0.2", "0.3", "0.4"])
    steps: Any = solve_problem(three)["steps"]
    assert [step["leaves"] for step in steps] == [2, 1] and check(three, {"steps": steps})


def test_thresholds_are_pictured_as_they_came_where_they_say_the_same() -> None:
    for X, shown in (
        (["0.3", "0.4"], F(0.35)),
        (["0.3", "0.35"], F("0.35")),
        (["0.4", 1], F(0.35)),
    ):
        read = read_problem(pruning(at(0.35), [*X, "0.9"]))
        assert plain_threshold(Threshold(0, F(0.35), is_float=True), read.sample.X) == shown


def test_a_pruned_tree_may_have_floats() -> None:
    problem = pruning(at("0.3"), ["0.3", "0.4"])
    for given in (tree(at(0.3)), arrays(0.3), arrays(0.35)):
        assert check(problem, {"lam": "1/2", "tree": given})
    assert not check(problem, {"lam": "1/2", "tree": tree(at(nextafter(0.3, 0)))})
    plane = {"coefficients": ["0.1"], "bound": "0.03"}
    near = {"coefficients": [0.1], "bound": 0.03}
    assert check(pruning(plane, ["0.3", "0.4"]), {"lam": 0, "tree": tree(near)})
    for t in (0.1, 0.3):  # as a binary64 above the decimal, and below it
        alike = pruning(at(str(t)), [str(t), f"{t}0000000000000001", "0.4"])
        verdict = check(alike, {"lam": "1/2", "tree": tree(at(t))})
        assert verdict.status == "INCONCLUSIVE" and "rows 0 and 1" in verdict.hint
        assert check(alike, {"lam": "1/2", "tree": tree(at(0.4))}).status == "REFUTED"


def at_lam(lam: object, leaves: int, gap: int | None = None) -> Verdict:
    third = {
        "family": "tree.prune", "X": [[1], [2], [3]], "y": ["a", "b", "b"], "scale": "mean",
        "tree": tree(at(1)), "risk": "misclassification",
    }  # fmt: skip
    return check(third, {"lam": lam, "leaves": leaves}, gap=gap)


def test_a_float_lambda_stands_for_what_rounds_to_it_and_every_other_for_itself() -> None:
    # the root collapses at 1/3, below which 0.333… as a binary64 is
    assert at_lam("1/3", 1) and not at_lam("1/3", 2)
    assert at_lam(F(1, 3), 1) and not at_lam(F(1, 3), 2)
    assert at_lam("0.333333333333", 2) and not at_lam("0.333333333333", 1)
    for leaves in (1, 2):
        verdict = at_lam(1 / 3, leaves)
        assert verdict and verdict.gap == (F(1, 3) - F(1 / 3) if leaves == 1 else 0)
        assert bool(at_lam(1 / 3, leaves, gap=0)) == (leaves == 2)
        assert bool(at_lam(nextafter(1 / 3, 1), leaves)) == (leaves == 1)
        assert bool(at_lam(nextafter(1 / 3, 0), leaves)) == (leaves == 2)
    with pytest.raises(FormatError, match=r"answer\.lam: expected at least 0"):
        at_lam(-0.5, 1)


@pytest.mark.parametrize("zero", [0, "0", 0.0, {"log2": {"3": 0}}])
def test_at_lambda_0_a_split_that_gains_nothing_is_pruned(zero: object) -> None:
    problem = {**pruning(at(1), [1, 2]), "y": ["a", "a"]}
    assert check(problem, {"lam": zero, "leaves": 1})
    assert check(problem, {"lam": zero, "leaves": 2}).status == "REFUTED"


def test_an_irrational_lambda_is_exact() -> None:
    # entropy of one of three, log2 3 − 2/3, for all three rows
    problem = {**pruning(at(1), [1, 2, 3]), "y": ["a", "b", "b"], "risk": "entropy"}
    lam = {"log2": {"3": 3, "2": -2}}
    assert check(problem, {"lam": lam, "leaves": 1})
    assert check(problem, {"lam": lam, "leaves": 2}).status == "REFUTED"
    near = 2.7548875021634687  # 3 log2 3 − 2, rounded up
    assert all(check(problem, {"lam": near, "leaves": leaves}) for leaves in (1, 2))
    assert not check(problem, {"lam": F(near), "leaves": 2})
    assert check(problem, {"lam": 1.7976931348623157e308, "leaves": 1})


@pytest.mark.parametrize("family", ["boost.ada", "boost.mh"])
def test_stumps_of_floats_compare_as_binary64(family: str) -> None:
    right: Any = {"y": [1, -1]} if family == "boost.ada" else {"Y": ["a", "b"]}
    signs = [1] if family == "boost.ada" else [1, -1]

    def found(X: Sequence[str], t: object) -> str:
        problem = {"family": family, "X": [[v] for v in X], "rounds": 1, **right}
        stump = {"question": at(t), "signs": signs}
        ends = {"alpha": None, "epsilon": 0}
        return check(problem, {"rounds": [{"stump": stump, **ends}]}).status

    assert found(["0.3", "0.4"], 0.3) == "VERIFIED"
    assert found(["0.2", "0.3"], 0.3) == "REFUTED"
    assert found(["0.3", "0.4"], str(F(0.3))) == "REFUTED"


def test_a_stump_that_cannot_part_twins_is_left_open() -> None:
    X, y = [["0.3"], ["0.30000000000000001"], ["0.4"]], [1, -1, -1]
    problem = {"family": "boost.ada", "X": X, "y": y, "rounds": 1}
    run = {
        "stump": {"question": at(0.3), "signs": [1]},
        "epsilon": "1/3",
        "alpha": {"ln": {"2": "1/2"}},
    }
    verdict = check(problem, {"rounds": [run]})
    assert verdict.status == "INCONCLUSIVE"
    assert "rows 0 and 1 have one value of column 0 in binary64" in verdict.hint
    exact = {**run, "stump": {"question": at("0.35"), "signs": [1]}}
    assert check(problem, {"rounds": [exact]}).status == "REFUTED"
