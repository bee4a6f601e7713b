"""What to make of text that does not parse: leave the broken statement out, keep the rest."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from .cursor import LostError, next_token
from .depth import TooDeepError
from .lower import WRAPPERS, lower, parse_chunk
from .scan import line_end, lines

if TYPE_CHECKING:
    from . import ir
    from .chunks import Chunk
    from .scan import Kind

_most_repairs = 4  # each costs a parse of the chunk
_block_missing = re.compile(r"expected an indented block after .* on line (\d+)").match
_clause = re.compile(r"(?:elif|else|except|finally|case)\b").match
_placeholders = ("pass", "0")
_newline = re.compile(r"\r\n?|\n")
_visible = re.compile(r"[^\r\n\t\f]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a chunk's text, and at which code point of it."""

    offset: int
    message: str


def lower_or_repair(chunk: Chunk) -> tuple[list[ir.Stmt] | None, Fault | None]:
    """The chunk's statements and what is wrong with its text, if anything is.

    Broken statements are left out. No statements (None) means that this didn't help, or leaves nothing.
    """
    text = chunk.text
    body, first = _attempt(text, chunk)
    fault = first
    for _ in range(_most_repairs):
        if fault is None or (masked := _without(text, fault.offset)) is None:
            break
        text = masked
        body, fault = _attempt(text, chunk)
    if body is None and first is not None and (prefix := _without(chunk.text, first.offset, to_end=True)) is not None:
        body, _ = _attempt(prefix, chunk)
    return body, first


def is_broken(text: str, kind: Kind) -> bool:
    """Whether the text of a chunk does not parse."""
    try:
        parse_chunk(text, kind)
    except (cst.ParserSyntaxError, TooDeepError, ValueError):
        return True
    return False


def _attempt(text: str, chunk: Chunk) -> tuple[list[ir.Stmt] | None, Fault | None]:
    try:
        return lower(text, chunk), None
    except cst.ParserSyntaxError as error:
        return None, _syntax_error(text, chunk, error)
    except (LostError, TooDeepError) as error:
        return None, Fault(error.offset, str(error))
    except RecursionError:
        return None, Fault(0, "nested too deeply")
    except ValueError as error:
        return None, Fault(0, str(error))


def _syntax_error(text: str, chunk: Chunk, error: cst.ParserSyntaxError) -> Fault:
    """Asks Python's own parser for the place and the message, which users know; libcst's are about its grammar."""
    before, after = WRAPPERS[chunk.kind]
    line, column, message = error.raw_line, error.raw_column, "invalid syntax"
    try:
        ast.parse(before + text + after)
    except SyntaxError as better:
        line, column, message = better.lineno or 1, (better.offset or 1) - 1, better.msg
        missing = _block_missing(message)
        if missing is not None:  # it points to the statement after the one at fault
            line, column = int(missing[1]), 0
            message = message.partition(" on line ")[0]
    except (ValueError, RecursionError, MemoryError):
        pass
    return Fault(_offset(text, line - 1 - before.count("\n"), column), message)


def _offset(text: str, line: int, column: int) -> int:
    """The offset of a 0-based line and column, no farther than the end of that line."""
    start = 0
    for number, newline in enumerate(_newline.finditer(text), 1):
        if number > line:
            break
        start = newline.end()
    return min(start + max(column, 0), line_end(text, start))


def _without(text: str, offset: int, to_end: bool = False) -> str | None:
    """`text` with the logical line around `offset`, and its block if it has one, replaced at the same length.

    With `to_end`, all that follows goes too. A placeholder takes the place, or only blanks where a clause goes or
    where a placeholder was already. None if it is the first line, with which all would go.
    """
    first = next_token(text, 0)
    later = [(line, word) for line, word in lines(text, 0, len(text)) if word > first]
    number = max((n for n, (line, _) in enumerate(later) if line <= offset), default=None)
    if number is None:
        return None
    line, word = later[number]
    width = _width(text[line:word])
    after = (start for start, next_word in later[number + 1 :] if _width(text[start:next_word]) <= width)
    end = len(text) if to_end else next(after, len(text))
    gone = text[word:end]
    if not gone.strip():
        return None
    blank = _visible.sub(" ", gone)
    if not _clause(gone) and gone.strip() not in _placeholders:
        size = line_end(text, word) - word
        placeholder = next((p for p in _placeholders if len(p) <= size), "")
        blank = placeholder + blank[len(placeholder) :]
    return text[:word] + blank + text[end:]


def _width(indentation: str) -> int:
    return len(indentation.expandtabs())
