import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { findWheel, ownPython, type Plan, setUp, SetUpError } from '../src/environment';
import type { Run } from '../src/run';

let plan: Plan;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'gradguard-'));
  const wheel = join(folder, 'gradguard-0.1.0-py3-none-any.whl');
  writeFileSync(wheel, 'a wheel');
  const lock = join(folder, 'requirements.lock');
  writeFileSync(lock, 'libcst==1.9.0 --hash=sha256:0');
  plan = { storage: join(folder, 'storage'), wheel, lock };
});

/** A Python whose `-m venv` makes a file where its interpreter would be; pip ends with `code`. */
function python(code: number): Run & { calls: string[][] } {
  const calls: string[][] = [];
  const pretend: Run = async (command, args) => {
    calls.push([command, ...args]);
    if (args[1] === 'venv') {
      const own = join(args[2]!, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
      mkdirSync(dirname(own), { recursive: true });
      writeFileSync(own, '');
      return { code: 0, absent: false, stdout: '', stderr: '' };
    }
    return { code, absent: false, stdout: '', stderr: code ? 'No matching distribution found' : '' };
  };
  return Object.assign(pretend, { calls });
}

test('the environment is there once it was set up', async () => {
  assert.equal(ownPython(plan), undefined);
  const steps: string[] = [];
  const run = python(0);
  const own = await setUp(run, plan, 'python3', step => steps.push(step));
  assert.deepEqual(steps, ['create', 'install', 'install']);
  assert.equal(ownPython(plan), own);
  assert.equal(run.calls[0]![0], 'python3');
  const [, needed, server] = run.calls;
  assert.deepEqual([needed![0], ...needed!.slice(-3)], [own, '--require-hashes', '--requirement', plan.lock]);
  assert.deepEqual([server![0], ...server!.slice(-3)], [own, '--no-deps', '--no-index', plan.wheel]);
});

test('a failure says which step it was, and leaves nothing half done', async () => {
  const failing = setUp(python(1), plan, 'python3', () => undefined);
  await assert.rejects(failing, (error: unknown) => {
    assert.ok(error instanceof SetUpError);
    assert.deepEqual([error.step, error.message], ['install', 'No matching distribution found']);
    return true;
  });
  assert.equal(ownPython(plan), undefined);
  assert.deepEqual(readdirSync(plan.storage), []);
});

test('of what the tool said a person is told the line that calls itself an error', () => {
  const pip = 'WARNING: Retrying\nERROR: No matching distribution found for libcst\nerror: the end';
  assert.equal(new SetUpError('install', pip).reason, 'ERROR: No matching distribution found for libcst');
  assert.equal(new SetUpError('create', 'ensurepip is not available\nmore').reason, 'ensurepip is not available');
});

for (const part of ['wheel', 'lock'] as const) {
  test(`a new ${part} gets a new environment`, async () => {
    await setUp(python(0), plan, 'python3', () => undefined);
    writeFileSync(plan[part], 'the next release');
    assert.equal(ownPython(plan), undefined);
  });
}

test('the wheel is found by its name', () => {
  assert.equal(findWheel(dirname(plan.wheel)), plan.wheel);
  assert.equal(findWheel(join(plan.storage, 'nothing')), undefined);
  assert.equal(existsSync(plan.wheel), true);
});
