"""Where the modules of a project are: what `import a.b` and `from . import c` mean in one of its files.

Nothing is run and no installed package is looked at: a name that is no file of the project is not found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


def find_module(name: str, level: int, importer: Path, root: Path, src: Sequence[str] = ()) -> Path | None:
    """The file that an import leads to, or None.

    `name` is the dotted name without the `level` leading dots of a relative import; it is empty for
    `from . import x`. A package is its `__init__.py`; a namespace package has no file, but the modules in
    it do. An absolute name is looked for in the folder of the importing file and those above it up to
    `root`, in `root/src`, and in the folders `src` (relative to `root`), in this order.
    """
    if level:
        folder = importer.parent if level == 1 else _parent(importer.parent, level - 1)
        return None if folder is None else _module(folder, name)
    return next((found for folder in _folders(importer, root, src) if (found := _module(folder, name))), None)


def _folders(importer: Path, root: Path, src: Sequence[str]) -> Iterator[Path]:
    here = importer.parent
    yield here
    yield from (folder for folder in here.parents if folder.is_relative_to(root))
    yield root
    yield root / "src"
    yield from (root / folder for folder in src)


def _parent(folder: Path, count: int) -> Path | None:
    return folder.parents[count - 1] if count <= len(folder.parents) else None


def _module(folder: Path, name: str) -> Path | None:
    """The file of a dotted name below `folder`: a package goes before a module, as in `importlib`."""
    path = folder.joinpath(*name.split(".")) if name else folder
    for candidate in (path / "__init__.py", path.parent / f"{path.name}.py"):
        if candidate.is_file() and (name or candidate.name == "__init__.py"):
            return candidate
    return None
