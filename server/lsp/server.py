"""The language server: its life cycle, and its parts."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import sys
import threading
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn, cast

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.protocol import default_converter

from ..workspace.files import SUFFIXES
from ..workspace.modules import MANIFESTS
from . import (
    code_actions,
    configuration,
    diagnostics,
    highlight,
    hover,
    inlay_hints,
    progress,
    release,
    version_story,
    workspace_diagnostics,
)
from .analysis import ProjectAnalyser
from .closed_files import Workspace
from .connection import serve_streams, serve_tcp
from .convert import encoding_of
from .documents import Documents, path_of
from .host import Server
from .notebooks import SYNC, Notebooks
from .protocol import TOKEN, Protocol
from .settings import Settings, read
from .texts import Texts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pygls.server import ServerErrors

    from .analysis import Analyser
    from .documents import Document
    from .settings import Reading

FEATURES = (
    configuration,
    diagnostics,
    workspace_diagnostics,
    hover,
    code_actions,
    inlay_hints,
    highlight,
    version_story,
    release,
)
SWITCH_INTERVAL = 0.001
"""seconds after which a busy analysis hands the interpreter to the protocol's thread"""

PAUSE = 0.5
"""seconds without typing before the client is told to ask again about documents that an edit elsewhere affects"""

_PLACE = re.compile(r" at [^`]*:\d+, `.*?`(?=: )", re.DOTALL)

PULSE = 5.0
"""seconds between two looks at whether the client is still alive"""

COLLECTING = (200_000, 20, 1_000)
"""thresholds of the garbage collector, which no keystroke reaches: it works when nobody types (`documents.py`)"""

STACK_SIZE = 64 * 1024 * 1024
"""bytes for the analysis thread: libcst's native parser descends with the nesting of the program"""


class GradGuardServer(Server):
    """GradGuard's language server for one client. `analyser` is what it asks about documents."""

    def __init__(self, analyser: Analyser | None = None) -> None:
        super().__init__(
            "gradguard",
            version("gradguard"),
            protocol_cls=Protocol,
            converter_factory=default_converter,
            notebook_document_sync=SYNC,
            max_workers=2,
        )
        self.analyser = analyser or ProjectAnalyser()
        self.token = None
        self._reading: Reading | None = None
        self.texts = Texts(None)
        self.closed_files = Workspace()
        self.told_of_closed = {}
        self._told: set[str] = set()
        self._refreshing: asyncio.TimerHandle | None = None
        self._pushing: asyncio.Future[None] | None = None
        self.introduced = False
        self.feature(types.INITIALIZE)(initialize)
        self.feature(types.SHUTDOWN)(shutdown)
        for one in FEATURES:
            one.register(self)

    def begin(self, params: types.InitializeParams) -> None:
        """Set up what depends on the client."""
        self.texts = Texts(params.locale)
        self.documents = Documents(
            self.analyser.analyse,
            lambda analysis: diagnostics.present(analysis, self.documents, params.capabilities, self.texts.locale),
            encoding_of(self.workspace.position_encoding),
            recall=self.analyser.recall,
            rest=self.analyser.rest,
            on_analysis=self._analysed,
            on_recall=lambda document: diagnostics.publish(self, document),
            on_close=self._closed,
            on_problem=self.report_problem,
            while_working=lambda document: progress.after_a_moment(
                self, self.texts("analysing", name=document.path.replace("\\", "/").rpartition("/")[2])
            ),
        )
        self.notebooks = Notebooks(self.documents)
        options = params.initialization_options
        self.apply_settings({k: v for k, v in options.items() if k != TOKEN} if isinstance(options, dict) else options)
        if params.process_id is not None and _lives(params.process_id):
            self._follow(params.process_id)

    def _follow(self, client: int) -> None:
        """End with the client's process: it may have died without closing the pipes."""
        if not _lives(client):
            os._exit(1)  # the thread that reads waits for a message that never comes
        asyncio.get_running_loop().call_later(PULSE, self._follow, client)

    @property
    def settings(self) -> Settings:
        """What the user has set in the editor."""
        return self._reading.settings if self._reading else Settings()

    @property
    def checks_all(self) -> bool:
        """Whether the user also wants the problems of files that are not open."""
        return self.settings.diagnostic_mode == "workspace" or self.closed_files.asked

    def folders(self) -> list[str]:
        """Return the paths of those workspace folders that are on this machine's disk."""
        uris = list(self.workspace.folders) or [self.workspace.root_uri or ""]
        return [path for path in map(path_of, uris) if os.path.isabs(path)]

    # -- settings and files ----------------------------------------------------------------------

    def apply_settings(self, value: object) -> None:
        """Apply settings as the editor sent them, if they have changed; show what is wrong with them."""
        reading = read(value, self.texts)
        if reading == self._reading:
            return
        self._reading = reading
        for problem in reading.problems:
            self._show(types.MessageType.Error, self.texts("setting-wrong", problem=problem))
        self._start_over()

    def files_changed(self, uris: Iterable[str]) -> None:
        """Read files again that changed on disk, except those of open documents."""
        paths = [path_of(uri) for uri in uris]
        if not all(path.endswith(SUFFIXES) and not path.endswith(MANIFESTS) for path in paths):
            self._start_over()
        elif closed := [path for path in paths if self.documents.at(path) is None]:
            self.closed_files.forget()
            self.documents.restart(self.analyser.files_changed, closed)
            self.refresh()

    def _start_over(self) -> None:
        self._told.clear()
        self.closed_files.forget()
        self.closed_files.asked = False
        self.documents.restart(self.analyser.configure, self.settings, self.folders(), self.texts.locale)
        self.refresh()

    def refresh(self) -> None:
        """Tell the client to repeat its requests; send it what it does not ask for."""
        if not self.introduced:
            return
        if not diagnostics.pulls(self.client_capabilities) and (self.checks_all or self.closed_files.told):
            self._pushing = asyncio.ensure_future(workspace_diagnostics.push(self))
        capabilities = self.client_capabilities
        if get_capability(capabilities, "workspace.diagnostics.refresh_support", False):
            self.workspace_diagnostic_refresh(None)
        if get_capability(capabilities, "workspace.inlay_hint.refresh_support", False):
            self.workspace_inlay_hint_refresh(None)

    def _refresh_soon(self) -> None:
        """Refresh when the typing pauses."""
        if self._refreshing is not None:
            self._refreshing.cancel()
        self._refreshing = asyncio.get_running_loop().call_later(PAUSE, self.refresh)

    # -- what the user hears ---------------------------------------------------------------------

    def _analysed(self, document: Document) -> None:
        diagnostics.publish(self, document)
        diagnostics.publish_closed(self)
        if document.indirect:
            self._refresh_soon()
        self._trace(document)
        self._log_release(document)
        for notice in document.analysis.notices if document.analysis else ():
            if notice not in self._told:
                self._told.add(notice)
                self._show(types.MessageType.Warning, notice)

    def _log_release(self, document: Document) -> None:
        """Log by which release of PyTorch documents are judged, and why that one; each once."""
        release = document.analysis.release if document.analysis else None
        if release is not None and (told := self.texts("release", release=str(release))) not in self._told:
            self._told.add(told)
            self.window_log_message(types.LogMessageParams(types.MessageType.Info, told))

    def _trace(self, document: Document) -> None:
        """Send a trace of what was done to a client that wants it, in detail if it asks for that."""
        if self.protocol.trace == types.TraceValue.Off or document.analysis is None:
            return
        took = f"analysed {document.path} (version {document.version}) in {document.took * 1000:.1f} ms"
        program = ", ".join(sorted(document.analysis.reads))
        verbose = f"one program: {program}" if self.protocol.trace == types.TraceValue.Verbose else None
        self.log_trace(types.LogTraceParams(took, verbose))

    def _closed(self, document: Document) -> None:
        diagnostics.take_back(self, document)
        diagnostics.publish_closed(self)

    def report_problem(self, message: str) -> None:
        """Log an internal error; the same one only once, whatever is typed meanwhile."""
        if (known := _PLACE.sub("", message)) not in self._told:
            self._told.add(known)
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, message))

    def refuse(self, error: JsonRpcException) -> None:
        """Answer a message that cannot be served and whose id is unknown."""
        cast("Protocol", self.protocol).refuse_unreadable(error)

    def report_server_error(self, error: Exception, source: ServerErrors) -> None:
        """Answer a message that could not be read; log an error of a notification, which has no answer."""
        if isinstance(error, ValueError | RecursionError):
            cast("Protocol", self.protocol).refuse_unreadable(error)
        elif source is not JsonRpcException:
            self.window_log_message(types.LogMessageParams(types.MessageType.Warning, str(error)))

    def _show(self, kind: types.MessageType, message: str) -> None:
        self.window_show_message(types.ShowMessageParams(kind, message))


def _lives(process: int) -> bool:
    """Whether a process is known to run; on Windows this is unknown, for asking would send it a signal."""
    if os.name != "posix":
        return False
    try:
        os.kill(process, 0)
    except PermissionError:
        return True
    except (OSError, OverflowError):
        return False
    return True


def initialize(ls: GradGuardServer, params: types.InitializeParams) -> None:
    """Get to know the client."""
    ls.begin(params)


def shutdown(ls: Server, params: None) -> None:
    """Stop working; what remains is to exit."""
    ls.closed_files.stop()
    ls.documents.stop()


def main(tcp: tuple[str, int] | None = None, token: str | None = None) -> NoReturn:
    """Serve one client, over standard input and output or at a TCP address, until it is done.

    If there is a token, the client has to send it. Ends the process with the status that LSP asks for: 0 if the client
    sent `shutdown` first, else 1. Raises OSError if the server cannot listen at the address.
    """
    sys.setswitchinterval(SWITCH_INTERVAL)
    gc.set_threshold(*COLLECTING)
    threading.stack_size(STACK_SIZE)
    server = GradGuardServer()
    server.token = token
    with suppress(SystemExit, KeyboardInterrupt, BrokenPipeError):
        if tcp is not None:
            serve_tcp(server, *tcp)
        else:
            stdin, stdout = sys.stdin.buffer, sys.stdout.buffer
            sys.stdout = sys.stderr  # a stray print must not end up between the messages
            serve_streams(server, stdin, stdout)
    os._exit(0 if cast("Protocol", server.protocol).shut_down else 1)  # an analysis may still be under way
