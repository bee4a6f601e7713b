// A user's session with the real extension in a real Visual Studio Code, from an untrusted folder on. The steps follow
// each other in one window; the pictures that they leave are those of the documentation.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { CodeServer, until } from './code-server';
import { Workbench } from './workbench';

const CODE_SERVER = resolve('../.e2e/code-server/node_modules/code-server/out/node/entry.js');
const PICTURES = resolve('../docs/images');

const scratch = mkdtempSync(join(tmpdir(), 'gradguard-e2e-'));
const project = join(scratch, 'project');
const pythons = () => server.processes().filter(line => /python/.test(line));
const servers = () => pythons().filter(line => line.endsWith('-m gradguard server'));
let server: CodeServer;
let window: Workbench;

before(async () => {
  cpSync('e2e/workspace', project, { recursive: true });
  server = await CodeServer.start(CODE_SERVER, join(scratch, 'home'), resolve('dist/gradguard.vsix'));
  window = await Workbench.launch(PICTURES);
});

after(async () => {
  await window?.close();
  server?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

test('an untrusted workspace starts nothing', async () => {
  await window.open(server.url, project);
  await window.page.keyboard.press('Control+B');
  await window.openFile('train.py');
  await window.status('GradGuard: waits for trust');
  assert.deepEqual(pythons(), []);
});

test('once it is trusted, one click sets up the server, and the squiggles come', async () => {
  await window.command('Workspaces: Manage Workspace Trust');
  await window.page.locator('.workspace-trust-editor').getByRole('button', { name: 'Trust', exact: true }).click();
  await window.page.keyboard.press('Control+W');
  const offer = await window.notification('GradGuard is installed in none of your Python interpreters');
  await window.picture('vscode-offer');
  await offer.getByRole('button', { name: 'Set up' }).click();
  await window.notification('creating a virtual environment');
  await window.squiggles.first().waitFor({ timeout: 240_000 });
  await until('two squiggles', async () => (await window.squiggles.count()) === 2);
  assert.equal(servers().length, 1);
  assert.equal(await window.notifications.count(), 0);
  await window.status('· PyTorch '); // by which release the file is judged
  await window.goto(13, 1);
  await window.picture('vscode-squiggle');
});

test('the problem names the related places', async () => {
  await window.command('Problems: Focus on Problems View');
  const problems = window.page.locator('.markers-panel');
  await problems.getByText('saves `gate` for backward at version 0').waitFor();
  await window.page.mouse.move(10, 10);
  await window.page.locator('.workbench-hover').waitFor({ state: 'hidden' });
  await window.picture('vscode-problems');
  await window.page.keyboard.press('Control+J');
  await window.page.locator('.panel').waitFor({ state: 'hidden' });
});

test('a hover tells why', async () => {
  await window.hover('gate += 0.1', 'gate', 'inplace-on-saved');
  await window.picture('vscode-hover');
  await window.page.keyboard.press('Escape');
});

test('the code of a problem leads to the page that the server ships with', async () => {
  const hover = await window.hover('gate += 0.1', 'gate', 'inplace-on-saved');
  await hover.locator('a.code-link', { hasText: 'GG101' }).click();
  await window.preview.getByRole('heading', { name: 'inplace-on-saved (GG101)' }).waitFor();
  await window.page.keyboard.press('Control+W');
});

test('a half-finished line elsewhere leaves the squiggles where they are', async () => {
  await window.goto(17, 1);
  await window.page.keyboard.type('scale = torch.full(', { delay: 30 });
  await window.page.waitForTimeout(2000);
  assert.equal(await window.squiggles.count(), 2);
  await window.command('File: Revert File');
});

test('the version story is drawn', async () => {
  await window.goto(11, 9);
  await window.command('GradGuard: Show the Version Story of the Tensor');
  const story = [
    'saved v0 by sigmoid (its result)',
    'v0 → v1 by +=',
    'saved v1 by mul (its argument `other`)',
    '✗ needs v0',
  ];
  await until('the story', async () => String(await window.labels()) === String(story), 10).catch(() => undefined);
  assert.deepEqual(await window.labels(), story);
  assert.deepEqual(await window.underlines(), ['solid']);
  await window.picture('vscode-story');
  await window.page.keyboard.press('Escape');
  await until('the end of the story', async () => (await window.labels()).length === 0, 10);
});

test('what is only possible looks different from what is certain', async () => {
  await window.openFile('smooth.py');
  await window.squiggles.first().waitFor();
  await window.goto(6, 9);
  await window.command('GradGuard: Show the Version Story of the Tensor');
  await until('the story', async () => (await window.labels()).length === 4, 10);
  assert.deepEqual(await window.underlines(), ['dashed', 'solid']);
  await window.picture('vscode-possible');
  await window.page.keyboard.press('Control+W');
});

test('an error that PyTorch printed is explained', async () => {
  const error = readFileSync('e2e/error.txt', 'utf8');
  await window.copy(error);
  await window.command('GradGuard: Explain an Error of PyTorch');
  const suspect = window.preview.getByRole('link', { name: 'train.py:11' });
  await suspect.waitFor();
  await suspect.scrollIntoViewIfNeeded();
  await window.picture('vscode-explain');
  await suspect.click();
  await until('the line of the suspect', async () => (await window.cursor()).startsWith('Ln 11, Col 9'), 10);
});

test('a quick fix takes its squiggle away', async () => {
  await window.openFile('train.py');
  await window.goto(11, 9);
  await window.page.keyboard.press('Control+.');
  await window.page.locator('.action-widget').getByText('gate = gate + …').first().waitFor();
  await window.picture('vscode-fixes');
  await window.page.keyboard.press('Enter');
  await until('the end of the squiggle', async () => (await window.squiggles.count()) === 1);
});

test('an interpreter that is none is told of', async () => {
  server.configure({ 'gradguard.interpreter': '/no/such/python' });
  await window.notification('/no/such/python');
  await window.picture('vscode-interpreter');
  await window.status('GradGuard: the interpreter cannot be used');
  server.configure({});
  await until('the squiggle', async () => (await window.squiggles.count()) === 1);
});

test('checking the workspace finds what is in a file that nobody has opened', async () => {
  await window.command('Notifications: Clear All Notifications');
  await window.command('GradGuard: Check the Workspace');
  await window.notification('GradGuard has checked 3 files. Problems: 3.');
  const problems = window.page.locator('.markers-panel');
  await problems.getByText('it needs `scaled`, which this changes').waitFor();
  await window.page.keyboard.press('Control+J');
});

test('several folders, and a notebook whose cells are one program', async () => {
  cpSync('e2e/notebooks', join(scratch, 'notebooks'), { recursive: true });
  const several = join(scratch, 'several.code-workspace');
  writeFileSync(several, JSON.stringify({ folders: [{ path: 'project' }, { path: 'notebooks' }] }));
  server.configure({ 'security.workspace.trust.enabled': false });
  await window.open(server.url, several);
  await window.openFile('probe.py');
  await until('the squiggle', async () => (await window.squiggles.count()) === 1);
  await window.openFile('lesson.ipynb');
  await window.line('odds /= odds.sum()').waitFor();
  await window.squiggles.first().waitFor();
  await window.page.keyboard.press('Control+B');
  await window.picture('vscode-notebook');
  await window.hover('odds /= odds.sum()', 'odds', 'cell 1, line 4');
});
