'use strict';
// Building a page. Texts go in as text, what cannot be seen in visible marks; of attributes only
// those listed here can be set, and a link leads only to a place on the same page.

/** Everything the scripts of a page share; their one global. */
const hengfa = Object.create(null);

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
    'rows',
    'maxlength',
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

  // Characters that are not seen, or that change how others are seen; text/invisible.py has the
  // same list and says what is in it. "\r" is one of them unless it ends a line with "\n".
  const INVISIBLE =
    /(?!\t|\n|\r\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\u2028\u2029\ufff9-\ufffb]/gu;
  const EXPLAINED = '看不见的字符 · invisible character';

  const codeOf = (character) =>
    `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`;

  /** A text for places that hold no elements, such as a title: what is not seen is spelled out. */
  hengfa.flat = (text) => String(text).replace(INVISIBLE, (character) => `⟦${codeOf(character)}⟧`);

  /** A box for a character: the style shows its number, its effect cannot leave the box. */
  function markOf(character) {
    const mark = document.createElement('bdi');
    mark.className = 'control';
    mark.title = EXPLAINED;
    mark.dataset.code = codeOf(character);
    mark.textContent = character; // so that what a reader selects is what was written
    return mark;
  }

  function putText(node, text) {
    let from = 0;
    for (const match of text.matchAll(INVISIBLE)) {
      if (match.index > from) node.append(text.slice(from, match.index));
      node.append(markOf(match[0]));
      from = match.index + match[0].length;
    }
    if (from < text.length) node.append(text.slice(from));
  }

  function put(node, child) {
    if (child === null || child === undefined || child === false) return;
    if (Array.isArray(child)) for (const part of child) put(node, part);
    else if (child instanceof Node) node.append(child);
    else if (node.localName === 'option')
      node.append(hengfa.flat(child)); // shows no elements
    else putText(node, String(child));
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
})();
