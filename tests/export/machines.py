"""Compilers and interpreters, and what an exported file says there about many rows."""

import json
import shutil
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from struct import iter_unpack, pack
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest


class Build(NamedTuple):
    """A compiler, its options for the file, and those for linking."""

    compiler: str
    options: str
    linking: str = ""


WARNINGS = "-std=c99 -Wall -Wextra -Werror -pedantic"
CHECKED = "-fsanitize=undefined,address"
BUILDS = {
    "gcc": Build("gcc", f"-O2 {WARNINGS}"),
    "clang": Build("clang", f"-O2 {WARNINGS}"),
    "gcc contracted": Build("gcc", "-O2 -ffp-contract=fast -mfma"),
    "clang contracted": Build("clang", "-O2 -ffp-contract=fast -mfma"),
    "gcc x87": Build("gcc", "-O2 -m32 -mfpmath=387", "-m32"),
    "clang x87": Build("clang", "-O2 -m32 -mno-sse", "-m32"),
    "gcc fast": Build("gcc", "-Ofast"),
    "clang fast": Build("clang", "-Ofast"),
    "gcc linked fast": Build("gcc", "-O2", "-ffast-math"),
    "clang linked fast": Build("clang", "-O2", "-ffast-math"),
    "gcc unoptimised": Build("gcc", "-O0"),
    "gcc checked": Build("gcc", f"-O1 -fno-sanitize-recover=all {CHECKED}", CHECKED),
    "clang checked": Build("clang", f"-O1 -fno-sanitize-recover=all {CHECKED}", CHECKED),
}

DRIVER = r"""
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int @_predict(const double *row);
int @_predict_set(const double *row, int *set);
int main(int argc, char **argv) {
    long i, n = atol(argv[1]);
    int d = atoi(argv[2]), set[1000], c, count, seen = 0;
    double *rows = malloc(sizeof(double) * (size_t)(n * d + 1));
    if (fread(rows, sizeof(double), (size_t)(n * d), stdin) != (size_t)(n * d)) return 1;
    if (argc > 3) {
        clock_t start = clock();
        for (i = 0; i < n; i++) seen += @_predict(rows + i * d);
        printf("%.1f %d\n", (double)(clock() - start) * 1e9 / CLOCKS_PER_SEC / (double)n, seen);
    }
    for (i = 0; i < n && argc == 3; i++) {
        long long mask = 0;
        int label = @_predict(rows + i * d);
        count = @_predict_set(rows + i * d, set);
        for (c = 0; c < count; c++) mask |= 1LL << set[c];
        fwrite(&label, sizeof label, 1, stdout);
        fwrite(&mask, sizeof mask, 1, stdout);
    }
    free(rows);
    return 0;
}
"""

PROBE = """
#include <stdio.h>
int main(void) { return puts("") < 0; }
"""

SCRIPT = """
import * as m from "./{name}.mjs";
import fs from "node:fs";
const at = (label) => m.classes.indexOf(label);
const one = (row) => {{ try {{ return at(m.predict(row)); }} catch (error) {{ return -1; }} }};
const rows = JSON.parse(fs.readFileSync(0));
console.log(JSON.stringify(rows.map((row) => [one(row), m.predictSet(row).map(at)])));
"""

MODULE = """
import json, sys
import {name} as m

def one(row):
    try:
        return m.CLASSES.index(m.predict(row))
    except ValueError:
        return -1

rows = json.load(sys.stdin)
print(json.dumps([[one(row), [m.CLASSES.index(c) for c in m.predict_set(row)]] for row in rows]))
"""

Said = list[tuple[int, int]]
"""For each row the position predicted, −1 for none, and the set as bits."""


@cache
def works(build: str) -> bool:
    """Whether the compiler is there, with its options."""
    compiler, options, linking = BUILDS[build]
    if shutil.which(compiler) is None:
        return False
    with TemporaryDirectory() as folder:
        Path(folder, "a.c").write_text(PROBE, encoding="ascii")
        lines = [[compiler, *options.split(), *linking.split(), "a.c", "-o", "a"], ["./a"]]
        return all(
            subprocess.run(line, cwd=folder, capture_output=True, check=False).returncode == 0
            for line in lines
        )


def need(build: str) -> None:
    """Skip a test where the build can't be made."""
    if not works(build):
        pytest.skip(f"{build}: {' '.join(BUILDS[build])} doesn't work here")


def numbered(rows: Sequence[Any], categories: Sequence[Any]) -> bytes:
    """The rows as C has them, categories as positions."""
    found = []
    for row in rows:
        values = [v if names is None else place(v, names) for v, names in zip(row, categories)]
        found.append(pack(f"{len(row)}d", *values))
    return b"".join(found)


def place(name: str, names: Sequence[str]) -> int:
    """The position of a category, −1 where it isn't known."""
    return names.index(name) if name in names else -1


def compiled(text: str, name: str, build: str, folder: Path) -> Path:
    """A program that reads rows and writes labels and sets; the file is compiled by itself."""
    compiler, options, linking = BUILDS[build]
    (folder / f"{name}.c").write_text(text, encoding="ascii")
    (folder / "driver.c").write_text(DRIVER.replace("@", name), encoding="ascii")
    for line in (
        [compiler, *options.split(), "-c", f"{name}.c", "-o", f"{name}.o"],
        [compiler, "-O1", *linking.split(), "-c", "driver.c", "-o", "driver.o"],
        [compiler, *linking.split(), f"{name}.o", "driver.o", "-o", "program"],
    ):
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
    return folder / "program"


def said_in_c(text: str, name: str, build: str, rows: Sequence[Any], categories: Any) -> Said:
    """What the file says of the rows, in one process."""
    with TemporaryDirectory() as folder:
        program = compiled(text, name, build, Path(folder))
        line = [str(program), str(len(rows)), str(len(categories))]
        given = numbered(rows, categories)
        done = subprocess.run(line, input=given, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
        return [(label, mask) for label, mask in iter_unpack("=iq", done.stdout)]


def nanoseconds(text: str, name: str, build: str, rows: Sequence[Any], categories: Any) -> float:
    """How long a prediction takes."""
    with TemporaryDirectory() as folder:
        program = compiled(text, name, build, Path(folder))
        line = [str(program), str(len(rows)), str(len(categories)), "time"]
        given = numbered(rows, categories)
        done = subprocess.run(line, input=given, capture_output=True, check=True)
        return float(done.stdout.split()[0])


def need_node() -> None:
    """Skip a test where there is no node."""
    if shutil.which("node") is None:
        pytest.skip("node: isn't here")


def said_by_script(text: str, name: str, rows: Sequence[Any], python: str = "") -> Said:
    """What a module says of the rows, in node or in a Python."""
    with TemporaryDirectory() as folder:
        Path(folder, f"{name}.{'py' if python else 'mjs'}").write_text(text, encoding="ascii")
        script = Path(folder, "run.py" if python else "run.mjs")
        script.write_text((MODULE if python else SCRIPT).format(name=name), encoding="ascii")
        line = [python or "node", str(script)]
        given = json.dumps([list(row) for row in rows])
        done = subprocess.run(line, input=given, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[:3000]
        return [(label, sum(1 << c for c in found)) for label, found in json.loads(done.stdout)]


def oldest_python() -> str:
    """The oldest Python from 3.8 on that is here by its name; the test is skipped without one."""
    for name in (f"python3.{n}" for n in range(8, 12)):
        line = [name, "-c", ""]
        if (
            shutil.which(name)
            and subprocess.run(line, capture_output=True, check=False).returncode == 0
        ):
            return name
    pytest.skip("python3.8 to python3.11: none is here")
