"""[karagiannis]: Lecture notes 10, "Multi-class classification", as one plain program.

It has the notes' order and names. Numbers are ints and Fractions, so all of it is exact. `# 2`
stands at step (2) of a note. A comment with `!` says where the print can't be followed to the
letter and names the entry of spec/errata.md. An arg max is all maximisers in order; an algorithm
takes the first.

Symbols: S the m pairs z_i = (x_i, y_i), y_i = 0, …, k − 1; A = 𝔄 a binary learning algorithm, from
pairs (x, ±1) to a rule; h[j] = h^{[j]} and h[i, j] = h^{[i,j]} rules; Psi = Ψ the features of an
item taken as one of a class; xi = ξ a class that is tried; lam = λ, eta = η_t, v = v_t.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations

Number = int | Fraction
Vector = Sequence[Number]
Sample = Sequence[tuple[Vector, int]]
Rule = Callable[[Vector], int]
Algorithm = Callable[[Sample], Rule]
Features = Callable[[Vector, int], Vector]


def dot(u: Vector, v: Vector) -> Number:
    """Σ_i u_i v_i."""
    return sum(a * b for a, b in zip(u, v))


def plus(u: Vector, c: Number, v: Vector) -> Vector:
    """u + cv."""
    return [a + c * b for a, b in zip(u, v)]


def sign(z: Number) -> int:
    """+1, −1, or 0 for z = 0."""
    return (z > 0) - (z < 0)


def arg_max(f: Callable[[int], Number], domain: Sequence[int]) -> list[int]:
    """All members of the domain for which f is largest, in order."""
    best = max(map(f, domain))
    return [y for y in domain if f(y) == best]


# --- 2.1 One-versus-all approach
def ova_set(S: Sample, j: int) -> Sample:
    """S^{[j]}: t_i is 1 if y_i = j, else −1. [karagiannis, Note 9]"""
    return [(x, 1 if y == j else -1) for x, y in S]


def ova(S: Sample, k: int, A: Algorithm) -> list[Rule]:
    """h^{[j]} for each class j. [karagiannis, Note 9]"""
    sets = [ova_set(S, j) for j in range(k)]  # 1
    return [A(S_j) for S_j in sets]  # 2


def h_ova(h: Sequence[Rule], x: Vector) -> list[int]:
    """arg max of h^{[j]}(x) over j. [karagiannis, Note 9]

    >>> h_ova([lambda x: 1, lambda x: -1, lambda x: 1], [0])
    [0, 2]
    """
    return arg_max(lambda j: h[j](x), range(len(h)))  # 3


def settled(w: Sequence[Vector], x: Vector) -> list[int]:
    """The ties of h_ova by ⟨w^{[j]}, x⟩, where h^{[j]} is its sign. [karagiannis, Note 10]"""
    tied = arg_max(lambda j: sign(dot(w[j], x)), range(len(w)))
    return arg_max(lambda j: dot(w[j], x), tied)


def claims(h: Sequence[Rule], x: Vector) -> list[int]:
    """The j with h^{[j]}(x) = 1: x is ambiguous unless there is just one. [karagiannis, Note 11]

    >>> h = [lambda x: sign(x[0]), lambda x: sign(x[1])]  # two lines, four regions
    >>> claims(h, [1, 1]), claims(h, [1, -1]), claims(h, [-1, -1])
    ([0, 1], [0], [])
    """
    return [j for j in range(len(h)) if h[j](x) == 1]


# --- 2.2 One-versus-one approach
def ovo_set(S: Sample, i: int, j: int) -> Sample:
    """S^{[i,j]}: the examples of classes i and j. [karagiannis, Note 13]"""
    S_ij: list[tuple[Vector, int]] = []
    for x, y in S:
        if y == i:
            S_ij.append((x, 1))
        if y == j:
            S_ij.append((x, -1))
    return S_ij


def ovo(S: Sample, k: int, A: Algorithm) -> dict[tuple[int, int], Rule]:
    """h^{[i,j]} for each pair i < j. [karagiannis, Note 13]"""
    sets = {(i, j): ovo_set(S, i, j) for i, j in combinations(range(k), 2)}  # 1
    return {pair: A(S_ij) for pair, S_ij in sets.items()}  # 2


def h_ovo(h: dict[tuple[int, int], Rule], x: Vector, k: int) -> list[int]:
    """arg max of Σ_j sign(j − i) h^{[i,j]}(x) over i: wins less losses. [karagiannis, Note 13]

    >>> h_ovo({(0, 1): lambda x: 1, (0, 2): lambda x: -1, (1, 2): lambda x: 1}, [0], 3)
    [0, 1, 2]
    """

    def wins(i: int) -> int:  # with h^{[i,j]} for h^{[j,i]}
        # ! only i < j; see karagiannis Note 13: half of the classifiers of the sum don't exist
        return sum(sign(j - i) * h[min(i, j), max(i, j)](x) for j in range(k) if j != i)

    return arg_max(wins, range(k))  # 3


def is_ambiguous(h: dict[tuple[int, int], Rule], x: Vector, k: int) -> bool:
    """Whether classes tie: three do if each wins once. [karagiannis, Note 14]"""
    return len(h_ovo(h, x, k)) > 1


# --- 3.1 Setting up the predictive rule and class of hypotheses
def h_bin(w: Vector, x: Vector) -> list[int]:
    """sign⟨w, x⟩ as arg max of ⟨w, yx⟩ over y = ±1. [karagiannis, 15–17]"""
    # ! at 0 the sign is no label; see lecture5 §1.1: sign and arg max part at 0
    return arg_max(lambda y: dot(w, [y * a for a in x]), (-1, 1))


def h_w(w: Vector, x: Vector, Psi: Features, k: int) -> list[int]:
    """arg max of ⟨w, Ψ(x, y)⟩ over y. [karagiannis (3.1)]"""
    # ! Ψ itself is no score; see karagiannis Note 16: features are no score
    return arg_max(lambda y: dot(w, Psi(x, y)), range(k))


def block_features(k: int) -> Features:
    """Ψ(x, y): x in the y-th of k blocks; ⟨w, Ψ(x, y)⟩ = ⟨w_y, x⟩. [karagiannis, Example 18]

    >>> block_features(3)([2, 3], 1)
    [0, 0, 2, 3, 0, 0]
    """
    return lambda x, y: [0] * (y * len(x)) + list(x) + [0] * ((k - 1 - y) * len(x))


# --- 3.2 About the learning problem
def zero_one(prediction: int, y: int) -> int:
    """ℓ_{0-1}: 1 where the prediction is wrong. [karagiannis (3.2)]"""
    # ! not 1_{y}(h(x)); see karagiannis (3.2): the indicator is the wrong way round
    return int(prediction != y)


def is_convex_between(f: Callable[[Vector], Number], u: Vector, v: Vector, t: Number) -> bool:
    """f(u + t(v − u)) ≤ f(u) + t(f(v) − f(u)), 0 ≤ t ≤ 1: (3.2) fails it, (3.3) never does.
    [karagiannis, 19–20]

    >>> def l_01(w):  # of x = 1, y = −1: it counts w > 0, and at 0 the first of the tied, −1
    ...     return zero_one(h_bin(w, [1])[0], -1)
    >>> is_convex_between(l_01, [-1], [3], Fraction(1, 2))  # f(1) = 1 is more than half of f(3)
    False
    """
    way = plus(v, -1, u)
    return f(plus(u, t, way)) <= f(u) + t * (f(v) - f(u))


def c(w: Vector, x: Vector, y: int, xi: int, Psi: Features) -> Number:
    """c(w; ξ) = ℓ_{0-1}(ξ, (x, y)) + ⟨w, Ψ(x, ξ) − Ψ(x, y)⟩. [karagiannis, Example 29]"""
    return zero_one(xi, y) + dot(w, plus(Psi(x, xi), -1, Psi(x, y)))


def hinge(w: Vector, x: Vector, y: int, Psi: Features, k: int) -> Number:
    """max_ξ c(w; ξ): convex in w, and at least ℓ_{0-1}(h_w(x), y). [karagiannis (3.3)]"""
    # ! convex by Example 22; see karagiannis Note 25: another note is meant
    return max(c(w, x, y, xi, Psi) for xi in range(k))


def rho_squared(x: Vector, y: int, Psi: Features, k: int) -> Number:
    """ρ² = max_ξ ‖Ψ(x, ξ) − Ψ(x, y)‖²: (3.3) is ρ-Lipschitz in w. [karagiannis, Example 23]

    >>> rho_squared([3, 4], 0, block_features(2), 2)
    50
    """
    # ! not a vector; see karagiannis Example 23: the Lipschitz constant lacks a norm
    differences = [plus(Psi(x, xi), -1, Psi(x, y)) for xi in range(k)]
    return max(dot(v, v) for v in differences)


def hinge_at_prediction(w: Vector, x: Vector, y: int, Psi: Features, k: int) -> Number:
    """c(w; h_w(x)), at least (3.2) and at most (3.3), which is the largest c(w; ξ).
    [karagiannis, 24–26]"""
    return c(w, x, y, h_w(w, x, Psi, k)[0], Psi)


def half_yx(x: Vector, y: int) -> Vector:
    """Ψ(x, ±1) = ±½x, classes 0 and 1 for −1 and +1: (3.3) is max(0, 1 − y⟨w, x⟩).
    [karagiannis, 24–26]"""
    return [Fraction(2 * y - 1, 2) * a for a in x]


def risk(w: Vector, S: Sample, Psi: Features, k: int) -> Fraction:
    """R̂_S(w), the mean of (3.3). [karagiannis (3.4)]"""
    # ! m examples, n in Note 5; see karagiannis: n and m for the same number
    return Fraction(sum(hinge(w, x, y, Psi, k) for x, y in S)) / len(S)


def svm_objective(w: Vector, S: Sample, lam: Number, Psi: Features, k: int) -> Fraction:
    """R̂_S(w) + λ‖w‖², which w* makes least. [karagiannis, 27–28]"""
    # ! λ‖w‖² is quadratic; see karagiannis Note 28: no linear program
    return risk(w, S, Psi, k) + lam * dot(w, w)


# --- 3.3 About the learning algorithm
def y_hats(w: Vector, x: Vector, y: int, Psi: Features, k: int) -> list[int]:
    """The ξ of the largest c(w; ξ). [karagiannis, Example 29]"""
    return arg_max(lambda xi: c(w, x, y, xi, Psi), range(k))


def sgd(
    S: Sample, lam: Number, eta: Vector, draws: Sequence[int], Psi: Features, k: int
) -> list[Vector]:
    """w^{(1)} = 0, w^{(2)}, …: one step for each example drawn. [karagiannis, Example 29]

    >>> S = [([1, 0], 0), ([0, 1], 1)]
    >>> sgd(S, lam=0, eta=[1, 1], draws=[0, 1], Psi=block_features(2), k=2)
    [[0, 0, 0, 0], [1, 0, -1, 0], [1, -1, -1, 1]]
    """
    w: list[Vector] = [[0] * len(Psi(S[0][0], 0))]
    for eta_t, i in zip(eta, draws):
        # ! from S, not g; see karagiannis Example 29: draws from the unknown distribution
        x, y = S[i]
        y_hat = y_hats(w[-1], x, y, Psi, k)[0]
        # ! one of several at ties; see karagiannis Example 29: more than one subgradient
        v = plus(Psi(x, y_hat), -1, Psi(x, y))
        # ! printed with λ = 0; see karagiannis Example 29: no term for the norm
        v = plus(v, 2 * lam, w[-1])
        w.append(plus(w[-1], -eta_t, v))
    return w
