"""Which court, under which number, on which day: from the heading and the signatures."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from hengfa.law.dates import find_days

# "上海市奉贤区人民法院" before its title; not "某省高级人民法院提出上诉"
_COURT: Final = re.compile(r"(?P<court>[一-鿿]{2,40}?法院) ?(?:（[^（）]{1,20}）)? ?刑 ?事")
_ANY_COURT: Final = re.compile(r"(?P<court>[一-鿿]{2,40}?人民法院)")
# The end of a title that stands right before the court: "张三盗窃一审刑事判决书"
_TITLE: Final = re.compile(r".*(?:判决书|裁定书)")
# "（2017）沪0120刑初684号", "（2015）嘉刑初字第1987号"; not "沪奉检诉刑诉［2017］700号"
_NUMBER: Final = re.compile(
    r"[（〔\[](?:19|20)[0-9]{2}[）〕\]] ?[^\s，。；：（）〔〕\[\]检]{1,24}?号"
)
# Who signs: "审判员", "书记员"
_SIGNED: Final = re.compile(r"审 ?判 ?[长员]|陪 ?审 ?员|书 ?记 ?员|法 ?官 ?助 ?理")


def court_of(heading: str) -> str | None:
    """The court that judges: the one whose name opens the title."""
    found = _COURT.search(heading) or _ANY_COURT.search(heading)
    return _TITLE.sub("", found["court"]) or None if found else None


def number_of(heading: str) -> str | None:
    """The number of the case, which comes before those of the indictment."""
    found = _NUMBER.search(heading)
    return found[0].replace(" ", "") if found else None


def day_of(closing: str) -> date | None:
    """The day under the signatures: the first date after a judge's name, as the clerk is last."""
    signed = _SIGNED.search(closing)
    days = find_days(closing, signed.end() if signed else 0)
    return next((found.day for found in days if not found.masked), None)
