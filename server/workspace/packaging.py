"""Where the manifests of a project (pyproject.toml, setup.cfg) say that its packages are."""

from __future__ import annotations

import sys
from configparser import ConfigParser, Error
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .reading import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(slots=True)
class Declared:
    """Folders of code, relative to the manifest: `folders` hold packages, `packages` are packages by their names."""

    folders: list[str] = field(default_factory=list)
    packages: dict[str, str] = field(default_factory=dict)


FOLDERS = (
    "tool.setuptools.packages.find.where",
    "tool.hatch.build.sources",
    "tool.hatch.build.targets.wheel.sources",
    "tool.uv.build-backend.module-root",
    "tool.pdm.build.package-dir",
    "tool.maturin.python-source",
    "tool.pytest.ini_options.pythonpath",
    "tool.mypy.mypy_path",
    "tool.pyright.extraPaths",
    "tool.basedpyright.extraPaths",
    "tool.ruff.src",
)
"""Settings that name folders of code, each a text or a list of them."""


def declared(folder: Path) -> Declared:
    """What the manifests in a folder say; nothing where they can't be read."""
    found = Declared()
    for key, value in (*_pyproject(folder), *_setup_cfg(folder)):
        if key == "":
            found.folders.append(value)
        else:
            found.packages[key] = value
    return found


def _pyproject(folder: Path) -> Iterator[tuple[str, str]]:
    """Pairs of a package and its folder; "" for a folder that holds packages."""
    try:
        table = tomllib.loads(read_regular_file(folder / "pyproject.toml").decode())
    except (OSError, ValueError, RecursionError):
        return
    for key in FOLDERS:
        yield from (("", one) for one in _texts(_at(table, key)))
    yield from _mapped(_at(table, "tool.setuptools.package-dir"))
    for package in _list(_at(table, "tool.poetry.packages")):
        if isinstance(package, dict):
            yield from (("", one) for one in _texts(package.get("from")))
    for package in _texts(_at(table, "tool.hatch.build.targets.wheel.packages")):
        place, _, name = package.rpartition("/")
        yield (name, package) if place else ("", "")


def _setup_cfg(folder: Path) -> Iterator[tuple[str, str]]:
    parser = ConfigParser(interpolation=None)
    try:
        parser.read_string(read_regular_file(folder / "setup.cfg").decode())
    except (OSError, Error, ValueError):
        return
    lines = parser.get("options", "package_dir", fallback="").splitlines()
    yield from ((key.strip(), value.strip()) for key, is_pair, value in (x.partition("=") for x in lines) if is_pair)
    if where := parser.get("options.packages.find", "where", fallback=""):
        yield "", where


def _mapped(value: Any) -> Iterator[tuple[str, str]]:
    """A table of folders by package."""
    if isinstance(value, dict):
        yield from ((key, one) for key, one in value.items() if isinstance(one, str))


def _at(table: Any, key: str) -> Any:
    for part in key.split("."):
        table = table.get(part) if isinstance(table, dict) else None
    return table


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


def _texts(value: Any) -> list[str]:
    return [one for one in _list(value) if isinstance(one, str)]
