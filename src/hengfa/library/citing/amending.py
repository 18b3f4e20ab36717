"""How an article read on a day whose version is not at hand, as far as amending acts tell.

Of the 刑法 the library has the texts of 1997 and 2020; twelve amending acts lie between them, and
they say which articles they change. An article that none of the acts after a day names has in the
next text at hand the words that it had on that day, and one that an act gave new words has these
until the next act names it. This is no guess at the nearest text: where an act is missing, the
answer stays unknown.

An act says 将刑法第六十六条修改为：“……”, 在刑法第十七条后增加一条，作为第十七条之一：“……”. All that
stands outside the quoted new texts is instruction; every article named there counts as changed,
unless the instruction is one of those that are known to leave it alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

import msgspec

from hengfa.law.citation_model import LONGEST_RANGE, Position
from hengfa.law.citation_positions import Element, Group, canonical, find_groups, parse_position
from hengfa.law.law_names import STATE, normalise_name
from hengfa.library.matching import QUOTED, Passage, Passages, Piece, passage_of
from hengfa.library.model import SETTLED, Law, Occasion, Version

_SURE: Final = frozenset({"exact", "stated"})

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
_ADDED: Final = ("作为", "列为")
"""Words before the number of a new article."""
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
        return {place.paragraph for place in self.paragraphs if place[:2] == article[:2]}


def read_act(name: str, law: str, version: Version, text: str) -> Act:
    """The instructions of an act, and the new texts as passages of the law that it amends."""
    effective = version.effective if version.sure in _SURE else None
    act = Act(name, version.promulgated, effective)
    amended = msgspec.structs.replace(version, law=law)
    for section in _SECTION.split(text):
        s = canonical(_NEW_TEXT.sub("", section))
        elements = [(named, element) for named in find_groups(s) for element in named.elements]
        articles = [(named, element) for named, element in elements if element.position.article]
        if not articles and _CHANGES.search(s):
            act.clear = False
        lines = [line["words"] for line in _NEW_LINE.finditer(section)]
        paragraphs = [line for line in lines if not _ITEM.match(line)]
        for named, element in articles:
            alone = len(elements) == 1 and len(paragraphs) == 1
            _note(act, s, named, element, alone=alone)
        for position, pieces in _given(s, elements, lines):
            if pieces:
                act.new[position] = passage_of(amended, pieces, QUOTED)
    return act


def _note(act: Act, s: str, named: Group, element: Element, *, alone: bool) -> None:
    """What an instruction does to one position that it names."""
    position, until = element.position, element.until
    article = Position(*position[:2])
    if until is not None:
        first, last = position.article or 0, until.article or position.article or 0
        act.clear = act.clear and last - first < LONGEST_RANGE
        act.articles |= {Position(n) for n in range(first, min(last + 1, first + LONGEST_RANGE))}
        act.articles |= {article, Position(*until[:2])}
    elif _BEHIND.match(s, named.end):
        pass  # its own words stay as they are
    elif s.endswith(_ADDED, 0, named.start):
        act.added.add(article)
    elif alone and position.paragraph and not position.item and _REPLACED.match(s, named.end):
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
    ends = [named.end for named, _ in elements]
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
        heading = _NEW_ARTICLE.match(line)
        if (heading or not line) and position:
            yield position, _pieces(position, words)
            words = []
        if heading:
            position = parse_position(heading[0].strip())
        words.append(line[heading.end() :] if heading else line)


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


# Outside new texts, what an amending decision says: "刑法第一百九十条修改为"; not "依照刑法第一条"
_AMENDS: Final = "[^。；“”\\n]{0,30}(?:修改为|增加[一二两三]|删去)"


@dataclass(frozen=True, slots=True)
class Carried:
    """The words of an article on a day, taken from a text of another day.

    ``passage`` has the words, but for ``other_paragraphs``, which were amended since; None where
    it is only known that the article was there (``exists``) or was not. ``reason`` is for people.
    """

    exists: bool
    passage: Passage | None
    reason: str
    other_paragraphs: frozenset[int] = frozenset()

    @property
    def is_certain(self) -> bool:
        """Whether all words are known, or that there are none."""
        return not self.exists or (self.passage is not None and not self.other_paragraphs)


class Amendments:
    """The amending acts in a library, read when a law is asked for."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self.library = passages.library
        self._acts: dict[str, dict[date, Act]] = {}

    def acts(self, law: Law) -> dict[date, Act]:
        """The acts that amend a law, by the day on which they were promulgated."""
        if law.name not in self._acts:
            acts: dict[date, Act] = {}
            for act in self._read(law):
                before = acts.get(act.promulgated)
                acts[act.promulgated] = before.with_other(act) if before else act
            self._acts[law.name] = acts
        return self._acts[law.name]

    def _read(self, law: Law) -> Iterator[Act]:
        """Acts that bear the law's name, and decisions of a day on which it was amended."""
        missing = {o.promulgated for o in self._calendar(law) if o.version is None}
        begins = f"{normalise_name(law.name)}修正案"
        amends = re.compile(re.escape(law.short) + _AMENDS)
        for other in self.library.laws("amendment", "decision"):
            named = normalise_name(other.name).startswith(begins)
            for version in self.library.versions(other):
                if version.form == "articles" or not (named or version.promulgated in missing):
                    continue
                body = "\n".join(p.text for p in self.library.parts(version) if p.part == "body")
                if body and (named or (other.kind == "decision" and amends.search(body))):
                    yield read_act(other.name, law.name, version, body)

    def new_texts(self, law: Law) -> Iterator[Passage]:
        """The words that acts gave to articles and paragraphs, some of them never at hand else."""
        for act in self.acts(law).values():
            yield from act.new.values()

    def version_on(self, law: Law, on: date) -> date | None:
        """When the version in force on a day was promulgated, if acts make that certain."""
        states = [(o.promulgated, self._since(law, o, on)) for o in self._occasions(law)]
        if any(state is None for _, state in states):
            return None
        return max((day for day, state in states if state), default=None)

    def carried(self, law: Law, position: Position, on: date) -> Carried | None:
        """How an article read on a day, or None where that cannot be known."""
        occasions = self._occasions(law)
        later = self._from_later(law, position, on, occasions)
        if later and later.is_certain:
            return later
        earlier = self._from_earlier(law, position, on, occasions)
        return earlier if earlier and (earlier.is_certain or not later) else later

    def _calendar(self, law: Law) -> list[Occasion]:
        calendar = self.library.shelf.calendar.get(law.name, ())
        return [occasion for occasion in calendar if occasion.event != "repealed"]

    def _occasions(self, law: Law) -> list[Occasion]:
        """All that made a text, oldest first, acts that the calendar does not know included."""
        known = self._calendar(law)
        days = {occasion.promulgated for occasion in known}
        more = [
            Occasion(law.name, act.promulgated, "amended", None, "unknown", None)
            for act in self.acts(law).values()
            if act.promulgated not in days
        ]
        return sorted([*known, *more], key=lambda occasion: occasion.promulgated)

    def _from_later(
        self, law: Law, position: Position, on: date, occasions: Sequence[Occasion]
    ) -> Carried | None:
        """From the next text at hand, if no act up to it changes the article."""
        acts = self.acts(law)
        between: list[Act] = []
        for number, occasion in enumerate(occasions):
            if self._since(law, occasion, on) is True:
                continue
            act = acts.get(occasion.promulgated)
            if number == 0 or act is None or not act.clear:
                return None  # a revision, or an act that is not at hand
            between.append(act)
            if occasion.version is not None:
                version = self.library.shelf.version_of[occasion.version]
                return self._up_to(position, version, between)
        return None

    def _up_to(self, position: Position, version: Version, acts: Sequence[Act]) -> Carried:
        """From a later version, which all of these acts have made."""
        passage = self.passages.article(version, position)
        first = next((act for act in acts if act.touches(position)), None)
        if first is None:
            return self._untouched(position, version, passage, acts)
        if Position(*position[:2]) in first.added:
            since = first.effective or first.promulgated
            return Carried(False, None, f"added by {_short(first)}, in force from {since}")
        # what an act amends was there before
        reason = f"amended since by {_short(first)}; its former words are unknown"
        return Carried(True, None, reason)

    def _from_earlier(
        self, law: Law, position: Position, on: date, occasions: Sequence[Occasion]
    ) -> Carried | None:
        """From the last text at hand or the last act that gave it words."""
        acts = self.acts(law)
        between: list[Act] = []
        article = Position(*position[:2])
        for occasion in reversed(occasions):
            since = self._since(law, occasion, on)
            if since is False:
                continue
            if since is True and occasion.version is not None:
                version = self.library.shelf.version_of[occasion.version]
                passage = self.passages.article(version, position)
                return self._untouched(position, version, passage, between)
            act = acts.get(occasion.promulgated)
            if act is None or not act.clear:
                return None
            if act.touches(position):
                given = act.new.get(article) if since else None
                return Carried(True, given, f"as {_short(act)} has it") if given else None
            between.append(act)
        return None

    def _since(self, law: Law, occasion: Occasion, on: date) -> bool | None:
        """Whether what was promulgated then was in force on a day; None where nobody says so."""
        if occasion.promulgated > on:
            return False
        act = self.acts(law).get(occasion.promulgated)
        stated = act.effective if act else None
        effective = occasion.effective if occasion.sure in _SURE else stated
        if effective is None:
            return True if on >= occasion.promulgated + SETTLED else None
        return effective <= on

    def _untouched(
        self, position: Position, version: Version, passage: Passage | None, acts: Sequence[Act]
    ) -> Carried:
        """The words of a version that none of these acts has changed, or only in part."""
        article = Position(*position[:2])
        replaced = frozenset(n for act in acts for n in act.replaced(article) if n)
        listed, single = "、".join(map(_short, acts)), len(acts) == 1
        what = f"{listed} {'does' if single else 'do'} not amend it"
        if replaced and position.paragraph is None:
            paragraphs = ", ".join(map(str, sorted(replaced)))
            what = f"{listed} {'amends' if single else 'amend'} only paragraph {paragraphs}"
        reason = f"as in the version of {version.promulgated}: {what}"
        return Carried(passage is not None, passage, reason, replaced)


def _short(act: Act) -> str:
    return act.name.removeprefix(STATE)
