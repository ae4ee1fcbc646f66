"""AdaBoost with stumps, exactly: refmc run --plain --persistent -- python boosting.py"""

import json
import sys
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

TOLD = {"implementation": "boosting.py", "supports": {"boost.ada": ["X", "weights", "classes"]}}


def stumps(X: Sequence[Sequence[float]]) -> Iterator[list[int]]:
    """The answers on the rows of every stump: a constant, or a side of a threshold."""
    yes = {(True,) * len(X)}
    for column in zip(*X):
        yes |= {tuple(value <= threshold for value in column) for threshold in column}
    for answers in sorted(yes):
        yield [1 if answer else -1 for answer in answers]
        yield [-1 if answer else 1 for answer in answers]


def adaboost(p: dict[str, Any]) -> dict[str, object]:
    negative, positive = p["classes"]
    y = [1 if label == positive else -1 for label in p["y"]]
    D = [Fraction(w) for w in p.get("weights", [1] * len(y))]
    known = list(stumps(p["X"]))
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
    is_start = asked["cmd"] == "start"
    told = TOLD if is_start else {"seq": asked["seq"], "answer": adaboost(asked["problem"])}
    print(json.dumps(told), flush=True)
