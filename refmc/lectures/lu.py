"""[lu]: EE6550 Machine Learning, Lecture Seven, "Multi-Class Classification", as one plain program.

The order and the names are the lecture's; what an algorithm needs stands before it. Numbers are
ints and Fractions, so all is exact, but for roots and logarithms in the bounds. `# 3` stands at
line 3 of a pseudocode. A comment with `!` says where the print can't be followed to the letter, and
names the entry of spec/errata.md. Where the lecture takes one of the largest or smallest, all are
computed, in order, and the first is taken.

Symbols: m items ω_i with labels c[i] = c(ω_i), k classes y; items and classes count from 0.
scores[y] = h̃(ω, y) for an item, a row of them each for a sample; K[i][j] = K(ω_i, ω_j).
alpha[i][y]: f_y = Σ_i alpha[i][y] K(ω_i, ·). eta[i] = η_i, lam[i][y] = λ_iy, mu[i] = μ_i.
For boosting and trees S = ((ω_1, c(ω_1)), …), an item being the row of its features.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import fsum, inf, lcm, log, sqrt
from typing import Any, NamedTuple, TypeAlias

Number: TypeAlias = int | Fraction
Real: TypeAlias = "Number | Log"
Vector: TypeAlias = Sequence[Number]
Matrix: TypeAlias = Sequence[Vector]
Label: TypeAlias = Any  # anything that can be sorted
Item: TypeAlias = Sequence[Any]  # numbers and, for categories, strings
Sample: TypeAlias = Sequence[tuple[Item, Label]]
Hypothesis: TypeAlias = Callable[[Item], Label]


def mean(losses: Vector) -> Fraction:
    """The risk on a sample: (1/m) Σ of the losses. [lu, "Multi-Class Classification Problem"]"""
    return Fraction(sum(losses), len(losses))


def zero_one(predicted: Label, label: Label) -> int:
    """The loss of the mono-label case. [lu, "Multi-Class Classification Problem"]"""
    return int(predicted != label)


def hamming(predicted: Sequence[int], label: Sequence[int]) -> Fraction:
    """d_H/k, the loss of the multi-label case. [lu, "Multi-Class Classification Problem"]"""
    return Fraction(sum(a != b for a, b in zip(predicted, label)), len(label))


def arg_max(values: Sequence[Real]) -> list[int]:
    """All positions of the largest value. [lu, "Multi-Class Classifiers – Mono-Label Case"]

    >>> arg_max([1, 3, 3])  # h(ω) is class 1 or 2: arbitration
    [1, 2]
    """
    largest = max(values)
    return [i for i, value in enumerate(values) if value == largest]


def arg_min(values: Sequence[Real]) -> list[int]:
    """All positions of the smallest. [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]"""
    return arg_max([-1 * value for value in values])


def margin(scores: Vector, y: int) -> Number:
    """ρ(ω, y), from the h̃(ω, z). [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> margin([3, 1, 0], 0), margin([1, 1, 0], 1)
    (2, 0)
    """
    return scores[y] - max(score for z, score in enumerate(scores) if z != y)


def Phi_rho(x: Number, rho: Number) -> Fraction:
    """The ρ-margin loss Φ_ρ(x). [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]

    >>> [str(Phi_rho(x, 4)) for x in (-1, 0, 1, 4, 5)]
    ['1', '1', '3/4', '0', '0']
    """
    return Fraction(1) if x <= 0 else 1 - Fraction(x, rho) if x <= rho else Fraction(0)


def margin_loss(scores: Matrix, c: Sequence[int], rho: Number) -> Fraction:
    """R̂_{S,ρ}(h). [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]"""
    # ! a remark on Theorem 8.1 prints R̂_{S,l}; see lu: an l for rho
    return mean([Phi_rho(margin(row, y), rho) for row, y in zip(scores, c)])


def share_of_margins(scores: Matrix, c: Sequence[int], most: Number) -> Fraction:
    """(1/m) Σ 1[margin ≤ most]. [lu, "Margin of a Multi-Class Classifier – Mono-Label Case"]"""
    return mean([int(margin(row, y) <= most) for row, y in zip(scores, c)])


def dot(u: Vector, v: Vector) -> Number:
    """Σ_i u_i v_i. [lu, Lemma 8.1]"""
    return sum(a * b for a, b in zip(u, v))


def rademacher(H: Matrix) -> Fraction:
    """R̂_S(H), the mean over σ of sup_h (1/m) Σ σ_i h(ω_i), h = (h(ω_1), …). [lu, Lemma 8.1]

    >>> rademacher([[1, 1, 1]]), rademacher([[1, 1, 1], [-1, -1, -1]])
    (Fraction(0, 1), Fraction(1, 2))
    """
    m = len(H[0])
    suprema = [max(dot(sigma, h) for h in H) for sigma in product((-1, 1), repeat=m)]
    return Fraction(sum(suprema), 2**m * m)


def maxima(*sets: Matrix) -> list[list[Number]]:
    """G, all max(h_1, …, h_l) with h_j ∈ H_j: R̂_S(G) ≤ Σ_j R̂_S(H_j). [lu, Lemma 8.1]"""
    # ! the proof prints sup|max| = max sup|·|, ≤ holds; see lu: the supremum of a maximum
    return [[max(values) for values in zip(*hs)] for hs in product(*sets)]


def Pi_1(H: Sequence[Matrix]) -> list[list[Number]]:
    """All ω ↦ h̃(ω, y), each h given by its m rows of scores. [lu, Theorem 8.1]"""
    return [list(values) for scores in H for values in zip(*scores)]


def confidence(delta: Number, m: int) -> float:
    """√(ln(1/δ)/(2m)), the last term of the bounds. [lu, Theorem 8.1]"""
    # ! for every δ > 0 in the print; see lu: delta beyond 1
    return sqrt(log(Fraction(1, delta)) / (2 * m))


def theorem_8_1(
    loss: Number, k: int, rho: Number, complexity: Number, m: int, delta: Number, on_sample: bool
) -> tuple[Number, Number, float]:
    """R̂_{S,ρ}(h), (2k²/ρ) R_m(Π_1), √(ln(1/δ)/(2m)), or with R̂_S(Π_1) and 3√(ln(2/δ)/(2m)): R(h)
    is at most their sum, with probability 1 − δ. [lu, Theorem 8.1]"""
    last = 3 * confidence(Fraction(delta, 2), m) if on_sample else confidence(delta, m)
    return loss, Fraction(2 * k**2, rho) * complexity, last


def is_PDS(K: Matrix) -> bool:
    """Whether K_ij = K_ji, and Σ x_i x_j K_ij ≥ 0 for all x: no pivot is negative, or 0 in a row of
    others. [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]"""
    if any(K[i][j] != K[j][i] for i, j in combinations(range(len(K)), 2)):
        return False
    while K:
        (pivot, *row), *rest = K
        if pivot < 0 or pivot == 0 and any(row):
            return False
        K = [
            [a - Fraction(b * first, pivot) if pivot else a for a, b in zip(others, row)]
            for first, *others in rest
        ]
    return True


def f(alpha: Matrix, K_omega: Vector) -> list[Number]:
    """f_y(ω), by K(ω_i, ω). [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]"""
    # ! not all solutions are such sums; see lu: the representer theorem at infinity
    return [dot(alpha_y, K_omega) for alpha_y in zip(*alpha)]


def norms_squared(alpha: Matrix, K: Matrix) -> list[Number]:
    """‖f_y‖² of each y. [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]"""
    return [dot(alpha_y, [dot(alpha_y, K_i) for K_i in K]) for alpha_y in zip(*alpha)]


def norm(alpha: Matrix, K: Matrix, p: Number) -> float:
    """‖f‖_{F,p}. [lu, "Kernel-Based Hypotheses for Multi-Class Classification"]"""
    return fsum(sqrt(square) ** p for square in norms_squared(alpha, K)) ** (1 / p)


def proposition_8_1(r_squared: Number, Lambda_squared: Number, m: int) -> Fraction:
    """r²Λ²/m, whose root bounds R̂_S(Π_1) if K(ω, ω) ≤ r². [lu, Proposition 8.1]"""
    return Fraction(r_squared * Lambda_squared, m)


def corollary_8_1(
    loss: Number, k: int, rho: Number, r2: Number, Lambda2: Number, m: int, delta: Number
) -> tuple[Number, float, float]:
    """R̂_{S,ρ}(h), 2k²√(r²Λ²/ρ²/m), √(ln(1/δ)/(2m)), of r² and Λ²; for the SVM ρ is 1 and the
    first term (1/m) Σ η_i ≥ R̂_{S,1}(h). [lu, Corollary 8.1]"""
    # ! Λ² = Σ ‖f_y‖² of a trained machine won't do; see lu: the norm is known too late
    return loss, 2 * k**2 * sqrt(proposition_8_1(r2, Lambda2, m) / rho**2), confidence(delta, m)


# --- Multi-class kernel-based SVMs


def slack(scores: Vector, y: int) -> Number:
    """η = max(0, 1 − f_y(ω) + max_{z ≠ y} f_z(ω)).
    [lu, "A Generalization Guarantee of Kernel-Based Hypotheses for Multi-Class Classification"]"""
    # ! the slide calls h̃(ω_i, c(ω_i)) the margin, a score; see lu: a score is no margin
    return max(0, 1 - margin(scores, y))


def F(alpha: Matrix, eta: Vector, K: Matrix, C: Number) -> Number:
    """F(f, η). [lu, "The Primal Problem for Multi-Class Kernel-Based SVM"]"""
    return Fraction(1, 2) * sum(norms_squared(alpha, K)) + C * sum(eta)


def g(alpha: Matrix, eta: Vector, K: Matrix, c: Sequence[int]) -> dict[tuple[int, int], Number]:
    """g_iy(f, η), y ≠ c(ω_i). [lu, "The Primal Problem for Multi-Class Kernel-Based SVM"]"""
    scores = [f(alpha, K_i) for K_i in K]
    rivals = [(i, y) for i, c_i in enumerate(c) for y in range(len(scores[i])) if y != c_i]
    return {(i, y): 1 - eta[i] - scores[i][c[i]] + scores[i][y] for i, y in rivals}


def F_tilde(alpha: Matrix, K: Matrix, c: Sequence[int], C: Number) -> Number:
    """F̃(f). [lu, "Reformulation of Primal Problem for Multi-Class Kernel-Based SVM"]"""
    return F(alpha, [slack(f(alpha, K_i), c_i) for K_i, c_i in zip(K, c)], K, C)


def sign(c_i: int, y: int) -> int:
    """The sign of λ_iy Φ(ω_i) in f_y. [lu, "Support Vectors"]"""
    # ! the last slide prints (−1)^δ, the other way round; see lu: the sign of own-class rows
    return 1 if c_i == y else -1


def f_of(lam: Matrix, c: Sequence[int]) -> list[list[Number]]:
    """Σ_{c_i = y} Σ_{z ≠ y} λ_iz Φ(ω_i) − Σ_{c_i ≠ y} λ_iy Φ(ω_i) as coefficients α_iy.
    [lu, "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"]"""
    # ! λ ∈ R^{m(k−1)}; here, as in the dual, λ_ic is that sum; see lu: two sizes of lambda
    # ! Φ(ω_i) ⊗ e_y for e_y ⊗ Φ(ω_i); see lu: blocks of a Kronecker product
    return [[sign(c_i, y) * lam_iy for y, lam_iy in enumerate(row)] for c_i, row in zip(c, lam)]


def kuhn_tucker(
    alpha: Matrix, eta: Vector, lam: Matrix, mu: Vector, K: Matrix, c: Sequence[int], C: Number
) -> dict[str, bool]:
    """Which Kuhn-Tucker conditions hold; a feasible point with all of them is a global minimum.
    [lu, "Qualification of the Primal Problem for Multi-Class Kernel-Based SVM"]"""
    rivals = [[row[y] for y in range(len(row)) if y != c_i] for c_i, row in zip(c, lam)]
    return {
        "f_y = Σ ± λ_iy Φ(ω_i)": all(f(alpha, K_i) == f(f_of(lam, c), K_i) for K_i in K),
        "λ_ic = Σ λ_iy": all(row[c_i] == sum(row) - row[c_i] for c_i, row in zip(c, lam)),
        "C = μ_i + Σ λ_iy": all(C == mu_i + sum(row) for mu_i, row in zip(mu, rivals)),
        "λ_iy g_iy = 0": not any(lam[i][y] * g_iy for (i, y), g_iy in g(alpha, eta, K, c).items()),
        "μ_i η_i = 0": not any(mu_i * eta_i for mu_i, eta_i in zip(mu, eta)),
        "λ_iy ≥ 0": all(lam_iy >= 0 for row in rivals for lam_iy in row),
        "μ_i ≥ 0": all(mu_i >= 0 for mu_i in mu),
    }


def support_vectors(lam: Matrix, y: int) -> list[int]:
    """The items whose Φ(ω_i) appears in f_y. [lu, "Support Vectors"]"""
    return [i for i, row in enumerate(lam) if row[y] != 0]


def outliers(eta: Vector) -> list[int]:
    """The items with η_i > 0, so with Σ_z λ_iz = C. [lu, "Support Vectors"]"""
    return [i for i, eta_i in enumerate(eta) if eta_i > 0]


def L(
    alpha: Matrix, eta: Vector, lam: Matrix, mu: Vector, K: Matrix, c: Sequence[int], C: Number
) -> Number:
    """L(f, η, λ, μ). [lu, "Lagrangian Dual Function for Multi-Class Kernel-Based SVM"]"""
    # ! ∇L prints e_{c(ω)} for c(ω_i); see lu: a gradient without its index
    sum_g = sum(lam[i][y] * g_iy for (i, y), g_iy in g(alpha, eta, K, c).items())
    return F(alpha, eta, K, C) + sum_g - dot(mu, eta)


def theta(lam: Matrix, K: Matrix, c: Sequence[int]) -> Number:
    """θ(λ), its last sum being Σ_y ‖f_y‖². [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    own = [row[c_i] for c_i, row in zip(c, lam)]
    return sum(own) - Fraction(1, 2) * sum(norms_squared(f_of(lam, c), K))


def inf_L(lam: Matrix, mu: Vector, K: Matrix, c: Sequence[int], C: Number) -> Number | float:
    """θ(λ, μ). [lu, "Lagrangian Dual Function for Multi-Class Kernel-Based SVM"]"""
    is_met = all(row[c_i] == sum(row) - row[c_i] == C - mu_i for c_i, row, mu_i in zip(c, lam, mu))
    return theta(lam, K, c) if is_met else -inf


def dual_program(
    K: Matrix, c: Sequence[int], k: int, C: Number
) -> tuple[Matrix, Vector, Matrix, Matrix, Vector]:
    """The dual as min ½xᵀQx + qᵀx, Ax = 0, Gx ≤ h for x = λ row by row.
    [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    m = len(c)
    at = list(product(range(m), range(k)))
    Q = [[sign(c[i], y) * sign(c[j], z) * K[i][j] if y == z else 0 for j, z in at] for i, y in at]
    q = [-1 if y == c[i] else 0 for i, y in at]
    A = [[sign(c[i], y) if i == j else 0 for i, y in at] for j in range(m)]
    at_least_0 = [[-1 if iy == jz else 0 for iy in at] for jz in at]
    at_most_C = [[1 if iy == (j, c[j]) else 0 for iy in at] for j in range(m)]
    return Q, q, A, at_least_0 + at_most_C, [0] * len(at) + [C] * m


# --- The solver of that program, which the lecture leaves out


def reduced(rows: Matrix) -> tuple[list[list[Fraction]], list[int]]:
    """Gauss-Jordan elimination: the reduced echelon form, and the columns of its leading ones.
    [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    R = [[Fraction(entry) for entry in row] for row in rows]
    leading: list[int] = []
    for j in range(len(rows[0])):
        top = len(leading)
        pivot = next((i for i in range(top, len(R)) if R[i][j]), None)
        if pivot is not None:
            R[top], R[pivot] = R[pivot], R[top]
            R[top] = [entry / R[top][j] for entry in R[top]]
            for i in range(len(R)):
                if i != top and R[i][j]:
                    R[i] = [a - R[i][j] * b if b else a for a, b in zip(R[i], R[top])]
            leading.append(j)
    return R, leading


def solve(M: Matrix, b: Vector) -> tuple[list[Fraction], bool]:
    """For a symmetric M: x with Mx = b, and True; where none is, x with Mx = 0 < bᵀx, and False.
    [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    R, leading = reduced([[*row, b_i] for row, b_i in zip(M, b)])
    n = len(b)
    if n not in leading:
        values = {j: row[n] for j, row in zip(leading, R)}
        return [values.get(j, Fraction(0)) for j in range(n)], True
    free = [j for j in range(n) if j not in leading]
    entries = [{i: Fraction(1)} | {j: -row[i] for j, row in zip(leading, R)} for i in free]
    null_space = [[values.get(j, Fraction(0)) for j in range(n)] for values in entries]
    x = next(x for x in null_space if dot(b, x))
    return [x_j / dot(b, x) for x_j in x], False


def way_to_minimum(
    Q: Matrix, slope: Vector, rows: Matrix
) -> tuple[list[Fraction], list[Fraction], bool]:
    """From a point of this slope the way to the minimum with the products of `rows` held, their
    multipliers, and True; where none is, a ray and False.
    [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    M = [[*Q_j, *(row[j] for row in rows)] for j, Q_j in enumerate(Q)]
    M += [[*row, *[0] * len(rows)] for row in rows]
    solution, has_minimum = solve(M, [-s for s in slope] + [0] * len(rows))
    return solution[: len(slope)], solution[len(slope) :], has_minimum


def active_set(
    Q: Matrix, q: Vector, A: Matrix, G: Matrix, h: Vector, start: Vector
) -> dict[str, Vector]:
    """Minimise ½xᵀQx + qᵀx, Q positive semi-definite, from a start with G·start ≤ h, subject to
    Ax = A·start and Gx ≤ h: an optimal x with its multipliers, Qx + q + Aᵀν + Gᵀμ = 0; or x and
    a ray on which the objective has no end. Floats are taken for the fractions that they are.
    [lu, "Lagrangian Dual Problem for Multi-Class SVM"]"""
    Q, A, G = ([[Fraction(entry) for entry in row] for row in rows] for rows in (Q, A, G))
    q, h, start = ([Fraction(entry) for entry in row] for row in (q, h, start))
    if not is_PDS(Q):
        raise ValueError("The matrix is not symmetric and positive semi-definite: no PDS kernel's.")
    x, held = start, list[int]()  # held: the rows of G that are kept equal
    while True:
        slope = [dot(Q_j, x) + q_j for Q_j, q_j in zip(Q, q)]
        way, multipliers, has_minimum = way_to_minimum(Q, slope, [*A, *(G[i] for i in held)])
        if not any(way):  # x is the minimum with these rows held
            mu = dict(zip(held, multipliers[len(A) :]))
            if all(mu_i >= 0 for mu_i in mu.values()):
                nu, all_mu = multipliers[: len(A)], [mu.get(i, 0) for i in range(len(G))]
                return {"x": x, "nu": nu, "mu": all_mu}
            held.remove(min(i for i in held if mu[i] < 0))  # the least, or it may cycle
            continue
        speeds = {i: dot(row, way) for i, row in enumerate(G) if i not in held}
        ratios = {i: Fraction(h[i] - dot(G[i], x), s) for i, s in speeds.items() if s > 0}
        ends = [*ratios.values(), *[Fraction(1)] * has_minimum]  # 1: at the minimum
        if not ends:
            return {"x": x, "ray": way}
        t = min(ends)
        x = [x_j + t * way_j for x_j, way_j in zip(x, way)]
        if t in ratios.values():
            held.append(min(i for i in ratios if ratios[i] == t))  # the least, or it may cycle


# --- The multi-class kernel-based SVM algorithm


def svm(K: Matrix, c: Sequence[int], k: int, C: Number) -> list[Vector]:
    """λ^SVM, an optimal point of the dual, for a PDS kernel K.
    [lu, "The Multi-Class Kernel-Based SVM Algorithm"]

    >>> K = [[1, 0, -1], [0, 1, -1], [-1, -1, 2]]  # of (1, 0), (0, 1), (−1, −1)
    >>> [" ".join(map(str, row)) for row in svm(K, [0, 1, 2], 3, 1)]
    ['2/3 1/3 1/3', '1/3 2/3 1/3', '0 0 0']
    """
    x = active_set(*dual_program(K, c, k, C), start=[0] * (len(c) * k))["x"]
    return [x[i * k : (i + 1) * k] for i in range(len(c))]


def h_SVM(lam: Matrix, c: Sequence[int], K_omega: Vector) -> list[int]:
    """arg max_y f_y(ω), all of it. [lu, "The Multi-Class Kernel-Based SVM Algorithm"]"""
    return arg_max(f(f_of(lam, c), K_omega))


# --- Exact logarithms, of which α_t and entropies are made


class Log:
    """n·log₂ a for a rational a > 0, exactly: a sum of logarithms is one of a product, and positive
    where that is more than 1. [lu, "Three Most Commonly Used Measures of Node Impurity"]

    >>> Log(9, Fraction(1, 2)) == Log(3), Log(8) == 3, 1 < Log(3) <= Log(3) * 2 - 1
    (True, True, True)
    """

    def __init__(self, a: Number, n: Number = 1) -> None:
        self.a, self.n = Fraction(a), Fraction(n)

    def __add__(self, other: Real) -> "Log":
        if not isinstance(other, Log):
            other = Log(2, other)
        unit = lcm(self.n.denominator, other.n.denominator)
        product = self.a ** int(unit * self.n) * other.a ** int(unit * other.n)
        return Log(product, Fraction(1, unit))

    def __mul__(self, factor: Number) -> "Log":
        return Log(self.a, self.n * factor)

    def __sub__(self, other: Real) -> "Log":
        return self + other * -1

    def __rsub__(self, other: Number) -> "Log":
        return self * -1 + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, Fraction, Log)) and (self - other).a == 1

    def __lt__(self, other: Real) -> bool:
        return (self - other).a < 1

    def __le__(self, other: Real) -> bool:
        return (self - other).a <= 1

    def __gt__(self, other: Real) -> bool:
        return (self - other).a > 1

    def __ge__(self, other: Real) -> bool:
        return (self - other).a >= 1

    __radd__, __rmul__ = __add__, __mul__


# --- AdaBoost.MH

# ! of k signs the stumps that the lecture suggests are undefined; see lu: stumps for label sets
Base: TypeAlias = Callable[[Item, int], int]  # h(ω, l) is −1 or +1
Weights: TypeAlias = dict[tuple[int, int], Fraction]


class Round(NamedTuple):
    """What a round makes; `tied`: the positions of all that line 5 may choose."""

    D: Weights
    tied: list[int]
    h: Base
    eps: Fraction
    alpha: Log
    Z_squared: Fraction


def epsilon(h: Base, S: Sample, D: Weights) -> Fraction:
    """Σ_il D(i, l) 1[h(ω_i, l) ≠ c(ω_i)_l]. [lu, "AdaBoost.MH : Multi-Class Hamming Loss"]"""
    return sum((d for (i, l), d in D.items() if h(S[i][0], l) != S[i][1][l]), Fraction(0))


def adaboost_mh(S: Sample, H: Sequence[Base], T: int) -> list[Round]:
    """The rounds that make h_S; each c(ω_i) is k signs. [lu, "The AdaBoost.MH Algorithm"]

    >>> S = [("a", [1]), ("b", [1]), ("c", [-1])]
    >>> H = [lambda x, l: 1, lambda x, l: 1 if x == "a" else -1]
    >>> [(str(t.eps), t.alpha * 2 == Log(a)) for t, a in zip(adaboost_mh(S, H, 2), (2, 3))]
    [('1/3', True), ('1/4', True)]
    """
    m, k, rounds = len(S), len(S[0][1]), list[Round]()
    D: Weights = {}
    for i in range(m):  # 1
        for l in range(k):  # 2
            D[i, l] = Fraction(1, m * k)  # 3
    for _ in range(T):  # 4 ! T and H are no inputs; see lu: inputs that are not named
        errors = [epsilon(h, S, D) for h in H]
        tied = arg_min(errors)
        h, eps = H[tied[0]], errors[tied[0]]  # 5 ! see lu: AdaBoost.MH: a sum for a probability
        if eps == 0:  # ! α = ∞: h is perfect, alone; see lu: AdaBoost.MH: cases left open
            alone = Round(D, tied, h, eps, alpha=Log(2), Z_squared=Fraction(0))
            return [alone]  # for any α > 0
        if eps >= Fraction(1, 2):  # ! no weak learner; see lu: AdaBoost.MH: cases left open
            break
        alpha = Log((1 - eps) / eps) * Fraction(1, 2)  # 6 log₂ for ln scales g_S, no more
        Z_squared = 4 * eps * (1 - eps)  # 7
        rounds.append(Round(D, tied, h, eps, alpha, Z_squared))
        right, wrong = 1 / (2 * (1 - eps)), 1 / (2 * eps)  # exp(−α_t)/Z_t and exp(α_t)/Z_t
        D = D.copy()
        for i in range(m):  # 8
            for l in range(k):  # 9
                D[i, l] *= right if h(S[i][0], l) == S[i][1][l] else wrong  # 10
    return rounds


def h_S(rounds: Sequence[Round], omega: Item, l: int) -> int:
    """sgn(g_S(ω, l)). [lu, "The AdaBoost.MH Algorithm"]"""
    g = sum((t.alpha * t.h(omega, l) for t in rounds), Log(1))  # 11
    return (g > 0) - (g < 0)  # 12 ! sgn(0); see lu: AdaBoost.MH: cases left open


# --- Binary decision trees

# ("at most", j, a): X_j ≤ a, ("in", j, A): X_j ∈ A, ("BSP", α, b): Σ α_j X_j ≤ b,
# ("sphere", a_0, r²): ‖X − a_0‖ ≤ r:
Question: TypeAlias = tuple[str, Any, Any]
Node: TypeAlias = tuple[int, ...]  # its items, which no other node of the tree has all and alone
Tree: TypeAlias = dict[Node, tuple[Question, Node, Node] | None]  # from the root on: q, n₋, n₊
Impurity: TypeAlias = Callable[[Sequence[Fraction]], Real]  # F(n), of the fractions p_l(n)
Ask: TypeAlias = Callable[[Node, Sample], list[Question]]  # the questions of a node


def answer(q: Question, x: Item) -> bool:
    """The four kinds of questions, spheres by r². [lu, "Definition 8.1: Binary Decision Trees"]

    >>> answer(("in", 0, {"blue", "red"}), ["red"]), answer(("sphere", [0, 0], 5**2), [3, 4])
    (True, True)
    """
    match q:
        case "at most", j, a:
            return bool(x[j] <= a)
        case "in", j, A:
            return x[j] in A
        case "BSP", alpha, b:
            return bool(dot(alpha, x) <= b)
        case _, a_0, r_squared:  # "sphere"
            return bool(distance_squared(x, a_0) <= r_squared)


def distance_squared(x: Item, a_0: Item) -> Number:
    """‖X − a_0‖². [lu, "Definition 8.1: Binary Decision Trees"]"""
    differences = [x_j - a_j for x_j, a_j in zip(x, a_0)]
    return dot(differences, differences)


def leaves(tree: Tree) -> list[Node]:
    """L_tree, the oldest leaf first. [lu, "Definition 8.1: Binary Decision Trees"]"""
    return [n for n, split in tree.items() if split is None]


def labels(n: Node, S: Sample) -> list[Label]:
    """All labels with the majority in n. [lu, "Definition 8.1: Binary Decision Trees"]"""
    return [sorted({c for _, c in S})[l] for l in arg_max(class_fractions(n, S))]


def leaf(tree: Tree, x: Item) -> Node:
    """The leaf to which x goes down. [lu, "Label Prediction by a Binary Decision Tree"]"""
    n = next(iter(tree))
    while (split := tree[n]) is not None:
        q, minus, plus = split
        n = plus if answer(q, x) else minus
    return n


def children(n: Node, q: Question, S: Sample) -> tuple[Node, Node]:
    """n₋(n, q) and n₊(n, q). [lu, "Training a Binary Decision Tree with a Greedy Algorithm"]"""
    plus = tuple(i for i in n if answer(q, S[i][0]))
    return tuple(i for i in n if i not in plus), plus


def class_fractions(n: Node, S: Sample) -> list[Fraction]:
    """p_l(n), labels being sorted. [lu, "Three Most Commonly Used Measures of Node Impurity"]"""
    # ! p_l, i ∈ [1, k], in the remarks; see lu: fractions with a foreign index
    return [Fraction(sum(S[i][1] == l for i in n), len(n)) for l in sorted({c for _, c in S})]


def misclassification(p_n: Sequence[Fraction]) -> Fraction:
    """1 − max_l p_l(n). [lu, "Three Most Commonly Used Measures of Node Impurity"]"""
    return 1 - max(p_n)


def entropy(p_n: Sequence[Fraction]) -> Log:
    """−Σ p_l log₂ p_l, 0 log₂ 0 = 0. [lu, "Three Most Commonly Used Measures of Node Impurity"]

    >>> entropy([Fraction(1, 4), Fraction(1, 2), Fraction(0), Fraction(1, 4)]) == Fraction(3, 2)
    True
    """
    # ! the remarks call it and the next strictly convex; see lu: impurity measures are concave
    return sum((Log(p_l, -p_l) for p_l in p_n if p_l), Log(1))


def gini(p_n: Sequence[Fraction]) -> Fraction:
    """Σ p_l(n) (1 − p_l(n)). [lu, "Three Most Commonly Used Measures of Node Impurity"]"""
    return sum((p_l * (1 - p_l) for p_l in p_n), Fraction(0))


def questions(n: Node, S: Sample) -> list[Question]:
    """X_j ≤ a for the values of the items of n, X_j ∈ A for sets of at most half of the categories.
    [lu, "Node Questions for Binary Decision Trees"]"""
    found: list[Question] = []
    for j in range(len(S[0][0])):
        # ! 𝒳_j, or what of it is in the node?; see lu: half of which set
        values = sorted({S[i][0][j] for i in n})
        if not isinstance(values[0], str):
            # ! not the largest; see lu: questions that leave a child empty or stand twice
            found += [("at most", j, a) for a in values[:-1]]
        else:
            # ! not ∅, half once; see lu: questions that leave a child empty or stand twice
            for size in range(1, len(values) // 2 + 1):
                sets = combinations(values, size)
                found += [("in", j, A) for A in sets if 2 * size < len(values) or values[0] in A]
    return found


def surface_questions(
    n: Node, S: Sample, directions: Sequence[Item] = (), centers: Sequence[Item] = ()
) -> list[Question]:
    """Σ α_j X_j ≤ b for given α, and ‖X − a_0‖ ≤ r for given a_0, at the values of the items of n.
    [lu, "Definition 8.1: Binary Decision Trees"]"""
    found: list[Question] = []
    for alpha in directions:
        values = sorted({dot(alpha, S[i][0]) for i in n})
        found += [("BSP", alpha, b) for b in values[:-1]]
    for a_0 in centers:
        values = sorted({distance_squared(S[i][0], a_0) for i in n})
        found += [("sphere", a_0, r_squared) for r_squared in values[:-1]]
    return found


def least_impurity(n: Node, S: Sample, impurity: Impurity, ask: Ask, d: int) -> Real:
    """F(n), or the least that d levels of questions leave of it: a look-ahead.
    [lu, "Issues of the Greedy Algorithm"]"""
    decreases = [decrease(n, q, S, impurity, ask, d - 1) for q in ask(n, S)] if d > 0 else []
    return impurity(class_fractions(n, S)) - max(decreases, default=0)


def decrease(
    n: Node, q: Question, S: Sample, impurity: Impurity, ask: Ask = questions, d: int = 0
) -> Real:
    """F̃(n, q), after d further levels below the children.
    [lu, "Training a Binary Decision Tree with a Greedy Algorithm"]"""
    minus, plus = children(n, q, S)
    eta = Fraction(len(minus), len(n))
    F_minus, F_plus = (least_impurity(child, S, impurity, ask, d) for child in (minus, plus))
    return impurity(class_fractions(n, S)) - (eta * F_minus + (1 - eta) * F_plus)


def pairs(tree: Tree, S: Sample, ask: Ask = questions) -> list[tuple[Node, Question]]:
    """The pairs (n, q) of line 3. [lu, "Greedy Algorithm for Building a Binary Decision Tree"]"""
    # ! not those of pure nodes, which the print splits, too; see lu: pure nodes are split
    mixed = [n for n in leaves(tree) if max(class_fractions(n, S)) < 1]
    return [(n, q) for n in mixed for q in ask(n, S)]


def greedy_decision_tree(
    S: Sample, T: int, impurity: Impurity, ask: Ask = questions, d: int = 0
) -> Tree:
    """A tree of at most T questions. [lu, "Greedy Algorithm for Building a Binary Decision Tree"]

    >>> greedy_decision_tree([([1], "a"), ([2], "a"), ([3], "b")], 9, gini)
    {(0, 1, 2): (('at most', 0, 2), (2,), (0, 1)), (2,): None, (0, 1): None}
    """
    tree: Tree = {tuple(range(len(S))): None}  # 1
    for _ in range(T):  # 2 ! T is no input; see lu: inputs that are not named
        if not (candidates := pairs(tree, S, ask)):  # ! see lu: no pair is left
            break
        best = arg_max([decrease(n, q, S, impurity, ask, d) for n, q in candidates])
        n, q = candidates[best[0]]  # 3
        minus, plus = children(n, q, S)
        tree = tree | {n: (q, minus, plus), minus: None, plus: None}  # 4
    return tree  # 5


def R_hat(tree: Tree, S: Sample, impurity: Impurity) -> Real:
    """R̂(tree). [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    # ! |n| counts items; see lu: a node is no region
    return sum(len(n) * impurity(class_fractions(n, S)) for n in leaves(tree))


def G_lambda(tree: Tree, lam: Real, S: Sample, impurity: Impurity) -> Real:
    """G_λ(tree). [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    return R_hat(tree, S, impurity) + lam * len(leaves(tree))


def rise_per_leaf(tree: Tree, n: Node, S: Sample, impurity: Impurity) -> Real:
    """r(tree, n′). [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    below = {node: split for node, split in tree.items() if set(node) <= set(n)}
    rise = len(n) * impurity(class_fractions(n, S)) - R_hat(below, S, impurity)
    return rise * Fraction(1, len(leaves(below)) - 1)  # ! L − 1; see lu: leaves less one


def collapse(tree: Tree, nodes: Sequence[Node]) -> Tree:
    """The tree in which each of the nodes is a leaf.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    kept = [n for n in tree if not any(set(n) < set(above) for above in nodes)]
    return {n: None if n in nodes else tree[n] for n in kept}


def pruning_sequence(tree: Tree, S: Sample, impurity: Impurity) -> list[tuple[Real, Tree]]:
    """tree⁽⁰⁾, …, tree⁽ⁿ⁾, each with the least r of the one before.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    sequence: list[tuple[Real, Tree]] = [(0, tree)]
    while len(tree) > 1:
        inner = [n for n in tree if n not in leaves(tree)]
        rises = [rise_per_leaf(tree, n, S, impurity) for n in inner]
        tree = collapse(tree, [inner[i] for i in arg_min(rises)])
        sequence.append((min(rises), tree))
    return sequence


def tree_lambda(
    sequence: Sequence[tuple[Real, Tree]], lam: Real, S: Sample, impurity: Impurity
) -> Tree:
    """tree_λ, the smallest of those that minimise G_λ.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    trees = [tree for _, tree in sequence]
    return min(trees, key=lambda tree: (G_lambda(tree, lam, S, impurity), len(tree)))


def n_fold(
    train: Callable[[Sample, Number], Hypothesis], S: Sample, folds: Sequence[Node], grid: Vector
) -> list[Number]:
    """All C or λ of the grid with the least mean loss on the folds, each left out in its turn.
    [lu, "Training a Binary Decision Tree with a Grow-Then-Prune Strategy"]"""
    errors = []  # ! of what, over what, and ties?; see lu: n-fold cross-validation is not defined
    for parameter in grid:
        losses = []
        for fold in folds:
            h = train([S[i] for i in range(len(S)) if i not in fold], parameter)
            losses += [zero_one(h(S[i][0]), S[i][1]) for i in fold]
        errors.append(mean(losses))
    return [grid[i] for i in arg_min(errors)]
