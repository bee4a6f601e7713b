"""The editor's settings, at the start and when they change, and changes of the project's files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.capabilities import get_capability

from ..workspace.pytorch import MANIFESTS
from ..workspace.record import PLACE

if TYPE_CHECKING:
    from .host import Server

SECTION = "gradguard"
WATCHED = (
    *("**/*.py", "**/*.ipynb", "**/gradguard.toml", "**/.gitignore", "**/torch-*-info", f"**/{PLACE}"),
    *(f"**/{manifest}" for manifest in MANIFESTS),
)


def register(server: Server) -> None:
    """Follow the editor's settings and the project's files."""
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)(did_change_watched_files)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_workspace_folders)


async def initialized(ls: Server, params: types.InitializedParams) -> None:
    """Ask the client to report changed files and settings, and for the settings as they are."""
    ls.introduced = True
    wanted = []
    if get_capability(ls.client_capabilities, "workspace.did_change_watched_files.dynamic_registration", False):
        watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
        options: Any = types.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if get_capability(ls.client_capabilities, "workspace.did_change_configuration.dynamic_registration", False):
        # A client that can be asked need not send settings: the whole section may hold settings of the client's own.
        options = types.DidChangeConfigurationRegistrationOptions(section=None if _can_be_asked(ls) else SECTION)
        wanted.append(types.Registration("settings", types.WORKSPACE_DID_CHANGE_CONFIGURATION, options))
    if wanted:
        await ls.client_register_capability_async(types.RegistrationParams(wanted))
    await _pull(ls)
    ls.refresh()


async def did_change_configuration(ls: Server, params: types.DidChangeConfigurationParams) -> None:
    """Apply changed settings: those in the notification, or those that the client answers with."""
    sent = params.settings
    if isinstance(sent, dict) and sent:
        ls.apply_settings(sent.get(SECTION, sent))
    else:
        await _pull(ls)


def _can_be_asked(ls: Server) -> bool:
    return bool(get_capability(ls.client_capabilities, "workspace.configuration", False))


async def _pull(ls: Server) -> None:
    if _can_be_asked(ls):
        items = [types.ConfigurationItem(section=SECTION)]
        answers = await ls.workspace_configuration_async(types.ConfigurationParams(items))
        if answers and answers[0] is not None:
            ls.apply_settings(answers[0])


def did_change_watched_files(ls: Server, params: types.DidChangeWatchedFilesParams) -> None:
    """Read files again that changed on the disk."""
    ls.files_changed([change.uri for change in params.changes])


def did_change_workspace_folders(ls: Server, params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Analyse everything again: imports start from the folders."""
    ls.files_changed([folder.uri for folder in (*params.event.added, *params.event.removed)])
