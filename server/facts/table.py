"""The measured table of facts (`table.json`): PyTorch's callables by the names that users call them by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .encoding import decode
from .model import Op

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Fact
    from .rows import Rows


class Table:
    """The table of one release."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._known: dict[str, Fact | None] = {}

    def find(self, name: str) -> Fact | None:
        """Return the fact of a callable, such as `torch.nn.functional.relu` or `operator.imul`; None if it has none."""
        if name not in self._known:
            row = self._rows.get(name)
            self._known[name] = None if row is None else decode(name, row)
        return self._known[name]

    def operator(self, name: str) -> Op | None:
        """Return the fact of a function or method; None if there is none, or if the name is a class's."""
        fact = self.find(name)
        return fact if isinstance(fact, Op) else None

    def makers(self, node: str) -> list[str]:
        """Return the callables whose result has a grad_fn of that name (`ExpBackward0`), the shortest names first."""
        named = (name for name in self._rows.mentioning(f'"{node}"') if _makes(self.find(name), node))
        return sorted(named, key=lambda name: (len(name), name))

    def names(self) -> Iterable[str]:
        """Return the names of all callables in the table, sorted."""
        return self._rows.names()


def _makes(fact: Fact | None, node: str) -> bool:
    return any(case.node == node for case in getattr(fact, "cases", ()))
