"""Which story tells the run of a problem, by its family."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module

from refmc.core.records import Record
from refmc.draw.steps.page import View, html_page
from refmc.draw.steps.story import read_story
from refmc.errors import FormatError
from refmc.oracle.families import read_record

VIEWS = {
    "boost.ada": "boosting.boosted",
    "boost.mh": "boosting.boosted",
    "tree.grow": "trees.greedy",
    "tree.prune": "trees.pruned",
    "perceptron.binary": "online.perceptron",
    "perceptron.kernel": "online.perceptron",
    "perceptron.multiclass": "online.multiclass_perceptron",
    "sgd.binary": "online.binary_sgd",
    "sgd.multiclass": "online.algorithm_1",
    "svm.multiclass": "svm.active_set",
    "code.decode": "decoding.decoded",
    "ovo.decode": "decoding.decoded",
    "ova.decode": "decoding.decoded",
}


def view_of(problem: Record | str) -> View:
    """How the run of a problem is told; `FormatError` for a family without a page."""
    record, family = read_record(problem)
    name = str(record["family"])
    if name not in VIEWS:
        raise FormatError(
            f"problem.family: {name!r} has no page that steps; these have one: {', '.join(VIEWS)}"
        )
    family.read(record)
    module, function = VIEWS[name].split(".")
    found: Callable[[Record], View] = getattr(import_module(f"refmc.draw.steps.{module}"), function)
    return found(record)


def step_page(problem: Record | str, tie: Sequence[int] = ()) -> str:
    """The page that steps through the run of a problem."""
    return html_page(view_of(problem), read_record(problem)[0], tie)


STORIES = (
    "active-set", "adaboost-mh", "greedy-tree", "pruning", "algorithm-1", "one-vs-all", "pairs",
    "decoding", "multiclass-perceptron", "sgd-binary", "perceptron", "kernel-perceptron",
)  # fmt: skip
"""The stories, in the order of the lectures."""


def book() -> Iterator[tuple[str, str]]:
    """The name and the text of each page of the lectures' examples, and of their index."""
    entries = []
    for story in map(read_story, STORIES):
        for name, problem in story.examples.items():
            yield f"{name}.html", step_page(problem)
            words = f"{story.title}</a> {name}, {story.source}"
            entries.append(f'<li><a href="{name}.html">{words}')
    head = "<!doctype html><html lang=en><meta charset=utf-8><title>refmc: the book</title>"
    style = "<style>html { font: 1.1rem/1.6 sans-serif; margin: 2rem; color-scheme: light dark }"
    body = f"<h1>The lectures, step by step</h1><ul>{''.join(entries)}</ul>"
    yield (
        "index.html",
        f"{head}{style}</style><meta name=viewport content='width=device-width'>{body}",
    )
