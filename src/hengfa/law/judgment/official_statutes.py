"""Articles of the Criminal Law as the published evaluator finds them (judgment spec 6).

Paragraphs, items and 之一 are left out, and numbers are compared as text (Q9). Of a list of
articles only what stands before 规定 or the next 《 is seen.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from hengfa.law.judgment.official_numbers import find_official_numbers

_LAW: Final = "《中华人民共和国刑法》"


def citing(ends: str, numerals: str) -> Sequence[re.Pattern[str]]:
    """Three ways to cite: "《…刑法》第六十七条、…", "《刑法》第…", "《…刑法》 六十七条…".

    A span stays on its line and reaches to the first of `ends`; without one it is no citation.
    """
    return tuple(
        re.compile(f"{beginning}.*?[{ends}]")
        for beginning in (f"{_LAW}第", "《刑法》第", rf"{_LAW}\s?[{numerals}第]+")
    )


HEAD_CITING: Final = citing("。《判附规", "零一二三四五六七八九十")
# "第六十七条", "第一百零五条"; not "第67条", "第三款", nor a thousand numerals in a row
_ARTICLE: Final = re.compile("第[一二三四五六七八九零十百]{1,40}条")


def official_articles(reason: str, document: str) -> frozenset[str]:
    """The articles cited in the reasoning; where nothing is cited there, in the document."""
    spans = cited_spans(reason, HEAD_CITING) or cited_spans(document, HEAD_CITING)
    return articles_in(spans)


def cited_spans(text: str, patterns: Sequence[re.Pattern[str]]) -> list[str]:
    """What the patterns find, one pattern after the other."""
    return [span for pattern in patterns for span in pattern.findall(text)]


def articles_in(spans: Sequence[str]) -> frozenset[str]:
    """The numbers of the articles that some citations name."""
    found = (find_official_numbers(article) for span in spans for article in _ARTICLE.findall(span))
    return frozenset(numbers[0] for numbers in found if len(numbers) == 1)
