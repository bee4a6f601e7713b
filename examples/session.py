"""A short session with the language server, as an editor has it: open, read, hover, fix, done.

Run it with the interpreter that GradGuard is installed for:  python examples/session.py [FILE]
"""

import asyncio
import sys
import textwrap
from pathlib import Path

from lsprotocol import types
from pygls.lsp.client import LanguageClient

CAPABILITIES = types.ClientCapabilities(
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        hover=types.HoverClientCapabilities(content_format=[types.MarkupKind.PlainText]),
        code_action=types.CodeActionClientCapabilities(
            data_support=True, resolve_support=types.ClientCodeActionResolveOptions(["edit"])
        ),
    ),
    general=types.GeneralClientCapabilities(position_encodings=[types.PositionEncodingKind.Utf32]),
)


class Editor(LanguageClient):
    """Keeps one document and the diagnostics that the server publishes for it."""

    def __init__(self, path: Path) -> None:
        super().__init__("session", "1")
        self.uri = path.resolve().as_uri()
        self.lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        self.version = 0
        self.published: asyncio.Queue[types.PublishDiagnosticsParams] = asyncio.Queue()
        self.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(lambda params: self.published.put_nowait(params))

    async def diagnostics(self) -> list[types.Diagnostic]:
        """Wait for the diagnostics of the text as it is now."""
        while True:
            params = await asyncio.wait_for(self.published.get(), 30)
            if params.version == self.version:
                return list(params.diagnostics)

    async def open(self) -> list[types.Diagnostic]:
        self.version = 1
        item = types.TextDocumentItem(self.uri, "python", self.version, "".join(self.lines))
        self.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return await self.diagnostics()

    async def apply(self, edits: list[types.TextEdit]) -> list[types.Diagnostic]:
        """Make the edits, here and at the server, from the last to the first."""
        edits = sorted(edits, key=lambda edit: (edit.range.start.line, edit.range.start.character), reverse=True)
        for edit in edits:
            self._replace(edit)
        self.version += 1
        changes = [types.TextDocumentContentChangePartial(edit.range, edit.new_text) for edit in edits]
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri)
        self.text_document_did_change(types.DidChangeTextDocumentParams(document, changes))
        return await self.diagnostics()

    def _replace(self, edit: types.TextEdit) -> None:
        start, end = edit.range.start, edit.range.end
        lines = [*self.lines, ""]
        new = lines[start.line][: start.character] + edit.new_text + lines[end.line][end.character :]
        self.lines[start.line : end.line + 1] = new.splitlines(keepends=True)


def say(what: str, text: str = "") -> None:
    print(f"\n── {what}")
    if text:
        print(textwrap.indent(text.rstrip(), "   "))


def show(editor: Editor, found: list[types.Diagnostic]) -> str:
    """Write diagnostics as an editor's list of problems."""
    lines = []
    for one in found:
        line = one.range.start.line
        lines += [f"line {line + 1}  {one.severity.name.lower()} {one.code}: {one.message}"]
        lines += [f"    {editor.lines[line].rstrip()}"]
        for place in one.related_information or ():
            lines += [f"    line {place.location.range.start.line + 1}: {place.message}"]
    return "\n".join(lines) or "no problems"


async def session(path: Path) -> int:
    """Play the session; returns 0 if the quick fixes leave no problem."""
    editor = Editor(path)
    await editor.start_io(sys.executable, "-m", "gradguard", "server")
    folder = types.WorkspaceFolder(path.resolve().parent.as_uri(), path.parent.name)
    ready = await editor.initialize_async(
        types.InitializeParams(capabilities=CAPABILITIES, workspace_folders=[folder])
    )
    editor.initialized(types.InitializedParams())
    say(f"initialize → {ready.server_info.name} {ready.server_info.version}")

    found = await editor.open()
    say(f"open {path.name} → diagnostics", show(editor, found))

    document = types.TextDocumentIdentifier(editor.uri)
    for _ in range(10):
        if not found:
            break
        place = found[0].range
        hover = await editor.text_document_hover_async(types.HoverParams(document, place.start))
        say(f"hover on line {place.start.line + 1}", hover.contents.value)
        context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix])
        actions = await editor.text_document_code_action_async(types.CodeActionParams(document, place, context))
        say("quick fixes", "\n".join(("* " if action.is_preferred else "  ") + action.title for action in actions))
        chosen = next((action for action in actions if action.is_preferred), None)
        if chosen is None:
            break
        resolved = await editor.code_action_resolve_async(chosen)
        edits = resolved.edit.changes[editor.uri]
        found = await editor.apply(edits)
        changed = sorted({edit.range.start.line for edit in edits})
        say(f"apply “{chosen.title}”", "".join(f"line {n + 1}: {editor.lines[n]}" for n in changed))
        say("diagnostics", show(editor, found))

    await editor.shutdown_async(None)
    editor.exit(None)
    await editor.stop()
    say("shutdown")
    return 1 if found else 0


if __name__ == "__main__":
    example = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("01_sigmoid_shift.py")
    sys.exit(asyncio.run(session(example)))
