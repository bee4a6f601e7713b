"""Keep the graph for a second backward(): `retain_graph=True` at the first one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Call
from .edit import Fix
from .layout import add_argument
from .place import call_of
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context, Place

FLAG = "retain_graph=True"


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the flag at the backward() that freed the graph (`facts["freed"]`), and at one that rounds repeat."""
    freed, again = (call_of(context.place(one)) for one in (failure.facts.get("freed"), failure.site))
    if freed is None or not _frees(freed):
        return
    title = context.say("retain-graph", "memory", value=quote(freed.text))
    yield Fix(title, "unsafe", (add_argument(freed, FLAG),))
    if again is not None and again.node is not freed.node and again.loops and _frees(again):
        yield Fix(title, "unsafe", (add_argument(freed, FLAG), add_argument(again, FLAG)))


def _frees(call: Place) -> bool:
    return isinstance(call.node, Call) and not any(arg.name == "retain_graph" for arg in call.node.args)
