'use strict';
// One sample: prompt and reference, and for up to four runs the response, what was read out of it
// and how it came to its score.
(() => {
  const { make, word } = hengfa;
  const FEW_METRICS = 6;
  const LONG = 300; // characters of an extracted answer that are shown unfolded

  // --- before and after ------------------------------------------------------------------------

  function order(task, samples, place) {
    const list = hengfa.view.list;
    if (list?.task === task && list.places.includes(place)) return list.places;
    return samples.ids.map((_id, at) => at);
  }

  function stepLink(task, samples, places, at, id, text) {
    const there = places[at];
    if (there === undefined) return make('span.step.off', { id }, text);
    return make(
      'a.step',
      {
        id,
        href: hengfa.links.sample(
          task,
          samples.ids[there],
          Object.fromEntries(hengfa.route().query),
        ),
      },
      text,
    );
  }

  function steps(task, samples, place) {
    const places = order(task, samples, place);
    const at = places.indexOf(place);
    const { query } = hengfa.route();
    const fresh = hengfa.links.samples(task, {
      runs: query.get('runs'),
      rules: query.get('rules'),
      q: query.get('q'),
    });
    const back = hengfa.view.list?.task === task ? hengfa.view.list.href : fresh;
    return make(
      'nav.steps',
      { 'aria-label': word('steps') },
      make('a.step', { href: back }, word('backToList')),
      stepLink(task, samples, places, at - 1, 'previous', word('previous')),
      make('span.soft', {}, `${at + 1} / ${places.length}`),
      stepLink(task, samples, places, at + 1, 'next', word('next')),
      make(
        'button.step',
        { type: 'button', id: 'copy', on: { click: copyLink } },
        word('copyLink'),
      ),
    );
  }

  async function copyLink() {
    try {
      await navigator.clipboard.writeText(location.href);
      hengfa.tell(word('copied'));
    } catch {
      hengfa.tell(location.href);
    }
  }

  document.addEventListener('keydown', (event) => {
    if (
      event.target.closest('input, select, textarea, .scroll, .text-box') ||
      event.altKey ||
      event.ctrlKey ||
      event.metaKey
    )
      return;
    const step = { ArrowLeft: 'previous', ArrowRight: 'next' }[event.key];
    if (step) document.querySelector(`a#${step}`)?.click();
  });

  // --- texts -----------------------------------------------------------------------------------

  const box = (label, ...inside) =>
    make('div.text-box', { role: 'region', 'aria-label': label, tabindex: 0 }, ...inside);

  function question(samples, place, words) {
    const part = (title, text) =>
      make(
        'div.question-part',
        {},
        make('h2', {}, title),
        box(title, hengfa.marked(text, hengfa.hitsOf(text, words))),
      );
    return make(
      'div.question',
      {},
      part(word('prompt'), samples.prompts[place]),
      part(word('reference'), samples.references[place]),
    );
  }

  function kinds(task, samples, place) {
    const known = Object.entries(samples.facets)
      .map(([name, column]) => [name, task.facets[name]?.[column[place]]])
      .filter(([, kind]) => kind !== undefined);
    return known.length === 0
      ? null
      : make(
          'p.kinds',
          {},
          known.map(([name, kind]) =>
            make(
              'span.count',
              {},
              `${hengfa.named('facets', name)}: ${hengfa.named('kinds', kind)}`,
            ),
          ),
        );
  }

  // --- a run -----------------------------------------------------------------------------------

  function states(scores, rules, place) {
    const status = scores?.statuses[place] ?? null;
    const answer = scores?.answers[rules]?.[place] ?? null;
    return [
      status &&
        make(
          'span.state',
          { 'data-status': status, title: hengfa.named('statusNotes', status) },
          hengfa.named('statuses', status),
        ),
      answer &&
        make(
          'span.state',
          { 'data-answer': answer, title: hengfa.named('answerNotes', answer) },
          hengfa.named('answers', answer),
        ),
    ];
  }

  function metricsOf(metrics) {
    const entries = Object.entries(metrics ?? {});
    if (entries.length < 2) return null;
    const texts = entries.map(([name, value]) =>
      make('span.count', {}, hengfa.metricText(name, value)),
    );
    if (entries.length <= FEW_METRICS) return make('p.metrics', {}, texts);
    return make(
      'details.metrics',
      {},
      make('summary', {}, word('metricCount', entries.length)),
      texts,
    );
  }

  /** A text that few want to read: folded, with its length. */
  function foldedText(kind, title, text) {
    const summary = make('summary', {}, word('withLength', title, hengfa.count(text.length)));
    return make(`details.${kind}`, {}, summary, box(title, hengfa.marked(text)));
  }

  function extractedParts(text) {
    const title = word('extracted');
    if (text.length > LONG) return foldedText('extracted', title, text);
    const inside = text === '' ? make('p.nothing', {}, word('nothingExtracted')) : null;
    return [make('h3', {}, title), inside ?? box(title, hengfa.marked(text))];
  }

  function responseText(text, trace, words) {
    if (text === '') return make('p.nothing', {}, word('emptyResponse'));
    const marks = [...hengfa.marksOf(text, trace), ...hengfa.hitsOf(text, words)];
    return box(word('response'), hengfa.marked(text, marks));
  }

  function responseParts(file, place, rules, words) {
    const reading = file.readings[rules];
    const trace = reading?.traces[place] ?? null;
    const thoughts = file.reasoning[place] ?? '';
    const node = make('div.response');
    hengfa.append(
      node,
      make('h3', {}, word('response')),
      responseText(file.responses[place] ?? '', trace, words),
      thoughts !== '' && foldedText('reasoning', word('reasoning'), thoughts),
      extractedParts(reading?.extracted[place] ?? ''),
      metricsOf(reading?.metrics[place]),
      trace && [make('h3', {}, word('trace')), hengfa.traceTable(trace, () => node)],
    );
    return node;
  }

  function column({ task, run, scores, file, place, rules, plain, words }) {
    const value = scores?.values[rules]?.[place] ?? null;
    const asked = (scores?.statuses[place] ?? null) !== null;
    return make(
      'article.column',
      { 'aria-label': hengfa.runTitle(run), 'data-run': run.number },
      make(
        'header',
        {},
        make(
          'h2',
          {},
          make('a', { href: hengfa.links.model(run.model) }, hengfa.alien(hengfa.runTitle(run))),
        ),
        make(
          'p.result',
          {},
          make('b.score', {}, hengfa.score(value, plain)),
          make('small.soft', {}, ` ${hengfa.named('metrics', task.metric)}`),
        ),
        make(
          'p.states',
          {},
          states(scores, rules, place),
          hengfa.here(file?.tokens[place]) &&
            make('small.soft', {}, word('tokenCount', hengfa.count(file.tokens[place]))),
        ),
      ),
      asked && file
        ? responseParts(file, place, rules, words)
        : make('p.nothing', {}, word('notAsked')),
    );
  }

  hengfa.pages.sample = async ({ parts: [suite, setting, taskId, id], query }) => {
    const task = hengfa.findTask(suite, setting, taskId);
    if (!task) return hengfa.notFound([suite, setting, taskId].join(' / '));
    const rules = hengfa.rulesOf(query);
    const runs = hengfa.chosenRuns(task, query, rules);
    const [samples, scores, ...files] = await Promise.all([
      hengfa.load(`tasks/${task.number}/samples`),
      hengfa.load(`tasks/${task.number}/scores`),
      ...runs.map((run) =>
        hengfa.cellOf(run, rules, task.id)
          ? hengfa.load(`tasks/${task.number}/runs/${run.number}`)
          : null,
      ),
    ]);
    const place = samples.ids.indexOf(id);
    if (place < 0) return hengfa.notFound(id ?? '');
    const board = hengfa.findBoard(suite, setting);
    const plain = hengfa.isPlain(board, task.id);
    const words = query.get('q') ?? '';
    return [
      hengfa.pageHead(
        `${hengfa.boardTitle(board)} · ${hengfa.taskTitle(task)}`,
        [word('sample'), ' ', hengfa.alien(id)],
        kinds(task, samples, place),
      ),
      steps(task, samples, place),
      make('div.controls', {}, hengfa.runPicker(task, runs, rules), hengfa.rulesChoice(rules)),
      question(samples, place, words),
      make(
        'div.columns',
        { 'data-count': runs.length },
        runs.map((run, at) =>
          column({
            task,
            run,
            scores: scores.runs[run.number],
            file: files[at],
            place,
            rules,
            plain,
            words,
          }),
        ),
      ),
    ];
  };
})();
