"""What a check finds for some releases of PyTorch and not for others: `check --torch all`, to run before an upgrade."""

from __future__ import annotations

from typing import TYPE_CHECKING, TextIO

from ..facts.history import when
from .formats import json
from .places import Results, as_json, visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..workspace.findings import Found

FORMATS = ("full", "concise", "json")

Key = tuple[object, ...]


def write(form: str, found: Mapping[str, Results], out: TextIO) -> bool:
    """Write the findings that only some releases have, and which; return whether there are any.

    `found` has the findings by release, the oldest first.
    """
    among: dict[Key, dict[str, Found]] = {}
    for release, results in found.items():
        for one in results.active:
            among.setdefault(_key(one), {})[release] = one
    differing = sorted(
        (having for having in among.values() if len(having) < len(found)),
        key=lambda having: next(iter(having.values())).position,
    )
    if form == "json":
        out.write(as_json([_as_object(having, found) for having in differing]))
        return bool(differing)
    for having in differing:
        release, one = list(having.items())[-1]
        told = f"{one.rule.code} {one.severity.label}: {visible(one.words.headline)}"
        print(f"{found[release].region(one)}: {told} [{when(list(having), list(found))}]", file=out)
    same = len(among) - len(differing)
    oldest, *_, newest = found
    print(
        f"{len(differing)} found in some releases of PyTorch alone, {same} in all from {oldest} to {newest}.", file=out
    )
    return bool(differing)


def _key(one: Found) -> Key:
    """What identifies a finding in all releases."""
    return one.path, one.span, one.code, one.severity


def _as_object(having: Mapping[str, Found], found: Mapping[str, Results]) -> dict[str, object]:
    release, one = list(having.items())[-1]
    return {**json.as_object(one, found[release]), "releases": list(having)}
