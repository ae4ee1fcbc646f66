"""What bounds on risks, mistakes and errors get wrong: what stands in the place of one part."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product, takewhile
from math import exp, floor, fsum, log, log2, log10, prod, sqrt

from refmc.core.linalg import dot
from refmc.core.records import Record, matrix, number, numbers
from refmc.mistakes.mistake import Mistake, Run, Wrong, of_run, step_of
from refmc.oracle.reading import read_codes

RADEMACHER, MARGIN, KERNEL = "bound.rademacher", "bound.margin", "bound.kernel_rademacher"
KERNEL_MARGIN, PERCEPTRON, ADABOOST = "bound.kernel_margin", "bound.perceptron", "bound.adaboost"
MARGINS = (MARGIN, KERNEL_MARGIN)

Rows = Sequence[Sequence[Fraction]]

BALLS: dict[str, Callable[[float, float], float]] = {
    "right": lambda square, m: sqrt(square / m),
    "radius_squared": lambda square, m: square / sqrt(m),
    "root_forgotten": lambda square, m: square / m,
    "rows_outside_root": lambda square, m: sqrt(square) / m,
    "rows_forgotten": lambda square, m: sqrt(square),
}
"""The complexity of kernel-based functions, from r²Λ² and m."""

CLASSES: dict[str, Callable[[float], float]] = {
    "right": lambda k: 2 * k * k,
    "classes_power": lambda k: 2 * k,
    "ordered_pairs": lambda k: k * (k - 1),
    "rivals_counted": lambda k: 2 * k * (k - 1),
    "classes_fourfold": lambda k: 4 * k,
    "classes_squared_once": lambda k: k * k,
}
"""By what a complexity is multiplied."""

RHOS: dict[str, Callable[[float], float]] = {
    "right": lambda rho: rho,
    "rho_forgotten": lambda rho: 1,
    "rho_rooted": sqrt,
}
"""By what it is divided."""


CHANCES: dict[str, Callable[[int, int, float, float], float]] = {
    "right": lambda times, n, delta, m: times * sqrt(log(n / delta) / (2 * m)),
    "log_ten": lambda times, n, delta, m: times * sqrt(log10(n / delta) / (2 * m)),
    "log_two": lambda times, n, delta, m: times * sqrt(log2(n / delta) / (2 * m)),
    "rows_not_doubled": lambda times, n, delta, m: times * sqrt(log(n / delta) / m),
    "no_root": lambda times, n, delta, m: times * log(n / delta) / (2 * m),
    "root_of_logarithm": lambda times, n, delta, m: times * sqrt(log(n / delta)) / (2 * m),
    "three_missing": lambda times, n, delta, m: sqrt(log(n / delta) / (2 * m)),
    "three_in_root": lambda times, n, delta, m: sqrt(times * log(n / delta) / (2 * m)),
    "one_chance": lambda times, n, delta, m: times * sqrt(log(1 / delta) / (2 * m)),
    "two_chances": lambda times, n, delta, m: times * sqrt(log(2 / delta) / (2 * m)),
    "chance_of_success": lambda times, n, delta, m: times * sqrt(log(n / (1 - delta)) / (2 * m)),
    "two_sided_delta": lambda times, n, delta, m: (
        (4 - times) * sqrt(log((3 - n) / delta) / (2 * m))
    ),
}
"""The term of δ; 3 times and ln(n/δ) for n = 2 on a sample, else once and n = 1."""

TOTALS: dict[str, Callable[[float, float, float], float]] = {
    "right": lambda loss, complexity, chance: loss + complexity + chance,
    "loss_left_out": lambda loss, complexity, chance: complexity + chance,
    "complexity_left_out": lambda loss, complexity, chance: loss + chance,
    "chance_left_out": lambda loss, complexity, chance: loss + complexity,
    "total_capped": lambda loss, complexity, chance: min(1, loss + complexity + chance),
}
"""The sum of a bound's terms."""

SAYS_NOTHING: dict[str, Callable[[float, float], bool]] = {
    "right": lambda total, complexity: total >= 1,
    "vacuous_by_complexity": lambda total, complexity: complexity >= 1,
    "vacuous_reversed": lambda total, complexity: total < 1,
}
"""Whether a bound says nothing, from its total and its complexity."""


def _of_ball(problem: Record, wrong: Wrong) -> float:
    r, Lambda, m = (number(problem[n], n) for n in ("r_squared", "Lambda_squared", "m"))
    return step_of(BALLS, wrong)(float(r * Lambda), float(m))


def _margin_bound(problem: Record, wrong: Wrong) -> Record:
    if problem["family"] == KERNEL:
        return {"value": Fraction(_of_ball(problem, wrong))}
    names = ("k", "rho", "m", "delta", "empirical")
    k, rho, m, delta, loss = (float(number(problem[n], n)) for n in names)
    on_sample = "empirical_complexity" in problem or bool(problem.get("on_sample"))
    given = [n for n in ("expected_complexity", "empirical_complexity") if n in problem]
    of_set = float(number(problem[given[0]], given[0])) if given else _of_ball(problem, wrong)
    complexity = step_of(CLASSES, wrong)(k) * of_set / step_of(RHOS, wrong)(rho)
    times, n = (3, 2) if on_sample else (1, 1)
    chance = step_of(CHANCES, wrong)(times, n, delta, m)
    total = step_of(TOTALS, wrong)(loss, complexity, chance)
    return {
        "empirical": problem["empirical"], "complexity": Fraction(complexity),
        "confidence": Fraction(chance), "total": Fraction(total),
        "vacuous": step_of(SAYS_NOTHING, wrong)(total, complexity),
    }  # fmt: skip


MOST_SUMS = 1 << 16
"""Of signed values, up to which a complexity is computed again."""

SIGNS: dict[str, Callable[[int], Iterable[Sequence[int]]]] = {
    "right": lambda m: product((1, -1), repeat=m),
    "signs_zero_one": lambda m: product((1, 0), repeat=m),
    "first_sign_fixed": lambda m: product((1,), *[(1, -1)] * (m - 1)),
    "last_sign_missing": lambda m: product((1, -1), repeat=m - 1),
}
"""The sign vectors that are gone through."""

SUPREMA: dict[str, Callable[[list[float]], float]] = {
    "right": max,
    "infimum": min,
    "absolute_value": lambda sums: max(map(abs, sums)),
    "mean_of_hypotheses": lambda sums: fsum(map(abs, sums)) / len(sums),
    "sup_outside": lambda sums: 0.0,
}
"""What is taken of the sums Σ σ h of all hypotheses."""

MEANS: dict[str, Callable[[list[float], int, int], float]] = {
    "right": lambda found, m, n: fsum(found) / (m * n),
    "not_over_m": lambda found, m, n: fsum(found) / n,
    "twice": lambda found, m, n: 2 * fsum(found) / (m * n),
    "not_over_signs": lambda found, m, n: fsum(found) / m,
    "largest_of_signs": lambda found, m, n: max(found) / m,
}
"""What is taken of these of all sign vectors, for so many rows, and vectors to divide by."""


def _rademacher(problem: Record, wrong: Wrong) -> Record | None:
    H = [[*map(float, h)] for h in matrix(problem["values"], "values")]
    m = len(H[0])
    if len(H) << m > MOST_SUMS:
        return None
    taken = step_of(SUPREMA, wrong)
    found = [
        taken([fsum(s * v for s, v in zip(signs, h)) for h in H])
        for signs in step_of(SIGNS, wrong)(m)
    ]
    n = len(found) if "over_those_seen" in wrong else 2**m
    return {"value": Fraction(step_of(MEANS, wrong)(found, m, n))}


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


def _square(x: Sequence[Fraction]) -> Fraction:
    return dot(x, x, Fraction(0))


RADII: dict[str, Callable[[Rows], Fraction]] = {
    "right": lambda rows: max(map(_square, rows)),
    "mean_radius": lambda rows: _mean([*map(_square, rows)]),
    "least_radius": lambda rows: min(map(_square, rows)),
    "bias_not_in_radius": lambda rows: max(_square(x[:-1]) for x in rows),
}
"""R², from rows that end with 1 for a bias, or with 0."""

RIVALS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "right": min,
    "first_rival": lambda gaps: gaps[0],
    "mean_rival": _mean,
}
"""The margin of a row, from its gaps to the other classes."""

MARGIN_OF_ROWS: dict[str, Callable[[Sequence[Fraction]], Fraction]] = {
    "right": min,
    "mean_margin": _mean,
}
"""The margin of all rows."""

NORMS: dict[str, Callable[[Rows], Fraction]] = {
    "right": lambda W: sum(map(_square, W), Fraction(0)),
    "unit_separator": lambda W: Fraction(1),
    "bias_not_in_norm": lambda W: sum((_square(w[:-1]) for w in W), Fraction(0)),
    "longest_weights": lambda W: max(map(_square, W)),
}
"""The square of the length of weights that end with a bias, or with 0."""

RATIOS: dict[str, Callable[[Fraction, Fraction, int], Fraction]] = {
    "right": lambda R, margin, times: times * R / margin,
    "margin_not_squared": lambda R, margin, times: times * R / Fraction(sqrt(margin)),
    "several_as_two": lambda R, margin, times: R / margin,
    "ratio_cut": lambda R, margin, times: Fraction(floor(times * R / margin)),
    "ratio_rooted": lambda R, margin, times: Fraction(sqrt(times * R / margin)),
}
"""The bound, from R², γ² and 1 for two classes, 2 for several."""


def _perceptron(problem: Record, wrong: Wrong) -> Record | None:
    rows = [[*x, Fraction("b" in problem)] for x in matrix(problem["X"], "X")]
    codes, _ = read_codes(problem, len(rows))
    W = [[*w, Fraction(0)] for w in matrix(problem["W"], "W")] if "W" in problem else []
    if not W:
        w = [*numbers(problem["w"], "w"), number(problem.get("b", 0), "b")]
        margins = [dot(w, x, Fraction(0)) * (2 * c - 1) for c, x in zip(codes, rows)]
    else:
        of_row = step_of(RIVALS, wrong)
        scores = [[dot(w, x, Fraction(0)) for w in W] for x in rows]
        margins = [
            of_row([s[c] - v for j, v in enumerate(s) if j != c]) for s, c in zip(scores, codes)
        ]
    R, margin = step_of(RADII, wrong)(rows), step_of(MARGIN_OF_ROWS, wrong)(margins)
    norm = step_of(NORMS, wrong)(W or [w])
    if margin <= 0 or not norm:
        return None
    margin = margin**2 / norm
    bound = step_of(RATIOS, wrong)(R, margin, 2 if W else 1)
    return {"R_squared": R, "margin_squared": margin, "bound": bound}


COUNTED: dict[str, Callable[[list[float]], list[float]]] = {
    "right": lambda epsilons: epsilons,
    "first_round_alone": lambda epsilons: epsilons[:1],
    "last_round_alone": lambda epsilons: epsilons[-1:],
    "until_chance": lambda epsilons: [*takewhile(lambda epsilon: epsilon < 0.5, epsilons)],
}
"""The rounds that count."""

ZS: dict[str, Callable[[float], float]] = {
    "right": lambda epsilon: 2 * sqrt(epsilon * (1 - epsilon)),
    "two_missing": lambda epsilon: sqrt(epsilon * (1 - epsilon)),
    "squared": lambda epsilon: 4 * epsilon * (1 - epsilon),
    "product_not_rooted": lambda epsilon: 2 * epsilon * (1 - epsilon),
}
"""What a round counts in the product."""

EXPONENTS: dict[str, Callable[[list[float]], float]] = {
    "right": lambda edges: 2 * fsum(v * v for v in edges),
    "edge_not_squared": lambda edges: 2 * fsum(edges),
    "exponent_halved": lambda edges: fsum(v * v for v in edges),
    "sum_of_edges_squared": lambda edges: 2 * fsum(edges) ** 2,
    "least_edge": lambda edges: 2 * len(edges) * min((v * v for v in edges), default=0),
}
"""Minus the exponent, from the edges ½ − ε."""


def _adaboost(problem: Record, wrong: Wrong) -> Record:
    epsilons = step_of(COUNTED, wrong)([*map(float, numbers(problem["epsilons"], "epsilons"))])
    whole = Fraction(prod(map(step_of(ZS, wrong), epsilons)))
    exponential = Fraction(exp(-step_of(EXPONENTS, wrong)([0.5 - v for v in epsilons])))
    if "product_and_exponential" in wrong:
        whole, exponential = exponential, whole
    return {"product": whole, "exponential": exponential}


def _of_tables(
    run: Run, families: tuple[str, ...], *tables: Mapping[str, object], ties: tuple[str, ...] = ()
) -> list[Mistake]:
    """What may stand in the place of each part of a bound."""
    names = [name for table in tables for name in table if name != "right"]
    return [of_run(run, f"bound.{name}", families, ties=ties) for name in names]


MISTAKES: tuple[Mistake, ...] = (
    *_of_tables(_margin_bound, MARGINS, CLASSES, RHOS, CHANCES, TOTALS, SAYS_NOTHING),
    *_of_tables(_margin_bound, (KERNEL, KERNEL_MARGIN), BALLS),
    *_of_tables(_rademacher, (RADEMACHER,), SIGNS, ties=("over_those_seen",)),
    *_of_tables(_rademacher, (RADEMACHER,), SUPREMA, MEANS),
    *_of_tables(_perceptron, (PERCEPTRON,), RADII, RIVALS, MARGIN_OF_ROWS, NORMS, RATIOS),
    *_of_tables(_adaboost, (ADABOOST,), COUNTED, ZS, EXPONENTS),
    of_run(_adaboost, "bound.product_and_exponential", (ADABOOST,), ties=()),
)
