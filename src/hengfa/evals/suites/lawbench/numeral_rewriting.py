"""Chinese numerals in a text rewritten as digits, to the letter as cn2an 0.5.22 does it.

LawBench scores tasks 3-1, 3-4 and 3-5 after ``cn2an.transform(text, "cn2an")``, so what that
version writes is the rule (lawbench.md 4), its quirks included. Only that scoring should
use this module: :mod:`hengfa.law.grammar.numerals` reads numerals as they are meant.

Six steps, each from left to right over the outcome of the one before:

1. 廿 becomes 二十, 半 becomes 0.5 and 两 becomes 2, inside words too;
2. dates: 二零一六年三月五日 becomes 2016年3月5日, 3.5万年 becomes 35000年;
3. fractions: 三分之一 becomes 1/3, but nothing that starts with 百;
4. percentages: 百分之五 becomes 5%;
5. temperatures: 三十摄氏度 becomes 30℃;
6. every other numeral: 第二百六十四条 becomes 第264条.

A numeral without a reading stays as it is; in a date it keeps the whole date back, in a fraction
both sides. The quirks of reading:

* 一百十五 is 105 and 二百十 is 200: a unit inside a numeral counts only with a digit before it;
* 一百五 is 150 and 九九万五 is 185000 (9万 + 9万 + 5千), but a digit left over after 亿 is nothing;
* 百, 十十 and 三万五百 are nothing, 一二三 is 123;
* 〇 and 壹 are no numerals: 二〇一六年 becomes 2〇16年;
* digits with a unit are read before 年 only, and any one character may be their decimal point. That
  character may be a unit or a zero (3万5千年, 3000〇5十年), full-width or traditional (3萬5千年);
* decimals, and digits with one unit, are floats: 零点零零零零一 becomes 1e-05, 0.29百年 28年.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

from hengfa.base.data.jsonfile import Patterns, read_toml

_DIGIT: Final = "零一二三四五六七八九"
_UNIT: Final = "十拾百佰千仟万亿"
_NUMERAL: Final = _DIGIT + _UNIT

_VALUES: Final = {digit: value for value, digit in enumerate(_DIGIT)}
_AS_ASCII: Final = str.maketrans(_DIGIT, "0123456789")

# Units as powers of ten.
_POWERS: Final = {"十": 1, "拾": 1, "百": 2, "佰": 2, "千": 3, "仟": 3, "万": 4, "亿": 8}

# What the last digit of 一百五 counts, by the unit before it.
_NEXT_LOWER: Final = {"百": "十", "佰": "十", "千": "百", "仟": "百", "万": "千"}

# The other forms in which the character at the decimal point is understood.
_PLAIN_FORMS: Final = str.maketrans("．０１２３４５６７８９〇萬億", ".0123456789零万亿")

# How digits are written in Chinese: by place in a group of four, and after a whole group.
_SMALL_UNITS: Final = ("", "十", "百", "千")
_GROUP_UNITS: Final = {4: "万", 8: "亿", 12: "万"}

# Python writes no longer integers, and so they stay as they are.
_MAX_DIGITS: Final = 4300
_MAX_DECIMALS: Final = 16
_MAX_WRITTEN: Final = 16

# Of the stretches in which texts are rewritten, the short ones come again and again.
_CACHED_STRETCHES, _CACHED_LENGTH = 8192, 24

# The expressions take runs of characters whole (possessively) and begin only where a run begins: a
# numeral that does not fit from its beginning fits from nowhere. So the time stays linear.
_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_DATE, _FRACTION, _PERCENT, _CELSIUS, _ANY, _DATE_MARK, _STRETCH = (
    _PATTERNS[name]
    for name in ("date", "fraction", "percent", "celsius", "any", "date_mark", "stretch")
)
_MIXED_YEAR, _WELL_FORMED, _PLACES, _SHORT_FORM = (
    _PATTERNS[name] for name in ("mixed_year", "well_formed", "places", "short_form")
)
_FLOAT_AND_UNIT, _ASCII_RUN = (_PATTERNS[name] for name in ("float_and_unit", "ascii_run"))


def rewrite_numerals(text: str) -> str:
    """The text with its Chinese numerals as digits: what ``cn2an.transform(text, "cn2an")`` gives.
    Never raises, and takes time in proportion to the length of the text."""
    text = text.replace("廿", "二十").replace("半", "0.5").replace("两", "2")
    if "年" in text and _MIXED_YEAR.search(text):
        return _rewrite(text)
    return _STRETCH.sub(_rewrite_stretch, text)


def _rewrite_stretch(match: re.Match[str]) -> str:
    """No numeral but digits around a decimal point reaches beyond its stretch of characters."""
    stretch = match[0]
    return _rewrite_again(stretch) if len(stretch) <= _CACHED_LENGTH else _rewrite(stretch)


def _rewrite(text: str) -> str:
    """Steps 2 to 6."""
    if _DATE_MARK.search(text):
        text = _DATE.sub(_write_date, text)
    if "分之" in text:
        text = _FRACTION.sub(_write_fraction, text)
        text = _PERCENT.sub(lambda match: _write(match, "%"), text)
    if "摄氏度" in text:
        text = _CELSIUS.sub(lambda match: _write(match, "℃"), text)
    return _ANY.sub(lambda match: _number_of(match[0]) or match[0], text)


_rewrite_again = lru_cache(maxsize=_CACHED_STRETCHES)(_rewrite)


def _write_date(match: re.Match[str]) -> str:
    written = ""
    for numeral, mark in zip(match.groups(), "年月日", strict=True):
        if numeral:
            if not (number := _number_of(numeral)):
                return match[0]
            written += number + mark
    return written


def _write_fraction(match: re.Match[str]) -> str:
    if match[0][0] == "百":
        return match[0]
    below, above = _number_of(match[1]), _number_of(match[2])
    return f"{above}/{below}" if below and above else match[0]


def _write(match: re.Match[str], sign: str) -> str:
    number = _number_of(match[1])
    return number + sign if number else match[0]


def _number_of(numeral: str) -> str | None:
    """The number that a numeral says, as Python writes it, or None where it has no reading."""
    try:
        number = _read_chinese(numeral) if numeral[0] > "9" else _read_mixed(numeral)
        return None if number is None else str(number)
    except (OverflowError, ValueError):  # infinite, too large for a float or too long to write
        return None


def _read_mixed(numeral: str) -> int | None:
    """3.5万, 3万5千: digits with units, which are no numerals of their own in other places."""
    numeral = numeral.translate(_PLAIN_FORMS)
    if simple := _FLOAT_AND_UNIT.fullmatch(numeral):
        return int(float(simple[1]) * 10 ** _POWERS[simple[2]])
    return _read_whole(_ASCII_RUN.sub(_write_chinese, numeral))


def _write_chinese(match: re.Match[str]) -> str:
    """The digits in Chinese; too many stay as they are, and so have no reading. Zeros between other
    digits always become one 零. That makes 二百二十万零一千九百三十九 of 2201939, which is
    ill-formed, so that 2201939亿1万年 has no reading."""
    digits = match[0].lstrip("0")
    if len(digits) > _MAX_WRITTEN:
        return match[0]
    written, gap = "", ""
    for place, digit in zip(range(len(digits) - 1, -1, -1), digits, strict=True):
        if digit == "0":
            gap = "零"
        else:
            written += gap + _DIGIT[int(digit)] + _SMALL_UNITS[place % 4]
            gap = ""
        if place in _GROUP_UNITS and (place > 4 or digits[-8:-4].strip("0")):
            written += _GROUP_UNITS[place]
    return (written[1:] if written.startswith("一十") else written) or "零"


def _read_chinese(numeral: str) -> int | float | None:
    body = numeral.removeprefix("负").replace("零十", "零一十").replace("零百", "零一百")
    whole, point, decimals = body.partition("点")
    number: int | float | None = _read_whole(whole)
    if number is None:
        return None
    if point:
        if len(decimals) > _MAX_DECIMALS or not _PLACES.fullmatch(decimals):
            return None
        number = _add_decimals(number, decimals)
    return -number if numeral[0] == "负" else number


def _add_decimals(number: float, decimals: str) -> float:
    """The sum from the last place to the first: another order may end in another last bit."""
    fraction = 0.0
    for place in range(len(decimals), 0, -1):
        fraction += _VALUES[decimals[place - 1]] * 10**-place
    return round(number + round(fraction, len(decimals)), len(decimals))


def _read_whole(numeral: str) -> int | None:
    if _PLACES.fullmatch(numeral):
        digits = numeral.translate(_AS_ASCII).lstrip("0") or "0"
        return int(digits) if len(digits) <= _MAX_DIGITS else None
    if _WELL_FORMED.fullmatch(numeral):
        return _add_up(numeral)
    if len(numeral) >= 3 and _SHORT_FORM.fullmatch(numeral) and numeral[-2] in _NEXT_LOWER:
        return _add_up(numeral + _NEXT_LOWER[numeral[-2]])
    return None


def _add_up(numeral: str) -> int | None:
    """The value of a numeral with units, from right to left; units are powers of ten. Digits are
    counted by power first, because a short form may be long and its powers high."""
    counts: defaultdict[int, int] = defaultdict(int)
    power = big = 0
    for character in reversed(numeral):
        if character in _VALUES:
            counts[power] += _VALUES[character]
            continue
        power = _POWERS[character]
        if character not in "万亿":
            power += big if power < big else 0
        elif power > big:
            big = power
        else:
            big = power = power + big
    if numeral[0] in _POWERS:
        counts[power] += 1
    powers = sorted((power for power, count in counts.items() if count), reverse=True)
    if powers and powers[0] >= _MAX_DIGITS:
        return None
    total = 0
    for power, lower in pairwise([*powers, 0]):
        total = (total + counts[power]) * 10 ** (power - lower)
    return total
