"""How the growing and the pruning of trees are told."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from refmc.core.records import Record
from refmc.core.ties import taking
from refmc.draw.steps.page import Best, Values, View, ranked
from refmc.draw.steps.plane import SIDE, in_words, items_table
from refmc.draw.steps.story import Story
from refmc.draw.svg import Block
from refmc.draw.tree_pages import partition, plane_of, tree_block
from refmc.learn.trees.model import DecisionTree
from refmc.oracle.rows import Row
from refmc.oracle.trees.records import TreeProblem, read_problem
from refmc.oracle.trees.reference import given_tree, grown, sequence_of


def _sample(read: TreeProblem) -> dict[str, dict[str, object]]:
    names = read.sample.columns or [f"x{j}" for j in range(len(read.sample.X[0]))]
    labels = [read.classes[c] for c in read.sample.y]
    return items_table("ω", names, read.sample.X, {"class": labels})


def greedy(record: Record, story: Story) -> View:
    """[lu, "Greedy Algorithm for Building a Binary Decision Tree"]."""
    read = read_problem(record)
    columns, rows = read.sample.columns or None, plane_of(read)

    def tree_at(t: int, positions: list[int]) -> DecisionTree:
        grow = replace(read.grow, max_splits=t)
        return grown(replace(read, asked=grow), None, taking(positions))

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        found: list[Any] = list(rows)
        positions = [row["taken"] for row in found if len(row["tied"]) > 1]
        whole = tree_at(len(found), positions)
        before = tree_at(0, positions)
        begun = {"whole": whole, "leaves": _leaves(before), "tree": before}
        shape = ranked(found[0] | {"tied": ()}, "F̃") if found else {"none": {"F̃": None}}
        yield {"when": "begin", "mark": 0, "considered": shape} | begun
        for row in found:
            tree = tree_at(row["t"], positions)
            yield row | _growth(row, before, tree) | {"whole": whole, "before": before}
            before = tree
        yield {"when": "end", "mark": len(found) + 1, **begun, "tree": before}

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        is_split = slots["leaves"] is values.get("leaves")
        tree = values["tree" if is_split or "before" not in values else "before"]
        marked = [] if is_split or "marked" not in values else [values["marked"]]
        blocks = [tree_block(values["whole"], columns, tree, marked)]
        return blocks + ([] if rows is None else partition(tree, rows, columns, SIDE)[:1])

    return View(story, tell, draw, len(read.classes), _sample(read))


def _growth(row: Any, before: DecisionTree, tree: DecisionTree) -> Values:
    """What is said of a round that makes one tree of another."""
    node = next(n for n in before.nodes() if f"n{n.number}" == row["node"])
    split = next(n for n in tree.nodes() if n.number == node.number)
    assert split.negative is not None and split.positive is not None
    share, n_tied = Fraction(split.negative.size) / Fraction(node.size), len(row["tied"])
    tied = f"{n_tied} pairs are equally good; one of them is taken."
    return {
        "when": "round",
        "mark": row["t"],
        "leaves": _leaves(tree),
        "tree": tree,
        "pair": f"{row['node']}, {row['question']}",
        "how_many": tied if n_tied > 1 else "One pair is better than all others.",
        "marked": node.number,
        "F_n": node.impurity,
        "F_no": split.negative.impurity,
        "F_yes": split.positive.impurity,
        "eta": share,
        "rest": 1 - share,
        "considered": ranked(row, "F̃"),
    }


def _leaves(tree: DecisionTree) -> dict[str, dict[str, object]]:
    return {
        f"n_[{leaf.number}]": {f"p_[{c}]": Fraction(v) / Fraction(leaf.size) for c, v in
                               zip(tree.classes, leaf.counts)} | {"F(n)": leaf.impurity}
        for leaf in tree.leaves()
    }  # fmt: skip


def pruned(record: Record, story: Story) -> View:
    """[lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]."""
    read = read_problem(record)
    whole, columns = given_tree(read), read.sample.columns or None
    steps = sequence_of(read)

    def tell(rows: Iterable[Row]) -> Iterator[Values]:
        before, values = whole, Values()
        for i, given in enumerate(rows):
            row: Any = given
            r = [*row["r"].items()]
            values = {
                "mark": i,
                "when": "round" if i else "begin",
                "tree": steps[i].tree,
                "before": before,
                "λ": row["λ"],
                "leaves": row["leaves"],
                "nodes": in_words(row["tied"]) if row["tied"] else "none",
                "formula": ";  ".join(f"r({n}) = {v}" for n, v in r[:4]),
                "at_once": "; what adds nothing to the risk is collapsed" if row["tied"] else "",
                "r": {n: {"r": Best(v) if n in row["tied"] else v} for n, v in r}
                or {"–": {"r": 0}},
                "marked": [int(n[1:]) for n in row["tied"]] if i else [],
            }
            yield values
            before = steps[i].tree
        yield values | {"when": "end", "mark": len(steps), "before": before, "marked": []}

    def draw(slots: Mapping[str, Any], values: Values) -> list[Block]:
        tree = values["tree" if slots["|L|"] == values.get("leaves") else "before"]
        return [tree_block(whole, columns, tree, values["marked"], ghosts=True)]

    return View(story, tell, draw, len(read.classes), _sample(read))
