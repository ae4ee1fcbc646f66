"""The text of exported files: names of all kinds, what rows are refused, what can't be exported."""

import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from fractions import Fraction as F
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

import refmc
from refmc import export_model
from tests.export.machines import WARNINGS, need, need_node
from tests.export.zoo import KINDS, drawn
from tests.support import ROOT, few_calls_deep

HOSTILE = [
    'a"b', "back\\slash", "*/ int x; /*", "??/ ??= ??'", "</script>", "<!--", "new\nline\r\n",
    "日本語", "🙂", "\u2028", "%d %s", "$name ${K}", "=== always", "// x", "# coding: latin-1", "",
]  # fmt: skip


def module_of(text: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    exec(text, found)  # noqa: S102  # a test's own program
    return found


@cache
def hostile_tree() -> Any:
    X = [[F(i), name] for i, name in enumerate(HOSTILE)]
    return refmc.grow_tree(X, HOSTILE, candidates=None)


def hostile_text(to: str) -> str:
    return export_model(hostile_tree(), to, name="m", columns=["*/ ??/ </script>\n", "b\\"])


def test_names_of_all_kinds_stay_what_they_are_in_python() -> None:
    text = hostile_text("python")
    assert text.isascii()
    module = module_of(text)
    assert module["CLASSES"] == sorted(HOSTILE)
    assert [module["predict"]([i, name]) for i, name in enumerate(HOSTILE)] == HOSTILE


def test_names_of_all_kinds_stay_what_they_are_in_javascript(tmp_path: Path) -> None:
    need_node()
    text = hostile_text("javascript")
    assert text.isascii()
    assert "</script>" not in text
    assert "<!--" not in text
    (tmp_path / "m.mjs").write_text(text, encoding="ascii")
    rows = json.dumps([[i, name] for i, name in enumerate(HOSTILE)])
    script = f'import {{predict}} from "./m.mjs"; console.log(JSON.stringify({rows}.map(predict)))'
    (tmp_path / "run.mjs").write_text(script, encoding="ascii")
    said = subprocess.check_output(["node", "run.mjs"], cwd=tmp_path, text=True)
    assert json.loads(said) == HOSTILE


PRINT_NAMES = r"""
#include <stdio.h>
#include "m.c"
int main(void) {
    int i;
    for (i = 0; i < K; i++) fwrite(m_classes[i], 1, strlen(m_classes[i]) + 1, stdout);
    return m_category(1, "back\\slash") < 0 || m_category(1, "no") != -1;
}
"""


@pytest.mark.parametrize("options", ["", f"{WARNINGS} -trigraphs"])
def test_names_of_all_kinds_stay_what_they_are_in_c(options: str, tmp_path: Path) -> None:
    need("gcc")
    text = hostile_text("c")
    assert text.isascii()
    (tmp_path / "m.c").write_text(text, encoding="ascii")
    (tmp_path / "run.c").write_text(PRINT_NAMES, encoding="ascii")
    line = f"gcc {options} run.c -o run && ./run"
    said = subprocess.check_output(line, shell=True, cwd=tmp_path)
    assert said.decode().split("\0")[:-1] == sorted(HOSTILE)


def test_a_nul_is_refused_for_c_alone() -> None:
    tree = refmc.grow_tree([[1], [2]], ["a\0", "b"])
    with pytest.raises(refmc.ParameterError, match="has a NUL or half a character"):
        export_model(tree, "c")
    assert module_of(export_model(tree, "python"))["predict"]([1]) == "a\0"
    named = refmc.grow_tree([["p\0"], ["q" * 1_000 + "\ud800"]], ["a", "b"])
    with pytest.raises(refmc.ParameterError, match="has a NUL or half a character") as caught:
        export_model(named, "c")
    assert len(str(caught.value)) < 200
    assert module_of(export_model(named, "python"))["predict"](["p\0"]) == "a"


def test_labels_keep_their_types() -> None:
    for labels in ([1, 2], [2**60, 2**60 + 1], [False, True], ["1", "2"]):
        tree = refmc.grow_tree([[1], [2]], labels)
        assert module_of(export_model(tree, "python"))["predict"]([1]) is labels[0] or isinstance(
            labels[0], (int, str)
        )
        assert module_of(export_model(tree, "python"))["CLASSES"] == labels
    assert "[1152921504606846976n, 1152921504606846977n]" in export_model(
        refmc.grow_tree([[1], [2]], [2**60, 2**60 + 1]), "javascript"
    )
    with pytest.raises(refmc.ParameterError, match="classes: .* give texts or whole numbers"):
        export_model(refmc.grow_tree([[1], [2]], [0.5, 1.5]), "python")


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ([1.0], ValueError, "expected 2 values, got 1"),
        ([1.0, "p", 2.0], ValueError, "expected 2 values, got 3"),
        ([float("nan"), "p"], ValueError, "column 0: expected a finite float, got nan"),
        ([float("-inf"), "p"], ValueError, "column 0: expected a finite float, got -inf"),
        ([10**400, "p"], ValueError, "column 0: expected a finite float"),
        ([2**53 + 1, "p"], ValueError, "column 0: expected a finite float"),
        (["1", "p"], TypeError, "column 0: expected a number"),
        ([1.0, 2.0], TypeError, "column 1: expected a string"),
    ],
)
def test_bad_rows_are_refused_in_python(row: Any, error: Any, message: str) -> None:
    tree = refmc.grow_tree([[1, "p"], [2, "q"]], ["a", "b"])
    with pytest.raises(error, match=message):
        module_of(export_model(tree, "python"))["predict"](row)


BAD_ROWS = """
import { predict, predictSet } from "./m.mjs";
const values = [NaN, Infinity, "1", 1n, null, undefined];
const rows = [[1], [1, "p", 2], ...values.map((v) => [v, "p"]), [1, 2], [1]];
for (const row of rows) for (const said of [predict, predictSet]) {
  let found = "taken";
  try { said(row); } catch (error) { found = error.name + ": " + error.message; }
  console.log(found);
}
"""


def test_bad_rows_are_refused_in_javascript(tmp_path: Path) -> None:
    need_node()
    tree = refmc.grow_tree([[1, "p"], [2, "q"]], ["a", "b"])
    (tmp_path / "m.mjs").write_text(export_model(tree, "javascript"), encoding="ascii")
    (tmp_path / "run.mjs").write_text(BAD_ROWS, encoding="ascii")
    said = subprocess.check_output(["node", "run.mjs"], cwd=tmp_path, text=True).splitlines()
    lengths = [f"RangeError: expected 2 values, got {n}" for n in (1, 3)]
    number = "TypeError: column 0: expected a finite number"
    string = "TypeError: column 1: expected a string"
    expected = [*lengths, *[number] * 6, string, lengths[0]]
    assert said == [message for message in expected for _ in range(2)]


def test_bad_rows_are_refused_in_c(tmp_path: Path) -> None:
    need("gcc")
    tree = refmc.grow_tree([[1, "p"], [2, "q"], [1, "q"]], ["a", "b", "a"])
    (tmp_path / "m.c").write_text(export_model(tree, "c", name="m"), encoding="ascii")
    cells = [
        "NAN, 0",
        "INFINITY, 0",
        "-INFINITY, 1",
        "1, 2",
        "1, 0.5",
        "1, NAN",
        "1, 1e300",
        "1, 1e-310",
    ]
    rows = ", ".join(f"{{{cell}}}" for cell in cells)
    (tmp_path / "run.c").write_text(
        f"#include <math.h>\n#include <stdio.h>\n#include \"m.c\"\nint main(void) {{\n"
        f"    double rows[][2] = {{{rows}}}, good[2] = {{1, -0.0}}, unseen[2] = {{1, -7}};\n"
        "    int i, set[K], wrong = 0;\n"
        f"    for (i = 0; i < {len(cells)}; i++)\n"
        "        wrong += m_predict(rows[i]) != -1 || m_predict_set(rows[i], set) != -1;\n"
        "    return wrong + (m_predict(good) != 0) + (m_predict(unseen) < 0);\n}\n"
    )  # fmt: skip
    subprocess.check_call("gcc run.c -o run -lm && ./run", shell=True, cwd=tmp_path)


def test_a_tree_a_thousand_questions_deep_is_exported(tmp_path: Path) -> None:
    X = [[F(i)] for i in range(1_000)]
    y = [i % 2 for i in range(1_000)]
    tree = refmc.grow_tree(X, y)
    with few_calls_deep(120):
        text = export_model(tree, "python")
    predict = module_of(text)["predict"]
    assert [predict([float(i)]) for i in range(1_000)] == y


X, Y = [[F(0)], [F(2)], [F(4)]], ["a", "b", "c"]
SVM = partial(refmc.fit_binary_svm, C=1)
ADA = partial(refmc.fit_adaboost, rounds=2)
CODE = refmc.exhaustive_code(3)
PAIR = [[0.0], [1.0]]
WIDE = [[F(j) for j in range(90)], [F(-1)] * 90]
IDENTITY = [[1.0, 0.0], [0.0, 1.0]]


def in_turn(*learners: Any) -> Any:
    """A binary learner that is another one for each problem."""
    waiting = list(learners) * 2
    return lambda X, y: waiting.pop(0)(X, y)


REFUSED: dict[str, Callable[[], Any]] = {
    "kernel: RBF": lambda: SVM(PAIR, [-1, 1], kernel=refmc.rbf(1)),
    "gram: a matrix": lambda: SVM(None, [-1, 1], gram=IDENTITY),
    "decoding by exponential can't be exported; take Hamming's": lambda: refmc.fit_output_code(
        X, Y, SVM, CODE, loss=refmc.exponential
    ),
    "decoding by logistic can't": lambda: refmc.fit_output_code(
        X, Y, SVM, CODE, loss=refmc.logistic
    ),
    "train a label tree": lambda: refmc.fit_one_against_some(X, Y, SVM, candidates=2),
    "decide: a function of": lambda: refmc.fit_one_vs_all(X, Y, SVM, decide=lambda s: (0,)),
    "decide: a function": lambda: refmc.fit_one_vs_one(X, Y, SVM, decide=lambda w, a: (0,)),
    "binary problem 0: ": lambda: refmc.fit_one_vs_all(X, Y, lambda X, y: lambda x: x[0]),
    "train with average=": lambda: refmc.fit_multiclass_perceptron(X, Y, voted=True),
    "target: of label sets": lambda: refmc.fit_adaboost_mh(X, [{"a"}, {"b"}, {"a"}], rounds=1),
    "tie: expected first, last, refuse": lambda: refmc.grow_tree(X, Y, tie=lambda tied: tied[0]),
    "degree 3 of 90 columns has more than 2000 monomials": lambda: SVM(
        WIDE, [-1, 1], kernel=refmc.polynomial(3)
    ),
    "binary: sums of votes and of columns": lambda: refmc.fit_one_vs_all(
        X, Y, in_turn(refmc.fit_perceptron, partial(refmc.fit_perceptron, voted=True))
    ),
    "alpha: numbers beside so many logarithms": lambda: refmc.fit_one_vs_all(
        X + X, Y + [*"bca"], in_turn(ADA, partial(refmc.fit_perceptron, voted=True))
    ),
    "a sum of exact logarithms and other numbers": lambda: refmc.fit_one_vs_one(
        [[F(i)] for i in range(6)], [*"abacbc"], ADA, decide=refmc.by_score_sum
    ),
    "can't be exported; known are DecisionTreeClassifier": object,
}


@pytest.mark.parametrize("message", REFUSED)
def test_what_cannot_be_exported_is_refused_by_name(message: str) -> None:
    with pytest.raises(refmc.RefmcError) as caught:
        export_model(REFUSED[message](), "python")
    assert message in str(caught.value)


@pytest.mark.parametrize("kind", KINDS)
def test_every_model_exports_itself(kind: str) -> None:
    model, _ = drawn(kind, 1)
    settings: Any = {"name": "n", "tie": "last"}
    assert model.export("c", **settings) == export_model(model, "c", **settings)


def test_a_model_that_has_no_export_says_what_to_use() -> None:
    model = refmc.fit_one_against_some(X, Y, SVM, candidates=2)
    with pytest.raises(refmc.ParameterError, match="train a label tree"):
        model.export(to="c")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"to": "rust"}, "to: expected c, javascript, python, got 'rust'"),
        ({"rows": "halves"}, "rows: expected decimals, doubles, float32"),
        ({"tie": "random"}, "tie: expected first, last, refuse"),
        ({"columns": ["a", "b"]}, "columns: expected 1, got 2"),
        ({"name": "a b"}, "name: 'a b' can't name functions or modules"),
        ({"to": ["c"]}, "to: expected c, javascript, python, got \\['c'\\]"),
        ({"tie": 3}, "tie: expected first, last, refuse, got 3"),
        ({"name": 3}, "name: '3' can't name functions"),
        ({"decimals": "2"}, "decimals: expected 0 to 300"),
        ({"decimals": 1.5}, "decimals: expected 0 to 300"),
        ({"decimals": 0, "rows": "decimals"}, "decimals: expected 0 to 300, without rows"),
        ({"quick": True}, "quick: belongs to C"),
        ({"to": "c", "quick": True}, "quick: belongs to sums of columns"),
    ],
)
def test_unknown_settings_are_refused(settings: Any, message: str) -> None:
    with pytest.raises(refmc.ParameterError, match=message):
        export_model(refmc.grow_tree(X, Y), **({"to": "python"} | settings))
    svm = refmc.fit_multiclass_svm(X, Y, C=1)
    with pytest.raises(refmc.ParameterError, match="rows: float32 is for questions"):
        export_model(svm, "c", rows="float32")


@pytest.mark.parametrize("name", ["iris.v2", "2nd", "é", "a-b", "", "class"])
def test_a_name_matters_where_functions_or_modules_have_it(name: str) -> None:
    tree = refmc.grow_tree(X, Y)
    for to in ("c", "python"):
        with pytest.raises(refmc.ParameterError, match="can't name functions or modules; take"):
            export_model(tree, to, name=name)
    assert export_model(tree, "javascript", name=name) == export_model(tree, "javascript")


def test_thresholds_are_those_of_what_rows_stand_for() -> None:
    tree = refmc.grow_tree([[F(1, 10)], [F(2, 10)]], ["a", "b"])
    predict = {
        rows: module_of(export_model(tree, "python", rows=rows))["predict"]
        for rows in ("decimals", "doubles", "float32")
    }
    assert 0.1 > F(1, 10)  # so that as itself the double is above the threshold
    assert [predict[rows]([0.1]) for rows in predict] == ["a", "b", "b"]
    single = 0.10000000149011612  # the single next to 1/10, which is above it
    assert predict["doubles"]([0.09999999999999999]) == "a"
    assert predict["float32"]([0.09999999999999999]) == "b"
    assert predict["float32"]([single - 2**-27]) == "a"


def test_the_head_says_that_a_float_model_rounds_and_that_ties_of_decimals_are_lost() -> None:
    exact = refmc.fit_multiclass_svm(X, Y, C=1)
    rounded = refmc.fit_multiclass_svm([[0.0], [2.0], [4.0]], Y, C=1)
    assert "A tie of decimals may be none" in export_model(exact, "c")
    assert "The trained model itself rounds its sums" in export_model(rounded, "c")
    assert "10^2 times the model's" in export_model(exact, "c", decimals=2)


def test_scaled_rows_keep_ties_of_decimals() -> None:
    rows = [[F(1, 10), F(2, 10)], [F(3, 10), F(1, 10)], [F(-1), F(0)]]
    model = refmc.fit_multiclass_perceptron(rows, Y)
    scaled = module_of(export_model(model, "python", decimals=1))["predict_set"]
    for i in range(-6, 7):
        for j in range(-6, 7):
            assert scaled([i, j]) == model.predict_set([F(i, 10), F(j, 10)])


def test_templates_are_read_from_a_zip_file(tmp_path: Path) -> None:
    archive = tmp_path / "refmc.zip"
    with zipfile.ZipFile(archive, "w") as zipped:
        for file in sorted((ROOT / "refmc").rglob("*")):
            if file.is_file() and "vectors" not in file.parts and "__pycache__" not in file.parts:
                zipped.write(file, file.relative_to(ROOT))
    program = (
        "import refmc; print(refmc.__file__);"
        "print(refmc.export_model(refmc.grow_tree([[1], [2]], ['a', 'b']), 'javascript'))"
    )
    line, environment = [sys.executable, "-c", program], {"PYTHONPATH": str(archive)}
    said = subprocess.check_output(line, cwd=tmp_path, env=environment, text=True)
    assert said.startswith(str(archive))
    assert "export const predict" in said
