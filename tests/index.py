"""The catalogue of the whole programs in `programs`: what goes wrong in each, and its story."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = Path(__file__).parent / "programs"
PAGE = PROGRAMS / "README.md"

HEAD = """\
# The whole programs

Each folder has the forms of one program: `buggy` fails or gets its gradients silently wrong, `fixed` is mended,
`benign` looks risky and is fine; PyTorch has run them all (`tests/test_programs.py`).
Written by `python -m tests.index`.
"""

FOLDERS = {
    "autograd": "PyTorch's own machinery: custom functions, hooks, checkpoints, modes, optimizers",
    "clean": "Programs in which nothing is wrong, however it looks",
    "data": "Containers, indices, masks, arrays, and what a program keeps in them",
    "entry": "Code that nobody calls in the file: classes and functions that are entered from outside",
    "files": "Programs of several files",
    "loops": "What takes more than one turn",
    "modules": "Modules and their parameters",
    "whole": "Trainings as people write them",
}


def imported(folder: Path) -> list[str]:
    """The libraries that a program imports, its own files and Python's aside."""
    own = {path.stem for path in folder.rglob("*.py")} | {path.name for path in folder.rglob("*") if path.is_dir()}
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names.add(node.module.partition(".")[0])
    return sorted(names - own - sys.stdlib_module_names - {"torch"})


def rows(folder: Path) -> Iterator[str]:
    """A line of the table for each program of a folder, by the kind of its failure."""
    found = []
    for truth in folder.glob("*/truth.toml"):
        known = tomllib.loads(truth.read_text())
        kind, story = known.get("kind", ""), known.get("story", known.get("benign", ""))
        libraries = ", ".join(imported(truth.parent))
        name = f"[{truth.parent.name}]({folder.name}/{truth.parent.name})"
        cells = (kind, name, libraries, story.replace("|", "\\|"))
        found.append((kind, truth.parent.name, f"| {' | '.join(cells)} |"))
    yield from (row for _, _, row in sorted(found))


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for folder in sorted(path for path in PROGRAMS.iterdir() if path.is_dir()):
        table = ["| kind | program | libraries | story |", "|---|---|---|---|", *rows(folder)]
        parts.append(f"## `{folder.name}`\n\n{FOLDERS[folder.name]}.\n\n" + "\n".join(table) + "\n")
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page())
