// The language server's life: which interpreter runs it, starting, stopping, and what is shown meanwhile.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PythonExtension } from '@vscode/python-extension';
import * as vscode from 'vscode';
import {
  InlayHintRequest,
  LanguageClient,
  type LanguageClientOptions,
  State as ClientState,
  type StaticFeature,
} from 'vscode-languageclient/node';
import { findWheel, ownPython, type Plan, setUp, SetUpError } from './environment';
import {
  type Candidate,
  type Choice,
  choose,
  type Interpreter,
  isNewEnough,
  isUsable,
  type Probe,
  probe,
} from './interpreter';
import { run } from './run';
import { forServer, program } from './settings';
import type { Status } from './status';

/** Tells the server that VS Code lists the related places of a problem under its message, which need not repeat them. */
const LISTING: StaticFeature = {
  fillClientCapabilities(capabilities) {
    capabilities.experimental = { ...capabilities.experimental, relatedInformationListed: true };
  },
  initialize() {},
  getState: () => ({ kind: 'static' }),
  clear() {},
};

export class Server implements vscode.Disposable {
  readonly output = vscode.window.createOutputChannel('GradGuard', { log: true });
  private client: LanguageClient | undefined;
  private interpreter: Interpreter | undefined;
  /** What the Python extension has chosen for the project, be the server in it or not. */
  private active: string | undefined;
  private work: Promise<void> = Promise.resolve();

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly status: Status,
    private readonly showsHints: (document: vscode.TextDocument) => boolean,
  ) {}

  /** The client of the running server; undefined while there is none. */
  get running(): LanguageClient | undefined {
    return this.client?.state === ClientState.Running ? this.client : undefined;
  }

  /** The interpreter that the server runs in. */
  get python(): string | undefined {
    return this.interpreter?.python;
  }

  /** The interpreter for the user's programs: the one that is chosen, if GradGuard is in it; else that is said. */
  async pythonForPrograms(): Promise<string | undefined> {
    const [first] = await this.candidates();
    const candidate: Candidate | undefined =
      this.active === undefined ? first : { python: this.active, source: 'python-extension' };
    if (candidate === undefined) {
      return undefined;
    }
    await mkdir(this.folder, { recursive: true });
    const found = await probe(run, candidate, this.folder);
    if (isUsable(found)) {
      return found.python;
    }
    const message = vscode.l10n.t('{0} cannot run the program under observation: {1}', found.python, whyNot(found));
    void vscode.window.showWarningMessage(message);
    return undefined;
  }

  /** A folder of ours to run Python in: what lies in the workspace must not be imported. */
  get folder(): string {
    return this.context.globalStorageUri.fsPath;
  }

  /** Have the inlay hints of a document asked for again: it is another answer that `showsHints` gives. */
  refreshHints(document: vscode.TextDocument): void {
    const provider = this.running?.getFeature(InlayHintRequest.method).getProvider(document);
    provider?.onDidChangeInlayHints.fire();
  }

  /** Stop the server if it runs, and start it as the settings say now. One restart follows the other. */
  restart(): Promise<void> {
    this.work = this.work.then(() => this.startAnew()).catch(error => this.failed(error));
    return this.work;
  }

  /** Start anew where another interpreter would be chosen now than the one that the server runs in. */
  reconsider(): Promise<void> {
    this.work = this.work
      .then(async () => {
        if (this.hindrance() !== undefined) {
          return;
        }
        await mkdir(this.folder, { recursive: true });
        const now = await choose(run, await this.candidates(), this.folder);
        if (now.chosen?.python !== this.python) {
          await this.startAnew();
        }
      })
      .catch(error => this.failed(error));
    return this.work;
  }

  /** Set up our own environment, with progress, and start the server in it. */
  async setUp(): Promise<void> {
    const plan = this.plan();
    if (plan === undefined || !vscode.workspace.isTrusted) {
      return;
    }
    const t = vscode.l10n.t;
    const steps = { create: t('creating a virtual environment'), install: t('installing the server') };
    try {
      await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: 'GradGuard', cancellable: true },
        async (progress, token) => {
          const abort = new AbortController();
          token.onCancellationRequested(() => abort.abort());
          const python = await this.pythonToBuildWith();
          await setUp(run, plan, python, step => progress.report({ message: steps[step] }), abort.signal);
        },
      );
    } catch (error) {
      this.output.error(error instanceof Error ? error.message : String(error));
      await this.complain(
        error instanceof SetUpError
          ? t('Setting up failed while {0}: {1}', steps[error.step], error.reason)
          : t('Setting up failed: {0}', error instanceof Error ? error.message : String(error)),
      );
      return;
    }
    await this.restart();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    this.interpreter = undefined;
    await client?.dispose();
  }

  dispose(): void {
    void this.stop();
    this.output.dispose();
  }

  private async startAnew(): Promise<void> {
    await this.stop();
    const hindrance = this.hindrance();
    if (hindrance !== undefined) {
      this.status.set(hindrance);
      return;
    }
    this.status.set('starting');
    await mkdir(this.folder, { recursive: true });
    const choice = await choose(run, await this.candidates(), this.folder);
    this.tell(choice);
    if (choice.chosen === undefined) {
      void this.offer(choice);
      return;
    }
    const { python, gradguard, version, source } = (this.interpreter = choice.chosen);
    const where = source === 'own' ? vscode.l10n.t('its own environment') : python;
    this.client = new LanguageClient(
      'gradguard',
      'GradGuard',
      { command: python, args: ['-m', 'gradguard', 'server'], options: { cwd: this.folder } },
      this.options(),
    );
    this.client.registerFeature(LISTING);
    this.client.onDidChangeState(({ newState }) => {
      if (newState === ClientState.Stopped && this.client !== undefined) {
        this.status.set('failed');
      } else if (newState === ClientState.Running) {
        this.status.set('running', vscode.l10n.t('{0} in Python {1} ({2})', gradguard ?? '', version, where));
      }
    });
    await this.client.start();
  }

  /** Why nothing may be started here; undefined where it may. */
  private hindrance(): 'untrusted' | 'off' | undefined {
    if (!vscode.workspace.isTrusted) {
      return 'untrusted';
    }
    return vscode.workspace.getConfiguration('gradguard').get('enable', true) ? undefined : 'off';
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: [
        { scheme: 'file', language: 'python' },
        { scheme: 'untitled', language: 'python' },
        { scheme: 'vscode-notebook-cell', language: 'python' },
      ],
      outputChannel: this.output,
      initializationOptions: forServer(vscode.workspace.getConfiguration('gradguard'), this.active),
      markdown: { isTrusted: false, supportHtml: false },
      middleware: {
        provideInlayHints: (document, range, token, next) =>
          this.showsHints(document) ? next(document, range, token) : [],
        workspace: {
          // The server complains of settings that it does not know: it is not told of the extension's own.
          configuration: async (params, token, next) => {
            const values = await next(params, token);
            return Array.isArray(values)
              ? values.map((value, i) =>
                  params.items[i]?.section === 'gradguard' && value ? forServer(value, this.active) : value,
                )
              : values;
          },
        },
      },
    };
  }

  /** The interpreters to look at, in order. */
  private async candidates(): Promise<Candidate[]> {
    this.active = await activeInterpreter();
    const set = vscode.workspace.getConfiguration('gradguard').get('interpreter', '');
    if (set !== '') {
      const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
      return [{ python: program(set, folder), source: 'setting' }];
    }
    const found: Candidate[] = [];
    if (this.active !== undefined) {
      found.push({ python: this.active, source: 'python-extension' });
    }
    found.push(...PATH.map(python => ({ python, source: 'path' as const })));
    const plan = this.plan();
    const own = plan && ownPython(plan);
    return own === undefined ? found : [...found, { python: own, source: 'own' }];
  }

  private plan(): Plan | undefined {
    const wheel = findWheel(join(this.context.extensionPath, 'bundled'));
    const lock = join(this.context.extensionPath, 'requirements.lock');
    return wheel === undefined ? undefined : { storage: this.folder, wheel, lock };
  }

  /** An interpreter that a virtual environment can be made with. Throws where there is none. */
  private async pythonToBuildWith(): Promise<string> {
    const candidates = (await this.candidates()).filter(({ source }) => source !== 'setting' && source !== 'own');
    for (const candidate of candidates) {
      const { probes } = await choose(run, [candidate], this.folder);
      if (probes.some(probe => 'version' in probe && isNewEnough(probe.version))) {
        return candidate.python;
      }
    }
    throw new Error(vscode.l10n.t('No Python 3.10 or later was found.'));
  }

  private tell({ chosen, probes }: Choice): void {
    for (const probe of probes) {
      const what = 'problem' in probe ? probe.problem : `Python ${probe.version}, gradguard ${probe.gradguard ?? '—'}`;
      this.output.info(`${probe.source}: ${probe.python}: ${what}`);
    }
    if (chosen !== undefined) {
      this.output.info(`starting ${chosen.python} -m gradguard server`);
    }
  }

  /** Say that no interpreter has the server, and offer the ways out. */
  private async offer({ probes }: Choice): Promise<void> {
    const t = vscode.l10n.t;
    const [first] = probes;
    const settings = t('Open settings');
    if (first?.source === 'setting') {
      this.status.set('unusable', first.python);
      const message = t(
        'The setting `gradguard.interpreter` names {0}, which cannot be used: {1}',
        first.python,
        whyNot(first),
      );
      if ((await vscode.window.showErrorMessage(message, settings)) === settings) {
        await vscode.commands.executeCommand('workbench.action.openSettings', 'gradguard.interpreter');
      }
      return;
    }
    this.status.set('missing');
    const own = t('Set up');
    const offers = this.plan() === undefined ? [settings] : [own, settings];
    const message = t(
      'GradGuard is installed in none of your Python interpreters. Install it there (`pip install gradguard`), or let the extension set up an environment of its own.',
    );
    const answer = await vscode.window.showInformationMessage(message, ...offers);
    if (answer === own) {
      await this.setUp();
    } else if (answer === settings) {
      await vscode.commands.executeCommand('workbench.action.openSettings', 'gradguard.interpreter');
    }
  }

  private failed(error: unknown): Promise<void> {
    this.output.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
    this.status.set('failed');
    return this.complain(vscode.l10n.t('The server could not be started. The output tells why.'));
  }

  private async complain(message: string): Promise<void> {
    const show = vscode.l10n.t('Show output');
    if ((await vscode.window.showErrorMessage(`GradGuard: ${message}`, show)) === show) {
      this.output.show();
    }
  }
}

const PATH = process.platform === 'win32' ? ['python', 'py'] : ['python3', 'python'];

/** Why an interpreter cannot be used, as a person is told. */
function whyNot(probe: Probe): string {
  const t = vscode.l10n.t;
  if ('problem' in probe) {
    return probe.absent ? t('there is no such program.') : t('it does not answer as Python does ({0}).', probe.problem);
  }
  return isNewEnough(probe.version)
    ? t('gradguard is not installed there. `{0} -m pip install gradguard` installs it.', probe.python)
    : t('it is Python {0}, and GradGuard needs 3.10 or later.', probe.version);
}

/** The interpreter that is chosen in the Python extension; undefined where that is not installed. */
async function activeInterpreter(): Promise<string | undefined> {
  try {
    const { environments } = await PythonExtension.api();
    const active = environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
    return (await environments.resolveEnvironment(active))?.executable.uri?.fsPath;
  } catch {
    return undefined;
  }
}

/** Call `changed` when another interpreter is chosen in the Python extension. */
export async function onDidChangeInterpreter(changed: () => void): Promise<vscode.Disposable> {
  try {
    const { environments } = await PythonExtension.api();
    return environments.onDidChangeActiveEnvironmentPath(changed);
  } catch {
    return new vscode.Disposable(() => undefined);
  }
}
