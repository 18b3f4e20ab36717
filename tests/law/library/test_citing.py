"""Citations of fictional law: which law, which position, which day."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.library import Library
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.standing import document_day
from tests.law.library.citing_laws import (
    CLOSED,
    COAST,
    FERRY,
    LANTERNS_2005,
    LANTERNS_2009,
    RULING,
    TURTLES,
)
from tests.law.library.citing_support import TODAY, check, only


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


# --- the law ---


def test_a_right_citation_says_where_it_stands_and_what_it_was_read_as(library: Library) -> None:
    found = check(library, "事实。\n\n依照《云港海岸法》第三条第一款第（二）项处理。")[0]
    assert (found.status, found.problem, found.line) == ("right", "", 3)
    assert found.written == "《云港海岸法》第三条第一款第（二）项"
    assert (found.law, found.position) == (COAST, "第三条第一款第（二）项")
    assert (found.version, found.text_of) == (date(2018, 10, 1), date(2018, 10, 1))
    assert (found.exists, found.in_force, found.how) == ("yes", "yes", "name")


def test_an_unknown_law_is_unknown_and_similar_names_are_shown(library: Library) -> None:
    found = only(library, "《云港海崖法》第三条")
    assert (found.status, found.problem, found.law) == ("unknown", "law not in the library", None)
    assert COAST in found.candidates


def test_an_ambiguous_name_asks(library: Library) -> None:
    found = only(library, "《云港节日条例》第一条")
    assert (found.status, found.problem) == ("unclear", "name of several laws")
    assert found.candidates == ("云港节日条例（1988年）", "云港节日条例（1993年）")


def test_a_long_name_with_a_slip_is_read_but_never_another_number(library: Library) -> None:
    near = only(library, f"《{RULING.replace('问题的解释', '问题解释')}》第一条")
    assert (near.status, near.how, near.law) == ("right", "near", RULING)
    other = only(library, f"《{RULING}（二）》第一条")
    assert (other.status, other.law) == ("unknown", None)


def test_interpretations_are_checked_too(library: Library) -> None:
    words = "海岸法第三条规定的“情节严重”，是指有下列情形之一：（二）捕捉海龟三只以上的。"
    text = f"《{RULING}》第二条规定：“{words}”"
    found = check(library, text)[0]
    assert found.quotation
    assert (found.status, found.quotation.verdict) == ("right", "exact")
    assert found.quotation.left_out == ("第二条第（一）项",)


def test_a_citation_without_a_law_needs_one(library: Library) -> None:
    text = "一、第二条规定，不得驾车。"
    assert only(library, text).problem == "no law named"
    (named,) = check(library, text, law=COAST)
    assert (named.status, named.how, named.law) == ("right", "default", COAST)


def test_words_of_a_provision_tell_the_law_that_is_not_named(library: Library) -> None:
    found = check(library, f"附：相关法律条文\n第六条 {CLOSED}\n")[0]
    assert (found.law, found.how, found.status) == (COAST, "words", "right")


def test_clauses_of_a_contract_are_not_checked(library: Library) -> None:
    found = only(library, "《房屋租赁合同》第九条")
    assert (found.status, found.problem) == ("paper", "not a law")


# --- positions ---


@pytest.mark.parametrize(
    ("position", "why"),
    [
        ("第四十条", "has no 第四十条"),
        ("第三条第三款", "第三条 has 2 paragraphs"),
        ("第三条第一款第（四）项", "第三条第一款 has 3 items"),
        ("第四条第（一）项", "第四条 has no items"),
        ("第四条之一", "has no 第四条之一"),
    ],
)
def test_a_position_that_is_not_there(library: Library, position: str, why: str) -> None:
    found = only(library, f"《{COAST}》{position}")
    assert (found.status, found.problem, found.exists) == ("wrong", "no such position", "no")
    assert why in " ".join(found.notes)


def test_a_position_that_other_versions_have_is_shown_there(library: Library) -> None:
    found = only(library, f"《{COAST}》第七条之一", as_of=date(2024, 1, 1))
    assert found.problem == "no such position"
    assert "第七条之一 is in the version of 2018-10-01" in found.notes


def test_first_paragraph_of_an_article_that_has_one_and_item_without_its_paragraph(
    library: Library,
) -> None:
    assert only(library, f"《{COAST}》第四条第一款").status == "right"
    assert only(library, f"《{COAST}》第三条第（三）项").status == "right"


def test_a_range_is_there_when_all_of_it_is(library: Library) -> None:
    assert only(library, f"《{COAST}》第二条至第六条").position == "第二条至第六条"
    assert only(library, f"《{COAST}》第二条至第六条").status == "right"
    assert only(library, f"《{COAST}》第六条至第十条").problem == "no such position"


def test_sections_of_an_amending_act_are_cited_as_articles(library: Library) -> None:
    assert only(library, f"《{COAST}修正案》第二条").status == "right"
    assert only(library, f"《{COAST}修正案》第九条").status == "unknown"


# --- days and versions ---


def test_a_repealed_law(library: Library) -> None:
    found = only(library, "《云港渔港法》第二条", as_of=date(2012, 1, 1))
    assert (found.status, found.problem, found.in_force) == ("wrong", "not in force", "no")
    assert any("repealed on 2010-06-01 by 云港港口法" in note for note in found.notes)
    undated = only(library, "《云港渔港法》第二条")
    assert (undated.status, undated.problem) == ("unclear", "not in force")
    assert any("bears no date" in note for note in undated.notes)
    assert only(library, "《云港渔港法》第二条", as_of=date(2008, 1, 1)).status == "right"


def test_a_law_that_was_not_yet_there(library: Library) -> None:
    found = only(library, f"《{COAST}》第二条", as_of=date(2005, 4, 1))
    assert (found.problem, found.in_force) == ("not in force", "no")
    assert any("in force from 2005-06-01" in note for note in found.notes)


def test_a_version_that_is_not_at_hand_is_unknown_and_not_the_nearest(library: Library) -> None:
    text = f"《{FERRY}》第一条规定：“渡口应当备有救生圈和哨子。”"
    found = only(library, text, as_of=date(2015, 1, 1))
    assert (found.status, found.problem) == ("unknown", "version not in the library")
    assert (found.exists, found.in_force, found.text_of) == ("unknown", "unknown", None)
    assert found.quotation
    assert found.quotation.verdict == "unknown"
    assert [source.version for source in found.quotation.sources] == [date(2001, 3, 1)]
    assert any("2010-03-01, which is not in the library" in note for note in found.notes)


def test_a_reading_that_differs_is_said(library: Library) -> None:
    found = only(library, f"《{COAST}》第二条", as_of=date(2022, 12, 1))
    assert (found.status, found.version) == ("right", date(2018, 10, 1))
    assert "reads otherwise in the version of 2022-10-01, not yet in force" in found.notes
    assert not only(library, f"《{COAST}》第四条", as_of=date(2022, 12, 1)).notes


@pytest.mark.parametrize(
    ("cited", "version", "words"),
    [
        ("（2005年）", date(2005, 3, 1), LANTERNS_2005),
        ("（2005年3月1日通过）", date(2005, 3, 1), LANTERNS_2005),
        ("（2019年1月1日起施行）", date(2018, 10, 1), LANTERNS_2009),
        ("（2018修正）", date(2018, 10, 1), LANTERNS_2009),
        ("（2018年10月修正）", date(2018, 10, 1), LANTERNS_2009),
    ],
)
def test_the_version_that_a_citation_names_comes_before_the_day(
    library: Library, cited: str, version: date, words: str
) -> None:
    found = only(library, f"《{COAST}{cited}》第四条规定：“{words}”")
    assert found.day
    assert (found.status, found.version, found.day.basis) == ("right", version, "citation")


def test_a_version_that_a_citation_names_and_nobody_knows(library: Library) -> None:
    found = only(library, f"《{COAST}（2018年3月修正）》第四条")
    assert (found.status, found.problem) == ("wrong", "no such version")
    found = only(library, f"《{COAST}（2011年修正）》第四条")
    assert (found.status, found.problem) == ("wrong", "no such version")


def test_an_older_number_in_brackets_is_that_of_the_version_before(library: Library) -> None:
    text = f"《{COAST}》第三条（原第二条）规定，不得驾车。"
    new, old = check(library, text, as_of=None)
    del new
    assert old.day
    assert old.day.day <= TODAY
    new, old = Checker(library).check(text, today=date(2024, 1, 1)).citations
    assert (new.version, old.version) == (date(2022, 10, 1), date(2018, 10, 1))


def test_the_date_of_the_document_decides_and_is_told(library: Library) -> None:
    text = f"依照《{COAST}》第四条，判决如下：……\n审判员王某\n二〇〇六年三月八日\n书记员李某"
    found = only(library, text)
    assert found.day
    assert (found.version, found.day.basis) == (date(2005, 3, 1), "document")
    assert found.day.text == "二〇〇六年三月八日"
    bare = only(library, f"《{COAST}》第四条").day
    assert bare
    assert (bare.day, bare.basis) == (TODAY, "today")


def test_counts_leave_out_what_stands_in_quotations(library: Library) -> None:
    text = f"《{COAST}》第四条、第九条，《云港海崖法》第一条"
    report = Checker(library).check(text, name="draft", today=TODAY)
    counts = report.counts()
    assert (counts["right"], counts["wrong"], counts["unknown"], report.wrong) == (1, 1, 1, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "《" * 3000 + "第一条" * 3000,
        f"《{COAST}》第一条至第九千条" * 200,
        f"《{COAST}》第三条规定：“" + "海" * 2900 + "”",
        f"《{COAST}》第三条规定：“" + "海龟" * 1400 + "”",
        f"《{COAST}》第三条规定：“" + "\x00\ud800\u202e" * 500 + "”",
        f"《{COAST}》第三条规定：“" + TURTLES * 100 + "”",
    ],
)
@pytest.mark.timeout(30)
def test_no_text_is_too_hostile(library: Library, text: str) -> None:
    check(library, text)


# --- the date that a document bears ---


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("审判员李某 二〇一七年六月二十八日 书记员唐某 附：法条", date(2017, 6, 28)),
        ("审判长甲\n审判员乙\n二○一八年十月十一日\n法官助理丙", date(2018, 10, 11)),
        ("人民陪审员赵某 二O一四年十二月三日", date(2014, 12, 3)),
        ("二0一六年元月三十一日 书记员丁", date(2016, 1, 31)),
        ("审判员戊 二〇一五年二月××日 书记员己", date(2015, 2, 28)),  # masked: the month is known
        ("审判员庚 二〇一七年十一月七无 书记员辛", date(2017, 11, 7)),  # as the courts' site has it
        ("审判员辰 二Ο一七年二月二十三日 书记员巳", date(2017, 2, 23)),  # a Greek letter
        ("审判员壬\n2019年3月5日\n书记员癸", date(2019, 3, 5)),
        ("法律意见书\n正文。\n某律师事务所\n2020年7月1日\n", date(2020, 7, 1)),
        ("备忘录\n2021年1月2日\n" + "正文。\n" * 40, date(2021, 1, 2)),
    ],
)
def test_the_day_is_the_one_that_is_signed(text: str, day: date) -> None:
    found = document_day(text)
    assert found is not None
    assert found.day == day


def test_days_of_events_are_never_taken() -> None:
    assert document_day("被告人于2017年4月28日盗窃，2018年1月1日被捕。") is None
    assert document_day("刑期自二〇一七年四月二十八日起至二〇一八年四月二十七日止。") is None
    text = "自二〇一三年六月六日起。审判员甲 二〇一四年二月十八日 书记员乙 附：2020年1月1日公布"
    found = document_day(text)
    assert found is not None
    assert found.day == date(2014, 2, 18)


def test_the_last_signature_counts() -> None:
    text = "审判员甲 二〇一五年五月二十五日 书记员乙。更正：审判员甲 二〇一五年六月二日 书记员乙"
    found = document_day(text)
    assert found is not None
    assert found.day == date(2015, 6, 2)


@pytest.mark.parametrize(
    "text", ["", "二〇一七年十三月一日 书记员", "二〇一七年二月三十日 书记员", "年月日"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert document_day(text) is None
