// The page of the desk: a document with its citations marked, and what is known of each. Whatever
// stands in the document is put in as text (dom.js); positions count characters, not UTF-16 units.
import { WORDS } from './words.js';

const { make, fill, alien } = hengfa;
const $ = (id) => document.getElementById(id);

const SIGNS = {
  right: '✓',
  exists: '◇',
  wording: '≈',
  wrong: '✗',
  unlike: '≠',
  unknown: '?',
  unclear: '…',
  paper: '○',
};
const BLOCK = 2_000; // characters; the next one begins with the next line
const LONGEST_LINE = 20_000; // a longer one is broken off
const MOST_BOXES = 5_000; // of what cannot be seen; in a document with more its numbers are text

const view = {
  language: sessionStorage.getItem('language') === 'en' ? 'en' : 'zh',
  about: null,
  sent: null, // { name, content, asOf, law }: to be checked again in the other language
  told: null, // what the server said of it
  status: 'all',
  at: -1, // which citation is open
};
let marks = [];

function word(name, ...values) {
  const said = WORDS[view.language][name];
  return typeof said === 'function' ? said(...values) : said;
}

// --- asking ------------------------------------------------------------------------------------

class Problem extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

async function ask(path, parameters, options = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value);
  let reply;
  try {
    reply = await fetch(`${path}?${new URLSearchParams(given)}`, options);
  } catch {
    throw new Problem('away', '');
  }
  if (reply.ok) return reply;
  const told = await reply.json().catch(() => ({ error: { code: 'away', message: '' } }));
  throw new Problem(told.error.code, told.error.message);
}

function post(path, parameters) {
  const { name, content, asOf, law } = view.sent;
  const asked = { name, as_of: asOf, law, lang: view.language, ...parameters };
  return ask(path, asked, { method: 'POST', body: content });
}

function tell(kind, ...parts) {
  $('told').hidden = false;
  $('told').dataset.kind = kind;
  fill($('told'), ...parts);
}

function tellProblem(error) {
  if (!(error instanceof Problem)) throw error;
  tell('problem', word('problem')[error.code], make('small', {}, error.message));
}

async function check() {
  tell('busy', word('working'));
  $('check').disabled = true;
  try {
    const reply = await post('api/check', {});
    view.told = await reply.json();
    // what a quotation cites is the law's own, and is checked with the quotation
    view.told.citations = view.told.citations.filter(({ checked }) => !checked.inside);
    view.status = 'all';
    view.at = -1;
    $('told').hidden = true;
    showResult();
  } catch (error) {
    tellProblem(error);
  } finally {
    $('check').disabled = false;
  }
}

function send(name, content) {
  view.sent = { name, content, asOf: $('as-of').value, law: $('law').value.trim() };
  return check();
}

async function exportAs(format) {
  try {
    const reply = await post('api/report', { format });
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await reply.blob());
    const ending = format === 'comments' ? 'commented.docx' : `report.${format}`;
    link.download = `${view.sent.name.replace(/\.[^.]*$/, '') || 'hengfa'}-${ending}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  } catch (error) {
    tellProblem(error);
  }
}

// --- the document ------------------------------------------------------------------------------

/** Cuts a text at positions that count characters. */
function cutter(text) {
  const characters = /[\ud800-\udbff]/.test(text) ? Array.from(text) : null;
  const cut = (start, end) =>
    characters ? characters.slice(start, end).join('') : text.slice(start, end);
  return { cut, length: characters ? characters.length : text.length };
}

function markOf(citation, number, text) {
  const { status } = citation.checked;
  const open = () => show(number);
  const keydown = (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    open();
  };
  const given = {
    role: 'button',
    tabindex: 0,
    'data-sign': SIGNS[status],
    'aria-label': `${text} ${citation.explained.label}`,
    on: { click: open, keydown },
  };
  return make(`mark.${status}`, given, text);
}

/** Text and marks in blocks, of which only those in sight are laid out. */
function blocksOf(told) {
  const { cut, length } = cutter(told.text);
  const unseen = hengfa.flat(told.text).split('⟦U+').length;
  const shown = unseen > MOST_BOXES ? hengfa.flat : (text) => text;
  const blocks = [[]];
  let size = 0;
  const put = (text) => {
    for (const line of text.split(/(?<=\n)/)) {
      for (let from = 0; from < line.length; from += LONGEST_LINE) {
        blocks.at(-1).push(shown(line.slice(from, from + LONGEST_LINE)));
        size += Math.min(line.length - from, LONGEST_LINE);
        if (size < BLOCK || (line.length - from <= LONGEST_LINE && !line.endsWith('\n'))) continue;
        blocks.push([]);
        size = 0;
      }
    }
  };
  let at = 0;
  marks = told.citations.map((citation, number) => {
    const { start, end } = citation.checked;
    if (start > at) put(cut(at, start));
    const mark = markOf(citation, number, shown(cut(Math.max(at, start), end)));
    at = Math.max(at, end);
    blocks.at(-1).push(mark);
    return mark;
  });
  if (at < length) put(cut(at, length));
  return blocks.map((parts) => make('div.block', {}, parts));
}

const isShown = (citation) => view.status === 'all' || citation.checked.status === view.status;

function showFilters() {
  const { counts, labels } = view.told;
  const statuses = ['all', ...Object.keys(SIGNS).filter((status) => counts[status])];
  const buttons = statuses.map((status) => {
    const click = () => {
      view.status = status;
      showFilters();
      const first = view.told.citations.findIndex(isShown);
      if (view.at >= 0 && !isShown(view.told.citations[view.at])) show(first);
      else showPlace();
    };
    const given = { type: 'button', 'aria-pressed': String(view.status === status), on: { click } };
    const all = status === 'all';
    const number = all ? view.told.citations.length : counts[status];
    return make(
      'button',
      { ...given, 'data-status': status },
      !all && make('span.sign', { class: `sign ${status}`, 'aria-hidden': 'true' }, SIGNS[status]),
      `${all ? word('all') : labels[status]} ${number}`,
    );
  });
  fill($('filters'), buttons);
  view.told.citations.forEach((citation, number) => {
    marks[number].classList.toggle('left-out', !isShown(citation));
  });
}

function showPlace() {
  const numbers = view.told.citations.flatMap((citation, n) => (isShown(citation) ? [n] : []));
  fill($('where'), word('where', numbers.indexOf(view.at) + 1 || '–', numbers.length));
  $('next').disabled = !numbers.some((number) => number > view.at);
  $('previous').disabled = !numbers.some((number) => number < view.at);
}

function move(by) {
  const { citations } = view.told;
  for (let number = view.at + by; number >= 0 && number < citations.length; number += by) {
    if (isShown(citations[number])) {
      show(number);
      return;
    }
  }
}

// --- one citation ------------------------------------------------------------------------------

function show(number) {
  marks[view.at]?.classList.remove('now');
  view.at = number;
  const mark = marks[number];
  mark.classList.add('now');
  mark.focus({ preventScroll: true });
  showDetail(view.told.citations[number]);
  mark.scrollIntoView({ block: 'center' });
  showPlace();
}

const part = (name, ...content) => [make('h3', {}, word(name)), content];

function putAway() {
  $('detail').classList.add('away');
  (marks[view.at] ?? $('document')).focus();
}

const closeButton = () =>
  make('button', { id: 'close', type: 'button', on: { click: putAway } }, word('close'));

function showDetail({ checked, explained }) {
  $('detail').classList.remove('away');
  fill(
    $('detail'),
    closeButton(),
    make('h2', {}, alien(checked.written)),
    make(
      'span',
      { class: `verdict ${checked.status}` },
      SIGNS[checked.status],
      ' ',
      explained.label,
    ),
    make('p', {}, explained.sentence),
    besideOf(checked),
    explained.instead && part('instead', make('div.law.instead', {}, explained.instead)),
    explained.notes.length > 0 && part('notes', make('ul', {}, explained.notes.map(noteOf))),
    explained.provision &&
      !besideOf(checked) &&
      part('provision', textOf(explained.provision), make('p.soft', {}, explained.place)),
    explained.day && part('day', make('p', {}, explained.day)),
    checked.law && checked.position && historyOf(checked),
  );
  $('detail').scrollTop = 0;
}

/** What is told and the provision, side by side; what only one of them has is coloured. */
function besideOf({ telling, content }) {
  if (!telling?.content.told.length || content === 'faithful') return null;
  const tags = { new: 'del', other: 'del', 'left out': 'ins', same: 'b', '': 'span' };
  const side = (name, pieces) =>
    make(
      'section',
      {},
      make('h3', {}, word(name)),
      make(
        'div.law',
        {},
        pieces.map(({ text, kind }) => {
          const tag = name === 'provision' && kind === 'other' ? 'ins' : tags[kind];
          return make(tag, {}, text);
        }),
      ),
    );
  return make(
    'div.beside',
    {},
    side('told', telling.content.told),
    side('provision', telling.content.law),
  );
}

const textOf = (text) => make('div.law', {}, text);

/** A note, with what only the law has, [-…-], and what only the document has, {+…+}. */
function noteOf(text) {
  const parts = text.split(/(\[-.*?-\]|\{\+.*?\+\})/s).map((piece) => {
    if (/^\[-.*-\]$/s.test(piece)) return make('ins', {}, piece.slice(2, -2));
    if (/^\{\+.*\+\}$/s.test(piece)) return make('del', {}, piece.slice(2, -2));
    return piece;
  });
  return make('li', {}, parts);
}

function historyOf(checked) {
  const version = checked.text_of ?? checked.version;
  const place = make('div', {});
  const box = make('details', {}, make('summary', {}, word('history')), place);
  box.addEventListener('toggle', async () => {
    if (!box.open || place.hasChildNodes()) return;
    fill(place, word('loading'));
    try {
      const asked = { law: checked.law, position: checked.position.split('至')[0], version };
      const { steps } = await (await ask('api/history', asked)).json();
      fill(
        place,
        make('ol.history', {}, steps.map((step, n) => stepOf(step, n, version)).reverse()),
      );
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      fill(place, word('problem')[error.code], make('p.soft', {}, error.message));
    }
  });
  return box;
}

function stepOf(step, number, used) {
  const { promulgated, effective, event, law } = step.version;
  const now = promulgated === used && !step.successor;
  const head = [
    `${promulgated} ${word('event')[event]}`,
    effective && word('since', effective),
    step.successor && `${word('successor')[step.successor]} 《${law}》`,
    step.cited,
    now && word('used'),
  ];
  const missing = step.missing.map((occasion) => occasion.promulgated);
  return make(
    now ? 'li.now' : 'li',
    {},
    make('strong', {}, head.filter(Boolean).join(' · ')),
    step.derived && make('p.soft', {}, word('derived')),
    missing.length > 0 && make('p.soft', {}, word('missing', missing)),
    wordingOf(step, number),
  );
}

function wordingOf(step, number) {
  if (step.position === null) return make('p.soft', {}, word('gone'));
  if (step.deleted) return make('p.soft', {}, word('deleted'));
  if (step.similarity === 1) return make('p.soft', {}, word('same'));
  if (!step.changes.length) {
    return [number === 0 && make('p.soft', {}, word('first')), textOf(step.text)];
  }
  const tags = { same: 'span', gone: 'del', new: 'ins' };
  return make(
    'div.law',
    {},
    step.changes.map(([kind, text]) => make(tags[kind], {}, text)),
  );
}

// --- all of it ---------------------------------------------------------------------------------

function showWords() {
  document.documentElement.lang = view.language === 'zh' ? 'zh-CN' : 'en';
  document.title = word('title');
  for (const node of document.querySelectorAll('[data-word]')) fill(node, word(node.dataset.word));
  fill($('language'), word('other'));
  const library = view.about?.library;
  fill($('library'), library ? word('library', library.laws, library.versions) : '');
  if (view.about && !library) {
    const commands = view.about.advice.match(/`[^`]+`/g) ?? [];
    const lines = commands.map((command) => make('code', {}, command.slice(1, -1)));
    tell('problem', word('noLibrary'), lines, make('small', {}, view.about.advice));
  }
}

function showResult() {
  const { told } = view;
  $('entry').hidden = true;
  $('result').hidden = false;
  $('another').hidden = false;
  fill($('document'), blocksOf(told));
  $('document').scrollTop = 0;
  const formats = view.about?.formats ?? [];
  fill(
    $('exports'),
    formats.length > 0 && make('span.soft', {}, word('exportAs')),
    formats.map((format) =>
      make(
        'button',
        { type: 'button', 'data-format': format, on: { click: () => exportAs(format) } },
        format === 'comments' ? word('comments') : `.${format}`,
      ),
    ),
  );
  fill(
    $('detail'),
    closeButton(),
    make('p', {}, told.citations.length ? word('pick') : word('nothing')),
    make('p.soft', {}, told.told),
    told.notes.length > 0 && part('remarks', make('ul', {}, told.notes.map(noteOf))),
  );
  $('detail').classList.remove('away');
  showFilters();
  showPlace();
}

function startAnother() {
  $('entry').hidden = false;
  $('result').hidden = true;
  $('another').hidden = true;
  $('told').hidden = true;
  view.told = null;
  view.sent = null;
  fill($('document'));
  showWords();
  $('text').focus();
}

function onKey(event) {
  if (!view.told || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  // letters by their place on the keyboard as well, since an input method may swallow them
  const key = event.key.length === 1 || event.key === 'Process' ? event.code : event.key;
  if (key === 'KeyJ') move(1);
  else if (key === 'KeyK') move(-1);
  else if (key === 'Escape') putAway();
  else return;
  event.preventDefault();
}

function takeFile(file) {
  if (file) send(file.name, file);
}

async function begin() {
  showWords();
  $('entry').addEventListener('submit', (event) => {
    event.preventDefault();
    if ($('text').value.trim()) send('', $('text').value);
  });
  $('file').addEventListener('change', () => takeFile($('file').files[0]));
  addEventListener('dragover', (event) => {
    event.preventDefault();
    document.body.classList.add('over');
  });
  addEventListener('dragleave', () => document.body.classList.remove('over'));
  addEventListener('drop', (event) => {
    event.preventDefault();
    document.body.classList.remove('over');
    takeFile(event.dataTransfer.files[0]);
  });
  document.addEventListener('keydown', onKey);
  $('next').addEventListener('click', () => move(1));
  $('previous').addEventListener('click', () => move(-1));
  $('another').addEventListener('click', startAnother);
  $('language').addEventListener('click', async () => {
    view.language = view.language === 'zh' ? 'en' : 'zh';
    sessionStorage.setItem('language', view.language);
    showWords();
    const { at, status } = view;
    if (!view.told) return;
    await check();
    view.status = status;
    showFilters();
    if (at >= 0) show(at);
  });
  view.about = await (await ask('api/about', {})).json();
  showWords();
}

begin().catch(tellProblem);
