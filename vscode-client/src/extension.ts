// GradGuard in VS Code: what is started when, and which command does what.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';
import { checkWorkspace } from './check';
import { explainError } from './explain';
import { followRelease } from './release';
import { RunLenses, runFile } from './runner';
import { onDidChangeInterpreter, Server } from './server';
import { Status } from './status';
import { StoryView } from './story';

/** Settings whose change needs a new server; the others the server hears of itself. */
const RESTARTING = ['gradguard.enable', 'gradguard.interpreter'];

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = new Status();
  const story = new StoryView(document => running.refreshHints(document));
  const running = (server = new Server(context, status, document => !story.isIn(document)));
  const commands: Record<string, (...given: never[]) => unknown> = {
    restart: () => running.restart(),
    showOutput: () => running.output.show(),
    setUp: () => running.setUp(),
    showVersionStory: () => withServer(running, client => story.show(client)),
    hideVersionStory: () => story.hide(),
    explainError: () =>
      withServer(running, (_, python) =>
        explainError(python, projectFolder(), (context.storageUri ?? context.globalStorageUri).fsPath),
      ),
    checkWorkspace: () => withServer(running, client => checkWorkspace(client)),
    runFile: (uri?: vscode.Uri, test?: string) => runFile(() => running.pythonForPrograms(), uri, test),
  };
  context.subscriptions.push(
    status,
    story,
    running,
    new RunLenses(),
    followRelease(status, () => running.running),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`gradguard.${name}`, run)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (RESTARTING.some(setting => event.affectsConfiguration(setting))) {
        void running.restart();
      }
    }),
    await onDidChangeInterpreter(() => void running.reconsider()),
  );
  await running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

/** Do something with the running server and its interpreter; where there is none, say so. */
async function withServer(
  { running, python }: Server,
  use: (client: LanguageClient, python: string) => Promise<void>,
): Promise<void> {
  if (running === undefined || python === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('GradGuard is not running.'));
    return;
  }
  await use(running, python);
}

/** The folder of the active file, else the first one. */
function projectFolder(): string | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath;
}
