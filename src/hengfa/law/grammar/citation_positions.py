"""Positions in a law, 第二十七条第二款第（一）项: found in running text, read and written.

Three steps, each on the one before: :func:`_scan` finds the numbered parts one by one, 第十条 |
第一、三款 | 前款 | 该条; :func:`find_groups` puts together those that belong together,
第十条第一款、第二款和第十二条, and writes each position out in full; :func:`parse_position` and
:func:`format_position` read and write single positions in several styles (27.2.1).

Everything in running text is found after :func:`canonical`, in which every character has one
spelling at the same place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from hengfa.law.grammar import numeral_tables as tables
from hengfa.law.grammar.citation_model import LEVELS, Level, Position, Relative
from hengfa.law.grammar.numerals import (
    MAX_ARTICLE,
    ArticleNumber,
    format_article,
    format_number,
    parse_article,
)
from hengfa.law.grammar.script import simplified

# Numbered parts, one by one

_Join: TypeAlias = Literal["new", "list", "range"]

# Besides the spellings of numerals: one kind of blank within a line.
_OTHER: Final = tables.CANONICAL | {
    **dict.fromkeys(map(ord, "　\xa0\t\u2002\u2003\u2009\u202f"), " ")
}
# "壹〇", "，"; not "一"
_OTHER_SPELLINGS: Final = re.compile(f"[{''.join(map(chr, _OTHER))}]++")

_N: Final = "[0-9零○O一二三四五六七八九十百千两廿卅卌]"
# No article number is longer than 一千二百六十五 with two slips of the pen.
_NUMERAL: Final = f"{_N}{{1,10}}+(?!{_N})"
# Layout may break a number: "四十\n七", "七 十六", "2\n64", "1 179"; not "52 53", which are two
_BROKEN: Final = (
    rf"(?:1[ ,](?=[0-9]{{3}}(?![0-9]))[0-9]{{3}}|{_N}(?:(?:(?<![0-9]) |\n)?{_N}){{0,9}}+)(?!{_N})"
)
_BLANK: Final = "[ \\n]{0,2}+"
_ELEMENT: Final = rf"(?:[（(] ?{_NUMERAL} ?[)）]|{_BROKEN}(?:之{_NUMERAL})?)"
_AND: Final = "以及|或者|[、和及与或至到~～—-]"
_NEXT: Final = rf"(?: ?(?:{_AND}|,) ?|(?<=[)）])){_ELEMENT}"
_NEXT_ORDINAL: Final = rf" ?(?:{_AND}) ?第 ?{_ELEMENT}"
_BRACKETED: Final = rf"[（(] ?{_NUMERAL} ?[)）]"
# A number that need not say 第: "585", "一百零五"; not "5", "三", which mostly count things
_LONG_NUMERAL: Final = rf"(?:[0-9]{{2,4}}+|(?=[^ ]?[十百千]){_NUMERAL})"
_ARABIC: Final = r"[0-9]{2,4}+(?![0-9])"
# Things that are counted with 条: "理由" in 第一条理由, "街", "辩护意见"; not "规定"
COUNTED: Final = (
    r"(?:(?:上诉|辩护|抗辩|答辩|起诉|诉讼|再审|申诉|代理)?(?:理由|意见|请求|主张|诉请)|建议|措施|原因"
    r"|证据|线索|信息|短信|微信|消息|记录|评论|朋友圈|新闻|街|路|线|巷|河|沟|船|鱼|狗|蛇|腿|裤|毛巾"
    r"|项链|香烟|烟|机动车道|车道|跑道|轨道|铁路)"
)
# "之一" in 第一百三十三条之一; not in 第三条之一般规定
_SUB: Final = rf" ?之{_NUMERAL}(?![般切种些分])"

# The numbered parts of a law. Repetitions are possessive and pass over at most six further 第, so
# that each character is looked at a bounded number of times.
#
# ordinal:   "第五十二条", "第52、53条", "第（一）至（三）项", "第一至第三条"; not "第三人"
# section:   "§563", "§§ 563、577"; not "§"
# no_unit:   "第六十七" in 第六十七第三款 and 第六十七之规定, where 条 was forgotten; not in 第七号
# after_law: "三百零七条之一" after 《刑法》, "264条" in 刑法264条; not in 增加十条
# listed:    "585条" in 第577条、585条; not in 第577条，15条证据
# seen:      "584、585条" in 另见584、585条; not in 参照100条意见
# spoken:    "1077条" in 另外1077条规定; not in 我家有1000条鱼
# alone:     "264" in 刑法264, "577、585" in 民法典577、585; not in 公司法2018, 保险法12号
# bare:      "二款" in 第七十二条二款, "（三）项" in 第四条（三）项; not in 前二款
# before:    "前款", "前两款"; not in 提前款项, 前条件
# this:      "本条" in 本条第二款, 本条规定; not in 本条例, 基本条件
# that:      "该条" in 该条第二款; not in 合同条款
#
# Most characters begin none of these, which one look ahead tells.
_TOKEN: Final = re.compile(
    rf"(?=[第§（(前本该同上]|{_N})(?:"
    rf"第{_BLANK}(?P<ordinal>{_ELEMENT}(?:{_NEXT})*+(?:{_NEXT_ORDINAL}(?:{_NEXT})*+){{0,6}}+)"
    rf"{_BLANK}(?P<unit>条(?:款(?!项)|(?!件))|款|项)(?P<sub>{_SUB}(?:[、和及与至到]{_SUB})*+)?"
    rf"|§{{1,2}}+ ?(?P<section>{_NUMERAL}(?:{_NEXT})*+)"
    rf"|第(?P<no_unit>{_NUMERAL})(?:(?=第{_NUMERAL}[款项])|(?P<trailing>)(?=[之的]规定))"
    rf"|(?={_N})(?:"
    rf"(?:(?<=[》〉法典例])|(?<=[》〉法典] ))(?P<after_law>{_NUMERAL})条(?![约例件])"
    rf"(?P<after_sub>{_SUB})?"
    rf"|(?<=[见据照按])(?P<seen>[0-9]{{3,4}}(?:[、和及与至~～-][0-9]{{3,4}})*+)条(?![约例件]|{COUNTED})"
    rf"|(?<=[、,和及与或至到-])(?P<listed>{_LONG_NUMERAL})条(?![约例件]|{COUNTED})"
    r"|(?<![0-9第约共达近超])(?P<spoken>[0-9]{3,4})条"
    r"(?=第|之|规定|明确|也|还|就|则|又|说|讲|写|里|中|是)"
    rf"|(?:(?<=[法典])|(?<=[法典] )|(?<=[》〉])(?=[0-9]{{3}}))"
    rf"(?P<alone>(?!(?:19|20)[0-9]{{2}}){_ARABIC}(?:[、和及与至~～-]{_ARABIC})*+)"
    rf"(?![年月日号元万%％个人名页章节编期版次部条0-9]|\.[0-9])"
    rf"|(?<=[条款])(?P<bare>{_NUMERAL})(?P<bare_unit>[款项]))"
    rf"|(?<=[条款0-9一二三四五六七八九十])"
    rf"(?P<bracketed>{_BRACKETED}(?: ?[、,和及至到]? ?{_BRACKETED})*+)(?:项|(?=[之的]?规定|所列))"
    rf"|(?<![提此之以目日年月天先事])前(?P<back>[一二两三四五六七])?(?P<before>[条款项])"
    rf"(?![例约件目款]|(?<=款)项)"
    rf"|(?<![基根资日版样])(?<!(?<![构造完形达])成)本(?P<this>[条款项])"
    rf"(?=[第所的之前各中列罪另,、和及或]|规定)"
    rf"|(?<!合)(?:[该同]|上述|前述)(?P<that>[条款])(?=第))"
)
# what is said of "1079条" in ……，1079条规定; not "、"
_SPOKEN_OF: Final = re.compile("规定|明确|也|还|就|则|又|说|讲|写|是")
# "（一）" and "五十三" in 第（一）、五十三; not "、"
_LISTED: Final = re.compile(rf"(?:第 ?)?(?P<number>{_ELEMENT})")
# "之一" and "之二" in 之一、之二; not "一"
_LISTED_SUB: Final = re.compile(rf"之(?P<number>{_NUMERAL})")
# "至" in 第一至第三条; not "、"
_RANGE: Final = re.compile(r"[至到~～—-]")
# "1,260" in 第1,260条; not "52,53"
_GROUPED: Final = re.compile(r"[1-9],[0-9]{3}")

_BACK: Final = "零一两三四五六七"
_LEVEL_OF_UNIT: Final[dict[str, Level]] = {"条": "article", "款": "paragraph", "项": "item"}


@dataclass(slots=True)
class _Number:
    """One number of a token, where it stands, and how it is joined to the one before."""

    value: ArticleNumber
    start: int
    end: int
    join: _Join


@dataclass(slots=True)
class _Token:
    """第52、53条 is one token of two numbers; 前款 is one without; ``text[start:end]`` in all."""

    start: int
    end: int
    level: Level
    numbers: list[_Number] = field(default_factory=list)
    relative: Relative | None = None
    anaphoric: bool = False  # 该条, 同条: the article cited last
    loose: bool = False  # without 第: counts only right after a law or a higher part
    listed: bool = False  # without 第 in a list: counts only after an article
    alone: bool = False  # without 第 and 条: counts only right after a law that is known
    slip: bool = False  # 第二条款, 第六十七: an article, or a paragraph right after an article
    trailing: bool = False  # 第六十七之规定: counts only at the end of a list


def canonical(text: str) -> str:
    """The text with one spelling for each character, at the same places."""
    return _OTHER_SPELLINGS.sub(lambda run: run[0].translate(_OTHER), simplified(text))


def _scan(s: str) -> Iterator[_Token]:
    """The tokens of a canonical text from left to right; numbers that cannot be read give none."""
    for match in _TOKEN.finditer(s):
        start, end = match.span()
        if unit := match["before"] or match["this"]:
            back = _BACK.index((match["back"] or "一").replace("二", "两"))
            level = _LEVEL_OF_UNIT[unit]
            relative = Relative(level, back if match["before"] else 0)
            yield _Token(start, end, level, relative=relative)
        elif unit := match["that"]:
            yield _Token(start, end, _LEVEL_OF_UNIT[unit], anaphoric=True)
        else:
            token = _token_at(s, match)
            if token.numbers:
                token.numbers[0].start, token.numbers[-1].end = token.start, token.end
                yield token


def _token_at(s: str, match: re.Match[str]) -> _Token:
    """A token with numbers; without them where they cannot be read."""
    start, end = match.span()
    if unit := match["unit"]:
        numbers = _read_list(s, *match.span("ordinal"))
        if numbers and match["sub"]:
            numbers = _read_subs(s, numbers, *match.span("sub"))
        return _Token(start, end, _LEVEL_OF_UNIT[unit[0]], numbers, slip=len(unit) > 1)
    if listed := next((form for form in ("section", "seen", "alone") if match[form]), None):
        numbers, alone = _read_list(s, *match.span(listed)), listed == "alone"
        return _Token(start, end, "article", numbers, loose=alone, alone=alone)
    if match["bracketed"]:
        numbers = _read_list(s, *match.span("bracketed"))
        return _Token(start, end, "item", numbers, loose=True)
    if numeral := match["no_unit"]:
        trailing = match["trailing"] is not None
        token = _Token(start, end, "article", slip=not trailing, trailing=trailing)
    elif numeral := match["listed"]:
        token = _Token(start, end, "article", listed=True)
    else:
        numeral = match["bare"] or match["spoken"]
        numeral = numeral or match["after_law"] + (match["after_sub"] or "").strip()
        token = _Token(start, end, _LEVEL_OF_UNIT[match["bare_unit"] or "条"], loose=True)
    if value := _number(numeral):
        token.numbers = [_Number(value, start, end, "new")]
    return token


def _read_list(s: str, start: int, end: int) -> list[_Number]:
    """The numbers of 52、53 or （一）至（三）; none where one of them cannot be read."""
    if _GROUPED.fullmatch(s, start, end):
        value = _number(s[start] + s[start + 2 : end])
        return [_Number(value, start, end, "new")] if value else []
    numbers: list[_Number] = []
    place = start
    while match := _LISTED.search(s, place, end):
        value = _number(match["number"].strip("（()） "))
        if value is None:
            return []
        before = numbers[-1] if numbers else None
        hyphen = s[place : match.start()] == "-"
        if before and hyphen and value.number < before.value.number and not before.value.sub:
            before.value = ArticleNumber(before.value.number, value.number)  # 第133-1条
            before.end = match.end()
        else:
            ranges = before and _RANGE.search(s, place, match.start())
            join: _Join = "range" if ranges else "list" if before else "new"
            numbers.append(_Number(value, match.start(), match.end(), join))
        place = match.end()
    return numbers


def _read_subs(s: str, numbers: list[_Number], start: int, end: int) -> list[_Number]:
    """第一百二十条之一、之二: the sub-articles belong to the last number."""
    last = numbers.pop()
    place = start
    while match := _LISTED_SUB.search(s, place, end):
        value = _number(match["number"])
        if value is None:
            return []
        article = ArticleNumber(last.value.number, value.number)
        if place == start:
            numbers.append(_Number(article, last.start, match.end(), last.join))
        else:
            join: _Join = "range" if _RANGE.search(s, place, match.start()) else "list"
            numbers.append(_Number(article, match.start(), match.end(), join))
        place = match.end()
    return numbers


@lru_cache(maxsize=4096)
def _number(numeral: str) -> ArticleNumber | None:
    return parse_article("".join(numeral.replace(",", "").split()))


# Parts that belong together

_Joined: TypeAlias = _Join | Literal["below"]

_MAX_GAP: Final = 60

# What may stand between two members of a list: "、", "，以及", "的规定和"; not "，并处", "规定"
_CONNECTOR: Final = re.compile(
    r" ?(?:[（(](?![原现])[^（()）。\n]{1,40}[)）])?(?:[的之]?(?:规定|情形|行为))?"
    r"(?:、\n|[、,;；] ?(?:以及|及|和|与|或者|或|并)?|(?:以及|及其|及|和|与|或者|或)\n?) ?"
    r"(?:同条|该条|其)?"
)
# "至" in 第十条至第十二条; not "到期"
_UNTIL: Final = re.compile(r" ?(?:至|到|-|—{1,2}|~|～) ?")

_RANK: Final = {level: rank for rank, level in enumerate(LEVELS)}


@dataclass(slots=True)
class Element:
    """A position written out, before anyone knows the law."""

    position: Position
    start: int
    end: int
    until: Position | None = None
    relative: Relative | None = None


@dataclass(slots=True)
class Group:
    """The positions of one list in order."""

    elements: list[Element]
    start: int
    end: int
    level: Level = "article"  # of its first token: one that opens with 款 or 项 has no article
    anaphoric: bool = False
    loose: bool = False
    alone: bool = False


def find_groups(s: str) -> Iterator[Group]:
    """Lists of positions: a token joins the one before it if only a connector is between them."""
    current: Group | None = None
    for token in _scan(s):
        join = _joins(s, current, token) if current else None
        if current and join:
            _extend(current, token, join)
        elif not token.trailing and (not token.listed or _SPOKEN_OF.match(s, token.end)):
            token.loose = token.loose or token.listed
            if current:
                yield current
            first, last = token.start, token.end
            current = Group([], first, last, token.level, token.anaphoric, token.loose, token.alone)
            if token.numbers:
                _extend(current, token, "new")
            else:
                current.elements.append(Element(Position(), first, last, relative=token.relative))
    if current:
        yield current


def _joins(s: str, current: Group, token: _Token) -> _Joined | None:
    """How a token belongs to the list before it, or None where it does not."""
    length = token.start - current.end
    if length > _MAX_GAP:
        return None
    last = current.elements[-1]
    if token.slip and length <= 1 and _depth(last) == 0:
        token.level, token.slip = "paragraph", False  # 第七十三条第二条款, 第七十二条第一第三款
    blank = " \n" if token.numbers and not token.loose else " "  # a line may break after 第十条
    if length == 0 or (length == 1 and s[current.end] in blank and token.level != "article"):
        return _joins_directly(last, token, length)
    homeless = token.listed and last.position.article is None
    if homeless or token.loose or token.relative or token.anaphoric:
        return None
    gap = s[current.end : token.start]
    if gap in {"规定", "规定的"} and _RANK[token.level] > _depth(last) >= 0:
        return "below"  # 前款规定的第（一）项
    if _UNTIL.fullmatch(gap):
        return "range"
    return "list" if _CONNECTOR.fullmatch(gap) else None


def _joins_directly(last: Element, token: _Token, length: int) -> _Joined | None:
    """第十条 | 第二款, 本条 | 前两款; a level that does not go down is a list without its comma."""
    depth = _depth(last)
    if token.relative or token.anaphoric:
        counted = token.relative is not None and token.relative.back > 1  # 第十条前三项
        after_relative = last.relative is not None and last.position == Position()
        below = after_relative or (counted and _RANK[token.level] > depth >= 0)
        return "below" if below and token.relative else None
    if _RANK[token.level] > depth:
        return "below"
    return "list" if length == 0 and not token.loose else None


def _depth(element: Element) -> int:
    """The rank of the deepest level that an element names."""
    position = element.until or element.position
    for level in reversed(LEVELS):
        if position.get(level) is not None:
            return _RANK[level]
    return _RANK[element.relative.level] if element.relative else -1


def _extend(current: Group, token: _Token, join: _Joined) -> None:
    """Write out the positions of one more token, on top of those before it."""
    if token.relative:
        last = current.elements[-1]
        if any(last.position):  # 第二百二十五条前三项
            upper = last.until or last.position
            last.position = upper.under(token.level, 1)
            last.until = upper.under(token.level, token.relative.back)
        else:  # 本条前两款: the nearer reference says it all
            last.relative = token.relative
        last.end = current.end = token.end
        return
    for number in token.numbers:
        _add(current, token.level, number, join if number is token.numbers[0] else number.join)
    current.end = token.end


def _add(current: Group, level: Level, number: _Number, how: _Joined) -> None:
    value, sub = number.value.number, number.value.sub or None
    last = current.elements[-1] if current.elements else None
    if last is None:
        position = Position().under(level, value, sub)
        current.elements.append(Element(position, number.start, number.end))
    elif how == "below":
        if last.until is not None:
            last.until = last.until.under(level, value, sub)
        else:
            last.position = last.position.under(level, value, sub)
        last.end = number.end
    elif how == "range" and last.until is None:
        last.until, last.end = last.position.under(level, value, sub), number.end
    else:
        position = (last.until or last.position).under(level, value, sub)
        relative = last.relative
        if relative and _RANK[level] <= _RANK[relative.level]:
            relative = None
        current.elements.append(Element(position, number.start, number.end, relative=relative))


# Single positions, read and written

CitationStyle: TypeAlias = Literal["full", "arabic", "dotted"]

# "27.2.1", "133-1.2", "27..1" (an item without a paragraph), ".2" (a paragraph alone); not "27-"
_DOTTED: Final = re.compile(
    r"(?P<article>[0-9]{1,4})?(?:-(?P<sub>[0-9]{1,4}))?"
    r"(?:\.(?P<paragraph>[0-9]{1,4})?(?:\.(?P<item>[0-9]{1,4}))?)?"
)


def format_citation(law: str, position: Position, style: CitationStyle = "full") -> str:
    """A citation as statutes write it (full), with Arabic numbers, or dotted as in 民法典 27.2.1.

    Title marks inside a name become 〈〉, as is the custom.
    """
    where = format_position(position, style)
    name = law.strip().removeprefix("《").removesuffix("》")
    if style == "dotted":
        return f"{name} {where}"
    return f"《{name.replace('《', '〈').replace('》', '〉')}》{where}"


def format_position(position: Position, style: CitationStyle = "full") -> str:
    """The position alone."""
    if not any(position):
        raise ValueError("a position needs an article, a paragraph or an item")
    if any(n is not None and not 1 <= n <= MAX_ARTICLE for n in position):
        raise ValueError(f"numbers in a position run from 1 to {MAX_ARTICLE:,}")
    if position.article_sub and not position.article:
        raise ValueError("a sub-article needs an article")
    article, sub, paragraph, item = position
    if style == "dotted":
        written = f"{article or ''}" + (f"-{sub}" if sub else "")
        written += f".{paragraph or ''}" if paragraph or item else ""
        return written + (f".{item}" if item else "")
    if style == "arabic":
        parts = f"第{article}条", f"之{format_number(sub or 0)}", f"第{paragraph}款", f"第{item}项"
        return "".join(part for part, number in zip(parts, position, strict=True) if number)
    return (
        (format_article(article, sub or 0) if article else "")
        + (f"第{format_number(paragraph)}款" if paragraph else "")
        + (f"第（{format_number(item)}）项" if item else "")
    )


def parse_position(text: str) -> Position | None:
    """The one position that a string names and nothing else, in any style, or None.

    Reads 第二十七条第二款第（一）项, 第27条第2款第1项, 27.2.1, 133-1.2, 27..1 and 一百三十三之一.
    """
    s = canonical(text).strip()
    if (match := _DOTTED.fullmatch(s)) and s.strip("."):
        numbers = [int(n) if n else None for n in match.groups()]
        return None if 0 in numbers or (numbers[1] and not numbers[0]) else Position(*numbers)
    groups = list(find_groups(s))
    if len(groups) == 1 and (groups[0].start, groups[0].end) == (0, len(s)):
        first, *others = groups[0].elements
        if others or first.until or first.relative or groups[0].anaphoric:
            return None
        return first.position
    article = parse_article(s)
    return Position(article.number, article.sub or None) if article else None
