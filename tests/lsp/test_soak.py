"""A short form of `make soak`."""

from __future__ import annotations

import sys

import pytest

from ..workspace.editing import FILES
from .soak import ENCODINGS, Session


@pytest.mark.skipif(sys.platform != "linux", reason="reads how much memory a process has from /proc")
@pytest.mark.parametrize(("encoding", "number"), [(encoding, n) for n, encoding in enumerate(ENCODINGS)])
def test_a_session_ends_as_a_fresh_server_would(encoding: str, number: int) -> None:
    Session(FILES[2 * number + 1], encoding, seed=5 + number).run(edits=30, every=6)
