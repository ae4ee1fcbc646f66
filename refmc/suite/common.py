"""What the failures of a run have in common, where no named mistake explains them."""

from __future__ import annotations

import contextlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import exp, fsum, lgamma

from refmc.checker.parts import counted
from refmc.core.records import number
from refmc.errors import RefmcError
from refmc.oracle.families import answer_fields, family_of, problem_fields
from refmc.suite.corpus import FLAGS
from refmc.suite.running import Case, Result
from refmc.suite.settings import settings

FAILED = ("refuted", "crashed", "known")
"""The outcomes that need a cause."""

ASKED_AGAIN = 5
"""So many wrong answers of a family are asked for once more."""

NEARLY_ALL = Fraction(9, 10)
"""The share of the wrong answers of a family that must be wrong in the same place."""

OTHERWISE = {
    "round": "what is chosen",
    "step": "its state",
    "epoch": "mistakes",
    "node": "question",
}
"""The steps of a run or a tree, and what is wrong there if nothing else is said of it."""

SAID = {
    "label": "label",
    "is a leaf": "that it is a leaf",
    "is split": "that it is split",
    "and": "the order of the splits",
    "has to": "what is collapsed",
    "must": "what is collapsed",
    "has no leaf": "the leaves",
    "has": "the number of leaves or splits",
    "lam": "lam",
    "risk": "risk",
    "G": "risk",
}
"""What is wrong by the first words of what is told."""

LEAST_WRONG, MOST_RIGHT, CHANCE = 5, Fraction(3, 10), 1e-6
"""What is common is told of so many wrong answers, if at most this share of the right ones has it,
and if the probability that it is chance is at most this."""

KINDS: dict[str, Callable[[str, Fraction], bool]] = {
    "a number written as a fraction": lambda text, q: "/" in text,
    "a number written as a decimal": lambda text, q: "." in text and "x" not in text,
    "a number written in hexadecimal": lambda text, q: "x" in text,
    "a negative number": lambda text, q: q < 0,
    "a number that is not whole": lambda text, q: q.denominator > 1,
    "a number of 2^40 or more": lambda text, q: abs(q) >= 2**40,
    "a number of 2^-40 or less, but not 0": lambda text, q: 0 < abs(q) <= Fraction(1, 2**40),
}
"""The kinds of numbers that programs treat differently."""


def numbers_in(value: object) -> Iterator[tuple[str, Fraction]]:
    """The numbers in lists and objects, each as it is written and as it is."""
    if isinstance(value, (list, dict)):
        for entry in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(entry)
    elif value is not None and not isinstance(value, bool):
        with contextlib.suppress(RefmcError):  # a name
            yield str(value), number(value, "")


def common(results: Iterable[Result]) -> list[str]:
    """What the failures of a run have in common, and hardly a right answer has, if anything.

    That is a setting, a flag or a kind of number which all failures have and few right answers do,
    or half of the failures and no right answer. Of several, the one is told that chance makes
    least, by Fisher's exact test.
    """
    found = [result for result in results if result.outcome in (*FAILED, "verified")]
    families = {result.case.family for result in found if result.outcome in FAILED}
    wrong, right = list[set[str]](), list[set[str]]()
    for result in found:
        if result.case.family in families:
            (right if result.outcome == "verified" else wrong).append(_features(result))
    best, told = CHANCE, list[str]()
    for feature in sorted(set[str]().union(*wrong)):
        a, b = (sum(feature in features for features in group) for group in (wrong, right))
        is_common = a == len(wrong) and b <= MOST_RIGHT * len(right)
        if len(wrong) < LEAST_WRONG or not (is_common or (2 * a >= len(wrong) and not b)):
            continue
        p = _chance(a, b, len(wrong), len(right))
        if p < best:
            of_right = f"{b} of the {counted(len(right), 'right answer')} of their families"
            best, told = p, [f"{a} of the {len(wrong)} failures have {feature}, and {of_right}"]
    return told


def kept_from_before(failed: Sequence[Result], alone: Callable[[Case], Result]) -> dict[str, int]:
    """The families whose last wrong answers are right if a program is asked that was asked nothing
    before, each with how many these are: nothing else need be wrong with them.

    They are asked for one by one, until one is wrong again.
    """
    found = dict[str, int]()
    for family in dict.fromkeys(result.case.family for result in failed):
        about = [r for r in failed if r.case.family == family and r.answer is not None]
        asked = about[::-1][:ASKED_AGAIN]
        if asked and all(alone(r.case).outcome in ("verified", "fixed") for r in asked):
            found[family] = len(asked)
    return found


def kept_text(kept: Mapping[str, int]) -> str:
    """What is told of these families."""
    return (
        f"{counted(sum(kept.values()), 'wrong answer')} of {', '.join(kept)} were asked for again, "
        "each of a program that is started anew, and all are right then: it keeps something from "
        "one problem to the next, or leaves something to chance"
    )


def wrong_places(results: Iterable[Result]) -> Iterator[str]:
    """Where the refuted answers of a family are wrong, if it is the same in nearly all of them.

    That is what is not right by itself, beside fields that are; and of what has steps, such as
    rounds or nodes, the first thing that does not fit what is submitted before it.
    """
    families: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.verdict is not None and result.verdict.status == "REFUTED":
            families[result.case.family].append(result)
    for family, refuted in families.items():
        for told in (_of_fields, _of_steps):
            [(text, count)] = Counter(map(told, refuted)).most_common(1)
            if text and len(refuted) > 1 and count >= NEARLY_ALL * len(refuted):
                yield f"in {count} of the {len(refuted)} refuted answers of {family} {text}"


def _of_fields(result: Result) -> str:
    """Which fields are wrong beside others that are right, if there are both."""
    problem, answer, verdict = result.case.problem, result.answer or {}, result.verdict
    assert verdict is not None
    known, judge = answer_fields(problem), family_of(result.case.family).judge
    right, others = dict[str, object](), [n for n in answer if n in known and known[n].is_judged]
    for name in others * 2:  # some are no answer by themselves
        if name not in right:
            with contextlib.suppress(RefmcError):
                more = {**right, name: answer[name]}
                right = more if judge(problem, more, verdict.allowed, None) else right
    wrong = [name for name in others if name not in right]
    return f"all is right but {' or '.join(wrong)}" if right and wrong else ""


def _of_steps(result: Result) -> str:
    """What does not fit first, of what has steps; it may be what stands before it that is wrong."""
    assert result.verdict is not None
    found = [
        (v.at[name], name, str(v.at.get("field") or _said(v.text) or OTHERWISE[name]))
        for v in result.verdict.violations
        for name in [name for name in OTHERWISE if name in v.at][:1]
    ]
    first = [(name, what) for step, name, what in found if step == min(found)[0]]
    what = " and ".join(dict.fromkeys(what for _, what in sorted(first)))
    return f"what does not fit, in the first such {first[0][0]}, is {what}" if first else ""


def _said(text: str) -> str:
    return next((said for start, said in SAID.items() if text.startswith(start)), "")


def _features(result: Result) -> set[str]:
    """What may be common: settings, flags and kinds of numbers of a problem.

    The flags of fresh problems are not known: so all of them are taken for flags of a right answer.
    """
    problem, is_right = result.case.sent or result.case.problem, result.outcome == "verified"
    known = problem_fields(problem)
    quantities = {name: value for name, value in problem.items() if known[name].holds_numbers}
    flags = result.case.flags
    if flags is None:
        flags = tuple(FLAGS) if is_right else ()
    found = {f"the setting {told}" for told in settings(result.case.problem)}
    found |= {f"the flag {flag!r}" for flag in flags}
    return found | {
        kind for kind, has in KINDS.items() if any(has(*told) for told in numbers_in(quantities))
    }


def _chance(a: int, b: int, m: int, n: int) -> float:
    """The probability of so uneven a share by chance: of all a + b, at least a among the m."""

    def ways(n: int, k: int) -> float:
        return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)

    most = min(m, a + b)
    terms = (ways(m, x) + ways(n, a + b - x) for x in range(a, most + 1))
    return fsum(exp(term - ways(m + n, a + b)) for term in terms)
