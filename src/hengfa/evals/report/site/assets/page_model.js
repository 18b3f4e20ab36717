'use strict';
// A model: each of its runs with figures, tasks, failures, cost and pictures.
(() => {
  const { make, word } = hengfa;

  const fact = (name, value) => make('div.fact', {}, make('dt', {}, name), make('dd', {}, value));

  function facts(run, rules) {
    const scores = hengfa.scoresOf(run, rules);
    const tokens = hengfa.here(run.input_tokens)
      ? `${hengfa.few(run.input_tokens)} / ${hengfa.few(run.output_tokens)}`
      : '–';
    return make(
      'dl.facts',
      {},
      fact(word('rank'), hengfa.rankText(scores)),
      fact(word('samples'), hengfa.count(run.samples)),
      fact(word('tokens'), tokens),
      fact(word('cost'), hengfa.money(run.cost, run.currency)),
      fact(word('duration'), hengfa.time(run.seconds)),
      fact(word('created'), run.created.slice(0, 10)),
      fact(word('run'), hengfa.alien(run.name)),
      run.trained && fact(word('trainedTag'), hengfa.trainedText(run)),
    );
  }

  function plotOf(figure, plain, marks, top = 1) {
    if (!figure) return '';
    return hengfa.scorePlot(figure, { top, marks, label: hengfa.scoreLabel(figure, plain) });
  }

  function figureTable(board, run, rules) {
    const rows = board.suite.figures.filter((figure) => hengfa.figureOf(run, rules, figure.name));
    if (!rows.length) return hengfa.notice(word('notWhole'));
    const found = (figure) => hengfa.figureOf(run, rules, figure.name);
    const columns = [
      {
        id: 'figure',
        head: word('figure'),
        kind: 'name',
        cell: (figure) => hengfa.say(figure.title) || figure.name,
      },
      {
        id: 'plot',
        head: '',
        kind: 'drawn',
        cell: (figure) => {
          const plain = hengfa.isPlain(board, figure.name);
          return plain ? '' : plotOf(found(figure), false, []);
        },
      },
      {
        id: 'score',
        head: word('score'),
        number: true,
        cell: (figure) => hengfa.scoreText(found(figure), hengfa.isPlain(board, figure.name)),
      },
    ];
    return hengfa.table({ columns, rows, caption: word('figuresCaption'), kind: 'board' });
  }

  function counts(group, found) {
    const entries = Object.entries(found ?? {}).filter(
      ([name]) => name !== 'answered' && name !== 'extracted',
    );
    if (!entries.length) return make('span.nothing', {}, '–');
    return entries
      .sort((a, b) => b[1] - a[1])
      .map(([name, count]) => make('span.count', {}, `${hengfa.named(group, name)} ${count}`));
  }

  function moreOf(metrics) {
    const entries = Object.entries(metrics);
    if (!entries.length) return make('span.nothing', {}, '–');
    return make(
      'details.counts',
      {},
      make('summary', {}, word('metricCount', entries.length)),
      entries.map(([name, value]) => make('span.count', {}, hengfa.metricText(name, value))),
    );
  }

  function taskTable(board, run, rules, query) {
    const cell = (task) => hengfa.cellOf(run, rules, task.id);
    const rows = board.tasks.filter((task) => cell(task));
    const has = (group) => rows.some((task) => Object.keys(cell(task)[group] ?? {}).length);
    const sampleLink = (task) =>
      hengfa.links.samples(task, { runs: run.number, rules: query.get('rules') });
    const columns = [
      {
        id: 'task',
        head: word('task'),
        kind: 'name',
        key: (task) => task.id,
        cell: (task) => make('a', { href: sampleLink(task) }, hengfa.taskTitle(task)),
      },
      {
        id: 'plot',
        head: word('floorToCeiling'),
        kind: 'drawn',
        cell: (task) => {
          const { score, floor, ceiling } = cell(task);
          return hengfa.isPlain(board, task.id) ? '' : plotOf(score, false, [floor, ceiling]);
        },
      },
      {
        id: 'score',
        head: word('score'),
        number: true,
        key: (task) => cell(task).score?.value,
        cell: (task) =>
          hengfa.bandText(run, rules, task.id) ??
          hengfa.scoreText(cell(task).score, hengfa.isPlain(board, task.id)),
      },
      { id: 'metric', head: word('metric'), cell: (task) => hengfa.named('metrics', task.metric) },
      {
        id: 'lenient',
        head: word('lenient'),
        title: word('lenientNote'),
        number: true,
        key: (task) => cell(task).lenient,
        cell: (task) => hengfa.score(cell(task).lenient, hengfa.isPlain(board, task.id)),
      },
      {
        id: 'abstention',
        head: word('abstention'),
        title: word('abstentionNote'),
        number: true,
        key: (task) => cell(task).abstention ?? 0,
        cell: (task) => hengfa.share(cell(task).abstention ?? 0),
      },
      {
        id: 'n',
        head: word('samples'),
        number: true,
        key: (task) => cell(task).n,
        cell: (task) => hengfa.count(cell(task).n),
      },
      {
        id: 'statuses',
        head: word('noAnswer'),
        cell: (task) => counts('statuses', cell(task).statuses),
      },
      {
        id: 'answers',
        head: word('notRead'),
        cell: (task) => counts('answers', cell(task).answers),
      },
      has('errors') && {
        id: 'errors',
        head: word('errors'),
        cell: (task) => counts('errors', cell(task).errors),
      },
      has('more') && {
        id: 'more',
        head: word('moreMetrics'),
        cell: (task) => moreOf(cell(task).more ?? {}),
      },
    ].filter(Boolean);
    return hengfa.table({ columns, rows, caption: word('byTask'), remember: `tasks${run.number}` });
  }

  function runSection(run, rules, query) {
    const board = hengfa.boardOfRun(run);
    const others = hengfa
      .offered(board, rules)
      .filter((one) => one !== run)
      .slice(0, 1);
    const shared = { rules: query.get('rules') };
    return make(
      'section',
      {},
      make(
        'div.section-head',
        {},
        make(
          'h2',
          {},
          make(
            'a',
            { href: hengfa.links.suite(run.suite, run.setting, shared) },
            hengfa.boardTitle(board),
          ),
        ),
        others.length > 0 &&
          make(
            'a.onward',
            { href: hengfa.links.compare([run.number, others[0].number], shared) },
            word('toCompare'),
          ),
      ),
      facts(run, rules),
      figureTable(board, run, rules),
      taskTable(board, run, rules, query),
      hengfa.picturesOf(hengfa.site.models[run.number], false),
    );
  }

  function printed(name) {
    const rows = hengfa.site.published.filter((row) => row.model === name || row.title === name);
    if (!rows.length) return null;
    return hengfa.section(
      word('published'),
      make(
        'ul.plain',
        {},
        rows.map((row) => {
          const board = hengfa.findBoard(row.suite, row.setting);
          const head = board && hengfa.headline(board);
          const value = head && row.figures[head.name];
          return make(
            'li',
            {},
            board ? hengfa.boardTitle(board) : row.suite,
            ' · ',
            hengfa.here(value)
              ? `${hengfa.say(head.title)} ${hengfa.score(value, hengfa.isPlain(board, head.name))}`
              : '–',
            make('small.soft', {}, ` ${row.source}`),
          );
        }),
      ),
    );
  }

  hengfa.pages.model = ({ parts: [name], query }) => {
    const runs = hengfa.site.runs.filter((run) => run.model === name);
    if (!runs.length) return hengfa.notFound(name ?? '');
    const rules = hengfa.rulesOf(query);
    return [
      hengfa.pageHead(
        word('model'),
        hengfa.alien(name),
        runs[0].builtin && make('p.lead', {}, hengfa.named('builtinNotes', name)),
      ),
      make('div.controls', {}, hengfa.rulesChoice(rules)),
      runs.map((run) => runSection(run, rules, query)),
      printed(name),
    ];
  };
})();
