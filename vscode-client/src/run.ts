// Runs a program and gathers what it prints. Knows nothing of VS Code, so that tests run without it.
import { execFile } from 'node:child_process';

export interface Done {
  /** The exit status; null where the program could not be started or was killed. */
  code: number | null;
  /** Whether there is no such program. */
  absent: boolean;
  stdout: string;
  stderr: string;
}

export interface Options {
  /** The working folder. Never one of the workspace: Python would import what lies there. */
  cwd: string;
  input?: string;
  timeout?: number;
  signal?: AbortSignal;
}

export type Run = (command: string, args: readonly string[], options: Options) => Promise<Done>;

/** Run a program to its end. Never rejects: a program that cannot be started has `code` null and says why in `stderr`. */
export const run: Run = (command, args, { cwd, input, timeout, signal }) =>
  new Promise(resolve => {
    const child = execFile(
      command,
      [...args],
      { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, timeout: timeout ?? 0, ...(signal ? { signal } : {}) },
      (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
        resolve({ code, absent: error?.code === 'ENOENT', stdout, stderr: stderr || (error?.message ?? '') });
      },
    );
    child.stdin?.on('error', () => undefined); // a program that does not read its input
    child.stdin?.end(input ?? '');
  });
