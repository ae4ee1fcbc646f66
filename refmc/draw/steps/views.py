"""Which story tells the run of a problem, by its family."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from importlib import import_module
from string import Template

from refmc.core.records import Record
from refmc.draw.steps.page import View, html_page, line_html, part
from refmc.draw.steps.story import Story, read_story
from refmc.errors import FormatError
from refmc.oracle.families import read_record

STORIES = (
    "active-set", "dual-svm", "adaboost-mh", "greedy-tree", "pruning", "algorithm-1",
    "one-vs-all", "pairs", "decoding", "multiclass-perceptron", "sgd-binary", "perceptron",
    "kernel-perceptron",
)  # fmt: skip
"""The stories, in the order of the lectures."""


@cache
def by_family() -> dict[str, Story]:
    """The story of each family that its examples have."""
    stories = map(read_story, STORIES)
    return {str(p["family"]): story for story in stories for p in story.examples.values()}


def view_of(problem: Record | str) -> View:
    """How the run of a problem is told; `FormatError` for a family without a page."""
    record, family = read_record(problem)
    name, known = str(record["family"]), by_family()
    if name not in known:
        raise FormatError(
            f"problem.family: {name!r} has no page that steps; these have one: {', '.join(known)}"
        )
    family.read(record)
    module, function = known[name].view.split(".")
    found: View = getattr(import_module(f"refmc.draw.steps.{module}"), function)(
        record, known[name]
    )
    return found


def step_page(problem: Record | str, tie: Sequence[int] = ()) -> str:
    """The page that steps through the run of a problem."""
    return html_page(view_of(problem), read_record(problem)[0], tie)


LECTURES = {
    "lu": "EE6550 Machine Learning, Lecture Seven",
    "lecture5": "Lecture 5",
    "keshet": "Multiclass Classification",
    "karagiannis": "Lecture notes 10",
    "chang": "Lecture 14",
}


def book() -> Iterator[tuple[str, str]]:
    """The name and the text of each page of the lectures' examples, and of their index, where each
    line of an algorithm leads to the first step that does it.
    """
    found = dict.fromkeys(LECTURES, "")
    for story in map(read_story, STORIES):
        pages = {f"{name}.html": step_page(problem) for name, problem in story.examples.items()}
        yield from pages.items()
        name, page = next(iter(pages.items()))
        steps = re.findall('<section class=path id="([^"]*)".*? data-lines="([^"]*)"', page)
        places = {n: place for place, lines in reversed(steps) for n in lines.split()}
        lines = "".join(
            line_html(line, f"{name}#{places.get(line.split()[0], steps[-1][0])}")
            for line in story.lines
        )
        links = ", ".join(f'<a href="{name}">{name.removesuffix(".html")}</a>' for name in pages)
        for lecture in found:
            items = [item for item in story.sources.values() if item[1:].startswith(lecture)]
            if items:
                head = f"{escape(story.title)}</h3>{escape(items[0])}: {links}"
                found[lecture] += f"<h3>{head}<ol class=algo>{lines}</ol>"
    body = "".join(f"<h2>{LECTURES[name]}</h2>{entries}" for name, entries in found.items())
    yield "index.html", Template(part("index.html")).substitute(body=body)
