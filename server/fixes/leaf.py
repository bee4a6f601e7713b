"""Keep a leaf whose name is bound to something else: `y = w * 2` for `w = w * 2`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Attribute, BinOp, Call, Constant, Name, Stmt, Subscript
from .change import root
from .edit import Edit, Fix
from .layout import fresh_name, insert_after, is_pure, remove_argument, suffix, wrap
from .nograd import torch_name
from .place import below, binding, walk
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context, Place


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose ways to get a gradient where the `.grad` of a non-leaf is read.

    `facts["rebound"]` is the assignment that bound the name to a non-leaf; by default, the last one before the read.
    """
    read = context.place(failure.site)
    built = next((context.place(hop.site) for hop in failure.hops if hop.kind == "built"), None)
    stmt = context.place(failure.facts.get("rebound")) or (_last_binding(read) if read else None)
    if built and (stmt is None or (built.path == stmt.path and built.start > stmt.end)):
        stmt = built.statement  # a change in place has made it a non-leaf since
    if read is not None and (part := _part(read)) is not None:
        yield from _retained(read, part, context)
        return
    if read is None or stmt is None:
        return
    node = stmt.node
    target = node.targets[0] if isinstance(node, Assign) and len(node.targets) == 1 else None
    if isinstance(target, Name):
        yield from _updated(stmt, target, context)
        yield from _made_leaf(stmt, context)
        if any(isinstance(one, Name) and one.id == target.id for one in walk(node.value)):  # type: ignore[attr-defined]
            yield from _renamed(stmt, target, context)
    owner = _owner(read)
    bound = target.id if isinstance(target, Name) else None
    stations = {bound or read.text_of(owner): stmt} if owner else _given(read, context)
    if failure.name in stations:
        stations[failure.name] = stmt
    elif not stations and bound:
        stations = {bound: stmt}  # it is read through a parameter's name
    if stations:
        retain = tuple(insert_after(one, f"{name}.retain_grad()") for name, one in stations.items())
        names = context.say("and").join(map(quote, stations))
        yield Fix(context.say("retain-grad", "result-grad", name=names), "unsafe", retain)
    if isinstance(target, Name | Attribute):
        anew = tuple(suffix(stmt.of(node.value), ".detach().requires_grad_()"))  # type: ignore[attr-defined]
        title = context.say("new-leaf", "that-leaf", name=quote(stmt.text_of(target)))
        yield Fix(title, "unsafe", anew)


def _owner(read: Place) -> Name | Attribute | None:
    """Return the name or the attribute whose `.grad` is read."""
    owners = (node.value for node in walk(read.node) if isinstance(node, Attribute) and node.attr == "grad")
    return next((one for one in owners if isinstance(one, Name | Attribute)), None)


def _given(read: Place, context: Context) -> dict[str, Place]:
    """Return the names of non-leaves whose gradients a call reads, each with the statement that bound it last."""
    found: dict[str, Place] = {}
    for name in below(read.node, Name):
        story, bound = context.story(name, name.id), binding(read, name.id)
        if bound is not None and story is not None and story.requires_grad and story.is_leaf is False:
            found[name.id] = bound  # PyTorch refuses what requires no grad there, and the trial then refuses the fix
    return found


def _part(read: Place) -> Subscript | None:
    """Return the item of a container whose `.grad` is read."""
    items = (node.value for node in walk(read.node) if isinstance(node, Attribute) and node.attr == "grad")
    return next((item for item in items if isinstance(item, Subscript) and is_pure(item)), None)


def _retained(read: Place, part: Subscript, context: Context) -> Iterator[Fix]:
    """Keep the gradient of an item where its container was made."""
    owner = root(part)
    stmt = binding(read, owner.id) if isinstance(owner, Name) else None
    if stmt is not None:
        text = read.text_of(part)
        line = insert_after(stmt, f"{text}.retain_grad()")
        yield Fix(context.say("retain-grad", "result-grad", name=quote(text)), "unsafe", (line,))


def _last_binding(read: Place) -> Place | None:
    owner = _owner(read)
    return binding(read, owner.id) if isinstance(owner, Name) else None


def _updated(stmt: Place, target: Name, context: Context) -> Iterator[Fix]:
    """`w = w - lr * w.grad` is an update: done in place under no_grad, `w` stays a leaf."""
    node = stmt.node
    assert isinstance(node, Assign)
    value = node.value
    if not (isinstance(value, BinOp) and isinstance(value.left, Name) and value.left.id == target.id):
        return
    if not any(isinstance(one, Attribute) and one.attr == "grad" for one in walk(value.right)):
        return
    torch, imports = torch_name(stmt)
    sign = Edit(stmt.path, stmt.of(target).end, stmt.of(value.right).start, f" {value.op}= ")
    text = stmt.source.text[sign.start : sign.end]
    if text.count("(") == 0:
        title = context.say("update-leaf", "stays-leaf", name=quote(target.id))
        yield Fix(title, "unsafe", (*imports, sign, *wrap(stmt, f"with {torch}.no_grad():")))


def _made_leaf(stmt: Place, context: Context) -> Iterator[Fix]:
    """`torch.randn(3, requires_grad=True).to(d)` is no leaf; `torch.randn(3).to(d).requires_grad_()` is one."""
    node = stmt.node
    assert isinstance(node, Assign)
    for call in below(node.value, Call):
        for arg in call.args:
            asked = arg.name == "requires_grad" and isinstance(arg.value, Constant) and arg.value.value is True
            if asked and call is not node.value:
                edits = [remove_argument(stmt.of(call), arg), *suffix(stmt.of(node.value), ".requires_grad_()")]
                yield Fix(context.say("requires-grad", "that-leaf"), "unsafe", tuple(edits))


def _renamed(stmt: Place, target: Name, context: Context) -> Iterator[Fix]:
    """Bind the new value to a name of its own, which all that follows uses but for reads of `.grad`."""
    if stmt.loops:
        return
    name = fresh_name(stmt, f"{target.id}_new")
    edits = [stmt.of(target).edit(name)]
    block = stmt.block
    index = next(i for i, one in enumerate(block) if one is stmt.node)
    for one in block[index + 1 :]:
        place = stmt.sibling(one)
        if _binds(one, target.id):
            return
        edits += [place.of(node).edit(name) for node in _reads(place, target.id)]
    title = context.say("rename", "stays-leaf", result=quote(name), name=quote(target.id))
    yield Fix(title, "unsafe", tuple(edits))


def _binds(stmt: Stmt, name: str) -> bool:
    return any(
        isinstance(node, Assign) and any(isinstance(t, Name) and t.id == name for t in node.targets)
        for node in walk(stmt)
    )


def _reads(place: Place, name: str) -> Iterator[Name]:
    leaf_reads = {
        id(node.value)
        for node in walk(place.node)
        if isinstance(node, Attribute) and node.attr in {"grad", "is_leaf", "zero_grad"}
    }
    for node in walk(place.node):
        if isinstance(node, Name) and node.id == name and id(node) not in leaf_reads:
            yield node
