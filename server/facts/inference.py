"""What autograd sees of calls whose tensors are all inference tensors (`inference.json`, measured).

Outside of inference mode autograd sees nothing of such a call, but the result is a normal tensor: what the operator
does in place to it counts, which else happens below the level at which versions are counted. An operator that goes
on with a tensor of its own making is seen from there on.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

PATH = Path(__file__).with_name("inference.json")

Times = tuple[int, int]
"""from so often to so often"""


@dataclass(frozen=True, slots=True)
class Seen:
    """What the samples of a callable showed. The file leaves out what is False or None."""

    written: tuple[Times | None, ...]
    """how often each result of its own was written; None where nobody has measured it"""
    seen: bool | None = False
    """whether results require grad where an argument does; None: those of some samples"""
    refused: bool = False
    """whether all samples with a tensor that requires grad are refused, for an `out=` that the operator uses itself"""


@cache
def _table() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


@cache
def find(name: str) -> Seen | None:
    """Return what is known of a callable."""
    known = _table().get(name)
    if known is None:
        return None
    written = tuple(one and (one[0], one[1]) for one in known.get("written", ()))
    return Seen(written, known.get("seen", False), known.get("refused", False))


def write(known: dict[str, Seen]) -> None:
    """Write the file, one line a callable."""
    rows = [f"{json.dumps(name)}:{json.dumps(_plain(told), separators=(',', ':'))}" for name, told in known.items()]
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")


def _plain(told: Seen) -> dict[str, Any]:
    plain: dict[str, Any] = {"written": [one and list(one) for one in told.written]} if told.written else {}
    if told.seen is not False:
        plain["seen"] = told.seen
    if told.refused:
        plain["refused"] = True
    return plain
