"""The page of an expert, in a real browser and against those who should not reach it."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from hengfa.evals.grading.people.expert_page import serve
from hengfa.evals.grading.people.notebook import Notebook
from hengfa.evals.grading.people.score_table import read_scores
from tests.evals.grading.scored_by_people import ANSWER, HOSTILE, submissions
from tests.evals.report.browser import NEEDS_CHROMIUM, launched
from tests.unseen import UNSEEN, boxes, numbers


@contextmanager
def serving(table: Path, rater: str = "张三") -> Iterator[str]:
    """The address of a page that is served in a thread until the end."""
    notebook = Notebook(submissions(), table, rater)
    loop = asyncio.new_event_loop()
    started = threading.Event()
    address = ""
    task: asyncio.Task[None] | None = None

    def ready(url: str) -> None:
        nonlocal address
        address = url
        started.set()

    async def run() -> None:
        nonlocal task
        task = asyncio.current_task()
        await serve(notebook, 0, ready)

    def work() -> None:
        try:
            loop.run_until_complete(run())
        except asyncio.CancelledError:
            pass
        finally:
            loop.close()

    thread = threading.Thread(target=work)
    thread.start()
    assert started.wait(10)
    try:
        yield address
    finally:
        assert task is not None
        loop.call_soon_threadsafe(task.cancel)
        thread.join()
        notebook.close()


def ask(
    address: str,
    path: str = "state",
    *,
    method: str = "GET",
    body: object = None,
    **headers: str,
) -> tuple[int, dict[str, str], bytes]:
    """One request; `Host=` and `Origin=` as given."""
    parts = urlsplit(address)
    assert parts.hostname
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=10)
    connection.request(
        method,
        path if path.startswith("/") else parts.path + path,
        None if body is None else json.dumps(body),
        {"Content-Type": "application/json", **headers},
    )
    reply = connection.getresponse()
    found = reply.status, dict(reply.getheaders()), reply.read()
    connection.close()
    return found


CHANGE = {"number": 0, "answer": {"type": "item", "id": "i1", "points": 1}}


def test_only_our_own_page_reaches_the_server(tmp_path: Path) -> None:
    with serving(tmp_path / "scores.csv") as address:
        own = address.rsplit("/", 2)[0]
        token = urlsplit(address).path
        assert urlsplit(address).hostname == "127.0.0.1"
        assert ask(address)[0] == 200
        assert ask(address, "/wrong-token/state")[0] == 403
        assert ask(address, "/")[0] == 403
        assert ask(address, token[:-3] + "/state")[0] == 403
        assert ask(address, Host="evil.example")[0] == 403
        assert ask(address, Host=f"evil.example:{urlsplit(address).port}")[0] == 403
        assert ask(address, Origin="https://evil.example")[0] == 403
        assert ask(address, Origin="null")[0] == 403

        def change(**headers: str) -> int:
            return ask(address, "change", method="POST", body=CHANGE, **headers)[0]

        assert change() == 403  # a browser always says where a POST comes from
        assert change(Origin="http://evil.example") == 403
        assert change(Origin=own, Host="evil.example") == 403
        assert not (tmp_path / "scores.csv").exists()
        assert change(Origin=own) == 200
        assert ask(address, "../../etc/passwd", Origin=own)[0] in {403, 404}
        assert ask(address, "answers.py")[0] == 404


def test_replies_carry_the_walls(tmp_path: Path) -> None:
    with serving(tmp_path / "scores.csv") as address:
        for path in ("", "state", "page.js", "nothing", "/wrong/"):
            headers = ask(address, path)[1]
            assert "default-src 'none'" in headers["Content-Security-Policy"]
            assert "unsafe" not in headers["Content-Security-Policy"]
            assert headers["X-Content-Type-Options"] == "nosniff"
            assert headers["Referrer-Policy"] == "no-referrer"
            assert headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    "body",
    [
        {"number": 9, "answer": {"type": "item", "id": "i1", "points": 1}},
        {"number": -1, "answer": {"type": "item", "id": "i1", "points": 1}},
        {"number": 0, "answer": {"type": "item", "id": "i1", "points": 99}},
        {"number": 0, "answer": {"type": "item", "id": "i1", "points": "1"}},
        {"number": 0, "answer": {"type": "nothing", "id": "i1"}},
        {"number": 0, "answer": {"type": "item", "id": "i1", "more": 1}},
        [],
        None,
    ],
)
def test_what_the_page_would_not_send_is_refused(tmp_path: Path, body: object) -> None:
    with serving(tmp_path / "scores.csv") as address:
        own = address.rsplit("/", 2)[0]
        status, _, said = ask(address, "change", method="POST", body=body, Origin=own)
        assert status == 400
        assert json.loads(said)["problem"]
    assert not (tmp_path / "scores.csv").exists()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with launched() as started:
        yield started


@contextmanager
def page_at(browser: Any, address: str, **options: Any) -> Iterator[Any]:
    """A page without errors, which asks nobody but its own server."""
    size = {"width": 1280, "height": 860}
    context = browser.new_context(viewport=size, **options)
    page = context.new_page()
    page.set_default_timeout(10_000)
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda told: errors.append(told.text) if told.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: errors.append(dialog.message))
    page.goto(address)
    page.wait_for_selector(".card")
    yield page
    context.close()
    assert errors == []
    assert {urlsplit(one).netloc for one in asked if not one.startswith("data:")} == {
        urlsplit(address).netloc
    }


def go_to(page: Any, response: str) -> None:
    for _ in range(len(submissions())):
        if page.text_content("#response") == response:
            return
        page.keyboard.press("ArrowLeft")
    for _ in range(len(submissions())):
        if page.text_content("#response") == response:
            return
        page.keyboard.press("ArrowRight")
    raise AssertionError("no such response")


def select(page: Any, start: int, end: int) -> None:
    page.evaluate(
        """([start, end]) => {
          const walker = document.createTreeWalker(document.getElementById("response"), 4);
          const range = document.createRange();
          let at = 0;
          for (let node = walker.nextNode(); node; node = walker.nextNode()) {
            const next = at + node.data.length;
            if (at <= start && start < next) range.setStart(node, start - at);
            if (at < end && end <= next) range.setEnd(node, end - at);
            at = next;
          }
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }""",
        [start, end],
    )


def saved(page: Any) -> None:
    page.wait_for_selector("#saved[data-state=saved]")


def shot(page: Any, name: str) -> None:
    if folder := os.environ.get("HENGFA_SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"expert-{name}.png"))


@NEEDS_CHROMIUM
def test_an_expert_scores_by_keyboard_and_goes_on_after_a_reload(
    tmp_path: Path, browser: Any
) -> None:
    table = tmp_path / "scores.csv"
    press_each = ["3", "Period", "5", "Shift+Digit1"]
    with serving(table) as address, page_at(browser, address) as page:
        go_to(page, ANSWER)
        for key in press_each:
            page.keyboard.press(key)
        start = ANSWER.index("《云港灯塔法》第三条")
        select(page, start, start + 10)
        page.keyboard.press("e")
        page.keyboard.press("c")
        page.keyboard.type("jk 12 引用正确")
        page.keyboard.press("Escape")
        page.keyboard.press("Enter")  # i2
        page.keyboard.press("f")
        page.keyboard.press("j")  # what is taken from the section
        page.keyboard.press("j")  # i3, of 10 points: two digits
        page.keyboard.press("1")
        page.keyboard.press("0")
        page.keyboard.press("ArrowDown")  # i4, with levels
        page.keyboard.press("2")
        page.keyboard.press("Enter")  # penalties
        page.keyboard.press("Shift+Digit1")
        page.keyboard.press("Shift+Digit1")
        saved(page)
        shot(page, "keyboard")
        assert page.text_content("#sum") == "17 / 20"  # 2.5 + 2.5 + 10 + 2
        page.reload()
        page.wait_for_selector(".card.now")
        assert page.text_content("#response") == ANSWER
        assert page.text_content(".card.now h3") == "整份答卷的扣分"
        assert page.text_content("#sum") == "17 / 20"
        assert page.inner_text(".card[data-card='0'] .evidence").startswith("《云港灯塔法》第三条")
        assert page.input_value(".card[data-card='0'] textarea") == "jk 12 引用正确"
        assert page.text_content("mark") == "《云港灯塔法》第三条"
        page.keyboard.press("k")
        page.keyboard.press("Backspace")
        saved(page)
        assert page.text_content("#sum") == "15 / 20"
    rows = {row.item: row for row in read_scores(table)}
    assert {name: row.points for name, row in rows.items() if row.is_item} == {
        "i1": 2.5, "i2": 2.5, "i3": 10,
    }  # fmt: skip
    assert rows["i1"].comment == "jk 12 引用正确"
    assert rows["i1"].evidence == ("《云港灯塔法》第三条",)
    assert rows["i1"].flags == ("d1",)
    assert {row.rater for row in rows.values()} == {"张三"}
    with serving(table) as address, page_at(browser, address) as page:
        assert page.text_content("#response") == ANSWER  # it goes on where something is missing
        assert "3/4" in page.text_content("#done")


@NEEDS_CHROMIUM
def test_a_hostile_response_is_shown_and_does_nothing(tmp_path: Path, browser: Any) -> None:
    table = tmp_path / "scores.csv"
    with serving(table) as address, page_at(browser, address) as page:
        go_to(page, HOSTILE)
        assert page.title() == "衡法 · 专家评分"
        assert page.query_selector("#response script, #response img, #response a") is None
        assert boxes(page, "#response") == ["U+202E", "U+202C", "U+200B", *numbers(UNSEEN)]
        # the words after the override run from left to right, as they stand
        order = page.evaluate(
            """() => {
              const text = [...document.getElementById("response").childNodes]
                .find((node) => node.data?.startsWith("分满给请"));
              const left = (at) => {
                const range = document.createRange();
                range.setStart(text, at);
                range.setEnd(text, at + 1);
                return range.getBoundingClientRect().left;
              };
              return [left(0), left(1), left(2), left(3)];
            }"""
        )
        assert order == sorted(order)
        start, end = HOSTILE.index("<img"), HOSTILE.index("分满给请") + 4
        select(page, start, end)
        page.keyboard.press("e")
        page.keyboard.press("4")
        saved(page)
        shot(page, "hostile")
        page.reload()
        page.wait_for_selector(".evidence")
        assert page.query_selector(".evidence img") is None
        assert page.title() == "衡法 · 专家评分"
    [row] = [row for row in read_scores(table) if row.item == "i1"]
    assert row.evidence == (HOSTILE[start:end].strip(),)


@NEEDS_CHROMIUM
def test_everything_can_be_done_with_a_finger_in_english(tmp_path: Path, browser: Any) -> None:
    table = tmp_path / "scores.csv"
    with serving(table) as address, page_at(browser, address, has_touch=True) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        go_to(page, ANSWER)
        page.tap("#language")
        assert page.text_content("#next") == "next →"
        page.tap(".card[data-card='0'] .points button >> text=3")
        page.tap(".card[data-card='0'] .faults li:nth-child(2) label")
        page.fill(".card[data-card='0'] .faults li:nth-child(2) input[type=number]", "3")
        page.keyboard.press("Enter")
        page.fill(".card[data-card='1'] .points input", "1.25")
        page.keyboard.press("Enter")
        page.tap(".card[data-card='4'] .points button >> text=好 4")
        saved(page)
        shot(page, "phone")
        wide = page.evaluate("document.documentElement.scrollWidth > innerWidth")
        assert not wide
    points = {row.item: row.points for row in read_scores(table) if row.is_item}
    assert points == {"i1": 1.5, "i2": 1.25, "i4": 4}  # 3 less 3 times 0.5


@NEEDS_CHROMIUM
def test_the_page_says_so_when_nothing_is_saved(tmp_path: Path, browser: Any) -> None:
    """Without its server nothing says saved, and what was given is sent when it answers again."""
    table = tmp_path / "scores.csv"
    with serving(table) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(address)
        page.wait_for_selector(".card")
        page.route("**/change", lambda route: route.abort())
        page.keyboard.press("3")
        page.wait_for_selector("#saved[data-state=unsaved]")
        assert not table.exists()
        page.unroute("**/change")
        saved(page)
        assert [row.points for row in read_scores(table) if row.is_item] == [3]
        context.close()
