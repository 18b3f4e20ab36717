'use strict';
// A leaderboard: runs, the built-in models as rulers, and rows of papers, by the headline figure.
(() => {
  const { make, word } = hengfa;

  /** @typedef {{kind: string, title: string, run?: object, row?: object,
   *   scores: object|null, value: (name: string) => (object|null)}} Row */

  function ownRow(run, rules) {
    return {
      kind: run.builtin ? 'builtin' : 'run',
      title: hengfa.runTitle(run),
      run,
      scores: hengfa.scoresOf(run, rules),
      value: (name) => hengfa.figureOf(run, rules, name),
      task: (id) => hengfa.cellOf(run, rules, id)?.score ?? null,
    };
  }

  function printedRow(row) {
    const figure = (value, computed) => (hengfa.here(value) ? { value, computed } : null);
    return {
      kind: 'published',
      title: row.title,
      row,
      scores: null,
      value: (name) => figure(row.figures[name], row.computed?.includes(name)),
      task: (id) => figure(row.tasks[id]),
    };
  }

  /** All rows of a board from best to worst. */
  hengfa.rowsOf = (board, rules, published) => {
    const rows = hengfa.ordered(board, rules).map((run) => ownRow(run, rules));
    if (published) rows.push(...board.published.map(printedRow));
    const name = hengfa.headline(board)?.name;
    const value = (row) => row.value(name)?.value ?? -Infinity;
    return rows
      .map((row, place) => [row, place])
      .sort(([a, i], [b, j]) => (value(b) === value(a) ? i - j : value(b) - value(a)))
      .map(([row]) => row);
  };

  /** The name of a row, with what sets it apart from others. */
  hengfa.rowName = (row) => {
    if (row.kind === 'published') {
      return [
        hengfa.alien(row.title),
        make('span.tag', { title: row.row.source }, word('published')),
      ];
    }
    const link = make('a', { href: hengfa.links.model(row.run.model) }, hengfa.alien(row.title));
    const tags = [];
    if (row.run.builtin) {
      tags.push(
        make(
          'span.tag',
          { title: hengfa.named('builtinNotes', row.run.model) },
          hengfa.named('builtin', row.run.model),
        ),
      );
    }
    if (row.run.sample && !hengfa.isSample(hengfa.boardOfRun(row.run)))
      tags.push(make('span.tag', { title: word('sampleNote') }, word('sampleTag')));
    if (row.run.trained)
      tags.push(make('span.tag', { title: hengfa.trainedText(row.run) }, word('trainedTag')));
    return [link, tags];
  };

  /** A score and its interval in two lines of text. */
  hengfa.scoreText = (figure, plain) => {
    if (!figure) return '–';
    const range = hengfa.interval(figure.low, figure.high, plain);
    return [
      make('b.score', {}, hengfa.score(figure.value, plain)),
      figure.computed && make('small.range', { title: word('computedNote') }, word('computed')),
      range && make('small.range', {}, range),
    ];
  };

  /** A rank and its range in two lines of text. */
  hengfa.rankText = (scores) => {
    if (!hengfa.here(scores?.rank)) return '–';
    const range = hengfa.rankRange(scores);
    return [String(scores.rank), range && make('small.range', {}, range)];
  };

  /** What a drawing says to those who cannot see it. */
  hengfa.scoreLabel = (figure, plain) => {
    const range = hengfa.interval(figure.low, figure.high, plain);
    return hengfa.score(figure.value, plain) + (range ? word('between', range) : '');
  };

  const rowKind = (row) => row.kind;

  /** The largest value on the scale of a drawing. */
  hengfa.topOf = (board, name, rows) => {
    if (!hengfa.isPlain(board, name)) return 1;
    return Math.max(...rows.map((row) => row.value(name)?.high ?? row.value(name)?.value ?? 0));
  };

  function limits(board, rules, name) {
    return board.runs
      .filter((run) => ['floor', 'ceiling'].includes(run.model) && run.builtin)
      .map((run) => hengfa.figureOf(run, rules, name)?.value);
  }

  function plotColumn(board, rules, figure, rows) {
    const plain = hengfa.isPlain(board, figure.name);
    const given = {
      top: hengfa.topOf(board, figure.name, rows),
      marks: limits(board, rules, figure.name),
    };
    return {
      id: 'plot',
      head: plain ? '' : '0 – 100',
      kind: 'drawn',
      cell: (row) => {
        const found = row.value(figure.name);
        if (!found)
          return row.run ? make('small.soft', {}, doneText(board, row.run, rules, figure)) : '';
        return hengfa.scorePlot(found, {
          ...given,
          kind: row.kind,
          label: hengfa.scoreLabel(found, plain),
        });
      },
    };
  }

  function doneText(board, run, rules, figure) {
    const band = hengfa.bandText(run, rules, figure.name);
    if (band) return band;
    const done = hengfa.tasksDone(run, rules);
    return done < board.tasks.length
      ? word('someTasks', done, board.tasks.length)
      : word('notWhole');
  }

  function figureColumn(board, figure) {
    const plain = hengfa.isPlain(board, figure.name);
    return {
      id: figure.name,
      head: hengfa.say(figure.title) || figure.name,
      number: true,
      cell: (row) => hengfa.scoreText(row.value(figure.name), plain),
      key: (row) => row.value(figure.name)?.value,
    };
  }

  const runColumn = (id, show, key, title) => ({
    id,
    head: word(id),
    title,
    number: true,
    cell: (row) => (row.run ? show(row.run) : '–'),
    key: (row) => (row.run ? key(row.run) : null),
  });

  /**
   * The leaderboard.
   * @param {Board} board
   * @param {{rules: string, published: boolean, most?: number, all?: boolean,
   *   remember?: string}} given `most`: how many rows before the rest is folded; `all`: every
   *   figure of the suite, not only the headline and the abilities
   */
  hengfa.leaderboard = (board, { rules, published, most = Infinity, all = false, remember }) => {
    const rows = hengfa.rowsOf(board, rules, published);
    const head = hengfa.headline(board);
    const figures = board.suite.figures.filter(
      (figure) => all || figure === head || figure.ability,
    );
    const used = figures.filter((figure) => rows.some((row) => row.value(figure.name)));
    const has = (name) => board.runs.some((run) => hengfa.here(run[name]));
    const columns = [
      {
        id: 'rank',
        head: word('rank'),
        title: word('rankNote'),
        kind: 'rank',
        cell: (row) => hengfa.rankText(row.scores),
        key: (row) => row.scores?.rank,
      },
      {
        id: 'model',
        head: word('model'),
        kind: 'name',
        cell: hengfa.rowName,
        key: (row) => row.title,
      },
      head && plotColumn(board, rules, head, rows),
      ...(head ? [head, ...used.filter((one) => one !== head)] : used).map((figure) =>
        figureColumn(board, figure),
      ),
      runColumn(
        'samples',
        (run) => hengfa.count(run.samples),
        (run) => run.samples,
      ),
      has('output_tokens') &&
        runColumn(
          'outputTokens',
          (run) => hengfa.few(run.output_tokens),
          (run) => run.output_tokens,
          word('outputTokensNote'),
        ),
      has('cost') &&
        runColumn(
          'cost',
          (run) => hengfa.money(run.cost, run.currency),
          (run) => run.cost,
        ),
    ].filter(Boolean);
    return folded(rows, most, (shown) =>
      hengfa.table({
        columns,
        rows: shown,
        caption: word('boardCaption', hengfa.boardTitle(board), hengfa.named('rules', rules)),
        rowKind,
        remember,
        kind: 'board',
      }),
    );
  };

  // The first runs, the first rows of papers, and always the built-in models; a button shows all.
  function folded(rows, most, draw) {
    const first = (kind) => rows.filter((row) => row.kind === kind).slice(0, most);
    const shown = new Set([...first('run'), ...first('published')]);
    const few = rows.filter((row) => row.kind === 'builtin' || shown.has(row));
    if (rows.length <= few.length + 3) return draw(rows);
    const box = make('div', {}, draw(few));
    const unfold = { type: 'button', on: { click: () => hengfa.fill(box, draw(rows)) } };
    box.append(make('button.more', unfold, word('showAll', rows.length)));
    return box;
  }
})();
