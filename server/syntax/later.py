"""Functions whose bodies are lowered when somebody asks for them: of those that a program imports, most never run.

def scale(x):       # lowered with the file: what the program needs to define the function
    return x.exp()  # lowered when the function is called, or when a whole file is wanted
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from . import ir
from .cursor import Bindings, LostError, next_token
from .depth import TooDeepError
from .lower import lower
from .nodes import cst
from .repair import lower_or_repair
from .scan import lines
from .statements import parameter_names, scope_of

if TYPE_CHECKING:
    from .chunk import Chunk

_FUNCTION = re.compile(r"(?:async[ \t]+)?def\b").match


def without_body(chunk: Chunk) -> ir.FunctionDef | None:
    """The function that a chunk consists of, with its body left for later; None if it has no block, or isn't one."""
    begin = _body(chunk.text)
    if begin is None:
        return None
    line, word = begin
    try:
        head = lower(f"{chunk.text[:line]}{chunk.text[line:word]}pass\n", chunk)
    except (cst.ParserSyntaxError, LostError, TooDeepError, RecursionError, ValueError):
        return None
    function = head[0]
    if len(head) > 1 or not isinstance(function, ir.FunctionDef):
        return None
    function.leave(lambda left: _fill(chunk, left))
    return function


def _body(text: str) -> tuple[int, int] | None:
    """Where the first line of the body of a function begins, and its first word; None without such a line."""
    word = next_token(text, 0)
    rest = lines(text, 0, len(text), r"[ \t]*")
    if text.startswith("@", word):
        word = next((word for _, word in rest if _FUNCTION(text, word)), len(text))
    if not _FUNCTION(text, word):
        return None
    return next(((line, head) for line, head in rest if head > word), None)


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
