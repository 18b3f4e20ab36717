import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load();

test('what cannot be seen is spelled out', () => {
  for (const code of [
    0x0, 0xad, 0x34f, 0x200b, 0x202e, 0x2028, 0x3164, 0xe0000, 0xe0041, 0xe007f,
  ]) {
    const number = code.toString(16).toUpperCase().padStart(4, '0');
    assert.equal(hengfa.flat(`甲${String.fromCodePoint(code)}乙`), `甲⟦U+${number}⟧乙`);
  }
});

test('what can be seen stays as it is', () => {
  const text = 'a\tb\nc\r\nd　é𠮷☎\ufe0f <b>&amp;</b>';
  assert.equal(hengfa.flat(text), text);
  assert.equal(hengfa.flat(1.5), '1.5');
});

test('a carriage return that ends no line is spelled out', () => {
  assert.equal(hengfa.flat('a\rb\r\n'), 'a⟦U+000D⟧b\r\n');
});

test('only data files and the charting library are scripts of the site', () => {
  for (const path of ['data/site.js', 'data/tasks/0/runs/12.js', 'assets/vega.js']) {
    assert.ok(hengfa.isOwnScript(path), path);
  }
  const others = [
    'https://evil.example/data/x.js',
    'data/../x.js',
    'data/x.js?y',
    'assets/x.js',
    '',
  ];
  for (const path of others) assert.ok(!hengfa.isOwnScript(path), path);
});
