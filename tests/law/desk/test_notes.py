"""Every note of the checker has words in Chinese."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hengfa.law.desk.explain import Explainer
from hengfa.law.desk.notes import _LINES, in_chinese, titled
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import Report
from hengfa.law.library.store import Library
from tests.law.library.citing_gold import fill, read_part
from tests.law.library.conftest import coast_file, shared_file

_ = coast_file, shared_file  # the fixtures
_SLOT = re.compile(r"\{(\w+)\}")
_PIECES = [max(_SLOT.split(line)[::2], key=len) for line in _LINES]
"""What each line says itself, at its longest."""
# Words of ours that were left in English; "--law" and "UTF-8" are no words
_ENGLISH = re.compile(r"(?<![-\w])[a-z]{2,}(?![-\w])")


def test_both_sides_of_a_line_have_the_same_slots() -> None:
    for english, chinese in _LINES.items():
        slots, shown = set(_SLOT.findall(english)), set(_SLOT.findall(chinese))
        assert shown <= slots, english
        assert slots - shown <= {"s", "do", "day"}, english


@pytest.mark.parametrize(
    ("note", "chinese"),
    [
        ("the version of 2012-08-31 has no 第三百条", "2012年8月31日公布的版本没有第三百条"),
        ("第三条 has 1 paragraph", "第三条只有1款"),
        (
            "第三条 is in the versions of 2009-01-01, 2012-11-30",
            "2009年1月1日、2012年11月30日公布的版本有第三条",
        ),
        (
            "it explains 云港渔港法, which was repealed on 2010-06-01 by 云港港口法",
            "它所解释的《云港渔港法》已于2010年6月1日被《云港港口法》废止",
        ),
        (
            "as in the version of 2009-08-27: 某案、the amendment of 2014-07-01 do not amend it",
            "与2009年8月27日公布的版本相同：某案、2014年7月1日的修改没有修改它",
        ),
        (
            (
                "it is not known whether the text promulgated on 2009-08-27 was in force on"
                " 2010-01-01; if it was not, no version was in force"
            ),
            "不能确定2009年8月27日公布的文本在2010年1月1日是否已经施行；如果没有，当时有效的版本：无",
        ),
        (
            "the words are those of 第六条 (2018-10-01, 2005-03-01); 云港港口法第二条 (2022-10-01)",
            "引文是第六条（2018-10-01, 2005-03-01）；云港港口法第二条（2022-10-01）的文字",
        ),
        ("not of the provision any more: {day} <b>", "以下已不是条文的文字：{day} <b>"),
        ("what somebody else has noticed", "what somebody else has noticed"),
    ],
)
def test_a_note_in_chinese(note: str, chinese: str) -> None:
    assert in_chinese(note) == chinese


@given(st.text(max_size=200), st.sampled_from([*_LINES]))
def test_words_of_others_are_taken_over_as_they_are(words: str, line: str) -> None:
    if _SLOT.findall(line) == ["words"]:
        assert in_chinese(line.format(words=words)) == _LINES[line].format(words=words)
    if not any(piece in words for piece in _PIECES):  # "can mean !" is one of the lines
        assert in_chinese(f"{words}!") == f"{words}!"


def test_a_title_has_one_pair_of_marks() -> None:
    assert titled("《海岸法》") == titled("海岸法") == "《海岸法》"
    assert titled("关于《海岸法》的解释") == "《关于〈海岸法〉的解释》"


def _untranslated(checker: Checker, reports: list[Report]) -> set[str]:
    """What is still English in what is said of documents."""
    explainer = Explainer(checker)
    left = set[str]()
    for report in reports:
        for checked in report.citations:
            said = explainer.explain(checked, "zh")
            assert said.label and said.sentence
            words = "".join((checked.written, checked.named or "", *checked.candidates))
            ours = (said.label, said.problem, said.sentence, *said.notes)
            left |= {
                note
                for note in ours
                if any(word not in words for word in _ENGLISH.findall(note))
                and not note.startswith(("[-", "{+"))
            }
        left |= {note for note in map(in_chinese, report.notes) if _ENGLISH.search(note)}
    return left


FICTIONAL = """关于海滩的意见

《云港海岸法》第三条第九款、第九百条、第四条第（二）项；《云港海岸法》（2009年修正）第六条之一；
《云港海岸法》（1999年修正）第二条；《云港渡口法》第一条；《云港渔港法》第二条；《云港登山法》第三条；
《云港节日条例》第一条；该办法第九条；合同第三条；
《云港最高法院关于审理海岸案件适用法律若干问题解释》第一条；《云港海岸法》第七条之一。
《云港海岸法》第六条规定：“海龟产卵期内，海滩自二十时至次日六时关闭。”
"""


def test_nothing_said_of_a_fictional_document_stays_english(coast_file: Path) -> None:
    with Library.open(coast_file) as library:
        for year in (1998, 2004, 2007, 2011, 2015, 2021, 2022, 2024):
            checker = Checker(library, as_of=date(year, 11, 5))
            assert _untranslated(checker, [checker.check(FICTIONAL)]) == set()
        checker = Checker(library, today=date(2021, 5, 5))
        dated = checker.check(FICTIONAL + "\n民国一百年五月五日")
        assert _untranslated(checker, [dated]) == set()


@pytest.mark.shared
@pytest.mark.deep
def test_nothing_said_of_real_documents_stays_english(shared: Path, shared_file: Path) -> None:
    with Library.open(shared_file) as library:
        reports = list(_reports(library, shared))
        checker = Checker(library, today=date(2025, 1, 1))
        notes = {note for report in reports for one in report.citations for note in one.notes}
        assert len(notes) > 400
        assert _untranslated(checker, reports) == set()


def _reports(library: Library, shared: Path) -> Iterator[Report]:
    for document in (*read_part("seen"), *read_part("later")):
        checker = Checker(library, as_of=document.as_of, today=document.today)
        yield checker.check(fill(library, document.text))
    checker = Checker(library, today=date(2025, 1, 1))
    with (shared / "data" / "JuDGE" / "data" / "test.json").open(encoding="utf-8") as stream:
        yield from (checker.check(json.loads(line)["fd"]) for line in stream)
    cases = (shared / "data" / "guiding_cases" / "cases.jsonl").read_text("utf-8").splitlines()
    for case in map(json.loads, cases):
        words = (value if isinstance(value, list) else [value] for value in case.values())
        yield checker.check("\n".join(str(line) for lines in words for line in lines))
