"""From the text of a statute, as it circulates in Markdown or plain text, to its structure.

:func:`parse_statute` reads line by line and keeps every line: as part of the statute, or under
``unplaced`` with the reason. It never fails; a text that is no statute has no articles.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from hengfa.law.statute import (
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
from hengfa.law.statute_annexes import find_annexes, read_annexes
from hengfa.law.statute_articles import build_paragraphs, split_caption
from hengfa.law.statute_front import Front, read_front, set_apart
from hengfa.law.statute_header import is_history
from hengfa.law.statute_lines import Line, read_lines, tidy
from hengfa.law.statute_marks import (
    LONGEST_TITLE,
    STYLES,
    HeadingMark,
    bare,
    breaks_off,
    ends_sentence,
    is_annex,
    is_part_title,
    is_title,
    read_heading,
    read_item,
    read_numbered_title,
)
from hengfa.law.statute_sequence import FoundArticles, Start, find_articles

# "① 本法的施行日期……", "注：……" below an article; not "①" before an item of a list
_FOOTNOTE: Final = re.compile(r"[①-⑳※]\s|注\s?[0-9]{0,2}\s?[:：]")
# "，", "。", "：" anywhere; none in "其他"
_PUNCTUATION: Final = re.compile(r"[，。；：、！？,;:]")

_LONGEST_CAPTION: Final = 25
_REPEATED: Final[Reason] = "repeated article"
_STRAY: Final[Reason] = "article out of sequence"


def parse_statute(text: str) -> Statute:
    """The structure of a statute's text."""
    lines = read_lines(text)
    found = find_articles(lines)
    if not found.articles:
        return _without_articles(lines)
    first = min(start.at for starts in found[:3] for start in starts[:1])
    front = read_front(lines[:first])
    reader = _Reader(lines, found, front)
    reader.read(front.headings, find_annexes(lines, found.articles[-1].at, found.annexes))
    return reader.statute()


class _Reader:
    """The lines from the first heading to the annexes, sorted into headings and articles."""

    def __init__(self, lines: Sequence[Line], found: FoundArticles, front: Front) -> None:
        self.lines = lines
        self.front = front
        self.starts: dict[int, tuple[Start, Reason | None]] = {
            start.at: (start, reason)
            for starts, reason in (
                (found.articles, None),
                (found.repeated, _REPEATED),
                (found.stray, _STRAY),
            )
            for start in starts
        }
        self.headings: list[Heading] = []
        self.path: list[Heading] = []
        self.numbered: tuple[HeadingKind, HeadingKind] | None = None  # the first and the last
        self.has_parts = False
        self.articles: list[Article] = []
        self.annexes: list[Annex] = []
        self.unplaced = list(front.unplaced)
        self.start: Start | None = None  # the article that is open, and its lines
        self.reason: Reason | None = None  # why it is not placed
        self.texts: list[Line] = []
        self.below: dict[int, int] = {}  # for each line of text the next
        if front.preamble_heading:
            title = bare(front.preamble_heading.text)
            line = front.preamble_heading.number
            self.headings.append(Heading("部分", None, title, "", line))

    def read(self, begin: int, end: int) -> None:
        indices = [i for i in range(begin, end) if self.lines[i].kind == "text"]
        self.unplaced += [set_apart(x) for x in self.lines[begin:end] if x.kind != "text"]
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
        self.annexes, notes = read_annexes(self.lines[end:])
        self.unplaced += notes

    def statute(self) -> Statute:
        front = self.front
        self.articles.sort(key=lambda article: (article.number, article.sub))
        self.unplaced.sort(key=lambda unplaced: unplaced.line)
        return Statute(
            front.title,
            "articles",
            tuple(front.header),
            tuple(front.preamble),
            tuple(self.articles),
            tuple(self.headings),
            (),
            tuple(self.annexes),
            tuple(self.unplaced),
        )

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
        return self._numbered_title(line)

    def _numbered_title(self, line: Line) -> HeadingMark | None:
        """The heading 一、管辖 or （一）动产质押: no item, because none stands before it."""
        mark, above = read_numbered_title(line.text), read_item(self._last_text())
        follows = mark and above and above.number + 1 == mark.number
        return None if follows and self.texts else mark

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
        """The line above, if it belongs to an article."""
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
        """End the article that is open."""
        start, texts = self.start, self.texts
        self.start, self.texts = None, []
        if start is None:
            return
        line = self.lines[start.at]
        if self.reason:
            self.unplaced.append(Unplaced(line.number, line.raw, self.reason))
            return
        caption, rest = split_caption(start.rest)
        if not caption and texts and _is_caption(rest, texts[0].text):
            caption, rest = rest, ""
        number = start.number
        self.articles.append(
            Article(
                number.number,
                number.sub,
                tuple(self.path),
                build_paragraphs([rest, *(text.text for text in texts)]),
                tidy(start.label),
                line.number,
                caption,
            )
        )

    def _cut_tail(self) -> None:
        """Set apart what stands below the last article: history that was put last, signatures."""
        tail: list[Line] = []
        while self.texts and self.reason is None and _is_below_text(self.texts[-1].text):
            tail.append(self.texts.pop())
        while tail and breaks_off(self._last_text()):
            self.texts.append(tail.pop())  # the end of a sentence that was broken
        for line in reversed(tail):
            if is_history(line.text):
                self.front.header.append(tidy(line.text))
            else:
                self.unplaced.append(Unplaced(line.number, line.raw, "after the last article"))


def _is_caption(text: str, below: str) -> bool:
    """Whether the words after an article's number are its title: a few, and no sentence."""
    return 0 < len(text) <= _LONGEST_CAPTION and not (
        _PUNCTUATION.search(text) or _PUNCTUATION.match(below)
    )


def _is_below_text(text: str) -> bool:
    """Whether a line can stand below the last article: a date, a name, a line of history."""
    return is_title(text) or (is_history(text) and not ends_sentence(text))


def _without_articles(lines: Sequence[Line]) -> Statute:
    """An act in sections 一、二、三, or in plain paragraphs."""
    first = _first_section(lines)
    form: Form = "none" if first is None else "numbered"
    front = read_front(lines[:first], articles_follow=False)
    rest = lines[first:] if first is not None else []
    annexes_at = next((i for i, x in enumerate(rest) if x.kind == "text" and is_annex(x)), None)
    annexes, notes = read_annexes(rest[annexes_at:] if annexes_at is not None else [])
    kept = {"text", "table"}
    body = [tidy(line.text) for line in rest[:annexes_at] if line.kind in kept]
    unplaced = [set_apart(line) for line in rest[:annexes_at] if line.kind not in kept]
    if front.preamble_heading:
        front.preamble.insert(0, tidy(front.preamble_heading.text))
    if first is None:
        body = front.preamble
    return Statute(
        front.title,
        form,
        tuple(front.header),
        tuple(front.preamble) if first is not None else (),
        (),
        (),
        tuple(body),
        tuple(annexes),
        tuple(sorted([*front.unplaced, *unplaced, *notes], key=lambda x: x.line)),
    )


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
