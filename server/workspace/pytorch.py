"""Which release of PyTorch a project runs with, as far as files on the disk show: nothing is run or imported.

These are asked in order: the setting; the environment that the editor has chosen; one beside the project's files; the
active one; what lock files and manifests pin; the environment that GradGuard is in, and the Python that the shell finds
first, which are the project's own if somebody works in one environment; else the newest measured release.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..facts import releases
from .reading import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ..facts.releases import Facts

ENVIRONMENTS = (".venv", "venv", "env", ".conda")
"""usual names of the environment beside a project's files"""

LOCKS = ("uv.lock", "poetry.lock", "pdm.lock", "pylock.toml")

CONDA = ("environment.yml", "environment.yaml", "conda.yml", "conda.yaml")

MANIFESTS = (*LOCKS, "pyproject.toml", "requirements*.txt", "requirements/*.txt", *CONDA)
"""the files that may name the release, as patterns"""


@dataclass(frozen=True, slots=True)
class Release:
    """A release of PyTorch, and the place that says that the project uses it."""

    number: str
    why: str

    @property
    def judged_by(self) -> str:
        """The measured release whose facts are used."""
        return releases.nearest(self.number)

    @property
    def facts(self) -> Facts:
        """The facts that are used."""
        return releases.of(self.judged_by)

    def __str__(self) -> str:
        nearest = "" if self.judged_by == measured(self.number) else f", judged by the facts of {self.judged_by}"
        return f"PyTorch {self.number} ({self.why}{nearest})"


def measured(number: str) -> str:
    """Return a release without its patch number: `2.8` of `2.8.1+cu126`."""
    return ".".join(map(str, releases.version(number)))


def release_of(root: Path, asked: str | None = None, python: str | None = None) -> Release:
    """Return the release that the files below `root` run with.

    `asked` is the release that the configuration names, `python` the Python that the editor has chosen.
    """
    if asked is not None:
        return Release(asked, "`torch` in the settings")
    chosen = [] if python is None else [_prefix(Path(python))]
    return _of_environments([*chosen, *_around(root)]) or _pinned(root) or _of_this_machine() or _newest()


def _newest() -> Release:
    return Release(releases.names()[-1], "nothing tells which: the newest that was measured")


# -- environments ---------------------------------------------------------------------------------


def _around(root: Path) -> Iterator[Path]:
    """Yield the folders of environments beside the project's files, and of the one that is active."""
    for folder in _project(root):
        yield from (folder / name for name in ENVIRONMENTS)
    for variable in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if active := os.environ.get(variable):
            yield Path(active)


def _project(root: Path) -> list[Path]:
    """Return the folder of a configuration, and those above it up to the top of its repository."""
    folders = [root, *root.parents]
    top = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), 0)
    return folders[: top + 1]


def _of_this_machine() -> Release | None:
    """Return the release beside GradGuard, or beside the Python that the shell finds first."""
    for folder in sys.path:
        if found := _installed(Path(folder)):
            return Release(found, f"in {_shown(Path(folder))}, beside GradGuard")
    python = shutil.which("python3") or shutil.which("python")
    return None if python is None else _of_environments([_prefix(Path(python))])


def _prefix(python: Path) -> Path:
    """Return the folder of the environment that a Python is in."""
    return python.parent.parent if python.parent.name in ("bin", "Scripts") else python.parent


def _of_environments(prefixes: Iterable[Path]) -> Release | None:
    for prefix in prefixes:
        places = [*prefix.glob("lib/python3*/*-packages"), prefix / "Lib/site-packages", prefix / "conda-meta"]
        for place in sorted(places, reverse=True):
            if found := _installed(place):
                return Release(found, f"in {_shown(prefix)}")
    return None


_METADATA = re.compile(r"torch-(\d[^-]*)(?:-py[\d.]+)?\.(?:dist|egg)-info|pytorch-(\d[^-]*)-.*\.json")


def _installed(folder: Path) -> str | None:
    """Return the release whose metadata is in a folder of packages."""
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return None
    found = (match[1] or match[2] for name in names if (match := _METADATA.fullmatch(name)))
    return next(filter(is_release, found), None)


def is_release(number: str) -> bool:
    """Whether a text is the number of a release: `2.8`, `2.8.1+cu126`."""
    try:
        releases.version(number)
    except ValueError:
        return False
    return True


# -- lock files and manifests ---------------------------------------------------------------------


def _pinned(root: Path) -> Release | None:
    for folder in _project(root):
        for pattern in MANIFESTS:
            for path in sorted(folder.glob(pattern)):
                if number := _told(path):
                    return Release(number, f"by {_shown(path)}")
    return None


_IN_LOCK = re.compile(r"^\[\[packages?\]\]\r?\nname = \"torch\"\r?\nversion = \"([^\"\n]+)\"", re.MULTILINE)
_IN_CONDA = re.compile(r"^[ \t]*-[ \t]*[\"']?(?:[\w-]+::)?(?:py)?torch(?![\w-])([^#\"'\n]*)", re.MULTILINE)
_IN_REQUIREMENTS = re.compile(r"^[ \t]*torch(?![\w-])(?:\[[^]\n]*\])?([^;#\n]*)", re.MULTILINE)
_REQUIREMENT = re.compile(r"[ \t]*torch(?![\w-])(?:\[[^]]*\])?([^;]*)")
_CONDITION = re.compile(r"(?<![<>!=~])(===?|~=|<=?|=|~)[ \t]*(\d{1,4}(?:\.\d{1,4})*)")


def _told(path: Path) -> str | None:
    """Return the release that a file pins or bounds from above; None if it does neither, or can't be read."""
    try:
        text = read_regular_file(path).decode("utf-8", errors="replace")
    except OSError:
        return None
    if path.name in LOCKS:
        return _locked(text)
    if path.name in CONDA:
        return _first(_IN_CONDA.findall(text))
    if path.suffix == ".toml":
        return _first(_of_pyproject(text))
    return _first(_IN_REQUIREMENTS.findall(text))


def _locked(text: str) -> str | None:
    """Return the release in a lock file, found by a pattern: tools write tables alike, and parsing is slow."""
    match = _IN_LOCK.search(text)
    return match[1] if match and is_release(match[1]) else None


def _of_pyproject(text: str) -> Iterator[str]:
    """Yield what a pyproject.toml asks of PyTorch: its conditions, without its name."""
    # Most projects have an environment: the parser is imported for those that don't.
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        table: Any = tomllib.loads(text)
    except (ValueError, RecursionError):
        return
    project, groups = _table(table.get("project")), _table(table.get("dependency-groups"))
    lists = [project.get("dependencies"), *_table(project.get("optional-dependencies")).values(), *groups.values()]
    for some in lists:
        for one in some if isinstance(some, list) else ():
            if isinstance(one, str) and (match := _REQUIREMENT.match(one)):
                yield match[1]
    wanted = _table(_table(_table(table.get("tool")).get("poetry")).get("dependencies")).get("torch")
    wanted = wanted.get("version") if isinstance(wanted, dict) else wanted
    if isinstance(wanted, str):
        yield wanted if wanted.lstrip()[:1] in "^~<>=!" else f"=={wanted}"


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _first(conditions: Iterable[str]) -> str | None:
    return next(filter(None, map(_newest_that, conditions)), None)


def _newest_that(conditions: str) -> str | None:
    """Return the newest release that conditions (`>=2.4,<2.7`) allow; None if they have no upper bound."""
    found: list[str] = []
    for how, number in _CONDITION.findall(conditions):
        parts = [int(part) for part in number.split(".")[:3]]
        if len(parts) < 2 or (how == "~=" and len(parts) == 2):
            continue  # it names a major release at most
        if how == "<" and not any(parts[2:]):
            parts[1] -= 1
        if parts[1] >= 0:
            found.append(".".join(map(str, parts[:2])) if how in ("<", "<=") else number)
    return min(found, key=releases.version, default=None)


def _shown(path: Path) -> str:
    """Return a path relative to the working directory if it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (ValueError, OSError):
        return str(path)
