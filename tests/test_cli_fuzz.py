"""Command lines that chance makes: none ends in a trace, in a code that the page doesn't have, or
with raw control characters on a terminal.

A line starts as one that works; then words are left out, doubled, exchanged or spoiled, and so are
the files that it names.
"""

import json
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from refmc.cli.problems import OF_ROWS
from refmc.oracle.families import FAMILIES
from refmc.suite.corpus import vectors_of
from tests.support import DATA, Done, run

TABLE = "a,b,colour,y\n1,2,red,p\n3,1/4,blue,q\n-5,6e3,red,p\n0.5,0,green,r\n"
SECONDS = 20
"""A line that takes longer is interrupted, as by Ctrl-C: some ask for 10⁹ rounds."""

WORDS = """- -- -1 0 1 2 17 1/3 1/0 0.1 1e400 1e-400 1e99999999 nan inf -inf 0x1p-3 ٣ ½ 1_000
1000000000
true null [] {} {"rbf":{}} * [ svm.* loss.hinge/two nosuch.json . /dev/null a a,a a,b y colour p r
balanced cv gini entropy linear rbf polynomial --json --help -o 日本"""
NASTY = [*WORDS.split(), "\udcff"]
NASTY += ["", "10" * 2_500, "x" * 3_000, "\x1b[31m", "a\nVERIFIED", "\uffff"]

FIT = {
    "multiclass-svm": "--C 1",
    "tree": "",
    "adaboost-mh": "--rounds 2",
    "multiclass-perceptron": "--epochs 2",
    "multiclass-svm-sgd": "--lam 1 --T 5",
    "one-vs-all": "--binary svm --C 1",
    "one-vs-one": "--binary perceptron --epochs 2",
    "output-code": "--code exhaustive --binary svm --C 1",
    "error-correcting-tournament": "--binary svm --C 1",
    "one-against-some": "--candidates 2 --binary svm --C 1",
    "label-tree": "--binary svm --C 1",
    "binary-svm": "--C 1",
    "perceptron": "--epochs 3",
    "svm-sgd": "--C 1 --eta 1/10 --epochs 2",
    "adaboost": "--rounds 2",
}

PROGRAMS = ["true", "cat", "false", "./nope", "sh -c exit_9", "echo {}", "echo {}{}", "yes"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Problems, answers, tables and models, all of them right; the working folder of the lines."""
    place, before = tmp_path_factory.mktemp("fuzzed"), Path.cwd()
    os.chdir(place)
    for family in FAMILIES:
        for vector in sorted(vectors_of(family), key=lambda v: len(str(v.problem)))[:2]:
            name = vector.id.replace("/", "_")
            Path(f"{name}.json").write_text(json.dumps(vector.problem))
            Path(f"{name}.answer").write_text(json.dumps(vector.answer))
            for i, wrong in enumerate(vector.wrong[:1]):
                Path(f"{name}.wrong{i}").write_text(json.dumps(wrong.answer))
    # No float parts two rows that are one number in binary64: the verdict is left open.
    X, y = [["0.1"], ["0.1000000000000000000001"], ["1"]], ["p", "q", "q"]
    rows = {"family": "tree.grow", "X": X, "y": y}
    split = {"question": {"column": 0, "threshold": 0.1}, "positive": 1, "negative": 2}
    Path("alike.json").write_text(json.dumps(rows))
    Path("alike.answer").write_text(json.dumps({"tree": {"nodes": [split, {}, {}]}}))
    Path("three.csv").write_text(TABLE)
    Path("two.csv").write_text("\n".join(TABLE.splitlines()[:-1]).replace(",", ";"))
    Path("numbers.csv").write_text(re.sub(",(colour|red|blue|green)", "", TABLE))
    Path("rows.svmlight").write_text("+1 1:1 2:0.5\n-1 2:3\n+1 1:-2\n")
    Path("known.json").write_text('{"loss.hinge/two": "why"}')
    for path in [*(DATA / "models").iterdir(), *(DATA / "saved").iterdir()]:
        is_saved = path.parent.name == "saved"
        shutil.copyfile(path, f"{path.stem}.model" if is_saved else path.name)
    for algorithm, options in FIT.items():
        words = f"fit {algorithm} numbers.csv --label y {options} -o {algorithm}.model".split()
        run(*words)
    yield place
    os.chdir(before)


@cache
def flags(*command: str) -> list[str]:
    """The flags of a command, and one that none has."""
    return [
        "--no-such",
        *sorted({*re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", run(*command, "--help").stdout)}),
    ]


def lines(random: Random, names: list[str]) -> list[str]:
    """A command line that makes sense, with names of files that are there."""
    problems = [name for name in names if name.endswith(".json")]
    problem = random.choice([*problems, "loss.hinge/two", "svm.binary/two-rows"])
    head = problem.removesuffix(".json")
    own = [name for name in names if name.startswith(f"{head}.") and name != problem]
    answer, other = (random.choice(own if own and random.random() < 0.9 else names) for _ in "ab")
    table = random.choice(["three.csv", "two.csv", "numbers.csv", "rows.svmlight"])
    algorithm = random.choice([*FIT])
    model = random.choice([name for name in names if name.endswith(".model")] or names)
    family, id = random.choice([*FAMILIES]), random.choice(["loss.hinge/two", "ova.decode/clear"])
    tabular = random.choice(OF_ROWS)
    program = f"--timeout 1 -- {random.choice(PROGRAMS)}"
    return random.choice(
        [
            f"check {problem} {answer}",
            f"check {answer} --csv {table} --label y --family {tabular} --C 1",
            f"solve {problem}",
            f"problem {table} --label y --family {tabular}",
            f"trace {problem}",
            f"draw {problem}",
            f"fit {algorithm} {table} --label y {FIT[algorithm]}",
            f"predict {model} {table}",
            f"show {model}",
            f"export {model} --to {random.choice(['c', 'javascript', 'python'])}",
            f"run --only {id} {program}",
            f"run --only {family}/seed* --random 2 {program}",
            f"explain {problem} {answer}",
            f"compare {problem} {answer} {other}",
            f"vectors {random.choice(['list', 'show loss.hinge/two', 'copy copied'])}",
            "mistakes svm.*",
            "serve",
            f"shrink {problem} --tries 5 {program}",
            f"scramble {problem}",
            f"gen {family}",
            f"tiny {family} --rows 1",
        ]
    ).split()


def spoiled(random: Random, words: list[str]) -> list[str]:
    """The same line with some words left out, doubled, exchanged, replaced, or more of them."""
    words = list(words)
    for _ in range(random.choice([0, 0, 0, 0, 1, 1, 2])):
        at = random.randrange(len(words) + 1)
        change = random.randrange(6)
        if change == 0 and at < len(words):
            del words[at]
        elif change == 1 and at < len(words):
            words.insert(at, words[at])
        elif change == 2 and at < len(words):
            other = random.randrange(len(words))
            words[at], words[other] = words[other], words[at]
        elif change == 3 and at < len(words):
            words[at] = random.choice(NASTY)
        else:
            known = flags(*words[: 2 if words[:1] in (["fit"], ["vectors"]) else 1])
            words[2:2] = [random.choice(known), random.choice(NASTY)][: change - 3]
    return words


def spoil_file(random: Random, path: Path) -> None:
    """Some of the file's bytes left out, doubled or replaced, or a value of its JSON by another."""
    data = path.read_bytes()
    try:
        record = json.loads(data)
    except ValueError:
        record = None
    if isinstance(record, dict) and record and random.random() < 0.7:
        place: dict[str, object] = record
        name = random.choice([*place])
        inner = place[name]
        while isinstance(inner, dict) and inner and random.random() < 0.7:
            place, name = inner, random.choice([*inner])
            inner = place[name]
        values: list[object] = [None, [], {}, -1, 0, 10**30, 0.5, True, [[]], [1], "", *NASTY]
        if isinstance(inner, list) and inner and random.random() < 0.6:
            inner[random.randrange(len(inner))] = random.choice(values)
        elif random.random() < 0.2:
            del place[name]
        else:
            place[name] = random.choice(values)
        path.write_bytes(json.dumps(record).encode("utf-8", "surrogatepass"))
        return
    scraps = [b"", b"\xff", b"\0", b'"', b"[", b"}", b",,", b"\n", b"9" * 99]
    for _ in range(random.choice([1, 2, 5])):
        at = random.randrange(len(data) + 1)
        data = data[:at] + random.choice(scraps) + data[at + random.choice([0, 1, 20]) :]
    path.write_bytes(data)


def served(random: Random, names: list[str]) -> str:
    """Lines for a program that reads its standard input, some of them broken."""
    problem = Path(random.choice(names)).read_text(encoding="utf-8", errors="replace")
    line = json.dumps({"cmd": random.choice(["solve", "check", "start"]), "seq": 1})
    return random.choice([problem, TABLE, f'{line[:-1]}, "problem": {problem}}}\n{line}', "{", ""])


def ran(random: Random, folder: Path) -> tuple[list[str], Done]:
    """A line and what came of it, in a folder one of whose files may be spoiled for it."""
    names = sorted(path.name for path in folder.iterdir() if path.is_file())
    words = spoiled(random, lines(random, names))
    named = [folder / word for word in words if word in names]
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    if named and random.random() < 0.6:
        spoil_file(random, random.choice(named))
    text = served(random, names)

    def enough(*_: object) -> None:
        raise KeyboardInterrupt

    kept = signal.signal(signal.SIGALRM, enough)
    signal.alarm(SECONDS)
    try:
        return words, run(*words, stdin=text)
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, kept)
        for path in [path for path in folder.iterdir() if path.is_file()]:
            if path not in before:
                path.unlink()
            elif path.read_bytes() != before[path]:
                path.write_bytes(before[path])


def faults(words: list[str], done: Done) -> list[str]:
    """What must not be: traces, codes that no page has, silence, raw control characters."""
    found = []
    codes = {0, 1, 2, 3, 4, 5} if words[:1] in (["run"], ["shrink"], ["serve"]) else {0, 1, 2, 3}
    if done.returncode not in codes | {130}:
        found.append(f"exit code {done.returncode}")
    if "Traceback" in done.stderr + done.stdout:
        found.append("a trace")
    if done.returncode == 2 and words[:1] != ["serve"]:
        *_, last = done.stderr.splitlines() or [""]
        if not last.startswith("refmc"):
            found.append("no message")
        if len(last) > 600:
            found.append("a long message")
    if not (done.stdout + done.stderr).replace("\n", "").replace("\xa0", "").isprintable():
        found.append("raw control characters")
    return found


def fuzzed(seeds: range, folder: Path) -> Counter[int]:
    """How often each exit code came; fails at the first fault."""
    codes: Counter[int] = Counter()
    for seed in seeds:
        words, done = ran(Random(f"line {seed}"), folder)
        found = faults(words, done)
        assert not found, f"seed {seed}: {found}: {words}\n{done.stderr[-2000:]}"
        codes[done.returncode] += 1
    return codes


pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="stops what takes too long")


def test_some_lines_that_chance_makes_end_as_the_page_says(folder: Path) -> None:
    codes = fuzzed(range(60), folder)
    assert codes[2] > 10 and codes[0] > 10


@pytest.mark.campaign
def test_5000_lines_that_chance_makes_end_as_the_page_says(folder: Path) -> None:
    codes = fuzzed(range(60, 5_060), folder)
    print(dict(codes))
    assert {0, 1, 2, 3, 4, 5} <= codes.keys() and codes[130] < 50
