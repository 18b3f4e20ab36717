"""A real browser for the tests of the site: Debian's Chromium, opened on files."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
NEEDS_CHROMIUM = pytest.mark.optional("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@contextmanager
def launched() -> Iterator[Any]:
    """A browser; the test is skipped where there is none."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, index: Path, address: str = "", **options: Any) -> Iterator[Any]:
    """A page of a site that ends without errors, dialogs, or requests outside its folder."""
    given = {"viewport": WIDE, "locale": "zh-CN", "reduced_motion": "reduce"} | options
    context = browser.new_context(**given)
    page = context.new_page()
    page.set_default_timeout(15_000)
    problems: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda told: problems.append(told.text) if told.type == "error" else None)
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(index.as_uri() + address)
    settle(page)
    yield page
    owned = page.evaluate("window.owned ?? null")
    context.close()
    assert problems == []
    assert owned is None
    home = index.parent.as_uri() + "/"
    assert [one for one in asked if not one.startswith((home, "data:,"))] == []


def settle(page: Any) -> None:
    """Wait until the page of the address stands."""
    page.wait_for_selector("main[aria-busy=false]")


def go(page: Any, address: str) -> None:
    """Follow an address within the site; the page is marked as old until it is drawn anew."""
    page.evaluate(
        """(to) => {
          document.getElementById("page").setAttribute("aria-busy", "true");
          location.hash = to;
        }""",
        address,
    )
    settle(page)


def shot(page: Any, name: str) -> None:
    """A picture of the page for people, where they asked for it."""
    if folder := os.environ.get("HENGFA_SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"site-{name}.png"), full_page=True)
