"""[keshet]: "Multiclass Classification", as one plain program.

It has the lecture's order and names. Numbers are ints and Fractions, so all of it is exact. A
comment with `!` says where the print can't be followed to the letter and names the entry of
spec/errata.md. An arg max is all maximisers in order; an algorithm takes the first.

Symbols: S the m pairs (x_i, y_i), y_i = 0, …, k − 1; W[y] = w^y and w[y, r] = w^{yr}; A a binary
learning algorithm, from pairs (x, ±1) to a function of x; M a code of k rows of l entries, f the l
predictions f_s(x); L the name of a loss; tau[r] = τ_r, lam = λ, eta = η_t; δ a truth value.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations, product

Number = int | Fraction
Vector = Sequence[Number]
Matrix = Sequence[Vector]
Code = Sequence[Sequence[int]]
Sample = Sequence[tuple[Vector, int]]
Algorithm = Callable[[Sample], Callable[[Vector], Number]]
Option = Callable[[Matrix, Vector, int, int], Vector]


def dot(u: Vector, v: Vector) -> Number:
    """Σ_i u_i v_i."""
    return sum(a * b for a, b in zip(u, v))


def plus(u: Vector, c: Number, v: Vector) -> list[Number]:
    """u + cv."""
    return [a + c * b for a, b in zip(u, v)]


def sign(z: Number) -> int:
    """+1, −1, or 0 for z = 0."""
    return (z > 0) - (z < 0)


def arg_max(f: Callable[[int], Number], domain: Sequence[int]) -> list[int]:
    """All members of the domain for which f is largest, in order."""
    best = max(map(f, domain))
    return [y for y in domain if f(y) == best]


# --- 1.1 One-against-All (OA)
def one_against_all_problem(S: Sample, y: int) -> Sample:
    """+1 for the examples of class y, −1 for all others. [keshet §1.1]"""
    return [(x, +1 if y_i == y else -1) for x, y_i in S]


def one_against_all(W: Matrix, x: Vector) -> list[int]:
    """arg max of w^y·x over y. [keshet §1.1]"""
    return arg_max(lambda y: dot(W[y], x), range(len(W)))


# --- 1.2 All Pairs (AP)
def all_pairs_problem(S: Sample, y: int, r: int) -> Sample:
    """+1 for the examples of class y, −1 for those of class r. [keshet §1.2]"""
    return [(x, +1 if y_i == y else -1) for x, y_i in S if y_i in (y, r)]


def all_pairs(w: Mapping[tuple[int, int], Vector], x: Vector, k: int) -> list[int]:
    """arg max of Σ_{r ≠ y} w^{yr}·x over y, from w[y, r] for y < r. [keshet §1.2]"""
    # ! w^{ry} = −w^{yr}; see keshet §1.2: the sum of scores needs a convention
    w = {**w, **{(r, y): [-a for a in v] for (y, r), v in w.items()}}
    return arg_max(lambda y: sum(dot(w[y, r], x) for r in range(k) if r != y), range(k))


# --- 1.3 Error Correction Output Codes (ECOC)
def induced_problem(S: Sample, M: Code, s: int) -> Sample:
    """(x_i, M(y_i, s)), omitting the examples with M(y_i, s) = 0. [keshet §1.3]"""
    return [(x, M[y][s]) for x, y in S if M[y][s] != 0]


def output_code(S: Sample, M: Code, A: Algorithm) -> list[Callable[[Vector], Number]]:
    """f_1, …, f_l: A run once for each column of M. [keshet §1.3]"""
    return [A(induced_problem(S, M, s)) for s in range(len(M[0]))]


def one_against_all_code(k: int) -> Code:
    """k × k: +1 on the diagonal, −1 elsewhere. [keshet §1.3]"""
    return [[+1 if r == s else -1 for s in range(k)] for r in range(k)]


def all_pairs_code(k: int) -> Code:
    """A column for each pair (r_1, r_2): +1 in row r_1, −1 in row r_2, else 0. [keshet §1.3]"""
    pairs = list(combinations(range(k), 2))
    return [[+1 if r == r_1 else -1 if r == r_2 else 0 for r_1, r_2 in pairs] for r in range(k)]


def hamming_distance(M_r: Sequence[int], f: Sequence[Number]) -> Fraction:
    """d_H(M(r), f) = Σ_s (1 − sign(M(r, s) f_s))/2: a zero counts ½. [keshet (1)]"""
    return sum((Fraction(1 - sign(m * f_s), 2) for m, f_s in zip(M_r, f)), Fraction(0))


def hamming_decoding(M: Code, f: Vector) -> list[int]:
    """arg min of d_H(M(r), f) over r. [keshet §1.3]

    >>> [float(hamming_distance(M_r, EXAMPLE_F)) for M_r in EXAMPLE_M]
    [3.5, 4.5, 1.5, 2.5]
    >>> hamming_decoding(EXAMPLE_M, EXAMPLE_F)  # class 3 in print
    [2]
    """
    # ! over r, not y; see keshet §1.3: an arg min over the wrong variable
    return arg_max(lambda r: -hamming_distance(M[r], f), range(len(M)))


Exps = Mapping[Number, Number]  # a sum Σ n e^a, as {a: n}


def exps(M_r: Sequence[int], f: Vector, L: str) -> Exps:
    """d_L(M(r), f) = Σ_s L(z), z = M(r, s) f_s; for logistic regression its exponential, which has
    the same order: Π_s (1 + e^{−z}), multiplied out. [keshet (2)]"""
    # ! not exp(M f); see keshet §1.3: the example's summands lack a minus
    z = [m * f_s for m, f_s in zip(M_r, f)]
    if L == "SVM":  # L(z) = max{0, 1 − z}
        return {0: sum(max(0, 1 - z_s) for z_s in z)}
    if L == "boosting":  # L(z) = exp(−z)
        return Counter(-z_s for z_s in z)
    return Counter(map(sum, product(*((0, -z_s) for z_s in z))))  # L(z) = log(1 + exp(−z))


def rounded(a: Number) -> Decimal:
    """A fraction in as many digits as the context has, 28 by default."""
    return Decimal(a.numerator) / a.denominator


def value(u: Exps) -> Decimal:
    """Σ n e^a, rounded."""
    return sum((rounded(n) * rounded(a).exp() for a, n in u.items()), Decimal(0))


def loss_distance(M_r: Sequence[int], f: Vector, L: str) -> Decimal:
    """d_L(M(r), f), rounded. [keshet (2)]"""
    d = value(exps(M_r, f, L))
    return d.ln() if L == "logistic regression" else d


def is_less(u: Exps, v: Exps) -> bool:
    """Whether u < v, exactly. Powers of e with different rational exponents are independent of one
    another (Lindemann, Weierstrass): u = v only if all n are the same. Else digits tell."""
    n = {a: u.get(a, 0) - v.get(a, 0) for a in {*u, *v}}
    n = {a: n_a for a, n_a in n.items() if n_a}
    size, top, digits = sum(sign(n_a) * n_a for n_a in n.values()), max(n, default=0), 28
    while n:
        with localcontext(prec=digits):  # each of len(n) terms and sums is rounded
            rounding = (len(n) + 3) * rounded(size).scaleb(1 - digits)
            difference = value({a - top: n_a for a, n_a in n.items()})  # all powers are ≤ 1
            if abs(difference) > rounding:
                return difference < 0
        digits *= 2
    return False


def loss_based_decoding(M: Code, f: Vector, L: str) -> list[int]:
    """arg min of d_L(M(r), f) over r. [keshet §1.3]

    >>> [f"{loss_distance(M_r, EXAMPLE_F, 'boosting'):.2f}" for M_r in EXAMPLE_M]
    ['30132.70', '192893.34', '162756.90', '5.37']
    >>> loss_based_decoding(EXAMPLE_M, EXAMPLE_F, "boosting")  # class 4 in print
    [3]
    """
    d = [exps(M_r, f, L) for M_r in M]
    return [r for r, d_r in enumerate(d) if not any(is_less(d_s, d_r) for d_s in d)]


EXAMPLE_F: Vector = [Fraction(1, 2), -7, -1, -2, -10, -12, 9]  # [keshet §1.3, "Example"]
EXAMPLE_M = [
    [-1, 0, -1, -1, +1, -1, -1],
    [+1, -1, 0, +1, +1, +1, -1],
    [+1, 0, -1, -1, -1, +1, +1],
    [-1, -1, +1, 0, -1, -1, +1],
]


# --- 2.1 Multiclass Perceptron
def binary_update(w: Vector, x: Vector, y: int) -> Vector:
    """w + yx where sign(w·x) ≠ y = ±1. [keshet §2.1]"""
    return plus(w, y, x) if sign(dot(w, x)) != y else w


def two_vector_update(w: Mapping[int, Vector], x: Vector, y: int) -> Mapping[int, Vector]:
    """With w^{−1} = −w^{+1}: x is added to w^y and taken from w^ŷ. [keshet §2.1]"""
    # ! ŷ may be y, sign(0) can't; see keshet §2.1: the two binary perceptrons part at a tie
    y_hat = arg_max(lambda r: dot(w[r], x), (-1, +1))[0]
    return {y: plus(w[y], 1, x), y_hat: plus(w[y_hat], -1, x)} if y_hat != y else w


def first_option(W: Matrix, x: Vector, y: int, y_hat: int) -> Vector:
    """τ: +1 for y, −1 for ŷ, else 0. [keshet §2.1]"""
    return [+1 if r == y else -1 if r == y_hat else 0 for r in range(len(W))]


def second_option(W: Matrix, x: Vector, y: int, y_hat: int) -> Vector:
    """τ: +1 for y, −1/|E_y| for each class of E_y, else 0. [keshet §2.1]

    >>> list(map(str, second_option([[1], [0], [1]], [1], y=1, y_hat=0)))
    ['-1/2', '1', '-1/2']
    """
    # ! ≥, not >; see keshet §2.1: a strict inequality leaves the second update undefined
    E_y = [r for r in range(len(W)) if r != y and dot(W[r], x) >= dot(W[y], x)]
    return [1 if r == y else Fraction(-1, len(E_y)) if r in E_y else 0 for r in range(len(W))]


def multiclass_perceptron(S: Sample, k: int, option: Option) -> list[Matrix]:
    """The weights at the start and after each example of S. [keshet §2.1]"""
    W: list[Matrix] = [[[0] * len(S[0][0])] * k]
    for x, y in S:  # ! any W, any pass; see keshet §2.1: neither start nor end is given
        w = W[-1]
        y_hat = one_against_all(w, x)[0]
        if y_hat != y:
            tau = option(w, x, y, y_hat)
            w = [plus(w[r], tau[r], x) for r in range(k)]
        W.append(w)
    return W


# --- 2.2 Multiclass SVM
def bayes_rule(P: Vector) -> list[int]:
    """arg max of P(y | x) over y. [keshet §2.2]"""
    return arg_max(lambda y: P[y], range(len(P)))


def error_probability(W: Matrix, P: Sequence[tuple[Vector, int, Number]]) -> Number:
    """P(ŷ ≠ y) = E[δ(ŷ ≠ y)], the pairs (x, y) with their probabilities given. [keshet (3)]"""
    # ! Kronecker's δ counts what is equal; see keshet §2.2: delta of a statement
    return sum(p for x, y, p in P if one_against_all(W, x)[0] != y)


def regularised_error(W: Matrix, S: Sample, lam: Number) -> Fraction:
    """(1/m) Σ δ(ŷ ≠ y) + (λ/2) Σ_r ‖w^r‖². [keshet §2.2]"""
    errors = sum(one_against_all(W, x)[0] != y for x, y in S)
    return Fraction(errors, len(S)) + Fraction(lam) / 2 * sum(dot(w, w) for w in W)


def upper_bounds(W: Matrix, x: Vector, y: int) -> tuple[Number, Number, Number]:
    """The right sides of (5), (6), (7): each at most the next. [keshet (5)–(7)]"""
    error = one_against_all(W, x)[0] != y
    best = max(dot(w, x) for w in W)
    hinge = max((r != y) - dot(W[y], x) + dot(W[r], x) for r in range(len(W)))
    return error - dot(W[y], x) + dot(W[y], x), error - dot(W[y], x) + best, hinge


def svm_objective(W: Matrix, S: Sample, lam: Number) -> Fraction:
    """(1/m) Σ (7) + (λ/2) Σ_r ‖w^r‖². [keshet §2.2]"""
    losses = sum(upper_bounds(W, x, y)[2] for x, y in S)
    return Fraction(losses) / len(S) + Fraction(lam) / 2 * sum(dot(w, w) for w in W)


def gradient_step(W: Matrix, x: Vector, y: int, lam: Number, eta: Number) -> Matrix:
    """All w^r shrink by 1 − λη; ηx is added to w^y and taken from w^{ŷ′}. [keshet §2.2]"""
    # ! over ŷ′, not y; see keshet §2.2: an arg max over the wrong variable
    y_prime = arg_max(lambda r: (r != y) + dot(W[r], x), range(len(W)))[0]
    w = [[(1 - lam * eta) * a for a in w_r] for w_r in W]
    w[y] = plus(w[y], eta, x)
    w[y_prime] = plus(w[y_prime], -eta, x)
    return w


def printed_step(W: Matrix, x: Vector, y: int, lam: Number, eta: Number) -> Matrix:
    """That, if the loss of the example is positive. [keshet §2.2]"""
    # ! the subgradient always has λw; see keshet §2.2: w shrinks only with a loss
    return gradient_step(W, x, y, lam, eta) if upper_bounds(W, x, y)[2] > 0 else W


# --- 3 Which method is better for your application?
def code_distance(M: Code) -> Fraction:
    """δ: the least Hamming distance of two rows. [keshet §3]"""
    return min(hamming_distance(a, b) for a, b in combinations(M, 2))


def as_all_pairs(W: Matrix) -> dict[tuple[int, int], Vector]:
    """w^{yr} = w^y − w^r: AP predicts as W does. [keshet §3]"""
    return {(y, r): plus(W[y], -1, W[r]) for y, r in combinations(range(len(W)), 2)}


def sector(x: Vector) -> list[int]:
    """The sectors whose middles are nearest, by weights that point there. [keshet §3, "Example"]

    >>> sector([5, 1]), sector([-1, 0])
    ([0], [1, 2])
    """
    # ! no line through 0 does; see keshet §3: a chord splits a sector of the circle
    W: Matrix = [(2, 0), (-1, 1), (-1, -1)]  # the second entries count √3: w·x = a + b√3

    def is_less(w: Vector, v: Vector) -> bool:  # a + b√3 < 0 where a < −b√3; squared
        a, b = ((w[j] - v[j]) * x[j] for j in (0, 1))
        return sign(a) * a * a < -3 * sign(b) * b * b

    return [r for r, w in enumerate(W) if not any(is_less(w, v) for v in W)]
