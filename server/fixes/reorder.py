"""Put statements into an order that autograd can follow.

The update of weights goes behind the last backward() that needs the old ones; a forward pass that several
backwards of a loop use goes into the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Attribute, Call, ExprStmt, Name, Stmt
from .edit import Edit, Fix
from .layout import delete, first_line_of, insert_after, moved
from .place import below, bodies
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.report import Failure, Site
    from .place import Context, Place


def update(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to move the update behind the backward(), or behind the loop of which a later round fails.

    Where the backward() is called by another function, `facts["backward_calls"]` are the calls that lead to
    it, outermost first.
    """
    write = failure.write
    writes = _stations(context, write.site if write else failure.site, write.stack if write else ())
    backwards = _stations(context, failure.backward, failure.facts.get("backward_calls"))
    for one in writes:
        for other in backwards:
            for moving in _up(one):
                for staying in _up(other):
                    yield from _behind(moving, staying)


def _stations(context: Context, site: Site | None, calls: object) -> list[Place]:
    """Give the statements by which the program got to `site`, innermost first."""
    sites = [site, *reversed(calls)] if isinstance(calls, tuple) else [site]
    return [place.statement for one in sites if (place := context.place(one)) is not None]


def _up(stmt: Place) -> Iterator[Place]:
    """Give the statement and those around it, as far as its function."""
    place: Place | None = stmt
    function = stmt.function
    while place is not None and not (function and place.node is function.node):
        if isinstance(place.node, Stmt):
            yield place
        place = place.outer


def _behind(write: Place, backward: Place) -> Iterator[Fix]:
    if write.block is not backward.block and list(write.block) != list(backward.block):
        return
    order = {id(stmt): i for i, stmt in enumerate(write.block)}
    one, other = order[id(write.node)], order[id(backward.node)]
    told = f"Move {quote(write.text)} behind"
    if one < other:
        edits = None if _needed(write, write.block[one + 1 : other + 1]) else moved(write, backward)
        if edits:
            yield Fix(
                f"{told} {quote(backward.text)} (changes meaning: what it computes comes later)", "unsafe", tuple(edits)
            )
    elif one > other and backward.loops:
        loop = backward.loops[0]
        reset = _reset_of(write)
        edits = _out_of_loop([write, *([reset] if reset else [])], loop)
        if edits:
            yield Fix(f"{told} the loop (changes meaning: one update for all of its rounds)", "unsafe", tuple(edits))


def _needed(write: Place, between: Sequence[Stmt]) -> bool:
    """Tell whether the statements between read a name that the one to be moved binds."""
    bound = {
        name.id for assign in below(write.node, Assign) for target in assign.targets for name in below(target, Name)
    }
    return any(name.id in bound for stmt in between for name in below(stmt, Name))


def _out_of_loop(stmts: list[Place], loop: Place) -> list[Edit] | None:
    gone = [delete(stmt) for stmt in stmts]
    if any(edit is None for edit in gone) or len(stmts) >= len(stmts[0].block):
        return None
    added = [insert_after(loop, stmt.text) for stmt in stmts]
    return [edit for edit in gone if edit] + added


def _reset_of(step: Place) -> Place | None:
    """Give the `zero_grad()` of the same optimizer in the block of `opt.step()`."""
    owner = _owner(step.node, "step")
    for stmt in step.block:
        other = step.sibling(stmt)
        node = _owner(stmt, "zero_grad")
        if owner is not None and node is not None and step.text_of(owner) == other.text_of(node):
            return other
    return None


def _owner(stmt: object, method: str) -> Attribute | None:
    if isinstance(stmt, ExprStmt) and isinstance(stmt.value, Call) and isinstance(stmt.value.func, Attribute):
        func = stmt.value.func
        return func.value if func.attr == method else None  # type: ignore[return-value]
    return None


def forward(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to compute anew, in each round of the loop, what the backwards of the rounds share."""
    backward = context.place(failure.backward or failure.site)
    hop = next((hop for hop in failure.hops if hop.kind == "saved"), None)
    built = failure.saved.site if failure.saved else hop.site if hop else None
    stations = _stations(context, built, failure.saved.stack if failure.saved else ())
    for loop in backward.loops if backward else []:
        for station in stations:
            for stmt in _up(station):
                if stmt.start < loop.start and any(one is stmt.node for one in loop.block):
                    gone, added = delete(stmt), first_line_of(loop, stmt.text)
                    if gone and added:
                        title = f"Move {quote(stmt.text)} into the loop (changes meaning: each round computes it)"
                        yield Fix(title, "unsafe", (gone, added))


def recompute(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to repeat the forward pass behind the update, so that the backward() has new saved weights."""
    write, saved = failure.write, failure.saved
    if write is None or saved is None:
        return
    for one in _stations(context, write.site, write.stack):
        for other in _stations(context, saved.site, saved.stack):
            for stmt in _up(one):
                for made in _up(other):
                    same = any(sibling is made.node for sibling in stmt.block)
                    if same and made.start < stmt.start and not any(True for _ in bodies(made.node)):
                        title = f"Repeat {quote(made.text)} after the update (changes meaning: it uses the new weights)"
                        yield Fix(title, "unsafe", (insert_after(stmt, made.text),))
