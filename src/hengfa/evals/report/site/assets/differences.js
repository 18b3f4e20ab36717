'use strict';
// A difference of two runs, seen from either side, and what the data supports.
(() => {
  const LEVEL = 0.05;
  const OTHER_SIDE = { better: 'worse', worse: 'better' };

  const turned = (found) => ({
    ...found,
    value: -found.value,
    low: hengfa.here(found.high) ? -found.high : null,
    high: hengfa.here(found.low) ? -found.low : null,
    wins: found.losses,
    losses: found.wins,
    verdict: OTHER_SIDE[found.verdict],
  });

  /** Two runs as they were compared, whichever is named first; null where they were not. */
  hengfa.pairOf = (comparisons, one, two) =>
    comparisons.pairs[[one.number, two.number].sort((a, b) => a - b).join(',')] ?? null;

  /** The first run less the second, by task or figure; null where they were not compared. */
  hengfa.differences = (comparisons, one, two) => {
    const rows = hengfa.pairOf(comparisons, one, two)?.rows;
    if (!rows || one.number < two.number) return rows ?? null;
    return Object.fromEntries(Object.entries(rows).map(([name, found]) => [name, turned(found)]));
  };

  /** What the data supports of the first run: `better`, `worse` or `open`. */
  hengfa.verdictOf = (found) => found.verdict ?? 'open';

  /**
   * Which of these differences are still supported when all of them are looked at together (Holm):
   * those below the first that is not.
   */
  hengfa.supportedTogether = (differences) => {
    const rising = [...differences].sort((a, b) => a.p - b.p);
    const failed = rising.findIndex(({ p }, passed) => (rising.length - passed) * p >= LEVEL);
    const passed = failed < 0 ? rising : rising.slice(0, failed);
    return new Set(passed.filter((found) => found.verdict));
  };
})();
