import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('trace');

test('spans count characters, also those of two units', () => {
  const trace = {
    findings: [{ right: true, spans: [[1, 2]] }, { right: false, spans: [[2, 99]] }, {}],
  };
  assert.deepEqual(hengfa.marksOf('甲𠮷乙', trace), [
    { start: 1, end: 3, kind: 'right', finding: 0 },
    { start: 3, end: 4, kind: 'wrong', finding: 1 },
  ]);
  assert.deepEqual(hengfa.marksOf('甲乙', null), []);
});

test('hits are found in either case, one after the other', () => {
  const places = (text, words) => hengfa.hitsOf(text, words).map(({ start, end }) => [start, end]);
  assert.deepEqual(places('Lamp lamp', 'LAMP'), [
    [0, 4],
    [5, 9],
  ]);
  assert.deepEqual(places('aaa', 'aa'), [[0, 2]]);
  assert.deepEqual(places('灯', ''), []);
  assert.deepEqual(places('İ lamp', 'lamp'), []); // its places would be wrong
});
