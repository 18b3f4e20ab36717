"""The size the site is made for: 51 models, 20 tasks, 500 samples of each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.evals.report.browser import NEEDS_CHROMIUM, opened
from tests.evals.report.site_data import Size, write_site

pytestmark = NEEDS_CHROMIUM
PATIENCE = 5_000
"""Milliseconds. A quiet machine takes a tenth; a page that waits for all its data takes longer."""


@pytest.fixture(scope="module")
def large(site_home: Path) -> Path:
    return write_site(site_home / "large", Size(models=51, tasks=20, samples=500, with_texts=1))


def test_a_large_site_is_painted_soon_and_loads_only_what_it_shows(
    browser: Any, large: Path
) -> None:
    asked: list[str] = []
    with opened(browser, large) as page:
        paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].toJSON()")
        assert paint["startTime"] < PATIENCE
        page.on("request", lambda request: asked.append(request.url))
        page.reload()
        page.wait_for_selector(".board tbody tr")
        files = {one.rsplit("/data/")[1] for one in asked if "/data/" in one}
        assert {one for one in files if not one.startswith("pictures/")} == {"site.js"}
        assert page.locator(".board tbody tr").count() == 12  # the first ten and the built-in ones
        page.click(".more")
        assert page.locator(".board tbody tr").count() == 51


def test_a_search_in_all_responses_leaves_the_page_alive(browser: Any, large: Path) -> None:
    with opened(browser, large, "#/samples/harbour/zero_shot/1-1") as page:
        page.evaluate(
            """() => {
              window.watch = { frames: 0, searching: 0 };
              const tick = () => {
                window.watch.frames += 1;
                const line = document.querySelector(".told .progress");
                if (line && !line.hidden) window.watch.searching += 1;
                requestAnimationFrame(tick);
              };
              tick();
            }"""
        )
        page.fill("#q", "港口-17答：第 321 盏")
        # Counted by the page itself: seen from here, a quick search is over before it is looked at.
        for _ in range(1000):
            if page.evaluate("window.watch.searching"):
                break
            page.wait_for_timeout(20)
        page.wait_for_selector(".told .progress", state="hidden")
        assert page.locator(".sample-link").count() == 1
        assert page.evaluate("window.watch.searching") > 5  # frames drawn while it searched
