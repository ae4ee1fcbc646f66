"""Is this an answer to the multi-class SVM? Decided by exact weak duality.

Covers [lu, "Lagrangian Dual Function for Multi-Class Kernel-Based SVM"], [lu, "Lagrangian Dual
Problem for Multi-Class SVM"], [lu, "Justification of Strong Duality for Multi-Class Kernel-Based
SVM"], [lu, "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"], and with costs,
features and the sum form [lecture5 (10)] to [lecture5 (13)], [karagiannis (3.4)]. The symbols and
the pairs of problems are those of `multiclass_points`.

    P*         the optimum, in [D, P], the best bounds that anything submitted gives
    w*         its weights, unique because P is strongly convex: P(w) ≥ P* + ½‖w − w*‖²
    w°, g      the centre: the known weights with the smallest primal value P, and g = P − D
    a          the gap that is allowed, relative to P*

What VERIFIED and REFUTED mean, part by part:

    W, w       P(w) − D ≤ a·D                            P(w) − P > a·P
    λ          P − θ(λ) + Δ·moved ≤ a·D                  D − θ(λ) + Δ·moved > a·P
    scores     no score is further from that of w*       no w with P(w) ≤ (1 + a)P* has
               than P(w) ≤ (1 + a)P* allows              these scores
    labels     each label has a largest score of w*,     no w with P(w) ≤ (1 + a)P* gives
               or of the numbers submitted beside them   the label a largest score
    values     within a·D of every point of [D, P]       further than a·P from all of them
    slack      within a·D, in units of the objective,    not so by a·P
               of the losses of what was submitted

Otherwise a part is INCONCLUSIVE. The tests of scores and labels follow from strong convexity: any w
with P(w) ≤ (1 + a)P* has ‖w − w*‖² ≤ 2a·P*. By Cauchy and Schwarz its score of a row and class
differs from that of w* by at most √(2a·P*)‖Ψ(x_i, j)‖, and the difference of two scores of one row
by at most √(2a·P*)‖Ψ(x_i, j) − Ψ(x_i, z)‖. The same holds for the centre with g in place of a·P*.

Multipliers that are infeasible are repaired (see `repaired`), and Δ·moved is added to their gap,
where `moved` is the sum of the changes of all entries and Δ the largest cost: in the dual value an
entry has a coefficient of at most Δ.

Where a matrix of kernel values K is positive semi-definite up to rounding only, everything is
judged for K + εI, and P is raised so that it bounds the optimum for every positive semi-definite K′
with K ≤ K′ ≤ K + εI as well: for every λ, θ is larger for K′, by at most ½ε times the sum of the
squared coefficients of w(λ). That sum is at most Σ 2C_i², or Σ (k − 1)k C_i² in the sum form.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.checker.kernels import semidefinite
from refmc.checker.numbers.arithmetic import (
    Matrix,
    Rows,
    rational_dot,
    root_exceeds_sum,
    root_within_difference,
    sum_of,
    sum_of_squares,
    to_matrix,
)
from refmc.checker.numbers.rounding import Box
from refmc.checker.parts import MOST_VIOLATIONS, Part, counted, refuted, status_of
from refmc.checker.printing import is_long, number_text, short_text
from refmc.checker.svm.duality import (
    Bounds,
    Inquiry,
    Weighed,
    undecidable,
    with_witnesses,
    without_duality,
)
from refmc.checker.svm.multiclass_points import (
    ZERO,
    Data,
    GroupGap,
    MulticlassProblem,
    Multipliers,
    Point,
    group_gaps,
    point_of,
    prepare_multiclass,
    primal_point,
    repaired,
)
from refmc.checker.svm.multiclass_rounding import Spread, least_primal, rounding_of_score
from refmc.checker.verdict import Place, Verdict, Violation

__all__ = ["MulticlassAnswer", "MulticlassProblem", "judge"]

FAMILY = "svm.multiclass"


class MulticlassAnswer(NamedTuple):
    """What was submitted of an answer, at least one of the first four, and claims about it.

    `W`: k rows, for the linear kernel only, or one row for given features. `scores`, `lam`: m rows
    of k. `labels`: m positions of classes. `values` are claimed optimal values by the names of
    their fields; `slack` is that of the first of the other three that is there. `rounded` gives,
    for all of W, lam and slack that are there, what their numbers may stand for; without it they
    stand for themselves.

    >>> MulticlassAnswer(labels=[0]).W is None
    True
    """

    W: Rows | None = None
    scores: Rows | None = None
    lam: Rows | None = None
    labels: Sequence[int] | None = None
    values: Mapping[str, Fraction] = {}
    slack: Sequence[Fraction | int] | None = None
    rounded: Callable[[], Box] | None = None


class _Case(NamedTuple):
    """A problem in integers and an answer: the points of its weights, multipliers and scores.

    `start`: λ = 0, whose bounds hold whatever the answer is. With a `spread` the numbers are a
    reading of an answer that was rounded.
    """

    data: Data
    given: MulticlassAnswer
    allowed: Fraction
    start: Multipliers
    point: Point | None
    own: Multipliers | None
    scores: Point | None
    spread: Spread | None = None

    @property
    def submitted(self) -> Point | None:
        """The strongest of what was submitted."""
        return self.point or self.scores or (self.own.point if self.own else None)

    def rounding(self, row: int, position: int) -> Fraction:
        """How far off floats may compute a score by the weights that were submitted, and how far
        apart those of the weights may be that are meant; 0 if nothing is allowed."""
        assert self.point is not None and self.point.weights is not None
        if not self.allowed:
            return ZERO
        found = rounding_of_score(self.data, self.point.weights, row, position)
        apart = self.spread and self.spread.scores
        return found + apart.entry(row, position) if apart else found


class _Evidence(NamedTuple):
    """The bounds of P*, and what gives them."""

    best_dual: Multipliers
    centre: Point
    bounds: Bounds


def judge(
    problem: MulticlassProblem,
    given: MulticlassAnswer,
    *,
    witnesses: Iterable[Callable[[], Rows | None]] = (),
    thorough: bool = True,
    allowed: Fraction,
) -> Verdict:
    """Judge weights, training scores, multipliers or training labels, and claims about them.

    `witnesses` find multipliers, each closer to the optimum than the one before; they prove bounds
    only, and are asked in turn while what is known leaves the verdict open, and as `with_witnesses`
    says with `thorough`. The gap of scores and labels is (distance from the centre)² / 2‖Ψ‖² and
    (lead of the best class)² / 2‖Ψ − Ψ′‖²: where the centre is the optimum, no function with these
    scores or labels has a smaller one. A Gram matrix that isn't positive semi-definite proves
    nothing: INCONCLUSIVE.

    >>> one_row = MulticlassProblem(X=[[2]], y=(0,), k=2, C=Fraction(1))
    >>> right = MulticlassAnswer(W=[[Fraction(1, 4)], [Fraction(-1, 4)]])
    >>> lam = [[Fraction(1, 8), Fraction(1, 8)]]
    >>> print(judge(one_row, right, witnesses=[lambda: lam], allowed=Fraction(0)).explain())
    VERIFIED  svm.multiclass  1 row, 2 classes, C = 1
      gap      0 (exactly right); allowed 0
      digits   all (the gap is exactly 0)
    """
    summary = _summary(problem)
    data = prepare_multiclass(problem)
    points = semidefinite(data.points)
    if isinstance(points, Violation):
        return without_duality(FAMILY, summary, points, allowed)
    data = data._replace(points=points)
    case = _read_case(data, given, allowed)

    def weigh(known: Sequence[Rows]) -> Weighed:
        evidence = _evidence(case, [repaired(data, lam) for lam in known])
        bounds, parts = evidence.bounds, _parts(case, evidence)
        if given.rounded is None or not allowed or all(p.status == "VERIFIED" for p in parts):
            return Weighed(parts, bounds)
        read = _reading(case, evidence, given.rounded())
        return Weighed(_parts(read, evidence), bounds, submitted=parts)

    counts_digits = given.W is not None or given.lam is not None
    inquiry = Inquiry(FAMILY, summary, allowed, data.points.shift, counts_digits)
    return with_witnesses(inquiry, weigh, witnesses, thorough)


def _read_case(data: Data, given: MulticlassAnswer, allowed: Fraction) -> _Case:
    start = repaired(data, [[0] * data.problem.k for _ in data.problem.y])
    point = None if given.W is None else primal_point(data, to_matrix(given.W))
    own = None if given.lam is None else repaired(data, given.lam)
    scores = None
    if given.scores is not None:
        scores = point_of(data, to_matrix(given.scores), ZERO, None)
    return _Case(data, given, allowed, start, point, own, scores)


def _reading(case: _Case, evidence: _Evidence, box: Box) -> _Case:
    """The answer with those numbers, of all that round to it, which are nearest to the optimum; the
    slack is chosen later."""
    found = dict[str, Any]()
    for name, wanted in (("W", evidence.centre.weights), ("lam", evidence.best_dual.lam)):
        if name in box and wanted is not None:
            rows = enumerate(box[name])
            found[name] = [
                [r.nearest(wanted.entry(i, j)) for j, r in enumerate(row)] for i, row in rows
            ]
    spread = Spread.of(case.data, box, case.own.moved if case.own else ZERO)
    given = case.given._replace(values=evidence.bounds.read(case.given.values, box), **found)
    return _read_case(case.data, given, case.allowed)._replace(spread=spread)


def _summary(problem: MulticlassProblem) -> str:
    parts = [
        counted(len(problem.y), "row"),
        counted(problem.k, "class", "classes"),
        f"C = {short_text(problem.C)}",
        *["sum form"] * problem.sum_form,
        *["costs"] * (problem.costs is not None),
        *["features"] * (problem.features is not None),
        *["weighted"] * (problem.weights is not None),
    ]
    return ", ".join(parts)


def _evidence(case: _Case, witnesses: Sequence[Multipliers]) -> _Evidence:
    """The best bounds; λ = 0 always gives D = 0 and the loss of w = 0 for P."""
    data = case.data
    duals = [case.start, *witnesses, *([case.own] if case.own else [])]
    points = [d.point for d in duals] + ([case.point] if case.point else [])
    best = max(duals, key=lambda d: d.dual)
    centre = min(points, key=lambda f: f.primal(data.caps))
    upper = centre.primal(data.caps)
    if data.points.shift:
        k = data.problem.k
        squares = (k - 1) * k if data.problem.sum_form else 2
        upper += data.points.shift / 2 * squares * rational_dot(data.caps, data.caps)
    none, size = case.start.point.primal(data.caps), max(data.points.squared_norms)
    # where no cost counts, margins of about 1 need such weights
    size = ZERO if none or not size else 1 / (2 * size)
    return _Evidence(best, centre, Bounds(best.dual, upper, case.allowed, none, size))


def _parts(case: _Case, evidence: _Evidence) -> list[Part]:
    """One part for each thing that was submitted."""
    given, bounds = case.given, evidence.bounds
    data, parts, beyond = case.data, list[Part](), ZERO
    if given.slack is not None:
        part, beyond = _judge_slack(case, given.slack, bounds)
        parts.append(part)
    if case.point is not None:
        parts += _judge_point(case, case.point, beyond, evidence)
    if case.own is not None:
        # an entry has a coefficient of at most the largest cost in the dual value; where all costs
        # are 0, an infeasible λ must still be refuted
        own, unit = case.own, data.largest_cost or Fraction(1)
        excesses = own.point.excesses
        slopes = (Fraction(v, excesses.den) / unit for row in excesses.rows for v in row)
        spread = (case.spread.lam * unit if case.spread else ZERO, slopes)
        wrong = _multiplier_violations(data, own)
        parts.append(bounds.of_dual(own.dual, own.moved * unit, own.faults, wrong, spread))
    if case.scores is not None:
        paid = case.scores.primal(data.caps)  # the losses alone, for no norm is known
        parts += bounds.against_none(Place.whole("scores"), paid)
        parts.append(_judge_scores(data, case.scores.scores, evidence))
    if given.labels is not None:
        parts.append(_judge_labels(case, given.labels, evidence))
    parts += [bounds.claim(name, value) for name, value in given.values.items()]
    return parts + _scores_beside(case, parts)


def _judge_slack(
    case: _Case, slack: Sequence[Fraction | int], bounds: Bounds
) -> tuple[Part, Fraction]:
    assert case.submitted is not None  # slack is that of one of the things submitted
    caps, reach, spread = case.data.caps, None, case.spread
    needed = [Fraction(loss, case.submitted.excesses.den) for loss in case.submitted.losses]
    if spread is not None:
        rounded, problem = spread.box["slack"][0], case.data.problem
        slack = [r.nearest(need) for r, need in zip(rounded, needed, strict=True)]
        of_rows = (spread.of_leads(i, own) for i, own in enumerate(problem.y))
        most = (sum_of(leads) if problem.sum_form else max(leads) for leads in of_rows)
        reach = [by + r.width for by, r in zip(most, rounded, strict=True)]
    return bounds.of_slack(slack, needed, lambda i, eta: caps[i] * eta, reach)


def _judge_point(
    case: _Case, point: Point, beyond: Fraction, evidence: _Evidence
) -> Iterator[Part]:
    """The verdict on weights, which pay `beyond` the slack that they need."""
    data, bounds, spread, least = case.data, evidence.bounds, case.spread, None
    value = point.primal(data.caps) + beyond
    if spread is not None:
        least = least_primal(data, point, spread)
        leads = (spread.of_leads(i, own) for i, own in enumerate(data.problem.y))
        yield from undecidable([max(row) for row in leads])
    wrong = _weights_violations(data, point, evidence.best_dual)
    yield bounds.of_primal(value, wrong, least)
    yield from bounds.against_none(Place("weights", {"field": "W"}), value, least)


def _scores_beside(case: _Case, parts: Sequence[Part]) -> list[Part]:
    """The verdict on scores beside weights, whose scores they must be, up to rounding; nothing
    where it is known already that something is wrong."""
    if case.point is None or case.scores is None or any(p.status == "REFUTED" for p in parts):
        return []
    mine, own = case.scores.scores, case.point.scores
    for i, row in enumerate(mine.rows):
        for z in range(len(row)):
            apart = abs(mine.entry(i, z) - own.entry(i, z))
            if apart and apart > case.rounding(i, z):
                here, there = short_text(mine.entry(i, z)), short_text(own.entry(i, z))
                place = case.data.problem.place(i, z)
                return [refuted(place, f"score {here}, but that of W is {there}", apart)]
    return []


def _judge_scores(data: Data, given: Matrix, evidence: _Evidence) -> Part:
    centre, bounds, worst, wrong = evidence.centre.scores, evidence.bounds, ZERO, []
    for i, (mine, best) in enumerate(zip(given.rows, centre.rows, strict=True)):
        for z, (p, q) in enumerate(zip(mine, best, strict=True)):
            apart = p * centre.den - q * given.den
            if apart == 0:
                continue
            distance, norm = Fraction(abs(apart), given.den * centre.den), data.norm(i, z)
            # scores differ by at most ‖w − w°‖‖Ψ‖, so they need ½‖w − w°‖² ≥ t
            t = distance * distance / (2 * norm) if norm else ZERO
            worst = max(worst, t)
            if norm == 0 or root_exceeds_sum(t, bounds.most, bounds.width):
                place = data.problem.place(i, z)
                about = "" if bounds.width == 0 or norm == 0 else "about "
                here, there = short_text(given.entry(i, z)), short_text(centre.entry(i, z))
                text = f"score {here}, needs {about}{there}"
                wrong.append(Violation(place, text, t or distance))
    # w* is within √(2·width) of the centre, so a distance from w* is at most that from the centre
    # plus √(2·width)
    verified = root_within_difference(worst, bounds.sure, bounds.width) and not wrong
    scale = bounds.lower if verified else bounds.upper
    return Part(status_of(verified, bool(wrong)), worst, tuple(wrong), scale=scale)


def _judge_labels(case: _Case, labels: Sequence[int], evidence: _Evidence) -> Part:
    data, bounds = case.data, evidence.bounds
    scores, gap, wrong, forced = evidence.centre.scores, None, [], True
    for i, (row, label) in enumerate(zip(scores.rows, labels, strict=True)):
        worst, top = ZERO, label
        for z, score in enumerate(row):
            if z == label:
                continue
            lead = Fraction(row[label] - score, scores.den)
            between = data.norm_between(i, label, z)
            # the leads at w* and at the centre differ by at most √(2·width)‖Ψ − Ψ′‖, so a lead of
            # that size at the centre is none below 0 at w*
            forced = forced and lead >= 0 and lead * lead >= 2 * between * bounds.width
            if lead < 0:  # then the features differ, for their scores do
                worst, top = max((worst, top), (lead * lead / (2 * between), z))
        if not worst:
            continue
        gap = worst if gap is None else max(gap, worst)
        if root_exceeds_sum(worst, bounds.most, bounds.width):
            names, lead = map(data.problem.class_text, (top, label)), scores.entry(i, top)
            text = "class {} scores higher than class {}".format(*names)
            text += f" by {short_text(lead - scores.entry(i, label))}"
            wrong.append(Violation(Place.of("row", i), text, worst))
    if not wrong and case.submitted is not None:
        # they are those of the numbers submitted beside them, which are judged for themselves; but
        # where these are multipliers alone, they may be those of the optimum, too
        beside = _beside(case, labels, case.submitted)
        if beside.status == "VERIFIED" or case.submitted is not (case.own and case.own.point):
            return beside
    return Part(status_of(forced, bool(wrong)), gap, tuple(wrong), scale=bounds.upper)


def _beside(case: _Case, labels: Sequence[int], own: Point) -> Part:
    """The verdict on labels as those with the largest scores of what was submitted: exactly where
    that is scores, and up to rounding where it is weights."""
    for i, (row, label) in enumerate(zip(own.scores.rows, labels, strict=True)):
        top = max(range(len(row)), key=lambda z: row[z])
        off = Fraction(row[top] - row[label], own.scores.den)
        if own is case.point:
            off -= case.rounding(i, top) + case.rounding(i, label)
        if off > 0:
            names = map(case.data.problem.class_text, (top, label))
            text = "the numbers beside them score class {} higher than class {}".format(*names)
            return refuted(Place.of("row", i), f"{text}, by {short_text(off)}", off)
    return Part("VERIFIED")


def _weights_violations(data: Data, point: Point, best: Multipliers) -> Iterator[Violation]:
    """What adds most to P(w) − θ(λ): rows, and the distance ½‖f_j − f_j(λ)‖² of each class, or that
    of the weights of given features."""
    for found in group_gaps(data, point, best.lam)[:MOST_VIOLATIONS]:
        text = _margin_text(*_margin(data, point, found))
        yield Violation(data.problem.against(found.row, found.other), text, found.amount)
    a, b = point.weights, best.point.weights
    assert a is not None and b is not None  # weights are submitted for the linear kernel only
    for j, (u, v) in enumerate(zip(a.rows, b.rows, strict=True)):
        apart = tuple(p * b.den - q * a.den for p, q in zip(u, v, strict=True))
        amount = sum_of_squares(Matrix((apart,), a.den * b.den)) / 2
        if amount > 0:
            text = f"weights are off, by half a squared distance of {short_text(amount)}"
            of_class = Place.of("class", data.problem.class_text(j))
            yield Violation("w" if data.problem.features is not None else of_class, text, amount)


def _margin(data: Data, point: Point, found: GroupGap) -> tuple[Fraction, Fraction]:
    """The margin of a row over a class, and the one that it needs."""
    i, z, scores = found.row, found.other, point.scores
    margin = scores.entry(i, data.problem.y[i]) - scores.entry(i, z)
    return margin, data.costs.entry(i, z)


def _margin_text(margin: Fraction, needed: Fraction) -> str:
    if is_long(margin) or is_long(needed):
        side = "short of" if margin < needed else "beyond"
        off, about = short_text(abs(margin - needed)), short_text(needed)
        return f"margin {side} the {about} that it needs by {off}"
    only = "only " if margin > needed else ""
    return f"margin {number_text(margin)}, needs {only}{number_text(needed)}"


def _multiplier_violations(data: Data, own: Multipliers) -> Iterator[Violation]:
    """The groups that violate complementary slackness most."""
    problem = data.problem
    for found in group_gaps(data, own.point, own.lam)[:MOST_VIOLATIONS]:
        i, z = found.row, found.other
        margin, needed = _margin(data, own.point, found)
        held = f"its entry is {short_text(own.lam.entry(i, z))}"
        if found.short:
            if not problem.sum_form:
                held = f"the entries sum to {short_text(own.lam.entry(i, problem.y[i]))}"
            text = f"{_margin_text(margin, needed)}, but {held}, less than "
            text += short_text(data.caps[i])
        else:
            # a class whose multiplier isn't 0 has the largest excess of its group, which is the
            # loss
            if not problem.sum_form:
                needed -= Fraction(own.point.losses[i], own.point.excesses.den)
            text = f"{_margin_text(margin, needed)}, for {held}"
        yield Violation(problem.against(i, z), text, found.amount)
