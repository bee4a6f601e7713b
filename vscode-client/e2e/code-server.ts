// Visual Studio Code as a web server: installed once by scripts/code-server.sh, started with a profile of its own.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What keeps the window quiet: no telemetry, no tips, no welcome, nothing fetched. */
const QUIET = {
  'telemetry.telemetryLevel': 'off',
  'workbench.startupEditor': 'none',
  'workbench.tips.enabled': false,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.activityBar.location': 'hidden',
  'workbench.layoutControl.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'security.workspace.trust.startupPrompt': 'never',
  'update.mode': 'none',
  'git.enabled': false,
  'chat.commandCenter.enabled': false,
  'editor.accessibilitySupport': 'off',
  'breadcrumbs.enabled': false,
  'editor.cursorBlinking': 'solid', // a picture is the same each time
  'editor.minimap.enabled': false,
  'editor.autoClosingBrackets': 'never', // what is half-finished must stay so
  'files.autoSave': 'off',
};

/** A running server; `home` holds its profile, its extensions and its logs. */
export class CodeServer {
  private constructor(
    readonly url: string,
    private readonly home: string,
    private readonly pid: number,
  ) {}

  /** Install an extension into a new profile below `home` and start the server. `entry` is code-server's script. */
  static async start(entry: string, home: string, vsix: string): Promise<CodeServer> {
    for (const folder of ['user/User', 'user/Machine', 'extensions']) {
      mkdirSync(join(home, folder), { recursive: true });
    }
    const env = environment(home);
    const own = { 'user-data-dir': 'user', 'extensions-dir': 'extensions', config: 'config.yaml' };
    const profile = [entry, ...Object.entries(own).map(([option, name]) => `--${option}=${join(home, name)}`)];
    execFileSync(process.execPath, [...profile, '--install-extension', vsix], { env, stdio: 'pipe' });
    const port = await freePort();
    const args = [...profile, '--bind-addr', `127.0.0.1:${port}`, '--auth', 'none'];
    const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const log = openSync(join(home, 'server.log'), 'w');
    const child = spawn(process.execPath, [...args, ...quiet], { env, detached: true, stdio: ['ignore', log, log] });
    const server = new CodeServer(`http://127.0.0.1:${port}`, home, child.pid!);
    server.configure({});
    await until('code-server', async () => (await fetch(`${server.url}/healthz`).catch(() => undefined))?.ok === true);
    return server;
  }

  /** Write the settings; a window that is open takes them over. */
  configure(settings: Record<string, unknown>): void {
    // Settings of the machine count in a remote window, such as this one, where those of the user do not.
    for (const scope of ['User', 'Machine']) {
      writeFileSync(
        join(this.home, 'user', scope, 'settings.json'),
        JSON.stringify({ ...QUIET, ...settings }, null, 2),
      );
    }
  }

  /** The command lines of all processes that this server has started and that still run. */
  processes(): string[] {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(pid => ({ stat: lookAt(`/proc/${pid}/stat`), line: lookAt(`/proc/${pid}/cmdline`) }))
      .filter(({ stat }) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]) === this.pid)
      .map(({ line }) => line.replaceAll('\0', ' ').trim());
  }

  /** What the extension wrote to its output channel, in all windows. */
  output(): string {
    const logs = join(this.home, 'user', 'logs');
    const files = readdirSync(logs, { recursive: true, encoding: 'utf8' });
    return files
      .filter(name => name.endsWith('GradGuard.log'))
      .map(name => lookAt(join(logs, name)))
      .join('\n');
  }

  /** End the server with all that it has started: an extension host outlives its window. */
  stop(): void {
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      // It has ended of itself.
    }
  }
}

/** Wait until something is so; throws with `what` where it does not come about. */
export async function until(what: string, so: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; !(await so()); await sleep(50)) {
    if (Date.now() > end) {
      throw new Error(`waited ${seconds} s in vain for ${what}`);
    }
  }
}

/** The environment of a user who has Python, and GradGuard nowhere. */
function environment(home: string): NodeJS.ProcessEnv {
  const { VIRTUAL_ENV, PYTHONPATH: _, VSCODE_IPC_HOOK_CLI: __, ...env } = process.env;
  const path = (env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => !folder.includes('.venv') && folder !== VIRTUAL_ENV);
  return { ...env, XDG_DATA_HOME: join(home, 'data'), PATH: path.join(delimiter) };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}

function lookAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it has ended meanwhile
  }
}
