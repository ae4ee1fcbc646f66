"""The order of rooms: who may import whom."""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

from tests.support import parsed, statements

PACKAGE = Path(__file__).parent.parent / "refmc"

MAY_IMPORT = {
    "errors": set(),
    "core": {"errors", "core"},
    "theory": {"errors", "core", "theory"},
    "drawn": {"errors"},
    "learn": {"errors", "drawn", "core", "theory", "learn"},
    "checker": {"checker"},
    "lectures": {"lectures"},  # and nothing else of refmc imports them
    "oracle": {"errors", "core", "theory", "learn", "checker", "oracle"},
    "mistakes": {"errors", "core", "theory", "learn", "checker", "oracle", "mistakes"},
    "answers": {"errors", "core", "checker", "oracle", "mistakes"},
    "adapters": {"errors", "core", "theory", "learn", "checker", "oracle", "answers"}
    | {"adapters"},
    "draw": {"errors", "drawn", "core", "theory", "learn", "checker", "oracle", "answers", "draw"},
    "export": {"errors", "core", "theory", "learn", "checker", "oracle", "answers", "adapters"}
    | {"export"},
    "suite": {"errors", "core", "theory", "learn", "checker", "oracle", "mistakes", "answers"}
    | {"suite"},
    "cli": {"errors", "core", "theory", "learn", "checker", "oracle", "adapters", "suite", "draw"}
    | {"export", "mistakes", "answers", "cli"},
    "__main__": {"cli"},
    "pytest_plugin": {"core", "checker", "oracle", "answers", "suite", "draw"},
    "strategies": {"errors", "core", "oracle", "answers", "suite"},
}

PEERS = {"pytest_plugin.py": {"pytest"}, "strategies.py": {"hypothesis"}}
"""The files that serve another package, and import it."""

TOPICS = {"svm", "online", "boosting", "trees", "reductions", "values", "selection"}
# stumps ask the questions of trees
BESIDE = {("checker", "boosting"): {"trees"}, ("learn", "boosting"): {"trees"}}

LEARNS = ("fit_", "grow_tree", "solve_qp")  # how the names of learners begin
BUILT_ON = {"boosting.adaboost_mh": {"boosting.stumps"}}


@cache
def import_nodes(file: Path) -> tuple[ast.Import | ast.ImportFrom, ...]:
    nodes = statements(parsed(file))
    return tuple(node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom)))


def imports(file: Path) -> Iterator[list[str]]:
    """Every imported module of refmc, and every top-level name outside of it."""
    for node in import_nodes(file):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            module = (node.module or "").split(".")
            if module == ["refmc"]:
                yield from (["refmc", alias.name] for alias in node.names)
            else:
                yield module
        else:
            yield from (alias.name.split(".") for alias in node.names)
    yield from as_it_runs(file)


MODULES = {
    ".".join([PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts])
    for file in PACKAGE.rglob("*.py")
}


@cache
def as_it_runs(file: Path) -> tuple[list[str], ...]:
    """The modules of refmc that `import_module` is called for: by a text of their names, or by one
    that ends with a text of the file, such as f"refmc.oracle.{FAMILIES[name]}" with
    {"svm.hard": "svm.binary"}.
    """
    nodes = [*ast.walk(parsed(file))] if "import_module(" in file.read_text("utf-8") else []
    texts = {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    named = set()
    for call in nodes:
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("import_module"):
            (name,) = call.args
            parts = name.values if isinstance(name, ast.JoinedStr) else [name]
            head = parts[0].value if isinstance(parts[0], ast.Constant) else ""
            assert isinstance(head, str) and head, f"{file}: import_module of what can't be read"
            for text in texts if parts[1:] else [""]:
                words = re.split("[.:]", head + text)
                ends = [".".join(words[:n]) for n in range(1, len(words) + 1)]
                named |= {max(MODULES.intersection(ends), key=len, default="refmc")} - {"refmc"}
    return tuple(name.split(".") for name in sorted(named))


def test_imports_as_the_program_runs_are_seen() -> None:
    for file, module in [
        ("oracle/families.py", "refmc.oracle.values.losses"),
        ("oracle/models.py", "refmc.learn.svm.binary_model"),
        ("draw/pictures.py", "refmc.draw.descent_page"),
        ("cli/__init__.py", "refmc.cli.running"),
    ]:
        assert module.split(".") in as_it_runs(PACKAGE / file), file


def files() -> list[Path]:
    found = sorted(PACKAGE.rglob("*.py"))
    assert len(found) > 20
    return [file for file in found if file != PACKAGE / "__init__.py"]


def test_rooms_import_only_rooms_before_them() -> None:
    for file in files():
        room = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        for module in imports(file):
            if module == ["refmc"]:  # public functions by their names, which the last room may call
                assert room == "cli", f"{file} imports refmc"
            elif module[0] == "refmc" and module[1] != "__version__":
                assert module[1] in MAY_IMPORT[room], f"{file} imports {'.'.join(module)}"


def test_a_topic_imports_no_other_topic_of_its_room() -> None:
    for file in files():
        room, *inner = file.relative_to(PACKAGE).parts
        topic = inner[0].removesuffix(".py") if inner else ""
        for module in imports(file):
            if topic in TOPICS and module[:2] == ["refmc", room]:
                allowed = {topic, *BESIDE.get((room, topic), set())}
                assert module[2] in allowed or module[2] not in TOPICS, f"{file} imports {module}"


def learners() -> dict[str, Path]:
    """The files of `learn` that hold a learner, by the names of their modules."""
    found = {}
    for file in (PACKAGE / "learn").rglob("*.py"):
        body = parsed(file).body
        if any(isinstance(n, ast.FunctionDef) and n.name.startswith(LEARNS) for n in body):
            name = file.relative_to(PACKAGE / "learn").with_suffix("")
            found[".".join(name.parts)] = file
    return found


def test_a_learner_imports_no_other_learner() -> None:
    found = learners()
    assert {"reductions.one_vs_all", "trees.grow", "svm.multiclass", "online.sgd_binary"} <= set(
        found
    )
    for name, file in found.items():
        for module in imports(file):
            other = ".".join(module[2:])
            if module[:2] == ["refmc", "learn"] and other in found.keys() - {name}:
                assert other in BUILT_ON.get(name, set()), f"{file} imports {other}"


def test_the_lectures_import_numbers_and_types_and_one_another() -> None:
    known = {"refmc", "fractions", "decimal", "itertools", "math", "typing", "collections"}
    found = sorted((PACKAGE / "lectures").glob("*.py"))
    assert len(found) > 1
    for file in found:
        for module in imports(file):
            assert module[0] in known, f"{file} imports {'.'.join(module)}"


def test_nothing_outside_the_standard_library_is_imported() -> None:
    for file in files():
        known = sys.stdlib_module_names | {"refmc"} | PEERS.get(file.name, set())
        for module in imports(file):
            assert module[0] in known, f"{file} imports {module[0]}"


def test_no_module_is_imported_under_another_name() -> None:
    renamed = []
    for file in PACKAGE.rglob("*.py"):
        for node in import_nodes(file):
            base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for alias in node.names:
                path = PACKAGE.parent / (base + alias.name).replace(".", "/")
                is_module = path.is_dir() or path.with_suffix(".py").exists()
                if alias.asname and is_module:
                    renamed.append((str(file), alias.asname))
    assert renamed == []


def test_no_import_leads_back_to_where_it_began() -> None:
    modules = {
        (PACKAGE.name, *file.relative_to(PACKAGE).with_suffix("").parts): file for file in files()
    }
    waiting = {
        name: {tuple(module) for module in with_names(file)} & modules.keys() - {name}
        for name, file in modules.items()
    }
    assert ("refmc", "learn", "trees", "grow") in waiting["refmc", "oracle", "trees", "reference"]
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs & waiting.keys()}
        assert ready, f"in or behind a circle of imports: {sorted(waiting)}"
        for name in ready:
            del waiting[name]


def with_names(file: Path) -> Iterator[list[str]]:
    """The imported modules of refmc, and what is imported from them, which may be a module too."""
    for node in import_nodes(file):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("refmc"):
            module = (node.module or "").split(".")
            yield module
            yield from ([*module, alias.name] for alias in node.names)
    yield from as_it_runs(file)


def test_the_plain_programs_that_learners_point_to_exist() -> None:
    named = set()
    for file in (PACKAGE / "learn").rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        named |= set(re.findall(r"`refmc\.lectures\.(\w+)\.(\w+)`", text))
    assert len(named) > 20
    for lecture, name in named:
        assert callable(getattr(import_module(f"refmc.lectures.{lecture}"), name))
