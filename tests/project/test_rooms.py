"""Which room may import which (ARCHITECTURE.md), read off the text of every module."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"
MODULES = sorted(path for path in SERVER.rglob("*.py") if path.parent != SERVER)

MAY_IMPORT = {
    "lsp": {"workspace", "fixes", "rules", "analyses", "facts", "syntax"},
    "cli": {"lsp", "workspace", "fixes", "rules", "analyses", "facts", "syntax"},
    "workspace": {"fixes", "rules", "analyses", "facts", "syntax"},
    "fixes": {"rules", "analyses", "facts", "syntax"},
    "rules": {"analyses", "facts", "syntax"},
    "analyses": {"facts", "syntax"},
    "facts": set(),
    "syntax": set(),
}

INPUT_AND_OUTPUT = {"asyncio", "io", "os", "pathlib", "shutil", "socket", "subprocess", "tempfile", "urllib"}

ONLY_HERE = {
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "rich": {"cli"},
    "libcst": {"syntax"},
    "jedi": {"workspace"},
    "torch": {"facts"},
}
"""Libraries that one room hides from the others; `facts` uses torch where it measures, not where it tells."""


def imports(path: Path) -> Iterator[str]:
    """The dotted names of the modules that a file imports, anywhere in it; those of this package with `gradguard.`."""
    package = ["gradguard", *path.relative_to(SERVER).parts[:-1]]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module or ""
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1]
            module = [*base, *(node.module or "").split(".")] if node.module else base
            yield from (".".join([*module, alias.name]) for alias in node.names)


def room(path: Path) -> str:
    return path.relative_to(SERVER).parts[0]


def name(path: Path) -> str:
    return path.relative_to(SERVER).as_posix()


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_module_imports_only_what_its_room_may(path: Path) -> None:
    own = {one.split(".")[1] for one in imports(path) if one.startswith("gradguard.")}
    assert own <= MAY_IMPORT[room(path)] | {room(path)}
    others = {one.partition(".")[0] for one in imports(path)}
    assert all(room(path) in ONLY_HERE.get(one, {room(path)}) for one in others)


@pytest.mark.parametrize("path", [path for path in MODULES if room(path) == "analyses"], ids=name)
def test_analyses_do_no_input_or_output(path: Path) -> None:
    assert not INPUT_AND_OUTPUT & {one.partition(".")[0] for one in imports(path)}
    names = {node.id for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name)}
    assert "open" not in names


def test_every_room_is_in_the_order() -> None:
    assert {room(path) for path in MODULES} == MAY_IMPORT.keys()
