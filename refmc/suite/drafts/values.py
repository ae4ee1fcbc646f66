"""Problems of losses, of decodings and of bounds."""

from __future__ import annotations

from fractions import Fraction

from refmc.suite.drafts.draft import Draft, Draws, Problem, drawn

CODE, PAIRS, SCORES, NODES = "code.decode", "ovo.decode", "ova.decode", "nodes.decode"
ULP = Fraction(1, 2**52)
MARGINS = ["2", "1", "1/2", "0", "-1/3", "-2"]
CODE_OF_FOUR = [
    ["0", "1", "0", "-1", "1"],
    ["1", "0", "-1", "1", "0"],
    ["-1", "-1", "1", "0", "1"],
    ["1", "1", "1", "1", "-1"],
]
COSTS = [["0", "2", "1"], ["1", "0", "3"], ["1/2", "1", "0"]]


def _of(family: str, name: str, why: str, *flags: str, **fields: object) -> Draft:
    return Draft(name, {"family": family, **fields}, why, flags)


def _losses() -> list[Draft]:
    found = []
    for loss in ("hinge", "perceptron", "exponential", "logistic", "margin"):
        family = f"loss.{loss}"
        own = {"rho": "2"} if loss == "margin" else {}
        found += [
            _of(
                family, "margins", "Margins on either side of every kink.", "tie", z=MARGINS, **own
            ),
            _of(
                family,
                "kink",
                "Margins next to a kink.",
                "near-tie",
                z=[str(1 + ULP), str(1 - ULP), str(ULP), str(-ULP)],
                **own,
            ),
            _of(family, "two", "Two margins.", z=["3/2", "-5/4"], **own),
        ]
    return found  # fmt: skip


def _hinges() -> list[Draft]:
    found = []
    for family in ("loss.multiclass_hinge", "loss.multiclass_hinge_sum"):
        found += [
            _of(
                family,
                "three-scores",
                "Three scores, of which two have a loss.",
                scores=[["0.2", "0.5", "0.1"], ["3", "1", "2"]],
                y=[1, 0],
            ),
            _of(
                family,
                "ties",
                "Scores that tie, and one that just meets its margin.",
                "tie",
                scores=[["1", "1", "0"], ["1", "0", "0"]],
                y=[0, 0],
            ),
            _of(
                family,
                "costs",
                "Costs that are not symmetric.",
                "costs",
                scores=[["1", "1", "1"], ["0", "2", "1/2"]],
                y=[0, 2],
                cost=COSTS,
            ),
            _of(
                family,
                "absent-class",
                "The class of the largest score is no row's.",
                "absent class",
                scores=[["1", "0", "3"], ["0", "1", "2"]],
                y=[0, 1],
            ),
            _of(
                family,
                "rows",
                "Subgradients of weights.",
                scores=[["1", "0", "1"]],
                y=[1],
                X=[["2", "-1"]],
            ),
            _of(
                family,
                "near-margin",
                "Margins 2^-52 on either side of 1.",
                "near-tie",
                scores=[[str(1 + ULP), "0"], [str(1 - ULP), "0"]],
                y=[0, 0],
            ),
            _of(
                family,
                "classes",
                "Labels that are names.",
                scores=[["1", "2"], ["0", "1/2"]],
                y=["no", "yes"],
                classes=["no", "yes"],
            ),
        ]
    return found  # fmt: skip


def _draw_code(draws: Draws) -> Problem:
    k, length = 2 + draws.below(3), 2 + draws.below(3)
    rows = [[draws.one_of(["-1", "0", "1"]) for _ in range(length)] for _ in range(k)]
    for r, row in enumerate(rows):
        row[r % length] = "1" if r < length else "-1"
    f = draws.rows(2, length, ["-2", "-1", "0", "1/2", "1", "3"])
    return {"code": rows, "f": f, "decoding": draws.one_of(["hamming", "hinge"])}


def _draw_pairs(draws: Draws) -> Problem:
    k = 3 + draws.below(2)
    pairs = draws.rows(2 + draws.below(2), k * (k - 1) // 2, ["-2", "-1", "0", "1/2", "1", "3"])
    return {"pairs": pairs, "rule": draws.one_of(["votes", "votes", "score_sum"])}


def _decodings() -> list[Draft]:
    return [
        _of(CODE, "four-classes", "Codes with zeros, and Hamming distances of halves.", code=CODE_OF_FOUR,
            f=[["-2", "3", "1/2", "-1", "2"], ["1", "0", "-1", "0", "1"]]),
        _of(CODE, "zero-score", "A score of 0 counts half for every class.", "tie",
            code=[["1", "1"], ["-1", "-1"], ["-1", "1"]], f=[["0", "0"], ["1", "0"]]),
        _of(CODE, "tie", "Two classes are equally near by Hamming, and not by losses.", "tie",
            code=[["1", "1"], ["-1", "-1"]], f=[["3", "-1"], ["-1", "1/2"]]),
        _of(CODE, "hinge", "The same by the hinge.", code=[["1", "1"], ["-1", "-1"]],
            f=[["3", "-1"], ["-1", "1/2"]], decoding="hinge"),
        _of(CODE, "exponential", "The exponential loss, which one large score decides.",
            code=[["1", "1", "-1"], ["-1", "1", "1"], ["1", "-1", "1"]], f=[["2", "-1", "1/2"]],
            decoding="exponential"),
        _of(CODE, "logistic", "The logistic loss.",
            code=[["1", "1", "-1"], ["-1", "1", "1"], ["1", "-1", "1"]], f=[["2", "-1", "1/2"]],
            decoding="logistic"),
        _of(CODE, "names", "Classes that are names, not in sorted order.",
            code=[["1", "1"], ["-1", "1"], ["-1", "-1"]], f=[["2", "1"], ["-1", "-3"], ["-1", "2"]],
            classes=["wolf", "ape", "bat"]),
        _of(CODE, "near-tie", "Distances that differ by 2^-52.", "near-tie",
            code=[["1", "-1"], ["-1", "1"]], f=[["1/2", str(Fraction(1, 2) - ULP)]], decoding="hinge"),
        *drawn(CODE, _draw_code, (2, 30, 31, 37, 49, 52)),
        _of(PAIRS, "cycle", "Each class beats another: one vote each.", "tie", pairs=[["1", "-2", "3"]]),
        _of(PAIRS, "clear", "One class beats all, another the rest.", pairs=[["1", "2", "1"], ["-1", "-1", "2"]]),
        _of(PAIRS, "zeros", "Scores of 0 are half a vote for either.", "tie", pairs=[["0", "1", "1"], ["0", "0", "2"]]),
        _of(PAIRS, "sums", "Sums of scores, which one large score decides.", pairs=[["1", "1", "5"], ["-1", "3", "1"]],
            rule="score_sum"),
        _of(PAIRS, "near-zero", "A score of 2^-52 is a whole vote.", "near-tie", pairs=[[str(ULP), "-1", "-1"]]),
        _of(PAIRS, "batch", "A large score in another row.", "tie", pairs=[["1", "-2", "3"], ["900", "-1", "800"]]),
        _of(PAIRS, "tournament", "A bracket of four.", rule="tournament", bracket=[2, 0, 3, 1],
            pairs=[["1", "-1", "1", "1", "-1", "1"]]),
        _of(PAIRS, "names", "Classes that are names, not in sorted order.", pairs=[["1", "2", "-1"], ["-1", "1", "1"]],
            classes=["wolf", "ape", "bat"]),
        *drawn(PAIRS, _draw_pairs, (6, 9, 11, 20, 24, 29, 35, 49)),
        _of(SCORES, "clear", "The largest score.", scores=[["2", "3", "-1"], ["0", "-1", "-2"]]),
        _of(SCORES, "claims", "Two classes claim the row.", "tie", scores=[["2", "3", "-1"], ["-1", "-2", "-3"]],
            rule="claim"),
        _of(SCORES, "score-among-claims", "Of the classes that claim the row the largest score.", "tie",
            scores=[["2", "3", "3"], ["-1", "-2", "-1"]], rule="score_among_claims"),
        _of(SCORES, "tie", "Two largest scores.", "tie", scores=[["1", "1", "0"], ["-1", "-1", "-1"]]),
        _of(SCORES, "near-tie", "Scores that differ by 2^-52.", "near-tie", scores=[["1", str(1 + ULP)]] * 2,
            classes=["b", "a"]),
        _of(SCORES, "names", "Classes that are names, not in sorted order.",
            scores=[["2", "3", "-1"], ["5", "0", "1"], ["0", "-1", "2"]], classes=["wolf", "ape", "bat"]),
    ]  # fmt: skip


def _nodes() -> list[Draft]:
    four = ["a", "b", "c", "d"]
    splits = [[["a", "d"], ["b", "c"]], [["d"], ["a"]], [["b"], ["c"]]]
    below = [{"candidates": ["a", "b"], "below": [1, None]}, {"candidates": ["c", "a"]}]
    return [
        _of(NODES, "cup", "A tournament of four in three matches.", classes=four,
            f=[["1", "-1", "-1"], ["-2", "1/2", "1"]]),
        _of(NODES, "draws", "Matches of score 0 can end either way.", "tie", classes=four,
            f=[["0", "0", "0"]]),
        _of(NODES, "twice", "A class is out after two defeats, and the two winners meet.", classes=["a", "b", "c"],
            eliminations=2, f=[["1", "-1", "1", "-1", "1"], ["1", "-1", "0", "-1", "1"]]),
        _of(NODES, "label-tree", "A tree over four classes.", method="label_tree", classes=four, splits=splits,
            f=[["1/2", "-1", "1"], ["-1", "3", "-2"]]),
        _of(NODES, "label-tree-tie", "A row that goes both ways at the root.", "tie", method="label_tree", classes=four,
            splits=splits, f=[["0", "-1", "1"]]),
        _of(NODES, "candidates", "A router leads to two candidates, or stays.", method="one_against_some",
            classes=["a", "b", "c"], nodes=below, f=[["1"], ["-1"]], scores=[[["3", "5"], ["1", "2"]], [["4", "3"], ["2", "1"]]]),
        _of(NODES, "near-tie", "A router's score of 2^-52 leads to the left alone.", "near-tie", method="one_against_some",
            classes=["a", "b", "c"], nodes=below, f=[[str(ULP)]], scores=[[["3", "5"], ["2", "1"]]]),
    ]  # fmt: skip


def _bounds() -> list[Draft]:
    margin = {"k": 3, "rho": "1", "m": 100, "delta": "1/20"}
    return [
        _of("bound.rademacher", "two-signs", "A hypothesis and its negative.", values=[["1", "1", "1"], ["-1", "-1", "-1"]]),
        _of("bound.rademacher", "one-hypothesis", "One hypothesis: the average is 0.", values=[["1", "2"]]),
        _of("bound.rademacher", "shifted", "Two hypotheses of one sign.", values=[["1", "0", "2"], ["3", "1", "0"]]),
        _of("bound.rademacher", "one-row", "A single row.", "one row", values=[["1"], ["1/2"], ["-2"]]),
        _of("bound.margin", "expected", "The form of the expected complexity.", empirical="1/20",
            expected_complexity="1/100", **margin),
        _of("bound.margin", "empirical", "The form of the empirical complexity.", empirical="0",
            empirical_complexity="1/50", **margin),
        _of("bound.margin", "vacuous", "A bound above 1.", empirical="1/2", expected_complexity="1/4",
            k=5, rho="1/2", m=10, delta="1/100"),
        _of("bound.margin", "large-margin", "A margin above 1.", empirical="1/10",
            expected_complexity="1/8", k=2, rho="3", m=400, delta="1/10"),
        _of("bound.kernel_rademacher", "rational", "A root that is rational.", r_squared="4", Lambda_squared="4", m=4),
        _of("bound.kernel_rademacher", "irrational", "A root that is not.", r_squared="2", Lambda_squared="3", m=5),
        _of("bound.kernel_margin", "two-classes", "Two classes.", empirical="0", k=2, rho="1", m=100,
            delta="1/20", r_squared="1", Lambda_squared="1"),
        _of("bound.kernel_margin", "on-sample", "The kernel is bounded on the sample only.", empirical="1/10",
            k=4, rho="1/2", m=1000, delta="1/50", r_squared="4", Lambda_squared="9", on_sample=True),
        _of("bound.perceptron", "pair", "Two rows and a separator of norm 1.", X=[["1"], ["-2"]], y=[1, -1], w=["2"]),
        _of("bound.perceptron", "plane", "A separator of another norm than 1.", X=[["2", "1"], ["-1", "1"]], y=[1, -1],
            w=["3", "-1"]),
        _of("bound.perceptron", "bias", "A separator with a bias.", X=[["3"], ["1"]], y=[1, -1], w=["1"], b="-2"),
        _of("bound.perceptron", "classes", "Three classes and their weights.",
            X=[["1", "0"], ["0", "1"], ["-1", "-1"]], y=["a", "b", "c"],
            W=[["2", "0"], ["0", "2"], ["-2", "-2"]]),
        _of("bound.adaboost", "one-round", "One round.", epsilons=["1/10"]),
        _of("bound.adaboost", "rounds", "Three rounds.", epsilons=["1/4", "1/3", "2/5"]),
        _of("bound.adaboost", "near-half", "An edge of 2^-20.", "tiny", epsilons=[str(Fraction(1, 2) - Fraction(1, 2**20))]),
    ]  # fmt: skip


DRAFTS = [
    *_losses(),
    *_hinges(),
    _of("loss.zero_one", "labels", "Two labels of three are wrong.", predicted=["a", "b", "c"], y=["a", "a", "b"]),
    _of("loss.zero_one", "scores", "The largest score is not that of the label.",
        scores=[["1", "2"], ["3", "1"], ["0", "1"]], y=[0, 0, 1]),
    _of("loss.zero_one", "all-wrong", "Every label is wrong.", predicted=["a", "a"], y=["b", "b"]),
    _of("loss.hamming", "codes", "A missing label and one too much.", predicted=[[1, -1, 1], [-1, -1, 1]],
        y=[[1, 1, -1], [-1, -1, 1]]),
    _of("loss.hamming", "superfluous", "Only superfluous labels.", predicted=[[1, 1], [1, -1]], y=[[-1, 1], [-1, -1]]),
    _of("loss.hamming", "missing", "Only missing labels.", predicted=[[-1, -1, -1, -1], [1, 1, 1, 1]],
        y=[[1, -1, 1, -1], [1, 1, 1, 1]]),
    *_decodings(),
    *_nodes(),
    *_bounds(),
]  # fmt: skip
