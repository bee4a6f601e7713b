// The settings, and which of them the server is told. Knows nothing of VS Code, so that tests run without it.
import { homedir } from 'node:os';
import { resolve } from 'node:path';

/** The settings that the server knows, by their names without `gradguard.`; the others are the extension's own. */
export const FOR_SERVER = [
  'diagnosticMode',
  'minSeverity',
  'select',
  'ignore',
  'configuration',
  'inlayHints',
  'highlight',
  'hoverLessons',
  'fixAll',
] as const;

/**
 * Pick out what the server is to be told of the `gradguard` settings. `python` is the interpreter that is chosen for the
 * project: which release of PyTorch it has is what the server goes by, wherever it runs itself.
 */
export function forServer(settings: Readonly<Record<string, unknown>>, python?: string): Record<string, unknown> {
  return { ...Object.fromEntries(FOR_SERVER.map(name => [name, settings[name] ?? null])), python: python ?? null };
}

/**
 * The program that a setting names: `~`, `${workspaceFolder}` and `${env:NAME}` stand for what they do elsewhere in VS
 * Code, a relative path begins at `folder`, and a mere name is looked for on the PATH.
 */
export function program(setting: string, folder: string | undefined): string {
  const path = setting
    .replace(/^~(?=$|[\\/])/, homedir())
    .replace(/\$\{workspaceFolder\}/g, folder ?? '')
    .replace(/\$\{env:(\w+)\}/g, (_, name) => process.env[name] ?? '');
  return /[\\/]/.test(path) && folder !== undefined ? resolve(folder, path) : path;
}
