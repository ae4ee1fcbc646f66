"""The checker shares nothing with what it judges."""

import ast
import subprocess
import sys
from pathlib import Path

import refmc.checker
from tests.support import parsed, statements

FILES = sorted(Path(refmc.checker.__file__).parent.rglob("*.py"))


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in statements(parsed(path)):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} imports relatively"
            found.add(node.module or "")
    return found


def test_the_checker_imports_only_the_standard_library_and_itself() -> None:
    assert len(FILES) >= 3
    for path in FILES:
        for module in imported_modules(path):
            own = module == "refmc.checker" or module.startswith("refmc.checker.")
            known = module.partition(".")[0] in sys.stdlib_module_names
            assert own or known, f"{path.name} imports {module}"


def test_the_checker_loads_no_other_room_of_the_package() -> None:
    code = (
        "import sys, refmc.checker.svm.multiclass\n"
        "rooms = {n.split('.')[1] for n in sys.modules if n.startswith('refmc.')}\n"
        "print(sorted(rooms & {'core', 'theory', 'learn', 'oracle'}))\n"
    )
    # the package's own __init__ is skipped, for what it loads is not the checker's doing
    bare = "import types, sys\nsys.modules['refmc'] = m = types.ModuleType('refmc')\n"
    bare += f"m.__path__ = [{str(FILES[0].parents[1])!r}]\n"
    command = [sys.executable, "-c", bare + code]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "[]\n"


def test_the_checker_has_no_float_in_its_judgements() -> None:
    for path in FILES:
        if path.name == "printing.py":
            continue
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant):
                assert not isinstance(node.value, float), f"{path.name}:{node.lineno}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "float", f"{path.name}:{node.lineno}"
