'use strict';
// How numbers are shown. Scores are per cent with two digits, as the papers print them.
(() => {
  const NONE = '–';
  const minus = (text) => text.replace('-', '−');
  const locale = () => (hengfa.view.language === 'zh' ? 'zh-CN' : 'en');
  const here = (value) => value !== null && value !== undefined && !Number.isNaN(value);
  const zeroless = (text) => (/^-0(?:\.0+)?$/.test(text) ? text.slice(1) : text);

  /** Whether there is a number at all. */
  hengfa.here = here;

  /** A score; `plain` where the figure is no fraction. */
  hengfa.score = (value, plain = false) => {
    if (!here(value)) return NONE;
    return minus(zeroless((plain ? value : value * 100).toFixed(2)));
  };

  /** A difference of scores, with its sign. */
  hengfa.change = (value, plain = false) => {
    if (!here(value)) return NONE;
    const text = hengfa.score(value, plain);
    return value > 0 && !/^0\.00$/.test(text) ? `+${text}` : text;
  };

  /** An interval of scores: `40.10–45.20`, or `−3.0 … +1.2` with signs. */
  hengfa.interval = (low, high, plain = false) =>
    here(low) && here(high) ? `${hengfa.score(low, plain)}–${hengfa.score(high, plain)}` : '';
  hengfa.signedInterval = (low, high, plain = false) =>
    here(low) && here(high) ? `${hengfa.change(low, plain)} … ${hengfa.change(high, plain)}` : '';

  /** A share: `12.3%`. */
  hengfa.share = (value) => (here(value) ? `${(value * 100).toFixed(1)}%` : NONE);

  hengfa.count = (value) => (here(value) ? new Intl.NumberFormat(locale()).format(value) : NONE);

  /** A large count in few characters: `1.2M`, `120万`. */
  hengfa.few = (value) => {
    if (!here(value)) return NONE;
    const style = { notation: 'compact', maximumFractionDigits: 1 };
    return new Intl.NumberFormat(locale(), style).format(value);
  };

  hengfa.chance = (p) => {
    if (!here(p)) return NONE;
    return p < 0.001 ? '<0.001' : p.toFixed(3);
  };

  hengfa.money = (cost, currency) => {
    if (!here(cost)) return NONE;
    const digits = cost !== 0 && Math.abs(cost) < 0.1 ? 4 : 2;
    return `${cost.toFixed(digits)}${currency ? ` ${currency}` : ''}`;
  };

  /** How long something took: seconds, minutes or hours. */
  hengfa.time = (seconds) => {
    if (!here(seconds)) return NONE;
    if (seconds < 90) return hengfa.word('seconds', seconds.toFixed(seconds < 10 ? 1 : 0));
    if (seconds < 5400) return hengfa.word('minutes', (seconds / 60).toFixed(0));
    return hengfa.word('hours', (seconds / 3600).toFixed(1));
  };

  /** The 95 % range of a rank: `2–5`, or nothing where it is one rank. */
  hengfa.rankRange = ({ rank_low: low, rank_high: high }) =>
    here(low) && here(high) && low !== high ? `${low}–${high}` : '';
})();
