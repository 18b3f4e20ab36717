"""What an amending act does: which articles it changes, and the words that it gives them.

An act says 将刑法第六十六条修改为：“……”, 在刑法第十七条后增加一条，作为第十七条之一：“……”. All that
stands outside the quoted new texts is instruction; every article named there counts as changed,
unless the instruction is one of those that are known to leave it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import msgspec

from hengfa.law.citation_model import Position
from hengfa.law.citation_positions import Element, Group, canonical, find_groups, parse_position
from hengfa.library.citing.passages import Passage, Piece, passage_of
from hengfa.library.model import Version

SURE: Final = frozenset({"exact", "stated"})

# "一、", "十二、" at the beginning of an instruction; not "（一）"
_SECTION: Final = re.compile(r"^(?=[一二三四五六七八九十]{1,4}、)", re.MULTILINE)
# Words of the new text: "“……”", and "“……" up to the end of a line where it goes on in the next
_NEW_TEXT: Final = re.compile(r"“[^“”\n]*(?:”|$)|^“.*$", re.MULTILINE)
# A line of it: "“单位犯前款罪的……"
_NEW_LINE: Final = re.compile(r"“(?P<words>[^\n]*?)”?$", re.MULTILINE)
# "第一百二十条之二" before the words of one of several new articles
_NEW_ARTICLE: Final = re.compile(r"第[一二三四五六七八九十百零〇]+条之[一二三四五六七八九十]+\s*")
# "（二）" before an item
_ITEM: Final = re.compile(r"[（(](?P<number>[一二三四五六七八九十]{1,3})[)）]")
# "后增加一条" after the article that a new one is put behind; not "中增加一款"
_BEHIND: Final = re.compile(r"之?后[，,]?(?:依次)?增加[一二两三四五六七八九十]{1,3}条")
# "作为" before the number of a new article
_ADDED: Final = re.compile(r"(?:作为|列为)\Z")
# "修改为" after a position that is put in place of another; not "中增加"
_REPLACED: Final = re.compile(r"(?:修改|改)为[:：]?")
# "中增加一款作为第二款" after an article
_PARAGRAPH_ADDED: Final = re.compile(r"中增加一款[，,]?作为第")
# An instruction of any kind: "修改为", "增加"; not "自公布之日起施行"
_CHANGES: Final = re.compile(r"修改|改为|增加|删[去除]|[替代]换?为")


@dataclass(slots=True)
class Act:
    """What one amending act does to one law."""

    name: str
    promulgated: date
    effective: date | None
    articles: set[Position] = field(default_factory=set)  # changed, in whatever way
    paragraphs: set[Position] = field(default_factory=set)  # put in place of another, one for one
    added: set[Position] = field(default_factory=set)
    clear: bool = True  # every instruction names what it changes
    new: dict[Position, Passage] = field(default_factory=dict)  # articles and paragraphs it gives

    def with_other(self, other: Act) -> Act:
        """Two acts of one day as one."""
        return Act(
            f"{self.name}、{other.name}",
            self.promulgated,
            self.effective if self.effective == other.effective else None,
            self.articles | other.articles,
            self.paragraphs | other.paragraphs,
            self.added | other.added,
            self.clear and other.clear,
            {} if self.new.keys() & other.new.keys() else self.new | other.new,
        )

    def touches(self, position: Position) -> bool:
        """Whether the words at a position may be others since this act."""
        article = Position(*position[:2])
        if article in self.articles or article in self.added or not self.clear:
            return True
        return position.paragraph in self.replaced(article)

    def replaced(self, article: Position) -> set[int | None]:
        """The paragraphs of an article for which this act has put others."""
        return {one.paragraph for one in self.paragraphs if one[:2] == article[:2]}


def read_act(name: str, law: str, version: Version, text: str) -> Act:
    """The instructions of an act, and the new texts as passages of the law that it amends."""
    effective = version.effective if version.sure in SURE else None
    act = Act(name, version.promulgated, effective)
    amended = msgspec.structs.replace(version, law=law)
    for section in _SECTION.split(text):
        s = canonical(_NEW_TEXT.sub("", section))
        elements = [(one, element) for one in find_groups(s) for element in one.elements]
        named = [(one, element) for one, element in elements if element.position.article]
        if not named and _CHANGES.search(s):
            act.clear = False
        lines = [found["words"] for found in _NEW_LINE.finditer(section)]
        paragraphs = [line for line in lines if not _ITEM.match(line)]
        for one, element in named:
            alone = len(elements) == 1 and len(paragraphs) == 1
            _note(act, s, one, element, alone=alone)
        for position, pieces in _given(s, elements, lines):
            if passage := passage_of(amended, pieces):
                act.new[position] = passage
    return act


def _note(act: Act, s: str, one: Group, element: Element, *, alone: bool) -> None:
    """What an instruction does to one position that it names."""
    position, until = element.position, element.until
    article = Position(*position[:2])
    if until is not None:
        last = until.article or position.article or 0
        act.articles |= {Position(n) for n in range(position.article or 0, last + 1)}
        act.articles |= {article, Position(*until[:2])}
    elif _BEHIND.match(s, one.end):
        pass  # its own words stay as they are
    elif _ADDED.search(s, 0, one.start):
        act.added.add(article)
    elif alone and position.paragraph and not position.item and _REPLACED.match(s, one.end):
        act.paragraphs.add(position)
    else:
        act.articles.add(article)


def _given(
    s: str, elements: list[tuple[Group, Element]], lines: list[str]
) -> Iterator[tuple[Position, list[Piece]]]:
    """The positions whose new words a section gives in full, and these words."""
    if not lines:
        return
    if _NEW_ARTICLE.match(lines[0]):
        yield from _several(lines)
        return
    positions = [element.position for _, element in elements]
    ends = [one.end for one, _ in elements]
    if any(element.until or element.relative for _, element in elements):
        return
    article = Position(*positions[0][:2]) if positions else Position()
    if len(elements) == 1 and _REPLACED.match(s, ends[0]) and not positions[0].item:
        yield positions[0], _pieces(positions[0], lines)
    elif len(elements) == 2 and _BEHIND.match(s, ends[0]) and positions[1].article:
        yield positions[1], _pieces(positions[1], lines)
    elif len(elements) == 2 and _PARAGRAPH_ADDED.match(s, ends[0]) and positions[1].paragraph:
        added = article._replace(paragraph=positions[1].paragraph)
        yield added, _pieces(added, lines)


def _several(lines: list[str]) -> Iterator[tuple[Position, list[Piece]]]:
    """“第一百二十条之二……” “……” “第一百二十条之三……”: articles one after another."""
    position: Position | None = None
    words: list[str] = []
    for line in [*lines, ""]:
        found = _NEW_ARTICLE.match(line)
        if (found or not line) and position:
            yield position, _pieces(position, words)
            words = []
        if found:
            position = parse_position(found[0].strip())
        words.append(line[found.end() :] if found else line)


def _pieces(position: Position, lines: list[str]) -> list[Piece]:
    """Paragraphs and items of an article, or of one paragraph."""
    paragraph = 0
    pieces: list[Piece] = []
    several = sum(not _ITEM.match(line) for line in lines) > 1 and position.paragraph is None
    for line in lines:
        item = _ITEM.match(line)
        paragraph += item is None
        number = parse_position(f"第{item['number']}项") if item else None
        at = position.paragraph or (paragraph if several else None)
        where = Position(position.article, position.article_sub, at, number and number.item)
        pieces.append(Piece(where, line[item.end() :] if item else line))
    return pieces
