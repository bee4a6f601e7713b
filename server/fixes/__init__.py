"""Text edits that mend a failure: one file a strategy, each candidate tried by replaying the edited text.

Imports `rules`, `analyses` and what is below them. Begin reading with `retain.py`, the shortest strategy, then
`verify.py` (how a candidate is tried); `place.py` and `layout.py` keep the user's formatting.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ..syntax.ir import AugAssign, Comp, ExprStmt, Lambda, Name
from . import (
    clone,
    deepcopy,
    detach,
    functional,
    inference,
    inplace_flag,
    items,
    leaf,
    nograd,
    outplace,
    precision,
    reorder,
    retain,
    rows,
    weights,
)
from .change import declared, find_change, root
from .edit import Edit, Fix, apply, apply_all
from .ignore import ignore_edit, ignore_file_edit
from .liveness import reads_later
from .observers import is_itself_needed
from .place import Context

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..analyses.domain.report import Failure, Kind, Report
    from ..rules.messages import Locale
    from ..syntax.chunks import Source
    from .change import Change
    from .verify import Trials

    Strategy = Callable[[Failure, Context], Iterator[Fix]]

LIMIT = 6
"""How many fixes of one failure are offered."""

TRIED = 20
"""How many candidates are verified for one failure: each costs a replay."""

APART: tuple[Strategy, ...] = (
    outplace.propose,
    items.propose,
    inplace_flag.propose,
    functional.propose,
    clone.save,
    clone.results,
    clone.change,
    functional.placed,
    clone.argument,
    clone.alias,
    reorder.update,
)
UPDATE: tuple[Strategy, ...] = (
    reorder.update,
    reorder.forward,
    reorder.recompute,
    inplace_flag.propose,
    clone.save,
    clone.argument,
    clone.alias,
    weights.propose,
    reorder.summed,
)
CARRIED: tuple[Strategy, ...] = (
    detach.propose,
    detach.changes,
    reorder.forward,
    reorder.update,
    clone.save,
    reorder.recompute,
    outplace.propose,
    clone.change,
    reorder.summed,
    retain.propose,
)
LEAF: tuple[Strategy, ...] = (
    outplace.propose,
    inplace_flag.propose,
    functional.propose,
    clone.argument,
    nograd.propose,
    clone.alias,
    clone.change,
    clone.pieces,
)

BY_KIND: dict[Kind, tuple[Strategy, ...]] = {
    "stale-saved": APART,
    "silent-stale": (clone.save, clone.alias, clone.change, outplace.propose, reorder.update, reorder.recompute),
    "leaf-inplace": LEAF,
    "view-of-leaf-inplace": LEAF,
    "multi-view-inplace": (
        outplace.propose,
        items.propose,
        inplace_flag.propose,
        functional.propose,
        rows.propose,
        rows.parts,
        clone.argument,
        clone.change,
        clone.view,
        clone.pieces,
        clone.alias,
        clone.base,
    ),
    "no-grad-view-inplace": (
        rows.parts,
        nograd.propose,
        outplace.propose,
        inplace_flag.propose,
        clone.view,
        clone.change,
        clone.pieces,
        clone.base,
    ),
    "overlap-write": (
        clone.view,
        outplace.propose,
        inplace_flag.propose,
        clone.source,
        clone.change,
        clone.alias,
        clone.argument,
    ),
    "out-grad": (outplace.propose, nograd.propose),
    "inference-tensor": (inference.propose, outplace.propose, clone.save, clone.change),
    "freed-graph": (detach.propose, reorder.forward, retain.propose),
    "nonleaf-grad": (leaf.propose,),
    "gradcheck": (precision.gradcheck,),
    "requires-grad-dtype": (precision.integer,),
    "deepcopy-nonleaf": (deepcopy.propose,),
    "other": APART,
}


REBINDING = (outplace.propose, functional.propose, functional.placed, clone.change)
"""Strategies that bind a name to a new tensor, which is wrong where the program needs the tensor it had."""

ELSEWHERE = (*REBINDING, items.propose, inplace_flag.propose, clone.alias, clone.argument)
"""Strategies by which another tensor is changed."""

INSTEAD = {("old-weights", "weights")}
"""Pairs of which the second is offered only without the first: a repeatable forward pass needs no copied weights."""


def candidates(
    failure: Failure, sources: Mapping[str, Source], report: Report | None = None, locale: Locale = "en"
) -> Iterator[Fix]:
    """Return the fixes that might mend `failure`, in the order in which they are tried; none is verified.

    `report` is the replay that found it: without it, less is known to keep every value.
    """
    context = Context(sources, report, locale)
    seen: set[tuple[Edit, ...]] = set()
    change = find_change(failure, context)
    staying = change is not None and is_itself_needed(failure, context, change)
    unread = change is not None and _is_unread(change)
    bound = _is_bound(failure)
    for strategy in _strategies(failure, context):
        if strategy in ((REBINDING if staying else ()) + (ELSEWHERE if bound else ())):
            continue
        for fix in strategy(failure, context):
            lost = unread and strategy in REBINDING and fix.safety == "unsafe"
            if fix.edits not in seen and not lost:
                seen.add(fix.edits)
                yield fix


def _is_bound(failure: Failure) -> bool:
    """Return whether the change computes, or has computed by hooks, something else in another tensor."""
    write = failure.write
    return write is not None and failure.kind != "overlap-write" and (write.overlapping or write.hooked)


def _is_unread(change: Change) -> bool:
    """Return whether the changed name itself isn't read later: nobody would see a new tensor bound to it."""
    owner, stmt = root(change.target), change.statement
    alone = change.form == "item" or isinstance(stmt.node, AugAssign | ExprStmt)  # else the result is used
    alone = alone and change.place.up(Lambda) is None is change.place.up(Comp)
    return alone and isinstance(owner, Name) and not reads_later(stmt, owner.id)


def _strategies(failure: Failure, context: Context) -> tuple[Strategy, ...]:
    if failure.cause == "carried":
        return CARRIED
    change = find_change(failure, context)
    if failure.kind in {"stale-saved", "silent-stale"} and failure.cause == "update":
        return UPDATE
    if failure.kind == "silent-stale" and failure.cause == "function":
        return APART
    if failure.kind in {"leaf-inplace", "view-of-leaf-inplace"}:
        place = context.place(failure.site)
        elsewhere = change is not None and (_is_unread(change) or declared(change.place, root(change.target)) != [])
        if place and (failure.cause == "update" or nograd.is_update(place) or elsewhere):
            return (nograd.propose, *LEAF)
    if failure.kind == "no-grad-view-inplace":
        owner = root(change.target) if change else None
        if change and isinstance(owner, Name) and reads_later(change.place, owner.id):
            return (outplace.propose, clone.change, nograd.propose)  # the view is used later, not its base
    return BY_KIND[failure.kind]


def mend(
    failure: Failure,
    sources: Mapping[str, Source],
    trials: Trials,
    locale: Locale = "en",
    wanted: Callable[[Fix], bool] = lambda fix: True,
    most: int = LIMIT,
) -> list[Fix]:
    """Return the fixes of `failure` that are `wanted`, the best first, and no more than `most`.

    Each is tried; it is offered only if the failure is gone and there is no new one. Fixes that keep every value
    come first, and the first one is preferred.
    """
    texts = {path: source.text for path, source in sources.items()}

    kept: list[Fix] = []

    def keep(tried: list[Fix]) -> None:
        for fix in tried:
            if len(kept) >= most:
                break
            if any(_is_enough(one, fix) for one in kept):
                continue
            if trials.helps(failure, apply_all(texts, fix.edits), keeps=fix.safety == "safe"):
                kept.append(fix)

    tried = [fix for fix in islice(candidates(failure, sources, trials.report, locale), TRIED) if wanted(fix)]
    keep([fix for fix in tried if fix.safety == "safe"])
    keep([fix for fix in tried if fix.safety == "unsafe"])
    return [replace(fix, preferred=fix is kept[0]) for fix in kept]


def _is_enough(one: Fix, other: Fix) -> bool:
    """Return whether a fix makes another one needless: it edits less, reads better, or has the same title."""
    return set(one.edits) < set(other.edits) or (other.changes, one.changes) in INSTEAD or one.title == other.title


__all__ = ["Edit", "Fix", "apply", "apply_all", "candidates", "ignore_edit", "ignore_file_edit", "mend"]
