"""The questions in a response to a consultation, one after the other.

Every numbered line counts, at whatever depth: a list of 25 questions with five more under each has
150, and only the first 25 are graded. A numbered line that merely announces those below it
(“一、关于借条”) is a heading. Lines between belong to the question above them. Where nothing is
numbered the lines of a bulleted list are the questions, else the sentences that ask, else the
lines.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final, NamedTuple

# What may stand before a number, in Markdown: "**", "## ", "> "; not "-1".
_DRESS: Final = r"[ \t\u3000>#*_]{0,12}"
# A question's number: "1.", "2、", "（3）", "4)", "第6问：", "Q7.", "**8.**", "问题9：", "①"; not
# "1.5万元", "2020年10月8日", "1 个", "3000元".
_DIGITS: Final = re.compile(
    rf"{_DRESS}(?:[（(\[【]\s?\d{{1,3}}\s?[）)\]】]"
    r"|(?:第|[Qq]|问题?)?\s?\d{1,3}\s?(?:问|题|个问题)?(?:[.．](?!\d)|[、:：)）])"
    r"|[①-⑳㉑-㉟])[*_]{0,3}[.．、:：]?\s*"
)
# A Chinese numeral as a number: "一、", "（二）", "第三，"; not "一个", "三人".
_NUMERALS: Final = re.compile(
    rf"{_DRESS}(?:[（(]\s?[一二三四五六七八九十]{{1,3}}\s?[）)]"
    r"|第?[一二三四五六七八九十]{1,3}[、.．,，:：])[*_]{0,3}[:：]?\s*"
)
# A bullet: "- ", "* ", "• ", "·"; not "-1", "**".
_BULLET: Final = re.compile(r"[ \t\u3000>]{0,12}(?:[-+*](?=[ \t])|[•·●○▪‣])\s*")
# A heading that has no number: "## 关于借款", "【证据】", "**关于证据**"; not "**是否**有借条？".
_HEADING: Final = re.compile(
    r"\s{0,9}(?:#{1,6}\s.*|【[^【】]{1,30}】[:：]?|\*\*[^*]{1,30}\*\*[:：]?)\s*"
)
_ASKS: Final = re.compile(r"[?？]|吗|呢|是否|有无|有没有|能否|何时|何地|哪|谁|什么|多少|如何|怎")
# A sentence with what ends it: "有借条吗？"; never empty.
_SENTENCE: Final = re.compile(r"[^。！!；;\n?？]+[。！!；;\n?？]*")


class Question(NamedTuple):
    """One question as it came, with its number and the lines that belong to it."""

    text: str
    numbered: bool = True


def read_questions(response: str) -> tuple[Question, ...]:
    """All questions, in order."""
    lines = [line for line in response.splitlines() if line.strip()]
    by_number = _blocks(lines)
    if by_number:
        return tuple(Question(block) for block in by_number)
    bullets = [line.strip() for line in lines if _BULLET.match(line) and _BULLET.sub("", line, 1)]
    if bullets:
        return tuple(Question(line, numbered=False) for line in bullets)
    sentences = (found[0].strip() for found in _SENTENCE.finditer(response))
    asked = [sentence for sentence in sentences if sentence.endswith(("?", "？"))]
    rest = asked or [line.strip() for line in lines]
    return tuple(Question(text, numbered=False) for text in rest if _has_words(text))


def _blocks(lines: list[str]) -> list[str]:
    """Each numbered line that is no heading, with the lines below it that belong to it."""
    blocks: list[list[str]] = []
    inside = False
    for line, following in zip_longest(lines, lines[1:], fillvalue=""):
        number = _DIGITS.match(line) or _NUMERALS.match(line)
        if number is not None and _has_words(line[number.end() :]):
            inside = not _announces(line, following)
            if inside:
                blocks.append([line.strip()])
        elif _HEADING.fullmatch(line):
            inside = False
        elif inside:
            blocks[-1].append(line.strip())
    return ["\n".join(block) for block in blocks]


def _announces(line: str, following: str) -> bool:
    """Whether a numbered line asks nothing and a line with another kind of number comes next."""
    if _ASKS.search(line):
        return False
    if _NUMERALS.match(line):
        return _DIGITS.match(following) is not None
    return _kind(line) != _kind(following) and _DIGITS.match(following) is not None


def _kind(line: str) -> str:
    """How a line is numbered: 1. and 2. alike, （1） otherwise."""
    number = _DIGITS.match(line)
    return "" if number is None else re.sub(r"[\d\s*_#>]+", "0", number[0])


def _has_words(text: str) -> bool:
    return any(character.isalpha() for character in text)
