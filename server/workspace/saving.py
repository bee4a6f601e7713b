"""Writing mended files: what was analysed is replaced in one step, and anything else is left alone."""

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
    """Write those of the changed files that are among `paths`; gives what is wrong with the others.

    A file is left as it is where it no longer holds what was analysed, where it is a link that leads out of the
    `named` files and folders, or where the disk refuses. So are the other files of a fix that would change it. What
    is left is no longer counted in `mended.changed`, but told in `mended.left`.
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
    """With these files, all that fixes change together with one of them."""
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
        return None  # as it was, or mended already: by another run, or by another name
    return Problem(path, "is no longer what was checked: it is left as it is")


def _is_within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _holds(data: bytes, document: Document) -> bool:
    """Whether a file is the document to the byte; a notebook, which is written as Jupyter does, by what it says."""
    try:
        if document.notebook is None:
            return written(document) == data
        return decode_document(data, document.path) == document
    except (Unreadable, UnicodeError):
        return False


def _write(path: str, document: Document) -> Problem | None:
    """Replace a file, or the one that a link leads to; gives why that is not possible."""
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
    """Write aside and rename: there is the old file or the new one, whole, whatever happens. Raises OSError.

    The new file has the mode of the old one, and its owner where that is possible.
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
