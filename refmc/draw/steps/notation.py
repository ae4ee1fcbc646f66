"""The lecture's notation as HTML: formulas, sentences with formulas in them, and values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from html import escape

from refmc.checker.printing import short_text
from refmc.core.logs import Log
from refmc.core.scalars import number_text
from refmc.oracle.rows import Root, Rounded, readable

LONGEST = 14
"""Characters up to which a fraction is written out; a longer one shows its decimal."""

KEYWORDS = {"for", "each", "to", "do", "if", "then", "else", "while", "return"}

_PIECES = re.compile(
    r"(?P<low>[_^])(?:\[(?P<many>[^\]]*)\]|(?P<one>[\w\ue000-\uefff]\u0303?[*′]?))"
    r"|(?P<word>[^\W\d_]+\u0303?)|(?P<rest>.)",
    re.DOTALL,
)


class Formula(str):
    """A value that is shown as a formula, not as it stands."""


def formula(text: str) -> str:
    """A formula as HTML: single letters are italic, `_i` and `_[t+1]` low, `^r` high.

    >>> formula("W_i < 2 to go")
    '<i>W</i><sub><i>i</i></sub> &lt; 2 <b>to</b> go'
    """
    return _PIECES.sub(_piece, text)


def _piece(found: re.Match[str]) -> str:
    word, level = found["word"], found["low"]
    if level:
        name = "sub" if level == "_" else "sup"
        return f"<{name}>{formula(found['many'] or found['one'])}</{name}>"
    if word and len(word.rstrip("\u0303")) == 1:
        return f"<i>{word}</i>"
    return f"<b>{word}</b>" if word in KEYWORDS else escape(word or found["rest"])


def sentence(text: str) -> str:
    """A sentence as HTML, in which formulas stand between backticks."""
    parts = text.split("`")
    return "".join(formula(part) if i % 2 else escape(part) for i, part in enumerate(parts))


def filled(template: str, values: Mapping[str, object], is_formula: bool = False) -> str:
    """A formula or a sentence with the values of the names that stand in braces.

    >>> filled("W_{y} of {n}", {"y": "<b>", "n": Fraction(3)}, is_formula=True)
    '<i>W</i><sub>&lt;b&gt;</sub> of 3'
    """
    names: list[str] = []

    def mark(found: re.Match[str]) -> str:
        names.append(found[1])
        return chr(0xE000 + len(names) - 1)

    text = re.sub(r"\{([^{}]+)\}", mark, template)
    html = formula(text) if is_formula else sentence(text)
    return re.sub("[\ue000-\uefff]", lambda at: shown(values[names[ord(at[0]) - 0xE000]]), html)


def shown(value: object) -> str:
    """A value as HTML: exact, with its decimal to see where the pointer rests.

    >>> shown((Fraction(-1), "a&b", None))
    '(−1, a&amp;b, –)'
    """
    if value is None:
        return "–"
    if isinstance(value, Formula):
        return formula(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (tuple, list)):
        return f"({', '.join(map(shown, value))})"
    if isinstance(value, Log) and (rational := value.rational()) is not None:
        value = rational
    if isinstance(value, Log):
        exact = readable(value)
        return _hover(escape(exact), f"{float(value):.4g}")
    if isinstance(value, Root):
        return _hover(f"√{shown(value.square)}", readable(value).removeprefix("~"))
    if isinstance(value, Rounded):
        return f"≈ {_decimal(value.value)}"
    if isinstance(value, (int, Fraction)):
        return _number(Fraction(value))
    return escape("".join(c if c.isprintable() else "\ufffd" for c in str(value)))


def _number(value: Fraction) -> str:
    exact = number_text(value)
    if len(exact) > LONGEST:
        whole = exact if len(exact) <= 80 else f"{len(exact)} characters"
        return f"<u class=long data-d='{whole}'>{_decimal(value)}</u>"
    if value.denominator == 1:
        return exact.replace("-", "−")
    n, d = exact.removeprefix("-").split("/")
    minus = "−" if value < 0 else ""
    fraction = f"{minus}<small><b>{n}</b><s>/</s><b>{d}</b></small>"
    return _hover(fraction, _decimal(value).removeprefix("≈ "))


def _hover(html: str, decimal: str) -> str:
    return f"<u data-d='{decimal.replace('-', '−')}'>{html}</u>"


def _decimal(value: Fraction) -> str:
    text = short_text(value, 0).replace("-", "−")
    return text.replace("~", "≈ ")
