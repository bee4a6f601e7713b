"""How often the results of a call were written whose tensors are all inference tensors (`inference.json`, measured).

Outside of inference mode autograd sees nothing of such a call, but the result is a normal tensor: what the operator
does in place to it counts, which else happens below the level at which versions are counted.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

PATH = Path(__file__).with_name("inference.json")

Times = tuple[int, int]
"""from so often to so often"""


@cache
def _table() -> dict[str, list[list[int] | None]]:
    found: dict[str, list[list[int] | None]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def find(name: str, result: int) -> Times | None:
    """Return from how often to how often a result of its own was written; None where nobody has measured it."""
    known = _table().get(name, [])
    told = known[result] if result < len(known) else None
    return (told[0], told[1]) if told is not None else None


def write(known: dict[str, list[list[int] | None]]) -> None:
    """Write the file, one line a callable."""
    rows = [f"{json.dumps(name)}:{json.dumps(told, separators=(',', ':'))}" for name, told in known.items()]
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
