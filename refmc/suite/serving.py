"""refmc as a process that others keep: JSON Lines in, JSON Lines out, in order.

It speaks the protocol of `refmc.suite.protocol` from the other side, so it can itself be judged;
and it checks answers. spec/judging.md shows the lines.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable, Iterable
from typing import Any

from refmc import __version__
from refmc.answers import check, solve_problem
from refmc.core.printing import json_line
from refmc.core.records import Record, check_fields, parse_json
from refmc.core.scalars import shown
from refmc.errors import FormatError, RefmcError
from refmc.oracle.families import FAMILIES
from refmc.suite.protocol import PROTOCOL

MALFORMED, NOTHING, OWN_FAULT = 2, 5, 70

FIELDS = {
    "start": ["protocol"],
    "run": ["problem"],
    "solve": ["problem"],
    "check": ["problem", "answer", "gap"],
    "stop": [],
}
"""The commands and their fields beside `cmd` and `seq`."""

SEQ = re.compile(rb'"seq"\s*:\s*(-?[1-9]\d{0,15}|0|"[ -!#-\[\]-~]*")\s*[,}]')
"""A number or plain text as the seq of a line."""


def serve(lines: Iterable[bytes], write: Callable[[str], object]) -> int:
    """Answer each line with a line, until the input ends or says stop; the exit code.

    `write` takes the text of one line and passes it on at once. A line that can't be understood is
    answered with an error, and the next one is read; then the exit code is 2. It is 5 where nothing
    was asked, and 70 where refmc itself failed.

    >>> serve([b'{"cmd": "solve", "problem": {"family": "loss.hinge", "z": [0]}}'], print)
    {"answer": {"family": "loss.hinge", "values": ["1"], "mean": "1", "subgradients": ["-1"]}}
    0
    """
    code = NOTHING
    for line in lines:
        if not line.strip():
            continue
        found_seq = SEQ.search(line)  # of a line that can't be read
        seq: dict[str, object] = {"seq": json.loads(found_seq[1])} if found_seq else {}
        try:
            record = parse_json(line.decode("utf-8-sig"), "line")
            seq = {"seq": record["seq"]} if "seq" in record else {}
            found, worst = _answer(record), 0
            if not found:  # stop
                return code
        except RefmcError as error:
            found, worst = {"error": str(error)}, MALFORMED
        except UnicodeDecodeError as error:
            found, worst = {"error": f"line: not UTF-8 text: {error.reason}"}, MALFORMED
        except Exception:  # noqa: BLE001  # the next line may be answered
            found, worst = {"error": f"a fault of refmc: {traceback.format_exc()}"}, OWN_FAULT
        write(json_line(seq | found))
        code = worst if code == NOTHING else max(code, worst)
    return code


def _answer(record: Record) -> dict[str, Any]:
    command = record.get("cmd")
    if not isinstance(command, str) or command not in FIELDS:
        raise FormatError(f"line.cmd: expected start, solve, check or stop, got {shown(command)}")
    known = ["seq", *FIELDS[command]]
    check_fields(record, "line", required=["cmd"], optional=known, may_be_null=["seq", "gap"])
    if command == "stop":
        return {}
    if command == "start":
        found = {"implementation": "refmc", "version": __version__, "protocol": PROTOCOL}
        return {**found, "supports": [*FAMILIES], "conventions": []}
    if command in ("solve", "run"):
        return {"answer": solve_problem(_object(record, "problem"))}
    gap: Any = record.get("gap")
    problem, answer = _object(record, "problem"), _object(record, "answer")
    return {"verdict": check(problem, answer, gap=gap).to_json()}


def _object(record: Record, name: str) -> Record:
    value = record.get(name)
    if not isinstance(value, dict):
        raise FormatError(f"line.{name}: expected an object")
    return value
