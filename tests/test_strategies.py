"""Problems and answers that Hypothesis draws, and what it finds with them."""

from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample, Unsatisfiable

import refmc
from refmc import strategies
from refmc.checker.trees.prune import PruningProblem
from refmc.oracle.families import FAMILIES
from refmc.oracle.svm.binary import BinarySVMProblem
from refmc.oracle.trees.records import TreeProblem
from refmc.suite import mistakes

FEW = settings(derandomize=True, max_examples=40, deadline=None, phases=[Phase.generate])
FINDING = settings(
    max_examples=200, deadline=None, database=None, phases=[Phase.generate, Phase.shrink]
)

SMALL: Any = {"max_rows": 3, "settings": False}


@FEW
@given(st.data())
def test_drawn_answers_are_right_and_near_misses_are_wrong(data: st.DataObject) -> None:
    family = data.draw(st.sampled_from([*FAMILIES]))
    problem = data.draw(strategies.problems(family, **SMALL))
    assert refmc.check(problem, data.draw(strategies.answers(problem)))
    if family in ("svm.binary", "tree.grow", "loss.hinge", "sgd.binary"):
        wrong = data.draw(st.none() | strategies.near_misses(problem))
        assert wrong is None or refmc.check(problem, wrong).status == "REFUTED"


def test_what_a_mistake_makes_outside_the_format_is_no_near_miss(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = {"A": [[1, 1]], "b": [2], "G": [[1, 0]], "h": [0]}
    problem = {"family": "qp.convex", "Q": [[1, 0], [0, 1]], "c": [0, 0], **rows}
    (mistake,) = [m for m in mistakes("qp.convex") if m.id == "qp.bounds_ignored"]
    with pytest.raises(refmc.FormatError, match="inequality_multipliers"):
        refmc.check(problem, mistake.made(problem) or {})
    assert found(strategies.near_misses(problem), lambda wrong: True)["remark"] != mistake.id
    monkeypatch.setattr(strategies, "mistakes", lambda family: [mistake])
    with pytest.raises((NoSuchExample, Unsatisfiable)):
        found(strategies.near_misses(problem), lambda wrong: True)


def found(strategy: st.SearchStrategy[Any], condition: Any) -> Any:
    return find(strategy, condition, settings=FINDING, random=Random(0))


def test_every_choice_among_ties_is_reached() -> None:
    xor: dict[str, Any] = {
        "family": "tree.grow", "X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": ["a", "b", "b", "a"],
    }  # fmt: skip
    for column in (0, 1):
        tree = found(
            strategies.answers(xor),
            lambda answer, column=column: (
                answer["tree"]["nodes"][0]["question"]["column"] == column
            ),
        )
        assert refmc.check(xor, tree)
    one_class = {"family": "svm.binary", "X": [[0]], "y": [1], "C": 1}
    assert found(strategies.answers(one_class), lambda a: Fraction(a["b"]) >= 1)["w"] == ["0"]


def test_types_of_problems_have_strategies() -> None:
    assert found(st.from_type(BinarySVMProblem), lambda p: p.asked.C is None).classes == (-1, 1)
    assert found(
        st.from_type(TreeProblem), lambda p: isinstance(p.asked, PruningProblem)
    ).prune.tree


def test_sizes_are_kept() -> None:
    two = found(
        strategies.problems("svm.multiclass", classes="ab", max_rows=2),
        lambda p: len(p["X"]) == 2 and "cost" in p,
    )
    assert two["classes"] == ["a", "b"] and len(two["cost"]) == 2
    for rows in (strategies.rows(max_rows=2), strategies.matrices(2, 1)):
        assert len(found(rows, lambda r: len(r) == 2)[0]) == 1
    assert found(strategies.labels(2), lambda y: y[0] != y[1]) in (["a", "b"], ["b", "a"])
    wrong: list[Any] = [{"family": "svm"}, {"family": "svm.binary", "classes": "aa"}]
    for arguments in wrong:
        with pytest.raises(refmc.ParameterError):
            found(strategies.problems(**arguments), lambda p: True)
