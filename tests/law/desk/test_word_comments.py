"""Word files with comments: at the right words, and with nothing else changed."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hengfa.base.errors import DataError, MissingExtra
from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Report
from hengfa.law.library.documents import document_of, read_docx
from tests.bounded import told_within
from tests.law.library.citing_laws import write_laws

pytest.importorskip("lxml", reason="lxml is not installed")

from lxml import etree

from hengfa.law.desk import word_comments
from hengfa.law.desk.explain import Explainer
from hengfa.law.desk.word_comments import Comment, add_comments, comments_on, word_file
from tests.law.desk.word_files import (
    BODY,
    OTHERS,
    W,
    atoms,
    body_of,
    commented_text,
    frame,
    parts_of,
    w,
    word_archive,
    word_parts,
)

pytestmark = pytest.mark.optional("lxml")
AT = datetime(2021, 5, 5, 8, tzinfo=UTC)
STRICT = "http://purl.oclc.org/ooxml/wordprocessingml/main"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("laws")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    with Library.open(folder / "law.sqlite") as opened:
        yield opened


def at_citations(content: bytes) -> list[Comment]:
    """A comment on everything that looks like a citation, which says just that."""
    found = re.finditer("(?:《[^》]*》)?第[^条]{1,4}条(?:之.)?", read_docx(content, "a.docx"))
    return [Comment(match.start(), match.end(), match[0]) for match in found]


def said(content: bytes) -> dict[str, list[str]]:
    """The paragraphs of each comment."""
    root = etree.fromstring(parts_of(content)["word/comments.xml"])
    return {
        comment.get(w("id")): ["".join(p.itertext()) for p in comment.iter(w("p"))]
        for comment in root
    }


def unchanged(before: bytes, after: bytes, new: set[str], space: str = W) -> None:
    """Nothing but the comments of these numbers is new."""
    old_parts, new_parts = parts_of(before), parts_of(after)
    added = {"word/comments.xml"} - set(old_parts)
    assert list(new_parts) == [*old_parts, *sorted(added)]
    touched = {"word/document.xml", "word/comments.xml"}
    if added:
        touched |= {"[Content_Types].xml", "word/_rels/document.xml.rels"}
    for name in set(old_parts) - touched:
        assert new_parts[name] == old_parts[name], name
    old, body = body_of(before), body_of(after)
    assert list(atoms(body, new, space)) == list(atoms(old, set(), space))
    assert frame(body, new, space) == frame(old, set(), space)
    assert read_docx(after, "a.docx") == read_docx(before, "a.docx")


def test_comments_stand_at_the_words_and_nothing_else_changes() -> None:
    before = word_archive(word_parts())
    comments = at_citations(before)
    after = add_comments(before, "a.docx", comments, "zh", AT)
    numbers = {str(number) for number in range(4, 4 + len(comments))}
    unchanged(before, after, numbers)
    ranges = commented_text(body_of(after))
    assert [(comment.text, ranges[str(n)]) for n, comment in enumerate(comments, 4)] == [
        ("《云港海岸法》第四条", "《云港海岸法》第四条"),
        ("《云港海岸法》第九条之九", "《云港海岸法》第九条之九"),
        ("《云港登山法》第三条", ""),  # in the footnote: at its mark
        ("《云港海岸法》第五条", "《云港海岸法》第五条"),
        # in the text box: where it is anchored
        ("《云港海岸法》第四条", "见图框内见《云港海岸法》第四条。："),
        ("《云港渔港法》第二条", "《云港渔港法》第二条"),
        ("《云港海岸法》第四条", "《云港海岸法》第四条"),
        ("第五条", "第五条"),
    ]
    assert ranges["3"] == "旧批注"
    assert said(after) == {"3": ["旧"]} | {
        str(n): [comment.text] for n, comment in enumerate(comments, 4)
    }


def test_a_tracked_change_of_the_formatting_gets_a_number_of_its_own() -> None:
    before = word_archive(word_parts())
    after = add_comments(before, "a.docx", at_citations(before), "zh", AT)
    changes = [change.get(w("id")) for change in body_of(after).iter(w("rPrChange"))]
    assert len(changes) == 2
    assert len({*changes, "1", "2", "3", "9"}) == 6


def test_the_note_is_marked_in_the_body_and_the_part_of_notes_stays() -> None:
    before = word_archive(word_parts())
    (comment,) = (c for c in at_citations(before) if "登山" in c.text)
    after = add_comments(before, "a.docx", [comment], "zh", AT)
    (mark,) = body_of(after).iter(w("footnoteReference"))
    start, end = mark.getparent().getprevious(), mark.getparent().getnext()
    assert (start.tag, end.tag) == (w("commentRangeStart"), w("commentRangeEnd"))
    assert parts_of(after)["word/footnotes.xml"] == parts_of(before)["word/footnotes.xml"]


def test_a_file_without_comments_gets_the_part_and_all_that_it_needs() -> None:
    others = {name: part for name, part in OTHERS.items() if name != "comments"}
    body = BODY.replace('<w:r><w:commentReference w:id="3"/></w:r>', "")
    body = re.sub('<w:commentRange(Start|End) w:id="3"/>', "", body)
    before = word_archive(word_parts(body, others))
    after = add_comments(before, "a.docx", at_citations(before)[:1], "en", AT)
    unchanged(before, after, {"0"})
    parts = parts_of(after)
    assert b'PartName="/word/comments.xml"' in parts["[Content_Types].xml"]
    relations = etree.fromstring(parts["word/_rels/document.xml.rels"])
    ids = [relation.get("Id") for relation in relations]
    assert len(set(ids)) == len(ids) == 3
    (comment,) = etree.fromstring(parts["word/comments.xml"])
    assert comment.get(w("author")) == "Hengfa"
    assert comment.get(w("date")) == "2021-05-05T08:00:00Z"


def test_the_library_of_others_reads_what_was_written() -> None:
    docx = pytest.importorskip("docx", reason="needs python-docx")
    before = word_archive(word_parts())
    after = add_comments(before, "a.docx", at_citations(before), "zh", AT)
    opened = docx.Document(io.BytesIO(after))
    assert [comment.author for comment in opened.comments] == ["甲", *["衡法"] * 8]
    assert opened.tables[0].cell(0, 1).text == "《云港海岸法》第五条"


@pytest.mark.parametrize("space", [STRICT, W])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_strict_files_and_other_encodings(space: str, encoding: str) -> None:
    parts = word_parts("<w:p><w:r><w:t>见《海岸法》第四条。</w:t></w:r></w:p>", {}, space)
    text = parts["word/document.xml"].decode()
    parts["word/document.xml"] = f'<?xml version="1.0" encoding="gbk"?>{text}'.encode(encoding)
    before = word_archive(parts)
    after = add_comments(before, "a.docx", at_citations(before), "zh", AT)
    assert commented_text(body_of(after), space) == {"0": "《海岸法》第四条"}
    relations = parts_of(after)["word/_rels/document.xml.rels"].decode()
    assert ("purl.oclc.org" in relations) == (space == STRICT)


def test_odd_places_of_text() -> None:
    """Ruby, comments of XML inside a text, text outside of runs, line ends as characters."""
    ruby = (
        "<w:r><w:ruby><w:rt><w:r><w:t>di</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>第四条</w:t></w:r>"
        "</w:rubyBase></w:ruby></w:r>"
    )
    control = "<w:sdt><w:sdtContent><w:r><w:t>第四</w:t></w:r></w:sdtContent></w:sdt>"
    for run, told in (
        (ruby, "di第四条"),
        ("<w:r><w:t>见<!-- 注 -->第四条。</w:t></w:r>", "见"),
        ("<w:t>见第四条</w:t>", "见第四条"),
        ("<w:r><w:t>见&#13;第四条。</w:t></w:r>", "第四条"),
        (control + "<w:r><w:t>条</w:t></w:r>", "第四条"),
        ('<w:fldSimple w:instr="REF x"><w:r><w:t>第四条</w:t></w:r></w:fldSimple>', "第四条"),
        ("<w:r><w:t>第四</w:t><w:br/><w:t>条</w:t></w:r>", "第四"),
    ):
        before = word_archive(word_parts(f"<w:p>{run}</w:p>", {}))
        text = read_docx(before, "a.docx")
        start = text.index("第四")
        comments = [Comment(start, text.index("条") + 1, "文")]
        after = add_comments(before, "a.docx", comments, "zh", AT)
        assert commented_text(body_of(after)) == {"0": told}
        assert list(atoms(body_of(after), {"0"})) == list(atoms(body_of(before), set()))


PARTS = st.sampled_from(["甲乙", "丙", "丁戊己", "<w:tab/>", "<w:br/>"])
RUNS = st.lists(st.lists(PARTS, min_size=1, max_size=3), min_size=1, max_size=4)


@settings(max_examples=150, deadline=None)
@given(st.lists(RUNS, min_size=1, max_size=3), st.data())
def test_wherever_comments_stand_the_text_and_its_looks_stay(
    paragraphs: list[list[list[str]]], data: st.DataObject
) -> None:
    def run(number: int, parts: list[str]) -> str:
        texts = "".join(p if p.startswith("<") else f"<w:t>{p}</w:t>" for p in parts)
        style = f'<w:rPr><w:sz w:val="{number}"/></w:rPr>' if number % 2 else ""
        return f"<w:r>{style}{texts}</w:r>"

    body = "".join(
        f"<w:p>{''.join(run(number, parts) for number, parts in enumerate(runs))}</w:p>"
        for runs in paragraphs
    )
    before = word_archive(word_parts(body, {}))
    text = read_docx(before, "a.docx")
    lines = list(re.finditer("[^\n]+", text))
    if not lines:
        return
    comments = []
    for _ in range(data.draw(st.integers(1, 4))):
        line = data.draw(st.sampled_from(lines))
        start = data.draw(st.integers(line.start(), line.end() - 1))
        comments.append(Comment(start, data.draw(st.integers(start + 1, line.end())), "文"))
    after = add_comments(before, "a.docx", comments, "zh", AT)
    numbers = set(map(str, range(len(comments))))
    unchanged(before, after, numbers)
    assert commented_text(body_of(after)) == {
        str(n): text[c.start : c.end].replace("\t", "") for n, c in enumerate(comments)
    }
    assert all(len(run) for run in body_of(after).iter(w("r")))


def test_other_documents_become_a_word_file_of_their_paragraphs() -> None:
    text = "标题\n\n\t见《海岸法》第四条 <b> & \x0b\x00 😀。\n  末行"
    content = word_file(text)
    assert read_docx(content, "a.docx") == text.replace("\x0b", "\ufffd").replace("\x00", "\ufffd")
    after = add_comments(content, "a.txt", at_citations(content), "zh", AT)
    assert commented_text(body_of(after)) == {"0": "《海岸法》第四条"}
    assert word_file("") and read_docx(word_file(""), "") == ""


def test_nothing_to_say_leaves_the_bytes_as_they_are() -> None:
    before = word_archive(word_parts())
    assert add_comments(before, "a.docx", [], "zh", AT) == before


def checked(library: Library, text: str) -> tuple[Explainer, Report]:
    """What was found in a text, and who puts it into words."""
    checker = Checker(library)
    return Explainer(checker), checker.check(text, today=date(2021, 5, 5))


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_comment_says_the_verdict_the_day_the_text_and_what_to_cite(
    library: Library, lang: Any
) -> None:
    content = word_archive(word_parts())
    text = document_of(content, "a.docx").text
    explainer, report = checked(library, text)
    comments = comments_on(explainer.explain_all(report, lang))
    assert len(comments) == 8
    explained = explainer.explain(report.citations[0], lang)
    first = comments[0].text.split("\n")
    assert first[0] == f"[{explained.label}] 《云港海岸法》第四条"
    assert explained.sentence in first
    assert explained.day in first
    assert explained.provision in comments[0].text
    problems = comments_on(explainer.explain_all(report, lang, only_problems=True))
    assert 0 < len(problems) < len(comments)
    after = add_comments(content, "a.docx", comments, lang, AT)
    assert said(after)["4"] == first


OUTSIDE = b'<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>'


@pytest.mark.parametrize(
    ("part", "content", "told"),
    [
        ("[Content_Types].xml", None, "it has no"),
        ("[Content_Types].xml", b"<Types", "not well-formed"),
        ("word/comments.xml", OUTSIDE, "declares entities"),
        ("word/comments.xml", None, "comments that it does not have"),
    ],
)
def test_what_cannot_be_given_comments_says_why(
    part: str, content: bytes | None, told: str
) -> None:
    others = {} if part.startswith("[") else OTHERS
    parts = word_parts("<w:p><w:r><w:t>第四条</w:t></w:r></w:p>", others)
    if content is None:
        del parts[part]
    else:
        parts[part] = content
    before = word_archive(parts)
    with pytest.raises(DataError, match=told) as error:
        add_comments(before, "evil.docx", at_citations(before), "zh", AT)
    assert "evil.docx" in str(error.value)


def test_a_large_body_and_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    before = word_archive(word_parts())
    comments = at_citations(before)
    monkeypatch.setattr(word_comments, "LARGEST_BODY", 1000)
    with pytest.raises(DataError, match="split it"):
        add_comments(before, "a.docx", comments, "zh", AT)
    monkeypatch.setitem(__import__("sys").modules, "lxml", None)
    monkeypatch.setattr(word_comments, "LARGEST_BODY", 1 << 20)
    with pytest.raises(MissingExtra, match=r"\.\[desk\]"):
        add_comments(before, "a.docx", comments, "zh", AT)


@pytest.mark.deep
def test_no_body_takes_a_gigabyte(tmp_path: Path) -> None:
    body = "<w:p><w:r><w:t>第四条</w:t></w:r></w:p>" + "<a/>" * 4_000_000
    (tmp_path / "a.docx").write_bytes(word_archive(word_parts(body, {})))
    code = (
        "from datetime import datetime\nfrom pathlib import Path\n"
        "from hengfa.law.desk.word_comments import Comment, add_comments\n"
        f"content = Path({str(tmp_path / 'a.docx')!r}).read_bytes()\n"
        "add_comments(content, 'a.docx', [Comment(0, 3, 'x')], 'zh', datetime(2021, 5, 5))\n"
    )
    assert told_within(code) == "no error"


@pytest.mark.skipif(not shutil.which("soffice"), reason="needs LibreOffice (soffice)")
def test_libreoffice_opens_it_with_its_comments(tmp_path: Path, library: Library) -> None:
    content = word_archive(word_parts())
    explainer, report = checked(library, document_of(content, "a.docx").text)
    comments = comments_on(explainer.explain_all(report, "zh"))
    (tmp_path / "a.docx").write_bytes(add_comments(content, "a.docx", comments, "zh", AT))
    subprocess.run(
        ["soffice", f"-env:UserInstallation=file://{tmp_path}/profile", "--headless",
         "--convert-to", "fodt", "--outdir", str(tmp_path), str(tmp_path / "a.docx")],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    root = etree.parse(tmp_path / "a.fodt").getroot()
    office = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
    shown = [" ".join(note.itertext()) for note in root.iter(f"{office}annotation")]
    assert sum("衡法" in note for note in shown) == len(comments)
    assert sum("旧" in note for note in shown) >= 1
