"""The sample browser: filters, search, links to one sample, runs side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.evals.report.browser import NEEDS_CHROMIUM, opened, settle, shot
from tests.evals.report.site_data import model_name, response, sample_id, value

pytestmark = NEEDS_CHROMIUM
LIST = "#/samples/harbour/zero_shot/1-1"


def link(sample: int, runs: str = "2,3") -> str:
    return f"#/sample/harbour/zero_shot/1-1/{quote(sample_id(sample), safe='')}?runs={runs}"


def told(page: Any, text: str) -> None:
    """Wait until the search is over and so many samples are shown."""
    page.wait_for_function(
        """(text) => {
          const [count, progress] = document.querySelector('.told')?.children ?? [];
          return progress?.hidden && count.textContent === text;
        }""",
        arg=text,
    )


def test_filters_narrow_the_list_and_stay_in_the_address(browser: Any, index: Path) -> None:
    with opened(browser, index, f"{LIST}?runs=3") as page:
        told(page, "40 / 40 题")
        page.select_option("#status", "filtered")
        told(page, "1 / 40 题")
        assert page.inner_text(".sample-id") == sample_id(7)
        assert "被过滤" in page.inner_text(".mini.failed")
        page.select_option("#status", "")
        page.fill("#min", "100")
        right = sum(value(3, place) == 1 for place in range(40))
        told(page, f"{right} / 40 题")
        page.fill("#min", "")
        page.fill("#max", "0")
        told(page, f"{40 - right - 1} / 40 题")  # what was filtered has no score
        page.fill("#max", "")
        page.select_option("[id='facet.place']", "灯塔")
        told(page, "20 / 40 题")
        page.select_option("#answer", "extracted")
        told(page, "20 / 40 题")  # sample 8, which was filtered, is of the other kind
        address = page.url
        page.reload()
        told(page, "20 / 40 题")
        assert page.url == address
        assert page.input_value("[id='facet.place']") == "灯塔"


def test_search_finds_prompts_references_and_responses(browser: Any, index: Path) -> None:
    with opened(browser, index, LIST) as page:
        page.fill("#q", "第 17 问")
        told(page, "1 / 40 题")
        assert "题目" in page.inner_text(".where")
        page.fill("#q", "点亮第 23 盏")
        page.wait_for_selector(".where:has-text('参考答案')")
        told(page, "1 / 40 题")
        page.fill("#q", f"{model_name(3)}答：第 31 盏")
        page.wait_for_selector(f".where:has-text('{model_name(3)}')")
        told(page, "1 / 40 题")
        page.fill("#q", "ONERROR")  # letters in either case
        page.wait_for_selector(".where:has-text('模型<img')")
        told(page, "1 / 40 题")
        page.select_option("#in", "questions")
        told(page, "0 / 40 题")
        page.fill("#q", "")
        told(page, "40 / 40 题")


def test_a_search_goes_on_from_the_address_and_marks_its_words(browser: Any, index: Path) -> None:
    with opened(browser, index, f"{LIST}?q={quote('第 17 问')}") as page:
        told(page, "1 / 40 题")
        page.click(".sample-link")
        page.wait_for_selector("article.column")
        assert page.inner_text(".question mark.hit") == "第 17 问"
        page.go_back()
        told(page, "1 / 40 题")


def test_a_search_can_be_stopped(browser: Any, long_site: Path) -> None:
    with opened(browser, long_site, LIST) as page:
        page.evaluate("hengfa.breathe = () => new Promise((done) => setTimeout(done, 50))")
        page.fill("#q", "灯")
        page.click("#stop")
        page.wait_for_selector(".told:has-text('搜索已停止')")
        before = page.inner_text(".told")
        page.wait_for_timeout(300)
        assert page.inner_text(".told") == before


def test_a_link_opens_one_sample_side_by_side(browser: Any, index: Path) -> None:
    with opened(browser, index, link(5)) as page:
        assert page.inner_text("h1") == f"题 {sample_id(5)}"
        columns = page.locator("article.column")
        assert columns.count() == 2
        second = columns.nth(1)
        assert second.locator(".response .text").first.inner_text() == response(3, 5)
        assert second.locator(".result .score").inner_text() == "0.00"
        assert not second.locator(".reasoning .text").is_visible()
        second.locator(".reasoning summary").click()
        assert second.locator(".reasoning .text").inner_text() == "先想一想<i>。"
        assert "日落时点亮第 6 盏。" in page.inner_text(".question")
        page.select_option("#add-run", label="ceiling")
        page.wait_for_function("() => document.querySelectorAll('article.column').length === 3")
        assert "runs=2,3,1" in page.url
        page.click("button[aria-label='去掉 ceiling']")
        page.wait_for_function("() => document.querySelectorAll('article.column').length === 2")
        shot(page, "sample")


def test_the_trace_points_into_the_response_by_characters(browser: Any, index: Path) -> None:
    with opened(browser, index, link(5, "2")) as page:
        # the span counts 𠮷 as one character, the browser as two
        assert page.evaluate("document.querySelector('mark.right').lastChild.data") == "日落时"
        trace = page.locator("table.trace")
        assert trace.locator("tbody tr").first.inner_text().split() == [
            "1", "<b>时刻</b>", "日落时", "日落时", "✓", "2", "/", "3", "见原文",
        ]  # fmt: skip
        assert "0 / 1" in trace.locator("tbody tr").nth(1).inner_text()
        assert "别的法律" in page.inner_text(".error-class")
        trace.locator(".to-mark").click()
        assert page.locator("mark.right.lit").count() == 1


def test_steps_follow_the_list_that_was_filtered(browser: Any, index: Path) -> None:
    with opened(browser, index, f"{LIST}?runs=3&min=100") as page:
        page.wait_for_selector(".sample-link")
        page.locator(".sample-link").nth(1).click()
        page.wait_for_selector("#next")
        assert sample_id(4) in page.inner_text("h1")  # every fourth is right
        page.click("#next")
        page.wait_for_selector(f"h1:has-text('{sample_id(8)}')")
        page.click("text=返回列表")
        told(page, "10 / 40 题")


def test_a_fresh_link_steps_through_all_samples(browser: Any, index: Path) -> None:
    with opened(browser, index, link(0)) as page:
        assert page.locator("a#previous").count() == 0
        page.click("#next")
        page.wait_for_selector(f"h1:has-text('{sample_id(1)}')")
        assert "runs=2,3" in page.url
        page.click("#previous")
        page.wait_for_selector(f"h1:has-text('{sample_id(0)}')")


def test_the_link_can_be_copied(browser: Any, index: Path) -> None:
    with opened(browser, index, link(5), permissions=["clipboard-read", "clipboard-write"]) as page:
        page.click("#copy")
        page.wait_for_function("() => document.getElementById('said').textContent !== ''")
        assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_the_rules_of_the_reading_can_be_changed(browser: Any, index: Path) -> None:
    with opened(browser, index, link(5)) as page:
        page.click("text=更正规则")
        page.wait_for_function("() => location.hash.includes('rules=corrected')")
        settle(page)
        assert page.locator("article.column").count() == 2


def test_only_rows_in_view_exist(browser: Any, long_site: Path) -> None:
    with opened(browser, long_site, LIST) as page:
        told(page, "2,000 / 2,000 题")
        assert page.locator(".row").count() < 60
        page.evaluate("document.querySelector('.long-list').scrollTop = 64 * 1000")
        page.wait_for_selector(f".sample-id:has-text('{sample_id(1003)}')")
        assert page.locator(".row").count() < 60
        page.focus(".row[data-place='1003'] a")
        page.keyboard.press("End")
        page.wait_for_selector(f".sample-id:has-text('{sample_id(1999)}')")
        assert page.evaluate("document.activeElement.parentNode.dataset.place") == "1999"
