"""DecisionTreeClassifier and AdaBoostClassifier of scikit-learn.

Trees there see X in single precision, and so does the problem. Ties are settled at random there,
which `tree.grow` admits. Of a pruned tree what was pruned away is unknown; the greedy algorithm
grows it again, and both the grown tree and its pruning are judged.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, fsum
from struct import pack, unpack
from typing import Any

from refmc.adapters.claims import Claim
from refmc.adapters.held import Fields, Held, Training, in_shape, predicted, product
from refmc.adapters.held import held as known
from refmc.core.scalars import as_float, plain
from refmc.errors import DataError, FormatError
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.saving import IMPURITIES
from refmc.oracle.trees.records import read_grown, read_problem
from refmc.oracle.trees.reference import sequence_of, unit_of

ARRAYS = ("children_left", "children_right", "feature", "threshold")

ROUNDING = Fraction(1, 2**40)
"""By how much less a split of a boosted tree may decrease the impurity, for the rounded weights."""

OF_PARENTS = Fraction(1, 2**46)
"""The same for λ, relative to the parents of the nodes that were pruned, or that weren't; and for
what is 0 at the first step of a path, relative to the root."""

EPSILON = Fraction(1, 2**52)
"""What DecisionTreeClassifier adds to a decrease before it is compared with the least."""

LEAST_WEIGHT = 2.0**-52
"""What AdaBoostClassifier raises smaller weights to."""

REGROWN = (
    "what was pruned away is unknown; another choice among tied questions there may explain it"
)


def decision_tree(held: Held, training: Training, are_rounded: bool = False) -> Iterator[Claim]:
    """The claims of a DecisionTreeClassifier: to be grown greedily, and to be pruned right.

    `are_rounded`: whether its weights were rounded even if all are 1. Sums of different weights are
    rounded anyway. Where either is so, splits may be worse by that little.
    """
    held.check_rows(training)
    problem = _growth(held, training)
    tree = _arrays(held, training)
    read_grown({"tree": tree}, read_problem(problem))  # or it is none
    are_rounded = are_rounded or "weights" in problem
    rounding = ROUNDING if are_rounded else None
    if are_rounded:
        tree = _without_pure_splits(problem, tree)
    if not held.parameter("ccp_alpha"):
        yield Claim("the tree", problem, {"tree": tree}, rounding=rounding)
        return
    if "max_splits" in problem:
        held.refuse("max_leaf_nodes", "beside ccp_alpha, the tree before pruning isn't known")
    grown, tied = _regrown(problem, tree)
    yield Claim("the tree before pruning", problem, {"tree": grown}, rounding=rounding)
    answer = {"lam": float(held.number("ccp_alpha")), "tree": tree}
    doubt = REGROWN if tied else ""
    # λ is compared with differences of rounded risks
    yield Claim(
        "the pruned tree", _pruning(problem, grown), answer, doubt=doubt, rounding=OF_PARENTS
    )


def pruning_path(held: Held, training: Training, path: object) -> Claim:
    """The claim of `cost_complexity_pruning_path` about a DecisionTreeClassifier."""
    found: Any = path if isinstance(path, Mapping) else getattr(path, "__dict__", {})
    if not {"ccp_alphas", "impurities"} <= set(found):
        raise FormatError("path: expected ccp_alphas and impurities")
    if held.kind != "DecisionTreeClassifier" or held.parameter("ccp_alpha"):
        raise FormatError(f"{held.kind}: a path belongs to an unpruned DecisionTreeClassifier")
    lams = in_shape(plain(found["ccp_alphas"]), "path.ccp_alphas", None)
    risks = in_shape(plain(found["impurities"]), "path.impurities", len(lams))
    if not lams:
        raise FormatError("path.ccp_alphas: expected a number for each step, got none")
    problem = _pruning(_growth(held, training), _arrays(held, training))
    # links that tie are cut one by one there: of the entries next to one exact λ the last counts
    read = read_problem(problem)
    sequence = sequence_of(read)
    exact_lams = [float(step.lam * unit_of(read)) for step in sequence]
    nearest = [min(exact_lams, key=lambda exact_lam: abs(lam - exact_lam)) for lam in lams]
    last = [i for i, lam in enumerate(nearest) if nearest[i + 1 : i + 2] != [lam]]
    steps = [{"lam": lams[i], "risk": risks[i]} for i in last]
    # what is 0 may be a little more or less there, of the root's impurity
    grown = sequence[0].tree
    zeros = ["lam"] * (nearest[last[0]] == 0)
    zeros += ["risk"] * all(leaf.impurity == 0 for leaf in grown.leaves())
    little = float(grown.root.impurity * OF_PARENTS)
    steps[0] |= {name: 0 for name in zeros if abs(steps[0][name]) <= little}
    return Claim("its pruning path", problem, {"steps": steps})


def _growth(held: Held, training: Training) -> Fields:
    held.only("splitter", "best", why="its thresholds are drawn at random")
    width, m = len(training.X[0]), len(training.X)
    columns = held.parameter("max_features")
    if columns not in (None, width) and not (isinstance(columns, float) and columns == 1):
        held.refuse("max_features", "the columns of each node are drawn at random")
    held.only("min_weight_fraction_leaf", 0, 0.0)
    if "monotonic_cst" in held.parameters:
        held.only("monotonic_cst", None)
    criterion = held.only("criterion", "gini", "entropy", "log_loss")
    problem: Fields = {
        "family": "tree.grow",
        "X": [[_single(v, i, j) for j, v in enumerate(row)] for i, row in enumerate(training.X)],
        "y": training.y,
        "impurity": "gini" if criterion == "gini" else "entropy",
        "weighted": True,
        "thresholds": "midpoints",
        "min_leaf": _count(held, "min_samples_leaf", m),
        "min_split": max(2, _count(held, "min_samples_split", m)),
    }
    if training.columns:
        problem["columns"] = training.columns
    if held.parameter("max_depth") is not None:
        problem["max_depth"] = held.whole("max_depth")
    if held.parameter("max_leaf_nodes") is not None:
        problem["max_splits"] = held.whole("max_leaf_nodes") - 1
    least = held.number("min_impurity_decrease") - EPSILON
    if least > 0:
        problem["min_decrease"] = least
    of_class = held.class_weights(training)
    weights = [product(of_class[c], w) for c, w in zip(training.y, training.row_weights)]
    if any(w != 1 for w in weights):
        problem["weights"] = weights
    return problem


def _single(value: Any, i: int, j: int) -> float:
    try:
        (rounded,) = unpack("<f", pack("<f", as_float(value, "X")))
    except OverflowError:
        raise DataError(
            f"X: row {i}, column {j}: is beyond the range of single precision"
        ) from None
    return float(rounded)


def _count(held: Held, name: str, m: int) -> int:
    """A number of rows, or a share of them."""
    share = float(held.number(name))
    if isinstance(held.parameter(name), int):
        return held.whole(name)
    return ceil(share * m) if 0 < share <= 1 else held.refuse(name, "expected a share of the rows")


def _arrays(held: Held, training: Training) -> Fields:
    """The tree in the arrays that `tree.grow` reads."""
    tree, classes = Held(f"{held.kind}.tree_", held.fitted("tree_"), {}), training.classes
    values = tree.numbers("value", None, 1, len(classes))
    arrays = {name: tree.numbers(name, len(values)) for name in ARRAYS}
    of_class = held.class_weights(training)
    counted = sum(bool(w and of_class[c]) for c, w in zip(training.y, training.row_weights))
    if tree.numbers("n_node_samples", None)[:1] != [counted]:
        raise DataError(f"{held.kind} was fitted on other rows: their number isn't that of X")
    return arrays | {"labels": [classes[value.index(max(value))] for (value,) in values]}


def _pruning(problem: Fields, tree: object) -> Fields:
    names = [name for name in ("X", "y", "columns", "weights") if name in problem]
    kept = {name: problem[name] for name in names}
    risk = problem["impurity"]
    return kept | {"family": "tree.prune", "tree": tree, "risk": risk, "scale": "mean"}


def _sides(
    problem: Fields, tree: Fields, n: int, rows: Sequence[int]
) -> tuple[list[int], list[int]]:
    """The rows of a node that go to its left child, and those that go to its right one."""
    column, threshold = tree["feature"][n], tree["threshold"][n]
    left = [i for i in rows if problem["X"][i][column] <= threshold]
    return left, [i for i in rows if problem["X"][i][column] > threshold]


def _weights(problem: Fields) -> Sequence[Fraction | int]:
    found: Sequence[Fraction | int] = problem.get("weights", [1] * len(problem["y"]))
    return found


def _regrown(problem: Fields, tree: Fields) -> tuple[Fields, bool]:
    """The tree with each leaf grown as far as the problem lets it, and whether ties were met.

    Nodes keep their numbers; those that are grown below leaves have the numbers from `free` on.
    """
    nodes: list[Fields] = []
    met, weights, free = False, _weights(problem), len(tree["feature"])
    least, deepest = problem.get("min_decrease"), problem.get("max_depth")
    waiting: list[tuple[int, int, list[int]]] = [(0, 0, list(range(len(problem["y"]))))]
    while waiting:
        n, depth, rows = waiting.pop()
        left, right = tree["children_left"][n], tree["children_right"][n]
        label = tree["labels"][n]
        if left != right:
            question = {"column": tree["feature"][n], "threshold": tree["threshold"][n]}
            children = {"positive": left, "negative": right}
            nodes.append({"number": n, "label": label, "question": question, **children})
            below, above = _sides(problem, tree, n, rows)
            waiting += [(left, depth + 1, below), (right, depth + 1, above)]
            continue
        if not any(weights[i] for i in rows):  # the question above is wrong
            nodes.append({"number": n})
            continue
        # A decrease counts by the share of all rows that a node has; here the node is the root.
        share = sum(weights[i] for i in rows) / Fraction(sum(weights))
        found = grow_tree(
            [problem["X"][i] for i in rows],
            [problem["y"][i] for i in rows],
            impurity=IMPURITIES[problem["impurity"]],
            weighted=True,
            min_leaf=problem["min_leaf"],
            min_split=problem["min_split"],
            min_decrease=None if least is None else least / share,
            max_depth=None if deepest is None else max(0, deepest - depth),
            weights=[weights[i] for i in rows],
        )
        grown = list(found.nodes())
        met = met or any(len(node.tied) > 1 for node in grown)
        for node, record in zip(grown, json.loads(found.to_json())["nodes"], strict=True):
            numbered = record.keys() & {"number", "positive", "negative"}
            named = {name: free + record[name] if record[name] else n for name in numbered}
            question = {"question": record["question"]} if node.question else {}
            nodes.append(question | named)
        nodes[-len(grown)]["label"] = label  # that of the leaf, which is the root here
        free += len(grown)
    return {"nodes": nodes}, met


def adaboost(held: Held, training: Training) -> Iterator[Claim]:
    """The claims of an AdaBoostClassifier: a run of SAMME, and each tree for its round's weights.

    An estimator doesn't keep the rounds' weights, so they are computed again with its roundings.
    Base classifiers other than trees aren't judged, only the run that they are part of.
    """
    held.check_rows(training)
    if held.parameters.get("algorithm") not in (None, "SAMME", "deprecated"):
        held.refuse("algorithm", "no family has that")
    held.only("learning_rate", 1.0, 1)
    members = held.members()
    # scikit-learn leaves the entries of further rounds there
    alphas, errors = (
        in_shape(held.numbers(name, None)[: len(members)], f"{held.kind}.{name}", len(members))
        for name in ("estimator_weights_", "estimator_errors_")
    )
    rounds: list[Fields] = []
    weights = training.weights
    for t, (member, alpha, error) in enumerate(zip(members, alphas, errors), 1):
        base = predicted(member, training.unnamed(), training.classes)
        perfect = {"alpha": None, "epsilon": 0}  # which is shown as a weight of 1
        rounds.append({"base": base, **({"alpha": alpha, "epsilon": error} if error else perfect)})
        if type(member).__name__ == "DecisionTreeClassifier":
            tree = known(member, ["DecisionTreeClassifier"], "no tree")
            weighed = replace(training, weights=weights)
            for claim in decision_tree(tree, weighed, are_rounded=True):
                yield replace(claim, part=f"tree {t}")
        wrong = [found != label for found, label in zip(base, training.y)]
        weights = _next_weights(weights or [1] * len(wrong), wrong, len(training.classes))
    problem: Fields = {"family": "boost.ada", "y": training.y, "rounds": len(members)}
    problem |= {"base": "any", "rule": "samme", "classes": training.classes}
    if training.weights is not None:
        problem["weights"] = training.weights
    labels = {"labels": predicted(held.estimator, training, training.classes)}
    if errors[-1]:
        yield Claim("the run", problem, {"rounds": rounds, **labels})
        return
    yield Claim("the run", problem, {"rounds": rounds})
    scores = [
        [
            sum(Fraction(a) for a, c in zip(alphas, votes) if c == label)
            for label in training.classes
        ]
        for votes in zip(*(found["base"] for found in rounds))
    ]
    problem = {"family": "ova.decode", "scores": scores, "classes": training.classes}
    yield Claim("the votes, of which a perfect round has weight 1", problem, labels)


def _next_weights(
    weights: Sequence[float | Fraction], wrong: Sequence[bool], k: int
) -> list[float | Fraction]:
    """The weights of the next round of SAMME in binary64, none of them below its roundoff."""
    D = list(map(float, weights))
    total = fsum(D)
    error = fsum(d for d, is_wrong in zip(D, wrong) if is_wrong) / total
    if error > 0:
        D = [d * (1 - error) * (k - 1) / error if is_wrong else d for d, is_wrong in zip(D, wrong)]
    total = fsum(D)
    return [max(d / total, LEAST_WEIGHT) if d else d for d in D]


def _without_pure_splits(problem: Fields, tree: Fields) -> Fields:
    """The arrays of a tree whose nodes of one class are leaves.

    Rounded weights leave such a node some impurity, for which it may be split; that changes no
    label.
    """
    kept: list[int] = []
    children: dict[int, tuple[int, int]] = {}
    waiting = [(0, [i for i, weight in enumerate(_weights(problem)) if weight])]
    while waiting:
        n, rows = waiting.pop()
        kept.append(n)
        left, right = tree["children_left"][n], tree["children_right"][n]
        if left != right and len({problem["y"][i] for i in rows}) > 1:
            children[n] = left, right
            waiting += zip((left, right), _sides(problem, tree, n, rows))
    position = {n: at for at, n in enumerate(kept)} | {-1: -1}
    found = {name: [tree[name][n] for n in kept] for name in ("feature", "threshold", "labels")}
    for side, name in enumerate(ARRAYS[:2]):
        found[name] = [position[children.get(n, (-1, -1))[side]] for n in kept]
    return found
