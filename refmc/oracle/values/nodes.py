"""The family `nodes.decode`: what the answers of classifiers that ask one another decide.

{"family": "nodes.decode", "classes": k labels, "f": m rows of scores, one for each node,
 "method": "tournament" (the default), with "eliminations": (1);
   "label_tree", with "splits": for each node the labels on its left and on its right;
   or "one_against_some", with "nodes": objects with "candidates" and "below", and "scores": for
   each row and node a score for each candidate, an empty list where the row can't end}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from operator import itemgetter
from typing import Any, Literal

from refmc.checker import Verdict
from refmc.checker.values import decoding
from refmc.checker.values.nodes import NodesProblem, RecallNode, Split
from refmc.checker.values.nodes import ends as ends_nodes
from refmc.core.records import Record, at, entries, items, labels, matrix, numbers, read_object
from refmc.core.sample import Label, read_classes
from refmc.core.ties import TiePolicy, first
from refmc.errors import FormatError
from refmc.learn.reductions.papers import error_correcting_tournament, label_tree, one_against_some
from refmc.oracle.declaring import FAMILY, one_of, part, record_of, required, shuffled
from refmc.oracle.fields import REQUIRED, Choices, Declared, Field, Reading, Sizes
from refmc.oracle.forms import LABELS, MATRIX, NUMBER, WHOLE, list_of, or_null
from refmc.oracle.reading import each, label_positions, one_a_row, whole
from refmc.oracle.rows import Row
from refmc.oracle.values.decoding import ANSWER, read_submission

Method = Literal["tournament", "label_tree", "one_against_some"]

MOST_MATCHES = 1_000_000
"""The most matches of a tournament."""


def _classes(value: object, place: str, reading: Reading) -> tuple[Label, ...]:
    given = labels(value, place)
    classes = at("problem", lambda: read_classes(given))
    if len(classes) < 2:
        raise FormatError(f"{place}: expected at least 2, got {len(classes)}")
    return classes


def _eliminations(value: object, place: str, reading: Reading) -> int:
    found = whole(value, place, 1)
    if found * len(reading[CLASSES]) > MOST_MATCHES:
        raise FormatError(f"{place}: more than {MOST_MATCHES} matches")
    return found


def _f(value: object, place: str, reading: Reading) -> list[list[Fraction]]:
    f = matrix(value, place)
    if reading.declared is METHODS["tournament"]:
        asked = reading[ELIMINATIONS] * len(reading[CLASSES]) - 1
    elif SPLITS in reading:
        asked = len(reading[SPLITS])
    else:
        asked = sum(node.router is not None for node in reading[NODES])
    if len(f[0]) != asked:
        raise FormatError(f"{place}[0]: expected {asked} scores, one a node, got {len(f[0])}")
    return f


def _matches_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    asked = problem.get("eliminations", 1) * len(problem["classes"]) - 1
    return {"f": draws.rows(sizes["rows"], asked, sizes.numbers)}


def _splits_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    left = shuffled(problem["classes"], draws)
    splits = [[[left[i]], left[i + 1 :]] for i in range(len(left) - 1)]
    return {"splits": splits, "f": draws.rows(sizes["rows"], len(splits), sizes.numbers)}


def _recall_drawn(draws: Choices, problem: Mapping[str, Any], sizes: Sizes) -> dict[str, Any]:
    nodes = [{"candidates": shuffled(problem["classes"], draws)[:2]} for _ in range(3)]
    f = draws.rows(sizes["rows"], 1, sizes.numbers)
    scores = [draws.rows(3, 2, sizes.numbers) for _ in f]
    return {"nodes": [{**nodes[0], "below": [1, 2]}, *nodes[1:]], "f": f, "scores": scores}


def _splits(value: object, place: str, reading: Reading) -> list[Split]:
    """The nodes of a label tree: each but the root has the labels of a side of an earlier node."""
    classes = reading[CLASSES]
    open_sides, found = [frozenset(range(len(classes)))], []
    for n, entry in enumerate(items(value, place)):
        where = f"{place}[{n}]"
        given = each(lambda side, at: label_positions(side, at, classes), entry, where)
        sides = [*map(frozenset, given)]
        if len(sides) != 2 or sides[0] & sides[1] or sides[0] | sides[1] not in open_sides:
            raise FormatError(
                f"{where}: expected the labels of two sides, which make up one side of a node "
                "before it, of the root all classes"
            )
        open_sides.remove(sides[0] | sides[1])
        open_sides += [side for side in sides if len(side) > 1]
        found.append((sides[0], sides[1]))
    if open_sides:
        raise FormatError(f"{place}: a side of several classes is not split")
    return found


def _nodes(value: object, place: str, reading: Reading) -> list[RecallNode]:
    """The nodes of one-against-some; those with a child are routers, and these are counted on."""
    found, routers, children = [], 0, 1
    given = items(value, place)
    for n, node in enumerate(given):
        where = f"{place}[{n}]"
        entry = read_object(node, where)
        NODE.check(entry, where)
        candidates = label_positions(entry["candidates"], f"{where}.candidates", reading[CLASSES])
        below = [
            None if child is None else whole(child, f"{where}.below", 0)
            for child in entries(entry.get("below", (None, None)), f"{where}.below")
        ]
        numbered = [child for child in below if child is not None]
        if len(below) != 2 or numbered != [*range(children, children + len(numbered))]:
            raise FormatError(
                f"{where}.below: expected the numbers of two children, or null; children are "
                f"numbered on from {children}"
            )
        if len(set(candidates)) != len(candidates):
            raise FormatError(f"{where}.candidates: a label stands twice")
        children += len(numbered)
        router = routers if numbered else None
        routers += bool(numbered)
        found.append(RecallNode(candidates, router, (below[0], below[1])))
    if children != len(given):
        raise FormatError(f"{place}: expected {children} nodes, got {len(given)}")
    if children == 1:
        raise FormatError(f"{place}: one node asks nothing; that is a problem of ova.decode")
    return found


CLASSES = required("classes", "k labels, at least two", LABELS, _classes, axes=("classes",))
F = required(
    "f", "m rows of scores, one for each node", MATRIX, _f, axes=("rows", "nodes"), power=1,
    draws=_matches_drawn,
)  # fmt: skip
ELIMINATIONS = Field(
    name="eliminations", kind=WHOLE, default=1, read=_eliminations, draws=[2, 3],
    says="`tournament`: after so many lost matches a class is out",
)  # fmt: skip
SPLITS = required(
    "splits",
    "`label_tree`: for each node the labels on its left and on its right; the root parts all "
    "classes, every other node a side of one before it",
    list_of(list_of(LABELS)), _splits,
)  # fmt: skip
NODE = record_of({"candidates": LABELS}, {"below": list_of(or_null(WHOLE), 0)})
NODES = required(
    "nodes",
    "`one_against_some`: for each node its `candidates`, labels, and the numbers of two children, "
    "`below`, the left first; null where a row stays",
    list_of(NODE.schema()), _nodes,
    parts=NODE.fields,
)  # fmt: skip
SCORES = part(
    "scores", list_of(list_of(list_of(NUMBER, 0), 0)), default=REQUIRED, axes=("rows",), power=1,
    says="beside `nodes`: for each row and node a score for each candidate; an empty list where "
    "the row can't end",
)  # fmt: skip


def _method(name: Method, **more: Any) -> Field[Method]:
    return Field(
        name="method", kind={"const": name}, says="how the nodes decide", read=one_of(name),
        draws=[name], **more,
    )  # fmt: skip


METHODS: dict[Method, Declared] = {
    "tournament": Declared(
        fields=(FAMILY, CLASSES, _method("tournament", default="tournament"), ELIMINATIONS, F),
        is_reordered=False,
    ),
    "label_tree": Declared(
        fields=(FAMILY, CLASSES, F._replace(draws=_splits_drawn), SPLITS, _method("label_tree")),
        is_reordered=False,
    ),
    "one_against_some": Declared(
        fields=(FAMILY, CLASSES, F._replace(draws=_recall_drawn), NODES, SCORES)
        + (_method("one_against_some"),),
        is_reordered=False,
    ),
}
"""The methods, and the fields that each takes."""

DECLARED = {"nodes.decode": ([*METHODS.values()], [ANSWER["nodes.decode"]])}


def read_problem(record: Record) -> tuple[NodesProblem, tuple[Label, ...]]:
    """The problem of a record, and its labels; `FormatError` names the field that is wrong.

    >>> read_problem({"family": "nodes.decode", "classes": ["a", "b"], "f": [[1]]})[0].rule
    'tournament'
    """
    rule = one_of(*METHODS)(record.get("method", "tournament"), "problem.method")
    reading = METHODS[rule].read(record)
    classes = reading[CLASSES]
    own: dict[Method, Field[Any]] = {"label_tree": SPLITS, "one_against_some": NODES}
    asked = reading.settings(F, own.get(rule, ELIMINATIONS))
    problem = NodesProblem(k=len(classes), rule=rule, classes=tuple(map(str, classes)), **asked)
    return (_with_scores(record, problem) if problem.nodes else problem), classes


def _with_scores(record: Record, problem: NodesProblem) -> NodesProblem:
    """The problem with the scores of the candidates, which must be given where a row can end."""
    rows = one_a_row(record["scores"], "problem.scores", len(problem.f))
    scores: list[list[list[Fraction]]] = []
    for i, row in enumerate(rows):
        place = f"problem.scores[{i}]"
        parts, ends = items(row, place), ends_nodes(problem, i)
        if len(parts) != len(problem.nodes):
            raise FormatError(f"{place}: expected {len(problem.nodes)}, one a node")
        scores.append([])
        for n, entry in enumerate(parts):
            expected = len(problem.nodes[n].candidates)
            own = numbers(entry, f"{place}[{n}]") if entries(entry, f"{place}[{n}]") else []
            if len(own) != expected and (own or n in ends):
                raise FormatError(f"{place}[{n}]: expected {expected} scores, one a candidate")
            scores[-1].append(own)
    return replace(problem, scores=scores)


def solve(problem: Record, on_step: object = None, tie: TiePolicy = first) -> dict[str, object]:
    """All labels that can be chosen for each row, and one of them.

    >>> solve({"family": "nodes.decode", "classes": ["a", "b"], "f": [[0]]})["label_sets"]
    [['a', 'b']]
    """
    read, classes = read_problem(problem)
    sets = [list(found) for found in _sets(read, classes)]
    labels = [tied[tie(tuple(range(len(tied))))] for tied in sets]
    return {"family": read.family, "labels": labels, "label_sets": sets}


def _sets(read: NodesProblem, classes: tuple[Label, ...]) -> list[tuple[Label, ...]]:
    """The labels that the models of the learners choose for each row.

    A row is given to them as its own scores: the binary model of node n answers with entry n.
    """
    k, routers = read.k, len(read.f[0])
    of_nodes = tuple(map(itemgetter, range(routers)))
    shared = (tuple(range(k)), routers, Fraction(0), first)
    if read.rule == "tournament":
        rounds = error_correcting_tournament.bracket(range(k), read.eliminations)
        matches = tuple(match for matches in rounds for match in matches)
        winner = error_correcting_tournament.ErrorCorrectingTournament(
            classes, of_nodes, *shared, (0,) * routers, read.eliminations, matches
        )
        return list(map(winner.predict_set, read.f))
    if read.rule == "label_tree":
        tree = label_tree.LabelTree(classes, of_nodes, *shared, _as_learned(read.splits))
        return list(map(tree.predict_set, read.f))
    nodes = tuple(
        one_against_some.RecallNode((1,) * k, tuple(n.candidates), (), n.router, n.below)
        for n in read.nodes
    )

    def score(c: int, scores: Sequence[Sequence[Any]], x: Sequence[Fraction]) -> Fraction:
        """What the classifier of a class answers: its score at the node where a row ends."""
        end = max([0, *(n for n, on in enumerate(x[routers:], 1) if on)])  # children come later
        found: Fraction = scores[end][nodes[end].candidates.index(c)]
        return found

    sets = []
    for f, scores in zip(read.f, read.scores):
        models = (*of_nodes, *(partial(score, c, scores) for c in range(k)))
        settled = (0,) * len(models)
        model = one_against_some.OneAgainstSome(classes, models, *shared, settled, nodes)
        sets.append(model.predict_set(f))
    return sets


def _as_learned(splits: Sequence[Split]) -> tuple[label_tree.Split, ...]:
    """The nodes as the learner has them: each says which nodes split its two sides further."""
    at_node = {left | right: n for n, (left, right) in enumerate(splits)}
    found = []
    for sides in splits:
        left, right = (tuple(sorted(side)) for side in sides)
        below = at_node.get(sides[0]), at_node.get(sides[1])
        found.append(label_tree.Split(left, right, below, ()))
    return tuple(found)


def judge(problem: Record, answer: Record, allowed: Fraction, on_step: object = None) -> Verdict:
    """The checker's verdict; `allowed` is what a candidate's score may be off.

    >>> problem = {"family": "nodes.decode", "classes": ["a", "b"], "f": [[0]]}
    >>> judge(problem, {"label_sets": [["a", "b"]], "labels": ["b"]}, Fraction(0)).status
    'VERIFIED'
    """
    read, classes = read_problem(problem)
    return decoding.judge(read, read_submission(answer, read, classes), allowed=allowed)


def trace(problem: Record, tie: object = None) -> Iterator[Row]:
    """One row for each row and class of the problem: whether the class is among the best."""
    read, classes = read_problem(problem)
    for i, tied in enumerate(_sets(read, classes)):
        for label in classes:
            yield {"row": i, "class": str(label), "best": label in tied}
