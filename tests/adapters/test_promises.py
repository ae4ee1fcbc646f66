"""What stopping rules promise: an amount, which an answer that didn't keep its rule doesn't get."""

import itertools
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, Literal

import pytest

import refmc
from refmc.adapters import claims, svms
from refmc.adapters.promises import of_liblinear_dual, of_libsvm
from refmc.checker.verdict import Violation
from tests.support import run, stand_in

TWO: dict[str, Any] = {"family": "svm.binary", "X": [[1], [-1]], "y": [1, -1], "C": 1}
SQUARED = TWO | {"loss": "squared_hinge", "bias": False}


def libsvm(alpha: float, rho: float = 0) -> refmc.Judged:
    """The verdict on α for 1 and −1, whose optimum has α = ½ and the value ½."""
    lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", f"rho {rho!r}"]
    lines += ["label 1 -1", "nr_sv 1 1", "SV", f"{alpha!r} 1:1 ", f"{-alpha!r} 1:-1 "]
    return refmc.judge_model(refmc.read_model("\n".join(lines)), TWO)


def liblinear(solver: str, *w: float, bias: int = -1) -> Any:
    lines = [f"solver_type {solver}", "nr_class 2", "label 1 -1", "nr_feature 1", f"bias {bias}"]
    return refmc.read_model("\n".join([*lines, "w", *map(repr, w)]))


@pytest.mark.parametrize("alpha", [1e-9, 1e-3, 0.25, 0.4, 0.499])
def test_a_worse_answer_is_allowed_no_more(alpha: float) -> None:
    """With α the gap is ½(1 − 2α)² + 1 − 2α, and the promise 2/1000."""
    verdict = libsvm(alpha)
    assert verdict.promise.startswith("not kept: -e 0.001 · Σ C_i bounds the gap by 2.0e-3")
    short = 1 - 2 * F(alpha)
    assert verdict.status == "REFUTED" and verdict.gap == short + short**2 / 2


@pytest.mark.parametrize(
    ("problem", "lines", "message"),
    [
        ({"X": [["1e400"], ["-1e400"]]}, [], "problem.X: beyond the range of floats"),
        ({"X": [["1e200"], ["-1e200"]]}, ["1e200"], "a sum is beyond the range of floats"),
        ({"gram": [["1e400", 0], [0, 1]]}, ["0:"], "problem.gram: beyond the range of floats"),
    ],
)
def test_what_libsvm_cannot_hold_is_refused(problem: Any, lines: list[str], message: str) -> None:
    head = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0"]
    sv = ["0.5 1:1", "-0.5 1:-1"]
    if lines == ["0:"]:
        head[1], sv = "kernel_type precomputed", ["0.5 0:1", "-0.5 0:2"]
    elif lines:
        sv = [f"0.5 1:{lines[0]}", f"-0.5 1:-{lines[0]}"]
    model = refmc.read_model("\n".join([*head, "label 1 -1", "nr_sv 1 1", "SV", *sv]))
    rest = {name: value for name, value in TWO.items() if name != "X"}
    with pytest.raises(refmc.DataError, match=message):
        refmc.judge_model(model, rest | problem)


def test_a_free_bias_that_is_not_named_is_none_that_LIBLINEAR_trains() -> None:
    model = liblinear("L2R_L1LOSS_SVC_DUAL", 1.0)
    for free in ({}, {"bias": True}):
        with pytest.raises(refmc.FormatError, match="1 is a penalised bias of the problem"):
            refmc.judge_model(model, TWO | free)


def test_kernel_values_and_tolerances_beyond_binary64_are_refused() -> None:
    model = liblinear("L2R_L1LOSS_SVC_DUAL", 1.0)
    for beyond in ("1e400", "1e-400", "1e300", "1"):  # weights of 0 keep what 1 promises
        with pytest.raises(refmc.ParameterError, match=f"of binary64 below 1, got '{beyond}'"):
            refmc.judge_model(model, TWO | {"bias": False}, tolerance=beyond)
    for tolerance in (0, F(1, 2**1074), "0.999"):
        assert refmc.judge_model(model, TWO | {"bias": False}, tolerance=tolerance)
    for margins, largest in (([1.0, 1.0], float("inf")), ([float("nan"), 1.0], 1.0)):
        with pytest.raises(refmc.DataError, match="beyond binary64, in which LIBSVM has them"):
            of_libsvm("tol", F(1), [F(1)] * 2, [F(1)] * 2, margins, largest)


def test_a_kept_promise_is_an_amount_and_no_share() -> None:
    verdict = libsvm(0.4999)
    assert verdict and verdict.gap == 2 * (F(1, 2) - F(0.4999)) + 2 * (F(1, 2) - F(0.4999)) ** 2
    assert verdict.allowed == F(1, 500) and verdict.scale is None
    assert json.loads(json.dumps(verdict.to_json()))["allowed"] == "1/500"
    assert verdict.promise == "kept: -e 0.001 · Σ C_i bounds the gap by 2.0e-3"


def test_csv_files_and_multi_class_models_have_the_same_promises(tmp_path: Path) -> None:
    data, model = tmp_path / "d.csv", tmp_path / "model"
    data.write_text("x,y\n1,1\n-1,-1\n", encoding="utf-8")
    lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0"]
    lines += ["label 1 -1", "nr_sv 1 1", "SV", "1e-9 1:1 ", "-1e-9 1:-1 "]
    model.write_text("\n".join(lines), encoding="utf-8")
    of_file = ["--csv", data, "--label", "y", "--C", 1]
    done = run("check", *of_file, "--family", "svm.binary", model)
    assert (done.returncode, done.stdout.split()[0]) == (1, "REFUTED"), done
    # ½‖W‖² + Σ of hinges: W = ±½ has ¼, W = 0 has 2, of which 1/5 is promised
    for w, code in (("0.45", 0), ("1e-9", 1)):
        lines = ["solver_type MCSVM_CS", "nr_class 2", "label 1 -1", "nr_feature 1", "bias -1"]
        model.write_text("\n".join([*lines, "w", f"{w} -{w}"]), encoding="utf-8")
        done = run("check", *of_file, "--family", "svm.multiclass", model)
        assert done.returncode == code and "bounds the gap by 2.0e-1" in done.stdout


def test_single_precision_explains_what_the_largest_kernel_value_does() -> None:
    # 2⁻²² of K(x, x) = 9 times Σ α = 1, beside tol = 1/1000, for two rows
    lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0"]
    lines += ["label 1 -1", "nr_sv 1 1", "SV", "0.5 1:1 ", "-0.5 1:-3 "]
    model = refmc.read_model("\n".join(lines))
    for X, y in (([[1], [-3]], [1, -1]), ([[-3], [1]], [-1, 1])):
        promise = refmc.judge_model(model, TWO | {"X": X, "y": y}).claims[0].promise
        assert promise is not None and promise.explained == (F(1, 1000) + F(9, 2**22)) * 2


def test_of_the_smaller_class_only_rows_that_count_are_counted() -> None:
    # ∇P(0) = −2 Σ C_i = −8, and one of the four rows that count is positive
    rows = SQUARED | {"X": [[1]] * 2 + [[-1]] * 3, "y": [1, 1, -1, -1, -1]}
    model = liblinear("L2R_L2LOSS_SVC", 0.75)
    verdict = refmc.judge_model(model, rows | {"weights": [1, 0, 1, 1, 1]}, tolerance="1/2")
    assert verdict.claims[0].promise is not None
    assert verdict.claims[0].promise.gap == F(1, 2) * (F(1, 2) * F(1, 4) * 8) ** 2


def test_a_violation_that_remains_breaks_a_promise_whose_amount_is_kept() -> None:
    """A hundred rows let the gap be 1/10; two of them that are short by 1/500 have far less."""
    X, y = [[1], [-1]] + [[5], [-5]] * 49, [1, -1] * 50
    for alpha, is_kept in ((0.5, True), (0.499, False)):
        sv = [f"{alpha!r} 1:1 ", f"{-alpha!r} 1:-1 "]
        lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0"]
        text = "\n".join([*lines, "label 1 -1", "nr_sv 1 1", "SV", *sv])
        verdict = refmc.judge_model(refmc.read_model(text), TWO | {"X": X, "y": y})
        assert bool(verdict) == is_kept
        assert verdict.gap is not None and verdict.claims[0].promise is not None
        assert verdict.gap <= verdict.claims[0].promise.gap == F(1, 10)
        assert ("a violation of 2.0e-3 remains" in verdict.promise) != is_kept


def test_multipliers_at_their_rounded_bounds_violate_nothing() -> None:
    """Of 1 and −1 with C = 1/10 both α are at 1/10, as binary64 has it or one less."""
    for alpha in (0.1, 0.1 - 2.0**-56):
        lines = ["svm_type c_svc", "kernel_type linear", "nr_class 2", "total_sv 2", "rho 0"]
        sv = [f"{alpha!r} 1:1 ", f"{-alpha!r} 1:-1 "]
        text = "\n".join([*lines, "label 1 -1", "nr_sv 1 1", "SV", *sv])
        verdict = refmc.judge_model(refmc.read_model(text), TWO | {"C": "1/10"})
        assert verdict and verdict.promise.startswith("kept")


def test_a_gradient_that_remains_breaks_the_promise_of_the_primal_solver() -> None:
    """½w² + 2(1 − w)² is least at 4/5; its gradient 5w − 4 may be 1/100 · ½ · 4 = 1/50.

    At 4/5 + 1/40 the gradient is 1/8. The gap is 5/2 times the square of the distance.
    """
    near, far = (
        refmc.judge_model(liblinear("L2R_L2LOSS_SVC", 0.8 + d), SQUARED) for d in (1 / 256, 1 / 128)
    )
    assert near and near.promise.startswith("kept: -e 0.01 ·")
    assert far.status == "REFUTED" and "½‖∇P(w)‖² is 7.6e-4" in far.promise
    wide = refmc.judge_model(liblinear("L2R_L2LOSS_SVC", 0.8 + 1 / 128), SQUARED, tolerance="0.1")
    assert wide and wide.claims[0].promise is not None
    assert wide.claims[0].promise.gap == F(1, 2) * F(1, 5) ** 2


def test_a_kept_but_weak_promise_says_how_weak_it_is() -> None:
    """½w² + 2(1 − w) at 7/8 is 17/128 above ½ by a promise of 1/5."""
    verdict = refmc.judge_model(liblinear("L2R_L1LOSS_SVC_DUAL", 0.875), TWO | {"bias": False})
    assert verdict and verdict.gap == F(17, 128)
    assert verdict.promise.endswith("by 2.0e-1; weak: up to 2.7e-1 of the optimum")
    close = refmc.judge_model(liblinear("L2R_L1LOSS_SVC_DUAL", 0.999), TWO | {"bias": False})
    assert close and "weak" not in close.promise


def judge_by(monkeypatch: pytest.MonkeyPatch, judge: Callable[..., refmc.Verdict]) -> None:
    """Let this function judge all answers."""
    monkeypatch.setattr(claims, "read_record", lambda problem: (TWO, SimpleNamespace(judge=judge)))


@pytest.mark.parametrize("short", [[F(1, 8), F(1, 9)], [F(1, 8), F(1, 7)], [F(1, 8), None]])
def test_what_is_worse_by_the_rounding_that_is_given_is_right(
    monkeypatch: pytest.MonkeyPatch, short: list[F | None]
) -> None:
    wrong = [Violation(f"node {i}", "worse", F(1), v) for i, v in enumerate(short)]
    refuted = refmc.Verdict("REFUTED", "svm.binary", "", F(1), F(0), None, tuple(wrong))
    judge_by(monkeypatch, lambda *_: refuted)
    verdict = claims._verdict(claims.Claim("", TWO, {}, rounding=F(1, 8)), None)
    if short[1] == F(1, 9):
        assert verdict and not verdict.violations
        assert verdict.hint == "right but for rounding; node 0: worse"
    else:
        assert verdict == refuted


@pytest.mark.parametrize("gap", [None, "1/2"])
def test_what_a_proof_shows_is_not_searched_for(
    monkeypatch: pytest.MonkeyPatch, gap: str | None
) -> None:
    right = refmc.Verdict("VERIFIED", "svm.binary", "", F(0), F(0), None)
    judge_by(
        monkeypatch,
        lambda _, answer, *__: right if "trace" in answer else replace(right, status="REFUTED"),
    )
    assert claims._judged(claims.Claim("", TWO, {}, proof={"trace": []}), gap)


Script = dict[F, tuple[Literal["VERIFIED", "REFUTED", "INCONCLUSIVE"], F | None, F | None]]


def scripted(monkeypatch: pytest.MonkeyPatch, found: Script) -> tuple[refmc.Verdict, list[F]]:
    """The verdict on an answer that is promised to be within 1/4, and what its judge was asked.

    `found`: status, gap and scale that it gives for each relative gap that is allowed.
    """
    asked: list[F] = []

    def judge(record: object, answer: object, allowed: F, on_step: object) -> refmc.Verdict:
        asked.append(allowed)
        status, gap, scale = found[allowed]
        return refmc.Verdict(status, "svm.binary", "", gap, allowed, None, scale=scale)

    judge_by(monkeypatch, judge)
    promise = claims.Promise(F(1, 4), "rule", obstacle="rounding", explained=F(1, 3))
    return claims._verdict(claims.Claim("", TWO, {}, promise), None), asked


def test_a_promise_is_divided_by_ever_better_bounds_of_the_optimum(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: Script = {
        claims.ANYTHING: ("VERIFIED", F(3), F(4)),
        F(0): ("REFUTED", F(1), F(2)),
        F(1, 8): ("INCONCLUSIVE", F(1), F(1)),
        F(1, 4): ("INCONCLUSIVE", F(1), F(1, 2)),
        F(1, 2): ("VERIFIED", F(1, 5), F(2, 5)),
    }
    verdict, asked = scripted(monkeypatch, found)
    assert asked == list(found) and verdict
    found[F(1, 4)] = ("INCONCLUSIVE", F(1), F(1))  # no better one
    verdict, asked = scripted(monkeypatch, found)
    assert asked == list(found)[:4] and verdict.status == "INCONCLUSIVE"
    found[F(0)] = ("REFUTED", F(1), None)
    verdict, asked = scripted(monkeypatch, found)
    assert asked == [claims.ANYTHING, 0] and verdict.status == "REFUTED"
    found[claims.ANYTHING] = ("VERIFIED", F(1, 4), F(4))
    verdict, asked = scripted(monkeypatch, found)
    assert asked == [claims.ANYTHING] and verdict
    found[claims.ANYTHING] = ("INCONCLUSIVE", F(1, 4), F(4))  # which proves nothing
    found[F(0)] = ("VERIFIED", F(0), F(2))
    verdict, asked = scripted(monkeypatch, found)
    assert asked == [claims.ANYTHING, 0] and verdict


@pytest.mark.parametrize(
    ("gap", "status"), [(F(1, 3), "INCONCLUSIVE"), (F(34, 100), "REFUTED"), (None, "INCONCLUSIVE")]
)
def test_a_gap_that_rounding_may_explain_is_open(
    monkeypatch: pytest.MonkeyPatch, gap: F | None, status: str
) -> None:
    found: Script = {claims.ANYTHING: ("VERIFIED", F(3), None), F(0): ("REFUTED", gap, None)}
    verdict, _ = scripted(monkeypatch, found)
    assert verdict.status == status
    assert verdict.hint == ("rounding" if status == "INCONCLUSIVE" else "")


def linear_svc(w: float, n_iter: int, tol: float = 0.1, gap: Any = None) -> refmc.Judged:
    parameters = {
        "penalty": "l2", "multi_class": "ovr", "loss": "hinge", "C": 1.0, "tol": tol,
        "fit_intercept": False, "intercept_scaling": 1, "dual": True, "max_iter": 10,
        "class_weight": None,
    }  # fmt: skip
    fitted = {"n_features_in_": 1, "classes_": ["a", "b"], "coef_": [[w]], "intercept_": 0.0}
    fitted["n_iter_"] = n_iter
    estimator = stand_in("LinearSVC", parameters, fitted)
    return refmc.judge(estimator, [[-1.0], [1.0]], ["a", "b"], gap=gap)


def test_an_answer_at_the_limit_of_iterations_is_verified_by_nothing_that_it_promised() -> None:
    """7/8 is within the promise, 1/8 isn't, and 1 is the optimum, whatever was promised."""
    assert linear_svc(0.875, 9)
    found = linear_svc(0.875, 10)
    assert found.status == "INCONCLUSIVE" and "can't be known" in found.hint
    assert found.allowed == F(1, 10**6) and found.scale is not None
    assert found.promise.startswith("not kept: ") and "it stopped after 10 iterat" in found.promise
    assert linear_svc(0.125, 10).status == "REFUTED"
    assert linear_svc(0.875, 10, gap="1e-3").status == "REFUTED"  # as far as is given
    assert linear_svc(0.875, 10, gap="1/2")
    assert linear_svc(1.0, 10) and linear_svc(1.0, 10).promise.startswith("not kept")
    assert linear_svc(1 - 1e-9, 10)  # a relative gap of 4e-9
    assert linear_svc(1 - 1e-9, 9, tol=1e-10).status == "REFUTED"  # whatever else is usual


def test_what_an_estimator_holds_changes_no_weight_of_a_class() -> None:
    """Weights of 10⁶ would let the gap be as many times as large."""
    fitted = {
        "n_features_in_": 1, "classes_": ["a", "b"], "n_iter_": [3], "support_": [0, 1],
        "support_vectors_": [[-1.0], [1.0]], "dual_coef_": [[-0.25, 0.25]],
        "intercept_": [0.0], "class_weight_": [1e6, 1e6], "coef_": [[0.5]],
    }  # fmt: skip
    parameters = {"C": 1.0, "kernel": "linear", "tol": 0.001, "max_iter": -1, "class_weight": None}
    estimator = stand_in("SVC", parameters, fitted, {"predict": ["a", "b"]})
    verdict = refmc.judge(estimator, [[-1.0], [1.0]], ["a", "b"])
    assert verdict.verdicts[0].status == "REFUTED" and "weights" not in verdict.claims[0].problem


def test_each_pair_of_an_svc_has_its_own_number_of_iterations() -> None:
    """Three classes at −1, 1 and 3; one pair stopped at the limit, and all are optimal."""
    fitted = {
        "n_features_in_": 1, "classes_": ["a", "b", "c"], "n_iter_": [3, 7, 3],
        "support_": [0, 1, 2], "support_vectors_": [[-1.0], [1.0], [3.0]],
        "dual_coef_": [[0.5, -0.5, -0.125], [0.125, 0.5, -0.5]],
        "intercept_": [0.0, 0.5, 2.0], "coef_": [[-1.0], [-0.5], [-1.0]],
    }  # fmt: skip
    parameters = {"C": 1.0, "kernel": "linear", "tol": 0.001, "max_iter": 7, "class_weight": None}
    estimator = stand_in("SVC", parameters, fitted, {"predict": ["a", "b", "c"]})
    verdict = refmc.judge(estimator, [[-1.0], [1.0], [3.0]], ["a", "b", "c"])
    assert verdict, verdict.explain()
    broken = [claim.promise.stopped for claim in verdict.claims[:3] if claim.promise]
    assert [bool(text) for text in broken] == [False, True, False]


def wins(
    signs: list[int], scores: list[int], duels: list[tuple[int, int]], label: int, by_sums: bool
) -> bool:
    """Whether the label has most votes, and, where these tie and sums count, no smaller sum."""
    votes = Counter(duel[sign < 0] for duel, sign in zip(duels, signs))
    sums: Counter[int] = Counter()
    for (a, b), score in zip(duels, scores):
        sums[a] += score
        sums[b] -= score
    others = {c for duel in duels for c in duel if c != label}
    return all(
        votes[c] < votes[label]
        or (votes[c] == votes[label] and not (by_sums and sums[c] > sums[label]))
        for c in others
    )


def test_open_votes_let_a_label_win_exactly_if_any_choice_does() -> None:
    rng = Random(1)  # no secret
    seen: Counter[bool] = Counter()
    for _ in range(300):
        k, share = rng.randint(3, 5), rng.choice([0.3, 0.6, 0.9])
        duels = list(itertools.combinations(range(k), 2))
        scores = [0 if rng.random() < share else rng.choice([-2, -1, 1, 2]) for _ in duels]
        label, by_sums = rng.randrange(k), rng.random() < 0.5
        found = svms._settled(scores, duels, label, by_sums)
        ways = [[1, -1] if v == 0 else [1 if v > 0 else -1] for v in scores]
        assert all(sign in way for sign, way in zip(found, ways, strict=True))
        can = any(wins(list(w), scores, duels, label, by_sums) for w in itertools.product(*ways))
        assert wins(found, scores, duels, label, by_sums) == can
        seen[can] += 1
    assert min(seen.values()) > 50  # both happen


def test_a_class_with_an_equal_sum_may_have_as_many_votes() -> None:
    duels, scores = list(itertools.combinations(range(4), 2)), [0, 0, 1, 1, -1, 1]
    found = svms._settled(scores, duels, 2, by_sums=True)
    assert wins(found, scores, duels, 2, by_sums=True)


def test_chains_of_duels_go_to_no_class_twice() -> None:
    duels = list(itertools.combinations(range(6), 2))
    scores = [0, 1, -1, 0, -1, 0, -1, 0, 0, 0, 0, -1, 0, 0, 0]  # of which some go in a circle
    ways = itertools.product(*([1, -1] if v == 0 else [v] for v in scores))
    assert not any(wins(list(way), scores, duels, 2, by_sums=True) for way in ways)
    found = svms._settled(scores, duels, 2, by_sums=True)
    assert not wins(found, scores, duels, 2, by_sums=True)


def test_open_votes_of_five_classes_are_settled_by_turning_chains_of_duels() -> None:
    duels, s = list(itertools.combinations(range(5), 2)), [1, 0, 0, 0, 0, 1, 0, -1, 1, -1]
    found = svms._settled(s, duels, 3, by_sums=False)
    votes = Counter(duel[sign < 0] for duel, sign in zip(duels, found))
    assert votes[3] == max(votes.values()) == 2


def test_what_a_sweep_moves_after_it_met_a_gradient_leaves_a_promise_open() -> None:
    """For 1 and −1 it is off by tol and 2 tol at most, so that 3 · 1/100 · 2 may be explained."""
    for w, status in ((0.995, "VERIFIED"), (0.98, "INCONCLUSIVE"), (0.93, "REFUTED")):
        found = linear_svc(w, 9, tol=0.01)
        assert found.status == status
        assert found.gap == 1 - F(w) + (1 - F(w)) ** 2 / 2
    assert "before the rows after it" in linear_svc(0.98, 9, tol=0.01).hint
    promise = linear_svc(0.98, 9, tol=0.01).claims[0].promise
    assert promise is not None and promise.explained == 3 * promise.gap


def test_weights_that_only_rounding_keeps_from_the_optimum_keep_any_promise() -> None:
    """3·10⁶ needs w = 10⁻⁶/3, of which binary64 leaves a slack of some 10⁻¹⁷ beside ½w²."""
    x = next(x for x in range(3_000_000, 3_000_100) if F(1 / x) * x < 1)
    problem = TWO | {"X": [[x], [-x]], "bias": False}
    model = liblinear("L2R_L1LOSS_SVC_DUAL", 1 / x)
    verdict = refmc.judge_model(model, problem, tolerance="1e-30")
    assert verdict and verdict.gap is not None and verdict.gap > F(1, 10**30) * 2
    assert verdict.promise.startswith("kept")
    given = refmc.judge_model(model, problem, tolerance="1e-30", gap="1e-1")
    assert given and given.promise.startswith("not kept")  # as far as that says


def test_what_later_rows_may_move_a_gradient_by_is_bounded_by_each_row_s_multiplier() -> None:
    """‖x‖² = 1/100: α moves by tol/‖x‖² = 10 at most, by C = 1, or by 2 C tol = 1/5 for squares."""
    for squared, explained in ((False, F(11, 100)), (True, F(102, 1000) ** 2)):
        promise = of_liblinear_dual("tol", F(1, 10), [F(1)], [[F(1, 10)]], squared)
        assert promise.explained == explained
