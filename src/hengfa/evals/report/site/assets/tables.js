'use strict';
// Tables that scroll inside their box and are sorted by their heads.
(() => {
  const { make } = hengfa;

  /**
   * @typedef {object} Column
   * @property {string} id its name in the address
   * @property {string} head
   * @property {string} [title] what the head means
   * @property {(row: object) => (Node|string)} cell
   * @property {(row: object) => (number|string|null)} [key] what it is sorted by
   * @property {boolean} [number] set to the right, largest first
   * @property {string} [kind] class of its cells
   */

  const missing = (value) => value === null || value === undefined || Number.isNaN(value);

  // Rows without a value come last in either direction.
  function compare(column, falling) {
    return (a, b) => {
      const [one, two] = [column.key(a), column.key(b)];
      if (missing(one) || missing(two)) return Number(missing(one)) - Number(missing(two));
      const order = typeof one === 'string' ? one.localeCompare(two, 'zh') : one - two;
      return falling ? -order : order;
    };
  }

  function headOf(column, sorted, sort) {
    const state = sorted.id === column.id ? (sorted.falling ? 'descending' : 'ascending') : null;
    const kind = column.number ? 'number' : column.kind;
    const inside = column.key
      ? make(
          'button.sort',
          { type: 'button', title: column.title, on: { click: sort } },
          column.head,
        )
      : make('span', { title: column.title }, column.head);
    return make(
      'th',
      { scope: 'col', class: kind, 'aria-sort': column.key && (state ?? 'none') },
      inside,
    );
  }

  function rowOf(columns, row, rowKind) {
    return make(
      'tr',
      { class: rowKind?.(row) },
      columns.map((column, place) => {
        const kind = [column.number ? 'number' : '', column.kind ?? ''].join(' ').trim();
        const tag = place === 0 || column.kind === 'name' ? 'th' : 'td';
        return make(
          tag,
          { class: kind || null, scope: tag === 'th' ? 'row' : null },
          column.cell(row),
        );
      }),
    );
  }

  /**
   * @param {{columns: Column[], rows: object[], caption: string, rowKind?: Function,
   *   remember?: string, kind?: string}} given `remember` is the name of its order in the address
   */
  hengfa.table = ({ columns, rows, caption, rowKind, remember, kind = '' }) => {
    const body = make('tbody');
    const head = make('tr');
    const sorted = { id: null, falling: true };
    const wanted = remember ? hengfa.route().query.get(remember) : null;
    if (wanted) {
      sorted.falling = wanted.startsWith('-');
      sorted.id = wanted.replace(/^-/, '');
    }

    function draw() {
      const by = columns.find((column) => column.id === sorted.id && column.key);
      const shown = by ? [...rows].sort(compare(by, sorted.falling)) : rows;
      hengfa.fill(
        head,
        columns.map((column) => headOf(column, sorted, () => sort(column))),
      );
      hengfa.fill(
        body,
        shown.map((row) => rowOf(columns, row, rowKind)),
      );
    }

    function sort(column) {
      sorted.falling = sorted.id === column.id ? !sorted.falling : Boolean(column.number);
      sorted.id = column.id;
      if (remember) hengfa.note({ [remember]: `${sorted.falling ? '-' : ''}${column.id}` });
      draw();
      head.children[columns.indexOf(column)].querySelector('button').focus();
    }

    draw();
    const table = make(
      'table',
      { class: kind || null },
      make('caption', {}, caption),
      make('thead', {}, head),
      body,
    );
    return make('div.scroll', { tabindex: 0, role: 'region', 'aria-label': caption }, table);
  };
})();
