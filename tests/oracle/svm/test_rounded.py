"""Answers in binary64: a float stands for all numbers that round to it, and nothing is added to
what is allowed.

FAR has the optimum w = 2e-7, b = 0.4 by hand: the rows are 10^7 apart, so w = 2/10^7, and
3·10^6 w + b = 1. P* is w²/2 = 2e-14, and half a unit in the last place of 0.4 alone costs 2.8e-17.
"""

import random
from collections import Counter
from fractions import Fraction as F
from math import nextafter, ulp
from typing import Any

import pytest

from refmc import check, solve_problem
from refmc.checker.numbers.rounding import Rounded
from refmc.core.records import Record

pytestmark = pytest.mark.usefixtures("without_hints")

FAR: Record = {"family": "svm.binary", "X": [[3000000], [-7000000]], "y": [1, -1], "C": 1}
FAR_HARD: Record = {"family": "svm.hard", "X": [[3000000], [-7000000]], "y": [1, -1]}
HUGE: Record = {"family": "svm.binary", "X": [["3e15"], ["-7e15"]], "y": [1, -1], "C": 1}
SUM = (
    "half a unit in the last place moves a margin by more than 1/2: no binary64 weights can decide"
)


def status(problem: Record, answer: Record, gap: Any = None) -> str:
    return check(problem, answer, gap=gap).status


@pytest.mark.parametrize("value", [1.0, 0.1, -3.5, 5e-324, 0.0, 2.0**-1022, 1.7976931348623157e308])
def test_the_ends_of_what_rounds_to_a_number_are_where_rounding_goes_elsewhere(
    value: float,
) -> None:
    around = Rounded.of_float(value)
    for wanted in (around.low - 1, around.low, F(value), around.high, around.high + around.width):
        assert float(around.nearest(wanted)) == value
    beyond = around.width / 2**60
    if value < 1e308:
        assert float(around.high + beyond) == nextafter(value, 9e308)
    assert float(around.low - beyond) == nextafter(value, -9e308)


def test_a_number_that_is_written_exactly_stands_for_itself() -> None:
    assert status(FAR, {"w": [2e-7], "b": 0.4}) == "VERIFIED"
    assert status(FAR_HARD, {"w": [2e-7], "b": 0.4}) == "VERIFIED"
    for w, b in ((F(2e-7), F(0.4)), (str(F(2e-7)), str(F(0.4))), (F(2e-7), "0.4")):
        assert status(FAR, {"w": [w], "b": b}) == "REFUTED"
    assert status(FAR, {"w": ["2e-7"], "b": "0.4"}, 0) == "VERIFIED"
    # at a gap of 0 nothing is meant but what was submitted
    assert status(FAR, {"w": [2e-7], "b": 0.4}, 0) == "REFUTED"


@pytest.mark.parametrize(
    ("family", "answer"),
    [
        ("svm.binary", {"alpha": [0.5, 0.5], "b": 5e299}),
        ("svm.binary", {"w": [1.0], "b": 5e299}),
        ("svm.binary", {"w": [1e300]}),
        ("svm.binary", {"alpha": [1.5, 0.5], "b": 0.0}),  # whose rounding moves nothing
        ("svm.hard", {"w": [1.0], "b": 5e299}),
        ("svm.hard", {"alpha": [0.5, 5e17], "b": 0.0}),
        ("svm.multiclass", {"W": [[1e300], [0.5]]}),
    ],
)
def test_what_no_reading_makes_right_is_refuted_without_asking_for_strings(
    family: str, answer: Record
) -> None:
    problem: Record = {"family": family, "X": [[1], [-1]], "y": [1, -1]}
    if family != "svm.hard":
        problem = {**problem, "C": 1}
    verdict = check(problem, answer)
    assert verdict.status == "REFUTED" and verdict.hint == ""


THIRDS: Record = {"X": [[3], [-7], [1]], "y": [1, -1, -1]}


@pytest.mark.parametrize(
    ("problem", "w", "optimum"),
    [
        # by hand: the margins of the first row and of the third, which pays, are 3w and −w
        ({"family": "svm.binary", "C": 1, "bias": False}, {"w": ["1/3"]}, F(25, 18)),
        ({"family": "svm.binary", "X": [["1e-5"]], "y": [1], "C": "1e-320", "bias": False},
         {"w": [0.0]}, F(1, 10**320)),
        ({"family": "svm.hard", "X": [["1/3"], ["-1/3"]], "y": [1, -1], "bias": False},
         {"w": [3]}, F(9, 2)),
        ({"family": "svm.hard", "X": [[3], [-3]], "y": [1, -1], "bias": False},
         {"w": ["1/3"]}, F(1, 18)),
        ({"family": "svm.multiclass", "X": [[3]], "y": ["a"], "classes": ["a", "b"], "C": 1},
         {"W": [["1/6"], ["-1/6"]]}, F(1, 36)),
    ],
)  # fmt: skip
@pytest.mark.parametrize("name", ["objective", "primal", "dual"])
def test_claimed_optima_in_floats_stand_for_what_rounds_to_them(
    problem: Record, w: Record, optimum: F, name: str
) -> None:
    asked, value = {**THIRDS, **problem}, float(optimum)
    assert status(asked, {**w, name: value}, "1e-30") == "VERIFIED"
    assert status(asked, {**w, name: nextafter(value, 9.0)}, "1e-30") == "REFUTED"
    assert status(asked, {**w, name: nextafter(value, 0.0)}, "1e-30") == "REFUTED"
    exact = F(value) == optimum
    assert (status(asked, {**w, name: str(F(value))}, "1e-30") == "VERIFIED") == exact
    assert (status(asked, {**w, name: value}, 0) == "VERIFIED") == exact


APART: Record = {"X": [[1], ["-2/3"]], "y": [1, -1]}


@pytest.mark.parametrize(
    ("problem", "w", "ends", "square"),
    [
        # by hand: w is 2 over the distance of the rows; or C times it, where −8/9 < b < 5/6 keeps
        # both hinges positive
        ({"family": "svm.hard"}, "6/5", (F(-1, 5), F(-1, 5)), F(25, 36)),
        ({"family": "svm.binary", "C": 1}, "6/5", (F(-1, 5), F(-1, 5)), F(25, 36)),
        ({"family": "svm.binary", "C": "1/10"}, "1/6", (F(-8, 9), F(5, 6)), F(36)),
    ],
)
def test_ends_of_the_biases_and_the_margin_in_floats_stand_for_what_rounds_to_them(
    problem: Record, w: str, ends: tuple[F, F], square: F
) -> None:
    asked, (low, high) = {**APART, **problem}, map(float, ends)
    right: Record = {"w": [w], "b_interval": [low, high], "margin_squared": float(square)}
    assert status(asked, right, "1e-30") == "VERIFIED"
    assert status(asked, {**right, "w": [float(F(w))]}, "1e-30") == "VERIFIED"
    assert status(asked, right, 0) == "REFUTED"
    for off in (1e9, -1e9):
        for wrong in (
            {"b_interval": [nextafter(low, off), high]},
            {"b_interval": [low, nextafter(high, off)]},
            {"b_interval": [str(F(low)), str(F(high))]},
            {"b_interval": ["-inf", high]},
            {"margin_squared": nextafter(float(square), off)},
            {"margin_squared": "inf"},
        ):
            assert status(asked, {**right, **wrong}, "1e-30") == "REFUTED"


def test_an_infinite_end_stays_beside_one_in_floats() -> None:
    # a row of one label alone: w = 0, and every b from 1 on is right
    for sign, right, wrong in (
        (1, [1.0, "inf"], [0.9, "inf"]),
        (-1, ["-inf", -1.0], ["-inf", -0.9]),
    ):
        for family in ({"family": "svm.hard"}, {"family": "svm.binary", "C": 1}):
            problem: Record = {**family, "X": [["1/3"]], "y": [sign]}
            answer: Record = {"w": [0], "margin_squared": "inf"}
            assert status(problem, {**answer, "b_interval": right}, "1e-30") == "VERIFIED"
            assert status(problem, {**answer, "b_interval": wrong}, "1e-30") == "REFUTED"


def test_multipliers_that_were_moved_are_not_taken_for_rounded_ones() -> None:
    # the first may be 1/10 only, and the rest of it is no rounding: the gap is 6/5 by hand
    problem = {**FAR, "X": [[1], [1], [-1]], "y": [1, 1, -1], "weights": ["1/10", 1, 1]}
    verdict = check(problem, {"alpha": [0.5, 0.0, 0.5], "b": 0.0}, gap="1/10000")
    assert (verdict.status, verdict.gap, verdict.hint) == ("REFUTED", F(6, 5), "")


def test_the_verdict_shows_the_gap_as_submitted_and_what_rounding_explains_of_it() -> None:
    verdict, exact = (check(FAR, {"w": [w], "b": b}) for w, b in ((2e-7, 0.4), (F(2e-7), F(0.4))))
    assert verdict.gap == exact.gap and verdict.explained == exact.gap and exact.explained is None
    assert "explains 9.1e-17 of the gap: numbers that round to these have 0" in verdict.explain()
    assert verdict.to_json()["explained"] == str(exact.gap)


def test_a_number_that_rounds_elsewhere_is_refuted_however_small_its_cost_in_units() -> None:
    for b in (0.4 * (1 + 1e-9), 0.4 * (1 + 1e-6), 0.404):
        assert status(FAR, {"w": [2e-7], "b": b}) == "REFUTED"
    # weights 4,500,000 times the optimal ones, on rows so long that half a unit costs much more
    assert status(HUGE, {"w": [1e-9], "b": 0.4}) == "REFUTED"


def test_only_a_few_units_in_the_last_place_are_left_open() -> None:
    found = [status(FAR, {"w": [2e-7], "b": 0.4 + n * ulp(0.4)}) for n in range(-40, 41)]
    assert found[40] == "VERIFIED" and "VERIFIED" not in found[:40] + found[41:]
    assert found.count("REFUTED") >= 70


def test_weights_that_move_a_margin_by_more_than_a_half_decide_nothing() -> None:
    # the rows are 4 apart, so w = 2/4; half a unit of a bias of -5·10^16 is 4
    problem = {"family": "svm.binary", "X": [["1e17"], [f"{10**17 + 4}"]], "y": [-1, 1], "C": 9}
    right = solve_problem(problem)
    assert right["w"] == ["1/2"] and right["b"] == "-50000000000000001"
    verdict = check(problem, {"w": [0.5], "b": float(F(str(right["b"])))})
    assert verdict.status == "INCONCLUSIVE" and SUM in verdict.hint
    assert "; submit strings" in verdict.hint
    assert status(problem, {"w": right["w"], "b": right["b"]}, 0) == "VERIFIED"
    # whatever numbers are meant, these weights cost too much
    assert status(problem, {"w": [5.0], "b": float(F(str(right["b"])))}) == "REFUTED"


def test_everything_beside_weights_is_judged_at_the_numbers_that_were_found() -> None:
    answer: dict[str, Any] = {"w": [2e-7], "b": 0.4, "labels": [1, -1], "scores": [1.0, -1.0]}
    answer |= {"slack": [0.0, 0.0], "objective": 2e-14, "b_interval": [0.4, 0.4]}
    assert status(FAR, answer) == "VERIFIED"
    for name, wrong in (
        ("labels", [1, 1]),
        ("scores", [1.0, -1.1]),
        ("slack", [0.0, 0.01]),
        ("objective", 2.1e-14),
        ("b_interval", [0.4, 0.5]),
    ):
        assert status(FAR, {**answer, name: wrong}) == "REFUTED", name


def test_whole_numbers_of_json_beyond_2_53_are_binary64_as_well() -> None:
    problem = '{"family": "svm.binary", "X": [[3e-17], [-7e-17]], "y": [1, -1], "C": "1e40"}'
    assert solve_problem(problem)["w"] != ["20000000000000000"]  # for 3e-17 isn't 3/10^17
    w = int(F(str(solve_problem(problem)["w"][0])))  # type: ignore[index]
    assert w > 2**53
    verdict = check(problem, f'{{"w": [{w}]}}')
    assert verdict.status == "VERIFIED"


def test_an_objective_or_multipliers_alone_are_read_as_what_rounds_to_them() -> None:
    # 3/2 x² − x is least at 1/3: −1/6; three rows whose optimal multipliers by hand are 1/3, 0, 1/3
    program: Record = {"family": "qp.convex", "Q": [["3"]], "c": ["-1"]}
    assert status(program, {"objective": -1 / 6}, gap="1e-17") == "VERIFIED"
    assert status(program, {"objective": -1 / 6}, gap=0) == "REFUTED"
    rows: Record = {"family": "svm.binary", "X": [["3"], ["-7"], ["2"]], "y": [1, -1, -1]}
    three = {**rows, "C": "1/3", "bias": "penalised"}
    assert status(three, {"alpha": [1 / 3, 0.0, 1 / 3]}, gap="1e-17") == "VERIFIED"


# --- The campaign: what was rounded correctly is never refuted


def scaled(rng: random.Random) -> F:
    return F(10) ** rng.randint(-8, 8)


def svm(family: str, rng: random.Random) -> dict[str, Any]:
    """A small problem with rows and C of any scale, often degenerate."""
    m, d, scale = rng.randint(2, 7), rng.randint(1, 3), scaled(rng)
    X = [[scale * F(rng.randint(-9, 9), rng.choice([1, 1, 7])) for _ in range(d)] for _ in range(m)]
    C = rng.choice([F(1), scaled(rng), scaled(rng)])
    if family == "svm.multiclass":
        k = rng.randint(2, 4)
        y = [rng.randrange(k) for _ in range(m)]
        loss = rng.choice(["max_form", "max_form", "sum_form"])
        return {"family": family, "X": X, "y": y, "C": C, "classes": list(range(k)), "loss": loss}
    bias = rng.choice([True, True, False, "penalised"])
    if family == "svm.hard":
        plane = [rng.randint(-5, 5) for _ in range(d)]
        t = rng.randint(-3, 3) * bool(bias)
        side = [sum(a * v for a, v in zip(plane, x)) / scale > t for x in X]
        return {"family": family, "X": X, "y": [1 if s else -1 for s in side], "bias": bias}
    y = [rng.choice([-1, 1]) for _ in range(m)]
    loss = rng.choice(["hinge", "hinge", "squared_hinge"])
    return {"family": family, "X": X, "y": y, "C": C, "bias": bias, "loss": loss}


def program(rng: random.Random) -> dict[str, Any]:
    n, unit, size = rng.randint(1, 3), scaled(rng), scaled(rng)
    A = [[rng.randint(-4, 4) for _ in range(n)] for _ in range(rng.randint(0, n))]
    Q = [[unit * sum(a[i] * a[j] for a in A) for j in range(n)] for i in range(n)]
    problem: dict[str, Any] = {"family": "qp.convex", "Q": Q}
    problem["c"] = [unit * size * rng.randint(-5, 5) for _ in range(n)]
    if rows := rng.randint(0, 3):
        problem["G"] = [[rng.randint(-5, 5) for _ in range(n)] for _ in range(rows)]
        problem["h"] = [size * F(rng.randint(-5, 9), rng.choice([1, 3])) for _ in range(rows)]
    return problem


POINT = {"svm.binary": "w", "svm.hard": "w", "svm.multiclass": "W", "qp.convex": "x"}
BESIDE = {
    "svm.binary": ("b", "alpha", "slack", "objective"),
    "svm.hard": ("b", "alpha", "objective"),
    "svm.multiclass": ("lam", "slack", "objective"),
    "qp.convex": ("objective",),
}
OPTIMA = [(family, problems) for family in POINT for problems in (12,)]
CAMPAIGN = [
    pytest.param(family, 2_000, marks=pytest.mark.campaign, id=f"{family}-2000") for family in POINT
]


def optimum(family: str, rng: random.Random) -> tuple[dict[str, Any], dict[str, Any]]:
    """A problem that has an optimum, and the optimum exactly."""
    while True:
        problem = program(rng) if family == "qp.convex" else svm(family, rng)
        found = solve_problem(problem)
        if POINT[family] in found and "ray" not in found:
            return problem, found


def in_floats(value: Any) -> Any:
    return [in_floats(v) for v in value] if isinstance(value, list) else float(F(value))


def parts_of(problem: dict[str, Any], exact: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The optimal point with some of what may stand beside it; or multipliers alone."""
    family = problem["family"]
    has_bias = problem.get("bias", True) is not False
    beside = [name for name in BESIDE[family] if name in exact and (name != "b" or has_bias)]
    names = {POINT[family], *(name for name in beside if rng.random() < 0.4)}
    if problem.get("bias") == "penalised":
        names.add("b")
    elif family != "qp.convex" and rng.random() < 0.15:
        names = (names - {POINT[family]}) | {"lam" if family == "svm.multiclass" else "alpha"}
    return {name: in_floats(exact[name]) for name in exact if name in names}


def moved(answer: dict[str, Any], share: float, rng: random.Random) -> dict[str, Any]:
    """The answer with one number, which isn't 0, moved by a share of itself."""
    places = [
        (name, i, j)
        for name, value in answer.items()
        for i, row in enumerate(value if isinstance(value, list) else [value])
        for j, number in enumerate(row if isinstance(row, list) else [row])
        if number
    ]
    if not places:
        return answer
    name, i, j = rng.choice(places)
    value = answer[name]
    if not isinstance(value, list):
        return {**answer, name: value * (1 + share)}
    rows: list[Any] = [list(row) if isinstance(row, list) else row for row in value]
    if isinstance(rows[i], list):
        rows[i][j] *= 1 + share
    else:
        rows[i] *= 1 + share
    return {**answer, name: rows}


@pytest.mark.parametrize(("family", "problems"), [*OPTIMA, *CAMPAIGN])
def test_an_optimum_that_was_rounded_correctly_is_verified(family: str, problems: int) -> None:
    rng, met = random.Random(f"rounded {family}"), Counter[str]()
    for _ in range(problems):
        problem, exact = optimum(family, rng)
        answer = parts_of(problem, exact, rng)
        verdict = check(problem, answer)
        met[verdict.status] += 1
        assert verdict.status != "REFUTED", (problem, answer)
        met["by rounding"] += verdict.status == "VERIFIED" and bool(verdict.explained)
    assert met["VERIFIED"] > 0.99 * problems


def loss(problem: dict[str, Any], w: list[Any], b: F) -> F:
    """P(w, b), or P(W) for several classes, by their formulas."""
    X, y, C = problem["X"], problem["y"], problem["C"]
    if problem["family"] == "svm.multiclass":
        total = sum((v * v for row in w for v in row), F(0)) / 2
        for x, c in zip(X, y):
            s = [sum((a * v for a, v in zip(row, x)), F(0)) for row in w]
            over = [1 + s[j] - s[c] for j in range(len(w)) if j != c]
            hinges = [max(v, F(0)) for v in over]
            total += C * (sum(hinges, F(0)) if problem["loss"] == "sum_form" else max(hinges))
        return total
    total = (sum((v * v for v in w), F(0)) + (b * b if problem["bias"] == "penalised" else 0)) / 2
    for x, s in zip(X, y):
        short = max(F(0), 1 - s * (sum((a * v for a, v in zip(w, x)), F(0)) + b))
        total += C * (short * short if problem["loss"] == "squared_hinge" else short)
    return total


@pytest.mark.parametrize(
    ("family", "problems"),
    [
        ("svm.binary", 40),
        ("svm.multiclass", 40),
        *(p for p in CAMPAIGN if p.values[0] != "qp.convex"),
    ],
)
def test_a_moved_number_is_verified_only_where_one_that_rounds_to_it_is_near_enough(
    family: str, problems: int
) -> None:
    """Weights alone, or with their bias: where they are VERIFIED, those that round to them and are
    nearest to the optimum are near enough by the formula of P, or of the hard margin's norm."""
    rng, met = random.Random(f"moved {family}"), Counter[str]()
    names = {POINT[family]} | ({"b"} if family != "svm.multiclass" else set())
    for _ in range(problems):
        problem, exact = optimum(family, rng)
        kept = names - ({"b"} if problem.get("bias", True) is False else set())
        right = {name: in_floats(exact[name]) for name in kept}
        for share in (1e-2, 1e-6, 1e-9):
            answer = moved(right, share, rng)
            found = check(problem, answer).status
            met[f"{share} {found}"] += 1
            if found == "VERIFIED":
                assert is_near(problem, exact, answer), (problem, answer)
    assert met["0.01 REFUTED"] > problems / 3


def is_near(problem: dict[str, Any], exact: dict[str, Any], answer: dict[str, Any]) -> bool:
    best, micro = F(exact["objective"]), F(1, 10**6)
    if problem["family"] == "svm.multiclass":
        W = [
            [Rounded.of_float(f).nearest(F(v)) for f, v in zip(row, rows)]
            for row, rows in zip(answer["W"], exact["W"])
        ]
        return (
            min(loss(problem, found, F(0)) for found in (W, fractions(answer["W"])))
            <= (1 + micro) * best
        )
    w = [Rounded.of_float(f).nearest(F(v)) for f, v in zip(answer["w"], exact["w"])]
    given, bs = [F(f) for f in answer["w"]], [F(0)]
    if "b" in answer:
        bs = [Rounded.of_float(answer["b"]).nearest(F(exact["b"])), F(answer["b"])]
    if problem["family"] == "svm.hard":
        return any(is_near_hard(problem, best, v, b) for v in (w, given) for b in bs)
    return min(loss(problem, v, b) for v in (w, given) for b in bs) <= (1 + micro) * best


def is_near_hard(problem: dict[str, Any], best: F, w: list[F], b: F) -> bool:
    rows = zip(problem["X"], problem["y"])
    mu: F = min(s * (sum((a * v for a, v in zip(w, x)), F(0)) + b) for x, s in rows)
    norm: F = sum((v * v for v in w), F(0)) + (b * b if problem["bias"] == "penalised" else 0)
    micro = F(1, 10**6)
    return mu >= 1 - micro and norm / 2 / min(mu, F(1)) ** 2 <= (1 + micro) * best


def fractions(rows: list[list[float]]) -> list[list[F]]:
    return [[F(v) for v in row] for row in rows]
