"""Each verdict that the page of disputes tells is the one that the files get."""

import re
from pathlib import Path

import pytest

from tests.support import SPEC, run

PAGE = (SPEC / "disputes.md").read_text(encoding="utf-8")
FOLDER = SPEC / "examples" / "disputes"

LINK = re.compile(r"\]\((examples/[^)]*\.json)\)( VERIFIED| REFUTED)?")


def told() -> list[tuple[Path, Path, str]]:
    """Each answer of the page, behind the last problem that it names, and the verdict told."""
    found, problem = [], SPEC
    for path, status in LINK.findall(PAGE):
        if status:
            found.append((problem, SPEC / path, status.strip()))
        else:
            problem = SPEC / path
    return found


@pytest.mark.parametrize(
    ("problem", "answer", "status"), told(), ids=lambda value: getattr(value, "stem", value)
)
def test_an_answer_gets_the_verdict_that_the_page_tells(
    problem: Path, answer: Path, status: str
) -> None:
    done = run("check", problem, answer)
    assert done.stdout.split()[0] == status, done.stdout


@pytest.mark.parametrize("model", ["positive-first.model", "negative-first.model"])
def test_models_in_either_order_of_labels_are_right(model: str) -> None:
    files = FOLDER / "order-of-labels"
    asked = ("--csv", files / "data.csv", "--label", "label", "--family", "svm.binary", "--C", "1")
    done = run("check", *asked, files / model)
    assert done.stdout.split()[0] == "VERIFIED", done.stdout
    # The file's first label is the positive one, so only one of the two has positive weights first.
    assert (files / model).read_text().splitlines()[5] == (
        "label 2 1" if model.startswith("positive") else "label 1 2"
    )


def test_every_file_of_the_disputes_is_told_on_the_page() -> None:
    named = {SPEC / path for path in re.findall(r"examples/disputes/[^)\s]*", PAGE)}
    assert {path for path in FOLDER.rglob("*") if path.is_file()} == named
