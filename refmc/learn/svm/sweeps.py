"""Where a search in float begins: sweeps of coordinate descent over the rows of a dual.

A sweep visits one block of multipliers after the other, which are those of a row that share C ω_i,
or one multiplier by itself, and takes the best single step there. That costs no more than the row's
scores, and after some dozens of sweeps nearly all multipliers are at the bound where the optimum
has them; pivots, each of which costs far more, need only mend the rest. What the sweeps end at may
be anything: the search that begins there decides every answer.

Two things make a sweep cheap. Multipliers at a bound whose slope holds them there by more than the
last sweep's largest violation are left out until the others have settled. And the equality yᵀα = 0
of a free bias, which would tie all rows together, is priced: the bias is held while a sweep lasts,
with a penalty on (yᵀα)², and raised by it afterwards (the method of multipliers).

Legend: x multipliers, w = Σ_v x_v D_v, g_v = gain_v − D_v·w − ridge_v x_v the slope of the dual.
"""

from __future__ import annotations

from math import fsum, inf
from operator import mul
from random import Random

from refmc.learn.svm.dual import Dual

SWEEPS = 30
"""How many times the multipliers are visited at most: some visits of a few count as one of all."""

SETTLED = 2.0**-12
"""The violation, in units of the largest gain, at which sweeps end."""


def swept(dual: Dual[float]) -> list[float]:
    """Multipliers near the optimum, between their bounds; a bias's equality may be missed.

    Cost: at most `SWEEPS` times that of all products D_v·w.
    """
    sweeps, mixed = _Sweeps(dual), Random(0)
    left, width, visited = sweeps.blocks, inf, 0
    while visited < SWEEPS * len(dual.gain):
        mixed.shuffle(left)  # any fixed order can be one in which a sweep undoes most of the last
        visited += sum(map(len, left))
        worst, kept = 0.0, []
        for block in left:
            violation, block = sweeps.visit(block, width)
            worst = max(worst, violation)
            if block:
                kept.append(block)
        sweeps.raise_price()
        is_settled = worst <= SETTLED * max(dual.gain)
        if is_settled and left is sweeps.blocks:
            break
        left, width = (sweeps.blocks, inf) if is_settled else (kept, worst)
    return sweeps.x


class _Sweeps:
    """The multipliers x, their image w, and the price of the bias's equality.

    `blocks`: what a sweep visits. `is_priced[v]`: whether v is in the group of a bias. `excess`:
    yᵀα over it.
    """

    def __init__(self, dual: Dual[float]) -> None:
        self.dual, self.geometry, self.x = dual, dual.geometry, list(dual.start)
        self.w = self.geometry.image({v: a for v, a in enumerate(self.x) if a})
        self.curvatures = [a + b for a, b in zip(self.geometry.squares(), dual.ridge)]
        # Signs of both kinds are those of the classes, in the one group that a free bias makes.
        shared = [group for group in dual.groups if all(dual.sign[v] > 0 for v in group)]
        grouped = {v for group in shared for v in group}
        self.is_priced = [
            number is not None and v not in grouped for v, number in enumerate(dual.group)
        ]
        alone = [[v] for v, bound in enumerate(dual.upper) if v not in grouped and bound != 0]
        self.blocks = [group for group in shared if any(self.x[v] for v in group)] + alone
        self.penalty = fsum(self.curvatures) / len(self.x) if any(self.is_priced) else 0.0
        self.price = self.excess = 0.0

    def visit(self, block: list[int], width: float) -> tuple[float, list[int]]:
        """Take a step in the block: by how much its slopes were off, and what to visit again."""
        x, gain, ridge = self.x, self.dual.gain, self.dual.ridge
        products = self.geometry.products(self.w, block)
        g = [gain[v] - a - ridge[v] * x[v] for v, a in zip(block, products)]
        if len(block) == 1:
            return self.visit_one(block, g[0], width)
        highest = max(g)
        gainer = block[g.index(highest)]
        lowest, giver = min((g_v, v) for g_v, v in zip(g, block) if x[v] > 0)
        if highest > lowest:
            curvature = self.curvatures[gainer] + self.curvatures[giver]
            curvature -= 2 * self.geometry.inner(gainer, giver)
            step = x[giver]
            if highest - lowest < step * curvature:
                step = (highest - lowest) / curvature
            x[gainer] += step
            x[giver] -= step
            self.w = self.geometry.added(self.w, {gainer: step, giver: -step})
        kept = [v for v, g_v in zip(block, g) if x[v] > 0 or g_v >= highest - width]
        return highest - lowest, kept if len(kept) > 1 else []

    def visit_one(self, block: list[int], g: float, width: float) -> tuple[float, list[int]]:
        """The same for a multiplier by itself."""
        (v,) = block
        x, upper, sign, curvature = self.x[v], self.dual.upper[v], 0, self.curvatures[v]
        if self.is_priced[v]:
            sign = self.dual.sign[v]
            g -= sign * (self.price + self.penalty * self.excess)
            curvature += self.penalty
        if not curvature or (x <= 0 and g <= 0) or (upper is not None and x >= upper and g >= 0):
            return 0.0, [] if abs(g) > width else block
        target = max(x + g / curvature, 0.0)
        if upper is not None:
            target = min(target, upper)
        self.x[v] = target
        self.w = self.geometry.added(self.w, {v: target - x})
        self.excess += sign * (target - x)
        return abs(g), block

    def raise_price(self) -> None:
        """The next price of the bias's equality, from what this one leaves of yᵀα."""
        self.excess = fsum(map(mul, self.is_priced, map(mul, self.dual.sign, self.x)))
        self.price += self.penalty * self.excess
