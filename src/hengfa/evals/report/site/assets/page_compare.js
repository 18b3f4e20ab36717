'use strict';
// Comparing runs of a board: differences with intervals, and in words what the data supports.
(() => {
  const { make, word } = hengfa;
  const MOST_RUNS = 6;
  const { differences, verdictOf: verdict } = hengfa;

  // --- the table of a pair ---------------------------------------------------------------------

  function rowsOf(board, one, two, rules, pair) {
    const figures = board.suite.figures.map(({ name, title }) => ({
      name,
      title: hengfa.say(title) || name,
      a: hengfa.figureOf(one, rules, name),
      b: hengfa.figureOf(two, rules, name),
    }));
    const tasks = board.tasks.map((task) => ({
      name: task.id,
      title: hengfa.taskTitle(task),
      task,
      a: hengfa.cellOf(one, rules, task.id)?.score,
      b: hengfa.cellOf(two, rules, task.id)?.score,
    }));
    return [...figures, ...tasks]
      .filter((row) => row.a || row.b)
      .map((row) => ({
        ...row,
        found: pair?.[row.name] ?? null,
        plain: hengfa.isPlain(board, row.name),
      }));
  }

  function wordsOf(row, one, two) {
    if (!row.found) return word('notCompared');
    const state = verdict(row.found);
    if (state === 'open') return word('open', hengfa.score(row.found.smallest, row.plain));
    return word('supported', hengfa.runTitle(state === 'better' ? one : two));
  }

  function pairTable(rows, one, two, rules) {
    const found = rows
      .filter((row) => row.found && !row.plain)
      .flatMap(({ found: f }) => [f.value, f.low, f.high]);
    const most = Math.max(0.01, ...found.filter(hengfa.here).map(Math.abs));
    const own = (row) =>
      row.plain
        ? Math.max(
            ...[row.found.value, row.found.low, row.found.high].filter(hengfa.here).map(Math.abs),
          )
        : most;
    const score = (side) => (row) => hengfa.score(row[side]?.value, row.plain);
    const samples = (row) =>
      hengfa.links.samples(row.task, {
        runs: `${one.number},${two.number}`,
        differ: '1',
        rules: rules === hengfa.site.rules[0] ? null : rules,
      });
    const columns = [
      { id: 'what', head: word('figureOrTask'), kind: 'name', cell: (row) => row.title },
      {
        id: 'a',
        head: hengfa.runTitle(one),
        number: true,
        cell: score('a'),
        key: (row) => row.a?.value,
      },
      {
        id: 'b',
        head: hengfa.runTitle(two),
        number: true,
        cell: score('b'),
        key: (row) => row.b?.value,
      },
      {
        id: 'difference',
        head: word('difference'),
        number: true,
        key: (row) => row.found?.value,
        cell: (row) =>
          row.found
            ? [
                make('b.score', {}, hengfa.change(row.found.value, row.plain)),
                make(
                  'small.range',
                  {},
                  hengfa.signedInterval(row.found.low, row.found.high, row.plain),
                ),
              ]
            : '–',
      },
      {
        id: 'plot',
        head: `−${hengfa.score(most)} … +${hengfa.score(most)}`,
        kind: 'drawn',
        cell: (row) =>
          row.found
            ? hengfa.differencePlot(row.found, own(row), verdict(row.found), wordsOf(row, one, two))
            : '',
      },
      {
        id: 'p',
        head: 'p',
        title: word('pNote'),
        number: true,
        cell: (row) => hengfa.chance(row.found?.corrected),
        key: (row) => row.found?.corrected,
      },
      {
        id: 'wins',
        head: word('winsLosses'),
        title: word('winsNote'),
        number: true,
        key: (row) => row.found?.wins,
        cell: (row) =>
          hengfa.here(row.found?.wins) ? `${row.found.wins} : ${row.found.losses}` : '–',
      },
      {
        id: 'n',
        head: word('samples'),
        number: true,
        cell: (row) => hengfa.count(row.found?.n),
        key: (row) => row.found?.n,
      },
      {
        id: 'words',
        head: word('supportedHead'),
        kind: 'words',
        cell: (row) => [
          make(
            'span.verdict',
            { 'data-verdict': row.found ? verdict(row.found) : 'none' },
            wordsOf(row, one, two),
          ),
          row.task && make('a.where-differ', { href: samples(row) }, word('whereDiffer')),
        ],
      },
    ];
    return hengfa.table({
      columns,
      rows,
      caption: word('compareCaption'),
      remember: 'sort',
      kind: 'comparison',
      rowKind: (row) => (row.task ? null : 'figure'),
    });
  }

  function pairParts(board, one, two, rules, comparisons) {
    const pair = differences(comparisons, one, two);
    const lead = (line) => make('p.lead', {}, line);
    return [
      pair
        ? make('div.verdicts', {}, hengfa.say(hengfa.pairOf(comparisons, one, two).said).map(lead))
        : hengfa.notice(word('noPair')),
      pairTable(rowsOf(board, one, two, rules, pair), one, two, rules),
    ];
  }

  // --- many runs -------------------------------------------------------------------------------

  function matrix(board, runs, comparisons, shared) {
    const head = hengfa.headline(board);
    const plain = head && hengfa.isPlain(board, head.name);
    const ofPair = (one, two) => hengfa.pairOf(comparisons, one, two)?.rows[head?.name];
    const pairs = runs.flatMap((one, place) =>
      runs.slice(place + 1).map((two) => ofPair(one, two)),
    );
    const supported = hengfa.supportedTogether(pairs.filter(Boolean));
    const columns = [
      {
        id: 'model',
        head: word('rowLessColumn'),
        kind: 'name',
        cell: (run) => hengfa.alien(hengfa.runTitle(run)),
      },
      ...runs.map((other) => ({
        id: String(other.number),
        head: hengfa.runTitle(other),
        number: true,
        cell: (run) => {
          const found = run === other ? null : differences(comparisons, run, other)?.[head?.name];
          if (!found) return '·';
          const state = supported.has(ofPair(run, other)) ? verdict(found) : 'open';
          return make(
            'a.difference',
            {
              href: hengfa.links.compare([run.number, other.number], shared),
              'data-verdict': state,
              title: word(`${state}Short`),
            },
            hengfa.change(found.value, plain),
            make('small.range', {}, hengfa.signedInterval(found.low, found.high, plain)),
          );
        },
      })),
    ];
    return [
      make('p.note', {}, word('matrixNote', head ? hengfa.say(head.title) : '')),
      hengfa.table({ columns, rows: runs, caption: word('matrixCaption'), kind: 'comparison' }),
    ];
  }

  // --- choosing --------------------------------------------------------------------------------

  function chooser(board, runs, rules, shared) {
    const offered = hengfa.offered(board, rules);
    const go = (numbers) => hengfa.go(hengfa.links.compare(numbers, shared));
    const numbers = runs.map((run) => run.number);
    const boards = hengfa.boards.filter((one) => one.runs.length > 1);
    const boardSelect = hengfa.select({
      id: 'board',
      options: boards.map((one) => ({
        value: `${one.suite.name}/${one.setting}`,
        text: hengfa.boardTitle(one),
      })),
      now: `${board.suite.name}/${board.setting}`,
      change: (value) => {
        const chosen = boards.find((one) => `${one.suite.name}/${one.setting}` === value);
        go(
          hengfa
            .offered(chosen, rules)
            .slice(0, 2)
            .map((run) => run.number),
        );
      },
    });
    const chosen = runs.map((run, place) =>
      hengfa.field(
        word('nthModel', place + 1),
        make(
          'span.pair',
          {},
          hengfa.select({
            id: `run-${place}`,
            options: hengfa.runOptions(offered.filter((one) => one === run || !runs.includes(one))),
            now: String(run.number),
            change: (value) => go(numbers.with(place, Number(value))),
          }),
          runs.length > 2 &&
            make(
              'button',
              {
                type: 'button',
                'aria-label': word('remove', hengfa.runTitle(run)),
                on: { click: () => go(numbers.toSpliced(place, 1)) },
              },
              '×',
            ),
        ),
      ),
    );
    const rest = offered.filter((run) => !runs.includes(run));
    const add =
      rest.length > 0 &&
      runs.length < MOST_RUNS &&
      hengfa.field(
        word('addModel'),
        hengfa.select({
          id: 'add',
          options: [{ value: '', text: '…' }, ...hengfa.runOptions(rest)],
          now: '',
          change: (value) => value && go([...numbers, Number(value)]),
        }),
      );
    const swap =
      runs.length === 2 &&
      make(
        'button',
        { type: 'button', id: 'swap', on: { click: () => go([...numbers].reverse()) } },
        word('swap'),
      );
    return make(
      'div.controls',
      {},
      hengfa.field(word('suite'), boardSelect),
      chosen,
      add,
      swap,
      hengfa.rulesChoice(rules),
    );
  }

  hengfa.pages.compare = async ({ parts: [list], query }) => {
    const wanted = hengfa.runsFrom(list, MOST_RUNS);
    const board = wanted.length
      ? hengfa.boardOfRun(wanted[0])
      : hengfa.boards.find((one) => one.runs.length > 1);
    if (!board || board.runs.length < 2)
      return [hengfa.pageHead(null, word('compare')), hengfa.notice(word('needTwo'))];
    const rules = hengfa.rulesOf(query);
    const shared = { rules: query.get('rules') };
    const runs = wanted.filter((run) => hengfa.boardOfRun(run) === board);
    for (const run of hengfa.offered(board, rules)) {
      if (runs.length < 2 && !runs.includes(run)) runs.push(run);
    }
    const comparisons = await hengfa.load(`compare/${board.suite.name}/${board.setting}/${rules}`);
    return [
      hengfa.pageHead(hengfa.boardTitle(board), runs.map(hengfa.runTitle).join(word('versus'))),
      chooser(board, runs, rules, shared),
      runs.length > 2
        ? matrix(board, runs, comparisons, shared)
        : pairParts(board, runs[0], runs[1], rules, comparisons),
      make('p.note', {}, word('compareNote')),
    ];
  };
})();
