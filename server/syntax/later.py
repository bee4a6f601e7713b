"""Functions whose bodies are lowered when somebody asks for them: of those that a program imports, most never run.

def scale(x):       # lowered with the file: what the program needs to define the function
    return x.exp()  # lowered when the function is called, or when a whole file is wanted
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import ir
from .cursor import Bindings, next_token
from .repair import attempt, lower_or_repair
from .scan import lines
from .statements import parameter_names, scope_of

if TYPE_CHECKING:
    from .chunk import Chunk

_FUNCTION = re.compile(r"(?:async[ \t]+)?def\b").match


def without_body(chunk: Chunk) -> ir.FunctionDef | None:
    """The function that a chunk consists of, with its body left for later; None if it has no block, or isn't one."""
    word = _body(chunk.text)
    if word is None:
        return None
    head, _ = attempt(f"{chunk.text[:word]}pass\n", chunk)
    function = head[0] if head is not None and len(head) == 1 else None
    if not isinstance(function, ir.FunctionDef):
        return None
    function.leave(lambda left: _fill(chunk, left))
    return function


def _body(text: str) -> int | None:
    """Where the first word of a function's body is; None unless it begins a line."""
    word = next_token(text, 0)
    rest = lines(text, 0, len(text), r"[ \t]*")
    if text.startswith("@", word):
        word = next((word for _, word in rest if _FUNCTION(text, word)), len(text))
    if not _FUNCTION(text, word):
        return None
    return next((first for _, first in rest if first > word), None)


def _fill(chunk: Chunk, function: ir.FunctionDef) -> None:
    """Give a function what was left for later, as it would have had it from the start."""
    body, fault = lower_or_repair(chunk)
    whole = body[0] if body is not None and len(body) == 1 else None
    if isinstance(whole, ir.FunctionDef):
        function.complete(whole.end, whole.body, whole.scope, whole.doc)
    else:  # it is broken, and nothing can be made of it
        scope = scope_of(Bindings(parameter_names(function.params)))
        function.complete(len(chunk.text), [ir.Pass(0, 1, chunk)], scope, None)
    if fault is not None:
        chunk.blame(fault)
