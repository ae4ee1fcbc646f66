"""What programs that grow and prune trees get wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from refmc.checker.trees.data import says_yes, top_down
from refmc.core.records import Record, items, number
from refmc.errors import FormatError
from refmc.oracle.reading import read_object, whole
from refmc.oracle.trees.records import read_problem
from refmc.oracle.variants.fields import weights_ignored
from refmc.oracle.variants.transport import Program, solved
from refmc.oracle.variants.variant import Rewriting, Variant
from refmc.suite.catalogue.mistake import (
    KNOWN,
    Mistake,
    of_answer,
    of_known,
    of_known_run,
    of_neighbour,
    of_run,
)
from refmc.suite.catalogue.plain_trees import growth, merged_labels, pruning

GROW, PRUNE = "tree.grow", "tree.prune"

Splits = frozenset[tuple[frozenset[int], frozenset[int]]]


def splits_of(problem: Record, tree: object) -> Splits:
    """The rows of each inner node with those that answer yes: all that a judge looks at.

    >>> problem = {"family": "tree.grow", "X": [[1], [2]], "y": ["a", "b"]}
    >>> node = {"question": {"column": 0, "threshold": "3/2"}, "negative": 1, "positive": 2}
    >>> splits_of(problem, {"nodes": [node, {}, {}]})
    frozenset({(frozenset({0, 1}), frozenset({0}))})
    """
    sample = ("X", "y", "classes", "columns", "categorical", "weights")
    record = {name: problem[name] for name in sample if name in problem}
    read = read_problem({**record, "family": PRUNE, "tree": tree, "risk": "gini"})
    found = set()
    rows = {0: frozenset(range(len(read.sample.y)))}
    for n in top_down(read.prune.tree):
        node = read.prune.tree[n]
        if node.question is None:
            continue
        yes = frozenset(i for i in rows[n] if says_yes(node.question, read.sample.X[i]))
        found.add((rows[n], yes))
        rows[node.positive], rows[node.negative] = yes, rows[n] - yes
    return frozenset(found)


def _by_splits(program: Program) -> Rewriting:
    """Recognises the tree of a mistaken program by how it splits the rows, not by its words."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        wrong = program(problem)
        if wrong is None:
            return None
        mine, other = (splits_of(problem, record["tree"]) for record in (answer, wrong))
        right = solved(problem)
        if mine != other or mine == splits_of(problem, right["tree"]):
            return None
        return {"tree": right["tree"]}

    return rewriting


def _grown(id: str, sentence: str, breaks: str) -> Mistake:
    return of_run(growth, id, (GROW,), sentence, breaks, _by_splits)


def _pruned(id: str, sentence: str, breaks: str) -> Mistake:
    return of_run(pruning, id, (PRUNE,), sentence, breaks)


def _steps(problem: Record) -> list[tuple[Fraction, int]]:
    """λ and leaves of the right sequence, the last of each λ; FormatError for irrational λ."""
    found: dict[Fraction, int] = {}
    for step in items(solved(problem)["steps"], "steps"):
        record = read_object(step, "step")
        if isinstance(record["lam"], Mapping):
            raise FormatError("an irrational breakpoint")
        found[number(record["lam"], "lam")] = whole(record["leaves"], "leaves")
    return sorted(found.items())


def _at(problem: Record, lam: Fraction) -> int:
    """The leaves of the right tree."""
    return [leaves for point, leaves in _steps(problem) if point <= lam][-1]


def _one_tree(
    id: str, sentence: str, breaks: str, lam: Program, leaves: Callable[[Record, Fraction], int]
) -> Mistake:
    """A mistake about the tree of a single λ.

    A program that makes it takes the λ that `lam` chooses; an answer may have any other.
    """

    def program(problem: Record) -> Record | None:
        chosen = lam(problem)
        if chosen is None:
            return None
        value = number(chosen["lam"], "lam")
        return {"lam": value, "leaves": leaves(problem, value)}

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if set(answer) - {"family"} != {"lam", "leaves"}:
            return None
        value = number(answer["lam"], "lam")
        wrong, right = leaves(problem, value), _at(problem, value)
        if wrong == right or whole(answer["leaves"], "leaves") != wrong:
            return None
        return {**answer, "leaves": right}

    return Mistake(Variant(id, (PRUNE,), sentence, breaks, answer=rewriting), program)


def _before_the_last(problem: Record) -> Record | None:
    """A λ halfway to the last breakpoint."""
    points = [lam for lam, _ in _steps(problem)]
    return {"lam": (points[-2] + points[-1]) / 2} if len(points) > 1 else None


def _last_point(problem: Record) -> Record:
    """The λ from which on the root alone is right."""
    return {"lam": _steps(problem)[-1][0]}


def _depth_of_nodes(problem: Record, answer: Record) -> list[Record]:
    depth = problem.get("max_depth")
    if depth is None or whole(depth, "max_depth") == 0:
        return []
    return [{**problem, "max_depth": whole(depth, "max_depth") - 1}]


def _sides(problem: Record, answer: Record) -> Record | None:
    assert KNOWN["tree.sides_swapped"].answer is not None
    return KNOWN["tree.sides_swapped"].answer(problem, {"tree": answer["tree"]})


MISTAKES = (
    Mistake(KNOWN["tree.strict_threshold"], lambda problem: growth(problem, {"strict_threshold"})),
    of_answer(KNOWN["tree.sides_swapped"], _sides),
    _grown(
        "tree.threshold_rounded",
        "thresholds are written with too few digits and rows change side",
        "lu: a is one of the values",
    ),
    of_known("tree.single_precision"),
    _grown(
        "tree.midpoint_not_between",
        "the midpoint rounds to the upper value, and a child is empty",
        "refmc: a question has a row on either side",
    ),
    _grown(
        "tree.pure_child_refused",
        'splits with a pure child are skipped because an impurity of 0 is taken for "none"',
        "lu F̃(n, q)",
    ),
    _grown(
        "tree.no_gain_test",
        "pure nodes are split on because children are not compared with their parent",
        "lu F̃(n, q) = F(n) − …",
    ),
    _grown(
        "tree.depth_shared",
        "one depth counter serves both branches, so that later children stay leaves",
        "lu, the greedy algorithm: every node may be split",
    ),
    _grown(
        "tree.last_threshold_missed",
        "the list of candidate thresholds is one too short",
        'lu, "Node Questions": all values of S_n',
    ),
    _grown(
        "tree.tied_values_skipped",
        "a value that several rows have is no threshold",
        'lu, "Node Questions": all values of S_n',
    ),
    of_known("tree.decrease_per_node"),
    _grown(
        "tree.state_left_over",
        "counts of the question tried before leak into the next one",
        "lu: F̃ depends on (n, q) only",
    ),
    _grown(
        "tree.log_base",
        "entropies of base e are compared with a least decrease in bits",
        "lu: log₂",
    ),
    _grown(
        "tree.smallest_first",
        "of all leaves the one with the smallest decrease is split first",
        "lu, line 3: arg max",
    ),
    _grown(
        "tree.min_leaf_exclusive",
        "a child must have more than the least number of rows",
        "refmc: min_leaf rows are enough",
    ),
    of_neighbour(
        "tree.depth_counts_nodes",
        (GROW,),
        "the depth counts nodes, and so is 1 at the root",
        "refmc: the root has depth 0",
        problem=_depth_of_nodes,
    ),
    of_neighbour(
        "tree.weights_ignored",
        (GROW, PRUNE),
        "weights of rows are ignored",
        "refmc: weight 0 is absent, weight 2 is twice",
        problem=weights_ignored,
    ),
    of_known("tree.other_impurity"),
    _pruned(
        "prune.leaves_not_less_one",
        "the increase is divided by the leaves, and not by the leaves less one",
        "lu r(tree, n′)",
    ),
    of_known_run(pruning, KNOWN["prune.one_of_the_tied"]),
    _pruned(
        "tree.leaves_first",
        "pruning goes leaf by leaf from the bottom and not by the weakest link",
        "lu r(tree, n′)",
    ),
    _pruned(
        "prune.equal_breakpoints",
        "a breakpoint is kept once for each tied node, and the table no longer fits the trees",
        'lu: "all of them are pruned"',
    ),
    _pruned(
        "prune.interval_ends",
        "at λ equal to a breakpoint the larger tree is returned",
        'lu: "the smallest size"',
    ),
    _one_tree(
        "prune.between_breakpoints",
        "between two breakpoints the smaller tree is returned",
        "lu: tree_λ minimises G_λ",
        _before_the_last,
        lambda problem, lam: next((n for at, n in _steps(problem) if at >= lam), 1),
    ),
    _one_tree(
        "prune.larger_of_the_tied",
        "for a λ equal to a breakpoint the larger of the two tied trees is returned",
        'lu: "the smallest size"',
        _last_point,
        lambda problem, lam: ([n for at, n in _steps(problem) if at < lam] or [_at(problem, lam)])[
            -1
        ],
    ),
    _one_tree(
        "prune.same_label_merge",
        "leaves with the same label are merged, and this is called cost-complexity pruning",
        "lu G_λ",
        lambda problem: {"lam": 0},
        lambda problem, lam: whole(merged_labels(problem)["leaves"], "leaves"),
    ),
    of_known("prune.risk_scale"),
    of_known("prune.other_risk"),
)
