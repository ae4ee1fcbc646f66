"""refmc inside pytest, which finds this module where both are installed.

- `assert refmc.check(problem, answer)` fails with the verdict's own lines;
- a test that takes the fixture `refmc_suite` runs once for each vector of the suite, those of
  `@pytest.mark.refmc("svm.binary/*")` alone, whose ids are the ids of the tests;
- `--refmc-known FILE` has known failures with their reasons, as `refmc run` has them;
  `--refmc-report FILE.html` writes what came of each vector.

Nothing else of refmc is imported until a test needs it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

if TYPE_CHECKING:
    from refmc.checker import Verdict
    from refmc.core.records import Record
    from refmc.suite import Vector

MARK = "refmc(*ids, family, flags): the vectors of refmc's suite that refmc_suite is to have"

ANSWERED = "refmc answer"
"""The property of a test's report under which the answer to its vector goes to the report."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """--refmc-known and --refmc-report."""
    group = parser.getgroup("refmc", "vectors of refmc's suite")
    group.addoption("--refmc-known", metavar="FILE", help="known failures with reasons, as JSON")
    group.addoption("--refmc-report", metavar="FILE.html", help="write what came of each vector")


def pytest_configure(config: pytest.Config) -> None:
    """The mark, and the report if it is asked for."""
    config.addinivalue_line("markers", MARK)
    if config.getoption("--refmc-report") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Report(config), "refmc report")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each vector that the mark names."""
    mark = metafunc.definition.get_closest_marker("refmc")
    if "refmc_suite" not in metafunc.fixturenames:
        if mark is not None:
            name = metafunc.definition.name
            raise pytest.UsageError(f"{name}: the mark refmc is of tests that take refmc_suite")
        return
    from refmc.suite import vectors

    patterns, options = (mark.args, mark.kwargs) if mark is not None else ((), {})
    found = list(vectors(only=patterns or "*", **options))
    if not found:
        raise pytest.UsageError(f"{metafunc.definition.name}: no vector fits {', '.join(patterns)}")
    metafunc.parametrize("refmc_suite", found, ids=[v.id for v in found], indirect=True)


class Asked:
    """The vector that a test is run for: its `problem`, and the judge of the answer."""

    def __init__(self, vector: Vector, request: pytest.FixtureRequest) -> None:
        self.vector = vector
        self.problem = vector.problem
        self._request = request

    def judge(self, answer: Record | str) -> Verdict:
        """The verdict; fails the test with its lines unless it is VERIFIED or a known failure."""
        from refmc.answers import OracleFailure, check

        __tracebackhide__ = True
        verdict = check(self.problem, answer)
        text = answer if isinstance(answer, str) else json.dumps(dict(answer), default=_written)
        self._request.node.user_properties.append((ANSWERED, [self.vector.id, text]))
        reason = _known(self._request.config).get(self.vector.id)
        if reason is None and not verdict:
            raise OracleFailure(verdict)
        if reason is not None and not verdict:
            pytest.xfail(reason)
        if reason is not None:
            pytest.fail(f"right, but known as a failure ({reason}): take it off the list")
        return verdict


@pytest.fixture
def refmc_suite(request: pytest.FixtureRequest) -> Asked:
    """One vector of the suite after the other: `refmc_suite.judge(mine(refmc_suite.problem))`."""
    return Asked(request.param, request)


def _written(value: Any) -> object:
    """What JSON has no type for: Fractions as text, arrays as lists."""
    from refmc.core.scalars import plain

    found = plain(value)
    return str(found) if found is value else found


def _known(config: pytest.Config) -> dict[str, str]:
    path = config.getoption("--refmc-known")
    if path is None:
        return {}
    from refmc.suite.running import read_known

    return read_known(Path(path).read_text(encoding="utf-8"))


@pytest.hookimpl(tryfirst=True, wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Show the verdict's own lines where an `assert` failed because of it."""
    checker = sys.modules.get("refmc.checker.verdict")
    error = call.excinfo and call.excinfo.value
    if checker is not None and type(error) is AssertionError:
        assert call.excinfo is not None
        entry = call.excinfo.traceback[-1]
        statement = str(entry.statement).strip()
        for name, value in entry.frame.f_locals.items():
            # A verdict that the assert computed is in a variable of pytest's rewriting,
            # @py_assert…; in `assert verdict` it is in the variable itself.
            asserted = name.startswith("@py_assert") or re.fullmatch(
                rf"assert {re.escape(name)}(,.*)?", statement
            )
            if asserted and isinstance(value, checker.Verdict) and not value:
                error.args = (f"{statement}\n{value.explain()}",)
    return (yield)


class _Report:
    """Collects the answers from all worker processes, and judges them again for the report."""

    def __init__(self, config: pytest.Config) -> None:
        self.path = Path(config.getoption("--refmc-report"))
        self.config = config
        self.answers: list[tuple[str, str]] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call":
            answers = [value for name, value in report.user_properties if name == ANSWERED]
            self.answers += cast("list[tuple[str, str]]", answers)

    def pytest_sessionfinish(self) -> None:
        from types import SimpleNamespace

        from refmc.core.records import parse_json
        from refmc.draw.pictures import draw_problem
        from refmc.suite.corpus import vector_of
        from refmc.suite.protocol import About, Reply, Session
        from refmc.suite.reporting import html_report
        from refmc.suite.running import Case, excused, judged, receipt

        known = _known(self.config)
        results = []
        for id, text in self.answers:
            reply = Reply(parse_json(text, "answer"))
            results.append(excused(judged(Case(id, vector_of(id).problem), reply), known))
        session = cast("Session", SimpleNamespace(about=About("pytest", pytest.__version__)))
        command = ["pytest", *map(str, self.config.invocation_params.args)]
        lines = html_report(draw_problem)(results, lambda: receipt(results, session, command))
        self.path.write_text("\n".join(lines) + "\n", encoding="utf-8")
