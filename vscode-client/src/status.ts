// The item in the language status: what the server is doing, and what to do where it does not run.
import * as vscode from 'vscode';

export type State = 'starting' | 'running' | 'off' | 'untrusted' | 'missing' | 'unusable' | 'failed';

/** Shows the state of the server beside those of Python. */
export class Status implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem('gradguard', { language: 'python' });
  private detail = '';

  constructor() {
    this.item.name = 'GradGuard';
    this.set('off');
  }

  /** Show a state; `detail` tells of the interpreter or of what went wrong. */
  set(state: State, detail = ''): void {
    const { text, severity, command } = this.look(state);
    this.item.text = text;
    this.item.severity = severity;
    this.item.busy = state === 'starting';
    this.item.detail = this.detail = detail;
    this.item.command = command;
  }

  /** Show beside the running server by which release of PyTorch the active file is judged; undefined if by none. */
  judged(release: string | undefined): void {
    this.item.detail = release === undefined ? this.detail : `${this.detail} · ${release}`;
  }

  dispose(): void {
    this.item.dispose();
  }

  private look(state: State): { text: string; severity: vscode.LanguageStatusSeverity; command?: vscode.Command } {
    const { Information, Warning, Error } = vscode.LanguageStatusSeverity;
    const t = vscode.l10n.t;
    const output = { command: 'gradguard.showOutput', title: t('Show output') };
    const restart = { command: 'gradguard.restart', title: t('Restart') };
    switch (state) {
      case 'starting':
        return { text: t('GradGuard: starting'), severity: Information, command: output };
      case 'running':
        return { text: 'GradGuard', severity: Information, command: restart };
      case 'off':
        return { text: t('GradGuard: off'), severity: Information };
      case 'untrusted':
        return {
          text: t('GradGuard: waits for trust'),
          severity: Information,
          command: { command: 'workbench.trust.manage', title: t('Manage trust') },
        };
      case 'missing':
        return {
          text: t('GradGuard: not installed'),
          severity: Warning,
          command: { command: 'gradguard.setUp', title: t('Set up') },
        };
      case 'unusable':
        return {
          text: t('GradGuard: the interpreter cannot be used'),
          severity: Error,
          command: {
            command: 'workbench.action.openSettings',
            title: t('Open settings'),
            arguments: ['gradguard.interpreter'],
          },
        };
      case 'failed':
        return { text: t('GradGuard: stopped'), severity: Error, command: output };
    }
  }
}
