// Runs scripts of the report as its page does, with the little of a browser that they ask for.
import { readdirSync, readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';

const HOME = new URL('../../src/hengfa/', import.meta.url);
const SITE = 'evals/report/site/assets';

export const DESK = 'law/desk/page';
export const EXPERT = 'evals/grading/people/page';
export const read = (path) => readFileSync(new URL(path, HOME), 'utf-8');

/** The texts of all scripts and pages of a folder, without its words. */
export const textsOf = (folder) =>
  readdirSync(new URL(folder, HOME))
    .filter((name) => /\.(?:js|html)$/.test(name) && !/^words_?/.test(name))
    .map((name) => read(`${folder}/${name}`))
    .join('\n');

export const siteTexts = () => textsOf(SITE);

/** Loads scripts of the site in this order, after those that all others need. */
export function load(...names) {
  Object.assign(globalThis, {
    window: globalThis,
    document: { documentElement: {} },
    location: { hash: '' },
  });
  Object.defineProperty(globalThis, 'navigator', { value: { language: 'en-GB' } });
  for (const path of ['base/page/dom', ...['core', ...names].map((name) => `${SITE}/${name}`)]) {
    runInThisContext(read(`${path}.js`), { filename: `${path}.js` });
  }
}
