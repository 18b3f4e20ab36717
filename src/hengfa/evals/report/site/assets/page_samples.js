'use strict';
// The sample browser: search, filters, and a list with the scores of up to four runs side by side.
(() => {
  const { make, word } = hengfa;
  const NOTED = ['q', 'in', 'status', 'answer', 'min', 'max', 'differ']; // kept in the address

  function searched(state, task, runs, rules) {
    const scope = state.query.get('in') ?? '';
    if (scope === 'questions') return [];
    if (scope === 'chosen') return runs;
    const board = hengfa.findBoard(task.suite, task.setting);
    const others = hengfa
      .offered(board, rules)
      .filter((run) => !runs.includes(run) && hengfa.cellOf(run, rules, task.id));
    return [...runs, ...others];
  }

  hengfa.pages.samples = async ({ parts, query }) => {
    const task = parts.length ? hengfa.findTask(...parts) : hengfa.site.tasks[0];
    if (!task) return hengfa.notFound(parts.join(' / '));
    const [samples, scores] = await Promise.all([
      hengfa.load(`tasks/${task.number}/samples`),
      hengfa.load(`tasks/${task.number}/scores`),
    ]);
    const rules = hengfa.rulesOf(query);
    const board = hengfa.findBoard(task.suite, task.setting);
    const plain = hengfa.isPlain(board, task.id);
    const runs = hengfa.chosenRuns(task, query, rules);
    const tables = runs.map((run) => scores.runs[run.number]).filter(Boolean);
    const skip = hengfa.sharedStart(samples.prompts);
    const shown = { task, samples, scores, runs, rules, plain, skip };
    const state = { query: new URLSearchParams(query), hits: null, token: 0 };
    let places = [];

    const told = hengfa.progressLine(() => cancel());
    const list = hengfa.longList(rowAt, word('sampleList'));

    function rowAt(at) {
      const given = { q: state.query.get('q'), rules: query.get('rules') };
      return hengfa.sampleRow(shown, places[at], state.hits?.get(places[at]) ?? [], given);
    }

    function draw() {
      places = hengfa.fitting(task, samples, tables, rules, hengfa.filtersOf(state.query, plain));
      if (state.hits) places = places.filter((place) => state.hits.has(place));
      hengfa.view.list = { task, places, href: location.hash };
      list.show(places.length);
      tellCount();
    }

    function refresh() {
      const facets = Object.keys(task.facets).map((name) => `facet.${name}`);
      const noted = [...NOTED, ...facets].map((name) => [name, state.query.get(name)]);
      hengfa.note(Object.fromEntries(noted));
      draw();
    }

    function tellCount(progress) {
      const count = word('shownOf', hengfa.count(places.length), hengfa.count(samples.ids.length));
      hengfa.fill(told.count, state.stopped ? `${count} ${word('searchStopped')}` : count);
      told.progress.hidden = !progress;
      if (!progress) return;
      told.bar.max = progress.all || 1;
      told.bar.value = progress.done;
      hengfa.fill(told.done, word('searchedRuns', progress.done, progress.all));
    }

    function cancel() {
      state.token += 1;
      state.stopped = true;
      tellCount();
    }

    async function begin() {
      if (!list.node.isConnected) return; // the reader went on
      state.token += 1;
      state.stopped = false;
      const mine = state.token;
      const words = state.query.get('q') ?? '';
      state.hits = null;
      if (!words) {
        refresh();
        return;
      }
      const among = searched(state, task, runs, rules);
      const stopped = () => mine !== state.token || !list.node.isConnected;
      state.hits = new Map();
      refresh();
      tellCount({ done: 0, all: among.length });
      try {
        const whole = await hengfa.search({
          task,
          samples,
          runs: among,
          words,
          stopped,
          found: (hits, done) => {
            state.hits = hits;
            draw();
            tellCount({ done, all: among.length });
          },
        });
        if (whole) tellCount();
      } catch (problem) {
        tellCount();
        hengfa.tell(problem.message);
      }
    }

    hengfa.afterShown(begin);
    return [
      hengfa.pageHead(
        hengfa.boardTitle(board),
        hengfa.taskTitle(task),
        make(
          'p.note',
          {},
          `${hengfa.named('metrics', task.metric)} · ${word('sampleCount', task.samples)}`,
        ),
        samples.ids.length < task.samples &&
          make('p.note.first', {}, word('onlyFirst', hengfa.count(samples.ids.length))),
      ),
      make('div.controls', {}, hengfa.taskChooser(task, query), hengfa.rulesChoice(rules)),
      hengfa.runPicker(task, runs, rules),
      hengfa.searchField(state, begin),
      hengfa.filterFields(task, rules, tables, state, refresh),
      told.node,
      hengfa.sampleRowsHead(runs),
      list.node,
    ];
  };
})();
