// What package.json promises is there: texts in each language, settings that the server knows, commands that exist.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FOR_SERVER, forServer } from '../src/settings';

const read = (path: string): string => readFileSync(path, 'utf8');
const json = (path: string): any => JSON.parse(read(path));
const manifest = json('package.json');
const sources = readdirSync('src').map(name => read(`src/${name}`));

test('every text of the manifest is there in each language, and none is idle', () => {
  const used = [...read('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key).sort();
  for (const file of ['package.nls.json', 'package.nls.zh-cn.json']) {
    assert.deepEqual(Object.keys(json(file)).sort(), [...new Set(used)], file);
  }
});

test('every sentence in the code is translated, with its placeholders, and no translation is idle', () => {
  const said = sources.flatMap(text =>
    [...text.matchAll(/\bt\(\s*'((?:[^'\\]|\\.)*)'/g)].map(([, sentence]) => sentence!),
  );
  const bundle: Record<string, string> = json('l10n/bundle.l10n.zh-cn.json');
  assert.deepEqual(Object.keys(bundle).sort(), [...new Set(said)].sort());
  const placeholders = (text: string) => [...text.matchAll(/\{\d\}/g)].map(String).sort();
  for (const [english, chinese] of Object.entries(bundle)) {
    assert.deepEqual(placeholders(chinese), placeholders(english), english);
  }
});

test('commands of the manifest and of the code are the same', () => {
  const declared = manifest.contributes.commands
    .map(({ command }: { command: string }) => command.split('.')[1])
    .sort();
  const block = /const commands[^{]*\{([^;]*)\};/.exec(read('src/extension.ts'))![1]!;
  const registered = [...block.matchAll(/^ {4}(\w+):/gm)].map(([, name]) => name).sort();
  assert.deepEqual(registered, declared);
});

test('the server is told the settings that it knows, and those alone', () => {
  const known = /^class Settings:[\s\S]*?^@dataclass/m.exec(read('../server/lsp/settings.py'))![0];
  const names = [...known.matchAll(/^ {4}(\w+): /gm)].map(([, name]) =>
    name!.replace(/_(\w)/g, (_, c) => c.toUpperCase()),
  );
  assert.deepEqual([...FOR_SERVER, 'python'].sort(), names.sort()); // the interpreter is the Python extension's
  for (const name of FOR_SERVER) {
    assert.ok(`gradguard.${name}` in manifest.contributes.configuration.properties, name);
  }
  assert.deepEqual(
    Object.keys(forServer({ interpreter: 'python', minSeverity: 'error' })).sort(),
    [...FOR_SERVER, 'python'].sort(),
  );
});

test('the extension and the server are of one version', () => {
  assert.equal(manifest.version, /^version = "(.*)"$/m.exec(read('../pyproject.toml'))![1]);
});
