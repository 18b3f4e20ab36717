'use strict';
// What the figures mean, how the page is used, and what it was made from.
(() => {
  const { make, word } = hengfa;

  const glossary = (entries) =>
    make(
      'dl.glossary',
      {},
      entries.map(([name, text]) => [make('dt', {}, name), make('dd', {}, text)]),
    );

  function states(group, notes) {
    const known = hengfa.words[hengfa.view.language].names;
    return glossary(
      Object.entries(known[group]).map(([name, text]) => [text, known[notes][name] ?? '']),
    );
  }

  function made(site) {
    const runs = site.runs.filter((run) => !run.builtin).length;
    return glossary([
      [word('builtWith'), `Hengfa ${site.hengfa}`],
      [word('builtOn'), site.built],
      [
        word('holds'),
        word('holdsText', runs, site.runs.length - runs, site.tasks.length, site.published.length),
      ],
    ]);
  }

  hengfa.pages.about = () => [
    hengfa.pageHead(null, word('about')),
    make('p.lead', {}, word('aboutLead')),
    hengfa.section(word('aboutFigures'), glossary(word('aboutTerms'))),
    hengfa.section(
      word('aboutStatuses'),
      make('p.note', {}, word('aboutStatusesNote')),
      states('statuses', 'statusNotes'),
    ),
    hengfa.section(
      word('aboutAnswers'),
      make('p.note', {}, word('aboutAnswersNote')),
      states('answers', 'answerNotes'),
    ),
    hengfa.section(word('aboutUse'), glossary(word('aboutUseTerms'))),
    hengfa.section(word('aboutSite'), made(hengfa.site)),
  ];
})();
