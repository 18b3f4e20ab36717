"""`hengfa law` as a lawyer or a script calls it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.law.library.fictional import CALENDAR, ROWS, TEA, write_rows

from hengfa.base.data.paths import packs_folder
from hengfa.law.commands.law import command
from hengfa.law.library.building.build import installed_sources


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of fictional laws in it."""
    folder = tmp_path_factory.mktemp("law")
    write_rows(folder / "laws", ROWS, CALENDAR)
    done = hengfa("law", "build", "laws", "-o", "law.sqlite", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def law(built: Path, *arguments: str) -> Done:
    return hengfa("law", *arguments, "--library", "law.sqlite", cwd=built)


def test_building_says_what_was_built(tmp_path: Path) -> None:
    write_rows(tmp_path / "laws", ROWS, CALENDAR)
    done = hengfa("law", "build", "laws", cwd=tmp_path, HENGFA_HOME=str(tmp_path / "home"))
    assert done.returncode == 0
    assert "7 statutes in 9 versions" in done.stdout
    assert (tmp_path / "home" / "law.sqlite").is_file()
    done = hengfa(
        "law", "build", "laws", "--json", cwd=tmp_path, HENGFA_HOME=str(tmp_path / "home")
    )
    assert json.loads(done.stdout)["statute_versions"] == 9


def test_the_law_that_ships_with_hengfa_is_built_without_a_remark(tmp_path: Path) -> None:
    done = hengfa("law", "build", "sample", "-o", "law.sqlite", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "5 statutes in 15 versions" in done.stdout
    assert "law report" not in done.stdout + done.stderr


def test_building_without_a_pack_says_how_to_get_one(tmp_path: Path) -> None:
    done = hengfa("law", "build", cwd=tmp_path)
    assert done.returncode == 1
    assert "hengfa data pull statutes" in done.stderr
    done = hengfa("law", "build", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert "nowhere" in done.stderr


@pytest.mark.shared
def test_building_takes_the_installed_pack(tmp_path: Path, shared: Path) -> None:
    done = hengfa("data", "add", "statutes", str(shared / "data" / "statutes"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [source.path for source in installed_sources()] == [packs_folder() / "statutes"]


def test_showing_a_provision_reads_like_a_page_of_law(built: Path) -> None:
    done = law(built, "show", TEA, "4.1.2", "--as-of", "2016-01-01")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        TEA,
        "  revised 2015-10-01, in force since 2016-01-01, as its text says",
        "  from laws/statutes.jsonl, row 2",
        "  第二章　经营",
        "",
        "第四条第一款第（二）项",
        "  强迫客人购买点心；",
        "",
        "reading: in force on 2016-01-01",
    ]


def test_showing_says_where_readings_of_the_day_differ(built: Path) -> None:
    done = law(built, "show", f"《{TEA}》", "第一条", "--as-of", "2020-07-01")
    assert "differs: latest by 2020-07-01: the version of 2020-06-01" in done.stdout
    done = law(built, "show", TEA, "1", "--version", "2015-10-01")
    assert "reading: promulgated on 2015-10-01" in done.stdout
    assert "differs: in force on 2015-10-01: unknown" in done.stdout
    done = law(built, "show", TEA, "1", "--promulgated", "2015-10-01")
    assert done.returncode == 0
    done = law(built, "show", TEA, "1", "--latest-by", "2015-10-02")
    assert "reading: latest by 2015-10-02" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((TEA, "1", "--as-of", "2012-01-01"), 1, "unknown"),
        ((TEA, "1", "--as-of", "2001-04-01"), 1, "in force from 2001-07-01"),
        (("月湖渡船法", "1", "--as-of", "2011-01-01"), 1, "`--version 1999-04-01` shows the last"),
        ((TEA, "1", "--version", "2016-01-01"), 1, "Known are: 2001-03-10, 2008-05-20"),
        ((TEA, "99", "--version", "2001-03-10"), 2, "it has 4 articles"),
        ((TEA, "3.9", "--version", "2001-03-10"), 2, "there is 第三条第一款"),
        ((TEA, "x", "--version", "2001-03-10"), 2, "is no position"),
        ((TEA, "1", "--as-of", "yesterday"), 2, "2021-01-01"),
        ((TEA, "1", "--as-of", "2020-01-01", "--version", "2015-10-01"), 2, "one reading"),
        (("月湖茶管法", "1"), 2, "did you mean"),
        (("月湖节日条例", "1"), 2, "several laws"),
    ],
)
def test_what_cannot_be_shown_says_why_and_what_to_do(
    built: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    done = law(built, "show", *arguments)
    assert done.returncode == status
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_showing_as_json_is_one_document(built: Path) -> None:
    done = law(built, "show", TEA, "2", "--version", "2001-03-10", "--json")
    shown = json.loads(done.stdout)
    assert shown["text"].startswith("茶馆应当明码标价。")
    assert shown["position"] == [2, None, None, None]
    assert shown["answer"]["type"] == "found"
    done = law(built, "show", TEA, "2", "--as-of", "2012-01-01", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["answer"]["type"] == "unknown"


def test_showing_a_law_lists_what_happened_to_it(built: Path) -> None:
    done = law(built, "show", TEA)
    assert "amended 2008-05-20; its text is not in the library" in done.stdout
    done = law(built, "show", "月湖渡船法")
    assert "repealed 2010-06-01 by 月湖水运法" in done.stdout
    done = law(built, "show", TEA, "--json")
    assert len(json.loads(done.stdout)["calendar"]) == 4


def test_history_follows_a_provision_and_marks_what_changed(built: Path) -> None:
    done = law(built, "history", TEA, "3")
    assert "2001-03-10  adopted  第二条" in done.stdout
    assert "2008-05-20  amended; its text is not in the library" in done.stdout
    assert "处[-一-]{+五+}百元罚款。" in done.stdout
    assert "unchanged" in done.stdout
    done = law(built, "history", TEA, "3", "--version", "2001-03-10", "--json")
    assert [step["position"][0] for step in json.loads(done.stdout)["steps"]] == [3, 4, 4]
    assert law(built, "history", TEA, "99").returncode == 2
    assert law(built, "history", TEA, "1", "--version", "2008-05-20").returncode == 1


def test_history_goes_on_into_the_law_that_came_after(built: Path) -> None:
    done = law(built, "history", "月湖渡船法", "1")
    assert "2010-02-01  adopted  月湖水运法  第二条 (found, 100% alike)\n  unchanged" in done.stdout
    done = law(built, "history", "月湖渡船法", "1", "--json")
    assert [step["successor"] for step in json.loads(done.stdout)["steps"]] == ["", "found"]


OWN_LAW = """# 云港灯会法

2010年3月1日云港议会通过

第一条　灯会每年举行一次。

第二条　灯笼应当防火。

第三条　本法自2010年5月1日起施行。
"""
OWN_ACT = """# 云港议会关于修改《云港灯会法》的决定

2015年6月1日云港议会通过

一、将第一条修改为：“灯会每年举行两次。”

二、删去第二条。

三、本决定自2015年7月1日起施行。
"""


def write_own(folder: Path) -> None:
    folder.mkdir()
    (folder / "云港灯会法(2010-03-01).md").write_text(OWN_LAW, "utf-8")
    (folder / "决定(2015-06-01).md").write_text(OWN_ACT, "utf-8")


def test_from_one_command_texts_of_ones_own_serve_a_suite(tmp_path: Path) -> None:
    write_own(tmp_path / "own")
    pack = write_rows(tmp_path / "pack", ROWS, CALENDAR)
    (pack / "interpretations.jsonl").touch()
    home = {"HENGFA_HOME": str(tmp_path / "home")}
    done = hengfa("data", "add", "statutes", "pack", "--allow-changed", cwd=tmp_path, **home)
    assert done.returncode == 0, done.stderr
    assert hengfa("law", "build", "--with", "own", cwd=tmp_path, **home).returncode == 0
    asked = ("eval", "claw/content", "--model", "ceiling", "--json")
    done = hengfa(*asked, "--set", "texts=own", "--run", "own", cwd=tmp_path, **home)
    assert done.returncode == 0, done.stderr
    responses = (tmp_path / "runs" / "own" / "journal.jsonl").read_text("utf-8")
    assert responses.count("云港灯会法/2010-03-01/") >= 3
    assert hengfa(*asked, "--run", "pack", cwd=tmp_path, **home).returncode == 0
    assert "云港灯会法" not in (tmp_path / "runs" / "pack" / "journal.jsonl").read_text("utf-8")


def test_texts_of_ones_own_stand_beside_the_others(built: Path, tmp_path: Path) -> None:
    write_own(tmp_path / "own")
    arguments = ("law", "build", str(built / "laws"), "--with", "own", "-o", "law.sqlite")
    done = hengfa(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "8 statutes in 10 versions" in done.stdout
    done = law(tmp_path, "show", "云港灯会法", "1", "--as-of", "2016-01-01")
    assert done.returncode == 0, done.stderr
    assert "  as 云港议会关于修改〈云港灯会法〉的决定 has it" in done.stdout
    assert "  灯会每年举行两次。\n\nreading: in force on 2016-01-01, derived" in done.stdout
    done = law(tmp_path, "show", "云港灯会法", "1", "--version", "2015-06-01", "--json")
    shown = json.loads(done.stdout)
    assert (done.returncode, shown["answer"]["type"]) == (0, "unknown")
    assert (shown["text"], shown["derived"][:2]) == ("灯会每年举行两次。", "as")
    done = law(tmp_path, "show", "云港灯会法", "2", "--as-of", "2016-01-01")
    assert done.returncode == 2
    assert "deleted by 云港议会关于修改〈云港灯会法〉的决定" in done.stderr
    (tmp_path / "a.txt").write_text("2016年3月1日，依照《云港灯会法》第二条、第一条。", "utf-8")
    done = hengfa("cite", "check", "a.txt", "--library", "law.sqlite", "--json", cwd=tmp_path)
    [report] = json.loads(done.stdout)["documents"]
    assert [cited["status"] for cited in report["citations"]] == ["wrong", "right"]


def test_search_finds_what_is_in_force_unless_told_otherwise(built: Path) -> None:
    done = law(built, "search", "救生衣")
    assert "《月湖水运法》第二条" in done.stdout
    done = law(built, "search", "救生衣", "--as-of", "2005-01-01", "--json")
    [hit] = json.loads(done.stdout)["hits"]
    assert hit["version"]["law"] == "月湖渡船法"
    done = law(built, "search", "一百元", "--all-versions", "--law", TEA)
    assert "处一百元罚款" in done.stdout
    done = law(built, "search", "不存在的词")
    assert done.returncode == 0
    assert "nothing found" in done.stderr
    assert law(built, "search", "茶", "--all-versions", "--as-of", "2005-01-01").returncode == 2


def test_a_question_of_a_layperson_is_answered_with_the_article(built: Path) -> None:
    done = law(built, "search", "店家乱来怎么办", "--limit", "1")
    assert "《月湖茶馆法》第四条" in done.stdout
    assert "（一）以陈茶冒充新茶；" in done.stdout
    again = law(built, "search", "店家乱来怎么办", "--law", TEA, "--kind", "statute", "--json")
    assert "this happens once" not in again.stderr
    hits = json.loads(again.stdout)["hits"]
    assert hits[0]["text"].startswith("经营者不得有下列行为")
    assert {hit["version"]["law"] for hit in hits} == {TEA}
    quoted = law(built, "search", "“明码标价”", "--json")
    assert [hit["text"] for hit in json.loads(quoted.stdout)["hits"]] == ["茶馆应当明码标价。"]


def test_stats_count_what_there_is(built: Path) -> None:
    done = law(built, "stats", "--json")
    stats = json.loads(done.stdout)
    assert stats["statutes"]["versions"] == 9
    assert stats["statutes"]["laws"] == 7
    done = law(built, "stats", "--until", "2001-12-31")
    assert "statutes and constitution" in done.stdout


def test_export_writes_json_lines(built: Path, tmp_path: Path) -> None:
    done = law(built, "export", "--format", "jsonl", "--law", TEA)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["version"] for line in lines} == {"2001-03-10", "2015-10-01", "2020-06-01"}
    output = tmp_path / "out.jsonl"
    done = law(built, "export", "-o", str(output), "--role", "leaf", "--kind", "interpretation")
    assert done.stdout == ""
    assert len(output.read_text("utf-8").splitlines()) == 2


def test_report_names_every_line_that_was_not_placed(tmp_path: Path) -> None:
    rows = [*ROWS, {"law": "x", "version": "soon", "text": ""}]
    write_rows(tmp_path / "laws", rows)
    done = hengfa("law", "build", "laws", "-o", "law.sqlite", cwd=tmp_path)
    assert "hengfa law report" in done.stderr
    done = law(tmp_path, "report", "--reason", "no date")
    assert f"statutes.jsonl, row {len(rows)}: version is no date" in done.stdout
    done = law(tmp_path, "report", "--json")
    assert json.loads(done.stdout)[-1]["row"] == len(rows)


def test_a_missing_library_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    for call in (("show", TEA), ("search", "茶"), ("stats",), ("export",), ("report",)):
        done = hengfa("law", *call, cwd=tmp_path)
        assert done.returncode == 1
        assert "hengfa law get" in done.stderr


def test_a_damaged_library_is_an_error_that_says_what_to_do(built: Path, tmp_path: Path) -> None:
    shutil.copy(built / "law.sqlite", tmp_path / "law.sqlite")
    content = bytearray((tmp_path / "law.sqlite").read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    (tmp_path / "law.sqlite").write_bytes(content)
    done = law(tmp_path, "show", TEA, "1")
    assert done.returncode == 1
    assert "hengfa law build" in done.stderr


@pytest.mark.parametrize("name", sorted(command.commands))
def test_every_command_has_help_with_an_example(tmp_path: Path, name: str) -> None:
    done = hengfa("law", name, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert f"hengfa law {name}" in done.stdout
