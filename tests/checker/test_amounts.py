"""All numbers of verdicts, for one wrong answer of each kind: every expectation is worked by hand.

A case is judged at three allowed gaps: at none, where each fault is named with its amount; at the
largest that still refutes it, less a billionth; and at the least that doesn't.
"""

from collections.abc import Mapping
from fractions import Fraction as F
from math import cosh, exp, log, log1p, sinh, tanh
from typing import Any, NamedTuple

import pytest

from refmc import check
from refmc.checker.boosting.run import BoostingProblem, Run
from refmc.checker.kernels import polynomial_gram
from refmc.checker.numbers.arithmetic import to_matrix
from refmc.checker.numbers.enclosures import Enclosure
from refmc.checker.numbers.logarithms import log2
from refmc.checker.online.states import Point, rounding
from refmc.checker.svm import binary, hard, multiclass
from refmc.checker.svm.binary import BinaryAnswer, BinaryProblem
from refmc.checker.svm.multiclass import MulticlassAnswer, MulticlassProblem
from refmc.checker.verdict import Place

pytestmark = pytest.mark.usefixtures("without_hints")

Record = dict[str, Any]
Number = F | float | None
"""A float is right in 12 digits, for numbers that are enclosed."""

Amounts = Mapping[str, Number | tuple[Number, ...]]

NEVER = None  # no gap makes up for such a fault


class Case(NamedTuple):
    """`wrong`: the amount of each fault, or of all at one place.

    `near`: the least allowed gap that doesn't refute. `gap`, `scale`: of the refuted answer;
    `inside`: these of the one that isn't, if they differ.
    """

    problem: Record
    answer: Record
    wrong: Amounts
    gap: Number
    scale: Number
    near: Number
    status: str = "VERIFIED"
    inside: tuple[Number, Number] | None = None


def same(found: F | None, needed: Number) -> bool:
    if isinstance(needed, float):
        return found is not None and abs(float(found) / needed - 1) < 1e-12
    return found == needed


# w = (v, −v) with one row 2: P = v² + max(0, 1 − 4v), least at 1/4 with λ = 1/8
ONE_ROW = {"family": "svm.multiclass", "X": [[2]], "y": ["a"], "classes": ["a", "b"], "C": 1}
# the same, and a row 1 of its own column: v = ½ there, and P* = ¼ + 1/16
BESIDE = {**ONE_ROW, "X": [[0, 1], [2, 0]], "y": ["a", "a"]}
BY_FEATURES = {
    "family": "svm.multiclass", "features": [[[0, 0], [2, 0]], [[0, -1], [0, 1]]],
    "y": ["b", "b"], "classes": ["a", "b"], "C": 1,
}  # fmt: skip
MULTICLASS = {
    # P = ½/16 + ½ = 17/32 against 1/16. Row: ½ − ⅛·½; class b is off by 1/4
    "weights": Case(
        ONE_ROW, {"W": [["1/4"], [0]]}, {"row 0 against class b": F(7, 16), "class b": F(1, 32)},
        F(15, 32), F(1, 16), F(15, 2),
    ),
    # D = λ − 4λ² = 3/64; at its weights the margin is ½: the row misses ½ − λ/2
    "multipliers": Case(
        ONE_ROW, {"lam": [["1/16", "1/16"]]}, {"row 0 against class b": F(15, 32)},
        F(1, 64), F(1, 16), F(1, 4),
    ),
    # the score ½ of class a is off by ¼: (¼)² / (2·4)
    "scores": Case(
        ONE_ROW, {"scores": [["3/4", "-1/2"]]}, {"row 0, class a": F(1, 128)},
        F(1, 128), F(1, 16), F(1, 8),
    ),
    # class b trails by 1: 1² / (2·8); other weights may have the label, so it is left open
    "labels": Case(
        ONE_ROW, {"labels": ["b"]}, {"row 0": F(1, 16)}, F(1, 16), F(1, 16), F(1), "INCONCLUSIVE"
    ),
    # the worse row stands first: class b trails by 1, of norm 2·1
    "labels of two rows": Case(
        BESIDE, {"labels": ["b", "b"]}, {"row 0": F(1, 4), "row 1": F(1, 16)},
        F(1, 4), F(5, 16), F(4, 5), "INCONCLUSIVE",
    ),
    # both rows lead by w·(2, 0) or w·(0, 2), which is 1 for (½, ½): 1² / (2·4)
    "labels by features": Case(
        BY_FEATURES, {"labels": ["a", "a"]}, {"row 0": F(1, 8), "row 1": F(1, 8)},
        F(1, 8), F(1, 4), F(1, 2), "INCONCLUSIVE",
    ),
    "slack": Case(
        ONE_ROW, {"W": [["1/4"], ["-1/4"]], "slack": ["1/4"]}, {"row 0": F(1, 4)},
        F(1, 4), F(1, 16), F(4),
    ),
    # at half of the cost
    "slack of a light row": Case(
        {**ONE_ROW, "C": "1/2"}, {"W": [["1/4"], ["-1/4"]], "slack": ["1/4"]}, {"row 0": F(1, 8)},
        F(1, 8), F(1, 16), F(2),
    ),
    # v = ½ for a margin of 2, and P* = ¼: class b trails by 2
    "labels of a costly row": Case(
        {**ONE_ROW, "row_costs": [[0, 2]]}, {"labels": ["b"]}, {"row 0": F(1, 4)},
        F(1, 4), F(1, 4), F(1), "INCONCLUSIVE",
    ),
    "objective": Case(
        ONE_ROW, {"objective": "1/8", "W": [["1/4"], ["-1/4"]]}, {"objective": F(1, 16)},
        F(1, 16), F(1, 16), F(1),
    ),
}  # fmt: skip

# w = 1, b = 0 and α = (½, ½): P* = ½
TWO_ROWS = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
# ½w² + 2(1 − w)²: w = 4/5, α = (2/5, 2/5) and P* = 2/5
SQUARED = {**TWO_ROWS, "loss": "squared_hinge"}
BINARY = {
    # P = ⅛ + 1. Each row: ½ − ½·½; the weights ½·(½)²
    "weights": Case(
        TWO_ROWS, {"w": ["1/2"], "b": 0}, {"row 0": F(1, 4), "row 1": F(1, 4), "weights": F(1, 8)},
        F(5, 8), F(1, 2), F(5, 4),
    ),
    # each row misses ½·¼, whatever the weights are; the scores of w need b = −¼ and b = ¼
    "scores": Case(
        TWO_ROWS, {"scores": ["3/4", "-3/4"]},
        {"bias": F(1, 2), "row 0": F(1, 8), "row 1": F(1, 8)}, F(1, 2), F(1), F(1, 2),
        inside=(F(1, 4), F(1, 2)),
    ),
    # row 1 scores −1: weights that move it half of the way need (½)²/2, a bias ½ more than that
    "labels": Case(
        TWO_ROWS, {"labels": [1, 1]}, {"row 1, labelled 1": F(1, 8)},
        F(1, 8), F(1, 2), F(1, 4), "INCONCLUSIVE", inside=(None, None),
    ),
    # no weights move row 1, so b = −1 must pass −½: from (½, ½) towards (0, 1) the dual value
    # changes by t/2 − t²/2, at most ⅛
    "label of a row at 0": Case(
        {**TWO_ROWS, "X": [[2], [0]], "weights": [2, 1]}, {"labels": [1, 1]},
        {"row 1, labelled 1": F(1, 8)}, F(1, 8), F(1, 2), F(1, 4), "INCONCLUSIVE",
        inside=(None, None),
    ),
    # ½ against 2/5. Each row: α²/4; the weights ½·(1/5)²
    "squared": Case(
        SQUARED, {"w": [1], "b": 0},
        {"row 0": F(1, 25), "row 1": F(1, 25), "weights": F(1, 50)}, F(1, 10), F(2, 5), F(1, 4),
    ),
    "slack": Case(
        TWO_ROWS, {"w": [1], "b": 0, "slack": ["1/4", 0]}, {"row 0": F(1, 4)},
        F(1, 4), F(1, 2), F(1, 2),
    ),
    "bias interval": Case(
        TWO_ROWS, {"w": [1], "b_interval": ["-1/4", 0]}, {"lower end of b_interval": F(1, 4)},
        F(1, 4), F(1), F(1, 4),
    ),
    "margin": Case(
        TWO_ROWS, {"w": [1], "margin_squared": "3/2"}, {"margin_squared": F(1, 2)},
        F(1, 2), F(1), F(1, 2),
    ),
}  # fmt: skip

SEPARABLE = {"family": "svm.hard", "X": [[1], [-1]], "y": [1, -1]}
# the hulls meet at 1
MIXED = {"family": "svm.hard", "X": [[0], [2], [1], [1]], "y": [1, 1, -1, -1]}
HARD = {
    # ½·(3/2)² against ½; each row ½·½ beyond its margin
    "too long": Case(
        SEPARABLE, {"w": ["3/2"], "b": 0},
        {"weights": F(5, 8), "row 0": F(1, 4), "row 1": F(1, 4)}, F(5, 8), F(1, 2), F(5, 4),
    ),
    "too short": Case(
        SEPARABLE, {"w": ["3/4"], "b": 0}, {"row 0": F(1, 4), "row 1": F(1, 4)},
        F(1, 4), F(1), F(1, 4),
    ),
    # ½ − ½·(½)² against ½
    "multipliers": Case(
        SEPARABLE, {"alpha": ["1/4", "1/4"]}, {"alpha": F(1, 8)}, F(1, 8), F(1, 2), F(1, 4)
    ),
    "slack": Case(
        SEPARABLE, {"w": [1], "b": 0, "slack": ["1/4", 0]}, {"slack of row 0": F(1, 4)},
        F(1, 4), F(1), F(1, 4),
    ),
    "objective": Case(
        SEPARABLE, {"objective": "3/4", "w": [1], "b": 0}, {"objective": F(1, 4)},
        F(1, 4), F(1, 2), F(1, 2),
    ),
    # (−1) and (1) are 2 apart, and the rows have length 1
    "no combination": Case(
        SEPARABLE, {"combination": ["1/2", "1/2"]}, {"combination": F(4)}, 2.0, F(1), NEVER
    ),
    # 3/2 and 1 are ½ apart, and the longest row is 2
    "combination": Case(
        MIXED, {"combination": ["1/4", "3/4", "1/2", "1/2"]}, {"combination": F(1, 4)},
        0.5, F(2), F(1, 4),
    ),
}  # fmt: skip

# ½x² − 2x with x ≤ 1: x = 1, μ = 1 and −3/2
PARABOLA = {"family": "qp.convex", "Q": [[1]], "c": [-2], "G": [[1]], "h": [1]}
# ½x² with x = 2: ν = −2
FIXED = {"family": "qp.convex", "Q": [[1]], "c": [0], "A": [[1]], "b": [2]}
BELOW = {**PARABOLA, "G": [[1], [-1]], "h": [-1, -1]}  # x ≤ −1 and −x ≤ −1
TWICE = {"family": "qp.convex", "Q": [[1]], "c": [0], "A": [[1], [1]], "b": [1, 2]}
# −x_0 + ½x_1² with x_1 ≤ −3: the ray (1, 0)
FALLING = {"family": "qp.convex", "Q": [[0, 0], [0, 1]], "c": [-1, 0], "G": [[0, 1]], "h": [-3]}
QP = {
    # the constraint counts by 1·1 + 1, the height by 3/2
    "outside": Case(
        PARABOLA, {"x": [2]}, {"row 0 of Gx ≤ h": F(1), "objective at x": F(1, 2)},
        F(1), F(2), F(1, 2),
    ),
    # 1 − 2 + 3/2; terms 1, 2 and 1
    "gradient": Case(
        PARABOLA, {"x": [1], "inequality_multipliers": ["3/2"]},
        {"entry 0 of Qx + c + Aᵀν + Gᵀμ": F(1, 2)}, F(1, 2), F(4), F(1, 8),
    ),
    # 2 − 3/2; terms 2 and 2
    "gradient at an equality": Case(
        FIXED, {"x": [2], "equality_multipliers": ["-3/2"]},
        {"entry 0 of Qx + c + Aᵀν + Gᵀμ": F(1, 2)}, F(1, 2), F(4), F(1, 8),
    ),
    # (1 − 2)/3, where the proof is (½, ½)
    "no point": Case(
        BELOW, {"feasible": False, "inequality_multipliers": [1, 2]},
        {"column 0 of Aᵀν + Gᵀμ": F(1, 3)}, F(1, 3), F(1), F(1, 3),
    ),
    # (1 − 3/2)/2, where the proof is (1, −1)
    "no point of equalities": Case(
        TWICE, {"feasible": False, "equality_multipliers": [1, "-3/2"]},
        {"column 0 of Aᵀν + Gᵀμ": F(1, 4)}, F(1, 4), F(2), F(1, 8),
    ),
    "ray": Case(
        FALLING, {"bounded": False, "x": [0, -3], "ray": [1, "1/2"]},
        {"row 1 of Qr": F(1, 2), "row 0 of Gr": F(1, 2)}, F(1, 2), F(1), F(1, 2),
    ),
    # the height ⅝ by ½ + 2 is worse than the product 3/2·½ by ½ + 2 + 2
    "inside": Case(
        PARABOLA, {"x": ["1/2"], "inequality_multipliers": ["3/2"]},
        {"μ_0 (h − Gx)_0": F(3, 4), "objective at x": F(5, 8)}, F(5, 8), F(5, 2), F(1, 4),
    ),
    "objective": Case(PARABOLA, {"objective": -1}, {"objective": F(1, 2)}, F(1, 2), F(5, 2),
        F(1, 5),
    ),
}  # fmt: skip


def of_z(loss: str, *z: int | str, **more: int | str) -> Record:
    return {"family": f"loss.{loss}", "z": list(z), **more}


SCORES = {"scores": [["1/5", "1/2", "1/10"]], "y": [1]}
LOSSES = {
    # a hinge 1 − z counts by 1 + |z|; below 0 by more than is allowed, by nothing
    "hinge": Case(of_z("hinge", "1/2", 2), {"values": ["3/4", 0]}, {"row 0": F(1, 4)}, F(1, 4),
        F(3, 2), F(1, 6),
    ),
    "mean": Case(of_z("hinge", "1/2", 0), {"mean": 1}, {"mean": F(1, 4)}, F(1, 4), F(5, 4),
        F(1, 5),
    ),
    "slope": Case(of_z("hinge", "1/2"), {"subgradients": ["-3/2"]}, {"row 0": F(1, 2)}, F(1, 2),
        F(1), F(1, 2),
    ),
    "perceptron": Case(of_z("perceptron", "-1/2"), {"values": ["3/4"]}, {"row 0": F(1, 4)},
        F(1, 4), F(1, 2), F(1, 2),
    ),
    "exponential": Case(of_z("exponential", 0), {"values": ["3/2"]}, {"row 0": F(1, 2)}, F(1, 2),
        F(1), F(1, 2),
    ),
    "logistic": Case(of_z("logistic", 0), {"values": [1]}, {"row 0": 1 - log(2)}, 1 - log(2),
        log(2), 1 / log(2) - 1,
    ),
    "logistic slope": Case(of_z("logistic", 0), {"subgradients": ["-3/4"]},
        {"row 0, subgradient": F(1, 4)}, F(1, 4), F(1, 2), F(1, 2),
    ),
    # 1 − ½/2 counts by 1 + ½/2
    "margin": Case(of_z("margin", "1/2", rho=2), {"values": ["1/2"]}, {"row 0": F(1, 4)}, F(1, 4),
        F(5, 4), F(1, 5),
    ),
    "zero_one": Case(
        {"family": "loss.zero_one", "predicted": ["a", "b"], "y": ["a", "a"]}, {"mean": "3/4"},
        {"mean": F(1, 4)}, F(1, 4), F(1, 2), F(1, 2),
    ),
    "hamming": Case(
        {"family": "loss.hamming", "predicted": [[1, -1, 1]], "y": [[1, 1, 1]]},
        {"values": ["1/2"]}, {"row 0": F(1, 6)}, F(1, 6), F(1, 3), F(1, 2),
    ),
    # 1 + ½ − 1 counts by 1 + ½ + 1
    "maximum": Case(
        {"family": "loss.multiclass_hinge", "scores": [[1, "1/2"]], "y": [0]},
        {"values": ["3/4"]}, {"row 0": F(1, 4)}, F(1, 4), F(5, 2), F(1, 10),
    ),
    # 7/10 + 6/10 counts by 17/10 + 16/10
    "sum": Case({"family": "loss.multiclass_hinge_sum", **SCORES}, {"values": ["163/100"]},
        {"row 0": F(33, 100)}, F(33, 100), F(33, 10), F(1, 10),
    ),
    # 1 − (−1) counts by 1 + 1
    "hinge of a wrong row": Case(of_z("hinge", -1), {"values": ["5/2"]}, {"row 0": F(1, 2)},
        F(1, 2), F(2), F(1, 4),
    ),
    # ½ of size 3/2 may be 0 from a third on, and −½ of size 5/2 from a fifth on: any slope then
    "steep": Case(of_z("hinge", "1/2"), {"subgradients": ["-1/2"]}, {"row 0": F(1, 2)}, F(1, 2),
        F(1), F(1, 3), inside=(F(0), F(1)),
    ),
    "flat": Case(of_z("hinge", "3/2"), {"subgradients": ["-1/2"]}, {"row 0": F(1, 2)}, F(1, 2),
        F(0), F(1, 5), inside=(F(0), F(1)),
    ),
    # 1 is the top of the loss; it is 3 of size 3 before it is cut
    "margin at its top": Case(of_z("margin", -2), {"values": ["3/4"]}, {"row 0": F(1, 4)}, F(1, 4),
        F(1), F(3, 4), inside=(F(1, 4), F(3)),
    ),
    # the scores −1 and −5/4 may tie from (¼)/(9/4) on
    "mistake": Case(
        {"family": "loss.zero_one", "scores": [[-1, "-5/4"]], "y": [0]}, {"values": [1]},
        {"row 0": F(1)}, F(1), F(0), F(1, 9), inside=(F(0), F(1)),
    ),
    # 1 − ½ + 1 counts by 1 + ½ + 1
    "scores below 0": Case(
        {"family": "loss.multiclass_hinge", "scores": [[-1, "-1/2"]], "y": [0]}, {"values": [2]},
        {"row 0": F(1, 2)}, F(1, 2), F(5, 2), F(1, 5),
    ),
    # 1 + 1 of size 2 and 3 − 1 of size 4: the maximum is at least 2 − 2a
    "tied pieces": Case(
        {"family": "loss.multiclass_hinge", "scores": [[0, 1, -1]], "y": [0],
         "row_costs": [[0, 1, 3]]}, {"values": [1]}, {"row 0": F(1)}, F(1), F(4), F(1, 2),
    ),
    # two tied slopes of size 2, of which one at a time is taken
    "tied slopes": Case(
        {"family": "loss.multiclass_hinge", "scores": [[0, 0, 0]], "y": [0]},
        {"subgradients": [[-1, "1/2", "3/4"]]}, {"row 0": F(1, 4)}, F(1, 4), F(2), F(1, 8),
    ),
    # the slopes 1 and 3, which are their own sizes
    "slopes of features": Case(
        {"family": "loss.multiclass_hinge", "scores": [[0, 0, 0]], "y": [0],
         "features": [[[0], [1], [3]]]}, {"subgradients": [[4]]}, {"row 0": F(1)}, F(1), F(3),
        F(1, 3),
    ),
    # 1 − 3 of size 4 has no slope, unless it may be 0
    "no slope": Case(
        {"family": "loss.multiclass_hinge_sum", "scores": [[0, -3]], "y": [0]},
        {"subgradients": [[-1, 1]]}, {"row 0": F(2)}, F(2), F(0), F(1, 2), inside=(F(0), F(2)),
    ),
    # the same, of size 5, with features: 1 is the slope of the other class, whose size is its own
    "no slope of features": Case(
        {"family": "loss.multiclass_hinge", "scores": [[0, -4]], "y": [0],
         "features": [[[0], [1]]]}, {"subgradients": [[1]]}, {"row 0": F(1)}, F(1), F(0), F(3, 5),
        inside=(F(0), F(1)),
    ),
    # (1, −2, 1) is a sum of two slopes of size 2
    "sum's slope": Case({"family": "loss.multiclass_hinge_sum", **SCORES},
        {"subgradients": [[1, -2, "3/2"]]}, {"row 0": F(1, 2)}, F(1, 2), F(4), F(1, 8),
    ),
}  # fmt: skip

CODE = {"family": "code.decode", "code": [[1, 1], [-1, -1]], "f": [[3, -1]], "decoding": "hinge"}
PAIRS = {"family": "ovo.decode", "pairs": [["1", "-2", "3"]]}  # w_01, w_02, w_12
NODES = {
    "family": "nodes.decode", "classes": ["a", "b"], "method": "one_against_some",
    "nodes": [{"candidates": ["a", "b"], "below": [1, None]}, {"candidates": ["a", "b"]}],
    "f": [[-1]], "scores": [[[4, 2], []]],
}  # fmt: skip
SIGNS = {"family": "code.decode", "code": [[1], [-1]], "f": [[1]]}  # margins 1 and −1
# distances 2 of sizes 4 and 2, and 3 of size 3
UNEQUAL = {"family": "code.decode", "code": [[-1, 1, 1], [0, 0, 1], [-1, 0, 1]], "f": [[1, 1, 3]],
    "decoding": "hinge"}  # fmt: skip
BEST_OF_TWO = {"family": "ovo.decode", "pairs": [[1, 1, 9]], "rule": "votes_then_sums"}
DECODING = {
    # margins 3 and −1: 0 + 2; the hinge of 3 may not reach 0, and that of −1 counts by 1 + 1
    "distances": Case(CODE, {"distances": [["5/2", 4]]}, {"row 0, distances of class 0": F(1, 2)},
        F(1, 2), F(2), F(1, 4),
    ),
    # distances 2 of size 2 and 4 of size 4 + 2, of which the 2 is of a hinge that is 0
    "code": Case(CODE, {"labels": [1]}, {"row 0": F(1)}, None, None, F(1, 3),
        inside=(F(2), F(8)),
    ),
    # e(1 − a) = (1 + a)/e
    "exponential code": Case({**SIGNS, "decoding": "exponential"}, {"labels": [1]},
        {"row 0": F(1)}, None, None, tanh(1), inside=(2 * sinh(1), 2 * cosh(1)),
    ),
    # ln(1 + e) is 1 + ln(1 + 1/e)
    "logistic code": Case({**SIGNS, "decoding": "logistic"}, {"labels": [1]}, {"row 0": F(1)},
        None, None, 1 / (1 + 2 * log1p(exp(-1))), inside=(1.0, 1 + 2 * log1p(exp(-1))),
    ),
    # it must be able to be as near as both of the best: 3 − 3a ≤ 2 + 2a
    "code with two best": Case(UNEQUAL, {"labels": [2]}, {"row 0": F(1)}, None, None, F(1, 5),
        inside=(F(1), F(7)),
    ),
    # 2 and 4 of size 2 and 4
    "candidates": Case(NODES, {"labels": ["b"]}, {"row 0": F(1)}, None, None, F(1, 3),
        inside=(F(2), F(6)),
    ),
    # the right class is missing, and another is there
    "set of candidates": Case({**NODES, "scores": [[[4, -2], []]]}, {"label_sets": [["b"]]},
        {"row 0": F(2)}, None, None, NEVER,
    ),
    # class 0 has both votes, though class 1 has the larger sum: 8 against 2
    "votes": Case(BEST_OF_TWO, {"labels": [1]}, {"row 0": F(1)}, None, None, NEVER),
    # −1 + 3
    "sums": Case(PAIRS, {"sums": [[-1, 3, -1]]}, {"row 0, sums of class 1": F(1)}, F(1), F(4),
        F(1, 4),
    ),
    # 1 − 2 of size 3 and −1 + 3 of size 4
    "pairs": Case({**PAIRS, "rule": "score_sum"}, {"labels": [0]}, {"row 0": F(1)}, None, None,
        F(3, 7), inside=(F(3), F(7)),
    ),
    "scores": Case({"family": "ova.decode", "scores": [[2, 3, -1]]}, {"labels": [0]},
        {"row 0": F(1)}, None, None, F(1, 5), inside=(F(1), F(5)),
    ),
    # two classes too many, and one too few
    "set": Case({"family": "ova.decode", "scores": [[2, 8, -1]]}, {"label_sets": [[0, 2]]},
        {"row 0": F(3)}, None, None, NEVER,
    ),
}  # fmt: skip

SEPARATED = {"family": "bound.perceptron", "X": [[1], [-2]], "y": [1, -1], "w": [2]}
HALVES = {"family": "bound.kernel_rademacher", "r_squared": 16, "Lambda_squared": 1, "m": 4}
BOUNDS = {
    # E|σ_0 + σ_1 + σ_2| / 3, and the terms are 1
    "rademacher": Case({"family": "bound.rademacher", "values": [[1, 1, 1], [-1, -1, -1]]},
        {"value": "3/4"}, {"value": F(1, 4)}, F(1, 4), F(1), F(1, 4),
    ),
    "kernel": Case(HALVES, {"value": "5/2"}, {"value": F(1, 2)}, F(1, 2), F(2), F(1, 4)),
    # the bound is 4·4/2² and counts by twice itself; margins that are off by a make it 4/(1 − a)²
    "perceptron": Case(SEPARATED, {"bound": 16}, {"bound": F(12)}, F(12), F(8), F(1, 2)),
    "its margin": Case(SEPARATED, {"margin_squared": "1/4"}, {"margin_squared": F(3, 4)},
        F(3, 4), F(2), F(1, 2),
    ),
    # (1 − a)²/2 for weights (1, 1), whose ½ counts by twice itself
    "a margin of two": Case({**SEPARATED, "X": [[1, 0], [0, -3]], "w": [1, 1]},
        {"margin_squared": "1/8"}, {"margin_squared": F(3, 8)}, F(3, 8), F(1), F(1, 2),
    ),
    "its rows": Case(SEPARATED, {"R_squared": 6}, {"R_squared": F(2)}, F(2), F(4), F(1, 2)),
    "adaboost": Case({"family": "bound.adaboost", "epsilons": ["1/10"]}, {"product": "4/5"},
        {"product": F(1, 5)}, F(1, 5), F(3, 5), F(1, 3),
    ),
    # an error isn't wrong by what it is above the product, but as a whole
    "error": Case({"family": "bound.adaboost", "epsilons": ["1/10"]},
        {"product": "3/5", "error": 1}, {"error": F(1)}, F(0), F(3, 5), F(2, 3),
        inside=(F(2, 5), F(3, 5)),
    ),
}  # fmt: skip

WALK = {"family": "perceptron.binary", "X": [[1, 0], [2, 1]], "y": [1, 1]}
ONLINE = {
    # 0 + 1, and then no update
    "perceptron": Case(WALK, {"trace": [["3/2", 0], ["3/2", 0]]}, {"step 1, row 0": F(1, 2)},
        F(1, 2), F(1), F(1, 2),
    ),
    "mistakes": Case(WALK, {"trace": [[1, 0], [1, 0]], "mistakes": [3]}, {"epoch 1": F(2)},
        F(0), F(1), NEVER,
    ),
    "epochs": Case(WALK, {"trace": [[1, 0], [1, 0]], "mistakes": [1, 0, 0]}, {"mistakes": F(2)},
        F(0), F(1), NEVER,
    ),
    "steps": Case({**WALK, "X": [[1], [2], [3]], "y": [1, 1, 1]}, {"trace": [[1]]},
        {"trace": F(2)}, F(0), F(1), NEVER),
    "kernel": Case({"family": "perceptron.kernel", "gram": [[1, 0], [0, 1]], "y": [1, -1]},
        {"alpha": ["5/4", 1]}, {"end": F(1, 4)}, F(1, 4), F(1), F(1, 4),
    ),
    # ½·1 − 1 against −¼: terms ½ and 1
    "sgd": Case(
        {"family": "sgd.multiclass", "X": [[1], [2]], "y": [0, 1], "lam": 1, "T": 2},
        {"trace": [[[1], [-1]], [["-1/4"], ["1/2"]]]}, {"step 2, row 1": F(1, 4)},
        F(1, 4), F(3, 2), F(1, 6),
    ),
    "binary sgd": Case({"family": "sgd.binary", "X": [[2]], "y": [1], "C": 1, "eta": "1/4"},
        {"trace": [["3/4"]]}, {"step 1, row 0": F(1, 4)}, F(1, 4), F(1, 2), F(1, 2),
    ),
}  # fmt: skip

# a constant errs on the third of four rows: ε = ¼, α = ½ ln 3, Z² = ¾
FOUR = {"family": "boost.ada", "X": [[0], [1], [2], [3]], "y": [1, 1, 0, 1], "classes": [0, 1],
    "rounds": 1}  # fmt: skip


def boosted(wrong: Amounts, gap: Number, scale: Number, near: Number, **more: Any) -> Case:
    base = {"base": [1, 1, 1, 1]}
    return Case(FOUR, {"rounds": [base | more]}, wrong, gap, scale, near)


BOOSTING = {
    "epsilon": boosted({"round 1, epsilon": F(1, 8)}, F(1, 8), F(1, 4), F(1, 2), epsilon="3/8"),
    "loss": boosted({"round 1, loss": F(1, 8)}, F(1, 8), F(1, 4), F(1, 2), loss="3/8"),
    "Z": boosted({"round 1, Z_squared": F(1, 4)}, F(1, 4), F(3, 4), F(1, 3), Z_squared=1),
    # with (2, 2, 2, 1)/7 the constant errs on 2/7, and x ≤ 1 on 1/7, which counts by their sum
    "D": boosted({"round 1, D of row 3": F(1, 8), "round 1": F(1, 7)}, F(1, 8), F(1, 4), F(1, 2),
        D=["1/4", "1/4", "1/4", "1/8"]),
    # ln 3 for ½ ln 3, by (ln 4 + ln 4/3) / 2
    "alpha": boosted({"round 1, alpha": log(3) / 2}, log(3) / 2, log(16 / 3) / 2,
        log(3) / log(16 / 3), alpha={"ln": {"3": 1}}),
    # no threshold parts the third row from the others, from either side
    "no stump": boosted({"round 1": F(1)}, None, None, NEVER, base=[1, 1, 0, 1]),
    "no stump backwards": boosted({"round 1": F(1)}, None, None, NEVER, base=[1, 0, 0, 1])._replace(
        problem={**FOUR, "X": [[3], [0], [2], [1]]}
    ),
    # ¾ against ¼, which no gap explains, and ¼ beyond ½
    "base": boosted({"round 1": (F(1, 2), F(1, 4))}, F(1, 2), F(1), NEVER, base=[0, 0, 0, 0]),
}  # fmt: skip

FAMILIES = {
    "multiclass": MULTICLASS, "binary": BINARY, "hard": HARD, "qp": QP, "loss": LOSSES,
    "decode": DECODING, "bound": BOUNDS, "online": ONLINE, "boost": BOOSTING,
}  # fmt: skip
CASES = {
    f"{kind}: {name}": case for kind, cases in FAMILIES.items() for name, case in cases.items()
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_number_of_a_refutation_is_as_by_hand(case: Case) -> None:
    verdict = check(case.problem, case.answer, gap=0)
    assert verdict.status == "REFUTED" and verdict.allowed == 0
    found: dict[str, list[F]] = {}
    for v in verdict.violations:
        found.setdefault(v.place, []).append(v.amount)
    assert found.keys() == case.wrong.keys()
    for place, needed in case.wrong.items():
        all_needed = needed if isinstance(needed, tuple) else (needed,)
        assert len(found[place]) == len(all_needed)
        assert all(map(same, found[place], all_needed)), (place, found[place])
    assert same(verdict.gap, case.gap) and same(verdict.scale, case.scale)
    amounts = [v.amount for v in verdict.violations]
    assert amounts == sorted(amounts, reverse=True)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_allowed_gap_ends_exactly_where_it_does_by_hand(case: Case) -> None:
    if case.near is NEVER:
        assert check(case.problem, case.answer, gap=F(1, 2)).status == "REFUTED"
        return
    billionth, near = F(1, 10**9), F(case.near)
    beyond = check(case.problem, case.answer, gap=near * (1 - billionth))
    assert beyond.status == "REFUTED"
    if case.inside is None:
        assert same(beyond.gap, case.gap) and same(beyond.scale, case.scale)
    rational = isinstance(case.near, F)
    within = check(case.problem, case.answer, gap=near if rational else near * (1 + billionth))
    assert within.status == case.status
    gap, scale = case.inside or (case.gap, case.scale)
    assert same(within.gap, gap) and same(within.scale, scale)


def test_an_error_of_0_is_bounded_by_any_product() -> None:
    problem = {"family": "bound.adaboost", "epsilons": [0]}
    for error, status in ((0, "VERIFIED"), (-1, "REFUTED")):
        assert check(problem, {"product": 0, "error": error}, gap=0).status == status


def test_what_rows_miss_is_not_left_for_the_weights() -> None:
    # ½w² + 2 hinge(1 − w) without a bias: w = 1, and α is 1 for the row 1 and 0 for the row 3
    problem = {"family": "svm.binary", "X": [[1], [3]], "y": [1, 1], "C": 2, "bias": False}
    # a score ¾ misses (2 − 1)·¼, so that ¼ of ½ is left; then the other score 3 may be off by
    # 1 + √(2·9·¼) = 3.12, and by 1 + √(2·9·½) = 4 if nothing is missed
    for scores, status in (
        (["3/4", 6], "VERIFIED"), (["3/4", "13/2"], "INCONCLUSIVE"), (["3/4", "15/2"], "REFUTED")
    ):  # fmt: skip
        assert check(problem, {"scores": scores}, gap=1).status == status


def test_both_scores_of_a_pair_may_be_rounded() -> None:
    # w = 1, b = 0; the row 3 needs no multiplier. At ½ it may be off from row 0, which is 2 away,
    # by 2·½ + 2√(2·¼) = 2.41
    problem = {"family": "svm.binary", "X": [[1], [-1], [3]], "y": [1, -1, 1], "C": 1}
    for score, status in (("26/5", "VERIFIED"), ("11/2", "REFUTED")):
        assert check(problem, {"scores": [1, -1, score]}, gap=F(1, 2)).status == status


def test_of_few_rows_all_pairs_of_scores_are_compared() -> None:
    # w = 1, b = 0. The last two rows are alike, but their scores are 2 apart, of which rounding is
    # 2·½; the two before have the extreme changes, and are far enough from all others for them
    X, y = [[1], [-1], [10], [-10], [3], [3]], [1, -1, 1, -1, 1, 1]
    problem = {"family": "svm.binary", "X": X, "y": y, "C": 1}
    verdict = check(problem, {"scores": [1, -1, 12, -12, 4, 2]}, gap=F(1, 2))
    assert verdict.status == "REFUTED"
    assert [(v.place, v.amount) for v in verdict.violations] == [
        ("row 4", F(1, 2)),
        ("row 5", F(1, 2)),
    ]


def test_a_height_is_said_to_be_on_its_side_of_the_optimum() -> None:
    for x, text in (("1/2", "5/8 above the optimum -3/2"), (2, "1/2 below the optimum -3/2")):
        verdict = check(PARABOLA, {"x": [x]}, gap=0)
        assert text in [v.text for v in verdict.violations]


def test_a_squared_hinge_is_to_be_paid_in_part() -> None:
    text = check(SQUARED, {"w": [1], "b": 0}, gap=0).violations[0].text
    assert text == "margin 1, needs only 4/5"


@pytest.mark.parametrize("is_hard", [True, False])
def test_by_default_the_gap_of_what_is_verified_is_sharpened(is_hard: bool) -> None:
    # α = (¼, ¼) has the dual value ⅜, by which w is already near enough to P* = ½
    problem = BinaryProblem(X=[[1], [-1]], y=(1, -1), C=None if is_hard else F(1))
    given, alpha = BinaryAnswer(w=[1], b=F(0), alpha=[F(1, 4)] * 2), [F(1, 2)] * 2
    verdict = (
        hard.judge(problem, given, witnesses=[lambda: hard.Witness(alpha)], allowed=F(1))
        if is_hard
        else binary.judge(problem, given, witnesses=[lambda: alpha], allowed=F(1))
    )
    assert verdict and verdict.gap == F(1, 8) and verdict.scale == F(1, 2)


def test_what_is_open_counts_by_the_most_that_the_optimum_can_be() -> None:
    # without a witness it is from 0 to the 1 of w = 0
    problem = MulticlassProblem(X=[[2]], y=(0,), k=2, C=F(1))
    for given in (MulticlassAnswer(scores=[[F(1), F(0)]]), MulticlassAnswer(W=[[F(0)], [F(0)]])):
        verdict = multiclass.judge(problem, given, allowed=F(1, 2))
        assert verdict.status == "INCONCLUSIVE" and verdict.scale == 1


def test_a_polynomial_kernel_divides_by_a_scale_below_0() -> None:
    parameters = {"degree": F(1), "scale": F(-2), "offset": F(1)}
    gram = polynomial_gram(to_matrix([[F(1)], [F(2)]]), parameters)
    assert [[gram.entry(i, j) for j in (0, 1)] for i in (0, 1)] == [[F(1, 2), 0], [0, -1]]


def test_a_power_of_2_leaves_no_other_logarithm() -> None:
    assert not log2(1).logs and not log2(8).logs


def test_a_term_that_is_0_rounds_nothing() -> None:
    half, third = F(1, 2), F(1, 3)
    assert rounding(Point((), ()), [(F(0), third), (third, F(0)), (half, F(3))], half) == 0


# After the constant's round its only wrong row, the third, weighs ½. Then x₀ ≤ 1 errs on the fourth
# row, and x₁ > 0 on the first, which weighs a millionth more.
NEARLY_TIED = {"family": "boost.ada", "X": [[0, 0], [1, 1], [2, 0], [3, 1]], "y": [1, 1, 0, 1],
    "classes": [0, 1], "weights": ["1.000001", 1, 1, 1], "rounds": 2}  # fmt: skip


@pytest.mark.parametrize(
    ("alpha", "status"),
    [({"ln": {"3000001": "1/2", "1000000": "-1/2"}}, "REFUTED"), ("0.5493063", "VERIFIED")],
)
def test_a_nearly_best_stump_is_excused_after_rounded_alphas_alone(
    alpha: object, status: str
) -> None:
    rounds = [{"base": [1, 1, 1, 1], "alpha": alpha}, {"base": [0, 1, 0, 1]}]
    verdict = check(NEARLY_TIED, {"rounds": rounds}, gap="1e-3")
    assert verdict.status == status
    assert [v.place for v in verdict.violations] == ["round 2"] * (status == "REFUTED")


def test_no_edge_is_told_of_an_error_that_a_wrong_alpha_leaves_near_one_half() -> None:
    # ε is ¼, and e^(2·0.5494) = 3.0003 for 3 then leaves it 2e-5 above ½; α itself is off by 1.1e-4
    problem = {**FOUR, "X": [[0]] * 4, "rounds": 2}
    rounds = [{"base": [1, 1, 1, 1], "alpha": "0.5494"}, {"base": [1, 1, 1, 1]}]
    verdict = check(problem, {"rounds": rounds}, gap="1e-4")
    assert [v.place for v in verdict.violations] == ["round 1, alpha"]
    strict = check(problem, {"rounds": rounds}, gap="1e-5")
    assert [v.place for v in strict.violations] == ["round 1, alpha", "round 2", "round 2"]


def test_an_edge_is_open_where_the_limit_lies_within_the_error_and_nothing_is_allowed() -> None:
    problem = BoostingProblem(family="boost.ada", truth=[[1]], k=2, rounds=1)
    around = Enclosure(F(1, 3), F(2, 3))
    assert Run(problem, F(0))._judge_edge(Place.of("round", 1), around).status == "INCONCLUSIVE"
