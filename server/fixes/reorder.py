"""Reorder statements so that each backward() finds what its graph has saved.

The update of weights moves to after the last backward() that needs the old ones; a forward pass that several backwards
of a loop share moves into the loop.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.imports import import_table
from ..syntax.ir import Assign, Attribute, Call, ExprStmt, For, FunctionDef, Name, Stmt, While, With
from .change import changed, root
from .edit import Edit, Fix
from .layout import block_indent, delete, first_line_of, insert_after, insert_before, lines_of, moved
from .observers import shared_names
from .place import Place, below, fact_of, module_body
from .text import quote, words

ENDS = words("backward grad zero_grad")
"""Methods that read no values of tensors but those that the graph has saved."""

ONCE = words(
    "append bernoulli choice dropout get input multinomial next normal permutation pop popleft rand rand_like randint "
    "randint_like randn randn_like random randperm read rsample sample shuffle uniform"
)
"""Functions and methods that return something else the next time."""

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..analyses.domain.report import Failure, Site
    from ..syntax.ir import Node
    from .place import Context


def update(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to move a change to after the backward(), if nothing between them reads what is changed.

    A change that draws random numbers stays, since all later draws would differ. If another function calls the
    backward(), `facts["backward_calls"]` are the calls that lead to it, outermost first. If the end of a `with` block
    makes the change, the backward() moves into the block.
    """
    for moving, staying in _pairs(failure, context):
        steps = _uses_gradients(moving, failure, context)
        if not steps and _is_repeatable(moving) and _is_unread(moving, staying, failure, context):
            yield from _behind(moving, staying, context, "later")
        yield from _into_with(staying, moving, context)


def summed(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose one update for several backwards: after the last of them, or after the loop whose later rounds fail.

    By then, all of them have added to the gradients that the update uses.
    """
    for moving, staying in _pairs(failure, context):
        if _uses_gradients(moving, failure, context) and not _is_reset(moving, staying):
            yield from _behind(moving, staying, context, "summed")
        yield from _behind_loop(moving, staying, context)


def _pairs(failure: Failure, context: Context) -> Iterator[tuple[Place, Place]]:
    """Return pairs of statements, one that leads to the change, one to the backward(), the nearest first."""
    write = failure.write
    writes = _stations(context, write.site if write else failure.site, write.stack if write else ())
    backwards = _stations(context, failure.backward, failure.facts.get("backward_calls"))
    for one in writes:
        for other in backwards:
            for moving in _up(one):
                for staying in _up(other):
                    yield moving, staying


def _between(write: Place, backward: Place) -> list[Stmt]:
    """Return the statements after the first up to the second, itself included; none if they have no order."""
    order = {id(stmt): i for i, stmt in enumerate(write.block)}
    one, other = order[id(write.node)], order.get(id(backward.node), -1)
    return list(write.block[one + 1 : other + 1])


def _uses_gradients(write: Place, failure: Failure, context: Context) -> bool:
    """Return whether a change depends on gradients, to which the backward() adds: a step, `w -= lr * w.grad`."""
    if failure.write is not None and failure.write.by == "optimizer":
        return True
    inner = context.place(failure.write.site if failure.write else failure.site)
    function = inner.function if inner else None
    nodes = [write.node, *([function.node] if function else [])]
    return any("grad" in attribute.attr for node in nodes for attribute in below(node, Attribute))


def _is_reset(write: Place, backward: Place) -> bool:
    """Return whether the gradients that the update uses may be reset before the backward()."""
    owner = _owner(write.node, "step")
    for stmt in _between(write, backward):
        for node in below(stmt, Attribute):
            other = write.sibling(stmt).text_of(node.value) if node.attr == "zero_grad" else None
            if node.attr == "grad" or (other and (owner is None or other == write.text_of(owner))):
                return True
    return False


def _is_unread(write: Place, backward: Place, failure: Failure, context: Context) -> bool:
    """Return whether nothing between the change and the backward() reads what is changed, as far as names show.

    A block may change more than the failure is about. All calls there must be PyTorch's: a function of the program may
    read what isn't passed to it.
    """
    names = shared_names(failure, context)
    inner = (write.of(stmt) for stmt in below(write.node, Stmt))
    also = {one.text_of(root(target)) for one in inner if (target := changed(one)) is not None}
    imports = import_table(write.source)
    for stmt in _between(write, backward):
        if _reads_nothing(stmt):
            continue
        calls = (call.func for call in below(stmt, Call))
        known = all(fact_of(func, imports) or (isinstance(func, Attribute) and func.attr in ENDS) for func in calls)
        if not names or not known or any(_mentions(write.sibling(stmt), name) for name in names | also):
            return False
    return True


def _reads_nothing(stmt: Stmt) -> bool:
    """Return whether a statement is `loss.backward()`, or another that reads no value."""
    call = stmt.value if isinstance(stmt, ExprStmt) else None
    func = call.func if isinstance(call, Call) and not call.args else None
    return isinstance(func, Attribute) and func.attr in ENDS and isinstance(func.value, Name)


def _mentions(stmt: Place, name: str) -> bool:
    """Return whether a statement mentions what a row names, or uses an object that holds it as a whole."""
    owner = name.partition(".")[0]
    parts = {id(node.value) for node in below(stmt.node, Attribute)} if "." in name else set()
    whole = any(node.id == owner and id(node) not in parts for node in below(stmt.node, Name))
    return whole or any(stmt.text_of(node) == name for node in below(stmt.node, Attribute))


def _into_with(backward: Place, block: Place, context: Context) -> Iterator[Fix]:
    """Move backward() to the end of the `with` block right before it."""
    if not isinstance(block.node, With) or not any(one is backward.node for one in block.block):
        return
    order = {id(stmt): i for i, stmt in enumerate(block.block)}
    if order[id(backward.node)] == order[id(block.node)] + 1:
        last = Place(block.path, block.source, (*block.chain, block.node.body[-1]))
        edits = moved(backward, last)
        if edits:
            title = context.say("into-with", "earlier-backward", value=quote(backward.text))
            yield Fix(title, "unsafe", tuple(edits))


def _stations(context: Context, site: Site | None, calls: object) -> list[Place]:
    """Return the statements through which the program reached `site`, innermost first."""
    sites = [site, *reversed(calls)] if isinstance(calls, tuple) else [site]
    return [place.statement for one in sites if (place := context.place(one)) is not None]


def _up(stmt: Place) -> Iterator[Place]:
    """Return the statement and those that enclose it, up to its function."""
    place: Place | None = stmt
    function = stmt.function
    while place is not None and not (function and place.node is function.node):
        if isinstance(place.node, Stmt):
            yield place
        place = place.outer


def _behind(write: Place, backward: Place, context: Context, changes: str) -> Iterator[Fix]:
    between = _between(write, backward)
    if between and not _needed(write, between):
        edits = moved(write, backward)
        if edits:
            title = context.say("behind", changes, value=quote(write.text), other=quote(backward.text))
            yield Fix(title, "unsafe", tuple(edits))


def _behind_loop(write: Place, backward: Place, context: Context) -> Iterator[Fix]:
    order = {id(stmt): i for i, stmt in enumerate(write.block)}
    if order[id(write.node)] > order.get(id(backward.node), len(order)) and backward.loops:
        reset = _reset_of(write)
        edits = _out_of_loop([write, *([reset] if reset else [])], backward.loops[0])
        if edits:
            yield Fix(context.say("behind-loop", "once", value=quote(write.text)), "unsafe", tuple(edits))


def _needed(write: Place, between: Sequence[Stmt]) -> bool:
    """Return whether the statements in between read a name that the moved one binds."""
    bound = {name for assign in below(write.node, Assign) for name in _bound(assign)}
    return any(_names(stmt) & bound for stmt in between)


def _out_of_loop(stmts: list[Place], loop: Place) -> list[Edit] | None:
    if len(stmts) >= len(stmts[0].block):
        return None
    edits: list[Edit] = []
    for stmt in stmts:
        one = moved(stmt, loop)
        if one is None:
            return None
        edits += one
    return edits


def _reset_of(step: Place) -> Place | None:
    """Return the `zero_grad()` of the same optimizer in the block of `opt.step()`."""
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
    """Propose to recompute, in each round of the loop, what the backwards of the rounds share."""
    backward = context.place(failure.backward or failure.site)
    hop = next((hop for hop in failure.hops if hop.kind == "saved"), None)
    built = failure.saved.site if failure.saved else hop.site if hop else None
    stations = _stations(context, built, failure.saved.stack if failure.saved else ())
    for loop in backward.loops if backward else []:
        for station in stations:
            for stmt in _up(station):
                if stmt.start < loop.start and any(one is stmt.node for one in loop.block):
                    lines = _leading(stmt, loop)
                    edits = [edit for line in lines for edit in (delete(line), first_line_of(loop, line.text))]
                    if lines and None not in edits:
                        title = context.say("into-loop", "rounds", value=quote(stmt.text))
                        yield Fix(title, "unsafe", tuple(edit for edit in edits if edit))


def _leading(stmt: Place, loop: Place) -> list[Place]:
    """Return the statement and those up to the loop that need what it binds.

    Empty if one of them binds nothing, or the loop itself needs it.
    """
    block = list(stmt.block)
    first, last = (next(i for i, one in enumerate(block) if one is place.node) for place in (stmt, loop))
    lines = [stmt]
    bound = _bound(stmt.node) if isinstance(stmt.node, Assign) else set()
    for one in block[first + 1 : last]:
        if _names(one) & bound:
            if not isinstance(one, Assign):
                return []
            lines.append(stmt.sibling(one))
            bound |= _bound(one)
    header = loop.node.iter if isinstance(loop.node, For) else loop.node.test if isinstance(loop.node, While) else None
    return [] if header is not None and _names(header) & bound else lines


def recompute(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to run the forward pass after the update, so that the graph saves the new weights.

    The forward pass is the statements from the save to what the backward() needs. They go right after the update or,
    if more is changed in between, before the first statement that reads what they bind, or right before the
    backward(); they are moved if nothing else needs them earlier.
    """
    write, saved = failure.write, failure.saved
    if write is None or saved is None:
        return
    stations = _stations(context, failure.backward, failure.facts.get("backward_calls"))
    backwards = [_names(one.node) for one in stations]
    for one in _stations(context, write.site, write.stack):
        for other in _stations(context, saved.site, saved.stack):
            for stmt in _up(one):
                for made in _up(other):
                    lines = _way(made, stmt, backwards)
                    if lines:
                        yield from _again(lines, stmt, stations, context)


def _again(lines: list[Place], update: Place, backwards: Sequence[Place], context: Context) -> Iterator[Fix]:
    """Run lines after an update, or before the one of the backwards that is in its block."""
    last = next((one for one in backwards if one.start > update.end and _is_of(one, update.block)), None)
    gone = [edit for line in lines if (edit := delete(line))]
    moving = len(gone) == len(lines) and not _are_needed(lines, update, last or update)
    texts = [lines_of(line, block_indent(update)) if moving else line.text for line in lines]
    behind = [insert_after(update, text) for text in texts]
    reader = _reader(lines, update)
    before, close = ([edit for text in texts if at and (edit := insert_before(at, text))] for at in (reader, last))
    key, words = ("repeat", {}) if not moving else ("behind", {"other": quote(update.text)})
    title = context.say(key, "weights", value=quote(lines[0].text), **words)
    for there in dict.fromkeys(map(tuple, (behind, before, close))):
        if there:
            yield Fix(title, "unsafe", (*(gone if moving else ()), *there), changes="weights")


def _reader(lines: Sequence[Place], update: Place) -> Place | None:
    """The first statement after the update, in its block but not next to it, that reads what the lines bind."""
    bound = _all_bound(lines)
    later = [update.sibling(one) for one in update.block if one.start > update.node.start]
    found = [i for i, one in enumerate(later) if _names(one.node) & bound]
    return later[found[0]] if found and found[0] > 0 else None


def _is_of(stmt: Place, block: Sequence[Stmt]) -> bool:
    return any(stmt.node is one for one in block)


def _are_needed(lines: Sequence[Place], update: Place, end: Place) -> bool:
    """Return whether the update, or another statement from the first of the lines to `end`, reads what they bind."""
    own, block = {id(line.node) for line in lines}, list(lines[0].block)
    bound = _all_bound(lines)
    between = (one for one in block if lines[0].start < lines[0].sibling(one).start < end.start and id(one) not in own)
    return any(_names(one) & bound for one in (update.node, *between))


def _way(made: Place, update: Place, wanted: Sequence[set[str]]) -> list[Place]:
    """Return the statements from `made` to the one that binds what a backward() needs, if all can be repeated."""
    block = list(made.block)
    around = next((one for one in _up(update) if any(one.node is stmt for stmt in block)), None)
    first = next(i for i, stmt in enumerate(block) if stmt is made.node)
    last = next((i for i, stmt in enumerate(block) if around and stmt is around.node), -1)
    if first >= last or not isinstance(made.node, Assign):
        return []
    lines, known = [made], _bound(made.node)
    for stmt in block[first + 1 : last]:
        if isinstance(stmt, Assign) and _names(stmt.value) & known:
            lines.append(made.sibling(stmt))
            known |= _bound(stmt)
    needed = next((names & known for names in wanted if names & known), _bound(made.node))
    kept: list[Place] = []
    for line in reversed(lines):
        assert isinstance(line.node, Assign)
        if _bound(line.node) & needed:
            kept.append(line)
            needed |= _names(line.node.value)
    return kept[::-1] if made in kept and all(map(_is_repeatable, kept)) else []


def _is_repeatable(stmt: Place) -> bool:
    """Return whether a statement does the same again, as far as names show: no random numbers, nothing used up.

    What functions of the file do that it calls counts, too.
    """
    functions: dict[str, list[FunctionDef]] = {}
    for top in module_body(stmt.source):
        for function in below(top, FunctionDef):
            functions.setdefault(function.name, []).append(function)
    known: set[str] = set()
    new = _called(stmt.node)
    while new:
        known |= new
        new = {name for one in new for function in functions.get(one, ()) for name in _called(function)} - known
    return not known & ONCE


def _called(node: Node) -> set[str]:
    """Return the names that are called at and below a node."""
    called = (call.func for call in below(node, Call))
    return {func.attr if isinstance(func, Attribute) else getattr(func, "id", "") for func in called}


def _names(node: Node) -> set[str]:
    return {name.id for name in below(node, Name)}


def _all_bound(lines: Sequence[Place]) -> set[str]:
    return {name for line in lines if isinstance(line.node, Assign) for name in _bound(line.node)}


def _bound(assign: Assign) -> set[str]:
    return {name for target in assign.targets for name in _names(target)}
