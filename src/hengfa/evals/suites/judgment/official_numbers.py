"""Numbers as the published evaluator finds them in a sentence or citation (judgment.md 3).

Its library has its own ideas, all of which are kept: 两年 has no number, 两年六个月 only the 6,
3万5千 two numbers, 四千三 is 4300, 百五 is 5 hundredths, 零六 is the text "06". It is given
phrases of a few characters, which come again and again.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final

_DIGITS: Final = "零一二三四五六七八九"
_UNITS: Final = {"十": 10, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}
_VALUES: Final = {"幺": 1} | {digit: value for value, digit in enumerate(_DIGITS)}

# Step 1.
_FINANCIAL: Final = str.maketrans("壹贰叁肆伍陆柒捌玖〇", "一二三四五六七八九零")
_UNIT_SPELLINGS: Final = dict(zip("拾佰仟萬億", "十百千万亿", strict=True))
_BESIDE_A_UNIT: Final = frozenset("幺一二两三四五六七八九十零")
_NEEDS_CARE: Final = re.compile("[拾佰仟萬億两俩]")

# Step 2: "3.5", ".5"; "三万", "三点五万"; "3点五"; not "两", "."
_ARABIC: Final = r"(?:\d+(?:\.\d+)?|\.\d+)"
_PLACES: Final = "[一二三四五六七八九万亿幺零]+"
_NUMBER: Final = re.compile(
    rf"{_ARABIC}?[一二三四五六七八九十百千万亿幺零]+(?:点{_PLACES})?"
    rf"|{_ARABIC}?点{_PLACES}"
    rf"|{_ARABIC}"
)

# Step 3.
_SPELLED: Final = str.maketrans("0123456789.", "零一二三四五六七八九点")
_COUNTS: Final = re.compile("[幺一二两三四五六七八九十零]")

# Step 4: what a last digit counts, by the unit before it.
_NEXT_LOWER: Final = {"百": "十", "千": "百", "万": "千", "亿": "千万"}
_FRACTION: Final = re.compile("([百千万])([十一二三四五六七八九零幺]+)")


@lru_cache(maxsize=65536)
def find_official_numbers(text: str) -> tuple[str, ...]:
    """The numbers of a text as decimal strings, from left to right."""
    numbers = (_read(match[0]) for match in _NUMBER.finditer(_plain(text)))
    return tuple(number for number in numbers if number is not None)


def _plain(text: str) -> str:
    """Step 1: other spellings of digits and, beside a numeral, of units and of two."""
    text = text.translate(_FINANCIAL)
    if len(text) < 2 or not _NEEDS_CARE.search(text):
        return text
    characters = list(text)
    for place, character in enumerate(characters):
        beside = set(characters[max(0, place - 1) : place] + characters[place + 1 : place + 2])
        if character in _UNIT_SPELLINGS and beside & _BESIDE_A_UNIT:
            characters[place] = _UNIT_SPELLINGS[character]
        elif character in "两俩" and beside & _UNITS.keys():
            characters[place] = "二"
    return "".join(characters)


def _read(numeral: str) -> str | None:
    """Steps 3 to 5: a numeral's value, or None where it says none."""
    numeral = numeral.translate(_SPELLED)
    if numeral.startswith("点"):
        numeral = "零" + numeral
    if not _COUNTS.search(numeral):
        return None
    if len(numeral) > 2:
        numeral = _completed(numeral)
    fraction = _FRACTION.fullmatch(numeral)
    if fraction:
        rest = Decimal(_value(fraction[2])) / _UNITS[fraction[1]]
        return _stripped(rest)
    whole, *after = numeral.split("点")
    if not after:
        return _value(whole)
    decimals = after[0]
    places = decimals.rstrip("十百千万亿")
    scale = _value(decimals[len(places) :]) if len(places) < len(decimals) else "1"
    return _stripped(Decimal(f"{_value(whole)}.{_value(places)}") * Decimal(scale))


def _completed(numeral: str) -> str:
    """Step 4: 十五 in a longer numeral is 一十五, 四千三 is 四千三百."""
    ten = numeral.find("十")
    if ten >= 0 and (ten == 0 or numeral[ten - 1] not in _BESIDE_A_UNIT):
        numeral = f"{numeral[:ten]}一{numeral[ten:]}"
    return numeral + _NEXT_LOWER.get(numeral[-2], "")


def _value(numeral: str) -> str:
    """Step 5: digits and units added up from the right; digits without any unit stay text."""
    total, unit, seen = 0, 1, 1
    digits = ""
    for place, (character, before) in enumerate(pairwise([*reversed(numeral), ""]), start=1):
        first = place == len(numeral)
        size = _UNITS.get(character)
        if size is None:
            longer = str(_VALUES[character]) + digits
            if before in _UNITS or (first and unit > 1):
                total += int(longer) * unit
                digits = digits if first else ""
            else:
                digits = longer
            continue
        larger = size > unit
        seen = max(seen, size)
        unit = size if larger else seen * size
        if larger and first:
            total += size
    if total:
        return str(total)
    return str(unit) if unit > 10 else digits or "0"


def _stripped(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
