"""Trees in other units: X, weights and costs times powers of two change no verdict."""

from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refmc import check, solve_problem
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints")

SCALES = [F(2) ** 40, F(1, 2**40)]
IMPURITIES = ["gini", "entropy", "misclassification"]


@st.composite
def samples(draw: st.DrawFn) -> dict[str, Any]:
    m = draw(st.integers(2, 7))
    cells = st.tuples(st.integers(0, 3), st.integers(0, 2))
    weights = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m).filter(any))
    return {
        "X": [list(row) for row in draw(st.lists(cells, min_size=m, max_size=m))],
        "y": draw(st.lists(st.sampled_from("ab"), min_size=m, max_size=m)),
        "classes": ["a", "b"],
        "weights": weights,
        "cost": [[0, draw(st.integers(0, 3))], [draw(st.integers(0, 3)), 0]],
    }


def times(value: Any, factor: F) -> Any:
    if isinstance(value, list):
        return [times(entry, factor) for entry in value]
    if isinstance(value, dict):
        return {"log2": {base: str(F(c) * factor) for base, c in value["log2"].items()}}
    return str(F(value) * factor)


def with_thresholds(tree: Any, factor: F) -> Any:
    nodes = []
    for node in tree["nodes"]:
        if "question" in node:
            question = node["question"]
            moved = {**question, "threshold": times(question["threshold"], factor)}
            node = {**node, "question": moved}
        nodes.append({k: v for k, v in node.items() if k not in ("tied", "counts")})
    return {"nodes": nodes}


def status(problem: Record, answer: Record) -> tuple[str, object]:
    verdict = check(problem, answer)
    return verdict.status, verdict.relative


@given(samples(), st.sampled_from(IMPURITIES), st.sampled_from(SCALES), st.booleans())
def test_grown_trees_in_other_units_are_judged_alike(
    sample: dict[str, Any], impurity: str, scale: F, spoilt: bool
) -> None:
    problem = {"family": "tree.grow", **sample, "impurity": impurity}
    answer = solve_problem(problem)
    if spoilt:
        tree: Any = answer["tree"]
        for node in tree["nodes"]:
            node["label"] = "ab"[node["label"] == "a"]
    found = status(problem, answer)
    assert spoilt or found[0] == "VERIFIED"
    for name in ("weights", "cost"):
        assert status({**problem, name: times(sample[name], scale)}, answer) == found
    moved = {**problem, "X": times(sample["X"], scale)}
    assert status(moved, {"tree": with_thresholds(answer["tree"], scale)}) == found


@given(
    samples(),
    st.sampled_from([*IMPURITIES, "cost"]),
    st.sampled_from(SCALES),
    st.sampled_from([F(0), F(1, 10**10), F(1, 10**8), F(1, 3)]),
    st.sampled_from(["sum", "mean"]),
)
def test_pruned_trees_in_other_units_are_judged_alike(
    sample: dict[str, Any], risk: str, scale: F, off: F, by: str
) -> None:
    tree = with_thresholds(solve_problem({"family": "tree.grow", **sample})["tree"], F(1))
    problem = {"family": "tree.prune", **sample, "tree": tree, "risk": risk, "scale": by}
    answer: Any = solve_problem(problem)
    steps = [{**s, "lam": times(s["lam"], 1 + off)} for s in answer["steps"]]
    found = status(problem, {"steps": steps})
    assert off or found == ("VERIFIED", 0)
    if risk == "cost":
        dear = [{**s, "lam": times(s["lam"], scale)} for s in steps]
        assert status({**problem, "cost": times(sample["cost"], scale)}, {"steps": dear}) == found
    heavy = dear_or_same = steps
    if by == "sum":
        heavy = [{**s, "lam": times(s["lam"], scale)} for s in steps]
    assert (
        status({**problem, "weights": times(sample["weights"], scale)}, {"steps": heavy}) == found
    )
    assert dear_or_same == steps


@pytest.mark.parametrize("scale", SCALES)
def test_a_risk_counts_relative_to_the_weights_and_a_lambda_is_exact(scale: F) -> None:
    # rows a | b, b: as a leaf the root errs on one, for one leaf saved
    problem = {
        "family": "tree.prune", "X": [[1], [2], [3]], "y": ["a", "b", "b"],
        "weights": [str(scale)] * 3,
        "risk": "misclassification",
        "tree": {"nodes": [{"question": {"column": 0, "threshold": 1},
                            "negative": 1, "positive": 2},
                           {}, {}]},
    }  # fmt: skip
    for off, right in ((F(1, 10**10), "VERIFIED"), (F(1, 10**8), "REFUTED")):
        lam, risk = str(scale * (1 - off)), str(scale * (1 + off))
        for leaves, found in ((1, "REFUTED"), (2, "VERIFIED")):
            assert check(problem, {"lam": lam, "leaves": leaves}).status == found
        assert check(problem, {"lam": str(2 * scale), "risk": risk}).status == right
