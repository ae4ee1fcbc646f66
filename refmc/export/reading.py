"""The predictor that a model of refmc is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import chain, combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

from refmc.core.cells import NUMBER
from refmc.core.labels import SINGLE
from refmc.core.scalars import shown
from refmc.core.ties import first
from refmc.errors import ExactnessLimitError, ParameterError
from refmc.export.predictor import (
    ALWAYS,
    Best,
    Categories,
    Cut,
    Graph,
    Member,
    Node,
    Predictor,
    Question,
    Score,
    Sign,
    combined,
    linear,
)
from refmc.learn.boosting.models import AdaBoost, AdaBoostMH
from refmc.learn.boosting.stumps import FittedStump, Stump
from refmc.learn.online.perceptron_models import KernelPerceptron, MulticlassPerceptron, Perceptron
from refmc.learn.online.sgd_models import BinarySGD, MulticlassSGD
from refmc.learn.reductions.members import Reduction
from refmc.learn.reductions.one_vs_all import OneVsAll, by_claim, by_score, by_score_among_claims
from refmc.learn.reductions.one_vs_one import (
    OneVsOne,
    Tournament,
    by_score_sum,
    by_votes,
    by_votes_then_sums,
)
from refmc.learn.reductions.output_codes import different_columns
from refmc.learn.reductions.output_model import OutputCode
from refmc.learn.reductions.papers.error_correcting_tournament import (
    Entrant,
    ErrorCorrectingTournament,
)
from refmc.learn.reductions.papers.label_tree import LabelTree
from refmc.learn.svm.binary_model import BinarySVM
from refmc.learn.svm.multiclass_model import MulticlassSVM
from refmc.learn.trees.model import DecisionTree
from refmc.learn.trees.questions import CategoricalQuestion, NumericQuestion
from refmc.learn.trees.surfaces import LinearQuestion, SphereQuestion
from refmc.theory.kernels import Linear, Polynomial

MOST_MONOMIALS = 2_000
"""A polynomial kernel of degree p on d columns has the C(d + p, p) monomials of its sum."""

ONE = Fraction(1)


def read_model(model: Any) -> Predictor | None:
    """The predictor of a model that refmc fits, None for others; errors name what has none."""
    decision, asked = _decision(model)
    if decision is None:
        return None
    rows = getattr(model, "rows", None) or getattr(model, "W", None)
    width = getattr(model, "width", 0) or len(rows[0] if rows else getattr(model, "w", ()))
    kinds = getattr(model, "kinds", (NUMBER,) * width)
    known = getattr(model, "categories", (None,) * len(kinds))
    categories = []
    for j, kind in enumerate(kinds):  # where the model doesn't know them, those that are asked for
        own = [q.values for q in asked if isinstance(q, CategoricalQuestion) and q.column == j]
        named = tuple(sorted(set(chain(*own))))
        categories.append(None if kind == NUMBER else known[j] or named)
    thresholds = (getattr(q, "threshold", ONE) for q in asked)
    return Predictor(
        source=type(model).__name__,
        classes=model.classes,
        categories=tuple(categories),
        columns=getattr(model, "columns", ()),
        decision=decision,
        tie=getattr(model, "tie", first),
        floats=float in map(type, [getattr(model, "zero", ONE), *thresholds]),
    )


def _decision(model: Any) -> tuple[Graph | Best | None, Sequence[Any]]:
    """The decision, and what questions of trees and stumps it asks."""
    match model:
        case DecisionTree():
            return _tree(model), [node.question for node in model.nodes()]
        case FittedStump():
            return _stump(model), [model.stump.question]
        case AdaBoost() | AdaBoostMH():
            scores = _rounds(model)
            asked = [r.base.question for r in model.rounds]
            return highest(scores if isinstance(model, AdaBoostMH) else [(), scores[0]]), asked
        case Reduction():
            return _reduction(model), ()
        case MulticlassSVM() | MulticlassSGD() | MulticlassPerceptron():
            return highest(_sums(model)), ()
        case BinarySVM() | BinarySGD() | Perceptron() | KernelPerceptron():
            return highest([(), _score(model, "export")]), ()
    return None, ()


def highest(scores: Sequence[Score], present: Sequence[int] | None = None) -> Best:
    """The classes of the highest score."""
    places = range(len(scores)) if present is None else present
    return Best(tuple(places), (tuple(scores),))


def question_of(question: Any, categories: Categories) -> Question:
    """A question of a tree or stump; `None` always answers yes."""
    match question:
        case None:
            return ALWAYS
        case NumericQuestion(column, threshold):
            return Cut(column, Fraction(threshold))
        case CategoricalQuestion(column, values):
            return Member(column, values, 0 if categories[column] else -1)
        case LinearQuestion(coefficients, bound):
            return Sign(linear([-Fraction(a) for a in coefficients], bound), 1)
        case SphereQuestion(center, radius):
            a = [Fraction(v) for v in center]
            squares = tuple(((j, j), -ONE) for j in range(len(a)))
            rest = linear([2 * v for v in a], Fraction(radius) ** 2 - sum(v * v for v in a))
            return Sign((*squares, *rest), 1)
    raise ParameterError(f"question: {shown(question)} can't be exported; only refmc's own can")


def _tree(tree: DecisionTree) -> Graph:
    found = list(tree.nodes())
    place = {node.number: i for i, node in enumerate(found)}
    nodes = []
    for node in found:
        if node.question is None:
            nodes.append(Node(None, classes=node.choices))
        else:
            no, yes = (place[child.number] for child in node.children)
            nodes.append(Node(question_of(node.question, tree.categories), no, yes))
    return Graph(tuple(nodes))


def _stump(model: FittedStump) -> Graph:
    stump = model.stump
    signs = (stump.otherwise or (-stump.signs[0],))[0], stump.signs[0]
    ends = (Node(None, classes=(int(sign > 0),)) for sign in signs)
    return Graph((Node(question_of(stump.question, model.categories), 1, 2), *ends))


def stump_scores(
    question: Question, seen: Question, weight: Any, yes: Sequence[int], no: Sequence[int]
) -> list[tuple[Score, int]]:
    """For each class twice the weight times its entry of `yes` or `no`, by the answer.

    `seen` answers yes where the question has an answer, else 0.
    """
    asked, known = ((question, weight),), ((seen, weight),)
    return [(combined([(asked, a - b), (known, a + b)]), 1) for a, b in zip(yes, no)]


def _rounds(model: AdaBoost[Any] | AdaBoostMH[Any]) -> list[Score]:
    """The votes of all rounds for each label, of two classes for the second alone."""
    if isinstance(model, AdaBoostMH) and model.target != SINGLE:
        raise ParameterError("target: of label sets no single one is best; fit on single labels")
    rounds = []
    for r in model.rounds:
        if not isinstance(r.base, Stump):
            raise ParameterError(f"round {r.t}: {shown(r.base)} can't be exported; only stumps can")
        question = question_of(r.base.question, model.categories)
        seen: Question = ALWAYS
        if isinstance(question, Member) and not question.unseen:
            seen = question._replace(values=model.categories[question.column] or ())
        weight = Fraction(r.weight) if isinstance(r.weight, (int, float)) else r.weight
        no = r.base.otherwise or tuple(-v for v in r.base.signs)
        rounds.append(stump_scores(question, seen, weight, r.base.signs, no))
    return list(map(combined, zip(*rounds))) or [()] * len(model.classes)


def _sums(model: Any) -> list[Score]:
    """A sum of columns for each class of an SVM, a perceptron or SGD."""
    if getattr(model, "features", None) is not None:
        raise ParameterError("features: a function of the caller's can't be exported")
    if getattr(model, "voters", ()):
        raise ParameterError("voted: parts of tied votes can't be exported; train with average=")
    if model.W is not None:
        return [linear(w) for w in model.W]
    classes, rows = range(len(model.classes)), range(len(model.y))
    weights = ([model.coefficient(i, c) for i in rows] for c in classes)
    return [kernel_score(model.kernel, model.rows, beta) for beta in weights]


def _score(model: Any, place: str) -> Score:
    """The decision of a binary model, positive for its second class."""
    match model:
        case AdaBoost():
            return _rounds(model)[0]
        case Perceptron() if model.voters:
            signs = (Sign(linear(v.w, v.b)) for v in model.voters)
            return combined((((s, ONE),), v.votes) for s, v in zip(signs, model.voters))
        case KernelPerceptron() if model.voted:
            return _voted(model)
        case BinarySVM(w=None) | KernelPerceptron():
            beta = [a * s for a, s in zip(model.alpha, model.y)]
            return kernel_score(model.kernel, model.rows, beta, model.b)
        case BinarySVM() | BinarySGD() | Perceptron():
            return linear(model.w or (), model.b)
    raise ParameterError(f"{place}: {shown(model)} can't be exported; train a model of refmc")


def _voted(model: Any) -> Score:
    """The votes of all states of a kernel perceptron: each adds a row to the one before."""
    beta = [Fraction(a) * s for a, s in zip(model.start, model.y)]
    signs = []
    for visit, votes in zip((None, *model.course.mistakes), model.course.survivals()):
        if visit is not None:
            beta[visit.row] += Fraction(model.eta) * model.y[visit.row]
        score = kernel_score(model.kernel, model.rows, beta, sum(beta) * model.bias)
        signs.append((((Sign(score), ONE),), votes))
    return combined(signs)


def kernel_score(
    kernel: object, rows: Sequence[Sequence[Any]] | None, beta: Sequence[Any], b: Any = 0
) -> Score:
    """Σ β_i K(x_i, ·) + b as a sum of monomials, into which a polynomial kernel is expanded.

    >>> kernel_score(Polynomial(2, 1, 1), [[2]], [3])
    (((0, 0), Fraction(12, 1)), ((0,), Fraction(12, 1)), ((), Fraction(3, 1)))
    """
    if rows is None:
        raise ParameterError("gram: a matrix has values of training rows only; train on the rows")
    if isinstance(kernel, Linear):
        kernel = Polynomial(1, 1, 0)
    if not isinstance(kernel, Polynomial):
        raise ParameterError(f"kernel: {shown(kernel)} has no exact values; take a polynomial one")
    width, degree = len(rows[0]), kernel.degree
    if comb(width + degree, degree) > MOST_MONOMIALS:
        size = f"degree {degree} of {width} columns has more than {MOST_MONOMIALS} monomials"
        raise ExactnessLimitError(f"kernel: {size}; take a smaller degree or fewer columns")
    # a factor of the power is one of the columns, or the offset, which stands behind them
    last = Fraction(kernel.offset) * Fraction(kernel.scale)
    used = [(Fraction(a), [*map(Fraction, x), last]) for a, x in zip(beta, rows) if a]
    found: list[tuple[Score, int]] = [(linear([], b), 1)]
    for factors in combinations_with_replacement(range(width + 1), degree):
        repeats = prod(factorial(factors.count(j)) for j in set(factors))
        total = sum((a * prod(x[j] for j in factors) for a, x in used), 0 * ONE)
        monomial = tuple(j for j in factors if j < width)
        weight = total / Fraction(kernel.scale) ** degree
        found.append((((monomial, weight),), factorial(degree) // repeats))
    return combined(found)


def _reduction(model: Reduction) -> Graph | Best:
    makers: dict[Any, Callable[..., Graph | Best]] = {
        OneVsAll: _one_vs_all,
        OneVsOne: _one_vs_one,
        OutputCode: _output_code,
        LabelTree: _label_tree,
        ErrorCorrectingTournament: _tournament,
    }
    if type(model) not in makers:
        name = type(model).__name__
        raise ParameterError(f"export: {name} asks by which way a row came; train a label tree")
    models = enumerate(model.models)
    scores = [() if one is None else _score(one, f"binary problem {s}") for s, one in models]
    return makers[type(model)](model, scores)


def _one_vs_all(model: OneVsAll, scores: Sequence[Score]) -> Best:
    if len(model.classes) == 2:
        scores = [*scores, combined([(scores[0], -1)])]
    scores = scores or [()]
    if model.decide is by_claim:
        scores = [((Sign(score), ONE),) if score else () for score in scores]
    elif model.decide not in (by_score, by_score_among_claims):
        raise ParameterError("decide: a function of the caller's can't be exported")
    return highest(scores, model.present)


def _one_vs_one(model: OneVsOne, scores: Sequence[Score]) -> Graph | Best:
    pairs = [(pair, s) for pair, s in zip(model.pairs, scores) if set(pair) <= set(model.present)]
    signs = [(pair, ((Sign(s), ONE),) if s else ()) for pair, s in pairs]
    if isinstance(model.decide, Tournament):
        return _bracket([c for c in model.decide.bracket if c in model.present], dict(pairs))
    stages: dict[Any, Any] = {
        by_votes: [signs],
        by_score_sum: [pairs],
        by_votes_then_sums: [signs, pairs],
    }
    if model.decide not in stages:
        raise ParameterError("decide: a function of the caller's can't be exported")
    found = tuple(
        tuple(
            combined([(s, 1 if c == i else -1) for (i, j), s in stage if c in (i, j)])
            for c in range(len(model.classes))
        )
        for stage in stages[model.decide]
    )
    return Best(model.present, found)


def _bracket(drawn: Sequence[int], duels: dict[tuple[int, int], Score]) -> Graph:
    """A node for each state: what is still to come, and who has won and waits for an opponent.

    What comes is a class that enters, or None where the two that came last meet.
    """
    sides: list[tuple[int | None, ...]] = [(c,) for c in drawn]
    while len(sides) > 1:
        matches = [(*a, *b, None) for a, b in zip(sides[::2], sides[1::2])]
        sides = [*matches, *sides[2 * len(matches) :]]
    states: list[tuple[Any, Any]] = [(sides[0], ())]
    place, nodes = {states[0]: 0}, []
    for coming, waiting in states:  # which grows
        while coming and coming[0] is not None:
            coming, waiting = coming[1:], (*waiting, coming[0])
        if not coming:
            nodes.append(Node(None, classes=waiting))
            continue
        pair = tuple(sorted(waiting[-2:]))
        ways = [(coming[1:], (*waiting[:-2], c)) for c in pair]
        for state in ways:
            if state not in place:
                place[state] = len(states)
                states.append(state)
        yes, no = map(place.__getitem__, ways)
        nodes.append(Node(Sign(duels[pair]), no, yes))
    return Graph(tuple(nodes))


def _output_code(model: OutputCode, scores: Sequence[Score]) -> Best:
    if model.loss is not None:
        name = getattr(model.loss, "__name__", "another loss")
        raise ParameterError(f"loss: decoding by {name} can't be exported; take Hamming's, None")
    columns = [
        (((Sign(scores[n]), ONE),), [side * entry for entry in column])
        for (n, side), column in zip(different_columns(model.code), zip(*model.code))
        if scores[n]
    ]
    votes = [combined((sign, row[c]) for sign, row in columns) for c in range(len(model.classes))]
    return highest(votes, model.present)


def _label_tree(model: LabelTree, scores: Sequence[Score]) -> Graph:
    ends = {c: len(model.splits) + i for i, c in enumerate(model.present)}
    nodes = []
    for split, score in zip(model.splits, scores):
        sides = zip((split.left, split.right), split.below)
        yes, no = (ends[side[0]] if node is None else node for side, node in sides)
        nodes.append(Node(Sign(score), no, yes))
    return Graph((*nodes, *(Node(None, classes=(c,)) for c in ends)))


def _tournament(model: ErrorCorrectingTournament, scores: Sequence[Score]) -> Graph:
    nodes = [Node(None, classes=(c,)) for c in model.present]
    place = {Entrant(c): i for i, c in enumerate(model.present)}
    for n, match in enumerate(model.matches):
        sides = place[match.left], place[match.right]
        yes, no = sides if model.sides[n] >= 0 else sides[::-1]
        asked = ALWAYS if model.sides[n] else Sign(scores[n])
        for wins, ways in ((True, (no, yes)), (False, (yes, no))):
            place[Entrant(n, wins)] = len(nodes)
            nodes.append(Node(asked, *ways))
    return Graph(tuple(nodes), len(nodes) - 2 if model.matches else 0)
