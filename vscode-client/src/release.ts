// By which release of PyTorch the active file is judged, for the language status: asked when another file is shown, and
// when its problems are told anew, as a change of the settings or of the environment does.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import type { Status } from './status';

/** Keeps `status` at the release of the active editor; `running` is the client while there is one. */
export function followRelease(status: Status, running: () => LanguageClient | undefined): vscode.Disposable {
  const ask = async () => {
    const document = vscode.window.activeTextEditor?.document;
    const client = running();
    if (client === undefined || document?.languageId !== 'python') {
      return;
    }
    const textDocument = { uri: document.uri.toString() };
    const release = await client.sendRequest<{ text: string } | null>('gradguard/release', { textDocument });
    if (document === vscode.window.activeTextEditor?.document && client === running()) {
      status.judged(release?.text);
    }
  };
  const quietly = () => void ask().catch(() => undefined); // a server that stops meanwhile tells so itself
  return vscode.Disposable.from(
    vscode.window.onDidChangeActiveTextEditor(quietly),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      const active = vscode.window.activeTextEditor?.document.uri.toString();
      if (uris.some(uri => uri.toString() === active)) {
        quietly();
      }
    }),
  );
}
