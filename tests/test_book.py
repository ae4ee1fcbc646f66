"""What the pages of the book show is what happens, and what they link to exists."""

import contextlib
import doctest
import io
import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.support import ROOT, SPEC, run

PAGES = sorted(SPEC.glob("*.md"))
RELINK = runpy.run_path(str(ROOT / "tests" / "relink.py"))

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def read(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    """The anchors that code hosts give to headings: words in lower case, joined by hyphens."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text).lower().replace(" ", "-") for text in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_to_lines_of_code_lead_there(page: Path) -> None:
    text = read(page)
    assert RELINK["mended"](text) == text, f"{page.name}: run python tests/relink.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_rows_of_tables_have_as_many_cells_as_their_heads(page: Path) -> None:
    for table in re.findall(r"(?:^\|.*\n)+", BLOCK.sub("", read(page)), re.MULTILINE):
        head, *rows = [len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()]
        assert all(cells == head for cells in rows), table  # in code, too, a cell ends at a bare |


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_and_pictures_lead_to_files_and_headings_that_exist(page: Path) -> None:
    text = CODE.sub("", BLOCK.sub("", read(page)))  # a[i](x) in code is no link
    for target, anchor in LINK.findall(text):
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor in anchors(file), f"{target}#{anchor}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_python_examples_print_what_is_shown(page: Path) -> None:
    text = read(page)
    names: dict[str, Any] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.REPORT_ONLY_FIRST_FAILURE)
    for block in BLOCK.finditer(text):
        if block[1] == "python":
            line = text[: block.start(2)].count("\n")
            test = doctest.DocTestParser().get_doctest(block[2], names, page.name, str(page), line)
            assert test.examples, f"{page.name}, line {line}: an example without >>> proves nothing"
            test.globs = names  # one page, one session
            report = io.StringIO()
            runner.run(test, out=report.write, clear_globs=False)
            assert not report.getvalue(), report.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_is_shown(page: Path) -> None:
    blocks = [(block[1], block[2]) for block in BLOCK.finditer(read(page))]
    for (language, command), (shown_as, shown) in zip(blocks, [*blocks[1:], ("", "")]):
        if language == "sh":
            assert shown_as == "", f"{page.name}: show what {command!r} prints behind it"
            assert printed(command) == shown, command


def printed(command: str) -> str:
    """What `python -m refmc …` prints on standard output."""
    words = shlex.split(command)
    assert words[:3] == ["python", "-m", "refmc"], command
    with contextlib.chdir(ROOT):
        done = run(*words[3:])
    assert done.stderr == "", done.stderr
    return done.stdout


def test_mending_finds_the_nearest_line_that_holds_the_code_and_refuses_where_there_is_none() -> (
    None
):
    lines = (ROOT / "tests" / "relink.py").read_text(encoding="utf-8").splitlines()
    returns = [n for n, line in enumerate(lines, 1) if line.strip() == "return failed"]
    assert len(returns) == 1
    page = "| 7 | [`return failed`](../tests/relink.py#L{}) |"
    assert RELINK["mended"](page.format(1)) == page.format(returns[0])
    both = [n for n, line in enumerate(lines, 1) if "def _with" in line]
    page = "[`def _with`](../tests/relink.py#L{})"
    assert [RELINK["mended"](page.format(n)) for n in (1, 999)] == [page.format(n) for n in both]
    with pytest.raises(ValueError, match=r"no line of tests/relink.py holds"):
        RELINK["mended"](r"[`return \|nothing`](../tests/relink.py#L3)")


def test_mending_leads_to_the_functions_of_the_lecture_files() -> None:
    lines = (ROOT / "refmc" / "lectures" / "lu.py").read_text(encoding="utf-8").splitlines()
    for name, head in (("svm", "def svm("), ("F", "def F("), ("Log", "class Log:")):
        page = f"[`lu.{name}`](../refmc/lectures/lu.py#L{{}})"
        assert RELINK["mended"](page.format(1)) == page.format(
            lines.index(next(line for line in lines if line.startswith(head))) + 1
        )
    with pytest.raises(ValueError, match=r"no line of refmc/lectures/lu.py holds"):
        RELINK["mended"]("[`lu.nothing`](../refmc/lectures/lu.py#L1)")


def test_mending_links_the_names_of_an_index_row() -> None:
    row = (
        '| [lu, "X"] | – | `core.ties.first`, `core.ties.last` '
        "| `tests/core/test_ties.py::test_x` |"
    )
    linked = (
        '| [lu, "X"] | – | [`core.ties.first`](../refmc/core/ties.py), '
        "[`core.ties.last`](../refmc/core/ties.py) "
        "| [`tests/core/test_ties.py::test_x`](../tests/core/test_ties.py) |"
    )
    assert RELINK["mended"](row) == linked
    assert RELINK["mended"](linked.replace("core/ties", "core/logs")) == linked
