"""The catalogue: each mistake can be made, is recognised, and is told from the others."""

import json

import pytest

from refmc.core.records import Record
from refmc.core.scalars import plain
from refmc.mistakes.all import MISTAKES
from refmc.mistakes.explanation import Judged, explained_by, wrong_part
from refmc.mistakes.mistake import Run
from refmc.mistakes.plain_boosting import boosting
from refmc.mistakes.plain_pruning import pruning
from refmc.mistakes.plain_runs import plain_run
from refmc.mistakes.plain_trees import growth
from refmc.oracle.families import FAMILIES, default_gap, family_of
from refmc.oracle.rows import recorded
from refmc.suite.corpus import vectors, vectors_of
from refmc.suite.pages import caught_by
from tests.mistakes.functions import FUNCTIONS, FunctionMistake
from tests.mistakes.quiet import ALWAYS_SHOWN, QUIET


def in_json(answer: Record) -> object:
    """The answer as its file has it."""
    found = json.loads(json.dumps(answer, default=lambda v: recorded(plain(v))))
    return {name: value for name, value in found.items() if name != "family"}


RUNS: dict[str, Run] = {
    "perceptron.binary": plain_run,
    "perceptron.kernel": plain_run,
    "perceptron.multiclass": plain_run,
    "sgd.binary": plain_run,
    "sgd.multiclass": plain_run,
    "tree.grow": growth,
    "tree.prune": pruning,
    "boost.ada": boosting,
    "boost.mh": boosting,
}


@pytest.mark.parametrize("family", RUNS)
def test_a_plain_program_without_a_mistake_is_right(family: str) -> None:
    judge = family_of(family).judge
    answers = 0
    for vector in vectors_of(family):
        for wrong in ((), {"last_of_tied"}, {"rival_of_tied"}):
            answer = RUNS[family](vector.problem, wrong)
            if answer is not None:
                assert judge(vector.problem, answer, default_gap(family), None), vector.id
                answers += 1
    assert answers >= 10


@pytest.mark.parametrize("most", [1, pytest.param(10, marks=pytest.mark.campaign)])
@pytest.mark.parametrize("id", MISTAKES)
def test_a_mistake_is_recognised_where_it_shows_in_each_family(id: str, most: int) -> None:
    mistake = MISTAKES[id]
    caught = caught_by()[id]
    assert caught
    families = mistake.families
    for vector in (v for f in families for v in [v for v in caught if v.family == f][:most]):
        problem, wrong = vector.problem, next(w for w in vector.wrong if id in w.mistakes)
        made = mistake.made(problem, vector.stated)
        assert made is not None and in_json(made) == in_json(wrong.answer), vector.id
        before = family_of(vector.family).judge(
            problem, wrong.answer, default_gap(vector.family), None
        )
        given = {**problem, "stated": vector.stated} if mistake.of_stated else problem
        answer = wrong_part(problem, wrong.answer, before.allowed)
        found = [*explained_by((mistake,), Judged(given, answer, before))]
        assert any(e is not None and e.verdict for e in found), vector.id


@pytest.mark.parametrize("id", MISTAKES)
def test_a_problem_does_not_show_a_mistake(id: str) -> None:
    mistake = MISTAKES[id]
    if id in QUIET:
        problem = QUIET[id]
        answer, family = mistake.made(problem), str(problem["family"])
        if answer is None:  # there is no second tree that could be mistaken for the first
            assert id == "prune.between_breakpoints"
        else:
            assert family_of(family).judge(problem, answer, default_gap(family), None), answer
        return
    catching = vectors(family=mistake.families)
    silent = [vector for vector in catching if id not in vector.catches]
    assert silent or id in ALWAYS_SHOWN


@pytest.mark.parametrize("entry", FUNCTIONS, ids=lambda entry: entry.id)
def test_functions_differ_where_the_mistake_shows_and_nowhere_else(entry: FunctionMistake) -> None:
    assert entry.right(*entry.arguments) != entry.wrong(*entry.arguments)
    assert entry.right(*entry.silent) == entry.wrong(*entry.silent)


def test_names_are_of_a_topic_and_families_are_known() -> None:
    assert len(MISTAKES) >= 140
    for id, mistake in MISTAKES.items():
        assert id.count(".") == 1 and set(mistake.families) <= set(FAMILIES)
        assert mistake.breaks and not mistake.sentence.endswith(".")
        assert mistake.switch in ("", id.rpartition(".")[2])


def test_no_mistake_of_growing_explains_a_tree_whose_words_no_plain_program_reads() -> None:
    words = {"X": [["red"], ["blue"]], "categorical": [0]}
    problem: Record = {"family": "tree.grow", "y": ["a", "b"]} | words
    wrong: Record = {"tree": {"nodes": [{"label": "a"}]}}
    verdict = family_of("tree.grow").judge(problem, wrong, default_gap("tree.grow"), None)
    assert verdict.status == "REFUTED"
    for id, mistake in MISTAKES.items():
        if id == "tree.root_alone":  # which is so, and needs no words
            continue
        if id.startswith("tree.") and "tree.grow" in mistake.families:
            found = explained_by((mistake,), Judged(problem, wrong, verdict))
            assert not any(e is not None and e.verdict for e in found), id


def test_votes_that_a_perfect_round_does_not_have_are_not_mistaken() -> None:
    perfect: Record = {"family": "boost.ada", "X": [[0], [1]], "y": [1, -1], "rounds": 2}
    assert MISTAKES["boost.votes_unbalanced"].made(perfect) is None
