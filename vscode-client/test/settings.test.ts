import assert from 'node:assert/strict';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { program } from '../src/settings';

test('a program is named as elsewhere in VS Code', () => {
  process.env['GRADGUARD_TEST'] = resolve('/opt/python');
  const named = {
    '~/venv/bin/python': join(homedir(), 'venv', 'bin', 'python'),
    '${workspaceFolder}/.venv/bin/python': resolve('/work', '.venv', 'bin', 'python'),
    '.venv/bin/python': resolve('/work', '.venv', 'bin', 'python'),
    '${env:GRADGUARD_TEST}/bin/python': resolve('/opt/python', 'bin', 'python'),
    '/usr/bin/python3': resolve('/usr/bin/python3'),
  };
  for (const [setting, path] of Object.entries(named)) {
    assert.equal(program(setting, resolve('/work')), path);
  }
});

test('a mere name is left to the PATH', () => {
  assert.equal(program('python3.12', resolve('/work')), 'python3.12');
});
