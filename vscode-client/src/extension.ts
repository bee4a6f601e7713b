// GradGuard in VS Code: what is started when, and which command does what.
import * as vscode from 'vscode';
import { checkWorkspace } from './check';
import { Explanations } from './explain';
import { onDidChangeInterpreter, Server } from './server';
import { Status } from './status';
import { StoryView } from './story';

/** Settings whose change needs a new server; the others the server hears of itself. */
const RESTARTING = ['gradguard.enable', 'gradguard.interpreter'];

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const status = new Status();
  const story = new StoryView(document => running.refreshHints(document));
  const explanations = new Explanations();
  const running = (server = new Server(context, status, document => !story.isIn(document)));
  const commands: Record<string, () => unknown> = {
    restart: () => running.restart(),
    showOutput: () => running.output.show(),
    setUp: () => running.setUp(),
    showVersionStory: () => running.running && story.show(running.running),
    hideVersionStory: () => story.hide(),
    explainError: () => withPython(running, python => explanations.explain(python, projectFolder(), running.folder)),
    checkWorkspace: () => withPython(running, python => checkWorkspace(python, running.folder)),
  };
  context.subscriptions.push(
    status,
    story,
    explanations,
    running,
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`gradguard.${name}`, run)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
    vscode.workspace.onDidChangeConfiguration(event => {
      if (RESTARTING.some(setting => event.affectsConfiguration(setting))) {
        void running.restart();
      }
    }),
    await onDidChangeInterpreter(() => void running.restart()),
  );
  await running.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

/** Run something that needs an interpreter with the server; where there is none, say so. */
async function withPython(server: Server, use: (python: string) => Promise<void>): Promise<void> {
  if (server.python === undefined) {
    void vscode.window.showWarningMessage(vscode.l10n.t('GradGuard is not running.'));
    return;
  }
  await use(server.python);
}

/** The folder of the active file, else the first one. */
function projectFolder(): string | undefined {
  const active = vscode.window.activeTextEditor?.document.uri;
  const folder = (active && vscode.workspace.getWorkspaceFolder(active)) ?? vscode.workspace.workspaceFolders?.[0];
  return folder?.uri.fsPath;
}
