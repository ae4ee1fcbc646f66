"""How far the optimal scores, biases and norm can be from those of the best known weights.

The optimal w* is within sqrt(2g) of the centre w°, where g is the width of the proved interval of P*
(see `svm_binary`).  So a score is off by e_i = sqrt(2g K_ii) at most.  The ends of the interval of
optimal biases are order statistics of the numbers y_i - w*.x_i, which rise with each of them: they
lie between those for scores that are all e_i larger and all e_i smaller.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from refmc.checker.parts import Part, status_of, value_claim
from refmc.checker.printing import short_text
from refmc.checker.svm.binary_points import Data, Evidence, Interval, Submission, biases
from refmc.checker.verdict import Violation


@dataclass(frozen=True)
class BiasBounds:
    """Every optimal bias is in `outer`; every number of `inner`, which may be empty, is optimal."""

    outer: Interval
    inner: Interval


def root_above(q: Fraction) -> Fraction:
    """A number just above the square root of q; 0 for 0.

    >>> root = root_above(Fraction(1, 4))
    >>> Fraction(1, 2) < root < Fraction(1, 2) + Fraction(1, 2**60)
    True
    """
    if q == 0:
        return q
    shift = max(0, 64 + (q.denominator.bit_length() - q.numerator.bit_length()) // 2)
    return Fraction(isqrt((q.numerator << 2 * shift) // q.denominator) + 1, 1 << shift)


def score_errors(data: Data, evidence: Evidence) -> list[Fraction]:
    """e_i of each row, rounded upwards.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> exact = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> score_errors(data, exact)
    [Fraction(0, 1), Fraction(0, 1)]
    """
    return [root_above(2 * evidence.width * norm) for norm in data.squared_norms]


def bias_bounds(data: Data, evidence: Evidence) -> BiasBounds:
    """Where the ends of the interval of optimal biases lie.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> exact = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> bias_bounds(data, exact).inner == Interval(Fraction(0), Fraction(0))
    True
    """
    errors, scores = score_errors(data, evidence), evidence.centre.scores
    raised = biases(data.problem, [g - e for g, e in zip(scores, errors, strict=True)])
    lowered = biases(data.problem, [g + e for g, e in zip(scores, errors, strict=True)])
    return BiasBounds(Interval(lowered.low, raised.high), Interval(raised.low, lowered.high))


def bound_claims(
    data: Data, given: Submission, evidence: Evidence, allowed: Fraction
) -> list[Part]:
    """The parts of what is said of the optimal biases and of the margin.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> exact = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> [part.status for part in bound_claims(data, Submission(margin_squared=Fraction(2)), exact, Fraction(0))]
    ['REFUTED']
    """
    parts: list[Part] = []
    if given.b_interval is not None:
        parts += judge_bias_interval(data, given.b_interval, evidence, allowed)
    if given.margin_squared is not None:
        parts.append(judge_margin_squared(given.margin_squared, evidence, allowed))
    return parts


def judge_bias_interval(
    data: Data, claim: Interval, evidence: Evidence, allowed: Fraction
) -> list[Part]:
    """Each end within `allowed` of wherever the right one can be.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> exact = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> claim, none = Interval(Fraction(0), Fraction(1, 2)), Fraction(0)
    >>> [part.status for part in judge_bias_interval(data, claim, exact, none)]
    ['VERIFIED', 'REFUTED']
    """
    found = bias_bounds(data, evidence)
    return [
        _judge_end("lower end of b_interval", claim.low, found.outer.low, found.inner.low, allowed),
        _judge_end(
            "upper end of b_interval", claim.high, found.inner.high, found.outer.high, allowed
        ),
    ]


def _judge_end(
    name: str,
    claim: Fraction | None,
    least: Fraction | None,
    most: Fraction | None,
    allowed: Fraction,
) -> Part:
    if claim is None or least is None or most is None:
        return _judge_infinite(name, claim, least)
    return value_claim(name, claim, least, most, allowed, "it")


def _judge_infinite(name: str, claim: Fraction | None, right: Fraction | None) -> Part:
    """Exactly one of the two may be infinite, or both."""
    if claim is None and right is None:
        return Part("VERIFIED", Fraction(0))
    here, there = ("infinity" if q is None else short_text(q) for q in (claim, right))
    return Part("REFUTED", None, (Violation(name, f"{here}, needs {there}", Fraction(1)),))


def judge_margin_squared(claim: Fraction | str, evidence: Evidence, allowed: Fraction) -> Part:
    """1/|w*|^2, "inf" where w* is 0.

    >>> from refmc.checker.kernels import prepare
    >>> from refmc.checker.svm.binary_points import Problem, evidence_of, mended
    >>> data = prepare(Problem(X=[[1], [-1]], y=(1, -1), C=Fraction(1)))
    >>> exact = evidence_of(data, None, mended(data, [Fraction(1, 2)] * 2))
    >>> judge_margin_squared(Fraction(1), exact, Fraction(0)).status
    'VERIFIED'
    """
    norm, spread = evidence.centre.norm, 2 * evidence.width
    change = 2 * root_above(norm * spread)
    least, most = norm - change, norm + change + spread
    if isinstance(claim, str):
        if least > 0:
            return _judge_infinite("margin_squared", None, 1 / norm)
        return Part(status_of(most == 0, False))
    if most == 0:
        return _judge_infinite("margin_squared", claim, None)
    upper = 1 / least if least > 0 else None
    return value_claim("margin_squared", claim, 1 / most, upper, allowed, "it")
