"""What a run asks: settings, programs that know less, and problems of one's own."""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from refmc.suite import vectors
from refmc.suite.generating import drawn_problem
from refmc.suite.settings import lacking, settings, settings_of
from tests.support import Done, run

PROGRAM = """
import json, sys
from refmc import solve_problem
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        print(json.dumps({"implementation": "own", **json.loads(sys.argv[1])}), flush=True)
    elif asked["cmd"] == "run":
        told = {"answer": solve_problem(asked["problem"])}
        if sys.argv[2] in asked["problem"]:
            told = {"answer": {"tree": {"nodes": [{}]}}} if sys.argv[3:] else {"skip": "no"}
        print(json.dumps({"seq": asked["seq"], **told}), flush=True)
"""


def asked(*options: object, supports: object = None, skips: str = "-", wrong: bool = False) -> Done:
    told = {} if supports is None else {"supports": supports}
    program = [sys.executable, "-c", PROGRAM, json.dumps(told), skips, *["wrong"] * wrong]
    return run("run", "--persistent", *options, "--", *program)


def results(done: Done) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    *found, last = [json.loads(line) for line in done.stdout.splitlines()]
    return found, last["receipt"]


DEPTHS = {"family": "tree.grow", "X": [[1], [2], [3]], "y": ["a", "b", "a"]}


def test_the_settings_of_a_problem_are_what_it_has_beside_its_defaults() -> None:
    assert settings({**DEPTHS, "impurity": "gini", "min_leaf": "1", "max_depth": None}) == []
    assert settings({**DEPTHS, "classes": ["a", "b"]}) == []
    assert settings({**DEPTHS, "classes": ["b", "a"], "impurity": "entropy", "min_leaf": 2}) == [
        *("classes", "impurity=entropy", "min_leaf")
    ]
    gram = {"family": "svm.hard", "gram": [[1]], "y": [1]}
    assert settings({**gram, "bias": True}) == ["gram"]
    assert settings({**gram, "bias": False}) == ["bias=false", "gram"]
    method = {"family": "nodes.decode", "method": "label_tree", "classes": ["a", "b"]}
    assert settings({**method, "splits": [[["a"], ["b"]]], "f": [[1]]}) == ["method=label_tree"]
    signs = {"family": "boost.mh", "X": [[1]], "Y": [[1, -1]], "rounds": 1, "classes": [0, 1]}
    assert settings(signs) == ["X"]


def test_every_setting_that_a_vector_has_is_one_of_its_family() -> None:
    for vector in vectors():
        assert {*settings(vector.problem)} <= {*settings_of(vector.family)}, vector.id


def test_the_receipt_says_which_settings_were_verified_skipped_or_not_asked() -> None:
    only = ("--only", "tree.grow/two-rows", "--only", "tree.grow/xor-stopped")
    found = asked("--settings", "min_leaf", "--family", "tree.grow", "--format", "jsonl")
    own = results(found)[1]["settings"]["tree.grow"]
    assert "min_leaf" in own["verified"] and own["unverified"] == own["skipped"] == []
    assert {*own["verified"], *own["unasked"]} == {*settings_of("tree.grow")}
    lines = asked(*only, skips="min_decrease").stdout.splitlines()
    (line,) = (line for line in lines if line.startswith("settings  "))
    assert line.startswith("settings  tree.grow: skipped min_decrease; not asked classes, columns")


def test_a_setting_whose_answers_are_wrong_is_not_verified(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(json.dumps({**DEPTHS, **v}) for v in ({}, {"min_leaf": 2})))
    done = asked("--problems", own, skips="min_leaf", wrong=True)
    assert done.returncode == 0  # two rows of one class can't be split
    done = asked("--problems", own, skips="X", wrong=True)
    assert done.returncode == 1
    assert "settings  tree.grow: verified min_leaf; not asked classes" in done.stdout
    own.write_text(json.dumps({**DEPTHS, "max_depth": 2}))
    done = asked("--problems", own, skips="X", wrong=True)
    assert "settings  tree.grow: not verified max_depth; not asked classes" in done.stdout


def test_settings_are_told_in_xml_and_on_the_page(tmp_path: Path) -> None:
    options = ("--only", "svm.hard/no-bias", "--format")
    suite = ElementTree.fromstring(asked(*options, "junit").stdout)
    (told,) = (p for p in suite.iter("property") if p.attrib["name"] == "settings")
    assert json.loads(told.attrib["value"])["svm.hard"]["verified"] == ["bias=false"]
    page = asked(*options, "html").stdout
    assert "<tr><th>settings</th><td>svm.hard: verified bias=false; not asked kernel, " in page


@pytest.mark.parametrize("named", ["impurity=entropy", "impurity", "max_depth,impurity"])
def test_problems_are_selected_by_their_settings(named: str) -> None:
    options = ("--settings", named, "--random", 20, "--format", "jsonl")
    found, _ = results(asked("--family", "tree.grow", *options, skips="X"))
    ids = {result["id"] for result in found}
    cases = {v.id: v.problem for v in vectors(family="tree.grow")}
    cases |= {f"tree.grow/seed-0-{i}": drawn_problem("tree.grow", f"0-{i}") for i in range(20)}
    names = named.split(",")
    assert ids == {
        id
        for id, problem in cases.items()
        if all(
            any(told == name or told.startswith(f"{name}=") for told in settings(problem))
            for name in names
        )
    }
    assert 0 < len(ids) < 74


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ("lookahed", "refmc has no setting 'lookahed'; `refmc families NAME` lists those of a"),
        ("impurity=ginni", "no setting 'impurity=ginni'; known: impurity=entropy, impurity=misc"),
    ],
)
def test_an_unknown_setting_is_refused(named: str, told: str) -> None:
    done = asked("--settings", named)
    assert done.returncode == 2 and told in done.stderr
    done = run("gen", "tree.grow", "--settings", named)
    assert done.returncode == 2 and "tree.grow has no setting" in done.stderr


def test_a_comma_alone_names_no_settings() -> None:
    assert "refmc has no setting ''" in asked("--settings", ",").stderr
    assert "loss.margin has no setting ''" in run("gen", "loss.margin", "--settings", ",").stderr


KNOWS: Mapping[str, Sequence[str]] = {
    "tree.grow": ["impurity=entropy", "max_depth"],
    "svm.hard": ["bias"],
    "loss.hinge": [],
}


def test_what_needs_more_than_a_program_supports_is_skipped_unasked() -> None:
    options = ("--family", "tree.grow", "--family", "svm.*", "--format", "jsonl")
    found, receipt = results(asked(*options, supports=KNOWS))
    problems = {vector.id: vector.problem for vector in vectors(family=["tree.grow", "svm.*"])}
    assert {r["id"] for r in found if r["outcome"] == "verified"} == {
        id
        for id, problem in problems.items()
        if problem["family"] in KNOWS and not lacking(problem, KNOWS[str(problem["family"])])
    }
    reasons = {r["id"]: r["reason"] for r in found if r["outcome"] == "skipped"}
    assert reasons["svm.hard/gram"] == "doesn't support gram of svm.hard"
    assert reasons["svm.binary/one-row"] == "doesn't support svm.binary"
    assert receipt["unsupported"] == ["svm.multiclass", "svm.binary"]
    own = receipt["settings"]
    assert own["tree.grow"]["verified"] == ["impurity=entropy", "max_depth"]
    assert own["svm.hard"]["verified"] == ["bias=false", "bias=penalised"]


def test_fresh_problems_are_drawn_of_what_a_program_supports() -> None:
    options = ("--random", 60, "--flags", "tie", "--format", "jsonl")
    found, _ = results(asked(*options, supports=KNOWS))
    fresh = [r for r in found if "/seed-" in r["id"]]
    assert len(fresh) == 60 and {r["outcome"] for r in fresh} == {"verified"}
    settled = run("gen", "tree.grow", "--seed", "0-0", "--settings", "impurity=entropy,max_depth")
    problem = json.loads(settled.stdout)
    assert problem == drawn_problem("tree.grow", "0-0", KNOWS["tree.grow"])
    drawn = [drawn_problem("tree.grow", f"0-{i}", KNOWS["tree.grow"]) for i in range(60)]
    assert {told for p in drawn for told in settings(p)} == {*KNOWS["tree.grow"]}


def test_a_family_that_needs_what_is_not_known_is_not_drawn() -> None:
    done = run("gen", "tree.prune", "--settings", "weights")
    assert done.returncode == 2
    assert "no problem of tree.prune was found with no other settings" in done.stderr
    supports = {"tree.prune": ["weights"], "loss.hinge": []}
    found, _ = results(asked("--random", 8, "--format", "jsonl", supports=supports))
    fresh = [r["id"] for r in found if "/seed-" in r["id"]]
    assert fresh == [f"loss.hinge/seed-0-{i}" for i in (1, 3, 5, 7)]


@pytest.mark.parametrize(
    ("supports", "told"),
    [
        ({"tree.grow": ["impurty"]}, "supports: tree.grow has no setting 'impurty'; known: clas"),
        ({"tree.grow": ["impurity=x"]}, "'impurity=x'; known: impurity=entropy, impurity=miscl"),
        ({"tree.gro": []}, "supports: unknown family 'tree.gro'; known: svm.multiclass, "),
        ({"tree.grow": "impurity"}, "supports.tree.grow: expected a list of strings; the line"),
        ("tree.grow", "supports: expected a list of strings; the line was"),
        (None, "supports: expected a list of strings"),
    ],
)
def test_supports_that_cannot_be_read_are_a_bad_start(supports: object, told: str) -> None:
    program = [sys.executable, "-c", PROGRAM, json.dumps({"supports": supports}), "-"]
    for more in ([], ["--random", 2]):
        options = ("--persistent", "--only", "tree.grow/two-rows", *more)
        done = run("run", *options, "--", *program)
        assert done.returncode == 4 and "bad_start" in done.stdout and told in done.stdout


def test_a_file_of_problems_takes_the_place_of_the_suite(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    hinge = {"family": "loss.hinge", "z": ["1/3"]}
    own.write_text(f"{json.dumps(hinge)}\n\n{json.dumps(DEPTHS)}\n")
    done = asked("--problems", own, "--random", 2, "--scramble", "--format", "jsonl")
    found, receipt = results(done)
    ids = ["loss.hinge/line-1", "tree.grow/line-3"]
    more = [*(f"{id}/guise-0" for id in ids), "loss.hinge/seed-0-0", "tree.grow/seed-0-1"]
    assert [r["id"] for r in found] == [*ids, *more] and receipt["code"] == 0
    for option, value in (("--only", "*/line-3"), ("--family", "tree.*"), ("--settings", "cost")):
        kept, _ = results(asked("--problems", own, option, value, "--format", "jsonl"))
        assert [r["id"] for r in kept] == ([] if value == "cost" else [ids[1]])
    known = tmp_path / "known.json"
    known.write_text('{"tree.grow/line-3": "not yet"}')
    done = asked("--problems", own, "--known", known)
    assert "right, but known as a failure (not yet)" in done.stdout and done.returncode == 1


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("[]", "own.jsonl, line 2: problem: expected a JSON object, got a list"),
        ("{", "own.jsonl, line 2: problem: not JSON"),
        ('{"family": "tree"}', "own.jsonl, line 2: problem.family: unknown 'tree'; known: svm.mul"),
        ('{"family": "loss.hinge", "z": []}', "own.jsonl, line 2: problem.z: expected a list th"),
        ('{"family": "loss.hinge"}', "own.jsonl, line 2: problem: field 'z' is missing"),
    ],
)
def test_a_bad_line_is_refused_with_its_number(line: str, told: str, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text('{"family": "loss.hinge", "z": ["1"]}\n' + line)
    done = asked("--problems", own)
    assert (done.returncode, done.stdout) == (2, "") and told in done.stderr


def test_files_of_problems_have_no_flags_and_patterns_that_fit(tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text('{"family": "loss.hinge", "z": ["1"]}')
    for option, told in [
        (("--flags", "tie"), "--flags: the problems of a file have none"),
        (("--only", "*/line-2"), "fits '*/line-2'"),
        (("--family", "tree.*"), "fits 'tree.*'"),
    ]:
        done = asked("--problems", own, *option)
        assert done.returncode == 2 and told in done.stderr
    own.write_text("\n")
    assert asked("--problems", own).returncode == 5


GROWING = """
import json, sys
seen = []
for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        print(json.dumps({"implementation": "own"}), flush=True)
    elif asked["cmd"] == "run":
        seen += [float(z) for z in asked["problem"]["z"]]
        answer = {"mean": sum(max(0, -z) for z in seen) / len(seen)}
        print(json.dumps({"seq": asked["seq"], "answer": answer}), flush=True)
"""


def test_a_program_that_keeps_something_from_before_is_asked_again_and_told_so(
    tmp_path: Path,
) -> None:
    own = tmp_path / "own.jsonl"
    rows = [["-1"], ["-2", "-4"], ["-5"]]
    lines = [json.dumps({"family": "loss.perceptron", "z": z}) for z in rows]
    own.write_text("\n".join(lines))
    options = ("--persistent", "--explain", "--problems", own)
    done = run("run", *options, "--", sys.executable, "-S", "-c", GROWING)
    told = "2 wrong answers of loss.perceptron were asked for again, each of a program"
    assert f"cause  {told}" in done.stdout and done.stdout.count("cause  ") == 1
