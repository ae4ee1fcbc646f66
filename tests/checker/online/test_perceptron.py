"""The judge of perceptron runs, against runs that are worked out by hand.

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
from dataclasses import dataclass, replace
from fractions import Fraction as F

import pytest

from refmc.checker import Verdict
from refmc.checker.online import replay
from refmc.checker.online.perceptron import PerceptronProblem as Problem
from refmc.checker.online.perceptron import judge, rule_of
from refmc.checker.online.replay import Submission, judge_run
from refmc.checker.online.states import Choice, Point, Rule, RunProblem, State, Sums, Visit
from refmc.checker.parts import Part

H = F(1, 2)
EXACT, NANO, MICRO = F(0), F(1, 10**9), F(1, 10**6)


def visits(m: int, epochs: int) -> tuple[Visit, ...]:
    rows = [(e, i) for e in range(1, epochs + 1) for i in range(m)]
    return tuple(Visit(t, e, i) for t, (e, i) in enumerate(rows, 1))


def states(*rows: Sequence[int | F]) -> list[State]:
    return [tuple(F(v) for v in row) for row in rows]


@dataclass
class Counted:
    """A rule that counts how often it is asked."""

    rule: Rule
    count: int = 0

    @property
    def problem(self) -> RunProblem:
        return self.rule.problem

    @property
    def start(self) -> Point:
        return self.rule.start

    def choices(
        self, before: Point, visit: Visit, allowed: F, claimed: State | None
    ) -> Sequence[Choice] | None:
        self.count += 1
        return self.rule.choices(before, visit, allowed, claimed)

    def first(self, before: Point, visit: Visit) -> Choice:
        self.count += 1
        return self.rule.first(before, visit)

    def winners(self, point: Point, row: int, allowed: F) -> tuple[int, ...]:
        return self.rule.winners(point, row, allowed)

    def entry(self, position: int) -> str:
        return self.rule.entry(position)

    def class_name(self, r: int) -> str:
        return self.rule.class_name(r)


def run(
    problem: Problem,
    trace: Sequence[State] | None = None,
    end: Sequence[int | F] | None = None,
    mistakes: tuple[int, ...] | None = None,
    allowed: F = EXACT,
    labels: Sequence[int] | None = None,
) -> Verdict:
    last = None if end is None else tuple(F(v) for v in end)
    return judge(problem, Submission(trace, last, mistakes, labels), allowed=allowed)


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
                name = ("w[0]", "w[1]", "b")[j]
                assert any(f"{name} is" in v.text for v in verdict.violations)
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
    # by the states row 1, row 3; row 0, row 2, row 3 are mistakes; the wrong step may be one or not
    for mistakes, wrong in ((2, 3), []), ((3, 3), []), ((1, 3), ["epoch 1"]), ((4, 3), ["epoch 1"]):
        places = [v.place for v in run(AND, trace, mistakes=mistakes).violations]
        assert places == ["step 1, row 0", *wrong]


def test_any_change_of_the_end_or_of_a_count_is_refuted() -> None:
    for j in range(3):
        end = list(AND_TRACE[-1])
        end[j] += 1
        assert run(AND, end=end).status == "REFUTED"
        assert run(AND, AND_TRACE, end).status == "REFUTED"
    places = {(1, 3): "epoch 1", (2, 2): "epoch 2", (2, 4): "epoch 2", (2,): "epoch 2"}
    for counts, place in {**places, (2, 3, 1): "mistakes"}.items():
        assert run(AND, mistakes=counts).status == "REFUTED"
        verdict = run(AND, AND_TRACE, mistakes=counts)
        assert verdict.status == "REFUTED" and verdict.violations[0].place == place


def test_a_run_may_end_with_an_epoch_without_mistakes() -> None:
    w = states((1, 0))[0]
    assert run(TWO, [w] * 6) and run(TWO, [w] * 4)
    for mistakes in ((1,), (1, 0), (1, 0, 0)):
        assert run(TWO, end=w, mistakes=mistakes) and run(TWO, [w] * 4, mistakes=mistakes)
    verdict = run(TWO, [w] * 2)  # the first epoch has a mistake
    assert verdict.status == "REFUTED" and verdict.violations[0].place == "trace"
    assert run(TWO, [w] * 3).status == "REFUTED"  # in the middle of an epoch
    assert run(TWO, [w] * 7).status == "REFUTED"


def test_states_are_in_units_of_the_step_size() -> None:
    third = replace(AND, eta=F(1, 3))
    trace = [tuple(v / 3 for v in state) for state in AND_TRACE]
    assert run(third, trace, trace[-1], (2, 3)) and run(third, end=trace[-1])
    assert run(third, AND_TRACE).status == run(third, end=AND_TRACE[-1]).status == "REFUTED"
    begun = replace(TWO, visits=visits(2, 1), start=(F(-1), F(0)), eta=F(1, 4))
    # margins -1 and -3/2: w = (-3/4, 0), and (-1/4, 1/4); the start isn't multiplied
    assert run(begun, states((F(-3, 4), 0), (F(-1, 4), F(1, 4))))
    kernel = Problem(
        family="perceptron.kernel", X=[[1], [2]], y=(1, -1), visits=visits(2, 1), eta=F(1, 4)
    )  # 0: alpha_0 = 1/4; -1/2: alpha_1 = 1/4
    assert run(kernel, states((F(1, 4), 0), (F(1, 4), F(1, 4))))
    assert run(kernel, states((1, 0), (1, 1))).status == "REFUTED"
    many = [tuple(v / 3 for v in state) for state in THREE_TRACE]
    assert run(replace(THREE, eta=F(1, 3)), many) and not run(THREE, many)


def test_a_score_of_zero_is_a_mistake_unless_either_is_admitted() -> None:
    # with sign(0) = +1 the first row is right, and the second, and so on
    nothing = states((0, 0))[0]
    verdict = run(TWO, end=nothing)
    assert verdict.status == "REFUTED"
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


DECIDED = "rounding may have decided {} against the exact scores"


def test_ties_of_rounded_states_are_decided_either_way_and_counted() -> None:
    # in floats 0.1 * -2 + 0.1 * 3 leaves 0.1 - 2^-55 or so, and what is 0 exactly is not 0
    problem = Problem(
        family="perceptron.binary", X=[[-2], [3], [1], [2]], y=(-1, -1, 1, -1),
        visits=visits(4, 3), eta=F(0.1),
    )  # fmt: skip
    end = (F(-8.326672684688674e-17),)
    verdict = run(problem, end=end, allowed=NANO)
    assert verdict and verdict.hint == DECIDED.format("3 steps")
    assert run(problem, end=end).status == "REFUTED"
    wrong = run(problem, end=(F(1, 20),), allowed=NANO)
    assert wrong.status == "REFUTED" and not wrong.hint
    # floats compute all of it exactly with this step size, so that nothing is open
    assert run(replace(problem, eta=H), end=(F(0),), allowed=NANO).status == "REFUTED"


@pytest.mark.parametrize(
    ("tiny", "status"), [(F(1, 2**600), "INCONCLUSIVE"), (F(1, 2**500), "REFUTED")]
)
def test_a_run_whose_products_underflow_is_not_refuted(tiny: F, status: str) -> None:
    """After one step w = x, whose product with x is above 0; floats have 0 for it if x² underflows,
    and take another step."""
    run = Problem(
        family="perceptron.binary", X=[[tiny]], y=(1,), visits=(Visit(1, 1, 0), Visit(2, 2, 0))
    )
    allowed = F(1, 10**9)
    assert judge(run, Submission(end=(tiny,)), allowed=allowed)
    for given in (Submission(end=(2 * tiny,)), Submission(trace=[(tiny,), (2 * tiny,)])):
        assert judge(run, given, allowed=allowed).status == status
        assert judge(run, given, allowed=F(0)).status == "REFUTED"
    kernel = replace(run, family="perceptron.kernel", X=None, gram=[[tiny]])
    assert judge(kernel, Submission(end=(F(7),)), allowed=allowed).status == status
    # 3/2 times 2^-1023 is below 2^-1022, though 9/4 times it isn't
    longer = replace(run, X=[[F(3, 2)]], eta=F(1, 2**1023))
    assert judge(longer, Submission(end=(F(7),)), allowed=allowed).status == "INCONCLUSIVE"
    in_steps = replace(run, X=[[F(1)]], eta=tiny * tiny)
    found = judge(in_steps, Submission(end=(F(7),)), allowed=allowed)
    assert found.status == status and ("2^-1022" in found.hint) == (status != "REFUTED")


def test_a_trace_tells_how_many_steps_rounding_decided() -> None:
    off = F(1, 10**12)
    problem = Problem(
        family="perceptron.binary", X=[[1, 1], [1, -1]], y=(1, 1), visits=visits(2, 1)
    )
    assert not run(problem, states((1 + off, 1), (1 + off, 1)), allowed=NANO).hint
    updated = run(problem, states((1 + off, 1), (2 + off, 0)), allowed=NANO)
    assert updated and updated.hint == DECIDED.format("1 step")
    wrong = run(problem, states((1 + off, 1), (2 + off, 0)), labels=(0, 0), allowed=NANO)
    assert wrong.status == "REFUTED" and not wrong.hint


def test_runs_that_come_to_one_state_are_searched_as_one() -> None:
    # at each of 150 ties there is no update, or one that the next visit takes back: the states are
    # three, but each may have come about by any number of updates
    problem = Problem(
        family="perceptron.multiclass", X=[[1], [1]] * 150, y=(0, 1) * 150, k=2,
        visits=visits(300, 1),
    )  # fmt: skip
    verdict = run(problem, end=(F(7), F(7)))
    assert verdict.status == "REFUTED" and "nearest of 2 ends" in verdict.violations[0].text
    # but states that count differently in the mean stay apart: W is 0 or (1, -1) after odd steps
    mean = replace(problem, visits=visits(300, 1)[:6], average="equally")
    for n in range(4):
        assert run(mean, end=(F(n, 6), F(-n, 6)))


def test_a_near_tie_of_rounded_states_admits_both_choices() -> None:
    # after step 1 w is right to 1e-12, and the margin of row 1 is 1e-12 instead of 0
    off = F(1, 10**12)
    problem = Problem(
        family="perceptron.binary", X=[[1, 1], [1, -1]], y=(1, 1), visits=visits(2, 1)
    )
    for after in ((1 + off, 1), (2 + off, 0)):
        assert run(problem, states((1 + off, 1), after), allowed=MICRO)
    assert run(problem, states((1 + off, 1), (2, 1)), allowed=MICRO).status == "REFUTED"
    exact = run(problem, states((1, 1), (1, 1)))
    assert exact.status == "REFUTED" and "an update" in exact.violations[0].text


def test_what_floats_compute_exactly_leaves_no_doubt_about_a_choice() -> None:
    # w = (1, 1) and the margin 0 have no rounding in them, whatever is allowed; thirds have
    problem = Problem(
        family="perceptron.binary", X=[[1, 1], [1, -1]], y=(1, 1), visits=visits(2, 1)
    )
    for allowed in (MICRO, F(1, 10)):
        assert run(problem, states((1, 1), (1, 1)), allowed=allowed).status == "REFUTED"
        assert run(problem, end=(1, 1), allowed=allowed).status == "REFUTED"
    third = F(1, 3)
    thirds = replace(problem, X=[[third, third], [third, -third]])
    assert run(thirds, states((third, third), (third, third)), allowed=MICRO)
    assert run(thirds, end=(third, third), allowed=MICRO)
    assert run(thirds, end=(third, third)).status == "REFUTED"


def test_a_trace_that_skips_a_mistake_is_refuted_beside_a_large_row() -> None:
    # w = (10^6, 1): the margin of (1, -10^6 - 1) is -1; terms of 2·10^6 are allowed 2e-3
    big = 10**6
    problem = Problem(
        family="perceptron.binary", X=[[big, 1], [1, -big - 1]], y=(1, 1), visits=visits(2, 1)
    )
    assert run(problem, states((big, 1), (big + 1, -big)), allowed=NANO)
    assert run(problem, states((big, 1), (big, 1)), allowed=NANO).status == "REFUTED"
    assert run(problem, end=(big, 1), allowed=NANO).status == "REFUTED"
    # an entry counts beside its own terms: 0 for a weight of 1 is wrong beside one of 10^6
    assert run(problem, states((big, 0), (big + 1, -big - 1)), allowed=NANO).status == "REFUTED"


def test_what_is_off_counts_relative_to_the_terms_of_the_entry() -> None:
    # w = 3 - 2 = 1 after two mistakes: the terms 3 and 2 are allowed a tenth of 5
    problem = Problem(family="perceptron.binary", X=[[3], [2]], y=(1, -1), visits=visits(2, 1))
    for claim, right in ((F(3, 2), True), (F(8, 5), False), (H, True), (F(2, 5), False)):
        verdict = run(problem, states((3,), (claim,)), allowed=F(1, 10))
        assert bool(verdict) == right and verdict.scale == 5 and verdict.gap == abs(claim - 1)
        assert bool(run(problem, end=(claim,), allowed=F(1, 10))) == right
    assert run(problem, states((0,), (-2,)), allowed=F(1, 10)).relative == 1


# --- Where a run begins, its average, and what it predicts


def test_a_run_begins_at_its_start_whose_entries_are_terms() -> None:
    # w = 4 is right for the row 1; the margin of −3 is −12: w = 1, of the terms 4 and −3
    problem = Problem(
        family="perceptron.binary", X=[[1], [-3]], y=(1, 1), visits=visits(2, 1), start=(F(4),)
    )
    assert run(problem, states((4,), (1,)), (1,), (1,)) and run(problem, end=(1,), mistakes=(1,))
    assert run(problem, states((4,), (F(17, 10),)), allowed=F(1, 10)).scale == 7
    assert run(problem, states((1,), (-2,))).status == "REFUTED"
    assert run(replace(problem, start=None), states((1,), (-2,)))


def test_the_end_of_an_averaged_run_is_the_mean_of_its_states() -> None:
    # w = 3, then 3 − 2 = 1: the means are 2 and 5/3; the sizes 3 and 5 have the mean 4
    problem = Problem(
        family="perceptron.binary", X=[[3], [2]], y=(1, -1), visits=visits(2, 1), average="equally"
    )
    trace = states((3,), (1,))
    for average, mean in (("equally", F(2)), ("by_age", F(5, 3))):
        averaged = replace(problem, average=average)  # type: ignore[arg-type]  # of two names
        assert run(averaged, trace, (mean,)) and run(averaged, end=(mean,), mistakes=(2,))
        for given in (None, trace):
            assert run(averaged, given, (1,)).status == "REFUTED"
    assert run(problem, end=(F(12, 5),), allowed=F(1, 10)).scale == 4
    assert run(problem, end=(F(241, 100),), allowed=F(1, 10)).status == "REFUTED"
    # a trace that is off by what is allowed is averaged as it is
    near = states((F(31, 10),), (1,))
    assert run(problem, near, (F(41, 20),), allowed=F(1, 10)).gap == F(1, 10)


def test_a_mean_is_searched_for_among_all_choices_of_a_tie() -> None:
    one = Problem(
        family="perceptron.multiclass", X=[[2, 0]], y=(0,), k=3, visits=visits(1, 2),
        average="equally",
    )  # fmt: skip
    # the tie at 0 is won, and then against class 2, or lost to it and then there is nothing to do
    for mean in ((1, 0, 0, 0, -1, 0), (2, 0, 0, 0, -2, 0), (2, 0, -2, 0, 0, 0)):
        assert run(one, end=mean)
    assert run(one, end=(2, 0, -1, 0, -1, 0)).status == "REFUTED"


def test_labels_are_those_of_the_last_weights_or_of_their_mean() -> None:
    # w = 1, 1, −2: the mean is 0
    problem = Problem(
        family="perceptron.binary", X=[[1], [1], [3]], y=(1, 1, -1), visits=visits(3, 1)
    )
    trace = states((1,), (1,), (-2,))
    for given in (None, trace):
        assert run(problem, given, labels=(0, 0, 0))
        verdict = run(problem, given, labels=(0, 1, 0))
        assert verdict.status == "REFUTED"
        assert verdict.violations[0].text == "1, but the run predicts -1"
        assert verdict.violations[0].place == "labels: row 1"
        mean = replace(problem, average="equally")
        for labels in ((0, 0, 0), (1, 0, 1)):  # every score is 0
            assert run(mean, given, (0,), labels=labels)


def test_voted_labels_are_those_of_most_states() -> None:
    # of the states 1, 1, −2 two vote for class 1; of 1, −2 one for each
    problem = Problem(
        family="perceptron.binary", X=[[1], [1], [3]], y=(1, 1, -1), visits=visits(3, 1),
        voted=True,
    )  # fmt: skip
    trace = states((1,), (1,), (-2,))
    for given in (None, trace):
        assert run(problem, given, labels=(1, 1, 1))
        assert run(problem, given, labels=(1, 0, 1)).status in ("REFUTED", "INCONCLUSIVE")
    assert run(problem, trace, labels=(1, 0, 1)).status == "REFUTED"
    tied = replace(problem, X=[[1], [3]], y=(1, -1), visits=visits(2, 1))
    for labels in ((0, 0), (0, 1), (1, 0)):
        assert run(tied, states((1,), (-2,)), labels=labels)


def test_a_voter_whose_classes_tie_may_vote_for_any_of_them() -> None:
    # W stays 0 as every tie is won: all classes tie in all states
    problem = Problem(
        family="perceptron.multiclass", X=[[1, 0], [0, 1]], y=(0, 0), k=3, visits=visits(2, 1),
        voted=True,
    )  # fmt: skip
    nothing = states((0,) * 6, (0,) * 6)
    for r in range(3):
        assert run(problem, nothing, labels=(r, 0))
    # the first state is 0; W of the second is for 0, against 1: two ties with 1 sure vote of 2
    update = states((0,) * 6, (0, 1, 0, -1, 0, 0))
    row_1 = [run(problem, update, labels=(0, r)).status for r in range(3)]
    assert row_1 == ["VERIFIED"] * 3  # the vote of the tie, and the one for 0, are one each
    longer = replace(problem, X=[[1, 0], [0, 1], [0, 1]], y=(0,) * 3, visits=visits(3, 1))
    states_of_three = [*update, update[-1]]
    row_1 = [run(longer, states_of_three, labels=(0, r, 0)).status for r in range(3)]
    assert row_1 == ["VERIFIED", "REFUTED", "REFUTED"]


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


def test_a_kernel_run_with_the_bias_left_out_is_refuted() -> None:
    # without a bias the margins of row 0 are 0: epoch 1 ends with alpha = (1, 1, 1, 1), margins
    # 0, 0, 0, then -(1 + 1) of row 3 against rows 1 and 2
    verdict = run(kernel_problem(visits=visits(4, 1)), end=(1, 1, 1, 1))
    assert verdict.status == "REFUTED"


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
    wrongs = (1, 0, -1, 0, -1, 0), (1, 0, -2, 0, 1, 0), (2, 0, -1, 0, -1, 0), (1, 1, -1, 0, 0, 0)
    for wrong in wrongs:
        assert run(problem, states(wrong)).status == "REFUTED"
    assert run(problem, end=(1, 0, -1, 0, 0, 0)).status == "INCONCLUSIVE"


def test_near_ties_of_rounded_weights_admit_every_subset() -> None:
    off = F(1, 10**12)
    problem = Problem(
        family="perceptron.multiclass", X=[[1], [1], [1]], y=(1, 0, 0), k=4, visits=visits(3, 1),
        tau="all_rivals",
    )  # fmt: skip
    # Step 1: class 0 is predicted, 1 gains 1, the others lose 1/3. Step 2: only 1 is above 0, or 1
    # and the level 2 and 3: W = (2/3, 0, -1/3, -1/3), or with E = {1, 2}: (2/3, 1/2, -5/6, -1/3).
    third = F(1, 3)
    first = (-third, 1 - off, -third, -third + off)
    for after in (
        (2 * third, 0, -third, -third),
        (2 * third, H, -H - third, -third),
        (2 * third, 2 * third, -2 * third, -2 * third),
    ):
        verdict = run(problem, states(first, after, after), allowed=MICRO)
        assert not any(v.place.startswith("step 2") for v in verdict.violations)
    wrong = (2 * third, H, -third, -third)
    verdict = run(problem, states(first, wrong, wrong), allowed=MICRO)
    assert verdict.violations[0].place.startswith("step 2")
    # the same at once, by changes that are smaller than the entries
    once = replace(
        problem, X=[[1]], y=(0,), visits=visits(1, 1),
        start=(4 * third, 7 * third, 4 * third, 4 * third),
    )  # fmt: skip
    after = (7 * third, 11 * third / 2, 5 * third / 2, 4 * third)
    assert run(once, states(after), allowed=MICRO) and run(once, states(after)).status == "REFUTED"


def test_an_end_of_other_choices_is_searched_for_as_far_as_the_limit() -> None:
    # each row meets W x = 0, so that all k classes tie: k^rows runs, each with an end of its own
    k = 9
    for rows, status in ((2, "REFUTED"), (6, "INCONCLUSIVE")):
        X = [[int(i == j) for j in range(rows)] for i in range(rows)]
        problem = Problem(
            family="perceptron.multiclass", X=X, y=(0,) * rows, k=k, visits=visits(rows, 1)
        )
        assert run(problem, end=(0,) * (k * rows)) and run(
            problem, mistakes=()
        )  # of the first choices
        verdict = run(problem, end=(5,) * (k * rows))
        assert verdict.status == status
        assert status == "REFUTED" or "submit the trace" in verdict.hint
        assert run(problem, states(*[(0,) * (k * rows)] * rows))
    last = [int(r == 0) - int(r == 8) for r in range(9) for _ in range(2)]
    two = Problem(
        family="perceptron.multiclass", X=[[1, 0], [0, 1]], y=(0, 0), k=9, visits=visits(2, 1)
    )
    assert run(two, end=last) and run(two, end=last, mistakes=(2,))
    assert run(two, end=last, mistakes=(1,)).status == "REFUTED"


def test_a_right_end_of_many_epochs_is_accepted_under_every_rule() -> None:
    # rows of all labels at one point never separate; all classes tie at W = 0 for all five rules
    X = [[F(i % 3, 7), F(i % 2, 3), F(1)] for i in range(12)]
    problem = Problem(
        family="perceptron.multiclass", X=X, y=tuple(i % 4 for i in range(12)), k=4,
        visits=visits(12, 5),
    )  # fmt: skip
    for tau in ("chosen_rival", "all_rivals", "any"):
        W = [[F(0)] * 3 for _ in range(4)]
        counts = []
        for _ in range(5):
            counts.append(0)
            for i, x in enumerate(X):
                s = [sum((a * b for a, b in zip(w, x, strict=True)), F(0)) for w in W]
                y, y_hat = i % 4, s.index(max(s))
                if y_hat == y:
                    continue
                counts[-1] += 1
                E = [r for r in range(4) if r != y and s[r] >= s[y]]
                for r in E if tau == "all_rivals" else [y_hat]:
                    share = F(1, len(E)) if tau == "all_rivals" else F(1)
                    W[r] = [a - share * b for a, b in zip(W[r], x, strict=True)]
                W[y] = [a + b for a, b in zip(W[y], x, strict=True)]
        end = [v for w in W for v in w]
        same = replace(problem, tau=tau)
        assert run(same, end=end) and run(same, mistakes=tuple(counts))
        assert run(same, end=end, mistakes=tuple(counts))


def test_one_choice_at_a_tie_explains_the_end_and_the_mistakes() -> None:
    one = Problem(family="perceptron.multiclass", X=[[1, 0]], y=(0,), k=3, visits=visits(1, 1))
    update = (1, 0, -1, 0, 0, 0)
    nothing = (0,) * 6
    right: list[tuple[tuple[int, ...], tuple[int, ...]]] = [(update, (1,)), (nothing, (0,))]
    for end, mistakes in [*right, (nothing, ())]:
        assert run(one, end=end, mistakes=mistakes)
        assert run(one, states(end), mistakes=mistakes) and run(one, states(end), end, mistakes)
    for end, mistakes in [(update, (0,)), (update, ()), (nothing, (1,))]:
        assert run(one, end=end, mistakes=mistakes).status == "REFUTED"
        assert run(one, states(end), mistakes=mistakes).status == "REFUTED"
    assert run(one, states(update), nothing).status == "REFUTED"


def test_epochs_that_the_run_has_not_are_refuted() -> None:
    three = replace(THREE, visits=visits(3, 1))
    for mistakes, off in (((2,), 1), ((5,), 2)):
        wrong = run(three, THREE_TRACE, mistakes=mistakes).violations[0]
        assert wrong.place == "epoch 1" and wrong.amount == off
    for trace in (None, THREE_TRACE):
        verdict = run(three, trace, mistakes=(3, 0, 0, 0))
        assert verdict.status == "REFUTED"
        assert verdict.violations[0].text == "4 epochs, but the run has 1"
        assert verdict.violations[0].amount == 3
    # the second epoch may be the last one of six steps of TWO; then the third has none
    w = states((1, 0))[0]
    assert run(TWO, [w] * 4, mistakes=(1, 0, 0))
    assert run(TWO, [w] * 4, mistakes=(1, 0, 1)).status == "REFUTED"


def test_a_run_that_ends_with_an_epoch_has_no_mistake_in_it() -> None:
    # a row of zeros is a mistake or not, as the tie is settled, and changes nothing
    zeros = Problem(family="perceptron.multiclass", X=[[0]], y=(0,), k=2, visits=visits(1, 2))
    nothing = states((0, 0))
    assert run(zeros, nothing * 2, mistakes=(1, 1)) and run(zeros, nothing * 2, mistakes=(0, 1))
    assert run(zeros, nothing) and run(zeros, nothing, mistakes=(0,))
    assert run(zeros, nothing, mistakes=(1,)).status == "REFUTED"
    assert run(zeros, mistakes=(1, 1)) and run(zeros, mistakes=(1, 0))


def test_the_mistakes_of_thousands_of_epochs_are_judged_in_linear_time() -> None:
    # rows of one point and both labels err for ever: 1, −1, 1, …; work is counted in states
    two = Problem(family="perceptron.binary", X=[[1], [1]], y=(1, -1), visits=visits(2, 2_000))
    rule = Counted(rule_of(two))
    given = Submission(end=(F(0),), mistakes=(2,) * 2_000)
    assert [p.status for p in judge_run(rule, given, NANO)] == ["VERIFIED"]
    assert rule.count == 4_000
    rule.count = 0  # of a single choice at each step; nothing else is right
    given = Submission(end=(F(0),), mistakes=(2, 1) * 1_000)
    assert [p.status for p in judge_run(rule, given, NANO)] == ["REFUTED"]
    assert rule.count <= 8_000


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
    # a row of zeros may be a tie won, or an update that changes nothing
    one = Problem(family="perceptron.multiclass", X=[[0]], y=(0,), k=2, visits=visits(1, 1))
    verdict = run(one, states((0, 0)), mistakes=(2,))
    assert verdict.violations[0].text == "2 mistakes, but the trace makes 0 to 1"
    text = run(AND, mistakes=(2, 4)).violations[0].text
    assert text == "no run makes [2, 4]; the reference run makes [2, 3]"
    text = run(one, mistakes=(2,)).violations[0].text
    assert text == "no run makes [2]; the reference run makes [0]"


def test_a_vote_that_shared_votes_may_outdo_is_left_open() -> None:
    # after each visit W is (1, 1, ½), the same, (2, 0, ½), (1, 0, 3/2): for class 2 there is one
    # vote, for class 0 another and two that it shares with class 1
    problem = Problem(
        family="perceptron.multiclass", X=[[1]] * 4, y=(0, 0, 0, 2), k=3, visits=visits(4, 1),
        start=(F(1), F(1), F(1, 2)), voted=True,
    )  # fmt: skip
    trace = states((1, 1, F(1, 2)), (1, 1, F(1, 2)), (2, 0, F(1, 2)), (1, 0, F(3, 2)))
    assert run(problem, trace, labels=(2,) * 4).status == "INCONCLUSIVE"
    assert run(problem, trace, labels=(0,) * 4)


def test_a_state_that_is_off_may_be_on_either_side_of_a_kink_though_it_has_few_digits() -> None:
    # w is 1 and 0 in turn, and 0 is a mistake; who has e instead may have rounded 0 upwards
    e = F(1, 2**20)
    problem = Problem(family="perceptron.binary", X=[[1], [1]], y=(1, -1), visits=visits(2, 2))
    assert run(problem, states((1,), (e,), (1 + e,), (e,)), allowed=e)


def test_just_as_many_entries_are_searched_as_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    # three choices of six entries each, of which one belongs to a run without ties
    one = replace(THREE, X=THREE.X[:1] if THREE.X else None, y=(0,), visits=visits(1, 1))
    for most, status in ((12, "REFUTED"), (11, "INCONCLUSIVE")):
        monkeypatch.setattr(replay, "MAX_SEARCHED", most)
        assert run(one, end=(5,) * 6).status == status
    monkeypatch.setattr(replay, "MAX_SEARCHED", 0)
    assert run(TWO, end=(5, 5)).status == "REFUTED"


@pytest.mark.parametrize("x", [F(8), F(1, 8)])
def test_a_search_ends_where_a_state_has_too_many_digits(
    x: F, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = Problem(family="perceptron.binary", X=[[x]], y=(1,), visits=visits(1, 1))
    for most, status in ((4, "REFUTED"), (3, "INCONCLUSIVE")):
        monkeypatch.setattr(replay, "MAX_BITS", most)
        assert run(long, end=(5,)).status == status
    # in the first epoch w becomes 1, which is a mistake; −15 has too many digits to be reached
    two = replace(long, X=[[1], [-16]], y=(1, 1), visits=(Visit(1, 1, 0), Visit(2, 2, 1)))
    assert run(two, mistakes=(0, 1)).violations[0].text == "no run makes [0, 1]"


def test_a_run_ends_after_an_epoch_without_mistakes_and_no_other() -> None:
    assert run(AND, end=AND_TRACE[3]).status == "REFUTED"
    # class 1 may win the tie at 0, and a later visit lose it: a mistake that is claimed must come
    one = Problem(family="perceptron.multiclass", X=[[1]], y=(1,), k=2, visits=visits(1, 3))
    for end, mistakes in ((0, 0), (0,)), ((-1, 1), (0, 1)), ((-1, 1), (0, 1, 0)):
        assert run(one, end=end, mistakes=mistakes)
    assert run(one, end=(0, 0), mistakes=(0, 1, 0)).status == "REFUTED"


def test_claimed_mistakes_are_those_of_their_own_epochs() -> None:
    # row 0 is a mistake of the first epoch alone; row 1 ties until it is mistaken
    problem = Problem(
        family="perceptron.multiclass", X=[[1, 0], [0, 1]], y=(1, 1), k=2, visits=visits(2, 3),
        start=(F(1), F(0), F(0), F(0)),
    )  # fmt: skip
    for mistakes in (2, 0, 0), (1, 1, 0), (1, 0, 1):
        assert run(problem, end=(0, -1, 1, 1), mistakes=mistakes)
    for mistakes in (0, 1, 1), (0, 2, 0), (0, 0, 2), (1, 1, 1):
        assert run(problem, end=(0, -1, 1, 1), mistakes=mistakes).status == "REFUTED"


def test_one_run_must_explain_the_end_and_the_labels_however_near_another_end_is() -> None:
    # from (8, 8, 8) the tie is won, or lost to class 0 or 2; only where it is won may 0 be next
    problem = Problem(
        family="perceptron.multiclass", X=[[1]], y=(1,), k=3, visits=visits(1, 1),
        start=(F(8),) * 3,
    )  # fmt: skip
    verdict = run(problem, end=(8, 9, 7), labels=(0,), allowed=F(1, 8))
    assert verdict and verdict.gap == 1 and verdict.scale == 8
    assert run(problem, end=(8, 9, 7), labels=(0,), allowed=F(1, 9)).status == "REFUTED"


def test_a_state_of_few_digits_may_have_been_rounded_on_the_way() -> None:
    # w = (1, 1/3), then (0, 1); the last margin of 2^−40 is less than rounding may have made of 0
    tiny = F(1, 2**40)
    problem = Problem(
        family="perceptron.binary", X=[[1, F(1, 3)], [-1, F(2, 3)], [5, tiny]], y=(1,) * 3,
        visits=visits(3, 1),
    )  # fmt: skip
    for end in (0, 1), (5, 1 + tiny):
        assert run(problem, end=end, allowed=NANO)
    short = replace(problem, X=[[1, F(1, 4)], [-1, F(3, 4)], [5, tiny]])
    assert run(short, end=(0, 1), allowed=NANO)
    assert run(short, end=(5, 1), allowed=NANO).status == "REFUTED"
    # the mean (½, ½) is as short; 2^-23 as the score of row 2 is less than rounding may have made
    for third, labels in (F(1, 3), (0, 1)), (F(1, 4), (1,)):
        mean = replace(
            problem, X=[[1, third], [-1, 1 - 2 * third], [1, F(1, 2**22) - 1]], average="equally",
            visits=visits(2, 1),
        )  # fmt: skip
        for label in 0, 1:
            verdict = run(mean, end=(H, H), labels=(1, 0, label), allowed=MICRO)
            assert bool(verdict) == (label in labels)


def test_a_mean_is_rounded_where_any_of_its_entries_is() -> None:
    # w = (1, 1, 1), then (−1, 1, 1) twice, and the mean (−1/3, 1, 1); row 3 scores 2^-22
    problem = Problem(
        family="perceptron.binary",
        X=[[1, 1, 1], [-2, 0, 0], [-1, 0, 0], [0, 1, F(1, 2**22) - 1]],
        y=(1,) * 4, visits=visits(3, 1), average="equally",
    )  # fmt: skip
    for label in 0, 1:
        assert run(problem, end=(-F(1, 3), 1, 1), labels=(1, 1, 1, label), allowed=MICRO)


def test_votes_that_are_certain_count_for_the_class_that_has_most() -> None:
    # one vote for class 1, two for class 2, and one that all may have
    problem = Problem(
        family="perceptron.multiclass", X=[[1]] * 4, y=(1, 2, 2, 0), k=3, visits=visits(4, 1),
        voted=True,
    )  # fmt: skip
    trace = states((-1, 1, 0), (-1, 0, 1), (-1, 0, 1), (0, 0, 0))
    found = [run(problem, trace, labels=(r,) * 4).status for r in range(3)]
    assert found == ["REFUTED", "VERIFIED", "VERIFIED"]
    wrong = run(problem, trace, labels=(0,) * 4).violations
    assert [v.text for v in wrong] == ["0, but the run predicts 2"] * 4


def test_a_mean_of_merged_runs_has_the_larger_sizes() -> None:
    one = Point((F(0),), (F(1),), True, Sums((F(2),), (F(3),), 2))
    two = Point((F(0),), (F(2),), False, Sums((F(2),), (F(5),), 2))
    merged = Point((F(0),), (F(2),), False, Sums((F(2),), (F(5),), 2))
    assert one.merged(two) == two.merged(one) == merged
    exact = one.merged(one)
    assert exact.is_exact and exact == one


def test_rivals_of_a_state_that_is_not_0_share_an_update_in_any_way() -> None:
    start = (F(1), F(1), F(0))
    problem = replace(THREE, X=[[1]], y=(2,), visits=visits(1, 1), tau="any", start=start)
    for share in (F(0), F(1, 4), F(1)):
        assert run(problem, states((1 - share, share, 1)))
    assert run(problem, states((1, H, 1))).status == "REFUTED"


def test_a_point_of_two_is_settled_if_both_are() -> None:
    settled, other = (Point((F(1),), (F(1),), is_settled=told) for told in (True, False))
    assert settled.merged(settled).is_settled
    assert not settled.merged(other).is_settled and not other.merged(settled).is_settled


def test_any_run_may_end_after_an_epoch_without_mistakes() -> None:
    # without an update at 0 the states are 0, 1; 1, 1; and then 1, 1 once more, or no longer
    problem = Problem(
        family="perceptron.binary", X=[[1], [1]], y=(1, 1), visits=visits(2, 3),
        at_zero="either", average="equally",
    )  # fmt: skip
    for end in (F(3, 4), F(5, 6), F(1)):
        assert run(problem, end=(end,))
    assert run(problem, end=(F(4, 5),)).status == "REFUTED"


def test_steps_without_an_update_leave_what_floats_take_away_again() -> None:
    # 0.1, 0.1, 0.1 - 0.1 and 0.1: at 0, which floats have exactly, there is an update
    problem = Problem(
        family="perceptron.binary", X=[[1]] * 4, y=(1, 1, -1, 1), visits=visits(4, 1),
        average="equally", eta=F(0.1),
    )  # fmt: skip
    for total, status in ((3, "VERIFIED"), (2, "REFUTED")):
        assert run(problem, end=(F(0.1) * total / 4,), allowed=NANO).status == status


def test_an_end_is_as_bad_as_its_worst_part() -> None:
    parts = [Part("VERIFIED", F(gap), scale=F(2)) for gap in (1, 3, 0)]
    assert replay._badness(parts) == (False, (False, F(3, 2)))
    assert replay._badness([]) == (False, (False, F(0)))
