'use strict';
// What the scripts of the site share, and the wall that keeps texts from ever becoming code.

/** Pages by the first word of their address. */
hengfa.pages = Object.create(null);

/** What the reader chose, apart from the address: the language. */
hengfa.view = { language: 'zh' };

(() => {
  // A data file, or the charting library; never anything outside the site.
  const OWN_SCRIPT = /^(?:data(?:\/[^/?#\\:]+)+\.js|assets\/vega\.js)$/;

  /** Whether a path is one of the site's own scripts that are loaded on demand. */
  hengfa.isOwnScript = (path) => OWN_SCRIPT.test(path) && !path.split('/').includes('..');

  // With the Content-Security-Policy of the page, a string can become HTML or the address of a
  // script only through here. The charting library empties its element that way; nothing else may.
  if (window.trustedTypes) {
    window.trustedTypes.createPolicy('default', {
      createHTML: (text) => (text === '' ? text : null),
      createScriptURL: (path) => (hengfa.isOwnScript(path) ? path : null),
    });
  }
})();
