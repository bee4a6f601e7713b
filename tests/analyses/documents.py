"""Markdown as tests: the Python blocks of a document, under the headings that they stand under."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FENCE = re.compile(r"^```python *(?P<info>.*)\n(?P<text>(?:.*\n)*?)```$", re.MULTILINE)
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A program of a document. `info` is what follows the fence's language, `title` names it in the test's output."""

    title: str
    info: str
    text: str


def blocks(folder: Path) -> Iterator[Block]:
    """The Python blocks of all documents of a folder."""
    for path in sorted(folder.glob("*.md")):
        document = path.read_text()
        numbers: dict[str, int] = {}
        for fence in FENCE.finditer(document):
            heading = HEADING.findall(FENCE.sub("", document[: fence.start()]))[-1]
            numbers[heading] = numbers.get(heading, 0) + 1
            yield Block(f"{path.stem}: {heading} {numbers[heading]}", fence["info"], fence["text"])


def cases(folder: Path) -> list[object]:
    """The blocks of a folder as test cases; one whose fence says `missed: …` is expected to fail, for that reason."""
    return [
        pytest.param(
            block,
            id=block.title,
            marks=[pytest.mark.xfail(reason=block.info, strict=True)] if block.info.startswith("missed") else [],
        )
        for block in blocks(folder)
    ]
