"""Reading files that may be anything: a device, a pipe that nobody writes to, or too large for memory."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""the most bytes that a file may have; no program has so many"""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Special(OSError):
    """Not a regular file, or one too large to be written by hand; `strerror` says what it is."""


def read_regular_file(path: str | Path) -> bytes:
    """The bytes of a regular file, or of one that a link leads to. Never blocks.

    Raises OSError if there is none or it cannot be read; Special for devices, pipes, and files that are too large.
    """
    _regular(os.stat(path))  # opening a device may have effects
    with open(os.open(path, _FLAGS), "rb") as file:
        _regular(os.fstat(file.fileno()))
        data = file.read(LARGEST + 1) or b""
    if len(data) > LARGEST:
        raise _too_large()
    return data


def _regular(status: os.stat_result) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise Special(errno.EINVAL, "is not a regular file")
    if status.st_size > LARGEST:
        raise _too_large()


def _too_large() -> Special:
    return Special(errno.EFBIG, f"is larger than {LARGEST // 1024 // 1024} MB")
