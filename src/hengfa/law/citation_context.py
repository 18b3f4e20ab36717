"""Which law a position means that names none: the list it is in, the quotation, the words before.

A text is read in frames: the whole, and inside it each quotation of a provision. A quotation has a
law of its own, which is what 本法 and a bare 第三条 in it mean; what is named inside it does not
count once it is over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hengfa.law.citation_groups import Element, Group
from hengfa.law.citation_model import Basis, Kind, Position, VersionHint
from hengfa.law.citation_names import Name, Pointed
from hengfa.law.citation_words import OTHER_VERSION, PARTS
from hengfa.law.law_names import normalise_name

_REACH: Final = 800
"""How many characters a law named once is carried on to a bare 第五十四条."""

_REMEMBERED: Final = 20
_NESTED: Final = 4  # quotations within quotations that 该法 looks through

# Things that are counted with 条: "理由" in 第一条理由, "街", "辩护意见"; not "规定"
_COUNTED: Final = re.compile(
    r"(?:上诉|辩护|抗辩|答辩|起诉|诉讼|再审|申诉|代理)?(?:理由|意见|请求|主张|诉请)|建议|措施|原因"
    r"|证据|线索|信息|短信|微信|消息|记录|评论|朋友圈|新闻|街|路|线|巷|河|沟|船|鱼|狗|蛇|腿|裤|毛巾"
    r"|项链|香烟|烟|机动车道|车道|跑道|轨道|铁路"
)
# What follows a bare 第一款 that is a paragraph of a law: "规定", "的规定"; not "产品"
_PARAGRAPH_GOES_ON: Final = re.compile(
    r"[的之]?规定|约定|所|行为|情形|中|罪|但书|提起|[,、。;；)）]"
)
# The same for a bare 第（一）项: "规定的", "所列"; not "诉讼请求", "；"
_ITEM_GOES_ON: Final = re.compile(r"[的之]?规定|所[列述规]|情形|行为|以外")
# Before an item of a ruling or a claim: "判决", "诉讼请求"; not "前款"
_RULING: Final = re.compile(
    r"(?:判决|裁定|裁决|决定|主文|调解|请求|判项)书?(?:主文)?(?:中的|的|中)?\Z"
)
# "约定", "“违约责任”约定" after a bare number: a contract; not "规定"
_AGREED: Final = re.compile(r"(?:“[^“”\n]{1,30}”|\"[^\"\n]{1,30}\")?(?:特别|明确|还|中)?约定")
# After a position whose provision is told: "规定，", "明确规定："; not "规定的"
_STATES: Final = re.compile(r"(?:明确|进一步|分别|还|则|也)?规定[了,:：“\"']")
# "。", a line break; not "，"
_SENTENCE: Final = re.compile(r"[。\n]")

# Words for a law of any kind: "法律"; not "条例"
_ANY_LAW: Final = PARTS | {"法", "法律", "规范"}
_INTERPRETATIONS: Final = ("解释", "规定", "批复", "意见", "纪要")
# "（二）" at the end of a name; not in （试行）条例
_NUMBERED: Final = re.compile(r"（[^（）]*+）\Z")


@dataclass(frozen=True, slots=True)
class Law:
    """A law as a text names it; None where nothing or only a paper is named."""

    law: str | None
    kind: Kind
    version: VersionHint | None = None


NOTHING: Final = Law(None, "unknown")
A_PAPER: Final = Law(None, "document")
SOME_LAW: Final = Law(None, "law")


@dataclass(frozen=True, slots=True)
class Found:
    """The law of one group of positions, and the position that 该条 or 第二款 there builds on."""

    law: Law
    basis: Basis
    name: tuple[int, int] | None = None
    under: Position | None = None
    remembered: Law | None = None  # what the words after it build on, if not this law


@dataclass(slots=True)
class Frame:
    """A stretch of text up to ``end``: all of it, or the words of the citation ``owner``."""

    end: int
    owner: int | None = None
    own: Law | None = None
    copied: bool = False
    laws: list[Law] = field(default_factory=list)  # named here, the latest last
    stating: Law | None = None  # the law of the last 《…》第三条规定，…
    position: Position | None = None  # cited here last
    place: int = 0  # where a law was named last, or where a quotation of it ended

    def mention(self, law: Law, place: int) -> None:
        """A law named without a position: 该法 and what follows may mean it."""
        if law == NOTHING:
            return
        if law not in self.laws[-1:]:
            self.laws = [*self.laws[-_REMEMBERED:], law]
            self.position = None
        self.place = max(self.place, place)

    def remember(self, s: str, law: Law, element: Element) -> None:
        """A position of a law that was cited."""
        if _STATES.match(s, element.end):
            self.stating = law
        self.mention(law, element.end)
        position = element.until or element.position
        if position.article is not None:
            self.position = position


def named_law(named: Name) -> Found:
    """The law of a group that a name stands before."""
    law = Law(named.law, "law", named.version) if named.kind == "law" else A_PAPER
    return Found(law, "defined" if named.defined else "named", (named.start, named.end))


def pointed_law(s: str, pointed: Pointed, frames: list[Frame]) -> Found:
    """The law that 同法, 该解释 or 本法 means; without one, the kind that the word tells."""
    span = (pointed.start, pointed.end)
    law: Law | None = SOME_LAW
    if pointed.kind == "document":
        law = A_PAPER
    elif pointed.pointer == "this":
        law = _this_law(s, pointed, frames)
    else:
        nearest = reversed(frames[-_NESTED:])
        earlier = [law for frame in nearest for law in reversed(frame.laws) if law.law]
        called = (law for law in earlier if _ends_in(law.law, pointed.word))
        law = next(called, earlier[0] if earlier and pointed.word in _ANY_LAW else None)
    return Found(law or SOME_LAW, pointed.pointer, span)


def _this_law(s: str, pointed: Pointed, frames: list[Frame]) -> Law | None:
    """本法: the law whose words these are.

    In 《证券法》第一百条规定，违反本法第九十条的…… the words are told rather than quoted, which
    counts up to the end of the sentence. A law's own text names no law for 本法.
    """
    frame = frames[-1]
    told = frame.stating if frame.own is None and frame.stating in frame.laws[-1:] else None
    if told and _SENTENCE.search(s, frame.place, pointed.start):
        told = None
    if told and (pointed.word in _ANY_LAW or _ends_in(told.law, pointed.word)):
        return told
    return next((f.own for f in reversed(frames) if f.own and f.own.kind == "law"), None)


def _ends_in(law: str | None, word: str) -> bool:
    """Whether 该解释 can mean this law: its name ends so, or it is an interpretation by issuer."""
    if law is None:
        return False
    name = _NUMBERED.sub("", normalise_name(law))
    if word == "司法解释":
        return name.endswith(_INTERPRETATIONS)
    if word == "解释" and name.startswith("最高人民"):
        return name.endswith(("解释", "规定"))
    return name.endswith(("法", "法典") if word in _ANY_LAW else word)


def unnamed_law(s: str, one: Group, frames: list[Frame], *, same_line: bool) -> Found | None:
    """The law of a group without a name, or None where it is no citation."""
    frame = frames[-1]
    near = frame.own is None and same_line and one.start - frame.place <= _REACH
    last = frame.laws[-1] if near and frame.laws else None
    if one.anaphoric:
        return _anaphoric(frame if frame.position else frames[0])
    if one.elements[0].relative:
        return Found(frame.own or NOTHING, "relative")
    if one.level != "article":
        return _unnamed_part(s, one, frame, last)
    return None if is_counted(s, one) else _unnamed_article(s, one, frame, last)


def is_counted(s: str, one: Group) -> bool:
    """第一条理由, 第二条街: no article, but things counted with the same word."""
    return _COUNTED.match(s, one.end) is not None


def _anaphoric(frame: Frame) -> Found | None:
    """该条第二款, 同款第三项: in the article cited last."""
    if frame.position is None:
        return None
    return Found(frame.laws[-1] if frame.laws else NOTHING, "that", under=frame.position)


def _unnamed_article(s: str, one: Group, frame: Frame, last: Law | None) -> Found:
    """A bare 第五十四条: of the quoted law, of the one named last, or of a contract."""
    before = s[max(0, one.start - 6) : one.start]
    if frame.laws and OTHER_VERSION.search(before):
        law = frame.laws[-1]
        word = "现" if "现" in before or "后" in before else "原"
        other = Law(law.law, law.kind, VersionHint(word, event=word))
        return Found(other, "carried", remembered=law)
    if frame.own is not None:
        return Found(frame.own, "context" if frame.own.law else "none")
    if _AGREED.match(s, one.end) and (last is None or last.kind != "document"):
        return Found(A_PAPER, "none")
    if last and frame.stating and _STATES.match(s, one.end):
        last = frame.stating  # not a law that the provision stated before only refers to
    return Found(last, "context") if last else Found(NOTHING, "none")


def _unnamed_part(s: str, one: Group, frame: Frame, last: Law | None) -> Found | None:
    """A bare 第二款 or 第（三）项: of the article cited last, or of the one that it stands in."""
    first = one.elements[0]
    if one.level == "paragraph":
        certain = len(one.elements) > 1 or first.until is not None or first.position.item
        goes_on = certain or _PARAGRAPH_GOES_ON.match(s, one.end)
    else:
        goes_on = _ITEM_GOES_ON.match(s, one.end)
    if not goes_on or _RULING.search(s[max(0, one.start - 12) : one.start]):
        return None
    if last and frame.position and frame.position.article:
        return Found(last, "context", under=frame.position)
    return Found(frame.own or NOTHING, "relative")
