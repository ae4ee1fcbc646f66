"""AdaBoost with stumps, exactly: refmc run --persistent -- python boosting.py"""

import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

SPEAKS = {"family", "X", "y", "classes", "rounds", "weights"}


def number(value: str | float) -> Fraction:
    """3/7, 0.1, 0x1.8p-3 or a plain number."""
    is_hex = isinstance(value, str) and "x" in value
    return Fraction(float.fromhex(str(value))) if is_hex else Fraction(value)


def stumps(X: Sequence[Sequence[Fraction]]) -> Iterator[list[int]]:
    """The answers on the rows of every stump: a constant, or a side of a threshold."""
    yes = {(True,) * len(X)}
    for column in zip(*X):
        yes |= {tuple(value <= threshold for value in column) for threshold in column}
    for answers in sorted(yes):
        yield [1 if answer else -1 for answer in answers]
        yield [-1 if answer else 1 for answer in answers]


def adaboost(p: dict[str, Any]) -> dict[str, object]:
    negative, positive = p.get("classes", [-1, 1])
    y = [1 if label == positive else -1 for label in p["y"]]
    D = [number(w) for w in p.get("weights", [1] * len(y))]
    known = list(stumps([[number(v) for v in row] for row in p["X"]]))
    rounds: list[dict[str, object]] = []
    for _ in range(p["rounds"]):
        D = [d / sum(D) for d in D]
        errors = [sum(d for d, h, c in zip(D, stump, y) if h != c) for stump in known]
        epsilon = min(errors)
        if epsilon >= Fraction(1, 2):
            return {"rounds": rounds, "stopped": "no_edge"}
        best = known[errors.index(epsilon)]
        base = [positive if h > 0 else negative for h in best]
        rounds.append({"base": base, "epsilon": str(epsilon), "D": [str(d) for d in D]})
        if epsilon == 0:
            return {"rounds": rounds, "stopped": "perfect"}
        D = [d / (2 * (epsilon if h != c else 1 - epsilon)) for d, h, c in zip(D, best, y)]
    return {"rounds": rounds, "stopped": "rounds"}


for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "stop":
        break
    if asked["cmd"] == "start":
        told: dict[str, object] = {"implementation": "boosting.py", "supports": ["boost.ada"]}
    elif unknown := asked["problem"].keys() - SPEAKS:
        told = {"seq": asked["seq"], "skip": f"no {min(unknown)}"}
    else:
        told = {"seq": asked["seq"], "answer": adaboost(asked["problem"])}
    print(json.dumps(told), flush=True)
