"""The predictor that a model of refmc is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import comb, factorial, prod
from typing import Any

from refmc.core.cells import CATEGORY
from refmc.core.labels import SINGLE
from refmc.core.scalars import shown
from refmc.core.ties import first
from refmc.errors import ExactnessLimitError, ParameterError
from refmc.export.predictor import (
    ALWAYS,
    Best,
    Categories,
    Cut,
    Form,
    Graph,
    Majority,
    Member,
    Monomial,
    Node,
    Predictor,
    Question,
    Side,
    Voter,
    combined,
    form_of,
    linear_form,
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
"""A polynomial kernel of degree p on d columns has the C(d + p, p) monomials of its form."""

Scorer = Form | tuple[Voter, ...]
"""A number that a row gets: a form, or votes for one target."""

ONE = Fraction(1)


def read_model(model: Any) -> Predictor | None:
    """The predictor of a model that refmc fits, None for others; errors name what has none."""
    match model:
        case DecisionTree():
            return _tree(model)
        case FittedStump():
            return _stump(model)
        case AdaBoost() | AdaBoostMH():
            return _boosted(model)
        case Reduction():
            return _predictor(model, model.width, _reduction(model))
        case MulticlassSVM() | MulticlassSGD() | MulticlassPerceptron():
            forms = _forms(model)
            width = len(model.rows[0]) if isinstance(model, MulticlassSVM) and model.rows else 0
            return _predictor(model, width or len((model.W or ())[0]), best_form(forms))
        case BinarySVM() | BinarySGD() | Perceptron() | KernelPerceptron():
            rows = getattr(model, "rows", None)
            width = len(rows[0] if rows else getattr(model, "w", None) or ())
            return _predictor(model, width, _best([(), _scorer(model, _name(model))], (0, 1)))
    return None


def _name(model: Any) -> str:
    return type(model).__name__


def _predictor(model: Any, width: int, decision: Graph | Best) -> Predictor:
    floats = isinstance(model.zero, float)
    blank = (None,) * width
    return Predictor(_name(model), model.classes, blank, (), decision, model.tie, floats)


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
            return Side(linear_form([-Fraction(a) for a in coefficients], bound), 1)
        case SphereQuestion(center, radius):
            terms: dict[Monomial, Fraction] = {(): Fraction(radius) ** 2}
            for j, a in enumerate(Fraction(v) for v in center):
                terms |= {(j, j): -ONE, (j,): 2 * a, (): terms[()] - a * a}
            return Side(form_of(terms), 1)
    raise ParameterError(f"question: {shown(question)} can't be exported; only refmc's own can")


def known_categories(
    kinds: Sequence[str], categories: Categories, asked: Sequence[Any]
) -> Categories:
    """The categories of each column; where the model doesn't know them, those that are asked for.

    >>> known_categories(["number", "category"], (None, None), [CategoricalQuestion(1, ("b",))])
    (None, ('b',))
    """
    named: dict[int, set[str]] = {j: set() for j, kind in enumerate(kinds) if kind == CATEGORY}
    for question in asked:
        if isinstance(question, CategoricalQuestion):
            named[question.column].update(question.values)
    return tuple(
        (categories[j] or tuple(sorted(named[j]))) if j in named else None
        for j in range(len(kinds))
    )


def _tree(tree: DecisionTree) -> Predictor:
    found = list(tree.nodes())
    place = {node.number: i for i, node in enumerate(found)}
    nodes = []
    for node in found:
        if node.question is None:
            nodes.append(Node(None, classes=node.choices))
        else:
            no, yes = (place[child.number] for child in node.children)
            nodes.append(Node(question_of(node.question, tree.categories), no, yes))
    asked = [node.question for node in found]
    return Predictor(
        source=_name(tree),
        classes=tree.classes,
        categories=known_categories(tree.kinds, tree.categories, asked),
        columns=tree.columns,
        decision=Graph(tuple(nodes)),
        tie=tree.tie,
        floats=any(isinstance(getattr(q, "threshold", 0), float) for q in asked),
    )


def _stump(model: FittedStump) -> Predictor:
    (yes,), (no,) = model.stump.signs, model.stump.otherwise or (-model.stump.signs[0],)
    ends = tuple(Node(None, classes=(int(sign > 0),)) for sign in (no, yes))
    asked = model.stump.question
    return Predictor(
        source=_name(model),
        classes=model.classes,
        categories=known_categories(model.kinds, model.categories, [asked]),
        columns=(),
        decision=Graph((Node(question_of(asked, model.categories), 1, 2), *ends)),
        tie=first,
        floats=isinstance(getattr(asked, "threshold", 0), float),
    )


def voters_of(
    question: Question, seen: Question, weight: Any, yes: Sequence[int], no: Sequence[int]
) -> list[Voter]:
    """Voters for twice the weight times `yes` or `no`, by the answer; none where it is 0.

    `seen` answers yes where the question has an answer, else 0.
    """
    halves = [tuple(a - b for a, b in zip(yes, no)), tuple(a + b for a, b in zip(yes, no))]
    asked = zip((question, seen), halves)
    return [Voter(one, weight, counts) for one, counts in asked if any(counts)]


def _rounds(model: AdaBoost[Any] | AdaBoostMH[Any]) -> list[Voter]:
    """The voters of all rounds, for the labels in their order, or for the positive one alone."""
    voters = []
    for r in model.rounds:
        stump = r.base
        if not isinstance(stump, Stump):
            raise ParameterError(
                f"round {r.t}: a {_name(stump)} can't be exported; only stumps can"
            )
        question = question_of(stump.question, model.categories)
        seen: Question = ALWAYS
        if isinstance(question, Member) and not question.unseen:
            seen = Member(question.column, model.categories[question.column] or ())
        weight = Fraction(r.weight) if isinstance(r.weight, (int, float)) else r.weight
        no = stump.otherwise or tuple(-v for v in stump.signs)
        voters += voters_of(question, seen, weight, stump.signs, no)
    return voters


def _boosted(model: AdaBoost[Any] | AdaBoostMH[Any]) -> Predictor:
    if isinstance(model, AdaBoostMH) and model.target != SINGLE:
        raise ParameterError(
            "target: label sets have no single label to give; export a model that was fitted on "
            "single labels, or one AdaBoost for each label"
        )
    voters = _rounds(model)
    if isinstance(model, AdaBoost):
        voters = [voter._replace(counts=(0, *voter.counts)) for voter in voters]
    asked = [getattr(r.base, "question", None) for r in model.rounds]
    return Predictor(
        source=f"{_name(model)} of {len(model.rounds)} rounds",
        classes=model.classes,
        categories=known_categories(model.kinds, model.categories, asked),
        columns=(),
        decision=Best(tuple(range(len(model.classes))), tuple(voters)),
        tie=model.tie,
        floats=isinstance(model.zero, float),
    )


def _forms(
    model: MulticlassSVM[Any] | MulticlassSGD[Any] | MulticlassPerceptron[Any],
) -> list[Form]:
    """A form for each class."""
    if getattr(model, "features", None) is not None:
        raise ParameterError("features: a function of the caller's can't be exported")
    if getattr(model, "voters", ()):
        raise ParameterError(
            "voted: the parts of tied votes can't be exported; train with average= instead, or "
            "one-vs-all of voted perceptrons"
        )
    if model.W is not None:
        return [linear_form(w) for w in model.W]
    assert isinstance(model, MulticlassSVM)
    weights = [
        [Fraction(model.coefficient(i, y)) for i in range(len(model.y))]
        for y in range(len(model.classes))
    ]
    return [kernel_form(model.kernel, model.rows, beta) for beta in weights]


def _scorer(model: Any, place: str) -> Scorer:
    """The decision of a binary model, positive for its second class."""
    match model:
        case BinarySVM():
            if model.w is not None:
                return linear_form(model.w, model.b)
            beta = [a * s for a, s in zip(model.alpha, model.y)]
            return kernel_form(model.kernel, model.rows, beta, model.b)
        case BinarySGD():
            return linear_form(model.w, model.b)
        case Perceptron():
            if not model.voters:
                return linear_form(model.w, model.b)
            forms = [(linear_form(v.w, v.b), v.votes) for v in model.voters]
            return tuple(Voter(Side(form), Fraction(votes), (1,)) for form, votes in forms)
        case KernelPerceptron():
            if not model.voted:
                beta = [a * s for a, s in zip(model.alpha, model.y)]
                return kernel_form(model.kernel, model.rows, beta, model.b)
            return _voted(model)
        case AdaBoost():
            return tuple(_rounds(model))
    raise ParameterError(
        f"{place}: {shown(model)} can't be exported; known are BinarySVM, BinarySGD, Perceptron, "
        "KernelPerceptron and AdaBoost"
    )


def _voted(model: KernelPerceptron[Any]) -> tuple[Voter, ...]:
    """All states that a kernel perceptron passed through: each adds a row to the one before."""
    m = len(model.y)
    beta, b = [Fraction(a) * s for a, s in zip(model.start, model.y)], Fraction(0)
    b = sum(beta, b) * model.bias
    voters = []
    changes: list[int | None] = [None, *(visit.row for visit in model.course.mistakes)]
    parts = [
        kernel_form(model.kernel, model.rows, [ONE * (i == j) for j in range(m)])
        if i in changes
        else ()
        for i in range(m)
    ]
    form = kernel_form(model.kernel, model.rows, beta, b)
    for i, votes in zip(changes, model.course.survivals()):
        if i is not None:
            form = combined(
                [(form, 1), (parts[i], model.y[i]), (linear_form([], 1), model.y[i] * model.bias)]
            )
        voters.append(Voter(Side(form), Fraction(votes), (1,)))
    return tuple(voters)


def kernel_form(
    kernel: object, rows: Sequence[Sequence[Any]] | None, beta: Sequence[Any], b: Any = 0
) -> Form:
    """Σ β_i K(x_i, ·) + b as one form; a polynomial kernel is expanded into its monomials.

    >>> kernel_form(Polynomial(2, 1, 1), [[2]], [3])
    (((), Fraction(3, 1)), ((0,), Fraction(12, 1)), ((0, 0), Fraction(12, 1)))
    """
    if rows is None:
        raise ParameterError("gram: a matrix has values of training rows only; train on the rows")
    used = [(Fraction(a), [Fraction(v) for v in x]) for a, x in zip(beta, rows) if a]
    constant = form_of({(): Fraction(b)})
    if isinstance(kernel, Linear):
        columns = zip(*([a * v for v in x] for a, x in used))
        return combined([(linear_form([sum(c, Fraction(0)) for c in columns]), 1), (constant, 1)])
    if not isinstance(kernel, Polynomial):
        raise ParameterError(
            f"kernel: {shown(kernel)} has no exact values, and no other language says how it "
            "rounds; train with the linear or a polynomial kernel"
        )
    size = comb(len(rows[0]) + kernel.degree, kernel.degree)
    if size > MOST_MONOMIALS:
        raise ExactnessLimitError(
            f"kernel: degree {kernel.degree} of {len(rows[0])} columns has {size} monomials, of at "
            f"most {MOST_MONOMIALS}; take a smaller degree or fewer columns"
        )
    scale, offset = Fraction(kernel.scale), Fraction(kernel.offset)
    found: dict[Monomial, Fraction] = {}
    for monomial in _monomials(len(rows[0]), kernel.degree):
        rest = kernel.degree - len(monomial)
        repeats = prod(factorial(monomial.count(j)) for j in set(monomial)) * factorial(rest)
        times = Fraction(factorial(kernel.degree), repeats) * offset**rest / scale ** len(monomial)
        found[monomial] = times * sum((a * prod(x[j] for j in monomial) for a, x in used), 0 * ONE)
    return combined([(form_of(found), 1), (constant, 1)])


def _monomials(width: int, degree: int) -> list[Monomial]:
    """All products of at most so many columns."""
    found: list[Monomial] = [()]
    last = found
    for _ in range(degree):
        last = [(*m, j) for m in last for j in range(m[-1] if m else 0, width)]
        found = found + last
    return found


def best_form(forms: Sequence[Form]) -> Best:
    """The classes of the largest form."""
    return Best(tuple(range(len(forms))), forms=tuple(forms))


def _best(scorers: Sequence[Scorer], present: Sequence[int]) -> Best:
    """The classes of the highest score, whose scorers are all forms, or all votes."""
    places = tuple(present)
    if any(_are_votes(scorer) for scorer in scorers):
        return Best(places, _joint_votes(scorers))
    return Best(places, forms=tuple(scorers))  # type: ignore[arg-type]  # none are votes


def _are_votes(scorer: Scorer) -> bool:
    return any(isinstance(part, Voter) for part in scorer)


def _joint_votes(scorers: Sequence[Scorer]) -> tuple[Voter, ...]:
    """The votes of scorers of the classes, as voters for all classes."""
    found = []
    for c, scorer in enumerate(scorers):
        for voter in scorer:
            if not isinstance(voter, Voter):
                raise ParameterError("binary: sums of votes and of weights can't be exported")
            counts = tuple(voter.counts[0] * (c == r) for r in range(len(scorers)))
            found.append(voter._replace(counts=counts))
    return tuple(found)


def _signed(scorer: Scorer) -> Question:
    """The sign of a scorer as a question."""
    if _are_votes(scorer):
        return Majority(scorer)  # type: ignore[arg-type]  # all are voters
    return Side(scorer)  # type: ignore[arg-type]  # none is


def _sum(parts: Sequence[tuple[Scorer, int]]) -> Scorer:
    """The sum of scorers, each times 1 or −1."""
    if not any(_are_votes(scorer) for scorer, _ in parts):
        return combined(parts)  # type: ignore[arg-type]  # none are votes
    return tuple(
        voter._replace(counts=(voter.counts[0] * times,))
        for scorer, times in parts
        for voter in _joint_votes([scorer])
    )


def _reduction(model: Reduction) -> Graph | Best:
    places = [f"binary problem {s}" for s in range(len(model.models))]
    scorers = [
        () if one is None else _scorer(one, place) for one, place in zip(model.models, places)
    ]
    match model:
        case OneVsAll():
            return _one_vs_all(model, scorers)
        case OneVsOne():
            return _one_vs_one(model, scorers)
        case OutputCode():
            return _output_code(model, scorers)
        case LabelTree():
            return _label_tree(model, scorers)
        case ErrorCorrectingTournament():
            return _tournament(model, scorers)
    raise ParameterError(
        f"export: a {_name(model)} can't be exported, since its classifiers ask by which way a row "
        "came; train a label tree"
    )


def _alone(question: Question, counts: dict[int, int], k: int) -> Voter:
    return Voter(question, ONE, tuple(counts.get(c, 0) for c in range(k)))


def _one_vs_all(model: OneVsAll, scorers: Sequence[Scorer]) -> Best:
    k = len(model.classes)
    if model.decide in (by_score, by_score_among_claims):
        # of two classes the second has minus the score of the first, which is beaten by 0 as well
        return _best([*scorers, *[()] * (k - len(scorers))], model.present)
    if model.decide is not by_claim:
        raise ParameterError("decide: a function of the caller's can't be exported")
    voters = [
        _alone(_signed(scorer), {j: 1} | ({1: -1} if k == 2 else {}), k)
        for j, scorer in enumerate(scorers)
        if scorer
    ]
    return Best(model.present, tuple(voters))


def _one_vs_one(model: OneVsOne, scorers: Sequence[Scorer]) -> Graph | Best:
    k, present = len(model.classes), model.present
    duels = {
        pair: scorer
        for pair, scorer in zip(model.pairs, scorers)
        if pair[0] in present and pair[1] in present
    }
    if isinstance(model.decide, Tournament):
        return _bracket([c for c in model.decide.bracket if c in present], duels)
    signs = tuple(_alone(_signed(f), {i: 1, j: -1}, k) for (i, j), f in duels.items() if f)
    if model.decide is by_votes:
        return Best(present, signs)
    sums = _best(
        [
            _sum([(f, 1 if i == c else -1) for (i, j), f in duels.items() if c in (i, j)])
            for c in range(k)
        ],
        present,
    )
    if model.decide is by_score_sum:
        return sums
    if model.decide is not by_votes_then_sums or sums.voters:
        raise ParameterError("decide: a function of the caller's, or sums of votes after votes")
    return Best(present, signs, sums.forms)


def _bracket(drawn: Sequence[int], duels: dict[tuple[int, int], Scorer]) -> Graph:
    """Matches in the order in which they are played, again for each who may wait for the winner."""
    nodes: list[Node] = []

    def number(node: Node) -> int:
        nodes.append(node)
        return len(nodes) - 1

    def meet(side: Any, then: Callable[[int], int]) -> int:
        if isinstance(side, int):
            return then(side)
        left, right = side
        return meet(left, cache(lambda i: meet(right, cache(lambda j: match(i, j, then)))))

    def match(i: int, j: int, then: Callable[[int], int]) -> int:
        ways = {i: then(i), j: then(j)}
        low, high = sorted((i, j))
        return number(Node(_signed(duels[low, high]), ways[high], ways[low]))

    sides: list[Any] = list(drawn)
    while len(sides) > 1:
        sides = [*zip(sides[::2], sides[1::2]), *sides[len(sides) // 2 * 2 :]]
    start = meet(sides[0], cache(lambda c: number(Node(None, classes=(c,)))))
    return Graph(tuple(nodes), start)


def _output_code(model: OutputCode, scorers: Sequence[Scorer]) -> Best:
    if model.loss is not None:
        raise ParameterError(
            f"loss: decoding by {shown(getattr(model.loss, '__name__', model.loss))} has no exact "
            "values in other languages; train with Hamming decoding (loss=None)"
        )
    counts = [[0] * len(model.classes) for _ in scorers]
    for (n, side), column in zip(different_columns(model.code), zip(*model.code)):
        counts[n] = [count + side * entry for count, entry in zip(counts[n], column)]
    asked = [(_signed(scorer), row) for scorer, row in zip(scorers, counts) if scorer]
    voters = [Voter(question, ONE, tuple(row)) for question, row in asked]
    return Best(model.present, tuple(voters))


def _label_tree(model: LabelTree, scorers: Sequence[Scorer]) -> Graph:
    ends = {c: len(model.splits) + i for i, c in enumerate(model.present)}
    nodes = []
    for split, scorer in zip(model.splits, scorers):
        sides = zip((split.left, split.right), split.below)
        yes, no = (ends[side[0]] if node is None else node for side, node in sides)
        nodes.append(Node(_signed(scorer), no, yes))
    return Graph((*nodes, *(Node(None, classes=(c,)) for c in ends)))


def _tournament(model: ErrorCorrectingTournament, scorers: Sequence[Scorer]) -> Graph:
    nodes: list[Node] = []
    place: dict[Entrant, int] = {}

    def number(entrant: Entrant, node: Node) -> None:
        place[entrant] = len(nodes)
        nodes.append(node)

    for c in model.present:
        number(Entrant(c), Node(None, classes=(c,)))
    for n, match in enumerate(model.matches):
        question = ALWAYS if model.sides[n] else _signed(scorers[n])
        left, right = place[match.left], place[match.right]
        if model.sides[n] < 0:
            left, right = right, left
        number(Entrant(n, True), Node(question, right, left))
        number(Entrant(n, False), Node(question, left, right))
    return Graph(tuple(nodes), place[Entrant(len(model.matches) - 1, True)] if model.matches else 0)
