"""The predictor that a model of refmc is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from itertools import chain
from math import comb
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
    product,
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
    if type(model) not in DECISIONS:
        if isinstance(model, Reduction):
            name = type(model).__name__
            raise ParameterError(f"export: {name} asks by which way a row came; train a label tree")
        return None
    decision = DECISIONS[type(model)](model)
    rows = getattr(model, "rows", None) or getattr(model, "W", None)
    width = getattr(model, "width", 0) or len(rows[0] if rows else getattr(model, "w", ()))
    kinds = getattr(model, "kinds", (NUMBER,) * width)
    known = getattr(model, "categories", (None,) * len(kinds))
    asked = [r.base.question for r in getattr(model, "rounds", ())]
    if isinstance(model, DecisionTree):
        asked = [node.question for node in model.nodes()]
    if isinstance(model, FittedStump):
        asked = [model.stump.question]
    categories = []
    for j, kind in enumerate(kinds):  # where the model doesn't know them, those that are asked for
        own = [q.values for q in asked if isinstance(q, CategoricalQuestion) and q.column == j]
        categories.append(None if kind == NUMBER else known[j] or tuple(sorted({*chain(*own)})))
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


def highest(scores: Sequence[Score], k: int, present: Sequence[int] | None = None) -> Best:
    """Of k classes those of the highest score; a single score is that of the second of two."""
    every = scores if len(scores) == k else [(), *scores]
    return Best(tuple(range(k) if present is None else present), (tuple(every),))


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
    nodes = {}
    for node in tree.nodes():
        if node.question is None:
            nodes[node.number] = Node(None, classes=node.choices)
        else:
            no, yes = (child.number for child in node.children)
            nodes[node.number] = Node(question_of(node.question, tree.categories), no, yes)
    return Graph(nodes, tree.root.number)


def _stump(model: FittedStump) -> Graph:
    stump = model.stump
    no, yes = (stump.otherwise or (-stump.signs[0],))[0], stump.signs[0]
    asked = Node(question_of(stump.question, model.categories), "no", "yes")
    ends = {name: Node(None, classes=(int(sign > 0),)) for name, sign in (("no", no), ("yes", yes))}
    return Graph({"root": asked, **ends}, "root")


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


def _scores(model: Any, place: str) -> list[Score]:
    """The scores of all classes, of a binary model that of its second class alone."""
    if getattr(model, "features", None) is not None:
        raise ParameterError("features: a function of the caller's can't be exported")
    if isinstance(model, MulticlassPerceptron) and model.voters:
        raise ParameterError("voted: parts of tied votes can't be exported; train with average=")
    match model:
        case AdaBoost() | AdaBoostMH():
            return _rounds(model)
        case Perceptron(voters=(_, *_)):
            signs = (((Sign(linear(v.w, v.b)), ONE),) for v in model.voters)
            return [combined((sign, v.votes) for sign, v in zip(signs, model.voters))]
        case KernelPerceptron(voted=True):
            return [_voted(model)]
        case BinarySVM(w=None) | KernelPerceptron():
            beta = [a * s for a, s in zip(model.alpha, model.y)]
            return kernel_scores(model.kernel, model.rows, [(beta, model.b)])
        case MulticlassSVM(W=None):
            classes, rows = range(len(model.classes)), range(len(model.y))
            sums = [([model.coefficient(i, c) for i in rows], 0) for c in classes]
            return kernel_scores(model.kernel, model.rows, sums)
        case BinarySVM() | BinarySGD() | Perceptron():
            return [linear(model.w or (), model.b)]
        case MulticlassSVM() | MulticlassSGD() | MulticlassPerceptron():
            return [linear(w) for w in model.W or ()]
    raise ParameterError(f"{place}: {shown(model)} can't be exported; train a model of refmc")


def _voted(model: KernelPerceptron[Any]) -> Score:
    """The votes of all states of a kernel perceptron: each adds a row to the one before."""
    beta, sums = [Fraction(a) * s for a, s in zip(model.start, model.y)], []
    for visit in (None, *model.course.mistakes):
        if visit is not None:
            beta[visit.row] += Fraction(model.eta) * model.y[visit.row]
        sums.append((list(beta), sum(beta) * model.bias))
    scores = kernel_scores(model.kernel, model.rows, sums)
    votes = zip(scores, model.course.survivals())
    return combined((((Sign(score), ONE),), count) for score, count in votes)


def kernel_scores(
    kernel: object, rows: Sequence[Sequence[Any]] | None, sums: Sequence[tuple[Sequence[Any], Any]]
) -> list[Score]:
    """Σ β_i K(x_i, ·) + b for each β and b, with a polynomial kernel expanded into monomials.

    >>> kernel_scores(Polynomial(2, 1, 1), [[2]], [([3], 0)])
    [(((0, 0), Fraction(12, 1)), ((0,), Fraction(12, 1)), ((), Fraction(3, 1)))]
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
    scale, K = Fraction(kernel.scale), []
    for x, counts in zip(rows, zip(*(beta for beta, _ in sums))):
        inner = linear([Fraction(v) / scale for v in x], kernel.offset) if any(counts) else ()
        K.append(reduce(product, [inner] * degree))
    return [combined([(linear([], b), 1), *zip(K, beta)]) for beta, b in sums]


def _binary(model: Reduction) -> list[Score]:
    """The score of each binary model, nothing where there is none."""
    models = enumerate(model.models)
    return [() if one is None else _scores(one, f"binary problem {s}")[0] for s, one in models]


def _one_vs_all(model: OneVsAll) -> Best:
    scores, k = _binary(model) or [()], len(model.classes)
    if k == 2:
        scores.append(combined([(scores[0], -1)]))
    if model.decide is by_claim:
        scores = [((Sign(score), ONE),) if score else () for score in scores]
    elif model.decide not in (by_score, by_score_among_claims):
        raise ParameterError("decide: a function of the caller's can't be exported")
    return highest(scores, k, model.present)


def _one_vs_one(model: OneVsOne) -> Graph | Best:
    scores = zip(model.pairs, _binary(model))
    pairs = [(pair, score) for pair, score in scores if set(pair) <= set(model.present)]
    signs = [(pair, ((Sign(s), ONE),) if s else ()) for pair, s in pairs]
    if isinstance(model.decide, Tournament):
        return _bracket([c for c in model.decide.bracket if c in model.present], dict(pairs))
    ways: Any = {by_votes: [signs], by_score_sum: [pairs], by_votes_then_sums: [signs, pairs]}
    if model.decide not in ways:
        raise ParameterError("decide: a function of the caller's can't be exported")
    found = tuple(
        tuple(
            combined([(s, 1 if c == i else -1) for (i, j), s in stage if c in (i, j)])
            for c in range(len(model.classes))
        )
        for stage in ways[model.decide]
    )
    return Best(model.present, found)


def _bracket(drawn: Sequence[int], duels: dict[Any, Score]) -> Graph:
    """A node for each state: what is still to come, and who has won and waits for an opponent.

    What comes is a class that enters, or None where the two that came last meet.
    """
    sides: list[tuple[int | None, ...]] = [(c,) for c in drawn]
    while len(sides) > 1:
        matches = [(*a, *b, None) for a, b in zip(sides[::2], sides[1::2])]
        sides = [*matches, *sides[2 * len(matches) :]]
    start: tuple[Any, Any] = (sides[0], ())
    nodes: dict[Any, Node] = {}
    waiting = [start]
    for state in waiting:  # which grows
        if state in nodes:
            continue
        coming, met = state
        while coming and coming[0] is not None:
            coming, met = coming[1:], (*met, coming[0])
        if not coming:
            nodes[state] = Node(None, classes=met)
            continue
        pair = tuple(sorted(met[-2:]))
        yes, no = ((coming[1:], (*met[:-2], c)) for c in pair)
        nodes[state] = Node(Sign(duels[pair]), no, yes)
        waiting += [yes, no]
    return Graph(nodes, start)


def _output_code(model: OutputCode) -> Best:
    if model.loss is not None:
        name = getattr(model.loss, "__name__", "another loss")
        raise ParameterError(f"loss: decoding by {name} can't be exported; take Hamming's, None")
    scores, k = _binary(model), len(model.classes)
    columns = [
        (((Sign(scores[n]), ONE),), [side * entry for entry in column])
        for (n, side), column in zip(different_columns(model.code), zip(*model.code))
        if scores[n]
    ]
    votes = [combined((sign, row[c]) for sign, row in columns) for c in range(k)]
    return highest(votes, k, model.present)


def _label_tree(model: LabelTree) -> Graph:
    ends = {("end", c): Node(None, classes=(c,)) for c in model.present}
    nodes: dict[Any, Node] = {}
    for n, (split, score) in enumerate(zip(model.splits, _binary(model))):
        sides = zip((split.left, split.right), split.below)
        yes, no = (("end", side[0]) if below is None else below for side, below in sides)
        nodes[n] = Node(Sign(score), no, yes)
    return Graph(nodes | ends, next(iter(nodes | ends)))


def _tournament(model: ErrorCorrectingTournament) -> Graph:
    nodes = {Entrant(c): Node(None, classes=(c,)) for c in model.present}
    for n, (match, score) in enumerate(zip(model.matches, _binary(model))):
        asked = ALWAYS if model.sides[n] else Sign(score)
        ways = (match.right, match.left) if model.sides[n] >= 0 else (match.left, match.right)
        nodes[Entrant(n, True)] = Node(asked, *ways)
        nodes[Entrant(n, False)] = Node(asked, *ways[::-1])
    final = Entrant(len(model.matches) - 1, True)
    return Graph(nodes, final if model.matches else Entrant(model.present[0]))


def _linear(model: Any) -> Best:
    return highest(_scores(model, "export"), len(model.classes))


DECISIONS: dict[type, Callable[[Any], Graph | Best]] = {
    DecisionTree: _tree,
    FittedStump: _stump,
    OneVsAll: _one_vs_all,
    OneVsOne: _one_vs_one,
    OutputCode: _output_code,
    LabelTree: _label_tree,
    ErrorCorrectingTournament: _tournament,
    **dict.fromkeys([AdaBoost, AdaBoostMH, BinarySVM, BinarySGD, Perceptron], _linear),
    **dict.fromkeys([KernelPerceptron, MulticlassSVM, MulticlassSGD], _linear),
    MulticlassPerceptron: _linear,
}
"""What decides in each kind of model."""
