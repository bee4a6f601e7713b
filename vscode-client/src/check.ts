// Checking the workspace: the server is asked for the problems of all files, and the view of problems shows them.
import * as vscode from 'vscode';
import { type BaseLanguageClient, WorkspaceDiagnosticRequest } from 'vscode-languageclient/node';

/** Check all files of the workspace, and say how many problems there are in how many of them. */
export async function checkWorkspace(client: BaseLanguageClient): Promise<void> {
  const t = vscode.l10n.t;
  const { items } = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t('GradGuard: checking the workspace'),
      cancellable: true,
    },
    (_, token) => client.sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds: [] }, token),
  );
  const problems = items.flatMap(file => (file.kind === 'full' ? file.items : []));
  await vscode.commands.executeCommand('workbench.actions.view.problems');
  void vscode.window.showInformationMessage(
    problems.length === 0
      ? t('GradGuard has found nothing in {0} files.', items.length)
      : t('GradGuard has checked {0} files. Problems: {1}.', items.length, problems.length),
  );
}
