"""`hengfa cite check` as a lawyer or a script calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.library.citing_laws import CLOSED, COAST, LANTERNS_2005, LANTERNS_2009, write_laws
from tests.library.citing_support import docx

from hengfa.library.building.build import build_library

DRAFT = f"""关于海滩的意见

依照《{COAST}》第四条的规定：“{LANTERNS_2009}”

《{COAST}》第五条规定：“{CLOSED}”

《{COAST}》第六条规定：“海龟产卵期内，海滩自二十时至次日六时关闭。”

又见《云港登山法》第三条。

2021年5月5日
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a library of fictional laws and a draft in it."""
    folder = tmp_path_factory.mktemp("cite")
    build_library([write_laws(folder / "laws")], folder / "law.sqlite")
    (folder / "draft.txt").write_text(DRAFT, "utf-8")
    return folder


def cite(folder: Path, *arguments: str, columns: int = 120) -> Done:
    library = () if "--library" in arguments else ("--library", "law.sqlite")
    return hengfa(
        "cite", "check", *arguments, *library, cwd=folder, COLUMNS=str(columns), TERM="dumb"
    )


def test_a_table_that_a_lawyer_can_read(folder: Path) -> None:
    done = cite(folder, "draft.txt", columns=240)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0].strip() == "draft.txt"
    assert "quoted from another provision" in done.stdout
    assert "the words are those of 第六条 (2018-10-01" in done.stdout
    assert "海龟产卵期[-间-]{+内+}海滩自二十时" in done.stdout
    assert "law not in the library" in done.stdout
    assert lines[-1] == (
        "draft.txt: 4 citations, 1 right, 1 differing in wording, 1 wrong, 1 unknown to the"
        " library; law of 2021-05-05 (the date of the document, 2021年5月5日)"
    )


def test_only_problems(folder: Path) -> None:
    done = cite(folder, "draft.txt", "--problems")
    assert "第四条" not in done.stdout
    assert "第五条" in done.stdout
    (folder / "good.md").write_text(f"**《{COAST}》第四条**\n", "utf-8")
    done = cite(folder, "good.md", "--problems", "--as-of", "2020-01-01")
    assert done.stdout == "good.md: 1 citation, 1 right; law of 2020-01-01 (as asked)\n"


def test_json_is_one_document_and_nothing_else(folder: Path) -> None:
    done = cite(folder, "draft.txt", "--json")
    told = json.loads(done.stdout)
    assert done.stderr == ""
    assert told["counts"] == {
        "right": 1, "wording": 1, "wrong": 1, "unlike": 0, "unknown": 1, "unclear": 0, "paper": 0,
    }  # fmt: skip
    (document,) = told["documents"]
    assert document["day"] == {"day": "2021-05-05", "basis": "document", "text": "2021年5月5日"}
    wrong = document["citations"][1]
    assert (wrong["line"], wrong["status"]) == (5, "wrong")
    assert wrong["problem"] == "quoted from another provision"
    assert wrong["quotation"]["verdict"] == "other provision"
    assert wrong["quotation"]["sources"][0] == {
        "law": COAST, "version": "2018-10-01", "position": "第六条", "similarity": 1.0,
    }  # fmt: skip
    only = json.loads(cite(folder, "draft.txt", "--json", "--problems").stdout)
    assert [one["status"] for one in only["documents"][0]["citations"]] == [
        "wrong",
        "wording",
        "unknown",
    ]


def test_strict_fails_on_wrong_citations_only(folder: Path) -> None:
    assert cite(folder, "draft.txt", "--strict").returncode == 1
    (folder / "minor.txt").write_text(f"《{COAST}》第九条之九和《云港登山法》第三条", "utf-8")
    assert cite(folder, "minor.txt", "--strict").returncode == 1
    (folder / "minor.txt").write_text("《云港登山法》第三条", "utf-8")
    assert cite(folder, "minor.txt", "--strict").returncode == 0


def test_the_day_and_the_law_can_be_given(folder: Path) -> None:
    (folder / "note.txt").write_text(f"第四条规定：“{LANTERNS_2005}”", "utf-8")
    done = cite(folder, "note.txt", "--law", COAST, "--as-of", "2006-01-01", "--json")
    (citation,) = json.loads(done.stdout)["documents"][0]["citations"]
    assert (citation["status"], citation["how"]) == ("right", "default")
    done = cite(folder, "note.txt", "--law", "云港登山法")
    assert done.returncode == 2
    assert "云港登山法" in done.stderr


def test_word_documents_and_several_files(folder: Path) -> None:
    (folder / "draft.docx").write_bytes(docx("第一段", f"依照《{COAST}》第四条。"))
    done = cite(folder, "draft.docx", "draft.txt")
    assert done.returncode == 0
    assert "draft.docx: 1 citation, 1 right" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("2 documents: 5 citations, 2 right")


def test_files_that_cannot_be_read_are_named_and_the_others_checked(folder: Path) -> None:
    (folder / "evil.docx").write_bytes(b"PK\x03\x04 nothing")
    done = cite(folder, "evil.docx", "draft.txt")
    assert done.returncode == 1
    assert "evil.docx: cannot be read as a Word document" in done.stderr
    assert "draft.txt: 4 citations" in done.stdout
    told = json.loads(cite(folder, "evil.docx", "--json").stdout)
    assert told["documents"] == []
    assert "evil.docx" in told["not_read"][0]
    assert cite(folder, "absent.txt").returncode == 2


def test_without_a_library_it_says_how_to_get_one(folder: Path) -> None:
    done = cite(folder, "draft.txt", "--library", "absent.sqlite")
    assert done.returncode == 1
    assert "hengfa law get" in done.stderr


def test_nothing_in_a_document_reaches_the_terminal_as_a_command(folder: Path) -> None:
    text = f"《{COAST}》第四条规定：“\x1b[31m灯塔看守人[bold]应当每日点灯，日出后一小时熄灯。\x07”"
    (folder / "evil.txt").write_text(text, "utf-8")
    done = cite(folder, "evil.txt")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout


def test_narrow_terminals_and_help(folder: Path) -> None:
    assert max(map(len, cite(folder, "draft.txt", columns=60).stdout.splitlines()[:-1])) <= 60
    told = hengfa("cite", "check", "--help", cwd=folder).stdout
    assert "hengfa cite check judgment.txt" in told
    assert "--as-of DATE" in told
