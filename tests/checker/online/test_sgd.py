"""The judge of descent runs, against runs that are worked out by hand.

PAIR: rows 1 (+) and -1 (-), C = 1, eta = 1/4 in every step of two epochs.  The margin of either row
is w, below 1 throughout, so each step makes w of (1 - 1/4) w + 1/4:

    1/4, 7/16, 37/64, 175/256

THREE: rows (1, 0), (0, 1), (-1, -1) of classes 0, 1, 2, lambda = 1, eta_t = 1/t, one step a row.

    t = 1   all scores 0, v = (0, 1, 1): j = 1 or 2.  With 1, W = (1, 0), (-1, 0), (0, 0).
    t = 2   factor 1/2; row (0, 1) scores 0, 0, 0: v = (1, 0, 1), j = 0 or 2.  With 0,
            W = 1/2 of the above - 1/2 (0, 1) in row 0 + 1/2 (0, 1) in row 1
              = (1/2, -1/2), (-1/2, 1/2), (0, 0).
    t = 3   factor 2/3, eta = 1/3; row (-1, -1) scores 0, 0, 0: j = 0 or 1.  With 0,
            W = (2/3, 0), (-1/3, 1/3), (-1/3, -1/3).
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction as F
from typing import Any

import pytest

from refmc.checker import Verdict
from refmc.checker.online.sgd import SGDProblem as Problem
from refmc.checker.online.sgd import Submission, Visit, judge, rule_of
from refmc.checker.online.states import Point, Score, State, reach, rounding, start_of

H, T = F(1, 2), F(1, 3)
EXACT, NANO, MICRO = F(0), F(1, 10**9), F(1, 10**6)


def visits(*rows: int) -> tuple[Visit, ...]:
    return tuple(Visit(t, 1, row) for t, row in enumerate(rows, 1))


def states(*rows: Sequence[int | F]) -> list[State]:
    return [tuple(F(v) for v in row) for row in rows]


def run(
    problem: Problem,
    trace: Sequence[State] | None = None,
    end: Sequence[int | F] | None = None,
    allowed: F = EXACT,
    labels: Sequence[int] | None = None,
) -> Verdict:
    last = None if end is None else tuple(F(v) for v in end)
    return judge(problem, Submission(trace, last, labels=labels), allowed=allowed)


PAIR = Problem(
    family="sgd.binary",
    X=[[1], [-1]],
    y=(1, -1),
    visits=visits(0, 1, 0, 1),
    etas=(F(1, 4),) * 4,
    sigma=F(1),
    c=F(1),
)
PAIR_TRACE = states((F(1, 4),), (F(7, 16),), (F(37, 64),), (F(175, 256),))
THREE = Problem(
    family="sgd.multiclass",
    X=[[1, 0], [0, 1], [-1, -1]],
    y=(0, 1, 2),
    k=3,
    visits=visits(0, 1, 2),
    etas=(F(1), H, T),
    sigma=F(1),
    c=F(1),
)
THREE_TRACE = states((1, 0, -1, 0, 0, 0), (H, -H, -H, H, 0, 0), (2 * T, 0, -T, T, -T, -T))


@pytest.mark.parametrize(("problem", "trace"), [(PAIR, PAIR_TRACE), (THREE, THREE_TRACE)])
def test_the_worked_out_runs_are_verified_and_any_change_is_refuted(
    problem: Problem, trace: list[State]
) -> None:
    assert run(problem, trace, trace[-1]).gap == 0 and run(problem, end=trace[-1])
    for t in range(len(trace)):
        for j in range(len(trace[0])):
            for change in (F(1), F(-1, 7), F(1, 10**30)):
                wrong = [list(state) for state in trace]
                wrong[t][j] += change
                verdict = run(problem, states(*wrong))
                assert verdict.status == "REFUTED"
                assert any(v.place.startswith(f"step {t + 1},") for v in verdict.violations)
    for j in range(len(trace[0])):
        end = [v + F(1, 10**30) * (i == j) for i, v in enumerate(trace[-1])]
        assert run(problem, end=end).status == "REFUTED"


def test_a_trace_of_the_wrong_length_is_refuted() -> None:
    assert run(PAIR, PAIR_TRACE[:3]).status == "REFUTED"
    assert run(PAIR, [*PAIR_TRACE, PAIR_TRACE[-1]]).status == "REFUTED"


# --- Binary


def binary(**other: Any) -> Problem:
    one_row = {"X": [[2]], "y": (1,), "visits": visits(0, 0), "etas": (H, H)}
    return Problem(**{"family": "sgd.binary", "sigma": F(1), "c": F(1), **one_row, **other})


def test_at_the_kink_the_print_has_the_flat_slope() -> None:
    # c = 1/2: w = 1/2 after one step, whose margin is exactly 1
    flat, steep = states((H,), (F(1, 4),)), states((H,), (F(3, 4),))
    assert run(binary(c=H), flat) and run(binary(c=H), end=flat[-1])
    verdict = run(binary(c=H), steep)
    assert (
        verdict.status == "REFUTED" and "margin 1: the loss is flat" in verdict.violations[0].text
    )
    assert run(binary(c=H, at_kink="either"), flat) and run(binary(c=H, at_kink="either"), steep)
    assert run(binary(c=H, at_kink="either"), end=steep[-1])
    # below 1 it is steep
    text = run(binary(c=H), states((0,), (0,))).violations[0].text
    assert text == "w[0] is 0, needs 1/2 (margin 0: the loss has a slope)"


def test_the_bias_is_updated_but_not_shrunk() -> None:
    # w = 1/2 2 = 1, b = 1/2; then the margin 5/2 is above 1: w = 1/2
    problem = binary(bias=True)
    assert run(problem, states((1, H), (H, H)))
    assert run(problem, states((1, H), (H, F(1, 4)))).status == "REFUTED"
    verdict = run(problem, states((1, 0), (H, 0)))
    assert verdict.status == "REFUTED" and verdict.violations[0].text.startswith(
        "b is 0, needs 1/2"
    )


def test_the_sign_of_the_first_slide_is_refuted() -> None:
    # w - eta (w + C y x) = 0 - 1/2 2, then 1/2 (-1) - 1
    verdict = run(binary(), states((-1,), (-F(3, 2),)))
    assert verdict.status == "REFUTED"


def test_another_scale_of_the_data_is_refuted() -> None:
    # PAIR with m C = 2 in the place of C: 1/2, then 3/8 + 1/2, then 21/32 + 1/2, where w is above 1
    trace = states((H,), (F(7, 8),), (F(37, 32),), (F(111, 128),))
    verdict = run(PAIR, trace)
    assert verdict.status == "REFUTED"


def test_a_rounded_trace_may_choose_either_side_of_a_near_tie() -> None:
    off = F(1, 10**12)
    for first in (H - off, H + off):
        for second in (F(1, 4), F(3, 4)):
            assert run(binary(c=H), states((first,), (second,)), allowed=MICRO)
    assert run(binary(c=H), states((H - off,), (H,)), allowed=MICRO).status == "REFUTED"
    # w = 1/2 and the margin 1 have no rounding in them: only the flat slope is printed
    assert run(binary(c=H), states((H,), (F(1, 4),)), allowed=MICRO)
    assert run(binary(c=H), states((H,), (F(3, 4),)), allowed=MICRO).status == "REFUTED"
    # 3/10 and 10/3 are rounded by those who compute in floats
    tenths = binary(X=[[F(10, 3)]], c=F(9, 50))
    assert run(tenths, states((F(3, 10),), (F(3, 20),)), allowed=MICRO)
    assert run(tenths, states((F(3, 10),), (F(9, 20),)), allowed=MICRO)
    assert run(tenths, end=(F(9, 20),), allowed=MICRO) and not run(tenths, end=(F(9, 20),))


def test_a_run_of_tiny_steps_is_judged_by_the_size_of_its_steps() -> None:
    # eta = 1e-7: w = 2e-7 after a step, and 1 - 1e-7 of it with 2e-7 more after two
    tiny = F(1, 10**7)
    problem = binary(etas=(tiny, tiny))
    right = states((2 * tiny,), (4 * tiny - 2 * tiny**2,))
    assert run(problem, right, right[-1], allowed=NANO)
    nothing = states((0,), (0,))
    verdict = run(problem, nothing, allowed=NANO)
    assert verdict.status == "REFUTED" and verdict.relative == 1
    assert run(problem, end=(0,), allowed=NANO).status == "REFUTED"
    assert run(problem, end=(right[-1][0] * (1 + F(1, 10**10)),), allowed=NANO)


def test_shrunk_terms_count_as_they_are_shrunk() -> None:
    # terms of 1 in step 1, then nine steps without a loss that halve w: 2^-9, not 1, is the scale
    problem = binary(X=[[2], [-1]], y=(1, -1), visits=visits(0, *[0] * 9), etas=(H,) * 10, c=F(10))
    w, trace = F(10), [(F(10),)]
    for _ in range(9):
        w = w / 2 if 2 * w >= 1 else w / 2 + 10
        trace.append((w,))
    assert run(problem, trace, allowed=NANO)
    verdict = run(problem, [*trace[:4], (trace[4][0] + F(1, 100),), *trace[5:]], allowed=MICRO)
    assert trace[4] == (F(5, 8),) and verdict.scale == F(5, 4)  # the state before is a term, too


# --- Where a run begins, its average, and what it predicts


def test_a_run_begins_at_its_start_and_may_end_with_its_mean() -> None:
    # PAIR from w = 2: margins 2, 3/2, 9/8 are met: 3/2, 9/8, 27/32, and then 81/128 + 1/4
    problem = replace(PAIR, start=(F(2),))
    trace = states((F(3, 2),), (F(9, 8),), (F(27, 32),), (F(113, 128),))
    assert run(problem, trace, trace[-1]) and run(problem, end=trace[-1])
    assert run(problem, PAIR_TRACE).status == "REFUTED"
    mean = (F(192 + 144 + 108 + 113, 128 * 4),)
    averaged = replace(problem, average="equally")
    assert run(averaged, trace, mean) and run(averaged, end=mean)
    assert run(averaged, end=trace[-1]).status == "REFUTED"


def test_what_a_step_forgets_is_a_term_of_that_step() -> None:
    # eta lam = 1 forgets the start 5, of which floats may keep a rounding
    problem = replace(
        THREE, visits=visits(0), etas=(F(1),), start=(F(0), F(5), F(0), F(0), F(0), F(0))
    )
    residue = F(1, 10**15)
    assert run(problem, states((1, 0, -1, 0, 0, 0)))
    assert run(problem, states((1, residue, -1, 0, 0, 0)), allowed=NANO)
    assert run(problem, states((1, 0, -1, residue, 0, 0)), allowed=NANO).status == "REFUTED"


def test_binary_labels_are_named_by_their_signs() -> None:
    verdict = run(PAIR, end=PAIR_TRACE[-1], labels=(0, 0))
    assert [v.text for v in verdict.violations] == ["-1, but the run predicts 1"]


def test_labels_are_those_of_the_end() -> None:
    assert run(PAIR, PAIR_TRACE, labels=(1, 0)) and run(PAIR, labels=(1, 0))
    verdict = run(PAIR, labels=(1, 1))
    assert verdict.status == "REFUTED" and verdict.violations[0].place == "labels: row 1"
    assert run(THREE, THREE_TRACE, labels=(0, 1, 2))
    assert (
        run(THREE, THREE_TRACE, labels=(0, 1, 1)).violations[0].text == "1, but the run predicts 2"
    )
    # costs ask for a margin in training, and don't count in a prediction: W = 0 ties
    zeros = replace(THREE, X=[[0, 0]], y=(0,), visits=visits(0), etas=(F(1),))
    for r in range(3):
        assert run(zeros, labels=(r,))


def test_the_printed_shrinks_of_the_binary_descent_are_told_apart() -> None:
    # row 4, C = 1, eta = 1/4: w = 1; then the margin 4 is met: 3/4, or 1 where nothing shrinks
    problem = binary(X=[[4]], etas=(F(1, 4),) * 2)
    shrunk, kept = states((1,), (F(3, 4),)), states((1,), (1,))
    assert run(problem, shrunk) and run(problem, kept).status == "REFUTED"
    for shrink in ("with_loss", "never"):
        other = replace(problem, shrink=shrink)
        assert run(other, kept) and run(other, shrunk).status == "REFUTED"
    small = replace(problem, X=[[1]])  # 1/4, then 3/4 or all of it, and 1/4 more
    assert run(replace(small, shrink="with_loss"), states((F(1, 4),), (F(7, 16),)))
    assert run(replace(small, shrink="never"), states((F(1, 4),), (H,)))
    # the bias never shrinks
    assert run(replace(small, bias=True), states((F(1, 4), F(1, 4)), (F(7, 16), H)))


# --- Multi-class


def test_every_arg_max_is_admitted_and_nothing_else() -> None:
    one = replace(THREE, visits=visits(0), etas=(F(1),))
    for right in ((1, 0, -1, 0, 0, 0), (1, 0, 0, 0, -1, 0)):
        assert run(one, end=right)
    others: list[Sequence[int | F]] = [(0,) * 6, (1, 0, -H, 0, -H, 0), (2, 0, -1, 0, -1, 0)]
    for end in others:
        assert run(one, end=end).status == "REFUTED"


def test_the_sum_form_takes_all_violated_classes() -> None:
    # t = 1: both others; t = 2, factor 1/2: W = (1, 0), (-1/2, 0), (-1/2, 0) and row (0, 1) is at 0
    problem = replace(THREE, form="sum", visits=visits(0, 1), etas=(F(1), H))
    trace = states((2, 0, -1, 0, -1, 0), (1, -H, -H, 1, -H, -H))
    assert run(problem, trace) and run(problem, end=trace[-1])
    verdict = run(replace(problem, form="max"), trace)
    assert verdict.status == "REFUTED"


def test_a_class_that_just_meets_its_margin_may_count_or_not() -> None:
    # cost 0 of class 1, 1 of class 2: at W = 0, v = (0, 0, 1)
    one = replace(THREE, form="sum", costs=[[0, 0, 1]] * 3, visits=visits(0), etas=(F(1),))
    for right in ((1, 0, 0, 0, -1, 0), (2, 0, -1, 0, -1, 0)):
        assert run(one, end=right) and run(one, states(right))
    others: list[Sequence[int | F]] = [(1, 0, -1, 0, 0, 0), (F(3, 2), 0, -H, 0, -1, 0)]
    for end in others:
        assert run(one, end=end).status == "REFUTED"
    largest = replace(one, form="max")
    assert run(largest, end=(1, 0, 0, 0, -1, 0))
    assert run(largest, end=(1, 0, -1, 0, 0, 0)).status == "REFUTED"


def test_costs_are_those_of_predicting_each_class_at_the_row() -> None:
    # at row 0, of class 0, predicting 1 costs more than 2
    one = replace(THREE, costs=[[0, 2, 1], [0, 0, 0], [0, 0, 0]], visits=visits(0), etas=(F(1),))
    assert run(one, end=(1, 0, -1, 0, 0, 0))
    other_row = replace(one, costs=[[0, 0, 0], [2, 0, 1], [0, 0, 0]])
    verdict = run(other_row, end=(1, 0, -1, 0, 0, 0))
    assert verdict  # with no cost at all every class ties
    assert run(other_row, end=(0,) * 6) and run(one, end=(0,) * 6).status == "REFUTED"


def test_the_printed_shrinks_are_told_apart() -> None:
    # row (4, 0) twice, eta = 1/4: W = (1, 0), (-1, 0); then the margin 8 is enough
    problem = Problem(
        family="sgd.multiclass", X=[[4, 0]], y=(0,), k=2, visits=visits(0, 0),
        etas=(F(1, 4),) * 2, sigma=F(1), c=F(1),
    )  # fmt: skip
    first = (1, 0, -1, 0)
    shrunk, kept = (F(3, 4), 0, -F(3, 4), 0), first
    assert run(problem, states(first, shrunk))
    verdict = run(problem, states(first, kept))
    assert verdict.status == "REFUTED"
    for shrink in ("with_loss", "never"):
        other = replace(problem, shrink=shrink)
        assert run(other, states(first, kept))
        assert run(other, states(first, shrunk)).status == "REFUTED"
    # a loss in both steps tells the last two apart
    small = replace(problem, X=[[1, 0]])
    both = states((F(1, 4), 0, -F(1, 4), 0), (F(7, 16), 0, -F(7, 16), 0))
    assert run(small, both) and run(replace(small, shrink="with_loss"), both)
    assert run(replace(small, shrink="never"), both).status == "REFUTED"
    assert run(replace(small, shrink="never"), end=(H, 0, -H, 0))


def test_the_printed_shrink_changes_nothing_where_the_loss_is_exactly_zero() -> None:
    # eta = 1/2, x = 1: W = (1/2), (-1/2) has margin 1, so v = (0, 0) and both classes tie
    problem = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), k=2, visits=visits(0, 0),
        etas=(H, H), sigma=F(1), c=F(1), shrink="with_loss",
    )  # fmt: skip
    assert run(problem, states((H, -H), (H, -H)))
    assert run(problem, states((H, -H), (1, -1))).status == "REFUTED"
    always = replace(problem, shrink="always")
    for after in ((F(1, 4), -F(1, 4)), (F(3, 4), -F(3, 4))):
        assert run(always, states((H, -H), after))


@pytest.mark.parametrize("form", ["max", "sum"])
def test_a_run_of_no_steps_is_none_of_a_loss(form: Any) -> None:
    for shrink in ("with_loss", "always"):
        one = replace(THREE, visits=visits(0), etas=(F(1),), form=form, shrink=shrink)
        assert run(one, end=(0,) * 6).status == "REFUTED"


def test_a_size_has_no_term_of_a_class_that_is_not_taken_off_itself() -> None:
    # W = (2), (0) has no loss and shrinks to (1), (0)
    one = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), visits=visits(0), etas=(H,), sigma=F(1), c=F(1),
        start=(F(2), F(0)),
    )  # fmt: skip
    verdict = run(one, end=(1 + NANO, 0), allowed=MICRO)
    assert verdict and verdict.gap == NANO and verdict.scale == 1
    assert verdict.summary == "1 row, 2 classes, 1 step"


def test_a_factor_below_0_makes_no_size_negative() -> None:
    # 1 − 3·1 = −2
    one = binary(X=[[1]], visits=visits(0), etas=(F(3),), start=(F(1),))
    verdict = run(one, states((-F(5, 2),)))
    assert verdict.status == "REFUTED" and verdict.gap == H and verdict.scale == 2


def test_twice_the_regulariser_is_refuted() -> None:
    problem = replace(THREE, sigma=F(1), etas=(H, F(1, 4), F(1, 6)))
    # with lambda |w|^2 the factors are 0, 1/2, 2/3
    trace = [tuple(v / 2 for v in state) for state in THREE_TRACE]
    assert run(replace(problem, sigma=F(2)), trace)
    assert run(problem, trace).status == "REFUTED"


def test_a_feature_map_takes_the_place_of_blocks() -> None:
    # Psi(x, +) = x/2, Psi(x, -) = -x/2 is the binary hinge: one step from 0 is eta y x
    features = [[[-1], [1]], [[1], [-1]]]  # rows x = 2 and x = -2, classes -, +
    problem = Problem(
        family="sgd.multiclass", features=features, y=(1, 0), k=2, visits=visits(0, 1),
        etas=(H, H), sigma=F(1), c=F(1),
    )  # fmt: skip
    # w = 1/2 2 = 1; then the margin is 2 and w shrinks
    assert run(problem, states((1,), (H,))) and run(problem, end=(H,))
    verdict = run(problem, states((1,), (F(3, 2),)))
    assert verdict.status == "REFUTED" and verdict.violations[0].text.startswith("w[0] is 3/2")


def test_other_choices_are_searched_for_as_far_as_the_limits() -> None:
    k, n = 8, 6
    X = [[int(i == j) for j in range(n)] for i in range(n)]
    problem = Problem(
        family="sgd.multiclass", X=X, y=(0,) * n, k=k, visits=visits(*range(n)),
        etas=(H,) * n, sigma=F(1), c=F(1),
    )  # fmt: skip
    # each row is new, so that its loss is 1 and class 1 the first of those that have it
    first = [F(1, 2 ** (n - j)) * ((r == 0) - (r == 1)) for r in range(k) for j in range(n)]
    assert run(problem, end=first)
    assert run(problem, end=(0,) * (k * n)).status == "INCONCLUSIVE"
    level = replace(problem, k=10, form="sum", costs=[[0] * 10] * n)
    assert (
        run(level, end=(0,) * (10 * n)) and run(level, end=(1,) * (10 * n)).status == "INCONCLUSIVE"
    )
    long = binary(visits=visits(*[0] * 400), etas=(F(1, 3**400),) * 400)
    assert run(long, end=(1,)).status == "INCONCLUSIVE"


def test_a_step_without_a_loss_is_refuted_where_the_shrink_is_printed_with_one() -> None:
    # As above after step 1: v = (0, 0).  The step of the tied class 1, (1 - 1/2) W + 1/2 (1, -1),
    # is one of a subgradient, but of a loss of 0.
    problem = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), k=2, visits=visits(0, 0),
        etas=(H, H), sigma=F(1), c=F(1), shrink="with_loss",
    )  # fmt: skip
    stepped = states((H, -H), (F(3, 4), -F(3, 4)))
    verdict = run(problem, stepped)
    assert verdict.status == "REFUTED" and verdict.gap == F(1, 4)
    assert verdict.violations[0].text == "W[0][0] is 3/4, needs 1/2 (the loss is 0: no step)"
    assert run(replace(problem, shrink="always"), stepped)
    # without a trace neither is the step of a tied class that stands before the right one
    last = replace(problem, y=(1,))
    assert run(last, end=(-H, H)) and run(last, end=(-F(3, 4), F(3, 4))).status == "REFUTED"


def test_a_wrong_step_is_explained_by_the_classes_or_by_the_flat_loss() -> None:
    named = replace(
        THREE, visits=visits(0), etas=(F(1),), X=[[1, 0]], y=(0,), classes=("a", "b", "c")
    )
    verdict = run(named, states((2, 0, -1, 0, 0, 0)))
    assert verdict.violations[0].text == "W[0][0] is 2, needs 1 (class a against b)"
    # row 4 twice, eta = 1/4: the margin 8 is enough, and W = (1), (-1) shrinks
    flat = replace(named, X=[[4]], k=2, visits=visits(0, 0), etas=(F(1, 4),) * 2)
    verdict = run(flat, states((1, -1), (1, -F(3, 4))))
    assert verdict.violations[0].text == "W[0][0] is 1, needs 3/4 (the loss is flat)"


def test_a_rounding_may_leave_a_loss_where_there_is_none() -> None:
    # as above, but W = ±(1/2 - 1/10^9), within the gap: the loss of 2/10^9 is due a step, or none
    off = F(1, 10**9)
    problem = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), visits=visits(0, 0),
        etas=(H, H), sigma=F(1), c=F(1), shrink="with_loss",
    )  # fmt: skip
    first = (H - off, off - H)
    for after in (first, ((H - off) / 2 + H, -(H - off) / 2 - H)):
        assert run(problem, states(first, after), allowed=MICRO)
    for after in (((H - off) / 2, (off - H) / 2), (F(1), F(-1))):
        assert run(problem, states(first, after), allowed=MICRO).status == "REFUTED"


def test_floats_add_up_exactly_only_if_all_of_their_digits_fit() -> None:
    exact, tiny = start_of((F(1, 2), F(3)), 2), F(1, 10**9)
    assert exact.is_exact and not start_of((F(1, 2), F(1, 3)), 2).is_exact
    assert not start_of(None, 2, is_exact=False).is_exact
    half = (F(1, 2), F(1))
    assert (
        rounding(exact, [(F(3), F(1, 3))], tiny) == rounding(exact, [(F(1, 3), F(3))], tiny) == tiny
    )
    for size, off in ((2**22, F(0)), (2**23, tiny)):  # half more has 24 digits, or 25
        assert rounding(exact, [(F(size), F(1)), half], tiny) == off
    score = Score(exact, (F(2), F(0)), cost=F(7))
    assert list(score.terms()) == [(7, 1), (F(1, 2), 2), (3, 0)]
    # up to 2^24 halves, whatever their signs are
    below = F(2**23) - F(1, 2)
    assert rounding(exact, [(below, F(1)), half], tiny) == 0
    assert rounding(exact, [(below, F(1)), (F(-1), F(1)), half], tiny) == tiny


def test_a_score_that_is_as_far_off_as_rounding_goes_is_still_computed_exactly() -> None:
    score = Score(Point((F(1),), (F(2),)), [F(1)])
    assert reach(H, F(1), score) == 0 and reach(T, F(1), score) == 2 * T


def test_costs_that_floats_round_may_tie_beside_scores() -> None:
    costs = [[F(0), F(1, 10), F(1, 10) - F(1, 10**15)]]
    one = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), k=3, visits=visits(0), etas=(F(1),),
        sigma=F(1), c=F(1), costs=costs, start=(F(1),) * 3,
    )  # fmt: skip
    second = states((1, 0, -1))
    assert run(one, second, allowed=NANO) and run(one, second).status == "REFUTED"


def test_a_step_with_too_many_subsets_of_tied_classes_is_left_open() -> None:
    # all costs are 0, so that at w = 0 every class but the right one may have a slope or none
    for k, status in ((9, "VERIFIED"), (10, "INCONCLUSIVE")):
        tied = replace(
            THREE, X=[[1]], y=(0,), k=k, costs=[[0] * k], form="sum", visits=visits(0), etas=(F(1),)
        )
        assert run(tied, [(F(0),) * k]).status == status


@pytest.mark.parametrize(
    ("form", "after"), [("max", (1, 0, -1, 0, 0, 0)), ("sum", (2, 0, -1, 0, -1, 0))]
)
def test_the_first_choice_updates_one_class_or_all_that_cost_something(
    form: Any, after: tuple[int, ...]
) -> None:
    problem = replace(THREE, form=form)
    rule = rule_of(problem)
    assert rule.first(rule.start, problem.visits[0]).state == after


def test_no_step_is_too_small_where_none_is_made() -> None:
    still = binary(c=EXACT)
    assert run(still, end=(0,), allowed=F(1, 10**9))
    assert run(still, end=(1,), allowed=F(1, 10**9)).status == "REFUTED"


def test_no_epoch_is_the_last_one_because_it_changes_nothing() -> None:
    flat = binary(start=(F(2),), visits=(Visit(1, 1, 0), Visit(2, 2, 0)), sigma=EXACT)
    assert run(flat, states((2,), (2,)))
    assert run(flat, states((2,))).status == "REFUTED"


def test_rows_whose_squares_underflow_are_not_refuted_in_either_form() -> None:
    tiny = F(1, 2**600)
    features = Problem(
        family="sgd.multiclass", features=[[[tiny], [F(0)]]], y=(0,), k=2, visits=visits(0),
        etas=(H,), sigma=F(1), c=F(1),
    )  # fmt: skip
    for problem in (features, binary(X=[[tiny]]), binary(X=[[-tiny]])):
        assert run(problem, end=(7,), allowed=NANO).status == "INCONCLUSIVE"
        assert run(problem, end=(7,)).status == "REFUTED"


def test_what_floats_may_have_left_of_two_products_decides_a_loss() -> None:
    """W is ±1/3 · 3/10, then half of it less 1/20: 0, but floats have 0.09999999999999999 for the
    first product. So the last row, which costs nothing, may have a loss, and gets a step of 1."""
    problem = Problem(
        family="sgd.multiclass", X=[[F(3, 10)], [F(1, 20)], [F(1)]], y=(0, 1, 0), k=2,
        visits=visits(0, 1, 2), etas=(T, F(1), F(1)), sigma=H, c=F(1),
        costs=[[0, 1], [1, 0], [0, 0]], shrink="with_loss",
    )  # fmt: skip
    for end, status in (((0, 0), "VERIFIED"), ((1, -1), "VERIFIED"), ((-1, 1), "REFUTED")):
        assert run(problem, end=end, allowed=NANO).status == status
    assert run(problem, end=(1, -1)).status == "REFUTED"


def test_each_step_has_its_own_size() -> None:
    # margin 0: w = 1/2 · 2; margin 2: w = (1 − 1/4) · 1
    assert run(binary(etas=(H, F(1, 4))), states((1,), (F(3, 4),)))


def test_a_class_that_is_led_by_more_than_its_cost_makes_no_step() -> None:
    one = Problem(
        family="sgd.multiclass", X=[[1]], y=(0,), k=2, visits=visits(0), etas=(H,), sigma=F(1),
        c=F(1), form="sum", start=(F(10), F(0)),
    )  # fmt: skip
    assert run(one, end=(5, 0))
    assert run(one, end=(F(11, 2), -H)).status == "REFUTED"


def test_the_sizes_of_both_scores_count() -> None:
    one, three = (Score(Point((F(n),), (F(n),), is_exact=False), [1]) for n in (1, 3))
    assert reach(H, EXACT, one, three) == reach(H, EXACT, three, one) == 2


def test_beside_rows_of_zeros_only_a_step_that_itself_underflows_is_too_small() -> None:
    for eta, status in ((F(1, 2**1022), "REFUTED"), (F(3, 2**1024), "INCONCLUSIVE")):
        still = binary(X=[[0]], etas=(eta, eta))
        assert run(still, end=(1,), allowed=NANO).status == status
