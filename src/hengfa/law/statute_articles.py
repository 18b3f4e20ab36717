"""The inside of an article: its lines divided into paragraphs (款) and items (项).

A line is a paragraph of its own unless it goes on with what stands before it:

* ``（一）`` opens an item; so does ``一、`` or ``1.`` where a sentence leads to it.
* A list inside an item (``1.``, ``（1）``) stays in the item's text, a line each.
* A line without a number between two items belongs to the first of them if the numbers go on; after
  the last item it is the next paragraph.
* A line that breaks off in the middle of a sentence is joined to the next. A list without numbers
  (委员长，/ 副委员长若干人，/ 委员若干人。) is one paragraph with the sentence that opens it: the
  Constitution's amendment of 2018 counts the paragraphs of its article 65 so.
* Items that stand on one line, （一）…；（二）…, are divided if their numbers go on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeAlias

from hengfa.law.statute import Item, Paragraph
from hengfa.law.statute_lines import tidy
from hengfa.law.statute_marks import (
    STYLES,
    ItemLabel,
    ItemStyle,
    breaks_off,
    ends_in_pause,
    ends_sentence,
    read_item,
)

# "：（一）", "；（二）" inside a line; not "第（一）项", not "，（一）"
_INNER_ITEM: Final = re.compile(r"(?<=[：:；;。])\s?[（(][一二三四五六七八九十]{1,3}[)）]")
# A line that can only go on: "；受送达人", "）后"; not "“"
_GOES_ON: Final = re.compile(r"[，。；：、！？）》”’,;:)]")
# "组成：", "下列人员组成，" before a list; not "市，"
_LEADS: Final = re.compile(r"[：:]\Z|(?:下列|如下|以下)[^。]{0,20}，\Z")
# "【故意杀人罪】" before the text of an article; not "【"
_CAPTION: Final = re.compile(r"【([^【】]{1,60})】\s{0,4}")


_Next: TypeAlias = dict[ItemStyle, int]


class _Text:
    """A text while its lines come in, kept in pieces so that long ones take no longer per line."""

    __slots__ = ("lines", "listing")

    def __init__(self, line: str) -> None:
        self.lines = [[line]]
        self.listing = False  # inside a list without numbers

    @property
    def end(self) -> str:
        """What the text ends with: enough to know whether it is complete."""
        return self.lines[-1][-1][-40:]

    def add_line(self, text: str) -> None:
        self.lines.append([text])

    def go_on(self, text: str) -> bool:
        """Take a line that continues the text; False where it is something new."""
        if _GOES_ON.match(text):
            self.lines[-1].append(text)
        elif self.listing:
            self.listing = not ends_sentence(text)
            self.add_line(text)
        elif _LEADS.search(self.end):
            self.listing = ends_in_pause(text)
            if not self.listing:
                return False
            self.add_line(text)
        elif breaks_off(self.end):
            self.lines[-1].append(text)
        else:
            return False
        return True

    def close(self) -> str:
        return "\n".join(tidy("".join(pieces)) for pieces in self.lines)


class _Open:
    """A paragraph while its lines come in."""

    __slots__ = ("items", "lead")

    def __init__(self) -> None:
        self.lead: _Text | None = None
        self.items: list[tuple[ItemLabel, _Text]] = []

    def add_item(self, label: ItemLabel) -> None:
        self.items.append((label, _Text(label.rest)))

    def close(self) -> Paragraph:
        items = (Item(label.number, text.close(), tidy(label.label)) for label, text in self.items)
        return Paragraph(self.lead.close() if self.lead else "", tuple(items))


def split_caption(text: str) -> tuple[str, str]:
    """What an edition prints in 【】 before an article's text, and the text."""
    found = _CAPTION.match(text)
    return (found[1], text[found.end() :]) if found else ("", text)


def build_paragraphs(lines: Sequence[str]) -> tuple[Paragraph, ...]:
    """The paragraphs of one article; the first line is the one that follows its number."""
    texts = [part for line in lines for part in _divide(line) if part]
    labels = [read_item(text) for text in texts]
    following = _following_labels(labels)
    paragraphs: list[_Open] = []
    for text, label, below in zip(texts, labels, following, strict=True):
        last = paragraphs[-1] if paragraphs else None
        if last and _take(last, text, label, below):
            continue
        paragraphs.append(_Open())
        if label and _opens_list("", label, below):
            paragraphs[-1].add_item(label)
        else:
            paragraphs[-1].lead = _Text(text)
    return tuple(paragraph.close() for paragraph in paragraphs)


def _following_labels(labels: Sequence[ItemLabel | None]) -> list[_Next]:
    """For each line, the number in each style that comes next below it."""
    seen: _Next = {}
    following: list[_Next] = []
    for label in reversed(labels):
        following.append(seen)
        if label:
            seen = {**seen, label.style: label.number}
    following.reverse()
    return following


def _take(last: _Open, text: str, label: ItemLabel | None, below: _Next) -> bool:
    """Put a line into the paragraph before it, if it belongs there."""
    if not last.items:
        if label and _opens_list(last.lead.end if last.lead else "", label, below):
            last.add_item(label)
            return True
        return label is None and last.lead is not None and last.lead.go_on(text)
    current, item = last.items[-1]
    style = current.style
    if label and label.style == style:
        if label.number == 1:
            return False
        last.add_item(label)
    elif below.get(style) == current.number + 1:
        item.add_line(text)
    elif label:
        if STYLES.index(label.style) < STYLES.index(style):
            return False
        item.add_line(text)
    else:
        return item.go_on(text)
    return True


def _opens_list(lead: str, label: ItemLabel, below: _Next) -> bool:
    """Whether an item number begins a list; numbers other than （一） need more than themselves."""
    if label.style == "（一）":
        return True
    return label.number == 1 and (_LEADS.search(lead) is not None or below.get(label.style) == 2)


def _divide(line: str) -> list[str]:
    """The items of a line that holds several, and their lead; any other line as it is."""
    first = read_item(line)
    if (first and first.style != "（一）") or not ("）" in line or ")" in line):
        return [line]
    last = first.number if first else 0
    cuts = [0]
    for found in _INNER_ITEM.finditer(line):
        at = found.start()
        label = read_item(found[0].strip())
        if (
            label
            and label.number == last + 1
            and (last or _LEADS.search(line[max(0, at - 40) : at]))
        ):
            last += 1
            cuts.append(at)
    if len(cuts) == 1 or last == 1:
        return [line]
    return [line[start:end].strip() for start, end in pairwise([*cuts, len(line)])]
