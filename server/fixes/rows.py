"""Change the rows of a tensor by index instead of by iterating, which makes several views with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call, Constant, Expr, For, Name, Subscript, Tuple
from .change import is_module
from .edit import Edit, Fix
from .layout import begins_line, first_line_of, fresh_name, is_pure
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context


def parts(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `[t[i] for i in range(len(t))]` for `t.unbind(0)`: the same views, each made by a call of its own."""
    built = next((context.place(hop.site) for hop in failure.hops if hop.kind == "built"), None)
    call = call_of(built)
    if call is None or not isinstance(call.node, Call) or not isinstance(call.node.func, Attribute):
        return
    func, args = call.node.func, call.node.args
    first = all(isinstance(arg.value, Constant) and arg.value.value == 0 for arg in args)
    named = isinstance(func.value, Name | Attribute | Subscript) and is_pure(func.value)
    if func.attr == "unbind" and first and named and not is_module(call, func.value):
        rows, index = call.text_of(func.value), fresh_name(call, "i")
        text = f"[{rows}[{index}] for {index} in range(len({rows}))]"
        yield Fix(context.say("rows", value=quote(rows)), "safe", (call.edit(text),))


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose `for i in range(len(t)):` with `row = t[i]` for `for row in t:`: `select` gives one view a call.

    So for `for i, row in enumerate(t):`.
    """
    place = context.place(failure.site)
    for loop in place.loops if place else []:
        node = loop.node
        over = _iterated(node) if isinstance(node, For) else None
        if over is None or not isinstance(node, For) or not begins_line(loop):
            continue
        row, counter, tensor = over
        rows, index = loop.text_of(tensor), counter or fresh_name(loop, "i")
        first = first_line_of(loop, f"{row} = {rows}[{index}]")
        header = Edit(loop.path, loop.of(node.target).start, loop.of(node.iter).end, f"{index} in range(len({rows}))")
        if first:
            yield Fix(context.say("rows", value=quote(rows)), "safe", (header, first))


def _iterated(loop: For) -> tuple[str, str | None, Expr] | None:
    """Give the names of the row and of its number, if it has one, and the tensor that a loop goes through."""
    target, over = loop.target, loop.iter
    if isinstance(target, Tuple) and isinstance(over, Call) and isinstance(over.func, Name):
        plain = over.func.id == "enumerate" and len(over.args) == 1 and not over.args[0].star
        names = [one.id for one in target.elts if isinstance(one, Name)]
        if plain and len(names) == len(target.elts) == 2 and _is_named(over.args[0].value):
            return names[1], names[0], over.args[0].value
    return (target.id, None, over) if isinstance(target, Name) and _is_named(over) else None


def _is_named(node: Expr) -> bool:
    return isinstance(node, Name | Attribute | Subscript) and is_pure(node)
