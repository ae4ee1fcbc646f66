"""What several tests share: places of files, real data, and stand-ins for what callers hold."""

import ast
import contextlib
import csv
import inspect
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from refmc import cli, load_model
from refmc.checker.kernels import Kernel

ROOT = Path(__file__).parent.parent
DATA = ROOT / "tests" / "data"
SPEC = ROOT / "spec"
EXAMPLES = SPEC / "examples"


def format_examples() -> list[str]:
    """The problems and the answers of spec/format.md, in turn, as they stand there."""
    page, found = (SPEC / "format.md").read_text(encoding="utf-8"), []
    for block in re.findall(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL):
        while block:
            end = json.JSONDecoder().raw_decode(block)[1]
            found.append(block[:end])
            block = block[end:].lstrip()
    return found


def _cells(name: str | Path) -> list[list[str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))[1:]


def table(
    name: str | Path, read: Callable[[str], Any] = float
) -> tuple[list[list[Any]], list[str]]:
    """The rows and the labels of a file; the label stands last."""
    rows = _cells(name)
    return [[read(cell) for cell in row[:-1]] for row in rows], [row[-1] for row in rows]


def yeast() -> tuple[list[list[float]], list[list[int]]]:
    """Rows of 103 numbers, and 0 or 1 for each of 14 labels."""
    rows = _cells("yeast-100.csv")
    return [[*map(float, row[:103])] for row in rows], [[*map(int, row[103:])] for row in rows]


@cache
def parsed(file: Path) -> ast.Module:
    """The code of a file, parsed once for all tests that read code."""
    return ast.parse(file.read_text(encoding="utf-8"))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """The node and all statements in it, without their expressions, which are most of a tree."""
    yield node
    for part in ast.iter_child_nodes(node):
        if not isinstance(part, (ast.expr, ast.arguments)):
            yield from statements(part)


def inner(u: Sequence[Any], v: Sequence[Any]) -> Fraction:
    """⟨u, v⟩."""
    return sum((a * b for a, b in zip(u, v, strict=True)), Fraction(0))


class Array:
    """What NumPy arrays and pandas columns can do: turn themselves into lists.

    Two of them aren't equal or different: they are so entry by entry.
    """

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> Any:
        return self

    def __bool__(self) -> bool:
        raise ValueError("the truth value of an array is ambiguous")

    def tolist(self) -> Any:
        return self.value


class Frame:
    """What data frames of pandas can do, whose numbers are floats beside floats."""

    def __init__(self, columns: Sequence[object], rows: Sequence[Sequence[Any]]) -> None:
        self.columns = Array(list(columns))
        self.rows = rows

    def to_numpy(self, dtype: object = None) -> Array:
        has_floats = any(isinstance(value, float) for row in self.rows for value in row)
        if dtype is not object and has_floats:
            return Array([list(map(float, row)) for row in self.rows])
        return Array([list(row) for row in self.rows])


class PlainFrame:
    """A data frame with `values` and nothing else, whose columns have no names."""

    def __init__(self, rows: Sequence[Sequence[object]]) -> None:
        self.columns = range(len(rows[0]))
        self.values = Array([list(row) for row in rows])


class Sparse:
    """A sparse matrix of SciPy, which is no sequence and says how to become an array."""

    def toarray(self) -> Array:
        return Array([[1, 0]])


def reloaded(model: Any) -> Any:
    """The model, written and read again."""
    return load_model(model.to_json())


class InTurn:
    """A learner that gives these functions, or constants, in turn, and keeps what it was shown."""

    def __init__(self, *answers: Any) -> None:
        self.waiting = list(answers)
        self.seen: list[tuple[list[Any], list[int]]] = []

    def __call__(self, X: Sequence[Any], y: Sequence[int]) -> Callable[[Any], Any]:
        self.seen.append((list(X), list(y)))
        answer = self.waiting.pop(0)
        return answer if callable(answer) else lambda x: answer


def of_first_column(*functions: Callable[[Any], Any]) -> InTurn:
    """`InTurn`, of functions of the first number of a row."""
    return InTurn(*(lambda x, f=f: f(x[0]) for f in functions))


class Estimator:
    """A fitted estimator as its dump has it: parameters, attributes, and what its methods said.

    `answers`: for each method what it gives, whatever it is asked about.
    """

    def __init__(
        self,
        parameters: Mapping[str, Any],
        fitted: Mapping[str, Any],
        answers: Mapping[str, Any] | None = None,
    ) -> None:
        self.parameters = parameters
        self.__dict__.update(fitted)
        for method, answer in (answers or {}).items():
            self.__dict__[method] = lambda *_, found=answer: found

    def get_params(self, deep: bool = True) -> Mapping[str, Any]:
        return self.parameters


def stand_in(name: str, *parts: Mapping[str, Any]) -> Any:
    """An `Estimator` whose class has the name."""
    return type(name, (Estimator,), {})(*parts)


def restored(dumped: Any) -> Any:
    """What a dump of estimators stands for, with arrays that must be turned into lists."""
    if isinstance(dumped, list):
        return [restored(entry) for entry in dumped]
    if not isinstance(dumped, dict):
        return dumped
    if "array" in dumped:
        return Array(dumped["array"])
    if "class" not in dumped:
        return {name: restored(value) for name, value in dumped.items()}
    parts = (restored(dumped[name]) for name in ("parameters", "fitted", "answers"))
    return stand_in(dumped["class"], *parts)


class Done(NamedTuple):
    """What a command left behind."""

    returncode: int
    stdout: str
    stderr: str


def run(*arguments: object, stdin: str = "") -> Done:
    """Run a command in this process, which is much faster than a new one."""
    out, err, given = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8")
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.main(list(map(str, arguments)))
    except SystemExit as stop:  # argparse
        code = int(str(stop.code or 0))
    finally:
        sys.stdin = given
    return Done(code, out.getvalue(), err.getvalue())


def printed_under_two_hash_seeds(program: str) -> set[str]:
    """What the program prints in this process, and in one whose hash seed is another."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONUTF8": "1"}
    there = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT, env=environment, check=True, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    here = io.StringIO()
    with contextlib.redirect_stdout(here):
        exec(program, {})  # noqa: S102  # a test's own program
    return {here.getvalue(), there.stdout}


@contextlib.contextmanager
def few_calls_deep(most: int = 100) -> Iterator[None]:
    """No more than so many calls within each other: recursion over data fails on little data."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + most)
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


def polynomial_kernel(degree: int, scale: Fraction, offset: Fraction) -> Kernel:
    """The polynomial kernel as the checker takes it."""
    return Kernel("polynomial", {"degree": Fraction(degree), "scale": scale, "offset": offset})
