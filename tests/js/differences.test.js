import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('numbers', 'differences');

const FIRST = { number: 2 };
const SECOND = { number: 5 };
const DIFFERENCE = { value: 0.1, low: 0.02, high: 0.18, wins: 7, losses: 3, verdict: 'better' };
const OPEN = { value: 0, low: null, high: null };
const COMPARISONS = { pairs: { '2,5': { rows: { overall: DIFFERENCE, open: OPEN } } } };

test('a difference is the same from either side, with its sign and verdict turned', () => {
  assert.deepEqual(hengfa.differences(COMPARISONS, FIRST, SECOND).overall, DIFFERENCE);
  const turned = { value: -0.1, low: -0.18, high: -0.02, wins: 3, losses: 7, verdict: 'worse' };
  assert.deepEqual(hengfa.differences(COMPARISONS, SECOND, FIRST).overall, turned);
});

test('what has no interval and no verdict has none when it is turned', () => {
  const { open } = hengfa.differences(COMPARISONS, SECOND, FIRST);
  assert.deepEqual([open.low, open.high, hengfa.verdictOf(open)], [null, null, 'open']);
});

test('runs that were not compared have no differences', () => {
  assert.equal(hengfa.differences(COMPARISONS, FIRST, { number: 6 }), null);
  assert.equal(hengfa.differences(COMPARISONS, { number: 6 }, FIRST), null);
});

test('numbers are told apart as numbers', () => {
  const pairs = { '9,10': { rows: { overall: DIFFERENCE } } };
  assert.deepEqual(
    hengfa.differences({ pairs }, { number: 9 }, { number: 10 }).overall,
    DIFFERENCE,
  );
});

test('what is looked at together is corrected together', () => {
  const found = (p, verdict = 'better') => ({ p, verdict });
  const together = (...all) => all.map((one) => hengfa.supportedTogether(all).has(one));
  assert.deepEqual(together(found(0.04)), [true]);
  assert.deepEqual(together(found(0.04), found(0.02)), [true, true]);
  assert.deepEqual(together(found(0.04), found(0.03)), [false, false]);
  assert.deepEqual(together(found(0.01, ''), found(0.02)), [false, true]);
  assert.deepEqual(together(found(0.03), found(0.01), found(0.5)), [false, true, false]);
});
