"""Change the rows of a tensor by index instead of by iterating, which makes several views with one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import For, Name
from .edit import Edit, Fix
from .layout import begins_line, first_line_of, fresh_name, is_pure
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context


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
            yield Fix(f"Take the rows of {quote(rows)} by index", "safe", (header, first))
