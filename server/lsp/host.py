"""What features ask of the server: the open documents, the settings, the words for the user."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from pygls.lsp.server import LanguageServer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lsprotocol import types
    from pygls.exceptions import JsonRpcException

    from .analysis import Analyser
    from .closed_files import Workspace
    from .documents import Documents
    from .notebooks import Notebooks
    from .settings import Settings
    from .texts import Texts


class Server(LanguageServer):
    """The server as features see it; `server.py` makes it."""

    analyser: Analyser
    texts: Texts
    documents: Documents
    notebooks: Notebooks
    closed_files: Workspace
    told_of_closed: dict[str, list[types.Diagnostic]]
    token: str | None
    """what a client has to know, if anybody could come"""
    introduced: bool
    """whether the client has said that it is ready"""

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """What the user has set in the editor."""

    @property
    @abstractmethod
    def checks_all(self) -> bool:
        """Whether the problems of files that are not open are wanted, too."""

    @abstractmethod
    def folders(self) -> list[str]:
        """Return the paths of the workspace folders, as far as they are on this machine's disk."""

    @abstractmethod
    def apply_settings(self, value: object) -> None:
        """Take over settings as the editor sent them, where they have changed; what is wrong with them is shown."""

    @abstractmethod
    def files_changed(self, uris: Iterable[str]) -> None:
        """Read files again that changed on disk; open documents are ahead of theirs."""

    @abstractmethod
    def refresh(self) -> None:
        """Have the client ask again for what it has asked before; send it what it does not ask for."""

    @abstractmethod
    def report_problem(self, message: str) -> None:
        """Log a fault of ours; the same one only once, whatever is typed meanwhile."""

    @abstractmethod
    def refuse(self, error: JsonRpcException) -> None:
        """Answer what cannot be served, and of which no id is known."""
