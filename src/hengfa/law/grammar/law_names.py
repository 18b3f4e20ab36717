"""The names of Chinese laws as strings: one spelling for each, and what is customarily shortened.

Nothing here knows which laws exist: a collection of laws decides that. The table lets a reader of
text recognise a name that stands without title marks, and says which names an abbreviation means.

Judicial interpretations have short names by rule: 民间借贷司法解释 is the topic of a title,
关于审理民间借贷案件适用法律若干问题的规定, and a word for the kind of paper. Only topics that
custom shortens further (建工, 人损) are listed. A short name may be that of several papers: the day
tells which, or nobody does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Final

from hengfa.law.grammar.numerals import format_number
from hengfa.law.grammar.script import simplified

STATE: Final = "中华人民共和国"

MAX_NAME: Final = 200
"""Longer strings are no names: the longest titles have about a hundred characters."""

_WIDTHS: Final = str.maketrans(
    "０１２３４５６７８９()﹙﹚[]［］【】.,", "0123456789（）（）〔〕〔〕〔〕．，"
)
# "《", "〈", "＜", " ", "\u200b"; not "（"
_MARKS_AND_BLANKS: Final = re.compile(r"[《》〈〉＜＞<>«»「」『』“”\"\s　\u200b\ufeff]++")

_YEAR: Final = r"(?:[0-9]{4}|[一二][零〇○一二三四五六七八九]{3})"
_EVENT: Final = "修正|修订|修改|订正|通过|施行|实施|试行|颁布|公布|发布|制定|生效|废止"
# What a bracket says of a version or a number: "（2018修正）", "〔2012年8月31日修正版〕",
# "（法释〔2015〕24号）", "（修订）"; not "（二）", "（试行）", "（草案）"
_VERSION_BRACKET: Final = re.compile(
    rf"（(?:{_YEAR}年?(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?[^（）]{{0,24}}+"
    rf"|[^（）]{{0,12}}[〔（]{_YEAR}[〕）][^（）]{{0,12}}号|(?:{_EVENT})(?<!试行)(?:版|本|稿)?|现行有效|节选)）"
    rf"|〔{_YEAR}年?[^〔〕]{{0,16}}+〕"
)
# "2018年修正", "1997年" at the end of a name; not "2018" in 2018年度预算
_VERSION_SUFFIX: Final = re.compile(rf"{_YEAR}年?(?:{_EVENT})?(?:版|本|文本)?\Z")
# "2017年" in 2017年民事诉讼法, "2014年修正的"; not in 2018年世界杯条例, which stays as it is
_VERSION_PREFIX: Final = re.compile(
    rf"\A{_YEAR}年(?:[0-9]{{1,2}}月)?(?:[0-9]{{1,2}}日)?(?:{_EVENT})?(?:后?的)?(?=.{{0,60}}(?:法典?|解释|通则|总则)\Z)"
)
# The number of an interpretation or amendment: "三" in 公司法解释三, "之二", "（2）", "11" in
# 刑法修正案11; not "（三）", not in 规定三日
_COUNT: Final = re.compile(
    r"(?<=解释|规定|正案)(?:（(?P<digits>[1-9][0-9]?)）|之?(?P<count>[一二三四五六七八九十]{1,3}|[1-9][0-9]?))\Z"
)
CODE_PARTS: Final = ("物权编", "合同编", "人格权编", "婚姻家庭编", "继承编", "侵权责任编")
"""Parts of the Civil Code that no other law has; each may stand for it."""
# "民法典·合同编", "民法典（人格权编）"; not "民法典合同编通则解释"
_CODE_PART: Final = re.compile(
    rf"\A民法典[·•・．—–-]*（?(?:第[一二三四五六七]编)?(?:总则编?|{'|'.join(CODE_PARTS)})(?:通则|分则)?）?\Z"
)


@lru_cache(maxsize=4096)
def normalise_name(text: str) -> str:
    """One spelling for the names of one law: 《中华人民共和国刑法（2020修正）》 is 刑法.

    Title marks, blanks, the words 中华人民共和国 and remarks on the version go, wherever they
    stand; brackets become full-width, digits half-width and characters simplified; 解释三 becomes
    解释（三）, and a part of the Civil Code the code. What tells laws apart stays: （二）,
    （试行）, 实施细则, the court that issued an interpretation. Abbreviations are not resolved.
    Normalising twice changes nothing; a name of nothing but such ornaments is left as it is.
    """
    bare = simplified(_MARKS_AND_BLANKS.sub("", text)).translate(_WIDTHS)
    if len(bare) > MAX_NAME:
        return bare
    while True:
        shorter = bare.replace(STATE, "")
        shorter = _VERSION_BRACKET.sub("", shorter)
        shorter = _VERSION_SUFFIX.sub("", shorter)
        shorter = _VERSION_PREFIX.sub("", shorter)
        shorter = _CODE_PART.sub("民法典", _COUNT.sub(_in_brackets, shorter))
        if shorter == bare or not shorter:
            return bare
        bare = shorter


def _in_brackets(match: re.Match[str]) -> str:
    count = match["digits"] or match["count"]
    return f"（{format_number(int(count)) if count.isascii() else count}）"


def table(name: str) -> list[list[str]]:
    """The lines of a table beside this module; all names as `normalise_name` writes them."""
    lines = Path(__file__).with_name(name).read_text("utf-8").splitlines()
    return [line.split("\t") for line in lines]


# Laws that are cited without title marks, by the name that they bear. Without this table a name is
# still found by its form (…法, …条例); with it, its first character is certain.
_STATUTES: Final = frozenset(name for (name,) in table("statute_names.txt"))
_SHORT: Final = {short: tuple(meant) for short, *meant in table("short_names.tsv")}
_PLAIN: Final = {short: meant[0] for short, meant in _SHORT.items() if len(meant) == 1}
"""Short names with one meaning."""

abbreviations: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    _SHORT | dict.fromkeys(CODE_PARTS, ("民法典",))
)
"""What a customary short name means, all as :func:`normalise_name` writes them.

Several names mean that the abbreviation is ambiguous: ask, or let the date of the case decide.
"""

CUSTOMARY: Final = _STATUTES | _PLAIN.keys()
"""Normalised names that are recognised without title marks: 刑法, 民诉法, 九民纪要.

Ambiguous ones are not among them: 处罚法 may be the end of a name that the table does not hold.
"""

ABBREVIATED: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        full: tuple(short for short, meant in _PLAIN.items() if meant == full)
        for full in _STATUTES & frozenset(_PLAIN.values())
    }
)
"""The customary short names of a statute."""

ENGLISH: Final[Mapping[str, str]] = MappingProxyType(
    {title: name for name, *titles in table("english_names.tsv") for title in titles}
)
"""Laws by their English titles, in small letters, without the words that say whose they are."""

# "最高人民法院、最高人民检察院", "两高" before the title of an interpretation; not "最高法院组织法"
_COURTS: Final = re.compile(
    r"\A(?:最高人民法院|最高人民检察院|最高法院|最高院|最高法|最高检|两高|公安部|国家安全部|司法部|[、，和]){1,9}"
    r"(?=关于|.{2,40}(?:解释|规定)(?:（[一二三四五六七八九十]{1,3}）)?\Z)"
)


def without_courts(name: str) -> str:
    """The title of an interpretation as it is cited: without those who issued it."""
    return _COURTS.sub("", name)


# "关于审理民间借贷案件适用法律若干问题的规定（二）": its topic, its kind and its number; not
# "关于适用某法若干问题的解释的补充规定"
_TITLE: Final = re.compile(
    r"(?:关于)?(?:人民法院|在民事审判工作中)?(?:审理|办理|处理|审查|适用)?(?:涉及)?(?P<topic>[^（）]{2,60}?(?:（[^（）]{1,4}）[^（）]{1,40}?)?)"
    r"(?:(?:如何|具体)?(?:适用|应用)法律|法律适用)?(?:的?(?:若干|有关|几个|相关|法律){0,3}问题)?的?(?:若干)?"
    r"(?<!补充)(?P<kind>司法解释|解释|规定)(?P<number>（[一二三四五六七八九十]{1,3}）)?"
)
# What ends a topic and may be left out, in this order: "案件", "等刑事", "纠纷", "责任"; not "合同"
_ENDINGS: Final = (
    re.compile(r"的?案件\Z"),
    re.compile(r"等?(?:民事|刑事|行政|的|相关)\Z"),
    re.compile(r"纠纷\Z"),
    re.compile(r"(?:民事|的|等)\Z"),
    re.compile(r"(?<=.{4})(?:责任|合同)\Z"),
)
# What begins one: "民法典" before 婚姻家庭编, "侵犯" before 商业秘密, "民事执行中"; not "公司法"
_BEGINNINGS: Final = re.compile(r"\A(?:民法典(?:有关)?|侵犯|侵害|民事执行中)(?=.{3})")
_BRANCHES: Final = ("刑事案件", "民事", "行政")
# "刑事" in 盗窃刑事案件, which is also 盗窃案件; not in 刑事赔偿案件
_UNBRANCHED: Final = re.compile(r"(?<=..)(?:民事|刑事|行政)(?=(?:纠纷)?案件\Z)")

# Topics as custom shortens them further.
_TOPICS: Final = {topic: shorter for topic, *shorter in table("interpretation_topics.tsv")}


def short_names(titles: Iterable[str]) -> set[tuple[str, str]]:
    """(short name, title) for each of some titles that is one of an interpretation.

    The first of several on one topic is （一） even where its title does not count: nobody knew
    that there would be more. A number may be left out, so that 公司法解释 is a name of five.
    食品安全解释 is a name of one on civil and of one on criminal cases.
    """
    names: set[tuple[str, str]] = set()
    matches = {title: match for title in titles if (match := _title_of(title))}
    counted = {(match["topic"], match["number"]) for match in matches.values()}
    topic_of = {title: match["topic"] for title, match in matches.items()}
    for title, match in matches.items():
        kinds = {"解释", "司法解释", match["kind"]}
        numbers = {"", match["number"] or ""}
        if not match["number"] and (match["topic"], "（二）") in counted:
            numbers.add("（一）")
        for topic in _topics(match["topic"]):
            endings = {f"{kind}{number}" for kind in kinds for number in numbers}
            if topic.endswith("法"):
                endings.discard("规定")  # 公司法规定第三条 is of the law
            bearers, branch = [title], _branch(match["topic"])
            if branch and not _branch(topic):  # which can now mean those of other branches as well
                others = ((name, of) for name, of in topic_of.items() if topic in of)
                bearers += [name for name, of in others if _branch(of) not in {"", branch}]
            names.update((f"{topic}{ending}", bearer) for ending in endings for bearer in bearers)
    return names


def _title_of(title: str) -> re.Match[str] | None:
    name = without_courts(normalise_name(title))
    return _TITLE.fullmatch(name) if len(name) <= MAX_NAME else None


def _branch(topic: str) -> str:
    return next((branch for branch in _BRANCHES if branch in topic), "")


def shortest_name(name: str) -> str | None:
    """A title or half a title as the shortest of :func:`short_names` by rule; None for no such.

    两高关于办理盗窃案件的解释 comes to 盗窃解释, as the full title does.
    """
    match = _title_of(name)
    if match is None:
        return None
    *_, topic = _shorter_topics(match["topic"])
    return f"{topic}解释{match['number'] or ''}"


def _topics(topic: str) -> list[str]:
    topics = [*_shorter_topics(topic), _UNBRANCHED.sub("", topic)]
    topics += [short for known in topics for short in _TOPICS.get(known, ())]
    for full, shorts in ABBREVIATED.items():
        if topic.startswith(full):
            topics += [short + topic[len(full) :] for short in shorts]
    topics += [known.replace("、", "") for known in topics]
    if _branch(topic) == "刑事案件":
        topics += [f"{known}罪" for known in topics if not known.endswith(("罪", "案件", "刑事"))]
    return [known for known in dict.fromkeys(topics) if len(known) > 1]


def _shorter_topics(topic: str) -> Iterator[str]:
    """The topic without more and more of what it can do without."""
    yield topic
    for ending in _ENDINGS:
        shorter = ending.sub("", topic)
        if shorter != topic and len(shorter) > 1:
            topic = shorter
            yield topic
    if (shorter := _BEGINNINGS.sub("", topic, count=1)) != topic:
        yield shorter


# "法释〔2013〕8号", "高检发释字[2012]2号", "法(办)发〔1988〕6号"; not "(2019)京01民终1号"
_NUMBER: Final = re.compile(
    r"(?P<code>[一-鿿]{1,6}(?:\([一-鿿]\)[一-鿿]{0,3})?)[〔\[【(](?P<year>[12][0-9]{3})[〕\]】)]"
    r"第?(?P<number>[0-9]{1,5})号"
)


def document_number(text: str) -> tuple[str, int] | None:
    """A document number in one spelling, and its year; None for anything else."""
    plain = unicodedata.normalize("NFKC", simplified("".join(text.split())))
    match = _NUMBER.fullmatch(plain)
    if match is None:
        return None
    return f"{match['code']}〔{match['year']}〕{int(match['number'])}号", int(match["year"])
