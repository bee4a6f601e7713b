// GradGuard's own environment: a virtual environment in the extension's storage, with the server from the wheel that
// the extension carries. Knows nothing of VS Code, so that tests run without it.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Run } from './run';

/**
 * What an environment is made of. `storage` is a folder of ours, `wheel` the path of the server's wheel, `lock` that of
 * what it needs: the exact versions, with the hashes of their files.
 */
export interface Plan {
  storage: string;
  wheel: string;
  lock: string;
}

/** A step of the set-up went wrong; the message is what the tool said. */
export class SetUpError extends Error {
  constructor(
    readonly step: 'create' | 'install',
    message: string,
  ) {
    super(message);
  }

  /** The line that tells most: the first that calls itself an error. */
  get reason(): string {
    const lines = this.message.split('\n').map(line => line.trim());
    return lines.find(line => /^error/i.test(line)) ?? lines[0] ?? '';
  }
}

/** The wheel in a folder; undefined where the extension was packaged without one. */
export function findWheel(folder: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const name = names.find(name => name.startsWith('gradguard-') && name.endsWith('.whl'));
  return name === undefined ? undefined : join(folder, name);
}

/** The interpreter of the environment, if it was wholly set up from this very wheel and what it needs. */
export function ownPython(plan: Plan): string | undefined {
  const folder = folderOf(plan);
  return existsSync(join(folder, READY)) ? pythonIn(folder) : undefined;
}

/**
 * Make the environment and install the server into it. Nothing is taken from the package index but what `lock` names.
 * `python` is the interpreter to make it with; `report` hears of each step. Resolves to the environment's interpreter. Rejects with SetUpError; what was half done is removed.
 */
export async function setUp(
  run: Run,
  plan: Plan,
  python: string,
  report: (step: 'create' | 'install') => void,
  signal?: AbortSignal,
): Promise<string> {
  const folder = folderOf(plan);
  await mkdir(plan.storage, { recursive: true });
  rmSync(folder, { recursive: true, force: true });
  const own = pythonIn(folder);
  const install = ['-m', 'pip', 'install', '--no-input', '--disable-pip-version-check'];
  const steps = [
    ['create', python, ['-m', 'venv', folder]],
    ['install', own, [...install, '--require-hashes', '--requirement', plan.lock]],
    ['install', own, [...install, '--no-deps', '--no-index', plan.wheel]],
  ] as const;
  for (const [step, command, args] of steps) {
    report(step);
    const done = await run(command, args, { cwd: plan.storage, ...(signal ? { signal } : {}) });
    if (done.code !== 0) {
      rmSync(folder, { recursive: true, force: true });
      throw new SetUpError(step, done.stderr.trim() || done.stdout.trim());
    }
  }
  await writeFile(join(folder, READY), '');
  return own;
}

const READY = '.ready';

/** A folder for each content of the wheel and of the lock: a new release gets a new environment. */
function folderOf(plan: Plan): string {
  const digest = createHash('sha256').update(readFileSync(plan.wheel)).update(readFileSync(plan.lock)).digest('hex');
  return join(plan.storage, `environment-${digest.slice(0, 12)}`);
}

function pythonIn(folder: string): string {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}
