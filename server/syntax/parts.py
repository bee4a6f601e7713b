"""A function's body as parts: typing in it costs the parse of the statements that change, however long it is.

A part is a statement of the body, scanned and parsed as the members of a class are. What is not edited keeps its
records, which move along with the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from . import ir
from .cursor import Bindings, next_token
from .repair import lower_or_repair
from .scan import lines, statement_starts
from .statements import docstring, parameter_names, scope_of
from .walk import field_names, statements

if TYPE_CHECKING:
    from .chunks import Chunk
    from .repair import Fault


@dataclass(slots=True, eq=False)
class Part:
    """A statement, or several on a line: `text` is what the chunk has from `start` on, where `body` points into.

    `bindings` is what it binds, once that was asked.
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
        end = self.body[-1].end - self.start
        return text[:end] == self.text[:end] and "\\" not in text[end:] and next_token(text, end) == len(text)

    def bound(self, chunk: Chunk) -> Bindings:
        """What it binds, in a function of `chunk`."""
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
            self._nodes = list({id(node): node for statement in self.body for node in _below(statement)}.values())
        for node in self._nodes:
            node.start += by
            node.end += by
            if isinstance(node, ir.Attribute):
                node.attr_start += by
            elif isinstance(node, ir.FunctionDef | ir.ClassDef):
                node.name_start += by


@dataclass(slots=True, eq=False)
class Parts:
    """A function: the text up to its body, the indentation of that, and its parts as far as they are known."""

    head: str
    indent: str
    parts: list[Part] = field(default_factory=list)

    def cut(self, text: str) -> list[tuple[int, str]] | None:
        """Where the parts of the function's new text begin, and their texts; None where its head is another."""
        begin = len(self.head)
        word = next_token(text, begin)
        line = max(begin, text.rfind("\n", begin, word) + 1, text.rfind("\r", begin, word) + 1)
        if not text.startswith(self.head) or text[line:word] != self.indent:
            return None
        starts = [start for start, _ in statement_starts(text, begin, len(text), re.escape(self.indent))]
        return [(start, text[start:end]) for start, end in pairwise([*starts, len(text)])]


def parts_of(chunk: Chunk) -> Parts | None:
    """The parts of a function that is a chunk of its own; None where it is none, or one on a single line."""
    if len(chunk.body) != 1 or not isinstance(function := chunk.body[0], ir.FunctionDef):
        return None
    if chunk.parts is None:
        first = next(lines(chunk.text, function.name_start, len(chunk.text), r"[ \t]+"), None)
        if first is None:
            return None
        line, word = first
        parts = chunk.parts = Parts(chunk.text[:line], chunk.text[line:word])
        if chunk.problem is None:
            parts.parts = [
                Part(text, start, [one for one in function.body if start <= one.start < start + len(text)])
                for start, text in parts.cut(chunk.text) or ()
            ]
    return chunk.parts


@dataclass(slots=True, eq=False)
class Edited:
    """What becomes of a function's parts by an edit: the first `same` and the last `kept` stay."""

    parts: list[Part]
    starts: list[int]
    same: int
    kept: int

    @property
    def fault(self) -> Fault | None:
        """The first fault in the text, if any, at its place in the chunk."""
        for part, start in zip(self.parts, self.starts, strict=True):
            if part.fault is not None:
                return replace(part.fault, offset=start + part.fault.offset)
        return None

    @property
    def body(self) -> list[ir.Stmt]:
        """All statements of the body."""
        return [statement for part in self.parts for statement in part.body]


def edited(known: Chunk, text: str) -> Edited | None:
    """What a new text makes of the function `known`, in which nothing is changed; None where not only its body is."""
    function = parts_of(known)
    pieces = function.cut(text) if function is not None else None
    if function is None or pieces is None:
        return None
    old, most = function.parts, min(len(function.parts), len(pieces))
    same = next((i for i in range(most) if not old[i].says(pieces[i][1])), most)
    most -= same
    kept = next((i for i in range(most) if not old[-1 - i].says(pieces[-1 - i][1])), most)
    middle = [_lowered(start, known.piece(piece)) for start, piece in pieces[same : len(pieces) - kept]]
    return Edited([*old[:same], *middle, *old[len(old) - kept :]], [start for start, _ in pieces], same, kept)


def take_over(known: Chunk, text: str, by: Edited) -> None:
    """Let the function `known` have a new text, of which `edited` said what becomes of its parts.

    Its body stays the same list if it has the same statements.
    """
    (function,) = known.body
    parts = known.parts
    assert isinstance(function, ir.FunctionDef) and parts is not None
    for part in parts.parts[by.same : len(parts.parts) - by.kept]:
        for statement in statements(part.body):
            known.names.pop(statement, None)
    if not parts.parts:
        known.names.clear()
    starts = [*by.starts, len(text)]
    for part, start, end in zip(by.parts, starts, starts[1:], strict=False):
        part.text = text[start:end]
        part.move(start)
    for part in by.parts[by.same : len(by.parts) - by.kept]:
        for statement in statements(part.body):
            statement.chunk = known
    known.text, known.edit = text, None
    if by.body != function.body:
        function.body = by.body
        bindings = Bindings(parameter_names(function.params))
        for part in by.parts:
            bindings.add(part.bound(known))
        function.scope = scope_of(bindings)
        function.doc = docstring(function.body)
    function.end = function.body[-1].end
    parts.parts = by.parts


def _lowered(start: int, chunk: Chunk) -> Part:
    """A part that is new."""
    bindings = Bindings()
    body, fault = lower_or_repair(chunk, bindings)
    if body is None:
        word = next_token(chunk.text, 0)
        body = [ir.Pass(word, word + 1, chunk)]
    part = Part(chunk.text, 0, body, bindings, fault)
    part.move(start)
    return part


def _below(record: ir.Node | ir.Params) -> list[ir.Node]:
    """All nodes of a record, itself first."""
    found = [record] if isinstance(record, ir.Node) else []
    for name in field_names(record):
        value = getattr(record, name)
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, ir.Node | ir.Params):
                found += _below(one)
    return found
