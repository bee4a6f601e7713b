"""Writing mended files: a file that is as it was analysed is replaced in one step, and any other is left alone."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from typing import TYPE_CHECKING

from .files import decode_document
from .mending import written
from .problems import Problem, Unreadable
from .reading import read_regular_file

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .files import Document
    from .mending import Mended


def save(mended: Mended, paths: Sequence[str], named: Sequence[str]) -> list[Problem]:
    """Write those of the changed files that are among `paths`; return what is wrong with the others.

    A file is left as it is if it no longer holds what was analysed, if it is a link that leads out of the
    `named` files and folders, or if the disk refuses. So are the other files of a fix that would change it. Files
    that are left are moved from `mended.changed` to `mended.left`.
    """
    problems = {path: found for path in paths if path in mended.after and (found := _hindrance(mended, path, named))}
    left = set(problems)
    for path in paths:
        if path in mended.after and path not in _joined(mended, left):
            problem = _write(path, mended.after[path])
            if problem is not None:
                problems[path] = problem
                left.add(path)
    left = _joined(mended, left)
    mended.changed = [one for one in mended.changed if not one.files & left]
    mended.left = left
    return list(problems.values())


def _joined(mended: Mended, left: set[str]) -> set[str]:
    """These files, and all that a fix changes together with one of them."""
    found = set(left)
    while more := [one.files for one in mended.changed if one.files & found and not one.files <= found]:
        found.update(*more)
    return found


def _hindrance(mended: Mended, path: str, named: Sequence[str]) -> Problem | None:
    """Why a file must not be written, if anything."""
    target = os.path.realpath(path)
    if not any(_is_within(target, os.path.realpath(one)) for one in named):
        return Problem(path, f"is a link to {target}, which was not named: it is left as it is")
    try:
        data = read_regular_file(path)
    except OSError as error:
        return Problem(path, f"cannot be mended: {error.strerror or error}")
    if _holds(data, mended.before[path]) or data == written(mended.after[path]):
        return None  # unchanged, or already mended: by another run, or under another name
    return Problem(path, "is no longer what was checked: it is left as it is")


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _holds(data: bytes, document: Document) -> bool:
    """Whether a file is the document byte for byte; a notebook, written in Jupyter's layout, is compared by content."""
    try:
        if document.notebook is None:
            return written(document) == data
        return decode_document(data, document.path) == document
    except (Unreadable, UnicodeError):
        return False


def _write(path: str, document: Document) -> Problem | None:
    """Replace a file, or the one that a link leads to; return the reason if that is impossible."""
    target = os.path.realpath(path)
    try:
        data = written(document)
        if not os.access(target, os.W_OK):
            raise PermissionError("it is read-only")
        replace_file(target, data)
    except OSError as error:
        return Problem(path, f"cannot be written: {error.strerror or error}")
    except UnicodeError:
        return Problem(path, f"cannot be written in its encoding ({document.encoding})")
    return None


def replace_file(path: str, data: bytes) -> None:
    """Write aside and rename: whatever happens, there is either the old file or the complete new one. Raises OSError.

    The new file has the mode of the old one, and its owner if possible.
    """
    status = os.stat(path)
    handle, aside = tempfile.mkstemp(prefix=".gradguard-", suffix=".new", dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if hasattr(os, "chown"):
            with suppress(OSError):
                os.chown(aside, status.st_uid, status.st_gid)
        shutil.copymode(path, aside)
        os.replace(aside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(aside)
        raise
