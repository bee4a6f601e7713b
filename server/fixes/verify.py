"""Whether a fix helps: the edited program is replayed, the failure must be gone and no other may have come."""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from ..analyses.machine import OwnFacts
from ..analyses.program import replay
from ..syntax.chunks import parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ..analyses.machine import Modules
    from ..analyses.report import Failure, Report
    from ..facts.model import Op
    from ..syntax.chunks import Source

Key = tuple[str, str, int]
"""A failure's kind, and the file and line (of the old text) of its site."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The files of a program, of which some have new texts."""

    modules: Modules
    sources: Mapping[str, Source]

    def load(self, name: str, level: int, importer: str) -> Source | None:
        """Give the file that an import means, as it is after the edits."""
        found = self.modules.load(name, level, importer)
        return self.sources.get(found.path, found) if found else None

    def fact(self, name: str) -> Op | None:
        """Give what the program says of an operator of its own."""
        return self.modules.fact(name) if isinstance(self.modules, OwnFacts) else None


def verifier(
    failure: Failure, report: Report, sources: Mapping[str, Source], roots: Sequence[Source], modules: Modules
) -> Callable[[Mapping[str, str]], bool]:
    """Give the `verify` of `mend` for one failure of `report`, the replay of `roots` with `modules`.

    `sources` are all files of the program that a fix may change, by path.
    """
    before = told(report, {})
    mended = key(failure, {})

    def verify(texts: Mapping[str, str]) -> bool:
        edited = {path: parse(text, path) for path, text in texts.items()}
        if any(len(edited[path].problems) > len(sources[path].problems) for path in edited):
            return False
        if any(_parses(sources[path].text) and not _parses(text) for path, text in texts.items()):
            return False
        program = [edited.get(root.path, root) for root in roots]
        again = replay(program, Edited(modules, edited))
        if len(again.problems) > len(report.problems) or Counter(again.errors) - Counter(report.errors):
            return False
        lines = {path: line_map(sources[path].text, text) for path, text in texts.items()}
        after = told(again, lines)
        if after[mended] >= before[mended]:
            return False
        new = [one for one in again.failures if after[key(one, lines)] > before[key(one, lines)]]
        if not all(_is_guess(one) or _is_revealed(one, failure) for one in new):
            return False
        unchanged = {path: _unchanged(sources[path].text, text) for path, text in texts.items()}
        traced = _tensors(report, unchanged, {})
        return 2 * len(traced - _tensors(again, unchanged, lines)) <= len(traced)

    return verify


def _parses(text: str) -> bool:
    """Tell whether Python takes the text: its grammar has more rules than the parser of the lowered form."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def told(report: Report, lines: Mapping[str, Mapping[int, int]]) -> Counter[Key]:
    """Count the places that are told as failing; what fails at one of them in several ways is told once."""
    places = {(one.kind, id(one.site.node)): key(one, lines) for one in report.failures}
    return Counter(places.values())


def key(failure: Failure, lines: Mapping[str, Mapping[int, int]]) -> Key:
    """Tell failures of two texts apart; `lines` leads from the lines of the new text to those of the old one."""
    chunk = failure.site.chunk
    line = chunk.line_of(failure.site.node)
    return failure.kind, chunk.path, lines.get(chunk.path, {}).get(line, line)


def line_map(old: str, new: str) -> dict[int, int]:
    """Give, for each line of `new`, the line of `old` that it was; a new line is as the one that it replaced."""
    found: dict[int, int] = {}
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        for j in range(j1, j2):
            found[j] = min(i1 + j - j1, max(i2 - 1, i1))
    return found


def _unchanged(old: str, new: str) -> set[int]:
    """Give the lines of `old` that are in `new` as they were."""
    matcher = SequenceMatcher(None, old.splitlines(), new.splitlines(), autojunk=False)
    return {line for block in matcher.get_matching_blocks() for line in range(block.a, block.a + block.size)}


def _tensors(
    report: Report, unchanged: Mapping[str, set[int]], lines: Mapping[str, Mapping[int, int]]
) -> set[tuple[str, int, str]]:
    """Give the names that stood for tensors on unchanged lines: one that ends the program early loses most."""
    found = set()
    for row in report.rows:
        chunk = row.site.chunk
        line = chunk.line_of(row.site.node)
        line = lines.get(chunk.path, {}).get(line, line)
        if chunk.path not in unchanged or line in unchanged[chunk.path]:
            found.add((chunk.path, line, row.name))
    return found


def _is_guess(failure: Failure) -> bool:
    """Tell whether the failure rests on something unknown, so that it is neither an error nor a warning."""
    return any(assumption.kind == "guess" for assumption in failure.assumptions)


def _is_revealed(new: Failure, mended: Failure) -> bool:
    """Tell whether a failure was there all along, behind one that ended the program: the same with another tensor."""
    return (
        mended.raised is not None and (new.kind, new.cause) == (mended.kind, mended.cause) and new.name != mended.name
    )
