"""Which room may import which (ARCHITECTURE.md), read off the text of every module."""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path

import pytest

SERVER = Path(__file__).resolve().parents[2] / "server"
POLYFILLS = SERVER / "analyses/libraries/polyfills"
MODELS = sorted(path for path in POLYFILLS.rglob("*.py") if path.parent != POLYFILLS)
"""Models of libraries in plain Python, which nobody imports."""
MODULES = sorted({path for path in SERVER.rglob("*.py") if path.parent != SERVER}.difference(MODELS))

MAY_IMPORT = {
    "runtime": {"cli", "workspace", "rules", "analyses", "facts", "syntax"},
    "lsp": {"workspace", "fixes", "rules", "analyses", "facts", "syntax"},
    "cli": {"lsp", "workspace", "fixes", "rules", "analyses", "facts", "syntax"},
    "workspace": {"fixes", "rules", "analyses", "facts", "syntax"},
    "fixes": {"rules", "analyses", "facts", "syntax"},
    "rules": {"analyses", "facts", "syntax"},
    "analyses": {"facts", "syntax"},
    "facts": set(),
    "syntax": set(),
}

STOREYS = (
    {"domain"},
    {"autograd"},
    {"shapes", "stories"},
    {"operators"},
    {"python"},
    {"libraries"},
    {"program"},
)
"""The rooms of `analyses`, from the ground up: each may import those below it, none beside it, none above."""

INPUT_AND_OUTPUT = {"asyncio", "io", "os", "pathlib", "shutil", "socket", "subprocess", "tempfile", "urllib"}

ONLY_HERE = {
    "pygls": {"lsp"},
    "lsprotocol": {"lsp"},
    "rich": {"cli"},
    "libcst": {"syntax"},
    "jedi": {"workspace"},
    "torch": {"facts", "runtime"},
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
    names = (node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Name))
    assert "open" not in {node.id for node in names if isinstance(node.ctx, ast.Load)}


def storey(parts: Sequence[str]) -> int:
    return next(i for i, rooms in enumerate(STOREYS) if parts[0] in rooms)


def upward(path: Path) -> set[tuple[str, str]]:
    """The imports of a file of `analyses` from rooms beside or above its own, also for types and inside functions."""
    here = path.relative_to(SERVER / "analyses").with_suffix("").parts
    found = set()
    for one in imports(path):
        there = one.split(".")[2:]
        if one.startswith("gradguard.analyses.") and there[0] != here[0] and storey(there) >= storey(here):
            inside = (SERVER / "analyses").joinpath(*there)
            module = there if inside.with_suffix(".py").is_file() else there[:-1]
            found.add(("/".join(here), "/".join(module)))
    return found


ROOMS = [path for path in MODULES if room(path) == "analyses" and len(path.relative_to(SERVER).parts) > 2]


def test_imports_of_the_analyses_go_down() -> None:
    assert set().union(*map(upward, ROOMS)) == set()


def test_an_import_upward_is_seen_wherever_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "SERVER", tmp_path)
    for name_ in ("domain/values", "autograd/tensors", "python/machine"):
        file = (tmp_path / "analyses" / name_).with_suffix(".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("")
    file = tmp_path / "analyses/autograd/tensors.py"
    for text in (
        "from ..python.machine import Machine",
        "if TYPE_CHECKING:\n    from ..python import machine",
        "def f():\n    from ...analyses.python.machine import Machine",
    ):
        file.write_text(text)
        assert upward(file) == {("autograd/tensors", "python/machine")}
    file.write_text("from ..domain.values import Value\nfrom . import geometry")
    assert not upward(file)


@pytest.mark.parametrize("path", [path for path in ROOMS if "autograd" in path.parts], ids=name)
def test_autograd_knows_neither_text_nor_operators(path: Path) -> None:
    assert not [one for one in imports(path) if one.startswith(("gradguard.syntax", "gradguard.facts.table"))]
    strings = [
        node.value for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.Constant)
    ]
    assert not [one for one in strings if isinstance(one, str) and one.startswith("torch.")]


@pytest.mark.parametrize("path", ROOMS, ids=name)
def test_state_is_in_slots_that_have_names(path: Path) -> None:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    assert "d" not in {node.attr for node in nodes if isinstance(node, ast.Attribute)}


def dotted(path: Path) -> str:
    return ".".join(["gradguard", *path.relative_to(SERVER).with_suffix("").parts]).removesuffix(".__init__")


def circles(imported: Mapping[str, Set[str]]) -> list[set[str]]:
    """The sets of modules each of which leads to every other one of its set, imports for types included."""
    below: dict[str, set[str]] = {one: set() for one in imported}
    for one, found in below.items():
        todo = [one]
        while todo:
            for other in imported[todo.pop()] - found:
                found.add(other)
                todo.append(other)
    apart = {frozenset(other for other in found if one in below[other]) for one, found in below.items()}
    return [set(circle) for circle in apart if len(circle) > 1]


def test_only_the_interpreter_is_a_circle_of_files() -> None:
    """Statements, expressions and calls of Python hold each other; nothing else does."""
    names = {dotted(path) for path in MODULES}
    imported = {
        dotted(path): {
            one if one in names else one.rpartition(".")[0] for one in imports(path) if one.startswith("gradguard.")
        }
        & (names - {dotted(path)})
        for path in MODULES
    }
    (interpreter,) = circles(imported)
    assert all(one.startswith("gradguard.analyses.python.") for one in interpreter)


def test_a_circle_is_seen() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [{"b", "c"}]


def test_every_room_is_in_the_order() -> None:
    assert {room(path) for path in MODULES} == MAY_IMPORT.keys()
    assert {path.relative_to(SERVER).parts[1] for path in ROOMS} == set().union(*STOREYS)


# -- what a stranger reads first --------------------------------------------------------------------------------------

MAP = (SERVER.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
FILE = re.compile(r"`(?:[a-z_]+/)*([a-z_]+\.py)`")
"""a file as the map and docstrings name it"""

HEADS = sorted(
    path
    for path in (*SERVER.glob("*/__init__.py"), *SERVER.glob("analyses/*/__init__.py"))
    if path.parent != SERVER / "runtime"  # its docstring is for those who import it
)

FAMILIES = {"rules", "fixes", "lsp", "cli", "shapes", "libraries", "measure", "formats", "polyfills"}
"""folders of one file a family, which the map names as a whole"""


@pytest.mark.parametrize("path", HEADS, ids=name)
def test_a_room_says_what_it_may_import_and_where_to_begin(path: Path) -> None:
    says = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    assert len(says.splitlines()) <= 8
    assert "mports" in says
    assert "egin reading" in says or "tart reading" in says
    files = FILE.findall(says.partition(" reading")[2])
    assert files
    assert all(list(path.parent.rglob(file)) for file in files)


def test_the_map_names_every_file_of_its_rooms_and_no_other() -> None:
    there = {path.name for path in MODULES if path.name not in ("__init__.py", "__main__.py")}
    named = set(FILE.findall(MAP))
    asked = {
        path.name for path in MODULES if path.name in there and not FAMILIES & set(path.relative_to(SERVER).parts[:-1])
    }
    assert asked - named == set()
    tests = {path.name for path in (SERVER.parent / "tests").rglob("*.py")}
    assert named - there - tests == set()


def test_a_table_of_the_map_has_twelve_rows_at_most() -> None:
    tables = [part.count("\n| `") for part in re.split(r"\n#+ ", MAP)]
    assert max(tables) <= 12
