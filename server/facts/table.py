"""The measured table: what is known of a PyTorch callable, by its users' name.

The table's lines are decoded one by one, when asked for: reading the file is all that loading costs.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from .encoding import decode
from .model import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Fact

PATH = Path(__file__).with_name("table.json")


@cache
def _lines() -> dict[str, str]:
    """Return the facts by name as JSON, not decoded yet."""
    rows = PATH.read_text(encoding="utf-8").splitlines()[1:-1]
    return {row[1 : (end := row.index('":'))]: row[end + 2 :].rstrip(",") for row in rows}


@cache
def find(name: str) -> Fact | None:
    """Return the fact of a callable such as `torch.nn.functional.relu` or `operator.imul`, None if there is none."""
    line = _lines().get(name)
    return decode(name, json.loads(line)) if line is not None else None


def operator(name: str) -> Op | None:
    """Return the fact of a function or method, None if there is none: of a class, for instance."""
    fact = find(name)
    return fact if isinstance(fact, Op) else None


def makers(node: str) -> list[str]:
    """Return the callables whose result has a grad_fn of that name (`ExpBackward0`), the shortest names first."""
    named = [name for name, line in _lines().items() if f'"{node}"' in line]
    return sorted((name for name in named if _makes(find(name), node)), key=lambda name: (len(name), name))


def _makes(fact: Fact | None, node: str) -> bool:
    return any(case.node == node for case in getattr(fact, "cases", ()))


def read(path: Path) -> list[Fact]:
    """Return all facts of a table's file."""
    return [decode(name, plain) for name, plain in json.loads(path.read_text(encoding="utf-8")).items()]


def names() -> Iterable[str]:
    """Return the names of all callables in the table, sorted."""
    return _lines().keys()
