import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('words_zh', 'words_en', 'words', 'numbers');

const SHOWN = {
  score: [
    [[0.42345], '42.34'],
    [[1], '100.00'],
    [[-0.031], '−3.10'],
    [[-0.000001], '0.00'],
    [[12.3456, true], '12.35'],
    [[null], '–'],
    [[undefined], '–'],
    [[Number.NaN], '–'],
  ],
  change: [
    [[0.031], '+3.10'],
    [[-0.031], '−3.10'],
    [[0.000001], '0.00'],
    [[-0.000001], '0.00'],
    [[null], '–'],
  ],
  interval: [
    [[0.401, 0.452], '40.10–45.20'],
    [[null, 0.452], ''],
  ],
  signedInterval: [[[-0.03, 0.012], '−3.00 … +1.20']],
  share: [
    [[0.1234], '12.3%'],
    [[null], '–'],
  ],
  chance: [
    [[0.0004], '<0.001'],
    [[0.001], '0.001'],
    [[0.04999], '0.050'],
    [[null], '–'],
  ],
  money: [
    [[1.5, 'CNY'], '1.50 CNY'],
    [[0.0123, ''], '0.0123'],
    [[0, 'USD'], '0.00 USD'],
    [[null, 'USD'], '–'],
  ],
  rankRange: [
    [[{ rank_low: 2, rank_high: 5 }], '2–5'],
    [[{ rank_low: 2, rank_high: 2 }], ''],
    [[{ rank_low: null, rank_high: null }], ''],
  ],
  count: [
    [[1234567], '1,234,567'],
    [[null], '–'],
  ],
  few: [[[1234567], '1.2M']],
};

for (const [name, cases] of Object.entries(SHOWN)) {
  test(`a number is shown as ${name}`, () => {
    for (const [given, shown] of cases) assert.equal(hengfa[name](...given), shown);
  });
}

test('a long time is told in larger units', () => {
  const word = (name, number) => hengfa.word(name, number);
  assert.equal(hengfa.time(3.14), word('seconds', '3.1'));
  assert.equal(hengfa.time(89.6), word('seconds', '90'));
  assert.equal(hengfa.time(90), word('minutes', '2'));
  assert.equal(hengfa.time(5400), word('hours', '1.5'));
  assert.equal(hengfa.time(null), '–');
});

test('large counts are written as the language writes them', () => {
  hengfa.setLanguage('zh');
  assert.equal(hengfa.few(1_234_567), '123.5万');
  hengfa.setLanguage('en');
});
