"""What the SVMs share: the problem as it was read, C, and what answers claim beside the model."""

from fractions import Fraction
from typing import Any, Generic, NamedTuple, TypeVar

from refmc.core.sample import Label
from refmc.oracle.declaring import claim, number_at, positive
from refmc.oracle.fields import Reading
from refmc.oracle.forms import NUMBER
from refmc.oracle.reading import Rows, row_of

P = TypeVar("P")


class SVMProblem(NamedTuple, Generic[P]):  # which is imported faster than a dataclass
    """The checker's problem, and the rows and labels as the learner takes them.

    Where the problem gives features, each of the `rows` holds only its own position, by which the
    learner's Ψ finds its vectors.
    """

    asked: P
    rows: Rows
    classes: tuple[Label, ...]
    labels: list[Label]


C = positive("C", "a positive number", power=-2, draws=["1", "1/4", "10"])
VALUES = [
    claim(name, "claimed optimal values", NUMBER, number_at, power=-2)
    for name in ("objective", "primal", "dual")
]


def per_row(value: object, place: str, reading: Reading) -> list[Fraction]:
    """A number for each row of the problem."""
    return row_of(value, place, reading.about.rows.m)


def values_of(model: Any) -> dict[str, object]:
    """The values that prove a model to be optimal, by their names in an answer."""
    proof = model.certificate
    return {"objective": model.objective, "primal": proof.primal, "dual": proof.dual}
