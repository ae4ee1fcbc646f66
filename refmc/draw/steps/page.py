"""A page that steps through the run of a problem: one HTML file that needs nothing else.

Each step is a static section, so that the page prints and can be read without its script. Runs that
follow other choices share the sections up to the choice, and the choices are links to what follows.
A picture stands once in the page, however many steps show it.

Legend: a frame is what is shown when some lines have been done; `mark` names its round.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from itertools import chain, pairwise
from string import Template
from typing import Any, NamedTuple

from refmc.answers import trace_problem
from refmc.core.records import Record
from refmc.draw.looks import DARK, PALE, patterns
from refmc.draw.steps.notation import filled, formula, sentence, shown
from refmc.draw.steps.story import Step, Story
from refmc.draw.svg import FAINT, INK, Block
from refmc.oracle.rows import Row

MOST_RUNS, MOST_BYTES = 8, 240_000
"""A page has at most so many runs, and no new step once its steps are so long together."""

MOST_ROWS = 12
"""The most rows and columns of a table; of more the first are shown."""

Values = dict[str, Any]


class View(NamedTuple):
    """How the run of a problem is told.

    `tell`: from the rows of a trace the values of each round, with `when` and `mark`; `tied` and
    `taken` where choices tied. `draw`: from the slots that are filled and the round's values the
    pictures. `classes`: how many patterns the pictures need. `sample`: a table of the items.
    """

    story: Story
    tell: Callable[[Iterable[Row]], Iterator[Values]]
    draw: Callable[[Mapping[str, Any], Values], Sequence[Block]]
    classes: int
    sample: Mapping[str, Mapping[str, object]]


class Best(NamedTuple):
    """A value that wins, in a table."""

    value: object


def ranked(row: Any, name: str) -> dict[str, dict[str, object]]:
    """The table of what was considered in a round, with the tied choices marked."""
    found: dict[str, dict[str, object]] = {
        words: {name: Best(value) if words in row["tied"] else value}
        for words, value in row["considered"].items()
    }
    return found | ({"more": {name: row["more"]}} if row["more"] else {})


@dataclass
class _Frame:
    id: str
    after: str
    step: Step
    values: Values
    slots: dict[str, Any]
    before: dict[str, Any]
    taken: Sequence[int]  # of all ties so far
    others: Sequence[str] = ()  # the steps that follow each of the tied choices


def frames_of(view: View, rows: Iterable[Row]) -> Iterator[_Frame]:
    """The frames of a run."""
    story, after, choice, taken = view.story, "", "", list[int]()
    slots: dict[str, Any] = dict.fromkeys(story.slots)
    for told, coming in pairwise(chain(view.tell(rows), [{}])):
        shapes = {name: value for name, value in coming.items() if isinstance(value, Mapping)}
        values = shapes | told  # so that a slot has its place before it is filled
        slots = {name: slots[name] if kept else None for name, (_, kept) in story.slots.items()}
        place = f"t={values['mark']}"
        for step in story.steps:
            if not step.happens(values):
                continue
            others = list[str]()
            if step.ties and len(values["tied"]) > 1:
                taken.append(values["taken"])
                ends = [
                    f";{values['mark']}:{n + 1}" if n else "" for n in range(len(values["tied"]))
                ]
                others = [place + choice + end for end in ends]
                choice += ends[values["taken"]]
            before, slots = slots, slots | {n: values[story.slots[n][0]] for n in step.fills}
            frame = _Frame(place + choice, after, step, values, slots, before, [*taken], others)
            yield frame
            after = frame.id
            later = story.steps[story.steps.index(step) + 1 :]
            following = [s for s in later if s.happens(values)]
            if following:
                place = f"t={values['mark']}.{following[0].lines.split()[-1]}"


def html_page(view: View, problem: Record, tie: Sequence[int] = ()) -> str:
    """The page of a problem; its first run takes these positions of tied choices, then the first.

    >>> from refmc.draw.steps.views import view_of
    >>> problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["</script>", "b"]}
    >>> page = html_page(view_of(problem), problem)
    >>> "&lt;/script&gt;" in page, page.count("</script>")
    (True, 1)
    """
    story, pictures = view.story, dict[str, str]()
    sections, notes = _explored(view, problem, tie, pictures)
    drawn = "".join(f'<g id="{name}">{content}</g>' for content, name in pictures.items())
    return Template(part("page.html")).substitute(
        title=escape(story.title),
        source=escape(" ".join(dict.fromkeys(story.sources.values()))),
        css=Template(part("page.css")).substitute(wide=_widest(sections.values())),
        js=part("page.js"),
        drawn=_coloured(patterns(view.classes)) + drawn,
        lines="".join(map(line_html, story.lines)),
        notes="".join(f"<li class=note>{sentence(note)}" for note in [*story.notes, *notes]),
        sample=_table(view.sample),
        code="".join(map(_code, story.sources)),
        sections=_linked("".join(sections.values()), {*sections}),
    )


def _explored(
    view: View, problem: Record, tie: Sequence[int], pictures: dict[str, str]
) -> tuple[dict[str, str], list[str]]:
    """The sections of the first run and of those that take other choices, as many as a page holds;
    and what is said of the runs that are left out. Pictures get their names on the way.
    """
    sections, waiting, runs = dict[str, str](), [list(tie)], 0
    while waiting and runs < MOST_RUNS:
        given, choices = waiting.pop(0), list[_Frame]()
        for frame in frames_of(view, trace_problem(problem, tie=given)):
            if sum(map(len, [*sections.values(), *pictures])) > MOST_BYTES:
                return sections, _told(runs, runs > 0 or bool(choices), True, not runs)
            if frame.id not in sections:
                blocks = view.draw(frame.slots, frame.values)
                sections[frame.id] = _section(frame, view.story, blocks, pictures, not runs)
            if frame.others and (not runs or len(frame.taken) > len(given)):
                choices.append(frame)
        runs += 1
        for frame in choices:
            *before, taken = frame.taken
            waiting += [[*before, n] for n in range(len(frame.others)) if n != taken]
    return sections, _told(runs, runs > 1, bool(waiting), False)


def _told(runs: int, has_ties: bool, has_more: bool, is_cut: bool) -> list[str]:
    """What a page says of what it holds."""
    told = ["The run is longer; the page ends where it gets too long."] if is_cut else []
    if has_ties:
        held = f"the first {runs} of the runs are" if has_more else f"all {runs} runs are"
        held = "`--tie` takes other positions" if is_cut else f"{held} on this page"
        told.append(f"Ties can be broken in other ways: {held}.")
    return told


def _widest(sections: Iterable[str]) -> str:
    """The width of the longest value in the lists: what stands beside them keeps its place."""
    values = chain.from_iterable(re.findall("<dd>(.*?)(?=<dt|</dl>)", html) for html in sections)
    longest = max((len(re.sub("<[^>]*>", "", value)) for value in values), default=0)
    return f"{min(longest, 36) / 2:.1f}em"


def part(name: str) -> str:
    """A file of this folder."""
    return files("refmc.draw.steps").joinpath(name).read_text("utf-8")


def _code(name: str) -> str:
    """The lecture file's function, as text of the page."""
    lecture, function = name.split(".")
    text = files("refmc.lectures").joinpath(f"{lecture}.py").read_text("utf-8")
    found = re.search(rf"^def {function}\(.*?(?=^\S(?!\) ->)|\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return f"<b>{escape(name)}</b><pre>{escape(found[0].rstrip())}</pre>"


def line_html(line: str, place: str = "") -> str:
    """A numbered line, with a link to this place."""
    number, _, text = line.partition(" ")
    depth = (len(line) - len(text.lstrip()) - len("1  ")) // 2
    text = f"<a href='{place}'>{formula(text.strip())}</a>" if place else formula(text.strip())
    return f"<li data-n={number}><span class=line style=--depth:{depth}>{text}</span>"


def _section(
    frame: _Frame, story: Story, blocks: Sequence[Block], pictures: dict[str, str], is_main: bool
) -> str:
    values, step = frame.values, frame.step
    mark = shown(values["mark"])
    now = f"{formula(story.mark)} = {mark}"
    say = f"<span class=t data-l='{step.lines}'>{now}</span> {filled(step.sentence, values)}"
    if not is_main:
        say += " <a class=off href='#t=0'>another run: back</a>"
    work = filled(step.formula, values, is_formula=True)
    parts = [f"<p class=say><span>{say}</span><span class=work>{work}</span></p>"]
    if frame.others:
        parts.append(_choices(frame, story))
    state = "".join(_state(frame, story))
    parts.append(f"<div class=right><div class='card state'>{state}</div><div class='card pic'>")
    for block in blocks:
        name = pictures.setdefault(_coloured(block.content), f"p{len(pictures)}")
        parts.append(
            f'<svg viewBox="0 0 {block.width} {block.height}" aria-hidden=true'
            f' style="width:{block.width / 13:.1f}rem"><use href="#{name}"/></svg>'
        )
    head = f'<section{" class=path" if is_main else ""} id="{escape(frame.id)}"'
    head += f' data-after="{escape(frame.after)}" data-mark="{mark}" data-lines="{step.lines}">'
    return head + "".join(parts) + "</div></div></section>"


def _choices(frame: _Frame, story: Story) -> str:
    names, taken = frame.values["tied"], frame.values["taken"]
    items = []
    for n, (name, place) in enumerate(zip(names, frame.others)):
        if n == taken:
            items.append(f"<li><span class='c taken'>{shown(name)}</span>")
        else:
            items.append(f'<li><a href="#{escape(place)}">{shown(name)}</a>')
    head = formula(story.ties)
    return f"<div class='card ties'><h2>Tied: {head}</h2><ul>{''.join(items)}</ul></div>"


def _linked(body: str, held: set[str]) -> str:
    """The sections without links to steps that the page doesn't hold."""

    def link(found: re.Match[str]) -> str:
        return found[0] if found[1] in held else f"<span class='c none'>{found[2]}</span>"

    return re.sub(r'<a href="#([^"]*)">(.*?)</a>', link, body)


def _state(frame: _Frame, story: Story) -> Iterator[str]:
    """The slots: numbers in a list, then the tables; what the step changed is marked."""
    tables, listed = [], []
    for name, value in frame.slots.items():
        before, known = frame.before[name], frame.values.get(story.slots[name][0])
        shape = known if value is None else value
        if isinstance(shape, Mapping):
            tables.append(_table(shape, formula(name), before, value is None))
        else:
            is_new = value is not None and name in frame.step.fills and value != before
            kind = " class=new" if is_new else ""
            html = f"<dd><span{kind}>{shown(value)}</span>"
            listed.append(f"<dt data-s='{_letters(name)}'>{formula(name)}{html}")
    if listed:
        yield f"<dl>{''.join(listed)}</dl>"
    yield from tables


def _table(
    rows: Mapping[str, Mapping[str, object]],
    caption: str = "",
    before: Mapping[str, Mapping[str, object]] | None = None,
    is_empty: bool = False,
) -> str:
    """Named rows of named cells; with a caption, what isn't as it was `before` is marked."""
    if not rows:
        return ""
    names = [*next(iter(rows.values()))]
    heads, beyond = names[:MOST_ROWS], [f"… {len(names) - MOST_ROWS} more"]
    shown_heads = ["", *heads, *beyond * (len(names) > MOST_ROWS)]
    lines = ["".join(f"<th>{formula(head)}" for head in shown_heads)]
    for name, row in [*rows.items()][:MOST_ROWS]:
        cells = []
        for head in heads:
            value, kinds = (None if is_empty else row[head]), list[str]()
            if caption and not is_empty and (before or {}).get(name, {}).get(head) != value:
                kinds.append("new")
            if isinstance(value, Best):
                kinds, value = [*kinds, "best"], value.value
            kind = f" class='{' '.join(kinds)}'" if kinds else ""
            cells.append(f"<td{kind}>{shown(value)}")
        lines.append(f"<th>{formula(name)}{''.join(cells)}")
    if len(rows) > MOST_ROWS:
        lines.append(f"<th>… {len(rows) - MOST_ROWS} more")
    letters = _letters(re.sub("<[^>]*>", "", caption))
    return f"<table data-s='{letters}'><caption>{caption}</caption><tr>{'<tr>'.join(lines)}</table>"


def _letters(name: str) -> str:
    """The symbol of a name, such as ε of ε_t; its letters, where there are several symbols."""
    return escape("".join(re.findall("(?<![^\\W\\d_])[^\\W\\d_]\u0303?(?![^\\W\\d_])", name)))


def _coloured(svg: str) -> str:
    """A picture whose colours follow the page's, light or dark."""
    colours = {ink: f"var(--d{i})" for i, ink in enumerate(DARK)}
    colours |= {ground: f"var(--p{i})" for i, ground in enumerate(PALE)}
    colours |= {INK: "var(--ink)", FAINT: "var(--faint)", "white": "var(--paper)"}
    return re.sub('"(#[0-9a-f]{6}|white)"', lambda c: f'"{colours.get(c[1], c[1])}"', svg)
