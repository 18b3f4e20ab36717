'use strict';
// Switches and fields that the pages share. A choice changes the address, the address the page.
(() => {
  const { make, word } = hengfa;

  /** A few choices side by side, one of them on; each is a link. */
  hengfa.choice = (label, options, now) =>
    make(
      'div.choice',
      { role: 'group', 'aria-label': label },
      make('span.label', {}, label),
      options.map(({ value, text, href, title }) =>
        make(
          'a',
          {
            href,
            title,
            'aria-current': value === now ? 'true' : null,
          },
          text,
        ),
      ),
    );

  /** The switch between the rules, where the site has more than one set. */
  hengfa.rulesChoice = (rules) =>
    hengfa.site.rules.length < 2
      ? null
      : hengfa.choice(
          word('rules'),
          hengfa.site.rules.map((one) => ({
            value: one,
            text: hengfa.named('rules', one),
            title: hengfa.named('rulesNotes', one),
            href: hengfa.changed({ rules: one === hengfa.site.rules[0] ? null : one }),
          })),
          rules,
        );

  /** The switch that adds the figures of papers. */
  hengfa.publishedSwitch = (on) =>
    hengfa.site.published.length === 0
      ? null
      : make(
          'label.switch',
          {},
          make('input', {
            type: 'checkbox',
            id: 'published',
            checked: on,
            role: 'switch',
            on: { change: () => hengfa.go(hengfa.changed({ published: on ? null : '1' })) },
          }),
          word('showPublished'),
        );

  /** A field with its label. */
  hengfa.field = (label, input) => make('label.field', {}, make('span.label', {}, label), input);

  /**
   * A list to choose from.
   * @param {{id?: string, options: {value: string, text: string}[], now: string,
   *   change: (value: string) => void, label?: string}} given
   */
  hengfa.select = ({ id, options, now, change, label }) =>
    make(
      'select',
      { id, 'aria-label': label, on: { change: (event) => change(event.target.value) } },
      options.map(({ value, text }) => make('option', { value, selected: value === now }, text)),
    );

  /** Run choices of a list to choose from. */
  hengfa.runOptions = (runs) =>
    runs.map((run) => ({
      value: String(run.number),
      text: hengfa.runTitle(run),
    }));

  /** A section with a heading. */
  hengfa.section = (title, ...children) => make('section', {}, make('h2', {}, title), ...children);

  /** The head of a page. */
  hengfa.pageHead = (over, title, ...more) =>
    make(
      'header.page-head',
      {},
      over && make('p.over', {}, over),
      make('h1', { tabindex: -1 }, title),
      ...more,
    );

  hengfa.notice = (text, kind = '') => make('p.notice', { class: `notice ${kind}`.trim() }, text);

  /** Tells the reader something that is not on the page, also by voice. */
  let timer = 0;
  hengfa.tell = (text) => {
    const node = document.getElementById('said');
    hengfa.fill(node, text);
    clearTimeout(timer);
    timer = setTimeout(() => hengfa.fill(node), 2500);
  };
})();
