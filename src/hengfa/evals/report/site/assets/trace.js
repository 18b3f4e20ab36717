'use strict';
// Texts with marked places, and the table of how a response came to its score.
(() => {
  const { make, word } = hengfa;

  /** @typedef {{start: number, end: number, kind: string, finding?: number}} Mark */

  // Spans count characters; the text of a browser counts some characters twice.
  function offsets(text) {
    if (!/[\ud800-\udbff]/.test(text)) return (place) => Math.min(place, text.length);
    const places = [0];
    let at = 0;
    for (const character of text) {
      at += character.length;
      places.push(at);
    }
    return (place) => places[Math.min(place, places.length - 1)];
  }

  /** The places of words in a text, letters in either case. */
  hengfa.hitsOf = (text, words) => {
    if (!words) return [];
    const [inside, sought] = [text.toLowerCase(), words.toLowerCase()];
    if (inside.length !== text.length) return []; // a letter that grows in lower case
    const hits = [];
    for (
      let at = inside.indexOf(sought);
      at >= 0;
      at = inside.indexOf(sought, at + sought.length)
    ) {
      hits.push({ start: at, end: at + sought.length, kind: 'hit' });
    }
    return hits;
  };

  const stateOf = (finding) =>
    finding.right === true ? 'right' : finding.right === false ? 'wrong' : 'neutral';

  /** The places of a response on which the findings of its trace rest. */
  hengfa.marksOf = (text, trace) => {
    const offset = offsets(text);
    return (trace?.findings ?? []).flatMap((finding, number) =>
      (finding.spans ?? []).map(([start, end]) => ({
        start: offset(start),
        end: offset(end),
        kind: stateOf(finding),
        finding: number,
      })),
    );
  };

  /** A text of others as it is, with marks; marks may overlap. */
  hengfa.marked = (text, marks = []) => {
    const node = make('div.text');
    const real = marks.filter(({ start, end }) => start < end && end <= text.length);
    const cuts = [
      ...new Set([0, text.length, ...real.flatMap(({ start, end }) => [start, end])]),
    ].sort((a, b) => a - b);
    for (let at = 0; at + 1 < cuts.length; at += 1) {
      const piece = text.slice(cuts[at], cuts[at + 1]);
      const over = real.filter(({ start, end }) => start <= cuts[at] && end >= cuts[at + 1]);
      const findings = over.filter((mark) => mark.finding !== undefined);
      const opened = findings.filter((mark) => mark.start === cuts[at]);
      const marker = opened.length
        ? make(
            'sup.finding-number',
            { 'aria-hidden': 'true' },
            opened.map((mark) => mark.finding + 1).join(','),
          )
        : null;
      if (!over.length) hengfa.append(node, piece);
      else {
        node.append(
          make(
            'mark',
            {
              class: [...new Set(over.map((mark) => mark.kind))].join(' '),
              'data-findings': findings.map((mark) => mark.finding).join(' '),
            },
            marker,
            piece,
          ),
        );
      }
    }
    return node;
  };

  // --- the table -------------------------------------------------------------------------------

  function pointsOf({ points, maximum }) {
    if (!hengfa.here(points) && !hengfa.here(maximum)) return '';
    const show = (value) => (hengfa.here(value) ? String(Math.round(value * 1000) / 1000) : '–');
    return hengfa.here(maximum) ? `${show(points)} / ${show(maximum)}` : show(points);
  }

  const SIGNS = { right: '✓', wrong: '✗', neutral: '·' };

  /** Lights the marks of a finding in the response beside it. */
  function light(column, number, on) {
    for (const mark of column.querySelectorAll('mark[data-findings]')) {
      const mine = mark.dataset.findings.split(' ').includes(String(number));
      mark.classList.toggle('lit', on && mine);
    }
  }

  function findingRow(finding, number, column, columns) {
    const state = stateOf(finding);
    const spans = (finding.spans ?? []).length > 0;
    const toMark = () =>
      column().querySelector('mark.lit')?.scrollIntoView({ block: 'center', behavior: 'smooth' });
    const label = spans
      ? make(
          'button.to-mark',
          {
            type: 'button',
            title: word('toMark'),
            on: {
              click: () => {
                light(column(), number, true);
                toMark();
              },
            },
          },
          finding.label || String(number + 1),
        )
      : finding.label;
    return make(
      'tr',
      {
        class: state,
        on: {
          pointerenter: () => light(column(), number, true),
          pointerleave: () => light(column(), number, false),
          focusin: () => light(column(), number, true),
          focusout: () => light(column(), number, false),
        },
      },
      make('td.number', {}, number + 1),
      make('th', { scope: 'row' }, label),
      columns.map(({ cell, kind }) => make('td', { class: kind }, cell(finding, state))),
    );
  }

  /** The findings of a trace; `column` gives the element that holds the response. */
  hengfa.traceTable = (trace, column) => {
    const findings = trace.findings ?? [];
    const has = (...names) =>
      findings.some((finding) =>
        names.some((name) => hengfa.here(finding[name]) && finding[name] !== ''),
      );
    const columns = [
      { head: word('expected'), cell: (finding) => finding.expected ?? '', used: has('expected') },
      { head: word('given'), cell: (finding) => finding.given ?? '', used: has('given') },
      {
        head: word('verdict'),
        kind: 'sign',
        used: has('right'),
        cell: (_finding, state) =>
          make(
            'span',
            { title: word(`${state}Note`), 'aria-label': word(`${state}Note`) },
            SIGNS[state],
          ),
      },
      { head: word('points'), kind: 'number', cell: pointsOf, used: has('points', 'maximum') },
      { head: word('remark'), cell: (finding) => finding.note ?? '', used: has('note') },
    ].filter((one) => one.used);
    const head = make(
      'tr',
      {},
      make('th.number', { scope: 'col' }, '#'),
      make('th', { scope: 'col' }, hengfa.named('traces', trace.kind)),
      columns.map(({ head: text, kind }) => make('th', { scope: 'col', class: kind }, text)),
    );
    return [
      trace.error &&
        make(
          'p.error-class',
          {},
          word('errorClass'),
          ' ',
          make('b', {}, hengfa.named('errors', trace.error)),
        ),
      findings.length > 0 &&
        make(
          'div.scroll',
          { tabindex: 0, role: 'region', 'aria-label': word('trace') },
          make(
            'table.trace',
            {},
            make('caption', {}, word('trace')),
            make('thead', {}, head),
            make(
              'tbody',
              {},
              findings.map((finding, number) => findingRow(finding, number, column, columns)),
            ),
          ),
        ),
    ];
  };
})();
