import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORDS } from '../../src/hengfa/evals/grading/people/page/words.js';
import { WORDS as DESK_WORDS } from '../../src/hengfa/law/desk/page/words.js';
import { DESK, EXPERT, load, siteTexts, textsOf } from './scripts.js';

load('words_zh', 'words_en', 'words');

/** The names of all words at any depth, with what kind of thing each is. */
const shapeOf = (words) =>
  Object.fromEntries(
    Object.entries(words).map(([name, word]) => {
      if (typeof word === 'function') return [name, `made of ${word.length}`];
      if (typeof word === 'string') return [name, word === '' ? 'nothing' : 'text'];
      return [name, Array.isArray(word) ? `list of ${word.length}` : shapeOf(word)];
    }),
  );

const PAGES = {
  report: [hengfa.words, siteTexts()],
  expert: [WORDS, textsOf(EXPERT)],
  desk: [DESK_WORDS, textsOf(DESK)],
};

for (const [page, [words, texts]] of Object.entries(PAGES)) {
  test(`the ${page} says the same in both languages`, () => {
    assert.deepEqual(shapeOf(words.en), shapeOf(words.zh));
  });

  test(`the ${page} has every word that it says, and says every word that it has`, () => {
    const said = [...texts.matchAll(/(?:\bword\(\s*'|data-word=")(\w+)/g)].map(([, name]) => name);
    assert.ok(said.length > 10);
    assert.deepEqual(
      said.filter((name) => !Object.hasOwn(words.zh, name)),
      [],
    );
    const composed = /(?:Short|Note)$|^names$/; // `${verdict}Short`
    const isSaid = (name) => new RegExp(`['"]${name}['"]`).test(texts) || composed.test(name);
    assert.deepEqual(
      Object.keys(words.zh).filter((name) => !isSaid(name)),
      [],
    );
  });
}

test('a word is said in the language of the reader, and an unknown one is an error', () => {
  assert.equal(hengfa.view.language, 'en'); // the browser's
  assert.equal(hengfa.word('overview'), 'Overview');
  hengfa.switchLanguage();
  assert.equal(hengfa.word('overview'), '总览');
  assert.equal(document.documentElement.lang, 'zh-CN');
  assert.throws(() => hengfa.word('overveiw'), /no word overveiw/);
});

test('a name of the data has the title that the site brings, else ours, else itself', () => {
  hengfa.setLanguage('en');
  hengfa.site = { names: { settings: { tide: { zh: '潮汐', en: 'with tides' } } } };
  assert.equal(hengfa.named('settings', 'tide'), 'with tides');
  assert.equal(hengfa.named('statuses', 'refused'), hengfa.words.en.names.statuses.refused);
  assert.equal(hengfa.named('statuses', 'constructor'), 'constructor');
  assert.equal(hengfa.named('nothing', 'x'), 'x');
  assert.equal(hengfa.say({ zh: '只有中文', en: '' }), '只有中文');
});
