"""The replay's version rows, held against the states that PyTorch's tensors really have."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gradguard.analyses.domain.report import VersionRow

    from ..oracle.answers import Row

Place = tuple[int, str]


def states_of(rows: Iterable[VersionRow]) -> dict[Place, VersionRow]:
    """The rows by their statement's first line and their name."""
    return {(row.site.chunk.span(row.site.node).start_line + 1, row.name): row for row in rows}


def wrong_rows(states: dict[Place, VersionRow], truth: Sequence[Row]) -> list[str]:
    """What the replay claims and PyTorch contradicts; rows that it doesn't have, or leaves open, are not wrong."""
    found = []
    pairs = [(row, states[row.line, row.name]) for row in truth if (row.line, row.name) in states]
    for real, ours in pairs:
        place = f"line {real.line}, {real.name}: "
        if not (ours.low <= real.version and (ours.high is None or real.version <= ours.high)):
            found.append(f"{place}version {ours.low} to {ours.high}, in truth {real.version}")
        found += [
            f"{place}{name} {told}, in truth {fact}"
            for name, told, fact in (
                ("requires_grad", ours.requires_grad, real.requires_grad),
                ("is_leaf", ours.is_leaf, real.is_leaf),
            )
            if told is not None and told is not fact
        ]
    return found + wrong_sharing(pairs)


def wrong_sharing(pairs: Sequence[tuple[Row, VersionRow]]) -> list[str]:
    """Names that share memory in truth and not in the replay, or the other way round."""
    found = []
    for i, (real, ours) in enumerate(pairs):
        for other, theirs in pairs[:i]:
            if (real.storage == other.storage) is not (ours.storage == theirs.storage):
                shared = "share" if real.storage == other.storage else "don't share"
                found.append(f"{other.name} (line {other.line}) and {real.name} (line {real.line}) {shared} memory")
    return found
