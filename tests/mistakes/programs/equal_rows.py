"""Rows kept in a dictionary, in which equal ones are one."""

from typing import Any

FIELDS = ("X", "y", "Y", "weights")

BUGS = ("equal_once", "first_of_equal", "last_of_equal")


def kept(p: dict[str, Any], bug: str) -> dict[str, Any]:
    """The problem with one of equal rows, if that is the bug, with their label or whatever it is.

    Where rows are visited by their numbers, all stay.
    """
    if bug not in BUGS or "X" not in p or {"order", "draws"} & p.keys():
        return p
    at = dict[str, int]()
    for i, (x, label) in enumerate(zip(p["X"], p["Y"] if "Y" in p else p["y"])):
        key = str((x, label) if bug == "equal_once" else x)
        at[key] = i if bug == "last_of_equal" else at.get(key, i)
    return {**p, **{name: [p[name][i] for i in at.values()] for name in FIELDS if name in p}}
