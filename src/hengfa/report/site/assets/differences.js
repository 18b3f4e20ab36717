'use strict';
// A difference of two runs, seen from either side, and what the data supports.
(() => {
  const LEVEL = 0.05;

  const turned = (found) => ({
    ...found,
    value: -found.value,
    low: hengfa.here(found.high) ? -found.high : null,
    high: hengfa.here(found.low) ? -found.low : null,
    wins: found.losses,
    losses: found.wins,
  });

  /** The first run less the second, by task or figure; null where they were not compared. */
  hengfa.differences = (comparisons, one, two) => {
    const [low, high] = one.number < two.number ? [one, two] : [two, one];
    const pair = comparisons.pairs[`${low.number},${high.number}`];
    if (!pair || low === one) return pair ?? null;
    return Object.fromEntries(Object.entries(pair).map(([name, found]) => [name, turned(found)]));
  };

  /** What the data supports: `more`, `less`, `unsure` (interval and test disagree) or `open`. */
  hengfa.verdictOf = (found) => {
    const apart = hengfa.here(found.low) && (found.low > 0 || found.high < 0);
    const rare = hengfa.here(found.p) && found.p < LEVEL;
    if (!hengfa.here(found.low) && !hengfa.here(found.p)) return 'open';
    if (apart && (rare || !hengfa.here(found.p))) return found.value > 0 ? 'more' : 'less';
    return apart || rare ? 'unsure' : 'open';
  };
})();
