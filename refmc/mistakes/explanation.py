"""What explains a refuted answer: mistakes for which it is right, or nearly.

An answer that is refuted may be right for a neighbouring problem (C divided by the number of rows),
or in another convention (signed multipliers). Nothing but the family's own judge decides that: it
judges the changed answer for the changed problem. How much of the gap is left there says how well
the mistake explains the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import inf, log2

from refmc.checker import Verdict
from refmc.checker.printing import decimal_text, short_text
from refmc.core.definiteness import quadratic_form
from refmc.core.linalg import dot
from refmc.core.records import Record, items, matrix, number, numbers, read_object
from refmc.errors import RefmcError
from refmc.mistakes.fields import without
from refmc.mistakes.mistake import Mistake
from refmc.mistakes.ruled_out import Screen, is_value_of_weights
from refmc.mistakes.weights import belong_together, given_by_weights
from refmc.oracle.axes import sizes
from refmc.oracle.families import family_of
from refmc.oracle.forms import REMARKS

EXPLAINED = Fraction(1, 100)
"""The share of a gap that a mistake may leave if it is to explain an answer that isn't exact."""

HALF = Fraction(1, 2)
"""A cause must leave less than this share of the gap; where one alone does, no two are told."""

MOST_WORK = 2_000_000
"""The work that judging all neighbouring problems together may take, as `work` counts it."""

LEAST_WORK = 5_000
"""The work that every judging takes, however small the problem is."""

STEP_WORK = 50
"""The work of one number of a state at one step of a run: products, sizes and comparisons."""

BEYOND_CHANCE = 3
"""The least information, in bits, that refuted labels must carry. With less of it, a rule may fit
them by chance, as several are tried."""

ROUNDED = Fraction(1, 10**12)
"""What rounding or logarithms may leave of a right answer."""

OF_OPTIMA = ("svm.", "qp.")
"""Families with an optimum, near which a solver ends; a run is followed, or it isn't."""

OPTIMAL_VALUES = ("objective", "primal", "dual")
"""What an answer may claim of the optimum, which the problem alone decides."""

WHATEVER_THE_RULE = ("votes", "sums")
"""Fields that an answer may have beside its labels and that no rule of one-vs-one changes."""

ON_THEIR_OWN = ("subgradients", "sums")
"""Fields that programs compute apart from the others, so that either may be right alone."""


@dataclass(frozen=True)
class Judged:
    """A problem, an answer to it, and the verdict."""

    problem: Record
    answer: Record
    verdict: Verdict

    @cached_property
    def screen(self) -> Screen:
        """What rules out neighbours; the scale of a gap of weights is the optimum."""
        found = self.verdict
        is_known = found.least is None and found.gap is not None and found.gap == found.apart
        return Screen(self.problem, found.scale if is_known else None)

    @cached_property
    def label_bits(self) -> float:
        """How much refuted labels tell, in bits; inf where more than labels was refuted.

        A wrong label carries log₂ k bits of information for k classes, a wrong set of labels k
        bits, and whether rows are separable one. Another rule may fit a few of them by chance.
        """
        problem, answer, verdict = self.problem, self.answer, self.verdict
        if {*answer} - {"family", *REMARKS} == {"separable"}:
            return 1
        places = {violation.place for violation in verdict.violations}
        plain_rows = all(place.removeprefix("row ").isdigit() for place in places)
        others = set(answer) - {"labels", "label_sets", *WHATEVER_THE_RULE, *REMARKS}
        if not places or not plain_rows or others or not {"labels", "label_sets"} & set(answer):
            return inf
        k = class_count(problem)
        return len(places) * (k if "label_sets" in answer else log2(k))

    @cached_property
    def wrong_claims(self) -> list[str]:
        """The claims about the optimum that are wrong."""
        violations, much = self.verdict.violations, EXPLAINED * _worst(self.verdict)
        wrong = [v.at.get("field") for v in violations if v.amount > much]
        return [name for name in OPTIMAL_VALUES if name in wrong and name in self.answer]


@dataclass(frozen=True)
class Explanation:
    """Mistakes, one or several one after another, for which an answer is right or nearly right.

    `verdict` is the verdict on the changed answer, `rewritten`, for the changed problem, `before`
    the one that refuted the answer.
    """

    mistakes: tuple[Mistake, ...]
    problem: Record
    changed: Record
    rewritten: Record
    before: Verdict
    verdict: Verdict

    @property
    def explains(self) -> bool:
        """Whether the answer is right, or nearly all that was wrong with it is gone.

        What is hardly above the allowed gap isn't explained by what takes it just below. Of the
        generic mistakes, which are many, none is told that leaves anything.
        """
        if self.verdict:
            size = size_of(self.before)
            return size <= self.before.allowed or self.left < HALF * size
        is_near = str(self.problem["family"]).startswith(OF_OPTIMA)
        are_generic = any(mistake.is_generic for mistake in self.mistakes)
        return is_near and not are_generic and explains(self.before, self.verdict)

    @property
    def tells(self) -> bool:
        """Whether one answer shows it, where it is told by a remark on the answer."""
        return not self.mistakes[0].is_told_by_remark or "remark" in self.rewritten

    @property
    def is_remark(self) -> bool:
        """Whether it says only which part is off, and not why."""
        return all(mistake.is_remark for mistake in self.mistakes)

    @property
    def left(self) -> Fraction:
        """What remains of the gap: 0 where the answer is exactly right or has no gap."""
        if self.verdict and self.verdict.explained and self.verdict.gap:
            return size_of(self.verdict) * (1 - self.verdict.explained / self.verdict.gap)
        return size_of(self.verdict)

    def text(self) -> str:
        """In words, such as "right if C is halved (C = 1/2), then with a gap of 1e-9"."""
        clause = " and ".join(mistake.sentence for mistake in self.mistakes)
        names = ", ".join(mistake.id for mistake in self.mistakes)
        if self.mistakes[0].is_told_by_remark:
            return f"{self.rewritten['remark']} [{names}]"
        clause += _settings(self.problem, self.changed) + f" [{names}]"
        gap = self.verdict.gap
        if self.problem["family"] == "tree.grow" and len(self.before.violations) == 1:
            return f"one node differs: it may be that {clause}"
        if self.verdict and gap == 0:
            return f"exactly right if {clause}"
        if self.verdict:
            return f"right if {clause}" + (
                "" if gap is None else f", then with a gap of {decimal_text(gap)}"
            )
        assert gap is not None and self.before.gap is not None
        before, after = decimal_text(self.before.gap), decimal_text(gap)
        return f"nearly right if {clause}; of the gap {before} it leaves {after}"


def wrong_part(problem: Record, answer: Record, allowed: Fraction) -> Record:
    """The answer without what is right by itself and computed apart, and without what its wrong
    weights give: that needs no explanation of its own.

    >>> answer = {"values": [0], "subgradients": [-1]}
    >>> wrong_part({"family": "loss.hinge", "z": ["1/2"]}, answer, Fraction(0))
    {'values': [0]}
    """
    if _is_value_of_x(problem, answer) or is_value_of_weights(problem, answer):
        answer = without(answer, "objective")
    judge = family_of(str(problem["family"])).judge
    with suppress(RefmcError):  # what is malformed follows from nothing
        rest = without(answer, *given_by_weights(problem, answer))
        if rest != answer and judge(problem, rest, allowed, None).status == "REFUTED":
            return rest
    own = {name: value for name, value in answer.items() if name in ON_THEIR_OWN}
    rest = {name: value for name, value in answer.items() if name not in own}
    for part, other in ((own, rest), (rest, own)) if own else ():
        with suppress(RefmcError):  # it is no answer by itself
            if judge(problem, part, allowed, None):
                return other
    return answer


def _is_value_of_x(problem: Record, answer: Record) -> bool:
    """Whether the objective is that of x, which need not be the best x."""
    if problem["family"] != "qp.convex" or not {"x", "objective"} <= answer.keys():
        return False
    x, c = numbers(answer["x"], "answer.x"), numbers(problem["c"], "problem.c")
    value = quadratic_form(matrix(problem["Q"], "problem.Q"), x) / 2 + dot(c, x, Fraction(0))
    off = abs(number(answer["objective"], "answer.objective") - value)
    return off <= ROUNDED * (1 + abs(value))


def explanations(
    refuted: Judged, mistakes: Iterable[tuple[Mistake, ...]]
) -> tuple[list[Explanation], bool]:
    """What explains a refuted answer, best first; of equally good ones the one that is named first.
    Remarks come after all causes. And whether the search stopped before the last mistake.

    Several mistakes in one tuple are tried as one, each after the one before. The search ends with
    an explanation that leaves nothing at all, and stops after `MOST_WORK`. Neighbouring problems
    that can't be judged explain nothing.
    """
    problem, verdict = refuted.problem, refuted.verdict
    answer = wrong_part(problem, refuted.answer, verdict.allowed)
    refuted = Judged(problem, answer, verdict)
    gap = verdict.gap or Fraction(0)
    bits = gap.numerator.bit_length() + gap.denominator.bit_length()
    longer = 1 + bits // 8192  # judging computes with numbers as long as those of the gap
    tries = MOST_WORK // ((LEAST_WORK + work(problem, answer)) * longer**3)
    judged = chain.from_iterable(explained_by(v, refuted) for v in mistakes)
    found, stopped = list[Explanation](), tries == 0
    for tried, explanation in enumerate(judged if tries else (), 1):
        if explanation is not None:
            found.append(explanation)
            if explanation.verdict and explanation.left == 0 and not explanation.is_remark:
                break
        stopped = tried == tries
        if stopped:
            break
    return sorted(found, key=lambda e: (e.is_remark, not e.verdict, e.left)), stopped


def explained_by(mistakes: tuple[Mistake, ...], refuted: Judged) -> Iterator[Explanation | None]:
    """For each neighbour that the mistakes make one after another: an explanation, or None."""
    tried = judged_by(mistakes, refuted)
    return (e if e is not None and e.explains else None for e in tried)


def judged_by(
    mistakes: tuple[Mistake, ...],
    refuted: Judged,
    share: Fraction = EXPLAINED,
    bits: float = BEYOND_CHANCE,
) -> Iterator[Explanation | None]:
    """For each neighbour that the mistakes make one after another: what is left there, if anything.

    Nothing is judged where labels tell less than some bits. None also where weights leave
    more than the share of the gap, which may be seen without training.
    """
    if refuted.label_bits < bits:
        return
    problem, answer, claims = refuted.problem, refuted.answer, refuted.wrong_claims
    try:
        for neighbour, rewritten in _all_changed(mistakes, problem, answer):
            # where neither the problem nor a refuted claim about its optimum has changed, the claim
            # is still wrong, and nothing needs to be judged
            again = any(rewritten.get(name) is answer.get(name) for name in claims)
            if neighbour is problem and again:
                yield None
            else:
                yield _judged(mistakes, refuted, neighbour, rewritten, share)
    except (RefmcError, ArithmeticError):  # this problem has no such neighbour, or none in floats
        return


def _all_changed(
    mistakes: tuple[Mistake, ...], problem: Record, answer: Record
) -> Iterator[tuple[Record, Record]]:
    if not mistakes:
        yield problem, answer
        return
    if problem["family"] not in mistakes[0].families:
        return
    for neighbour, rewritten in mistakes[0].changed(problem, answer):
        yield from _all_changed(mistakes[1:], neighbour, rewritten)


def _judged(
    mistakes: tuple[Mistake, ...],
    refuted: Judged,
    neighbour: Record,
    answer: Record,
    share: Fraction,
) -> Explanation | None:
    problem, before, family = refuted.problem, refuted.verdict, family_of(str(neighbour["family"]))
    try:
        limit = max(before.allowed, size_of(before) * share)
        if refuted.screen.rules_out(neighbour, answer, limit):
            return None
        belongs = belong_together(neighbour, answer)
        if not belongs and share == EXPLAINED:  # nothing else is asked for
            return None
        if neighbour is not problem and neighbour["family"] == "tree.grow":
            from refmc.mistakes.tree_parts import Parts, with_values  # no other family needs trees

            # the rows of another problem may be cut where nobody would have put a threshold
            tree = read_object(answer.get("tree"), "answer.tree")
            if not Parts(neighbour, tree).has_due_thresholds:
                return None
            answer = {**answer, "tree": with_values(neighbour, tree)}
        elif neighbour is not problem and "rounds" in answer:
            from refmc.mistakes.boosting import with_values_of_stumps  # nor stumps

            answer = with_values_of_stumps(neighbour, answer) or answer
        after = family.judge(neighbour, answer, before.allowed, None)
        if explains(before, after) and not belongs:
            return None
    except RefmcError:
        return None
    return Explanation(mistakes, problem, neighbour, answer, before, after)


def explains(before: Verdict, after: Verdict) -> bool:
    """Whether an answer is right, or nearly all that was wrong with it is gone.

    >>> right = Verdict("VERIFIED", "f", "", Fraction(0), Fraction(0), None)
    >>> explains(right, right)
    True
    """
    if after:
        return True
    if before.gap is None or after.gap is None:
        return False
    if before.violations and after.violations and _worst(after) > EXPLAINED * _worst(before):
        return False
    return size_of(before) > 0 and size_of(after) <= EXPLAINED * size_of(before)


def _worst(verdict: Verdict) -> Fraction:
    return max((v.amount for v in verdict.violations), default=Fraction(0))


def class_count(problem: Record) -> int:
    """The number of classes of a problem about labels.

    >>> pairs = {"family": "ovo.decode", "pairs": [[1, 2, 3]]}
    >>> class_count({"family": "tree.grow", "y": ["a", "b", "a"]}), class_count(pairs)
    (2, 3)
    """
    known = sizes(problem).get("classes")
    return known or max(2, len({*map(str, items(problem.get("y", ()), "problem.y"))}))


def work(problem: Record, answer: Record) -> int:
    """About how many numbers one judging looks at.

    >>> work({"family": "svm.binary", "X": [[1, 2], [3, 4]], "y": [1, -1], "C": 1}, {"w": [0, 0]})
    16
    """
    cells = _count(problem)
    family = str(problem["family"])
    if family.startswith(("svm.", "qp.")):
        m = max(_length(problem.get(name)) for name in ("X", "gram", "features", "Q"))
        has_kernel = problem.get("kernel", "linear") != "linear"
        return (cells + m * m * has_kernel) * m
    if family.startswith("boost."):
        rounds = 1 + _length(answer.get("rounds"))
        return cells * class_count({**problem, "y": problem.get("y", [0])}) * rounds
    if family.startswith(("perceptron.", "sgd.")):
        steps = max(_length(problem.get("draws")), _number(problem.get("T", 1)))
        steps = max(steps, _number(problem.get("epochs", 1)) * _length(problem.get("y")))
        name = next(name for name in ("X", "features", "gram") if name in problem)
        width = _count(items(problem[name], "rows")[0])
        return cells + STEP_WORK * steps * width * class_count(problem)
    return cells + _count(answer)


def _number(value: object) -> int:
    return int(number(value, "a number of steps"))


def _length(value: object) -> int:
    return len(value) if isinstance(value, (list, tuple)) else 0


def _count(value: object) -> int:
    if isinstance(value, dict):
        return sum(map(_count, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_count, value))
    return 1


def size_of(verdict: Verdict) -> Fraction:
    """The gap, relative where the problem has a scale."""
    if verdict.relative is not None:
        return verdict.relative
    return Fraction(0) if verdict.gap is None else verdict.gap


def _settings(problem: Record, neighbour: Record) -> str:
    """The settings that differ, such as " (C = 1/3)"; nothing where other fields differ, too."""
    names = [
        n for n in {**problem, **neighbour} if problem.get(n, ...) is not neighbour.get(n, ...)
    ]
    changed = [neighbour.get(name) for name in names]
    if not names or any(isinstance(v, (type(None), list, tuple, dict)) for v in changed):
        return ""
    return f" ({', '.join(f'{n} = {_short(v)}' for n, v in zip(names, changed))})"


def _short(value: object) -> str:
    """A setting as the format writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return short_text(value) if isinstance(value, (int, Fraction)) else str(value)
