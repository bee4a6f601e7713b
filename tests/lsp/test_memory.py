"""What an earlier session found is shown at once, and then found again."""

from __future__ import annotations

import asyncio
import hashlib
import sys
from typing import TYPE_CHECKING

from gradguard.lsp.analysis import ProjectAnalyser
from gradguard.lsp.documents import tidy
from gradguard.lsp.memory import FOLDER
from gradguard.lsp.settings import Settings
from gradguard.workspace.files import Document as File
from lsprotocol import types

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from .conftest import Start

REMEMBERED = "HAS BEEN CHANGED"
LONG = "def f(x):\n    y = x.exp()\n    return y + 1\n" * 100


async def kept(cache: Path) -> Path:
    """Wait until a session that is left in peace has kept something."""
    for _ in range(200):
        if found := list(cache.glob("*.json")):
            return found[0]
        await asyncio.sleep(0.1)
    raise AssertionError("nothing was kept")


def rewrite(entry: Path) -> None:
    """Have it say what no analysis would."""
    body = entry.read_bytes().partition(b"\n")[2].replace(b"which this changes", REMEMBERED.encode())
    entry.write_bytes(hashlib.blake2b(body, digest_size=16).hexdigest().encode() + b"\n" + body)


async def test_a_document_that_is_as_it_was(start: Start, stale: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "a.py").write_text(stale)
    first = await start(cache=cache)
    (found,) = await first.open("a.py", stale)
    rewrite(await kept(cache))
    second = await start(cache=cache)
    (shown,) = await second.open("a.py", stale)
    assert REMEMBERED in shown.message
    assert (shown.range, shown.code) == (found.range, found.code)
    assert await second.published(second.uri("a.py"), 1) == [found]


async def test_a_document_that_is_not_saved_or_was_changed(start: Start, stale: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "a.py").write_text(stale)
    await (await start(cache=cache)).open("a.py", stale)
    rewrite(await kept(cache))
    unsaved = await (await start(cache=cache)).open("a.py", f"\n{stale}")
    assert [REMEMBERED in one.message for one in unsaved] == [False]
    (tmp_path / "a.py").write_text(f"\n{stale}")
    saved = await (await start(cache=cache)).open("a.py", f"\n{stale}")
    assert [REMEMBERED in one.message for one in saved] == [False]


async def test_other_settings_are_another_question(start: Start, stale: str, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    (tmp_path / "a.py").write_text(stale)
    await (await start(cache=cache)).open("a.py", stale)
    rewrite(await kept(cache))
    assert await (await start(cache=cache, options={"ignore": ["GG101"]})).open("a.py", stale) == []
    (chinese,) = await (await start(cache=cache, locale="zh-cn")).open("a.py", stale)
    assert REMEMBERED not in chinese.message and chinese.severity == types.DiagnosticSeverity.Error


def test_of_files_that_nobody_has_open_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many files are opened and closed, memory holds those that are open and what they import."""
    monkeypatch.setenv(FOLDER, "")
    analyser = ProjectAnalyser()
    analyser.configure(Settings(), [str(tmp_path)], "en")
    sizes = []
    for number in range(24):
        (tmp_path / f"helper{number}.py").write_text(LONG)
        path = str(tmp_path / f"main{number}.py")
        files = {path: File(path, f"import torch, helper{number}\nx = torch.ones(3)\n{LONG}")}
        analyser.analyse(path, files)
        analyser.rest(files)
        tidy()
        sizes.append(sys.getallocatedblocks())
    assert sizes[-1] < sizes[7] * 1.02, sizes
    analyser.rest({})
    tidy()
    assert sys.getallocatedblocks() < sizes[-1] - LONG.count("\n"), "what was closed is gone"
