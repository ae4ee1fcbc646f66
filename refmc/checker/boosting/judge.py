"""Is this a run of AdaBoost or AdaBoost.MH? Decided by replaying it round by round.

Covers [lu, "AdaBoost.MH : Multi-Class Hamming Loss"] and [lu, "The AdaBoost.MH Algorithm"].

Each round is judged from the submitted state before it, so that a choice among tied base
classifiers, a rounding, or a fault of an earlier round never makes a later one wrong. D_t is

    the submitted D, where the update was only enclosed, or where it refuted that D, so that the
    fault counts once;
    else the exact update D/(2(1 − ε)) of right items and D/(2ε) of wrong ones, where D is short and
    no α was submitted, or one that is right up to rounding;
    else the update by the submitted α, enclosed between rationals

and of a round is judged

    base       one of the stumps with the least error, or any base classifier where the problem
               names no stumps; in both cases one with an edge
    ε, α, Z, D, the bound, the loss, labels and scores, where they are claimed
    the end    fewer rounds than asked for only after ε = 0, or where no stump has an edge

A program in floats may find an edge at the limit itself, where the weights before are rounded, and
then has an α of about 0. In round t of m items that is right if ε − limit ≤ 3^t (m + 12) 2^-53 and
0 < α ≤ 8 times that, and the verdict counts such rounds.

What is allowed is relative: of ε, D, the loss, Z and the bound to themselves, which are sums and
products of positive numbers; of α to its logarithms, (|ln(1 − ε)| + |ln ε|)/2; of scores to Σ α.
Errors and votes that differ by less than that are confused only where a rounded number was
submitted that they depend on.

Rules: "half_log" is α = ½ ln((1 − ε)/ε), which acts on D as exp(−αch). "samme" is α = ln((1 − ε)/ε)
+ ln(k − 1) for base classifiers that name one of k classes; it acts as exp(α) where that is wrong,
and the edge is ε < 1 − 1/k. "m1" is that without ln(k − 1), and its edge is ε < ½. With two classes
all make the same D.

A round of ε = 0 has an infinite α, is the last one, and then votes alone.
"""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from refmc.checker.boosting.run import BoostingProblem, Round, Rule, Run, Submission, lost_votes
from refmc.checker.boosting.votes import Votes, label_claims, score_claims, votes_of
from refmc.checker.parts import Part, combined, counted
from refmc.checker.verdict import Verdict

ENCLOSED = "numbers are only enclosed after an inexact alpha or many rounds: allow a gap"

__all__ = ["BoostingProblem", "Round", "Rule", "Submission", "judge"]


def judge(problem: BoostingProblem, given: Submission, *, allowed: Fraction) -> Verdict:
    """Judge a run; see the module for what is right.

    >>> four = BoostingProblem(family="boost.ada", truth=[(1,), (1,), (0,), (1,)], k=2, rounds=1,
    ...                X=[[0], [1], [2], [3]], kind="classes")
    >>> from refmc.checker.boosting.amounts import natural_log
    >>> alpha = natural_log(Fraction(3)).times(Fraction(1, 2))
    >>> bool(judge(four, Submission([Round([(1,)] * 4, alpha)]), allowed=Fraction(0)))
    True
    >>> wrong = Round([(0,), (0,), (1,), (1,)])
    >>> print(judge(four, Submission([wrong]), allowed=Fraction(0)).explain())
    REFUTED  boost.ada  4 rows, 2 classes, 1 round
      gap      1/2 (5.0e-1), relative 5.0e-1; allowed 0
      worst    round 1: errs on 3/4, but a stump errs on 1/4: a constant
    """
    run = Run(problem, allowed)
    parts = [part for t, r in enumerate(given.rounds, 1) for part in run.step(t, r)]
    parts += run.end(len(given.rounds), given.stopped)
    if given.labels is not None or given.scores is not None:
        parts += _judge_votes(problem, run, given, allowed)
    names = ("class", "classes") if problem.family == "boost.ada" else ("label", "labels")
    summary = f"{counted(len(problem.truth), 'row')}, {counted(problem.k, *names)}, "
    summary += counted(len(given.rounds), "round")
    verdict = combined(problem.family, summary, parts, allowed)
    if verdict.status == "VERIFIED":
        rounds = counted(run.rounded_edges, "round")
        hint = f"{rounds} may have an edge by rounding alone"
        return replace(verdict, hint=hint) if run.rounded_edges else verdict
    if verdict.status == "INCONCLUSIVE":
        return replace(verdict, hint=verdict.hint or ENCLOSED)
    return replace(verdict, hint=_first_fault(parts, verdict))


def _first_fault(parts: Sequence[Part], verdict: Verdict) -> str:
    """The earliest violation, where one of another round is worse: that may follow from it."""
    first, worst = next(v for part in parts for v in part.violations), verdict.violations[0]
    if first.place.partition(",")[0] == worst.place.partition(",")[0]:
        return ""
    return f"the first fault is {first.place}: {first.text}"


def _judge_votes(
    problem: BoostingProblem, run: Run, given: Submission, allowed: Fraction
) -> list[Part]:
    """The verdicts on scores and labels; beside scores, labels must be those of the scores, too."""
    votes, parts = run.votes, list[Part]()
    if votes is None:
        return [lost_votes()]
    names: Sequence[str] = problem.classes
    if given.scores is not None:
        several = len(votes.histories[0]) > 1
        parts += score_claims(votes, given.scores, names if several else [""], allowed)
    if given.labels is None:
        return parts
    texts = {-1: "out", 1: "in"}
    if problem.family == "boost.ada" or problem.single:
        names, texts = [""], dict(enumerate(problem.classes))
    admitted = _admitted(problem, votes, run.apart)
    parts += label_claims(given.labels, admitted, names, texts, "votes")
    if given.scores is not None:
        admitted = _admitted(problem, votes_of(given.scores), Fraction(0))
        parts += label_claims(given.labels, admitted, names, texts, "submitted scores")
    return parts


def _admitted(
    problem: BoostingProblem, votes: Votes, apart: Fraction
) -> list[Sequence[tuple[int, ...]]]:
    """For each row the labels, or for each label the signs, that the votes are for."""
    if problem.family == "boost.ada" and not problem.by_class:
        sides = {-1: (0,), 0: (0, 1), 1: (1,)}
        return [[sides[s]] for (s,) in votes.signs(apart)]
    if problem.single:
        return [[best] for best in votes.best(apart)]
    signs = {-1: (-1,), 0: (-1, 1), 1: (1,)}
    return [[signs[s] for s in row] for row in votes.signs(apart)]
