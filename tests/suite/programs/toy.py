"""Toy programs that keep the protocol, each right or wrong in the way that its argument names."""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))  # refmc needn't be installed

Answer = dict[str, Any]


def right(problem: Answer) -> Answer:
    from refmc.answers import solve_problem

    return dict(solve_problem(problem))


def opposite(problem: Answer) -> Answer:
    """Right, with the last choice at every tie, where refmc takes the first."""
    from refmc.suite.build import PLAIN

    plain = PLAIN.get(problem["family"])
    found = None if plain is None else plain(problem, {"last_of_tied"})
    found = right(problem) if found is None else json.loads(json.dumps(found, default=str))
    if "labels" in found and "label_sets" in found:
        return {"labels": [tied[-1] for tied in found["label_sets"]]}
    ends = found.get("b_interval", ["", ""])
    if "w" in found and ends[1] not in ("", "inf"):
        return {"w": found["w"], "b": ends[1]}
    return found


def divided(problem: Answer) -> Answer:
    """The answer to C divided by the number of rows."""
    if "C" not in problem or problem["family"] == "sgd.binary":
        return right(problem)
    from fractions import Fraction

    C = Fraction(problem["C"]) / len(problem["y"])
    return {**right({**problem, "C": str(C)})}


def crashing(problem: Answer) -> Answer:
    raise ValueError("can't divide\nby zero")


def hanging(problem: Answer) -> Answer:
    time.sleep(60)
    return {}


def chatty(problem: Answer) -> Answer:
    sys.stderr.write("about to begin\n" * 70_000)
    return right(problem)


if __name__ == "__main__":
    programs: list[Callable[[Answer], Answer]] = [
        right, opposite, divided, crashing, hanging, chatty
    ]  # fmt: skip
    program = {f.__name__: f for f in programs}[sys.argv[1]]
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["cmd"] == "stop":
            break
        if asked["cmd"] == "start":
            told: Answer = {"implementation": sys.argv[1], "version": "1"}
        else:
            told = {"seq": asked["seq"], "answer": program(asked["problem"])}
        print(json.dumps(told), flush=True)
