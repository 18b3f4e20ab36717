"""A judgment as the published evaluator of JuDGE reads it, mistakes included (judgment.md 2–6, 9).

In the order in which it works:

* `normalise`, the text (2.1). Texts with mark-up are read as HTML. The reader here is lenient and
  linear: a tag ends at the next `>`, whatever stands in quotes. The standard library's parser gives
  the same text for well-formed input, but on Python 3.11 it takes minutes for 60 KB of tags that
  are never closed.
* `find_official_numbers`, the numbers of a phrase (3).
* `cut_sections`, the five sections (2.2), taken from the front one after the other. Two quirks can
  be switched off: a section is deleted wherever its text comes again (Q1), and where several marks
  could end a section, the first of the list wins, not the first in the text (Q2).
* `PenaltyRule`, prison months and fines (4). All sentences that read differently are added up:
  those of several defendants, and a combined sentence on top of its parts; two that read alike
  count once (Q3). A set of switches repairs what can be repaired without knowing who was sentenced
  to what; the rest is for `hengfa.law.grammar.judgment.parse`.
* `official_charges` (5). The list of charges and the short forms that stand for some of them belong
  to the data; a name is made one of that list, or dropped.
* `official_articles` (6), those of the Criminal Law. Paragraphs, items and 之一 are left out, and
  numbers are compared as text (Q9). Of a list of articles only what stands before 规定 or the next
  《 is seen.

At the end stands the evaluator as it was on 2025-02-28 (9), which half of the paper's table 4 is
from. It normalises nothing and knows no sections: the result is what stands behind the last
判决如下.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias

from hengfa.law.grammar.judgment.charges import Charges
from hengfa.law.grammar.numerals import find_numbers

# Step 1: in this order, each on the result of the one before.
_REPLACED: Final = (
    (":", "："),
    (" ", ""),
    ("(", "（"),
    (")", "）"),
    ("\u3000", " "),
    ("\u00a0", " "),
    ("<p>", ""),
    ("</p>", ""),
    ("<br>", ""),
    ("&#xD;", ""),
    ("\ufffd", ""),
)

# Step 2. The comma of "甲,乙"; not those of "1,000" and "甲,1".
_LONE_COMMA: Final = re.compile(r"(?<!\d),(?!\d)")

# The beginning of mark-up: "<b", "</p", "<!--", "<!DOCTYPE", "<?xml", "</>"; not "<刑法>", "a < b".
_MARKUP: Final = re.compile(r"<(?:(?P<name>[A-Za-z][^\s/>]*)|(?P<comment>!--)|/|!|\?)")

# Elements whose content is no text, with what ends them: "</script", "</STYLE"; not "</scripts".
_UNREAD: Final = {
    name: re.compile(rf"</{name}(?![A-Za-z0-9])", re.IGNORECASE) for name in ("script", "style")
}


def normalise(document: str) -> str:
    """The document with one spelling of its punctuation, without blanks and without mark-up."""
    text = document
    for old, new in _REPLACED:
        text = text.replace(old, new)
    text = _LONE_COMMA.sub("，", text)
    if "<" not in text and "&" not in text:
        return text.strip()
    nodes = (html.unescape(node).strip() for node in _text_nodes(text))
    return " ".join(node for node in nodes if node)


def _text_nodes(text: str) -> list[str]:
    """What stands between tags and comments; what is never closed is text."""
    last = {mark: text.rfind(mark) for mark in (">", "-->")}
    nodes: list[str] = []
    begin = at = 0
    while match := _MARKUP.search(text, at):
        mark = "-->" if match["comment"] else ">"
        at = match.end()
        if at > last[mark]:
            continue
        nodes.append(text[begin : match.start()])
        begin = at = text.index(mark, at) + len(mark)
        unread = _UNREAD.get((match["name"] or "").lower())
        if unread is not None:
            closing = unread.search(text, at)
            if closing is None:
                return nodes
            begin = at = closing.start()
    nodes.append(text[begin:])
    return nodes


# Numbers (3), as they are found in a sentence or citation. The library of the published evaluator
# has its own ideas, all of which are kept: 两年 has no number, 两年六个月 only the 6, 3万5千 two
# numbers, 四千三 is 4300, 百五 is 5 hundredths, 零六 is the text "06". It is given phrases of a few
# characters, which come again and again.

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
    numbers = (_value_of(match[0]) for match in _NUMBER.finditer(_plain(text)))
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


def _value_of(numeral: str) -> str | None:
    """Steps 3 to 5: a numeral's value, or None where it says none."""
    numeral = numeral.translate(_SPELLED)
    if numeral.startswith("点"):
        numeral = "零" + numeral
    unread = any(character.isdecimal() for character in numeral)  # １六: not ASCII digits
    if unread or not _COUNTS.search(numeral):
        return None
    if len(numeral) > 2:  # step 4: 十五 in a longer numeral is 一十五, 四千三 is 四千三百
        ten = numeral.find("十")
        if ten >= 0 and (ten == 0 or numeral[ten - 1] not in _BESIDE_A_UNIT):
            numeral = f"{numeral[:ten]}一{numeral[ten:]}"
        numeral += _NEXT_LOWER.get(numeral[-2], "")
    if fraction := _FRACTION.fullmatch(numeral):
        return _without_zeros(Decimal(_value(fraction[2])) / _UNITS[fraction[1]])
    whole, *after = numeral.split("点")
    if not after:
        return _value(whole)
    decimals = after[0]
    places = decimals.rstrip("十百千万亿")
    scale = _value(decimals[len(places) :]) if len(places) < len(decimals) else "1"
    return _without_zeros(Decimal(f"{_value(whole)}.{_value(places)}") * Decimal(scale))


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


def _without_zeros(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


# Sections (2.2)


class OfficialSections(NamedTuple):
    """The five sections; one that was not found is empty."""

    heading: str
    fact: str
    reason: str
    judgment: str
    appendix: str


Span: TypeAlias = tuple[int, int]
_Mark: TypeAlias = Callable[[str], Span | None]  # where a mark first stands in a text

_CJK: Final = "[\u4e00-\u9fa5]"


def _pattern(expression: str) -> _Mark:
    compiled = re.compile(expression)

    def mark(text: str) -> Span | None:
        match = compiled.search(text)
        return match and match.span()

    return mark


def _on_new_line(expression: str) -> _Mark:
    """A mark after a line break and any white space; it begins at the first such break. Looked for
    from its words backwards: a pattern that begins with the white space would look at every line of
    a long gap again."""
    compiled = re.compile(expression)

    def mark(text: str) -> Span | None:
        for match in compiled.finditer(text):
            start, end = match.span()
            if start == 0 or not text[start - 1].isspace():
                continue
            line_break = text.find("\n", len(text[:start].rstrip()), start)
            if line_break >= 0:
                return line_break, end
        return None

    return mark


_HEADING: Final = (
    _pattern(f"审理终结{_CJK}{{0,10}}。"),  # "现已审理终结。"; not "审理终结，"
    _pattern(f"公开开庭审理{_CJK}{{0,10}}。"),  # "公开开庭审理了本案。"; not "公开开庭审理，"
)
_ACCUSER: Final = re.compile("(?:公诉|抗诉)机关[\u4e00-\u9fa5，、]{0,30}(?:认为|指控)")
_NAME: Final = re.compile(f"{_CJK}{{0,10}}\\Z")


def _accusation(text: str) -> Span | None:
    """Who accuses: "月湖县公诉机关指控", "抗诉机关某院，认为"; not "公诉机关某院。". Up to ten
    characters before belong to it; they are looked at only where there is something."""
    match = _ACCUSER.search(text)
    if match is None:
        return None
    start = match.start()
    name = _NAME.search(text, max(0, start - 10), start)
    return (name.start() if name else start), match.end()


_FACT: Final = _pattern("本院认为")
_REASON: Final = (
    _pattern("判决如下[:：,，\n]"),  # "判决如下："; not "判决如下 "
    _pattern("判决如下"),
    _pattern("裁定(?:如下)?[:：\n]"),  # "裁定如下：", "裁定："; not "裁定准许"
)
_JUDGMENT: Final = (
    _pattern(f"如{_CJK}{{0,3}}不服本判决"),
    _on_new_line("本判决为终审判决"),
    _pattern(f"如{_CJK}{{0,5}}未按本判决指定的期间{_CJK}{{0,5}}给付金钱义务"),
    _on_new_line(r"(?:代理)?审\s{0,3}判\s{0,3}长"),
    _on_new_line(r"(?:代理)?审\s{0,3}判\s{0,3}员"),
    _pattern("附录"),
    _pattern("附："),
    _pattern(f"附{_CJK}{{0,10}}法律"),
    _pattern(f"附{_CJK}{{0,10}}："),
    _on_new_line("本案.{0,10}法律"),
    _pattern("\n《"),
    _pattern(r"\n?\Z"),
)


def cut_sections(
    normalised: str, *, by_position: bool = False, earliest: bool = False
) -> OfficialSections:
    """Cut a normalised document. `by_position` repairs Q1, `earliest` Q2 of reason and judgment."""
    first = _earliest if earliest else _first_listed
    rest = normalised

    def take(section: str) -> str:
        nonlocal rest
        if section and not section.isspace():
            rest = rest[len(section) :] if by_position else rest.replace(section, "")
        return section

    # the later of two sentences that may end it comes first in the list, and rightly so
    end = _first_listed(rest, _HEADING)
    heading = "" if end is None else rest[: end[1]]
    heading = take(heading if heading.strip() else _before(rest, _accusation(rest)))
    fact = take(_before(rest, _FACT(rest)))
    end = first(rest, _REASON)
    reason = take(rest if end is None else rest[: end[1]])
    judgment = take(_before(rest, first(rest, _JUDGMENT)) or rest)
    return OfficialSections(heading, fact, reason, judgment, rest)


def _before(text: str, span: Span | None) -> str:
    return "" if span is None else text[: span[0]]


def _spans(text: str, marks: Sequence[_Mark]) -> Iterator[Span]:
    return (span for mark in marks if (span := mark(text)) is not None)


def _first_listed(text: str, marks: Sequence[_Mark]) -> Span | None:
    """Q2: the mark that comes first in the list."""
    return next(_spans(text, marks), None)


def _earliest(text: str, marks: Sequence[_Mark]) -> Span | None:
    """Of marks at the same place, the first of the list, which is the longest."""
    return min(_spans(text, marks), key=lambda span: span[0], default=None)


# Penalties (4)

NOTHING: Final = -1
LIFE_MONTHS: Final = 240
DEATH_MONTHS: Final = 10_001
_GUARD: Final = 10_000
"""What is more than this many months is a sentence of death; the guard looks at fines too (Q6)."""

# "有期徒刑三年", "拘役四个月", up to seven characters between; not "有期徒刑年", "拘役，罚金"
_TERMS: Final = tuple(
    re.compile(f"{keyword}.{{1,7}}[年月]") for keyword in ("管制", "拘役", "有期徒刑")
)
_LIFE, _DEATH = "无期徒刑", "死刑"
_NO_PENALTY: Final = ("无罪", "免予刑事处罚", "免于刑事处罚", "免予刑事处分")
# "判处死刑", "判处被告人某甲死刑"; not "死刑" in "不是必须立即执行的死刑案件"
_SENTENCED_TO_DEATH: Final = re.compile("判处[^，。；]{0,20}死刑")
# "罚金人民币三千元"; not "罚金元", "罚金已缴纳"
_FINE: Final = re.compile("罚金.{1,15}元")


def full_numbers(text: str) -> tuple[str, ...]:
    """Every number of a text, in any script (what repairs Q7)."""
    return tuple(str(number.value) for number in find_numbers(text))


@dataclass(frozen=True)
class PenaltyRule:
    """How penalties are read; the defaults are the published rule of 2025-03-20.

    A string ends before the first of `term_ends` or `fine_ends`. Switched on are the quirks Q4
    (`whole_document`: what is not in the result is looked for in the whole document), Q5
    (`skipping`: a fine behind one without 元 is not examined), Q10 (`bare_terms`: a keyword without
    a number, and a finding without a penalty, is a sentence of 0 months) and Q11 (`any_death`).
    """

    term_ends: str = ",;，。！？、；：（以缓至"
    fine_ends: str = "，。！？、；：以已至（"
    numbers: Callable[[str], tuple[str, ...]] = find_official_numbers
    whole_document: bool = True
    skipping: bool = True
    bare_terms: bool = True
    any_death: bool = True

    def months(self, judgment: str, document: str) -> int:
        """The sum of all different sentences in months; -1 where there is none."""
        terms = self._terms(judgment) or (self._terms(document) if self.whole_document else set())
        values = [self._months_of(term) for term in terms]
        if not self.bare_terms:
            values = [value for value in values if value]
        return sum(values) if values else NOTHING

    def fine(self, judgment: str, document: str) -> int:
        """The sum of all different fines in yuan; -1 where there is none."""
        fines = self._fines(judgment) or (self._fines(document) if self.whole_document else set())
        values = (_whole(self.numbers(fine)) for fine in fines)
        return sum(value[0] for value in values if len(value) == 1) if fines else NOTHING

    def _terms(self, text: str) -> set[str]:
        found = (match[0] for term in _TERMS for match in term.finditer(text))
        terms = {_up_to(words, self.term_ends) for words in found}
        terms.update(word for word in (_LIFE, *_NO_PENALTY) if word in text)
        if _DEATH in text and (self.any_death or _SENTENCED_TO_DEATH.search(text)):
            terms.add(_DEATH)
        return terms

    def _months_of(self, term: str) -> int:
        numbers = _whole(self.numbers(term))
        match numbers:
            case [] if _LIFE in term:
                return LIFE_MONTHS
            case [] if _DEATH in term:
                return DEATH_MONTHS
            case [length]:
                return 12 * length if "年" in term else length if "月" in term else 0
            case [years, months]:
                return 12 * years + months if "年" in term and "月" in term else years
            case _:
                return 0

    def _fines(self, text: str) -> set[str]:
        fines = [_up_to(match[0], self.fine_ends) for match in _FINE.finditer(text)]
        kept = _examine_fines(fines) if self.skipping else (fine for fine in fines if "元" in fine)
        return {fine.replace(",", "") for fine in kept}


def penalty_score(expected: float, given: float, *, guard: bool = True) -> float | None:
    """How near two values are, from 0 to 1; None where neither document has one (4.3)."""
    if expected < 0 and given < 0:
        return None
    if expected == given == 0:
        return 1.0
    if expected < 0 or given < 0:
        return 0.0
    if guard and (expected - _GUARD) * (given - _GUARD) < 0:
        return 0.0
    return 1 - abs(expected - given) / max(expected, given)


def _up_to(words: str, ends: str) -> str:
    """The words before the first character that ends them."""
    return next((words[:place] for place, sign in enumerate(words) if sign in ends), words)


def _whole(numbers: Iterable[str]) -> list[int]:
    """Whole numbers; a fraction, on which the published evaluator stops, makes the list useless."""
    numbers = list(numbers)
    whole = [int(number) for number in numbers if number.isdecimal()]
    return whole if len(whole) == len(numbers) else [0, 0, 0]


def _examine_fines(fines: list[str]) -> Iterable[str]:
    """Q5: an item without 元 goes, and the one behind it stays unseen. The published code deletes
    the first item of its list that reads the same. Since only different items count in the end,
    that is as good as deleting this one."""
    place = 0
    while place < len(fines):
        if "元" in fines[place]:
            yield fines[place]
            place += 1
        else:
            yield from fines[place + 1 : place + 2]
            place += 2


# Charges (5)

Canonical: TypeAlias = Callable[[str], str | None]

# The number of an item: "一、", "十二、", "（三）"; not "1、", "（3）"
_ITEM: Final = re.compile("[一二三四五六七八九十]{1,3}、|（[一二三四五六七八九十]{1,3}）")
_CLAUSE: Final = re.compile("[；。]")
# What somebody is guilty of: "盗窃罪" in "犯盗窃罪"; not "罪" in "犯罪"
_GUILTY_OF: Final = re.compile("犯([^罪犯，。；《》（）]+罪)")
_SLIPS: Final = ("有", "的", "了")


def official_charges(
    judgment: str, document: str, canonical: Canonical, *, whole_document: bool = True
) -> frozenset[str]:
    """The charges of a judgment; where it names none that is listed, those of the whole document
    (Q4, judgment.md 5.2)."""
    named = _canonical_names(charges_by_item(judgment), canonical)
    if named or not whole_document:
        return named
    return _canonical_names(charges_by_item(document), canonical)


def _canonical_names(written: Iterable[str], canonical: Canonical) -> frozenset[str]:
    return frozenset(name for charge in set(written) if (name := canonical(charge)) is not None)


def charges_by_item(text: str) -> set[str]:
    """The names as they are written, item by item, without what stands behind 撤销."""
    pieces = _ITEM.split(text)
    if len(pieces) == 1:
        pieces = _CLAUSE.split(text)
    return {name for piece in pieces for name in _guilty_of(piece.partition("撤销")[0])}


def _guilty_of(text: str) -> list[str]:
    """What follows 犯 up to 罪; 罪犯 itself is a person."""
    return _GUILTY_OF.findall(text.replace("罪犯", ""))


def canonical_names(charges: Charges) -> Canonical:
    """Name as written to name in the list; None if none is near."""

    @lru_cache(maxsize=65536)
    def canonical(written: str) -> str | None:
        name = written.replace(" ", "")
        return charges.find(name[1:] if name.startswith(_SLIPS) else name)

    return canonical


# Articles (6)

_LAW: Final = "《中华人民共和国刑法》"


def _citing(ends: str, numerals: str) -> Sequence[re.Pattern[str]]:
    """Three ways to cite: "《…刑法》第六十七条、…", "《刑法》第…", "《…刑法》 六十七条…". A span
    stays on its line and reaches to the first of `ends`; without one it is no citation."""
    return tuple(
        re.compile(f"{beginning}.*?[{ends}]")
        for beginning in (f"{_LAW}第", "《刑法》第", rf"{_LAW}\s?[{numerals}第]+")
    )


_CITING: Final = _citing("。《判附规", "零一二三四五六七八九十")
# "第六十七条", "第一百零五条"; not "第67条", "第三款", nor a thousand numerals in a row
_ARTICLE: Final = re.compile("第[一二三四五六七八九零十百]{1,40}条")


def official_articles(reason: str, document: str) -> frozenset[str]:
    """The articles cited in the reasoning; where nothing is cited there, in the document."""
    return _articles_in(_cited_spans(reason, _CITING) or _cited_spans(document, _CITING))


def _cited_spans(text: str, patterns: Sequence[re.Pattern[str]]) -> list[str]:
    return [span for pattern in patterns for span in pattern.findall(text)]


def _articles_in(spans: Sequence[str]) -> frozenset[str]:
    articles = (article for span in spans for article in _ARTICLE.findall(span))
    numbered = map(find_official_numbers, articles)
    return frozenset(numbers[0] for numbers in numbered if len(numbers) == 1)


# The version of 2025-02-28 (9)

LEGACY_PENALTIES: Final = PenaltyRule(
    term_ends=",;，。！？、；：缓至", fine_ends="，。！？、；：以已"
)
_CITING_THEN: Final = _citing("。《判附", "一二三四五六七八九十")
_SIGNATURES: Final = ("附：", "审判长", "审判员")
_RESULT_ENDS: Final = ("如不服本", *_SIGNATURES)
_OFFENDERS: Final = re.compile("主犯|初犯|累犯|从犯|再犯")
# What somebody is sentenced for: "盗窃罪" in "以盗窃罪判处"; not "以盗窃罪，判处"
_SENTENCED_FOR: Final = re.compile("以([^罪，]+罪)判处")


def legacy_judgment(document: str) -> str:
    """The document from its last 判决如下 on, up to the last mark of an end."""
    text = _from_last(_from_last(document, "判决如下"), "判处如下")
    end = max(text.rfind(mark) for mark in _RESULT_ENDS)
    return text[:end] if end >= 0 else text


def legacy_texts(document: str) -> tuple[str, str]:
    """Reasoning and result as METEOR compared them then; each is empty where a mark is missing.
    What these were is told nowhere. It follows from the published scores, which come out to the
    last digit: from the first 本院认为 to the last 判决如下, and from there to the last mark of an
    end in the whole document, of which 如不服本 is none here."""
    reason, decision = document.find("本院认为"), document.rfind("判决如下")
    if decision < 0:
        return "", ""
    end = max(document.rfind(mark) for mark in _SIGNATURES)
    judgment = document[decision:] if end < 0 else document[decision:end]
    return document[reason:decision] if reason >= 0 else "", judgment


def legacy_charges(judgment: str, document: str, canonical: Canonical) -> frozenset[str]:
    """The first of four readings that finds a name, even one that is in no list."""
    for text in (judgment, document):
        for read in (charges_by_item, _charges_anywhere):
            if written := read(text):
                return _canonical_names(written, canonical)
    return frozenset()


def legacy_articles(document: str) -> frozenset[str]:
    """The articles cited anywhere in the document."""
    return _articles_in(_cited_spans(document, _CITING_THEN))


def _from_last(text: str, mark: str) -> str:
    place = text.rfind(mark)
    return text[place:] if place >= 0 else text


def _charges_anywhere(text: str) -> set[str]:
    """Without items: before the appended provisions, 犯…罪 and 以…罪判处."""
    text = _OFFENDERS.sub("", text[: text.find("法律条文")])
    return {*_SENTENCED_FOR.findall(text), *_guilty_of(text)}
