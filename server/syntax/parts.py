"""A function's body as parts: typing in it costs the parse of the statements that change, however long it is.

A part is a statement of the body, scanned and parsed as the members of a class are. What is not edited keeps its
records, which move along with the text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from . import ir
from .cursor import Bindings, next_token
from .part import Body, Part, Parts
from .renewal import relocate, rewrite_text
from .repair import lower_or_repair
from .scan import lines
from .statements import docstring, parameter_names, scope_of
from .walk import statements

if TYPE_CHECKING:
    from .chunk import Chunk
    from .repair import Fault
    from .text import Excerpt


def parts_of(chunk: Chunk) -> Parts | None:
    """The parts of a function that is a chunk; None if it isn't one, or is on a single line."""
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
    """The new version of the function `known`, which itself stays unchanged; None if more than its body has changed."""
    function = parts_of(known)
    pieces = function.cut(text) if function is not None else None
    if function is None or pieces is None:
        return None
    old, most = function.parts, min(len(function.parts), len(pieces))
    same = next((i for i in range(most) if not old[i].says(pieces[i][1])), most)
    most -= same
    kept = next((i for i in range(most) if not old[-1 - i].says(pieces[-1 - i][1])), most)
    left = {part.text: part for part in reversed(function.dropped)}
    new = pieces[same : len(pieces) - kept]
    middle = [left.pop(text) if text in left else _lowered(start, known.piece(text)) for start, text in new]
    return Edited([*old[:same], *middle, *old[len(old) - kept :]], [start for start, _ in pieces], same, kept)


def take_over(known: Chunk, text: str, by: Edited) -> None:
    """Let the function `known` have a new text, of which `edited` said what becomes of its parts.

    Its body stays the same list if it has the same statements.
    """
    (function,) = known.body
    parts = known.parts
    assert isinstance(function, ir.FunctionDef) and parts is not None
    replaced = parts.parts[by.same : len(parts.parts) - by.kept]
    for part in replaced:
        for statement in statements(part.body):
            known.names.pop(statement, None)
    if not parts.parts:
        known.names.clear()
    if len(by.parts) == len(parts.parts) == by.same + by.kept + 1:
        by.parts[by.same] = _rewritten(parts.parts[by.same], known.text, by.parts[by.same], text)
    starts = [*by.starts, len(text)]
    for part, start, end in zip(by.parts, starts, starts[1:], strict=False):
        part.text = text[start:end]
        part.move(start)
    for part in by.parts[by.same : len(by.parts) - by.kept]:
        for statement in statements(part.body):
            statement.chunk = known
    known.text, known.edit = text, None
    if by.body != function.body:
        parts.leave((function.body, function.scope))
        function.body, function.scope = parts.body_of(by.body) or _new(by, known)
    function.doc = docstring(function.body)
    function.end = function.body[-1].end
    parts.parts = by.parts
    parts.drop(replaced)


def _new(by: Edited, known: Chunk) -> Body:
    """The body of a function as it was edited, and its scope."""
    (function,) = known.body
    assert isinstance(function, ir.FunctionDef)
    bindings = Bindings(parameter_names(function.params))
    for part in by.parts:
        bindings.add(part.bound(known))
    return by.body, scope_of(bindings)


def _rewritten(old: Part, known: str, new: Part, text: str) -> Part:
    """The old part, if both are a docstring, which now says what the new one does, or the same; else the new part."""
    if old.fault is not None or new.fault is not None:
        return new
    docstrings = len(old.body) == len(new.body) == 1 and rewrite_text(old.body[0], new.body[0])
    if docstrings or relocate(old.body, known, new.body, text):
        old.start = new.start
        return old
    return new


def _lowered(start: int, chunk: Excerpt) -> Part:
    """A part that is new."""
    bindings = Bindings()
    body, fault = lower_or_repair(chunk, bindings)
    if body is None:
        word = next_token(chunk.text, 0)
        body = [ir.Pass(word, word + 1, chunk)]
    part = Part(chunk.text, 0, body, bindings, fault)
    part.move(start)
    return part
