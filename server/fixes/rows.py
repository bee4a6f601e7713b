"""Change the rows of a tensor by index instead of by iterating, which makes several views with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call, Constant, For, Name, Subscript
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
    """Propose `for i in range(len(t)):` with `row = t[i]` for `for row in t:`: `select` gives one view a call."""
    place = context.place(failure.site)
    for loop in place.loops if place else []:
        node = loop.node
        if not isinstance(node, For) or not isinstance(node.target, Name) or not is_pure(node.iter):
            continue
        if not isinstance(node.iter, Name) and "." not in loop.text_of(node.iter):
            continue
        rows, index = loop.text_of(node.iter), fresh_name(loop, "i")
        first = first_line_of(loop, f"{node.target.id} = {rows}[{index}]")
        header = Edit(loop.path, loop.of(node.target).start, loop.of(node.iter).end, f"{index} in range(len({rows}))")
        if first and begins_line(loop):
            yield Fix(context.say("rows", value=quote(rows)), "safe", (header, first))
