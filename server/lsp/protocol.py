"""The JSON-RPC layer of pygls, with an error for every request that cannot be served.

pygls only logs a message that it cannot read; the specification (and a waiting client) wants an answer. The
synchronisation of documents goes to `documents.py`, because pygls's own text model breaks lines at form feeds
and other characters that are not line ends in LSP.
"""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol, lsp_method

if TYPE_CHECKING:
    from collections.abc import Generator

    from .host import Server


TOKEN = "token"
"""the initialization option in which a client sends the token, if the server requires one"""


class Protocol(LanguageServerProtocol):
    """LSP over JSON-RPC for one client."""

    @property
    def server(self) -> Server:
        """The server that this protocol belongs to."""
        return cast("Server", self._server)

    @property
    def shut_down(self) -> bool:
        """Whether the client has sent `shutdown`."""
        return bool(self._shutdown)

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Turn one decoded JSON object into a message; `json.loads` calls this for nested objects too.

        Raises JsonRpcException if that fails; a request has then already been answered with its error.
        """
        if "jsonrpc" not in data:
            return data
        if isinstance(method := data.get("method"), str) and self.get_message_type(method) is None:
            data = {"params": None, **data}  # a method of our own; JSON-RPC lets the client leave out the params
        try:
            message = super().structure_message(data)
        except JsonRpcException as error:
            self._refuse(data, self._refusal_of_unreadable(data, error.__cause__ or error))
            raise
        if "id" in data and "method" in data and not hasattr(message, "id"):
            self._refuse(data, JsonRpcInvalidRequest(f"{data['method']} is a notification, sent with an id"))
        return message

    def handle_message(self, message: Any) -> None:
        """Dispatch a message; a request that comes too early, too late or twice gets its error."""
        if not hasattr(message, "jsonrpc"):
            self.refuse_unreadable(JsonRpcInvalidRequest("a message is an object with `jsonrpc`"))
        elif (refusal := self._refusal(message)) is None:
            super().handle_message(message)
        elif hasattr(message, "id"):
            self._send_response(message.id, error=refusal.to_response_error())
            if message.method == types.INITIALIZE and self._workspace is None and self.writer is not None:
                self.writer.close()  # a client without the token gets no second guess

    def _handle_cancel_notification(self, msg_id: str | int) -> None:
        """Cancel a request; one that is already answered is not worth a log entry."""
        if msg_id in self._request_futures:
            super()._handle_cancel_notification(msg_id)

    def refuse_unreadable(self, error: Exception) -> None:
        """Answer a message whose very id could not be read."""
        refusal = error if isinstance(error, JsonRpcException) else JsonRpcParseError(f"Parse Error: {error}")
        self._send_data(types.ResponseErrorMessage(id=None, error=refusal.to_response_error()))

    def _knows_token(self, options: object) -> bool:
        wanted, told = self.server.token, options.get(TOKEN) if isinstance(options, dict) else None
        return wanted is None or (isinstance(told, str) and compare_digest(told.encode(), wanted.encode()))

    def _refusal(self, message: Any) -> JsonRpcException | None:
        method = getattr(message, "method", None)
        if method is None or method == types.EXIT:
            return None
        initialized = self._workspace is not None
        if method == types.INITIALIZE:
            if initialized:
                return JsonRpcInvalidRequest("initialize was sent before")
            knows = self._knows_token(message.params.initialization_options)
            return None if knows else JsonRpcInvalidRequest(f"`initializationOptions.{TOKEN}` is not the server's")
        if not initialized:
            return JsonRpcServerNotInitialized("send initialize first")
        return JsonRpcInvalidRequest("the server is shutting down") if self.shut_down else None

    def _refusal_of_unreadable(self, data: dict[str, Any], cause: BaseException) -> JsonRpcException:
        method = data.get("method")
        if not isinstance(method, str):
            return JsonRpcInvalidRequest("`method` must be a string")
        if self.get_message_type(method) is None:
            return JsonRpcMethodNotFound(f"there is no method {method}")
        return JsonRpcInvalidParams(f"the parameters of {method} are wrong: {cause}")

    def _refuse(self, data: dict[str, Any], error: JsonRpcException) -> None:
        """Send `error` if `data` is a request: something with an id that waits for an answer."""
        if "id" in data and "method" in data:
            number = data["id"] if isinstance(data["id"], int | str) else None
            self._send_data(types.ResponseErrorMessage(id=number, error=error.to_response_error()))

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Read what the client can do; there are no commands to announce."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.execute_command_provider = None
        self.trace = params.trace or types.TraceValue.Off
        return result

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Add a document that the editor has opened."""
        item = params.text_document
        self.server.documents.open(item.uri, item.text, item.version, item.language_id)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Apply the user's edits, in order."""
        document = params.text_document
        self.server.documents.change(document.uri, params.content_changes, document.version)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Forget a document: from now on the file's text counts again."""
        self.server.documents.close(params.text_document.uri)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_OPEN)
    def lsp_notebook_document__did_open(self, params: types.DidOpenNotebookDocumentParams) -> None:
        """Add a notebook that the editor has opened."""
        self.server.notebooks.open(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> None:
        """Follow the user's edits of cells and of their texts."""
        self.server.notebooks.change(params)

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CLOSE)
    def lsp_notebook_document__did_close(self, params: types.DidCloseNotebookDocumentParams) -> None:
        """Forget a notebook: from now on the file's cells count again."""
        self.server.notebooks.close(params)
