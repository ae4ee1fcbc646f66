"""What programs that grow and prune trees get wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import chain, pairwise
from statistics import mode

from refmc.core.records import Record, entries, items, number, read_object
from refmc.mistakes.fields import (
    changing,
    costs_ignored,
    costs_transposed,
    objects,
    replaced,
    row_count,
    setting,
    weights_ignored,
    without,
)
from refmc.mistakes.generic_rows import in_single_precision
from refmc.mistakes.mistake import Mistake, Neighbours, by_switch, of_answer, of_run, steps_of
from refmc.mistakes.plain_pruning import RISKS, merged_labels, pruning, pruning_with_state
from refmc.mistakes.plain_trees import growth
from refmc.mistakes.transport import Program, Rewriting, by_program, kept, same, solved
from refmc.mistakes.tree_parts import Labelled, Parts
from refmc.mistakes.tree_steps import DECREASES, MISREAD
from refmc.oracle.reading import read_codes, whole

GROW, PRUNE = "tree.grow", "tree.prune"

parts_once = kept(Parts)
"""The parts of the tree that was submitted, at which all mistakes look."""


def _with_nodes(answer: Record, change: Callable[[Record], Record]) -> Record:
    """The answer with every inner node of its tree changed."""
    tree = read_object(answer.get("tree"), "answer.tree")
    nodes = objects(tree["nodes"], "answer.tree.nodes")
    changed = [change(node) if "question" in node else node for node in nodes]
    return {**answer, "tree": {**tree, "nodes": changed}}


def _strict(problem: Record, answer: Record) -> Record:
    """The answer with each threshold a of x ≤ a read as that of x < a, and the other way."""

    def toggled(asked: object) -> Record:
        record = read_object(asked, "question")
        is_asked = "threshold" in record
        return {**record, "strict": not record.get("strict", False)} if is_asked else record

    tree = read_object(answer.get("tree"), "answer.tree")
    if "nodes" not in tree:
        return {**answer, "tree": toggled(tree)}
    return _with_nodes(answer, lambda node: {**node, "question": toggled(node["question"])})


def _sides(problem: Record, answer: Record) -> Record | None:
    if not parts_once(problem, answer.get("tree")).has_due_thresholds:
        return None  # another mistake, or none: nobody puts a threshold there
    tree = read_object(answer.get("tree"), "answer.tree")
    if "children_left" in tree:
        left, right = tree["children_left"], tree["children_right"]
        return {**answer, "tree": {**tree, "children_left": right, "children_right": left}}
    return _with_nodes(
        answer, lambda node: {**node, "negative": node["positive"], "positive": node["negative"]}
    )


def _merged(problem: Record, answer: Record) -> Record | None:
    """The answer with steps of one λ joined, which collapses what each of them did.

    Two λ count as one if they differ by no more than floats round.
    """
    if "steps" not in answer:
        return None
    steps = objects(answer["steps"], "answer.steps")
    leaves = [whole(step["leaves"], "leaves") for step in steps if "leaves" in step]
    if any(after >= before for before, after in pairwise(leaves)):  # a step that collapses nothing
        return None
    merged: list[Record] = []
    for step in steps:
        before = merged[-1] if merged else {}
        if "lam" not in step or not same(step["lam"], before.get("lam"), "lam"):
            merged.append(step)
            continue
        both = [entries(at["collapsed"], "collapsed") for at in (before, step) if "collapsed" in at]
        merged[-1] = {**step, "collapsed": [*chain(*both)]} if len(both) == 2 else step
    return None if len(merged) == len(steps) else {**answer, "steps": merged}


def _by_splits(switches: Collection[str], right: Program) -> Rewriting:
    """Recognises the tree of a mistaken run by how it splits the rows, not by its words."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        mine = parts_once(problem, answer["tree"])
        wrong = growth(problem, switches, mine.splits)
        if wrong is None:
            return None
        other = Parts(problem, wrong["tree"])
        asked = mine.thresholds == other.thresholds or mine.has_due_thresholds
        labels, others = ([at[1:] for at in parts.labels] for parts in (mine, other))
        named = mine.has_due_labels or labels == others
        due = right(problem) if mine.splits == other.splits and asked and named else None
        if due is None:
            return None
        if mine.has_due_labels and mine.splits == Parts(problem, due["tree"]).splits:
            return None
        return {"tree": due["tree"]}

    return rewriting


def _labelled(id: str, rule: Callable[[Labelled], int]) -> Mistake:
    """The mistake of labels that another rule gives to nodes."""

    def rewriting(problem: Record, answer: Record) -> Record | None:
        parts = parts_once(problem, answer["tree"])
        if parts.has_due_labels or not all(node.codes for node in parts.labels):
            return None
        if any(node.label != rule(node) and not node.may_be for node in parts.labels):
            return None
        tree = read_object(answer["tree"], "answer.tree")
        if "nodes" not in tree:
            return {"tree": without(tree, "labels")}
        nodes = [without(node, "label") for node in objects(tree["nodes"], "nodes")]
        return {"tree": {**tree, "nodes": nodes}}

    def program(problem: Record) -> Record | None:
        right = growth(problem)
        if right is None:
            return None
        classes = read_codes(problem, row_count(problem))[1]
        tree = read_object(right["tree"], "tree")
        nodes = [dict(node) for node in objects(tree["nodes"], "nodes")]
        for node in Parts(problem, tree).labels:
            nodes[node.node]["label"] = classes[rule(node)]
        told = [without(n, "label") if "question" in n else n for n in nodes]  # as most programs do
        return {"tree": {"nodes": told}}

    return Mistake(id, (GROW,), answer=rewriting, program=program)


def _majority(totals: Sequence[Fraction]) -> int:
    return totals.index(max(totals))


def _of_parent(node: Labelled) -> list[Fraction]:
    return [own + other for own, other in zip(node.totals, node.of_sibling)]


def _minority(totals: Sequence[Fraction]) -> int:
    return totals.index(min(weight for weight in totals if weight))


def _by_steps(switches: Collection[str], right: Program) -> Rewriting:
    ways = {"starts_pruned", "starts_at_once"} & {*switches}
    program, right = (partial(pruning_with_state, wrong=wrong) for wrong in (switches, ways))
    moved = by_program(program, right)
    return lambda problem, answer: moved(problem, in_order(answer))


def in_order(answer: Record) -> Record:
    """The answer whose steps have their nodes in order, as sets of nodes have none."""
    if "steps" not in answer:
        return answer
    steps = [{**step, **_sorted(step)} for step in objects(answer["steps"], "steps")]
    return {**answer, "steps": steps}


def _sorted(step: Record) -> Record:
    """The sets of nodes of a step, each in order."""
    sets = [name for name in ("leaf_nodes", "collapsed") if step.get(name)]
    return {n: sorted(items(step[n], n), key=partial(number, place=n)) for n in sets}


TIES = {
    "text_order": ("rows_as_texts",),
    **dict.fromkeys(
        ("first_threshold_missed", "last_threshold_missed", "ends_missed"), ("only_one_kept",)
    ),
    **dict.fromkeys(RISKS, ("starts_at_once",)),
    "tied_values_cut": ("tied_by_label",),
    "left_counts_kept": ("all_moved",),
    "classes_over_rows": ("gini_of_products",),
    **dict.fromkeys(chain(*MISREAD.values()), ("negative_refused", "pure_if_impurity_0")),
    **dict.fromkeys(DECREASES, ("negative_refused",)),
}
"""What a program that makes a mistake may do besides."""


def _grown(id: str, families: tuple[str, ...]) -> Mistake:
    name = id.removeprefix("tree.")  # where the decrease is lost, the first question is asked
    ties = () if name == "decrease_lost" else ("last_of_tied", *TIES.get(name, ()))
    return of_run(growth, id, families, _by_splits, ties)


def _pruned(id: str, families: tuple[str, ...]) -> Mistake:
    ties = "starts_pruned", *TIES.get(id.removeprefix("prune."), ())
    return of_run(pruning, id, families, _by_steps, ties)


def _steps(problem: Record) -> list[tuple[Fraction, int]]:
    """λ and leaves of the right sequence, the last of each λ; FormatError for irrational λ."""
    found: dict[Fraction, int] = {}
    for step in solved(problem)["steps"]:
        found[number(step["lam"], "lam")] = whole(step["leaves"], "leaves")
    return sorted(found.items())


def _at(problem: Record, lam: Fraction) -> int:
    """The leaves of the right tree."""
    return [leaves for point, leaves in _steps(problem) if point <= lam][-1]


def _one_tree(
    id: str, lam: Callable[[Record], Fraction | None], leaves: Callable[[Record, Fraction], int]
) -> Mistake:
    """A mistake about the tree of a single λ.

    A program that makes it takes the λ that `lam` chooses; an answer may have any other.
    """

    def program(problem: Record) -> Record | None:
        chosen = lam(problem)
        return None if chosen is None else {"lam": chosen, "leaves": leaves(problem, chosen)}

    def rewriting(problem: Record, answer: Record) -> Record | None:
        if set(answer) - {"family"} != {"lam", "leaves"}:
            return None
        value = number(answer["lam"], "lam")
        wrong, right = leaves(problem, value), _at(problem, value)
        if wrong == right or whole(answer["leaves"], "leaves") != wrong:
            return None
        return {**answer, "leaves": right}

    return Mistake(id, (PRUNE,), answer=rewriting, program=program)


def _before_the_last(problem: Record) -> Fraction | None:
    """A λ halfway to the last breakpoint."""
    points = [lam for lam, _ in _steps(problem)]
    return (points[-2] + points[-1]) / 2 if len(points) > 1 else None


def _at_the_next(problem: Record, lam: Fraction) -> int:
    """The leaves from the next breakpoint on."""
    return next((n for at, n in _steps(problem) if at >= lam), 1)


def _last(problem: Record) -> Fraction:
    """The last breakpoint."""
    return _steps(problem)[-1][0]


def _just_before(problem: Record, lam: Fraction) -> int:
    """The leaves up to a breakpoint."""
    below = [n for at, n in _steps(problem) if at < lam]
    return below[-1] if below else _at(problem, lam)


def _merged_at_0(problem: Record, lam: Fraction) -> int:
    return whole(merged_labels(problem)["leaves"], "leaves")


def _no_deeper(depth: int) -> Neighbours:
    return lambda problem, answer: [{**problem, "max_depth": depth}]


def _sides_alone(problem: Record, answer: Record) -> Record | None:
    return _sides(problem, {"tree": answer["tree"]})


MISTAKES: tuple[Mistake, ...] = (
    by_switch(growth, "tree.strict_threshold", (GROW,), answer=_strict),
    of_answer("tree.sides_swapped", (GROW,), _sides, _sides_alone),
    _labelled("tree.label_of_first_row", lambda node: node.codes[0]),
    _labelled("tree.label_of_last_row", lambda node: node.codes[-1]),
    _labelled("tree.label_of_first_class", lambda node: min(node.codes)),
    _labelled("tree.label_of_last_class", lambda node: max(node.codes)),
    _labelled("tree.label_by_rows", lambda node: mode(sorted(node.codes))),
    _labelled("tree.label_of_minority", lambda node: _minority(node.totals)),
    _labelled("tree.label_of_sibling", lambda node: _majority(node.of_sibling)),
    _labelled("tree.label_of_parent", lambda node: _majority(_of_parent(node))),
    *(_grown(*step) for step in steps_of(GROW)),
    Mistake("tree.single_precision", (GROW, "boost.ada", "boost.mh"), in_single_precision),
    Mistake("tree.decrease_per_node", (GROW,), setting("weighted", False, True)),
    Mistake(
        "tree.depth_counts_nodes", (GROW,), changing("max_depth", whole, lambda n: max(n - 1, 0))
    ),
    Mistake("tree.weights_ignored", (GROW, PRUNE), weights_ignored),
    Mistake(
        "tree.other_impurity", (GROW,), setting("impurity", "gini", "entropy", "misclassification")
    ),
    *(
        Mistake(f"tree.{name}", (GROW,), _no_deeper(depth))
        for depth, name in enumerate(("root_alone", "one_split_alone", "depth_of_two"))
    ),
    *(_pruned(*step) for step in steps_of(PRUNE)),
    replace(
        by_switch(pruning, "prune.one_of_the_tied", (PRUNE,), answer=_merged),
        run=pruning,
        ties=("last_of_tied",),
    ),
    _one_tree("prune.between_breakpoints", _before_the_last, _at_the_next),
    _one_tree("prune.larger_of_the_tied", _last, _just_before),
    _one_tree("prune.same_label_merge", lambda problem: Fraction(0), _merged_at_0),
    Mistake("prune.risk_scale", (PRUNE,), setting("scale", "sum", "mean")),
    Mistake("prune.other_risk", (PRUNE,), setting("risk", "gini", "entropy", "misclassification")),
    Mistake("tree.costs_transposed", (GROW, PRUNE), costs_transposed),
    Mistake("tree.costs_ignored", (GROW,), costs_ignored),
)

CONVENTIONS: tuple[Mistake, ...] = (
    Mistake("tree.no_gain_no_split", (GROW,), replaced("min_decrease", None, 0)),
)
"""What is only recognised."""
