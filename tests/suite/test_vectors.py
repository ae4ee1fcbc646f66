"""The vectors: right answers, wrong ones, and what each mistake is caught by."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction as F
from pathlib import Path

import pytest

from refmc import __version__
from refmc.checker import Verdict
from refmc.errors import ParameterError
from refmc.mistakes.all import MISTAKES
from refmc.oracle.families import FAMILIES, declared_for, default_gap, family_of
from refmc.suite import build, corpus, pages
from refmc.suite.corpus import FLAGS, FOLDER, Vector, vector_from, vector_of, vectors
from refmc.suite.pages import caught_by, mistake_lines, mistakes_file, mistakes_page
from tests.suite.test_settings import is_heard
from tests.support import ROOT

IRRATIONAL = ("loss.exponential", "loss.logistic", "bound.")
"""Families whose values are rounded; and the decodings by these losses."""


def judged(vector: Vector, answer: object, gap: F) -> Verdict:
    assert isinstance(answer, dict)
    return family_of(vector.family).judge(vector.problem, answer, gap, None)


EVERY = pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.campaign)])
"""Every tenth vector, or all of them."""


@EVERY
def test_every_answer_is_right_and_exact_where_numbers_are_rational(step: int) -> None:
    for vector in [*vectors()][::step]:
        rounded = vector.family.startswith(IRRATIONAL) or vector.problem.get("decoding") in (
            "exponential",
            "logistic",
        )
        gap = default_gap(vector.family) if rounded else F(0)
        assert judged(vector, vector.answer, gap), vector.id
        for other in vector.accept:
            assert other != vector.answer
            assert judged(vector, other, gap), vector.id


@EVERY
def test_every_wrong_answer_is_refuted_at_places_that_programs_can_read(step: int) -> None:
    for vector in [*vectors()][::step]:
        for wrong in vector.wrong:
            verdict = judged(vector, wrong.answer, default_gap(vector.family))
            assert verdict.status == "REFUTED", vector.id
            for violation in verdict.violations if vector.family != "qp.convex" else ():
                words = re.findall(r"\b(row|step|round|epoch|node) (\d+)", violation.place)
                words += re.findall(r"\b(class) (\w+)$", violation.place)
                found = {name: str(value) for name, value in violation.at.items()}
                assert {*words} <= {*found.items()}, violation.place


def test_there_are_vectors_enough_and_each_mistake_is_caught_by_two() -> None:
    suite = [*vectors()]
    assert len(suite) >= 250 and len({v.id for v in suite}) == len(suite)
    caught = [name for vector in suite for name in vector.catches]
    assert set(caught) == set(MISTAKES)
    assert min(map(caught.count, MISTAKES)) >= 2
    assert {v.family for v in suite} == set(FAMILIES)
    for v in suite:
        assert (
            v.id.startswith(f"{v.family}/") and v.why.endswith(".") and set(v.flags) <= set(FLAGS)
        )
        names = sorted(name for wrong in v.wrong for name in wrong.mistakes)
        assert tuple(names) == v.catches, v.id
        assert names or any(is_heard(v.problem, f) for f in declared_for(v.problem).optional), v.id
    assert {flag for v in suite for flag in v.flags} == set(FLAGS)


def test_vectors_are_found_by_pattern_and_by_id() -> None:
    two = [v.id for v in vectors(only="svm.*/two-rows")]
    assert two == ["svm.binary/two-rows", "svm.hard/two-rows"]
    assert vector_of("svm.hard/two-rows").problem["y"] == [1, -1]
    with pytest.raises(ParameterError, match="no vector is called 'svm.hard/nope'"):
        vector_of("svm.hard/nope")
    with pytest.raises(ParameterError, match="no flag is called 'ties'; there are tie, "):
        vectors(flags="ties")
    with pytest.raises(ParameterError, match="no family fits 'svm'; there are svm.multiclass, "):
        vectors(family=["qp.*", "svm"])


PAGE = build.PAGE

CHEAP = [n for n in FAMILIES if n.startswith(("loss.", "ova.", "qp.", "svm.hard"))]


@pytest.mark.parametrize("family", CHEAP)
def test_vectors_are_remade_byte_for_byte(family: str) -> None:
    assert build.file_of(family) == (FOLDER / f"{family}.json").read_text(encoding="utf-8")


@pytest.mark.campaign
def test_all_vectors_and_the_page_are_remade_byte_for_byte() -> None:
    assert build.main(["--check"]) == 0


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the folder of vectors, in which they are read and remade."""
    folder = tmp_path / "vectors"
    shutil.copytree(build.FOLDER, folder)
    monkeypatch.setattr(corpus, "FOLDER", folder)
    monkeypatch.setattr(build, "FOLDER", folder)
    monkeypatch.setattr(build, "PAGE", tmp_path / "none" / "mistakes.md")
    yield folder
    corpus.vectors_of.cache_clear()
    caught_by.cache_clear()


def test_a_file_that_differs_is_told_and_not_written(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = copied / "ova.decode.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    for vector in found["vectors"]:  # so that no page can be made of them
        vector["catches"] = []
    file.write_text(json.dumps(found), encoding="utf-8")
    before = file.read_bytes()
    assert build.main(["--check", "ova.decode"]) == 1
    assert file.read_bytes() == before
    assert capsys.readouterr().out == "differs: ova.decode.json\n"


@pytest.mark.parametrize(
    ("options", "code", "told"),
    [(["--help"], 0, "--check"), (["--chek"], 2, "--chek"), (["no.family"], 2, "no.family")],
)
def test_what_is_no_family_and_no_option_remakes_nothing(
    copied: Path, capsys: pytest.CaptureFixture[str], options: list[str], code: int, told: str
) -> None:
    (copied / "ova.decode.json").write_text("{}", encoding="utf-8")
    with pytest.raises(SystemExit, match=str(code)):
        build.main(options)
    assert told in "".join(capsys.readouterr())
    assert (copied / "ova.decode.json").read_text(encoding="utf-8") == "{}"


def test_the_file_of_mistakes_is_remade_with_vectors(
    copied: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file, page = copied / "mistakes.json", copied / "page.md"
    right, of_page = file.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    file.write_text(json.dumps(json.loads(right)), encoding="utf-8")
    monkeypatch.setattr(build, "PAGE", page)
    assert build.main(["ova.decode"]) == 0
    assert capsys.readouterr().out == "written: mistakes.json\nwritten: page.md\n"
    assert file.read_text(encoding="utf-8") == right
    assert page.read_text(encoding="utf-8") == of_page


def test_a_vector_needs_its_problem_and_what_is_said_of_it_alone(copied: Path) -> None:
    file = copied / "ova.decode.json"
    whole = file.read_text(encoding="utf-8")
    found = json.loads(whole)
    for vector in found["vectors"]:
        for name in ("since", "answer", "accept", "wrong", "catches"):
            del vector[name]
    file.write_text(json.dumps(found), encoding="utf-8")
    assert build.main(["ova.decode"]) == 0
    assert file.read_text(encoding="utf-8") == whole.replace(
        '"since": "0.1.0"', f'"since": "{__version__}"'
    )


def test_a_new_vector_is_caught_in_the_catalogue_as_soon_as_it_is_made(
    copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert caught_by() and corpus.vectors_of("ova.decode")  # which are kept until then
    file = copied / "ova.decode.json"
    found = json.loads(file.read_text(encoding="utf-8"))
    first = {name: found["vectors"][0][name] for name in ("why", "flags", "problem")}
    found["vectors"].append({"id": "ova.decode/new", **first})
    file.write_text(json.dumps(found), encoding="utf-8")
    assert build.main(["ova.decode"]) == 0
    catalogue = json.loads((copied / "mistakes.json").read_text(encoding="utf-8"))["mistakes"]
    told = {m["id"] for m in catalogue if "ova.decode/new" in m["caught_by"]}
    assert told == {*found["vectors"][0]["catches"]} != set()
    (copied / "mistakes.json").write_text('{"mistakes": []}', encoding="utf-8")
    assert build.main(["--check", "loss.hinge"]) == 1
    assert capsys.readouterr().out == (
        "written: ova.decode.json\nwritten: mistakes.json\ndiffers: mistakes.json\n"
    )


def test_a_run_as_a_program_ends_with_the_exit_code(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refmc.suite.build", "no.family"],
        capture_output=True, check=False, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.returncode == 2 and b"no.family" in done.stderr


@pytest.mark.parametrize(
    "id",
    ["svm.binary/two-rows-bounded", "tree.grow/xor", "boost.ada/labels"]
    + ["perceptron.multiclass/three-points", "sgd.multiclass/one-row", "boost.mh/signs"],
)
def test_other_right_answers_are_found(id: str) -> None:
    record = corpus.record_of(id)
    assert record["accept"] and build.remade(record) == record


def test_a_matrix_of_stated_rows_is_computed_from_them() -> None:
    record = dict(corpus.record_of("svm.binary/rbf-line"))
    assert build.remade({**record, "problem": {**record["problem"], "gram": []}}) == record


def test_a_vector_is_withdrawn_and_never_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    first, *others = corpus.records_of("bound.adaboost")
    monkeypatch.setattr(build, "records_of", lambda family: others[1:])
    gone = ", ".join(sorted([first["id"], others[0]["id"]]))
    with pytest.raises(ParameterError, match=f"^{gone}: withdraw a vector, don't remove it"):
        build.file_of("bound.adaboost")
    withdrawn = vector_from(build.remade({**first, "withdrawn": "It was wrong."}))
    assert withdrawn.withdrawn == "It was wrong." and "withdrawn" not in first
    monkeypatch.setattr(corpus, "vectors_of", lambda family: (withdrawn,))
    assert not [*vectors(family="bound.adaboost")] and vector_of(first["id"]) is withdrawn


def test_a_mistake_is_shown_by_its_shortest_problem_and_how_many_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    three = [*vectors(only="svm.binary/two-rows*")]
    for found, more in ((three, " and 2 more"), (three[:1], "")):
        monkeypatch.setattr(pages, "caught_by", lambda found=found: {"svm.C_over_m": found})
        assert mistake_lines("svm.C_over_m")[-1] == f"  shown by {three[0].id}{more}"


def test_the_page_and_the_file_of_mistakes_are_those_of_the_vectors() -> None:
    assert build.PAGE.read_text(encoding="utf-8") == mistakes_page()
    assert (FOLDER / "mistakes.json").read_text(encoding="utf-8") == mistakes_file()
    named = re.findall(r"^\| `([\w.]+\.\w+)` \| [^|●]", mistakes_page(), re.MULTILINE)
    assert named == [*MISTAKES]
