'use strict';
// The language of the pages: words by name, texts of the data by language.
(() => {
  const KEPT = 'hengfa.language';

  /** A word of the pages; some are made with what is given. */
  hengfa.word = (name, ...given) => {
    const found = hengfa.words[hengfa.view.language][name];
    if (found === undefined) throw new Error(`no word ${name}`);
    return typeof found === 'function' ? found(...given) : found;
  };

  /**
   * A word for a name from the data, such as a status or a facet; the site may bring titles of its
   * own. The name itself where there is none.
   */
  hengfa.named = (group, name) => {
    const brought = hengfa.site.names?.[group] ?? {};
    if (Object.hasOwn(brought, name)) return hengfa.say(brought[name]);
    const known = hengfa.words[hengfa.view.language].names[group] ?? {};
    return Object.hasOwn(known, name) ? known[name] : name;
  };

  /** A text of the data in the reader's language. */
  hengfa.say = (words) => words[hengfa.view.language] || words.zh || words.en || '';

  // A browser may forbid a page on disk to remember anything.
  function remembered() {
    try {
      return localStorage.getItem(KEPT);
    } catch {
      return null;
    }
  }
  function remember(language) {
    try {
      localStorage.setItem(KEPT, language);
    } catch {
      /* asked again next time */
    }
  }

  hengfa.setLanguage = (language) => {
    hengfa.view.language = language;
    document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en';
  };

  hengfa.switchLanguage = () => {
    hengfa.setLanguage(hengfa.view.language === 'zh' ? 'en' : 'zh');
    remember(hengfa.view.language);
  };

  const kept = remembered();
  const browser = /^zh\b/i.test(navigator.language || '') ? 'zh' : 'en';
  hengfa.setLanguage(kept === 'zh' || kept === 'en' ? kept : browser);
})();
