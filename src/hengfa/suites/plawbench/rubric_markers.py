"""Headings and point markers of a case's criterion, such as （+5分）, and the blocks around them.

A criterion is cut into blocks, one for each marker (docs/benchmarks/plawbench.md 3.2). A marker
stands before or after its text, and a line may have two. Lines after a marked line belong to it, up
to a heading or to the next marked line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from hengfa.law.numerals import parse_number
from hengfa.suites.plawbench.rubric_clauses import NUMBER


class Form(StrEnum):
    """How a marker is written."""

    SIGNED = "signed"  # （+5分）
    UNSIGNED = "unsigned"  # （10分）, （本条3分）
    UNCLOSED = "unclosed"  # （+5分 without its bracket
    BARE = "bare"  # +10分 at the end of a line
    WHOLE = "whole"  # （3点答全+10分）: the value of a step whose parts have values too
    BONUS = "bonus"  # （全部答对直接+10分）: another way to the same points


class Mark(NamedTuple):
    """A marker at ``start`` to ``end`` of a text."""

    start: int
    end: int
    points: float
    form: Form


class Header(NamedTuple):
    """What stands before the rules and items: the total it states, what it says beside it
    (无论证顺序要求), and the text after it."""

    total: float | None
    says: str
    body: str


_TITLE: Final = (
    r"(?:结论|案情简述|案情|案件事实|分析过程|推理过程|依据法条|法条依据|法律依据)(?:得分)?"
)
_HEADERS: Final = (
    # 二、案情得分（共 25 分，每项 + 5 分）; not 二、案情中的争议
    re.compile(
        rf"\s*[一二三四]、\s{{0,2}}{_TITLE}\s{{0,2}}(?:[（(](?:[^（()）\n]{{0,8}}?(?P<total>{NUMBER})"
        rf"\s{{0,2}}分)?(?P<says>[^（()）\n]{{0,60}})[）)])?(?=\s|【|$)"
    ),
    # 【结论得分】10分 | 【案情简述】（25分）; not 【结论得分】（+5分）
    re.compile(
        rf"[\s\"]*【?{_TITLE}】(?:[ 　]{{0,4}}[（(]?\s{{0,2}}共?\s{{0,2}}(?P<total>{NUMBER})"
        r"(?:\s{0,2}分|(?=\n))[）)]?)?"
    ),
    # （30分）按照第一步…; not （30分） in front of an item
    re.compile(
        rf"\s*[（(]\s{{0,2}}(?P<total>{NUMBER})\s{{0,2}}分\s{{0,2}}[）)](?=\s{{0,4}}(?:必须)?按照)"
    ),
)
# A rule of order in brackets in front of the first item: （按步骤顺序写才得分）第一步….
_RULE: Final = re.compile(r"\s*[（(][^（()）\n]{0,200}顺序[^（()）\n]{0,200}[）)]")
# Steps and bullets that were pasted into one line.
_RUN_ON: Final = re.compile(r"(?<![ \t])[ \t]+(?=[•·]\s?\S|第[一二三四五六七八九十]步[，：:])")
_MARK: Final = re.compile(
    rf"[（(\[【]\s{{0,3}}[+＋]\s{{0,3}}(?P<signed>{NUMBER})\s{{0,3}}[分份]?\s{{0,3}}[）)\]】]"
    rf"|[（(]\s{{0,3}}[+＋]\s{{0,3}}(?P<unclosed>{NUMBER})\s{{0,3}}分(?=[^\s（()），,])"
    rf"|[（(]\s{{0,3}}(?:本条|此步骤|本项)?\s{{0,3}}(?P<unsigned>{NUMBER})\s{{0,3}}分\s{{0,3}}[）)]"
    rf"|(?<![（(\d元万+＋ ])[+＋]\s{{0,3}}(?P<bare>{NUMBER})\s{{0,3}}分[ \t]*(?=\n|$)"
    rf"|[（(](?P<words>[^（()）\n+＋]{{1,40}})[+＋]\s{{0,3}}(?P<worded>{NUMBER})\s{{0,3}}分[^（()）\n]{{0,40}}[）)]"
)
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


def split_header(criterion: str) -> Header:
    """Take headings off; the first total they state is the section's."""
    total: float | None = None
    says = ""
    at = 0
    while found := next((m for one in _HEADERS if (m := one.match(criterion, at))), None):
        if total is None and found["total"]:
            total = float(found["total"])
        says = says or found.groupdict().get("says") or ""
        at = found.end()
    body = criterion[at:].lstrip(" \t　，,：:。")
    if rule := _RULE.match(body):
        body = f"{body[: rule.end()].strip()}\n{body[rule.end() :]}"
    return Header(total, says.strip("，, "), _RUN_ON.sub("\n", body).strip())


def find_marks(body: str) -> list[Mark]:
    """All markers in the order of the text."""
    return list(_marks(body))


def _marks(body: str) -> Iterator[Mark]:
    for found in _MARK.finditer(body):
        span = found.span()
        if found["signed"]:
            yield Mark(*span, float(found["signed"]), Form.SIGNED)
        elif found["unclosed"]:
            yield Mark(*span, float(found["unclosed"]), Form.UNCLOSED)
        elif found["unsigned"]:
            yield Mark(*span, float(found["unsigned"]), Form.UNSIGNED)
        elif found["bare"]:
            yield Mark(*span, float(found["bare"]), Form.BARE)
        else:
            whole = found["words"].endswith("答全")
            yield Mark(*span, float(found["worded"]), Form.WHOLE if whole else Form.BONUS)


class Node(NamedTuple):
    """A marker that is an item, or a step that its parts divide."""

    mark: Mark
    parts: tuple[Mark, ...] = ()


class Choice(NamedTuple):
    """Which markers are items. ``fits`` says that they add up to the points."""

    nodes: list[Node]
    fits: bool
    odd_parts: bool = False
    """Whether parts were passed over because they do not add up to their step."""
    stray: tuple[Mark, ...] = ()
    """Markers worth more than an item of this section can be: of another section."""


def choose(marks: Sequence[Mark], points: float, unit: float) -> Choice:
    """The reading of the markers that adds up to the points of the data, if there is one.

    A step may be followed by its own division, so nested readings come first; unsigned markers are
    taken for items only where the signed ones do not suffice (spec 6).
    """
    counted = [mark for mark in marks if mark.form is not Form.BONUS]
    plain = [mark for mark in counted if mark.form is not Form.WHOLE]
    signed = [mark for mark in plain if mark.form is not Form.UNSIGNED]
    for nodes in (_nested(plain), [Node(mark) for mark in signed], _nested(signed)):
        if nodes and _total(nodes) == points:
            return Choice(nodes, fits=True)
    if plain and sum(mark.points for mark in plain) == points:
        return Choice([Node(mark) for mark in plain], fits=True)
    steps = [Node(mark) for mark in counted if mark.points == unit]
    if len(steps) < len(counted) and _total(steps) == points:
        nested = {node.mark: node for node in _nested(counted)}
        nodes = [nested.get(node.mark, node) for node in steps]
        stray = tuple(mark for mark in counted if mark.points > unit)
        return Choice(nodes, fits=True, odd_parts=not stray, stray=stray)
    return Choice([Node(mark) for mark in signed or plain], fits=False)


def _nested(marks: Sequence[Mark]) -> list[Node]:
    """Each marker with the two or more that follow it and add up to it, if they do."""
    nodes: list[Node] = []
    at = 0
    while at < len(marks):
        whole, end, total = marks[at], at + 1, 0.0
        while end < len(marks) and total < whole.points:
            total += marks[end].points
            end += 1
        divided = total == whole.points and end - at > 2
        nodes.append(Node(whole, tuple(marks[at + 1 : end]) if divided else ()))
        at = end if divided else at + 1
    return nodes


def _total(nodes: Sequence[Node]) -> float:
    return sum(node.mark.points for node in nodes)


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
