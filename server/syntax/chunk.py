"""A chunk: a statement's text with what it was lowered to; and a file, which is a row of chunks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from .ir import is_left
from .text import Excerpt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from . import ir
    from .part import Parts
    from .repair import Fault


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a chunk could not be parsed as it is, at a 0-based line and code-point column of the file.

    The message is empty if the text is not at fault.
    """

    line: int
    column: int
    message: str


@dataclass(slots=True, eq=False)
class Chunk(Excerpt):
    """A statement's text and what it was lowered to.

    `text` is the text that the offsets in `body` point into. It is the file's text at `offset`, unless that doesn't
    parse and the chunk keeps its last good statements: then the file has `current`, and spans follow `edit`. A `header`
    holds a class whose members are the chunks after it.
    """

    body: list[ir.Stmt] = field(default_factory=list, repr=False)
    problem: Problem | None = None
    current: str = ""
    parts: Parts | None = field(default=None, repr=False)
    """of a function that is being edited, the pieces that its body was parsed in"""

    def is_left(self) -> bool:
        """Whether this is a function whose body was left for later."""
        return len(self.body) == 1 and is_left(self.body[0])

    def blame(self, fault: Fault) -> None:
        """Note what is wrong with the text."""
        span = self.range(fault.offset, fault.offset)
        self.problem = Problem(span.start_line, span.start_col, fault.message)

    def _move(self, path: str, offset: int, line: int, line_starts: list[int]) -> None:
        if self.problem is not None:
            self.problem = replace(self.problem, line=self.problem.line + line - self.line)
        self.path = path
        self.offset = offset
        self.line = line
        self.line_starts = line_starts


@dataclass(slots=True, eq=False)
class Source:
    """A parsed file. `line_starts[n]` is the offset of line n in `text`.

    `dropped` are chunks that it had, the last ones first: an edit that is taken back gives it the same ones again.
    `edited` are the functions in which somebody has typed, the last ones first: these remember the parts that they had.
    """

    path: str
    text: str
    chunks: list[Chunk]
    line_starts: list[int]
    dropped: list[Chunk] = field(default_factory=list, repr=False)
    edited: list[Chunk] = field(default_factory=list, repr=False)

    @property
    def body(self) -> Iterator[ir.Stmt]:
        """The top-level statements in order; a class's members are in its `body`."""
        for chunk in self.chunks:
            if chunk.kind != "member":
                yield from chunk.body

    @property
    def problems(self) -> list[Problem]:
        """What is wrong with the text, in order."""
        return [chunk.problem for chunk in self.chunks if chunk.problem is not None and chunk.problem.message]

    def line(self, number: int) -> str:
        """The text of a 0-based line, with its newline."""
        end = self.line_starts[number + 1] if number + 1 < len(self.line_starts) else len(self.text)
        return self.text[self.line_starts[number] : end]
