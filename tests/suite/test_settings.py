"""Every setting of every family: it is in a vector, is drawn, and a program deaf to it is heard."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from refmc.answers import check
from refmc.cli.problems import OF_ROWS
from refmc.errors import ParameterError, RefmcError
from refmc.mistakes.explanation import BEYOND_CHANCE, Judged, explained_by
from refmc.mistakes.generic import generic, without_setting
from refmc.oracle.families import FAMILIES, declared, declared_for, default_gap, family_of
from refmc.oracle.fields import REQUIRED, Field, parts_of
from refmc.oracle.rows import recorded
from refmc.suite import vectors
from refmc.suite.generating import drawn_problem
from refmc.suite.settings import check_settings, outcomes_of, settings
from tests.support import ROOT, run

NOT_DRAWN = {
    ("boost.ada", "base", "any"): "refmc has no base classifiers but stumps",
    ("boost.mh", "base", "any"): "the same",
}
INAUDIBLE = {
    ("tree.grow", "columns"): "names of columns: questions may have their positions as well",
    ("boost.ada", "columns"): "the same",
    ("boost.mh", "columns"): "the same",
    ("tree.grow", "thresholds"): "trees are compared by the partitions of the rows",
    ("boost.ada", "base"): "`any` only admits more",
    ("perceptron.binary", "at_zero"): "`either` only admits more",
    ("perceptron.kernel", "at_zero"): "the same",
    ("sgd.binary", "at_kink"): "the same",
    ("nodes.decode", "method"): "the fields of another method can't be passed by",
}
"""Fields to which a deaf program is right, with the reason."""


def fields_of(family: str) -> dict[str, Field[object]]:
    return {name: field for known in declared(family)[0] for name, field in known.by_name.items()}


def values_of(family: str) -> Iterator[tuple[str, str]]:
    """The named values of all fields."""
    for known in declared(family)[0]:
        for field in known.fields:
            yield from ((field.name, value) for value in field.named)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_field_and_every_named_value_is_in_a_vector(family: str) -> None:
    problems = [vector.problem for vector in vectors(family=family)]
    assert fields_of(family).keys() == {name for problem in problems for name in problem}
    for name, value in values_of(family):
        hidden = (family, name, value) in NOT_DRAWN
        assert hidden != any(problem.get(name) == value for problem in problems), (name, value)


@pytest.mark.parametrize("family", FAMILIES)
def test_every_field_and_every_named_value_is_drawn(family: str) -> None:
    problems = [drawn_problem(family, str(seed)) for seed in range(250)]
    assert fields_of(family).keys() == {name for problem in problems for name in problem}
    for name, value in values_of(family):
        hidden = (family, name, value) in NOT_DRAWN
        assert hidden != any(problem.get(name) == value for problem in problems), (name, value)


@pytest.mark.parametrize("family", FAMILIES)
def test_numbered_seeds_deal_every_setting_in_turn(family: str) -> None:
    forms = declared(family)[0]
    if len(forms) > 1:  # one of the forms is drawn first
        return
    dealt = {field.name for field in forms[0].optional}
    dealt |= {field.name for group in forms[0].instead for field in group[:-1]}
    problems = [drawn_problem(family, f"0-{i}") for i in range(3 * (len(dealt) + 1))]
    counts = {name: sum(name in problem for problem in problems) for name in dealt}
    assert min(counts.values(), default=3) >= 3, counts


def is_heard(problem: Any, field: Field[object]) -> bool:
    """Whether the answer of a program that is deaf to a field is refuted, or no answer at all."""
    other = without_setting(problem, field)
    if other is None:
        return False
    family = family_of(problem["family"])
    try:
        answer = family.solve(other, None)
        verdict = family.judge(problem, answer, default_gap(problem["family"]), None)
    except RefmcError:
        return True
    return verdict.status == "REFUTED"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_program_that_is_deaf_to_a_setting_is_heard(family: str) -> None:
    left = {field.name for known in declared(family)[0] for field in known.optional}
    for vector in vectors(family=family):
        known = declared_for(vector.problem).optional
        asked = [field for field in known if field.name in left and field.name in vector.problem]
        left -= {field.name for field in asked if is_heard(vector.problem, field)}
    assert left == {name for other, name in INAUDIBLE if other == family}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_program_that_is_deaf_to_a_setting_is_named(family: str) -> None:
    """Where its answer is refuted, and not only malformed or too little to tell."""
    found: dict[str, list[bool]] = {}
    for vector in vectors(family=family):
        for field in declared_for(vector.problem).optional:
            other = without_setting(vector.problem, field)
            if other is None or not is_heard(vector.problem, field):
                continue
            try:
                answer = dict(family_of(family).solve(other, None))
                verdict = check(vector.problem, answer)
            except RefmcError:
                continue
            refuted = Judged(vector.problem, answer, verdict)
            if refuted.label_bits >= BEYOND_CHANCE:
                deaf = [m for m in generic(family) if m.id == f"deaf.{field.name}"]
                told = explained_by((*deaf,), refuted)
                found.setdefault(field.name, []).append(any(e and e.verdict for e in told))
    assert all(any(told) for told in found.values()), found


@pytest.mark.parametrize("family", FAMILIES)
def test_a_default_that_is_written_out_is_no_setting(family: str) -> None:
    """The values that the format names as defaults, and the linear kernel."""
    written: dict[str, Any] = {"kernel": "linear"} | {
        field.name: recorded(field.default)
        for field in fields_of(family).values()
        if field.is_setting and field.default not in (None, REQUIRED)
    }
    for vector in vectors(family=family):
        known, asked = declared_for(vector.problem), settings(vector.problem)
        for name in {*written} & {field.name for field in known.optional} - vector.problem.keys():
            if known.beside.get(name, "family") in vector.problem:
                assert settings({**vector.problem, name: written[name]}) == asked, name


def test_a_linear_kernel_is_no_setting_in_any_of_its_forms() -> None:
    problem = {"family": "svm.hard", "X": [[1], [2]], "y": [-1, 1]}
    assert settings({**problem, "kernel": {"name": "linear"}}) == []
    square = {"name": "polynomial", "degree": 2, "scale": 1, "offset": 0}
    assert settings({**problem, "kernel": square}) == ["kernel"]


def test_problems_of_some_settings_alone_are_drawn() -> None:
    known = {"impurity", "max_depth"}
    drawn = {n for seed in range(40) for n in drawn_problem("tree.grow", str(seed), known)}
    assert drawn == {"family", "X", "y", *known}


def test_drawn_problems_have_up_to_six_rows_two_columns_and_three_bits() -> None:
    def drawn(family: str) -> list[Any]:
        return [drawn_problem(family, f"{i}-x") for i in range(60)]

    values = [problem["z"] for problem in drawn("loss.hinge")]
    assert {*map(len, values)} == {1, 2, 3, 4, 5, 6}
    assert {v for z in values for v in z} == {"-3", "-1", "-1/2", "0", "1/3", "1", "2", "4"}
    rows = [problem["X"] for problem in drawn("perceptron.multiclass")]
    assert {*map(len, rows)} == {1, 2, 3, 4, 5, 6} and {len(X[0]) for X in rows} == {1, 2}
    assert {len(problem["code"][0]) for problem in drawn("code.decode")} == {1, 2, 3}
    assert {len(problem["epsilons"]) for problem in drawn("bound.adaboost")} == {1, 2, 3, 4, 5, 6}


@pytest.mark.parametrize("seed", ["{}-x", "x-{}"])
def test_three_settings_are_drawn_at_most(seed: str) -> None:
    optional = {field.name for field in declared("perceptron.multiclass")[0][0].optional}
    optional.remove("classes")  # which come with an entry for each class
    drawn = [drawn_problem("perceptron.multiclass", seed.format(i)) for i in range(150)]
    assert {len(optional & problem.keys()) for problem in drawn} == {0, 1, 2, 3}


def test_of_a_setting_only_the_values_that_are_known_are_drawn() -> None:
    drawn = [drawn_problem("tree.grow", str(i), {"impurity=entropy"}) for i in range(20)]
    assert {problem.get("impurity", "gini") for problem in drawn} == {"gini", "entropy"}


@pytest.mark.parametrize(
    ("family", "lone"), [("qp.convex", "A"), ("bound.perceptron", "b"), ("ovo.decode", "bracket")]
)
def test_a_setting_that_needs_another_is_not_drawn_without_it(family: str, lone: str) -> None:
    assert all(lone not in drawn_problem(family, str(i), {lone}) for i in range(4))


def test_classes_are_listed_only_where_labels_need_not_name_all() -> None:
    drawn = [drawn_problem("ova.decode", str(i)) for i in range(12)]
    assert {"classes" in problem for problem in drawn} == {True, False}
    runs = [drawn_problem("perceptron.multiclass", str(i)) for i in range(100)]
    assert all("classes" in problem for problem in runs if "start" in problem)
    assert any("start" in problem for problem in runs)


def test_fields_are_listed_with_their_kind_default_and_sentence() -> None:
    assert run("families").stdout.split() == [*FAMILIES]
    lines = run("families", "tree.grow").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [*fields_of("tree.grow")]
    assert any(
        re.fullmatch(r"min_leaf +whole +default 1 +the least rows of a leaf", v) for v in lines
    )
    for family in FAMILIES:
        for field in fields_of(family).values():
            assert field.says.rstrip(")") and not field.says.endswith("."), (family, field.name)
    assert run("families", "tree").returncode == 2


@pytest.mark.parametrize("family", OF_ROWS)
def test_a_problem_of_a_table_can_have_every_setting_of_its_family(family: str) -> None:
    told = run("problem", "--family", family, "--help").stdout
    single = {name for name, field in fields_of(family).items() if field.is_setting} - {"family"}
    section = told[told.index("\nsettings:") :]
    assert {*re.findall(r"(?m)^  --([\w-]+)", section)} == {n.replace("_", "-") for n in single}


def sections_of(family: str) -> str:
    """The sections of the format whose headings name a family, or its kind."""
    text = (ROOT / "spec" / "format.md").read_text(encoding="utf-8")
    names = f"`{family}`", f"`{family.partition('.')[0]}.*`"
    parts = re.split(r"(?m)^## ", text)
    return "".join(p for p in parts if any(name in p.partition("\n")[0] for name in names))


@pytest.mark.parametrize("family", FAMILIES)
def test_the_format_names_every_field_of_problems_and_answers(family: str) -> None:
    told, (problems, answers) = sections_of(family), declared(family)
    fields = {field.name for known in (*problems, *answers) for field in parts_of(known.fields)
              if field.is_judged and field.name != "family"}  # fmt: skip
    assert {name for name in fields if not re.search(rf"[`\"]{name}[`\"]", told)} == set()


def test_a_name_that_is_no_setting_is_refused_with_those_of_the_family() -> None:
    with pytest.raises(ParameterError, match="'nope'; known: kernel, bias=false, bias=penalised"):
        check_settings(["kernel", "nope"], "svm.hard")
    with pytest.raises(ParameterError, match="'nope'; `refmc families NAME` lists those of"):
        check_settings(["nope"])


def test_a_setting_is_as_good_as_the_best_that_came_of_it() -> None:
    rows: dict[str, Any] = {"family": "svm.hard", "X": [[1], [-1]], "y": [1, -1]}
    came: list[tuple[dict[str, Any], str]] = [
        ({"weights": [1, 2], "bias": False}, "skipped"),
        ({"bias": False}, "refuted"),
        ({"bias": "penalised"}, "refuted"),
        ({"bias": "penalised"}, "fixed"),
    ]
    assert outcomes_of((rows | own, outcome) for own, outcome in came) == {
        "svm.hard": {
            "verified": ["bias=penalised"],
            "unverified": ["bias=false"],
            "skipped": ["weights"],
            "unasked": ["kernel", "classes", "gram"],
        }
    }
