"""What takes too long is refused by name, or left open with the reason, before anything long
begins.
"""

from typing import Any

import pytest

from refmc import ExactnessLimitError, FormatError, ParameterError, check, solve_problem

FAR = {
    "family": "tree.grow", "X": [[1], [2], [3]], "y": ["a", "b", "a"], "impurity": "entropy",
    "weights": ["1e4000", 1, "1e-4000"],
}  # fmt: skip


def test_entropies_of_weights_far_apart_end_in_a_named_limit() -> None:
    with pytest.raises(ExactnessLimitError, match="weights: in their common unit they add up to"):
        solve_problem(FAR)
    verdict = check(FAR, {"tree": {"nodes": [{"label": "a"}]}})
    assert verdict.status == "INCONCLUSIVE" and "entropies are judged up to" in verdict.hint
    assert check({**FAR, "impurity": "gini"}, solve_problem({**FAR, "impurity": "gini"}))


def test_whatever_entropies_are_grown_by_is_judged() -> None:
    # 2200 binary digits, the most that growing admits
    near = {**FAR, "weights": [str(2**2199), 1, str(2**2198)]}
    assert check(near, solve_problem(near))
    with pytest.raises(ExactnessLimitError):
        solve_problem({**FAR, "weights": [str(2**2200), 1, 1]})


@pytest.mark.parametrize("lookahead", [4, 10**6, "1e5000"])
def test_a_look_ahead_that_cannot_end_is_refused(lookahead: Any) -> None:
    X = [[i, -i] for i in range(30)]
    problem = {
        "family": "tree.grow",
        "X": X,
        "y": [i % 2 for i in range(30)],
        "lookahead": lookahead,
    }
    for take in (solve_problem, lambda record: check(record, {"tree": {"nodes": [{}]}})):
        with pytest.raises(FormatError, match=r"problem: lookahead: \d levels of 60 questions"):
            take(problem)


def test_a_look_ahead_beyond_what_the_rows_can_be_parted_ends() -> None:
    problem = {"family": "tree.grow", "X": [[1], [1]], "y": [0, 1], "lookahead": 10**6}
    assert check(problem, solve_problem(problem))


def test_too_many_categories_are_refused_or_left_open() -> None:
    X, y = [[f"c{i}"] for i in range(30) for _ in range(3)], [i * i % 7 % 3 for i in range(90)]
    problem = {"family": "tree.grow", "X": X, "y": y, "categorical": [0]}
    with pytest.raises(ParameterError, match="column 0 has 30 categories"):
        solve_problem(problem)
    tree = {"nodes": [
        {"question": {"column": 0, "values": ["c0"]}, "negative": 1, "positive": 2}, {}, {},
    ]}  # fmt: skip
    assert check(problem, {"tree": tree}).status in ("REFUTED", "INCONCLUSIVE")
