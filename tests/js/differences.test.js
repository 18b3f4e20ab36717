import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('numbers', 'differences');

const FIRST = { number: 2 };
const SECOND = { number: 5 };
const DIFFERENCE = { value: 0.1, low: 0.02, high: 0.18, p: 0.01, wins: 7, losses: 3 };
const COMPARISONS = {
  pairs: { '2,5': { overall: DIFFERENCE, open: { value: 0, low: null, high: null } } },
};

test('a difference is the same from either side, with its sign turned', () => {
  assert.deepEqual(hengfa.differences(COMPARISONS, FIRST, SECOND).overall, DIFFERENCE);
  const turned = { value: -0.1, low: -0.18, high: -0.02, p: 0.01, wins: 3, losses: 7 };
  assert.deepEqual(hengfa.differences(COMPARISONS, SECOND, FIRST).overall, turned);
});

test('what has no interval has none when it is turned', () => {
  const { low, high } = hengfa.differences(COMPARISONS, SECOND, FIRST).open;
  assert.deepEqual([low, high], [null, null]);
});

test('runs that were not compared have no differences', () => {
  assert.equal(hengfa.differences(COMPARISONS, FIRST, { number: 6 }), null);
  assert.equal(hengfa.differences(COMPARISONS, { number: 6 }, FIRST), null);
});

test('a verdict needs interval and test to agree', () => {
  const verdict = (change) => hengfa.verdictOf({ ...DIFFERENCE, ...change });
  assert.equal(verdict({}), 'more');
  assert.equal(verdict({ value: -0.1, low: -0.18, high: -0.02 }), 'less');
  assert.equal(verdict({ p: null }), 'more');
  assert.equal(verdict({ p: 0.05 }), 'unsure');
  assert.equal(verdict({ low: -0.01 }), 'unsure');
  assert.equal(verdict({ low: -0.01, p: 0.3 }), 'open');
  assert.equal(verdict({ low: null, high: null, p: null }), 'open');
});
