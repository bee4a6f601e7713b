"""Where a call goes on with views of what it was given, or gives a view of what it has made (`views.json`, measured).

An operator that is made of others saves what it has made of its argument: a view, or one of several pieces, whose
node is asked for when it is unpacked. A result that it has reshaped last is a view, which under `no_grad` must not be
written in grad mode afterwards.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any, Literal

PATH = Path(__file__).with_name("views.json")

Form = Literal["itself", "view", "pieces"]
"""As what an argument is saved: `itself`; a `view` or a copy of it, if only at times; one of the `pieces` of it that
one call has made."""


@cache
def _table() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(PATH.read_text(encoding="utf-8"))
    return found


def saved_as(name: str, parameter: str) -> Form:
    """Return as what a call saves an argument."""
    form: Form = _table().get(name, {}).get("saved", {}).get(parameter, "itself")
    return form


def gives_view(name: str, result: int, rank: int) -> bool:
    """Return whether a result of so many dimensions, in memory of its own, is a view of another tensor."""
    known: list[list[int]] = _table().get(name, {}).get("results", [])
    return result < len(known) and rank in known[result]


def write(known: dict[str, dict[str, Any]]) -> None:
    """Write the file, one line a callable."""
    rows = [f"{json.dumps(name)}:{json.dumps(told, separators=(',', ':'))}" for name, told in known.items()]
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
