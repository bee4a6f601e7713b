"""The measured rows of one kind: those of the base, some of them replaced by what differs in a release.

A file has one row a line, so that loading it need not parse it. A row is decoded when it is asked for:

    {
    "torch.exp":{"params":"input", …},     # lines: {"torch.exp": '{"params":"input", …}'}
    "torch.exp2":{"params":"input", …}     # get("torch.exp"): {"params": "input", …}
    }
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

HERE = Path(__file__).parent


class Rows:
    """The rows of one kind by name. `over` has the rows that differ from the base, None for one that is missing."""

    def __init__(self, kind: str, over: Mapping[str, Any]) -> None:
        self._lines = lines(path_of(kind))
        self._over = over
        self._known: dict[str, Any] = {}

    def get(self, name: str) -> Any:
        """Return the row of a name as plain data; None if there is none."""
        if name in self._over:
            return self._over[name]
        if name not in self._known:
            line = self._lines.get(name)
            self._known[name] = None if line is None else json.loads(line)
        return self._known[name]

    def names(self) -> Iterable[str]:
        """Return the names of all rows, sorted."""
        if not self._over:
            return self._lines.keys()
        gone = {name for name, row in self._over.items() if row is None}
        return sorted((self._lines.keys() | self._over.keys()) - gone)

    def all(self) -> dict[str, Any]:
        """Return all rows by name, each decoded."""
        return {name: self.get(name) for name in self.names()}

    def mentioning(self, text: str) -> list[str]:
        """Return the names of the rows whose JSON contains a text, and of all that differ from the base.

        It saves decoding the others: the caller still has to look at the rows that it gets.
        """
        over = self._over
        named = [name for name, line in self._lines.items() if text in line and name not in over]
        return [*named, *(name for name, row in over.items() if row is not None)]


def path_of(kind: str) -> Path:
    """Return the path of the file that has the base's rows of a kind."""
    return HERE / f"{kind}.json"


@cache
def lines(path: Path) -> Mapping[str, str]:
    """Return the rows of a file by name, each as JSON that isn't decoded yet; `written` made the file."""
    rows = path.read_text(encoding="utf-8").splitlines()[1:-1]
    return {row[1 : (end := row.index('":'))]: row[end + 2 :].rstrip(",") for row in rows}


def written(rows: Mapping[str, Any]) -> str:
    """Return the text of a file: one row a line, sorted by name."""
    told = [f"{json.dumps(name)}:{json.dumps(rows[name], separators=(',', ':'))}" for name in sorted(rows)]
    return "{\n" + ",\n".join(told) + "\n}\n"
