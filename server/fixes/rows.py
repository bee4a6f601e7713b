"""Change the rows of a tensor by index instead of by iterating, which makes several views with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call, Constant, Expr, For, Name, Subscript, Tuple
from .change import is_module
from .edit import Fix
from .layout import begins_line, first_line_of, fresh_name, is_pure
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
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
    """Propose `for i in range(len(t)):` with `row = t[i]` for `for row in t:`: `select` makes one view a call.

    The same for `for i, row in enumerate(t):`, and for a tensor in `zip(t, …)`.
    """
    place = context.place(failure.site)
    for loop in place.loops if place else []:
        if not isinstance(loop.node, For) or not begins_line(loop):
            continue
        for row, tensor, target, over, counter in _iterated(loop.node):
            rows, index = loop.text_of(tensor), counter or fresh_name(loop, "i")
            first = first_line_of(loop, f"{row.id} = {rows}[{index}]")
            if first:
                numbers = (loop.of(target).edit(index), loop.of(over).edit(f"range(len({rows}))"), first)
                yield Fix(context.say("rows", value=quote(rows)), "safe", numbers)


def _iterated(loop: For) -> Iterator[tuple[Name, Expr, Expr, Expr, str | None]]:
    """Return each tensor that a loop may iterate over: its row's name, itself, and where an index can replace it.

    The latter is the target and the iterable that become the index and the range; the index may have a name already.
    """
    target, over = loop.target, loop.iter
    if isinstance(target, Name) and _is_named(over):
        yield target, over, target, over, None
    if not isinstance(target, Tuple) or not isinstance(over, Call) or not isinstance(over.func, Name):
        return
    given = [arg.value for arg in over.args if not arg.star and arg.name is None]
    names = [one for one in target.elts if isinstance(one, Name)]
    if over.func.id == "enumerate" and len(given) == len(over.args) == 1 and len(names) == len(target.elts) == 2:
        if _is_named(given[0]):
            yield names[1], given[0], target, over, names[0].id
    elif over.func.id == "zip" and len(given) == len(target.elts):
        for one, tensor in zip(target.elts, given, strict=True):
            if isinstance(one, Name) and _is_named(tensor):
                yield one, tensor, one, tensor, None


def _is_named(node: Expr) -> bool:
    return isinstance(node, Name | Attribute | Subscript) and is_pure(node)
