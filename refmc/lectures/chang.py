"""[chang]: Lecture 14, "Support Vector Machines, Multi-Class Classification", as one plain program.

It has the slides' order and names. Numbers are ints and Fractions, so all of it but the RBF kernel
is exact. `# 3` stands at line 3 of a slide. A comment with `!` says where the print can't be
followed to the letter and names the entry of spec/errata.md. An arg max is all maximisers in order.

Symbols: D examples (x, y), y = ±1 or, in the last part, 0, …, k − 1; w, b a hyperplane; xi[i] = ξ_i
slacks; eta = η; alpha[i] = α_i; φ(x) features of x, such as (x_1², x_2²); K(x, z) = φ(x)ᵀφ(z).
"""

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import TypeAlias

from refmc.lectures.lu import active_set  # the solver, which the slides leave out

Number = int | Fraction
Vector = Sequence[Number]
Matrix = Sequence[Vector]
Examples = Sequence[tuple[Vector, int]]
Function = Callable[[Vector], Number]
Kernel = Callable[[Vector, Vector], Number]
Scores = dict[tuple[int, int], Number]  # s[i, j] = −s[j, i], a score of label i against j
Algorithm = Callable[[Examples], Function]
ClassTree: TypeAlias = "int | tuple[ClassTree, ClassTree, Function]"  # a label; left, right, f


def dot(u: Vector, v: Vector) -> Number:
    """Σ_i u_i v_i."""
    return sum(a * b for a, b in zip(u, v))


def plus(u: Vector, c: Number, v: Vector) -> list[Number]:
    """u + cv."""
    return [a + c * b for a, b in zip(u, v)]


def sgn(z: Number) -> int:
    """+1, −1, or 0 for z = 0."""
    return (z > 0) - (z < 0)


def arg_max(f: Callable[[int], Number], domain: Sequence[int]) -> list[int]:
    """All members of the domain for which f is largest, in order."""
    best = max(map(f, domain))
    return [y for y in domain if f(y) == best]


# --- Large margin
def prediction(w: Vector, b: Number, x: Vector) -> int:
    """sgn(b + wᵀx). [chang, "Recall: The geometry of a linear classifier"]"""
    return sgn(b + dot(w, x))


def gamma_squared(w: Vector, b: Number, D: Examples) -> Fraction:
    """γ², with the sign of γ = min_i y_i(wᵀx_i + b)/‖w‖.
    [chang, "Recall: The geometry of a linear classifier"]"""
    # ! w = 0 if all y are alike; see chang: Hard SVM: a single class has no margin
    nearest = min(y * (dot(w, x) + b) for x, y in D)
    return Fraction(sgn(nearest) * nearest * nearest) / dot(w, w)


def hard_svm(w: Vector, b: Number, D: Examples) -> tuple[Fraction, bool]:
    """½wᵀw, and whether y_i(wᵀx_i + b) ≥ 1 for all i: then γ² ≥ 1/wᵀw. [chang, "Hard SVM"]"""
    return Fraction(dot(w, w)) / 2, all(y * (dot(w, x) + b) >= 1 for x, y in D)


def soft_svm(w: Vector, b: Number, xi: Vector, D: Examples, C: Number) -> tuple[Fraction, bool]:
    """½wᵀw + C Σ ξ_i, and whether y_i(wᵀx_i + b) ≥ 1 − ξ_i and ξ_i ≥ 0. [chang, "Soft SVM"]"""
    # ! not few ξ_i > 0; see chang: Soft SVM: the least slack is not the fewest violations
    fits = all(y * (dot(w, x) + b) >= 1 - xi_i and xi_i >= 0 for (x, y), xi_i in zip(D, xi))
    return Fraction(dot(w, w)) / 2 + C * sum(xi), fits


def hinge(w: Vector, b: Number, x: Vector, y: int) -> Number:
    """max(0, 1 − y(wᵀx + b)), the penalty, the least ξ. [chang, "The Hinge Loss"]"""
    # ! b stands in the objective; see chang: The hinge loss: b is left out
    return max(0, 1 - y * (dot(w, x) + b))


def svm_objective(w: Vector, b: Number, D: Examples, C: Number) -> Fraction:
    """½wᵀw + C Σ_i max(0, 1 − y_i(wᵀx_i + b)). [chang, "SVM objective function"]"""
    return Fraction(dot(w, w)) / 2 + C * sum(hinge(w, b, x, y) for x, y in D)


def cases(w: Vector, b: Number, x: Vector, y: int) -> tuple[str, str]:
    """a, b or c of both quizzes, by y(wᵀx + b) and by ξ. [chang, "Match-up quiz"]"""
    margin, xi = y * (dot(w, x) + b), hinge(w, b, x, y)
    # ! `a` is not wᵀx + b = 0; see chang: Match-up quiz: the margin is not the decision boundary
    by_margin = {0: "a", -1: "b", +1: "c"}[sgn(margin - 1)]
    if xi == 0:
        return by_margin, "b"
    # ! ξ = 1 has no letter; see chang: Match-up quiz: no case for a slack of 1
    return by_margin, {-1: "a", +1: "c", 0: ""}[sgn(xi - 1)]


# --- Training SVM by optimization
def is_subgradient(f: Function, g: Vector, x: Vector, others: Matrix) -> bool:
    """f(y) ≥ f(x) + gᵀ(y − x) at these other points y. [chang, "Sub-gradients"]"""
    # ! through f(x), not below it; see chang: Sub-gradients: a sub-tangent has to touch
    return all(f(y) >= f(x) + dot(g, plus(y, -1, x)) for y in others)


def grad_J(w: Vector, b: Number, x: Vector, y: int, C: Number) -> Vector:
    """w, or w − Cyx where the hinge is not 0. [chang, "Sub-gradient of the SVM objective"]"""
    # ! w + Cyx on one slide; see chang: First SGD slide: the sign of the update
    return w if hinge(w, b, x, y) == 0 else plus(w, -C * y, x)


def sgd(D: Examples, T: int, eta: Number, C: Number) -> Vector:
    """Stochastic sub-gradient descent on the sum of the J. [chang, "Stochastic gradient Descent"]

    >>> [str(a) for a in sgd([([2], 1), ([-1], -1)], T=1, eta=Fraction(1, 4), C=1)]
    ['5/8']
    """
    # ! ½wᵀw stands in each J; see chang: SGD objective: the norm counts once a row
    w: Vector = [0] * len(D[0][0])  # 1
    b = 0  # ! for ever; see chang: SGD and perceptron: b is tested but never updated
    for _ in range(T):  # 2
        for x, y in D:  # 3
            w = plus(w, -eta, grad_J(w, b, x, y, C))  # 4 ! see chang: SGD: no step size is given
    return w  # 5


def perceptron(D: Examples) -> Vector:
    """One pass; predict sgn(wᵀx). [chang, "Recap: The Perceptron Algorithm"]"""
    w: Vector = [0] * len(D[0][0])  # 1
    b = 0  # ! for ever; see chang: SGD and perceptron: b is tested but never updated
    for x, y in D:  # 2 ! or often; see chang: Perceptron: one pass is not enough
        if y * (dot(w, x) + b) <= 0:  # 3
            w = plus(w, y, x)  # 4
    return w  # 6


def perceptron_loss(y: int, x: Vector, w: Vector) -> Number:
    """max(0, −ywᵀx). [chang, "Perceptron vs. SVM"]"""
    return max(0, -y * dot(w, x))


# --- Duals and kernels
def is_inside(x: Vector) -> bool:
    """f(x) = 1 iff x_1² + x_2² ≤ 1. [chang, "Recap: Making data linearly separable"]"""
    return dot(x, x) <= 1


def squares(x: Vector) -> Vector:
    """φ(x) = (x_1², x_2²), for which f is linear: x′_1 + x′_2 ≤ 1.
    [chang, "Recap: Making data linearly separable"]

    >>> squares([2, -3]), prediction([-1, -1], 1, squares([Fraction(1, 2), 0]))
    ([4, 9], 1)
    """
    return [a * a for a in x]


def phi_rbf(x: float, gamma: float, order: int) -> list[float]:
    """e^{−γx²}[1, √(2γ/1!) x, √((2γ)²/2!) x², …], up to x^order.
    [chang, "Can we map data to very high dimensional space?"]"""
    roots = [math.sqrt((2 * gamma) ** n / math.factorial(n)) for n in range(order + 1)]
    return [math.exp(-gamma * x * x) * root * x**n for n, root in enumerate(roots)]


def weights(alpha: Vector, D: Examples) -> Vector:
    """w = Σ α_i y_i φ(x_i), from D with φ(x_i) for x_i. [chang, "Kernel Perceptron Algorithm"]"""
    # ! not Σ α_i y_i x_i; see chang: Kernel perceptron: w without the feature map
    return [sum(a * y * x[d] for a, (x, y) in zip(alpha, D)) for d in range(len(D[0][0]))]


def score(alpha: Vector, D: Examples, K: Kernel, x: Vector) -> Number:
    """Σ α_i y_i K(x_i, x) = wᵀφ(x). [chang, "Kernel Perceptron Algorithm"]"""
    return sum(alpha_i * y_i * K(x_i, x) for alpha_i, (x_i, y_i) in zip(alpha, D))


def kernel_perceptron(D: Examples, K: Kernel) -> list[int]:
    """One pass; predict the sgn of `score`. [chang, "Kernel Perceptron Algorithm"]"""
    alpha = [0] * len(D)  # 1
    for j, (x_j, y_j) in enumerate(D):  # 2
        if y_j * score(alpha, D, K, x_j) <= 0:  # 3
            alpha[j] += 1  # 4
    return alpha  # 5


def Q(D: Examples, K: Kernel) -> Matrix:
    """Q_ij = y_i y_j φ(x_i)ᵀφ(x_j). [chang, "Dual SVM problem"]"""
    return [[y_i * y_j * K(x_i, x_j) for x_j, y_j in D] for x_i, y_i in D]


def dual(alpha: Vector, D: Examples, K: Kernel) -> Fraction:
    """½αᵀQα − eᵀα. [chang, "Dual SVM problem"]"""
    return Fraction(dot(alpha, [dot(row, alpha) for row in Q(D, K)])) / 2 - sum(alpha)


def kernel_svm(D: Examples, K: Kernel, C: Number) -> tuple[Vector, Number]:
    """α* of min ½αᵀQα − eᵀα with 0 ≤ α_i ≤ C and yᵀα = 0, and b; the values of K that are floats
    are taken for the fractions that they are. [chang, "Dual SVM problem"]

    >>> kernel_svm([([0], -1), ([2], 1)], dot, C=1)
    ([Fraction(1, 2), Fraction(1, 2)], Fraction(-1, 1))
    """
    m, y = range(len(D)), [y_i for _, y_i in D]
    # ! i = 1, …, I; see chang: Dual SVM problem: three names for the number of rows
    at_least_0 = [[-1 if i == j else 0 for j in m] for i in m]
    at_most_C = [[1 if i == j else 0 for j in m] for i in m]
    h = [0] * len(D) + [C] * len(D)
    start = [0] * len(D)
    optimum = active_set(Q(D, K), [-1] * len(D), [y], at_least_0 + at_most_C, h, start)
    return optimum["x"], optimum["nu"][0]  # b is the multiplier of yᵀα = 0


def decision(alpha: Vector, b: Number, D: Examples, K: Kernel, x: Vector) -> Number:
    """wᵀφ(x) + b. [chang, "Decision function in Kernel SVM"]"""
    # ! its rewriting lacks b; see chang: Decision function in kernel SVM: b is dropped
    return score(alpha, D, K, x) + b


def bounds_of_b(alpha: Vector, D: Examples, K: Kernel, C: Number) -> tuple[Vector, Vector]:
    """The lower and the upper bounds y_i − wᵀφ(x_i) of an optimal b: y_i(wᵀφ(x_i) + b) ≥ 1 where
    α_i < C, and ≤ 1 where α_i > 0, at a support vector. [chang, "Support vectors"]"""
    # ! or more than one b; see chang: Dual SVM problem: b is not always determined
    lower: list[Number] = []
    upper: list[Number] = []
    for (x, y), alpha_i in zip(D, alpha):
        end = y - score(alpha, D, K, x)
        if alpha_i < C:
            (lower if y == 1 else upper).append(end)
        if alpha_i > 0:
            (upper if y == 1 else lower).append(end)
    return lower, upper


def support_vectors(alpha: Vector) -> list[int]:
    """α_i > 0: only these affect the prediction. [chang, "Support vectors"]"""
    return [i for i, alpha_i in enumerate(alpha) if alpha_i > 0]


def rbf(x: Vector, z: Vector, gamma: Number) -> float:
    """e^{−γ‖x − z‖²}. [chang, "RBF Kernel"]"""
    return math.exp(-gamma * sum(a * a for a in plus(x, -1, z)))


def polynomial(x: Vector, z: Vector, a: Number, b: Number, d: int) -> Fraction:
    """(xᵀz/a + b)^d. [chang, "Common choice of Kernels"]"""
    return (Fraction(dot(x, z)) / a + b) ** d


# --- Multi-class classification
def one_against_all(D: Examples, k: int) -> Examples:
    """Positive: label k; negative: all others. [chang, "One-again-All learning algorithm"]"""
    return [(x, 1 if y == k else -1) for x, y in D]


def winner_takes_all(w: Matrix, x: Vector) -> list[int]:
    """arg max of w_yᵀx over y. [chang, "One-again-All Inference"]"""
    return arg_max(lambda y: dot(w[y], x), range(len(w)))


def one_vs_one(D: Examples, i: int, j: int) -> Examples:
    """Positive: label i; negative: label j. [chang, "One-v.s-One learning algorithm"]"""
    return [(x, 1 if y == i else -1) for x, y in D if y in (i, j)]


def wins(s: Scores, i: int, k: int) -> Fraction:
    """The duels that i wins, a score of 0 being half of one. [chang, "Majority Vote"]"""
    # ! 0 to k − 1 of them; see chang: One-vs-one: not every label gets all of its votes
    return sum((Fraction(1 + sgn(s[i, j]), 2) for j in range(k) if j != i), Fraction(0))


def majority(s: Scores, k: int) -> list[int]:
    """The labels of most wins. [chang, "One-v.s-One Inference algorithm"]"""
    # ! 1 red, 2 yellow, 2 green; see chang: One-vs-one: five votes belong to no number of classes
    return arg_max(lambda i: wins(s, i, k), range(k))


def tournament(s: Scores, players: Sequence[int]) -> set[int]:
    """All who can win: neighbours meet, winners go on. [chang, "Tournament"]"""
    if len(players) == 1:
        return set(players)
    pairs = list(zip(players[::2], players[1::2]))
    # ! a bye; see chang: Tournament: an odd number of players, and the draw
    rest = players[2 * len(pairs) :]
    winners = [[a for a, b in ((i, j), (j, i)) if s[a, b] >= 0] for i, j in pairs]
    return set().union(*(tournament(s, [*won, *rest]) for won in product(*winners)))


# --- The outlook
def reached(tree: ClassTree, x: Vector) -> set[int]:
    """The labels to which x can go down: left where f(x) ≥ 0, right where f(x) ≤ 0.
    [chang, "Still an ongoing research direction"]"""
    if isinstance(tree, int):
        return {tree}
    left, right, f = tree
    found = reached(left, x) if f(x) >= 0 else set()
    return found | (reached(right, x) if f(x) <= 0 else set())


def filter_tree(D: Examples, players: Sequence[int], A: Algorithm) -> ClassTree:
    """The error-correcting tournament of one elimination: neighbours meet, as in `tournament`, and
    a match learns from the examples whose own label has won all its matches before.
    [chang, "Still an ongoing research direction"]"""
    sides: list[ClassTree] = list(players)
    while len(sides) > 1:
        pairs = list(zip(sides[::2], sides[1::2]))
        rest = sides[2 * len(pairs) :]
        sides = []
        for left, right in pairs:
            S: list[tuple[Vector, int]] = []
            for x, y in D:
                if y in reached(left, x):
                    S.append((x, +1))
                if y in reached(right, x):
                    S.append((x, -1))
            sides.append((left, right, A(S)))
        sides += rest
    return sides[0]


def label_tree(D: Examples, labels: Sequence[int], A: Algorithm, confusion: Matrix) -> ClassTree:
    """The labels are halved so that those of the two halves are confused least, and so on in each
    half; confusion[p][q]: how often q is predicted for p.
    [chang, "Still an ongoing research direction"]"""
    if len(labels) == 1:
        return labels[0]
    halves = list(combinations(labels, len(labels) // 2))

    def across(half: Sequence[int]) -> Number:
        rest = [q for q in labels if q not in half]
        return sum(confusion[p][q] + confusion[q][p] for p in half for q in rest)

    left = min(halves, key=across)
    right = [q for q in labels if q not in left]
    S = [(x, +1 if y in left else -1) for x, y in D if y in labels]
    return label_tree(D, left, A, confusion), label_tree(D, right, A, confusion), A(S)
