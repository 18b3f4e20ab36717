'use strict';
// Which samples a reader wants to see: by kind, by how a run ended and was read, by score.
(() => {
  const SLACK = 1e-9; // scores are sums of fractions

  const bound = (text, plain) => {
    const value = text === null || text.trim() === '' ? NaN : Number(text);
    return Number.isNaN(value) ? null : value / (plain ? 1 : 100);
  };

  /** The filters of an address; `plain` where scores are no fractions. */
  hengfa.filtersOf = (query, plain) => {
    const facets = [...query]
      .filter(([name, value]) => name.startsWith('facet.') && value !== '')
      .map(([name, value]) => [name.slice('facet.'.length), value]);
    return {
      status: query.get('status') || null,
      answer: query.get('answer') || null,
      min: bound(query.get('min'), plain),
      max: bound(query.get('max'), plain),
      differ: query.get('differ') === '1',
      facets,
    };
  };

  function runFits(scores, rules, place, { status, answer, min, max }) {
    const value = scores.values[rules]?.[place] ?? null;
    if (status && scores.statuses[place] !== status) return false;
    if (answer && scores.answers[rules]?.[place] !== answer) return false;
    if (min !== null && !(value !== null && value >= min - SLACK)) return false;
    if (max !== null && !(value !== null && value <= max + SLACK)) return false;
    return true;
  }

  function differ(tables, rules, place) {
    const values = tables.map((scores) => scores.values[rules]?.[place] ?? null);
    return values.some(
      (value) => (value === null) !== (values[0] === null) || Math.abs(value - values[0]) > SLACK,
    );
  }

  /** Places of the samples that fit; a filter on runs is met when one of the chosen runs meets it. */
  hengfa.fitting = (task, samples, tables, rules, filters) => {
    const kinds = filters.facets
      .filter(([name]) => samples.facets[name])
      .map(([name, kind]) => [samples.facets[name], task.facets[name]?.indexOf(kind)]);
    const onRuns = filters.status || filters.answer || filters.min !== null || filters.max !== null;
    const places = [];
    for (let place = 0; place < samples.ids.length; place += 1) {
      if (!kinds.every(([column, kind]) => column[place] === kind)) continue;
      if (onRuns && !tables.some((scores) => runFits(scores, rules, place, filters))) continue;
      if (filters.differ && !differ(tables, rules, place)) continue;
      places.push(place);
    }
    return places;
  };
})();
