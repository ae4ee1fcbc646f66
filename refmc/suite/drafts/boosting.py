"""Problems of AdaBoost and of AdaBoost.MH."""

from __future__ import annotations

from fractions import Fraction

from refmc.suite.drafts.draft import Draft, Draws, Problem, drawn

ADA, MH = "boost.ada", "boost.mh"
ULP = Fraction(1, 2**52)


def _ada(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": ADA, **fields}, why, flags)


def _mh(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": MH, **fields}, why, flags)


def _line(*values: object) -> list[list[str]]:
    return [[str(v)] for v in values]


def _spread(m: int) -> list[list[str]]:
    return [[str(i * 7 % 11), str(i * 5 % 13)] for i in range(m)]


def _signs(m: int) -> list[int]:
    return [1 if (i * 7 % 11 + i % 4) % 3 else -1 for i in range(m)]


SQUARE = [["0", "0"], ["0", "1"], ["1", "0"], ["1", "1"]]


def _draw(draws: Draws) -> Problem:
    m, d = 3 + draws.below(5), 1 + draws.below(2)
    rows = draws.rows(m, d, [*"0123"])
    return {"X": rows, "y": draws.labels(m, [1, -1]), "rounds": 1 + draws.below(4)}


def _draw_mh(draws: Draws) -> Problem:
    m, d = 3 + draws.below(4), 1 + draws.below(2)
    found: Problem = {
        "X": draws.rows(m, d, [*"0123"]),
        "classes": [*"abc"],
        "rounds": 1 + draws.below(3),
    }
    if draws.below(2):
        return found | {"Y": draws.labels(m, [*"abc"])}
    return found | {"Y": [[c for c in "abc" if draws.below(2)] for _ in range(m)]}


DRAFTS = [
    _ada("two-rows", "A perfect stump: ε = 0, α infinite, and the run is over.", "perfect", X=_line(1, 2),
         y=[1, -1], rounds=3),
    _ada("one-row", "A constant is perfect on one row.", "one row", "perfect", X=_line(1), y=[1], rounds=2),
    _ada("three-rounds", "Three rounds with three stumps.", X=_line(1, 2, 3, 4), y=[1, -1, 1, -1], rounds=3),
    _ada("reversed", "The best stump says yes above its threshold.", X=_line(1, 2, 3), y=[-1, 1, 1], rounds=1),
    _ada("reversed-twice", "A reversed stump with an error, then others.", X=_line(1, 2, 3, 4),
         y=[-1, 1, 1, -1], rounds=3),
    _ada("no-edge", "No stump is better than chance on a square of crossed labels.", "no edge", "tie",
         X=SQUARE, y=[1, -1, -1, 1], rounds=3),
    _ada("conflict", "One row with both labels: no edge is left after it is all.", "conflict",
         X=_line(1, 1), y=[1, -1], rounds=2),
    _ada("conflict-later", "Equal rows with different labels gather the weight.", "conflict", "duplicate",
         X=_line(1, 1, 2, 3), y=[1, -1, -1, -1], rounds=4),
    _ada("weights", "Rows of other weights than 1.", "weights", X=_line(1, 2, 3), y=[1, -1, 1],
         weights=["1", "2", "4"], rounds=2),
    _ada("tiny-weight", "A row whose weight soon is tiny.", "tiny", X=_line(1, 2, 3, 4, 5, 6),
         y=[1, 1, 1, 1, -1, 1], weights=["1", "1", "1", "1", "1", "1/64"], rounds=4),
    _ada("near-tie", "Two stumps whose errors differ by 2^-52.", "near-tie", "weights",
         X=_line(1, 2, 3), y=[1, -1, 1], weights=["1", "1", str(1 + ULP)], rounds=1),
    _ada("labels", "Other labels than signs.", X=_line(1, 2, 3), y=["no", "yes", "no"], classes=["no", "yes"],
         rounds=2),
    _ada("single-precision", "Rows that are one in single precision.", "near-tie",
         X=_line(16777217, 16777218, 16777219, 16777220), y=[1, -1, -1, 1], rounds=2),
    _ada("sixteen", "Sixteen rows.", "16 rows", X=_spread(16), y=_signs(16), rounds=3),
    _ada("seventeen", "Seventeen rows.", "17 rows", X=_spread(17), y=_signs(17), rounds=4),
    *drawn(ADA, _draw, (2, 3, 21, 27, 31, 41, 50, 59)),
    _mh("single", "Single labels, and a perfect round.", X=_line(1, 2), Y=["a", "b"], rounds=2),
    _mh("three-labels", "Three labels on a line.", X=_line(0, 1, 2, 3), Y=[*"aabc"], rounds=3),
    _mh("sets", "Sets of labels.", "label sets", X=_line(0, 1, 2), Y=[["a"], ["a", "b"], ["b"]], rounds=3),
    _mh("empty-set", "A row without any label.", "label sets", X=_line(0, 1, 2), Y=[["a"], [], ["b"]], rounds=2),
    _mh("signs", "Labels as rows of signs.", "label sets", X=_line(0, 1, 2, 3),
        Y=[[1, -1], [1, 1], [-1, 1], [1, -1]], rounds=2),
    _mh("conflict", "One row with two labels in turn.", "conflict", X=_line(1, 1, 2), Y=[*"aba"], rounds=2),
    _mh("absent-class", "A label that no row has.", "absent class", X=_line(0, 1, 2), Y=[*"aba"],
        classes=[*"abc"], rounds=2),
    _mh("weights", "Rows of other weights than 1.", "weights", X=_line(0, 1, 2), Y=[*"abc"],
        weights=["1", "2", "3"], rounds=2),
    _mh("no-edge", "Labels that no stump tells better than chance.", "no edge", "tie", X=SQUARE,
        Y=[[1], [-1], [-1], [1]], rounds=2),
    _mh("seventeen", "Seventeen rows of three labels.", "17 rows", X=_spread(17),
        Y=["bca"[(i * 7 % 11 + i % 4) % 3] for i in range(17)], rounds=2),
    *drawn(MH, _draw_mh, (0, 5, 8, 24, 43, 59)),
]  # fmt: skip
