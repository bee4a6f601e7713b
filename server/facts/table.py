"""The measured table: what is known of a PyTorch callable, by its users' name.

The table's lines are decoded one by one, when asked for: reading the file is all that loading costs.
"""

from __future__ import annotations

import json
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from .encoding import decode

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Fact

PATH = Path(__file__).with_name("table.json")


@lru_cache
def _text() -> str:
    return PATH.read_text(encoding="utf-8")


@cache
def find(name: str) -> Fact | None:
    """Return the fact of a callable such as `torch.nn.functional.relu` or `operator.imul`, None if there is none."""
    text, key = _text(), f'\n"{name}":'
    start = text.find(key)
    if start < 0:
        return None
    end = text.index("\n", start + len(key))
    return decode(name, json.loads(text[start + len(key) : end].rstrip(",")))


def read(path: Path) -> list[Fact]:
    """Return all facts of a table's file."""
    return [decode(name, plain) for name, plain in json.loads(path.read_text(encoding="utf-8")).items()]


def names() -> Iterable[str]:
    """Return the names of all callables in the table, sorted."""
    return (line[1 : line.index('":')] for line in _text().splitlines() if line.startswith('"'))
