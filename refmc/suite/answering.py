"""Right answers of every family, drawn among all that tie.

The first choice everywhere gives the reference answer. What can tie in each family:

    svm.*           multipliers, where rows are equal or more than the weights need; the bias; the
                    labels of rows whose scores tie; the proof that no hyperplane separates
    qp.convex       the point, where the objective is flat; multipliers; proofs that none is best
    tree.grow       questions, and the labels of nodes
    boost.*         stumps, signs of them that make no difference, and labels
    perceptron.*, sgd.*   every choice of a step; when a perceptron stops; the labels after the run
    loss.*          subgradients at kinks; whether a tied score is right
    *.decode        labels

A tree has one pruning sequence, and a bound one value.

The right multipliers and weights of an SVM or a quadratic program are a polyhedron. The answer is
its point nearest to a point z that is drawn: so every vertex can be found, and what lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.checker.online.perceptron import rule_of
from refmc.checker.online.sgd import rule_of as rule_of_sgd
from refmc.checker.online.states import Choice, Point, Rule
from refmc.checker.svm.qp import QPProblem
from refmc.checker.svm.qp import lifted as lifted_qp
from refmc.core.cells import categorical_columns, sort_columns
from refmc.core.linalg import common_denominator, dot
from refmc.core.records import Record
from refmc.core.ties import TiePolicy, argmax_set
from refmc.learn.boosting.stumps import FittedStump, best_stumps
from refmc.learn.svm.qp import solve_qp
from refmc.oracle.boosting import reference
from refmc.oracle.boosting.records import read_problem
from refmc.oracle.families import SERVED, read_record
from refmc.oracle.online import perceptron, sgd
from refmc.oracle.online.runs import labels_of, shape_of
from refmc.oracle.reading import Rows
from refmc.oracle.rows import recorded
from refmc.oracle.svm import binary, multiclass, qp
from refmc.oracle.svm.searching import lifted
from refmc.oracle.trees.reference import solve
from refmc.oracle.values import losses
from refmc.suite.generating import Draws
from refmc.theory.grams import gram

Answer = dict[str, Any]
Vector = list[Fraction]


def right_answer(problem: Record | str, draws: Draws) -> Answer:
    """A right answer to a problem, with its proof; choices among ties are drawn.

    >>> from refmc.suite.generating import EveryChoice
    >>> draws, problem = EveryChoice(), {"family": "ova.decode", "scores": [[1, 1]]}
    >>> right_answer(problem, draws)["labels"], draws.next(), right_answer(problem, draws)["labels"]
    ([0], True, [1])
    """
    record, family = read_record(problem)
    of_family = OF_FAMILY.get(str(record["family"]))
    if of_family is not None:
        return {name: recorded(value) for name, value in of_family(record, draws).items()}
    answer: Answer = family.solve(record, None)
    if "labels" in answer:
        answer["labels"] = [draws.one_of(tied) for tied in answer["label_sets"]]
    return answer


def _policy(draws: Draws) -> TiePolicy:
    return lambda tied: int(draws.one_of(tied))


def _nearest(
    draws: Draws, own: Vector, A: Sequence[Vector], G: Sequence[Vector], h: Sequence[Fraction]
) -> Vector:
    """Of the x with Gx ≤ h and Ax = A·own, the one nearest to a point that is drawn."""
    step = 1 + sum(map(abs, own))
    z = [v + step * draws.one_of(STEPS) for v in own]
    n = len(own)
    Q, b = [_unit(n, i) for i in range(n)], [_dot(row, own) for row in A]
    found = solve_qp(Q, [-v for v in z], A=A, b=b, G=G, h=h, start=own)
    return list(map(Fraction, found.x))


def _in_any_length(draws: Draws, proof: Vector) -> Vector:
    """A proof that holds times any positive factor, times one that is drawn."""
    factor = draws.one_of((1, 2, Fraction(1, 2)))
    return [factor * v for v in proof]


STEPS = (Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 4))

SIGNS = (1, -1)


def _dot(u: Sequence[Fraction], v: Sequence[Fraction]) -> Fraction:
    return dot(u, v, Fraction(0))


def _unit(n: int, i: int, value: int = 1) -> Vector:
    return [Fraction(value * (i == j)) for j in range(n)]


def _features(rows: Rows) -> list[Vector]:
    """The rows of X, or those of K.

    Two combinations of rows of K are equal exactly where they are equal in feature space.
    """
    if rows.gram is not None:
        return rows.gram
    assert rows.X is not None
    return rows.X if rows.is_linear else [list(map(Fraction, r)) for r in gram(rows.kernel, rows.X)]


def _binary_svm(record: Record, draws: Draws) -> Answer:
    read = binary.read_problem(record)
    answer: Answer = binary.solve(record, None)
    asked, y = read.asked, read.asked.y
    m = len(y)
    if lifted(read.rows) is not None:
        return answer  # that of K + εI
    features = _features(read.rows)
    points = [[*x, *[Fraction(1)] * bool(asked.bias)] for x in features]
    A = [[s * x[j] for s, x in zip(y, points)] for j in range(len(points[0]))]
    A.append([Fraction(1)] * m)
    G = [_unit(m, i, -1) for i in range(m)]
    h = [Fraction(0)] * m
    if answer.get("separable") is False:
        combination = _nearest(draws, answer["combination"], A, G, h)
        return answer | {"combination": _in_any_length(draws, combination)}
    if not asked.squared:
        if asked.C is not None:
            G += [_unit(m, i) for i in range(m)]
            h += asked.costs
        answer["alpha"] = _nearest(draws, answer["alpha"], A, G, h)
    ends = [end for end in answer.get("b_interval", ()) if not isinstance(end, str)]
    if ends:
        answer["b"] = draws.one_of([answer["b"], *ends, sum(ends) / len(ends)])
        answer.pop("slack", None)  # that of the other bias
    signed = [s * a for s, a in zip(y, answer["alpha"])]
    image = [_dot(signed, column) for column in zip(*features)]
    b, scores = answer["b"], image
    if read.rows.is_linear:
        scores = [_dot(image, x) for x in features]
    tied = [argmax_set([-(score + b), score + b]) for score in scores]
    return answer | {"labels": [read.classes[draws.one_of(signs)] for signs in tied]}


def _multiclass_svm(record: Record, draws: Draws) -> Answer:
    read = multiclass.read_problem(record)
    answer: Answer = multiclass.solve(record, None)
    asked, m, k = read.asked, read.rows.m, read.asked.k
    if lifted(read.rows) is not None:
        return answer
    psi: Any = asked.features
    if psi is None:
        features = _features(read.rows)
        blank = [Fraction(0)] * len(features[0])
        psi = [
            [[v for r in range(k) for v in (x if r == j else blank)] for j in range(k)]
            for x in features
        ]
    wrong = [(i, j) for i in range(m) for j in range(k) if j != asked.y[i]]
    n = len(wrong)
    if not n:
        return answer
    moved = [[a - b for a, b in zip(psi[i][asked.y[i]], psi[i][j])] for i, j in wrong]
    A = [list(column) for column in zip(*moved)]
    A.append([Fraction(1) if asked.costs is None else asked.costs[i][j] for i, j in wrong])
    G = [_unit(n, v, -1) for v in range(n)]
    h = [Fraction(0)] * n
    if asked.sum_form:
        G += [_unit(n, v) for v in range(n)]
        h += [asked.caps[i] for i, _ in wrong]
    else:
        G += [[Fraction(i == row) for i, _ in wrong] for row in range(m)]
        h += asked.caps
    lam = answer["lam"]
    found = _nearest(draws, [lam[i][j] for i, j in wrong], A, G, h)
    drawn = [[Fraction(0)] * k for _ in range(m)]
    for (i, j), value in zip(wrong, found):
        drawn[i][j] = value
        drawn[i][asked.y[i]] += value
    w = [_dot(found, column) for column in A[:-1]]
    labels = [read.classes[draws.one_of(tied)] for tied in _winners(read, psi, w)]
    return answer | {"lam": drawn, "labels": labels}


def _winners(read: Any, psi: Any, w: Vector) -> list[tuple[int, ...]]:
    """The classes of the largest score of each row; with a kernel, w holds the scores."""
    k, m = len(read.classes), len(psi)
    if read.asked.features is None and (read.rows.gram is not None or not read.rows.is_linear):
        # for each class r and row i, entry r m + i of w is Σ ± K(x_t, x_i)
        return [argmax_set([w[r * m + i] for r in range(k)]) for i in range(m)]
    return [argmax_set([_dot(w, vector) for vector in row]) for row in psi]


def _program(record: Record, draws: Draws) -> Answer:
    read = qp.read_problem(record)
    answer: Answer = qp.solve(record, None)
    n, p, q = len(read.c), len(read.b), len(read.h)
    Q, A, G = ([list(map(Fraction, row)) for row in rows] for rows in (read.Q, read.A, read.G))
    c, h = list(map(Fraction, read.c)), list(map(Fraction, read.h))
    convex = lifted_qp(read)
    assert isinstance(convex, QPProblem)  # others have no answer
    if convex.shift:
        return answer  # that of Q + εI
    nu, mu = (answer.get(field.name, ()) for field in qp.MULTIPLIERS)
    of_column = [[*(row[j] for row in A), *(row[j] for row in G)] for j in range(n)]
    signs = [_unit(p + q, p + i, -1) for i in range(q)]
    if answer.get("bounded") is False:
        ray = _nearest(draws, answer["ray"], [*Q, *A, c], G, [Fraction(0)] * q)
        ray = _in_any_length(draws, ray)
        return answer | {"x": _nearest(draws, answer["x"], A, G, h), "ray": ray}
    proof = [*nu, *mu]
    if answer.get("feasible") is False:
        value = [*map(Fraction, read.b), *h]
        proof = _nearest(draws, proof, [*of_column, value], signs, [Fraction(0)] * q)
        proof = _in_any_length(draws, proof)
    else:
        x = answer["x"]
        answer["x"] = _nearest(draws, x, [*Q, *A, c], G, h)
        loose = [i for i in range(q) if _dot(G[i], x) < h[i]]
        still = [_unit(p + q, p + i) for i in loose]
        if proof:
            proof = _nearest(draws, proof, [*of_column, *still], signs, [Fraction(0)] * q)
    for field, values in zip(qp.MULTIPLIERS, (proof[:p], proof[p:])):
        answer[field.name] = values
    return answer


def _boosting(record: Record, draws: Draws) -> Answer:
    two_sided = read_problem(record).asked.kind == "two_sided"

    def weak(X: Any, y: Any, *, weights: Any) -> FittedStump:
        if not isinstance(y[0], Sequence):  # two classes: one sign and one weight for each row
            y, weights = [(sign,) for sign in y], [(weight,) for weight in weights]
        return _drawn_stump(draws, X, y, weights, two_sided)

    return reference.solve(record, None, _policy(draws), weak)


def _drawn_stump(draws: Draws, X: Any, signs: Any, D: Any, two_sided: bool) -> FittedStump:
    """One of the best stumps, with either of the signs that make no difference."""
    data = sort_columns(X, categorical_columns(X))
    whole, _ = common_denominator(D)
    signed = [[d[l] * c[l] for d, c in zip(whole, signs)] for l in range(len(signs[0]))]
    tied = best_stumps(data, signed, 0, two_sided)
    stump = draws.one_of(tied)
    answers_yes = [stump.question is None or stump.question.ask(x) for x in X]
    sides = [list(stump.signs), list(stump.otherwise or ())]
    for l in stump.free:
        for side, answer in zip(sides, (True, False)):
            edge = sum(v for v, yes in zip(signed[l], answers_yes) if yes == answer)
            if side and not (two_sided and edge):
                side[l] *= draws.one_of(SIGNS)
    found = replace(stump, signs=tuple(sides[0]), otherwise=tuple(sides[1]) or None)
    return FittedStump(SIGNS, found, Fraction(0), tied, data.kinds, data.categories())


def _run(record: Record, draws: Draws) -> Answer:
    """A run of the checker's rule, whose choices are drawn; the first is that of the reference."""
    family = str(record["family"])
    if family.startswith("perceptron"):
        read: Any = perceptron.read_problem(record)
        # τ = "any" admits these two rules and all between them
        taus = ("chosen_rival", "all_rivals") if read.tau == "any" else (read.tau,)
        rules = [rule_of(replace(read, tau=tau)) for tau in taus]
    else:
        read = sgd.read_problem(record)
        rules = [rule_of_sgd(read)]
    rule, shape = rules[0], shape_of(read)
    visits, point, voters = read.visits, rules[0].start, list[Point]()
    mistakes = [0] * visits[-1].epoch
    for visit, after in zip(visits, [*visits[1:], None]):
        choice = draws.one_of(_choices(rules, point, visit))
        point = point.then(choice.state, choice.sizes, point.is_exact, read.weight(visit))
        voters.append(point.without_sums())
        mistakes[visit.epoch - 1] += choice.mistake
        may_stop = read.stops and after is not None and after.epoch > visit.epoch
        if may_stop and not mistakes[visit.epoch - 1] and not draws.below(2):
            break
    end = point.averaged()
    rows = range(len(read.y))
    winners = [rule.winners(end, i, Fraction(0)) for i in rows]
    if read.voted:
        winners = [_elected(rule, voters, i) for i in rows]
    classes = labels_of(record, len(read.y))
    *w, b = end.state
    held = {"w": w, "b": b} if shape.bias else {shape.name: shape.written(end.state)}
    counts = {"mistakes": mistakes} if family.startswith("perceptron") else {}
    labels = [classes[draws.one_of(tied)] for tied in winners]
    trace = [shape.written(voter.state) for voter in voters]
    return {"family": family, **held, **counts, "labels": labels, "trace": trace}


def _choices(rules: Sequence[Rule], point: Point, visit: Any) -> list[Choice]:
    """The states that may follow a visit, each once; that of the reference run comes first."""
    found = {(c.state, c.mistake): c for c in [rules[0].first(point, visit)]}
    for rule in rules:
        for choice in rule.choices(point, visit, Fraction(0), None) or ():
            found.setdefault((choice.state, choice.mistake), choice)
    return list(found.values())


def _elected(rule: Rule, voters: Sequence[Point], i: int) -> tuple[int, ...]:
    """The classes that can be elected.

    A ballot whose classes tie may go to any of them, or be shared among them. A class can be
    elected if it has as many votes as every other class when all ballots that name it go to it
    wholly, and all others are shared equally.
    """
    ballots = [rule.winners(point, i, Fraction(0)) for point in voters]
    classes = sorted({r for tied in ballots for r in tied})

    def shared(r: int, label: int) -> Fraction:
        others = [tied for tied in ballots if label not in tied and r in tied]
        return sum((Fraction(1, len(tied)) for tied in others), Fraction(0))

    def own(label: int) -> int:
        return sum(label in tied for tied in ballots)

    return tuple(c for c in classes if all(shared(r, c) <= own(c) for r in classes))


def _loss(record: Record, draws: Draws) -> Answer:
    read: Any = losses.read_problem(record)
    answer: Answer = losses.solve(record)
    slopes = [losses.all_subgradients(read, i) for i in range(len(answer["values"]))]
    pairs = [(draws.one_of(each), draws.one_of(each)) for each in slopes]
    return answer | {"subgradients": [_middle(*pair) for pair in pairs]}


def _zero_one_loss(record: Record, draws: Draws) -> Answer:
    answer: Answer = losses.solve(record)
    read: Any = losses.read_problem(record)
    for i, scores in enumerate(getattr(read, "scores", ())):
        tied = argmax_set(list(scores))
        if len(tied) > 1 and read.y[i] in tied:
            answer["values"][i] = draws.one_of([Fraction(0), Fraction(1)])
    values = answer["values"]
    return answer | {"mean": sum(values, Fraction(0)) / len(values)}


def _middle(u: Any, v: Any) -> Any:
    if isinstance(u, (list, tuple)):
        return [_middle(a, b) for a, b in zip(u, v)]
    return (Fraction(u) + Fraction(v)) / 2


OF_FAMILY: dict[str, Callable[[Record, Draws], Answer]] = {
    **dict.fromkeys(SERVED["svm.binary"], _binary_svm),
    "svm.multiclass": _multiclass_svm,
    "qp.convex": _program,
    "tree.grow": lambda record, draws: solve(record, None, _policy(draws)),
    **dict.fromkeys(SERVED["boosting.reference"], _boosting),
    **dict.fromkeys(SERVED["online.perceptron"], _run),
    **dict.fromkeys(SERVED["online.sgd"], _run),
    "loss.hinge": _loss,
    "loss.perceptron": _loss,
    "loss.multiclass_hinge": _loss,
    "loss.multiclass_hinge_sum": _loss,
    "loss.zero_one": _zero_one_loss,
}
"""The families whose answers choose among more than labels."""
