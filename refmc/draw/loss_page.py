"""The picture of a loss of one margin: its curve, with dots at the margins of the problem."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

from refmc.core.records import Record
from refmc.draw.curves import Curve, curve_plot, sampled
from refmc.draw.polygons import Box
from refmc.draw.svg import page
from refmc.oracle.values import losses
from refmc.theory.losses import exponential, hinge, logistic, margin_loss, perceptron_loss

LOSSES: dict[str, Callable[..., Any]] = {
    "loss.hinge": hinge,
    "loss.perceptron": perceptron_loss,
    "loss.exponential": exponential,
    "loss.logistic": logistic,
    "loss.margin": margin_loss,
}


def draw_loss(record: Record) -> str:
    """The picture of a problem of such a loss."""
    family = str(record["family"])
    read: Any = losses.read_problem(record)
    loss = LOSSES[family]
    if family == "loss.margin":
        loss = partial(margin_loss, rho=read.rho)
    low, high = min(*read.z, Fraction(-2)), max(*read.z, Fraction(2))
    margin = (high - low) / 8
    low, high = low - margin, high + margin
    dots = [(z, Fraction(loss(z))) for z in dict.fromkeys(read.z)]
    curve = Curve(family, sampled(loss, low, high, 240), dots)
    top = max(Fraction(3), *(value for _, value in dots)) * Fraction(8, 7)
    view = Box(low, -top / 20, high, top)
    block = curve_plot([curve], view, (380, 260), ("margin z", "loss"))
    return page(family, "Dots are the margins of the problem.", block)
