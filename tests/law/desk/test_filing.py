"""A report in every format says the same, whatever the document says."""

from __future__ import annotations

import html
import io
import json
import re
import sys
import zipfile
from collections.abc import Callable
from datetime import date
from importlib import import_module
from pathlib import Path
from typing import Any, get_args
from xml.etree import ElementTree as ET

import pytest
from python_calamine import CalamineWorkbook

from hengfa.base.errors import MissingExtra, UsageError
from hengfa.law.desk.explain import Explainer
from hengfa.law.desk.filing import FORMATS, WORDS, Filing, file_document, fit, verdict, writer_of
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.store import Library
from hengfa.law.library.words import Lang
from tests.evals.report.browser import NEEDS_CHROMIUM, PHONE, WIDE, launched
from tests.law.library.citing_laws import CLOSED, COAST, HARBOUR, LANTERNS_2009
from tests.law.library.conftest import coast_file

_ = coast_file  # the fixture
LANGS: tuple[Lang, ...] = get_args(Lang)
HOSTILE = "<script>window.owned=1</script>]]><!--&amp;\"'=1+1{day}\x00\x1b[31m\x85\ufffe😀"
TEXT = f"""{HOSTILE}
《{COAST}》第四条规定：“{LANTERNS_2009}”
《{COAST}》第五条规定：“{CLOSED}”
《{COAST}》第六条规定：“海龟产卵期内，海滩自二十时至次日六时关闭。”
《{COAST}》第二条规定：“骑马的人应当走在水边{HOSTILE}，不得惊吓海龟。”
《{HARBOUR}》第二条；《{HOSTILE}法》第三条；《=HYPERLINK("x")法》第一条。
2021年5月5日
"""


def filing(file: Path, lang: Lang, *texts: str) -> Filing:
    with Library.open(file) as library:
        checker, today = Checker(library), date(2021, 5, 5)
        explainer = Explainer(checker)
        documents = [
            file_document(explainer.explain_all(report, lang), text)
            for n, text in enumerate(texts)
            for report in (checker.check(text, name=f"<b>{n}&.txt", today=today),)
        ]
    return Filing(lang, date(2021, 5, 6), "abc", tuple(documents), (fit(f"\ud800: {HOSTILE}"),))


NEEDED = {".docx": ("docx",), ".pdf": ("reportlab", "pypdfium2"), ".xlsx": ("xlsxwriter",)}
ENDINGS = {
    ending: pytest.param(ending, marks=pytest.mark.optional(*NEEDED.get(ending, ())))
    if ending in NEEDED
    else ending
    for ending in FORMATS
}
"""With what it takes to write and to read them."""


def written(report: Filing, ending: str) -> bytes:
    return writer_of(Path(f"report{ending}"))(report)


def _html(content: bytes) -> str:
    body = content.decode().split("</style>")[1]
    return html.unescape(re.sub("<[^>]*>", "", body))


def _docx(content: bytes) -> str:
    docx = import_module("docx")
    document = docx.Document(io.BytesIO(content))
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return "\n".join([*cells, *(paragraph.text for paragraph in document.paragraphs)])


def _pdf(content: bytes) -> str:
    pdfium = import_module("pypdfium2")
    pages = pdfium.PdfDocument(content)
    return "".join(pages[n].get_textpage().get_text_range() for n in range(len(pages)))


def _xlsx(content: bytes) -> str:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    sheets = (book.get_sheet_by_name(name).to_python() for name in book.sheet_names)
    return "\n".join(str(cell) for rows in sheets for row in rows for cell in row)


def _strings(plain: Any) -> list[str]:
    if isinstance(plain, str):
        return [plain]
    values = plain.values() if isinstance(plain, dict) else plain if isinstance(plain, list) else ()
    return [string for value in values for string in _strings(value)]


READERS: dict[str, Callable[[bytes], str]] = {
    ".html": _html,
    ".docx": _docx,
    ".pdf": _pdf,
    ".xlsx": _xlsx,
    ".json": lambda content: "\n".join(_strings(json.loads(content))),
}


def letters(text: str) -> str:
    """Without blanks, which lines that are broken lose, and what not all formats can have."""
    return re.sub(r"[\s\x00-\x1f□�\ufffe\U00010000-\U0010ffff]", "", text)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("ending", ENDINGS.values())
def test_every_format_has_every_finding(coast_file: Path, ending: str, lang: Lang) -> None:
    report = filing(coast_file, lang, TEXT, f"《{COAST}》第九条")
    said = letters(READERS[ending](written(report, ending)))
    findings = [finding for document in report.documents for finding in document.findings]
    statuses = [finding.checked.status for finding in findings]
    assert statuses == [
        "right",
        "wrong",
        "wording",
        "wrong",
        "wrong",
        "unknown",
        "unknown",
        "wrong",
    ]
    for finding in findings:
        explained = finding.explained
        words = [finding.written, explained.label, explained.problem, explained.sentence]
        words += [explained.day, explained.place, explained.provision, *explained.notes]
        words += explained.instead.splitlines()
        for told in words:
            assert letters(told) in said, told
    assert letters(report.not_read[0]) in said


def test_a_page_marks_each_citation_and_leads_to_what_is_said_of_it(coast_file: Path) -> None:
    report = filing(coast_file, "zh", TEXT)
    page = written(report, ".html").decode()
    (document,) = report.documents
    assert '<html lang="zh-CN">' in page
    assert letters(TEXT) in letters(_html(page.encode())), "the whole text stands in it"
    for finding in document.findings:
        assert page.count(f'id="t1-{finding.number}"') == 1
        assert page.count(f'id="c1-{finding.number}"') == 1
        assert page.count(f'href="#c1-{finding.number}"') == 2


def test_hostile_words_are_no_markup(coast_file: Path) -> None:
    page = written(filing(coast_file, "zh", TEXT), ".html").decode()
    assert not re.search(r"<script|<!--|<b>|]]>\w", page.split("</style>")[1])
    assert "\x00" not in page and "\x1b" not in page


@pytest.mark.optional("xlsxwriter")
def test_nothing_is_a_formula_or_a_link_in_a_workbook(coast_file: Path) -> None:
    content = written(filing(coast_file, "zh", TEXT), ".xlsx")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [archive.read(name).decode() for name in archive.namelist() if "sheets/" in name]
    assert sheets
    for sheet in sheets:
        assert "<f>" not in sheet and "hyperlink" not in sheet
    assert "=HYPERLINK" in _xlsx(content)


@pytest.mark.parametrize("ending", [ENDINGS[".docx"], ENDINGS[".xlsx"]])
def test_the_parts_of_office_files_are_xml(coast_file: Path, ending: str) -> None:
    content = written(filing(coast_file, "zh", TEXT), ending)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            if name.endswith((".xml", ".rels")):
                ET.fromstring(archive.read(name))


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_long_nonsense_is_written_in_a_moment(coast_file: Path, ending: str) -> None:
    text = "《" * 100_000 + f"《{COAST}》第四条" + "》" * 50_000
    report = filing(coast_file, "zh", text, f"《{COAST}》第四条" * 300, "")
    assert len(written(report, ending)) > 1_000


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_the_same_report_has_the_same_bytes(coast_file: Path, ending: str) -> None:
    if ending == ".docx":
        pytest.skip("its archive has the time of writing")
    report = filing(coast_file, "zh", TEXT)
    assert written(report, ending) == written(report, ending)


def test_only_problems(coast_file: Path) -> None:
    with Library.open(coast_file) as library:
        checker = Checker(library)
        report = checker.check(TEXT, today=date(2021, 5, 5))
        document = file_document(
            Explainer(checker).explain_all(report, "zh", only_problems=True), TEXT
        )
    assert "right" not in {finding.checked.status for finding in document.findings}
    assert document.counts["right"] == 1


def test_other_endings_are_refused() -> None:
    with pytest.raises(UsageError, match=r"\.html, \.docx, \.pdf, \.xlsx, \.json"):
        writer_of(Path("report.doc"))


def test_both_languages_have_other_words() -> None:
    assert all(zh != en for zh, en in zip(WORDS["zh"], WORDS["en"], strict=True))


@NEEDS_CHROMIUM
@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_the_page_in_a_browser(coast_file: Path, tmp_path: Path, size: dict[str, int]) -> None:
    report = filing(coast_file, "zh", TEXT)
    file = tmp_path / "report.html"
    file.write_bytes(written(report, ".html"))
    with launched() as browser:
        page = browser.new_page(viewport=size)
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("request", lambda request: told.append(request.url))
        page.goto(file.as_uri())
        assert told == [file.as_uri()]
        assert page.evaluate("window.owned ?? null") is None
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        page.click(".text a.wrong")
        card = page.locator("article:target")
        assert verdict(report.documents[0].findings[1]) in card.inner_text()
        card.locator("h4 a").click()
        assert page.locator(".text a:target").inner_text() == f"《{COAST}》第五条"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hengfa.law.desk.as_pdf", None)  # as if it lacked its library
    with pytest.raises(MissingExtra, match=r'a report as \.pdf needs .*"\.\[desk\]"'):
        writer_of(Path("report.pdf"))


@pytest.mark.parametrize("ending", ENDINGS.values())
def test_half_a_character_is_no_obstacle(coast_file: Path, ending: str) -> None:
    report = filing(coast_file, "zh", "《\ud800月法》第三条")
    assert "月法" in READERS[ending](written(report, ending))
