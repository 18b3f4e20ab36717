'use strict';
// Search in prompts, references and responses, in slices short enough that the page stays alive.
(() => {
  const SLICE = 8; // milliseconds of work before others get their turn

  /** Lets the browser draw and hear the reader. */
  hengfa.breathe = () =>
    window.scheduler?.yield
      ? window.scheduler.yield()
      : new Promise((resolve) => {
          setTimeout(resolve, 0);
        });

  /** Whether a text holds the words; letters in either case. */
  hengfa.finder = (words) => {
    const low = words.toLowerCase();
    if (low === words.toUpperCase()) return (text) => text.includes(words);
    return (text) => text.toLowerCase().includes(low);
  };

  /** Calls `see` for each place, with pauses; ends early, with false, once `stopped`. */
  async function each(count, see, stopped) {
    let until = performance.now() + SLICE;
    for (let place = 0; place < count; place += 1) {
      see(place);
      if (place % 16 === 15 && performance.now() > until) {
        await hengfa.breathe();
        if (stopped()) return false;
        until = performance.now() + SLICE;
      }
    }
    return !stopped();
  }

  /**
   * @param {{task: object, samples: object, runs: object[], words: string,
   *   stopped: () => boolean, found: (hits: Map<number, string[]>, done: number) => void}} given
   *   `hits` are places of samples, with where the words are: `prompt`, `reference`, run numbers;
   *   `found` hears of them after each run
   * @returns {Promise<boolean>} whether it came to its end
   */
  hengfa.search = async ({ task, samples, runs, words, stopped, found }) => {
    const holds = hengfa.finder(words);
    const hits = new Map();
    const hit = (place, where) => {
      if (!hits.has(place)) hits.set(place, []);
      hits.get(place).push(where);
    };
    const whole = await each(
      samples.ids.length,
      (place) => {
        if (samples.ids[place] === words || holds(samples.prompts[place])) hit(place, 'prompt');
        if (holds(samples.references[place])) hit(place, 'reference');
      },
      stopped,
    );
    if (!whole) return false;
    found(hits, 0);
    for (let done = 0; done < runs.length; done += 1) {
      const file = await hengfa.load(`tasks/${task.number}/runs/${runs[done].number}`);
      await hengfa.breathe();
      if (stopped()) return false;
      const see = (place) =>
        holds(file.responses[place] ?? '') && hit(place, String(runs[done].number));
      if (!(await each(samples.ids.length, see, stopped))) return false;
      found(hits, done + 1);
    }
    return true;
  };
})();
