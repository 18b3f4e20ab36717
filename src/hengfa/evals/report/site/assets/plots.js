'use strict';
// Small drawings inside tables: a score with its interval, a difference around zero. Places are
// shares of the width, so that a drawing fills its cell without being stretched.
(() => {
  const { make } = hengfa;
  const HIGH = 20;
  const MIDDLE = HIGH / 2;

  const drawing = (label, ...parts) =>
    make('svg.plot', { role: 'img', 'aria-label': label, height: HIGH }, ...parts);

  function scale(low, high) {
    const span = high - low || 1;
    return (value) => Math.round(Math.min(1, Math.max(0, (value - low) / span)) * 1e4) / 100;
  }

  const upright = (x, kind, inset = 0) =>
    make(`line.${kind}`, {
      x1: `${x}%`,
      x2: `${x}%`,
      y1: inset,
      y2: HIGH - inset,
    });
  const level = (from, to, kind) =>
    make(`line.${kind}`, {
      x1: `${from}%`,
      x2: `${to}%`,
      y1: MIDDLE,
      y2: MIDDLE,
    });
  const point = (x, kind) => make(`circle.${kind}`, { cx: `${x}%`, cy: MIDDLE, r: 3.4 });

  function range(at, { low, high }, kind) {
    if (!hengfa.here(low) || !hengfa.here(high)) return [];
    return [
      level(at(low), at(high), `range${kind}`),
      upright(at(low), `end${kind}`, 6),
      upright(at(high), `end${kind}`, 6),
    ];
  }

  /**
   * A score on a scale from 0 to `top`, with its interval and marks for floor and ceiling.
   * @param {{value: number, low?: number, high?: number}} figure
   * @param {{top?: number, kind?: string, marks?: number[], label: string}} given
   */
  hengfa.scorePlot = (figure, { top = 1, kind = 'run', marks = [], label }) => {
    const at = scale(0, top);
    return drawing(
      label,
      [0, 0.25, 0.5, 0.75, 1].map((share) => upright(at(share * top), 'grid')),
      marks.filter(hengfa.here).map((mark) => upright(at(mark), 'limit', 2)),
      make(`rect.bar.${kind}`, { x: 0, y: MIDDLE - 3, width: `${at(figure.value)}%`, height: 6 }),
      range(at, figure, ''),
      point(at(figure.value), `dot.${kind}`),
    );
  };

  /** A difference with its interval, around zero, on a scale that others share. */
  hengfa.differencePlot = (found, most, kind, label) => {
    const at = scale(-most, most);
    return drawing(
      label,
      upright(0, 'grid'),
      upright(100, 'grid'),
      upright(50, 'zero'),
      range(at, found, `.${kind}`),
      point(at(found.value), `dot.${kind}`),
    );
  };
})();
