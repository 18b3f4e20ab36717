'use strict';
// Addresses: `#/page/part/part?name=value`. Everything a reader chose is in them, so that a link
// shows somebody else the same.
(() => {
  const decode = (text) => {
    try {
      return decodeURIComponent(text);
    } catch {
      return text;
    }
  };

  /** @typedef {{page: string, parts: string[], query: URLSearchParams}} Route */

  /** @returns {Route} */
  hengfa.parseRoute = (hash) => {
    const [path, query = ''] = hash.replace(/^#\/?/, '').split(/\?(.*)/s);
    const [page = '', ...parts] = path.split('/').map(decode);
    return { page, parts: parts.filter((part) => part !== ''), query: new URLSearchParams(query) };
  };

  /** The address of a page; empty values of the query are left out. */
  hengfa.link = (parts, query = {}) => {
    const known = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== null && value !== undefined && value !== '') known.set(name, value);
    }
    const text = known.toString().replaceAll('%2C', ',');
    return `#/${parts.map((part) => encodeURIComponent(part)).join('/')}${text ? `?${text}` : ''}`;
  };

  hengfa.route = () => hengfa.parseRoute(location.hash);

  /** The address of this page with some values of its query changed. */
  hengfa.changed = (change) => {
    const { page, parts, query } = hengfa.route();
    return hengfa.link(page ? [page, ...parts] : [], { ...Object.fromEntries(query), ...change });
  };

  /** Notes a choice in the address without drawing the page again. */
  hengfa.note = (change) => history.replaceState(null, '', hengfa.changed(change));

  /** Goes to an address. */
  hengfa.go = (link) => {
    location.hash = link.slice(1);
  };

  /** The rules the reader chose; the first of the site unless the address says otherwise. */
  hengfa.rulesOf = (query) => {
    const wanted = query.get('rules');
    return hengfa.site.rules.includes(wanted) ? wanted : hengfa.site.rules[0];
  };

  hengfa.links = {
    home: (query) => hengfa.link([], query),
    suite: (suite, setting, query) => hengfa.link(['suite', suite, setting], query),
    model: (name, query) => hengfa.link(['model', name], query),
    compare: (runs, query) => hengfa.link(['compare', runs.join(',')], query).replace(/%2C/g, ','),
    samples: (task, query) =>
      hengfa.link(task ? ['samples', task.suite, task.setting, task.id] : ['samples'], query),
    sample: (task, id, query) =>
      hengfa.link(['sample', task.suite, task.setting, task.id, id], query),
    papers: (suite) => hengfa.link(['papers', suite]),
    hints: () => hengfa.link(['hints']),
    about: () => hengfa.link(['about']),
  };
})();
