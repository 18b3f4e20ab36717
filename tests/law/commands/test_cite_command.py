"""`hengfa cite check` and `hengfa cite cases` as a lawyer or a script calls them."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.cli.test_cli import Done, hengfa
from tests.law.library.citing_laws import CLOSED, COAST, LANTERNS_2005, LANTERNS_2009, write_laws
from tests.law.library.citing_support import docx

from hengfa.law.library.building.build import build_library
from hengfa.law.library.documents import read_document

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


def cite(folder: Path, *arguments: str, columns: int = 120, **environment: str) -> Done:
    library = () if "--library" in arguments else ("--library", "law.sqlite")
    return hengfa(
        *("cite", "check", *arguments, *library),
        cwd=folder,
        COLUMNS=str(columns),
        TERM="dumb",
        **{"LC_ALL": "C", **environment},
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
        " library. Checked by the law of 2021-05-05, the date of the document (2021年5月5日)."
    )


def test_only_problems(folder: Path) -> None:
    done = cite(folder, "draft.txt", "--problems")
    assert "第四条" not in done.stdout
    assert "第五条" in done.stdout
    (folder / "good.md").write_text(f"**《{COAST}》第四条**\n", "utf-8")
    done = cite(folder, "good.md", "--problems", "--as-of", "2020-01-01")
    assert done.stdout == (
        "good.md: 1 citation, 1 right. Checked by the law of 2020-01-01, as asked.\n"
    )


def test_json_is_one_document_and_nothing_else(folder: Path) -> None:
    done = cite(folder, "draft.txt", "--json")
    told = json.loads(done.stdout)
    assert done.stderr == ""
    assert told["counts"] == {
        "right": 1, "exists": 0, "wording": 1, "wrong": 1, "unlike": 0, "unknown": 1, "unclear": 0,
        "paper": 0,
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


def test_strict_fails_on_wrong_citations_and_laws_that_nobody_knows(folder: Path) -> None:
    assert cite(folder, "draft.txt", "--strict").returncode == 1
    (folder / "minor.txt").write_text(f"《{COAST}》第九条之九和《云港登山法》第三条", "utf-8")
    assert cite(folder, "minor.txt", "--strict").returncode == 1
    others = "《民法典》第三条、法释〔2020〕28号第三条、《登山办法》第三条、《登山条例》第三条"
    (folder / "minor.txt").write_text(others, "utf-8")
    assert cite(folder, "minor.txt", "--strict").returncode == 0
    (folder / "minor.txt").write_text("《民法典》和《云港登山法》第三条", "utf-8")
    done = cite(folder, "minor.txt", "--strict")
    assert (done.returncode, done.stderr) == (1, "no law is known here by the name of 云港登山法\n")
    told = json.loads(cite(folder, "minor.txt", "--json").stdout)
    assert told["not_known"] == ["云港登山法"]


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


def test_the_standard_input_is_a_document(folder: Path) -> None:
    for content in (DRAFT.encode(), docx(*DRAFT.split("\n")), DRAFT.encode("gb18030")):
        done = subprocess.run(
            [sys.executable, "-c", "from hengfa.cli.main import main; main()", "cite", "check", "-",
             "--library", "law.sqlite", "--json"],
            cwd=folder, input=content, capture_output=True, check=True,
        )  # fmt: skip
        told = json.loads(done.stdout)
        assert told["documents"][0]["name"] == "-"
        assert told["counts"]["wrong"] == 1


@pytest.mark.optional("lxml")
def test_the_document_comes_back_with_comments(folder: Path) -> None:
    from hengfa.law.desk.word_comments import word_file

    (folder / "own.docx").write_bytes(word_file(DRAFT))
    for name in ("draft.txt", "own.docx"):
        for lang, label in (("zh", "有误"), ("en", "wrong")):
            done = cite(folder, name, "--comments", "checked.docx", "--lang", lang)
            assert done.returncode == 0
            assert "4 comments: checked.docx" in done.stderr
            with zipfile.ZipFile(folder / "checked.docx") as archive:
                comments = archive.read("word/comments.xml").decode()
            assert comments.count("<w:comment ") == 4
            assert f"[{label}] 《{COAST}》第五条" in comments
            assert read_document(folder / "checked.docx").text == DRAFT
    done = cite(folder, "draft.txt", "--comments", "checked.docx", "--problems")
    assert "3 comments" in done.stderr


def test_comments_never_take_the_place_of_the_document(folder: Path) -> None:
    (folder / "same.docx").write_bytes(docx(f"依照《{COAST}》第四条。"))
    before = (folder / "same.docx").read_bytes()
    for place, told in (
        ("same.docx", "is the document itself"),
        ("./laws/../same.docx", "is the document itself"),
        ("same.txt", "ends in .docx"),
    ):
        done = cite(folder, "same.docx", "--comments", place)
        assert (done.returncode, told in done.stderr) == (2, True)
    assert (folder / "same.docx").read_bytes() == before
    assert cite(folder, "same.docx", "draft.txt", "--comments", "a.docx").returncode == 2


def test_a_chinese_locale_speaks_chinese_unless_it_is_told_not_to(folder: Path) -> None:
    chinese = cite(folder, "draft.txt", columns=240, LC_ALL="zh_CN.UTF-8").stdout
    assert "引自别的条文" in chinese
    assert f"建议改引: 《{COAST}》第六条（2018年10月1日公布）" in chinese
    assert chinese.splitlines()[-1] == (
        "draft.txt: 共4处引用：正确 1，文字有出入 1，有误 1，无法核对 1。"
        "按文书的日期2021年5月5日（“2021年5月5日”）的法律核对。"
    )
    english = cite(folder, "draft.txt", "--lang", "en", columns=240, LC_ALL="zh_CN.UTF-8").stdout
    assert english == cite(folder, "draft.txt", columns=240).stdout
    assert cite(folder, "draft.txt", "--lang", "zh", columns=240).stdout == chinese


def test_a_report_is_written_and_not_over_another(folder: Path) -> None:
    done = cite(folder, "draft.txt", "draft.txt", "-o", "report.html", "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "report: report.html\n")
    assert [line[:10] for line in done.stdout.splitlines()] == ["draft.txt:"] * 2 + [
        "2 份文书，共8处引"
    ]
    page = (folder / "report.html").read_text("utf-8")
    assert page.count("<article") == 8
    assert "制作日期" in page
    refused = cite(folder, "draft.txt", "-o", "report.html")
    assert (refused.returncode, "report.html exists: --force" in refused.stderr) == (2, True)
    again = cite(folder, "draft.txt", "-o", "report.html", "--force", "--problems")
    assert again.returncode == 0
    assert (folder / "report.html").read_text("utf-8").count("<article") == 3


def test_a_report_as_json_has_what_is_printed_and_the_words(folder: Path) -> None:
    printed = cite(folder, "draft.txt", "-o", "report.json", "--json", "--force").stdout
    told, filed = json.loads(printed), json.loads((folder / "report.json").read_bytes())
    (document,) = filed["documents"]
    assert "2021-05-05" in document.pop("explained")["day"]
    for citation in document["citations"]:
        assert citation.pop("explained")["sentence"]
    assert (filed.pop("lang"), bool(filed.pop("made"))) == ("en", True)
    assert told.pop("not_known") == ["云港登山法"]
    assert filed == told


def test_a_report_has_one_of_five_endings_and_replaces_nothing_that_is_read(folder: Path) -> None:
    done = cite(folder, "draft.txt", "-o", "report.doc")
    assert (done.returncode, "--column NAME" in done.stderr) == (2, True)
    (folder / "page.html").write_text("《云港登山法》第三条", "utf-8")
    assert cite(folder, "page.html", "-o", "page.html", "--force").returncode == 2
    done = cite(folder, "draft.txt", "--resume", "-o", "other.html")
    assert (done.returncode, (folder / "other.html").exists()) == (2, False)


# --- case numbers ---

BRIEF = """参照指导案例24号。
（2022）沪01民终12345号、（2022）沪0115民终6号
（2031）沪01民终7号
"""


def cases(folder: Path, *arguments: str, **environment: str) -> Done:
    (folder / "brief.txt").write_text(BRIEF, "utf-8")
    asked = ("cite", "cases", *(arguments or ("brief.txt",)))
    return hengfa(*asked, cwd=folder, **{"COLUMNS": "200", "TERM": "dumb", **environment})


def test_case_numbers_as_a_table_in_both_languages(folder: Path) -> None:
    english = cases(folder, "brief.txt", "--lang", "en", "--as-of", "2026-01-01")
    assert english.returncode == 0
    assert "well formed, not known here" in english.stdout
    assert "the code of a basic court" in english.stdout
    assert "《人民法院组织法》（2018年修订）第二十三条第四项" in english.stdout
    assert english.stdout.splitlines()[-1] == (
        "brief.txt: 4 case numbers, 2 cannot exist, 2 well formed, not known here"
    )
    for chinese in (
        cases(folder, "brief.txt", "--lang", "zh", "--as-of", "2026-01-01"),
        cases(folder, "brief.txt", "--as-of", "2026-01-01", LC_ALL="zh_CN.UTF-8"),
    ):
        assert "收案年度2031年还没有到（今天是2026-01-01）" in chinese.stdout
        assert chinese.stdout.splitlines()[-1] == (
            "brief.txt: 案号4个，不可能存在2个，写法合规但此处查不到2个"
        )


def test_case_numbers_as_json(folder: Path) -> None:
    done = cases(folder, "brief.txt", "--json", "--as-of", "2026-01-01")
    assert done.stderr == ""
    told = json.loads(done.stdout)
    assert told["counts"] == {"cannot exist": 2, "not known here": 2, "known": 0}
    (document,) = told["documents"]
    guiding, first, *_ = document["numbers"]
    assert (guiding["form"], guiding["serial"], guiding["year"]) == ("guiding", 24, None)
    assert (first["line"], first["court"], first["kind"]) == (2, "沪01", "民终")
    assert [case["reasons"][0]["problem"] for case in document["numbers"] if case["reasons"]] == [
        "type of a higher court",
        "year to come",
    ]


def test_case_numbers_that_the_user_knows(folder: Path) -> None:
    (folder / "ours.txt").write_text("（2022）沪01民终12345号 卷宗甲\n", "utf-8")
    (folder / "courts.csv").write_text("沪01,某中级人民法院\n沪0115,某区人民法院\n", "utf-8")
    files = ("--known", "ours.txt", "--courts", "courts.csv")
    done = cases(folder, "brief.txt", "--lang", "zh", "--problems", *files)
    assert "12345号" not in done.stdout
    assert "某区人民法院" in done.stdout
    assert "查到1个" in done.stdout.splitlines()[-1]
    done = cases(folder, "brief.txt", "--known", "courts.csv")
    assert done.returncode == 1
    assert "courts.csv, row 1: there is no case number in this line" in done.stderr


def test_strict_fails_on_case_numbers_that_cannot_exist(folder: Path) -> None:
    assert cases(folder, "brief.txt", "--strict").returncode == 1
    (folder / "good.txt").write_text("（2022）沪01民终12345号", "utf-8")
    assert cases(folder, "good.txt", "--strict").returncode == 0
    (folder / "evil.docx").write_bytes(b"PK\x03\x04 nothing")
    done = cases(folder, "evil.docx", "good.txt")
    assert done.returncode == 1
    assert "evil.docx: cannot be read as a Word document" in done.stderr
    assert "good.txt: 1 case number" in done.stdout
    assert "hengfa cite cases draft.docx" in cases(folder, "--help").stdout
