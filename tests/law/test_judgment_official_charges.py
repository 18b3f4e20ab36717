"""Charges and articles by the published rules, of both versions (judgment spec 5, 6 and 9)."""

from __future__ import annotations

import pytest

from hengfa.law.judgment import legacy
from hengfa.law.judgment.charges import Charges
from hengfa.law.judgment.official_charges import (
    canonical_names,
    charges_by_item,
    official_charges,
)
from hengfa.law.judgment.official_penalty import PenaltyRule
from hengfa.law.judgment.official_statutes import official_articles

LIST = ("盗窃罪", "抢劫罪", "走私、贩卖、运输、制造毒品罪", "盗掘古文化遗址、古墓葬罪")
ALIASES = (("毒品", (" 走私、贩卖、运输、制造毒品罪",)), ("古墓", ("盗掘古文化遗址、古墓葬罪",)))
CANONICAL = canonical_names(Charges(LIST, ALIASES))


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("一、甲犯盗窃罪。二、乙犯抢劫罪。", {"盗窃罪", "抢劫罪"}),
        ("甲犯盗窃罪；乙犯抢劫罪", {"盗窃罪", "抢劫罪"}),
        ("一、撤销前判缓刑，甲犯抢劫罪。二、甲犯盗窃罪", {"盗窃罪"}),
        ("撤销缓刑。甲犯盗窃罪", {"盗窃罪"}),
        ("罪犯甲犯盗窃罪", {"盗窃罪"}),
        ("甲犯罪", set()),
        ("甲犯（盗窃罪", set()),
    ],
)
def test_charges_by_item(text: str, names: set[str]) -> None:
    assert charges_by_item(text) == names


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("盗窃罪", "盗窃罪"),
        ("有盗 窃罪", "盗窃罪"),
        ("了盗窃罪", "盗窃罪"),
        ("贩卖毒品罪", " 走私、贩卖、运输、制造毒品罪"),
        ("盗掘古墓葬罪", "盗掘古文化遗址、古墓葬罪"),
        ("抢动罪", "抢劫罪"),
        ("赌博罪", None),
        ("毒品买卖罪", None),
        ("很长" * 15 + "罪", None),
    ],
)
def test_canonical_names(written: str, name: str | None) -> None:
    assert CANONICAL(written) == name


def test_q4_the_document_is_searched_where_the_result_names_no_charge() -> None:
    document = "曾因犯抢劫罪被判刑"
    assert official_charges("判处拘役", document, CANONICAL) == {"抢劫罪"}
    assert official_charges("判处拘役", document, CANONICAL, whole_document=False) == frozenset()
    assert official_charges("甲犯赌博罪", document, CANONICAL) == frozenset()


@pytest.mark.parametrize(
    ("reason", "articles"),
    [
        ("依照《中华人民共和国刑法》第二百六十四条、第六十七条第三款之规定", {"264", "67"}),
        ("依照《刑法》第一百三十三条之一的规定", {"133"}),
        ("依照《中华人民共和国刑法》 二百条、第五条，判决", {"5"}),
        ("《刑法》第五条规定，第六条，判决", {"5"}),
        ("《刑法》第五条、《民法典》第六条规定", {"5"}),
        ("《刑法》第264条规定", set()),
        ("《刑法》第五条\n第六条规定", set()),
        ("《刑事诉讼法》第五条规定", set()),
    ],
)
def test_articles(reason: str, articles: set[str]) -> None:
    assert official_articles(reason, "") == articles


def test_articles_of_the_document_count_where_the_reasoning_cites_nothing() -> None:
    document = "《刑法》第五条规定"
    assert official_articles("依法", document) == {"5"}
    assert official_articles("《刑法》第六条规定", document) == {"6"}
    assert official_articles("《刑法》第6条规定", document) == frozenset()


DOCUMENT = (
    "曾犯抢劫罪。本院认为，依照《刑法》第五条规定，第六条，判决如下：以盗窃罪判处拘役"
    "一个月（缓刑），罚金三千元。如不服本判决。审判员"
)


def test_the_older_version_knows_no_sections() -> None:
    result = legacy.legacy_judgment(DOCUMENT)
    assert result == "判决如下：以盗窃罪判处拘役一个月（缓刑），罚金三千元。如不服本判决。"
    assert legacy.legacy_charges(result, DOCUMENT, CANONICAL) == {"盗窃罪"}
    assert legacy.legacy_articles(DOCUMENT) == {"5", "6"}
    assert legacy.LEGACY_PENALTIES.months("拘役三（六）个月", "") == 3
    assert PenaltyRule().months("拘役三（六）个月", "") == 0


def test_the_older_version_stops_at_names_that_are_in_no_list() -> None:
    assert legacy.legacy_charges("甲犯赌博罪", "乙犯盗窃罪", CANONICAL) == frozenset()
    assert legacy.legacy_charges("无", "乙犯盗窃罪", CANONICAL) == {"盗窃罪"}


def test_texts_that_the_older_version_compared() -> None:
    reason, judgment = legacy.legacy_texts(DOCUMENT)
    assert reason.startswith("本院认为") and reason.endswith("第六条，")
    assert judgment.endswith("如不服本判决。")
    assert legacy.legacy_texts("没有") == ("", "")
    assert legacy.legacy_texts("审判员。判决如下：甲") == ("", "")
