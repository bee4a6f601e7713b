// Explaining an error that PyTorch printed: the text goes to `gradguard explain`, its answer to a preview.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { linked } from './links';
import { run } from './run';

const NAME = 'What PyTorch says.md';

/**
 * Explain an error: the selected text, what was copied, or what the user pastes, with the suspects in `project`. The
 * answer is kept in `folder`, one of ours, where Python runs too.
 */
export async function explainError(python: string, project: string | undefined, folder: string): Promise<void> {
  const error = await ask();
  if (error === undefined) {
    return;
  }
  const options = ['--language', vscode.env.language, ...(project === undefined ? [] : ['--project', project])];
  await mkdir(folder, { recursive: true });
  const done = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: vscode.l10n.t('GradGuard: looking for the cause') },
    () => run(python, ['-m', 'gradguard', 'explain', '-', ...options], { cwd: folder, input: error }),
  );
  if (done.code !== 0) {
    void vscode.window.showWarningMessage(`GradGuard: ${done.stderr.trim().split('\n').at(-1) ?? ''}`);
    return;
  }
  const file = join(folder, NAME);
  await writeFile(
    file,
    linked(done.stdout, folder, path => vscode.workspace.asRelativePath(path)),
  );
  await vscode.commands.executeCommand('markdown.showPreview', vscode.Uri.file(file));
}

async function ask(): Promise<string | undefined> {
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
