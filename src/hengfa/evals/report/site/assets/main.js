'use strict';
// From an address to a page: loads the site, draws the page of the address, follows changes.
(() => {
  const { make, word } = hengfa;
  const page = document.getElementById('page');
  let drawing = 0;
  let after = [];

  /** Something to do once the page stands. */
  hengfa.afterShown = (task) => after.push(task);

  hengfa.notFound = (what) => [
    hengfa.pageHead(null, word('notFound')),
    make('p.lead', {}, word('notFoundText', what)),
    make('p', {}, make('a', { href: hengfa.links.home() }, word('toOverview'))),
  ];

  function navigation(route) {
    const first = hengfa.boards[0];
    const suites = [...new Map(hengfa.boards.map((board) => [board.suite.name, board])).values()];
    const item = (name, text, href, now) =>
      make('a', { href, 'data-page': name, 'aria-current': now ? 'page' : null }, text);
    const items = [item('', word('overview'), hengfa.links.home(), route.page === '')];
    for (const board of suites) {
      const now = route.page === 'suite' && route.parts[0] === board.suite.name;
      items.push(
        item(
          'suite',
          hengfa.say(board.suite.title),
          hengfa.links.suite(board.suite.name, board.setting),
          now,
        ),
      );
    }
    if (first) {
      items.push(
        item('compare', word('compare'), hengfa.link(['compare']), route.page === 'compare'),
      );
      items.push(
        item(
          'samples',
          word('samplesPage'),
          hengfa.links.samples(null),
          route.page.startsWith('sample'),
        ),
      );
      if (hengfa.site.papers.length) {
        const href = hengfa.links.papers(hengfa.site.papers[0].suite);
        items.push(item('papers', word('papersShort'), href, route.page === 'papers'));
      }
      items.push(item('hints', word('hintsShort'), hengfa.links.hints(), route.page === 'hints'));
    }
    items.push(item('about', word('about'), hengfa.links.about(), route.page === 'about'));
    return items;
  }

  function frame(route) {
    const { site } = hengfa;
    const nav = document.getElementById('nav');
    nav.setAttribute('aria-label', word('navigation'));
    hengfa.fill(nav, navigation(route));
    hengfa.fill(
      document.getElementById('brand'),
      hengfa.view.language === 'zh' ? '衡法' : 'Hengfa',
    );
    hengfa.fill(document.getElementById('skip'), word('skip'));
    const language = document.getElementById('language');
    hengfa.fill(language, word('otherLanguage'));
    language.setAttribute('lang', hengfa.view.language === 'zh' ? 'en' : 'zh-CN');
    hengfa.fill(
      document.getElementById('foot'),
      word('foot', site.hengfa, site.built.slice(0, 10)),
    );
    nav.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  async function contentOf(route) {
    const draw = Object.hasOwn(hengfa.pages, route.page) ? hengfa.pages[route.page] : null;
    if (!draw) return hengfa.notFound(route.page);
    try {
      return await draw(route);
    } catch (problem) {
      console.warn(problem);
      return [hengfa.pageHead(null, word('problem')), hengfa.notice(problem.message, 'bad')];
    }
  }

  /** Draws the page of the address; `fresh` when the reader came from another one. */
  async function show(fresh) {
    drawing += 1;
    const mine = drawing;
    const route = hengfa.route();
    after = [];
    frame(route);
    page.setAttribute('aria-busy', 'true');
    const content = await contentOf(route);
    if (mine !== drawing) return;
    const kept = fresh ? null : { top: window.scrollY, id: document.activeElement?.id };
    hengfa.fill(page, content);
    page.setAttribute('aria-busy', 'false');
    page.setAttribute('data-page', route.page || 'overview');
    const title = page.querySelector('h1')?.textContent ?? '';
    document.title = `${hengfa.flat(title)} · ${word('siteName')}`;
    if (kept) {
      window.scrollTo(0, kept.top);
      if (kept.id) document.getElementById(kept.id)?.focus({ preventScroll: true });
    } else {
      window.scrollTo(0, 0);
      page.querySelector('h1')?.focus({ preventScroll: true });
    }
    for (const task of after) task();
  }

  let shown = null;

  /** Whether two addresses are of one page with other choices. */
  function samePage(one, two) {
    const path = (route) =>
      JSON.stringify(route.page === 'compare' ? [route.page] : [route.page, ...route.parts]);
    return one !== null && path(one) === path(two);
  }

  function follow() {
    const route = hengfa.route();
    const fresh = !samePage(shown, route);
    shown = route;
    show(fresh);
  }

  async function start() {
    document.getElementById('language').addEventListener('click', () => {
      hengfa.switchLanguage();
      show(false);
    });
    document.getElementById('skip').addEventListener('click', (event) => {
      event.preventDefault();
      page.focus();
    });
    document.addEventListener('keydown', (event) => {
      if (event.key !== '/' || event.target.closest('input, select, textarea')) return;
      const field = document.getElementById('q');
      if (field) {
        event.preventDefault();
        field.focus();
      }
    });
    try {
      hengfa.index(await hengfa.load('site'));
    } catch (problem) {
      hengfa.fill(page, hengfa.notice(problem.message, 'bad'));
      return;
    }
    window.addEventListener('hashchange', follow);
    follow();
  }

  start();
})();
