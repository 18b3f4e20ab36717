"""The page of the desk in a real browser: by keyboard, by finger, and with documents that mean
harm."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.evals.report.browser import NEEDS_CHROMIUM, PHONE, WIDE, launched
from tests.law.desk.desk_server import OPINION, Desk, running
from tests.law.library.citing_laws import COAST, LANTERNS_2009
from tests.law.library.citing_support import docx
from tests.law.library.conftest import coast_file
from tests.unseen import UNSEEN as ALL_UNSEEN
from tests.unseen import boxes, numbers

UNSEEN = ALL_UNSEEN.replace("\0", "法")  # with it, it would be no text
_ = coast_file  # the fixture
pytestmark = NEEDS_CHROMIUM
HOSTILE = (
    "<script>window.owned = 1</script><img src=x onerror=\"alert('1')\">\n"
    "《<b onclick=alert(1)>云港</b>法》第四条 </textarea><a href=javascript:alert(2)>第四条</a>\n"
    f"《{COAST}》第四条规定：“<svg onload=alert(3)>[-x-]{{+<i>y</i>+}}”\n{UNSEEN}\n"
    f"𠮷𠮷😀《{COAST}》第四条"
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as started:
        yield started


@pytest.fixture(scope="module")
def desk(coast_file: Path) -> Iterator[Desk]:
    with running(coast_file) as opened:
        yield opened


def is_error(told: Any) -> bool:
    """A message of the console; that a document was refused is one of the browser's own."""
    return told.type == "error" and "status of 422" not in told.text


@contextmanager
def page_at(browser: Any, desk: Desk, **options: Any) -> Iterator[Any]:
    """A page without errors or dialogs, which asks nobody but its own server."""
    context = browser.new_context(**{"viewport": WIDE, "reduced_motion": "reduce", **options})
    page = context.new_page()
    page.set_default_timeout(20_000)
    problems: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda told: problems.append(told.text) if is_error(told) else None)
    page.on("dialog", lambda dialog: problems.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(desk.url)
    page.wait_for_selector("#library:not(:empty), #told:not([hidden])")
    yield page
    owned = page.evaluate("window.owned ?? null")
    context.close()
    assert (problems, owned) == ([], None)
    hosts = {urlsplit(one).netloc for one in asked if not one.startswith(("data:", "blob:"))}
    assert hosts == {urlsplit(desk.url).netloc}


def check(page: Any, text: str) -> None:
    page.fill("#text", text)
    page.click("#check")
    page.wait_for_selector("#result:not([hidden])")


def shot(page: Any, name: str) -> None:
    if folder := os.environ.get("HENGFA_SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"desk-{name}.png"))


def statuses(page: Any) -> list[str]:
    seen = page.evaluate("[...document.querySelectorAll('mark')].map((mark) => mark.classList[0])")
    assert isinstance(seen, list)
    return seen


def test_a_pasted_document_is_read_by_keyboard_alone(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        shot(page, "zh-empty")
        page.focus("#text")
        page.keyboard.insert_text(OPINION)
        for _ in range(4):
            page.keyboard.press("Tab")
        page.focus("#check")
        page.keyboard.press("Enter")
        page.wait_for_selector("mark")
        assert len(statuses(page)) == 5
        page.keyboard.press("j")
        assert page.text_content("mark.now").endswith("第四条")
        detail = page.inner_text("#detail")
        assert "正确" in detail
        assert LANTERNS_2009 in detail
        assert "2020年3月1日" in detail
        page.keyboard.press("j")
        assert page.inner_text("#detail .verdict").startswith("≈")
        assert page.text_content("#detail li ins") == "间"
        assert page.text_content("#detail li del") == "内"
        shot(page, "zh-wording")
        page.keyboard.press("k")
        assert page.evaluate("document.activeElement === document.querySelector('mark.now')")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the next mark, which has the focus
        assert page.inner_text("#detail .verdict").startswith("≈")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement === document.querySelector('mark.now')")


def test_a_citation_leads_to_the_history_with_its_differences(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        check(page, OPINION)
        page.click("mark >> nth=0")
        page.click("#detail summary")
        page.wait_for_selector("ol.history")
        told = page.inner_text("ol.history")
        assert "2005" in told
        assert "核对所用" in page.inner_text("ol.history li.now")
        assert page.text_content("ol.history ins").startswith("一小时")
        shot(page, "zh-history")


def test_colours_and_signs_tell_verdicts_apart_and_filter_them(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        check(page, OPINION)
        looks = page.evaluate(
            """[...document.querySelectorAll('mark')].map((mark) => [
              mark.classList[0], getComputedStyle(mark, '::before').content,
              getComputedStyle(mark).backgroundColor])"""
        )
        by_status = {status: (sign, colour) for status, sign, colour in looks}
        signs, colours = zip(*by_status.values(), strict=True)
        assert len(by_status) >= 4
        assert len(set(signs)) == len(set(colours)) == len(by_status)
        page.click("#filters [data-status=wrong]")
        assert page.get_attribute("#filters [data-status=wrong]", "aria-pressed") == "true"
        page.keyboard.press("j")
        assert "wrong" in page.get_attribute("mark.now", "class")
        left_out = page.evaluate("document.querySelectorAll('mark.left-out').length")
        assert left_out == 5 - statuses(page).count("wrong")


def test_a_word_file_is_checked_in_english_by_finger_on_a_phone(
    browser: Any, desk: Desk, tmp_path: Path
) -> None:
    (tmp_path / "draft.docx").write_bytes(docx(*OPINION.splitlines()))
    with page_at(browser, desk, viewport=PHONE, has_touch=True) as page:
        shot(page, "phone-zh-empty")
        page.tap("#language")
        page.set_input_files("#file", tmp_path / "draft.docx")
        page.wait_for_selector("mark")
        page.tap("mark >> nth=1")
        assert page.inner_text("#detail .verdict").startswith("≈ differing")
        shot(page, "phone-en")
        page.tap("#close")
        assert not page.is_visible("#detail")
        assert page.is_visible("#exports")
        page.tap("#next")
        assert page.is_visible("#detail")
        places = [page.query_selector(node).bounding_box() for node in ("mark.now", "#detail")]
        assert places[0]["y"] + places[0]["height"] < places[1]["y"]
        page.tap("#language")
        page.wait_for_selector("#detail h3 >> text=说明")
        shot(page, "phone-zh")
        assert not page.evaluate("document.documentElement.scrollWidth > innerWidth")
        page.tap("#close")
        page.tap("#another")
        assert page.is_visible("#entry")


def test_the_report_is_exported(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        check(page, OPINION)
        formats = page.evaluate("[...document.querySelectorAll('#exports button')].length")
        assert formats == 6
        with page.expect_download() as saved:
            page.click("#exports [data-format=html]")
        assert saved.value.suggested_filename == "hengfa-report.html"
        report = Path(saved.value.path()).read_text("utf-8")
        assert LANTERNS_2009 in report
        shot(page, "zh-export")


def test_a_file_can_be_dropped_on_the_page(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        page.evaluate(
            """(text) => {
              const dataTransfer = new DataTransfer();
              dataTransfer.items.add(new File([text], '意见.txt'));
              document.body.dispatchEvent(
                new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
            }""",
            OPINION,
        )
        page.wait_for_selector("mark")
        assert len(statuses(page)) == 5


def test_a_hostile_document_is_shown_and_does_nothing(browser: Any, desk: Desk) -> None:
    with page_at(browser, desk) as page:
        check(page, HOSTILE)
        strange = "#document :is(script, img, a, b, i, svg), #detail :is(svg, i, script)"
        assert page.text_content("#document") == HOSTILE
        assert boxes(page, "#document") == numbers(UNSEEN)
        marked = page.evaluate("[...document.querySelectorAll('mark')].map((m) => m.textContent)")
        assert marked[-1] == f"《{COAST}》第四条"  # after characters of two units
        for _ in marked:
            page.keyboard.press("j")
            assert page.query_selector(strange) is None
        shot(page, "hostile")


@pytest.mark.parametrize(
    ("sign", "times"),
    [("《", 900_000), ("\u200b", 900_000), ("法\n", 100_000), (f"《{COAST}》第四条、", 2_000)],
)
def test_megabytes_of_one_sign_leave_the_page_alive(
    browser: Any, desk: Desk, tmp_path: Path, sign: str, times: int
) -> None:
    (tmp_path / "long.txt").write_text(sign * times)
    with page_at(browser, desk) as page:
        page.set_input_files("#file", tmp_path / "long.txt")
        page.wait_for_selector("#result:not([hidden])", timeout=60_000)
        page.click("#language")
        page.wait_for_selector("html[lang=en]")


def test_what_cannot_be_read_is_said_so(browser: Any, desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "bomb.docx").write_bytes(b"PK\x03\x04<script>")
    with page_at(browser, desk) as page:
        with page.expect_response("**/api/check*") as reply:
            page.set_input_files("#file", tmp_path / "bomb.docx")
        assert reply.value.status == 422
        page.wait_for_selector("#told[data-kind=problem]")
        assert "这个文件读不出来" in page.inner_text("#told")


def test_without_a_library_the_page_says_what_to_do(browser: Any, tmp_path: Path) -> None:
    with running(tmp_path / "law.sqlite") as desk, page_at(browser, desk) as page:
        assert "还没有法律库" in page.inner_text("#told")
        assert page.inner_text("#told code") == "hengfa law get"
        shot(page, "zh-no-library")


def test_a_page_of_another_origin_gets_nothing(browser: Any, desk: Desk, coast_file: Path) -> None:
    with running(coast_file) as other:
        context = browser.new_context(bypass_csp=True)
        page = context.new_page()
        page.goto(other.url)
        told = page.evaluate(
            """async (url) => {
              const tries = [
                fetch(`${url}api/about`),
                fetch(`${url}api/check`, {method: 'POST', body: '第四条'}),
                fetch(`${url}api/check`, {method: 'POST', body: '第四条', mode: 'no-cors'}),
              ];
              const seen = [];
              for (const reply of await Promise.allSettled(tries)) {
                seen.push(reply.status === 'fulfilled' ? await reply.value.text() : 'refused');
              }
              return seen;
            }""",
            desk.url,
        )
        context.close()
    assert told == ["refused"] * 3
