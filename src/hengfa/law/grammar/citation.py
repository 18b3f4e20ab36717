"""How Chinese law is cited in running text: find the citations, and say what each one points at.

:func:`find_citations` reads 《刑法》第一百三十三条之一第一款第（二）项, 第52、53条,
第十条至第十二条, 刑法264, Article 563 of the PRC Civil Code, 同法第三条, 前款, short names that the
text defines, and the quotations that follow. It knows no law: whether a position exists is for a
collection of laws to say.

How the doubtful cases are read:

* 合同第三条, 《房屋租赁合同》第九条, 公司章程第十四条 are clauses of papers: kind "document" and no
  law, as is a bare 第七条约定. They are returned so that nobody takes them for missed.
* 第一条理由, 第二条街, 判决第一项, 第三人, 第2.4条 are no citations.
* 第一款、第三款 after 第七十二条 stays in that article; 第七十三条 after it begins a new one.
* 第一款、第二款第三项: the item belongs to the second paragraph alone.
* A bare 第五十四条规定 takes the law named last in its paragraph (basis "context"), not one that a
  quotation before it names, and none past the name of another law (民法典第577条……合同法……第585条).
  After a line break it takes none, unless both lines are items of one list or rows of one table.
* 解释三 after 公司法解释二 is the third of those on that law.
* In 附：《刑法》 第二十五条共同犯罪是指……。 第六十七条犯罪以后…… each number opens a copied
  provision; the law comes from the heading, and not from 刑法第二百六十四条 inside a provision.
* In a contract with clauses of its own a bare 第三条 is one of them, never law.
* In 第264条 盗窃罪 the article has a caption, which is no quotation.
* 第三条（原第二条） cites two positions of one law; the version of the second is "原".
* A position inside a title is part of the name, unless the title ends with it (《刑法第20条》).
* 第一百五条 is nothing (105 or 150), nor is 第一项 on its own: mostly it is a claim or a ruling.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from heapq import merge
from typing import Final

from hengfa.law.grammar.citation_content import (
    Marks,
    copied_end,
    find_caption,
    find_copied,
    find_paraphrase,
    find_pointed,
    find_quote,
    find_quote_before,
    is_listed,
    trim_copied,
)
from hengfa.law.grammar.citation_english import (
    EnglishGroup,
    english_name,
    find_english,
    mentioned_law,
)
from hengfa.law.grammar.citation_model import (
    Basis,
    Citation,
    Kind,
    Paraphrase,
    Position,
    Quote,
    VersionHint,
)
from hengfa.law.grammar.citation_names import (
    DEFINITION,
    ONE_OF_SEVERAL,
    OTHER_VERSION,
    PARTS,
    Name,
    Names,
    Pointed,
    counted_alone,
)
from hengfa.law.grammar.citation_positions import COUNTED, Element, Group, canonical, find_groups
from hengfa.law.grammar.law_names import normalise_name
from hengfa.law.grammar.numerals import parse_article

_COPYING_REACH: Final = 1_500
"""How far the number of one copied provision may be from the words of the one before."""


def find_citations(
    text: str, *, known_names: Callable[[str], bool] | None = None
) -> list[Citation]:
    """The citations of a text from left to right, one for each position or range.

    ``known_names`` is asked whether a name, as
    :func:`hengfa.law.grammar.law_names.normalise_name` writes it, is that of a law; it helps to
    tell where a name without title marks begins. No string makes this raise.
    """
    return _Reader(text, known_names).read()


@dataclass(slots=True)
class _Copied:
    """A provision being copied out: its citations, and where its words begin and end at most."""

    law: _Law
    first: int
    last: int
    start: int
    end: int
    captioned: bool  # its words are only what it is called


class _Reader:
    def __init__(self, text: str, known: Callable[[str], bool] | None) -> None:
        self.s = canonical(text)
        self.names = Names(text, self.s, known)
        self.marks = Marks(self.s)
        self.citations: list[Citation] = []
        self.frames = [_Frame(len(text))]
        self.copied: _Copied | None = None
        self.clauses = _own_clauses(self.s)
        self.definitions = deque(DEFINITION.finditer(self.s))
        self.titles = deque(_outermost(self.names.titles))
        self.read_to = 0  # the end of the last group
        self.quoted_to = 0  # the end of the last quotation
        self.same_line = True  # as the law named last

    def read(self) -> list[Citation]:
        for cited in merge(
            find_groups(self.s), find_english(self.s), key=lambda group: group.start
        ):
            self._advance(cited.start)
            if isinstance(cited, EnglishGroup):
                self._read_english(cited)
            elif (  # not inside a title, unless the title ends with the position
                not self.titles
                or cited.start < self.titles[0][0]
                or cited.end == self.titles[0][1] - 1
            ):
                self._read_group(cited)
            self.read_to = cited.end
        self._end_copied(len(self.s))
        return self.citations

    def _advance(self, place: int) -> None:
        """Take note of what stands before ``place``: definitions, titles, line breaks, frames."""
        while self.definitions and self.definitions[0].start() < place:
            definition = self.definitions.popleft()
            short = definition["title"] or definition["words"] or definition["plain"]
            self.names.define(_defined_at(self.s, definition.start()), short)
        if self.s.find("\n", self.read_to, place) >= 0:
            self.same_line = False
        while self.titles and self.titles[0][1] <= place:
            start, end = self.titles.popleft()
            self._leave_frames(start)
            name = self.names.title(end)
            if name and name.kind == "law":
                counted = counted_alone(name.law)
                law = _counted_law(counted, self.frames) if counted else _named_law(name).law
                self.frames[-1].mention(law or _NOTHING, end)
                self.same_line = self.s.find("\n", end, place) < 0
            elif name:
                self.frames[-1].paper = end
        self._leave_frames(place)

    def _leave_frames(self, place: int) -> None:
        while len(self.frames) > 1 and self.frames[-1].end <= place:
            over = self.frames.pop()
            self.frames[-1].place = max(self.frames[-1].place, over.end)

    def _read_group(self, cited: Group) -> None:
        counted = cited.anaphoric or cited.elements[0].relative is not None
        # not in 根据《合同法》，第三条约定的违约金过高
        agreed = self.s[cited.start - 1 : cited.start] == "," and _AGREED.match(self.s, cited.end)
        named = None if counted or agreed else self.names.before(cited.start)
        if named is None and self.s[cited.start] == "§":
            name = english_name(self.s, cited.start, cited.end)
            if name:  # Civil Code § 563, § 823 BGB
                self._read_english(EnglishGroup(cited.elements, cited.start, cited.end, name=name))
                return
        if cited.loose and not self._follows(named, cited):
            return
        start = cited.start
        if named:  # a name may hold a citation: 关于刑法第三条的解释第二条
            start = max(named.start, self.citations[-1].end if self.citations else 0)
        copied = None
        own = named is None and not counted and self._is_own_clause(cited)
        if not counted and not own and not isinstance(named, Pointed):
            copied = self._copied_at(cited, named, start)
        if own:
            attributed: _Attribution | None = _Attribution(_A_PAPER, "none")
        else:
            attributed = self._attribute(cited, named, start, copied=copied is not None)
        in_paper = attributed and attributed.law.kind == "document" and cited.level != "article"
        spoken = cited.loose and named is None
        if attributed is None or in_paper or (spoken and attributed.law == _NOTHING):
            return
        if copied is not None:
            self._end_copied(start)
        caption = find_caption(self.s, cited.end)
        captioned = caption is not None and caption.alone
        quote, paraphrase = None, None
        if copied is None and not captioned:
            quote, paraphrase = self._words(cited, attributed.law, start)
        first, frame = len(self.citations), self.frames[-1]
        self._emit(cited, attributed, start, quote, paraphrase)
        frame.remember(self.s, attributed.remembered or attributed.law, cited.elements[-1])
        self.same_line = self.same_line or attributed.law != _NOTHING
        if copied is not None:
            end = caption.end if caption and captioned else copied_end(self.s, copied, frame.end)
            last = len(self.citations)
            self.copied = _Copied(attributed.law, first, last, copied, end, captioned)
            self.frames.append(_Frame(end, len(self.citations) - 1, attributed.law, copied=True))
        elif quote:
            frame.stating = None  # it ends with the quotation
            self._claim(quote, first, attributed.law)

    def _words(self, cited: Group, law: _Law, start: int) -> tuple[Quote | None, Paraphrase | None]:
        """What is quoted or told of a citation: before it, right after it, or after 该条."""
        s, outermost = self.s, len(self.frames) == 1
        quote, pointed = None, find_pointed(s, cited.end) if outermost else None
        if outermost and (before := find_quote_before(s, start, cited.end, self.marks)):
            quote = before if before.start >= self.quoted_to else None
        if quote is None and cited.elements[0].relative is None and len(self.frames) <= _DEEPEST:
            quote = find_quote(s, cited.end, self.marks)
            if quote is None and pointed:
                quote = find_quote(s, pointed[1], self.marks)
        own_words = quote is None or quote.mark == "colon"
        if not own_words or law.kind == "document" or self.frames[-1].owner is not None:
            return quote, None
        paraphrase = find_paraphrase(s, start, cited.end)
        return quote, paraphrase or (find_paraphrase(s, *pointed) if pointed else None)

    def _claim(self, quote: Quote, first: int, law: _Law) -> None:
        """What is cited in quoted words, before the citation or after it, the law itself cites."""
        self.quoted_to = max(self.quoted_to, quote.end)
        if quote.start >= self.citations[first].start:
            self.frames.append(_Frame(quote.end, len(self.citations) - 1, law))
            return
        for index in range(first - 1, -1, -1):
            if self.citations[index].start < quote.start:
                break
            self.citations[index] = replace(self.citations[index], paraphrase=None, within=first)

    def _attribute(
        self, cited: Group, named: Name | Pointed | None, start: int, *, copied: bool
    ) -> _Attribution | None:
        """The law of a group, or None where it is no citation."""
        if isinstance(named, Name):
            return _note_repeal(self.s, cited, _named_law(named))
        if named:
            return _pointed_law(self.s, named, self.frames)
        if copied and self.copied and self._is_copying(start):
            law = self.copied.law  # a bare 第四款 is of the article before
            before = self.citations[self.copied.last - 1].position
            under = None if cited.level == "article" else before
            return _Attribution(law, "context" if law.law else "none", under=under)
        if copied:
            return _Attribution(_NOTHING, "none")
        return _unnamed_law(self.names, cited, self.frames, same_line=self.same_line)

    def _read_english(self, cited: EnglishGroup) -> None:
        """Only which position is meant: words in English are not those of the provision."""
        title = _TITLE_BEFORE.search(self.s, max(0, cited.start - 4), cited.start)
        name = cited.name or (self.names.title(title.start() + 1) if title else None)
        frame = self.frames[-1]
        if name:
            attributed = _named_law(name)
        elif self.same_line and frame.laws and cited.start - frame.place <= _REACH:
            attributed = _Attribution(frame.laws[-1], "context")
        elif mentioned := mentioned_law(self.s, cited.start):
            attributed = _Attribution(_Law(mentioned, "law"), "context")
        else:
            return
        start = cited.start
        if name:
            reached = self.citations[-1].end if self.citations else 0
            start = name.start if reached <= name.start < start else start
            cited.elements[-1].end = max(cited.end, name.end)
        self._emit(cited, attributed, start)
        frame.remember(self.s, attributed.law, cited.elements[-1])
        self.same_line = True

    def _follows(self, named: Name | Pointed | None, cited: Group) -> bool:
        """Whether a number that lacks 第 stands right after a law; without 条, a known one.

        Or it is spoken of as an article after others of its law: 民法典1091条……，1077条规定……
        """
        if named is None and not cited.alone and self.same_line and self.frames[-1].laws:
            return (cited.elements[0].position.article or 0) >= _NO_COUNT
        if named is None or self.s[named.end : cited.start] not in {"", " "}:
            return False
        return not cited.alone or (isinstance(named, Name) and self.names.knows(named))

    def _emit(
        self,
        cited: Group,
        attributed: _Attribution,
        start: int,
        quote: Quote | None = None,
        paraphrase: Paraphrase | None = None,
    ) -> None:
        law, within = attributed.law, self.frames[-1].owner
        for element in cited.elements:
            caption = find_caption(self.s, element.end)
            enclosed = caption is not None and self.s[caption.start - 1] in "（(【[［"
            if len(cited.elements) > 1 and not enclosed:
                caption = None  # in a list only brackets tell which of them is meant
            position, until = element.position, element.until
            if attributed.under and position.article is None:
                position = position.inside(attributed.under)
                until = until and until.inside(attributed.under)
            leads = element is cited.elements[0]
            carried = not leads and law.law is not None and attributed.basis != "relative"
            self.citations.append(
                Citation(
                    law.law,
                    position,
                    start if leads else element.start,
                    element.end,
                    "carried" if carried else attributed.basis,
                    law.kind,
                    until,
                    element.relative,
                    attributed.name if leads else None,
                    law.version,
                    quote,
                    paraphrase,
                    within,
                    caption,
                    isinstance(cited, EnglishGroup),
                )
            )

    def _is_own_clause(self, cited: Group) -> bool:
        """Whether a number without a law is that of a clause of the contract that this is."""
        if cited.elements[0].position.article not in self.clauses:
            return False
        copying = self.copied and self.copied.law.law and self._is_copying(cited.start)
        return self.frames[-1].own is None and not copying

    def _is_copying(self, place: int) -> bool:
        return self.copied is not None and place - self.copied.end <= _COPYING_REACH

    def _copied_at(self, cited: Group, named: Name | None, start: int) -> int | None:
        """Where the words of a provision begin that is copied out under this number, or None."""
        between = self.s[named.end : cited.start] if named else ""
        alone = between.strip(" \n：:") != between
        listed = is_listed(self.s, start, cited.end, title_alone=alone)
        copying = self._is_copying(start)
        if cited.level != "article" and not (copying and listed and named is None):
            return None
        if not listed or (
            named is None and not copying and (listed == "sentence" or _is_counted(self.s, cited))
        ):
            return None
        strong = copying or listed == "announced" or (named is None and listed == "line")
        return find_copied(self.s, cited.end, strong=strong)

    def _end_copied(self, limit: int) -> None:
        """The provision copied out before this place is over: give its words to its citations."""
        copied = self.copied
        if copied is None:
            return
        while self.frames[-1].copied or (self.frames[-1].end <= limit and len(self.frames) > 1):
            self.frames.pop()
        end = trim_copied(self.s, copied.start, min(limit, copied.end))
        copied.end = min(limit, copied.end)
        if end > copied.start and not copied.captioned:
            quote = Quote(copied.start, end, "heading")
            self.quoted_to = max(self.quoted_to, end)
            for index in range(copied.first, copied.last):
                self.citations[index] = replace(self.citations[index], quoted=quote)


# "》) " between a Chinese title and an English number
_TITLE_BEFORE: Final = re.compile(r"》[)）]? ?\Z")
# Words of a paper that has clauses of its own: "甲方", "本合同"; not "合同法"
_OWN_PAPER: Final = re.compile("甲方|乙方|本合同|本协议|本章程|本规约|本公约")
# "第一条 ", "## 第二条：" at the start of a line; not "依照第一条"
_CLAUSE: Final = re.compile(
    r"^[ #*>]{0,6}+第 ?([0-9零一二三四五六七八九十百]{1,7}) ?条(?=[ ：:【*\n])", re.MULTILINE
)


def _own_clauses(s: str) -> range:
    """The numbers of the clauses of a contract that the text itself is, from 1 without a gap."""
    if not _OWN_PAPER.search(s):
        return range(0)
    numbers = {number.number for n in _CLAUSE.findall(s) if (number := parse_article(n))}
    last = 1
    while last in numbers:
        last += 1
    return range(1, last) if last > 2 else range(0)


def _defined_at(s: str, place: int) -> int:
    """The end of the name that （以下简称… gives a short form of."""
    window = s[max(0, place - 60) : place]
    bracket = max(window.rfind("（"), window.rfind("("))
    if bracket >= 0 and max(window.rfind("）"), window.rfind(")")) < bracket:
        return place - len(window) + bracket
    return place - (len(window) - len(window.rstrip(", ")))


def _outermost(titles: dict[int, int]) -> Iterator[tuple[int, int]]:
    reached = 0
    for start, end in sorted((start, end) for end, start in titles.items()):
        if start >= reached:
            reached = end
            yield start, end


# Which law a position means. A text is read in frames: the whole, and inside it each quotation of
# a provision. A quotation has a law of its own, which is what 本法 and a bare 第三条 in it mean;
# what is named inside it does not count once it is over.

_REACH: Final = 800
"""How many characters a law named once is carried on to a bare 第五十四条."""

_CLAUSES: Final = 100
"""So many clauses a contract may have: after 《采购合同》 a bare 第十二条 can be one of them."""

_REMEMBERED: Final = 20
_NESTED: Final = 4  # quotations within quotations that 该法 looks through
_DEEPEST: Final = 4
"""A citation inside so many quotations introduces none itself, so that no word is quoted by every
citation before it."""

_COUNTED: Final = re.compile(COUNTED)
# What follows a bare 第一款 that is a paragraph of a law: "规定", "的规定"; not "产品"
_PARAGRAPH_GOES_ON: Final = re.compile(
    r"[的之]?规定|约定|所|行为|情形|中|罪|但书|提起|[,、。;；)）]"
)
# The same for a bare 第（一）项: "规定的", "所列"; not "诉讼请求", "；"
_ITEM_GOES_ON: Final = re.compile(r"[的之]?规定|所[列述规]|情形|行为|以外")
# Or before it: "属于第（六）项"; not "判决第（二）项"
_ITEM_MEANT: Final = re.compile(r"(?:属于|符合|适用|依照|根据|按照|依据|即|系)\Z")
# Before an item of a ruling or a claim: "判决", "诉讼请求"; not "前款"
_RULING: Final = re.compile(
    r"(?:判决|裁定|裁决|决定|主文|调解|请求|判项)书?(?:主文)?(?:中的|的|中)?\Z"
)
# Before a bare number of the law named last: "据", "和", and whatever is no Chinese character; not
# the end of a word that may be a name, "诉" in 民诉第六十七条
_NO_COUNT: Final = 100
"""So many reasons nobody counts: 1077条规定 is of an article, 3条理由 is not."""
_LEADS_ON: Final = frozenset(
    "据照按依循遵用反违触犯引合中里其了为非在的即见及和与或并而且至于以由从对将是指如除因同另外又还也仅只则有看读到列"
)
# "约定", "“违约责任”约定" after a bare number: a contract; not "规定"
_AGREED: Final = re.compile(
    r"(?:“[^“”\n]{1,30}”|\"[^\"\n]{1,30}\")?(?:特别|明确|还|中|的|之|所|项下的?)?约定"
)
# After a position whose provision is told: "规定，", "明确规定："; not "规定的"
_STATES: Final = re.compile(r"(?:明确|进一步|分别|还|则|也)?规定[了,:：“\"']")
# "。", a line break; not "，"
_SENTENCE: Final = re.compile(r"[。\n]")

# "（注：现行有效的法律为", "（已废止）" after a position; not "（现行有效）"
_NO_LONGER: Final = re.compile(
    r"[（(](?:注[:：])?(?:现行有效的法律[为是]|(?:现|已|现已|已经|已被)(?:废止|失效)|现为《)"
)
# Words for a law of any kind: "法律"; not "条例"
_ANY_LAW: Final = PARTS | {"法", "法律", "规范"}
_INTERPRETATIONS: Final = ("解释", "规定", "批复", "意见", "纪要")
# "（二）" at the end of a name; not in （试行）条例
_NUMBERED: Final = re.compile(r"（[^（）]*+）\Z")


@dataclass(frozen=True, slots=True)
class _Law:
    """A law as a text names it; None where nothing or only a paper is named."""

    law: str | None
    kind: Kind
    version: VersionHint | None = None


_NOTHING: Final = _Law(None, "unknown")
_A_PAPER: Final = _Law(None, "document")
_SOME_LAW: Final = _Law(None, "law")


@dataclass(frozen=True, slots=True)
class _Attribution:
    """The law of one group of positions, and the position that 该条 or 第二款 there builds on."""

    law: _Law
    basis: Basis
    name: tuple[int, int] | None = None
    under: Position | None = None
    remembered: _Law | None = None  # what the words after it build on, if not this law


@dataclass(slots=True)
class _Frame:
    """A stretch of text up to ``end``: all of it, or the words of the citation ``owner``."""

    end: int
    owner: int | None = None
    own: _Law | None = None
    copied: bool = False
    laws: list[_Law] = field(default_factory=list)  # named here, the latest last
    stating: _Law | None = None  # the law of the last 《…》第三条规定，… without quotation marks
    stated: int = 0  # where it was
    position: Position | None = None  # cited here last
    place: int = 0  # where a law was named last, or where a quotation of it ended
    paper: int = 0  # where a paper was named last: 《采购合同》

    def mention(self, law: _Law, place: int) -> None:
        """A law named without a position: 该法 and what follows may mean it."""
        if law == _NOTHING:
            return
        if law not in self.laws[-1:]:
            self.laws = [*self.laws[-_REMEMBERED:], law]
            self.position = None
        self.place = max(self.place, place)

    def remember(self, s: str, law: _Law, element: Element) -> None:
        """A position of a law that was cited."""
        if _STATES.match(s, element.end):
            self.stating, self.stated = law, element.end
        self.mention(law, element.end)
        position = element.until or element.position
        if position.article is not None:
            self.position = position


def _named_law(named: Name) -> _Attribution:
    law = _Law(named.law, "law", named.version) if named.kind == "law" else _A_PAPER
    return _Attribution(law, "defined" if named.defined else "named", (named.start, named.end))


def _note_repeal(s: str, cited: Group, attributed: _Attribution) -> _Attribution:
    """A group after which the text says that the law is not in force any more."""
    said = _NO_LONGER.match(s, cited.end)
    law = attributed.law
    if not said or law.kind != "law" or law.version:
        return attributed
    former = replace(law, version=VersionHint(said[0], event="已废止"))
    return replace(attributed, law=former, remembered=law)


def _pointed_law(s: str, pointed: Pointed, frames: list[_Frame]) -> _Attribution:
    """The law that 同法, 该解释 or 本法 means; without one, the kind that the word tells."""
    span = (pointed.start, pointed.end)
    law: _Law | None = _SOME_LAW
    if pointed.kind == "document":
        law = _A_PAPER
    elif counted := counted_alone(pointed.word):
        law = _counted_law(counted, frames)
    elif pointed.pointer == "this":
        law = _this_law(s, pointed, frames)
    else:
        nearest = reversed(frames[-_NESTED:])
        earlier = [law for frame in nearest for law in reversed(frame.laws) if law.law]
        called = (law for law in earlier if _ends_in(law.law, pointed.word))
        law = next(called, earlier[0] if earlier and pointed.word in _ANY_LAW else None)
    return _Attribution(law or _SOME_LAW, pointed.pointer, span)


def _counted_law(number: str, frames: list[_Frame]) -> _Law | None:
    """解释（三） after 公司法解释（二）: another of the interpretations of one law."""
    named = (law.law for frame in reversed(frames[-_NESTED:]) for law in reversed(frame.laws))
    for name in map(normalise_name, filter(None, named)):
        if ONE_OF_SEVERAL.fullmatch(name):
            return _Law(f"{_NUMBERED.sub('', name)}（{number}）", "law")
    return None


def _this_law(s: str, pointed: Pointed, frames: list[_Frame]) -> _Law | None:
    """本法: the law whose words these are.

    In 《证券法》第一百条规定，违反本法第九十条的…… the words are told rather than quoted, which
    counts up to the end of the sentence. A law's own text names no law for 本法.
    """
    frame = frames[-1]
    law = frame.stating if frame.own is None and frame.stating in frame.laws[-1:] else None
    if law and _SENTENCE.search(s, frame.place, pointed.start):
        law = None
    if law and (pointed.word in _ANY_LAW or _ends_in(law.law, pointed.word)):
        return law
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


# "二、", "（二）", "2.", "- ", "| " at the head of a line
_ITEM: Final = re.compile(
    r"[ \t　]*(?:(?P<chinese>[（(]?[一二三四五六七八九十]{1,3}(?:[)）]、?|[、.．]))"
    r"|(?P<arabic>[（(]?[0-9]{1,2}(?:[)）]、?|[、.．]))|(?P<dash>[-*•·])|(?P<row>\|))"
    r"[ \t　]*(?:\*\*)?[ \t]*"
)
_BLANK_LINES: Final = 2


def _unnamed_law(
    names: Names, cited: Group, frames: list[_Frame], *, same_line: bool
) -> _Attribution | None:
    """The law of a group without a name, or None where it is no citation.

    A law is not carried past the name of another, 民法典第577条……合同法……，第585条, nor past a word
    that may be one, 民诉第67条: nobody knows.
    """
    s, frame = names.s, frames[-1]
    near = frame.own is None and cited.start - frame.place <= _REACH
    near = near and (same_line or _is_next_item(s, frame.place, cited.start))
    last = frame.laws[-1] if near and frame.laws else None
    if last and last.law and names.others(last.law, frame.place, cited.start):
        last = None
    before = s[cited.start - 1 : cited.start]
    if cited.level == "article" and "一" <= before <= "鿿" and before not in _LEADS_ON:
        last = None
    if cited.anaphoric:  # 该条第二款, 同款第三项: in the article cited last
        frame = frame if frame.position else frames[0]
        law = frame.laws[-1] if frame.laws else _NOTHING
        return _Attribution(law, "that", under=frame.position) if frame.position else None
    if cited.elements[0].relative:
        return _Attribution(frame.own or _NOTHING, "relative")
    if cited.level != "article":
        return _unnamed_part(s, cited, frame, last)
    return None if _is_counted(s, cited) else _unnamed_article(s, cited, frame, last)


def _is_next_item(s: str, place: int, start: int) -> bool:
    """Whether a citation opens the item of a list, or the row of a table, after one with a law.

    一、《公司法》第五十四条…… and on the next line 二、第二十三条……; a heading tells nothing.
    """
    line = s.rfind("\n", 0, start) + 1
    before = s.rfind("\n", 0, min(place, line - 1)) + 1
    marks = [_ITEM.match(s, at) for at in (before, line)]
    if None in marks or s.count("\n", place, start) > _BLANK_LINES:
        return False
    one, two = (mark.lastgroup for mark in marks if mark)
    return one == two and marks[1] is not None and marks[1].end() == start


def _is_counted(s: str, cited: Group) -> bool:
    """第一条理由, 第二条街: no article, but things counted with the same word."""
    return _COUNTED.match(s, cited.end) is not None


def _unnamed_article(s: str, cited: Group, frame: _Frame, last: _Law | None) -> _Attribution:
    """A bare 第五十四条: of the quoted law, of the one named last, or of a contract."""
    before = s[max(0, cited.start - 6) : cited.start]
    if frame.laws and OTHER_VERSION.search(before):
        law = frame.laws[-1]
        word = "现" if "现" in before or "后" in before else "原"
        other = _Law(law.law, law.kind, VersionHint(word, event=word))
        return _Attribution(other, "carried", remembered=law)
    if frame.own is not None:
        return _Attribution(frame.own, "context" if frame.own.law else "none")
    if _AGREED.match(s, cited.end) and (last is None or last.kind != "document"):
        return _Attribution(_A_PAPER, "none")
    if last and frame.stating not in {None, last} and _STATES.match(s, cited.end):
        # not a law that the provision stated before only refers to; a sentence later, who knows
        last = None if _SENTENCE.search(s, frame.stated, frame.place) else frame.stating
    clause = frame.paper > frame.place and (cited.elements[0].position.article or 0) <= _CLAUSES
    return _Attribution(last, "context") if last and not clause else _Attribution(_NOTHING, "none")


def _unnamed_part(s: str, cited: Group, frame: _Frame, last: _Law | None) -> _Attribution | None:
    """A bare 第二款 or 第（三）项: of the article cited last, or of the one that it stands in."""
    first = cited.elements[0]
    if cited.level == "paragraph":
        certain = len(cited.elements) > 1 or first.until is not None or first.position.item
        goes_on = certain or _PARAGRAPH_GOES_ON.match(s, cited.end)
    else:
        meant = _ITEM_MEANT.search(s[max(0, cited.start - 2) : cited.start])
        goes_on = _ITEM_GOES_ON.match(s, cited.end) or (frame.position and meant)
    if not goes_on or _RULING.search(s[max(0, cited.start - 12) : cited.start]):
        return None
    if last and frame.position and frame.position.article:
        return _Attribution(last, "context", under=frame.position)
    return _Attribution(frame.own or _NOTHING, "relative")
