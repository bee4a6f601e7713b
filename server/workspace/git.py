"""The files, beside `.gitignore`, in which git looks for patterns to ignore: https://git-scm.com/docs/gitignore.

Git is not run: its files are read. Only the user's own configuration counts, not that of a repository, which may
come from anywhere.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from .reading import read_regular_file

_EXCLUDES_FILE = re.compile(r'^\s*excludesfile\s*=\s*"?([^"\n]*?)"?\s*$', re.IGNORECASE | re.MULTILINE)
_GITDIR = re.compile(r"gitdir: (.*)")


def exclude_files(top: Path) -> list[Path]:
    """The files whose patterns apply in the whole repository in the folder `top`; the later one takes precedence."""
    folder = _git_folder(top)
    return [] if folder is None else [_users_file(), folder / "info" / "exclude"]


def _git_folder(top: Path) -> Path | None:
    """The folder that keeps the repository; in a worktree or a submodule `.git` is a file that leads there."""
    place = top / ".git"
    if place.is_dir():
        return place
    if not place.is_file() or (found := _GITDIR.match(_text(place))) is None:
        return None
    folder = top / found[1].strip()
    common = _text(folder / "commondir").strip()
    return folder / common if common else folder


def _users_file() -> Path:
    """The file that `core.excludesFile` names, or the one that git looks for without that setting."""
    folder = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "git"
    told = None
    for configuration in (folder / "config", Path.home() / ".gitconfig"):
        for found in _EXCLUDES_FILE.finditer(_text(configuration)):
            told = found[1]
    return Path(os.path.expanduser(told)) if told else folder / "ignore"


def _text(path: Path) -> str:
    """The text of a small file; empty if it cannot be read."""
    try:
        return read_regular_file(path).decode("utf-8-sig")
    except (OSError, ValueError):
        return ""
