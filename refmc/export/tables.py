"""The tables of a predictor: what every back end writes, each in its language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

from refmc.core.scalars import shown
from refmc.core.ties import first, last, refuse
from refmc.errors import ParameterError
from refmc.export.predictor import (
    ALWAYS,
    Best,
    Cut,
    Member,
    Monomial,
    Predictor,
    Question,
    Score,
    Sign,
)
from refmc.export.whole import ROWS, cut_at, whole_scores
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
    each majority, as question, weight and counts. `nodes`: question, no and yes, or −1 and a
    position in `ends`, which have 1 for their classes. `voting`: how many voters the decision has;
    `summing`: whether it has forms, the first ones.
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
    start: int = 0
    nodes: list[tuple[int, int, int]] = field(default_factory=list)
    ends: list[list[int]] = field(default_factory=list)
    voting: int = 0
    present: str = ""
    summing: bool = False
    _place: dict[Question, int] = field(default_factory=dict)

    @property
    def degree(self) -> int:
        """The most columns in a monomial."""
        return max(map(len, self.monomials), default=1) or 1

    @property
    def flags(self) -> list[tuple[int, str]]:
        """The categories for which a factor of a monomial is 1."""
        factors = dict.fromkeys(f for monomial in self.monomials for f in monomial)
        return [f for f in factors if not isinstance(f, int)]

    def truths(self) -> list[str]:
        """The words that are true of it, for the parts of templates."""
        is_exact = not self.predictor.floats and self.decimals is None
        meaning = "ties" if is_exact and any(map(any, self.forms)) else self.rows
        words = {
            "sums": self.forms or self.voters,
            "products": self.degree > 1,
            "flags": self.flags,
            "categories": any(names is not None for names in self.predictor.categories),
            "both": any(asked.kind != "cut" and not asked.at_zero for asked in self.questions),
            "scaled": self.decimals is not None,
            "rounded": self.predictor.floats and (self.forms or self.voters),
        }
        kinds = [asked.kind for asked in self.questions]
        true = (word for word, yes in (vars(self) | words).items() if yes)
        return [self.tie, f"as_{meaning}", *kinds, *true]

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
            case Cut(j, threshold, strict):
                text = "always"
                if threshold is not None:
                    text = f"{self.title(j)} {'<' if strict else '<='} {short_number(threshold)}"
                return Asked("cut", j, question, 0, text)
            case Member(j, values, unseen):
                names = self.predictor.categories[j] or ()
                self.members.append([int(name in values) for name in names])
                text = f"{self.title(j)} in {json.dumps(values)}"
                return Asked("member", j, len(self.members) - 1, unseen, text)
            case Sign(score, at_zero):
                start, stop = self.add([score], [0])
                if _votes([score]):
                    return Asked("majority", stop, start, at_zero, f"votes {start} to {stop - 1}")
                return Asked("side", 0, start, at_zero, f"form {start}")

    def add(self, scores: Sequence[Score], present: Sequence[int]) -> tuple[int, int]:
        """Where scores of one kind, forms or votes, begin and end among the others."""
        terms: list[Any] = list(dict.fromkeys(term for score in scores for term, _ in score))
        if len({isinstance(term, Question) for term in terms}) > 1:
            raise ParameterError("binary: sums of votes and of columns can't be exported")
        whole = whole_scores(self.predictor, scores, present, self.unit)
        if not _votes(scores):
            start = len(self.forms)
            self.monomials += [m for m in terms if m not in self.monomials]
            self.forms += [[score.get(m, 0) for m in self.monomials] for score in whole]
            return start, len(self.forms)
        rows = [(t, n) for t in terms for n in sorted({abs(s.get(t, 0)) for s in whole} - {0})]
        start, stop = len(self.voters), len(self.voters) + len(rows)
        self.voters += [(0, 0, ())] * len(rows)  # those of questions in them stand behind
        for i, (term, size) in enumerate(rows, start):
            votes = [score.get(term, 0) for score in whole]
            counts = tuple((n == size) - (n == -size) for n in votes)
            self.voters[i] = self.ask(term), size, counts
        return start, stop


def tables_of(
    predictor: Predictor, name: str, rows: str | None, decimals: int | None, tie: str | None
) -> Tables:
    """The tables of a predictor for a file of this name; settings and errors as `export_model`."""
    own = next((n for n, policy in POLICIES.items() if policy is predictor.tie), None)
    usual = "float32" if predictor.single else "doubles" if predictor.floats else "decimals"
    if decimals is not None and (rows or predictor.single or decimals not in range(301)):
        raise ParameterError("decimals: expected 0 to 300, without rows, and no single precision")
    read = known("rows", rows or usual, ROWS) if decimals is None else "doubles"
    unit = Fraction(1, 10 ** (decimals or 0))
    tables = Tables(name, predictor, read, decimals, known("tie", tie or own, POLICIES), unit)
    decision = predictor.decision
    if isinstance(decision, Best):
        tables.present = ", ".join(map(str, decision.present))
        for stage in sorted(filter(any, decision.stages), key=_votes):  # so that forms stand first
            if tables.voting:
                raise ParameterError("decide: sums of votes after votes can't be exported")
            _, stop = tables.add(stage, decision.present)
            tables.voting, tables.summing = (stop, tables.summing) if _votes(stage) else (0, True)
    else:
        tables.ask(decision.nodes[decision.start].question or ALWAYS)
        place = {node: i for i, node in enumerate(decision.nodes)}
        tables.start = place[decision.start]
        ends: dict[tuple[int, ...], int] = {}
        for question, no, yes, classes in decision.nodes.values():
            if question is None:
                tables.nodes.append((-1, ends.setdefault(classes, len(ends)), 0))
            else:
                tables.nodes.append((tables.ask(question), place[no], place[yes]))
        every = range(len(predictor.classes))
        tables.ends = [[int(c in classes) for c in every] for classes in ends]
    if tables.forms and not tables.monomials:
        tables.monomials.append(())
    tables.forms = [row + [0] * (len(tables.monomials) - len(row)) for row in tables.forms]
    if any(map(any, tables.forms)):  # columns are added as they are
        if read == "float32":
            raise ParameterError("rows: float32 is for questions about single columns alone")
        tables.rows = "doubles"
    for i, asked in enumerate(tables.questions):
        if asked.kind == "cut":
            tables.questions[i] = asked._replace(at=cut_at(asked.at, tables.rows, unit))
    return tables


def known(name: str, value: Any, choices: Iterable[str]) -> str:
    """The value of a setting if it is one of these, else `ParameterError`."""
    if value not in list(choices):
        raise ParameterError(f"{name}: expected {', '.join(choices)}, got {shown(value)}")
    return str(value)


def _votes(stage: Sequence[Score]) -> bool:
    return any(isinstance(term, Question) for score in stage for term, _ in score)
