'use strict';
// The overview: a leaderboard for each suite and setting, then the pictures over all of them.
(() => {
  const { make, word } = hengfa;
  const FIRST_ROWS = 10;

  function summary(site) {
    const own = site.runs.filter((run) => !run.builtin);
    const models = new Set(own.map((run) => run.model)).size;
    const suites = new Set(hengfa.boards.map((board) => board.suite.name)).size;
    const text = own.length
      ? word('summary', own.length, models, suites, site.tasks.length)
      : word('onlyBuiltin', suites, site.tasks.length);
    return make('p.lead', {}, text);
  }

  function boardSection(board, given) {
    const { suite, setting } = board;
    const query = {
      rules: hengfa.route().query.get('rules'),
      published: given.published ? '1' : null,
    };
    return make(
      'section',
      {},
      make(
        'div.section-head',
        {},
        make(
          'h2',
          {},
          make(
            'a',
            { href: hengfa.links.suite(suite.name, setting, query) },
            hengfa.boardTitle(board),
          ),
          hengfa.sampleTag(board),
        ),
        make('a.onward', { href: hengfa.links.suite(suite.name, setting, query) }, word('toSuite')),
      ),
      hengfa.leaderboard(board, { ...given, most: FIRST_ROWS }),
      boardPictures(board, given),
    );
  }

  const ownPictures = (board) =>
    Object.entries(board.suite.pictures)
      .filter(([key]) => key.startsWith(`${board.setting}/`))
      .flatMap(([, ids]) => ids);

  // A table above says the same as the picture of its board, so the picture waits to be unfolded.
  function boardPictures(board, { rules, published }) {
    const ids = (board.suite.pictures[`${board.setting}/${rules}`] ?? []).filter((id) =>
      hengfa.site.overview.includes(id),
    );
    const pictures = hengfa.picturesOf(ids, published);
    return (
      pictures &&
      make('details.board-pictures', {}, make('summary', {}, word('boardPictures')), pictures)
    );
  }

  function commonPictures(published) {
    const taken = new Set(hengfa.boards.flatMap(ownPictures));
    return hengfa.picturesOf(
      hengfa.site.overview.filter((id) => !taken.has(id)),
      published,
    );
  }

  hengfa.pages[''] = ({ query }) => {
    const { site } = hengfa;
    const rules = hengfa.rulesOf(query);
    const published = query.get('published') === '1';
    return [
      hengfa.pageHead(null, hengfa.say(site.title), summary(site)),
      site.runs.some((run) => run.sample) && hengfa.notice(word('sampleNotice')),
      site.runs.some((run) => run.trained) && hengfa.notice(word('trainedNotice')),
      make('div.controls', {}, hengfa.rulesChoice(rules), hengfa.publishedSwitch(published)),
      hengfa.boards.length ? make('p.key', {}, word('plotKey')) : hengfa.notice(word('noRuns')),
      hengfa.boards.map((board) => boardSection(board, { rules, published })),
      commonPictures(published),
    ];
  };
})();
