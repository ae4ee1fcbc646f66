"""The variants that `check` tries when it refutes an answer."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

from refmc.checker import Verdict
from refmc.core.records import Record
from refmc.oracle.variants.variant import Variant, explanations

TOPICS = {
    "svm": "svm",
    "qp": "svm",
    "perceptron": "runs",
    "sgd": "runs",
    "tree": "trees",
    "boost": "boosting",
    "code": "values",
    "ovo": "values",
    "ova": "values",
    "nodes": "values",
    "loss": "values",
}
"""The module of each kind of family, which is imported when an answer of it is refuted."""


def variants_of(family: str) -> list[tuple[Variant, ...]]:
    """The variants of a family, cheapest first; several in one tuple are tried as one.

    >>> [v.id for (v,) in variants_of("qp.convex")]
    ['svm.floats_as_text', 'qp.half_missing', 'qp.linear_sign', 'qp.equality_sign']
    """
    topic = TOPICS.get(family.partition(".")[0])
    if topic is None:
        return []
    known: Sequence[Variant | tuple[Variant, ...]]
    known = import_module(f"refmc.oracle.variants.{topic}").VARIANTS
    together = [entry if isinstance(entry, tuple) else (entry,) for entry in known]
    return [variants for variants in together if family in variants[0].families]


def hint(problem: Record, answer: Record, verdict: Verdict) -> str:
    """What a refuted answer is right for instead, in words; "" where no variant explains it.

    >>> from refmc.oracle.answers import check
    >>> problem = {"family": "svm.multiclass", "X": [[1], [-1]], "y": ["a", "b"], "C": 1}
    >>> wrong = {"W": [["-1/2"], ["1/2"]]}
    >>> hint(problem, wrong, check(problem, wrong))
    'exactly right if every score has the opposite sign [svm.sign_reversed]'
    """
    found = explanations(problem, answer, verdict, variants_of(verdict.family))
    return found[0].text() if found else ""
