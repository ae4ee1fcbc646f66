"""Reference runs of perceptrons and of descent: rows by hand, and states that the checker accepts.

The learners and the checker's replay share no code: what a run leaves behind at each step is handed
to the checker as anybody's trace would be.
"""

from fractions import Fraction as F
from random import Random
from typing import Any

import pytest

from refmc import check, exact, solve_problem
from refmc.answers import trace_problem
from refmc.core.records import Record
from refmc.errors import ExactnessLimitError, FormatError
from refmc.learn.online.runs import shrink_always, shrink_never
from refmc.learn.online.sgd_multiclass import fit_multiclass_svm_sgd
from refmc.lectures import karagiannis
from refmc.oracle.rows import recorded

pytestmark = pytest.mark.usefixtures("without_hints")

TWO: Record = {"family": "perceptron.binary", "X": [[1, 0], [-1, 2]], "y": [1, -1], "bias": True}
KERNEL: Record = {"family": "perceptron.kernel", "gram": [[1, 2], [2, 5]], "y": [1, -1]}
THREE: Record = {
    "family": "perceptron.multiclass",
    "X": [[1, 0], [0, 1], [-1, -1]],
    "y": ["a", "b", "c"],
}
DESCENT: Record = {"family": "sgd.binary", "X": [[2], [-1]], "y": ["p", "n"],
                   "classes": ["n", "p"], "C": 1, "eta": ["1/2", "1/4"]}  # fmt: skip
ALGORITHM_1: Record = {**THREE, "family": "sgd.multiclass", "lam": 1, "T": 2}


@pytest.mark.parametrize("name", ["binary", "multiclass", "sgd", "drawn"])
def test_a_weighted_run_is_judged_as_the_run_on_repeated_rows(name: str) -> None:
    runs: dict[str, Record] = {
        "binary": {**TWO, "epochs": 2, "average": "by_age", "order": [1, 0, 1]},
        "multiclass": {**THREE, "epochs": 2, "voted": True},
        "sgd": {**DESCENT, "eta": "1/3", "epochs": 2},
        "drawn": {**ALGORITHM_1, "T": 7},
    }
    problem = runs[name]
    X, y = list(problem["X"]), list(problem["y"])  # type: ignore[call-overload]  # lists
    weights = [2, 3, 0][: len(X)]
    rows = [i for i, n in enumerate(weights) for _ in range(n)]
    many: dict[str, object] = {**problem, "X": [X[i] for i in rows], "y": [y[i] for i in rows]}
    many |= {"classes": problem.get("classes", sorted(set(y)))}
    if name == "binary":
        many |= {"order": [2, 3, 4, 0, 1, 2, 3, 4]}
    answer = dict(solve_problem({**problem, "weights": weights}))
    del answer["labels"]  # of other rows
    assert check(many, answer, gap=0)
    assert check({**problem, "weights": weights}, answer, gap=0)
    assert check(problem, answer).status == "REFUTED"


def test_weights_of_runs_are_whole_numbers() -> None:
    for weights, message in (([1, "1/2"], "problem: weights: row 1: expected a whole number"),
                             ([1], "problem: weights: expected 2, one a row"),
                             ([10**7, 1], "problem: weights: expected at most")):  # fmt: skip
        with pytest.raises(FormatError, match=message):
            solve_problem({**TWO, "weights": weights})
    with pytest.raises(FormatError, match=r"problem.weights: the rows of an epoch have no weight"):
        solve_problem({**TWO, "weights": [0, 1], "order": [[0]]})


@pytest.mark.parametrize("problem", [TWO, KERNEL, THREE, {**KERNEL, "voted": True}])
def test_a_run_with_a_step_size_is_solved_and_judged_in_its_units(problem: Record) -> None:
    problem = {**problem, "epochs": 3}
    half = {**problem, "eta": "1/2"}
    answer = solve_problem(half)
    assert check(half, answer, gap=0) and check(problem, answer).status == "REFUTED"
    assert check({**half, "eta": 1}, solve_problem(problem), gap=0)
    for eta in (0, "-1/2"):
        with pytest.raises(FormatError, match=r"problem.eta: expected a positive number, got"):
            solve_problem({**problem, "eta": eta})


def test_without_step_sizes_a_ridge_has_those_of_twice_as_large_a_lam() -> None:
    # ridge‖W‖² is 2·ridge-strongly convex, so that lecture5's η_t = 1/(λt) is 1/(2·ridge·t) for it
    problem: Record = {
        "family": "sgd.multiclass", "X": [[2, -1]], "y": ["b"], "classes": ["a", "b"], "T": 2,
        "ridge": 1, "shrink": "never",
    }  # fmt: skip
    first = {**problem, "T": 1}
    assert check(first, {"W": [[-1, "1/2"], [1, "-1/2"]]}, gap=0)
    assert check(first, {"W": [[-2, 1], [2, -1]]}).status == "REFUTED"
    S = [([2, -1], 1)]
    for ridge in (F(1), F(1, 3)):
        eta = [1 / (2 * ridge), 1 / (4 * ridge)]
        for shrink, lam in (("never", F(0)), ("always", ridge)):
            *_, w = karagiannis.sgd(S, lam, eta, [0, 0], karagiannis.block_features(2), 2)
            run = {**problem, "ridge": ridge, "shrink": shrink}
            assert check(run, {"W": [w[:2], w[2:]]}, gap=0)
            assert exact(solve_problem(run)["W"]) == [w[:2], w[2:]]
            model = fit_multiclass_svm_sgd(
                exact([[2, -1]]), ["b"], classes=["a", "b"], T=2, ridge=ridge,
                shrink=shrink_never if shrink == "never" else shrink_always,
            )  # fmt: skip
            assert model.W == (tuple(w[:2]), tuple(w[2:]))


def rows_of(problem: Record) -> list[Any]:
    """The rows of the steps, without that of the start."""
    start, *rows = trace_problem(problem)
    assert start["t"] == 0 and all(start.keys() == row.keys() for row in rows)
    return rows


def test_a_trace_begins_with_the_start() -> None:
    start, *_ = trace_problem({**TWO, "start": [1, 2, 3]})
    known = {"t": 0, "w": [1, 2], "b": 3}
    assert start == {**dict.fromkeys(("epoch", "row", "y", "score", "mistake", "line")), **known}
    three: Any = next(trace_problem(THREE))
    assert three["W"] == {"a": [0, 0], "b": [0, 0], "c": [0, 0]} and three["scores"] is None


def test_a_row_of_a_binary_perceptron_has_its_score_and_the_weights_after_it() -> None:
    # row 0 scores 0, a mistake: w = (1, 0), b = 1; row 1 scores −1 + 1 = 0, a mistake: w = (2, −2)
    assert rows_of(TWO) == [
        {
            "t": 1,
            "epoch": 1,
            "row": 0,
            "y": "1",
            "score": 0,
            "mistake": True,
            "line": 4,
            "w": (1, 0),
            "b": 1,
        },
        {
            "t": 2,
            "epoch": 1,
            "row": 1,
            "y": "-1",
            "score": 0,
            "mistake": True,
            "line": 4,
            "w": (2, -2),
            "b": 0,
        },
    ]


def test_a_row_of_a_kernel_perceptron_has_the_counts_of_mistakes() -> None:
    # the second row scores K(x_0, x_1) = 2 although it is of class −1
    assert rows_of(KERNEL) == [
        {
            "t": 1,
            "epoch": 1,
            "row": 0,
            "y": "1",
            "score": 0,
            "mistake": True,
            "line": 4,
            "α": (1, 0),
        },
        {
            "t": 2,
            "epoch": 1,
            "row": 1,
            "y": "-1",
            "score": 2,
            "mistake": True,
            "line": 4,
            "α": (1, 1),
        },
    ]


def test_a_row_of_a_multiclass_perceptron_has_the_tied_classes_and_tau() -> None:
    first, second, third = rows_of({**THREE, "tau": "all_rivals"})
    zero = (0, 0)
    assert first["tied"] == ["a", "b", "c"] and first["taken"] == 0 and first["ŷ"] == "a"
    assert first["line"] == 4 and second["line"] == 7 and first["τ"] is None
    assert second["E_y"] == ["a", "c"] and second["τ"] == {"a": F(-1, 2), "b": 1, "c": F(-1, 2)}
    assert first["W"] == {"a": zero, "b": zero, "c": zero}
    assert second["W"] == {"a": (0, F(-1, 2)), "b": (0, 1), "c": (0, F(-1, 2))}
    # row 2 scores 1/2, −1, 1/2: a is predicted, and alone reaches the score of c
    assert third["scores"] == {"a": F(1, 2), "b": -1, "c": F(1, 2)} and third["E_y"] == ["a"]
    assert third["τ"] == {"a": -1, "b": 0, "c": 1}
    assert third["W"] == {"a": (1, F(1, 2)), "b": (0, 1), "c": (-1, F(-3, 2))}


def test_a_row_of_binary_descent_has_step_size_margin_and_loss() -> None:
    # w = ½·2 = 1; then the margin −1·−1 = 1 is met: w = (1 − ¼)·1
    assert rows_of(DESCENT) == [
        {"t": 1, "epoch": 1, "row": 0, "y": "p", "η": F(1, 2), "margin": 0, "loss": 1, "line": 4,
         "w": (1,)},
        {"t": 2, "epoch": 1, "row": 1, "y": "n", "η": F(1, 4), "margin": 1, "loss": 0,
         "line": 4, "w": (F(3, 4),)},
    ]  # fmt: skip


def test_a_row_of_multiclass_descent_has_the_slope_that_was_chosen() -> None:
    first, second = rows_of(ALGORITHM_1)
    assert first == {
        "t": 1, "row": 0, "y": "a", "η": 1, "scores": {"a": 0, "b": 0, "c": 0}, "loss": 1,
        "tied": ["b", "c"], "taken": 0, "line": 7, "∇": {"b": 1, "a": -1},
        "W": {"a": (1, 0), "b": (-1, 0), "c": (0, 0)},
    }  # fmt: skip
    # half of what was, and half of −∇ = row 1 times (−1, 1, 0)
    assert second["η"] == F(1, 2) and second["∇"] == {"a": 1, "b": -1}
    half = F(1, 2)
    assert second["W"] == {"a": (half, -half), "b": (-half, half), "c": (0, 0)}


SCALES: dict[str, list[Record]] = {
    "perceptron.binary": [
        {}, {"bias": True}, {"at_zero": "either"}, {"start": [1, "-1/2"], "average": "by_age"},
        {"bias": True, "start": [0, 1, "1/3"], "average": "equally", "voted": True},
    ],
    "perceptron.kernel": [
        {}, {"bias": True},
        {"kernel": {"name": "polynomial", "degree": 2, "scale": 1, "offset": 1}},
        {"bias": True, "average": "equally", "voted": True},
    ],
    "perceptron.multiclass": [
        {}, {"tau": "all_rivals"}, {"tau": "any"}, {"average": "by_age", "voted": True},
        {"start": [[1, 0], [0, 0], [0, "1/2"]], "voted": True},
    ],
    "sgd.binary": [
        {}, {"bias": True}, {"at_kink": "either"}, {"shrink": "with_loss"}, {"shrink": "never"},
        {"bias": True, "start": [0, 1, 2], "average": "by_age"},
    ],
    "sgd.multiclass": [
        {"eta": "1/4", "start": [[1, 0], [0, 0], [0, "1/2"]], "average": "equally"},
        {}, {"loss": "sum_form"}, {"shrink": "with_loss"}, {"shrink": "never"}, {"eta": "1/3"},
        {"cost": [[0, "1/2", 2], [1, 0, 1], [3, 1, 0]]},
    ],
}  # fmt: skip


def problems(family: str, options: Record, random: Random) -> Record:
    """A run over few points on a grid, so that ties and repeated rows are the rule."""
    m = random.randint(1, 5)
    record: dict[str, Any] = {"family": family, "X": grid(random, m, 2)}
    if family.startswith("sgd"):
        record |= {"C": "3/2", "eta": "1/4"} if family == "sgd.binary" else {}
    if family == "sgd.multiclass":
        record |= {"ridge": "1/2", "draws": [random.randrange(m) for _ in range(7)]}
    else:
        lists = [[random.randrange(m) for _ in range(random.randint(1, 4))] for _ in range(3)]
        record |= {"epochs": 3, "order": random.choice([lists, lists[0]])}
    several = family.endswith("multiclass")
    record["y"] = [random.randrange(3) if several else random.choice([-1, 1]) for _ in range(m)]
    if several:
        record["classes"] = [2, 0, 1]
    return {**record, **options}


def grid(random: Random, m: int, d: int) -> list[list[str]]:
    return [[str(F(random.randint(-2, 2), 2)) for _ in range(d)] for _ in range(m)]


CASES = [(family, options) for family, several in SCALES.items() for options in several]


@pytest.mark.parametrize(("family", "options"), CASES, ids=str)
def test_the_states_of_a_trace_are_verified_as_anybodys_are(family: str, options: Record) -> None:
    random = Random(f"{family}{options}")
    for _ in range(4):
        problem = problems(family, options, random)
        rows: list[Any] = rows_of(problem)
        solved: dict[str, Any] = solve_problem(problem)
        states = [recorded(state_of(row)) for row in rows]
        assert states == solved["trace"]
        assert check(problem, {"trace": states}, gap=0)
        assert check(problem, solved, gap=0)
        without = {name: value for name, value in solved.items() if name != "trace"}
        assert check(problem, without, gap=0) and check(problem, without)
        if "mistakes" in solved:
            found = [row["mistake"] if "mistake" in row else row["τ"] is not None for row in rows]
            assert sum(solved["mistakes"]) == sum(found)


def state_of(row: Any) -> Any:
    if "W" in row:
        return list(row["W"].values())
    if "α" in row:
        return row["α"]
    return (*row["w"], row["b"]) if "b" in row else row["w"]


def test_descent_over_features_is_descent_over_the_blocks_that_they_spell_out() -> None:
    X, y = [["1", "1/2"], ["0", "-1"], ["2", "1"]], [0, 2, 1]
    blocks = [[["0"] * (2 * j) + x + ["0"] * (4 - 2 * j) for j in range(3)] for x in X]
    plain: Record = {"family": "sgd.multiclass", "X": X, "y": y, "lam": "1/2", "T": 8}
    spelt = {**{name: value for name, value in plain.items() if name != "X"}, "features": blocks}
    answer: Any = solve_problem(spelt)
    W: Any = solve_problem(plain)["W"]
    assert answer["w"] == [entry for row in W for entry in row]
    assert check(spelt, answer, gap=0)
    assert [row["w"] for row in rows_of(spelt)][-1] == tuple(map(F, answer["w"]))


def test_a_run_ends_with_its_first_epoch_without_mistakes() -> None:
    problem = {**THREE, "epochs": 1_000}
    answer = solve_problem(problem)
    assert answer["trace"] == [recorded(state_of(row)) for row in rows_of(problem)]
    assert len(rows_of(problem)) < 30 and check(problem, answer, gap=0)


def test_steps_come_as_they_happen_and_a_run_nobody_watches_ends() -> None:
    problem = {**TWO, "y": [1, 1], "X": [[0, 0], [0, 0]], "bias": False, "epochs": 10_000}
    steps = trace_problem(problem)  # rows of zeros are mistakes for ever
    assert [next(steps)["t"] for _ in range(3)] == [0, 1, 2]
    steps.close()  # type: ignore[attr-defined]  # iterators of generators can be closed


def test_weights_that_grow_without_end_are_a_named_error_after_the_steps_before() -> None:
    problem = {**DESCENT, "eta": f"1/{10**1000 + 1}", "epochs": 100}
    seen = 0
    with pytest.raises(ExactnessLimitError, match="take fewer steps"):
        for row in trace_problem(problem):
            seen += row["t"] == seen + 1
    assert seen == 20
    with pytest.raises(ExactnessLimitError):
        solve_problem(problem)


@pytest.mark.parametrize(
    ("problem", "place"),
    [
        ({**TWO, "order": [[0], [5]], "epochs": 2}, r"problem.order\[1\]"),
        ({**TWO, "y": [1, 2]}, "problem"),
        ({**THREE, "tau": "none"}, "problem.tau"),
        ({**DESCENT, "eta": [1]}, "problem.eta"),
        ({**ALGORITHM_1, "T": 0}, "problem.T"),
    ],
)
def test_a_malformed_run_is_refused_by_name_before_any_row(problem: Record, place: str) -> None:
    with pytest.raises(FormatError, match=place):
        next(trace_problem(problem))
    with pytest.raises(FormatError, match=place):
        solve_problem(problem)
