"""Several servers at once, on one cache and one core."""

from __future__ import annotations

import os
import sys
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from .soak import Peer

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="chooses a core")


def test_three_servers_on_one_cache_and_one_core(tmp_path: Path, stale: str) -> None:
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()
    files = [project / f"m{number}.py" for number in range(6)]
    for number, file in enumerate(files):
        file.write_text("\n" * number + stale)
    core = min(os.sched_getaffinity(0))
    for _ in range(2):  # the second time there is something to recall
        crowd = [Peer("utf-16", cache) for _ in range(3)]
        for peer in crowd:
            os.sched_setaffinity(peer.process.pid, {core})
        told = [[peer.open(file.as_uri(), file.read_text()) for file in files] for peer in crowd]
        assert told[0] == told[1] == told[2]
        lines = [[found["range"]["start"]["line"] for found in each] for each in told[0]]
        assert lines == [[number + 3] for number in range(6)]
        for peer in crowd:
            peer.rest(cache, len(files))
            peer.end()
    kept = list(cache.glob("*.json"))
    assert len(kept) == len(files)
    for file in kept:  # a server may be ended while it writes: what has its name is whole all the same
        checksum, _, body = file.read_bytes().partition(b"\n")
        assert checksum.decode() == blake2b(body, digest_size=16).hexdigest()
