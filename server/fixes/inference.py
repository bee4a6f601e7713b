"""Make tensors that autograd may use later: `torch.no_grad()` instead of `torch.inference_mode()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..analyses.domain.report import Site
from ..syntax.ir import Attribute, FunctionDef, With
from .edit import Edit, Fix
from .place import below, statements

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.domain.report import Failure
    from .place import Context, Place


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose it at the attribute in `facts["inference_mode"]`; if that is unknown, wherever the mode is named."""
    told = context.place(failure.facts.get("inference_mode"))
    for name in [told] if told else list(_modes(context)):
        if isinstance(name.node, Attribute):
            edit = Edit(name.path, name.chunk.offset + name.node.attr_start, name.end, "no_grad")
            yield Fix(context.say("no-inference", "inference"), "unsafe", (edit,))


def _modes(context: Context) -> Iterator[Place]:
    for stmt in (stmt for source in context.sources.values() for stmt in statements(source.body)):
        parts = stmt.decorators if isinstance(stmt, FunctionDef) else stmt.items if isinstance(stmt, With) else []
        for node in (node for part in parts for node in below(part, Attribute)):
            place = context.place(Site(stmt.chunk, node)) if node.attr == "inference_mode" else None
            if place:
                yield place
