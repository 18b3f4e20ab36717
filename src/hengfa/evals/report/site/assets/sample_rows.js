'use strict';
// A row of the list of samples: its id, the beginning of its prompt, the scores side by side.
(() => {
  const { make, word } = hengfa;
  const EXCERPT = 150;
  const FEW_PLACES = 3;
  // The last mark that ends a sentence or line: the "。" of "问题。第 ", none in "第 ".
  const LAST_SENTENCE = /[。！？：\n](?=[^。！？：\n]*$)/;

  /** How long the sentences are that all prompts begin with: they tell nothing of a sample. */
  hengfa.sharedStart = (prompts) => {
    const first = prompts[0] ?? '';
    let same = first.length;
    for (const prompt of prompts.slice(1, 60)) {
      let at = 0;
      while (at < same && prompt[at] === first[at]) at += 1;
      same = at;
    }
    if (prompts.length < 2) return 0;
    const before = first.slice(0, same).search(LAST_SENTENCE);
    return before < 0 ? 0 : before + 1;
  };

  function excerpt(text, skip, words) {
    const hit = words ? text.toLowerCase().indexOf(words.toLowerCase()) : -1;
    const from = hit >= 0 ? Math.max(0, hit - 30) : skip < text.length ? skip : 0;
    return text
      .slice(from, from + EXCERPT)
      .replace(/\s+/g, ' ')
      .trim();
  }

  const whereName = (where) =>
    where === 'prompt' || where === 'reference'
      ? word(where)
      : (hengfa.runs.get(Number(where))?.model ?? where);

  function scoreOf(scores, rules, place, plain) {
    const value = scores?.values[rules]?.[place] ?? null;
    const status = scores?.statuses[place] ?? null;
    if (status === null) return make('span.mini.unasked', { title: word('notAsked') }, '');
    if (status !== 'answered')
      return make('span.mini.failed', {}, hengfa.named('statuses', status));
    const style =
      plain || value === null ? {} : { '--v': Math.max(0, Math.min(1, value)).toFixed(3) };
    return make(
      'span.mini',
      { style },
      value === null
        ? hengfa.named('answers', scores.answers[rules]?.[place] ?? '–')
        : hengfa.score(value, plain),
    );
  }

  /** Run numbers to open a sample with: those side by side, and one in which words were found. */
  function opened(runs, where) {
    const numbers = runs.map((run) => String(run.number));
    const found = where.find((one) => /^\d+$/.test(one) && !numbers.includes(one));
    return found && numbers.length < hengfa.MOST_BESIDE ? [...numbers, found] : numbers;
  }

  function foundText(where) {
    const names = where.slice(0, FEW_PLACES).map(whereName).join(word('comma'));
    return make('span.where', {}, word('foundIn', names, where.length));
  }

  /**
   * The row of a sample, a link to it.
   * @param {{task: object, samples: object, scores: object, runs: object[], rules: string,
   *   plain: boolean, skip: number}} shown what the list is of
   * @param {number} place
   * @param {string[]} where in what the words of a search were found
   * @param {{q: string, rules: string}} query what the page of the sample must know
   */
  hengfa.sampleRow = (shown, place, where, query) => {
    const { task, samples, scores, runs, rules, plain, skip } = shown;
    const href = hengfa.links.sample(task, samples.ids[place], {
      ...query,
      runs: opened(runs, where).join(','),
    });
    const text = excerpt(samples.prompts[place], skip, where.includes('prompt') ? query.q : '');
    return make(
      'a.sample-link',
      { href },
      make('span.sample-id', {}, hengfa.alien(samples.ids[place])),
      make('span.sample-text', {}, where.length > 0 && foundText(where), hengfa.alien(text)),
      make(
        'span.minis',
        {},
        runs.map((run) => scoreOf(scores.runs[run.number], rules, place, plain)),
      ),
    );
  };

  /** The head of the list: whose the scores are. */
  hengfa.sampleRowsHead = (runs) =>
    make(
      'div.list-head',
      { 'aria-hidden': 'true' },
      make('span', {}, word('sample')),
      make('span'),
      make(
        'span.minis',
        {},
        runs.map((run) => {
          const title = hengfa.runTitle(run);
          return make('span.mini-head', { title }, hengfa.alien(title));
        }),
      ),
    );
})();
