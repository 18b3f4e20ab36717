import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('route');

test('every address that is made is read back', () => {
  const parts = ['sample', 'harbour', 'zero shot', '题/1?#%', '..'];
  const query = { q: 'a&b=c', runs: '1,2', rules: 'corrected' };
  const route = hengfa.parseRoute(hengfa.link(parts, query));
  assert.deepEqual([route.page, ...route.parts], parts);
  assert.deepEqual(Object.fromEntries(route.query), query);
});

test('empty values are left out, and commas stay readable', () => {
  assert.equal(hengfa.link([]), '#/');
  assert.equal(hengfa.link(['hints'], { q: '', rules: null, max: undefined }), '#/hints');
  assert.equal(hengfa.links.compare([2, 3], { runs: '1,2' }), '#/compare/2,3?runs=1,2');
});

test('an address that is no address leads somewhere all the same', () => {
  assert.equal(hengfa.parseRoute('').page, '');
  assert.equal(hengfa.parseRoute('#/').page, '');
  assert.deepEqual(hengfa.parseRoute('#/model/%E0%A4%A').parts, ['%E0%A4%A']);
  assert.equal(hengfa.parseRoute('#/samples?q=a?b').query.get('q'), 'a?b');
});

test('a choice changes the address of the page and nothing else in it', () => {
  location.hash = '#/samples/harbour/zero_shot/1-1?q=%E7%81%AF&min=50';
  assert.equal(
    hengfa.changed({ min: null, max: '80' }),
    '#/samples/harbour/zero_shot/1-1?q=%E7%81%AF&max=80',
  );
  location.hash = '';
  assert.equal(hengfa.changed({ published: '1' }), '#/?published=1');
});

test('the rules are the first of the site unless the address names others that it has', () => {
  hengfa.site = { rules: ['official', 'corrected'] };
  const rules = (text) => hengfa.rulesOf(new URLSearchParams(text));
  assert.equal(rules(''), 'official');
  assert.equal(rules('rules=corrected'), 'corrected');
  assert.equal(rules('rules=mine'), 'official');
});
