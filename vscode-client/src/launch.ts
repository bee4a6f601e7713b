// What of a file can be run under observation, and how. Knows nothing of VS Code, so that tests run without it.

/** A script, or a test by pytest's name for it, and the 0-based line that begins it. */
export interface Launch {
  line: number;
  test?: string;
}

/** Where a run leaves what it saw, for the server to show: below the folder that it runs in. */
const RECORD = '.gradguard_cache/seen.json';

const MAIN = /^if\s+__name__\s*==\s*(['"])__main__\1\s*:/;
const CLASS = /^class\s+(Test\w*)/;
const FUNCTION = /^(\s*)(?:async\s+)?def\s+(test\w*)\s*\(/;

/** What a file has to run: its main program, if it has one, and the tests that pytest would find in it. */
export function launches(text: string, path: string): Launch[] {
  const isTest = /(^|[\\/])(test_[^\\/]*|[^\\/]*_test)\.py$/.test(path);
  const found: Launch[] = [];
  let group: string | undefined;
  for (const [line, content] of text.split(/\r?\n/).entries()) {
    const [, indent, name] = FUNCTION.exec(content) ?? [];
    if (MAIN.test(content)) {
      found.push({ line });
    } else if (isTest && name !== undefined && (indent === '' || group !== undefined)) {
      found.push({ line, test: indent === '' ? name : `${group}::${name}` });
    }
    if (/^[^\s#)\]}]/.test(content)) {
      group = CLASS.exec(content)?.[1];
    }
  }
  return found;
}

/** The arguments for Python that run a file, or one test of it. */
export function argumentsFor(file: string, test?: string): string[] {
  return test === undefined
    ? ['-m', 'gradguard', 'run', '--record', RECORD, file]
    : ['-m', 'pytest', '--gradguard', '--gradguard-record', RECORD, `${file}::${test}`];
}
