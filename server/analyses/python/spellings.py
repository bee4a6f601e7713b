"""Names of which a program writes only a part: `getattr(nn, f"Conv{dims}d")`, where nobody knows `dims`.

The module has few names that fit (`Conv1d`, `Conv2d`, `Conv3d`), and each is followed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..domain import registry
from ..domain.known import key_of
from ..domain.values import Lib, ModuleV
from . import attributes, containers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...syntax import ir
    from ..domain.values import Unknown, Value
    from .machine import Machine

TEXT = "text"
PARTS = (r"\d+", r"\w+")
"""What an unknown part may be: a number, and if no name fits then, any part of a name."""


def key(e: ir.JoinedStr, values: Iterable[Value]) -> tuple[object, ...]:
    """The key of an f-string's unknown text, from which `attribute` reads the known parts."""
    return (TEXT, tuple(e.text), *map(key_of, values))


def attribute(m: Machine, v: Value, name: Unknown) -> Value | None:
    """The attribute of a module by a name that is known in part; None if no name fits."""
    if not (isinstance(name.key, tuple) and name.key[0] == TEXT):
        return None
    found = fitting(names(m, v), name.key[1])
    return containers.any_of(m, {one: attributes.get(m, v, one) for one in found}, name) if found else None


def fitting(known: list[str], written: Iterable[str]) -> list[str]:
    """Those of the names that have the written parts, in their order."""
    text = [re.escape(part) for part in written]
    matches = (re.compile(part.join(text)).fullmatch for part in PARTS if any(text))
    return next((found for match in matches if (found := [one for one in known if match(one)])), [])


def names(m: Machine, v: Value) -> list[str]:
    """The public names in a module, sorted: one of the program, or those of a library that the replay knows."""
    if isinstance(v, ModuleV):
        found = {one for one in v.frame.variables if isinstance(one, str)}
    elif isinstance(v, Lib):
        start = f"{v.name}."
        found = {one.removeprefix(start) for one in registry.names(m.facts) if one.startswith(start)}
    else:
        found = set()
    return sorted(one for one in found if one.isidentifier() and not one.startswith("_"))
