"""Which files to check, and their text.

Folders are walked for .py and .ipynb files in the order of their names. Files that `exclude` names or git ignores are
left out. A path that the user names is taken, unless the user wants `exclude` to apply there too. Links to folders are
not followed.
"""

from __future__ import annotations

import os
import re
import tokenize
from dataclasses import dataclass, field, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from .config import Config, find_config
from .git import exclude_files
from .problems import Problem, Unreadable
from .pytorch import Release, release_of
from .reading import Special, read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pathspec import GitIgnoreSpec

    from .notebook import Notebook

SUFFIXES = (".py", ".ipynb")

NAMED = (*SUFFIXES, ".pyi", ".pyw")
"""suffixes of files that are checked if the user names them"""

_SHEBANG = re.compile(rb"#!.*python")


# -- reading ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Document:
    """A file's program. `encoding` is what its bytes are written in; `utf-8-sig` keeps a byte order mark."""

    path: str
    text: str
    encoding: str = "utf-8"
    notebook: Notebook | None = None


def read_document(path: str) -> Document:
    """The program in the file. Raises Unreadable if there is none that can be read."""
    try:
        data = read_regular_file(path)
    except (OSError, ValueError) as error:
        raise Unreadable(Problem(path, reason(error))) from None
    return decode_document(data, path)


def decode_document(data: bytes, path: str) -> Document:
    """The program in a file's bytes, decoded as Python does: byte order mark, PEP 263 cookie, else UTF-8.

    Raises Unreadable for bytes that are not text.
    """
    try:
        encoding, _ = tokenize.detect_encoding(BytesIO(data).readline)
    except SyntaxError as error:
        raise Unreadable(_undecodable(data, "utf-8", path) or Problem(path, str(error))) from None
    problem = _undecodable(data, encoding, path)
    if problem is not None:
        raise Unreadable(problem)
    text = data.decode(encoding)
    if not path.endswith(".ipynb"):
        return Document(path, text, encoding)
    from .notebook import read_notebook

    try:
        notebook = read_notebook(text)
    except ValueError as error:
        raise Unreadable(Problem(path, str(error))) from None
    return Document(path, notebook.text, encoding, notebook)


def _undecodable(data: bytes, encoding: str, path: str) -> Problem | None:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\r|\n", data[: error.start])) + 1
        name = {"utf-8": "UTF-8", "utf-8-sig": "UTF-8"}.get(encoding, encoding)
        return Problem(path, f"is not valid {name} (byte 0x{data[error.start]:02x})", line)
    except (LookupError, UnicodeError):  # a codec, but none for text
        return Problem(path, f"unknown encoding: {encoding}")
    return None


def reason(error: OSError | ValueError) -> str:
    """The reason why a file cannot be read."""
    if isinstance(error, FileNotFoundError):
        return "does not exist"
    if isinstance(error, IsADirectoryError):
        return "is a folder"
    if isinstance(error, ValueError):  # what Python raises for a name that no file can have
        return f"cannot be read: {error}"
    if isinstance(error, Special):
        return str(error.strerror)
    return f"cannot be read: {error.strerror or error}"


# -- walking ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Settings:
    """Which configuration applies where.

    `explicit` is one that the user names for all files. `select`, `ignore` and `min_severity` come from the
    command line and replace what a file says, as does `torch`; `python` is the interpreter that the editor has chosen.
    With `force_exclude`, exclude patterns also apply to named paths.
    """

    explicit: Config | None = None
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    min_severity: str | None = None
    force_exclude: bool = False
    torch: str | None = None
    python: str | None = None
    _found: dict[Path, Config | None] = field(default_factory=dict)
    _releases: dict[tuple[Path | None, Path], Release] = field(default_factory=dict)

    def at(self, folder: Path, root: Path) -> Config:
        """The configuration for files in `folder`; if none is found, a default one with `root` as its root.

        Raises ConfigError.
        """
        if self.explicit is not None:
            return self._settled(self.explicit)
        if folder not in self._found:
            self._found[folder] = find_config(folder)
        return self._settled(self._found[folder] or Config(root))

    def leaves_out(self, path: Path, root: Path) -> bool:
        """Whether to leave out a path that the user names. Raises ConfigError."""
        if not self.force_exclude:
            return False
        config = self.at(path if path.is_dir() else path.parent, root)
        return _excluded(path, config, config.root)

    def _settled(self, config: Config) -> Config:
        """With what is overridden, and the release of PyTorch, which is looked for once."""
        config = self._overridden(config)
        key = (config.path, config.root)
        if key not in self._releases:
            asked = None if self.torch is None else Release(self.torch, "as asked for")
            self._releases[key] = asked or release_of(config.root, config.torch, self.python)
        return replace(config, release=self._releases[key])

    def _overridden(self, config: Config) -> Config:
        if self.select is not None:
            config = replace(config, select=self.select)
        if self.ignore is not None:
            config = replace(config, ignore=(*config.ignore, *self.ignore))
        if self.min_severity is not None:
            config = replace(config, min_severity=self.min_severity)
        return config


@dataclass(slots=True)
class Files:
    """Files to check, by the configuration that applies to them, and paths that led to no file."""

    groups: list[tuple[Config, list[str]]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    empty: list[str] = field(default_factory=list)
    """folders without a file to check"""

    def __iter__(self) -> Iterator[str]:
        return (path for _, paths in self.groups for path in paths)


def find_files(paths: Sequence[str], settings: Settings, on_file: Callable[[], None] = lambda: None) -> Files:
    """All files that `paths` name or hold, absolute, each once, grouped by configuration.

    `on_file` is called for each. Raises ConfigError if a configuration that applies to one of them is wrong.
    """
    files = Files()
    by_config: dict[tuple[Path | None, Path], tuple[Config, dict[str, None]]] = {}
    for path in paths:
        start = Path(os.path.abspath(path))
        if not os.path.exists(start):  # the method of `Path` raises for a name that is too long
            files.problems.append(Problem(str(path), "does not exist"))
            continue
        folder = start if start.is_dir() else start.parent
        root = Path.cwd() if folder.is_relative_to(Path.cwd()) else folder
        if settings.leaves_out(start, root):
            continue
        if start.is_file() and not _is_python(start):
            files.problems.append(Problem(str(path), f"is not a Python file or notebook ({', '.join(NAMED)})"))
            continue
        found = _walk(start, root, settings) if start.is_dir() else [(start, settings.at(folder, root))]
        empty = True
        for file, config in found:
            on_file()
            _, group = by_config.setdefault((config.path, config.root), (config, {}))
            group[str(file)] = None
            empty = False
        if empty:
            files.empty.append(str(path))
    files.groups = [(config, list(group)) for config, group in by_config.values()]
    return files


def _is_python(path: Path) -> bool:
    """Whether to check a file that the user names: by its name, or for a script by its first line."""
    if path.suffix in NAMED:
        return True
    try:
        return _SHEBANG.match(read_regular_file(path)[:200]) is not None
    except OSError:
        return True  # the problem is reported when the file is read


def _walk(start: Path, root: Path, settings: Settings) -> Iterator[tuple[Path, Config]]:
    """The files below the folder `start`, each with its configuration."""
    ignores = _Ignores.above(start)
    if ignores.hides(start, is_folder=True):
        ignores = _Ignores()
    config = settings.at(start, root)
    base = start if _excluded(start, config, config.root) else None
    yield from _walk_folder(start, base, root, ignores, settings)


def _walk_folder(
    folder: Path, base: Path | None, root: Path, ignores: _Ignores, settings: Settings
) -> Iterator[tuple[Path, Config]]:
    """As `_walk`; `base` is what patterns are relative to, if not the configuration's root."""
    config = settings.at(folder, root)
    ignores = ignores.below(folder)
    for entry in _entries(folder):
        path = Path(entry.path)
        is_folder = entry.is_dir(follow_symlinks=False)
        if not is_folder and (path.suffix not in SUFFIXES or not path.is_file()):
            continue
        if ignores.hides(path, is_folder) or _excluded(path, config, base or config.root):
            continue
        if is_folder:
            yield from _walk_folder(path, base, root, ignores, settings)
        else:
            yield path, config


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in the folder, by name; nothing if it may not be read."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []


def _excluded(path: Path, config: Config, base: Path) -> bool:
    if path == base or not path.is_relative_to(base):
        return False
    spec = _spec((*config.exclude, *config.extend_exclude, *(f"/{folder.strip('/')}/" for folder in config.models)))
    return spec.match_file(path.relative_to(base).as_posix())


_specs: dict[tuple[str, ...], GitIgnoreSpec] = {}


def _spec(lines: tuple[str, ...]) -> GitIgnoreSpec:
    if lines not in _specs:
        from .patterns import patterns

        _specs[lines] = patterns(lines)
    return _specs[lines]


def _patterns(path: Path) -> GitIgnoreSpec | None:
    """The patterns in a file, if they can be read."""
    try:
        return _spec(tuple(read_regular_file(path).decode("utf-8-sig").splitlines()))
    except (OSError, ValueError):
        return None


@dataclass(frozen=True, slots=True)
class _Ignores:
    """Git's patterns that apply in a folder, outermost first. The innermost one that matches wins, as in git."""

    specs: tuple[tuple[Path, GitIgnoreSpec], ...] = ()

    @classmethod
    def above(cls, start: Path) -> _Ignores:
        """Those of the parents of `start`, up to the root of its repository."""
        parents = list(start.parents)
        top = next((i for i, folder in enumerate([start, *parents]) if (folder / ".git").exists()), 0)
        ignores = cls()
        for folder in reversed(parents[:top]):
            ignores = ignores.below(folder)
        return ignores

    def below(self, folder: Path) -> _Ignores:
        """With the .gitignore of `folder`, and what else git ignores where that is the top of a repository."""
        specs = map(_patterns, (*exclude_files(folder), folder / ".gitignore"))
        return _Ignores((*self.specs, *((folder, spec) for spec in specs if spec is not None)))

    def hides(self, path: Path, is_folder: bool) -> bool:
        for folder, spec in reversed(self.specs):
            inside = path.relative_to(folder).as_posix() + ("/" if is_folder else "")
            include = spec.check_file(inside).include
            if include is not None:
                return include
        return False
