"""The predictor that another program's model is, by the rules of that program's own predict.

Estimators of scikit-learn are known by the names of their classes; their arrays turn themselves
into lists. Model files of LIBSVM, LIBLINEAR and rpart are read by `refmc.read_model`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import Any

from refmc.adapters.liblinear import LiblinearModel
from refmc.adapters.libsvm import LibsvmModel
from refmc.adapters.model_text import check_fields, read_counts, read_number
from refmc.adapters.rpart import RpartTree
from refmc.core.scalars import plain, shown
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
    Score,
    Sign,
    combined,
    linear,
)
from refmc.export.reading import highest, kernel_score, stump_scores
from refmc.theory.kernels import polynomial


def read_other(model: Any, columns: Sequence[str]) -> Predictor:
    """The predictor of a model that is known here; `columns` are those of rpart."""
    if isinstance(model, RpartTree):
        return _rpart(model, columns)
    kind = next((c.__name__ for c in type(model).__mro__ if c.__name__ in KNOWN), None)
    if kind is None:
        raise ParameterError(f"export: {shown(model)} can't be; others can: {', '.join(KNOWN)}")
    return KNOWN[kind](model)


def _fitted(estimator: Any, *names: str) -> Any:
    """Attributes, arrays as lists."""
    found = [getattr(estimator, name, None) for name in names]
    for name, value in zip(names, found):
        if value is None or hasattr(value, "toarray"):
            raise FormatError(f"{name}: not fitted, or sparse; fit first, or call densify()")
    return list(map(plain, found))


def _predictor(
    model: Any, decision: Graph | Best, names: Sequence[Any], classes: Any, tie: TiePolicy = first
) -> Predictor:
    """`names`: those of the columns, or as many of anything else, which are no names."""
    own: Any = plain(getattr(model, "feature_names_in_", names))
    columns = tuple(own) if all(isinstance(name, str) for name in own) else ()
    source, blank = type(model).__name__, (None,) * len(names)
    return Predictor(source, tuple(classes), blank, columns, decision, tie, floats=True)


def _tree(estimator: Any) -> Predictor:
    """x ≤ t goes left, x in single precision; the first of the largest values is the label."""
    tree, width, classes = _fitted(estimator, "tree_", "n_features_in_", "classes_")
    arrays = _fitted(tree, "children_left", "children_right", "feature", "threshold", "value")
    nodes = []
    for left, right, column, threshold, value in zip(*arrays):
        if len(value) > 1:
            raise ParameterError("DecisionTreeClassifier: several outputs can't be exported")
        is_end = left < 0
        cut = None if is_end else Cut(column, Fraction(threshold))
        nodes.append(Node(cut, right, left, argmax_set(value[0]) if is_end else ()))
    graph = Graph(tuple(nodes))
    return replace(_predictor(estimator, graph, range(width), classes), single=True)


def _linear(estimator: Any) -> Predictor:
    """The largest decision; of two classes the second where its only decision is above 0."""
    coef, intercepts, classes = _fitted(estimator, "coef_", "intercept_", "classes_")
    given = intercepts if isinstance(intercepts, list) else [intercepts]
    scores = [linear(w, given[i % len(given)]) for i, w in enumerate(coef)]
    decision = highest([(), *scores] if len(scores) == 1 else scores)
    return _predictor(estimator, decision, coef[0], classes)


def _boosted(estimator: Any) -> Predictor:
    """The class of the largest sum of weights of those that predict it."""
    names = ("classes_", "estimators_", "estimator_weights_", "n_features_in_")
    classes, stumps, weights, width = _fitted(estimator, *names)
    rounds = []
    for stump, weight in zip(stumps, weights):
        graph = _tree(stump).decision
        assert isinstance(graph, Graph)
        root, *ends = graph.nodes
        if len(ends) > 2:
            raise ParameterError("AdaBoostClassifier: only stumps can be exported, max_depth=1")
        yes, no = (graph.nodes[root.yes], graph.nodes[root.no]) if ends else (root, root)
        (own,) = _fitted(stump, "classes_")
        said = ([int(c == own[end.classes[0]]) for c in classes] for end in (yes, no))
        rounds.append(stump_scores(root.question or ALWAYS, ALWAYS, Fraction(weight), *said))
    decision = highest(list(map(combined, zip(*rounds))))
    return replace(_predictor(estimator, decision, range(width), classes), single=True)


def _svc(estimator: Any) -> Predictor:
    parameters = estimator.get_params(deep=False)
    if parameters["break_ties"]:
        raise ParameterError("SVC(break_ties=True): can't be exported; fit without")
    names = ("support_vectors_", "classes_", "dual_coef_", "intercept_", "n_support_")
    vectors, classes, dual, intercepts, counts = _fitted(estimator, *names)
    flip = -1 if len(classes) == 2 else 1  # of two classes the public numbers are for the second
    coefficients = [[flip * v for v in row] for row in zip(*dual)]
    kernel = _kernel(parameters["kernel"], lambda: _fitted(estimator, "_gamma", "coef0", "degree"))
    decision = _pairs(counts, coefficients, vectors, [flip * b for b in intercepts], kernel)
    return _predictor(estimator, decision, vectors[0], classes)


def _libsvm(model: LibsvmModel) -> Predictor:
    header = model.header

    def parameters() -> list[float]:
        names = ("gamma", "coef0", "degree")
        check_fields(header, names, "SV")
        return [read_number(header[name][0], f"model: {name}") for name in names]

    columns = range(1, max((j for vector in model.vectors for j in vector), default=1) + 1)
    vectors = [[vector.get(j, 0) for j in columns] for vector in model.vectors]
    constants = [-read_number(rho, "model: rho") for rho in header["rho"]]
    counts, kernel = read_counts(header, "nr_sv"), _kernel(header["kernel_type"][0], parameters)
    decision = _pairs(counts, model.coefficients, vectors, constants, kernel)
    return _predictor(model, decision, list(map(str, columns)), header["label"])


def _kernel(kind: Any, parameters: Callable[[], Sequence[Any]]) -> Any:
    """A kernel by its name; another than these two is refused where it is used."""
    if kind == "linear":
        return polynomial(1)
    if kind not in ("poly", "polynomial"):
        return kind
    gamma, offset, degree = parameters()
    return polynomial(int(degree), 1 / Fraction(gamma), Fraction(offset))


def _pairs(counts: Any, coefficients: Any, vectors: Any, constants: Any, kernel: Any) -> Best:
    """LIBSVM's votes: of two classes the first where its decision is above 0, else the second.

    For each support vector a coefficient for each other class.
    """
    owner = [c for c, count in enumerate(counts) for _ in range(count)]
    votes: list[list[tuple[Score, int]]] = [[] for _ in counts]
    for (a, b), constant in zip(combinations(range(len(counts)), 2), constants):
        places = {a: b - 1, b: a}
        beta = [row[places[c]] if c in places else 0 for c, row in zip(owner, coefficients)]
        side: Score = ((Sign(kernel_score(kernel, vectors, beta, constant), -1), Fraction(1)),)
        votes[a].append((side, 1))
        votes[b].append((side, -1))
    return highest([combined(terms) for terms in votes])


def _liblinear(model: LiblinearModel) -> Predictor:
    """The largest decision; of two classes the first where its decision is above 0."""
    bias = Fraction(read_number(model.header["bias"][0], "model: bias"))
    rows, labels = model.weights[:-1] if bias >= 0 else model.weights, model.header["label"]
    constants = [Fraction(b) * bias for b in model.weights[-1]] if bias >= 0 else [0] * len(labels)
    scores = [linear(w, b) for w, b in zip(zip(*rows), constants)]
    names = [str(j) for j in range(1, len(rows) + 1)]
    if len(labels) == 2:
        return _predictor(model, highest([scores[0], ()]), names, labels, last)
    return _predictor(model, highest(scores), names, labels)


def _rpart(model: RpartTree, columns: Sequence[str]) -> Predictor:
    """Numbers below a split go left or right as it says, and listed categories left."""
    asked = [column for _, column, *_ in model.nodes.values() if column != "<leaf>"]
    names = list(columns or dict.fromkeys(asked) or ["x0"])
    if not set(asked) <= set(names) or 1 not in model.nodes:
        raise FormatError(f"model: expected node 1, and questions about {', '.join(names)}")
    place = {n: i for i, n in enumerate(model.nodes)}
    classes = sorted({label for label, *_ in model.nodes.values()})
    nodes, known = [], dict[str, set[str]]()
    for n, (label, column, direction, split) in model.nodes.items():
        if column == "<leaf>":
            nodes.append(Node(None, classes=(classes.index(label),)))
            continue
        j, left, right = names.index(column), place[2 * n], place[2 * n + 1]
        question: Cut | Member = Member(j, tuple(split.split("|")), -1)
        if direction in ("-1", "1"):
            question = Cut(j, Fraction(read_number(split, f"model: node {n}")), strict=True)
        else:
            known.setdefault(column, set()).update(split.split("|"))
        nodes.append(Node(question, *((left, right) if direction == "1" else (right, left))))
    categories = tuple(tuple(sorted(known[name])) if name in known else None for name in names)
    graph = Graph(tuple(nodes), place[1])
    return Predictor("rpart", tuple(classes), categories, tuple(names), graph, first, True)


KNOWN: dict[str, Callable[[Any], Predictor]] = {
    "DecisionTreeClassifier": _tree,
    "LinearSVC": _linear,
    "Perceptron": _linear,
    "SGDClassifier": _linear,
    "SVC": _svc,
    "AdaBoostClassifier": _boosted,
    "LibsvmModel": _libsvm,
    "LiblinearModel": _liblinear,
}
"""The classes that can be exported, by name."""
