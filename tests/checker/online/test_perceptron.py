"""The referee of perceptron runs, against runs that are worked out by hand.

TWO has the positive rows (1, 0) and (2, 1).  At w = 0 the first score is 0, a mistake: w = (1, 0).
The second margin is 2, and so is nothing to do; in a second epoch the margins are 1 and 2.

AND has the rows (0, 0)-, (0, 1)-, (1, 0)-, (1, 1)+ with a bias.  Step by step, margins in brackets:

    epoch 1   row 0 [0]: b = -1;      row 1 [1]: -;            row 2 [1]: -;
              row 3 [-1]: w = (1, 1), b = 0
    epoch 2   row 0 [0]: b = -1;      row 1 [0]: w = (1, 0), b = -2;      row 2 [1]: -;
              row 3 [-1]: w = (2, 1), b = -1

THREE has the rows (1, 0), (0, 1), (-1, -1) of classes 0, 1, 2.  At W = 0 all classes tie.  With the
first rule and class 1 predicted for row 0, W = (1, 0), (-1, 0), (0, 0).  Row 1 then scores 0, 0, 0
again; with class 0 predicted, W = (1, -1), (-1, 1), (0, 0).  Row 2 scores 0, 0, 0: with class 0
predicted, W = (2, 0), (-1, 1), (-1, -1).
"""

from collections.abc import Sequence
from fractions import Fraction as F

import pytest

from refmc.checker import Verdict
from refmc.checker.online.perceptron import Problem, Submission, Visit, judge
from refmc.checker.online.replay import State

H = F(1, 2)
EXACT, MICRO = F(0), F(1, 10**6)


def visits(m: int, epochs: int) -> tuple[Visit, ...]:
    rows = [(e, i) for e in range(1, epochs + 1) for i in range(m)]
    return tuple(Visit(t, e, i) for t, (e, i) in enumerate(rows, 1))


def states(*rows: Sequence[int | F]) -> list[State]:
    return [tuple(F(v) for v in row) for row in rows]


def run(
    problem: Problem,
    trace: Sequence[State] | None = None,
    end: Sequence[int | F] | None = None,
    mistakes: tuple[int, ...] | None = None,
    allowed: F = EXACT,
) -> Verdict:
    last = None if end is None else tuple(F(v) for v in end)
    return judge(problem, Submission(trace, last, mistakes), allowed=allowed)


TWO = Problem(family="perceptron.binary", X=[[1, 0], [2, 1]], y=(1, 1), visits=visits(2, 3))
AND = Problem(
    family="perceptron.binary",
    X=[[0, 0], [0, 1], [1, 0], [1, 1]],
    y=(-1, -1, -1, 1),
    visits=visits(4, 2),
    bias=True,
)
AND_TRACE = states(
    (0, 0, -1), (0, 0, -1), (0, 0, -1), (1, 1, 0),
    (1, 1, -1), (1, 0, -2), (1, 0, -2), (2, 1, -1),
)  # fmt: skip
THREE = Problem(
    family="perceptron.multiclass",
    X=[[1, 0], [0, 1], [-1, -1]],
    y=(0, 1, 2),
    k=3,
    visits=visits(3, 1),
)
THREE_TRACE = states((1, 0, -1, 0, 0, 0), (1, -1, -1, 1, 0, 0), (2, 0, -1, 1, -1, -1))


def test_the_worked_out_runs_are_verified_in_every_form() -> None:
    verdict = run(AND, AND_TRACE, AND_TRACE[-1], (2, 3))
    assert verdict and verdict.gap == 0
    assert verdict.summary == "4 rows, 8 steps"
    assert run(AND, AND_TRACE) and run(AND, None, AND_TRACE[-1]) and run(AND, mistakes=(2, 3))
    assert run(AND, None, AND_TRACE[-1], (2, 3))
    assert run(THREE, THREE_TRACE, THREE_TRACE[-1]) and run(THREE, end=THREE_TRACE[-1])


def test_any_change_of_one_number_of_a_trace_is_refuted() -> None:
    for t in range(len(AND_TRACE)):
        for j in range(3):
            for change in (F(1), F(-1, 7), F(1, 10**30)):
                wrong = [list(state) for state in AND_TRACE]
                wrong[t][j] += change
                verdict = run(AND, states(*wrong))
                assert verdict.status == "REFUTED"
                assert any(f"step {t + 1}," in v.place for v in verdict.violations)


def test_a_wrong_step_is_named_once_and_does_not_cascade() -> None:
    # b is left at 0 in step 1; what follows is right from there
    trace = states(
        (0, 0, 0), (0, -1, -1), (0, -1, -1), (1, 0, 0),
        (1, 0, -1), (1, 0, -1), (0, 0, -2), (1, 1, -1),
    )  # fmt: skip
    verdict = run(AND, trace)
    [only] = verdict.violations
    assert only.place == "step 1, row 0" and only.text == "b is 0, needs -1 (margin 0: an update)"


def test_any_change_of_the_end_or_of_a_count_is_refuted() -> None:
    for j in range(3):
        end = list(AND_TRACE[-1])
        end[j] += 1
        assert run(AND, end=end).status == "REFUTED"
        assert run(AND, AND_TRACE, end).status == "REFUTED"
    for counts in ((1, 3), (2, 2), (2, 4), (2,), (2, 3, 1)):
        assert run(AND, mistakes=counts).status == "REFUTED"
        verdict = run(AND, AND_TRACE, mistakes=counts)
        assert verdict.status == "REFUTED" and "epoch" in verdict.violations[0].place


def test_a_run_may_end_with_an_epoch_without_mistakes() -> None:
    w = states((1, 0))[0]
    assert run(TWO, [w] * 6) and run(TWO, [w] * 4)
    for mistakes in ((1,), (1, 0), (1, 0, 0)):
        assert run(TWO, end=w, mistakes=mistakes) and run(TWO, [w] * 4, mistakes=mistakes)
    verdict = run(TWO, [w] * 2)  # the first epoch has a mistake
    assert verdict.status == "REFUTED" and verdict.violations[0].place == "trace"
    assert run(TWO, [w] * 3).status == "REFUTED"  # in the middle of an epoch
    assert run(TWO, [w] * 7).status == "REFUTED"


def test_a_score_of_zero_is_a_mistake_unless_either_is_admitted() -> None:
    # with sign(0) = +1 the first row is right, and the second, and so on
    nothing = states((0, 0))[0]
    verdict = run(TWO, end=nothing)
    assert verdict.status == "REFUTED"
    assert verdict.hint == "the run fits with a score of 0 counting as either sign"
    either = Problem(
        family="perceptron.binary", X=[[1, 0], [2, 1]], y=(1, 1), visits=visits(2, 1),
        at_zero="either",
    )  # fmt: skip
    ends = ((1, 0), (2, 1), (0, 0))
    assert all(run(either, end=end) for end in ends)
    assert run(either, end=(3, 1)).status == "REFUTED"
    assert "nearest of 3 ends" in run(either, end=(3, 2)).violations[0].text
    assert run(either, end=(0, 0), mistakes=(0,)) and run(either, end=(2, 1), mistakes=(1,))
    assert run(either, end=(0, 0), mistakes=(1,)).status == "REFUTED"


def test_a_rounded_trace_is_judged_from_its_own_states() -> None:
    tenth = F(0.1)  # the binary64
    problem = Problem(family="perceptron.binary", X=[[F(1, 10)]], y=(1,), visits=visits(1, 1))
    assert run(problem, [(tenth,)], allowed=MICRO)
    verdict = run(problem, [(tenth,)])
    assert verdict.status == "REFUTED" and verdict.gap == tenth - F(1, 10)


def test_a_near_tie_of_rounded_states_admits_both_choices() -> None:
    # after step 1 w is right to 1e-12, and the margin of row 1 is 1e-12 instead of 0
    off = F(1, 10**12)
    problem = Problem(family="perceptron.binary", X=[[1, 0], [0, 1]], y=(1, 1), visits=visits(2, 1))
    for after in ((1, off), (1, 1 + off)):
        assert run(problem, states((1, off), after), allowed=MICRO)
    assert run(problem, states((1, 1), (1, 1)), allowed=MICRO).status == "REFUTED"
    exact = run(problem, states((1, 0), (1, 0)))
    assert exact.status == "REFUTED" and "an update" in exact.violations[0].text


# --- Kernel


def kernel_problem(**other: object) -> Problem:
    rows = {"X": [[0, 0], [0, 1], [1, 0], [1, 1]], "y": (-1, -1, -1, 1), "visits": visits(4, 2)}
    return Problem(**{"family": "perceptron.kernel", "bias": True, **rows, **other})  # type: ignore[arg-type]


def test_the_kernel_run_counts_the_mistakes_of_each_row() -> None:
    # mistakes of AND: rows 0 and 3, then rows 0, 1 and 3
    trace = states(
        (1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 0), (1, 0, 0, 1),
        (2, 0, 0, 1), (2, 1, 0, 1), (2, 1, 0, 1), (2, 1, 0, 2),
    )  # fmt: skip
    gram = [[0, 0, 0, 0], [0, 1, 0, 1], [0, 0, 1, 1], [0, 1, 1, 2]]
    for problem in (kernel_problem(), kernel_problem(X=None, gram=gram)):
        assert run(problem, trace, trace[-1], (2, 3)) and run(problem, end=trace[-1])
        for j in range(4):
            wrong = list(trace[-1])
            wrong[j] += 1
            assert run(problem, end=wrong).status == "REFUTED"


def test_a_kernel_run_with_the_bias_left_out_is_explained() -> None:
    # without a bias the margins of row 0 are 0: epoch 1 ends with alpha = (1, 1, 1, 1), margins
    # 0, 0, 0, then -(1 + 1) of row 3 against rows 1 and 2
    verdict = run(kernel_problem(visits=visits(4, 1)), end=(1, 1, 1, 1))
    assert verdict.status == "REFUTED" and verdict.hint == "the run fits with no bias"


# --- Multi-class


def test_every_arg_max_may_be_predicted() -> None:
    # row 0 at W = 0: right if class 0 is predicted, else against class 1 or 2
    one = Problem(family="perceptron.multiclass", X=[[1, 0]], y=(0,), k=3, visits=visits(1, 1))
    for right in ((0,) * 6, (1, 0, -1, 0, 0, 0), (1, 0, 0, 0, -1, 0)):
        assert run(one, end=right)
    for end in ((1, 0, -H, 0, -H, 0), (1, 0, 0, 0, 0, 0), (-1, 0, 1, 0, 0, 0)):
        assert run(one, end=end).status == "REFUTED"


def test_mistakes_follow_the_choices() -> None:
    one = Problem(family="perceptron.multiclass", X=[[1, 0]], y=(0,), k=3, visits=visits(1, 1))
    assert run(one, end=(0,) * 6, mistakes=(0,)) and run(one, mistakes=(1,))
    assert run(one, states((0,) * 6), mistakes=(1,)).status == "REFUTED"


def test_any_change_of_one_weight_is_refuted_in_a_multiclass_trace() -> None:
    for t in range(3):
        for j in range(6):
            wrong = [list(state) for state in THREE_TRACE]
            wrong[t][j] += F(1, 3)
            assert run(THREE, states(*wrong)).status == "REFUTED"


SHARED = Problem(
    family="perceptron.multiclass", X=[[1, 0]], y=(0,), k=3, visits=visits(1, 1), tau="all_rivals"
)


def test_the_second_rule_at_zero_shares_among_all_tied_classes() -> None:
    # E_y with > is empty, so that only >= gives an update
    assert run(SHARED, end=(1, 0, -H, 0, -H, 0)) and run(SHARED, end=(0,) * 6)
    verdict = run(SHARED, end=(1, 0, -1, 0, 0, 0))
    assert verdict.status == "REFUTED"
    assert verdict.hint == "the run fits with tau = chosen_rival"


def test_the_second_rule_admits_both_readings_of_its_set() -> None:
    # Step 1: row (1, 0) of class 1 from 0: W = (-1/2, 0), (1, 0), (-1/2, 0).  Step 2: row (1, 0) of
    # class 0 scores -1/2, 1, -1/2: only class 1 is above, class 2 is level.
    problem = Problem(
        family="perceptron.multiclass", X=[[1, 0], [1, 0]], y=(1, 0), k=3, visits=visits(2, 1),
        tau="all_rivals",
    )  # fmt: skip
    first = (-H, 0, 1, 0, -H, 0)
    assert run(problem, states(first, (H, 0, 0, 0, -H, 0)))
    assert run(problem, states(first, (H, 0, H, 0, -1, 0)))
    for wrong in ((H, 0, 1, 0, -3 * H, 0), first, (H, 0, F(1, 3), 0, -F(5, 6), 0)):
        assert run(problem, states(first, wrong)).status == "REFUTED"


def test_any_rule_of_the_family_is_admitted_where_it_is_asked_for() -> None:
    problem = Problem(
        family="perceptron.multiclass", X=[[1, 0]], y=(0,), k=3, visits=visits(1, 1), tau="any"
    )
    for share in (F(0), F(1, 3), H, F(1)):
        assert run(problem, states((1, 0, -share, 0, share - 1, 0)))
    for wrong in ((1, 0, -1, 0, -1, 0), (1, 0, -2, 0, 1, 0), (2, 0, -1, 0, -1, 0), (1, 1, -1, 0, 0, 0)):  # fmt: skip
        assert run(problem, states(wrong)).status == "REFUTED"
    assert run(problem, end=(1, 0, -1, 0, 0, 0)).status == "INCONCLUSIVE"


def test_near_ties_of_rounded_weights_admit_every_subset() -> None:
    off = F(1, 10**12)
    problem = Problem(
        family="perceptron.multiclass", X=[[1], [1]], y=(0, 0), k=4, visits=visits(2, 1),
        tau="all_rivals",
    )  # fmt: skip
    # after step 1 (nothing, a tie won) the classes differ by less than what is allowed
    near = (off, 2 * off, -off, 0)
    third, half = F(1, 3), H
    for after in ((1, -third, -third, -third), (1, -half, -half, 0), (1, -1, 0, 0), (0, 0, 0, 0)):
        assert run(problem, states(near, after), allowed=MICRO)
    assert run(problem, states(near, (1, -half, 0, 0)), allowed=MICRO).status == "REFUTED"


def test_too_many_ties_are_inconclusive_without_a_trace() -> None:
    k, rows = 9, 6
    X = [[int(i == j) for j in range(rows)] for i in range(rows)]  # every row meets W x = 0
    problem = Problem(
        family="perceptron.multiclass", X=X, y=(0,) * rows, k=k, visits=visits(rows, 1)
    )
    verdict = run(problem, end=(0,) * (k * rows))
    assert verdict.status == "INCONCLUSIVE" and "submit the trace" in verdict.hint
    assert run(problem, states(*[(0,) * (k * rows)] * rows))


def test_a_negative_allowance_is_an_error_of_the_caller() -> None:
    with pytest.raises(ValueError):
        run(TWO, end=(1, 0), allowed=F(-1))


def test_an_exact_tie_admits_no_set_between_the_two_readings() -> None:
    # at W = 0 both rivals are level and none is above: against one of them alone is no reading
    one_rival = states((1, 0, -1, 0, 0, 0))
    verdict = run(SHARED, one_rival)
    # the nearest choices are no update and -1/2 for both rivals, which is off by 1/2
    assert verdict.status == "REFUTED" and verdict.gap == H
    assert run(SHARED, one_rival, allowed=MICRO)


def test_no_update_at_a_mistake_is_measured_from_equal_shares() -> None:
    # W = (1), (0) after a tie is lost to class 1; then row 1 of class 1 is mistaken for class 0
    problem = Problem(
        family="perceptron.multiclass", X=[[1], [1]], y=(0, 1), k=2, visits=visits(2, 1), tau="any"
    )
    verdict = run(problem, states((1, -1), (1, -1)))
    assert [(v.place, v.text) for v in verdict.violations] == [
        ("step 2, row 1", "W[0][0] is 1, needs 0 (an update of class 1 against 0)")
    ]


def test_wrong_counts_are_named_beside_the_right_ones() -> None:
    verdict = run(AND, AND_TRACE, mistakes=(2, 4))
    assert [(v.place, v.text) for v in verdict.violations] == [
        ("epoch 2", "4 mistakes, but the trace makes 3")
    ]
    # of one row at W = 0 a trace without an update may be a tie won, or an update within the gap
    one = Problem(family="perceptron.multiclass", X=[[1]], y=(0,), k=2, visits=visits(1, 1))
    verdict = run(one, states((H, -H)), mistakes=(2,), allowed=H)
    assert verdict.violations[0].text == "2 mistakes, but the trace makes 0 to 1"
    assert run(AND, mistakes=(2, 4)).violations[0].text == "mistakes [2, 4], needs [2, 3]"
    verdict = run(one, mistakes=(2,))
    assert verdict.violations[0].text == "mistakes [2], needs [0] or 1 other"
