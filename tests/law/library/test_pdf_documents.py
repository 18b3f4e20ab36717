"""PDFs as documents: their paragraphs, pages that have no text, and files that mean harm."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from hengfa.base.errors import DataError, MissingExtra
from hengfa.law.library import pdf_text
from hengfa.law.library.documents import document_of
from tests.bounded import told_within

pytestmark = pytest.mark.optional("pypdfium2")

FONT = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H"
    " /DescendantFonts [<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light"
    " /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /DW 1000"
    " /FontDescriptor << /Type /FontDescriptor /FontName /STSong-Light /Flags 4 /ItalicAngle 0"
    " /Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 /FontBBox [-25 -254 1000 880] >> >>] >>"
)


def shown(lines: Sequence[str]) -> bytes:
    """The contents of a page with these lines."""
    return "".join(
        f"BT /F 10 Tf 1 0 0 1 50 {780 - 20 * number} Tm <{line.encode('utf-16-be').hex()}> Tj ET\n"
        for number, line in enumerate(lines)
    ).encode()


def pdf(*pages: bytes, flate: bool = False, more: str = "") -> bytes:
    """A file of pages with these contents; ``more`` goes into its trailer."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        FONT.encode(),
    ]
    for number, content in enumerate(pages):
        page = (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R"
            f" >> >> /Contents {5 + 2 * number} 0 R >>"
        )
        packed = "/Filter /FlateDecode " if flate else ""
        begun = f"<< {packed}/Length {len(content)} >>\nstream\n".encode()
        objects += [page.encode(), begun + content + b"\nendstream"]
    made, places = b"%PDF-1.7\n", list[int]()
    for number, value in enumerate(objects, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n".encode() + value + b"\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    count = len(objects) + 1
    head = f"xref\n0 {count}\n0000000000 65535 f \n"
    tail = f"trailer << /Size {count} /Root 1 0 R {more}>>\nstartxref\n{len(made)}\n%%EOF"
    return made + (head + table + tail).encode()


WIDE = "依照《中华人民共和国海岸法》第四条的规定，灯塔看守人应当在每日日落之前点灯，并且在"


def test_lines_of_a_paragraph_are_joined_and_page_numbers_left_out() -> None:
    first = [WIDE, "日出之后熄灯，违反第四", "第二段。", "- 1 -"]
    second = [WIDE[:-2] + "第六", "十四条处罚。", "2021年5月5日", "第 2 页 共 2 页"]
    document = document_of(pdf(shown(first), shown(second)), "a.pdf")
    assert document.text.split("\n") == [
        WIDE + "日出之后熄灯，违反第四", "第二段。", WIDE[:-2] + "第六十四条处罚。", "2021年5月5日",
    ]  # fmt: skip
    assert document.notes == ()


def test_english_lines_keep_their_blanks() -> None:
    lines = ["Under Article 563 of the PRC Civil Code the parties may", "rescind the contract."]
    assert document_of(pdf(shown(lines)), "a").text == " ".join(lines)


def test_pages_without_text_are_named() -> None:
    document = document_of(pdf(shown(["有字。"]), b"", b"0 0 10 10 re f"), "a.pdf")
    assert document.text == "有字。"
    (note,) = document.notes
    assert note == "2 of 3 pages have no text and were not read (scans?): 2, 3"
    with pytest.raises(DataError, match=r"a\.pdf: .*none of its 2 pages has text"):
        document_of(pdf(b"", b""), "a.pdf")


ENCRYPTED = (
    f"/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{'11' * 32}>"
    f" /U <{'22' * 32}> >> /ID [<{'33' * 16}> <{'33' * 16}>] "
)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (pdf(shown(["甲"]), more=ENCRYPTED), "protected by a password"),
        (b"%PDF-1.7", "cannot be read as a PDF"),
        (b"%PDF-1.7\n" + b"\xff" * 10_000, "cannot be read as a PDF"),
        (pdf(), "cannot be read as a PDF"),
    ],
)
def test_what_cannot_be_read_says_why(content: bytes, told: str) -> None:
    with pytest.raises(DataError, match=told):
        document_of(content, "a.pdf")


def test_a_damaged_file_is_read_or_refused_and_nothing_else() -> None:
    whole = pdf(shown(["依照《海岸法》第四条。"]), shown(["第二页。"]))
    outcomes = set()
    for place in range(0, len(whole), 11):
        for damaged in (whole[:place], whole[:place] + b"\x00\xff" + whole[place + 2 :]):
            try:
                document_of(damaged, "a.pdf")
                outcomes.add("read")
            except DataError:
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_limits_on_pages_text_and_time(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pdf(shown(["甲乙丙丁"]), shown(["戊"]))
    for name, limit, told in (
        ("MOST_PAGES", 1, "more than 1 pages"),
        ("MOST_CHARACTERS", 3, r"too much text \(page 1\)"),
        ("LONGEST", 0.0, "takes over"),
    ):
        with monkeypatch.context() as patched, pytest.raises(DataError, match=told):
            patched.setattr(pdf_text, name, limit)
            patched.setattr(pdf_text, "_READER", pdf_text._Reader())
            try:
                document_of(content, "a.pdf")
            finally:
                pdf_text._READER._end()


BOMBS: dict[str, tuple[bytes, int, set[str]]] = {
    "stream": (zlib.compress(b" " * 500_000_000, 9), 60, {"no error", "none of its 1 pages"}),
    "text": (zlib.compress(shown(["甲" * 40]) * 1_000_000, 1), 4, {"takes over 4 seconds"}),
}
"""What is in a file, the seconds that it may take, and what is said of it."""


@pytest.mark.parametrize("name", BOMBS)
def test_no_pdf_takes_a_gigabyte(tmp_path: Path, name: str) -> None:
    content, seconds, expected = BOMBS[name]
    (tmp_path / "bomb.pdf").write_bytes(pdf(content, flate=True))
    code = (
        "from pathlib import Path\nfrom hengfa.law.library import pdf_text\n"
        "from hengfa.law.library.documents import read_document\n"
        f"pdf_text.LONGEST = float({seconds})\n"
        f"read_document(Path({str(tmp_path / 'bomb.pdf')!r}))\n"
    )
    told = told_within(code, 2048)  # of which a half at most is the reading process
    assert any(words in told for words in expected), told


def test_whoever_reads_is_replaced_if_it_dies() -> None:
    content = pdf(shown(["甲方"]))
    assert document_of(content, "a.pdf").text == "甲方"
    process = pdf_text._READER._process
    assert process is not None
    process.kill()
    process.wait()
    assert document_of(content, "a.pdf").text == "甲方"


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_text, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"\.\[desk\]"):
        document_of(pdf(shown(["甲"])), "a.pdf")
