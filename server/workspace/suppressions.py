"""Comments that silence diagnostics, and those of them that silence nothing.

`# gradguard: ignore[GG101]` on any line of a statement silences that rule there, without codes every rule;
`# gradguard: ignore-file` does so for the file. `# noqa: GG101` and a bare `# noqa` are honoured as in flake8.
"""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from ..syntax import ir
from ..syntax.chunk import Chunk
from .lines import Lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..syntax.chunks import Source
    from ..syntax.text import Excerpt

UNUSED = "GG900"
"""The rule about comments that silence nothing."""

_DIRECTIVE = re.compile(r"#\s*gradguard:\s*(?P<text>[^#]*[^#\s])", re.IGNORECASE)
_IGNORE = re.compile(r"(?P<scope>ignore(?:-file)?)(?:\s*\[(?P<codes>[^\]]*)\])?(?=\s|$)", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"\[(?P<codes>[^\]]*)\]")
_NOQA = re.compile(r"#\s*noqa(?P<colon>:\s*(?P<codes>[A-Z]+[0-9]+(?:[,\s]+[A-Z]+[0-9]+)*))?(?![\w:])", re.IGNORECASE)


@dataclass(slots=True)
class Suppression:
    """One comment that silences: on which 0-based line, and its offsets in the text.

    `codes` are rules' codes or names as written, none for every rule. `whole_file` comments hold everywhere.
    A comment that is `foreign` is another tool's too: it is never reported as unused. One that is not
    `understood` silences nothing.
    """

    line: int
    start: int
    end: int
    codes: tuple[str, ...]
    whole_file: bool = False
    foreign: bool = False
    understood: bool = True
    used: set[str] = field(default_factory=set)

    def silences(self, code: str, name: str, lines: range) -> bool:
        """Whether it silences the rule in a statement on `lines`; if so it counts as used.

        That it is itself unused can be silenced by code only.
        """
        if not self.understood or not (self.whole_file or self.line in lines):
            return False
        if not self.codes:
            if code != UNUSED:
                self.used.add(code)
            return code != UNUSED
        wanted = {code.lower(), name.lower()}
        hits = [written for written in self.codes if written.lower() in wanted]
        self.used.update(hits)
        return bool(hits)

    def leftover(self, is_on: Callable[[str], bool | None]) -> tuple[str, ...] | None:
        """The codes that silenced nothing, `()` if that is all of it, None if the comment is needed.

        Call it after everything has been silenced. `is_on` returns whether a rule, by code or name, is checked for
        in this file, and None if there is no such rule.
        """
        if not self.codes:
            return None if self.used or self.foreign else ()
        idle = tuple(code for code in self.codes if code not in self.used and is_on(code) is not False)
        return idle or None


def without(text: str, comment: Suppression, idle: Sequence[str]) -> tuple[int, int, str]:
    """The edit (start, end, new text) that removes the codes `idle` from a comment, or all of it if none is left."""
    written = text[comment.start : comment.end]
    listed = next((match for pattern in (_IN_BRACKETS, _NOQA) if (match := pattern.search(written))), None)
    if listed is not None and idle:
        kept = [code for code in _codes(listed["codes"]) if code not in idle]
        if kept:
            return comment.start + listed.start("codes"), comment.start + listed.end("codes"), ", ".join(kept)
    before = re.search(r"[^\S\r\n]*$", text[: comment.start])
    start = comment.start if before is None else before.start()
    alone = start == 0 or text[start - 1] in "\r\n"
    line_end = re.compile(r"\r\n|\r|\n").match(text, comment.end) if alone else None
    return start, line_end.end() if line_end else comment.end, ""


class Comments:
    """The comments of one file that silence diagnostics; only its new chunks are read."""

    def __init__(self) -> None:
        self._known: dict[str, list[Suppression]] = {}

    def of(self, source: Source) -> list[Suppression]:
        """The comments in a text of the file, in order."""
        if not may_silence(source.text):
            return []
        before, self._known = self._known, {}
        found = []
        for chunk in source.chunks:
            text = chunk.current
            comments = before.get(text)
            if comments is None:
                comments = find_suppressions(text)
            self._known[text] = comments
            found += [_moved(comment, chunk) for comment in comments]
        return found


def _moved(found: Suppression, chunk: Chunk) -> Suppression:
    """A comment of a chunk's text, with its place in the file."""
    line, start, end = found.line + chunk.line, found.start + chunk.offset, found.end + chunk.offset
    return replace(found, line=line, start=start, end=end, used=set())


def may_silence(text: str) -> bool:
    """Whether there may be a comment that silences something."""
    text = text.lower()
    return "gradguard:" in text or "noqa" in text


def find_suppressions(text: str) -> list[Suppression]:
    """The comments in a text that silence diagnostics, in order."""
    if not may_silence(text):
        return []
    starts = Lines(text).starts
    return [found for line, column, comment in _comments(text) for found in _read(line, starts[line] + column, comment)]


def statement_lines(chunk: Excerpt, node: ir.Node) -> range:
    """The lines of the smallest statement of the chunk that `node` is in; of a compound one, its header alone.

    Empty if it is in none.
    """
    inside: Sequence[ir.Node] = chunk.body if isinstance(chunk, Chunk) else ()
    statement: ir.Node | None = None
    while found := next((part for part in inside if part.start <= node.start < part.end), None):
        statement, inside = found, _parts(found)
    if statement is None:
        return range(0)
    last = ir.Node(max(statement.end - 1, statement.start), statement.end)
    return range(chunk.line_of(statement), _header_end(chunk, statement) or chunk.line_of(last) + 1)


def _parts(node: ir.Node) -> Sequence[ir.Node]:
    """The parts of a compound statement that have lines of their own, if they are in the same chunk."""
    match node:
        case ir.If() | ir.While() | ir.For():
            return [*node.body, *node.orelse]
        case ir.Try():
            return [*node.body, *node.handlers, *node.orelse, *node.finalbody]
        case ir.Match():
            return node.cases
        case ir.With() | ir.FunctionDef() | ir.Handler() | ir.MatchCase():
            return node.body
        case ir.ClassDef():
            return [member for member in node.body if member.chunk is node.chunk]
    return ()


def _header_end(chunk: Excerpt, statement: ir.Node) -> int | None:
    """The line after the header of a compound statement; None if it is a simple one."""
    parts = statement.body if isinstance(statement, ir.ClassDef) else _parts(statement)
    if not parts:
        return None
    first = parts[0]
    chunk = first.chunk if isinstance(first, ir.Stmt) else chunk
    before = re.split(r"[\r\n]", chunk.text[: first.start])[-1]
    return chunk.line_of(first) + (1 if before.strip() else 0)


def _comments(text: str) -> list[tuple[int, int, str]]:
    """Line, column and text of each comment; of text that Python cannot read, each `#` to the line's end."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
    except (tokenize.TokenError, SyntaxError):
        lines = enumerate(re.split(r"\r\n|\r|\n", text))
        return [(number, match.start(), match[0]) for number, line in lines for match in re.finditer("#.*", line)]
    return [(t.start[0] - 1, t.start[1], t.string) for t in tokens if t.type == tokenize.COMMENT]


def _read(line: int, offset: int, comment: str) -> Iterable[Suppression]:
    """The suppressions in one comment."""
    for match in _DIRECTIVE.finditer(comment):
        start, end = offset + match.start(), offset + match.end()
        ignore = _IGNORE.match(match["text"])
        if ignore is None or ignore["codes"] == "":
            yield Suppression(line, start, end, (), understood=False)
            continue
        whole_file = ignore["scope"].lower() == "ignore-file"
        yield Suppression(line, start, end, _codes(ignore["codes"]), whole_file)
    for match in _NOQA.finditer(comment):
        codes = tuple(code for code in _codes(match["codes"]) if code.upper().startswith("GG"))
        if codes or match["codes"] is None:
            yield Suppression(line, offset + match.start(), offset + match.end(), codes, foreign=True)


def _codes(listed: str | None) -> tuple[str, ...]:
    return tuple(re.findall(r"[\w-]+", listed or ""))
