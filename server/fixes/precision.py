"""Use the dtype that the failing call needs: double precision for gradcheck, floating point for `requires_grad`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Assign, Attribute, Call, Expr, ExprStmt, List, Name, Tuple
from .change import declared, is_module
from .edit import Edit, Fix
from .layout import add_argument, delete, insert_before, remove_argument, suffix
from .nograd import torch_name
from .place import below, binding, call_of, dotted, surroundings
from .text import quote, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context, Place

FACTORIES = words(
    "arange empty eye full linspace logspace ones rand randn tensor zeros "
    "empty_like full_like ones_like rand_like randn_like zeros_like"
)
"""The factories of `torch` that take a `dtype` and return floating point."""


def gradcheck(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose double precision for what is checked: the inputs, and the modules that the function uses.

    `facts["gradcheck_inputs"]` are the expressions that make them; without it, the call's arguments are traced back to
    the assignments of their names.
    """
    told = failure.facts.get("gradcheck_inputs")
    site = context.place(failure.site)
    arguments = list(_arguments(site))
    copied = [binding(place, place.node.id) for place in arguments if isinstance(place.node, Name)]
    apart = {id(stmt.node) for stmt in copied if stmt}
    found = [context.place(one) for one in told] if isinstance(told, tuple) else []
    places = [*(place for place in found if place and id(place.statement.node) not in apart), *arguments]
    edits: list[Edit] = []
    for place in places:
        if not any(_is_within(place, other) for other in places):
            edits += _doubled(place)
    if edits:
        unique = tuple(dict.fromkeys(edits))
        yield Fix(context.say("double", "double"), "unsafe", unique)


def _is_within(place: Place, other: Place) -> bool:
    return place.node is not other.node and any(node is other.node for node in place.chain)


def _arguments(site: Place | None) -> Iterator[Place]:
    call = call_of(site)
    if call is None or not isinstance(call.node, Call):
        return
    for arg in call.node.args[:2]:
        value = arg.value
        for one in value.elts if isinstance(value, Tuple | List) else [value]:
            yield from _made(call, one)


def _made(place: Place, expr: Expr) -> Iterator[Place]:
    """Return where the value of a name was made: the last assignment before `place`, in its block or around it."""
    if isinstance(expr, Name) and _used_elsewhere(place, expr):
        yield place.of(expr)
        return
    if not isinstance(expr, Name):
        if isinstance(expr, Call):
            yield place.of(expr)
        return
    stmt = binding(place, expr.id)
    if stmt is not None and isinstance(stmt.node, Assign):
        yield from _values(stmt, stmt.node.value)


def _used_elsewhere(call: Place, name: Name) -> bool:
    """Return whether anything but the call reads the name, and so needs the precision that it has."""
    roots = surroundings(call)
    found = [node for root in roots for node in below(root, Name) if node.id == name.id]
    bound = {id(node) for root in roots for one in below(root, Assign) for t in one.targets for node in below(t, Name)}
    inside = {id(node) for node in below(call.node, Name)}
    return any(id(node) not in bound and id(node) not in inside for node in found)


def _values(place: Place, value: Expr) -> Iterator[Place]:
    for one in value.elts if isinstance(value, Tuple | List) else [value]:
        if isinstance(one, Call):
            yield place.of(one)
        else:
            yield from _made(place, one)


def _doubled(place: Place) -> list[Edit]:
    """Make the expression double: a factory's tensor by `dtype=`, so that it stays a leaf, others by `.double()`."""
    if _is_double(place):
        return []
    call = place.node
    if isinstance(call, Call) and isinstance(call.func, Attribute) and call.func.attr in FACTORIES:
        given = next((arg for arg in call.args if arg.name == "dtype"), None)
        if is_module(place, call.func):
            torch, imports = torch_name(place)
            if given:
                return [*imports, place.of(given.value).edit(f"{torch}.float64")]
            return [*imports, add_argument(place, f"dtype={torch}.float64")]
    return suffix(place, ".double()")


def _is_double(place: Place) -> bool:
    return any(word in place.text for word in (".double", "float64"))


def integer(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose to drop `requires_grad=True`, or to make the tensor floating point."""
    place = context.place(failure.site)
    if place is not None and isinstance(place.statement.node, Assign) and not isinstance(place.node, Call):
        yield from _assigned(place.statement, context)
        return
    call = call_of(place)
    if call is None or not isinstance(call.node, Call):
        return
    flag = next((arg for arg in call.node.args if arg.name == "requires_grad"), None)
    if flag is None and dotted(call.node.func).endswith("Parameter") and call.node.args:
        yield Fix(context.say("pass-no-grad", "no-gradient"), "unsafe", (add_argument(call, "requires_grad=False"),))
        value = call.of(call.node.args[0].value)
        yield Fix(context.say("floating", "float"), "unsafe", tuple(suffix(value, ".float()")))
        return
    if flag is not None:
        drop = remove_argument(call, flag)
        floating = list(_floating(call))
    elif isinstance(call.node.func, Attribute) and call.node.func.attr == "requires_grad_":
        owner = call.of(call.node.func.value)
        drop = Edit(call.path, owner.end, call.end, "")
        floating = [Edit(call.path, owner.end, owner.end, ".float()")]
        if isinstance(call.statement.node, ExprStmt) and isinstance(owner.node, Name | Attribute):
            floating.append(Edit(call.path, call.statement.start, call.statement.start, f"{owner.text} = "))
            drop = delete(call.statement) or Edit(call.path, call.start, call.end, "pass")
    else:
        return
    dropped = Fix(context.say("drop-requires-grad", "no-gradient"), "unsafe", (drop,))
    made = Fix(context.say("floating", "float"), "unsafe", tuple(floating))
    indices = quote(call.text).startswith(("`torch.randint", "`torch.randperm"))
    yield from (one for one in ((dropped, made) if indices else (made, dropped)) if one.edits)


def _assigned(stmt: Place, context: Context) -> Iterator[Fix]:
    """Return the fix for `x.requires_grad = True` where `x` is not floating point."""
    assert isinstance(stmt.node, Assign)
    target = stmt.node.targets[0]
    if not isinstance(target, Attribute) or target.attr != "requires_grad":
        return
    declaring = declared(stmt, target.value)
    if declaring is None:
        return
    owner = stmt.text_of(target.value)
    before = insert_before(stmt, f"{owner} = {owner}.float()")
    if before:
        yield Fix(context.say("floating", "float"), "unsafe", (*declaring, before))
    drop = delete(stmt) or stmt.edit("pass")
    yield Fix(context.say("drop-requires-grad", "no-gradient"), "unsafe", (drop,))


def _floating(call: Place) -> Iterator[Edit]:
    node = call.node
    assert isinstance(node, Call)
    given = next((arg for arg in node.args if arg.name == "dtype"), None)
    torch, imports = torch_name(call)
    yield from imports
    yield call.of(given.value).edit(f"{torch}.float32") if given else add_argument(call, f"dtype={torch}.float32")
