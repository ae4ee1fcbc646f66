"""Is this an optimum of a convex quadratic program? Decided by the Kuhn-Tucker conditions.

    program     minimise f(x) = ½xᵀQx + cᵀx subject to Ax = b, Gx ≤ h; Q symmetric and positive
                semi-definite. [lu, "Lagrangian Dual Problem for Multi-Class SVM"] is one.
    optimum     x meets the constraints, and there are ν and μ ≥ 0 with Qx + c + Aᵀν + Gᵀμ = 0 and
                μ_i (h − Gx)_i = 0 for each i. For every y that meets the constraints then
                f(y) ≥ f(x) + (Qx + c)·(y − x) = f(x) + μ·(h − Gy) ≥ f(x): f is convex; Ay = Ax and
                μ·Gx = μ·h; μ ≥ 0 and Gy ≤ h.
    infeasible  μ ≥ 0, Aᵀν + Gᵀμ = 0 and b·ν + h·μ < 0: a point x that meets the constraints would
                give 0 = (Aᵀν + Gᵀμ)·x ≤ b·ν + h·μ, a contradiction
    unbounded   x meets the constraints, and Qr = 0, Ar = 0, Gr ≤ 0, c·r < 0: for t ≥ 0 so does
                x + tr, and f(x + tr) = f(x) + t c·r

What holds for the program is proved by a witness of one of these three kinds, which is checked
exactly here. A witness that fails proves nothing, and the verdict is INCONCLUSIVE. An answer may
miss a condition by the allowed share of the condition's scale, which comes from the witness x*, ν*,
μ*, r* and never from the answer:

    f(x), and a claimed optimal value     ½x*ᵀQx* + Σ_j |c_j x*_j|, for the terms of f may cancel;
                                          where all of these are 0, Σ_j ½Q_jj ℓ² + |c_j| ℓ
    row i of Ax = b, or of Gx ≤ h         Σ_j |A_ij| ℓ + |b_i|, with G and h for the second
    entry j of Qx + c + Aᵀν + Gᵀμ         the largest entry of that sum at x*, ν*, μ* when all its
                                          terms count by their absolute values, and each |x_j| by ℓ
    ℓ                                     max|x*|; where x* = 0, the least length that the program
                                          has: of all |c_j|/Q_jj and |h_i|/max_j |G_ij|, or 0
    μ_i ≥ 0                               the same; μ_i < 0 is off by −μ_i times the largest |G_ij|
    μ_i (h − Gx)_i = 0                    the terms of f(x*), plus μ*_i times the scale of row i
    Aᵀν + Gᵀμ of a proof                  the largest sum of absolute values of terms at ν*, μ*
    row i of Qr, Ar, Gr                   Σ_j |Q_ij| max|r*|, with A and G for the others

Multipliers that prove infeasibility are divided by −(b·ν + h·μ) first, and a ray by −c·r, so that
any multiple of a proof counts the same. That these divisors are positive and that μ ≥ 0 holds is
decided exactly, without a tolerance.

Where Q is positive semi-definite up to rounding only, the program is judged with Q + εI. An answer
to the program with Q itself is then off by ε|x_j| in entry j of the gradient and by ½ε‖x‖² in f. So
much more is never a reason to refute it.

An optimum in binary64 that isn't right as it is is judged at the x, ν and μ nearest to the witness
of all that round to it, and refuted only if a condition is missed by more than what these can move
in it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from refmc.checker.kernels import proved_semidefinite
from refmc.checker.numbers.arithmetic import raised, rational_dot, sum_of, to_matrix
from refmc.checker.numbers.rounding import Box
from refmc.checker.parts import Part, combined, counted, refuted, status_of
from refmc.checker.printing import decimal_text, short_text
from refmc.checker.svm.duality import as_submitted
from refmc.checker.verdict import Place, Verdict, Violation

Vector = Sequence[Fraction]

ZERO = Fraction(0)


@dataclass(frozen=True, kw_only=True)
class QPProblem:
    """Q: n rows of n; c: n numbers; A, G: rows of n, with as many numbers in b and h.

    `shift` is what the diagonal of Q holds more than the program that was asked.

    >>> QPProblem(Q=[[Fraction(1)]], c=[Fraction(0)]).A
    ()
    """

    Q: Sequence[Vector]
    c: Vector
    A: Sequence[Vector] = ()
    b: Vector = ()
    G: Sequence[Vector] = ()
    h: Vector = ()
    shift: Fraction = ZERO


class Optimum(NamedTuple):
    """A point; with `nu` and `mu`, the multipliers that prove it (None: not given)."""

    x: Vector
    nu: Vector | None = None
    mu: Vector | None = None


class Infeasible(NamedTuple):
    """No point meets the constraints; `nu`, `mu`: the proof, if it is given."""

    nu: Vector | None = None
    mu: Vector | None = None


class Unbounded(NamedTuple):
    """f falls for ever, from the point x along r (None: not given)."""

    x: Vector | None = None
    r: Vector | None = None


Outcome = Optimum | Infeasible | Unbounded

KINDS = {
    Optimum: "there is an optimum",
    Infeasible: "no point meets the constraints",
    Unbounded: "the objective falls for ever",
}


class _Condition(NamedTuple):
    """One condition: `off` is by how much it is missed, and `scale` what that is relative to.

    `rounding` is the part of `off` that may come from the shift ε. A condition without a scale has
    no tolerance.
    """

    place: str
    text: str
    off: Fraction
    scale: Fraction | None = None
    rounding: Fraction = ZERO

    def part(self, allowed: Fraction) -> Part:
        """The verdict on this condition alone."""
        most = allowed * (self.scale or 0)
        refuted = self.off - self.rounding > most
        wrong = (Violation(self.place, self.text, self.off),) if refuted else ()
        status = status_of(self.off <= most, refuted)
        return Part(status, self.off, wrong, scale=self.scale)


class Answer(NamedTuple):
    """What was found, and a claimed objective.

    `rounded` gives what the x, nu and mu of an optimum and the objective may stand for; without it
    they stand for themselves.
    """

    outcome: Outcome | None
    objective: Fraction | None = None
    rounded: Callable[[], Box] | None = None

    def nearest(self, box: Box, problem: QPProblem, witness: Optimum) -> "Answer":
        """The numbers that it may stand for which are nearest to a witness."""
        outcome, objective = self.outcome, self.objective
        if isinstance(outcome, Optimum):
            names = [name for name in ("x", "nu", "mu") if getattr(outcome, name) is not None]
            pairs = [zip(box[name][0], getattr(witness, name), strict=True) for name in names]
            outcome = Optimum(*([r.nearest(wanted) for r, wanted in rows] for rows in pairs))
        if objective is not None:
            objective = box["objective"][0][0].nearest(value(problem, witness.x))
        return Answer(outcome, objective)


def lifted(problem: QPProblem) -> QPProblem | Violation:
    """The program with Q + εI for the least ε that rounding explains, or why there is none.

    >>> lifted(QPProblem(Q=[[Fraction(-1)]], c=[Fraction(0)])).text
    'vᵀKv = -1 for v = (1)'
    """
    shift = proved_semidefinite(to_matrix(problem.Q), "Q")
    if isinstance(shift, Violation):
        return shift
    if not shift:
        return problem
    Q = raised(to_matrix(problem.Q), shift)
    return replace(problem, Q=[[Fraction(v, Q.den) for v in row] for row in Q.rows], shift=shift)


def judge(problem: QPProblem, given: Answer, *, witness: Outcome, allowed: Fraction) -> Verdict:
    """Judge what was found, and a claimed objective; `witness` proves what is right.

    Where Q needs a shift, the witness is one of the program that `lifted` gives.

    >>> one = Fraction(1)
    >>> problem = QPProblem(Q=[[one]], c=[-2 * one], G=[[one]], h=[one])
    >>> right = Optimum([one], [], [one])
    >>> print(judge(problem, Answer(Optimum([one])), witness=right, allowed=Fraction(0)).explain())
    VERIFIED  qp.convex  1 unknown, 0 equalities, 1 inequality
      gap      0 (exactly right); allowed 0
    >>> wrong = Answer(Optimum([2 * one]))
    >>> print(judge(problem, wrong, witness=right, allowed=Fraction(0)).explain())
    REFUTED  qp.convex  1 unknown, 0 equalities, 1 inequality
      gap      1, relative 5.0e-1; allowed 0
      worst    row 0 of Gx ≤ h: 2, needs at most 1
    """
    unknowns = counted(len(problem.c), "unknown")
    equalities = counted(len(problem.b), "equality", "equalities")
    inequalities = counted(len(problem.h), "inequality", "inequalities")
    summary, notes = f"{unknowns}, {equalities}, {inequalities}", list[str]()
    submitted = list[Part]()
    convex = lifted(problem)
    if isinstance(convex, Violation):
        parts = [_no_proof(convex.place, convex.text)]
    else:
        parts = list(_parts(convex, given, witness, allowed))
        is_right = all(part.status == "VERIFIED" for part in parts)
        if given.rounded is not None and allowed and not is_right and isinstance(witness, Optimum):
            box, submitted = given.rounded(), parts
            parts = list(_parts(convex, given.nearest(box, convex, witness), witness, allowed, box))
        if convex.shift:
            told = decimal_text(convex.shift)
            notes = [f"Q is positive semi-definite up to rounding: judged for Q + {told} I"]
    verdict = combined("qp.convex", summary, parts, allowed, notes=notes)
    return as_submitted(verdict, submitted) if submitted else verdict


def _no_proof(place: str, text: str) -> Part:
    return Part("INCONCLUSIVE", None, (), f"no proof of what is right: {place}: {text}")


def _parts(
    problem: QPProblem, given: Answer, witness: Outcome, allowed: Fraction, box: Box | None = None
) -> Iterator[Part]:
    outcome, objective = given.outcome, given.objective
    if None in witness:
        yield _no_proof("witness", "a part of it is missing")
        return
    flaw = next((c for c in _conditions(problem, witness, witness) if c.off > 0), None)
    if flaw is not None:
        yield _no_proof(flaw.place, flaw.text)
        return
    if outcome is not None and type(outcome) is not type(witness):
        # f of a Q that needed a shift may fall for ever where that of Q + εI doesn't
        open_ = bool(problem.shift) and Infeasible not in (type(outcome), type(witness))
        wrong = refuted("program", KINDS[type(witness)], ZERO)
        yield Part("INCONCLUSIVE") if open_ else wrong
        return
    for condition in _conditions(problem, outcome, witness, _spread(box)):
        yield condition.part(allowed)
    if objective is None:
        return
    if not isinstance(witness, Optimum):
        yield refuted(Place.whole("objective"), KINDS[type(witness)], ZERO)
        return
    least = value(problem, witness.x)
    text = f"{short_text(objective)}, but the optimum is {short_text(least)}"
    off, rounding = abs(objective - least), _lift(problem, witness.x)
    scale = _scale(problem, witness.x)
    yield _Condition("objective", text, off, scale, rounding).part(allowed)


def value(problem: QPProblem, x: Vector) -> Fraction:
    """f(x).

    >>> value(QPProblem(Q=[[Fraction(2)]], c=[Fraction(1)]), [Fraction(3)])
    Fraction(12, 1)
    """
    return rational_dot(
        x, [rational_dot(row, x) / 2 + c_j for row, c_j in zip(problem.Q, problem.c, strict=True)]
    )


def _lift(problem: QPProblem, x: Vector) -> Fraction:
    """What the shift adds to f(x)."""
    return problem.shift * rational_dot(x, x) / 2


def _scale(problem: QPProblem, x_star: Vector) -> Fraction:
    """What f counts relative to; see the module's table."""
    linear = [c_j * x_j for c_j, x_j in zip(problem.c, x_star, strict=True)]
    terms = value(problem, x_star) - sum_of(linear) + _size(linear)
    length = _length(problem, x_star)
    curved = sum_of(row[j] for j, row in enumerate(problem.Q)) * length / 2
    return terms or (curved + _size(problem.c)) * length


def _length(problem: QPProblem, x_star: Vector) -> Fraction:
    """ℓ of the module's table."""
    diagonal = ((c_j, problem.Q[j][j]) for j, c_j in enumerate(problem.c))
    pairs = [*diagonal, *zip(problem.h, map(_largest, problem.G), strict=True)]
    lengths = (abs(side) / size for side, size in pairs if side and size)
    return _largest(x_star) or min(lengths, default=ZERO)


def _spread(box: Box | None) -> Optimum | None:
    """How far apart the numbers are that an optimum may mean."""
    if box is None or "x" not in box:
        return None
    return Optimum(
        *([r.width for row in box.get(name, ()) for r in row] for name in ("x", "nu", "mu"))
    )


def _largest(values: Vector) -> Fraction:
    return max(map(abs, values), default=ZERO)


def _size(row: Vector) -> Fraction:
    return sum_of(map(abs, row))


def _conditions(
    problem: QPProblem, outcome: Outcome | None, witness: Outcome, spread: Optimum | None = None
) -> Iterator[_Condition]:
    """Every condition on the outcome, with scales by a whole witness of the same kind, for which
    these conditions hold, or which is the outcome itself."""
    if isinstance(outcome, Optimum) and isinstance(witness, Optimum):
        spread = spread or Optimum(())
        yield from _feasibility(problem, outcome.x, witness.x, spread.x)
        yield from _height(problem, outcome.x, witness.x, spread.x)
        if outcome.nu is not None and outcome.mu is not None:
            yield from _stationarity(problem, outcome.x, outcome.nu, outcome.mu, witness, spread)
    elif isinstance(outcome, Infeasible) and isinstance(witness, Infeasible):
        if outcome.nu is not None and outcome.mu is not None:
            yield from _contradiction(problem, outcome.nu, outcome.mu, witness)
    elif isinstance(outcome, Unbounded) and isinstance(witness, Unbounded):
        if outcome.x is not None and witness.x is not None:
            yield from _feasibility(problem, outcome.x, witness.x)
        if outcome.r is not None and witness.r is not None:
            yield from _fall(problem, outcome.r, witness.r)


def _feasibility(
    problem: QPProblem, x: Vector, x_star: Vector, widths: Vector = ()
) -> Iterator[_Condition]:
    largest = _length(problem, x_star)
    for i, (row, b_i) in enumerate(zip(problem.A, problem.b, strict=True)):
        place, scale = Place(f"row {i} of Ax = b", {"equality": i}), _size(row) * largest + abs(b_i)
        yield _equal(place, rational_dot(row, x), b_i, scale, _reach(row, widths))
    for i, (row, h_i) in enumerate(zip(problem.G, problem.h, strict=True)):
        place = Place(f"row {i} of Gx ≤ h", {"inequality": i})
        scale, reach = _size(row) * largest + abs(h_i), _reach(row, widths)
        yield _at_most(place, rational_dot(row, x), h_i, scale, reach)


def _reach(row: Vector, widths: Vector) -> Fraction:
    """How far a row's value moves at most where each entry of x moves by its width, if at all."""
    return rational_dot(map(abs, row), widths) if widths else ZERO


def _equal(
    place: Place,
    left: Fraction,
    right: Fraction,
    scale: Fraction,
    rounding: Fraction = ZERO,
    where: str = "",
) -> _Condition:
    text = f"{short_text(left)}{where}, needs {short_text(right)}"
    return _Condition(place, text, abs(left - right), scale, rounding)


def _at_most(
    place: Place, left: Fraction, bound: Fraction, scale: Fraction, rounding: Fraction = ZERO
) -> _Condition:
    text = f"{short_text(left)}, needs at most {short_text(bound)}"
    return _Condition(place, text, max(ZERO, left - bound), scale, rounding)


def _not_negative(i: int, m: Fraction, factor: Fraction, scale: Fraction | None) -> _Condition:
    place, text = Place(f"μ_{i}", {"inequality": i}), f"{short_text(m)}, needs at least 0"
    return _Condition(place, text, max(ZERO, -m) * factor, scale)


def _height(
    problem: QPProblem, x: Vector, x_star: Vector, widths: Vector = ()
) -> Iterator[_Condition]:
    """The condition on f(x). No point that meets the constraints is below the optimum, but one that
    misses them by what is allowed may be; so the distance counts on both sides."""
    least = value(problem, x_star)
    above = value(problem, x) - least
    side = "above" if above > 0 else "below"
    text = f"{short_text(abs(above))} {side} the optimum {short_text(least)}"
    rounding = _lift(problem, x) + _lift(problem, x_star)
    for row, c_j, width in zip(problem.Q, problem.c, widths):
        rounding += width * (abs(rational_dot(row, x) + c_j) + _reach(row, widths) / 2)
    yield _Condition("objective at x", text, abs(above), _scale(problem, x_star), rounding)


def _stationarity(
    problem: QPProblem, x: Vector, nu: Vector, mu: Vector, witness: Optimum, spread: Optimum
) -> Iterator[_Condition]:
    assert witness.nu is not None and witness.mu is not None
    x_star, nu_star, mu_star = witness.x, witness.nu, witness.mu
    largest, steepest = _length(problem, x_star), ZERO
    of_nu, of_mu = spread.nu or [ZERO] * len(nu), spread.mu or [ZERO] * len(mu)
    for j, (row, c_j) in enumerate(zip(problem.Q, problem.c, strict=True)):
        terms = _size(row) * largest + abs(c_j) + _size(_terms(problem, nu_star, mu_star, j))
        steepest = max(steepest, terms)
    for i, (m, row) in enumerate(zip(mu, problem.G, strict=True)):
        # a multiplier of a zero row adds nothing to the gradient: its sign has no tolerance
        entry = _largest(row)
        yield _not_negative(i, m, entry or Fraction(1), steepest if entry else None)
    for j, (row, c_j) in enumerate(zip(problem.Q, problem.c, strict=True)):
        left = rational_dot(row, x) + c_j + sum_of(_terms(problem, nu, mu, j))
        place = Place(f"entry {j} of Qx + c + Aᵀν + Gᵀμ", {"entry": j})
        reach = _reach(row, spread.x) + _size(_terms(problem, of_nu, of_mu, j))
        yield _equal(place, left, ZERO, steepest, problem.shift * abs(x[j]) + reach)
    of_f = _scale(problem, x_star)
    for i, (m, m_star, row, h_i) in enumerate(zip(mu, mu_star, problem.G, problem.h, strict=True)):
        place = Place(f"μ_{i} (h − Gx)_{i}", {"inequality": i})
        scale = of_f + m_star * (_size(row) * largest + abs(h_i))
        room, reach = h_i - rational_dot(row, x), _reach(row, spread.x)
        reach = abs(m) * reach + of_mu[i] * (abs(room) + reach)
        yield _equal(place, m * room, ZERO, scale, reach)


def _terms(problem: QPProblem, nu: Vector, mu: Vector, j: int) -> list[Fraction]:
    """The terms of entry j of Aᵀν + Gᵀμ."""
    pairs = zip((*problem.A, *problem.G), (*nu, *mu), strict=True)
    return [row[j] * weight for row, weight in pairs]


def _contradiction(
    problem: QPProblem, nu: Vector, mu: Vector, witness: Infeasible
) -> Iterator[_Condition]:
    for i, m in enumerate(mu):
        yield _not_negative(i, m, Fraction(1), None)
    reached = _bound(problem, nu, mu)
    if reached >= 0:
        text = f"{short_text(reached)}, needs less than 0"
        yield _Condition("b·ν + h·μ", text, reached or Fraction(1))
        return
    assert witness.nu is not None and witness.mu is not None
    columns, unit = range(len(problem.c)), -_bound(problem, witness.nu, witness.mu)
    sizes = (_size(_terms(problem, witness.nu, witness.mu, j)) for j in columns)
    largest = max(sizes, default=ZERO) / unit
    for j in columns:
        left = sum_of(_terms(problem, nu, mu, j)) / -reached
        place, where = Place(f"column {j} of Aᵀν + Gᵀμ", {"entry": j}), " where b·ν + h·μ is -1"
        yield _equal(place, left, ZERO, largest, where=where)


def _bound(problem: QPProblem, nu: Vector, mu: Vector) -> Fraction:
    return rational_dot([*problem.b, *problem.h], [*nu, *mu])


def _fall(problem: QPProblem, r: Vector, r_star: Vector) -> Iterator[_Condition]:
    slope = rational_dot(problem.c, r)
    if slope >= 0:
        yield _Condition("c·r", f"{short_text(slope)}, needs less than 0", slope or Fraction(1))
        return
    ray = [v / -slope for v in r]
    largest = _largest(r_star) / -rational_dot(problem.c, r_star)
    for name, kind, rows in (("Qr", "entry", problem.Q), ("Ar", "equality", problem.A)):
        for i, row in enumerate(rows):
            place, left = Place(f"row {i} of {name}", {kind: i}), rational_dot(row, ray)
            yield _equal(place, left, ZERO, _size(row) * largest, where=" where c·r is -1")
    for i, row in enumerate(problem.G):
        left = rational_dot(row, ray)
        yield _at_most(Place(f"row {i} of Gr", {"inequality": i}), left, ZERO, _size(row) * largest)
