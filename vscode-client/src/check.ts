// Checking the workspace as the command line does: a task, whose problems VS Code shows for files that are not open.
import * as vscode from 'vscode';

/** Run `gradguard check` on each folder of the workspace. `cwd` is a folder of ours: Python imports what lies there. */
export async function checkWorkspace(python: string, cwd: string): Promise<void> {
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const args = ['-m', 'gradguard', 'check', '--output-format', 'concise', '--exit-zero', folder.uri.fsPath];
    const task = new vscode.Task(
      { type: 'process' },
      folder,
      vscode.l10n.t('check {0}', folder.name),
      'gradguard',
      new vscode.ProcessExecution(python, args, { cwd }),
      '$gradguard',
    );
    task.presentationOptions = { reveal: vscode.TaskRevealKind.Silent, panel: vscode.TaskPanelKind.Dedicated };
    await vscode.tasks.executeTask(task);
  }
}
