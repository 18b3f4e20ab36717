"""Sums of money in sentences: 罚金人民币三千元, 罚金2，000元, 罚金1.5万元, 处五千元罚金.

Only what is imposed as a fine or confiscated as property is one. 追缴, 责令退赔 and 赔偿 speak of
money too, and never of a penalty; 已缴纳 repeats a fine that stands before.
"""

from __future__ import annotations

import re
from typing import Final

from hengfa.law.numerals import Number, parse_number

_DIGITS: Final = "0-9.〇○零一二两三四五六七八九十百千万亿壹贰叁肆伍陆柒捌玖拾佰仟萬億"
# "三千", "2，000", "1.5万", "3万5千"; not "，000"
AMOUNT: Final = (
    rf"[{_DIGITS}](?:[{_DIGITS}]|，(?=[0-9]{{3}}(?![0-9]))|(?<=[0-9]) (?=[0-9])){{0,20}}"
)
# What may stand before the sum: "人民币", "人民" (a slip), "各", "共计", "："; not "已缴纳"
_BETWEEN: Final = r"(?:人民币?|各|均|共计|合计|共|计|为|是|：|￥|¥|RMB|数额|[“”]| ){0,5}"
# "元", "圆", "余元"; "，" and "。" where the unit was forgotten after 万
_UNIT: Final = r"(?: ?余?[元圆]|(?<=[万千仟]) ?(?=[，。；、]|人民币|\Z))"
# "罚金人民币三千元", "罚金各1万元、2万元"; not "罚金已缴纳", "罚金于十日内"
FINE: Final = rf"罚金{_BETWEEN}(?P<fine>{AMOUNT}{_UNIT}(?:[、和]{AMOUNT}{_UNIT})*)"
# "处人民币五千元罚金", "并处三千元的罚金"; not "退赔五千元。罚金"
FINE_AFTER: Final = rf"处(?:以)?(?:人民币)?(?P<fine_after>{AMOUNT}{_UNIT})(?:人民币)?的?罚金"
# "并处罚金" that no sum follows: "并处罚金。"; not "已缴纳罚金"
FINE_OPEN: Final = rf"(?:并处|单处|判处|处以)罚金(?!{_BETWEEN}{AMOUNT}{_UNIT}|有期|拘役)"
# "没收个人财产人民币五万元", "没收个人全部财产", "没收财产"; not "没收作案工具", "没收违法所得"
PROPERTY: Final = (
    r"没收(?:其)?(?:个人)?(?:所有)?的?(?P<share>全部|部分|一部)?(?:个人)?财产"
    rf"(?:{_BETWEEN}(?P<property>{AMOUNT}{_UNIT}))?"
)
_SUM: Final = re.compile(AMOUNT)


def read_sums(words: str) -> list[Number | None]:
    """The sums of a list such as 一万元、五千元, in yuan; None for each that is no number."""
    return [_read(found[0]) for found in _SUM.finditer(words)]


def _read(words: str) -> Number | None:
    value = parse_number(words.replace(" ", "").replace("○", "〇"))
    return value if value is not None and value >= 0 else None
