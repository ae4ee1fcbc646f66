"""The stories of algorithms: numbered lines, and what a page says at each of them.

A story is a file of `stories/`. Its `lines` are the pseudocode in our own words, which the pages of
spec/ show too. Text between backticks is a formula, and a name in braces stands for a value.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from refmc.core.records import Record, parse_json


@dataclass(frozen=True)
class Step:
    """What is shown when these lines have been done, at the "begin" or the "end" of a run, or in
    each "round".

    `given`, `unless`: a value on which it depends. `ties`: whether the round's choice is made here.
    `fills`: the slots of the state that get their values.
    """

    lines: str
    sentence: str
    when: str = "round"
    given: str = ""
    unless: str = ""
    ties: bool = False
    formula: str = ""
    fills: tuple[str, ...] = ()

    def happens(self, values: Mapping[str, object]) -> bool:
        """Whether the step is one of a round with these values."""
        if self.when != values["when"]:
            return False
        is_given = not self.given or bool(values[self.given])
        return is_given and not (self.unless and values[self.unless])


@dataclass(frozen=True)
class Story:
    """A story as it was read.

    `view`: the function that makes its `View`. `sources`: functions of lecture files, and which
    items of lectures they are. `slots`: the keys of the values, and whether they stay from one
    round to the next. `mark`: what the rounds are counted by. `examples`: problems by their names.
    """

    title: str
    sources: dict[str, str]
    page: str
    view: str
    lines: list[str]
    notes: list[str]
    examples: dict[str, Record]
    slots: dict[str, tuple[str, bool]]
    steps: list[Step]
    mark: str = "t"
    ties: str = ""


@cache
def read_story(name: str) -> Story:
    """The story of this name.

    >>> read_story("algorithm-1").lines[:2]
    ['1  W_1 ← 0', '2  for t ← 1 to T do']
    """
    text = files("refmc.draw.steps").joinpath(f"stories/{name}.toml").read_text("utf-8")
    parts = tomllib.loads(text)
    slots = {slot: key.partition(", ") for slot, key in parts["slots"].items()}
    parts |= {
        "lines": parts["lines"].splitlines(),
        "slots": {slot: (key, bool(kept)) for slot, (key, _, kept) in slots.items()},
        "steps": [Step(**step) for step in parts["steps"]],
        "examples": {n: parse_json(problem, n) for n, problem in parts["examples"].items()},
    }
    return Story(**parts)
