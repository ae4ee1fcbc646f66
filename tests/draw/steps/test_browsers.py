"""Real browsers step through the pages of the book, and show what the traces have."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from refmc.answers import trace_problem
from refmc.draw.steps.notation import LONGEST
from refmc.draw.steps.page import frames_of
from refmc.draw.steps.story import read_story
from refmc.draw.steps.views import STORIES, book, view_of

EXAMPLES: dict[str, dict[str, Any]] = {
    n: {**p} for story in map(read_story, STORIES) for n, p in story.examples.items()
}
BROWSERS = {
    "Chromium": (
        ["chromium", "chromium-browser"],
        ["--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir={}"],
    ),
    "Firefox": (["firefox-esr", "firefox"], ["--headless", "--no-remote", "--profile", "{}"]),
}

DRIVER = """<!doctype html><iframe width=1280 height=720></iframe>
<script type=module>
const frame = document.querySelector("iframe");
const event = (target, name) => new Promise((done) => target.addEventListener(name, done));
const told = {};
for (const name of NAMES) {
  frame.src = name + ".html";
  await event(frame, "load");
  const page = frame.contentWindow, root = page.document.documentElement, steps = [], errors = [];
  page.addEventListener("error", (error) => errors.push(error.message));
  const now = () => page.document.querySelector("section.now");
  const key = (key) => page.dispatchEvent(new page.KeyboardEvent("keydown", { key }));
  for (let step; step !== now(); key("ArrowRight")) {
    step = now();
    const texts = [...step.querySelectorAll("td, dd, .say, .work")].map((e) => e.textContent);
    steps.push({ id: step.id, mark: step.dataset.mark, texts, high: root.scrollHeight });
  }
  key("Home"); key("PageDown"); key("a"); key("a"); key("d"); key("d");
  const other = page.document.querySelector(".ties a"), link = other && other.hash.slice(1);
  if (other) { other.click(); await event(page, "hashchange"); }
  const at = now().id;
  frame.width = 390;
  told[name] = { errors, steps, link, at, wide: root.scrollWidth };
  frame.width = 1280;
}
await fetch("told", { method: "POST", body: JSON.stringify(told) });
</script>"""


@cache
def told_by(browser: str, profile: Path) -> dict[str, Any]:
    """What a browser shows of each page of the book, as the driver's page reports it."""
    pages = {f"/{name}": page for name, page in book()}
    pages["/"] = DRIVER.replace("NAMES", json.dumps([*EXAMPLES]))
    reports, is_told = list[bytes](), Event()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in pages else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(pages.get(self.path, "").encode())

        def do_POST(self) -> None:
            reports.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()
            is_told.set()

        def log_message(self, *_: object) -> None:
            pass

    names, options = BROWSERS[browser]
    program = next(filter(None, map(shutil.which, names)), None)
    if program is None:
        pytest.skip(f"no {browser}")
    words = [program, *(option.format(profile) for option in options)]
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        words.append(f"http://127.0.0.1:{server.server_port}/")
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as process:
            is_told.wait(120)
            process.terminate()
        server.shutdown()
    assert reports, f"{browser} reported nothing"
    told: dict[str, Any] = json.loads(reports[0])
    return told


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("profiles")


@pytest.mark.campaign
@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("browser", BROWSERS)
def test_a_browser_steps_to_the_end_and_shows_what_the_trace_has(
    browser: str, name: str, profiles: Path
) -> None:
    (profile := profiles / browser).mkdir(exist_ok=True)
    told, problem = told_by(browser, profile)[name], EXAMPLES[name]
    steps, rows = told["steps"], list[Any](trace_problem(problem))
    frames = frames_of(view_of(problem), rows)
    assert not told["errors"]
    assert [step["id"] for step in steps] == [frame.id for frame in frames]
    assert told["link"] is None or told["at"] == told["link"]
    assert told["wide"] <= 390
    assert [step["id"] for step in steps if step["high"] > 720] == []
    for n in {1, len(rows) // 2, len(rows) - 1}:
        mark = str(rows[n].get("t", rows[n].get("i", n + 1)))
        texts = [text for step in steps if step["mark"] == mark for text in step["texts"]]
        shown = {word for text in texts for word in re.split(r"[^\w/.−∞-]+", text)}
        expected = {*numbers_of([rows[n][key] for key in SHOWN if key in rows[n]])}
        assert expected and expected <= shown, (n, expected - shown)


SHOWN = [
    *("λ", "w", "b", "η", "dual", "ε", "loss", "D", "F̃", "considered", "r", "leaves", "α", "W"),
    *("scores", "score", "margin", "M(r,s) f_s", "d(M(r), f)", "votes", "w^yr", "w^y"),
]
"""The keys of traces whose numbers pages show."""


def numbers_of(value: Any) -> Iterator[str]:
    """The numbers in a value of a trace that a page writes out, as it writes them."""
    if isinstance(value, int | Fraction) and not isinstance(value, bool):
        text = str(value).replace("-", "−")
        yield from [text] if len(text) <= LONGEST else []
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers_of(part)
