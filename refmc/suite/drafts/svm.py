"""Problems of the SVMs and of quadratic programs."""

from __future__ import annotations

from fractions import Fraction

from refmc.core.scalars import number_text
from refmc.suite.catalogue.kernels import of_squares, rbf_gram
from refmc.suite.drafts.draft import Draft, Draws, Problem, drawn, texts

BINARY, HARD, MULTICLASS, QP = "svm.binary", "svm.hard", "svm.multiclass", "qp.convex"

UP, DOWN = Fraction(2) ** 40, Fraction(1, 2**40)


def _binary(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": BINARY, "C": "1", **fields}, why, flags)


def _hard(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": HARD, **fields}, why, flags)


def _multi(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": MULTICLASS, "C": "1", **fields}, why, flags)


def _qp(name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": QP, **fields}, why, flags)


def _rbf(
    name: str, why: str, family: str, X: list[list[str]], gamma: str, **fields: object
) -> Draft:
    stated = {"X": X, "kernel": {"name": "rbf", "gamma": gamma}}
    problem: Problem = {"family": family, "gram": rbf_gram(stated, of_squares), **fields}
    return Draft(name, problem, why, ("kernel", "gram", "rounded"), stated)


PAIR = [["1"], ["-1"]]
LINE = [["4"], ["5"], ["7"], ["9"]]
SIGNS = [-1, -1, 1, 1]
SQUARE = [["0", "0"], ["1", "1"], ["0", "1"], ["1", "0"]]
CUBIC = {"name": "polynomial", "degree": 3, "scale": "2", "offset": "1"}
THREE = [["1", "0"], ["0", "1"], ["-1", "-1"]]


def _spread(m: int) -> list[list[str]]:
    """m rows of a grid, the same every time, of which no three are alike."""
    return [[str(i * 7 % 11 - 5), str(i * 5 % 13 - 6)] for i in range(m)]


def _halves(m: int) -> list[int]:
    """Labels by the side of a line, with one row in five on the wrong one."""
    return [
        (1 if (i * 7 % 11 - 5) + (i * 5 % 13 - 6) > 0 else -1) * (-1 if i % 5 == 4 else 1)
        for i in range(m)
    ]


def _thirds(m: int) -> list[str]:
    return ["abc"[(i * 7 % 11 + i % 4) % 3] for i in range(m)]


def _draw_binary(draws: Draws) -> Problem:
    m, d = 2 + draws.below(5), 1 + draws.below(2)
    return {
        "X": draws.rows(m, d, ["-2", "-1", "0", "1/2", "1", "3"]),
        "y": draws.labels(m, [-1, 1]),
        "C": draws.one_of(["1/4", "1", "3", "10"]),
    }


def _draw_multi(draws: Draws) -> Problem:
    m, d = 3 + draws.below(3), 1 + draws.below(2)
    return {
        "X": draws.rows(m, d, ["-2", "-1", "0", "1/2", "1", "3"]),
        "y": draws.labels(m, ["b", "a", "c"]),
        "C": draws.one_of(["1/4", "1", "3"]),
        "classes": ["a", "b", "c"],
    }


def _draw_qp(draws: Draws) -> Problem:
    a, b, c = (1 + draws.below(4) for _ in range(3))
    return {
        "Q": [[str(a + c), str(a)], [str(a), str(a + b)]],
        "c": [str(draws.below(9) - 4), str(draws.below(9) - 4)],
        "A": [[str(1 + draws.below(3)), str(1 + draws.below(3))]],
        "b": [str(1 + draws.below(4))],
    }


DRAFTS = [
    _binary("one-row", "A single row: w is 0 and the bias alone does it.", "one row", X=[["1"]], y=[1]),
    _binary(
        "one-row-no-bias", "A single row without a bias, with its multiplier at C.", "one row",
        X=[["2"]], y=[1], C="1/32", bias=False,
    ),
    _binary("two-rows", "The least problem with a margin.", X=PAIR, y=[1, -1]),
    _binary(
        "two-rows-bounded", "Both multipliers are at C, so the margin is missed and the bias an interval.",
        "tie", X=PAIR, y=[1, -1], C="1/8",
    ),
    _binary(
        "two-rows-reversed", "The negative row comes first, and scores have the other sign.",
        X=PAIR, y=[-1, 1],
    ),
    _binary(
        "just-free", "C is 2^-52 above the multipliers, which are free.", "near-tie",
        X=PAIR, y=[1, -1], C="0x1.0000000000002p-1",
    ),
    _binary(
        "just-bounded", "C is 2^-53 below what free multipliers would be.", "near-tie",
        X=PAIR, y=[1, -1], C="0x1.ffffffffffffep-2",
    ),
    _binary(
        "shifted", "Far from the origin the bias is large, and shrinking it costs a lot.",
        X=LINE, y=SIGNS,
    ),
    _binary(
        "far-away", "Two rows at 1,000: a bias that is shrunk, forgotten or of the other sign shows.",
        X=[["1000"], ["1002"]], y=[-1, 1],
    ),
    _binary(
        "corner", "Three rows of which one is on the wrong side of any line through the others.",
        X=[["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], y=[1, 1, -1], C="4",
    ),
    _binary(
        "conflict", "The same row with both labels: no weights separate them.", "conflict", "duplicate",
        X=[["1"], ["1"], ["-1"]], y=[1, -1, -1], C="2",
    ),
    _binary(
        "duplicates", "Each row twice, so that multipliers are not unique.", "duplicate", "tie",
        X=[["0"], ["0"], ["1"], ["1"]], y=SIGNS, C="1/2",
    ),
    _binary(
        "constant-column", "A column of sevens beside the bias: two ways to shift.", "constant column",
        X=[["1", "7"], ["2", "7"], ["4", "7"]], y=[-1, -1, 1],
    ),
    _binary(
        "unbalanced", "One row against five: the larger class has bounded multipliers.",
        X=[["0"], ["1"], ["2"], ["3"], ["4"], ["9/2"]], y=[-1, -1, -1, -1, -1, 1],
    ),
    _binary(
        "one-class", "All rows are of one class, and the other is named only.", "absent class",
        X=PAIR, y=["yes", "yes"], classes=["no", "yes"],
    ),
    _binary(
        "no-bias", "Without a bias the line goes through the origin.",
        X=[["1", "0"], ["2", "1"], ["0", "1"]], y=[1, 1, -1], bias=False,
    ),
    _binary(
        "tiny", "Everything 2^-40 times as large, C so that the answer is that of `corner` in scale.",
        "tiny", X=texts([["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], DOWN), y=[1, 1, -1],
        C=number_text(4 * UP * UP),
    ),
    _binary(
        "big", "Everything 2^40 times as large.", "big",
        X=texts([["1.5", "2.5"], ["2.5", "1.5"], ["2.5", "2.5"]], UP), y=[1, 1, -1],
        C=number_text(4 * DOWN * DOWN),
    ),
    _binary(
        "sixteen", "Sixteen rows, some on the wrong side.", "16 rows", X=_spread(16), y=_halves(16), C="1/2",
    ),
    _binary(
        "seventeen", "Seventeen rows, some on the wrong side.", "17 rows",
        X=_spread(17), y=_halves(17), C="2",
    ),
    _binary(
        "cubic", "A polynomial kernel with a scale and an offset.", "kernel",
        X=PAIR + [["2"], ["-3"]], y=[1, -1, -1, 1], C="2", kernel=CUBIC,
    ),
    _binary(
        "quartic", "The fourth power, which squaring three times overshoots.", "kernel",
        X=[["1"], ["2"], ["-1"]], y=[1, -1, -1],
        kernel={"name": "polynomial", "degree": 4, "scale": "1", "offset": "1"},
    ),
    _binary(
        "gram", "A Gram matrix of rank 2, and no rows.", "gram",
        gram=[["2", "1", "0"], ["1", "1", "-1"], ["0", "-1", "2"]], y=[1, -1, -1], C="3",
    ),
    _rbf(
        "rbf-line", "The matrix of the RBF kernel with γ = 1/2 on a line.", BINARY,
        [["0"], ["1"], ["3"]], "1/2", y=[1, -1, 1], C="2",
    ),
    _rbf(
        "rbf-plane", "The matrix of the RBF kernel with γ = 2, rows off the origin.", BINARY,
        [["1", "0"], ["1", "1"], ["0", "3/2"], ["2", "1"]], "2", y=[1, 1, -1, -1], C="4",
    ),
    _binary(
        "weights", "A row of weight 0 is absent, and one of weight 2 is there twice.", "weights",
        X=[["0"], ["1"], ["3"], ["4"]], y=[1, -1, -1, 1], C="1/4", weights=["0", "2", "1", "1/2"],
    ),
    _binary(
        "weights-no-bias", "Weights where all multipliers are at their own bounds.", "weights",
        X=[["1"], ["-2"], ["1/2"]], y=[1, -1, -1], C="1/32", bias=False, weights=["3", "1", "2"],
    ),
    _binary(
        "squared-hinge", "The squared hinge is asked for, and its multipliers have no bound.",
        X=PAIR, y=[1, -1], C="1/4", loss="squared_hinge",
    ),
    _binary(
        "squared-hinge-conflict", "One row with both labels, and squares of what is missed.", "conflict",
        "duplicate", X=[["1"], ["1"], ["-1"]], y=[1, -1, -1], C="2", loss="squared_hinge",
    ),
    _binary(
        "penalised-bias", "The bias is asked to be shrunk with w.", X=LINE, y=SIGNS, bias="penalised",
    ),
    *drawn(BINARY, _draw_binary, (3, 7, 27, 29, 33, 47)),
    _hard("two-rows", "The least separable problem.", X=PAIR, y=[1, -1]),
    _hard("shifted", "Rows far from the origin: the bias does the most.", X=LINE, y=SIGNS),
    _hard(
        "diagonal", "Four rows of which three are support vectors.",
        X=[["0", "0"], ["1", "0"], ["0", "1"], ["2", "2"]], y=[-1, 1, 1, 1],
    ),
    _hard(
        "not-separable", "The diagonals of a square cross.", "not separable", X=SQUARE, y=[1, 1, -1, -1],
    ),
    _hard(
        "by-a-kernel", "A square that a kernel of degree 2 separates.", "kernel", X=SQUARE,
        y=[1, 1, -1, -1], kernel={"name": "polynomial", "degree": 2, "scale": "1", "offset": "1"},
    ),
    _hard(
        "no-bias", "Separable through the origin with less room than with a bias.",
        X=[["1", "2"], ["2", "1"], ["-1", "0"]], y=[1, 1, -1], bias=False,
    ),
    _hard(
        "conflict", "One row with both labels.", "conflict", "not separable",
        X=[["1"], ["1"]], y=[1, -1],
    ),
    _hard(
        "tiny-margin", "Two rows 2^-40 apart.", "tiny",
        X=[["1"], [number_text(1 + DOWN)]], y=[-1, 1],
    ),
    _hard("big", "Two rows 2^40 apart.", "big", X=texts([[0], [1]], UP), y=[-1, 1]),
    _hard(
        "duplicates", "Each row twice: multipliers are not unique.", "duplicate", "tie",
        X=[["0"], ["0"], ["2"], ["2"]], y=SIGNS,
    ),
    _hard("penalised-bias", "The bias is asked to be shrunk with w.", X=LINE, y=SIGNS, bias="penalised"),
    _multi("three-points", "Three rows of three classes, with ties in the multipliers.", "tie",
           X=THREE, y=["a", "b", "c"]),
    _multi(
        "three-points-unsorted", "The same in another order of labels than that of appearance.",
        X=THREE, y=["c", "a", "b"],
    ),
    _multi("one-row", "One row of two classes.", "one row", X=[["2"]], y=["a"], classes=["a", "b"],
           C="1/32"),
    _multi("two-classes", "Two classes: twice the C of the binary SVM without a bias.", X=PAIR,
           y=["b", "a"]),
    _multi(
        "absent-class", "A class that no row has stays in every maximum.", "absent class",
        X=PAIR, y=["a", "b"], classes=["a", "b", "c"], C="1/4",
    ),
    _multi(
        "conflict", "One row with three labels.", "conflict", "duplicate",
        X=[["1"], ["1"], ["1"], ["-2"]], y=["a", "b", "c", "a"],
    ),
    _multi("duplicates", "Each row twice.", "duplicate", X=[*THREE, *THREE], y=[*"bcabca"], C="1/3"),
    _multi(
        "constant-column", "A column of ones stands for a bias that is shrunk.", "constant column",
        X=[["1", "1"], ["2", "1"], ["4", "1"]], y=["b", "a", "b"], C="2",
    ),
    _multi(
        "four-classes", "Four classes on the axes.",
        X=[["1", "0"], ["0", "1"], ["-1", "0"], ["0", "-1"]], y=[*"dbca"], C="1/2",
    ),
    _multi(
        "just-bounded", "C is 2^-53 of itself below what a free multiplier would be.", "near-tie",
        X=[["2"]], y=["a"], classes=["a", "b"], C="0x1.fffffffffffffp-4",
    ),
    _multi(
        "tiny", "Rows 2^-40 times as large.", "tiny", X=texts(THREE, DOWN), y=["c", "a", "b"],
        C=number_text(UP * UP),
    ),
    _multi(
        "big", "Rows 2^40 times as large.", "big", X=texts(THREE, UP), y=["b", "c", "a"],
        C=number_text(DOWN * DOWN / 5),
    ),
    _multi("sixteen", "Sixteen rows of three classes.", "16 rows", X=_spread(16), y=_thirds(16), C="1/4"),
    _multi("seventeen", "Seventeen rows of three classes.", "17 rows", X=_spread(17), y=_thirds(17)),
    _multi("cubic", "A polynomial kernel.", "kernel", X=PAIR + [["2"]], y=["a", "b", "b"], kernel=CUBIC),
    _multi(
        "gram", "A Gram matrix and no rows.", "gram",
        gram=[["2", "1", "0"], ["1", "1", "-1"], ["0", "-1", "2"]], y=["b", "a", "c"],
    ),
    _rbf(
        "rbf", "The matrix of the RBF kernel with γ = 1.", MULTICLASS,
        [["1"], ["2"], ["4"]], "1", y=["c", "a", "b"], C="2",
    ),
    _multi(
        "sum-form", "Every rival has a slack of its own.", X=THREE, y=["b", "a", "c"], C="1/8",
        loss="sum_form",
    ),
    _multi(
        "weights", "A row of weight 0 is absent.", "weights", X=[*THREE, ["2", "1"]], y=[*"bcab"], C="1/3",
        weights=["1", "2", "1/2", "0"],
    ),
    _multi(
        "costs", "Mistakes cost different amounts, one way and the other.", "costs", X=THREE,
        y=["c", "b", "a"], C="1/4", cost=[["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]],
    ),
    _multi(
        "costs-sum-form", "Costs of mistakes, and a slack for each rival.", "costs", X=THREE,
        y=["a", "c", "b"], C="1/6", loss="sum_form", cost=[["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]],
    ),
    _multi(
        "row-costs", "Each row has its own costs.", "costs", X=THREE, y=["a", "b", "c"], C="1/2",
        row_costs=[["0", "2", "1"], ["1", "0", "1/2"], ["3", "1", "0"]],
    ),
    _multi(
        "features", "One vector of weights for features of row and class.", "features",
        features=[[["1", "0"], ["0", "1"]], [["1", "1"], ["0", "-1"]]], y=["b", "a"], C="1/8",
    ),
    *drawn(MULTICLASS, _draw_multi, (20, 22, 27, 33, 38, 59)),
    _qp(
        "equality", "The point of a line that is next to the origin.",
        Q=[["1", "0"], ["0", "1"]], c=["0", "0"], A=[["1", "1"]], b=["2"],
    ),
    _qp(
        "free", "No constraints: Qx = −c.", Q=[["2", "1"], ["1", "2"]], c=["-3", "0"],
    ),
    _qp(
        "half-space", "A bound that holds at the optimum.", Q=[["1"]], c=["-2"], G=[["1"]], h=["1"],
    ),
    _qp(
        "idle-bound", "A bound that does not hold at the optimum.", Q=[["1"]], c=["-2"], G=[["1"]], h=["3"],
    ),
    _qp(
        "infeasible", "Two bounds that exclude each other.", "infeasible",
        Q=[["1"]], c=["0"], G=[["1"], ["-1"]], h=["-1", "-1"],
    ),
    _qp(
        "unbounded", "A direction without curvature, in which the objective falls.", "unbounded",
        Q=[["1", "0"], ["0", "0"]], c=["-1", "-1"],
    ),
    _qp(
        "degenerate", "Three bounds meet in the optimum: the multipliers are not unique.", "tie",
        Q=[["1", "0"], ["0", "1"]], c=["-2", "-2"], G=[["1", "0"], ["0", "1"], ["1", "1"]],
        h=["1", "1", "2"],
    ),
    *drawn(QP, _draw_qp, (0, 1, 4, 6, 11)),
]  # fmt: skip
