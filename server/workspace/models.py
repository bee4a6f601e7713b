"""The user's own models: folders of plain Python that say what libraries do, like the built-in ones (`models`)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ..syntax.chunks import parse
from ..syntax.ir import ImportFrom
from .files import read_document
from .problems import Problem, Unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..syntax.chunks import Source


class Models:
    """The models in some folders, given relative to `root`. They are interpreted: none of them is ever run."""

    def __init__(self, root: Path, folders: Sequence[str]) -> None:
        self.folders = [root / folder for folder in folders]
        self._known: dict[str, Source | None] = {}

    def find(self, name: str) -> Source | None:
        """Return the model of a module by its dotted name (`fastnet/layers.py` for `fastnet.layers`), or None."""
        if self.folders and name not in self._known:
            self._known[name] = self._find(name.split("."))
        return self._known.get(name)

    def _find(self, parts: Sequence[str]) -> Source | None:
        for folder in self.folders:
            for path in (folder.joinpath(*parts, "__init__.py"), folder.joinpath(*parts[:-1], f"{parts[-1]}.py")):
                if path.is_file():
                    return _parsed(str(path))
        return None

    def holds(self, path: str) -> bool:
        """Return whether a file is in one of the folders."""
        return any(Path(path).is_relative_to(folder) for folder in self.folders)

    def forget(self) -> None:
        """Read the models again when they are next asked for."""
        self._known.clear()

    def files(self) -> Iterator[str]:
        """Return the paths of all models, in order."""
        for folder in self.folders:
            for above, below, names in os.walk(folder):
                below.sort()
                yield from (os.path.join(above, name) for name in sorted(names) if name.endswith(".py"))

    def problems(self) -> list[Problem]:
        """Return what is wrong: a missing folder, a file that isn't Python, a word that models do not have."""
        gone = [folder for folder in self.folders if not folder.is_dir()]
        missing = [Problem(str(folder), "there is no such folder of models") for folder in gone]
        return [*missing, *(problem for path in self.files() for problem in _wrong(path))]


def _parsed(path: str) -> Source | None:
    from ..analyses.domain.modules import MODELS

    try:
        return parse(read_document(path).text, MODELS + path, later=True)
    except Unreadable:
        return None


def _wrong(path: str) -> Iterator[Problem]:
    """What is wrong with one model."""
    from ..analyses.domain.registry import FUNCTIONS
    from ..analyses.libraries import load_models

    load_models()
    try:
        source = parse(read_document(path).text, path)
    except Unreadable as error:
        yield error.problem
        return
    for one in source.problems:
        yield Problem(path, one.message, one.line + 1, one.column + 1)
    for stmt in source.body:
        if isinstance(stmt, ImportFrom) and stmt.module == "gradguard" and not stmt.level:
            for alias in stmt.names:
                if f"gradguard.{alias.name}" not in FUNCTIONS:
                    told = f"models have no `{alias.name}` to import from gradguard"
                    yield Problem(path, told, stmt.chunk.line_of(stmt) + 1)
