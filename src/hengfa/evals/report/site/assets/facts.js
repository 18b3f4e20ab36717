'use strict';
// Looking things up in the file `site`: boards, tasks, runs, headline figures, units.
(() => {
  const BUILTIN_ORDER = { ceiling: 0, retrieval: 1, floor: 2 };
  const MORE_THAN_A_FRACTION = 1.0001;

  /** @typedef {{suite: object, setting: string, runs: object[], tasks: object[],
   *   published: object[]}} Board the runs of a suite in a setting */

  /** Indexes the site once it is loaded. */
  hengfa.index = (site) => {
    hengfa.site = site;
    hengfa.runs = new Map(site.runs.map((run) => [run.number, run]));
    hengfa.tasks = new Map(site.tasks.map((task) => [keyOf(task), task]));
    hengfa.boards = site.suites
      .flatMap((suite) => suite.settings.map((setting) => boardOf(site, suite, setting)))
      .filter((board) => board.runs.length || board.published.length);
  };

  const keyOf = ({ suite, setting, id }) => JSON.stringify([suite, setting, id]);

  function boardOf(site, suite, setting) {
    const mine = (one) => one.suite === suite.name && one.setting === setting;
    return {
      suite,
      setting,
      runs: site.runs.filter(mine),
      tasks: site.tasks.filter(mine),
      published: site.published.filter(mine),
      units: new Map(),
    };
  }

  hengfa.findBoard = (suite, setting) =>
    hengfa.boards.find(
      (board) => board.suite.name === suite && (!setting || board.setting === setting),
    );
  hengfa.boardOfRun = (run) => hengfa.findBoard(run.suite, run.setting);
  hengfa.findTask = (suite, setting, id) => hengfa.tasks.get(keyOf({ suite, setting, id }));

  /**
   * The figure by which a board is ordered: the headline of its suite, else the first. Where no
   * run has it, because tasks are missing, the first that some run has.
   */
  hengfa.headline = (board) => {
    const { figures, headline = 'overall' } = board.suite;
    const first = figures.find((figure) => figure.name === headline) ?? figures[0] ?? null;
    const has = ({ name }) =>
      board.runs.some((run) => Object.values(run.scores).some((scores) => scores.figures[name]));
    return [first, ...figures].find((figure) => figure && has(figure)) ?? first;
  };

  const scoresOf = (run, rules) => run.scores[rules] ?? null;
  hengfa.scoresOf = scoresOf;
  hengfa.figureOf = (run, rules, name) => scoresOf(run, rules)?.figures[name] ?? null;
  hengfa.cellOf = (run, rules, task) => scoresOf(run, rules)?.cells[task] ?? null;

  /** What a figure or task lies between that a grader left something open of; else null. */
  hengfa.bandText = (run, rules, name) => {
    const band = run && scoresOf(run, rules)?.bands?.[name];
    if (!band) return null;
    return hengfa.word(
      'ungraded',
      hengfa.interval(band.low, band.high),
      hengfa.share(band.ungraded),
    );
  };

  function largest(board, name) {
    const values = board.runs.flatMap((run) =>
      Object.values(run.scores).flatMap((scores) => [
        scores.figures[name]?.value,
        scores.cells[name]?.score?.value,
      ]),
    );
    const printed = board.published.flatMap((row) => [row.figures[name], row.tasks[name]]);
    return Math.max(0, ...[...values, ...printed].filter(hengfa.here).map(Math.abs));
  }

  /** Whether a figure or task of a board is no fraction, such as a number of tokens. */
  hengfa.isPlain = (board, name) => {
    if (!board.units.has(name)) board.units.set(name, largest(board, name) > MORE_THAN_A_FRACTION);
    return board.units.get(name);
  };

  /** A metric of a sample or task; what is more than a fraction is shown as it is. */
  hengfa.metricText = (name, value) =>
    `${hengfa.named('metrics', name)} ${hengfa.score(value, Math.abs(value) > MORE_THAN_A_FRACTION)}`;

  /** Whether all runs of a board are of the sample pack. */
  hengfa.isSample = (board) => board.runs.length > 0 && board.runs.every((run) => run.sample);
  hengfa.sampleTag = (board) =>
    hengfa.isSample(board)
      ? hengfa.make('span.tag', { title: hengfa.word('sampleNote') }, hengfa.word('sampleTag'))
      : null;

  /** How many tasks of its board a run has a score for. */
  hengfa.tasksDone = (run, rules) =>
    Object.values(scoresOf(run, rules)?.cells ?? {}).filter((cell) => cell.score).length;

  const headlineValue = (run, rules, name) => hengfa.figureOf(run, rules, name)?.value ?? -Infinity;

  /** Runs from best to worst by the headline figure. */
  hengfa.ordered = (board, rules) => {
    const name = hengfa.headline(board)?.name;
    return [...board.runs].sort(
      (a, b) =>
        headlineValue(b, rules, name) - headlineValue(a, rules, name) ||
        hengfa.tasksDone(b, rules) - hengfa.tasksDone(a, rules) ||
        a.number - b.number,
    );
  };

  /** Runs for a choice: the reader's models first, then the built-in ones. */
  hengfa.offered = (board, rules) =>
    hengfa
      .ordered(board, rules)
      .sort(
        (a, b) =>
          Number(Boolean(a.builtin)) - Number(Boolean(b.builtin)) ||
          (a.builtin ? (BUILTIN_ORDER[a.model] ?? 9) - (BUILTIN_ORDER[b.model] ?? 9) : 0),
      );

  /** The name of a run where it stands beside others of its board. */
  hengfa.runTitle = (run) => {
    const same = hengfa.boardOfRun(run).runs.filter((one) => one.model === run.model);
    const title = same.length > 1 ? `${run.model} · ${run.name}` : run.model;
    return run.trained ? `${title} ‡` : title;
  };

  /** That a model was trained on the questions of a run; nothing where nobody says so. */
  hengfa.trainedText = (run) =>
    run.trained ? hengfa.word('trainedNote', ...run.trained.map(hengfa.count)) : null;

  hengfa.settingName = (setting) => hengfa.named('settings', setting);
  hengfa.boardTitle = (board) =>
    `${hengfa.say(board.suite.title)} · ${hengfa.settingName(board.setting)}`;
  hengfa.taskTitle = (task) => {
    const title = hengfa.say(task.title);
    return title && title !== task.id ? `${task.id} ${title}` : task.id;
  };

  /** Run numbers of an address, those that exist, each once. */
  hengfa.runsFrom = (text, most = Infinity) => {
    const numbers = [...new Set((text ?? '').split(',').filter(Boolean).map(Number))];
    return numbers
      .map((number) => hengfa.runs.get(number))
      .filter(Boolean)
      .slice(0, most);
  };
})();
