"""A criterion cut into blocks, one for each marker (spec 3.2).

A marker stands before or after its text, and a line may have two. Lines after a marked line belong
to it, up to a heading or to the next marked line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_number
from hengfa.suites.plawbench.rubric_marks import Mark

_DIGITS: Final = "一二三四五六七八九十"
_LABELS: Final = re.compile(
    # 第一步，
    rf"(?:第(?P<step>[{_DIGITS}\d]{{1,3}})步)"
    # 问题一： | 争议焦点2 | 第二点：
    rf"|(?:问题|争议焦点|焦点|第(?=[{_DIGITS}]点))\s{{0,2}}(?P<question>[{_DIGITS}\d]{{1,2}})"
    # 一、 | 一是
    rf"|(?P<chinese>[{_DIGITS}]{{1,3}})\s{{0,2}}[、.．是]"
    # （1） | (二); not （2020）
    rf"|[（(]\s{{0,2}}(?P<bracket>[{_DIGITS}]{{1,3}}|\d{{1,2}})\s{{0,2}}[）)]"
    # 1、 | 2. ; not 2.5 元
    r"|(?P<arabic>\d{1,2})\s{0,2}(?:[、．]|\.(?!\d))"
    # - | · | • | l
    r"|(?P<bullet>[-·•●▪①-⑳]|l\s)"
)
_BLANK: Final = re.compile(r"[\s\[　]*")
_TRAILING: Final = "；;，,、。 \t　"


class Label(NamedTuple):
    """What a line begins with: its kind, such as step or bracket, and its number, 0 for bullets."""

    kind: str
    number: int
    end: int


class Block(NamedTuple):
    """The text of one marker without it, and the headings above it."""

    text: str
    points: float
    heading: str = ""
    parts: tuple[Block, ...] = ()

    @property
    def label(self) -> Label | None:
        return label_of(self.text)

    @property
    def step(self) -> int | None:
        """The number of a step that calls itself one."""
        for text in (self.text, self.heading.rpartition("\n")[2]):
            label = label_of(text)
            if label is not None and label.kind == "step":
                return label.number
        return None


class Cut(NamedTuple):
    """A text as blocks, and what stands before the first of them."""

    lead: str
    blocks: list[Block]


def label_of(text: str, at: int = 0) -> Label | None:
    """The label at the beginning of a line, past blanks and a square bracket."""
    start = _blank_end(text, at)
    found = _LABELS.match(text, start)
    if found is None or found.lastgroup is None:
        return None
    number = parse_number(found[found.lastgroup])
    return Label(found.lastgroup, int(number or 0), found.end())


def _blank_end(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def cut(body: str, marks: Sequence[Mark]) -> Cut:
    """The text around each marker; the lead is all of it where there is no marker."""
    if not marks:
        return Cut(body.strip(), [])
    places = _places(body, _Lines(body), marks)
    blocks: list[Block] = []
    for number, mark in enumerate(marks):
        top, own = places[number]
        end = places[number + 1].top if number + 1 < len(marks) else len(body)
        text = body[own : mark.start] + body[mark.end : end]
        blocks.append(Block(tidy(text), mark.points, body[top:own].strip()))
    return Cut(body[: places[0].top].strip(), blocks)


def tidy(text: str) -> str:
    """Text without blank lines, and without the punctuation that a marker leaves at its edges."""
    lines = (line.strip() for line in text.splitlines())
    return "\n".join(line for line in lines if line).strip().strip(_TRAILING).strip()


class _Lines:
    """Where the lines of a text begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.begins = [0, *(found.end() for found in re.finditer("\n", text))]

    def number(self, at: int) -> int:
        return bisect_right(self.begins, at) - 1

    def start(self, at: int) -> int:
        return self.begins[self.number(at)]

    def line(self, number: int) -> str:
        end = self.begins[number + 1] if number + 1 < len(self.begins) else len(self.text)
        return self.text[self.begins[number] : end].strip()


class _Place(NamedTuple):
    """Where a block begins with its headings, and without."""

    top: int
    own: int


def _places(body: str, lines: _Lines, marks: Sequence[Mark]) -> list[_Place]:
    first = label_of(body, lines.start(marks[0].start))
    places: list[_Place] = []
    leads = False
    """Whether the first marker of the current line stands before its text."""
    for number, mark in enumerate(marks):
        begin = lines.start(mark.start)
        before = marks[number - 1] if number else None
        if before is not None and before.end > begin:
            at = _after_label(body, before.end, mark) if leads else before.end
            places.append(_Place(at, at))
            continue
        if before is not None and _waits(body, places[-1].own, before, begin):
            places.append(_Place(mark.start, mark.start))
            leads = True
            continue
        leads = not body[_label_end(body, begin) : mark.start].strip(" \t　[【·•")
        line = lines.number(mark.start)
        above = 0 if before is None else lines.number(before.start) + 1
        label = label_of(body, begin) or (label_of(body, mark.end) if leads else None)
        own = line
        if label is None or label.kind in {"bracket", "bullet"}:
            kind = "" if leads or first is None else first.kind
            own = _own_beginning(lines, above, line, kind)
        over = {"arabic"} if label is not None and label.kind == "bracket" else set()
        top = _with_headings(lines, above, own, over)
        places.append(_Place(lines.begins[top], lines.begins[own]))
    return places


def _waits(body: str, own: int, before: Mark, begin: int) -> bool:
    """Whether the marker before still has no text when a line begins: it ended the line above."""
    return not body[before.end : begin].strip() and not body[own : before.start].strip(" \t　[·•")


def _label_end(body: str, begin: int) -> int:
    label = label_of(body, begin)
    return begin if label is None else label.end


def _after_label(body: str, begin: int, mark: Mark) -> int:
    """Where a marker in mid-line begins with the label in front of it: ……；2、（+5分）."""
    tail = body[max(begin, mark.start - 6) : mark.start]
    for at in range(len(tail)):
        label = label_of(tail, at)
        if label is not None and not tail[label.end :].strip():
            return mark.start - len(tail) + at
    return mark.start


def _with_headings(lines: _Lines, first: int, number: int, over: set[str]) -> int:
    """The line where the headings above a marked line begin; ``over`` are kinds above its own."""
    top = number
    at = number - 1
    while at >= first:
        line = lines.line(at)
        label = label_of(line)
        if line and not _is_heading(line) and (label is None or label.kind not in over):
            break
        if line:
            top = at
        at -= 1
    return top


def _is_heading(line: str) -> bool:
    label = label_of(line)
    if line.startswith("【"):
        return True
    if label is None:
        return False
    if label.kind in {"question", "chinese"}:
        return True
    return label.kind == "step" and len(line) - label.end <= 1


def _own_beginning(lines: _Lines, first: int, number: int, kind: str) -> int:
    """The line where the item of a marked line begins: itself, or one above it that is labelled.

    That is a line of the kind that items have (a paragraph with its marker at the end), or the
    name of a step over the one line of it that has the marker.
    """
    for at in range(number - 1, first - 1, -1):
        line = lines.line(at)
        label = label_of(line)
        if label is not None and label.kind in {kind, "step"} and "顺序" not in line:
            return number if _is_heading(line) else at
    return number
