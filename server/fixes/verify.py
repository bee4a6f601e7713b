"""Whether a fix helps: the edited program is replayed; the failure must be gone, and there must be no new one.

    y = w.exp()                         y = w.exp()
    y += 1              becomes         y = y + 1
    y.sum().backward()                  y.sum().backward()      # no failure any more: the fix is offered

A failure behind the mended one is not new if the program never got there before (`Trials._is_revealed`). A fix must
also lose nothing: not the names that stood for tensors, nor a parameter's gradient.
"""

from __future__ import annotations

import ast
from collections import Counter
from difflib import SequenceMatcher
from functools import lru_cache
from typing import TYPE_CHECKING

from ..analyses.domain.modules import OfRelease, OwnFacts, OwnModels
from ..analyses.domain.paths import always
from ..analyses.program.session import Session
from ..facts.releases import BASE
from ..syntax.chunk import Chunk
from ..syntax.chunks import parse
from ..syntax.ir import FunctionDef
from ..syntax.walk import blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ..analyses.domain.modules import Modules
    from ..analyses.domain.report import Failure, Report, Site
    from ..facts.model import Op
    from ..facts.releases import Facts
    from ..syntax.chunks import Source
    from ..syntax.ir import Stmt

Key = tuple[str, str, int]
"""A failure's kind, and the file and line (of the old text) of its site."""


class Trials:
    """Tries edits of a program in a replay of its own, which replays only what an edit affects.

    `report` is the replay of `roots` with `modules`, if there was one; `sources` are all files of the program that a
    fix may change, by path. The first replay raises Unwanted soon after `wanted` says no.
    """

    def __init__(
        self,
        report: Report | None,
        sources: Mapping[str, Source],
        roots: Sequence[Source],
        modules: Modules,
        wanted: Callable[[], bool] = always,
    ) -> None:
        self.sources, self.roots, self.modules = sources, roots, modules
        self._edited: dict[str, Source] = {}
        self._session = Session(self)
        self.report = report or self._session.replay(roots, wanted)
        self._before = told(self.report, {})
        self._reached = {_line(row.site, {}) for row in self.report.rows}
        self._reached |= {line for done in self.report.done for stmt in done for line in _lines(stmt)}

    def load(self, name: str, level: int, importer: str) -> Source | None:
        """Return the file that an import means, as it is after the edits."""
        found = self.modules.load(name, level, importer)
        return self._edited.get(found.path, found) if found else None

    @property
    def facts(self) -> Facts:
        """The facts of the release of PyTorch that the program runs with."""
        return self.modules.facts if isinstance(self.modules, OfRelease) else BASE

    def fact(self, name: str) -> Op | None:
        """Return what the program's configuration says of one of its own operators."""
        return self.modules.fact(name) if isinstance(self.modules, OwnFacts) else None

    def model(self, name: str) -> Source | None:
        """Return the user's own model of a library's module."""
        return self.modules.model(name) if isinstance(self.modules, OwnModels) else None

    def helps(self, failure: Failure, texts: Mapping[str, str], keeps: bool = False) -> bool:
        """Return whether `texts`, the new texts of some files by path, mend a failure and cause no other.

        An edit that `keeps` every value causes none: what fails then was hidden behind the mended failure.
        """
        sources = self.sources
        if any(_parses(sources[path].text) and not _parses(text) for path, text in texts.items()):
            return False
        self._show(texts)
        if any(len(self._edited[path].problems) > len(sources[path].problems) for path in texts):
            return False
        again = self._session.replay([self._edited.get(root.path, root) for root in self.roots])
        if len(again.problems) > len(self.report.problems) or Counter(again.errors) - Counter(self.report.errors):
            return False
        kept = {path: Kept(sources[path].text, text) for path, text in texts.items()}
        return self._is_better(failure, again, kept, keeps)

    def _show(self, texts: Mapping[str, str]) -> None:
        """Give the program these texts; a file that was edited before is first set back to its original text.

        So each parse is of a single edit, and all other statements stay the same objects.
        """
        for path in {**self._edited, **texts}:
            known = self._edited.get(path)
            for text in (self.sources[path].text, *([texts[path]] if path in texts else [])):
                if known is None or known.text != text:
                    known = self._edited[path] = parse(text, path, known)

    def _is_better(self, failure: Failure, again: Report, kept: Mapping[str, Kept], keeps: bool) -> bool:
        after, mended = told(again, kept), key(failure, {})
        if after[mended] >= self._before[mended]:
            return False
        new = [one for one in again.failures if after[key(one, kept)] > self._before[key(one, kept)]]
        if any(_is_sibling(one, failure, kept) for one in again.failures):
            return False  # one of several views is mended, and the next one fails
        if not all(_is_guess(one) or self._is_revealed(one, failure, kept, keeps) for one in new):
            return False
        unchanged = {path: one.unchanged for path, one in kept.items()}
        traced, now = _tensors(self.report, unchanged, {}), _tensors(again, unchanged, kept)
        same = traced.keys() & now.keys()
        if keeps and any(traced[name] and now[name] and traced[name] != now[name] for name in same):
            return False  # the shape and the graph may be those of another round; a dtype hardly ever
        refused = failure.kind == "requires-grad-dtype"  # a tensor that can't require grad loses no gradient
        if not refused and _trained(self.report, unchanged, {}) - _trained(again, unchanged, kept):
            return False  # a parameter that had a gradient gets none any more
        return 2 * len(traced.keys() - now.keys()) <= len(traced)

    def _is_revealed(self, new: Failure, mended: Failure, kept: Mapping[str, Kept], keeps: bool) -> bool:
        """Return whether a failure was there all along, behind the one that ended the program.

        That holds for the same failure of another tensor, and for one in code that wasn't reached before, unless the
        mended failure seems to have moved there; and for any other kind, if the edit keeps every value. What the same
        statement raises next doesn't count as hidden: the statement has to succeed.
        """
        if mended.raised is None or (mended.kind == "freed-graph" and not keeps):
            return False  # what the same backward, or that of a later round, would find next
        if new.write is not None and _line(new.write.site, kept) == _line(mended.site, {}):
            return False  # the change that was mended still fails, only later
        if _ends(new, kept) & _ends(mended, {}):
            return False
        reached = self._was_reached(new, kept)
        if (new.kind, new.cause) == (mended.kind, mended.cause):
            apart = new.raised == new.site or _scope(new) != _scope(mended)
            return new.name != mended.name or (apart and not reached)
        return not reached

    def _was_reached(self, failure: Failure, kept: Mapping[str, Kept]) -> bool:
        sites = [failure.site, *([failure.raised] if failure.raised else [])]
        return all(_line(site, kept) in self._reached for site in sites)


class Kept:
    """Which lines of a text are still in another one that was made from it.

    `unchanged` are the lines of the old text that are in the new one as they were.
    """

    def __init__(self, old: str, new: str) -> None:
        self.unchanged: set[int] = set()
        self._lines: dict[int, int] = {}
        before, after = old.splitlines(), new.splitlines()
        come: list[int] = []
        for i1, i2, j1, j2, same in _blocks(before, after):
            if same:
                self.unchanged.update(range(i1, i2))
            else:
                come += range(j1, j2)
            for j in range(j1, j2):
                self._lines[j] = min(i1 + j - j1, max(i2 - 1, i1))
        gone = _alone({i: line for i, line in enumerate(before) if i not in self.unchanged})
        moved = _alone({j: after[j] for j in come})
        self._lines |= {moved[text]: gone[text] for text in moved.keys() & gone.keys()}

    def line(self, new: int) -> int:
        """Return the line of the old text that a line of the new one was, or that it has replaced; lines may move."""
        return self._lines.get(new, new)


def _alone(lines: Mapping[int, str]) -> dict[str, int]:
    """Return the number of each line by its text without the indentation, if no other line says the same."""
    texts = {number: line.strip() for number, line in lines.items()}
    count = Counter(texts.values())
    return {text: number for number, text in texts.items() if text and count[text] == 1}


def _blocks(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int, bool]]:
    """Return the matching pieces of two texts, and whether each is unchanged; edits lie close together."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    yield 0, head, 0, head, True
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        yield head + i1, head + i2, head + j1, head + j2, tag == "equal"
    yield len(old) - tail, len(old), len(new) - tail, len(new), True


@lru_cache(maxsize=8)
def _parses(text: str) -> bool:
    """Return whether Python accepts the text: its grammar has more rules than the parser of the lowered form."""
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def told(report: Report, kept: Mapping[str, Kept]) -> Counter[Key]:
    """Count the places that are reported as failing; one that fails in several ways counts once."""
    places = {(one.kind, id(one.site.node)): key(one, kept) for one in report.failures}
    return Counter(places.values())


def key(failure: Failure, kept: Mapping[str, Kept]) -> Key:
    """Return what identifies a failure in both texts; `kept` maps lines of the new text to those of the old one."""
    return failure.kind, *_line(failure.site, kept)


def _scope(failure: Failure) -> tuple[str, str]:
    """Return the file and the function in which a failure is reported; the file's own code is one scope."""
    chunk = failure.site.chunk
    function = chunk.body[0] if isinstance(chunk, Chunk) and chunk.body else None
    return chunk.path, function.name if isinstance(function, FunctionDef) else ""


def _line(site: Site, kept: Mapping[str, Kept]) -> tuple[str, int]:
    """Return the file and the line, in the old text, of a place."""
    chunk = site.chunk
    line = chunk.line_of(site.node)
    return chunk.path, kept[chunk.path].line(line) if chunk.path in kept else line


def _lines(stmt: Stmt) -> Iterator[tuple[str, int]]:
    """Return the file and the lines of a statement without those of its blocks."""
    end = next((one.start - 1 for block in blocks(stmt) for one in block), stmt.end)
    span = stmt.chunk.range(stmt.start, end)
    for line in range(span.start_line, span.end_line + (span.end_col > 0)):
        yield stmt.chunk.path, line


def _tensors(
    report: Report, unchanged: Mapping[str, set[int]], kept: Mapping[str, Kept]
) -> dict[tuple[str, int, str], str | None]:
    """Return the names that stood for tensors on unchanged lines, and their dtypes.

    A fix that ends the program early loses most of them.
    """
    found: dict[tuple[str, int, str], str | None] = {}
    for story in report.stories.values():
        path, line = _line(story.site, kept)
        if path not in unchanged or line in unchanged[path]:
            found[path, line, story.name] = story.dtype
    return found


def _ends(failure: Failure, kept: Mapping[str, Kept]) -> set[tuple[str, int]]:
    """Return the lines, in the old text, of what PyTorch runs when it raises or misreads, the backward included."""
    return {_line(site, kept) for site in (failure.raised, failure.backward) if site is not None}


def _trained(
    report: Report, unchanged: Mapping[str, set[int]], kept: Mapping[str, Kept]
) -> set[tuple[tuple[str, int], str | None, bool]]:
    """Return the leaves, made on unchanged lines, that get a gradient or are updated by optimizers."""
    places = ((_line(leaf.origin, kept), leaf.name, leaf.is_updated) for leaf in report.trained)
    return {leaf for leaf in places if leaf[0][1] in unchanged.get(leaf[0][0], {leaf[0][1]})}


def _is_sibling(new: Failure, mended: Failure, kept: Mapping[str, Kept]) -> bool:
    """Return whether the failure is that another of several views, made by the same call, is changed."""
    if mended.kind != "multi-view-inplace" or new.kind != mended.kind or _is_guess(new):
        return False
    made = [
        {_line(hop.site, lines) for hop in one.hops if hop.kind == "built"}
        for one, lines in ((new, kept), (mended, {}))
    ]
    return bool(made[0] & made[1])


def _is_guess(failure: Failure) -> bool:
    """Return whether the failure depends on something unknown, so that it is neither an error nor a warning."""
    return any(assumption.kind == "guess" for assumption in failure.assumptions)
