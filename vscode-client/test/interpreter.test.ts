import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { type Candidate, choose, isNewEnough, isUsable, probe } from '../src/interpreter';
import { type Done, run, type Run } from '../src/run';

/** Interpreters that answer as told, by their paths. */
function pretended(answers: Record<string, Partial<Done>>): Run & { asked: string[] } {
  const asked: string[] = [];
  const pretend: Run = async command => {
    asked.push(command);
    const none = { code: null, absent: true, stdout: '', stderr: `spawn ${command} ENOENT` };
    return { ...none, ...(answers[command] && { absent: false }), ...answers[command] };
  };
  return Object.assign(pretend, { asked });
}

const answer = (version: string, gradguard: string | null): Partial<Done> => ({
  code: 0,
  stdout: JSON.stringify({ version, gradguard }) + '\n',
});

const candidates: Candidate[] = [
  { python: 'chosen', source: 'python-extension' },
  { python: 'python3', source: 'path' },
  { python: 'own', source: 'own' },
];

test('the first interpreter that has the server is chosen, and no further one is asked', async () => {
  const run = pretended({ chosen: answer('3.12.1', null), python3: answer('3.11.2', '0.1.0') });
  const { chosen, probes } = await choose(run, candidates, '/');
  assert.equal(chosen?.python, 'python3');
  assert.equal(chosen?.gradguard, '0.1.0');
  assert.equal(probes.length, 2);
  assert.deepEqual(run.asked, ['chosen', 'python3']);
});

test('an interpreter that is too old for the server is passed over', async () => {
  const run = pretended({ chosen: answer('3.9.18', '0.1.0'), own: answer('3.13.0', '0.1.0') });
  const { chosen } = await choose(run, candidates, '/');
  assert.equal(chosen?.source, 'own');
});

test('an interpreter from the settings is not passed over in silence', async () => {
  const nonsense: Candidate = { python: '/no/such/python', source: 'setting' };
  const { chosen, probes } = await choose(
    pretended({ python3: answer('3.12.0', '0.1.0') }),
    [nonsense, ...candidates],
    '/',
  );
  assert.equal(chosen, undefined);
  assert.deepEqual(probes, [{ ...nonsense, problem: 'spawn /no/such/python ENOENT', absent: true }]);
});

test('what answers something else is no interpreter', async () => {
  for (const stdout of ['', 'hello', '[]', '{"version": 3}', 'null']) {
    const found = await probe(pretended({ chosen: { code: 0, stdout } }), candidates[0]!, '/');
    assert.equal(isUsable(found), false);
  }
});

test('versions are compared as numbers', () => {
  assert.deepEqual(['3.9.1', '3.10.0', '3.14.2', '4.0.0', '2.7.18'].map(isNewEnough), [false, true, true, true, false]);
});

test('a real interpreter answers, whatever lies in the working folder', async () => {
  const python = process.platform === 'win32' ? 'python' : 'python3';
  const found = await probe(run, { python, source: 'path' }, tmpdir());
  assert.ok('version' in found, JSON.stringify(found));
  assert.match(found.version, /^3\.\d+\.\d+$/);
});

test('a program that does not exist has no exit status, and says why', async () => {
  const done = await run('/no/such/program', [], { cwd: tmpdir() });
  assert.deepEqual([done.code, done.absent], [null, true]);
  assert.match(done.stderr, /ENOENT/);
});
