"""How a callable differs between releases of PyTorch, in words: for `gradguard facts NAME` and pages."""

from __future__ import annotations

from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from . import releases
from .describe import describe
from .model import ModuleFact, Op

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Span = tuple[str, ...]
"""consecutive releases"""


def entries(name: str) -> list[tuple[Span, str | None]]:
    """Return the entry of a callable (`describe`) for each span of releases that agree, the oldest first.

    The entry is None where the releases have no such callable.
    """
    told = [(release, _entry(name, release)) for release in releases.names()]
    return [(tuple(release for release, _ in some), entry) for entry, some in groupby(told, key=lambda one: one[1])]


def _entry(name: str, release: str) -> str | None:
    fact = releases.of(release).table.find(name)
    return None if fact is None else describe(fact)


def differences(name: str, shown: str) -> Iterator[str]:
    """Yield lines that say how a callable differs in other releases from the release that is `shown`.

    `+` marks what only the other releases do, `-` what only the shown one does.
    """
    found = entries(name)
    here = next(entry for span, entry in found if shown in span) or ""
    for span, entry in found:
        if shown in span:
            continue
        if entry is None:
            yield f"  {when(span)}: PyTorch has no such callable"
            continue
        yield f"  {when(span)}:"
        for there, sign, other in ((entry, "+", here), (here, "-", entry)):
            known = other.splitlines()
            lines = dict.fromkeys(line for line in there.splitlines() if line not in known)
            yield from (f"  {sign} {line.strip()}" for line in lines)


def otherwise(name: str, shown: str) -> list[str]:
    """Return the releases in which a callable saves or changes something else than in the release that is `shown`."""
    told = {release: _essence(entry) for span, entry in entries(name) for release in span}
    return [release for release, essence in told.items() if essence != told[shown]]


def not_saving(name: str, *, result: bool) -> list[str]:
    """Return the releases in which a callable saves none of its arguments; if `result`, none of its results."""
    if name not in _differing():
        return []
    return [
        release
        for release, fact in _facts(name).items()
        if not any(save.what.startswith("out") is result for case in fact.cases for save in case.saves)
    ]


def varying(tells: Callable[[Op | ModuleFact], bool]) -> Iterator[tuple[str, list[str]]]:
    """Yield the callables of which something is so in some releases alone, each with these releases.

    Left out are releases that don't have the callable, or in which it could not be measured.
    """
    for name in sorted(_differing()):
        told = {release: tells(fact) for release, fact in _facts(name).items()}
        if having := [release for release, so in told.items() if so and len(set(told.values())) == 2]:
            yield name, having


def _facts(name: str) -> dict[str, Op | ModuleFact]:
    """The facts of a callable by release, where it was measured."""
    found = {release: releases.of(release).table.find(name) for release in releases.names()}
    return {
        release: fact
        for release, fact in found.items()
        if isinstance(fact, ModuleFact) or (isinstance(fact, Op) and fact.measured)
    }


@cache
def _differing() -> frozenset[str]:
    """The callables of which some release tells something else than the base."""
    return frozenset(
        name
        for release in releases.names()
        if release != releases.BASE.name
        for name in releases.told(release).get("table", ())
    )


def ranges(having: Sequence[str]) -> str:
    """Return some of the releases in short: `2.4–2.8, 2.15`."""
    return ", ".join(f"{first}–{last}" if first != last else first for first, last in _spans(having, releases.names()))


def _essence(entry: str | None) -> list[str] | None:
    """Return the lines of an entry that say what is saved and changed, and when."""
    if entry is None:
        return None
    return [line for line in entry.splitlines()[1:] if not line.lstrip().startswith(("gradient flows", "returns"))]


def when(having: Sequence[str], among: Sequence[str] | None = None) -> str:
    """Return in words which releases are in `having`: `from 2.14 on`. `among` are all to choose from, in order."""
    order = releases.names() if among is None else among
    return ", ".join(_span(first, last, order) for first, last in _spans(having, order))


def _spans(having: Sequence[str], order: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the first and the last of consecutive releases that are in `having`."""
    for has, some in groupby(order, key=lambda release: release in having):
        if has:
            first, *others = some
            yield first, others[-1] if others else first


def _span(first: str, last: str, order: Sequence[str]) -> str:
    if last == order[-1]:
        return f"from {first} on"
    return f"up to {last}" if first == order[0] else f"in {first}" if first == last else f"from {first} to {last}"
