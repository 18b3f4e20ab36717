'use strict';
// The tables and figures of a paper, with the runs of this site among their rows.
(() => {
  const { make, word } = hengfa;
  const MANY = 25;

  function tableOf(exhibit, title) {
    const { head, rows } = exhibit.tables[hengfa.view.language];
    const numbers = (text) => Number.parseFloat(text.replace(/[^\d.-].*$/, ''));
    const columns = head.map((text, place) => ({
      id: `c${place}`,
      head: text,
      kind: place ? '' : 'name',
      number: place > 0,
      key: (row) => (place ? numbers(row[place]) : row[0]),
      cell: (row) => hengfa.alien(row[place]),
    }));
    return hengfa.table({ columns, rows, caption: title, kind: 'exhibit' });
  }

  // Tables of all models of a paper fill pages: they wait to be unfolded.
  function folded(exhibit, table) {
    const { length } = exhibit.tables[hengfa.view.language].rows;
    return length > MANY
      ? make('details.board-pictures', {}, make('summary', {}, word('wholeTable', length)), table)
      : table;
  }

  function exhibitOf(exhibit) {
    const title = hengfa.say(exhibit.title);
    const picture = exhibit.picture && hengfa.picturesOf([exhibit.picture], false);
    const hasRows = exhibit.tables[hengfa.view.language].rows.length > 0;
    return make(
      'section',
      { id: exhibit.id },
      make('h2', {}, title),
      hasRows && folded(exhibit, tableOf(exhibit, title)),
      make(
        'ul.remarks',
        {},
        exhibit.remarks[hengfa.view.language].map((text) => make('li', {}, hengfa.alien(text))),
      ),
      picture &&
        make(
          'details.board-pictures',
          { open: true },
          make('summary', {}, word('picture')),
          picture,
        ),
    );
  }

  hengfa.pages.papers = async ({ parts }) => {
    const { papers } = hengfa.site;
    const now = papers.find((paper) => paper.suite === parts[0]) ?? papers[0];
    if (!now) return hengfa.notFound('papers');
    const exhibits = await hengfa.load(`papers/${now.suite}`);
    const titles = (paper) => ({
      value: paper.suite,
      text: paper.source,
      href: hengfa.links.papers(paper.suite),
    });
    return [
      hengfa.pageHead(null, word('papers'), make('p.lead', {}, word('papersLead'))),
      make('div.controls', {}, hengfa.choice(word('papers'), papers.map(titles), now.suite)),
      exhibits.map(exhibitOf),
    ];
  };
})();
