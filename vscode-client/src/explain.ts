// Explaining an error that PyTorch printed: the text goes to `gradguard explain`, its answer to a preview.
import * as vscode from 'vscode';
import { run } from './run';

const SCHEME = 'gradguard-explain';

/** Serves the last explanation as a document that the Markdown preview shows. */
export class Explanations implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly uri = vscode.Uri.from({ scheme: SCHEME, path: 'PyTorch.md' });
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, this);
  private text = '';
  readonly onDidChange = this.changed.event;

  provideTextDocumentContent(): string {
    return this.text;
  }

  /** Explain an error: the selected text, what was copied, or what the user pastes, with the suspects in `folder`. */
  async explain(python: string, folder: string | undefined, cwd: string): Promise<void> {
    const error = await this.ask();
    if (error === undefined) {
      return;
    }
    const options = ['--language', vscode.env.language, ...(folder === undefined ? [] : ['--project', folder])];
    const done = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('GradGuard: looking for the cause') },
      () => run(python, ['-m', 'gradguard', 'explain', '-', ...options], { cwd, input: error }),
    );
    if (done.code !== 0) {
      void vscode.window.showWarningMessage(`GradGuard: ${done.stderr.trim().split('\n').at(-1) ?? ''}`);
      return;
    }
    this.text = done.stdout;
    this.changed.fire(this.uri);
    await vscode.commands.executeCommand('markdown.showPreview', this.uri);
  }

  dispose(): void {
    vscode.Disposable.from(this.registration, this.changed).dispose();
  }

  private async ask(): Promise<string | undefined> {
    const editor = vscode.window.activeTextEditor;
    const selected = editor?.document.getText(editor.selection) ?? '';
    for (const text of [selected, await vscode.env.clipboard.readText()]) {
      if (text.includes('Error')) {
        return text;
      }
    }
    return vscode.window.showInputBox({
      title: vscode.l10n.t('Explain an error of PyTorch'),
      prompt: vscode.l10n.t('Paste the message. Copy the whole traceback first, and it is taken from the clipboard.'),
      ignoreFocusOut: true,
    });
  }
}
