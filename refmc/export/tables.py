"""The tables of a predictor: what every back end writes, each in its language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.ties import first, last, refuse
from refmc.errors import ParameterError
from refmc.export.predictor import (
    Best,
    Cut,
    Form,
    Majority,
    Member,
    Monomial,
    Predictor,
    Question,
    Side,
    Voter,
)
from refmc.export.whole import ROWS, cut_at, whole_forms, whole_weights
from refmc.learn.trees.questions import short_number

POLICIES = {"first": first, "last": last, "refuse": refuse}
"""The tie policies that can be exported, by name."""


class Asked(NamedTuple):
    """A question: its kind, its column, what is compared, the answer at 0, and all in words.

    `at`: T of a cut; the position in `members` or `forms`; or, of a majority, where its voters
    begin, of which `column` is the end.
    """

    kind: str
    column: int
    at: Any
    at_zero: int
    text: str


@dataclass
class Tables:
    """A predictor in whole numbers.

    `unit`: what 1 in a row is in the model's units. `voters`: those of the decision, then those of
    each majority, as question, weight and counts. `nodes`: question or None, no, yes, classes.
    """

    name: str
    predictor: Predictor
    rows: str
    decimals: int | None
    tie: str
    unit: Fraction
    questions: list[Asked] = field(default_factory=list)
    members: list[list[int]] = field(default_factory=list)
    monomials: list[Monomial] = field(default_factory=list)
    forms: list[list[int]] = field(default_factory=list)
    voters: list[tuple[int, int, tuple[int, ...]]] = field(default_factory=list)
    nodes: list[tuple[int | None, int, int, tuple[int, ...]]] = field(default_factory=list)
    _place: dict[Question, int] = field(default_factory=dict)

    @property
    def degree(self) -> int:
        """The most columns in a monomial."""
        return max(map(len, self.monomials), default=1) or 1

    def title(self, column: int) -> str:
        """The name of a column, quoted in ASCII."""
        columns = self.predictor.columns
        return json.dumps(columns[column]) if columns else f"x{column}"

    def ask(self, question: Question) -> int:
        """The position of a question among the others."""
        if question not in self._place:
            asked = self._asked(question)
            self._place[question] = len(self.questions)
            self.questions.append(asked)
        return self._place[question]

    def _asked(self, question: Question) -> Asked:
        match question:
            case Cut(_, None):
                return Asked("cut", 0, cut_at(question, self.rows, self.unit), 0, "always")
            case Cut(j, threshold, strict):
                assert threshold is not None
                text = f"{self.title(j)} {'<' if strict else '<='} {short_number(threshold)}"
                return Asked("cut", j, cut_at(question, self.rows, self.unit), 0, text)
            case Member(j, values, unseen):
                names = self.predictor.categories[j] or ()
                self.members.append([int(name in values) for name in names])
                text = f"{self.title(j)} in {json.dumps(values)}"
                return Asked("member", j, len(self.members) - 1, unseen, text)
            case Side(form, at_zero):
                self._write([form])
                return Asked("side", 0, len(self.forms) - 1, at_zero, f"form {len(self.forms) - 1}")
            case Majority(voters):
                start, stop = self._vote(voters, [0])
                return Asked("majority", stop, start, 0, f"votes {start} to {stop - 1}")

    def _write(self, forms: Sequence[Form]) -> None:
        for form in whole_forms(forms, self.unit):
            self.monomials += [m for m in form if m not in self.monomials]
            self.forms.append([form.get(m, 0) for m in self.monomials])

    def _vote(self, voters: Sequence[Voter], present: Sequence[int]) -> tuple[int, int]:
        weights = whole_weights(self.predictor, voters, present)
        start = len(self.voters)
        self.voters += [(0, weight, v.counts) for weight, v in zip(weights, voters)]
        for i, (weight, v) in enumerate(zip(weights, voters), start):
            self.voters[i] = (self.ask(v.question), weight, v.counts)
        return start, start + len(voters)


def tables_of(
    predictor: Predictor, name: str, rows: str | None, decimals: int | None, tie: str | None
) -> Tables:
    """The tables; `ParameterError` for rows or a policy that the predictor can't have."""
    named = tie or next((n for n, f in POLICIES.items() if f is predictor.tie), None)
    if named not in POLICIES:
        raise ParameterError(
            "tie: a function of the caller's can't be exported; expected first, last or refuse"
        )
    read = rows or (
        "float32" if predictor.single else "doubles" if predictor.floats else "decimals"
    )
    if read not in ROWS:
        raise ParameterError(f"rows: expected {', '.join(ROWS)}, got {rows!r}")
    if predictor.adds_columns and read == "float32":
        raise ParameterError("rows: float32 is for questions about single columns; this model adds")
    if decimals is not None and (rows or predictor.single or not 0 <= decimals <= 300):
        raise ParameterError("decimals: expected 0 to 300, without rows, and no single precision")
    if decimals is not None or predictor.adds_columns:
        read = "doubles"
    unit = Fraction(1, 10 ** (decimals or 0))
    tables = Tables(name, predictor, read, decimals, named, unit)
    decision = predictor.decision
    if isinstance(decision, Best):
        tables._write(decision.forms)
        tables._vote(decision.voters, decision.present)
    else:
        for question, no, yes, classes in decision.nodes:
            asked = None if question is None else tables.ask(question)
            tables.nodes.append((asked, no, yes, classes))
    if tables.forms and not tables.monomials:
        tables.monomials.append(())
    tables.forms = [row + [0] * (len(tables.monomials) - len(row)) for row in tables.forms]
    return tables
