"""What tests of verdicts share."""

from collections.abc import Iterator

import pytest

from refmc.oracle.variants import known


@pytest.fixture(scope="module")
def without_hints() -> Iterator[None]:
    """No search for what a refuted answer is right for instead: most of the time of a verdict."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known, "hint", lambda problem, answer, verdict: "")
        yield
