"""Documents as they come: encodings, Word files, and files that mean harm."""

from __future__ import annotations

import io
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from hengfa.base.data import archives
from hengfa.base.errors import DataError
from hengfa.law.library.documents import read_document, read_docx
from tests.bounded import told_within
from tests.law.library.citing_support import WORD, archive, body, docx

TEXT = "依照《云港海岸法》第四条。"


@pytest.mark.parametrize(
    ("encoding", "remark"),
    [("utf-8", ""), ("utf-8-sig", ""), ("gb18030", "GB18030"), ("utf-16", "UTF-16")],
)
def test_encodings_of_chinese_texts(tmp_path: Path, encoding: str, remark: str) -> None:
    file = tmp_path / "draft.txt"
    file.write_bytes(f"{TEXT}\r\n第二行\r末行".encode(encoding))
    found = read_document(file)
    assert found.text == f"{TEXT}\n第二行\n末行"
    assert remark in " ".join(found.notes)


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        pytest.param("a.txt", b"%PDF-1.7", "PDF", marks=pytest.mark.optional("pypdfium2")),
        ("a.doc", b"\xd0\xcf\x11\xe0", "save it as .docx"),
        ("a.xlsx", b"data", "not a text"),
        ("a.txt", "第1条".encode("utf-16-le"), "UTF-16"),
        ("a.txt", b"text\x00text", "not a text"),
        ("a.docx", b"no archive", "Word document"),
        ("a.txt", archive({"x": "y"}), "no body"),
    ],
)
def test_what_is_no_document_says_what_to_do(
    tmp_path: Path, name: str, content: bytes, what: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=what) as error:
        read_document(tmp_path / name)
    assert name in str(error.value)


def test_a_missing_file_and_a_large_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_document(tmp_path / "absent.txt")
    monkeypatch.setattr("hengfa.law.library.documents.LARGEST", 10)
    (tmp_path / "large.txt").write_bytes(b"x" * 11)
    with pytest.raises(DataError, match="split it"):
        read_document(tmp_path / "large.txt")


# --- Word ---


def test_a_word_document_is_read_in_order(tmp_path: Path) -> None:
    table = (
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>表一</w:t></w:r></w:p></w:tc>"
        "<w:tc><w:p><w:r><w:t>表二</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
    noted = '<w:p><w:r><w:t>正文</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>脚注</w:t></w:r></w:p></w:footnote></w:footnotes>'
    )
    file = tmp_path / "a.docx"
    file.write_bytes(docx("首段", table, noted, "末段", footnotes=notes))
    assert read_document(file).text.split("\n") == ["首段", "表一", "表二", "正文", "脚注", "末段"]


def test_endnotes_tabs_breaks_and_tracked_changes() -> None:
    paragraph = (
        "<w:p><w:pPr><w:rPr><w:t>样式</w:t></w:rPr></w:pPr>"
        "<w:r><w:t>第</w:t><w:t>四</w:t></w:r><w:del><w:r><w:delText>五</w:delText></w:r></w:del>"
        "<w:ins><w:r><w:t>条</w:t></w:r></w:ins><w:r><w:tab/><w:t>甲</w:t><w:br/><w:t>乙</w:t></w:r>"
        "<w:r><w:instrText>PAGE</w:instrText></w:r>"
        '<w:r><w:endnoteReference w:id="1"/></w:r></w:p>'
    )
    notes = (
        f'<w:endnotes xmlns:w="{WORD}"><w:endnote w:id="1"><w:p><w:r><w:t>尾注</w:t></w:r></w:p>'
        "</w:endnote></w:endnotes>"
    )
    assert read_docx(docx(paragraph, endnotes=notes), "a.docx") == "第四条\t甲\n乙\n尾注"


def test_text_boxes_are_read_once() -> None:
    compatible = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    box = "<w:txbxContent><w:p><w:r><w:t>框</w:t></w:r></w:p></w:txbxContent>"
    paragraph = (
        f'<w:p><w:r><mc:AlternateContent xmlns:mc="{compatible}"><mc:Choice>{box}</mc:Choice>'
        f"<mc:Fallback>{box}</mc:Fallback></mc:AlternateContent><w:t>外</w:t></w:r></w:p>"
    )
    assert read_docx(docx(paragraph), "a.docx").split("\n") == ["框", "外"]


def test_the_body_may_lie_elsewhere_and_be_strict() -> None:
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r" Target="/word/document2.xml" Type="http://purl.oclc.org/ooxml/'
        'officeDocument/relationships/officeDocument"/></Relationships>'
    )
    strict = body("严格").replace(WORD, "http://purl.oclc.org/ooxml/wordprocessingml/main")
    content = archive({"_rels/.rels": relations, "word/document2.xml": strict})
    assert read_docx(content, "a.docx") == "严格"


def refused(content: bytes, why: str) -> None:
    with pytest.raises(DataError, match=why) as error:
        read_docx(content, "evil.docx")
    assert "evil.docx" in str(error.value)


def test_entities_are_refused_before_anything_is_expanded() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    bomb = f'<!DOCTYPE x [<!ENTITY l0 "ha">{laughs}]>' + body("&l11;")
    started = time.monotonic()
    refused(archive({"word/document.xml": bomb}), "declares entities")
    outside = '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + body("&x;")
    refused(archive({"word/document.xml": outside}), "declares entities")
    dtd = '<!DOCTYPE x SYSTEM "http://attacker.example/x.dtd">' + body("文")
    refused(archive({"word/document.xml": dtd}), "declares entities")
    assert time.monotonic() - started < 2


def test_a_part_is_read_up_to_a_limit_whatever_the_archive_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(archives, "LARGEST", 1024 * 1024)
    bomb = archive({"word/document.xml": body("零" * 2_000_000)})
    assert len(bomb) < 100_000
    refused(bomb, "larger than 1 MB")
    # a member that lies about its size
    lying = bytearray(bomb)
    at = lying.rindex(b"PK\x01\x02")
    lying[at + 24 : at + 28] = struct.pack("<I", 10)
    with pytest.raises(DataError):
        read_docx(bytes(lying), "evil.docx")


@pytest.mark.parametrize(
    "name", ["../outside.xml", "/etc/passwd", "C:\\evil.xml", "word/../../evil.xml", "a\\..\\b"]
)
def test_members_that_lead_outside_are_refused(name: str) -> None:
    refused(archive({"word/document.xml": body("文"), name: "x"}), "leads outside")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_bodies_many_members_passwords_and_depth(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as opened:
        opened.writestr("word/document.xml", body("一"))
        opened.writestr("word/document.xml", body("二"))
    refused(stream.getvalue(), "two members of one name")
    locked = bytearray(docx("文"))
    locked[locked.rindex(b"PK\x01\x02") + 8] |= 1
    refused(bytes(locked), "password")
    refused(docx("<w:p>" * 500 + "</w:p>" * 500), "nested deeper")
    refused(docx("<w:p>"), "not well-formed")
    refused(docx("文")[:-40], "Word document")
    monkeypatch.setattr(archives, "MOST_MEMBERS", 1)
    refused(archive({"word/document.xml": body("文"), "b": "x"}), "2 members")


def test_damaged_bytes_never_escape_as_another_error() -> None:
    whole = docx("段落" * 50)
    for place in range(0, len(whole), 7):
        damaged = bytearray(whole)
        damaged[place] ^= 0xFF
        try:
            read_docx(bytes(damaged), "a.docx")
        except DataError:
            continue


def part(content: bytes) -> bytes:
    """A document with these bytes as its body."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as opened:
        opened.writestr("word/document.xml", content)
    return stream.getvalue()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_parts_with_a_byte_order_mark_are_read(encoding: str) -> None:
    assert read_docx(part(body("文").encode(encoding)), "a.docx") == "文"


@pytest.mark.parametrize(
    "name", ["gb2312", "utf-7", "rot13", "hex", "undefined", "idna", "nonsense", "utf-32"]
)
def test_a_declared_encoding_is_not_believed(name: str) -> None:
    declared = f'<?xml version="1.0" encoding="{name}"?>{body("文")}'
    assert read_docx(part(declared.encode()), "a.docx") == "文"
    assert read_docx(part(declared.encode("utf-16")), "a.docx") == "文"
    refused(part(f'<?xml version="1.0" encoding="{name}"?>文'.encode("gb18030")), "not well-formed")


@pytest.mark.parametrize("half", ["\ud800", "\udc00", "\udc00\ud800", "\ud800</"])
def test_half_a_character_makes_no_other_error(half: str) -> None:
    try:
        read_docx(part(body(f"文{half}").encode("utf-16", "surrogatepass")), "a.docx").encode()
    except DataError as error:
        assert "not well-formed" in str(error)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_pack_are_refused(kind: int) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", kind) as opened:
        opened.writestr("word/document.xml", body("文"))
    refused(stream.getvalue(), "packed in a way")


def test_names_and_numbers_of_members_may_be_anything() -> None:
    """Every byte of the list of members, each set to some values: no other error escapes."""
    whole = docx("文", footnotes=f'<w:footnotes xmlns:w="{WORD}"/>')
    start = whole.index(b"PK\x01\x02")
    outcomes = set()
    for place in range(start, len(whole)):
        for value in (0x00, 0x01, 0x0C, 0x7F, 0xFF):
            try:
                read_docx(whole[:place] + bytes([value]) + whole[place + 1 :], "a.docx")
                outcomes.add("read")
            except DataError:
                outcomes.add("refused")
    assert outcomes == {"read", "refused"}


def test_a_note_stands_after_the_first_that_refers_to_it() -> None:
    reference = '<w:p><w:r><w:t>文</w:t><w:footnoteReference w:id="2"/></w:r></w:p>'
    notes = (
        f'<w:footnotes xmlns:w="{WORD}"><w:footnote w:id="2"><w:p><w:r><w:t>注</w:t></w:r></w:p>'
    )
    notes += "</w:footnote></w:footnotes>"
    assert read_docx(docx(reference, reference, footnotes=notes), "a.docx") == "文\n注\n文"


def noted() -> bytes:
    """Some kilobytes of which every paragraph refers to one long note."""
    reference = '<w:p><w:footnoteReference w:id="2"/></w:p>'
    note = (
        '<w:footnote w:id="2"><w:p><w:r><w:t>' + "注" * 200_000 + "</w:t></w:r></w:p></w:footnote>"
    )
    notes = f'<w:footnotes xmlns:w="{WORD}">{note}</w:footnotes>'
    return docx(*[reference] * 20_000, footnotes=notes)


def many(template: str, count: int) -> str:
    return "".join(template.format(number) for number in range(count))


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "notes": (noted, "no error"),
    "paragraphs": (lambda: docx("<w:p/>" * 5_000_000), "more than 1,000,000 paragraphs"),
    "names": (lambda: docx(many("<a{:x}/>", 2_000_000)), "kinds of elements"),
    "tag": (lambda: docx("<a " + many(' a{:x}=""', 2_000_000) + "/>"), "a tag longer than"),
    "texts": (lambda: docx("<w:p>" + "<w:t>文</w:t>" * 4_000_000 + "</w:p>"), "no error"),
    "members": (lambda: docx("文") + b"PK\x01\x02" * 1_000_000, "1,000,001 members"),
    "body": (lambda: docx("零" * 30_000_000), "larger than 64 MB"),
}


@pytest.mark.deep
@pytest.mark.parametrize("name", BOMBS)
def test_no_document_takes_a_gigabyte(tmp_path: Path, name: str) -> None:
    made, told = BOMBS[name]
    (tmp_path / "bomb.docx").write_bytes(made())
    code = (
        "from pathlib import Path\nfrom hengfa.law.library.documents import read_document\n"
        f"read_document(Path({str(tmp_path / 'bomb.docx')!r}))\n"
    )
    said = told_within(code)
    assert told in said
    assert said == "no error" or "bomb.docx" in said
