import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { load } from './scripts.js';

load('words_zh', 'words_en', 'words', 'store');

const packed = (value) => gzipSync(JSON.stringify(value)).toString('base64');

test('a file that came in before it was asked for is unpacked once', async () => {
  hengfa.put('site', packed({ title: '云港𠮷' }));
  assert.deepEqual(await hengfa.load('site'), { title: '云港𠮷' });
  assert.equal(hengfa.load('site'), hengfa.load('site'));
});

test('a file is fetched when it is asked for', async () => {
  hengfa.script = async (path) => {
    assert.equal(path, 'data/tasks/0/runs/12.js');
    hengfa.put('tasks/0/runs/12', packed([1, '二']));
  };
  assert.deepEqual(await hengfa.load('tasks/0/runs/12'), [1, '二']);
});

test('a name is looked for in the file that Python gives it', async () => {
  hengfa.script = async (path) => {
    assert.equal(path, 'data/compare/x/all-by-~47_~e6~b3~95/official.js');
    hengfa.put('compare/x/all-by-~47_~e6~b3~95/official', packed(1));
  };
  assert.equal(await hengfa.load('compare/x/all-by-G_法/official'), 1);
});

test('a missing file, and one that hands in nothing, are told apart and asked for again', async () => {
  hengfa.script = () => Promise.reject(new Error('404'));
  const missing = { message: hengfa.word('missingFile', 'data/compare/x.js') };
  await assert.rejects(hengfa.load('compare/x'), missing);
  hengfa.script = async () => {};
  const broken = { message: hengfa.word('brokenFile', 'data/compare/x.js') };
  await assert.rejects(hengfa.load('compare/x'), broken);
});
