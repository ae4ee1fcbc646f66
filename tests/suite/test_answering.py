"""Right answers with every choice at a tie: small problems of each family with known ties."""

import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import pytest

import refmc
from refmc.oracle.families import FAMILIES
from refmc.suite import vectors
from refmc.suite.answering import OF_FAMILY, right_answer
from refmc.suite.generating import Draws, EveryChoice, drawn_problem

pytestmark = pytest.mark.usefixtures("kept_optima")

Answer = dict[str, Any]

UNIQUE = {
    "tree.prune", "loss.exponential", "loss.logistic", "loss.margin", "loss.hamming",
    "bound.rademacher", "bound.margin", "bound.kernel_rademacher", "bound.kernel_margin",
    "bound.perceptron", "bound.adaboost",
}  # fmt: skip
"""The families in which nothing ties."""


def some_answers(problem: Any) -> Iterator[Answer]:
    """What sixty draws give, all of it right."""
    gap = None if problem["family"] in UNIQUE else 0
    for seed in range(60):
        answer = right_answer(problem, Draws(str(seed)))
        verdict = refmc.check(problem, answer, gap=gap)
        assert verdict, (answer, verdict.explain())
        yield answer


def of(*names: str) -> Callable[[Answer], Any]:
    """The fields of an answer that tie, as text that can be in a set."""
    return lambda answer: tuple(json.dumps(answer[name]) for name in names)


SOFT: Any = {"family": "svm.binary", "C": 1}
TWICE: Any = {"X": [[1], [1], [-1]], "y": [1, 1, -1]}
LEVEL: Any = {"X": [[1], [1], [-1], [0]], "y": ["a", "a", "b", "b"], "C": 1}
SHARED = {('["1/2", "0", "1/2"]',), ('["0", "1/2", "1/2"]',), ('["1/4", "1/4", "1/2"]',)}
TWO_EPOCHS = {
    "family": "perceptron.binary", "X": [[1]], "y": [1], "epochs": 2, "at_zero": "either",
}  # fmt: skip
RUNS = {
    ('[["1"], ["1"]]', "[1]"), ('[["0"]]', "[1]"), ('[["0"]]', "[-1]"),
    ('[["0"], ["0"]]', "[1]"), ('[["0"], ["0"]]', "[-1]"), ('[["0"], ["1"]]', "[1]"),
}  # fmt: skip
SAME = {"name": "polynomial", "degree": 1, "scale": 1, "offset": 0}

CASES: list[tuple[Any, Callable[[Answer], Any], set[Any]]] = [
    # equal rows share 1/2 in any way
    (SOFT | TWICE, of("alpha"), SHARED),
    (SOFT | TWICE | {"kernel": SAME}, of("alpha"), SHARED),
    (
        SOFT | {"gram": [[1, 1, -1], [1, 1, -1], [-1, -1, 1]], "y": [1, 1, -1]},
        of("alpha"),
        SHARED,
    ),
    ({"family": "svm.hard"} | TWICE, of("alpha"), SHARED),
    # the rows 4, 5, 7, 9 have the scores x − 6 and one right label each, by their Gram matrix, too
    (
        SOFT | {"gram": [[a * b for b in (4, 5, 7, 9)] for a in (4, 5, 7, 9)], "y": [-1, -1, 1, 1]},
        of("labels"),
        {("[-1, -1, 1, 1]",)},
    ),
    # in the sum form a class alone is at C = 1, and the row of zeros at C of both others
    (
        {"family": "svm.multiclass", "X": [[0]], "y": ["a"], "classes": [*"abc"], "C": 1}
        | {"loss": "sum_form"},
        of("lam", "labels"),
        {(lam, f'["{label}"]') for label in "abc" for lam in ['[["2", "1", "1"]]']},
    ),
    # w = 0, and b from −1 to 1, where 0 has either label
    (
        SOFT | {"X": [[0], [0]], "y": [1, -1]},
        of("b", "labels"),
        {('"1"', "[1, 1]"), ('"-1"', "[-1, -1]"), ('"0"', "[1, -1]"), ('"0"', "[-1, 1]")},
    ),
    (
        {"family": "svm.hard", "X": [[0], [0], [0]], "y": [1, 1, -1]},
        of("combination"),
        {('["1/2", "0", "1/2"]',), ('["0", "1", "1"]',)},
    ),
    # of λ the two rows of a share what they are against b; the row 0 scores nothing
    (
        {"family": "svm.multiclass"} | LEVEL,
        lambda a: (json.dumps(a["lam"][0]), json.dumps(a["lam"][1]), a["labels"][3]),
        {
            ('["1/2", "1/2"]', '["0", "0"]', "a"),
            ('["0", "0"]', '["1/2", "1/2"]', "b"),
        },
    ),
    (
        {"family": "svm.multiclass", "kernel": SAME} | LEVEL,
        lambda a: (json.dumps(a["lam"][0]), a["labels"][3]),
        {('["1/2", "1/2"]', "a"), ('["0", "0"]', "b")},
    ),
    # with so small a C all λ are C, so that by K the rows score ±(4, −2, 11) C for a and for b
    (
        {"family": "svm.multiclass", "gram": [[1, 0, 3], [0, 4, 2], [3, 2, 10]], "y": [*"aba"]}
        | {"C": "1/100"},
        of("labels"),
        {('["a", "b", "a"]',)},
    ),
    # given features: w = 1, of which two equal rows share the multipliers
    (
        {"family": "svm.multiclass", "features": [[[1], [0]]] * 2, "y": ["a", "a"]}
        | {"classes": ["a", "b"], "C": 1},
        lambda a: (json.dumps(a["lam"][0]), json.dumps(a["lam"][1])),
        {('["1", "1"]', '["0", "0"]'), ('["0", "0"]', '["1", "1"]')},
    ),
    # a square that is flat; one bound twice; no point; no end
    (
        {
            "family": "qp.convex", "Q": [[0, 0], [0, 0]], "c": [0, 0],
            "G": [[1, 0], [-1, 0], [0, 1], [0, -1]], "h": [1, 0, 1, 0],
        },
        of("x"),
        {('["0", "0"]',), ('["1", "0"]',), ('["0", "1"]',), ('["1", "1"]',), ('["1/4", "0"]',)},
    ),
    (
        {"family": "qp.convex", "Q": [[1]], "c": [0], "G": [[-1], [-1]], "h": [-1, -1]},
        of("inequality_multipliers"),
        {('["1", "0"]',), ('["0", "1"]',)},
    ),
    (
        {"family": "qp.convex", "Q": [[1]], "c": [0], "G": [[1], [-1], [-1]], "h": [0, -1, -1]},
        of("inequality_multipliers"),
        {('["1", "1", "0"]',), ('["1", "0", "1"]',)},
    ),
    (
        {
            "family": "qp.convex", "Q": [[0, 0], [0, 0]], "c": [-1, -1],
            "G": [[-1, 0], [0, -1]], "h": [0, 0],
        },
        of("ray"),
        {('["1", "0"]',), ('["0", "1"]',)},
    ),
    (
        {"family": "tree.grow", "X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": ["a", "b", "b", "a"]},
        lambda a: (a["tree"]["nodes"][0]["question"]["column"], a["tree"]["nodes"][0]["label"]),
        {(0, "a"), (0, "b"), (1, "a"), (1, "b")},
    ),
    (
        {"family": "boost.ada", "X": [[0, 0], [1, 1]], "y": [1, -1], "rounds": 1},
        lambda a: a["rounds"][0]["stump"]["question"]["column"],
        {0, 1},
    ),
    (
        {
            "family": "boost.ada", "X": [[0], [0], [1]], "y": ["a", "b", "c"], "rounds": 1,
            "rule": "samme", "base": "stumps",
        },
        lambda a: json.dumps(a["rounds"][0]["base"]),
        {'["a", "a", "c"]', '["b", "b", "c"]'},
    ),
    # c is never right, so that its sign makes no difference
    (
        {
            "family": "boost.mh", "X": [[0], [1]], "Y": ["a", "b"], "classes": ["a", "b", "c"],
            "rounds": 1,
        },
        lambda a: json.dumps(a["rounds"][0]["stump"]["signs"]),
        {"[1, -1, 1]", "[1, -1, -1]"},
    ),
    # the rows that say yes cancel, so that their signs are free; no question is as good
    (
        {
            "family": "boost.mh", "X": [[0], [0], [1]], "Y": ["a", "b", "a"], "rounds": 1,
            "base": "two_sided",
        },
        lambda a: json.dumps([a["rounds"][0]["stump"][side] for side in ("signs", "otherwise")]),
        {f"[[{i}, {j}], [1, -1]]" for i in (1, -1) for j in (1, -1)} | {"[[1, -1], null]"},
    ),
    # a score of 0 is an update or none, of which the second may end the run, and predicts either
    (TWO_EPOCHS, of("trace", "labels"), RUNS),
    # of the two states that vote the second is 1 if the first is 0
    (
        {
            "family": "perceptron.binary", "X": [[1], [1]], "y": [1, 1], "at_zero": "either",
            "voted": True,
        },
        of("trace", "labels"),
        {
            ('[["1"], ["1"]]', "[1, 1]"), ('[["0"], ["1"]]', "[1, 1]"),
            ('[["0"], ["1"]]', "[-1, 1]"), ('[["0"], ["0"]]', "[-1, 1]"),
        },
    ),
    (
        {"family": "perceptron.kernel", "X": [[1]], "y": [1], "at_zero": "either"},
        of("alpha", "labels"),
        {('["1"]', "[1]"), ('["0"]', "[1]"), ('["0"]', "[-1]")},
    ),
    (
        {"family": "perceptron.multiclass", "X": [[1]], "y": ["a"], "classes": ["a", "b", "c"]},
        lambda a: (json.dumps(a["W"]), a["labels"][0]),
        {
            ('[["1"], ["-1"], ["0"]]', "a"), ('[["1"], ["0"], ["-1"]]', "a"),
            *(('[["0"], ["0"], ["0"]]', label) for label in "abc"),
        },
    ),
    (
        {"family": "perceptron.multiclass", "X": [[1]], "y": ["a"], "classes": ["a", "b", "c"]}
        | {"tau": "any"},
        of("W"),
        {
            ('[["1"], ["-1"], ["0"]]',), ('[["1"], ["0"], ["-1"]]',),
            ('[["1"], ["-1/2"], ["-1/2"]]',), ('[["0"], ["0"], ["0"]]',),
        },
    ),
    # the second margin is 1, at the kink: w is halved, or also moved by 1/2
    (
        {
            "family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": ["1/4", "1/2"],
            "epochs": 2, "at_kink": "either",
        },
        of("w"),
        {('["1/4"]',), ('["5/4"]',)},
    ),
    (
        {
            "family": "sgd.multiclass", "X": [[1]], "y": ["a"], "classes": ["a", "b", "c"],
            "lam": 1, "T": 1,
        },
        of("W"),
        {('[["1"], ["-1"], ["0"]]',), ('[["1"], ["0"], ["-1"]]',)},
    ),
    (
        {"family": "loss.hinge", "z": [1]},
        of("subgradients"),
        {('["-1"]',), ('["0"]',), ('["-1/2"]',)},
    ),
    (
        {"family": "loss.perceptron", "z": [0]},
        of("subgradients"),
        {('["-1"]',), ('["0"]',), ('["-1/2"]',)},
    ),
    (
        {"family": "loss.multiclass_hinge", "scores": [[1, 0, 0]], "y": [0]},
        of("subgradients"),
        {
            ('[["0", "0", "0"]]',), ('[["-1", "1", "0"]]',), ('[["-1", "0", "1"]]',),
            ('[["-1", "1/2", "1/2"]]',),
        },
    ),
    (
        {"family": "loss.multiclass_hinge_sum", "scores": [[1, 0, 0]], "y": [0]},
        of("subgradients"),
        {
            ('[["0", "0", "0"]]',), ('[["-1", "1", "0"]]',), ('[["-1", "0", "1"]]',),
            ('[["-2", "1", "1"]]',),
        },
    ),
    (
        {"family": "loss.zero_one", "scores": [[1, 1]], "y": [0]},
        of("values", "mean"),
        {('["0"]', '"0"'), ('["1"]', '"1"')},
    ),
    (
        {"family": "code.decode", "code": [[1, 1], [-1, 1]], "f": [[0, 1]]},
        of("labels"),
        {("[0]",), ("[1]",)},
    ),
    (
        {"family": "ovo.decode", "pairs": [[1, -1, 1]]},
        of("labels"),
        {("[0]",), ("[1]",), ("[2]",)},
    ),
    ({"family": "ova.decode", "scores": [[1, 1]]}, of("labels"), {("[0]",), ("[1]",)}),
    (
        {"family": "nodes.decode", "classes": ["a", "b"], "f": [[0]]},
        of("labels"),
        {('["a"]',), ('["b"]',)},
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "tied", "expected"),
    CASES,
    ids=lambda v: v.get("family") if isinstance(v, dict) else "",
)
def test_every_answer_that_ties_is_drawn_and_right(
    problem: Any, tied: Callable[[Answer], Any], expected: set[Any]
) -> None:
    missing = set(expected)
    for answer in some_answers(problem):
        missing.discard(tied(answer))
        if not missing:
            return
    raise AssertionError(missing)


@pytest.mark.parametrize("family", OF_FAMILY)
def test_what_is_drawn_for_fresh_problems_is_exactly_right(family: str) -> None:
    for seed in map(str, range(20)):
        problem = drawn_problem(family, seed)
        for draws in (Draws(f"{seed}-0"), Draws(f"{seed}-1")):
            verdict = refmc.check(problem, right_answer(problem, draws), gap=0)
            assert verdict, (problem, verdict.explain())


BENT = [[1.0, 1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, -1.0, 1 - 2**-53]]
"""Semi-definite but for its rounding; of K + εI no two rows are equal."""


@pytest.mark.parametrize(
    "problem",
    [
        {"family": "svm.binary", "gram": BENT, "y": [1, 1, -1], "C": 1},
        {"family": "svm.multiclass", "gram": BENT, "y": ["a", "a", "b"], "C": 1},
        {"family": "qp.convex", "Q": BENT, "c": [0] * 3, "G": [[1, 0, 0]] * 2, "h": [-1, -1]},
    ],
    ids=lambda problem: problem["family"],
)
def test_a_matrix_that_rounding_bends_has_the_one_answer_of_the_lifted_one(problem: Any) -> None:
    reference = refmc.solve_problem(problem)
    assert refmc.check(problem, reference)
    assert all(right_answer(problem, Draws(seed)) == reference for seed in "1234")


def test_every_family_has_ties_or_one_answer() -> None:
    assert UNIQUE | {problem["family"] for problem, *_ in CASES} == set(FAMILIES)
    for family in sorted(UNIQUE):
        vector = next(iter(vectors(family=family)))
        first, second = islice(some_answers(vector.problem), 2)
        assert first == second


def test_the_first_choices_give_the_reference_answer() -> None:
    for family in FAMILIES:
        vector = next(iter(vectors(family=family, only="*/drawn-*")), None)
        if vector is None:
            continue
        reference: Answer = refmc.solve_problem(vector.problem)
        answer = right_answer(vector.problem, EveryChoice())
        for name in reference.keys() - {"slack"}:
            assert json.dumps(answer[name]).replace('"', "") == json.dumps(reference[name]).replace(
                '"', ""
            ), vector.id


def test_a_run_chooses_only_where_margins_are_exactly_at_the_kink() -> None:
    rows = {"X": [["2"], ["1"]], "T": 4, "lam": 1}
    many = [*some_answers({"family": "sgd.multiclass", "y": ["a", "b"], **rows})]
    assert len({json.dumps(answer, default=str) for answer in many}) == 4
    steps = {"X": [["2"], ["1"]], "C": 1, "eta": "1/3", "epochs": 2}
    one = [*some_answers({"family": "sgd.binary", "y": [1, -1], **steps})]
    assert len({json.dumps(answer, default=str) for answer in one}) == 1


def test_each_right_run_is_chosen_once() -> None:
    draws, told = EveryChoice(), of("trace", "labels")
    found = [told(right_answer(TWO_EPOCHS, draws))]
    while draws.next():
        found.append(told(right_answer(TWO_EPOCHS, draws)))
    assert sorted(found) == sorted(RUNS)


def test_a_tie_of_other_labels_leaves_no_choice_of_a_loss() -> None:
    for answer in some_answers({"family": "loss.zero_one", "scores": [[1, 1, 0]], "y": [2]}):
        assert answer["values"] == ["1"] and answer["mean"] == "1"
