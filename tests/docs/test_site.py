"""The docs as a site: built strictly and offline, in both languages, searched from disk."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from tests.conftest import REPOSITORY
from tests.evals.report.browser import NEEDS_CHROMIUM, PHONE, launched

from hengfa.cli.reference import reference

NEEDS_ZENSICAL = pytest.mark.optional("zensical")
DEAD = "http://127.0.0.1:9"
OFFLINE = {"http_proxy": DEAD, "https_proxy": DEAD, "all_proxy": DEAD}
# What a browser loads by itself from elsewhere. Matches <script src="https://…">, url(//…),
# @import "https://…"; not <a href="https://…"> or url(data:…).
LOADED = re.compile(
    r"""<(?:script|link|img|iframe|source)\b[^>]*\b(?:src|srcset|href)=["']?(?:https?:)?//"""
    r"""|(?:url\(|@import)\s*["']?(?:https?:)?//"""
)
# A link within the site. Matches href="../agents.html#methods"; not href="https://…", "#top"
# or "/agents.html" (of the page 404, which a server shows).
OWN = re.compile(r"""\b(?:href|src)="(?!\w+:|/)([^"#?]+)""")


COMMANDS = "docs/commands.md"
"""Made when the site is built."""


def copied(folder: Path) -> Path:
    """The repository without what lies about in it, to build in."""
    for name in ("docs", "examples", "src"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(REPOSITORY / name, folder / name, ignore=ignored)
    for file in (*REPOSITORY.glob("*.md"), REPOSITORY / "zensical.toml"):
        shutil.copy(file, folder)
    (folder / COMMANDS).write_text(reference(), "utf-8")
    return folder


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict"],
        cwd=folder,
        env={**os.environ, **OFFLINE},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(tmp_path_factory.mktemp("docs-site"))
    done = build(folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "build" / "docs-site"


def pages_of(part: Any) -> list[str]:
    """The pages of a part of the navigation."""
    if isinstance(part, str):
        return [part]
    below = part.values() if isinstance(part, dict) else part
    return [page for entry in below for page in pages_of(entry)]


def test_every_page_is_in_the_navigation() -> None:
    named = pages_of(tomllib.loads((REPOSITORY / "zensical.toml").read_text())["project"]["nav"])
    docs = REPOSITORY / "docs"
    there = [page for part in ("", "benchmarks", "zh") for page in (docs / part).glob("*.md")]
    assert {page.relative_to(REPOSITORY).as_posix() for page in there} <= set(named)
    assert [page for page in named if not (REPOSITORY / page).is_file()] == [COMMANDS]


@NEEDS_ZENSICAL
def test_every_page_is_there_in_its_language(site: Path) -> None:
    for name in ("getting-started", "citations", "grading", "report", "agents"):
        for folder, language in ((site / "docs", "en"), (site / "docs" / "zh", "zh")):
            assert f'<html lang="{language}"' in (folder / f"{name}.html").read_text("utf-8")
    assert not list((site / "src").rglob("*.py"))


@NEEDS_ZENSICAL
def test_every_link_leads_to_a_file_of_the_site(site: Path) -> None:
    for page in site.rglob("*.html"):
        for link in OWN.findall(page.read_text("utf-8")):
            assert (page.parent / unquote(link)).exists(), f"{page.name}: {link}"


@NEEDS_ZENSICAL
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    files = [file for kind in ("html", "css") for file in site.rglob(f"*.{kind}")]
    assert len(files) > 50
    assert [file.name for file in files if LOADED.search(file.read_text("utf-8"))] == []


@NEEDS_ZENSICAL
def test_the_search_knows_chinese_words(site: Path) -> None:
    index = json.loads((site / "search.json").read_text("utf-8"))
    assert index["config"]["lang"] == ["zh"]
    grading = [item for item in index["items"] if item["location"] == "docs/zh/grading.html"]
    assert ["评分细则" in item["text"] for item in grading] == [True]


@NEEDS_ZENSICAL
@pytest.mark.parametrize("link", ["[gone](gone.md)", "[gone](models.md#gone)"])
def test_a_link_to_nowhere_fails_the_build(tmp_path: Path, link: str) -> None:
    with (copied(tmp_path) / "docs" / "agents.md").open("a", encoding="utf-8") as page:
        page.write(f"\n{link}\n")
    done = build(tmp_path)
    assert done.returncode != 0
    assert "agents.md" in done.stdout + done.stderr


@NEEDS_ZENSICAL
@NEEDS_CHROMIUM
@pytest.mark.parametrize(
    ("start", "word", "page"),
    [
        ("index.html", "abstains", "docs/"),
        ("README.zh.html", "合议", "docs/zh/grading.html"),
        ("docs/zh/report.html", "过程记录", "docs/zh/agents.html"),
    ],
)
def test_pages_opened_from_disk_can_be_searched(
    site: Path, start: str, word: str, page: str
) -> None:
    """By words inside a sentence too; and no page asks for anything outside its folder."""
    with launched() as browser:
        tab = browser.new_page()
        asked: list[str] = []
        tab.on("request", lambda request: asked.append(request.url))
        tab.goto((site / start).as_uri())
        tab.locator("header .md-search__button").click()
        tab.keyboard.type(word)
        tab.locator(f"li a[href*='{(site / page).as_uri()}']").first.wait_for()
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:"))] == []


@NEEDS_ZENSICAL
@NEEDS_CHROMIUM
@pytest.mark.parametrize("page", ["index.html", "docs/zh/citations.html", "docs/commands.html"])
def test_pages_fit_a_phone(site: Path, page: str) -> None:
    with launched() as browser:
        tab = browser.new_page(viewport=PHONE)
        tab.goto((site / page).as_uri())
        assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
