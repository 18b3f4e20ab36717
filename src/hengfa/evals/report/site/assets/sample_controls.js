'use strict';
// What the list of samples is chosen with: the task, words to search, filters.
(() => {
  const { make, word } = hengfa;
  const TYPING = 300; // milliseconds after the last key before a search begins

  /** A list of all tasks of the site. */
  hengfa.taskChooser = (task, query) => {
    const select = make('select', {
      id: 'task',
      on: {
        change: (event) => {
          const chosen = hengfa.site.tasks.find((one) => String(one.number) === event.target.value);
          const same = chosen.suite === task.suite && chosen.setting === task.setting;
          hengfa.go(
            hengfa.links.samples(chosen, {
              runs: same ? query.get('runs') : null,
              q: query.get('q'),
              rules: query.get('rules'),
            }),
          );
        },
      },
    });
    for (const board of hengfa.boards.filter((one) => one.tasks.length)) {
      select.append(
        make(
          'optgroup',
          { label: hengfa.boardTitle(board) },
          board.tasks.map((one) =>
            make(
              'option',
              {
                value: one.number,
                selected: one === task,
              },
              hengfa.taskTitle(one),
            ),
          ),
        ),
      );
    }
    return hengfa.field(word('task'), select);
  };

  /** Fields for the filters; `state.query` holds them, `refresh` is told of a change. */
  hengfa.filterFields = (task, rules, tables, state, refresh) => {
    const set = (name) => (value) => {
      state.query.set(name, value);
      refresh();
    };
    const some = (group, values) => [
      { value: '', text: word('any') },
      ...[...new Set(values)]
        .filter(Boolean)
        .sort()
        .map((value) => ({ value, text: hengfa.named(group, value) })),
    ];
    const choose = (id, label, options) =>
      hengfa.field(
        label,
        hengfa.select({ id, options, now: state.query.get(id) ?? '', change: set(id) }),
      );
    const number = (id, label) =>
      make('input', {
        id,
        type: 'number',
        step: 'any',
        inputmode: 'decimal',
        placeholder: label,
        'aria-label': `${word('score')} ${label}`,
        value: state.query.get(id) ?? '',
        on: { input: (event) => set(id)(event.target.value) },
      });
    const facets = Object.entries(task.facets)
      .filter(([, kinds]) => kinds.length > 1)
      .map(([name, kinds]) =>
        choose(`facet.${name}`, hengfa.named('facets', name), [
          { value: '', text: word('any') },
          ...kinds.map((kind) => ({ value: kind, text: hengfa.named('kinds', kind) })),
        ]),
      );
    const differs =
      tables.length > 1 &&
      make(
        'label.switch',
        {},
        make('input', {
          type: 'checkbox',
          id: 'differ',
          checked: state.query.get('differ') === '1',
          on: { change: (event) => set('differ')(event.target.checked ? '1' : '') },
        }),
        word('onlyDiffering'),
      );
    return make(
      'div.controls.filters',
      {},
      choose(
        'status',
        word('status'),
        some(
          'statuses',
          tables.flatMap((scores) => scores.statuses),
        ),
      ),
      choose(
        'answer',
        word('answerStatus'),
        some(
          'answers',
          tables.flatMap((scores) => scores.answers[rules] ?? []),
        ),
      ),
      hengfa.field(
        word('score'),
        make('span.pair', {}, number('min', word('atLeast')), number('max', word('atMost'))),
      ),
      facets,
      differs,
    );
  };

  /** The field for words to search, and in what; `begin` is told of a change. */
  hengfa.searchField = (state, begin) => {
    let timer = 0;
    const input = make('input', {
      id: 'q',
      type: 'search',
      autocomplete: 'off',
      value: state.query.get('q') ?? '',
      placeholder: word('searchHint'),
      'aria-label': word('search'),
      on: {
        input: (event) => {
          clearTimeout(timer);
          timer = setTimeout(() => {
            state.query.set('q', event.target.value.trim());
            begin();
          }, TYPING);
        },
      },
    });
    const scope = hengfa.select({
      id: 'in',
      label: word('searchIn'),
      now: state.query.get('in') ?? '',
      options: [
        { value: '', text: word('inAll') },
        { value: 'chosen', text: word('inChosen') },
        { value: 'questions', text: word('inQuestions') },
      ],
      change: (value) => {
        state.query.set('in', value);
        begin();
      },
    });
    return make('div.search', { role: 'search' }, input, scope);
  };

  /** How many samples are shown, and how far a search is. Its parts stay, so that the button can
   * be pressed while the numbers change. */
  hengfa.progressLine = (stop) => {
    const parts = {
      count: make('span', { role: 'status', 'aria-live': 'polite' }),
      bar: make('progress', { max: 1, value: 0, 'aria-label': word('searching') }),
      done: make('span'),
    };
    parts.progress = make(
      'span.progress',
      { hidden: true },
      parts.bar,
      parts.done,
      make('button', { type: 'button', id: 'stop', on: { click: stop } }, word('stop')),
    );
    parts.node = make('div.told', {}, parts.count, parts.progress);
    return parts;
  };
})();
