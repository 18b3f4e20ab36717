"""Headings and point markers of a case's criterion: 【结论得分】10分, （+5分） (spec 3.2)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

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
    counted = [one for one in marks if one.form is not Form.BONUS]
    plain = [one for one in counted if one.form is not Form.WHOLE]
    signed = [one for one in plain if one.form is not Form.UNSIGNED]
    for nodes in (_nested(plain), [Node(one) for one in signed], _nested(signed)):
        if nodes and _total(nodes) == points:
            return Choice(nodes, fits=True)
    if plain and sum(one.points for one in plain) == points:
        return Choice([Node(one) for one in plain], fits=True)
    steps = [Node(one) for one in counted if one.points == unit]
    if len(steps) < len(counted) and _total(steps) == points:
        nested = {node.mark: node for node in _nested(counted)}
        nodes = [nested.get(node.mark, node) for node in steps]
        stray = tuple(one for one in counted if one.points > unit)
        return Choice(nodes, fits=True, odd_parts=not stray, stray=stray)
    return Choice([Node(one) for one in signed or plain], fits=False)


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
