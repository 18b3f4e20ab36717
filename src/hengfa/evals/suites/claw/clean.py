"""A recitation without the dress that models put it in, and refusals told from recitations.

Cleaned away before scoring (claw.md 4): code fences, Markdown's marks for quotations, headings,
lists and bold type, the number of the provision in front of its text, differences of width (NFKC)
and white space. Everything is done in one pass over the lines: a response may be long.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

# White space and characters without width: "\u3000", "\n", "\u200b"; not "-".
_BLANKS: Final = re.compile(r"[\s\u200b-\u200d\u2060\ufeff]+")
# A line that opens or closes a code block: "```markdown", "  ~~~"; not "```条序号：1```".
_FENCE: Final = re.compile(r"\s{0,9}(?:`{3,}|~{3,})[\w+-]{0,20}\s*")
# What Markdown puts at the beginning of a line: "> ", "## ", "- ", "* "; not "-1", "**条".
_LINE_MARK: Final = re.compile(r"\s{0,9}(?:(?:>|#{1,6}(?=\s)|[-*+](?=\s))\s{0,9}){1,9}")
_BOLD: Final = re.compile(r"\*\*|__")

_NUMERAL: Final = r"[零〇○一二两三四五六七八九十百千0-9]{1,9}"
_LAW: Final = r"(?:《[^《》]{1,80}》|[^\s第《》。,;:]{2,60}(?:法|法典|条例|办法|规定|解释))"
_ITEM: Final = rf"第\(?{_NUMERAL}\)?项"
# What ends a number: ":", "规定:", a blank or the end of the line; not "规定的".
_ENDS: Final = r"(?:的?(?:规定|内容|原文|条文)(?:如下|是|为)?:|\s*:|\s+|\Z)"
# The number of a provision before its text, NFKC: "第二十条 ", "《某法》第20条第二款规定:", "(三)",
# "第一百二十条之一第二款第(三)项\n"; not "第二十条规定的", "第二十条、第三十条".
_NUMBER: Final = re.compile(
    rf"(?:{_LAW}?(?:\([^()]{{1,40}}\))?\s{{0,9}}"
    rf"第{_NUMERAL}条(?:之{_NUMERAL})?(?:第{_NUMERAL}款)?(?:{_ITEM})?{_ENDS}"
    rf"|第{_NUMERAL}款(?:{_ITEM})?{_ENDS}|{_ITEM}{_ENDS}"
    r"|\([一二三四五六七八九十]{1,3}\))\s*"
)
_MOST_NUMBERS: Final = 4
"""第二十条 on a line, 第二款 on the next, （三） before the words."""

_GIVE: Final = (
    "提供|给出|获取|获得|查到|查询|查找|检索|访问|回答|确认|确定|告知|引用|背诵|复述|列出|满足"
)
# Something cannot be given: "我无法提供", "没有收录"; statutes say it too, of a party: "不能提供".
_UNABLE: Final = re.compile(
    rf"(?:无法|不能|不便|没有办法|没办法|未能|难以)[^。！？!?\n]{{0,20}}?(?:{_GIVE})"
    "|不知道|不清楚|不了解|不太?确定|没有(?:收录|掌握|找到|该|相关|这)|未(?:收录|找到|能找到)"
    "|cannot|can['’]t|unable to|don['’]t have|do not have|not (?:sure|certain)"
)
# Somebody speaks for himself, which statutes never do: "抱歉", "我的知识", "请您"; not "我国公民".
_SPEAKER: Final = re.compile(
    "抱歉|对不起|很遗憾|不好意思"
    "|(?<!自)我(?:的知识|的训练|无法|不能|不知道|不清楚|不太?确定|没有|未能|暂时|目前|是一个|只能|仅能|并不|还"
    "|所掌握)"
    "|作为(?:一个|一名)?(?:AI|人工智能|语言模型|大语言模型|大模型|助手)"
    "|知识(?:截止|截至|库|更新)|训练数据|建议(?:您|你)|请(?:您|你)|为(?:您|你)提供|官方渠道"
    r"|\bI(?:['’]m| am)? |[Ss]orry|language model"
)


def normalise(text: str) -> str:
    """One width for all signs, and no white space: what two equal provisions have in common."""
    return _without_blanks(unicodedata.normalize("NFKC", text))


def clean(response: str) -> str:
    """The words of a recitation, normalised."""
    lines = [
        _LINE_MARK.sub("", line, count=1) if _LINE_MARK.match(line) else line
        for line in response.splitlines()
        if not _FENCE.fullmatch(line)
    ]
    text = unicodedata.normalize("NFKC", "\n".join(lines))
    return _without_blanks(_without_number(_BOLD.sub(" ", text).strip()))


def _without_blanks(text: str) -> str:
    """Marks that now stand beside a letter become part of it (NFC)."""
    return unicodedata.normalize("NFC", _BLANKS.sub("", text))


def _without_number(text: str) -> str:
    """The text without its number; a text that is nothing else is left as it is."""
    start = 0
    for _ in range(_MOST_NUMBERS):
        number = _NUMBER.match(text, start)
        if not number or number.end() == len(text):
            break
        start = number.end()
    return text[start:]


def is_refusal(response: str) -> bool:
    """Whether somebody says that he cannot give the text: “抱歉，我无法提供……”."""
    return bool(_SPEAKER.search(response) and _UNABLE.search(response))
