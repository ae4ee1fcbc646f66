"""The points that an SVM or a kernel perceptron is given, as integers over one denominator.

K_ij      x_i·x_j in the feature space: of the rows, of a polynomial kernel, or of a Gram matrix
ε         what is added to the diagonal of K where it is positive semi-definite up to rounding only
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Generic, NamedTuple, TypeVar

from refmc.checker.numbers.arithmetic import (
    Matrix,
    Rows,
    asymmetry,
    dot,
    raised,
    rows_times_rows,
    to_matrix,
)
from refmc.checker.numbers.definiteness import definiteness, quadratic_form
from refmc.checker.printing import number_text, short_text
from refmc.checker.verdict import Violation


class Kernel(NamedTuple):
    """A kernel by its name in `KERNELS`, with its parameters by theirs.

    >>> Kernel("linear", {}).name
    'linear'
    """

    name: str
    parameters: Mapping[str, Fraction]


LINEAR = Kernel("linear", {})


# Only its children are made, which have the methods that are left out here.
@dataclass(frozen=True, kw_only=True, init=False, repr=False, eq=False)
class OnRows:
    """A problem on rows X with a kernel, or on a Gram matrix alone."""

    X: Rows | None = None
    gram: Rows | None = None
    kernel: Kernel = LINEAR


P = TypeVar("P", bound=OnRows)


class Prepared(NamedTuple, Generic[P]):
    """The rows (linear kernel) or the Gram matrix as integers, and the squared norms K_ii.

    `shift` is the ε that the Gram matrix holds already.
    """

    problem: P
    rows: Matrix | None
    gram: Matrix | None
    squared_norms: tuple[Fraction, ...]
    shift: Fraction = Fraction(0)


def prepare(problem: P) -> Prepared[P]:
    """Bring the problem to integers; for the linear kernel no Gram matrix is formed.

    >>> from refmc.checker.svm.binary_points import BinaryProblem
    >>> prepare(BinaryProblem(X=[[Fraction(1, 2), 1]], y=(1,))).squared_norms
    (Fraction(5, 4),)
    """
    if problem.X is not None and problem.gram is None and problem.kernel.name == "linear":
        rows = to_matrix(problem.X)
        den = rows.den * rows.den
        return Prepared(problem, rows, None, tuple(Fraction(dot(r, r), den) for r in rows.rows))
    gram = gram_of(problem)
    return Prepared(problem, None, gram, _diagonal(gram))


def gram_of(problem: OnRows) -> Matrix:
    """The Gram matrix that is given, or the kernel's values for all pairs of rows.

    >>> from refmc.checker.svm.binary_points import BinaryProblem
    >>> gram_of(BinaryProblem(X=[[1], [2]], y=(1, -1))).rows
    ((1, 2), (2, 4))
    """
    if problem.gram is not None:
        return to_matrix(problem.gram)
    assert problem.X is not None
    return KERNELS[problem.kernel.name].values(to_matrix(problem.X), problem.kernel.parameters)


def _diagonal(gram: Matrix) -> tuple[Fraction, ...]:
    return tuple(gram.entry(i, i) for i in range(len(gram.rows)))


def squared_distance(data: Prepared[P], i: int, j: int) -> Fraction:
    """‖x_i − x_j‖², in the feature space.

    >>> from refmc.checker.svm.binary_points import BinaryProblem
    >>> squared_distance(prepare(BinaryProblem(X=[[1], [3]], y=(1, 1))), 0, 1)
    Fraction(4, 1)
    """
    if data.gram is not None:
        product = data.gram.entry(i, j)
    else:
        assert data.rows is not None
        rows = data.rows
        product = Fraction(dot(rows.rows[i], rows.rows[j]), rows.den * rows.den)
    return data.squared_norms[i] + data.squared_norms[j] - 2 * product


def polynomial_gram(rows: Matrix, parameters: Mapping[str, Fraction]) -> Matrix:
    """All values (x·x′/scale + offset)^degree.

    >>> polynomial_gram(Matrix(((1,), (2,)), 1), {"degree": 2, "scale": 1, "offset": 1})
    Matrix(rows=((4, 9), (9, 25)), den=1)
    """
    degree, scale, offset = int(parameters["degree"]), parameters["scale"], parameters["offset"]
    products = rows_times_rows(rows, rows)
    factor = scale.denominator * offset.denominator * (1 if scale > 0 else -1)
    den = products.den * abs(scale.numerator) * offset.denominator
    shift = offset.numerator * products.den * abs(scale.numerator)
    powers = tuple(tuple((v * factor + shift) ** degree for v in r) for r in products.rows)
    return Matrix(powers, den**degree)


class Form(NamedTuple):
    """What the checker knows of a kernel: its values for all pairs of rows, and for which
    parameters they are positive semi-definite on every sample, so that no matrix needs a proof."""

    values: Callable[[Matrix, Mapping[str, Fraction]], Matrix]
    is_semidefinite: Callable[[Mapping[str, Fraction]], bool]


KERNELS: Mapping[str, Form] = {
    "linear": Form(lambda rows, parameters: rows_times_rows(rows, rows), lambda parameters: True),
    "polynomial": Form(polynomial_gram, lambda p: p["scale"] > 0 and p["offset"] >= 0),
}


def semidefinite(data: Prepared[P]) -> Prepared[P] | Violation:
    """The problem with a Gram matrix that is proved positive semi-definite, or why there is none.

    What is negative by rounding only is lifted by a shift.

    >>> from refmc.checker.svm.binary_points import BinaryProblem
    >>> semidefinite(prepare(BinaryProblem(gram=[[1, 2], [2, 1]], y=(1, -1)))).text
    'vᵀKv = -3 for v = (-2, 1)'
    """
    name, parameters = data.problem.kernel
    if data.gram is None:
        return data
    if data.problem.gram is None and KERNELS[name].is_semidefinite(parameters):
        return data
    found = proved_semidefinite(data.gram)
    if isinstance(found, Violation):
        return found
    gram = raised(data.gram, found)
    return data._replace(gram=gram, squared_norms=_diagonal(gram), shift=found)


def proved_semidefinite(K: Matrix, name: str = "Gram matrix") -> Fraction | Violation:
    """The least shift that makes K positive semi-definite, 0 if it is; or why rounding explains
    none.

    >>> proved_semidefinite(to_matrix([[1, 2], [3, 1]])).place
    'Gram matrix at 0, 1'
    """
    pair = asymmetry(K)
    if pair is not None:
        here, there = K.entry(*pair), K.entry(pair[1], pair[0])
        text = f"{short_text(here)} differs from its mirror image {short_text(there)}"
        return Violation(f"{name} at {pair[0]}, {pair[1]}", text, abs(here - there))
    found = definiteness(K)
    if found.shift is not None:
        return found.shift
    assert found.direction is not None
    value = quadratic_form(K, found.direction)
    v = ", ".join(map(number_text, found.direction))
    return Violation(name, f"vᵀKv = {short_text(value)} for v = ({v})", -value)
