"""The plugin of pytest, in runs of pytest inside this one."""

import re
import subprocess
import sys

import pytest

from tests.support import ROOT, SPEC

pytest_plugins = ["pytester"]


@pytest.fixture(autouse=True)
def a_terminal_of_80_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """pytest draws its rules as wide as the environment says, and says more where CI is set."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv("BUILD_NUMBER", raising=False)


PLUGIN = ("-p", "refmc.pytest_plugin", "-p", "no:cacheprovider", "-p", "no:hypothesispytest")


def test_the_file_of_the_page_fails_with_its_verdict(pytester: pytest.Pytester) -> None:
    page = (SPEC / "python-tools.md").read_text(encoding="utf-8").partition("## pytest")[2]
    file = re.findall(r"^```py\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[0]
    pytester.makepyfile(test_mine=file)
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(failed=2)
    printed = "\n".join(result.stdout.lines)
    assert "my_svm(PROBLEM))\nE       REFUTED  svm.binary  2 rows" in printed
    assert "E         gap      5/8 (6.2e-1)" in printed
    assert "E         worst    row 0: margin 1/2, needs 1\n" in printed


def test_verdicts_are_shown_where_they_are_asserted_and_nowhere_else(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import refmc

        PROBLEM = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
        WRONG, RIGHT = {"w": ["1/2"], "b": 0}, {"w": [1], "b": 0}

        def test_named():
            verdict = refmc.check(PROBLEM, WRONG)
            assert verdict, "a message of its own"

        def test_of_something_else():
            verdict = refmc.check(PROBLEM, WRONG)
            assert verdict.gap == 2

        def test_right():
            assert refmc.check(PROBLEM, RIGHT) and not refmc.check(PROBLEM, WRONG)
        """
    )
    result = pytester.runpytest_inprocess(*PLUGIN)
    result.assert_outcomes(passed=1, failed=2)
    assert sum("REFUTED  svm.binary" in line for line in result.stdout.lines) == 1


def test_a_mark_chooses_the_vectors_and_known_failures_are_excused(
    pytester: pytest.Pytester,
) -> None:
    pytester.makepyfile(
        """
        import pytest, refmc

        @pytest.mark.refmc("svm.binary/two-rows", "tree.grow/xor")
        def test_mine(refmc_suite):
            answer = {"w": ["1/2"], "b": 0}
            if refmc_suite.vector.family == "tree.grow":
                answer = refmc.solve_problem(refmc_suite.problem)
            assert refmc_suite.judge(answer)
        """
    )
    known = pytester.makefile(
        ".json", known='{"svm.binary/two-rows": "half of it", "tree.grow/xor": "gone"}'
    )
    failing = pytester.runpytest_inprocess(*PLUGIN, "-v", "--refmc-report=r.html")
    failing.assert_outcomes(passed=1, failed=1)
    failing.stdout.fnmatch_lines(
        ["*test_mine[[]svm.binary/two-rows] FAILED*", "*test_mine[[]tree.grow/xor] PASSED*"]
    )
    page = (pytester.path / "r.html").read_text(encoding="utf-8")
    assert "<h1>refmc: exit code 1</h1>" in page and "tree.grow/xor" in page
    excused = pytester.runpytest_inprocess(*PLUGIN, f"--refmc-known={known}", "-rx")
    excused.assert_outcomes(failed=1, xfailed=1)
    excused.stdout.fnmatch_lines(
        ["*right, but known as a failure (gone): take it off the list", "*half of it*"]
    )


@pytest.mark.parametrize(
    ("line", "function", "message"),
    [
        ("@pytest.mark.refmc('svm.binary/none')", "test(refmc_suite)", "no vector fits svm.binary"),
        ("@pytest.mark.refmc('svm.binary/two-rows')", "test()", "of tests that take refmc_suite"),
    ],
)
def test_marks_that_would_run_nothing_are_refused(
    pytester: pytest.Pytester, line: str, function: str, message: str
) -> None:
    pytester.makepyfile(f"import pytest\n{line}\ndef {function}:\n    pass\n")
    result = pytester.runpytest_inprocess(*PLUGIN)
    assert result.ret != 0
    result.stdout.fnmatch_lines([f"*{message}*"])


def test_whoever_does_not_use_it_imports_nothing_else_of_refmc() -> None:
    code = (
        "import sys, refmc.pytest_plugin; print(sorted(m for m in sys.modules if m[:5] == 'refmc'))"
    )
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    always = "'refmc', 'refmc.drawn'"  # which is told there how to draw
    assert found.stdout.strip() == f"[{always}, 'refmc.pytest_plugin']"
