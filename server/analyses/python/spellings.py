"""Names of which a program writes only a part: `getattr(nn, f"Conv{dims}d")`, where nobody knows `dims`.

The module has few names that fit (`Conv1d`, `Conv2d`, `Conv3d`), and each is followed. `"Conv{}d".format(dims)`,
`"Conv%dd" % dims` and `"Conv" + dims` are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from string import Formatter
from typing import TYPE_CHECKING

from ..domain import registry
from ..domain.known import TEXT, key_of
from ..domain.values import Lib, ModuleV, Unknown
from . import attributes, containers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..domain.values import Args, Value
    from .machine import Machine

PARTS = (r"(\d+)", r"(\w+)")
"""What an unknown part may be: a number, and if no name fits then, any part of a name."""


def formatted(template: str, args: Args) -> Unknown | None:
    """The unknown text of `template.format(…)`; None if it isn't written in the plain way."""
    given = iter(args.pos)
    text: list[str] = [""]
    values: list[Value] = []
    try:
        for before, field, form, conversion in Formatter().parse(template):
            text[-1] += before
            if field is not None and not form and not conversion:
                values.append(args.kw[field] if field in args.kw else args.pos[int(field)] if field else next(given))
                text.append("")
            elif field is not None:
                return None
    except (ValueError, LookupError, StopIteration):
        return None
    return spelled(text, values)


def added(op: str, a: Value, b: Value) -> Unknown | None:
    """The unknown text of `a + b` or `a % b`, if one of them is a text that is known at least in part."""
    if op == "%" and isinstance(a, str):
        values = b if isinstance(b, tuple) else (b,)
        text = re.split(r"%[ds]", a)
        return spelled(text, values) if len(text) == len(values) + 1 else None
    if op != "+" or not (is_text(a) or is_text(b)):
        return None
    (*first, last), before = parts(a)
    (middle, *rest), behind = parts(b)
    return spelled([*first, last + middle, *rest], [*before, *behind])


def is_text(v: Value) -> bool:
    """Whether a value is a text that is known at least in part."""
    return isinstance(v, str) or (isinstance(v, Unknown) and type(v.key) is tuple and v.key[0] == TEXT)


def parts(v: Value) -> tuple[Sequence[str], Sequence[Value]]:
    """The known parts of a text, and the values between them."""
    if isinstance(v, str):
        return [v], []
    if isinstance(v, Unknown) and isinstance(v.key, tuple) and is_text(v):
        return v.key[1], [Unknown(why, key) for key, why in v.key[2:]]
    return ["", ""], [v]


def spelled(text: Iterable[str], values: Iterable[Value]) -> Unknown:
    """An unknown text with known parts, between which the values stand."""
    unknown = ((key_of(v), v.why if isinstance(v, Unknown) else "") for v in values)
    return Unknown("text", (TEXT, tuple(text), *unknown))


def attribute(m: Machine, v: Value, name: Unknown) -> Value | None:
    """The attribute of a module by a name that is known in part; None if no name fits."""
    if not (isinstance(name.key, tuple) and is_text(name)):
        return None
    found = fitting(names(m, v), name.key[1])
    return chosen(m, v, found, name.key[2:]) if found else None


Fitting = list[tuple[str, Sequence[str]]]
"""names, each with what stands in it for the unknown parts"""


def chosen(m: Machine, v: Value, found: Fitting, unknown: Sequence[tuple[Hashable, str]]) -> Value:
    """The attribute by one of some names, asked part by part: two names with one unknown number have the same one."""
    if not unknown:
        return attributes.get(m, v, found[0][0])
    (key, why), *rest = unknown
    by_part: dict[Value, Fitting] = {}
    for name, (first, *others) in found:
        by_part.setdefault(int(first) if first.isdigit() else first, []).append((name, others))
    return containers.any_of(m, {one: chosen(m, v, some, rest) for one, some in by_part.items()}, Unknown(why, key))


def fitting(known: list[str], written: Iterable[str]) -> Fitting:
    """Those of the names that have the written parts, in their order, with what stands between these."""
    text = [re.escape(part) for part in written]
    for match in (re.compile(part.join(text)).fullmatch for part in PARTS if any(text)):
        found: Fitting = [(one, fits.groups()) for one in known if (fits := match(one))]
        if found:
            return found
    return []


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
