"""Comments that silence a diagnostic."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .edit import Edit
from .layout import REST_OF_LINE
from .place import Context, Place, bodies, children

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..analyses.domain.report import Site
    from ..syntax.chunks import Source

IGNORE = re.compile(r"#\s*gradguard:\s*ignore(?:\[([^\]]*)\])?(?!-)")
PREAMBLE = re.compile(r"\ufeff?(?:#!.*\r?\n)?(?:#.*coding[:=].*\r?\n)?")


def ignore_edit(site: Site, code: str, sources: Mapping[str, Source]) -> Edit | None:
    """Return the edit that silences `code` at the statement of `site`, in a comment at its end.

    Joins a comment that silences other codes there. None if the code is silenced already, or if `site` is not in
    `sources`.
    """
    place = Context(sources).place(site)
    if place is None:
        return None
    stmt = place.statement
    text = stmt.source.text
    at = _header_end(stmt)
    rest = REST_OF_LINE.match(text, at)
    end = rest.end() if rest else _line_end(text, at)
    there = IGNORE.search(text, at, end)
    if there is None:
        return Edit(stmt.path, end, end, f"  # gradguard: ignore[{code}]")
    if there.group(1) is None or code in re.split(r"[\s,]+", there.group(1)):
        return None
    return Edit(stmt.path, there.end(1), there.end(1), f", {code}" if there.group(1).strip() else code)


def ignore_file_edit(path: str, source: Source) -> Edit | None:
    """Return the edit that silences the whole file, at its top after `#!` and the encoding; None if it is silenced."""
    if re.search(r"#\s*gradguard:\s*ignore-file", source.text):
        return None
    preamble = PREAMBLE.match(source.text)
    at = preamble.end() if preamble else 0
    ending = "\r\n" if "\r\n" in source.text else "\n"
    return Edit(path, at, at, f"# gradguard: ignore-file{ending}")


def _header_end(stmt: Place) -> int:
    """Return the end of a simple statement, or of the header of a compound one (after its colon)."""
    inner = [one for body in bodies(stmt.node) for one in body]
    if not inner:
        return stmt.end
    first = min(Place(stmt.path, stmt.source, (*stmt.chain, one)).start for one in inner)
    heads = [child.end for child in children(stmt.node) if stmt.chunk.offset + child.end <= first]
    at = stmt.chunk.offset + max(heads, default=stmt.node.start)
    return stmt.source.text.index(":", at, first) + 1


def _line_end(text: str, at: int) -> int:
    found = re.compile(r"[^\r\n]*").match(text, at)
    assert found is not None
    return found.end()
