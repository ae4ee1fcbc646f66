"""The book beside the code can't go stale: its index and its errata name what exists."""

import ast
import importlib
import json
import re
from functools import cache
from pathlib import Path

import pytest

import refmc
from refmc import check, solve_problem
from refmc.answers import trace_problem
from refmc.core.records import write_json
from refmc.oracle.families import FAMILIES
from refmc.oracle.rows import recorded
from tests.support import ROOT, SPEC, format_examples, parsed, statements

TAG = re.compile(r"\[(?:lu|lecture5|keshet|karagiannis|chang)[ ,][^]]*\]")


ROW = re.compile(
    r"\| (?P<tag>\[(?P<lecture>\w+)[^|]*?\])\((?P<section>[^ |]*)\)"
    r" \| (?P<plain>[^|]*) \| (?P<fast>[^|]*) \| (?P<tests>[^|]*) \|"
)
"""A row of the index: an item, its plain programs, its fast functions, its tests."""


LU = (
    '"Multi-Class Classification Problem"',
    '"Multi-Class Classifiers – Mono-Label Case"',
    '"Margin of a Multi-Class Classifier – Mono-Label Case"',
    "Lemma 8.1",
    "Theorem 8.1",
    '"Kernel-Based Hypotheses for Multi-Class Classification"',
    "Proposition 8.1",
    "Corollary 8.1",
    '"A Generalization Guarantee of Kernel-Based Hypotheses for Multi-Class Classification"',
    '"Multi-Class Kernel-Based SVMs"',
    '"The Primal Problem for Multi-Class Kernel-Based SVM"',
    '"A Generalization of the Representer Theorem"',
    '"Reformulation of Primal Problem for Multi-Class Kernel-Based SVM"',
    '"Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"',
    '"Support Vectors"',
    '"Lagrangian Dual Function for Multi-Class Kernel-Based SVM"',
    '"Lagrangian Dual Problem for Multi-Class SVM"',
    '"Qualification of the Dual Problem"',
    '"Justification of Strong Duality for Multi-Class Kernel-Based SVM"',
    '"The Multi-Class Kernel-Based SVM Algorithm"',
    '"AdaBoost.MH : Multi-Class Hamming Loss"',
    '"The AdaBoost.MH Algorithm"',
    '"Definition 8.1: Binary Decision Trees"',
    '"Label Prediction by a Binary Decision Tree"',
    '"Training a Binary Decision Tree with a Greedy Algorithm"',
    '"Greedy Algorithm for Building a Binary Decision Tree"',
    '"Three Most Commonly Used Measures of Node Impurity"',
    '"Node Questions for Binary Decision Trees"',
    '"Issues of the Greedy Algorithm"',
    '"Training a Binary Decision Tree with a Grow-Then-Prune Strategy"',
)

LECTURE5 = (
    *(" §1", " §1.1", " (1)", " §1.1.1", " (2)", " (3)", " (4)", " (5)", " (6)", " (7)", " (8)"),
    *(" (9)", ', "Algorithm 1"', ', "General formulation"', " (10)", " (11)", " (12)", " (13)"),
    ', "Homework"',
)

KESHET = (
    *(', "Multiclass Classification"', " §1", " §1.1", " §1.2", " §1.3", " (1)", " (2)"),
    *(' §1.3, "Example"', " §2.1", " (3)", " (4)", " (5)–(7)", " §2.2", " §3", ' §3, "Example"'),
)

KARAGIANNIS = (  # 1 to 29 in its one sequence of Notes, Examples and a Problem; 30 states nothing
    *(", 1–5", ", 6–7", " §2.1, 8–11", ", Note 9", ", Note 10", ", Note 11", " §2.2, 12–14"),
    *(", Note 13", ", 15–17", " (3.1)", ", Example 18", " (3.2)", ", 19–20", " (3.3)", ", 21–22"),
    *(", Example 23", ", 24–26", " (3.4)", ", 27–28", ", Example 29"),
)

CHANG = (
    "Recall: The geometry of a linear classifier",
    "Max-margin classifiers",
    "Soft SVM",
    "Maximizing margin and minimizing loss",
    "Recap: support vector machines",
    "Match-up quiz",
    "The Hinge Loss",
    "General learning principle",
    "SVM objective function",
    "Stochastic gradient Descent",
    "Hinge loss is not differentiable!",
    "Sub-gradients",
    "Sub-gradient of the SVM objective",
    "Recap: The Perceptron Algorithm",
    "Perceptron vs. SVM",
    "Recap: Making data linearly separable",
    "Can we map data to very high dimensional space?",
    "Example: The Perceptron Algorithm",
    "Example: Perceptron Algorithm with Mapping",
    "Kernel Perceptron Algorithm",
    "Kernel SVM",
    "Dual SVM problem",
    "Decision function in Kernel SVM",
    "Support vectors",
    "Common choice of Kernels",
    "RBF Kernel",
    "What is multiclass",
    "Two key ideas to solve multiclass",
    "Reducing multiclass to binary",
    "One against all strategy",
    "One-again-All learning algorithm",
    "One-again-All Inference",
    "One-again-All analysis",
    "One v.s. One (All against All) strategy",
    "One-v.s-One learning algorithm",
    "One-v.s-One Inference algorithm",
    "Tournament",
    "Majority Vote",
    "One-v.s.-one Assumption",
    "Comparisons",
    "Still an ongoing research direction",
)

STATED = {
    "lu": tuple(f"[lu, {name}]" for name in LU),
    "lecture5": tuple(f"[lecture5{place}]" for place in LECTURE5),
    "keshet": tuple(f"[keshet{place}]" for place in KESHET),
    "karagiannis": tuple(f"[karagiannis{place}]" for place in KARAGIANNIS),
    "chang": tuple(f'[chang, "{title}"]' for title in CHANG),
}
"""The definitions, algorithms and statements of a lecture as tags, in its order."""


def index_rows() -> list[re.Match[str]]:
    """The rows of the tables, each below the heading of its lecture."""
    found: list[re.Match[str]] = []
    lecture = ""
    for line in (SPEC / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            lecture = line.removeprefix("## ")
        if lecture and line.startswith("| ["):
            row = ROW.fullmatch(line)
            assert row, f"not a row of the index; run python tests/relink.py: {line}"
            assert row["lecture"] == lecture, line
            found.append(row)
    assert len(found) > 100
    return found


def names(cell: str) -> list[str]:
    """What stands as code in a cell of the index."""
    return re.findall(r"`([^`]*)`", cell)


def tagged(folder: Path) -> dict[str, list[str]]:
    """For each tag the functions below the folder that have it in their docstrings."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.rglob("*.py")):
        for node in statements(parsed(file)):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                for tag in set(TAG.findall(" ".join((ast.get_docstring(node) or "").split()))):
                    found.setdefault(tag, []).append(f"{file.stem}.{getattr(node, 'name', '')}")
    return found


@cache
def names_in(file: str) -> frozenset[str]:
    text = (ROOT / file).read_text(encoding="utf-8")
    return frozenset(re.findall(r"^def (\w+)\(", text, re.MULTILINE))


def assert_test_exists(name: str) -> None:
    file, _, function = name.partition("::")
    assert function in names_in(file), name


def test_every_tag_in_a_docstring_stands_in_the_index_and_the_other_way_round() -> None:
    assert tagged(ROOT / "refmc").keys() == {row["tag"] for row in index_rows()}


def test_each_item_has_one_row_with_all_plain_programs_that_name_it() -> None:
    plain = tagged(ROOT / "refmc" / "lectures")
    rows = {row["tag"]: sorted(names(row["plain"])) for row in index_rows()}
    assert len(rows) == len(index_rows())
    assert {tag: found for tag, found in rows.items() if found} == {
        tag: sorted(found) for tag, found in plain.items()
    }


def test_the_tests_of_a_row_use_its_plain_programs() -> None:
    for row in index_rows():
        plain = {name for name in names(row["plain"])}
        if plain:
            used = set().union(
                *(uses(ROOT / name.split("::")[0], name) for name in names(row["tests"]))
            )
            assert plain <= used, f"{row['tag']}: no test uses {plain - used}"


LECTURES = ("lu", "lecture5", "keshet", "karagiannis", "chang")


def uses(file: Path, test: str) -> set[str]:
    """The functions of the lectures that a test calls, itself or by what it calls."""
    found: set[str] = set()
    waiting = [(file, test.split("::")[1])]
    while waiting:
        file, name = waiting.pop()
        if (full := f"{file.stem}.{name}") not in found:
            found.add(full)
            for part in ast.walk(defined(file).get(name, ast.Pass())):
                if isinstance(part, ast.Name):
                    waiting.append((file, part.id))
                elif isinstance(part, ast.Attribute) and ast.unparse(part.value) in LECTURES:
                    path = ROOT / "refmc" / "lectures" / f"{ast.unparse(part.value)}.py"
                    waiting.append((path, part.attr))
    return found


@cache
def defined(file: Path) -> dict[str, ast.AST]:
    """What a module defines at its top, and the names that it imports from the lectures."""
    found: dict[str, ast.AST] = {}
    for node in parsed(file).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Name):
                    found[target.id] = node
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("refmc.lectures."):
            for alias in node.names:
                lecture = str(node.module).rpartition(".")[2]
                found[alias.name] = ast.parse(f"{lecture}.{alias.name}")
    return found


@pytest.mark.parametrize("lecture", STATED)
def test_the_index_has_each_definition_algorithm_and_statement_in_order(lecture: str) -> None:
    tags = dict.fromkeys(row["tag"] for row in index_rows())
    assert tuple(tag for tag in tags if tag in STATED[lecture]) == STATED[lecture]


def test_every_function_of_the_index_exists() -> None:
    for row in index_rows():
        assert names(row["fast"]), row["tag"]
        for function in names(row["fast"]):
            parts = function.split(".")
            value: object = refmc
            for n, part in enumerate(parts):
                folder = SPEC.parent.joinpath("refmc", *parts[: n + 1])
                if folder.is_dir() or folder.with_suffix(".py").exists():
                    value = importlib.import_module(".".join(["refmc", *parts[: n + 1]]))
                else:
                    value = getattr(value, part)


def test_tags_of_the_index_lead_to_the_page_of_their_lecture_if_there_is_one() -> None:
    for row in index_rows():
        page = f"{row['lecture']}.md"
        if (SPEC / page).exists():
            assert row["section"].startswith(f"{page}#"), row["tag"]


def test_every_test_that_the_spec_names_exists() -> None:
    for row in index_rows():
        assert names(row["tests"]), row["tag"]
        for name in names(row["tests"]):
            assert_test_exists(name)
    errata = (SPEC / "errata.md").read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[^`]*)`", errata)
    assert named
    for name in named:
        assert_test_exists(name)


def test_every_erratum_names_a_test() -> None:
    text = (SPEC / "errata.md").read_text(encoding="utf-8")
    entries = re.findall(r"^\| (?!entry|--).*", text, re.MULTILINE)
    assert len(entries) > 60
    for entry in entries:
        assert "](../tests/" in entry, entry


def test_the_format_begins_with_all_families() -> None:
    text = (SPEC / "format.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[`([\w.]+)`\]\(#[\w-]+\) \|", text, re.MULTILINE)
    assert sorted(listed) == sorted(FAMILIES)


IRRATIONAL = {"loss.logistic", "bound.margin", "bound.kernel_margin", "bound.adaboost"}
"""Families whose examples have roots, logarithms or exponentials in them, written as decimals."""


def test_the_problems_and_answers_in_the_format_are_what_they_say() -> None:
    texts, families = format_examples(), set()
    for problem, answer in zip(texts[::2], texts[1::2], strict=True):
        family = json.loads(problem)["family"]
        gap = "1e-10" if family in IRRATIONAL else 0
        assert check(problem, answer, gap=gap).status == "VERIFIED", problem
        assert check(problem, solve_problem(problem), gap=gap).status == "VERIFIED", problem
        families.add(family)
    assert families == set(FAMILIES)


PROBLEMS = sorted(p for p in (SPEC / "examples").glob("*.json") if "." not in p.stem)


@pytest.mark.parametrize("path", PROBLEMS, ids=lambda path: path.stem)
def test_every_example_is_solved_judged_and_traced(path: Path) -> None:
    problem = path.read_text(encoding="utf-8")
    answer = json.loads(write_json(solve_problem(problem)))
    assert check(problem, answer, gap=0).status == "VERIFIED"
    rows = [json.dumps(recorded(row)) for row in trace_problem(problem)]
    assert len(rows) == len({*rows}) > 1
    assert len({tuple(json.loads(row)) for row in rows}) == 1, "the keys differ from row to row"
    section = (SPEC / "format.md").read_text(encoding="utf-8").partition("`refmc trace` prints")[2]
    assert all(f"`{key}`" in section for key in json.loads(rows[0])), "spec/format.md lacks a key"


def test_every_algorithm_has_an_example_and_so_have_losses_and_bounds() -> None:
    shown = {json.loads(path.read_text(encoding="utf-8"))["family"] for path in PROBLEMS}
    algorithms = {name for name in FAMILIES if not name.startswith(("loss.", "bound."))}
    assert algorithms < shown <= {*FAMILIES}
    assert {name.split(".")[0] for name in shown} == {name.split(".")[0] for name in FAMILIES}
