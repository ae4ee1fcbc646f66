"""What a run came to, for people and for other programs: text, JSON Lines, JUnit, TAP and HTML.

Each report is made of lines, which come as the results come where the form allows it; the receipt
is known when all have come.
"""

from __future__ import annotations

import contextlib
import math
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from html import escape
from importlib.resources import files
from xml.sax.saxutils import quoteattr

from refmc.checker.parts import counted
from refmc.core.printing import json_line, printable
from refmc.core.records import Record, write_json
from refmc.errors import RefmcError
from refmc.suite.process import LAST_WORDS
from refmc.suite.running import Receipt, Result

ToReceipt = Callable[[], Receipt]
"""Gives the receipt once all results have been taken."""

QUIET = ("verified", "skipped", "known")
"""The outcomes that are as they should be."""

Report = Callable[[Iterable[Result], ToReceipt], Iterator[str]]

Draw = Callable[[Record], str]
"""From a problem to a picture in SVG; `RefmcError` where there is none."""


def text_report(
    results: Iterable[Result], receipt: ToReceipt, *, every: bool = False
) -> Iterator[str]:
    """A line for each problem on which something is wrong, and what it is; then the receipt.

    A fault that comes again is only counted. `every`: a line for each problem.
    """
    crashes: Counter[str] = Counter()
    for result in results:
        crashes[result.text] += result.outcome == "crashed"
        if not every and (result.outcome in QUIET or crashes[result.text] > 1):
            continue
        is_noisy = result.noise > LAST_WORDS  # more than anyone reads
        noise = f"  ({result.noise} bytes on standard error)" if is_noisy else ""
        yield f"{result.outcome.upper():<13} {printable(result.case.id)}{noise}"
        yield from (f"  {line}" for line in result.text.splitlines())
    for fault, count in crashes.items():
        if count > 1 and not every:
            yield f"CRASHED       {counted(count - 1, 'more problem')}: {fault[:100]}"
    yield from receipt_lines(receipt())


def receipt_lines(receipt: Receipt) -> list[str]:
    """The receipt: a line for each cause, the counts, and what was run."""
    counts = " + ".join(f"{count} {name}" for name, count in receipt.counts.items())
    who = " ".join(filter(None, (receipt.program, receipt.version))) or "a program without a name"
    seed = "" if receipt.seed is None else f", seed {receipt.seed}"
    ran = f"{receipt.suite} ran {who} ({shlex.join(receipt.command)}){seed}"
    names = receipt.unsupported
    skipped = f"not supported  {counted(len(names), 'family', 'families')}: {', '.join(names)}"
    lines = [
        *(f"cause  {cause}" for cause in receipt.causes),
        *([skipped] if names else []),
        *(f"settings  {line}" for line in settings_lines(receipt)),
        f"selected {receipt.selected} = {counts}",
        f"{ran}: exit code {receipt.code}, digest {receipt.digest[:16]}",
    ]
    return [*map(printable, lines)]


def settings_lines(receipt: Receipt) -> list[str]:
    """A line for each family that has settings: what was asked of it."""
    words = {"unverified": "not verified", "unasked": "not asked"}
    lines = []
    for family, own in receipt.settings.items():
        groups = (f"{words.get(g, g)} {', '.join(names)}" for g, names in own.items() if names)
        lines.append(f"{family}: {'; '.join(groups)}")
    return lines


def jsonl_report(results: Iterable[Result], receipt: ToReceipt) -> Iterator[str]:
    """For each problem a line with a JSON object, and the receipt in the last line."""
    for result in results:
        found: dict[str, object] = {"id": result.case.id, "outcome": result.outcome}
        found |= {"reason": result.reason, "noise": result.noise}
        found["verdict"] = None if result.verdict is None else result.verdict.to_json()
        if result.outcome != "verified":
            found["answer"] = result.answer
        yield json_line(found)
    yield json_line({"receipt": receipt_record(receipt())})


def receipt_record(receipt: Receipt) -> dict[str, object]:
    """The receipt for JSON."""
    return {name: value for name, value in vars(receipt).items() if value is not None}


def junit_report(results: Iterable[Result], receipt: ToReceipt) -> Iterator[str]:
    """JUnit's XML: refuted and inconclusive answers are failures, crashes errors; what is skipped
    or known is skipped.
    """
    kinds = {"refuted": "failure", "inconclusive": "failure", "crashed": "error"}
    kinds |= {"fixed": "failure", "skipped": "skipped", "known": "skipped"}
    found = list(results)
    tags = [kinds.get(result.outcome, "") for result in found]
    count = {tag: tags.count(tag) for tag in ("failure", "error", "skipped")}
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<testsuite name="refmc" tests="{len(found)}" failures="{count["failure"]}" '
        f'errors="{count["error"]}" skipped="{count["skipped"]}" '
        f'time="{math.fsum(result.seconds for result in found):.3f}">'
    )
    for name, value in receipt_record(receipt()).items():
        told = value if isinstance(value, str) else json_line(value)
        lead = "  <properties>" if name == "suite" else "   "
        yield f"{lead}<property name={quoteattr(name)} value={_attribute(told)}/>"
    yield "  </properties>"
    for result, tag in zip(found, tags):
        family, _, name = result.case.id.partition("/")
        head = f"  <testcase classname={_attribute(family)} name={_attribute(name)}"
        head += f' time="{result.seconds:.3f}"'
        if tag:
            message = f"{result.outcome}: {result.text}" if result.text else result.outcome
            yield f"{head}><{tag} message={_attribute(message)}/></testcase>"
        else:
            yield f"{head}/>"
    yield "</testsuite>"


def tap_report(results: Iterable[Result], receipt: ToReceipt) -> Iterator[str]:
    """The Test Anything Protocol, version 13, with the plan at the end."""
    yield "TAP version 13"
    count = 0
    for count, result in enumerate(results, 1):
        right = result.outcome in ("verified", "skipped")
        reason = " ".join(result.text.split()).replace("#", "\\#")
        words = {"skipped": f" # SKIP {reason}", "known": f" # TODO {reason}"}
        id = printable(result.case.id).replace("#", "\\#")
        yield f"{'ok' if right else 'not ok'} {count} - {id}" + words.get(result.outcome, "")
        if not right:
            yield f"# {result.outcome}: {reason}"
    yield f"1..{count}"
    yield from (f"# {line}" for line in receipt_lines(receipt()))


def html_report(draw: Draw) -> Report:
    """One page that needs no other file: the receipt, a picture of the smallest refuted problem
    that can be drawn, and a table of all problems.
    """

    def report(results: Iterable[Result], receipt: ToReceipt) -> Iterator[str]:
        found = list(results)
        told = receipt()
        verdict = "everything verified" if told.code == 0 else f"exit code {told.code}"
        head = files("refmc.suite").joinpath("report_head.html").read_text("utf-8")
        yield head + f"<title>refmc: {verdict}</title>\n<h1>refmc: {verdict}</h1>"
        yield "<table>"
        for name, value in receipt_record(told).items():
            lines = settings_lines(told) if name == "settings" else [_shown(value)]
            for shown in [shlex.join(told.command)] if name == "command" else lines:
                if shown:
                    yield f"<tr><th>{escape(name)}</th><td>{escape(printable(shown))}</td></tr>"
        yield "</table>"
        yield from _smallest_refuted(found, draw)
        yield "<h2>All problems</h2>\n<table>"
        for result in found:
            cells = (printable(result.case.id), result.outcome, result.text)
            row = "".join(f"<td>{escape(cell)}</td>" for cell in cells)
            yield f'<tr class="{result.outcome}">{row}</tr>'
        yield "</table>"

    return report


def _smallest_refuted(results: Iterable[Result], draw: Draw) -> Iterator[str]:
    refuted = [result for result in results if result.outcome == "refuted"]
    if not refuted:
        return
    refuted.sort(key=lambda result: len(json_line(result.case.problem)))
    result, picture = refuted[0], ""
    for other in refuted:
        with contextlib.suppress(RefmcError):  # its family has no picture, or not two columns
            result, picture = other, draw(other.case.problem)
            break
    yield f"<h2>The smallest refuted problem: {escape(printable(result.case.id))}</h2>"
    if picture:
        yield f"<p>Its exact solution:</p>\n{picture}"
    assert result.verdict is not None and result.answer is not None
    for what, shown in (
        ("The problem", write_json(result.case.problem)),
        ("The answer", write_json(result.answer)),
        ("The verdict", result.verdict.explain()),
    ):
        yield f"<p>{what}:</p>\n<pre>{escape(shown)}</pre>"


def _shown(value: object) -> str:
    if isinstance(value, dict):
        return " + ".join(f"{count} {name}" for name, count in value.items())
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _attribute(text: str) -> str:
    """A text as an attribute of XML, where few characters may stand that can't be printed."""
    return quoteattr("\n".join(map(printable, text.split("\n"))))


REPORTS: dict[str, Report] = {
    "text": text_report,
    "jsonl": jsonl_report,
    "junit": junit_report,
    "tap": tap_report,
}
"""The reports that need nothing but the results."""
