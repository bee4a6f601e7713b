"""What features ask of the server: the open documents, the settings, the messages for the user."""

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
    """the token that a client has to send, if anybody could connect"""
    introduced: bool
    """whether the client has sent `initialized`"""

    @property
    @abstractmethod
    def settings(self) -> Settings:
        """What the user has set in the editor."""

    @property
    @abstractmethod
    def checks_all(self) -> bool:
        """Whether the user also wants the problems of files that are not open."""

    @abstractmethod
    def folders(self) -> list[str]:
        """Return the paths of those workspace folders that are on this machine's disk."""

    @abstractmethod
    def apply_settings(self, value: object) -> None:
        """Apply settings as the editor sent them, if they have changed; show what is wrong with them."""

    @abstractmethod
    def files_changed(self, uris: Iterable[str]) -> None:
        """Read files again that changed on disk, except those of open documents."""

    @abstractmethod
    def refresh(self) -> None:
        """Tell the client to repeat its requests; send it what it does not ask for."""

    @abstractmethod
    def report_problem(self, message: str) -> None:
        """Log an internal error; the same one only once, whatever is typed meanwhile."""

    @abstractmethod
    def refuse(self, error: JsonRpcException) -> None:
        """Answer a message that cannot be served and whose id is unknown."""
