"""How Chinese law is cited in running text: find the citations, and say what each one points at.

:func:`find_citations` reads 《刑法》第一百三十三条之一第一款第（二）项, 第52、53条,
第十条至第十二条, 同法第三条, 前款, short names that the text defines, and the quotations that
follow. It knows no law: whether a position exists is for a collection of laws to say.

How the doubtful cases are read:

* 合同第三条, 《房屋租赁合同》第九条, 公司章程第十四条 are clauses of papers: kind "document" and no
  law, as is a bare 第七条约定. They are returned so that nobody takes them for missed.
* 第一条理由, 第二条街, 判决第一项, 第三人, 第2.4条 are no citations.
* 第一款、第三款 after 第七十二条 stays in that article; 第七十三条 after it begins a new one.
* 第一款、第二款第三项: the item belongs to the second paragraph alone.
* A bare 第五十四条规定 takes the law named last in its paragraph (basis "context"), not one that a
  quotation before it names. After a line break it takes none.
* In 附：《刑法》 第二十五条共同犯罪是指……。 第六十七条犯罪以后…… each number opens a copied
  provision; the law comes from the heading, and not from 刑法第二百六十四条 inside a provision.
* 第三条（原第二条） cites two positions of one law; the version of the second is "原".
* A position inside a title is part of the name, unless the title ends with it (《刑法第20条》).
* 第一百五条 is nothing (105 or 150), nor is 第一项 on its own: mostly it is a claim or a ruling.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from hengfa.law.citation_context import (
    NOTHING,
    Found,
    Frame,
    Law,
    is_counted,
    named_law,
    pointed_law,
    unnamed_law,
)
from hengfa.law.citation_groups import Group, group
from hengfa.law.citation_model import (
    Basis,
    Citation,
    Kind,
    Position,
    Quote,
    Relative,
    VersionHint,
    resolve_relative,
)
from hengfa.law.citation_names import Name, Names, Pointed
from hengfa.law.citation_position import CitationStyle, format_citation, parse_position
from hengfa.law.citation_quotes import (
    Marks,
    copied_end,
    find_copied,
    find_quote,
    is_listed,
    trim_copied,
)
from hengfa.law.citation_tokens import canonical, scan
from hengfa.law.citation_words import DEFINITION

__all__ = [
    "Basis",
    "Citation",
    "CitationStyle",
    "Kind",
    "Position",
    "Quote",
    "Relative",
    "VersionHint",
    "find_citations",
    "format_citation",
    "parse_position",
    "resolve_relative",
]

_COPYING_REACH: Final = 1_500
"""How far the number of one copied provision may be from the words of the one before."""


def find_citations(
    text: str, *, known_names: Callable[[str], bool] | None = None
) -> list[Citation]:
    """The citations of a text from left to right, one for each position or range.

    ``known_names`` is asked whether a name, as
    :func:`hengfa.law.law_names.normalise_name` writes it, is that of a law; it helps to tell
    where a name without title marks begins. No string makes this raise.
    """
    return _Reader(text, known_names).read()


@dataclass(slots=True)
class _Copied:
    """A provision being copied out: its citations, and where its words begin and end at most."""

    law: Law
    first: int
    last: int
    start: int
    end: int


class _Reader:
    """One pass over one text."""

    def __init__(self, text: str, known: Callable[[str], bool] | None) -> None:
        self.s = canonical(text)
        self.names = Names(text, self.s, known)
        self.marks = Marks(self.s)
        self.found: list[Citation] = []
        self.frames = [Frame(len(text))]
        self.copied: _Copied | None = None
        self.definitions = deque(DEFINITION.finditer(self.s))
        self.titles = deque(_outermost(self.names.titles))
        self.read_to = 0  # the end of the last group
        self.same_line = True  # as the law named last

    def read(self) -> list[Citation]:
        for one in group(self.s, scan(self.s)):
            self._advance(one.start)
            if self._is_citable(one):
                self._read_group(one)
            self.read_to = one.end
        self._end_copied(len(self.s))
        return self.found

    def _advance(self, place: int) -> None:
        """Take note of what stands before ``place``: definitions, titles, line breaks, frames."""
        while self.definitions and self.definitions[0].start() < place:
            found = self.definitions.popleft()
            short = found["title"] or found["words"] or found["plain"]
            self.names.define(_defined_at(self.s, found.start()), short)
        if self.s.find("\n", self.read_to, place) >= 0:
            self.same_line = False
        while self.titles and self.titles[0][1] <= place:
            start, end = self.titles.popleft()
            self._leave_frames(start)
            if (name := self.names.title(end)) and name.kind == "law":
                self.frames[-1].mention(named_law(name).law, end)
                self.same_line = self.s.find("\n", end, place) < 0
        self._leave_frames(place)

    def _leave_frames(self, place: int) -> None:
        while len(self.frames) > 1 and self.frames[-1].end <= place:
            over = self.frames.pop()
            self.frames[-1].place = max(self.frames[-1].place, over.end)

    def _is_citable(self, one: Group) -> bool:
        """Not inside a title, unless the title ends with the position."""
        if not self.titles or one.start < self.titles[0][0]:
            return True
        return one.end == self.titles[0][1] - 1

    def _read_group(self, one: Group) -> None:
        counted = one.anaphoric or one.elements[0].relative is not None
        named = None if counted else self.names.before(one.start)
        if one.loose and (named is None or named.end != one.start):
            return
        start = one.start
        if named:  # a name may hold a citation: 关于刑法第三条的解释第二条
            start = max(named.start, self.found[-1].end if self.found else 0)
        copied = None
        if not counted and not isinstance(named, Pointed):
            copied = self._copied_at(one, named, start)
        if isinstance(named, Name):
            found: Found | None = named_law(named)
        elif named:
            found = pointed_law(self.s, named, self.frames)
        elif copied is not None:
            found = self._copied_law(one, start)
        else:
            found = unnamed_law(self.s, one, self.frames, same_line=self.same_line)
        if found is None or (found.law.kind == "document" and one.level != "article"):
            return
        if copied is not None:
            self._end_copied(start)
        quote = None
        if copied is None and not counted:
            quote = find_quote(self.s, one.end, self.marks)
        first, frame = len(self.found), self.frames[-1]
        self._emit(one, found, start, quote)
        frame.remember(self.s, found.remembered or found.law, one.elements[-1])
        self.same_line = self.same_line or found.law != NOTHING
        if copied is not None:
            end = copied_end(self.s, copied, frame.end)
            self.copied = _Copied(found.law, first, len(self.found), copied, end)
            self.frames.append(Frame(end, len(self.found) - 1, found.law, copied=True))
        elif quote:
            self.frames.append(Frame(quote.end, len(self.found) - 1, found.law))

    def _emit(self, one: Group, found: Found, start: int, quote: Quote | None) -> None:
        law, within = found.law, self.frames[-1].owner
        for element in one.elements:
            position, until = element.position, element.until
            if found.under and position.article is None:
                position = _put_under(position, found.under)
                until = until and _put_under(until, found.under)
            leads = element is one.elements[0]
            carried = not leads and law.law is not None and found.basis != "relative"
            self.found.append(
                Citation(
                    law.law,
                    position,
                    start if leads else element.start,
                    element.end,
                    "carried" if carried else found.basis,
                    law.kind,
                    until,
                    element.relative,
                    found.name if leads else None,
                    law.version,
                    quote,
                    within,
                )
            )

    def _is_copying(self, place: int) -> bool:
        """Whether provisions are being copied out around here."""
        return self.copied is not None and place - self.copied.end <= _COPYING_REACH

    def _copied_law(self, one: Group, start: int) -> Found:
        """The law whose provisions are being copied out; a bare 第四款 is of the article before."""
        if self.copied is None or not self._is_copying(start):
            return Found(NOTHING, "none")
        law = self.copied.law
        under = None if one.level == "article" else self.found[self.copied.last - 1].position
        return Found(law, "context" if law.law else "none", under=under)

    def _copied_at(self, one: Group, named: Name | None, start: int) -> int | None:
        """Where the words of a provision begin that is copied out under this number, or None."""
        between = self.s[named.end : one.start] if named else ""
        alone = between.strip(" \n：:") != between
        listed = is_listed(self.s, start, one.end, title_alone=alone)
        copying = self._is_copying(start)
        if one.level != "article" and not (copying and listed and named is None):
            return None
        if not listed or (
            named is None and not copying and (listed == "sentence" or is_counted(self.s, one))
        ):
            return None
        strong = copying or listed == "announced" or (named is None and listed == "line")
        return find_copied(self.s, one.end, strong=strong)

    def _end_copied(self, limit: int) -> None:
        """The provision copied out before this place is over: give its words to its citations."""
        copied = self.copied
        if copied is None:
            return
        while self.frames[-1].copied or (self.frames[-1].end <= limit and len(self.frames) > 1):
            self.frames.pop()
        end = trim_copied(self.s, copied.start, min(limit, copied.end))
        copied.end = min(limit, copied.end)
        if end > copied.start:
            quote = Quote(copied.start, end, "heading")
            for index in range(copied.first, copied.last):
                self.found[index] = replace(self.found[index], quoted=quote)


def _put_under(position: Position, upper: Position) -> Position:
    """第二款 or 第（三）项 in the article that was cited last."""
    paragraph = upper.paragraph if position.paragraph is None else position.paragraph
    return Position(upper.article, upper.article_sub, paragraph, position.item)


def _defined_at(s: str, place: int) -> int:
    """The end of the name that （以下简称… gives a short form of."""
    window = s[max(0, place - 60) : place]
    bracket = max(window.rfind("（"), window.rfind("("))
    if bracket >= 0 and max(window.rfind("）"), window.rfind(")")) < bracket:
        return place - len(window) + bracket
    return place - (len(window) - len(window.rstrip(", ")))


def _outermost(titles: dict[int, int]) -> Iterator[tuple[int, int]]:
    """Titles that are not part of another, from left to right."""
    reached = 0
    for start, end in sorted((start, end) for end, start in titles.items()):
        if start >= reached:
            reached = end
            yield start, end
