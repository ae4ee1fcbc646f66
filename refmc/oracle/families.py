"""The families of problems, and the module that serves each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple, Protocol

from refmc.checker import Verdict
from refmc.core.records import Record, parse_json
from refmc.core.scalars import shown
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError

if TYPE_CHECKING:
    from refmc.oracle.fields import Declared, Field
    from refmc.oracle.rows import OnStep, Row

    class Solve(Protocol):
        """Solves a problem; where it has a choice the policy chooses, the first by default."""

        def __call__(
            self, problem: Record, on_step: OnStep | None, tie: TiePolicy = first
        ) -> dict[str, object]: ...


class Family(NamedTuple):
    """What a family of problems can do.

    `read` refuses a malformed problem; `solve` gives the answer in JSON types, numbers as text;
    `trace` gives a row of named values for each step; the policy chooses where it has a choice.
    """

    read: Callable[[Record], object]
    judge: Callable[[Record, Record, Fraction, OnStep | None], Verdict]
    solve: Solve
    trace: Callable[[Record, TiePolicy], Iterator[Row]]


SERVED = {
    "svm.multiclass": ["svm.multiclass"],
    "svm.binary": ["svm.binary", "svm.hard"],
    "svm.qp": ["qp.convex"],
    "trees.reference": ["tree.grow", "tree.prune"],
    "boosting.reference": ["boost.ada", "boost.mh"],
    "online.perceptron": ["perceptron.binary", "perceptron.kernel", "perceptron.multiclass"],
    "online.sgd": ["sgd.binary", "sgd.multiclass"],
    "values.losses": [
        *("loss.hinge", "loss.perceptron", "loss.exponential", "loss.logistic", "loss.margin"),
        *("loss.multiclass_hinge", "loss.multiclass_hinge_sum", "loss.zero_one", "loss.hamming"),
    ],
    "values.decoding": ["code.decode", "ovo.decode", "ova.decode"],
    "values.nodes": ["nodes.decode"],
    "values.bounds": [
        *("bound.rademacher", "bound.margin", "bound.kernel_rademacher", "bound.kernel_margin"),
        *("bound.perceptron", "bound.adaboost"),
    ],
}
"""The families that each module serves."""

FAMILIES = {family: module for module, families in SERVED.items() for family in families}
"""The module of each family, which is imported when a problem of it comes.

It has `read_problem`, `judge`, `solve`, whose values are numbers as they are, and `trace`;
`DECLARED`, the fields of its problems and answers; and `DEFS` where these name others.
"""


def family_of(name: str) -> Family:
    """The family of a name in `FAMILIES`."""
    module = import_module(f"refmc.oracle.{FAMILIES[name]}")

    def solve(problem: Record, on_step: OnStep | None, tie: TiePolicy = first) -> dict[str, object]:
        from refmc.oracle.rows import recorded  # checks write nothing

        found = module.solve(problem, on_step, tie)
        return {field: recorded(value) for field, value in found.items()}

    return Family(module.read_problem, module.judge, solve, module.trace)


def declared(name: str) -> tuple[Sequence[Declared], Sequence[Declared]]:
    """The fields of the problems of a family and of its answers, each in the forms it may have."""
    module = import_module(f"refmc.oracle.{FAMILIES[name]}")
    found: tuple[Sequence[Declared], Sequence[Declared]] = module.DECLARED[name]
    return found


def declared_for(problem: Record) -> Declared:
    """The fields of the problems that have the form of this one; of the first form, if none has."""
    problems, _ = declared(str(problem["family"]))
    return next((known for known in problems if known.fits(problem)), problems[0])


def problem_fields(problem: Record) -> dict[str, Field[object]]:
    """The fields of the problems that have the form of this one, by their names."""
    return declared_for(problem).by_name


def answer_fields(problem: Record) -> dict[str, Field[object]]:
    """The fields that answers to a problem may have, by their names."""
    _, answers = declared(str(problem["family"]))
    return {name: field for known in answers for name, field in known.by_name.items()}


def read_record(problem: Record | str) -> tuple[Record, Family]:
    """The record of a problem and its family; `FormatError` for an unknown one."""
    record = as_record(problem, "problem")
    if "family" not in record:
        told = f"; its fields are {shown([*record])}" if record else ""
        raise FormatError(f"problem: field 'family' is missing{told}")
    name = record["family"]
    if not isinstance(name, str) or name not in FAMILIES:
        raise FormatError(f"problem.family: unknown {shown(name)}; known: {', '.join(FAMILIES)}")
    return record, family_of(name)


def as_record(source: Record | str, name: str) -> Record:
    """A record that is given as such or as JSON text; `FormatError` for anything else.

    >>> as_record('{"w": ["1"]}', "answer")
    {'w': ['1']}
    """
    if isinstance(source, str):
        return parse_json(source, name)
    if not isinstance(source, Mapping):
        raise FormatError(f"{name}: expected an object, got {type(source).__name__}")
    return source


def default_gap(family: str) -> Fraction:
    """The default gap: what solvers reach of an optimum, and what floats can compute.

    >>> default_gap("svm.hard"), default_gap("boost.mh")
    (Fraction(1, 1000000), Fraction(1, 1000000000))
    """
    return Fraction(1, 10**6 if family.startswith(("svm.", "qp.")) else 10**9)
