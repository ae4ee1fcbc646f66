"""Mend the links of the book: `python tests/relink.py` after any change of the code.

In spec/*.md a link [`code`](../refmc/file.py#L12) leads to a line that holds the code; its number
is set to the nearest such line. A link [`lu.svm`](../refmc/lectures/lu.py#L12) leads to the
function of that name. A name of a test, and of a function in the index, becomes a link to its file.

Below `<!-- fields of tree.grow, tree.prune -->` stands the table of the fields of these families'
problems, as they declare them.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from refmc.suite.schemas import fields_in_words

SPEC = ROOT / "spec"

CODE_LINK = re.compile(
    r"\[(`+)(?P<text>(?:(?!\]\().)+?)\1\]\(\.\./(?P<file>[^)#]+)#L(?P<line>\d+)\)"
)
LINKED = r"(?:\]\([^)|]*\))?"  # or not yet
TEST = re.compile(rf"\[?`((tests/[\w/]+\.py)::\w+)`{LINKED}")
FUNCTION = re.compile(rf"\[?`([\w.]+)`{LINKED}")
ROW = re.compile(r"^(\| \[[^|]*\|[^|]*\| )([^|]*)(?= \| \[?`tests/)", re.MULTILINE)  # of the index
FIELDS = re.compile(r"(<!-- fields of (?P<families>[\w., ]+) -->\n)(?:\|.*\n)*")


def mended(page: str) -> str:
    """The text of a page with all its links and tables of fields mended; a ValueError names code
    that is no more.
    """
    lost = [link for link in CODE_LINK.finditer(page) if not _lines(link)]
    if lost:
        raise ValueError("\n".join(f"no line of {link['file']} holds {link[0]}" for link in lost))
    page = FIELDS.sub(lambda marker: marker[1] + _table(marker["families"].split(", ")), page)
    page = TEST.sub(r"[`\1`](../\2)", CODE_LINK.sub(_with_line, page))
    return ROW.sub(lambda row: row[1] + FUNCTION.sub(_with_file, row[2]), page)


def _lines(link: re.Match[str]) -> list[int]:
    """The numbers of the lines that hold the code."""
    code = link["text"].strip().replace(r"\|", "|")  # a table escapes what would end the cell
    lines = (ROOT / link["file"]).read_text(encoding="utf-8").splitlines()
    lecture, _, name = code.partition(".")
    if link["file"] == f"refmc/lectures/{lecture}.py":
        heads = (f"def {name}(", f"class {name}(", f"class {name}:")
        return [number for number, line in enumerate(lines, start=1) if line.startswith(heads)]
    return [number for number, line in enumerate(lines, start=1) if code in line]


def _table(families: list[str]) -> str:
    """The fields of the problems of some families, and which have them where not all do."""
    owners: dict[tuple[str, ...], list[str]] = {}
    for family in families:
        for field in fields_in_words(family)[1:]:  # the first is the name of the family
            owners.setdefault(field, []).append(f"`{family}`")
    rows = [["field", "family", "values", "what"], ["---"] * 4]
    for (name, kind, default, says), own in owners.items():
        which = "all" if len(own) == len(families) else ", ".join(own)
        told = f"{kind}; {default}" if default else kind
        rows.append([f"`{name}`", which, told, says.replace("|", r"\|")])
    if all(row[1] == "all" for row in rows[2:]):
        rows = [[name, *others] for name, _, *others in rows]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _with_line(link: re.Match[str]) -> str:
    old = int(link["line"])
    nearest = min(_lines(link), key=lambda number: abs(number - old))
    return link[0].removesuffix(f"#L{old})") + f"#L{nearest})"


def _with_file(name: re.Match[str]) -> str:
    module = (ROOT / "refmc").joinpath(*name[1].split("."))
    while not module.with_suffix(".py").exists() and module != ROOT:
        module = module.parent
    file = module.with_suffix(".py").relative_to(ROOT)
    return f"[`{name[1]}`](../{file})"


def main() -> int:
    """Rewrite the pages that need it; 1 where code that a page names is no more."""
    failed = 0
    for page in sorted(SPEC.glob("*.md")):
        old = page.read_text(encoding="utf-8")
        try:
            new = mended(old)
        except ValueError as error:
            print(f"{page.name}: {error}", file=sys.stderr)
            failed = 1
            continue
        if new != old:
            page.write_text(new, encoding="utf-8")
            print(f"{page.name}: mended")
    return failed


if __name__ == "__main__":
    sys.exit(main())
