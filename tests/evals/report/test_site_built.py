"""The site that is built from real runs of the built-in models, gone through page by page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hengfa.evals.report.site.boards import gather
from hengfa.evals.report.site.build import START, build_site
from tests.evals.report.browser import NEEDS_CHROMIUM, PHONE, go, opened, shot

pytestmark = NEEDS_CHROMIUM
SUITES = ("lawbench/1-2,2-1,3-1", "claw", "plawbench", "legalagentbench", "judgment")


@pytest.fixture(scope="session")
def built(site_home: Path) -> Path:
    """The first page of a site of floor and ceiling on a few samples of each suite.

    It is made before the browser, in whose event loop no run could be started.
    """
    from hengfa.cli.main import cli

    runs = site_home / "runs"
    given = ["--data", "sample", "--limit", "3", "--rules", "both", "--runs", str(runs)]
    for suite in SUITES:
        graded = ["--grader", "keywords"] if suite == "plawbench" else []
        for model in ("floor", "ceiling"):
            cli.main(["eval", suite, "--model", model, *given, *graded], standalone_mode=False)
    build_site(gather([str(runs)]), site_home / "built", built="2026-01-02T03:04:05+00:00")
    return site_home / "built" / START


def links(page: Any, selector: str) -> list[str]:
    found = page.locator(selector).evaluate_all("(all) => all.map((one) => one.hash)")
    return list(dict.fromkeys(found))


def draw_all(page: Any) -> int:
    """Draw every picture of the page; none may fail."""
    page.evaluate("hengfa.drawAll()")
    assert page.locator(".picture-place .notice").all_inner_texts() == []
    return int(page.locator(".picture-place svg").count())


@pytest.mark.parametrize(("locale", "rules"), [("zh-CN", "official"), ("en-GB", "corrected")])
def test_every_page_of_a_built_site_stands(
    browser: Any, built: Path, locale: str, rules: str
) -> None:
    with opened(browser, built, locale=locale) as page:
        assert draw_all(page) > 0
        suites = links(page, "nav a[data-page=suite]")
        assert len(suites) == len(SUITES)
        for suite in suites:
            go(page, f"{suite}?rules={rules}")
            assert draw_all(page) > 0
            assert page.locator(".board tbody tr").count() == 2
        go(page, f"#/model/floor?rules={rules}")
        assert draw_all(page) > 0
        assert page.locator("section").count() == len(SUITES)
        go(page, "#/hints")
        assert page.locator(".notice.important").count() == 1


@pytest.fixture(scope="session")
def few(built: Path) -> Path:
    """The same runs with one sample of each task."""
    site = built.parent.with_name("few")
    runs = gather([str(site.with_name("runs"))])
    build_site(runs, site, built="2026-01-02T03:04:05+00:00", samples=1)
    return site / START


def test_a_list_that_is_not_of_all_samples_says_so(few: Path, built: Path, browser: Any) -> None:
    with opened(browser, few, "#/samples") as page:
        page.wait_for_selector(".sample-link")
        assert page.locator(".sample-link").count() == 1
        assert "前 1 题" in page.inner_text(".page-head .first")
        assert " 3 题" in page.inner_text(".page-head .note:not(.first)")
    with opened(browser, built, "#/samples") as page:
        page.wait_for_selector(".sample-link")
        assert page.locator(".page-head .first").count() == 0


def test_every_task_of_a_built_site_has_samples_and_comparisons(browser: Any, built: Path) -> None:
    with opened(browser, built, viewport=PHONE) as page:
        tasks = page.evaluate("hengfa.site.tasks.map((one) => hengfa.links.samples(one))")
        for task in tasks:
            go(page, task)
            page.wait_for_selector(".sample-link")
            go(page, links(page, ".sample-link")[0])
            assert page.locator("article.column").count() == 2
            assert page.locator("article.column .response").count() == 2
            assert page.locator(".question .text").first.inner_text() != ""
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], task
        boards = page.evaluate(
            "hengfa.boards.map((one) => hengfa.links.compare(one.runs.map((run) => run.number)))"
        )
        assert len(boards) == len(SUITES)
        for board in boards:
            go(page, board)
            assert page.locator(".comparison tbody tr").count() > 0
            assert page.locator("svg.plot").count() > 0
        shot(page, "built-comparison")
