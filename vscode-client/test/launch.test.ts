import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentsFor, launches } from '../src/launch';

test('a main program can be run, and a file without one has no lens', () => {
  const text = 'import torch\r\n\r\nif __name__ == "__main__":\r\n    main()\r\n';
  assert.deepEqual(launches(text, '/work/train.py'), [{ line: 2 }]);
  assert.deepEqual(launches("if __name__ == '__main__': main()", '/work/train.py'), [{ line: 0 }]);
  assert.deepEqual(launches('def main():\n    if __name__ == "__main__":\n        pass', '/work/train.py'), []);
});

test('tests can be run by the names that pytest has for them', () => {
  const text = [
    'def test_alone(x):',
    '    def test_inner(): ...',
    'class TestNet(Base):',
    '    async def test_step(self):',
    '',
    '# between',
    '    def helper(self): ...',
    '    def test_loss(self): ...',
    'class Net:',
    '    def test_none(self): ...',
  ].join('\n');
  const found = [
    { line: 0, test: 'test_alone' },
    { line: 3, test: 'TestNet::test_step' },
    { line: 7, test: 'TestNet::test_loss' },
  ];
  assert.deepEqual(launches(text, '/work/tests/test_net.py'), found);
  assert.deepEqual(launches(text, 'C:\\work\\net_test.py'), found);
  assert.deepEqual(launches(text, '/work/contest.py'), []);
});

test('a program and a test leave what was seen to the server', () => {
  const record = '.gradguard_cache/seen.json';
  assert.deepEqual(argumentsFor('/w/a b.py'), ['-m', 'gradguard', 'run', '--record', record, '/w/a b.py']);
  assert.deepEqual(argumentsFor('/w/test_a.py', 'TestA::test_b').slice(-3), [
    '--gradguard-record',
    record,
    '/w/test_a.py::TestA::test_b',
  ]);
});
