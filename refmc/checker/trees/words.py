"""The words in which verdicts on trees speak of nodes, questions, numbers and labels.

Covers [lu, "Node Questions for Binary Decision Trees"], and the labels of
[lu, "Training a Binary Decision Tree with a Greedy Algorithm"].
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise

from refmc.checker.numbers.logarithms import LogSum, six_digits
from refmc.checker.printing import LONG, binary64_text, number_text
from refmc.checker.trees.data import Data, Linear, Question, Sphere, Threshold, Tree
from refmc.checker.verdict import Place

_SHOWN_QUESTIONS = 4  # of a longer path the first two and the last two are shown
_SHOWN_VALUES = 6
_MOST_DECIMALS = 17


def place(data: Data, tree: Tree, at: int) -> Place:
    """A node, named by the path of questions that leads to it.

    >>> from refmc.checker.trees.data import Node, Sample, Threshold, prepare
    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2))
    >>> place(data, [Node(Threshold(0, Fraction(3, 2)), 1, 2), Node(), Node()], 1)
    'node 1 (x0 <= 1.5: no)'
    """
    if at == 0:
        return Place("the root", {"node": 0})
    parent = {child: at for at, node in enumerate(tree) for child in node.children}
    path, left_out = [at], []
    while path[-1]:
        path.append(parent[path[-1]])
    edges = list(pairwise(reversed(path)))
    if len(edges) > _SHOWN_QUESTIONS:
        half = _SHOWN_QUESTIONS // 2
        left_out = [f"{len(edges) - 2 * half} more"]
        edges = edges[:half] + edges[-half:]
    words = [_step(data, tree, *edge) for edge in edges]
    words[len(words) // 2 : len(words) // 2] = left_out
    return Place(f"node {at} ({', '.join(words)})", {"node": at})


def _step(data: Data, tree: Tree, parent: int, child: int) -> str:
    question = tree[parent].question
    assert question is not None
    answer = "yes" if child == tree[parent].positive else "no"
    return f"{question_text(data, question)}: {answer}"


def value_text(q: Fraction | int) -> str:
    """The text of a threshold; no two binary64 numbers and no two short decimals share one.

    It is a decimal where that ends soon; else the shortest decimal that names the number, where it
    is a binary64; else a ratio, where the decimal has no end; else six digits.

    >>> value_text(Fraction(1, 40)), value_text(Fraction(1, 3)), value_text(Fraction(2.45))
    ('0.025', '1/3', '2.45')
    >>> value_text(Fraction(1.0000000000000002))
    '1.0000000000000002'
    """
    digits = _decimal_digits(q.denominator)
    if digits is not None and digits <= _MOST_DECIMALS:
        scaled = number_text(abs(q) * 10**digits).zfill(digits + 1)
        whole, part = scaled[: len(scaled) - digits], scaled[len(scaled) - digits :]
        text = ("-" if q < 0 else "") + whole + ("." + part if part else "")
        if len(text) <= LONG:
            return text
    text = binary64_text(q)
    if text:
        return text
    text = number_text(q)
    return text if digits is None and len(text) <= LONG // 2 else six_digits(q)


def question_text(
    data: Data, question: Question, text: Callable[[Fraction | int], str] = value_text
) -> str:
    """A question in words; `text` writes its numbers.

    >>> from refmc.checker.trees.data import Membership, Sample, prepare
    >>> data = prepare(Sample(X=[["a"], ["b"]], y=(0, 1), k=2, columns=("colour",)))
    >>> question_text(data, Membership(0, frozenset("a")))
    'colour in {a}'
    """
    names = [column.name for column in data.columns]
    if isinstance(question, Threshold):
        sign = "<" if question.strict else "<="
        return f"{names[question.column]} {sign} {text(question.threshold)}"
    if isinstance(question, Linear):
        pairs = zip(question.coefficients, names)
        terms = [f"{text(a)}*{name}" for a, name in pairs if a]
        return f"{' + '.join(terms) or '0'} <= {text(question.bound)}"
    if isinstance(question, Sphere):
        center = ", ".join(map(text, question.center))
        return f"|x - ({center})| <= {text(question.radius)}"
    values = sorted(question.values)
    shown = values[:_SHOWN_VALUES]
    if len(values) > len(shown):
        shown.append(f"{len(values) - len(shown)} more")
    return f"{names[question.column]} in {{{', '.join(shown)}}}"


def _decimal_digits(den: int) -> int | None:
    """How many decimals a fraction with this denominator has, if it ends."""
    twos = (den & -den).bit_length() - 1
    rest, fives = den >> twos, 0
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    return max(twos, fives) if rest == 1 else None


def label_fault(
    data: Data, label: int, counts: Sequence[int], costs: Sequence[Fraction]
) -> tuple[str, Fraction] | None:
    """What is wrong about a label, and what it loses for each row of the node; None if it is right.

    `counts`, `costs`: what `Data.counts` and `Data.costs` give for the rows of the node.

    >>> from refmc.checker.trees.data import Sample, prepare
    >>> data = prepare(Sample(X=[[1], [2], [3]], y=(0, 1, 1), k=2))
    >>> label_fault(data, 0, [1, 2], [])
    ('label 0 has weight 1, but 1 has 2', Fraction(1, 3))
    """
    amounts, verb, again = [Fraction(-c) for c in counts], "has weight", "has"
    if data.sample.costs is not None:
        amounts, verb, again = list(costs), "costs", "costs"
    best = amounts.index(min(amounts))
    if amounts[label] == amounts[best]:  # as in a node that no row reaches
        return None
    own, other = (LogSum(abs(amounts[c]) * data.unit).text() for c in (label, best))
    (name, instead) = map(data.sample.class_text, (label, best))
    missed = (amounts[label] - amounts[best]) / sum(counts)
    return f"label {name} {verb} {own}, but {instead} {again} {other}", missed
