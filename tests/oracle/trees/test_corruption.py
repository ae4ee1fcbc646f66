"""Every entry of every field of an answer about trees, changed alone: found out, or harmless for a
reason.

The fields are those that the reader knows, so that a new one has to join a right answer here. What
is harmless is told by walking all rows down the tree: a threshold that parts them as before, or
what the format says is not judged. All answers are by hand.

NUMBERS: rows 0, 1, 2 of a, b, b, so the root is cut after 0, and nothing ties. WORDS: the same with
p, q, s. BALL: a candidate parts the classes, and no column does. SQUARE: a, b, b, c at the corners;
each half errs once as a leaf and the root twice, saved by three leaves, so all collapses at 2/3.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction as F
from typing import Any

import pytest

from refmc import check
from refmc.core.records import Record
from refmc.oracle.trees import records, written_trees

pytestmark = pytest.mark.usefixtures("without_hints")


def inner(question: Record, label: str = "") -> Record:
    own = {"label": label} if label else {}  # of the line's root both labels are right
    node = {"number": 0, "counts": [1, 2], "costs": [2, 1], "tied": [], "question": question}
    return {**node, "negative": 1, "positive": 2, **own}


def leaf(number: int, label: str) -> Record:
    return {"number": number, "label": label}


ABOUT_NUMBERS = {"family": "tree.grow", "X": [[0], [1], [2]], "y": ["a", "b", "b"]}
ABOUT_WORDS = {**ABOUT_NUMBERS, "X": [["p"], ["q"], ["s"]], "categorical": [0]}
ABOUT_BALL = {
    "family": "tree.grow", "X": [[0, 0], [1, 1], [2, 0], [0, 2], [2, 2]],
    "y": ["a", "a", "b", "b", "b"],
    "candidates": [{"center": ["1/2", "1/2"], "radius": 1}, {"coefficients": [1, 1], "bound": 2}],
}  # fmt: skip
# (0, 0) and (3, 1) lie on the one side of the line, and all columns part one of them from the other
ABOUT_LINE = {
    "family": "tree.grow", "X": [[0, 0], [3, 1], [1, 2], [2, 3]], "y": ["a", "a", "b", "b"],
    "candidates": [{"coefficients": [-1, 2], "bound": 0}],
}  # fmt: skip
BELOW_1 = {"column": 0, "threshold": "1/2", "strict": True}
TREES: list[tuple[Record, Record]] = [
    (ABOUT_NUMBERS, {"nodes": [inner(BELOW_1, "b"), leaf(1, "b"), leaf(2, "a")]}),
    (
        ABOUT_NUMBERS,
        {
            "children_left": [1, -1, -1], "children_right": [2, -1, -1], "feature": [0, -2, -2],
            "threshold": ["1/2", -2, -2], "labels": ["b", "a", "b"], "strict": True,
        },
    ),
    (
        ABOUT_WORDS,
        {"nodes": [inner({"column": 0, "values": ["p"]}, "b"), leaf(1, "b"), leaf(2, "a")],
         "thresholds": []},
    ),
    (
        ABOUT_BALL,
        {"nodes": [inner({"center": ["1/2", "1/2"], "radius": 1}, "b"), leaf(1, "b"),
          leaf(2, "a")]},
    ),
    (
        ABOUT_LINE,
        {"nodes": [inner({"coefficients": [-1, 2], "bound": 0}), leaf(1, "b"), leaf(2, "a")]},
    ),
]  # fmt: skip
CUT = {"column": 0, "threshold": 0}
SPLIT = {"column": 1, "threshold": 0}
HALVES: list[Record] = [
    {"question": CUT, "negative": 1, "positive": 2},
    {"question": SPLIT, "negative": 3, "positive": 4},
    {"question": SPLIT, "negative": 5, "positive": 6},
    {"label": "c"}, {"label": "b"}, {"label": "b"}, {"label": "a"},
]  # fmt: skip
SQUARE = {
    "family": "tree.prune", "X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": ["a", "b", "b", "c"],
    "risk": "misclassification", "tree": {"nodes": HALVES},
}  # fmt: skip
WHOLE: Record = {
    "leaves": 4, "leaf_nodes": [3, 4, 5, 6], "collapsed": [], "tree": {"nodes": HALVES}, "risk": 0,
}  # fmt: skip
ROOT: Record = {
    "leaves": 1, "leaf_nodes": [0], "collapsed": [0], "tree": {"nodes": [{"label": "b"}]},
    "risk": 2,
}  # fmt: skip
PRUNED: list[Record] = [
    {"steps": [{"lam": 0, **WHOLE}, {"lam": {"log2": {"2": "2/3"}}, **ROOT}]},
    {"lam": "2/3", **ROOT},
    {"lam": "1/2", **WHOLE},
]
CASES = [(problem, {"tree": tree}) for problem, tree in TREES] + [(SQUARE, a) for a in PRUNED]
QUESTIONS = ({"column", "threshold", "strict"}, {"column", "values"}, {"coefficients", "bound"},
             {"center", "radius"})  # fmt: skip


def test_every_field_that_the_reader_knows_is_in_a_right_answer() -> None:
    trees = [tree for _, tree in TREES]
    nodes: list[Any] = [node for tree in trees for node in tree.get("nodes", [])]  # type: ignore[attr-defined]  # lists
    assert {name for node in nodes for name in node} == {*written_trees.NODE.by_name}
    assert {name for tree in trees for name in tree} == {
        "nodes", "thresholds", *written_trees.TREE_ARRAYS.by_name,
    }  # fmt: skip
    asked = [set(node["question"]) for node in nodes if "question" in node]
    assert all(fields in asked for fields in QUESTIONS)
    assert {name for answer in PRUNED for name in answer} == {"steps", "lam", *records.STEP.by_name}


@pytest.mark.parametrize(("problem", "answer"), CASES)
def test_the_answers_are_right(problem: Record, answer: Record) -> None:
    verdict = check(problem, answer, gap=0)
    assert verdict.status == "VERIFIED", verdict.explain()


Path = tuple[str | int, ...]


def changes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The value with one entry changed, and the way to that entry."""
    if isinstance(value, Mapping):
        for name, entry in value.items():
            for way, changed in changes(entry, (*path, name)):
                yield way, {**value, name: changed}
    elif isinstance(value, list):
        for i, entry in enumerate(value):
            for way, changed in changes(entry, (*path, i)):
                yield way, [*value[:i], changed, *value[i + 1 :]]
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, str) and value.isalpha():
        yield from ((path, other) for other in "abcpqs" if other != value)
    else:
        for change in (F(1, 7), F(1), F(-1), F(10), F(1, 10**30)):
            yield path, str(F(value) + change)


def says_yes(question: Any, x: list[Any]) -> bool:
    if "values" in question:
        return x[int(F(question["column"]))] in question["values"]
    if "threshold" in question:
        value, a = F(x[int(F(question["column"]))]), F(question["threshold"])
        return value < a if question.get("strict") else value <= a
    if "bound" in question:
        products = (F(a) * v for a, v in zip(question["coefficients"], x))
        return sum(products, F(0)) <= F(question["bound"])
    squares = ((F(v) - F(a)) ** 2 for v, a in zip(x, question["center"]))
    return sum(squares, F(0)) <= F(question["radius"]) ** 2


def walked(tree: Any, X: Any) -> list[Any]:
    """For each row what it meets on its way: which rows go with it, and the labels."""
    if "nodes" in tree:
        nodes = tree["nodes"]
    else:
        nodes = [
            {"label": label}
            if left == -1
            else {
                "question": {"column": j, "threshold": a, "strict": tree["strict"]},
                "negative": right, "positive": left, "label": label,
            }
            for left, right, j, a, label in zip(
                *(tree[name] for name in (*written_trees.ARRAYS, "labels"))
            )
        ]  # fmt: skip
    met: list[Any] = []

    def descend(node: Any, rows: list[int]) -> None:
        met.append((sorted(rows), node.get("label")))
        if "question" in node:
            for answer, child in ((False, "negative"), (True, "positive")):
                side = [i for i in rows if says_yes(node["question"], X[i]) == answer]
                descend(nodes[int(F(node[child]))], side)

    descend(nodes[0], list(range(len(X))))
    return met


def judged(problem: Record, answer: Record) -> str:
    try:
        return check(problem, answer, gap=0).status
    except ValueError as error:
        return f"{error}"


@pytest.mark.parametrize(("problem", "tree"), TREES)
def test_a_grown_tree_with_one_entry_changed_is_wrong_or_parts_the_rows_alike(
    problem: Record, tree: Record
) -> None:
    refuted = 0
    for path, changed in changes(tree):
        found = judged(problem, {"tree": changed})
        names = [name for name in path if isinstance(name, str)]
        if set(names) & {"counts", "tied", "thresholds"}:
            assert found == "VERIFIED", path  # the format says that these are not judged
        elif found == "VERIFIED":
            assert walked(changed, problem["X"]) == walked(tree, problem["X"]), path
        else:
            refuted += 1
    assert refuted > 10


@pytest.mark.parametrize("answer", PRUNED)
def test_a_pruned_tree_with_one_entry_changed_is_wrong_or_says_the_same(answer: Any) -> None:
    X = SQUARE["X"]
    refuted = 0
    for path, changed in changes(answer):
        if judged(SQUARE, changed) != "VERIFIED":
            refuted += 1
        elif "tree" in path:
            at = path.index("tree") + 1
            before, after = answer, changed
            for name in path[:at]:
                before, after = before[name], after[name]
            assert walked(before, X) == walked(after, X)
        else:
            # Alone, λ may be any of the interval in which the tree is the smallest minimiser.
            assert path == ("lam",) and "steps" not in answer
            assert (F(changed["lam"]) < F(2, 3)) == (answer["leaves"] == 4)
    assert refuted > 20


def test_nodes_below_a_collapsed_one_may_be_named_and_no_others() -> None:
    for collapsed, right in (([0], True), ([0, 1, 2], True), ([1, 2], False), ([], False)):
        answer = {**PRUNED[1], "collapsed": collapsed}
        assert (judged(SQUARE, answer) == "VERIFIED") == right


@pytest.mark.parametrize(("problem", "answer"), CASES)
def test_nothing_in_the_place_of_a_claim_is_malformed(problem: Record, answer: Record) -> None:
    for name in answer:
        assert f"answer.{name}" in judged(problem, {**answer, name: None})
    if "leaves" in answer:
        for field in records.STEP.optional:
            assert f"answer.{field.name}" in judged(problem, {**answer, field.name: None})
