import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('words_zh', 'words_en', 'words', 'numbers', 'facts');

const run = (number, model, figures, cells = {}, more = {}) => ({
  number,
  model,
  name: `run-${number}`,
  suite: 'harbour',
  setting: 'zero_shot',
  scores: { official: { figures, cells } },
  ...more,
});

hengfa.index({
  suites: [
    {
      name: 'harbour',
      title: { zh: '云港', en: 'Harbour' },
      settings: ['zero_shot', 'one_shot'],
      figures: [{ name: 'knowing' }, { name: 'overall' }, { name: 'tokens' }],
    },
  ],
  runs: [
    run(0, 'floor', { knowing: { value: 0.1 } }, {}, { builtin: true }),
    run(1, '甲', { knowing: { value: 0.4 }, tokens: { value: 321 } }),
    run(2, '乙', { knowing: { value: 0.9 } }),
    run(3, '甲', { knowing: { value: 0.4 } }, { '1-1': { score: { value: 0.4 } } }),
    run(4, 'ceiling', { knowing: { value: 1 } }, {}, { builtin: true }),
    run(5, '丙', {}),
  ],
  tasks: [{ suite: 'harbour', setting: 'zero_shot', id: '1-1', title: { zh: '', en: '' } }],
  published: [],
});
const [board] = hengfa.boards;
const numbers = (runs) => runs.map(({ number }) => number);

test('a setting without runs and published figures has no board', () => {
  assert.deepEqual(
    hengfa.boards.map(({ setting }) => setting),
    ['zero_shot'],
  );
  assert.equal(hengfa.findBoard('harbour', 'one_shot'), undefined);
  assert.equal(hengfa.findBoard('harbour'), board);
});

test('where no run has the overall figure, the first that some run has orders the board', () => {
  assert.equal(hengfa.headline(board).name, 'knowing');
});

test('runs are ordered by figure, then by tasks done, and those without come last', () => {
  assert.deepEqual(numbers(hengfa.ordered(board, 'official')), [4, 2, 3, 1, 0, 5]);
});

test('the models of the reader are offered before the built-in ones', () => {
  assert.deepEqual(numbers(hengfa.offered(board, 'official')), [2, 3, 1, 5, 4, 0]);
});

test('a figure above one is no fraction', () => {
  assert.ok(hengfa.isPlain(board, 'tokens'));
  assert.ok(!hengfa.isPlain(board, 'knowing'));
  assert.ok(hengfa.metricText('x', 12).endsWith(' 12.00'));
  assert.ok(hengfa.metricText('x', 0.5).endsWith(' 50.00'));
});

test('a run is named apart from others of its model', () => {
  assert.equal(hengfa.runTitle(hengfa.runs.get(1)), '甲 · run-1');
  assert.equal(hengfa.runTitle(hengfa.runs.get(2)), '乙');
});

test('an address names runs that exist, each once', () => {
  assert.deepEqual(numbers(hengfa.runsFrom('2,99,2,x,1')), [2, 1]);
  assert.deepEqual(numbers(hengfa.runsFrom('2,1,3', 2)), [2, 1]);
  assert.deepEqual(hengfa.runsFrom(null), []);
});

test('a task is found by suite, setting and id', () => {
  assert.equal(hengfa.taskTitle(hengfa.findTask('harbour', 'zero_shot', '1-1')), '1-1');
  assert.equal(hengfa.findTask('harbour', 'one_shot', '1-1'), undefined);
});

test('a model that was trained on the questions is marked wherever it is named', () => {
  const trained = run(1, '甲', {}, {}, { trained: [6, 8] });
  assert.equal(hengfa.runTitle({ ...hengfa.boards[0].runs[2], trained: [6, 8] }), '乙 ‡');
  assert.match(hengfa.trainedText(trained), /6.*8|8.*6/);
  assert.match(hengfa.trainedText({ ...trained, trained: [0, 0] }), /test set|测试集/);
  assert.equal(hengfa.trainedText(run(1, '甲', {})), null);
});
