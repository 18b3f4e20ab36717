"""The published evaluator as it was on 2025-02-28 (judgment spec 9), which half of table 4 is from.

It normalises nothing and knows no sections: the result is what stands behind the last 判决如下.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.suites.judgment.official import (
    Canonical,
    PenaltyRule,
    articles_in,
    charges_by_item,
    cited_spans,
    citing,
    guilty_of,
    named,
)

LEGACY_PENALTIES: Final = PenaltyRule(
    term_ends=",;，。！？、；：缓至",
    fine_ends="，。！？、；：以已",
)
_CITING: Final = citing("。《判附", "一二三四五六七八九十")
_SIGNATURES: Final = ("附：", "审判长", "审判员")
_ENDS: Final = ("如不服本", *_SIGNATURES)
_OFFENDERS: Final = re.compile("主犯|初犯|累犯|从犯|再犯")
# What somebody is sentenced for: "盗窃罪" in "以盗窃罪判处"; not "以盗窃罪，判处"
_SENTENCED_FOR: Final = re.compile("以([^罪，]+罪)判处")


def legacy_judgment(document: str) -> str:
    """The document from its last 判决如下 on, up to the last mark of an end."""
    text = _from_last(_from_last(document, "判决如下"), "判处如下")
    end = max(text.rfind(mark) for mark in _ENDS)
    return text[:end] if end >= 0 else text


def legacy_texts(document: str) -> tuple[str, str]:
    """Reasoning and result as METEOR compared them then; each is empty where a mark is missing.

    The specification is silent on these. They follow from the published scores, which come out to
    the last digit: from the first 本院认为 to the last 判决如下, and from there to the last mark of
    an end in the whole document, of which 如不服本 is none here.
    """
    reason, decision = document.find("本院认为"), document.rfind("判决如下")
    if decision < 0:
        return "", ""
    end = max(document.rfind(mark) for mark in _SIGNATURES)
    judgment = document[decision:] if end < 0 else document[decision:end]
    return document[reason:decision] if reason >= 0 else "", judgment


def legacy_charges(judgment: str, document: str, canonical: Canonical) -> frozenset[str]:
    """The first of four readings that finds a name, even one that is in no list."""
    for text in (judgment, document):
        for read in (charges_by_item, _charges_anywhere):
            if written := read(text):
                return named(written, canonical)
    return frozenset()


def legacy_articles(document: str) -> frozenset[str]:
    """The articles cited anywhere in the document."""
    return articles_in(cited_spans(document, _CITING))


def _from_last(text: str, mark: str) -> str:
    place = text.rfind(mark)
    return text[place:] if place >= 0 else text


def _charges_anywhere(text: str) -> set[str]:
    """Without items: before the appended provisions, 犯…罪 and 以…罪判处."""
    text = text[: text.find("法律条文")]
    text = _OFFENDERS.sub("", text)
    return {*_SENTENCED_FOR.findall(text), *guilty_of(text)}
