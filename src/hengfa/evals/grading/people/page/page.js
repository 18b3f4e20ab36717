// The page of one expert. Everything is put in as text: nothing of a response is ever markup.
import { WORDS } from './words.js';

const { append, fill, make } = hengfa;

const TYPING_PAUSE = 1200; // a digit after this long begins a new number
const RETRY = 2000;
const $ = (id) => document.getElementById(id);

const view = { language: 'zh', at: 0, card: 0, typed: '', typedAt: 0 };
let state = null;
const pending = new Map(); // changes that the server has not confirmed; the newest of each item
let sending = false;

const word = (name, ...given) => {
  const found = WORDS[view.language][name];
  return typeof found === 'function' ? found(...given) : found;
};

// --- texts -------------------------------------------------------------------------------------

function marked(text, marks) {
  const parts = [];
  let from = 0;
  for (const [start, end, kind] of marks) {
    if (start < from) continue;
    parts.push(text.slice(from, start), make(`mark.${kind}`, {}, text.slice(start, end)));
    from = end;
  }
  return [...parts, text.slice(from)];
}

function showResponse() {
  const { response } = submission();
  const now = card();
  const marks = [];
  for (const item of Object.values(answers().items)) {
    for (const words of item.evidence) {
      const start = response.indexOf(words);
      const kind = now?.item?.id === item.id ? 'now' : 'other';
      if (start >= 0) marks.push([start, start + words.length, kind]);
    }
  }
  // where quotations overlap, those of the current item are shown
  marks.sort((a, b) => a[0] - b[0] || (a[2] === 'now' ? -1 : 1));
  fill($('response'), marked(response, marks));
}

// --- state -------------------------------------------------------------------------------------

const submission = () => state.submissions[view.at];
const answers = () => state.answers[view.at];
const blank = (id) => ({ type: 'item', id, points: null, level: '', evidence: [], comment: '' });
const itemAnswer = (id, at = view.at) => state.answers[at].items[id] ?? blank(id);
const faultAnswer = (id) => answers().faults[id] ?? { type: 'fault', id, times: 0, points: null };

function cardsOf(one) {
  const cards = [];
  for (const section of one.sections) {
    section.items.forEach((item, number) => {
      cards.push({ item, faults: item.faults, section, first: number === 0 });
    });
    if (section.faults.length) cards.push({ faults: section.faults, title: 'sectionFaults' });
  }
  if (one.faults.length) cards.push({ faults: one.faults, title: 'wholeFaults' });
  return cards;
}

const card = () => cardsOf(submission())[view.card];

function scoredItems(at) {
  const all = state.submissions[at].sections.flatMap((section) => section.items);
  return [all.filter((item) => itemAnswer(item.id, at).points !== null).length, all.length];
}

function setItem(item, change) {
  const now = { ...itemAnswer(item.id), ...change };
  answers().items[item.id] = now;
  keep(now);
}

function setFault(fault, change) {
  const now = { ...faultAnswer(fault.id), ...change };
  if (!now.times) now.points = null;
  answers().faults[fault.id] = now;
  keep(now);
}

function keep(answer) {
  pending.set(`${view.at} ${answer.type} ${answer.id}`, { number: view.at, answer });
  showSaved('saving');
  send();
}

async function send() {
  if (sending) return;
  sending = true;
  while (pending.size) {
    const [key, change] = pending.entries().next().value;
    try {
      const reply = await fetch('change', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(change),
      });
      if (reply.status >= 500) throw new Error(reply.statusText);
      const told = await reply.json();
      if (pending.get(key) === change) pending.delete(key);
      if (reply.ok) {
        state.answers[change.number].sum = told;
        showSum();
      } else {
        showSaved('refused', told.problem);
        sending = false;
        return;
      }
    } catch {
      showSaved('unsaved');
      await new Promise((resolve) => setTimeout(resolve, RETRY));
    }
  }
  sending = false;
  showSaved('saved');
}

// --- what is shown -----------------------------------------------------------------------------

function showSaved(name, ...given) {
  $('saved').dataset.state = name;
  fill($('saved'), word(name, ...given));
}

function showSum() {
  const { points, maximum } = answers().sum;
  $('sum').textContent = `${points} / ${maximum}`;
}

function showAll() {
  document.documentElement.lang = view.language === 'zh' ? 'zh-CN' : 'en';
  document.title = word('title');
  for (const node of document.querySelectorAll('[data-word]')) {
    node.textContent = word(node.dataset.word);
  }
  $('language').textContent = word('other');
  if ($('saved').dataset.state === 'saved') showSaved('saved');
  showLegend();
  const one = submission();
  fill($('question'), one.question);
  fill($('reference'), one.reference);
  $('reference-box').hidden = !one.reference;
  $('previous').disabled = view.at === 0;
  $('next').disabled = view.at === state.submissions.length - 1;
  showCards();
}

function showCards() {
  fill($('cards'), cardsOf(submission()).map(cardNodes));
  showResponse();
  showProgress();
  showSum();
}

function showProgress() {
  const all = state.submissions.length;
  const counts = state.submissions.map((_, at) => scoredItems(at));
  const whole = counts.filter(([scored, items]) => scored === items).length;
  $('place').textContent = word('place', view.at + 1, all);
  $('done').textContent = word('done', ...counts[view.at], whole);
  $('bar').max = counts.reduce((sum, [, items]) => sum + items, 0) || 1;
  $('bar').value = counts.reduce((sum, [scored]) => sum + scored, 0);
}

function showLegend() {
  const lines = word('legend').map(([keys, what]) =>
    make('div', {}, make('kbd', {}, keys), make('span', {}, what)),
  );
  fill($('keys'), lines);
}

function cardNodes(one, number) {
  const isNow = number === view.card;
  const nodes = [];
  if (one.first) {
    const { title, group, maximum, order } = one.section;
    const full = make('small', {}, word('full', maximum));
    nodes.push(make('h2', {}, group ? `${group} · ${title}` : title, full));
    if (order) nodes.push(make('p.order', {}, order));
  }
  const click = () => goCard(number, false);
  const box = make(isNow ? 'article.card.now' : 'article.card', {
    'data-card': number,
    on: { click },
  });
  if (one.item) itemParts(box, one.item, isNow);
  else append(box, make('h3', {}, word(one.title)));
  if (one.faults.length) append(box, faultList(one.faults, isNow));
  nodes.push(box);
  return nodes;
}

function itemParts(box, item, isNow) {
  const answer = itemAnswer(item.id);
  box.classList.toggle('scored', answer.points !== null);
  const given = answer.points ?? word('unscored');
  append(
    box,
    make(
      'div.item-head',
      {},
      make('div.item-text', {}, item.text),
      make('span.badge', {}, `${given} / ${item.maximum}`),
    ),
    wordList('elements', item.elements),
    wordList('alternatives', item.alternatives),
    pointButtons(item, answer),
    answer.evidence.length > 0 && evidenceList(item, answer),
    (isNow || answer.comment) && commentField(item, answer),
  );
}

function wordList(name, texts) {
  if (!texts.length) return null;
  const list = texts.map((text) => make('li', {}, text));
  return make('div.words', {}, make('b', {}, word(name)), make('ul', {}, list));
}

function quickPoints(maximum) {
  const step = maximum <= 3 ? 0.5 : 1;
  if (Number.isInteger(maximum / step) && maximum / step <= 6) {
    return Array.from({ length: maximum / step + 1 }, (_, steps) => steps * step);
  }
  return [0, 0.25, 0.5, 0.75, 1].map((share) => Math.round(share * maximum * 2) / 2);
}

function pointButtons(item, answer) {
  const row = make('div.points', { role: 'group', 'aria-label': word('points') });
  const button = (label, points, level, key) => {
    const chosen = answer.points === points && answer.level === level;
    const click = (event) => {
      event.stopPropagation();
      setItem(item, chosen ? { points: null, level: '' } : { points, level });
      goCard(cardOf(item), false);
    };
    const given = { type: 'button', 'aria-pressed': String(chosen), on: { click } };
    return make('button', given, key && make('kbd', {}, key), label);
  };
  if (item.levels.length) {
    item.levels.forEach((level, number) => {
      row.append(button(`${level.name} ${level.points}`, level.points, level.name, number + 1));
    });
    return row;
  }
  row.append(...[...new Set(quickPoints(item.maximum))].map((p) => button(`${p}`, p, '')));
  const field = make('input', {
    type: 'number',
    min: 0,
    max: item.maximum,
    step: 'any',
    inputmode: 'decimal',
    'aria-label': word('points'),
    on: { click: (event) => event.stopPropagation() },
  });
  field.value = answer.points ?? '';
  field.addEventListener('change', () => {
    const points = field.value === '' ? null : Number(field.value);
    if (points === null || (points >= 0 && points <= item.maximum)) setItem(item, { points });
    view.card = cardOf(item);
    showCards();
  });
  row.append(field);
  return row;
}

function evidenceList(item, answer) {
  const lines = answer.evidence.map((words, number) => {
    const click = () => {
      setItem(item, { evidence: answer.evidence.filter((_, other) => other !== number) });
      showCards();
    };
    const given = { type: 'button', title: word('remove'), on: { click } };
    return make('li', {}, make('span', {}, words), make('button', given, '×'));
  });
  return make('ul.evidence', { 'aria-label': word('evidence') }, lines);
}

function commentField(item, answer) {
  const field = make('textarea', { rows: 1, placeholder: word('comment'), maxlength: 10000 });
  field.value = answer.comment;
  field.addEventListener('click', (event) => event.stopPropagation());
  let timer = 0;
  const store = () => {
    clearTimeout(timer);
    if (field.value !== itemAnswer(item.id).comment) setItem(item, { comment: field.value });
  };
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(store, 500);
    showSaved('saving');
  });
  field.addEventListener('blur', () => {
    store();
    if (!pending.size) showSaved('saved');
  });
  return field;
}

function faultList(faults, isNow) {
  const list = make('ul.faults');
  faults.forEach((fault, number) => {
    const answer = faultAnswer(fault.id);
    const box = make('input', { type: 'checkbox' });
    box.checked = answer.times > 0;
    box.addEventListener('change', () => toggle(fault));
    const key = isNow && number < 9 && make('kbd', {}, `⇧${number + 1}`);
    const text = make('span.fault-text', {}, fault.text);
    const label = make('label', {}, key, box, text, make('small', {}, cost(fault)));
    const line = make('li', { on: { click: (event) => event.stopPropagation() } }, label);
    if (answer.times && fault.most_times > 1) {
      line.append(
        numberField(word('times'), 1, fault.most_times, answer.times, '1', (times) =>
          setFault(fault, { times }),
        ),
      );
    }
    if (answer.times && fault.most) {
      line.append(
        numberField(
          word('points'),
          fault.points,
          fault.most,
          answer.points ?? fault.points,
          '0.5',
          (points) => setFault(fault, { points }),
        ),
      );
    }
    list.append(line);
  });
  return list;
}

function numberField(label, min, max, value, step, store) {
  const field = make('input', {
    type: 'number',
    min,
    max,
    step,
    title: label,
    'aria-label': label,
  });
  field.value = value;
  field.addEventListener('change', () => {
    const given = Number(field.value);
    if (given >= min && given <= max) store(given);
    showCards();
  });
  return field;
}

function cost(fault) {
  if (fault.kind === 'gate') return word(fault.tier ? 'gives' : 'leaves', fault.leaves);
  if (fault.all) return word('all');
  return fault.most ? word('range', fault.points, fault.most) : word('minus', fault.points);
}

// --- what is done ------------------------------------------------------------------------------

function toggle(fault) {
  setFault(fault, { times: faultAnswer(fault.id).times ? 0 : 1 });
  showCards();
}

const cardOf = (item) => cardsOf(submission()).findIndex((one) => one.item === item);

function goCard(number, scroll = true) {
  const last = cardsOf(submission()).length - 1;
  view.card = Math.max(0, Math.min(number, last));
  view.typed = '';
  remember();
  showCards();
  if (scroll) document.querySelector('.card.now')?.scrollIntoView({ block: 'nearest' });
}

function goSubmission(at, number = 0) {
  if (at < 0 || at >= state.submissions.length) return;
  document.activeElement?.blur();
  view.at = at;
  view.card = number;
  view.typed = '';
  remember();
  showAll();
  for (const column of document.querySelectorAll('.texts, .rubric')) column.scrollTop = 0;
}

const remember = () => history.replaceState(null, '', `#${view.at + 1}.${view.card + 1}`);

function forward() {
  const last = cardsOf(submission()).length - 1;
  if (view.card < last) goCard(view.card + 1);
  else goSubmission(view.at + 1);
}

function typePoints(sign) {
  const { item } = card();
  if (!item) return;
  if (item.levels.length) {
    const level = item.levels[Number(sign) - 1];
    if (level) setItem(item, { points: level.points, level: level.name });
    showCards();
    return;
  }
  const now = Date.now();
  const before = now - view.typedAt < TYPING_PAUSE ? view.typed : '';
  const allowed = (text) => Number(text) <= item.maximum && /^\d*\.?\d{0,2}$/.test(text);
  // a partial number goes on from what stands there: 3, then ".5"
  const base = before || (sign === '.' ? `${itemAnswer(item.id).points ?? 0}` : '');
  const typed = allowed(base + sign) ? base + sign : sign;
  if (!allowed(typed) || typed === '.') return;
  view.typed = typed;
  view.typedAt = now;
  setItem(item, { points: Number(typed) });
  showCards();
}

function attach() {
  const { item } = card();
  const chosen = getSelection();
  const inside =
    chosen.rangeCount && $('response').contains(chosen.getRangeAt(0).commonAncestorContainer);
  const words = inside ? chosen.getRangeAt(0).toString().trim() : '';
  if (!item || !words) {
    showSaved('nothing');
    return;
  }
  const answer = itemAnswer(item.id);
  if (!answer.evidence.includes(words)) setItem(item, { evidence: [...answer.evidence, words] });
  chosen.removeAllRanges();
  showCards();
}

function onKey(event) {
  const typing = event.target.matches('textarea, input[type=number]');
  if (event.key === 'Escape' && typing) event.target.blur();
  if (typing && event.key === 'Enter' && event.target.matches('input')) event.target.blur();
  if (typing || event.ctrlKey || event.altKey || event.metaKey || event.isComposing) return;
  const digit = /^(?:Digit|Numpad)(\d)$/.exec(event.code)?.[1];
  if (event.shiftKey) {
    const fault = digit && card().faults[Number(digit) - 1];
    if (fault) toggle(fault);
    if (fault) event.preventDefault();
    return;
  }
  const onButton = event.target.matches('button, summary, input');
  const { item } = card();
  // letters by their place on the keyboard as well, since an input method may swallow them
  const key = event.key.length === 1 || event.key === 'Process' ? event.code : event.key;
  const actions = {
    KeyJ: () => goCard(view.card + 1),
    ArrowDown: () => goCard(view.card + 1),
    KeyK: () => goCard(view.card - 1),
    ArrowUp: () => goCard(view.card - 1),
    ArrowRight: () => goSubmission(view.at + 1),
    ArrowLeft: () => goSubmission(view.at - 1),
    KeyE: attach,
    KeyC: () => document.querySelector('.card.now textarea')?.focus(),
    KeyF: () =>
      item && !item.levels.length && setAndShow(item, { points: item.maximum, level: '' }),
    Backspace: () => item && setAndShow(item, { points: null, level: '' }),
    Period: () => typePoints('.'),
    NumpadDecimal: () => typePoints('.'),
  };
  if (!onButton) actions.Enter = forward;
  if (digit !== undefined) typePoints(digit);
  else if (actions[key]) actions[key]();
  else return;
  event.preventDefault();
}

function setAndShow(item, change) {
  view.typed = '';
  setItem(item, change);
  showCards();
}

async function begin() {
  const reply = await fetch('state');
  state = await reply.json();
  const [, at, number] = /^#(\d+)\.(\d+)$/.exec(location.hash) ?? [];
  view.language = sessionStorage.getItem('language') === 'en' ? 'en' : 'zh';
  showSaved('saved');
  const inRange = at && Number(at) <= state.submissions.length;
  goSubmission(inRange ? at - 1 : state.start, inRange ? number - 1 : 0);
  document.addEventListener('keydown', onKey);
  $('previous').addEventListener('click', () => goSubmission(view.at - 1));
  $('next').addEventListener('click', () => goSubmission(view.at + 1));
  // a click would take the selection away before it is read
  $('evidence').addEventListener('mousedown', (event) => event.preventDefault());
  $('evidence').addEventListener('click', attach);
  $('keys-button').addEventListener('click', () => $('keys').classList.toggle('hidden'));
  $('language').addEventListener('click', () => {
    view.language = view.language === 'zh' ? 'en' : 'zh';
    sessionStorage.setItem('language', view.language);
    showAll();
  });
  addEventListener('beforeunload', (event) => {
    document.activeElement?.blur();
    if (pending.size) event.preventDefault();
  });
}

begin().catch(() => showSaved('unsaved'));
