"""Response to article numbers, months and amounts (LawBench spec 3-1, 3-4, 3-5, 3-7).

Official extraction first rewrites Chinese numerals as the published evaluator's library does
(`numeral_rewriting`); what is corrected reads them with our own grammar where it can.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from hengfa.law.numerals import find_numbers, parse_article
from hengfa.suites.base import Answer, AnswerStatus, Fixes
from hengfa.suites.lawbench import fixes as fix
from hengfa.suites.lawbench.extract import AMOUNT, ARTICLE, TERM, closed, wrapped
from hengfa.suites.lawbench.numeral_rewriting import rewrite_numerals

LONGEST_NUMBER = 4300
"""Python reads no longer integers; the published evaluator stops with an error on one."""

_DIGITS = re.compile(r"\d++")
_DECIMALS = re.compile(r"\d+\.?\d*")  # "3900.5" and "3900."; not ".5" as one
# What one 第…条 holds: "264" in 第264条, "二百六十四、五十二" in a list; nothing in 第三款.
_ARTICLES = re.compile("第([^第条款项\n]{1,60})条")
_NOT_AN_ARTICLE = re.compile("第[^第条款项\n]{1,60}[条款项](?:之[一二三四五六七八九十]{1,3})?")
_LIST = re.compile("[、，,;；和及与\\s]")


def articles(fixes: Fixes) -> Callable[[str], Answer[frozenset[int]]]:
    """Spec 3-1: the numbers of the articles named."""
    read = _every_article if fix.ARTICLES in fixes else _article_per_chunk

    def extract(response: str) -> Answer[frozenset[int]]:
        found = frozenset(read(response))
        return Answer(found) if found else Answer(None, AnswerStatus.ABSTAINED)

    return extract


def _article_per_chunk(response: str) -> Iterator[int]:
    """Quirks: one number per `、`, the first; 第264条第1款 vanishes whole, as far as its 款."""
    for chunk in response.split("、"):
        text = _between(_between(chunk.replace("万元", "元"), "款", ""), "条", None)
        digits = _DIGITS.search(rewrite_numerals(text))
        if digits and len(digits[0]) <= LONGEST_NUMBER:
            yield int(digits[0])


def _between(text: str, last: str, replacement: str | None) -> str:
    """Replace the shortest 第…`last` of a line, left to right; None puts its inside there.

    By hand: a pattern would run to the end of the line from every 第 that nothing closes.
    """
    lines = []
    for line in text.split("\n"):
        kept, at = [], 0
        while (start := line.find("第", at)) >= 0 and (end := line.find(last, start + 1)) >= 0:
            kept += [line[at:start], line[start + 1 : end] if replacement is None else replacement]
            at = end + 1
        lines.append("".join(kept) + line[at:])
    return "\n".join(lines)


def _every_article(response: str) -> Iterator[int]:
    for listed in _ARTICLES.findall(wrapped(response, ARTICLE) or response):
        yield from _numbers_of(_LIST.split(listed))
    for piece in _LIST.split(_NOT_AN_ARTICLE.sub("、", closed(response, ARTICLE))):
        yield from _numbers_of([piece.strip().removeprefix("《").removeprefix("刑法")])


def _numbers_of(texts: list[str]) -> Iterator[int]:
    for text in texts:
        article = parse_article(text.strip())
        if article is not None:
            yield article.number


# A term in months, "6个月" and "6月"; in years, "3年". Each begins where its digits begin, so that
# a long run of digits is looked at once.
_MONTHS = re.compile(r"(?<!\d)(\d++)个月"), re.compile(r"(?<!\d)(\d++)月")
_YEARS = re.compile(r"(?<!\d)(\d++)年")
# "3年6个月", "3年零6月" and plain "6个月": with the years that stand right before the months.
_YEARS_AND = r"(?:(?<![\d.])(\d{1,3}(?:\.\d{1,4})?)年[零又]?)?(?<![\d.])"
_YEARS_MONTHS = (
    re.compile(_YEARS_AND + r"(\d++)个月"),
    re.compile(_YEARS_AND + r"(\d++)月"),
)
_DECIMAL_YEARS = re.compile(r"(?<![\d.])(\d++(?:\.\d++)?)年")
_HALVES = (
    (re.compile("半年"), "六个月"),  # 半年; not 一年
    (re.compile(r"(?<=[\d一二两三四五六七八九十]年)半"), "六个月"),  # 一年半; not 去年半夜
)
# Blanks before or after a unit: "12 个月", "3 年 6 个月"; not between two numbers.
_BLANKS = re.compile(r"(?<!\s)\s++(?=[年个月])|(?<=[年个])\s++")
# "2016年3月28日", "3月28号", "3月份", "2016年3月"; not "3月" alone, not "20年3月".
_DATE = re.compile(
    r"(?:(?<!\d)\d{2,4}年)?(?<!\d)\d{1,2}月(?:份|\d{1,2}[日号])"
    r"|(?<!\d)(?:19|20)\d\d年(?:\d{1,2}月)?"
)
# The prompt asks for months: "12" in the wrapper, and "刑期:12<eoa>" without its mark; not "12日".
_BARE_TERM = re.compile(r"\s*+(?:刑期[:：]\s*+)?(\d++)\s*+(?:<eoa>)?[。\s]*+")


def months(fixes: Fixes) -> Callable[[str], Answer[int]]:
    """Spec 3-4, 3-5: the term in months.

    Quirks: any month wins over years, so 三年六个月 is 6; 1.5年 is 5 years; a blank before the unit
    hides the number; the month of a date is a term.
    """

    def extract(response: str) -> Answer[int]:
        text = (fix.WRAPPER in fixes and wrapped(response, TERM)) or response
        if fix.WRAPPER in fixes and (bare := _BARE_TERM.fullmatch(text)):
            text = f"{bare[1]}个月"
        if fix.SPACES in fixes:
            text = _BLANKS.sub("", text)
        if fix.YEARS in fixes:
            for half, instead in _HALVES:
                text = half.sub(instead, text)
        text = rewrite_numerals(text)
        if fix.DATES in fixes:
            text = _DATE.sub("", text)
        return _months_with_years(text) if fix.YEARS in fixes else _months_or_years(text)

    return extract


def _months_or_years(text: str) -> Answer[int]:
    for pattern in _MONTHS:
        if found := pattern.search(text):
            return _term(found[1], 1)
    if found := _YEARS.search(text):
        return _term(found[1], 12)
    return Answer(None, AnswerStatus.ABSTAINED)


def _months_with_years(text: str) -> Answer[int]:
    for pattern in _YEARS_MONTHS:
        if found := pattern.search(text):
            term = _term(found[2], 1)
            if term.value is None or found[1] is None:
                return term
            return Answer(term.value + round(12 * float(found[1])))
    if found := _DECIMAL_YEARS.search(text):
        whole, _, part = found[1].partition(".")
        years = _term(whole, 12)
        if years.value is None or not part:
            return years
        return Answer(years.value + round(12 * float(f"0.{part[:9]}")))
    return Answer(None, AnswerStatus.ABSTAINED)


def _term(digits: str, unit: int) -> Answer[int]:
    if len(digits) > LONGEST_NUMBER:
        return Answer(None, AnswerStatus.MALFORMED)
    return Answer(int(digits) * unit)


# What makes a number an amount: "元" in "3900 元"; not in "3900公元".
_YUAN = re.compile(r"\s{0,3}元")
# The 余 of "16万余元" and "100余万元"; not of "余某".
_ABOUT = re.compile(r"(?<=[\d十百千万亿])[余多](?=[百千万亿元])")


def amounts(fixes: Fixes) -> Callable[[str], Answer[frozenset[float]]]:
    """Spec 3-7: the amounts of money named.

    Quirks: any of them may be the right one, so quoting every number pays; no thousands separators,
    no 万, no Chinese numerals.
    """

    def extract(response: str) -> Answer[frozenset[float]]:
        text = (fix.SINGLE in fixes and wrapped(response, AMOUNT)) or response
        if fix.UNITS in fixes:
            found = _numbers_or_money(text)
        else:
            found = [float(digits) for digits in _DECIMALS.findall(text)]
        if fix.SINGLE in fixes:
            found = found[-1:]
        return Answer(frozenset(found)) if found else Answer(None, AnswerStatus.ABSTAINED)

    return extract


def _numbers_or_money(text: str) -> list[float]:
    """Numbers with 元 after them if there are any, else all but 一 and the like, as in 一般."""
    text = _ABOUT.sub("", text)
    numbers = list(find_numbers(text))
    money = [number for number in numbers if _YUAN.match(text, number.end)]
    other = (n for n in numbers if n.end - n.start > 1 or text[n.start].isdecimal())
    return [float(number.value) for number in money or other]
