"""Is this an optimum of a convex quadratic program?  Decided by the conditions of Kuhn and Tucker.

    program     minimise f(x) = 1/2 x'Qx + c'x  subject to  Ax = b, Gx <= h; Q symmetric and positive
                semi-definite.  [lu, "Lagrangian Dual Problem for Multi-Class SVM"] is one.
    optimum     x meets the constraints, and there are nu and mu >= 0 with Qx + c + A'nu + G'mu = 0 and
                mu_i (h - Gx)_i = 0 for each i.  For every y that meets the constraints then
                f(y) >= f(x) + (Qx + c)'(y - x) = f(x) + mu'(h - Gy) >= f(x).
    infeasible  mu >= 0, A'nu + G'mu = 0 and b'nu + h'mu < 0: a point that met the constraints would
                give 0 = (A'nu + G'mu)'x <= b'nu + h'mu
    unbounded   x meets the constraints, and Qr = 0, Ar = 0, Gr <= 0, c'r < 0: f falls along x + tr

What holds for the program is proved by a witness of these three kinds, checked exactly here; one that
doesn't hold proves nothing, and the verdict is INCONCLUSIVE.  `allowed` is by how much a condition may
be missed, and f(x) may be above the optimum.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from refmc.checker.numbers.arithmetic import rational_dot, to_matrix
from refmc.checker.parts import Part, combined, counted, gram_fault, status_of, value_claim
from refmc.checker.printing import short_text
from refmc.checker.verdict import Verdict, Violation

__all__ = ["Infeasible", "Optimum", "Problem", "Unbounded", "judge"]

Vector = Sequence[Fraction]


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Q: n rows of n; c: n numbers; A, G: rows of n, with as many numbers in b and h.

    >>> Problem(Q=[[Fraction(1)]], c=[Fraction(0)]).A
    ()
    """

    Q: Sequence[Vector]
    c: Vector
    A: Sequence[Vector] = ()
    b: Vector = ()
    G: Sequence[Vector] = ()
    h: Vector = ()


@dataclass(frozen=True)
class Optimum:
    """A point; with `nu` and `mu`, the multipliers that prove it (None: not given)."""

    x: Vector
    nu: Vector | None = None
    mu: Vector | None = None


@dataclass(frozen=True)
class Infeasible:
    """No point meets the constraints; `nu`, `mu`: the proof, if it is given."""

    nu: Vector | None = None
    mu: Vector | None = None


@dataclass(frozen=True)
class Unbounded:
    """f falls for ever from the point x along r."""

    x: Vector
    r: Vector


Outcome = Optimum | Infeasible | Unbounded

KINDS = {
    Optimum: "there is an optimum",
    Infeasible: "no point meets the constraints",
    Unbounded: "the objective falls for ever",
}


def judge(
    problem: Problem,
    outcome: Outcome | None,
    *,
    objective: Fraction | None = None,
    witness: Outcome,
    allowed: Fraction,
) -> Verdict:
    """Judge what was found, and a claimed objective; `witness` proves what is right.

    >>> one = Fraction(1)
    >>> problem = Problem(Q=[[one]], c=[-2 * one], G=[[one]], h=[one])
    >>> right = Optimum([one], [], [one])
    >>> print(judge(problem, Optimum([one]), witness=right, allowed=Fraction(0)).explain())
    VERIFIED  qp.convex  1 unknown, 0 equalities, 1 inequality
      gap      0 (exactly right); allowed 0
    >>> print(judge(problem, Optimum([2 * one]), witness=right, allowed=Fraction(0)).explain())
    REFUTED  qp.convex  1 unknown, 0 equalities, 1 inequality
      gap      1; allowed 0
      worst    row 0 of Gx <= h: 2, needs at most 1
    """
    if allowed < 0:
        raise ValueError(f"allowed must not be negative, got {short_text(allowed)}")
    summary = ", ".join(
        [
            counted(len(problem.c), "unknown"),
            counted(len(problem.b), "equality", "equalities"),
            counted(len(problem.h), "inequality", "inequalities"),
        ]
    )
    parts = list(_parts(problem, outcome, objective, witness, allowed))
    return combined("qp.convex", summary, parts, allowed)


def _parts(
    problem: Problem,
    outcome: Outcome | None,
    objective: Fraction | None,
    witness: Outcome,
    allowed: Fraction,
) -> Iterator[Part]:
    flaw = _flaw(problem, witness)
    if flaw is not None:
        yield Part(
            "INCONCLUSIVE", None, (), f"no proof of what is right: {flaw.place}: {flaw.text}"
        )
        return
    if outcome is not None and type(outcome) is not type(witness):
        wrong = Violation("program", KINDS[type(witness)], Fraction(0))
        yield Part("REFUTED", None, (wrong,))
        return
    if outcome is not None:
        missed = [v for v in _missed(problem, outcome) if v.amount > 0]
        wrongs = tuple(v for v in missed if v.amount > allowed)
        slope = tuple(_not_falling(problem, outcome))
        gap = max([v.amount for v in missed], default=Fraction(0))
        yield Part(status_of(True, bool(wrongs or slope)), gap, (*wrongs, *slope))
    if isinstance(witness, Optimum):
        least = value(problem, witness.x)
        if isinstance(outcome, Optimum):
            yield _height(value(problem, outcome.x) - least, least, allowed)
        if objective is not None:
            yield value_claim("objective", objective, least, least, allowed)
    elif objective is not None:
        yield Part("REFUTED", None, (Violation("objective", KINDS[type(witness)], Fraction(0)),))


def _flaw(problem: Problem, witness: Outcome) -> Violation | None:
    """What keeps the witness from being a proof."""
    faults = [v for v in _missed(problem, witness) if v.amount > 0]
    if isinstance(witness, Optimum):
        fault = gram_fault(to_matrix(problem.Q))
        faults += [replace(fault, place="Q")] if fault else []
    if not isinstance(witness, Unbounded) and (witness.nu is None or witness.mu is None):
        faults.append(Violation("witness", "multipliers are missing", Fraction(0)))
    return next(iter([*faults, *_not_falling(problem, witness)]), None)


def _height(above: Fraction, least: Fraction, allowed: Fraction) -> Part:
    """Below the optimum there are only points that miss a constraint, which is judged beside."""
    if above <= allowed:
        return Part("VERIFIED", max(above, Fraction(0)))
    text = f"{short_text(above)} above the optimum {short_text(least)}"
    return Part("REFUTED", above, (Violation("objective at x", text, above),))


def value(problem: Problem, x: Vector) -> Fraction:
    """f(x).

    >>> value(Problem(Q=[[Fraction(2)]], c=[Fraction(1)]), [Fraction(3)])
    Fraction(12, 1)
    """
    return rational_dot(
        x, [rational_dot(row, x) / 2 + c_j for row, c_j in zip(problem.Q, problem.c, strict=True)]
    )


def _missed(problem: Problem, outcome: Outcome) -> Iterator[Violation]:
    """Every condition with the amount by which it is missed, none of them below 0."""
    if isinstance(outcome, Infeasible):
        if outcome.nu is not None and outcome.mu is not None:
            yield from _signs(outcome.mu)
            columns = _combination(problem, outcome.nu, outcome.mu)
            yield from _zeros("column {} of A'nu + G'mu", columns)
        return
    yield from _feasibility(problem, outcome.x)
    if isinstance(outcome, Unbounded):
        yield from _zeros("row {} of Qr", [rational_dot(row, outcome.r) for row in problem.Q])
        yield from _zeros("row {} of Ar", [rational_dot(row, outcome.r) for row in problem.A])
        for i, row in enumerate(problem.G):
            yield _at_most(f"row {i} of Gr", rational_dot(row, outcome.r), Fraction(0))
    elif outcome.nu is not None and outcome.mu is not None:
        yield from _signs(outcome.mu)
        columns = _combination(problem, outcome.nu, outcome.mu)
        slopes = [
            rational_dot(row, outcome.x) + c_j
            for row, c_j in zip(problem.Q, problem.c, strict=True)
        ]
        balance = [p + q for p, q in zip(slopes, columns, strict=True)]
        yield from _zeros("entry {} of Qx + c + A'nu + G'mu", balance)
        slack = [
            h_i - rational_dot(row, outcome.x)
            for row, h_i in zip(problem.G, problem.h, strict=True)
        ]
        products = [m * s for m, s in zip(outcome.mu, slack, strict=True)]
        yield from _zeros("mu_{0} (h - Gx)_{0}", products)


def _feasibility(problem: Problem, x: Vector) -> Iterator[Violation]:
    for i, (row, b_i) in enumerate(zip(problem.A, problem.b, strict=True)):
        left = rational_dot(row, x)
        text = f"{short_text(left)}, needs {short_text(b_i)}"
        yield Violation(f"row {i} of Ax = b", text, abs(left - b_i))
    for i, (row, h_i) in enumerate(zip(problem.G, problem.h, strict=True)):
        yield _at_most(f"row {i} of Gx <= h", rational_dot(row, x), h_i)


def _at_most(place: str, left: Fraction, bound: Fraction) -> Violation:
    text = f"{short_text(left)}, needs at most {short_text(bound)}"
    return Violation(place, text, max(Fraction(0), left - bound))


def _signs(mu: Vector) -> Iterator[Violation]:
    for i, m in enumerate(mu):
        yield Violation(f"mu_{i}", f"{short_text(m)}, needs at least 0", max(Fraction(0), -m))


def _zeros(place: str, values: Vector) -> Iterator[Violation]:
    for i, v in enumerate(values):
        yield Violation(place.format(i), f"{short_text(v)}, needs 0", abs(v))


def _combination(problem: Problem, nu: Vector, mu: Vector) -> list[Fraction]:
    """A'nu + G'mu."""
    rows, weights = [*problem.A, *problem.G], [*nu, *mu]
    return [rational_dot(weights, [row[j] for row in rows]) for j in range(len(problem.c))]


def _not_falling(problem: Problem, outcome: Outcome) -> Iterator[Violation]:
    """What must be below 0, and isn't: c'r, or b'nu + h'mu."""
    if isinstance(outcome, Unbounded):
        name, reached = "c'r", rational_dot(problem.c, outcome.r)
    elif isinstance(outcome, Infeasible) and outcome.nu is not None and outcome.mu is not None:
        reached = rational_dot([*problem.b, *problem.h], [*outcome.nu, *outcome.mu])
        name = "b'nu + h'mu"
    else:
        return
    if reached >= 0:
        yield Violation(name, f"{short_text(reached)}, needs less than 0", reached)
