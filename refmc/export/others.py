"""The predictor that another program's model is, by the rules of that program's own predict.

Estimators of scikit-learn are known by the names of their classes; model files of LIBSVM, LIBLINEAR
and rpart are read by `refmc.read_model`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

from refmc.adapters.held import Held, held
from refmc.adapters.liblinear import LiblinearModel
from refmc.adapters.libsvm import LibsvmModel
from refmc.adapters.model_text import check_fields, read_counts, read_number
from refmc.adapters.rpart import RpartTree
from refmc.adapters.trees import ARRAYS
from refmc.core.scalars import plain
from refmc.core.ties import TiePolicy, argmax_set, first, last
from refmc.errors import FormatError, ParameterError
from refmc.export.predictor import (
    ALWAYS,
    Best,
    Cut,
    Graph,
    Member,
    Node,
    Predictor,
    Sign,
    combined,
    linear,
)
from refmc.export.reading import highest, kernel_scores, stump_scores
from refmc.theory.kernels import polynomial


def read_other(model: Any, columns: Sequence[str]) -> Predictor:
    """The predictor of a model that is known here; `columns` are those of rpart."""
    match model:
        case LibsvmModel():
            return _libsvm(model)
        case LiblinearModel():
            return _liblinear(model)
        case RpartTree():
            return _rpart(model, columns)
    known = held(model, ESTIMATORS, "can't be exported")
    decision, single = ESTIMATORS[known.kind](known)
    blank = (None,) * known.fitted("n_features_in_")
    names: Any = plain(getattr(model, "feature_names_in_", ()))
    classes = tuple(known.fitted("classes_"))
    return Predictor(known.kind, classes, blank, tuple(names), decision, first, True, single)


def _tree(held: Held) -> tuple[Graph, bool]:
    """x ≤ t goes left, x in single precision; the first of the largest values is the label."""
    tree = Held(f"{held.kind}.tree_", held.fitted("tree_"), {})
    nodes = {}
    for n, (left, right, j, t, value) in enumerate(zip(*map(tree.fitted, (*ARRAYS, "value")))):
        if len(value) > 1:
            raise ParameterError("DecisionTreeClassifier: several outputs can't be exported")
        end = Node(None, classes=argmax_set(value[0]))
        nodes[n] = end if left < 0 else Node(Cut(j, Fraction(t)), right, left)
    return Graph(nodes, 0), True


def _linear(held: Held) -> tuple[Best, bool]:
    """The largest decision; of two classes the second where its only decision is above 0."""
    coef, given = held.numbers("coef_", None, None), held.fitted("intercept_")
    constants = given if isinstance(given, list) else [given] * len(coef)
    return highest(list(map(linear, coef, constants)), len(held.fitted("classes_"))), False


def _boosted(held: Held) -> tuple[Best, bool]:
    """The class of the largest sum of weights of those that predict it."""
    classes, rounds = held.fitted("classes_"), []
    for stump, weight in zip(held.members(), held.numbers("estimator_weights_", None)):
        member = Held(f"{held.kind}.estimators_", stump, {})
        root, *ends = _tree(member)[0].nodes.values()
        if len(ends) > 2:
            raise ParameterError("AdaBoostClassifier: only stumps can be exported, max_depth=1")
        own = member.fitted("classes_")
        said = ([int(c == own[end.classes[0]]) for c in classes] for end in (ends or [root, root]))
        rounds.append(stump_scores(root.question or ALWAYS, ALWAYS, Fraction(weight), *said))
    return highest(list(map(combined, zip(*rounds))), len(classes)), True


def _svc(held: Held) -> tuple[Best, bool]:
    held.only("break_ties", False, why="can't be exported; fit without")
    names = ("support_vectors_", "classes_", "dual_coef_", "intercept_", "n_support_")
    vectors, classes, dual, intercepts, counts = map(held.fitted, names)
    flip = -1 if len(classes) == 2 else 1  # of two classes the public numbers are for the second
    coefficients = [[flip * v for v in row] for row in zip(*dual)]
    kernel = _kernel(held.parameter("kernel"), held.fitted, "_gamma")
    return _pairs(counts, coefficients, vectors, [flip * b for b in intercepts], kernel), False


def _libsvm(model: LibsvmModel) -> Predictor:
    header = model.header

    def number(name: str) -> float:
        check_fields(header, [name], "SV")
        return read_number(header[name][0], f"model: {name}")

    columns = range(1, max((j for vector in model.vectors for j in vector), default=1) + 1)
    vectors = [[vector.get(j, 0) for j in columns] for vector in model.vectors]
    constants = [-read_number(rho, "model: rho") for rho in header["rho"]]
    counts, kernel = read_counts(header, "nr_sv"), _kernel(header["kernel_type"][0], number)
    decision = _pairs(counts, model.coefficients, vectors, constants, kernel)
    return _of_file(model, decision, len(columns), header["label"])


def _kernel(kind: Any, number: Callable[[str], Any], gamma: str = "gamma") -> Any:
    """A kernel by its name; another than these two is refused where it is used."""
    if kind == "linear":
        return polynomial(1)
    if kind not in ("poly", "polynomial"):
        return kind
    return polynomial(int(number("degree")), 1 / Fraction(number(gamma)), Fraction(number("coef0")))


def _pairs(counts: Any, coefficients: Any, vectors: Any, constants: Any, kernel: Any) -> Best:
    """LIBSVM's votes: of two classes the first where its decision is above 0, else the second.

    For each support vector a coefficient for each other class.
    """
    owner = [c for c, count in enumerate(counts) for _ in range(count)]
    pairs, sums = list(combinations(range(len(counts)), 2)), []
    for (a, b), constant in zip(pairs, constants):
        place = {a: b - 1, b: a}
        beta = [row[place[c]] if c in place else 0 for c, row in zip(owner, coefficients)]
        sums.append((beta, constant))
    sides = [((Sign(s, -1), Fraction(1)),) for s in kernel_scores(kernel, vectors, sums)]
    votes = [
        combined((side, 1 if c == pair[0] else -1) for side, pair in zip(sides, pairs) if c in pair)
        for c in range(len(counts))
    ]
    return highest(votes, len(counts))


def _liblinear(model: LiblinearModel) -> Predictor:
    """The largest decision; of two classes the first where its decision is above 0."""
    bias = Fraction(read_number(model.header["bias"][0], "model: bias"))
    rows, labels = model.weights[:-1] if bias >= 0 else model.weights, model.header["label"]
    constants = [Fraction(b) * bias for b in model.weights[-1]] if bias >= 0 else [0] * len(labels)
    scores = list(map(linear, zip(*rows), constants))
    scores = [scores[0], ()] if len(labels) == 2 else scores
    tie = last if len(labels) == 2 else first
    return _of_file(model, highest(scores, len(labels)), len(rows), labels, tie)


def _of_file(
    model: Any, decision: Best, width: int, labels: Sequence[str], tie: TiePolicy = first
) -> Predictor:
    names = tuple(str(j + 1) for j in range(width))
    source, blank = type(model).__name__, (None,) * width
    return Predictor(source, tuple(labels), blank, names, decision, tie, floats=True)


def _rpart(model: RpartTree, columns: Sequence[str]) -> Predictor:
    """Numbers below a split go left or right as it says, and listed categories left."""
    asked = [node.column for node in model.nodes.values() if node.column is not None]
    names = list(columns or dict.fromkeys(asked) or ["x0"])
    if not set(asked) <= set(names) or 1 not in model.nodes:
        raise FormatError(f"model: expected node 1, and questions about {', '.join(names)}")
    classes = sorted({node.label for node in model.nodes.values()})
    nodes, known = {}, [set[str]() for _ in names]
    for n, (label, column, threshold, values, yes, no) in model.nodes.items():
        if column is None:
            nodes[n] = Node(None, classes=(classes.index(label),))
            continue
        j = names.index(column)
        question: Cut | Member = Member(j, values, -1)
        if threshold is not None:
            question = Cut(j, Fraction(threshold), strict=True)
        known[j].update(values)
        nodes[n] = Node(question, no, yes)
    if any(isinstance(q, Cut) and known[q.column] for q, *_ in nodes.values()):
        raise FormatError("model: a column is asked for numbers and for categories")
    categories = tuple(tuple(sorted(own)) or None for own in known)
    tree = Graph(nodes, 1)
    return Predictor("rpart", tuple(classes), categories, tuple(names), tree, first, True)


ESTIMATORS: dict[str, Callable[[Held], tuple[Graph | Best, bool]]] = {
    "DecisionTreeClassifier": _tree,
    "LinearSVC": _linear,
    "Perceptron": _linear,
    "SGDClassifier": _linear,
    "SVC": _svc,
    "AdaBoostClassifier": _boosted,
}
"""Their decisions, and whether they round rows to single precision."""
