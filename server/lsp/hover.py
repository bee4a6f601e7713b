"""textDocument/hover: the story of a version counter, what an operator saves, the rule of a squiggle or a code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls.capabilities import get_capability

from ..rules import RULES
from ..rules.messages import say
from ..rules.page import page as rule_page
from .lessons import Lesson
from .places import Places
from .stories import advice, extent, life, markdown, plain, stories_of, story_at, unmarked

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..analyses.domain.report import Site, Story
    from ..rules.messages import Locale
    from ..rules.rule import Rule
    from ..workspace.project import Finding
    from .analysis import Analysis
    from .documents import Document
    from .host import Server
    from .texts import Texts

_COMMENT = re.compile(r"#.*")
_CODE = re.compile(r"\bGG\d{3}\b")


def register(server: Server) -> None:
    """Serve hovers."""
    server.feature(types.TEXT_DOCUMENT_HOVER)(hover)


async def hover(ls: Server, params: types.HoverParams) -> types.Hover | None:
    """Answer with what is known at the position, in the markup that the client prefers; None if nothing is."""
    return await ls.documents.ask(params.text_document.uri, lambda d, a: _hover(ls, d, a, params.position))


def _hover(ls: Server, document: Document, analysis: Analysis, position: types.Position) -> types.Hover | None:
    offset = document.text.offset(position)
    rich = wants_markdown(ls.client_capabilities)
    parts: list[str] = []
    places = Places(analysis.texts, ls.documents)
    place: types.Range | None = None
    if rule := _rule_in_comment(document.text.text, offset):
        code, start, end = rule
        parts, place = [rule_page(RULES[code], ls.texts.locale)], document.text.between(start, end)
    else:
        here = [finding for finding in analysis.findings if _holds(document, finding, offset)]
        rules = [_about(rule, ls.texts) for rule in dict.fromkeys(finding.rule for finding in here)]
        lesson = _lesson(ls, document, analysis, offset) if not here else None
        if lesson is not None:
            said, start, end = lesson
            parts.append("\n\n".join(said) if rich else unmarked("\n\n".join(said)))
            place = document.text.between(start, end)
        elif story := _story(document, analysis, offset, here):
            told = life(story, ls.texts, lambda site: _link(site, document, places, ls.texts.locale))
            if not here:  # the editor shows above what a finding says of the change
                told.notes += advice(story, ls.texts, _line_of)
            elif rich:  # on the line of the title, so that the hover needs no scroll bar
                told.title, rules = " · ".join([told.title, *rules]), []
            parts.append(markdown(told) if rich else plain(told))
            place = document.text.between(*extent(story.site))
        parts += rules
    if not parts:
        return None
    text = "\n\n---\n\n".join(parts) if rich else "\n\n".join(map(unmarked, parts))
    kind = types.MarkupKind.Markdown if rich else types.MarkupKind.PlainText
    return types.Hover(types.MarkupContent(kind, text), place)


def _story(document: Document, analysis: Analysis, offset: int, here: Sequence[Finding]) -> Story | None:
    """Return the story of the tensor under the cursor; elsewhere on a squiggle, of the tensor that it is about."""
    known = story_at(analysis.report, document.path, offset)
    if known is not None or not here:
        return known
    failure, span = here[0].diagnostic.failure, here[0].span
    start = document.text.at(span.start_line, span.start_col)
    end = document.text.at(span.end_line, span.end_col)
    inside = [
        story
        for first, last, story in stories_of(analysis.report, document.path)
        if start <= first and last <= end and failure is not None and story.name == failure.name
    ]
    return inside[0] if inside else None


def _lesson(ls: Server, document: Document, analysis: Analysis, offset: int) -> tuple[list[str], int, int] | None:
    """Return what there is to learn at an offset, if the user wants that."""
    if not ls.settings.hover_lessons:
        return None
    return Lesson(analysis.report, ls.analyser.source(document.path), ls.texts, _line_of, analysis.release).at(offset)


def wants_markdown(capabilities: types.ClientCapabilities) -> bool:
    """Whether the client shows Markdown in hovers; one that does not say so gets plain text."""
    formats = get_capability(capabilities, "text_document.hover.content_format", None) or ()
    return types.MarkupKind.Markdown in formats


def _rule_in_comment(text: str, offset: int) -> tuple[str, int, int] | None:
    """Return the rule whose code in a comment the cursor is on, with the offsets of the code.

    If a suppression names one rule, the cursor may be anywhere on it.
    """
    start = text.rfind("\n", 0, offset) + 1
    line = text[start : text.find("\n", offset) if "\n" in text[offset:] else len(text)]
    comment = next((match for match in _COMMENT.finditer(line) if start + match.start() <= offset), None)
    if comment is None:
        return None
    codes = [match for match in _CODE.finditer(line, comment.start()) if match[0] in RULES]
    here = [match for match in codes if start + match.start() <= offset <= start + match.end()]
    if not here and len(codes) == 1 and re.search(r"gradguard:|noqa", comment[0]):
        here = codes
    return (here[0][0], start + here[0].start(), start + here[0].end()) if here else None


def _holds(document: Document, finding: Finding, offset: int) -> bool:
    """Whether a finding that is shown is at an offset of the document."""
    text, span = document.text, finding.span
    if finding.path != document.path or finding.suppressed:
        return False
    return text.at(span.start_line, span.start_col) <= offset <= text.at(span.end_line, span.end_col)


def _about(rule: Rule, texts: Texts) -> str:
    """Return the link to a rule's page; the editor itself shows the squiggle's message."""
    return f"[{rule.code} {rule.name}]({rule.address(texts.locale)})"


def _line_of(site: Site) -> int:
    return site.chunk.line_of(site.node) + 1


def _link(site: Site, document: Document, places: Places, locale: Locale) -> str:
    """Return the site's line as a link, with the cell or the file's name if it is in another one."""
    path = site.chunk.path
    uri, line = places.line(path, _line_of(site) - 1)
    cell, _ = site.chunk.place_of(site.node)
    label = str(line + 1)
    if uri != document.uri and path == document.path and cell is not None:
        label = say("cell-line", locale, cell=cell, line=line + 1)
    elif uri != document.uri:
        label = path.replace("\\", "/").rsplit("/", 1)[-1] + f":{line + 1}"
    return f"[{label}]({uri if '#' in uri else f'{uri}#L{line + 1}'})"
