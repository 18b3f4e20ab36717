"""What was found of a citation, in words: the verdict, the day, the text, what to cite instead."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import get_args

import pytest

from hengfa.law.desk.explain import Explained, Explainer, about_day, default_lang, label
from hengfa.law.library.citing.checking import Checker
from hengfa.law.library.citing.findings import STATUSES, Day, DayBasis, Problem
from hengfa.law.library.store import Library
from hengfa.law.library.words import Lang, table_of_words
from tests.law.library.citing_laws import (
    CLOSED,
    COAST,
    DIVERS,
    FERRY,
    HARBOUR,
    LANTERNS_2005,
    LANTERNS_2009,
    PATROL_2009,
    PORTS,
    VEHICLES,
)
from tests.law.library.conftest import coast_file

_ = coast_file  # the fixture
LANGS: tuple[Lang, ...] = get_args(Lang)


@pytest.fixture
def library(coast_file: Path) -> Iterator[Library]:
    with Library.open(coast_file) as opened:
        yield opened


def said(library: Library, text: str, lang: Lang = "zh", day: date | None = None) -> Explained:
    """What is said of the first citation of a text."""
    checker = Checker(library)
    report = checker.check(text, as_of=day, today=date(2021, 5, 5))
    return Explainer(checker).explain(report.citations[0], lang)


def test_every_status_problem_and_day_has_words_in_both_languages() -> None:
    for lang in LANGS:
        for kind, names in {"verdict": get_args(Problem), "problem": get_args(Problem)}.items():
            said = [table_of_words()[f"{kind} {name}"][lang] for name in names if name]
            assert len(set(said)) == len(said)
        assert len({label(status, lang) for status in STATUSES}) == len(STATUSES)
        words = [about_day(Day(date(2021, 5, 5), basis), lang) for basis in get_args(DayBasis)]
        assert len(set(words)) == len(words)
        assert all("2021" in said for said in words)


def test_a_right_citation_has_its_text_and_its_day(library: Library) -> None:
    found = said(library, f"《{COAST}》第四条规定：“{LANTERNS_2009}”\n\n2021年5月5日")
    assert (found.label, found.problem, found.instead) == ("正确", "", "")
    assert found.sentence == (
        f"《{COAST}》第四条存在，2021年5月5日有效。引文与条文逐字相符（标点不计）。"
    )
    assert found.day == "按文书的日期2021年5月5日（“2021年5月5日”）的法律核对。"
    assert found.provision == LANTERNS_2009
    assert found.place == f"《{COAST}》第四条（2018年10月1日公布，自2019年1月1日起施行）"


def test_the_same_in_english(library: Library) -> None:
    found = said(library, f"《{COAST}》第四条", "en", date(2020, 1, 1))
    assert found.sentence == f"《{COAST}》第四条 exists and was in force on 2020-01-01."
    assert found.day == "Checked by the law of 2020-01-01, as asked."
    assert found.place == f"《{COAST}》第四条 (version of 2018-10-01, in force from 2019-01-01)"


def test_words_of_another_article_name_that_article(library: Library) -> None:
    found = said(library, f"《{COAST}》第五条规定：“{CLOSED}”", day=date(2021, 5, 5))
    assert found.problem == "引自别的条文"
    assert found.instead == f"《{COAST}》第六条（2018年10月1日公布）：{CLOSED}"


def test_words_of_an_older_version_lead_to_where_they_stand_now(library: Library) -> None:
    found = said(library, f"《{COAST}》第四条规定：“{LANTERNS_2005}”", day=date(2021, 5, 5))
    assert found.problem == "引自别的版本"
    assert found.provision == LANTERNS_2009
    assert found.instead == f"《{COAST}》第四条（2018年10月1日公布）：{LANTERNS_2009}"


def test_a_number_that_a_new_version_lacks_is_followed_into_it(library: Library) -> None:
    found = said(library, f"《{COAST}》第六条规定的时间", day=date(2023, 5, 5))
    assert found.problem == "没有该条款"
    assert found.instead == (
        f"《{COAST}》第二条（2022年10月1日公布，按文字比对找到，请核对）：{CLOSED}"
    )
    gone = said(library, f"《{COAST}》第七条之一：“{DIVERS}”", day=date(2023, 5, 5))
    assert (gone.problem, gone.instead) == ("没有该条款", "")


def test_a_repealed_law_has_its_last_text_and_what_came_after(library: Library) -> None:
    found = said(library, f"《{HARBOUR}》第二条\n\n2021年5月5日")
    assert found.sentence == f"《{HARBOUR}》第二条在2021年5月5日不是有效的法律。"
    assert found.provision == "船只进港应当鸣笛三声，出港应当鸣笛一声。"
    assert PORTS in found.instead
    assert found.notes == (f"2010年6月1日被《{PORTS}》废止",)


def test_nothing_comes_instead_of_a_law_that_is_not_in_force_yet(library: Library) -> None:
    found = said(library, f"《{PORTS}》第一条\n\n2009年5月5日")
    assert (found.label, found.problem) == ("有误", "当日未施行或已失效")
    assert (found.provision, found.instead) == ("", "")


def test_a_paragraph_that_is_not_there_shows_its_article(library: Library) -> None:
    found = said(library, f"《{COAST}》第二条第三款", day=date(2021, 5, 5))
    assert found.problem == "没有该条款"
    assert found.provision.startswith(VEHICLES)
    assert found.place.startswith(f"《{COAST}》第二条（2018")


def test_derived_words_are_said_to_be_derived(library: Library) -> None:
    found = said(library, f"《{COAST}》（2009年修正）第六条之一")
    assert found.provision == PATROL_2009
    assert found.place == f"《{COAST}》第六条之一（由修正案推得的文字，2009年4月1日公布）"
    assert "2009年修正" in found.day


def test_what_the_library_lacks_is_never_said_not_to_exist(library: Library) -> None:
    unknown = said(library, "《云港登山法》第三条")
    assert unknown.sentence == "法律库中没有“云港登山法”，无法核对；这不等于它不存在。"
    assert (unknown.provision, unknown.instead, unknown.day) == ("", "", "")
    lacking = said(library, f"《{FERRY}》第一条", day=date(2015, 1, 1))
    assert (lacking.label, lacking.provision) == ("无法核对", "")


def test_doubts_are_said_to_be_doubts(library: Library) -> None:
    repealed = f"《{HARBOUR}》第二条"
    assert said(library, repealed).sentence.startswith("请人工核对：")
    assert said(library, repealed, "en").sentence.startswith("Not certain, a person has to look")
    several = said(library, "《云港节日条例》第一条", day=date(1995, 1, 1))
    assert several.sentence == "“云港节日条例”可以指几部法律，请人工核对。"
    assert several.instead == "《云港节日条例（1988年）》、《云港节日条例（1993年）》"


def test_a_range_has_the_text_of_all_its_articles(library: Library) -> None:
    found = said(library, f"《{COAST}》第四条至第六条", day=date(2021, 5, 5))
    assert found.provision.splitlines()[0] == LANTERNS_2009
    assert found.provision.splitlines()[-1] == CLOSED
    assert "第四条至第六条" in found.place


@pytest.mark.parametrize(
    ("environment", "lang"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "en_US.UTF-8", "LC_MESSAGES": "zh_TW.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": ""}, "zh"),
    ],
)
def test_the_locale_decides_the_language(environment: dict[str, str], lang: Lang) -> None:
    assert default_lang(environment) == lang
