"""Answers that are numbers: articles, prison terms, amounts of money.

Official reading first rewrites Chinese numerals as the published evaluator's library does
(`law.numeral_rewriting`); what is corrected reads them with our own grammar where it can.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from hengfa.base.data.jsonfile import Patterns, read_toml
from hengfa.evals.results.trace import Finding, Span, Spans, Trace
from hengfa.evals.suites.base import Answer, AnswerStatus, Fixes, Score
from hengfa.evals.suites.findings import MOST_PLACES, short
from hengfa.evals.suites.kit.rules import ACCURACY, Named, SetOf, area_of, as_float
from hengfa.evals.suites.lawbench import gold, rules
from hengfa.evals.suites.lawbench.dataset import LawBenchSample
from hengfa.evals.suites.lawbench.numeral_rewriting import rewrite_numerals
from hengfa.evals.suites.lawbench.rules import LawBenchFix, LawBenchRules
from hengfa.law.grammar.numerals import find_numbers, parse_article

N = TypeVar("N", int, float)

LOG_DISTANCE, NEAR = "nlog_distance", "within_25_percent"
LONGEST_NUMBER: Final = 4300
"""Python reads no longer integers; the published evaluator stops with an error on one."""
_LONGEST_READ: Final = 20_000  # so many characters are searched for the places of numbers
_LARGEST_SHOWN: Final = 10**12


def _where(response: str, values: Iterable[N]) -> dict[N, Spans]:
    """The first places of each value, in whatever way and script it is written."""
    numbers: defaultdict[float, list[Span]] = defaultdict(list)
    for number in find_numbers(response[:_LONGEST_READ]):
        numbers[as_float(number.value)].append((number.start, number.end))
    return {value: tuple(numbers[as_float(value)][:MOST_PLACES]) for value in values}


def _digits_of(value: int) -> str:
    """A number that a person wrote, or the end of one that models write and nobody reads."""
    if value < _LARGEST_SHOWN:
        return str(value)
    return f"…{value % _LARGEST_SHOWN:012d} ({math.floor(math.log10(value)) + 1} digits)"


_PATTERNS: Final = read_toml(Path(__file__).with_suffix(".toml"), Patterns)
_DIGITS, _ARTICLES, _NOT_AN_ARTICLE, _LIST = (
    _PATTERNS[name] for name in ("digits", "articles", "not_an_article", "list")
)


def articles_in(response: str, fixes: Fixes) -> Named[int]:
    """The numbers of the articles named (lawbench.md 3-1)."""
    read = _every_article if LawBenchFix.ARTICLES in fixes else _article_per_chunk
    numbers = list(dict.fromkeys(read(response)))
    return Named(numbers, lambda: _where(response, numbers))


ARTICLES: Final = partial(
    SetOf[LawBenchSample, int],
    what="article",
    naming=articles_in,
    gold=lambda sample: gold.articles(sample.answer),
    words=_digits_of,
)


def _article_per_chunk(response: str) -> Iterator[int]:
    """Quirks: one number per `、`, the first; 第264条第1款 vanishes whole, as far as its 款."""
    for chunk in response.split("、"):
        text = _between(_between(chunk.replace("万元", "元"), "款", ""), "条", None)
        digits = _DIGITS.search(rewrite_numerals(text))
        if digits and len(digits[0]) <= LONGEST_NUMBER:
            yield int(digits[0])


def _between(text: str, last: str, replacement: str | None) -> str:
    """Replace the shortest 第…`last` of a line, left to right; None puts its inside there. By hand:
    a pattern would run to the end of the line from every 第 that nothing closes."""
    lines = []
    for line in text.split("\n"):
        kept, at = [], 0
        while (start := line.find("第", at)) >= 0 and (end := line.find(last, start + 1)) >= 0:
            kept += [line[at:start], line[start + 1 : end] if replacement is None else replacement]
            at = end + 1
        lines.append("".join(kept) + line[at:])
    return "\n".join(lines)


def _every_article(response: str) -> Iterator[int]:
    area, inside = rules.ARTICLE.inside(response), rules.ARTICLE.closed(response)
    texts: list[str] = []
    for listed in _ARTICLES.findall(area.text if area else response):
        texts += _LIST.split(listed)
    for piece in _LIST.split(_NOT_AN_ARTICLE.sub("、", inside.text if inside else "")):
        texts.append(piece.strip().removeprefix("《").removeprefix("刑法"))
    articles = (parse_article(text.strip()) for text in texts)
    return (article.number for article in articles if article is not None)


_MONTHS: Final = tuple(_PATTERNS[name] for name in ("months", "month"))
_YEARS_MONTHS: Final = tuple(_PATTERNS[name] for name in ("years_and_months", "years_and_month"))
_YEARS, _DECIMAL_YEARS, _BLANKS, _DATE, _BARE_TERM, _WRITTEN_TERM = (
    _PATTERNS[name]
    for name in ("years", "decimal_years", "blanks", "date", "bare_term", "written_term")
)
_HALVES: Final = (
    (re.compile("半年"), "六个月"),  # 半年; not 一年
    (re.compile(r"(?<=[\d一二两三四五六七八九十]年)半"), "六个月"),  # 一年半; not 去年半夜
)
_MOST_TERMS: Final = 40  # so many terms are looked at for the place of the one that was read
_LOG_LONGEST: Final = math.log(216)  # the distance of an abstention: ln(18 years in months)


@dataclass(frozen=True)
class TermDistance(LawBenchRules[int]):
    """How near two prison terms are on a logarithmic scale; 1 is equal (lawbench.md 3-4, 3-5).
    Samples whose gold is no number of months are left out. Quirks: they count where abstention is
    divided; an absurd term scores below zero; any month wins over years, so 三年六个月 is 6; 1.5年
    is 5 years; a blank before the unit hides the number; the month of a date is a term."""

    def read(self, response: str) -> Answer[int]:
        months, status = self._months(response)
        if months is None:
            return Answer(None, status)
        return Answer(months, where=lambda: {months: self._places(response, months)})

    def _months(self, response: str) -> tuple[int | None, AnswerStatus]:
        _, text = area_of(response, rules.TERM if LawBenchFix.WRAPPER in self.fixes else None)
        if LawBenchFix.WRAPPER in self.fixes and (bare := _BARE_TERM.fullmatch(text)):
            text = f"{bare[1]}个月"
        if LawBenchFix.SPACES in self.fixes:
            text = _BLANKS.sub("", text)
        if LawBenchFix.YEARS in self.fixes:
            for half, instead in _HALVES:
                text = half.sub(instead, text)
        text = rewrite_numerals(text)
        if LawBenchFix.DATES in self.fixes:
            text = _DATE.sub("", text)
        read = _months_with_years if LawBenchFix.YEARS in self.fixes else _months_or_years
        return read(text)

    def _places(self, response: str, months: int) -> Spans:
        """The first words that, read alone, are this term; else the wrapper with a bare number."""
        start, area = area_of(response, rules.TERM if LawBenchFix.WRAPPER in self.fixes else None)
        for _, words in zip(range(_MOST_TERMS), _WRITTEN_TERM.finditer(area), strict=False):
            if self._months(words[0])[0] == months:
                return ((start + words.start(), start + words.end()),)
        return () if area is response else ((start, start + len(area)),)

    def score(self, sample: LawBenchSample, answer: Answer[int]) -> Score:
        expected = gold.months(sample.answer)
        if expected is None:
            metrics = rules.left_out(LOG_DISTANCE, self.fixes)
        elif answer.value is None:
            metrics = {LOG_DISTANCE: 0.0, NEAR: 0.0}
        else:
            distance = abs(math.log(expected + 1) - math.log(answer.value + 1))
            nearness = (_LOG_LONGEST - distance) / _LOG_LONGEST
            metrics = {
                LOG_DISTANCE: max(0.0, nearness) if LawBenchFix.CLIP in self.fixes else nearness,
                NEAR: float(4 * abs(answer.value - expected) <= expected),
            }
        return Score(metrics, partial(self._explain, sample, answer, metrics[LOG_DISTANCE]))

    @staticmethod
    def _explain(sample: LawBenchSample, answer: Answer[int], points: float | None) -> Trace:
        months, expected = answer.value, gold.months(sample.answer)
        finding = Finding(
            "months",
            given="" if months is None else _digits_of(months),
            expected=sample.answer if expected is None else str(expected),
            right=None if expected is None else months == expected,
            points=points,
            maximum=None if expected is None else 1.0,
            spans=() if months is None else answer.where()[months],
        )
        return Trace("answer", (finding,))


_NO_TERM: Final = (None, AnswerStatus.ABSTAINED)


def _months_or_years(text: str) -> tuple[int | None, AnswerStatus]:
    for pattern in _MONTHS:
        if months := pattern.search(text):
            return _term(months[1], 1)
    if years := _YEARS.search(text):
        return _term(years[1], 12)
    return _NO_TERM


def _months_with_years(text: str) -> tuple[int | None, AnswerStatus]:
    for pattern in _YEARS_MONTHS:
        if written := pattern.search(text):
            months, status = _term(written[2], 1)
            if months is None or written[1] is None:
                return months, status
            return months + round(12 * float(written[1])), status
    if written := _DECIMAL_YEARS.search(text):
        whole, _, part = written[1].partition(".")
        years, status = _term(whole, 12)
        if years is None or not part:
            return years, status
        return years + round(12 * float(f"0.{part[:9]}")), status
    return _NO_TERM


def _term(digits: str, unit: int) -> tuple[int | None, AnswerStatus]:
    if len(digits) > LONGEST_NUMBER:
        return None, AnswerStatus.MALFORMED
    return int(digits) * unit, AnswerStatus.EXTRACTED


_DECIMALS, _YUAN, _ABOUT = (_PATTERNS[name] for name in ("decimals", "yuan", "about"))


@dataclass(frozen=True)
class Amount(LawBenchRules[frozenset[float]]):
    """One point if the gold amount is among those read (lawbench.md 3-7). Quirks: any of them may
    be the right one, so quoting every number pays; no thousands separators, no 万, no Chinese
    numerals."""

    def read(self, response: str) -> Answer[frozenset[float]]:
        _, text = area_of(response, rules.AMOUNT if LawBenchFix.SINGLE in self.fixes else None)
        if LawBenchFix.UNITS in self.fixes:
            amounts = _numbers_or_money(text)
        else:
            amounts = [float(digits) for digits in _DECIMALS.findall(text)]
        if LawBenchFix.SINGLE in self.fixes:
            amounts = amounts[-1:]
        if not amounts:
            return Answer(None, AnswerStatus.ABSTAINED)
        return Answer(frozenset(amounts), where=lambda: _where(response, amounts))

    def score(self, sample: LawBenchSample, answer: Answer[frozenset[float]]) -> Score:
        expected = gold.amount(sample.answer)
        right = expected in (answer.value or ())
        return Score({ACCURACY: float(right)}, partial(self._explain, expected, answer, right))

    @staticmethod
    def _explain(expected: float, answer: Answer[frozenset[float]], right: bool) -> Trace:
        """The amounts read; that expected is marked where it is among them."""
        where = answer.where()
        marked = [where[expected]] if right else where.values()
        finding = Finding(
            "amount",
            given=short("、".join(f"{amount:.12g}" for amount in sorted(answer.value or ()))),
            expected=f"{expected:.12g}",
            right=right,
            spans=tuple(sorted(span for spans in marked for span in spans)[:MOST_PLACES]),
        )
        return Trace("answer", (finding,))


def _numbers_or_money(text: str) -> list[float]:
    """Numbers with 元 after them if there are any, else all but 一 and the like, as in 一般."""
    text = _ABOUT.sub("", text)
    numbers = list(find_numbers(text))
    money = [number for number in numbers if _YUAN.match(text, number.end)]
    other = (n for n in numbers if n.end - n.start > 1 or text[n.start].isdecimal())
    return [float(number.value) for number in money or other]
