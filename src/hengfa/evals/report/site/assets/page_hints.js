'use strict';
// The suspicion list: hints for people to review, never findings.
(() => {
  const { make, word } = hengfa;

  const taskOf = (hint) =>
    hengfa.site.tasks.find(
      (task) =>
        task.suite === hint.suite &&
        task.id === hint.task &&
        (!hint.setting || task.setting === hint.setting),
    );

  function sampleLink(hint) {
    const task = taskOf(hint);
    if (!task) return null;
    const board = hengfa.findBoard(task.suite, task.setting);
    const runs = board.runs.filter((run) => hint.models.includes(run.model));
    const query = {
      runs: runs
        .slice(0, 4)
        .map((run) => run.number)
        .join(','),
    };
    const href = hint.sample
      ? hengfa.links.sample(task, hint.sample, query)
      : hengfa.links.samples(task, query);
    return make('a', { href }, hint.sample ? word('toSample') : word('toSamples'));
  }

  function modelLink(name) {
    const known = hengfa.site.runs.some((run) => run.model === name);
    return known
      ? make('a', { href: hengfa.links.model(name) }, hengfa.alien(name))
      : hengfa.alien(name);
  }

  function boardName(hint) {
    const board = hengfa.findBoard(hint.suite, hint.setting);
    return board ? hengfa.boardTitle(board) : hint.suite;
  }

  function taskName(hint) {
    const task = taskOf(hint);
    return task ? hengfa.taskTitle(task) : hint.task;
  }

  function hintTable(kind, hints) {
    const columns = [
      {
        id: 'model',
        head: word('models'),
        kind: 'name',
        key: (hint) => hint.models.join(' '),
        cell: (hint) =>
          hint.models.flatMap((name, at) => [at ? word('comma') : '', modelLink(name)]),
      },
      { id: 'suite', head: word('suite'), key: (hint) => hint.suite, cell: boardName },
      { id: 'task', head: word('task'), key: (hint) => hint.task, cell: taskName },
      { id: 'text', head: word('observed'), kind: 'words', cell: (hint) => hengfa.say(hint.text) },
      { id: 'see', head: '', kind: 'see', cell: (hint) => sampleLink(hint) ?? '' },
    ];
    return hengfa.section(
      hengfa.named('hints', kind),
      make('p.note', {}, hengfa.named('hintNotes', kind)),
      hengfa.table({ columns, rows: hints, caption: hengfa.named('hints', kind), kind: 'hints' }),
    );
  }

  hengfa.pages.hints = () => {
    const { suspects } = hengfa.site;
    const kinds = [...new Set(suspects.map((hint) => hint.kind))];
    return [
      hengfa.pageHead(null, word('hints')),
      hengfa.notice(word('hintsNotice'), 'important'),
      kinds.length
        ? kinds.map((kind) =>
            hintTable(
              kind,
              suspects.filter((hint) => hint.kind === kind),
            ),
          )
        : make('p.lead', {}, word('noHints')),
    ];
  };
})();
