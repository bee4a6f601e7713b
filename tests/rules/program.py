"""Sites in a text, for reports that are built by hand."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from gradguard.analyses.domain.report import Site
from gradguard.syntax.chunks import parse
from gradguard.syntax.ir import Node

if TYPE_CHECKING:
    from collections.abc import Iterator


class Program:
    """A parsed text, in which a site is found by its own text."""

    def __init__(self, text: str, path: str = "main.py") -> None:
        self.source = parse(text, path)

    def site(self, text: str) -> Site:
        """The first site whose text is `text`."""
        for chunk in self.source.chunks:
            for statement in chunk.body:
                for node in nodes(statement):
                    if chunk.text[node.start : node.end] == text:
                        return Site(chunk, node)
        raise LookupError(text)


def nodes(node: Node) -> Iterator[Node]:
    """A node and all nodes below it, the outermost first."""
    yield node
    for field in fields(node):
        value = getattr(node, field.name)
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, Node):
                yield from nodes(child)
