"""The configuration: `[tool.gradguard]` of a pyproject.toml, or a gradguard.toml.

The nearest file up from a source file wins, whole: tables of different files are not merged. Within one folder
gradguard.toml goes before pyproject.toml, and a pyproject.toml without the table is passed over, as with ruff.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..rules.nearest import nearest
from .reading import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from .pytorch import Release

SHOWN = 100
"""Characters of a wrong value that are told."""

FOUND = ("root", "path", "release")
"""the fields that no file sets"""

SEVERITIES = ("error", "warning", "information", "hint")

DEFAULT_EXCLUDE = (
    ".direnv",
    ".eggs",
    ".git",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pytest_cache",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pypackages__",
    "_build",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""Folders that hold no code of the project, by ruff's list."""


class ConfigError(Exception):
    """A configuration that cannot be used; `path` and the 1-based `line` say where, if known."""

    def __init__(self, message: str, path: Path | None = None, line: int | None = None) -> None:
        place = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(place + message)
        self.message = message
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class OwnOp:
    """What the project says of an operator of its own, such as one in C++ or Triton."""

    params: tuple[str, ...] = ()
    """its parameters in order, for calls with positional arguments"""
    saves: tuple[str, ...] = ()
    """the parameters that it saves for backward; `out` is its result"""
    mutates: tuple[str, ...] = ()
    """the parameters that it changes in place"""


@dataclass(frozen=True, slots=True)
class Config:
    """The settings that hold for a file.

    Selectors are a rule's code, the beginning of codes (`GG1`), a rule's name, or `ALL`. The words under each setting
    are those of the documentation.
    """

    root: Path
    """the folder that patterns and `src` are relative to"""
    path: Path | None = None
    """the file that they were read from"""
    select: tuple[str, ...] = ("ALL",)
    """rules that are on: codes, beginnings of codes (`GG1`), names, or `ALL`"""
    ignore: tuple[str, ...] = ()
    """rules that are off; of a selector here and one in `select` the longer wins"""
    min_severity: str | None = None
    """the least severity that counts: `error`, `warning`, `information` or `hint`; unless it is set, an editor shows
    all, and the command line what is a warning at least"""
    exclude: tuple[str, ...] = DEFAULT_EXCLUDE
    """patterns of files and folders to leave out, on top of what git ignores"""
    extend_exclude: tuple[str, ...] = ()
    """more such patterns, on top of `exclude`"""
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """by pattern of files, the rules that are off there"""
    src: tuple[str, ...] = ()
    """folders where imports are looked for, besides the file's own, those above it, and `src/`"""
    torch: str | None = None
    """the release of PyTorch that the code runs with, such as `2.8`; unless it is set, that of the project's
    environment, or of its lock files and manifests"""
    models: tuple[str, ...] = ()
    """folders of models, which say in plain Python what libraries do that the project imports and does not hold"""
    ops: Mapping[str, OwnOp] = field(default_factory=dict)
    """by dotted name, what the analysis should know of an operator of yours"""
    release: Release | None = None
    """the release of PyTorch that holds, once somebody has looked for it"""


def find_config(folder: Path) -> Config | None:
    """The configuration of the files in `folder`, or None where neither it nor a parent has one.

    Raises ConfigError for a file that cannot be read or holds wrong settings.
    """
    for parent in (folder, *folder.parents):
        for name in ("gradguard.toml", "pyproject.toml"):
            path = parent / name
            if path.is_file() and (config := _load(path)) is not None:
                return config
    return None


def load_config(path: Path) -> Config:
    """The configuration in the file `path`, which may be of either form.

    Raises ConfigError if it cannot be read, holds wrong settings, or is a pyproject.toml without the table.
    """
    config = _load(path)
    if config is None:
        raise ConfigError("there is no table [tool.gradguard]", path)
    return config


def check_selectors(selectors: Iterable[str]) -> None:
    """Raises ValueError for the first selector that fits no rule."""
    if (selector := unknown_selector(selectors)) is not None:
        meant = nearest(selector, known_selectors())
        hint = "`gradguard rules` lists them" if meant is None else f"did you mean `{meant}`?"
        raise ValueError(f"unknown rule `{selector}` ({hint})")


def unknown_selector(selectors: Iterable[str]) -> str | None:
    """The first selector that fits no rule, if there is one."""
    rules = _rule_names()
    return next((one for one in selectors if all(_fits(one, *rule) == NO_FIT for rule in rules)), None)


def known_selectors() -> list[str]:
    """The codes of all rules, and their names."""
    return [word for rule in _rule_names() for word in rule]


def selected(config: Config, code: str, path: Path | None = None) -> bool:
    """Whether the rule `code` is on, for the file `path` if one is named.

    Of a selector in `select` and one in `ignore` the longer wins, and `ignore` if they are the same.
    """
    name = next(name for known, name in _rule_names() if known == code)
    if _longest(config.select, code, name) <= _longest(config.ignore, code, name):
        return False
    ignored_here = _ignored_in(config, path) if path is not None and config.per_file_ignores else ()
    return _longest(ignored_here, code, name) == NO_FIT


def _ignored_in(config: Config, path: Path) -> list[str]:
    """The selectors that `per-file-ignores` holds for the file."""
    from .patterns import patterns

    if not path.is_relative_to(config.root):
        return []
    inside = path.relative_to(config.root).as_posix()
    tables = config.per_file_ignores.items()
    return [s for pattern, selectors in tables if patterns([pattern]).match_file(inside) for s in selectors]


def _rule_names() -> list[tuple[str, str]]:
    from ..rules import RULES

    return [(rule.code, rule.name) for rule in RULES.values()]


NO_FIT = -1


def _longest(selectors: Iterable[str], code: str, name: str) -> int:
    return max((_fits(selector, code, name) for selector in selectors), default=NO_FIT)


def _fits(selector: str, code: str, name: str) -> int:
    """How much of the code the selector spells out; NO_FIT if it means another rule."""
    if selector == "ALL":
        return 0
    if selector == name:
        return len(code)
    return len(selector) if selector and code.startswith(selector) else NO_FIT


# -- reading ----------------------------------------------------------------------------------


class _Wrong(Exception):
    """A wrong value: what is wrong with it, and the keys that lead to it."""

    def __init__(self, message: str, *keys: str) -> None:
        self.message = message
        self.keys = keys


def _load(path: Path) -> Config | None:
    # Most runs find no configuration: the parser is imported for those that do.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    data = _read(path)
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n")
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        if path.name == "pyproject.toml" and b"gradguard" not in data:
            return None  # whatever it is, it has no table of ours
        raise _syntax_error(error, path) from None
    prefix = () if path.name == "gradguard.toml" else ("tool", "gradguard")
    for key in prefix:
        table = table.get(key) if isinstance(table, dict) else None
    if table is None:
        return None
    try:
        return Config(root=path.parent, path=path, **_settings(table))
    except _Wrong as wrong:
        raise ConfigError(wrong.message, path, _line(text, (*prefix, *wrong.keys))) from None


def _read(path: Path) -> bytes:
    try:
        return read_regular_file(path)
    except OSError as error:
        raise ConfigError(error.strerror or str(error), path) from None


def _syntax_error(error: Exception, path: Path) -> ConfigError:
    """What the TOML parser says, with its `(at line 3, column 5)` made the error's place."""
    if isinstance(error, UnicodeDecodeError):
        return ConfigError("is not valid UTF-8", path)
    if isinstance(error, RecursionError):
        return ConfigError("is not valid TOML: it is nested too deeply", path)
    place = re.search(r" \(at line (\d+), column \d+\)$", str(error))
    if place is None:
        return ConfigError(f"is not valid TOML: {error}", path)
    return ConfigError(f"is not valid TOML: {str(error)[: place.start()]}", path, int(place[1]))


def _settings(table: Any) -> dict[str, Any]:
    """The fields of Config that the table sets."""
    return {key.replace("-", "_"): value for key, value in _record(table, _SETTINGS).items()}


def _record(table: Any, readers: Mapping[str, Callable[[Any], Any]]) -> dict[str, Any]:
    """A table with known keys."""
    for key in _table(table):
        if key not in readers:
            meant = nearest(key, readers)
            hint = f"known are {', '.join(readers)}" if meant is None else f"did you mean `{meant}`?"
            raise _Wrong(f"unknown setting `{key}`; {hint}", key)
    return {key: _within(key, readers[key], value) for key, value in table.items()}


def _within(key: str, reader: Callable[[Any], Any], value: Any) -> Any:
    """What `reader` makes of the value; if that is wrong, the error names `key`."""
    try:
        return reader(value)
    except _Wrong as wrong:
        raise _Wrong(wrong.message if wrong.keys else f"`{key}` {wrong.message}", key, *wrong.keys) from None


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(f"must be a table, not {_described(value)}")
    return value


def _strings(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _Wrong(f"must be a list of strings, not {_described(value)}")
    return tuple(value)


def _selectors(value: Any) -> tuple[str, ...]:
    selectors = _strings(value)
    try:
        check_selectors(selectors)
    except ValueError as error:
        raise _Wrong(f"names an {error}") from None
    return selectors


def _patterns(value: Any) -> tuple[str, ...]:
    from .patterns import patterns

    told = _strings(value)
    try:
        patterns(told)
    except ValueError as error:
        raise _Wrong(f"holds a wrong pattern: {error}") from None
    return told


def _severity(value: Any) -> str:
    if value not in SEVERITIES:
        raise _Wrong(f"must be one of {', '.join(SEVERITIES)}, not {_described(value)}")
    return str(value)


def _torch(value: Any) -> str:
    from .pytorch import is_release

    if not isinstance(value, str) or not is_release(value):
        raise _Wrong(f'must be a release of PyTorch, such as "2.8", not {_described(value)}')
    return value


def _per_file(value: Any) -> dict[str, tuple[str, ...]]:
    _within("pattern", _patterns, list(_table(value)))
    return {pattern: _within(pattern, _selectors, selectors) for pattern, selectors in value.items()}


def _ops(value: Any) -> dict[str, OwnOp]:
    return {name: OwnOp(**_within(name, _op, op)) for name, op in _table(value).items()}


def _op(value: Any) -> dict[str, tuple[str, ...]]:
    return _record(value, {"params": _strings, "saves": _strings, "mutates": _strings})


def _described(value: Any) -> str:
    """The value as TOML writes it, where that is short."""
    if isinstance(value, bool):
        return str(value).lower()
    shown = f'"{value}"' if isinstance(value, str) else repr(value)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"


_SETTINGS: Mapping[str, Callable[[Any], Any]] = {
    "select": _selectors,
    "ignore": _selectors,
    "min-severity": _severity,
    "exclude": _patterns,
    "extend-exclude": _patterns,
    "per-file-ignores": _per_file,
    "src": _strings,
    "torch": _torch,
    "models": _strings,
    "ops": _ops,
}


def _line(text: str, keys: tuple[str, ...]) -> int | None:
    """The 1-based line that sets `keys`, or as much of them as is spelt out in one place.

    The TOML parser keeps no positions; headers and `key =` at the beginning of lines are enough to point at.
    """
    best, found = 0, None
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        opening = _HEADER.match(line)
        here, end = _key(line, opening.end() if opening else 0)
        if opening:
            table = here
        elif here and line.startswith("=", end):
            here = table + here
        else:
            continue
        if keys[: len(here)] == here and len(here) > best:
            best, found = len(here), number
    return found


_HEADER = re.compile(r"\s*\[{1,2}")
_PART = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([\w-]+))\s*""")


def _key(line: str, at: int) -> tuple[tuple[str, ...], int]:
    """The parts of the dotted key that begins there, and where it ends; each character is looked at once."""
    parts: list[str] = []
    while part := _PART.match(line, at):
        parts.append(part[1] or part[2] or part[3] or "")
        at = part.end()
        if not line.startswith(".", at):
            break
        at += 1
    return tuple(parts), at
