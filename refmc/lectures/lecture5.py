"""[lecture5]: Lecture 5, "Multiclass and multilabel problems", as one plain program.

It has the lecture's order and names. Numbers are ints and Fractions, so all of it is exact. A
comment with `!` says where the print can't be followed to the letter and names the entry of
spec/errata.md. An arg max is all maximisers in order; an algorithm takes the first.

Symbols: x an item of d numbers, y its class, 0, …, k − 1; S the n pairs (x_i, y_i); Psi = Ψ the
features of an item taken as one of a class; W the k rows of w; s[j] = s(x, j), an item's scores;
Delta = Δ, with Δ(j, y) the cost of predicting j where y is right; lam = λ, eta = η_t, nabla = ∇_i.
"""

from collections.abc import Callable, Collection, Sequence
from fractions import Fraction

Number = int | Fraction
Vector = Sequence[Number]
Matrix = Sequence[Vector]
Sample = Sequence[tuple[Vector, int]]
Cost = Callable[[int, int], Number]
Features = Callable[[Vector, int], Vector]


def dot(u: Vector, v: Vector) -> Number:
    """Σ_i u_i v_i."""
    return sum(a * b for a, b in zip(u, v))


def plus(V: Matrix, c: Number, W: Matrix) -> Matrix:
    """V + cW."""
    return [[a + c * b for a, b in zip(v, w)] for v, w in zip(V, W)]


def arg_max(f: Callable[[int], Number], domain: Sequence[int]) -> list[int]:
    """All members of the domain for which f is largest, in order."""
    best = max(map(f, domain))
    return [y for y in domain if f(y) == best]


# --- 1 Multiclass and multilabel problems
def label_vector(classes: Collection[int], k: int) -> list[int]:
    """y ∈ {0, 1}^k with y(j) = 1 for each class j that x is labeled with. [lecture5 §1]

    >>> label_vector({0, 2}, k=3), label_vector({1}, k=3)  # multi-label, multi-class
    ([1, 0, 1], [0, 1, 0])
    """
    return [1 if j in classes else 0 for j in range(k)]


# --- 1.1 Multiclass
def hinge(w: Vector, x: Vector, y: int) -> Number:
    """max{0, 1 − y⟨w, x⟩}, y = ±1. [lecture5 §1.1]"""
    return max(0, 1 - y * dot(w, x))


def binary_prediction(w: Vector, x: Vector) -> list[int]:
    """sign(⟨w, x⟩) as arg max of ⟨w, yx⟩ over y = ±1. [lecture5 §1.1]"""
    # ! at 0 the sign is no label; see lecture5 §1.1: sign and arg max part at 0
    return arg_max(lambda y: dot(w, [y * a for a in x]), (-1, 1))


def predictions(w: Vector, x: Vector, Psi: Features, k: int) -> list[int]:
    """arg max of ⟨w, Ψ(x, y)⟩ over y. [lecture5 (1)]"""
    return arg_max(lambda y: dot(w, Psi(x, y)), range(k))


# --- 1.1.1 Linear multiclass formulation with hinge loss
def block_features(x: Vector, y: int, k: int) -> Vector:
    """Ψ(x, y): x in the y-th of k blocks, zeros elsewhere. [lecture5 §1.1.1]

    >>> block_features([2, 3], 1, 3)
    [0, 0, 2, 3, 0, 0]
    """
    return [a if j == y else 0 for j in range(k) for a in x]


def stretched(W: Matrix) -> Vector:
    """w, the rows of W one after the other: ⟨w, Ψ(x, y)⟩ = ⟨W_y, x⟩. [lecture5 (2)]"""
    return [a for row in W for a in row]


def linear_scores(W: Matrix, x: Vector) -> Vector:
    """⟨W_j, x⟩ for each j. [lecture5 (2)]"""
    return [dot(W_j, x) for W_j in W]


def y_hat(W: Matrix, x: Vector) -> list[int]:
    """arg max of ⟨W_i, x⟩ over i. [lecture5 (3)]"""
    return arg_max(lambda i: dot(W[i], x), range(len(W)))


def indicator(j: int, y: int) -> int:
    """1{j ≠ y}: the left side of (4) for j = ŷ. [lecture5 (4)]"""
    return int(j != y)


def multiclass_hinge(W: Matrix, x: Vector, y: int) -> Number:
    """max_j {1{j ≠ y} + ⟨W_j, x⟩ − ⟨W_y, x⟩}: at least 1{ŷ ≠ y}. [lecture5 (5)]

    >>> multiclass_hinge([[1], [2], [0]], [Fraction(1, 4)], 1)  # the class leads by 1/4 only
    Fraction(3, 4)
    """
    return max(indicator(j, y) + dot(W[j], x) - dot(W[y], x) for j in range(len(W)))


def two_rows(w: Vector) -> Matrix:
    """W_1 = −W_2 = ½w, with which (5) is the binary hinge. [lecture5 §1.1.1]"""
    return [[Fraction(a) / 2 for a in w], [Fraction(-a) / 2 for a in w]]


def average_loss(W: Matrix, S: Sample) -> Fraction:
    """(1/n) Σ_i ℓ(W, (x_i, y_i)). [lecture5 (6)]"""
    return Fraction(sum(multiclass_hinge(W, x, y) for x, y in S)) / len(S)


def svm_objective(W: Matrix, S: Sample, lam: Number) -> Fraction:
    """(6) + (λ/2)‖W‖², the Frobenius norm. [lecture5 (7)]"""
    return average_loss(W, S) + Fraction(lam) / 2 * sum(dot(W_j, W_j) for W_j in W)


def j_stars(W: Matrix, x: Vector, y: int) -> list[int]:
    """All j that reach the maximum in (5). [lecture5 (8)]"""
    return arg_max(lambda j: indicator(j, y) + dot(W[j], x) - dot(W[y], x), range(len(W)))


def subgradient(x: Vector, y: int, j_star: int, k: int) -> Matrix:
    """∇: x in row j*, −x in row y; zero if j* = y. [lecture5 (9)]

    >>> subgradient([3, 4], 2, 0, 3)
    [[3, 4], [0, 0], [-3, -4]]
    """
    counts = {y: -1, j_star: +1} if j_star != y else {}  # of x in the rows
    return [[counts.get(j, 0) * a for a in x] for j in range(k)]


def algorithm_1(S: Sample, k: int, lam: Number, draws: Sequence[int]) -> list[Matrix]:
    """SGD for multiclass SVM: W_1, …, W_{T+1} for the rows i drawn. [lecture5, "Algorithm 1"]

    >>> W = algorithm_1([([1, 0], 0), ([0, 1], 1)], 2, 1, draws=[0, 1])
    >>> [[str(a) for a in row] for row in W[-1]]
    [['1/2', '-1/2'], ['-1/2', '1/2']]
    """
    W: list[Matrix] = [[[0] * len(S[0][0])] * k]  # init W_1 = 0
    for t, i in enumerate(draws, 1):  # for t = 1, …, T; sample i
        eta = 1 / (Fraction(lam) * t)  # set η_t
        x, y = S[i]
        j_star = j_stars(W[-1], x, y)[0]  # find j*
        if j_star != y:
            nabla = subgradient(x, y, j_star, k)
            W.append(plus(plus(W[-1], -eta, nabla), -eta * lam, W[-1]))
        else:
            W.append(plus(W[-1], -eta * lam, W[-1]))
    return W  # ! W_{T+1}, or a mean; see lecture5 Algorithm 1: what is returned


# --- 1.1.2 General formulation
def max_form(s: Vector, y: int, Delta: Cost) -> Number:
    """max_j {Δ(j, y) + s_j − s_y}: at least Δ(ŷ, y). [lecture5 (10)]"""
    return max(Delta(j, y) + s[j] - s[y] for j in range(len(s)))


def max_of_hinges(s: Vector, y: int, Delta: Cost) -> Number:
    """max_{j ≠ y} max{0, Δ(j, y) + s_j − s_y}, the same number. [lecture5 (11)]"""
    # ! no j ≠ y where k = 1; see lecture5 (11) and (13): a single class
    others = [j for j in range(len(s)) if j != y]
    return max((max(0, Delta(j, y) + s[j] - s[y]) for j in others), default=0)


def sum_form(s: Vector, y: int, Delta: Cost) -> Number:
    """Σ_{j ≠ y} max{0, Δ(j, y) + s_j − s_y}, at least (11). [lecture5 (12)]

    >>> sum_form([1, 2, 1], 1, lambda j, y: 3 * abs(j - y)), max_form([1, 2, 1], 1, indicator)
    (4, 0)
    """
    return sum(max(0, Delta(j, y) + s[j] - s[y]) for j in range(len(s)) if j != y)


def sum_hinge(W: Matrix, x: Vector, y: int) -> Number:
    """Σ_{j ≠ y} max{0, 1 + ⟨W_j, x⟩ − ⟨W_y, x⟩}. [lecture5 (13)]"""
    return sum_form(linear_scores(W, x), y, indicator)


def violated(W: Matrix, x: Vector, y: int) -> list[int]:
    """The classes whose summand in (13) is positive. [lecture5, "Homework"]"""
    return [j for j in range(len(W)) if j != y and 1 + dot(W[j], x) - dot(W[y], x) > 0]


def sum_subgradient(W: Matrix, x: Vector, y: int) -> Matrix:
    """∇ of (13): x in each violated row, −x in row y for each of them. [lecture5, "Homework"]"""
    A = violated(W, x, y)
    counts = {j: +1 for j in A} | {y: -len(A)}  # of x in the rows
    return [[counts.get(j, 0) * a for a in x] for j in range(len(W))]


def homework(S: Sample, k: int, lam: Number, draws: Sequence[int]) -> list[Matrix]:
    """Algorithm 1 for (13): W_{t+1} = W_t − η_t∇ − η_tλW_t. [lecture5, "Homework"]"""
    W: list[Matrix] = [[[0] * len(S[0][0])] * k]
    for t, i in enumerate(draws, 1):
        eta = 1 / (Fraction(lam) * t)
        nabla = sum_subgradient(W[-1], *S[i])
        W.append(plus(plus(W[-1], -eta, nabla), -eta * lam, W[-1]))
    return W
