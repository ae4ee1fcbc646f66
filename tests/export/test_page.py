"""The commands of spec/export.md do what the page shows."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.export.machines import need
from tests.support import DATA, SPEC, run


def test_the_commands_of_the_page_print_what_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need("gcc")
    monkeypatch.chdir(tmp_path)
    shutil.copy(DATA / "iris.csv", tmp_path)
    page = (SPEC / "export.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    commands = [part.split("\n", 1) for part in block.split("$ ")[1:]]
    assert len(commands) == 5
    for line, printed in commands:
        if line.startswith("refmc "):
            done = run(*shlex.split(line)[1:])
            assert (done.returncode, done.stdout) == (0, printed)
        else:
            assert subprocess.check_output(line, shell=True, text=True) == printed
    assert (tmp_path / "iris.mjs").exists() and (tmp_path / "iris.py").exists()
