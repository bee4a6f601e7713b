"""Copy a tensor, so that what was saved and what is changed are two things.

`save` copies what the operation saves, which keeps every value and gradient; `change` copies before the
change; `alias` where the second name arises; `view` at the call that made overlapping memory or several
views; `source` copies the value that is written, where it overlaps the target.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import (
    Arg,
    Assign,
    Attribute,
    AugAssign,
    BinOp,
    Call,
    Constant,
    Expr,
    ExprStmt,
    List,
    Name,
    Return,
    Slice,
    Starred,
    Subscript,
    Tuple,
    UnaryOp,
)
from .change import find_change, is_inplace_name, is_module, rebindable, root
from .edit import Edit, Fix
from .layout import can_precede, insert_before, suffix
from .observers import observed
from .place import below, binding, call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context, Place

CLONE = ".clone()"


def save(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to save a copy: `exp(x.clone())`, or `x.exp().clone()` where the result is saved."""
    saved = failure.saved
    place = context.place(saved.site) if saved else None
    if saved is None or place is None:
        return
    operands = [place] if saved.role == "result" else _operands(place, saved.name, saved.role)
    if any(not isinstance(one.node, Expr) or _makes_in_place(one) or _is_unpacked(one) for one in operands):
        return
    edits = [edit for one in operands for edit in suffix(one, CLONE)]
    if edits:
        shown = operands[0].text
        what = (
            f"a copy of {quote(shown)}"
            if saved.role != "result"
            else f"the result of {quote(shown)}, and go on with a copy"
        )
        yield Fix(f"Let {quote(saved.op)} save {what}", "safe", tuple(edits))


def _makes_in_place(place: Place) -> bool:
    node = place.node
    return isinstance(node, Call) and isinstance(node.func, Attribute) and is_inplace_name(node.func.attr)


def _is_unpacked(place: Place) -> bool:
    """Tell whether the expression gives several values: `out, state = lstm(x)`, `lstm(x)[0]`."""
    above = place.parent
    if isinstance(above, Subscript):
        return above.value is place.node and isinstance(place.node, Call) and not isinstance(place.node.func, Name)
    return isinstance(above, Assign) and above.value is place.node and isinstance(above.targets[0], Tuple | List)


def _operands(place: Place, name: str | None, role: str) -> list[Place]:
    """Give the operands of the operation at `place` that are the saved tensor, by its name or its role."""
    found = [place.of(node) for node in _inputs(place)]
    named = [one for one in found if one.text == name]
    if named:
        return named
    keyword = [one for one in found if (arg := one.parent) and isinstance(arg, Arg) and arg.name == role]
    if keyword:
        return keyword
    mentioned = [one for one in found if name and any(n.id == name for n in below(one.node, Name))]
    return mentioned if len(mentioned) == 1 else []


def _inputs(place: Place) -> Iterator[Expr]:
    node = place.node.value if isinstance(place.node, ExprStmt | Return | Assign) else place.node
    if isinstance(node, Call):
        if isinstance(node.func, Attribute) and not is_module(place, node.func):
            yield node.func.value
        for arg in node.args:
            yield from _items(arg.value)
    elif isinstance(node, BinOp):
        yield from (node.left, node.right)
    elif isinstance(node, UnaryOp):
        yield node.operand
    elif isinstance(node, AugAssign):
        yield node.value
    elif isinstance(node, Subscript):
        yield node.value
        yield from _items(node.slice)


def _items(node: Expr) -> Iterator[Expr]:
    if isinstance(node, Tuple | List):
        for one in node.elts:
            yield from _items(one)
    elif not isinstance(node, Starred | Slice | Constant):
        yield node


def change(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `x = x.clone()` before the statement that changes `x` or a view of it."""
    found = find_change(failure, context)
    if found is None:
        return
    owner = root(found.target)
    place = found.place
    if not isinstance(owner, Name | Attribute) or not rebindable(place, owner) or not can_precede(place):
        return
    if isinstance(owner, Name) and is_module(place, owner):
        return
    text = place.text_of(owner)
    edit = insert_before(found.statement, f"{text} = {text}{CLONE}")
    if edit:
        leaf = failure.kind in {"leaf-inplace", "view-of-leaf-inplace"}
        more = f" (changes meaning: {quote(text)} is then no leaf, and optimizers don't see it)" if leaf else ""
        # A copy of memory that several views share parts from the others; only the replay knows who reads them.
        shared = leaf or observed(failure, context) or failure.kind == "silent-stale"
        yield Fix(f"Clone {quote(text)} before it is changed{more}", "unsafe" if shared else "safe", (edit,))


def alias(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone where another name for the tensor arises, or where it is passed on."""
    places = [place for hop in failure.hops if hop.kind in {"alias", "view", "passed", "stored"}
              for place in _handed(context.place(hop.site), hop.name or failure.name)]  # fmt: skip
    found = find_change(failure, context)
    owner = root(found.target) if found else None
    bound = binding(found.place, owner.id) if found and isinstance(owner, Name) else None
    for place in [*([bound] if bound else []), *places]:
        value = place.node.value if isinstance(place.node, Assign | Arg | Return) else place.node
        if not isinstance(value, Expr) or isinstance(value, Tuple | List | Constant):
            continue
        safe = not observed(failure, context)
        told = f"Clone {quote(place.text_of(value))} here, so that the change stays apart"
        title = told if safe else f"{told} (changes what others see of it)"
        yield Fix(title, "safe" if safe else "unsafe", tuple(copied(place.of(value))))


def _handed(place: Place | None, name: str | None) -> list[Place]:
    """Give the expressions at `place` by which the tensor is handed on: of a call, the arguments that name it."""
    if place is None:
        return []
    if not isinstance(place.node, Call):
        return [place]
    found = [place.of(arg.value) for arg in place.node.args if not arg.star]
    named = [one for one in found if one.text == name]
    return named or found[:1]


def argument(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to pass a copy to a call that changes its argument, such as a custom Function's `apply`."""
    call = call_of(context.place(failure.site))
    if find_change(failure, context) is not None or call is None:
        return
    for place in _handed(call, failure.name)[:1]:
        if isinstance(place.node, Name | Attribute | Subscript):
            safe = not observed(failure, context)
            title = f"Pass a copy of {quote(place.text)}"
            if not safe:
                title += " (changes what others see of it)"
            yield Fix(title, "safe" if safe else "unsafe", tuple(suffix(place, CLONE)))


def copied(place: Place) -> list[Edit]:
    """Give the edits that make the expression a copy: of a NumPy array by `copy()`, of `x.data` by `detach()` too."""
    node = place.node
    if isinstance(node, Attribute) and node.attr == "data":
        return [Edit(place.path, place.chunk.offset + node.attr_start, place.end, "detach().clone()")]
    numpy = isinstance(node, Call) and isinstance(node.func, Attribute) and node.func.attr in {"numpy", "__array__"}
    return suffix(place, ".copy()" if numpy else CLONE)


def view(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone what `expand` or a call that gives several views made (`facts["built"]`, `facts["origin"]`)."""
    told = failure.facts.get("built") or failure.facts.get("origin")
    place = context.place(told)
    if place is None or not isinstance(place.node, Expr):
        return
    safe = failure.kind == "overlap-write" or not observed(failure, context)
    title = f"Clone the result of {quote(place.text)}"
    if not safe:
        title += " (changes meaning: its base no longer sees what is written)"
    yield Fix(title, "safe" if safe else "unsafe", tuple(suffix(place, CLONE)))


def source(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to clone the value that is written, where it may share the target's memory: `x[1:] = x[:-1].clone()`."""
    found = find_change(failure, context)
    if found is None:
        return
    node = found.place.node
    value: Expr | None = None
    if isinstance(node, Assign | AugAssign):
        value = node.value
    elif isinstance(node, Call) and found.form == "method" and node.args and not node.args[0].star:
        value = node.args[0].value
    if value is not None and not isinstance(value, Constant):
        place = found.place.of(value)
        yield Fix(f"Clone {quote(place.text)} before it is written", "safe", tuple(suffix(place, CLONE)))
