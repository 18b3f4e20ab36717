"""The day that counts: dates in every form, versions that citations name, the time of the facts."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.standing import document_day
from tests.law.library.citing_laws import COAST, HARBOUR
from tests.law.library.citing_support import check, only

REPEALED = f"《{HARBOUR}》第二条"  # on 2010-06-01
AFTER = date(2012, 1, 1)


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "2019-03-05\n正文。",
        "意见书出具日：2019.3.5\n\n正文。",
        "日期：2019/3/5\n正文。",
        "审查意见（2019/03/05）\n正文。",
        "正文。\n\n2019 年 3 月 5 日",
        "正文。\n签订日期：２０１９年３月５日（盖章）",
        "正文。\n二〇一九年三月五日于上海",
        "Date: 5 March 2019\nText.",
        "Dated March 5, 2019\nText.",
        "正文。\n**2019年3月5日**",
        "正文。\n2019-03-05 10:30",
        "Sent: Tuesday, March 5, 2019 10:30 AM\nText.",
        "落款日期：2019年3月5号\n正文。",
        "合同无效。判决时间：2019年3月5日",
        "正文。\n2019年3月5日 星期二",
        "出生日期：1990-01-01\n日期：2019-03-05\n到期日：2030-01-01\n正文。",
        "签订日期：2019-03-05\n交付日期：2020-01-01\n正文。",
        "正文。\n甲方（签字）：　　 日期：2019-03-05",
    ],
)
def test_the_date_of_a_document(text: str) -> None:
    found = document_day(text)
    assert found is not None
    assert found.day == date(2019, 3, 5)


@pytest.mark.parametrize(
    "text",
    [
        "出生日期：1990-01-01\n正文。",
        "事故发生时间：2019年3月5日\n正文。",
        "入职日期：2019.3.5\n正文。",
        "原告于2019-03-05起诉，请求赔偿。",
        "版本 2019.3.5.1\n正文。",
    ],
)
def test_a_date_of_an_event_is_not_that_of_the_document(text: str) -> None:
    assert document_day(text) is None


@pytest.mark.parametrize("written", ["二〇一九年农历正月初八", "中華民國一〇八年三月五日"])
def test_another_calendar_is_said_to_be_unread(library: Library, written: str) -> None:
    report = Checker(library).check(f"立约日：{written}\n依{REPEALED}处理。", today=AFTER)
    assert report.day.basis == "today"
    assert any(written in note and "not read" in note for note in report.notes)
    assert report.citations[0].status == "unclear"
    assert not Checker(library).check(f"立约日：{written}", as_of=AFTER).notes


def test_a_version_that_a_citation_names_stands_above_the_day_that_is_asked_for(
    library: Library,
) -> None:
    named, day = check(
        library,
        f"《{COAST}》（2018年修正）第七条之一，《{COAST}》第七条之一",
        as_of=date(2024, 1, 1),
    )
    assert named.day
    assert day.day
    assert (named.status, named.version, named.day.basis) == (
        "right",
        date(2018, 10, 1),
        "citation",
    )
    assert (day.problem, day.day.basis) == ("no such position", "as of")
    assert any("2022-10-01 was in force" in note for note in named.notes)


@pytest.mark.parametrize(
    "text",
    [
        f"依当时的{REPEALED}处理。",
        f"行为时有效的{REPEALED}仍应适用。",
        f"合同签订时的{REPEALED}",
        f"船只进港，依照已废止的{REPEALED}处理。",
        f"事故发生于2010年5月，2011年起诉，依当时的{REPEALED}赔偿。",
        f"原{HARBOUR}第二条",
        f"《{HARBOUR}》（已废止）第二条",
        f"《{HARBOUR}》（当时有效）第二条",
        f"《{HARBOUR}》第二条（已废止）",
        f"{REPEALED}（注：现行有效的法律为港口法）",
        f"《{HARBOUR}》（2010年6月1日废止）第二条",
        f"港口法施行前的法律事实引起的纠纷，适用当时的法律。依照{REPEALED}，判决如下。",
        f"依照《关于适用港口法时间效力的若干规定》第一条第二款、{REPEALED}，判决如下。",
    ],
)
def test_the_law_of_the_time_of_the_facts_is_no_mistake(library: Library, text: str) -> None:
    found = check(library, text, as_of=AFTER)[-1]
    assert (found.status in {"right", "exists"}, found.law) == (True, HARBOUR)
    assert any("repealed on 2010-06-01" in note for note in found.notes)


@pytest.mark.parametrize(
    "text",
    [
        f"依照{REPEALED}处理。",
        f"同时，{REPEALED}",
        f"事故发生于2011年，依{REPEALED}赔偿。",
        f"事故发生于2010年7月，依当时的{REPEALED}赔偿。",  # it was repealed by then
        f"对港口法施行前的法律事实另行处理。\n船只于2011年进港，依照{REPEALED}鸣笛。",
    ],
)
def test_a_repealed_law_without_such_words_or_for_later_facts_is_wrong(
    library: Library, text: str
) -> None:
    found = only(library, text, as_of=AFTER)
    assert (found.status, found.problem) == ("wrong", "not in force")


def test_a_position_that_the_old_law_did_not_have_is_wrong_all_the_same(library: Library) -> None:
    found = only(library, f"依当时的《{HARBOUR}》第九十条处理。", as_of=AFTER)
    assert found.problem == "no such position"


def test_the_time_of_the_facts_of_a_law_in_force_may_be_that_of_another_version(
    library: Library,
) -> None:
    found = only(library, f"行为时的《{COAST}》第七条之一", as_of=date(2024, 1, 1))
    assert found.status == "unknown"
    assert only(library, f"行为时的《{COAST}》第四条", as_of=date(2024, 1, 1)).status == "right"


# --- contracts and English ---


def test_law_that_a_clause_of_a_contract_cites_is_checked(library: Library) -> None:
    text = f"第八条 违约责任：船只进港按照《{COAST}》第九十条办理，违者赔偿。"
    clause, cited = check(library, text)
    assert (clause.law, cited.inside, cited.problem) == (None, False, "no such position")


def test_an_english_number_in_brackets_is_an_item_where_there_are_items(library: Library) -> None:
    text = f"《{COAST}》Article 6(1), 《{COAST}》Article 2(2), 《{HARBOUR}》Article 9"
    whole, fine, missing = check(library, text, as_of=date(2009, 1, 1))
    assert (whole.position, whole.status) == ("第六条第一款", "right")
    assert (fine.position, fine.status) == ("第二条第二款", "right")
    assert missing.problem == "no such position"
    assert "what is said of it in English was not compared" in fine.notes
