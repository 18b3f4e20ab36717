'use strict';
// Which runs stand side by side on the pages of samples.
(() => {
  const { make, word } = hengfa;

  /** How many runs can stand side by side. */
  hengfa.MOST_BESIDE = 4;

  /** The runs of an address, or the first two that were asked this task. */
  hengfa.chosenRuns = (task, query, rules) => {
    const board = hengfa.findBoard(task.suite, task.setting);
    const wanted = hengfa.runsFrom(query.get('runs')).filter((run) => board.runs.includes(run));
    const asked = hengfa.offered(board, rules).filter((run) => hengfa.cellOf(run, rules, task.id));
    return (wanted.length ? wanted : asked.slice(0, 2)).slice(0, hengfa.MOST_BESIDE);
  };

  /** Which runs stand side by side: each can be taken away, others added. */
  hengfa.runPicker = (task, runs, rules) => {
    const board = hengfa.findBoard(task.suite, task.setting);
    const rest = hengfa
      .offered(board, rules)
      .filter((run) => !runs.includes(run) && hengfa.cellOf(run, rules, task.id));
    const set = (some) =>
      hengfa.go(hengfa.changed({ runs: some.map((run) => run.number).join(',') }));
    return make(
      'div.runs',
      { role: 'group', 'aria-label': word('sideBySide') },
      make('span.label', {}, word('sideBySide')),
      runs.map((run) =>
        make(
          'span.chip',
          {},
          hengfa.alien(hengfa.runTitle(run)),
          runs.length > 1 &&
            make(
              'button',
              {
                type: 'button',
                'aria-label': word('remove', hengfa.runTitle(run)),
                on: { click: () => set(runs.filter((one) => one !== run)) },
              },
              '×',
            ),
        ),
      ),
      rest.length > 0 &&
        runs.length < hengfa.MOST_BESIDE &&
        hengfa.select({
          id: 'add-run',
          label: word('addModel'),
          now: '',
          options: [{ value: '', text: word('addModel') }, ...hengfa.runOptions(rest)],
          change: (value) => value && set([...runs, hengfa.runs.get(Number(value))]),
        }),
    );
  };
})();
