"""The code blocks of Markdown pages, each with the outcome that its title states."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)(?P<options>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.DOTALL | re.MULTILINE
)
DRAWING = re.compile(r"\]\((?:\.\./)*drawings/(?P<name>[\w-]+)\.svg\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: `line` is that of its fence, from 1 on; `drawing` is the drawing right above it, if any."""

    line: int
    language: str
    title: str
    text: str
    drawing: str | None


def blocks(page: str) -> Iterator[Block]:
    """The blocks of a page, in order."""
    end = 0
    for found in FENCE.finditer(page):
        title = re.search(r'title="([^"]*)"', found["options"])
        drawings = [drawing["name"] for drawing in DRAWING.finditer(page, end, found.start())]
        end = found.end()
        yield Block(
            page.count("\n", 0, found.start()) + 1,
            found["language"],
            title[1] if title else "",
            textwrap.dedent(found["text"]),
            drawings[-1] if drawings else None,
        )
