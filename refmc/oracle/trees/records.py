"""The families `tree.grow` and `tree.prune`: problems and answers, read from records.

Both problems hold a sample:

    "X": m rows of numbers and categories, "y": m labels, "classes": labels in order (optional),
    "columns": names (optional), "categorical": names or positions of columns of strings (optional),
    "weights": m numbers of at least 0 (optional), "cost": a row for each predicted class, in it a
    column for each right one (optional)

How trees are written is told in `oracle.trees.written_trees`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Literal

from refmc.checker.numbers.logarithms import LogSum
from refmc.checker.numbers.rounding import Rounded
from refmc.checker.trees.data import Linear, Node, Question, Sample, Sphere
from refmc.checker.trees.grow import GrowthProblem
from refmc.checker.trees.impurity import NAMES, ImpurityName
from refmc.checker.trees.prune import Claim, PruningProblem, Step
from refmc.core.cells import categorical_columns
from refmc.core.records import Record, at, entries, parse_json, read_object
from refmc.core.sample import Label
from refmc.core.scalars import shown
from refmc.errors import FormatError
from refmc.learn.trees.search import check_lookahead
from refmc.oracle.columns import CATEGORICAL, COLUMNS, X, cells, check_fits
from refmc.oracle.declaring import (
    FAMILY,
    REMARKS,
    alone,
    amount,
    choice,
    claim,
    count,
    one_of,
    part,
    required,
    truth,
    whole_from,
)
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import AMOUNT, QUESTION, TREE, WHOLE, list_of
from refmc.oracle.reading import each, whole
from refmc.oracle.rounded import meant
from refmc.oracle.samples import (
    CLASSES,
    ROW_COSTS,
    WEIGHTS,
    Y,
    codes,
    costs,
    uniform_cost,
    uniform_row_costs,
)
from refmc.oracle.samples import COST as COST_TABLE
from refmc.oracle.trees.written_trees import (
    IN_QUESTION,
    IN_TREE,
    INNER,
    Known,
    read_amount,
    read_any_question,
    read_tree,
)

GROW, PRUNE = "tree.grow", "tree.prune"

COST: Final = "cost"


def _candidates(value: object, place: str, reading: Reading) -> tuple[Linear | Sphere, ...]:
    found, about = list[Linear | Sphere](), reading.of(known)
    for i, entry in enumerate(entries(value, place)):
        where = f"{place}[{i}]"
        question = read_any_question(entry, where, about)
        if not isinstance(question, (Linear, Sphere)):
            raise FormatError(f"{where}: expected coefficients and bound, or center and radius")
        check_fits(question, where, about.sample.X)
        found.append(question)
    return tuple(found)


def _candidates_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    d, values = sizes["columns"], ["-1", "0", "1", "2"]
    linear = {"coefficients": draws.row(d, values), "bound": draws.one_of(values)}
    sphere = {"center": draws.row(d, values), "radius": draws.one_of(["1", "3/2", "2"])}
    return {"candidates": draws.one_of([[linear], [sphere], [linear, sphere]])}


def _tree_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    """The tree that grows on the sample."""
    from refmc.learn.trees.grow import grow_tree  # no reader grows trees

    known = {name: problem[name] for name in ("X", "y", "categorical") if name in problem}
    read = read_problem({"family": GROW, **known})
    X, y = read.sample.X, [read.classes[c] for c in read.sample.y]
    tree = parse_json(grow_tree(X, y, categorical=categorical_columns(X)).to_json(), "tree")
    grown: Any = sorted(entries(tree["nodes"], "tree.nodes"), key=lambda node: node["number"])
    nodes = [{name: node[name] for name in INNER if name in node} for node in grown]
    return {"tree": {"nodes": nodes}}


X_AND_Y = (FAMILY, X, Y)
COSTS = COST_TABLE._replace(says=f"{COST_TABLE.says}; labels are then the cheapest")
SAMPLE = (CLASSES, COLUMNS, CATEGORICAL, WEIGHTS, COSTS, ROW_COSTS)
CANDIDATES: Field[tuple[Linear | Sphere, ...]] = Field(
    name="candidates", kind=list_of(QUESTION, 0), default=(), parts=IN_QUESTION,
    says="linear and sphere questions that every node may ask, too",
    read=_candidates, draws=_candidates_drawn,
)  # fmt: skip
LOOKAHEAD = count(
    "lookahead",
    "questions are judged by the least impurity that so many further levels can leave; at most 10⁷ "
    "values may be looked at for a node",
    0, 0, (1, 2),
)  # fmt: skip
THRESHOLDS = choice(
    "thresholds",
    "which threshold a question is written with; the rows that answer yes are the same",
    "values", "midpoints",
)  # fmt: skip
IMPURITY: Field[ImpurityName] = choice("impurity", "of nodes", *NAMES)
WEIGHTED = truth("weighted", "false: F̃ as the lecture has it; true: times |n|/m, as libraries do")
STOPS = (
    count("max_splits", "the most splits; null for no limit", 0, None, (0, 1, 2)),
    count("min_leaf", "the least rows of a leaf", 1, 1, (2, 3, 4)),
    amount("min_leaf_weight", "the least weight of a leaf", Fraction(0), ("3/2", "2", "4")),
    count("min_split", "a node of fewer rows isn't split", 2, 2, (3, 4, 5)),
    count("max_depth", "the most levels of questions; null for no limit", 0, None, (0, 1, 2)),
    amount(
        "min_impurity", "a node of an impurity below it isn't split", Fraction(0),
        ("1/10", "3/8", "1/2"),
    ),
    amount(
        "min_decrease",
        "a split must decrease by that at least, and by more than 0; null for no limit", None,
        ("1/10", "1/4", "1/2"),
    ),
    LOOKAHEAD,
    CANDIDATES,
)  # fmt: skip
GROWTH = (IMPURITY, WEIGHTED, *STOPS)
"""The settings that the checker and the learner take under their own names."""
TREE_FIELD: Field[Sequence[Node]] = required(
    "tree", "the grown tree: nodes, or scikit-learn's arrays", TREE,
    lambda value, place, reading: read_tree(value, place, reading.of(known)),
    parts=IN_TREE, draws=_tree_drawn,
)  # fmt: skip
SCALE = choice(
    "scale", "λ beside |n|F(n), or both divided by the weight of all rows, as libraries do",
    "sum", "mean",
)  # fmt: skip


def _risk(value: object, place: str, reading: Reading) -> ImpurityName | Literal["cost"]:
    known: tuple[ImpurityName | Literal["cost"], ...] = NAMES
    return one_of(*known if reading.of(costs) is None else (*known, COST))(value, place)


RISK: Field[ImpurityName | Literal["cost"]] = required(
    "risk", "the impurity F that pruning counts, or `cost`, what the cheapest label costs",
    {"enum": [*NAMES, COST]}, _risk, draws=(*NAMES, COST),
)  # fmt: skip
PROBLEM = {
    GROW: Declared(
        fields=(*X_AND_Y, *SAMPLE, IMPURITY, WEIGHTED, THRESHOLDS, *STOPS),
        apart=((COSTS, ROW_COSTS),),
    ),
    PRUNE: Declared(
        fields=(
            *X_AND_Y, *SAMPLE[:3], TREE_FIELD, WEIGHTS._replace(draws=["1", "1/2", "3"]),
            COSTS._replace(neutral=uniform_cost),
            ROW_COSTS._replace(neutral=uniform_row_costs), RISK, SCALE,
        ),
        apart=((COSTS, ROW_COSTS),),
    ),
}  # fmt: skip


def _tree_of_answer(value: object, place: str, reading: Reading) -> list[Node]:
    about: TreeProblem = reading.about
    asked, questions = about.asked, list[Question | None]()
    if isinstance(asked, GrowthProblem):
        questions += asked.candidates
    else:
        questions += [node.question for node in asked.tree]
    return read_tree(value, place, Known(about.sample, about.classes, questions))


def _positions(value: object, place: str, reading: Reading) -> frozenset[int]:
    found = [whole(entry, f"{place}[{i}]", 0) for i, entry in enumerate(entries(value, place))]
    nodes = len(reading.about.prune.tree)
    for i, n in enumerate(found):
        if n >= nodes:
            raise FormatError(f"{place}[{i}]: node {shown(n)}, but there are {nodes}")
    return frozenset(found)


LAM = claim("lam", "λ", AMOUNT, alone(read_amount))
ONE_LAM = required("lam", "λ, at least 0", AMOUNT, alone(read_amount))
CLAIMS = (
    claim("leaves", "how many leaves the pruned tree has", WHOLE, whole_from(1)),
    claim("leaf_nodes", "its leaves", list_of(WHOLE, 0), _positions),
    claim("collapsed", "the nodes that were collapsed", list_of(WHOLE, 0), _positions),
    claim("tree", "the pruned tree", TREE, _tree_of_answer, parts=IN_TREE),
    claim("risk", "its risk", AMOUNT, alone(read_amount)),
)
STEP = Declared(fields=(LAM, *CLAIMS), some=CLAIMS)
STEPS = Declared(
    fields=(
        part(
            "steps", list_of(STEP.schema()), "the sequence from the grown tree to its root",
            default=REQUIRED, parts=STEP.fields,
        ),
        *REMARKS,
    )
)  # fmt: skip
PRUNED = Declared(fields=(ONE_LAM, *CLAIMS, *REMARKS), some=CLAIMS)
GROWN_TREE = required("tree", "the grown tree", TREE, _tree_of_answer, parts=IN_TREE)
GROWN = Declared(fields=(GROWN_TREE, *REMARKS))
DECLARED = {GROW: ([PROBLEM[GROW]], [GROWN]), PRUNE: ([PROBLEM[PRUNE]], [STEPS, PRUNED])}


@dataclass(frozen=True)
class TreeProblem:
    """The sample, the labels that its class positions stand for, and what is asked of them."""

    sample: Sample
    classes: tuple[Label, ...]
    asked: GrowthProblem | PruningProblem

    @property
    def grow(self) -> GrowthProblem:
        """How a tree grows, of a problem of `tree.grow`."""
        assert isinstance(self.asked, GrowthProblem)
        return self.asked

    @property
    def prune(self) -> PruningProblem:
        """What is pruned, of a problem of `tree.prune`."""
        assert isinstance(self.asked, PruningProblem)
        return self.asked


def read_problem(record: Record) -> TreeProblem:
    """The problem of a record; `FormatError` names the field that is wrong.

    >>> problem = read_problem({"family": "tree.grow", "X": [["1/2"], [1]], "y": ["a", "b"]})
    >>> problem.sample.X, problem.grow.impurity
    ([[Fraction(1, 2)], [Fraction(1, 1)]], 'gini')
    """
    family = str(record["family"])
    reading = PROBLEM[family].read(record)
    own, classes, _ = reading.of(known)
    asked: GrowthProblem | PruningProblem
    if family == GROW:
        midpoints = reading[THRESHOLDS] == "midpoints"
        asked = GrowthProblem(sample=own, midpoints=midpoints, **reading.settings(*GROWTH))
        levels, more = asked.lookahead, len(asked.candidates)
        if levels:
            columns = [set(column) for column in zip(*own.X)]
            sizes = [(len(values), isinstance(next(iter(values)), str)) for values in columns]
            at("problem", lambda: check_lookahead(levels, len(own.X), sizes, more))
    else:
        per_row = reading[SCALE] == "mean"
        asked = PruningProblem(sample=own, **reading.settings(TREE_FIELD, RISK), per_row=per_row)
    return TreeProblem(own, classes, asked)


def known(reading: Reading) -> Known:
    """The checker's sample, and the labels that its class positions stand for."""
    found = reading.of(cells)
    y, order = reading.of(codes)
    sample = Sample(
        X=found.X, y=y, k=len(order), weights=reading[WEIGHTS], costs=reading.of(costs),
        columns=found.columns, classes=tuple(map(str, order)),
    )  # fmt: skip
    return Known(sample, order)


def read_grown(record: Record, problem: TreeProblem) -> list[Node]:
    """The tree of an answer of `tree.grow`."""
    return GROWN.read_answer(record, GROW, problem)[GROWN_TREE]


def read_steps(record: Record, problem: TreeProblem) -> list[Step]:
    """The steps of an answer of `tree.prune`."""

    def step(value: object, place: str) -> Step:
        reading = STEP.read(read_object(value, place), place, problem)
        return Step(reading[LAM], Claim(**reading.settings(*CLAIMS)))

    STEPS.read_answer(record, PRUNE, problem)
    return each(step, record["steps"], "answer.steps")


def read_pruned(record: Record, problem: TreeProblem) -> tuple[LogSum | Rounded, Claim]:
    """λ and what an answer of `tree.prune` says of the tree at it."""
    reading = PRUNED.read_answer(record, PRUNE, problem)
    lam = reading[ONE_LAM]
    if lam.sign() < 0:
        raise FormatError(f"answer.lam: expected at least 0, got {lam.text()}")
    is_sum = isinstance(record["lam"], Mapping)
    claim = Claim(**reading.settings(*CLAIMS))
    return lam if is_sum else meant(record["lam"], "answer.lam"), claim
