"""The self-test beside an exported file passes, and fails for every mutant of the file."""

import subprocess
from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from refmc import (
    export_model,
    fit_adaboost_mh,
    fit_binary_svm,
    fit_multiclass_perceptron,
    fit_multiclass_svm,
    fit_one_vs_one,
    grow_tree,
)
from refmc.export import tables, whole
from refmc.export.exporting import predictor_of, self_test, text_of
from refmc.export.tables import tables_of
from refmc.export.writing import LANGUAGES
from tests.export.machines import need, need_node, oldest_python
from tests.export.zoo import KINDS, drawn
from tests.support import table

RUN = {
    "c": "gcc -std=c99 -Wall -Wextra -Werror -pedantic -O1 -o t m_test.c && ./t",
    "javascript": "node m_test.mjs",
}


def said(folder: Path, to: str, text: str, test: str) -> str:
    """What the self-test of a text prints."""
    suffix = LANGUAGES[to].ending
    (folder / f"m.{suffix}").write_text(text, encoding="ascii")
    (folder / f"m_test.{suffix}").write_text(test, encoding="ascii")
    line = RUN.get(to) or f"{oldest_python()} m_test.py"
    done = subprocess.run(line, cwd=folder, shell=True, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr[:2000]
    last = done.stdout.splitlines()[-1]
    right, whole_number = last.split()[0], last.split()[2]
    assert last == f"{right} of {whole_number} labels agree"
    assert (done.returncode == 0) == (right == whole_number)
    return last


def made(model: Any, to: str, data: Any = None, **settings: Any) -> tuple[str, str]:
    """The file and its self-test."""
    given = {"name": "m", "rows": None, "decimals": None, "tie": None} | settings
    found = tables_of(predictor_of(model, ()), **given)
    return text_of(found, to), self_test(found, to, f"m.{LANGUAGES[to].ending}", model, data)


def agrees(line: str) -> bool:
    return line.split()[0] == line.split()[2]


@pytest.mark.parametrize("kind", list(KINDS)[::5])
def test_the_self_test_in_c_passes(kind: str, tmp_path: Path) -> None:
    need("gcc")
    model, base = drawn(kind, 7)
    assert agrees(said(tmp_path, "c", *made(model, "c", base)))


@pytest.mark.parametrize("to", ["javascript", "python"])
@pytest.mark.parametrize("kind", ["mixed tree", "adaboost-mh", "multiclass svm"])
def test_the_self_test_of_a_script_passes(kind: str, to: str, tmp_path: Path) -> None:
    if to == "javascript":
        need_node()
    model, base = drawn(kind, 8)
    assert agrees(said(tmp_path, to, *made(model, to, base)))


@pytest.mark.parametrize("tie", ["first", "last", "refuse"])
@pytest.mark.parametrize("decimals", [None, 0, 3])
def test_policies_and_scaled_rows_are_tested_too(
    decimals: int | None, tie: str, tmp_path: Path
) -> None:
    need("gcc")
    for kind in ("mixed tree", "multiclass sgd"):
        model, base = drawn(kind, 9)
        pair = made(model, "c", base, tie=tie, decimals=decimals)
        assert agrees(said(tmp_path, "c", *pair))


@pytest.mark.parametrize("file", ["iris.v2.mjs", 'it\'s 100% "x" #1?.mjs', "é.mjs"])
def test_a_module_in_a_file_of_any_name_is_tested(file: str, tmp_path: Path) -> None:
    need_node()
    model, base = drawn("tree", 7)
    found = tables_of(predictor_of(model, ()), file[:-4], None, None, None)
    (tmp_path / file).write_text(text_of(found, "javascript"), encoding="ascii")
    test = self_test(found, "javascript", file, model, base)
    (tmp_path / "test.mjs").write_text(test, encoding="ascii")
    line = ["node", "test.mjs"]
    assert agrees(subprocess.check_output(line, cwd=tmp_path, text=True).strip())


def iris(read: Any, step: int = 5) -> tuple[Any, Any]:
    X, y = table("iris.csv", read)
    return X[::step], y[::step]


SVM = partial(fit_binary_svm, C=1)
MODELS: dict[str, Callable[[], Any]] = {
    "tree": lambda: grow_tree(*iris(Fraction, 1)),
    "categories": lambda: grow_tree(*table("lenses.csv", str)),
    "boosting": lambda: fit_adaboost_mh(*iris(Fraction), rounds=4),
    "float svm": lambda: fit_multiclass_svm(*iris(float), C=1),
    "perceptron": lambda: fit_multiclass_perceptron(*iris(Fraction)),
    "bias": lambda: fit_one_vs_one(*iris(Fraction), binary=SVM),
}


@cache
def exported(name: str, to: str) -> tuple[Any, str, str]:
    """A model, its file, and its self-test."""
    model = MODELS[name]()
    return model, *made(model, to)


REPLACED = {  # the model, the language, what stands in the file, and what a mutant has instead
    "strict": ("tree", "c", "<= at ? 1", "< at ? 1"),
    "a tie the other way": ("perceptron", "c", "-1 : set[0]", "-1 : set[n - 1]"),
    "ties lost": ("perceptron", "c", "if (s >= 0) set[found++]", "if (s > 0) set[found++]"),
    "unseen says no": ("categories", "c", "s = s < 0 ? 0 : member", "s = s < 0 ? -1 : member"),
    "votes the other way": ("boosting", "c", "if (s > 0) found = 0", "if (s < 0) found = 0"),
    "a piece lost": ("float svm", "c", "if (shift % 32) add(to + 2", "if (0) add(to + 2"),
    "a carry lost": ("float svm", "c", "carry >>= 32", "carry = 0"),
    "denormals off by one": ("float svm", "c", "2047) - 1 : 0", "2047) : 0"),
    "a sign lost": ("bias", "c", "if (bits >> 63) s = -s", "if (0) s = -s"),
    "strict in Python": ("tree", "python", "x[j] <= at", "x[j] < at"),
    "no ties in Python": ("perceptron", "python", "scores[c] == most]", "scores[c] == most][:1]"),
    "one way in Python": ("categories", "python", "else {no, yes}", "else {no}"),
    "the last in Python": ("perceptron", "python", "return labels[0]", "return labels[-1]"),
}


@pytest.mark.parametrize("mutant", REPLACED)
def test_every_mutant_of_a_template_is_seen(mutant: str, tmp_path: Path) -> None:
    need("gcc")
    name, to, old, new = REPLACED[mutant]
    _, text, test = exported(name, to)
    assert old in text
    assert agrees(said(tmp_path, to, text, test))
    assert not agrees(said(tmp_path, to, text.replace(old, new), test))


def strict(cut: Any, rows: str, unit: Fraction) -> float:
    return whole.cut_at(cut._replace(strict=True), rows, unit)


def of_doubles(cut: Any, rows: str, unit: Fraction) -> float:
    return whole.cut_at(cut, "doubles", unit)


def fewer_bits(bits: int, *arguments: Any) -> Any:
    scores = whole.whole_scores(*arguments)
    return [{term: int(Fraction(w, 2**bits)) for term, w in score.items()} for score in scores]


def no_units(predictor: Any, scores: Any, present: Any, unit: Fraction) -> Any:
    return whole.whole_scores(predictor, scores, present, 2 * unit)


GENERATORS = {  # the model, a function of the generator, and what a mutant has instead
    "strict thresholds": ("tree", "cut_at", strict),
    "the largest double that is below": ("tree", "cut_at", of_doubles),
    "a bit fewer": ("perceptron", "whole_scores", partial(fewer_bits, 1)),
    "a few bits fewer": ("float svm", "whole_scores", partial(fewer_bits, 6)),
    "too few bits for the votes": ("boosting", "whole_scores", partial(fewer_bits, 9)),
    "other units": ("bias", "whole_scores", no_units),
}


@pytest.mark.parametrize("mutant", GENERATORS)
def test_every_mutant_of_the_generator_is_seen(
    mutant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, function, other = GENERATORS[mutant]
    model, _, test = exported(name, "python")
    monkeypatch.setattr(tables, function, other)
    text = export_model(model, "python", name="m")
    assert not agrees(said(tmp_path, "python", text, test))
