"""What all tests share, and how many examples Hypothesis tries.

Few for everyone, many with --hypothesis-profile=campaign.

None has a deadline: how fast a busy machine is says nothing of the code.
"""

import gc
import linecache
from collections.abc import Callable, Generator, Iterator
from typing import Any

import pytest
from hypothesis import settings

from refmc.mistakes import known
from refmc.oracle.svm import binary, multiclass, qp

settings.register_profile("everyone", max_examples=16, deadline=None)
settings.register_profile("campaign", max_examples=2_000, deadline=None)
settings.load_profile("everyone")

collect_ignore = ["suite/programs"]  # they are started by tests, and run when they are imported


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Spare the garbage collector what is no garbage: it would take a tenth of the time.

    Whatever has been collected here stays; and tests make many objects, but few cycles of them.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(50_000)
        gc.enable()
        linecache.clearcache()  # each doctest asks of every file in it whether it has changed


@pytest.fixture(scope="module")
def without_hints() -> Iterator[None]:
    """No search for what a refuted answer is right for instead: most of the time of a verdict."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "hint", lambda problem, answer, verdict: "")
        yield


@pytest.fixture(scope="module")
def kept_optima() -> Iterator[None]:
    """Many answers to one problem are judged by one optimum, and not by one search for each."""
    with pytest.MonkeyPatch.context() as patch:
        for module, search in ((binary, "optimum"), (multiclass, "optimum"), (qp, "_solved")):
            patch.setattr(module, search, kept(getattr(module, search)))
        yield


def kept(search: Callable[..., Any]) -> Callable[..., Any]:
    """The search, which looks up what it found unless its steps are asked for."""
    found: dict[str, Any] = {}

    def looked_up(problem: object, on_step: object, **options: Any) -> Any:
        if on_step is not None:
            return search(problem, on_step, **options)
        key = repr((problem, options))
        if key not in found:
            found[key] = search(problem, on_step, **options)
        return found[key]

    return looked_up
