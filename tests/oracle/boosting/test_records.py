"""Boosting problems and runs as records: a replay by brute force, reference answers, bad input."""

import json
from collections.abc import Iterator, Sequence
from fractions import Fraction as F
from itertools import product
from math import prod
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from refmc import check, fit_adaboost, fit_adaboost_mh, grow_tree, solve_problem
from refmc.answers import trace_problem
from refmc.core.logs import Log
from refmc.errors import FormatError
from refmc.learn.boosting.weak import on_items
from refmc.oracle.rows import Root
from tests.support import EXAMPLES, table

FOUR: dict[str, Any] = {
    "family": "boost.mh",
    "X": [[0], [1], [2], [3]],
    "Y": [0, 0, 1, 2],
    "rounds": 2,
}
ADA: dict[str, Any] = {
    "family": "boost.ada",
    "X": [["1/2", "a"], [1, "b"], [1.5, "b"], [2, "c"]],
    "categorical": ["kind"],
    "columns": ["size", "kind"],
    "y": ["no", "yes", "yes", "no"],
    "classes": ["no", "yes"],
    "rounds": 2,
}
BASE = {"base": ["no", "yes", "yes", "yes"]}


def answers_of_stumps(X: Sequence[Sequence[F]], k: int, two_sided: bool) -> set[Any]:
    """The answers on the rows of every stump, from every threshold and every choice of signs."""
    found = set()
    for j, a in product(range(len(X[0])), {v for row in X for v in row}):
        for v, w in product(product([-1, 1], repeat=k), repeat=2):
            if two_sided or w == tuple(-s for s in v):
                found.add(tuple(v if x[j] <= a else w for x in X))
    return found | {(v,) * len(X) for v in product([-1, 1], repeat=k)}


def replayed(problem: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Whether an exact answer is right, by Fractions, every stump and powers for logarithms."""
    X = [list(map(F, x)) for x in problem["X"]]
    truth = [tuple(row) for row in problem["Y"]]
    k = len(truth[0])
    stumps = answers_of_stumps(X, k, problem["base"] == "two_sided")
    D = [[F(1, len(X) * k)] * k for _ in X]
    history: list[tuple[Any, F]] = []
    bound = F(1)

    def error(h: Any) -> F:
        return sum(
            (d for i, row in enumerate(D) for l, d in enumerate(row) if h[i][l] != truth[i][l]),
            F(0),
        )

    for r in answer["rounds"]:
        h = tuple(applied(r["stump"], x) for x in X)
        epsilon = error(h)
        bound *= 4 * epsilon * (1 - epsilon)
        if epsilon != min(map(error, stumps)) or epsilon >= F(1, 2) or h not in stumps:
            return False
        claims = [r["epsilon"], r["Z_squared"], r["bound_squared"]]
        if list(map(F, claims)) != [epsilon, 4 * epsilon * (1 - epsilon), bound]:
            return False
        if epsilon == 0:
            return r is answer["rounds"][-1] and r["alpha"] is None and F(r["loss"]) == 0
        if r["alpha"] is None or power(r["alpha"]["ln"]) != ((1 - epsilon) / epsilon) ** DEN:
            return False
        history.append((h, (1 - epsilon) / epsilon))
        if F(r["loss"]) not in losses(history, truth):
            return False
        factors = {True: 1 / (2 * (1 - epsilon)), False: 1 / (2 * epsilon)}
        D = [[d * factors[a == c] for d, a, c in zip(*row)] for row in zip(D, h, truth)]
    return len(answer["rounds"]) == problem["rounds"] or min(map(error, stumps)) >= F(1, 2)


DEN = 12  # coefficients of logarithms are changed by multiples of 1/2 and 1/3 here


def power(terms: dict[str, str]) -> F:
    """exp of twice DEN times the sum of logarithms, a rational number."""
    exponents = [(int(n), F(c) * 2 * DEN) for n, c in terms.items()]
    return prod((F(n) ** int(e) for n, e in exponents), start=F(1))


def losses(history: Sequence[tuple[Any, F]], truth: Sequence[Any]) -> set[F]:
    """Shares of wrong items; a vote of 0, whose odds multiply to 1, is wrong or not."""
    odds = [
        prod((q if h[i][l] == c else 1 / q for h, q in history), start=F(1))
        for i, row in enumerate(truth)
        for l, c in enumerate(row)
    ]
    wrong, tied = sum(q < 1 for q in odds), sum(q == 1 for q in odds)
    return {F(n, len(odds)) for n in range(wrong, wrong + tied + 1)}


def applied(stump: dict[str, Any], x: Sequence[F]) -> tuple[int, ...]:
    question = stump["question"]
    if question is None or x[question["column"]] <= F(question["threshold"]):
        return tuple(stump["signs"])
    return tuple(stump["otherwise"] or [-v for v in stump["signs"]])


cell = st.integers(-1, 2).map(lambda n: str(F(n, 2)))
sign = st.sampled_from([-1, 1])


@st.composite
def problems(draw: st.DrawFn) -> dict[str, Any]:
    m = draw(st.integers(2, 5))
    return {
        "family": "boost.mh",
        "X": draw(st.lists(st.tuples(cell, cell), min_size=m, max_size=m)),
        "Y": draw(st.lists(st.tuples(sign, sign), min_size=m, max_size=m)),
        "rounds": draw(st.integers(0, 3)),
        "base": draw(st.sampled_from(["stumps", "two_sided"])),
    }


@given(problems())
def test_reference_answers_are_right_by_brute_force_and_by_the_checker(problem: Any) -> None:
    answer: Any = solve_problem(problem)
    assert replayed(problem, answer)
    verdict = check(problem, answer, gap=0)
    assert verdict.status == "VERIFIED" and not verdict.gap


def numbers_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all numbers of the rounds."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers_of(inner, (*path, name)) if name not in ("t", "column") else ()
    elif isinstance(value, (list, tuple)):
        for i, inner in enumerate(value):
            yield from numbers_of(inner, (*path, i))
    elif value is not None:
        yield path


def changed(answer: Any, path: tuple[Any, ...], by: F) -> Any:
    copy = json.loads(json.dumps(answer))
    *way, last = path
    place = copy["rounds"]
    for step in way:
        place = place[step]
    place[last] = -place[last] if isinstance(place[last], int) else str(F(place[last]) + by)
    return copy


@given(problems(), st.data(), st.sampled_from([F(-1, 2), F(1, 3), F(1, 2), F(1)]))
def test_a_changed_number_is_refuted_or_still_right(problem: Any, data: Any, by: F) -> None:
    answer = solve_problem(problem)
    paths = list(numbers_of(answer["rounds"]))
    assume(paths)
    wrong = changed(answer, data.draw(st.sampled_from(paths)), by)
    del wrong["labels"], wrong["stopped"]
    verdict = check(problem, wrong, gap=0)
    assert verdict.status == ("VERIFIED" if replayed(problem, wrong) else "REFUTED")


def test_thirty_rounds_in_floats_are_verified_far_below_the_default_gap() -> None:
    X, y = table("iris.csv")
    X, y = X[::2], y[::2]
    model = fit_adaboost_mh(X, y, rounds=30)
    rounds = [
        {
            "base": [r.base.answer(x) for x in X],
            "epsilon": r.epsilon,
            "alpha": float(r.alpha or 0),
            "Z": r.Z,
            "loss": r.loss,
            "bound": r.bound,
        }
        for r in model.rounds
    ]
    problem = {"family": "boost.mh", "X": X, "Y": y, "rounds": 30}
    answer = {"rounds": rounds, "labels": model.predict(X), "scores": list(map(model.scores, X))}
    verdict = check(problem, answer, gap="1e-12")
    assert verdict.status == "VERIFIED" and verdict.gap and verdict.gap < F(1, 10**14)
    again = [*rounds[:20], {"base": rounds[19]["base"]}, *rounds[21:]]
    hint = check(problem, {"rounds": again}, gap="1e-9").hint
    assert hint.startswith("the first fault is round 21: errs on ~0.5")


def test_trees_are_base_classifiers_of_the_open_class() -> None:
    X, y = [[0], [1], [2], [3]], ["a", "b", "a", "c"]
    steps: list[Any] = []
    tree = on_items(lambda X, y, weights: grow_tree(X, y, weights=weights, max_splits=2))
    model = fit_adaboost_mh(X, y, rounds=4, weak=tree, on_step=steps.append)
    rounds = [{"base": s.base.predict(X), "D": s.D, "epsilon": s.epsilon} for s in steps]
    problem = {"family": "boost.mh", "Y": y, "rounds": len(steps), "base": "any"}
    assert rounds and check(problem, {"rounds": rounds}, gap="1e-12")
    assert len(model.rounds) in (1, len(steps))


def test_rounds_of_a_saved_model_are_an_answer() -> None:
    X = [[F(v)] for v in (0, 1, 2, 3, 4)]
    y = [1, -1, -1, 1, -1]
    saved = json.loads(fit_adaboost(X, y, rounds=3).to_json())
    problem = {"family": "boost.ada", "X": [[0], [1], [2], [3], [4]], "y": y, "rounds": 3}
    assert check(problem, {"rounds": saved["rounds"], "program": "refmc"}, gap=0)


def test_names_categories_and_labels_are_read() -> None:
    answer: Any = solve_problem(ADA)
    assert answer["labels"] == ["no", "yes", "yes", "no"] and check(ADA, answer, gap=0)
    by_kind = {"question": {"column": "kind", "values": ["b"]}, "signs": [1]}
    perfect = {"stump": by_kind, "alpha": None, "loss": 0}
    assert check(ADA, {"rounds": [perfect], "labels": ADA["y"], "stopped": "perfect"}, gap=0)
    assert not check(ADA, {"rounds": [{"stump": by_kind | {"signs": [-1]}}]})


def test_the_end_is_named_in_reference_answers() -> None:
    ends = {
        "perfect": {"X": [[0], [1]], "y": [-1, 1], "rounds": 3},
        "no_edge": {"X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": [-1, 1, 1, -1], "rounds": 3},
        "rounds": {"X": [[0], [1], [2]], "y": [1, -1, 1], "rounds": 2},
    }
    for reason, fields in ends.items():
        problem = {"family": "boost.ada", **fields}
        answer = solve_problem(problem)
        assert answer["stopped"] == reason and check(problem, answer, gap=0)


def test_a_perfect_base_late_in_a_run_is_judged_with_the_rounds_before() -> None:
    problem = {"family": "boost.mh", "X": [[0], [1]], "Y": [["a"], ["b"]], "rounds": 0}
    assert solve_problem(problem)["rounds"] == []
    assert solve_problem(problem)["labels"] == [[], []]
    assert check(problem, {"rounds": [], "labels": [["a"], ["a", "b"]]}, gap=0)


def test_a_trace_has_the_lectures_variables() -> None:
    rows: list[Any] = list(trace_problem(FOUR))
    # ε = 1/6: α = ½ ln 5 and Z² = 4 · 1/6 · 5/6
    assert rows[0] == {
        "t": 1,
        "h": "x0 ≤ 1: 0+ 1− 2− else 0− 1+ 2+",
        "tied": ["x0 ≤ 1: 0+ 1− 2− else 0− 1+ 2+"],
        "taken": 0,
        "line": 10,
        "answers": [(1, -1, -1)] * 2 + [(-1, 1, 1)] * 2,
        "considered": {  # of 12 signs 2, 3, 4 and 5 are wrong
            "x0 ≤ 1: 0+ 1− 2− else 0− 1+ 2+": F(2, 12),
            "x0 ≤ 2: 0+ 1+ 2− else 0− 1− 2+": F(3, 12),
            "always 0+ 1− 2−": F(4, 12),
            "x0 ≤ 0: 0+ 1+ 2+ else 0− 1− 2−": F(5, 12),
        },
        "more": 0,
        "ε": F(1, 6),
        "α": Log([(5, F(1, 2))]),
        "Z": Root(F(5, 9)),
        "loss": F(1, 6),
        "Π Z": Root(F(5, 9)),
        "D": {label: (F(1, 12),) * 4 for label in "012"},
    }
    light, heavy = F(1, 20), F(1, 4)
    assert rows[1]["D"] == {
        "0": (light,) * 4,
        "1": (light, light, light, heavy),
        "2": (light, light, heavy, light),
    }
    two_sided: Any = next(iter(trace_problem(FOUR | {"base": "two_sided"})))
    assert len(two_sided["tied"]) == 2 and two_sided["h"] == rows[0]["h"]
    perfect: Any
    (perfect,) = trace_problem(ADA)
    assert perfect["h"] == "kind ∈ {b}: yes else no" and perfect["α"] == "inf"
    only: Any
    (only,) = trace_problem({"family": "boost.ada", "X": [[0]] * 3, "y": [1, 1, -1], "rounds": 1})
    assert only["h"] == "always 1" and only["D"] == [F(1, 3)] * 3


def test_samme_is_judged() -> None:
    problem = {
        "family": "boost.ada",
        "X": [[0], [1], [2], [3]],
        "y": ["a", "a", "b", "c"],
        "rounds": 1,
        "rule": "samme",
    }
    r = {"base": ["a", "a", "b", "b"], "alpha": {"ln": {"6": 1}}, "loss": "1/4"}
    answer = {"rounds": [r], "labels": ["a", "a", "b", "b"]}
    assert check(problem, answer, gap=0)
    assert check(
        problem,
        answer | {"scores": [["1.791759469228", 0, 0]] * 2 + [[0, "1.791759469228", 0]] * 2},
    )
    with pytest.raises(FormatError, match="have a reference"):
        solve_problem(FOUR | {"base": "any"})
    with pytest.raises(FormatError, match="give the answers as base"):
        check(problem, {"rounds": [{"stump": {"question": None, "signs": [1]}}]})
    with pytest.raises(FormatError, match="Z: belongs to two classes"):
        check(problem, {"rounds": [r | {"Z": 1}]})
    with pytest.raises(FormatError, match="problem.rule: samme has no trace"):
        list(trace_problem(problem))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=3, max_size=6),
    st.sampled_from(["samme", "m1"]),
)
def test_runs_of_several_classes_are_those_that_the_checker_replays(
    rows: list[tuple[int, int]], rule: str
) -> None:
    problem: dict[str, Any] = {
        "family": "boost.ada",
        "X": [[x] for x, _ in rows],
        "y": ["abc"[c] for _, c in rows],
        "classes": [*"abc"],
        "rounds": 3,
        "rule": rule,
    }
    answer: Any = solve_problem(problem)
    assert check(problem, answer, gap=0)
    if len(answer["rounds"]) > 1:
        # the last base classifier has no edge under the weights after it: all are as likely
        one, two = answer["rounds"][:2]
        wrong = [h != label for h, label in zip(one["base"], problem["y"])]
        after = sum((F(d) for d, is_wrong in zip(two["D"], wrong) if is_wrong), F(0))
        assert after == (F(2, 3) if rule == "samme" else F(1, 2))


def test_a_run_of_samme_by_hand() -> None:
    # "a to 1, then b" errs on c alone, ε = 1/4: α = ln 6, D = (1, 1, 1, 6)/9; then "a to 2, then
    # c" errs on b, ε = 1/9: α = ln 16
    problem = {"family": "boost.ada", "X": [[0], [1], [2], [3]], "y": [*"aabc"], "rounds": 2,
               "rule": "samme"}  # fmt: skip
    answer: Any = solve_problem(problem)
    first, second = answer["rounds"]
    assert first["base"] == [*"aabb"]
    assert (first["epsilon"], first["alpha"]) == ("1/4", {"ln": {"6": "1"}})
    assert second["D"] == ["1/9", "1/9", "1/9", "2/3"] and second["epsilon"] == "1/9"
    assert second["alpha"] == {"ln": {"16": "1"}} and answer["stopped"] == "rounds"
    # ln 16 outweighs ln 6
    assert second["base"] == answer["labels"] == [*"aacc"]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"rounds": -1}, r"problem.rounds: expected a whole number"),
        ({"rounds": "1/2"}, r"problem.rounds"),
        ({"base": "trees"}, r"problem.base: expected one of stumps, any"),
        ({"rule": "log"}, r"problem.rule"),
        ({"y": ["no", "yes"]}, r"problem: y"),
        ({"y": ["no", "yes", "maybe", "no"]}, r"problem: y.*maybe"),
        ({"classes": ["no"]}, r"problem: "),
        ({"X": [[1, "a"], [2]]}, r"problem.X\[1\]"),
        ({"X": [[f"c{i}", f"c{i}"] for i in range(13)], "categorical": [0, 1]}, r"13 categories"),
        ({"X": [[1, 2]] * 4}, r"problem.X\[0\]\[1\]: expected a category"),
        ({"weights": [1, 1, 1]}, r"problem.weights: expected 4"),
        ({"weights": [1, 1, 1, -1]}, r"problem.weights\[3\]"),
        ({"weights": [0, 0, 0, 0]}, r"problem.weights: all are 0"),
        ({"T": 3}, r"unknown field 'T'"),
        ({"Y": [1]}, r"unknown field 'Y'"),
    ],
)
def test_a_bad_problem_names_its_field(change: Any, message: str) -> None:
    bad = ADA | change
    if len(bad["X"]) == 13:
        bad |= {"y": ["no"] * 13}
    with pytest.raises(FormatError, match=message):
        check(bad, {"rounds": []})


def test_a_column_of_twelve_categories_is_judged() -> None:
    y = ["no"] * 11 + ["yes"]
    most = ADA | {
        "X": [[f"c{i}"] for i in range(12)],
        "categorical": [0],
        "y": y,
        "columns": ["kind"],
    }
    assert check(most, {"rounds": []}).status == "REFUTED"  # "c11" alone is "yes"


def test_a_problem_without_rows_has_open_base_classifiers() -> None:
    with pytest.raises(FormatError, match="field 'X' is missing"):
        check({"family": "boost.mh", "Y": [0, 1], "rounds": 1}, {"rounds": []})
    with pytest.raises(FormatError, match="belong to X"):
        check({"family": "boost.mh", "Y": [0], "rounds": 1, "base": "any", "columns": ["a"]}, {})
    with pytest.raises(FormatError, match=r"problem: Y: row 1"):
        check(FOUR | {"Y": [[1, 0, 0], [1, 0], [1, 0, 0], [0, 0, 0]]}, {"rounds": []})


@pytest.mark.parametrize("family", ["boost.ada", "boost.mh"])
def test_a_base_of_no_name_is_refused_before_rows_that_are_missing(family: str) -> None:
    problem = {"family": family, "y" if family == "boost.ada" else "Y": [1, -1], "rounds": 1}
    told = "field 'X' is missing, or base 'any' in its place"
    with pytest.raises(FormatError, match=told):
        check(problem, {"rounds": []})
    with pytest.raises(FormatError, match="problem.base: expected one of stumps"):
        check({**problem, "base": "trees"}, {"rounds": []})


@pytest.mark.parametrize(
    "change, message",
    [
        ({}, r"rounds\[0\]: field 'stump' is missing, or base in its place"),
        ({**BASE, "stump": {}}, r"rounds\[0\]: expected one of base and stump"),
        ({"base": ["no"]}, r"rounds\[0\].base: expected 4, one a row, got 1"),
        ({"base": ["no", "yes", "yes", 3]}, r"base\[3\]: 3 is no class"),
        ({"base": ["no", "yes", "yes", ["no"]]}, r"base\[3\]: expected a label"),
        ({**BASE, "t": 2}, r"rounds\[0\].t: expected 1"),
        ({**BASE, "epsilon": "x"}, r"rounds\[0\].epsilon"),
        ({**BASE, "alpha": {"log2": {"3": 1}}}, r"rounds\[0\].alpha"),
        ({**BASE, "alpha": {"ln": {"0": 1}}}, r"rounds\[0\].alpha.ln\[0\]"),
        ({**BASE, "alpha": {"ln": 3}}, r"rounds\[0\].alpha.ln: expected an object"),
        ({**BASE, "D": [1, 2]}, r"rounds\[0\].D: expected 4 numbers"),
        ({**BASE, "Zeta": 1}, r"unknown field 'Zeta'"),
        ({"stump": 3}, r"stump: expected an object"),
        ({"stump": {"question": None}}, r"'signs' is missing"),
        ({"stump": {"question": None, "signs": [1, 1]}}, r"signs: expected 1 signs"),
        ({"stump": {"question": None, "signs": [2]}}, r"signs: expected 1 signs"),
        ({"stump": {"question": None, "signs": [1], "otherwise": [0]}}, r"otherwise"),
        ({"stump": {"question": {"column": 0, "values": ["a"]}, "signs": [1]}}, r"holds numbers"),
        ({"stump": {"question": {"column": 7, "threshold": 1}, "signs": [1]}}, r"column 7"),
    ],
)
def test_a_bad_round_names_its_field(change: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        check(ADA, {"rounds": [change]})


@pytest.mark.parametrize(
    "answer, message",
    [
        ({}, r"'rounds' is missing"),
        ({"labels": ["no"] * 4}, r"'rounds' is missing"),
        ({"rounds": 3}, r"answer.rounds: expected a list"),
        ({"rounds": [], "stopped": "tired"}, r"answer.stopped"),
        ({"rounds": [], "labels": ["no"]}, r"answer.labels: expected 4"),
        ({"rounds": [], "scores": [[1]] * 4}, r"answer.scores\[0\]"),
        ({"rounds": [], "family": "boost.mh"}, r"answer.family"),
    ],
)
def test_a_bad_answer_names_its_field(answer: Any, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        check(ADA, answer)


@pytest.mark.parametrize(
    "answer, message",
    [
        ({"rounds": [{"base": [[1, 1]] * 4}]}, r"base: expected 4 rows of 3"),
        ({"rounds": [{"base": [[1, 1, 0]] * 4}]}, r"base\[0\]: expected 3 signs"),
        ({"rounds": [{"base": [[1, 1, 1]] * 4, "D": [1] * 4}]}, r"rounds\[0\].D"),
        ({"rounds": [], "labels": [["a"]]}, r"answer.labels: expected 4 lists"),
        ({"rounds": [], "labels": ["a"] * 4}, r"answer.labels\[0\]: expected a list"),
        ({"rounds": [], "labels": [["z"]] * 4}, r"answer.labels\[0\]\[0\]: 'z' is no class"),
        ({"rounds": [], "scores": [[1, 2]] * 4}, r"answer.scores"),
    ],
)
def test_bad_answers_of_label_sets_name_their_field(answer: Any, message: str) -> None:
    problem = FOUR | {"Y": [["a"], ["a", "b"], [], ["c"]]}
    with pytest.raises(FormatError, match=message):
        check(problem, answer)


def test_a_set_of_no_labels_may_be_any_sequence() -> None:
    given = FOUR | {"Y": [["a"], ["a", "b"], [], ["c"]], "rounds": 1}
    for empty in ((), set[str](), frozenset[str]()):
        problem = given | {"Y": [["a"], ("a", "b"), empty, {"c"}]}
        assert solve_problem(problem) == solve_problem(given)
        assert check(problem, solve_problem(given), gap=0)


def test_the_examples_have_the_first_rounds_worked_out_by_hand() -> None:
    """Ten points: one of ten is wrong, α = ½ ln 9 = ln 3. Four points: two of twelve, ½ ln 5."""
    examples = EXAMPLES
    first: dict[str, tuple[str, Any]] = {
        "boost-ada.json": ("1/10", {"9": "1/2"}),
        "boost-mh.json": ("1/6", {"5": "1/2"}),
    }
    for name, (epsilon, alpha) in first.items():
        problem = (examples / name).read_text(encoding="utf-8")
        answer: Any = solve_problem(problem)
        assert answer["rounds"][0]["epsilon"] == epsilon
        assert check(problem, answer, gap=0)
        answer["rounds"][0]["alpha"] = {"ln": alpha}
        assert check(problem, answer, gap=0)


def test_the_weights_of_rows_are_one_number_a_row() -> None:
    first = BASE | {"D": ["1/4"] * 4, "epsilon": "1/4"}
    assert check(ADA | {"rounds": 1, "base": "any"}, {"rounds": [first]}, gap=0)
    wrong = check(
        ADA | {"rounds": 1, "base": "any"}, {"rounds": [first | {"D": ["1/2", *["1/6"] * 3]}]}
    )
    assert {v.place for v in wrong.violations} >= {"round 1, D of row 0"}
    with pytest.raises(FormatError, match=r"rounds\[0\].D: expected 4 numbers, one a row, got 3"):
        check(ADA, {"rounds": [first | {"D": ["1/3"] * 3}]})
