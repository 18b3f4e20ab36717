"""Response to answer: the place that `id` asks for, the text that `content` asks for (spec 3, 4).

A place stands in the last code block that names an article, else in the last line for each of the
three labels. Numbers may be Chinese or Arabic, of any width, with or without 第 and 条, 款, 项. A
label that is not there counts as None, as the words for nothing do.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from hengfa.law.citation_model import LEVELS, Level
from hengfa.law.citation_positions import parse_position
from hengfa.law.numerals import MAX_ARTICLE, find_numbers, parse_number
from hengfa.suites.base import Answer, AnswerStatus
from hengfa.suites.claw.clean import clean, is_refusal
from hengfa.suites.claw.vocabulary import NO_ANSWER, NOTHING

UNREADABLE: Final = -1
"""A level for which something was written that is no number: never right."""

_LONGEST_VALUE: Final = 120
_LABELS: Final[dict[str, Level]] = {"条": "article", "款": "paragraph", "项": "item"}
# The label of a level: "条序号", "款 序号", "项的序号"; not "序号".
_LABEL: Final = re.compile(r"([条款项])[ \t]?的?序号")
# What stands around a value: "**", "：", "|", "`", "为"; not "-", which is a word for nothing.
_AROUND: Final = " \t\r*_`|:=>\"'“”「」<>#"
# A remark in brackets: "(该条只有一款)", "[可以是None]"; not "(一)", which is a number.
_BRACKET: Final = re.compile(
    r"[(\[【〔](?![零〇一二三四五六七八九十0-9]{1,3}[)\]】〕])[^()\[\]【】〔〕]*[)\]】〕]?"
)
_CLAUSE_END: Final = re.compile(r"[,。;!]")
# One number and its affixes: "第二款", "(三)", "第(三)项", "2"; not "第二十条第二款".
_ONE_NUMBER: Final = re.compile(
    r"第?\s?[(\[【〔]?\s?(?P<number>[^\s第条款项()\[\]【】〔〕]+)\s?[)\]】〕]?\s?[条款项]?"
)
# A provision named in running text: "第三条", "第27条"; not "条序号".
_NAMED: Final = re.compile(r"第[^第条\n]{1,12}条")


class Place(NamedTuple):
    """What a response names; None where it says that there is none."""

    article: int
    article_sub: int | None
    paragraph: int | None
    item: int | None


class Recitation(NamedTuple):
    """A text as it came, and without what is not part of it."""

    raw: str
    clean: str


def place(response: str) -> Answer[Place]:
    """The article, paragraph and item that a response names."""
    text = unicodedata.normalize("NFKC", response)
    values = _last_values(_answer_block(text))
    if "article" not in values:
        somehow = values or (_NAMED.search(text) and not is_refusal(text))
        return Answer(None, AnswerStatus.MALFORMED if somehow else AnswerStatus.ABSTAINED)
    article = values["article"]
    if _word(article) in NOTHING | NO_ANSWER or is_refusal(article):
        return Answer(None, AnswerStatus.ABSTAINED)
    found = parse_position(_bare(article))
    if found is None or not found.article:
        several = len({one.value for one in find_numbers(article)}) > 1
        return Answer(None, AnswerStatus.AMBIGUOUS if several else AnswerStatus.MALFORMED)
    numbers: dict[Level, int | None] = {"paragraph": found.paragraph, "item": found.item}
    for level in LEVELS[1:]:
        if level in values:
            numbers[level] = _number(values[level], level)
    named = Place(found.article, found.article_sub, numbers["paragraph"], numbers["item"])
    status = AnswerStatus.MALFORMED if UNREADABLE in named else AnswerStatus.EXTRACTED
    return Answer(named, status)


def recitation(response: str) -> Answer[Recitation]:
    """The text that a response recites; a refusal is kept as it is, but named."""
    found = Recitation(response, clean(response))
    if not found.clean or is_refusal(response):
        return Answer(found, AnswerStatus.ABSTAINED)
    return Answer(found)


def _answer_block(text: str) -> str:
    """The last code block with a label for the article in it; the whole text where there is none.

    Split instead of matched: a block that is never closed is one too.
    """
    for block in reversed(text.split("```")[1::2]):
        if any(found[1] == "条" for found in _LABEL.finditer(block)):
            return block
    return text


def _last_values(text: str) -> dict[Level, str]:
    """What follows the last label of each level: the rest of the line, or the line after it."""
    spans: dict[Level, list[int]] = {}
    before: list[int] | None = None
    for label in _LABEL.finditer(text):
        if before is not None:
            before[1] = label.start()
        before = spans[_LABELS[label[1]]] = [label.end(), len(text)]
    values: dict[Level, str] = {}
    for level, (begin, end) in spans.items():
        after = text[begin : min(end, begin + _LONGEST_VALUE)].lstrip(_AROUND + "\n")
        values[level] = after.partition("\n")[0].rstrip(_AROUND + ",。;、")
    return values


def _bare(value: str) -> str:
    """The value without remarks: 第二款(共三款) is 第二款, but (二) is itself."""
    first = _CLAUSE_END.split(value)[0].strip(_AROUND)
    first = first.removeprefix("为").removeprefix("是").strip(_AROUND)
    return _BRACKET.sub("", first).strip(_AROUND) or first


def _word(value: str) -> str:
    return _bare(value).lower()


def _number(value: str, level: Level) -> int | None:
    """A paragraph's or item's number, None for none, or UNREADABLE."""
    word = _word(value)
    if word in NOTHING or not word:
        return None
    one = _ONE_NUMBER.fullmatch(word)
    number = parse_number(one["number"]) if one else None
    if isinstance(number, int) and 0 < number <= MAX_ARTICLE:
        return number
    position = parse_position(word)  # 第二十条第二款第(一)项, the whole of it at each level
    found = position and position.get(level)
    return found or UNREADABLE
