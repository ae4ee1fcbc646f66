"""Running a program over problems: what is selected, what came of each, and the exit code."""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import time
import traceback
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import cycle
from queue import SimpleQueue
from typing import Literal, TypeVar, cast, get_args

from refmc import __version__
from refmc.answers import check
from refmc.checker import Verdict
from refmc.checker.printing import gap_text
from refmc.core.printing import printable
from refmc.core.records import Record, parse_json, text
from refmc.core.scalars import Number
from refmc.errors import FormatError, ParameterError, RefmcError
from refmc.oracle.families import FAMILIES, read_record
from refmc.suite.corpus import fits, vectors
from refmc.suite.generating import drawn_problem
from refmc.suite.plain import UNUSUAL, exactly, plain
from refmc.suite.process import Fault
from refmc.suite.protocol import About, Reply, Session
from refmc.suite.scrambling import scrambled
from refmc.suite.settings import lacking, outcomes_of

T = TypeVar("T")

Outcome = Literal["verified", "refuted", "inconclusive", "crashed", "skipped", "known", "fixed"]

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
"""Every selected problem ends as one of these; what is fixed is right, but known as a failure."""

OWN_FAULT, NOTHING_RAN = 70, 5

SEVEREST = {"refuted": 1, "fixed": 1, "crashed": 4, "inconclusive": 3}
"""The exit codes of outcomes, the severest first; a fault of refmc itself comes before them all."""


@dataclass(frozen=True)
class Case:
    """A problem under the name that it is selected by.

    `sent`: the same as the program is given it, where that is written in another way. `unasked`:
    why it isn't given it. `flags`: those of its vector, if it has one.
    """

    id: str
    problem: Record
    sent: Record | None = None
    unasked: str = ""
    flags: tuple[str, ...] | None = None

    @property
    def family(self) -> str:
        """The family of its problem."""
        return str(self.problem["family"])


@dataclass(frozen=True)
class Result:
    """What came of one problem. `reason` says why it isn't plainly verified or refuted.

    `own_fault`: refmc itself failed, and the outcome is inconclusive. `seconds`: how long the
    program was asked.
    """

    case: Case
    outcome: Outcome
    reason: str = ""
    answer: Record | None = None
    verdict: Verdict | None = None
    noise: int = 0
    own_fault: bool = False
    seconds: float = 0

    @property
    def text(self) -> str:
        """The reason, or the gap and what is worst about the answer, in one line.

        The trace of a fault of refmc has lines of its own.
        """
        if self.own_fault:
            return "\n".join(map(printable, self.reason.splitlines()))
        if self.verdict is None or self.verdict or self.outcome == "known":
            return printable(self.reason)
        gap = [f"gap {gap_text(self.verdict.gap)}"] if self.verdict.gap else []
        worst = [f"{v.place}: {v.text}" for v in self.verdict.violations[:1]]
        return printable("; ".join(filter(None, [*gap, *worst, self.verdict.hint])))


@dataclass(frozen=True)
class Receipt:
    """What was run, and what came of it; the counts of the outcomes add up to `selected`.

    `causes`: the named mistakes that explain the refuted answers, best first, if they were looked
    for. `unsupported`: the families all of whose problems were skipped, with the settings that all
    of them need and the program doesn't name; of the others `settings` are those `asked`. `digest`
    is of what was run, the problems, the answers and what came of them: two runs that have it in
    common are the same. `code` is the exit code.
    """

    suite: str
    program: str
    version: str
    conventions: tuple[str, ...]
    command: tuple[str, ...]
    seed: str | None
    selected: int
    counts: Mapping[Outcome, int]
    unsupported: tuple[str, ...]
    settings: Mapping[str, Mapping[str, Sequence[str]]]
    causes: tuple[str, ...]
    digest: str
    code: int


FRESH = re.compile("/(seed|line)-")
"""What ids have whose problems are drawn, or come from a file."""


def suite_cases(
    only: Sequence[str] = (), families: Sequence[str] = (), flags: Sequence[str] = ()
) -> list[Case]:
    """The problems of the suite that `vectors` selects; what isn't given doesn't restrict.

    Raises `ParameterError` where one of the patterns fits no id at all: nobody would notice that
    nothing was run for it.
    """
    _check_patterns(only, [vector.id for vector in vectors()], "problem's id")
    chosen = vectors(only=only, family=families, flags=flags)
    return [Case(vector.id, vector.problem, flags=vector.flags) for vector in chosen]


def random_cases(
    families: Sequence[str],
    seed: str,
    count: int,
    only: Sequence[str] = (),
    known: Callable[[str], Collection[str] | None] = lambda family: None,
) -> list[Case]:
    """Fresh problems of the families in turn, each as `refmc gen` draws it from its seed.

    `only`: patterns of ids such as "tree.*/seed-*"; if there are any, then the families are those
    of them, and the problems those of which one fits. `known`: of a family the settings that they
    may have. Raises `ParameterError` for a pattern that fits none.
    """
    if only:
        heads = [pattern.partition("/")[0] for pattern in only]
        families = [name for name in FAMILIES if fits(name, heads)]
    drawn = [f"{name}/seed-{seed}-{i}" for i, name in zip(range(count), cycle(families))]
    _check_patterns(only, drawn, f"id of {count} random problems")
    cases = []
    for id in (id for id in drawn if fits(id, only)):
        family, _, own_seed = id.partition("/seed-")
        with contextlib.suppress(ParameterError):  # a family may need what isn't known
            cases.append(Case(id, drawn_problem(family, own_seed, known(family))))
    return cases


def scrambled_cases(cases: Iterable[Case], seed: str) -> Iterator[Case]:
    """Each problem once more, in the guise that a seed draws."""
    for case in cases:
        guise = scrambled(case.problem, seed)[0]
        yield replace(case, id=f"{case.id}/guise-{seed}", problem=guise)


def plain_cases(cases: Iterable[Case], about: About) -> Iterator[Case]:
    """The same in plain numbers; what has no plain form, or needs support for one, isn't asked."""
    for case in cases:
        unusual = UNUSUAL.intersection(case.problem).difference(about.known(case.family) or ())
        if unusual:
            told = f"{', '.join(sorted(unusual))}: left out of plain problems unless supported"
            yield replace(case, unasked=told)
            continue
        try:
            sent = plain(case.problem)
        except FormatError as error:
            yield replace(case, unasked=f"no plain problem: {error}")
        else:
            yield replace(case, problem=exactly(sent), sent=sent)


def problem_cases(
    lines: Iterable[str], name: str, only: Sequence[str] = (), families: Sequence[str] = ()
) -> list[Case]:
    """The problems of a file, one a line, whose ids and families fit one of the patterns.

    They are called after their lines: "svm.hard/line-3". `FormatError` for a line that is no
    problem.
    """
    cases = []
    for n, line in enumerate(lines, 1):
        if line.strip():
            try:
                problem, family = read_record(line)
                family.read(problem)
            except RefmcError as error:
                raise FormatError(f"{name}, line {n}: {error}") from None
            cases.append(Case(f"{problem['family']}/line-{n}", problem))
    _check_patterns(only, [case.id for case in cases], f"problem of {name}")
    _check_patterns(families, [case.family for case in cases], f"problem of {name}")
    return [case for case in cases if fits(case.id, only) and fits(case.family, families)]


def _check_patterns(patterns: Sequence[str], names: Sequence[str], what: str) -> None:
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in names):
            raise ParameterError(f"no {what} fits {pattern!r}")


def read_known(source: str) -> dict[str, str]:
    """Known failures with their reasons, by the ids of problems, from JSON text.

    An id that no problem has is refused: nobody would notice that it stands for nothing.
    """
    record = parse_json(source, "known")
    ids = {vector.id for vector in vectors()}
    for id in record:
        if id.partition("/guise-")[0] not in ids and not FRESH.search(id):
            raise FormatError(f"known: no problem is called {id!r}")
    return {id: text(reason, f"known.{id}") for id, reason in record.items()}


def draft_known(results: Iterable[Result]) -> dict[str, str]:
    """What `read_known` reads, of the failures of a run; those known before keep their reasons."""
    failed = ("refuted", "inconclusive", "crashed", "known")
    return {r.case.id: r.text for r in results if r.outcome in failed}


def run(
    cases: Iterable[Case],
    sessions: Sequence[Session],
    *,
    gap: Number | None = None,
    known: Mapping[str, str],
) -> Generator[Result, None, None]:
    """Each problem's result, in order; as many problems are asked at once as there are sessions.

    A fault of the program never ends the run. All sessions are closed in the end.
    """
    free: SimpleQueue[Session] = SimpleQueue()
    for session in sessions:
        free.put(session)

    def one(case: Case) -> Result:
        session = free.get()
        try:
            return excused(asked(case, session, gap), known)
        finally:
            free.put(session)

    pool = ThreadPoolExecutor(len(sessions))
    try:
        for future in [pool.submit(one, case) for case in cases]:
            yield awaited(future)
    except BaseException:  # the caller has enough, or was interrupted
        pool.shutdown(wait=False, cancel_futures=True)
        for session in sessions:
            session.kill()
        raise
    finally:
        pool.shutdown()
        for session in sessions:
            session.close()


def awaited(future: Future[T]) -> T:
    """Its result; a signal that comes just before the wait for it is noticed soon after."""
    while not wait([future], timeout=0.2).done:
        pass
    return future.result()


def asked(case: Case, session: Session, gap: Number | None = None) -> Result:
    """The result of asking a program."""
    begun = time.monotonic()
    sent = case.sent or case.problem
    reply = Reply(skip=case.unasked) if case.unasked else session.ask(sent)
    seconds = time.monotonic() - begun
    return replace(judged(case, reply, gap), seconds=seconds)


def asked_alone(case: Case, start: Callable[[], Session], gap: Number | None = None) -> Result:
    """The result of asking a program that is started for it, and ends then."""
    with contextlib.closing(start()) as session:
        return asked(case, session, gap)


def judged(case: Case, reply: Reply, gap: Number | None = None) -> Result:
    """The result of a reply; an answer that doesn't follow the format is the program's fault."""
    if reply.skip is not None:
        return Result(case, "skipped", reply.skip, noise=reply.noise)
    if reply.answer is None:
        return Result(case, "crashed", str(reply.fault), noise=reply.noise)
    plain = Result(case, "crashed", answer=reply.answer, noise=reply.noise)
    try:
        verdict = check(case.problem, reply.answer, gap=gap)
    except FormatError as error:
        return replace(plain, reason=str(Fault("malformed", str(error))))
    except RefmcError as error:  # beyond a limit of work: nothing is known
        return replace(plain, outcome="inconclusive", reason=str(error))
    except Exception:  # noqa: BLE001  # the run goes on, and its exit code says so
        reason = "a fault of refmc, please report it: " + traceback.format_exc()
        return replace(plain, outcome="inconclusive", reason=reason, own_fault=True)
    return replace(plain, outcome=cast("Outcome", verdict.status.lower()), verdict=verdict)


def excused(result: Result, known: Mapping[str, str]) -> Result:
    """The result in view of the known failures, of which a right answer is to be taken off."""
    reason = known.get(result.case.id)
    if reason is None or result.outcome == "skipped" or result.own_fault:
        return result
    if result.outcome == "verified":
        gone = f"right, but known as a failure ({reason}): take it off the list"
        return replace(result, outcome="fixed", reason=gone)
    return replace(result, outcome="known", reason=reason)


def exit_code(results: Sequence[Result]) -> int:
    """The severest of the results; 5 where no answer has been judged.

    >>> exit_code([])
    5
    """
    if any(result.own_fault for result in results):
        return OWN_FAULT
    outcomes = {result.outcome for result in results}
    otherwise = 0 if any(result.verdict is not None for result in results) else NOTHING_RAN
    return next((code for name, code in SEVEREST.items() if name in outcomes), otherwise)


def _told(family: str, about: About, results: Sequence[Result]) -> str:
    """A family that is not supported, and the settings of all its problems that aren't named."""
    known = (about.supports or {}).get(family)
    if known is None:
        return family
    lacks = [lacking(r.case.problem, known) for r in results if r.case.family == family]
    shared = [name for name in lacks[0] if all(name in others for others in lacks)]
    return f"{family} (all need {', '.join(shared)})" if shared else family


def receipt(
    results: Sequence[Result],
    session: Session,
    command: Sequence[str],
    seed: str | None = None,
    causes: Sequence[str] = (),
) -> Receipt:
    """What was run, and what came of it."""
    about, suite = session.about, f"refmc {__version__}"
    who = (about.implementation, about.version, about.conventions)
    outcomes = [result.outcome for result in results]
    families = dict.fromkeys(r.case.family for r in results)
    answered = {r.case.family for r in results if r.outcome != "skipped"}
    told = [[r.case.id, r.case.problem, r.answer, r.outcome, r.reason] for r in results]
    verdicts = [None if r.verdict is None else r.verdict.to_json() for r in results]
    ran = json.dumps([suite, who, [*command], seed, told, verdicts], sort_keys=True)
    return Receipt(
        suite=suite,
        program=about.implementation,
        version=about.version,
        conventions=about.conventions,
        command=tuple(command),
        seed=seed,
        selected=len(results),
        counts={name: outcomes.count(name) for name in OUTCOMES},
        unsupported=tuple(_told(f, about, results) for f in families if f not in answered),
        settings=outcomes_of(
            (r.case.problem, r.outcome) for r in results if r.case.family in answered
        ),
        causes=tuple(causes),
        digest=hashlib.sha256(ran.encode()).hexdigest(),
        code=exit_code(results),
    )
