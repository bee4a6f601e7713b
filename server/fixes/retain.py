"""Keep the graph for a second backward(): `retain_graph=True` at the first one.

`create_graph=True` if that is `autograd.grad()`, and a penalty is computed from its result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.imports import import_table
from ..syntax.ir import Assign, Call, Constant, Name, Return
from .edit import Edit, Fix
from .layout import add_argument
from .place import below, call_of, dotted, own_statements
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from ..syntax.ir import Arg
    from .place import Context, Place

FLAG = "retain_graph=True"
HIGHER = "create_graph=True"


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the flag at the backward() that freed the graph (`facts["freed"]`), and at one that rounds repeat."""
    freed, again = (call_of(context.place(one)) for one in (failure.facts.get("freed"), failure.site))
    if freed is None or not _frees(freed):
        return
    if again is not None and _is_used(freed, again):
        higher = context.say("create-graph", "second-order", value=quote(freed.text))
        yield Fix(higher, "unsafe", (add_argument(freed, HIGHER),))
    title = context.say("retain-graph", "memory", value=quote(freed.text))
    yield Fix(title, "unsafe", (_kept(freed),))
    if again is not None and again.node is not freed.node and again.loops and _frees(again):
        yield Fix(title, "unsafe", (_kept(freed), _kept(again)))


def _is_used(freed: Place, again: Place) -> bool:
    """Return whether the result of `autograd.grad()` goes into the later backward() or to the caller, by its names."""
    func = freed.node.func if isinstance(freed.node, Call) else None
    if func is None or import_table(freed.source).resolve(dotted(func)) != "torch.autograd.grad":
        return False
    made: set[str] = set()
    for stmt in own_statements(freed):
        names = {name.id for name in below(stmt.node, Name)}
        if stmt.node is freed.statement.node or (stmt.start > freed.end and names & made):
            if stmt.node is again.statement.node or isinstance(stmt.node, Return):
                return True
            if isinstance(stmt.node, Assign):
                made |= {name.id for target in stmt.node.targets for name in below(target, Name)}
    return False


def _kept(call: Place) -> Edit:
    """Make the call keep its graph, whatever it is passed for that."""
    arg = _told(call)
    if arg is None:
        return add_argument(call, FLAG)
    return Edit(call.path, call.chunk.offset + arg.start, call.chunk.offset + arg.end, FLAG)


def _frees(call: Place) -> bool:
    arg = _told(call)
    return isinstance(call.node, Call) and (arg is None or not _is_true(arg))


def _told(call: Place) -> Arg | None:
    args = call.node.args if isinstance(call.node, Call) else ()
    return next((arg for arg in args if arg.name == "retain_graph"), None)


def _is_true(arg: Arg) -> bool:
    return isinstance(arg.value, Constant) and arg.value.value is True
