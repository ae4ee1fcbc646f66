"""The lectures' pictures of functions, trees and rounds."""

from __future__ import annotations

from fractions import Fraction

from refmc.draw.boosting_pages import error_curves, rounds_plot
from refmc.draw.curves import Curve, curve_keys, curve_plot, sampled
from refmc.draw.looks import legend
from refmc.draw.polygons import Box
from refmc.draw.svg import Real, page, row
from refmc.draw.tree_pages import pruning_page, tree_page
from refmc.learn.boosting.adaboost_mh import fit_adaboost
from refmc.learn.trees.grow import grow_tree
from refmc.learn.trees.prune import pruning_sequence
from refmc.theory.impurity import entropy, gini, misclassification
from refmc.theory.losses import exponential, hinge, logistic, perceptron_loss, zero_one
from refmc.theory.subgradients import hinge_subgradient
from spec.pictures.data import AXES, BOOSTED, NOISY, PARTITIONED, labels_of, rows_in_groups

BLACK, GREEN, RED = "#333333", "#38761d", "#99210f"


def _box(x0: str, y0: str, x1: str, y1: str) -> Box:
    return Box(Fraction(x0), Fraction(y0), Fraction(x1), Fraction(y1))


def impurity() -> str:
    """The figure of lu's three measures of impurity, for two classes, in the lecture's colours."""
    zero, one = Fraction(0), Fraction(1)
    errors = sampled(lambda p: misclassification([p, 1 - p]), zero, one, 50)
    entropies = sampled(lambda p: entropy([p, 1 - p]) / 2, zero, one, 100)
    ginis = sampled(lambda p: gini([p, 1 - p]), zero, one, 100)
    curves = [
        Curve("misclassification", errors, ink=BLACK),
        Curve("entropy, halved", entropies, ink=GREEN),
        Curve("Gini index", ginis, ink=RED),
    ]
    plot = curve_plot(
        curves,
        _box("0", "0", "1", "0.55"),
        (380, 280),
        ("fraction p of one of two classes", "impurity F"),
    )
    caption = (
        "All are 0 at pure nodes and largest at p = 1/2. Entropy and Gini are strictly concave."
    )
    return page("Node impurity", caption, row([plot, legend(curve_keys(curves))]))


def hinge_loss() -> str:
    """The figure of chang's hinge loss, with the other surrogates of the zero-one loss."""
    low, high = Fraction(-2), Fraction(3)
    wrong, right = zero_one(-1, 1), zero_one(1, 1)
    steps: list[tuple[Real, Real]] = [(low, wrong), (0, wrong), (0, right), (high, right)]
    curves = [
        Curve("zero-one", steps),
        Curve("hinge: max(0, 1 − z)", sampled(hinge, low, high, 5)),
        Curve("perceptron: max(0, −z)", sampled(perceptron_loss, low, high, 5)),
        Curve("exponential: e^(−z)", sampled(exponential, low, high, 200)),
        Curve("logistic: ln(1 + e^(−z))", sampled(logistic, low, high, 100)),
    ]
    plot = curve_plot(
        curves, _box("-2", "-0.25", "3", "4"), (380, 320), ("margin z = y·f(x)", "loss")
    )
    caption = (
        "A row is right where z > 0. Hinge and exponential loss bound the zero-one loss from "
        "above; "
        "the perceptron's and the logistic loss, below 1 at z = 0, do not."
    )
    return page("Losses of a margin", caption, row([plot, legend(curve_keys(curves))]))


def subgradients() -> str:
    """The figure of chang's sub-gradients: lines below the SVM objective that touch it."""
    C = Fraction(2)

    def J(w: Fraction) -> Fraction:
        return w * w / 2 + C * hinge(w)

    low, high = Fraction(-1), Fraction(3)
    curves = [Curve("½w² + 2·max(0, 1 − w)", sampled(J, low, high, 100))]
    for at in (Fraction(0), Fraction(1)):
        for slope in (at + C * s for s in hinge_subgradient(at)):
            ends: list[tuple[Real, Real]] = [(w, J(at) + slope * (w - at)) for w in (low, high)]
            curves.append(Curve(f"slope {slope} at w = {at}", ends, [(at, J(at))]))
    plot = curve_plot(curves, _box("-1", "-1", "3", "5"), (360, 320), ("w", "objective J"))
    caption = (
        "The objective of one row x = 1 with y = 1, and C = 2. Where it is smooth, one line "
        "through "
        "the point lies below it: the gradient. At its kink every slope between the two drawn "
        "does, "
        "and 0 is among them: w = 1 is the minimum."
    )
    return page("Subgradients", caption, row([plot, legend(curve_keys(curves))]))


def boosting_bound() -> str:
    """What lu proves of boosting: the training error stays below Π Z_t."""
    rows = rows_in_groups(BOOSTED, (-1, 1))
    model = fit_adaboost(rows.points, labels_of(rows), rounds=12)
    curves = error_curves(model.rounds)
    plot = rounds_plot(curves, len(model.rounds))
    caption = (
        f"AdaBoost with decision stumps on {len(rows.points)} rows, in exact arithmetic. The bound "
        "falls by the factor Zₜ = 2√(εₜ(1 − εₜ)) in every round, however the error moves."
    )
    return page("Boosting: error and bound", caption, row([plot, legend(curve_keys(curves))]))


def tree_and_partition() -> str:
    """The figure of lu's binary decision trees: a tree and the partition that it makes."""
    rows = rows_in_groups(PARTITIONED, "abc")
    tree = grow_tree(rows.points, labels_of(rows))
    note = "Grown with the Gini index; ties are broken by the first question."
    return tree_page("A decision tree and its partition", note, tree, rows, AXES)


def pruning_picture() -> str:
    """What lu says of pruning: leaves and risk of the best tree against λ."""
    rows = rows_in_groups(NOISY, "abc")
    tree = grow_tree(rows.points, labels_of(rows))
    steps = pruning_sequence(tree, risk=misclassification)
    return pruning_page("A pruning sequence, with the errors as risk", steps, misclassification)
