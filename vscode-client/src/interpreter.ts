// Which Python interpreter has the server. Knows nothing of VS Code, so that tests run without it.
import type { Done, Run } from './run';

/** Where an interpreter was found; `setting` alone is what the user insists on. */
export type Source = 'setting' | 'python-extension' | 'path' | 'own';

export interface Candidate {
  python: string;
  source: Source;
}

export interface Interpreter extends Candidate {
  /** The Python version, `3.12.4`. */
  version: string;
  /** The version of `gradguard` in it; null where it is not installed. */
  gradguard: string | null;
}

/** What an interpreter was found to be, or what came instead of an answer. */
export type Probe = Interpreter | (Candidate & { problem: string; absent: boolean });

export interface Choice {
  /** The first interpreter that has the server; undefined where none has. */
  chosen?: Interpreter;
  /** All that were looked at, in order. */
  probes: Probe[];
}

/** The oldest Python that the server runs on. */
export const OLDEST: readonly [number, number] = [3, 10];

const QUESTION = `
import json, sys
from importlib.metadata import PackageNotFoundError, version
try:
    found = version("gradguard")
except PackageNotFoundError:
    found = None
print(json.dumps({"version": ".".join(map(str, sys.version_info[:3])), "gradguard": found}))
`;

/** Ask an interpreter for its version and that of the server in it. */
export async function probe(run: Run, candidate: Candidate, cwd: string): Promise<Probe> {
  const done = await run(candidate.python, ['-c', QUESTION], { cwd, timeout: 20_000 });
  const answer = done.code === 0 ? read(done.stdout) : undefined;
  if (answer === undefined) {
    return { ...candidate, problem: lastLine(done), absent: done.absent };
  }
  return { ...candidate, ...answer };
}

/**
 * Choose the first of some candidates that has the server. One from the settings is not passed over in silence: where
 * it cannot be used, nothing is chosen.
 */
export async function choose(run: Run, candidates: readonly Candidate[], cwd: string): Promise<Choice> {
  const probes: Probe[] = [];
  for (const candidate of candidates) {
    const found = await probe(run, candidate, cwd);
    probes.push(found);
    if (isUsable(found)) {
      return { chosen: found, probes };
    }
    if (candidate.source === 'setting') {
      break;
    }
  }
  return { probes };
}

/** Whether an interpreter can run the server as it is. */
export function isUsable(probe: Probe): probe is Interpreter {
  return 'version' in probe && probe.gradguard !== null && isNewEnough(probe.version);
}

/** Whether the server can run on a Python version. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function read(stdout: string): { version: string; gradguard: string | null } | undefined {
  try {
    const value: unknown = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    if (typeof value === 'object' && value !== null && 'version' in value && 'gradguard' in value) {
      const { version, gradguard } = value;
      if (typeof version === 'string' && (gradguard === null || typeof gradguard === 'string')) {
        return { version, gradguard };
      }
    }
  } catch {
    // Something that is no Python has answered.
  }
  return undefined;
}

function lastLine(done: Done): string {
  return done.stderr.trim().split('\n').at(-1) || `exit status ${done.code}`;
}
