"""Problems of perceptrons and of stochastic subgradient descent."""

from __future__ import annotations

from fractions import Fraction

from refmc.suite.drafts.draft import Draft, Draws, Problem, drawn, texts

BINARY, KERNEL, MULTICLASS = "perceptron.binary", "perceptron.kernel", "perceptron.multiclass"
SGD, SGD_MULTICLASS = "sgd.binary", "sgd.multiclass"

UP, DOWN = Fraction(2) ** 40, Fraction(1, 2**40)
ULP = Fraction(1, 2**52)
PAIR = [["1"], ["-1"]]
PLANE = [["1", "0"], ["-1", "1"]]
THREE = [["1", "0"], ["0", "1"], ["-1", "-1"]]
POINTS = ["-2", "-1", "0", "1/2", "1", "3"]


def _of(family: str, name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": family, **fields}, why, flags)


def _spread(m: int) -> list[list[str]]:
    return [[str(i * 7 % 11 - 5), str(i * 5 % 13 - 6)] for i in range(m)]


def _signs(m: int) -> list[int]:
    return [1 if (i * 7 % 11) + (i * 5 % 13) > 10 else -1 for i in range(m)]


def _letters(m: int) -> list[str]:
    return ["bca"[(i * 7 % 11 + i % 4) % 3] for i in range(m)]


def _rows(draws: Draws) -> tuple[int, list[list[str]]]:
    m = 2 + draws.below(4)
    return m, draws.rows(m, 1 + draws.below(2), POINTS)


def _draw_binary(draws: Draws) -> Problem:
    m, X = _rows(draws)
    drawn: Problem = {"X": X, "y": draws.labels(m, [1, -1]), "epochs": 1 + draws.below(3)}
    if draws.below(2):
        drawn["bias"] = True
    if draws.below(3) == 0:
        drawn["average"] = draws.one_of(["equally", "by_age"])
    return drawn


def _draw_multi(draws: Draws) -> Problem:
    m, X = _rows(draws)
    drawn: Problem = {"X": X, "y": draws.labels(m, ["b", "a", "c"]), "classes": ["a", "b", "c"]}
    drawn |= {"epochs": 1 + draws.below(2), "tau": draws.one_of(["chosen_rival", "all_rivals"])}
    if draws.below(3) == 0:
        drawn["average"] = draws.one_of(["equally", "by_age"])
    return drawn


def _draw_sgd(draws: Draws) -> Problem:
    m, X = _rows(draws)
    drawn: Problem = {"X": X, "y": draws.labels(m, [1, -1]), "epochs": 1 + draws.below(2)}
    drawn |= {"C": draws.one_of(["1/2", "1", "2"]), "eta": draws.one_of(["1/4", "1/2"])}
    if draws.below(2):
        drawn["bias"] = True
    return drawn


def _draw_sgd_multi(draws: Draws) -> Problem:
    m, X = _rows(draws)
    drawn: Problem = {"X": X, "y": draws.labels(m, ["b", "a", "c"]), "classes": ["a", "b", "c"]}
    drawn |= {"lam": draws.one_of(["1/2", "1", "2"]), "T": 2 + draws.below(4)}
    drawn["loss"] = draws.one_of(["max_form", "sum_form"])
    if draws.below(3) == 0:
        drawn["cost"] = [["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]]
    return drawn


DRAFTS = [
    _of(BINARY, "one-row", "A score of 0 is a mistake, or nothing ever begins.", "one row", "tie",
        X=[["1", "2"]], y=[1]),
    _of(BINARY, "second-look", "Scores of 0 come back in later epochs.", "tie", X=PLANE, y=[1, 1], epochs=3),
    _of(BINARY, "bias", "The bias moves with the weights.", X=[["1"], ["2"]], y=[1, -1], bias=True, epochs=3),
    _of(BINARY, "small-margin", "A margin above 0 and below 1 is no mistake.",
        X=[["1/2", "0"], ["1/4", "0"]], y=[1, 1]),
    _of(BINARY, "conflict", "One row with both labels: every visit is a mistake.", "conflict", "duplicate",
        X=[["1"], ["1"]], y=[1, -1], epochs=2),
    _of(BINARY, "near-zero", "A margin of 2^-52 is right, and one of 0 would not be.", "near-tie",
        X=[["1", "0"], [str(ULP), "1"], ["-1", "0"]], y=[1, 1, -1]),
    _of(BINARY, "constant-column", "A column of ones beside the bias.", "constant column",
        X=[["1", "1"], ["3", "1"]], y=[-1, 1], bias=True, epochs=2),
    _of(BINARY, "big", "Rows 2^40 times as large, beside a small one.", "big",
        X=[*texts([[1, 0]], UP), ["0", "1"], ["-1", "0"]], y=[1, 1, -1], epochs=2),
    _of(BINARY, "tiny", "Rows 2^-40 times as large.", "tiny", X=texts(PLANE, DOWN), y=[1, -1], epochs=2),
    _of(BINARY, "order", "The rows come in another order in each epoch.",
        X=[["1", "0"], ["1", "1"], ["0", "-1"]], y=[1, -1, 1], epochs=2, order=[[2, 0, 1], [1, 0, 2]]),
    _of(BINARY, "averaged", "The mean of all weights on the way.", "average",
        X=PLANE, y=[1, 1], epochs=2, average="equally"),
    _of(BINARY, "averaged-by-age", "Later weights count more.", "average",
        X=[["2"], ["-1"], ["1"]], y=[1, 1, -1], epochs=2, average="by_age", bias=True),
    _of(BINARY, "sixteen", "Sixteen rows.", "16 rows", X=_spread(16), y=_signs(16), bias=True),
    _of(BINARY, "seventeen", "Seventeen rows, twice.", "17 rows", X=_spread(17), y=_signs(17), epochs=2),
    _of(BINARY, "weights", "A row of weight 2 is visited twice, and one of weight 0 never.", "weights",
        X=[["1", "0"], ["2", "1"], ["0", "1"]], y=[1, -1, 1], epochs=2, weights=[1, 2, 0]),
    *drawn(BINARY, _draw_binary, (0, 9, 11, 18, 20, 56)),
    _of(KERNEL, "one-row", "A score of 0 is a mistake.", "one row", "tie", X=[["1"]], y=[-1]),
    _of(KERNEL, "gram", "A Gram matrix, and rows of no numbers.", "gram", "tie",
        gram=[["1", "0"], ["0", "1"]], y=[1, -1]),
    _of(KERNEL, "bias", "The bias is 1 added to every kernel value.", X=[["1"], ["-1/2"]], y=[1, -1],
        bias=True, epochs=2),
    _of(KERNEL, "cubic", "A polynomial kernel.", "kernel", X=[["1"], ["2"], ["-1"]], y=[1, -1, 1], epochs=3,
        kernel={"name": "polynomial", "degree": 3, "scale": "2", "offset": "1"}),
    _of(KERNEL, "square", "A square that the kernel of degree 2 separates.", "kernel", "tie",
        X=[["0", "0"], ["1", "1"], ["0", "1"], ["1", "0"]], y=[1, 1, -1, -1], epochs=3,
        kernel={"name": "polynomial", "degree": 2, "scale": "1/2", "offset": "1"}),
    _of(KERNEL, "conflict", "One row with both labels.", "conflict", X=[["1"], ["1"]], y=[1, -1], epochs=2),
    _of(KERNEL, "averaged", "The mean of all counts on the way.", "average",
        X=PLANE, y=[1, 1], epochs=2, average="equally"),
    _of(KERNEL, "small-margin", "A margin above 0 and below 1 is no mistake.",
        X=[["1/2"], ["1/4"]], y=[1, 1]),
    *drawn(KERNEL, _draw_binary, (2, 34, 38, 56, 59)),
    _of(MULTICLASS, "one-row", "All classes tie at 0, and the true one comes last.", "one row", "tie",
        X=[["1", "0"]], y=["c"], classes=["a", "b", "c"]),
    _of(MULTICLASS, "shared", "Two rivals share what they lose.", "tie", X=[["1", "0"]], y=["c"],
        classes=["a", "b", "c"], tau="all_rivals"),
    _of(MULTICLASS, "three-points", "Three classes in two epochs.", X=THREE, y=["c", "a", "b"], epochs=2),
    _of(MULTICLASS, "shared-later", "A rival that scores as much as the true class loses too.", "tie",
        X=[["1", "0"], ["0", "1"], ["1", "1"]], y=["c", "b", "c"], tau="all_rivals", epochs=2,
        classes=["a", "b", "c"]),
    _of(MULTICLASS, "absent-class", "A class that no row has is a rival.", "absent class", X=PAIR,
        y=["b", "c"], classes=["a", "b", "c"], epochs=2),
    _of(MULTICLASS, "conflict", "One row with two labels.", "conflict", X=[["1"], ["1"]], y=["b", "a"],
        epochs=2),
    _of(MULTICLASS, "averaged", "The mean of all weights on the way.", "average", X=THREE,
        y=["b", "a", "c"], epochs=2, average="equally"),
    _of(MULTICLASS, "seventeen", "Seventeen rows of three classes.", "17 rows", X=_spread(17),
        y=_letters(17)),
    _of(MULTICLASS, "weights", "A row of weight 2 is visited twice, and one of weight 0 never.", "weights",
        X=THREE, y=["b", "a", "c"], epochs=2, weights=[0, 2, 1]),
    *drawn(MULTICLASS, _draw_multi, (10, 11, 13, 15, 21, 24, 50, 59)),
    _of(SGD, "one-row", "One step up from 0.", "one row", X=[["2"]], y=[1], C="1", eta="1/4"),
    _of(SGD, "kink", "A margin of exactly 1 makes no step.", "tie", X=[["2"]], y=[1], C="1/2", eta="1/2",
        epochs=2),
    _of(SGD, "above-kink", "A margin 2^-52 above 1 makes no step.", "near-tie", X=[[str(2 + 2 * ULP)]],
        y=[1], C="1/2", eta="1/2", epochs=2),
    _of(SGD, "below-kink", "A margin 2^-52 below 1 makes one.", "near-tie", X=[[str(2 - 2 * ULP)]],
        y=[1], C="1/2", eta="1/2", epochs=2),
    _of(SGD, "pair", "Two rows: what counts once for each row shows.", X=PAIR, y=[1, -1], C="1", eta="1/4"),
    _of(SGD, "flat", "Where the loss is flat the weights still shrink.", X=[["4"], ["4"]], y=[1, 1], C="1",
        eta="1/4", epochs=2),
    _of(SGD, "bias", "The bias is not shrunk.", X=[["1"], ["3"]], y=[-1, 1], C="2", eta="1/4", bias=True,
        epochs=2),
    _of(SGD, "step-sizes", "A step size for each step.", X=PLANE, y=[1, -1], C="1", eta=["1", "1/2"]),
    _of(SGD, "averaged", "The mean of all weights on the way.", "average", X=PAIR, y=[1, 1], C="1",
        eta="1/2", average="equally"),
    _of(SGD, "big", "Rows 2^40 times as large.", "big", X=texts(PLANE, UP), y=[1, -1], C="1", eta="1/2",
        epochs=2),
    _of(SGD, "seventeen", "Seventeen rows.", "17 rows", X=_spread(17), y=_signs(17), C="1/2", eta="1/8",
        bias=True),
    _of(SGD, "weights", "A row of weight 2 is visited twice, and one of weight 0 never.", "weights",
        X=PLANE, y=[1, -1], C="1", eta="1/2", weights=[2, 0]),
    *drawn(SGD, _draw_sgd, (5, 17, 19, 49, 51, 53)),
    _of(SGD_MULTICLASS, "one-row", "One step of the step size 1/λ.", "one row", "tie", X=[["1"]], y=["b"],
        classes=["a", "b", "c"], lam="1", T=1),
    _of(SGD_MULTICLASS, "flat", "Where the loss is 0 the weights still shrink.", X=[["4"]], y=["a"],
        classes=["a", "b"], lam="1", T=2, eta="1/4"),
    _of(SGD_MULTICLASS, "sum-form", "Every rival with a loss moves the true class.", X=THREE,
        y=["b", "c", "a"], lam="1/2", T=4, loss="sum_form"),
    _of(SGD_MULTICLASS, "max-form", "The rival of the largest loss alone moves.", X=THREE,
        y=["b", "c", "a"], lam="1/2", T=5),
    _of(SGD_MULTICLASS, "costs", "Mistakes of other costs, which are not symmetric.", "costs", X=THREE,
        y=["b", "a", "c"], lam="1", T=4, cost=[["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]]),
    _of(SGD_MULTICLASS, "ridge", "λ‖W‖² in the place of half of it.", X=PAIR, y=["a", "b"], ridge="1/2", T=3),
    _of(SGD_MULTICLASS, "draws", "Rows in an order that is given.", X=THREE, y=["c", "a", "b"], lam="1",
        draws=[2, 0, 1, 1]),
    _of(SGD_MULTICLASS, "features", "Ψ is given for each row and class.", "features",
        features=[[["1", "0"], ["0", "1"]], [["0", "2"], ["1", "1"]]], y=["b", "a"], lam="1/2", T=4),
    _of(SGD_MULTICLASS, "absent-class", "A class that no row has is a rival.", "absent class", X=PAIR,
        y=["b", "c"], classes=["a", "b", "c"], lam="1", T=4),
    _of(SGD_MULTICLASS, "averaged", "The mean of all weights on the way.", "average", X=PAIR,
        y=["b", "a"], lam="1", T=4, average="by_age"),
    _of(SGD_MULTICLASS, "with-loss", "As printed elsewhere: shrunk with a loss only.", X=[["4"], ["1"]],
        y=["a", "b"], lam="1", T=4, eta="1/4", shrink="with_loss"),
    _of(SGD_MULTICLASS, "seventeen", "Seventeen rows.", "17 rows", X=_spread(17), y=_letters(17), lam="1",
        T=17),
    _of(SGD_MULTICLASS, "row-costs", "Each row has its own costs.", "costs",
        X=THREE, y=["a", "b", "c"], lam="1", T=4, row_costs=[["0", "2", "1"], ["1", "0", "1/2"], ["3", "1", "0"]]),
    *drawn(SGD_MULTICLASS, _draw_sgd_multi, (0, 6, 7, 9, 20, 26, 33, 38, 56, 59)),
]  # fmt: skip
