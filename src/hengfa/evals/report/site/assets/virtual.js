'use strict';
// A long list of which only the rows in view exist. Rows are links of one height, set by the style.
(() => {
  const { make } = hengfa;
  const AROUND = 6; // rows kept above and below the view

  /**
   * @param {(place: number) => HTMLElement} draw the row at a place
   * @param {string} label
   * @returns {{node: HTMLElement, show: (count: number) => void}}
   */
  hengfa.longList = (draw, label) => {
    const rows = make('div.rows', { role: 'list' });
    const node = make('div.long-list', { role: 'group', 'aria-label': label }, rows);
    const drawn = new Map();
    let count = 0;
    let height = 0;

    const drop = (place) => {
      drawn.get(place)?.remove();
      drawn.delete(place);
    };

    function place(at) {
      const row = make(
        'div.row',
        { role: 'listitem', 'aria-setsize': count, 'aria-posinset': at + 1, 'data-place': at },
        draw(at),
      );
      row.style.setProperty('top', `${at * height}px`);
      drawn.set(at, row);
      return row;
    }

    function update() {
      const first = Math.max(0, Math.floor(node.scrollTop / height) - AROUND);
      const last = Math.min(
        count,
        Math.ceil((node.scrollTop + node.clientHeight) / height) + AROUND,
      );
      const focused = rows.contains(document.activeElement)
        ? Number(document.activeElement.parentNode.dataset.place)
        : -1;
      for (const at of [...drawn.keys()])
        if ((at < first || at >= last) && at !== focused) drop(at);
      for (let at = first; at < last; at += 1) if (!drawn.has(at)) rows.append(place(at));
    }

    function measure() {
      height = parseFloat(getComputedStyle(node).getPropertyValue('--row')) || 64;
      rows.style.setProperty('height', `${count * height}px`);
    }

    function redraw() {
      [...drawn.keys()].forEach(drop);
      measure();
      update();
    }

    function focusOn(at) {
      if (at < 0 || at >= count) return;
      const top = at * height;
      if (top < node.scrollTop) node.scrollTop = top;
      if (top + height > node.scrollTop + node.clientHeight)
        node.scrollTop = top + height - node.clientHeight;
      update();
      drawn.get(at).querySelector('a').focus({ preventScroll: true });
    }

    node.addEventListener('keydown', (event) => {
      const now = Number(event.target.closest('.row')?.dataset.place ?? -1);
      const page = Math.max(1, Math.floor(node.clientHeight / height) - 1);
      const target = {
        ArrowDown: now + 1,
        ArrowUp: now - 1,
        Home: 0,
        End: count - 1,
        PageDown: Math.min(count - 1, now + page),
        PageUp: Math.max(0, now - page),
      }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      focusOn(target);
    });
    node.addEventListener('scroll', () => requestAnimationFrame(update), { passive: true });
    new ResizeObserver(redraw).observe(node);

    return {
      node,
      show: (number) => {
        count = number;
        redraw();
      },
    };
  };
})();
