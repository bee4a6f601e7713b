// "Run with GradGuard": a lens above main programs and tests, and the command behind it, which runs them in a terminal.
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { argumentsFor, launches } from './launch';

const NAME = 'GradGuard';

/** The lenses; none in a workspace that is not trusted, or where the settings say so. */
export class RunLenses implements vscode.CodeLensProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeCodeLenses = this.changed.event;
  private readonly parts = [
    this.changed,
    vscode.languages.registerCodeLensProvider({ scheme: 'file', language: 'python' }, this),
    vscode.workspace.onDidGrantWorkspaceTrust(() => this.changed.fire()),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (event.affectsConfiguration('gradguard')) {
        this.changed.fire();
      }
    }),
  ];

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const settings = vscode.workspace.getConfiguration('gradguard', document);
    if (!vscode.workspace.isTrusted || !settings.get('enable', true) || !settings.get('codeLens', true)) {
      return [];
    }
    const title = vscode.l10n.t('Run with GradGuard');
    return launches(document.getText(), document.uri.fsPath).map(
      ({ line, test }) =>
        new vscode.CodeLens(new vscode.Range(line, 0, line, 0), {
          title,
          command: 'gradguard.runFile',
          arguments: [document.uri, test],
        }),
    );
  }

  dispose(): void {
    vscode.Disposable.from(...this.parts).dispose();
  }
}

/**
 * Run a file, by default the one that is edited, or one test of it, with an interpreter. What was seen is left to the
 * server, which shows it.
 */
export async function runFile(
  interpreter: () => Promise<string | undefined>,
  uri = vscode.window.activeTextEditor?.document.uri,
  test?: string,
): Promise<void> {
  if (!vscode.workspace.isTrusted || uri?.scheme !== 'file') {
    return;
  }
  await vscode.workspace.save(uri);
  const python = await interpreter();
  if (python === undefined) {
    return;
  }
  const folder = vscode.workspace.getWorkspaceFolder(uri);
  const task = new vscode.Task(
    { type: 'gradguard' },
    folder ?? vscode.TaskScope.Workspace,
    vscode.l10n.t('Run with GradGuard'),
    NAME,
    new vscode.ProcessExecution(python, argumentsFor(uri.fsPath, test), {
      cwd: folder?.uri.fsPath ?? dirname(uri.fsPath),
    }),
  );
  task.presentationOptions = { reveal: vscode.TaskRevealKind.Always, clear: true };
  await vscode.tasks.executeTask(task);
}
