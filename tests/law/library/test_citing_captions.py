"""Articles of the Criminal Law called by a crime: right, wrong, and where nothing is said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from hengfa.law.grammar.citation_model import Position
from hengfa.law.grammar.judgment.charges import articles_of, read_charges
from hengfa.law.library import Library
from hengfa.law.library.building.build import build_library
from tests.law.library.citing_support import check, only
from tests.law.library.fictional import write_rows

CODE = """# 中华人民共和国刑法

第一百九十六条 使用伪造的信用卡的，处罚金。

盗窃信用卡并使用的，依照本法第二百六十四条的规定处罚。

第二百六十四条 盗窃财物的，处罚金。

第二百六十六条 骗取财物的，处罚金。

第三百一十条 为犯罪的人提供处所的，处罚金。

第三百八十四条 挪用公款的，处罚金。

第四百条 本法自1997年10月1日起施行。
"""
OTHER = (
    "# 云港灯塔法\n\n第二百六十四条 灯塔应当点灯。\n\n第二百六十五条 本法自1990年1月1日起施行。\n"
)
ROWS = [
    {"law": law, "version": day, "text": text, "effective": effective, "effective_basis": "text"}
    for law, day, text, effective in (
        ("中华人民共和国刑法", "1997-03-14", CODE, "1997-10-01"),
        ("云港灯塔法", "1989-12-01", OTHER, "1990-01-01"),
    )
]


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = write_rows(tmp_path_factory.mktemp("crimes") / "laws", ROWS)
    build_library([folder], folder.parent / "law.sqlite")
    with Library.open(folder.parent / "law.sqlite") as opened:
        yield opened


@pytest.mark.parametrize(
    "text",
    [
        "《刑法》第264条 盗窃罪",
        "《刑法》第264条盗窃罪",
        "刑法第二百六十六条（诈骗罪）",
        "《刑法》第266条【诈骗罪】",
        "刑法第三百八十四条 挪用公款罪",
        "刑法第一百九十六条 盗窃罪",  # it speaks of it
        "刑法第二百六十四条 财物犯罪",  # no crime of that name
        "刑法第二百六十四条、第二百六十六条 盗窃罪、诈骗罪",
        "刑法第二百六十四条（盗窃）",
        "刑法第二百六十四条（下同）",
        "构成盗窃罪（刑法第二百六十四条）。",
        "| 《刑法》第264条 | 盗窃罪 |",
        "《刑法》第196条 信用卡、第264条 盗窃罪",
        "《云港灯塔法》第二百六十四条 诈骗罪",
    ],
)
def test_what_an_article_is_called_is_no_quotation(library: Library, text: str) -> None:
    for found in check(library, text):
        assert (found.status, found.quotation) == ("right", None)


@pytest.mark.parametrize(
    ("text", "home"),
    [
        ("《刑法》第264条 诈骗罪", "第二百六十六条"),
        ("刑法第三百八十四条（贪污罪）则不同。", "第三百八十二条、第三百八十三条、第三百九十四条"),
        ("刑法第三百一十条（掩饰、隐瞒犯罪所得罪）", "第三百一十二条"),  # letters left out
        ("《刑法》第266条【盗窃罪】骗取财物的，处罚金。", "第二百六十四条、第二百六十五条"),
        ("构成刑法第266条规定的贩卖毒品罪。", "第三百四十七条"),
        ("刑法第266条（盗窃）", "第二百六十四条、第二百六十五条"),
        ("构成盗窃罪（刑法第266条）。", "第二百六十四条、第二百六十五条"),
        ("| 《刑法》第264条 | 诈骗罪 |", "第二百六十六条"),
    ],
)
def test_a_crime_of_another_article(library: Library, text: str, home: str) -> None:
    found = only(library, text)
    assert (found.status, found.problem) == ("unlike", "called by a crime of another article")
    assert f"this crime is in {home}" in found.notes


def test_a_caption_that_another_article_has_is_for_a_reader(library: Library) -> None:
    assert only(library, "《云港灯塔法》第二百六十四条 绿色原则").status == "right"
    found = only(library, "《云港灯塔法》第二百六十四条 施行")
    assert (found.status, found.problem) == ("unclear", "called unlike the provision")


def test_a_number_in_a_caption_that_the_provision_does_not_have(library: Library) -> None:
    found = only(library, "《云港灯塔法》第二百六十四条 灯塔点灯3年")
    assert (found.status, found.problem) == ("unlike", "told unlike the provision")
    assert "the provision does not have 3年" in found.notes


def test_an_article_that_is_not_there_stays_wrong(library: Library) -> None:
    assert only(library, "《刑法》第999条 盗窃罪").problem == "no such position"


def test_the_code_of_1979_had_other_numbers(library: Library) -> None:
    found = only(library, "《刑法》第264条 诈骗罪", as_of=date(1990, 1, 1))
    assert found.problem == "not in force"


# --- the table ---

NOT_IN_THE_CODE = {"骗购外汇罪"}  # in a decision of its own
MISSPELT = {"为境外窃取、剌探、收买、非法提供国家秘密、情报罪"}


def test_every_crime_of_the_list_has_an_article() -> None:
    known = set(read_charges().names) - NOT_IN_THE_CODE - MISSPELT
    assert [name for name in known if not articles_of(name)] == []


@pytest.mark.parametrize(
    ("crime", "articles"),
    [
        ("盗窃罪", {264, 265}),
        ("抢劫罪", {263, 267, 269}),
        ("危险驾驶罪", {133}),
        ("受贿罪", {385, 386, 388}),
        ("贩卖毒品罪", {347}),
        ("罪", set()),
        ("养猫罪", set()),
    ],
)
def test_articles_of_crimes(crime: str, articles: set[int]) -> None:
    assert {position.article for position in articles_of(crime)} == articles


def test_sub_articles_are_told_apart() -> None:
    assert articles_of("危险驾驶罪") == {Position(133, 1)}


@pytest.mark.shared
def test_real_articles_speak_of_their_crimes(corpus: Library) -> None:
    """Most names are made of words of their article: a slip in the table would show."""
    code = corpus.shelf.by_name["中华人民共和国刑法"]
    version = corpus.versions(code)[-1]
    table = (
        Path(articles_of.__wrapped__.__code__.co_filename).parent / "charge_articles.tsv"
    ).read_text("utf-8")
    names = [name for line in table.splitlines() for name in line.split("\t")[1].split()]
    strange = []
    for name in names:
        texts = [corpus.text(version, article) or "" for article in articles_of(name)]
        assert any(texts), f"no article for {name}"
        letters = set(name) - set("罪、（）")
        if not any(len(letters & set(text)) >= 0.6 * len(letters) for text in texts):
            strange.append(name)
    assert len(strange) <= 0.06 * len(names), strange
