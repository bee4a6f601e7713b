"""The parts of a function's body, each of which is parsed on its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from . import ir
from .cursor import Bindings, differ_in_comments, next_token
from .repair import lower_or_repair
from .scan import statement_starts
from .walk import nodes

if TYPE_CHECKING:
    from .repair import Fault
    from .text import Excerpt


@dataclass(slots=True, eq=False)
class Part:
    """A statement, or several on a line: `text` is the chunk's text from `start` on, which `body` points into.

    `bindings` are the names that it binds, once they were asked for.
    """

    text: str
    start: int
    body: list[ir.Stmt]
    bindings: Bindings | None = None
    fault: Fault | None = None
    _nodes: list[ir.Node] | None = field(default=None, repr=False)

    def says(self, text: str) -> bool:
        """Whether a text has the same statements at the same places: it differs in what follows them alone."""
        if self.text == text:
            return True
        if self.fault is not None:
            return False
        return differ_in_comments(self.text, text, self.body[-1].end - self.start)

    def bound(self, chunk: Excerpt) -> Bindings:
        """The names that it binds, in a function of `chunk`."""
        if self.bindings is None:
            self.bindings = Bindings()
            lower_or_repair(chunk.piece(self.text), self.bindings)
        return self.bindings

    def move(self, start: int) -> None:
        """Have the part begin elsewhere in its chunk."""
        by, self.start = start - self.start, start
        if not by:
            return
        if self._nodes is None:
            self._nodes = list({id(node): node for node in nodes(self.body) if isinstance(node, ir.Node)}.values())
        for node in self._nodes:
            node.start += by
            node.end += by
            if isinstance(node, ir.Attribute):
                node.attr_start += by
            elif isinstance(node, ir.FunctionDef | ir.ClassDef):
                node.name_start += by


DROPPED = 3
"""parts of a function that are remembered"""

Body = tuple[list[ir.Stmt], ir.Scope]
"""the statements of a function, and the names in it"""

BODIES = 2
"""bodies of a function that are remembered"""


@dataclass(slots=True, eq=False)
class Parts:
    """A function: the text up to its body, the indentation of that, and its parts as far as they are known.

    `dropped` are parts that it had, the last ones first, and `bodies` what it had for a body, with the scope of that:
    an edit that is taken back gives it the same statements again.
    """

    head: str
    indent: str
    parts: list[Part] = field(default_factory=list)
    dropped: list[Part] = field(default_factory=list)
    bodies: list[Body] = field(default_factory=list)

    def body_of(self, statements: list[ir.Stmt]) -> Body | None:
        """The body that it had when it had these statements, if it is remembered."""
        return next((one for one in self.bodies if one[0] == statements), None)

    def leave(self, body: Body) -> None:
        """Remember a body that it has not any more."""
        self.bodies = [body, *(one for one in self.bodies if one[0] is not body[0])][:BODIES]

    def forget(self) -> None:
        """Forget what it had."""
        self.dropped, self.bodies = [], []

    def drop(self, parts: list[Part]) -> None:
        """Remember parts that it has not any more, and none that it has."""
        whole = [part for part in parts if part.fault is None]
        self.dropped = [one for one in (*whole, *self.dropped) if one not in self.parts][:DROPPED]

    def cut(self, text: str) -> list[tuple[int, str]] | None:
        """Where the parts of the function's new text begin, and their texts; None if its head has changed."""
        begin = len(self.head)
        word = next_token(text, begin)
        line = max(begin, text.rfind("\n", begin, word) + 1, text.rfind("\r", begin, word) + 1)
        if not text.startswith(self.head) or text[line:word] != self.indent:
            return None
        starts = [start for start, _ in statement_starts(text, begin, len(text), re.escape(self.indent))]
        return [(start, text[start:end]) for start, end in pairwise([*starts, len(text)])]
