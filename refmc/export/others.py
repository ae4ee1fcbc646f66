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
    Side,
    Voter,
    linear_form,
)
from refmc.export.reading import kernel_form, voters_of
from refmc.theory.kernels import linear, polynomial


def read_other(model: Any, columns: Sequence[str]) -> Predictor:
    """The predictor of a model that is known here; `columns` are those of rpart."""
    if isinstance(model, RpartTree):
        return _rpart(model, columns)
    if isinstance(model, LiblinearModel):
        return _liblinear(model)
    if isinstance(model, LibsvmModel):
        return _libsvm(model)
    kind = next((c.__name__ for c in type(model).__mro__ if c.__name__ in ESTIMATORS), None)
    if kind is None:
        raise ParameterError(
            f"export: {shown(model)} is no model that can be exported; known are those that refmc "
            f"fits, what read_model reads, and {', '.join(ESTIMATORS)}"
        )
    return ESTIMATORS[kind](model)


def _fitted(estimator: Any, name: str) -> Any:
    """An attribute, arrays as lists."""
    if not hasattr(estimator, name):
        raise FormatError(f"{type(estimator).__name__}: there is no {name!r}; it isn't fitted")
    value = getattr(estimator, name)
    if hasattr(value, "toarray"):
        raise FormatError(f"{type(estimator).__name__}.{name}: is sparse; call densify()")
    return plain(value)


def _predictor(
    model: Any, decision: Graph | Best, width: int, classes: Any, tie: TiePolicy = first
) -> Predictor:
    counted = map(str, range(1, width + 1))  # as in files of svmlight
    files = isinstance(model, (LibsvmModel, LiblinearModel))
    names: Any = counted if files else plain(getattr(model, "feature_names_in_", ()))
    source, blank = type(model).__name__, (None,) * width
    return Predictor(source, tuple(classes), blank, tuple(names), decision, tie, floats=True)


def _tree(estimator: Any) -> Predictor:
    """x ≤ t goes left, x in single precision; the first of the largest values is the label."""
    tree = _fitted(estimator, "tree_")
    arrays = ("children_left", "children_right", "feature", "threshold", "value")
    nodes = []
    for left, right, column, threshold, value in zip(*(_fitted(tree, name) for name in arrays)):
        if len(value) > 1:
            raise ParameterError("DecisionTreeClassifier: several outputs can't be exported")
        if left < 0:
            nodes.append(Node(None, classes=argmax_set(value[0])))
        else:
            nodes.append(Node(Cut(column, Fraction(threshold)), right, left))
    width, classes = _fitted(estimator, "n_features_in_"), _fitted(estimator, "classes_")
    return replace(_predictor(estimator, Graph(tuple(nodes)), width, classes), single=True)


def _linear(estimator: Any) -> Predictor:
    """The largest decision; of two classes the second where its only decision is above 0."""
    coef, classes = _fitted(estimator, "coef_"), _fitted(estimator, "classes_")
    intercepts = _fitted(estimator, "intercept_")
    given = intercepts if isinstance(intercepts, list) else [intercepts]
    forms = [linear_form(w, b) for w, b in zip(coef, given * (len(coef) if len(given) == 1 else 1))]
    if len(forms) == 1:
        forms.insert(0, ())
    decision = Best(tuple(range(len(forms))), forms=tuple(forms))
    return _predictor(estimator, decision, len(coef[0]), classes)


def _boosted(estimator: Any) -> Predictor:
    """The class of the largest sum of weights of those that predict it."""
    classes, voters = _fitted(estimator, "classes_"), []
    for stump, weight in zip(
        _fitted(estimator, "estimators_"), _fitted(estimator, "estimator_weights_")
    ):
        inner = _tree(stump).decision
        assert isinstance(inner, Graph)
        if len(inner.nodes) > 3:
            raise ParameterError("AdaBoostClassifier: only stumps can be exported, max_depth=1")
        root = inner.nodes[0]
        ends = [inner.nodes[i] if root.question else root for i in (root.yes, root.no)]
        own = _fitted(stump, "classes_")
        yes, no = ([int(c == own[end.classes[0]]) for c in classes] for end in ends)
        voters += voters_of(root.question or ALWAYS, ALWAYS, Fraction(weight), yes, no)
    width = _fitted(estimator, "n_features_in_")
    decision = Best(tuple(range(len(classes))), tuple(voters))
    return replace(_predictor(estimator, decision, width, classes), single=True)


def _svc(estimator: Any) -> Predictor:
    if getattr(estimator, "break_ties", False):
        raise ParameterError("SVC(break_ties=True): can't be exported; fit without")
    kind = estimator.kernel
    parameters = [_fitted(estimator, name) for name in ("_gamma", "coef0", "degree")]
    vectors, classes = _fitted(estimator, "support_vectors_"), _fitted(estimator, "classes_")
    flip = -1 if len(classes) == 2 else 1  # of two classes the public numbers are for the second
    coefficients = [[flip * v for v in row] for row in zip(*_fitted(estimator, "dual_coef_"))]
    constants = [flip * b for b in _fitted(estimator, "intercept_")]
    decision = _pairs(
        _fitted(estimator, "n_support_"),
        coefficients,
        vectors,
        constants,
        _kernel(kind, parameters),
    )
    return _predictor(estimator, decision, _fitted(estimator, "n_features_in_"), classes)


def _libsvm(model: LibsvmModel) -> Predictor:
    kind = model.header["kernel_type"][0]
    names = ("gamma", "coef0", "degree") if kind == "polynomial" else ()
    check_fields(model.header, names, "SV")
    parameters = [read_number(model.header[name][0], f"model: {name}") for name in names]
    width = max((j for vector in model.vectors for j in vector), default=1)
    vectors = [[v.get(j, Fraction(0)) for j in range(1, width + 1)] for v in model.vectors]
    constants = [-read_number(rho, "model: rho") for rho in model.header["rho"]]
    counts, kernel = read_counts(model.header, "nr_sv"), _kernel(kind, parameters)
    decision = _pairs(counts, model.coefficients, vectors, constants, kernel)
    return _predictor(model, decision, width, model.header["label"])


def _kernel(kind: object, parameters: Sequence[Any]) -> object:
    if kind == "linear":
        return linear
    if kind in ("poly", "polynomial"):
        gamma, offset, degree = parameters
        return polynomial(int(degree), 1 / Fraction(gamma), Fraction(offset))
    raise ParameterError(
        f"kernel: {kind!r} has no exact values, and no other language says how it rounds; train "
        "with the linear or a polynomial kernel"
    )


def _pairs(
    counts: Sequence[int],
    coefficients: Sequence[Sequence[Any]],
    vectors: Sequence[Sequence[Any]],
    constants: Sequence[Any],
    kernel: object,
) -> Best:
    """LIBSVM's votes: of two classes the first where its decision is above 0, else the second.

    For each support vector a coefficient for each other class.
    """
    owner = [c for c, count in enumerate(counts) for _ in range(count)]
    voters = []
    for (a, b), constant in zip(combinations(range(len(counts)), 2), constants):
        places = {a: b - 1, b: a}
        beta = [row[places[c]] if c in places else 0 for c, row in zip(owner, coefficients)]
        votes = tuple((c == a) - (c == b) for c in range(len(counts)))
        side = Side(kernel_form(kernel, vectors, beta, constant), -1)
        voters.append(Voter(side, Fraction(1), votes))
    return Best(tuple(range(len(counts))), tuple(voters))


def _liblinear(model: LiblinearModel) -> Predictor:
    """The largest decision; of two classes the first where its decision is above 0."""
    bias = read_number(model.header["bias"][0], "model: bias")
    rows, constants = (model.weights[:-1], model.weights[-1]) if bias >= 0 else (model.weights, ())
    forms = [
        linear_form(w, Fraction(constants[c]) * Fraction(bias) if constants else 0)
        for c, w in enumerate(zip(*rows))
    ]
    labels = model.header["label"]
    forms = [forms[0], ()] if len(labels) == 2 else forms
    decision = Best(tuple(range(len(labels))), forms=tuple(forms))
    tie = last if len(labels) == 2 else first
    return _predictor(model, decision, len(rows), labels, tie)


def _rpart(model: RpartTree, columns: Sequence[str]) -> Predictor:
    """Numbers below a split go left or right as it says, and listed categories left."""
    asked = [column for _, column, *_ in model.nodes.values() if column != "<leaf>"]
    names = list(columns or dict.fromkeys(asked))
    if not set(asked) <= set(names):
        raise FormatError(f"model: asks of {', '.join(sorted(set(asked) - set(names)))}: no column")
    place, classes = (
        {n: i for i, n in enumerate(model.nodes)},
        sorted({label for label, *_ in model.nodes.values()}),
    )
    nodes, known = [], dict.fromkeys(names)
    for n, (label, column, direction, split) in model.nodes.items():
        if column == "<leaf>":
            nodes.append(Node(None, classes=(classes.index(label),)))
            continue
        j, left, right = names.index(column), place[2 * n], place[2 * n + 1]
        if direction in ("-1", "1"):
            cut = Cut(j, Fraction(read_number(split, f"model: node {n}")), strict=True)
            nodes.append(Node(cut, *((right, left) if direction == "-1" else (left, right))))
        else:
            values = tuple(split.split("|"))
            known[column] = {*(known[column] or ()), *values}
            nodes.append(Node(Member(j, values, -1), right, left))
    categories = tuple(None if v is None else tuple(sorted(v)) for v in known.values())
    start = place.get(1)
    if start is None:
        raise FormatError("model: there is no node 1")
    return Predictor(
        "rpart",
        tuple(classes),
        categories,
        tuple(names),
        Graph(tuple(nodes), start),
        first,
        floats=True,
    )


ESTIMATORS: dict[str, Callable[[Any], Predictor]] = {
    "DecisionTreeClassifier": _tree,
    "LinearSVC": _linear,
    "Perceptron": _linear,
    "SGDClassifier": _linear,
    "SVC": _svc,
    "AdaBoostClassifier": _boosted,
}
