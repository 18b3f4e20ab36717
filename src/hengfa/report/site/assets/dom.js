'use strict';
// Building the page. Texts go in as text, control characters as visible marks; of attributes only
// those listed here can be set, and a link leads only to a page of this site.
(() => {
  const SVG = 'http://www.w3.org/2000/svg';
  const SVG_TAGS = new Set(['svg', 'line', 'rect', 'circle']);
  const ATTRIBUTES = new Set([
    'class',
    'id',
    'title',
    'role',
    'tabindex',
    'hidden',
    'open',
    'lang',
    'for',
    'type',
    'value',
    'name',
    'min',
    'max',
    'step',
    'placeholder',
    'checked',
    'selected',
    'disabled',
    'colspan',
    'scope',
    'autocomplete',
    'inputmode',
    'size',
    'label',
    'width',
    'height',
    'x',
    'y',
    'x1',
    'x2',
    'y1',
    'y2',
    'cx',
    'cy',
    'r',
  ]);
  const ALLOWED_FAMILY = /^(?:aria|data)-[a-z-]+$/;

  // Characters that are not seen, or that change how others are seen: controls other than tab and
  // line feed (not "\n"), soft hyphen, joiners, marks and overrides of direction, fillers, line and
  // paragraph separators, tags. Variation selectors after an emoji are left alone.
  const CONTROLS = new RegExp(
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4' +
      '\\u17b5\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0' +
      '\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]',
    'gu',
  );
  const BREAK = /\r\n?/g;

  const markOf = (character) => {
    const code = character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟦U+${code}⟧`;
  };

  /** A text for places that hold no elements, such as a title: controls are spelled out. */
  hengfa.flat = (text) => String(text).replace(BREAK, '\n').replace(CONTROLS, markOf);

  /** Adds a text as text; controls become marks in boxes of their own. */
  function putText(node, text) {
    const clean = String(text).replace(BREAK, '\n');
    let from = 0;
    for (const found of clean.matchAll(CONTROLS)) {
      if (found.index > from) node.append(clean.slice(from, found.index));
      const mark = document.createElement('span');
      mark.className = 'control';
      mark.textContent = markOf(found[0]);
      node.append(mark);
      from = found.index + found[0].length;
    }
    if (from < clean.length) node.append(clean.slice(from));
  }

  function put(node, child) {
    if (child === null || child === undefined || child === false) return;
    if (Array.isArray(child)) child.forEach((one) => put(node, one));
    else if (child instanceof Node) node.append(child);
    else putText(node, child);
  }

  function setAttribute(node, name, value) {
    if (value === null || value === undefined || value === false) return;
    if (name === 'href') {
      if (!String(value).startsWith('#')) throw new Error(`a link out of the site: ${value}`);
    } else if (!ATTRIBUTES.has(name) && !ALLOWED_FAMILY.test(name)) {
      throw new Error(`attribute ${name} is not allowed`);
    }
    node.setAttribute(name, value === true ? '' : hengfa.flat(value));
  }

  /**
   * An element.
   * @param {string} tag name, with classes: `td.number.best`
   * @param {object} [given] attributes; `on` has listeners by event, `style` custom properties
   * @param {...(Node|string|number|Array|null|false)} children texts are put in as text
   */
  hengfa.make = (tag, given = {}, ...children) => {
    const [name, ...classes] = tag.split('.');
    const node = SVG_TAGS.has(name)
      ? document.createElementNS(SVG, name)
      : document.createElement(name);
    if (classes.length) node.setAttribute('class', classes.join(' '));
    const { on = {}, style = {}, ...attributes } = given;
    for (const [key, value] of Object.entries(attributes)) setAttribute(node, key, value);
    for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
    for (const [key, value] of Object.entries(style)) node.style.setProperty(key, value);
    put(node, children);
    return node;
  };

  /** An element for a text of others: its direction stays inside. */
  hengfa.alien = (text, tag = 'bdi') => hengfa.make(tag, {}, text);

  /** Adds children to an element; texts as text. */
  hengfa.append = (node, ...children) => put(node, children);

  /** Puts a new content into an element. */
  hengfa.fill = (node, ...children) => {
    node.replaceChildren();
    put(node, children);
    return node;
  };

  /** Tells the reader something that is not on the page, also by voice. */
  let timer = 0;
  hengfa.tell = (text) => {
    const node = document.getElementById('said');
    hengfa.fill(node, text);
    clearTimeout(timer);
    timer = setTimeout(() => hengfa.fill(node), 2500);
  };
})();
