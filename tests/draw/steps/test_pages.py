"""The pages that step through runs: what they hold, and that a browser can step through them."""

import json
import re
from functools import cache
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, given, settings

from refmc.answers import trace_problem
from refmc.draw.pictures import draw_problem
from refmc.draw.steps.page import MOST_RUNS, frames_of
from refmc.draw.steps.story import read_story
from refmc.draw.steps.views import LECTURES, STORIES, book, by_family, step_page, view_of
from refmc.errors import FormatError
from refmc.oracle.families import FAMILIES
from refmc.strategies import problems
from tests.support import run

SPEC = Path(__file__).parents[3] / "spec"
EXAMPLES: dict[str, dict[str, Any]] = {
    n: {**p} for story in map(read_story, STORIES) for n, p in story.examples.items()
}
XOR: dict[str, Any] = {
    "family": "tree.grow",
    "X": [[0, 0], [0, 1], [1, 0], [1, 1]],
    "y": ["a", "b", "b", "c"],
}


@cache
def whole_book() -> dict[str, str]:
    return dict(book())


def page_of(name: str) -> str:
    return whole_book()[f"{name}.html"]


class Page(HTMLParser):
    """The elements of a page: their names, attributes and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.sections: dict[str, str] = {}
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "section":
            self.sections[dict(attrs)["id"] or ""] = ""

    def handle_data(self, data: str) -> None:
        if self.sections:
            last = [*self.sections][-1]
            self.sections[last] += data


@pytest.mark.parametrize("story", STORIES)
def test_the_lines_of_a_page_are_those_of_the_lectures_page_in_spec(story: str) -> None:
    read = read_story(story)
    text = (SPEC / read.page).read_text(encoding="utf-8")
    lines = "\n".join(read.lines)
    assert f"```text\n{lines}\n```\n" in text


@pytest.mark.parametrize("story", STORIES)
def test_every_line_is_done_in_some_step_or_frames_others(story: str) -> None:
    read = read_story(story)
    numbers = [line.split()[0] for line in read.lines]
    assert numbers == [str(n) for n in range(1, len(numbers) + 1)]
    done = {number for step in read.steps for number in step.lines.split()}
    left = [line for line in read.lines if line.split()[0] not in done]
    assert done <= {*numbers} and all("return" in line for line in left), left


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_those_of_spec(name: str) -> None:
    assert EXAMPLES[name] == json.loads((SPEC / "examples" / f"{name}.json").read_text("utf-8"))


def test_every_family_with_a_page_has_an_example_and_the_others_say_so() -> None:
    assert {problem["family"] for problem in EXAMPLES.values()} == by_family().keys()
    for family in FAMILIES.keys() - by_family().keys():
        with pytest.raises(
            FormatError, match=r"has no page that steps; these have one: svm\.multiclass"
        ):
            step_page({"family": family})


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_is_whole_without_anything_else(name: str) -> None:
    html = page_of(name)
    page = Page(html)
    assert len(html.encode()) <= 300_000
    ids = [attributes["id"] for _, attributes in page.tags if attributes.get("id")]
    assert len(ids) == len({*ids})
    for tag, attributes in page.tags:
        assert tag not in {"link", "img", "iframe"} and "src" not in attributes
        if attributes.get("href"):
            assert (attributes["href"] or "")[1:] in ids  # all links stay inside
    assert not re.search(r"url\((?!#)", html)
    assert "\ue000" not in html and "None" not in html.partition("<main>")[2].partition("<pre>")[0]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_page_has_the_rows_of_the_trace(name: str) -> None:
    sections = Page(page_of(name)).sections
    rows: list[Any] = list(trace_problem(EXAMPLES[name]))
    shown = {place.split(".")[0].split(";")[0] for place in sections}
    if "t" in rows[0]:
        assert {f"t={row['t']}" for row in rows} <= shown
    else:
        assert len(shown) >= len(rows)


def test_what_is_shown_at_three_steps_is_in_the_trace() -> None:
    sections = Page(page_of("sgd-multiclass")).sections
    rows: list[Any] = list(trace_problem(EXAMPLES["sgd-multiclass"]))
    for t in (1, 3, 5):
        row = rows[t]
        assert f"with the step size {fraction(row['η'])}" in sections[f"t={t}"]
        last = [text for place, text in sections.items() if place.startswith(f"t={t}.")][1]
        table = "".join(f"W{name}" + "".join(map(fraction, w)) for name, w in row["W"].items())
        assert table in last


def fraction(value: Any) -> str:
    return str(value).replace("-", "−")


def test_ties_are_listed_and_each_other_choice_leads_to_its_run() -> None:
    page = Page(step_page(XOR))
    assert "t=1;1:2" in page.sections and "t=2;1:2;2:2" in page.sections
    links = [a["href"] for tag, a in page.tags if tag == "a" and "href" in a]
    assert "#t=1;1:2" in links and "#t=2;2:2" in links
    assert "all 4 runs are on this page" in step_page(XOR)
    other = next(iter(trace_problem(XOR, tie=[1])))
    assert other["question"] == "x1 ≤ 0" and other["question"] in page.sections["t=1;1:2"]


def test_lines_stand_as_deep_as_in_the_text() -> None:
    html = page_of("boost-mh")
    depths = dict(re.findall(r"<li data-n=(\d+)><span class=line style=--depth:(\d)>", html))
    assert depths["3"] == "2" and depths["9"] == "2" and depths["10"] == "3" and depths["11"] == "0"


def test_a_page_with_more_runs_than_it_holds_says_so() -> None:
    html = page_of("perceptron-multiclass")
    (held,) = re.findall(r"the first (\d) of the runs are on this page", html)
    assert 2 <= int(held) <= MOST_RUNS
    assert "class='c none'" in html


def test_the_first_run_takes_the_positions_that_are_asked_for() -> None:
    html = step_page(XOR, [1])
    assert "x1 ≤ 0" in Page(html).sections["t=1;1:2"]
    assert '<a href="#t=1">' in html and "t=2;2:2" in Page(html).sections  # the others are held
    assert "all 4 runs are on this page" in html
    frames = [*frames_of(view_of(XOR), trace_problem(XOR, tie=[1]))]
    assert frames[1].id == "t=1;1:2" and frames[1].after == "t=0"


@pytest.mark.parametrize("size", [12, 14])
def test_a_table_that_is_cut_says_so_of_its_columns_too(size: int) -> None:
    html = step_page({"family": "perceptron.binary", "X": [[1] * size], "y": [1]})
    (state, *_) = (t for t in re.findall("<table.*?</table>", html) if "data-s='w'" in t)
    assert ("<th>… 2 more<tr>" in state) == (size == 14) and state.count("<td") == 12


def test_labels_are_shown_as_themselves() -> None:
    evil = "</script><b>&amp;\"'"
    for problem in (
        XOR | {"y": [evil, "b", "b", "`c` {d} _e"]},
        EXAMPLES["sgd-multiclass"] | {"y": [evil, "{x}", "`w`"]},
        EXAMPLES["boost-mh"] | {"Y": [evil, evil, "b", "{c}"]},
        EXAMPLES["ovo-decode"] | {"classes": [evil, "b", "c"]},
    ):
        html = step_page(problem)
        assert html.count("</script>") == 1 and "<b>&amp;" not in html
        assert evil in "".join(Page(html).sections.values())
    assert unescape("&lt;/script&gt;") == "</script>"


def test_the_active_set_of_many_rows_is_said_to_begin_near_the_optimum() -> None:
    few, many = (
        {
            "family": "svm.multiclass",
            "C": 1,
            "X": [[i] for i in range(m)],
            "y": [int(3 * i > m) for i in range(m)],
        }
        for m in (3, 101)
    )
    assert "All multipliers are 0, and" in Page(step_page(few)).sections["t=0"]
    assert "A search in floats came near the optimum" in Page(step_page(many)).sections["t=0"]


def test_a_hard_margin_of_rows_that_no_line_separates_ends_with_the_ray() -> None:
    crossing = EXAMPLES["svm-hard"] | {"X": [[0], [1], [2]], "y": [1, -1, 1]}
    *_, last = Page(step_page(crossing)).sections.values()
    assert "No hyperplane separates the rows" in last


def test_rows_of_weight_0_are_left_out_of_a_hard_margins_page() -> None:
    weighted = EXAMPLES["svm-hard"] | {"X": [[0], [1], [3]], "y": [1, 1, -1], "weights": [0, 1, 1]}
    last = [*Page(step_page(weighted)).sections.values()][-2]
    assert "i = 0" in last and "i = 2" not in last  # only the two rows that count
    assert "w−1" in last  # (1, +1) and (3, −1): w = −1, b = 2
    assert "marked" not in last


def test_without_a_bias_the_line_goes_through_the_origin_at_every_step() -> None:
    problem = EXAMPLES["svm-binary"] | {"bias": False}
    told = [*view_of(problem).tell(trace_problem(problem))]
    assert len(told) > 2 and {values["w"]["w"]["b"] for values in told} == {0}


@pytest.mark.parametrize("family", by_family())
def test_any_problem_of_a_family_has_a_page_or_a_reason(family: str) -> None:
    @settings(max_examples=5, phases=[Phase.generate])
    @given(problems(family))
    def drawn(problem: Any) -> None:
        try:
            html = step_page(problem)
        except FormatError as error:
            assert re.search(r"has no trace|the max form", str(error))
            return
        assert len(html.encode()) <= 300_000
        assert "None" not in html.partition("<main>")[2].partition("<pre>")[0]

    drawn()


def test_long_runs_end_where_the_page_gets_too_long() -> None:
    html = step_page(EXAMPLES["perceptron-binary"] | {"y": [1, -1, -1, 1], "epochs": 500})
    assert len(html) < 300_000 and "the page ends where it gets too long" in html


def test_a_book_has_a_page_for_each_example_and_an_index() -> None:
    pages = whole_book()
    assert pages.keys() == {f"{name}.html" for name in EXAMPLES} | {"index.html"}
    assert all(f'href="{name}.html"' in pages["index.html"] for name in EXAMPLES)


@pytest.mark.parametrize("name", ["svm-binary", "svm-hard"])
def test_a_picture_is_of_the_multipliers_that_are_shown(name: str) -> None:
    frames = re.split("(?=<section class=path)", page_of(name))[1:]
    pictures = [re.findall("<svg.*?</svg>", frame, re.DOTALL)[0] for frame in frames]
    for i, frame in enumerate(frames):
        if 'data-lines="2 3"' in frame:  # a multiplier is released, and none has moved yet
            assert pictures[i] == pictures[i - 1]
    assert len({*pictures}) > 2


def test_trees_that_ask_about_surfaces_are_drawn_without_a_plane() -> None:
    inner = [[0, 0], [1, 1], [-1, -1], [1, -1], [-1, 1]]
    outer = [[0, 2], [2, 0], [0, -2], [-2, 0]]  # no threshold tells them apart, the sphere does
    problem: dict[str, Any] = {"family": "tree.grow", "X": inner + outer}
    problem |= {"y": ["in"] * 5 + ["out"] * 4, "candidates": [{"center": [0, 0], "radius": "3/2"}]}
    for picture in (step_page(problem), draw_problem(problem)):
        assert "|x - (0, 0)| ≤" in picture


def test_two_clicks_lead_from_a_line_of_each_lecture_to_its_step_its_picture_and_its_code() -> None:
    pages = whole_book()
    _, *lectures = pages["index.html"].split("<h2>")
    assert len(lectures) == len(LECTURES) == 5
    for tag, lecture in zip(LECTURES, lectures, strict=True):
        assert "<h3>" in lecture
        for entry in lecture.split("<h3>")[1:]:
            story = next(s for s in map(read_story, STORIES) if entry.startswith(escape(s.title)))
            (item,) = re.findall(rf"</h3>(\[{tag}[ ,].*?\]):", entry)
            assert unescape(item) in story.sources.values()
            links = re.findall(r"<li data-n=(\d+).*?href='(.*?\.html)#(.*?)'", entry)
            assert [f"{n:<3}" for n, _, _ in links] == [line[:3] for line in story.lines]
            for n, name, place in links:  # the first click: a step with its picture
                page, line = pages[name], story.lines[int(n) - 1]
                step = page.partition(f'id="{place}"')[2].partition("</section>")[0]
                (done,) = re.findall('data-lines="(.*?)"', step)
                assert n in done.split() or "return" in line
                assert '<use href="#p' in step
                for function, source in story.sources.items():  # the second: the lecture's function
                    if source.startswith(f"[{tag}"):
                        assert "<summary>The same lines in code</summary>" in page
                        assert f"<pre>def {function.partition('.')[2]}(" in page


def test_the_commands_write_pages(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    done = run("trace", str(SPEC / "examples/tree-grow.json"), "--html", str(target), "--tie", "1")
    assert done.returncode == 0 and not done.stdout
    assert "t=1;1:2" in Page(target.read_text("utf-8")).sections
    assert run("trace", str(SPEC / "examples/qp.json"), "--html", str(target)).returncode == 2
    wrong = run("trace", str(SPEC / "examples/tree-grow.json"), "--tie", "7")
    assert wrong.returncode == 2 and "tie: position 7 of 2 tied choices" in wrong.stderr
