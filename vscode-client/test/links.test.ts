import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { linked } from '../src/links';

const name = (path: string) => path.split(/[\\/]/).at(-1)!;

test('a suspect is a link to its line', () => {
  const file = join('/work', 'my project', 'train.py');
  const said = `a \`b.py:1:2\` before\n1. \`${file}:12:9\` GG101 error: \`x\` is changed`;
  assert.equal(
    linked(said, join('/work', 'storage'), name),
    'a `b.py:1:2` before\n1. [train.py:12](../my%20project/train.py#L12,9): GG101 error: `x` is changed',
  );
});

test('a cell of a notebook has no line of its own to go to', () => {
  const said = '1. `/work/lesson.ipynb:cell 2:1:1` GG101 error: …';
  assert.equal(linked(said, '/work/storage', name), said);
});
