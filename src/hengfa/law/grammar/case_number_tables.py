"""Facts about case numbers: what the Supreme People's Court's standard of 2016 lays down.

《最高人民法院关于人民法院案件案号的若干规定》 (法〔2015〕137号, changed by 法〔2018〕335号), in
force since 2016-01-01, with its list of types (`case_types.tsv`). Courts that were founded later
have a table of their own: no list of 2016 has their codes. What is not certain is not in here.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

STANDARD: Final = "《最高人民法院关于人民法院案件案号的若干规定》"
STANDARD_YEAR: Final = 2016
"""Cases that were filed in this year or later are numbered by the standard."""
SUPREME: Final = "最高法"
HIGH_COURTS: Final = frozenset("京津冀晋内辽吉黑沪苏浙皖闽赣鲁豫鄂湘粤桂琼渝川黔云藏陕甘青宁新军兵")
"""The high courts' codes, with which those of all courts below begin (articles 4 and 5)."""

LATER_COURTS: Final[dict[str, tuple[str, int]]] = {
    "浙0192": ("杭州互联网法院", 2017),
    "京0491": ("北京互联网法院", 2018),
    "粤0192": ("广州互联网法院", 2018),
    "沪74": ("上海金融法院", 2018),
    "琼73": ("海南自由贸易港知识产权法院", 2020),
    "京74": ("北京金融法院", 2021),
}
"""Code to name and the year in which the court began to work."""

_TYPES: Final = Path(__file__).with_name("case_types.tsv")
TYPES: Final = dict(line.split("\t") for line in _TYPES.read_text("utf-8").splitlines())
"""The standard's words for types of cases, and what they stand for."""

_APPEAL: Final = "《人民法院组织法》（2018年修订）第二十三条第四项、第二十五条"
_COMMITTEE: Final = "《国家赔偿法》（2012年修正）第二十九条"
ABOVE_BASIC: Final = {
    **dict.fromkeys((kind for kind in TYPES if kind.endswith("终")), _APPEAL),
    **dict.fromkeys((kind for kind in TYPES if kind.startswith("委赔")), _COMMITTEE),
    "执复": "《民事诉讼法》（2023年修正）第二百三十六条",
    "司惩复": "《民事诉讼法》（2023年修正）第一百一十九条",
    "刑医复": "《刑事诉讼法》（2018年修正）第三百零五条",
}
"""Types that no basic court has, since the law gives them to a court above it; and that law."""
ONLY_BELOW_HIGH: Final = {
    "民督": "《民事诉讼法》（2023年修正）第二百二十五条",
    "民催": "《民事诉讼法》（2023年修正）第二百二十九条",
}
"""Types that the law gives to basic courts (or, at sea, to maritime courts, which are intermediate
courts): no high court has them, nor the Supreme Court."""
