'use strict';
// The data files: `data/NAME.js` hands in its JSON, packed with gzip and base64, when it is loaded.
(() => {
  const KEPT_RESPONSES = 120; // files of responses in memory; the least used goes first
  const packed = new Map(); // what came in before anyone asked for it
  const waiting = new Map(); // who asked for it before it came in
  const loaded = new Map(); // name to promise, least used first

  /** Called by a data file. */
  hengfa.put = (name, content) => {
    const take = waiting.get(name);
    waiting.delete(name);
    if (take) take(content);
    else packed.set(name, content);
  };

  const bytesAsText = (sign) =>
    Array.from(new TextEncoder().encode(sign), (byte) => `~${byte.toString(16).padStart(2, '0')}`);

  /** A name as its file has it: signs that are not safe in every file system by their bytes. */
  const safe = (name) => name.replace(/[^a-z0-9_./-]/gu, (sign) => bytesAsText(sign).join(''));

  const pathOf = (name) => `data/${name}.js`;

  /** Runs a script of the site; the promise ends when it has run. */
  hengfa.script = (path) =>
    new Promise((resolve, reject) => {
      const node = document.createElement('script');
      node.addEventListener('load', () => {
        node.remove();
        resolve();
      });
      node.addEventListener('error', () => {
        node.remove();
        reject(new Error(path));
      });
      node.src = path;
      document.head.append(node);
    });

  function fetchPacked(name) {
    if (packed.has(name)) {
      const content = packed.get(name);
      packed.delete(name);
      return Promise.resolve(content);
    }
    return new Promise((resolve, reject) => {
      waiting.set(name, resolve);
      hengfa.script(pathOf(name)).then(
        () => waiting.delete(name) && reject(new Error(hengfa.word('brokenFile', pathOf(name)))),
        () => waiting.delete(name) && reject(new Error(hengfa.word('missingFile', pathOf(name)))),
      );
    });
  }

  function bytesOf(content) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(content);
    const text = atob(content);
    const bytes = new Uint8Array(text.length);
    for (let at = 0; at < text.length; at += 1) bytes[at] = text.charCodeAt(at);
    return bytes;
  }

  function unpack(content) {
    if (!window.DecompressionStream) throw new Error(hengfa.word('oldBrowser'));
    const stream = new Blob([bytesOf(content)]).stream();
    return new Response(stream.pipeThrough(new DecompressionStream('gzip'))).json();
  }

  function forgetSome() {
    const responses = [...loaded.keys()].filter((name) => name.includes('/runs/'));
    for (const name of responses.slice(0, -KEPT_RESPONSES)) loaded.delete(name);
  }

  /** The content of a data file. */
  hengfa.load = (named) => {
    const name = safe(named);
    const known = loaded.get(name);
    const promise = known ?? fetchPacked(name).then(unpack);
    loaded.delete(name); // now the most used
    loaded.set(name, promise);
    if (!known) {
      promise.catch(() => loaded.delete(name));
      forgetSome();
    }
    return promise;
  };
})();
