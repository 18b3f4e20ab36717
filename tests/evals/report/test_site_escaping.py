"""Nothing that a model or a file says becomes markup, a link, code, or a trick with letters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from hengfa.base.page import DOM
from hengfa.evals.report.site.build import PAGES
from hengfa.law.text.invisible import INVISIBLE
from tests.evals.report.browser import NEEDS_CHROMIUM, go, opened, shot
from tests.evals.report.site_data import NASTY, sample_id
from tests.unseen import UNSEEN, boxes, numbers

SCRIPTS = sorted(DOM.parents[1].rglob("*.js"))


def address(sample: int) -> str:
    return f"#/sample/harbour/zero_shot/1-1/{quote(sample_id(sample), safe='')}?runs=2"


@NEEDS_CHROMIUM
def test_an_attack_is_shown_letter_by_letter(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/about") as page:
        for sample, attack in enumerate(NASTY):
            go(page, address(sample))
            shown, inside = page.evaluate(
                """() => {
                  const text = document.querySelector(".response .text").cloneNode(true);
                  text.querySelectorAll(".finding-number").forEach((one) => one.remove());
                  const nodes = [...text.querySelectorAll("*")];
                  return [text.textContent, nodes.map((node) => node.tagName)];
                }"""
            )
            assert shown == attack
            assert set(inside) <= {"BDI", "MARK", "SUP"}


@NEEDS_CHROMIUM
def test_what_nobody_sees_is_shown_by_its_number(browser: Any, index: Path) -> None:
    with opened(browser, index, address(4)) as page:
        before = ["U+202E", "U+202C", "U+200B", "U+0000"]
        assert boxes(page, ".response .text") == [*before, *numbers(UNSEEN)]
        option = page.evaluate("(text) => hengfa.make('option', {}, text).innerHTML", UNSEEN)
        assert option == "".join(f"⟦{number}⟧法" for number in numbers(UNSEEN))
        shot(page, "unseen")


@NEEDS_CHROMIUM
def test_a_page_marks_what_python_calls_invisible(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/about") as page:
        marked = page.evaluate(
            """() => Array.from({ length: 0x110000 }, (_, code) => String.fromCodePoint(code))
              .flatMap((sign, code) => (hengfa.flat(sign) === sign ? [] : [code]))"""
        )
        assert page.evaluate("hengfa.flat('a\\r\\nb')") == "a\r\nb"
    assert marked == [code for code in range(0x110000) if INVISIBLE.match(chr(code))]


@NEEDS_CHROMIUM
def test_no_page_has_a_link_out_a_handler_or_a_foreign_element(browser: Any, index: Path) -> None:
    pages = ["#/", "#/suite/harbour/zero_shot", "#/compare/2,3", "#/hints", address(2)]
    pages += ["#/samples/harbour/zero_shot/1-1?q=javascript", "#/model/%3Cimg%20src%3Dx%3E"]
    with opened(browser, index) as page:
        for one in pages:
            go(page, one)
            found = page.evaluate(
                """() => ({
                  links: [...document.querySelectorAll("a")]
                    .map((node) => node.getAttribute("href"))
                    .filter((href) => !href.startsWith("#")),
                  handlers: [...document.querySelectorAll("*")].filter((node) => (
                    [...node.attributes].some(({ name }) => name.startsWith("on")))).length,
                  foreign: [...document.querySelectorAll("img, iframe, object, embed, form, b b")]
                    .filter((node) => !node.closest(".picture-place")).length,
                })"""
            )
            assert found == {"links": [], "handlers": 0, "foreign": 0}, one


@NEEDS_CHROMIUM
def test_the_builder_refuses_what_could_do_something(browser: Any, index: Path) -> None:
    with opened(browser, index, "#/about") as page:
        refused = page.evaluate(
            """() => [
              () => hengfa.make("a", { href: "javascript:window.owned=1" }),
              () => hengfa.make("a", { href: "https://evil.example/" }),
              () => hengfa.make("p", { onclick: "window.owned=1" }),
              () => hengfa.make("iframe", { srcdoc: "x" }),
              () => hengfa.make("p", { style: { "--v": "1" }, src: "x" }),
            ].map((attempt) => { try { attempt(); return false; } catch { return true; } })"""
        )
        assert refused == [True] * 5


@NEEDS_CHROMIUM
def test_the_walls_of_the_page_hold(browser: Any, index: Path) -> None:
    page = browser.new_page()
    page.goto(index.as_uri())
    page.wait_for_selector("main[aria-busy=false]")
    held = page.evaluate(
        """() => [
          () => { document.body.innerHTML = "<b>x</b>"; },
          () => { document.createElement("script").src = "https://evil.example/x.js"; },
          () => { document.createElement("script").src = "data/../../x.js"; },
          () => { document.createElement("script").text = "window.owned = 1"; },
          () => { document.write("<b>x</b>"); },
          () => { document.body.setAttribute("onclick", "window.owned = 1"); },
        ].map((attempt) => { try { attempt(); return false; } catch { return true; } })"""
    )
    assert held == [True] * 6
    page.evaluate(  # in a call of the test itself the browser would allow it
        """() => setTimeout(() => {
          try { new Function("window.owned = 1")(); } catch { window.evalHeld = true; }
        })"""
    )
    page.wait_for_function("() => window.evalHeld === true")
    page.close()


def test_the_policy_allows_nothing_unsafe() -> None:
    policy = re.search(
        r'Content-Security-Policy" content="([^"]+)"', (PAGES / "index.html").read_text("utf-8")
    )
    assert policy is not None
    assert "unsafe" not in policy[1]
    for part in (
        "default-src 'none'",
        "connect-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
    ):
        assert part in policy[1]


@pytest.mark.parametrize("script", SCRIPTS, ids=[one.name for one in SCRIPTS])
def test_no_script_makes_markup_or_code_of_text(script: Path) -> None:
    text = script.read_text("utf-8")
    is_module = re.search(r"^(?:im|ex)port ", text, re.MULTILINE)  # always strict
    assert is_module or text.startswith("'use strict';\n")
    sinks = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|import\("
    assert not re.search(sinks, text)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text)


def test_every_script_and_style_is_in_the_page() -> None:
    page = (PAGES / "index.html").read_text("utf-8")
    loaded = set(re.findall(r'(?:src|href)="assets/([^"]+)"', page))
    assert loaded == {one.name for one in [DOM, *PAGES.iterdir()] if one.suffix in {".js", ".css"}}
