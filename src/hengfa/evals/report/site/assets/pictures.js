'use strict';
// Pictures are drawn when they come into view; the charting library is loaded for the first one.
(() => {
  const { make } = hengfa;
  const SCROLLS = 1.35; // a picture so much wider than its place is not shrunk but scrolled
  let library = null;

  // Colours that follow the page, also on paper; a specification may set its own.
  const CONFIG = {
    background: 'transparent',
    font:
      '"Source Han Sans SC", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", ' +
      '"WenQuanYi Micro Hei", system-ui, sans-serif',
    view: { stroke: null },
    axis: {
      labelColor: 'currentColor',
      titleColor: 'currentColor',
      domainColor: 'currentColor',
      tickColor: 'currentColor',
      gridColor: 'currentColor',
      gridOpacity: 0.12,
      domainOpacity: 0.4,
      tickOpacity: 0.4,
      titleFontWeight: 'normal',
    },
    legend: { labelColor: 'currentColor', titleColor: 'currentColor', titleFontWeight: 'normal' },
    title: { color: 'currentColor', subtitleColor: 'currentColor' },
    header: { labelColor: 'currentColor', titleColor: 'currentColor' },
    text: { color: 'currentColor' },
    rule: { color: 'currentColor' },
  };

  function charting() {
    library ??= hengfa.script('assets/vega.js').catch((problem) => {
      library = null;
      throw new Error(hengfa.word('missingFile', problem.message));
    });
    return library;
  }

  // --- what is said of the mark under the pointer ---------------------------------------------

  let tip = null;

  function sayOf(value) {
    if (value === null || typeof value !== 'object') return [String(value)];
    return Object.entries(value).map(([name, one]) =>
      make('div', {}, make('span.label', {}, name), ' ', hengfa.alien(one)),
    );
  }

  function showTip(_handler, event, _item, value) {
    tip?.remove();
    tip = null;
    if (value === null || value === undefined || value === '') return;
    tip = make('div.tip', { role: 'tooltip' }, sayOf(value));
    document.body.append(tip);
    const left = Math.min(event.clientX + 12, window.innerWidth - tip.offsetWidth - 8);
    const above = event.clientY + 16 + tip.offsetHeight > window.innerHeight;
    const top = above ? event.clientY - tip.offsetHeight - 10 : event.clientY + 16;
    tip.style.setProperty('left', `${Math.max(8, left)}px`);
    tip.style.setProperty('top', `${Math.max(8, top)}px`);
  }

  // --- drawing ----------------------------------------------------------------------------------

  const noLoading = {
    load: () => Promise.reject(new Error('nothing is loaded')),
    sanitize: () => Promise.reject(new Error('no links')),
  };

  function fit(place) {
    const svg = place.querySelector('svg');
    if (!svg) return;
    const wide = Number(svg.getAttribute('width')) > place.clientWidth * SCROLLS;
    place.classList.toggle('wide', wide);
  }

  async function draw(place, id) {
    try {
      const [spec] = await Promise.all([hengfa.load(`pictures/${id}`), charting()]);
      await window.vegaEmbed(place, structuredClone(spec[hengfa.view.language]), {
        actions: false,
        renderer: 'svg',
        ast: true,
        defaultStyle: false,
        tooltip: showTip,
        config: CONFIG,
        loader: noLoading,
        logLevel: 1,
      });
      place.setAttribute('data-drawn', hengfa.view.language);
      fit(place);
    } catch (problem) {
      hengfa.fill(place, hengfa.notice(hengfa.word('noPicture', problem.message), 'bad'));
    }
  }

  const seen = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (isIntersecting) {
          seen.unobserve(target);
          draw(target, target.getAttribute('data-picture'));
        }
      }
    },
    { rootMargin: '300px' },
  );

  /** Draws what is still out of view, for paper. */
  hengfa.drawAll = () =>
    Promise.all(
      [...document.querySelectorAll('.picture-place:not([data-drawn])')].map((place) => {
        seen.unobserve(place);
        return draw(place, place.getAttribute('data-picture'));
      }),
    );
  window.addEventListener('beforeprint', () => {
    hengfa.drawAll();
  });

  function pictureOf(info) {
    const title = hengfa.say(info.title);
    const place = make('div.picture-place', {
      'data-picture': info.id,
      role: 'img',
      'aria-label': title,
    });
    seen.observe(place);
    const note = hengfa.say(info.note);
    return make(
      'figure.picture',
      { id: `picture-${info.id}` },
      make('figcaption', {}, make('strong', {}, title), note && make('span.note', {}, note)),
      make('div.picture-box', { tabindex: 0 }, place),
    );
  }

  /** The pictures with these names that belong to the state of the switch for published models. */
  hengfa.picturesOf = (ids, published) => {
    tip?.remove();
    const infos = (ids ?? [])
      .map((id) => hengfa.site.pictures[id])
      .filter((info) => info && (!hengfa.here(info.published) || info.published === published));
    return infos.length ? make('div.pictures', {}, infos.map(pictureOf)) : null;
  };
})();
