"""Files of every kind of model and version, which loading must read for ever.

A file is never changed: a new version of a kind gets a new file. The models were trained on rows
that their classes part plainly, so that what they predict is known without any of their numbers.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from refmc import load_model
from refmc.oracle.models import LOADERS, REDUCTIONS
from tests.support import DATA, reloaded

FILES = sorted((DATA / "saved").glob("*.json"))
KINDS = [*LOADERS, *REDUCTIONS]

ALONG_ONE_AXIS = [([2], "yes"), ([-3], "no")]
THREE_WAYS = [([2, 0], "a"), ([0, 2], "b"), ([-1, -1], "c")]
EXPECTED: dict[str, list[tuple[list[Any], str]]] = {
    "adaboost": [([0], "yes"), ([1], "yes"), ([2], "no"), ([3], "yes")],
    "adaboost-mh": [([0], "a"), ([1], "b"), ([2], "c")],
    "decision-tree": [
        (["red", 1], "a"), (["red", 2], "b"), (["blue", 1], "b"), (["blue", 3], "a"),
    ],
    "one-against-some": [([2, 1], "a"), ([-2, 1], "b"), ([2, -1], "c"), ([-2, -1], "d")],
    "stump": [(["red"], "yes"), (["blue"], "no"), (["green"], "no"), (["none of these"], "no")],
}  # fmt: skip
for kind in ("binary-svm", "perceptron", "kernel-perceptron", "svm-sgd"):
    EXPECTED[kind] = ALONG_ONE_AXIS
for kind in set(KINDS) - set(EXPECTED):
    EXPECTED[kind] = THREE_WAYS


def read(path: Path) -> tuple[str, dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    return text, json.loads(text)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_file_is_read_and_predicts_what_it_was_trained_on(path: Path) -> None:
    text, record = read(path)
    model: Any = load_model(text)
    rows = EXPECTED[record["model"]]
    assert model.predict([row for row, _ in rows]) == [label for _, label in rows]
    assert reloaded(model) == model


@pytest.mark.parametrize("kind", KINDS)
def test_every_version_of_a_kind_has_its_file_and_the_newest_is_written_as_it_stands(
    kind: str,
) -> None:
    versions = {
        record["version"]: text for text, record in map(read, FILES) if record["model"] == kind
    }
    newest = max(versions)
    assert sorted(versions) == list(range(1, newest + 1))
    assert load_model(versions[newest]).to_json() + "\n" == versions[newest]
    assert all(path.stem == "{model}-{version}".format_map(read(path)[1]) for path in FILES)
