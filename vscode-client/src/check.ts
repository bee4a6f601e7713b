// Checking the workspace: the server is asked for the problems of all files, and the view of problems shows them.
import * as vscode from 'vscode';
import { type BaseLanguageClient, RequestType0 } from 'vscode-languageclient/node';

/** Our own request: check all files, and show what is wrong in them. */
const CHECK = new RequestType0<{ files: number; problems: number }, void>('gradguard/checkWorkspace');

/** Check all files of the workspace, and say how many problems there are in how many of them. */
export async function checkWorkspace(client: BaseLanguageClient): Promise<void> {
  const t = vscode.l10n.t;
  const { files, problems } = await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: t('GradGuard: checking the workspace'),
      cancellable: true,
    },
    (_, token) => client.sendRequest(CHECK, token),
  );
  await vscode.commands.executeCommand('workbench.actions.view.problems');
  void vscode.window.showInformationMessage(
    problems === 0
      ? t('GradGuard has found nothing in {0} files.', files)
      : t('GradGuard has checked {0} files. Problems: {1}.', files, problems),
  );
}
