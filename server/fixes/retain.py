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
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose the flag at the backward() that freed the graph (`facts["freed"]`)."""
    call = call_of(context.place(failure.facts.get("freed")))
    if call and isinstance(call.node, Call) and not any(arg.name == "retain_graph" for arg in call.node.args):
        title = context.say("retain-graph", "memory", value=quote(call.text))
        yield Fix(title, "unsafe", (add_argument(call, "retain_graph=True"),))
