import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('search');

const GIVEN = {
  task: { number: 7 },
  samples: {
    ids: ['1', '2', '3'],
    prompts: ['灯塔何时点亮？', 'When is the LAMP lit?', '谁守灯塔？'],
    references: ['日落', 'at dusk', '守塔人'],
  },
  runs: [{ number: 4 }, { number: 9 }],
  stopped: () => false,
};
const RESPONSES = {
  'tasks/7/runs/4': ['在日落时', 'The lamp is lit at dusk', null],
  'tasks/7/runs/9': ['日落', '', '灯塔'],
};
hengfa.load = async (name) => ({ responses: RESPONSES[name] });

async function search(words, stopped = GIVEN.stopped) {
  const heard = [];
  let hits = new Map();
  const found = (now, done) => {
    hits = now;
    heard.push(done);
  };
  const whole = await hengfa.search({ ...GIVEN, words, stopped, found });
  return { whole, heard, hits: Object.fromEntries(hits) };
}

test('words are found in prompts, references and responses, run by run', async () => {
  assert.deepEqual(await search('日落'), {
    whole: true,
    heard: [0, 1, 2],
    hits: { 0: ['reference', '4', '9'] },
  });
});

test('letters are found in either case', async () => {
  assert.deepEqual((await search('lamp')).hits, { 1: ['prompt', '4'] });
  assert.deepEqual((await search('LaMp')).hits, { 1: ['prompt', '4'] });
});

test('a sample is found by its id, but not by a part of it', async () => {
  assert.deepEqual((await search('3')).hits, { 2: ['prompt'] });
});

test('what is no longer wanted comes to no end', async () => {
  assert.deepEqual(await search('日落', () => true), { whole: false, heard: [], hits: {} });
});
