"""Reading files that may be anything: a device, a pipe that nobody writes to, more than fits into the memory."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LARGEST = 64 * 1024 * 1024
"""Bytes that a file may have; no program has so many."""

_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)


class Special(OSError):
    """What is no regular file, or too large to be one that somebody wrote; `strerror` says what it is."""


def read_regular_file(path: str | Path) -> bytes:
    """The bytes of a regular file, or of one that a link leads to. Never waits.

    Raises OSError where there is none, or it cannot be read; Special for devices, pipes, and what is too large.
    """
    _regular(os.stat(path))  # to open a device may do something
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
