"""The stories of algorithms: numbered lines, and what a page says at each of them.

A story is a text file of `stories/`: heads such as `title: …`, the lines of the pseudocode, which
the pages of spec/ show too, a note, the slots of the state, and the steps. A slot is `slot NAME =
KEY`, where the key is that of a value; a value that is `kept` stays from one round to the next. A
step is `@ LINES`, at the `begin` or the `end` of a run, or in each round; it may depend on a value
(`if KEY`, `unless KEY`), and one of the choices of a round may be made in it (`tie`). Then come a
sentence, the formula (`= …`) and the slots that the step fills (`> …`), with semicolons between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from refmc.core.records import Record, parse_json


@dataclass
class Step:
    """What is shown when these lines have been done."""

    lines: str
    when: str = "round"
    ties: bool = False
    key: str = ""
    negated: bool = False
    sentence: str = ""
    formula: str = ""
    fills: tuple[str, ...] = ()

    def happens(self, values: Mapping[str, object]) -> bool:
        """Whether the step is one of a round with these values."""
        return not self.key or bool(values[self.key]) != self.negated


@dataclass
class Story:
    """A story as it was read. `slots`: the keys of the values, and whether they are kept."""

    heads: dict[str, str] = field(default_factory=dict)
    examples: dict[str, Record] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    slots: dict[str, tuple[str, bool]] = field(default_factory=dict)
    steps: list[Step] = field(default_factory=list)


@cache
def read_story(name: str) -> Story:
    """The story of this name.

    >>> read_story("algorithm-1").lines[:2]
    ['1  W_1 ← 0', '2  for t ← 1 to T do']
    """
    story = Story()
    text = files("refmc.draw.steps").joinpath(f"stories/{name}.txt").read_text("utf-8")
    for line in filter(None, text.splitlines()):
        head, _, rest = line.partition(" ")
        if head == "example:":
            name, _, problem = rest.partition(" ")
            story.examples[name] = parse_json(problem, name)
        elif head == "slot":
            slot, _, key = rest.partition(" = ")
            story.slots[slot] = key.removesuffix(", kept"), key.endswith(", kept")
        elif head == "@":
            story.steps.append(_step(rest.split()))
        elif story.steps and head == "=":
            story.steps[-1].formula = rest
        elif story.steps and head == ">":
            story.steps[-1].fills = tuple(rest.split("; "))
        elif story.steps:
            story.steps[-1].sentence += line
        elif line[0].isdigit():
            story.lines.append(line)
        elif head.endswith(":") and not story.lines:
            story.heads[head[:-1]] = rest
        else:
            story.notes.append(line)
    return story


def _step(words: list[str]) -> Step:
    step = Step(" ".join(word for word in words if word.isdigit()))
    for word, following in zip(words, [*words[1:], ""]):
        if word in ("begin", "end"):
            step.when = word
        elif word == "tie":
            step.ties = True
        elif word in ("if", "unless"):
            step.key, step.negated = following, word == "unless"
    return step
