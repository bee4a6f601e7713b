"""The open documents: their texts, and what the analysis says of each, computed once per version.

The protocol's thread only edits texts and marks documents as changed. One worker thread analyses documents, the
most recently changed one first. A change of another document stops the current analysis, which goes on when its turn
comes again. A change of the same document stops it only where that loses little: otherwise nobody who types faster than
an analysis takes would ever see one. What is found in a text that was edited meanwhile is shown where it is now.
"""

from __future__ import annotations

import asyncio
import gc
import os
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pygls.exceptions import JsonRpcInvalidParams
from pygls.uris import from_fs_path, to_fs_path

from ..analyses.domain.paths import Unwanted
from ..workspace.files import Document as File
from .convert import Text
from .moving import moved

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from lsprotocol import types

    from ..syntax.positions import Encoding
    from .analysis import Analysis
    from .layout import Layout
    from .memory import Recalled

P = ParamSpec("P")
T = TypeVar("T")

TURN = 0.5
"""seconds after which an analysis yields to one that somebody waits for, or to an edit of its text, unless it usually
takes longer; next time it may take twice as long"""

ALLOWANCE = 120.0
"""seconds that the analysis of one text may take in all; after that the document has no answers until it is edited"""

YOUNG = 5_000
"""from how many new objects on garbage is collected between two keystrokes: looking at these takes some milliseconds"""

OFTEN = 5
"""after how many such collections those objects are looked at, too, that have survived one; as often, all others"""

QUIET = 2.0
"""seconds without work after which garbage is collected"""


@dataclass(slots=True, eq=False)
class Document:
    """One program open in the editor: a text, or the cells of a notebook together.

    `edition` grows with everything that makes the analysis out of date: edits, other files, settings.
    `analysis` belongs to the edition `analysed`, and so do the diagnostics `told`, which move along with later edits.
    """

    uri: str
    path: str
    text: Text
    version: int
    python: bool
    edition: int = 0
    analysed: int = -1
    analysis: Analysis | None = None
    told: dict[str, list[types.Diagnostic]] = field(default_factory=dict)
    """diagnostics by URI: this document's, and those of files that belong to its program"""
    sent: dict[str, tuple[int | None, list[types.Diagnostic]]] = field(default_factory=dict)
    """the version and the diagnostics that were last pushed, by URI"""
    took: float = 0.0
    """seconds that the last analysis took which came to its end"""
    cost: float = 0.0
    """seconds that one after an edit takes: what the last took, or half of what was expected before"""
    spent: float = 0.0
    """seconds spent on the current text without finishing"""
    lost: float = 0.0
    """seconds spent since the last analysis on texts that were edited meanwhile"""
    edits: list[types.TextDocumentContentChangeEvent] = field(default_factory=list)
    """those of the text since the current analysis began"""
    indirect: bool = False
    """whether something other than an edit of this text has changed what is shown"""
    recalled: bool = False
    """whether what is shown was found by an earlier session"""
    behind: bool = False
    """whether what is shown was found in an earlier text, and has moved along with this one"""
    waiters: list[asyncio.Future[Analysis | None]] = field(default_factory=list)
    viewers: list[asyncio.Future[None]] = field(default_factory=list)
    """those who wait until there is something to show"""
    layout: Layout | None = None
    """for a notebook: which cell has which lines of the text"""

    @property
    def shown(self) -> list[types.Diagnostic]:
        """The diagnostics that are shown in the document itself."""
        return self.told.get(self.uri, [])

    @property
    def faces(self) -> dict[str, int | None]:
        """The versions of the texts that the editor shows of it, by URI: the document itself, or a notebook's cells."""
        return self.layout.versions if self.layout else {self.uri: self.version}

    @property
    def file(self) -> File:
        """The document as the workspace uses it in place of a file."""
        return File(self.path, self.text.text, notebook=self.layout.program if self.layout else None)

    def seen_from(self, uri: str) -> Document:
        """The document as the editor shows it at a URI: positions in a cell of a notebook count from its start."""
        if self.layout is None:
            return self
        return replace(self, uri=uri, text=self.layout.text_of(uri, self.text))

    @property
    def is_current(self) -> bool:
        """Whether the analysis answers for the text as it is now."""
        return self.analysed == self.edition


class Documents:
    """All open documents, and the one thread that analyses them.

    These are called in the analysis thread: `analyse(path, files, wanted, found)` analyses the document at `path` among
    all open documents, raises Unwanted when `wanted()` no longer holds, and where it takes long calls `found(analysis)`
    with what it has found anew so far; `present(analysis)` returns what to show, by URI; `recall(path, files)` returns
    what is known of a document before its analysis; `rest(files)` runs when nobody types.

    These are called in the event loop: `on_recall(document)` when there is something to show of a document that was
    opened; `on_analysis(document)` whenever a document's newest text has been analysed; `on_close(document)` when it
    is closed; `on_problem(message)` when something failed. `while_working(document)` is a context manager around an
    analysis.
    """

    def __init__(
        self,
        analyse: Callable[[str, Mapping[str, File], Callable[[], bool], Callable[[Analysis], None]], Analysis],
        present: Callable[[Analysis | Recalled], Mapping[str, list[types.Diagnostic]]],
        encoding: Encoding,
        *,
        recall: Callable[[str, Mapping[str, File]], Recalled | None],
        rest: Callable[[Mapping[str, File]], None],
        on_analysis: Callable[[Document], None],
        on_recall: Callable[[Document], None],
        on_close: Callable[[Document], None],
        on_problem: Callable[[str], None],
        while_working: Callable[[Document], AbstractAsyncContextManager[None]],
    ) -> None:
        self.encoding = encoding
        self._analyse = analyse
        self._recall = recall
        self._rest = rest
        self._present = present
        self._on_analysis = on_analysis
        self._on_recall = on_recall
        self._on_close = on_close
        self._on_problem = on_problem
        self._while_working = while_working
        self._open: dict[str, Document] = {}
        self._changed: dict[str, Document] = {}
        self._edits = 0
        self._edited: Document | None = None
        """the document that was changed last"""
        self._questions = 0
        """how many questions about analysed documents wait for the analysis thread"""
        self.notebooks: dict[str, str] = {}
        """the path of each cell's notebook, by the cell's URI"""
        self._worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="gradguard-analysis")
        self._task: asyncio.Task[None] | None = None
        self._tidying: asyncio.TimerHandle | None = None

    def __iter__(self) -> Iterator[Document]:
        return iter(list(self._open.values()))

    def find(self, uri: str) -> Document | None:
        """Return the open document with this URI, or whose cell has it, or None."""
        return self._open.get(self.notebooks.get(uri) or path_of(uri))

    def at(self, path: str) -> Document | None:
        """Return the open document of this file, or None."""
        return self._open.get(path)

    # -- what the editor does --------------------------------------------------------------------

    def open(self, uri: str, text: str, version: int, language: str) -> None:
        """Add an opened text; opening it again replaces it."""
        path = path_of(uri)
        python = language == "python" or path.endswith((".py", ".pyi", ".pyw"))
        self._put(Document(uri, path, Text(text, self.encoding), version, python))

    def open_notebook(self, uri: str, version: int, layout: Layout) -> None:
        """Add the cells of an opened notebook as one program."""
        text = Text(layout.program.text, self.encoding)
        self._put(Document(uri, path_of(uri), text, version, True, layout=layout))

    def _put(self, document: Document) -> None:
        path = document.path
        before = self._open.get(path)
        self._open[path] = document
        if before is not None:
            self._changed.pop(path, None)
            _answer(before, None)
        elif not os.path.isfile(path):  # a new module, which others may import
            for other in self._open.values():
                self._mark(other, indirect=True)
        self._touch(path)

    def change(self, uri: str, changes: Sequence[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Apply edits in order; raises JsonRpcInvalidParams for a document that isn't open."""
        document = self._open.get(path_of(uri))
        if document is None or document.layout is not None:
            raise JsonRpcInvalidParams(f"{uri} is not open")
        document.text = document.text.edited(changes)
        document.edits += changes
        document.told[document.uri] = moved(document.shown, document.uri, changes, self.encoding)
        document.version = version
        self._touch(document.path)

    def change_notebook(self, uri: str, version: int, layout: Layout) -> None:
        """Replace the cells of an open notebook by the current ones."""
        document = self._open[path_of(uri)]
        document.text, document.layout = Text(layout.program.text, self.encoding), layout
        document.version = version
        self._touch(document.path)
        document.indirect = len(layout.uris) > 1

    def close(self, uri: str) -> None:
        """Forget a document, open or not."""
        document = self._open.pop(path_of(uri), None)
        if document is not None:
            self._changed.pop(document.path, None)
            _answer(document, None)
            self._touch(document.path)
            self._on_close(document)

    def restart(self, configure: Callable[P, None], *args: P.args, **kwargs: P.kwargs) -> None:
        """Call `configure` in the analysis thread, then analyse everything again."""
        self._edits, self._edited = self._edits + 1, None
        self._worker.submit(configure, *args, **kwargs)
        for document in self._open.values():
            self._mark(document)
        self._wake()

    def stop(self) -> None:
        """Drop all work; the current analysis ends soon, and its result is not reported."""
        self._edits, self._edited = self._edits + 1, None
        if self._task is not None:
            self._task.cancel()
        if self._tidying is not None:
            self._tidying.cancel()
        self._worker.shutdown(wait=False, cancel_futures=True)

    # -- answers ---------------------------------------------------------------------------------

    async def analysis(self, uri: str) -> Analysis | None:
        """Return the analysis of the document's newest text; None if it isn't open or the analysis failed."""
        document = self.find(uri)
        if document is None or not document.python:
            return None
        if document.is_current:
            return document.analysis
        waiter: asyncio.Future[Analysis | None] = asyncio.get_running_loop().create_future()
        document.waiters.append(waiter)
        self._wake()
        return await waiter

    async def something(self, uri: str) -> None:
        """Wait until there is something to show of a document: its analysis, or what was found before."""
        document = self.find(uri)
        if document is not None and document.python and not (document.is_current or document.recalled):
            viewer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            document.viewers.append(viewer)
            self._wake()
            await viewer

    async def ask(self, uri: str, question: Callable[[Document, Analysis], T]) -> T | None:
        """Return what `question` finds in the analysis of a document; None where there is no analysis.

        The question is asked in the analysis thread, so that no newer text moves the chunks meanwhile. It is asked
        again if the text changed before the answer was there. A running analysis yields to it.
        """
        while (analysis := await self.analysis(uri)) is not None:
            document = self.find(uri)
            if document is None:
                return None
            edition = document.edition
            self._questions += 1
            try:
                answer = await self.run(question, document.seen_from(uri), analysis)
            finally:
                self._questions -= 1
            if edition == document.edition:
                return answer
        return None

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run `function` in the analysis thread, after the current work."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._worker, lambda: function(*args, **kwargs))

    def files(self) -> dict[str, File]:
        """Return all open documents by path, as the workspace uses them."""
        return {path: document.file for path, document in self._open.items()}

    # -- the worker ------------------------------------------------------------------------------

    def _touch(self, path: str) -> None:
        """Mark the document at `path`, and those whose analysis read it, as changed; it is analysed first."""
        self._edits, self._edited = self._edits + 1, self._open.get(path)
        for document in self._open.values():
            if document.path != path and document.analysis is not None and path in document.analysis.reads:
                self._mark(document, indirect=True)
        if path in self._open:
            self._mark(self._open[path])
        self._wake()

    def _mark(self, document: Document, indirect: bool = False) -> None:
        document.edition += 1
        document.spent = 0.0
        document.recalled = False
        document.indirect = indirect
        if document.python:
            self._changed.pop(document.path, None)
            self._changed[document.path] = document

    def _wake(self) -> None:
        if self._tidying is not None:
            self._tidying.cancel()
        if self.is_busy:
            return
        if self._changed:
            self._task = asyncio.ensure_future(self._work())
        else:
            self._tidy_soon()

    @property
    def is_busy(self) -> bool:
        """Whether there is a document to analyse."""
        return self._task is not None and not self._task.done()

    def _tidy_soon(self) -> None:
        self._tidying = asyncio.get_running_loop().call_later(QUIET, self._worker.submit, self._tidy, self.files())

    async def _work(self) -> None:
        while self._changed:
            _, document = self._changed.popitem()
            await self._analyse_one(document)
        self._worker.submit(tidy_a_little)
        self._tidy_soon()

    def _tidy(self, files: Mapping[str, File]) -> None:
        self._rest(files)
        tidy()

    async def _remember(self, document: Document) -> None:
        """Show what earlier sessions found in a document that was just opened, until it is analysed."""
        edition = document.edition
        told = await self.run(self._recalled, document.path, self.files())
        if told is not None and edition == document.edition and self._open.get(document.path) is document:
            document.told, document.recalled = told, True
            self._on_recall(document)
            _show(document)

    def _recalled(self, path: str, files: Mapping[str, File]) -> dict[str, list[types.Diagnostic]] | None:
        """What is known of a document without an analysis; None if nothing is, or if the look-up fails."""
        try:
            recalled = self._recall(path, files)
            return None if recalled is None else dict(self._present(recalled))
        except Exception:
            return None

    async def _analyse_one(self, document: Document) -> None:
        if document.analysed < 0:
            await self._remember(document)
        edition, edits, files = document.edition, self._edits, self.files()
        since: list[types.TextDocumentContentChangeEvent] = []
        document.edits = since
        loop, began = asyncio.get_running_loop(), time.perf_counter()
        turn = max(TURN, document.spent)

        def wanted() -> bool:
            spent = time.perf_counter() - began
            if self._questions or spent > ALLOWANCE - document.spent or (spent > turn and self._is_awaited()):
                return False
            return edits == self._edits or (self._edited is document and goes_on(document, spent))

        def found(analysis: Analysis) -> None:
            told = dict(self._present(analysis))
            loop.call_soon_threadsafe(self._found, document, since, told)

        async with self._while_working(document):
            done = await self.run(self._attempt, document.path, files, wanted, found)
        took = time.perf_counter() - began
        if done is None:
            if edition == document.edition:
                document.spent += took
            else:
                document.lost += took
            if document.spent < ALLOWANCE:
                if self._open.get(document.path) is document and document.path not in self._changed:
                    self._changed = {document.path: document, **self._changed}
                return
            done = None, {}, (f"The analysis of {document.path} was given up after {ALLOWANCE:.0f} seconds.",)
        analysis, told, problems = done
        document.took = took
        if document.analysed >= 0:  # the first analysis does not predict how long one after an edit will take
            document.cost = max(document.took, document.cost / 2)
        document.lost = 0.0
        for problem in problems:
            self._on_problem(problem)
        if self._open.get(document.path) is document:
            self._take(document, edition, analysis, told)

    def _take(
        self, document: Document, edition: int, analysis: Analysis | None, told: dict[str, list[types.Diagnostic]]
    ) -> None:
        """Take over what was found in an edition of a document; show it where the text is now if there is a newer one.

        In a notebook, and of an analysis that failed, only what holds for the newest text is shown.
        """
        if edition == document.edition:
            document.indirect |= (document.recalled or document.behind) and told != document.told
            document.analysis, document.told, document.analysed = analysis, told, edition
            document.recalled = document.behind = False
            self._mark_linked(document)
            _answer(document, analysis)
            self._on_analysis(document)
        elif analysis is not None and document.layout is None:
            document.analysis, document.analysed = analysis, edition
            self._show_early(document, self._now(document, told))

    def _found(self, document: Document, edits: object, told: Mapping[str, list[types.Diagnostic]]) -> None:
        """Show what the present analysis, which notes these `edits`, has found so far beside what is shown already."""
        if document.edits is not edits or document.layout is not None or self._open.get(document.path) is not document:
            return
        both = {uri: list(items) for uri, items in document.told.items()}
        for uri, items in self._now(document, told).items():
            shown = both.setdefault(uri, [])
            known = [(one.range, one.code) for one in shown]
            shown += [one for one in items if (one.range, one.code) not in known]
        if both != document.told:
            self._show_early(document, both)

    def _now(self, document: Document, told: Mapping[str, list[types.Diagnostic]]) -> dict[str, list[types.Diagnostic]]:
        """What the present analysis tells, with the places where the text is now."""
        uri = document.uri
        return {**told, uri: moved(told.get(uri, ()), uri, document.edits, self.encoding)}

    def _show_early(self, document: Document, told: dict[str, list[types.Diagnostic]]) -> None:
        """Show what may not be all, or not hold for the newest text any more."""
        document.told, document.behind = told, True
        self._on_recall(document)
        _show(document)

    def _is_awaited(self) -> bool:
        """Whether somebody waits for a document that is still to be analysed."""
        return any(document.waiters or document.viewers for document in list(self._changed.values()))

    def _mark_linked(self, document: Document) -> None:
        """Analyse again the documents that turn out to be in one program with `document`."""
        for path in document.analysis.reads if document.analysis else ():
            other = self._open.get(path)
            if other is not None and other.analysis is not None and document.path not in other.analysis.reads:
                self._mark(other, indirect=True)

    def _attempt(
        self,
        path: str,
        files: Mapping[str, File],
        wanted: Callable[[], bool],
        found: Callable[[Analysis], None],
    ) -> tuple[Analysis | None, dict[str, list[types.Diagnostic]], tuple[str, ...]] | None:
        """Analyse; None if that was stopped. An internal error costs this document's answers and nothing else."""
        try:
            analysis = self._analyse(path, files, wanted, found)
            told = dict(self._present(analysis))
        except Unwanted:
            return None
        except Exception:
            return None, {}, (f"The analysis of {path} failed:\n{traceback.format_exc()}",)
        return analysis, told, analysis.problems


def goes_on(document: Document, spent: float) -> bool:
    """Whether an analysis goes on that has taken so many seconds when its text is edited.

    It is stopped in its first half, as long as no more was lost so, and where it takes far longer than usual.
    """
    longest = max(TURN, document.took, 2 * document.cost, 2 * document.lost)
    return document.cost / 2 <= document.lost + spent < longest


def tidy_a_little() -> None:
    """Collect the garbage of the last analyses between two keystrokes, so that it costs none of them.

    What was in use then is looked at again, but less often: a later edit takes its place.
    """
    young, middle, old = gc.get_count()
    if young > YOUNG:
        gc.collect(0 if middle < OFTEN else 1 if old < OFTEN else 2)


def tidy() -> None:
    """Collect garbage while nobody waits; later collections skip what survives this one."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def path_of(uri: str) -> str:
    """Return the path of a file's URI; the URI itself where it names no file (an untitled buffer)."""
    try:
        return to_fs_path(uri) or uri
    except ValueError:
        return uri


def uri_of(path: str) -> str:
    """Return the URI of a path, as `path_of` gave it."""
    return from_fs_path(path) or path


def _answer(document: Document, analysis: Analysis | None) -> None:
    for waiter in document.waiters:
        if not waiter.done():
            waiter.set_result(analysis)
    document.waiters.clear()
    _show(document)


def _show(document: Document) -> None:
    for viewer in document.viewers:
        if not viewer.done():
            viewer.set_result(None)
    document.viewers.clear()
