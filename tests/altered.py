"""One fact of the table altered, to see that what rests on it is noticed."""

from __future__ import annotations

from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from gradguard.facts.encoding import decode
from gradguard.facts.releases import BASE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def altered(name: str, change: Callable[[dict[str, Any]], object]) -> Iterator[None]:
    """A context in which the first case of one fact in the table is another."""
    row = deepcopy(BASE.rows("table").get(name))
    change(row["cases"][0])
    before = BASE.table.find(name)
    BASE.table._known[name] = decode(name, row)
    try:
        yield
    finally:
        BASE.table._known[name] = before
