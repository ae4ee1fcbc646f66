"""The order of rooms: who may import whom."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "refmc"

MAY_IMPORT = {
    "errors": set(),
    "core": {"errors", "core"},
    "theory": {"errors", "core", "theory"},
    "learn": {"errors", "core", "theory", "learn"},
    "checker": {"checker"},
    "oracle": {"errors", "core", "theory", "learn", "checker", "oracle"},
    "draw": {"errors", "core", "theory", "learn", "checker", "oracle", "draw"},
    "cli": {"errors", "core", "theory", "learn", "checker", "oracle", "draw", "cli"},
    "__main__": {"cli"},
}

SOLVERS = {"active_set", "matrix_face", "qp"} | {
    "geometry",
    "svm_input",
}  # the SVMs share these two
USES = {"pruning": "trees", "boosting": "stumps"}  # families of learners that are built on another


def imports(file: Path) -> Iterator[list[str]]:
    """Every imported module of refmc, and every top-level name outside of it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            module = (node.module or "").split(".")
            if module == ["refmc"]:
                yield from (["refmc", alias.name] for alias in node.names)
            else:
                yield module
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".") for alias in node.names)


def files() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 20
    return [file for file in found if file != PACKAGE / "__init__.py"]


def test_rooms_import_only_rooms_before_them() -> None:
    for file in files():
        room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for module in imports(file):
            if module[0] == "refmc" and module[1] != "__version__":
                assert module[1] in MAY_IMPORT[room], f"{file} imports {'.'.join(module)}"


def test_a_learner_imports_no_other_learner() -> None:
    for file in (PACKAGE / "learn").glob("*.py"):
        family = file.stem.split("_")[0]
        for module in imports(file):
            if module[:2] == ["refmc", "learn"]:
                same_family = module[2].split("_")[0] == family
                other = module[2].split("_")[0]
                allowed = same_family or module[2] in SOLVERS or USES.get(family) == other
                assert allowed, f"{file} imports {module[2]}"


def test_nothing_outside_the_standard_library_is_imported() -> None:
    for file in files():
        for module in imports(file):
            assert module[0] in sys.stdlib_module_names | {"refmc"}, f"{file} imports {module[0]}"
