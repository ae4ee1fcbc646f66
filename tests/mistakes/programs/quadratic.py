"""A quadratic program, solved for each set of inequalities that may be active, in fractions."""

from fractions import Fraction as F
from itertools import combinations
from typing import Any

SUPPORTS = {"qp.convex": ["A", "b", "G", "h"]}


def gauss(M: list[list[F]], r: list[F]) -> list[F] | None:
    """A solution of M z = r, or None."""
    n = len(M[0])
    T = [[*row, v] for row, v in zip(M, r)]
    pivots: list[int] = []
    for column in range(n):
        row = len(pivots)
        hit = next((i for i in range(row, len(T)) if T[i][column]), None)
        if hit is None:
            continue
        T[row], T[hit] = T[hit], T[row]
        T[row] = [v / T[row][column] for v in T[row]]
        for i in range(len(T)):
            if i != row and T[i][column]:
                T[i] = [a - T[i][column] * b for a, b in zip(T[i], T[row])]
        pivots.append(column)
    if any(row[n] for row in T[len(pivots) :]):
        return None
    z = [F(0)] * n
    for row, column in enumerate(pivots):
        z[column] = T[row][n]
    return z


def solve(p: dict[str, Any], bug: str = "") -> dict[str, Any]:
    def rational(rows: Any) -> list[list[F]]:
        return [[F(v) for v in row] for row in rows]

    Q, c = rational(p["Q"]), [F(v) for v in p["c"]]
    n = len(c)
    A, b = rational(p.get("A", [])), [F(v) for v in p.get("b", [])]
    G, h = rational(p.get("G", [])), [F(v) for v in p.get("h", [])]
    e, own = len(A), len(G)
    if bug == "first_inequality_missing":
        G, h = G[1:], h[1:]
    if bug == "last_inequality_missing":
        G, h = G[:-1], h[:-1]
    P = [[v * F({"Q_halved": "1/2", "Q_doubled": "2"}.get(bug, "1")) for v in row] for row in Q]
    for i in range(n):
        if bug == "ridge":
            P[i][i] += F(1, 1000)
        if bug == "triangle":
            P[i] = [v if j >= i else F(0) for j, v in enumerate(P[i])]
        if bug == "pairs_twice":
            P[i] = [v if j == i else 2 * v for j, v in enumerate(P[i])]
        if bug == "nonnegative":
            G, h = [*G, [F(-(i == j)) for j in range(n)]], [*h, F(0)]
    for size in range(min(n, len(G)) + 1):
        for active in combinations(range(len(G)), size):
            R = [*A, *(G[i] for i in active)]
            M = [[*row, *(r[i] for r in R)] for i, row in enumerate(P)]
            M += [[*r, *[F(0)] * len(R)] for r in R]
            z = gauss(M, [*(-v for v in c), *b, *(h[i] for i in active)])
            if z is None or any(v < 0 for v in z[n + e :]):
                continue
            x = z[:n]
            if any(sum(g * v for g, v in zip(row, x)) > v for row, v in zip(G, h)):
                continue
            mu = [F(0)] * len(G)
            for place, (i, v) in enumerate(zip(active, z[n + e :])):
                mu[place if bug == "first_places" else i] = v
            nu, mu = z[n : n + e], mu[:own]
            if bug == "first_inequality_missing" and own:
                mu = [F(0), *mu]
            if bug == "last_inequality_missing" and own:
                mu = [*mu, F(0)]
            if bug == "multipliers_negated":
                nu, mu = [-v for v in nu], [-v for v in mu]
            if bug == "mu_negated":
                mu = [-v for v in mu]
            if bug == "doubled":
                nu, mu = [2 * v for v in nu], [2 * v for v in mu]
            square = sum(x[i] * Q[i][j] * x[j] for i in range(n) for j in range(n))
            value = square / (1 if bug == "no_half" else 2) + sum(u * v for u, v in zip(c, x))
            if bug == "x_reversed":
                x = x[::-1]
            return {
                "x": [str(v) for v in x],
                "equality_multipliers": [str(v) for v in nu],
                "inequality_multipliers": [str(v) for v in mu],
                "objective": str(value),
            }
    return {"skip": "there is no optimum"}
