"""What an amending act says: which articles of a law it changes, and the new words.

An act says 将刑法第六十六条修改为：“……”, 在刑法第十七条后增加一条，作为第十七条之一：“……”,
删去第六十八条第二款. All that stands outside the quoted new texts is instruction. One of a known
kind becomes a :class:`Change` that can be done and, in part, undone; every other article that is
named there counts as changed in a way that is not known. An act with an instruction that names no
article is not clear, and nothing is derived through it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from hengfa.law.grammar.citation_model import LONGEST_RANGE, Position
from hengfa.law.grammar.citation_positions import (
    Element,
    Group,
    canonical,
    find_groups,
    parse_position,
)
from hengfa.law.grammar.law_names import STATE
from hengfa.law.grammar.statute_parsing import parse_statute
from hengfa.law.library.matching import QUOTED, Passage, Piece, passage_of
from hengfa.law.library.model import Version

SURE: Final = frozenset({"exact", "stated"})
"""Days of entry into force that can be relied upon."""
# "《关于修改〈某条例〉的决定》": the law that is amended, by the name it had; not
# "《关于修改〈甲法〉等七部法律的决定》" or "《关于修改〈甲法〉和〈乙法〉的决定》"
AMENDED: Final = re.compile(r"修[改正][〈<《](?P<name>[^〈〉<>《》]{2,100})[〉>》]的决定")
Row: TypeAlias = tuple[int | None, str]
"""A lead sentence or undivided paragraph (None), or an item under its number."""
Paragraph: TypeAlias = tuple[Row, ...]
Words: TypeAlias = tuple[Paragraph | None, ...]
"""An article, paragraph by paragraph; None where the words of one are not known. () is none."""


class Change(NamedTuple):
    """What an act does to one article.

    ``at`` is the first paragraph that is meant, ``item`` the item, ``words`` what is put there;
    ``phrase`` is what is exchanged in the article, old and new.
    """

    kind: Literal["put", "new", "delete", "insert", "remove", "item", "new item", "phrase", "other"]
    at: int | None = None
    item: int | None = None
    words: Words = ()
    phrase: tuple[str, str] = ("", "")

    @property
    def whole(self) -> bool:
        return self.kind in {"put", "new"} and self.at is None

    @property
    def settles(self) -> bool:
        """Whether after it all is known, whatever was before."""
        return self.whole or self.kind == "delete"

    def done(self, old: Words | None) -> Words | None:
        """The article after the change; None where its words are not known then."""
        if self.settles:
            return self.words
        if old is None or self.kind == "other":
            return None
        if self.kind == "phrase":
            return self._with_phrase(old)
        if self.kind in {"item", "new item"}:
            return self._with_item(old)
        first = (self.at or 1) - 1
        last = first if self.kind == "insert" else first + max(len(self.words), 1)
        return None if last > len(old) else (*old[:first], *self.words, *old[last:])

    def undone(self, new: Words | None) -> Words | None:
        """The article before the change, with what is still known of it."""
        if self.kind == "new":
            return ()
        if new is None or self.kind == "other" or self.settles:
            return None
        if self.kind == "phrase":
            return tuple(None if _has(rows, self.phrase[1]) else rows for rows in new)
        first = (self.at or 1) - 1
        if self.kind in {"item", "new item"} and self.at is None:
            first = len(new) if (only := _with_items(new)) is None else only
        last = first if self.kind == "remove" else first + len(self.words)
        unknown = {"insert": 0, "remove": 1}.get(self.kind, last - first)
        return None if last > len(new) else (*new[:first], *[None] * unknown, *new[last:])

    def _with_phrase(self, old: Words) -> Words | None:
        """Other words for a phrase; it must be there."""
        gone, put = self.phrase
        if not any(_has(paragraph, gone) for paragraph in old) or None in old:
            return None
        return tuple(
            tuple((item, text.replace(gone, put)) for item, text in paragraph)
            for paragraph in old
            if paragraph is not None
        )

    def _with_item(self, old: Words) -> Words | None:
        """An item replaced, or put before those that had its number."""
        place = _with_items(old) if self.at is None else self.at - 1
        paragraph = old[place] if place is not None and place < len(old) else None
        if place is None or paragraph is None or self.item is None:
            return None
        items = [row for row in paragraph if row[0] is not None]
        lead = [row for row in paragraph if row[0] is None]
        if self.item > len(items) + (self.kind == "new item"):
            return None
        words = self.words[0][0][1] if self.words and self.words[0] else ""
        after = self.item if self.kind == "item" else self.item - 1
        texts = [text for _, text in items]
        texts[self.item - 1 : after] = [words]
        rows = (*lead, *((number, text) for number, text in enumerate(texts, 1)))
        return (*old[:place], rows, *old[place + 1 :])


def _has(paragraph: Paragraph | None, phrase: str) -> bool:
    return paragraph is None or any(phrase in text for _, text in paragraph)


def _with_items(words: Words) -> int | None:
    """The only paragraph that has items."""
    having = [n for n, rows in enumerate(words) if rows is None or any(row[0] for row in rows)]
    return having[0] if len(having) == 1 else None


@dataclass(slots=True)
class Act:
    """What one amending act does to one law."""

    names: tuple[str, ...]  # several, if they were promulgated on one day
    promulgated: date
    effective: date | None
    changes: dict[Position, list[Change]] = field(default_factory=dict)
    clear: bool = True  # every instruction names what it changes
    new: dict[Position, Passage] = field(default_factory=dict)  # articles and paragraphs it gives

    @property
    def short_names(self) -> tuple[str, ...]:
        """As people read them: without the state where they begin; a note keeps its code."""
        first, *others = self.names
        short = first.removeprefix(STATE) if first.startswith(STATE) else first
        return short, *others

    def with_other(self, other: Act) -> Act:
        """Two acts of one day as one; what both change is not known."""
        both = self.changes.keys() & other.changes.keys()
        return Act(
            (*self.names, *other.names),
            self.promulgated,
            self.effective if self.effective == other.effective else None,
            self.changes | other.changes | {article: [Change("other")] for article in both},
            self.clear and other.clear,
            {} if self.new.keys() & other.new.keys() else self.new | other.new,
        )

    def unread(self) -> Act:
        """The same act, of which nobody says which of its words are meant for this law."""
        return Act(self.names, self.promulgated, self.effective, clear=False)

    def only(self, scope: Sequence[Position]) -> Act:
        """The same act, of which it is known that it changes no other articles than these."""
        known = self.changes if self.clear else {}
        changes = {at: known.get(at, [Change("other")]) for at in scope}
        return Act(self.names, self.promulgated, self.effective, changes, True, self.new)


# "一、", "十二、" at the beginning of an instruction; not "（一）"
_SECTION: Final = re.compile(r"^(?=[一二三四五六七八九十]{1,4}、)", re.MULTILINE)
# "“……”" or "“……" to the end of the line, and what follows the mark: "原第三项改为第四项。"
_QUOTED: Final = re.compile(r"“(?P<words>[^“”\n]*)(?P<closed>”[。；;]?)?")
# "“第一款。第二款。”" over several lines of which only the first is marked
_OVER_LINES: Final = re.compile(r"“[^“”]*”")
# "“本法所称“港口”，是指" has marks within marks; not "“甲”修改为“乙”"
_NESTED: Final = re.compile(r"“[^”\n]*“")
# '"甲"' as typed by hand
_TYPED: Final = re.compile(r'"([^"]*)"')
_MARKS: Final = str.maketrans("「」", "“”")
# "修改为：" before words that are not quoted, as some decisions have them
_UNQUOTED: Final = re.compile(r"(?:修改|改)为[:：](?=\S)")
# "第一百二十条之二" before the words of one of several new articles
_NEW_ARTICLE: Final = re.compile(r"第[一二三四五六七八九十百零〇]+条之[一二三四五六七八九十]+\s*")
# "（二）" before an item
_ITEM: Final = re.compile(r"[（(][一二三四五六七八九十]{1,3}[)）]")
_N: Final = "[一二两三四五六七八九十]{1,3}"
# "后增加一条，作为" after the article that new ones are put behind; not "中增加一款"
_BEHIND: Final = re.compile(rf"之?后[,，]?(?:依次)?增加{_N}条[,，]?(?:分别)?(?:作为|列为)\Z")
# "修改为" after a position that is put in place of another; not "中增加"
_REPLACED: Final = re.compile(r"(?:修改|改)为[:：]?\Z")
_WHOLE: Final = re.compile(r"(?:该|本)条(?:修改|改)为[:：]?\Z")
# "增加一款，作为" before the number of a paragraph, "增加一项，作为" before that of an item
_ADDED: Final = re.compile(rf"增加{_N}(?P<unit>[款项])[,，]?(?:分别)?(?:作为|列为)\Z")
# "原第二款作为第三款", with or without new words for it
_MOVED: Final = re.compile(rf"原第{_N}(?P<unit>[款项])(?:作为|改为)\Z")
# "中的" before a phrase that is exchanged
_PHRASE: Final = re.compile(r"中?的\Z")
_DELETED: Final = re.compile(r"删[去除]\S{0,12}?\Z")
# "的规定定罪处罚" after an article that is only cited
_ONLY_CITED: Final = re.compile(r"的?规定(?:定罪)?(?:从重)?处罚")
# "增加一条", "第五条改为第六条": new articles without 之 give all that follow other numbers
_NEW_NUMBERS: Final = re.compile(rf"增加{_N}条|条改为第|顺序")
# "本决定自2022年7月1日起施行。" on a line of its own, after the last instruction
_IN_FORCE: Final = re.compile(
    r"^[ \t　]*本(?:决定|修正案)自[^“”\n]{1,40}施行。?[ \t　]*$", re.MULTILINE
)
# "《某法》根据本决定作相应修改，重新公布": changes nothing more
_CLOSING: Final = re.compile(r"根据本(?:决定|修正案)作(?:相应)?的?修改")
# An instruction of any kind: "修改为", "增加"; not "自公布之日起施行"
_CHANGES: Final = re.compile(r"修改|改为|增加|删[去除]|[替代]换?为")


def read_act(name: str, law: str, version: Version, text: str) -> Act:
    """The instructions of an act, and the new texts as passages of the law that it amends."""
    effective = version.effective if version.sure in SURE else None
    act = Act((name,), version.promulgated, effective)
    amended = msgspec.structs.replace(version, law=law)
    text = _TYPED.sub(r"“\1”", _IN_FORCE.sub("", text).translate(_MARKS))
    # a mark before every line of the new texts, as official acts have them
    text = _OVER_LINES.sub(lambda quoted: re.sub(r"\n\s*", "\n“", quoted[0]), text)
    for section in _SECTION.split(text):
        _Section(act, amended).read(section)
    unknown = {at for at, changes in act.changes.items() if changes[-1].kind == "other"}
    act.new = {at: new for at, new in act.new.items() if Position(*at[:2]) not in unknown}
    return act


class _Section:
    """The instructions of one section, each with the words that follow it."""

    def __init__(self, act: Act, amended: Version) -> None:
        self.act = act
        self.amended = amended
        self.article: Position | None = None  # the one that was named last
        self.phrase = ""  # the words that are to be exchanged

    def read(self, section: str) -> None:
        if _NESTED.search(section):  # where the new words end is anybody's guess
            s = canonical(section)
            self._unclear(s, list(find_groups(s)), None)
            return
        for instruction, lines in _instructions(section):
            s = canonical(instruction)
            groups = list(find_groups(s))
            before = self.article
            if not self._read(s, groups, lines):
                self._unclear(s, groups, before)

    def _read(self, s: str, groups: list[Group], lines: list[str]) -> bool:
        """Whether this is an instruction of a known kind; its changes are kept."""
        elements = [element for group in groups for element in group.elements]
        if any(element.until or element.relative for element in elements):
            return False
        if self._exchange(s, groups, lines):
            return True
        if not groups:
            return not lines and not _CHANGES.search(s)
        if elements[0].position.article:
            self.article = Position(*elements[0].position[:2])
        return self.article is not None and self._change(s, groups, elements, lines)

    def _change(
        self, s: str, groups: list[Group], elements: list[Element], lines: list[str]
    ) -> bool:
        """What is done to the article that was named last."""
        end = s[groups[-1].end :].strip(" ,，。；;")
        before = s[groups[-2].end if len(groups) > 1 else 0 : groups[-1].start]
        if lines and _WHOLE.search(end):
            return self._put(Change("put"), lines)
        if len(groups) == 1 and lines and _REPLACED.match(end):
            return self._replace(elements, lines)
        if len(groups) == 1 and not lines and _DELETED.search(before) and not end:
            return self._delete(elements)
        if lines and end in {"", ":", "："}:
            if len(groups) == 2 and _BEHIND.search(before):
                return self._add(elements[1:], lines)
            if added := _ADDED.search(before):
                return self._insert(groups[-1], added["unit"], lines)
        return self._renumber(s, groups, end, lines)

    def _exchange(self, s: str, groups: list[Group], lines: list[str]) -> bool:
        """将第五条中的“甲”修改为“乙”: two instructions, of which the second names nothing."""
        phrase, self.phrase = self.phrase, ""
        if phrase and self.article and _REPLACED.match(s.strip()) and len(lines) == 1:
            self.act.changes[self.article][-1] = Change("phrase", phrase=(phrase, lines[0]))
            return True
        one = len(groups) == 1 and len(groups[0].elements) == 1 and len(lines) == 1
        if not one or not _PHRASE.match(s[groups[0].end :]):
            return False
        position = groups[0].elements[0].position
        if not position.article or position.paragraph or position.item:
            return False
        self.article, self.phrase = Position(*position[:2]), lines[0]
        return self._note(self.article, Change("other"))  # until the new words are read

    def _replace(self, elements: list[Element], lines: list[str]) -> bool:
        """将第五条修改为, 将第五条第一款、第二款修改为, 将第五条第三项修改为."""
        position = elements[0].position
        if position.item and len(elements) == 1:
            return self._put(Change("item", position.paragraph, position.item), lines, 1)
        if position.paragraph is None:
            return len(elements) == 1 and self._put(Change("put"), lines)
        numbers = [element.position.paragraph or 0 for element in elements]
        run = list(range(numbers[0], numbers[0] + len(numbers)))
        same = {element.position[:2] for element in elements} == {position[:2]}
        if numbers != run or not same or any(element.position.item for element in elements):
            return False
        return self._put(Change("put", position.paragraph), lines, len(numbers))

    def _delete(self, elements: list[Element]) -> bool:
        """删去第五条, 删去第五条第二款."""
        if len(elements) > 1 or elements[0].position.item:
            return False
        at = elements[0].position.paragraph
        change = Change("remove", at) if at else Change("delete")
        return self.article is not None and self._note(self.article, change)

    def _add(self, elements: list[Element], lines: list[str]) -> bool:
        """在第五条后增加一条，作为第五条之一: new articles that move no other."""
        positions = [Position(*element.position[:2]) for element in elements]
        if not all(position.article_sub for position in positions):
            return False
        given = dict(_several(lines)) if _NEW_ARTICLE.match(lines[0]) else {positions[0]: lines}
        if list(given) != positions:
            return False
        for position, words in given.items():
            self.article = position
            if not self._put(Change("new"), words):
                return False
        return True

    def _insert(self, numbers: Group, unit: str, lines: list[str]) -> bool:
        """在第五条中增加一款作为第二款; 增加一项，作为第三项."""
        first, *others = positions = [element.position for element in numbers.elements]
        if unit == "项":
            one = not others and first.item is not None
            return one and self._put(Change("new item", first.paragraph, first.item), lines, 1)
        if first.paragraph is None:
            return False
        run = range(first.paragraph, first.paragraph + len(positions))
        if [position.paragraph for position in positions] != list(run):
            return False
        return self._put(Change("insert", first.paragraph), lines, len(positions))

    def _renumber(self, s: str, groups: list[Group], end: str, lines: list[str]) -> bool:
        """原第二款作为第三款，修改为: after a paragraph was put before it."""
        moved = _MOVED.search(s[: groups[-1].start])
        if moved is None or self.article not in self.act.changes:
            return False
        kinds = {change.kind for change in self.act.changes[self.article]}
        if not kinds & {"insert", "new item", "remove"}:
            return False
        at = groups[-1].elements[-1].position.paragraph
        if not lines:
            return not end
        if at is None or not _REPLACED.match(end):
            return False
        return self._put(Change("put", at), lines, 1)

    def _put(self, change: Change, lines: list[str], paragraphs: int | None = None) -> bool:
        """A change with these words, so many paragraphs of them."""
        words = _words(lines)
        if self.article is None or not words or (paragraphs and len(words) != paragraphs):
            return False
        pieces = pieces_of(self.article, words, change.at, change.item)
        where = self.article._replace(paragraph=change.at, item=change.item)
        self.act.new[where] = passage_of(self.amended, pieces, QUOTED)
        return self._note(self.article, change._replace(words=words))

    def _note(self, article: Position, change: Change) -> bool:
        self.act.changes.setdefault(article, []).append(change)
        return True

    def _unclear(self, s: str, groups: list[Group], before: Position | None) -> None:
        """All articles that an instruction of another kind names are changed, nobody knows how.

        So is the one that was named before: this may have been its last line.
        """
        articles = {
            article
            for group in groups
            if not _ONLY_CITED.match(s, group.end)
            for element in group.elements
            for article in _articles(element)
        }
        changes = _CHANGES.search(s) and not _CLOSING.search(s)
        if before and changes:
            articles.add(before)
        for article in articles:
            self.act.changes[article] = [Change("other")]
        for group in groups:
            for element in group.elements:
                last = element.until.article if element.until else None
                if last and last - (element.position.article or 0) >= LONGEST_RANGE:
                    self.act.clear = False
        if (not articles and changes) or _NEW_NUMBERS.search(s):
            self.act.clear = False


def _articles(element: Element) -> Iterator[Position]:
    if element.position.article is None:
        return
    yield Position(*element.position[:2])
    if element.until and element.until.article:
        last = min(element.until.article, element.position.article + LONGEST_RANGE)
        yield from (Position(number) for number in range(element.position.article + 1, last + 1))
        yield Position(*element.until[:2])


def _instructions(section: str) -> Iterator[tuple[str, list[str]]]:
    """The instructions of a section, each with the lines of the new text after it."""
    if "“" not in section and (found := _UNQUOTED.search(section)):
        rest = section[found.end() :]
        more = _CHANGES.search(rest)  # more instructions, or words that sound like them
        given = [line.strip() for line in rest.splitlines() if line.strip()]
        yield (section, []) if more else (section[: found.end()], given)
        return
    said: list[str] = []
    lines: list[str] = []
    is_open = False
    for line in section.splitlines():
        place = 0
        if is_open and line.strip() and "“" not in line and not _CHANGES.search(line):
            lines.append(line.strip().rstrip("”"))
            is_open = not line.endswith("”")
            continue
        for quoted in _QUOTED.finditer(line):
            before = line[place : quoted.start()].strip()
            if before and lines:
                yield "".join(said), lines
                said, lines = [], []
            said += [before] if before else []
            lines.append(quoted["words"].strip())
            is_open, place = quoted["closed"] is None, quoted.end()
        if after := line[place:].strip():
            if lines:
                yield "".join(said), lines
                said, lines = [], []
            said.append(after)
            is_open = False
    if said or lines:
        yield "".join(said), lines


def _several(lines: list[str]) -> Iterator[tuple[Position, list[str]]]:
    """“第一百二十条之二……” “……” “第一百二十条之三……”: articles one after another."""
    position: Position | None = None
    words: list[str] = []
    for line in lines:
        if heading := _NEW_ARTICLE.match(line):
            if position:
                yield position, words
            position, words = parse_position(heading[0].strip()), [line[heading.end() :]]
        else:
            words.append(line)
    if position:
        yield position, words


def _words(lines: list[str]) -> Words:
    """Lines as the paragraphs and items of an article, read as those of a law are."""
    # after a paragraph of another kind, for 第一款罪 at the beginning of a line is no article
    articles = parse_statute("\n".join(["第一条　略。", *lines, ""])).articles
    if len(articles) != 1:
        return ()
    return tuple(
        (
            *([(None, paragraph.text)] if paragraph.text else []),
            *((item.number, item.text) for item in paragraph.items),
        )
        for paragraph in articles[0].paragraphs[1:]
    )


def pieces_of(
    article: Position, words: Words, at: int | None = None, item: int | None = None
) -> list[Piece]:
    """The pieces of an article, or of the paragraphs from ``at`` on, or of one item.

    A paragraph whose words are not known is an empty piece.
    """
    pieces: list[Piece] = []
    for number, paragraph in enumerate(words, at or 1):
        where = article._replace(paragraph=number if at or len(words) > 1 else None)
        for own, text in paragraph or ((None, ""),):
            pieces.append(Piece(where._replace(item=own or item), text))
    return pieces
