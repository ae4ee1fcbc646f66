"""How long whole processes take: python tests/bench/bench_commands.py [start] [judging] [csv]

`start` prints by how much a check of three rows, and importing, growing and predicting iris, take
longer than an empty program, and how many times as long; each is the median of processor times,
in turn with the empty program. `judging` prints what `refmc run` takes for each problem for which
it starts a program, and what the program takes by itself. `csv` trains a tree of depth 3 on tables
of growing length, labels them, and prints the processor seconds, their factors and the peaks of
memory.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parents[2]
IRIS = """
from refmc import grow_tree
rows = [line.split(",") for line in open("tests/data/iris.csv").read().split()[1:]]
X, y = [list(map(float, row[:4])) for row in rows], [row[4] for row in rows]
grow_tree(X, y).predict(X)
"""
THREE = ["spec/examples/three-points.json", "spec/examples/three-points.exact.json"]
RUNS = 15


def spent(*arguments: object, stdin: Path | str = os.devnull) -> tuple[float, float]:
    """Processor seconds and peak megabytes of a program."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with open(stdin) as source:
        process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            env=environment,
            stdin=source,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0, arguments
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def start() -> None:
    for name, program in (
        ("check three-points", ["-m", "refmc", "check", *THREE]),
        ("import, grow, predict iris", ["-c", IRIS]),
    ):
        spent(*program)  # compiles the modules
        pairs = [(spent("-c", "pass")[0], spent(*program)[0]) for _ in range(RUNS)]
        empty, full = (median(column) for column in zip(*pairs))
        print(
            f"{name:28} {1000 * (full - empty):6.1f} ms, {full / empty:.1f} times as long as empty"
        )


def judging(problems: int = 40) -> None:
    program = ["spec/examples/my-hinge.py"]
    run = ["-m", "refmc", "run", "--problems"]
    with TemporaryDirectory() as folder:
        one, many = Path(folder, "one"), Path(folder, "many")
        one.write_text('{"family": "loss.hinge", "z": ["2", "3"]}\n')
        many.write_text(one.read_text() * (1 + problems))
        single, all_of_them, alone = (
            min(spent(*command, stdin=one)[0] for _ in range(RUNS))
            for command in (
                [*run, one, "--", sys.executable, *program],
                [*run, many, "--", sys.executable, *program],
                program,
            )
        )
    each = (all_of_them - single) / problems
    print(f"a problem of refmc run {1000 * each:12.1f} ms, by itself {1000 * alone:.1f}")


def csv() -> None:
    source, before = random.Random(1), (0.0, 0.0)
    with TemporaryDirectory() as folder:
        data, model = Path(folder, "data.csv"), Path(folder, "model.json")
        for m in (25_000, 50_000, 100_000):
            rows = [[source.random() for _ in range(4)] for _ in range(m)]
            lines = (",".join(map(str, [*x, "ab"[x[0] + x[1] > 1]])) for x in rows)
            data.write_text("\n".join(["a,b,c,d,y", *lines]) + "\n")
            tree = ["fit", "tree", data, "--label", "y", "--max-depth", "3", "-o", model]
            done = [spent("-m", "refmc", *tree), spent("-m", "refmc", "predict", model, data)]
            for name, (seconds, megabytes), last in zip(("fit", "predict"), done, before):
                factor = f", {seconds / last:.2f} times the half" if last else ""
                print(
                    f"{name:8} {m:6} rows {seconds:6.2f} s, {megabytes:.0f} MB{factor}", flush=True
                )
            before = done[0][0], done[1][0]


if __name__ == "__main__":
    for run in (start, judging, csv):
        if len(sys.argv) == 1 or run.__name__ in sys.argv:
            run()
