"""Reference runs of AdaBoost for several classes: the rules "samme" and "m1".

Beyond [lu, "The AdaBoost.MH Algorithm"]: base classifiers name one of k classes. AdaBoost.M1 is of
Y. Freund, R. Schapire, Experiments with a New Boosting Algorithm, 1996; SAMME of J. Zhu, H. Zou,
S. Rosset, T. Hastie, Multi-class AdaBoost, 2009. A stump with a class for each side is a tree of
one question that leaves the fewest mistakes.

Legend: D weights of sum 1; h the answers of a base classifier on the rows; ε its error.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.cells import categorical_columns
from refmc.core.logs import Log
from refmc.core.sample import Label
from refmc.core.scalars import check_digits
from refmc.core.ties import TiePolicy, argmax_set
from refmc.learn.trees.grow import grow_tree
from refmc.oracle.boosting.records import LabelledProblem
from refmc.theory.impurity import misclassification


class Round(NamedTuple):
    """Round t: `base` holds the answers h, D are the weights before it, α is None where ε = 0."""

    t: int
    base: list[Label]
    D: list[Fraction]
    epsilon: Fraction
    alpha: Log | None


def boosted_classes(read: LabelledProblem, tie: TiePolicy) -> tuple[list[Round], str]:
    """The rounds, and why they ended: "rounds", "perfect" (ε = 0) or "no_edge"."""
    p, y = read.asked, [read.classes[c] for (c,) in read.asked.truth]
    assert p.X is not None
    others = p.k - 1 if p.rule == "samme" else 1
    # From this error on α isn't positive: (k − 1)/k for SAMME, which is that of guessing; ½ for M1.
    edge = Fraction(others, others + 1)
    weights = p.weights or [Fraction(1)] * len(y)
    D = [weight / sum(weights) for weight in weights]
    found: list[Round] = []
    for t in range(1, p.rounds + 1):
        options: Any = {"classes": read.classes, "tie": tie}
        options["categorical"] = categorical_columns(p.X)
        stump = grow_tree(p.X, y, impurity=misclassification, max_splits=1, weights=D, **options)
        label_of = {leaf.number: leaf.label for leaf in stump.leaves()}  # ties settled once
        h = [label_of[stump.leaf(x).number] for x in p.X]
        epsilon = sum((d for d, guess, own in zip(D, h, y) if guess != own), Fraction(0))
        if epsilon >= edge:
            return found, "no_edge"
        if not epsilon:
            return [*found, Round(t, h, D, epsilon, None)], "perfect"
        odds = (1 - epsilon) / epsilon * others
        found.append(Round(t, h, D, epsilon, Log([(odds, 1)])))
        raised = [d if guess == own else d * odds for d, guess, own in zip(D, h, y)]
        D = [d / sum(raised) for d in raised]
        for d in D:
            check_digits(d, "D: a weight has", "ask for fewer rounds")
    return found, "rounds"


def voted(rounds: list[Round], read: LabelledProblem, tie: TiePolicy) -> list[Label]:
    """For each row the class of most votes."""
    labels = []
    for i in range(read.m):
        votes = [Log() for _ in read.classes]
        for one in rounds:
            if one.alpha is None:
                return one.base
            votes[read.classes.index(one.base[i])] += one.alpha
        labels.append(read.classes[tie(argmax_set(votes))])
    return labels
