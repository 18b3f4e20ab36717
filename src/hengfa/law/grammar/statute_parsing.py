"""From the text of a statute, as it circulates in Markdown or plain text, to its structure.

:func:`parse_statute` reads line by line and keeps every line: as part of the statute, or under
``unplaced`` with the reason. It never fails; a text that is no statute has no articles. First the
articles are found; what stands above the first, below the last and between them is sorted then.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

from hengfa.law.grammar.statute import (
    LEVELS,
    Annex,
    Article,
    Form,
    Heading,
    HeadingKind,
    Reason,
    Statute,
    Unplaced,
)
from hengfa.law.grammar.statute_articles import (
    Start,
    Starts,
    build_paragraphs,
    find_articles,
)
from hengfa.law.grammar.statute_header import is_history
from hengfa.law.grammar.statute_lines import (
    LONGEST_TITLE,
    STYLES,
    HeadingMark,
    Line,
    bare,
    breaks_off,
    ends_in_pause,
    ends_sentence,
    is_annex,
    is_part_title,
    is_title,
    read_heading,
    read_item,
    read_lines,
    read_numbered_title,
    tidy,
)

# "① 本法的施行日期……", "注：……" below an article; not "①" before an item of a list
_FOOTNOTE: Final = re.compile(r"[①-⑳※]\s|注\s?[0-9]{0,2}\s?[:：]")
# "【故意杀人罪】", which some editions print before the text of an article; not "【"
_CAPTION: Final = re.compile(r"【([^【】]{1,60})】\s{0,4}")
# "，", "。", "：" anywhere; none in "其他"
_PUNCTUATION: Final = re.compile(r"[，。；：、！？,;:]")

_LONGEST_CAPTION: Final = 25


def parse_statute(text: str) -> Statute:
    """The structure of a statute's text."""
    lines = read_lines(text)
    starts, announced = find_articles(lines)
    articles = [at for at, (_, reason) in starts.items() if reason is None]
    if not articles:
        return _without_articles(lines)
    front = _read_front(lines[: min(starts)])
    reader = _Reader(lines, starts, front)
    return reader.read(front.headings, _find_annexes(lines, max(articles), announced))


class _Reader:
    """The lines from the first heading to the annexes, sorted into headings and articles."""

    def __init__(self, lines: Sequence[Line], starts: Starts, front: _Front) -> None:
        self.lines, self.starts, self.front = lines, starts, front
        self.headings: list[Heading] = []
        self.path: list[Heading] = []
        self.numbered: tuple[HeadingKind, HeadingKind] | None = None  # the first and the last
        self.has_parts = False
        self.articles: list[Article] = []
        self.unplaced = list(front.unplaced)
        self.start: Start | None = None  # the article that is open, and its lines
        self.reason: Reason | None = None  # why it is not placed
        self.texts: list[Line] = []
        self.below: dict[int, int] = {}  # for each line of text the next
        if front.preamble_heading:
            title = bare(front.preamble_heading.text)
            line = front.preamble_heading.number
            self.headings.append(Heading("部分", None, title, "", line))

    def read(self, begin: int, end: int) -> Statute:
        front = self.front
        indices = [i for i in range(begin, end) if self.lines[i].kind == "text"]
        self.unplaced += [_set_apart(x) for x in self.lines[begin:end] if x.kind != "text"]
        self.below = dict(pairwise(indices))
        for index in indices:
            line = self.lines[index]
            if index in self.starts:
                self._close()
                self.start, self.reason = self.starts[index]
            elif mark := self._heading(index):
                self._close()
                self._add_heading(line, mark)
            elif self.start is None:
                self._go_on_with_heading(line)
            elif self.reason:
                self.unplaced.append(Unplaced(line.number, line.raw, self.reason))
            elif _FOOTNOTE.match(line.text) and not breaks_off(self._last_text()):
                self.unplaced.append(Unplaced(line.number, line.raw, "note"))
            else:
                self.texts.append(line)
        self._cut_tail()
        self._close()
        found, notes = _read_annexes(self.lines[end:])
        apart = tuple(sorted([*self.unplaced, *notes], key=lambda unplaced: unplaced.line))
        articles = tuple(sorted(self.articles, key=lambda each: (each.number, each.sub)))
        title, header, preamble = front.title, tuple(front.header), tuple(front.preamble)
        headings, annexes = tuple(self.headings), tuple(found)
        return Statute(title, "articles", header, preamble, articles, headings, (), annexes, apart)

    def _heading(self, index: int) -> HeadingMark | None:
        """The heading that a line is: by its number or mark, or because it stands like one."""
        line = self.lines[index]
        if mark := read_heading(line):
            return mark
        if line.depth and not ends_sentence(line.text):
            return HeadingMark(None, None, "", tidy(line.text))
        if not self._opens(self.below.get(index)) or breaks_off(self._last_text()):
            return None
        first = not self.headings and is_part_title(line.text)
        if first or (self.start and is_title(line.text)):
            return HeadingMark(None, None, "", bare(line.text))
        mark, above = read_numbered_title(line.text), read_item(self._last_text())
        follows = mark and above and above.number + 1 == mark.number
        return None if follows and self.texts else mark  # 一、管辖 below an item is the next

    def _opens(self, index: int | None, titles: int = 1) -> bool:
        """Whether an article or a heading stands on a line, or one more title above them."""
        if index is None:
            return False
        line = self.lines[index]
        if index in self.starts or read_heading(line) or is_part_title(line.text):
            return True
        titled = titles and read_numbered_title(line.text)
        return bool(titled) and self._opens(self.below.get(index), titles - 1)

    def _last_text(self) -> str:
        if self.texts:
            return self.texts[-1].text
        return self.start.rest if self.start else ""

    def _add_heading(self, line: Line, mark: HeadingMark) -> None:
        kind = mark.kind or self._kind_of(mark.title)
        heading = Heading(kind, mark.number, mark.title, mark.label, line.number)
        if mark.number is not None:
            self.numbered = (self.numbered[0] if self.numbered else kind), kind
        self.has_parts = self.has_parts or kind == "编"
        self.headings.append(heading)
        self.path = [above for above in self.path if LEVELS[above.kind] < LEVELS[kind]]
        self.path.append(heading)

    def _kind_of(self, title: str) -> HeadingKind:
        """What a heading without a number is, from those before it."""
        if is_part_title(title):
            if self.has_parts or title == "分则" or self.numbered is None:
                return "编"
            return self.numbered[0]
        return self.numbered[1] if self.numbered else "章"

    def _go_on_with_heading(self, line: Line) -> None:
        """A line between a heading and its first article: the rest of the title, as a rule."""
        if is_history(line.text):
            self.front.header.append(tidy(line.text))
        elif self.headings and self.headings[-1].title == "序言":
            self.front.preamble.append(tidy(line.text))
        elif (
            self.headings and len(self.headings[-1].title) <= LONGEST_TITLE and is_title(line.text)
        ):
            last = self.headings.pop()
            self.path.pop()
            title = last.title + bare(line.text)
            heading = Heading(last.kind, last.number, title, last.label, last.line)
            self.headings.append(heading)
            self.path.append(heading)
        else:
            self.unplaced.append(Unplaced(line.number, line.raw, "between heading and article"))

    def _close(self) -> None:
        start, texts = self.start, self.texts
        self.start, self.texts = None, []
        if start is None:
            return
        line = self.lines[start.at]
        if self.reason:
            self.unplaced.append(Unplaced(line.number, line.raw, self.reason))
            return
        printed = _CAPTION.match(start.rest)
        caption = printed[1] if printed else ""
        rest = start.rest[printed.end() :] if printed else start.rest
        few = 0 < len(rest) <= _LONGEST_CAPTION and not _PUNCTUATION.search(rest)
        if few and not caption and texts and not _PUNCTUATION.match(texts[0].text):
            caption, rest = rest, ""
        paragraphs = build_paragraphs([rest, *(text.text for text in texts)])
        path, label = tuple(self.path), tidy(start.label)
        self.articles.append(Article(*start.number, path, paragraphs, label, line.number, caption))

    def _cut_tail(self) -> None:
        """Set apart what stands below the last article: history that was put last, signatures."""
        tail: list[Line] = []
        while self.texts and self.reason is None:
            text = self.texts[-1].text
            if not is_title(text) and (ends_sentence(text) or not is_history(text)):
                break
            tail.append(self.texts.pop())
        while tail and breaks_off(self._last_text()):
            self.texts.append(tail.pop())  # the end of a sentence that was broken
        for line in reversed(tail):
            if is_history(line.text):
                self.front.header.append(tidy(line.text))
            else:
                self.unplaced.append(Unplaced(line.number, line.raw, "after the last article"))


def _without_articles(lines: Sequence[Line]) -> Statute:
    """An act in sections 一、二、三, or in plain paragraphs."""
    first = _first_section(lines)
    form: Form = "none" if first is None else "numbered"
    front = _read_front(lines[:first], articles_follow=False)
    rest = lines[first:] if first is not None else []
    annexes_at = next((i for i, x in enumerate(rest) if x.kind == "text" and is_annex(x)), None)
    annexes, notes = _read_annexes(rest[annexes_at:] if annexes_at is not None else [])
    kept = {"text", "table"}
    body = [tidy(line.text) for line in rest[:annexes_at] if line.kind in kept]
    unplaced = [_set_apart(line) for line in rest[:annexes_at] if line.kind not in kept]
    if front.preamble_heading:
        front.preamble.insert(0, tidy(front.preamble_heading.text))
    preamble = () if first is None else tuple(front.preamble)
    body = front.preamble if first is None else body
    apart = tuple(sorted([*front.unplaced, *unplaced, *notes], key=lambda x: x.line))
    header = tuple(front.header)
    return Statute(front.title, form, header, preamble, (), (), tuple(body), tuple(annexes), apart)


def _first_section(lines: Sequence[Line]) -> int | None:
    """The line with 一、, （一） or 1. of an act that goes on with 二、, （二） or 2."""
    for style in STYLES[:3]:
        first: int | None = None
        for index, line in enumerate(lines):
            label = read_item(line.text) if line.kind == "text" else None
            if label and label.style == style and label.number == 1 and first is None:
                first = index
            elif label and label.style == style and label.number == 2 and first is not None:
                return first
    return None


# What stands above the first article: title, history, contents, preamble, headings

_CONTENTS_TITLES: Final = frozenset({"目录", "目次"})
_PREAMBLE_TITLES: Final = frozenset({"序言", "前言"})
_FIRST_PARTS: Final = frozenset({"总则", "总纲"})
_END_OF_HEADER: Final = "INFO END"  # a comment that one collection puts below the history


@dataclass(slots=True)
class _Front:
    """The lines above the text, sorted; ``headings`` is where those of the text itself begin."""

    title: str
    headings: int
    header: list[str] = field(default_factory=list)
    preamble: list[str] = field(default_factory=list)
    preamble_heading: Line | None = None
    unplaced: list[Unplaced] = field(default_factory=list)


def _read_front(lines: Sequence[Line], *, articles_follow: bool = True) -> _Front:
    """Sort the lines above the first article, or above the body of an act without articles."""
    headings = _first_heading(lines) if articles_follow else len(lines)
    lines = lines[:headings]
    title_at, title_end, title = _find_title(lines)
    contents = _find_contents(lines, title_end)
    marks = (i for i, x in enumerate(lines) if x.kind == "markup" and _END_OF_HEADER in x.raw)
    header_end = max(marks, default=-1)
    front = _Front(title, headings)
    repeated = bare(title)
    above = True  # the history, and not yet the preamble
    for index, line in enumerate(lines):
        if line.kind == "table" and not articles_follow:
            front.preamble.append(line.raw)
        elif line.kind != "text":
            front.unplaced.append(_set_apart(line))
        elif title_at <= index < title_end:
            continue
        elif index in contents and (is_title(line.text) or read_heading(line) is not None):
            front.unplaced.append(Unplaced(line.number, line.raw, "contents"))
        elif bare(line.text[:10]) in _PREAMBLE_TITLES and front.preamble_heading is None:
            front.preamble_heading = line
            above = False
        elif (
            (3 < len(line.text) <= LONGEST_TITLE and bare(line.text) in repeated)
            or (above and (index < header_end or line.quoted or is_history(line.text)))
            or (above and not (ends_sentence(line.text) or ends_in_pause(line.text)))
        ):
            front.header.append(tidy(line.text))
        else:
            above = False
            front.preamble.append(tidy(line.text))
    return front


def _set_apart(line: Line) -> Unplaced:
    reason: Reason = "markup" if line.kind == "text" else line.kind
    return Unplaced(line.number, line.raw, reason)


def _find_title(lines: Sequence[Line]) -> tuple[int, int, str]:
    """Where the title stands and what it says: the first heading of the page, or its first line."""
    texts = [i for i, line in enumerate(lines) if line.kind == "text"]
    marked = (i for i in texts if lines[i].depth == 1 and not read_heading(lines[i]))
    at = next(marked, texts[0] if texts else None)
    if at is None or not _can_be_title(lines[at]):
        return 0, 0, ""
    title, end = tidy(lines[at].text), at + 1
    if title.endswith("关于") and end < len(lines) and _can_be_title(lines[end]):
        return at, end + 1, title + tidy(lines[end].text)
    return at, end, title


def _can_be_title(line: Line) -> bool:
    text = line.text
    return (
        line.kind == "text"
        and len(text) <= (2 * LONGEST_TITLE if line.depth == 1 else LONGEST_TITLE)
        and not ends_sentence(text)
        and not ends_in_pause(text)
        and not line.quoted
        and bare(text) not in _CONTENTS_TITLES
        and read_heading(line) is None
        and not is_history(text)
        and text not in "（("
    )


def _first_heading(lines: Sequence[Line]) -> int:
    """Where the headings of the first article begin: each deeper than the one above it.

    Going up from the article, the last lines of a table of contents are as deep or deeper, or one
    of several with a number other than one.
    """
    texts = [index for index, line in enumerate(lines) if line.kind == "text"]
    marks = {index: mark for index in texts if (mark := _read_mark(lines[index])) is not None}
    counts = Counter(mark.kind for mark in marks.values())
    first, level = len(lines), len(LEVELS)
    for place in range(len(texts) - 1, -1, -1):
        index = texts[place]
        mark, above = marks.get(index), marks.get(texts[place - 1]) if place else None
        wanting = above is not None and above.kind and (mark is None or not above.title)
        if wanting and is_title(lines[index].text):
            continue  # the second line of a title
        if mark is None:
            break
        kind = mark.kind or "编"
        listed = mark.number != 1 and counts[mark.kind] > 1
        last = mark.number is None and mark.title not in _FIRST_PARTS and level < len(LEVELS)
        if LEVELS[kind] >= level or listed or last:
            break
        first, level = index, LEVELS[kind]
    if first == len(lines) and marks and max(counts.values()) == 1:
        return min(marks)  # only prose stands between the headings and the article
    return first


def _read_mark(line: Line) -> HeadingMark | None:
    """The heading that a line is above an article, also without a mark: 总则, 一、管辖."""
    if mark := read_heading(line):
        return mark
    title = bare(line.text[:12])
    if is_part_title(line.text) and title not in _PREAMBLE_TITLES:
        return HeadingMark(None, None, "", title)
    return read_numbered_title(line.text)


def _find_contents(lines: Sequence[Line], start: int) -> range:
    """The table of contents: from its title, or its first heading, to its last."""
    marks = []
    for index, line in enumerate(lines[start:], start):
        mark = read_heading(line) if line.kind == "text" else None
        entry = line.kind == "contents" or (mark is not None and mark.number is not None)
        if entry or bare(line.text) in _CONTENTS_TITLES:
            marks.append(index)
    if not marks:
        return range(0)
    end = marks[-1] + 1
    while end < len(lines) and bare(lines[end].text) == "附则":
        end += 1
    return range(marks[0], end)


# What stands below the last article: annexes, tables, drawings

# "税率表一（综合所得适用）", "国旗制法图案"; not "最高人民法院"
_ANNEX_TITLE: Final = re.compile(
    r"(?:表|图|图案|名单|名录|目录|样式|说明)[一二三四五六七八九十0-9]{0,3}(?:[（(][^）)]{0,30}[)）])?\Z"
)


def _find_annexes(lines: Sequence[Line], last_article: int, announced: int) -> int:
    """Where the annexes begin: at 附件, or at a title or a table below the last article."""
    for at in range(last_article + 1, announced):
        if _opens_annex(lines[at]):
            while at - 1 > last_article and (
                lines[at - 1].kind == "markup"
                or (lines[at - 1].kind == "text" and is_title(lines[at - 1].text))
            ):
                at -= 1  # noqa: PLW2901 - the title of the table
            return at
    return announced


def _read_annexes(lines: Sequence[Line]) -> tuple[list[Annex], list[Unplaced]]:
    """The annexes, divided where one is announced; an editor's notes are set apart."""
    annexes: list[tuple[Line | None, list[Line]]] = []
    notes: list[Unplaced] = []
    depth = 0
    for line in lines:
        if line.kind == "note":
            notes.append(_set_apart(line))
        elif line.kind == "text" and (is_annex(line) or 0 < line.depth <= (depth or line.depth)):
            depth = depth or line.depth
            annexes.append((line, []))
        elif annexes:
            annexes[-1][1].append(line)
        else:
            annexes.append((None, [line]))
    read = []
    for first, rest in annexes:
        text = "\n".join(line.raw for line in rest)
        read.append(Annex(first.text if first else "", text, (first or rest[0]).number))
    return read, notes


def _opens_annex(line: Line) -> bool:
    if line.kind != "text":
        return line.kind == "table"
    if line.depth:
        return read_heading(line) is None
    return is_title(line.text) and _ANNEX_TITLE.search(line.text) is not None
