"""The pages of the site in a real browser: what they show, and how they are used."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from msgspec.structs import replace

from hengfa.evals.report.site.build import put_data
from tests.evals.report.browser import NEEDS_CHROMIUM, PHONE, go, opened, settle, shot
from tests.evals.report.site_data import NASTY_NAME, Size, model_name, sample_id, site

pytestmark = NEEDS_CHROMIUM
SUITE = "#/suite/harbour/zero_shot"
PAGES = {
    "overview": "#/",
    "suite": SUITE,
    "model": f"#/model/{quote(model_name(3), safe='')}",
    "compare": "#/compare/2,3",
    "samples": "#/samples/harbour/zero_shot/1-1",
    "sample": f"#/sample/harbour/zero_shot/1-1/{quote(sample_id(5), safe='')}?runs=2,3",
    "hints": "#/hints",
    "papers": "#/papers/harbour",
    "about": "#/about",
}


def texts(page: Any, selector: str) -> list[str]:
    return [one.strip() for one in page.locator(selector).all_inner_texts()]


def test_the_leaderboard_has_scores_intervals_and_rulers(browser: Any, index: Path) -> None:
    with opened(browser, index) as page:
        assert page.inner_text("h1") == "云港评测报告"
        names = texts(page, ".board tbody th.name bdi")
        assert names[0] == "ceiling"
        assert names[-2:] == [model_name(3), "floor"]
        third = page.locator(".board tbody tr", has_text=model_name(3))
        assert third.locator(".score").first.inner_text() == "25.00"
        assert "20.00–30.00" in third.inner_text()
        assert (
            third.locator("svg.plot").get_attribute("aria-label") == "25.00，95% 区间 20.00–30.00"
        )
        assert third.locator("svg .range").count() == 1
        assert third.locator("svg .limit").count() == 2  # floor and ceiling
        assert page.locator("tr.builtin").count() == 2
        assert page.locator("tr.builtin svg .range").count() == 0
        shot(page, "overview")


def test_a_model_that_was_trained_on_the_test_is_marked(
    browser: Any, index: Path, tmp_path: Path
) -> None:
    """On the board, beside others, and on its own page; a notice says what it means."""
    marked = Path(shutil.copytree(index.parent, tmp_path / "marked"))
    whole = site(Size())
    runs = [replace(run, trained=(6, 8)) if run.number == 3 else run for run in whole.runs]
    put_data(marked, "site", replace(whole, runs=runs))
    with opened(browser, marked / "index.html") as page:
        row = page.locator(".board tbody tr", has_text=model_name(3))
        assert row.locator(".tag").inner_text() == "用测试题训练过"
        assert "8 道题中的 6 道" in (row.locator(".tag").get_attribute("title") or "")
        assert page.locator("tr .tag", has_text="用测试题训练过").count() == 1
        assert "‡" in page.inner_text(".notice")
        go(page, PAGES["compare"])
        assert f"{model_name(3)} ‡" in page.inner_text("main")
        go(page, PAGES["model"])
        assert "8 道题中的 6 道" in page.inner_text("main")
    with opened(browser, index) as page:
        assert "用测试题训练过" not in page.inner_text("main")


def test_published_models_come_with_a_switch(browser: Any, index: Path) -> None:
    with opened(browser, index) as page:
        assert "GPT-P" not in page.inner_text("main")
        page.check("#published")
        page.wait_for_selector("tr.published")
        assert "GPT-P" in page.inner_text("tr.published")
        assert "62.00" in page.inner_text("tr.published")
        assert page.url.endswith("?published=1")
        page.reload()
        page.wait_for_selector("tr.published")
        page.uncheck("#published")
        page.wait_for_selector("tr.published", state="detached")


def test_the_language_switches_and_is_remembered(browser: Any, index: Path) -> None:
    with opened(browser, index, SUITE) as page:
        page.wait_for_selector("[data-picture=bars] svg")
        assert "得分" in page.locator("[data-picture=bars]").inner_text()
        page.click("#language")
        page.wait_for_selector("h1:has-text('Yungang · zero-shot')")
        assert page.evaluate("document.documentElement.lang") == "en"
        page.locator("[data-picture=bars]").scroll_into_view_if_needed()
        page.wait_for_selector("[data-picture=bars][data-drawn=en] svg")
        assert "score" in page.locator("[data-picture=bars]").inner_text()
        chinese = re.compile(r"[\u4e00-\u9fff]")
        own = page.locator("main h1, main h2, main .note, main thead, main .label")
        assert [one for one in own.all_inner_texts() if chinese.search(one)] == []
        page.reload()
        settle(page)
        assert "Leaderboard" in page.inner_text("main")


def test_the_first_language_is_the_browsers(browser: Any, index: Path) -> None:
    with opened(browser, index, locale="de-DE") as page:
        assert page.inner_text("h1") == "Report on Yungang"


def test_both_languages_have_the_same_words(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/about") as page:
        found = page.evaluate(
            """() => {
              const names = (words, path) => Object.entries(words).flatMap(([name, value]) => (
                value && typeof value === "object" && !Array.isArray(value)
                  ? names(value, `${path}${name}.`) : [`${path}${name} ${typeof value}`]));
              return [names(hengfa.words.zh, ""), names(hengfa.words.en, "")];
            }"""
        )
        assert sorted(found[0]) == sorted(found[1])


def test_every_word_that_a_page_says_exists(browser: Any, index: Path) -> None:
    scripts = "".join(one.read_text("utf-8") for one in (index.parent / "assets").glob("p*.js"))
    used = set(re.findall(r"\bword\('(\w+)'", scripts))
    assert len(used) > 50
    with opened(browser, index, "#/about") as page:
        known = set(page.evaluate("Object.keys(hengfa.words.zh)"))
    assert used - known == set()


def test_tables_sort_by_their_heads(browser: Any, index: Path) -> None:
    with opened(browser, index, SUITE) as page:
        head = page.locator(".heatmap").first.locator("th", has_text="1-2")
        head.locator("button").click()
        rows = page.locator(".heatmap").first.locator("tbody tr td:nth-child(3)")
        falling = [float(one.strip("○ \n")) for one in rows.all_inner_texts()]
        assert falling == sorted(falling, reverse=True)
        assert head.get_attribute("aria-sort") == "descending"
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        rising = [float(one.strip("○ \n")) for one in rows.all_inner_texts()]
        assert rising == falling[::-1]
        assert "tasks=1-2" in page.url
        page.reload()
        settle(page)
        assert head.get_attribute("aria-sort") == "ascending"


def test_the_suite_page_shows_tasks_kinds_and_failures(browser: Any, index: Path) -> None:
    with opened(browser, index, SUITE) as page:
        tables = texts(page, "section h2")
        assert tables == ["排行", "各项任务", "按题目类别", "没有得到回答的题"]
        ledger = page.locator("section", has_text="没有得到回答的题").locator("table").first
        row = ledger.locator("tr", has_text=model_name(3))
        assert row.inner_text().split() == [model_name(3), "117", "3"]  # of three tasks
        assert page.locator(".abstained").count() == 3  # a quarter of run 3 has no answer
        assert "n=20" in page.locator("section", has_text="按题目类别").inner_text()
        page.click("text=更正规则")
        page.wait_for_selector(".choice a[aria-current]:has-text('更正规则')")
        assert "rules=corrected" in page.url
        shot(page, "suite")


def test_a_cell_leads_to_its_samples(browser: Any, index: Path) -> None:
    with opened(browser, index, SUITE) as page:
        page.locator(".heatmap").first.locator("tr", has_text=model_name(3)).locator(
            "a.heat"
        ).first.click()
        page.wait_for_selector(".long-list .row")
        assert "samples/harbour/zero_shot/1-1?runs=3" in page.url


def test_the_model_page_shows_all_of_a_run(browser: Any, index: Path) -> None:
    with opened(browser, index, PAGES["model"]) as page:
        text = page.inner_text("main")
        for expected in (
            model_name(3),
            "12万 / 3.4万",
            "1.25 CNY",
            "2 分钟",
            "被过滤 1",
            "别的法律 3",
            "25.0%",
        ):
            assert expected in text
        page.click("summary:has-text('2 项') >> nth=0")
        assert "编辑距离 12.00" in page.inner_text("main")
        shot(page, "model")


def test_a_comparison_says_what_the_data_supports(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/compare/3,2") as page:
        row = page.locator(".comparison tr", has_text="总分")
        assert "−50.00" in row.inner_text()  # 25 less 75, turned round from the pair 2,3
        assert "−55.00 … −45.00" in row.inner_text()
        assert "0 : 20" in row.inner_text()
        assert "支持：模型<img" in row.inner_text()
        assert page.inner_text(".verdicts") == "2 与 3：<b>如此。"
        page.click("#swap")
        page.wait_for_function("() => location.hash.includes('compare/2,3')")
        settle(page)
        page.locator(".comparison tr", has_text="1-1").locator("a").click()
        page.wait_for_selector("#differ:checked")
        assert page.inner_text(".told").startswith("21 / 40")  # half, and one that was filtered
        shot(page, "differing")


def test_many_runs_are_compared_in_a_matrix(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/compare/2,3") as page:
        page.select_option("#add", label="floor")
        page.wait_for_selector("a.difference")
        assert page.url.endswith("compare/2,3,0")
        assert page.locator("a.difference").count() == 6
        page.locator("a.difference[data-verdict=better]").first.click()
        page.wait_for_selector(".verdicts")
        shot(page, "compare")


def test_a_table_of_a_paper_has_runs_and_remarks(browser: Any, index: Path) -> None:
    with opened(browser, index, PAGES["papers"]) as page:
        assert texts(page, "section h2") == ["表 1：灯塔"]
        assert texts(page, "table.exhibit tbody th") == ["GPT-P", f"{model_name(2)} ▸"]
        assert texts(page, ".remarks li") == ["论文公布: table 1"]
        page.wait_for_selector(".picture-place[data-drawn=zh]")
        page.click("#language")
        page.wait_for_selector(".picture-place[data-drawn=en]")
        assert texts(page, "section h2") == ["Table 1: lighthouses"]


def test_hints_say_that_they_are_hints(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/hints") as page:
        assert "不是结论" in page.inner_text(".notice.important")
        assert "回答相同<b>。" in page.inner_text("main")
        page.click("text=看这一题")
        page.wait_for_selector("article.column")
        assert page.locator("article.column").count() == 2
        assert sample_id(1) in page.inner_text("h1")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_a_phone(browser: Any, index: Path, scheme: str) -> None:
    with opened(browser, index, viewport=PHONE, color_scheme=scheme, has_touch=True) as page:
        for name, address in PAGES.items():
            go(page, address)
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= PHONE["width"], name
            shot(page, f"{name}-{scheme}-phone")


def test_paper_is_white_and_has_nothing_to_press(browser: Any, index: Path) -> None:
    with opened(browser, index, PAGES["sample"], color_scheme="dark") as page:
        page.emulate_media(media="print")
        assert (
            page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
        )
        assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        for gone in ("#nav", "#language", ".steps", ".runs"):
            assert not page.locator(gone).is_visible()
        assert page.locator(".column .text").first.is_visible()
        assert page.pdf().startswith(b"%PDF")
        go(page, SUITE)
        page.evaluate("hengfa.drawAll()")
        page.wait_for_selector("[data-picture=bars] svg")
        page.set_viewport_size({"width": 690, "height": 1000})  # A4 within its margins
        assert page.evaluate("document.documentElement.scrollWidth") <= 690


def test_everything_is_within_reach_of_the_keyboard(browser: Any, index: Path) -> None:
    with opened(browser, index) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.tagName") != "BODY"
        page.focus("#skip")
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "page"
        page.focus("nav a[data-page=samples]")
        page.keyboard.press("Enter")
        page.wait_for_selector(".long-list .row")
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.id") == "q"
        page.focus(".sample-link")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        page.wait_for_selector("article.column")
        assert sample_id(2) in page.inner_text("h1")
        page.focus("h1")
        page.keyboard.press("ArrowRight")
        page.wait_for_selector(f"h1:has-text('{sample_id(3)}')")
        page.keyboard.press("ArrowLeft")
        page.wait_for_selector(f"h1:has-text('{sample_id(2)}')")


def test_pictures_load_the_library_only_when_they_are_seen(browser: Any, index: Path) -> None:
    asked: list[str] = []
    with opened(browser, index, "#/about") as page:
        page.on("request", lambda request: asked.append(request.url))
        go(page, "#/compare")
        assert not any("vega" in one for one in asked)
        go(page, SUITE)
        page.locator("[data-picture=bars]").scroll_into_view_if_needed()
        page.wait_for_selector("[data-picture=bars] svg")
        assert sum("vega" in one for one in asked) == 1
        assert page.locator("[data-picture=bars-published]").count() == 0
        page.locator("[data-picture=bars] svg path[aria-roledescription=bar]").first.hover()
        tip = page.locator(".tip")
        tip.wait_for()
        assert "<b>甲</b>" in tip.inner_text()


def test_an_unknown_address_and_a_missing_file_are_said_in_words(
    browser: Any, index: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(index.parent, broken)
    (broken / "data" / "tasks" / "0" / "samples.js").unlink()
    (broken / "data" / "compare" / "harbour" / "zero_shot" / "official.js").write_text("")
    page = browser.new_page(locale="zh-CN")  # the browser itself complains of the missing file
    page.goto((broken / "index.html").as_uri() + "#/nowhere/at/all")
    settle(page)
    assert "没有这一页" in page.inner_text("h1")
    go(page, "#/samples/harbour/zero_shot/1-1")
    assert "data/tasks/0/samples.js" in page.inner_text(".notice.bad")
    go(page, "#/compare/2,3")
    assert "内容不对" in page.inner_text(".notice.bad")
    for address in ("#/suite/none", "#/model/none", "#/sample/a/b/c/d", "#/%E0%A4%A"):
        go(page, address)
        assert "没有这一页" in page.inner_text("h1")
    page.close()


def test_a_browser_that_cannot_unpack_is_told_so(browser: Any, index: Path) -> None:
    page = browser.new_page(locale="en-GB")
    page.add_init_script("delete window.DecompressionStream")
    page.goto(index.as_uri())
    page.wait_for_selector(".notice.bad")
    assert "DecompressionStream" in page.inner_text(".notice.bad")
    page.close()


def test_a_model_with_an_odd_name_has_a_page(browser: Any, index: Path) -> None:
    with opened(browser, index) as page:
        page.locator(".board a", has_text="模型<img").first.click()
        page.wait_for_selector("h1:has-text('模型')")
        assert NASTY_NAME.split("\u202e")[0] in page.inner_text("h1")
        assert page.get_attribute("h1 .control", "data-code") == "U+202E"
        assert "⟦U+202E⟧" in page.title()
