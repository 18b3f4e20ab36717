'use strict';
// A suite in a setting: its leaderboard, runs by tasks, kinds of samples, failures, pictures.
(() => {
  const { make, word } = hengfa;

  function settings(board, query) {
    const same = hengfa.boards.filter((one) => one.suite === board.suite);
    return same.length < 2
      ? null
      : hengfa.choice(
          word('setting'),
          same.map((one) => ({
            value: one.setting,
            text: hengfa.settingName(one.setting),
            href: hengfa.links.suite(one.suite.name, one.setting, {
              rules: query.get('rules'),
              published: query.get('published'),
            }),
          })),
          board.setting,
        );
  }

  // --- runs by tasks ---------------------------------------------------------------------------

  function heat(value, plain) {
    return plain || !hengfa.here(value)
      ? {}
      : { '--v': Math.max(0, Math.min(1, value)).toFixed(3) };
  }

  function taskCell(board, task, row, rules) {
    const figure = row.task(task.id);
    const plain = hengfa.isPlain(board, task.id);
    if (!figure) return '–';
    const cell = row.run && hengfa.cellOf(row.run, rules, task.id);
    const inside = hengfa.score(figure.value, plain);
    const title = [
      hengfa.taskTitle(task),
      hengfa.interval(figure.low, figure.high, plain),
      cell?.abstention ? `${word('abstention')} ${hengfa.share(cell.abstention)}` : '',
    ];
    const given = { title: title.filter(Boolean).join(' · '), style: heat(figure.value, plain) };
    if (!row.run) return make('span.heat', given, inside);
    const query = { runs: row.run.number, rules: hengfa.route().query.get('rules') };
    const mark = cell.abstention >= 0.1 ? make('sup.abstained', {}, '○') : null;
    return make('a.heat', { ...given, href: hengfa.links.samples(task, query) }, inside, mark);
  }

  function taskTable(board, rules, published) {
    const rows = hengfa.rowsOf(board, rules, published);
    const columns = [
      {
        id: 'model',
        head: word('model'),
        kind: 'name',
        cell: hengfa.rowName,
        key: (row) => row.title,
      },
      ...board.tasks.map((task) => ({
        id: task.id,
        head: task.id,
        title: `${hengfa.taskTitle(task)} · ${hengfa.named('metrics', task.metric)}`,
        number: true,
        cell: (row) => taskCell(board, task, row, rules),
        key: (row) => row.task(task.id)?.value,
      })),
    ];
    return hengfa.table({
      columns,
      rows,
      caption: word('tasksCaption'),
      rowKind: (row) => row.kind,
      remember: 'tasks',
      kind: board.tasks.length < 8 ? 'heatmap narrow' : 'heatmap',
    });
  }

  function taskKey(board) {
    return make(
      'details.task-key',
      {},
      make('summary', {}, word('taskKey')),
      make(
        'ol.plain',
        {},
        board.tasks.map((task) =>
          make(
            'li',
            {},
            make('a', { href: hengfa.links.samples(task) }, hengfa.taskTitle(task)),
            make(
              'small.soft',
              {},
              ` ${hengfa.named('metrics', task.metric)} · ${word('sampleCount', task.samples)}`,
            ),
          ),
        ),
      ),
    );
  }

  // --- kinds of samples ------------------------------------------------------------------------

  function kindTable(board, task, facet, rules) {
    const parts = (run) => hengfa.cellOf(run, rules, task.id)?.parts?.[facet] ?? {};
    const runs = hengfa.ordered(board, rules).filter((run) => Object.keys(parts(run)).length);
    const plain = hengfa.isPlain(board, task.id);
    const kinds = task.facets[facet].filter((kind) => runs.some((run) => parts(run)[kind]));
    const columns = [
      {
        id: 'model',
        head: word('model'),
        kind: 'name',
        key: (run) => run.model,
        cell: (run) =>
          make('a', { href: hengfa.links.model(run.model) }, hengfa.alien(hengfa.runTitle(run))),
      },
      ...kinds.map((kind) => ({
        id: kind,
        head: hengfa.named('kinds', kind),
        number: true,
        key: (run) => parts(run)[kind]?.value,
        cell: (run) => {
          const part = parts(run)[kind];
          if (!part) return '–';
          return make(
            'a.heat',
            {
              href: hengfa.links.samples(task, { runs: run.number, [`facet.${facet}`]: kind }),
              style: heat(part.value, plain),
              title: word('sampleCount', part.n),
            },
            hengfa.score(part.value, plain),
            make('small.n', {}, `n=${part.n}`),
          );
        },
      })),
    ];
    return hengfa.table({
      columns,
      rows: runs,
      caption: word('kindsCaption', hengfa.taskTitle(task), hengfa.named('facets', facet)),
      kind: 'heatmap narrow',
      rowKind: (run) => (run.builtin ? 'builtin' : 'run'),
      remember: 'kinds',
    });
  }

  function kinds(board, rules, query) {
    const offers = board.tasks.flatMap((task) =>
      Object.keys(task.facets)
        .filter((facet) =>
          board.runs.some((run) => hengfa.cellOf(run, rules, task.id)?.parts?.[facet]),
        )
        .map((facet) => ({ task, facet, value: `${task.id}/${facet}` })),
    );
    if (!offers.length) return null;
    const now = offers.find((one) => one.value === query.get('by')) ?? offers[0];
    const chooser = hengfa.select({
      id: 'by',
      options: offers.map(({ task, facet, value }) => ({
        value,
        text: `${hengfa.taskTitle(task)} · ${hengfa.named('facets', facet)}`,
      })),
      now: now.value,
      change: (value) => hengfa.go(hengfa.changed({ by: value, kinds: null })),
    });
    return hengfa.section(
      word('kinds'),
      make('p.note', {}, word('kindsNote')),
      make('div.controls', {}, hengfa.field(word('kindsBy'), chooser)),
      kindTable(board, now.task, now.facet, rules),
    );
  }

  // --- what became of the questions ------------------------------------------------------------

  function ledgerRow(board, run, rules) {
    const sums = { statuses: {}, answers: {}, errors: {} };
    for (const task of board.tasks) {
      const cell = hengfa.cellOf(run, rules, task.id) ?? {};
      for (const group of Object.keys(sums)) {
        for (const [name, count] of Object.entries(cell[group] ?? {})) {
          sums[group][name] = (sums[group][name] ?? 0) + count;
        }
      }
    }
    return { run, ...sums };
  }

  const SAMPLE_FILTERS = { statuses: 'status', answers: 'answer' };

  function ledgerTable(board, rows, group, caption) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row[group])))];
    const order = Object.keys(hengfa.words.en.names[group] ?? {});
    names.sort((a, b) => (order.indexOf(a) + 1 || 99) - (order.indexOf(b) + 1 || 99));
    if (!names.length) return null;
    const filter = SAMPLE_FILTERS[group];
    const first = board.tasks[0];
    const columns = [
      {
        id: 'model',
        head: word('model'),
        kind: 'name',
        key: ({ run }) => run.model,
        cell: ({ run }) =>
          make('a', { href: hengfa.links.model(run.model) }, hengfa.alien(hengfa.runTitle(run))),
      },
      ...names.map((name) => ({
        id: name,
        head: hengfa.named(group, name),
        title: name,
        number: true,
        key: (row) => row[group][name] ?? 0,
        cell: (row) => {
          const count = row[group][name] ?? 0;
          if (!count) return make('span.nothing', {}, '0');
          if (!filter || board.tasks.length > 1) return hengfa.count(count);
          return make(
            'a',
            { href: hengfa.links.samples(first, { runs: row.run.number, [filter]: name }) },
            hengfa.count(count),
          );
        },
      })),
    ];
    return [
      make('h3', {}, caption),
      hengfa.table({
        columns,
        rows,
        caption,
        remember: group,
        kind: 'narrow',
        rowKind: ({ run }) => (run.builtin ? 'builtin' : 'run'),
      }),
    ];
  }

  function ledger(board, rules) {
    const rows = hengfa.ordered(board, rules).map((run) => ledgerRow(board, run, rules));
    return hengfa.section(
      word('ledger'),
      make('p.note', {}, word('ledgerNote')),
      ledgerTable(board, rows, 'statuses', word('statusesCaption')),
      ledgerTable(board, rows, 'answers', word('answersCaption')),
      ledgerTable(board, rows, 'errors', word('errorsCaption')),
    );
  }

  hengfa.pages.suite = ({ parts: [name, setting], query }) => {
    const board = hengfa.findBoard(name, setting);
    if (!board) return hengfa.notFound(name);
    const rules = hengfa.rulesOf(query);
    const published = query.get('published') === '1';
    const pictures = board.suite.pictures[`${board.setting}/${rules}`];
    const chosen = hengfa
      .offered(board, rules)
      .slice(0, 2)
      .map((run) => run.number);
    return [
      hengfa.pageHead(word('suite'), [hengfa.boardTitle(board), hengfa.sampleTag(board)]),
      make(
        'div.controls',
        {},
        settings(board, query),
        hengfa.rulesChoice(rules),
        hengfa.publishedSwitch(published),
        chosen.length > 1 &&
          make(
            'a.onward',
            { href: hengfa.links.compare(chosen, { rules: query.get('rules') }) },
            word('toCompare'),
          ),
      ),
      make('p.note', {}, hengfa.named('rulesNotes', rules)),
      hengfa.section(
        word('leaderboard'),
        make('p.key', {}, word('plotKey')),
        hengfa.leaderboard(board, { rules, published, all: true, remember: 'sort', most: 20 }),
      ),
      hengfa.section(
        word('byTask'),
        make('p.note', {}, word('byTaskNote')),
        taskTable(board, rules, published),
        taskKey(board),
      ),
      hengfa.picturesOf(pictures, published),
      kinds(board, rules, query),
      ledger(board, rules),
    ];
  };
})();
