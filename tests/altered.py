"""One fact of the table altered, to see that what rests on it is noticed."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from gradguard.facts import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@contextmanager
def altered(name: str, change: Callable[[dict[str, Any]], object]) -> Iterator[None]:
    """A context in which the first case of one fact in the table is another."""
    lines = table._lines()
    line = lines[name]
    plain = json.loads(line)
    change(plain["cases"][0])
    lines[name] = json.dumps(plain)
    table.find.cache_clear()
    try:
        yield
    finally:
        lines[name] = line
        table.find.cache_clear()
