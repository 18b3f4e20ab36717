"""From folders to a library: layouts, choices between sources, provenance, what is left behind."""

from __future__ import annotations

import gzip
import hashlib
import json
from datetime import date
from pathlib import Path

import pytest

from hengfa.base.errors import DataError
from hengfa.law.library import Library, Position, find_law
from hengfa.law.library.building.build import build_library
from hengfa.law.library.building.sources import SourceFolder
from hengfa.law.library.export import export_provisions
from hengfa.law.library.model import Remark
from hengfa.law.library.stats import count
from tests.law.library.fictional import CALENDAR, ROWS, TEA, TEA_2001, TEA_2015, row, write_rows


def built(folder: Path, *more: Path) -> Library:
    file = folder.parent / f"{folder.name}.sqlite"
    build_library([folder, *more], file)
    return Library.open(file)


def reasons(library: Library) -> list[str]:
    return [remark.reason for remark in library.remarks()]


def test_the_same_sources_make_the_same_file(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS, CALENDAR)
    for name in ("one.sqlite", "two.sqlite"):
        build_library([folder], tmp_path / name)
    assert (tmp_path / "one.sqlite").read_bytes() == (tmp_path / "two.sqlite").read_bytes()


def test_a_build_says_what_it_made_and_how_far_it_is(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS, CALENDAR)
    seen: list[tuple[int, int]] = []
    done = build_library([folder], tmp_path / "law.sqlite", watch=lambda *at: seen.append(at))
    assert (done.statutes, done.statute_versions) == (7, 9)
    assert seen[-1] == (len(ROWS), len(ROWS))
    with Library.open(tmp_path / "law.sqlite") as library:
        stats = count(library)
    assert (stats.statutes.leaves, stats.statutes.articles) == (done.leaves, done.articles)
    assert stats.kinds["interpretation"].laws == 1


def test_an_interrupted_build_leaves_the_old_library_and_no_trace(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS[:1])
    home = tmp_path / "home"
    build_library([folder], home / "law.sqlite")
    before = (home / "law.sqlite").read_bytes()
    write_rows(folder, ROWS)

    def stop(done: int, of: int) -> None:
        if done == of:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_library([folder], home / "law.sqlite", watch=stop)
    assert (home / "law.sqlite").read_bytes() == before
    assert [file.name for file in home.iterdir()] == ["law.sqlite"]


def test_an_open_library_keeps_what_it_opened_when_it_is_replaced(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS[:1])
    with built(folder) as library:
        assert len(library.versions()) == 1
        write_rows(folder, ROWS)
        with built(folder) as replaced:
            assert len(replaced.versions()) == len(ROWS)
        assert len(list(library.connection.execute("SELECT id FROM versions"))) == 1


def test_a_version_knows_where_its_text_came_from(tmp_path: Path) -> None:
    origin = {"repo": "a/b", "commit": "c0ffee", "path": "tea.md"}
    rows = [
        row(TEA, "2001-03-10", TEA_2001, source=origin),
        row(TEA, "2001-03-10", "", role="alternate", source={"repo": "x/y"}),
        row(TEA, "2015-10-01", TEA_2015),
    ]
    with built(write_rows(tmp_path / "laws", rows)) as library:
        first, second = library.versions()
        assert [(s.role, str(s)) for s in library.sources(first)] == [
            ("primary", "a/b@c0ffee, tea.md"),
            ("alternate", "x/y@, "),
        ]
        [source] = library.sources(second)
        assert str(source).endswith("statutes.jsonl, row 3")
        assert source.sha256 == hashlib.sha256(TEA_2015.encode()).hexdigest()


def test_of_two_texts_of_a_version_the_fuller_is_taken(tmp_path: Path) -> None:
    cut = TEA_2001[: TEA_2001.index("**第三条**")]
    rows = [row(TEA, "2001-03-10", cut), row(f"《{TEA}》", "2001-03-10", TEA_2001)]
    with built(write_rows(tmp_path / "laws", rows)) as library:
        [version] = library.versions()
        assert version.articles == 4
        assert "second text of a version" in reasons(library)


def test_an_alternate_that_stands_for_nothing_else_is_taken(tmp_path: Path) -> None:
    rows = [*ROWS[:1], row("月湖伞法", "2005-05-05", "第一条 雨天借伞。", role="alternate")]
    with built(write_rows(tmp_path / "laws", rows)) as library:
        assert len(library.versions(find_law(library, "月湖伞法"))) == 1


def test_a_file_about_something_else_is_remarked_upon_once(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS)
    (folder / "provisions.jsonl").write_text('{"law": "x", "article": 1}\n' * 50, "utf-8")
    with built(folder) as library:
        [remark] = [r for r in library.remarks() if r.file.endswith("provisions.jsonl")]
        assert "none of its rows" in remark.reason


def test_an_interpretation_kept_under_two_days_is_one_version(tmp_path: Path) -> None:
    text = "# 关于某事的解释\n\n第一条 甲。\n\n第二条 乙。\n"
    law = "最高人民法院最高人民检察院关于某事的解释"
    rows = [
        row(law, "2018-12-12", text, kind="interpretation"),
        row(law.replace("院最", "院、最"), "2019-01-31", text, kind="interpretation"),
    ]
    with built(write_rows(tmp_path / "laws", rows)) as library:
        [version] = library.versions()
        assert version.promulgated == date(2019, 1, 31)
        assert find_law(library, "关于某事的解释").name == version.law
        assert "same text under two days" in reasons(library)


def test_pages_of_one_folder_are_one_law(tmp_path: Path) -> None:
    """A folder for each law, its parts in files that their names do not put in order."""
    folder = tmp_path / "just" / "docs" / "code"
    folder.mkdir(parents=True)
    head = "---\nnext: /code/01.md\n---\n\n# 月湖法典\n\n2003年2月1日月湖议会通过\n"
    (folder / "README.md").write_text(head, "utf-8")
    (folder / "00-last.md").write_text(
        "# 附则\n\n**第三条**　本法自2003年5月1日起施行。\n", "utf-8"
    )
    (folder / "01-first.md").write_text("# 第一编　总则\n\n**第一条**　甲。\n", "utf-8")
    (folder / "02-second.md").write_text("# 第二编　分则\n\n**第二条**　乙。\n\n丙。\n", "utf-8")
    amendment = (
        "## 中华人民共和国某法修正案（{}）\n\n*{}年1月1日月湖议会通过*\n\n一、甲。\n\n二、乙。\n\n"
    )
    both = amendment.format("一", 2004) + amendment.format("二", 2005)
    (folder / "04-amendments.md").write_text("# 修正案\n\n" + both, "utf-8")
    (folder / "notes.md").write_text("# 留言\n\n请勿当真。\n", "utf-8")
    (tmp_path / "just" / "docs" / "README.md").write_text("# 目录\n\n- 月湖法典\n", "utf-8")
    with built(tmp_path / "just") as library:
        [code] = [v for v in library.versions() if v.law == "月湖法典"]
        assert (code.promulgated, code.effective) == (date(2003, 2, 1), date(2003, 5, 1))
        entries = [(e.position, e.text, e.headings) for e in library.entries(code)]
        assert entries[:3] == [
            (Position(1), "甲。", ("第一编　总则",)),
            (Position(2, None, 1), "乙。", ("第二编　分则",)),
            (Position(2, None, 2), "丙。", ("第二编　分则",)),
        ]
        assert entries[3][2] == ("附则",)
        amendments = [(v.law, str(v.promulgated), v.kind) for v in library.versions() if v != code]
        assert amendments == [
            ("中华人民共和国某法修正案（一）", "2004-01-01", "amendment"),
            ("中华人民共和国某法修正案（二）", "2005-01-01", "amendment"),
        ]
        # whatever was no law is named, with its own file and line
        remarks = {Path(r.file).name: r for r in library.remarks()}
        assert remarks["README.md"].reason == "left out: no law"


def test_pages_named_after_laws_and_days(tmp_path: Path) -> None:
    folder = tmp_path / "Laws" / "茶法"
    folder.mkdir(parents=True)
    (folder / "茶馆法(2001-03-10).md").write_text(TEA_2001, "utf-8")
    (folder / "茶馆法(2015-10-01).md").write_text(TEA_2015, "utf-8")
    (folder / "_index.md").write_text("---\nbookCollapseSection: true\n---\n", "utf-8")
    code = tmp_path / "Laws" / "法典"
    code.mkdir()
    head = "# 月湖法典\n\n# {}\n\n2003年2月1日 月湖议会通过\n\n<!-- INFO END -->\n\n"
    (code / "总则.md").write_text(head.format("总则") + "## 第一章 甲\n\n第一条 甲。\n", "utf-8")
    (code / "分编.md").write_text(head.format("物编") + "## 第一章 乙\n\n第二条 乙。\n", "utf-8")
    (code / "附则.md").write_text(head.format("附则") + "##\n\n第三条 丙。\n", "utf-8")
    courts = tmp_path / "Laws" / "司法解释"
    courts.mkdir()
    (courts / "关于茶的解释(2020-01-01).md").write_text("# 关于茶的解释\n\n第一条 丁。\n", "utf-8")
    with built(tmp_path / "Laws") as library:
        days = [str(v.promulgated) for v in library.versions(find_law(library, TEA))]
        assert days == ["2001-03-10", "2015-10-01"]
        [version] = library.versions(find_law(library, "月湖法典"))
        assert [e.headings for e in library.entries(version)] == [
            ("第一编　总则", "第一章　甲"),
            ("第二编　物", "第一章　乙"),
            ("附则",),
        ]
        assert find_law(library, "关于茶的解释").kind == "interpretation"
        # the calendar comes from the headers: an amendment of 2008 is known, not at hand
        missing = [o for o in library.shelf.calendar[TEA] if o.version is None]
        assert [str(o.promulgated) for o in missing] == ["2008-05-20"]


def test_lines_that_are_not_placed_are_named_where_they_stand(tmp_path: Path) -> None:
    folder = tmp_path / "Laws"
    folder.mkdir()
    text = TEA_2001.replace("**第四条**", "**第三条**　重复的一条。\n\n**第四条**")
    (folder / "茶馆法(2001-03-10).md").write_text("---\ntitle: x\n---\n" + text, "utf-8")
    with built(folder) as library:
        [remark] = [r for r in library.remarks() if r.reason == "repeated article"]
        lines = (folder / "茶馆法(2001-03-10).md").read_text("utf-8").splitlines()
        assert remark.line is not None
        assert "重复的一条" in lines[remark.line - 1]
        assert (remark.law, str(remark.promulgated)) == (TEA, "2001-03-10")


def test_the_source_of_an_installed_pack_is_told(tmp_path: Path) -> None:
    folder = write_rows(tmp_path / "laws", ROWS[:1])
    build_library([SourceFolder(folder, "ours/tea", "abc")], tmp_path / "law.sqlite")
    with Library.open(tmp_path / "law.sqlite") as library:
        [source] = library.sources(library.versions()[0])
        assert (source.repository, source.commit) == ("ours/tea", "abc")


def test_gzipped_rows_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "laws"
    folder.mkdir()
    with gzip.open(folder / "statutes.jsonl.gz", "wt", encoding="utf-8") as stream:
        stream.writelines(json.dumps(one) + "\n" for one in ROWS)
    with built(folder) as library:
        assert len(library.versions()) == len(ROWS)


def test_a_folder_without_law_says_what_would_be_one(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no text of a law is here"):
        build_library([tmp_path / "empty"], tmp_path / "law.sqlite")
    with pytest.raises(DataError, match="no such file"):
        build_library([tmp_path / "absent"], tmp_path / "law.sqlite")
    assert not (tmp_path / "law.sqlite").exists()


def test_export_has_the_fields_of_an_entry(library: Library) -> None:
    versions = library.versions(find_law(library, TEA))
    lines = [json.loads(line) for line in export_provisions(library, versions[-1:])]
    assert lines[0] == {
        "law": TEA,
        "version": "2020-06-01",
        "article": 1,
        "article_sub": 0,
        "paragraph": None,
        "item": None,
        "role": "leaf",
        "text": "为了规范茶馆的经营，保护饮茶人，制定本法。",
    }
    roles = [(line["article"], line["article_sub"], line["role"]) for line in lines]
    assert (4, 0, "lead") in roles
    assert (4, 1, "leaf") in roles


def test_counts_stop_at_a_day(library: Library) -> None:
    stats = count(library, date(2001, 12, 31))
    assert stats.statutes.versions == 4
    assert stats.until == date(2001, 12, 31)


def test_remarks_survive_the_file(library: Library) -> None:
    assert all(isinstance(remark, Remark) for remark in library.remarks())
