"""What to make of text that does not parse: leave the broken statement out, keep the rest."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import ir
from .cursor import LostError, next_token
from .depth import TooDeepError
from .lower import WRAPPERS, lower, parse_chunk
from .nodes import cst
from .scan import line_end, lines
from .walk import blocks, statements

if TYPE_CHECKING:
    from .cursor import Bindings
    from .text import Excerpt, Kind

_most_repairs = 4  # each costs a parse of the chunk
_block_missing = re.compile(r"expected an indented block after .* on line (\d+)").match
_clause = re.compile(r"(?:elif|else|except|finally|case)\b").match
_placeholder = "0"
_newline = re.compile(r"\r\n?|\n")
_indentation = re.compile(r"^[ \t\f]+", re.MULTILINE)
_visible = re.compile(r"[^\r\n\t\f]")


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a chunk's text, and at which code point.

    The message is empty if nothing is: Python accepts the text, and only libcst doesn't.
    """

    offset: int
    message: str


def lower_or_repair(chunk: Excerpt, bindings: Bindings | None = None) -> tuple[list[ir.Stmt] | None, Fault | None]:
    """The chunk's statements and what is wrong with its text, if anything is.

    Broken statements are left out. None means that this didn't help, or that nothing remains.
    The names that the statements bind go to `bindings`.
    """
    body, fault = attempt(chunk.text, chunk, bindings)
    if fault is not None and not fault.message and (text := _with_blanks(chunk)) is not None:
        body, fault = attempt(text, chunk, bindings)
    return body if fault is None else _repair(chunk, fault, bindings), fault


def _with_blanks(chunk: Excerpt) -> str | None:
    """The text with a blank for each tab in its indentation, if that is the same to Python; None if it isn't.

    libcst takes no block that is indented by other characters than the one around it, however wide they are.
    """
    before, after = WRAPPERS[chunk.kind]
    text = _indentation.sub(lambda found: found[0].replace("\t", " "), chunk.text)
    try:
        with warnings.catch_warnings():  # of escapes in strings
            warnings.simplefilter("ignore")
            was, now = (ast.dump(ast.parse(before + one + after)) for one in (chunk.text, text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return text if was == now and text != chunk.text else None


def _repair(chunk: Excerpt, first: Fault, bindings: Bindings | None) -> list[ir.Stmt] | None:
    """Takes out statements with unclosed brackets, then those that the parser complains about; at last, the rest."""
    unclosed: list[int] = []
    for _ in lines(chunk.text, 0, len(chunk.text), unclosed=unclosed):
        pass
    text = chunk.text
    holes: list[int] = []
    faults = unclosed[:_most_repairs] or [first.offset]
    for _ in range(_most_repairs):
        before = text
        for offset in faults:
            text = _without(text, offset, holes)
        if text == before:
            return None
        body, fault = attempt(text, chunk, bindings)
        if body is not None:
            return _fill(body, holes)
        if fault is not None:
            faults = [fault.offset]
    holes = []
    text = _without(chunk.text, min([first.offset, *unclosed]), holes, to_end=True)
    body, _ = attempt(text, chunk, bindings)
    return None if body is None else _fill(body, holes)


def _fill(body: list[ir.Stmt], holes: list[int]) -> list[ir.Stmt]:
    """Puts a `pass` in place of a placeholder."""
    for block in [body, *(block for statement in statements(body) for block in blocks(statement))]:
        for index, statement in enumerate(block):
            if statement.start in holes:
                block[index] = ir.Pass(statement.start, statement.end, statement.chunk)
    return body


def is_broken(text: str, kind: Kind) -> bool:
    """Whether the text of a chunk does not parse."""
    try:
        parse_chunk(text, kind)
    except (cst.ParserSyntaxError, TooDeepError, ValueError):
        return True
    return False


def attempt(text: str, chunk: Excerpt, bindings: Bindings | None = None) -> tuple[list[ir.Stmt] | None, Fault | None]:
    """The statements of a text that stands in for that of a chunk, or what is wrong with it."""
    try:
        return lower(text, chunk, bindings), None
    except cst.ParserSyntaxError as error:
        return None, _syntax_error(text, chunk, error)
    except (LostError, TooDeepError) as lost:
        return None, Fault(lost.offset, str(lost))
    except RecursionError:
        return None, Fault(0, "nested too deeply")
    except ValueError as wrong:
        return None, Fault(0, str(wrong))


def _syntax_error(text: str, chunk: Excerpt, error: cst.ParserSyntaxError) -> Fault:
    """Asks Python's own parser for the place and the message, which users know; libcst's are about its grammar."""
    before, after = WRAPPERS[chunk.kind]
    line, column, message = error.raw_line, error.raw_column, ""
    try:
        with warnings.catch_warnings():  # of escapes in strings, which are nobody's business here
            warnings.simplefilter("ignore")
            ast.parse(before + text + after)
    except SyntaxError as better:
        line, column, message = better.lineno or 1, (better.offset or 1) - 1, better.msg
        missing = _block_missing(message)
        if missing is not None:  # it points to the statement after the one at fault
            line, column = int(missing[1]), 0
            message = message.partition(" on line ")[0]
    except (ValueError, RecursionError, MemoryError):
        message = "invalid syntax"
    return Fault(_offset(text, line - 1 - before.count("\n"), column), message)


def _offset(text: str, line: int, column: int) -> int:
    """The offset of a 0-based line and column, no farther than the end of that line."""
    start = 0
    for number, newline in enumerate(_newline.finditer(text), 1):
        if number > line:
            break
        start = newline.end()
    return min(start + max(column, 0), line_end(text, start))


def _without(text: str, offset: int, holes: list[int], to_end: bool = False) -> str:
    """`text` with the logical line around `offset`, and its block if it has one, replaced at the same length.

    With `to_end`, all that follows goes too. A placeholder takes the place, noted in `holes`; or only blanks where
    a clause goes, or a placeholder. The first line stays: with it all would go.
    """
    first = next_token(text, 0)
    later = [(line, word) for line, word in lines(text, 0, len(text)) if word > first]
    number = max((n for n, (line, _) in enumerate(later) if line <= offset), default=None)
    if number is None:
        return text
    line, word = later[number]
    width = _width(text[line:word])
    after = (start for start, next_word in later[number + 1 :] if _width(text[start:next_word]) <= width)
    end = len(text) if to_end else next(after, len(text))
    blank = _visible.sub(" ", text[word:end])
    if not _clause(text, word) and word not in holes:
        holes.append(word)
        blank = _placeholder + blank[1:]
    return text[:word] + blank + text[end:]


def _width(indentation: str) -> int:
    return len(indentation.expandtabs())
