"""Where the modules of a project are: what `import a.b` and `from . import c` mean in one of its files.

Nothing is run and installed packages are not searched: a name without a file in the project is not found.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from .config import DEFAULT_EXCLUDE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from .packaging import Declared

MANIFESTS = ("pyproject.toml", "setup.py", "setup.cfg")

DEPTH = 4
FOLDERS = 400
"""how deep below the root, and in how many folders, a module is searched for that is nowhere else"""


class Layout:
    """The folders in which the imports of a project are searched.

    `src` are folders that the configuration names, relative to `root`. What manifests say of packages is read
    once. Which folders are on the path of a folder's files is kept until `refresh`. Whether a file exists is asked
    of `is_file` each time.
    """

    def __init__(self, root: Path, src: Sequence[str] = (), is_file: Callable[[Path], bool] = os.path.isfile) -> None:
        self.root = root
        self.src = src
        self._is_file = is_file
        self._folders: list[Path] | None = None
        self._members: list[tuple[Path, Declared]] | None = None
        self._paths: dict[Path, list[Path]] = {}

    def refresh(self) -> None:
        """Look for packages and projects again: files may have been created or deleted."""
        self._paths.clear()

    def find(self, name: str, level: int, importer: Path, text: str = "") -> Path | None:
        """The file that an import leads to, or None.

        `name` is the dotted name without the `level` leading dots of a relative import; it is empty for
        `from . import x`. A package is its `__init__.py`; a namespace package has no file, but the modules in
        it do. `text` is that of the importing file, which may add folders to `sys.path`.
        """
        parts = name.split(".") if name else []
        if level:
            return self._found([importer.parents[level - 1]], parts) if level <= len(importer.parents) else None
        path = self._found(self._near(importer), parts) if parts else None
        if path is not None or not parts or parts[0] in sys.stdlib_module_names:
            return path
        path = self._found(self._packages(importer), parts) or self._declared(parts)
        return path or (self._added(parts, importer, text) if "sys.path" in text else None)

    def _near(self, importer: Path) -> list[Path]:
        """What is on the path when a script or a test runs: its folder, those above it, and the project's.

        The folder of a package is not among them: its modules are imported by their whole names.
        """
        if importer.parent not in self._paths:
            above = [folder for folder in self._above(importer) if not self._is_package(folder)]
            path = [*above, self.root, self.root / "src", *(self.root / folder for folder in self.src)]
            self._paths[importer.parent] = list(dict.fromkeys(path))
        return self._paths[importer.parent]

    def _above(self, importer: Path) -> Sequence[Path]:
        """The folder of a file and those above it, up to its project's."""
        above = importer.parents
        project = next((i for i, folder in enumerate(above) if _is_project(folder)), None)
        if project is None:
            project = above.index(self.root) if self.root in above else 0
        return above[: project + 1]

    def _declared(self, parts: Sequence[str]) -> Path | None:
        """Where manifests say that the code is: the project's own manifest, and those of its members in a monorepo."""
        if self._members is None:
            from .packaging import declared

            self._members = [(f, declared(f)) for f in (self.root, *self._below()) if _is_project(f)]
        folders = []
        for member, told in self._members:
            folders += [member, member / "src", *(member / folder for folder in told.folders)]
            if (own := told.packages.get(parts[0])) is not None:
                place = member / own
                return self._found([place.parent], [place.name, *parts[1:]])
        return self._found(folders, parts)

    def _below(self) -> list[Path]:
        """The folders below the root, the outer ones first, within the limits of the search."""
        if self._folders is None:
            self._folders = []
            level = [self.root]
            for _ in range(DEPTH):
                level = [inner for folder in level for inner in _inside(folder)][: FOLDERS - len(self._folders)]
                self._folders += level
        return self._folders

    def _added(self, parts: Sequence[str], importer: Path, text: str) -> Path | None:
        """A module that a file finds by what it adds to `sys.path`.

        It is in a folder that the text names; else the only one of that name, or what jedi finds.
        """
        from .added import added_folders

        if (told := self._found(added_folders(text, importer, self.root), parts)) is not None:
            return told
        found = {path for folder in self._below() if (path := self._found([folder], parts))}
        if len(found) < 2:
            return next(iter(found), None)
        from .inferred import find_by_sys_path

        path = find_by_sys_path(".".join(parts), importer, text, self.root)
        return path if path in found else None

    def _found(self, folders: Iterable[Path], parts: Sequence[str]) -> Path | None:
        """The file of a module on a path, as `importlib` finds it.

        In each folder a package takes precedence over a module. Folders without `__init__.py` together form one
        namespace package, unless some folder on the path has a package or a module of that name.
        """
        path = None if parts else next((self._file(folder / "__init__.py") for folder in folders), None)
        for part in parts:
            path, folders = self._step(folders, part)
        return path

    def _step(self, folders: Iterable[Path], part: str) -> tuple[Path | None, list[Path]]:
        """The file of one part of a dotted name, if it has one, and the folders that its modules are in."""
        spaces = []
        for folder in folders:
            inside = folder / part
            if package := self._file(inside / "__init__.py"):
                return package, [inside]
            if module := self._file(folder / f"{part}.py"):
                return module, []
            spaces.append(inside)
        return None, spaces

    def _file(self, path: Path) -> Path | None:
        return path if self._is_file(path) else None

    def _is_package(self, folder: Path) -> bool:
        return self._is_file(folder / "__init__.py")

    def _packages(self, importer: Path) -> Iterator[Path]:
        """The packages that a file is in, the innermost first: one of them is on the path when it runs as a script."""
        for folder in importer.parents:
            if not self._is_package(folder):
                return
            yield folder


def _is_project(folder: Path) -> bool:
    return any(os.path.isfile(folder / name) for name in MANIFESTS) or os.path.exists(folder / ".git")


def _inside(folder: Path) -> list[Path]:
    """The folders in a folder that may hold code of the project, by name; no links are followed."""
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return []
    held = sorted(name for name in names if not name.startswith((".", "__")) and name not in DEFAULT_EXCLUDE)
    return [folder / name for name in held if not os.path.exists(folder / name / "pyvenv.cfg")]
