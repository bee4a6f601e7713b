"""Texts that nobody should write, and somebody opens."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from lsprotocol import types

if TYPE_CHECKING:
    from .conftest import Editor

LARGE = {
    "50,000 lines": "x = 1\n" * 50_000,
    "a line of 100,000 characters": f"s = '{'é😀' * 50_000}'\n",
    "a line of 100,000 operands": f"n = {'1 + ' * 100_000}1\n",
    "500 nested parentheses": f"n = {'(' * 500}1{')' * 500}\n",
    "5,000 nested brackets": f"n = {'[' * 5000}{']' * 5000}\n",
    "10,000 functions": "".join(f"def f{n}(x):\n    return x\n" for n in range(10_000)),
}


@pytest.mark.parametrize("size", LARGE)
async def test_what_is_below_is_still_found(editor: Editor, stale: str, size: str) -> None:
    text = LARGE[size] + stale
    line = text.count("\n") - 2
    (found,) = await asyncio.wait_for(editor.open("a.py", text), 60)
    assert (found.code, found.range.start) == ("GG101", types.Position(line, 0))
    edit = types.Range(types.Position(line, 0), types.Position(line, 4))
    assert await editor.change("a.py", types.TextDocumentContentChangePartial(edit, "y = y +")) == []
    assert await editor.hover("a.py", line, 0)
