"""Chinese and Arabic numerals as statutes, contracts and judgments write them: read, find, write.

One grammar serves whole strings (:func:`parse_number`), article numbers (:func:`parse_article`)
and running text (:func:`find_numbers`). A numeral is a sequence of parts, each a count with its
unit and each smaller than the unit before: 12亿 | 3000万, 三万 | 五百. That one rule reads mixed
scripts, forgotten zeros and old spellings, and refuses what is not one number.

How the doubtful cases are read:

* 一百五 is 150, 三千二 is 3200, 两万五 is 25000: a last digit without a unit takes the next lower
  unit. 一百零五 is 105 and 两万零五 is 20005: a zero says that the digit counts ones.
* 三万五百 is 30500, 一千五十 is 1050: a digit with a unit counts that unit, zero or not.
* 3万5 is 35000 like 三万五, but 3万05 is 30005 and 3万50 is 30050: more digits say their own value.
* 三百五万 and 三万亿五 are nothing: 350万 and 305万 are both possible.
* 一百十五 is 115, 廿五 is 25: older texts leave out the 一 or contract the tens.
* 百二十, 百万, 万 are nothing: without a digit they start words (百分之五, 千万不要, 万某).
* 四万万 is 4e8, 三万亿 is 3e12, 一亿亿 is 1e16: units side by side multiply; in 三万亿五千亿
  (3.5e12) the smaller unit after the larger one adds.
* 二〇二〇 is 2020, 〇七 is 7: digits without units are places. 二三 is 23 to :func:`parse_number`
  and "two or three" in running text; 二三十, 七八万 and 十五六 are approximate and nothing.
* 两 counts before 百, 千, 万, 亿, or alone; in 二十两 it is an ounce.
* 1.5万 and 三点五亿 scale a decimal, and nothing may follow the unit. 三点五十 and 15点30 are times
  of day: 点 joins Chinese digits only.
* A comma groups exactly three digits, full-width or not; any other comma separates numbers. So
  100,200 is one number, and a list of articles must be split before it is read.
* 一万半, 三兆, 幺 are nothing: 半 belongs to terms (一年半), 兆 means 1e6 or 1e12, 幺 is speech.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final, Literal, NamedTuple, TypeAlias

from hengfa.law.grammar import numeral_tables as tables

Number: TypeAlias = int | Decimal
NumeralStyle: TypeAlias = Literal["lower", "positional", "financial"]

# Where a numeral ends, and its value; None where what stands there belongs together but is none.
_Reading: TypeAlias = tuple[int, Number | None]

MAX_DIGITS: Final = 30
"""More digits in a row than this are no number: amounts, accounts and codes are shorter."""

MAX_FORMATTED: Final = 10**16 - 1
"""The largest number that can be written without multiplying 亿 by 亿."""

MAX_ARTICLE: Final = 9_999
"""No statute comes near: the Civil Code has 1,260 articles."""

_WAN: Final = tables.BIG_UNITS["万"]
_YI: Final = tables.BIG_UNITS["亿"]


class ArticleNumber(NamedTuple):
    """An article's place in its statute: 第一百二十条之一 is (120, 1), 第264条 is (264, 0)."""

    number: int
    sub: int = 0


class FoundNumber(NamedTuple):
    """A numeral in running text: ``text[start:end]`` says ``value``."""

    start: int
    end: int
    value: Number


def parse_number(text: str) -> Number | None:
    """The value of a string that is one numeral and nothing else, or None.

    Whole values are ints and the others exact Decimals, because sums of money are compared with
    ``==``. Blanks around the numeral are ignored; 元, 年 and % are not numerals.
    """
    s = _canonical(text.strip())
    signed = s.startswith(("-", "负"))
    if signed:
        s = s[1:]
    end, value = _numeral_at(s, 0, strict=False)
    if end != len(s) or value is None:
        return None
    return _negative(value) if signed else value


def parse_article(text: str) -> ArticleNumber | None:
    """The article that 第一百二十条之一, 120之一 or 第264条 names, or None.

    Short forms are refused: 第一百五条 may be 105 or 150, and 第二三条 names two articles.
    """
    match = tables.ARTICLE.fullmatch(_canonical(text.strip()))
    if not match:
        return None
    number = _read_article(match["number"])
    sub_text = match["after"] or match["inside"]
    sub = _read_article(sub_text) if sub_text else 0
    return None if number is None or sub is None else ArticleNumber(number, sub)


def find_numbers(text: str) -> Iterator[FoundNumber]:
    """The numerals in running text from left to right, each as long as it can be.

    A run of numeral characters that is not one number (二三十人, 三百五万) gives nothing rather
    than pieces. A single character is given even inside a word (一般, 张三): only what follows it,
    元 or 年, tells, and that is the caller's to know. 负 is not taken as a sign here, since in
    judgments it is mostly a verb (负50%的责任), and a hyphen only where no range can end before it.
    """
    s = _canonical(text)
    end = 0
    while match := tables.START.search(s, end):
        start = match.start()
        if simple := match[1]:  # most numerals: 264, 三
            end = match.end()
            yield FoundNumber(start, end, tables.DIGIT_VALUES.get(simple) or int(simple))
            continue
        body = start + (s[start] == "-")
        end, value = _numeral_at(s, body, strict=True)
        if (run_end := _end_of_run(s, body, end)) > end:
            end = run_end
        elif value is not None and not tables.ABOUT_TENS.fullmatch(s, body, end):
            yield FoundNumber(start, end, value if start == body else _negative(value))
            end += s.startswith("两", end)  # the ounce in 三两酒


def format_number(number: int, style: NumeralStyle = "lower") -> str:
    """Write a number as 一千零一十 (lower), 一〇一〇 (positional) or 壹仟零壹拾 (financial)."""
    if abs(number) > MAX_FORMATTED:
        raise ValueError(f"cannot write a number beyond {MAX_FORMATTED:,} in Chinese numerals")
    sign, number = ("负", -number) if number < 0 else ("", number)
    if style == "positional":
        return sign + "".join(tables.POSITIONAL_DIGITS[int(digit)] for digit in str(number))
    if style == "financial":
        return sign + _compose(number, tables.FINANCIAL_DIGITS, tables.FINANCIAL_UNITS)
    lower = _compose(number, tables.LOWER_DIGITS, tables.LOWER_UNITS)
    return sign + (lower[1:] if lower.startswith("一十") else lower)


def format_article(number: int, sub: int = 0) -> str:
    """Write an article number as statutes do: 第一百二十条之一."""
    if not (1 <= number <= MAX_ARTICLE and 0 <= sub <= MAX_ARTICLE):
        raise ValueError(f"articles are numbered from 1 to {MAX_ARTICLE}, sub-articles from 0")
    return f"第{format_number(number)}条" + (f"之{format_number(sub)}" if sub else "")


def _canonical(text: str) -> str:
    """The text with one spelling for each character, at the same places; most text has no other."""
    return tables.OTHER_SPELLINGS.sub(lambda run: run[0].translate(tables.CANONICAL), text)


def _compose(number: int, digits: str, units: dict[int, str]) -> str:
    """Split at the largest unit; one 零 stands for any gap below it."""
    for unit in sorted(units, reverse=True):
        if number >= unit:
            high, low = divmod(number, unit)
            written = _compose(high, digits, units) + units[unit]
            gap = digits[0] if low < unit // 10 else ""
            return written + gap + _compose(low, digits, units) if low else written
    return digits[number]


def _negative(value: Number) -> Number:
    """Unary minus on a Decimal rounds to the thread's precision; copying the sign does not."""
    return value.copy_negate() if isinstance(value, Decimal) else -value


class _Tally:
    """The value of a numeral with units while its parts come in, larger before smaller."""

    __slots__ = ("closed", "last_unit", "section")

    def __init__(self) -> None:
        self.closed: list[tuple[int, int]] = []  # (value, big unit), as in 12亿 | 3000万
        self.section = 0  # what came since the last big unit
        self.last_unit = 0  # the unit that the next part must stay below; 0 before the first

    def add(self, amount: int, unit: int, *, bare: bool) -> bool:
        """Take a part below 万, or refuse it. A bare digit counts the next lower unit."""
        if self.last_unit:
            if amount >= self.last_unit:
                return False
            if bare:
                amount *= self.last_unit // 10
        self.section += amount
        self.last_unit = unit
        return True

    def close(self, amount: int, big: int, *, bare: bool) -> bool:
        """Take a part that ends in a big unit, which multiplies its whole section, or refuse it."""
        if self.section and (amount >= self.last_unit or (bare and self.last_unit > 10)):
            return False
        section = self.section + amount
        kept = self.closed
        alone = bare and not self.section  # 一万一亿 is 1.1 or 1.0001 万亿
        if big == _YI and kept and kept[-1][1] == _WAN and not alone:
            section += kept[-1][0]  # 一万二千亿: the 亿 multiplies the 万 as well
            kept = kept[:-1]
        if kept and section * big >= kept[-1][1]:
            return False
        self.closed = [*kept, (section * big, big)]
        self.section, self.last_unit = 0, big
        return True

    def value(self) -> int:
        return self.section + sum(value for value, _ in self.closed)


def _numeral_at(s: str, start: int, *, strict: bool) -> _Reading:
    """The longest numeral at ``start``; ``strict`` refuses what only a whole string can mean."""
    if arabic := tables.ARABIC.match(s, start):
        if (dotted := tables.DOTTED.match(s, start)) and dotted.end() > arabic.end():
            return dotted.end(), None
        if arabic[2] or len(arabic[1]) > MAX_DIGITS:
            return _read_scale(s, arabic.end(), arabic[1].replace(",", ""), arabic[2] or "")
    places = tables.PLACES.match(s, start)
    if not places or (len(places[0]) == 1 and places[0] in tables.DIGIT):
        return _read_parts(s, start, strict=strict)
    if fraction := tables.FRACTION.match(s, places.end()):
        return _read_scale(s, fraction.end(), places[0], fraction[1])
    about = places[0] in tables.DIGIT or places[0] in tables.FIXED_PAIRS  # 二三天, 一二审
    if (strict and about) or len(places[0]) > MAX_DIGITS:
        return places.end(), None
    return places.end(), int(places[0].translate(tables.VALUE_OF_PLACE))


def _read_parts(s: str, start: int, *, strict: bool) -> _Reading:
    """A numeral of parts with units, 12亿 | 3000万, or a single digit."""
    tally, end, short = _Tally(), start, False
    while match := tables.PART.match(s, end):
        gap, tens, count, small, chain = match.groups()
        unit = 10 if tens else tables.SMALL_UNITS.get(small, 1)
        amount = _amount(tens, count, unit)
        if amount is None:
            break
        bare = unit == 1 and not gap and len(count) == 1
        short = bare and not chain and tally.last_unit > 10
        if short:  # 两万五: after one unit, and before no other word
            chained = s[end - 2] in "万亿" and s[end - 1] in "万亿"
            alone = not strict or tables.AFTER_SHORT_FORM.match(s, match.end())
            if chained or not alone or s[end] == "0":
                break
        if chain:
            taken = tally.close(amount, tables.BIG_UNITS[chain], bare=bare)
        else:
            taken = tally.add(amount, unit, bare=bare)
        if not taken:
            break
        end = match.end()
        if unit == 1 and not chain:
            break
    if end == start:
        return start + 1, None
    if not short and s[start] > "9" and (fraction := tables.FRACTION.match(s, end)):
        whole, scalable = str(tally.value()), not tally.closed
        return _read_scale(s, fraction.end(), whole, fraction[1], scalable=scalable)
    return end, tally.value()


def _amount(tens: str | None, count: str | None, unit: int) -> int | None:
    """What a part counts, or None where a unit stands without a count, as in 百分之五."""
    if tens:
        return tables.CONTRACTED_TENS[tens]
    if not count:
        return 10 if unit == 10 else None
    if count in tables.DIGIT_VALUES:
        return tables.DIGIT_VALUES[count] * unit
    digits = count.replace(",", "")
    return int(digits) * unit if len(digits) <= MAX_DIGITS else None


def _read_scale(s: str, end: int, whole: str, fraction: str, *, scalable: bool = True) -> _Reading:
    """The unit that a decimal may count, 1.5 | 千万, and its value."""
    scale = 1
    if scalable and (match := tables.SCALE.match(s, end)):
        scale = tables.SMALL_UNITS.get(match[1], 1) * tables.BIG_UNITS.get(match[2], 1)
        end = match.end()
    if max(len(whole), len(fraction)) > MAX_DIGITS:
        return end, None
    # built from text, because Decimal arithmetic may round
    digits, places = (whole + fraction).translate(tables.VALUE_OF_PLACE), len(fraction)
    units, rest = divmod(int(digits) * scale, 10**places)
    return end, Decimal(f"{units}.{rest:0{places}d}".rstrip("0")) if rest else units


def _read_article(numeral: str) -> int | None:
    """With 条 after it, as in running text, so that short forms are refused."""
    end, value = _numeral_at(numeral + "条", 0, strict=True)
    if end != len(numeral) or not isinstance(value, int) or not 1 <= value <= MAX_ARTICLE:
        return None
    return value


def _end_of_run(s: str, start: int, end: int) -> int:
    """``end`` when the numeral stands by itself, else the end of the characters it is part of."""
    run = tables.RUN.match(s, end)
    if not run or (s[end - 1] <= "9" and s[end] in tables.DIGIT):
        return end  # 附件1一份: two scripts, two numbers
    by_itself = tables.MEASURE.match(s, end) or tables.NEXT_WORD.match(s, end)
    one_or_two = s[start : end + 1] == "一两"
    return end if by_itself and not one_or_two else run.end()
