"""What judicial interpretations are called: short names derived from titles, document numbers.

关于审理民间借贷案件适用法律若干问题的规定 is cited as 民间借贷司法解释, and 公司法解释三 is
关于适用〈公司法〉若干问题的规定（三）. Both are the topic of the title and a word for the kind of
paper, so short names follow from titles by rule; only topics that custom shortens further (建工,
人损) are listed. A short name may be that of several papers: the day tells which, or nobody does.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from hengfa.law.grammar.law_names import (
    ABBREVIATED,
    MAX_NAME,
    normalise_name,
    table,
    without_courts,
)
from hengfa.law.grammar.script import simplified

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
    matches = {title: match for title in titles if (match := _read(title))}
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
            bearers = [title, *_of_other_branches(topic, match["topic"], topic_of)]
            names.update((f"{topic}{ending}", bearer) for ending in endings for bearer in bearers)
    return names


def _of_other_branches(short: str, topic: str, topic_of: Mapping[str, str]) -> Iterator[str]:
    """Titles that a topic which has lost its branch of law can mean as well."""
    branch = _branch(topic)
    if branch and not _branch(short):
        for title, other in topic_of.items():
            if short in other and _branch(other) not in {"", branch}:
                yield title


def _read(title: str) -> re.Match[str] | None:
    name = without_courts(normalise_name(title))
    return _TITLE.fullmatch(name) if len(name) <= MAX_NAME else None


def _branch(topic: str) -> str:
    """The branch of law that a topic names."""
    return next((branch for branch in _BRANCHES if branch in topic), "")


def shortest_name(name: str) -> str | None:
    """A title or half a title as the shortest of :func:`short_names` by rule; None for no such.

    两高关于办理盗窃案件的解释 comes to 盗窃解释, as the full title does.
    """
    match = _read(name)
    if match is None:
        return None
    *_, topic = _stripped(match["topic"])
    return f"{topic}解释{match['number'] or ''}"


def _topics(topic: str) -> list[str]:
    """A topic, and all that it is shortened to."""
    topics = [*_stripped(topic), _UNBRANCHED.sub("", topic)]
    topics += [short for known in topics for short in _TOPICS.get(known, ())]
    for full, shorts in ABBREVIATED.items():
        if topic.startswith(full):
            topics += [short + topic[len(full) :] for short in shorts]
    topics += [known.replace("、", "") for known in topics]
    if _branch(topic) == "刑事案件":
        topics += [f"{known}罪" for known in topics if not known.endswith(("罪", "案件", "刑事"))]
    return [known for known in dict.fromkeys(topics) if len(known) > 1]


def _stripped(topic: str) -> Iterator[str]:
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
