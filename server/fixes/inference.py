"""Make tensors that autograd may use later: `torch.no_grad()` in the place of `torch.inference_mode()`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..syntax.ir import Attribute, Call
from .edit import Fix
from .place import Place, below, module_body

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..analyses.report import Failure
    from .place import Context


def propose(failure: Failure, context: Context) -> Iterator[Fix]:
    """Propose it at `facts["inference_mode"]`, or at each `inference_mode` of the file where that isn't told."""
    told = context.place(failure.facts.get("inference_mode"))
    for place in [told] if told else list(_modes(failure, context)):
        for node in below(place.node, Attribute):
            if node.attr == "inference_mode":
                name = place.of(node)
                start = name.chunk.offset + node.attr_start
                edit = name.edit(f"{name.source.text[name.start : start]}no_grad")
                title = (
                    "Use `no_grad()` instead of `inference_mode()` (changes meaning: the tensors may be used in graphs)"
                )
                yield Fix(title, "unsafe", (edit,))


def _modes(failure: Failure, context: Context) -> Iterator[Place]:
    site = context.place(failure.site)
    for stmt in module_body(site.source) if site else []:
        assert site is not None
        top = Place(site.path, site.source, (stmt,))
        for node in below(stmt, Attribute):
            if node.attr == "inference_mode":
                found = top.of(node)
                outer = found.outer
                yield outer if outer and isinstance(outer.node, Call) else found
